"""A table, as its log says.

A table changes only by entries of its log (:meth:`Table.commit`).  A guest's command, or whatever the clock makes due,
first becomes an entry (:meth:`Table.act` and its like), which is then written down, then committed; so nobody sees what
is not on disk, and reading the log again leads to the same table.  What leaves a table is a
:class:`~parlour.room.wire.Telling`.
"""

from __future__ import annotations

import itertools
import secrets
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from parlour import load, replay
from parlour.chain import present_link
from parlour.engine.steps import Event
from parlour.engine.telling import Item, View, observe, told_each
from parlour.engine.telling import view as view_of
from parlour.errors import ParlourError
from parlour.fair_deal import FairDeal, new_deal
from parlour.game import Game, State
from parlour.naming import fitting_line, fitting_name, look_of
from parlour.notes import Link, Seated
from parlour.room import log, wire
from parlour.room.between import Between
from parlour.room.hosting import Hosting, Noticed, notice_of
from parlour.room.seats import NAMES, Seat, fingerprint, is_nobody, nobody
from parlour.vocabulary import CHANCE, EVERYBODY

_OF_THE_MATCH: Final = (
    log.Committed, log.Begun, log.Resumed, log.Did, log.Fell, log.WentOn, log.Undone, log.Linked, log.Revealed
)  # fmt: skip
WATCHER: Final = EVERYBODY
"""The seat number of spectators."""
MOMENTS: Final = 40
"""The most events of one telling that are seen each at its own moment: the last ones."""
NOTICES: Final = 30
"""How many notices a table remembers."""


class Change(NamedTuple):
    """An entry that is to be written down, and the state after it if that has been worked out."""

    entry: log.AnyEntry
    after: State | None = None


class Table:
    """A table.

    ``version``: how many entries its log has.  No client is told that number, because it counts hidden steps.
    ``marks``: for each seat, and last for spectators, how often it has noticed something; this is the version a client
    is told.
    """

    def __init__(self, opened: log.Opened) -> None:
        self.opened = opened
        self.game: Game = load(opened.game, opened.players, **opened.options)
        if self.game.definition.version != opened.rules:
            raise ParlourError(
                f"The table has rules {opened.rules} of {opened.game}; this software has rules "
                f"{self.game.definition.version}."
            )
        self.seats = [Seat(bot, name) for bot, name in zip(opened.bots, opened.names, strict=True)]
        self.match = 0
        self.commitment = ""
        self.state: State | None = None
        self.has_begun = False
        """Whether a match is on, or over: the first chance outcomes have fallen."""
        self.contributed: set[str] = set()
        self.again: set[int] = set()
        self.gone_over = 0
        """How many deals of the match have been looked at when they were over, or need not be."""
        self.undone = False
        """Whether a step of this match was taken back: what a client heard earlier may no longer be true."""
        self.frozen = self.closed = ""
        self.version = 1
        self.marks = [0] * (self.game.players + 1)
        self.hosting = Hosting(opened.maker, opened.takeovers)
        self.notices: deque[wire.Notice] = deque(maxlen=NOTICES)
        """The recent notices for everybody, about seats and about what the maker has decided."""
        self.notice: wire.Notice | None = None
        """The notice that the last entry has brought."""
        self._is_visited = False  # by a guest who took a seat
        self._mixed_at = 0
        self._linked = 0, False  # how many deals were over at the last link, and whether the match was
        self._views: list[tuple[Item, ...]] = [() for _ in self.marks]
        self._told: list[list[Event]] = [[] for _ in self.marks]
        self._seen = self._views
        """The views before the last entry."""
        self._news: list[tuple[int, Event]] = []
        """The events that it brought, with their numbers."""
        self._events = 0
        self._sentences: dict[Event, wire.Sentence] = {}
        self._open: dict[str, Any] | None = None
        self._choices: list[list[int]] = [[] for _ in self.marks]
        self._returns: list[float] = []
        self._sheet: list[list[int]] = []
        self._noticed: list[object] = [None] * len(self.marks)
        self._public: _Public
        self._look(afresh=True)

    # ------------------------------------------------------------------ what the log says

    def commit(self, change: Change) -> None:
        """Take an entry that has been written; ``change.after``: the state it leads to, if that is already known.

        Whatever error the game raises comes out here, and nowhere later; the table should then :meth:`freeze`.
        """
        self.version += 1
        self.notice = None
        if not (self.frozen and isinstance(change.entry, _OF_THE_MATCH)):
            self._apply(change.entry, change.after)
            self._look(afresh=isinstance(change.entry, log.Committed | log.Resumed | log.Undone))

    def freeze(self, reason: str) -> None:
        """Let nothing more be done in this match: the game cannot go on.  Guests may still come and go."""
        self.frozen = reason
        self._look(afresh=False)

    def _apply(self, entry: log.AnyEntry, after: State | None) -> None:
        match entry:
            case log.Committed():
                self._new_match(entry.match, self.game.new())
                self.commitment = entry.commitment
                self._playing.fair = FairDeal(entry.commitment)
                self._note_seats(range(len(self.seats)))
            case log.Resumed():
                self._new_match(entry.match, after or _taken_up(entry.record))
                self.has_begun = True
                self._happened("", (), () if after else entry.fell, None)
                self.gone_over = len(self._playing.deals)
                self._playing.notes.clear()  # they are of another table
                self._note_seats(range(len(self.seats)))
            case log.Begun() | log.Fell():
                self.has_begun = True
                self._mix(self._playing, entry.nonces)
                self._happened("", (), entry.fell, after)
                self._hold(isinstance(entry, log.Fell) and entry.held)
                self.contributed |= {self.seats[seat].key for seat in _seats(entry.nonces)}
                self._mixed_at = len(self._playing.deals)
            case log.Did():
                self._happened(entry.seat, entry.actions, entry.fell, after)
                self._hold(entry.held)
            case log.WentOn():
                self._hold(False)
            case log.Undone():
                self._playing.undo(freely=True)
                self._hold(False)
                self.undone = True
            case log.Sat():
                self._sits(entry)
            case log.Left() | log.Removed():
                self._goes(entry)
            case log.Allowed():
                self.hosting.set(entry.name, entry.on)
                self._notice(entry)
            case log.Away() | log.Back():
                self.seats[entry.seat].away = isinstance(entry, log.Away)
            case log.Wanted():
                self.again.add(entry.seat)
            case log.Linked():
                state = self._playing
                state.notes.append(Link(len(state.log), entry.link))
                self._linked = len(state.deals), self._is_done
            case log.Revealed():
                fair = self._playing.fair
                assert fair is not None
                self._playing.fair = fair.opened(bytes.fromhex(entry.secret))
            case log.Frozen():
                self.frozen = entry.reason
            case log.Closed():
                self.closed = entry.reason
            case log.Opened() | log.Said():
                pass

    def _hold(self, held: bool) -> None:
        """Hold the deals that have ended for everybody to look at, or let the table go on."""
        self.again.clear()
        if not held:
            self.gone_over = len(self._playing.deals)

    def _new_match(self, match: int, state: State) -> None:
        self.match, self.state, self.has_begun, self.commitment = match, state, False, ""
        self.contributed, self.again, self._mixed_at, self.undone = set(), set(), 0, False
        self._linked, self.gone_over = (0, False), 0
        self.hosting.new_match({seat.key: p for p, seat in enumerate(self.seats) if seat.key})

    def _sits(self, entry: log.Sat) -> None:
        seat = self.seats[entry.seat]
        seat.guest, seat.key, seat.away = entry.name, entry.key, False
        self.hosting.sat(entry.key, entry.seat)
        if self._is_visited or not self.hosting.is_maker(entry.key):  # whoever opens the table is alone there
            self._notice(entry, seat)
        self._is_visited = True
        self._note_seats((entry.seat,))

    def _goes(self, entry: log.Left | log.Removed) -> None:
        seat = self.seats[entry.seat]
        self._notice(entry, seat)
        self.hosting.left(seat.key, self.has_begun)
        if isinstance(entry, log.Removed):
            self.hosting.removed(entry.key)
        seat.guest, seat.key, seat.away = "", "", False
        self.again.discard(entry.seat)
        self._note_seats((entry.seat,))

    def _note_seats(self, seats: Iterable[int]) -> None:
        """Note in the match who has these seats from now on; after its end this is no longer part of it."""
        state = self.state
        if state is not None and not self.frozen and not state.is_terminal:
            where = len(state.log)
            state.notes += [Seated(where, p, bool(self.seats[p].key), self.seats[p].name) for p in seats]

    def _notice(self, entry: Noticed, seat: Seat | None = None) -> None:
        self.notice = notice_of(entry, "" if seat is None else seat.guest, "" if seat is None else seat.called)
        self.notices.append(self.notice)

    @property
    def _playing(self) -> State:
        if self.state is None:
            raise ParlourError("No match has begun here.")
        return self.state

    def _mix(self, state: State, nonces: Mapping[int, str]) -> None:
        if state.fair is not None:
            state.fair = state.fair.mixed(state.nodes, {int(p): bytes.fromhex(n) for p, n in nonces.items()})

    def _happened(self, seat: int | str, actions: Sequence[str], fell: Sequence[str], after: State | None) -> None:
        if after is not None:
            self.state = after
            return
        self._playing.watch()
        for action in actions:
            self._playing.apply(action, int(seat))
        for outcome in fell:
            self._playing.apply(outcome)

    # ------------------------------------------------------------------ how far the match is

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self.state is not None and not self.frozen and self.state.is_terminal

    @property
    def is_held(self) -> bool:
        """Whether everybody is looking at a finished deal before the table goes on."""
        state = self.state
        if state is None or self.frozen or self.closed or state.is_terminal:
            return False
        return self.gone_over < len(state.deals)

    @property
    def is_hushed(self) -> bool:
        """Whether somebody may now be asked a question that nobody else may notice."""
        return self.state is not None and not self.frozen and not self.is_held and self.state.hushed

    @property
    def waits_for_chance(self) -> bool:
        """Whether chance is to decide, after a pause that comes first."""
        if self.state is None or self.frozen or self.is_held:
            return False
        return self.state.current_player == CHANCE

    @property
    def asked(self) -> tuple[int, ...]:
        """The seats that are to act; at a hushed question only the seat itself may know."""
        if self.state is None or not self.has_begun or self.frozen or self.closed or self.is_held:
            return ()
        return self.state.acting

    # ------------------------------------------------------------------ commands

    def commit_to(self, secret: bytes) -> Change:
        """Return the entry that begins another match, whose chance will follow from a secret."""
        self._is_open()
        if self.has_begun and not self.is_over:
            raise ParlourError("The match is not over.")
        return Change(log.Committed(self.match + 1, new_deal(secret).commitment))

    def resume(self, record: str) -> Change:
        """Return the entry by which a match continues from a record."""
        state = _taken_up(record)
        if state.game != self.game:
            raise ParlourError("The record is not of this table's game and house rules.")
        return Change(log.Resumed(self.match + 1, record, self._let_chance_decide(state, None)), state)

    def go_on(self, secret: bytes | None, nonces: Mapping[int, bytes], holds: bool = False) -> Change:
        """Return the entry by which chance goes on after a pause, with the players' nonces, if any; the first one
        begins the match.  ``holds``: whether everybody then looks at a deal that this ends."""
        if self.has_begun and not self.waits_for_chance:
            raise ParlourError("Chance has nothing to decide now.")
        state = self._playing.clone()
        state.watch()
        in_hex = {seat: nonce.hex() for seat, nonce in sorted(nonces.items())}
        self._mix(state, in_hex)
        fell = self._let_chance_decide(state, secret, paused=True)
        if not self.has_begun:
            return Change(log.Begun(in_hex, fell), state)
        return Change(log.Fell(in_hex, fell, holds and self._settles(state)), state)

    def _settles(self, after: State) -> bool:
        """Whether a state that comes next ends a deal, and another follows."""
        return len(after.deals) > len(self._playing.deals) and not after.is_terminal

    def act(self, seat: int, line: str, secret: bytes | None, newcomers: bool = False, holds: bool = False) -> Change:
        """Return the entry by which a seat does what a line says.  Raises ``ParlourError`` if it may not.
        ``newcomers``: whether nonces are still to be collected before the next deal; ``holds``: whether everybody then
        looks at a deal that this ends."""
        state = self._on()
        if seat not in state.acting:
            raise self._not_your_turn(seat, line)
        actions = state.sequence(line, seat)
        after = state.clone()
        after.watch()
        for a in actions:
            after.apply(a, seat)
        names = [self.game.action_names[a] for a in actions]
        fell = self._let_chance_decide(after, secret, newcomers)
        return Change(log.Did(seat, names, fell, holds and self._settles(after)), after)

    def may(self, seat: int, line: str) -> None:
        """Raise ``ParlourError`` if a seat may not do what a line says."""
        state = self._on()
        if seat not in state.acting:
            raise self._not_your_turn(seat, line)
        after = state.clone()
        for a in state.sequence(line, seat):
            after.apply(a, seat)

    def silence(self, seat: int) -> str | None:
        """Return the action that counts if a seat says nothing now, if the rule book gives one."""
        meant = self._playing.silence(seat)
        return None if meant is None else self.game.action_names[meant]

    def undo(self, seat: int) -> Change:
        """Return the entry by which a seat takes its last step back, if nobody has learned anything from it."""
        state = self._on()
        if not state.history or state.history[-1].player != seat:
            raise ParlourError("You can't take anything back: the last move was not yours.")
        before = state.clone()
        before.undo()
        if before.hushed:  # otherwise everybody would see who was asked
            raise ParlourError("You can't take that back: it was an answer that nobody else may notice.")
        return Change(log.Undone(seat))

    def sit(self, seat: int, name: str, key: str) -> Change:
        """Return the entry by which a guest takes the seat of a bot; -1 is the first such seat."""
        self._is_open()
        if is_nobody(key):
            raise ParlourError("You need a token to sit down: send a request to …/seats first.")
        if self.seat_of(key) != WATCHER:
            raise ParlourError("You already have a seat at this table.")
        if seat == WATCHER:
            seat = self._free_seat(key)
        if not 0 <= seat < self.game.players:
            raise ParlourError(f"There is no seat {seat}; seats run from 0 to {self.game.players - 1}.")
        if self.seats[seat].key:
            raise ParlourError(f"Seat {seat} is {self.seats[seat].name}'s.")
        self.hosting.may_sit(key, seat, self.has_begun and not self.is_over)
        name = fitting_name(name)
        for i, other in enumerate(self.seats):
            if i != seat and look_of(other.name) == look_of(name):
                alike = "is called" if other.name.casefold() == name.casefold() else "has a name that looks like"
                raise ParlourError(f"Somebody at this table {alike} {name}; choose another name.")
        return Change(log.Sat(seat, name, key))

    def _free_seat(self, key: str) -> int:
        free = [p for p, seat in enumerate(self.seats) if not seat.key]
        if not free:
            raise ParlourError("Every seat is taken; you can watch.")
        before = self.hosting.before(key)
        return before if before in free else free[0]

    def leave(self, seat: int) -> Change:
        """Return the entry by which a guest gives their seat to a bot."""
        self._is_open()
        if seat == WATCHER:
            raise ParlourError("You have no seat to leave.")
        return Change(log.Left(seat))

    def remove(self, key: str, seat: int) -> Change:
        """Return the entry by which the maker removes the guest of a seat."""
        self._is_open()
        self.hosting.must_be_maker(key)
        if not 0 <= seat < self.game.players or not self.seats[seat].key:
            raise ParlourError(f"There is no guest to remove from seat {seat}.")
        if self.seats[seat].key == key:
            raise ParlourError("You can't remove yourself; give your seat to a bot.")
        return Change(log.Removed(seat, self.seats[seat].key))

    def allow(self, key: str, command: wire.Allow) -> Change:
        """Return the entry by which the maker allows something, or forbids it."""
        self._is_open()
        self.hosting.must_be_maker(key)
        return Change(log.Allowed(command.name, command.on))

    def say(self, seat: int, text: str) -> Change:
        """Return the entry by which somebody says something to everybody."""
        self._is_open()
        if seat == WATCHER:
            raise ParlourError("Spectators have no name here: sit down to write in the chat.")
        if "chat" not in self.hosting.allowed:
            raise ParlourError("The host has switched the chat off.")
        return Change(log.Said(seat, self.seats[seat].name, fitting_line(text)))

    def want_again(self, seat: int) -> Change:
        """Return the entry by which a guest asks for another match."""
        self._is_open()
        if seat == WATCHER:
            raise ParlourError("You are a spectator; sit down first.")
        if not self.is_over and not self.is_held:
            raise ParlourError("The match is not over.")
        return Change(log.Wanted(seat))

    @property
    def _is_done(self) -> bool:
        return self.is_over or bool(self.closed)

    @property
    def link(self) -> str:
        """The last link of the match's chain that everybody was told; empty before the first."""
        notes = [] if self.state is None else self.state.notes
        return next((note.link for note in reversed(notes) if isinstance(note, Link)), "")

    @property
    def owes_link(self) -> bool:
        """Whether everybody is to be told a link now: at the beginning of a match that can be checked, when a seat has
        changed hands, and at the end of a deal and of the match.  Everybody knows of all these, so a new link betrays
        no hidden step."""
        state = self.state
        if state is None or state.fair is None or state.fair.secret is not None or not self.opened.reveal:
            return False
        if not self.has_begun or self.frozen or state.is_sealed:
            return False
        return (
            not state.notes
            or not isinstance(state.notes[-1], Link)
            or self._linked != (len(state.deals), self._is_done)
        )

    def bind(self, secret: bytes) -> Change:
        """Return the entry that tells everybody the link of all that has happened in the match."""
        return Change(log.Linked(present_link(self._playing, secret)))

    def reveal(self, secret: bytes) -> Change:
        """Return the entry that reveals the deal of a match that is over."""
        return Change(log.Revealed(secret.hex()))

    def seat_of(self, key: str) -> int:
        """Return the seat of the guest with this fingerprint; ``WATCHER`` if they have none."""
        for p, seat in enumerate(self.seats):
            if key and seat.key == key:
                return p
        return WATCHER

    def record(self, seat: int) -> str:
        """Return the record as far as a seat, or a spectator, may have it: all of it when the secret has been
        revealed."""
        state = self._playing
        fair = state.fair
        is_open = (
            self.opened.reveal and (self.is_over or bool(self.closed)) and (fair is None or fair.secret is not None)
        )
        return state.record(None if is_open else seat)

    def _let_chance_decide(
        self, state: State, secret: bytes | None, newcomers: bool = False, paused: bool = False
    ) -> list[str]:
        """Draw what chance brings, up to the next choice of a player or a pause that is still to come."""
        public, fell = state.fair, []
        if public is not None and secret is not None and state.current_player == CHANCE:
            state.fair = public.opened(secret)
        while state.current_player == CHANCE:
            if not paused and (state.hushed or (newcomers and len(state.deals) > self._mixed_at)):
                break
            paused = False
            outcome = state.draw_outcome([secrets.randbits(64)]) if public is None else state.fair_outcome()
            fell.append(state.name_of(outcome))
            state.apply(outcome)
        state.fair = public
        return fell

    def _is_open(self) -> None:
        if self.closed:
            raise ParlourError(f"This table is closed: {self.closed}")

    def _on(self) -> State:
        self._is_open()
        if self.frozen:
            raise ParlourError(f"This table has stopped: {self.frozen}")
        if self.state is None or not self.has_begun:
            raise ParlourError("The match has not begun.")
        if self.is_held:
            raise ParlourError("The deal is over; the next one begins in a moment.")
        return self.state

    def _not_your_turn(self, seat: int, line: str) -> ParlourError:
        state = self._playing
        if state.is_terminal:
            return ParlourError("The match is over.")
        if seat == WATCHER:
            return ParlourError("You are a spectator; sit down first.")
        a = self.game.find_action(" ".join(line.split()))
        return state.refusal(a, seat) or ParlourError("It is not your turn.")

    # ------------------------------------------------------------------ what a seat knows

    @property
    def players(self) -> list[wire.Player]:
        """Return the holders of the seats, as everybody may know them."""
        return self._public.players

    def moment(self, seat: int) -> tuple[int, int]:
        """Return the match, and how often a seat has noticed something: what it saw last."""
        return self.match, self.marks[seat]

    def heard(self, seat: int) -> int:
        """Return how many sentences a seat has been told in this match."""
        return len(self._told[seat])

    def view(self, seat: int) -> View:
        """Return what a seat sees."""
        return View(self.game, seat, self._views[seat])

    def question(self, seat: int) -> tuple[View, list[int]]:
        """Return what a bot is given: what its seat sees, and what it may do."""
        return self.view(seat), self._playing.legal_actions(seat)

    def telling(self, seat: int, heard: int = 0, items: bool = False, steps: bool = False) -> wire.Telling:
        """Return all that a seat or a spectator knows, with the sentences from number ``heard`` on.  ``steps``: also
        what it saw after each of them."""
        told, public, names = self._told[seat], self._public, self.game.action_names
        return wire.Telling(
            version=self.marks[seat],
            match=self.match,
            seat=seat,
            players=public.players,
            view=None if self.state is None or items else self._observed(seat),
            items=list(self._views[seat]) if self.state is not None and items else None,
            heard=len(told),
            new=[self._sentence(one) for one in told[heard:]],
            asked=public.asked,
            hushed=public.hushed,
            choices=[wire.Choice(a, names[a]) for a in self._choices[seat]],
            over=public.over,
            returns=self._returns,
            again=public.again,
            host=public.host,
            allowed=list(public.allowed),
            frozen=public.frozen,
            closed=public.closed,
            held=list(public.held),
            sheet=self._sheet,
            moments=self._moments(seat, heard) if steps and self.state is not None else [],
        )

    def _moments(self, seat: int, heard: int) -> list[wire.Moment]:
        """Return what a seat saw after each event of the last entry that it was told, up to the next such event; only
        for its own events, so that what others alone were told leaves no trace."""
        mine = [(n, event) for n, event in self._news if event[2] in (EVERYBODY, seat)]
        first = len(self._told[seat]) - len(mine)
        known = Between(self.game, self._seen[seat], self._views[seat])
        found = []
        for k, ((_, event), (n, _)) in enumerate(itertools.pairwise(mine), first + 1):
            known.hear(event)
            items = None if self.state is None else self.state.before(n, seat)
            found.append(wire.Moment(k, known.tell(items, event)))
        return [one for one in found if one.heard > heard][-MOMENTS:]

    def _observed(self, seat: int) -> dict[str, Any]:
        """Return what a seat sees, readable; what everybody can see is put into words once for all."""
        common, items = self._views[WATCHER], self._views[seat]
        if self._open is None:
            self._open = observe(self.game, common, {})
        return observe(self.game, items[len(common) :], dict(self._open))

    def _sentence(self, event: Event) -> wire.Sentence:
        """Return an event in words, the same for everybody who is told it now."""
        sentence = self._sentences.get(event)
        if sentence is None:
            clause, key, _, who, a, b = event
            text = self.game.definition.sentence(key, who, a, b, [seat.name for seat in self.seats])
            sentence = self._sentences[event] = wire.Sentence(text, clause, key, who, a, b)
        return sentence

    def _look(self, afresh: bool) -> None:
        """Look at what every seat knows now, and count for each whether it has noticed something."""
        readers = (*range(self.game.players), WATCHER)  # WATCHER is the last place of each list
        self._sentences.clear()
        self._open = None
        if self.state is not None and not self.frozen:
            names = [seat.name for seat in self.seats]
            if names != list(self.state.player_names) and not self.is_over:
                self.state.call_players(names)
            there = self.state.settled(self.gone_over) if self.is_held else self.state
            position = there.position
            self._seen = self._views
            self._views = [*told_each(self.game, position), view_of(self.game, position, WATCHER).items]
            if afresh:
                self._sheet = []
                self._events, self._told = 0, [[] for _ in readers]
            self._news = list(enumerate(there.heard(self._events), self._events))
            for _, event in self._news:
                for seat in readers if event[2] == EVERYBODY else (event[2],):
                    self._told[seat].append(event)
            self._events = there.event_count
            self._keep_score(there)
        self._returns = self._playing.returns() if self.is_over else []
        asked, hushed = self.asked, self.is_hushed
        self._public = _Public(
            self.match,
            [wire.Player(s.name, s.bot, bool(s.key), s.away) for s in self.seats],
            [] if hushed else list(asked),
            hushed,
            self.is_over,
            sorted(self.again),
            self.seat_of(self.hosting.maker),
            self.hosting.allowed,
            self.frozen,
            self.closed,
            self._playing.deals[self.gone_over].returns if self.is_held else (),
        )
        for seat in readers:
            self._choices[seat] = self._playing.legal_actions(seat) if seat in asked else []
            noticed = self._public, self._views[seat], len(self._told[seat]), self._choices[seat]
            if noticed != self._noticed[seat]:
                self._noticed[seat] = noticed
                self.marks[seat] += 1

    def _keep_score(self, state: State) -> None:
        """Note what each player had at the beginning and after each deal, as everybody was told then."""
        rows = 1 + (len(state.deals) or state.is_terminal)
        if len(self._sheet) != rows:
            self._sheet = score_sheet(state, self._sheet[:rows])


class _Public(NamedTuple):
    """Return the part of a telling that is the same for everybody."""

    match: int
    players: list[wire.Player]
    asked: list[int]
    hushed: bool
    over: bool
    again: list[int]
    host: int
    allowed: tuple[str, ...]
    frozen: str
    closed: str
    held: tuple[float, ...]


def score_sheet(state: State, known: Sequence[list[int]] = ()) -> list[list[int]]:
    """Return what each player had at the beginning and after each deal in the game's own unit (the thing that
    ``account`` in its words names), as a spectator was told it; in a game of one deal, what each has now.  ``known``:
    its first rows, from earlier in the same match."""
    account = state.game.definition.words["game"].get("account")
    if account is None:
        return []
    first = [] if known else [state.game.new()]
    later = range(max(len(known) - 1, 0), len(state.deals))
    ends = [state.settled(deal) for deal in later] if state.deals else [state] * (state.is_terminal and len(known) < 2)
    return [*known, *(_worth(one, account) for one in (*first, *ends))]


def _worth(state: State, account: str) -> list[int]:
    """Return how much each player has, as a spectator is told it: if it is a thing that is cards, how many."""
    told = state.view(EVERYBODY).observation()[account]
    return [len(each) if isinstance(each, list) else int(each or 0) for each in told]


def _taken_up(record: str) -> State:
    """Return the match of a record as it continues at a table: from here on chance is the server's, because whoever
    brought the record may know its seed."""
    state = replay(record)
    state.leave_chance()
    state.seed = state.fair = None
    return state


def _seats(nonces: Mapping[int, str]) -> list[int]:
    return [int(seat) for seat in nonces]


__all__ = ["NAMES", "WATCHER", "Change", "Seat", "Table", "fingerprint", "is_nobody", "nobody"]
