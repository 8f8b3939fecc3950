"""A whole server: the interface for programs, and the pages."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from parlour.base.errors import ParlourError
from parlour.base.languages import languages
from parlour.engine.definition import definition, games
from parlour.server.common.limits import LARGEST_FRAME
from parlour.server.live.identity import OwnCookies
from parlour.server.live.tables import Tables
from parlour.server.page.environment import compile_all
from parlour.server.page.password import router as ask_for_password
from parlour.server.site.site import add_pages
from parlour.server.web import connection_limits
from parlour.server.web.auth import Gate
from parlour.server.web.server import make_app

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from fastapi import FastAPI

    from parlour.server.store.retention import Keep
    from parlour.server.web.proxies import Proxies


LINES: Final[dict[str, Any]] = {
    "http": connection_limits.Door,
    "ws": connection_limits.Listener,
    "ws_max_size": 2 * LARGEST_FRAME,
    "ws_per_message_deflate": False,  # the length of a packed frame would betray what is in it (docs/security.md)
    "proxy_headers": False,  # our own middleware handles them, for connections too
    "log_config": None,
    "access_log": False,
}
"""The settings with which uvicorn treats every connection."""


def whole_app(tables: Tables, proxies: Proxies | None = None, password: str = "") -> FastAPI:
    """Return the whole server over these tables. ``proxies``: those that it trusts; ``password``: what everybody must
    know to enter (empty: nothing)."""
    app = make_app(tables, proxies, Gate(password) if password else None)
    add_pages(app)
    if password:
        app.include_router(ask_for_password)
    app.add_middleware(OwnCookies)  # outermost, since everything inside reads cookies
    return app


def load_games() -> None:
    """Load every game now. If the first guest's request for the list did it, everybody else would wait for half a
    second."""
    for game in games():
        with suppress(ParlourError):  # whoever asks for the game will be told
            _ = definition(game).rules, definition(game).words


def serve(
    host: str,
    port: int,
    database: str,
    workers: int | None = None,
    metrics: int | None = None,
    keep: Keep | None = None,
    proxies: Proxies | None = None,
    password: str = "",
    announce: Callable[[], None] = lambda: None,
) -> None:
    """Run a server until it is stopped. ``metrics``: the port of this machine at which it serves its metrics; ``keep``:
    how long it keeps what is over; ``proxies``: those that it trusts; ``password``: what everybody must know to enter;
    ``announce``: called once the server listens. Raises ``KeyboardInterrupt`` at Ctrl-C."""
    import uvicorn
    from uvicorn.config import STARTUP_FAILURE

    from parlour.server.bots.bots import Bots
    from parlour.server.common.journal import keep_journal
    from parlour.server.store.store import Store

    keep_journal()
    tables = Tables(Store(database), Bots(workers), keep)
    if metrics is not None:
        tables.metrics.serve(metrics)
    app = whole_app(tables, proxies, password)
    load_games()
    sys.setswitchinterval(0.0005)  # in seconds: short, so that the thread that writes the log waits less for its turn
    gc.collect()
    gc.freeze()  # what is here now stays, and scanning it again and again would make everybody wait
    gc.set_threshold(20_000, 10, 10)
    connection_limits.Door.most = connection_limits.most_connections()
    if proxies is not None:
        connection_limits.Door.is_proxy = staticmethod(proxies.trusts)
    threading.Thread(target=compile_all, args=(languages(),), daemon=True).start()  # ready before guests come
    # when uvicorn has ended, it raises the signal again, and the system's own handler would leave semaphores behind
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=3,
        **LINES,
    )

    class Announced(uvicorn.Server):
        """One that says so when it listens: whoever reads that may come at once."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                announce()

    server = Announced(config)
    # whoever presses Ctrl-C twice knows that something is broken off
    logging.getLogger("uvicorn.error").addFilter(lambda _: not server.force_exit)
    server.run()
    if not server.started:
        sys.exit(STARTUP_FAILURE)
