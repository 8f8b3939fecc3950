"""What faults are said in: cards and sentences as people read them, and the author's own file and line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.engine.slips import slip_in
from parlour.engine.steps import Event
from parlour.engine.telling import members
from parlour.rules.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from parlour.core.game import Game


def in_words(game: Game, error: Exception) -> str:
    """Say what an error is and, if the author's functions have made it, in which file, line and function.

    >>> import parlour
    >>> in_words(parlour.load("kuhn"), ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    if isinstance(error, ParlourError):
        return str(error).removesuffix(".")
    slip = slip_in([game.definition], error).removesuffix(".") or f"{type(error).__name__}: {error}"
    if game.definition.is_small and game.definition.of:
        own, of = (what.package.replace(".", "/") for what in (game.definition, game.definition.of))
        slip = slip.replace(f"{own}/", f"{of}/")
    return slip


def changed_fields(game: Game, a: Any, b: Any) -> str:
    """Say which fields of two positions differ, and how: cards and players by name."""
    found = []
    for name, field in game.definition.fields.items():
        here, there = getattr(a, name), getattr(b, name)
        if field.size:
            found += [
                f"{name}[{i}] {worded(game, name, x)} / {worded(game, name, y)}"
                for i, (x, y) in enumerate(zip(here, there, strict=True))
                if x != y
            ]
        elif here != there:
            found.append(f"{name} {worded(game, name, here)} / {worded(game, name, there)}")
    return ", ".join(found)


def worded(game: Game, thing: str, value: int) -> str:
    """Return the value of a thing as a fault shows it; a number, if it is not one that can be told.

    >>> import parlour
    >>> worded(parlour.load("hearts"), "hand", 0b101), worded(parlour.load("kuhn"), "hand", 3)
    ('{2c 2h}', 'K')
    """
    declared = game.definition.things.get(thing)
    if declared is None or value < 0:
        return str(value)
    names = declared.names or ()
    if declared.is_set:
        return f"{{{' '.join(names[c] if c < len(names) else str(c) for c in members(value))}}}"
    return names[value] if value < len(names) else str(value)


def items_worded(game: Game, items: Sequence[tuple[str, int, int]]) -> str:
    """Return told items as a fault shows them."""
    return ", ".join(f"{name}[{i}]={worded(game, name, value)}" for name, i, value in items)


# ------------------------------------------------------------------------------------------ events


def said(game: Game, heard: Sequence[Event]) -> str:
    """Return events as a fault shows them: the sentences that people read, with clause and event."""
    return "; ".join(_sentence(game, event) for event in heard) or "nothing"


def _sentence(game: Game, event: Event) -> str:
    clause, name, _, who, a, b = event
    try:
        sentence = game.definition.sentences.in_english(name, who, a, b, [f"Seat {p}" for p in range(game.players)])
    except Exception:  # the check `clauses` says what is wrong with it
        sentence = f"{name}({who}, {a}, {b})"
    return f"“{sentence}” ({clause} {name})"


def told_apart(game: Game, heard: Sequence[Event], there: Sequence[Event]) -> str:
    """Say in what differs what is heard in two games, and which lines of the rules tell it."""
    only, other = [e for e in heard if e not in there], [e for e in there if e not in heard]
    if not only and not other:  # only the order differs
        only, other = [*heard], [*there]
    return f"{said(game, only)} / {said(game, other)}{lines_of(game, [*only, *other])}"


ALOUD = "; note tells everybody, whisper one player"


def lines_of(game: Game, heard: Sequence[Event], advice: str = ALOUD) -> str:
    """Say which lines of the rules tell some events, and to whom; ``advice``: what to do about one told to all."""
    wanted = {(clause, event, audience == EVERYBODY) for clause, event, audience, *_ in heard}
    places = dict[str, None]()
    for one in game.definition.told:
        if any(event == one.event and aloud == one.aloud and clause in one.clauses for clause, event, aloud in wanted):
            places[f"{one.place} ({'note' if one.aloud else 'whisper'} {one.event!r})"] = None
    to_all = advice if any(aloud for *_, aloud in wanted) and places else ""
    return f"; told in {', '.join(places)}{to_all}" if places else ""
