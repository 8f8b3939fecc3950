"""Rules that matches share: several deals in one record, seats that become empty, a deal that passes from player to
player, pots that carry over.

A game of several deals derives its position from :class:`Deals`, or from :class:`Match` if seats can become empty, and
has ``actor`` return ``DEAL_OVER`` when a deal is settled and another follows; the engine then calls its ``next_deal(s,
to)`` in the same step.  Search and solvers stop there and take the deal's value from ``deal_returns(s, out)``.

The functions are plain rule functions, compiled with the game's own.  Sets of seats are integers, one bit a seat; an
``account`` is a field of a signed kind with the coins (counters, points) of each seat.

>>> class s:  # a match of Ann, Ben and Cleo, as rules see it
...     players, deal, deals, seated, coins, before = 3, 0, 2, 0, [0, 0, 0], [0, 0, 0]
>>> everybody_sits(s); open_accounts(s.coins, s.before, 20, s.players)
>>> leave_table(s, 1); is_seated(s, 1), next_seated(s, 0)
(False, 2)
>>> remember(s.coins, s.before, s.players)  # the first deal begins …
>>> pot = pay(s.coins, 2, 5, capped=True)
>>> give_each(s.coins, 0b001, 4); odd_coins(s.coins, s.seated, s.players, 2, 1)
>>> out = [0.0] * 3
>>> gains(s.coins, s.before, s.players, out); out
[5.0, 0.0, -5.0]
>>> beyond(s.coins, 20, s.players, out); out
[5.0, 0.0, -5.0]
>>> s.deal += 1; deals_over(s, 0), deals_over(s, 1)  # … and is over
(False, True)
"""

from collections.abc import Sequence
from typing import Protocol

from parlour.rules.vocabulary import Position, amount_option, count, lowest, number

__all__ = [
    "CutShort",
    "Deals",
    "Match",
    "after",
    "at_least",
    "before",
    "below_average",
    "beyond",
    "deals_over",
    "everybody_sits",
    "gains",
    "give_each",
    "is_before_last",
    "is_seated",
    "leave_table",
    "most",
    "next_seated",
    "odd_coins",
    "open_accounts",
    "pay",
    "place",
    "remember",
    "share_out",
]


class Deals(Position):
    """Fields that every game of several deals has.

    ``deal``: the number of deals finished; the rules increase it as soon as a deal is settled.  ``dealer``: the dealer
    of the deal under way or, once it is settled, of that deal.

    >>> from parlour.rules.vocabulary import fields_of
    >>> list(fields_of(Deals))
    ['players', 'deal', 'dealer']
    """

    deal: int = number("i2")
    dealer: int = number()


class CutShort(Protocol):
    """A match that an option ``deals`` may cut short.

    >>> class Two:
    ...     deal, deals = 1, 2
    >>> deals_over(Two, 0)
    False
    """

    deal: int
    deals: int


class Match(Deals):
    """Fields and options of a match from which players may drop out, or which may be cut short.

    ``deals``: the match ends after this many deals (0, ``all``: when its rules end it); ``deals=1`` is a single deal.
    ``seated``: the set of the seats still at the table.

    >>> from parlour.rules.vocabulary import options_of
    >>> options_of(Match)["deals"].words
    {'all': 0}
    """

    deals: int = amount_option("all", 1, 255, all=0)

    seated: int = number("i4")


# ------------------------------------------------------------------------------------------ seats


def everybody_sits(s: Match) -> None:
    """Seat everybody; call it in ``begin``."""
    s.seated = (1 << s.players) - 1


def is_seated(s: Match, p: int) -> bool:
    """Whether ``p`` is still at the table."""
    return bool((s.seated >> p) & 1)


def leave_table(s: Match, p: int) -> None:
    """Empty the seat of ``p`` for the rest of the match."""
    s.seated &= ~(1 << p)


def after(members: int, p: int) -> int:
    """Return the next member clockwise after seat ``p``; ``p`` itself comes last.  The set must not be empty.

    >>> after(0b10110, 2), after(0b10110, 4), after(0b00100, 2)
    (4, 1, 2)
    """
    beyond = members >> (p + 1)
    return p + 1 + lowest(beyond) if beyond else lowest(members)


def is_before_last(members: int, p: int) -> bool:
    """Whether another member of the set has a higher seat than ``p``.

    >>> is_before_last(0b10110, 2), is_before_last(0b10110, 4)
    (True, False)
    """
    return members >> (p + 1) != 0


def before(members: int, p: int) -> int:
    """Return the next member counter-clockwise; ``p`` itself comes last.

    >>> before(0b10110, 2), before(0b10110, 1), before(0b00100, 2)
    (1, 4, 2)
    """
    short = members & ((1 << p) - 1)
    left = short if short else members
    while left & (left - 1):  # drop the lowest member until only the highest is left
        left &= left - 1
    return lowest(left)


def next_seated(s: Match, p: int) -> int:
    """Return the next seat clockwise that is still taken."""
    return after(s.seated, p)


# ------------------------------------------------------------------------------------------ the end


def deals_over(s: CutShort, by_rules: int) -> bool:
    """Whether the deal just finished (counted in ``s.deal``) was the last.  ``by_rules`` is the number of deals that
    the rules of the match prescribe (0: no fixed number).
    """
    return (s.deals != 0 and s.deal >= s.deals) or (by_rules != 0 and s.deal >= by_rules)


def most(values: list[int], members: int) -> int:
    """Return the members of the set, which must not be empty, with the highest value.

    >>> bin(most([3, 7, 7, 9], 0b0111))
    '0b110'
    """
    best = values[lowest(members)]
    found = 0
    while members:
        p = lowest(members)
        members &= members - 1
        if values[p] > best:
            best = values[p]
            found = 0
        found |= (values[p] == best) << p
    return found


def at_least(values: list[int], members: int, least: int) -> int:
    """Return the members of the set whose value is not below ``least``.

    >>> bin(at_least([3, 7, 7, 9], 0b0111, 7))
    '0b110'
    """
    found = 0
    left = members
    while left:
        p = lowest(left)
        left &= left - 1
        found |= (values[p] >= least) << p
    return found


def place(values: list[int], members: int, p: int) -> int:
    """Return the place of ``p``, from 1, when the set is ranked by value; equal values share a place.

    >>> [place([3, 7, 7, 9], 0b1111, p) for p in range(4)]
    [4, 2, 2, 1]
    """
    ahead = 0
    while members:
        ahead += values[lowest(members)] > values[p]
        members &= members - 1
    return 1 + ahead


# ------------------------------------------------------------------------------------------ accounts


def open_accounts(account: list[int], earlier: list[int], coins: int, players: int) -> None:
    """Give everybody the coins with which a match begins, in the account and in its earlier copy."""
    for p in range(players):
        account[p] = earlier[p] = coins


def remember(account: list[int], earlier: list[int], players: int) -> None:
    """Copy an account at the beginning of a deal, for :func:`gains` and for display."""
    for p in range(players):
        earlier[p] = account[p]


def gains(account: list[int], earlier: list[int], players: int, out: list[float]) -> None:
    """Write into ``out`` how many coins each player has won or lost since ``earlier``, a copy of the account:
    ``deal_returns`` where coins count.
    """
    for p in range(players):
        out[p] = float(account[p] - earlier[p])


def beyond(account: list[int], coins: int, players: int, out: list[float]) -> None:
    """Write into ``out`` how many coins each player has gained since the match began with ``coins`` each: ``returns``
    where coins count."""
    for p in range(players):
        out[p] = float(account[p] - coins)


def below_average(account: Sequence[float], players: int, out: list[float]) -> None:
    """Write into ``out`` how many points each player is below the average of all: ``returns`` where points are bad.
    ``account``: how many points each player has.

    >>> out = [0.0] * 4
    >>> below_average([0, 26, 26, 26], 4, out); out
    [19.5, -6.5, -6.5, -6.5]
    """
    together: float = 0
    for p in range(players):
        together += account[p]
    for p in range(players):
        out[p] = together / players - account[p]


def pay(account: list[int], p: int, coins: int, capped: bool) -> int:
    """Take coins from ``p``: the full amount, even on credit, or if ``capped`` no more than they have.  Return how many
    were taken.

    >>> account = [5, 3]
    >>> pay(account, 0, 7, True), pay(account, 1, 7, False), account
    (5, 7, [0, -4])
    """
    paid = max(0, min(coins, account[p])) if capped else coins
    account[p] -= paid
    return paid


def give_each(account: list[int], members: int, coins: int) -> None:
    """Give this many coins to every seat in the set."""
    while members:
        account[lowest(members)] += coins
        members &= members - 1


def share_out(account: list[int], members: int, coins: int) -> int:
    """Divide coins equally among the set, which must not be empty; return the remainder.

    >>> account = [0, 5, 0]
    >>> share_out(account, 0b110, 7), account
    (1, [0, 8, 3])
    """
    each = coins // count(members)
    give_each(account, members, each)
    return coins - each * count(members)


def odd_coins(account: list[int], members: int, players: int, seat: int, coins: int) -> None:
    """Give one odd coin each to members of the set, clockwise, beginning with the first after ``seat``."""
    q = seat
    for _ in range(coins):
        q = after(members, q)
        account[q] += 1
