"""The server's pages and its interface, asked in the same process: what a browser asks for, and the club."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec
from starlette.types import ASGIApp

from parlour.base.errors import ParlourError
from parlour.server.site.site import add_pages
from parlour.server.web.server import make_app
from tools.simulation.guests import Guest, Habits

if TYPE_CHECKING:
    from parlour.server.live.live_table import LiveTable
    from tools.simulation.checks import Checks
    from tools.simulation.world import Server, World

PATIENCE: Final = 30.0
"""Seconds after which a browser gives up."""
PAGES: Final = (
    "/", "/lobby", "/health", "/you", "/you/turns", "/you/export", "/daily", "/daily/{game}", "/you/{game}",
    "/ladder/{game}", "/t/{table}", "/t/{table}", "/t/{table}/record", "/t/{table}/verify",
    "/t/{table}/still.svg", "/t/{table}/replay/1", "/t/{table}/replay/1/review",
    "/api/1/tables", "/api/1/tables/{table}", "/api/1/tables/{table}/record",
)  # fmt: skip
"""What guests look at, beside what they do."""


class Answer(NamedTuple):
    """What a server answers."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Site:
    """The application of one server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @cached_property
    def app(self) -> ASGIApp:
        app = make_app(self._server.tables)
        add_pages(app)
        return app

    async def serve(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer a request."""
        path, _, query = path.partition("?")
        said = {"host": "parlour.example", "content-length": str(len(body)), **headers}
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "https",
            "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in said.items()],
            "client": ("198.51.100.1", 1), "server": ("parlour.example", 443), "state": {},
        }  # fmt: skip
        given, sent = [{"type": "http.request", "body": body, "more_body": False}], list[Any]()

        async def receive() -> Any:
            return given.pop() if given else await asyncio.get_running_loop().create_future()  # it stays connected

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        begun = next(one for one in sent if one["type"] == "http.response.start")
        whole = b"".join(one.get("body", b"") for one in sent if one["type"] == "http.response.body")
        return Answer(begun["status"], {n.decode(): v.decode() for n, v in begun["headers"]}, whole)


class Browser:
    """Somebody who asks a server for pages.  What they see must never be a fault of the server's own."""

    def __init__(self, world: World, checks: Checks, name: str, chance: Random) -> None:
        self.world, self.checks, self.name, self.chance = world, checks, name, chance
        self._known = {"authorization": f"Bearer token of {name}", "accept": "text/html"}

    async def ask(
        self, method: str, path: str, form: Mapping[str, object] | None = None, body: bytes = b""
    ) -> Answer | None:
        """Ask any server; ``None``: none has answered."""
        world, there = self.world, self.world.there
        if not there:
            return None
        server, since = self.chance.choice(there), world.loop.time()
        headers = dict(self._known)
        if form is not None:
            body = urlencode({name: str(value) for name, value in form.items()}).encode()
            headers["content-type"] = "application/x-www-form-urlencoded"
        elif body:
            headers["content-type"] = "application/json"
        await asyncio.sleep(world.weather.delay())
        asked = server.do(server.site.serve(method, path, headers, body))
        done, _ = await asyncio.wait([asked], timeout=PATIENCE * world.pace)
        if not done:
            asked.cancel()
            return None
        await asyncio.sleep(world.weather.delay())
        answer = asked.result()
        self.checks.visited(f"{self.name}: {method} {path}", answer.status, answer.body, since)
        if path.endswith("/review"):
            self.checks.reviewed(server)
        return answer

    async def look(self, table: str, game: str) -> None:
        """Look at something."""
        await self.ask("GET", self.chance.choice(PAGES).format(table=table, game=game))

    async def review(self, table: str, match: int) -> None:
        """Have a match reviewed, and see how far that is."""
        await self.ask("GET", f"/t/{table}/replay/{match}/review")

    async def insist(self, method: str, path: str, form: Mapping[str, object] | None = None) -> Answer:
        """Ask until there is an answer that is not that it cannot be done now."""
        while True:
            answer = await self.ask(method, path, form)
            if answer is not None and answer.status not in (409, 429, 503):
                return answer
            await asyncio.sleep(self.world.pace * self.chance.uniform(1.0, 5.0))


def _code(answer: Answer) -> str:
    """The code of the table that an answer leads to."""
    where = answer.headers.get("location", "")
    return where[3:].partition("?")[0] if where.startswith("/t/") else ""


@dataclass
class Club:
    """An evening of the club: a tournament, the same cards at several tables, or the deal of the day."""

    world: World
    checks: Checks
    what: str
    game: str
    names: tuple[str, ...]
    habits: Habits
    is_over = False

    async def run(self) -> None:
        """Begin it, and let everybody play."""
        world = self.world
        browsers = [Browser(world, self.checks, name, Random(world.chance.getrandbits(64))) for name in self.names]
        world.tell(f"the club: {self.what} of {self.game} for {len(browsers)}")
        match self.what:
            case "swiss":
                await self._tournament(browsers)
            case "duplicate":
                form = {"game": self.game, "people": 1, "deals": 1}
                here = (await browsers[0].insist("POST", "/duplicate", form)).headers["location"]
                await self._each(browsers, f"{here}/join")
                await browsers[0].insist("POST", f"{here}/close")
                await browsers[-1].insist("GET", here)
            case _:
                await self._each(browsers, f"/daily/{self.game}")
        self.is_over = True
        world.tell("the club: all have played")

    async def _each(self, browsers: list[Browser], path: str) -> None:
        """Everybody goes to a table, perhaps twice, and plays a match."""

        async def plays(one: Browser) -> None:
            await asyncio.sleep(self.world.pace * one.chance.uniform(0.0, 20.0))
            pressed = [one.insist("POST", path, {"name": one.name}) for _ in range(one.chance.choice([1, 2]))]
            answers = await asyncio.gather(*pressed)
            codes = {_code(one) for one in answers} - {""}
            events = [(await self._table(code)).table.opened.event for code in sorted(codes)]
            if len({*events}) < len(events):  # by another server's clock, it may be another day's deal
                self.checks.fail(f"{one.name} has two tables of one event")
            await self._play(one, _code(answers[0]))

        async with asyncio.TaskGroup() as group:
            for one in browsers:
                group.create_task(plays(one), context=self.world.context.copy())

    async def _play(self, browser: Browser, code: str) -> None:
        """Play at the table with this code, if there is one, until its match is over."""
        if not code:
            return
        live = await self._table(code)
        guest = Guest(self.world, self.checks, browser.name, live, self.habits, 0)
        self.world.guests.append(guest)
        self.world.do(guest.live())
        while guest.told is None or not (guest.told.over or guest.told.closed or guest.told.frozen):
            await asyncio.sleep(self.world.pace * 5.0)

    async def _table(self, code: str) -> LiveTable:
        while True:
            there = self.world.there
            try:
                return await there[0].do(there[0].tables.get(code))
            except (ParlourError, IndexError):
                await asyncio.sleep(self.world.pace)

    async def _tournament(self, browsers: list[Browser]) -> None:
        host, rounds = Browser(self.world, self.checks, "the host", browsers[0].chance), 2
        form = {"game": self.game, "size": 2, "rounds": rounds, "title": "Sunday", "patience": 3600}
        hosts = (await host.insist("POST", "/swiss", form)).headers["location"]
        here = hosts.partition("/host/")[0]
        for one in browsers:
            await one.insist("POST", f"{here}/join", {"name": one.name})
        for number in range(1, rounds + 1):
            await host.insist("POST", f"{hosts}/start", {"round": number})
            await self._each(browsers, f"{here}/table")
            await host.insist("POST", f"{hosts}/close")
            found = msgspec.json.decode((await host.insist("GET", f"{here}/standings.json")).body)
            self.checks.tournament(found, len(browsers), number)


__all__ = ["Browser", "Club", "Site"]
