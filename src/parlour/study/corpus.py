"""A corpus: games of every kind, each as a record and decision by decision, the same bytes wherever it is made.

Every game is played by as few as it takes, rule of thumb (where there is one) and random in turn, and each deal once
for each rotation of them (:mod:`parlour.study.match`).  The same version of Parlour writes the same corpus on any
machine, with any number of processes; :func:`parlour.study.datasets.digest` tells two of them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from parlour.core.game import Game, load
from parlour.engine.definition import games as known
from parlour.players import kinds
from parlour.study.datasets import digest, to_parquet
from parlour.study.match import play

__all__ = ["CorpusPart", "write"]


class CorpusPart(NamedTuple):
    """The part of a corpus that is of one game: its id, how many games there are, the digest of its folder."""

    game: str
    games: int
    digest: str


def players_of(game: Game) -> list[str]:
    """The kinds of players that a corpus has at the seats of a game.

    >>> players_of(load("diamonds", 3)), players_of(load("kuhn"))
    (['rule-of-thumb', 'random', 'rule-of-thumb'], ['random', 'random'])
    """
    some = ["rule-of-thumb", "random"] if "rule-of-thumb" in kinds(game) else ["random"]
    return list(islice(cycle(some), game.players))


def write(
    folder: str | Path,
    names: Sequence[str] | None = None,
    games: int = 1000,
    seed: int = 0,
    processes: int = 1,
    parquet: bool = False,
) -> Iterator[CorpusPart]:
    """Write ``games`` games (rounded up to whole deals) of each game into a folder of its own in ``folder``, and yield
    each when it is there.  ``names``: the games (default: all that are installed).  ``parquet`` adds a table of the
    decisions to each (extra ``study``).  ``ParlourError`` if a game's folder is there already.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as there:
    ...     [chapter] = write(Path(there) / "corpus", ["kuhn"], games=3)
    >>> chapter.game, chapter.games
    ('kuhn', 4)
    """
    folder = Path(folder)
    for name in known() if names is None else names:
        game = load(name)
        match = play(game, players_of(game), games, seed, processes, records=folder / game.id)
        if parquet:
            to_parquet(folder / game.id)
        yield CorpusPart(game.id, match.games, digest(folder / game.id))
