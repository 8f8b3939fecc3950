"""Random games in bulk, one result for each game: on the processor, or on a CUDA device (extra ``gpu``).

Game ``i`` has the seed ``seed + i`` and is the game that ``game.new(seed=seed + i)`` deals, wherever it is played.

The code for the device is made from the same rules (:mod:`parlour.engine.device`).  The tests run it on the processor,
thread by thread, as it is before PTX is made of it, and compare it with the rules game by game; it has not yet run on a
device.
"""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parlour.engine.hashing import check_seeds
from parlour.engine.ruleset import whole_number
from parlour.errors import ParlourError
from parlour.extras import Missing, needed
from parlour.game import loaded

with needed("fast"):
    import numpy as np

from parlour.batch import start_records
from parlour.engine.compiled import compiled
from parlour.engine.device import KERNEL, device_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from parlour.game import Game

BLOCK: Final = 128
"""Threads that a device starts together."""
BLOCKS: Final = 512
"""As many such blocks, at most: each thread has a position to itself."""
PIECE: Final = 1 << 22
"""Games whose results are held on the device at a time, at most."""


class PlayedGames(NamedTuple):
    """What games brought, a row for each: the ``returns`` of each seat, and the number of ``decisions``."""

    returns: NDArray[np.float64]
    decisions: NDArray[np.int64]


def play_each(game: Game | str, games: int, seed: int = 0, on: str = "processor") -> PlayedGames:
    """Play this number of random games ``on`` the ``processor`` or a ``gpu``; the results are the same.
    ``ParlourError`` if there is no device.

    >>> played = play_each("kuhn", 3, seed=1)
    >>> played.decisions.tolist(), played.returns.sum(axis=1).tolist()
    ([2, 3, 2], [0.0, 0.0, 0.0])
    """
    game, games = loaded(game), whole_number(games, "a number of games")
    if games < 1:
        raise ParlourError(f"The number of games must be at least 1, not {games}.")
    if on not in ("processor", "gpu"):
        raise ParlourError(f"Games are played on the processor or on a gpu, not on {on!r}.")
    seed = check_seeds(seed, games)
    if on == "gpu":
        with Gpu(game) as device:
            return device.play(games, seed)
    play, positions = compiled(game.definition).play_many, start_records(game)
    acts, rng, out = np.zeros(game.action_count, np.int16), np.zeros(1, np.uint64), np.zeros(game.players)
    played = PlayedGames(np.zeros((games, game.players)), np.zeros(games, np.int64))
    for i in range(games):
        played.decisions[i] = play(positions, acts, rng, out, np.uint64(seed + i), 1, played.returns[i])
    return played


def device_name() -> str | None:
    """Return the name of the first CUDA device; ``None`` if there is none, or the extra ``gpu`` is not installed.

    >>> device_name() is None or len(device_name()) > 0
    True
    """
    try:
        driver = _driver()
    except ParlourError:
        return None
    name: bytes = _done(driver.cuDeviceGetName(200, _done(driver.cuDeviceGet(0))))
    return name.rstrip(b"\0 ").decode("utf-8", "replace")


class Gpu:
    """A game on the first CUDA device: a context, in which ``play`` plays.  Raises ``ParlourError`` if there is no
    device, and ``CompilationError`` if there is no code for one."""

    def __init__(self, game: Game) -> None:
        self.game, self._code = game, device_code(game.definition)
        self._start = start_records(game)[:1]

    def __enter__(self) -> Gpu:
        self._driver = driver = _driver()
        self._device = _done(driver.cuDeviceGet(0))
        _done(driver.cuCtxSetCurrent(_done(driver.cuDevicePrimaryCtxRetain(self._device))))
        self._module = _done(driver.cuModuleLoadData(self._code.ptx.encode() + b"\0"))
        self._kernel = _done(driver.cuModuleGetFunction(self._module, KERNEL.encode()))
        for name, table in self._code.tables.items():
            place, size = _done(driver.cuModuleGetGlobal(self._module, name.encode()))
            assert size == len(table)
            self._send(place, np.frombuffer(table, np.uint8))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _done(self._driver.cuModuleUnload(self._module))
        _done(self._driver.cuDevicePrimaryCtxRelease(self._device))

    def play(self, games: int, seed: int = 0) -> PlayedGames:
        """Play random games with the seeds ``seed``, ``seed + 1`` …"""
        parts = [self._some(min(PIECE, games - first), seed + first) for first in range(0, games, PIECE)]
        return PlayedGames(*map(np.concatenate, zip(*parts, strict=True)))

    def _some(self, games: int, seed: int) -> PlayedGames:
        driver, game = self._driver, self.game
        blocks = min(BLOCKS, -(-games // BLOCK))
        threads, size = blocks * BLOCK, self._start.dtype.itemsize
        played = PlayedGames(np.zeros((games, game.players)), np.zeros(games, np.int64))
        failed = np.zeros(1, np.int32)
        sizes = threads * size, size, threads * game.action_count * 2, threads * 8
        places: list[Any] = []
        try:
            for wanted in (*sizes, played.returns.nbytes, played.decisions.nbytes, failed.nbytes):
                places.append(_done(driver.cuMemAlloc(wanted)))
            self._send(places[1], self._start)
            self._send(places[6], failed)
            numbers = seed, games, size, game.action_count, game.players
            kinds = *[ctypes.c_void_p] * 7, ctypes.c_uint64, *[ctypes.c_int64] * 4
            given = (*map(int, places), *numbers), kinds
            _done(driver.cuLaunchKernel(self._kernel, blocks, 1, 1, BLOCK, 1, 1, 0, 0, given, 0))
            _done(driver.cuCtxSynchronize())
            results: tuple[NDArray[Any], ...] = played.returns, played.decisions, failed
            for to, place in zip(results, places[4:], strict=True):
                _done(driver.cuMemcpyDtoH(to.ctypes.data, place, to.nbytes))
        finally:
            for place in places:
                _done(driver.cuMemFree(place))
        if failed[0]:
            raise ParlourError(f"A game of {game.definition.name} went wrong on the device.")
        return played

    def _send(self, place: Any, given: NDArray[Any]) -> None:
        _done(self._driver.cuMemcpyHtoD(place, given.ctypes.data, given.nbytes))


def _driver() -> Any:
    """NVIDIA's driver, where a device is to be found."""
    try:
        from cuda.bindings import driver
    except ModuleNotFoundError:
        sentence = "Playing on a GPU needs cuda-bindings, which is not installed; pip install 'parlour[gpu]' brings it."
        raise Missing(sentence, "cuda") from None
    none = "There is no CUDA device here, or no driver for it."
    try:
        error, *_ = driver.cuInit(0)
    except RuntimeError:  # the driver's library was not found
        raise ParlourError(none) from None
    if int(error) or not _done(driver.cuDeviceGetCount()):
        raise ParlourError(none)
    return driver


def _done(answer: Sequence[Any]) -> Any:
    """What the driver answers; an error of it is told in a sentence."""
    error, *found = answer
    if int(error):
        raise ParlourError(f"The CUDA device reports an error: {getattr(error, 'name', error)}.")
    return found[0] if len(found) == 1 else found


__all__ = ["Gpu", "PlayedGames", "device_name", "play_each"]
