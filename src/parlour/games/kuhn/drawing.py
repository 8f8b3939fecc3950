"""The drawing of the table of Kuhn poker: two cards and the chips paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import counted
from parlour.base.languages import gettext as _
from parlour.core.drawing import Now, cards_in_a_row

if TYPE_CHECKING:
    from rich.console import RenderableType

    from parlour.engine.telling import View


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """Each player's card with their chips."""
    seen = view.observation()
    hands = seen.get("hand", [None, None])
    return cards_in_a_row([(names[p], hands[p], counted(seen["paid"][p], "chip")) for p in range(2)])


def now(view: View, legal: Sequence[str]) -> Now:
    """Words that say whether there has been a bet."""
    seen = view.observation()
    if max(seen["paid"]) > 1:
        return Now(_("Bet or pass."), _("A bet calls for 1 more; a pass gives up the pot."))
    return Now(_("Bet or pass."), _("Nobody has bet yet."))


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The same in a sentence for each player."""
    seen = view.observation()
    hands = seen.get("hand", [None, None])
    return [
        _(
            "{name}: card {card}, {chips} in the pot.",
            name=names[p],
            card=hands[p] or _("not shown"),
            chips=counted(seen["paid"][p], "chip"),
        )
        for p in range(2)
    ]


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Chips won and lost, and why."""
    seen = view.observation()
    if seen["stage"] == "folded":
        why = [_("the other player folded") if points > 0 else _("folded") for points in returns]
    else:
        why = [_("showed {card}", card=card) for card in seen["hand"]]
    chips = [counted(abs(int(points)), "chip") for points in returns]
    brought = [
        _("won {chips}", chips=n) if points > 0 else _("lost {chips}", chips=n)
        for n, points in zip(chips, returns, strict=True)
    ]
    return [f"{name}: {reason}; {what}." for name, reason, what in zip(names, why, brought, strict=True)]
