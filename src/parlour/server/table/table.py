"""A table, as its log says.

A table changes only by entries of its log (:meth:`Table.commit`). A guest's command, or something that is due by the
clock, first becomes an entry (``moves.py``, ``seating.py``, ``proof.py``). The entry is written to disk, and only then
committed. So nobody sees what is not on disk, and reading the log again leads to the same table. What leaves a table is
a :class:`~parlour.server.common.wire.Telling` of what a seat knows (``knowledge.py``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from parlour.base.errors import ParlourError
from parlour.core.fair_deal import FairDeal
from parlour.core.game import Game, State
from parlour.core.lessons import Lesson, for_now, lesson, spoken
from parlour.core.notes import Link, Seated
from parlour.core.taking_back import step_back
from parlour.core.transcript import notes_in_history
from parlour.engine.definition import definition
from parlour.engine.house_rules import options_since
from parlour.rules.vocabulary import CHANCE, TERMINAL
from parlour.server.common import clock, wire
from parlour.server.table import log
from parlour.server.table.chance import mix, taken_up
from parlour.server.table.competition_names import deals_alike
from parlour.server.table.hosting import Hosting, Noticed, notice_of
from parlour.server.table.knowledge import Public, SeatKnowledge
from parlour.server.table.seats import WATCHER, Seat

_OF_THE_MATCH: Final = (
    log.Committed, log.Begun, log.Resumed, log.Did, log.Fell, log.WentOn, log.Undone, log.Rewound, log.Linked,
    log.DealRevealed,
)  # fmt: skip
UNNOTICED: Final = (log.Linked, log.ChatSent, log.Rewritten)
"""Entries that change nothing in what a seat knows of the table."""
REMARKS: Final = 30
"""How many messages and notices a table remembers."""


class Change(NamedTuple):
    """An entry that is to be written down, and the state after it, if that has been worked out."""

    entry: log.AnyEntry
    after: State | None = None


class Participation(NamedTuple):
    """How a guest took part in a match: the seat, the name, whether a deal was over when they sat down (``late``), and
    whether they have left since."""

    seat: int
    name: str
    late: bool = False
    left: bool = False


class Table:
    """A table.

    ``version``: the number of entries in its log. No client is told it, because it counts hidden steps.
    """

    def __init__(self, opened: log.Opened) -> None:
        self.opened = opened
        what = definition(opened.game)
        if options_since(what, opened.rules) is None:
            raise ParlourError(
                "The table has rules {rules} of {game}; this software has rules {version}.",
                rules=opened.rules,
                game=opened.game,
                version=what.version,
            )
        self.game = Game(what, opened.players, opened.options, opened.rules)
        self.seats = [Seat(bot, name) for bot, name in zip(opened.bots, opened.names, strict=True)]
        self.match = 0
        self.commitment = ""
        self.state: State | None = None
        self.has_begun = False
        """Whether a match is on or over: its first chance outcomes have fallen."""
        self.contributed: set[str] = set()
        self.again: set[int] = set()
        self.parts: dict[str, Participation] = {}
        """How guests have taken part in the match, by fingerprint; guests who have left are among them."""
        self.gone_over = 0
        """How many finished deals of the match need not be looked at any more."""
        self.practised = False
        """Whether this match became one of practice when somebody took a move back."""
        self.undone = False
        """Whether a step of this match was taken back, so that what a client heard earlier may no longer be true."""
        self.stood_in = frozenset[int]()
        """The steps of this match that a bot chose for a guest who was away, was silent, or had left."""
        self.came: dict[tuple[str, int], tuple[int, str]] = {}
        """For each guest who has taken over a bot's seat in this match, and the seat: how many sentences it had been
        told by then, and the bot's name."""
        self.frozen = self.closed = ""
        self.version = 1
        self.at = clock.wall()
        """When the last entry was written, in seconds since 1970."""
        self.asked_at: dict[int, float] = {}
        """The seats that are to act, each with the time from which it has been asked, in seconds since 1970."""
        self.hosting = Hosting(opened.maker, opened.takeovers)
        self.remarks: deque[wire.Remark | wire.Notice] = deque(maxlen=REMARKS)
        """The latest messages, and notices for everybody about seats and the maker's decisions."""
        self.notice: wire.Notice | None = None
        """The notice that the last entry brought, if any."""
        self._is_visited = False  # whether any guest has taken a seat
        self.mixed_at = 0
        """How many deals were over when nonces were last collected."""
        self._earlier: State | None = None
        """The match as it was before its last change."""
        self.lesson: Lesson | None = lesson(opened.game) if opened.lesson else None
        """The lesson that is played here; ``None`` once the match leaves it."""
        self.read = 0
        """How many of the lesson's stops the learner has left behind."""
        self.linked = 0, False
        """How many deals were over at the last link, and whether the match was."""
        self.known = SeatKnowledge(self.game)
        """What the seats and the spectators know."""
        self.deals_alike = deals_alike(opened.event)
        """Whether other tables are dealt the same cards. If so, nobody else may see this table until they are known."""
        self._take_stock()
        self._look(afresh=True)

    # ------------------------------------------------------------------ what the log says

    def commit(self, change: Change, at: float | None = None, command: str | None = None) -> None:
        """Take in an entry that has been written. ``change.after``: the state it leads to, if that is already known;
        ``at``: when it was written, in seconds since 1970 (default: now); ``command``: the command of the guest who
        wanted it.

        Any error that the game raises comes out here, and nowhere later; the caller should then :meth:`freeze` the
        table.
        """
        self.version += 1
        self.notice = None
        self.at = clock.wall() if at is None else at
        if not (self.frozen and isinstance(change.entry, _OF_THE_MATCH)):
            self._apply(change.entry, change.after, command)
            self._take_stock()
            if not isinstance(change.entry, UNNOTICED):
                self._look(afresh=isinstance(change.entry, log.Committed | log.Resumed | log.Undone | log.Rewound))
                self.came = {at: (min(n, self.known.heard(at[1])), name) for at, (n, name) in self.came.items()}

    def freeze(self, reason: str) -> None:
        """Stop the match, because the game cannot go on. Guests may still come and go."""
        self.frozen = reason
        self._take_stock()
        self._look(afresh=False)

    def _apply(self, entry: log.AnyEntry, after: State | None, command: str | None) -> None:
        match entry:
            case log.Committed():
                self._new_match(entry.match, self.game.new())
                self.commitment = entry.commitment
                self.playing.ledger.fair = FairDeal(entry.commitment, by_position=self.deals_alike)
                self._note_seats(range(len(self.seats)))
            case log.Resumed():
                self._new_match(entry.match, after or taken_up(entry.record))
                self.has_begun = True
                self._happened("", (), () if after else entry.fell, None)
                self.gone_over = len(self.playing.deals)
                self.playing.ledger.notes.clear()  # its notes are those of the table where the record was made
                self._note_seats(range(len(self.seats)))
            case log.Begun() | log.Fell():
                self.has_begun = True
                mix(self.playing, entry.nonces)
                self._happened("", (), entry.fell, after)
                self._hold(isinstance(entry, log.Fell) and entry.held)
                self.contributed |= {self.seats[int(seat)].key for seat in {*entry.nonces} - {*entry.left}}
                self.mixed_at = len(self.playing.deals)
            case log.Did():
                self.asked_at.pop(entry.seat, None)
                before = len(self.playing.history)
                self._happened(entry.seat, entry.actions, entry.fell, after)
                if not command and any(one.seat == entry.seat for one in self.parts.values()):
                    self.stood_in |= set(range(before, len(self.playing.history)))
                self._hold(entry.held)
            case log.WentOn():
                self._hold(False)
            case log.Undone():
                step_back(self.playing)
                self._taken_back()
            case log.Rewound():
                then = self.playing.at(entry.steps)
                then.ledger.notes = [
                    note
                    for note in notes_in_history(self.playing)
                    if note.at <= entry.steps and not isinstance(note, Link)
                ]
                self.state, self.commitment, self.practised = then, "", True  # chance no longer follows from a secret
                self._taken_back()
            case log.Sat():
                self._sits(entry)
            case log.Left() | log.Removed():
                self._goes(entry)
            case log.Allowed():
                self.hosting.set(entry.name, entry.on)
                self._notice(entry)
            case log.Away() | log.Back():
                self.seats[entry.seat].away = isinstance(entry, log.Away)
                self.asked_at.pop(entry.seat, None)
                self.again.discard(entry.seat)
            case log.AnotherWanted() if self.stop >= 0:
                self.read = self.stop + 1
            case log.AnotherWanted():
                self.again.add(entry.seat)
            case log.Linked() if entry.link:
                state = self.playing
                state.ledger.notes.append(Link(len(state.log), entry.link))
                self.linked = len(state.deals), self.is_done
            case log.DealRevealed():
                fair = self.playing.ledger.fair
                assert fair is not None
                self.playing.ledger.fair = fair.opened(bytes.fromhex(entry.secret))
            case log.Frozen():
                self.frozen = entry.reason
            case log.Closed():
                self.closed = entry.reason
            case log.ChatSent() if entry.text:  # else it was deleted when its time was up
                self.remarks.append(wire.Remark(seat=entry.seat, name=entry.name, text=entry.text))
            case log.Opened() | log.ChatSent() | log.Linked() | log.Rewritten():
                pass

    def _hold(self, held: bool) -> None:
        """Hold the finished deals, so that everybody can look at them, or let the table go on."""
        self.again.clear()
        if not held:
            self.gone_over = len(self.playing.deals)

    def _taken_back(self) -> None:
        self._hold(False)
        self.undone = True
        self.stood_in = frozenset(step for step in self.stood_in if step < len(self.playing.history))

    def _new_match(self, match: int, state: State) -> None:
        self.match, self.state, self.has_begun, self.commitment = match, state, False, ""
        self.contributed, self.again, self.mixed_at, self.undone, self.practised = set(), set(), 0, False, False
        self.linked, self.gone_over, self.stood_in, self.came = (0, False), 0, frozenset(), {}
        self.hosting.new_match({seat.key: p for p, seat in enumerate(self.seats) if seat.key})
        self.parts = {seat.key: Participation(p, seat.name) for p, seat in enumerate(self.seats) if seat.key}

    def _sits(self, entry: log.Sat) -> None:
        seat = self.seats[entry.seat]
        seat.guest, seat.key, seat.away = entry.name, entry.key, False
        self.hosting.sat(entry.key, entry.seat)
        if self.state is not None and not self.is_over:
            if self.commitment and (entry.key not in self.parts or self.parts[entry.key].seat != entry.seat):
                self.came.setdefault((entry.key, entry.seat), (self.known.heard(entry.seat), seat.called))
            before = self.parts.get(entry.key, Participation(entry.seat, entry.name, late=bool(self.state.deals)))
            self.parts[entry.key] = before._replace(left=False)
        if self._is_visited or not self.hosting.is_maker(entry.key):  # whoever opens the table is alone there
            self._notice(entry, seat)
        self._is_visited = True
        self._note_seats((entry.seat,))

    def _goes(self, entry: log.Left | log.Removed) -> None:
        seat = self.seats[entry.seat]
        self._notice(entry, seat)
        self.hosting.left(seat.key, self.has_begun)
        if not self.has_begun:
            self.parts.pop(seat.key, None)
        elif not self.is_over and seat.key in self.parts:
            self.parts[seat.key] = self.parts[seat.key]._replace(left=True)
        if isinstance(entry, log.Removed):
            self.hosting.removed(entry.key)
        seat.guest, seat.key, seat.away = "", "", False
        self.again.discard(entry.seat)
        self._note_seats((entry.seat,))

    def _note_seats(self, seats: Iterable[int]) -> None:
        """Note in the match who holds these seats from now on, unless it is over."""
        state = self.state
        if state is not None and not self.frozen and not state.is_terminal:
            where = len(state.log)
            state.ledger.notes += [Seated(where, p, bool(self.seats[p].key), self.seats[p].name) for p in seats]

    def _notice(self, entry: Noticed, seat: Seat | None = None) -> None:
        self.notice = notice_of(entry, "" if seat is None else seat.guest, "" if seat is None else seat.called)
        self.remarks.append(self.notice)

    @property
    def playing(self) -> State:
        """The match.  Raises ``ParlourError`` if none has begun."""
        if self.state is None:
            raise ParlourError("No match has begun here.")
        return self.state

    @property
    def before_last_step(self) -> State | None:
        """The match as it was before its last step; ``None`` if that is not at hand."""
        earlier = self._earlier
        return earlier if earlier is not None and earlier.history == self.playing.history[:-1] else None

    def _happened(self, seat: int | str, actions: Sequence[str], fell: Sequence[str], after: State | None) -> None:
        if after is not None:
            self._earlier, self.state = self.state, after
            return
        self.playing.ledger.kept.watch()
        for action in actions:
            self.playing.apply(action, int(seat))
        for outcome in fell:
            self.playing.apply(outcome)

    # ------------------------------------------------------------------ how far the match is

    def _take_stock(self) -> None:
        """Work out how far the match is. This is asked often, and only entries of the log change it."""
        state = None if self.frozen else self.state
        if self.lesson is not None and self.state is not None and not self.lesson.has_led_to(self.state):
            self.lesson = None
        self.stop: int = self.lesson.stop_at(len(state.history), self.read) if self.lesson and state else -1
        """The number of the lesson's stop, from 0, at which the table waits for the learner; -1 if it waits at none."""
        who = CHANCE if state is None else state.current_player
        self.is_over = state is not None and who == TERMINAL
        """Whether the match is over."""
        if not self.is_over:
            self._sat_last: list[str] = [seat.key for seat in self.seats]
        self.is_held = state is not None and not (self.is_over or self.closed) and self.gone_over < len(state.deals)
        """Whether everybody is looking at a finished deal before the table goes on."""
        goes_on = state is not None and not self.is_held
        self.is_hushed = goes_on and self.lesson is None and self.playing.hushed
        """Whether somebody may now be asked a question that nobody else may notice."""
        self.waits_for_chance = goes_on and who == CHANCE
        """Whether chance is to decide, after a pause that comes first."""
        is_asked = goes_on and self.has_begun and not self.closed
        self.asked: tuple[int, ...] = self.playing.acting if is_asked else ()
        self.asked_at = {seat: self.asked_at.get(seat, self.at) for seat in self.asked}
        """The seats that are to act; at a hushed question only the seat itself may know."""

    @property
    def has_a_result_to_come(self) -> bool:
        """Whether a match is on whose result will be kept for guests, including guests who have left."""
        is_on = self.has_begun and bool(self.commitment) and not (self.is_done or self.frozen)
        return is_on and bool(self.parts)

    @property
    def owes_results(self) -> bool:
        """Whether bots play a match to its end for guests who have all left: its result is still theirs."""
        return self.has_a_result_to_come and not any(seat.key for seat in self.seats)

    @property
    def awaits(self) -> int:
        """How many more guests must sit here before the first match begins."""
        there = sum(bool(seat.key) for seat in self.seats)
        return 0 if self.state is not None else max(0, self.opened.awaits - there)

    @property
    def is_practice(self) -> bool:
        """Whether this match counts for nobody, because moves may be taken back freely, or have been."""
        return self.opened.practice or self.practised

    def is_alone(self, seat: int) -> bool:
        """Whether bots have all the other seats."""
        return all(other == seat or not one.key for other, one in enumerate(self.seats))

    @property
    def is_done(self) -> bool:
        """Whether nothing more happens in this match."""
        return self.is_over or bool(self.closed)

    def must_be_open(self) -> None:
        """Raise ``ParlourError`` if this table is closed."""
        if self.closed:
            raise ParlourError("This table is closed: {closed}", closed=self.closed)

    @property
    def is_at_last_stop(self) -> bool:
        """Whether a lesson stands at its last stop, after which nothing comes."""
        return self.lesson is not None and self.stop == len(self.lesson.stops) - 1

    def not_yet(self) -> ParlourError:
        """Return the friendly refusal of anything that a lesson does not ask for now."""
        if self.is_at_last_stop:
            return ParlourError("The lesson is over: now play a game.")
        if self.lesson is None or self.stop < 0:
            return ParlourError("For now, watch: the lesson goes on in a moment.")
        return ParlourError(spoken(for_now(self.lesson.stops[self.stop]), [seat.name for seat in self.seats]))

    def seat_of(self, key: str) -> int:
        """Return the seat of the guest with this fingerprint; ``WATCHER`` if they have none."""
        for p, seat in enumerate(self.seats):
            if key and seat.key == key:
                return p
        return WATCHER

    def seat_at_the_end(self, key: str) -> int:
        """Return the seat that the guest with this fingerprint had when the match ended or, if it has not ended, has
        now; ``WATCHER`` if there is none. A guest who sits down after the end has played nothing of the match."""
        return self._sat_last.index(key) if key and key in self._sat_last else WATCHER

    # ------------------------------------------------------------------ what the seats learn

    def _look(self, afresh: bool) -> None:
        """Let every seat see what there is now."""
        if self.state is not None and not self.frozen:
            names = [seat.name for seat in self.seats]
            if names != list(self.state.player_names) and not self.is_over:
                self.state.call_players(names)
            self.known.see(self.state.settled(self.gone_over) if self.is_held else self.state, afresh)
        self.known.note(self.state, self._public(), self.asked, self.at)

    def _public(self) -> Public:
        """Return what everybody knows of the table now."""
        hushed = self.is_hushed
        return Public(
            match=self.match,
            players=[wire.SeatHolder(s.name, s.bot, bool(s.key), s.away) for s in self.seats],
            asked=[] if hushed else list(self.asked),
            hushed=hushed,
            over=self.is_over,
            returns=self.playing.returns() if self.is_over else [],
            again=sorted(self.again),
            host=self.seat_of(self.hosting.maker),
            allowed=self.hosting.allowed,
            frozen=self.frozen,
            closed=self.closed,
            held=self.playing.deals[self.gone_over].returns if self.is_held else (),
            stop=self.stop + 1,
            practice=self.is_practice,
        )


__all__ = ["Change", "Participation", "Table"]
