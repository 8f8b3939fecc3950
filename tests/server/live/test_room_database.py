"""A database that does not answer for a moment: nothing is said that is not so, and what could not be done then is done
as soon as it answers again.  What meets what at such a moment the simulated worlds decide (``tools/simulation``)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

import parlour
from parlour.server.common import wire
from parlour.server.live import croupier, session
from parlour.server.live.live_table import BROKEN
from parlour.server.store import lease
from parlour.server.store.store import Unreachable
from tests.room_helpers import a_table, unreachable
from tests.waiting import LIMIT, until
from tests.worlds import Listener, opened

AWAY = Unreachable("The database does not answer.")
SIT = wire.Sit(id="sit", name="Zoé", seat=0)


@pytest.fixture(autouse=True)
def _rounds_that_come_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "ROUND", 0.01)
    monkeypatch.setattr(croupier, "RETRY", 0.01)


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
    async with unreachable() as tables:
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


@pytest.mark.parametrize("slow", [0, 1])
async def test_what_is_looked_up_while_the_table_is_lost_is_taken_in_once(
    monkeypatch: pytest.MonkeyPatch, slow: int
) -> None:
    """By whoever wrote it, or by whoever reads on after those who have the table now, whichever is later."""
    looked, answers = list[int](), (threading.Event(), threading.Event())
    async with a_table(parlour.load("kuhn"), awaits=2) as live:
        tables: Any = live.tables
        read = tables.store.read

        def reads(table: str, after: int) -> Any:
            looked.append(after)
            answer, rows = answers[len(looked) - 1], read(table, after)
            answer.wait(LIMIT)
            return rows

        monkeypatch.setattr(tables.store, "append", unanswered(tables.store.append))
        monkeypatch.setattr(tables.store, "read", reads)
        writing = asyncio.create_task(live.do("zoe", SIT))
        await until(lambda: looked)
        live.lose()
        reading = asyncio.create_task(tables.neighbours.catch_up(live))
        await until(lambda: looked == [1, 1])
        for n in (1 - slow, slow):
            answers[n].set()
            await (writing, reading)[n]
        assert (await writing, live.table.version) == (wire.Done(id="sit"), 2)


@pytest.mark.parametrize("what", ["ended", "forget"])
async def test_a_token_ends_although_the_database_fails_for_a_moment(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """When it is asked which have ended, or when it has noted that."""
    async with unreachable() as tables:
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
    async with unreachable() as tables:
        live = await tables.open(opened(parlour.load("kuhn")))

        def wrong(*_: Any) -> Any:
            raise ZeroDivisionError("a fault of the rules")

        monkeypatch.setattr("parlour.server.live.moves.commit_to", wrong)
        monkeypatch.setattr(tables.store, "append", once(tables.store.append))
        live.stir()
        await until(lambda: live.table.frozen)
        assert live.table.frozen == BROKEN
