"""A whole server: the room's interface for programs, and the pages."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from parlour.page.password import router as ask_for_password
from parlour.page.site import add_pages
from parlour.room.gate import Gate
from parlour.room.limits import LARGEST_FRAME
from parlour.room.server import make_app
from parlour.room.tables import Tables

if TYPE_CHECKING:
    from fastapi import FastAPI

    from parlour.room.proxies import Proxies
    from parlour.room.retention import Keep


def whole_app(tables: Tables, proxies: Proxies | None = None, password: str = "") -> FastAPI:
    """Return the whole server over these tables; ``proxies``: those that it trusts; ``password``: what everybody needs
    to enter."""
    app = make_app(tables, proxies, Gate(password) if password else None)
    add_pages(app)
    if password:
        app.include_router(ask_for_password)
    return app


def serve(
    host: str,
    port: int,
    database: str,
    workers: int | None = None,
    metrics: int | None = None,
    keep: Keep | None = None,
    proxies: Proxies | None = None,
    password: str = "",
) -> None:
    """Run a server until it is stopped; ``metrics``: the port of this machine at which it serves its metrics; ``keep``:
    how long it keeps what is over; ``proxies``: those that it trusts; ``password``: what everybody needs to enter."""
    import uvicorn

    from parlour.room.bots import Bots
    from parlour.room.door import Door, Listener, most_connections
    from parlour.room.journal import keep_journal
    from parlour.room.store import Store

    keep_journal()
    tables = Tables(Store(database), Bots(workers), keep)
    if metrics is not None:
        tables.metrics.serve(metrics)
    app = whole_app(tables, proxies, password)
    sys.setswitchinterval(0.0005)  # the thread that writes the log no longer waits for its turn
    gc.collect()
    gc.freeze()  # what is here now stays; scanning it again and again would make everybody wait
    gc.set_threshold(20_000, 10, 10)
    Door.most = most_connections()
    if proxies is not None:
        Door.is_proxy = staticmethod(proxies.trusts)
    uvicorn.run(
        app,
        http=Door,
        host=host,
        port=port,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # our own middleware handles them, for connections too
        ws=Listener,
        ws_max_size=2 * LARGEST_FRAME,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
    )
