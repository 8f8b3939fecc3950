"""What follows from a player's knowledge in Diabolo, and which cards the others may have."""

from itertools import product

from parlour.games.diabolo.bags import (
    ALL,
    COLOURS,
    COPIES,
    COUNT,
    LOW_1,
    ONE,
    SPELT,
    SUM,
    VALUES,
    WIDTH,
    how_many,
    kinds_in,
    pick,
    size,
    suit,
    whole,
)
from parlour.games.diabolo.position import *
from parlour.games.diabolo.scoring import is_asked
from parlour.rules.matchplay import everybody_sits
from parlour.rules.vocabulary import *

SWEEPS, TRIES = 3, 2000  # rounds of Gibbs sampling (`deal_sums`), and the most attempts of a redeal

# All that a hand can hold of one colour, as bits, in the order of their sums; FIRST says where each sum begins.
_FIT = [
    bits
    for bits, of in enumerate(SPELT)
    if COUNT[bits] <= HAND and all(n <= m for n, m in zip(of, COPIES, strict=True))
]
BY_SUM = tuple(sorted(_FIT, key=lambda bits: SUM[bits]))
FIRST = tuple(sum(SUM[bits] < total for bits in _FIT) for total in range(SAID + 1))
# All ways to divide a hand among the colours: the number of cards of each colour, three bits each.
SPLITS = tuple(
    sum(n << 3 * c for c, n in enumerate(split))
    for split in product(range(HAND + 1), repeat=COLOURS)
    if sum(split) <= HAND
)


def restore(s: Diabolo, me: int) -> None:
    """Work out the fields that follow from the rows."""
    everybody_sits(s)
    if s.stage != DEALING and s.stage != LOT:
        s.dealt = HAND * s.players
    for c in range(COLOURS):
        shut_full_sides(s, c)


# ------------------------------------------------------------------------------------------ hands of other players


def redeal(s: Diabolo, me: int, rng: list[int]) -> None:
    """Deal the cards that ``me`` has not seen, with equal chances for all places, except for cards that the others'
    hands must or cannot hold: cards shown and kept, colours and sums shown, answers that only a holder can give.

    A card that a player has placed may have been any of those they held.
    """
    if s.stage == LOT:
        return
    for _ in range(TRIES):
        if deal_unknown(s, me, rng):
            seal_answers(s, rng)
            return


def deal_unknown(s: Diabolo, me: int, rng: list[int]) -> bool:
    """Deal the cards that ``me`` does not know; return false if the result is impossible."""
    others = s.seated if s.stage == DEALING else s.seated & ~(1 << me)
    for p in members(others):
        s.hand[p] = s.known[p]
        s.buried[p] = 0
    free = ALL - s.side[0] - s.side[1] - s.discards
    for p in range(s.players):
        free -= s.hand[p] + s.buried[p]
    if s.stuck_face == FACE_DOWN:
        free = bury_earlier(s, others, free, rng)
    if s.show == SUM_ONLY and s.row > 0 and s.stage >= ASKING:
        free = deal_sums(s, others, free, rng)
    else:
        free = deal_cards(s, others, free, rng)
    s.pile = free
    return free >= 0 and agrees(s)


def agrees(s: Diabolo) -> bool:
    """Whether all cards laid face down were found, nobody has more of a colour than they have shown, a player who is to
    place a card can place one, and the hands agree with the players asked and those who have committed
    [doubler_ask]."""
    if s.stage == PLACING and not can_place(s, s.player):
        return False
    shown = shown_colours(s)
    for p in range(s.players):
        if size(s.buried[p]) != s.laid[p] or (s.hand[p] ^ s.known[p]) & shown:
            return False
    if s.stage != ASKING or s.doubler_ask != HOLDERS_ONLY:
        return True
    somebody = False
    for p in range(s.players):
        holds = suit(s.hand[p], colour_of(s, s.row)) != 0
        if s.answer[p] == ANSWERED_YES and not holds:
            return False
        somebody |= holds & (s.spent[p] == 0)
    return somebody


def seal_answers(s: Diabolo, rng: list[int]) -> None:
    """Choose at random the answers that holders have given in turn and that ``me`` does not know (DI-67)."""
    if s.stage == ASKING and s.doubler_ask == HOLDERS_ONLY:
        p = next_player(s, s.dealer)
        while p != s.speaker:
            if is_asked(s, p):
                s.answer[p] = ANSWERED_NO + below(rng, 2)
            elif s.spent[p] == 0 and s.answer[p] == 0:
                s.answer[p] = ANSWERED_NO
            p = next_player(s, p)


# ------------------------------------------------------------------------------------------ cards shown


def hand_size(s: Diabolo, p: int) -> int:
    """DI-94; during the deal, the cards dealt so far (DI-15)."""
    if s.stage == DEALING:
        seat_from_start = (p - s.dealer - 1 + 2 * s.players) % s.players
        return s.dealt // s.players + (seat_from_start < s.dealt % s.players)
    return HAND + (p == s.player and (s.stage == PLACING or s.stage == STUCK or s.stage == CASTING))


def shown_colours(s: Diabolo) -> int:
    """All bits of the colours of which everybody has shown their cards (DI-54)."""
    shown = 0
    for r in range(s.row):
        c = colour_of(s, r)
        if s.show != SUM_ONLY and SUM[suit(s.side[0], c)] != SUM[suit(s.side[1], c)]:
            shown |= whole(c)
    return shown


def draw_kind(bag: int, rng: list[int]) -> int:
    """The kind of a random card."""
    return pick(bag, below(rng, size(bag)))


def alike(bag: int) -> int:
    """All bits of the kinds that are in a bag."""
    kinds = kinds_in(bag)
    return kinds | kinds << 1 | (kinds & LOW_1) << 2


def deal_cards(s: Diabolo, others: int, free: int, rng: list[int]) -> int:
    """Fill the hands of others; a player who had to show a colour has no more of it.  Return the rest."""
    shown = shown_colours(s)
    for p in members(others):
        fits = ~shown
        hidden = last_is_hidden(s, p)
        if hidden and size(s.showed[p]) == 1:  # only one card is possible
            s.buried[p] += s.showed[p]
            free -= s.showed[p]
            hidden = False
        elif hidden:
            fits |= alike(s.showed[p])
        for _ in range(hand_size(s, p) + hidden - size(s.hand[p])):
            k = draw_kind(free & fits, rng)
            s.hand[p] += ONE[k]
            free -= ONE[k]
        if hidden:
            bury(s, p, rng)
    return free


def last_is_hidden(s: Diabolo, p: int) -> bool:
    """Whether a card of the hand that a player showed last lies face down."""
    return s.laid[p] > 0 and (p != s.player or (s.stage != STUCK and s.stage != CASTING))


def bury(s: Diabolo, p: int, rng: list[int]) -> None:
    """Move a random card of the player's hand, of a kind that they showed last, to their cards face down."""
    there = s.hand[p] & alike(s.showed[p])
    if there:
        k = draw_kind(there, rng)
        s.hand[p] -= ONE[k]
        s.buried[p] += ONE[k]


def bury_earlier(s: Diabolo, others: int, free: int, rng: list[int]) -> int:
    """Choose the cards that players laid face down before they showed a hand again.  Return the cards that are left."""
    for p in members(others):
        for _ in range(s.laid[p] - last_is_hidden(s, p)):
            there = free & alike(s.before[p])
            if there:
                k = draw_kind(there, rng)
                s.buried[p] += ONE[k]
                free -= ONE[k]
    return free


# ------------------------------------------------------------------------------------------ sums named [show=sum_only]


def deal_sums(s: Diabolo, others: int, free: int, rng: list[int]) -> int:
    """Fill the hands of others so that they have the sums they named: each in turn given all the others, several times
    round, so that the order no longer matters (Gibbs sampling).  Return the rest, or a number below 0 if no hand was
    found.
    """
    for p in members(others):
        if last_is_hidden(s, p):
            bury(s, p, rng)
    kept = s.hand[0], s.hand[1], s.hand[2], s.hand[3], s.hand[4]
    for _ in range(SWEEPS):
        for p in members(others):
            free += s.hand[p] - kept[p]
            s.hand[p] = hand_with_sums(s, p, kept[p], free, rng)
            if s.hand[p] < 0:
                return -1
            free -= s.hand[p] - kept[p]
    return free


def sum_named(s: Diabolo, p: int, c: int) -> int:
    """Return the sum that a player has named for a colour; below 0 if there is none."""
    said = s.named[p] >> SUM_WIDTH * c
    return said & (SAID - 1) if said & SAID else -1


def hand_with_sums(s: Diabolo, p: int, kept: int, free: int, rng: list[int]) -> int:
    """Draw a hand with the sums that the player has named, ``kept`` among its cards and the others from ``free``, each
    such hand weighted by the number of ways to deal it.  Return a number below 0 if there is none."""
    hand = kept
    rest = free
    for c in range(COLOURS):
        if sum_named(s, p, c) >= 0:
            hand &= ~whole(c)
            rest &= ~whole(c)
    split = draw_split(s, p, kept, free, HAND - size(hand), size(rest), rng)
    if split < 0:
        return -1
    for c in range(COLOURS):
        wanted = sum_named(s, p, c)
        if wanted >= 0:
            hand |= colour_with_sum(suit(kept, c), suit(free, c), wanted, split >> 3 * c & 7, rng) << WIDTH * c
    for _ in range(HAND - size(hand)):
        k = draw_kind(rest, rng)
        hand += ONE[k]
        rest -= ONE[k]
    return hand


def draw_split(s: Diabolo, p: int, kept: int, free: int, left: int, rest: int, rng: list[int]) -> int:
    """Draw how many cards the hand has of each colour whose sum was named: together at most ``left``, the others being
    any of the ``rest``.  Return a number below 0 if it is impossible."""
    ways = (
        ways_by_size(suit(kept, 0), suit(free, 0), sum_named(s, p, 0)),
        ways_by_size(suit(kept, 1), suit(free, 1), sum_named(s, p, 1)),
        ways_by_size(suit(kept, 2), suit(free, 2), sum_named(s, p, 2)),
        ways_by_size(suit(kept, 3), suit(free, 3), sum_named(s, p, 3)),
        ways_by_size(suit(kept, 4), suit(free, 4), sum_named(s, p, 4)),
    )
    found = -1
    total = 0
    for split in SPLITS:
        others = left
        w = 1
        for c in range(COLOURS):
            n = split >> 3 * c & 7
            others -= n
            w *= ways[c] >> 9 * n & 511
            if w == 0:
                break
        w *= choose(rest, others)
        total += w
        if w > 0 and below(rng, total) < w:
            found = split
    return found


def ways_by_size(kept: int, free: int, wanted: int) -> int:
    """The ways to make up cards of one colour with a given sum: nine bits for each number of cards.  If no sum is
    wanted: none of them, in one way."""
    if wanted < 0:
        return 1
    found = 0
    for i in range(FIRST[wanted], FIRST[wanted + 1]):
        found += ways_to(BY_SUM[i], kept, free) << (9 * COUNT[BY_SUM[i]])
    return found


def colour_with_sum(kept: int, free: int, wanted: int, n: int, rng: list[int]) -> int:
    """Draw this many cards of one colour with a given sum, weighted by the number of ways to make them up."""
    found = kept
    total = 0
    for i in range(FIRST[wanted], FIRST[wanted + 1]):
        w = ways_to(BY_SUM[i], kept, free) if COUNT[BY_SUM[i]] == n else 0
        total += w
        if w > 0 and below(rng, total) < w:
            found = BY_SUM[i]
    return found


def ways_to(bits: int, kept: int, free: int) -> int:
    """Return how many ways there are to make up these cards of one colour: ``kept``, and the others from ``free``."""
    w = 1
    for v in range(VALUES):
        w *= choose(how_many(free, v), how_many(bits, v) - how_many(kept, v))
    return w


def choose(n: int, k: int) -> int:
    """Return how many ways there are to take ``k`` of ``n``; 0 if ``k`` is below 0."""
    w = int(k >= 0)
    for i in range(k):
        w = w * (n - i) // (i + 1)
    return w
