"""The table of Commit: the pool, the players, the sequence, the four suits and the viewer's hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.base.languages import counted
from parlour.base.languages import gettext as _
from parlour.core.drawing import Now, sign, tidy
from parlour.core.drawing import short as card
from parlour.rules.stops import drawing as stops
from parlour.rules.stops.drawing import deal_of, result, seen_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from parlour.core.drawing import Happening
    from parlour.engine.telling import View

__all__ = ["board", "caption", "card", "lines", "now", "picture", "result"]

PRIZES = ("9d", "Kc", "Kd", "Kh", "Ks")  # cards that earn counters whenever they are played


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """The counters that a choice wins at once."""
    verb, _space, name = action.partition(" ")
    if gain := _brings(view, "9d" if verb == "comet" else name if verb == "lead" else ""):
        return _("brings {n}", n=gain)
    return _("no {card}", card=view.observation()["wanted"]) if verb == "pass" else ""


def _brings(view: View, name: str) -> int:
    """Return what a card brings when it is led."""
    each = view.game.players - 1
    return 2 * each if name == "9d" else each if name[:1] in ("A", "K") else 0


def board(view: View, told: Sequence[Happening]) -> dict[str, Any]:
    """Return what the page shows in addition to the view: the cards that earn counters, and what is known of each."""
    seen = seen_of(view)
    drawn = seen["stage"] == "drawing"
    whose = {} if drawn else {c: p for p, cards in enumerate(seen["played"]) for c in cards or ()}
    own, lost = stops.mine(view, seen), stops.nowhere(view, seen)
    left = {c: p for p, hand in enumerate(seen["hand"]) for c in hand or ()} if seen["stage"] == "over" else {}
    prizes = [
        {"card": c, "played": whose.get(c), "left": left.get(c), "mine": c in own, "nobody": c in lost} for c in PRIZES
    ]
    return {**stops.board(view, told, lambda c: [gain] if (gain := _brings(view, c)) else []), "prizes": prizes}


def now(view: View, legal: Sequence[str]) -> Now:
    """The cards that may be led, or the choice that nobody else may notice."""
    if "comet" in legal:
        wanted = sign(view.observation()["wanted"])
        return Now(_("Play the comet, or keep it."), _("It takes the place of the {card}.", card=wanted))
    if legal[0].startswith("take"):
        one, other = (sign(name.partition(" ")[2]) for name in legal[:2])
        return Now(
            _("You could continue both ways."),
            _("With the {card} or the {other}.", card=one, other=other),
            _("Only you are asked; no answer in time means the {card}.", card=sign(view.observation()["wanted"])),
        )
    return stops.lead_now(view, legal, lambda name: _brings(view, name))


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences, in the order of interest."""
    seen = seen_of(view)
    return [f"{_title(view, seen)}.", *stops.lines(view, names, seen, seen.get("wanted", ""))]


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """The pool, a line for each player, the sequence, the suits and the hand."""
    from rich.console import Group
    from rich.text import Text

    seen = seen_of(view)
    table = [Text(f"  {_title(view, seen)}", "dim"), *stops.seats(names, seen)]
    table += stops.suits(view, seen, width) + stops.sequence(seen, width, seen.get("wanted", ""))
    table += stops.hands(names, seen, view, width)
    return Group(*tidy(table))


def _title(view: View, seen: dict[str, Any]) -> str:
    parts = [_("Deal {deal}", deal=deal_of(view, seen)), _("pool {n}", n=seen["pool"])]
    if seen["stage"] not in ("drawing", "dealing"):
        left_over = 52 - len(seen["out"]) - seen["dealt"]
        parts.append(_("{cards} left over", cards=counted(left_over, "card")))
    return ", ".join(parts)
