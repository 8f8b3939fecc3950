"""Rules that trick-taking games share; long because it holds their whole play, and the redeal to match.

A card is 4 * rank + suit, the highest rank last, and there are at most 15 ranks; sets of cards are integers, one bit a
card.  A game derives its position from :class:`Tricks`, or from :class:`Passing`; a game with a position of its own can
use the functions that take sets and fields.  All are plain rule functions, compiled with the game's own.

>>> class s:  # two players with two cards each: 0 and 4 are of one suit, 1 of another
...     players, dealer, deal, dealt, leader = 2, 1, 0, 0, 0
...     hand, trick, taken, lacks = [0] * 4, [0] * 4, [0] * 4, [0] * 4
>>> [deal_next(s, c, 2) for c in (0, 4, 1, 8)], s.hand
([False, False, False, True], [3, 272, 0, 0])
>>> lead_with(s, 0); s.leader  # who holds the lowest card
0
>>> deck = in_hands(s)
>>> play(s, 0, 1, deck); card_led(s), whose_turn(s), is_complete(s)
(1, 1, False)
>>> play(s, 1, 8, deck); is_complete(s), bin(in_trick(s))  # seat 1 could not follow suit
(True, '0b100000010')
>>> take_trick(s, 0), bin(in_tricks(s)), gone(s) == in_tricks(s)
(0, '0b100000010', True)
>>> gather(s); s.deal, s.taken
(1, [0, 0, 0, 0])
"""

from collections.abc import Callable, Sequence

from parlour.rules.matchplay import Deals
from parlour.rules.vocabulary import (
    AnyPosition,
    Thing,
    amount,
    below,
    cards,
    count,
    draw,
    number,
    numbers,
    one_of,
    seat,
)

__all__ = [
    "Passing",
    "Tricks",
    "beats",
    "card_led",
    "deal_next",
    "deal_unseen",
    "following",
    "gather",
    "gone",
    "in_hands",
    "in_trick",
    "in_tricks",
    "is_complete",
    "lead_with",
    "open_things",
    "own_things",
    "owner",
    "pass_cards",
    "play",
    "play_passed",
    "redeal_passed",
    "redeal_tricks",
    "still_to_pass",
    "suit_of",
    "take_trick",
    "taker",
    "whose_turn",
]

SEATS = 4
SUIT = sum(1 << 4 * rank for rank in range(15))  # set of the cards of suit 0
MOST = 42  # hidden cards at most: then the number of deals to three hands fits into 62 bits


def ways_to_choose(n: int, k: int) -> int:
    """Return in how many ways ``k`` of ``n`` cards can be chosen.

    >>> ways_to_choose(52, 5), ways_to_choose(2, 3)
    (2598960, 0)
    """
    ways = 1
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


CHOOSE = tuple(ways_to_choose(n, k) for n in range(MOST + 1) for k in range(MOST + 1))


class Tricks(Deals):
    """Fields of a game of tricks for up to four players.

    Cards are dealt one at a time from the dealer's left.  Everybody sees ``leader``, ``trick``, ``taken`` and ``lacks``
    (:func:`open_things`); tell ``hand`` to its owner once it is complete.

    >>> from parlour.rules.vocabulary import fields_of
    >>> list(fields_of(Tricks))[3:]
    ['dealt', 'leader', 'hand', 'trick', 'taken', 'lacks']
    """

    dealt: int = number()  # number of cards dealt
    leader: int = number()  # the player who leads, or has led, this trick
    hand: list[int] = numbers(SEATS, "i8")
    trick: list[int] = numbers(SEATS)  # the card that each player has played to this trick, plus 1; 0: none
    taken: list[int] = numbers(SEATS, "i8")  # sets: cards in the tricks that each player has taken
    lacks: list[int] = numbers(SEATS, "i8")  # sets: unplayed cards that each player is known not to hold


class Passing(Tricks):
    """Fields of a game in which players pass cards to each other before they play (:func:`own_things`).

    >>> class s:
    ...     players, hand, sent, got = 2, [0b0011, 0b1100], [0b0001, 0b0000], [0, 0]
    >>> bin(still_to_pass(s, 1))  # seat 1 has not chosen
    '0b10'
    >>> s.sent[1] = 0b1000
    >>> pass_cards(s, 1); [bin(hand) for hand in s.hand]
    ['0b1010', '0b101']
    """

    sent: list[int] = numbers(SEATS, "i8")  # sets: cards that each player passes; later, those of them not played yet
    got: list[int] = numbers(SEATS, "i8")  # sets: cards that each player was passed and still holds


def open_things(names: Sequence[str]) -> dict[str, Thing]:
    """The things that everybody sees of the deal and the play, for the ``THINGS`` of a game with these cards.

    >>> things = open_things(("C2", "D2", "H2", "S2"))
    >>> list(things), things["trick"].names[0]
    (['deal', 'dealer', 'dealt', 'leader', 'trick', 'taken', 'lacks'], 'none')
    """
    return {
        "deal": amount(16),
        "dealer": seat(),
        "dealt": amount(52),
        "leader": seat(),
        "trick": one_of(("none", *names), per=SEATS, seats=True),
        "taken": cards(names, per=SEATS, seats=True),
        "lacks": cards(names, per=SEATS, seats=True),
    }


def own_things(names: Sequence[str], own: Callable[[AnyPosition, int], object]) -> dict[str, Thing]:
    """The things that players see of their own cards in games with passing, when ``own`` holds.

    >>> list(own_things(("C2", "D2"), lambda s, me: True))
    ['hand', 'sent', 'got']
    """
    return dict.fromkeys(("hand", "sent", "got"), cards(names, per=SEATS, seats=True, optional=True).told(own=own))


# ------------------------------------------------------------------------------------------ suits and tricks


def suit_of(c: int) -> int:
    """Return all cards of the same suit as a card.

    >>> from parlour.rules.vocabulary import members
    >>> list(members(suit_of(6)))[:4]
    [2, 6, 10, 14]
    """
    return SUIT << (c & 3)


def following(hand: int, led: int) -> int:
    """Return the cards of a hand that may be played to the card led: those of its suit or, without one, all of them.

    >>> bin(following(0b1_0011_0010, 0)), bin(following(0b1_0011_0010, 3))
    ('0b100010000', '0b100110010')
    """
    mine = hand & suit_of(led)
    return mine if mine else hand


def beats(c: int, other: int, trumps: int) -> bool:
    """Whether a card beats another one that was played before it; ``trumps``: the set of the trumps, 0 for none.

    >>> beats(8, 4, 0), beats(9, 4, 0), beats(9, 4, suit_of(1))
    (True, False, True)
    """
    if c & 3 == other & 3:  # the same suit
        return c > other
    return trumps >> c & 1 == 1


def taker(trick: list[int], leader: int, seats: int, trumps: int) -> int:
    """Return who takes a trick.  ``trick`` is a field with the card, plus 1, of each seat (0: none).

    >>> taker([5, 13, 6, 9], 0, 4, 0), taker([5, 13, 6, 9], 0, 4, suit_of(1)), taker([5, 13, 6, 9], 2, 4, 0)
    (1, 2, 2)
    """
    best = leader
    for p in range(seats):
        if trick[p] > 0 and beats(trick[p] - 1, trick[best] - 1, trumps):
            best = p
    return best


# ------------------------------------------------------------------------------------------ the deal and the play


def owner(field: list[int], those: int, seats: int) -> int:
    """Return the seat that has all of these cards in a field of sets of cards; -1 if nobody has.

    >>> owner([0b0110, 0b1001], 0b1001, 2), owner([0b0110, 0b1001], 0b0011, 2)
    (1, -1)
    """
    for p in range(seats):
        if those & ~field[p] == 0:
            return p
    return -1


def deal_next(s: Tricks, c: int, size: int) -> bool:
    """Deal a card to the player whose turn it is to get one; return whether everybody now has ``size`` cards."""
    s.dealt += 1
    s.hand[(s.dealer + s.dealt) % s.players] |= 1 << c
    return s.dealt == size * s.players


def in_hands(s: Tricks) -> int:
    """Set of the cards in all hands."""
    return s.hand[0] | s.hand[1] | s.hand[2] | s.hand[3]


def in_tricks(s: Tricks) -> int:
    """Set of the cards of the tricks that have been taken."""
    return s.taken[0] | s.taken[1] | s.taken[2] | s.taken[3]


def in_trick(s: Tricks) -> int:
    """Set of the cards of the trick that is being played."""
    return (1 << s.trick[0] | 1 << s.trick[1] | 1 << s.trick[2] | 1 << s.trick[3]) >> 1


def card_led(s: Tricks) -> int:
    """Return the card led to the trick; -1 if none has been."""
    return s.trick[s.leader] - 1


def whose_turn(s: Tricks) -> int:
    """Return who plays the next card of the trick, clockwise from the leader."""
    return (s.leader + count(in_trick(s))) % s.players


def gone(s: Tricks) -> int:
    """Set of the cards that have been played."""
    return in_tricks(s) | in_trick(s)


def lead_with(s: Tricks, c: int) -> None:
    """Give the first lead to the holder of a card; then everybody knows that the others do not hold it."""
    s.leader = owner(s.hand, 1 << c, s.players)
    for p in range(s.players):
        s.lacks[p] = 1 << c & ~s.hand[p]


def play(s: Tricks, p: int, c: int, deck: int) -> None:
    """Play a card to the trick.  If it is not of the suit led, everybody knows that the player lacks that suit."""
    led = card_led(s)
    s.hand[p] &= ~(1 << c)
    if led >= 0 and not suit_of(led) >> c & 1:
        s.lacks[p] |= suit_of(led)
    s.trick[p] = c + 1
    for q in range(s.players):
        s.lacks[q] &= deck & ~gone(s)


def is_complete(s: Tricks) -> bool:
    """Whether everybody has played to the trick."""
    return count(in_trick(s)) == s.players


def take_trick(s: Tricks, trumps: int) -> int:
    """Complete a trick; return the player who takes it and leads the next."""
    p = taker(s.trick, s.leader, s.players, trumps)
    s.taken[p] |= in_trick(s)
    s.leader = p
    for q in range(s.players):
        s.trick[q] = 0
    return p


def gather(s: Tricks) -> None:
    """A deal is over: count it, and put all cards back into the pack."""
    s.deal += 1
    s.dealt = s.leader = 0
    for p in range(s.players):
        s.taken[p] = 0


# ------------------------------------------------------------------------------------------ passing


def still_to_pass(s: Passing, n: int) -> int:
    """Set of the players who have not chosen ``n`` cards yet.

    >>> class s:
    ...     players, sent = 2, [0b0001, 0]
    >>> bin(still_to_pass(s, 1))
    '0b10'
    """
    found = 0
    for p in range(s.players):
        found |= (count(s.sent[p]) < n) << p
    return found


def pass_cards(s: Passing, way: int) -> None:
    """Pass the cards that each player has chosen to the player ``way`` seats on, all at once.

    >>> class s:
    ...     players, hand, sent, got = 2, [0b0011, 0b1100], [0b0001, 0b1000], [0, 0]
    >>> pass_cards(s, 1); [bin(hand) for hand in s.hand]
    ['0b1010', '0b101']
    """
    for p in range(s.players):
        s.got[(p + way) % s.players] = s.sent[p]
    for p in range(s.players):
        s.hand[p] = s.hand[p] & ~s.sent[p] | s.got[p]


def play_passed(s: Passing, p: int, c: int, deck: int) -> None:
    """:func:`play` for games with passing: it also forgets where the played card came from.

    >>> class s:
    ...     players, leader, hand, trick, taken, lacks = 2, 0, [1, 2], [0] * 4, [0] * 4, [0] * 4
    ...     sent, got = [2, 1], [1, 2]
    >>> play_passed(s, 0, 0, 0b11); s.got, s.sent
    ([0, 2], [2, 0])
    """
    play(s, p, c, deck)
    for q in range(s.players):
        s.sent[q] &= ~(1 << c)
        s.got[q] &= ~(1 << c)


# ------------------------------------------------------------------------------------------ redeal


def redeal_tricks(s: Tricks, deck: int, size: int, rng: list[int]) -> None:
    """Deal the cards that a player cannot see: during the deal, any cards dealt so far; afterwards the rest of hands
    that began with ``size`` cards, by any deal that agrees with what players are known to lack, all such deals being
    equally likely.

    >>> class s:  # seat 0 knows its own two cards; all four have been dealt
    ...     players, dealer, dealt, leader = 2, 1, 4, 0
    ...     hand, trick, taken, lacks = [0b0011, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4
    >>> redeal_tricks(s, 0b1111, 2, [7]); bin(s.hand[1])
    '0b1100'
    """
    if s.dealt < size * s.players:
        for i in range(s.dealt):
            s.hand[(s.dealer + 1 + i) % s.players] |= 1 << draw(rng, deck & ~in_hands(s))
        return
    sizes = 0
    for p in range(s.players):
        sizes |= (size - count(in_tricks(s)) // s.players - (s.trick[p] > 0)) << (8 * p)
    deal_unseen(s.hand, s.lacks, sizes, s.players, deck & ~in_hands(s) & ~gone(s), rng)


def redeal_passed(s: Passing, me: int, deck: int, size: int, n: int, way: int, rng: list[int]) -> None:
    """The same where ``n`` cards are passed ``way`` seats on.  A card that ``me`` has passed stays there until it is
    played; any ``n`` of the cards that another player began to play with may be those that they were passed.

    >>> class s:  # seat 0 has passed card 0 and got card 2; seat 1 has card 0 for certain
    ...     players, dealer, dealt, leader = 2, 1, 4, 0
    ...     hand, trick, taken, lacks = [0b0110, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4
    ...     sent, got = [0b0001, 0, 0, 0], [0b0100, 0, 0, 0]
    >>> redeal_passed(s, 0, 0b1111, 2, 1, 1, [7]); bin(s.hand[1])
    '0b1001'
    """
    if way == 0 or (s.got[me] == 0 and gone(s) == 0):
        redeal_tricks(s, deck, size, rng)
        return
    to, by = (me + way) % s.players, (me - way + s.players) % s.players
    s.hand[to] = s.got[to] = s.sent[me]
    s.sent[by] = s.got[me]
    redeal_tricks(s, deck, size, rng)
    for p in range(s.players):
        q = (p + way) % s.players
        if me not in (p, q):
            for i in range(n):
                left = s.hand[q] & ~s.got[q]
                if below(rng, size - i) < count(left):  # otherwise this card was among those played already
                    s.got[q] |= 1 << draw(rng, left)
            s.sent[p] = s.got[q]


def deal_unseen(hand: list[int], lacks: list[int], sizes: int, seats: int, unseen: int, rng: list[int]) -> None:
    """Deal cards that nobody has seen to the hands that have room, so that all deals in which nobody gets a card that
    they are known to lack are equally likely.  There must be one.

    ``hand``: a field with the cards already known to be in each hand.  ``lacks``: a field with the cards that each seat
    is known to lack.  ``sizes``: how many cards each hand has in all, a byte for each seat.  A stock that players have
    not seen is one more hand.  At most three hands may have room, and at most 42 cards may be dealt (``MOST``).

    Cards are of one kind if the same hands may have them.  A division says how many cards of each kind go to each hand.
    It draws a division, weighted by its number of deals, and then a deal of that division.

    >>> hand, lacks = [0b0011, 0, 0], [0, 0b0100, 0]  # two cards each; seat 1 lacks card 2
    >>> deal_unseen(hand, lacks, 2 | 2 << 8 | 2 << 16, 3, 0b111100, [7])
    >>> hand[1] | hand[2] == 0b111100, hand[1] & 0b0100
    (True, 0)
    """
    a = with_room(hand, sizes, seats, 0)
    b = with_room(hand, sizes, seats, a + 1)
    c = with_room(hand, sizes, seats, b + 1)
    for_a = unseen & ~lacks[a] if a < seats else 0
    for_b = unseen & ~lacks[b] if b < seats else 0
    for_c = unseen & ~lacks[c] if c < seats else 0
    ab = for_a & for_b & ~for_c
    ac = for_a & for_c & ~for_b
    bc = for_b & for_c & ~for_a
    anywhere = for_a & for_b & for_c
    if a < seats:
        hand[a] |= for_a & ~for_b & ~for_c
    if b < seats:
        hand[b] |= for_b & ~for_a & ~for_c
    if c < seats:
        hand[c] |= for_c & ~for_a & ~for_b
    in_a, in_b, in_c = room(hand, sizes, seats, a), room(hand, sizes, seats, b), room(hand, sizes, seats, c)
    division = 0
    if ab | ac | bc:
        n_ab, n_ac, n_bc, n = count(ab), count(ac), count(bc), count(anywhere)
        deals = divide(in_a, in_b, in_c, n_ab, n_ac, n_bc, n, -1)
        division = divide(in_a, in_b, in_c, n_ab, n_ac, n_bc, n, far_below(rng, deals))
    if a < seats:
        ab &= ~give(hand, a, division & 63, ab, rng)
        ac &= ~give(hand, a, division >> 6 & 63, ac, rng)
        anywhere &= ~give(hand, a, room(hand, sizes, seats, a), anywhere, rng)
    if b < seats:
        bc &= ~give(hand, b, division >> 12, bc, rng)
        hand[b] |= ab
        anywhere &= ~give(hand, b, room(hand, sizes, seats, b), anywhere, rng)
    if c < seats:
        hand[c] |= ac | bc | anywhere


def with_room(hand: list[int], sizes: int, seats: int, q: int) -> int:
    """Return the first seat from ``q`` on whose hand has room; ``seats`` if there is none."""
    while q < seats and room(hand, sizes, seats, q) == 0:
        q += 1
    return min(q, seats)


def room(hand: list[int], sizes: int, seats: int, q: int) -> int:
    """Return how many cards a hand still gets; none, where there is no such seat."""
    return (sizes >> (8 * q) & 255) - count(hand[q]) if q < seats else 0


def give(hand: list[int], q: int, n: int, those: int, rng: list[int]) -> int:
    """Give ``n`` random cards of a set to a seat; return them."""
    given = 0
    for _ in range(n):
        given |= 1 << draw(rng, those & ~given)
    hand[q] |= given
    return given


def divide(in_a: int, in_b: int, in_c: int, ab: int, ac: int, bc: int, anywhere: int, ticket: int) -> int:
    """Return in how many ways cards can be dealt to three hands with this much room, if ``ab`` of them may go to the
    first or the second hand only, and so on.  Or, with a ``ticket`` below that number, the division that holds it: how
    many of ``ab`` and of ``ac`` the first hand gets, and how many of ``bc`` the second, 6 bits each.

    >>> divide(2, 1, 1, 1, 0, 0, 3, -1)  # 4 cards: 12 ways; in 3 of them the third hand would get the card it lacks
    9
    >>> [divide(2, 1, 1, 1, 0, 0, 3, ticket) for ticket in range(9)]
    [0, 0, 0, 1, 1, 1, 1, 1, 1]
    """
    deals = 0
    for x in range(min(ab, in_a) + 1):
        for y in range(min(ac, in_a - x) + 1):
            rest_a = in_a - x - y
            if rest_a > anywhere:
                continue
            ways = choose(ab, x) * choose(ac, y) * choose(anywhere, rest_a)
            for z in range(bc + 1):
                rest_b = in_b - (ab - x) - z
                if 0 <= rest_b <= anywhere - rest_a:
                    deals += ways * choose(bc, z) * choose(anywhere - rest_a, rest_b)
                    if 0 <= ticket < deals:
                        return x | y << 6 | z << 12
    return deals


def choose(n: int, k: int) -> int:
    """The same, looked up."""
    return CHOOSE[(MOST + 1) * n + k]


def far_below(rng: list[int], n: int) -> int:
    """A random number 0 ≤ x < n for large n, up to 2**62; each exactly equally likely.

    >>> rng = [7]
    >>> max(far_below(rng, 10**18) for _ in range(100)) > 9 * 10**17
    True
    """
    usable = (1 << 62) // n * n
    x = usable
    while x >= usable:
        x = below(rng, 1 << 31) << 31 | below(rng, 1 << 31)
    return x % n
