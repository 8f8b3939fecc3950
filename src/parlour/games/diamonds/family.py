"""Smaller decks of Diamonds, for study: two rocks and a spade of each of the lowest ranks, three diamonds of which two
win, and no jokers."""

from parlour.engine.families import Member
from parlour.games.diamonds.position import CLUBS, DIAMONDS, HEARTS, SPADES


def _smaller(ranks: int, piles: int, value: float) -> Member:
    cards = 3 * ranks + 3
    deck = sum(((1 << ranks) - 1) << suit for suit in (CLUBS, HEARTS, SPADES)) | 7 << DIAMONDS
    constants = {"DECK": deck, "PILES": piles, "DEPTH": cards // piles, "NEEDED": (2, 2), "PLAYERS": range(2, 3)}
    page = "docs/results/diamonds.md"
    return Member(f"{cards} cards in {piles} piles", constants, {"first_dealer": 0}, (value, value), source=page)


FAMILY = {
    "9": _smaller(2, 3, 0.25952),
    "12": _smaller(3, 3, 0.17056),
    "12x4": _smaller(3, 4, 0.05008),
    "15": _smaller(4, 5, 0.12990),
}
