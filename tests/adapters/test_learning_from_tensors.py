"""What a network learns from our information tensors of some information sets holds for the others, as with OpenSpiel's
own: the policy of CFR+ at Leduc poker, learned from 650 of its 936 information sets and judged by the other 286."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel
import pytest

import parlour
from parlour.adapters import openspiel
from parlour.solve.form import grow
from parlour.solve.policies import table_of
from parlour.solve.solver import Solver
from parlour.solve.strategy import found

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEARNED, SEEDS = 650, 5
STEPS, BATCH, HIDDEN, RATE = 8000, 16, 64, 3e-3


def information_sets() -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Our tensors of all information sets of Leduc, OpenSpiel's, and what CFR+ does there: both trees are walked side
    by side, since the two games have the same numbers for actions and cards."""
    game = parlour.load("leduc")
    solver = Solver(grow(game), "cfr+", threads=1)
    solver.run(target=0.0, iterations=1000)
    tables = table_of(found(solver)).tables
    openspiel.register()
    waiting = [tuple(pyspiel.load_game(name).new_initial_state() for name in ("parlour_leduc", "leduc_poker"))]
    rows: dict[int, tuple[Any, Any, Any]] = {}
    while waiting:
        ours, theirs = waiting.pop()
        if ours.is_terminal():
            continue
        assert ours.legal_actions() == theirs.legal_actions()
        waiting += [(ours.child(action), theirs.child(action)) for action in ours.legal_actions()]
        p = ours.current_player()
        if p >= 0 and (key := ours.played.information_key(p)) not in rows:
            chances = [tables[p][key].get(action, 0.0) for action in range(3)]
            rows[key] = ours.information_state_tensor(p), theirs.information_state_tensor(p), chances
    return tuple(np.array(part) for part in zip(*rows.values(), strict=True))  # type: ignore[return-value]


def error(tensors: NDArray[Any], chances: NDArray[Any], seed: int) -> float:
    """The mean square of the errors in the sets that a network with one hidden layer has not seen."""
    dice = np.random.default_rng(seed)
    order = dice.permutation(len(tensors))
    seen, others = order[:LEARNED], order[LEARNED:]
    x = tensors[:, tensors.std(axis=0) > 0]
    shapes = (x.shape[1], HIDDEN), (HIDDEN,), (HIDDEN, 3), (3,)
    weights = [dice.normal(0, 1 / np.sqrt(shape[0]), shape) if len(shape) > 1 else np.zeros(shape) for shape in shapes]
    moments = [[np.zeros(shape), np.zeros(shape)] for shape in shapes]

    def answer(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        inside = np.maximum(rows @ weights[0] + weights[1], 0)
        wish = np.exp(np.clip(inside @ weights[2] + weights[3], -30, 30))
        return inside, wish / wish.sum(axis=1, keepdims=True)

    for step in range(1, STEPS + 1):
        some = dice.choice(seen, BATCH, replace=False)
        inside, likely = answer(x[some])
        back = (likely - chances[some]) / len(some)  # of the cross entropy
        below = (back @ weights[2].T) * (inside > 0)
        slopes = x[some].T @ below, below.sum(axis=0), inside.T @ back, back.sum(axis=0)
        for weight, slope, moment in zip(weights, slopes, moments, strict=True):  # Adam
            moment[0] += 0.1 * (slope - moment[0])
            moment[1] += 0.001 * (slope**2 - moment[1])
            size = RATE * (1 - step / STEPS) * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            weight -= size * moment[0] / (np.sqrt(moment[1]) + 1e-8)
    return float(((answer(x[others])[1] - chances[others]) ** 2).sum(axis=1).mean())


@pytest.mark.long
def test_a_network_generalises_from_our_tensors_as_from_those_of_openspiel() -> None:
    """Measured: see ``docs/batches.md``."""
    ours, theirs, chances = information_sets()
    assert len(chances) == 936
    assert chances.sum(axis=1) == pytest.approx(1)
    mean = ((chances - chances.mean(axis=0)) ** 2).sum(axis=1).mean()
    errors = np.array([[error(tensors, chances, seed) for tensors in (ours, theirs)] for seed in range(SEEDS)])
    told = [f"{column.mean():.3f} ± {column.std(ddof=1):.3f}" for column in errors.T]
    print(f"ours {told[0]}, OpenSpiel's {told[1]}, the mean alone {mean:.3f}")
    lead = errors[:, 0] - errors[:, 1]  # of the same sets
    assert errors.max() < mean / 2
    assert lead.mean() < 2 * lead.std(ddof=1) / np.sqrt(SEEDS)
