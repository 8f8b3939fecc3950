"""A tournament in rounds for an evening at a club: who takes part, the tables of each round, how it stands."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
from msgspec import structs

from parlour import load
from parlour.engine.definition import definition
from parlour.errors import ParlourError
from parlour.naming import fitting_line, fitting_name, look_of, shortened
from parlour.room import log
from parlour.room.errors import NoTable
from parlour.room.events import Event, Events, Outcome
from parlour.room.new_table import opened_as, wanted_table
from parlour.room.pairing import Played, Standing, pair, points_of, standings
from parlour.room.seats import NAMES, fingerprint
from parlour.room.tables import CODE_LENGTH, CODE_LETTERS, Tables

PEOPLE: Final = 128
"""The most players of a tournament."""
ROUNDS: Final = 20
"""The most rounds."""
GRACE: Final = 180.0
"""Seconds after which a bot plays for somebody who has gone."""
LONGEST_TITLE: Final = 60
"""How many letters of a title are kept."""
TRIES: Final = 20
"""How often a change is tried that others are quicker with."""


class RoundTable(msgspec.Struct):
    """A table of a round: its code, its players by number, and when it is over the points of each and what they won or
    lost."""

    code: str
    players: list[int]
    points: list[float] = []
    gains: list[float] = []


class Round(msgspec.Struct):
    """A round: its tables, who has a bye, and whether it is over."""

    tables: list[RoundTable]
    byes: list[int]
    over: bool = False


class Swiss(msgspec.Struct):
    """What belongs to a tournament.

    ``size``: players at a table; ``patience``: seconds to choose (0: no limit); ``host``: the fingerprint of the secret
    in the host's link; ``names``: the players, by number; ``out``: those who have withdrawn; ``lots``: the order of the
    first round.
    """

    title: str
    game: str
    size: int
    options: dict[str, str]
    patience: float
    rounds: int
    host: str
    names: list[str] = []
    out: list[int] = []
    lots: list[int] = []
    played: list[Round] = []
    over: bool = False

    @property
    def present(self) -> list[int]:
        """The players who have not withdrawn, by number."""
        return [number for number in range(len(self.names)) if number not in self.out]

    @property
    def round(self) -> Round | None:
        """The round that is being played, if one is."""
        return self.played[-1] if self.played and not self.played[-1].over else None

    @property
    def done(self) -> list[Played]:
        """The rounds that are over, and what is over of the present one; its byes count when it is."""
        return [
            Played(
                [table.players for table in one.tables if table.points],
                [table.points for table in one.tables if table.points],
                [table.gains for table in one.tables if table.points],
                one.byes if one.over else [],
            )
            for one in self.played
        ]

    def standings(self) -> list[Standing]:
        """How it stands."""
        return standings(range(len(self.names)), self.done)


class Seen(NamedTuple):
    """A table of the present round as everybody may know it: whether its match has begun, is over, who is still
    awaited there, and whether the match can be seen again (not if only its result was entered)."""

    table: RoundTable
    begun: bool
    over: bool
    awaited: list[str]
    seen_again: bool


def begin(events: Events, title: str, game: str, size: int, rounds: int, patience: float) -> tuple[str, str]:
    """Begin a tournament; return its code and the secret of its host.  Raises ``ParlourError`` if it is impossible.  It
    may take a moment."""
    what = definition(game)
    load(game, size)
    if not 1 <= rounds <= ROUNDS:
        raise ParlourError(
            "A tournament has 1 to {rounds} rounds, not {other_rounds}.", rounds=ROUNDS, other_rounds=rounds
        )
    if not 0 <= patience <= 3600:
        raise ParlourError("Players have at most 3600 seconds to choose, not {patience:g}.", patience=patience)
    title, secret = fitting_line(title) if title.strip() else what.name, secrets.token_urlsafe(24)
    state = Swiss(shortened(title, LONGEST_TITLE), what.id, size, {}, patience, rounds, fingerprint(secret))
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        if events.get(f"swiss/{code}") is None:
            events.begin(f"swiss/{code}", _text(state))
            return code, secret


def _text(state: Swiss) -> str:
    return msgspec.json.encode(state).decode()


def find(events: Events, code: str) -> tuple[Event, Swiss]:
    """Return the tournament with this code.  Raises :class:`NoTable` if there is none."""
    kept = events.get(f"swiss/{code.upper()}") if len(code) == CODE_LENGTH else None
    if kept is None:
        raise NoTable("There is no such tournament: the link is wrong, or it ended long ago.")
    return kept, msgspec.json.decode(kept.state, type=Swiss)


def must_be_host(state: Swiss, secret: str) -> None:
    """Raise ``ParlourError`` unless this is the secret of the host's link."""
    if not secrets.compare_digest(fingerprint(secret), state.host):
        raise ParlourError("This isn't the link of the tournament's host.")


def change(events: Events, code: str, how: Callable[[Swiss], None]) -> Swiss:
    """Change a tournament; whatever others have changed since is seen first.  ``how`` may raise ``ParlourError``."""
    for _ in range(TRIES):
        event, state = find(events, code)
        how(state)
        if events.change(event, _text(state), closed=state.over):
            return state
    raise ParlourError("Others are changing this tournament; try again in a moment.")


# ------------------------------------------------------------------------------------------ players


def join(events: Events, code: str, guest: str, name: str) -> int:
    """Let a guest take part; return their number.  A guest who takes part already, or has withdrawn, is back."""
    name = fitting_name(name)
    event, state = find(events, code)
    before = events.entered([event.id], guest).get(event.id)
    if before is not None:
        change(events, code, lambda now: now.out.remove(before.number) if before.number in now.out else None)
        return before.number

    def enter(now: Swiss) -> None:
        if now.over:
            raise ParlourError("This tournament is over.")
        if len(now.names) >= PEOPLE:
            raise ParlourError("A tournament has at most {people} players.", people=PEOPLE)
        if look_of(name) in {look_of(one) for one in now.names}:
            raise ParlourError("Somebody here is called {name}, or nearly; choose another name.", name=name)
        now.names.append(name)

    state = change(events, code, enter)
    number = len(state.names) - 1
    if not events.enter(event.id, guest, number=number):  # the same guest has pressed twice
        withdraw(events, code, number)
        return events.entered([event.id], guest)[event.id].number
    return number


def withdraw(events: Events, code: str, number: int) -> None:
    """Let a player take part no longer, from the next round on."""

    def go(now: Swiss) -> None:
        if not 0 <= number < len(now.names):
            raise ParlourError("There is no player {number}.", number=number)
        if number not in now.out:
            now.out.append(number)

    change(events, code, go)


# ------------------------------------------------------------------------------------------ rounds


async def start_round(
    tables: Tables, code: str, number: int, open_table: Callable[[log.Opened], Awaitable[str]]
) -> None:
    """Start a round: pair the players and open its tables.  ``number``: which round is meant, from 1, so that a button
    that is pressed twice starts one; ``open_table`` opens a table and returns its code."""
    event, state = await asyncio.to_thread(find, tables.events, code)
    if state.over:
        raise ParlourError("This tournament is over.")
    if len(state.played) >= number:
        return
    if state.round is not None:
        raise ParlourError("The round before is not over.")
    if not state.played:
        state.lots = state.present
        secrets.SystemRandom().shuffle(state.lots)
    allowed = definition(state.game).counts()
    seated = await asyncio.to_thread(pair, _order(state), state.done, state.size, allowed)  # it may take half a second
    guests = {one.number: one.guest for one in await asyncio.to_thread(tables.events.entrants, event.id)}
    round_ = Round([], seated.byes)
    for players in seated.tables:
        invited = [guests[player] for player in players if player in guests]
        opened = await asyncio.to_thread(_terms, state, f"{event.id}/{number}", len(players), invited)
        round_.tables.append(RoundTable(await open_table(opened), players))
    state.played.append(round_)
    if not await asyncio.to_thread(tables.events.change, event, _text(state)):
        raise ParlourError("Somebody has just joined or left; start the round again.")


def _order(state: Swiss) -> list[int]:
    """The players who are there, the best first; before the first round, as the lot has it."""
    if not state.done:
        return state.lots
    return [one.number for one in state.standings() if one.number not in state.out]


def _terms(state: Swiss, event: str, players: int, invited: list[str]) -> log.Opened:
    wanted = wanted_table(
        game=state.game, players=players, options=state.options, patience=state.patience, grace=GRACE, takeovers=False
    )
    taken = {look_of(name) for name in state.names}
    bots = [name for name in (*NAMES, *(f"Bot {n}" for n in range(players))) if look_of(name) not in taken]
    opened = structs.replace(opened_as(wanted, ""), names=bots[:players])
    return structs.replace(opened, event=event, invited=invited, awaits=len(invited))


async def seat(tables: Tables, code: str, guest: str) -> str:
    """Seat a guest at their table of the present round; return its code."""
    event, state = await asyncio.to_thread(find, tables.events, code)
    mine = (await asyncio.to_thread(tables.events.entered, [event.id], guest)).get(event.id)
    here = None if mine is None else table_of(state, mine.number)
    if mine is None or here is None:
        raise ParlourError("You have no table in this round.")
    live = await tables.get(here.code)
    if live.table.seat_of(guest) < 0 and not live.table.is_over:
        place = here.players.index(mine.number)
        await tables.seat(live, guest, state.names[mine.number], place)
    return here.code


def table_of(state: Swiss, number: int) -> RoundTable | None:
    """Return a player's table in the present round, if they have one."""
    present = state.round
    return next((one for one in present.tables if number in one.players), None) if present else None


async def seen(tables: Tables, state: Swiss) -> list[Seen]:
    """Return the tables of the present round as everybody may know them."""
    found = []
    for one in state.round.tables if state.round else []:
        begun = over = False
        awaited = [state.names[player] for player in one.players]
        with suppress(ParlourError):
            table = (await tables.get(one.code)).table
            here = {holder.name for holder in table.seats if holder.key}
            begun, over = table.match > 0, table.is_over
            awaited = [name for name in awaited if name not in here] if not begun else []
        found.append(Seen(one, begun, over or bool(one.points), awaited, begun and over))
    return found


def take_results(events: Events, code: str) -> Swiss:
    """Take in how the tables of the present round ended; return the tournament."""
    event, state = find(events, code)
    if state.round is None or all(one.points for one in state.round.tables):
        return state
    name = f"{event.id}/{len(state.played)}"
    outcomes = events.outcomes([name])[name]
    numbers = {one.guest: one.number for one in events.entrants(event.id)}
    ended = results(state.round, outcomes, numbers)
    if not ended:
        return state

    def note(now: Swiss) -> None:
        for one in now.round.tables if now.round else []:
            if one.code in ended and not one.points:
                one.points, one.gains = ended[one.code]

    return change(events, code, note)


def results(
    round_: Round, outcomes: Sequence[Outcome], numbers: Mapping[str, int]
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the points and the gains at those tables of a round that are over and have none yet.  A player who gave up
    their seat before the end has no points."""
    found = {}
    for table in round_.tables:
        mine = [one for one in outcomes if one.result.code == table.code]
        if not mine or table.points:
            continue
        points, gains = [0.0] * len(table.players), [0.0] * len(table.players)
        by_place = points_of(mine[0].result.places)
        for one in mine:
            number, seat = numbers.get(one.guest), one.result.seat
            if number in table.players:
                n = table.players.index(number)
                points[n], gains[n] = by_place[seat], one.result.returns[seat]
        found[table.code] = points, gains
    return found


def enter_result(events: Events, code: str, table: str, places: Sequence[int]) -> None:
    """Note the places at a table of the present round as the host says, whatever happened there."""

    def note(now: Swiss) -> None:
        one = next((one for one in now.round.tables if one.code == table), None) if now.round else None
        if one is None:
            raise ParlourError("This table is not part of the present round.")
        if len(places) != len(one.players) or not all(1 <= place <= len(places) for place in places):
            raise ParlourError("Give each of the {n} players a place from 1 to {n}.", n=len(one.players))
        one.points, one.gains = points_of(places), [0.0] * len(places)

    change(events, code, note)


def close_round(events: Events, code: str) -> None:
    """End the present round, once all its tables are over."""
    take_results(events, code)

    def close(now: Swiss) -> None:
        if now.round is None:
            return
        if not all(one.points for one in now.round.tables):
            raise ParlourError("A table is still playing; wait for it, or enter its result.")
        now.round.over = True
        now.over = now.over or len(now.played) >= now.rounds

    change(events, code, close)


def end(events: Events, code: str) -> None:
    """End a tournament before its last round."""

    def stop(now: Swiss) -> None:
        if now.round is not None:
            raise ParlourError("End the round first.")
        now.over = True

    change(events, code, stop)


__all__ = [
    "Round",
    "RoundTable",
    "Seen",
    "Swiss",
    "begin",
    "change",
    "close_round",
    "end",
    "enter_result",
    "find",
    "join",
    "must_be_host",
    "results",
    "seat",
    "seen",
    "start_round",
    "table_of",
    "take_results",
    "withdraw",
]
