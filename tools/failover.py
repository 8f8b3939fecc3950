"""What guests notice when one of two servers on a PostgreSQL is killed or stands still, measured.

    python -m tools.failover --times 10 --tables 8

Two servers are behind a balancer on this machine, which does what a proxy in front of them does: it asks each server
every half a second whether it is well, and gives new connections to one that is.  The guests are those of the terminal
(:class:`parlour.server.client.client.Client`) and act as soon as they are asked.  One server runs all tables; half of
the guests are connected to it.  It is killed (SIGKILL) or stopped (SIGSTOP, and woken when all have played on); for
each guest the time is taken until a move of theirs is in the log and acknowledged that was written after that moment.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import httpx

from parlour.base.errors import ParlourError
from parlour.server.client.client import QUIET, Client
from parlour.server.client.tickets import Ticket, make_table, sit_down
from parlour.server.common import wire
from parlour.server.store.store import Store
from parlour.server.table import log
from parlour.server.table.seats import fingerprint
from parlour.server.table.table import Change, Table
from tests.leash import LEASH
from tests.postgres import Postgres
from tests.waiting import LIMIT, until
from tools.load import free_port

CHECK: Final = 0.5
"""Seconds between two questions whether a server is well, and for its answer."""
GUESTS: Final = 3
"""At each table of Diamondback."""
SERVE: Final = f"""{LEASH}
import sys
from parlour.server.site.serving import serve
serve("127.0.0.1", int(sys.argv[1]), sys.argv[2], 1)
"""


class Server:
    """A server in a process of its own."""

    def __init__(self, database: str, output: Path, port: int = 0) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.is_well = False
        with output.open("ab") as journal:
            words = [sys.executable, "-c", SERVE, str(self.port), database]
            self._process = subprocess.Popen(words, stdout=journal, stderr=journal)

    async def begun(self) -> None:
        """Wait until it answers."""
        async with httpx.AsyncClient() as http, asyncio.timeout(LIMIT):
            while True:
                assert self._process.poll() is None, "a server has ended"
                with contextlib.suppress(httpx.TransportError):
                    (await http.get(f"{self.url}/health")).raise_for_status()
                    self.is_well = True
                    return
                await asyncio.sleep(0.02)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def end(self) -> None:
        """It is gone when this returns."""
        self._process.kill()
        self._process.wait(LIMIT)

    async def ended(self) -> int:
        """Wait until it has ended by itself; its exit code."""
        await until(lambda: self._process.poll() is not None, "a server does not end")
        return self._process.wait()


class Balancer:
    """What stands before the servers.  ``open``: how many lines each server has from it."""

    def __init__(self, servers: list[Server]) -> None:
        self.servers = servers
        self.open: dict[Server, int] = {}
        self.url = ""
        self.ports: Iterator[int] = iter(())
        self._carrying: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """It is there as long as the block lasts."""
        listening = await asyncio.start_server(self._begin, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        asking = asyncio.create_task(self._ask_all())
        try:
            yield
        finally:
            tasks = [asking, *self._carrying]
            listening.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._carry(reader, writer))
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)

    async def _ask_all(self) -> None:
        async with httpx.AsyncClient(timeout=CHECK) as http:
            while True:
                for server in list(self.servers):
                    task = asyncio.create_task(self._ask(http, server))
                    self._carrying.add(task)
                    task.add_done_callback(self._carrying.discard)
                await asyncio.sleep(CHECK)

    @staticmethod
    async def _ask(http: httpx.AsyncClient, server: Server) -> None:
        try:
            server.is_well = (await http.get(f"{server.url}/health")).is_success
        except (httpx.HTTPError, RuntimeError):
            server.is_well = False

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        well = sorted((one for one in self.servers if one.is_well), key=lambda one: self.open.get(one, 0))
        for server in well:
            try:
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", server.port)
                break
            except OSError:
                continue
        else:
            writer.close()
            return
        self.open[server] = self.open.get(server, 0) + 1
        ways = [asyncio.create_task(_pump(reader, far_writer)), asyncio.create_task(_pump(far_reader, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.open[server] -= 1
            for way in ways:
                way.cancel()
            for end in (writer, far_writer):
                end.transport.abort()


class Caddy(Balancer):
    """Caddy instead, with two servers as ``deploy/Caddyfile`` has them."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """It is there as long as the block lasts."""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        ports = [free_port(), free_port()]
        self.ports = iter(ports)
        text = (Path(__file__).parents[1] / "deploy" / "Caddyfile").read_text()
        for line in ("health_uri", "health_interval", "health_timeout"):
            text = text.replace(f"# {line}", line)
        text = text.replace("{\n\tservers", "{\n\tadmin off\n\tservers", 1)
        text = text.replace("parlour.example.org {", f"http://127.0.0.1:{port} {{")
        text = text.replace("127.0.0.1:8000", " ".join(f"127.0.0.1:{one}" for one in ports), 1)
        text = text.replace("output file /var/log/caddy/parlour.log {", "output discard\n\t\tformat console {")
        text = text.replace("roll_size 10MiB", "").replace("roll_keep 5", "")
        with tempfile.NamedTemporaryFile("w", suffix="Caddyfile") as file:
            file.write(text)
            file.flush()
            words = ["caddy", "run", "--config", file.name, "--adapter", "caddyfile"]
            process = await asyncio.create_subprocess_exec(*words, stderr=subprocess.DEVNULL)
            asking = asyncio.create_task(self._ask_all())
            try:
                yield
            finally:
                asking.cancel()
                process.terminate()
                await process.wait()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while some := await reader.read(1 << 16):
            writer.write(some)
            await writer.drain()


@dataclass
class Deed:
    """An act of a guest: when it was sent, what the guest had seen, and how it was answered, if it was."""

    sent: float
    action: str
    moment: tuple[int, int]
    done: float = 0.0
    refused: str = ""


@dataclass
class Place:
    """A table, and its guests."""

    name: str
    guests: list[Guest] = field(default_factory=list)


class Guest(Client):
    """A guest who acts at random as soon as they are asked, and keeps a list of what came of it."""

    def __init__(self, ticket: Ticket) -> None:
        super().__init__(ticket, contributes=False)
        self.deeds: dict[str, Deed] = {}

    @property
    def key(self) -> str:
        """How the log knows them."""
        return fingerprint(self.ticket.token)

    async def _ask(self, command: wire.AnyCommand) -> None:
        deed = Deed(time.time(), "", (-1, -1))
        if isinstance(command, wire.Act) and self.known is not None:
            told = self.known.telling
            deed = self.deeds[command.id] = Deed(time.time(), command.action, (told.match, told.version))
        try:
            await super()._ask(command)
        except ParlourError as wrong:
            deed.refused = str(wrong)
            raise
        deed.done = time.time()

    async def play(self) -> None:
        """Play, match after match."""
        wished = 0
        async for _ in self.events():
            while self._events.empty() and self.known is not None and self.known.telling.choices:
                told = self.known.telling
                await asyncio.sleep(random.uniform(0, 0.1))
                with contextlib.suppress(ParlourError):
                    await self.act(random.choice(told.choices).name)
                    break
            if self.known is not None and self.known.telling.over and wished != self.known.telling.match:
                wished = self.known.telling.match
                with contextlib.suppress(ParlourError):
                    await self.again()


class House:
    """Two servers, the tables at them, and what they keep."""

    def __init__(self, database: str, output: Path, balancer: type[Balancer] = Balancer) -> None:
        self.database, self.output = database, output
        self.servers: list[Server] = []
        self.balancer = balancer(self.servers)
        self.places: list[Place] = []

    @cached_property
    def store(self) -> Store:
        """What is kept; of SQLite only when no server runs."""
        return Store(self.database)

    def done_since(self, moment: float) -> set[Guest]:
        """The guests who have had an act acknowledged that they sent after a moment."""
        return {guest for guest in self.guests if any(d.sent > moment and d.done for d in guest.deeds.values())}

    async def start(self, port: int = 0) -> Server:
        """One more server."""
        server = Server(self.database, self.output, port or next(self.balancer.ports, 0))
        self.servers.append(server)
        await server.begun()
        return server

    async def open(self, tables: int) -> None:
        """Open tables at the only server there is, full of guests."""
        for _ in range(tables):
            made = await make_table(
                self.servers[0].url, game="diamondback", players=GUESTS, name="Guest 0", pace=0, beat=0, grace=3600
            )
            tickets = [made, *[await sit_down(made.link, f"Guest {n}") for n in range(1, GUESTS)]]
            here = [Ticket(self.balancer.url, one.table, one.link, one.seat, one.token) for one in tickets]
            self.places.append(Place(made.table, [Guest(ticket) for ticket in here]))

    @property
    def guests(self) -> list[Guest]:
        """Everybody."""
        return [guest for place in self.places for guest in place.guests]

    def moves_since(self, moment: float) -> dict[Guest, float]:
        """The guests of whom an act was written after a moment and is acknowledged, and when it was."""
        found: dict[Guest, float] = {}
        for place in self.places:
            keys = {guest.key[:20]: guest for guest in place.guests}
            written = {row[1]: row[0] for row in self._written(place.name, moment)}
            for command in written:
                key, _, name = command.partition(" ")
                guest = keys[key]
                deed = guest.deeds.get(name)
                if deed is not None and deed.done:
                    found[guest] = min(found.get(guest, deed.done), deed.done)
        return found

    def _written(self, table: str, since: float) -> Sequence[Any]:
        with self.store.engine.connect() as connection:
            return connection.exec_driver_sql(
                "SELECT at, command FROM entries WHERE table_id = %s AND at > %s AND command IS NOT NULL",
                (table, since),
            ).all()

    def check(self) -> None:
        """Whatever was answered is so: done once, or not at all, and each act at the question its guest had seen."""
        for place in self.places:
            keys = {guest.key[:20]: guest for guest in place.guests}
            rows = self.store.read(place.name)
            first = rows[0].entry
            assert isinstance(first, log.Opened)
            table, seen = Table(first), set[str]()
            for row in rows[1:]:
                if row.command is not None and isinstance(row.entry, log.Did):
                    key, _, name = row.command.partition(" ")
                    deed = keys[key].deeds[name]
                    assert row.command not in seen, "an act was done twice"
                    seen.add(row.command)
                    assert row.entry.actions == [deed.action], "another act was done"
                    assert table.known.moment(row.entry.seat) == deed.moment, "an act was done at another question"
                    assert not deed.refused, f"what was refused ({deed.refused}) was done"
                table.commit(Change(row.entry))
                assert not table.frozen
            for guest in place.guests:
                done = {f"{guest.key[:20]} {name}" for name, deed in guest.deeds.items() if deed.done}
                assert done <= seen, "an act was acknowledged and is not in the log"


async def fail_over(house: House, fault: signal.Signals) -> list[float]:
    """One server fails, of two: the seconds until each guest has played on.  It is replaced, or wakes, afterwards."""
    failing, other = house.servers
    began = time.time()
    while len(house.moves_since(began)) < len(house.guests):
        await asyncio.sleep(0.05)
    await asyncio.sleep(random.uniform(0, 0.5))
    moment = time.time()
    failing.send(fault)
    while len(moved := house.moves_since(moment)) < len(house.guests):
        assert time.time() < moment + LIMIT, f"{len(moved)} of {len(house.guests)} guests have played on"
        await asyncio.sleep(0.05)
    if fault is signal.SIGSTOP:
        failing.send(signal.SIGCONT)
        again = time.time()
        await until(lambda: len(house.moves_since(again)) == len(house.guests), "it does not go on after the wake")
        await until(lambda: failing.is_well, "it does not get well")
    house.servers.remove(failing)
    failing.end()
    assert house.servers == [other]
    await house.start(failing.port)
    balanced = time.time()
    while len(house.moves_since(balanced)) < len(house.guests):
        await asyncio.sleep(0.05)
    await spread(house)
    return [moved[guest] - moment for guest in house.guests]


async def spread(house: House) -> None:
    """Make every other guest reconnect, so that half of them are at either server.  All have had a steady line."""
    for guest in house.guests:
        guest.quiet = QUIET
    for guest in house.guests[::2]:
        if guest._socket is not None:
            guest._socket.transport.abort()
    await until(lambda: all(one._socket is not None for one in house.guests))


async def measure(
    postgres: Postgres, output: Path, faults: Sequence[signal.Signals], tables: int, balancer: type[Balancer] = Balancer
) -> dict[str, list[float]]:
    """The seconds that each guest had to wait, by fault."""
    house = House(postgres.new_database(), output, balancer)
    found: dict[str, list[float]] = {}
    try:
        async with house.balancer.running(), contextlib.AsyncExitStack() as stack:
            await house.start()
            await house.open(tables)
            await house.start()
            playing = []
            for guest in house.guests:
                await stack.enter_async_context(guest)
                playing.append(asyncio.create_task(guest.play()))
            for fault in faults:
                waits = await fail_over(house, fault)
                print(fault.name, in_words(waits), flush=True)
                found.setdefault(fault.name, []).extend(waits)
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
        house.check()
        return found
    finally:
        for server in house.servers:
            server.end()
        house.store.close()


def percentile(waits: Sequence[float], share: int) -> float:
    """The value that ``share`` per cent of these do not exceed."""
    ordered = sorted(waits)
    return ordered[-(-len(ordered) * share // 100) - 1]


def in_words(waits: Sequence[float]) -> str:
    """The percentiles, in a line."""
    figures = ", ".join(f"{name} {percentile(waits, n):.2f} s" for name, n in (("p50", 50), ("p95", 95), ("max", 100)))
    return f"{len(waits)} guests: {figures}"


def main() -> None:
    """Measure, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5, help="how often a server fails in either way")
    parser.add_argument("--tables", type=int, default=8, help="tables of three guests")
    parser.add_argument("--output", type=Path, default=Path("/dev/null"), help="what the servers say")
    parser.add_argument("--caddy", action="store_true", help="with Caddy before the servers, which must be installed")
    given = parser.parse_args()
    postgres = Postgres()
    try:
        faults = [signal.SIGKILL, signal.SIGSTOP] * given.times
        found = asyncio.run(measure(postgres, given.output, faults, given.tables, Caddy if given.caddy else Balancer))
    finally:
        postgres.remove()
    for name, waits in found.items():
        print(f"{name}, {given.times} times, {in_words(waits)}")


if __name__ == "__main__":
    main()
