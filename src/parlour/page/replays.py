"""Replay of a finished game, step by step, and play from any of its steps."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import UploadFile

from parlour.engine.steps import Told
from parlour.engine.telling import observe
from parlour.errors import ParlourError
from parlour.game import Game, State
from parlour.naming import isolated
from parlour.notes import Seated, seatings
from parlour.notes import in_words as in_words_of
from parlour.page import decks
from parlour.page.looks import look_of
from parlour.page.pages import form_of, name_of, page, sorry, take_seat
from parlour.page.rendering import context_of, regions
from parlour.page.scene import Scene, in_words
from parlour.records import Header, replay
from parlour.room import wire
from parlour.room.api import AllTables, At
from parlour.room.errors import TooEarly
from parlour.room.heavy import RECORDS
from parlour.room.limits import refuse_endless
from parlour.room.new_table import wanted_table
from parlour.room.table import score_sheet
from parlour.transcript import notes_in_history, retrace
from parlour.vocabulary import CHANCE, DEAL_OVER, EVERYBODY

LARGEST: Final = 512 * 1024
"""Bytes of a record."""
KEPT: Final = 50
"""The number of records kept; the one not looked at for longest goes first."""
BEFORE: Final = 0.5
"""A deal's end is looked at within the step that leads to the next: it is a stop this far before that step's number."""
SPECTATOR: Final = "all"
EVERY_CARD: Final = "every"
_SEATED: Final = re.compile(r"sat:\s*(\d{1,2}) (guest|bot) (.+)")
_TOLD: Final = re.compile(r"told:\s*(.*) \(([^()]+)\)")


class NoRecord(ParlourError):
    """The record is not here, or no longer here."""


@dataclass(frozen=True, slots=True)
class Held:
    """What one player has that not everybody sees: labels, each with its cards, or with words if there are none."""

    seat: int
    things: list[tuple[str, list[str], str]]


class Replay:
    """A record, read: the game at its end with all its steps, or, of a redacted record, only what it tells."""

    def __init__(self, text: str) -> None:
        self.text = text
        header = Header(text)
        self.redacted_for = header.redacted_for
        self.game: Game = header.game()
        self.account: list[str] = []
        self.state: State | None = None
        refuse_endless(text)
        if self.redacted_for is not None:
            self.account = [line for _, line in header.rest]
        else:
            self.state = replay(text)
            self.state.leave_chance()
        self._stops: dict[str, list[float]] = {}

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
        if not word.isdecimal() or int(word[:3]) >= self.game.players:
            raise ParlourError(f"There is no seat {word[:20]!r}; seats run from 0 to {self.game.players - 1}.")
        return int(word)

    @cached_property
    def ends(self) -> dict[float, int]:
        """The stops at which a deal is over and the next has not begun, with the deal's number from 0."""
        deals = self.played.deals
        last = len(deals) - self.played.is_terminal
        return {deal.steps - BEFORE: k for k, deal in enumerate(deals[:last])}

    def at(self, stop: float) -> State:
        """The game as it was at a stop."""
        if stop not in self.ends:
            return self.played.at(int(stop))
        return self.played.settled(self.ends[stop])

    def stops(self, word: str) -> list[float]:
        """Return the steps at which a reader sees something new: where somebody chooses, or a deal has ended."""
        if word not in self._stops:
            self._stops[word] = self._find_stops(word)
        return self._stops[word]

    def _find_stops(self, word: str) -> list[float]:
        readers = range(-1, self.game.players) if word == EVERY_CARD else (self.seat(word),)
        found: list[float] = []
        seen: object = None
        deals = events = heard = 0
        for number, so_far in self._moments():
            for event in so_far.heard(events):
                heard += word == EVERY_CARD or event[2] in (EVERYBODY, *readers)
            events = so_far.event_count
            if so_far.current_player == CHANCE and len(so_far.deals) == deals and number < self.steps:
                continue
            deals = len(so_far.deals)
            now = heard, [so_far.view(reader).items for reader in readers]
            if now != seen or number == self.steps:
                seen = now
                found.append(number)
        return sorted({*found, *self.ends})

    def _moments(self) -> Iterator[tuple[int, State]]:
        """The numbers of steps done, and the game after them."""
        yield 0, self.played.at(0)
        for number, (_, so_far) in enumerate(retrace(self.played, self.played.history), 1):
            yield number, so_far

    def deals(self, word: str) -> list[tuple[int, float]]:
        """The deals of a match: number, and the step at which it is seen first; none if there is only one."""
        stops = self.stops(word)
        begun = [0, *(deal.steps for deal in self.played.deals)]
        places = [(k, bisect_right(stops, start)) for k, start in enumerate(begun, 1)]
        shown = [(k, stops[at] if k > 1 else stops[0]) for k, at in places if at < len(stops)]
        return shown if len(shown) > 1 else []

    def telling(self, state: State, seat: int) -> wire.Telling:
        """Return what a player or spectator knew at this point of the game."""
        told = state.events(seat)
        return wire.Telling(
            version=len(state.history), match=1, seat=seat,
            players=[wire.Player(name, "", True, False) for name in state.player_names],
            view=None, items=list(state.view(seat).items), heard=len(told), new=_sentences(told),
            asked=[] if state.hushed else list(state.acting), hushed=state.hushed, choices=[], over=state.is_terminal,
            returns=state.returns() if state.is_terminal else [], again=[], held=list(self._held(state)),
            sheet=score_sheet(state),
        )  # fmt: skip

    def _held(self, state: State) -> tuple[float, ...]:
        """What the deal brought that is over at this moment, if it is."""
        return state.deals[-1].returns if state.current_player == DEAL_OVER else ()

    def since(self, stop: float, state: State, seat: int | None) -> list[Told]:
        """What was told between a stop (-1: the beginning) and a later moment."""
        known = len(self.at(stop).events(seat)) if stop >= 0 else 0
        return state.events(seat)[known:]

    def held(self, state: State) -> list[Held]:
        """What each player has that not everybody sees."""
        labels = self.game.definition.words.get("things", {})
        known = decks.cards(self.game.id)
        open_to_all = len(state.view(EVERYBODY).items)
        found = []
        for seat in range(self.game.players):
            own = observe(self.game, state.view(seat).items[open_to_all:], {})
            things = []
            for name, value in own.items():
                told = value if self.game.definition.things[name].per > 1 else [value]
                for one in told:
                    words = [str(word) for word in one] if isinstance(one, list) else [str(one)]
                    if one is not None:
                        cards = words if known.issuperset(words) else []
                        things.append((str(labels.get(name, name)), cards, "" if cards else ", ".join(words) or "none"))
            found.append(Held(seat, things))
        return found

    def cut(self, step: int) -> str:
        """Return the record as it stood after ``step`` steps; what chance brings then is open."""
        state = self.played.at(step)
        if state.is_terminal:
            raise ParlourError("The game is over at this step. Go back to an earlier one to play on.")
        return state.record()

    @property
    def told(self) -> list[tuple[str, str]]:
        """The lines of a redacted record, each with its clause."""
        names = dict(Header(self.text).named("seat"))
        shown = []
        for line in self.account:
            if found := _TOLD.fullmatch(line):
                clause = found[2] if found[2] in self.game.definition.book.clauses else ""
                shown.append((in_words(self.game.id, found[1]), clause))
            elif seated := _SEATED.fullmatch(line):
                shown.append((in_words_of(Seated(0, int(seated[1]), seated[2] == "guest", isolated(seated[3]))), ""))
            else:
                who, _, what = line.partition(":")
                shown.append((f"{isolated(names[who][1])}:{what}" if who in names else line, ""))
        return shown


def _sentences(told: Sequence[Told]) -> list[wire.Sentence]:
    return [wire.Sentence(one.text, one.clause, one.event, one.who, one.a, one.b) for one in told]


@lru_cache(maxsize=6)
def read(text: str) -> Replay:
    """Read a record.  Raise ``ParlourError``, naming the line, if one is wrong."""
    return Replay(text)


class Records:
    """The records uploaded or asked for last, by fingerprint; in memory only."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, str] = OrderedDict()

    def put(self, text: str) -> str:
        """Keep a record and return its fingerprint."""
        name = hashlib.sha256(text.encode()).hexdigest()[:32]
        self._kept[name] = text
        self._kept.move_to_end(name)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return name

    def get(self, name: str) -> str:
        """Return the record with this fingerprint.  Raise :class:`NoRecord` if it is not here."""
        if name not in self._kept:
            raise NoRecord("This record is no longer kept here. Upload it again, or open it from its table.")
        self._kept.move_to_end(name)
        return self._kept[name]


router = APIRouter(include_in_schema=False)


def records_of(request: Request) -> Records:
    """The records that this server keeps."""
    records: Records = request.app.state.records
    return records


Kept = Annotated[Records, Depends(records_of)]


@router.get("/t/{table}/replay")
async def replay_table(request: Request, session: At, records: Kept) -> Response:
    try:
        name = records.put(session.last_record())
    except TooEarly as wrong:
        return sorry(request, str(wrong), 409, f"/t/{session.code}")
    return RedirectResponse(f"/replay/{name}?seat={session.seat if session.seat >= 0 else SPECTATOR}", 303)


@router.post("/replay")
async def bring(request: Request, records: Kept) -> Response:
    async with request.form(max_files=1, max_fields=10) as form:
        brought = form.get("record")
        if not isinstance(brought, UploadFile):
            return sorry(request, "Choose a file first: a record saved by Parlour.", 422)
        raw = await brought.read(LARGEST + 1)
    if len(raw) > LARGEST:
        return sorry(request, f"That file is too large: a record can have at most {LARGEST // 1024} KB.", 413)
    try:
        text = raw.decode()
        await RECORDS.do(read, text)
    except UnicodeDecodeError:
        return sorry(request, "That file isn't a record: it isn't UTF-8 text.", 422)
    except ParlourError as bad:
        return sorry(request, str(bad), 422)
    return RedirectResponse(f"/replay/{records.put(text)}?seat={SPECTATOR}", 303)


@router.get("/replay/{name}", response_class=HTMLResponse)
async def show_replay(
    request: Request, name: str, records: Kept, step: str = "", seat: str = SPECTATOR
) -> HTMLResponse:
    try:
        there = await RECORDS.do(read, records.get(name))
        if there.state is None:
            return page("account.html", request, replay=there, what=there.game.definition)
        shown = await RECORDS.do(_moment, there, step, seat, look_of(request).four_colours)
    except ParlourError as mistake:
        return sorry(request, str(mistake), 404 if isinstance(mistake, NoRecord) else 422)
    return page("replay.html", request, hash=name, **shown)


@router.post("/replay/{name}/play")
async def play_on(request: Request, name: str, records: Kept, tables: AllTables) -> Response:
    form = await form_of(request)
    try:
        there = await RECORDS.do(read, records.get(name))
        step, seat = ceil(_step(there, form.get("step", ""))), there.seat(form.get("seat", ""))
        record = await RECORDS.do(there.cut, step)
        wanted = wanted_table(name=form.get("name") or name_of(request) or "Guest", record=record)
        return await take_seat(tables, request, wanted, seat)
    except ParlourError as mistake:
        return sorry(request, str(mistake), 404 if isinstance(mistake, NoRecord) else 422, f"/replay/{name}")


def _step(there: Replay, word: str) -> float:
    """The step that an address names."""
    if word.endswith(".5") and word.removesuffix(".5").isdecimal() and len(word) < 9 and float(word) in there.ends:
        return float(word)
    if not word.isdecimal() or len(word) > 9 or int(word) > there.steps:
        raise ParlourError(f"There is no step {word[:20]!r}; this game's steps run from 0 to {there.steps}.")
    return int(word)


def _seated(state: State) -> list[tuple[int, str]]:
    """The holders of seats at a server's table: the step from which they sat there, and a sentence."""
    found = seatings(notes_in_history(state))
    return [(one.at, in_words_of(one._replace(name=isolated(one.name)))) for one in found]


def _moment(there: Replay, step_word: str, word: str, four_colours: bool) -> dict[str, Any]:
    """What the page shows of one step."""
    seat, stops = there.seat(word), there.stops(word)
    step = _step(there, step_word) if step_word else stops[0]
    back, on = bisect_left(stops, step) - 1, bisect_right(stops, step)
    state = there.at(step)
    telling = there.telling(state, seat)
    scene = Scene(there.about, telling, telling.new, "", four_colours, still=True)
    # what was told since the stop before; at the first one, everything
    since = stops[back] if back >= 0 else -1.0
    told = _sentences(there.since(since, state, None if word == EVERY_CARD else seat))
    news = [(scene.sentence(one), one.clause) for one in told]
    under_way = len(state.deals) + (not state.is_terminal and step not in there.ends)
    return {
        **context_of(scene),
        **regions(scene, ("board", "story")),
        "step": step,
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
        "deal": under_way,
        "held": there.held(state) if word == EVERY_CARD else [],
        "hides": not there.game.definition.hides_nothing,
        "seated": _seated(there.played),
        "names": [isolated(name) for name in there.played.player_names],
    }


__all__ = ["Held", "NoRecord", "Records", "Replay", "read", "router"]
