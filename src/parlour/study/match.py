"""Matches between players over duplicate deals: who is better, and how certain that is.

Every deal (a seed of chance) is played once for each player, so that everybody holds each seat once.  A deal's games
are averaged before the spread is estimated, so luck that a deal gives to a seat is not mistaken for skill.  Chance is
drawn in the course of play: two games of one deal draw the same random numbers, but once players choose differently
these mean different cards.  So luck is reduced, not removed; the intervals are right either way, because they come from
the spread of whole deals.  If there is a value network, luck is also computed and taken out of the results (AIVAT:
Burch, Schmid, Moravčík, Morrill & Bowling 2018; :mod:`parlour.study.values`, :mod:`parlour.study.reduction`): the same
means, narrower intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from types import NoneType
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError, Stopped
from parlour.core.game import loaded
from parlour.engine.hashing import seed_word
from parlour.engine.ruleset import of_kind, whole_number
from parlour.players import make
from parlour.players.kind import Kind
from parlour.study.datasets import Folder, Written
from parlour.study.runners import GameObserver, GameResult, Meeting, checked_number, play_game, runner_for
from parlour.study.sequential import Sequential
from parlour.study.standings import Adjusted, ContestResult, ContestScore, as_data, summary

if TYPE_CHECKING:
    from parlour.core.game import Game
    from parlour.study.values import Values

MOST = 1 << 31
"""Games that a match may have."""


def play(
    game: Game | str,
    kinds: Sequence[Any],
    games: int,
    seed: int = 0,
    processes: int = 1,
    progress: Callable[[int], None] = lambda done: None,
    records: str | Path | None = None,
    until: Sequential | None = None,
    values: Values | None = None,
) -> ContestResult:
    """Play a match at ``game`` (one that was loaded, or a name) between as many players as it has seats, of kinds that
    :func:`parlour.players.make` takes: players of your own too, which must be picklable for several processes.

    ``games`` is rounded up to whole deals (each is played once for every rotation of the seats).  Several processes
    share the deals among them (a script needs the usual ``if __name__ == "__main__"``); this does not affect the games,
    unless players look at the clock.  Which runner plays (:mod:`parlour.study.runners`) does not affect them either.
    ``progress`` is called with the number of games finished.  ``records``: an empty folder, or a new one, that takes
    each game and each decision (:mod:`parlour.study.datasets`).  ``until``: end as soon as this test has decided
    whether the first player wins more than a fair share; ``games`` is then the maximum.  ``values``: a value network of
    the game, by which luck is taken out of the results; the games are the same.  Raises ``ParlourError`` for players
    that do not fit the game, for numbers out of range, and if ``records`` is not empty; Ctrl-C raises
    :class:`~parlour.base.errors.Stopped` with the result so far.

    >>> import parlour
    >>> match = play(parlour.load("kuhn"), ["random", "random"], games=20, seed=1)
    >>> match.deals, match.games, [standing.name for standing in match.players]
    (10, 20, ['random', 'random 2'])
    >>> round(sum(standing.share.mean for standing in match.players), 9)
    1.0
    """
    game = loaded(game)
    kinds = checked_number(game, kinds)
    for given, kind, what in (
        (progress, Callable, "a function"),
        (records, (str, Path, NoneType), "the name of a folder"),
        (until, (Sequential, NoneType), "a Sequential"),
    ):
        of_kind(given, kind, what)
    if until is not None and not (until.is_fresh and math.isclose(until.par, 1 / game.players)):
        raise ParlourError(
            "A match of {players} is decided by a new Sequential(par=1 / {players}).", players=game.players
        )
    seed_word(seed)
    games, seed = whole_number(games, "a number of games"), int(seed)
    processes = whole_number(processes, "a number of processes")
    if games < 1:
        raise ParlourError("A match needs at least one game, not {games}.", games=games)
    if games > MOST:
        raise ParlourError("A match has at most {most:,} games, not {games:,}.", most=MOST, games=games)
    if processes < 1:
        raise ParlourError("A match needs at least one process, not {processes}.", processes=processes)
    if not hasattr(values, "fits") and values is not None:
        raise ParlourError("{values!r} is not a value network.", values=values)
    if values is not None and not values.fits(game):
        raise ParlourError("This value network was not made for {name}.", name=game.definition.said_name)
    count, names = -(-games // game.players), names_of(game, kinds)
    written = None if records is None else tuple(names)
    runner = runner_for(Meeting(game, kinds, seed, values, written), count * game.players)
    folder = None if records is None else Folder(Path(records))
    deals: list[list[GameResult]] = []

    def so_far() -> ContestResult:
        if folder:
            folder.finish(game, names, len(deals) * game.players, seed)
        return replace(summary(game, names, deals, seed), decision=until.decision() if until else None)

    try:
        with closing(runner.play(range(count), processes)) as played:
            for results in played:
                for result in results:
                    if folder and isinstance(result.written, Written):
                        folder.add(result.written)
                deals.append([replace(result, written=None) for result in results])
                progress(len(deals) * game.players)
                if until:
                    until.add([fmean(result.shares[result.holder.index(0)] for result in results)])
                    if until.is_decided:
                        break
    except KeyboardInterrupt:
        if len(deals) < 2:
            raise
        raise Stopped(so_far()) from None
    return so_far()


def play_deals(game: Game | str, kinds: Sequence[Any], seed: int, deals: range) -> list[list[GameResult]]:
    """Play some deals of the match that :func:`play` plays with this seed, for :func:`summary`, so that a match can be
    divided among machines.  Raises ``ParlourError`` if the players are not as many as the game's.

    >>> import parlour
    >>> game, kinds = parlour.load("kuhn"), ["random", "random"]
    >>> parts = [play_deals(game, kinds, 1, deals) for deals in (range(4), range(4, 10))]
    >>> whole = play(game, kinds, games=20, seed=1)
    >>> summary(game, kinds, sum(parts, [])).players[0].returns == whole.players[0].returns
    True
    """
    game = loaded(game)
    return list(runner_for(Meeting(game, checked_number(game, kinds), seed)).play(deals))


def names_of(game: Game, given: Sequence[Any]) -> list[str]:
    """Return the players' names in a match: their kinds, numbered where a kind occurs again.

    >>> import parlour
    >>> names_of(parlour.load("kuhn"), ["random", "random"])
    ['random', 'random 2']
    """
    kinds = [str(kind) if isinstance(kind, str | Kind) else make(kind, game).name for kind in given]
    before = [kinds[:k].count(kind) for k, kind in enumerate(kinds)]
    return [f"{kind} {n + 1}" if n else kind for kind, n in zip(kinds, before, strict=True)]


__all__ = [
    "Adjusted",
    "ContestResult",
    "ContestScore",
    "GameObserver",
    "GameResult",
    "as_data",
    "names_of",
    "play",
    "play_deals",
    "play_game",
    "summary",
]
