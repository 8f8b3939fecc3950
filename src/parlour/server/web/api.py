"""The interface for programs: tables over HTTP and WebSocket, version 1 of the frames (``docs/room.md``)."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final

import msgspec
from fastapi import APIRouter, Depends, Query, Request, Response, WebSocket
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import HTTPConnection

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.engine.definition import definition, games
from parlour.server.common import wire
from parlour.server.common.errors import NoTable
from parlour.server.common.limits import LARGEST_FRAME
from parlour.server.live.for_pages import ForPages
from parlour.server.live.identity import is_same_origin, key_of, own_token, remember
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.store.store import Unreachable
from parlour.server.table.seats import WATCHER, fingerprint
from parlour.server.web.mistakes import Mistake, mistake
from parlour.server.web.new_table import NewTable, new_table
from parlour.server.web.streams import ANOTHERS_PAGE, FrameStream, attend, close_for

API: Final = f"/api/{wire.VERSION}"
PER_PAGE: Final = 100
"""The most tables that the lobby lists."""
(COMMANDS, FRAMES), SCHEMAS = msgspec.json.schema_components(
    [wire.AnyCommand, wire.AnyFrame], ref_template="#/components/schemas/{name}"
)


class Made(BaseModel):
    """A new table: its name, the code of its invitation and the link to it, your seat, your token."""

    table: str
    code: str
    link: str
    seat: int
    token: str


class SeatWanted(BaseModel):
    """Your name and the seat you want (by default the first that a bot has)."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=60)
    seat: int | None = Field(None, ge=0, le=63)


class SeatTaken(BaseModel):
    """Your seat, and the token by which you are known."""

    table: str
    seat: int
    token: str


class SeatShown(BaseModel):
    """The holder of a seat."""

    name: str
    bot: str
    guest: bool
    away: bool


class TableShown(BaseModel):
    """A table as the lobby shows it."""

    table: str
    code: str
    link: str
    game: str
    players: int
    options: dict[str, str]
    seats: list[SeatShown]
    match: int
    over: bool
    reveal: bool
    allowed: list[str]


class GameShown(BaseModel):
    """A game that can be played here, and for how many players."""

    id: str
    name: str
    about: str
    players: list[int]


class Health(BaseModel):
    """Whether the server and its database answer."""

    ok: bool
    tables: int


class Unwell(Mistake):
    """Why the server is not ready: ``reason`` is ``full`` if the disk of the database is, ``away`` if it does not
    answer."""

    reason: str


async def tables_of(request: HTTPConnection) -> Tables:  # async, or FastAPI would call it in a thread for each request
    """Return the tables of the server that received the request."""
    tables: Tables = request.app.state.tables
    return tables


AllTables = Annotated[ForPages, Depends(tables_of)]


async def session_of(table: str, request: HTTPConnection, tables: AllTables) -> Session:
    """Return a guest's session at the table that an address names, by its id or its code."""
    return await tables.session(table, key_of(request))


At = Annotated[Session, Depends(session_of)]


def link_to(request: HTTPConnection, session: Session) -> str:
    """Return the invite link of a table."""
    base = str(request.base_url).rstrip("/")
    return f"{base.replace('ws', 'http', 1) if base.startswith('ws') else base}/t/{session.code}"


def shown(session: Session, request: Request) -> TableShown:
    """Return a table as the lobby shows it."""
    about = session.about
    seats = [SeatShown(name=one.name, bot=one.bot, guest=one.guest, away=one.away) for one in session.players]
    return TableShown(
        table=session.id, code=session.code, link=link_to(request, session), game=about.game, players=about.players,
        options=dict(about.options), seats=seats, match=session.match, over=session.is_over, reveal=about.reveal,
        allowed=list(session.allowed),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------ about the server

house = APIRouter()
"""Routes about the server itself."""


@house.get("/health", response_model=Health, responses={503: {"model": Unwell}})
async def health(tables: Annotated[Tables, Depends(tables_of)]) -> Response:
    """Whether the server can read and write its database."""
    try:
        await tables.health.ping()
    except ParlourError as trouble:
        reason = trouble.reason if isinstance(trouble, Unreachable) else "away"
        return JSONResponse(Unwell(sentence=str(trouble), reason=reason).model_dump(exclude_none=True), 503)
    return JSONResponse(Health(ok=True, tables=len(tables.live)).model_dump())


# ------------------------------------------------------------------------------------------ tables

router = APIRouter(prefix=API)


@router.get("/games")
async def list_games() -> list[GameShown]:
    return [
        GameShown(id=name, name=what.name, about=what.about, players=list(what.players))
        for name in games()
        for what in [definition(name)]
    ]


@router.get("/tables")
async def lobby(request: Request, tables: AllTables) -> list[TableShown]:
    return [shown(session, request) for session in await tables.listed(PER_PAGE)]


@router.post("/tables", status_code=201)
async def make_table(wanted: NewTable, request: Request, response: Response) -> Made:
    session, seat, token = await new_table(request, wanted)
    remember(request, response, token)
    return Made(table=session.id, code=session.code, link=link_to(request, session), seat=seat, token=token)


@router.get("/tables/{table}")
async def show_table(session: At, request: Request) -> TableShown:
    return shown(session, request)


@router.post("/tables/{table}/seats", status_code=201)
async def sit(table: str, who: SeatWanted, request: Request, response: Response, tables: AllTables) -> SeatTaken:
    token = own_token(request)
    session = await tables.session(table, fingerprint(token))
    seat = await session.sit(who.name, WATCHER if who.seat is None else who.seat)
    remember(request, response, token)
    return SeatTaken(table=session.id, seat=seat, token=token)


@router.get("/tables/{table}/record", response_class=PlainTextResponse)
async def record(session: At) -> str:
    return session.record()


# ------------------------------------------------------------------------------------------ frames


@router.get("/tables/{table}/frames", response_class=StreamingResponse)
async def frames(
    session: At,
    match: Annotated[int, Query(ge=0, lt=1 << 31)] = 0,
    seat: Annotated[int | None, Query(ge=WATCHER, lt=1 << 31)] = None,
    heard: Annotated[int, Query(ge=0, lt=1 << 31)] = 0,
    view: Annotated[str, Query(pattern="^(items)?$")] = "",
    mix: Annotated[bool, Query()] = False,
) -> StreamingResponse:
    """Everything your seat is told from now on, one frame a line, as long as you listen."""
    wanted = partial(session.connect, match=match, seat=seat, heard=heard, mixes=mix, items=view == "items")
    return FrameStream(session, wanted)


@router.post(
    "/tables/{table}/commands",
    openapi_extra={"requestBody": {"content": {"application/json": {"schema": COMMANDS}}, "required": True}},
)
async def command(session: At, request: Request) -> Response:
    """Carry out one command; the answer is its ``done`` or ``refused`` frame."""
    body = await request.body()
    if len(body) > LARGEST_FRAME:
        return mistake(413, marked("A command may have at most {largest_frame} bytes.", largest_frame=LARGEST_FRAME))
    try:
        wanted = wire.command(body)
    except msgspec.MsgspecError as wrong:
        return mistake(422, marked("That isn't a valid command: {wrong}.", wrong=wrong))
    return Response(wire.encode(await session.do(wanted)), 200, media_type="application/json")


@router.websocket("/tables/{table}/socket")
async def socket(ws: WebSocket, table: str, tables: AllTables) -> None:
    if not is_same_origin(ws):
        await ws.close(ANOTHERS_PAGE, "This page isn't from this server.")
        return
    await ws.accept()
    asked = ws.query_params
    try:
        session = await tables.session(table, key_of(ws))
    except ParlourError as wrong:
        await ws.send_text(wire.encode(wire.Bye(reason=str(wrong), back=not isinstance(wrong, NoTable))).decode())
        await close_for(ws, wrong)
        return
    connection = session.connect(
        match=_count(asked.get("match")), seat=_seat(asked.get("seat")), heard=_count(asked.get("heard")),
        mixes=asked.get("mix") in {"1", "true"}, items=asked.get("view") == "items",
    )  # fmt: skip
    await attend(ws, session, connection, lambda packet: wire.packed(packet).decode())


def _count(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


def _seat(text: str | None) -> int | None:
    return WATCHER if text == str(WATCHER) else _count(text) if text else None


__all__ = ["API", "AllTables", "At", "house", "link_to", "router", "session_of", "shown", "tables_of"]
