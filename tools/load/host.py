"""The server that is measured: a process of its own, and requests to it."""

from __future__ import annotations

import json
import multiprocessing
import secrets
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from parlour.base.errors import ParlourError
from parlour.server.common import wire
from parlour.server.live.identity import COOKIE
from parlour.server.site.serving import serve
from parlour.server.store.database import url_of
from tools.load.report import LoadPlan

TABLES: Final = f"/api/{wire.VERSION}/tables"


@contextmanager
def server(database: str = "") -> Iterator[tuple[str, str]]:
    """Run a server in a process of its own, on a database (by default a new one, which is then deleted); yield its
    address, and that of its metrics."""
    with tempfile.TemporaryDirectory(prefix="parlour-load-") as folder:
        port, metrics = free_port(), free_port()
        process = start(port, database or url_of(Path(folder) / "load.db"), metrics)
        try:
            yield f"http://127.0.0.1:{port}", f"http://127.0.0.1:{metrics}"
        finally:
            process.terminate()
            process.join(15)
            process.kill()
            process.join()


def free_port() -> int:
    """Return a port that nobody listens to at present."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def start(port: int, database: str, metrics: int | None = None) -> BaseProcess:
    """Start a server in a process of its own; it answers when this returns."""
    process = multiprocessing.get_context("spawn").Process(target=serve, args=("127.0.0.1", port, database, 1, metrics))
    process.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.is_alive():
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.01)
    process.kill()
    process.join()
    raise ParlourError("The server does not start.")


def ask(url: str, method: str, path: str, token: str = "", body: dict[str, Any] | None = None) -> str:
    """Return what the server answers to a request.  Raises ``ParlourError`` if it refuses."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    try:
        headers = {"Content-Type": "application/json", "Cookie": f"{COOKIE}={token}"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
    except OSError as failure:
        raise ParlourError("The server at {url} does not answer: {failure}.", url=url, failure=failure) from None
    finally:
        connection.close()
    if answer.status >= 400:
        raise ParlourError("The server refused: {text}", text=text)
    return text


def new_table(url: str, wanted: LoadPlan) -> tuple[str, list[str]]:
    """Open a table full of guests; return its name, and their tokens by seat."""
    tokens = [secrets.token_urlsafe(24) for _ in range(wanted.players)]
    rules = {"game": wanted.game, "players": wanted.players, "beat": 0, "grace": 3600}
    # The first guest's client is waited for before the match begins, so no bot has time to answer.
    made = ask(url, "POST", TABLES, tokens[0], rules | {"name": "Guest 0", "contributes": True, "bots": "random"})
    table = str(json.loads(made)["table"])
    for seat, token in enumerate(tokens[1:], 1):
        ask(url, "POST", f"{TABLES}/{table}/seats", token, {"name": f"Guest {seat}", "seat": seat})
    return table, tokens
