"""What is said of a game that keeps people waiting: it is first made into machine code, which takes some seconds, once;
or the rules that somebody writes never come to an end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import FrameType
from typing import Final

from parlour.base.errors import placed
from parlour.base.languages import marked

PATIENCE: Final = 1.0
"""Seconds of waiting after which a person is told why."""
LOOKS: Final = 4
"""How often in that time it is looked whether they still wait for it."""
BUILDING: Final = "parlour.engine.c.building"
LOADING: Final = "parlour.engine.c.loading"
GAMES: Final = "parlour.engine.definition"
STUCK: Final = 10
"""How many seconds one call of an author's function may last before it is said where it is."""


@contextmanager
def watched(
    tell: Callable[[], None], say: Callable[[str], None], patience: float = PATIENCE, breaks: bool = False
) -> Iterator[None]:
    """Within this, call ``tell`` once machine code has been in the making for so long, unless nobody watches the error
    stream; and ``say`` where the rules of an own game are, if one call of them lasts :data:`STUCK` times as long.
    Neither, if nothing but a result is wanted.  ``breaks``: such a call is broken off, since others wait for it (those
    at the other tables of a server)."""
    if {"--quiet", "-q", "--json"} & {*sys.argv}:
        yield
        return
    end = Event()
    if sys.stderr.isatty():
        Thread(target=_watch, args=(end, tell, patience), daemon=True).start()
    Thread(target=_watch_rules, args=(end, say, patience, breaks), daemon=True).start()
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


class TakesTooLong(Exception):
    """What a call of an author's function is broken off with."""


def _watch_rules(end: Event, say: Callable[[str], None], patience: float, breaks: bool) -> None:
    held = dict[FrameType, int]()
    while not end.wait(patience):
        now = in_rules()
        held = {call: held.get(call, 0) + 1 for call in now}
        for call in [call for call, looks in held.items() if looks == STUCK]:
            say(_where(now[call], breaks))
            if not breaks:
                return
            import ctypes

            for thread, innermost in sys._current_frames().items():
                if call in _callers(innermost):
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TakesTooLong))


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame:
        yield frame
        frame = frame.f_back


def _where(frame: FrameType, breaks: bool) -> str:
    if frame.f_globals.get("__name__") == LOADING:
        return marked(
            "The rules have been at it for {n} seconds, in machine code. If that never ends, press Ctrl-C; `parlour"
            " audit` with `-c end` shows where they are.",
            n=STUCK,
        )
    if breaks:
        return marked(
            "{file}, line {line}, in {name}: the rules have been at it for {n} seconds, so they are broken off.",
            file=placed(frame.f_code.co_filename), line=frame.f_lineno, name=frame.f_code.co_name, n=STUCK,
        )  # fmt: skip
    return marked(
        "{file}, line {line}, in {name}: the rules have been at it for {n} seconds. If that never ends, press Ctrl-C.",
        file=placed(frame.f_code.co_filename), line=frame.f_lineno, name=frame.f_code.co_name, n=STUCK,
    )  # fmt: skip


def in_rules() -> dict[FrameType, FrameType]:
    """The calls of functions of own games, or of machine code if there is one, that are going on, each with the
    innermost of the author's calls that it has led to."""
    packages = tuple(f"{package}." for package in getattr(sys.modules.get(GAMES), "_registered", {}).values())
    found = dict[FrameType, FrameType]()
    for innermost in sys._current_frames().values() if packages else ():
        frame: FrameType | None = innermost
        calls = list[FrameType]()
        while frame:
            name = str(frame.f_globals.get("__name__", ""))
            if name.startswith(packages) or (name == LOADING and frame is innermost):
                calls.append(frame)
            frame = frame.f_back
        if calls:
            found[calls[-1]] = calls[0]
    return found
