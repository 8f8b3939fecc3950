"""Exact chances of each player to take each pool in one deal, by counting deals.

Two facts make the counting short.  First, your chance to be first with a combination is the chance that nobody before
you shows it less the chance that nobody up to and including you does.  Second, any card of a hand is equally likely to
lie face up: if the ace of diamonds is in a hand of two, it is face up in half of all cases, whatever else is required
of the hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from math import comb, perm
from typing import NamedTuple

from parlour.games.matrimony.position import Matrimony
from parlour.rules.matchplay import after


class Pack(NamedTuple):
    """The cards: ``ranks`` ranks of ``suits`` suits (four at most), and of the lowest rank, the aces, ``aces`` cards
    only.  The three highest ranks are the Jack, the Queen and the King."""

    ranks: int = 13
    suits: int = 4
    aces: int = 4

    @property
    def cards(self) -> int:
        return (self.ranks - 1) * self.suits + self.aces


FULL = Pack()


@lru_cache(maxsize=256)
def chances(
    players: int, cards: str = "one_down", pair_rule: str = "first", best_rule: str = "carry", pack: Pack = FULL
) -> tuple[tuple[Fraction, ...], ...]:
    """Return the chance of each player to take each pool in one deal, not counting the deals that the ace of diamonds
    ends: a tuple for each pool, in it a chance for each player from the eldest to the dealer.

    ``cards``, ``pair_rule``, ``best_rule``: the options of these names.  A pool counts as taken even if it is empty.

    >>> matrimony, intrigue, confederacy, pair, best = chances(2)
    >>> [round(float(chance), 6) for chance in matrimony]
    [0.011825, 0.011736]
    >>> sum(pair)
    Fraction(2377, 21658)
    """
    size = 2 if cards == "one_down" else 3

    def unswept(whole: Fraction, aceless: Fraction) -> Fraction:
        """Return the chance, with the whole pack, that the event happens and the ace of diamonds does not come face up,
        from the chances of the event with the whole pack and without the ace of diamonds."""
        undealt = 1 - Fraction(size * players, pack.cards)
        return whole * (1 - Fraction(1, size)) + aceless * undealt / size

    def first(without: Callable[[Pack, int, int], list[Fraction]]) -> tuple[Fraction, ...]:
        both = zip(*(without(cards, players, size) for cards in packs), strict=True)
        return tuple(before - now for before, now in pairwise(unswept(*pair) for pair in both))

    packs = pack, pack._replace(aces=pack.aces - 1)
    court, pair = first(without_court), first(without_pair)
    if pair_rule == "highest":
        tied = unswept(*(highest_tied(cards, players, size) for cards in packs))
        pair = tuple((sum(pair) - tied) / players + tied * (players - 1 - i) / comb(players, 2) for i in range(players))
    seen = {"carry": 0, "next_up": players, "next_any": players * size}[best_rule]
    none = Fraction(comb(pack.cards - pack.ranks, seen), comb(pack.cards, seen))
    best = (1 - Fraction(players, pack.cards) - none) / players if seen else Fraction(0)
    return court, court, court, pair, (best,) * players


def sweep(pack: Pack = FULL) -> Fraction:
    """Return the chance of each player to be dealt the ace of diamonds face up, which takes all five pools.

    >>> sweep()
    Fraction(1, 52)
    """
    return Fraction(1, pack.cards)


def _share(deals: int, pack: Pack, cards: int) -> Fraction:
    """Return a number of deals as a share of all deals of this many cards; 0 if the pack has too few."""
    return Fraction(deals, max(1, perm(pack.cards, cards)))


def without_court(pack: Pack, hands: int, size: int) -> list[Fraction]:
    """For 0, 1, 2 … ``hands`` hands, return the chance that none of them has both a King and a Queen (or any two given
    ranks above the ace): the hands are dealt one by one, keeping count of the Kings and Queens left."""
    ways, left, deals, chances = Counter({(pack.suits, pack.suits): 1}), pack.cards, 1, []
    for _ in range(hands + 1):
        chances.append(Fraction(sum(ways.values()), max(1, deals)))
        before, ways = ways, Counter()
        for (kings, queens), n in before.items():
            for k, q in product(range(min(size, kings) + 1), range(min(size, queens) + 1)):
                if not (k and q):
                    others = comb(left - kings - queens, size - k - q)
                    ways[kings - k, queens - q] += n * comb(kings, k) * comb(queens, q) * others
        ways = +ways  # drop the counts of 0
        deals *= comb(max(0, left), size)
        left -= size
    return chances


Room = tuple[int, ...]
"""Count how many places have room for no card, for one card, for two …"""


def _spread(ways: Counter[Room], cards: int, least: int) -> Counter[Room]:
    """Count the ways to lay cards (all, or a part of at least ``least``) in places with room for them, at most one in
    each, by the room that is left."""
    laid = Counter({(room, 0): n for room, n in ways.items()})
    for free in range(1, max(map(len, ways), default=0)):
        before, laid = laid, Counter()
        for (room, k), n in before.items():
            for more in range(min(room[free], cards - k) + 1):
                filled = (*room[: free - 1], room[free - 1] + more, room[free] - more, *room[free + 1 :])
                laid[filled, k + more] += n * comb(room[free], more) * free**more
    after: Counter[Room] = Counter()
    for (room, k), n in laid.items():
        if k >= least:
            after[room] += n * perm(cards, k)
    return after


def without_pair(pack: Pack, hands: int, size: int) -> list[Fraction]:
    """For 0, 1, 2 … ``hands`` hands, return the chance that none of them has a pair: each takes its cards from
    different ranks, and a rank has room for as many as it has cards."""
    room = [0] * (pack.suits + 1)
    room[pack.suits] += pack.ranks - 1
    room[pack.aces] += 1
    ways, chances = Counter({tuple(room): 1}), []
    for n in range(hands + 1):
        chances.append(_share(sum(ways.values()), pack, n * size))
        ways = _spread(ways, size, size)
    return chances


def highest_tied(pack: Pack, hands: int, size: int) -> Fraction:
    """Return the chance that two of these hands have the same highest pair: all four cards of that rank.  The ranks are
    dealt one by one from the Kings down, each at most one card to a hand, until one is dealt two and two."""
    ways, left, deals = Counter({(0,) * size + (hands,): 1}), pack.cards, 0
    for copies in (*[pack.suits] * (pack.ranks - 1), pack.aces):
        left -= copies
        for room, n in ways.items() if copies == 4 else ():
            cards = sum(free * k for free, k in enumerate(room)) - 4
            for a in range(2, size + 1):
                for b in range(a, size + 1):
                    two = comb(room[a], 2) if a == b else room[a] * room[b]
                    if two:
                        deals += n * two * comb(a, 2) * comb(b, 2) * perm(4) * perm(left, cards)
        ways = _spread(ways, copies, 0)
    return _share(deals, pack, hands * size)


def in_order(s: Matrimony) -> list[int]:
    """Return the players dealt in, in the order in which they get and show their cards: the eldest first, the dealer
    last."""
    order = [after(s.dealt, s.dealer)]
    while order[-1] != s.dealer:
        order.append(after(s.dealt, order[-1]))
    return order
