"""A server's journal: what it logs goes to standard error, but not the same line again and again.

Otherwise a fault that comes with every connection would fill the disk: a thousand sockets that nobody could accept
wrote 29 MB in a minute.
"""

from __future__ import annotations

import logging
import sys
import threading
from dataclasses import dataclass
from typing import Any, Final

LINES: Final = 10
"""How many lines of one kind are written within :data:`WHILE` seconds."""
WHILE: Final = 60.0
"""Seconds after which lines of that kind are written again."""


@dataclass(slots=True)
class _Kind:
    since: float
    shown: int = 1
    left_out: int = 0


class Sparing(logging.Filter):
    """A filter that lets :data:`LINES` lines of a kind through in :data:`WHILE` seconds, and says how many it left out.
    Lines are of one kind if the same place in the code writes them.

    >>> sparing = Sparing()
    >>> lines = [logging.LogRecord("x", 30, "x.py", 7, "no %s", ("luck",), None) for _ in range(12)]
    >>> [sparing.filter(line) for line in lines].count(True)
    10
    >>> lines[9].getMessage()
    'no luck (more lines like this are counted and left out for 60 seconds)'
    """

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[Any, ...], _Kind] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written."""
        name = record.name, record.levelno, record.pathname, record.lineno
        with self._lock:
            kind = self._kinds.get(name)
            if kind is None or record.created - kind.since >= WHILE:
                if kind is not None and kind.left_out:
                    _add(record, f"{kind.left_out} lines like this were left out")
                self._kinds[name] = _Kind(record.created)
                return True
            kind.shown += 1
            if kind.shown > LINES:
                kind.left_out += 1
            elif kind.shown == LINES:
                _add(record, f"more lines like this are counted and left out for {WHILE:.0f} seconds")
            return kind.shown <= LINES


def _add(record: logging.LogRecord, said: str) -> None:
    record.msg, record.args = f"{record.getMessage()} ({said})", ()


def keep_journal() -> logging.Handler:
    """Write what this process logs to standard error, through :class:`Sparing`, and return the handler."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(Sparing())
    logging.getLogger().addHandler(handler)
    return handler


__all__ = ["LINES", "WHILE", "Sparing", "keep_journal"]
