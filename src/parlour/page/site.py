"""The addresses of the pages.  They use the room as any client does: frames in, commands out."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import secrets
from functools import lru_cache
from importlib import resources
from typing import Any, Final
from urllib.parse import quote, unquote

import jinja2
import msgspec
import segno
from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from markupsafe import Markup

from parlour.engine.definition import definition, games
from parlour.errors import ParlourError
from parlour.page import decks, guide, looks
from parlour.page.scene import Scene, Story, text_of
from parlour.room import log, wire
from parlour.room.floor import Floor
from parlour.room.live import Client, LiveTable
from parlour.room.server import (
    API,
    NewTable,
    attend,
    is_same_origin,
    key_of,
    link_to,
    opened_as,
    remember,
    seat_guest,
    token_of,
)
from parlour.room.table import WATCHER, fingerprint, fitting_name

NAME: Final = "parlour_name"
"""The cookie that remembers what a guest is called."""
YEAR: Final = 365 * 86400
"""Seconds for which it does."""
REGIONS: Final = ("strip", "board", "people", "story", "clauses", "end")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
FEATURED: Final = ("diamonds", "pope_joan", "diabolo", "diamondback", "dividha", "matrimony", "commit", "newmarket")
TABLES: Final = 20
"""Open tables that the front page shows."""
_MOMENT: Final = re.compile(r"\d{1,6}\.\d{1,9}\.\d{1,2}")
HINT: Final = "search:0.5s"


def _template(name: str) -> str | None:
    """The source of a template: of a game's folder (``game/NAME``), or of the stops games' common one."""
    home, _, file = name.partition("/")
    if file == "table.html" and home in games():
        package = definition(home).package
    elif name == "stops/table.html":
        package = "parlour.stops"
    else:
        return None
    source = resources.files(package).joinpath("table.html")
    return source.read_text("utf-8") if source.is_file() else None


TEMPLATES: Final = jinja2.Environment(
    loader=jinja2.ChoiceLoader([jinja2.PackageLoader("parlour.page"), jinja2.FunctionLoader(_template)]),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,  # looking at the files again for each region takes a quarter of the time
)
TEMPLATES.filters["path"] = lambda text: quote(str(text), safe="")


def _usual(game: str) -> int:
    """The number of players of a table that nobody asked about: as many as make a good game."""
    counts = definition(game).counts()
    return min(counts, key=lambda n: (abs(n - 4), n))


def _showcase(game: str) -> list[str]:
    """Four cards that stand for a game."""
    named = getattr(definition(game).part("deck"), "SHOWCASE", ())
    return list(named or [name for name in definition(game).rules.CARDS if name in decks.cards(game)])[:4]


TEMPLATES.globals.update(
    definition=definition, text_of=text_of, usual=_usual, showcase=_showcase, four_coloured=decks.four_coloured
)


@lru_cache(maxsize=256)
def board_of(game: str) -> str:
    """The template of a game's board: its own, or the plain one."""
    return f"{game}/table.html" if _template(f"{game}/table.html") is not None else "plain.html"


def regions(scene: Scene) -> dict[str, str]:
    """The parts of a table's page that change, as HTML."""
    scene.placed.clear()
    context = context_of(scene)
    made = {name: rendered(name, context) for name in REGIONS if name not in ("clauses", "end")}
    made["clauses"] = _clauses(scene.about.game, tuple(scene.clauses))
    made["end"] = rendered("end", context) if scene.telling.over else ""
    return made


@lru_cache(maxsize=4096)
def _clauses(game: str, names: tuple[str, ...]) -> str:
    """The region of the rules that matter now: often the same ones."""
    book = definition(game).book
    return rendered("clauses", {"clauses": [(name, text_of(book[name].text)) for name in names]})


def _told(scene: Scene, one: wire.Sentence) -> Markup:
    return _item(scene.about.game, scene.about.code, scene.sentence(one), one.clause)


@lru_cache(maxsize=4096)
def _item(game: str, code: str, text: str, clause: str) -> Markup:
    """A sentence of the story: the page is sent sixty with each move, of which one or two are new."""
    told = TEMPLATES.get_template("told.html").render(game=game, code=code, text=text, clause=clause)
    return Markup(told)


def rendered(name: str, context: dict[str, Any]) -> str:
    """A part of a page."""
    return TEMPLATES.get_template(f"{name}.html").render(context)


def context_of(scene: Scene) -> dict[str, Any]:
    """What the templates of a table may use."""
    return {
        "s": scene,
        "v": scene.v,
        "me": scene.me,
        "seats": scene.seats,
        "others": scene.others,
        "can": scene.can,
        "title": scene.title,
        "game": scene.about.game,
        "board_template": board_of(scene.about.game),
        "items": Markup("").join(_told(scene, one) for one in scene.latest),
    }


# ------------------------------------------------------------------------------------------ one visit


class Visit:
    """One reader of a table's page: what it has been told, and what its page looks like now."""

    def __init__(self, live: LiveTable, link: str, asked: Request | WebSocket) -> None:
        self.live, self.link, self.four_colours = live, link, looks.look_of(asked).four_colours
        self.explained = guide.explained(asked)
        self.story, self.remarks = Story(), list[wire.Remark]()
        self.about: wire.About | None = None
        self.telling: wire.Telling | None = None
        self.shown: dict[str, str] = {}

    def hear(self, frame: wire.AnyFrame) -> dict[str, Any] | None:
        """What a frame changes on the page: regions as HTML, what is to be read aloud, what the script must answer."""
        match frame:
            case wire.About():
                self.about = frame
                return None
            case wire.Telling():
                news = self.story.hear(frame)
                self.telling = frame
                changed = self._changed()
                scene = self.scene()
                say = " ".join(scene.sentence(one) for one in news[-6:])
                return {"regions": changed, "say": say, "asked": scene.is_asked}
            case wire.Remark():
                self.remarks = [*self.remarks[-30:], frame]
                return {"regions": self._changed(), "say": f"{frame.name}: {frame.text}"}
            case wire.Mixing():
                return {"mixing": {"stage": frame.stage, "commitment": frame.commitment, "match": frame.match}}
            case wire.Opened():
                return {"opened": {"commitment": frame.commitment}}
            case wire.Bye():
                return {"bye": frame.reason, "back": frame.back}
        return None

    def scene(self, **more: Any) -> Scene:
        """This moment as this reader sees it."""
        assert self.about is not None
        assert self.telling is not None
        return Scene(
            self.about, self.telling, self.story.sentences, self.link, self.four_colours, list(self.remarks),
            resumed=self.live.table.match > 0 and not self.live.table.commitment, explained=self.explained, **more,
        )  # fmt: skip

    def _changed(self) -> dict[str, str]:
        now = regions(self.scene())
        changed = {name: html for name, html in now.items() if self.shown.get(name) != html}
        self.shown = now
        return changed


def refusal(game: str, refused: wire.Refused) -> dict[str, str]:
    """A refusal as the page shows it."""
    clause = definition(game).book[refused.clause].text if refused.clause else ""
    return {"sentence": refused.sentence, "clause": refused.clause, "text": str(text_of(clause))}


async def take_seat(
    floor: Floor,
    request: Request,
    opened: log.Opened,
    name: str,
    seat: int = WATCHER,
    *,
    record: str = "",
    contributes: bool = False,
    guided: bool = False,
) -> Response:
    """Open a table, let the reader sit down at it, and take him there."""
    token = token_of(request) or secrets.token_urlsafe(24)
    live = await floor.open(opened, record)
    await seat_guest(live, fingerprint(token), name, seat)
    live.awaited = fingerprint(token) if contributes else ""
    live.stir()
    answer = RedirectResponse(f"/t/{live.code}", 303)
    remember(request, answer, token)
    answer.set_cookie(NAME, quote(name), max_age=YEAR, samesite="lax", httponly=True)
    if guided:
        guide.begin(answer, live.code)
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

    tell_program = app.exception_handlers[ParlourError]

    @app.exception_handler(ParlourError)
    async def mistake(request: Request, wrong: ParlourError) -> Response:
        answer: Response = await tell_program(request, wrong)  # type: ignore[misc]
        if for_programs(request):
            return answer
        return page("mistake.html", request, answer.status_code, mistake=str(wrong))

    from parlour.page.replays import add_replays

    looks.add_looks(app)
    guide.add_guide(app, floor)
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
        form = {key: str(value) for key, value in (await request.form()).items()}
        try:
            what = definition(game)
            options = {
                key.removeprefix("option-"): value
                for key, value in form.items()
                if key.startswith("option-") and value != str(what.options[key.removeprefix("option-")].default)
            }
            name = fitting_name(form.get("name") or name_of(request) or "Guest")
            said: dict[str, Any] = {
                "game": game,
                "players": form.get("players") or _usual(game),
                "options": options,
                "name": name,
                "bots": form.get("bots", ""),
                "pace": form.get("pace") or 1.0,
                "told": form.get("told", "yes") == "yes",
                "listed": "listed" in form,
                "contributes": "script" in form,
            }
            wanted = NewTable.model_validate(said)
            opened = await asyncio.to_thread(opened_as, wanted)
        except (ParlourError, ValueError, KeyError) as mistake:
            if game not in games():
                raise
            return page("rules_of_house.html", request, 422, what=definition(game), form=form, mistake=str(mistake))
        return await take_seat(floor, request, opened, name, contributes=wanted.contributes, guided="guide" in form)

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
        seat = live.table.seat_of(key_of(request))
        reader.about = live.about()
        telling = live.table.telling(seat, 0, True)
        reader.story.hear(telling)
        reader.telling = telling
        return reader

    async def table_page(request: Request, live: LiveTable, status: int = 200, **more: Any) -> HTMLResponse:
        reader = await visit(request, live)
        scene = reader.scene(**more)
        return page("table.html", request, status, regions=regions(scene), **context_of(scene))

    @app.get("/t/{table}", response_class=HTMLResponse, include_in_schema=False)
    async def show(request: Request, table: str) -> Response:
        live = await floor.get(table)
        live.touch()
        return await table_page(request, live)

    @app.post("/t/{table}/do", include_in_schema=False)
    async def do(request: Request, table: str) -> Response:
        live = await floor.get(table)
        form = {key: str(value) for key, value in (await request.form()).items()}
        try:
            command = _command(form)
        except (ParlourError, ValueError) as mistake:
            answer: wire.Answer = wire.Refused(id="", sentence=str(mistake))
        else:
            answer = await live.do(key_of(request), command)
        if "x-parlour" in request.headers:
            if isinstance(answer, wire.Refused):
                return Response(json.dumps(refusal(live.table.game.id, answer)), 422, media_type="application/json")
            return Response(status_code=204)
        if isinstance(answer, wire.Refused):
            return await table_page(request, live, 422, refused=answer)
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
        answer = RedirectResponse(f"/t/{live.code}", 303)
        remember(request, answer, token)
        answer.set_cookie(NAME, quote(name), max_age=YEAR, samesite="lax", httponly=True)
        return answer

    @app.post("/t/{table}/hint", include_in_schema=False)
    async def hint(request: Request, table: str) -> Response:
        live = await floor.get(table)
        seat = live.table.seat_of(key_of(request))
        if seat == WATCHER or seat not in live.table.asked:
            advice = "There is nothing to choose for you now."
        else:
            advice = await floor.bots.advise(HINT, *live.table.question(seat))
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
        from parlour.cli.verify import sentences
        from parlour.fair_deal import verify as check

        live = await floor.get(table)
        text = live.table.record(live.table.seat_of(key_of(request)))
        try:
            verdict = await asyncio.to_thread(check, text)
            names = tuple(seat.name for seat in live.table.seats)
            said, fair = sentences(verdict, text, names), verdict.is_fair
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
        except ParlourError:
            await ws.close(4404, "There is no such table.")
            return
        reader = Visit(live, "", ws)
        reader.link = f"{str(ws.base_url).rstrip('/').replace('ws', 'http', 1)}/t/{live.code}"
        client = Client(key_of(ws), mixes=ws.query_params.get("mix") == "1", items=True)

        def shown(packet: wire.Packet) -> str | None:
            change = reader.hear(wire.decode(packet))
            return None if change is None else msgspec.json.encode(change).decode()

        await attend(ws, live, client, shown)


def _command(form: dict[str, str]) -> wire.AnyCommand:
    """What a form wants."""
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
            return wire.Mute(id=new, name=form.get("mute", ""))
        case _:
            action = form.get("action", "").strip()
            kind = form.get("kind") or (_only_amount(form) if form.get("do") == "enter" else "")
            if kind:
                action = f"{kind} {int(form.get(f'amount {kind}', ''))}"
            if not action:
                raise ParlourError("Choose something first.")
            moment = form.get("moment", "")  # the same, pressed twice, is one command
            pressed = f"{moment}.{hashlib.sha256(action.encode()).hexdigest()[:12]}"
            return wire.Act(id=pressed if _MOMENT.fullmatch(moment) else new, action=action[:500])


def _only_amount(form: dict[str, str]) -> str:
    """What Enter in a field for a number is about: the one kind of which there is an amount."""
    kinds = [key.removeprefix("amount ") for key in form if key.startswith("amount ")]
    return kinds[0] if len(kinds) == 1 else ""


def name_of(request: Request) -> str:
    """What a guest was called the last time."""
    return unquote(request.cookies.get(NAME, ""))


def _svg(text: str) -> Response:
    headers = {"Cache-Control": "public, max-age=86400", "Content-Security-Policy": "default-src 'none'"}
    return Response(text, media_type="image/svg+xml", headers=headers)
