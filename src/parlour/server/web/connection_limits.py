"""The limits on connections to a server: how many it takes, from where, and how long a client may say nothing.

What a proxy in front of the server does better (TLS, large floods) is left to the proxy.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any, Final

import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

CONNECTIONS: Final = 100
"""The most connections that one address may have at a time."""
HEADERS_SECONDS: Final = 20.0
"""Seconds within which a new connection must have sent its first request."""
BODY_SECONDS: Final = 30.0
"""Seconds within which the body of a request must arrive."""
REST_SECONDS: Final = 5.0
"""Seconds for the rest of a request that was answered before all of it had arrived."""
SEND_SECONDS: Final = 20.0
"""Seconds within which a client must take some of what is waiting to be sent to it."""
TAKEN: Final = 10_000
"""How many bytes a client must take in that time, unless fewer are waiting; a very slow line manages that."""
UNSENT: Final = 32 * 1024
"""How many bytes that cannot be sent yet the system keeps for a connection: few, so that a reader's silence is noticed
and costs little."""
PULSE: Final = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""How the system finds out, while nothing is sent, that the other machine has gone: the seconds before its first probe,
the seconds between probes, and the number of probes."""
NOWHERE: Final = ("", "testclient")
"""Stands for the address of a client that has none: a socket of the machine itself, or a client within the process."""
UNREADABLE: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
SPARE: Final = 64
"""Files that a server needs beside its connections."""


def place_of(address: str) -> str:
    """Return what counts as one address: with IPv6 the whole network of a household, which has too many addresses to
    count.

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
    """Whether this is the machine that the server runs on: its own user, or a proxy, which sets limits of its own.

    >>> is_near("127.0.0.1"), is_near("::1"), is_near("192.0.2.7"), is_near("unknown")
    (True, True, False, False)
    """
    try:
        return address in NOWHERE or ip_address(address).is_loopback
    except ValueError:
        return False


def most_connections() -> int:
    """Raise the limit of open files as far as allowed, and return how many connections this process can hold open."""
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


def look_after(transport: Any) -> None:
    """Make sure it is noticed if nobody reads from a connection, or if its other end has gone without a word."""
    transport.set_write_buffer_limits(0)  # it counts as full as soon as the system takes no more
    line: socket.socket | None = transport.get_extra_info("socket")
    if line is None or line.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    patience = {"TCP_NOTSENT_LOWAT": UNSENT, "TCP_USER_TIMEOUT": int(1000 * SEND_SECONDS)}
    for name, setting in (PULSE | patience).items():  # those settings that this system has
        if (option := getattr(socket, name, None)) is not None:
            line.setsockopt(socket.IPPROTO_TCP, option, setting)


class SlowReaderProtocol(asyncio.Protocol):
    """A protocol that drops a connection whose reader takes nothing of what is waiting.

    Closing it politely would be in vain: asyncio closes a connection only when everything has been sent.
    """

    transport: Any
    loop: asyncio.AbstractEventLoop
    _giving_up: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Begin to wait for the reader, who must take something before more is sent."""
        super().pause_writing()
        self._wait()

    def resume_writing(self) -> None:
        """Stop waiting, because the reader has taken everything."""
        super().resume_writing()
        if self._giving_up is not None:
            self._giving_up.cancel()

    def _wait(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        self._giving_up = self.loop.call_later(SEND_SECONDS, self._give_up, waiting)

    def _give_up(self, before: int) -> None:
        if self.transport.get_write_buffer_size() > max(0, before - TAKEN):
            self.transport.abort()
        elif self.transport.get_write_buffer_size():
            self._wait()


class Listener(SlowReaderProtocol, WebSocketsSansIOProtocol):
    """uvicorn's protocol for WebSockets, which drops a client that does not read, or whose request it cannot read."""

    def data_received(self, data: bytes) -> None:
        """Take in what has come: first the whole request, from the :class:`Door`. A request with a body or with too
        many headers would get no answer, and its connection would stay open for ever."""
        super().data_received(data)
        if not self.handshake_initiated:
            self.transport.write(UNREADABLE)
            self.transport.close()


class Door(SlowReaderProtocol, H11Protocol):
    """uvicorn's protocol for HTTP, guarded. A connection beyond the limit, one on which nothing is requested, and one
    that nobody reads from are closed without a word, and without a line in the log."""

    most = 1000
    """The most connections that the server holds open."""
    _watching: asyncio.TimerHandle | None = None
    is_proxy: Callable[[str], bool] = staticmethod(lambda address: False)
    """Whether an address is a trusted proxy's. Its guests are counted one by one, once they say who they are
    (:class:`~parlour.server.web.proxies.Visitors`)."""

    def connection_made(self, transport: Any) -> None:
        """Let a connection in, or close it."""
        super().connection_made(transport)
        address = place_of(self.client[0]) if self.client else ""
        is_counted = not is_near(address) and not (self.client and self.is_proxy(self.client[0]))
        if len(self.connections) > self.most or (is_counted and self._others(address) > CONNECTIONS):
            transport.abort()
            return
        look_after(transport)
        self._free_since = self.loop.time()
        self._watching = self.loop.call_later(HEADERS_SECONDS, self._watch)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching a connection as soon as it has ended, or the connections of a flood would be kept for a
        while."""
        super().connection_lost(exc)
        if self._watching is not None:
            self._watching.cancel()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Leave the rest to the WebSocket, which itself notices when the client has gone."""
        super().handle_websocket_upgrade(event)
        if self._watching is not None:
            self._watching.cancel()

    def _others(self, address: str) -> int:
        """Return how many connections there are from an address, WebSockets included."""
        clients = (getattr(one, "client", None) for one in self.connections)
        return sum(client is not None and place_of(client[0]) == address for client in clients)

    def on_response_complete(self) -> None:
        """Note that a request is answered. The next one must not take for ever, nor must the rest of this one."""
        self._free_since = self.loop.time()
        if self.conn.their_state is h11.SEND_BODY:
            self.loop.call_later(REST_SECONDS, self._close_unless_whole, self.cycle)
        super().on_response_complete()

    def _close_unless_whole(self, request: object) -> None:
        """Close the connection if the rest of a request that was answered long ago has not arrived yet."""
        if self.cycle is request and self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()

    def _watch(self) -> None:
        """Close a connection on which no request arrives, or one arrives only bit by bit."""
        transport = self.transport
        if transport.is_closing():
            return
        is_answered = self.cycle is None or self.cycle.response_complete
        if not is_answered or transport.get_write_buffer_size():
            self._free_since = self.loop.time()
        if self.loop.time() - self._free_since >= HEADERS_SECONDS:
            transport.abort()
            return
        self._watching = self.loop.call_later(HEADERS_SECONDS, self._watch)


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
                end = None  # from now on only the news that the client has left can come, at any time
            return message

        await self._app(scope, timed, send)


__all__ = ["Door", "Listener", "Prompt", "SlowReaderProtocol", "is_near", "most_connections", "place_of"]
