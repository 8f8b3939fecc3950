"""All tables that a server runs, or follows because another server on the same database runs them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import secrets
from collections import deque
from collections.abc import Collection, Coroutine
from concurrent.futures import Future
from typing import Any, Final

from msgspec import MsgspecError

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.server.bots.best_line import BestLines
from parlour.server.bots.bots import Bots, Workers
from parlour.server.bots.reviews import Reviews
from parlour.server.common import clock, wire
from parlour.server.common.errors import Moved, NoTable, Private
from parlour.server.common.executors import LOGS, RECORDS, TRACES
from parlour.server.common.limits import HOUR
from parlour.server.common.metrics import Metrics
from parlour.server.live import moves
from parlour.server.live.idempotency import Once
from parlour.server.live.identity import Tokens
from parlour.server.live.live import LiveTable
from parlour.server.live.session import Session
from parlour.server.store import lease
from parlour.server.store.competitions import Competitions
from parlour.server.store.history import MatchResult, results_of
from parlour.server.store.inbox import Asked, Inbox
from parlour.server.store.lease import Lease
from parlour.server.store.retention import Keep
from parlour.server.store.statements import GUESTS
from parlour.server.store.store import Store, StoredEntry, Unreachable
from parlour.server.store.traces import Traces
from parlour.server.table import log
from parlour.server.table.competition_names import day_of, deals_alike, today
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change, Table

HOUSE: Final = 1.5
"""Seconds between two rounds in which a server looks at all its tables."""
STAY: Final = 6.0
"""Seconds for which a guest counts as connected to a server that has said so."""
IDLE: Final = 300.0
"""Seconds after which a table that nobody looks at is removed from memory; its log remains."""
ABANDONED: Final = 86400.0
"""Seconds after which a table that nobody has used is closed."""
ANSWER_SECONDS: Final = 4.0
"""How long a command may take to reach the server that runs the table: long enough for another one to take over."""
REMIND: Final = 1.0
"""Seconds after which a server that has not answered is asked again."""
PING: Final = 2.0
"""Seconds within which the database must answer a server that checks on it."""
OVERTIME: Final = 3600.0
"""Seconds for which matches go on after their event is over; then everybody may know its cards."""
LASTS: Final = 2 * 86400.0
"""Seconds after which everybody may know the cards of an event, if nobody has ended it."""
FORSAKEN: Final = 60 * 86400.0
"""The same for a table by post."""
_ABANDONED: Final = (
    (False, ABANDONED, marked("nobody has been here for a day.")),
    (True, FORSAKEN, marked("nobody has been here for two months.")),
)
ENDED: Final = marked("You are signed out: this token is no longer valid.")
"""What is said to whoever is connected with a token that has ended."""
REWRITTEN: Final = marked("A guest has deleted what is kept of them here, or has a new token; reconnect.")
"""What is said to everybody at a table whose log has changed."""
CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH: Final = 6

_journal = logging.getLogger("parlour.server")


class Tables:
    """All tables of a server, over a store that it may share with other servers.  ``keep``: how long it keeps what is
    over."""

    def __init__(self, store: Store, bots: Bots | None = None, keep: Keep | None = None) -> None:
        self.store, self.bots, self.metrics, self.keep = store, bots or Bots(), Metrics(), keep or Keep()
        self.competitions, self.tokens = Competitions(store), Tokens(store.signet(), store.ended())
        self.inbox, self.traces = Inbox(store), Traces(store)
        self.lease = Lease(store, secrets.token_hex(8))
        self.live: dict[str, LiveTable] = {}
        self.metrics.tables.set_function(lambda: len(self.live))
        self.metrics.connections.set_function(self._connections)
        self.best_lines = BestLines(self.bots, self.competitions)
        self.reviews, self.aside = Reviews(self.bots), Workers(1)
        """``aside``: a process for work that would hold up everything else in this one."""
        self._loading: dict[str, asyncio.Task[LiveTable]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._kept: deque[tuple[asyncio.Future[None], BaseException | None]] = deque()
        self._waking = False
        self._passed_on: dict[tuple[str, str], float] = {}  # commands of guests at other servers, and their patience
        self._pinging: asyncio.Task[None] | None = None
        self._pinged = -1.0

    def _connections(self) -> int:
        return sum(len(live.audience.connections) for live in list(self.live.values()))

    @property
    def owner(self) -> str:
        """The name of this server, unique on its database."""
        return self.lease.owner

    @property
    def has_neighbours(self) -> bool:
        """Whether other servers may use the same database, and run a table if this one cannot."""
        return self.store.is_shared

    def start(self) -> None:
        """Start the regular work; call it in a running event loop."""
        self._loop = asyncio.get_running_loop()
        self.store.listen(self._heard, self.owner)
        self.soon(self._keep_lease())
        if self.has_neighbours:
            self.soon(self._keep_awake())  # beside the lease: it must not miss what happens while that is renewed
        self.soon(self._keep_house())

    async def close(self) -> None:
        """Stop; the tables remain in their logs, for whoever takes them next."""
        for task in list(self._tasks):
            task.cancel()
        self.reviews.close()
        self.best_lines.close()
        for live in list(self.live.values()):
            await self._put_away(live, "The server is stopping for a moment; reconnect.")
        self.bots.close()
        self.aside.close()
        await asyncio.to_thread(self.store.close)

    def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Start something in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ------------------------------------------------------------------ tables

    async def open(self, opened: log.Opened, record: str = "") -> LiveTable:
        """Open a new table; with a record, its match continues from there."""
        table = Table(opened)
        resumed = await RECORDS.do(moves.resume, table, record) if record else None
        name = secrets.token_urlsafe(12)
        while True:
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
            if await asyncio.to_thread(self.store.find, code) is None:
                break
        fence = await asyncio.to_thread(self.store.make, name, code, opened, self.owner, lease.LEASE)
        live = self.live[name] = LiveTable(self, name, code, fence, table, Once())
        if resumed is not None:
            async with live.lock:
                await live.write(resumed)
        return live

    async def session(self, name: str, key: str) -> Session:
        """Return the table of this name or code as the guest with this key has it.  Raises :class:`NoTable` if there is
        none, and :class:`Private` if the guest may not see it yet."""
        live = await self.get(name)
        table = live.table
        is_mine = table.seat_of(key) != WATCHER or table.hosting.before(key) is not None
        if table.deals_alike and not is_mine and not await self.is_open(table.opened.event):
            raise Private("Only those who play at this table can see it, because others are dealt the same cards.")
        live.looked_at_by(key)
        return Session(live, key)

    async def secret_for(self, event: str) -> bytes:
        """Return the secret of a match that is to begin at a table of an event: the same for all of them."""
        if not deals_alike(event):
            return secrets.token_bytes(32)
        kept = await asyncio.to_thread(self.competitions.get, event)
        if kept is None or kept.secret is None:
            raise ParlourError("This table's event no longer exists.")
        return kept.secret

    def sure(self) -> float:
        """Return the time that has surely come, in seconds since 1970."""
        return self.store.sure()

    async def is_over(self, event: str) -> bool:
        """Whether no match begins any more with the cards that all tables of an event share: its day is over, or its
        host has ended it, or it has lasted long enough."""
        return deals_alike(event) and await self._is_past(event, self.sure())

    async def is_open(self, event: str) -> bool:
        """Whether everybody may know the cards of an event: it is over, and nobody plays them any more.  A duplicate
        waits for its last match; all matches have an hour, and are not played on after it."""
        if not deals_alike(event) or await self._is_past(event, self.sure() - OVERTIME, whoever_ended_it=False):
            return True
        return not day_of(event) and await self.is_over(event) and not await self._is_played(event)

    async def _is_past(self, event: str, at: float, whoever_ended_it: bool = True) -> bool:
        """Whether an event was over at a time; or whether its time was."""
        if day := day_of(event):
            return day < today(at)
        kept = await asyncio.to_thread(self.competitions.get, event)
        return kept is None or (kept.closed and whoever_ended_it) or kept.made + LASTS < at

    async def _is_played(self, event: str) -> bool:
        """Whether a table of an event has still to be played to its end."""
        for code in {one.code for one in await asyncio.to_thread(self.competitions.entrants, event) if one.code}:
            with contextlib.suppress(NoTable):
                table = (await self.get(code)).table
                if not (table.is_done or table.frozen):
                    return True
        return False

    async def seat(self, live: LiveTable, key: str, name: str, seat: int) -> None:
        """Seat a guest at a table that they may not see yet.  Raises ``ParlourError`` if that is not possible."""
        await Session(live, key).sit(name, seat)

    async def get(self, name: str) -> LiveTable:
        """Return the table of this name or code, from its log if it is not in memory.  Raises :class:`NoTable` if there
        is none."""
        live = self.live.get(name)
        if live is not None:
            return live
        if len(name) == CODE_LENGTH:
            found = await asyncio.to_thread(self.store.find, name.upper())
            if found is not None:
                return await self.get(found)
        task = self._loading.get(name)
        if task is None:
            task = self._loading[name] = asyncio.create_task(self._load(name))
            task.add_done_callback(lambda _: self._loading.pop(name, None))
        return await asyncio.shield(task)

    async def ping(self) -> None:
        """Write to the database and read from it, at most once a second.  Raises :class:`Unreachable` if that fails or
        takes too long."""
        if clock.now() - self._pinged < 1.0:
            return
        if self._pinging is None or self._pinging.done():  # one at a time, however many ask
            self._pinging = asyncio.create_task(self._ping())
        done, _ = await asyncio.wait([self._pinging], timeout=PING)
        if not done:
            raise Unreachable("The database has not answered for {ping:g} seconds.", ping=PING)
        self._pinging.result()

    async def _ping(self) -> None:
        await self.lease.renew()
        await asyncio.to_thread(self.store.check)
        self._pinged = clock.now()

    async def listed(self, most: int) -> list[Session]:
        """Return the open tables that the lobby may list, newest first, as spectators have them."""
        found = []
        for name in (await asyncio.to_thread(self.store.tables))[:most]:
            with contextlib.suppress(ParlourError):
                found.append(await self.session(name, ""))
        return found

    async def seated(self, guest: str, most: int) -> list[Session]:
        """Return the open tables at which a guest has a seat, where they sat down last first."""
        found = []
        for name in await asyncio.to_thread(self.traces.seated, guest, most):
            with contextlib.suppress(ParlourError):
                session = await self.session(name, guest)
                if session.seat != WATCHER:
                    found.append(session)
        return found

    async def results(self, guest: str, most: int) -> list[MatchResult]:
        """Return how a guest's matches ended, the latest first."""
        return await asyncio.to_thread(self.traces.results, guest, most)

    async def kept(self, codes: Collection[str]) -> set[str]:
        """Return those of these invitations of which the tables are still kept."""
        return await asyncio.to_thread(self.store.known, codes)

    async def saved(self, guest: str) -> dict[str, Any]:
        """Return all that is kept of a guest."""
        return await TRACES.do(self.traces.saved, guest)

    async def knows(self, guest: str) -> bool:
        """Whether anything lasting is kept of a guest."""
        return await asyncio.to_thread(self.traces.knows, guest)

    async def forget(self, guest: str) -> None:
        """Delete what is kept of a guest; their token is no longer valid."""
        await self._rewritten(await TRACES.do(self.traces.forget_guest, guest))

    async def move(self, guest: str, other: str) -> None:
        """Let a guest be known by another fingerprint; the token that they had is no longer valid."""
        await self._rewritten(await TRACES.do(self.traces.move_guest, guest, other))

    async def _rewritten(self, tables: Collection[str]) -> None:
        """Logs have been rewritten, and a token has ended.  Other servers are told so by the database."""
        await self._end_tokens()
        for live in [live for live in self.live.values() if live.id in tables]:
            live.lose()
            await self._catch_up(live)

    async def _end_tokens(self) -> None:
        """Send away whoever is here with a token that is no longer valid."""
        self.tokens.ended |= await asyncio.to_thread(self.store.ended)
        for live in list(self.live.values()):
            live.audience.dismiss(ENDED, self.tokens.ended)

    async def _load(self, name: str) -> LiveTable:
        code = await asyncio.to_thread(self.store.code, name)
        if code is None:
            raise NoTable("There is no such table.")
        fence = await self.lease.take(name)
        table, commands = await LOGS.do(self._read, name)
        live = LiveTable(self, name, code, None, table, Once(commands))
        if fence is not None:
            await self._run(live, fence)
        self.live[name] = live  # nobody was told what has come in since it was read
        await (self._catch_up(live) if fence is None else self._do_what_is_asked(live))
        return live if self.live.get(name) is live else await self._load(name)  # it may have been rewritten since

    async def past(self, name: str, match: int) -> Table:
        """Return a table as it stood after one of its earlier matches, from its log."""
        return (await RECORDS.do(self._read, name, match))[0]

    def _read(self, name: str, last: float = math.inf) -> tuple[Table, set[str]]:
        """Return a table as its log says, up to the match ``last``; it stops if its log can no longer be played."""
        try:
            rows = self.store.read(name)
        except MsgspecError as wrong:
            _journal.error("the log of table %s cannot be read: %s", name, wrong)
            raise ParlourError("The log of this table cannot be read.") from None
        first = rows[0].entry if rows else None
        if not isinstance(first, log.Opened):
            _journal.error("the log of table %s does not begin with its opening", name)
            raise ParlourError("The log of this table cannot be read.")
        table = Table(first)
        for row in rows[1:]:
            if isinstance(row.entry, log.Committed | log.Resumed) and row.entry.match > last:
                break
            try:
                table.commit(Change(row.entry), row.at, row.command)
            except Exception as failure:
                _journal.error("the log of table %s cannot be played", name, exc_info=failure)
                table.freeze("its log cannot be played by this software. Nothing is lost: the log is kept.")
        return table, {row.command for row in rows if row.command}

    async def _run(self, live: LiveTable, fence: int) -> None:
        """Run a table from now on."""
        if live.table.match:
            live.secret = await asyncio.to_thread(self.store.secret, live.id, live.table.match)
        live.fence = fence  # not before: without the secret no card can fall
        if live.table.is_over:  # the server before this one may have died before it kept the results
            self.ended(live)
        live.stir()

    def ended(self, live: LiveTable) -> None:
        """Keep how the match of a table ended, for its guests."""
        live.ended = live.table.match
        results = results_of(live.table, live.code, clock.wall())
        if results:
            self.soon(self._keep_results(live.id, live.ended, results))

    async def _keep_results(self, name: str, match: int, results: dict[str, MatchResult]) -> None:
        try:
            await asyncio.to_thread(self.traces.keep_results, name, match, results)
        except ParlourError as trouble:
            _journal.warning("the results of table %s cannot be kept: %s", name, trouble)

    async def written(self, name: str, fence: int, row: StoredEntry, secret: tuple[int, bytes] | None) -> None:
        """Wait until an entry is on disk."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def kept(outcome: Future[None]) -> None:  # in the thread that writes
            self._kept.append((done, outcome.exception()))
            if not self._waking:
                self._waking = True
                loop.call_soon_threadsafe(self._acknowledge)

        patience = self._passed_on.get((name, row.command or ""), 0.0)
        self.store.append(name, fence, row, secret, patience).add_done_callback(kept)
        await done

    def _acknowledge(self) -> None:
        """Tell everybody who waits for entries that are on disk; one call serves the many that were written
        together."""
        self._waking = False
        while self._kept:
            done, failure = self._kept.popleft()
            if done.cancelled():
                continue
            if failure is None:
                done.set_result(None)
            else:
                done.set_exception(failure)

    def lost(self, live: LiveTable) -> None:
        """Another server has taken a table: follow it from its log."""
        live.lose()
        self.soon(self._catch_up(live))

    async def _put_away(self, live: LiveTable, reason: str) -> None:
        mine = live.fence is not None
        self.reviews.table_gone(live.id)
        await live.stop()
        if self.live.get(live.id) is live:
            del self.live[live.id]
        if mine:
            await asyncio.to_thread(self.store.release, live.id, self.owner)
        live.audience.dismiss(reason)

    async def _keep_lease(self) -> None:
        """Renew the lease on the tables that are ours, and take over those that nobody runs."""
        while True:
            try:
                ours = [
                    live for live in self.live.values() if live.fence is not None
                ]  # more may be added in the meantime
                mine = await self.lease.renew()
                for live in ours:
                    if live.fence is not None and live.id not in mine and not live.table.closed:
                        self.lost(live)
                followed = [live.id for live in self.live.values() if live.fence is None and not live.table.closed]
                left = await self.lease.left(followed)
                await asyncio.gather(*(self._take_over(self.live[name]) for name in left if name in self.live))
            except ParlourError as trouble:
                _journal.warning("%s", trouble)
            except Exception as trouble:  # one faulty table must not lose the others
                _journal.error("cannot look after the tables of other servers", exc_info=trouble)
            await self.lease.next_round()

    async def _keep_awake(self) -> None:
        """Dismiss whoever is here when the server has stood still: they have gone to another one, and have their
        commands carried out there."""
        async for _ in self.lease.standstills():
            for live in list(self.live.values()):
                live.audience.dismiss("The server stalled for a while; reconnect.")

    async def _keep_house(self) -> None:
        """Say who is here, put away tables that nobody looks at, close those that nobody uses, and delete what is past
        its time."""
        closing = clock.now()
        while True:
            await asyncio.sleep(HOUSE)
            try:
                for live in list(self.live.values()):
                    follows = live.fence is None and not live.table.closed
                    if follows or (self.has_neighbours and (live.spectators_here or live.said_here or live.elsewhere)):
                        await self._say_who_is_here(live)
                    if not follows and not live.audience.connections and clock.now() - live.presence.seen > IDLE:
                        if not live.table.owes_results:
                            await self._put_away(live, "")
                if clock.now() > closing:
                    closing = clock.now() + HOUR
                    await asyncio.to_thread(self.store.settle)
                    await asyncio.to_thread(self.store.tidy)
                    await self._close_abandoned()
                    await asyncio.to_thread(self.store.forget, self.keep)
            except ParlourError as trouble:
                _journal.warning("%s", trouble)
            except Exception as trouble:  # one faulty table must not lose the others
                _journal.error("keeping house failed", exc_info=trouble)

    async def _close_abandoned(self) -> None:
        """Close tables that nobody has used for a day; those by post, for two months.  If a match is on there, its
        guests count as having left it, so that bots play it to the end: who goes without a word has a result, too.
        Whatever is due before that, such as a bot's move for somebody who takes too long, is done when the tables are
        looked at."""
        now = self.sure()
        for by_post, since, why in _ABANDONED:
            for name in await asyncio.to_thread(self.store.untouched, now - since, by_post):
                with contextlib.suppress(ParlourError):
                    live = await self.get(name)
                    if live.fence is not None and not (live.audience.connections or live.table.owes_results):
                        if live.table.has_a_result_to_come:
                            await live.leave_to_bots()
                        else:
                            await live.close(why)
                            await self._put_away(live, "")
        for name in await asyncio.to_thread(self.store.untouched, now - ABANDONED, True, True):
            with contextlib.suppress(ParlourError):
                await self.get(name)

    # ------------------------------------------------------------------ several servers

    def _heard(self, name: str, version: int) -> None:
        """A table has gone on, or (0) something else about it has changed; called in another thread."""
        live = self.live.get(name)
        if name == GUESTS and self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: self.soon(self._end_tokens()))
        if live is not None and self._loop is not None and (version == 0 or live.fence is None):
            self._loop.call_soon_threadsafe(lambda: self.soon(self._look_at(live, version)))

    async def _look_at(self, live: LiveTable, version: int) -> None:
        """Take in what the server that runs a table has written, or see whether it is still run; if it is ours, carry
        out commands of guests at other servers."""
        live.woken.set()
        live.woken = asyncio.Event()
        with contextlib.suppress(ParlourError):
            if live.fence is None:
                await (self._catch_up(live) if version else self._look_after(live))
            else:
                await self._do_what_is_asked(live)
                await self._say_who_is_here(live)

    async def _catch_up(self, live: LiveTable) -> None:
        async with live.following:
            if live.fence is None:  # otherwise this server writes the log
                await self._read_on(live)

    async def _read_on(self, live: LiveTable) -> bool:
        """Take in what others have written to a log; return whether it goes on from what is known of it.  If it was
        rewritten, the table is read again when somebody next asks for it."""
        for row in await asyncio.to_thread(self.store.read, live.id, live.table.version):
            if isinstance(row.entry, log.Rewritten):
                await self._put_away(live, REWRITTEN)
                return False
            live.committed(Change(row.entry), row.command)
        return True

    async def _do_what_is_asked(self, live: LiveTable) -> None:
        """Carry out commands of guests at other servers, also those left for the server that had the table before."""
        for wish in await asyncio.to_thread(self.inbox.asked, live.id, _patience(live)):
            self.soon(self._answer(live, wish))

    async def _answer(self, live: LiveTable, wish: Asked) -> None:
        one = live.id, wish.key
        if one in self._passed_on:  # every notice leads here
            return
        self._passed_on[one] = _patience(live)  # it is written only while somebody waits for it
        try:
            await self._answer_once(live, wish)
        except ParlourError:  # whoever waits will ask again
            pass
        finally:
            del self._passed_on[one]

    async def _answer_once(self, live: LiveTable, wish: Asked) -> None:
        try:
            passed_on = wire.forwarded(wish.command)
        except MsgspecError as wrong:
            sentence = f"That isn't a valid command: {wrong}."
            answer: wire.Answer = wire.Refused(id=wish.key.rpartition(" ")[2], sentence=sentence)
        else:
            answer = await live.do(wish.seat_key, passed_on.command, (passed_on.match, passed_on.version))
        await asyncio.to_thread(self.inbox.answer, live.id, wish.key, wire.encode(answer))

    async def forward(self, live: LiveTable, key: str, whole: str, command: wire.PassedOn) -> wire.Answer:
        """Have a command carried out by the server that runs the table.  Its effects are told before the answer comes,
        just as they are at that server."""
        if self.lease.is_cut_off:  # it may be old, and its guest may be elsewhere by now
            raise Moved("The server was cut off for a while; reconnect.")
        try:
            return await self._pass_on(live, key, whole, command)
        except Unreachable:  # nobody knows whether it was passed on; it will be answered wherever it is done
            raise Moved("The database does not answer; reconnect.") from None

    async def _pass_on(self, live: LiveTable, key: str, whole: str, command: wire.PassedOn) -> wire.Answer:
        match, version = live.table.known.moment(live.table.seat_of(key))
        packet = await self._ask(live, key, whole, wire.forward(match, version, command))
        if packet is not None:
            answer = wire.decode(packet)
            assert isinstance(answer, wire.Answer)
            with contextlib.suppress(ParlourError):  # it is done, whether or not it can be read now
                await self._catch_up(live)
            return answer
        await asyncio.to_thread(self.inbox.withdraw, live.id, whole)  # nobody waits for it: it must not be done later
        await self._catch_up(live)
        if live.once.is_done(whole):  # at the last moment
            return wire.Done(id=command.id)
        raise Moved("The server that runs this table does not answer; reconnect.")

    async def _ask(self, live: LiveTable, key: str, whole: str, forwarded: bytes) -> bytes | None:
        """Leave a command for the server that runs the table, and return its answer, or None if none comes.  It is
        reminded again and again: it may have been unable to write its answer, and a notice may be lost."""
        remind = clock.now()
        deadline = remind + _patience(live)
        while True:
            woken = live.woken  # taken before looking, so that no answer comes unnoticed
            if clock.now() >= remind:
                await asyncio.to_thread(self.inbox.ask, live.id, whole, key, forwarded)
                remind = clock.now() + REMIND
            packet = await asyncio.to_thread(self.inbox.answered, live.id, whole)
            if packet is not None or clock.now() >= deadline:
                return packet
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(min(remind, deadline)):
                    await woken.wait()

    async def _look_after(self, live: LiveTable) -> None:
        """Something has happened at a table that another server runs, or ran."""
        await self._say_who_is_here(live)
        if await asyncio.to_thread(self.store.left, [live.id]):
            await self._take_over(live)

    async def _say_who_is_here(self, live: LiveTable) -> None:
        """Let other servers know who is connected to this one: spectators, and guests if another one runs the table;
        and see who is connected to those."""
        here = live.spectators_here
        if live.fence is None:
            here |= live.presence.keys() & {seat.key for seat in live.table.seats}
        for key in here | live.said_here:
            until = clock.wall() + STAY if key in here else 0.0
            await asyncio.to_thread(self.inbox.here, live.id, key, self.owner, until)
        live.said_here = here
        if live.audience.connections:
            live.are_elsewhere(await asyncio.to_thread(self.inbox.elsewhere, live.id, self.owner, clock.wall()))

    async def _take_over(self, live: LiveTable) -> None:
        """Run a table that nobody runs, unless another server is quicker."""
        async with live.following:  # one at a time, or two would take it from each other
            if live.fence is not None:
                return
            fence = await self.lease.take(live.id)
            if fence is None:
                return
            if not await self._read_on(live):
                await asyncio.to_thread(self.store.release, live.id, self.owner)
                return
            await self._run(live, fence)
        await self._do_what_is_asked(live)

    async def is_elsewhere(self, live: LiveTable, seat: int) -> bool:
        """Whether the guest of a seat is connected to another server."""
        return await asyncio.to_thread(self.inbox.is_here, live.id, live.table.seats[seat].key, clock.wall())


def _patience(live: LiveTable) -> float:
    """How long to wait, in seconds, for an answer of the server that runs a table; the answer to a hushed question
    comes when the beat is over."""
    return ANSWER_SECONDS + (live.table.opened.beat if live.table.is_hushed else 0.0)


__all__ = ["Tables"]
