"""Training a player: a network learns by playing, inside the compiled rules.

Each batch has three stages:

1. *Play.*  :func:`parlour.study.kernels.learning.practise` plays a few games.  In every other game all seats are
   learners; in the rest one is, and the others play by rule of thumb.  A player that learns to answer others is always
   alone among them: it learns a best response, as far as such a network can express one.  A learner gets its seat's
   view as a tensor, and weighs its actions with the network of :mod:`parlour.players.kernels.networks`; now and then it
   tries another action than the best.
2. *Settle.*  When a deal is over, its returns are passed back through each learner's decisions (Q(λ): Watkins 1989):
   the target of a decision is its result, mixed with the value expected of the next decision.  The error of the
   expected value becomes a gradient, in the same compiled loop.
3. *Change.*  The gradients of the batch are added up, and the weights take a step (Adam: Kingma & Ba 2015).  The
   trained player uses a running average of the weights.

A batch is played in parts of fixed size, whose gradients are added in order.  So the same plan gives the same weights
with any number of threads, and on a CUDA device (:mod:`parlour.study.gpu_training`), where each part has its own
thread.  The state of a training can be saved in a file next to the network, and continued on any machine.

>>> import parlour
>>> plan = Plan(parlour.load("diamonds"), games=3000, hidden=8)
>>> training, curve = Training(plan), []
>>> training.go_on(tell=curve.append)
>>> isinstance(training, Learning), isinstance(curve[-1], TrainingProgress), curve[-1].games
(True, True, 3008)
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.disk import put, reading
from parlour.base.errors import CompilationError, ParlourError
from parlour.base.extras import needed
from parlour.players.kernels.networks import HEAD, TAIL
from parlour.players.kind import Kind
from parlour.players.learned import stored
from parlour.players.nets import Network, Shape, shape_for, write
from parlour.study import arena
from parlour.study.intervals import Estimate, mean_estimate, share_estimate
from parlour.study.kernels.learning import DECISIONS, ERROR, FIRMNESS, RESULTS, SHORTNESS, SPREAD
from parlour.study.plan import PARTS, THUMB, Plan
from parlour.study.processor import OnProcessor

with needed("fast"):
    import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.game import Game

DECISIONS_A_PART = 128
"""The number of decisions in each part, approximately."""
WORTH_A_DEVICE = 4096
"""How many parts a batch must have for a device to be tried by default: a single thread of a device is slow."""
TRIED = 2
"""Batches that a device plays to show how fast it is."""
LASTING = 0.7
"""λ: the weight of the next decision's own target in the target of a decision; the rest is the value expected there."""
CURIOUS = 0.3, 0.1
"""How often a learner tries another action than the best, at the beginning and at the end."""
RATE = 1e-3, 1e-5
"""The size of Adam's steps at the beginning and at the end."""
ADAM = 0.9, 0.999, 1e-6
AVERAGE = 0.9995
"""The factor of the old average of the weights at each change."""
GROWTH = 0.75
"""The power with which steps grow with the size of a batch: between the square root (S. Malladi et al., "On the SDEs
and Scaling Rules for Adaptive Gradient Algorithms", NeurIPS 2022) and proportional growth."""
MOST_GROWN = 128
"""From this many times the usual size on, steps grow no further, because larger batches have not been measured."""
LEAST_MEMORY = 0.9
"""The least factor of the old average, even for large batches."""
BELIEF = 0.1
"""How much higher an untrained network values the rule of thumb's choice, in the unit of returns."""
REPORTS = 20
"""How many lines a learning curve has."""
CHECKS = 4000
"""The most games for each of these lines; they are not used for training."""
PROCESSOR, GPU = "processor", "gpu"
USUAL = {"against": THUMB, "network": "actions", "parts": PARTS}
"""Settings that are left out if they have these values."""


class TrainingProgress(NamedTuple):
    """A line of a learning curve: ``games`` played, ``seconds`` spent on them, the mean square of the errors since the
    last line (``error``); the ``share`` of games (0 to 1) that the average network wins among the players it learns
    against, and its mean ``returns``, in the game's own unit."""

    games: int
    seconds: float
    error: float
    share: Estimate
    returns: Estimate


class Learning:
    """A network in training.  :meth:`go_on` trains to the end of the plan, and can be interrupted.  Its attributes are
    the number of games ``played`` so far and of ``changes`` of the weights, the ``seconds`` spent; ``curve``: the lines
    of the learning curve, as JSON-able data, with their units as in :class:`TrainingProgress` (shares from 0 to 1).
    ``weights`` and their running ``average`` are float64, shape (``shape.weights``,)."""

    batch: int
    """Games between two changes of the weights."""
    window = 1
    """At first, the weight of the last change in the average, as a multiple of its weight in a plain mean."""
    on: str = PROCESSOR
    """Where the parts of batches are played: on the ``processor`` or a ``gpu``."""

    def __init__(self, plan: Plan, shape: Shape, threads: int) -> None:
        self.plan, self.shape, self.threads = plan, shape, min(threads, plan.parts)
        self.played, self.kept, self.changes, self.seconds = 0, 0, 0, 0.0
        self.curve: list[dict[str, float]] = []
        self._error = np.zeros(2)
        self._learned = np.zeros(HEAD + shape.weights)
        self._moments, self._scratch = np.zeros((2, shape.weights)), np.zeros(shape.weights)
        self.weights = np.zeros(shape.weights)
        self.average = self.weights.copy()

    def _begin_with(self, weights: NDArray[np.float64]) -> None:
        """Begin as another network."""
        self.weights, self.average = weights, weights.copy()

    # ------------------------------------------------------------------ parts for subclasses

    def as_data(self) -> dict[str, Any]:
        """The network and the settings of the training."""
        return self.plan.as_data()

    def _vector(self) -> NDArray[np.float64]:
        """The vector for the compiled loops; its weights are changed during training."""
        raise NotImplementedError

    def _part(self, i: int, thread: int, vector: NDArray[np.float64], games: int) -> NDArray[np.float64]:
        """Play part ``i`` of the next batch, and return its gradients; the thread's next part overwrites them."""
        raise NotImplementedError

    def _report(self) -> Any:
        raise NotImplementedError

    def network(self, **made: Any) -> Network:
        """The average network, rounded to 16 bits as in files."""
        raise NotImplementedError

    # ------------------------------------------------------------------ training

    def go_on(
        self,
        tell: Callable[[Any], None] = lambda report: None,
        keep: Path | None = None,
        say: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Train until all games of the plan are played.  ``tell`` is called with each line of the learning curve;
        ``keep`` is a file in which the state is saved each time.  ``say`` is called with a message if the processor has
        to take over from a device."""
        vector = self._vector()
        weights = vector[HEAD : HEAD + self.shape.weights]
        weights[:] = self.weights
        with self._batches(vector, say) as play:
            while self.played < self.plan.games:
                begun = time.perf_counter()
                play()
                self._error += self._learned[ERROR], self._learned[DECISIONS]
                self._learned /= max(self._learned[DECISIONS], 1.0)
                self.played += self.batch
                self._change(weights)
                self.seconds += time.perf_counter() - begun
                if self.played * REPORTS // self.plan.games > len(self.curve):
                    self.weights = weights.copy()
                    tell(self._report())
                    if keep:
                        self.save(keep)

    @contextmanager
    def _batches(self, vector: NDArray[np.float64], say: Callable[[str], None]) -> Iterator[Callable[[], None]]:
        """Yield a function that plays the parts of the next batch, and adds up their gradients in order."""
        parts, threads = self.plan.parts, self.threads

        def play() -> None:
            self._learned[:] = 0
            for first in range(0, parts, threads):
                numbers = range(first, min(first + threads, parts))
                for change in map(part, numbers) if threads == 1 else pool.map(part, numbers):
                    self._learned += change

        def part(i: int) -> NDArray[np.float64]:
            return self._part(i, i % threads, vector, self.batch // parts)

        with ThreadPoolExecutor(threads) as pool:
            yield play

    def _change(self, weights: NDArray[np.float64]) -> None:
        """One step of Adam, and of the average."""
        gradient = self._learned[HEAD : HEAD + self.shape.weights]
        (mean, square), scratch = self._moments, self._scratch
        self.changes += 1
        times = max(1.0, self.plan.parts / PARTS)
        slow, slower, least = ADAM[0], _memory(ADAM[1], times), ADAM[2]
        done = min(1.0, self.played / self.plan.games)
        rate = (RATE[0] + (RATE[1] - RATE[0]) * done) * min(times, MOST_GROWN) ** GROWTH
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
        scratch *= max(1 - _memory(AVERAGE, times), self.window / (self.changes + self.window))
        self.average += scratch

    # ------------------------------------------------------------------ files and weights

    def export(self, file: Path, command: str, commit: str) -> None:
        """Write the average network to a file, with the plan, the command and the commit that made it."""
        made = {**self.as_data(), "command": command, "commit": commit}
        spent = {"played": self.played, "seconds": round(self.seconds), "curve": self.curve}
        write(file, self.plan.game, self.network(**made, **spent))

    def save(self, file: Path) -> None:
        """Save the state in a file, completely or not at all."""
        about = {"plan": self.as_data(), "played": self.played, "changes": self.changes, "curve": self.curve}
        np.savez(
            stream := io.BytesIO(),
            about=np.array(json.dumps({**about, "seconds": self.seconds})),
            weights=self.weights,
            average=self.average,
            moments=self._moments,
            error=self._error,
        )
        put(file, stream.getvalue())
        self.kept = self.played

    def load(self, file: Path) -> None:
        """Go on from a saved state.  Raises ``ParlourError`` if it belongs to another plan."""
        other = ParlourError("{file} does not hold the state of a training.", file=file)
        with reading(file, other), open(file, "rb") as opened, np.load(opened, allow_pickle=False) as kept:
            about = json.loads(str(kept["about"]))
            arrays = {name: kept[name] for name in ("weights", "average", "moments", "error")}
        before, now = about["plan"], self.as_data()
        for name in {**before, **now}:
            was, wanted = (found.get(name, USUAL.get(name)) for found in (before, now))
            if was != wanted:
                raise ParlourError(
                    "{file} is of a training with {name} {was}, not {wanted}: give another file, or"
                    " --afresh to begin again.",
                    file=file,
                    name=name,
                    was=was,
                    wanted=wanted,
                )
        self.played, self.changes, self.seconds = about["played"], about["changes"], about["seconds"]
        self.curve, self.kept = about["curve"], about["played"]
        self.weights, self.average = arrays["weights"], arrays["average"]
        self._moments, self._error = arrays["moments"], arrays["error"]


class Training(Learning):
    """A player in training.  If it learns to answer a network of its own size, it begins as that network.

    ``on``: where it learns, the ``processor`` or a ``gpu``.  By default a device is tried if there is one, if batches
    have :data:`WORTH_A_DEVICE` parts, and if the game can be learned there: the first batches show which of the two is
    faster.  If the device fails, the processor takes over.  The weights are the same.  Raises ``ParlourError`` if a
    ``gpu`` is asked for but there is none, or if the game's rule of thumb uses functions that it rounds differently."""

    def __init__(self, plan: Plan, threads: int = 1, on: str | None = None) -> None:
        self.on, self._chosen = _where(plan, on), on is not None
        shape = shape_for(plan.game, plan.hidden)
        super().__init__(plan, shape, threads)
        self._tables = [OnProcessor(plan, shape) for _ in range(self.threads)]
        against = Kind.parsed(plan.against)
        known = stored(plan.game, against.setting or "") if against.name == "learned" else None
        if known is None or known.shape != shape:
            self._begin_with(_first_weights(shape, plan.seed))
            self._measure()
        else:
            self._begin_with(np.array(known.weights))
            self._measure()
            self.short, self.firm, self.unit = known.short, known.firm, known.unit

    def _measure(self) -> None:
        """Find the units of worth and of returns, and the number of games in a batch, from games with many trials;
        these games are not used for training."""
        table, games = self._tables[0], MEASURED
        found = table.play(self._vector_in(1.0, 1.0, 1.0), -games - 1, games, 1.0, LASTING).copy()
        if not found[DECISIONS]:
            raise ParlourError(
                "In {name} with these house rules there is nothing to learn.", name=self.plan.game.definition.said_name
            )
        means = float(found[SHORTNESS] / found[DECISIONS]), float(found[FIRMNESS] / found[DECISIONS])
        self.short, self.firm = (mean / (1 - mean) if 0 < mean < 1 else 1.0 for mean in means)
        self.unit = float(np.sqrt(found[SPREAD] / max(found[RESULTS], 1))) or 1.0
        self.batch = self.plan.parts * max(1, round(DECISIONS_A_PART * games / found[DECISIONS]))

    def _vector_in(self, short: float, firm: float, unit: float) -> NDArray[np.float64]:
        return np.array(Network(self.shape, short, firm, unit, self.weights.tolist()).vector(self.plan.game))

    def _vector(self) -> NDArray[np.float64]:
        return self._vector_in(self.short, self.firm, self.unit)

    def _curious(self) -> float:
        return CURIOUS[0] + (CURIOUS[1] - CURIOUS[0]) * self.played / self.plan.games

    def _part(self, i: int, thread: int, vector: NDArray[np.float64], games: int) -> NDArray[np.float64]:
        return self._tables[thread].play(vector, self.played + i * games, games, self._curious(), LASTING)

    @contextmanager
    def _batches(self, vector: NDArray[np.float64], say: Callable[[str], None]) -> Iterator[Callable[[], None]]:
        with super()._batches(vector, say) as play, ExitStack() as opened:
            if self.on == GPU:
                try:
                    by_device = self._on_device(vector, opened)
                    play = by_device if self._chosen else partial(next, self._trial(play, by_device, opened, say))
                except ParlourError as error:
                    if self._chosen:
                        raise
                    self._give_up(str(error), opened, say)
            yield play

    def _on_device(self, vector: NDArray[np.float64], opened: ExitStack) -> Callable[[], None]:
        """Return a function that plays the next batch on a device, until the stack is closed.  Raises ``ParlourError``
        if that fails."""
        from parlour.study.gpu_training import Grid

        games = self.batch // self.plan.parts
        with ExitStack() as opening:
            grid = opening.enter_context(Grid(self.plan, self._tables[0]))
            grid.check(vector, self.played, games, self._curious(), LASTING)
            opened.push(opening.pop_all())
        return lambda: grid.play(vector, self.played, games, self._curious(), LASTING, self._learned)

    def _trial(
        self,
        by_processor: Callable[[], None],
        by_device: Callable[[], None],
        opened: ExitStack,
        say: Callable[[str], None],
    ) -> Iterator[None]:
        """Play a batch each time: the first on the processor, some on the device, and all others on the faster of the
        two.  If the device fails, it is given up, and the processor plays that batch."""
        processor, device = _seconds(by_processor), list[float]()
        yield
        try:
            for _ in range(TRIED):
                device.append(_seconds(by_device))
                yield
            while min(device) <= processor:
                by_device()
                yield
            why = f"A batch takes the device {min(device):.1f} s, and the processor {processor:.1f} s"
        except ParlourError as error:
            why = str(error)
        self._give_up(why, opened, say)
        while True:
            by_processor()
            yield

    def _give_up(self, why: str, opened: ExitStack, say: Callable[[str], None]) -> None:
        from parlour.study.gpu_training import REMEDY

        self.on = PROCESSOR
        with suppress(ParlourError):  # after a failure, closing the device may fail as well
            opened.close()
        say(f"{why.removesuffix(REMEDY).removesuffix('.')}; the processor learns instead.")

    def network(self, **made: Any) -> Network:
        """Return the average network, rounded to 16 bits as in files."""
        rounded = self.average.astype(np.float16).astype(np.float64).tolist()
        return Network(self.shape, self.short, self.firm, self.unit, rounded, made)

    def _report(self) -> TrainingProgress:
        checks = max(self.plan.game.players, min(CHECKS, self.plan.games // 50))
        share, returns = in_company(self.plan.game, self.network(), self.plan.against, checks, CHECK_SEED)
        error, decisions = self._error
        self._error[:] = 0
        report = TrainingProgress(self.played, self.seconds, float(error / max(decisions, 1)), share, returns)
        line = {"games": self.played, "seconds": round(self.seconds, 1), "error": round(report.error, 5)}
        self.curve.append({**line, "share": round(share.mean, 4), "return": round(returns.mean, 4)})
        return report


MEASURED = 64
"""Games that are played to find the units."""
CHECK_SEED = 1 << 40


def _memory(stays: float, times: float) -> float:
    """The factor of the old average at each change, for batches ``times`` as large, so that the average covers about
    the same number of games.

    >>> _memory(0.9995, 1), round(_memory(0.9995, 4), 6), _memory(0.9995, 1000)
    (0.9995, 0.998, 0.9)
    """
    return stays if times == 1 else max(LEAST_MEMORY, 1 - (1 - stays) * times)


def _first_weights(shape: Shape, seed: int) -> NDArray[np.float64]:
    """Small random weights of the tensor and of the last sum; at first only the rule of thumb distinguishes actions."""
    draws = np.random.default_rng(seed)
    weights = np.zeros(shape.weights)
    first, last = shape.inputs * shape.hidden, shape.weights - TAIL - shape.hidden
    weights[:first] = draws.normal(0, 0.1, first)
    weights[last : last + shape.hidden] = draws.normal(0, 0.1, shape.hidden)
    weights[shape.weights - TAIL + 1] = BELIEF
    return weights


def _seconds(work: Callable[[], None]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _where(plan: Plan, on: str | None) -> str:
    """Return where to train.  If a device is used, its code is compiled here."""
    from parlour.study import gpu

    if on not in (None, PROCESSOR, GPU):
        raise ParlourError("A player learns on the processor or on a gpu, not on {on!r}.", on=on)
    if on == PROCESSOR or (on is None and (plan.parts < WORTH_A_DEVICE or gpu.device_name() is None)):
        return PROCESSOR
    from parlour.study.gpu_training import code_for

    gpu.find()
    try:
        code_for(plan.game)
    except CompilationError:
        if on is None:
            return PROCESSOR
        raise
    return GPU


def in_company(game: Game, network: Network, others: str, games: int, seed: int) -> tuple[Estimate, Estimate]:
    """Return the share of games that a network wins against others of one kind, and its mean return."""
    kinds: list[Kind | Network] = [network, *[Kind.parsed(others)] * (game.players - 1)]
    deals = max(2, games // game.players)
    played = arena.contest(game, kinds, seed, range(deals)).arrays()
    returns = played.returns.reshape(deals, game.players, game.players)
    seats = [holder.index(0) for holder in arena.holders(game.players)]
    own = returns[:, range(game.players), seats]
    best = returns == returns.max(axis=2, keepdims=True)
    won = best[:, range(game.players), seats] / best.sum(axis=2)
    return share_estimate(won.mean(axis=1).tolist()), mean_estimate(own.mean(axis=1).tolist())


__all__ = ["Learning", "Training", "TrainingProgress"]
