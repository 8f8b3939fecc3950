"""Smaller decks of Newmarket, for study."""

from parlour.engine.families import Member
from parlour.games.newmarket.invariants import SMALL
from parlour.rules.stops.position import CARD_NAMES

OPTIONS = {"deals": 1, "first_dealer": 0}
DECK = sum(1 << card for card, name in enumerate(CARD_NAMES) if name[0] in "9TJQKA")

FAMILY = {
    "5": Member("Five cards, three players", SMALL, OPTIONS),
    "24": Member("24 cards, from the nines up", {"DECK": DECK, "DEALT": (0, 0, 0, 21, 20, 20, 18, 21, 16)}, OPTIONS),
}
