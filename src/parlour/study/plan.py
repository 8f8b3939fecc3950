"""Plans of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from parlour.base.errors import ParlourError
from parlour.core.game import Game, loaded
from parlour.engine.definition import definition, shelf
from parlour.engine.hashing import seed_word
from parlour.players.kind import Kind
from parlour.study import arena

__all__ = ["Plan"]

PARTS = 2
"""How many parts a batch has unless a plan says otherwise."""
MOST_PARTS = 1 << 16
FORMAT = 1
THUMB = "rule-of-thumb"


@dataclass(frozen=True)
class Plan:
    """A plan of training: ``games`` to play in all, the ``seed`` of chance and of the first weights, the size of the
    ``hidden`` layer; ``against``: the kind of the other players, ``rule-of-thumb``, ``random``, ``learned`` or
    ``learned:FILE``; ``parts``: the number of parts of a batch.  More parts mean more games between two changes of the
    weights.  Raises ``ParlourError`` for numbers out of range, and for a game without a rule-of-thumb player.

    >>> import parlour
    >>> Plan(parlour.load("diamonds"), games=10_000, hidden=16).as_data()["games"]
    10000
    """

    game: Game
    games: int = 1_000_000
    seed: int = 1
    hidden: int = 64
    against: str = THUMB
    parts: int = PARTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", loaded(self.game))
        seed_word(self.seed)
        if self.games < 1:
            raise ParlourError("A training needs at least one game, not {games}.", games=self.games)
        if not 8 <= self.hidden <= 512 or self.hidden % 8:
            raise ParlourError("A hidden layer has 8, 16, 24 … 512 sums, not {hidden}.", hidden=self.hidden)
        if not 1 <= self.parts <= MOST_PARTS:
            raise ParlourError(
                "A batch has 1 to {most_parts:,} parts, not {parts:,}.", most_parts=MOST_PARTS, parts=self.parts
            )
        if not self.game.definition.has("appraise"):
            raise ParlourError(
                "{name} has no rule-of-thumb player, from which learning begins. Games that can be learned: {games}.",
                name=self.game.definition.said_name,
                games=", ".join(game for game in shelf() if definition(game).has("appraise")),
            )
        if not arena.all_compiled(self.game, [Kind.parsed(self.against)]):
            raise ParlourError(
                "Learners play against rule-of-thumb, random, learned or learned:FILE, not {against!r}.",
                against=self.against,
            )

    def as_data(self) -> dict[str, Any]:
        """Return the plan as JSON-able data, without settings that have their default."""
        game = self.game
        known = {"game": game.id, "players": game.players, "options": dict(game.options)}
        known |= {"against": self.against} if self.against != THUMB else {}
        known |= {"parts": self.parts} if self.parts != PARTS else {}
        return {**known, "rules": game.definition.rules.VERSION, "format": FORMAT, **self._numbers()}

    def _numbers(self) -> dict[str, int]:
        return {"games": self.games, "seed": self.seed, "hidden": self.hidden}
