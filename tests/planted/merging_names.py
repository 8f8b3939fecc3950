"""Two cards have one name."""

from parlour.games.leduc.rules import *  # noqa: F403
from parlour.games.leduc.rules import THINGS as HONEST_THINGS
from parlour.games.leduc.rules import Leduc
from parlour.rules.vocabulary import one_of

BASE, CAUGHT_BY, SAYS = "leduc", "writers", "the JSON merges"
THINGS = {**HONEST_THINGS, "hand": one_of(("none", "J", "J", "Q", "Q", "K", "K"), per=2, seats=True)}


class Planted(Leduc):
    """As it was."""
