"""Training a player: a network learns by playing, inside the compiled rules.

What flows where, batch by batch:

1. *Play.*  :func:`parlour.engine.drivers.practise` plays a few games.  In every other game all seats are learners; in
   the rest one is, and the others play by rule of thumb.  Whoever learns to answer other players is always alone among
   them: it learns a best response, as far as such a network can express one.  A learner is told what its seat is told,
   as a tensor, and weighs its actions with the network of :mod:`parlour.engine.networks`; now and then it tries another
   than the best.
2. *Settle.*  When a deal is over, its returns are passed back through each learner's decisions (Watkins' Q(λ)): a
   decision is to expect what came of it, in part what was expected of the next one.  The error of what it did expect
   becomes a gradient, in the same compiled loop.
3. *Change.*  The gradients of the batch are added up, and the weights take a step (Adam: Kingma & Ba 2015).  A running
   average of the weights is what plays afterwards.

A batch is played in two halves of fixed size, whose gradients are added in order: one thread or two, the same command
makes the same weights.  The state of a training is kept in a file beside the network, from which it goes on.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.engine.drivers import DECISIONS, ERROR, FIRMNESS, RESULTS, SHORTNESS, SPREAD
from parlour.engine.hashing import MASK, mix, seed_word
from parlour.engine.networks import HEAD, LAYERS, TAIL
from parlour.errors import ParlourError
from parlour.extras import needed
from parlour.players.learned import stored
from parlour.players.nets import Network, Shape, shape_for, write
from parlour.study import arena
from parlour.study.intervals import Estimate, mean_estimate, share_estimate

with needed("fast"):
    import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.game import Game

HALVES = 2
DECISIONS_A_BATCH = 256
"""About how many decisions are learned from before the weights change."""
LONGEST = 1024
"""Decisions of a deal that are remembered; learning leaves out what comes later in a longer one."""
LASTING = 0.7
"""λ: how much of what a decision is to expect is what came of the next one, not what was expected there."""
CURIOUS = 0.3, 0.1
"""How often a learner tries another action than the best, at the beginning and at the end."""
RATE = 1e-3, 1e-5
"""The size of Adam's steps at the beginning and at the end."""
ADAM = 0.9, 0.999, 1e-6
AVERAGE = 0.9995
"""How much of the average of the weights stays when they have changed."""
BELIEF = 0.1
"""By how much an untrained network expects more of the rule of thumb's choice, in the unit of returns."""
REPORTS = 20
"""How many lines a learning curve has."""
CHECKS = 4000
"""Games for each of them, at most; they are not those that are learned from."""
FORMAT = 1
THUMB = "rule-of-thumb"
USUAL = {"against": THUMB, "network": "actions"}
"""What is left out where it stands as here."""


@dataclass(frozen=True)
class Plan:
    """What is to be trained: ``games`` to play in all, the ``seed`` of chance and of the first weights, the size of the
    ``hidden`` layer; ``against``: the kind of the others, ``rule-of-thumb``, ``random``, ``learned`` or
    ``learned:FILE``."""

    game: Game
    games: int = 1_000_000
    seed: int = 1
    hidden: int = 64
    against: str = THUMB

    def __post_init__(self) -> None:
        seed_word(self.seed)
        if self.games < 1:
            raise ParlourError(f"A training needs at least one game, not {self.games}.")
        if not 8 <= self.hidden <= 512 or self.hidden % 8:
            raise ParlourError(f"A hidden layer has 8, 16, 24 … 512 sums, not {self.hidden}.")
        if not self.game.definition.has("appraise"):
            name = self.game.definition.name
            raise ParlourError(f"{name} has no rule-of-thumb player, from which learning begins.")
        if not arena.all_compiled(self.game, [self.against]):
            raise ParlourError(
                f"Learners play against rule-of-thumb, random, learned or learned:FILE, not {self.against!r}."
            )

    def as_data(self) -> dict[str, Any]:
        game = self.game
        known = {"game": game.id, "players": game.players, "options": dict(game.options)}
        known |= {"against": self.against} if self.against != THUMB else {}
        return {**known, "rules": game.definition.rules.VERSION, "format": FORMAT, **self._numbers()}

    def _numbers(self) -> dict[str, int]:
        return {"games": self.games, "seed": self.seed, "hidden": self.hidden}


class Report(NamedTuple):
    """A line of a learning curve: games played, seconds spent on them, the mean square of the errors since the last
    line; the share of games that the average network wins among the players it learns against, and its mean return."""

    games: int
    seconds: float
    error: float
    share: Estimate
    returns: Estimate


class Learning:
    """A network in training.  :meth:`go_on` trains to the end of the plan, and can be interrupted."""

    batch: int
    """Games between two changes of the weights."""
    window = 1
    """How many times the weight of an average of all changes so far the last one has in the average, at first."""

    def __init__(self, plan: Plan, shape: Shape, changes: Sequence[NDArray[np.float64]], threads: int) -> None:
        """``changes``: where the halves of a batch put what is to be learned from them, the first for both."""
        self.plan, self.shape, self.threads = plan, shape, threads
        self.played, self.kept, self.changes, self.seconds = 0, 0, 0, 0.0
        self.curve: list[dict[str, float]] = []
        self._error = np.zeros(2)
        self._gradients = changes
        self._moments, self._scratch = np.zeros((2, shape.weights)), np.zeros(shape.weights)
        self.weights = np.zeros(shape.weights)
        self.average = self.weights.copy()

    def begin_with(self, weights: NDArray[np.float64]) -> None:
        self.weights, self.average = weights, weights.copy()

    # ------------------------------------------------------------------ what each kind of training does its own way

    def as_data(self) -> dict[str, Any]:
        """What is trained, and how."""
        return self.plan.as_data()

    def _vector(self) -> NDArray[np.float64]:
        """The vector that the compiled loops calculate with; its weights are changed as they are learned."""
        raise NotImplementedError

    def _half(self, i: int, vector: NDArray[np.float64], games: int) -> None:
        """Play half ``i`` of the next batch."""
        raise NotImplementedError

    def _report(self) -> Any:
        raise NotImplementedError

    def network(self, **made: Any) -> Network:
        """The average network, as files keep it: rounded to 16 bits."""
        raise NotImplementedError

    # ------------------------------------------------------------------ training

    def go_on(self, tell: Callable[[Any], None] = lambda report: None, keep: Path | None = None) -> None:
        """Train until all games of the plan are played.  ``tell`` gets each line of the learning curve; ``keep`` is a
        file that takes the state then."""
        vector = self._vector()
        weights = vector[HEAD : HEAD + self.shape.weights]
        weights[:] = self.weights
        with ThreadPoolExecutor(self.threads) as pool:
            while self.played < self.plan.games:
                begun = time.perf_counter()
                self._batch(vector, pool)
                self._change(weights)
                self.seconds += time.perf_counter() - begun
                if self.played * REPORTS // self.plan.games > len(self.curve):
                    self.weights = weights.copy()
                    tell(self._report())
                    if keep:
                        self.save(keep)

    def _batch(self, vector: NDArray[np.float64], pool: ThreadPoolExecutor) -> None:
        play = partial(self._half, vector=vector, games=self.batch // HALVES)
        for _ in map(play, range(HALVES)) if self.threads == 1 else pool.map(play, range(HALVES)):
            pass
        first, *others = self._gradients
        for other in others:
            first += other
        self._error += first[ERROR], first[DECISIONS]
        first /= max(first[DECISIONS], 1.0)
        self.played += self.batch

    def _change(self, weights: NDArray[np.float64]) -> None:
        """One step of Adam, and of the average."""
        gradient = self._gradients[0][HEAD : HEAD + self.shape.weights]
        (mean, square), scratch = self._moments, self._scratch
        self.changes += 1
        slow, slower, least = ADAM
        done = min(1.0, self.played / self.plan.games)
        rate = RATE[0] + (RATE[1] - RATE[0]) * done
        for moment, value, stays in ((mean, gradient, slow), (square, gradient * gradient, slower)):
            np.subtract(value, moment, out=scratch)
            scratch *= 1 - stays
            moment += scratch
        np.sqrt(square, out=scratch)
        scratch *= (1 - slower**self.changes) ** -0.5
        scratch += least
        np.divide(mean, scratch, out=scratch)
        scratch *= rate / (1 - slow**self.changes)
        weights -= scratch
        np.subtract(weights, self.average, out=scratch)
        scratch *= max(1 - AVERAGE, self.window / (self.changes + self.window))
        self.average += scratch

    # ------------------------------------------------------------------ keeping

    def export(self, file: Path, command: str, commit: str) -> None:
        """Put the average network into a file, with what made it."""
        made = {**self.as_data(), "command": command, "commit": commit}
        spent = {"played": self.played, "seconds": round(self.seconds), "curve": self.curve}
        write(file, self.plan.game, self.network(**made, **spent))

    def save(self, file: Path) -> None:
        """Keep the state in a file, all at once."""
        new = file.with_name(f"{file.name}.new")
        about = {"plan": self.as_data(), "played": self.played, "changes": self.changes, "curve": self.curve}
        with new.open("wb") as stream:
            np.savez(
                stream,
                about=np.array(json.dumps({**about, "seconds": self.seconds})),
                weights=self.weights,
                average=self.average,
                moments=self._moments,
                error=self._error,
            )
        new.replace(file)
        self.kept = self.played

    def load(self, file: Path) -> None:
        """Go on from a state that was kept; ``ParlourError`` if it is of another plan."""
        try:
            with np.load(file, allow_pickle=False) as kept:
                about = json.loads(str(kept["about"]))
                arrays = {name: kept[name] for name in ("weights", "average", "moments", "error")}
        except (zipfile.BadZipFile, KeyError, ValueError):
            raise ParlourError(f"{file} does not hold the state of a training.") from None
        before, now = about["plan"], self.as_data()
        for name in {**before, **now}:
            was, wanted = (found.get(name, USUAL.get(name)) for found in (before, now))
            if was != wanted:
                raise ParlourError(
                    f"{file} is of a training with {name} {was}, not {wanted}: give another file, or"
                    " --afresh to begin again."
                )
        self.played, self.changes, self.seconds = about["played"], about["changes"], about["seconds"]
        self.curve, self.kept = about["curve"], about["played"]
        self.weights, self.average = arrays["weights"], arrays["average"]
        self._moments, self._error = arrays["moments"], arrays["error"]


class Training(Learning):
    """A player in training.  One that learns to answer a network of its own size begins as that network."""

    def __init__(self, plan: Plan, threads: int = 1) -> None:
        shape = shape_for(plan.game, plan.hidden)
        self._halves = [_Half(plan, shape) for _ in range(HALVES)]
        super().__init__(plan, shape, [half.change for half in self._halves], threads)
        kind, _, file = plan.against.partition(":")
        known = stored(plan.game, file) if kind == "learned" else None
        if known is None or known.shape != shape:
            self.begin_with(_first_weights(shape, plan.seed))
            self._measure()
        else:
            self.begin_with(np.array(known.weights))
            self._measure()
            self.short, self.firm, self.unit = known.short, known.firm, known.unit

    def _measure(self) -> None:
        """Find the units of worth and of returns, and how many games make a batch, from games in which much is tried;
        they count for nothing else."""
        half, games = self._halves[0], MEASURED
        found = half.play(self._vector_in(1.0, 1.0, 1.0), -games - 1, games, 1.0, LASTING).copy()
        if not found[DECISIONS]:
            raise ParlourError(f"In {self.plan.game.definition.name} with these house rules there is nothing to learn.")
        means = float(found[SHORTNESS] / found[DECISIONS]), float(found[FIRMNESS] / found[DECISIONS])
        self.short, self.firm = (mean / (1 - mean) if 0 < mean < 1 else 1.0 for mean in means)
        self.unit = float(np.sqrt(found[SPREAD] / max(found[RESULTS], 1))) or 1.0
        self.batch = HALVES * max(1, round(DECISIONS_A_BATCH * games / found[DECISIONS] / HALVES))

    def _vector_in(self, short: float, firm: float, unit: float) -> NDArray[np.float64]:
        return np.array(Network(self.shape, short, firm, unit, self.weights.tolist()).vector(self.plan.game))

    def _vector(self) -> NDArray[np.float64]:
        return self._vector_in(self.short, self.firm, self.unit)

    def _half(self, i: int, vector: NDArray[np.float64], games: int) -> None:
        curious = CURIOUS[0] + (CURIOUS[1] - CURIOUS[0]) * self.played / self.plan.games
        self._halves[i].play(vector, self.played + i * games, games, curious, LASTING)

    def network(self, **made: Any) -> Network:
        rounded = self.average.astype(np.float16).astype(np.float64).tolist()
        return Network(self.shape, self.short, self.firm, self.unit, rounded, made)

    def _report(self) -> Report:
        checks = max(self.plan.game.players, min(CHECKS, self.plan.games // 50))
        share, returns = in_company(self.plan.game, self.network(), self.plan.against, checks, CHECK_SEED)
        error, decisions = self._error
        self._error[:] = 0
        report = Report(self.played, self.seconds, float(error / max(decisions, 1)), share, returns)
        line = {"games": self.played, "seconds": round(self.seconds, 1), "error": round(report.error, 5)}
        self.curve.append({**line, "share": round(share.mean, 4), "return": round(returns.mean, 4)})
        return report


MEASURED = 64
"""Games by which units are found."""
CHECK_SEED = 1 << 40


def _first_weights(shape: Shape, seed: int) -> NDArray[np.float64]:
    """Small random weights of the tensor and of the last sum; actions are told apart by the rule of thumb alone."""
    draws = np.random.default_rng(seed)
    weights = np.zeros(shape.weights)
    first, last = shape.inputs * shape.hidden, shape.weights - TAIL - shape.hidden
    weights[:first] = draws.normal(0, 0.1, first)
    weights[last : last + shape.hidden] = draws.normal(0, 0.1, shape.hidden)
    weights[shape.weights - TAIL + 1] = BELIEF
    return weights


class _Half:
    """Memory in which half a batch is played."""

    def __init__(self, plan: Plan, shape: Shape) -> None:
        self._code, (how, *_), room = arena.set_up(plan.game, [plan.against])
        first = np.uint64(mix(seed_word(plan.seed) ^ LEARNING & MASK))
        self._begin = room.positions, room.start, np.zeros(1, np.uint64), first
        self._others = how, *room.scratch
        rows = np.zeros((LONGEST, shape.inputs), np.float32)
        layers = np.zeros((LONGEST, LAYERS * shape.hidden))
        found = np.zeros((LONGEST, 4))
        used, brought = np.zeros(1, np.int64), np.zeros(plan.game.players)
        self._remembered = np.zeros((LONGEST, 2), np.int64), found, rows, layers, used, brought
        self.change = np.zeros(HEAD + shape.weights)

    def play(
        self, vector: NDArray[np.float64], begin: int, games: int, curious: float, lasting: float
    ) -> NDArray[np.float64]:
        """Play games from number ``begin`` on, and return what is learned from them; it is overwritten next time."""
        self.change[:] = 0
        given = *self._begin, begin, games, *self._others, vector, self.change, float(curious), float(lasting)
        self._code.practise(*given, *self._remembered)
        return self.change


LEARNING = 0x7061726C6F7572
"""Keeps the seeds of games that are learned from apart from those that are played."""


def in_company(game: Game, network: Network, others: str, games: int, seed: int) -> tuple[Estimate, Estimate]:
    """The share of games that a network wins in the company of others of one kind, and its mean return."""
    kinds: list[str | Network] = [network, *[others] * (game.players - 1)]
    deals = max(2, games // game.players)
    played = arena.contest(game, kinds, seed, range(deals))
    returns = played.returns.reshape(deals, game.players, game.players)
    seats = [holder.index(0) for holder in arena.holders(game.players)]
    own = returns[:, range(game.players), seats]
    best = returns == returns.max(axis=2, keepdims=True)
    won = best[:, range(game.players), seats] / best.sum(axis=2)
    return share_estimate(won.mean(axis=1).tolist()), mean_estimate(own.mean(axis=1).tolist())


__all__ = ["Learning", "Plan", "Report", "Training", "in_company"]
