"""What tests of the room share: a server in a thread of its own, a guest who is nothing but a socket and a memory."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from secrets import token_hex
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn
from httpx._transports import default as transport
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from parlour import Game, load
from parlour.engine.telling import View
from parlour.server.bots.bots import Bots
from parlour.server.common import clock, wire
from parlour.server.live import moves
from parlour.server.live.croupier import Croupier
from parlour.server.live.live_table import LiveTable
from parlour.server.live.protocols import Running
from parlour.server.live.tables import Tables
from parlour.server.site.serving import LINES, whole_app
from parlour.server.store import store
from parlour.server.store.database import Database, migrate
from parlour.server.store.database import connect as connected
from parlour.server.store.store import Store
from parlour.server.table import log
from parlour.server.table.table import Change, Table
from parlour.server.web.api import API
from parlour.server.web.connection_limits import Door
from parlour.server.web.new_table import opened_as, wanted_table
from tests.helpers import there
from tests.waiting import LIMIT, until, wait_until
from tests.worlds import opened

vars(transport)["create_ssl_context"] = cache(httpx.create_ssl_context)
"""Else every single request reads all certificates of the machine first, and none needs them."""


def migrating_once(migrate: Callable[[Database], None]) -> Callable[[Database], None]:
    """Migrate the first empty SQLite file; every later one is a copy of what that makes."""
    made: list[bytes] = []

    def migrated(database: Database) -> None:
        file = Path(database.engine.url.database or "")
        if database.is_shared or not file.is_file() or file.stat().st_size:
            migrate(database)
            return
        if not made:
            with TemporaryDirectory() as folder:
                first = connected(f"sqlite:///{folder}/empty.db")
                migrate(first)
                first.engine.dispose()
                made.append(Path(folder, "empty.db").read_bytes())
        file.write_bytes(made[0])

    return migrated


vars(store)["migrate"] = migrating_once(migrate)
"""Else every test with a server of its own goes through all migrations; ``test_store.py`` compares what they make
with the schema."""


SINCE = {"settled": "0004", "counted": "0005", "signet": "0006", "ended": "0006"}
"""Tables of the database that came with a migration after the third."""


def as_of_before(url: str, version: str) -> None:
    """Take from a database, made by this software, what later migrations than this one have added."""
    engine = connected(url).engine
    with engine.begin() as connection:
        for table in [one for one, since in SINCE.items() if since > version]:
            connection.exec_driver_sql(f"DROP TABLE {table}")
        if version < "0006":
            connection.exec_driver_sql("DROP INDEX ix_results_table_id")
        for wish in ("holds", "steps"):  # of the seventh
            connection.exec_driver_sql(f"ALTER TABLE presence DROP COLUMN {wish}")
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{version}'")
    engine.dispose()


class Clock:
    """The clock of all tables in a test, and of what limits requests: it stands still until the test moves it.
    ``waited``: how long somebody has let time go by, each time, which moves it too; ``ahead``: how far tests have moved
    it so far.  It never goes back: a server of other tests remembers when a guest's last request came."""

    ahead = 0.0

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.time, self.waited = float(int(time.monotonic() + Clock.ahead) + 1), list[float]()
        self._done: dict[Running, float] = {}
        do_next = Croupier.do_next

        async def noted(croupier: Croupier) -> float | None:
            began = self.time
            wait = await do_next(croupier)
            self._done[croupier._live] = began
            return wait

        patch.setattr(clock, "now", lambda: self.time)
        patch.setattr(clock, "sleep", self._sleep)
        patch.setattr(Croupier, "do_next", noted)

    @staticmethod
    def usual() -> float:
        """The time where no test stops it."""
        return asyncio.get_running_loop().time() + Clock.ahead

    @property
    def time(self) -> float:
        """What it says."""
        return self._time

    @time.setter
    def time(self, now: float) -> None:
        self._time, Clock.ahead = now, max(Clock.ahead, now - time.monotonic())

    async def _sleep(self, seconds: float) -> None:
        if threading.current_thread() is threading.main_thread():  # a server of other tests may still have bots at play
            self.waited.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)

    async def goes_on(self, live: LiveTable, seconds: float) -> None:
        """Let time go by; the table has done what is due then when this returns."""
        self.time += seconds
        live.stir()
        await until(lambda: self._done.get(live) == self.time)

    def advance(self, server: Server, table: str, seconds: float) -> None:
        """The same at a server that runs in a thread."""
        server.within(self.goes_on(server.tables.live[table], seconds))


vars(clock)["now"] = Clock.usual


class QuickBots(Bots):
    """Bots that choose at random, here and now, without processes of their own."""

    async def choose(self, kind: str, seed: int, view: View, legal: Sequence[int]) -> int:
        return Random(f"{seed} {view.dump()}").choice(list(legal))


class RuledBots(Bots):
    """Bots that choose at once, by a rule."""

    def __init__(self, rule: Callable[[View, Sequence[int]], int]) -> None:
        super().__init__()
        self._rule = rule

    async def choose(self, kind: str, seed: int, view: View, legal: Sequence[int]) -> int:
        return self._rule(view, legal)


def first_choice() -> RuledBots:
    """Bots that do the first thing that they may do."""
    return RuledBots(lambda _, legal: legal[0])


class SlowBots(Bots):
    """Bots that never come to a decision."""

    async def choose(self, kind: str, seed: int, view: View, legal: Sequence[int]) -> int:
        await asyncio.Event().wait()
        raise AssertionError


class Server:
    """A server that runs in a thread, on this port or a free one, until it is stopped; ``url``: where it is."""

    def __init__(self, database: Path, bots: Bots | None = None, port: int = 0, password: str = "") -> None:
        self.database = database
        self._listener = socket.create_server(("127.0.0.1", port))  # first: if somebody has the port, nothing is open
        self.tables = Tables(Store(f"sqlite:///{database}"), bots or QuickBots())
        self.app = whole_app(self.tables, password=password)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(
            self.app, timeout_graceful_shutdown=1, timeout_keep_alive=int(LIMIT), ws_ping_interval=LIMIT,
            ws_ping_timeout=LIMIT, **LINES,
        )  # fmt: skip
        self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._uvicorn.run, kwargs={"sockets": [self._listener]})
        self._thread.start()
        wait_until(lambda: self._uvicorn.started or not self._thread.is_alive())
        assert self._uvicorn.started, "the server did not start"

    def stop(self) -> None:
        """Stop the server as a signal would, and wait until it has."""
        self._uvicorn.should_exit = True
        self._thread.join()
        self._listener.close()

    def again(self) -> Server:
        """Stop it, and start another one with the same database at the same place."""
        self.stop()
        return Server(self.database, port=self.port)

    def socket(self, path: str) -> str:
        """The address of one of its WebSockets."""
        return f"ws{self.url.removeprefix('http')}{path}"

    def within(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Have something done in the server's event loop; what comes of it."""
        return asyncio.run_coroutine_threadsafe(work, there(self.tables.neighbours._loop)).result(LIMIT)

    def run(self, function: Callable[..., Any], *given: Any) -> None:
        """Have a function called there."""
        there(self.tables.neighbours._loop).call_soon_threadsafe(function, *given)

    def make(self, game: str = "leduc", name: str = "Zoé", **wanted: Any) -> dict[str, Any]:
        """A new table with quick bots, as the server answers it."""
        quick = {"pace": 0, "beat": 0.05, "grace": 3600, "bots": "random"}
        answer = httpx.post(f"{self.url}{API}/tables", json={"game": game, "name": name, **quick, **wanted})
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def guest(self, game: str = "leduc", name: str = "Zoé", **wanted: Any) -> Guest:
        """Somebody who makes a new table with quick bots, and has the first seat there."""
        made = self.make(game, name, **wanted)
        return Guest(self, made["table"], made["token"])

    def command(self, table: str, do: str, token: str = "", **fields: Any) -> httpx.Response:
        """Send a command without a socket; what the server answers."""
        said = {"do": do, "id": "1", **fields}
        return httpx.post(f"{self.url}{API}/tables/{table}/commands", json=said, headers=bearer(token))

    def seat(self, table: str, name: str, seat: int | None = None, token: str = "") -> httpx.Response:
        """Sit down at a table; what the server answers."""
        said = {"name": name, "seat": seat}
        return httpx.post(f"{self.url}{API}/tables/{table}/seats", json=said, headers=bearer(token), timeout=LIMIT)

    def lay(self, game: str, **wanted: Any) -> str:
        """A table without guests, at which nothing happens before the first one comes; its invitation."""
        terms = wanted_table(game=game, **{"bots": "random", "pace": 0, "beat": 0.05, "grace": 3600, **wanted})
        return f"{self.url}/t/{self.within(self.tables.open(opened_as(terms))).code}"


@contextlib.contextmanager
def running(database: Path, bots: Bots | None = None, port: int = 0) -> Iterator[Server]:
    """A server on this SQLite file, for as long as the block lasts; at this port, if nobody has it."""
    try:
        server = Server(database, bots, port)
    except OSError:
        server = Server(database, bots)
    try:
        yield server
    finally:
        server.stop()


@contextlib.asynccontextmanager
async def unreachable(url: str = "sqlite://", bots: Bots | None = None, starts: bool = True) -> AsyncIterator[Tables]:
    """The tables of a server that nobody can reach; ``starts``: it does what servers do by themselves."""
    tables = Tables(Store(url), bots or QuickBots())
    if starts:
        tables.start()
    try:
        yield tables
    finally:
        await tables.close()


@contextlib.asynccontextmanager
async def a_table(game: Game, bots: Bots | None = None, record: str = "", **terms: Any) -> AsyncIterator[LiveTable]:
    """A new table of such a server, which has not started."""
    async with unreachable(bots=bots, starts=False) as tables:
        yield await tables.open(opened(game, **terms), record)


def dealt(**terms: Any) -> Table:
    """A table of Leduc poker made by Zoé, who has the first seat (her key is ``zoe``); a match is on."""
    table, secret = Table(opened(load("leduc"), maker="zoe", **terms)), bytes(32)
    for change in (Change(log.Sat(0, "Zoé", "zoe")), moves.commit_to(table, secret)):
        table.commit(change)
    table.commit(moves.go_on(table, secret, {}))
    return table


def doors(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Door]]:
    """The doors of the connections that are made from now on, also those that end at once."""
    opened, connection_made = list[weakref.ref[Door]](), Door.connection_made

    def noted(self: Door, transport: asyncio.Transport) -> None:
        connection_made(self, transport)
        opened.append(weakref.ref(self))

    monkeypatch.setattr(Door, "connection_made", noted)
    return opened


def bearer(token: str) -> dict[str, str]:
    """The header by which a guest is known."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def refusal(answer: wire.Answer) -> str:
    """The sentence with which a command was refused."""
    assert isinstance(answer, wire.Refused), answer
    return answer.sentence


def line_to(address: str, **more: Any) -> ClientConnection:
    """A connection to this address of a server, which is not given up because somebody is slow."""
    line: ClientConnection = connect(address, open_timeout=LIMIT, ping_interval=None, **more)
    return line


class Call(NamedTuple):
    """A way to reach a server: the method (none for a WebSocket), the address, and the endpoint's own function;
    ``holes``: the same address with something else in each of its holes, by turns."""

    method: str
    address: str
    endpoint: Callable[..., Any]
    holes: list[str]


def calls(server: Server, table: str) -> Iterator[Call]:
    """Everything that can be asked of a server."""
    usual = {"game": "leduc", "table": table, "code": table, "version": "0", "match": "1", "day": "1"}

    def filled(path: str, **given: str) -> str:
        return re.sub(r"\{(\w+)(?::\w+)?\}", lambda hole: (usual | given).get(hole[1], "nothing"), path)

    for router in (getattr(one, "original_router", None) for one in server.app.routes):
        for route in () if router is None else router.routes:
            holes = [filled(route.path, **{hole: "{}"}) for hole in re.findall(r"\{(\w+)", route.path)]
            for method in getattr(route, "methods", None) or ("",):
                yield Call(method, filled(route.path), route.endpoint, holes)


def addresses(server: Server, table: str) -> Iterator[tuple[str, str]]:
    """The method and the address of everything that a server answers."""
    return ((call.method, call.address) for call in calls(server, table))


class Guest:
    """A connection to a ``table``, for whoever has a ``token``, and what came over it.  ``telling``: the last one;
    ``story``: every sentence of the match; ``frames``: all as they came, raw; ``bye``: why the server ended it."""

    def __init__(self, server: Server, table: str, token: str = "", **asked: Any) -> None:
        self.table, self.token = table, token
        query = "&".join(f"{name}={value}" for name, value in asked.items())
        self.address = server.socket(f"{API}/tables/{table}/socket?{query}")
        self.telling: wire.Telling | None = None
        self.story: list[wire.Sentence] = []
        self.frames: list[str] = []
        self.bye: wire.Bye | None = None
        self.ids = (f"{token_hex(4)}.{n}" for n in count())
        self.socket: ClientConnection
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Guest:
        opening = line_to(self.address, additional_headers=bearer(self.token), close_timeout=1)
        self.socket = self._open.enter_context(opening)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        self._open.close()

    def read(self, seconds: float = LIMIT) -> wire.AnyFrame:
        """The next frame; ``TimeoutError`` if none comes, ``ConnectionClosed`` if none will."""
        text = self.socket.recv(seconds)
        assert isinstance(text, str)
        self.frames.append(text)
        frame = wire.decode(text)
        match frame:
            case wire.Telling():
                same = self.telling is not None and self.telling.match == frame.match
                kept = self.story[: frame.heard - len(frame.new)] if same else []
                self.telling, self.story = frame, [*kept, *frame.new]
            case wire.Bye():
                self.bye = frame
        return frame

    def until(self, is_it: Callable[[Any], bool]) -> Any:
        """Read on to the first frame that is what is wanted."""
        end = time.monotonic() + LIMIT
        while True:
            frame = self.read(end - time.monotonic())
            if is_it(frame):
                return frame

    def told(self, is_so: Callable[[wire.Telling], bool]) -> wire.Telling:
        """Read on until the last telling is as wanted; at once if it is so already."""
        if self.telling is None or not is_so(self.telling):
            self.until(lambda frame: isinstance(frame, wire.Telling) and is_so(frame))
        return there(self.telling)

    def send(self, do: str, **fields: Any) -> str:
        """Send a command without waiting for its answer; its id."""
        name: str = fields.pop("id", None) or next(self.ids)
        self.socket.send(json.dumps({"do": do, "id": name, **fields}))
        return name

    def ask(self, do: str, **fields: Any) -> wire.Answer:
        """Send a command and read on to its answer."""
        name = self.send(do, **fields)
        answer = self.until(lambda frame: isinstance(frame, wire.Done | wire.Refused) and frame.id == name)
        assert isinstance(answer, wire.Done | wire.Refused)
        return answer

    def to_the_end(self, which: int = 0) -> wire.Telling:
        """Play the first action there is (-1: the last) whenever one is asked for, until the match is over."""
        while True:
            telling = self.told(lambda telling: bool(telling.choices) or telling.over)
            if telling.over:
                return telling
            answer = self.ask("act", action=telling.choices[which].name)
            assert isinstance(answer, wire.Done), answer
            self.told(lambda later, before=telling.version: later.version != before)  # type: ignore[misc]

    def drain(self) -> int:
        """Read until the server ends the connection; the code with which it does."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                self.read()
        return self.socket.close_code or 0
