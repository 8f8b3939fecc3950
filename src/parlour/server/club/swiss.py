"""A tournament in rounds for an evening at a club: the players, the tables of each round, and the standings."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar

import msgspec
from msgspec import structs

from parlour import load
from parlour.base.errors import ParlourError
from parlour.base.naming import fitting_line, fitting_name, look_of, shortened
from parlour.engine.definition import definition
from parlour.server.club.pairing import FinishedRound, Standing, pair, points_of, standings
from parlour.server.common.errors import NoTable
from parlour.server.common.executors import Heavy
from parlour.server.common.outside import outside, token_urlsafe
from parlour.server.live.for_pages import ForPages
from parlour.server.store.competitions import Competition, Competitions, Outcome, Revision
from parlour.server.table import log
from parlour.server.table.invitations import CODE_LENGTH, new_code
from parlour.server.table.seats import NAMES, fingerprint
from parlour.server.web.new_table import opened_as, wanted_table

PEOPLE: Final = 128
"""The most players of a tournament."""
ROUNDS: Final = 20
"""The most rounds of a tournament."""
GRACE: Final = 180.0
"""Seconds after which a bot plays for a guest who has gone."""
LONGEST_TITLE: Final = 60
"""The most characters of a title that are kept."""
NOBODY: Final = ""
"""Stands for the name of a player who has been forgotten."""
PAIRINGS: Final = Heavy("pairings", 1)
"""For starting rounds one after another, so that a button pressed again and again causes little work."""

T = TypeVar("T")


class RoundTable(msgspec.Struct):
    """A table of a round: its code, its players by number and, when it is over, the points of each and what each won or
    lost."""

    code: str
    players: list[int]
    points: list[float] = []
    gains: list[float] = []


class Round(msgspec.Struct):
    """A round: its tables, the players who have a bye, and whether it is over."""

    tables: list[RoundTable]
    byes: list[int]
    over: bool = False

    @property
    def players(self) -> list[int]:
        """All its players, by number."""
        return [*self.byes, *(player for table in self.tables for player in table.players)]


class Swiss(msgspec.Struct):
    """A tournament as it is kept.

    ``size``: players at a table; ``patience``: seconds to choose (0: no limit); ``host``: the fingerprint of the secret
    in the host's link; ``names``: the players' names by number (:data:`NOBODY`: forgotten; no number is given twice);
    ``out``: the numbers of players who have withdrawn; ``shut``: whether the host has closed the list of players.
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
    shut: bool = False
    played: list[Round] = []
    over: bool = False

    @property
    def known(self) -> list[int]:
        """The players by number, including those who withdrew after a round or more."""
        return [number for number, name in enumerate(self.names) if name]

    @property
    def present(self) -> list[int]:
        """The players who have not withdrawn, by number."""
        out = set(self.out)
        return [number for number in self.known if number not in out]

    def must_take_more(self) -> None:
        """Raise ``ParlourError`` if nobody can join or come back now."""
        if self.over:
            raise ParlourError("This tournament is over.")
        if self.shut:
            raise ParlourError("The host has closed the list of players; ask the host to open it.")
        if len(self.present) >= PEOPLE:
            raise ParlourError("A tournament has at most {people} players.", people=PEOPLE)

    @property
    def round(self) -> Round | None:
        """The round that is being played, if there is one."""
        return self.played[-1] if self.played and not self.played[-1].over else None

    @property
    def done(self) -> list[FinishedRound]:
        """The rounds that are over, and what is over of the present one; its byes count only when all of it is over."""
        return [
            FinishedRound(
                [table.players for table in one.tables if table.points],
                [table.points for table in one.tables if table.points],
                [table.gains for table in one.tables if table.points],
                one.byes if one.over else [],
            )
            for one in self.played
        ]

    def standings(self) -> list[Standing]:
        """Return the standings of the tournament."""
        return standings(self.known, self.done)


class Seen(NamedTuple):
    """A table of the present round as everybody may know it: whether its match has begun, whether it is over, which
    players are still awaited, and whether the match can be seen again (not if only its result was entered)."""

    table: RoundTable
    begun: bool
    over: bool
    awaited: list[str]
    seen_again: bool


def begin(
    competitions: Competitions,
    title: str,
    game: str,
    size: int,
    rounds: int,
    patience: float,
    options: Mapping[str, str] | None = None,
) -> tuple[str, str]:
    """Begin a tournament under these house rules, which may take a moment; return its code and the secret of its host.
    Raises ``ParlourError`` if there can be no such tournament."""
    what = definition(game)
    options = dict(options or {})
    load(game, size, **options)
    if not 1 <= rounds <= ROUNDS:
        raise ParlourError(
            "A tournament has 1 to {rounds} rounds, not {other_rounds}.", rounds=ROUNDS, other_rounds=rounds
        )
    if not 0 <= patience <= 3600:
        raise ParlourError("Players have at most 3600 seconds to choose, not {patience:g}.", patience=patience)
    title, secret = fitting_line(title) if title.strip() else what.name, token_urlsafe(24)
    state = Swiss(shortened(title, LONGEST_TITLE), what.id, size, options, patience, rounds, fingerprint(secret))
    while True:
        code = new_code()
        if competitions.get(_name(code)) is None:
            competitions.begin(_name(code), _text(state))
            return code, secret


def _text(state: Swiss) -> str:
    return msgspec.json.encode(state).decode()


def find(competitions: Competitions, code: str) -> tuple[Competition, Swiss]:
    """Return the tournament with this code.  Raises :class:`NoTable` if there is none."""
    return _read(competitions.get(_name(code)) if len(code) == CODE_LENGTH else None)


def _name(code: str) -> str:
    return f"swiss/{code.upper()}"


def _read(kept: Competition | None) -> tuple[Competition, Swiss]:
    if kept is None:
        raise NoTable("There is no such tournament: the link is wrong, or it ended long ago.")
    return kept, msgspec.json.decode(kept.state, type=Swiss)


def must_be_host(state: Swiss, secret: str) -> None:
    """Raise ``ParlourError`` unless this is the secret of the host's link."""
    if not secrets.compare_digest(fingerprint(secret), state.host):
        raise ParlourError("This isn't the link of the tournament's host.")


def change(competitions: Competitions, code: str, how: Callable[[Swiss, Revision], T]) -> T:
    """Change a tournament by ``how`` while nobody else changes it, and return what ``how`` returns; ``how`` may raise
    ``ParlourError``."""

    def work(revision: Revision) -> T:
        competition, state = _read(revision.competition)
        result = how(state, revision)
        if (text := _text(state)) != competition.state:
            revision.keep(text, state.over)
        return result

    return competitions.revise(_name(code), work)


# ------------------------------------------------------------------------------------------ players


def join(competitions: Competitions, code: str, guest: str, name: str) -> int:
    """Let a guest take part under a name, and return their number. A guest who has withdrawn comes back under the same
    number."""
    name = fitting_name(name)

    def enter(now: Swiss, revision: Revision) -> int:
        number = revision.number_of(guest)
        if number is None or number in now.out:
            now.must_take_more()
        if look_of(name) in {look_of(now.names[other]) for other in now.present if other != number}:
            raise ParlourError("Somebody here is called {name}, or nearly; choose another name.", name=name)
        if number is None:
            number = len(now.names)
            now.names.append(name)
            revision.enter(guest, number)
        now.names[number] = name
        now.out = [other for other in now.out if other != number]
        return number

    return change(competitions, code, enter)


def withdraw(competitions: Competitions, code: str, *numbers: int) -> None:
    """Let players withdraw, from the next round on. Their names become free. Players who were in no round are
    forgotten, so that however many come and go, no more is kept than of the players who are there."""

    def go(now: Swiss, revision: Revision) -> None:
        have_played = {player for one in now.played for player in one.players}
        for number in numbers:
            if not 0 <= number < len(now.names):
                raise ParlourError("There is no player {number}.", number=number)
            if number not in have_played:
                now.names[number] = NOBODY
                revision.strike(number)
            elif number not in now.out:
                now.out.append(number)

    change(competitions, code, go)


def let_in(competitions: Competitions, code: str, anybody: bool) -> None:
    """Open the list of players or close it; while it is closed, nobody joins or comes back."""

    def turn(now: Swiss, _: Revision) -> None:
        now.shut = not anybody

    change(competitions, code, turn)


# ------------------------------------------------------------------------------------------ rounds


async def start_round(competitions: Competitions, code: str, number: int) -> int:
    """Start a round: pair the players and open its tables; return how many. ``number``: the round that is meant, from
    1, so that pressing the button twice starts one round."""
    return await PAIRINGS.do(_start_round, competitions, code, number)  # pairing may take half a second


def _start_round(competitions: Competitions, code: str, number: int) -> int:
    competition, state = find(competitions, code)
    if not _is_next(state, number):
        return 0
    seated = pair(_order(state), state.done, state.size, definition(state.game).counts())
    guests = {one.number: one.guest for one in competitions.entrants(competition.id)}
    codes = competitions.new_codes(len(seated.tables))
    opened = [
        _terms(state, f"{competition.id}/{number}", len(players), [guests[one] for one in players if one in guests])
        for players in seated.tables
    ]
    round_ = Round([RoundTable(*one) for one in zip(codes, seated.tables, strict=True)], seated.byes)

    def write(now: Swiss, revision: Revision) -> int:
        if not _is_next(now, number):
            return 0
        for player in round_.players:
            if not now.names[player]:  # they have withdrawn since, which counts from the next round on
                now.names[player] = state.names[player]
                now.out.append(player)
        now.played.append(round_)
        for new, first in zip(codes, opened, strict=True):
            revision.open(new, first)
        return len(codes)

    return change(competitions, code, write)


def _is_next(state: Swiss, number: int) -> bool:
    """Whether this round can begin now; ``False`` if it has begun already. Raises ``ParlourError`` if it cannot."""
    if state.over:
        raise ParlourError("This tournament is over.")
    if number <= len(state.played):
        return False
    if state.round is not None or number > len(state.played) + 1:
        raise ParlourError("The round before is not over.")
    return True


def _order(state: Swiss) -> list[int]:
    """Return the players who are present, with the best first; before the first round, in random order."""
    if not state.done:
        return outside().chance.sample(state.present, len(state.present))
    return [one.number for one in state.standings() if one.number not in state.out]


def _terms(state: Swiss, competition: str, players: int, invited: list[str]) -> log.Opened:
    wanted = wanted_table(
        game=state.game, players=players, options=state.options, patience=state.patience, grace=GRACE, takeovers=False
    )
    taken = {look_of(name) for name in state.names}
    bots = [name for name in (*NAMES, *(f"Bot {n}" for n in range(players))) if look_of(name) not in taken]
    opened = structs.replace(opened_as(wanted, ""), names=bots[:players])
    return structs.replace(opened, event=competition, invited=invited, awaits=len(invited))


async def seat(tables: ForPages, code: str, guest: str) -> str:
    """Seat a guest at their table of the present round; return the table's code. Raises ``ParlourError`` if they have
    none."""
    competition, state = await asyncio.to_thread(find, tables.competitions, code)
    mine = (await asyncio.to_thread(tables.competitions.entered, [competition.id], guest)).get(competition.id)
    here = None if mine is None else table_of(state, mine.number)
    if mine is None or here is None:
        raise ParlourError("You have no table in this round.")
    session = await tables.invited(here.code, guest)
    if session.seat < 0 and not session.is_over:
        place = here.players.index(mine.number)
        try:
            await session.sit(state.names[mine.number], place)
        except ParlourError:
            if session.seat < 0:  # otherwise they have pressed the button twice
                raise
    return here.code


def table_of(state: Swiss, number: int) -> RoundTable | None:
    """Return a player's table in the present round; ``None`` if they have none."""
    present = state.round
    return next((one for one in present.tables if number in one.players), None) if present else None


async def seen(tables: ForPages, state: Swiss) -> list[Seen]:
    """Return the tables of the present round as everybody may know them."""
    found = []
    for one in state.round.tables if state.round else []:
        begun = over = False
        awaited = [state.names[player] for player in one.players]
        with suppress(ParlourError):
            table = await tables.invited(one.code)
            begun, over = table.match > 0, table.is_over
            here = [holder.guest for holder in table.players]
            awaited = [name for name, is_here in zip(awaited, here, strict=True) if not (is_here or begun)]
        found.append(Seen(one, begun, over or bool(one.points), awaited, begun and over))
    return found


def take_results(competitions: Competitions, code: str) -> Swiss:
    """Take in the results of those tables of the present round that are over; return the tournament."""
    competition, state = find(competitions, code)
    if state.round is None or all(one.points for one in state.round.tables):
        return state
    name = f"{competition.id}/{len(state.played)}"
    outcomes = competitions.outcomes([name])[name]
    numbers = {one.guest: one.number for one in competitions.entrants(competition.id)}
    ended = results(state.round, outcomes, numbers)
    if not ended:
        return state

    def note(now: Swiss, _: Revision) -> Swiss:
        for one in now.round.tables if now.round else []:
            if one.code in ended and not one.points:
                one.points, one.gains = ended[one.code]
        return now

    return change(competitions, code, note)


def results(
    round_: Round, outcomes: Sequence[Outcome], numbers: Mapping[str, int]
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the points and the gains at those tables of a round that are over and have none yet. A player who gave up
    the seat before the end has no points."""
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


def enter_result(competitions: Competitions, code: str, table: str, places: Sequence[int]) -> None:
    """Note the places at a table of the present round as the host gives them, whatever happened there."""

    def note(now: Swiss, _: Revision) -> None:
        one = next((one for one in now.round.tables if one.code == table), None) if now.round else None
        if one is None:
            raise ParlourError("This table is not part of the present round.")
        if len(places) != len(one.players) or not all(1 <= place <= len(places) for place in places):
            raise ParlourError("Give each of the {n} players a place from 1 to {n}.", n=len(one.players))
        one.points, one.gains = points_of(places), [0.0] * len(places)

    change(competitions, code, note)


def close_round(competitions: Competitions, code: str) -> None:
    """End the present round, once all its tables are over."""
    take_results(competitions, code)

    def close(now: Swiss, _: Revision) -> None:
        if now.round is None:
            return
        if not all(one.points for one in now.round.tables):
            raise ParlourError("A table is still playing; wait for it, or enter its result.")
        now.round.over = True
        now.over = now.over or len(now.played) >= now.rounds

    change(competitions, code, close)


def end(competitions: Competitions, code: str) -> None:
    """End a tournament before its last round."""

    def stop(now: Swiss, _: Revision) -> None:
        if now.round is not None:
            raise ParlourError("End the round first.")
        now.over = True

    change(competitions, code, stop)


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
    "let_in",
    "must_be_host",
    "results",
    "seat",
    "seen",
    "start_round",
    "table_of",
    "take_results",
    "withdraw",
]
