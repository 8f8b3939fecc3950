"""Two ways to follow a table: over a WebSocket, and as lines over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec
from fastapi import WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.server.common import wire
from parlour.server.common.errors import Moved, NoTable
from parlour.server.common.limits import LARGEST_FRAME, Allowance
from parlour.server.live.connection import Connection
from parlour.server.live.session import Session

ANOTHERS_PAGE, GONE, TOO_SLOW = 4403, 4404, 4408
"""Codes with which a WebSocket is closed, modelled on those of HTTP."""
STOPS, LATER = 1001, 1013
"""Codes that say that the server is stopping, and that the table is out of reach for now."""
HERE: Final = wire.encode(wire.Done(id=""))
"""The answer to an empty message, with which a client asks whether the server is still there."""


async def close_for(ws: WebSocket, wrong: ParlourError) -> None:
    """Close a socket because there is no table for it, now or ever."""
    if isinstance(wrong, NoTable):
        await ws.close(GONE, "There is no such table.")
    else:
        await ws.close(LATER, "Connect again.")


async def attend(
    ws: WebSocket,
    session: Session,
    connection: Connection,
    shown: Callable[[wire.Packet | wire.Telling], str | None],
    meant: Callable[[str | bytes], wire.AnyCommand] = wire.command,
) -> None:
    """Serve a socket until it ends. ``shown`` returns the text to send for a packet, or ``None`` to send nothing;
    ``meant`` returns the command that a message stands for."""
    receiver = asyncio.create_task(_receive(ws, session, connection, meant))
    try:
        await _send(ws, connection, shown)
    except WebSocketDisconnect:
        pass
    finally:
        session.disconnect(connection)
        receiver.cancel()


async def _send(
    ws: WebSocket, connection: Connection, shown: Callable[[wire.Packet | wire.Telling], str | None]
) -> None:
    """Send whatever is waiting to be sent, until the connection ends."""
    while not connection.too_slow:
        packet = await connection.outbox.get()
        if packet is None:
            await ws.close(STOPS, "Connect again.")
            return
        text = shown(packet)
        if text is None:
            continue
        await ws.send_text(text)
    await ws.close(TOO_SLOW, "You read too slowly; reconnect.")


async def _receive(
    ws: WebSocket, session: Session, connection: Connection, meant: Callable[[str | bytes], wire.AnyCommand]
) -> None:
    """Carry out a client's commands, no faster than it may send them."""
    allowance = Allowance()
    while True:
        message = await ws.receive()
        if message["type"] == "websocket.disconnect":
            connection.send(None)
            return
        text = message.get("text") or message.get("bytes") or ""
        if not await allowance.use():
            _dismiss(connection, "Too many commands at once; wait a moment.")
            return
        if connection.is_over:
            return
        if not text:
            connection.send(HERE)
            continue
        if len(text) > LARGEST_FRAME:
            _dismiss(
                connection, marked("A command may have at most {largest_frame} bytes.", largest_frame=LARGEST_FRAME)
            )
            return
        try:
            command = meant(text)
        except msgspec.MsgspecError as wrong:
            connection.send(
                wire.encode(wire.Refused(id="", sentence=marked("That isn't a valid command: {wrong}.", wrong=wrong)))
            )
        except ParlourError as wrong:
            connection.send(wire.encode(wire.Refused(id="", sentence=str(wrong))))
        else:
            session.soon(_do(session, connection, command))


async def _do(session: Session, connection: Connection, command: wire.AnyCommand) -> None:
    try:
        connection.send(wire.encode(await session.do(command, connection)))
    except Moved as moved:
        _dismiss(connection, str(moved))


def _dismiss(connection: Connection, reason: str) -> None:
    connection.send(wire.encode(wire.Bye(reason=reason, back=True)))
    connection.send(None)


class FrameStream(StreamingResponse):
    """The frames that a connection is sent, one a line, for as long as somebody reads.

    The response itself notices at any moment that its reader has gone. A generator of lines could not: abandoned while
    a line is being sent, it stays where it is until Python collects it.
    """

    media_type = "application/x-ndjson"

    def __init__(self, session: Session, connect: Callable[[], Connection]) -> None:
        super().__init__(())
        self._session, self._connect = session, connect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = self._connect()
        listening = asyncio.create_task(self._until_nobody_reads(receive, connection))
        try:
            await self._send_all(send, connection)
        except OSError:  # this is how a server may say that the reader has gone
            pass
        finally:
            listening.cancel()
            self._session.disconnect(connection)

    async def _send_all(self, send: Send, connection: Connection) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        while not connection.too_slow and (packet := await connection.outbox.get()) is not None:
            await send({"type": "http.response.body", "body": wire.packed(packet) + b"\n", "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _until_nobody_reads(self, receive: Receive, connection: Connection) -> None:
        await self.listen_for_disconnect(receive)
        self._session.disconnect(connection)  # even if sending would fail
        connection.send(None)


__all__ = ["ANOTHERS_PAGE", "HERE", "FrameStream", "attend", "close_for"]
