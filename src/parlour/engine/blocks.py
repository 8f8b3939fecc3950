"""All that a compiled state consists of in one vector of words, which is copied in a tenth of a microsecond.

In order: the generator of chance; who is asked, how many actions they have, whether chance is drawn here, how many
steps may still be taken; what players remember (four rows, a column for each player there can be); two rows of scratch
for scores; the position; the legal actions of the one asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import llvmlite.ir as ir
from numba import from_dtype
from numba.core import types as T
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from parlour.engine.fields import PositionType
from parlour.engine.positions import dtype_of
from parlour.engine.tensors import tensor_size

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

WORD = 8
"""Bytes."""
OUTCOMES = 63
"""Outcomes of chance have the numbers 0 to 62."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The word at which each part of a block begins; ``columns`` of what players remember."""

    columns: int
    about: int
    memory: int
    scores: int
    position: int
    acts: int

    def words(self, actions: int) -> int:
        """The number of words in the block of a game with this number of actions."""
        return self.acts + -(-2 * actions // WORD)


@cache
def layout(game: Definition) -> Layout:
    """Where the parts of a game's block lie."""
    columns = max(game.max_players, 2)
    memory = 5
    scores = memory + 4 * columns
    position = scores + 2 * columns
    return Layout(columns, 1, memory, scores, position, position + -(-dtype_of(game).itemsize // WORD))


def readers(game: Definition) -> dict[str, Any]:
    """The parts of a block as compiled code sees them, from a pointer to where it begins; they lie where they lie,
    nothing is copied.  The last three are all that their pointer points to."""
    at = layout(game)
    position = PositionType(from_dtype(dtype_of(game)))

    @intrinsic  # type: ignore[untyped-decorator]
    def position_in(typing: Any, block: Any) -> Any:
        def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
            return b.bitcast(_place(b, args[0], at.position), cx.get_value_type(position))

        return position(block), generate

    return {
        "position_in": position_in,
        "rng_in": _part(T.uint64, 0, 1),
        "about_in": _part(T.int64, at.about, 4),
        "memory_in": _part(T.uint64, at.memory, 1, 4, at.columns),
        "scores_in": _part(T.float64, at.scores, 2, at.columns),
        "acts_in": _part(T.int16, at.acts, 1 << 15),
        "row_in": _part(T.float32, 0, tensor_size(game)),
        "returns_in": _part(T.float64, 0, at.columns),
        "weights_in": _part(T.int64, 0, OUTCOMES),
    }


def _place(b: Any, block: Any, word: int) -> Any:
    return b.gep(block, [ir.Constant(ir.IntType(64), word)])


def _part(kind: Any, word: int, *shape: int) -> Any:
    """An intrinsic: the array of such numbers and shape that begins at that word of a block."""
    array = T.Array(kind, len(shape), "C")
    size = kind.bitwidth // 8
    strides = [size]
    for n in shape[:0:-1]:
        strides.insert(0, strides[0] * n)

    @intrinsic  # type: ignore[untyped-decorator]
    def part_in(typing: Any, block: Any) -> Any:
        def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
            made = cx.make_array(array)(cx, b)
            place = b.bitcast(_place(b, args[0], word), cx.get_value_type(kind).as_pointer())
            populate_array(
                made,
                data=place,
                shape=[cx.get_constant(T.intp, n) for n in shape],
                strides=[cx.get_constant(T.intp, n) for n in strides],
                itemsize=cx.get_constant(T.intp, size),
                meminfo=None,
            )
            return made._getvalue()

        return array(block), generate

    return part_in
