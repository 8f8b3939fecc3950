"""Dealing in every game of stops, the end of a deal, and payments.

These are plain rule functions, compiled with the game's own.  Clause ids (CO-n) refer to ``book.md`` beside this file.
"""

from parlour.rules.matchplay import everybody_sits, gains, open_accounts, pay, remember
from parlour.rules.stops.position import CAP, LEADING, PACK, Stops, clockwise, left_of
from parlour.rules.vocabulary import Listener, count, note

# ------------------------------------------------------------------------------------------ the deal


def sit_down(s: Stops, counters: int) -> None:
    """Give everybody this many counters."""
    everybody_sits(s)
    open_accounts(s.coins, s.before, counters, s.players)


def gather(s: Stops, pack: int, stage: int) -> None:
    """Put all cards of the pack into the stock, to be dealt or drawn in this stage."""
    s.stock = pack
    s.out = PACK & ~pack
    s.gone = s.run = s.dealt = 0
    s.card = -1
    for p in range(s.players):
        s.hand[p] = s.played[p] = s.lacks[p] = 0
    s.player = left_of(s, s.dealer)
    s.stage = stage


def give(s: Stops, c: int) -> None:
    """Deal a card, face down, to the next player."""
    s.stock ^= 1 << c
    s.hand[s.player] |= 1 << c
    s.dealt += 1
    s.player = left_of(s, s.player)


def give_open(s: Stops, c: int) -> None:
    """Deal a card, face up, to the next player: to find the first dealer, or in the run-off of a layout."""
    s.stock ^= 1 << c
    s.gone |= 1 << c
    s.played[s.player] |= 1 << c
    s.player = left_of(s, s.player)


def eldest_leads(s: Stops, to: Listener) -> None:
    """Give the eldest hand the lead: the cards are dealt, and the play begins (CO-13)."""
    p = left_of(s, s.dealer)
    note(to, "CO-13", "eldest", p)
    take_lead(s, p)


def take_lead(s: Stops, p: int) -> None:
    """Give a player the lead (CO-13, CO-19 to CO-22)."""
    s.player = p
    s.stage = LEADING


# ------------------------------------------------------------------------------------------ the end of a deal


def show_hands(s: Stops, to: Listener) -> None:
    """Show all other hands once a player is out (CO-27, CO-28)."""
    note(to, "CO-27", "out", s.player)
    for i in range(1, s.players):
        p = clockwise(s, s.player, i)
        note(to, "CO-28", "shows", p, count(s.hand[p]), s.hand[p])


def next_dealer(s: Stops) -> None:
    """Pass the deal to the left once a deal is settled."""
    remember(s.coins, s.before, s.players)
    s.dealer = left_of(s, s.dealer)


def deal_gains(s: Stops, out: list[float]) -> None:
    """Write into ``out`` the counters won or lost since the previous deal was settled."""
    gains(s.coins, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ accounts


def collect(s: Stops, p: int, each: int) -> int:
    """Have every other player pay ``each`` to ``p``, clockwise from ``p``'s left; return the sum."""
    total = 0
    for i in range(1, s.players):
        total += pay_to(s, clockwise(s, p, i), p, each)
    return total


def spend(s: Stops, p: int, counters: int) -> int:
    """Take this many counters from player ``p``, on credit, or with ``shortfall=cap`` no more than they have; return
    how many were taken."""
    return pay(s.coins, p, counters, s.shortfall == CAP)


def pay_to(s: Stops, p: int, q: int, counters: int) -> int:
    """Have player ``p`` pay this many counters to player ``q``."""
    paid = spend(s, p, counters)
    s.coins[q] += paid
    return paid
