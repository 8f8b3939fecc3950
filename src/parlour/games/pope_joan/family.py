"""Smaller decks of Pope Joan, for study."""

from parlour.engine.families import Member
from parlour.games.pope_joan.invariants import SMALL
from parlour.rules.stops.position import CARD_NAMES

OPTIONS = {"deals": 1, "first_dealer": 0}
DECK = sum(1 << card for card, name in enumerate(CARD_NAMES) if name[0] in "789TJQK")

FAMILY = {
    "6": Member("Six cards, three players", SMALL, OPTIONS),
    "28": Member("28 cards, sevens to kings", {"DECK": DECK, "DEALT": (0, 0, 0, 21, 24, 25, 24, 21, 24) * 3}, OPTIONS),
}
