"""Many games in one array, stepped together by compiled code: for training and for large simulations."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, NoReturn

import numpy as np

from parlour.engine.compiled import compiled
from parlour.engine.hashing import MASK, check_seeds, seed_word
from parlour.engine.positions import from_record, to_record
from parlour.engine.ruleset import Ruleset, StateT
from parlour.errors import IllegalAction, ParlourError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def start_records(game: Ruleset[Any]) -> NDArray[Any]:
    """Two records of the game's position: the start, and room to play in."""
    records = np.zeros(2, compiled(game.definition).dtype)
    to_record(game.definition, game.start(), records[0])
    return records


def threads_allowed(threads: int | None) -> int:
    """``threads``, or as many as there are cores if ``None``."""
    if threads is None:
        return os.cpu_count() or 1
    if threads < 1:
        raise ParlourError(f"At least one thread is needed, not {threads}.")
    return threads


def shares(size: int, threads: int) -> list[tuple[int, int]]:
    """``size`` things in nearly equal consecutive shares, one a thread; empty shares are left out."""
    cuts = [size * k // threads for k in range(threads + 1)]
    return [(lo, hi) for lo, hi in pairwise(cuts) if hi > lo]


class Batch(Generic[StateT]):
    """``size`` games of one kind; chance decides by itself, a game that ends is scored and starts anew.

    After every call, for position ``i``: ``movers[i]`` is who acts (at a sealed node, one after another, the lowest
    seat that has not answered), ``legal[i, : counts[i]]`` his legal actions, ``tensors[i]`` what he is told (shape
    (size, ``game.tensor_size``), float32).  After :meth:`step` also ``rewards[i]`` (float32, one per player, zeros
    unless the game ended with this step) and ``done[i]`` (1 if it did).  The arrays are reused: copy what you keep.

    Position ``i`` has the seed ``seed + i`` and draws the same outcomes as ``game.new(seed=seed + i)``; the games after
    its first go on with the same stream.

    >>> import parlour
    >>> batch = parlour.load("kuhn").batch(4, seed=1)
    >>> batch.step(batch.sample())
    >>> batch.rewards.shape, batch.tensors.shape[0]
    ((4, 2), 4)
    """

    def __init__(self, game: Ruleset[StateT], size: int, seed: int = 0, threads: int = 1, tensors: bool = True) -> None:
        if size < 1:
            raise ParlourError(f"A batch needs at least one game, not {size}.")
        check_seeds(seed, size)
        self.game, self.size, self.threads = game, size, threads_allowed(threads)
        self._code = compiled(game.definition)
        self._start = start_records(game)
        self._positions = np.zeros(size, self._code.dtype)
        self._rngs = np.zeros((size, 1), np.uint64)
        self._samplers = np.array([[seed_word((seed + 1 + k) & MASK)] * 8 for k in range(self.threads)], np.uint64)
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self.movers: NDArray[np.int8] = np.zeros(size, np.int8)
        self.legal: NDArray[np.int16] = np.zeros((size, game.action_count), np.int16)
        self.counts: NDArray[np.int16] = np.zeros(size, np.int16)
        self.rewards: NDArray[np.float32] = np.zeros((size, game.players), np.float32)
        self.done: NDArray[np.uint8] = np.zeros(size, np.uint8)
        self.tensors: NDArray[np.float32] = np.zeros((size if tensors else 0, game.tensor_size), np.float32)
        self._share(
            lambda lo, hi, _: self._code.begin_batch(
                self._positions, self._start, self._rngs, lo, hi, np.uint64(seed), *self._ready()
            )
        )

    def _ready(self) -> tuple[Any, ...]:
        return self.movers, self.legal, self.counts, self.tensors

    def _share(self, work: Callable[[int, int, int], Any]) -> list[Any]:
        parts = [(lo, hi, k) for k, (lo, hi) in enumerate(shares(self.size, self.threads))]
        if self._pool is None:
            return [work(*part) for part in parts]
        return list(self._pool.map(lambda part: work(*part), parts))

    def step(self, actions: NDArray[np.integer[Any]] | Sequence[int]) -> None:
        """One action for each position (ids, shape (size,)).  ``IllegalAction`` names the first that is not legal; the
        positions before it in its thread's share have moved, it and later ones have not.  An id that does not exist is
        refused before anything moves."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.size,) or chosen.dtype.kind not in "iu":
            raise ParlourError(f"{self.size} action ids are needed, not {chosen.dtype} of shape {chosen.shape}.")
        if chosen.dtype != np.int16:
            wrong = np.flatnonzero((chosen < 0) | (chosen >= self.game.action_count))
            if len(wrong):
                self._refuse(int(wrong[0]), int(chosen[wrong[0]]))
            chosen = chosen.astype(np.int16)
        into = *self._ready()[:3], self.rewards, self.done, self.tensors
        for at in self._share(
            lambda lo, hi, _: self._code.step_batch(self._positions, self._start, self._rngs, lo, hi, chosen, *into)
        ):
            if at >= 0:
                self._refuse(at, int(chosen[at]))

    def _refuse(self, i: int, action: int) -> NoReturn:
        if not 0 <= action < self.game.action_count:
            raise ParlourError(f"Position {i}: there is no action {action}; ids run to {self.game.action_count - 1}.")
        state: Any = self.state(i)
        refusal = state.refusal(action, int(self.movers[i]))
        assert refusal is not None
        raise IllegalAction(f"Position {i}: {refusal}", refusal.clause)

    def sample(self) -> NDArray[np.int16]:
        """A random legal action for each position."""
        actions = np.zeros(self.size, np.int16)
        self._share(
            lambda lo, hi, k: self._code.random_actions(self._samplers[k], lo, hi, self.legal, self.counts, actions)
        )
        return actions

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Legal actions as a mask, shape (size, ``game.action_count``)."""
        mask = np.zeros((self.size, self.game.action_count + 1), np.bool_)
        listed = np.where(np.arange(self.game.action_count) < self.counts[:, None], self.legal, self.game.action_count)
        np.put_along_axis(mask, listed.astype(np.int64), True, axis=1)
        return mask[:, :-1]

    def state(self, i: int) -> StateT:
        """Position ``i`` as a state of its own (a copy, without history)."""
        return self.game.state_at(from_record(self.game.definition, self._positions[i]), int(self._rngs[i, 0]))
