"""Players without learning or search: random, and by rule of thumb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from parlour.base.errors import ParlourError, placed
from parlour.engine.hashing import seed_word
from parlour.engine.ruleset import Ruleset
from parlour.engine.telling import View, restored
from parlour.players.kernels.arena import KERNEL, NOTES
from parlour.players.player import must_be_of
from parlour.rules.vocabulary import below


class Random:
    """A player that chooses any legal action, all equally likely."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._rng = [seed_word(seed)]

    def choose(self, view: View, legal: Sequence[int]) -> int:
        return legal[below(self._rng, len(legal))]

    def chances(self, view: View, legal: Sequence[int]) -> Mapping[int, float]:
        """The probability of each action."""
        return dict.fromkeys(legal, 1 / len(legal))


@lru_cache(maxsize=64)
def prepared(game: Ruleset[Any]) -> tuple[float, ...]:
    """The numbers that the game's ``prepared.py`` computes for the rule of thumb from the house rules alone."""
    part = game.definition.part("prepared")
    return tuple(part.prepare(game.blank())) if part else ()


class RuleOfThumb:
    """A player that chooses the action that the game's ``heuristic.py`` values most, a random one among equals."""

    name = "rule-of-thumb"

    def __init__(self, game: Ruleset[Any], seed: int = 0) -> None:
        self.game = game
        self._code, self._rng = KERNEL.interpreted(game.definition), [seed_word(seed)]
        self._worth, self._notes = [0.0] * game.action_count, [*prepared(game), *[0.0] * NOTES]

    def choose(self, view: View, legal: Sequence[int]) -> int:
        if len(legal) == 1:
            return legal[0]
        must_be_of(view.game, self.game)
        seen = restored(view)
        try:
            return int(self._code.sensible(seen, view.player, legal, len(legal), self._worth, self._notes, self._rng))
        except TypeError:
            for k, worth in enumerate(self._worth[: len(legal)]):
                if not isinstance(worth, int | float):
                    raise _no_number(self.game.definition.rules.appraise, k, worth) from None
            raise


def _no_number(appraise: Any, k: int, worth: object) -> ParlourError:
    return ParlourError(
        "{file}, line {line}: appraise must make worth[{k}] a number, not {worth!r}.",
        file=placed(appraise.__code__.co_filename), line=appraise.__code__.co_firstlineno, k=k, worth=worth,
    )  # fmt: skip
