"""At a hushed question nobody can tell by the time who was asked, or whether anybody was.

What is sent is compared in ``test_page_leaks.py``, byte by byte.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from functools import cache

import pytest

import parlour
from parlour import CHANCE
from parlour.audit.secrets import state_after
from parlour.audit.trails import Trail, walk
from parlour.server.bots.bots import Bots
from parlour.server.common import clock as room_clock
from parlour.server.common import wire
from parlour.server.live.beat import too_late
from parlour.server.live.connection import Connection
from parlour.server.live.live_table import LiveTable
from parlour.server.table import log
from parlour.server.table.table import Change
from tests.room_helpers import Clock, SlowBots, a_table, first_choice
from tests.waiting import until
from tests.worlds import Listener


class Told(Connection):
    """A connection that notes when it was told something."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.times: list[float] = []

    def send(self, packet: wire.Packet | wire.Telling | None) -> None:
        self.times.append(room_clock.now())


BEAT = 3.0


@cache
def hushed(is_asked: bool) -> Trail:
    """A moment of Commit at which a card is asked for, and the comet may be in anybody's hand: somebody can play it, or
    nobody has a choice."""
    walks = (walk(parlour.load("commit", 3), seed, 60) for seed in range(1000))
    return next(t for w in walks for t in w.trails if t.s.stage == 7 and (t.actor != CHANCE) == is_asked)


def at_a_hushed_question(is_asked: bool, bots: Bots | None = None) -> AbstractAsyncContextManager[LiveTable]:
    """A table where it has just been asked."""
    record = state_after(hushed(is_asked)).record()
    return a_table(parlour.load("commit", 3), bots or SlowBots(), record, beat=BEAT)


def done_at(live: LiveTable, is_asked: bool) -> str:
    return live.table.playing.history[len(hushed(is_asked).steps)].name


@pytest.mark.parametrize(
    ("who", "bots", "done"),
    [
        ("nobody", first_choice(), "round"),
        ("a bot", first_choice(), "comet"),
        ("a bot that does not answer", SlowBots(), "pass"),
        ("a guest who answers at once", SlowBots(), "comet"),
        ("a guest who says nothing", SlowBots(), "pass"),
    ],
)
async def test_a_hushed_question_takes_one_beat_whoever_is_asked(who: str, bots: Bots, done: str, clock: Clock) -> None:
    async with at_a_hushed_question(who != "nobody", bots) as live:
        if "guest" in who:
            await live.do("guest", wire.Sit(id="1", name="Guest", seat=hushed(True).actor))
        watcher = Told("")
        live.connect(watcher)
        if who.endswith("at once"):
            live.tables.soon(_answer(live, done))
        await until(lambda: live.beat.is_on)
        if done == "comet":
            await until(lambda: live.beat.whispers)  # it has been answered
        for part in (0.5, 0.5):
            await clock.goes_on(live, part * BEAT)
        await until(lambda: len(watcher.times) >= 4)  # the table, its spectators, what was so, what is so now
        assert done_at(live, who != "nobody") == done
        *_, before, after = watcher.times[:4]
        assert after - before == BEAT


@pytest.mark.parametrize("who", ["the guest", "nobody"])
async def test_a_hushed_question_begins_when_the_page_has_shown_what_came_before_whoever_is_asked(
    who: str, clock: Clock
) -> None:
    """Where one guest plays with bots; an answer that comes before that counts."""
    seat, is_asked = hushed(True).actor, who == "the guest"
    async with at_a_hushed_question(is_asked) as live:
        page, seen = Connection("guest", steps=True), list[bool]()
        live.audience.welcome(page)
        live.shows(page, wire.Shown(id="1", match=0, heard=0))
        await live.do("guest", wire.Sit(id="2", name="Guest", seat=seat))
        live.beat.drop(too_late())  # it has begun before the guest came; now it is asked afresh
        heard = live.table.known.heard(seat)
        answer = asyncio.create_task(live.do("guest", wire.Act(id="3", action="comet")))
        for shown in (0, heard - 1, heard):
            await clock.goes_on(live, BEAT)
            live.shows(page, wire.Shown(id="4", match=1, heard=shown))
            await clock.goes_on(live, 0.01)
            seen.append(live.beat.is_on)
        await clock.goes_on(live, BEAT / 2)
        seen.append(live.beat.is_on)
        await clock.goes_on(live, BEAT / 2)
        assert isinstance(await answer, wire.Done) == is_asked
        assert (done_at(live, is_asked) == "comet") == is_asked
        assert seen == [False, False, True, True]


async def _answer(live: LiveTable, action: str) -> None:
    assert isinstance(await live.do("guest", wire.Act(id="2", action=action)), wire.Done)


@pytest.mark.parametrize("how", [wire.Act, wire.Why])
async def test_a_guest_who_is_away_does_not_come_back_by_an_answer_that_only_who_is_asked_can_give(
    how: type[wire.Act | wire.Why], clock: Clock
) -> None:
    """A guest who is away wants to pass at a hushed question, in one game asked and in the other not: others see the
    same of who is there, until the guest does something that does not depend on it."""
    seat = hushed(True).actor

    async def play(is_asked: bool) -> tuple[list[list[bool]], bool]:
        async with at_a_hushed_question(is_asked) as live:
            guest, watcher = Listener("guest"), Listener("")
            await live.do("guest", wire.Sit(id="1", name="Guest", seat=seat))
            async with live.lock:
                await live.write(Change(log.Away(seat)))
            live.audience.welcome(guest)  # connected all the time: the table has waited for them too long
            await until(lambda: live.beat.is_on)
            live.connect(watcher)
            answer = asyncio.create_task(live.do("guest", how(id="2", action="pass")))
            whispers = live.beat.whispers
            await until(lambda: answer.done() or any(one.command for one in whispers.values()))
            await clock.goes_on(live, BEAT)
            done = isinstance(await answer, wire.Done)
            await clock.goes_on(live, 0.1)  # and declares who is back
            seen = [wire.decode(packet) for packet in watcher.packets]
            away = [[p.away for p in one.players] for one in seen if isinstance(one, wire.Telling)]
            await live.do("guest", wire.Say(id="3", text="Hello."))
            await until(lambda: not live.table.seats[seat].away)
            return away[:2], done

    (mine, done), (others, refused) = [await play(is_asked) for is_asked in (True, False)]
    assert (done, refused) == (True, False)
    assert mine == others
    assert all(away[seat] for away in mine)


@pytest.mark.usefixtures("clock")
async def test_an_action_that_waited_for_its_turn_does_not_end_the_beat_of_a_question_that_came_first() -> None:
    async with at_a_hushed_question(is_asked=True) as live:
        await live.do("guest", wire.Sit(id="1", name="Guest", seat=hushed(True).actor))
        live.connect(Listener("guest"))
        await until(lambda: live.beat.is_on)
        async with live.lock:
            live.table.is_hushed = False
            early = asyncio.create_task(live.do("guest", wire.Act(id="2", action="pass")))
            await asyncio.sleep(0)  # it waits: something else is being written
            live.table.is_hushed = True
        answer = await early
        assert live.beat.is_on
        assert isinstance(answer, wire.Refused)
        assert "Somebody has moved" in answer.sentence
