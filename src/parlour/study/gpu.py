"""A CUDA device (extra ``gpu``), and random games in bulk there or on the processor, one result for each game.

Game ``i`` has the seed ``seed + i`` and is the game that ``game.new(seed=seed + i)`` deals, wherever it is played.

The code for the device is compiled from the same C (:mod:`parlour.study.device`).  The tests run it on the processor,
thread by thread, and compare it with the rules game by game; where there is a device, they also run it there.
"""

from __future__ import annotations

import ctypes
import math
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from parlour.base.errors import ParlourError
from parlour.base.extras import Missing, needed
from parlour.core.game import loaded
from parlour.engine.hashing import MASK, check_seeds
from parlour.engine.ruleset import whole_number

with needed("fast"):
    import numpy as np

from parlour.core.batch import start_records
from parlour.study.device import PLAYING, WRONG, DeviceCode, device_code, kernel, parameters
from parlour.study.kernels.grid import KERNEL, play_some

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import DTypeLike, NDArray

    from parlour.core.game import Game

BLOCK: Final = 128
"""Threads that a device starts together."""
BLOCKS: Final = 2048
"""The most blocks that a device starts; each thread has its own position."""
PIECE: Final = 1 << 22
"""The most games whose results are held on the device at a time."""


def code_for(game: Game) -> DeviceCode:
    """The code that plays a game on a device; it is the same for all house rules with about the same number of
    actions."""
    return device_code(game.definition, PLAYING, 1 << (game.action_count - 1).bit_length())


class PlayedGames(NamedTuple):
    """The results of games: the ``returns`` of each seat, in the game's own unit (float64, shape (games, seats)), and
    the number of ``decisions`` (int64, shape (games,))."""

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
        raise ParlourError("The number of games must be at least 1, not {games}.", games=games)
    if on not in ("processor", "gpu"):
        raise ParlourError("Games are played on the processor or on a gpu, not on {on!r}.", on=on)
    seed = check_seeds(seed, games)
    if on == "gpu":
        with Gpu(game) as device:
            return device.play(games, seed)
    positions, choices = start_records(game), np.zeros(game.action_count, np.int16)
    played = PlayedGames(np.zeros((games, game.players)), np.zeros(games, np.int64))
    given = positions[1:], choices, np.zeros(1, np.uint64), positions[:1], *played, np.uint64(seed), 0, 1
    KERNEL.compiled(game.definition).play_some(*given)
    return played


def device_name() -> str | None:
    """Return the name of the first CUDA device; ``None`` if there is none, or the extra ``gpu`` is not installed.
    Raises nothing: where ``play_each`` would raise ``ParlourError``, this is how to find out.

    >>> device_name() is None or len(device_name()) > 0
    True
    """
    try:
        driver = _driver()
    except ParlourError:
        return None
    name: bytes = _done(driver.cuDeviceGetName(200, _done(driver.cuDeviceGet(0))))
    return name.rstrip(b"\0 ").decode("utf-8", "replace")


class Array:
    """An array in the memory of a device."""

    def __init__(self, place: Any, items: DTypeLike, shape: tuple[int, ...]) -> None:
        self.place, self.items, self.shape = place, np.dtype(items), shape


class Device:
    """The first CUDA device, with code for a game: a context in which memory is reserved and kernels run.  Raises
    ``ParlourError`` if there is no device."""

    def __init__(self, game: Game, code: DeviceCode) -> None:
        self.game, self._code, self._places = game, code, list[Any]()

    def __enter__(self) -> Self:
        self._driver = driver = _driver()
        with ExitStack() as opened:  # on an error, everything opened so far is closed
            device = _done(driver.cuDeviceGet(0))
            context = _done(driver.cuDevicePrimaryCtxRetain(device))
            opened.push(_afterwards(driver.cuDevicePrimaryCtxRelease, device))
            _done(driver.cuCtxSetCurrent(context))
            self._module = _done(driver.cuModuleLoadData(self._code.ptx.encode() + b"\0"))
            opened.push(_afterwards(driver.cuModuleUnload, self._module))
            for name in self._code.fills:
                self._launch(name, BLOCKS, BLOCK, ())
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._free_after(self._opened)
        self._opened.__exit__(kind, value, traceback)

    def free(self) -> int:
        """How many bytes of its memory are free."""
        return int(_done(self._driver.cuMemGetInfo())[0])

    def room(self, items: DTypeLike, *shape: int) -> Array:
        """Reserve memory for an array, with arbitrary contents; it may be empty, although a device cannot reserve 0
        bytes."""
        place = _done(self._driver.cuMemAlloc(max(1, math.prod(shape) * np.dtype(items).itemsize)))
        self._places.append(place)
        return Array(place, items, shape)

    def copy(self, given: NDArray[Any]) -> Array:
        """Copy an array to the device."""
        made = self.room(given.dtype, *given.shape)
        self.send(made, given)
        return made

    def send(self, to: Array, given: NDArray[Any]) -> None:
        """Overwrite an array."""
        given = np.ascontiguousarray(given)
        assert (given.dtype, given.shape) == (to.items, to.shape)
        _done(self._driver.cuMemcpyHtoD(to.place, given.ctypes.data, given.nbytes))

    def fetch(self, array: Array) -> NDArray[Any]:
        """Copy an array from the device."""
        found = np.zeros(array.shape, array.items)
        _done(self._driver.cuMemcpyDtoH(found.ctypes.data, array.place, found.nbytes))
        return found

    def clear(self) -> None:
        """Free all memory."""
        with ExitStack() as freed:
            self._free_after(freed)

    def _free_after(self, stack: ExitStack) -> None:
        """Free all memory when the stack is closed."""
        while self._places:
            stack.push(_afterwards(self._driver.cuMemFree, self._places.pop()))

    def run(self, function: Callable[..., None], blocks: int, block: int, given: Mapping[str, Any]) -> None:
        """Run a function of :mod:`parlour.study.kernels.grid` on this number of blocks of threads; ``given``: its
        arguments by name.  Raises ``ParlourError`` if a game went wrong."""
        values = [_passed(given[name], kind) for name, kind in parameters(function).items()]
        self._launch(kernel(function), blocks, block, [one for each in values for one in each])
        place, size = _done(self._driver.cuModuleGetGlobal(self._module, WRONG.encode()))
        wrong = np.zeros(1, np.int64)
        _done(self._driver.cuMemcpyDtoH(wrong.ctypes.data, place, size))
        if number := int(wrong[0]):
            _done(self._driver.cuMemcpyHtoD(place, np.zeros(1, np.int64).ctypes.data, size))
            raise ParlourError(
                "A game of {name} went wrong on the device: {why}",
                name=self.game.definition.said_name,
                why=self._code.places[number - 1],
            )

    def _launch(self, name: str, blocks: int, block: int, given: Sequence[tuple[Any, Any]]) -> None:
        """Launch a kernel with these values, each with its type in C."""
        driver, values, types = self._driver, tuple(value for value, _ in given), tuple(kind for _, kind in given)
        entry = _done(driver.cuModuleGetFunction(self._module, name.encode()))
        _done(driver.cuLaunchKernel(entry, blocks, 1, 1, block, 1, 1, 0, 0, (values, types), 0))
        _done(driver.cuCtxSynchronize())


def _afterwards(
    undo: Callable[[Any], Sequence[Any]], what: Any
) -> Callable[[type[BaseException] | None, BaseException | None, TracebackType | None], None]:
    """An exit callback that has the driver undo something.  Its error is raised only if there was no other error."""

    def done(kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        answer = undo(what)
        if value is None:
            _done(answer)

    return done


_NUMBERS: Final = {"i64": ctypes.c_longlong, "word": ctypes.c_ulonglong, "real": ctypes.c_double}


def _passed(value: Any, kind: str) -> list[tuple[Any, Any]]:
    """The arguments of a kernel for one parameter: for an array, a pointer and its sizes."""
    if isinstance(value, Array):
        return [(int(value.place), ctypes.c_void_p), *((n, ctypes.c_longlong) for n in value.shape)]
    return [(float(value) if kind == "real" else int(value) & MASK if kind == "word" else int(value), _NUMBERS[kind])]


class Gpu(Device):
    """A game on the first CUDA device: a context in which ``play`` can be called.  Raises ``ParlourError`` if there is
    no device, and ``CompilationError`` if there is no code for one."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, code_for(game))
        self._start = start_records(game)[:1]

    def play(self, games: int, seed: int = 0) -> PlayedGames:
        """Play random games with the seeds ``seed``, ``seed + 1`` …"""
        parts = [self._some(min(PIECE, games - first), seed + first) for first in range(0, games, PIECE)]
        return PlayedGames(*map(np.concatenate, zip(*parts, strict=True)))

    def _some(self, games: int, seed: int) -> PlayedGames:
        game = self.game
        blocks = min(BLOCKS, -(-games // BLOCK))
        given = {
            "start": self.copy(self._start),
            "outs": self.room(np.float64, games, game.players),
            "moves": self.room(np.int64, games),
        }
        self.run(play_some, blocks, BLOCK, {**given, "first": seed})
        played = PlayedGames(self.fetch(given["outs"]), self.fetch(given["moves"]))
        self.clear()
        return played


def find() -> None:
    """Raise ``ParlourError`` if there is no CUDA device, or the extra ``gpu`` is not installed."""
    _driver()


def _driver() -> Any:
    """NVIDIA's driver, if it finds a device."""
    try:
        from cuda.bindings import driver
    except ModuleNotFoundError:
        sentence = "Using a GPU needs cuda-bindings, which is not installed; pip install 'parlour[gpu]' brings it."
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
    """The results of a call of the driver.  Raises an error with a message if the call failed."""
    error, *found = answer
    if int(error):
        raise ParlourError("The CUDA device reports an error: {getattr}.", getattr=getattr(error, "name", error))
    return found[0] if len(found) == 1 else found


__all__ = ["PlayedGames", "device_name", "play_each"]
