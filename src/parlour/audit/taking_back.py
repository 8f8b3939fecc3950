"""The check of undo: a move that may be taken back has taught nobody anything, and whether it may be taken back teaches
nothing either."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from parlour.audit.material import Material
from parlour.audit.report import Notes
from parlour.base.errors import ParlourError
from parlour.engine.telling import view
from parlour.engine.undoing import dealt_fields, teaches_nothing, told_alone
from parlour.rules.vocabulary import EVERYBODY, SEVERAL

if TYPE_CHECKING:
    from parlour.core.game import Game


def undo(material: Material, notes: Notes) -> None:
    """If a move may be taken back, every player would have seen and heard the same in any other world that they hold
    possible; and in every such world the same moves may be taken back."""
    game, allowed, refused = material.game, 0, 0
    try:
        dealt_fields(game.definition), told_alone(game.definition)
    except ParlourError as error:
        notes.fault(str(error))
        return
    for walked in material.walks:
        for place in walked.some(material.moments, "undo"):
            trail = walked.trails[place]
            dice = random.Random(f"undo {walked.seed} {place}")
            worlds = list(_worlds(game, trail.s, material.redeals, dice))
            for p in trail.acting:
                legal = trail.legal(p)
                for a in dice.sample(legal, min(2, len(legal))):
                    may = teaches_nothing(game, trail.s, p, a)
                    allowed, refused = allowed + may, refused + (not may)
                    notes.count()
                    for observer, world in worlds:
                        if wrong := _told(game, trail.s, world, p, a, may, observer):
                            notes.fault(f"{game.action_names[a]!r} {wrong}", trail, p)
                            break
        if notes.full:
            return
    if refused and not allowed:
        notes.spare(f"no step may be taken back, since each may have taught something ({refused:,} were tried)")


def _worlds(game: Game, s: Any, redeals: int, dice: random.Random) -> Iterator[tuple[int, Any]]:
    """Yield for each player some worlds that they cannot tell from the real one."""
    for observer in range(game.players):
        seen = view(game, s, observer)
        for _ in range(redeals):
            yield observer, seen.redeal(dice.getrandbits(64)).position


def _told(game: Game, s: Any, world: Any, who: int, a: int, may: bool, observer: int) -> str:
    """Return the difference by which an observer can tell a world from the real one: in the step itself, or in whether
    it may be taken back."""
    if may and _noticed(game, world, who, a, observer) != _noticed(game, s, who, a, observer):
        return f"may be taken back, though player {observer} would have noticed something else in another world"
    if a in _legal(game, world, who) and teaches_nothing(game, world, who, a) != may:
        return f"may be taken back or not, according to what player {observer} must not know"
    return ""


def _noticed(game: Game, s: Any, who: int, a: int, observer: int) -> Any:
    """Return all that an observer notices of a step: that it was allowed, its events, who is asked next, and their
    view."""
    rules, heard = game.definition.rules, list[Any]()
    if a not in _legal(game, s, who):
        return "not allowed"
    after = s.copy()
    game.definition.step(after, who, a, heard)
    asked = rules.actor(after)
    audible = [event for event in heard if event[2] in (EVERYBODY, observer)]
    return audible, asked, rules.acting(after) if asked == SEVERAL else 0, view(game, after, observer).items


def _legal(game: Game, s: Any, who: int) -> list[int]:
    acts = [0] * game.action_count
    return acts[: game.definition.rules.legal(s, who, acts)]
