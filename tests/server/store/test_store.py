"""The store keeps one contract on both databases; on PostgreSQL several servers share it."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from parlour.base.errors import ParlourError
from parlour.cli.host.serve import _own_database
from parlour.server.store import writer
from parlour.server.store.database import connect, url_of
from parlour.server.store.inbox import Asked, Inbox
from parlour.server.store.retention import FORGOTTEN
from parlour.server.store.schema import ENTRANTS, INBOX, SCHEMA, SERVERS
from parlour.server.store.store import LostTable, Repeated, Store, StoredEntry, TooLate, Unreachable
from parlour.server.store.traces import Traces
from parlour.server.table import log
from tests.helpers import there
from tests.postgres import Postgres
from tests.room_helpers import as_of_before
from tests.server.club.test_profile import ZOE, finished
from tests.waiting import FOR_EVER, LIMIT, wait_until

FIRST = log.Opened(
    game="kuhn", rules=1, players=2, options={}, bots=["random"] * 2, names=["Ada", "Ben"], pace=0.0, beat=0.0,
    grace=9.0, patience=0.0, reveal=True, listed=True,
)  # fmt: skip
LONG = 3600.0
WAIT = int(LIMIT * 1000)
"""Milliseconds that PostgreSQL waits until a connection has ended."""


def did(version: int, what: str = "bet", command: str | None = None) -> StoredEntry:
    return StoredEntry(version, log.Did(0, [what], []), command)


def opened(store: Store, table: str = "t", owner: str = "a", lease: float = LONG) -> int:
    return store.make(table, table.upper(), FIRST, owner, lease)


def taken_soon(store: Store) -> int:
    """The fence of the table, once it may be taken."""
    fences: list[int | None] = []

    def take() -> bool:
        fences.append(store.take("t", "b", LONG))
        return fences[-1] is not None

    wait_until(take)
    return fences[-1] or 0


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of an empty database."""
    if request.param == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        return server.new_database()
    return f"sqlite:///{tmp_path}/log.db"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with closing(Store(url)) as made:
        yield made


in_a_file = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)
"""What is not the database's doing: both kinds of databases in the long run only."""


@pytest.fixture
def shared(postgres: Postgres) -> str:
    return postgres.new_database()


Two = tuple[Store, Store, int]


@pytest.fixture
def two(shared: str) -> Iterator[Two]:
    """Two servers on one database; and the fence of a table that the first of them has opened."""
    with closing(Store(shared)) as a, closing(Store(shared)) as b:
        yield a, b, opened(a)


def test_what_was_written_is_read(store: Store) -> None:
    fence = opened(store)
    rows = [
        StoredEntry(2, log.Begun({0: "ab"}, ["deal K", "deal Q"])),
        StoredEntry(3, log.ChatSent(1, "Zoë", 'a "quoted" line\nwith ♥, \\ and \x00'), "guest:1"),
        did(4, command="guest:2"),
    ]
    for row in rows:
        store.append("t", fence, row).result(LIMIT)
    assert store.read("t") == [StoredEntry(1, FIRST), *rows]
    assert store.read("t", after=2) == rows[1:]
    assert store.read("t", after=4) == []
    assert store.read("another") == []
    begun = StoredEntry(5, log.Committed(1, "c0ffee"), "guest:1 again")
    store.append("t", fence, begun, (1, b"\x00secret")).result(LIMIT)
    with pytest.raises(LostTable):
        store.append("t", fence, begun, (2, b"other")).result(LIMIT)
    assert (store.secret("t", 1), store.secret("t", 2)) == (b"\x00secret", None), "a secret comes with its entry"


def test_one_at_fault_does_not_hinder_the_others(store: Store) -> None:
    """Entries that wait together are one transaction; three of them cannot be written."""
    names = [f"t{number}" for number in range(40)]
    for name in names:
        opened(store, name)
        store.append(name, 1, did(2, command="done")).result(LIMIT)
    with held(store):
        written = {name: store.append(name, 1, did(3)) for name in names if name not in {"t3", "t17", "t39"}}
        stale = store.append("t3", 0, did(3))
        repeated = store.append("t17", 1, did(3, command="done"))
        ahead = store.append("t39", 1, did(4))
        next_one = {name: store.append(name, 1, did(4)) for name in written}
    for done in [*written.values(), *next_one.values()]:
        done.result(LIMIT)
    assert isinstance(stale.exception(LIMIT), LostTable)
    assert isinstance(repeated.exception(LIMIT), Repeated)
    assert isinstance(ahead.exception(LIMIT), LostTable)
    for name in names:
        assert len(store.read(name)) == (4 if name in written else 2)


@contextmanager
def held(store: Store) -> Iterator[None]:
    """The writer is kept busy, so that what comes in between waits together."""
    begun, end = threading.Event(), threading.Event()

    def wait(*_: object) -> None:
        begun.set()
        end.wait(LIMIT)

    sa.event.listen(store.engine, "commit", wait, once=True)
    with ThreadPoolExecutor(1) as other:
        busy: Future[set[str]] = other.submit(store.renew, "somebody", 1.0)
        assert begun.wait(LIMIT)
        yield
        end.set()
        busy.result(LIMIT)


def test_what_was_acknowledged_is_on_disk_and_there_after_the_end(url: str) -> None:
    """Whatever the default of the database is."""
    settings = {"journal_mode": "wal", "synchronous": 2}
    if not url.startswith("sqlite"):
        settings, engine = {"synchronous_commit": "on"}, connect(url).engine
        with engine.begin() as connection:
            connection.execute(sa.text(f"ALTER DATABASE {engine.url.database} SET synchronous_commit = off"))
        engine.dispose()
    with closing(Store(url)) as store:
        with store.engine.connect() as connection:
            ask = "SHOW" if store.is_shared else "PRAGMA"
            assert {name: connection.exec_driver_sql(f"{ask} {name}").scalar() for name in settings} == settings
        fence = opened(store)
        waiting = [store.append("t", fence, did(v)) for v in range(2, 300)]
    assert all(done.done() and done.exception() is None for done in waiting)
    for work in (partial(store.append, "t", fence, did(300)), partial(store.renew, "a", 1.0)):
        with pytest.raises(ParlourError, match="closed"):
            work()
    with closing(Store(url)) as store:
        assert [row.version for row in store.read("t")] == list(range(1, 300))


@in_a_file
def test_a_table_is_found_by_its_code_and_by_its_owner(store: Store) -> None:
    opened(store)
    assert (store.find("T"), store.code("t")) == ("t", "T")
    assert (store.find("X"), store.code("x")) == (None, None)
    for name, code in (("u", "T"), ("t", "U")):
        with pytest.raises(ParlourError, match="There is a table with this name or code already"):
            store.make(name, code, FIRST, "a", LONG)
    assert store.code("u") is None
    opened(store, "u")
    opened(store, "v", owner="b")
    assert store.renew("a", LONG) == {"t", "u"}
    store.release("t", "b")  # not theirs: nothing happens
    store.release("u", "a")
    assert store.renew("a", LONG) == {"t"}
    assert store.renew("c", LONG) == set()


@in_a_file
def test_the_lobby_shows_what_is_open_and_listed(store: Store) -> None:
    """And it is known which tables nobody has touched."""
    for name in ("t", "u", "v"):
        opened(store, name)
        time.sleep(0.01)  # made at another time
    noon = store.now
    store.append("t", 1, did(2)).result(LIMIT)
    store.append("u", 1, StoredEntry(2, log.Closed("over"))).result(LIMIT)
    assert [store.untouched(since) for since in (noon, noon + 60, 0)] == [["v"], ["v", "t"], []]
    quiet = log.Opened(**{name: getattr(FIRST, name) for name in FIRST.__struct_fields__} | {"listed": False})
    store.make("w", "W", quiet, "a", LONG)
    assert store.tables() == ["v", "t"]
    assert store.tables(listed_only=False) == ["w", "v", "t"]
    assert store.tables(most=1) == ["v"]


def test_what_is_asked_is_answered(store: Store) -> None:
    inbox = Inbox(store)
    for table in "tu":
        opened(store, table)
    inbox.ask("t", "guest:2", "aa", b"\x00first")
    inbox.ask("t", "guest:1", "bb", b"second")
    inbox.ask("u", "guest:2", "aa", b"elsewhere")
    inbox.ask("t", "guest:2", "aa", b"again")  # said twice, asked once
    assert inbox.asked("t") == [Asked("guest:2", "aa", b"\x00first"), Asked("guest:1", "bb", b"second")]
    assert inbox.answered("t", "guest:2") is None
    inbox.answer("t", "guest:2", b"\xffdone")
    inbox.answer("t", "guest:2", b"refused")  # by a server that did not know
    assert inbox.asked("t") == [Asked("guest:1", "bb", b"second")]
    assert inbox.answered("t", "guest:1") is None
    assert [inbox.answered("t", "guest:2") for _ in range(2)] == [b"\xffdone", None]
    with pytest.raises(ParlourError, match="no such table"):
        inbox.ask("x", "guest:1", "aa", b"")


def test_what_nobody_waits_for_any_longer_is_neither_done_nor_answered_nor_kept(store: Store) -> None:
    """Or it would be done much later, when its guest has other things in mind."""
    fence, inbox = opened(store), Inbox(store)
    for name in ("guest 1", "guest 2", "guest 3"):
        inbox.ask("t", name, "aa", name.encode())
    inbox.answer("t", "guest 2", b"old")
    inbox.withdraw("t", "guest 1")
    inbox.ask("t", "guest 4", "aa", b"a minute ago")
    with store.engine.begin() as connection:
        connection.execute(INBOX.update().where(INBOX.c.key == "guest 4").values(at=time.time() - 60))
        connection.execute(INBOX.update().where(INBOX.c.key < "guest 3").values(at=INBOX.c.at - FORGOTTEN - 1))
    assert [wish.key for wish in inbox.asked("t", 30.0)] == ["guest 3"]
    assert [wish.key for wish in inbox.asked("t", 90.0)] == ["guest 3", "guest 4"]
    for name in ("guest 1", "guest 2", "guest 4", "never asked"):
        assert isinstance(store.append("t", fence, did(2, "x", name), timeout=30).exception(LIMIT), TooLate)
    store.append("t", fence, did(2, "x", "guest 3"), timeout=30).result(LIMIT)
    assert [row.command for row in store.read("t")] == [None, "guest 3"]
    store.tidy()
    assert inbox.answered("t", "guest 2") is None
    assert [wish.key for wish in inbox.asked("t")] == ["guest 3", "guest 4"]


def test_the_migrations_make_the_schema(store: Store) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), SCHEMA) == []


def test_of_a_database_of_before_nothing_deleted_comes_back(url: str) -> None:
    """It did not note of which matches it had kept results: those that are over count as kept."""
    with closing(Store(url)) as store:
        results = {name: finished(store, name) for name in ("open", "closed", "kept")}
        over = StoredEntry(len(store.read("closed")) + 1, log.Closed("the end."))
        store.append("closed", 1, over).result(LIMIT)
        Traces(store).keep_results("kept", 1, results["kept"])
    as_of_before(url, "0004")
    with closing(Store(url)) as store:
        for name, found in results.items():
            Traces(store).keep_results(name, 1, found)
        assert sorted(one.code for one in Traces(store).results(ZOE, 10)) == ["KEPT", "OPEN"]


def test_a_row_that_is_there_already_is_said_to_be_no_new_one(store: Store) -> None:
    """Two servers that enter the same guest at the same moment: PostgreSQL's driver counted neither row."""
    new = store.statements.insert_once(ENTRANTS).values(
        event="day/1970-01-01/kuhn", guest="zoe", number=0, code="", at=0.0
    )
    assert [store.transact(lambda connection: connection.execute(new).rowcount) for _ in range(2)] == [1, 0]


@in_a_file
def test_a_database_of_a_newer_parlour_is_left_alone(url: str) -> None:
    Store(url).close()
    engine = connect(url).engine
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    for _ in range(2):  # nor does it stay locked
        with pytest.raises(ParlourError, match="was made by a newer Parlour"):
            Store(url)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("", "The URL of the database cannot be read; it looks like sqlite:///parlour.db."),
        ("parlour.db", "'parlour.db' is not the URL of a database; for a file, write sqlite:///parlour.db."),
        ("postgresql://me:hush@host:port/db", "The URL of the database cannot be read; it looks like "),
        ("mysql://me:hush@host/db", "Logs are kept in SQLite or PostgreSQL; 'mysql' is neither."),
        ("sqlite:////no/such/folder/log.db", "The database /no/such/folder/log.db cannot be used: No such file or"),
        ("postgresql://me:hush@127.0.0.1:1/db", "The database postgresql+psycopg://me:***@127.0.0.1:1/db cannot be "),
        ("postgresql://127.0.0.1:1/db?password=hush", "The database postgresql+psycopg://127.0.0.1:1/db cannot be "),
    ],
)  # fmt: skip
def test_a_database_that_cannot_be_reached_is_one_sentence(url: str, sentence: str) -> None:
    with pytest.raises(ParlourError) as mistake:
        Store(url)
    assert str(mistake.value).startswith(sentence)
    assert "\n" not in str(mistake.value)
    assert "hush" not in str(mistake.value)


def test_a_file_is_for_one_server(tmp_path: Path) -> None:
    """What a server leaves that is killed, ``test_room_kill.py`` looks at."""
    url = f"sqlite:///{tmp_path}/log.db"
    for _ in range(2):
        with (
            closing(Store(url)),
            pytest.raises(ParlourError, match=r"Another Parlour server is .* --database .* Postgre"),
        ):
            Store(url)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the folder is another")
@pytest.mark.parametrize("name", ["h%41x", "h?y", "a b#:'ü", "%"])
def test_a_file_is_found_whatever_its_path_holds_and_nobody_else_reads_it(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However careless the user who starts the server is; nor its folder, which the command makes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / name))
    before = os.umask(0)
    try:
        url = _own_database()
        with closing(Store(url)) as store:
            opened(store)
            file = Path(there(connect(url).engine.url.database))
            assert file.is_relative_to(tmp_path / name)
            assert {path.stat().st_mode & 0o077 for path in (file.parent, *file.parent.iterdir())} == {0}
    finally:
        os.umask(before)


def test_a_file_that_is_not_ours_is_left_as_it_is(tmp_path: Path) -> None:
    notes, other, nothing = tmp_path / "notes.txt", tmp_path / "other.db", tmp_path / "new.db"
    notes.write_text("milk, eggs")
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE moz_places (id INTEGER)")
        database.commit()
    for file in (notes, other, tmp_path):
        file.chmod(0o755)
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        with pytest.raises(ParlourError, match=r"isn't a database of Parlour\. Name another\."):
            Store(url_of(file))
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
        assert file.stat().st_mode & 0o777 == 0o755
    nothing.touch(0o644)  # as `touch` or a volume makes it
    for _ in range(2):
        Store(url_of(nothing)).close()
        assert nothing.stat().st_mode & 0o777 == 0o600


def test_a_disk_that_is_full_fails_what_waits_and_no_more(tmp_path: Path) -> None:
    with closing(Store(f"sqlite:///{tmp_path}/log.db")) as store:
        fence = opened(store)

        def fill(connection: sa.Connection) -> None:
            connection.exec_driver_sql("PRAGMA max_page_count = 1")  # no more than there are

        sa.event.listen(store.engine, "begin", fill)
        failure = store.append("t", fence, did(2, "x" * 9000)).exception(LIMIT)
        assert isinstance(failure, Unreachable)
        assert str(failure) == "The log can be neither written nor read now: database or disk is full."
        sa.event.remove(store.engine, "begin", fill)
        store.engine.dispose()
        store.append("t", fence, did(2)).result(LIMIT)
        assert store.read("t") == [StoredEntry(1, FIRST), did(2)]


def test_a_table_has_one_owner_while_its_lease_lasts(two: Two) -> None:
    a, b, fence = two
    assert b.take("t", "b", LONG) is None
    a.append("t", fence, did(2)).result(LIMIT)
    a.transact(lambda connection: connection.execute(SERVERS.update().where(SERVERS.c.id == "a").values(until=0)))
    taken = taken_soon(b)
    with pytest.raises(LostTable):
        a.append("t", fence, did(3)).result(LIMIT)
    b.append("t", taken, did(3, "other")).result(LIMIT)
    for version in (3, 4):  # whatever it thinks
        with pytest.raises(LostTable):
            a.append("t", fence, did(version)).result(LIMIT)
    assert a.renew("a", LONG) == set()
    assert a.take("t", "a", LONG) is None
    assert [row.version for row in a.read("t")] == [1, 2, 3]


def test_of_many_who_take_a_table_one_gets_it(shared: str) -> None:
    """Servers that start at once."""
    with ThreadPoolExecutor(3) as starting, ExitStack() as stack:
        a, b, c = (stack.enter_context(closing(one)) for one in starting.map(Store, [shared] * 3))
        names = [f"t{number}" for number in range(24)]
        for name in names:
            opened(a, name)
            a.release(name, "a")

        def take(owner: tuple[Store, str, list[str]]) -> dict[str, int]:
            store, server, order = owner
            with ThreadPoolExecutor(6) as guests:
                fences = list(guests.map(lambda name: store.take(name, server, LONG), order))
            return {name: fence for name, fence in zip(order, fences, strict=True) if fence is not None}

        one, other = starting.map(take, [(b, "b", names), (c, "c", names[::-1])])
        assert not set(one) & set(other)
        assert b.renew("b", LONG) == set(one)
        assert c.renew("c", LONG) == set(other)
        for store, fences in ((b, one), (c, other)):
            for written in [store.append(name, fence, did(2)) for name, fence in fences.items()]:
                written.result(LIMIT)


class Ear:
    def __init__(self, store: Store) -> None:
        self.heard: list[tuple[str, int]] = []
        store.listen(lambda table, version: self.heard.append((table, version)))

    def hears(self, table: str, version: int) -> None:
        """Wait until it hears this, whatever else it hears before; all that is then forgotten."""
        wait_until(lambda: (table, version) in self.heard)
        self.heard.clear()


def test_servers_wake_each_other(two: Two) -> None:
    """By nothing that was not written."""
    a, b, fence = two
    of_a, of_b = Ear(a), Ear(b)
    with pytest.raises(LostTable):
        a.append("t", fence, did(7)).result(LIMIT)
    for written in [a.append("t", fence, did(version)) for version in (2, 3, 4)]:
        written.result(LIMIT)
    wait_until(lambda: ("t", 4) in of_b.heard)
    assert {version for _, version in of_b.heard} <= {2, 3, 4}
    ways: list[tuple[Callable[[], object], Ear]] = [
        (lambda: Inbox(b).ask("t", "guest:1", "aa", b"please"), of_a),
        (lambda: Inbox(a).answer("t", "guest:1", b"done"), of_b),
        (lambda: Inbox(b).here("t", "zoe", "b", -60), of_a),
        (lambda: Inbox(b).here("t", "zoe", "b", 60), of_a),  # too late to be a renewal
        (lambda: Inbox(b).here("t", "zoe", "b", 0), of_a),
        (lambda: a.release("t", "a"), of_b),
    ]
    for wake, ear in ways:
        for one in (of_a, of_b):
            one.heard.clear()
        wake()
        ear.hears("t", 0)


def end_connection(connection: sa.Connection, other: Store) -> None:
    """Have the database end a connection, by way of another store."""
    process = connection.connection.driver_connection.info.backend_pid  # type: ignore[union-attr]
    other.transact(lambda works: works.execute(sa.select(sa.func.pg_terminate_backend(process, WAIT))))


@contextmanager
def breaking_in(store: Store, times: int, other: Store) -> Iterator[None]:
    """Have the database end the connection of a store when it is about to use it; ``times``: how often."""
    left = [times]

    def end(connection: sa.Connection, *_: object) -> None:
        if left[0]:
            left[0] -= 1
            end_connection(connection, other)

    sa.event.listen(store.engine, "before_cursor_execute", end)
    yield
    sa.event.remove(store.engine, "before_cursor_execute", end)
    assert not left[0]


def test_whoever_finds_the_connection_broken_tries_once_more(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer, if the connection breaks before the commit; of a commit in which it breaks, nothing is known."""
    monkeypatch.setattr(writer, "STALL", FOR_EVER)  # a slow machine does not stand still
    a, b, fence = two
    with breaking_in(a, 1, b):
        assert [row.entry for row in a.read("t")] == [FIRST]
    with breaking_in(a, 2, b), pytest.raises(Unreachable):
        a.read("t")
    with breaking_in(a, 1, b):
        a.append("t", fence, did(2)).result(LIMIT)
    with breaking_in(a, 2, b), pytest.raises(Unreachable):
        a.append("t", fence, did(3)).result(LIMIT)
    sa.event.listen(a.engine, "commit", lambda connection: end_connection(connection, b), once=True)
    with pytest.raises(Unreachable):
        a.append("t", fence, did(3)).result(LIMIT)
    a.append("t", fence, did(3)).result(LIMIT)
    assert [row.version for row in b.read("t")] == [1, 2, 3]


def test_a_writer_that_stood_still_does_not_write_again(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else may have its tables, and nobody may wait any longer for what it wanted."""
    a, b, fence = two
    monkeypatch.setattr(writer, "STALL", 0.0)
    with breaking_in(a, 1, b), pytest.raises(Unreachable):
        a.append("t", fence, did(2)).result(LIMIT)
    with breaking_in(a, 1, b):
        a.settle()  # but what the clock says is of now


def test_a_reader_is_in_no_transaction(two: Two) -> None:
    """Else PostgreSQL would end it whenever the machine stands still for a second."""
    store, states = two[0], []

    def see(connection: sa.Connection, *_: object) -> None:
        states.append(connection.connection.driver_connection.info.transaction_status.name)  # type: ignore[union-attr]

    sa.event.listen(store.engine, "after_cursor_execute", see)
    store.read("t")
    assert states == ["IDLE"]


def test_a_listener_whose_connection_breaks_misses_nothing(two: Two) -> None:
    a, b, fence = two
    ear, closed = Ear(b), opened(a, "u")
    with a.engine.begin() as connection:
        ends = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'"
        assert connection.exec_driver_sql(ends).scalar() == 1
    a.append("t", fence, did(2)).result(LIMIT)
    a.append("u", closed, StoredEntry(2, log.Closed("over"))).result(LIMIT)
    Inbox(a).here("t", "zoe", "a", 60)  # whoever runs the table has nothing else to look at
    wait_until(lambda: {("t", 0), ("t", 2), ("u", 2)} <= set(ear.heard))
