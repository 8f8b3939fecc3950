"""What a server logs is written down, but a fault that comes again and again does not fill the disk."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator

import pytest

from parlour.server.common.journal import LINES, WHILE, keep_journal


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    page = io.StringIO()
    monkeypatch.setattr(sys, "stderr", page)
    handler = keep_journal()
    yield page
    logging.getLogger().removeHandler(handler)


def fail(number: int, created: float) -> None:
    """A fault with a traceback, at a time."""
    record = logging.getLogger("asyncio").makeRecord("asyncio", 40, "events.py", 1, "fault %d", (number,), None)
    record.created = created
    try:
        raise OSError(24, "Too many open files")
    except OSError:
        record.exc_info = sys.exc_info()
    logging.getLogger("asyncio").handle(record)


def test_what_comes_again_and_again_is_counted(written: io.StringIO) -> None:
    many = 2_000
    for number in range(many):
        fail(number, created=1000 + number / many)
    fail(0, created=1000 + WHILE)
    lines = [line for line in written.getvalue().splitlines() if "fault" in line]
    assert len(lines) == LINES + 1
    assert lines[-2].endswith(f"fault {LINES - 1} (more lines like this are counted and left out for 60 seconds)")
    assert lines[-1].endswith(f"fault 0 ({many - LINES} lines like this were left out)")
    assert len(written.getvalue()) < 20_000  # a fortieth of it


def test_one_kind_does_not_hide_another(written: io.StringIO) -> None:
    for _ in range(3 * LINES):
        logging.getLogger("parlour.server").warning("the one")
    logging.getLogger("parlour.server").warning("the other %s", "too")
    assert "parlour.server: the other too\n" in written.getvalue()
