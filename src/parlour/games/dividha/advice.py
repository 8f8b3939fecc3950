"""Which actions are worth considering in Dividha, for the search; and the ends of a hand, for odds and hints."""

from parlour.games.dividha.betting import must_be_whole, raise_range
from parlour.games.dividha.hands import category, may_lie_together, score, weakest_and_strongest, well_laid
from parlour.games.dividha.position import *
from parlour.games.dividha.rules import legal
from parlour.games.dividha.showdown import among, discard_for, fits, hand_of, kept, ranking_of, worth_of
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ for the search


def candidates(s: Dividha, me: int, acts: list[int]) -> int:
    """Write the actions worth trying: of many levels the lowest, the middle and the highest; of many divisions none,
    half and all; the strongest and the weakest hand, correctly named and laid; no proposals of antes, and no
    leaving."""
    if s.stage == BETTING:
        n = without_raise(s, me, acts)
        low, high = raise_range(s, me)
        return three(acts, n, RAISE + low, RAISE + high) if low <= high else n
    if s.stage == TALKING:
        acts[0] = CHECK
        return 1
    if s.stage == PAYING or (s.stage == SPLITTING and not must_be_whole(s, me)):
        return three(acts, 0, win_id(s), win_id(s) + s.owed)
    if s.stage == DISCARDING or s.stage == LAYING:
        return two_ends(s, me, 0, acts)
    if s.stage == NAMING:
        how = ranking_of(s, me)
        acts[0] = NAME + category(how, worth_of(how, hand_of(s, me)))
        return 1
    if s.stage == ORDERING:
        acts[0] = order_id(s) + right_order(s, me)
        return 1
    return legal(s, me, acts)


def likely(s: Dividha, me: int, acts: list[int]) -> int:
    """Write what a sensible player might do in a simulated game: one or two small raises in a round, all coins always
    in the same column, and the strongest or the weakest hand, according to that column."""
    if s.stage == BETTING:
        n = without_raise(s, me, acts)
        low, high = raise_range(s, me)
        acts[n] = RAISE + low + (high - low) // 4
        return n + ((low <= high) & (s.raises < 2))
    leaning = 2 * (s.win[me] + s.fee_win[me]) - (s.paid[me] + s.fees[me])  # how many more coins are on Win than on Lose
    if s.stage == SPLITTING or s.stage == PAYING:
        leaning += s.owed
        acts[0] = win_id(s) + (s.owed if leaning > 0 else 0)
        acts[1] = win_id(s) + s.owed
        return 1 + (leaning == 0)
    if s.stage == DISCARDING or s.stage == LAYING:
        return two_ends(s, me, leaning, acts)
    if s.stage == RETURNING:
        acts[0] = RETURN
        return 1
    return candidates(s, me, acts)


def without_raise(s: Dividha, me: int, acts: list[int]) -> int:
    """Write the actions of a bet without a raise: check, or call and fold."""
    facing = s.level > s.put[me]
    acts[0] = CALL if facing else CHECK
    acts[1] = FOLD
    return 1 + facing


def three(acts: list[int], n: int, low: int, high: int) -> int:
    """Write the lowest, the middle and the highest of many actions; return the new number of actions."""
    acts[n] = low
    middle = (low + high) // 2
    if middle > low:
        n += 1
        acts[n] = middle
    if high > middle:
        n += 1
        acts[n] = high
    return n + 1


def two_ends(s: Dividha, me: int, leaning: int, acts: list[int]) -> int:
    """Return the discard, or the laying, that makes the strongest hand if ``leaning`` is not negative, and the one that
    makes the weakest if it is not positive."""
    n = 0
    for sign in range(-1, 2, 2):
        if sign * leaning >= 0:
            acts[n] = DISCARD + discard_for(s, me, sign) if s.stage == DISCARDING else LAY + laying_for(s, me, sign)
            n += 1
    if n == 2 and acts[0] > acts[1]:
        acts[0], acts[1] = acts[1], acts[0]
    return n - (n == 2 and acts[0] == acts[1])


def laying_for(s: Dividha, p: int, sign: int) -> int:
    """Return the places of the cards that make the strongest (1) or the weakest (-1) hand."""
    how, five = ranking_of(s, p), kept(s, p)
    best = 0
    found = 0
    for places in range(1, 1 << count(five)):
        hand = among(five, places)
        if may_lie_together(how, hand):
            worth = sign * worth_of(how, hand)
            if found == 0 or worth > best:
                best = worth
                found = places
    return found


def right_order(s: Dividha, p: int) -> int:
    """Return the first sequence in which a hand is laid correctly."""
    how, hand = ranking_of(s, p), hand_of(s, p)
    worth = worth_of(how, hand)
    size = count(hand)
    i = 0
    while not (fits(SEQUENCE[i], size) and well_laid(how, hand, worth, SEQUENCE[i])):
        i += 1
    return i


# ------------------------------------------------------------------------------------------ for odds and hints


def ends_of(how: int, six: int, showdown: int) -> tuple[int, int]:
    """Return the lowest and the highest score that a player can reach with six cards (DV-105, DV-111).  If fewer than
    five cards may be laid, a single card is the weakest hand; fewer than five are stronger than five only if a deuce
    outside a combination must be an Ace, which is ignored here."""
    worst, best = weakest_and_strongest(how, six)
    if showdown == FORCED_BEST:
        worst = best
    elif showdown == FREE:
        worst = weakest_single(how, six)
    return worst, best


def weakest_single(how: int, held: int) -> int:
    """Return the lowest score of a single card."""
    worst = 1 << 62
    for c in members(held):
        worst = min(worst, score(how, 1 << c))
    return worst
