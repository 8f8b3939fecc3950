"""One world from beginning to end: what is to happen in it follows from its seed, and can be made less."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import logging
import re
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from msgspec import structs

from parlour import game_names
from parlour.base.errors import ParlourError
from parlour.server.store.retention import DAY, Keep
from parlour.server.table.seats import fingerprint
from parlour.server.web.new_table import opened_as, wanted_table
from tools.simulation import twins
from tools.simulation.checks import HUSHED, Broken, Checks
from tools.simulation.guests import Guest, Habits
from tools.simulation.world import Server, World

NAMES: Final = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn")
PACES: Final = ((10.0, 1.0), (60.0, 12.0), (3000.0, 336.0))
"""How much more slowly servers do what they do on their own, and the hours of such a large world."""
RECOVERY: Final = 90.0, 40.0
"""Seconds after the last fault within which everybody can go on, where servers are not slowed down; in a large world,
and in a small one."""
TAKEN_OVER: Final = 15.0
"""Seconds after the last fault within which each table is run by a server, if somebody is there."""
ALONE: Final = 120.0
"""Seconds after the last guest has gone within which nothing is left of them, beside what is done each hour."""
HARMLESS: Final = ("stall", "cut", "deaf", "slow", "crawl", "leap")
"""What goes wrong and leaves nothing behind."""
TROUBLES: Final[tuple[str, ...]] = (
    *HARMLESS, "kill", "kill", "restart", "before", "after", "away", "full", "locked", "killed before", "killed after",
)  # fmt: skip
"""What goes wrong in a large world: servers stall, are killed, or are restarted; their clocks leap; the database fails
in some way; a guest's connection is cut, a server's to the database; everything takes longer."""
LOCKED: Final = ("counted", "results", "counted", "inbox", "secrets", "presence", "servers", "seatings")
"""Tables of the database that may be locked."""


SHORT: Final = ("kuhn", "leduc", "kuhn", "leduc", "dividha")
"""Games of short matches."""


@dataclass(frozen=True)
class Kind:
    """What small worlds of a kind are drawn from: of each, one is taken.  ``lasts``: so many times the pace, in
    seconds; ``troubles``: what goes wrong, ``many`` of these; ``often``: after so many times the pace, on average;
    ``rests``: so many times the pace bots take for a move; ``days``: if any, tables are by post, and guests take up to
    so many for a move."""

    games: tuple[str, ...] = (*game_names(), *SHORT, *SHORT, *HUSHED)
    servers: tuple[int, ...] = (0, 1, 2, 2, 2, 2, 3)
    guests: tuple[int, ...] = (1, 2, 3, 4)
    paces: tuple[float, ...] = (1.0, 10.0, 60.0)
    lasts: tuple[float, ...] = (40, 80)
    troubles: tuple[tuple[str, ...], ...] = (
        ("leap",), ("stall",), ("cut", "deaf", "slow"), ("kill",), ("restart", "kill"),
        ("before", "after", "away", "full"), ("before", "after"), ("killed before", "killed after"),
    )  # fmt: skip
    many: tuple[int, ...] = (0, 1, 1, 1, 2)
    often: tuple[float, ...] = (8.0, 25.0, 60.0)
    endings: tuple[str, ...] = ("", "", "goes on", "goes on", "goes on", "alone")
    restless: tuple[float, ...] = (0.0, 0.1, 0.6)
    does: tuple[tuple[int, ...], ...] = ()
    hasty: tuple[bool, ...] = (True, True, False)
    apart: tuple[tuple[int, ...], ...] = ((0,), (1,), (1,), (1, 2))
    sits: tuple[float, ...] = (1.0,)
    again: tuple[float, ...] = (0.7, 1.0)
    rests: tuple[float, ...] = (0.0, 1.0)
    clubs: tuple[str, ...] = ("",)
    keeps: tuple[Keep, ...] = (Keep(),)
    days: tuple[float, ...] = (0.0,)

    def habits(self, chance: Random) -> Habits:
        """Return what the guests of a world are like."""
        does = chance.choice(self.does) if self.does else tuple(chance.sample(range(13), chance.choice([1, 2, 4, 13])))
        return Habits(
            (chance.choice(self.restless),), does, chance.choice(self.hasty), chance.choice(self.apart),
            chance.choice([0.0, 0.0, 0.5]), chance.choice(self.sits), chance.choice(self.again),
            chance.choice(self.days),
        )  # fmt: skip


KINDS: Final = {
    "mixed": Kind(),
    "secrets": Kind(
        games=(*HUSHED, "commit"), servers=(1, 2), guests=(3, 4), paces=(1.0,), lasts=(60, 120), many=(0,),
        endings=("",), restless=(0.0, 0.1), hasty=(True,),
    ),
    "disk": Kind(
        games=("kuhn", "kuhn", "kuhn", "leduc"), servers=(0, 1, 1, 2), lasts=(20, 40), many=(1,), often=(2.0, 6.0),
        troubles=(("before", "after", "full"), ("before", "full")), endings=("goes on",), restless=(0.0, 0.1),
        hasty=(True,), apart=((0,), (0,), (1,)), again=(0.0, 0.6),
    ),
    "locked": Kind(
        games=("kuhn",), servers=(0, 1, 2), guests=(1, 2), paces=(1.0, 10.0), lasts=(40,), many=(1,),
        often=(15.0, 40.0), troubles=(("locked",),), endings=("goes on",), restless=(0.0,), hasty=(True,),
        apart=((0,), (1,)), again=(0.0,),
    ),
    "passed on": Kind(
        games=SHORT, servers=(2, 2, 3), guests=(3, 4), paces=(1.0, 10.0), lasts=(40,), many=(1,), often=(4.0, 8.0),
        troubles=(
            ("before",), ("full",), ("locked",), ("deaf",), ("crawl",), ("killed before", "killed after"),
            ("killed after",),
        ),
        endings=("goes on", "alone"), restless=(0.6,), hasty=(True,), apart=((1,),),
    ),
    "watched": Kind(
        games=("hearts", "newmarket", "pope_joan", "diamondback", "matrimony", "commit"), servers=(2, 3), lasts=(40,),
        troubles=(("kill",),), many=(0, 1), often=(25.0,), endings=("goes on",), restless=(0.0,), hasty=(True,),
        apart=((1,),), sits=(0.0, 0.0, 0.5), rests=(1.0,),
    ),
    "taken back": Kind(
        games=(*SHORT, *game_names()), lasts=(40,), troubles=(("kill",), ("cut",)), restless=(0.1, 0.6),
        does=((0, 3), (3,), (0, 2, 3, 4)), hasty=(True,),
    ),
    "page": Kind(
        games=(*SHORT, *game_names()), servers=(0,), guests=(1,), paces=(1.0,), lasts=(80, 160), many=(0,),
        restless=(0.1, 0.6), does=((3,), (0, 3)), hasty=(True,), again=(1.0,), rests=(1.0,),
    ),
    "club": Kind(
        games=("kuhn", "leduc", "kuhn", "dividha"), servers=(0, 1, 2), guests=(2, 3, 4), paces=(1.0, 10.0),
        lasts=(150,), troubles=(("kill",), ("stall",), ("away",), ("restart",), ("cut",)), many=(0, 1, 1),
        often=(30.0,), endings=("goes on",), restless=(0.1, 0.6), does=((0, 2, 12), (12,)), hasty=(True,),
        apart=((0,),), rests=(0.0,), clubs=("swiss", "duplicate", "daily"),
    ),
    "post": Kind(
        games=tuple(name for name in (*game_names(), *SHORT, *SHORT) if name not in HUSHED), servers=(0, 1, 2, 2, 3),
        guests=(2, 3), paces=(20_000.0,), lasts=(800, 2000), many=(0, 1, 1), often=(100.0, 400.0),
        troubles=(("kill",), ("restart", "leap"), ("stall", "cut")), endings=("goes on",), restless=(0.0, 0.02),
        does=(tuple(range(12)), (0, 3)), hasty=(False,), apart=((0,),), again=(1.0,), days=(2.0, 10.0),
    ),
    "kept": Kind(
        games=SHORT, servers=(0, 1, 2), guests=(2, 3), paces=(3000.0,), lasts=(20, 40), endings=("kept",), many=(0, 1),
        restless=(0.1, 0.6), does=((2, 3, 4), (2,)), hasty=(True,), again=(1.0,),
        keeps=(Keep(10 * DAY, 2 * DAY, DAY, 20 * DAY), Keep(12 * DAY, 5 * DAY, 3 * DAY, 14 * DAY)),
    ),
}  # fmt: skip
"""Small worlds: minutes at a table, where few things happen, each often, so that they meet."""
LARGE, PAIR = "large", "pair"
"""A large world: days of play by post, many tables, all that guests may do; and two small ones beside each other
(:mod:`tools.simulation.twins`)."""
ORDER: Final = (
    LARGE, "taken back", "secrets", "disk", PAIR, "passed on", "watched", "mixed", "page", PAIR,
    "mixed", "secrets", "passed on", "disk", "watched", "mixed", "post", "locked", "club", "kept",
)  # fmt: skip
"""The kind of the world of each seed, over and over again."""


def kind_of(seed: int) -> str:
    """Return the kind of world that a seed means."""
    return ORDER[seed % len(ORDER)]


@dataclass(frozen=True)
class Trouble:
    """Something that goes wrong at a time."""

    at: float
    what: str
    seed: str


@dataclass(frozen=True)
class Played:
    """A table of a world: what is wanted of it, the names of its guests, and whether it waits for them to begin."""

    terms: dict[str, Any]
    guests: tuple[str, ...]
    awaits: bool


@dataclass(frozen=True)
class Scenario:
    """What is to happen in a world."""

    seed: int
    pace: float
    hours: float
    servers: int
    """How many there are; 0: one, with a database of its own."""
    tables: tuple[Played, ...]
    troubles: tuple[Trouble, ...]
    habits: Habits
    club: str
    """What its guests play in the club; empty: nothing."""
    keep: Keep
    ending: str
    """What comes at last: ``goes on``: the faults end, and everybody is served; ``alone``: then everybody goes away;
    ``kept``: one guest has themselves deleted, another signs out everywhere, and weeks pass."""

    @classmethod
    def of(cls, seed: int) -> Scenario:
        """Return what a seed means."""
        chance, name = Random(f"scenario {seed}"), kind_of(seed)
        if name == LARGE:
            kind, kinds, habits, ending, club = Kind(games=(*game_names(),)), TROUBLES, Habits(), "alone", ""
            keep = Keep()
            (pace, hours), servers, many = (
                chance.choice(PACES),
                chance.choice([0, 1, 2, 2, 3, 5]),
                chance.randrange(1, 4),
            )
            often = hours * 3600 / chance.choice([3, 10, 40])
        else:
            kind, many = KINDS[name], 1
            ending, servers, habits = chance.choice(kind.endings), chance.choice(kind.servers), kind.habits(chance)
            club, keep = chance.choice(kind.clubs), chance.choice(kind.keeps)
            pace = 60.0 if ending == "alone" else chance.choice(kind.paces)
            hours, often = pace * chance.choice(kind.lasts) / 3600, pace * chance.choice(kind.often)
            kinds = tuple(itertools.chain(*chance.sample(kind.troubles, chance.choice(kind.many))))
        tables, names = list[Played](), 0
        for _ in range(many):
            game = chance.choice(kind.games)
            terms = {
                "game": game, "bots": chance.choice(["random", ""]),
                "pace": min(60.0, pace * chance.choice(kind.rests)),
                "grace": min(3600.0, pace * chance.choice([5.0, 30.0])), "beat": min(60.0, 3 * pace),
                "patience": min(86400.0, pace * chance.choice([0.0, 60.0, 3600.0])),
                "by_post": pace > 1 and game not in HUSHED and chance.random() < 0.5,
            }  # fmt: skip
            if habits.days:
                terms |= {"by_post": True, "patience": DAY * chance.choice([0, 7, 30])}
            guests = tuple(
                f"{one}{names + n}" for n, one in enumerate(chance.sample(NAMES, chance.choice(kind.guests)))
            )
            names += len(guests)
            tables.append(Played(terms, guests, habits.sits == 1.0 and chance.random() < 0.5))
        at, troubles = 0.0, list[Trouble]()
        while kinds and (at := at + chance.expovariate(1 / often)) < hours * 3600:
            troubles.append(Trouble(at, chance.choice(kinds), f"{seed} {len(troubles)}"))
        if kinds and not {*kinds} <= {*HARMLESS} and chance.random() < 0.4:
            troubles.append(Trouble(hours * 3600 - 0.5 * pace, "kill", f"{seed} last"))
        return cls(seed, pace, hours, servers, tuple(tables), tuple(troubles), habits, club, keep, ending)

    def only(self, *kinds: str) -> bool:
        """Whether nothing goes wrong but this."""
        return all(one.what in kinds for one in self.troubles)

    def smaller(self) -> Iterator[Scenario]:
        """Give scenarios in which less happens."""
        half = len(self.troubles) // 2
        if half > 1:
            yield replace(self, troubles=self.troubles[:half])
            yield replace(self, troubles=self.troubles[half:])
        for n in range(len(self.tables)):
            yield replace(self, tables=(*self.tables[:n], *self.tables[n + 1 :]))
        for n in range(len(self.troubles)):
            yield replace(self, troubles=(*self.troubles[:n], *self.troubles[n + 1 :]))
        for n, table in enumerate(self.tables):
            for m in range(len(table.guests)):
                fewer = replace(table, guests=(*table.guests[:m], *table.guests[m + 1 :]))
                yield replace(self, tables=(*self.tables[:n], fewer, *self.tables[n + 1 :]))
        if self.servers > 1:
            yield replace(self, servers=self.servers - 1)


@dataclass
class Outcome:
    """What came of a world: the sentence that says what is broken, and how much there was of everything."""

    seed: int
    hours: float
    broken: str
    story: list[str] = field(repr=False, default_factory=list)
    steps: int = 0
    entries: int = 0
    acknowledged: int = 0
    tellings: int = 0
    records: int = 0


class Run:
    """A world, and what happens in it."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.pace = scenario, scenario.pace
        self.world = World(scenario.seed, shared=scenario.servers > 0, pace=self.pace, keep=scenario.keep)
        is_fair = scenario.only("leap")
        self.checks = Checks(self.world, is_fair, scenario.only(*HARMLESS))
        self.is_even = scenario.only("leap", "kill")
        if self.is_even:
            self.world.weather.tail, self.world.weather.slow = 0.0, 0.005 * self.pace
        guests = [one for table in scenario.tables for one in table.guests]
        self.checks.is_alone = not scenario.servers and len(guests) == 1 and not scenario.habits.tabs
        self.guests: list[Guest] = self.world.guests
        self.going = list[asyncio.Task[None]]()

    # ------------------------------------------------------------------ what happens

    async def begin(self) -> None:
        """Servers start, tables are opened, guests come."""
        world = self.world
        for _ in range(max(1, self.scenario.servers)):
            world.start_server()
        await asyncio.sleep(self.pace)
        for table in self.scenario.tables:
            await (self._gather(table) if self.scenario.club else self._open(table))
        for trouble in self.scenario.troubles:
            self.going.append(world.do(self._later(trouble)))

    async def _gather(self, wanted: Played) -> None:
        from tools.simulation.web import Club

        names = tuple(f"{name}{n}" for n, name in enumerate(wanted.guests))
        club = Club(self.world, self.checks, self.scenario.club, wanted.terms["game"], names, self.scenario.habits)
        self.world.do(club.run())

    async def _open(self, wanted: Played) -> None:
        world = self.world
        try:
            opened = opened_as(wanted_table(**wanted.terms))
        except ParlourError:
            return  # with these rules it cannot be played by post
        if wanted.awaits:
            opened = structs.replace(opened, awaits=min(opened.players, len(wanted.guests)))
        server = world.chance.choice(world.there)
        live = await server.do(server.tables.open(opened))
        live.stir()
        world.tell(f"table {live.code}: {opened.game}, {opened.players} players, {wanted.terms}")
        habits = self.scenario.habits
        for name in wanted.guests[: opened.players]:
            for tab in range(1 + (world.chance.random() < habits.tabs)):
                guest = Guest(world, self.checks, name, live, habits, tab)
                self.guests.append(guest)
                world.do(guest.live())

    async def _later(self, trouble: Trouble) -> None:
        await asyncio.sleep(max(0.0, trouble.at - self.world.loop.time()))
        await self._happens(trouble.what, Random(trouble.seed))
        self._see_that_somebody_is_there()

    async def _happens(self, what: str, chance: Random) -> None:
        world, disk = self.world, self.world.disk
        there = world.there
        server = chance.choice(there) if there else None
        if len(there) > 1 and chance.random() < 0.7:  # stop a server that runs a table
            server = next((one for one in there if any(live.fence for live in one.tables.live.values())), server)
        match what:
            case "kill" if server:
                world.kill(server)
                if self.is_even:
                    self.going.append(world.do(self.checks.taken_over(server)))
                if chance.random() < 0.8 or not world.there:
                    await asyncio.sleep(self.pace * chance.choice([0.1, 5.0, 60.0]))
                    if world.is_shared or not world.there:  # a database of its own has one server
                        world.start_server()
            case "stall" if server:
                seconds = self.pace * chance.choice([0.5, 2.0, 5.0, 30.0])
                world.tell(f"{server.process} stalls for {seconds:g} s")
                server.stall(seconds)
            case "restart" if server:
                world.tell(f"{server.process} is restarted")
                if world.is_shared:
                    world.start_server()
                world.do(self._stops(server))  # to its end, even if the faults end before
            case "leap" if server and world.is_shared:
                server.outside.ahead = chance.choice([0.0, -30.0, 30.0, 90.0, -3600.0, 86400.0])
                world.tell(f"the clock of {server.process} is {server.outside.ahead:g} s ahead")
            case "cut" if self.guests:
                chance.choice(self.guests).disconnect()
            case "deaf" if disk.listening:
                chance.choice(disk.listening).breaks(self.pace * chance.choice([0.0, 6.0, 12.0]))
            case "slow":
                world.weather.slow = self.pace * chance.choice([0.001, 0.01, 0.1])
            case "crawl":
                world.weather.slow = self.pace * chance.choice([0.4, 0.5, 1.0])
            case "locked":
                disk.locked.append(chance.choice(LOCKED))
                world.tell(f"the database: nothing can be changed in {disk.locked[-1]}")
                await asyncio.sleep(self.pace * chance.choice([10.0, 60.0]))
                if disk.locked:
                    disk.locked.pop(0)
            case "before" | "after" | "away" | "full" | "killed before" | "killed after":
                world.tell(f"the database: {what}")
                often = 1.0 if what == "away" else chance.choice([0.2, 0.5, 0.5, 1.0])
                disk.faults[what] = often
                kills = what.startswith("killed")
                if what == "away":
                    world.do(self._look())
                await asyncio.sleep(self.pace * chance.choice([1.0, 10.0] if often == 1.0 or kills else [10.0, 60.0]))
                disk.faults.pop(what, None)
                if kills and there:
                    for _ in range(self.scenario.servers - len(self.world.there)):
                        world.start_server()

    async def _stops(self, server: Server) -> None:
        await server.do(server.stop())
        self.world.servers.remove(server)
        with contextlib.suppress(ParlourError):  # the database is away: whatever happens next starts one
            self._see_that_somebody_is_there()

    async def _look(self) -> None:
        """Somebody asks for what does not come without the database."""
        from tools.simulation.web import Browser

        browser = Browser(self.world, self.checks, "Zoe", Random(self.scenario.seed))
        for path in ("/lobby", "/you", "/api/1/tables"):
            await browser.ask("GET", path)

    def _see_that_somebody_is_there(self) -> None:
        if not self.world.there and not any(one.process.is_alive for one in self.world.servers):
            self.world.start_server()

    # ------------------------------------------------------------------ from beginning to end

    def go(self) -> Outcome:
        """Let it all happen."""
        world, broken = self.world, ""
        logger = logging.getLogger("parlour.server")
        logger.addHandler(world.journal)
        try:
            beginning = world.do(self.begin())
            self._let(self.scenario.hours * 3600 / self.pace)
            if beginning.done():
                beginning.result()
            if self.scenario.ending:
                self._calm()
            self.checks.at_rest()
            if self.scenario.ending == "alone":
                self._alone()
                self.checks.at_rest()
                self.checks.empty()
            if self.scenario.ending == "kept":
                self._weeks()
        except Broken as wrong:
            broken = str(wrong)
        except Exception:
            broken = traceback.format_exc()
        finally:
            logger.removeHandler(world.journal)
            world.loop.bury()
        entries = world.disk.look("SELECT count(*) FROM entries")[0][0]
        seen, hours = self.checks, world.loop.time() / 3600
        return Outcome(
            world.seed, hours, broken, world.story, world.loop.steps, entries, seen.acknowledged, seen.compared,
            seen.records,
        )  # fmt: skip

    def _let(self, seconds: float) -> None:
        """Let time go by, if nothing is broken."""
        self.world.run(self.pace * seconds)
        if self.checks.broken:
            raise Broken(self.checks.broken)

    def _calm(self) -> None:
        """The faults end: soon everybody can go on, and everybody who is here is served."""
        world = self.world
        world.tell("the faults end")
        for trouble in self.going:
            trouble.cancel()
        world.disk.faults.clear()
        world.disk.locked.clear()
        world.weather.is_fair, world.weather.slow = True, 0.01 * self.pace
        for server in world.servers:
            if server.process.is_stalled:
                world.loop.resume(server.process)
        for ear in list(world.disk.listening):
            ear.hears_again()
        world.do(self._again())
        self._let(TAKEN_OVER)
        self.checks.is_run()
        self.checks.none_is_left()
        recovery = RECOVERY[kind_of(self.scenario.seed) != LARGE]
        self._let(recovery - TAKEN_OVER - 20.0)
        self.checks.moves_on(20.0 * self.pace)  # before anybody leaves, by which servers look again at who is there
        for guest in self.guests:
            guest.is_calm = True
        for guest in self.guests[1::3]:
            guest.is_gone = True  # the guest leaves without a word
            guest.disconnect()
        then = self.checks.fences()
        self._let(recovery)
        self.checks.goes_on(self.guests, recovery * self.pace, then)

    async def _again(self) -> None:
        self._see_that_somebody_is_there()

    def _alone(self) -> None:
        """Everybody goes away."""
        for guest in self.guests:
            guest.is_gone = True
            guest.disconnect()
        hourly = 2 * 3600.0 * max(1.0, self.pace / 100)
        self._let(ALONE + (hourly + 300.0) / self.pace)

    def _weeks(self) -> None:
        """A guest has themselves deleted, another is somebody else from now on; then weeks pass."""
        keys = dict.fromkeys(guest.key for guest in self.guests)
        for n, key in enumerate(keys):
            for guest in self.guests:
                if n or guest.key == key:  # the others play on while the first is deleted
                    guest.is_gone = True
                    guest.disconnect()
            self._let(10.0)
            self.checks.rewritten(key)
            other = fingerprint(f"{key} from now on") if n else ""
            asked = self.world.do(self._ends(key, other))
            self._let(60.0)
            if not asked.done():
                self.checks.fail(f"{key} waits to be deleted")
            asked.result()
            self.checks.is_unknown(key)
            self.checks.is_run()
        for days in (3, 3, 3, 3, 9, 24, 24, 24):
            self._let(days * DAY / self.pace)
            self.checks.at_rest()
            self.checks.past_its_time(self.scenario.keep)

    async def _ends(self, key: str, other: str) -> None:
        server = self.world.there[0]
        guests = server.tables.guests
        await server.do(guests.move(key, other) if other else guests.forget(key))


def play(scenario: Scenario | int) -> Outcome:
    """Play a world: of a scenario, or of a seed."""
    gc.collect()
    gc.freeze()
    gc.disable()  # what is left of a world ends between worlds: within one, when would depend on those before
    try:
        if isinstance(scenario, int):
            if kind_of(scenario) == PAIR:
                return _pair(scenario)
            scenario = Scenario.of(scenario)
        return Run(scenario).go()
    finally:
        gc.enable()


def _pair(seed: int) -> Outcome:
    """Play the two worlds of a seed that a seat must not be able to tell apart."""
    game, seat, first, second, whispers = twins.drawn(seed)
    heard, seconds, said = twins.differ(game, seat, first, second, twins.Terms(seed, whispers))
    return Outcome(seed, seconds / 3600, said, tellings=heard)


def _sort(broken: str) -> str:
    """What is broken, whoever it happens to, and when."""
    return re.sub(r"\S*[\dA-Z'=]\S*", "", broken.strip().rpartition("\n")[2])


def shrink(scenario: Scenario, seconds: float = 60.0) -> tuple[Scenario, Outcome]:
    """Return a scenario in which less happens and the same is still broken; it is looked for so many seconds."""
    end, outcome = time.process_time() + seconds, play(scenario)
    sort = _sort(outcome.broken)
    going = True
    while going:
        going = False
        for smaller in scenario.smaller():
            if time.process_time() > end:
                break
            if _sort((other := play(smaller)).broken) == sort:
                scenario, outcome, going = smaller, other, True
                break
    return scenario, outcome


__all__ = ["PAIR", "Outcome", "Run", "Scenario", "kind_of", "play", "shrink"]
