"""The check of undo: a move that may be taken back has taught nobody anything."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from parlour.audit.material import Material
from parlour.audit.report import Notes
from parlour.engine.telling import view
from parlour.engine.undoing import teaches_nothing
from parlour.vocabulary import EVERYBODY, SEVERAL

if TYPE_CHECKING:
    from parlour.game import Game


def undo(material: Material, notes: Notes) -> None:
    """Where a move may be taken back, every player would have seen and heard the same of it in any other world that
    they think possible."""
    game, refused = material.game, 0
    for walked in material.walks:
        for place in walked.some(material.moments, "undo"):
            trail = walked.trails[place]
            dice = random.Random(f"undo {walked.seed} {place}")
            for p in trail.acting:
                legal = trail.legal(p)
                for a in dice.sample(legal, min(2, len(legal))):
                    if not teaches_nothing(game, trail.s, p, a):
                        refused += 1
                        continue
                    notes.count()
                    wrong = _taught(game, trail.s, p, a, material.redeals, dice)
                    if wrong:
                        notes.fault(f"{game.action_names[a]!r} may be taken back, though {wrong}", trail, p)
        if notes.full:
            return
    if refused and not notes.cases:
        notes.spare(f"no step may be taken back, since each may have taught something ({refused:,} were tried)")


def _taught(game: Game, s: Any, who: int, a: int, redeals: int, dice: random.Random) -> str:
    for observer in range(game.players):
        here = _noticed(game, s, who, a, observer)
        for _ in range(redeals):
            world = view(game, s, observer).redeal(dice.getrandbits(64)).position
            if _noticed(game, world, who, a, observer) != here:
                return f"player {observer} would have noticed something else in another world"
    return ""


def _noticed(game: Game, s: Any, who: int, a: int, observer: int) -> Any:
    """Return what an observer notices of a step: that it was allowed, what they hear, who is asked next, what they
    see."""
    rules, acts, heard = game.definition.rules, [0] * game.action_count, list[Any]()
    if a not in acts[: rules.legal(s, who, acts)]:
        return "not allowed"
    after = s.copy()
    game.definition.step(after, who, a, heard)
    asked = rules.actor(after)
    audible = [event for event in heard if event[2] in (EVERYBODY, observer)]
    return audible, asked, rules.acting(after) if asked == SEVERAL else 0, view(game, after, observer).items
