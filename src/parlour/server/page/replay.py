"""A finished game, read from its record: the moments at which it can be looked at, and what each seat was told."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import structs

from parlour.base.errors import BadRecord, ParlourError
from parlour.base.languages import gettext as _
from parlour.base.naming import MOST_CHARACTERS, isolated
from parlour.core.game import Game, State
from parlour.core.notes import Seated
from parlour.core.records import Header
from parlour.core.records import replay as replayed
from parlour.core.transcript import PRACTICE, retrace
from parlour.engine.steps import Event, Told
from parlour.engine.telling import Item, observe
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, EVERYBODY
from parlour.server.common import wire
from parlour.server.common.limits import BoundedCache, at_tables, refuse_endless
from parlour.server.page import decks
from parlour.server.page.words import extra_deal, in_words
from parlour.server.table.moments import Between
from parlour.server.table.score import score_sheet, told_earlier

SPECTATOR: Final = "all"
EVERY_CARD: Final = "every"
_SEATED: Final = re.compile(r"sat:\s*(\d{1,2}) (guest|bot) (.+)")
_TOLD: Final = re.compile(r"told:(.*) \(([^()]+)\)")


class NoRecord(ParlourError):
    """The record is not kept here, or no longer."""


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
    """The way from one rest (a moment at which somebody chooses, a deal has ended or all is over) to the next.
    ``first`` is the number of its first event, and ``watched`` knows the position before each event."""

    before: State
    after: State
    watched: State
    first: int


@dataclass(frozen=True, slots=True)
class Holding:
    """What one player has that not everybody sees: labels, each with its cards, or with words if it is not about
    cards."""

    seat: int
    things: list[tuple[str, list[str], str]]


class Replay:
    """A record that has been read: the game at its end with all its steps or, of a redacted record, only what it
    tells."""

    def __init__(self, text: str) -> None:
        header = Header(text)
        self.is_practice = PRACTICE in text.splitlines()
        self._names = header.named("seat")
        self.redacted_for = header.redacted_for
        self.game: Game = header.game()
        at_tables(self.game.id)
        self.account: list[str] = []
        self.state: State | None = None
        refuse_endless(text)
        for seat, (line, name) in header.named("seat").items():  # every sentence may contain the names
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
        """The game at the end of the record. Raises ``ParlourError`` if the record does not hold it."""
        if self.state is None:
            raise ParlourError("This record holds only what one player did and saw, so it can't be replayed.")
        return self.state

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.played.history)

    @cached_property
    def about(self) -> wire.About:
        """The game and its house rules, for the templates of a table, although it is at no table."""
        return wire.About(
            table="", code="", game=self.game.id, players=self.game.players, options=self.game.options, reveal=True,
            pace=0.0, beat=0.0, patience=0.0,
        )  # fmt: skip

    def seat(self, word: str) -> int:
        """Return the seat that an address names; a reader who sees all cards sits where the spectators do."""
        if word in (SPECTATOR, EVERY_CARD):
            return EVERYBODY
        if word not in map(str, range(self.game.players)):  # one for each seat: stops are kept by word
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
        """Return the game at a stop at which it rests, because somebody chooses, or a deal or all is over."""
        return self.played.settled(self.ends[stop]) if stop in self.ends else self.played.at(stop.step)

    def stops(self, word: str) -> list[ReplayMoment]:
        """Return the stops at which a reader sees something new: after each event that they are told of, where somebody
        chooses, and where a deal has ended."""
        if word not in self._stops:
            self._stops[word] = self._find_stops(word)
        return self._stops[word]

    def readers(self, word: str) -> tuple[int, ...]:
        """Return the seats whose views are shown."""
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
        """Yield the moments at which somebody chooses, a deal has ended, or all is over, in order. Events between two
        of them are counted from the last moment at which somebody chose."""
        chosen = deals = 0
        for number, so_far in self._moments():
            for deal in range(deals, len(so_far.deals) - so_far.is_terminal):
                yield ReplayMoment(chosen, so_far.deals[deal].events - self._counts[chosen]), so_far.settled(deal)
            deals = len(so_far.deals)
            if so_far.current_player != CHANCE or number == self.steps:
                chosen = number
                yield ReplayMoment(number), so_far

    def _moments(self) -> Iterator[tuple[int, State]]:
        """Yield the numbers of steps done, each with the game after them."""
        yield 0, self.played.at(0)
        for number, (_step, so_far) in enumerate(retrace(self.played, self.played.history), 1):
            yield number, so_far

    @cached_property
    def _events(self) -> list[tuple[Event, Told]]:
        """All events, each as the rules noted it and as it is told."""
        return list(zip(self.played.ledger.told(None), self.played.events(None), strict=True))

    @cached_property
    def _counts(self) -> list[int]:
        """How many events there were after each number of steps."""
        return [len(so_far.ledger.events) for _, so_far in self._moments()]

    def _heard(self, word: str, first: int, end: int) -> list[int]:
        """Return the numbers of those of these events that a reader is told of."""
        audience = (EVERYBODY, *self.readers(word))
        return [n for n in range(first, end) if word == EVERY_CARD or self._events[n][0][2] in audience]

    def events_at(self, stop: ReplayMoment) -> int:
        """Return how many events there have been at a stop."""
        return self._counts[stop.step] + stop.events

    def deals(self, word: str) -> list[tuple[int, ReplayMoment]]:
        """Return the deals of a match: the number of each, and the stop at which somebody chooses first; none if there
        is only one."""
        stops = self.stops(word)
        begun = [0, *(self.played.deals[deal].steps for deal in self.ends.values())]
        places = [(k, bisect_left(stops, ReplayMoment(start))) for k, start in enumerate(begun, 1)]
        shown = [(k, stops[at] if k > 1 else stops[0]) for k, at in places if at < len(stops)]
        return shown if len(shown) > 1 else []

    @property  # in the reader's language: nothing that is kept may be in anybody's
    def extra(self) -> str:
        """What the last deal is called if it is not like the others; see
        :func:`parlour.server.page.words.extra_deal`."""
        return extra_deal(self.game.definition, (told.event for _, told in self._events))

    # ------------------------------------------------------------------ between two rests

    def leg(self, stop: ReplayMoment) -> Leg:
        """Return the way on which a stop between two rests lies."""
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
        """Return what a seat sees at such a stop, as at a table that shows one event after another."""
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
        """Return what a reader was told of these events."""
        return [self._events[n][1] for n in self._heard(word, first, end)]

    def telling(self, state: State, seat: int) -> wire.Telling:
        """Return what a player or spectator knew at this point of the game."""
        told = state.events(seat)
        return wire.Telling(
            version=len(state.history), match=1, seat=seat,
            players=[wire.SeatHolder(name, "", True, False) for name in state.player_names],
            view=None, items=list(state.view(seat).items), heard=len(told), new=sentences(told),
            asked=[] if state.hushed else list(state.acting), hushed=state.hushed, choices=[], over=state.is_terminal,
            returns=state.returns() if state.is_terminal else [], again=[], held=list(self._held(state)),
            sheet=score_sheet(state), since=told_earlier(state, seat),
        )  # fmt: skip

    def _held(self, state: State) -> tuple[float, ...]:
        """Return what the deal that is over at this moment brought, if one is."""
        return state.deals[-1].returns if state.current_player == DEAL_OVER else ()

    def telling_between(self, before: State, stop: ReplayMoment, items: Sequence[Item], seat: int) -> wire.Telling:
        """Return what a seat is told in the middle of what happens by itself after ``before``, when nobody is asked."""
        told = self.told(word_of(seat), 0, self.events_at(stop))
        return structs.replace(
            self.telling(before, seat), items=list(items), heard=len(told), new=sentences(told), asked=[],
            hushed=False, held=[],
        )  # fmt: skip

    def held(self, views: Sequence[Sequence[Item]], open_to_all: int) -> list[Holding]:
        """Return what each player has that not everybody sees: beyond the first ``open_to_all`` items of each view."""
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
        """Return the record as it stood after ``step`` steps; from there on, chance is open."""
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
                shown.append((takes_seat(holders, who_sits), ""))
            else:
                who, _, what = line.partition(":")
                shown.append((f"{isolated(names[who][1])}:{what}" if who in names else line, ""))
        return shown


def word_of(seat: int) -> str:
    """Return how addresses name the point of view of a seat."""
    return str(seat) if seat >= 0 else SPECTATOR


def sentences(told: Sequence[Told]) -> list[wire.Sentence]:
    return [wire.Sentence(one.text, one.clause, one.event, one.who, one.a, one.b) for one in told]


def read(text: str) -> Replay:
    """Read a record. Raises ``ParlourError``, naming the line, if one is wrong."""
    mark = hashlib.sha256(text.encode()).digest()
    found = _read.get(mark)
    if found is None:
        found = Replay(text)
        _read.keep(mark, found, 1)
    return found


_read: Final = BoundedCache[bytes, Replay](6)
"""The records read last, without their texts."""


def takes_seat(holders: dict[int, str], one: Seated) -> str:
    """Say who plays from now on, and for whom; ``holders``: who has had the seats so far."""
    before, name = holders.get(one.seat), isolated(one.name)
    holders[one.seat] = name
    if before is None:
        return _("{name} plays.", name=name) if one.guest else _("The bot {name} plays.", name=name)
    if one.guest:
        return _("{name} takes over from {other}.", name=name, other=before)
    return _("The bot {name} takes over from {other}.", name=name, other=before)


__all__ = [
    "EVERY_CARD",
    "SPECTATOR",
    "Holding",
    "NoRecord",
    "Replay",
    "ReplayMoment",
    "read",
    "sentences",
    "takes_seat",
    "word_of",
]
