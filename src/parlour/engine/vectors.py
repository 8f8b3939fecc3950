"""Operations on vectors for small networks: sums in a fixed order, so that results agree to the last bit, and searches
for entries that are not 0 or differ; and words that threads share.

``engine/c/prelude.h`` has the same in C, :data:`LANES` numbers at a time; the tests compare them.  Numbers are doubles,
rounded once after each product and once after each sum."""

from __future__ import annotations

from typing import Any

LANES = 8
"""The number of entries processed at a time; the length of every vector here is a multiple of it."""


def add_scaled(to: Any, at: int, of: Any, first: int, factor: float, n: int) -> None:
    """Add ``factor`` times the ``n`` numbers of ``of`` from ``first`` on to those of ``to`` from ``at`` on."""
    for i in range(n):
        to[at + i] += of[first + i] * factor


def next_entry(row: Any, i: int, n: int) -> int:
    """The index of the first entry of ``row``, from ``i`` on, that is not 0; ``n`` if all entries before ``n`` are 0.
    Few entries of tensors are not 0.

    >>> next_entry([0.0, 0.5, 0.0, 1.0], 2, 4), next_entry([1.0, 0.0], 1, 2)
    (3, 2)
    """
    while i < n and row[i] == 0.0:
        i += 1
    return i


def next_difference(one: Any, other: Any, i: int, n: int) -> int:
    """The index of the first entry, from ``i`` on, in which ``one`` and ``other`` differ; ``n`` if they agree up to
    there.

    >>> next_difference([1.0, 2.0, 3.0], [1.0, 2.5, 3.5], 0, 3), next_difference([1.0, 2.0], [0.0, 2.0], 1, 2)
    (1, 2)
    """
    while i < n and one[i] == other[i]:
        i += 1
    return i


def product(one: Any, i: int, other: Any, j: int, n: int) -> float:
    """The scalar product of ``n`` numbers of two vectors, from ``i`` and ``j`` on: summed lane by lane, then the lanes.

    >>> product([1.0] * 16, 0, [*map(float, range(16))], 0, 16)
    120.0
    """
    lanes = [0.0] * LANES
    for k in range(n):
        lanes[k % LANES] += one[i + k] * other[j + k]
    total = 0.0
    for lane in lanes:
        total += lane
    return total


# ------------------------------------------------------------------------------------------ words that threads share


def read_shared(board: Any, i: int) -> int:
    """Read a word that other threads may be writing.  In C, everything they wrote before it is then visible too."""
    return int(board[i])


def swap_shared(board: Any, i: int, x: int) -> int:
    """Write a word atomically, and return its old value."""
    before, board[i] = int(board[i]), x
    return before


def add_shared(board: Any, i: int, x: int) -> int:
    """Add to a word atomically, and return its old value."""
    return swap_shared(board, i, int(board[i]) + x)
