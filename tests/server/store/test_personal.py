"""What is kept of a guest: all of it can be saved and deleted, and moves to another token when they sign out.  What a
server no longer needs it deletes by itself, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
import sqlalchemy as sa
from msgspec import structs

import parlour
from parlour.base.errors import ParlourError
from parlour.core.verifying import verify
from parlour.server.club import duplicate, swiss
from parlour.server.common import clock as room_clock
from parlour.server.common import wire
from parlour.server.common.errors import Moved
from parlour.server.common.outside import Outside
from parlour.server.live import housekeeping, moves, proof, seating
from parlour.server.live.identity import Tokens
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.site import serving
from parlour.server.store import database
from parlour.server.store.competitions import Competitions
from parlour.server.store.fates import KEPT, LOG, OTHERS
from parlour.server.store.history import results_of
from parlour.server.store.inbox import NO_WISHES, Inbox
from parlour.server.store.retention import DAY, MOST_ENDED, Keep, seconds_in
from parlour.server.store.schema import ENDED, SCHEMA, SECRETS, TABLES
from parlour.server.store.store import LostTable, Store, StoredEntry, Unreachable
from parlour.server.store.traces import Traces
from parlour.server.table import log
from parlour.server.table.competition_names import today
from parlour.server.table.seats import fingerprint
from parlour.server.table.table import Change, Table
from tests.helpers import parlour_says
from tests.postgres import Postgres, on_both
from tests.room_helpers import QuickBots, as_of_before, unreachable
from tests.waiting import LIMIT, until
from tests.worlds import Listener, LoggedTable, opened, read_table

ZOE, ABE = fingerprint("zoe's token"), fingerprint("abe's token")
NAME, SAID = "Xanthippe", "my number is 0815"
SECURITY = Path(__file__).parents[3] / "docs" / "security.md"


def fields() -> set[str]:
    """Every column of the database, and every field of a log."""
    columns = {f"{table.name}.{column.name}" for table in SCHEMA.tables.values() for column in table.c}
    inside = {
        f"{LOG}{entry.__struct_config__.tag}.{field.encode_name}"
        for entry in get_args(log.AnyEntry)
        for field in structs.fields(entry)
    }
    return columns | inside


def test_every_column_and_every_field_of_a_log_is_named_once() -> None:
    """Whoever adds one says whether it holds something of a guest, and what becomes of it."""
    named = Counter(f"{one.where}.{name}" for one in KEPT for name in one.names.split())
    named.update(f"{where}.{name}" for where, names in OTHERS.items() for name in names.split())
    assert {name for name, times in named.items() if times > 1} == set()
    assert named.keys() == fields()


def test_the_documents_have_the_same_table() -> None:
    shown = [(one.where, one.names, one.holds, "yes" if one.saved else "no", one.fate.value) for one in KEPT]
    rows = [f"| `{where}` | `{names}` | {holds} | {saved} | {fate} |" for where, names, holds, saved, fate in shown]
    table = SECURITY.read_text().partition("| where | columns or fields |")[2].split("\n\n")[0]
    assert table.splitlines()[2:] == rows


def table_with(store: Store, name: str, closed: bool = False, matches: int = 1) -> Table:
    """A table where Zoé, who is called ``NAME``, and Abe have played and talked."""
    logged = LoggedTable(store, name, opened(parlour.load("leduc"), maker=ZOE, invited=[ABE, ZOE]), ZOE)
    table, write = logged.table, logged.write
    write(seating.sit(table, 0, NAME, ZOE))
    write(seating.sit(table, 1, "Abe", ABE), key=ABE)
    write(seating.say(table, 0, SAID))
    write(seating.say(table, 1, "hello"), key=ABE)
    for match in range(1, matches + 1):
        secret = bytes([match] * 32)
        write(moves.commit_to(table, secret), (match, secret))
        write(moves.go_on(table, secret, {0: bytes([7] * 32), 1: bytes([8] * 32)}))
        write(proof.bind(table, secret))
        logged.play_on(secret)
        write(proof.bind(table, secret))
        write(proof.reveal(secret))
        Traces(store).keep_results(name, match, results_of(table, name.upper(), time.time()))
    for entry in (log.Away(0), log.Back(0), log.Allowed("chat", True), log.AnotherWanted(0)):
        write(Change(entry))
    if closed:
        write(Change(log.Closed("the end.")))
    return table


def leave_traces(store: Store) -> str:
    """Leave something of Zoé wherever anything is kept; return the code of a tournament."""
    events = Competitions(store)
    table_with(store, "open")
    table_with(store, "closed", closed=True)
    brought = opened(parlour.load("kuhn"), maker=ZOE)
    store.make("brought", "BROUGHT", brought, "a", 3600)
    record = parlour.load("kuhn").new(seed=1)
    record.call_players([NAME, "Abe"])
    entries: list[log.AnyEntry] = [
        log.Resumed(1, record.record(), []), log.Sat(0, NAME, ZOE), log.Fell({0: "07" * 32}, []), log.Undone(0),
        log.Rewound(0, 0), log.Left(0), log.Sat(1, NAME, ZOE), log.Removed(1, ZOE),
    ]  # fmt: skip
    for n, entry in enumerate(entries, 2):
        store.append("brought", 1, StoredEntry(n, entry)).result(LIMIT)
    code, _ = swiss.begin(events, "", "leduc", 2, 3, 0)
    swiss.join(events, code, ABE, "Abe")
    swiss.join(events, code, ZOE, NAME)
    duplicate.begin(events, "leduc", 2, 1, 1, ZOE)
    events.enter("day/2026-11-23/leduc", ZOE, "OPEN")
    events.climb(ZOE, NAME)
    Inbox(store).here("open", ZOE, "another server", time.time() + 60)
    Inbox(store).ask("open", f"{ZOE[:20]} 7", ZOE, wire.forward(1, 1, wire.Say(id="7", text=SAID)))
    Inbox(store).answer("open", f"{ZOE[:20]} 7", wire.encode(wire.Done(id="7")))
    return code


def all_of(store: Store) -> str:
    """Everything that a database holds, but which tokens are no longer valid."""
    with store.engine.connect() as connection:
        return "\n".join(
            str(tuple(row))
            for table in SCHEMA.tables.values()
            if table is not ENDED
            for row in connection.execute(sa.select(table))
        )


@on_both
def test_a_guest_can_save_all_that_is_kept_of_them(store: Store) -> None:
    code = leave_traces(store)
    saved = Traces(store).saved(ZOE)
    missing = set()
    for one in KEPT:
        if one.where.startswith(LOG):
            own = [e for table in saved["tables"] for e in table["entries"] if e["what"] == one.where.removeprefix(LOG)]
        elif one.where == "entries":
            own = [entry for table in saved["tables"] for entry in table["entries"]]
        elif one.where == "events":
            own = [{"state": row["name"]} for row in saved["entrants"] if row["name"]]
        else:
            own = saved.get(one.where, [])
        missing |= {
            f"{one.where}.{name}" for name in one.names.split() if one.saved and not any(name in e for e in own)
        }
    assert missing == set()
    text = msgspec.json.encode(saved).decode()
    assert SAID in text
    assert {row["name"] for row in saved["entrants"] if row["event"] == f"swiss/{code}"} == {NAME}
    assert ABE not in text, "nobody else's fingerprint"
    assert "hello" not in text, "nor what somebody else has said"
    assert "08" * 32 not in text, "nor anybody else's number"
    assert SAID not in msgspec.json.encode(Traces(store).saved(ABE)).decode(), "nor is anybody else given it"
    for guest in (fingerprint("nobody's token"), ""):
        assert not any(Traces(store).saved(guest).values())


@on_both
def test_nothing_is_left_of_a_guest_who_deletes_everything(store: Store) -> None:
    leave_traces(store)
    before = all_of(store)
    traces = (ZOE, ZOE[:20], NAME, SAID)
    assert [one for one in traces if one not in before] == []
    assert Traces(store).forget_guest(ZOE) == {"open", "closed", "brought"}
    after = all_of(store)
    assert [one for one in traces if one in after] == []
    assert store.ended() == {ZOE}
    assert not any(Traces(store).saved(ZOE).values())
    assert ABE in str(store.read("closed"))
    store.forget(Keep(math.inf, math.inf, DAY, math.inf), time.time() + 2 * DAY)
    assert ABE not in str(store.read("closed")), "what identifies the others still goes when its time is over"
    assert store.secret("closed", 1) is None


@on_both
def test_a_guest_of_an_old_table_without_fingerprints_is_deleted_too(store: Store) -> None:
    """After a week nothing in its log says whose a name was, but the guest's own results do."""
    table_with(store, "old", closed=True)
    store.forget(Keep(math.inf, math.inf, DAY, math.inf), time.time() + 2 * DAY)
    assert ZOE not in "".join(str(row) for row in store.read("old"))
    assert SAID in msgspec.json.encode(Traces(store).saved(ZOE)).decode()
    Traces(store).forget_guest(ZOE)
    assert [one for one in (NAME, SAID) if one in all_of(store)] == []
    assert "Abe" in all_of(store)


def test_the_results_of_others_outlive_a_table_without_the_name(store: Store) -> None:
    table_with(store, "gone", closed=True)
    store.forget(Keep(DAY, math.inf, math.inf, math.inf), time.time() + 2 * DAY)
    assert store.code("gone") is None
    assert Traces(store).results(ABE, 1)[0].others == [NAME]
    Traces(store).forget_guest(ZOE)
    assert Traces(store).results(ABE, 1)[0].others == ["Guest"]
    assert NAME not in all_of(store)


def test_what_is_everybody_else_s_stays(store: Store) -> None:
    """The match is as it was, its cards can be checked, and what others have said and won is theirs."""
    code = leave_traces(store)
    was, (hers,) = read_table(store, "closed"), [one for one in Traces(store).results(ABE, 9) if one.code == "CLOSED"]
    ratings = Competitions(store).ratings(ABE)
    assert verify(proof.record(was, 0)).chain is not None
    Traces(store).forget_guest(ZOE)
    now = read_table(store, "closed")
    assert now.frozen == ""
    assert [seat.name for seat in now.seats] == ["Guest", "Abe"]
    assert now.playing.history == was.playing.history
    verdict = verify(proof.record(now, 1))
    assert verdict.is_fair
    assert verdict.chain is None, "its links bound the name"
    assert "sat: 0 guest Guest" in proof.record(now, 1)
    (theirs,) = [one for one in Traces(store).results(ABE, 9) if one.code == "CLOSED"]
    assert theirs == structs.replace(hers, names=["Guest", "Abe"])
    assert Competitions(store).ratings(ABE) == ratings
    said = [row.entry for row in store.read("closed") if isinstance(row.entry, log.ChatSent)]
    assert said == [log.ChatSent(-1, "", ""), log.ChatSent(1, "Abe", "hello")]
    _, tournament = swiss.find(Competitions(store), code)
    assert tournament.names == ["Abe", "Guest"]
    assert tournament.present == [0]


def test_bots_have_the_seats_of_a_guest_who_is_deleted(store: Store) -> None:
    """And two who are deleted can be told apart."""
    table_with(store, "open")
    Traces(store).forget_guest(ZOE)
    table = read_table(store, "open")
    assert [bool(seat.key) for seat in table.seats] == [False, True]
    with pytest.raises(LostTable):  # whoever ran it before reads it again
        store.append("open", 1, StoredEntry(table.version + 1, log.Away(1))).result(LIMIT)
    Traces(store).forget_guest(ABE)
    names = [row.entry.name for row in store.read("open") if isinstance(row.entry, log.Sat)]
    assert names == ["Guest", "Guest 2"]


def test_a_match_in_which_a_guest_did_not_sit_keeps_its_chain(store: Store) -> None:
    """Else somebody who sits down when it is over could take it away."""
    table = table_with(store, "t")
    cleo = fingerprint("cleo's token")
    for entry in (log.Left(0), log.Sat(0, "Cleo", cleo)):
        store.append("t", 1, StoredEntry(table.version + 1, entry)).result(LIMIT)
        table.commit(Change(entry))
    Traces(store).forget_guest(cleo)
    links = [row.entry.link for row in store.read("t") if isinstance(row.entry, log.Linked)]
    assert all(links)
    Traces(store).forget_guest(ZOE)
    links = [row.entry.link for row in store.read("t") if isinstance(row.entry, log.Linked)]
    assert not any(links)


def test_no_names_are_kept_of_a_record_that_is_brought() -> None:
    brought = parlour.load("diamondback", 2, hands=2).new(seed=1)
    brought.call_players([NAME, "Abe"])
    while not brought.is_terminal and len(brought.deals) < 1:
        brought.apply(brought.legal_actions()[0])
    entry = moves.resume(Table(opened(brought.game)), brought.record()).entry
    assert isinstance(entry, log.Resumed)
    assert NAME not in entry.record
    assert parlour.replay(entry.record).history == brought.history


def test_a_table_where_somebody_plays_on_is_deleted_as_soon_as_they_pause(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another server that is writing to a table is not waited for with a lock in hand, nor for ever."""
    monkeypatch.setattr("parlour.server.store.traces.TRIES", 3)
    first = Store(postgres.new_database())
    table_with(first, "t")
    tries: list[float] = []

    def pause(seconds: float) -> None:
        tries.append(seconds)
        if len(tries) == 5:
            writing.rollback()

    monkeypatch.setattr(Outside, "pause", lambda self, seconds: pause(seconds))
    other = first.engine.connect()
    for work in (partial(Traces(first).move_guest, ZOE, ABE.upper()), partial(Traces(first).forget_guest, ABE.upper())):
        writing = other.begin()
        other.execute(TABLES.update().where(TABLES.c.id == "t").values(listed=True))
        tries.clear()
        with pytest.raises(ParlourError, match="Somebody is playing at one of your tables at this very moment"):
            work()
        assert work() == {"t"}
        assert len(tries) == 5
    other.close()
    first.close()


@on_both
def test_everything_moves_to_the_new_token(store: Store) -> None:
    leave_traces(store)
    new = fingerprint("zoe's other token")
    kept = {name: found for name, found in Traces(store).saved(ZOE).items() if name not in ("presence", "inbox")}
    assert Traces(store).move_guest(ZOE, new) == {"open", "closed", "brought"}
    assert not any(Traces(store).saved(ZOE).values())
    moved = Traces(store).saved(new)
    as_before = msgspec.json.encode({name: moved[name] for name in kept}).decode()
    assert as_before.replace(new, ZOE).replace(new[:20], ZOE[:20]) == msgspec.json.encode(kept).decode()
    assert [one for one in (ZOE, ZOE[:20]) if one in all_of(store)] == []
    assert store.ended() == {ZOE}
    assert verify(proof.record(read_table(store, "closed"), 0)).chain is not None, "with names and links as they were"
    assert read_table(store, "open").seat_of(new) == 0


@on_both
def test_what_has_ended_is_known_for_a_year_and_not_of_endless_many(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(n: int, connection: sa.Connection) -> None:
        connection.execute(ENDED.insert().values(guest=f"guest {n}", at=1000.0 * n))

    for n in range(5):
        store.transact(partial(ended, n))
    monkeypatch.setattr("parlour.server.store.retention.MOST_ENDED", 3)
    store.forget(Keep(), 1000.0 * n)
    assert store.ended() == {"guest 2", "guest 3", "guest 4"}
    store.forget(Keep(), 365 * DAY + 3500)
    assert store.ended() == {"guest 4"}
    assert MOST_ENDED >= 10_000


def test_a_token_bears_the_mark_of_its_house() -> None:
    house, other = Tokens(bytes(32), set()), Tokens(bytes([1] * 32), set())
    token = house.new()
    assert (house.is_ours(token), other.is_ours(token)) == (True, False)
    for n in range(32):
        wrong = "B" if token[n] != "B" else "C"
        assert not house.is_ours(token[:n] + wrong + token[n + 1 :])
    assert len({house.new() for _ in range(100)}) == 100


async def has_the_seat(one: Tables, table: str, guest: str) -> None:
    """Wait until a server's copy of the table has the guest in the first seat: it may be about to read it again."""
    async with asyncio.timeout(LIMIT):
        while (await one.session(table, guest)).seat != 0:
            await asyncio.sleep(0.01)


async def said(one: Tables, code: str, guest: str) -> wire.Answer:
    """What a server answers to a guest's remark; while the table is on its way to another, they try again."""
    while True:
        with contextlib.suppress(Moved):
            return await (await one.session(code, guest)).do(wire.Say(id="1", text="hello"))
        await asyncio.sleep(0.05)


async def test_at_other_servers_a_token_ends_at_once(postgres: Postgres) -> None:
    """One has the guest's sockets, another runs the table, and the third is told to delete."""
    url = postgres.new_database()
    async with unreachable(url) as runs, unreachable(url) as follows, unreachable(url) as third:
        token = third.tokens.new()
        zoe, abe = fingerprint(token), fingerprint("abe's token")
        mine = await runs.open(opened(parlour.load("diamonds", 2, first_dealer=0), maker=zoe))
        followed = await follows.get(mine.code)
        for key, name, seat in ((zoe, NAME, 0), (abe, "Abe", 1)):
            await Session(followed, key).sit(name, seat)
        hers, his, watching = Listener(zoe), Listener(abe), Listener(zoe)
        followed.connect(hers)
        mine.connect(his)
        elsewhere = await follows.open(opened(parlour.load("kuhn")))
        elsewhere.connect(watching)
        new, servers = fingerprint(third.tokens.new()), (runs, follows, third)
        await third.guests.move(zoe, new)
        await until(lambda: hers.is_over and watching.is_over and his.is_over)
        await until(lambda: all(zoe in one.tokens.ended for one in servers))
        for one in servers:
            await has_the_seat(one, mine.code, new)
            assert (await one.session(mine.code, zoe)).seat == -1
        await third.guests.forget(new)
        await until(lambda: all(new in one.tokens.ended for one in servers))
        lives = [one.live for one in servers]
        await until(lambda: all(mine.id not in live or live[mine.id].table.seats[0].name != NAME for live in lives))
        for one in servers:
            session = await one.session(mine.code, abe)
            assert [holder.guest for holder in session.players] == [False, True]
            assert await said(one, mine.code, abe) == wire.Done(id="1")


def kept(store: Store, name: str) -> list[log.AnyEntry]:
    return [row.entry for row in store.read(name)]


def secrets_of(store: Store) -> set[tuple[str, int]]:
    return {*store.select(sa.select(SECRETS.c.table_id, SECRETS.c.match))}


@on_both
def test_finished_tables_go_when_their_time_is_over_and_no_others(store: Store) -> None:
    for name in "tu":
        table_with(store, name, closed=name == "t")
    both = [kept(store, name) for name in "tu"]
    store.forget(Keep(math.inf, math.inf, math.inf), time.time() + 10_000 * DAY)
    assert [kept(store, name) for name in "tu"] == both
    assert secrets_of(store) == {("t", 1), ("u", 1)}
    keep = Keep(finished=2 * DAY, chat=math.inf, secrets=math.inf)
    store.forget(keep, time.time() + 1.9 * DAY)
    assert store.code("t") == "T"
    store.forget(keep, time.time() + 2.1 * DAY)
    assert (store.code("t"), kept(store, "t"), kept(store, "u")) == (None, [], both[1])
    assert secrets_of(store) == {("u", 1)}


@on_both
def test_chat_goes_and_its_table_goes_on(store: Store) -> None:
    table_with(store, "t")
    before, keep = kept(store, "t"), Keep(finished=math.inf, chat=3 * DAY, secrets=math.inf)
    store.forget(keep, time.time() + 2.9 * DAY)
    assert kept(store, "t") == before
    store.forget(keep, time.time() + 3.1 * DAY)
    assert SAID not in all_of(store)
    after = [(one, was) for one, was in zip(kept(store, "t"), before, strict=True) if one != was]
    assert [type(one) for both in after for one in both] == [log.ChatSent] * 4
    store.append("t", 1, StoredEntry(len(before) + 1, log.Closed("the end."))).result(LIMIT)


@on_both
def test_secrets_and_what_guests_are_known_by_go_when_a_table_was_closed_for_long(store: Store) -> None:
    for name in "tu":
        table_with(store, name, closed=name == "t", matches=2)
    keep = Keep(finished=math.inf, chat=math.inf, secrets=5 * DAY)
    store.forget(keep, time.time() + 4.9 * DAY)
    assert secrets_of(store) == {("t", 2), ("u", 2)}  # of earlier matches none is needed
    before = read_table(store, "t")
    assert before.hosting.maker == ZOE
    for _ in range(2):
        store.forget(keep, time.time() + 5.1 * DAY)
    assert secrets_of(store) == {("u", 2)}
    known = {name: "\n".join(f"{row.command} {log.encode(row.entry)!r}" for row in store.read(name)) for name in "tu"}
    assert not any(key[:20] in known["t"] for key in (ZOE, ABE))
    assert ZOE in known["u"], "that table is open"
    after = read_table(store, "t")
    assert [one.name for one in after.known.players] == [one.name for one in before.known.players]
    assert after.playing.record() == before.playing.record()


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
    await asyncio.to_thread(table_with, store, "t", closed=True)
    for day in range(1, 5):
        hands["day"] += DAY
        count = len(rounds)
        await until(lambda count=count: len(rounds) > count + 3)  # type: ignore[misc]
        assert store.code("t") == "T"  # the hour is not over
        hands["hours"] += 1.01
        await until(lambda day=day: len(looked) > day)  # type: ignore[misc]
    await until(lambda: store.code("t") is None)
    await tables.close()


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
    table_with(store, "t", closed=True)
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
    assert store.sure() == pytest.approx(leaping.time, abs=0.001)
    for later, code in ((8, "T"), (3, None)):
        for _ in range(later):
            leaping.time += DAY
            store.settle()
        store.forget(keep)
        assert store.code("t") == code
    assert len([record for record in caplog.records if "the clock is" in record.getMessage()]) == 2


@on_both
def test_a_server_that_was_off_for_a_month_is_right_after_a_day(store: Store, leaping: Leaping) -> None:
    """Several servers wait for one day, not each for its own."""
    table_with(store, "t", closed=True)
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
    assert store.sure() == pytest.approx(leaping.time, abs=0.001)


def test_a_database_of_before_was_last_sure_of_its_latest_entry(tmp_path: Path, leaping: Leaping) -> None:
    """It is brought up to date by a server whose clock is wrong."""
    url = f"sqlite:///{tmp_path}/log.db"
    with closing(Store(url)) as store:
        table_with(store, "t", closed=True)
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
    """The tab is closed in a match: after a day bots play it to the end, and the table is closed a day later."""
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
    """Unused tables, those by post, cards of a day and of a duplicate: for a day after somebody has looked at it."""
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
    def found() -> list[bytes]:
        file = b"".join(one.read_bytes() for one in tmp_path.iterdir())
        return [one for one in private if one in file]

    secret = bytes([1] * 32)
    private = [SAID.encode(), ZOE.encode(), ABE.encode(), secret, secret.hex().encode()]
    with closing(Store(f"sqlite:///{tmp_path}/log.db")) as store:
        table_with(store, "t", closed=True)
        assert found() == private
        store.forget(Keep(0.0, 0.0, 0.0, 0.0), time.time() + 1)
        with store.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert found() == []


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
