"""How much one address may request, pages and sockets included, and how often it may ask for tables that do not exist.

An invitation is a code of six letters, and trying one code after another must not lead to a table.
"""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parlour.base.languages import marked
from parlour.server.common import clock
from parlour.server.common.limits import HOUSEHOLD, Allowances, RateCounter
from parlour.server.web.connection_limits import is_near, place_of
from parlour.server.web.mistakes import mistake
from parlour.server.web.streams import GONE

READERS: Final = 2 * HOUSEHOLD
"""One address may make as many requests, of any kind, as this many guests: pages have pictures and styles."""
MISSES, MINUTES = 100, 10
"""How many tables that do not exist one address may ask for in how many minutes."""
LATER: Final = "Too many requests from your address; wait a moment."
NONE_THERE: Final = marked("You asked for too many tables that don't exist. Wait ten minutes, then try again.")
_TABLES: Final = ("/t/", "/api/1/tables/", "/join", "/duplicate/", "/swiss/")


class Pace:
    """ASGI middleware that enforces these limits.  Requests from the machine itself are not counted."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._allowances, self._misses = app, Allowances(), RateCounter(60 * MINUTES, MISSES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a WebSocket."""
        address = (scope.get("client") or ("", 0))[0]
        if scope["type"] not in {"http", "websocket"} or is_near(address):
            await self._app(scope, receive, send)
            return
        place, is_table = place_of(address), scope["path"].startswith(_TABLES)

        async def counted(message: Message) -> None:
            if is_table and (message.get("status") == 404 or message.get("code") == GONE):
                self._misses.add(place, clock.now())
            await send(message)

        if is_table and self._misses.is_used_up(place, clock.now()):
            await _refuse(NONE_THERE, scope, receive, send)
        elif not await self._allowances.use(place, READERS):
            await _refuse(LATER, scope, receive, send)
        else:
            await self._app(scope, receive, counted)


async def _refuse(sentence: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1013, "reason": sentence})
        return
    await mistake(429, sentence)(scope, receive, send)


__all__ = ["MISSES", "READERS", "Pace"]
