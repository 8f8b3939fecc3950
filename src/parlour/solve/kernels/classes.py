"""The tree of a two-player game, grown class by class: many histories at a time.

A *class* holds all histories of one length that are possible by what everybody knows: with each history it also
contains all that a player in it holds possible.  If all actions are public, as in Diamondback, a class is a node of the
*public tree*, and its histories are the pairs of hands that the players may hold.  The public part need not be
declared: it follows from the perfect-recall keys.

All ends that one action leads to from a class are one *block*: a small dense matrix of chance times payoff, between the
last sequences of both players.  Equal matrices are stored once, so a form takes little memory, and a product with a
plan reads little of it.  This is the vector form (Johanson et al. 2011), made from the rules alone.

Information sets and sequences are those of :mod:`parlour.solve.kernels.growing`.  Classes are taken from a stack;
``used`` holds the state of progress.  A class is always finished, never left half done."""

from __future__ import annotations

from typing import Any, NamedTuple

from parlour.engine.hashing import slot, word
from parlour.engine.kernel import (
    F64,
    I32,
    I64,
    I16x2,
    I64x2,
    Kernel,
    Positions,
    U8x2,
    U64x3,
    rules,
)  # fmt: skip
from parlour.engine.kernels import chance, keys
from parlour.engine.kernels.chance import mover
from parlour.engine.kernels.keys import start_memory, step_remembered
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL, count, nth
from parlour.solve.kernels import growing
from parlour.solve.kernels.growing import (
    DEEPEST,
    DONE,
    ENDS,
    FULL_SEQUENCES,
    FULL_SETS,
    NODES,
    NOT_ZERO_SUM,
    SEQUENCES,
    SETS,
    SPENT,
    TOO_DEEP,
    Sets,
    add_up,
    copy_memory,
    met,
)

STACK, CLASSES, BLOCKS, INDEX, MATRIX, SHAPES, STAMP, WIDEST = 0, 1, 5, 10, 11, 12, 13, 14
"""Places in ``used``; the others are those of :mod:`parlour.solve.kernels.growing`."""
FULL_BLOCKS, TOO_WIDE = 9, 10
"""Further results of :func:`grow_classes`, besides those of growing."""
SPARSE = 4  # a block with more cells for each end than this is stored row by row


class Histories(NamedTuple):
    """Histories, one a row, with the last class at the end: position (``raw``: its bytes), memory, last sequences,
    probability of chance, and the number of equal histories merged into this one (``alike``).  ``stack``: the classes
    (from, to, length)."""

    S: Positions
    memory: U64x3
    raw: U8x2
    sequence: I64x2
    reach: F64
    alike: I64
    stack: I64x2


class Class(NamedTuple):
    """Scratch space for the class being grown: for each history its actions, their number, how many of them are done,
    the player to act, the first sequence of the information set, the total weight of chance's outcomes; the ends to
    which an action leads (last sequences, and chance times payoff).  For dividing histories into classes: the tree
    ``above`` of a union-find, and a ``table`` with a stamp and a history in each place."""

    acts: I16x2
    width: I64
    done: I64
    who_at: I64
    first: I64
    weights: I64
    ends: I64x2
    pays: F64
    above: I64
    table: I64x2


class DenseBlocks(NamedTuple):
    """``blocks``: where the row sequences begin in ``index``, how many, how many column sequences follow them, and
    where the ``matrix`` begins (``bits``: the same as whole numbers); ``shapes`` is a table of different matrices."""

    blocks: I64x2
    index: I32
    matrix: F64
    bits: I64
    shapes: I64x2


def begin_classes(past: Histories, used: I64) -> None:
    """Stand at the root, ``S[0]``."""
    start_memory(past.S[0], past.memory[0])
    past.sequence[0, 0] = 0
    past.sequence[0, 1] = 0
    past.reach[0] = 1.0
    past.alike[0] = 1
    past.stack[0, 0] = 0
    past.stack[0, 1] = 1
    past.stack[0, 2] = 0
    used[STACK] = 1
    used[SEQUENCES] = 1
    used[SEQUENCES + 1] = 1
    used[NODES] = 1


def _copy(past: Any, i: int, to: int) -> None:
    past.S[to] = past.S[i]
    copy_memory(past.memory, i, to)
    past.sequence[to, 0] = past.sequence[i, 0]
    past.sequence[to, 1] = past.sequence[i, 1]
    past.reach[to] = past.reach[i]
    past.alike[to] = past.alike[i]


def _root(above: Any, i: int) -> int:
    while above[i] != i:
        above[i] = above[above[i]]
        i = int(above[i])
    return i


def _unite(memory: Any, low: int, high: int, here: Any, used: Any) -> None:
    """Unite all histories, from ``low`` to ``high`` - 1, that one of the players cannot tell apart."""
    last = len(here.table) - 1
    for i in range(low, high):
        here.above[i - low] = i - low
    for p in range(2):
        used[STAMP] += 1
        stamp = used[STAMP]
        for i in range(low, high):
            key = memory[i][0, p]
            j = slot(key, last)
            while (here.table[j, 0] == stamp) and (memory[int(here.table[j, 1])][0, p] != key):
                j = (j + 1) & last
            if here.table[j, 0] == stamp:
                one = _root(here.above, int(here.table[j, 1]) - low)
                other = _root(here.above, i - low)
                here.above[max(one, other)] = min(one, other)
            else:
                here.table[j, 0] = stamp
                here.table[j, 1] = i


def _merge(past: Any, low: int, high: int, table: Any, used: Any) -> int:
    """Merge histories that are the same in every respect; return the new end of the range."""
    last = len(table) - 1
    used[STAMP] += 1
    stamp = used[STAMP]
    n = low
    for i in range(low, high):
        j = slot(past.memory[i][0, 0] ^ (past.memory[i][0, 1] >> word(7)), last)
        found = -1
        while table[j, 0] == stamp:
            k = int(table[j, 1])
            same = past.memory[k][0, 0] == past.memory[i][0, 0]
            same = same & (past.memory[k][0, 1] == past.memory[i][0, 1])
            same = same & (past.sequence[k, 0] == past.sequence[i, 0]) & (past.sequence[k, 1] == past.sequence[i, 1])
            for r in range(1, 3):
                for p in range(2):
                    same = same & (past.memory[k][r, p] == past.memory[i][r, p])
            if same:
                b = 0
                while (b < past.raw.shape[1]) and (past.raw[k, b] == past.raw[i, b]):
                    b += 1
                if b == past.raw.shape[1]:
                    found = k
                    break
            j = (j + 1) & last
        if found >= 0:
            past.reach[found] += past.reach[i]
            past.alike[found] += past.alike[i]
        else:
            if n != i:
                _copy(past, i, n)
            table[j, 0] = stamp
            table[j, 1] = n
            n += 1
    return n


def _number(ends: Any, low: int, high: int, index: Any, at: int, column: int) -> int:
    """List in ``index``, from ``at`` on, the different sequences of a column of ``ends``, and write the number of each
    into the column two further on; return how many there are."""
    n = 0
    for e in range(low, high):
        k = 0
        while (k < n) and (index[at + k] != ends[e, column]):
            k += 1
        if k == n:
            index[at + k] = ends[e, column]
            n += 1
        ends[e, column + 2] = k
    return n


def _blocks(here: Any, high: int, made: Any, used: Any) -> None:
    """Make a block of the first ends, ``high`` of them, or, if most of it would be empty, one of each row."""
    rows = _number(here.ends, 0, high, made.index, int(used[INDEX]), 0)
    columns = _number(here.ends, 0, high, made.index, int(used[INDEX]) + rows, 1)
    if (rows == 1) | (rows * columns <= SPARSE * high):
        _block(here, 0, high, made, used)
        return
    low = 0
    while low < high:
        q = here.ends[low, 0]
        n = low
        for e in range(low, high):
            if here.ends[e, 0] == q:
                for k in range(2):
                    other = here.ends[n, k]
                    here.ends[n, k] = here.ends[e, k]
                    here.ends[e, k] = other
                paid = here.pays[n]
                here.pays[n] = here.pays[e]
                here.pays[e] = paid
                n += 1
        _block(here, low, n, made, used)
        low = n


def _block(here: Any, low: int, high: int, made: Any, used: Any) -> None:
    """Make a block of the ends from ``low`` to ``high`` - 1: last sequences ``ends``, chance times payoff ``pays``."""
    at = int(used[INDEX])
    rows = _number(here.ends, low, high, made.index, at, 0)
    columns = _number(here.ends, low, high, made.index, at + rows, 1)
    cells = rows * columns
    to = int(used[MATRIX])
    for k in range(cells):
        made.matrix[to + k] = 0.0
    for e in range(low, high):
        made.matrix[to + here.ends[e, 2] * columns + here.ends[e, 3]] += here.pays[e]
    mixed = cells
    anything = False
    for k in range(cells):
        anything = anything | (made.matrix[to + k] != 0)
        mixed = (mixed * 1099511628211) ^ (made.bits[to + k] >> 7)
    if not anything:
        return
    last = len(made.shapes) - 1
    j = (mixed ^ (mixed >> 31)) & last
    where = -1
    while made.shapes[j, 1] > 0:
        if made.shapes[j, 1] == cells:
            k = 0
            while (k < cells) and (made.bits[made.shapes[j, 0] + k] == made.bits[to + k]):
                k += 1
            if k == cells:
                where = int(made.shapes[j, 0])
                break
        j = (j + 1) & last
    if where < 0:
        where = to
        used[MATRIX] += cells
        if 4 * used[SHAPES] < 3 * last:  # a nearly full table takes no more, so some equal matrices are stored twice
            made.shapes[j, 0] = to
            made.shapes[j, 1] = cells
            used[SHAPES] += 1
    b = int(used[BLOCKS])
    made.blocks[b, 0] = at
    made.blocks[b, 1] = rows
    made.blocks[b, 2] = columns
    made.blocks[b, 3] = where
    used[BLOCKS] += 1
    used[INDEX] += rows + columns


def grow_classes(
    past: Histories, here: Class, sets: Sets, made: DenseBlocks, out: F64, sums: F64, used: I64,
    reduced: bool, budget: int
) -> int:  # fmt: skip
    """Grow on until the tree is complete, at least ``budget`` histories have been added, or a table is full; return the
    result."""
    left = budget
    while used[STACK] > 0:
        if left <= 0:
            return SPENT
        top = int(used[STACK]) - 1
        low = int(past.stack[top, 0])
        high = int(past.stack[top, 1])
        d = int(past.stack[top, 2])
        m = high - low
        if m > len(here.width):
            return TOO_WIDE
        # who acts in each history, and how many children there will be
        many = 0
        for i in range(low, high):
            who = mover(past.S[i])
            here.who_at[i - low] = who
            if (who == TERMINAL) | (who == DEAL_OVER):
                return TOO_WIDE  # an end is possible here only at the root
            if who == CHANCE:
                possible = rules.chance(past.S[i])
                n = count(possible)
                total = 0
                for k in range(n):
                    here.acts[i - low, k] = nth(possible, k)
                    total += rules.weight(past.S[i], nth(possible, k))
                here.weights[i - low] = total
            else:
                n = (
                    rules.enough(past.S[i], who, here.acts[i - low])
                    if reduced
                    else rules.legal(past.S[i], who, here.acts[i - low])
                )
            here.width[i - low] = n
            here.done[i - low] = 0
            many += n
        if (high + many > len(past.S)) | (many > len(here.ends)) | (4 * many > len(here.table)):
            return TOO_WIDE
        if (4 * (used[SETS] + m + 1) > 3 * len(sets.keys)) | (used[SETS] + m > len(sets.key)):
            return FULL_SETS
        if max(used[SEQUENCES], used[SEQUENCES + 1]) + many > sets.deed.shape[1]:
            return FULL_SEQUENCES
        if (
            (used[BLOCKS] + many > len(made.blocks))
            | (used[INDEX] + 4 * many > len(made.index))
            | (used[MATRIX] + SPARSE * many + 64 > len(made.matrix))
        ):
            return FULL_BLOCKS
        if d >= len(past.S):
            return TOO_DEEP
        # information sets
        chances = False
        for i in range(low, high):
            who = int(here.who_at[i - low])
            if who == CHANCE:
                chances = True
                continue
            n = int(here.width[i - low])
            q = met(past.S[i], past.memory[i], who, n, here.acts[i - low], past.sequence[i, who], sets, used)
            if q < 0:
                return -q
            here.first[i - low] = q
        # children, sorted by action, so that those of one action lie next to each other
        used[STACK] = top
        n = high
        while True:
            a = 1 << 30
            for i in range(m):
                if here.done[i] < here.width[i]:
                    a = min(a, int(here.acts[i, int(here.done[i])]))
            if a == 1 << 30:
                break
            ended = 0
            for i in range(m):
                if (here.done[i] >= here.width[i]) or (here.acts[i, int(here.done[i])] != a):
                    continue
                h = low + i
                who = int(here.who_at[i])
                _copy(past, h, n)
                if who == CHANCE:
                    past.reach[n] = past.reach[h] * rules.weight(past.S[h], a) / here.weights[i]
                else:
                    past.sequence[n, who] = here.first[i] + here.done[i]
                here.done[i] += 1
                step_remembered(past.S[n], past.memory[n], who, a, False)
                used[NODES] += past.alike[n]
                left -= 1
                then = mover(past.S[n])
                if (then != TERMINAL) & (then != DEAL_OVER):
                    n += 1
                    continue
                rules.deal_returns(past.S[n], out)
                if not add_up(out, sums, used):
                    return NOT_ZERO_SUM
                used[ENDS] += past.alike[n]
                here.ends[ended, 0] = past.sequence[n, 0]
                here.ends[ended, 1] = past.sequence[n, 1]
                here.pays[ended] = past.reach[n] * out[0]
                ended += 1
            if ended > 0:
                _blocks(here, ended, made, used)
        used[DEEPEST] = max(used[DEEPEST], d + 1)
        used[CLASSES] += 1
        if chances:
            n = _merge(past, high, n, here.table, used)
        used[WIDEST] = max(used[WIDEST], n - high)
        if n == high:
            continue
        if n - high > len(here.above):
            return TOO_WIDE
        _unite(past.memory, high, n, here, used)
        # split the children into classes, and move them down over their parents
        k = high
        to = low
        while True:
            one = -1
            for i in range(k - high, n - high):
                if here.above[i] >= 0:
                    one = _root(here.above, i)
                    k = high + i
                    break
            if one < 0:
                break
            begun = to
            for i in range(k - high, n - high):
                if (here.above[i] >= 0) and (_root(here.above, i) == one):
                    here.ends[to - low, 0] = i
                    to += 1
            for i in range(begun - low, to - low):
                if here.ends[i, 0] != one:
                    here.above[here.ends[i, 0]] = -1
            here.above[one] = -1
            if int(used[STACK]) >= len(past.stack):
                return TOO_DEEP
            past.stack[int(used[STACK]), 0] = begun
            past.stack[int(used[STACK]), 1] = to
            past.stack[int(used[STACK]), 2] = d + 1
            used[STACK] += 1
        # ``ends`` lists the children class by class: copy them to free rows above, then down in that order
        spare = n
        if n + (n - high) > len(past.S):
            return TOO_WIDE
        for i in range(n - high):
            _copy(past, high + int(here.ends[i, 0]), spare + i)
        for i in range(n - high):
            _copy(past, spare + i, low + i)
    return DONE


KERNEL = Kernel(__name__, uses=(chance, growing, keys), entries=(begin_classes, grow_classes))
