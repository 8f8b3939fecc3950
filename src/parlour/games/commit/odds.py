"""The odds of Commit: where an unseen card lies, and whether you lead again."""

from collections.abc import Sequence

from parlour.base.languages import marked
from parlour.engine.odds import Given, OddsTable
from parlour.engine.telling import View, restored
from parlour.games.commit.hidden import may_hold_wanted
from parlour.games.commit.position import ASKING, DECK, each
from parlour.rules.stops.odds import before_the_deal, during_play
from parlour.rules.stops.position import DEALING, OVER

FACTS: dict[str, str] = {}
COMMENT = marked(
    "You lead again if yours is the last card that can be played, with the comet kept and nobody out (CO-19, CO-20)."
)


def odds(view: View, names: Sequence[str], given: Given) -> list[OddsTable]:
    """Return, before the deal, the chances of where a card will be; later, where the unseen cards are and what each
    lead may bring."""
    s = restored(view)
    if s.stage == OVER:
        return []
    if s.stage <= DEALING:
        return before_the_deal(DECK, s.players, each(s) * s.players, "CO-9, CO-10")
    if s.stage == ASKING:
        places = may_hold_wanted(s, view.player)
        for q in range(s.players):
            s.lacks[q] |= (1 - (places >> q & 1)) << s.wanted
    return during_play(view, s, names, 0, COMMENT)
