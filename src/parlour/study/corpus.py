"""A corpus: games of every kind, each as a record and as a list of decisions, with the same bytes wherever it is made.

Every game is played by the fewest players allowed: by default rule of thumb (if there is one) and random, alternating;
each deal is played once for each rotation of the seats (:mod:`parlour.study.match`).  The same version of Parlour
writes the same corpus on any machine, with any number of processes; :func:`parlour.study.datasets.digest` tells two
apart.

A corpus of a number of ``decisions`` holds nothing but the steps of its games, four bytes each, and
:func:`parlour.study.decisions.read` makes of them what learners want.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from parlour.base.errors import ParlourError
from parlour.core.game import Game, loaded
from parlour.engine.definition import games as known
from parlour.engine.hashing import seed_word
from parlour.engine.ruleset import whole_number
from parlour.players import kinds, make
from parlour.players.characters import thinks
from parlour.players.kind import Kind
from parlour.players.kinds import KINDS
from parlour.study.arena import simulates
from parlour.study.datasets import MATCH, TABLE, about, digest, to_parquet
from parlour.study.match import names_of, play
from parlour.study.runners import Meeting, checked_number, runner_for

__all__ = ["CorpusPart", "write"]

SIMULATIONS = "200"
"""The default number of simulations a move for players that search."""
GAMES, DEALS_AT_ONCE = 1000, 20_000


class CorpusPart(NamedTuple):
    """The part of a corpus for one game: its id, the number of games, the digest of its folder, and the number of
    decisions if those were counted."""

    game: str
    games: int
    digest: str
    decisions: int | None = None


def players_of(game: Game, by: Sequence[str] = ()) -> list[str]:
    """The kinds of players that a corpus has at the seats of a game: those named, in turn, as far as the game has them.
    Raises ``ParlourError`` for a player that watches the clock.

    >>> from parlour.core.game import load
    >>> players_of(load("diamonds", 3)), players_of(load("kuhn"))
    (['rule-of-thumb', 'random', 'rule-of-thumb'], ['random', 'random'])
    >>> players_of(load("diamonds"), ["best", "unbeatable"])
    ['best:200', 'best:200']
    """
    own = kinds(game)
    some = list[str]()
    for kind in map(Kind.parsed, by or ("rule-of-thumb", "random")):
        if kind.name in KINDS and kind.name not in own:
            continue
        if thinks(kind) and kind.setting is None:
            kind = Kind(kind.name, SIMULATIONS)
        if thinks(kind) and not simulates(Kind("search", kind.setting)):
            raise ParlourError(
                "{kind} watches the clock, and a corpus has to come out the same everywhere: give it a number of"
                " simulations, {name}:{simulations}.",
                kind=kind,
                name=kind.name,
                simulations=SIMULATIONS,
            )
        some.append(str(kind))
    return list(islice(cycle(some or ["random"]), game.players))


def write(
    folder: str | Path,
    names: Sequence[str | Game] | None = None,
    games: int | None = None,
    seed: int = 0,
    processes: int = 1,
    parquet: bool = False,
    by: Sequence[str] = (),
    decisions: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> list[CorpusPart]:
    """Write ``games`` games (default: 1000; rounded up to whole deals) of each game into a folder of its own in
    ``folder``, and return the parts.  ``names``: the games, or games that were loaded with house rules (default: all
    that are installed).  ``by``: the kinds of players that take the seats in turn.  ``parquet`` adds a table of the
    decisions to each (extra ``study``).

    With ``decisions``, whole deals are played until there are that many, and only the steps are kept (extra ``fast``).
    Deals that the folder already has are not played again, so the same call continues an interrupted one, and a call
    with more decisions adds to it; ``progress`` is called with their number.

    A game that the folder has is not played again, and one that was interrupted begins again; so the same call goes on
    where it was stopped.

    Raises ``ParlourError`` if a game's folder holds something else, or more than is asked for; and, before anything is
    written, for both ``games`` and ``decisions``, for numbers out of range, and for games and players that are none.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as there:
    ...     [chapter] = write(Path(there) / "corpus", ["kuhn"], games=3)
    ...     [longer] = write(Path(there) / "long", ["kuhn"], decisions=1000)
    >>> chapter.game, chapter.games, longer.decisions
    ('kuhn', 4, 1000)
    """
    return [*parts(folder, names, games, seed, processes, parquet, by, decisions, progress)]


def parts(
    folder: str | Path,
    names: Sequence[str | Game] | None,
    games: int | None,
    seed: int,
    processes: int,
    parquet: bool,
    by: Sequence[str],
    decisions: int | None,
    progress: Callable[[int], None],
) -> Iterator[CorpusPart]:
    """Check what is to be written, as :func:`write` does, and yield each part when it is finished."""
    if decisions is not None:
        if games is not None:
            raise ParlourError("Give --games or --decisions, not both.")
        if parquet:
            raise ParlourError("--with-parquet belongs to --games: with --decisions only steps are kept.")
    for number, what in (
        (games, "a number of games"),
        (decisions, "a number of decisions"),
        (processes, "a number of processes"),
    ):
        if number is not None and whole_number(number, what) < 1:
            raise ParlourError("A corpus has {what} above 0, not {number}.", what=what, number=number)
    seed_word(seed)
    those = [(game, players_of(game, by)) for game in map(loaded, known() if names is None else names)]
    for game, players in those:
        for player in dict.fromkeys(players):
            make(player, game)  # refuses a kind of player that there is not
    return _parts(Path(folder), those, games or GAMES, seed, processes, parquet, decisions, progress)


def _parts(
    folder: Path, those: list[tuple[Game, list[str]]], games: int, seed: int, processes: int, parquet: bool,
    decisions: int | None, progress: Callable[[int], None],
) -> Iterator[CorpusPart]:  # fmt: skip
    for game, players in those:
        own = folder / game.id
        if decisions is None:
            rounded = -(-games // game.players) * game.players
            if not _is_there(own, about(game, names_of(game, players), seed, games=rounded)):
                try:
                    play(game, players, games, seed, processes, progress, records=own)
                except KeyboardInterrupt:
                    (own / MATCH).unlink(missing_ok=True)  # less than was asked for
                    raise
            if parquet and not (own / TABLE).exists():
                to_parquet(own)
            yield CorpusPart(game.id, rounded, digest(own))
        else:
            yield _extend(own, game, players, decisions, seed, processes, progress)


def _is_there(folder: Path, match: str) -> bool:
    """Whether a folder has this match, all of it."""
    try:
        return (folder / MATCH).read_text("utf-8") == match
    except (OSError, ValueError):
        return False


def _extend(
    folder: Path, game: Game, players: list[str], decisions: int, seed: int, processes: int,
    progress: Callable[[int], None],
) -> CorpusPart:  # fmt: skip
    """Play until a folder has this many decisions."""
    from parlour.study.decisions import Kept

    meeting = Meeting(game, checked_number(game, players), seed, keeps_steps=True)
    kept = Kept(folder, game, names_of(game, meeting.kinds), seed)
    if kept.decisions - kept.last >= decisions:
        kept.finish()
        raise ParlourError(
            "{folder!r} holds {there:,} decisions, more than {decisions:,}: ask for as many, or name a new folder.",
            folder=str(folder), there=kept.decisions, decisions=decisions,
        )  # fmt: skip
    try:
        runner = runner_for(meeting)
        while kept.decisions < decisions:
            first, each = kept.games // game.players, max(1, kept.decisions) / max(1, kept.games) * game.players
            wanted = int((decisions - kept.decisions) / each) + 1 if kept.games else runner.at_once
            for results in runner.play(range(first, first + min(wanted, DEALS_AT_ONCE)), processes):
                kept.add([result.steps for result in results], sum(sum(result.moves) for result in results))
                progress(kept.decisions)
                if kept.decisions >= decisions:
                    break
    finally:
        kept.finish()
    return CorpusPart(game.id, kept.games, digest(folder), kept.decisions)
