"""The clock for players that think for a time: the wall clock, or processor time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_clock: ContextVar[Callable[[], float]] = ContextVar("clock", default=time.perf_counter)


def now() -> float:
    """Return the time in seconds; only differences mean anything."""
    return _clock.get()()


@contextmanager
def processor_time() -> Iterator[None]:
    """Have players think in processor time of this thread, so that a busy machine makes none of them weaker.

    >>> with processor_time():
    ...     begun = now()
    ...     time.sleep(0.05)
    ...     now() - begun < 0.05
    True
    """
    token = _clock.set(time.thread_time)
    try:
        yield
    finally:
        _clock.reset(token)
