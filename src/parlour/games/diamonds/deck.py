"""The French pack with two jokers, the suit first."""

from parlour.core import french

# a typical moment of the game, as rows of cards
SHOWCASE = (("SQ", "CA", "SJ"), ("S10", "", "H10"), ("S4", "S6", "(back)"))


def face(name: str, four_colours: bool = False) -> str:
    """A card as a picture."""
    return french.joker(name == "X1") if name[0] == "X" else french.face(name[1:], name[0], four_colours)


def title(name: str) -> str:
    """A card in words."""
    return french.joker_title(name == "X1") if name[0] == "X" else french.title(name[1:], name[0])
