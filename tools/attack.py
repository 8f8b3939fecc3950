"""An adversary of our own: a real server is attacked in every way that we know, and a table says what held.

    python -m tools.attack                  everything, in some minutes (make attack)
    python -m tools.attack --fast           what takes seconds
    python -m tools.attack --only undo      attacks with this word in their name

The server is ``parlour serve`` in a process of its own; what attacks it are plain HTTP clients and sockets.  Every
attack is made twice: in English from the server's own machine, which has no limits, and in German from far away, unless
it says why that makes no difference.  Strangers come from other addresses: by ``X-Forwarded-For``, which the server
believes of its own machine, or by an address of the machine that is not its loopback.  Exit code 1 if an attack has
succeeded.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import random
import re
import signal
import socket
import sqlite3
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, count, product
from pathlib import Path
from secrets import token_hex
from subprocess import DEVNULL, PIPE
from typing import Any, Final, NamedTuple

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

import parlour
from parlour.core.verifying import verify as check
from parlour.players.kind import Kind
from parlour.server.client.tickets import LONGEST_ANSWER
from parlour.server.club.duplicate import TABLES
from parlour.server.common import limits
from parlour.server.live.identity import Tokens
from parlour.server.live.mixing_round import NONCE_SECONDS
from parlour.server.store.database import BUSY
from parlour.server.store.rating import Rating
from parlour.server.store.retention import Keep
from parlour.server.store.store import Store
from parlour.server.store.traces import Traces
from parlour.server.table.seats import fingerprint
from tests.leash import LEASH
from tests.waiting import LIMIT, until
from tools.load import free_port

API: Final = "/api/1"
PASSWORD: Final = "open sesame"
LATE: Final = 5.0
"""Seconds in which a server under attack must have answered anybody else, on a machine that does nothing else."""
SOON: Final = 0.5
"""Seconds in which it must have answered most requests."""
STALL: Final = 1.0
"""Seconds for which whoever comes at any moment waits at most, half of the time."""
PLANTED: Final = "PARLOUR_PLANTED"
"""A variable with a hole for the server, in Python: a test sees that an attack finds it."""
CLOCK: Final = "PARLOUR_AHEAD"
"""A variable with the file that says how far the clock of a server is ahead."""
SECRET: Final = re.compile("secret: |Secret:|Geheimnis:")
"""How a record, and a page in one of the two languages, names the secret of a deal."""
SERVE: Final = f"""{LEASH}
import os, sys
from pathlib import Path
from parlour.cli.app import main
if __name__ == "__main__":
    exec(os.environ.get("{PLANTED}", ""))
    if "{CLOCK}" in os.environ:
        import parlour.server.common.clock as clock
        right, ahead = clock.wall, Path(os.environ["{CLOCK}"])
        clock.wall = lambda: right() + float(ahead.read_text())
    sys.argv[0] = "parlour"
    main()
"""


CERTIFICATES: Final = ssl.create_default_context()
"""Shared, since every client would otherwise read all certificates of the machine, which none of them needs."""


def _client(**how: Any) -> httpx.AsyncClient:
    """A client of HTTP.  Each request has a connection of its own: on a busy machine a client may be away for longer
    than a server keeps a silent one."""
    each = httpx.Limits(max_keepalive_connections=0)
    return httpx.AsyncClient(verify=CERTIFICATES, timeout=LIMIT, limits=each, **how)


class Succeeded(AssertionError):
    """An attack has succeeded."""


def busy() -> float:
    """How many times as long everything takes on this machine now, because it does other things too."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def middle(waits: Sequence[float]) -> float:
    """How long somebody waits who comes at any moment, half of the time: one long wait counts as much as all the short
    ones that fit into it.

    >>> middle([0.1] * 5 + [2.0])
    2.0
    """
    passed = accumulate(sorted(waits))
    return next(wait for wait, until_now in zip(sorted(waits), passed, strict=True) if until_now >= sum(waits) / 2)


def see(is_so: object, what: str) -> None:
    """The attack has succeeded, by doing this, if something is not so."""
    if not is_so:
        raise Succeeded(what)


class Held(NamedTuple):
    """What was tried, what held, and figures."""

    tried: str
    held: str
    figures: str = ""


Attack = Callable[["Yard"], Awaitable[Held]]


class Way(NamedTuple):
    """How guests of an attack come, unless it says otherwise: what language they read, and whether from far away."""

    language: str
    is_far: bool

    def __str__(self) -> str:
        return f" ({self.language}, far)" if self.is_far else ""


WAYS: Final = (Way("en", False), Way("de", True))


class Named(NamedTuple):
    """An attack with its name; whether it takes seconds at most; whether it measures times, so that nothing else may go
    on; why it is made once only, if language and address make no difference."""

    name: str
    run: Attack
    fast: bool
    alone: bool = False
    once: str = ""

    @property
    def ways(self) -> tuple[Way, ...]:
        """In which ways it is made."""
        return WAYS[:1] if self.once else WAYS

    @property
    def address(self) -> str:
        """From where it comes if it comes from far away: limits of an address are for each attack alone."""
        return f"198.18.0.{sum(map(ord, self.name)) % 250 + 1}"


ATTACKS: list[Named] = []


def attack(name: str, fast: bool = True, alone: bool = False, once: str = "") -> Callable[[Attack], Attack]:
    """Add an attack."""

    def add(run: Attack) -> Attack:
        ATTACKS.append(Named(name, run, fast, alone, once))
        return run

    return add


# ------------------------------------------------------------------------------------------ the server, and guests


def own_address() -> str:
    """An address of this machine that is not its loopback; empty if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line, contextlib.suppress(OSError):
        line.connect(("198.51.100.1", 9))  # nothing is sent
        found = str(line.getsockname()[0])
        return "" if found.startswith("127.") else found
    return ""


class House:
    """``parlour serve`` with some options.  ``clock``: a file that says how many seconds its clock is ahead."""

    def __init__(self, folder: Path, options: Iterable[str]) -> None:
        self.port, self.folder = free_port(), folder
        self.clock = folder / f"ahead-{self.port}"
        self.clock.write_text("0")
        self.url, self.output = f"http://127.0.0.1:{self.port}", folder / f"output-{self.port}"
        words = ["serve", "--host", "0.0.0.0", "--port", str(self.port), *options]
        if "--database" not in words:
            words += ["--database", f"sqlite:///{folder}/room-{self.port}.db"]
        with self.output.open("wb") as journal:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE, *words], stdout=journal, stderr=journal, umask=0,
                env={**os.environ, CLOCK: str(self.clock)},
            )  # fmt: skip

    def worked(self) -> float:
        """Seconds of work that the thread has had which serves everybody: however busy the machine is, others wait for
        that at least.  Elsewhere than on Linux, the seconds that have passed."""
        try:
            stat = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/stat").read_text()
        except OSError:
            return time.monotonic()
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    async def begun(self) -> House:
        """Wait until it answers."""
        async with _client() as http, asyncio.timeout(LIMIT):
            while True:
                assert self.process.poll() is None, self.output.read_text()
                with contextlib.suppress(httpx.TransportError):
                    if (await http.get(f"{self.url}/health")).is_success:
                        return self
                await asyncio.sleep(0.02)

    def end(self) -> str:
        """Stop it as Ctrl-C would; what it wrote."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "Traceback: it did not stop"
        return self.output.read_text()


@dataclass
class Yard:
    """Where attacks take place: servers that stay for the next attack.  ``fast``: whether they are to take no longer
    than need be; ``way``, ``address``: how those who say nothing else come, and from where if that is far;
    ``started``: all of them, also one that never answers; ``faults``: answers of 500 and more."""

    folder: Path
    fast: bool = True
    way: Way = WAYS[0]
    address: str = ""
    houses: dict[tuple[Way, tuple[str, ...]], asyncio.Task[House]] = field(default_factory=dict)
    started: list[House] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def few(self, least: int, many: int) -> int:
        """How often something is tried, or for how many seconds."""
        return least if self.fast else many

    async def house(self, *options: str) -> House:
        """The server with these options, for guests who come in this way."""
        found = self.way, options
        if found not in self.houses:
            self.started.append(House(self.folder, options))
            self.houses[found] = asyncio.create_task(self.started[-1].begun())
        return await asyncio.shield(self.houses[found])

    def came(self, address: str = "") -> dict[str, str]:
        """The headers of whoever comes from an address, or from where the attack comes."""
        address = address or (self.address if self.way.is_far else "")
        return {"Accept-Language": self.way.language} | ({"X-Forwarded-For": address} if address else {})

    @contextlib.asynccontextmanager
    async def http(
        self, house: House, address: str = "", may_fail: bool = False, **headers: str
    ) -> AsyncIterator[httpx.AsyncClient]:
        """A client that comes from an address.  ``may_fail``: a failure of the server is what is tried."""

        async def note(answer: httpx.Response) -> None:
            if answer.status_code >= 500 and not may_fail:
                self.faults.append(f"{answer.status_code} for {answer.request.method} {answer.request.url.path[:60]!r}")

        headers = {**self.came(address), **headers}
        async with _client(base_url=house.url, headers=headers, event_hooks={"response": [note]}) as http:
            yield http

    async def table(self, house: House, address: str = "", **wanted: Any) -> dict[str, Any]:
        """A new table, whose maker sits down."""
        quick = {"name": "Zoe", "pace": 0, "grace": 3600, "bots": "random"}
        async with self.http(house, address) as http:
            answer = await http.post(f"{API}/tables", json={**quick, **wanted})
            assert answer.status_code == 201, answer.text
            return self.known(house, answer)

    def known(self, house: House, answer: httpx.Response, token: str = "") -> dict[str, Any]:
        """What a guest has to know of a table, as the server says it, to come there."""
        told = {"token": token} if token else {}
        return {**answer.json(), **told, "house": house, "came": self.came()}

    async def sit(self, made: dict[str, Any], name: str, token: str = "", **more: Any) -> httpx.Response:
        """Somebody else sits down at a table."""
        known: dict[str, Any] = {"Authorization": f"Bearer {token}"} if token else {}
        async with self.http(made["house"], **known) as http:
            return await http.post(f"{API}/tables/{made['table']}/seats", json={"name": name, **more})

    async def second(self, made: dict[str, Any], name: str = "Abe", **more: Any) -> dict[str, Any]:
        """The ticket of a second guest."""
        answer = await self.sit(made, name, **more)
        assert answer.status_code == 201, answer.text
        return {**made, **answer.json()}

    async def held_up(self, house: House, running: asyncio.Task[Any], address: str = "203.0.113.99") -> str:
        """How long an honest guest waits for answers while something goes on, which must not be long."""
        waits, works = list[float](), list[float]()
        async with self.http(house, address) as http:
            while not running.done() or len(waits) < 3:
                began, worked = time.monotonic(), house.worked()
                await http.get(f"{API}/games")
                waits.append(time.monotonic() - began)
                works.append(house.worked() - worked)
                await asyncio.sleep(0.02)
        await running
        for what, took, slower in (("waited", waits, busy()), ("waited for work of", works, 1.0)):
            typical, at_any_moment, worst = statistics.median(took), middle(took), max(took)
            see(
                typical < SOON * slower and at_any_moment < STALL * slower and worst < LATE * slower,
                f"an honest guest {what} {typical:.2f} s, at any moment {at_any_moment:.2f} s, once {worst:.2f} s",
            )
        typical, most = 1000 * statistics.median(waits), max(works)
        return f"others wait {typical:.0f} ms, at most {max(waits):.2f} s, for {most:.2f} s of work"

    async def close(self) -> list[str]:
        """End all servers; what of their output should not be there."""
        said = await asyncio.gather(*(asyncio.to_thread(house.end) for house in self.started))
        await asyncio.gather(*self.houses.values(), return_exceptions=True)
        return self.faults + [
            line for text in said for line in text.splitlines() if "Traceback" in line or "ERROR" in line
        ]


class Guest:
    """A socket to a table: its frames with when they came, and the last telling."""

    def __init__(self, made: dict[str, Any], token: str | None = None, query: str = "") -> None:
        self.token, self.came = made["token"] if token is None else token, made["came"]
        self.address = f"ws{made['house'].url.removeprefix('http')}{API}/tables/{made['table']}/socket?{query}"
        self.frames: list[tuple[float, dict[str, Any]]] = []
        self.telling: dict[str, Any] = {}
        self.story: list[dict[str, Any]] = []
        self.answers: dict[str, dict[str, Any]] = {}
        self._ids = (f"{token_hex(4)}.{n}" for n in count())
        self.socket: ClientConnection

    async def __aenter__(self) -> Guest:
        known = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        self.socket = await connect(
            self.address,
            additional_headers={**self.came, **known},
            ping_interval=None,
            max_size=None,
            close_timeout=0.5,
            open_timeout=LIMIT,
        )
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reading.cancel()
        await self.socket.close()

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                frame = json.loads(await self.socket.recv())
                self.frames.append((time.monotonic(), frame))
                if frame["frame"] == "telling":
                    self.story = self.story[: frame["heard"] - len(frame["new"])] + frame["new"]
                    self.telling = frame
                elif frame["frame"] in ("done", "refused"):
                    self.answers[frame["id"]] = frame

    async def until(self, is_so: Callable[[dict[str, Any]], object], what: str = "it did not happen") -> dict[str, Any]:
        """Wait for a telling."""
        await until(lambda: self.telling and is_so(self.telling), what)
        return self.telling

    def send(self, do: str, **fields: Any) -> str:
        """Send a command; its id."""
        name = next(self._ids)
        self._sending = asyncio.ensure_future(self.socket.send(json.dumps({"do": do, "id": name, **fields})))
        return name

    async def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        name = self.send(do, **fields)
        await until(lambda: name in self.answers, f"no answer to {do}")
        return self.answers[name]

    def choices(self) -> list[str]:
        """What one may do now."""
        return [choice["name"] for choice in self.telling.get("choices", ())]


async def play(guests: list[Guest], choose: random.Random, each: Callable[[Guest], Awaitable[bool]]) -> None:
    """Let guests play at random until the match is over or ``each``, called after a move, says so."""
    while True:
        await until(lambda: any(g.choices() for g in guests) or guests[0].telling.get("over"), "nobody is asked")
        if guests[0].telling.get("over"):
            return
        mover = next((g for g in guests if g.choices()), None)
        if mover is None:
            continue
        version = mover.telling["version"]
        answer = await mover.ask("act", action=choose.choice(mover.choices()))
        if answer["frame"] == "done":
            await mover.until(lambda told, before=version: told["version"] != before)  # type: ignore[misc]
            if await each(mover):
                return


def cards_in(told: Any) -> set[str]:
    """The words of a view that can be cards, wherever they stand."""
    if isinstance(told, str):
        return {told}
    if isinstance(told, dict):
        return {f"{key} {card}" for key, value in told.items() for card in cards_in(value)}
    return {card for one in told or () for card in cards_in(one)} if isinstance(told, list) else set()


def shown_to(guest: Guest) -> set[str]:
    """The cards that a guest sees: in hands, and those that lie face up."""
    view = guest.telling["view"]
    return cards_in([{place: view.get(place)} for place in ("hand", "up")])


# ------------------------------------------------------------------------------------------ secrets of the game


@attack("undo after secrets")
async def undo_after_secrets(yard: Yard) -> Held:
    house, done, refused, moves = await yard.house(), 0, 0, 0
    for game, seed in (("diamondback", 1), ("leduc", 2), ("diamondback", 3), ("leduc", 4)):
        made = await yard.table(house, game=game, players=2, options={"hands": "3"} if game == "diamondback" else {})
        async with Guest(made) as one, Guest(await yard.second(made)) as two:
            guests = [one, two]
            await until(lambda: any(g.choices() for g in guests), "nobody is asked")  # noqa: B023
            await asyncio.sleep(0.1)
            known = {g: shown_to(g) for g in guests}

            async def undo(mover: Guest, guests: Any = guests, known: Any = known, game: str = game) -> bool:
                nonlocal done, refused, moves
                await asyncio.sleep(0.02)
                shown = [g for g in guests if g is not mover and shown_to(g) - known[g]]
                moves += 1
                if moves % 3 == 0 and not shown:  # otherwise the match would not go on
                    return False
                answer = await mover.ask("undo")
                if answer["frame"] == "done":
                    done += 1
                    see(not shown, f"{game}: {len(shown)} players had seen new cards when a move was taken back")
                    await asyncio.sleep(0.02)
                else:
                    refused += 1
                for g in guests:
                    known[g] = shown_to(g)
                return moves % yard.few(6, 60) == 0

            await play(guests, random.Random(seed), undo)
    see(done, "nothing could be taken back: the attack is no test")
    return Held(
        f"{moves} moves taken back at once", "none after which a hand was shown", f"{done} done, {refused} refused"
    )


@attack("hushed question: what spectators notice", alone=True)
async def hushed(yard: Yard) -> Held:
    """The guest holds the comet or not, answers at once or never: to a spectator a beat is a beat."""
    house, beat = await yard.house(), 0.25
    lasted: dict[bool, list[float]] = {True: [], False: []}
    read: list[tuple[Any, ...]] = []
    made = await yard.table(house, game="commit", players=2, beat=beat, options={"rounds": "4"})
    async with Guest(made) as me, Guest(made, token="") as spectator, yard.http(house, "203.0.113.7") as stranger:
        public = ["/health", f"{API}/tables", f"{API}/tables/{made['table']}", "/openapi.json"]
        began, start, choose = 0.0, 0, random.Random(7)
        end = time.monotonic() + LIMIT

        def was_asked() -> bool:
            return any(
                frame["frame"] == "telling" and frame["hushed"] and frame["choices"]
                for t, frame in me.frames
                if t > began - beat / 2
            )

        while not me.telling.get("over") and time.monotonic() < end:
            if min(map(len, lasted.values())) >= yard.few(0, 3) and sum(map(len, lasted.values())) >= 6:
                break
            await asyncio.sleep(0.002)
            is_on = spectator.telling.get("hushed")
            if is_on and not began:
                began, start = spectator.frames[-1][0], len(spectator.frames)
                read.append(tuple([(await stranger.get(path)).text for path in public]))
            if me.choices() and (not me.telling["hushed"] or choose.random() < 0.5):
                version = me.telling["version"]
                me.send("act", action=choose.choice(me.choices()))
                with contextlib.suppress(AssertionError, TimeoutError):
                    async with asyncio.timeout(1):
                        await until(lambda v=version: me.telling["version"] != v)  # type: ignore[misc]
            news = [t for t, frame in spectator.frames[start:] if frame["frame"] == "telling"]
            if began and news:
                lasted[was_asked()].append(news[0] - began)
                began = 0.0
    see(lasted[True] or lasted[False], "there was no hushed question: the attack is no test")
    # a beat whose beginning was read late seems short
    short = {asked: ts for asked, ts in lasted.items() if ts and statistics.median(ts) < beat - 0.05}
    see(not short, f"a beat was shorter than {beat} s: {short}")
    see(len(set(read)) <= 1, "what strangers read differs from beat to beat")
    both = {asked: statistics.median(ts) for asked, ts in lasted.items() if ts}
    see(len(both) < 2 or abs(both[True] - both[False]) < 0.1 * busy(), f"beats last {both}")
    return Held(
        "one guest asked or not, answering or silent; a spectator with a clock",
        "a beat takes one time, whoever is asked",
        ", ".join(f"{'asked' if k else 'not asked'} {len(lasted[k])}x {1000 * v:.0f} ms" for k, v in both.items()),
    )


@attack("hushed question: metrics and counters", fast=False)
async def metrics(yard: Yard) -> Held:
    port = free_port()
    house = await yard.house("--metrics", str(port))
    async with yard.http(house, "203.0.113.7") as stranger:
        found = {path: (await stranger.get(path)).status_code for path in ("/metrics", f"{API}/metrics", "/stats")}
    see(set(found.values()) == {404}, f"a stranger reads {found}")
    outside = own_address()
    reached = False
    if outside:
        with contextlib.suppress(OSError), socket.create_connection((outside, port), timeout=2):
            reached = True
    see(not reached, f"the metrics are to be had at {outside}:{port}")
    async with _client() as http:
        inside = (await http.get(f"http://127.0.0.1:{port}/metrics")).text
    see("parlour_moves_total" in inside, "there are no metrics: the attack is no test")
    return Held("metrics at the guests' port, and from another address", "404; the port is this machine's alone")


@attack("Diabolo: who holds the colour")
async def diabolo(yard: Yard) -> Held:
    house, asked, told = await yard.house(), 0, 0
    for seed in range(yard.few(2, 4)):
        options = {"doubler_ask": "holders_only", "doubler_mode": ("secret", "open_in_turn")[seed % 2]}
        made = await yard.table(house, game="diabolo", players=3, beat=0.03, options=options)
        async with Guest(made) as me, Guest(made, token="") as spectator:
            choose, end, many = random.Random(seed), time.monotonic() + LIMIT, asked + yard.few(4, 40)
            while not me.telling.get("over") and time.monotonic() < end and asked < many:
                if me.choices():
                    secret = me.telling["hushed"]
                    asked += bool(secret)
                    if secret:
                        now = me.telling["version"]
                        await until(lambda: spectator.telling.get("hushed") or me.telling["version"] != now)  # noqa: B023
                        read = spectator.telling.get("asked") if me.telling["version"] == now else []
                        see(not read, f"a spectator reads asked={read}")
                    if choices := me.choices():
                        me.send("act", action=choose.choice(choices))
                told += len(spectator.telling.get("asked") or ())
                await asyncio.sleep(0.01)
            for _, frame in spectator.frames:
                if frame["frame"] == "telling" and frame["hushed"]:
                    see(frame["asked"] == [], f"a spectator was told {frame['asked']}")
    see(asked, "nobody was asked for a Doubler: the attack is no test")
    return Held(
        "doubler_ask=holders_only, read by a spectator", "asked is empty at hushed questions", f"{asked} questions"
    )


SEALED: Final = {
    "matrimony": {"stake_visibility": "secret", "first_dealer": "1"},
    "hearts": {},
    "dividha": {"splits": "secret"},
}
"""Games, with options, in which several choose in secret for certain; Diabolo has an attack of its own."""


@attack("secret choices: who has still to choose")
async def secret_choices(yard: Yard) -> Held:
    """Everybody sees who is asked: the same number of answers is wanted of whoever lays everything on the first pool
    and of whoever lays nothing on it, and so in every game in which several choose in secret."""
    house, wanted = await yard.house(), dict[str, dict[str, int]]()
    for (game, options), (way, which) in product(SEALED.items(), (("least", 0), ("most", -1))):
        made = await yard.table(house, game=game, players=4 if game == "hearts" else 3, options=options)
        async with Guest(made) as me, Guest(await yard.second(made)) as other:

            async def until_secret(me: Guest = me, other: Guest = other, game: str = game) -> None:
                """Both go along until they choose at once."""
                while not (me.choices() and len(me.telling["asked"]) > 1):
                    see(not me.telling.get("over"), f"nobody chose in secret at {game}: the attack is no test")
                    for one in (me, other):
                        if one.choices() and len(one.telling["asked"]) == 1:
                            calm = [choice for choice in one.choices() if choice in ("check", "call")]
                            await one.ask("act", action=(calm or one.choices())[0])
                    await asyncio.sleep(0.02)

            await asyncio.wait_for(until_secret(), LIMIT)
            answers = 0
            while 0 in me.telling["asked"]:  # the other has not chosen: nobody goes on
                version = me.telling["version"]
                await me.ask("act", action=me.choices()[which])
                await me.until(lambda told, before=version: told["version"] != before)  # type: ignore[misc]
                answers += 1
            wanted.setdefault(game, {})[way] = answers
    uneven = {game: ways for game, ways in wanted.items() if len(set(ways.values())) > 1}
    see(not uneven, f"answers until everybody sees that somebody has chosen: {uneven}")
    return Held(
        "what is chosen in secret, one choice low and one high",
        "both take as many answers",
        ", ".join(f"{game} {ways['least']}" for game, ways in wanted.items()),
    )


@attack("a shared deal that ends while somebody plays it")
async def ended_early(yard: Yard) -> Held:
    """Whoever began a duplicate ends it in the middle of another's match, and asks everywhere for its secret."""
    house = await yard.house()
    far = {"host": "203.0.113.81", "friend": "203.0.113.82"}
    async with contextlib.AsyncExitStack() as stack:
        host, friend = [
            await stack.enter_async_context(yard.http(house, address, Authorization=f"Bearer {token}"))
            for token, address in far.items()
        ]
        place = (await host.post("/duplicate", data={"game": "leduc", "people": "1", "deals": "1"})).headers["location"]
        codes, made = list[str](), list[dict[str, Any]]()
        for http, token in ((host, "host"), (friend, "friend")):
            joined = await http.post(f"{place}/join", data={"name": token, "table": ""})
            codes.append(joined.headers["location"].rpartition("/")[2])
            made.append(yard.known(house, await http.get(f"{API}/tables/{codes[-1]}"), token))

        async def finished(which: int) -> None:
            async with Guest(made[which]) as guest:
                await play([guest], random.Random(1), lambda _: _no())

        await finished(0)
        await host.post(f"{place}/close")
        ways = [
            place,
            f"{API}/tables/{made[1]['table']}/record",
            *(f"/t/{code}{more}" for code in codes for more in ("", "/record")),
        ]
        for way in ways:
            said = (await host.get(way)).text
            see(not SECRET.search(said) and "/replay" not in said, f"{way} tells of cards that somebody still plays")
        await finished(1)
        opened = (await host.get(f"/t/{codes[0]}/record")).text
    see(SECRET.search(opened), "nobody plays, and nothing is opened: the attack is no test")
    return Held("a duplicate ended in mid match", "its cards open with the last match")


async def _no() -> bool:
    return False


@attack("a deal of the day that is played on past midnight")
async def past_midnight(yard: Yard) -> Held:
    """Somebody asks everywhere for the cards of yesterday while another still plays them."""
    house = await yard.house("--keep-finished", "89d")  # one of its own, whose clock may go wrong
    now = time.time()
    day, left = time.strftime("%Y-%m-%d", time.gmtime(now)), 86400 - now % 86400
    async with yard.http(house, "203.0.113.83", cookie="parlour_guest=" + "p" * 32) as player:
        joined = await player.post("/daily/leduc", data={"name": "Ann"})
        code = joined.headers["location"].rpartition("/")[2]
        made = yard.known(house, await player.get(f"{API}/tables/{code}"), "p" * 32)
        async with Guest(made) as guest, yard.http(house, "203.0.113.84") as http:
            await guest.until(lambda told: told.get("choices"))
            house.clock.write_text(str(left + 60))
            for way in (
                f"/daily/leduc/{day}",
                f"/t/{code}",
                f"/t/{code}/record",
                f"{API}/tables/{made['table']}/record",
            ):
                said = (await http.get(way)).text
                see(not SECRET.search(said), f"{way} tells of cards that somebody still plays")
            answer = await guest.ask("act", action=guest.choices()[0])
            see(answer["frame"] == "done", "nobody may play on: the attack is no test")
            house.clock.write_text(str(left + 3660))
            opened = (await http.get(f"/daily/leduc/{day}")).text
            see(SECRET.search(opened), "nothing is opened: the attack is no test")
            if guest.choices():
                answer = await guest.ask("act", action=guest.choices()[0])
                see(answer["frame"] == "refused", "cards that everybody may see are played on")
    return Held("yesterday's cards, a minute and an hour after midnight", "shown when nobody can play them any more")


@attack("a hostile server at a terminal")
async def hostile(yard: Yard) -> Held:
    """It answers with what sets a terminal's title and clears it, with JSON of great depth, and without end."""
    bodies = (
        json.dumps({"sentence": "\x1b]0;owned\x07\x1b[2J\x9b5m\u202e\rparlour>", "clause": "\x1b[2J"}).encode(),
        b"[" * 100_000,
        b" " * (LONGEST_ANSWER + 1),
    )
    for status, body in product((200, 422), bodies):

        async def answer(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: int = status, body: bytes = body
        ) -> None:
            await reader.readuntil(b"\r\n\r\n")
            with contextlib.suppress(OSError):
                writer.write(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            link = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/t/QWRTZP"
            words = [sys.executable, "-c", SERVE, "play", "--table", link, "--name", "Ann"]
            run = await asyncio.create_subprocess_exec(
                *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env={**os.environ, "LC_ALL": yard.way.language}
            )
            out, said = await asyncio.wait_for(run.communicate(), LIMIT)
        see(run.returncode == 2 and not out, f"it ends with {run.returncode}: {said.decode()[-200:]}")
        raw = re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", said.decode())
        see(raw is None and said.count(b"\n") == 1, f"more than a plain sentence reaches the terminal: {said!r}")
    return Held("what a server answers when a seat is taken", "one plain sentence", f"{2 * len(bodies)} answers")


@attack("a seed brought with a record")
async def seeds(yard: Yard) -> Held:
    house, same = await yard.house(), 0
    for seed in range(6):
        known = parlour.load("leduc").new(seed=seed)
        text = known.record()
        made = await yard.table(house, game="", record=text)
        for _ in range(2):
            known.apply("call")
        expected = [step.name for step in known.history if step.player < 0][-1]
        async with Guest(made) as one, Guest(await yard.second(made)) as two:
            for g in (one, two):
                await g.until(lambda told: told["choices"])
                await g.ask("act", action="call")
            await one.until(lambda told: len(told["new"]) or told["over"])
            await asyncio.sleep(0.05)
            same += expected in json.dumps(one.telling["view"])
    see(same < 6, "six cards came as the record's seed says")
    return Held("6 tables from records with seeds", "chance is the server's", f"{same} cards alike by chance")


@attack("seat hopping, and a host's powers")
async def hopping(yard: Yard) -> Held:
    house = await yard.house()
    closed = await yard.table(house, game="diamondback", players=3, takeovers=False, bots="random", pace=60)
    async with Guest(closed) as host:
        await host.until(lambda told: told["match"])
        await asyncio.sleep(0.1)
        first = await yard.sit(closed, "Hop")
        see(first.status_code >= 400, "somebody took a bot's seat at a table closed to takeovers")
    made = await yard.table(house, game="diamondback", players=3, pace=60)
    async with Guest(made) as host:
        await host.until(lambda told: told["match"])
        one = await yard.second(made, "Hop")
        async with Guest(one) as hopper:
            await hopper.ask("leave")
            again = await yard.sit(made, "Hop", one["token"], seat=2 if one["seat"] == 1 else 1)
            see(again.status_code >= 400, "a guest changed seats during a match")
            back = await yard.second(made, "Hop", token=one["token"])
            see(
                (await hopper.ask("allow", name="chat", on=False))["frame"] == "refused",
                "anybody can switch the chat off",
            )
            see((await hopper.ask("remove", seat=0))["frame"] == "refused", "anybody can remove the host")
        see((await host.ask("remove", seat=back["seat"]))["frame"] == "done", "the host cannot remove anybody")
        see((await yard.sit(made, "Hop", one["token"])).status_code >= 400, "somebody removed came back")
        see((await host.ask("allow", name="newcomers", on=False))["frame"] == "done", "the host cannot lock the table")
        see((await yard.sit(made, "New")).status_code >= 400, "somebody sat down at a locked table")
        async with Guest(made, token="") as nobody:
            see((await nobody.ask("say", text="hello"))["frame"] == "refused", "a spectator writes in the chat")
        notices = [frame["text"] for _, frame in host.frames if frame["frame"] == "notice"]
        see(len(notices) >= 5, f"takeovers are not told: {notices}")
    return Held(
        "takeovers, changes of seat, a removed token, chat without a seat",
        "refused, and told",
        f"{len(notices)} notices",
    )


@attack("an absent guest at a vote", fast=False)
async def silence(yard: Yard) -> Held:
    house, votes = await yard.house(), list[str]()
    for seed in range(3):
        made = await yard.table(
            house, game="diamondback", players=2, grace=0.2, bots="search:0.05s", options={"version": "match"}
        )
        absent = await yard.second(made)
        async with Guest(made) as me:
            choose, end = random.Random(seed), time.monotonic() + 12
            while not me.telling.get("over") and time.monotonic() < end:
                if choices := me.choices():
                    better = [c for c in choices if c in ("fold", "continue", "stop", "end")] or choices
                    me.send("act", action="continue" if "continue" in choices else choose.choice(better))
                await asyncio.sleep(0.05)
            votes += [
                s["text"]
                for s in me.story
                if s["who"] == absent["seat"] and re.search("leave|end the|go on|continue", s["text"])
            ]
    see(not any("leave" in one for one in votes), f"an absent guest left: {votes}")
    return Held("a guest is away when it is voted whether to go on", "silence means continue", f"{len(votes)} votes")


# ------------------------------------------------------------------------------------------ the table, the deal


@attack("undo while numbers are collected", fast=False)
async def mixing(yard: Yard) -> Held:
    house = await yard.house()
    made = await yard.table(house, game="diamondback", players=2, options={"hands": "4"})
    other = await yard.second(made)
    async with Guest(made, query="mix=1") as one, Guest(other, query="mix=1") as two:
        tried = refused = 0
        end = time.monotonic() + 60
        seen = 0
        while time.monotonic() < end and not one.telling.get("over"):
            mover = next((g for g in (one, two) if g.choices()), None)
            if mover is None:
                stages = [f["stage"] for _, f in one.frames if f["frame"] == "mixing"]
                if len(stages) > seen and stages[-1] == "pledge" and one.telling.get("match"):
                    seen = len(stages)
                    for g in (one, two):
                        tried += 1
                        refused += (await g.ask("undo"))["frame"] == "refused"
                await asyncio.sleep(0.02)
                continue
            await mover.ask("act", action="fold" if "fold" in mover.choices() else mover.choices()[0])
            await asyncio.sleep(0.05)
        see(one.telling.get("over"), "the table stands still")
        see(tried and tried == refused, f"{tried - refused} of {tried} moves were taken back in the pause")
    return Held("undo in the pause before a deal", "refused; the match goes on", f"{tried} tries")


@attack("a number that is pledged and withheld", fast=False)
async def withheld(yard: Yard) -> Held:
    """It costs the others ten seconds before a deal, as fair_deal.md says, and no more."""
    house, pauses, began = await yard.house(), list[float](), 0.0
    made = await yard.table(house, game="diamondback", players=2, options={"hands": "2"})
    other = await yard.second(made)
    async with Guest(made, query="mix=1") as vandal, Guest(other) as guest:
        seen, pledged, end = 0, 0, time.monotonic() + LIMIT
        while not guest.telling.get("over"):
            see(time.monotonic() < end, "the table stands still")
            for at, frame in guest.frames[seen:]:
                if frame["frame"] == "mixing" and frame["stage"] == "nonce":
                    began = at
                elif frame["frame"] == "mixing" and frame["stage"] == "mixed" and began:
                    see(not frame["nonces"], "a number is mixed in that nobody has sent")
                    pauses.append(at - began)
                    began = 0.0
            seen = len(guest.frames)
            mixings = [frame for _, frame in vandal.frames if frame["frame"] == "mixing" and frame["stage"] == "pledge"]
            if len(mixings) > pledged:
                pledged = len(mixings)
                await vandal.ask("pledge", match=mixings[-1]["match"], pledge=token_hex(32))
            for one in (vandal, guest):
                if one.choices():
                    await one.ask("act", action="fold" if "fold" in one.choices() else one.choices()[0])
            see(not began or time.monotonic() - began < 3 * NONCE_SECONDS, "everybody waits for a number without end")
            await asyncio.sleep(0.02)
    see(pauses, "nothing was withheld: the attack is no test")
    return Held(
        "numbers pledged and never sent", "the deal comes without them", f"{len(pauses)} pauses, {max(pauses):.1f} s"
    )


@attack("tampered and cut records")
async def tampered(yard: Yard) -> Held:
    house = await yard.house()
    made = await yard.table(house, game="diamondback", players=2, options={"hands": "3"})

    async def nothing(_: Guest) -> bool:
        return False

    async with Guest(made) as one, Guest(await yard.second(made)) as two:
        await play([one, two], random.Random(5), nothing)
        await until(lambda: any(f["frame"] == "revealed" for _, f in one.frames), "the deal is not revealed")
    async with yard.http(house) as http:
        text = (await http.get(f"{API}/tables/{made['table']}/record")).text
    whole = check(text)
    see(whole.is_fair and whole.is_whole, f"an honest record is not fair: {whole}")
    choose, lines, called_fair = random.Random(3), text.splitlines(keepends=True), list[str]()
    tries, entries = 0, next(n for n, line in enumerate(lines) if line.startswith("sat:"))
    for k, line in enumerate(lines):
        changes = [lines[:k] + lines[k + 1 :], lines[: k + 1] + lines[k:], lines[:k]]
        if k + 1 >= entries:  # the order of what stands in the header says nothing
            changes.append([*lines[:k], *lines[k : k + 2][::-1], *lines[k + 2 :]])
        for other in ("0{}", "+{}", "{}_0", "{}."):
            if number := re.search(r"\d+", line):
                spelled = line[: number.start()] + other.format(number[0]) + line[number.end() :]
                changes.append([*lines[:k], spelled, *lines[k + 1 :]])
        if not line.startswith("#"):
            at = choose.randrange(len(line) - 1) if len(line) > 1 else 0
            changes.append(
                [*lines[:k], line[:at] + chr((ord(line[at]) - 32 + 1) % 90 + 32) + line[at + 1 :], *lines[k + 1 :]]
            )
        for changed in changes:
            tries += 1
            with contextlib.suppress(parlour.ParlourError):
                verdict = check("".join(changed))
                if verdict.is_fair and verdict.is_whole and "".join(changed).strip() != text.strip():
                    called_fair.append(f"{k + 1}: {line.strip()}")
    harmless = [one for one in called_fair if re.search(r": (#|$|returns|deal \d)", one)]
    see(len(called_fair) == len(harmless), f"called fair: {sorted(set(called_fair) - set(harmless))[:5]}")
    return Held(
        "every line left out, doubled, moved, changed, spelled otherwise, cut off",
        "never called whole and fair",
        f"{tries} records",
    )


# ------------------------------------------------------------------------------------------ work without bound


@cache
def _long(steps: int) -> str:
    state, choose = parlour.load("newmarket", 3, rounds=31).new(seed=1), random.Random(1)
    while not state.is_terminal and len(state.history) < steps:
        state.apply(choose.choice(state.legal_actions()))
    state.seed = None
    return state.record()


@attack("long headers and forms, in two languages", alone=True)
async def long_texts(yard: Yard) -> Held:
    """What once took time that grew with the square of its length: an unclosed quotation in `Forwarded`, a cookie of
    nothing but backslashes, and text that looks like a sentence of a refusal, from far away and without a token."""
    house, far, sent = await yard.house(), "198.51.100.73", list[int]()
    header = 'for="' + '\\"' * 3900
    texts = [", " * 2000, "= is for , not for version= (" * 33, "(" * 4000]

    async def flood() -> None:
        async with yard.http(house, far) as http:
            for language in ("en", "de"):
                speaks = {"Accept-Language": language}
                for name in ("Forwarded", "Cookie", "Accept", "X-Forwarded-Proto"):
                    sent.append((await http.get("/health", headers={**speaks, name: header})).status_code)
                for text in texts:
                    for way, field in (
                        ("/swiss", "game"),
                        ("/duplicate", "game"),
                        ("/play/diamondback", "option-wager_limit"),
                    ):
                        form = {field: text, "name": "Ann"}
                        sent.append((await http.post(way, data=form, headers=speaks)).status_code)

    running = asyncio.create_task(flood())
    others = await yard.held_up(house, running)
    see(all(code < 500 for code in sent), f"answers: {sorted(set(sent))}")
    return Held(f"{len(sent)} requests as long as they may be", "nobody waits for them", others)


@attack("record bombs", alone=True)
async def bombs(yard: Yard) -> Held:
    house = await yard.house()
    act, back = "0: lay 0\n", "undo\n"
    head = parlour.load("leduc").new(seed=1).record().partition("\n0:")[0] + "\n"
    bodies: dict[str, str | dict[str, Any]] = {
        "150 undos": {"record": head + (("0: call\n" + back) * 150)},
        "512 KiB of undos": {"record": (head + (act + back) * 60_000)[: 512 * 1024]},
        "deep JSON": "[" * 500_000,
        "deep options": {"game": "leduc", "options": {"x": "9" * 5000}},
        "2 MiB": "x" * (1 << 21),
        "a long match": {"record": _long(yard.few(1500, 4000))},
    }
    contents = {name: one if isinstance(one, str) else json.dumps({"game": "", **one}) for name, one in bodies.items()}
    said: dict[str, int] = {}

    async def throw(name: str) -> None:
        async with yard.http(house, f"198.51.100.{len(name)}") as http:
            content = contents[name]
            answer = await http.post(f"{API}/tables", content=content, headers={"content-type": "application/json"})
            said[name] = answer.status_code

    async def all_of_them() -> None:
        await asyncio.gather(*(throw(name) for name in bodies for _ in range(3)))

    waited = await yard.held_up(house, asyncio.create_task(all_of_them()))
    for name in ("512 KiB of undos", "deep JSON", "2 MiB", "deep options"):
        see(400 <= said[name] < 500, f"{name}: {said[name]}")
    return Held(f"{3 * len(bodies)} bodies at once: undos, depth, length", "refused, or worked on beside", waited)


@attack("undo and connect in a long match", alone=True)
async def long_match(yard: Yard) -> Held:
    house, steps = await yard.house(), yard.few(1500, 4000)
    made = await yard.table(house, game="", record=_long(steps))
    other = await yard.second(made)
    done = 0

    async def go_on() -> None:
        nonlocal done
        async with Guest(made) as one, Guest(other) as two:
            end = time.monotonic() + yard.few(1, 6)
            while time.monotonic() < end:
                if mover := next((g for g in (one, two) if g.choices()), None):
                    await mover.ask("act", action=mover.choices()[0])
                    done += (await mover.ask("undo"))["frame"] == "done"
                await asyncio.sleep(0.01)

    waited = await yard.held_up(house, asyncio.create_task(go_on()))
    return Held(f"moves taken back again and again after {steps:,} steps", "nobody waits", f"{done} undos; {waited}")


@attack("bots that think for ever", alone=True, once="how long bots think depends on neither")
async def thinking(yard: Yard) -> Held:
    house = await yard.house()
    async with yard.http(house) as http:
        for kind in ("search:3600s", "search:999999999", "search:nans", "search:infs", "search:-1s"):
            answer = await http.post(f"{API}/tables", json={"game": "leduc", "bots": kind})
            see(answer.status_code == 422, f"{kind} is let in: {answer.status_code}")

    async def answers() -> list[float]:
        """How long a quick bot takes for some moves."""
        waits = []
        async with Guest(await yard.table(house, game="leduc", bots="random", pace=0)) as me:
            for _ in range(4):
                await me.until(lambda told: told["choices"] or told["over"])
                if me.telling["over"]:
                    break
                before, began = me.telling["version"], time.monotonic()
                await me.ask("act", action="call" if "call" in me.choices() else me.choices()[0])
                await me.until(lambda told, b=before: told["version"] > b and (told["choices"] or told["over"]))  # type: ignore[misc]
                waits.append(time.monotonic() - began)
        return waits

    usual, slow = min(await answers()), yard.few(1, 2)
    async with crowd(yard, house, f"search:{slow}s"):
        worst = max(await answers())
    see(worst < CROWD * slow / 2, f"a quick bot took {worst:.1f} s, and {usual:.1f} s when nobody thought")
    return Held(
        f"3600 s refused; {CROWD} tables of bots that think {slow} s", "quick bots do not wait", f"{worst:.2f} s"
    )


CROWD: Final = 16
"""How many tables one guest opens whose bots think."""


@contextlib.asynccontextmanager
async def crowd(yard: Yard, house: House, bots: str) -> AsyncIterator[None]:
    """While this lasts, somebody watches tables at which bots think, one after the other."""
    wanted = {"game": "hearts", "players": 4, "bots": bots, "name": ""}
    async with contextlib.AsyncExitStack() as stack:
        for n in range(CROWD):
            made = await yard.table(house, f"198.51.100.{n + 1}", **wanted)
            watching = await stack.enter_async_context(Guest(made, token=""))
            await watching.until(lambda told: told["asked"])
        yield


@attack("one guest's bots that think at many tables", alone=True, once="how long bots think depends on neither")
async def many_thinkers(yard: Yard) -> Held:
    """Bots of another table think at the same time and get their share; otherwise these would wait for all of them."""
    house, waits = await yard.house(), list[float]()
    async with crowd(yard, house, "best:2s"):
        made = await yard.table(house, "203.0.113.77", game="leduc", bots="search:0.1s", pace=0)
        async with Guest(made) as me:
            for _ in range(yard.few(2, 4)):
                await me.until(lambda told: told["choices"] or told["over"])
                if me.telling["over"]:
                    break
                before, began = me.telling["version"], time.monotonic()
                await me.ask("act", action="call" if "call" in me.choices() else me.choices()[0])
                await me.until(lambda told, b=before: told["version"] > b and (told["choices"] or told["over"]))  # type: ignore[misc]
                waits.append(time.monotonic() - began)
    see(waits, "no bot was waited for: the attack is no test")
    see(max(waits) < CROWD, f"a bot that thinks 0.1 s took {max(waits):.1f} s")
    return Held(
        f"{CROWD} tables of bots that think 2 s", "another's share the time with them", f"{max(waits):.2f} s at most"
    )


@attack("a flood of hints", fast=False, alone=True)
async def hints(yard: Yard) -> Held:
    house = await yard.house()
    made = await yard.table(house, game="leduc", pace=0)
    quick = await yard.table(house, game="leduc", pace=0)
    async with (
        Guest(made),
        Guest(quick) as me,
        yard.http(house, "198.51.100.77", cookie=f"parlour_guest={made['token']}") as http,
    ):
        asked = [asyncio.create_task(http.post(f"/t/{made['code']}/hint")) for _ in range(60)]
        await asyncio.sleep(0.2)
        await me.until(lambda told: told["choices"])
        began, before = time.monotonic(), me.telling["version"]
        await me.ask("act", action="call")
        await me.until(lambda told: told["version"] > before and (told["choices"] or told["over"]))
        took = time.monotonic() - began
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    see(took < LATE * busy(), f"a bot waited {took:.1f} s for hints")
    return Held("60 hints at once", "bots do not wait for them", f"a bot answered in {took:.2f} s")


@attack("bots' time tells their choices", fast=False, alone=True, once="how long bots think depends on neither")
async def timing(yard: Yard) -> Held:
    house, every = await yard.house(), list[float]()
    made, due = (
        await yard.table(house, game="hearts", players=4, bots="search:0.2s", pace=0),
        limits.thinking_time(Kind("search", "0.2s")),
    )
    async with Guest(made) as me:
        end, since, late = time.monotonic() + 40, 0.0, 0.0
        last: list[int] = []
        while time.monotonic() < end and not me.telling.get("over"):
            if me.choices():
                await me.ask("act", action=me.choices()[0])
                since = 0.0
            told = me.telling
            if told.get("asked") and told["asked"] != last:
                at = me.frames[-1][0]
                if since and len(last) == 1 and last != [0]:  # all who pass cards choose at once
                    every.append(at - since + late)
                    # what is read late makes the next seem quick, and a busy machine reads late
                    late = min(0.2 * busy(), max(0.0, at - since + late - due))
                since, last = at, told["asked"]
            await asyncio.sleep(0.002)
    see(len(every) > 5, "too few moves of bots: the attack is no test")
    spread = max(every) - min(every)
    quickest, *_ = statistics.quantiles(every, n=10, method="inclusive")
    see(quickest > due - 0.05 * busy(), f"bots answered in {quickest:.2f} s")
    return Held(
        "moves of bots that think for 0.2 s",
        "each takes as long",
        f"{len(every)} moves, {quickest:.2f} s, spread {spread:.2f} s",
    )


# ------------------------------------------------------------------------------------------ strangers


@attack("floods with fresh tokens", alone=True)
async def floods(yard: Yard) -> Held:
    house = await yard.house()
    made = await yard.table(house, game="leduc")
    flooder, honest = "198.51.100.20", "203.0.113.20"

    said, seconds = list[int](), yard.few(2, 14)

    async def flood() -> None:
        async with yard.http(house, flooder) as http:

            async def ask() -> None:
                with contextlib.suppress(httpx.HTTPError):
                    known = {"Authorization": f"Bearer {token_hex(8)}"}
                    answer = await http.post(f"{API}/tables/{made['table']}/seats", json={"name": "x"}, headers=known)
                    said.append(answer.status_code)

            async with asyncio.timeout(seconds):
                while True:
                    await asyncio.gather(*(ask() for _ in range(60)))

    async def flood_for_a_while() -> None:
        with contextlib.suppress(TimeoutError):
            await flood()

    waited = await yard.held_up(house, asyncio.create_task(flood_for_a_while()), honest)
    refused = said.count(429)
    slowed = len(said) / seconds
    see(refused or slowed < 400, f"{len(said)} requests were answered, none refused")
    opened = 0
    async with yard.http(house, "198.51.100.21") as http:
        for _ in range(64):
            opened += (await http.post(f"{API}/tables", json={"game": "leduc"})).status_code == 201
    see(opened == 60, f"{opened} tables were opened from one address")
    figures = f"{slowed:.0f} a second answered, {refused} refused; {opened} tables; {waited}"
    return Held(f"requests with fresh tokens for {seconds} s; 64 tables", "limits go by address", figures)


@attack("a match that is left when it is lost")
async def left_when_lost(yard: Yard) -> Held:
    """Whoever gives the seat up has its result, and gains nothing by what a bot does there."""
    house, kept = await yard.house(), list[dict[str, Any]]()
    for _ in range(yard.few(2, 8)):
        made = await yard.table(house, game="kuhn", players=2)
        async with Guest(made) as me:
            await me.until(lambda told: told["match"])
            await me.ask("leave")
        async with yard.http(house, cookie=f"parlour_guest={made['token']}") as http:
            for _ in range(200):
                matches = [one["result"] for one in (await http.get("/you/export")).json()["results"]]
                if matches:
                    break
                await asyncio.sleep(0.05)
        see(matches, "who leaves a match has no result of it")
        kept += matches
    risen = [one["rating"][0] for one in kept if one["rating"] and one["rating"][0] > Rating().mu]
    see(not risen, f"who let a bot play has risen to {risen}")
    return Held(
        "a seat given up as soon as the match is on",
        "its result counts, and never for the better",
        f"{len(kept)} matches",
    )


@attack("a seat taken over when it wins")
async def taken_over(yard: Yard) -> Held:
    """Whoever lets a bot play, and sits down where it is ahead, has the result among theirs, and no rating for it."""
    house = await yard.house()
    made = await yard.table(house, game="diamondback", players=3, options={"hands": "4"})
    async with Guest(made) as me:
        folded = 0
        while folded < 2:  # until the first deal is over
            await me.until(lambda told: told.get("choices") or told["over"])
            see(not me.telling["over"], "it was over after a deal: the attack is no test")
            version, chosen = me.telling["version"], "fold" if "fold" in me.choices() else me.choices()[0]
            folded += chosen == "fold"
            await me.ask("act", action=chosen)
            await me.until(lambda told, before=version: told["version"] != before)  # type: ignore[misc]
        late = await yard.second(made)
        async with Guest(late) as other:
            await play([me, other], random.Random(2), lambda _: _no())
    ratings = dict[str, list[Any]]()
    for name, token in (("there", made["token"]), ("late", late["token"])):
        async with yard.http(house, cookie=f"parlour_guest={token}") as http, asyncio.timeout(LIMIT):
            while not (kept := (await http.get("/you/export")).json()["results"]):
                await asyncio.sleep(0.05)
        ratings[name] = kept[0]["result"]["rating"]
    see(ratings["there"], "nobody is rated: the attack is no test")
    see(not ratings["late"], f"who took over after a deal is rated {ratings['late']}")
    return Held("a bot's seat taken after the first deal", "it counts for no rating")


@attack("a duplicate's list filled by one guest")
async def filled_duplicate(yard: Yard) -> Held:
    house, far = await yard.house(), "198.51.100.91"
    async with yard.http(house, "203.0.113.91", Authorization="Bearer host") as host:
        place = (await host.post("/duplicate", data={"game": "kuhn", "people": "1", "deals": "1"})).headers["location"]
        codes = []
        for n in range(TABLES):
            async with yard.http(house, far, Authorization=f"Bearer stranger {n}") as stranger:
                joined = await stranger.post(f"{place}/join", data={"name": f"S {n}", "table": ""})
                codes.append(joined.headers.get("location", "").rpartition("/")[2])
                await stranger.post(f"{place}/remove", data={"table": codes[0]})
        see(all(codes), "the stranger could not fill it: the attack is no test")
        async with yard.http(house, "203.0.113.92", Authorization="Bearer friend") as friend:
            refused = await friend.post(f"{place}/join", data={"name": "Friend", "table": ""})
            see(refused.status_code == 422, "a stranger has removed a table")
            await host.post(f"{place}/remove", data={"table": codes[0]})
            joined = await friend.post(f"{place}/join", data={"name": "Friend", "table": ""})
            see(joined.status_code == 303, "a friend can't play, though the host has removed a stranger's table")
    return Held(f"{TABLES} tables opened by one guest under other names", "the host makes room")


@attack("a hand known from practice")
async def practised(yard: Yard) -> Held:
    """Whoever has had the whole record of a match of practice, and takes moves back, finds nobody to play against."""
    house = await yard.house()
    made = await yard.table(house, game="leduc", players=2, practice=True)
    async with Guest(made) as me:
        await play([me], random.Random(4), lambda _: _no())
        await me.ask("undo")
        await me.until(lambda told: told.get("choices") and not told.get("over"))
        answer = await yard.sit(made, "Abe")
    see(answer.status_code == 422, "a friend is seated in a match whose cards the other has seen")
    return Held("moves of a finished match taken back, then a friend invited", "refused until it is over")


@attack("a database that another process has locked", fast=False)
async def locked(yard: Yard) -> Held:
    """A backup that goes wrong, for example: guests learn it soon, and that it isn't their mistake."""
    house = await yard.house("--keep-finished", "88d")  # this attack needs a house of its own
    file, wanted = yard.folder / f"room-{house.port}.db", {"name": "Zoe", "game": "kuhn"}
    async with yard.http(house, may_fail=True) as http:
        await http.post(f"{API}/tables", json=wanted)
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            refused = await http.post(f"{API}/tables", json=wanted)
            waited = time.monotonic() - began
        see(refused.status_code == 503, f"the answer is {refused.status_code}")
        see(waited < 5 * BUSY, f"it came after {waited:.0f} s")  # six times as long when nobody told SQLite
        made = await http.post(f"{API}/tables", json=wanted)
    see(made.status_code == 201, "nothing is opened afterwards")
    return Held("a table opened meanwhile", "503 soon, and all is well afterwards", f"{waited:.1f} s")


@attack("results that come back")
async def deleted_results(yard: Yard) -> Held:
    """Their time is over, the finished table is still kept, and somebody looks at it."""
    file = yard.folder / f"kept-{yard.way.language}.db"
    options = ("--keep-results", "1h", "--database", f"sqlite:///{file}")
    house = await yard.house(*options)
    made = await yard.table(house, game="leduc", players=2)
    token = made["token"]

    async def played(made: dict[str, Any]) -> list[Any]:
        """A match to its end; the results that are kept then, with its own."""
        async with Guest(made, token) as me:
            await play([me], random.Random(5), lambda _: _no())
        async with yard.http(made["house"], cookie=f"parlour_guest={token}") as http:
            async with asyncio.timeout(LIMIT):
                while made["code"] not in str(found := (await http.get("/you/export")).json()["results"]):
                    await asyncio.sleep(0.05)
        return list(found)

    see(len(await played(made)) == 1, "no result is kept: the attack is no test")
    await asyncio.to_thread(house.end)
    with contextlib.closing(Store(f"sqlite:///{file}")) as store:
        store.forget(Keep(math.inf, math.inf, math.inf, 3600), time.time() + 7200)
        see(not Traces(store).results(fingerprint(token), 9), "nothing was deleted: the attack is no test")
    house = await yard.house(*options, "--keep-finished", "80d")
    async with yard.http(house, cookie=f"parlour_guest={token}", Accept="text/html") as http:
        for way in (f"/t/{made['code']}", f"/t/{made['code']}/record", f"{API}/tables/{made['table']}/record"):
            see((await http.get(way)).is_success, f"{way} is gone: the attack is no test")
    async with yard.http(house, Authorization=f"Bearer {token}") as http:
        other = yard.known(house, await http.post(f"{API}/tables", json={"game": "kuhn", "name": "Zoe", "pace": 0}))
    kept = await played(other)
    see(len(kept) == 1, f"{len(kept) - 1} results that were deleted are there again")
    return Held("a finished table looked at after its results were deleted", "they stay deleted")


COMMANDS: Final = (
    ("solve", "kuhn", "--seconds", "nan"),
    ("bot", "http://[::1/t/x"),
    ("merge", "/dev/full"),
    ("play", "kuhn", "--players", "2147483648"),
    ("play", "--table", "http://[::1/t/x", "--name", "Ann"),
)
"""Commands that have no end, or none that anybody understands, if nobody looks at what they are given."""


@attack("commands without end")
async def endless_commands(yard: Yard) -> Held:
    for words in COMMANDS:
        run = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SERVE, *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE,
            env={**os.environ, "LC_ALL": yard.way.language},
        )  # fmt: skip
        try:
            async with asyncio.timeout(LIMIT / 3):
                out, said = await run.communicate()
        except TimeoutError:
            run.kill()
            raise Succeeded(f"parlour {' '.join(words)} doesn't end") from None
        lines = said.decode().splitlines()
        see(
            run.returncode == 2 and not out and len(lines) == 1,
            f"parlour {' '.join(words)} ends with {run.returncode} and {lines[-3:]}",
        )
    return Held(
        " · ".join(" ".join(words) for words in COMMANDS[:4]), "each is one sentence", f"{len(COMMANDS)} commands"
    )


@attack("codes of invitations tried one by one")
async def codes(yard: Yard) -> Held:
    house, choose, tries = await yard.house(), random.Random(1), 100 + yard.few(10, 40)
    async with yard.http(house, "198.51.100.30") as http:
        said = []
        for _ in range(tries):
            code = "".join(choose.choices("BCDFGHJKLMNPQRSTVWXZ", k=6))
            said.append((await http.get(f"{API}/tables/{code}")).status_code)
    see(said.count(404) <= 100, f"{said.count(404)} codes could be tried")
    return Held(f"{tries} codes from one address", "after 100 it must wait ten minutes", f"{said.count(429)} refused")


@attack("a vandal in a tournament's list")
async def tournament(yard: Yard) -> Held:
    """All from far away: one fills the list with made-up names, again after the host has removed them; and one joins,
    takes other names and leaves all the time, while the host starts rounds for friends."""
    house, rounds = await yard.house(), yard.few(2, 7)
    friends = yard.few(8, 20)  # many play at more tables than an address may open in an hour
    fillers, host = "198.51.100.71", "203.0.113.71"

    async def joins(http: httpx.AsyncClient, place: str, token: str, name: str) -> httpx.Response:
        known = {"Authorization": f"Bearer {token}"}
        return await http.post(f"{place}/join", data={"name": name}, headers=known)

    async def rage(place: str, said: list[int]) -> None:
        async with yard.http(house, "198.51.100.72", Authorization="Bearer vandal") as http:
            for n in count():
                for what, name in (("join", f"V {n}"), ("join", f"V {n + 1}"), ("leave", "")):
                    said.append((await http.post(f"{place}/{what}", data={"name": name})).status_code)

    async with yard.http(house, fillers) as filler, yard.http(house, host) as http:
        begun = await http.post("/swiss", data={"game": "kuhn", "size": "2", "rounds": str(rounds)})
        page = begun.headers["location"]
        place = page.rpartition("/host")[0]
        filled = 0
        for n in range(3):
            said = [await joins(filler, place, token_hex(8), f"{n} {m}") for m in range(130)]
            filled += sum(one.status_code == 303 for one in said)
            listed = re.findall(r'name="(player-\d+)"', (await http.get(page)).text)
            await http.post(f"{page}/remove", data=dict.fromkeys(listed, "on"))
        see(filled <= limits.NEWCOMERS, f"{filled} made-up players joined from one address")
        for n in range(friends):
            joined = await joins(http, place, f"friend {n}", f"Friend {n}")
            see(joined.status_code == 303, f"a friend can't join after {filled} made-up players were removed")
        raged = list[int]()
        raging = asyncio.create_task(rage(place, raged))
        await until(lambda: raged)
        for number in range(1, rounds + 1):
            await http.post(f"{page}/start", data={"round": str(number)})
            played = (await http.get(f"{place}/standings.json")).json()["played"]
            see(len(played) == number, f"round {number} doesn't start while somebody joins and leaves")
            for table in re.findall(r'name="table" value="(\w+)"', (await http.get(page)).text):
                await http.post(f"{page}/result", data={"table": table, "place-00": "1", "place-01": "2"})
            await http.post(f"{page}/close")
        raging.cancel()
        standings = (await http.get(f"{place}/standings.json")).json()["standings"]
    complete = [row for row in standings if row["name"].startswith("Friend") and row["played"] + row["byes"] == rounds]
    see(len(complete) == friends, f"only {len(complete)} of {friends} friends were in every round")
    return Held(
        "a list filled with made-up names; one who joins, renames and leaves all the time",
        "every round starts at once, with everybody",
        f"{filled} names, {len(raged)} changes, {rounds} rounds",
    )


@attack("a spoofed address")
async def spoofed(yard: Yard) -> Held:
    house, outside, tries = await yard.house(), own_address(), 100 + yard.few(10, 40)
    if not outside:
        return Held("X-Forwarded-For from a stranger", "not tried: this machine has no other address")
    said = []
    async with _client(base_url=f"http://{outside}:{house.port}") as http:
        for n in range(tries):
            spoof = {"X-Forwarded-For": f"192.0.2.{n}", "Forwarded": f"for=192.0.2.{n}"}
            said.append((await http.get(f"{API}/tables/BCDFGH", headers=spoof)).status_code)
    see(429 in said, "whoever names another address each time has no limits")
    async with yard.http(house, "127.0.0.1, 198.51.100.40") as near:
        codes = [(await near.get(f"{API}/tables/BCDFGH")).status_code for _ in range(tries)]
    see(429 in codes, "whoever says that they are the machine itself is believed")
    return Held(
        f"{tries} requests that name other addresses", "a stranger's headers are ignored", f"{said.count(429)} refused"
    )


@attack(
    "sockets that ask for nothing",
    fast=False,
    alone=True,
    once="what is no request yet has neither; they come from another address of the machine",
)
async def idle(yard: Yard) -> Held:
    house, outside = await yard.house(), own_address()
    where = (outside or "127.0.0.1", house.port)
    lines = []
    for _ in range(150):
        with contextlib.suppress(OSError):
            lines.append(socket.create_connection(where, timeout=5))
    trickle = socket.create_connection(("127.0.0.1", house.port), timeout=5)
    trickle.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
    made = await yard.table(house, game="leduc", players=2)
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    upgrade += f"Sec-WebSocket-Key: {'A' * 22}==\r\n"
    unread = [socket.socket() for _ in range(3)]
    for line, path, more, times in zip(
        unread,
        ("/rules/dividha", f"{API}/tables/{made['table']}/frames", f"{API}/tables/{made['table']}/socket"),
        ("Accept: text/html\r\n", "", upgrade),
        (40, 1, 1),
        strict=True,
    ):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        line.connect(("127.0.0.1", house.port))
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n{more}\r\n".encode() * times)
    body = socket.create_connection(("127.0.0.1", house.port), timeout=5)
    body.sendall(
        b"POST /api/1/tables HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
    )
    began = time.monotonic()
    async with yard.http(house, "203.0.113.60") as http:
        await http.get("/health")
    waited = time.monotonic() - began
    async with Guest(made) as talker:
        for _ in range(45):
            for line in (trickle, body):
                with contextlib.suppress(OSError):
                    line.send(b"x")
            await talker.ask("say", text="x" * 400)  # so that there is always more to tell
            await asyncio.sleep(1)

    def is_gone(line: socket.socket) -> bool:
        line.settimeout(0.2)
        try:
            while line.recv(1 << 16):
                pass
        except TimeoutError:
            return False
        except OSError:
            return True
        return True

    left = {
        "trickle": not is_gone(trickle),
        "body": not is_gone(body),
        "idle": sum(not is_gone(one) for one in lines),
        "unread": sum(not is_gone(one) for one in unread),
    }
    for line in (*lines, trickle, *unread, body):
        line.close()
    see(not any(left.values()), f"still open after 45 s: {left}")
    see(waited < LATE * busy(), f"an honest guest waited {waited:.1f} s")
    size = house.output.stat().st_size
    see(size < 100_000, f"the server wrote {size} bytes")
    return Held(
        "150 idle sockets, a slow body, a request bit by bit, three readers who read nothing",
        "given up within 45 s",
        f"{size} bytes of log",
    )


@attack("pages of other sites")
async def foreign(yard: Yard) -> Held:
    house = await yard.house()
    made = await yard.table(house, game="leduc")
    tries = 0
    async with yard.http(house, cookie=f"parlour_guest={made['token']}") as http:
        for origin in (
            "https://evil.example",
            "null",
            f"http://127.0.0.1:{house.port}.evil.example",
            "http://",
            "http://[",
            f"http://127.0.0.1:{house.port + 1}",
        ):
            for path in (f"{API}/tables", f"/t/{made['code']}/do", "/theme", f"{API}/tables/{made['table']}/commands"):
                tries += 1
                answer = await http.post(path, headers={"Origin": origin}, data={"do": "leave"})
                see(answer.status_code == 403, f"{origin} may post to {path}: {answer.status_code}")
            for path in (f"{API}/tables/{made['table']}/socket", f"/t/{made['code']}/socket"):
                tries += 1
                with contextlib.suppress(InvalidHandshake, ConnectionClosed, OSError):
                    async with connect(
                        f"ws://127.0.0.1:{house.port}{path}",
                        origin=Origin(origin),
                        additional_headers={**yard.came(), "cookie": f"parlour_guest={made['token']}"},
                    ) as line:
                        raise Succeeded(f"{origin} may listen at {path}: {await line.recv()!r:.60}")
    return Held("posts and sockets with a guest's cookie from other origins", "403", f"{tries} tries")


@attack("script in names and chat")
async def script(yard: Yard) -> Held:
    house = await yard.house()
    names = [
        "<b>x</b>",
        "'\"><i>",
        "{{7*7}}",
        "&lt;b&gt;",
        "\u202enn",
        "\u3164",
        "a\u0301\u0301\u0301",
        "<svg/onload=x>",
    ]
    shown = 0
    for name in names:
        async with yard.http(house, Accept="text/html") as http:
            answer = await http.post(f"{API}/tables", json={"game": "leduc", "name": name})
            if answer.status_code != 201:
                continue
            made = yard.known(house, answer)
            async with Guest(made) as me:
                await me.ask("say", text=f"<script>{name}</script>")
            page = await http.get(f"/t/{made['code']}")
            shown += 1
            see(name not in page.text or not re.search(r"[<>&\"]", name), f"{name!r} stands in the page as it is")
            see("<script>" + name not in page.text, "what was said stands in the page as it is")
            see(name != "{{7*7}}" or name in page.text, "a name is a template")
            policy = page.headers.get("content-security-policy", "")
            see("unsafe" not in policy and "default-src" in policy, f"the policy is {policy!r}")
    see(shown > 3, "no name was taken: the attack is no test")
    return Held(
        "markup, templates, marks of direction, unseen letters",
        "escaped or refused",
        f"{shown} of {len(names)} names taken",
    )


@attack("a phrase that somebody else has")
async def phrases(yard: Yard) -> Held:
    house, token, old = await yard.house(), "parlour_guest", "o" * 32
    made_up = ["A" * 32, "_" * 32, old[:-1], "", Tokens(bytes(32), set()).new()]
    async with yard.http(house) as victim:
        for phrase in made_up:
            for sure in ("", "yes"):
                answer = await victim.post("/you/here", data={"phrase": phrase, "sure": sure})
                see(answer.status_code == 422, f"the made-up phrase {phrase!r} is taken: {answer.status_code}")
        made = await yard.table(house, game="leduc", players=2)
        await victim.post("/you/here", data={"phrase": made["token"]})
        see(token not in victim.cookies, "one press makes somebody the guest of whoever sent a phrase")
    await yard.second(made)
    async with Guest(made) as thief, yard.http(house, cookie=f"{token}={made['token']}") as owner:
        await thief.until(lambda told: told["seat"] == 0)
        new = (await owner.post("/you/out")).cookies["parlour_next"]
        both = {"cookie": f"{token}={made['token']}; parlour_next={new}"}
        await owner.post("/you/out", data={"sure": "yes"}, headers=both)
        await until(lambda: any(f["frame"] == "bye" for _, f in thief.frames), "the thief stays")
        answer = await owner.post(f"{API}/tables/{made['table']}/commands", json={"do": "leave", "id": "1"})
        see(answer.json()["frame"] == "refused", "a token that has ended still acts")
        answer = await owner.post("/you/here", data={"phrase": made["token"], "sure": "yes"})
        see(answer.status_code == 422, "the phrase of a token that has ended is taken")
    async with Guest(made) as thief, Guest(made, new) as me:
        await me.until(lambda told: told["seat"] == 0)
        await thief.until(lambda told: told["seat"] == -1)
        see(not shown_to(thief) & shown_to(me), "a token that has ended still sees the hand")
    return Held(
        "made-up phrases; a phrase that was sent; one that was seen before its guest signed out",
        "refused, asked about, of no use",
        f"{len(made_up)} made up",
    )


@attack("what is left of a guest who deletes everything")
async def traces(yard: Yard) -> Held:
    house, name, said = await yard.house(), "Xanthippe", "my number is 0815"
    made = await yard.table(house, game="leduc", players=2, name=name)
    other = await yard.second(made)
    known: dict[str, Any] = {"cookie": f"parlour_guest={made['token']}", "Accept": "text/html"}
    async with yard.http(house, **known) as http:
        code = (await http.post("/swiss", data={"game": "leduc", "size": "2", "rounds": "2"})).headers["location"]
        code = code.split("/")[2]
        await http.post(f"/swiss/{code}/join", data={"name": name})
        await http.post("/duplicate", data={"game": "leduc", "people": "1", "deals": "1"})

        async def nothing(_: Guest) -> bool:
            return False

        async with Guest(made) as one, Guest(other) as two:
            await one.ask("say", text=said)
            await play([one, two], random.Random(3), nothing)
        await http.post("/ladder/leduc", data={"name": name})
        file = (await http.get("/you/export")).text
        see(file.count(name) >= 3 and said in file, "the file lacks what is kept")
        await http.post("/you/forget")
    left = dump(yard.folder / f"room-{house.port}.db")
    key = fingerprint(made["token"])
    found = [one for one in (name, said, key, key[:20]) if one in left]
    see(not found, f"the database still has {found}")
    async with yard.http(house, cookie=f"parlour_guest={other['token']}", Accept="text/html") as abe:
        for path in (f"/t/{made['code']}", f"/swiss/{code}", f"/t/{made['code']}/replay/1", "/ladder/leduc", "/you"):
            text = (await abe.get(path)).text
            see(name not in text and said not in text, f"{path} still shows the guest")
        record = (await abe.get(f"{API}/tables/{made['table']}/record")).text
    see(name not in record, "the record still has the name")
    see(check(record).is_fair, "the cards of the match can't be checked any more")
    return Held("a guest with a match, chat, tournament, duplicate, ladder", "the database has nothing of them", "")


def dump(file: Path) -> str:
    """Everything that an SQLite database holds, but which tokens are no longer valid."""
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as opened:
        tables = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return "\n".join(str(row) for one in tables if one != "ended" for row in opened.execute(f"SELECT * FROM {one}"))


@attack("odd requests")
async def odd(yard: Yard) -> Held:
    house, tries = await yard.house(), 0
    made = await yard.table(house, game="leduc")
    paths = [
        "/static/../../../../etc/passwd", "/static/..%2f..%2f..%2fetc/passwd", "/static/%2e%2e/%2e%2e/site.py", "/%00",
        f"{API}/tables/%00", f"{API}/tables/{'x' * 5000}", f"{API}/tables/%f0%9f%92%a9", "/shelf/0/..%2fx.svg",
        "/t/%ff", "/rules/os", "/new/..", "/shelf/..%2f/diamonds.svg", "/static/0/..%2f..%2fsite.py",
        "/replay/..%2fx",
        f"{API}/tables/{made['table']}/frames?match=99999999999999999999", "/join?code=%00%00", "//evil.example/",
        f"/t/{made['code']}?{'a=' * 3000}", "/password?to=//evil.example",
    ]  # fmt: skip
    async with yard.http(house) as http:
        for path in paths:
            tries += 1
            answer = await http.send(http.build_request("GET", house.url + path))
            see(answer.status_code < 500, f"{answer.status_code} for {path[:60]}")
            see("root:" not in answer.text and "def add_pages" not in answer.text, f"{path} reads a file")
            see("evil.example" not in answer.headers.get("location", ""), f"{path} leads elsewhere")
        for host in ("x" * 5000, "a/static/?", "a@b", "[::", "\xff"):
            tries += 1
            said = await raw(
                yard,
                house,
                f"GET /t/{made['code']}/code.svg HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode(
                    "latin-1"
                ),
            )
            see(b" 500 " not in said[:20], f"500 for the host {host[:20]!r}")
        bodies: tuple[Any, ...] = (
            {"game": "\ud800"},
            {"game": "leduc", "name": "\ud800"},
            {"game": "leduc", "options": {"\ud800": "x"}},
            {"game": "leduc", "bots": "\ud800"},
            {"game": "", "record": "\ud800\n"},
            {"game": "leduc", "players": 10**30},
            {"game": "leduc", "pace": float("nan")},
            {"game": "leduc", "beat": float("inf")},
            [],
            7,
            None,
            {"game": ["x"]},
        )
        for body in bodies:
            tries += 1
            answer = await http.post(
                f"{API}/tables", content=json.dumps(body), headers={"content-type": "application/json"}
            )
            see(400 <= answer.status_code < 500, f"{answer.status_code} for {body!r:.60}")
    for text in (
        b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        b"POST /api/1/tables HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"0\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST /api/1/tables HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/1/tables HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"\x16\x03\x01\x02\x00\x01\x00" + bytes(200),
        b"GET http://evil.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ):
        tries += 1
        said = await raw(yard, house, text)
        see(
            b" 500 " not in said[:20] and (b" 200 " not in said[:20] or b"POST" not in text),
            f"{text[:40]!r} gets an answer: {said[:80]!r}",
        )
        see(said.count(b"HTTP/1.1 ") <= 1, f"{text[:40]!r} brings another request along: {said!r}")
    return Held("paths, hosts, bodies, headers, smuggled requests", "4xx, no file, no 500", f"{tries} requests")


async def raw(yard: Yard, house: House, text: bytes) -> bytes:
    """What comes back for these bytes of somebody who comes as the attack does."""
    came = "".join(f"{name}: {said}\r\n" for name, said in yard.came().items()).encode()
    text = text.replace(b"\r\nHost: ", b"\r\n" + came + b"Host: ")
    reader, writer = await asyncio.open_connection("127.0.0.1", house.port, limit=1 << 20)
    said = b""
    with contextlib.suppress(OSError, TimeoutError):
        writer.write(text)
        async with asyncio.timeout(1.0):
            await writer.drain()
            said = await reader.read(100_000)
    writer.transport.abort()  # whatever was not sent does not matter
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return said


@attack("odd messages over a socket")
async def messages(yard: Yard) -> Held:
    house, tries = await yard.house(), 0
    made = await yard.table(house, game="leduc")
    for text in (
        b"\x00\xff",
        "[" * 4000,
        "{}",
        "x" * 4097,
        "y" * 9000,
        b"\xff" * 9000,
        '{"do":"act","id":"1","action":"\\ud800"}',
        '{"do":"say","id":"1","text":"\\u0000"}',
        '{"do":"fly","id":"1"}',
        '{"do":"sit","id":"1","name":"x","seat":1e400}',
    ):
        tries += 1
        async with Guest(made) as me:
            with contextlib.suppress(ConnectionClosed):
                await me.socket.send(text)
                await asyncio.sleep(0.05)
            see(not any(f["frame"] == "done" for _, f in me.frames), f"{text[:30]!r} was done")
    async with Guest(made) as me:
        see((await me.ask("why", action="call"))["frame"] in ("done", "refused"), "the table no longer answers")
        began, answered = time.monotonic(), 0
        with contextlib.suppress(ConnectionClosed):
            for n in range(400):
                await me.socket.send(json.dumps({"do": "why", "id": f"f{n}", "action": "call"}))
            await asyncio.sleep(1.0)
        answered = sum(name.startswith("f") for name in me.answers)
        took = time.monotonic() - began
        most = limits.BURST + limits.PER_SECOND * (took + 1)
        see(answered < most, f"{answered} of 400 commands were done within {took:.1f} s")
    return Held(
        "wrong, deep, long and binary messages; 400 commands at once",
        "refused; slowed down",
        f"{tries} kinds, {answered} answered",
    )


@attack("the gate of a private parlour")
async def gate(yard: Yard) -> Held:
    house = await yard.house("--password", PASSWORD)
    paths = [
        "/",
        f"{API}/games",
        f"{API}/tables",
        "/openapi.json",
        "/docs",
        "/static/../api/1/games",
        "/static/..%2fapi/1/games",
        "//api/1/games",
        "/health/../api/1/games",
        "/password/../docs",
    ]
    async with yard.http(house, "198.51.100.50") as stranger:
        for path in paths:
            answer = await stranger.send(stranger.build_request("GET", house.url + path))
            see(answer.status_code in (401, 404), f"{path}: {answer.status_code}")
    for host in ("a/static/?", "a/health#", "a/password?"):
        said = await raw(yard, house, f"GET {API}/games HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        see(b" 200 " not in said[:20], f"the host {host!r} opens the gate")
    wrong = {"X-Parlour-Password": "wrong"}
    async with yard.http(house, "198.51.100.51") as guesser, yard.http(house, "203.0.113.51") as honest:
        said_to = [(await guesser.get(f"{API}/games", headers=wrong)).status_code for _ in range(15)]
        right = {"X-Parlour-Password": PASSWORD}
        see((await guesser.get(f"{API}/games", headers=right)).status_code == 429, "passwords can be tried without end")
        see((await honest.get(f"{API}/games", headers=right)).status_code == 200, "one guesser shuts everybody out")
    return Held(
        "other ways in, by path and by host; guessing",
        "shut; a guesser shuts out nobody else",
        f"{said_to.count(429)} guesses refused",
    )


@attack("files that other users read", once="nobody asks for anything")
async def files(yard: Yard) -> Held:
    house = await yard.house()
    found = {file.name: oct(file.stat().st_mode & 0o777) for file in yard.folder.glob(f"room-{house.port}.db*")}
    see(found and all(mode == "0o600" for mode in found.values()), f"modes are {found}")
    return Held("the database of a server started with umask 0", "0600", f"{len(found)} files")


@attack("refusals contradict the rule in force")
async def refusals(yard: Yard) -> Held:
    house = await yard.house()
    made = await yard.table(house, game="pope_joan", players=3, options={"lead_rule": "lowest", "first_dealer": "2"})
    async with Guest(made) as me:
        await me.until(lambda told: told["choices"])
        hand = [card for card in me.telling["view"]["hand"][0] if f"lead {card}" not in me.choices()]
        said = await me.ask("act", action=f"lead {hand[0]}")
    see("House rule (lead rule: lowest)" in said["sentence"], said["sentence"])
    return Held("a lead that lead_rule=lowest forbids", "the refusal says what was chosen")


# ------------------------------------------------------------------------------------------ several servers


@attack(
    "phantom moves when a server fails (PostgreSQL)", fast=False, alone=True, once="its guests are those of failover.py"
)
async def failover(yard: Yard) -> Held:
    from tests.postgres import Postgres
    from tools.failover import measure, percentile

    postgres = await asyncio.to_thread(Postgres)
    try:
        faults = [signal.SIGKILL, signal.SIGSTOP] * 2
        found = await measure(postgres, yard.folder / "failover", faults, tables=3)
    except AssertionError as wrong:
        raise Succeeded(str(wrong)[:200]) from wrong
    finally:
        await asyncio.to_thread(postgres.remove)
    waits = {name: f"{name} p95 {percentile(w, 95):.1f} s" for name, w in found.items()}
    return Held(
        "a server killed, and one stopped, under play",
        "nothing done twice, late or elsewhere",
        ", ".join(waits.values()),
    )


# ------------------------------------------------------------------------------------------ the table of all attacks


class Outcome(NamedTuple):
    """How an attack has ended."""

    name: str
    held: Held | None
    trouble: str
    seconds: float


async def attack_all(folder: Path, chosen: Iterable[Named], fast: bool = True) -> list[Outcome]:
    """Carry out attacks, each in its ways: those that measure times one after the other, then the others at once."""
    yard, found = Yard(folder, fast), dict[tuple[str, Way], Outcome]()

    async def carry_out(one: Named, way: Way) -> None:
        began, held, trouble = time.monotonic(), None, ""
        try:
            held = await one.run(replace(yard, way=way, address=one.address))
        except Succeeded as success:
            trouble = str(success) or "it has succeeded"
        except Exception as failure:
            trouble = f"could not be carried out: {type(failure).__name__}: {failure}"[:300]
        found[one.name, way] = Outcome(f"{one.name}{way}", held, trouble, time.monotonic() - began)

    each = [(one, way) for one in chosen for way in one.ways]
    try:
        for one, way in each:
            if one.alone:
                await carry_out(one, way)
        for way in WAYS:
            await asyncio.gather(*(carry_out(one, so) for one, so in each if so == way and not one.alone))
    finally:
        began = time.monotonic()
        bad = await yard.close()
    held = Held(
        "every answer, and what the servers wrote until Ctrl-C", "no 500, no traceback", f"{len(yard.houses)} servers"
    )
    faults = Outcome("faults of the server", None if bad else held, "; ".join(bad[:3]), time.monotonic() - began)
    return [*(found[one.name, way] for one, way in each), faults]


def show(found: list[Outcome]) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("attack", "what was tried", "what held", "figures", "s", row_styles=["", "dim"])
    for one in found:
        if one.held is None:
            table.add_row(one.name, "[bold red]SUCCEEDED", one.trouble, "", f"{one.seconds:.1f}")
        else:
            table.add_row(one.name, *one.held, f"{one.seconds:.1f}")
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def main() -> int:
    """The exit code."""
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("--fast", action="store_true", help="only what takes seconds")
    said.add_argument("--only", default="", help="attacks with this word in their name")
    given = said.parse_args()
    chosen = [one for one in ATTACKS if (one.fast or not given.fast) and given.only.casefold() in one.name.casefold()]
    if not chosen:
        said.error(f"no attack has {given.only!r} in its name; there are: {', '.join(one.name for one in ATTACKS)}")
    with tempfile.TemporaryDirectory(prefix="parlour-attack-") as folder:
        found = asyncio.run(attack_all(Path(folder), chosen, given.fast))
    show(found)
    return int(any(one.held is None for one in found))


if __name__ == "__main__":
    sys.exit(main())
