"""Training on a CUDA device: each part of a batch is played by a separate thread (:mod:`parlour.study.training`).

The device plays the same games as the processor, with the same operations in the same order, and adds up the parts in
order, so the weights are the same to the last bit.  The weights are changed by the processor, between two batches.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from parlour.base.errors import CompilationError, ParlourError
from parlour.base.extras import needed
from parlour.study.device import LEARNING, DeviceCode, device_code
from parlour.study.gpu import Device
from parlour.study.kernels.grid import add_up, learn_some

with needed("fast"):
    import numpy as np

from parlour.study.plan import Plan
from parlour.study.processor import LONGEST, OnProcessor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.game import Game

BLOCK: Final = 32
"""Threads in a block: few, so that the whole device has work even if a batch has few parts."""
ROOM: Final = 64
"""The initial room for decisions of a deal, in each thread."""
USED: Final = 0.8
"""How much of the device's free memory is used, at most."""
CHECKED: Final = 8
"""Parts that the processor also plays before training begins, to compare results."""

REMEDY: Final = ": --on processor learns it."
"""The end of the message if the device cannot train a game but the processor can."""


def code_for(game: Game) -> DeviceCode:
    """The code that learns a game on a device; ``CompilationError`` if there is none."""
    try:
        return device_code(game.definition, LEARNING, 0)
    except CompilationError as error:
        raise CompilationError("{why}{remedy}", why=str(error).removesuffix("."), remedy=REMEDY) from None


class Grid(Device):
    """Plays the parts of batches on the first CUDA device, as many at a time as fit into its memory."""

    def __init__(self, plan: Plan, table: OnProcessor) -> None:
        """``table``: the memory that each thread needs."""
        super().__init__(plan.game, code_for(plan.game))
        self._parts, self._table, self._room = plan.parts, table, ROOM
        self._given: dict[str, Any] = {}

    def play(
        self,
        vector: NDArray[np.float64],
        begin: int,
        games: int,
        curious: float,
        lasting: float,
        total: NDArray[np.float64],
        parts: int | None = None,
    ) -> None:
        """Play a batch, of ``games`` a part from number ``begin`` on, and write the sum of its gradients into
        ``total``."""
        parts = parts or self._parts
        while True:
            if not self._given:
                self._lay_out(len(vector))
            given = {**self._given, "games": games, "curious": float(curious), "lasting": float(lasting)}
            self.send(given["net"], vector)
            self.send(given["total"], np.zeros(len(total)))
            for part in range(0, parts, self._threads):
                now = min(self._threads, parts - part)
                wave = {**given, "begin": begin + part * games, "parts": now}
                self.run(learn_some, -(-now // BLOCK), BLOCK, wave)
                self.run(add_up, -(-len(total) // BLOCK), BLOCK, wave)
            if not self.fetch(given["full"])[0] or self._room == LONGEST:
                total[:] = self.fetch(given["total"])
                return
            self._room = min(2 * self._room, LONGEST)
            self.clear()
            self._given = {}

    def check(self, vector: NDArray[np.float64], begin: int, games: int, curious: float, lasting: float) -> None:
        """Raise ``ParlourError`` unless the device learns from the first parts exactly what the processor does."""
        parts, table = min(self._parts, CHECKED), self._table
        expected, found = np.zeros(len(table.own["changes"])), np.zeros(len(table.own["changes"]))
        for part in range(parts):
            expected += table.play(vector, begin + part * games, games, curious, lasting)
        self.play(vector, begin, games, curious, lasting, found, parts)
        if not np.array_equal(expected, found):
            raise ParlourError("This CUDA device calculates otherwise than the processor{remedy}", remedy=REMEDY)

    def _lay_out(self, weights: int) -> None:
        """Reserve memory for all arguments of the kernels, and for as many threads as fit."""
        table = self._table
        own = {name: (array.dtype, self._shape(name, array)) for name, array in table.own.items()}
        given: dict[str, Any] = {name: self.copy(array) for name, array in table.shared.items()}
        given |= {"net": self.room(np.float64, weights), "total": self.room(np.float64, *own["changes"][1])}
        given |= {"full": self.copy(np.zeros(1, np.int64)), "first": table.first, "how": table.how}
        each = sum(items.itemsize * math.prod(shape) for items, shape in own.values())
        free = self.free()
        self._threads = min(self._parts, int(USED * free) // each)
        if self._threads < 1:
            raise ParlourError(
                "A thread needs {each:,} bytes, and the CUDA device has only {free:,} left{remedy}",
                each=each,
                free=free,
                remedy=REMEDY,
            )
        given |= {name: self.room(items, self._threads, *shape) for name, (items, shape) in own.items()}
        for name in ("S", "notes"):  # the only two that do not start as zeros
            self.send(given[name], np.broadcast_to(table.own[name], given[name].shape))
        self._given = given

    def _shape(self, name: str, array: NDArray[Any]) -> tuple[int, ...]:
        lasts = name in ("seats", "found", "rows", "layers")
        return (self._room, *array.shape[1:]) if lasts else array.shape


__all__ = ["Grid", "code_for"]
