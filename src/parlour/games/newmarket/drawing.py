"""The table of Newmarket: the four cards of the layout, players, sequence, the four suits, the hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parlour.base.languages import counted
from parlour.base.languages import gettext as _
from parlour.core.drawing import Now, shortened, sign, style, tidy
from parlour.core.drawing import short as card
from parlour.games.newmarket.position import LAYOUT
from parlour.rules.stops import drawing as stops
from parlour.rules.stops.drawing import deal_of, in_run_off, result, seen_of, spelt
from parlour.rules.stops.position import CARD_NAMES

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.core.drawing import Happening
    from parlour.engine.telling import View

__all__ = ["board", "caption", "card", "lines", "now", "picture", "result"]

NAMES = [CARD_NAMES[c] for c in LAYOUT]
CELL = 14  # width of a card of the layout, in columns


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """Return the counters on the card that would be led, where laid counters go, or the total that is named."""
    seen = seen_of(view)
    if action.startswith("take"):
        return _("from everybody")
    if action.startswith("lay") and seen["stage"] == "laying":
        return _("on {card}", card=sign(seen["at"]))
    pool = dict(zip(NAMES, seen["pool"], strict=True)).get(action.partition(" ")[2])
    return _("takes {n}", n=pool) if pool else ""


def board(view: View, told: Sequence[Happening]) -> dict[str, Any]:
    """Return what its page shows in addition to the view: the cards of the layout, and the players who have taken their
    counters."""
    seen = seen_of(view)
    lost, taken = stops.nowhere(view, seen), stops.taken(told)
    pools = [
        {"card": name, "counters": n, "taken": taken.get(c, []), "nobody": name in lost}
        for c, name, n in zip(LAYOUT, NAMES, seen["pool"], strict=True)
    ]
    laid = dict(zip(NAMES, seen["pool"], strict=True))
    return {**stops.board(view, told, lambda c: [laid[c]] if laid.get(c) else []), "pools": pools}


def now(view: View, legal: Sequence[str]) -> Now:
    """The cards that may be led, or the numbers of counters that may be named or laid."""
    seen, amounts = seen_of(view), [int(name.split()[1]) for name in legal if name.split()[1].isdecimal()]
    if legal[0].startswith("take"):
        low, high = min(amounts), max(amounts)
        return Now(_("Name the stake."), _("{low} to {high} counters, from everybody.", low=low, high=high))
    if legal[0].startswith("lay"):
        head = _("Lay counters on the {card}.", card=sign(seen["at"]))
        return Now(head, _("Up to {n}; the rest goes on the cards after it.", n=max(amounts)))
    pools = dict(zip(NAMES, seen["pool"], strict=True))
    return stops.lead_now(view, legal, lambda name: pools.get(name, 0))


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences, in the order of interest."""
    seen = seen_of(view)
    layout = "; ".join(f"{spelt([c])}, {counted(n, 'counter')}" for c, n in zip(NAMES, seen["pool"], strict=True))
    out = [f"{_title(view, seen)}.", _("Layout: {layout}.", layout=layout)]
    if seen["stage"] in ("naming", "laying"):
        out.append(f"{_staking(seen, names[seen['player']], spelt)}.")
    return out + stops.lines(view, names, seen)


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """The layout, a line for each player, the suits, the sequence and the hand."""
    from rich.console import Group
    from rich.text import Text

    seen = seen_of(view)
    table = [Text(f"  {_title(view, seen)}", "dim"), *_layout(seen)]
    if seen["stage"] in ("naming", "laying"):
        said = _staking(seen, shortened(names[seen["player"]]), lambda found: sign(*found))
        table.append(Text.assemble(("▸ ", "yellow"), said))
    table += stops.seats(names, seen)
    if seen["dealt"] or seen["stage"] == "run-off":
        table += stops.suits(view, seen, width)
    table += stops.sequence(seen, width) + stops.hands(names, seen, view, width)
    return Group(*tidy(table))


def _title(view: View, seen: dict[str, Any]) -> str:
    if in_run_off(view, seen):
        return _("Run-off")
    parts = [_("Deal {deal}", deal=deal_of(view, seen))]
    if seen["total"]:
        parts.append(_("stake {n}", n=seen["total"]))
    if seen["dealt"] and seen["stage"] != "dealing":
        parts.append(_("{cards} in the stock", cards=counted(52 - len(seen["out"]) - seen["dealt"], "card")))
    return ", ".join(parts)


def _staking(seen: dict[str, Any], name: str, written: Callable[[list[str]], str]) -> str:
    is_me = name == _("You")
    if seen["stage"] == "naming":
        return _("You name what everybody stakes") if is_me else _("{name} names what everybody stakes", name=name)
    values = {"card": written([seen["at"]]), "counters": counted(seen["left"], "counter")}
    if is_me:
        return _("You lay on {card} and have {counters} left to lay", **values)
    return _("{name} lays on {card} and has {counters} left to lay", name=name, **values)


def _layout(seen: dict[str, Any]) -> list[Text]:
    """The four cards side by side, with their counters; the one on which counters are laid now is marked."""
    from rich.text import Text

    rows = [Text("  "), Text("  "), Text("  ")]
    for name, n in zip(NAMES, seen["pool"], strict=True):
        now = seen["stage"] == "laying" and seen["at"] == name
        edge = "yellow" if now else "" if n else "dim"
        rows[0].append(f"╭{'─' * (CELL - 3)}╮ ", edge)
        rows[1].append("│ ", edge).append(f"{sign(name):<3}", style(name))
        rows[1].append(f"{n or '–'}".rjust(CELL - 9), "bold" if n else "dim").append("  │ ", edge)
        rows[2].append(f"╰{'─' * (CELL - 3)}╯ ", edge)
    return rows
