"""A table, as its log says.

A table changes only by entries of its log (:meth:`Table.commit`).  What a guest or the clock wants is first turned into
the entry it would be, on a copy (:meth:`Table.act` and its like), then written down, then committed; so nobody sees what
is not on disk.  What leaves a table is a :class:`~parlour.room.wire.Telling`.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from parlour import load
from parlour.errors import ParlourError
from parlour.fair_deal import FairDeal, new_deal, pledge
from parlour.game import Game, State
from parlour.room import log, wire
from parlour.vocabulary import CHANCE, EVERYBODY

WATCHER: Final = EVERYBODY
"""The seat of those who only watch."""
NAMES: Final = ("Ada", "Ben", "Cora", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Iris", "Jon", "Kit", "Lou", "May", "Ned",
                "Ola", "Pia", "Quin", "Ruth", "Sam", "Tess", "Una", "Vic", "Wim", "Xia", "Yan", "Zoe")  # fmt: skip
LONGEST_NAME: Final = 16


@dataclass(slots=True)
class Seat:
    """Who has a seat: a bot of a kind, or the guest whose token has this fingerprint."""

    bot: str
    called: str  # the bot's name
    guest: str = ""  # the guest's name
    key: str = ""
    away: bool = False

    @property
    def name(self) -> str:
        return self.guest if self.key else self.called

    @property
    def is_bots(self) -> bool:
        """Whether a bot answers here now."""
        return not self.key or self.away


class Step(NamedTuple):
    """An entry that is to be written down, and the state after it, if it changes the state."""

    entry: log.AnyEntry
    after: State | None = None


def fingerprint(token: str) -> str:
    """What is kept of a guest's token: enough to know it again, not to make it."""
    return hashlib.sha256(token.encode()).hexdigest()


def fitting_name(name: str) -> str:
    """A guest's name as it is shown; ``ParlourError`` if it is none."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise ParlourError(f"A name has 1 to {LONGEST_NAME} letters; {name!r} has not.")
    return name


class Table:
    """A table.  ``version``: how many entries its log has.  ``marks``: for each seat, and at the end for watchers, how
    often they have noticed something: the only count of steps that a client is ever told."""

    def __init__(self, opened: log.Opened) -> None:
        self.opened = opened
        self.game: Game = load(opened.game, opened.players, **opened.options)
        if self.game.definition.version != opened.rules:
            raise ParlourError(
                f"The table plays rules {opened.rules} of {opened.game}; this software knows rules "
                f"{self.game.definition.version}."
            )
        self.seats = [Seat(bot, name) for bot, name in zip(opened.bots, opened.names, strict=True)]
        self.match = 0
        self.state: State = self.game.new()
        self.frozen = self.closed = ""
        self.version = 1
        self.marks = [0] * (self.game.players + 1)
        self._known: list[object] = [None] * (self.game.players + 1)
        self._heard: list[list[wire.Sentence]] = [[] for _ in self.marks]
        self._events = 0

    # ------------------------------------------------------------------ what the log says

    def commit(self, entry: log.AnyEntry, after: State | None = None, marks: Sequence[int] | None = None) -> None:
        """Another entry of the log has been written.  ``after``: the state it leads to, if that is known; ``marks``: those
        that were written with it, when a log is read again."""
        self._apply(entry, after)
        self.version += 1
        if marks is not None:
            self.marks = list(marks)
        else:
            self._mark(again=isinstance(entry, log.Begun | log.Undone))

    def _apply(self, entry: log.AnyEntry, after: State | None) -> None:
        match entry:
            case log.Begun():
                self.match = entry.match
                self.state = self.game.new()
                self.state.fair = FairDeal(entry.commitment).mixed(0, _numbers(entry.nonces))
                self._happened((), -1, entry.fell, None)
            case log.Mixed():
                assert self.state.fair is not None
                self.state.fair = self.state.fair.mixed(self.state.nodes, _numbers(entry.nonces))
                self._happened((), -1, entry.fell, after)
            case log.Did():
                self._happened(entry.actions, entry.seat, entry.fell, after)
            case log.Fell():
                self._happened((), -1, entry.fell, after)
            case log.Undone():
                self.state.undo(freely=True)
            case log.Sat():
                seat = self.seats[entry.seat]
                seat.guest, seat.key, seat.away = entry.name, entry.key, False
            case log.Left():
                seat = self.seats[entry.seat]
                seat.guest, seat.key, seat.away = "", "", False
            case log.Away() | log.Back():
                self.seats[entry.seat].away = isinstance(entry, log.Away)
            case log.Told():
                assert self.state.fair is not None
                self.state.fair = self.state.fair.opened(bytes.fromhex(entry.secret))
            case log.Frozen():
                self.frozen = entry.reason
            case log.Closed():
                self.closed = entry.reason
        self.state.call_players([seat.name for seat in self.seats])

    def _happened(self, actions: Sequence[str], seat: int, fell: Sequence[str], after: State | None) -> None:
        if after is not None:
            self.state = after
            return
        for action in actions:
            self.state.apply(action, seat)
        for outcome in fell:
            self.state.apply(outcome)

    # ------------------------------------------------------------------ what somebody wants

    def begin(self, secret: bytes, nonces: Mapping[int, bytes]) -> Step:
        """A match begins."""
        state = self.game.new()
        deal = new_deal(secret)
        state.fair = deal.mixed(0, nonces)
        fell = self._let_chance_decide(state)
        return Step(log.Begun(self.match + 1, deal.commitment, _hex(nonces), fell), None)

    def act(self, seat: int, line: str, secret: bytes) -> Step:
        """A seat does what a line says; ``ParlourError`` if it may not."""
        self._going_on()
        if self.state.current_player == CHANCE or seat not in self.state.acting:
            raise self._not_your_turn(seat, line)
        actions = self.state.sequence(line, seat)
        after = self.state.clone()
        assert after.fair is not None
        after.fair = after.fair.opened(secret)
        names = [self.game.action_names[a] for a in actions]
        for a in actions:
            after.apply(a, seat)
        fell = self._let_chance_decide(after)
        after.fair = self.state.fair
        return Step(log.Did(seat, names, fell), after)

    def undo(self, seat: int) -> Step:
        """A seat takes its last step back, if nobody has learned anything by it."""
        self._going_on()
        if not self.state.history or self.state.history[-1].player != seat:
            raise ParlourError("Your step was not the last one, so it cannot be taken back.")
        self.state.clone().undo()
        return Step(log.Undone(seat))

    def sit(self, seat: int, name: str, token: str) -> Step:
        """A guest takes the seat of a bot."""
        self._is_open()
        if not 0 <= seat < self.game.players:
            raise ParlourError(f"There is no seat {seat}; seats run from 0 to {self.game.players - 1}.")
        if self.seats[seat].key:
            raise ParlourError(f"Seat {seat} is {self.seats[seat].name}'s.")
        name = fitting_name(name)
        if name.casefold() in (other.name.casefold() for i, other in enumerate(self.seats) if i != seat):
            raise ParlourError(f"Somebody at this table is called {name} already.")
        return Step(log.Sat(seat, name, fingerprint(token)))

    def leave(self, seat: int) -> Step:
        """A guest gives his seat to a bot."""
        self._is_open()
        return Step(log.Left(seat))

    def say(self, seat: int, name: str, text: str) -> Step:
        """Somebody says something to all."""
        self._is_open()
        text = " ".join(text.split())
        if not text or not text.isprintable():
            raise ParlourError("That is no text.")
        return Step(log.Said(seat, name, text))

    def free_seat(self) -> int:
        """A seat that a bot has; ``ParlourError`` if there is none."""
        for p, seat in enumerate(self.seats):
            if not seat.key:
                return p
        raise ParlourError("Every seat is taken; you can watch.")

    def seat_of(self, token: str) -> int:
        """The seat of the guest with this token; ``WATCHER`` if he has none."""
        key = fingerprint(token)
        return next((p for p, seat in enumerate(self.seats) if secrets.compare_digest(seat.key, key)), WATCHER)

    def _let_chance_decide(self, state: State) -> list[str]:
        fell = []
        while state.current_player == CHANCE:
            outcome = state.fair_outcome()
            fell.append(state.name_of(outcome))
            state.apply(outcome)
        return fell

    def _is_open(self) -> None:
        if self.closed:
            raise ParlourError(f"This table is closed: {self.closed}")

    def _going_on(self) -> None:
        self._is_open()
        if self.frozen:
            raise ParlourError(f"This table stands still: {self.frozen}")
        if not self.match:
            raise ParlourError("The match has not begun.")

    def _not_your_turn(self, seat: int, line: str) -> ParlourError:
        if self.state.is_terminal:
            return ParlourError("The match is over.")
        if seat == WATCHER:
            return ParlourError("You only watch.")
        a = self.game.find_action(" ".join(line.split()))
        return self.state.refusal(a, seat) or ParlourError("It is not your turn.")

    # ------------------------------------------------------------------ what a seat knows

    def telling(self, seat: int, heard: int = 0) -> wire.Telling:
        """All that a seat, or a watcher, knows; of what it was told, the sentences from number ``heard`` on."""
        told = self._heard[seat]
        acting = seat != WATCHER and not self.frozen and self.state.current_player != CHANCE and seat in self.state.acting
        names = self.game.action_names
        return wire.Telling(
            version=self.marks[seat],
            match=self.match,
            seat=seat,
            players=[wire.Player(s.name, "" if s.key else s.bot, s.away) for s in self.seats],
            view=msgspec.Raw(msgspec.json.encode(self.state.view(seat).observation())),
            heard=len(told),
            new=told[min(heard, len(told)) :],
            choices=[wire.Choice(a, names[a]) for a in self.state.legal_actions(seat)] if acting else [],
            over=self.state.is_terminal,
            returns=self.state.returns() if self.state.is_terminal else [],
            commitment=self.state.fair.commitment if self.state.fair else "",
            frozen=self.frozen,
        )

    def _mark(self, again: bool = False) -> None:
        """Count for each seat that it has noticed something, if it has."""
        if again:
            self._events = 0
            self._heard = [[] for _ in self.marks]
        for seat in (*range(self.game.players), WATCHER):
            self._heard[seat] += [
                wire.Sentence(told.text, told.clause, told.event, told.who, told.a, told.b)
                for told in self.state.news(seat, self._events)
            ]
        self._events = self.state.event_count
        for seat in (*range(self.game.players), WATCHER):
            known = self._known_to(seat)
            if known != self._known[seat]:
                self._known[seat] = known
                self.marks[seat] += 1

    def _known_to(self, seat: int) -> Any:
        asked = seat != WATCHER and seat in self.state.acting
        return (
            self.match,
            self.state.view(seat).items,
            len(self._heard[seat]),
            tuple(self.state.legal_actions(seat)) if asked else (),
            [(s.name, s.key == "", s.away) for s in self.seats],
            self.frozen,
            self.closed,
            self.state.is_terminal,
        )


def _hex(nonces: Mapping[int, bytes]) -> dict[int, str]:
    return {seat: nonce.hex() for seat, nonce in sorted(nonces.items())}


def _numbers(nonces: Mapping[int, str]) -> dict[int, bytes]:
    return {int(seat): bytes.fromhex(nonce) for seat, nonce in nonces.items()}


__all__ = ["NAMES", "WATCHER", "Seat", "Step", "Table", "fingerprint", "fitting_name", "pledge"]
