"""The gate of a private parlour: nobody comes in without its password, whether by page, program or WebSocket."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final
from urllib.parse import quote

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from parlour.base.languages import marked
from parlour.server.common import clock
from parlour.server.common.limits import RateCounter
from parlour.server.common.wire import HEADER
from parlour.server.web.connection_limits import place_of

PASS: Final = "parlour_pass"
"""The cookie that shows that a browser has given the password."""
ASKED: Final = "/password"
"""The path of the page that asks for the password."""
OPEN: Final = (ASKED, "/health", "/theme")
"""The paths that are open to everybody: those that a proxy checks, and those of the page that asks for the password."""
TRIES, MINUTES = 10, 10
"""How many wrong passwords one address may try in how many minutes; after that even the right one has to wait."""
PRIVATE: Final = marked("This parlour is private. Give its password.")
LATER: Final = "Too many wrong passwords from your address. Wait ten minutes, then try again."


class Gate:
    """The password of a parlour, and the wrong passwords that were tried.

    >>> gate = Gate("open sesame")
    >>> gate.is_pass(gate.token), gate.is_pass("")
    (True, False)
    """

    def __init__(self, password: str) -> None:
        self._password = _digest(password)
        # The same on every server and after every start. It is slow to compute, so that it does not betray a short
        # password.
        self.token = hashlib.scrypt(password.encode(), salt=b"parlour gate 1", n=1 << 14, r=8, p=1, dklen=32).hex()
        self._wrong = RateCounter(60 * MINUTES, TRIES)

    def opens(self, password: str, address: str) -> bool:
        """Whether this is the password. A wrong one counts against the address; after too many, even the right one is
        refused."""
        if self.is_shut_for(address):
            return False
        if hmac.compare_digest(_digest(password), self._password):
            return True
        self._wrong.add(place_of(address), clock.now())
        return False

    def is_shut_for(self, address: str) -> bool:
        """Whether too many wrong passwords have come from an address."""
        return self._wrong.is_used_up(place_of(address), clock.now())

    def is_pass(self, token: str) -> bool:
        """Whether a browser's cookie shows that it has given the password."""
        return hmac.compare_digest(_digest(token), _digest(self.token))


def _digest(text: str) -> bytes:
    """Return a digest of fixed length, so that a comparison takes a fixed time."""
    return hashlib.sha256(text.encode()).digest()


class Gatekeeper:
    """ASGI middleware that lets a request through only with the password."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a WebSocket."""
        if scope["type"] not in {"http", "websocket"} or self._may_pass(HTTPConnection(scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4401, "reason": PRIVATE})
        else:
            await self._refusal(HTTPConnection(scope))(scope, receive, send)

    def _may_pass(self, asked: HTTPConnection) -> bool:
        path = asked.scope["path"]  # not that of a URL, which is made from the header Host
        if path in OPEN or path.startswith("/static/") or self._gate.is_pass(asked.cookies.get(PASS, "")):
            return True
        said = asked.headers.get(HEADER)
        return said is not None and self._gate.opens(said, address_of(asked))

    def _refusal(self, asked: HTTPConnection) -> Response:
        if asked.scope["method"] in {"GET", "HEAD"} and "text/html" in asked.headers.get("accept", ""):
            query = f"?{asked.url.query}" if asked.url.query else ""
            return RedirectResponse(f"{ASKED}?to={quote(asked.url.path + query, safe='')}", 303)
        is_shut = HEADER in asked.headers and self._gate.is_shut_for(address_of(asked))
        return JSONResponse({"sentence": LATER if is_shut else PRIVATE, "clause": ""}, 429 if is_shut else 401)


def address_of(asked: HTTPConnection) -> str:
    """Return the address that a request comes from."""
    return asked.client.host if asked.client is not None else ""


__all__ = ["ASKED", "HEADER", "LATER", "PASS", "Gate", "Gatekeeper", "address_of"]
