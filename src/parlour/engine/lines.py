"""Reading a line in which a player names actions: one action, or several one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parlour.errors import ParlourError, unknown


def read_line(state: Any, line: str, who: int) -> tuple[int, ...]:
    """Return the actions that ``who`` names in a line, as :meth:`parlour.State.sequence` describes."""
    game = state.game
    words = line.replace(",", " ").replace(";", " ").split()
    if " ".join(words).casefold() in game.action_ids or len(words) < 2:
        return (game.find_action(line),)
    player = who if who >= 0 else None  # nobody's turn: the game is over, or chance decides
    if beyond := state.beyond(line, player):
        raise beyond
    trial, found = state.clone(), list[int]()
    trial.leave_chance()  # nobody can see what chance will bring
    while words:
        if found and who not in trial.acting:
            last = game.action_names[found[-1]]
            raise ParlourError(f"After {last!r} there is nothing more to choose: {' '.join(words)!r} is too much.")
        a, used = _first_named(trial, words, player)
        trial.apply(a, player)
        found.append(a)
        words = words[used:]
    return tuple(found)


def _first_named(state: Any, words: Sequence[str], who: int | None) -> tuple[int, int]:
    """Return the action that a line begins with, and how many of its words name it."""
    ids, names = state.game.action_ids, state.game.action_names
    for used in range(len(words), 0, -1):
        a = ids.get(" ".join(words[:used]).casefold())
        if a is not None:
            return a, used
    legal = [names[a] for a in state.legal_actions(who)]
    kinds = {kind for kind, _, number in (name.rpartition(" ") for name in legal) if number.isdigit()}
    a = ids.get(f"{kinds.pop()} {words[0]}".casefold()) if len(kinds) == 1 else None
    if a is None:
        raise unknown("action", words[0], legal)
    return a, 1
