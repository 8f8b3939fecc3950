"""Several servers on one PostgreSQL: a table is run by one of them, all guests can play, none is lost or forked."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

import parlour
from parlour.server.common import wire
from parlour.server.common.errors import Moved
from parlour.server.live import housekeeping, neighbours, seating
from parlour.server.live.live_table import LiveTable
from parlour.server.live.tables import Tables
from parlour.server.store import lease
from parlour.server.store.inbox import Asked
from parlour.server.store.store import Store, Unreachable
from parlour.server.store.writer import Append, LogWriter
from tests.postgres import Postgres, postgres
from tests.room_helpers import end_lease
from tests.server.live.test_room_leaks import QuickBots
from tests.waiting import FOR_EVER, LIMIT, until
from tests.worlds import Listener, opened

__all__ = ["postgres"]


@pytest.fixture(autouse=True)
def _leases_that_tests_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server loses a table because it was slow; that a lease has run out is noticed soon."""
    monkeypatch.setattr(lease, "LEASE", FOR_EVER)
    monkeypatch.setattr(lease, "ROUND", 0.1)
    monkeypatch.setattr(neighbours, "ANSWER_SECONDS", LIMIT)


def cut_off(server: Tables) -> None:
    """A server says no more that it is there, and its lease runs out."""
    for task in server._tasks:
        task.cancel()
    end_lease(server.store, server.neighbours.lease.owner)


@contextlib.asynccontextmanager
async def server(url: str) -> AsyncIterator[Tables]:
    tables = Tables(Store(url), QuickBots())
    tables.start()
    try:
        yield tables
    finally:
        await tables.close()


async def play_on(live: LiveTable, guest: Listener, moves: int = 1_000_000) -> None:
    """Do the first legal action, again and again, until this many moves are made or the match is over."""
    for number in range(moves):
        await until(lambda: live.table.is_over or 0 in live.table.asked)
        if live.table.is_over:
            return
        assert live.table.state is not None
        action = live.table.game.action_names[live.table.state.legal_actions(0)[0]]
        answer = await live.do(guest.key, wire.Act(id=f"{number}-{live.table.version}", action=action))
        assert isinstance(answer, wire.Done), answer


def last(guest: Listener) -> wire.Telling:
    frames = [wire.decode(packet) for packet in guest.packets]
    return [frame for frame in frames if isinstance(frame, wire.Telling)][-1]


def run(play: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(play())  # type: ignore[arg-type]


def test_a_table_goes_on_after_the_answer_of_a_commit_was_lost(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry is on disk, and its server does not know: the next does not fit.  It must not wait for others to run
    the table, which is still its own."""
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as ours:
            live = await ours.open(opened(parlour.load("kuhn"), pace=FOR_EVER))
            guest = Listener("guest")
            live.connect(guest)
            usual, lost = LogWriter._transact, list[bool]()

            def transact(writer: LogWriter, group: Any) -> Any:
                results = usual(writer, group)
                if not lost and any(isinstance(one, Append) and one.command for one in group):
                    lost.append(True)
                    raise Unreachable("The answer was lost.")
                return results

            monkeypatch.setattr(LogWriter, "_transact", transact)
            answer = await live.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0))
            assert isinstance(answer, wire.Refused)
            assert answer.later
            with contextlib.suppress(Moved):
                await live.do(guest.key, wire.Say(id="say", text="Hello?"))
            await until(lambda: live.fence is not None and live.table.seat_of(guest.key) == 0)
            assert await live.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0)) == wire.Done(id="sit")

    run(play)


def test_a_guest_plays_through_another_server(postgres: Postgres) -> None:
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first, server(url) as second:
            mine = await first.open(opened(parlour.load("diamonds", 2, games=1)))
            followed = await second.get(mine.code)
            assert followed.fence is None
            guest = Listener("guest")
            followed.connect(guest)
            sit = wire.Sit(id="sit", name="Guest", seat=0)
            assert await followed.do(guest.key, sit) == wire.Done(id="sit")
            assert await followed.do(guest.key, sit) == wire.Done(id="sit")  # once
            refused = await followed.do(guest.key, wire.Act(id="no", action="pass on"))
            assert isinstance(refused, wire.Refused)
            await play_on(followed, guest)
            await until(lambda: followed.table.version == mine.table.version)
            assert mine.table.is_over
            assert last(guest) == mine.table.known.telling(0, last(guest).heard - len(last(guest).new))

    run(play)


def test_spectators_are_counted_at_all_servers(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once; who sits down is none, and who goes is gone everywhere."""
    monkeypatch.setattr(housekeeping, "HOUSE", 0.05)
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first, server(url) as second:
            mine = await first.open(opened(parlour.load("diamonds", 2, first_dealer=0)))
            followed = await second.get(mine.code)
            both, here, there = Listener("both"), Listener("here"), Listener("there")
            mine.connect(both)
            mine.connect(here)
            followed.connect(Listener("both"))
            followed.connect(there)
            await until(lambda: mine.watching == followed.watching == 3)
            await followed.do(there.key, wire.Sit(id="sit", name="There", seat=0))
            await until(lambda: mine.watching == followed.watching == 2)
            mine.disconnect(here)
            mine.disconnect(both)
            await until(lambda: mine.watching == followed.watching == 1)
            assert mine.presence.is_here(0) is False
            assert await first.neighbours.is_elsewhere(mine, 0)

    run(play)


def test_bots_wait_for_somebody_who_reads_at_another_server(postgres: Postgres) -> None:
    """And for nobody who has read it, or has gone."""
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first, server(url) as second:
            mine = await first.open(opened(parlour.load("diamonds", 2, first_dealer=0)))
            followed = await second.get(mine.code)
            guest = Listener("guest")
            followed.connect(guest)
            for leaves in (False, True):
                followed.read_by(guest.key, FOR_EVER)
                if not leaves:
                    await followed.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0))
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

    run(play)


def test_what_a_guest_has_done_is_told_before_it_is_done_at_another_server_too(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late that server is to hear that the log has gone on: otherwise it would answer the same question
    twice."""
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first, server(url) as second:
            mine = await first.open(opened(parlour.load("diamonds", 2)))
            mine.stir()
            await until(lambda: mine.table.has_begun)
            followed = await second.get(mine.id)
            guest = Listener("guest")
            followed.connect(guest)
            look_at = second.neighbours._look_at

            async def deaf(live: LiveTable, version: int) -> None:
                if not version:  # it hears that it has been answered, but not that the log has gone on
                    await look_at(live, version)

            monkeypatch.setattr(second.neighbours, "_look_at", deaf)
            for command in (wire.Sit(id="sit", name="Guest", seat=0), wire.Say(id="say", text="Here I am.")):
                assert await followed.do(guest.key, command) == wire.Done(id=command.id)
                assert followed.once.is_done(f"guest {command.id}")
            assert last(guest).seat == 0

    run(play)


def test_a_command_that_no_server_answers_is_done_neither_then_nor_later(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first, server(url) as second:
            asked, is_deaf = first.neighbours.inbox.asked, threading.Event()

            def heard(*given: Any) -> list[Asked]:
                found = asked(*given)
                return [] if is_deaf.is_set() else found  # also if it had begun to read before

            monkeypatch.setattr(first.neighbours.inbox, "asked", heard)
            mine = await first.open(opened(parlour.load("diamonds", 2)))
            followed = await second.get(mine.id)
            guest = Listener("guest")
            followed.connect(guest)
            await followed.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0))
            await until(lambda: 0 in followed.table.asked)
            monkeypatch.setattr(neighbours, "ANSWER_SECONDS", 0.2)
            is_deaf.set()
            action = followed.table.game.action_names[followed.table.known.question(0)[1][0]]
            with pytest.raises(Moved):
                await followed.do(guest.key, wire.Act(id="act", action=action))
            monkeypatch.undo()
            monkeypatch.setattr(lease, "LEASE", FOR_EVER)
            await first.neighbours.do_what_is_asked(mine)
            assert await asyncio.to_thread(first.neighbours.inbox.asked, mine.id) == []
            assert 0 in mine.table.asked

    run(play)


def test_nobody_acts_through_another_server_on_what_they_have_not_seen(postgres: Postgres) -> None:
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first:
            mine = await first.open(opened(parlour.load("leduc")))
            for number, key in enumerate(("zoe", "abe")):
                await mine.do(key, wire.Sit(id="sit", name=key, seat=number))
            await until(lambda: 0 in mine.table.asked)
            seen = mine.table.known.moment(0)
            for number, key in ((0, "zoe"), (1, "abe")):
                assert await mine.do(key, wire.Act(id="first", action="call")) == wire.Done(id="first")
            await until(lambda: 0 in mine.table.asked)  # once more, about something else
            late = await mine.do("zoe", wire.Act(id="late", action="raise"), seen)
            assert late == wire.Refused(
                id="late", sentence="Somebody has moved since. Check the table, then try again."
            )
            now = mine.table.known.moment(0)
            assert await mine.do("zoe", wire.Act(id="now", action="raise"), now) == wire.Done(id="now")

    run(play)


def test_another_server_takes_over_what_a_dead_one_has_left(postgres: Postgres) -> None:
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as second:
            first = Tables(Store(url), QuickBots())
            first.start()
            mine = await first.open(opened(parlour.load("diamonds", 2)))
            followed = await second.get(mine.id)
            guest = Listener("guest")
            followed.connect(guest)
            await followed.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0))
            await play_on(followed, guest, 2)
            cut_off(first)
            await until(lambda: followed.fence is not None)
            await play_on(followed, guest)
            assert followed.table.is_over
            with pytest.raises(Moved):  # when it is back it can write nothing
                async with mine.lock:
                    await mine.write(seating.leave(mine.table, 0))
            await until(lambda: mine.fence is None and mine.table.version == followed.table.version)
            assert mine.table.known.telling(0) == followed.table.known.telling(0)
            await first.close()

    run(play)


def test_a_server_that_is_killed_loses_its_tables_before_its_lease_runs_out(postgres: Postgres) -> None:
    """Its connections are gone with it, and with them its mark; the lease lasts for ever in these tests."""
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as second:
            first = Tables(Store(url), QuickBots())
            first.start()
            mine = await first.open(opened(parlour.load("kuhn")))
            followed = await second.get(mine.id)
            await until(lambda: first.neighbours.lease.owner in second.neighbours.lease._there)
            assert followed.fence is None
            for task in first._tasks:
                task.cancel()
            first.store._listeners[0].close()
            await until(lambda: followed.fence is not None)
            await first.close()

    run(play)


@pytest.mark.parametrize("renews", [False, True], ids=["at any moment", "while it renews its lease"])
def test_a_server_that_stood_still_passes_on_nothing_old_and_sends_its_guests_elsewhere(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, renews: bool
) -> None:
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first, server(url) as second:
            mine = await first.open(opened(parlour.load("diamonds", 2)))
            followed = await second.get(mine.id)
            guest = Listener("guest")
            followed.connect(guest)
            await followed.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0))
            await until(lambda: 0 in followed.table.asked)
            begun, go_on, renew = threading.Event(), threading.Event(), Store.renew

            def slowly(store: Store, owner: str, _: float) -> set[str]:
                if store is second.store and renews:
                    begun.set()
                    go_on.wait(LIMIT)
                return renew(store, owner, FOR_EVER)  # the table stays where it is, however slow its server

            monkeypatch.setattr(Store, "renew", slowly)
            monkeypatch.setattr(lease, "LEASE", 0.5)
            monkeypatch.setattr(lease, "AWAKE", FOR_EVER)
            await until(lambda: begun.is_set() or not renews)
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
            assert 0 in mine.table.asked

    run(play)


def test_what_is_withdrawn_while_it_is_done_is_not_done(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server that runs the table has read what is wanted, and comes to write it when nobody waits any longer."""
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first, server(url) as second:
            mine = await first.open(opened(parlour.load("diamonds", 2)))
            followed = await second.get(mine.id)
            guest = Listener("guest")
            followed.connect(guest)
            await followed.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0))
            await until(lambda: 0 in followed.table.asked)
            monkeypatch.setattr(neighbours, "ANSWER_SECONDS", 0.2)
            action = followed.table.game.action_names[followed.table.known.question(0)[1][0]]
            async with mine.lock:  # so it is read, and not written yet
                with pytest.raises(Moved):
                    await followed.do(guest.key, wire.Act(id="act", action=action))
            monkeypatch.setattr(neighbours, "ANSWER_SECONDS", LIMIT)
            assert await followed.do(guest.key, wire.Say(id="say", text="Well?")) == wire.Done(id="say")
            assert 0 in mine.table.asked
            assert not mine.once.is_done("guest act")

    run(play)


def test_an_answer_that_could_not_be_written_is_written_again(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as first, server(url) as second:
            mine = await first.open(opened(parlour.load("diamonds", 2)))
            followed = await second.get(mine.id)
            guest, answers, answer = Listener("guest"), list[str](), first.neighbours.inbox.answer

            def answers_at_last(table: str, key: str, frame: bytes) -> None:
                answers.append(key)
                if len(answers) == 1:
                    raise Unreachable("The database can't be reached.")
                answer(table, key, frame)

            monkeypatch.setattr(first.neighbours.inbox, "answer", answers_at_last)
            assert await followed.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0)) == wire.Done(id="sit")
            assert answers == ["guest sit"] * 2
            assert [seat.name for seat in mine.table.seats].count("Guest") == 1

    run(play)


def test_a_table_that_is_being_taken_over_loses_no_command(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever acts before its new server has all it needs is answered as soon as it has, and not refused."""
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as second:
            first = Tables(Store(url), QuickBots())
            first.start()
            mine = await first.open(opened(parlour.load("diamonds", 2)))
            followed = await second.get(mine.id)
            guest = Listener("guest")
            await followed.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0))
            await until(lambda: 0 in followed.table.asked)
            begun, go_on, read = threading.Event(), threading.Event(), second.store.secret

            def secret(table: str, match: int) -> bytes | None:
                begun.set()
                go_on.wait(LIMIT)
                return read(table, match)

            monkeypatch.setattr(second.store, "secret", secret)
            await first.close()
            await until(begun.is_set)
            acting = asyncio.create_task(play_on(followed, guest, 1))
            await until(lambda: acting.done() or second.neighbours.inbox.asked(mine.id))
            go_on.set()
            await acting

    run(play)


def test_a_server_that_stops_hands_its_tables_over_at_once(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "ROUND", FOR_EVER)
    url = postgres.new_database()

    async def play() -> None:
        async with server(url) as second:
            async with server(url) as first:
                mine = await first.open(opened(parlour.load("kuhn")))
                mine.stir()
                followed = await second.get(mine.id)
                assert followed.fence is None
            await until(lambda: followed.fence is not None)

    run(play)
