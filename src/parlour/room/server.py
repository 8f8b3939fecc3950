"""The server's face: tables over HTTP and WebSocket, version 1 of the frames (``docs/room.md``)."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import msgspec
from fastapi import Body, Depends, FastAPI, HTTPException, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from parlour import load
from parlour.engine.definition import definition, games
from parlour.errors import ParlourError
from parlour.players import kinds, make
from parlour.room import log, wire
from parlour.room.floor import Client, Floor, LiveTable
from parlour.room.table import NAMES, WATCHER, fitting_name

COOKIE: Final = "parlour_seat_"
LARGEST_FRAME: Final = 4096
"""Bytes of a frame from a client."""
PER_SECOND, BURST = 20.0, 60
"""Frames that a connection may send in the long run, and at once."""
PATIENCE: Final = 10.0
"""Seconds a client is slowed down for before it is sent away."""


class NewTable(BaseModel):
    """What a table is made with."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field(max_length=40)
    players: int | None = Field(None, ge=1, le=64)
    options: dict[str, str] = Field(default_factory=dict, max_length=100)
    bots: str = Field("", max_length=40, description="The kind of the bots; empty: rule-of-thumb where there is one.")
    name: str = Field("", max_length=60, description="Your name; empty: you only watch.")
    pace: float = Field(1.0, ge=0, le=60, description="Seconds that a bot takes.")
    told: bool = Field(True, description="Whether the deal is opened at the end.")
    listed: bool = Field(False, description="Whether the lobby shows the table.")


class Sitting(BaseModel):
    """Who sits down where."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=60)
    seat: int | None = Field(None, ge=0, le=63)


async def _table_of(table: str, request: Request) -> LiveTable:
    try:
        return await request.app.state.floor.get(table)
    except ParlourError as mistake:
        raise HTTPException(404, str(mistake)) from None


At = Annotated[LiveTable, Depends(_table_of)]
"""The table that an address names."""


def make_app(floor: Floor) -> FastAPI:
    """The server's face over the tables of a floor."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await floor.close()

    app = FastAPI(title="Parlour", version="1", lifespan=lifespan)

    @app.exception_handler(ParlourError)
    async def _mistake(_: Request, mistake: ParlourError) -> JSONResponse:
        return JSONResponse({"sentence": str(mistake), "clause": getattr(mistake, "clause", "")}, 422)

    app.state.floor = floor

    # ------------------------------------------------------------------ tables

    @app.get("/health")
    async def health() -> dict[str, Any]:
        return {"ok": True, "tables": len(floor.live)}

    @app.get("/api/1/games")
    async def list_games() -> list[dict[str, Any]]:
        return [
            {"id": name, "name": what.name, "about": what.about, "players": list(what.players)}
            for name in games()
            for what in [definition(name)]
        ]

    @app.post("/api/1/tables", status_code=201)
    async def make_table(wanted: NewTable, response: Response) -> dict[str, Any]:
        live = await floor.open(_opened(wanted))
        token = secrets.token_urlsafe(24)
        seat = WATCHER
        if wanted.name:
            seat = await live.sit(token, wanted.name, None)
        _remember(response, live.id, token)
        return {"table": live.id, "code": live.code, "seat": seat, "token": token}

    @app.post("/api/1/tables/{table}/seats", status_code=201)
    async def sit(live: At, who: Sitting, request: Request, response: Response) -> dict[str, Any]:
        token = _token(request, live.id) or secrets.token_urlsafe(24)
        seat = await live.sit(token, who.name, who.seat)
        _remember(response, live.id, token)
        return {"table": live.id, "seat": seat, "token": token}

    @app.get("/api/1/tables/{table}/record", response_class=PlainTextResponse)
    async def record(live: At, request: Request) -> str:
        return live.record(_token(request, live.id))

    # ------------------------------------------------------------------ frames

    @app.websocket("/api/1/tables/{table}/socket")
    async def socket(ws: WebSocket, table: str, heard: int = 0, match: int = 0) -> None:
        if not _same_origin(ws):
            await ws.close(4403, "This page is not of this server.")
            return
        await ws.accept()
        try:
            live = await floor.get(table)
        except ParlourError as mistake:
            await ws.close(4404, str(mistake))
            return
        client = Client(_token(ws, table), "A watcher", max(0, heard), match)
        await live.connect(client)
        sender = asyncio.create_task(_send(ws, client))
        try:
            await _receive(ws, live, client)
        except WebSocketDisconnect:
            pass
        finally:
            sender.cancel()
            live.disconnect(client)

    @app.get("/api/1/tables/{table}/frames")
    async def frames(live: At, request: Request, heard: Annotated[int, Query(ge=0)] = 0, match: int = 0) -> Any:
        client = Client(_token(request, live.id), "A watcher", heard, match)

        async def stream() -> AsyncIterator[bytes]:
            await live.connect(client)
            try:
                while not client.too_slow:
                    frame = await client.outbox.get()
                    if frame is None:
                        return
                    yield frame + b"\n"
            finally:
                live.disconnect(client)

        return StreamingResponse(stream(), media_type="application/x-ndjson")

    @app.post("/api/1/tables/{table}/commands")
    async def command(live: At, request: Request, body: Annotated[dict[str, Any], Body()]) -> Response:
        try:
            wanted = msgspec.convert(body, wire.AnyCommand)
        except msgspec.ValidationError as mistake:
            raise HTTPException(422, str(mistake)) from None
        done = await live.do(Client(_token(request, live.id), "A watcher"), wanted)
        return Response(wire.encode(done), media_type="application/json")

    return app


async def _send(ws: WebSocket, client: Client) -> None:
    while True:
        frame = await client.outbox.get()
        if frame is None or client.too_slow:
            await ws.close(4408, "You were too slow; connect again.")
            return
        await ws.send_text(frame.decode())


async def _receive(ws: WebSocket, live: LiveTable, client: Client) -> None:
    """Do what a client wants, no faster than it may ask."""
    loop = asyncio.get_running_loop()
    allowance, last = float(BURST), loop.time()
    while True:
        text = await ws.receive_text()
        if len(text) > LARGEST_FRAME:
            await ws.close(4413, f"A frame has at most {LARGEST_FRAME} bytes.")
            return
        now = loop.time()
        allowance, last = min(BURST, allowance + (now - last) * PER_SECOND) - 1, now
        if allowance < -PATIENCE * PER_SECOND:
            await ws.close(4429, "Too many frames.")
            return
        if allowance < 0:
            await asyncio.sleep(-allowance / PER_SECOND)
        try:
            wanted = wire.decode(text)
        except msgspec.MsgspecError as mistake:
            client.send(wire.encode(wire.Refused(id="", sentence=f"That is no command: {mistake}")))
            continue
        client.send(wire.encode(await live.do(client, wanted)))


def _opened(wanted: NewTable) -> log.Opened:
    """The table that is wanted; ``ParlourError`` if it cannot be."""
    game = load(wanted.game, wanted.players, **wanted.options)
    kind = wanted.bots or ("rule-of-thumb" if "rule-of-thumb" in kinds(game) else "random")
    make(kind, game)  # refuses what does not exist
    taken = fitting_name(wanted.name).casefold() if wanted.name else ""
    names = [name for name in NAMES if name.casefold() != taken][: game.players]
    if len(names) < game.players:
        names.append("Zed")
    return log.Opened(
        game=game.id,
        rules=game.definition.version,
        players=game.players,
        options=dict(game.options),
        bots=[kind] * game.players,
        names=names,
        pace=wanted.pace,
        beat=3.0,
        grace=30.0,
        told=wanted.told,
        listed=wanted.listed,
    )


def _token(request: Request | WebSocket, table: str) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.casefold() == "bearer" and token:
        return token.strip()
    return request.cookies.get(COOKIE + table, "")


def _remember(response: Response, table: str, token: str) -> None:
    response.set_cookie(COOKIE + table, token, max_age=30 * 86400, httponly=True, samesite="lax", path="/")


def _same_origin(ws: WebSocket) -> bool:
    """Whether a socket comes from our own page, or from no page at all."""
    origin = ws.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == ws.headers.get("host")
