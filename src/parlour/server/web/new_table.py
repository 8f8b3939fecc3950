"""The terms of a new table, and how one is made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from parlour import load
from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.base.naming import fitting_name
from parlour.core.lessons import Lesson, lesson
from parlour.core.records import Header
from parlour.players import kinds, make
from parlour.players.characters import CHARACTERS, EVERYBODY, characters, names_of
from parlour.players.kind import Kind
from parlour.players.plugins import is_own
from parlour.server.common import clock
from parlour.server.common.limits import LARGEST_BODY, TABLES, RateCounter, at_tables, refuse_endless, refuse_slow
from parlour.server.live.identity import own_token
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.store.retention import DAY
from parlour.server.table import log
from parlour.server.table.seats import NAMES, WATCHER, fingerprint
from parlour.server.web.connection_limits import is_near, place_of


class NewTable(BaseModel):
    """The terms of a new table."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field("", max_length=40, description="Its id; empty if a record gives it.")
    players: int | None = Field(None, ge=1, le=64, description="How many seats; left out: the usual number.")
    options: dict[str, str] = Field(default_factory=dict, max_length=100, description="House rules.")
    bots: str = Field(
        "",
        max_length=200,
        description="The kind of the bots; empty: rule-of-thumb where there is one. Several kinds with commas between "
        "them sit in turn, from your left; `everybody` is one of each character.",
    )
    name: str = Field("", max_length=60, description="Your name; leave it empty just to watch.")
    pace: float = Field(1.0, ge=0, le=60, description="Seconds a bot takes over a move.")
    beat: float = Field(3.0, ge=0, le=60, description="Seconds that a hushed question takes.")
    grace: float = Field(30.0, ge=0, le=3600, description="Seconds until a bot plays for a guest who has gone.")
    patience: float = Field(
        0.0,
        ge=0,
        le=30 * DAY,
        description="Seconds that a guest may take to choose; 0: no limit. More than a day only by post.",
    )
    reveal: bool = Field(True, description="Whether the deal is revealed at the end.")
    listed: bool = Field(False, description="Whether the lobby shows the table.")
    takeovers: bool = Field(True, description="Whether a bot's seat may be taken over while a match is on.")
    by_post: bool = Field(
        False,
        description="By post: moves may be days apart. Being disconnected does not count as being away; a bot "
        "plays for whoever takes longer than `patience`.",
    )
    awaits: int = Field(0, ge=0, le=64, description="How many guests must sit down before the first match begins.")
    practice: bool = Field(
        False,
        description="Practice: while bots have all the other seats, you may take back any of your moves. The deal "
        "cannot be checked, and the match does not count.",
    )
    contributes: bool = Field(False, description="Your client will put a number into the deal: the match waits for it.")
    lesson: bool = Field(False, description="Play the game's lesson; it decides the number of players and the seat.")
    record: str = Field("", max_length=LARGEST_BODY // 2, description="A complete record to continue from.")


def wanted_table(**said: Any) -> NewTable:
    """Return the terms of the wanted table. Raises ``ParlourError`` if any of them is invalid.

    >>> wanted_table(game="kuhn", players="many")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: players must be a number, not 'many'.
    >>> wanted_table(game="kuhn", grace=99_999)
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: grace must be at most 3600, not 99999.
    """
    try:
        return NewTable(**said)
    except ValidationError as wrong:
        raise ParlourError(first_of(wrong)) from None


def first_of(wrong: ValidationError | RequestValidationError) -> str:
    """Return the first mistake in a request, as a sentence."""
    first = wrong.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    given, bounds = str(first.get("input", ""))[:20], first.get("ctx", {})
    match first["type"]:
        case "greater_than_equal":
            return marked(
                "{where} must be at least {least}, not {given}.", where=where, least=_whole(bounds["ge"]), given=given
            )
        case "less_than_equal":
            return marked(
                "{where} must be at most {most}, not {given}.", where=where, most=_whole(bounds["le"]), given=given
            )
        case "int_parsing" | "float_parsing":
            return marked("{where} must be a number, not {given!r}.", where=where, given=given)
        case "missing":
            return marked("{where} is missing.", where=where)
        case "json_invalid":
            why, at = bounds.get("error", first["msg"]), first["loc"][-1]
            return marked("The request is not valid JSON, at character {at}: {why}.", at=at, why=why)
    return marked("{where}: {why}.", where=where or marked("The request"), why=first["msg"])


def _whole(bound: float) -> float:
    """Return a bound as people write it: 2592000, not 2.592e+06."""
    return int(bound) if bound == int(bound) else bound


async def new_table(
    request: Request, wanted: NewTable, seat: int = WATCHER, reads: float = 0.0
) -> tuple[Session, int, str]:
    """Open a table and, if the guest gives a name, seat them there; return their session, seat and token. ``reads``:
    the most seconds that the bots wait, because the guest will first read something."""
    token = own_token(request)
    count = opening(request)
    opened = await asyncio.to_thread(opened_as, wanted, fingerprint(token), seat)
    taught = lesson(opened.game) if opened.lesson else None
    record = wanted.record if taught is None else taught.opening().record()
    session = await _opened(request, opened, fingerprint(token), record)
    count()
    if wanted.name:
        seat = seat if taught is None else taught.seat
        seat = await session.sit(wanted.name, seat)
        if wanted.contributes:
            session.await_number()
    session.reads(reads)
    session.begin()
    return session, seat, token


async def _opened(request: Request, opened: log.Opened, key: str, record: str = "") -> Session:
    tables: Tables = request.app.state.tables
    return Session(await tables.open(opened, record), key)


def opening(request: Request) -> Callable[[], None]:
    """Return a function that counts a table, or a competition, once it is opened. Raises ``ParlourError`` if too many
    were opened from that address."""
    refusal = ParlourError(
        "{tables} tables were opened from your address in the last hour; join one of them.", tables=TABLES
    )
    return allowed(request, request.app.state.openings, refusal)


def allowed(request: Request, tally: RateCounter, refusal: ParlourError, about: str = "") -> Callable[[], None]:
    """Return a function that counts what somebody does from an address, once it is done. Raises ``refusal`` if it has
    been done from there as often as it may. ``about``: what it is counted for, if not for everything of the kind
    together."""
    address = place_of(request.client.host if request.client is not None else "")
    key = f"{address} {about}"
    if not is_near(address) and tally.is_used_up(key, clock.now()):
        raise refusal
    return lambda: tally.add(key, clock.now())


async def event_table(request: Request, opened: log.Opened, key: str) -> Session:
    """Open a table of a competition for the guest with this key. Nobody sits there yet, and nothing happens until
    somebody does."""
    count = opening(request)
    session = await _opened(request, opened, key)
    count()
    return session


def _kinds_in(bots: str) -> list[Kind]:
    """Return the kinds of bots that a text names, in order."""
    return [] if bots == EVERYBODY else [Kind.parsed(kind.strip()) for kind in bots.split(",") if kind.strip()]


def _seated(wanted: list[Kind], usual: Kind, players: int, own: int) -> list[Kind]:
    """Return the kind of the bot at each seat. The wanted kinds sit in turn, from the left of the seat ``own``. The
    usual bot sits in that seat, and wherever the wanted characters run out: no character is at a table twice."""
    if len(wanted) == 1 and wanted[0].name not in CHARACTERS:
        return wanted * players
    bots = [usual] * players
    left = list(wanted)
    for n in range(1, players):
        if left:
            kind = bots[(own + n) % players] = left.pop(0)
            if kind.name not in CHARACTERS:
                left.append(kind)
    return bots


def opened_as(wanted: NewTable, maker: str = "", seat: int = WATCHER) -> log.Opened:
    """Return the first entry of the log of the wanted table. Raises ``ParlourError`` if there can be no such table.
    ``maker``: the fingerprint of the maker's token; ``seat``: the seat that the maker will take, if not the first."""
    for kind in _kinds_in(wanted.bots):
        refuse_slow(kind)
        if is_own(kind):
            raise ParlourError("A server seats only its own bots; bring {kind!r} with `parlour bot`.", kind=str(kind))
        if kind.name == "solved" or (kind.name == "learned" and kind.setting is not None):
            raise ParlourError(
                "A server reads no files of its guests; bring {kind!r} with `parlour bot`.", kind=str(kind)
            )
    if wanted.patience > DAY and not wanted.by_post:
        raise ParlourError("A table waits for more than a day only if it is played by post.")
    if wanted.lesson:
        game = lesson_wanted(wanted).game
    elif wanted.record:
        refuse_endless(wanted.record)
        game = Header(wanted.record).game()
    elif wanted.game:
        game = load(wanted.game, wanted.players, **wanted.options)
    else:
        raise ParlourError("Say which game.")
    at_tables(game.id)
    if wanted.by_post and game.definition.may_hush(game.options):
        name, when = game.definition.name, game.definition.hushed_when
        if when:
            raise ParlourError(
                "With {when}, {name} can't be played by post: it asks secret questions, to which the answer must come "
                "within seconds.",
                when=when,
                name=name,
            )
        raise ParlourError(
            "{name} can't be played by post: it asks secret questions, to which the answer must come within seconds.",
            name=name,
        )
    if wanted.awaits > game.players:
        raise ParlourError(
            "A match for {players} can't wait for {awaits} people.", players=game.players, awaits=wanted.awaits
        )
    usual = Kind("rule-of-thumb" if "rule-of-thumb" in kinds(game) else "random")
    wants = (
        [Kind(one.kind) for one in characters(game.definition)] if wanted.bots == EVERYBODY else _kinds_in(wanted.bots)
    )
    for kind in wants:
        make(kind, game)  # refuses a kind that does not exist
    bots = _seated(wants or [usual], usual, game.players, max(0, seat))
    taken = fitting_name(wanted.name) if wanted.name else ""
    return log.Opened(
        game=game.id,
        rules=game.version,
        players=game.players,
        options=dict(game.options),
        bots=list(map(str, bots)),
        names=names_of(bots, NAMES, taken),
        pace=wanted.pace,
        beat=wanted.beat,
        grace=wanted.grace,
        patience=wanted.patience,
        reveal=wanted.reveal,
        listed=wanted.listed,
        maker=maker,
        takeovers=wanted.takeovers and not wanted.lesson,
        lesson=wanted.lesson,
        practice=wanted.practice and not wanted.lesson,
        by_post=wanted.by_post,
        awaits=wanted.awaits,
    )


def lesson_wanted(wanted: NewTable) -> Lesson:
    """Return the lesson of the wanted game. Raises ``ParlourError`` if there is none, or if other terms contradict it.

    >>> lesson_wanted(NewTable(game="kuhn", lesson=True)).seat
    0
    """
    what = at_tables(wanted.game)
    taught = lesson(what.id)
    if taught is None:
        raise ParlourError("There is no lesson of {name}.", name=what.said_name)
    if wanted.record or wanted.options or wanted.players not in (None, taught.game.players):
        raise ParlourError("A lesson has its own players, house rules and deal; leave out players, options and record.")
    return taught


__all__ = ["NewTable", "allowed", "event_table", "first_of", "new_table", "opened_as", "opening", "wanted_table"]
