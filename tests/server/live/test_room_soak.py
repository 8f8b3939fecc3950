"""Tables for a long time: guests who vanish and return, watchers who come and go, match after match."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import secrets
import time
from dataclasses import dataclass, field

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from parlour.server.common import wire
from tools.load import server

SECONDS = float(os.environ.get("PARLOUR_SOAK_SECONDS", "600"))
TABLES = (("diamondback", 3, 2), ("dividha", 4, 3), ("commit", 3, 1), ("leduc", 2, 2), ("diamonds", 3, 2)) * 3
"""Games, players, how many of them are guests; bots have the other seats, and those of guests who have vanished."""
BOUND = 20.0
"""Seconds within which something happens at every table."""
GROWTH = 1.1


@dataclass
class Place:
    """A table, and what a permanent spectator sees: how often something has happened, and the longest time in which
    nothing has."""

    name: str
    game: str
    tokens: list[str]
    matches: int = 0
    last: float = field(default_factory=time.monotonic)
    longest: float = 0.0

    def hear(self, frame: wire.AnyFrame) -> None:
        """What the watcher is told."""
        if isinstance(frame, wire.Telling):
            assert not frame.frozen
            self.matches = frame.match
            self.look()
            self.last = time.monotonic()

    def look(self) -> None:
        """See how long nothing has happened."""
        self.longest = max(self.longest, time.monotonic() - self.last)


async def play(uri: str, token: str, end: float) -> None:
    """A guest: acts at random, says something now and then, wants another match; vanishes in the middle of all that,
    and comes back."""
    headers = {"Authorization": f"Bearer {token}"}
    match = heard = number = 0
    while time.monotonic() < end:
        async with connect(f"{uri}?match={match}&heard={heard}", additional_headers=headers) as socket:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(random.expovariate(1 / 6), end - time.monotonic())):
                    async for text in socket:
                        frame = wire.decode(text)
                        if not isinstance(frame, wire.Telling):
                            continue
                        match, heard, number = frame.match, frame.heard, number + 1
                        if command := wish(frame, f"{token[:8]}-{number}"):
                            await asyncio.sleep(random.uniform(0, 0.1))
                            await socket.send(wire.written(command).decode())
            vanish(socket)
        await asyncio.sleep(random.expovariate(1 / 2))


def vanish(socket: ClientConnection) -> None:
    """Half of those who go say nothing."""
    if random.random() < 0.5:
        socket.transport.abort()


def wish(told: wire.Telling, number: str) -> wire.AnyCommand | None:
    """Return what a guest wants after being told this."""
    if told.over:
        return wire.Again(id=number) if told.seat not in told.again else None
    if random.random() < 0.02:
        return wire.Say(id=number, text="What a game!")
    return wire.Act(id=number, action=random.choice(told.choices).name) if told.choices else None


async def watch(uri: str, place: Place, end: float) -> None:
    """A permanent spectator."""
    async with connect(uri) as socket:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(end - time.monotonic()):
                async for text in socket:
                    place.hear(wire.decode(text))
    place.look()


async def come_and_go(uris: list[str], end: float) -> None:
    """An occasional spectator."""
    while time.monotonic() < end:
        async with connect(random.choice(uris)) as socket:
            await asyncio.sleep(random.expovariate(2))
            vanish(socket)


async def memory(http: httpx.AsyncClient) -> float:
    """Bytes that the server has in memory."""
    text = (await http.get("/metrics")).text
    found = re.search(r"^process_resident_memory_bytes (\S+)$", text, re.MULTILINE)
    assert found
    return float(found[1])


async def soak(url: str, metrics: str) -> tuple[list[Place], list[float]]:
    """Play for so long; the tables, and the memory of the server once in a while since it has warmed up."""
    async with httpx.AsyncClient(base_url=url) as http, httpx.AsyncClient(base_url=metrics) as meters:
        places = []
        for game, players, guests in TABLES:
            tokens = [secrets.token_urlsafe(24) for _ in range(guests)]
            rules = {
                "game": game,
                "players": players,
                "bots": "random",
                "pace": 0.02,
                "beat": 0.1,
                "grace": 1,
                "patience": 5,
            }
            made = await http.post("/api/1/tables", json=rules, headers={"Authorization": f"Bearer {tokens[0]}"})
            places.append(Place(made.json()["table"], game, tokens))
            for number, token in enumerate(tokens):
                seats = f"/api/1/tables/{places[-1].name}/seats"
                sat = await http.post(
                    seats, json={"name": f"Guest {number}"}, headers={"Authorization": f"Bearer {token}"}
                )
                sat.raise_for_status()
        uris = [f"ws{url.removeprefix('http')}/api/1/tables/{place.name}/socket" for place in places]
        end, sizes = time.monotonic() + SECONDS, list[float]()
        async with asyncio.TaskGroup() as group:
            for uri, place in zip(uris, places, strict=True):
                group.create_task(watch(uri, place, end))
                for token in place.tokens:
                    group.create_task(play(uri, token, end))
            for _ in range(5):
                group.create_task(come_and_go(uris, end))
            await asyncio.sleep(SECONDS / 4)
            while time.monotonic() < end:
                sizes.append(await memory(meters))
                await asyncio.sleep(SECONDS / 20)
    return places, sizes


@pytest.mark.long
def test_tables_go_on_for_a_long_time_in_the_same_memory() -> None:
    with server() as (url, metrics):
        places, sizes = asyncio.run(soak(url, metrics))
    print({place.game: place.matches for place in places}, [round(size / 1e6, 1) for size in sizes])
    assert max(place.longest for place in places) < BOUND, [(p.game, p.longest) for p in places]
    assert all(place.matches > SECONDS / 300 for place in places), [(p.game, p.matches) for p in places]
    assert max(sizes) < GROWTH * sizes[0], sizes
