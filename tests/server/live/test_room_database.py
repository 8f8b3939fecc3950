"""A database that does not answer for a moment: nothing is said that is not so, and what could not be done then is done
as soon as it answers again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from typing import Any

import pytest

import parlour
from parlour.server.common import wire
from parlour.server.common.errors import Moved
from parlour.server.live import croupier
from parlour.server.live.tables import Tables
from parlour.server.store import lease
from parlour.server.store.store import Store, Unreachable
from tests.room_helpers import QuickBots
from tests.waiting import LIMIT
from tests.worlds import Listener, opened

AWAY = Unreachable("The database does not answer.")
SIT = wire.Sit(id="sit", name="Zoé", seat=0)


@pytest.fixture(autouse=True)
def _rounds_that_come_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "ROUND", 0.01)
    monkeypatch.setattr(croupier, "RETRY", 0.01)


@contextlib.asynccontextmanager
async def server() -> AsyncIterator[Tables]:
    """A server that does its regular work."""
    tables = Tables(Store("sqlite://"), QuickBots())
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
