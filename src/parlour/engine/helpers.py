"""Threads that help with the steps of a batch.

A step lasts a fraction of a millisecond, and waking a thread on another core takes about 0.1 ms, so a pool of threads
would gain nothing.  Instead the work is divided into small pieces, and every thread takes the next piece: first of its
own share, which is still in its core's cache, then of the others' (:func:`parlour.engine.kernels.batch.work_on`).  A
helper that finds no work goes on looking for a moment, without Python's lock, then sleeps.  No thread waits for a
helper that has not begun: if the helpers are asleep, one thread does the whole step."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from parlour.engine.kernels.batch import ASLEEP, ENDED, LINE, SHARES, TAKEN

if TYPE_CHECKING:
    from numpy.typing import NDArray


def board(helpers: int, size: int) -> NDArray[np.int64]:
    """A new board for threads that share ``size`` games: no work to do, and every helper asleep."""
    words = np.zeros(TAKEN + LINE * (helpers + 1), np.int64)
    words[SHARES] = helpers + 1
    words[TAKEN::LINE] = size
    words[ASLEEP::LINE] = 1
    return words


class Helpers:
    """Threads that call ``help(k)`` whenever there may be work on the ``board``; ``k`` is the number of the helper.
    The function is compiled code that releases Python's lock. :meth:`dismiss` ends the threads."""

    def __init__(self, words: NDArray[np.int64], assist: Callable[[int], Any]) -> None:
        self._words = words
        self._process = os.getpid()
        self.failures: list[Exception] = []
        """Errors in helpers, for the thread that called for the step, which would otherwise wait for ever."""
        self._bells = [_held() for _ in words[ASLEEP::LINE]]
        for k, bell in enumerate(self._bells):
            thread = threading.Thread(
                target=_help, args=(words, bell, assist, k, self.failures), daemon=True, name="parlour-helper"
            )
            thread.start()

    @property
    def are_here(self) -> bool:
        """Whether the threads run in this process: they do not survive a fork."""
        return self._process == os.getpid()

    def wake(self) -> None:
        """Wake the helpers that are asleep."""
        for k, asleep in enumerate(self._words[ASLEEP::LINE].tolist()):
            if asleep:
                self._words[ASLEEP + LINE * k] = 0
                with suppress(RuntimeError):  # the bell has been rung already
                    self._bells[k].release()

    def dismiss(self) -> None:
        """End the threads once they have finished their present piece of work."""
        self._words[ENDED] = 1
        for bell in self._bells:
            with suppress(RuntimeError):
                bell.release()


def _held() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _help(
    words: NDArray[np.int64], bell: threading.Lock, assist: Callable[[int], Any], k: int, failures: list[Exception]
) -> None:
    while True:
        bell.acquire()
        if words[ENDED]:
            return
        try:
            assist(k)
        except Exception as failure:  # rules may raise anything; the thread that leads raises it again
            failures.append(failure)
            words[ASLEEP + LINE * k] = 1
