"""Six cards of a French pack: the first of each rank is a spade, the second a heart."""

from parlour.core import french

SHOWCASE = (("(back)", "K1", "Q2"),)  # a typical moment of the game, as rows of cards

SUITS = {"1": "S", "2": "H"}


def face(name: str, four_colours: bool = False) -> str:
    """A card as a picture."""
    return french.face(name[0], SUITS[name[1]], four_colours)


def title(name: str) -> str:
    """A card in words."""
    return french.title(name[0], SUITS[name[1]])
