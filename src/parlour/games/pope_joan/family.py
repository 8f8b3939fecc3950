"""Smaller decks of Pope Joan, for study."""

from parlour.engine.families import Member
from parlour.rules.stops.position import CARD_NAMES

OPTIONS = {"deals": 1, "first_dealer": 0}
TEN = ("6d", "7d", "9d", "Td", "Jc", "Qc", "Qs", "Ks", "Qh", "Kh")
"""A card for each pool, and stops between them; with hands of three, whoever ends a run has cards to choose from."""
DECK = sum(1 << card for card, name in enumerate(CARD_NAMES) if name[0] in "789TJQK")

FAMILY = {
    "10": Member(
        "Ten cards, three players",
        {"DECK": sum(1 << CARD_NAMES.index(c) for c in TEN), "DEALT": (9,) * 27, "PLAYERS": range(3, 4)},
        OPTIONS,
    ),
    "28": Member("28 cards, sevens to kings", {"DECK": DECK, "DEALT": (0, 0, 0, 21, 24, 25, 24, 21, 24) * 3}, OPTIONS),
}
