"""Guests: what they want, how patient they are, and what they remember."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from parlour.server.client.witness import Witness
from parlour.server.common import wire
from parlour.server.live.connection import SILENT
from parlour.server.store.retention import DAY
from parlour.server.table.seats import WATCHER, fingerprint
from tools.simulation.world import Line, World

if TYPE_CHECKING:
    from parlour.server.live.live_table import LiveTable
    from tools.simulation.checks import Checks, Said


@dataclass(frozen=True)
class Habits:
    """What the guests of a world are like.

    ``restless``: how likely they do what nobody has to do when they have time; ``does``: what that is; ``hasty``:
    whether they think for seconds at most; ``apart``: whether each keeps to a server, and to which: 0: any, 1: not the
    one that opened the table, 2: that one and no other; ``tabs``: how likely they have two of them open; ``sits``: how
    likely they want a seat; ``again``: and another match; ``days``: if any, how many they take for a move at most.
    """

    restless: tuple[float, ...] = (0.0, 0.02, 0.1)
    does: tuple[int, ...] = tuple(range(13))
    hasty: bool = False
    apart: tuple[int, ...] = (0,)
    tabs: float = 0.0
    sits: float = 1.0
    again: float = 0.7
    days: float = 0.0


class Guest:
    """A guest of a table: a client with a memory, and somebody who plays, talks, leaves and comes back.  ``tab``: the
    number of this page among those that they have open."""

    def __init__(self, world: World, checks: Checks, name: str, live: LiveTable, habits: Habits, tab: int) -> None:
        self.world, self.checks, self.name, self.table = world, checks, name + "-" * tab, live.id
        self.game, self.by_post, self.habits, self.opener = (
            live.table.opened.game,
            live.table.opened.by_post,
            habits,
            live.tables,
        )
        self.chance = Random(world.chance.getrandbits(64))
        self.key = fingerprint(f"token of {name}")
        self.apart = self.chance.choice(habits.apart)
        self.answers: dict[str, tuple[wire.AnyCommand, bool]] = {}
        """Commands that were answered, and whether they were done."""
        self.line: Line | None = None
        self.told: wire.Telling | None = None
        self.since = self.told_at = self.repeated = 0.0  # when they were connected, told something, asked again last
        self.terms = live.table.opened
        self.hushed: float | None = None
        """Since when they have known of a secret question; 0: there is none; ``None``: they were not here when it
        came."""
        self.numbers = 1000 * sum(one.name == self.name for one in world.guests)  # they may be at several tables
        self.waiting: dict[str, tuple[wire.AnyCommand, float]] = {}
        """Commands without an answer, and when they were first sent on this line."""
        self.played, self.wants_more = 0, False
        self.mixed = 0, 0
        """The match in which numbers were collected last, and how often the table had been taken over then."""
        self.seat_wanted = not tab and self.chance.random() < habits.sits
        self.mixes = self.chance.random() < 0.7 and not tab  # one client of a guest speaks for their seat
        self.items = self.chance.random() < 0.3
        self.witness = Witness(self.mixes)
        self.says_shown = checks.is_alone and self.chance.random() < 0.9
        self.holds, self.steps = self.chance.random() < 0.5, self.says_shown or self.chance.random() < 0.5
        self.said_shown: tuple[int, int] | None = None
        """The match and how much of it their page has said on this line that it has shown; ``None``: nothing yet."""
        self.shows_until = self.said_at = self.says_since = 0.0
        self.to_show, self.pages = (0, 0), 0  # what they were told last, and how often something was taken back
        self.restless = self.chance.choice(habits.restless)
        self.news = asyncio.Event()
        self.is_gone = self.is_calm = False
        self.story: tuple[int, int, list[Said]] = (WATCHER, 0, [])  # the seat, the match, and what was heard there

    # ------------------------------------------------------------------ the client

    def connect(self) -> None:
        """Connect to any server that is there."""
        there = self.world.there
        if not there or self.line is not None:
            return
        if self.apart:
            mine = [one for one in there if (one.tables is self.opener) == (self.apart == 2)]
            there = mine[:1] or there
        server = self.chance.choice(there)
        line = self.line = Line(self.world, server, lambda packet: self._hear(packet, line), lambda: self._lost(line))
        told, self.since, self.hushed, self.said_shown = self.told, self.world.loop.time(), None, None
        self.witness.away()
        line.open(
            self.table, self.key, match=told.match if told else 0, seat=told.seat if told else None,
            heard=told.heard if told else 0,
            mixes=self.mixes, items=self.items, holds=self.holds, steps=self.steps,
        )  # fmt: skip

    def disconnect(self) -> None:
        """Go away without a word."""
        if self.line is not None:
            self.line.cut()

    def _lost(self, line: Line) -> None:
        if self.line is line:
            self.line = None
            self.news.set()

    def _hear(self, packet: bytes, line: Line | None) -> None:
        if line is not self.line:
            return  # the guest has given up
        self.checks.heard(self, packet)
        frame = wire.decode(packet)
        match frame:
            case wire.Telling():
                self.told, self.told_at = frame, self.world.loop.time()
                if self.says_shown:
                    self._show(frame, line)
                self.witness.told(frame)
                self.news.set()
            case wire.Done() | wire.Refused():
                asked = self.waiting.get(frame.id)
                if isinstance(frame, wire.Refused) and frame.later:
                    return  # the command will be sent again
                self.waiting.pop(frame.id, None)
                if asked is not None:
                    self.checks.prompt(self, *asked)
                    self.answers[frame.id] = asked[0], isinstance(frame, wire.Done)
                if frame.id in self.answers:
                    self.checks.answered(self, *self.answers[frame.id], frame)
                self.news.set()
            case wire.MixingStage():
                if self.mixed[0] != frame.match:
                    self.mixed = frame.match, self.checks.fence(self.table)
                if self.told is not None:
                    answer = self.witness.answer(self.told.seat, frame, self._id(), fresh=False)
                    if answer is not None:
                        self._send(answer)
            case wire.ChainLink():
                self.witness.linked(frame)
            case wire.Revealed() if self.line is not None:
                self.line.record(frame.match, lambda text: self.checks.recorded(self, frame.match, text))
            case wire.Bye():
                self.news.set()

    def _show(self, told: wire.Telling, line: Line | None) -> None:
        """A page shows one thing after another, and says so; what was taken back is not shown any more."""
        now, end = self.world.loop.time(), (told.match, told.heard)

        def shown() -> None:
            if self.line is line and self.pages == pages:
                self.said_at = self.world.loop.time()
                self.says_since = self.said_at if self.said_shown is None else self.says_since
                self.said_shown = end
                self._send(wire.Shown(id=self._id(), match=told.match, heard=told.heard))

        if end < self.to_show:
            self.pages += 1
            crossed = now - self.said_at < 4 * self.world.weather.slow
            self.said_shown = None if crossed or self.said_shown is None else min(self.said_shown, end)
        pages, self.to_show = self.pages, end
        takes = min(6.0, 2.5 + 0.3 * len(told.new))
        self.shows_until = min(now + SILENT / 2, max(now, self.shows_until) + takes)
        self.world.loop.call_at(self.shows_until, shown, context=self.world.context)

    def _id(self) -> str:
        self.numbers += 1
        return f"{self.name}.{self.numbers}"

    def _send(self, command: wire.AnyCommand) -> None:
        if self.line is not None:
            self.line.ask(msgspec.json.encode(command))

    def ask(self, make: Callable[..., wire.AnyCommand], **about: Any) -> str:
        """Send a command, and remember it until it is answered."""
        command = make(id=self._id(), **about)
        self.repeated = self.world.loop.time()
        self.waiting[command.id] = command, self.repeated
        self._send(command)
        if self.chance.random() < 0.05:
            self._send(command)  # the guest presses twice
        return command.id

    # ------------------------------------------------------------------ the person

    async def live(self) -> None:
        """Be a guest until everything ends."""
        await self._wait(self.chance.uniform(0.0, 3.0 if self.habits.hasty else 60.0))
        while not self.is_gone:
            if self.line is not None and not self.line.server.process.is_alive:
                self._lost(self.line)  # the server does not answer to pings any more
            if self.line is None:
                self.connect()
                await self._wait(self.chance.uniform(0.1, 2.0))
                continue
            await self._once()

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(self.world.pace * seconds)

    async def _listen(self, seconds: float) -> None:
        """Wait until something is heard, or for so long."""
        self.news.clear()
        try:
            async with asyncio.timeout(self.world.pace * seconds):
                await self.news.wait()
        except TimeoutError:
            pass

    async def _once(self) -> None:
        told = self.told
        if told is None:
            await self._listen(5.0)
            if self.told is None and self.line is not None:
                self.disconnect()
            return
        if self._is_overdue():
            self.disconnect()  # perhaps another server answers
            await self._listen(2.0)
            return
        if self.waiting:
            if self.world.loop.time() - self.repeated > self.world.pace:
                self.repeated = now = self.world.loop.time()
                for command, since in list(self.waiting.values()):
                    self.waiting[command.id] = command, since if since > self.since else now  # lost with the old line
                    self._send(command)
            await self._listen(self.chance.uniform(1.0, 4.0))
            return
        if self.chance.random() < self.restless and not self.is_calm:
            await self._something_else(told)
        elif told.seat == WATCHER and self.seat_wanted and not (told.closed or told.frozen):
            self.ask(wire.Sit, name=self.name, seat=WATCHER)
            self.seat_wanted = False
        elif told.choices:
            await self._wait(self._thinks())
            if self.told is told:
                self.ask(wire.Act, action=self.chance.choice(told.choices).name)
                if self.habits.hasty and 3 in self.habits.does and self.chance.random() < 0.3:
                    await self._listen(1.0)
                    self.ask(wire.Undo, practice=self.chance.random() < 0.3)
        elif (told.held or self._wants_more(told)) and told.seat != WATCHER and told.seat not in told.again:
            await self._wait(self._thinks())
            if self.told is told:
                self.ask(wire.Again)
        await self._listen(self._patience())

    def _wants_more(self, told: wire.Telling) -> bool:
        """Whether they want another match after this one; they think about that once."""
        if told.over and told.match != self.played:
            self.played, self.wants_more = told.match, self.chance.random() < self.habits.again
        return told.over and self.wants_more

    def _thinks(self) -> float:
        if self.is_calm:
            return 0.5
        if self.habits.days:
            return self.chance.uniform(0.02, self.habits.days) * DAY / self.world.pace
        if self.by_post and not self.habits.hasty:
            return self.chance.uniform(60.0, 30_000.0) / self.world.pace
        return self.chance.choice([0.2, 2.0, *([] if self.habits.hasty else [6.0, self.chance.uniform(5.0, 60.0)])])

    def _patience(self) -> float:
        if self.is_calm or (self.habits.hasty and self.restless):
            return self.chance.uniform(2.0, 4.0)
        return (
            self.chance.uniform(20.0, 90.0)
            if not self.by_post or self.habits.hasty
            else self.chance.uniform(600.0, 20_000.0) / self.world.pace
        )

    def _is_overdue(self) -> bool:
        now = self.world.loop.time()
        return (
            any(now - since > 30.0 * self.world.pace for _, since in self.waiting.values())
            and self.chance.random() < 0.3
        )

    async def _visit(self) -> None:
        """Look at a page, or give a command as a program does."""
        from tools.simulation.web import Browser

        browser = Browser(self.world, self.checks, self.name, self.chance)
        if self.told is not None and self.told.over and self.chance.random() < 0.5:
            return await browser.review(self.table, self.told.match)
        if self.chance.random() < 0.7:
            return await browser.look(self.table, self.game)
        command = wire.Say(id=self._id(), text="From another tab.")
        path = f"/api/1/tables/{self.table}/commands"
        answer = await browser.ask("POST", path, body=msgspec.json.encode(command))
        if answer is not None and answer.status == 200:
            frame = wire.decode(answer.body)
            assert isinstance(frame, wire.Done | wire.Refused)
            self.checks.answered(self, command, False, frame)

    async def _something_else(self, told: wire.Telling) -> None:
        """Something that nobody has to do."""
        seated = told.seat != WATCHER
        match self.chance.choice(self.habits.does):
            case 0 | 1:
                self.disconnect()
                self.told = None if self.chance.random() < 0.3 else self.told  # sometimes the page is loaded again
                await self._wait(self.chance.choice([0.1, 3.0] if self.habits.hasty else [0.1, 3.0, 40.0, 400.0]))
            case 2:
                self.ask(wire.Say, text=self.chance.choice(["Well played!", "Hm.", "Bis morgen!"]))
            case 3 if seated:
                self.ask(wire.Undo)
            case 4 if seated:
                self.ask(wire.Leave)
                self.seat_wanted = self.chance.random() < 0.7
            case 5 if told.choices:
                self.ask(wire.Why, action=told.choices[0].name)
            case 6:
                self.ask(wire.Act, action=self.chance.choice(["win the game", "raise 1000000", "pass", "draw"]))
            case 7:
                self.ask(wire.Sit, name=f"{self.name} again", seat=self.chance.randrange(4))
            case 8:
                self.ask(wire.Phrase, name="hello")
            case 9:
                self.ask(wire.Mute, name=self.chance.choice(["Ann", "Ben"]), off=self.chance.random() < 0.5)
            case 10 if self.chance.random() < 0.3:
                self.ask(wire.Remove, seat=self.chance.randrange(4))
            case 11:
                self.ask(wire.Allow, name=self.chance.choice(wire.ALL), on=self.chance.random() < 0.7)
            case 12:
                await self._visit()
            case _:
                if self.line is not None:
                    self.line.ask(
                        self.chance.choice([b"{}", b'{"do":"act"}', b"\xff", b'{"do":"act","id":"x","action":""}'])
                    )


__all__ = ["Guest", "Habits"]
