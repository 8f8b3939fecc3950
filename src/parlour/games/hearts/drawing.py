"""The table of Hearts: the trick, everybody's points and tricks, known voids, the hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.base.languages import counted, either, ngettext, translated, word
from parlour.base.languages import gettext as _
from parlour.core.drawing import SUITS, Now, shortened, sign, style, tidy
from parlour.core.drawing import short as card
from parlour.games.hearts.rules import CARDS, PASSED, worth

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from parlour.core.drawing import Happening
    from parlour.engine.telling import View

__all__ = ["board", "caption", "card", "lines", "now", "picture", "result"]

SUIT_NAMES = {"c": "clubs", "d": "diamonds", "s": "spades", "h": "hearts"}
"""The suits in the order of a hand, black and red in turn."""
SEATS_ON = {"hold": 0, "left": 1, "across": 2, "right": 3}
"""How many seats on cards are passed."""


def caption(action: str, view: View, names: Sequence[str]) -> str:
    """Return the player to whom a card is passed."""
    return _("to {name}", name=names[_neighbour(view)]) if action.startswith("pass") else ""


def board(view: View, told: Sequence[Happening]) -> dict[str, Any]:
    """Return what its page shows in addition to the view: hands by suit, the tricks taken in this deal, and the last
    trick."""
    seen = seen_of(view)
    mine = _mine(view, seen)
    return {
        "way": seen.get("way"),
        "receiver": _neighbour(view) if view.player >= 0 else -1,
        "to_choose": PASSED - len(seen["sent"][view.player] or ()) if view.player >= 0 else 0,
        "hand": by_suit(mine),
        "got": set(seen["got"][view.player] or ()) if view.player >= 0 else set(),
        "sent": seen["sent"][view.player] or () if view.player >= 0 else (),
        "taken": [{"tricks": tricks, "points": points, "cards": those} for tricks, points, those in taken(view, seen)],
        "void": [[SUIT_NAMES[suit] for suit in voids(view, seen, p)] for p in range(view.game.players)],
        "last": last_trick(told),
        "ended": settlement(told) if seen["stage"] in ("dealing", "passing", "over") else [],
    }


def now(view: View, legal: Sequence[str]) -> Now:
    """The cards that may be played, or the number still to be passed."""
    seen = seen_of(view)
    if legal[0].startswith("pass"):
        left = PASSED - len(seen["sent"][view.player] or ())
        more = ngettext("{n} card to choose.", "{n} cards to choose.", left)
        return Now(_("Pass three cards."), f"{more} {_('Nobody sees them yet.')}")
    lying = trick(seen)
    if not lying:
        hearts = any(name[-1] == "h" for name in _mine(view, seen)) and not any(name[-1] == "h" for name in legal)
        return Now(_("You lead."), _("Any card but a heart: hearts are not broken.") if hearts else "")
    suit = word(SUIT_NAMES[lying[0][1][1]])
    points = worth(view.game.blank(), sum(1 << CARDS.index(name) for _p, name in lying))
    weight = _("The trick has {points} so far.", points=counted(points, "point")) if points else ""
    if any(name[-1] == lying[0][1][1] for name in legal):
        return Now(_("Follow suit: {suit}.", suit=suit), weight)
    head = _("Play any card.") if len(legal) == len(_mine(view, seen)) else _("Play a card without points.")
    return Now(head, " ".join(filter(None, (_("You have no {suit}.", suit=suit), weight))))


def lines(view: View, names: Sequence[str]) -> list[str]:
    """The table in short sentences, in the order of interest."""
    seen = seen_of(view)
    out = [f"{_title(seen)}."]
    for p, (name, (tricks, points, _those)) in enumerate(zip(names, taken(view, seen), strict=True)):
        parts = [counted(seen["points"][p], "point")]
        if tricks:
            parts.append(_("{tricks} worth {points} in this deal", tricks=counted(tricks, "trick"), points=points))
        if without := voids(view, seen, p):
            parts.append(_("has no {suits}", suits=translated(either([word(SUIT_NAMES[suit]) for suit in without]))))
        out.append(_("{name}: {parts}.", name=name, parts=", ".join(parts)))
    played = [f"{names[p]} {sign(c)}" for p, c in trick(seen)]
    if played:
        out.append(_("In the trick: {cards}.", cards=", ".join(played)))
    if seen["stage"] == "passing" and view.player >= 0:
        out.append(_("You pass {cards} to {name}.", cards=counted(PASSED, "card"), name=names[_neighbour(view)]))
    if hand := _mine(view, seen):
        suits = (
            f"{word(SUIT_NAMES[suit[0][1]])} {' '.join(c[0].replace('T', '10') for c in suit)}"
            for suit in by_suit(hand)
        )
        out.append(_("Your hand: {cards}.", cards="; ".join(suits)))
    return out


def picture(view: View, names: Sequence[str], legal: Sequence[str], width: int) -> RenderableType:
    """A line for each player with the card they have played, and the hand."""
    from rich.console import Group
    from rich.text import Text

    seen = seen_of(view)
    table = [Text(f"  {_title(seen)}", "dim")]
    played, longest = dict(trick(seen)), max(len(shortened(name)) for name in names)
    for p, (name, (tricks, points, those)) in enumerate(zip(names, taken(view, seen), strict=True)):
        mark = "▸ " if seen["stage"] == "playing" and p == seen["leader"] else "  "
        line = Text.assemble((mark, "yellow"), f"{shortened(name):<{longest}}", f"{seen['points'][p]:>5}  ")
        line.append(f"{sign(played[p]):<4}", style(played[p])) if p in played else line.append("    ")
        if tricks:
            line.append(f"  {counted(tricks, 'trick')}, {counted(points, 'point')} ", "dim")
            _add(line, those)
        for suit in voids(view, seen, p):
            line.append(_("  no "), "dim").append(*SUITS[suit.upper()])
        table.append(line)
    if hand := _mine(view, seen):
        table += [Text(), Text(_("  hand"), "dim")]
        for those in by_suit(hand):
            _add(table[-1].append("  "), those)
    if view.player >= 0 and seen["sent"][view.player] and seen["stage"] == "passing":
        table.append(Text(_("  to {name}  ", name=names[_neighbour(view)]), "dim"))
        _add(table[-1], seen["sent"][view.player])
    return Group(*tidy(table))


def result(view: View, returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """Each player's points and place."""
    points = view.observation()["points"]
    return [
        _(
            "{name}: place {place}, {points}.",
            name=name,
            place=1 + sum(other < points[p] for other in points),
            points=counted(points[p], "point"),
        )
        for p, name in enumerate(names)
    ]


# ------------------------------------------------------------------------------------------ facts from a view


def seen_of(view: View) -> dict[str, Any]:
    """The observation, with keys for hands and passed cards even if they are not told."""
    nobody = [None] * view.game.players
    return {"hand": nobody, "sent": nobody, "got": nobody, **view.observation()}


def by_suit(those: Sequence[str]) -> list[list[str]]:
    """The cards by suit, without empty suits, each from the lowest to the highest.

    >>> by_suit(["Ah", "2c", "Td", "3h"])
    [['2c'], ['Td'], ['3h', 'Ah']]
    """
    return [found for suit in SUIT_NAMES if (found := sorted((c for c in those if c[1] == suit), key=CARDS.index))]


def trick(seen: dict[str, Any]) -> list[tuple[int, str]]:
    """The cards of the trick, in the order in which they were played, each with its player."""
    order = [(seen["leader"] + i) % len(seen["trick"]) for i in range(len(seen["trick"]))]
    return [(p, seen["trick"][p]) for p in order if seen["trick"][p] != "none"]


def taken(view: View, seen: dict[str, Any]) -> list[tuple[int, int, list[str]]]:
    """Each player's tricks in this deal, their points, and the cards that count."""
    position = view.game.blank()
    found = []
    for those in seen["taken"]:
        count = [c for c in those if worth(position, 1 << CARDS.index(c))]
        points = worth(position, sum(1 << CARDS.index(c) for c in those))
        found.append((len(those) // view.game.players, points, [c for suit in by_suit(count) for c in suit]))
    return found


def voids(view: View, seen: dict[str, Any], p: int) -> list[str]:
    """The suits of which everybody knows that a player has no card, if others may still have some."""
    if seen["stage"] != "playing" or p == view.player:
        return []
    lacks = set(seen["lacks"][p])
    gone = {c for those in seen["taken"] for c in those} | {c for _, c in trick(seen)}
    left = {suit: {c for c in CARDS if c[1] == suit} - gone for suit in SUIT_NAMES}
    return [suit for suit, those in left.items() if those and those <= lacks]


def last_trick(told: Sequence[Happening]) -> dict[str, Any]:
    """The trick before the one on the table: its cards in order, who took it and what it was worth; empty in the first
    trick of a deal."""
    ends = [i for i, one in enumerate(told) if one.event == "takes"]
    if not ends or any(one.event in ("deals", "opens") for one in told[ends[-1] :]):
        return {}
    start = ends[-2] + 1 if len(ends) > 1 else 0
    played = [(one.who, CARDS[one.a]) for one in told[start : ends[-1]] if one.event in ("leads", "plays")]
    return {"cards": played[-4:], "who": told[ends[-1]].who, "points": told[ends[-1]].a}


def settlement(told: Sequence[Happening]) -> list[Happening]:
    """The events of settling the last deal."""
    end = max((i for i, one in enumerate(told) if one.event == "takes"), default=len(told))
    return [one for one in told[end:] if one.event in ("moon", "no_tricks", "scores")]


def _mine(view: View, seen: dict[str, Any]) -> list[str]:
    """The viewer's hand without the cards they have chosen to pass; empty for a spectator or during the deal."""
    hand = (seen["hand"][view.player] or []) if view.player >= 0 else []
    passing = seen["sent"][view.player] if seen["stage"] == "passing" and view.player >= 0 else None
    return [c for c in hand if c not in (passing or ())]


def _neighbour(view: View) -> int:
    """Return the seat that gets what the viewer passes."""
    return (view.player + SEATS_ON[view.observation().get("way", "hold")]) % view.game.players


def _title(seen: dict[str, Any]) -> str:
    parts = [_("Deal {deal}", deal=seen["deal"] + (seen["stage"] not in ("settled", "over")))]
    if seen["stage"] == "passing":
        ways = {"left": _("cards are passed to the left"), "right": _("cards are passed to the right")}
        parts.append(ways.get(seen["way"]) or _("cards are passed across"))
    return ", ".join(parts)


def _add(line: Text, those: Sequence[str]) -> None:
    for c in those:
        line.append(f" {sign(c)}", style(c))
