"""What a player is told: as one word (a glance), as the row of a tensor, or as a position.

In compiled code the kind of the listener decides which.  Interpreted rules tell things to lists, so other functions of
the same names take the place of these (:mod:`parlour.engine.interpreted`).
"""

from __future__ import annotations

from typing import Any

from parlour.engine.hashing import word
from parlour.engine.kernel import F32, F32x2, Kernel, Position, Positions, rules

GAME, SEEN, BLANK = range(3)
"""Places of three positions in a loop with players: that of the game, the view of one player, and a blank one."""


def glance_open(s: Any, scratch: Any) -> Any:
    """Return the word of what everybody can see: the sum of the words of all items told."""
    scratch[0] = word(0)
    rules.show(s, scratch)
    return scratch[0]


def glance_own(s: Any, me: int, scratch: Any) -> Any:
    """Return the word of what only ``me`` sees."""
    scratch[0] = word(0)
    rules.show_own(s, me, scratch)
    return scratch[0]


def see(S: Any, me: int) -> None:
    """Put everything that ``me`` is told about the game, and nothing else, into ``S[SEEN]``."""
    s, seen = S[GAME], S[SEEN]
    S[SEEN] = S[BLANK]
    rules.show(s, seen)
    rules.show_own(s, me, seen)
    rules.restore(seen, me)


def write_row(s: Position, me: int, row: F32) -> None:
    """Write the tensor of what ``me`` is told into ``row``."""
    row[:] = 0
    rules.show(s, (row, me, s.players))
    rules.show_own(s, me, (row, me, s.players))


def write_rows(S: Positions, lo: int, hi: int, me: int, X: F32x2) -> None:
    """Write the tensors of ``me`` for positions ``lo`` to ``hi``."""
    for i in range(lo, hi):
        write_row(S[i], me, X[i])


KERNEL = Kernel(__name__, entries=(write_row, write_rows))
