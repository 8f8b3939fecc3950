"""Playing parts of a batch on the processor, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parlour.base.extras import needed
from parlour.engine.hashing import MASK, mix, seed_word
from parlour.players.kernels.networks import HEAD, LAYERS
from parlour.players.kind import Kind
from parlour.study import arena
from parlour.study.kernels.learning import KERNEL, LearnerState

with needed("fast"):
    import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.players.nets import Shape
    from parlour.study.plan import Plan

LONGEST = 1024
"""The most decisions of a deal that are remembered; later ones are not used for training."""
LEARNING = 0x7061726C6F7572
"""Keeps the seeds of games for training apart from those of other games."""


class OnProcessor:
    """Plays parts of a batch on the processor, one at a time, in memory with the same names as on a device
    (:mod:`parlour.study.kernels.grid`).  ``shared`` is only read; ``own`` is overwritten, and a device has a copy for
    each of its threads."""

    def __init__(self, plan: Plan, shape: Shape) -> None:
        _, (self.how, *_), room = arena.set_up(plan.game, [Kind.parsed(plan.against)])
        self._code, self._room = KERNEL.compiled(plan.game.definition), room
        self.first = np.uint64(mix(seed_word(plan.seed) ^ LEARNING & MASK))
        own = room.weighing._asdict()
        records = self._code.dtype
        self.shared = {"start": np.frombuffer(room.start, records), "nets": np.asarray(own.pop("nets"))}
        self.own: dict[str, NDArray[Any]] = {
            "S": np.frombuffer(room.positions, records),
            "rngs": np.zeros(1, np.uint64),
            "chosen": np.asarray(room.chosen),
            **{name: np.asarray(numbers) for name, numbers in own.items()},
        }
        self.own |= {"changes": np.zeros(HEAD + shape.weights), **remembered(shape, LONGEST)}
        self.own |= {"used": np.zeros(2, np.int64), "brought": np.zeros(plan.game.players)}

    def play(
        self, vector: NDArray[np.float64], begin: int, games: int, curious: float, lasting: float
    ) -> NDArray[np.float64]:
        """Play games from number ``begin`` on, and return the gradients; the next call overwrites them."""
        own, room = self.own, self._room
        own["changes"][:] = 0
        kept = (own[name] for name in ("seats", "found", "rows", "layers", "used", "brought"))
        lesson = LearnerState(vector, own["changes"], float(curious), float(lasting), *kept)
        given = room.positions, room.start, own["rngs"], self.first, begin, games, self.how
        self._code.practise(*given, room.chosen, room.weighing, lesson)
        return own["changes"]


def remembered(shape: Shape, decisions: int) -> dict[str, NDArray[Any]]:
    """Memory for learners' decisions of a deal."""
    return {
        "seats": np.zeros((decisions, 2), np.int64),
        "found": np.zeros((decisions, 4)),
        "rows": np.zeros((decisions, shape.inputs), np.float32),
        "layers": np.zeros((decisions, LAYERS * shape.hidden)),
    }
