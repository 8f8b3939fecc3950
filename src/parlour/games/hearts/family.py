"""Smaller decks of Hearts, for study."""

from parlour.engine.families import Member
from parlour.games.hearts.invariants import SMALL
from parlour.games.hearts.rules import CARDS

LOW = CARDS.index("9c")

FAMILY = {
    "6": Member("Six cards, three players", {**SMALL, "ALL_POINTS": 14}, {"deals": 1}),
    "24": Member(
        "24 cards, from the nines up; two are passed",
        {"DECK": (1 << 52) - (1 << LOW), "HAND": 6, "PASSED": 2, "LOW_CLUB": LOW, "ALL_POINTS": 19},
        {"deals": 1},
    ),
}
