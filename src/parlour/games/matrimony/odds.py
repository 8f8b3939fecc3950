"""The odds of Matrimony: before the cards are dealt, each player's chance of each pool; after that, those of the next
card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from parlour.base.languages import gettext as _
from parlour.base.languages import word
from parlour.engine.odds import Given, OddsRow, OddsTable
from parlour.engine.telling import View, members, restored
from parlour.games.matrimony.chances import chances, in_order, sweep
from parlour.games.matrimony.deal import combinations
from parlour.games.matrimony.position import ACE_OF_DIAMONDS, DOWN, DRAWING, OVER, POOLS, UP, Matrimony
from parlour.rules.vocabulary import count

FACTS: dict[str, str] = {}


def odds(view: View, names: Sequence[str], given: Given) -> list[OddsTable]:
    """Before the deal, return the chances of every player for every pool; between the cards, those of the next card."""
    s: Matrimony = restored(view)
    if s.stage == OVER:
        return []
    return [_next_card(s, names) if s.stage in (UP, DOWN) else _deal(s, view.game.options, names)]


def _deal(s: Matrimony, options: Mapping[str, str], names: Sequence[str]) -> OddsTable:
    """Return each player's chance to win each pool, and all five with the ace of diamonds; and the chance that anybody
    does."""
    n = count(s.seated)
    pools = chances(n, options["cards"], options["pair_rule"], options["best_rule"])
    if s.stage == DRAWING:
        order = [_("eldest"), *(_("number {n}", n=i) for i in range(2, n)), word("dealer")]
    else:
        order = [names[p] for p in in_order(s)]
    rows = [OddsRow(who, (*(pool[i] for pool in pools), sweep())) for i, who in enumerate(order)]
    rows.append(OddsRow(_("anybody"), (*map(Fraction, map(sum, pools)), n * sweep())))
    basis = _(
        "Counted over all deals of the 52 cards (MA-1, MA-25). Cards are shown in this order, and the first to show a "
        "combination wins its pool (MA-31, MA-34 to MA-37); the ace of diamonds face up wins all five and ends the "
        "deal (MA-29, MA-30)."
    )
    return OddsTable(
        _("Who wins which pool in one deal"), (_("player"), *map(word, POOLS), _("all five")), tuple(rows), basis
    )


def _next_card(s: Matrimony, names: Sequence[str]) -> OddsTable:
    """Return the chances of what the next card wins for the player who gets it or turns it up."""
    unseen, hand = members(s.unseen), s.hand[s.at]
    if s.stage == UP:
        rows = [OddsRow(_("all five"), (Fraction(s.unseen >> ACE_OF_DIAMONDS & 1, len(unseen)),))]
        basis = _(
            "Each card that nobody has seen is equally likely (MA-28); the ace of diamonds face up wins everything"
            " (MA-29)."
        )
        title = _("{who} is dealt a card face up, and wins", who=names[s.at])
        return OddsTable(title, (_("wins"), _("chance")), tuple(rows), basis)
    shows = [combinations(hand | 1 << card) & ~combinations(hand) for card in unseen]
    rows = [
        OddsRow(word(pool), (Fraction(sum(found >> k & 1 for found in shows), len(unseen)),))
        for k, pool in enumerate(POOLS[:4])
        if not s.shown >> k & 1
    ]
    rows.append(OddsRow(_("nothing new"), (Fraction(sum(found & ~s.shown == 0 for found in shows), len(unseen)),)))
    basis = _("Each card that nobody has seen is equally likely (MA-28); what was shown before counts no more (MA-38).")
    title = _("{who} turns up a card, and shows", who=names[s.at])
    return OddsTable(title, (_("shows"), _("chance")), tuple(rows), basis)
