"""How cards are dealt in every game of stops, how a deal ends, and who pays whom.

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
    """All cards of the pack are in the stock, to be dealt or drawn in this stage."""
    s.stock = pack
    s.out = PACK & ~pack
    s.gone = s.run = s.dealt = 0
    s.card = -1
    for p in range(s.players):
        s.hand[p] = s.played[p] = s.lacks[p] = 0
    s.player = left_of(s, s.dealer)
    s.stage = stage


def give(s: Stops, c: int) -> None:
    """The next card of the deal."""
    s.stock ^= 1 << c
    s.hand[s.player] |= 1 << c
    s.dealt += 1
    s.player = left_of(s, s.player)


def give_open(s: Stops, c: int) -> None:
    """The next card where cards are dealt face up, for the first deal or for what is left on a layout."""
    s.stock ^= 1 << c
    s.gone |= 1 << c
    s.played[s.player] |= 1 << c
    s.player = left_of(s, s.player)


def eldest_leads(s: Stops, to: Listener) -> None:
    """The cards are dealt, and the play begins (CO-13)."""
    p = left_of(s, s.dealer)
    note(to, "CO-13", "eldest", p)
    take_lead(s, p)


def take_lead(s: Stops, p: int) -> None:
    """A player has the lead (CO-13, CO-19 to CO-22)."""
    s.player = p
    s.stage = LEADING


# ------------------------------------------------------------------------------------------ the end of a deal


def show_hands(s: Stops, to: Listener) -> None:
    """A player is out, and all other hands are shown (CO-27, CO-28)."""
    note(to, "CO-27", "out", s.player)
    for i in range(1, s.players):
        p = clockwise(s, s.player, i)
        note(to, "CO-28", "shows", p, count(s.hand[p]), s.hand[p])


def next_dealer(s: Stops) -> None:
    """A deal is settled, and the deal passes to the left."""
    remember(s.coins, s.before, s.players)
    s.dealer = left_of(s, s.dealer)


def deal_gains(s: Stops, out: list[float]) -> None:
    """Write the counters won or lost since the deal before was settled."""
    gains(s.coins, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ accounts


def collect(s: Stops, p: int, each: int) -> int:
    """Each other player pays this much to ``p``, clockwise from ``p``'s left; return what ``p`` receives."""
    total = 0
    for i in range(1, s.players):
        total += pay_to(s, clockwise(s, p, i), p, each)
    return total


def spend(s: Stops, p: int, counters: int) -> int:
    """Player ``p`` pays this much, on credit, or with ``shortfall=cap`` only as far as they have it; return what they
    pay."""
    return pay(s.coins, p, counters, s.shortfall == CAP)


def pay_to(s: Stops, p: int, q: int, counters: int) -> int:
    """Player ``p`` pays it to player ``q``."""
    paid = spend(s, p, counters)
    s.coins[q] += paid
    return paid
