"""Training a network to infer others' cards from their choices (:mod:`parlour.players.kernels.beliefs`).

Players play each other by the same policy that ``best`` uses in imagined games (what was learned, or the rule of
thumb), with a random action now and then.  At some decisions the network has to find the true world among redeals; the
gradient of its loss is added up in the same compiled loop.  The rest is as in :mod:`parlour.study.training`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.errors import ParlourError
from parlour.base.extras import needed
from parlour.engine.hashing import MASK, mix, seed_word
from parlour.players.beliefs import shape_for, vector
from parlour.players.kernels.beliefs import POSITIONS
from parlour.players.kernels.networks import HEAD, LAYERS, TAIL
from parlour.players.kind import Kind
from parlour.players.learned import why_not
from parlour.players.nets import Network, Shape
from parlour.study import arena
from parlour.study.intervals import Estimate, mean_estimate
from parlour.study.kernels.learning import DECISIONS, KERNEL, Study
from parlour.study.plan import THUMB, Plan
from parlour.study.training import CHECK_SEED, DECISIONS_A_PART, Learning

with needed("fast"):
    import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.game import Game

WORLDS = 8
"""Worlds among which the true one is to be found."""
OFTEN = 4
"""One decision in this many is used for training."""
LAPSES = 0.05
"""The chance that a player chooses at random, so that no choice is impossible."""
CHECKED = 1500
"""About this many decisions are measured for a line of a learning curve, from at least two games that are not used for
training, and without random choices."""
MANY = 32
"""Worlds among which the true one is to be found in those games."""
MEASURED = 16
"""Games that are played to measure the number of decisions in a game."""
ROOM = 256
"""The most decisions of a game that are noted, on average."""
LEARNING = 0x62656C69656673
"""Keeps the seeds of games for training apart from those of other games."""


class BeliefsProgress(NamedTuple):
    """A line of a learning curve: games played, seconds spent on them, and the mean information, in ``bits`` (at most
    5), that the network finds in a decision about the true world, in other games. (With b bits, the average network
    gives the true world among 32 a probability of 2^b / 32.)"""

    games: int
    seconds: float
    bits: Estimate


class Beliefs(Learning):
    """A network in training to infer cards from choices."""

    window = 10

    def __init__(self, plan: Plan, threads: int = 1) -> None:
        game = plan.game
        if game.definition.hides_nothing:
            raise ParlourError("{name} hides nothing: there is nothing to infer.", name=game.definition.said_name)
        if plan.against != THUMB:
            raise ParlourError("--beliefs watches the players whom best imagines; leave out --against.")
        shape = shape_for(game, plan.hidden)
        super().__init__(plan, shape, threads)
        self._tables = [_Table(plan, shape) for _ in range(self.threads)]
        self._begin_with(_first_weights(shape, plan.seed))
        table = self._tables[0]
        table.watch(self._vector(), -MEASURED - 1, MEASURED, WORLDS, LAPSES)
        if not table.change[DECISIONS]:
            raise ParlourError(
                "In {name} with these house rules there is nothing to learn.", name=game.definition.said_name
            )
        decisions = table.change[DECISIONS] / MEASURED
        self.batch = plan.parts * max(1, round(DECISIONS_A_PART / 4 / decisions))
        self._checks = max(2, round(CHECKED / decisions))

    def as_data(self) -> dict[str, Any]:
        return {**self.plan.as_data(), "network": "beliefs"}

    def _vector(self) -> NDArray[np.float64]:
        return np.array(vector(self._with(self.weights)))

    def _with(self, weights: NDArray[np.float64], **made: Any) -> Network:
        return Network(self.shape, 0.0, 0.0, 0.0, weights.tolist(), made)

    def _part(self, i: int, thread: int, vector: NDArray[np.float64], games: int) -> NDArray[np.float64]:
        table = self._tables[thread]
        table.watch(vector, self.played + i * games, games, WORLDS, LAPSES)
        return table.change

    def network(self, **made: Any) -> Network:
        return self._with(self.average.astype(np.float16).astype(np.float64), **made)

    def _report(self) -> BeliefsProgress:
        bits = revealed(self.plan, self.network(), self._checks)
        self._error[:] = 0
        report = BeliefsProgress(self.played, self.seconds, bits)
        line = {"games": self.played, "seconds": round(self.seconds, 1)}
        self.curve.append({**line, "bits": round(bits.mean, 4), "low": round(bits.low, 4), "high": round(bits.high, 4)})
        return report


def revealed(plan: Plan, network: Network, games: int) -> Estimate:
    """Return how many bits a network finds in the choices of others, on average over the decisions of games that were
    not used for training; the interval is that of the means of games."""
    table = _Table(plan, network.shape, CHECK_SEED)
    told = table.watch(np.array(vector(network)), 0, games, MANY, 0.0, ROOM * games)
    bits = math.log2(MANY) - told[:, 1] / math.log(2)
    by_game = [bits[told[:, 0] == i] for i in range(games)]
    each = np.array([(len(found), found.sum()) for found in by_game if len(found)])
    mean = each[:, 1].sum() / each[:, 0].sum()
    # The error of a ratio of means is taken over games: the decisions of one game depend on each other.
    return mean_estimate((mean + (each[:, 1] - mean * each[:, 0]) / each[:, 0].mean()).tolist())


def _first_weights(shape: Shape, seed: int) -> NDArray[np.float64]:
    """Small random weights of the tensor and of the last sum."""
    draws = np.random.default_rng(seed)
    weights = np.zeros(shape.weights)
    first, last = shape.inputs * shape.hidden, shape.weights - TAIL - shape.hidden
    weights[:first] = draws.normal(0, 0.05, first)
    weights[last : last + shape.hidden] = draws.normal(0, 0.1, shape.hidden)
    return weights


class _Table:
    """The memory in which parts of a batch are played, one at a time."""

    def __init__(self, plan: Plan, shape: Shape, seeds: int = LEARNING) -> None:
        from parlour.engine.positions import to_record

        game: Game = plan.game
        kind = Kind("rule-of-thumb" if why_not(game) else "learned")
        _, (self._how, *_), room = arena.set_up(game, [kind] * game.players)
        self._code = KERNEL.compiled(game.definition)
        positions = np.zeros(POSITIONS, self._code.dtype)
        for position in positions:
            to_record(game.definition, game.blank(), position)
        self._first = np.uint64(mix(seed_word(plan.seed) ^ seeds & MASK))
        self._begin = positions, room.start, np.zeros(1, np.uint64)
        self._scratch = room.chosen, room.weighing
        rows = MANY * (game.players - 1)
        self._rows = np.zeros((rows, shape.inputs), np.float32), np.zeros((rows, LAYERS * shape.hidden)), np.zeros(MANY)
        self.change = np.zeros(HEAD + shape.weights)

    def watch(
        self, vector: NDArray[np.float64], begin: int, games: int, worlds: int, lapses: float, noted: int = 0
    ) -> NDArray[np.float64]:
        """Play games from number ``begin`` on, put the gradients into ``change``, and return a row for each of at most
        ``noted`` decisions: the game, and the loss."""
        self.change[:] = 0
        told = np.zeros((noted, 2))
        study = Study(OFTEN, lapses, vector, self.change, worlds, *self._rows, told)
        self._code.study_others(*self._begin, self._first, begin, games, self._how, *self._scratch, study)
        return told[: int(self.change[DECISIONS])]
