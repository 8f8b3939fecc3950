"""A server that is killed under load, again and again: what was acknowledged is there once, nothing is invented.

That tables go on, whatever is on its way then, the simulated worlds decide (``tools/simulation``).  This shows
that a real process leaves as much on a real disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

import parlour
from parlour.server.live.tables import Tables
from parlour.server.store.store import Store
from tests.room_helpers import QuickBots
from tests.waiting import FOR_EVER, LIMIT, until
from tests.worlds import opened
from tools.failover import House


def check(house: House, folder: Path) -> None:
    """See that what guests were told is in the log, in a copy: the next server finds all as the kill has left it."""
    copy = folder / "copy"
    copy.mkdir(exist_ok=True)
    for file in ("room.db", "room.db-wal"):
        shutil.copy(folder / file, copy / file)
    (copy / "room.db-shm").unlink(missing_ok=True)
    with contextlib.closing(Store(f"sqlite:///{copy / 'room.db'}")) as house.store:
        house.check()


@pytest.mark.parametrize("kills", [1, pytest.param(30, marks=pytest.mark.long)])
async def test_a_killed_server_loses_nothing_it_acknowledged_and_invents_nothing(tmp_path: Path, kills: int) -> None:
    house = House(f"sqlite:///{tmp_path / 'room.db'}", tmp_path / "output")
    try:
        async with house.balancer.running(), contextlib.AsyncExitStack() as stack:
            await house.start()
            await house.open(1)
            for guest in house.guests:
                await stack.enter_async_context(guest)
            playing = [asyncio.create_task(guest.play()) for guest in house.guests]
            for kill in range(kills + 1):
                began = time.time()
                await until(lambda began=began: len(house.done_since(began)) == len(house.guests))  # type: ignore[misc]
                await asyncio.sleep(random.uniform(0, 0.3))
                server = house.servers.pop()
                server.send(signal.SIGKILL)  # it can do nothing more, not even close a file
                server.end()
                check(house, tmp_path)
                if kill < kills:
                    await house.start(server.port)
            for task in playing:
                task.cancel()
    finally:
        for server in house.servers:
            server.end()


async def test_a_table_is_shown_to_nobody_before_it_can_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes while a server that has started again reads the table waits until it has the secret too."""
    begun, go_on, read = threading.Event(), threading.Event(), Store.secret

    def secret(store: Store, table: str, match: int) -> bytes | None:
        begun.set()
        go_on.wait(LIMIT)
        return read(store, table, match)

    url = f"sqlite:///{tmp_path / 'room.db'}"
    tables = Tables(Store(url), QuickBots())
    live = await tables.open(opened(parlour.load("leduc"), pace=FOR_EVER))
    live.stir()
    await until(lambda: live.table.has_begun)
    await tables.close()
    monkeypatch.setattr(Store, "secret", secret)
    tables = Tables(Store(url), QuickBots())

    async def secret_found() -> bytes | None:
        return (await tables.get(live.id)).secret

    loading = asyncio.create_task(secret_found())
    await until(begun.is_set)
    coming = asyncio.create_task(secret_found())
    for _ in range(10):
        await asyncio.sleep(0)
    go_on.set()
    assert live.secret is not None
    assert [await loading, await coming] == [live.secret] * 2
    await tables.close()
