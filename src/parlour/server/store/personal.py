"""What is kept of a guest, and what becomes of it when they save it as a file, delete it or sign out everywhere.

:data:`KEPT` names every column of the database and every field of a log that holds something of a guest, and says what
deletion does to it; :data:`OTHERS` names all that hold nothing.  Saving and deleting follow :data:`KEPT`, and so does
the table in ``docs/security.md``.

Logs must stay what they are for everybody else: they can be played, and the cards of a match can be checked.  So moves
and random numbers stay, as those of somebody called ``Guest``.  The links of a match's chain (``docs/fair_deal.md``, 9)
bind the names, so they go with the name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from itertools import chain, count
from time import time
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa
from msgspec import structs

from parlour.base.errors import ParlourError
from parlour.base.naming import look_of
from parlour.server.store import history
from parlour.server.store.schema import (
    ENDED,
    ENTRANTS,
    ENTRIES,
    EVENTS,
    INBOX,
    LADDER,
    PRESENCE,
    RATINGS,
    RESULTS,
    SEATINGS,
    TABLES,
)
from parlour.server.table import log
from parlour.server.table.seats import WATCHER, is_nobody, nobody

AT_ONCE: Final = 10
"""How many tables are handled in one transaction: all that a server writes waits for it."""
NOBODY: Final = "Guest"
"""What a guest is called who has had their name deleted; with a number where somebody else is called so."""
ABBREVIATED: Final = 20
"""How many letters of a fingerprint stand before the id of a command."""
_NAMED: Final = re.compile(r"[ \t]*(#|(seat[ \t]+\d+|sat|link)[ \t]*:)")
_COMMENTED: Final = re.compile(r"([ \t]*(?:chance|\d+|returns|deal \d+ returns)[ \t]*:.*?)[ \t]+#.*")


class Fate(Enum):
    """What deletion does to something that is kept of a guest."""

    GOES = "deleted"
    UNLINKED = "replaced by a fingerprint that is nobody’s"
    RENAMED = f"replaced by “{NOBODY}”"
    STAYS = "stays"


class PersonalData(NamedTuple):
    """Something of a guest: the table of the database, or the entry of a log, and its columns or fields; what they
    hold; what deletion does to them; whether the guest can save them as a file."""

    where: str
    names: str
    holds: str
    fate: Fate
    saved: bool = True


LOG: Final = "log: "
"""Stands before the name of an entry of a log."""
KEPT: Final = (
    PersonalData("seatings", "guest table_id at", "at which tables you have sat down, and when", Fate.GOES),
    PersonalData("results", "guest table_id match at event", "which matches you have played", Fate.GOES),
    PersonalData("results", "result", "how they ended; your name in the other players’ results is replaced", Fate.GOES),
    PersonalData("ratings", "guest game mu sigma matches at", "your ratings", Fate.GOES),
    PersonalData("ladder", "guest name at", "the name under which others see your ratings", Fate.GOES),
    PersonalData(
        "entrants", "guest", "in which deals of the day, duplicates and tournaments you take part", Fate.UNLINKED
    ),
    PersonalData("entrants", "event number code at", "since when, under which number, at which table", Fate.STAYS),
    PersonalData("events", "state", "your name in a tournament, from which you withdraw", Fate.RENAMED),
    PersonalData("presence", "guest table_id server until", "where you are connected, for some seconds", Fate.GOES),
    PersonalData(
        "inbox", "seat_key table_id key command answer at", "commands between servers, for minutes", Fate.GOES
    ),
    PersonalData("entries", "command", "which entries of a log you asked for", Fate.UNLINKED),
    PersonalData("entries", "at", "when", Fate.STAYS),
    PersonalData("ended", "guest at", "that a token is no longer valid: for a year", Fate.STAYS, saved=False),
    PersonalData(f"{LOG}opened", "maker invited", "that you opened a table, or have a seat at one", Fate.UNLINKED),
    PersonalData(f"{LOG}resumed", "record", "a record that you brought; the names in it are deleted", Fate.STAYS),
    PersonalData(f"{LOG}sat", "seat", "which seat you took; if the table is open, a bot takes it", Fate.STAYS),
    PersonalData(f"{LOG}sat", "name", "your name", Fate.RENAMED),
    PersonalData(f"{LOG}sat", "key", "the fingerprint of your token", Fate.UNLINKED),
    PersonalData(f"{LOG}said", "seat name text", "what you wrote in the chat", Fate.GOES),
    PersonalData(f"{LOG}did", "seat actions", "your moves", Fate.STAYS),
    PersonalData(f"{LOG}begun", "nonces", "the random number that you put into the first deal", Fate.STAYS),
    PersonalData(f"{LOG}fell", "nonces", "the same for later deals", Fate.STAYS),
    PersonalData(f"{LOG}undone", "seat", "that you took a move back", Fate.STAYS),
    PersonalData(f"{LOG}rewound", "seat steps", "the same in practice", Fate.STAYS),
    PersonalData(f"{LOG}wanted", "seat", "that you wanted to go on", Fate.STAYS),
    PersonalData(f"{LOG}away", "seat", "that you were away", Fate.STAYS),
    PersonalData(f"{LOG}back", "seat", "that you were back", Fate.STAYS),
    PersonalData(f"{LOG}left", "seat", "that you gave up your seat", Fate.STAYS),
    PersonalData(f"{LOG}removed", "seat", "that a host removed you", Fate.STAYS),
    PersonalData(f"{LOG}removed", "key", "the fingerprint of your token", Fate.UNLINKED),
    PersonalData(f"{LOG}allowed", "name on", "what you allowed as a host", Fate.STAYS),
    PersonalData(f"{LOG}linked", "link", "the links of a match’s chain, which bind your name", Fate.GOES, saved=False),
)
"""All that is kept of guests."""
OTHERS: Final[Mapping[str, str]] = {
    "servers": "id until",
    "tables": "id code version fence owner listed made closed",
    "entries": "table_id version entry",  # what is in an entry stands in KEPT field by field
    "secrets": "table_id match secret",
    "inbox": "number",
    "counted": "table_id match",
    "events": "id made version closed secret",
    "settled": "id at sure waits",
    "signet": "id secret",
    f"{LOG}opened": (
        "game rules players options bots names pace beat grace patience told listed takeovers event awaits lesson"
        " practice by_post"
    ),
    f"{LOG}committed": "match commitment",
    f"{LOG}begun": "fell",
    f"{LOG}resumed": "match fell",
    f"{LOG}did": "fell held",
    f"{LOG}fell": "fell held",
    f"{LOG}went_on": "",
    f"{LOG}told": "secret",
    f"{LOG}frozen": "reason",
    f"{LOG}closed": "reason",
    f"{LOG}rewritten": "",
}
"""What holds nothing of a guest: columns of the database, fields of the entries of logs."""
OWNERS: Final = (
    SEATINGS.c.guest, RESULTS.c.guest, RATINGS.c.guest, LADDER.c.guest, ENTRANTS.c.guest, PRESENCE.c.guest,
    INBOX.c.seat_key,
)  # fmt: skip
"""The columns that say whose a row is."""
LASTING: Final = (SEATINGS.c.guest, RESULTS.c.guest, RATINGS.c.guest, LADDER.c.guest, ENTRANTS.c.guest)
"""Those whose rows last longer than a connection."""


def fates(where: str) -> dict[str, Fate]:
    """Return what deletion does to the columns of a table, or the fields of an entry, that hold something of a guest.

    >>> fates("log: sat")["name"]
    <Fate.RENAMED: 'replaced by “Guest”'>
    """
    return {name: one.fate for one in KEPT if one.where == where for name in one.names.split()}


def in_file(where: str) -> list[str]:
    """Return the columns, or fields, that a guest can save.

    >>> in_file("ratings"), in_file("ended")
    (['guest', 'game', 'mu', 'sigma', 'matches', 'at'], [])
    """
    return [name for one in KEPT if one.where == where and one.saved for name in one.names.split()]


UNLINKED: Final = {
    one.where.removeprefix(LOG): [name for name, fate in fates(one.where).items() if fate is Fate.UNLINKED]
    for one in KEPT
    if one.where.startswith(LOG) and one.fate is Fate.UNLINKED
}
"""The fields of a log's entries that hold fingerprints, by entry."""


# ------------------------------------------------------------------------------------------ a table's log


Rows = Sequence[tuple[int, log.AnyEntry]]
"""A log: its entries, each with its version."""


class Trace:
    """A guest's way through the log of a table.  ``known``: seats and names that were theirs, by which they are found
    in a log without fingerprints; ``seats``: those that they have now."""

    def __init__(self, guest: str, known: Collection[tuple[int, str]] = ()) -> None:
        self._guest, self._known, self._maker = guest, known, ""
        self.seats: set[int] = set()

    def sees(self, entry: log.AnyEntry) -> bool:
        """Take the next entry; return whether it holds something of the guest."""
        match entry:
            case log.Opened():
                self._maker = entry.maker
                return self._guest in (entry.maker, *entry.invited)
            case log.Sat():
                self._maker = self._maker or entry.key
                is_mine = entry.key == self._guest or self._is_known(entry)
                (self.seats.add if is_mine else self.seats.discard)(entry.seat)
                return is_mine
            case log.Left() | log.Removed():
                is_mine = entry.seat in self.seats
                self.seats.discard(entry.seat)
                return is_mine
            case log.Allowed() | log.Resumed():
                return self._maker == self._guest
            case log.Begun() | log.Fell():
                return bool(self.seats & {int(seat) for seat in entry.nonces})
            case _:
                return getattr(entry, "seat", None) in self.seats

    def _is_known(self, sat: log.Sat) -> bool:
        return is_nobody(sat.key) and (sat.seat, sat.name) in self._known


class Forgotten(NamedTuple):
    """A log from which a guest is deleted: the entries that change, by version; what the guest is called there from
    now on; the seats that they have."""

    changed: dict[int, log.AnyEntry]
    name: str
    seats: list[int]


def forgotten(rows: Rows, guest: str, known: Collection[tuple[int, str]] = ()) -> Forgotten:
    """Return what becomes of a log when a guest is deleted from it."""
    name = free_name(name for _, entry in rows for name in _names_in(entry))
    key, trace = nobody(), Trace(guest, known)
    changed = {version: _without(entry, guest, key, name) for version, entry in rows if trace.sees(entry)}
    changed |= dict.fromkeys(_links(rows, guest, known), log.Linked(""))
    return Forgotten(changed, name, sorted(trace.seats))


def _names_in(entry: log.AnyEntry) -> Sequence[str]:
    if isinstance(entry, log.Opened):
        return entry.names
    return [entry.name] if isinstance(entry, log.Sat) else ()


def free_name(called: Iterable[str]) -> str:
    """Return what a guest is called whose name is deleted, where others have these names.

    >>> free_name(["Ann"]), free_name(["Ann", "guest"])
    ('Guest', 'Guest 2')
    """
    looks = {look_of(name) for name in called}
    wanted = chain([NOBODY], (f"{NOBODY} {n}" for n in count(2)))
    return next(one for one in wanted if look_of(one) not in looks)


def _without(entry: log.AnyEntry, guest: str, key: str, name: str) -> log.AnyEntry:
    """Return an entry of a guest without what deletion takes; ``key`` and ``name`` stand in place of theirs."""
    new: dict[str, Any] = {}
    for field, fate in fates(f"{LOG}{log.called(entry)}").items():
        kept = getattr(entry, field)
        if fate is Fate.GOES:
            new[field] = "" if isinstance(kept, str) else WATCHER
        elif fate is Fate.RENAMED:
            new[field] = name
        elif fate is Fate.UNLINKED and isinstance(kept, list):
            new[field] = [key if one == guest else one for one in kept]
        elif fate is Fate.UNLINKED and (kept == guest or isinstance(entry, log.Sat | log.Removed)):
            new[field] = key
    if isinstance(entry, log.Resumed):
        new["record"] = nameless(entry.record)
    return structs.replace(entry, **new)


def nameless(record: str) -> str:
    """Return a record without the names of its players, without comments, where they may stand, too, and without the
    links of its chain, which bind them.

    >>> nameless("seat 0: Ann\\nsat: 0 guest Ann\\n0: call\\ndeal 1 returns: 1 -1   # dealt by Ann\\n")
    '0: call\\ndeal 1 returns: 1 -1\\n'
    """
    lines = [line for line in record.split("\n") if not _NAMED.match(line)]
    return "\n".join(_COMMENTED.sub(r"\1", line) for line in lines)


def _links(rows: Rows, guest: str, known: Collection[tuple[int, str]]) -> list[int]:
    """Return the links, by version, of the matches in which the guest's name is bound: those in which they sat before
    the deal was revealed."""
    trace, is_bound, is_revealed = Trace(guest, known), False, False
    of_match: list[int] = []
    found: list[int] = []
    for version, entry in rows:
        is_mine = trace.sees(entry)
        if isinstance(entry, log.Committed | log.Resumed):
            found += of_match if is_bound else []
            of_match, is_bound, is_revealed = [], bool(trace.seats), False
        elif isinstance(entry, log.Sat):
            is_bound = is_bound or (is_mine and not is_revealed)
        elif isinstance(entry, log.Linked) and entry.link:
            of_match.append(version)
        elif isinstance(entry, log.DealRevealed):
            is_revealed = True
    return found + (of_match if is_bound else [])


# ------------------------------------------------------------------------------------------ the database


def tables_of(connection: sa.Connection, guest: str) -> list[str]:
    """Return the tables that hold something of a guest; none for somebody without a token."""
    if is_nobody(guest):
        return []
    first = ENTRIES.c.version == 1, _holds(ENTRIES.c.entry, guest)
    of_events = sa.select(ENTRANTS.c.code).where(ENTRANTS.c.guest == guest, ENTRANTS.c.code != "")
    found = sa.union(
        sa.select(SEATINGS.c.table_id).where(SEATINGS.c.guest == guest),
        sa.select(RESULTS.c.table_id).where(RESULTS.c.guest == guest),
        sa.select(TABLES.c.id).where(TABLES.c.code.in_(of_events)),
        sa.select(TABLES.c.id).join(ENTRIES, ENTRIES.c.table_id == TABLES.c.id).where(*first),
    )
    kept = sa.select(TABLES.c.id).where(TABLES.c.id.in_(found.subquery().select()))
    return list(connection.execute(kept.order_by(TABLES.c.made, TABLES.c.id)).scalars())


def is_known(connection: sa.Connection, guest: str) -> bool:
    """Whether anything lasting is kept of a guest; it is looked for where that takes no time."""
    asked = [
        *(sa.select(owner).where(owner == guest) for owner in LASTING),
        sa.select(EVENTS.c.id).where(*_begun(guest)),
    ]
    return bool(guest) and any(connection.execute(one.limit(1)).first() is not None for one in asked)


def busy() -> ParlourError:
    """Return what is said if somebody writes to a guest's tables again and again."""
    return ParlourError("Somebody is playing at one of your tables at this very moment; try again.")


def _held(connection: sa.Connection, tables: Collection[str]) -> list[tuple[str, str, int, bool]]:
    """Lock those of these tables that no other server is writing to, which is not waited for: it may wait for us.
    Return the name, the code and the version of each, and whether it is closed."""
    asked = sa.select(TABLES.c.id, TABLES.c.code, TABLES.c.version, TABLES.c.closed).where(TABLES.c.id.in_(tables))
    rows = connection.execute(asked.with_for_update(key_share=True, skip_locked=True)).all()
    return [(name, code, version, closed is not None) for name, code, version, closed in rows]


def _rewritten(connection: sa.Connection, table: str, version: int, entries: Sequence[log.AnyEntry]) -> None:
    """Append entries to a table's log, after this version, and one that has every server read the log again: none runs
    the table any longer."""
    new = [*entries, log.Rewritten()]
    rows = [
        {"table_id": table, "version": n, "at": time(), "command": None, "entry": log.encode(entry).decode()}
        for n, entry in enumerate(new, version + 1)
    ]
    connection.execute(ENTRIES.insert(), rows)
    head = {"version": version + len(new), "fence": TABLES.c.fence + 1, "owner": ""}
    connection.execute(TABLES.update().where(TABLES.c.id == table).values(head))


def _end(connection: sa.Connection, guest: str) -> None:
    """Note that a token is no longer valid."""
    connection.execute(ENDED.delete().where(ENDED.c.guest == guest))  # somebody may have pressed twice
    connection.execute(ENDED.insert().values(guest=guest, at=time()))


_REPLACED: Final = (
    ENTRIES.update()
    .where(ENTRIES.c.table_id == sa.bindparam("of"), ENTRIES.c.version == sa.bindparam("at_version"))
    .values(entry=sa.bindparam("new"))
)


def forget_tables(connection: sa.Connection, guest: str, tables: Collection[str]) -> list[str]:
    """Delete a guest from these tables, as far as nobody writes to them now; return those where it is done."""
    held = _held(connection, tables)
    for table, code, version, is_closed in held:
        mine = connection.execute(
            sa.select(RESULTS.c.match, RESULTS.c.result).where(RESULTS.c.guest == guest, RESULTS.c.table_id == table)
        )
        results = {match: history.decode(text) for match, text in mine}
        known = {match: (one.seat, one.names[one.seat]) for match, one in results.items()}
        asked = sa.select(ENTRIES.c.version, ENTRIES.c.entry).where(ENTRIES.c.table_id == table)
        rows = [(n, log.decode(text)) for n, text in connection.execute(asked.order_by(ENTRIES.c.version))]
        left = forgotten(rows, guest, set(known.values()))
        new = [{"of": table, "at_version": n, "new": log.encode(one).decode()} for n, one in left.changed.items()]
        if new:
            connection.execute(_REPLACED, new)
        _give_commands(connection, [table], guest, nobody())
        _rename_in_results(connection, table, guest, known, left.name)
        _rewritten(connection, table, version, [] if is_closed else [log.Left(seat) for seat in left.seats])
        for owner in OWNERS:
            if "table_id" in owner.table.c:
                _forget_rows(connection, owner, guest, owner.table.c.table_id == table)
        _forget_rows(connection, ENTRANTS.c.guest, guest, ENTRANTS.c.code == code)
    return [table for table, *_ in held]


def forget_rest(connection: sa.Connection, guest: str) -> bool:
    """Delete whatever is kept of a guest outside their tables, if none of these is left; return whether it is done."""
    if connection.execute(sa.select(SEATINGS.c.guest).where(SEATINGS.c.guest == guest).limit(1)).first() is not None:
        return False
    asked = sa.select(RESULTS.c.table_id, RESULTS.c.match, RESULTS.c.result).where(RESULTS.c.guest == guest)
    for table, match, text in connection.execute(asked).all():  # their tables are gone
        result = history.decode(text)
        others = [name for seat, name in enumerate(result.names) if seat != result.seat]
        mine = result.seat, result.names[result.seat]
        _rename_in_results(connection, table, guest, {match: mine}, free_name(others))
    for owner in OWNERS:
        _forget_rows(connection, owner, guest)
    _give_events(connection, guest, nobody())
    _end(connection, guest)
    return True


def _forget_rows(connection: sa.Connection, owner: sa.Column[str], guest: str, *which: sa.ColumnElement[bool]) -> None:
    """Delete the rows of a guest, or let them be nobody's, whichever is said of the column."""
    mine = owner == guest, *which
    if owner is ENTRANTS.c.guest:
        _withdraw(connection, guest, which)
    if fates(owner.table.name)[owner.name] is Fate.UNLINKED:
        connection.execute(owner.table.update().where(*mine).values({owner.name: nobody()}))
    else:
        connection.execute(owner.table.delete().where(*mine))


def _withdraw(connection: sa.Connection, guest: str, which: Sequence[sa.ColumnElement[bool]]) -> None:
    """Take a guest out of the tournaments in which they take part, and give them another name there."""
    taking_part = ENTRANTS.c.guest == guest, ENTRANTS.c.event.like("swiss/%"), *which
    for event, number in connection.execute(sa.select(ENTRANTS.c.event, ENTRANTS.c.number).where(*taking_part)).all():
        here = EVENTS.c.id == event
        text = connection.execute(sa.select(EVENTS.c.state).where(here).with_for_update()).scalar()
        state = msgspec.json.decode(text or "{}")
        names, out = state.get("names", []), state.get("out", [])
        if number < len(names) and names[number]:
            names[number] = free_name(name for n, name in enumerate(names) if n != number)
            state["out"] = out if number in out else [*out, number]
            changed = {"state": msgspec.json.encode(state).decode(), "version": EVENTS.c.version + 1}
            connection.execute(EVENTS.update().where(here).values(changed))


def _rename_in_results(
    connection: sa.Connection, table: str, guest: str, known: Mapping[int, tuple[int, str]], name: str
) -> None:
    """Give a guest another name in the results of the others at a table; ``known``: their seat and name, by match."""
    others = RESULTS.c.table_id == table, RESULTS.c.guest != guest, RESULTS.c.match.in_(known)
    asked = sa.select(RESULTS.c.guest, RESULTS.c.match, RESULTS.c.result).where(*others)
    for other, match, text in connection.execute(asked).all():
        result, (seat, called) = history.decode(text), known[match]
        if result.names[seat] == called:
            names = [name if p == seat else one for p, one in enumerate(result.names)]
            here = RESULTS.c.guest == other, RESULTS.c.table_id == table, RESULTS.c.match == match
            new = history.encode(structs.replace(result, names=names))
            connection.execute(RESULTS.update().where(*here).values(result=new))


def _give_commands(connection: sa.Connection, tables: Collection[str], guest: str, other: str) -> None:
    """Let a guest's commands at these tables be somebody else's."""
    before, after = (f"{one[:ABBREVIATED]} " for one in (guest, other))
    mine = ENTRIES.c.table_id.in_(tables), ENTRIES.c.command.startswith(before, autoescape=True)
    changed = sa.func.replace(ENTRIES.c.command, before, after)
    connection.execute(ENTRIES.update().where(*mine).values(command=changed))


def _give_events(connection: sa.Connection, guest: str, other: str) -> None:
    """Let what a guest has begun be somebody else's."""
    changed = {"state": _given(EVENTS.c.state, guest, other), "version": EVENTS.c.version + 1}
    connection.execute(EVENTS.update().where(*_begun(guest)).values(changed))


def _begun(guest: str) -> tuple[sa.ColumnElement[bool], ...]:
    """The duplicates that a guest has begun.  (Of a tournament nothing shows who has.)"""
    return EVENTS.c.id.like("same/%"), _holds(EVENTS.c.state, guest)


def _holds(text: sa.Column[str], guest: str) -> sa.ColumnElement[bool]:
    """Whether a fingerprint stands in a text, which is JSON."""
    return text.contains(f'"{guest}"', autoescape=True)


def _given(text: sa.Column[str], guest: str, other: str) -> sa.ColumnElement[str]:
    """The same text with another fingerprint."""
    return sa.func.replace(text, f'"{guest}"', f'"{other}"')


def move(connection: sa.Connection, guest: str, other: str, tables: Collection[str]) -> bool:
    """Let all that is kept of a guest be known by another fingerprint; ``tables``: those that hold something of
    theirs.  Return whether it is done: it is not, and nothing is, if somebody writes to one of them now."""
    held = _held(connection, tables)
    if len(held) < len(tables):
        return False
    for owner in OWNERS:
        if owner in LASTING:
            connection.execute(owner.table.update().where(owner == guest).values({owner.name: other}))
        else:
            connection.execute(owner.table.delete().where(owner == guest))
    mine = ENTRIES.c.table_id.in_(tables), _holds(ENTRIES.c.entry, guest)
    connection.execute(ENTRIES.update().where(*mine).values(entry=_given(ENTRIES.c.entry, guest, other)))
    _give_commands(connection, tables, guest, other)
    _give_events(connection, guest, other)
    for table, _, version, _ in held:
        _rewritten(connection, table, version, [])
    _end(connection, guest)
    return True


# ------------------------------------------------------------------------------------------ the file


def saved(connection: sa.Connection, guest: str) -> dict[str, Any]:
    """Return all that is kept of a guest, as they may save it: rows by their table of the database, and under
    ``tables`` their entries of each table's log."""
    found: dict[str, Any] = {
        owner.table.name: [_shown(dict(row)) for row in connection.execute(_mine(owner, guest)).mappings()]
        for owner in OWNERS
    }
    results = found["results"]
    for one in found["entrants"]:
        one["name"] = _name_in(connection, one["event"], one["number"])
    found["tables"] = [_of_log(connection, guest, table, results) for table in tables_of(connection, guest)]
    return found


def _mine(owner: sa.Column[str], guest: str) -> sa.Select[Any]:
    columns = [owner.table.c[name] for name in in_file(owner.table.name)]
    return sa.select(*columns).where(owner == guest).order_by(*owner.table.primary_key)


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as it is saved."""
    shown = {name: bytes(value).decode() if isinstance(value, bytes) else value for name, value in row.items()}
    if "result" in shown:
        shown["result"] = msgspec.json.decode(shown["result"])
    return shown


def _name_in(connection: sa.Connection, event: str, number: int) -> str:
    """Return what a guest is called in a tournament; empty elsewhere."""
    text = connection.execute(sa.select(EVENTS.c.state).where(EVENTS.c.id == event)).scalar()
    names = msgspec.json.decode(text).get("names", []) if text and event.startswith("swiss/") else []
    return str(names[number]) if number < len(names) else ""


def _of_log(connection: sa.Connection, guest: str, table: str, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the entries of a guest in the log of a table."""
    mine = [one["result"] for one in results if one["table_id"] == table]
    trace = Trace(guest, {(one["seat"], one["names"][one["seat"]]) for one in mine})
    code = connection.execute(sa.select(TABLES.c.code).where(TABLES.c.id == table)).scalar()
    asked = sa.select(ENTRIES.c.at, ENTRIES.c.command, ENTRIES.c.entry).where(ENTRIES.c.table_id == table)
    found, game, begins = [], "", f"{guest[:ABBREVIATED]} "
    for at, command, text in connection.execute(asked.order_by(ENTRIES.c.version)):
        entry = log.decode(text)
        if isinstance(entry, log.Opened):
            game = entry.game
        if trace.sees(entry):
            own = {"command": command} if command and command.startswith(begins) else {}
            found.append({"what": log.called(entry), "at": at, **own, **_fields(entry, guest, trace.seats)})
    return {"code": code, "game": game, "seat": min(trace.seats, default=WATCHER), "entries": found}


def _fields(entry: log.AnyEntry, guest: str, seats: Collection[int]) -> dict[str, Any]:
    """Return of an entry what is the guest's."""
    shown: dict[str, Any] = {}
    for field in in_file(f"{LOG}{log.called(entry)}"):
        value = getattr(entry, field)
        if isinstance(value, dict):
            value = {seat: one for seat, one in value.items() if int(seat) in seats}
        elif isinstance(value, list) and field == "invited":
            value = [one for one in value if one == guest]
        elif field in ("maker", "key") and value != guest:
            continue
        shown[field] = value
    return shown


__all__ = [
    "AT_ONCE",
    "KEPT",
    "LOG",
    "NOBODY",
    "OTHERS",
    "UNLINKED",
    "Fate",
    "Forgotten",
    "PersonalData",
    "Trace",
    "busy",
    "fates",
    "forget_rest",
    "forget_tables",
    "forgotten",
    "free_name",
    "in_file",
    "is_known",
    "move",
    "nameless",
    "saved",
    "tables_of",
]
