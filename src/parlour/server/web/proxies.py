"""Who a request through a proxy comes from: the address that a trusted proxy names, and no other. Also how long an
address and a header may be, which is checked first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.server.common.limits import LONGEST_HEADER, LONGEST_PART
from parlour.server.web import connection_limits
from parlour.server.web.connection_limits import is_near, place_of
from parlour.server.web.mistakes import mistake

UNCLEAR: Final = "unclear"
"""The address given to all guests whose proxy does not clearly say who they are: they share one allowance."""
LATER: Final = 1013
"""The code with which a WebSocket beyond the limit of connections is closed."""
CROWDED: Final = "Too many connections from your address; close some of them."
AMBIGUOUS: Final = "A request gives its length by Content-Length or by Transfer-Encoding, not by both."
SCHEMES: Final = ("http", "https")
LONGEST: Final = 2000
"""The most characters of a header that says who a request comes from: room for more proxies than anybody has. A longer
header is not read, and counts as unclear."""


class Proxies:
    """The proxies that a server trusts, by address or network; those on its own machine are always trusted.

    >>> proxies = Proxies(["10.0.0.0/8"])
    >>> proxies.guest("10.0.0.5", Headers({"X-Forwarded-For": "198.51.100.1, 192.0.2.7, 10.0.0.9"}))
    '192.0.2.7'
    >>> proxies.guest("192.0.2.8", Headers({"X-Forwarded-For": "198.51.100.1"}))
    '192.0.2.8'
    """

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self._networks = [_network(text) for text in trusted]

    def trusts(self, address: str) -> bool:
        """Whether to believe this peer when it says whom it speaks for."""
        return is_near(address) or self._is_listed(address)

    def _is_listed(self, address: str) -> bool:
        try:
            known = ip_address(address)
        except ValueError:
            return False
        known = getattr(known, "ipv4_mapped", None) or known
        return any(known.version == network.version and known in network for network in self._networks)

    def guest(self, peer: str, headers: Headers) -> str:
        """Return the address that a request comes from. It is the peer's or, if the peer is a trusted proxy, the last
        address in the headers that is not also a proxy's. It is :data:`UNCLEAR` if the headers disagree or make no
        sense."""
        if not self.trusts(peer):
            return peer
        told = [_addresses(headers), [_address(one.get("for", "")) for one in _forwarded(headers)]]
        found = {self._first_beyond(chain, peer) for chain in told if chain}
        if not found:
            return peer
        address = found.pop()
        return UNCLEAR if found or (is_near(address) and not is_near(peer)) else address

    def _first_beyond(self, chain: list[str], peer: str) -> str:
        for address in reversed(chain):
            if not (self._is_listed(address) or (is_near(address) and is_near(peer))):
                return address
        return chain[0]

    def scheme(self, peer: str, headers: Headers) -> str:
        """Return the scheme that the guest uses with the proxy, ``http`` or ``https``; empty if no trusted proxy says
        so."""
        if not self.trusts(peer):
            return ""
        said = [headers.get("x-forwarded-proto", "").strip(), *(one.get("proto", "") for one in _forwarded(headers))]
        scheme = next(filter(None, said), "").casefold()
        return scheme if scheme in SCHEMES else ""


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text.strip())
    except ValueError:
        raise ParlourError(
            "{text!r} is not an address or a network; write 192.0.2.1 or 10.0.0.0/8.", text=text
        ) from None


def _addresses(headers: Headers) -> list[str]:
    """Return the addresses in ``X-Forwarded-For``, the guest's first."""
    return [_address(one) for line in _lines(headers, "x-forwarded-for") for one in line.split(",")]


def _forwarded(headers: Headers) -> list[dict[str, str]]:
    """Return what ``Forwarded`` (RFC 7239) says of each step, beginning with the guest's."""
    return [step for line in _lines(headers, "forwarded") for step in _steps(line)]


def _lines(headers: Headers, name: str) -> list[str]:
    """Return the lines of a header, or just :data:`UNCLEAR` if they are too long."""
    lines = headers.getlist(name)
    return lines if sum(map(len, lines)) <= LONGEST else [UNCLEAR]


def _steps(line: str) -> Iterator[dict[str, str]]:
    """Yield the steps in a line of ``Forwarded``, reading each character once. Empty steps are left out; a quotation
    without an end yields a step that says nothing.

    >>> list(_steps('for="[::1]:80";proto=https, FOR=192.0.2.7'))
    [{'for': '[::1]:80', 'proto': 'https'}, {'for': '192.0.2.7'}]
    >>> list(_steps('for="a, for=192.0.2.7')), list(_steps(", hidden,"))
    ([{}], [{'hidden': ''}])
    """
    step, text, quoted, escaped = dict[str, str](), list[str](), False, False
    for one in f"{line},":
        if quoted and (escaped or one not in '\\"'):
            text.append(one)
            escaped = False
        elif quoted and one == "\\":
            escaped = True
        elif one == '"':
            quoted = not quoted
        elif one not in ",;":
            text.append(one)
        else:
            name, _, said = "".join(text).partition("=")
            if name.strip():
                step[name.strip().casefold()] = said.strip()
            text.clear()
            if one == "," and step:
                yield step
                step = {}
    if quoted:
        yield {}


def _address(text: str) -> str:
    """Return an address without its port; :data:`UNCLEAR` if it is not an address.

    >>> _address(" 192.0.2.7:4711"), _address("[2001:db8::1]:80"), _address("2001:db8::1"), _address("_hidden")
    ('192.0.2.7', '2001:db8::1', '2001:db8::1', 'unclear')
    """
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        return str(ip_address(bare))
    except ValueError:
        return UNCLEAR


class Short:
    """ASGI middleware that turns away a request with an address or a header longer than anybody needs, before anything
    looks into it. A request that gives its length in two ways is the last on its connection (RFC 9112, 6.3), because a
    proxy in front may take what follows for part of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_HEADER:
            why = marked("An address may have at most {most} bytes.", most=LONGEST_HEADER)
            await _turn_away(scope, receive, send, 414, why)
        elif any(len(part) > LONGEST_PART for part in scope["path"].split("/")):
            why = marked("A part of an address may have at most {most} characters.", most=LONGEST_PART)
            await _turn_away(scope, receive, send, 414, why)
        elif any(len(said) > LONGEST_HEADER for _, said in scope["headers"]):
            why = marked("A header may have at most {most} bytes.", most=LONGEST_HEADER)
            await _turn_away(scope, receive, send, 431, why)
        elif {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
            await _turn_away(scope, receive, send, 400, AMBIGUOUS, is_last=True)
        else:
            await self._app(scope, receive, send)


class Visitors:
    """ASGI middleware that treats a request from a trusted proxy as its guest's. A guest behind a proxy may have as
    many connections as anybody else. (Guests who connect directly are counted at the
    :class:`~parlour.server.web.connection_limits.Door`.)"""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self._app, self._proxies = app, proxies
        self._open = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        peer, headers = (scope.get("client") or ("", 0))[0], Headers(scope=scope)
        guest = self._proxies.guest(peer, headers)
        if scheme := self._proxies.scheme(peer, headers):
            scope["scheme"] = scheme if scope["type"] == "http" else scheme.replace("http", "ws")
        if guest == peer:
            await self._app(scope, receive, send)
            return
        scope["client"] = guest, 0
        place = place_of(guest)
        if not is_near(guest) and self._open[place] >= connection_limits.CONNECTIONS:
            await _turn_away(scope, receive, send, 429, CROWDED)
            return
        self._open[place] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[place] -= 1
            if not self._open[place]:
                del self._open[place]


async def _turn_away(scope: Scope, receive: Receive, send: Send, status: int, why: str, is_last: bool = False) -> None:
    """Refuse a request or a WebSocket before anything else is done with it. ``is_last``: nothing more is read from the
    connection; that of a refused WebSocket is always closed."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": LATER, "reason": why})
        return
    answer = mistake(status, why)
    if is_last:
        answer.headers["Connection"] = "close"
    await answer(scope, receive, send)


__all__ = ["UNCLEAR", "Proxies", "Short", "Visitors"]
