"""The odds of Newmarket: where an unseen card lies, and whether you lead again."""

from collections.abc import Sequence

from parlour.engine.odds import Given, OddsTable
from parlour.engine.telling import View, restored
from parlour.games.newmarket.position import DEALT, DECK
from parlour.rules.stops.layout import RUN_OFF
from parlour.rules.stops.odds import before_the_deal, during_play
from parlour.rules.stops.position import ACE_LOW, LEADING, OVER

FACTS: dict[str, str] = {}


def odds(view: View, names: Sequence[str], given: Given) -> list[OddsTable]:
    """Return, before the deal, the chances of where a card will be; later, where the unseen cards are and what each
    lead may bring."""
    s = restored(view)
    if s.stage in (OVER, RUN_OFF):
        return []
    if s.stage != LEADING:
        return before_the_deal(DECK, s.players, DEALT[s.players], "PJ-25, PJ-26")
    return during_play(view, s, names, ACE_LOW)
