"""Games side by side, one to a thread of a device; the names annotated below are those of the drivers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

play_out: Callable[..., int]
returns: Callable[..., None]
seeded: Callable[..., Any]


def play_some(
    S: Any, start: Any, acts: Any, rngs: Any, outs: Any, moves: Any, first: Any, mine: int, threads: int
) -> None:
    """Play the random games number ``mine``, ``mine + threads`` and so on: those that fall to this thread, which has
    row ``mine`` of ``S``, ``acts`` and ``rngs`` to itself.  Game ``i`` has the seed ``first + i``; ``outs[i]`` takes
    its returns, ``moves[i]`` the number of its decisions."""
    s = S[mine]
    for i in range(mine, len(moves), threads):
        S[mine] = start[0]
        rngs[mine, 0] = seeded(first, i)
        moves[i] = play_out(s, acts[mine], rngs[mine], None)
        returns(s, outs[i])
