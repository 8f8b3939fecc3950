"""A database that does not answer for a moment: nothing is said that is not so, and what could not be done then is done
as soon as it answers again."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from typing import Any

import pytest

import parlour
from parlour.core.fair_deal import new_deal
from parlour.server.bots.best_line import BestLines
from parlour.server.common import wire
from parlour.server.common.errors import Moved
from parlour.server.live import croupier, session
from parlour.server.live.live_table import BROKEN
from parlour.server.live.tables import Tables
from parlour.server.store import health, lease
from parlour.server.store.health import HealthCheck
from parlour.server.store.store import Store, Unreachable
from tests.room_helpers import QuickBots
from tests.waiting import LIMIT, until
from tests.worlds import Listener, opened

AWAY = Unreachable("The database does not answer.")
SIT = wire.Sit(id="sit", name="Zoé", seat=0)


@pytest.fixture(autouse=True)
def _rounds_that_come_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "ROUND", 0.01)
    monkeypatch.setattr(croupier, "RETRY", 0.01)


@contextlib.asynccontextmanager
async def server(works: bool = True) -> AsyncIterator[Tables]:
    """A server.  ``works``: whether it does its regular work."""
    tables = Tables(Store("sqlite://"), QuickBots())
    if works:
        tables.start()
    try:
        yield tables
    finally:
        await tables.close()


def once(work: Callable[..., Any], after: bool = False) -> Callable[..., Any]:
    """The same work, which fails the first time; ``after``: when it is done."""
    failed = list[bool]()

    def works(*given: Any, **more: Any) -> Any:
        if failed:
            return work(*given, **more)
        failed.append(True)
        if after:
            work(*given, **more)
        raise AWAY

    return works


def unanswered(append: Callable[..., Future[None]]) -> Callable[..., Future[None]]:
    """Appends what it is given, and does not say so."""

    def appends(*given: Any) -> Future[None]:
        append(*given).result(LIMIT)
        silent = Future[None]()
        silent.set_exception(AWAY)
        return silent

    return appends


async def test_what_is_on_disk_is_done_whether_or_not_the_database_has_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zoé would be told that it cannot be written, and the others nothing, before somebody wants something else."""
    async with server() as tables:
        live = await tables.open(opened(parlour.load("kuhn"), awaits=2))
        others = Listener("others")
        live.connect(others)
        monkeypatch.setattr(tables.store, "append", unanswered(tables.store.append))
        assert await live.do("zoe", SIT) == wire.Done(id="sit")
        assert live.table.seat_of("zoe") == 0
        told = wire.decode(others.packets[-1])
        assert isinstance(told, wire.Telling)
        assert told.players[0].name == "Zoé"
        assert await live.do("zoe", wire.Say(id="say", text="Hello.")) == wire.Done(id="say")


async def test_of_what_cannot_be_looked_up_it_is_not_said_that_it_was_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sent again, it is done once."""
    async with server() as tables:
        live = await tables.open(opened(parlour.load("kuhn"), awaits=2))
        with monkeypatch.context() as patched:
            patched.setattr(tables.store, "append", unanswered(tables.store.append))
            patched.setattr(tables.store, "read", once(tables.store.read))
            answer = await live.do("zoe", SIT)
        assert isinstance(answer, wire.Refused)
        assert answer.later
        assert answer.sentence == "The log can't be written at the moment. Try again."
        while answer != wire.Done(id="sit"):
            with contextlib.suppress(Moved):
                answer = await live.do("zoe", SIT)
            await asyncio.sleep(0)
        assert [row.command for row in tables.store.read(live.id)].count("zoe sit") == 1


@pytest.mark.parametrize("slow", [0, 1])
async def test_what_is_looked_up_while_the_table_is_lost_is_taken_in_once(
    monkeypatch: pytest.MonkeyPatch, slow: int
) -> None:
    """By whoever wrote it, or by whoever reads on after those who have the table now, whichever is later."""
    async with server(works=False) as tables:
        live = await tables.open(opened(parlour.load("kuhn"), awaits=2))
        read, looked, answers = tables.store.read, list[int](), (threading.Event(), threading.Event())

        def reads(table: str, after: int) -> Any:
            looked.append(after)
            answer, rows = answers[len(looked) - 1], read(table, after)
            answer.wait(LIMIT)
            return rows

        monkeypatch.setattr(tables.store, "append", unanswered(tables.store.append))
        monkeypatch.setattr(tables.store, "read", reads)
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(live.do("zoe", SIT))]
        await until(lambda: looked)
        live.lose()
        tasks.append(asyncio.create_task(tables.neighbours.catch_up(live)))
        await until(lambda: len(looked) == 2)
        for n in (1 - slow, slow):
            answers[n].set()
            await tasks[n]
        assert await tasks[0] == wire.Done(id="sit")
        assert looked == [1, 1]
        assert live.table.version == 2


@pytest.mark.parametrize("what", ["ended", "forget"])
async def test_a_token_ends_although_the_database_fails_for_a_moment(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """When it is asked which have ended, or when it has noted that."""
    async with server() as tables:
        live = await tables.open(opened(parlour.load("kuhn"), awaits=2))
        await session.Session(live, "zoe's").sit("Zoé", 0)
        hers, traces = Listener("zoe's"), tables.guests._traces
        live.connect(hers)
        if what == "ended":
            monkeypatch.setattr(tables.store, "ended", once(tables.store.ended))
            await tables.guests.forget("zoe's")
        else:
            monkeypatch.setattr(traces, "forget_guest", once(traces.forget_guest, after=True))
            with pytest.raises(Unreachable):
                await tables.guests.forget("zoe's")
        await until(lambda: "zoe's" in tables.tokens.ended)
        await until(lambda: hers.is_over)


async def test_a_table_whose_game_is_at_fault_stops_when_that_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then nobody could do anything there, nor know why."""
    async with server() as tables:
        live = await tables.open(opened(parlour.load("kuhn")))

        def wrong(*_: Any) -> Any:
            raise ZeroDivisionError("a fault of the rules")

        monkeypatch.setattr("parlour.server.live.moves.commit_to", wrong)
        monkeypatch.setattr(tables.store, "append", once(tables.store.append))
        live.stir()
        await until(lambda: live.table.frozen)
        assert live.table.frozen == BROKEN


async def test_what_fails_when_nobody_waits_for_it_any_longer_is_one_line_of_the_journal_at_most(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A look at the database that has taken too long, and a line of play that cannot be kept."""
    async with server() as tables:
        answers, wrong = threading.Event(), list[Any]()
        asyncio.get_running_loop().set_exception_handler(lambda _, about: wrong.append(about))

        def check() -> None:
            answers.wait(LIMIT)
            raise AWAY

        monkeypatch.setattr(tables.store, "check", check)
        monkeypatch.setattr(health, "PING", 0.01)
        looks = HealthCheck(tables.store, tables.neighbours.lease)
        with pytest.raises(Unreachable, match="has not answered for"):
            await looks.ping()
        answers.set()
        await until(lambda: looks._pinging is not None and looks._pinging.done())
        looks._pinging = None

        lines, day = (
            BestLines(tables.bots, tables.competitions),
            tables.competitions.begin("day/2026-11-23/kuhn", secret=bytes(32)),
        )
        monkeypatch.setattr(lines, "_play", _played)
        monkeypatch.setattr(tables.competitions, "change", once(tables.competitions.change))
        assert lines.begin(day, parlour.load("kuhn"), "random")
        await until(lambda: not lines._tasks)
        assert wrong == []
        assert "day/2026-11-23/kuhn cannot be kept: The database does not answer." in caplog.text


async def _played(*_: object) -> parlour.State:
    state = parlour.load("kuhn").new(seed=1)
    state.ledger.fair = new_deal(bytes(32))
    for step in ("pass", "pass"):
        state.apply(state.game.find_action(step))
    return state
