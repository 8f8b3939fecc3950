"""How a guest is known: by a token, in a cookie (browsers) or in a header (bots, terminals)."""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from parlour.server.common.outside import token_bytes
from parlour.server.table.seats import fingerprint

COOKIE: Final = "parlour_guest"
NEXT: Final = "parlour_next"
"""The cookie with the token that will be a guest's as soon as their present one has ended."""
KEPT: Final = 365 * 86400
"""Seconds for which a browser keeps a token."""
SOON: Final = 600
"""Seconds for which it keeps the next one."""
OURS: Final = b"parlour_"
"""How the names of all our cookies begin."""
DRAWN, MARK = 18, 6
"""The bytes of a token that are drawn, and the bytes of its mark: too many values for anybody to try out."""
_TOKEN: Final = re.compile(r"[\w-]{32}", re.ASCII)


class Tokens:
    """The tokens of a server. Those that it makes bear a mark, made with ``secret``, by which it knows them again.
    Whatever token a guest comes with is theirs, marked or not: tokens from before there was a mark have none. The mark
    is needed only for a token that is entered by hand, which somebody may have made up or sent.

    ``ended``: the fingerprints of tokens that are nobody's any longer; a guest who comes with one of them is a
    stranger.

    >>> tokens = Tokens(b"secret", set())
    >>> tokens.is_ours(tokens.new()), tokens.is_ours("A" * 32), tokens.is_ours(Tokens(b"other", set()).new())
    (True, False, False)
    """

    def __init__(self, secret: bytes, ended: set[str]) -> None:
        self._secret, self.ended = secret, ended

    def new(self) -> str:
        """Return a token for a guest who has none."""
        drawn = token_bytes(DRAWN)
        return urlsafe_b64encode(drawn + self._mark(drawn)).decode()

    def is_ours(self, text: str) -> bool:
        """Whether a text is a token that this server has made, by its mark."""
        if not is_token(text):
            return False
        known = urlsafe_b64decode(text)
        return secrets.compare_digest(known[DRAWN:], self._mark(known[:DRAWN]))

    def _mark(self, drawn: bytes) -> bytes:
        return hmac.digest(self._secret, drawn, "sha256")[:MARK]


def token_of(request: HTTPConnection) -> str:
    """Return the token that a request comes with; empty if there is none, or it is no longer valid."""
    scheme, _, said = request.headers.get("authorization", "").partition(" ")
    is_said = scheme.casefold() == "bearer" and said.strip()
    known = (said.strip(),) if is_said else (request.cookies.get(COOKIE, ""), request.cookies.get(NEXT, ""))
    return next((one for one in known if fingerprint(one) not in tokens_of(request).ended), "")


def next_token(request: HTTPConnection) -> str:
    """Return the token that a browser was given for the time after its own has ended; empty if there is none. The
    browser has it beforehand, so that it is not lost with an answer that does not arrive."""
    token = request.cookies.get(NEXT, "")
    return token if tokens_of(request).is_ours(token) else ""


def tokens_of(request: HTTPConnection) -> Tokens:
    """Return the tokens of the server that a request came to."""
    tokens: Tokens = request.app.state.tokens
    return tokens


def key_of(request: HTTPConnection) -> str:
    """Return the fingerprint of a request's token; empty without one."""
    return fingerprint(token_of(request))


def own_token(request: HTTPConnection) -> str:
    """Return the token that a request comes with, or a new one."""
    return token_of(request) or tokens_of(request).new()


def is_token(text: str) -> bool:
    """Whether a text looks like a token of ours.

    >>> is_token("A" * 32), is_token("abc")
    (True, False)
    """
    return _TOKEN.fullmatch(text) is not None


def remember(request: Request, response: Response, token: str, cookie: str = COOKIE, seconds: int = KEPT) -> None:
    """Let the browser keep a guest's token."""
    secure = request.url.scheme == "https"
    response.set_cookie(cookie, token, max_age=seconds, httponly=True, samesite="lax", secure=secure, path="/")


def remember_longer(request: Request, response: Response) -> None:
    """Let the browser keep the token that a request comes with, if any, for another while."""
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
    """ASGI middleware that passes on our own cookies and no others. None of ours has a backslash. Python takes
    quadratic time to read a cookie with many, and any site on the same host may have set one, or a stranger may have
    sent it."""

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
    """Return those cookies of a line that are ours.

    >>> _own(b'parlour_name=Zo%C3%A9; parlour_guest="\\\\"; other=1')
    b'parlour_name=Zo%C3%A9'
    """
    each = (one.strip() for one in cookies.split(b";"))
    return b"; ".join(one for one in each if one.startswith(OURS) and b"\\" not in one)


__all__ = [
    "COOKIE",
    "NEXT",
    "SOON",
    "OwnCookies",
    "Tokens",
    "is_same_origin",
    "is_token",
    "key_of",
    "next_token",
    "own_token",
    "remember",
    "remember_longer",
    "token_of",
    "tokens_of",
]
