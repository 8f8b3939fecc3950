"""The tree of a two-player game, grown class by class: many histories in step.

A *class* holds all histories of one length among which the players may be, going by what everybody knows: whatever a
player in one of them thinks possible is in it too, and so on.  Where all that is done is seen, as in Diamondback, a
class is a node of the *public tree*, and its histories are the pairs of hands that the players may hold.  Nobody has to
say what is public: the perfect-recall keys tell.

All ends that one action leads to from a class are one *block*: a small dense matrix of chance times payoff, between the
last sequences of both players.  Equal matrices are kept once.  So a form takes little memory, and a product with a plan
reads little of it: the vector form (Johanson et al. 2011), made from the rules alone.

Information sets and sequences are those of :mod:`parlour.engine.growing`, whose functions are used here.  Classes are
taken from a stack; ``used`` says how far it is.  Nothing of a class is done by halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlour.engine.growing import (
    DEEPEST,
    DONE,
    ENDS,
    FORGETS,
    FULL_SEQUENCES,
    FULL_SETS,
    GUILTY,
    NODES,
    NOT_ALIKE,
    NOT_ZERO_SUM,
    SEQUENCES,
    SETS,
    SPENT,
    TOO_DEEP,
)
from parlour.vocabulary import CHANCE, DEAL_OVER, TERMINAL

legal: Callable[..., int]
enough: Callable[..., int]
chance: Callable[..., int]
weight: Callable[..., int]
deal_returns: Callable[..., None]
count: Callable[..., int]
nth: Callable[..., int]
mover: Callable[..., int]
start_memory: Callable[..., None]
step_remembered: Callable[..., None]
glance_open: Callable[..., Any]
glance_own: Callable[..., Any]
word: Callable[..., Any]
slot: Callable[..., int]
_set_slot: Callable[..., int]

STACK, CLASSES, BLOCKS, INDEX, MATRIX, SHAPES, STAMP, WIDEST = 0, 1, 5, 10, 11, 12, 13, 14
"""Places in ``used``; the others are those of :mod:`parlour.engine.growing`."""
FULL_BLOCKS, TOO_WIDE = 9, 10
"""What :func:`grow_classes` may return, as well as what growing returns."""
SPARSE = 4  # a block with more than this many cells for each end is cut into rows


def begin_classes(S: Any, memory: Any, sequence: Any, reach: Any, alike: Any, stack: Any, used: Any) -> None:
    """Stand at the root, ``S[0]``."""
    start_memory(S[0], memory[0])
    sequence[0, 0] = 0
    sequence[0, 1] = 0
    reach[0] = 1.0
    alike[0] = 1
    stack[0, 0] = 0
    stack[0, 1] = 1
    stack[0, 2] = 0
    used[STACK] = 1
    used[SEQUENCES] = 1
    used[SEQUENCES + 1] = 1
    used[NODES] = 1


def _copy(S: Any, memory: Any, sequence: Any, reach: Any, alike: Any, i: int, to: int) -> None:
    S[to] = S[i]
    for r in range(3):
        for p in range(2):
            memory[to][r, p] = memory[i][r, p]
    memory[to][3, 1] = memory[i][3, 1]
    sequence[to, 0] = sequence[i, 0]
    sequence[to, 1] = sequence[i, 1]
    reach[to] = reach[i]
    alike[to] = alike[i]


def _root(above: Any, i: int) -> int:
    while above[i] != i:
        above[i] = above[above[i]]
        i = int(above[i])
    return i


def _unite(memory: Any, low: int, high: int, above: Any, table: Any, used: Any) -> None:
    """Put together, from ``low`` to ``high`` - 1, whatever one of the players cannot tell apart.  ``table``: scratch,
    a stamp and a history for each place."""
    last = len(table) - 1
    for i in range(low, high):
        above[i - low] = i - low
    for p in range(2):
        used[STAMP] += 1
        stamp = used[STAMP]
        for i in range(low, high):
            key = memory[i][0, p]
            j = slot(key, last)
            while (table[j, 0] == stamp) and (memory[int(table[j, 1])][0, p] != key):
                j = (j + 1) & last
            if table[j, 0] == stamp:
                one = _root(above, int(table[j, 1]) - low)
                other = _root(above, i - low)
                above[max(one, other)] = min(one, other)
            else:
                table[j, 0] = stamp
                table[j, 1] = i


def _merge(
    S: Any, memory: Any, sequence: Any, reach: Any, alike: Any, raw: Any, low: int, high: int, table: Any, used: Any
) -> int:
    """Make one of histories that are the same in every respect; the new end of the range."""
    last = len(table) - 1
    used[STAMP] += 1
    stamp = used[STAMP]
    n = low
    for i in range(low, high):
        j = slot(memory[i][0, 0] ^ (memory[i][0, 1] >> word(7)), last)
        found = -1
        while table[j, 0] == stamp:
            k = int(table[j, 1])
            same = memory[k][0, 0] == memory[i][0, 0]
            same = same & (memory[k][0, 1] == memory[i][0, 1])
            same = same & (sequence[k, 0] == sequence[i, 0]) & (sequence[k, 1] == sequence[i, 1])
            for r in range(1, 3):
                for p in range(2):
                    same = same & (memory[k][r, p] == memory[i][r, p])
            if same:
                b = 0
                while (b < raw.shape[1]) and (raw[k, b] == raw[i, b]):
                    b += 1
                if b == raw.shape[1]:
                    found = k
                    break
            j = (j + 1) & last
        if found >= 0:
            reach[found] += reach[i]
            alike[found] += alike[i]
        else:
            if n != i:
                _copy(S, memory, sequence, reach, alike, i, n)
            table[j, 0] = stamp
            table[j, 1] = n
            n += 1
    return n


def _number(ends: Any, low: int, high: int, index: Any, at: int, column: int) -> int:
    """List in ``index``, from ``at`` on, the different sequences of a column of ``ends``, and say in the column two
    further on which each is; how many there are."""
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


def _blocks(
    ends: Any, pays: Any, high: int, blocks: Any, index: Any, matrix: Any, bits: Any, shapes: Any, used: Any
) -> None:
    """Make a block of the first ends, ``high`` of them, or, if most of it would be empty, one of each row."""
    rows = _number(ends, 0, high, index, int(used[INDEX]), 0)
    columns = _number(ends, 0, high, index, int(used[INDEX]) + rows, 1)
    if (rows == 1) | (rows * columns <= SPARSE * high):
        _block(ends, pays, 0, high, blocks, index, matrix, bits, shapes, used)
        return
    low = 0
    while low < high:
        q = ends[low, 0]
        n = low
        for e in range(low, high):
            if ends[e, 0] == q:
                for k in range(2):
                    other = ends[n, k]
                    ends[n, k] = ends[e, k]
                    ends[e, k] = other
                paid = pays[n]
                pays[n] = pays[e]
                pays[e] = paid
                n += 1
        _block(ends, pays, low, n, blocks, index, matrix, bits, shapes, used)
        low = n


def _block(
    ends: Any, pays: Any, low: int, high: int, blocks: Any, index: Any, matrix: Any, bits: Any, shapes: Any, used: Any
) -> None:
    """Make a block of the ends from ``low`` to ``high`` - 1: last sequences ``ends``, chance times payoff ``pays``."""
    at = int(used[INDEX])
    rows = _number(ends, low, high, index, at, 0)
    columns = _number(ends, low, high, index, at + rows, 1)
    cells = rows * columns
    to = int(used[MATRIX])
    for k in range(cells):
        matrix[to + k] = 0.0
    for e in range(low, high):
        matrix[to + ends[e, 2] * columns + ends[e, 3]] += pays[e]
    mixed = cells
    anything = False
    for k in range(cells):
        anything = anything | (matrix[to + k] != 0)
        mixed = (mixed * 1099511628211) ^ (bits[to + k] >> 7)
    if not anything:
        return
    last = len(shapes) - 1
    j = (mixed ^ (mixed >> 31)) & last
    where = -1
    while shapes[j, 1] > 0:
        if shapes[j, 1] == cells:
            k = 0
            while (k < cells) and (bits[shapes[j, 0] + k] == bits[to + k]):
                k += 1
            if k == cells:
                where = int(shapes[j, 0])
                break
        j = (j + 1) & last
    if where < 0:
        where = to
        used[MATRIX] += cells
        if 4 * used[SHAPES] < 3 * last:  # when the table is nearly full, equal matrices are kept more than once
            shapes[j, 0] = to
            shapes[j, 1] = cells
            used[SHAPES] += 1
    b = int(used[BLOCKS])
    blocks[b, 0] = at
    blocks[b, 1] = rows
    blocks[b, 2] = columns
    blocks[b, 3] = where
    used[BLOCKS] += 1
    used[INDEX] += rows + columns


def grow_classes(
    S: Any, memory: Any, acts: Any, out: Any, raw: Any, sequence: Any, reach: Any, alike: Any, stack: Any,
    width: Any, done: Any, who_at: Any, first: Any, weights: Any, ends: Any, pays: Any, above: Any, table: Any,
    keys: Any, numbers: Any, set_key: Any, set_glance: Any, set_player: Any, set_first: Any, set_count: Any,
    set_parent: Any, positions: Any, deed: Any,
    blocks: Any, index: Any, matrix: Any, bits: Any, shapes: Any, sums: Any, used: Any, reduced: bool, budget: int,
) -> int:  # fmt: skip
    """Grow on, until more than ``budget`` histories have been added.

    Histories, one a row, the last class on the ``stack`` (from, to, length) last: position (``raw``: its bytes),
    memory, last sequences, probability of chance, how many are ``alike`` and were made one.  ``width`` to ``weights``:
    scratch for the histories of the class under way.  ``blocks``: where the row sequences begin in ``index``, how many,
    how many column sequences follow them, and where the ``matrix`` begins.
    """
    left = budget
    while used[STACK] > 0:
        if left <= 0:
            return SPENT
        top = int(used[STACK]) - 1
        low = int(stack[top, 0])
        high = int(stack[top, 1])
        d = int(stack[top, 2])
        m = high - low
        if m > len(width):
            return TOO_WIDE
        # who acts, what may be done, and room for it
        many = 0
        for i in range(low, high):
            who = mover(S[i])
            who_at[i - low] = who
            if (who == TERMINAL) | (who == DEAL_OVER):
                return TOO_WIDE  # only at the root
            if who == CHANCE:
                possible = chance(S[i])
                n = count(possible)
                total = 0
                for k in range(n):
                    acts[i - low, k] = nth(possible, k)
                    total += weight(S[i], nth(possible, k))
                weights[i - low] = total
            else:
                n = enough(S[i], who, acts[i - low]) if reduced else legal(S[i], who, acts[i - low])
            width[i - low] = n
            done[i - low] = 0
            many += n
        if (high + many > len(S)) | (many > len(ends)) | (4 * many > len(table)):
            return TOO_WIDE
        if (4 * (used[SETS] + m + 1) > 3 * len(keys)) | (used[SETS] + m > len(set_key)):
            return FULL_SETS
        if max(used[SEQUENCES], used[SEQUENCES + 1]) + many > deed.shape[1]:
            return FULL_SEQUENCES
        if (
            (used[BLOCKS] + many > len(blocks))
            | (used[INDEX] + 4 * many > len(index))
            | (used[MATRIX] + SPARSE * many + 64 > len(matrix))
        ):
            return FULL_BLOCKS
        if d >= len(S):
            return TOO_DEEP
        # information sets
        chances = False
        for i in range(low, high):
            who = int(who_at[i - low])
            if who == CHANCE:
                chances = True
                continue
            n = int(width[i - low])
            key = memory[i][0, who] | word(1)
            j = _set_slot(keys, numbers, key)
            q = int(used[SEQUENCES + who])
            if numbers[j] < 0:
                new = int(used[SETS])
                keys[j] = key
                numbers[j] = new
                set_key[new] = memory[i][0, who]
                set_glance[new] = word(glance_open(S[i], memory[i][3]) + glance_own(S[i], who, memory[i][3]))
                set_player[new] = who
                set_first[new] = q
                set_count[new] = n
                set_parent[new] = sequence[i, who]
                if len(positions) > 0:
                    positions[new] = S[i]
                for k in range(n):
                    deed[who, q + k] = acts[i - low, k]
                used[SETS] += 1
                used[SEQUENCES + who] += n
            else:
                known = int(numbers[j])
                used[GUILTY] = known
                if set_parent[known] != sequence[i, who]:
                    return FORGETS
                same = set_count[known] == n
                for k in range(min(n, int(set_count[known]))):
                    same = same & (deed[who, int(set_first[known]) + k] == acts[i - low, k])
                if not same:
                    return NOT_ALIKE
                q = int(set_first[known])
            first[i - low] = q
        # children, action by action, so that what an action leads to stands together
        used[STACK] = top
        n = high
        while True:
            a = 1 << 30
            for i in range(m):
                if done[i] < width[i]:
                    a = min(a, int(acts[i, int(done[i])]))
            if a == 1 << 30:
                break
            ended = 0
            for i in range(m):
                if (done[i] >= width[i]) or (acts[i, int(done[i])] != a):
                    continue
                h = low + i
                who = int(who_at[i])
                _copy(S, memory, sequence, reach, alike, h, n)
                if who == CHANCE:
                    reach[n] = reach[h] * weight(S[h], a) / weights[i]
                else:
                    sequence[n, who] = first[i] + done[i]
                done[i] += 1
                step_remembered(S[n], memory[n], who, a, False)
                used[NODES] += alike[n]
                left -= 1
                then = mover(S[n])
                if (then != TERMINAL) & (then != DEAL_OVER):
                    n += 1
                    continue
                deal_returns(S[n], out)
                both = out[0] + out[1]
                if used[ENDS] == 0:
                    sums[0] = both
                    sums[1] = both
                sums[0] = min(sums[0], both)
                sums[1] = max(sums[1], both)
                if sums[1] - sums[0] > 1e-9:
                    return NOT_ZERO_SUM
                used[ENDS] += alike[n]
                ends[ended, 0] = sequence[n, 0]
                ends[ended, 1] = sequence[n, 1]
                pays[ended] = reach[n] * out[0]
                ended += 1
            if ended > 0:
                _blocks(ends, pays, ended, blocks, index, matrix, bits, shapes, used)
        used[DEEPEST] = max(used[DEEPEST], d + 1)
        used[CLASSES] += 1
        if chances:
            n = _merge(S, memory, sequence, reach, alike, raw, high, n, table, used)
        used[WIDEST] = max(used[WIDEST], n - high)
        if n == high:
            continue
        if n - high > len(above):
            return TOO_WIDE
        _unite(memory, high, n, above, table, used)
        # the classes among the children, moved down over the class they come from
        k = high
        to = low
        while True:
            one = -1
            for i in range(k - high, n - high):
                if above[i] >= 0:
                    one = _root(above, i)
                    k = high + i
                    break
            if one < 0:
                break
            begun = to
            for i in range(k - high, n - high):
                if (above[i] >= 0) and (_root(above, i) == one):
                    ends[to - low, 0] = i
                    to += 1
            for i in range(begun - low, to - low):
                if ends[i, 0] != one:
                    above[ends[i, 0]] = -1
            above[one] = -1
            if int(used[STACK]) >= len(stack):
                return TOO_DEEP
            stack[int(used[STACK]), 0] = begun
            stack[int(used[STACK]), 1] = to
            stack[int(used[STACK]), 2] = d + 1
            used[STACK] += 1
        # ``ends`` lists the children class by class; they go above and then down
        spare = n
        if n + (n - high) > len(S):
            return TOO_WIDE
        for i in range(n - high):
            _copy(S, memory, sequence, reach, alike, high + int(ends[i, 0]), spare + i)
        for i in range(n - high):
            _copy(S, memory, sequence, reach, alike, spare + i, low + i)
    return DONE
