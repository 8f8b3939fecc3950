"""Replay of a finished game, step by step, and play from any of its steps."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from msgspec import structs
from starlette.datastructures import UploadFile

from parlour.base.errors import BadRecord, ParlourError
from parlour.base.languages import gettext as _
from parlour.base.naming import MOST_CHARACTERS, isolated
from parlour.core.game import Game, State
from parlour.core.notes import Seated, seatings
from parlour.core.records import Header
from parlour.core.records import replay as replayed
from parlour.core.transcript import PRACTICE, notes_in_history, retrace
from parlour.engine.steps import Event, Told
from parlour.engine.telling import Item, observe
from parlour.players.kinds import strongest
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, EVERYBODY
from parlour.server.bots.reviews import Review
from parlour.server.common import wire
from parlour.server.common.errors import TooEarly
from parlour.server.common.executors import RECORDS
from parlour.server.common.limits import BoundedCache, refuse_endless
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.page import decks
from parlour.server.page.appearance import look_of
from parlour.server.page.forms import form_of
from parlour.server.page.page_session import board_of
from parlour.server.page.pages import name_of, page, sorry, svg, take_seat
from parlour.server.page.picture import CardRow, drawn, png
from parlour.server.page.rendering import context_of, regions
from parlour.server.page.reviewing import NEWS, fragment
from parlour.server.page.scene import Scene, extra_deal, in_words
from parlour.server.table.moments import Between
from parlour.server.table.score import score_sheet, told_earlier
from parlour.server.table.seats import is_nobody
from parlour.server.web.api import AllTables, At
from parlour.server.web.new_table import wanted_table

LARGEST: Final = 512 * 1024
"""Bytes of a record."""
ROOM: Final = 4 << 20
"""The bytes of the records kept; the one not looked at for longest goes first."""
KEPT: Final = 50
"""Of how many matches at tables it is known which record is theirs."""
PICTURES: Final = 8
"""Pictures that may wait to be made; one more is refused."""
LOOK: Final = "0.3s"
"""How long the strongest player thinks about each choice of a match that is over."""
SPECTATOR: Final = "all"
EVERY_CARD: Final = "every"
_STOP: Final = re.compile(r"(\d{1,9})(?:\.([1-9]\d{0,5}))?")
_SEATED: Final = re.compile(r"sat:\s*(\d{1,2}) (guest|bot) (.+)")
_TOLD: Final = re.compile(r"told:(.*) \(([^()]+)\)")


class NoRecord(ParlourError):
    """The record is not here, or no longer here."""


class ReplayMoment(NamedTuple):
    """A moment of a game: the number of steps done, and of the events since then.

    >>> str(ReplayMoment(12)), str(ReplayMoment(12, 3))
    ('12', '12.3')
    """

    step: int
    events: int = 0

    def __str__(self) -> str:
        return f"{self.step}.{self.events}" if self.events else str(self.step)


class Leg(NamedTuple):
    """The way from one moment at which the game rests to the next: ``first`` is the number of its first event, and
    ``watched`` knows the positions before each."""

    before: State
    after: State
    watched: State
    first: int


@dataclass(frozen=True, slots=True)
class Holding:
    """What one player has that not everybody sees: labels, each with its cards, or with words if there are none."""

    seat: int
    things: list[tuple[str, list[str], str]]


class Replay:
    """A record, read: the game at its end with all its steps, or, of a redacted record, only what it tells."""

    def __init__(self, text: str) -> None:
        header = Header(text)
        self.is_practice = PRACTICE in text.splitlines()
        self._names = header.named("seat")
        self.redacted_for = header.redacted_for
        self.game: Game = header.game()
        self.account: list[str] = []
        self.state: State | None = None
        refuse_endless(text)
        for seat, (line, name) in header.named("seat").items():  # names stand in all that is told
            if len(name) > MOST_CHARACTERS:
                raise BadRecord(
                    line, "The name of seat {seat} has {n} characters; {most} are allowed.",
                    seat=seat, n=len(name), most=MOST_CHARACTERS,
                )  # fmt: skip
        if self.redacted_for is not None:
            self.account = [line for _, line in header.rest]
        else:
            self.state = replayed(text)
            self.state.leave_chance()
        self._stops: dict[str, list[ReplayMoment]] = {}

    @property
    def played(self) -> State:
        """The game at the end of the record.  Raise ``ParlourError`` if the record does not hold it."""
        if self.state is None:
            raise ParlourError("This record holds only what one player did and saw, so it can't be replayed.")
        return self.state

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.played.history)

    @cached_property
    def about(self) -> wire.About:
        """The game and its house rules, for the templates of a table; it is at no table."""
        return wire.About(
            table="", code="", game=self.game.id, players=self.game.players, options=self.game.options, reveal=True,
            pace=0.0, beat=0.0, patience=0.0,
        )  # fmt: skip

    def seat(self, word: str) -> int:
        """The seat that an address names; those who see all cards sit where the spectators do."""
        if word in (SPECTATOR, EVERY_CARD):
            return EVERYBODY
        if word not in map(str, range(self.game.players)):  # one word for each seat: what is found for it is kept
            raise ParlourError(
                "There is no seat {word!r}; seats run from 0 to {last}.",
                word=word[:20],
                last=self.game.players - 1,
            )
        return int(word)

    @cached_property
    def ends(self) -> dict[ReplayMoment, int]:
        """The stops at which a deal is over and the next has not begun, with the deal's number from 0."""
        return {stop: len(state.deals) - 1 for stop, state in self._rests() if stop.events}

    def at(self, stop: ReplayMoment) -> State:
        """The game at a stop at which it rests: somebody chooses, or a deal or all is over."""
        return self.played.settled(self.ends[stop]) if stop in self.ends else self.played.at(stop.step)

    def stops(self, word: str) -> list[ReplayMoment]:
        """Return the stops at which a reader sees something new: after each event that they are told of, where somebody
        chooses, and where a deal has ended."""
        if word not in self._stops:
            self._stops[word] = self._find_stops(word)
        return self._stops[word]

    def readers(self, word: str) -> tuple[int, ...]:
        """The seats whose view is shown."""
        return tuple(range(-1, self.game.players)) if word == EVERY_CARD else (self.seat(word),)

    def _find_stops(self, word: str) -> list[ReplayMoment]:
        readers = self.readers(word)
        found: list[ReplayMoment] = []
        seen: object = None
        rested: int | None = None
        chosen = 0
        for stop, state in self._rests():
            now = [state.view(reader).items for reader in readers]
            if rested is None:
                found.append(stop)
            else:
                heard = self._heard(word, rested, len(state.ledger.events))
                found += [ReplayMoment(chosen, n + 1 - self._counts[chosen]) for n in heard[:-1]]
                if heard or now != seen or stop in self.ends or stop.step == self.steps:
                    found.append(stop)
            seen, rested, chosen = now, len(state.ledger.events), stop.step
        return found

    def _rests(self) -> Iterator[tuple[ReplayMoment, State]]:
        """The moments at which somebody chooses, a deal has ended, or all is over, in order.  Events between two of
        them are counted from the last at which somebody chose."""
        chosen = deals = 0
        for number, so_far in self._moments():
            for deal in range(deals, len(so_far.deals) - so_far.is_terminal):
                yield ReplayMoment(chosen, so_far.deals[deal].events - self._counts[chosen]), so_far.settled(deal)
            deals = len(so_far.deals)
            if so_far.current_player != CHANCE or number == self.steps:
                chosen = number
                yield ReplayMoment(number), so_far

    def _moments(self) -> Iterator[tuple[int, State]]:
        """The numbers of steps done, and the game after them."""
        yield 0, self.played.at(0)
        for number, (_step, so_far) in enumerate(retrace(self.played, self.played.history), 1):
            yield number, so_far

    @cached_property
    def _events(self) -> list[tuple[Event, Told]]:
        """All events, as the rules noted them and as they are told."""
        return list(zip(self.played.ledger.told(None), self.played.events(None), strict=True))

    @cached_property
    def _counts(self) -> list[int]:
        """How many events there were after each number of steps."""
        return [len(so_far.ledger.events) for _, so_far in self._moments()]

    def _heard(self, word: str, first: int, end: int) -> list[int]:
        """The numbers of those events among these that a reader is told of."""
        audience = (EVERYBODY, *self.readers(word))
        return [n for n in range(first, end) if word == EVERY_CARD or self._events[n][0][2] in audience]

    def events_at(self, stop: ReplayMoment) -> int:
        """How many events there have been at a stop."""
        return self._counts[stop.step] + stop.events

    def deals(self, word: str) -> list[tuple[int, ReplayMoment]]:
        """The deals of a match: number, and the stop at which somebody chooses first; none if there is only one."""
        stops = self.stops(word)
        begun = [0, *(self.played.deals[deal].steps for deal in self.ends.values())]
        places = [(k, bisect_left(stops, ReplayMoment(start))) for k, start in enumerate(begun, 1)]
        shown = [(k, stops[at] if k > 1 else stops[0]) for k, at in places if at < len(stops)]
        return shown if len(shown) > 1 else []

    @cached_property
    def extra(self) -> str:
        """What the last deal is called if it is not one of the deals; see
        :func:`parlour.server.page.scene.extra_deal`."""
        return extra_deal(self.game.definition, (told.event for _, told in self._events))

    # ------------------------------------------------------------------ between two rests

    def leg(self, stop: ReplayMoment) -> Leg:
        """The way on which a stop lies that is between two rests."""
        state, until = self.played.at(stop.step), self.events_at(stop)
        before, first = state.clone(), len(state.ledger.events)
        state.ledger.kept.watch()
        for step in self.played.history[stop.step :]:
            known = len(state.deals)
            state.apply(step.action, None if step.player == CHANCE else step.player)
            for deal in range(known, len(state.deals) - state.is_terminal):
                if (events := state.deals[deal].events) > until:
                    return Leg(before, state.settled(deal), state, first)
                before, first = state.settled(deal), events
            if state.current_player != CHANCE:
                break
        return Leg(before, state, state, first)

    def seen_between(self, leg: Leg, stop: ReplayMoment, reader: int) -> list[Item]:
        """What a seat sees there, as at a table that shows one event after another."""
        mine = self._heard(word_of(reader), leg.first, len(leg.after.ledger.events))
        items, until = list(leg.before.view(reader).items), self.events_at(stop)
        known = Between(self.game, items, leg.after.view(reader).items)
        for n, following in pairwise(mine):
            if n < until:
                event = self._events[n][0]
                known.hear(event)
                items = known.tell(leg.watched.ledger.kept.before(self.played.game, following, reader), event)
        return items

    # ------------------------------------------------------------------ what is told

    def told(self, word: str, first: int, end: int) -> list[Told]:
        """What a reader was told of these events."""
        return [self._events[n][1] for n in self._heard(word, first, end)]

    def telling(self, state: State, seat: int) -> wire.Telling:
        """Return what a player or spectator knew at this point of the game."""
        told = state.events(seat)
        return wire.Telling(
            version=len(state.history), match=1, seat=seat,
            players=[wire.SeatHolder(name, "", True, False) for name in state.player_names],
            view=None, items=list(state.view(seat).items), heard=len(told), new=_sentences(told),
            asked=[] if state.hushed else list(state.acting), hushed=state.hushed, choices=[], over=state.is_terminal,
            returns=state.returns() if state.is_terminal else [], again=[], held=list(self._held(state)),
            sheet=score_sheet(state), since=told_earlier(state, seat),
        )  # fmt: skip

    def _held(self, state: State) -> tuple[float, ...]:
        """What the deal brought that is over at this moment, if it is."""
        return state.deals[-1].returns if state.current_player == DEAL_OVER else ()

    def telling_between(self, before: State, stop: ReplayMoment, items: Sequence[Item], seat: int) -> wire.Telling:
        """The same in the middle of what happens by itself after ``before``, when nobody is asked."""
        told = self.told(word_of(seat), 0, self.events_at(stop))
        return structs.replace(
            self.telling(before, seat), items=list(items), heard=len(told), new=_sentences(told), asked=[],
            hushed=False, held=[],
        )  # fmt: skip

    def held(self, views: Sequence[Sequence[Item]], open_to_all: int) -> list[Holding]:
        """What each player has that not everybody sees: beyond the first ``open_to_all`` items of each view."""
        labels = self.game.definition.worded.get("things", {})
        known = decks.cards(self.game.id)
        found = []
        for seat, items in enumerate(views):
            own = observe(self.game, items[open_to_all:], {})
            things = []
            for name, value in own.items():
                told = value if self.game.definition.things[name].per > 1 else [value]
                for one in told:
                    words = [str(word) for word in one] if isinstance(one, list) else [str(one)]
                    if one is not None:
                        cards = words if known.issuperset(words) else []
                        said = "" if cards else ", ".join(words) or _("none")
                        things.append((str(labels.get(name, name)), cards, said))
            found.append(Holding(seat, things))
        return found

    def cut(self, step: int) -> str:
        """Return the record as it stood after ``step`` steps; what chance brings then is open."""
        state = self.played.at(step)
        if state.is_terminal:
            raise ParlourError("The game is over at this step. Go back to an earlier one to continue playing.")
        return state.record()

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The lines of a redacted record, each with its clause."""
        names, holders = self._names, dict[int, str]()
        shown = []
        for line in self.account:
            if found := _TOLD.fullmatch(line):
                clause = found[2] if found[2] in self.game.definition.book.clauses else ""
                shown.append((in_words(self.game.id, found[1].strip()), clause))
            elif seated := _SEATED.fullmatch(line):
                who_sits = Seated(0, int(seated[1]), seated[2] == "guest", seated[3])
                shown.append((_takes_seat(holders, who_sits), ""))
            else:
                who, _, what = line.partition(":")
                shown.append((f"{isolated(names[who][1])}:{what}" if who in names else line, ""))
        return shown


def word_of(seat: int) -> str:
    """How addresses name the point of view of a seat."""
    return str(seat) if seat >= 0 else SPECTATOR


def _sentences(told: Sequence[Told]) -> list[wire.Sentence]:
    return [wire.Sentence(one.text, one.clause, one.event, one.who, one.a, one.b) for one in told]


def read(text: str) -> Replay:
    """Read a record.  Raise ``ParlourError``, naming the line, if one is wrong."""
    mark = hashlib.sha256(text.encode()).digest()
    found = _read.get(mark)
    if found is None:
        found = Replay(text)
        _read.keep(mark, found, 1)
    return found


_read: Final = BoundedCache[bytes, Replay](6)
"""The records read last, without their texts."""


class Records:
    """The records uploaded or asked for last, by fingerprint; in memory only.  A table's come from its log."""

    def __init__(self) -> None:
        self._kept, self._of_tables = BoundedCache[str, bytes](ROOM), BoundedCache[tuple[str, int, str], str](KEPT)

    def put(self, text: str) -> str:
        """Keep a record and return its fingerprint."""
        raw = text.encode()
        name = hashlib.sha256(raw).hexdigest()[:32]
        self._kept.keep(name, raw, len(raw))
        return name

    async def of(self, session: Session, match: int) -> str:
        """Return the record of a match that is over at a table, as far as a guest may have it.  Raise ``ParlourError``
        if there is none."""
        whose = "" if is_nobody(session.key) else session.key  # others may have sat there then
        at = session.id, match, f"{whose} {session.revision}"
        kept = self._kept.get(self._of_tables.get(at) or "")
        if kept is not None:
            return kept.decode()
        text = await session.record_of(match)
        self._of_tables.keep(at, self.put(text), 1)
        return text

    def get(self, name: str) -> str:
        """Return the record with this fingerprint.  Raise :class:`NoRecord` if it is not here."""
        raw = self._kept.get(name)
        if raw is None:
            raise NoRecord("This record is no longer kept here. Upload it again, or open it from its table.")
        return raw.decode()


Drawn: TypeAlias = Literal["png", "svg"]
"""What a moment is drawn as."""
router = APIRouter(include_in_schema=False)


def records_of(request: Request) -> Records:
    """The records that this server keeps."""
    records: Records = request.app.state.records
    return records


Kept = Annotated[Records, Depends(records_of)]


@router.get("/t/{table}/replay")
async def replay_table(session: At, step: str = "") -> Response:
    """The way to the last match of a table."""
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
        return sorry(request, str(mistake), 409 if isinstance(mistake, TooEarly) else 404, f"/t/{session.code}")
    try:
        review = await _review(session, match, text)
    except ParlourError:  # the page says what is wrong with the record
        review = ""
    return await _shown(request, text, _place(session, match), step, seat, review=review)


async def _review(session: Session, match: int, text: str, again: bool = False) -> str:
    """What the strongest bot thinks of the reader's own choices in a match, as HTML; empty if they made none."""
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
    """The same by itself, when there is news of it or a while has passed."""
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
        return sorry(request, str(mistake), 404, f"/t/{session.code}")
    return await _played_on(request, tables, text, _place(session, match))


def _place(session: Session, match: int) -> str:
    """The address of a match's replay, which stays as long as its table is kept."""
    return f"/t/{session.code}/replay/{match}"


@router.post("/replay")
async def bring(request: Request, records: Kept) -> Response:
    if not request.headers.get("content-type", "").startswith(
        "multipart/form-data"
    ):  # a form without a file is not read
        return sorry(request, _("Choose a file first: a record saved by Parlour."), 422)
    async with request.form(max_files=1, max_fields=10) as form:
        brought = form.get("record")
        if not isinstance(brought, UploadFile):
            return sorry(request, _("Choose a file first: a record saved by Parlour."), 422)
        raw = await brought.read(LARGEST + 1)
    if len(raw) > LARGEST:
        too_large = _("That file is too large: a record can have at most {most} KB.", most=LARGEST // 1024)
        return sorry(request, too_large, 413)
    try:
        text = raw.decode()
        await RECORDS.do(read, text)
    except UnicodeDecodeError:
        return sorry(request, _("That file isn't a record: it isn't UTF-8 text."), 422)
    except ParlourError as bad:
        return sorry(request, str(bad), 422)
    return RedirectResponse(f"/replay/{records.put(text)}?seat={SPECTATOR}", 303)


@router.get("/replay/{name}", response_class=HTMLResponse)
async def show_replay(
    request: Request, name: str, records: Kept, step: str = "", seat: str = SPECTATOR
) -> HTMLResponse:
    try:
        text = records.get(name)
    except NoRecord as gone:
        return sorry(request, str(gone), 404)
    return await _shown(request, text, f"/replay/{name}", step, seat)


@router.post("/replay/{name}/play")
async def play_on(request: Request, name: str, records: Kept, tables: AllTables) -> Response:
    try:
        text = records.get(name)
    except NoRecord as gone:
        return sorry(request, str(gone), 404)
    return await _played_on(request, tables, text, f"/replay/{name}")


@router.get("/t/{table}/replay/{match}/picture.{kind}")
async def picture_of_match(
    session: At, tables: AllTables, records: Kept, match: int, kind: Drawn, step: str = "", seat: str = SPECTATOR
) -> Response:
    """A moment of a match as a picture, for links that are shared."""
    return await _pictured(tables, await records.of(session, match), kind, step, seat)


@router.get("/replay/{name}/picture.{kind}")
async def picture(
    tables: AllTables, records: Kept, name: str, kind: Drawn, step: str = "", seat: str = SPECTATOR
) -> Response:
    """The same of a record that was uploaded."""
    return await _pictured(tables, records.get(name), kind, step, seat)


async def _pictured(tables: Tables, text: str, kind: str, step: str, seat: str) -> Response:
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
    """A moment as a picture; without a step, the end."""
    seat, stops = there.seat(word), there.stops(word)
    stop = _stop(there, step) if step else stops[-1]
    scene, views = _scene(there, stop, word, seat, False)
    before = bisect_left(stops, stop) - 1
    since = there.events_at(stops[before]) if before >= 0 else 0
    anybody = _for_anybody(scene)
    news = [anybody.sentence(one) for one in _sentences(there.told(word, since, there.events_at(stop)))]
    if scene.telling.over:
        news = [f"{anybody.verdict}.", *news]
    held = there.held(views[1:], len(views[0])) if word == EVERY_CARD else []
    more = [
        CardRow(f"{scene.called[one.seat]}: {label}", cards) for one in held for label, cards, _ in one.things if cards
    ]
    return drawn(scene, _heading(there, stop), news, more)


def _for_anybody(scene: Scene) -> Scene:
    """A scene whose sentences call everybody by name: whoever sees them need not be one of the players."""
    return replace(scene, telling=structs.replace(scene.telling, seat=EVERYBODY))


def _heading(there: Replay, stop: ReplayMoment) -> str:
    """Which moment it is, in a few words."""
    return _("Step {n} of {steps}", n=stop.step, steps=there.steps)


async def _shown(request: Request, text: str, here: str, step: str, seat: str, review: str = "") -> HTMLResponse:
    """One step of a record, at the address ``here``.  ``review``: what is thought of the reader's choices."""
    try:
        there = await RECORDS.do(read, text)
        if there.state is None:
            return page("account.html", request, replay=there, what=there.game.definition)
        shown = await RECORDS.do(_moment, there, step, seat, look_of(request).four_colours)
    except ParlourError as mistake:
        return sorry(request, str(mistake), 422)
    return page("replay.html", request, here=here, review=review, **shown)


async def _played_on(request: Request, tables: Tables, text: str, here: str) -> Response:
    """Take the reader to a new table that goes on from a step of a record."""
    form = await form_of(request)
    try:
        there = await RECORDS.do(read, text)
        stop, seat = await RECORDS.do(_stop, there, form.get("step", "")), there.seat(form.get("seat", ""))
        step = there.played.deals[there.ends[stop]].steps if stop in there.ends else stop.step
        record = await RECORDS.do(there.cut, step)
        wanted = wanted_table(name=form.get("name") or name_of(request) or _("Guest"), record=record)
        return await take_seat(tables, request, wanted, seat)
    except ParlourError as mistake:
        return sorry(request, str(mistake), 422, here)


def _stop(there: Replay, word: str) -> ReplayMoment:
    """The stop that an address names."""
    found = _STOP.fullmatch(word)
    stop = ReplayMoment(int(found[1]), int(found[2] or 0)) if found else None
    if stop is None or stop.step > there.steps or (stop.events and stop not in there.stops(EVERY_CARD)):
        raise ParlourError(
            "There is no step {word!r}; this game's steps run from 0 to {steps}.", word=word[:20], steps=there.steps
        )
    return stop


def _seated(state: State) -> list[tuple[int, str]]:
    """The players at a server's table: the step from which they played, and a sentence."""
    holders = dict[int, str]()
    return [(one.at, _takes_seat(holders, one)) for one in seatings(notes_in_history(state))]


def _takes_seat(holders: dict[int, str], one: Seated) -> str:
    """Say who plays from now on, and for whom; ``holders``: who has had the seats so far."""
    before, name = holders.get(one.seat), isolated(one.name)
    holders[one.seat] = name
    if before is None:
        return _("{name} plays.", name=name) if one.guest else _("The bot {name} plays.", name=name)
    if one.guest:
        return _("{name} takes over from {other}.", name=name, other=before)
    return _("The bot {name} takes over from {other}.", name=name, other=before)


def _moment(there: Replay, step_word: str, word: str, four_colours: bool) -> dict[str, Any]:
    """What the page shows of one step."""
    seat, stops = there.seat(word), there.stops(word)
    stop = _stop(there, step_word) if step_word else stops[0]
    back, on = bisect_left(stops, stop) - 1, bisect_right(stops, stop)
    scene, views = _scene(there, stop, word, seat, four_colours)
    # what was told since the stop before; at the first one, everything
    since = there.events_at(stops[back]) if back >= 0 else 0
    told = _sentences(there.told(word, since, there.events_at(stop)))
    news = [(scene.sentence(one), one.clause) for one in told]
    return {
        **context_of(scene),
        **regions(scene, ("board", "story")),
        "step": stop,
        "asked_for": bool(step_word),
        "shared": " ".join(map(_for_anybody(scene).sentence, told)),
        "verdict": _for_anybody(scene).verdict if scene.telling.over else "",
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
    """A moment as a reader sees it, and, for one who sees all cards, what a spectator and every player see."""
    if not stop.events or stop in there.ends:
        state = there.at(stop)
        views = [list(state.view(one).items) for one in there.readers(word)]
        telling = there.telling(state, seat)
        return Scene(there.about, telling, telling.new, "", four_colours, still=True), views
    leg = there.leg(stop)
    views = [there.seen_between(leg, stop, one) for one in there.readers(word)]
    telling = there.telling_between(leg.before, stop, views[0], seat)
    scene = Scene(there.about, telling, telling.new, "", four_colours, still=True)
    if board_of(scene) is None:  # made for moments at which somebody chooses: what lay there before is shown
        scene.telling = structs.replace(telling, items=list(leg.before.view(seat).items))
        scene = Scene(there.about, scene.telling, telling.new, "", four_colours, still=True)
    return scene, views


__all__ = ["Holding", "NoRecord", "Records", "Replay", "ReplayMoment", "read", "router"]
