"""The layout, the house rules and the position of Newmarket; what all games of stops have is in
``parlour.rules.stops``."""

from parlour.rules.stops.layout import FIRST_DEALER, LEFTOVERS, ROUNDS, Layout
from parlour.rules.stops.position import CARD_NAMES, PACK, SHORTFALL
from parlour.rules.vocabulary import *

CARDS = CARD_NAMES
DECK = PACK  # PJ-21
DEALT = (0, 0, 0, 45, 48, 45, 48, 49, 48)  # cards that are dealt, by players (PJ-25, PJ-93)
LAYOUT = (26, 12, 24, 49)  # Ah Kc Qd Js (PJ-91)
WINNERS = sum(1 << c for c in LAYOUT)
POOLS = len(LAYOUT)
LEAST, USUAL_MOST = 4, 20  # totals that may be named (PJ-92)

NAMING, LAYING = 7, 8  # stages in addition to those of all games of stops and RUN_OFF
LEAD, LAY = 0, 52  # the first action of each kind; after LAY the numbers up to ``stake_max``, then the totals


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

    pool: list[int] = numbers(POOLS, "i4")  # counters on each card of the layout
    total: int = number()  # that the dealer has named, 0 before
    left: int = number("i4")  # what the player still has to lay
    at: int = number("i1")  # on which card counters are laid now


SPREAD, SARATOGA = values_of(Newmarket, "stakes")  # any other value: that many on each card
DEALER_LAST, DEALER_FIRST = values_of(Newmarket, "dealer_lays")
LOWEST, ANY = values_of(Newmarket, "lead_rule")


def most_total(s: Newmarket) -> int:
    """Return the most that the dealer may name: what the poorest player has, but at least the minimum (PJ-92)."""
    most = s.stake_max
    for p in range(s.players):
        most = min(most, s.coins[p])
    return max(LEAST, most)


def totals(s: Newmarket) -> int:
    """The action that would name nothing; add the total to it."""
    return LAY + s.stake_max + 1 - LEAST
