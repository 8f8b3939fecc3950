"""Three cards of a French pack, all of one suit; the suit has no meaning."""

from parlour.base.languages import word
from parlour.core import french


def face(name: str, four_colours: bool = False) -> str:
    """A card as a picture."""
    return french.face(name, "S", four_colours)


def title(name: str) -> str:
    """A card in words."""
    return word(french.NUMBERS[french.RANKS.index(name)])
