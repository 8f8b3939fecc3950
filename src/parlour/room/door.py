"""The door of a server: how many connections it takes, from where, and how long they may say nothing.

Whatever a proxy in front of the server does better (TLS, large floods) is left to the proxy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any, Final

import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS: Final = 100
"""How many connections one address may have at a time."""
HEADERS_SECONDS: Final = 20.0
"""Seconds within which a new connection must have sent its first request."""
BODY_SECONDS: Final = 30.0
"""Seconds within which the body of a request must have arrived."""
REST_SECONDS: Final = 5.0
"""Seconds for the rest of a request that was answered before all of it was there."""
NOWHERE: Final = ("", "testclient")
"""Stands for clients without an address: sockets of the machine itself, and clients within the process."""
SPARE: Final = 64
"""Files that a server needs in addition to its connections."""


def place_of(address: str) -> str:
    """Return what counts as one address: with IPv6 the network of a household, which has more addresses than could be
    counted.

    >>> place_of("192.0.2.7"), place_of("::ffff:192.0.2.7"), place_of("2001:db8:1:2:3::4"), place_of("::1")
    ('192.0.2.7', '192.0.2.7', '2001:db8:1:2::', '::1')
    """
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if isinstance(known, IPv4Address) or known.is_loopback:
        return str(known)
    return str(known.ipv4_mapped or ip_network((int(known) >> 64 << 64, 64)).network_address)


def is_near(address: str) -> bool:
    """Whether this is the machine that the server runs on: its own user, or a proxy, which sets its own limits.

    >>> is_near("127.0.0.1"), is_near("::1"), is_near("192.0.2.7"), is_near("unknown")
    (True, True, False, False)
    """
    try:
        return address in NOWHERE or ip_address(address).is_loopback
    except ValueError:
        return False


def most_connections() -> int:
    """Return the number of connections that this process can hold open; raise the limit of open files as far as
    allowed."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(hard, 65536) if hard != resource.RLIM_INFINITY else 65536
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # the system allows less than it says
            wanted = soft
    return max(1, max(wanted, soft) - SPARE)


class Door(H11Protocol):
    """uvicorn's protocol, guarded.  A connection beyond the limit, or one that asks for nothing, is closed without a
    word and without a line in the log."""

    most = 1000
    """The connections that the server holds open."""
    is_proxy: Callable[[str], bool] = staticmethod(lambda address: False)
    """Whether an address is a trusted proxy's, whose guests are counted one by one, once they say who they are
    (:class:`~parlour.room.proxies.Visitors`)."""

    def connection_made(self, transport: Any) -> None:
        """Let a connection in, or close it."""
        super().connection_made(transport)
        address = place_of(self.client[0]) if self.client else ""
        is_counted = not is_near(address) and not (self.client and self.is_proxy(self.client[0]))
        if len(self.connections) > self.most or (is_counted and self._others(address) > CONNECTIONS):
            transport.abort()
            return
        self._free_since = self.loop.time()
        self._unread = 0
        self.loop.call_later(HEADERS_SECONDS, self._watch)

    def _others(self, address: str) -> int:
        """Return how many connections there are from an address, WebSockets included."""
        clients = (getattr(one, "client", None) for one in self.connections)
        return sum(client is not None and place_of(client[0]) == address for client in clients)

    def on_response_complete(self) -> None:
        """A request is answered: the next may come, and must not take for ever; nor must the rest of this one."""
        self._free_since = self.loop.time()
        if self.conn.their_state is h11.SEND_BODY:
            self.loop.call_later(REST_SECONDS, self._close_unless_whole, self.cycle)
        super().on_response_complete()

    def _close_unless_whole(self, request: object) -> None:
        """Close the connection if the rest of a request that was answered long ago has still not arrived."""
        if self.cycle is request and self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()

    def _watch(self) -> None:
        """Close a connection on which no request arrives, or only bit by bit, and one whose reader takes nothing."""
        transport = self.transport
        if transport.get_protocol() is not self:  # it has become a WebSocket
            return
        waiting = transport.get_write_buffer_size()
        if transport.is_closing() and not waiting:
            return
        is_answered = self.cycle is None or self.cycle.response_complete
        is_slow = is_answered and self.loop.time() - self._free_since >= HEADERS_SECONDS
        if is_slow or waiting == self._unread > 0:
            transport.abort()
            return
        self._unread = waiting
        self.loop.call_later(HEADERS_SECONDS, self._watch)


class Prompt:
    """ASGI middleware: the body of a request must arrive within :data:`BODY_SECONDS`, or the client counts as gone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        end: float | None = asyncio.get_running_loop().time() + BODY_SECONDS

        async def timed() -> Message:
            nonlocal end
            try:
                async with asyncio.timeout_at(end):
                    message = await receive()
            except TimeoutError:
                return {"type": "http.disconnect"}
            if not message.get("more_body"):
                end = None  # all that can come now is that the client leaves, whenever it does
            return message

        await self._app(scope, timed, send)


__all__ = ["Door", "Prompt", "is_near", "most_connections", "place_of"]
