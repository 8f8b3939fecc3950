"""The layout, the house rules and the position of Newmarket; those shared by all games of stops are in
``parlour.rules.stops``."""

from parlour.rules.stops.layout import FIRST_DEALER, LEFTOVERS, ROUNDS, Layout
from parlour.rules.stops.position import CARD_NAMES, PACK, SHORTFALL
from parlour.rules.vocabulary import *

CARDS = CARD_NAMES
DECK = PACK  # PJ-21
DEALT = (0, 0, 0, 45, 48, 45, 48, 49, 48)  # cards dealt, by the number of players (PJ-25, PJ-93)
LAYOUT = (26, 12, 24, 49)  # Ah Kc Qd Js (PJ-91)
WINNERS = sum(1 << c for c in LAYOUT)
POOLS = len(LAYOUT)
LEAST, USUAL_MOST = 4, 20  # totals that may be named (PJ-92)

NAMING, LAYING = 7, 8  # stages besides RUN_OFF and those of every game of stops
LEAD, LAY = 0, 52  # first id of each kind; LAY is followed by numbers up to ``stake_max``, then by totals


class Newmarket(Layout):
    stakes: int = amount_option("spread", 2, 25, clauses="PJ-92 PJ-97", spread=0, saratoga=1)
    stake_max: int = amount_option(USUAL_MOST, LEAST, 100, clauses="PJ-92", when="stakes=spread")
    dealer_lays: int = choice("last", "first", clauses="PJ-92", when="stakes=spread")
    lead_rule: int = choice("lowest", "any", clauses="PJ-94")
    first_dealer: int = FIRST_DEALER
    start_counters: int = amount_option(100, 0, 1000, clauses="PJ-15", kind="i4")
    shortfall: int = SHORTFALL.under("PJ-16")
    rounds: int = ROUNDS
    leftovers: int = LEFTOVERS

    pool: list[int] = numbers(POOLS, "i4")  # number of counters on each card of the layout
    total: int = number()  # the total that the dealer has named; 0 before
    left: int = number("i4")  # number of counters that the player must still lay
    at: int = number("i1")  # the card on which counters are laid now, an index of LAYOUT


SPREAD, SARATOGA = values_of(Newmarket, "stakes")  # any other value is a number of counters for each card
DEALER_LAST, DEALER_FIRST = values_of(Newmarket, "dealer_lays")
LOWEST, ANY = values_of(Newmarket, "lead_rule")


def most_total(s: Newmarket) -> int:
    """Return the highest total that the dealer may name: the counters of the poorest player, but at least the minimum
    (PJ-92)."""
    most = s.stake_max
    for p in range(s.players):
        most = min(most, s.coins[p])
    return max(LEAST, most)


def totals(s: Newmarket) -> int:
    """Return the id of naming a total of 0; add the total to it."""
    return LAY + s.stake_max + 1 - LEAST
