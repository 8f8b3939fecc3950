"""Strategy files: the result of a solver, to be played, read, checked or continued.

A file is a ZIP archive: ``about.json`` describes the game and the quality of the solution, and the ``.npy`` members are
arrays.  For each player p: ``key{p}`` and ``glance{p}`` (information sets), ``come{p}`` (the probability that the
player's own actions lead to each), ``count{p}`` (actions of each), ``deed{p}`` and ``chance{p}`` (actions and their
probabilities, set after set, float32).  The members ``regrets{p}``, ``sums{p}`` and ``chances{p}`` are the state of the
solver; a file without them can be played and checked, but not continued.

>>> import parlour, tempfile
>>> from parlour.solve.form import grow
>>> from parlour.solve.solver import Solver
>>> solver = Solver(grow(parlour.load("kuhn")))
>>> last = solver.run(target=1e-3)
>>> with tempfile.TemporaryDirectory() as folder:
...     save(found(solver), Path(folder) / "kuhn.zip")
...     kept = read(Path(folder) / "kuhn.zip")
>>> again = Solver(solver.form)
>>> restored(kept, again)
>>> again.iterations == solver.iterations
True
>>> isinstance(kept, Strategy), isinstance(kept.players[0], Behaviour), round(sum(kept.players[0].at(0).values()), 6)
(True, True, 1.0)
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parlour.base.disk import put, reading
from parlour.base.errors import ParlourError
from parlour.core.game import Game, load
from parlour.solve.tables import TablePolicy, read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.solve.sequences import SequenceForm
    from parlour.solve.solver import Solver

__all__ = ["Behaviour", "Strategy", "found", "read", "restored", "save"]

FORMAT = 1
"""Version of the format; a reader refuses others."""
TABLE = "a table"
"""The method of a strategy that was read from a table: its value is computed, and not said by the file."""
LARGEST = 1 << 32  # most bytes of a file in the archive
_ARRAYS = ("key", "glance", "come", "count", "deed", "chance")


@dataclass(frozen=True)
class Behaviour:
    """One player's strategy: information set ``i`` (``key[i]``, ``glance[i]``: uint64, shape (sets,)), to which their
    own actions lead with probability ``come[i]`` (float32, shape (sets,)), has ``count[i]`` (int32, shape (sets,))
    actions ``deed`` (ids: int16, shape (actions,)) with probabilities ``chance`` (float32, shape (actions,)), beginning
    at ``first[i]``."""

    key: NDArray[np.uint64]
    glance: NDArray[np.uint64]
    come: NDArray[np.float32]
    count: NDArray[np.int32]
    deed: NDArray[np.int16]
    chance: NDArray[np.float32]

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The place of each set's first action: int64, shape (sets,)."""
        return np.cumsum(self.count, dtype=np.int64) - self.count

    def at(self, i: int) -> dict[int, float]:
        """The actions of set ``i`` with their probabilities, which add up to 1."""
        own = slice(int(self.first[i]), int(self.first[i] + self.count[i]))
        chances = self.chance[own].astype(float)
        return dict(zip(self.deed[own].tolist(), (chances / chances.sum()).tolist(), strict=True))


@dataclass(frozen=True)
class Strategy:
    """A strategy for both seats of one deal of a game, and facts about it.

    ``about``: ``method``, ``value`` (lower and upper) and ``exploitability``, both in the game's own unit,
    ``iterations``, ``seconds``, ``information_sets``, ``nodes``, ``after`` (the steps before the tree begins),
    ``reduced`` (only actions that are enough), ``checks`` (rows of iterations, seconds, lower, upper).  ``state``: the
    state of the solver, six arrays (float64, shape (sequences,)), or none if they were left out.
    """

    game: Game
    players: tuple[Behaviour, Behaviour]
    about: Mapping[str, Any]
    state: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def compact(self) -> Strategy:
        """Return the strategy without the state of the solver."""
        return replace(self, state={})


def found(solver: Solver) -> Strategy:
    """The average strategy of a solver so far, with the result of its last check."""
    made = made_of(solver.form, (solver.average(0), solver.average(1)), account(solver))
    return replace(made, state=solver._state())


def made_of(
    form: SequenceForm, plans: tuple[NDArray[np.float64], NDArray[np.float64]], about: Mapping[str, Any]
) -> Strategy:
    """The strategy of two realisation plans."""
    sides = []
    for plan, tree in zip(plans, form.players, strict=True):
        chance, come = tree.chances(plan)[1:].astype(np.float32), plan[tree.parent].astype(np.float32)
        sides.append(Behaviour(tree.key, tree.glance, come, tree.count, tree.deed[1:], chance))
    assert isinstance(form.game, Game)
    return Strategy(form.game, (sides[0], sides[1]), about)


def strategy_of(policy: TablePolicy) -> Strategy:
    """Return a table as a strategy, which can be played: where it says nothing, all actions are equally likely."""
    from parlour.solve.form import grow
    from parlour.solve.solver import Solver

    form = grow(policy.game, after=policy.game.definition.made.after)
    plans, _ = policy.plans(form)
    lower, upper = Solver(form).bracket(plans)
    sizes = {"information_sets": form.information_sets, "nodes": form.nodes}
    worth = {"value": [lower, upper], "exploitability": (upper - lower) / 2, "checks": []}
    about = {"method": TABLE, "iterations": 0, "seconds": 0.0, "after": list(form.after), "reduced": False}
    return made_of(form, plans, {**about, **sizes, **worth})


def account(solver: Solver) -> dict[str, Any]:
    """The progress of a solver, as JSON-able data."""
    last = solver.checks[-1] if solver.checks else solver.check()
    return {
        "method": solver.method,
        "value": [last.lower, last.upper],
        "exploitability": last.exploitability,
        "iterations": last.iterations,
        "seconds": solver.seconds,
        "information_sets": solver.form.information_sets,
        "nodes": solver.form.nodes,
        "after": list(solver.form.after),
        "reduced": solver.form.reduced,
        "checks": [[c.iterations, c.seconds, c.lower, c.upper] for c in solver.checks],
    }


def save(strategy: Strategy, file: str | Path) -> None:
    """Write a strategy file; an existing file is replaced completely or not at all."""
    game = strategy.game
    about = {
        "format": FORMAT,
        "game": game.id,
        "package": game.definition.package,
        "version": game.definition.version,
        "players": game.players,
        "options": dict(game.options),
        **strategy.about,
    }
    members: dict[str, Any] = {}
    for p, side in enumerate(strategy.players):
        for name in _ARRAYS:
            members[f"{name}{p}"] = getattr(side, name)
    members |= strategy.state
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        _put(archive, "about.json", json.dumps(about, indent=1).encode())
        for name, array in members.items():
            written = io.BytesIO()
            np.lib.format.write_array(written, np.ascontiguousarray(array), allow_pickle=False)
            _put(archive, f"{name}.npy", written.getvalue())
    put(file, whole.getvalue())


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name)  # no date, so that equal strategies make equal files
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def read(file: str | Path) -> Strategy:
    """Return the strategy in a file, or that of a policy in a ``.json`` file (:mod:`parlour.solve.tables`).  Raises
    ``ParlourError`` if it is neither, or if it is for a game or rules that do not exist here."""
    if Path(file).suffix == ".json" and not zipfile.is_zipfile(file):
        return strategy_of(read_table(file))
    with reading(file, ParlourError("{file} is not a strategy file of Parlour.", file=file)):
        with zipfile.ZipFile(file) as archive:
            about = json.loads(archive.read("about.json"))
            if about.get("format") != FORMAT:
                raise ParlourError(
                    "{file} has format {get}; this Parlour reads format {format}. Solve it again.",
                    file=file,
                    get=about.get("format"),
                    format=FORMAT,
                )
            arrays = {n.removesuffix(".npy"): _array(archive, n) for n in archive.namelist() if n.endswith(".npy")}
        game = load(about.pop("game"), about.pop("players"), **about.pop("options"))
        if game.definition.version != about["version"]:
            raise ParlourError(
                "{file} was solved under version {version} of the rules of {name}; "
                "they are at version {other_version} now. Solve it again.",
                file=file,
                version=about["version"],
                name=game.definition.said_name,
                other_version=game.definition.version,
            )
        sides = []
        for p in range(2):
            side = Behaviour(*(arrays.pop(f"{name}{p}") for name in _ARRAYS))
            if not len(side.key) == len(side.glance) == len(side.come) == len(side.count) or not int(
                side.count.sum()
            ) == len(side.deed) == len(side.chance):
                raise ValueError("lengths")
            sides.append(side)
        return Strategy(game, (sides[0], sides[1]), about, arrays)


def must_be_free(file: str | Path, game: Game, after: Sequence[str]) -> None:
    """Raise ``ParlourError`` if a file holds anything but a strategy for this deal, of any version of its rules."""
    if not os.path.isfile(file) or not os.path.getsize(file):
        return
    other = ParlourError(
        "{file} already exists and does not hold a strategy for this deal of {name}; name another file.",
        file=file,
        name=game.definition.said_name,
    )
    with reading(file, other):
        with zipfile.ZipFile(file) as archive:
            about = json.loads(archive.read("about.json"))
        if (about["game"], about["options"], about["after"]) != (game.id, dict(game.options), [*after]):
            raise other


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    if archive.getinfo(name).file_size > LARGEST:
        raise ValueError(name)
    array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
    return array


def must_go_on(strategy: Strategy) -> None:
    """Raise ``ParlourError`` for a strategy without the state of a solver."""
    if not strategy.state:
        raise ParlourError(
            "This file can be played and checked, but not continued: it is a table, was sampled, or was saved with"
            " --compact."
        )


def restored(strategy: Strategy, solver: Solver) -> None:
    """Let ``solver``, made for the same game, go on from ``strategy``. Raises ``ParlourError`` if it is of another
    game, or was saved without its state."""
    from parlour.solve.solver import Check

    must_go_on(strategy)
    state = dict(strategy.state)
    for p, (side, tree) in enumerate(zip(strategy.players, solver.form.players, strict=True)):
        if not np.array_equal(np.sort(side.key), np.sort(tree.key)):
            raise ParlourError("The saved file does not fit this game: its information sets are different.")
        there = np.argsort(side.key)[np.argsort(np.argsort(tree.key))]  # the place in the file of each information set
        if not np.array_equal(side.count[there], tree.count):
            raise ParlourError("The saved file does not fit this game: its actions are different.")
        within = np.arange(1, tree.sequences) - np.repeat(tree.first, tree.count)
        order = np.concatenate([[0], np.repeat(1 + side.first[there], tree.count) + within])
        for name in ("regrets", "sums", "chances"):
            state[f"{name}{p}"] = state[f"{name}{p}"][order]
    about = strategy.about
    solver._restore(state, about["iterations"], about["seconds"])
    solver.checks = [Check(*row) for row in about["checks"]]


def plans(strategy: Strategy, form: SequenceForm) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The strategy's realisation plans in a form of its game; in sets that it does not contain all actions are equally
    likely."""
    both = []
    for side, tree in zip(strategy.players, form.players, strict=True):
        chances = np.ones(tree.sequences)
        known = {key: i for i, key in enumerate(side.key.tolist())}
        for i, key in enumerate(tree.key.tolist()):
            own = slice(int(tree.first[i]), int(tree.first[i] + tree.count[i]))
            mixed = side.at(known[key]) if key in known else {}
            chances[own] = [mixed.get(a, 0.0) for a in tree.deed[own].tolist()] if mixed else 1 / tree.count[i]
        both.append(tree.plan(chances))
    return both[0], both[1]
