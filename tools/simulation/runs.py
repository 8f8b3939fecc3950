"""One world from beginning to end."""

from __future__ import annotations

import asyncio
import logging
import traceback
from dataclasses import dataclass, field
from random import Random
from typing import Final

from parlour import game_names
from parlour.base.errors import ParlourError
from parlour.server.web.new_table import opened_as, wanted_table
from tools.simulation.checks import Broken, Checks
from tools.simulation.guests import Guest
from tools.simulation.world import World

NAMES = ["Ann", "Ben", "Cleo", "Dan", "Eve", "Finn"]


PACES = ((1.0, 0.2), (60.0, 12.0), (3000.0, 336.0))
"""How much more slowly servers do what they do on their own, and the hours of such a world."""


RECOVERY: Final = 90.0
"""Seconds after the last fault within which everybody can go on, where servers are not slowed down."""
ALONE: Final = 120.0
"""Seconds after the last guest has gone within which nothing is left of them in memory, beside what is done each hour."""


@dataclass
class Outcome:
    """What came of a world."""

    seed: int
    hours: float
    broken: str
    story: list[str] = field(repr=False, default_factory=list)
    steps: int = 0
    entries: int = 0
    acknowledged: int = 0
    compared: int = 0


class Run:
    """A world, and what happens in it."""

    def __init__(self, seed: int) -> None:
        chance = Random(seed ^ 0x5EED)
        self.pace, self.hours = chance.choice(PACES)
        self.world = World(seed, shared=chance.random() < 0.7, pace=self.pace)
        self.chance = chance
        self.checks = Checks(self.world)
        self.guests: list[Guest] = self.world.guests

    async def begin(self) -> None:
        """Servers start, tables are opened, guests come."""
        world, chance = self.world, self.chance
        for _ in range(chance.randrange(1, 4) if world.is_shared else 1):
            world.start_server()
        await asyncio.sleep(self.pace)
        for _ in range(chance.randrange(1, 4)):
            await self._open()
        self.trouble = world.do(self._trouble())

    async def _open(self) -> None:
        world, chance = self.world, self.chance
        game = chance.choice(game_names())
        by_post = self.pace > 1 and chance.random() < 0.5
        terms = {
            "game": game,
            "bots": chance.choice(["random", ""]),
            "pace": min(60.0, self.pace * chance.choice([0.0, 1.0])),
            "grace": min(3600.0, self.pace * chance.choice([5.0, 30.0, 300.0])),
            "patience": min(86400.0, self.pace * chance.choice([0.0, 60.0, 3600.0])),
            "beat": min(60.0, 3 * self.pace),
            "by_post": by_post,
        }
        try:
            opened = opened_as(wanted_table(**terms))
        except ParlourError:
            return
        server = chance.choice(world.there)
        live = await server.do(server.tables.open(opened))
        live.stir()
        table = live.id
        world.tell(f"table {live.code}: {game}, {opened.players} players, {terms}")
        for name in chance.sample(NAMES, chance.randrange(1, min(4, opened.players) + 1)):
            guest = Guest(world, self.checks, f"{name}{len(self.guests)}", table, by_post)
            self.guests.append(guest)
            world.do(guest.live())

    async def _trouble(self) -> None:
        """What goes wrong."""
        world, chance, disk = self.world, self.chance, self.world.disk
        often = self.hours * 3600 / chance.choice([3, 10, 40])
        while True:
            await asyncio.sleep(chance.expovariate(1 / often))
            there = world.there
            match chance.randrange(8):
                case 0 | 1 if there:
                    world.kill(chance.choice(there))
                    await asyncio.sleep(self.pace * chance.choice([0.1, 5.0, 60.0]))
                    world.start_server()
                case 2 if there:
                    server = chance.choice(there)
                    seconds = self.pace * chance.choice([0.5, 2.0, 5.0, 30.0])
                    world.tell(f"{server.process} stalls for {seconds} s")
                    server.stall(seconds)
                case 3 if there:
                    server = chance.choice(there)
                    world.tell(f"{server.process} is restarted")
                    if not world.is_shared:
                        await server.do(server.stop())
                        world.servers.remove(server)
                        world.start_server()
                    else:
                        world.start_server()
                        await server.do(server.stop())
                        world.servers.remove(server)
                case 4:
                    fault = chance.choice(["before", "after", "away", "full", "killed before", "killed after"])
                    world.tell(f"the database: {fault}")
                    disk.faults[fault] = chance.choice([0.02, 0.2, 1.0])
                    await asyncio.sleep(self.pace * chance.choice([1.0, 10.0]))
                    disk.faults.clear()
                    if not world.there:
                        world.start_server()
                case 5 if self.guests:
                    chance.choice(self.guests).disconnect()
                case 6 if disk.listening:
                    chance.choice(disk.listening).breaks()
                case _:
                    world.weather.slow = self.pace * chance.choice([0.001, 0.01, 0.1])
            if not world.there and not any(one.process.is_alive for one in world.servers):
                world.start_server()

    def go(self) -> Outcome:
        """Let it all happen."""
        world = self.world
        broken = ""
        logger = logging.getLogger("parlour.server")
        logger.addHandler(world.journal)
        asyncio.events._set_running_loop(None)
        try:
            world.do(self._guarded())
            world.run(self.hours * 3600)
            if self.failure:
                raise self.failure
            if self.checks.broken:
                raise Broken(self.checks.broken)
            self._calm()
            self.checks.at_rest()
            self._alone()
            self.checks.at_rest()
            self.checks.empty(self.pace > 1)
        except Broken as wrong:
            broken = str(wrong)
        except Exception:
            broken = traceback.format_exc()
        finally:
            logger.removeHandler(world.journal)
        world.loop.bury()
        entries = world.disk.look("SELECT count(*) FROM entries")[0][0]
        return Outcome(
            world.seed,
            self.hours,
            broken,
            world.story,
            world.loop.steps,
            entries,
            self.checks.acknowledged,
            self.checks.compared,
        )

    failure: Exception | None = None

    def _let(self, seconds: float) -> None:
        """Let time go by, if nothing is broken."""
        self.world.run(self.pace * seconds)
        if self.checks.broken:
            raise Broken(self.checks.broken)

    def _calm(self) -> None:
        """The faults end: soon everybody can go on, and everybody who is here is served."""
        world = self.world
        world.tell("the faults end")
        self.trouble.cancel()
        world.disk.faults.clear()
        world.weather.is_fair, world.weather.slow = True, 0.01 * self.pace
        for server in world.servers:
            if server.process.is_stalled:
                world.loop.resume(server.process)
        if not world.there:
            world.do(self._start())
        self._let(RECOVERY)
        for guest in self.guests:
            guest.is_calm = True
        self._let(RECOVERY)
        self.checks.goes_on(self.guests)

    async def _start(self) -> None:
        self.world.start_server()

    def _alone(self) -> None:
        """Everybody goes away."""
        for guest in self.guests:
            guest.is_gone = True
            guest.disconnect()
        hourly = 2 * 3600.0 * max(1.0, self.pace / 100) if self.pace > 1 else 0.0
        self._let(ALONE + (hourly + 300.0) / self.pace)

    async def _guarded(self) -> None:
        try:
            await self.begin()
        except Exception as failure:
            self.failure = failure
            self.world.loop.stop()


def play(seed: int) -> Outcome:
    """Play a world."""
    return Run(seed).go()


__all__ = ["Outcome", "Run", "play"]
