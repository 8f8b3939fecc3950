"""The pages away from a table: the front page, house rules, rule books, and the interface."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from parlour.base.errors import ParlourError
from parlour.base.languages import gettext as _
from parlour.base.languages import in_book, marked
from parlour.base.naming import fitting_name
from parlour.core.lessons import has_lesson, usable
from parlour.engine.definition import Definition, definition, games
from parlour.players.characters import characters
from parlour.players.strengths import strengths
from parlour.players.strengths import usual as usual_strength
from parlour.server.club.pages.daily import of_today
from parlour.server.club.pages.profile import SEATS, found_again
from parlour.server.live.for_pages import ForPages, Session
from parlour.server.live.identity import key_of, remember_longer
from parlour.server.page import guide, house_rules
from parlour.server.page.environment import TEMPLATES
from parlour.server.page.forms import form_of
from parlour.server.page.house_rules import is_for_study, played, usual
from parlour.server.page.lesson_text import lesson_text
from parlour.server.page.pages import game_at, name_of, page, sorry, take_seat
from parlour.server.page.words import text_of
from parlour.server.store.retention import DAY
from parlour.server.web.api import AllTables
from parlour.server.web.new_table import wanted_table

TABLES: Final = 20
"""The most open tables that the front page shows."""

router = APIRouter(include_in_schema=False)


class AtTable(NamedTuple):
    """An open table as the lobby lists it: its code, the game, the guests who are here, how many seats bots would give
    up, and whether somebody waits for others."""

    code: str
    game: str
    here: list[str]
    free: int

    @property
    def waits(self) -> bool:
        return bool(self.here) and self.free > 0


def in_lobby(session: Session) -> AtTable:
    """Return a table as the lobby lists it."""
    told = session.telling()
    is_on = told.match > 0 and not told.over
    is_open = "newcomers" in told.allowed and ("takeovers" in told.allowed or not is_on)
    return AtTable(
        session.code,
        session.game.definition.title,
        [one.name for one in told.players if one.guest and not one.away],
        sum(not one.guest for one in told.players) if is_open else 0,
    )


TEMPLATES.globals.update(
    characters=characters,
    has_lesson=has_lesson,
    lesson=usable,
    needs=house_rules.needs,
    times_in=house_rules.times_in,
    usual_times=house_rules.TIMES,
    strengths=strengths,
    usual=usual,
    usual_bots=house_rules.usual_bots,
    usual_strength=usual_strength,
)


@router.get("/", response_class=HTMLResponse)
async def home(request: Request, tables: AllTables) -> HTMLResponse:
    mine = await found_again(request, tables)
    answer = page(
        "home.html",
        request,
        packed=not any(mine.values()) and not name_of(request),
        games=played(),
        others=[definition(game) for game in games() if is_for_study(definition(game))],
        lobby=await _lobby(request, tables),
        daily=await of_today(tables, key_of(request)),
        **mine,
    )
    remember_longer(request, answer)
    return answer


@router.get("/lobby", response_class=HTMLResponse)
async def lobby(request: Request, tables: AllTables) -> HTMLResponse:
    """Return just the open tables, for the script that tells a reader of the front page when somebody waits."""
    answer = page("lobby.html", request, lobby=await _lobby(request, tables))
    answer.headers["Cache-Control"] = "no-store"
    return answer


async def _lobby(request: Request, tables: ForPages) -> list[AtTable]:
    """Return the open tables that anybody may join, except those where the reader sits. Tables where somebody waits
    come first."""
    there = [in_lobby(one) for one in await tables.listed(TABLES)]
    mine = {one.code for one in await tables.seated(key_of(request), SEATS)} if there and key_of(request) else set()
    return sorted((one for one in there if one.code not in mine), key=lambda one: not one.waits)


@router.get("/docs", response_class=HTMLResponse)
async def interface(request: Request) -> HTMLResponse:
    paths = request.app.openapi()["paths"].items()
    calls = [(method.upper(), path, call) for path, methods in paths for method, call in methods.items()]
    return page("interface.html", request, packed=True, version=request.app.version, calls=calls)


@router.get("/look", response_class=HTMLResponse)
async def look(request: Request) -> HTMLResponse:
    """Show every piece of a table in every state."""
    return page("look.html", request, packed=True)


def _days(text: str) -> int:
    """Return the days after which a bot plays at a table by post (0: never). Raises ``ParlourError`` if the text is not
    a number of days."""
    if not re.fullmatch(r"\d{1,2}", text):
        raise ParlourError("{text!r} is not a number of days.", text=text[:20])
    return int(text)


@router.get("/play/{game}")
async def play_page(game: str) -> RedirectResponse:
    """Lead whoever types the address, or loads it again, to where a table is opened."""
    return RedirectResponse(f"/new/{game_at(game).id}", 303)


@router.post("/play/{game}")
async def play_now(request: Request, game: str, tables: AllTables) -> Response:
    what, form = game_at(game), await form_of(request)
    post = form.get("post", "")
    try:
        players, options = form.get("players") or str(usual(game)), house_rules.options_in(what, form)
        if players.isdecimal():
            options = what.options_for(int(players), **options)  # as the form says beside that number
        wanted = wanted_table(
            game=game,
            players=players,
            options=options,
            name=fitting_name(form.get("name") or name_of(request) or _("Guest")),
            bots=form.get("bots") or house_rules.usual_bots(what),
            pace=form.get("pace") or 1.0,
            beat=form.get("beat") or 3.0,
            grace=form.get("grace") or house_rules.TIMES["grace"],
            patience=DAY * _days(post) if post else form.get("patience") or house_rules.TIMES["patience"],
            by_post=bool(post),
            awaits=form.get("awaits") or (2 if post else 0),
            reveal=form.get("reveal", "yes") == "yes",
            listed="listed" in form,
            takeovers="no-takeovers" not in form,
            practice="practice" in form,
            contributes="script" in form,
        )
        answer = await take_seat(request, wanted, reads=guide.READING if "guide" in form else 0.0)
    except ParlourError as mistake:
        return _form_of_table(request, what, form, mistake=mistake)
    if "guide" in form:
        guide.begin(answer, answer.headers["location"])
    return answer


@router.get("/learn/{game}", response_class=HTMLResponse)
async def about_lesson(request: Request, game: str) -> HTMLResponse:
    """Show what a lesson is about, with the way into it and its whole text."""
    what, taught = game_at(game), usable(game)
    if taught is None:
        return sorry(request, marked("There is no lesson of {name}.", name=what.said_name), 404, back=f"/rules/{game}")
    return page("learn.html", request, packed=True, what=what, lesson=taught, read=lesson_text(taught))


@router.post("/learn/{game}")
async def learn(request: Request, game: str, tables: AllTables) -> Response:
    """Seat the reader at a table where the game's lesson is played."""
    form = await form_of(request)
    try:
        name = fitting_name(form.get("name") or name_of(request) or _("Guest"))
        return await take_seat(
            request,
            wanted_table(game=definition(game).id, name=name, lesson=True, pace=form.get("pace") or 1.0),
        )
    except ParlourError as mistake:
        return sorry(request, mistake, back="/")


@router.get("/join")
async def join(request: Request, tables: AllTables, code: str = "") -> Response:
    """Lead to the table with a code; somebody may have pasted its whole link."""
    link = re.search(r"/t/([\w-]+)", code)
    code = link[1] if link else code.strip()
    return RedirectResponse(f"/t/{(await tables.session(code, key_of(request))).code}", 303)


@router.get("/new/{game}", response_class=HTMLResponse)
async def new(request: Request, game: str) -> Response:
    """Show the form for a new table. Its address names only what is not usual, whatever the form was sent with."""
    what, query = game_at(game), dict(request.query_params)
    others = {name: value for name, value in query.items() if not name.startswith(house_rules.FIELD)}
    form = others | house_rules.filled(what, query, usual(game))
    if "link" in query:
        return RedirectResponse(house_rules.address(what, query, usual(game)), 303)
    return _form_of_table(request, what, form, preset=query.get("preset", ""))


def _form_of_table(
    request: Request, what: Definition, form: Mapping[str, str], preset: str = "", mistake: ParlourError | str = ""
) -> Response:
    return page(
        "rules_of_house.html",
        request,
        mistake=mistake,
        packed=not mistake,
        what=what,
        form=form,
        preset=preset,
        chapters=house_rules.chapters(what, form),
        in_labels=partial(house_rules.in_labels, what),
    )


@router.get("/rules/{game}", response_class=HTMLResponse)
async def rule_book(request: Request, game: str, tables: AllTables, table: str = "") -> HTMLResponse:
    options = dict((await tables.session(table, key_of(request))).about.options) if table else {}
    what = game_at(game)
    opening = what.book.text.partition("\n## In one minute\n")[2].partition("\n## ")[0]
    minute = [text_of(in_book(one)) for one in opening.strip().split("\n\n") if one]
    return page("book.html", request, packed=True, what=what, options=options, table=table, minute=minute)


__all__ = ["router"]
