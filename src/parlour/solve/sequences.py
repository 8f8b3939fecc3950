"""The sequence form of a two-player game (Koller, Megiddo & von Stengel 1996): the players' sequences of actions, and
their payoffs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from parlour.base.errors import ParlourError
from parlour.core.batch import read_only
from parlour.engine.positions import from_record
from parlour.rules.vocabulary import AnyPosition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.engine.ruleset import Ruleset

__all__ = ["SequenceForm", "Treeplex"]


class Fixed:
    """What compiled code trusts: its arrays are shown, and cannot be written into."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, guarded(value))


def guarded(value: Any) -> Any:
    """Return an array that cannot be written into, or a tuple of such; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(map(guarded, value))
    return read_only(value) if isinstance(value, np.ndarray) else value


@dataclass(frozen=True)
class Treeplex(Fixed):
    """The information sets and sequences of one player.

    Information sets are in the order in which a walk through the tree meets them: each after the player's previous one.
    Set ``i`` owns the sequences ``first[i]`` to ``first[i] + count[i] - 1``, one for each of its actions, in rising
    order of ids; ``parent[i]`` is the sequence that leads to it.  Sequence 0 is the empty one.

    Attributes: ``key`` and ``glance`` (uint64: perfect-recall key, and the word of the view alone), ``first``,
    ``count``, ``parent`` (int32), each of shape (sets,); ``deed`` (int16, shape (sequences,)): the last action of each
    sequence.

    >>> import numpy as np, parlour
    >>> from parlour.solve.form import grow
    >>> tree = grow(parlour.load("kuhn"), binding="interpreted").players[0]
    >>> tree.sets, tree.sequences
    (6, 13)
    >>> even = tree.plan(np.full(tree.sequences, 0.5))  # a coin decides everywhere
    >>> even.tolist()[:3], tree.chances(even).tolist()[1:3]
    ([1.0, 0.5, 0.5], [0.5, 0.5])
    """

    key: NDArray[np.uint64]
    glance: NDArray[np.uint64]
    first: NDArray[np.int32]
    count: NDArray[np.int32]
    parent: NDArray[np.int32]
    deed: NDArray[np.int16]

    @property
    def sets(self) -> int:
        """The number of information sets."""
        return len(self.key)

    @property
    def sequences(self) -> int:
        """The number of sequences, the empty one included."""
        return len(self.deed)

    def plan(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """The realisation plan (the probability of each sequence, as far as it depends on the player) of a behavioural
        strategy, ``chances`` (of each sequence's last action), both float64, shape (sequences,)."""
        plan = np.ones(self.sequences)
        for parent, first, count in zip(self.parent.tolist(), self.first.tolist(), self.count.tolist(), strict=True):
            plan[first : first + count] = plan[parent] * chances[first : first + count]
        return plan

    def chances(self, plan: NDArray[np.float64]) -> NDArray[np.float64]:
        """The behavioural strategy of a realisation ``plan``, both float64, shape (sequences,); all actions are equally
        likely in sets that the plan never reaches."""
        owner = np.repeat(np.arange(self.sets), self.count)
        totals = np.zeros(self.sets)
        np.add.at(totals, owner, plan[1:])
        chances = np.ones(self.sequences)
        come = totals > 0
        chances[1:] = np.where(come[owner], plan[1:] / np.where(come, totals, 1)[owner], 1 / self.count[owner])
        return chances


Sparse = tuple["NDArray[np.int64]", "NDArray[np.int32]", "NDArray[Any]"]
"""A matrix in compressed sparse rows: the starts of rows, the columns, the values."""


@dataclass(frozen=True)
class BlockMatrix(Fixed):
    """A matrix as a sum of small dense ones (see :mod:`parlour.solve.kernels.classes`).

    ``table``: for each block the place of its row sequences in ``index``, their number, the number of column sequences
    that follow them, and the place of its values in ``values``, row by row.
    """

    table: NDArray[np.int64]
    index: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def cells(self) -> int:
        """The number of cells of all blocks together."""
        return int((self.table[:, 1] * self.table[:, 2]).sum())

    def rows(self, sequences: int) -> Sparse:
        """The same as compressed sparse rows."""
        from parlour.solve.kernels.regrets import KERNEL

        row, column, value = np.zeros(self.cells, np.int32), np.zeros(self.cells, np.int32), np.zeros(self.cells)
        KERNEL.functions.spread(self.table, self.index, self.values, row, column, value)
        order = np.lexsort((column, row))
        row, column, value = row[order], column[order], value[order]
        fresh = np.flatnonzero(np.diff(row, prepend=-1) | np.diff(column, prepend=-1))
        row, column, value = row[fresh], column[fresh], np.add.reduceat(value, fresh) if len(fresh) else value
        there = np.flatnonzero(value)
        start = np.searchsorted(row[there], np.arange(sequences + 1)).astype(np.int64)
        return cast("Sparse", guarded((start, column[there], value[there])))


@dataclass(frozen=True)
class SequenceForm(Fixed):
    """A deal between two players as linear algebra: with realisation plans ``x`` and ``y`` player 0 gets ``x @ A @ y``.

    ``A`` is sparse, in the game's own unit, chance counted in.  ``payoffs`` has it in compressed sparse rows (as
    :attr:`rows`: int64, int32 and float64, shape (sequences + 1,) and twice (payoffs,)), or as small dense blocks.
    ``constant``: what both players' returns add up to, in the game's own unit (0, or the game is as good as zero-sum).
    ``nodes``, ``ends``: of the whole tree; ``deepest``: steps.  ``positions``: an example of each set, player 0's
    first, if they were asked for.  ``after``: the steps that everybody saw before the tree begins.  ``reduced``: only
    actions that are ``enough``.
    """

    game: Ruleset[Any]
    players: tuple[Treeplex, Treeplex]
    payoffs: Sparse | BlockMatrix
    constant: float
    nodes: int
    ends: int
    deepest: int
    positions: Any = None
    after: tuple[str, ...] = ()
    reduced: bool = False

    @property
    def information_sets(self) -> int:
        """The information sets of both players together."""
        return self.players[0].sets + self.players[1].sets

    @cached_property
    def rows(self) -> Sparse:
        """The payoffs in compressed sparse rows, in whichever form they are stored: for each sequence of player 0 the
        place where its row begins (int64, shape (sequences + 1,)), then the columns (int32) and values (float64), both
        of shape (payoffs,)."""
        if isinstance(self.payoffs, tuple):
            return self.payoffs
        return self.payoffs.rows(self.players[0].sequences)

    @cached_property
    def columns(self) -> Sparse:
        """What player 1 *loses* is what player 0 wins: the transpose of ``-A``, in compressed sparse rows (int64,
        shape (sequences of player 1 + 1,); int32 and float64, shape (payoffs,))."""
        from parlour.solve.kernels.regrets import KERNEL, Matrix

        rows = Matrix(*self.rows)
        sizes = np.zeros(self.players[1].sequences + 1, np.int64)
        turned = Matrix(sizes, np.empty_like(rows.column), np.empty_like(rows.value))
        KERNEL.functions.transposed(rows, turned)
        return Matrix(*guarded((*turned,)))

    def position(self, player: int, i: int) -> AnyPosition:
        """Return an interpreted position in which ``player`` is in their information set ``i``.  Raises
        ``ParlourError`` if none were kept."""
        if self.positions is None:
            raise ParlourError("This form was grown without positions: grow(game, positions=True) keeps them.")
        return from_record(self.game.definition, self.positions[player][i])
