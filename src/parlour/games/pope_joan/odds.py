"""The odds of Pope Joan: where an unseen card lies, and whether you lead again."""

from collections.abc import Sequence

from parlour.engine.odds import Given, OddsTable
from parlour.engine.telling import View, restored
from parlour.games.pope_joan.position import CLASSIC, TURNING, deck, high, to_deal
from parlour.rules.stops.layout import RUN_OFF
from parlour.rules.stops.odds import before_the_deal, during_play
from parlour.rules.stops.position import DEALING, OVER

FACTS: dict[str, str] = {}


def odds(view: View, names: Sequence[str], given: Given) -> list[OddsTable]:
    """Return, before the deal, the chances of where a card will be; later, where the unseen cards are and what each
    lead may bring."""
    s = restored(view)
    if s.stage in (OVER, RUN_OFF, TURNING):
        return []
    if s.stage <= DEALING:
        clauses = "PJ-61, PJ-65" if s.version == CLASSIC else "PJ-25, PJ-26"
        return before_the_deal(deck(s), s.players, to_deal(s), clauses)
    return during_play(view, s, names, high(s))
