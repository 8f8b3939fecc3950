"""Several servers on one PostgreSQL: a table is run by one of them, all guests can play, none is lost or forked.

What can go wrong between them the simulated worlds decide (``tools/simulation``).  This shows that a real database is
where those have theirs, and what they do not look at: spectators, and pages that bots wait for.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

import parlour
from parlour.server.common import wire
from parlour.server.common.errors import Moved
from parlour.server.live import housekeeping, neighbours
from parlour.server.live.live_table import LiveTable
from parlour.server.live.tables import Tables
from parlour.server.store import lease
from parlour.server.store.store import Store
from tests.postgres import Postgres
from tests.room_helpers import first_choice, unreachable
from tests.waiting import FOR_EVER, LIMIT, until
from tests.worlds import Listener, opened


@pytest.fixture(autouse=True)
def _leases_that_tests_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server loses a table because it was slow; that a lease has run out is noticed soon."""
    monkeypatch.setattr(lease, "LEASE", FOR_EVER)
    monkeypatch.setattr(lease, "ROUND", 0.1)
    monkeypatch.setattr(neighbours, "ANSWER_SECONDS", LIMIT)


async def play_on(live: LiveTable, guest: Listener, moves: int = 1_000_000) -> None:
    """Do the first legal action, again and again, until this many moves are made or the match is over."""
    for number in range(moves):
        await until(lambda: live.table.is_over or 0 in live.table.asked)
        if live.table.is_over:
            return
        action = live.table.game.action_names[live.table.playing.legal_actions(0)[0]]
        answer = await live.do(guest.key, wire.Act(id=f"{number}-{live.table.version}", action=action))
        assert isinstance(answer, wire.Done), answer


def last(guest: Listener) -> wire.Telling:
    frames = [wire.decode(packet) for packet in guest.packets]
    return [frame for frame in frames if isinstance(frame, wire.Telling)][-1]


class Pair(NamedTuple):
    """Two servers on one database: the first runs a table of Diamonds, at the second a guest is connected to it."""

    first: Tables
    second: Tables
    mine: LiveTable
    followed: LiveTable
    guest: Listener

    async def sit(self) -> None:
        """The guest takes the first seat."""
        assert await self.followed.do(self.guest.key, SIT) == wire.Done(id="sit")


SIT = wire.Sit(id="sit", name="Guest", seat=0)


@contextlib.asynccontextmanager
async def two_servers(postgres: Postgres, game: str = "diamonds", **options: Any) -> AsyncIterator[Pair]:
    """Two servers, with a table that the first runs."""
    url = postgres.new_database()
    async with unreachable(url, first_choice()) as second:
        first = Tables(Store(url), first_choice())
        first.start()
        mine = await first.open(opened(parlour.load(game, 2, **options)))
        followed = await second.get(mine.code)
        assert followed.fence is None
        guest = Listener("guest")
        followed.connect(guest)
        yield Pair(first, second, mine, followed, guest)
        await first.close()


async def test_a_guest_plays_through_another_server_which_has_the_table_as_soon_as_the_first_stops(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "ROUND", FOR_EVER)
    async with two_servers(postgres, "leduc") as at:
        for _ in range(2):  # once
            await at.sit()
        refused = await at.followed.do(at.guest.key, wire.Act(id="no", action="pass on"))
        assert isinstance(refused, wire.Refused)
        await play_on(at.followed, at.guest)
        await until(lambda: at.followed.table.version == at.mine.table.version)
        assert at.mine.table.is_over
        told = last(at.guest)
        assert told == at.mine.table.known.telling(0, told.heard - len(told.new))
        await at.first.close()
        await until(lambda: at.followed.fence is not None)


async def test_a_finished_deal_waits_for_whoever_looks_at_it_at_another_server(postgres: Postgres) -> None:
    async with two_servers(postgres, "matrimony", deals=2) as at:
        at.guest.holds = at.guest.steps = True
        await at.sit()
        await until(at.mine.audience.sees_steps)
        while not at.mine.table.is_held:
            assert not at.mine.table.is_over, "the next deal began while a guest looked at the last one"
            await play_on(at.followed, at.guest, 1)
            await until(lambda: at.mine.table.is_held or at.mine.table.is_over or 0 in at.mine.table.asked)
        assert at.mine.table.gone_over == 0
        await until(lambda: at.followed.table.is_held)
        assert isinstance(await at.followed.do(at.guest.key, wire.Again(id="on")), wire.Done)
        await until(lambda: not at.mine.table.is_held)
        at.followed.disconnect(at.guest)
        await until(lambda: not at.mine.audience.holding() and not at.mine.audience.sees_steps())


async def test_spectators_are_counted_at_all_servers(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once; who sits down is none, and who goes is gone everywhere."""
    monkeypatch.setattr(housekeeping, "HOUSE", 0.05)
    async with two_servers(postgres, first_dealer=0) as at:
        mine, followed = at.mine, at.followed
        both, here = Listener("both"), Listener("here")
        mine.connect(both)
        mine.connect(here)
        followed.connect(Listener("both"))
        await until(lambda: mine.watching == followed.watching == 3)
        await at.sit()
        await until(lambda: mine.watching == followed.watching == 2)
        mine.disconnect(here)
        mine.disconnect(both)
        await until(lambda: mine.watching == followed.watching == 1)
        assert mine.presence.is_here(0) is False
        assert await at.first.neighbours.is_elsewhere(mine, 0)


async def test_bots_wait_for_somebody_who_reads_at_another_server(postgres: Postgres) -> None:
    """And for nobody who has read it, or has gone."""
    async with two_servers(postgres, first_dealer=0) as at:
        mine, followed, guest = at.mine, at.followed, at.guest
        for leaves in (False, True):
            followed.read_by(guest.key, FOR_EVER)
            if not leaves:
                await at.sit()
            await until(lambda: mine.reading_wait > 0)
            await until(lambda: 0 in mine.table.asked)
            while 0 in mine.table.asked:  # a turn may go on after a choice
                await play_on(followed, guest, 1)
                await until(lambda: followed.table.version == mine.table.version)
            version = mine.table.version
            for number in range(3):  # each goes there and back, and bots are quick
                mine.stir()
                await followed.do(guest.key, wire.Why(id=f"{leaves}{number}", action="pass"))
            assert mine.table.version == version
            followed.disconnect(guest) if leaves else followed.read_by(guest.key, 0.0)
            await until(lambda: 0 in mine.table.asked)
            assert not mine.reading_wait


async def test_what_a_guest_has_done_is_told_before_it_is_done_at_another_server_too(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late that server is to hear it: otherwise it would answer the same question twice."""
    async with two_servers(postgres) as at:
        look_at = at.second.neighbours._look_at

        async def deaf(live: LiveTable, version: int) -> None:
            if not version:  # it hears that it has been answered, but not that the log has gone on
                await look_at(live, version)

        monkeypatch.setattr(at.second.neighbours, "_look_at", deaf)
        for command in (SIT, wire.Say(id="say", text="Here I am.")):
            assert await at.followed.do(at.guest.key, command) == wire.Done(id=command.id)
            assert at.followed.once.is_done(f"guest {command.id}")
        assert last(at.guest).seat == 0


async def test_a_server_that_is_killed_loses_its_tables_before_its_lease_runs_out(postgres: Postgres) -> None:
    """Its mark is gone with its connections.  A table that it had lost by mistake before, it ran again."""
    async with two_servers(postgres) as at:
        at.first.neighbours.lost(at.mine)
        assert at.mine.fence is None
        await until(lambda: at.mine.fence is not None)
        await until(lambda: at.first.neighbours.lease.owner in at.second.neighbours.lease._there)
        assert at.followed.fence is None
        for task in at.first._tasks:
            task.cancel()
        at.first.store._listeners[0].close()
        await until(lambda: at.followed.fence is not None)


async def test_a_server_that_stood_still_passes_on_nothing_old_and_sends_its_guests_elsewhere(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does so while it renews its lease."""
    async with two_servers(postgres) as at:
        second, followed, guest = at.second, at.followed, at.guest
        await at.sit()
        await until(lambda: 0 in followed.table.asked)
        begun, go_on, renew = threading.Event(), threading.Event(), Store.renew

        def slowly(store: Store, owner: str, _: float) -> set[str]:
            if store is second.store:
                begun.set()
                go_on.wait(LIMIT)
            return renew(store, owner, FOR_EVER)  # the table stays where it is, however slow its server

        monkeypatch.setattr(Store, "renew", slowly)
        monkeypatch.setattr(lease, "LEASE", 0.5)
        monkeypatch.setattr(lease, "AWAKE", FOR_EVER)
        await until(begun.is_set)
        time.sleep(1)  # the only thread that does anything here stands still
        go_on.set()
        action = followed.table.game.action_names[followed.table.known.question(0)[1][0]]
        with pytest.raises(Moved):
            await followed.do(guest.key, wire.Act(id="act", action=action))
        await until(lambda: guest.is_over)
        assert any(isinstance(wire.decode(packet), wire.Bye) for packet in guest.packets)  # news may follow
        woke = time.monotonic()
        await until(lambda: second.neighbours.lease._renewed > woke)
        with pytest.raises(Moved):  # nor a little later, when what came in at once is dealt with
            await followed.do(guest.key, wire.Act(id="act", action=action))
        assert 0 in at.mine.table.asked
