"""The cards, the house rules and the position of Commit; those shared by all games of stops are in
``parlour.rules.stops``."""

from parlour.rules.stops.position import (
    ACES,
    CARD_NAMES,
    EIGHT_OF_DIAMONDS,
    KINGS,
    NINE_OF_DIAMONDS,
    PACK,
    SHORTFALL,
    TEN_OF_DIAMONDS,
    Stops,
)
from parlour.rules.vocabulary import *

CARDS = CARD_NAMES
COMET, TEN = NINE_OF_DIAMONDS, TEN_OF_DIAMONDS
# cards that earn counters whenever they are played, and cost some if they are left in a hand
BONUS = KINGS | 1 << COMET
PAID = BONUS | ACES  # cards that earn counters when they are led

DECK = PACK & ~(1 << EIGHT_OF_DIAMONDS)  # CO-1
LEFT_OVER = 3  # at least this many cards are not dealt (CO-10)

ASKING, CHOOSING = 7, 8  # stages besides those of every game of stops
LEAD, PLAY_COMET, PASS, TAKE = 0, 52, 53, 54  # the first action of each kind

DRAW = 255  # the value of first_dealer=draw


class Commit(Stops):
    pool_stake: int = amount_option(1, 1, 1000, clauses="CO-8", kind="i4")
    start_counters: int = amount_option(100, 0, 1000, clauses="CO-54", kind="i4")
    first_dealer: int = seat_option("draw", clauses="CO-6", draw=DRAW)
    deal_table: int = choice("three_stops", "literal", clauses="CO-10")
    comet_self: int = switch("no", clauses="CO-33")
    king_penalty: int = choice("all_others", "winner", clauses="CO-49 CO-50 CO-51")
    shortfall: int = SHORTFALL.under("CO-57")
    rounds: int = amount_option(2, 1, 31, clauses="CO-55")

    pool: int = number("i4")
    wanted: int = number("i1")  # the card that is asked for
    asked: int = number("i2")  # set: the one player with a choice that nobody else may notice, or empty
    drawing: int = number("i2")  # set of the players who draw for the first deal


THREE_STOPS, LITERAL = values_of(Commit, "deal_table")
TO_ALL, TO_WINNER = values_of(Commit, "king_penalty")


def cards_each(players: int, table: int) -> int:
    """Return the number of cards for each player: as many as leave some over; or as many as go round, but nine for five
    players (CO-10)."""
    most = (count(DECK) - (LEFT_OVER if table == THREE_STOPS else 0)) // max(1, players)
    return min(most, 9) if players == 5 else most


# cards for each player, at 10 * table + number of players
EACH = tuple(cards_each(n, table) for table in (THREE_STOPS, LITERAL) for n in range(10))


def each(s: Commit) -> int:
    """Return the number of cards that every player gets (CO-10)."""
    return EACH[10 * s.deal_table + s.players]
