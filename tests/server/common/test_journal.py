"""What a server logs is written down, but a fault that comes again and again does not fill the disk."""

from __future__ import annotations

import io
import logging
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from parlour.server.common.journal import LINES, WHILE, keep_journal
from tests.leash import LEASH
from tests.waiting import LIMIT, wait_until
from tools.load import free_port


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


MANY = 2_000


def test_what_comes_again_and_again_is_counted(written: io.StringIO) -> None:
    for number in range(MANY):
        fail(number, created=1000 + number / MANY)
    fail(0, created=1000 + WHILE)
    lines = [line for line in written.getvalue().splitlines() if "fault" in line]
    assert len(lines) == LINES + 1
    assert lines[-2].endswith(f"fault {LINES - 1} (more lines like this are counted and left out for 60 seconds)")
    assert lines[-1].endswith(f"fault 0 ({MANY - LINES} lines like this were left out)")
    assert len(written.getvalue()) < 20_000  # a fortieth of it


def test_one_kind_does_not_hide_another(written: io.StringIO) -> None:
    for _ in range(3 * LINES):
        logging.getLogger("parlour.server").warning("the one")
    logging.getLogger("parlour.server").warning("the other %s", "too")
    assert "parlour.server: the other too\n" in written.getvalue()


SERVE = f"""{LEASH}
import resource, sys
from parlour.server.site import serving
from parlour.server.web import connection_limits
resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))
connection_limits.most_connections = lambda: 1_000_000  # as if it could hold them
serving.serve("127.0.0.1", int(sys.argv[1]), sys.argv[2], 1)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_more_sockets_than_a_server_can_hold_do_not_fill_its_journal(tmp_path: Path) -> None:
    """asyncio complains of each attempt to take one in; uvloop ends those that are too many, and says nothing."""
    port = free_port()
    with (tmp_path / "journal").open("wb") as journal, ExitStack() as lines:
        words = [sys.executable, "-c", SERVE, str(port), f"sqlite:///{tmp_path / 'room.db'}"]
        process = subprocess.Popen(words, stdout=journal, stderr=journal)
        lines.callback(process.wait, LIMIT)
        lines.callback(process.kill)

        def is_there() -> bool:
            with socket.socket() as line:
                return line.connect_ex(("127.0.0.1", port)) == 0

        wait_until(is_there)
        opened = [lines.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(300)]
        text = tmp_path / "journal"
        wait_until(lambda: "left out" in text.read_text() or select.select(opened, [], [], 0)[0])
        assert text.read_text().count("Traceback") <= 3 * LINES
        assert len(text.read_text()) < 100_000
