"""What simulated worlds (``tools/simulation``) cannot see of a real process: what it leaves on a real disk when it is
killed under load, again and again, and how much memory tables take that go on for a long time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from parlour.server.store.store import Store
from tests.waiting import until
from tools.failover import House
from tools.load import Load, LoadPlan, server
from tools.load.host import ask, new_table


def check(house: House, folder: Path) -> None:
    """See that what guests were told is in the log, in a copy: the next server finds all as the kill has left it."""
    copy = folder / "copy"
    copy.mkdir(exist_ok=True)
    for file in ("room.db", "room.db-wal"):
        shutil.copy(folder / file, copy / file)
    (copy / "room.db-shm").unlink(missing_ok=True)
    with contextlib.closing(Store(f"sqlite:///{copy / 'room.db'}")) as house.store:
        house.check()


@pytest.mark.parametrize("kills", [1, pytest.param(120, marks=pytest.mark.long)])
async def test_a_killed_server_loses_nothing_it_acknowledged_and_invents_nothing(tmp_path: Path, kills: int) -> None:
    house = House(f"sqlite:///{tmp_path / 'room.db'}", tmp_path / "output")
    try:
        async with house.balancer.running(), contextlib.AsyncExitStack() as stack:
            await house.start()
            await house.open(1)
            for guest in house.guests:
                await stack.enter_async_context(guest)
            playing = [asyncio.create_task(guest.play()) for guest in house.guests]
            for kill in range(kills):
                began = time.time()
                await until(lambda began=began: len(house.done_since(began)) == len(house.guests))  # type: ignore[misc]
                await asyncio.sleep(random.uniform(0, 0.3))
                last = house.servers.pop()
                last.send(signal.SIGKILL)  # it can do nothing more, not even close a file
                last.end()
                check(house, tmp_path)
                if kill < kills - 1:
                    await house.start(last.port)
            for task in playing:
                task.cancel()
    finally:
        for one in house.servers:
            one.end()


SECONDS = float(os.environ.get("PARLOUR_SOAK_SECONDS", "600"))
GROWTH = 1.1


async def play(url: str, metrics: str) -> list[float]:
    """Play for so long; the memory of the server once in a while since it has warmed up."""
    plans = [LoadPlan(game, players, 5, SECONDS) for game, players in (("diamondback", 4), ("leduc", 2))]
    places = [[new_table(url, plan) for _ in range(plan.tables)] for plan in plans]
    going = [asyncio.create_task(Load(plan, url).run(at)) for plan, at in zip(plans, places, strict=True)]
    sizes = list[float]()
    await asyncio.sleep(SECONDS / 4)
    while not all(one.done() for one in going):
        found = re.search(r"^process_resident_memory_bytes (\S+)$", ask(metrics, "GET", "/metrics"), re.MULTILINE)
        assert found
        sizes.append(float(found[1]))
        await asyncio.sleep(SECONDS / 20)
    assert all(one.moves > SECONDS for one in await asyncio.gather(*going))
    return sizes


@pytest.mark.long
def test_tables_go_on_for_a_long_time_in_the_same_memory() -> None:
    with server() as (url, metrics):
        sizes = asyncio.run(play(url, metrics))
    assert max(sizes) < GROWTH * sizes[0], sizes
