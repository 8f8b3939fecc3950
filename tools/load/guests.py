"""Guests of a server under load: clients of the interface, and clients of the page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from html import unescape
from typing import Final, Protocol
from urllib.parse import urlencode, urlsplit

import h11
import msgspec
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import parse_uri

from parlour.server.common import wire
from parlour.server.live.identity import COOKIE
from tools.load.host import TABLES, ask

PAUSE: Final = 0.2
"""Seconds after which a guest whose connection has ended opens another."""


class Place(Protocol):
    """The table at which a guest plays, as far as it concerns them."""

    name: str
    url: str

    def told(self, guest: Guest, size: int) -> None:
        """The guest has been told how the table is now, in this number of bytes."""

    def done(self, command: str) -> None:
        """The server says that a command was carried out and is on disk."""

    def lost(self) -> None:
        """A connection has ended; the guest opens another."""

    def fail(self, sentence: str) -> None:
        """Something is wrong: stop measuring."""


class Guest(asyncio.Protocol):
    """A guest: their connection, and what they were told last.

    ``turn``: the match, and who is asked, as far as the guest knows; ``None`` if they do not.  ``choices``: what they
    may do.
    """

    def __init__(self, table: Place, token: str, address: str) -> None:
        self.turn: tuple[int, ...] | None = None
        self.choices: Sequence[str] = ()
        self._table, self._token = table, token
        self._uri = parse_uri(f"ws://{urlsplit(table.url).netloc}{address}")
        self._has_left = False
        self._returning: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Open the connection."""
        await _connected(self, self._table.url)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._frames = ClientProtocol(self._uri, max_size=None)
        request = self._frames.connect()
        request.headers["Cookie"] = f"{COOKIE}={self._token}"
        self._frames.send_request(request)
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._frames.receive_data(data)
        for event in self._frames.events_received():
            if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self._hear(bytes(event.data))
            elif isinstance(event, Response) and event.status_code in (502, 503, 504):
                self._transport.abort()  # a proxy has no server now
            elif isinstance(event, Response) and event.status_code == 101:
                self._is_back()
            elif isinstance(event, Response):
                self._table.fail(f"The server refused a connection: {event.status_code}.")
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._has_left:
            self._table.lost()
            self._returning = asyncio.create_task(self._return())

    async def _return(self) -> None:
        """Reconnect: the server was replaced, or another one has the table now."""
        while True:
            await asyncio.sleep(PAUSE)
            try:
                return await self.connect()
            except OSError:
                continue

    def _is_back(self) -> None:
        """The connection is open."""

    def act(self, name: str, action: str) -> None:
        """Do an action; ``name``: the id of the command."""
        raise NotImplementedError

    def close(self) -> None:
        """Leave."""
        self._has_left = True
        if self._returning is not None:
            self._returning.cancel()
        self._transport.abort()

    def _hear(self, packet: bytes) -> None:
        raise NotImplementedError

    def _told(self, packet: bytes) -> None:
        """The guest has been told how the table is now."""
        self._table.told(self, len(packet))

    def _flush(self) -> None:
        self._transport.writelines(self._frames.data_to_send())


class FrameGuest(Guest):
    """A guest whose client understands frames."""

    def __init__(self, table: Place, token: str, seat: int) -> None:
        super().__init__(table, token, f"{TABLES}/{table.name}/socket")
        self._wished = 0
        self._waiting: dict[str, wire.AnyCommand] = {}

    def _hear(self, packet: bytes) -> None:
        match wire.decode(packet):
            case wire.Telling() as told:
                self.turn, self.choices = (told.match, *told.asked), [choice.name for choice in told.choices]
                if told.over and self._wished != told.match:
                    self._wished = told.match
                    self._send(wire.Again(id=f"again-{told.match}"))
                self._told(packet)
            case wire.Done(id=done):
                self._waiting.pop(done, None)
                self._table.done(done)
            case wire.Refused(sentence=sentence):
                self._table.fail(f"The server refused: {sentence}")
            case wire.Bye(reason=reason, back=False):
                self._table.fail(f"The server says: {reason}")

    def act(self, name: str, action: str) -> None:
        self._send(wire.Act(id=name, action=action))

    def _send(self, wanted: wire.AnyCommand) -> None:
        self._waiting[wanted.id] = wanted
        if self._frames.state is State.OPEN:  # otherwise it is sent when there is a connection
            self._frames.send_text(wire.written(wanted))
            self._flush()

    def _is_back(self) -> None:
        for wanted in list(self._waiting.values()):  # with the same ids, so that nothing is done twice
            self._frames.send_text(wire.written(wanted))


class _Change(msgspec.Struct):
    """What a page is sent: its regions that have changed; ``asked`` only if it is told how the table is now."""

    regions: dict[str, str] = {}
    asked: bool | None = None
    refused: dict[str, str] | None = None
    bye: str = ""


_change: Final = msgspec.json.Decoder(_Change)
_BUTTON: Final = re.compile(r'<button class="([^"]*)"[^>]* name="action" value="([^"]*)"')
_AMOUNT: Final = re.compile(r'name="amount ([^"]+)" min="(\d+)" max="(\d+)"')
_THINKS: Final = re.compile(r"Guest (\d+) is thinking")


class PageGuest(Guest):
    """A guest who uses the page: they load it once, listen, and press its buttons, as the page's script does."""

    def __init__(self, table: Place, token: str, seat: int) -> None:
        ask(table.url, "GET", f"/t/{table.name}", token)
        super().__init__(table, token, f"/t/{table.name}/live")
        self._seat, self._match, self._is_over = seat, 1, False
        self._shown: dict[str, str] = {}
        self._form = _Form(table, token)

    def _hear(self, packet: bytes) -> None:
        change = _change.decode(packet)
        if change.bye:
            self._table.fail(f"The server says: {change.bye}")
        if change.refused:
            self._table.fail(f"The server refused: {change.refused}")
        self._shown.update(change.regions)
        if change.asked is None:  # guests coming and going, or a remark: whose turn it is has not changed
            return
        thinks = _THINKS.search(self._shown.get("strip", ""))
        self.turn = (self._match, self._seat) if change.asked else (self._match, int(thinks[1])) if thinks else None
        self.choices = _offered(self._shown["board"]) if change.asked else ()
        is_over = 'id="again"' in self._shown.get("end", "")
        if is_over and not self._is_over:
            self._match += 1
            self._form.send({"do": "again"}, "")
        self._is_over = is_over
        self._told(packet)

    def act(self, name: str, action: str) -> None:
        self._frames.send_text(urlencode({"action": action}).encode())
        self._flush()
        self._table.done(name)  # the server has written whatever it tells the page

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._has_left:
            self._table.fail("The server closed a connection.")

    def close(self) -> None:
        self._form.close()
        super().close()


def _offered(board: str) -> list[str]:
    """Return what can be done by the buttons of a board, and by its fields for numbers."""
    pressed = [
        unescape(act)
        for style, act in _BUTTON.findall(board)
        # buttons that are not legal only show the refusal
        if "legal" in style.split() or style.split()[0] not in ("card", "choice")
    ]
    fields = _AMOUNT.findall(board)
    return pressed + [f"{kind} {n}" for kind, low, high in fields for n in range(int(low), int(high) + 1)]


class _Form(asyncio.Protocol):
    """The connection over which a page sends what is pressed; the server ends it when nothing is pressed for long."""

    def __init__(self, table: Place, token: str) -> None:
        self._table = table
        self._transport: asyncio.Transport | None = None
        self._opening: asyncio.Task[None] | None = None
        self._pressed = list[tuple[dict[str, str], str]]()
        self._headers = [
            ("Host", urlsplit(table.url).netloc),
            ("Cookie", f"{COOKIE}={token}"),
            ("X-Parlour", "1"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._http = transport, h11.Connection(h11.CLIENT)
        self._post()

    def data_received(self, data: bytes) -> None:
        self._http.receive_data(data)
        while (event := self._http.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            if isinstance(event, h11.Response) and event.status_code != 204:
                self._table.fail(f"The server refused: {event.status_code}.")
            if isinstance(event, h11.EndOfMessage):
                _, name = self._pressed.pop(0)
                self._http.start_next_cycle()
                if self._pressed:
                    self._post()
                self._table.done(name)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._pressed:
            self._table.fail("The server closed a connection.")

    def send(self, form: dict[str, str], name: str) -> None:
        """Send a form, when what was sent before has been answered."""
        self._pressed.append((form, name))
        if len(self._pressed) > 1:
            return
        if self._transport is None:
            self._opening = asyncio.create_task(_connected(self, self._table.url))
        else:
            self._post()

    def _post(self) -> None:
        assert self._transport is not None
        body = urlencode(self._pressed[0][0]).encode()
        headers = [*self._headers, ("Content-Length", str(len(body)))]
        request = h11.Request(method="POST", target=f"/t/{self._table.name}/do", headers=headers)
        for event in (request, h11.Data(data=body), h11.EndOfMessage()):
            self._transport.write(self._http.send(event) or b"")

    def close(self) -> None:
        """Leave."""
        if self._transport is not None:
            self._transport.abort()


async def _connected(protocol: asyncio.Protocol, url: str) -> None:
    at = urlsplit(url)
    await asyncio.get_running_loop().create_connection(partial(_same, protocol), at.hostname or "", at.port or 80)


def _same(protocol: asyncio.Protocol) -> asyncio.Protocol:
    return protocol
