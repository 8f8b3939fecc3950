"""The addresses of the pages.  They use the room as any client does: frames in, commands out."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from importlib import resources
from math import ceil
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote
from weakref import WeakSet

import msgspec
import segno
from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from parlour.engine.definition import definition, games
from parlour.errors import ParlourError
from parlour.page import decks, guide, looks
from parlour.page.rendering import TEMPLATES, context_of, regions
from parlour.page.scene import Scene, in_words
from parlour.page.visit import Visit, refusal
from parlour.room import wire
from parlour.room.floor import Floor, NoTable
from parlour.room.live import Client, LiveTable
from parlour.room.server import (
    API,
    NewTable,
    attend,
    is_same_origin,
    key_of,
    link_to,
    new_table,
    remember,
    seat_guest,
    token_of,
    wanted_table,
)
from parlour.room.table import WATCHER, fingerprint, fitting_name

NAME: Final = "parlour_name"
"""The cookie that remembers what a guest is called."""
YEAR: Final = 365 * 86400
"""Seconds for which it does."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
FEATURED: Final = ("diamonds", "pope_joan", "diabolo", "diamondback", "dividha", "matrimony", "commit", "newmarket")
TABLES: Final = 20
"""Open tables that the front page shows."""
_AMOUNT: Final = re.compile(r"[0-9]{1,9}")
LONGEST: Final = 500
"""Letters that anything in a form has at most."""
_MOMENT: Final = re.compile(r"\d{1,6}\.\d{1,9}\.\d{1,2}")
HINT: Final = "search:0.5s"
RELOAD: Final = 3
"""Seconds after which a page without script looks again whether something has happened."""
SOON: Final = 1
"""The same in a game with questions that last a moment only; one is seen with most of its time left."""
READ: Final = 4
"""Seconds for which an answer to what was pressed stays on such a page, at the least."""
THINKING: Final = 300.0
"""Seconds that a guest without script may think until he counts as gone; nothing else tells that he has gone."""


def _usual(game: str) -> int:
    """The number of players of a table that nobody asked about: as many as make a good game."""
    counts = definition(game).counts()
    return min(counts, key=lambda n: (abs(n - 4), n))


def _showcase(game: str) -> list[str]:
    """Four cards that stand for a game."""
    named = getattr(definition(game).part("deck"), "SHOWCASE", ())
    return list(named or [name for name in definition(game).rules.CARDS if name in decks.cards(game)])[:4]


TEMPLATES.globals.update(usual=_usual, showcase=_showcase)


def reload_in(scene: Scene, left_of_beat: float) -> int:
    """Seconds after which a page without script loads itself anew; 0: not at all, since it is for the reader to act.

    During a question that nobody else may notice everybody's page does so when it is over, whoever is asked.  In a game
    in which such a question can come, the page looks often, so that it is seen in time.
    """
    telling = scene.telling
    if telling.over or telling.closed or telling.frozen:
        return 0
    if telling.hushed:
        return max(SOON, ceil(left_of_beat))
    if scene.is_asked:
        return 0
    return SOON if scene.game.definition.has("hushed") else RELOAD


async def take_seat(
    floor: Floor, request: Request, wanted: NewTable, seat: int = WATCHER, guided: bool = False
) -> Response:
    """Open a table, let the reader sit down, and take him there; ``ParlourError`` if there can be no such table."""
    live, _, token = await new_table(floor, request, wanted, seat)
    answer = _to_table(request, live, token, wanted.name)
    if guided:
        guide.begin(answer, live.code)
    return answer


def _to_table(request: Request, live: LiveTable, token: str, name: str) -> Response:
    """Take a guest who has sat down to his table; his browser keeps who he is."""
    answer = RedirectResponse(f"/t/{live.code}", 303)
    remember(request, answer, token)
    answer.set_cookie(NAME, quote(name), max_age=YEAR, samesite="lax", httponly=True)
    return answer


def add_pages(app: FastAPI, floor: Floor) -> None:
    """Add the pages to a server's face."""
    app.mount("/static", StaticFiles(packages=[("parlour.page", "static")]), name="static")

    def page(name: str, request: Request, status: int = 200, **context: Any) -> HTMLResponse:
        look = looks.look_of(request)
        shown = TEMPLATES.get_template(name).render(request=request, name=name_of(request), look=look, **context)
        return HTMLResponse(shown, status, {"Content-Security-Policy": POLICY})

    def for_programs(request: Request) -> bool:
        """Whether an answer is read by a program, which wants it as JSON, and not by a person."""
        return request.url.path.startswith(API) or "text/html" not in request.headers.get("accept", "")

    def to_a_person(kind: type[Exception]) -> None:
        """A mistake is told to a person on a page, in the words in which a program hears of it."""
        tell_program = app.exception_handlers[kind]

        async def mistake(request: Request, wrong: Exception) -> Response:
            answer: Response = await tell_program(request, wrong)  # type: ignore[misc]
            if for_programs(request):
                return answer
            return page("mistake.html", request, answer.status_code, mistake=json.loads(bytes(answer.body))["sentence"])

        app.exception_handler(kind)(mistake)

    to_a_person(ParlourError)
    to_a_person(HTTPException)

    from parlour.page.replays import add_replays

    looks.add_looks(app)
    add_replays(app, floor, page)

    # ------------------------------------------------------------------ the house

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def home(request: Request) -> HTMLResponse:
        tables = await floor.listed(TABLES)
        shown = [definition(game) for game in FEATURED if game in games()]
        others = [definition(game) for game in games() if game not in FEATURED]
        return page("home.html", request, games=shown, others=others, tables=tables)

    @app.get("/docs", response_class=HTMLResponse, include_in_schema=False)
    async def interface(request: Request) -> HTMLResponse:
        paths = app.openapi()["paths"].items()
        calls = [(method.upper(), path, call) for path, methods in paths for method, call in methods.items()]
        return page("interface.html", request, version=app.version, calls=calls)

    @app.post("/play/{game}", include_in_schema=False)
    async def play_now(request: Request, game: str) -> Response:
        what = definition(game)
        form = {key: str(value) for key, value in (await request.form()).items()}
        chosen = {key.removeprefix("option-"): value for key, value in form.items() if key.startswith("option-")}
        usual = {name: str(option.default) for name, option in what.options.items()}
        try:
            wanted = wanted_table(
                game=game,
                players=form.get("players") or _usual(game),
                options={name: value for name, value in chosen.items() if value != usual.get(name)},
                name=fitting_name(form.get("name") or name_of(request) or "Guest"),
                bots=form.get("bots", ""),
                pace=form.get("pace") or 1.0,
                beat=form.get("beat") or 3.0,
                told=form.get("told", "yes") == "yes",
                listed="listed" in form,
                contributes="script" in form,
            )
            return await take_seat(floor, request, wanted, guided="guide" in form)
        except ParlourError as mistake:
            return page("rules_of_house.html", request, 422, what=what, form=form, mistake=str(mistake))

    @app.get("/join", include_in_schema=False)
    async def join(code: str = "") -> Response:
        live = await floor.get(code.strip())
        return RedirectResponse(f"/t/{live.code}", 303)

    @app.get("/new/{game}", response_class=HTMLResponse, include_in_schema=False)
    async def house_rules(request: Request, game: str) -> HTMLResponse:
        return page("rules_of_house.html", request, what=definition(game), form={}, mistake="")

    @app.get("/rules/{game}", response_class=HTMLResponse, include_in_schema=False)
    async def rule_book(request: Request, game: str, table: str = "") -> HTMLResponse:
        live = await floor.get(table) if table else None
        options = dict(live.table.opened.options) if live is not None else {}
        return page("book.html", request, what=definition(game), options=options, table=table)

    @app.get("/cards/{game}/{name}.svg", include_in_schema=False)
    async def card(game: str, name: str, colours: int = 2) -> Response:
        return _svg(decks.face(game, unquote(name), colours == 4))

    @app.get("/cards/back.svg", include_in_schema=False)
    async def back() -> Response:
        return _svg(decks.back())

    @app.get("/static-game/{game}.css", include_in_schema=False)
    async def css(game: str) -> Response:
        what = definition(game)
        files = [resources.files(what.package).joinpath("table.css")]
        if shared := what.words["game"].get("include"):
            files.insert(0, resources.files(shared).joinpath("table.css"))
        text = "\n".join(file.read_text("utf-8") for file in files if file.is_file())
        return Response(text, media_type="text/css", headers={"Cache-Control": "max-age=3600"})

    # ------------------------------------------------------------------ a table

    async def visit(request: Request, live: LiveTable) -> Visit:
        """A reader who is told everything there is now."""
        reader = Visit(live, link_to(request, live), request)
        reader.about = live.about()
        telling = live.table.telling(live.table.seat_of(reader.key), 0, True)
        reader.story.hear(telling)
        reader.telling = telling
        return reader

    reading: WeakSet[Visit] = WeakSet()
    guide.add_guide(app, floor, visit, reading)

    async def table_page(request: Request, live: LiveTable, status: int = 200, **more: Any) -> HTMLResponse:
        reader = await visit(request, live)
        scene = reader.scene(**more)
        again = reload_in(scene, live.left_of_beat)
        live.looked(key_of(request), again + 2 * RELOAD if again else THINKING)
        again = max(again, READ) if again and more else again
        return page("table.html", request, status, regions=regions(scene), reload=again, **context_of(scene))

    @app.get("/t/{table}", response_class=HTMLResponse, include_in_schema=False)
    async def show(request: Request, table: str) -> Response:
        return await table_page(request, await floor.get(table))

    @app.post("/t/{table}/do", include_in_schema=False)
    async def do(request: Request, table: str) -> Response:
        live = await floor.get(table)
        form = {key: str(value) for key, value in (await request.form()).items()}
        command: wire.AnyCommand | None = None
        try:
            command = _command(form)
        except ParlourError as mistake:
            answer: wire.Answer = wire.Refused(id="", sentence=str(mistake))
        else:
            answer = await live.do(key_of(request), command)
        if "x-parlour" in request.headers:
            if isinstance(answer, wire.Refused):
                return Response(json.dumps(refusal(live.table.game.id, answer)), 422, media_type="application/json")
            if isinstance(command, wire.Mute):
                reader = await visit(request, live)
                for one in reading:
                    if one.live is live and one.key == reader.key:
                        one.remember()
                return Response(msgspec.json.encode(reader.people()), media_type="application/json")
            return Response(status_code=204)
        if isinstance(answer, wire.Refused):
            return await table_page(request, live, 422, refused=answer, filled=form)
        await asyncio.sleep(0.15)  # a bot that is quick is on the page that comes
        return RedirectResponse(f"/t/{live.code}", 303)

    @app.post("/t/{table}/sit", include_in_schema=False)
    async def sit(request: Request, table: str) -> Response:
        live = await floor.get(table)
        form = await request.form()
        token = token_of(request) or secrets.token_urlsafe(24)
        name, seat = str(form.get("name") or name_of(request) or "Guest"), str(form.get("seat", "-1"))
        try:
            await seat_guest(live, fingerprint(token), fitting_name(name), int(seat))
        except (ParlourError, ValueError) as mistake:
            return await table_page(request, live, 422, refused=wire.Refused(id="", sentence=str(mistake)))
        return _to_table(request, live, token, name)

    @app.post("/t/{table}/hint", include_in_schema=False)
    async def hint(request: Request, table: str) -> Response:
        live = await floor.get(table)
        seat = live.table.seat_of(key_of(request))
        if seat == WATCHER or seat not in live.table.asked:
            advice = "There is nothing to choose for you now."
        else:
            advice = in_words(live.table.game.id, await floor.bots.advise(HINT, *live.table.question(seat)))
        if "x-parlour" in request.headers:
            return Response(json.dumps({"advice": advice}), media_type="application/json")
        return await table_page(request, live, advice=advice)

    @app.get("/t/{table}/record", include_in_schema=False)
    async def record(request: Request, table: str) -> Response:
        live = await floor.get(table)
        text = live.table.record(live.table.seat_of(key_of(request)))
        name = f"{live.table.game.id}-{live.code}.parlour"
        return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    @app.get("/t/{table}/code.svg", include_in_schema=False)
    async def code(request: Request, table: str) -> Response:
        live = await floor.get(table)
        picture = segno.make(link_to(request, live), error="m").svg_inline(scale=4, dark="#2b2620", light="#fdfaf2")
        return _svg(
            picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
            if "xmlns" not in picture
            else picture
        )

    @app.get("/t/{table}/verify", response_class=HTMLResponse, include_in_schema=False)
    async def verify(request: Request, table: str) -> HTMLResponse:
        from parlour.fair_deal import verify as check

        live = await floor.get(table)
        text = live.table.record(live.table.seat_of(key_of(request)))
        try:
            verdict = await asyncio.to_thread(check, text)
            names = tuple(seat.name for seat in live.table.seats)
            said, fair = verdict.in_words(text, names), verdict.is_fair
        except ParlourError as mistake:
            said, fair = [str(mistake)], False
        return page("verify.html", request, said=said, fair=fair, code=live.code, what=live.table.game.definition)

    @app.websocket("/t/{table}/live")
    async def live_page(ws: WebSocket, table: str) -> None:
        if not is_same_origin(ws):
            await ws.close(4403, "This page is not of this server.")
            return
        await ws.accept()
        try:
            live = await floor.get(table)
        except NoTable:
            await ws.close(4404, "There is no such table.")
            return
        except ParlourError:
            await ws.close(1013, "The table cannot be had now; connect again.")
            return
        reader = Visit(live, "", ws, ws.query_params.get("at", ""))
        reading.add(reader)
        reader.link = f"{str(ws.base_url).rstrip('/').replace('ws', 'http', 1)}/t/{live.code}"
        client = Client(key_of(ws), mixes=ws.query_params.get("mix") == "1", items=True)

        def shown(packet: wire.Packet) -> str | None:
            change = reader.hear(wire.decode(packet))
            return None if change is None else msgspec.json.encode(change).decode()

        def wanted(text: str | bytes) -> wire.AnyCommand:
            """A command, or a form as a browser would post it."""
            told = text if isinstance(text, str) else text.decode(errors="replace")
            return wire.command(text) if told.startswith("{") else _command(dict(parse_qsl(told)))

        await attend(ws, live, client, shown, wanted)


def _command(form: Mapping[str, str]) -> wire.AnyCommand:
    """What a form wants; ``ParlourError`` if it wants nothing that can be."""
    if any(len(text) > LONGEST for text in form.values()):
        raise ParlourError(f"That is too long: a line has at most {LONGEST} letters.")
    new = secrets.token_hex(8)
    match form.get("do", "act"):
        case "undo":
            return wire.Undo(id=new)
        case "again":
            return wire.Again(id=new)
        case "leave":
            return wire.Leave(id=new)
        case "say":
            return wire.Say(id=new, text=form.get("text", ""))
        case "mute":
            return wire.Mute(id=new, name=form.get("mute", ""), off="off" in form)
        case _:
            action = form.get("action", "").strip()
            kind = form.get("kind") or (_only_amount(form) if form.get("do") == "enter" else "")
            if kind:
                amount = form.get(f"amount {kind}", "").strip()
                if not _AMOUNT.fullmatch(amount):
                    raise ParlourError(f"How many? {amount[:20]!r} is no number.")
                action = f"{kind} {int(amount)}"
            if not action:
                fields = any(key.startswith("amount ") for key in form)
                raise ParlourError("Press the button beside the number." if fields else "Choose something first.")
            moment = form.get("moment", "")  # the same, pressed twice, is one command
            pressed = f"{moment}.{hashlib.sha256(action.encode()).hexdigest()[:12]}"
            return wire.Act(id=pressed if _MOMENT.fullmatch(moment) else new, action=action)


def _only_amount(form: Mapping[str, str]) -> str:
    """What Enter in a field for a number is about: the one kind of which there is an amount."""
    kinds = [key.removeprefix("amount ") for key in form if key.startswith("amount ")]
    return kinds[0] if len(kinds) == 1 else ""


def name_of(request: Request) -> str:
    """What a guest was called the last time."""
    return unquote(request.cookies.get(NAME, ""))


def _svg(text: str) -> Response:
    headers = {"Cache-Control": "public, max-age=86400", "Content-Security-Policy": "default-src 'none'"}
    return Response(text, media_type="image/svg+xml", headers=headers)
