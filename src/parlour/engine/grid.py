"""What each thread of a device does; the names annotated below are those of the drivers.

A thread is number ``mine`` of ``threads``.  Arrays by the names of :data:`OWN` it has for itself.  All threads share
the others, or there is a row for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

play_out: Callable[..., int]
returns: Callable[..., None]
seeded: Callable[..., Any]
practise: Callable[..., None]

_BY_KIND: Final = {
    "position[]": "start position",
    "position[,]": "S",
    "i16[]": "choices",
    "i16[,]": "acts",
    "i64": "mine threads begin parts games how",
    "i64[]": "moves full",
    "i64[,]": "chosen used",
    "i64[,,]": "seats",
    "word": "first",
    "u64[]": "rng",
    "u64[,]": "rngs",
    "f32[,]": "row",
    "f32[,,]": "rows",
    "real": "curious lasting",
    "f64[]": "net total",
    "f64[,]": "outs worth notes nets layer short firm changes brought",
    "f64[,,]": "found layers",
}
KINDS: Final[Mapping[str, str]] = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}
"""What the functions here are given, by name (:func:`parlour.engine.c.kinds.parsed`)."""


OWN: Final = ("position", "choices", "rng")
"""What is in the memory that a device has for each thread alone.  There, what is at the same place in 32 threads lies
side by side, and is fetched at once."""


def play_some(
    position: Any, choices: Any, rng: Any, start: Any, outs: Any, moves: Any, first: Any, mine: int, threads: int
) -> None:
    """Play the random games number ``mine``, ``mine + threads`` and so on: those that fall to this thread.  Game ``i``
    has the seed ``first + i``; ``outs[i]`` takes its returns, ``moves[i]`` the number of its decisions."""
    s = position[0]
    i = mine
    while i < len(moves):
        position[0] = start[0]
        rng[0] = seeded(first, i)
        moves[i] = play_out(s, choices, rng, None)
        returns(s, outs[i])
        i += threads


def learn_some(
    S: Any, start: Any, rngs: Any, first: Any, begin: int, parts: int, games: int, how: int, acts: Any, chosen: Any,
    worth: Any, notes: Any, nets: Any, row: Any, layer: Any, short: Any, firm: Any, net: Any, changes: Any,
    curious: float, lasting: float, seats: Any, found: Any, rows: Any, layers: Any, used: Any, brought: Any, full: Any,
    mine: int,
) -> None:  # fmt: skip
    """Play one of ``parts`` of a batch, if there is one for this thread: as many ``games`` as each has, the first of
    all being number ``begin`` (:func:`parlour.engine.drivers.practise`).  ``changes[mine]`` takes what is learned.
    ``full[0]`` becomes 1 if a deal had a decision that was not remembered: those go to the last row."""
    if mine < parts:
        for k in range(changes.shape[1]):
            changes[mine, k] = 0.0
        last = seats.shape[1] - 1
        seats[mine, last, 0] = -1
        practise(
            S[mine], start, rngs[mine], first, begin + mine * games, games, how, acts[mine], chosen[mine], worth[mine],
            notes[mine], nets, row[mine], layer[mine], short[mine], firm[mine], net, changes[mine], curious, lasting,
            seats[mine], found[mine], rows[mine], layers[mine], used[mine], brought[mine],
        )  # fmt: skip
        if seats[mine, last, 0] >= 0:
            full[0] = 1


def add_up(changes: Any, parts: int, total: Any, mine: int, threads: int) -> None:
    """Add to ``total`` what is learned from each part, in the order of the parts: this thread's share of the
    numbers."""
    k = mine
    while k < len(total):
        for part in range(parts):
            total[k] += changes[part, k]
        k += threads
