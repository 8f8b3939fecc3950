"""The compiled binding of a game, by whichever compiler: Numba, or the C compiler of :mod:`parlour.engine.c`.

``PARLOUR_BINDING`` says which: ``numba``, which is what nobody has to say, or ``c``.  Both play the same games to the
last bit.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from parlour.errors import CompilationError

if TYPE_CHECKING:
    from parlour.engine.definition import Definition


@cache
def is_c() -> bool:
    """Whether games are compiled from C."""
    chosen = os.environ.get("PARLOUR_BINDING", "") or "numba"
    if chosen not in {"c", "numba"}:
        raise CompilationError("PARLOUR_BINDING must be c or numba, not {chosen!r}.", chosen=chosen)
    return chosen == "c"


def compiled(game: Definition) -> Any:
    """The drivers of a game as machine code, by name; each is compiled, or loaded, when it is first called.  Raises
    ``CompilationError`` if that fails."""
    if is_c():
        from parlour.engine.c.loading import compiled as from_c

        return from_c(game)
    from parlour.engine.compiled import compiled as by_numba

    return by_numba(game)
