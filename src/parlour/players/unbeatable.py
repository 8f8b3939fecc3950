"""The unbeatable player of a game, from its ``unbeatable.py``, if there is one for its house rules."""

from __future__ import annotations

from typing import Any

from parlour.base.languages import marked
from parlour.engine.ruleset import Ruleset
from parlour.players.player import Player


def why_not(game: Ruleset[Any]) -> str:
    """The reason why a game has no unbeatable player under its options; empty if it has one."""
    part = game.definition.part("unbeatable")
    if part is None:
        return marked("{name} has no unbeatable player.", name=game.definition.said_name)
    refused: str = part.refuse(game)
    return refused


def make(game: Ruleset[Any], seed: int) -> Player:
    """Return the unbeatable player of a game that has one (:func:`why_not`)."""
    solved: Any = game.definition.part("unbeatable")
    made: Player = solved.Unbeatable(game, seed)
    return made
