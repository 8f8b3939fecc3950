"""The drawing of the table of Leduc poker: two cards, the board, the chips paid and the bets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.base.languages import counted, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import Now, cards_in_a_row, sentence_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from parlour.engine.telling import View


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """Each player's card with their chips, then the board, then the bets of both rounds."""
    from rich.console import Group
    from rich.text import Text

    seen, board = _seen(view), view.observation()["board"]
    seats = [(names[p], seen["hand"][p], counted(seen["paid"][p], "chip")) for p in range(2)]
    middle = (_("board"), None if board == "none" else board, "")
    bets = [Text(f"  {line}", "dim") for line in _bets(seen)]
    return Group(cards_in_a_row([*seats, middle]), *bets)


def now(view: View, legal: Sequence[str]) -> Now:
    """The price of going on."""
    seen = view.observation()
    due = max(seen["paid"]) - seen["paid"][view.player]
    body = _("A call costs {chips}.", chips=counted(due, "chip")) if due else _("A call costs nothing.")
    return Now(sentence_of([word(name) for name in legal]), body)


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The same in short sentences."""
    seen = _seen(view)
    cards = [
        _(
            "{name}: card {card}, {chips} in the pot.",
            name=names[p],
            card=seen["hand"][p] or _("not shown"),
            chips=counted(seen["paid"][p], "chip"),
        )
        for p in range(2)
    ]
    return [
        *cards,
        _("The board: {card}.", card=_("not turned yet") if seen["board"] == "none" else seen["board"]),
        *_bets(seen),
    ]


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Chips won and lost, and why."""
    seen = _seen(view)
    if seen["stage"] == "folded":
        why = [_("the other player folded") if points > 0 else _("folded") for points in returns]
    else:
        why = [
            _("showed {card}, a pair", card=card) if card[0] == seen["board"][0] else _("showed {card}", card=card)
            for card in seen["hand"]
        ]
    chips = [counted(abs(int(points)), "chip") for points in returns]
    brought = [
        _("won {chips}", chips=n) if points > 0 else _("lost {chips}", chips=n)
        for n, points in zip(chips, returns, strict=True)
    ]
    return [f"{name}: {reason}; {what}." for name, reason, what in zip(names, why, brought, strict=True)]


def _seen(view: View) -> dict[str, Any]:
    """The observation, with keys for hands and bets even if none is told."""
    return {"hand": [None] * 2, "log": [None] * 8, **view.observation()}


def _bets(seen: dict[str, Any]) -> list[str]:
    """The bets of each round."""
    rounds = [[bet for bet in seen["log"][4 * r : 4 * r + 4] if bet] for r in range(2)]
    return [
        said.format(bets=", ".join(word(bet) for bet in bets))
        for said, bets in zip((_("First round: {bets}."), _("Second round: {bets}.")), rounds, strict=True)
        if bets
    ]
