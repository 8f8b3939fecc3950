"""Logs: what a player did, was told and saw, row by row. :mod:`parlour.engine.information` describes the rows.

Rows are in the order in which the player's key takes things in (:mod:`parlour.engine.memory`), and rows of the same
moment are sorted, so two logs are equal exactly when the information states are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from parlour.engine.hashing import word
from parlour.engine.kernel import F64, F32x3, I16x2, I64x3, Kernel, Positionsx2
from parlour.engine.kernels import views
from parlour.engine.kernels.views import write_row
from parlour.engine.vectors import next_difference, next_entry


class Logs(NamedTuple):
    """The logs of many games.  For each game and player: ``rows``, one after the other; in ``used`` the number of rows
    and of forgotten rows; and the position that the player last saw.  For each game: room for one player's previous and
    present observation.  ``slots``: for each entry of a tensor that excludes others, the beginning and end of its
    group, else 0; ``scales``: factors for actions, events and entries."""

    rows: F32x3
    used: I64x3
    before: Positionsx2
    pair: F32x3
    slots: I16x2
    scales: F64


WIDTH = 7
DID, HEARD, SAW, WHAT, WHO, A, B = range(WIDTH)
"""Columns of a row: 1 in one of the first three; the action, event or entry of the view; the player of the event, or
the new value of the entry; the event's two numbers."""
ROWS, FORGOTTEN = range(2)
HEAD, LISTED, EACH = 4, 5, 3
"""Rows of a memory that lists events: the row of their number, the first row, and the number of rows of each.  These
hold its audience (0: everybody, else the seat + 1) and the event; the player it is about and its first number; its
second number."""
CONTINUED = -1.0
"""In place of the player of an event: the row continues an event with the higher digits of its numbers."""
DIGIT, UNIT = 4096, 1.0 / 64
"""The base of the digits of an event's numbers, and the factor by which rows hold digits, players and lengths."""


def new_row(logs: Any, i: int, p: int) -> int:
    """Return the place of a new row of zeros in a log; a full log first forgets its older half."""
    log = logs.rows[i, p]
    n = int(logs.used[i, p, ROWS])
    size = len(log) // WIDTH
    if n == size:
        n = size // 2
        gone = size - n
        for k in range(WIDTH * n):
            log[k] = log[k + WIDTH * gone]
        log[WIDTH * n : len(log)] = 0
        logs.used[i, p, FORGOTTEN] += gone
    logs.used[i, p, ROWS] = n + 1
    return WIDTH * n


# If ``logs`` is ``None`` or has no rows, no logs are kept.


def begin_logs(s: Any, memory: Any, logs: Any, i: int) -> None:
    """Empty the logs of a game that begins, and write down what players see."""
    if logs is not None:
        if len(logs.rows) > 0:
            for p in range(s.players):
                begin_log(s, logs, i, p)
    turn_page(s, memory, logs, i)


def begin_log(s: Any, logs: Any, i: int, p: int) -> None:
    """Empty the log of one player, and write down what they see."""
    logs.rows[i, p][0 : WIDTH * logs.used[i, p, ROWS]] = 0
    logs.used[i, p, ROWS] = 0
    logs.used[i, p, FORGOTTEN] = 0
    logs.pair[i, 0][:] = 0
    write_change(s, logs, i, p)


def turn_page(s: Any, memory: Any, logs: Any, i: int) -> None:
    """Keep the position that all players have now seen, and begin a new list of events."""
    if logs is not None:
        if len(logs.rows) > 0:
            memory[HEAD, 0] = word(0)
            for p in range(s.players):
                logs.before[i, p] = s


def write_deed(logs: Any, i: int, p: int, a: int) -> None:
    """Write down what a player does."""
    if logs is not None:
        if len(logs.rows) > 0:
            log = logs.rows[i, p]
            n = new_row(logs, i, p)
            log[n + DID] = 1.0
            log[n + WHAT] = (a + 1) * logs.scales[DID]


def sort_events(memory: Any, logs: Any) -> None:
    """Sort the events by what they are, whom they are about, their numbers, and who hears them."""
    if logs is not None:
        if len(logs.rows) > 0:
            for k in range(1, listed(memory)):
                at = LISTED + EACH * k
                while at > LISTED:
                    if not comes_before(memory, at, at - EACH):
                        break
                    exchange(memory, at, at - EACH)
                    at -= EACH


def write_news(s: Any, memory: Any, logs: Any, i: int, p: int) -> None:
    """Write down, sorted, the events that a player was told since they last looked, and the changes in what they
    see."""
    if logs is not None:
        if len(logs.rows) > 0:
            for k in range(listed(memory)):
                to = int(memory[LISTED + EACH * k, 0])
                if (to == 0) | (to == p + 1):
                    write_event(s, memory, logs, i, p, LISTED + EACH * k)
            write_row(logs.before[i, p], p, logs.pair[i, 0])
            write_change(s, logs, i, p)


def write_event(s: Any, memory: Any, logs: Any, i: int, p: int, at: int) -> None:
    """Write down one event, whose memory begins in row ``at``: more than one row if a number has several digits."""
    a, b = memory[at + 1, 1], memory[at + 2, 0]
    log = logs.rows[i, p]
    below_a, below_b = a >> 63, b >> 63
    if below_a:
        a = word(word(0) - a)
    if below_b:
        b = word(word(0) - b)
    who = 0.0
    if memory[at + 1, 0] >> 63 == 0:  # a seat, not EVERYBODY, which is -1
        who = (1 + (int(memory[at + 1, 0]) - p) % s.players) * UNIT
    while True:
        n = new_row(logs, i, p)
        log[n + HEARD] = 1.0
        log[n + WHAT] = (int(memory[at, 1]) + 1) * logs.scales[HEARD]
        log[n + WHO] = who
        log[n + A] = digit(a, below_a)
        log[n + B] = digit(b, below_b)
        a = a // DIGIT
        b = b // DIGIT
        if (a == 0) & (b == 0):
            break
        who = CONTINUED


def digit(x: Any, below: Any) -> float:
    """The last digit of a number; ``below``: the number is below 0."""
    last = int(x % DIGIT)
    return -last * UNIT if below else last * UNIT


def write_change(s: Any, logs: Any, i: int, p: int) -> None:
    """Write down each entry of a player's observation that differs from ``pair[i, 0]``."""
    log = logs.rows[i, p]
    was, now = logs.pair[i, 0], logs.pair[i, 1]
    write_row(s, p, now)
    entries = len(now)
    j = next_difference(was, now, 0, entries)
    while j < entries:
        if (now[j] != 0.0) | (not_implied(logs, now, j)):
            n = new_row(logs, i, p)
            log[n + SAW] = 1.0
            log[n + WHAT] = (j + 1) * logs.scales[SAW]
            log[n + WHO] = now[j]
        j = next_difference(was, now, j + 1, entries)


def not_implied(logs: Any, now: Any, j: int) -> bool:
    """Whether it is news that an entry is 0.  It is not if another entry of its group, which excludes it, is not 0."""
    end = logs.slots[j, 1]
    return bool(next_entry(now, logs.slots[j, 0], end) >= end)


def write_information(s: Any, logs: Any, i: int, p: int, out: Any, row: int) -> None:
    """Write a player's information state into a row of ``out``: their seat, what they see, the number of forgotten rows
    of their log, and the rows."""
    for q in range(s.players):
        out[row, q] = 1.0 if q == p else 0.0
    write_row(s, p, out[row, s.players :])
    at = s.players + len(logs.slots)
    out[row, at] = logs.used[i, p, FORGOTTEN] * UNIT
    at += 1
    log = logs.rows[i, p]
    for k in range(WIDTH * logs.used[i, p, ROWS]):
        out[row, at + k] = log[k]


# ------------------------------------------------------------------------------------------ events in the memory


def listed(memory: Any) -> int:
    """The number of events listed; those for which there was no room do not count."""
    return min(int(memory[HEAD, 0]), (len(memory) - LISTED) // EACH)


def forget_what_others_heard(memory: Any, p: int) -> None:
    """Keep only the events that one player hears."""
    kept = 0
    for k in range(listed(memory)):
        to = int(memory[LISTED + EACH * k, 0])
        if (to == 0) | (to == p + 1):
            if kept < k:
                exchange(memory, LISTED + EACH * k, LISTED + EACH * kept)
            kept += 1
    memory[HEAD, 0] = word(kept)


def exchange(memory: Any, one: int, other: int) -> None:
    """Exchange two events."""
    for row in range(EACH):
        for column in range(2):
            moved = memory[one + row, column]
            memory[one + row, column] = memory[other + row, column]
            memory[other + row, column] = moved


def comes_before(memory: Any, one: int, other: int) -> bool:
    """Whether the event in row ``one`` comes before that in row ``other``."""
    if memory[one, 1] != memory[other, 1]:
        return bool(memory[one, 1] < memory[other, 1])
    for row in range(1, EACH):
        for column in range(2):
            if memory[one + row, column] != memory[other + row, column]:
                return bool(memory[one + row, column] < memory[other + row, column])
    return bool(memory[one, 0] < memory[other, 0])


KERNEL = Kernel(__name__, uses=(views,))
