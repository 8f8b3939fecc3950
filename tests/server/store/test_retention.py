"""What a server no longer needs it deletes by itself, and nothing else."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import parlour
from parlour.base.errors import ParlourError
from parlour.server.common import clock as room_clock
from parlour.server.live import housekeeping, moves, seating
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.site import serving
from parlour.server.store import database
from parlour.server.store.competitions import Competitions
from parlour.server.store.inbox import NO_WISHES
from parlour.server.store.retention import DAY, Keep, seconds_in
from parlour.server.store.schema import ENTRIES, SECRETS
from parlour.server.store.store import Store, StoredEntry, Unreachable
from parlour.server.store.traces import Traces
from parlour.server.table import log
from parlour.server.table.competition_names import today
from parlour.server.table.seats import fingerprint
from parlour.server.table.table import Change
from tests.helpers import parlour_says
from tests.postgres import on_both
from tests.room_helpers import QuickBots, as_of_before
from tests.waiting import LIMIT, until
from tests.worlds import LoggedTable, opened, read_table

ZOE, ABE = fingerprint("zoe's token"), fingerprint("abe's token")
EVERYTHING = Keep(math.inf, math.inf, math.inf)


def played(store: Store, name: str, is_closed: bool = True) -> list[log.AnyEntry]:
    """A table with two guests, two matches and some chat; its log."""
    first = opened(parlour.load("leduc"), maker=ZOE, invited=[ABE, ZOE])
    logged = LoggedTable(store, name, first, ZOE)
    table = logged.table
    logged.write(seating.sit(table, 0, "Zoé", ZOE))
    logged.write(seating.sit(table, 1, "Abe", ABE))
    for match in (1, 2):
        secret = bytes([match] * 32)
        logged.write(moves.commit_to(table, secret), (match, secret))
        logged.write(moves.go_on(table, secret, {}))
        logged.write(seating.say(table, 1, f"Good luck {match}!"))
        logged.play_on(secret)
    logged.write(seating.remove(table, ZOE, 1))
    if is_closed:
        logged.write(Change(log.Closed("the end.")))
    return kept(store, name)


def kept(store: Store, name: str) -> list[log.AnyEntry]:
    return [row.entry for row in store.read(name)]


def text_of(store: Store) -> str:
    return "\n".join(map(str, store.select(sa.select(ENTRIES.c.command, ENTRIES.c.entry))))


def secrets_of(store: Store) -> set[tuple[str, int]]:
    return {*store.select(sa.select(SECRETS.c.table_id, SECRETS.c.match))}


@on_both
def test_finished_tables_go_when_their_time_is_over_and_no_others(store: Store) -> None:
    closed, entries = played(store, "t"), played(store, "u", is_closed=False)
    store.forget(EVERYTHING, time.time() + 10_000 * DAY)
    assert kept(store, "t") == closed
    assert len(secrets_of(store)) == 4
    keep = Keep(finished=2 * DAY, chat=math.inf, secrets=math.inf)
    store.forget(keep, time.time() + 1.9 * DAY)
    assert store.code("t") == "T"
    store.forget(keep, time.time() + 2.1 * DAY)
    assert (store.code("t"), kept(store, "t")) == (None, [])
    assert kept(store, "u") == entries
    assert secrets_of(store) == {("u", 1), ("u", 2)}


@on_both
def test_chat_goes_and_its_table_goes_on(store: Store) -> None:
    entries = played(store, "t", is_closed=False)
    keep = Keep(finished=math.inf, chat=3 * DAY, secrets=math.inf)
    store.forget(keep, time.time() + 2.9 * DAY)
    assert "Good luck" in text_of(store)
    store.forget(keep, time.time() + 3.1 * DAY)
    assert "Good luck" not in text_of(store)
    left = kept(store, "t")
    assert [one for one in left if not isinstance(one, log.ChatSent)] == [
        one for one in entries if not isinstance(one, log.ChatSent)
    ]
    assert len(left) == len(entries)
    # the log goes on where it was
    store.append("t", 1, StoredEntry(len(left) + 1, log.Closed("the end."))).result(LIMIT)


@on_both
def test_secrets_and_what_guests_are_known_by_go_when_a_table_was_closed_for_long(store: Store) -> None:
    for name, is_closed in (("t", True), ("u", False)):
        played(store, name, is_closed)
    keep = Keep(finished=math.inf, chat=math.inf, secrets=5 * DAY)
    store.forget(keep, time.time() + 4.9 * DAY)
    assert secrets_of(store) == {("t", 2), ("u", 2)}  # of earlier matches none is needed
    assert ABE in text_of(store)
    before = read_table(store, "t")
    for _ in range(2):
        store.forget(keep, time.time() + 5.1 * DAY)
    assert secrets_of(store) == {("u", 2)}
    mine = "\n".join(f"{row.command} {log.encode(row.entry).decode()}" for row in store.read("t"))
    assert not any(key[:20] in mine for key in (ZOE, ABE))
    assert ZOE in text_of(store)  # the other table is open
    after = read_table(store, "t")
    assert [one.name for one in after.known.players] == [one.name for one in before.known.players]
    assert after.state is not None
    assert before.state is not None
    assert after.state.record() == before.state.record()


async def test_a_server_forgets_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour after the last time, by clocks that the test moves; and soon again if that fails."""
    hands = {"day": time.time(), "hours": 0.0}
    monkeypatch.setattr(room_clock, "wall", lambda: hands["day"])
    monkeypatch.setattr(housekeeping, "HOUSE", 0.01)
    monkeypatch.setattr("parlour.server.store.lease.ROUND", 0.02)
    begun = room_clock.now()
    monkeypatch.setattr(room_clock, "now", lambda: begun + hands["hours"] * 3600)
    store = Store(f"sqlite:///{tmp_path}/log.db")
    tables, looked, rounds = Tables(store, QuickBots(), Keep(finished=3 * DAY)), list[float](), list[float]()
    forget, renew = store.forget, store.renew

    def forgets(keep: Keep) -> None:
        looked.append(hands["hours"])
        if len(looked) == 1:
            raise Unreachable("The database was away.")
        forget(keep)

    def renews(*given: Any) -> Any:
        rounds.append(hands["hours"])
        return renew(*given)

    monkeypatch.setattr(store, "forget", forgets)
    monkeypatch.setattr(store, "renew", renews)
    tables.start()
    await asyncio.to_thread(played, store, "t")
    for day in range(1, 5):
        hands["day"] += DAY
        count = len(rounds)
        await until(lambda count=count: len(rounds) > count + 3)  # type: ignore[misc]
        assert store.code("t") == "T"  # the hour is not over
        hands["hours"] += 1.01
        await until(lambda day=day: len(looked) > day)  # type: ignore[misc]
    await until(lambda: store.code("t") is None)
    await tables.close()


# ------------------------------------------------------------------------------------------ a clock that leaps


class Leaping:
    """The clock of the database and of its servers."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.time = time.time()
        patch.setattr(database.PostgreSQL, "now", lambda database: sa.literal(self.time))
        patch.setattr(room_clock, "wall", lambda: self.time)

    def runs(self, hours: int, *stores: Store) -> None:
        """Servers run for some hours, and look at the clock every hour."""
        for _ in range(hours):
            self.time += 3600
            for one in stores:
                one.settle()


@pytest.fixture
def leaping(monkeypatch: pytest.MonkeyPatch) -> Leaping:
    return Leaping(monkeypatch)


@pytest.mark.parametrize("days", [400, -400])
def test_a_clock_that_is_wrong_for_seconds_deletes_nothing(
    store: Store, leaping: Leaping, caplog: pytest.LogCaptureFixture, days: int
) -> None:
    """The clock is wrong when a server starts, and right when it is started again."""
    played(store, "t")
    keep = Keep(finished=10 * DAY, results=10 * DAY)
    before = store.sure()
    for leap in (days, -days):
        leaping.time += leap * DAY
        store.forget(keep)  # before anybody has looked
        store.settle()
        store.forget(keep)
        assert store.sure() <= before + 60
    assert store.code("t") == "T"
    said = [record.getMessage() for record in caplog.records if "the clock is" in record.getMessage()]
    assert [one.partition(";")[0] for one in said] == [
        f"the clock is 400.0 days {way} than when a server last looked at it"
        for way in (("later", "earlier") if days > 0 else ("earlier", "later"))
    ]
    leaping.runs(23, store)
    assert store.sure() < leaping.time or days > 0
    leaping.runs(2, store)
    assert store.sure() == leaping.time
    leaping.runs(9 * 24 - 2, store)
    store.forget(keep)
    assert store.code("t") == "T"
    leaping.runs(3 * 24, store)
    store.forget(keep)
    assert store.code("t") is None
    assert len([record for record in caplog.records if "the clock is" in record.getMessage()]) == 2


@on_both
def test_a_server_that_was_off_for_a_month_is_right_after_a_day(store: Store, leaping: Leaping) -> None:
    """Several servers wait for one day, not each for its own."""
    played(store, "t")
    stores = [store]
    if store.is_shared:
        stores.append(Store(store.engine.url.render_as_string(hide_password=False)))
    leaping.time += 30 * DAY
    for one in stores:
        one.settle()
    keep = Keep(finished=10 * DAY)
    leaping.runs(23, *stores)
    for one in stores:
        one.forget(keep)
    assert store.code("t") == "T"
    leaping.runs(2, *stores)
    assert [one.sure() for one in stores] == pytest.approx([leaping.time] * len(stores), abs=60)
    stores[-1].forget(keep)
    assert store.code("t") is None
    for one in stores[1:]:
        one.close()


def test_a_restart_is_no_day_of_running(store: Store, leaping: Leaping) -> None:
    leaping.time += 3 * DAY
    store.settle()
    for _ in range(10):  # off for a day and a half, each time
        leaping.time += 1.5 * DAY
        store.settle()
    assert store.sure() < leaping.time - 3 * DAY
    leaping.runs(24, store)
    assert store.sure() == leaping.time


def test_a_database_of_before_was_last_sure_of_its_latest_entry(tmp_path: Path, leaping: Leaping) -> None:
    """It is brought up to date by a server whose clock is wrong."""
    url = f"sqlite:///{tmp_path}/log.db"
    with closing(Store(url)) as store:
        played(store, "t")
    as_of_before(url, "0003")
    leaping.time += 400 * DAY
    database.migrate(old := database.connect(url))
    old.engine.dispose()
    with closing(Store(url)) as store:
        store.forget(Keep(finished=10 * DAY))
        assert store.code("t") == "T"


@contextmanager
def idle_server(store: Store) -> Iterator[Tables]:
    tables = Tables(store, QuickBots())
    yield tables
    for part in (tables.best_lines, tables.reviews, tables.bots, tables.aside):
        part.close()


@pytest.mark.parametrize("has_begun", [True, False])
async def test_who_goes_without_a_word_has_the_result_of_the_seat(
    store: Store, leaping: Leaping, has_begun: bool
) -> None:
    """The tab is closed in the middle of a match: after a day bots play it to the end, and the table is closed a day
    later."""
    with idle_server(store) as tables:
        live = await tables.open(opened(parlour.load("leduc"), awaits=1 if has_begun else 2))
        await Session(live, ZOE).sit("Zoé", 0)
        if has_begun:
            await until(lambda: bool(live.table.asked))
        await asyncio.to_thread(leaping.runs, 25, store)
        await tables.housekeeping.close_abandoned()
        assert bool(live.table.closed) is not has_begun
        if has_begun:
            await until(lambda: live.table.is_over)
            await until(lambda: bool(Traces(store).results(ZOE, 1)))
            assert Traces(store).results(ZOE, 1)[0].part == "left"
            await asyncio.to_thread(leaping.runs, 25, store)
            await tables.housekeeping.close_abandoned()
            assert live.table.closed


async def test_no_table_is_given_up_while_somebody_looks_at_it_at_another_server(
    store: Store, leaping: Leaping
) -> None:
    with idle_server(store) as tables:
        live = await tables.open(opened(parlour.load("leduc"), awaits=2))
        for keys in ({ZOE}, set[str]()):
            live.are_elsewhere(dict.fromkeys(keys, NO_WISHES))
            await asyncio.to_thread(leaping.runs, 25, store)
            await tables.housekeeping.close_abandoned()
            assert bool(live.table.closed) is (not keys)


async def test_nothing_is_closed_opened_or_played_on_the_word_of_a_clock_that_has_leapt(
    store: Store, leaping: Leaping
) -> None:
    """Tables that nobody has used, tables by post, the cards of a day and of a duplicate: before anybody looks at the
    clock again, and after that, for a day."""
    day = today(leaping.time)
    Competitions(store).begin("same/BCDFGH", "", bytes(32))
    with idle_server(store) as tables:
        usual = await tables.open(opened(parlour.load("leduc")))
        post = await tables.open(opened(parlour.load("leduc"), by_post=True, patience=3 * DAY))
        for live in (usual, post):
            await Session(live, ZOE).sit("Zoé", 0)
        await until(lambda: bool(usual.table.asked and post.table.asked))

        async def done() -> list[bool]:
            due, _ = post.presence.due()
            await tables.housekeeping.close_abandoned()
            given_up = [
                bool(one.closed) or one.owes_results or not any(seat.key for seat in one.seats)
                for one in (usual.table, post.table)
            ]  # or bots finish the match
            return [
                bool(due), *given_up,
                await tables.secrecy.is_open(f"day/{day}/leduc"), await tables.secrecy.is_open("same/BCDFGH"),
            ]  # fmt: skip

        leaping.time += 400 * DAY
        assert await done() == [False] * 5
        for hours in (0, 22):
            await asyncio.to_thread(store.settle)
            await asyncio.to_thread(leaping.runs, hours, store)
            assert (await done())[:3] + (await done())[4:] == [False] * 4
        await asyncio.to_thread(leaping.runs, 2, store)
        assert await done() == [True] * 5
        for live in (usual, post):
            await tables.put_away(live, "")


def test_what_is_deleted_is_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "log.db"
    with closing(Store(f"sqlite:///{file}")) as store:
        played(store, "t")
        secret = bytes([2] * 32)  # of the last match: those before it are deleted as soon as the next begins
        private = [b"Good luck", ZOE.encode(), ABE.encode(), secret, secret.hex().encode()]
        kept = b"".join(one.read_bytes() for one in tmp_path.iterdir())
        assert [one for one in private if one not in kept] in ([secret], [secret.hex().encode()])
        store.forget(Keep(0.0, 0.0, 0.0), time.time() + 1)
        with store.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        kept = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert [one for one in private if one in kept] == []


def test_the_options_of_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[object] = []
    monkeypatch.setattr(serving, "serve", lambda *given, **more: asked.append(given[5]))
    parlour_says("serve --port 0 --keep-finished 2d --keep-chat 12h --keep-secrets forever", monkeypatch, capsys)
    parlour_says("serve --port 0", monkeypatch, capsys)
    assert asked == [Keep(2 * DAY, DAY / 2, math.inf), Keep(90 * DAY, 30 * DAY, 7 * DAY)]
    code, _, err = parlour_says("serve --keep-chat soon", monkeypatch, capsys)
    assert (code, "'soon' is not a time" in err) == (2, True)
    for text in ("", "30", "d", "-1d", "1w", "1.5d", "9999999d"):
        with pytest.raises(ParlourError, match=r"is not a time; write a number of days \(30d\)"):
            seconds_in(text)
