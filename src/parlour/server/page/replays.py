"""Replay of a finished game, step by step, and play from any of its steps."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from msgspec import structs
from starlette.datastructures import UploadFile

from parlour.base.errors import ParlourError
from parlour.base.languages import gettext as _
from parlour.base.naming import isolated
from parlour.core.game import State
from parlour.core.notes import seatings
from parlour.core.transcript import notes_in_history
from parlour.engine.telling import Item
from parlour.players.kinds import strongest
from parlour.rules.vocabulary import EVERYBODY
from parlour.server.bots.reviews import Review
from parlour.server.common.executors import RECORDS
from parlour.server.common.limits import BoundedCache
from parlour.server.live.for_pages import ForPages, Session
from parlour.server.page.appearance import look_of
from parlour.server.page.forms import form_of
from parlour.server.page.page_session import board_of
from parlour.server.page.pages import name_of, page, sorry, svg, take_seat
from parlour.server.page.picture import CardRow, drawn, png
from parlour.server.page.rendering import context_of, regions
from parlour.server.page.replay import (
    EVERY_CARD,
    SPECTATOR,
    NoRecord,
    Replay,
    ReplayMoment,
    read,
    sentences,
    takes_seat,
    word_of,
)
from parlour.server.page.reviewing import NEWS, fragment
from parlour.server.page.scene import Scene
from parlour.server.table.seats import is_nobody
from parlour.server.web.api import AllTables, At
from parlour.server.web.new_table import wanted_table

LARGEST: Final = 512 * 1024
"""The most bytes of a record."""
ROOM: Final = 4 << 20
"""The most bytes of the records that are kept; the one that has gone unread for longest goes first."""
KEPT: Final = 50
"""The most matches of tables that are remembered, each with the fingerprint of its record."""
PICTURES: Final = 8
"""The most pictures that may be waiting to be made; one more is refused."""
LOOK: Final = "0.3s"
"""How long the strongest player thinks about each choice when it reviews a match."""
_STOP: Final = re.compile(r"(\d{1,9})(?:\.([1-9]\d{0,5}))?")


class Records:
    """The records that were uploaded or asked for last, by fingerprint. They are in memory only; a table's can be made
    again from its log."""

    def __init__(self) -> None:
        self._kept, self._of_tables = BoundedCache[str, bytes](ROOM), BoundedCache[tuple[str, int, str], str](KEPT)

    def put(self, text: str) -> str:
        """Keep a record and return its fingerprint."""
        raw = text.encode()
        name = hashlib.sha256(raw).hexdigest()[:32]
        self._kept.keep(name, raw, len(raw))
        return name

    async def of(self, session: Session, match: int) -> str:
        """Return the record of a match that is over at a table, as far as a guest may have it. Raises ``ParlourError``
        if there is none."""
        whose = "" if is_nobody(session.key) else session.key  # somebody else may have had the seat then
        at = session.id, match, f"{whose} {session.revision}"
        kept = self._kept.get(self._of_tables.get(at) or "")
        if kept is not None:
            return kept.decode()
        text = await session.record_of(match)
        self._of_tables.keep(at, self.put(text), 1)
        return text

    def get(self, name: str) -> str:
        """Return the record with this fingerprint. Raises :class:`NoRecord` if it is not here."""
        raw = self._kept.get(name)
        if raw is None:
            raise NoRecord("This record is no longer kept here. Upload it again, or open it from its table.")
        return raw.decode()


Drawn: TypeAlias = Literal["png", "svg"]
"""The formats in which a moment is drawn."""
router = APIRouter(include_in_schema=False)


async def records_of(request: Request) -> Records:
    """Return the records that this server keeps."""
    records: Records = request.app.state.records
    return records


Kept = Annotated[Records, Depends(records_of)]


@router.get("/t/{table}/replay")
async def replay_table(session: At, step: str = "") -> Response:
    """Take the reader to the last match of a table."""
    return RedirectResponse(
        f"{_place(session, max(1, session.match))}?seat={word_of(session.seat)}&step={quote(step)}", 303
    )


@router.get("/t/{table}/replay/{match}", response_class=HTMLResponse)
async def replay_match(
    request: Request, session: At, records: Kept, match: int, step: str = "", seat: str = SPECTATOR
) -> HTMLResponse:
    try:
        text = await records.of(session, match)
    except ParlourError as mistake:
        return sorry(request, mistake, 404, f"/t/{session.code}")
    try:
        review = await _review(session, match, text)
    except ParlourError:  # the page says what is wrong with the record
        review = ""
    return await _shown(request, text, _place(session, match), step, seat, review=review)


async def _review(session: Session, match: int, text: str, again: bool = False) -> str:
    """Return what the strongest bot thinks of the reader's own choices in a match, as HTML; empty if they made none."""
    there = await RECORDS.do(read, text)
    if there.state is None:
        return ""
    try:
        review = await session.review(match, f"{strongest(session.game)}:{LOOK}", again)
    except ParlourError as full:
        review = Review("", done=True, trouble=str(full))
    if review is None:
        return ""
    names = [isolated(name) for name in there.played.player_names]
    return await RECORDS.do(fragment, review, there.played, review.seat, names, _place(session, match))


@router.get("/t/{table}/replay/{match}/review", response_class=HTMLResponse)
async def review_match(session: At, records: Kept, match: int) -> Response:
    """Return the review alone, once there is news of it or a while has passed."""
    text = await records.of(session, match)
    review = session.reviewed(match)
    if review is not None and not review.done:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(review.news.wait(), NEWS)
    html = await _review(session, match, text)
    return HTMLResponse(html) if html else Response(status_code=204)


@router.post("/t/{table}/replay/{match}/review")
async def review_again(session: At, records: Kept, match: int) -> Response:
    await _review(session, match, await records.of(session, match), again=True)
    return RedirectResponse(f"{_place(session, match)}?seat={word_of(session.seat)}#review", 303)


@router.post("/t/{table}/replay/{match}/play")
async def play_match_on(request: Request, session: At, records: Kept, tables: AllTables, match: int) -> Response:
    try:
        text = await records.of(session, match)
    except ParlourError as mistake:
        return sorry(request, mistake, 404, f"/t/{session.code}")
    return await _played_on(request, tables, text, _place(session, match))


def _place(session: Session, match: int) -> str:
    """Return the address of a match's replay, which stays as long as its table is kept."""
    return f"/t/{session.code}/replay/{match}"


@router.post("/replay")
async def bring(request: Request, records: Kept) -> Response:
    if not request.headers.get("content-type", "").startswith(
        "multipart/form-data"
    ):  # a form without a file is not read
        return sorry(request, _("Choose a file first: a record saved by Parlour."))
    async with request.form(max_files=1, max_fields=10) as form:
        brought = form.get("record")
        if not isinstance(brought, UploadFile):
            return sorry(request, _("Choose a file first: a record saved by Parlour."))
        raw = await brought.read(LARGEST + 1)
    if len(raw) > LARGEST:
        too_large = _("That file is too large: a record can have at most {most} KB.", most=LARGEST // 1024)
        return sorry(request, too_large, 413)
    try:
        text = raw.decode()
        await RECORDS.do(read, text)
    except UnicodeDecodeError:
        return sorry(request, _("That file isn't a record: it isn't UTF-8 text."))
    except ParlourError as bad:
        return sorry(request, bad)
    return RedirectResponse(f"/replay/{records.put(text)}?seat={SPECTATOR}", 303)


@router.get("/replay/{name}", response_class=HTMLResponse)
async def show_replay(
    request: Request, name: str, records: Kept, step: str = "", seat: str = SPECTATOR
) -> HTMLResponse:
    try:
        text = records.get(name)
    except NoRecord as gone:
        return sorry(request, gone, 404)
    return await _shown(request, text, f"/replay/{name}", step, seat)


@router.post("/replay/{name}/play")
async def play_on(request: Request, name: str, records: Kept, tables: AllTables) -> Response:
    try:
        text = records.get(name)
    except NoRecord as gone:
        return sorry(request, gone, 404)
    return await _played_on(request, tables, text, f"/replay/{name}")


@router.get("/t/{table}/replay/{match}/picture.{kind}")
async def picture_of_match(
    session: At, tables: AllTables, records: Kept, match: int, kind: Drawn, step: str = "", seat: str = SPECTATOR
) -> Response:
    """Return a moment of a match as a picture, for links that are shared."""
    return await _pictured(tables, await records.of(session, match), kind, step, seat)


@router.get("/replay/{name}/picture.{kind}")
async def picture(
    tables: AllTables, records: Kept, name: str, kind: Drawn, step: str = "", seat: str = SPECTATOR
) -> Response:
    """Return a picture of a moment in a record that was uploaded."""
    return await _pictured(tables, records.get(name), kind, step, seat)


async def _pictured(tables: ForPages, text: str, kind: str, step: str, seat: str) -> Response:
    there = await RECORDS.do(read, text)
    drawn = await RECORDS.do(_picture, there, step, seat)
    if kind == "svg":
        return svg(drawn)
    if tables.aside.waiting >= PICTURES:
        raise ParlourError("Too many pictures are being made at the moment; try again in a minute.")
    body = await tables.aside.answer(png, drawn)
    if body is None:
        raise ParlourError("This picture can't be made just now.")
    return Response(body, media_type="image/png", headers={"Cache-Control": "private, max-age=86400"})


def _picture(there: Replay, step: str, word: str) -> str:
    """Return a moment as a picture; without a step, the end."""
    seat, stops = there.seat(word), there.stops(word)
    stop = _stop(there, step) if step else stops[-1]
    scene, views = _scene(there, stop, word, seat, False)
    before = bisect_left(stops, stop) - 1
    since = there.events_at(stops[before]) if before >= 0 else 0
    anybody = _for_anybody(scene)
    news = [anybody.sentence(one) for one in sentences(there.told(word, since, there.events_at(stop)))]
    if scene.telling.over:
        news = [f"{anybody.ending.verdict}.", *news]
    held = there.held(views[1:], len(views[0])) if word == EVERY_CARD else []
    more = [
        CardRow(f"{scene.called[one.seat]}: {label}", cards) for one in held for label, cards, _ in one.things if cards
    ]
    return drawn(scene, _heading(there, stop), news, more)


def _for_anybody(scene: Scene) -> Scene:
    """Return a scene whose sentences call everybody by name, since a reader need not be one of the players."""
    return replace(scene, telling=structs.replace(scene.telling, seat=EVERYBODY))


def _heading(there: Replay, stop: ReplayMoment) -> str:
    """Return in a few words which moment it is."""
    return _("Step {n} of {steps}", n=stop.step, steps=there.steps)


async def _shown(request: Request, text: str, here: str, step: str, seat: str, review: str = "") -> HTMLResponse:
    """Show one step of a record, at the address ``here``. ``review``: what is thought of the reader's choices."""
    try:
        there = await RECORDS.do(read, text)
        if there.state is None:
            return page("account.html", request, replay=there, what=there.game.definition)
        shown = await RECORDS.do(_moment, there, step, seat, look_of(request).four_colours)
    except ParlourError as mistake:
        return sorry(request, mistake)
    return page("replay.html", request, here=here, review=review, **shown)


async def _played_on(request: Request, tables: ForPages, text: str, here: str) -> Response:
    """Take the reader to a new table that goes on from a step of a record."""
    form = await form_of(request)
    try:
        there = await RECORDS.do(read, text)
        stop, seat = await RECORDS.do(_stop, there, form.get("step", "")), there.seat(form.get("seat", ""))
        step = there.played.deals[there.ends[stop]].steps if stop in there.ends else stop.step
        record = await RECORDS.do(there.cut, step)
        wanted = wanted_table(name=form.get("name") or name_of(request) or _("Guest"), record=record)
        return await take_seat(request, wanted, seat)
    except ParlourError as mistake:
        return sorry(request, mistake, back=here)


def _stop(there: Replay, word: str) -> ReplayMoment:
    """Return the stop that an address names."""
    found = _STOP.fullmatch(word)
    stop = ReplayMoment(int(found[1]), int(found[2] or 0)) if found else None
    if stop is None or stop.step > there.steps or (stop.events and stop not in there.stops(EVERY_CARD)):
        raise ParlourError(
            "There is no step {word!r}; this game's steps run from 0 to {steps}.", word=word[:20], steps=there.steps
        )
    return stop


def _seated(state: State) -> list[tuple[int, str]]:
    """Return the players at a server's table: the step from which each played, and a sentence."""
    holders = dict[int, str]()
    return [(one.at, takes_seat(holders, one)) for one in seatings(notes_in_history(state))]


def _moment(there: Replay, step_word: str, word: str, four_colours: bool) -> dict[str, Any]:
    """Return what the page shows of one step."""
    seat, stops = there.seat(word), there.stops(word)
    stop = _stop(there, step_word) if step_word else stops[0]
    back, on = bisect_left(stops, stop) - 1, bisect_right(stops, stop)
    scene, views = _scene(there, stop, word, seat, four_colours)
    # what was told since the previous stop; at the first one, everything
    since = there.events_at(stops[back]) if back >= 0 else 0
    told = sentences(there.told(word, since, there.events_at(stop)))
    news = [(scene.sentence(one), one.clause) for one in told]
    return {
        **context_of(scene),
        **regions(scene, ("board", "story")),
        "step": stop,
        "asked_for": bool(step_word),
        "shared": " ".join(map(_for_anybody(scene).sentence, told)),
        "verdict": _for_anybody(scene).ending.verdict if scene.telling.over else "",
        "steps": there.steps,
        "word": word,
        "news": news,
        "cited": list(dict.fromkeys(clause for _, clause in news))[:8],
        "first": stops[0],
        "held_deal": regions(scene, ["held"])["held"],
        "back": stops[back] if back >= 0 else None,
        "on": stops[on] if on < len(stops) else None,
        "last": stops[-1],
        "deals": there.deals(word),
        "deal": 1 + sum(end < stop for end in there.ends),
        "extra": there.extra,
        "held": there.held(views[1:], len(views[0])) if word == EVERY_CARD else [],
        "hides": not there.game.definition.hides_nothing,
        "seated": _seated(there.played),
        "practice": there.is_practice,
        "names": [isolated(name) for name in there.played.player_names],
    }


def _scene(
    there: Replay, stop: ReplayMoment, word: str, seat: int, four_colours: bool
) -> tuple[Scene, list[list[Item]]]:
    """Return a moment as a reader sees it and, for a reader who sees all cards, what a spectator and every player
    see."""
    if not stop.events or stop in there.ends:
        state = there.at(stop)
        views = [list(state.view(one).items) for one in there.readers(word)]
        telling = there.telling(state, seat)
        return Scene(there.about, telling, telling.new, "", four_colours, still=True), views
    leg = there.leg(stop)
    views = [there.seen_between(leg, stop, one) for one in there.readers(word)]
    telling = there.telling_between(leg.before, stop, views[0], seat)
    scene = Scene(there.about, telling, telling.new, "", four_colours, still=True)
    if board_of(scene) is None:  # boards are made for moments at which somebody chooses: show what lay there before
        scene.telling = structs.replace(telling, items=list(leg.before.view(seat).items))
        scene = Scene(there.about, scene.telling, telling.new, "", four_colours, still=True)
    return scene, views


__all__ = ["Records", "router"]
