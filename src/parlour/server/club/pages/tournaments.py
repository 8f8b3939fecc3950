"""A tournament in rounds: its page for everybody, the host's page behind a secret link, and its standings as a file."""

from __future__ import annotations

import asyncio
import csv
import io
from typing import Any
from unicodedata import normalize

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from parlour.base.errors import ParlourError
from parlour.base.languages import figures, gettext, speaking
from parlour.base.languages.games import rules_in_words
from parlour.engine.definition import definition, games
from parlour.server.club import swiss
from parlour.server.club.pages.duplicates import signed, whole
from parlour.server.club.swiss import Swiss
from parlour.server.common.limits import NEWCOMERS, ROUND_TABLES, at_tables
from parlour.server.live.for_pages import ForPages
from parlour.server.live.identity import key_of, own_token, remember, remember_longer, token_of
from parlour.server.page.forms import form_of
from parlour.server.page.pages import name_of, page, to_table
from parlour.server.table.seats import fingerprint
from parlour.server.web.api import AllTables
from parlour.server.web.new_table import allowed, opening

router = APIRouter(include_in_schema=False, prefix="/swiss")


def number(points: float) -> str:
    """Return points as they are shown.

    >>> number(2.0), number(0.5), number(7 / 3)
    ('2', '0.5', '2.33')
    """
    return figures(f"{points:.2f}".rstrip("0").rstrip("."))


def table_rows(state: Swiss) -> list[dict[str, Any]]:
    """Return the standings as files give them."""
    return [
        {
            "place": one.place,
            "name": state.names[one.number],
            "points": round(one.points, 4),
            "opponents": round(one.opponents, 4),
            "gain": round(one.gain, 4),
            "played": one.played,
            "byes": one.byes,
            "withdrawn": one.number in state.out,
        }
        for one in state.standings()
    ]


@router.get("", response_class=HTMLResponse)
async def start(request: Request) -> Response:
    """Show the form for a new tournament."""
    return _start(request, {})


def _start(request: Request, form: dict[str, str], mistake: ParlourError | str = "") -> Response:
    titles = list[tuple[str, str]]()
    for what in map(definition, games()):
        titles.append((what.id, what.title))
        with speaking(what.language):
            presets = [(f"{what.id}:{one.name}", gettext(one.title)) for one in what.presets.values() if one.options]
        titles += [(value, f"{what.title}: {title}") for value, title in presets]
    return page("swiss_new.html", request, games=titles, form=form, most=swiss.ROUNDS, mistake=mistake)


@router.post("")
async def begin(request: Request, tables: AllTables) -> Response:
    """Begin a tournament, and take its host to the page that only the host has."""
    form = await form_of(request)
    try:
        game, _, preset = form.get("game", "").partition(":")
        what, count = at_tables(game), opening(request)
        options = what.preset(preset).options if preset else {}
        size, rounds = whole(form.get("size", ""), what.counts()[0]), whole(form.get("rounds", ""), 4)
        patience = float(whole(form.get("patience", ""), 120))
        code, secret = await asyncio.to_thread(
            swiss.begin, tables.competitions, form.get("title", ""), what.id, size, rounds, patience, options
        )
    except ParlourError as wrong:
        return _start(request, form, wrong)
    count()
    return RedirectResponse(f"/swiss/{code}/host/{secret}", 303)


@router.get("/{code}", response_class=HTMLResponse)
async def show(request: Request, code: str, tables: AllTables) -> Response:
    """Show what everybody sees: the standings, the tables of the round, and how to take part."""
    return await _shown(request, code, tables)


async def _shown(request: Request, code: str, tables: ForPages, mistake: ParlourError | str = "") -> Response:
    state = await asyncio.to_thread(swiss.take_results, tables.competitions, code)
    name = f"swiss/{code.upper()}"
    mine = (await asyncio.to_thread(tables.competitions.entered, [name], key_of(request))).get(name)
    me = -1 if mine is None else mine.number
    answer = page(
        "swiss.html",
        request,
        me=me,
        here=swiss.table_of(state, me),
        is_out=me in state.out,
        # the page waits for news, but not while a name may be typed
        waits=me >= 0 and me not in state.out and not state.over and not mistake,
        mistake=mistake,
        **await _common(request, code, tables, state),
    )
    remember_longer(request, answer)
    return answer


async def _common(request: Request, code: str, tables: ForPages, state: Swiss) -> dict[str, Any]:
    """Return what both pages show."""
    base = str(request.base_url).rstrip("/")
    return {
        "what": definition(state.game),
        "state": state,
        "code": code.upper(),
        "link": f"{base}/swiss/{code.upper()}",
        "house_rules": rules_in_words(state.options, definition(state.game)),
        "seen": await swiss.seen(tables, state),
        "standings": state.standings(),
        "points": number,
        "signed": signed,
    }


@router.post("/{code}/join")
async def join(request: Request, code: str, tables: AllTables) -> Response:
    """Let a guest take part, or come back."""
    token = own_token(request)
    name = (await form_of(request)).get("name") or name_of(request) or "Guest"
    await asyncio.to_thread(swiss.find, tables.competitions, code)
    try:
        refusal = ParlourError(
            "{guests} guests have joined this tournament from your address in the last hour; try again later.",
            guests=NEWCOMERS,
        )
        count = allowed(request, request.app.state.newcomers, refusal, code.upper())
        await asyncio.to_thread(swiss.join, tables.competitions, code, fingerprint(token), name)
    except ParlourError as wrong:
        return await _shown(request, code, tables, wrong)
    count()
    answer = RedirectResponse(f"/swiss/{code}", 303)
    remember(request, answer, token)
    return answer


@router.post("/{code}/leave")
async def leave(request: Request, code: str, tables: AllTables) -> Response:
    """Let a guest withdraw."""
    competition, _state = await asyncio.to_thread(swiss.find, tables.competitions, code)
    mine = (await asyncio.to_thread(tables.competitions.entered, [competition.id], key_of(request))).get(competition.id)
    if mine is not None:
        await asyncio.to_thread(swiss.withdraw, tables.competitions, code, mine.number)
    return RedirectResponse(f"/swiss/{code}", 303)


@router.post("/{code}/table")
async def to_my_table(request: Request, code: str, tables: AllTables) -> Response:
    """Take a player to their table of this round, and seat them there."""
    try:
        table = await swiss.seat(tables, code, key_of(request))
        session = await tables.session(table, key_of(request))
    except ParlourError as wrong:
        return await _shown(request, code, tables, wrong)
    called = session.players[session.seat].name if session.seat >= 0 else name_of(request)
    return to_table(request, session, token_of(request), called)


@router.get("/{code}/standings.csv")
async def as_csv(code: str, tables: AllTables) -> Response:
    """Return the standings as a table for spreadsheets."""
    state = await asyncio.to_thread(swiss.take_results, tables.competitions, code)
    text = io.StringIO()
    writer = csv.DictWriter(text, ["place", "name", "points", "opponents", "gain", "played", "byes", "withdrawn"])
    writer.writeheader()
    for row in table_rows(state):
        harmless = (
            "'" if normalize("NFKC", row["name"])[:1] in "=+-@" else ""
        )  # otherwise a spreadsheet would take the name for a formula
        writer.writerow(row | {"name": harmless + row["name"]})
    headers = {"Content-Disposition": f'attachment; filename="tournament-{code.upper()}.csv"'}
    marked = text.getvalue().encode("utf-8-sig")  # without its mark, Excel does not read it as UTF-8
    return Response(marked, media_type="text/csv", headers=headers)


@router.get("/{code}/standings.json")
async def as_json(code: str, tables: AllTables) -> Response:
    """Return the standings and all rounds, for programs."""
    state = await asyncio.to_thread(swiss.take_results, tables.competitions, code)
    rounds = [
        {
            "tables": [
                {"players": [state.names[p] for p in table.players], "points": table.points, "gains": table.gains}
                for table in one.tables
            ],
            "byes": [state.names[p] for p in one.byes],
            "over": one.over,
        }
        for one in state.played
    ]
    kept = {
        "title": state.title, "game": state.game, "players": state.size, "rounds": state.rounds, "over": state.over,
        "standings": table_rows(state), "played": rounds,
    }  # fmt: skip
    headers = {"Content-Disposition": f'attachment; filename="tournament-{code.upper()}.json"'}
    body = msgspec.json.format(msgspec.json.encode(kept), indent=1)
    return Response(body, media_type="application/json", headers=headers)


# ------------------------------------------------------------------------------------------ the host


@router.get("/{code}/host/{secret}", response_class=HTMLResponse)
async def host(request: Request, code: str, secret: str, tables: AllTables) -> Response:
    """Show the host's page."""
    return await _host(request, code, secret, tables)


async def _host(
    request: Request, code: str, secret: str, tables: ForPages, mistake: ParlourError | str = ""
) -> Response:
    state = await asyncio.to_thread(swiss.take_results, tables.competitions, code)
    swiss.must_be_host(state, secret)
    answer = page(
        "swiss_host.html",
        request,
        secret=secret,
        me=-1,
        mistake=mistake,
        **await _common(request, code, tables, state),
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.get("/{code}/host/{secret}/{what}")
async def back(code: str, secret: str, tables: AllTables) -> Response:
    """Lead to the host's page from the address that a refused decision has left in the browser."""
    swiss.must_be_host((await asyncio.to_thread(swiss.find, tables.competitions, code))[1], secret)
    return RedirectResponse(f"/swiss/{code}/host/{secret}", 303)


@router.post("/{code}/host/{secret}/{what}")
async def decide(request: Request, code: str, secret: str, what: str, tables: AllTables) -> Response:
    """Do what the host decides: start or end a round, enter a result, remove players, open or close the list of
    players, or end the tournament."""
    form = await form_of(request)
    swiss.must_be_host((await asyncio.to_thread(swiss.find, tables.competitions, code))[1], secret)
    try:
        await _decide(request, code, what, form, tables)
    except ParlourError as wrong:
        return await _host(request, code, secret, tables, wrong)
    return RedirectResponse(f"/swiss/{code}/host/{secret}", 303)


async def _decide(request: Request, code: str, what: str, form: dict[str, str], tables: ForPages) -> None:
    competitions = tables.competitions
    match what:
        case "start":
            refusal = ParlourError(
                "Tournaments from your address have had {tables:,} tables in the last hour; wait a while.",
                tables=ROUND_TABLES,
            )
            count = allowed(request, request.app.state.round_tables, refusal)
            for _ in range(await swiss.start_round(competitions, code, whole(form.get("round", ""), 1))):
                count()
        case "close":
            await asyncio.to_thread(swiss.close_round, competitions, code)
        case "result":
            places = [whole(form[key], 0) for key in sorted(form) if key.startswith("place-")]
            await asyncio.to_thread(swiss.enter_result, competitions, code, form.get("table", ""), places)
        case "remove":
            ticked = [key.removeprefix("player-") for key in form if key.startswith("player-")]
            gone = [int(number) for number in ticked if number.isdecimal() and len(number) < 10]
            if not gone:
                raise ParlourError("Tick the players whom you want to remove.")
            await asyncio.to_thread(swiss.withdraw, competitions, code, *gone)
        case "list":
            await asyncio.to_thread(swiss.let_in, competitions, code, anybody=form.get("open") == "yes")
        case "end":
            await asyncio.to_thread(swiss.end, competitions, code)
        case _:
            raise ParlourError("There is no such button.")


__all__ = ["number", "router", "table_rows"]
