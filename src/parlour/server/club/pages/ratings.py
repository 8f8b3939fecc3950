"""A guest's numbers at one game, and the ladder: the ratings of guests who want theirs to be seen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from parlour.base.errors import ParlourError
from parlour.base.languages import gettext as _
from parlour.base.naming import fitting_name, look_of
from parlour.engine.definition import definition, games
from parlour.players.characters import CHARACTERS
from parlour.server.club.pages.profile import MATCHES, past
from parlour.server.common import clock
from parlour.server.live.identity import key_of
from parlour.server.page.forms import form_of
from parlour.server.page.pages import game_at, page
from parlour.server.store.history import MatchResult, against, longest_streak, tallies
from parlour.server.store.rating import UNIT, Rating
from parlour.server.web.api import AllTables

SHOWN: Final = 20
"""How many of the latest matches are listed, each with its score sheet."""
RUNGS: Final = 100
"""The most places of a ladder that are shown."""
SIZE: Final = 320, 90
"""Width and height of the chart, in its own units."""
POINTS: Final = 60
"""The most ratings that the chart shows: the latest."""

router = APIRouter(include_in_schema=False)


def company(who: str) -> str:
    """Return in words who the others in a match were.

    >>> company("people"), company("search"), company("new")
    ('People', 'Thoughtful bots', 'new')
    """
    known = {
        "people": _("People"),
        "several": _("Bots of several kinds"),
        "random": _("Beginners (bots)"),
        "rule-of-thumb": _("Casual bots"),
        "learned": _("Trained bots"),
        "search": _("Thoughtful bots"),
        "best": _("Expert bots"),
        "unbeatable": _("Unbeatable bots"),
    }
    return CHARACTERS[who].name if who in CHARACTERS else known.get(who, who)


class RatingChart(NamedTuple):
    """A guest's rating, match by match: the points of the line from left to right, the height at which 1500 is
    (``None``: outside the chart), and the numbers for readers who do not see it."""

    points: list[tuple[int, int]]
    middle: int | None
    first: int
    last: int
    least: int
    most: int


def chart_of(results: Sequence[MatchResult]) -> RatingChart | None:
    """Return the chart of a guest's ratings at a game; ``None`` if there are fewer than two. ``results`` begin with the
    latest."""
    rated = [round(UNIT * one.rating[0]) for one in reversed(results[:POINTS]) if one.rating]
    if len(rated) < 2:
        return None
    least, most = min(rated), max(rated)
    width, height = SIZE

    def level(points: int) -> int:
        return round(height * (most - points) / max(1, most - least))

    step = width / (len(rated) - 1)
    middle = level(1500) if least <= 1500 <= most else None
    points = [(round(i * step), level(one)) for i, one in enumerate(rated)]
    return RatingChart(points, middle, rated[0], rated[-1], least, most)


@router.get("/you/{game}", response_class=HTMLResponse)
async def numbers(request: Request, game: str, tables: AllTables) -> Response:
    """Show a guest's results at one game: the opponents, the longest streak, the rating and the score sheets."""
    what, key = game_at(game), key_of(request)
    results = [one for one in await tables.guests.results(key, MATCHES) if one.game == what.id] if key else []
    ratings = await asyncio.to_thread(tables.competitions.ratings, key)
    latest = await past(tables, results[:SHOWN], clock.wall())
    return page(
        "numbers.html",
        request,
        what=what,
        tally=next(iter(tallies(results)), None),
        longest=longest_streak(results),
        rating=Rating(*ratings[what.id]) if what.id in ratings else None,
        chart=chart_of(results),
        CHART=SIZE,
        met=against(results),
        company=company,
        latest=list(zip(latest, results, strict=False)),
    )


@router.get("/ladder", response_class=HTMLResponse)
async def first_ladder() -> Response:
    """Show the ladder of the first game."""
    return RedirectResponse(f"/ladder/{games()[0]}", 307)


@router.get("/ladder/{game}", response_class=HTMLResponse)
async def ladder(request: Request, game: str, tables: AllTables) -> Response:
    """Show the ladder of a game: the ratings of guests who want theirs to be seen."""
    return await _ladder(request, game, tables)


async def _ladder(request: Request, game: str, tables: AllTables, mistake: ParlourError | str = "") -> Response:
    what, key = game_at(game), key_of(request)
    rungs = await asyncio.to_thread(tables.competitions.ladder, what.id, key)
    return page(
        "ladder.html",
        request,
        what=what,
        rungs=[(one, Rating(one.mu, one.sigma, one.matches)) for one in rungs[:RUNGS]],
        called=await asyncio.to_thread(tables.competitions.rung, key),
        known=bool(await asyncio.to_thread(tables.competitions.ratings, key)),
        others=[(id, definition(id).title) for id in games() if id != what.id],
        mistake=mistake,
    )


@router.post("/ladder/{game}/join")
async def join(request: Request, game: str, tables: AllTables) -> Response:
    """Show a guest's ratings to everybody, under a name that nobody else on the ladder has."""
    what, key = game_at(game), key_of(request)
    try:
        name = fitting_name((await form_of(request)).get("name", ""))
        if not await asyncio.to_thread(tables.competitions.ratings, key):
            raise ParlourError("Play a match to its end first.")
        taken = await asyncio.to_thread(tables.competitions.names, key)
        if look_of(name) in {look_of(one) for one in taken}:
            raise ParlourError("Somebody on the ladder is called {name}, or nearly; choose another name.", name=name)
    except ParlourError as wrong:
        return await _ladder(request, game, tables, wrong)
    await asyncio.to_thread(tables.competitions.climb, key, name)
    return RedirectResponse(f"/ladder/{what.id}", 303)


@router.post("/ladder/{game}/leave")
async def leave(request: Request, game: str, tables: AllTables) -> Response:
    """Stop showing a guest's ratings."""
    await asyncio.to_thread(tables.competitions.climb, key_of(request), "")
    return RedirectResponse(f"/ladder/{game_at(game).id}", 303)


__all__ = ["RatingChart", "chart_of", "company", "router"]
