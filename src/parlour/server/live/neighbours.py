"""The servers on one database: which of them runs a table, and what they do for one another's guests.

One server runs a table and writes its log. The others follow the log, pass on what their guests want, and take the
table over when nobody runs it any more (:mod:`parlour.server.store.lease`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Collection
from typing import Final
from weakref import WeakValueDictionary

from msgspec import MsgspecError

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.server.common import clock, wire
from parlour.server.common.errors import Moved
from parlour.server.common.outside import token_hex
from parlour.server.live.live_table import LiveTable
from parlour.server.live.registry import Registry
from parlour.server.store.inbox import NO_WISHES, Asked, Inbox
from parlour.server.store.lease import Lease
from parlour.server.store.statements import GUESTS
from parlour.server.store.store import Unreachable
from parlour.server.table import log
from parlour.server.table.table import Change

STAY: Final = 6.0
"""Seconds for which a guest counts as connected to a server after it has said so."""
ANSWER_SECONDS: Final = 4.0
"""How long a command may take to reach the server that runs the table: long enough for another one to take over."""
REMIND: Final = 1.0
"""Seconds after which a server that has not answered is asked again."""
ENDED: Final = marked("You are signed out: this token is no longer valid.")
"""What a client is told if its token has ended."""
REWRITTEN: Final = marked("A guest has deleted what is kept of them here, or has a new token; reconnect.")
"""What everybody at a table is told if its log has been rewritten."""

_journal = logging.getLogger("parlour.server")


class Neighbours:
    """The other servers on the database of these tables."""

    def __init__(self, tables: Registry) -> None:
        self._tables, self.inbox = tables, Inbox(tables.store)
        self.lease = Lease(tables.store, token_hex(8))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._strays = set[str]()  # tables that were ours in the last round, though not in memory here
        self._passed_on: dict[tuple[str, str], float] = {}  # commands of guests at other servers, and their timeouts
        self._copies = WeakValueDictionary[tuple[str, str], asyncio.Lock]()  # a command is passed on once at a time
        self._missed = set[tuple[str, int]]()  # the notices that came while the database did not answer

    @property
    def may_exist(self) -> bool:
        """Whether other servers may use the same database, and run a table if this one cannot."""
        return self._tables.store.is_shared

    def start(self) -> None:
        """Begin to look after the tables that others run, and to listen to what they say."""
        self._loop = asyncio.get_running_loop()
        self._tables.store.listen(self._heard, self.lease.owner)
        self._tables.soon(self._keep_lease())
        if self.may_exist:
            self._tables.soon(self._keep_awake())  # apart from the lease, which may take long to renew

    def timeout(self, table: str, command: str) -> float:
        """Return the seconds that somebody at another server waits for a command of a table; 0: nobody there does."""
        return self._passed_on.get((table, command), 0.0)

    async def _keep_lease(self) -> None:
        """Renew the lease on the tables that are ours, and take over tables that nobody runs."""
        while True:
            try:
                ours = [
                    live for live in self._tables.live.values() if live.fence is not None
                ]  # more may be added while this waits
                mine = await self.lease.renew()
                await self._give_up_strays(mine)
                missed, self._missed = self._missed, set()
                for notice in missed:  # the database answers again: do what they asked for
                    self._tables.soon(self._follow_up(*notice))
                for live in ours:
                    if live.fence is not None and live.id not in mine and not live.table.closed:
                        self.lost(live)
                followed = [
                    live.id for live in self._tables.live.values() if live.fence is None and not live.table.closed
                ]
                # tables followed although they are ours were lost by mistake
                left = {*await self.lease.left(followed), *mine & {*followed}}
                await asyncio.gather(
                    *(self._take_over(self._tables.live[name]) for name in left if name in self._tables.live)
                )
            except ParlourError as trouble:
                _journal.warning("%s", trouble)
            except Exception as trouble:  # one faulty table must not lose the others
                _journal.error("cannot look after the tables of other servers", exc_info=trouble)
            await self.lease.next_round()

    async def _give_up_strays(self, mine: set[str]) -> None:
        """Give up tables that are ours but not in memory here, because the database failed when they were put away or
        read. As long as our lease lasts, nobody else would run them."""
        strays = mine - self._tables.live.keys() - self._tables.loading.keys()
        for name in strays & self._strays:
            await asyncio.to_thread(self._tables.store.release, name, self.lease.owner)
        self._strays = strays

    async def _keep_awake(self) -> None:
        """Send everybody away when the server has stood still: their clients have gone to another server, where their
        commands are carried out."""
        async for _ in self.lease.standstills():
            for live in list(self._tables.live.values()):
                live.audience.dismiss("The server stalled for a while; reconnect.")

    async def run(self, live: LiveTable, fence: int) -> None:
        """Run a table from now on."""
        if live.table.match:
            live.secret = await asyncio.to_thread(self._tables.store.secret, live.id, live.table.match)
        live.fence = fence  # only now: without the secret, chance could decide nothing
        if live.table.is_over:  # the server before this one may have died before it kept the results
            live.keep_results()
        live.stir()

    def lost(self, live: LiveTable) -> None:
        """Note that another server has taken a table, and follow it from its log."""
        live.lose()
        self._tables.soon(self._follow_up(live.id, live.table.version))

    async def rewritten(self, tables: Collection[str]) -> None:
        """Take note that logs have been rewritten, and a token has ended. The database tells other servers so."""
        here = [live for live in self._tables.live.values() if live.id in tables]
        for live in here:
            live.lose()
        for name in (GUESTS, *(live.id for live in here)):
            await self._follow_up(name, 1)

    async def _end_tokens(self) -> None:
        """Send away everybody whose token is no longer valid."""
        self._tables.tokens.ended |= await asyncio.to_thread(self._tables.store.ended)
        for live in list(self._tables.live.values()):
            live.audience.dismiss(ENDED, self._tables.tokens.ended)

    def _heard(self, name: str, version: int) -> None:
        """Note that a table has gone on, or (0) that something else about it has changed. This is called in another
        thread."""
        live = self._tables.live.get(name)
        is_news = name == GUESTS or (live is not None and (version == 0 or live.fence is None))
        if is_news and self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: self._tables.soon(self._follow_up(name, version)))

    async def _follow_up(self, name: str, version: int) -> None:
        """Do what a notice asks for. If the database does not answer, keep the notice until it does, since no other may
        come."""
        try:
            if name == GUESTS:
                await self._end_tokens()
            elif (live := self._tables.live.get(name)) is not None:
                await self._look_at(live, version)
        except Unreachable:
            self._missed.add((name, min(version, 1)))
        except ParlourError:
            pass

    async def _look_at(self, live: LiveTable, version: int) -> None:
        """Take in what the server that runs a table has written, or see whether any server still runs it. If the table
        is ours, carry out the commands of guests at other servers."""
        live.woken.set()
        live.woken = asyncio.Event()
        if live.fence is None:
            await (self.catch_up(live) if version else self._look_after(live))
        else:
            await self.look_around(live)

    async def catch_up(self, live: LiveTable) -> None:
        async with live.following:
            if live.fence is None:  # otherwise this server writes the log
                await self._read_on(live)

    async def _read_on(self, live: LiveTable) -> bool:
        """Take in what others have written to a log. Return whether it continues from what is known of it. If it was
        rewritten, the table is read again when somebody next asks for it."""
        for row in await asyncio.to_thread(self._tables.store.read, live.id, live.table.version):
            if isinstance(row.entry, log.Rewritten):
                await self._end_tokens()  # first: whoever has signed out is told so
                await self._tables.put_away(live, REWRITTEN)
                return False
            if row.version > live.table.version:  # else it was still being written when the table was lost
                live.committed(Change(row.entry), row.command)
        return True

    async def look_around(self, live: LiveTable) -> None:
        """Carry out the commands of guests at other servers, and those left for the server that had the table before.
        See who is connected to other servers, which say so only when somebody comes or goes."""
        for wish in await asyncio.to_thread(self.inbox.asked, live.id, _timeout(live)):
            self._tables.soon(self._answer(live, wish))
        await self.say_who_is_here(live)

    async def _answer(self, live: LiveTable, wish: Asked) -> None:
        one = live.id, wish.key
        if one in self._passed_on:  # every notice leads here, but the command is to be carried out once
            return
        self._passed_on[one] = _timeout(live)  # it is carried out only while somebody waits for it
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
            sentence = marked("That isn't a valid command: {wrong}.", wrong=wrong)
            answer: wire.Answer = wire.Refused(id=wish.key.rpartition(" ")[2], sentence=sentence)
        else:
            answer = await live.do(wish.seat_key, passed_on.command, (passed_on.match, passed_on.version))
        await asyncio.to_thread(self.inbox.answer, live.id, wish.key, wire.encode(answer))

    async def forward(self, live: LiveTable, key: str, whole: str, command: wire.PassedOn) -> wire.Answer:
        """Have a command carried out by the server that runs the table. Its effects are told before the answer comes,
        just as they are at that server. What has been refused is not carried out because another copy comes."""
        if self.lease.is_cut_off:  # it may be old, and its guest may be elsewhere by now
            raise Moved("The server was cut off for a while; reconnect.")
        copies = self._copies.setdefault((live.id, whole), asyncio.Lock())
        try:
            async with copies:
                return live.once.answer(whole, command.id) or await self._pass_on(live, key, whole, command)
        except Unreachable:  # nobody knows whether it was passed on; it will be answered wherever it is done
            raise Moved("The database does not answer; reconnect.") from None

    async def _pass_on(self, live: LiveTable, key: str, whole: str, command: wire.PassedOn) -> wire.Answer:
        match, version = live.table.known.moment(live.table.seat_of(key))
        packet = await self._ask(live, key, whole, wire.forward(match, version, command))
        if packet is not None:
            answer = wire.decode(packet)
            assert isinstance(answer, wire.Answer)
            try:
                await self.catch_up(live)
            except ParlourError:  # it is done, whether or not it can be read now
                self._missed.add((live.id, 1))
            if not (isinstance(answer, wire.Refused) and answer.later):
                live.once.remember(whole, answer)
            # a second copy may have come when this server had taken the table over, and could be done by then
            return wire.Done(id=command.id) if live.once.is_done(whole) else answer
        await asyncio.to_thread(self.inbox.withdraw, live.id, whole)  # nobody waits for it: it must not be done later
        await self.catch_up(live)
        if live.once.is_done(whole):  # it was done at the last moment
            return wire.Done(id=command.id)
        raise Moved("The server that runs this table does not answer; reconnect.")

    async def _ask(self, live: LiveTable, key: str, whole: str, forwarded: bytes) -> bytes | None:
        """Leave a command for the server that runs the table, and return its answer, or ``None`` if none comes. The
        server is reminded again and again: it may have been unable to write its answer, or a notice may have been
        lost."""
        remind = clock.now()
        deadline = remind + _timeout(live)
        while True:
            woken = live.woken  # taken before looking, so that no answer comes unnoticed
            if clock.now() >= remind:
                await asyncio.to_thread(self.inbox.ask, live.id, whole, key, forwarded)
                remind = clock.now() + REMIND
            packet = await asyncio.to_thread(self.inbox.answered, live.id, whole)
            if packet is not None or clock.now() >= deadline:
                return packet
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(remind, deadline) - clock.now()):
                    await woken.wait()

    async def _look_after(self, live: LiveTable) -> None:
        """See to a table that another server runs, or ran, because something has happened there."""
        await self.say_who_is_here(live)
        if await asyncio.to_thread(self._tables.store.left, [live.id]):
            await self._take_over(live)

    async def say_who_is_here(self, live: LiveTable) -> None:
        """Tell other servers who is connected to this one: spectators, and guests if another server runs the table.
        Then see who is connected to those."""
        here = live.spectators_here
        if live.fence is None:
            here |= live.presence.keys() & {seat.key for seat in live.table.seats}
        wishes = live.audience.wishes()
        for key in here | live.said_here:
            stay = STAY if key in here else 0.0
            wished = wishes.get(key, NO_WISHES)
            await asyncio.to_thread(self.inbox.here, live.id, key, self.lease.owner, stay, wished)
        live.said_here = here
        if live.audience.connections or live.fence is not None:
            live.are_elsewhere(await asyncio.to_thread(self.inbox.elsewhere, live.id, self.lease.owner))

    async def _take_over(self, live: LiveTable) -> None:
        """Run a table that nobody runs, unless another server is quicker."""
        async with live.following:  # one at a time, or two would take it from each other
            if live.fence is not None:
                return
            fence = await self.lease.take(live.id)
            if fence is None:
                return
            if not await self._read_on(live):
                await asyncio.to_thread(self._tables.store.release, live.id, self.lease.owner)
                return
            await self.run(live, fence)
        await self.look_around(live)

    async def is_elsewhere(self, live: LiveTable, seat: int) -> bool:
        """Whether the guest of a seat is connected to another server."""
        return await asyncio.to_thread(self.inbox.is_here, live.id, live.table.seats[seat].key)


def _timeout(live: LiveTable) -> float:
    """Return the seconds to wait for an answer of the server that runs a table; the answer to a hushed question comes
    only when the beat is over."""
    return ANSWER_SECONDS + (live.table.opened.beat if live.table.is_hushed else 0.0)


__all__ = ["Neighbours"]
