"""A table's page: what a reader sees there, and what they can press."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from math import ceil
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import msgspec
import segno
from fastapi import APIRouter, Request, Response, WebSocket
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, StreamingResponse

from parlour.base.errors import ParlourError
from parlour.base.languages import current, speaking, translated
from parlour.base.languages import gettext as _
from parlour.base.naming import fitting_name
from parlour.core.verifying import verify as check
from parlour.players.kinds import strongest
from parlour.players.player import Advice
from parlour.server.common import wire
from parlour.server.common.errors import Private
from parlour.server.common.executors import RECORDS
from parlour.server.live.for_pages import Session
from parlour.server.live.identity import is_same_origin, key_of, own_token
from parlour.server.page import assets, decks, forms, guide, hints, picture
from parlour.server.page.forms import form_of
from parlour.server.page.page_session import Reader, Readers, refusal
from parlour.server.page.pages import is_by_script, name_of, page, svg, to_table
from parlour.server.page.rendering import context_of, regions
from parlour.server.page.scene import Scene
from parlour.server.table.seats import WATCHER, fingerprint
from parlour.server.web.api import AllTables, At, link_to
from parlour.server.web.mistakes import status_of
from parlour.server.web.streams import ANOTHERS_PAGE, HERE, attend, close_for

ROUND: Final = "0.5s"
"""How long the strongest player thinks in each round of a hint, before it says what seems best so far."""
ROUNDS: Final = 6
"""How many rounds a hint has."""
LONG: Final = 2.0
"""Seconds after which the page says that the first round takes long."""
RELOAD: Final = 3
"""Seconds after which a page without script checks again for news."""
SOON: Final = 1
"""The same in a game with questions that last only a moment: soon enough for the reader to answer one."""
READ: Final = 4
"""The fewest seconds for which the answer to a press stays on such a page."""
PEOPLE: Final = "people"
OPENED: Final = ("story", PEOPLE, "invite", "looks")
"""What a reader without script can open at a table. The address of the page says so, and the page does not reload."""
ABOUT_PEOPLE: Final = (wire.Say, wire.Phrase, wire.Mute, wire.Allow, wire.Remove)
"""Commands given in the drawer of people, which is open again afterwards."""
GONE_AFTER: Final = 300.0
"""Seconds that a guest without script may think before they count as gone; nothing else shows that they have left."""
QUICK_BOT: Final = 0.15
"""Seconds that a page without script waits after a command before it shows itself again, so that a quick bot's answer
is on it."""

router = APIRouter(prefix="/t/{table}", include_in_schema=False)


def reload_in(scene: Scene, left_of_beat: float) -> int:
    """Return the seconds after which a page without script reloads; 0: not at all, because it is the reader's turn or
    nothing more is to come.

    During a question that nobody else may notice, everybody's page reloads when the question is over, whoever is asked.
    In a game in which such a question can come, the page reloads often, so that it is seen in time.
    """
    telling = scene.telling
    if telling.over or telling.closed or telling.frozen or scene.taught is not None or scene.idea:
        return 0
    if telling.hushed:
        return max(SOON, ceil(left_of_beat))
    if scene.is_asked:
        return 0
    return SOON if scene.game.definition.may_hush(scene.game.options) else RELOAD


def readers_of(request: Request | WebSocket) -> Readers:
    """Return the pages of tables that are open now."""
    readers: Readers = request.app.state.readers
    return readers


def table_page(request: Request, session: Session, status: int = 200, opened: str = "", **more: Any) -> HTMLResponse:
    """Return the page of a table as it stands now; ``more``: what else the scene shows. ``opened``: what a reader
    without script has opened; then the page does not reload, which would close it."""
    scene = Reader.informed(session, request).scene(**more)
    guide.hold(session, scene)
    again = 0 if scene.is_invited or opened else reload_in(scene, session.left_of_beat)
    session.page_loaded(again + 2 * RELOAD if again else GONE_AFTER)
    again = max(again, READ) if again and more else again
    several = session.may_move
    return page(
        "table.html",
        request,
        status,
        regions=regions(scene),
        reload=again,
        opened=opened,
        several=several,
        watching=session.watching,
        **context_of(scene),
    )


@router.get("", response_class=HTMLResponse)
async def show(request: Request, session: At, tables: AllTables) -> Response:
    opened, typed = request.query_params.get("open", ""), request.query_params
    if "name" in typed and session.seat == WATCHER:  # the reader could not sit down under this name
        guest = await tables.session(session.id, fingerprint(own_token(request)))
        sentence = guest.why_not(typed["name"], typed.get("seat", ""))
        refused = wire.Refused(id="", sentence=sentence) if sentence else None
        return table_page(request, session, refused=refused, filled=typed)
    return table_page(request, session, opened=opened if opened in OPENED else "")


@router.post("/do")
async def do(request: Request, session: At) -> Response:
    form = await form_of(request)
    wanted: wire.AnyCommand | None = None
    try:
        wanted = forms.command(form)
    except ParlourError as mistake:
        answer: wire.Answer = wire.Refused(id="", sentence=str(mistake))
    else:
        answer = await session.do(wanted)
    if not is_by_script(request):
        if isinstance(answer, wire.Refused):
            opened = PEOPLE if isinstance(wanted, ABOUT_PEOPLE) else ""
            return table_page(request, session, 503 if answer.later else 422, opened, refused=answer, filled=form)
        if isinstance(wanted, ABOUT_PEOPLE):
            return RedirectResponse(f"/t/{session.code}?open={PEOPLE}", 303)
        await asyncio.sleep(QUICK_BOT)
        return RedirectResponse(f"/t/{session.code}", 303)
    if isinstance(answer, wire.Refused):
        return Response(json.dumps(refusal(session.game, answer)), media_type="application/json")  # the page says why
    if isinstance(wanted, wire.Mute):
        for one in readers_of(request).of(session):
            one.remember()
        return Response(msgspec.json.encode(Reader.informed(session, request).people()), media_type="application/json")
    return Response(status_code=204)


@router.post("/sit")
async def sit(request: Request, table: str, tables: AllTables) -> Response:
    form = await form_of(request)
    token = own_token(request)
    name, seat = form.get("name") or name_of(request) or _("Guest"), form.get("seat", "-1")
    session = await tables.session(table, fingerprint(token))
    if session.why_not(name, seat):
        return RedirectResponse(f"/t/{session.code}?{urlencode({'name': name, 'seat': seat})}", 303)
    try:
        await session.sit(fitting_name(name), int(seat))
    except ParlourError as mistake:  # somebody was quicker, or the server cannot do it now
        unseated, refused = await tables.session(table, key_of(request)), wire.Refused(id="", sentence=str(mistake))
        return table_page(request, unseated, status_of(mistake), refused=refused, filled=form)
    return to_table(request, session, token, name)


@router.post("/hint")
async def hint(request: Request, session: At) -> Response:
    """Think of a hint. A page with a script is told after each round, in a line each, what seems best so far."""
    scene, choice = Reader.informed(session, request).scene(), session.choice
    found = session.hints(f"{strongest(session.game)}:{ROUND}", ROUNDS)
    if is_by_script(request):
        growing = _growing(scene, session, choice, found, current())
        return StreamingResponse(growing, media_type="application/x-ndjson")
    advice = None
    try:
        async for later in found:
            advice = later
    except ParlourError as wrong:
        if advice is None:
            return table_page(request, session, advice=translated(str(wrong)))
    if advice is None or session.choice != choice:
        return table_page(request, session, advice=_("You have nothing to choose now.") if not session.choice else "")
    said = await hints.whole(scene, session.game, advice)
    return table_page(request, session, advice=said, hinted=session.game.action_names[advice.action])


def _line(said: str, hinted: str = "", rounds: int = 0) -> bytes:
    """Return what a page with a script is told of a hint, as a line. ``rounds``: the rounds of thought so far, 0 when
    there is nothing to wait for."""
    return json.dumps({"advice": said, "hinted": hinted, "rounds": rounds, "of": ROUNDS}).encode() + b"\n"


async def _growing(
    scene: Scene, session: Session, choice: tuple[int, ...], found: AsyncIterator[Advice], language: str
) -> AsyncIterator[bytes]:
    """Yield a hint as it grows and, at the end, whole. If the first round takes long, say why. Once the reader has
    another choice, or none, take everything back."""
    game, advice = session.game, None
    first = asyncio.ensure_future(_next(found))
    try:
        if not (await asyncio.wait([first], timeout=LONG))[0]:
            with speaking(language):
                yield _line(_("This takes longer than usual: the strongest bot is getting ready."))
        latest, rounds = await first, 1
        while latest is not None:
            advice = latest
            with speaking(language):
                line = _line(hints.in_words(scene, game, advice), game.action_names[advice.action], rounds)
            yield line
            latest, rounds = await anext(found, None), rounds + 1
    except ParlourError as wrong:
        if advice is None:
            with speaking(language):
                yield _line(translated(str(wrong)))
            return  # a later error leaves the hint as good as it is by then
    finally:
        first.cancel()
    with speaking(language):
        if advice is None or session.choice != choice:
            yield _line("")
        else:
            yield _line(await hints.whole(scene, game, advice), game.action_names[advice.action])


async def _next(found: AsyncIterator[Advice]) -> Advice | None:
    return await anext(found, None)


@router.post("/guide")
async def go_on_with_guide(request: Request, session: At) -> Response:
    """Explain the guide's next idea, or end the guide."""
    form = await form_of(request)
    explained = guide.next_step(request, session.game.definition.book, form)
    answer: Response = RedirectResponse(f"/t/{session.code}", 303)
    if is_by_script(request):
        reader = Reader.informed(session, request)
        for one in (reader, *readers_of(request).of(session)):
            one.explained = explained
        answer = Response(msgspec.json.encode(reader.strip()), media_type="application/json")
    guide.keep(answer, f"/t/{session.code}", explained)
    return answer


@router.get("/record")
async def record(session: At) -> Response:
    await session.reveal_in_time()
    name = f"{session.game.id}-{session.code}.parlour"
    return PlainTextResponse(session.record(), headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/code.svg")
async def code(request: Request, session: At) -> Response:
    try:
        made = segno.make(link_to(request, session), error="m")
    except segno.DataOverflowError:
        raise ParlourError("The address of this server is too long for a picture.") from None
    picture = made.svg_inline(scale=4, dark="#2b2620", light="#fdfaf2")
    if "xmlns" not in picture:
        picture = picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return svg(picture)


@router.get("/still.svg")
async def still(request: Request, session: At, tables: AllTables) -> Response:
    """Return a small picture of a table: what everybody sees there or, if nobody may watch, what stands for its
    game."""
    try:
        watched = await tables.session(session.id, "")
    except Private:
        drawn = decks.cover(session.game.id)
    else:
        drawn = picture.still(Reader.informed(watched, request).scene())
    answer = svg(drawn, packed=assets.takes_packed(request))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.get("/verify", response_class=HTMLResponse)
async def verify(request: Request, session: At) -> HTMLResponse:
    await session.reveal_in_time()
    text = session.record()
    if session.is_practice:
        said = [_("This was practice: moves could be taken back freely, so there is nothing to check.")]
        return page("verify.html", request, said=said, fair=False, code=session.code, what=session.game.definition)
    try:
        verdict = await RECORDS.do(check, text)
        lines = verdict.in_words(text, [one.name for one in session.players])
        said, fair = [translated(line) for line in lines], verdict.is_fair and verdict.is_whole
    except ParlourError as mistake:
        said, fair = [translated(str(mistake))], False
    return page("verify.html", request, said=said, fair=fair, code=session.code, what=session.game.definition)


@router.websocket("/live")
async def live_page(ws: WebSocket, table: str, tables: AllTables) -> None:
    """Send the page its changes as they happen, and take its commands and forms."""
    if not is_same_origin(ws):
        await ws.close(ANOTHERS_PAGE, "This page isn't from this server.")
        return
    await ws.accept()
    try:
        session = await tables.session(table, key_of(ws))
    except ParlourError as wrong:
        await close_for(ws, wrong)
        return
    reader = Reader(session, ws, ws.query_params.get("at", ""), ws.query_params.get("chain", ""))
    readers_of(ws).add(reader)

    def shown(packet: wire.Packet | wire.Telling) -> str | None:
        if packet == HERE:
            return "{}"
        change = reader.hear(packet if isinstance(packet, wire.Telling) else wire.decode(packet))
        return None if change is None else msgspec.json.encode(change).decode()

    def meant(text: str | bytes) -> wire.AnyCommand:
        """Return the command that a message stands for; the message may be a form, as a browser would post it."""
        said = text if isinstance(text, str) else text.decode(errors="replace")
        return wire.command(text) if said.startswith("{") else forms.command(dict(parse_qsl(said)))

    wishes = {wish: ws.query_params.get(wish) == "1" for wish in ("holds", "steps")}
    connection = session.connect(mixes=ws.query_params.get("mix") == "1", items=True, page=True, **wishes)
    await attend(ws, session, connection, shown, meant)


__all__ = ["reload_in", "router"]
