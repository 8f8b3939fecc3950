"""What a server gets from outside: time, chance, threads and processes.

Whatever a server does is pure computation, or goes through the event loop (timers, ``asyncio.to_thread``, sockets), or
through this module. So a simulated world (``tools/simulation``) can stand in for all of it, with an event loop and one
:class:`Outside` for each server.
"""

from __future__ import annotations

import base64
import multiprocessing
import queue
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextvars import ContextVar
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
Task_contra = TypeVar("Task_contra", contravariant=True)


class Worker(Protocol[Task_contra]):
    """A thread beside the event loop, which does all the tasks that are waiting for it in one go."""

    def put(self, task: Task_contra) -> None:
        """Give the thread a task. It takes none after :meth:`close`."""

    def close(self) -> None:
        """Do the tasks that are waiting, and end."""


class Outside:
    """The outside of a real server."""

    chance: random.Random = random.SystemRandom()
    """The source of all secrets."""

    def wall(self) -> float:
        """Return the seconds since 1970, from which the date follows."""
        return time.time()

    def steady(self) -> float:
        """Return the seconds since some fixed moment; this needs no event loop."""
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        """Make this thread wait."""
        time.sleep(seconds)

    def worker(self, name: str, work: Callable[[Sequence[T]], None], most: int) -> Worker[T]:
        """Return a thread that does ``work`` on the tasks that are waiting for it, at most ``most`` of them at once."""
        return _Thread(name, work, most)

    def processes(self, number: int, begin: Callable[[], None]) -> Executor:
        """Return processes that share nothing with this one; each calls ``begin`` first."""
        return _Processes(number, multiprocessing.get_context("spawn"), begin)


class _Processes(ProcessPoolExecutor):
    """Processes that Ctrl-C does not reach, not even before their first line of Python: it is for the server."""

    def submit(self, *work: Any, **named: Any) -> Any:
        if not hasattr(signal, "pthread_sigmask"):  # on Windows
            return super().submit(*work, **named)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which a process that is started inherits
        try:
            return super().submit(*work, **named)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Thread(Generic[T]):
    """The worker of a real server."""

    def __init__(self, name: str, work: Callable[[Sequence[T]], None], most: int) -> None:
        self._work, self._most = work, most
        self._waiting: queue.SimpleQueue[T | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def put(self, task: T) -> None:
        self._waiting.put(task)

    def close(self) -> None:
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            group = [self._waiting.get()]
            while len(group) < self._most and not self._waiting.empty():
                group.append(self._waiting.get())
            going = None not in group
            if wanted := [one for one in group if one is not None]:
                self._work(wanted)


OUTSIDE: ContextVar[Outside] = ContextVar("OUTSIDE", default=Outside())  # noqa: B039 (it has no state)
"""The outside of the server that runs in a context."""


def outside() -> Outside:
    """Return the outside of the server that runs now."""
    return OUTSIDE.get()


# ------------------------------------------------------------------------------------------ chance


def token_bytes(size: int) -> bytes:
    """Return bytes that nobody can guess."""
    return outside().chance.randbytes(size)


def token_hex(size: int) -> str:
    """Return bytes that nobody can guess as hexadecimal text."""
    return token_bytes(size).hex()


def token_urlsafe(size: int) -> str:
    """Return bytes that nobody can guess as text that can be part of an address."""
    return base64.urlsafe_b64encode(token_bytes(size)).rstrip(b"=").decode()


__all__ = ["OUTSIDE", "Outside", "Worker", "outside", "token_bytes", "token_hex", "token_urlsafe"]
