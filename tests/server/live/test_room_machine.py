"""A table under everything that guests, bots, chance and the clock can do to it, in any order.

Whatever happens is an entry of its log; the machine keeps the log and holds the table against what follows from it.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import parlour
from parlour.base.errors import ParlourError
from parlour.core.verifying import verify
from parlour.server.common import wire
from parlour.server.live import moves, proof, seating
from parlour.server.table import log
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change, Table
from tests.worlds import opened

KEYS = ("zoe", "abe", "cleo", "dan")
NAMES = {"zoe": "Zoé", "abe": "Abe", "cleo": "Cleo", "dan": "Dan"}
guests = st.sampled_from(KEYS)
seats = st.integers(-1, 3)


class TableMachine(RuleBasedStateMachine):
    """A table, its log, and the secrets of its matches."""

    game = "leduc"

    def __init__(self) -> None:
        super().__init__()
        self.first = opened(parlour.load(self.game))
        self.table = Table(self.first)
        self.log: list[log.AnyEntry] = []
        self.secrets: dict[int, bytes] = {}
        self.marks = list(self.table.known.marks)

    @property
    def secret(self) -> bytes | None:
        return self.secrets.get(self.table.match)

    def write(self, change: Change) -> None:
        """Do what a server does with a change: it goes to the log, as text, and into the table."""
        self.log.append(log.decode(log.encode(change.entry)))
        self.table.commit(change)

    def attempt(self, change: Any, *given: Any) -> bool:
        """Write what somebody wants down if it may be; else nothing has happened, and they get a sentence."""
        version, tellings = self.table.version, self.tellings(self.table)
        refused = ""
        try:
            made = change(*given)
        except ParlourError as mistake:
            refused = str(mistake)
        if not refused:
            self.write(made)
            return True
        assert re.search(r"[.!?]( \([A-Z]+-\d+\))?$", refused), refused
        assert (self.table.version, self.tellings(self.table)) == (version, tellings)
        return False

    def tellings(self, table: Table) -> list[wire.Telling]:
        return [table.known.telling(seat) for seat in (*range(table.game.players), WATCHER)]

    # ------------------------------------------------------------------ what people do

    @rule(key=guests, seat=seats)
    def sit(self, key: str, seat: int) -> None:
        sat_before = self.table.seat_of(key)
        if self.attempt(seating.sit, self.table, seat, NAMES[key], key):
            assert sat_before == WATCHER
            assert self.table.seat_of(key) != WATCHER

    @rule(key=guests)
    def leave(self, key: str) -> None:
        seat = self.table.seat_of(key)
        if self.attempt(seating.leave, self.table, seat):
            assert self.table.seat_of(key) == WATCHER
            assert self.table.seats[seat].is_bots

    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        if not self.table.asked:
            return
        seat = data.draw(st.sampled_from(self.table.asked))
        action = data.draw(st.sampled_from(self.table.known.question(seat)[1]))
        line, newcomers = self.table.game.action_names[action], data.draw(st.booleans())
        assert self.attempt(moves.act, self.table, seat, line, self.secret, newcomers)

    @rule(seat=seats, line=st.sampled_from(["fold", "raise", "call", "pass on", "", "no such thing"]))
    def act_out_of_turn(self, seat: int, line: str) -> None:
        seat = min(seat, self.table.game.players - 1)
        if seat not in self.table.asked:
            assert not self.attempt(moves.act, self.table, seat, line, self.secret)

    @precondition(lambda self: self.table.state is not None and not self.table.waits_for_chance)
    @rule()
    def let_chance_go_on_when_it_has_nothing_to_decide(self) -> None:
        if self.table.has_begun:
            assert not self.attempt(moves.go_on, self.table, self.secret, {0: bytes(32)})

    @rule(seat=seats)
    def undo(self, seat: int) -> None:
        state = self.table.state
        steps = len(state.history) if state is not None else 0
        if self.attempt(moves.undo, self.table, seat):
            assert self.table.state is not None
            assert len(self.table.state.history) < steps

    @rule(key=guests, text=st.sampled_from(["Well played.", " ", "a\nb", "\x00"]))
    def say(self, key: str, text: str) -> None:
        before = self.tellings(self.table)
        self.attempt(seating.say, self.table, self.table.seat_of(key), text)
        assert self.tellings(self.table) == before  # a remark is not part of the game

    @rule(key=guests)
    def again(self, key: str) -> None:
        self.attempt(seating.want_again, self.table, self.table.seat_of(key))

    # ------------------------------------------------------------------ what the croupier does

    @precondition(lambda self: self.table.state is None or self.table.is_over)
    @rule(secret=st.binary(min_size=32, max_size=32))
    def begin(self, secret: bytes) -> None:
        match = self.table.match
        if self.attempt(moves.commit_to, self.table, secret):
            self.secrets[match + 1] = secret
            assert self.table.match == match + 1

    @precondition(lambda self: self.table.state is not None and not self.table.is_over)
    @rule(data=st.data())
    def let_chance_go_on(self, data: st.DataObject) -> None:
        if self.table.has_begun and not self.table.waits_for_chance:
            return
        guests_here = [
            p for p, seat in enumerate(self.table.seats) if seat.key and seat.key not in self.table.contributed
        ]
        wanted = data.draw(st.lists(st.sampled_from(guests_here), unique=True)) if guests_here else []
        nonces = {seat: bytes([seat + 1] * 32) for seat in wanted}
        self.attempt(moves.go_on, self.table, self.secret, nonces)

    @rule(data=st.data())
    def away_or_back(self, data: st.DataObject) -> None:
        taken = [p for p, seat in enumerate(self.table.seats) if seat.key]
        if taken:
            seat = data.draw(st.sampled_from(taken))
            away = self.table.seats[seat].away
            self.write(Change(log.Back(seat) if away else log.Away(seat)))
            assert self.table.seats[seat].is_bots is not away

    @precondition(lambda self: self.table.is_over and self.secret is not None)
    @rule()
    def reveal(self) -> None:
        assert self.table.state is not None
        fair = self.table.state.ledger.fair
        if fair is not None and fair.secret is None:
            self.write(proof.reveal(self.secret or b""))
            assert verify(proof.record(self.table, WATCHER)).is_fair

    @rule()
    def resume(self) -> None:
        """The server is stopped, and another one reads the log."""
        read = Table(self.first)
        for entry in self.log:
            read.commit(Change(entry))
        self.table.known.marks, marks = read.known.marks, self.table.known.marks
        assert self.tellings(read) == self.tellings(self.table)
        self.table.known.marks = marks
        self.table, self.marks = read, list(read.known.marks)

    # ------------------------------------------------------------------ what is always so

    @invariant()
    def a_guest_has_one_seat_and_a_name_of_their_own(self) -> None:
        keys = [seat.key for seat in self.table.seats if seat.key]
        names = [seat.name.casefold() for seat in self.table.seats]
        assert len(keys) == len(set(keys))
        assert len(names) == len(set(names))

    @invariant()
    def every_entry_is_counted_and_no_seat_forgets_what_it_noticed(self) -> None:
        assert self.table.version == 1 + len(self.log)
        assert all(now >= before for now, before in zip(self.table.known.marks, self.marks, strict=True))
        self.marks = list(self.table.known.marks)

    @invariant()
    def only_who_is_asked_has_a_choice(self) -> None:
        for telling in self.tellings(self.table):
            assert bool(telling.choices) is (telling.seat in self.table.asked)
            assert telling.heard == len(telling.new)

    @invariant()
    def a_record_is_whole_only_when_the_secret_was_revealed(self) -> None:
        state = self.table.state
        if state is not None and state.ledger.fair is not None:
            redacted = "redacted" in proof.record(self.table, WATCHER).split("\n\n")[0]
            assert redacted is (not self.table.is_over or state.ledger.fair.secret is None)


class CommitMachine(TableMachine):
    game = "commit"


@pytest.mark.parametrize("machine", [TableMachine, CommitMachine], ids=lambda machine: machine.game)
def test_a_table_is_what_its_log_says_whatever_happens(machine: type[TableMachine]) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(machine, settings=settings(max_examples=25, stateful_step_count=40, deadline=None))
