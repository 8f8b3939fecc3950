"""What is said when a game is first made into machine code, which takes some seconds, once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

PATIENCE: Final = 1.0
"""Seconds of waiting after which a person is told why."""
LOOKS: Final = 4
"""How often in that time it is looked whether they still wait for it."""
BUILDING: Final = "parlour.engine.c.building"


@contextmanager
def watched(tell: Callable[[], None], patience: float = PATIENCE) -> Iterator[None]:
    """Within this, call ``tell`` once machine code has been in the making for so long; never, if nobody watches the
    error stream, or if nothing but a result is wanted."""
    if not sys.stderr.isatty() or {"--quiet", "-q", "--json"} & {*sys.argv}:
        yield
        return
    end = Event()
    Thread(target=_watch, args=(end, tell, patience), daemon=True).start()
    try:
        yield
    finally:
        end.set()


def _watch(end: Event, tell: Callable[[], None], patience: float) -> None:
    seen = 0
    while seen < LOOKS:
        if end.wait(patience / LOOKS):
            return
        seen = seen + 1 if is_compiling() else 0
    tell()


def is_compiling() -> bool:
    """Whether machine code is being made in this process: whether any of its threads is looking for a library.  (Found
    ones are there at once.)"""
    building = sys.modules.get(BUILDING)
    library = getattr(building, "library", None)  # not there yet while the module is being loaded
    if library is None:
        return False
    for one in sys._current_frames().values():
        frame = one
        while frame:
            if frame.f_code is library.__code__:
                return True
            frame = frame.f_back  # type: ignore[assignment]
    return False
