"""The deal of the day: the list of games, today's table, and how the days that are over went."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Collection
from datetime import date
from typing import Any, NamedTuple

from babel.dates import format_date, get_day_names
from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from parlour import load, replay
from parlour.base.errors import ParlourError
from parlour.base.languages import current, marked, ngettext
from parlour.base.languages import gettext as _
from parlour.base.naming import fitting_name
from parlour.engine.definition import definition
from parlour.server.bots.best_line import in_deals, kept
from parlour.server.club.daily import DEALS, DailyResult, committed, deal_of, end_of, known_day, ranked, terms
from parlour.server.club.pages.duplicates import signed
from parlour.server.club.pages.profile import outcome, place_of
from parlour.server.common import clock
from parlour.server.common.errors import NoTable
from parlour.server.common.executors import RECORDS
from parlour.server.live.for_pages import ForPages, Session
from parlour.server.live.identity import key_of, own_token, remember_longer
from parlour.server.page.forms import form_of
from parlour.server.page.house_rules import played, usual
from parlour.server.page.i18n import locale_of
from parlour.server.page.pages import game_at, name_of, page, to_table
from parlour.server.page.words import phrase
from parlour.server.store.competitions import Competition
from parlour.server.table.competition_names import after, day_of, of_the_day, today
from parlour.server.table.seats import fingerprint
from parlour.server.web.api import AllTables
from parlour.server.web.new_table import event_table

router = APIRouter(include_in_schema=False, prefix="/daily")


class Today(NamedTuple):
    """A game's deal of the day as a guest finds it. ``state``: ``new``, ``begun`` (at the table of this code) or
    ``over``."""

    id: str
    name: str
    state: str
    code: str


class ResultRow(NamedTuple):
    """A line of the table of results, in words."""

    place: int
    name: str
    outcome: str
    score: str
    mine: bool
    code: str


class ComparedChoice(NamedTuple):
    """A choice in several lines of play: the deal, the number of the choice in that deal, and what was done in each
    line. ``parts``: whether it is the first of its deal at which the lines differ. From there on, the same cards may
    come up at other times."""

    deal: int
    number: int
    done: list[str]
    parts: bool


class Day(NamedTuple):
    """A day of this week: its name, in short and in full, whether the guest has played on it, and whether it is
    today."""

    short: str
    name: str
    done: bool
    is_today: bool


class Invited(NamedTuple):
    """What the front page says of the deal of the day. ``game``: today's, as the guest finds it; ``many``: how many
    guests have played it; ``yesterday``, ``address``: how yesterday's deal went for the guest, and the page that shows
    it (empty: they played none); ``streak``: how many days in a row they have played; ``week``: the days of this
    week."""

    game: Today
    many: int
    yesterday: str
    address: str
    streak: int
    week: list[Day]


def game_of(day: str) -> str:
    """Return the game whose deal the front page offers on a day: a different one each day.

    >>> game_of("2026-11-27") == game_of("2026-11-28")
    False
    """
    known = played()
    return known[date.fromisoformat(day).toordinal() % len(known)].id


def weekdays() -> list[tuple[str, str]]:
    """Return the days of the week, each in short and in full.

    >>> from parlour.base.languages import speaking
    >>> weekdays()[0]
    ('Mo', 'Monday')
    >>> with speaking("de"):
    ...     weekdays()[0]
    ('Mo', 'Montag')
    """
    short, full = (get_day_names(width, "stand-alone", locale_of(current())) for width in ("short", "wide"))
    return [(short[n].rstrip("."), full[n]) for n in range(7)]


def streak_of(days: Collection[str], day: str) -> int:
    """Return how long the streak is of somebody who played on these ``days``: the days in a row up to today or
    yesterday.

    >>> streak_of(["2026-11-26", "2026-11-27"], "2026-11-28"), streak_of(["2026-11-26"], "2026-11-28")
    (2, 0)
    """
    last = day if day in days else after(day, -1)
    return next(n for n in itertools.count() if after(last, -n) not in days)


async def of_today(tables: ForPages, key: str) -> Invited:
    """Return what the front page says of the deal of the day to a guest, or to somebody without a token."""
    day = today(clock.wall())
    game, before = game_of(day), after(day, -1)
    days, many = await asyncio.to_thread(
        lambda: (tables.competitions.days(key), tables.competitions.many(of_the_day(day, game)))
    )
    said, address = await _yesterday(tables, days.get(before, ()), before, key)
    monday = after(day, -date.fromisoformat(day).weekday())
    week = [Day(*named, after(monday, n) in days, after(monday, n) == day) for n, named in enumerate(weekdays())]
    (found_today,) = await _found(tables, [game], day, key)
    return Invited(found_today, many, said, address, streak_of(days, day), week)


async def _yesterday(tables: ForPages, competitions: Collection[str], day: str, key: str) -> tuple[str, str]:
    """Return in one sentence how a guest's best deal of a past day went, and its address; both empty if they played
    none."""
    found = await asyncio.to_thread(tables.competitions.outcomes, competitions) if competitions else {}
    mine = [
        (one.place / len(lines), one.place, len(lines), competition.rpartition("/")[2])
        for competition, lines in (
            (competition, ranked(outcomes, end_of(day))) for competition, outcomes in found.items()
        )
        for one in lines
        if one.outcome.guest == key
    ]
    if not mine:
        return "", ""
    _share, place, n, game = min(mine)
    said = _("Yesterday you came {place} in {game}.", place=place_of(place, n), game=definition(game).title)
    return said, f"/daily/{game}/{day}"


def left(seconds: float) -> str:
    """Return how much time is left, in words.

    >>> left(3 * 3600 + 59), left(119)
    ('3 hours', '1 minute')
    """
    if seconds < 60:
        return _("less than a minute")
    if seconds < 3600:
        return ngettext("{n} minute", "{n} minutes", int(seconds // 60))
    return ngettext("{n} hour", "{n} hours", int(seconds // 3600))


def in_full(day: str) -> str:
    """Return a date as people write it.

    >>> from parlour.base.languages import speaking
    >>> in_full("2026-11-03")
    '3 November 2026'
    >>> with speaking("de"):
    ...     in_full("2026-11-03")
    '3. November 2026'
    """
    return format_date(date.fromisoformat(day), "long", locale_of(current()))


def rows(lines: list[DailyResult], key: str) -> list[ResultRow]:
    """Return a table of results as it is shown."""
    return [
        ResultRow(
            one.place,
            one.name,
            outcome(one.outcome.result),
            signed(one.score),
            one.outcome.guest == key,
            one.outcome.result.code,
        )
        for one in lines
    ]


def done_in(record: str, seat: int) -> list[list[str]]:
    """Return what a seat did in the match of a record, deal by deal."""
    return in_deals(replay(record), seat)


def side_by_side(game: str, *lines: list[list[str]]) -> list[ComparedChoice]:
    """Return lines of play side by side.

    >>> [one.done for one in side_by_side("kuhn", [["bet"]], [["pass", "bet"]])]
    [['bet', 'pass'], ['', 'bet']]
    """

    def said(action: str) -> str:
        return phrase(game, action) if action else ""

    nothing: list[str] = []
    found: list[ComparedChoice] = []
    for deal, each in enumerate(itertools.zip_longest(*lines, fillvalue=nothing), 1):
        alike = True
        for number, actions in enumerate(itertools.zip_longest(*each, fillvalue=""), 1):
            parts = alike and len(set(actions)) > 1
            found.append(ComparedChoice(deal, number, [said(one) for one in actions], parts))
            alike = alike and not parts
    return found


@router.get("", response_class=HTMLResponse)
async def every_game(request: Request, tables: AllTables) -> Response:
    """Show today's deal of every game."""
    day, key = today(clock.wall()), key_of(request)
    found = await _found(tables, [what.id for what in played()], day, key)
    answer = page("days.html", request, games=found, date=in_full(day), left=left(end_of(day) - clock.wall()))
    remember_longer(request, answer)
    return answer


async def _found(tables: ForPages, games: Collection[str], day: str, key: str) -> list[Today]:
    """Return the deals of a day as a guest finds them."""
    names = {game: of_the_day(day, game) for game in games}
    entered = await asyncio.to_thread(tables.competitions.entered, list(names.values()), key)
    over = await _mine(tables, list(names.values()), key)
    return [
        Today(
            game,
            definition(game).title,
            "over" if name in over else "begun" if name in entered else "new",
            entered[name].code if name in entered else "",
        )
        for game, name in names.items()
    ]


async def _mine(tables: ForPages, names: list[str], key: str) -> set[str]:
    """Return those of these competitions that a guest has played to the end."""
    outcomes = await asyncio.to_thread(tables.competitions.outcomes, names) if key else {}
    return {name for name, found in outcomes.items() if any(one.guest == key for one in found)}


@router.get("/{game}", response_class=HTMLResponse)
async def one_game(request: Request, game: str, tables: AllTables) -> Response:
    """Show today's deal of a game, with the results for a guest who has played it."""
    return await _today(request, game, tables)


async def _today(request: Request, game: str, tables: AllTables, mistake: ParlourError | str = "") -> Response:
    what, key, day = game_at(game), key_of(request), today(clock.wall())
    name = of_the_day(day, what.id)
    entered = (await asyncio.to_thread(tables.competitions.entered, [name], key)).get(name)
    deal, next_deal = (
        await deal_of(tables.competitions, day, what.id),
        await deal_of(tables.competitions, after(day, 1), what.id),
    )
    outcomes = (await asyncio.to_thread(tables.competitions.outcomes, [name]))[name]
    is_over = any(one.guest == key for one in outcomes)
    ends = end_of(day)
    answer = page(
        "day.html",
        request,
        what=what,
        day=day,
        yesterday=after(day, -1) if await asyncio.to_thread(tables.competitions.first_day, what.id) < day else "",
        rows=rows(ranked(outcomes, ends), key) if is_over else [],
        is_over=is_over,
        code=entered.code if entered else "",
        others=usual(what.id) - 1,
        deals=DEALS if "deals" in what.options else 1,
        commitment=committed(deal),
        tomorrows=committed(next_deal),
        left=left(ends - clock.wall()),
        mistake=mistake,
    )
    remember_longer(request, answer)
    return answer


@router.post("/{game}")
async def play(request: Request, game: str, tables: AllTables) -> Response:
    """Begin a guest's only try, or take them back to it."""
    what, day = game_at(game), today(clock.wall())
    token = own_token(request)
    key, name = fingerprint(token), of_the_day(day, what.id)
    await deal_of(tables.competitions, day, what.id)
    called = (await form_of(request)).get("name") or name_of(request) or _("Guest")
    try:
        called = fitting_name(called)
        entered = (await asyncio.to_thread(tables.competitions.entered, [name], key)).get(name)
        if entered is None:
            opened = await asyncio.to_thread(terms, what.id, usual(what.id), day, key)
            session = await event_table(request, opened, key)
            if await asyncio.to_thread(tables.competitions.enter, name, key, session.code):
                await _sit(session, called)
                return to_table(request, session, token, called)
            await session.discard(marked("its guest plays at another."))  # they have pressed twice
            entered = (await asyncio.to_thread(tables.competitions.entered, [name], key))[name]
        session = await tables.invited(entered.code, key)
        if session.seat < 0 and not session.is_over:  # the server may have stopped before they sat down
            await _sit(session, called)
    except ParlourError as wrong:
        return await _today(request, what.id, tables, wrong)
    return to_table(request, session, token, called)


async def _sit(session: Session, name: str) -> None:
    """Seat a guest; pressing twice does no harm."""
    try:
        await session.sit(name, 0)
    except ParlourError:
        if session.seat < 0:
            raise


def _day(text: str) -> str:
    """Return the day that an address names. Raises :class:`NoTable` if it names none."""
    try:
        return known_day(text)
    except ParlourError as wrong:
        raise NoTable(str(wrong)) from None


@router.get("/{game}/{day}", response_class=HTMLResponse)
async def past_day(request: Request, game: str, day: str, tables: AllTables) -> Response:
    """Show how the deal of a past day went: everybody's results, the secret, and the best player's line."""
    what, key, now = game_at(game), key_of(request), today(tables.secrecy.sure())
    day = _day(day)
    if day >= now:
        return RedirectResponse(f"/daily/{what.id}", 303)
    first = await asyncio.to_thread(tables.competitions.first_day, what.id)
    if not first or day < first:
        raise NoTable("There was no deal of {name} on {day}.", name=what.said_name, day=day)
    name = of_the_day(day, what.id)
    deal = await asyncio.to_thread(tables.competitions.get, name)
    outcomes = (await asyncio.to_thread(tables.competitions.outcomes, [name]))[name]
    lines = ranked(outcomes, end_of(day))
    return page(
        "past_day.html",
        request,
        what=what,
        date=in_full(day),
        before=after(day, -1) if day > first else "",
        later=after(day, 1) if after(day, 1) < now else "",
        rows=rows(lines, key),
        commitment=committed(deal) if deal else "",
        is_open=await tables.secrecy.is_open(name),
        secret=deal.secret.hex() if deal and deal.secret else "",
        **await _compared(tables, what.id, deal, lines, key),
    )


async def _compared(
    tables: ForPages, game: str, competition: Competition | None, lines: list[DailyResult], key: str
) -> dict[str, Any]:
    """Return the reader's line of play beside those of the best guest and of the strongest bot, as far as they are
    known: the tables must still be kept, and the bot must have played."""
    mine = next((one for one in lines if one.outcome.guest == key), None)
    nothing: dict[str, Any] = {"choices": [], "heads": [], "bot": None, "is_playing": False}
    if (
        mine is None
        or competition is None
        or competition.secret is None
        or not await tables.secrecy.is_open(competition.id)
    ):
        return nothing
    found, heads = [], [""]
    for one in [mine] if lines[0] is mine else [mine, lines[0]]:
        result = one.outcome.result
        try:
            session = await tables.session(result.code, key)
            record = await session.record_of(result.match)
            found.append(await RECORDS.do(done_in, record, result.seat))
        except ParlourError:
            return nothing
    if lines[0] is not mine:
        heads.append(lines[0].name)
    bot, is_playing = kept(competition), False
    if bot is None:
        about = await asyncio.to_thread(terms, game, usual(game), day_of(competition.id), key)
        is_playing = tables.best_lines.begin(competition, load(game, about.players, **about.options), about.bots[-1])
    else:
        found.append(bot.deals)
    return {
        "choices": side_by_side(game, *found) if len(found) > 1 else [],
        "heads": heads,
        "bot": None if bot is None else signed(bot.score),
        "is_playing": is_playing,
    }


__all__ = ["game_of", "left", "of_today", "router", "rows", "side_by_side", "streak_of"]
