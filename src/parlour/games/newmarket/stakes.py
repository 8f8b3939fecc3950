"""The stakes of Newmarket: the dealer names a total, and everybody spreads that many counters over the layout."""

from parlour.games.newmarket.play import start_dealing
from parlour.games.newmarket.position import *
from parlour.rules.pools import put
from parlour.rules.stops.dealing import gather, spend
from parlour.rules.stops.position import CAP, left_of
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ naming a total


def start_deal(s: Newmarket, to: Listener) -> None:
    """Begin a deal: the dealer names a total (PJ-92), unless everybody lays the same (PJ-97)."""
    gather(s, DECK, NAMING)
    s.player = s.dealer
    s.total = 0
    if s.stakes != SPREAD:
        lay_the_same(s, to)
    elif most_total(s) == LEAST:
        lay_total(s, LEAST, to)


def lay_the_same(s: Newmarket, to: Listener) -> None:
    """PJ-97."""
    for p in range(s.players):
        paid = 0
        for k in range(POOLS):
            n = spend(s, p, s.stakes)
            s.pool[k] += n
            paid += n
        if paid:
            note(to, "PJ-97", "stakes", p, paid)
    start_dealing(s, to)


def list_totals(s: Newmarket, me: int, acts: list[int]) -> int:
    """PJ-92."""
    return list_numbers(totals(s) + LEAST, most_total(s) - LEAST, acts)


def list_numbers(first: int, most: int, acts: list[int]) -> int:
    """Write the actions from ``first`` on, up to this many more."""
    for i in range(most + 1):
        acts[i] = first + i
    return most + 1


def name_total(s: Newmarket, me: int, a: int, to: Listener) -> None:
    lay_total(s, a - totals(s), to)


# ------------------------------------------------------------------------------------------ laying it card by card


def lay_total(s: Newmarket, n: int, to: Listener) -> None:
    """Begin to lay the total that was named, one player after another (PJ-92)."""
    note(to, "PJ-92", "names", s.dealer, n)
    s.total = n
    s.stage = LAYING
    s.player = first_to_lay(s)
    s.left = to_lay(s)
    lay_forced(s, to)


def first_to_lay(s: Newmarket) -> int:
    """PJ-92 [dealer_lays]."""
    return s.dealer if s.dealer_lays == DEALER_FIRST else left_of(s, s.dealer)


def to_lay(s: Newmarket) -> int:
    """Return the number of counters that the player has to lay: the total, or all they have if they cannot owe the rest
    (PJ-16)."""
    return min(s.total, max(0, s.coins[s.player])) if s.shortfall == CAP else s.total


def list_stakes(s: Newmarket, me: int, acts: list[int]) -> int:
    """PJ-92."""
    return list_numbers(LAY, s.left, acts)


def lay_stake(s: Newmarket, me: int, a: int, to: Listener) -> None:
    lay(s, a - LAY, to)
    lay_forced(s, to)


def lay_forced(s: Newmarket, to: Listener) -> None:
    """Lay counters without asking: the rest goes on the last card, and if nothing is left, nothing is laid."""
    while (s.stage == LAYING) & ((s.at == POOLS - 1) | (s.left == 0)):
        lay(s, s.left, to)


def lay(s: Newmarket, n: int, to: Listener) -> None:
    """Lay counters on the next card; after the last one it is the next player's turn to lay."""
    if n:
        note(to, "PJ-92", "lays", s.player, n, LAYOUT[s.at])
    put(s.coins, s.player, s.pool, s.at, n)
    s.left -= n
    s.at += 1
    if s.at == POOLS:
        s.at = 0
        s.player = left_of(s, s.player)
        if s.player == first_to_lay(s):
            start_dealing(s, to)
        else:
            s.left = to_lay(s)
