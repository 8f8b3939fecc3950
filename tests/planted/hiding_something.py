"""It says that it hides nothing."""

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import Kuhn

BASE, CAUGHT_BY, SAYS = "kuhn", "open", "HIDES_NOTHING, but is not told hand"
HIDES_NOTHING = True


class Planted(Kuhn):
    """As it was."""
