"""How a guest is known: by a token, in a cookie (browsers) or in a header (bots, terminals)."""

from __future__ import annotations

import re
import secrets
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from parlour.room.seats import fingerprint

COOKIE: Final = "parlour_guest"
KEPT: Final = 365 * 86400
"""Seconds for which a browser keeps a token."""
OURS: Final = b"parlour_"
"""How the names of all our cookies begin."""
_TOKEN: Final = re.compile(r"[\w-]{32}", re.ASCII)


def token_of(request: HTTPConnection) -> str:
    """Return the token that a request comes with; empty if there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.casefold() == "bearer" and token.strip():
        return token.strip()
    return request.cookies.get(COOKIE, "")


def key_of(request: HTTPConnection) -> str:
    """Return the fingerprint of that token; empty without one."""
    return fingerprint(token_of(request))


def new_token() -> str:
    """Return a token for somebody who has none."""
    return secrets.token_urlsafe(24)


def is_token(text: str) -> bool:
    """Whether a text looks like a token that we gave.

    >>> is_token(new_token()), is_token("abc")
    (True, False)
    """
    return _TOKEN.fullmatch(text) is not None


def remember(request: Request, response: Response, token: str) -> None:
    """Have the browser keep a guest's token."""
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, token, max_age=KEPT, httponly=True, samesite="lax", secure=secure, path="/")


def remember_longer(request: Request, response: Response) -> None:
    """Have the browser keep the token that a request comes with, if any, for another while."""
    if token := token_of(request):
        remember(request, response, token)


def is_same_origin(request: HTTPConnection) -> bool:
    """Whether a request comes from a page of this server, or from no page at all."""
    origin = request.headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == request.headers.get("host")
    except ValueError:  # not an address at all
        return False


class OwnCookies:
    """ASGI middleware that passes on our own cookies and no others.  None of ours has a backslash: Python reads one
    that has many in quadratic time, and any site of the same host may have set it, or a stranger sent it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a WebSocket."""
        if scope["type"] in ("http", "websocket"):
            scope["headers"] = [
                (name, _own(said) if name == b"cookie" else said) for name, said in scope["headers"]
            ]  # fmt: skip
        await self._app(scope, receive, send)


def _own(cookies: bytes) -> bytes:
    """Return what is ours of a line of cookies.

    >>> _own(b'parlour_name=Zo%C3%A9; parlour_guest="\\\\"; other=1')
    b'parlour_name=Zo%C3%A9'
    """
    each = (one.strip() for one in cookies.split(b";"))
    return b"; ".join(one for one in each if one.startswith(OURS) and b"\\" not in one)


__all__ = [
    "COOKIE",
    "OwnCookies",
    "is_same_origin",
    "is_token",
    "key_of",
    "new_token",
    "remember",
    "remember_longer",
    "token_of",
]
