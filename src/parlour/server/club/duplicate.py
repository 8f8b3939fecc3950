"""Duplicate among friends: the same deals are played at several tables, and each seat is compared with the same seat
elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
from msgspec import structs

from parlour import load
from parlour.base.errors import ParlourError
from parlour.engine.definition import definition
from parlour.players.strengths import usual as usual_strength
from parlour.server.club.daily import ALWAYS
from parlour.server.common.errors import NoTable
from parlour.server.common.outside import token_bytes
from parlour.server.live.for_pages import ForPages
from parlour.server.live.secrecy import LASTS
from parlour.server.store.competitions import Competition, Competitions, Outcome
from parlour.server.table import log
from parlour.server.table.invitations import CODE_LENGTH, new_code
from parlour.server.web.new_table import opened_as, wanted_table

TABLES: Final = 16
"""The most tables of a duplicate."""
DEALS: Final = 12
"""The most deals that are played at each table."""


class Duplicate(msgspec.Struct):
    """A duplicate as it is kept: the game and how it is played, the fingerprint of the guest who began it, the codes of
    its tables, and how many people sit at each. They have the first seats, and bots have the others."""

    game: str
    players: int
    people: int
    options: dict[str, str]
    host: str
    tables: list[str] = []


class DuplicateTable(NamedTuple):
    """A table as everybody may know it: its number from 1, its code, the names of those who sit there, how many people
    are still missing, and whether its match has begun and is over."""

    number: int
    code: str
    names: list[str]
    missing: int
    begun: bool
    over: bool


class Score(NamedTuple):
    """A line of the score sheet of a seat: the number of the table, who had the seat there, what each deal brought in
    the game's own unit (empty: unknown), the result, and by how much that beats the average of the others."""

    table: int
    name: str
    deals: list[int]
    result: float
    better: float


def begin(competitions: Competitions, game: str, players: int, people: int, deals: int, host: str) -> str:
    """Begin a duplicate and return its code, which may take a moment. Raises ``ParlourError`` if there can be no such
    duplicate."""
    what = definition(game)
    options = {}
    if "deals" in what.options:
        if not 1 <= deals <= DEALS:
            raise ParlourError("A duplicate has 1 to {deals} deals, not {other_deals}.", deals=DEALS, other_deals=deals)
        options["deals"] = str(deals)
    load(game, players, **options)
    if not 1 <= people <= players:
        raise ParlourError("At each table sit 1 to {players} people, not {people}.", players=players, people=people)
    state = Duplicate(game, players, people, options, host)
    while True:
        code = new_code()
        if competitions.get(f"same/{code}") is None:
            competitions.begin(f"same/{code}", msgspec.json.encode(state).decode(), token_bytes(32))
            return code


def find(competitions: Competitions, code: str) -> tuple[Competition, Duplicate]:
    """Return the duplicate with this code.  Raises :class:`NoTable` if there is none."""
    kept = competitions.get(f"same/{code.upper()}") if len(code) == CODE_LENGTH else None
    if kept is None:
        raise NoTable("There is no such duplicate: the link is wrong, or it ended long ago.")
    return kept, msgspec.json.decode(kept.state, type=Duplicate)


def is_over(competition: Competition, now: float) -> bool:
    """Whether no more tables can be opened; ``now``: the time that has surely come."""
    return competition.closed or competition.made + LASTS < now


async def end(tables: ForPages, code: str, key: str) -> None:
    """Close a duplicate, and those of its tables at which no match has begun."""
    state = await asyncio.to_thread(close, tables.competitions, code, key)
    for table in state.tables:
        with suppress(NoTable):
            (await tables.invited(table)).begin()


def close(competitions: Competitions, code: str, key: str) -> Duplicate:
    """End a duplicate: no more matches begin, and those that are on are played to their end. Raises ``ParlourError``
    unless the guest with this key began it."""
    competition, state = find(competitions, code)
    if not key or key != state.host:
        raise ParlourError("Only the guest who began this duplicate can end it.")
    while not competitions.change(competition, competition.state, closed=True):
        competition, state = find(competitions, code)
    return state


def remove(competitions: Competitions, code: str, key: str, table: str) -> None:
    """Take a table out of a duplicate, so that there is room for another, and its scores are not compared. Its match
    goes on. Raises ``ParlourError`` unless the guest with this key began the duplicate."""
    while True:
        competition, state = find(competitions, code)
        if not key or key != state.host:
            raise ParlourError("Only the guest who began this duplicate can remove a table.")
        if table not in state.tables:
            return
        state.tables.remove(table)
        if competitions.change(competition, msgspec.json.encode(state).decode(), competition.closed):
            return


def add(competitions: Competitions, code: str, table: str) -> bool:
    """Add a table to a duplicate; return whether there was room for it."""
    while True:
        competition, state = find(competitions, code)
        if is_over(competition, competitions.sure()) or len(state.tables) >= TABLES:
            return False
        state.tables.append(table)
        if competitions.change(competition, msgspec.json.encode(state).decode()):
            return True


def terms(state: Duplicate, code: str) -> log.Opened:
    """Return the first entry of the log of one more table."""
    what = definition(state.game)
    wanted = wanted_table(
        game=state.game, players=state.players, options=state.options, bots=usual_strength(what), takeovers=False
    )
    opened = opened_as(wanted, "")
    return structs.replace(opened, event=f"same/{code.upper()}", awaits=state.people, grace=ALWAYS)


async def places(tables: ForPages, state: Duplicate) -> list[DuplicateTable]:
    """Return the tables as everybody may know them."""
    found = []
    for number, code in enumerate(state.tables, 1):
        with suppress(ParlourError):
            table = await tables.invited(code)
            names = [one.name for one in table.players if one.guest]
            missing = 0 if table.match else state.people - len(names)
            found.append(DuplicateTable(number, code, names, missing, table.match > 0, table.is_over))
    return found


async def take_seat(tables: ForPages, code: str, table: str, key: str, name: str) -> str:
    """Seat a guest at a table of a duplicate that still lacks people, and return the table's code. A guest plays at one
    table only, because they know its cards: if they have one, its code is returned. Raises ``ParlourError`` if they
    cannot sit there."""
    competition, state = await asyncio.to_thread(find, tables.competitions, code)
    before = (await asyncio.to_thread(tables.competitions.entered, [competition.id], key)).get(competition.id)
    if before is not None:
        return before.code
    if is_over(competition, tables.secrecy.sure()):
        raise ParlourError("This duplicate is over.")
    if table not in state.tables:
        raise ParlourError("This table is not part of the duplicate.")
    session = await tables.invited(table, key)
    if session.match:
        raise ParlourError("They have begun at this table; sit down at another one, or open one.")
    free = next((p for p in range(state.people) if not session.players[p].guest), None)
    if free is None:
        raise ParlourError("Every seat at this table is taken; sit down at another one, or open one.")
    if not await asyncio.to_thread(tables.competitions.enter, competition.id, key, session.code):
        return (await asyncio.to_thread(tables.competitions.entered, [competition.id], key))[competition.id].code
    try:
        await session.sit(name, free)
    except ParlourError:
        await asyncio.to_thread(tables.competitions.retire, competition.id, key)
        raise
    return session.code


def compared(state: Duplicate, outcomes: Sequence[Outcome]) -> list[list[Score]]:
    """Return the score sheets, one for each seat that people had, with the best line first."""
    ended = {one.result.code: one.result for one in outcomes}
    order = [code for code in state.tables if code in ended]
    sheets = []
    for seat in range(state.people):
        returns = [ended[code].returns[seat] for code in order]
        lines = []
        for n, code in enumerate(order):
            result, rest = ended[code], [*returns[:n], *returns[n + 1 :]]
            steps = zip(result.sheet, result.sheet[1:], strict=False)
            brought = [after[seat] - before[seat] for before, after in steps]
            better = returns[n] - sum(rest) / len(rest) if rest else 0.0
            lines.append(Score(1 + state.tables.index(code), result.names[seat], brought, returns[n], better))
        sheets.append(sorted(lines, key=lambda one: (-one.result, one.table)))
    return sheets


__all__ = [
    "DEALS",
    "Duplicate",
    "DuplicateTable",
    "Score",
    "add",
    "begin",
    "close",
    "compared",
    "end",
    "find",
    "is_over",
    "places",
    "remove",
    "take_seat",
    "terms",
]
