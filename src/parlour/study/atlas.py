"""The atlas of house rules, option by option; long because its plan, its logbook and its figures all deal with trials.

A *trial* is one option of a game for a number of players: a setting with the standard value, and one for each other
value, all other options alike.  Its settings, and so its games, are those of ``parlour simulate`` with these values, so
one command plays a trial again, to the last digit.  The settings of all trials are the *cells* of the atlas.  No two
trials share a game, so one unlucky sample of the standard rules cannot make several options seem to matter.

The number of games of a cell is chosen so that all cells take about the same time: slow games get fewer.  A plan is
made once and kept in the atlas's folder with every cell that has been played (:class:`Atlas`), so that work can be
interrupted at any time.

>>> from tempfile import TemporaryDirectory
>>> trial = Trial("commit", 2, (), "comet_self", ("no", "yes"), "random")
>>> [sized] = plan([trial], total=2000)  # about as many games in all
>>> with TemporaryDirectory() as folder:
...     atlas = Atlas.begin(Path(folder) / "atlas", [replace(trial, games=1000)])
...     atlas.play()
...     effects_of = all_effects(atlas, atlas.finished())
...     as_data(atlas)["games"]
2000
>>> sorted(effects_of), isinstance(effects_of["commit"][0], Effect)
(['commit'], True)
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final

from parlour import __version__
from parlour.base import disk
from parlour.base.errors import ParlourError, reason
from parlour.base.extras import needed
from parlour.core.game import Game, load
from parlour.engine.definition import Definition, definition
from parlour.engine.house_rules import sample_values
from parlour.engine.ruleset import whole_number
from parlour.players.kind import Kind
from parlour.study import surveying
from parlour.study.intervals import Estimate
from parlour.study.simulate import FEW, Measure, Survey, compare, simulate

__all__ = ["Atlas", "Cell", "Effect", "Trial", "all_effects", "as_data", "plan", "trials"]

PLAN, LOGBOOK, REPORT = "plan.json", "cells.jsonl", "atlas.html"
LEAST = 50
"""Games that a cell has at least."""
PILOT = 0.02
"""Seconds of processor time for which a cell is played to measure its speed."""
LEVEL = 0.05
"""The share of the effects reported that may be false, in each game."""


@dataclass(frozen=True)
class Cell:
    """Games of one setting: ``options`` are those that differ from the standard rules; ``seed`` is the first."""

    game: str
    players: int
    options: tuple[tuple[str, str], ...]
    player: str
    games: int
    seed: int = 0

    def load(self) -> Game:
        """Return the game under these rules."""
        return load(self.game, self.players, **dict(self.options))

    @property
    def command(self) -> str:
        """The command that plays these games.

        >>> Cell("diamonds", 3, (("games", "2"),), "rule-of-thumb", 1000).command
        'parlour simulate diamonds --players 3 --player rule-of-thumb --games 1000 --option games=2'
        """
        return _command(self, [f"{name}={value}" for name, value in self.options])


@dataclass(frozen=True)
class Trial:
    """The ``values`` of one ``option``, the standard one first; ``fixed`` are other options that these values, or this
    number of players, need; ``seed`` is that of the first game."""

    game: str
    players: int
    fixed: tuple[tuple[str, str], ...]
    option: str
    values: tuple[str, ...]
    player: str
    games: int = 0
    seed: int = 0

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells in order of the values.

        >>> [cell.seed for cell in Trial("diamonds", 2, (), "games", ("1", "2", "3"), "random", 500).cells]
        [0, 500, 1000]
        """
        options = [self.fixed, *((*self.fixed, (self.option, value)) for value in self.values[1:])]
        return tuple(
            Cell(self.game, self.players, chosen, self.player, self.games, self.seed + k * self.games)
            for k, chosen in enumerate(options)
        )

    @property
    def command(self) -> str:
        """The command that plays all cells and compares them."""
        if not self.option:
            return self.cells[0].command
        fixed = [f"{name}={value}" for name, value in self.fixed]
        return _command(self.cells[0], [*fixed, f"{self.option}={','.join(self.values)}"])


def _command(cell: Cell, options: Iterable[str]) -> str:
    seed = f" --seed {cell.seed}" if cell.seed else ""
    chosen = "".join(f" --option {option}" for option in options)
    return (
        f"parlour simulate {cell.game} --players {cell.players} --player {cell.player} --games {cell.games}{seed}"
        f"{chosen}"
    )


# ------------------------------------------------------------------------------------------ the plan of settings


def sensible(game: str) -> str:
    """Return the kind of player that an atlas uses for a game: rule of thumb, if there is one.

    >>> sensible("diamonds"), sensible("kuhn")
    ('rule-of-thumb', 'random')
    """
    return "rule-of-thumb" if definition(game).has("appraise") else surveying.RANDOM


def trials(game: str, player: str | None = None, numbers: Collection[int] = ()) -> Iterator[Trial]:
    """Yield the trials of a game for every number of players, or for these ``numbers`` only; of an option with many
    values, some of them.  If a game has several versions (option ``version``), its other options are tried in each
    version in which they change anything; an option that needs a value of another option is tried together with it.  If
    no option can be tried for a number of players, there is one trial of the standard rules alone. Raises
    ``ParlourError`` if there is no such game or player.

    >>> first = next(trials("diamonds"))
    >>> first.players, first.option, first.values
    (2, 'pile_choice', ('player', 'random_face_down'))
    """
    what, player = definition(game), player or sensible(game)
    for players in what.players:
        standard = what.options_for(players)
        if not what.allows(players, standard) or (numbers and players not in numbers):
            continue
        found = [
            Trial(game, players, fixed, name, (str(option.default), *values), player)
            for name, option in what.options.items()
            if name not in standard
            for fixed, values in _values(game, players, name)
        ]
        yield from found or [Trial(game, players, tuple(standard.items()), "", ("",), player)]


VERSION: Final = "version"
"""The option that chooses one of several games, if there is one: the meaning of other options depends on it."""


def _values(game: str, players: int, name: str) -> Iterator[tuple[tuple[tuple[str, str], ...], list[str]]]:
    """The other values of an option that are allowed, by the options that they need."""
    what = definition(game)
    allowed = list[tuple[tuple[tuple[str, str], ...], str]]()
    for value in sample_values(what.options[name], players)[1:]:
        for others in _beside(what, name):
            chosen = what.options_for(players, **{name: value}, **others)
            fixed = tuple((n, v) for n, v in chosen.items() if n != name)
            both = what.allows(players, chosen) and what.allows(players, dict(fixed))
            if both and (fixed, value) not in allowed:
                allowed.append((fixed, value))
    for fixed, some in groupby(sorted(allowed, key=lambda one: one[0]), key=lambda one: one[0]):
        yield fixed, [value for _, value in some]


def _beside(what: Definition, name: str) -> Iterator[dict[str, str]]:
    """Return the other options with which an option is tried: each version in which it changes anything, and the value
    of another option that it needs.

    >>> [*_beside(definition("diamondback"), "tie_dealer")]
    [{'next_dealer': 'winner'}, {'version': 'dealers'}, {'version': 'match', 'next_dealer': 'winner'}]
    """
    option, usual = what.options[name], {n: str(o.default) for n, o in what.options.items()}
    versions = list(what.options[VERSION].words)[1:] if VERSION in what.options and name != VERSION else []
    needed = next(({other: words[0]} for other, words in option.conditions if other != VERSION), None)
    for version in ({}, *({VERSION: word} for word in versions)):
        if option.applies({**usual, **version}):
            yield version
        elif needed:
            yield {**version, **needed}


def seconds_a_game(cell: Cell) -> float:
    """Return the processor time that a game of this setting takes here, measured on a few games."""
    game, batch, spent, played = cell.load(), 2, 0.0, 0
    surveying.way(game, Kind.parsed(cell.player))  # compile first, so that no game's time includes it
    while spent < PILOT:
        start = time.process_time()
        surveying.played(game, Kind.parsed(cell.player), range(played, played + batch), 1)
        spent += time.process_time() - start
        played, batch = played + batch, batch * 2
    return spent / played


def sizes(seconds: Sequence[float], games: int) -> list[int]:
    """Return the number of games for each cell, given the seconds that one game takes: all cells take about the same
    time, and there are about ``games`` in all.  Sizes are round numbers (1, 2 or 5 and zeros).

    >>> sizes([0.001, 0.001, 0.01], 5000)
    [2000, 2000, 200]
    >>> sizes([0.001], 100)
    [100]
    """
    if len(seconds) == 1:
        return [_round(games)]
    low, high = 0.0, games * max(seconds)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(_round(middle / each) for each in seconds) <= games else (low, middle)
    return [_round(low / each) for each in seconds]


def _round(number: float) -> int:
    if number <= LEAST:
        return LEAST
    zeros: int = 10 ** (len(str(int(number))) - 1)
    return next(n * zeros for n in (5, 2, 1) if n * zeros <= number)


def plan(found: Sequence[Trial], total: int, progress: Callable[[int], None] = lambda done: None) -> list[Trial]:
    """Return these trials with sizes that add up to about ``total`` games.  ``progress`` is called with the number of
    trials whose speed has been measured."""
    slowest = []
    known: dict[Game, float] = {}
    for trial in found:
        settings = {cell.load(): cell for cell in trial.cells}
        known |= {game: seconds_a_game(cell) for game, cell in settings.items() if game not in known}
        slowest.append(max(known[game] for game in settings))
        progress(len(slowest))
    cells = [each for trial, each in zip(found, slowest, strict=True) for _ in trial.values]
    chosen = dict(zip(cells, sizes(cells, total), strict=True))
    return apart([replace(trial, games=chosen[each]) for trial, each in zip(found, slowest, strict=True)])


def apart(found: Iterable[Trial]) -> list[Trial]:
    """Return these trials with seeds such that no two trials of a game and a number of players share any.

    >>> one = Trial("diamonds", 2, (), "games", ("1", "2", "3"), "random", 500)
    >>> [trial.seed for trial in apart([one, one])]
    [0, 1500]
    """
    used: dict[tuple[str, int], int] = {}
    placed = []
    for trial in found:
        seed = used.get((trial.game, trial.players), 0)
        placed.append(replace(trial, seed=seed))
        used[trial.game, trial.players] = seed + trial.games * len(trial.values)
    return placed


# ------------------------------------------------------------------------------------------ the folder of an atlas


class Atlas:
    """An atlas in its folder: ``plan.json`` (the trials) and ``cells.jsonl`` (each cell as it was finished)."""

    def __init__(self, folder: Path, planned: Sequence[Trial]) -> None:
        self.folder, self.trials = folder, tuple(planned)

    @classmethod
    def open(cls, folder: str | Path) -> Atlas | None:
        """Return the atlas that a folder holds, or ``None`` if it holds none.  ``ParlourError`` if the atlas cannot be
        read, or was begun by another version."""
        file = Path(folder) / PLAN
        if not file.exists():
            return None
        try:
            data = json.loads(file.read_text("utf-8"))
            version, found = data["version"], [_trial(one) for one in data["trials"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ParlourError("{file} is not the plan of an atlas.", file=file) from error
        if version != _versions(found):
            raise ParlourError(
                "The atlas in {folder} was begun with other rules or another Parlour; begin a new one.", folder=folder
            )
        return cls(Path(folder), found)

    @classmethod
    def begin(cls, folder: str | Path, planned: Sequence[Trial]) -> Atlas:
        """Save a plan in a new folder.  Raises ``ParlourError`` if the folder is not empty."""
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise ParlourError(
                    "{folder!r} is not an empty folder; an atlas needs one of its own.", folder=str(folder)
                )
            data = {"version": _versions(planned), "trials": [asdict(trial) for trial in planned]}
            disk.write(folder / PLAN, json.dumps(data, indent=1) + "\n")
        except OSError as error:
            raise ParlourError(
                "The folder {folder!r} cannot be written: {why}.", folder=str(folder), why=reason(error)
            ) from None
        return cls(folder, planned)

    @property
    def games(self) -> list[str]:
        """The ids of its games, in order."""
        return list(dict.fromkeys(trial.game for trial in self.trials))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, each once."""
        return tuple(dict.fromkeys(cell for trial in self.trials for cell in trial.cells))

    def finished(self) -> dict[Cell, Survey]:
        """Return the finished cells from the logbook; an incomplete last line is ignored."""
        found = {}
        try:
            lines = (self.folder / LOGBOOK).read_text("utf-8").splitlines()
        except FileNotFoundError:
            return {}
        for line in lines:
            try:
                data = json.loads(line)
                cell = Cell(**{**data["cell"], "options": tuple(map(tuple, data["cell"]["options"]))})
            except (ValueError, KeyError, TypeError):
                continue
            found[cell] = Survey.from_json(data["survey"])
        return found

    def play(self, threads: int | None = None, progress: Callable[[int], None] = lambda done: None) -> None:
        """Play the cells that are missing, one after another, and enter each in the logbook.  ``progress`` is called
        with the number of finished games of the whole atlas."""
        known = self.finished()
        done = sum(cell.games for cell in self.cells if cell in known)
        progress(done)
        for cell in self.cells:
            if cell in known:
                continue
            survey = simulate(
                cell.load(),
                cell.games,
                cell.seed,
                threads,
                lambda n, before=done: progress(before + n),  # type: ignore[misc]
                player=cell.player,
            )
            self.enter(cell, survey)
            done += cell.games

    def enter(self, cell: Cell, survey: Survey) -> None:
        """Enter a cell that has been played, here or elsewhere, in the logbook, and write it to disk.  Only one process
        at a time may do so.  Raises ``ParlourError`` if it cannot be written."""
        kept = ("game", "players", "options", "player", "planned", "threads", "seconds", "sums")
        data = survey.to_json()
        line = json.dumps({"cell": asdict(cell), "survey": {name: data[name] for name in kept}})
        try:
            with open(self.folder / LOGBOOK, "ab+") as logbook:
                if logbook.tell():
                    logbook.seek(-1, os.SEEK_END)
                    # an interrupted run may have left half a line
                    line = line if logbook.read(1) == b"\n" else f"\n{line}"
                logbook.write(f"{line}\n".encode())
                logbook.flush()
                os.fsync(logbook.fileno())
        except OSError as error:
            raise ParlourError(
                "{folder} cannot be written: {why}.", folder=self.folder / LOGBOOK, why=reason(error)
            ) from None


def _versions(planned: Iterable[Trial]) -> dict[str, Any]:
    games = dict.fromkeys(trial.game for trial in planned)
    return {"parlour": __version__, **{game: definition(game).version for game in games}}


def _trial(data: Mapping[str, Any]) -> Trial:
    return Trial(**{**data, "fixed": tuple(map(tuple, data["fixed"])), "values": tuple(data["values"])})


# ------------------------------------------------------------------------------------------ effects of options


@dataclass(frozen=True)
class Effect:
    """The effect of an option's value on one figure, compared with the standard value: ``value`` is the difference,
    ``p`` the probability of a difference at least as large by chance alone, ``q`` the same adjusted for the number of
    effects examined in the game (Benjamini and Hochberg 1995)."""

    trial: Trial
    cell: Cell
    measure: Measure
    p: float
    q: float = math.nan

    @property
    def is_found(self) -> bool:
        """Whether it is a discovery; a share :data:`LEVEL` of all discoveries may be false."""
        return self.q <= LEVEL


LOOKED_AT: Final = ("length", "choices", "ties", "won", "deals", "return a deal")
"""Figures that are compared, along with how often each clause fires: in a deal, or as a share of the games."""


def effects(trial: Trial, found: Mapping[Cell, Survey]) -> Iterator[Effect]:
    """Yield the effects of a trial whose cells have been played, not yet adjusted.  Clauses are compared by how often
    they fire in a deal or, if too few games show that, by the share of games in which they fire; those that fire in
    fewer than :data:`FEW` games of both settings are left out."""
    standard, *others = trial.cells
    for cell in others:
        if standard in found and cell in found:
            one, other = found[cell], found[standard]
            fired = [{c.clause for c in each.clauses if c.games.mean * each.games > FEW - 0.5} for each in (one, other)]
            clauses = {"games with": fired[0] | fired[1]}
            if one.deals and other.deals:
                clauses = {"per deal": fired[0] & fired[1], "games with": fired[0] ^ fired[1]}
            for measure in compare(one, other):
                if measure.what in LOOKED_AT or measure.of in clauses.get(measure.what, ()):
                    yield Effect(trial, cell, measure, probability(measure.value))


def probability(difference: Estimate) -> float:
    """Return the probability of a difference at least this large by chance alone: one less the level of confidence at
    which the interval would touch 0.  It is below 0.05 exactly if the 95% interval excludes 0.

    >>> round(probability(Estimate(1.0, 0.0, 2.0)), 3), probability(Estimate(0.0, -1.0, 1.0))
    (0.05, 1.0)
    """
    if difference.mean == 0:
        return 1.0
    half = difference.mean - difference.low if difference.mean > 0 else difference.high - difference.mean
    if half == 0:
        return 0.0
    normal = NormalDist()
    return 2 * normal.cdf(-normal.inv_cdf(0.975) * abs(difference.mean) / half)


def adjusted(found: Sequence[Effect]) -> list[Effect]:
    """Return these effects with their ``q`` (extra ``study``)."""
    with needed("study"):
        from scipy.stats import false_discovery_control
    if not found:
        return []
    qs = false_discovery_control([effect.p for effect in found])
    return [Effect(e.trial, e.cell, e.measure, e.p, float(q)) for e, q in zip(found, qs, strict=True)]


def all_effects(atlas: Atlas, found: Mapping[Cell, Survey]) -> dict[str, list[Effect]]:
    """Return the effects of each game, adjusted game by game."""
    return {
        game: adjusted([e for trial in atlas.trials if trial.game == game for e in effects(trial, found)])
        for game in atlas.games
    }


def as_data(atlas: Atlas) -> dict[str, Any]:
    """Return all results so far as JSON-able data: ``cells`` and ``effects``."""
    found = atlas.finished()
    cells = []
    for cell in atlas.cells:
        if cell in found:
            data = found[cell].to_json()
            for name in ("sums", "planned", "seconds", "threads", "decisions_per_second", "games_per_second"):
                del data[name]
            for clause in data["clauses"]:
                del clause["text"]
            cells.append({"changed": dict(cell.options), **data, "command": cell.command})
    return {
        "version": __version__,
        "games": sum(survey.games for survey in found.values()),
        "cells": cells,
        "effects": [
            {
                "game": e.cell.game,
                "players": e.cell.players,
                "fixed": dict(e.trial.fixed),
                "option": e.trial.option,
                "value": dict(e.cell.options)[e.trial.option],
                "less": e.trial.values[0],
                "measure": e.measure.what,
                "of": e.measure.of,
                **e.measure.value.as_data(),
                "p": e.p,
                "q": e.q,
                "command": e.trial.command,
            }
            for some in all_effects(atlas, found).values()
            for e in some
        ],
    }


def check_total(games: int) -> int:
    """Return the number of games if an atlas may have it.  Raises ``ParlourError`` if it is too small."""
    games = whole_number(games, "a number of games")
    if games < LEAST:
        raise ParlourError(
            "An atlas has at least {least} games in each cell, not {games} in all.", least=LEAST, games=games
        )
    return games
