"""A player that follows a strategy file."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.engine.hashing import seed_word
from parlour.engine.telling import View
from parlour.solve.strategy import Behaviour, Strategy, read

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset


class Solved:
    """Plays by a strategy file (see :mod:`parlour.solve.strategy`), drawing actions with its probabilities.

    It chooses by its present view.  If a view does not show everything that came before, it stands for several
    information sets; these are then mixed, each weighted by the probability that the player's own actions lead to it.
    """

    def __init__(self, file: str, game: Ruleset[Any], seed: int = 0) -> None:
        self.name = f"solved:{file}"
        self._tables, solved = _opened(file, _stamp(file))
        must_fit(solved, game, file)
        self._random = random.Random(seed_word(seed))

    def chances(self, view: View, legal: Sequence[int]) -> Mapping[int, float]:
        """The probabilities of the actions for a view; all equal for a view to which the player's own strategy never
        leads."""
        known = self._tables[view.player].get(view.glance(), {})
        said = {a: known.get(a, 0.0) for a in legal}
        total = sum(said.values())
        return {a: p / total for a, p in said.items()} if total > 0 else dict.fromkeys(legal, 1 / len(legal))

    def choose(self, view: View, legal: Sequence[int]) -> int:
        chances = self.chances(view, legal)
        return self._random.choices(list(chances), list(chances.values()))[0]


def must_fit(solved: Strategy, game: Ruleset[Any], file: object) -> None:
    """Raise ``ParlourError`` if the strategy in a ``file`` is not for this game, or was solved with ``--reduced``."""
    if solved.game != game:
        other = solved.game.options
        differing = [f"{name}={other[name]}" for name in other if game.options.get(name) != other[name]]
        raise ParlourError(
            "{file} solves {name}{under}; this is {other_name}{other_under}.",
            file=file,
            name=solved.game.definition.said_name,
            under=_under(differing),
            other_name=game.definition.said_name,
            other_under=_under([f"{n}={v}" for n, v in game.options.items() if other.get(n) != v]),
        )
    if solved.about.get("reduced"):
        raise ParlourError(
            "{file} was solved with --reduced, so it can play only against a dealer who wagers as it does itself.",
            file=file,
        )


def _under(options: list[str]) -> str:
    return f" with {', '.join(options)}" if options else ""


def _stamp(file: str) -> float:
    try:
        return Path(file).stat().st_mtime
    except OSError:
        raise ParlourError("There is no file {file!r}.", file=file) from None


@lru_cache(maxsize=4)
def _opened(file: str, stamp: float) -> tuple[list[dict[int, dict[int, float]]], Strategy]:
    """The strategy of each player, by the word of their view."""
    strategy = read(file)
    return [by_view(side) for side in strategy.players], strategy


def by_view(side: Behaviour) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = {}
    for i, (glance, come) in enumerate(zip(side.glance.tolist(), side.come.tolist(), strict=True)):
        mixed = found.setdefault(glance, {})
        for a, p in side.at(i).items():
            mixed[a] = mixed.get(a, 0.0) + come * p
    return found
