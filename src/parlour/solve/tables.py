"""A policy as a table in a text file, so that what any program has learned of a small game can be measured here.

The file is JSON: ``format``, ``game``, ``players``, ``options`` (those that are not standard), ``made`` (any facts
about it, such as its author and the number of decisions) and ``policy``, a table for each seat.  A table has the
information key in 16 hexadecimal digits (:meth:`parlour.State.information_key`), and for it actions by their names,
each with a weight.

>>> import parlour, tempfile
>>> from parlour.solve.form import grow
>>> state = parlour.load("kuhn").new(seed=1)
>>> tables = [{state.information_key(0): {0: 3.0, 1: 1.0}}, {}]
>>> with tempfile.TemporaryDirectory() as folder:
...     write_policy(Path(folder) / "mine.json", TablePolicy(state.game, tables, {"decisions": 1}))
...     policy = read_table(Path(folder) / "mine.json")
>>> plans, missing = policy.plans(grow(policy.game))
>>> missing, policy.made["decisions"], plans[0].shape
(11, 1, (13,))
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parlour.base.disk import put, reading
from parlour.base.errors import QUOTED, ParlourError, unknown
from parlour.base.languages import marked
from parlour.base.naming import shortened
from parlour.core.game import Game, loaded
from parlour.engine.ruleset import of_kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.solve.sequences import SequenceForm

__all__ = ["TablePolicy", "probabilities", "read_table", "write_policy"]

FORMAT = "parlour-policy 1"
"""The name of the file format."""
FIELDS = "format", "game", "players", "options", "made", "policy"
KEY = re.compile("[0-9a-fA-F]{16}")
SLACK = 1e-6
"""By how much probabilities may miss the sum of 1: they may have been added up in float32."""


def probabilities(given: Any, legal: Sequence[int], what: str) -> dict[int, float]:
    """Return what a player's ``chances(view, legal)`` has ``given``: probabilities by action; legal actions that are
    left out have none.  Raises ``ParlourError``, which says ``what`` was asked, if they are anything else.

    >>> probabilities({0: 0.25, 2: 0.75}, [0, 1, 2], "Mine.chances")
    {0: 0.25, 2: 0.75}
    """
    try:
        found = {index(action): float(chance) for action, chance in given.items()}
    except (AttributeError, TypeError, ValueError):
        found = {}
    each = all(a in legal and math.isfinite(chance) and chance >= 0 for a, chance in found.items())
    if not each or abs(sum(found.values()) - 1) > SLACK:
        raise ParlourError(
            "{what} returned {given}, not probabilities of legal actions by their ids ({legal}), which are 0 or more"
            " and add up to 1.",
            what=what,
            given=repr(given),
            legal=", ".join(map(str, legal)),
        )
    return found


class TablePolicy(NamedTuple):
    """The policies of both seats of a ``game``.  ``tables``: for each seat the weights of its actions, by information
    key; ``made``: facts about it; ``file``: where it was read, which errors name."""

    game: Game
    tables: Sequence[Mapping[int, Mapping[int, float]]]
    made: Mapping[str, Any] = {}
    file: str = ""

    def plans(self, form: SequenceForm) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64]], int]:
        """The realisation plans (float64, shape (sequences,)) in a form of its game, and the number of information sets
        that it does not contain; there all actions are equally likely.  Raises ``ParlourError`` for weights that are
        not probabilities, and for keys that the game does not have."""
        plans, missing = [], 0
        for p, (table, tree) in enumerate(zip(self.tables, form.players, strict=True)):
            chances = np.ones(tree.sequences)
            strange = [*table.keys() - set(tree.key.tolist())]
            if strange and (
                not form.after or len(strange) == len(table)
            ):  # others may come before what it begins after
                raise ParlourError(
                    "{n} of {all} keys of {policy} for seat {p} are unknown in {game}: {key} …",
                    policy=self.file or marked("this policy"),
                    n=len(strange),
                    all=len(table),
                    p=p,
                    game=self.game.id,
                    key=f"{min(strange):016x}",
                )
            for i, key in enumerate(tree.key.tolist()):
                own = slice(int(tree.first[i]), int(tree.first[i] + tree.count[i]))
                known = table.get(key, {})
                weights = np.array([known.get(a, 0.0) for a in tree.deed[own].tolist()])
                missing += not known
                illegal = any(known[a] for a in known.keys() - set(tree.deed[own].tolist()))
                if known and (illegal or not (np.isfinite(weights).all() and weights.min() >= 0 < weights.sum())):
                    raise ParlourError(
                        "The weights of {policy} at {key} are not 0 or more, with one above 0, of the legal actions"
                        " alone ({legal}): {weights}.",
                        policy=self.file or marked("this policy"),
                        key=f"{key:016x}",
                        legal=", ".join(f"{a} {self.game.action_names[a]}" for a in tree.deed[own].tolist()),
                        weights=dict(known),
                    )
                chances[own] = weights / weights.sum() if known else 1 / tree.count[i]
            plans.append(tree.plan(chances))
        return (plans[0], plans[1]), missing


def write_policy(file: str | Path, policy: TablePolicy) -> None:
    """Write a policy; an existing file is replaced completely or not at all.  Raises ``ParlourError`` for what are no
    weights of actions."""
    game, names = policy.game, policy.game.action_names
    usual = game.definition.options
    for action, weight in (one for table in policy.tables for mixed in table.values() for one in mixed.items()):
        if action not in range(len(names)) or not (math.isfinite(weight) and weight >= 0):
            raise ParlourError(
                "A policy has weights of 0 or more by ids of actions, not {weight!r} for {action!r}.",
                weight=weight,
                action=action,
            )
    tables = [
        {f"{key:016x}": {names[a]: w for a, w in sorted(mixed.items())} for key, mixed in sorted(table.items())}
        for table in policy.tables
    ]
    about = {
        "format": FORMAT,
        "game": game.id,
        "players": game.players,
        "options": {name: value for name, value in game.options.items() if value != str(usual[name].default)},
        "made": dict(policy.made),
        "policy": tables,
    }
    put(Path(file), json.dumps(about, indent=1).encode())


def read_table(file: str | Path) -> TablePolicy:
    """Return the policy in a file.  Raises ``ParlourError``, which says what is wrong, if it holds none, or for a game
    that is not here."""

    def wrong(why: object) -> ParlourError:
        return ParlourError("{file} holds no policy: {why}", file=file, why=why)

    def of(kind: type, given: Any, place: str) -> Any:
        if not isinstance(given, kind):
            what = marked("an object in curly brackets") if kind is dict else marked("a list in square brackets")
            said = shortened(json.dumps(given), QUOTED)
            raise wrong(marked("{place} must be {what}, not {said}.", place=place, what=what, said=said))
        return given

    with reading(file, wrong(marked("write_policy of parlour.solve.policies and `parlour solve --out` write one."))):
        try:
            about = json.loads(Path(file).read_text("utf-8"))
        except json.JSONDecodeError as error:
            raise wrong(marked("line {line}: {what}.", line=error.lineno, what=error.msg)) from None
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            got = about.get("format") if isinstance(about, dict) else None
            raise wrong(marked("its format is {got!r}, not {format!r}.", got=got, format=FORMAT))
        if lacking := [name for name in ("game", "players", "policy") if name not in about]:
            raise wrong(marked("it has no {names}.", names=", ".join(lacking)))
        if strange := [name for name in about if name not in FIELDS]:
            raise wrong(unknown("field", strange[0], FIELDS).args[0])
        options, made = (of(dict, about.get(name, {}), name) for name in ("options", "made"))
        try:
            game = loaded(of_kind(about["game"], str, "the name of a game"), about["players"], options)
        except ParlourError as error:
            raise wrong(error.args[0]) from None
        given = of(list, about["policy"], "policy")
        if len(given) != game.players:
            raise wrong(marked("it needs a table for each of {n} seats, not {got}.", n=game.players, got=len(given)))
        ids, tables = {name: a for a, name in enumerate(game.action_names)}, list[dict[int, dict[int, float]]]()
        for p, given_table in enumerate(given):
            table = dict[int, dict[int, float]]()
            for key, mixed in of(dict, given_table, f"policy[{p}]").items():
                if not KEY.fullmatch(key):
                    raise wrong(marked("the key {key!r} is not 16 hexadecimal digits.", key=key))
                for name, weight in of(dict, mixed, f'policy[{p}]["{key}"]').items():
                    if name not in ids:
                        what = unknown("action", name, ids).args[0]
                        raise wrong(marked("policy[{p}], {key}: {what}", p=p, key=key, what=what))
                    if isinstance(weight, bool) or not isinstance(weight, int | float):
                        raise wrong(
                            marked("{weight!r} of {name} at {key} is no number.", weight=weight, name=name, key=key)
                        )
                table[int(key, 16)] = {ids[name]: float(weight) for name, weight in mixed.items()}
            tables.append(table)
        return TablePolicy(game, tables, made, str(file))
