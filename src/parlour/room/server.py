"""The server's face: tables over HTTP and WebSocket, version 1 of the frames (``docs/room.md``)."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import msgspec
from fastapi import Depends, FastAPI, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from parlour import load, replay
from parlour.engine.definition import definition, games
from parlour.errors import ParlourError
from parlour.players import kinds, make
from parlour.room import clock, log, wire
from parlour.room.floor import Floor, NoTable
from parlour.room.live import Client, LiveTable, Moved
from parlour.room.table import NAMES, WATCHER, fingerprint, fitting_name, nobody

API: Final = f"/api/{wire.VERSION}"
COOKIE: Final = "parlour_guest"
LARGEST_FRAME: Final = 4096
"""Bytes of a command."""
LARGEST_BODY: Final = 1 << 20
"""Bytes of a request: a record may be long."""
PER_SECOND, BURST = 20.0, 60
"""Commands that a connection may send in the long run, and at once."""
PATIENCE: Final = 10.0
"""Seconds for which a connection is slowed down before it is closed."""
SEND_SECONDS: Final = 20.0
"""Seconds for which a client may read nothing when there is something to be sent."""
PER_PAGE: Final = 100
"""Tables that the lobby lists."""
(COMMANDS, FRAMES), SCHEMAS = msgspec.json.schema_components(
    [wire.AnyCommand, wire.AnyFrame], ref_template="#/components/schemas/{name}"
)


class NewTable(BaseModel):
    """What a table is made with."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field("", max_length=40, description="Its id; empty if a record says it.")
    players: int | None = Field(None, ge=1, le=64, description="How many seats; left out: as many as usual.")
    options: dict[str, str] = Field(default_factory=dict, max_length=100, description="House rules.")
    bots: str = Field("", max_length=40, description="The kind of the bots; empty: rule-of-thumb where there is one.")
    name: str = Field("", max_length=60, description="Your name; empty: you only watch.")
    pace: float = Field(1.0, ge=0, le=60, description="Seconds that a bot takes.")
    beat: float = Field(3.0, ge=0, le=60, description="Seconds that a question takes which nobody may notice.")
    grace: float = Field(30.0, ge=0, le=3600, description="Seconds until a bot answers for a guest who has gone.")
    patience: float = Field(
        0.0, ge=0, le=86400, description="Seconds a guest may take to choose; 0: as long as he likes."
    )
    told: bool = Field(True, description="Whether the deal is opened at the end.")
    listed: bool = Field(False, description="Whether the lobby shows the table.")
    contributes: bool = Field(False, description="Your client will put a number into the deal: the match waits for it.")
    record: str = Field("", max_length=LARGEST_BODY // 2, description="A whole record to go on from.")


class Made(BaseModel):
    """A new table: its name, the code of its invitation and the link to it, your seat, your token."""

    table: str
    code: str
    link: str
    seat: int
    token: str


class Sitting(BaseModel):
    """Who sits down where (left out: at the first seat that a bot has)."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=60)
    seat: int | None = Field(None, ge=0, le=63)


class Seated(BaseModel):
    """Your seat, and the token by which you are known."""

    table: str
    seat: int
    token: str


class SeatShown(BaseModel):
    """Who has a seat."""

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
    told: bool


class GameShown(BaseModel):
    """A game that can be played here, and for how many."""

    id: str
    name: str
    about: str
    players: list[int]


class Mistake(BaseModel):
    """What is wrong, in a sentence, and the clause of the rules that says so, if one does."""

    sentence: str
    clause: str = ""


class Health(BaseModel):
    """Whether the server and its database answer."""

    ok: bool
    tables: int


class Allowance:
    """How often a connection may ask: who asks too often waits, and in the end is refused."""

    def __init__(self) -> None:
        self._last = self._calm = clock.now()
        self._left = float(BURST)

    async def use(self) -> bool:
        """Wait as long as it takes; whether patience is left."""
        now = clock.now()
        self._left, self._last = min(BURST, self._left + (now - self._last) * PER_SECOND) - 1, now
        if self._left >= 0:
            self._calm = now
            return True
        if max(now - self._calm, -self._left / PER_SECOND) > PATIENCE:
            return False
        await clock.sleep(-self._left / PER_SECOND)
        return True


async def _table_of(table: str, request: Request) -> LiveTable:
    floor: Floor = request.app.state.floor
    return await floor.get(table)


At = Annotated[LiveTable, Depends(_table_of)]
"""The table that an address names, by its name or its code."""
_MISTAKE: Final = "#/components/schemas/Mistake"
MISTAKES: Final[dict[int | str, dict[str, Any]]] = {
    code: {"description": "Refused", "content": {"application/json": {"schema": {"$ref": _MISTAKE}}}}
    for code in (400, 403, 404, 409, 413, 415, 422, 429, 503)
}


def make_app(floor: Floor) -> FastAPI:
    """The server's face for programs over the tables of a floor; :func:`parlour.page.site.add_pages` adds the pages."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        floor.start()
        yield
        await floor.close()

    app = FastAPI(
        title="Parlour", version=str(wire.VERSION), lifespan=lifespan, responses=MISTAKES,
        docs_url=None, redoc_url=None,  # they are made of other servers' scripts; the page has its own
    )  # fmt: skip
    app.state.floor = floor
    allowances: dict[str, Allowance] = {}

    @app.exception_handler(ParlourError)
    async def mistake(_: Request, wrong: ParlourError) -> JSONResponse:
        status = 404 if isinstance(wrong, NoTable) else 409 if isinstance(wrong, Moved) else 422
        return _mistake(status, str(wrong), getattr(wrong, "clause", ""))

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, wrong: RequestValidationError) -> JSONResponse:
        return _mistake(422, _first_of(wrong))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, wrong: HTTPException) -> JSONResponse:
        if wrong.status_code == 404:
            return _mistake(404, f"There is nothing at {request.url.path[:100]}.")
        return _mistake(wrong.status_code, f"{wrong.detail}.")

    @app.middleware("http")
    async def guarded(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        """Requests that change something come from our own pages, or from no page; none is too long."""
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY or "transfer-encoding" in request.headers:
            return _mistake(413, f"A request has at most {LARGEST_BODY} bytes, and says how many.")
        if request.method not in {"GET", "HEAD", "OPTIONS"}:
            if not is_same_origin(request):
                return _mistake(403, "This page is not of this server.")
            key = key_of(request) or "strangers"
            if len(allowances) > 10_000:
                allowances.clear()
            if not await allowances.setdefault(key, Allowance()).use():
                return _mistake(429, "Too many requests; wait a moment.")
        response = await go_on(request)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    # ------------------------------------------------------------------ about the server

    @app.get("/health")
    async def health() -> Health:
        await asyncio.to_thread(floor.store.tables)
        return Health(ok=True, tables=len(floor.live))

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        return PlainTextResponse(floor.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    @app.get(f"{API}/games")
    async def list_games() -> list[GameShown]:
        return [
            GameShown(id=name, name=what.name, about=what.about, players=list(what.players))
            for name in games()
            for what in [definition(name)]
        ]

    # ------------------------------------------------------------------ tables

    @app.get(f"{API}/tables")
    async def lobby(request: Request) -> list[TableShown]:
        return [_shown(live, request) for live in await floor.listed(PER_PAGE)]

    @app.post(f"{API}/tables", status_code=201)
    async def make_table(wanted: NewTable, request: Request, response: Response) -> Made:
        live, seat, token = await new_table(floor, request, wanted)
        remember(request, response, token)
        return Made(table=live.id, code=live.code, link=link_to(request, live), seat=seat, token=token)

    @app.get(f"{API}/tables/{{table}}")
    async def show_table(live: At, request: Request) -> TableShown:
        return _shown(live, request)

    @app.post(f"{API}/tables/{{table}}/seats", status_code=201)
    async def sit(live: At, who: Sitting, request: Request, response: Response) -> Seated:
        token = token_of(request) or secrets.token_urlsafe(24)
        seat = await seat_guest(live, fingerprint(token), who.name, WATCHER if who.seat is None else who.seat)
        remember(request, response, token)
        return Seated(table=live.id, seat=seat, token=token)

    @app.get(f"{API}/tables/{{table}}/record", response_class=PlainTextResponse)
    async def record(live: At, request: Request) -> str:
        return live.table.record(live.table.seat_of(key_of(request)))

    # ------------------------------------------------------------------ frames

    @app.get(f"{API}/tables/{{table}}/frames", response_class=StreamingResponse)
    async def frames(
        live: At,
        request: Request,
        match: Annotated[int, Query(ge=0, lt=1 << 31)] = 0,
        heard: Annotated[int, Query(ge=0, lt=1 << 31)] = 0,
        view: Annotated[str, Query(pattern="^(items)?$")] = "",
        mix: Annotated[bool, Query()] = False,
    ) -> StreamingResponse:
        """Everything your seat is told from now on, a frame a line, as long as you listen."""
        client = Client(key_of(request), match=match, heard=heard, mixes=mix, items=view == "items")
        return Lines(live, client)

    @app.post(
        f"{API}/tables/{{table}}/commands",
        openapi_extra={"requestBody": {"content": {"application/json": {"schema": COMMANDS}}, "required": True}},
    )
    async def command(live: At, request: Request) -> Response:
        """Do one command; the answer is its ``done`` or ``refused`` frame."""
        body = await request.body()
        if len(body) > LARGEST_FRAME:
            return _mistake(413, f"A command has at most {LARGEST_FRAME} bytes.")
        try:
            wanted = wire.command(body)
        except msgspec.MsgspecError as wrong:
            return _mistake(422, f"That is no command: {wrong}.")
        answer = await live.do(key_of(request) or nobody(), wanted)
        return Response(wire.encode(answer), 200, media_type="application/json")

    @app.websocket(f"{API}/tables/{{table}}/socket")
    async def socket(ws: WebSocket, table: str) -> None:
        if not is_same_origin(ws):
            await ws.close(4403, "This page is not of this server.")
            return
        await ws.accept()
        try:
            live = await floor.get(table)
            asked = ws.query_params
            client = Client(
                key_of(ws), match=_count(asked.get("match")), heard=_count(asked.get("heard")),
                mixes=asked.get("mix") in {"1", "true"}, items=asked.get("view") == "items",
            )  # fmt: skip
        except ParlourError as wrong:
            is_none = isinstance(wrong, NoTable)
            await ws.send_text(wire.encode(wire.Bye(reason=str(wrong), back=not is_none)).decode())
            await ws.close(4404 if is_none else 1013, "There is no such table." if is_none else "Connect again.")
            return
        await attend(ws, live, client, lambda packet: packet.decode())

    _describe_frames(app)
    return app


# ------------------------------------------------------------------------------------------ lines


class Lines(StreamingResponse):
    """Everything that a client is sent, a frame a line, for as long as somebody reads.

    The response itself notices that its reader has gone, at any moment.  A generator of lines could not: given up while
    a line is on its way, it stays where it is until Python collects it.
    """

    media_type = "application/x-ndjson"

    def __init__(self, live: LiveTable, client: Client) -> None:
        super().__init__(())
        self._live, self._client = live, client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._live.connect(self._client)
        listening = asyncio.create_task(self._until_nobody_reads(receive))
        try:
            await self.stream_response(send)
        except OSError:  # it took too long, or the server says in this way that the reader has gone
            pass
        finally:
            listening.cancel()
            self._live.disconnect(self._client)

    async def stream_response(self, send: Send) -> None:
        """Send what there is to be sent, until there is no more."""
        client = self._client
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        while not client.too_slow and (packet := await client.outbox.get()) is not None:
            await self._send_on(send, packet + b"\n")
        await self._send_on(send, b"", more=False)

    @staticmethod
    async def _send_on(send: Send, body: bytes, more: bool = True) -> None:
        async with asyncio.timeout(SEND_SECONDS):
            await send({"type": "http.response.body", "body": body, "more_body": more})

    async def _until_nobody_reads(self, receive: Receive) -> None:
        await self.listen_for_disconnect(receive)
        self._live.disconnect(self._client)  # whether or not what is being sent can be sent
        self._client.send(None)


# ------------------------------------------------------------------------------------------ sockets


async def attend(
    ws: WebSocket,
    live: LiveTable,
    client: Client,
    shown: Callable[[wire.Packet], str | None],
    wanted: Callable[[str | bytes], wire.AnyCommand] = wire.command,
) -> None:
    """Serve a connection until it ends.  ``shown``: what is sent for a packet; nothing, if it is ``None``.
    ``wanted``: the command that a message is."""
    live.connect(client)
    receiver = asyncio.create_task(_receive(ws, live, client, wanted))
    try:
        await _send(ws, client, shown)
    except WebSocketDisconnect:
        pass
    finally:
        live.disconnect(client)
        receiver.cancel()


async def _send(ws: WebSocket, client: Client, shown: Callable[[wire.Packet], str | None]) -> None:
    """Send what there is to be sent, until there is no more."""
    while not client.too_slow:
        packet = await client.outbox.get()
        if packet is None:
            await ws.close(1001, "Connect again.")
            return
        text = shown(packet)
        if text is None:
            continue
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await ws.send_text(text)
        except TimeoutError:
            return  # nobody reads there: not even a farewell could be sent
    await ws.close(4408, "You read too slowly; connect again.")


async def _receive(
    ws: WebSocket, live: LiveTable, client: Client, wanted: Callable[[str | bytes], wire.AnyCommand]
) -> None:
    """Do what a client wants, no faster than it may ask."""
    allowance = Allowance()
    while True:
        message = await ws.receive()
        if message["type"] == "websocket.disconnect":
            client.send(None)
            return
        text = message.get("text") or message.get("bytes") or ""
        if not await allowance.use():
            client.send(wire.encode(wire.Bye(reason="Too many commands at once; wait a moment.", back=True)))
            client.send(None)
            return
        if len(text) > LARGEST_FRAME:
            client.send(wire.encode(wire.Bye(reason=f"A command has at most {LARGEST_FRAME} bytes.", back=True)))
            client.send(None)
            return
        try:
            command = wanted(text)
        except msgspec.MsgspecError as wrong:
            client.send(wire.encode(wire.Refused(id="", sentence=f"That is no command: {wrong}.")))
        except ParlourError as wrong:
            client.send(wire.encode(wire.Refused(id="", sentence=str(wrong))))
        else:
            live.floor.soon(_do(live, client, command))


async def _do(live: LiveTable, client: Client, command: wire.AnyCommand) -> None:
    try:
        client.send(wire.encode(await live.do(client.key, command)))
    except Moved as moved:
        client.send(wire.encode(wire.Bye(reason=str(moved), back=True)))
        client.send(None)


# ------------------------------------------------------------------------------------------ requests


async def seat_guest(live: LiveTable, key: str, name: str, seat: int) -> int:
    """A guest sits down; his seat."""
    answer = await live.do(key, wire.Sit(id=f"sit-{secrets.token_hex(8)}", name=name, seat=seat))
    if isinstance(answer, wire.Refused):
        raise ParlourError(answer.sentence)
    return live.table.seat_of(key)


def wanted_table(**said: Any) -> NewTable:
    """The table that is wanted; ``ParlourError`` if something about it cannot be.

    >>> wanted_table(game="kuhn", players="many")
    Traceback (most recent call last):
    parlour.errors.ParlourError: players: Input should be a valid integer, unable to parse string as an integer.
    """
    try:
        return NewTable(**said)
    except ValidationError as wrong:
        raise ParlourError(_first_of(wrong)) from None


def _first_of(wrong: ValidationError | RequestValidationError) -> str:
    """The first of the mistakes, in a sentence."""
    first = wrong.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return f"{where or 'The request'}: {first['msg']}."


async def new_table(
    floor: Floor, request: Request, wanted: NewTable, seat: int = WATCHER
) -> tuple[LiveTable, int, str]:
    """Open a table and, if he has a name, let the guest sit down at it: the table, his seat, his token."""
    opened = await asyncio.to_thread(opened_as, wanted)
    token = token_of(request) or secrets.token_urlsafe(24)
    live = await floor.open(opened, wanted.record)
    if wanted.name:
        seat = await seat_guest(live, fingerprint(token), wanted.name, seat)
        live.awaited = fingerprint(token) if wanted.contributes else ""
    live.stir()
    return live, seat, token


def opened_as(wanted: NewTable) -> log.Opened:
    """The table that is wanted; ``ParlourError`` if it cannot be."""
    if wanted.record:
        game = replay(wanted.record).game
    elif wanted.game:
        game = load(wanted.game, wanted.players, **wanted.options)
    else:
        raise ParlourError("Say which game.")
    kind = wanted.bots or ("rule-of-thumb" if "rule-of-thumb" in kinds(game) else "random")
    make(kind, game)  # refuses what does not exist
    taken = fitting_name(wanted.name).casefold() if wanted.name else ""
    return log.Opened(
        game=game.id,
        rules=game.definition.version,
        players=game.players,
        options=dict(game.options),
        bots=[kind] * game.players,
        names=[name for name in NAMES if name.casefold() != taken][: game.players],
        pace=wanted.pace,
        beat=wanted.beat,
        grace=wanted.grace,
        patience=wanted.patience,
        told=wanted.told,
        listed=wanted.listed,
    )


def _shown(live: LiveTable, request: Request) -> TableShown:
    table = live.table
    seats = [SeatShown(name=s.name, bot=s.bot, guest=bool(s.key), away=s.away) for s in table.seats]
    return TableShown(
        table=live.id, code=live.code, link=link_to(request, live), game=table.game.id, players=table.game.players,
        options=table.opened.options, seats=seats, match=table.match, over=table.is_over, told=table.opened.told,
    )  # fmt: skip


def link_to(request: Request, live: LiveTable) -> str:
    """The invitation to a table."""
    return f"{str(request.base_url).rstrip('/')}/t/{live.code}"


def _mistake(status: int, sentence: str, clause: str = "") -> JSONResponse:
    return JSONResponse({"sentence": sentence, "clause": clause}, status)


def _count(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


def token_of(request: Request | WebSocket) -> str:
    """The token by which a guest is known: of a header (bots, terminals), or of a cookie (browsers)."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.casefold() == "bearer" and token.strip():
        return token.strip()
    return request.cookies.get(COOKIE, "")


def key_of(request: Request | WebSocket) -> str:
    """The fingerprint of that token."""
    return fingerprint(token_of(request))


def remember(request: Request, response: Response, token: str) -> None:
    """Have the browser keep a guest's token."""
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, token, max_age=30 * 86400, httponly=True, samesite="lax", secure=secure, path="/")


def is_same_origin(request: Request | WebSocket) -> bool:
    """Whether a request comes from our own page, or from no page at all."""
    origin = request.headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == request.headers.get("host")
    except ValueError:  # no address at all
        return False


def _describe_frames(app: FastAPI) -> None:
    """Put commands and frames into the description of the interface."""
    describe = app.openapi

    def described() -> dict[str, Any]:
        whole = describe()
        whole["components"]["schemas"].update(SCHEMAS, Mistake=Mistake.model_json_schema())
        return whole

    app.openapi = described  # type: ignore[method-assign]
