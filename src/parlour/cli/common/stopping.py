"""Ctrl-C, in every command: the exit code is 130, and one sentence says what is kept and how to go on.  What a queue of
jobs or ``timeout`` sends instead (SIGTERM) does the same.

A command that has something to show when it is stopped shows it, and raises :func:`stopped` with a sentence of its own;
of the others, :func:`stoppable` says what holds.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import wraps
from types import FrameType
from typing import Any, Final

import typer

from parlour.base.languages import marked, speaking, translated
from parlour.base.naming import printable
from parlour.cli.common.translated_help import readers_language

STOPPED: Final = 130
"""The exit code after Ctrl-C: 128 and the number of its signal, as shells have it."""
PATIENCE: Final = 1.0
"""Seconds that threads have for their last piece of work, at the end of a command that was stopped."""
BEGINS_AGAIN: Final = marked("Stopped. Nothing is kept; the same command begins again.")
"""What holds of most commands."""
OTHERWISE: Final[Mapping[str, str]] = {
    "play": marked("Stopped; the same command begins again."),
    "learn": marked("Stopped; the same command begins the lesson again."),
    "train": "Stopped. What was kept before is kept; the same command goes on from there.",
    "solve": "Stopped. No file has been changed; the same command begins again.",
    "serve": marked("Stopped. The tables are kept; the same command opens them again."),
    "bot": marked("Stopped. The seat is given up; the same command takes a free one."),
    "atlas": "Stopped. What has been played is kept; the same command goes on.",
    "corpus": "Stopped. What has been played is kept; the same command goes on.",
}
"""What holds of the others, if they do not say it themselves; most that are not for players speak English."""


def stopped(sentence: str) -> typer.Exit:
    """Return the end of a command that was stopped, and say on the error stream what is kept, and how to go on."""
    with suppress(OSError, ValueError):  # nobody may be there to read it
        sys.stdout.flush()
        print(printable(sentence), file=sys.stderr, flush=True)
    return typer.Exit(STOPPED)


def stoppable(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command, which ends at Ctrl-C as all do."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        with suppress(KeyboardInterrupt):
            command(*args, **options)
            return
        name = command.__name__
        with speaking(readers_language([name])):
            raise stopped(translated(OTHERWISE.get(name, BEGINS_AGAIN)))

    return run


def _as_ctrl_c(number: int, frame: FrameType | None) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in the background of a shell
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)  # which is withheld where it would come in the wrong moment


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM stop a command as Ctrl-C does; a server and a bot have an answer of their own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _as_ctrl_c)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def leave(code: int, before: Collection[threading.Thread]) -> None:
    """End here, if threads that were not there ``before`` are still at work after a moment: machine code cannot be
    stopped, and nobody wants its results any more.  The processes that they use end too."""
    with suppress(KeyboardInterrupt):  # whoever presses Ctrl-C again is in a hurry
        for thread in [one for one in threading.enumerate() if one not in before and not one.daemon]:
            thread.join(PATIENCE)
    if not any(one not in before and not one.daemon for one in threading.enumerate()):
        return
    if "multiprocessing" in sys.modules:
        for process in sys.modules["multiprocessing"].active_children():
            process.kill()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
