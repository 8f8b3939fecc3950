"""Servers, guests and the network between them, in a world that comes from a seed."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor, Future
from contextvars import Context, copy_context
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from unittest.mock import patch

from msgspec import MsgspecError

from parlour.base.errors import ParlourError
from parlour.server.bots import best_line, bots
from parlour.server.common import wire
from parlour.server.common.outside import OUTSIDE, Outside
from parlour.server.live.connection import Connection
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.page import replays
from parlour.server.store import store
from parlour.server.store.retention import Keep
from parlour.server.store.store import Store
from tools.simulation.database import Disk, Shared
from tools.simulation.loop import PROCESS, Process, VirtualLoop

if TYPE_CHECKING:
    from tools.simulation.web import Site

T = TypeVar("T")


SLOWED: Final = {
    "store.lease": {"LEASE": 1.0, "ROUND": 2.0, "AWAKE": 1.0},
    "live.neighbours": {"STAY": 1.0, "ANSWER_SECONDS": 1.0, "REMIND": 1.0},
    "live.housekeeping": {"HOUSE": 2.0, "HOUR": 0.01},
    "store.health": {"PING": 1.0},
    "live.croupier": {"RETRY": 1.0, "NONCE_SECONDS": 1.0, "PLEDGE_SECONDS": 1.0},
    "store.writer": {"STALL": 1.0},
    "store.store": {"FORGOTTEN": 0.1},
    "store.inbox": {"FORGOTTEN": 0.1},
}
"""The calls that take longer in a slow world, by the module that makes them, and their share of the slowness: whatever
servers do on their own, many times a minute."""
_USUAL: Final = {
    (module, name): getattr(importlib.import_module(f"parlour.server.{module}"), name)
    for module, names in SLOWED.items()
    for name in names
}


def slow_down(times: float) -> None:
    """Let servers do everything on their own so many times more slowly; days of play pass in seconds then."""
    for (module, name), usual in _USUAL.items():
        share = SLOWED[module][name]
        setattr(sys.modules[f"parlour.server.{module}"], name, usual * max(1.0, times * share))


class Weather:
    """How bad the network and the machines are: the seconds that things take, and how often they fail."""

    def __init__(self, chance: Random, pace: float) -> None:
        self.chance, self.pace = chance, pace
        self.slow = pace * chance.choice([0.001, 0.005, 0.02, 0.08])
        self.tail = chance.choice([0.0, 0.01, 0.05])
        self.is_fair = self.is_even = False

    def delay(self) -> float:
        """Seconds that a message, or a piece of work, takes."""
        if self.is_even:
            return self.slow
        if not self.is_fair and self.chance.random() < self.tail:
            return self.pace * self.chance.uniform(0.2, 3.0)
        return self.slow * (0.5 + self.chance.random())


class Simulated(Outside):
    """The outside of one server: its own clock, and chance that comes from the seed."""

    def __init__(self, world: World, ahead: float) -> None:
        self.world, self.ahead = world, ahead
        self.chance = Random(world.chance.getrandbits(64))

    def wall(self) -> float:
        return self.world.disk.now() + self.ahead

    def steady(self) -> float:
        return self.world.loop.time()

    def pause(self, seconds: float) -> None:
        """What works beside the loop does all of it in one moment."""

    def worker(self, name: str, work: Callable[[Sequence[Any]], None], most: int) -> Turns[Any]:
        return Turns(self.world, work, most)

    def processes(self, number: int, begin: Callable[[], None]) -> Pool:
        return Pool(self.world)


class Turns(Generic[T]):
    """A worker whose turn comes when the loop says so; for work beside the loop it comes at once."""

    def __init__(self, world: World, work: Callable[[Sequence[T]], None], most: int) -> None:
        self._world, self._work, self._most, self._waiting = world, work, most, list[T]()
        self._context = copy_context()

    def put(self, task: T) -> None:
        loop = self._world.loop
        self._waiting.append(task)
        if loop.is_aside:
            self.close()
        elif len(self._waiting) == 1:
            loop.call_later(self._world.weather.delay(), self.close, context=self._context)

    def close(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            self._work(group)


class Pool(Executor):
    """Processes that answer after a while."""

    def __init__(self, world: World) -> None:
        self._world = world

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        answer = Future[Any]()
        answer.set_running_or_notify_cancel()

        def answers() -> None:
            try:
                answer.set_result(work(*args, **kwargs))
            except Exception as failure:
                answer.set_exception(failure)

        self._world.loop.call_later(self._world.weather.delay(), answers)
        return answer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        pass


class Server:
    """A server that runs until it is killed."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.process, self.since = world, Process(name), world.loop.time()
        self.outside = Simulated(world, world.skew())
        self.context: Context = copy_context()
        self.context.run(OUTSIDE.set, self.outside)
        self.context.run(PROCESS.set, self.process)
        self.lines: dict[Line, None] = {}
        self.tables: Tables = self.context.run(self._made)
        self.context.run(self.tables.start)

    def _made(self) -> Tables:
        # the store was migrated when it was made
        with self.world.loop.aside(), patch.object(store, "migrate", lambda database: None):
            return Tables(Store(Shared(self.world.disk, self.world.is_shared)), keep=self.world.keep)

    @cached_property
    def site(self) -> Site:
        """Its pages."""
        from tools.simulation.web import Site  # a world without browsers does not need them

        return Site(self)

    @property
    def is_there(self) -> bool:
        return self.process.is_alive and not self.process.is_stalled

    def do(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start something on this server."""
        if not self.process.is_alive:
            work.close()
            return self.world.loop.create_future()  # type: ignore[return-value]
        return self.world.loop.create_task(work, context=self.context.run(copy_context))

    def kill(self) -> None:
        """End at once; whoever is connected notices soon."""
        self.process.is_alive = False
        self.world.graves.append(self)
        self.gone()

    def gone(self) -> None:
        """The machine closes what the process held."""
        disk = self.world.disk
        disk.listening = [ear for ear in disk.listening if ear.process is not self.process]
        for line in list(self.lines):
            self.world.loop.call_later(self.world.weather.delay(), line.broken, context=self.world.context)

    def stall(self, seconds: float) -> None:
        """Do nothing for a while."""
        self.process.is_stalled = True
        self.world.loop.call_later(seconds, self.world.loop.resume, self.process)

    async def stop(self) -> None:
        """Stop as a server that is restarted does."""
        await self.tables.close()
        self.process.is_alive = False
        self.world.graves.append(self)
        self.gone()


class Line:
    """A connection between a guest and a server: what is sent arrives in order, until it is cut."""

    def __init__(self, world: World, server: Server, hear: Callable[[bytes], None], broken: Callable[[], None]) -> None:
        self.world, self.server, self._hear, self._broken = world, server, hear, broken
        self.is_cut = False
        self._down = self._up = 0.0  # when the last of what was sent arrives
        self._session: Session | None = None
        self._connection: Connection | None = None
        server.lines[self] = None

    def open(self, table: str, key: str, **wanted: Any) -> None:
        """Be connected, soon."""
        self._after("_up", lambda: self.server.do(self._serve(table, key, wanted)))

    def _after(self, way: str, what: Callable[[], object]) -> None:
        at = max(getattr(self, way) + 1e-6, self.world.loop.time() + self.world.weather.delay())
        setattr(self, way, at)
        self.world.loop.call_at(at, lambda: None if self.is_cut else what(), context=self.world.context)

    async def _serve(self, table: str, key: str, wanted: dict[str, Any]) -> None:
        try:
            session = await self.server.tables.session(table, key)
        except ParlourError as wrong:
            self.tell(wire.encode(wire.Bye(reason=str(wrong), back=True)))
            self.cut()
            return
        if self.is_cut:
            return
        self._session, self._connection = session, session.connect(**wanted)
        while (packet := await self._connection.outbox.get()) is not None:
            assert not isinstance(packet, wire.Telling)
            self.tell(packet)
            if self._connection.too_slow:
                break
        self.world.loop.call_later(self.world.weather.delay(), self.broken, context=self.world.context)

    def tell(self, packet: bytes) -> None:
        """The server says something."""
        self._after("_down", lambda: self._hear(packet))

    def ask(self, command: bytes) -> None:
        """The guest says something."""
        self._after("_up", lambda: self.server.do(self._answer(command)))

    async def _answer(self, text: bytes) -> None:
        if self._session is None or self._connection is None or self._connection.is_over:
            return
        try:
            command = wire.command(text)
        except MsgspecError:
            return
        if isinstance(command, wire.Act):
            live, key = self._session._live, self._session.key
            seen = live.table.known.moment(live.table.seat_of(key)) if live.fence is None else None
            self.world.seen.setdefault(f"{key[:20]} {command.id}", []).append(seen)
        try:
            answer = await self._session.do(command, self._connection)
        except ParlourError:  # the table has moved: the server ends the connection
            self.cut()
        else:
            self.tell(wire.encode(answer))

    def record(self, match: int, take: Callable[[str], None]) -> None:
        """The guest wants the record of a match."""

        async def given() -> None:
            if self._session is not None:
                try:
                    text = await self._session.record_of(match)
                except ParlourError:
                    return
                self._after("_down", lambda: take(text))

        self._after("_up", lambda: self.server.do(given()))

    def cut(self) -> None:
        """The connection is gone: each end notices for itself."""
        if self.is_cut:
            return
        self.is_cut = True
        self.server.lines.pop(self, None)
        self.world.loop.call_later(
            self.world.weather.delay(), self._left, context=self.server.context.run(copy_context)
        )
        self.world.loop.call_later(self.world.weather.delay(), self._broken, context=self.world.context)

    def _left(self) -> None:
        if self._session is not None and self._connection is not None:
            self._session.disconnect(self._connection)

    def broken(self) -> None:
        """Cut the connection if it has not been cut before."""
        self.cut()


class Journal(logging.Handler):
    """What servers write into their journals."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.errors: list[str] = []
        self.warnings = 0

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            self.errors.append(self.format(record))
        else:
            self.warnings += 1


class World:
    """Everything there is.  ``shared``: whether servers share a database; otherwise there is one at a time.
    ``pace``: how many times more slowly servers do what they do on their own."""

    def __init__(self, seed: int, shared: bool, pace: float, keep: Keep | None = None) -> None:
        self.seed, self.is_shared, self.pace, self.keep = seed, shared, pace, keep or Keep()
        slow_down(pace)
        bots._player.cache_clear()  # else bots go on as they did in the world before
        self.chance = Random(seed)
        self.weather = Weather(Random(self.chance.getrandbits(64)), pace)
        self.loop = VirtualLoop(self.weather.delay)
        self.disk = Disk(self.loop, Random(self.chance.getrandbits(64)), self.weather.delay)
        self.context: Context = copy_context()
        self.context.run(OUTSIDE.set, Simulated(self, 0.0))
        self.servers: list[Server] = []
        self.guests: list[Any] = []
        self.graves: list[Server] = []
        self.story: list[str] = []
        self.seen: dict[str, list[tuple[int, int] | None]] = {}
        """For each act of a guest, by its command, what their server had shown their seat whenever it came; ``None``:
        it came to the server that runs the table."""
        self.journal = Journal()
        self._started = 0

    def skew(self) -> float:
        """By how many seconds the clock of a new server is wrong."""
        apart = self.chance.choice([0.0, 0.0, 2.0, 2.0, 100.0, 5000.0]) if self.is_shared else 0.0
        return self.pace * self.chance.uniform(-apart, apart)

    def tell(self, what: str) -> None:
        """Note what happens, for whoever reads the story of a failure."""
        self.story.append(f"{self.loop.time():12.3f}  {what}")

    def start_server(self) -> Server:
        """One server more."""
        self._started += 1
        server = Server(self, f"server {self._started}")
        self.servers.append(server)
        self.tell(f"{server.process} starts")
        return server

    def kill(self, server: Server) -> None:
        """Kill a server."""
        self.tell(f"{server.process} is killed")
        self.servers.remove(server)
        server.kill()

    @property
    def there(self) -> list[Server]:
        """The servers that answer."""
        # servers killed while they were writing
        for server in [one for one in self.servers if not one.process.is_alive]:
            self.tell(f"{server.process} was killed while it wrote")
            self.servers.remove(server)
            self.graves.append(server)
            server.gone()
        return [one for one in self.servers if one.is_there]

    def do(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start something outside of all servers."""
        return self.loop.create_task(work, context=self.context.run(copy_context))

    def run(self, seconds: float) -> None:
        """Let time go by.  Whoever searches does so by games: seconds would be the machine's own."""
        with (
            patch.object(replays, "LOOK", "50"),
            patch.object(best_line, "THINKS", "50"),
        ):
            self.loop.run_for(seconds)


__all__ = ["Line", "Server", "Simulated", "Weather", "World"]
