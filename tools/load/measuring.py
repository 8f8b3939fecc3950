"""Tables of guests at a server, and what is counted of them."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from parlour.base.errors import ParlourError
from tools.load.guests import FrameGuest, Guest, PageGuest
from tools.load.host import ask, new_table, server
from tools.load.report import Figures, LoadPlan, of_classes, percentiles

WARM_UP: Final = 2.0
"""Seconds of play before the measuring begins."""
STUCK: Final = 20.0
"""Seconds without any move after which something is wrong."""
_CPU: Final = "process_cpu_seconds_total"
_MEMORY: Final = "process_resident_memory_bytes"


def run(wanted: LoadPlan, url: str = "", database: str = "", metrics: str = "") -> Figures:
    """Measure the server at ``url``, and what it counts at ``metrics`` if that is given; without a ``url``, a new
    server on a new database (or on ``database``)."""
    if url:
        return _run(wanted, url, metrics)
    with server(database) as here:
        return _run(wanted, *here)


def _run(wanted: LoadPlan, url: str, metrics: str) -> Figures:
    places = [new_table(url, wanted) for _ in range(wanted.tables)]

    async def measure() -> Figures:
        return await Load(wanted, url, metrics).run(places)

    return asyncio.run(measure())


class LoadTable:
    """A table of guests: the current act, and who has not seen it yet."""

    def __init__(self, load: Load, name: str, tokens: list[str], due: float) -> None:
        self.load, self.name, self.url = load, name, load.url
        kind = PageGuest if load.wanted.pages else FrameGuest
        self.seats: list[Guest] = [kind(self, token, seat) for seat, token in enumerate(tokens)]
        self._due, self._match, self._acts = due, 0, 0
        self._under_way = False
        self._unacknowledged, self._unseen = "", set[Guest]()

    def told(self, guest: Guest, size: int) -> None:
        """A guest has been told how the table is now, with this number of bytes."""
        self.load.tellings += 1
        self.load.bytes += size
        self._unseen.discard(guest)
        self._look()

    def lost(self) -> None:
        """A connection has ended; the guest opens another."""
        self.load.lost += 1

    def fail(self, sentence: str) -> None:
        """Something is wrong: stop measuring."""
        self.load.fail(sentence)

    def done(self, act: str) -> None:
        """The server says that a command was carried out and is on disk."""
        if act == self._unacknowledged:
            self._unacknowledged = ""
            self._look()

    def _look(self) -> None:
        """If everybody has seen the last act, start the next one when it is due."""
        if self._unacknowledged or self._unseen:
            return
        load = self.load
        now = load.now()
        if self._under_way:
            self._under_way = False
            load.moved(now - self._due)
            self._due = self._due + load.interval if load.interval else now
        mover = self._mover()
        if mover is None:
            return
        assert mover.turn is not None
        if self._match != mover.turn[0]:
            self._match, self._due = mover.turn[0], now + random.random() * load.interval  # tables are not in step
        self._acts += 1
        self._under_way, self._unacknowledged, self._unseen = True, f"act-{self._acts}", set(self.seats)
        asyncio.get_running_loop().call_at(
            max(now, self._due), mover.act, self._unacknowledged, random.choice(mover.choices)
        )

    def _mover(self) -> Guest | None:
        """The guest who is to act; ``None`` until everybody has been told the same about whose turn it is."""
        if self.seats[0].turn is None or len({seat.turn for seat in self.seats}) > 1:
            return None
        return next((seat for seat in self.seats if seat.choices), None)


class Load:
    """All tables, and what is counted at them."""

    def __init__(self, wanted: LoadPlan, url: str, metrics: str = "") -> None:
        self.wanted, self.url, self._metrics = wanted, url, metrics
        self.interval = 1 / wanted.rate if wanted.rate else 0.0
        self.moves = self.tellings = self.bytes = self.lost = 0
        self._latencies: list[float] = []
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @staticmethod
    def now() -> float:
        """The time of the event loop."""
        return asyncio.get_running_loop().time()

    def moved(self, latency: float) -> None:
        """A move has been acknowledged and seen by everybody."""
        self.moves += 1
        self._latencies.append(latency)

    def fail(self, sentence: str) -> None:
        """Something is wrong: stop measuring."""
        if not self._failed.done():
            self._failed.set_exception(ParlourError(sentence))

    async def run(self, places: list[tuple[str, list[str]]]) -> Figures:
        """Sit down at these tables, play, and return what was measured."""
        tables = [await self._sit_down(*place) for place in places]
        try:
            await self._play(WARM_UP)
            self.moves = self.tellings = self.bytes = 0
            self._latencies.clear()
            before, began = await self._meters(), self.now()
            await self._play(self.wanted.seconds)
            seconds, moves, tellings, size = self.now() - began, self.moves, self.tellings, self.bytes
            after = await self._meters()
        finally:
            self._failed.cancel()
            for table in tables:
                for seat in table.seats:
                    seat.close()
        used = {name: (after[name] - n) / seconds for name, n in before.items() if name in after}
        others = used["everything"] - used[_CPU] - used["clients"] if {"everything", _CPU} <= used.keys() else None
        return Figures(
            seconds=seconds,
            moves=moves,
            moves_per_second=moves / seconds,
            tellings_per_move=tellings / max(moves, 1),
            bytes_per_telling=size / max(tellings, 1),
            latency=percentiles(self._latencies),
            commit=of_classes({name: after[name] - before.get(name, 0.0) for name in after}),
            server=used.get(_CPU),
            clients=used["clients"],
            others=others,
            memory=after.get(_MEMORY),
            lost=self.lost,
        )

    async def _sit_down(self, name: str, tokens: list[str]) -> LoadTable:
        table = LoadTable(self, name, tokens, self.now() + random.random() * self.interval)
        for seat in reversed(table.seats):  # the first guest, whom the match waits for, comes last
            await seat.connect()
        return table

    async def _play(self, seconds: float) -> None:
        """Let the guests play.  Raises ``ParlourError`` if something goes wrong, or nothing moves."""
        end = self.now() + seconds
        while (left := end - self.now()) > 0:
            moves = self.moves
            await asyncio.wait([self._failed], timeout=min(left, STUCK))
            if self._failed.done():
                self._failed.result()
            if moves == self.moves and left > STUCK:
                raise ParlourError(
                    "Nobody has moved for {stuck:.0f} seconds; does everybody notice every move?", stuck=STUCK
                )

    async def _meters(self) -> dict[str, float]:
        """Return what the server counts, and the processor time used so far: by the clients, and by everything on this
        machine."""
        text = await asyncio.to_thread(ask, self._metrics, "GET", "/metrics") if self._metrics else ""
        meters = {name: float(value) for name, value in re.findall(r"^(\S+) (\S+)$", text, re.MULTILINE)}
        meters["clients"] = time.process_time()
        with suppress(OSError):  # only Linux has this file
            ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:8]]
            meters["everything"] = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
        return meters
