"""Smaller decks of Commit, for study."""

from parlour.engine.families import Member
from parlour.rules.stops.position import CARD_NAMES

CARDS = ("5s", "6s", "9d", "Td", "Ah", "Kh", "Qh", "7s", "8s", "Jd")
LEFT_OVER = {6: 2, 7: 1, 8: 2, 9: 1, 10: 2}
VALUES = {
    6: (-3.2333, -3.2327),
    7: (-3.2358, -3.2350),
    8: (-2.7911, -2.7904),
    9: (-2.8417, -2.8408),
    10: (-2.2792, -2.2784),
}
OPTIONS = {"deals": 1, "first_dealer": 0}


def _deck(*cards: str) -> int:
    return sum(1 << CARD_NAMES.index(card) for card in cards)


FAMILY = {
    **{
        str(n): Member(
            f"{n} cards", {"DECK": _deck(*CARDS[:n]), "LEFT_OVER": left, "PLAYERS": range(2, 3)}, OPTIONS, VALUES[n]
        )
        for n, left in LEFT_OVER.items()
    },
    "24": Member(
        "24 cards, from the nines up",
        {"DECK": _deck(*(rank + suit for rank in "9TJQKA" for suit in "cdhs")), "LEFT_OVER": 2, "PLAYERS": range(2, 5)},
        OPTIONS,
    ),
}
