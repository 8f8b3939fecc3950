"""The rule-of-thumb player of Dividha: it estimates its chances of holding the strongest hand and the weakest.  It
completes its hand at random several times, and compares the best and the worst five of its six cards with those of
random hands.  It bets by the better of the two chances, puts its coins on that end (and occasionally some of them on
the other, so that its tablet gives nothing away), trades towards it and discards for it.
"""

from parlour.games.dividha.advice import ends_of, laying_for, right_order
from parlour.games.dividha.hands import HEIGHT, HELD, IMMORTALS, SUIT_OF, SUITS, WILD_HELD, WILDS, category
from parlour.games.dividha.hidden import unseen_cards
from parlour.games.dividha.position import (
    AGREE,
    BETTING,
    CALL,
    CHECK,
    DISCARD,
    DISCARDING,
    FOLD,
    GIVE,
    LAY,
    LAYING,
    NAME,
    NAMING,
    ORDERING,
    PAYING,
    RAISE,
    REFUSE,
    SPLITTING,
    STAND,
    TRADING,
    VOTING,
    Dividha,
    order_id,
    win_id,
)
from parlour.games.dividha.showdown import discard_for, hand_of, ranking, ranking_of, worth_of
from parlour.rules.vocabulary import count, draw, members
from parlour.rules.weighing import may, part, prefer

SAMPLES = 16  # times it completes its own hand at random to estimate its chances
LADDER = 300  # random hands with which it compares its own
GOOD = 0.55  # it raises if its chance of winning one end is above this
BLUFF = 0.06  # chance that it raises on less
MOST_RAISES = 3  # after this many raises in a round, it only calls
SPREAD = 0.2  # chance that it puts some of its coins on the other end
WORTHWHILE = 20  # use to the others from which a card is kept for a strong hand, or traded for a weak one
HANDFUL = 6  # cards in a hand before the discard

SUIT_NUMBER = tuple(SUITS.find(suit) for suit in SUIT_OF)
HIGHS, LOWS = 0, LADDER  # places in notes: scores of the best and worst ends of random hands, in rising order
REMEMBERED, CELLS = 2 * LADDER, 64  # earlier results in notes: two numbers that identify the cards, then the chances
LARGE_PRIME, OTHER_PRIME, FACTOR = 2147483647, 2147483629, 1000003


def appraise(
    s: Dividha, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Value the action it wants; of divisions, the closer to the one it wants, the better."""
    if s.stage == SPLITTING or s.stage == PAYING:
        wanted = win_id(s) + divides(s, me, notes, rng)
        for k in range(n):
            worth[k] = -float(abs(acts[k] - wanted))
    else:
        prefer(acts, n, choice(s, me, acts, n, notes, rng), worth)


def choice(s: Dividha, me: int, acts: list[int], n: int, notes: list[float], rng: list[int]) -> int:
    """Return its choice, stage by stage."""
    if s.stage == BETTING:
        return bets(s, me, acts, n, notes, rng)
    if s.stage == TRADING:
        return trades(s, me, acts, n, notes, rng)
    if s.stage == DISCARDING:
        return DISCARD + discard_for(s, me, end(s, me, notes, rng))
    if s.stage == LAYING:
        return LAY + laying_for(s, me, end(s, me, notes, rng))
    if s.stage == VOTING:
        return AGREE if s.coins[me] * count(s.seated) < total_coins(s) else REFUSE
    if s.stage == NAMING:
        how = ranking_of(s, me)
        return NAME + category(how, worth_of(how, hand_of(s, me)))
    if s.stage == ORDERING:
        return order_id(s) + right_order(s, me)
    return acts[0]  # come back to the table; between two hands change nothing


def total_coins(s: Dividha) -> int:
    """Return the sum of everybody's coins."""
    coins = 0
    for p in range(s.players):
        coins += s.coins[p]
    return coins


# ------------------------------------------------------------------------------------------ chances


def chances(s: Dividha, me: int, notes: list[float], rng: list[int]) -> tuple[float, float]:
    """Return the chances of holding the strongest and the weakest hand, as if all others held random ones.  The same
    cards always have the same chances, because these are sampled with a seed of their own; the last few are kept."""
    mine = s.private[me] | s.public[me]
    left = unseen_cards(s)
    others = count(s.live & ~(1 << me))
    high = mine % LARGE_PRIME * FACTOR % LARGE_PRIME + left % LARGE_PRIME
    low = left % OTHER_PRIME * FACTOR % OTHER_PRIME + mine % OTHER_PRIME + others
    at = REMEMBERED + 4 * ((high + low) % CELLS)
    if notes[at] != high or notes[at + 1] != low:
        before = rng[0]
        rng[0] = high * FACTOR + low
        notes[at + 2], notes[at + 3] = completed(ranking(s), s.showdown, mine, left, others, notes, rng)
        notes[at], notes[at + 1] = float(high), float(low)
        rng[0] = before
    return notes[at + 2], notes[at + 3]


def completed(
    how: int, showdown: int, mine: int, unseen: int, others: int, notes: list[float], rng: list[int]
) -> tuple[float, float]:
    """The same for an incomplete hand, which is completed at random several times; from a small pack as far as that
    goes."""
    lacking = min(HANDFUL - count(mine), count(unseen))
    samples = SAMPLES if lacking > 0 else 1
    strongest = 0.0
    weakest = 0.0
    for _ in range(samples):
        six = mine
        left = unseen
        for _ in range(lacking):
            card = 1 << draw(rng, left)
            left &= ~card
            six |= card
        worst, best = ends(how, six, showdown)
        strongest += share_below(notes, HIGHS, float(best)) ** others / samples
        weakest += (1.0 - share_below(notes, LOWS, float(worst))) ** others / samples
    return strongest, weakest


def share_below(notes: list[float], first: int, worth: float) -> float:
    """Return the share of random hands with a lower score, counting a tie as half."""
    low = rung(notes, first, worth, 0)
    return (low + rung(notes, first, worth, 1)) / (2 * LADDER)


def rung(notes: list[float], first: int, worth: float, ties: int) -> int:
    """Return how many of the random hands, which are in rising order, have a lower score; with ``ties``, a lower or
    equal one."""
    low = 0
    high = LADDER
    while low < high:
        middle = (low + high) // 2
        here = notes[first + middle]
        if (here < worth) | ((ties == 1) & (here == worth)):
            low = middle + 1
        else:
            high = middle
    return low


def ends(how: int, six: int, showdown: int) -> tuple[int, int]:
    """Return the lowest and the highest score of six cards, if Providence may consider all of them."""
    return ends_of(how | WILD_HELD if how & HELD and six & WILDS else how, six, showdown)


def end(s: Dividha, me: int, notes: list[float], rng: list[int]) -> int:
    """Return 1 to go for the strongest hand, -1 for the weakest."""
    strongest, weakest = chances(s, me, notes, rng)
    return better_end(s, me, strongest, weakest)


def better_end(s: Dividha, me: int, strongest: float, weakest: float) -> int:
    """The same, by the chances, and by the coins that may lie on each end."""
    own = s.paid[me] + s.fees[me]
    win = s.win[me] + s.fee_win[me] + (s.pot - own) / 2
    return 1 if strongest * win >= weakest * (s.pot - win) else -1


# ------------------------------------------------------------------------------------------ choices


def bets(s: Dividha, me: int, acts: list[int], n: int, notes: list[float], rng: list[int]) -> int:
    strongest, weakest = chances(s, me, notes, rng)
    chance = max(strongest, weakest)
    need = min(s.level - s.put[me], s.coins[me])
    first = levels = 0
    for k in range(n):
        if RAISE < acts[k] < win_id(s):
            first = k if levels == 0 else first
            levels += 1
    bold = chance > GOOD or part(rng) < BLUFF
    if levels > 0 and bold and s.raises < MOST_RAISES:
        share = (0.2 + 0.4 * part(rng)) * min(1.0, chance + 0.2)
        return acts[first + min(levels - 1, int(share * levels))]
    if need == 0:
        return CHECK
    return CALL if chance > need / (s.pot / 2 + need) else FOLD


def divides(s: Dividha, me: int, notes: list[float], rng: list[int]) -> int:
    """Return the number of coins to put on Win: usually all go on the better end."""
    strongest, weakest = chances(s, me, notes, rng)
    share = 0.5 + 0.5 * part(rng) if part(rng) < SPREAD else 1.0
    return int(s.owed * (share if strongest >= weakest else 1.0 - share) + 0.5)


def trades(s: Dividha, me: int, acts: list[int], n: int, notes: list[float], rng: list[int]) -> int:
    """Return the trade of the card that helps least towards the better end, if it helps too little."""
    if s.pay_to_trade and part(rng) < 0.5:
        return STAND
    sign = end(s, me, notes, rng)
    held = (s.private[me] | s.public[me]) & ~s.picked
    worst = -1
    least = 0
    for c in members(held):
        helps = sign * use(c, held)
        if worst < 0 or helps < least:
            worst = c
            least = helps
    hopeless = least < WORTHWHILE if sign > 0 else -least >= WORTHWHILE
    return GIVE + worst if hopeless and may(acts, n, GIVE + worst) else STAND


def use(c: int, held: int) -> int:
    """Return how much a card helps the others to a strong hand."""
    if WILDS >> c & 1:
        return 60
    alike = suited = near = 0
    for d in members(held & ~(1 << c)):
        apart = abs(HEIGHT[d] - HEIGHT[c])
        alike += apart == 0
        suited += SUIT_NUMBER[d] == SUIT_NUMBER[c]
        near += 0 < apart < 5
    return 25 * alike + 5 * suited + 3 * near + 8 * (IMMORTALS >> c & 1) + HEIGHT[c] // 2
