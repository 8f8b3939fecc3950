"""Duplicate among friends: the form for a new one, the list of its tables, and the score sheet across them."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from parlour.base.errors import ParlourError
from parlour.base.languages import figures, marked
from parlour.base.naming import fitting_name
from parlour.engine.definition import definition, games
from parlour.server.club import duplicate
from parlour.server.club.duplicate import Score
from parlour.server.common.limits import at_tables
from parlour.server.live.for_pages import ForPages
from parlour.server.live.identity import key_of, own_token, remember, remember_longer
from parlour.server.page.forms import form_of
from parlour.server.page.house_rules import usual
from parlour.server.page.pages import name_of, page, to_table
from parlour.server.table.seats import fingerprint
from parlour.server.web.api import AllTables
from parlour.server.web.new_table import event_table, opening

router = APIRouter(include_in_schema=False, prefix="/duplicate")


class ScoreLine(NamedTuple):
    """A line of the score sheet, in words; ``mine``: whether it is the reader's own."""

    table: int
    name: str
    deals: list[str]
    result: str
    better: str
    mine: bool


def signed(number: float) -> str:
    """Return a result as it is shown, with its sign.

    >>> signed(2.0), signed(-0.5), signed(0.0), signed(25 / 3), signed(-31 / 3), signed(12345.0)
    ('+2', '−0.5', '0', '+8.33', '−10.33', '+12345')
    >>> from parlour.base.languages import speaking
    >>> with speaking("de"):
    ...     signed(0.5)
    '+0,5'
    """
    return figures(f"{number:+.2f}".rstrip("0").rstrip(".")).replace("-", "−") if round(number, 2) else "0"


def in_words(sheet: list[Score], mine: int) -> list[ScoreLine]:
    """Return the score sheet of a seat as it is shown, with all lines as long as the longest. ``mine``: the number of
    the table where the reader had that seat, or 0."""
    most = max(len(one.deals) for one in sheet)
    return [
        ScoreLine(
            one.table,
            one.name,
            [*map(signed, one.deals), *[""] * (most - len(one.deals))],
            signed(one.result),
            signed(one.better),
            one.table == mine,
        )
        for one in sheet
    ]


def whole(text: str, otherwise: int) -> int:
    """Return the number in a field of a form, or ``otherwise`` if there is none."""
    return int(text) if text.isdecimal() and len(text) < 4 else otherwise


@router.get("", response_class=HTMLResponse)
async def start(request: Request) -> Response:
    """Show the form for a new duplicate."""
    return _start(request, {})


def _start(request: Request, form: dict[str, str], mistake: ParlourError | str = "") -> Response:
    titles = [(game, definition(game).title) for game in games()]
    return page("duplicate_new.html", request, games=titles, most=duplicate.DEALS, form=form, mistake=mistake)


@router.post("")
async def begin(request: Request, tables: AllTables) -> Response:
    """Begin a duplicate."""
    form = await form_of(request)
    token = own_token(request)
    try:
        what, count = at_tables(form.get("game", "")), opening(request)
        people = whole(form.get("people", ""), 1)
        players = max(
            usual(what.id), min(n for n in what.counts() if n >= people) if people <= what.counts()[-1] else 0
        )
        deals = whole(form.get("deals", ""), 3)
        code = await asyncio.to_thread(
            duplicate.begin, tables.competitions, what.id, players, people, deals, fingerprint(token)
        )
    except ParlourError as wrong:
        return _start(request, form, wrong)
    count()
    answer = RedirectResponse(f"/duplicate/{code}", 303)
    remember(request, answer, token)
    return answer


@router.get("/{code}", response_class=HTMLResponse)
async def show(request: Request, code: str, tables: AllTables) -> Response:
    """Show the tables of a duplicate. The score sheet is for those who have played and, when it is over, for
    everybody."""
    return await _shown(request, code, tables)


async def _shown(request: Request, code: str, tables: ForPages, mistake: ParlourError | str = "") -> Response:
    competition, state = await asyncio.to_thread(duplicate.find, tables.competitions, code)
    key, over = key_of(request), duplicate.is_over(competition, tables.secrecy.sure())
    mine = (await asyncio.to_thread(tables.competitions.entered, [competition.id], key)).get(competition.id)
    outcomes = (await asyncio.to_thread(tables.competitions.outcomes, [competition.id]))[competition.id]
    own = next((one.result for one in outcomes if one.guest == key), None)
    may_see = over or own is not None
    table = 1 + state.tables.index(own.code) if own and own.code in state.tables else 0
    sheets = duplicate.compared(state, outcomes) if may_see and outcomes else []
    places = await duplicate.places(tables, state)
    waits = not over and mine is not None and not mistake and any(not one.over for one in places)
    base = str(request.base_url).rstrip("/")
    answer = page(
        "duplicate.html",
        request,
        what=definition(state.game),
        state=state,
        code=code.upper(),
        link=f"{base}/duplicate/{code.upper()}",
        places=places,
        mine=mine.code if mine else "",
        is_host=bool(key) and key == state.host,
        over=over,
        is_open=over and await tables.secrecy.is_open(competition.id),
        sheets=[in_words(sheet, table if own and own.seat == seat else 0) for seat, sheet in enumerate(sheets)],
        deals=int(state.options.get("deals", 1)),
        waits=waits,
        mistake=mistake,
    )
    remember_longer(request, answer)
    return answer


@router.post("/{code}/join")
async def join(request: Request, code: str, tables: AllTables) -> Response:
    """Seat a guest at one of the tables, or at a new one."""
    form = await form_of(request)
    token = own_token(request)
    key = fingerprint(token)
    try:
        name = fitting_name(form.get("name") or name_of(request) or "Guest")
        competition, state = await asyncio.to_thread(duplicate.find, tables.competitions, code)
        entered = await asyncio.to_thread(tables.competitions.entered, [competition.id], key)
        table = entered[competition.id].code if entered else form.get("table", "")
        if not table:
            opened = await asyncio.to_thread(duplicate.terms, state, code)
            new = await event_table(request, opened, key)
            table = new.code
            if not await asyncio.to_thread(duplicate.add, tables.competitions, code, table):
                await new.discard(marked("there was no room for it."))
                raise ParlourError("This duplicate is over, or has as many tables as it can.")
        table = await duplicate.take_seat(tables, code, table, key, name)
        session = await tables.session(table, key)
    except ParlourError as wrong:
        return await _shown(request, code, tables, wrong)
    return to_table(request, session, token, name)


@router.post("/{code}/remove")
async def remove(request: Request, code: str, tables: AllTables) -> Response:
    """Take a table out of a duplicate."""
    table = (await form_of(request)).get("table", "")
    await asyncio.to_thread(duplicate.remove, tables.competitions, code, key_of(request), table)
    return RedirectResponse(f"/duplicate/{code}", 303)


@router.post("/{code}/close")
async def close(request: Request, code: str, tables: AllTables) -> Response:
    """End a duplicate: everybody may see all cards as soon as nobody is playing them."""
    await duplicate.end(tables, code, key_of(request))
    return RedirectResponse(f"/duplicate/{code}", 303)


__all__ = ["in_words", "router", "signed"]
