"""Faults that the simulation must find, planted one at a time: those of the past among them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import count
from typing import Any, Final
from unittest.mock import patch

import sqlalchemy as sa
from msgspec import json, structs
from sqlalchemy.exc import OperationalError

from parlour.base.errors import ParlourError
from parlour.server.bots.reviews import Reviews
from parlour.server.common import clock, wire
from parlour.server.live import moves
from parlour.server.live.appender import LogAppender
from parlour.server.live.connection import Audience
from parlour.server.live.croupier import Croupier
from parlour.server.live.guests import Guests
from parlour.server.live.idempotency import Once
from parlour.server.live.live_table import LiveTable
from parlour.server.live.neighbours import Neighbours
from parlour.server.live.presence import Presence
from parlour.server.live.secrecy import Secrecy
from parlour.server.live.tables import Tables
from parlour.server.store import personal, retention, store
from parlour.server.store.competitions import Competitions
from parlour.server.store.inbox import Inbox
from parlour.server.store.lease import Lease
from parlour.server.store.store import Store
from parlour.server.store.traces import Traces
from parlour.server.store.writer import Job, LogWriter
from parlour.server.table import table as tables
from parlour.server.table.knowledge import SeatKnowledge
from parlour.server.table.seats import WATCHER
from parlour.server.web import server
from tools.simulation.database import Shared

Planting = Callable[[], Any]
PLANTED: Final[dict[str, Planting]] = {}
"""Each fault by its name, as what plants it."""
KIND: Final[dict[str, str]] = {}
"""The kind of world that finds a fault, if others hardly ever do."""


def planted(where: Any, name: str, kind: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Plant a function in place of another, which it is given first; ``kind``: of the worlds that find it."""

    def plants(fault: Callable[..., Any]) -> Callable[..., Any]:
        usual = getattr(where, name)

        def stands_in(*given: Any, **more: Any) -> Any:
            return fault(usual, *given, **more)

        PLANTED[fault.__name__] = lambda: patch.object(where, name, stands_in)
        KIND[fault.__name__] = kind
        return fault

    return plants


# ------------------------------------------------------------------------------------------ the disk


@planted(LogAppender, "append")
async def acknowledged_before_it_is_on_disk(usual: Any, self: LogAppender, *entry: Any) -> None:
    _LATER.append(asyncio.create_task(_quietly(usual(self, *entry))))


_LATER: list[asyncio.Task[None]] = []


async def _quietly(work: Any) -> None:
    with contextlib.suppress(ParlourError):
        await work


@planted(LogWriter, "_commit")
def a_failed_group_is_acknowledged(usual: Any, self: LogWriter, group: Any) -> Any:
    if any(isinstance(one, Job) for one in group):
        return usual(self, group)
    try:
        self._transact(group)
    except OperationalError:
        pass
    except Exception:
        return usual(self, group)
    for one in group:
        one.done.set_result(None)


@planted(LogWriter, "_append_all")
def anybody_may_write_a_log(usual: Any, self: LogWriter, connection: Any, group: Any) -> None:
    for one in group:
        fence = connection.exec_driver_sql("SELECT fence FROM tables WHERE id = ?", (one.table,)).scalar()
        version = connection.exec_driver_sql("SELECT version FROM tables WHERE id = ?", (one.table,)).scalar()
        one.fence, one.version, one.row["version"] = fence, version + 1, version + 1
    usual(self, connection, group[:1])
    for one in group[1:]:
        usual(self, connection, [one])


@planted(Store, "append")
def commands_leave_no_name(usual: Any, self: Store, table: str, fence: int, row: Any, *more: Any) -> Future[None]:
    object.__setattr__(row, "command", None)
    done: Future[None] = usual(self, table, fence, row, *more)
    return done


# ------------------------------------------------------------------------------------------ once


@planted(Once, "is_done", "post")
def what_was_done_is_forgotten(usual: Any, self: Once, name: str) -> bool:
    return False


@planted(LiveTable, "_try")
async def done_is_said_of_what_was_refused(
    usual: Any, self: LiveTable, key: str, name: str, command: Any, *at: Any
) -> Any:
    try:
        return await usual(self, key, name, command, *at)
    except ParlourError:
        return wire.Done(id=command.id)


# ------------------------------------------------------------------------------------------ several servers


@planted(Neighbours, "_read_on")
async def a_table_is_taken_over_as_it_was_last_seen(usual: Any, self: Neighbours, live: LiveTable) -> bool:
    return True


@planted(Neighbours, "_look_at")
async def notices_of_other_servers_are_not_read(usual: Any, self: Neighbours, live: LiveTable, version: int) -> None:
    pass


@planted(Lease, "left")
async def nobody_takes_over(usual: Any, self: Lease, followed: Any) -> set[str]:
    return set()


class _NoneOfOurs(set[str]):
    def __and__(self, others: object) -> set[str]:
        return set()


@planted(Lease, "renew", "kept")
async def a_table_that_is_lost_by_mistake_stays_lost(usual: Any, self: Lease) -> set[str]:
    return _NoneOfOurs(await usual(self))


@planted(Neighbours, "run")
async def the_secret_is_not_taken_over(usual: Any, self: Neighbours, live: LiveTable, fence: int) -> None:
    live.fence = fence
    live.stir()


@planted(Inbox, "withdraw", "passed on")
def what_nobody_waits_for_stays_in_the_inbox(usual: Any, self: Inbox, table: str, key: str) -> None:
    pass


@planted(Inbox, "answer")
def answers_to_other_servers_are_lost(usual: Any, self: Inbox, table: str, key: str, frame: bytes) -> None:
    pass


@planted(LiveTable, "_see_that_it_is_meant", "secrets")
def what_comes_late_from_another_server_counts(usual: Any, self: LiveTable, *given: Any) -> None:
    pass


@planted(Shared, "now")
def servers_go_by_their_own_clocks(usual: Any, self: Shared) -> Any:
    return sa.bindparam("now", callable_=clock.wall, type_=sa.Float, unique=True)


def what_is_kept_is_dated_by_its_servers_own_clock() -> Any:
    return patch.object(Store, "now", property(lambda _: clock.wall()))


PLANTED["what_is_kept_is_dated_by_its_servers_own_clock"] = what_is_kept_is_dated_by_its_servers_own_clock


# ------------------------------------------------------------------------------------------ tables that stand still


@planted(Croupier, "_work")
async def a_croupier_gives_up_when_the_database_fails(usual: Any, self: Croupier) -> None:
    live = self._live
    while live.fence is not None:
        self._stirred.clear()
        try:
            wait = await self.do_next()
        except ParlourError:
            self.stir = lambda: None  # type: ignore[method-assign]
            return
        alarm = None if wait is None else asyncio.get_running_loop().call_later(wait, self.wake)
        await self._stirred.wait()
        if alarm is not None:
            alarm.cancel()


@planted(LiveTable, "are_elsewhere")
def bots_stop_where_everybody_is_at_another_server(usual: Any, self: LiveTable, keys: Any) -> None:
    pass


@planted(Croupier, "wake", "page")
def what_happens_while_a_bot_thinks_goes_unnoticed(usual: Any, self: Croupier) -> None:
    self._stirred.set()


@planted(Croupier, "_let_bots_answer")
async def one_bot_falls_asleep(usual: Any, self: Croupier, seats: list[int]) -> None:
    if len(self._live.table.playing.history) % 17 != 16:
        await usual(self, seats)


@planted(Presence, "_left")
def nobody_counts_as_away(usual: Any, self: Presence, *given: Any) -> float:
    return 3600.0


@planted(LiveTable, "_whispers")
def a_hushed_answer_is_carried_out_at_once(usual: Any, self: LiveTable, seat: int) -> bool:
    return False


# ------------------------------------------------------------------------------------------ what is told


@planted(Audience, "welcome")
def what_was_taken_back_counts_as_heard(usual: Any, self: Audience, newcomer: Any) -> None:
    heard = newcomer.heard
    usual(self, newcomer)
    newcomer.heard = heard if newcomer.match == self._table.match else 0


@planted(Audience, "welcome")
def sentences_are_lost_when_somebody_reconnects(usual: Any, self: Audience, newcomer: Any) -> None:
    usual(self, newcomer)
    newcomer.seat = self._table.seat_of(newcomer.key)
    newcomer.heard = self._table.known.heard(newcomer.seat)


@planted(Audience, "welcome")
def what_another_seat_was_told_counts_as_heard(usual: Any, self: Audience, newcomer: Any) -> None:
    newcomer.seat = self._table.seat_of(newcomer.key)
    usual(self, newcomer)


@planted(Audience, "rewind", "page")
def what_was_taken_back_counts_as_shown(usual: Any, self: Audience) -> None:
    pass


@planted(SeatKnowledge, "note")
def versions_count_what_nobody_noticed(usual: Any, self: SeatKnowledge, *given: Any, **more: Any) -> None:
    usual(self, *given, **more)
    self.marks[0] += int(clock.wall()) % 2


@planted(tables, "step_back")
def an_undo_goes_one_step_too_far(usual: Any, state: Any) -> Any:
    step = usual(state)
    if len(state.history) > 2 and state.history[-1].player >= 0:
        usual(state)
    return step


@contextlib.contextmanager
def nonces_do_not_count() -> Iterator[None]:
    with patch.object(moves, "mix", lambda *_: None), patch.object(tables, "mix", lambda *_: None):
        yield


PLANTED["nonces_do_not_count"] = nonces_do_not_count


@planted(Croupier, "_mix", "passed on")
async def numbers_that_were_shown_are_collected_again(usual: Any, self: Croupier) -> Any:
    self._mixed = None
    return await usual(self)


# ------------------------------------------------------------------------------------------ the club


@planted(Guests, "_keep_at_last", "locked")
async def results_are_tried_to_keep_once(usual: Any, self: Guests, name: str, match: int, results: Any) -> None:
    with contextlib.suppress(ParlourError):
        await asyncio.to_thread(self._traces.keep_results, name, match, results)


@planted(Traces, "_rated")
def a_match_counts_twice(usual: Any, self: Traces, *given: Any) -> Any:
    usual(self, *given)
    return usual(self, *given)


@planted(Secrecy, "secret_for")
async def tables_of_an_event_have_their_own_cards(usual: Any, self: Secrecy, event: str) -> bytes:
    secret: bytes = await usual(self, "")
    return secret


@planted(Competitions, "enter")
def a_guest_may_enter_an_event_twice(usual: Any, self: Competitions, *given: Any) -> bool:
    usual(self, *given)
    return True


@planted(server, "told", "mixed")
def pages_fail_with_the_database(usual: Any, wrong: ParlourError) -> Any:
    answer = usual(wrong)
    answer.status_code += answer.status_code == 503
    return answer


@planted(store, "old_remarks")
def messages_are_kept(usual: Any, *given: Any, **more: Any) -> list[tuple[str, int]]:
    return []


@planted(retention, "_forget_guests")
def closed_tables_know_their_guests(usual: Any, *given: Any) -> None:
    pass


@planted(personal, "_give_commands")
def commands_know_who_gave_them(usual: Any, *given: Any) -> None:
    pass


@planted(Reviews, "_run")
async def reviews_do_not_end(usual: Any, self: Reviews, *given: Any) -> None:
    await asyncio.get_running_loop().create_future()


# ------------------------------------------------------------------------------------------ what grows


@planted(Tables, "put_away")
async def tables_stay_in_memory(usual: Any, self: Tables, live: LiveTable, reason: str) -> None:
    if reason:
        await usual(self, live, reason)


@planted(Tables, "soon")
def tasks_are_kept(usual: Any, self: Tables, work: Any) -> None:
    usual(self, work)
    self._tasks[object()] = None  # type: ignore[index]


@planted(Store, "tidy")
def the_inbox_is_never_tidied(usual: Any, self: Store) -> None:
    pass


# ------------------------------------------------------------------------------------------ leaks


def _asked_aloud() -> Any:
    return patch.object(Croupier, "_keep_beat", _beat_that_tells)


async def _beat_that_tells(self: Croupier) -> float:
    live, table = self._live, self._live.table
    if live.beat.begin(self._steps, table.opened.beat if table.asked else table.opened.beat / 2):
        for seat in table.asked:
            if table.seats[seat].is_bots:
                live.tables.soon(self._let_bot_whisper(seat, self._steps))
    if live.beat.left == 0:
        await self._end_beat()
    return live.beat.left


PLANTED["a_beat_is_shorter_if_nobody_is_asked"] = _asked_aloud


@planted(LiveTable, "whisper")
async def an_answer_ends_the_beat(usual: Any, self: LiveTable, seat: int, name: str, line: str) -> None:
    moves.may(self.table, seat, line)
    self.beat._ends = clock.now()
    self.croupier.wake()
    await usual(self, seat, name, line)


@planted(Audience, "tell")
def everybody_is_told_when_anybody_is(usual: Any, self: Audience, only: Any = None) -> None:
    for one in self.connections:
        one.version = -1
    usual(self, only)


@planted(LiveTable, "_try")
async def a_strong_hand_takes_longer(usual: Any, self: LiveTable, key: str, name: str, command: Any, *at: Any) -> Any:
    if isinstance(command, wire.Act):
        await asyncio.sleep(sum(json.encode(self.table.known._views[self.table.seat_of(key)])) % 8 / 20)
    return await usual(self, key, name, command, *at)


@planted(SeatKnowledge, "telling")
def who_is_asked_in_secret_is_told(usual: Any, self: SeatKnowledge, seat: int, *given: Any) -> Any:
    told = usual(self, seat, *given)
    asked = [s for s in range(self._game.players) if self._choices[s]]
    return structs.replace(told, asked=asked)


@planted(SeatKnowledge, "view", "pair")
def a_view_shows_another_seat(usual: Any, self: SeatKnowledge, seat: int) -> Any:
    return usual(self, (seat + 1) % self._game.players if seat != WATCHER else 0)


# ------------------------------------------------------------------------------------------ finding them


@dataclass
class Found:
    """How a planted fault was found: by which world, after how many seconds, and what was said; or not."""

    fault: str
    seed: int
    seconds: float
    said: str


def find(fault: str, most: float = 60.0) -> Found:
    """Look for a planted fault for so many seconds."""
    from tools.simulation.runs import LARGE, kind_of, play

    began = time.process_time()
    with PLANTED[fault]():
        for seed in count(1):
            if kind_of(seed) == LARGE or KIND.get(fault, "") not in ("", kind_of(seed)):
                continue
            said = play(seed).broken
            took = time.process_time() - began
            if said and not said.startswith("Traceback"):
                return Found(fault, seed, took, said)
            if took > most:
                break
    return Found(fault, 0, took, "")


__all__ = ["PLANTED", "Found", "find"]
