"""What a database keeps of a guest: how it is deleted, moved to another token, or saved as a file, as :mod:`.fates`
says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from msgspec import structs

from parlour.base.errors import ParlourError
from parlour.server.store import history
from parlour.server.store.fates import LASTING, LOG, OWNERS, Fate, fates, in_file
from parlour.server.store.in_log import Trace, forgotten, free_name
from parlour.server.store.schema import (
    ENDED,
    ENTRANTS,
    ENTRIES,
    EVENTS,
    RESULTS,
    SEATINGS,
    TABLES,
)
from parlour.server.table import log
from parlour.server.table.seats import WATCHER, is_nobody, nobody

AT_ONCE: Final = 10
"""The most tables that are handled in one transaction: all that a server writes waits for it."""
ABBREVIATED: Final = 20
"""How many letters of a fingerprint are put before the id of a command."""


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
    """Whether anything lasting is kept of a guest. Only places that can be searched quickly are searched."""
    asked = [
        *(sa.select(owner).where(owner == guest) for owner in LASTING),
        sa.select(EVENTS.c.id).where(*_begun(guest)),
    ]
    return bool(guest) and any(connection.execute(one.limit(1)).first() is not None for one in asked)


def busy() -> ParlourError:
    """Return the error for a guest at whose tables somebody keeps writing."""
    return ParlourError("Somebody is playing at one of your tables at this very moment; try again.")


def _held(connection: sa.Connection, tables: Collection[str]) -> list[tuple[str, str, int, bool]]:
    """Lock those of these tables that no other server is writing to. Another server is not waited for, because it may
    wait for this one. Return the name, the code and the version of each, and whether it is closed."""
    asked = sa.select(TABLES.c.id, TABLES.c.code, TABLES.c.version, TABLES.c.closed).where(TABLES.c.id.in_(tables))
    rows = connection.execute(asked.with_for_update(key_share=True, skip_locked=True)).all()
    return [(name, code, version, closed is not None) for name, code, version, closed in rows]


def _rewritten(connection: sa.Connection, table: str, version: int, entries: Sequence[log.AnyEntry], at: float) -> None:
    """Append entries to a table's log, after this version, and one more, which makes every server read the log again.
    After that, no server runs the table."""
    new = [*entries, log.Rewritten()]
    rows = [
        {"table_id": table, "version": n, "at": at, "command": None, "entry": log.encode(entry).decode()}
        for n, entry in enumerate(new, version + 1)
    ]
    connection.execute(ENTRIES.insert(), rows)
    head = {"version": version + len(new), "fence": TABLES.c.fence + 1, "owner": ""}
    connection.execute(TABLES.update().where(TABLES.c.id == table).values(head))


def _end(connection: sa.Connection, guest: str, at: float) -> None:
    """Note that a token is no longer valid."""
    connection.execute(ENDED.delete().where(ENDED.c.guest == guest))  # the guest may have pressed twice
    connection.execute(ENDED.insert().values(guest=guest, at=at))


_REPLACED: Final = (
    ENTRIES.update()
    .where(ENTRIES.c.table_id == sa.bindparam("of"), ENTRIES.c.version == sa.bindparam("at_version"))
    .values(entry=sa.bindparam("new"))
)


def forget_tables(connection: sa.Connection, guest: str, tables: Collection[str], at: float) -> list[str]:
    """Delete a guest, at the time ``at``, from those of these tables to which nobody is writing; return the tables
    where it is done."""
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
        _rewritten(connection, table, version, [] if is_closed else [log.Left(seat) for seat in left.seats], at)
        for owner in OWNERS:
            if "table_id" in owner.table.c:
                _forget_rows(connection, owner, guest, owner.table.c.table_id == table)
        _forget_rows(connection, ENTRANTS.c.guest, guest, ENTRANTS.c.code == code)
    return [table for table, *_ in held]


def forget_rest(connection: sa.Connection, guest: str, at: float) -> bool:
    """Delete whatever is kept of a guest outside their tables, if none of these is left; return whether that is
    done."""
    if connection.execute(sa.select(SEATINGS.c.guest).where(SEATINGS.c.guest == guest).limit(1)).first() is not None:
        return False
    asked = sa.select(RESULTS.c.table_id, RESULTS.c.match, RESULTS.c.result).where(RESULTS.c.guest == guest)
    for table, match, text in connection.execute(asked).all():  # these results' tables no longer exist
        result = history.decode(text)
        others = [name for seat, name in enumerate(result.names) if seat != result.seat]
        mine = result.seat, result.names[result.seat]
        _rename_in_results(connection, table, guest, {match: mine}, free_name(others))
    for owner in OWNERS:
        _forget_rows(connection, owner, guest)
    _give_events(connection, guest, nobody())
    _end(connection, guest, at)
    return True


def _forget_rows(connection: sa.Connection, owner: sa.Column[str], guest: str, *which: sa.ColumnElement[bool]) -> None:
    """Delete the rows of a guest, or make them nobody's, as :data:`.fates.KEPT` says of the column."""
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
    """Give a guest another name in the results of the others at a table. ``known``: the guest's seat and name, by
    match."""
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
    """Make a guest's commands at these tables somebody else's."""
    before, after = (f"{one[:ABBREVIATED]} " for one in (guest, other))
    mine = ENTRIES.c.table_id.in_(tables), ENTRIES.c.command.startswith(before, autoescape=True)
    changed = sa.func.replace(ENTRIES.c.command, before, after)
    connection.execute(ENTRIES.update().where(*mine).values(command=changed))


def _give_events(connection: sa.Connection, guest: str, other: str) -> None:
    """Make what a guest has begun somebody else's."""
    changed = {"state": _given(EVENTS.c.state, guest, other), "version": EVENTS.c.version + 1}
    connection.execute(EVENTS.update().where(*_begun(guest)).values(changed))


def _begun(guest: str) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the condition for the duplicates that a guest has begun. (Nothing shows who has begun a tournament.)"""
    return EVENTS.c.id.like("same/%"), _holds(EVENTS.c.state, guest)


def _holds(text: sa.Column[str], guest: str) -> sa.ColumnElement[bool]:
    """Return the condition that a fingerprint stands in a text, which is JSON."""
    return text.contains(f'"{guest}"', autoescape=True)


def _given(text: sa.Column[str], guest: str, other: str) -> sa.ColumnElement[str]:
    """Return an expression for the same text with another fingerprint."""
    return sa.func.replace(text, f'"{guest}"', f'"{other}"')


def move(connection: sa.Connection, guest: str, other: str, tables: Collection[str], at: float) -> bool:
    """Let all that is kept of a guest be known by another fingerprint. ``tables``: all that hold something of the
    guest. Return whether that is done: nothing is, if somebody is writing to one of them now."""
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
        _rewritten(connection, table, version, [], at)
    _end(connection, guest, at)
    return True


# ------------------------------------------------------------------------------------------ the file


def saved(connection: sa.Connection, guest: str) -> dict[str, Any]:
    """Return all that is kept of a guest, as they may save it: rows by their table of the database and, under
    ``tables``, the guest's entries in each table's log."""
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
    """Return what a guest is called in a tournament; empty for any other competition."""
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
    """Return the fields of an entry that are the guest's."""
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


__all__ = ["AT_ONCE", "busy", "forget_rest", "forget_tables", "is_known", "move", "saved", "tables_of"]
