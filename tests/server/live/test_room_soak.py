"""Tables for a long time: match after match in the same memory.

That they go on whatever guests do, the simulated worlds decide (``tools/simulation``); what a real process keeps of it
they cannot see.
"""

from __future__ import annotations

import asyncio
import os
import re

import pytest

from tools.load import Load, LoadPlan, server
from tools.load.host import ask, new_table

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
    print([round(size / 1e6, 1) for size in sizes])
    assert max(sizes) < GROWTH * sizes[0], sizes
