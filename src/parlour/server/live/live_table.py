"""A table that is being played: what changes it, one entry at a time.

Every change of a table is made under its lock: worked out, written to the log, committed, told. A guest's command
passes through three layers: :meth:`LiveTable.do` ensures that it is done once, ``_try`` works out what it means, and
:meth:`LiveTable.write` writes it down. What happens without a guest's command is the croupier's business
(:mod:`parlour.server.live.croupier`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Collection, Mapping
from typing import Final

from parlour.base.errors import Endless, IllegalAction, ParlourError
from parlour.base.languages import marked
from parlour.server.common import clock, wire
from parlour.server.common.errors import Moved, NotWritten
from parlour.server.common.outside import token_hex
from parlour.server.live import moves, proof, seating, teaching
from parlour.server.live.beat import Beat
from parlour.server.live.chat import Chat
from parlour.server.live.connection import Audience, Connection
from parlour.server.live.croupier import Croupier
from parlour.server.live.idempotency import Once
from parlour.server.live.mixing_round import MixingRound, not_now
from parlour.server.live.presence import Presence
from parlour.server.live.protocols import House
from parlour.server.store.inbox import Wishes
from parlour.server.store.store import LostTable, Repeated, StoredEntry
from parlour.server.table import log
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import UNNOTICED, Change, Table

BROKEN: Final = marked("something went wrong inside the game. Nothing is lost: the log is kept.")
UNENDING: Final = marked("by a fault of its rules, the game never comes to an end. Nothing is lost: the log is kept.")

LATELY: Final = 60.0
"""Seconds for which somebody who has looked at a table counts as still looking at it."""

_DEALT: Final = (log.Committed, log.Begun, log.Did, log.Fell)
"""Entries by which cards come into play, or are played."""

_journal = logging.getLogger("parlour.server")


def _moved_since() -> ParlourError:
    return ParlourError("Somebody has moved since. Check the table, then try again.")


def _stopped(why: str) -> ParlourError:
    return ParlourError("This table has stopped: {frozen}", frozen=why)


class LiveTable:
    """A table that this server runs (``fence`` is its right to write the log), or follows while another runs it."""

    def __init__(self, tables: House, name: str, code: str, fence: int | None, table: Table, once: Once) -> None:
        self.tables, self.id, self.code, self.fence, self.table, self.once = tables, name, code, fence, table, once
        self.secret: bytes | None = None
        """The secret of the current match; only the server that runs the table knows it."""
        self.audience = Audience(table)
        self.presence = Presence(table, self.audience, tables.secrecy.sure)
        self.watching = 0
        """How many spectators are connected, on any server."""
        self.chat, self.beat = Chat(table.remarks), Beat()
        self.round: MixingRound | None = None
        """The round of nonces for the next deal, once they have been requested."""
        self.awaited = ""
        """The key of a guest whose client will contribute a nonce to the first deal and is not connected yet."""
        self.ended = 0
        """The last match whose results are kept."""
        self._looks: list[tuple[str, float]] = []  # the last two who looked at it, and when
        self._reading: dict[str, float] = {}  # until when guests are reading something, by key
        self._telling_what_is_read = asyncio.Lock()
        self.hinted: set[tuple[int, tuple[int, ...]]] = set()
        """The seats that are waiting for a hint, each with its choice."""
        self.croupier = Croupier(self)
        self.lock, self.following = asyncio.Lock(), asyncio.Lock()
        self.woken = asyncio.Event()
        """Set, and replaced by a new one, at each notice that another server gives of this table."""
        self.said_here: set[str] = set()

    # ------------------------------------------------------------------ connections

    def connect(self, connection: Connection) -> None:
        """Take in a client: tell it everything that it does not know yet."""
        connection.send(wire.encode(self.about()))
        if self.fence is None:  # another server may have taken back a step: tell the client all
            connection.heard = 0
        self.audience.welcome(connection)
        self.presence.connected(connection.key)
        if not self._count_spectators() and self.watching:
            connection.send(wire.encode(self._spectators()))
        self.audience.tell(connection)
        if self.round is not None:
            connection.send(wire.encode(self.round.frame))
        if proof.link(self.table):
            connection.send(wire.encode(self._link()))
        if (revealed := self._revealed()) is not None:
            connection.send(wire.encode(revealed))
        if connection.key == self.awaited:
            self.awaited = ""
        self.stir()

    def disconnect(self, connection: Connection) -> None:
        """Let a client go; after a while, a bot plays for its guest."""
        self.audience.connections.pop(connection, None)
        self._count_spectators()
        if not self.audience.has(connection.key):
            self.read_by(connection.key, 0.0)
        self.presence.touch()
        self.stir()

    @property
    def spectators_here(self) -> set[str]:
        """The keys of the spectators who are connected to this server."""
        return self._without_seat(self.audience.keys())

    def _without_seat(self, keys: Collection[str]) -> set[str]:
        return {key for key in keys if self.table.seat_of(key) == WATCHER}

    def are_elsewhere(self, there: Mapping[str, Wishes]) -> None:
        """Note who is connected to other servers. Whoever has come or gone there is treated as if it had been here."""
        for key in self.audience.elsewhere.keys() ^ there.keys():
            self.presence.moved_elsewhere(key, key in there)
        if self.audience.elsewhere != there:
            self.stir()
        self.audience.elsewhere = there
        self._count_spectators()

    def _count_spectators(self) -> bool:
        """Tell everybody how many spectators are connected, if the number has changed; return whether it has."""
        n = len(self.spectators_here | self._without_seat(self.audience.elsewhere.keys()))
        if n == self.watching:
            return False
        self.watching = n
        self.audience.send(self._spectators())
        return True

    def _spectators(self) -> wire.Notice:
        return wire.Notice(what="spectators", seat=WATCHER, text=marked("Spectators: {n}.", n=self.watching))

    def read_by(self, key: str, seconds: float) -> None:
        """Note that a guest reads something, for at most this many seconds; 0: no longer."""
        if seconds:
            self._reading[key] = clock.now() + seconds
        elif self._reading.pop(key, None) is not None:
            self.stir()
        else:
            return
        if self.fence is None:  # another server runs the table, and its bots wait there
            self.tables.soon(self._say_what_is_read(key))

    async def _say_what_is_read(self, key: str) -> None:
        """Tell the server that runs the table whether a guest of this server is reading something now."""
        async with self._telling_what_is_read:
            left = max(0.0, self._reading.get(key, 0.0) - clock.now())
            with contextlib.suppress(ParlourError):  # if it does not answer, it has no bots that could wait
                await self.do(key, wire.Reads(id=token_hex(8), seconds=left))

    def shows(self, connection: Connection, shown: wire.Shown) -> None:
        """Note what a connection says that it has shown; bots may have waited for that."""
        self.audience.shows(connection, shown)
        self.stir()

    def looked_at_by(self, key: str) -> None:
        """Note that somebody looks at the table, with or without a connection."""
        others = [one for one in self._looks if one[0] != key]
        self._looks = [*others[-1:], (key, clock.now())]

    def is_alone(self, key: str) -> bool:
        """Whether the guest with this key is the only one at the table, and nobody else has looked at it lately.
        Otherwise, others would see by the pace how much only that guest was told."""
        if self.tables.neighbours.may_exist:
            return False  # others may be watching it on another server
        if {seat.key for seat in self.table.seats if seat.key} != {key}:
            return False
        since = clock.now() - LATELY
        return {key} >= {one for one, at in self._looks if at > since} | self.audience.keys()

    @property
    def page_wait(self) -> float | None:
        """The most seconds that bots wait because the page of the only guest has not shown everything; ``None`` if they
        wait for no page."""
        here = next((seat.key for seat in self.table.seats if seat.key), "")
        return self.audience.page_wait(here) if self.is_alone(here) else None

    @property
    def is_hurried(self) -> bool:
        """Whether bots take no time, because the only guest wants to see nothing until it is their turn."""
        here = next((seat.key for seat in self.table.seats if seat.key), "")
        return self.is_alone(here) and self.audience.hurries(here)

    @property
    def reading_wait(self) -> float:
        """The seconds that bots wait for the only guest at the table, who is reading something; 0 if they need not."""
        here = [seat.key for seat in self.table.seats if seat.key]
        return max(0.0, self._reading.get(here[0], 0.0) - clock.now()) if len(here) == 1 else 0.0

    def page_loaded(self, key: str, seconds: float) -> None:
        """Note that a guest has loaded the table's page, and counts as here for this many seconds."""
        if self.presence.page_loaded(key, seconds):
            self.stir()

    def about(self) -> wire.About:
        """Return the facts about this table that do not change."""
        terms = self.table.opened
        return wire.About(
            table=self.id, code=self.code, game=terms.game, players=terms.players, options=terms.options,
            reveal=terms.reveal, pace=terms.pace, beat=terms.beat, patience=terms.patience, event=terms.event,
            lesson=terms.lesson, practice=terms.practice, by_post=terms.by_post, awaits=terms.awaits,
        )  # fmt: skip

    def _link(self) -> wire.ChainLink:
        """Return the link of the record's chain that everybody was told last."""
        return wire.ChainLink(match=self.table.match, link=proof.link(self.table))

    def _revealed(self) -> wire.Revealed | None:
        """Return the secret of a match that is over, once it is in the log."""
        fair = None if self.table.state is None else self.table.state.ledger.fair
        if fair is None or fair.secret is None:
            return None
        where = f"/api/{wire.VERSION}/tables/{self.id}/record"
        return wire.Revealed(match=self.table.match, commitment=fair.commitment, secret=fair.secret.hex(), record=where)

    # ------------------------------------------------------------------ once

    async def do(self, key: str, command: wire.PassedOn, at: tuple[int, int] | None = None) -> wire.Answer:
        """Carry out a command of the guest with this key, once; the answer comes when it is on disk. Raises
        :class:`Moved` if another server has the table and does not answer. ``at``: if the guest is at another server,
        what their seat had seen when they gave the command: nobody acts on a position that they have not seen."""
        self.presence.touch()
        name = f"{key[:20]} {command.id}"
        answer = self.once.answer(name, command.id)
        if answer is not None:
            return answer
        try:
            if self.fence is None and not isinstance(command, wire.Mute):  # it is this server that leaves out messages
                return await self.tables.neighbours.forward(self, key, name, command)
            answer = await self._try(key, name, command, at)
        except Moved:
            raise
        except NotWritten as trouble:
            return wire.Refused(id=command.id, sentence=str(trouble), later=True)
        except ParlourError as mistake:
            clause = mistake.clause if isinstance(mistake, IllegalAction) else ""
            answer = wire.Refused(id=command.id, sentence=str(mistake), clause=clause)
            self.tables.metrics.refused.inc()
        self.once.remember(name, answer)
        return answer

    def _see_that_it_is_meant(self, key: str, command: wire.PassedOn, at: tuple[int, int] | None) -> None:
        if isinstance(command, wire.Act) and at is not None and at != self.table.known.moment(self.table.seat_of(key)):
            raise _moved_since()

    # ------------------------------------------------------------------ try

    async def _try(self, key: str, name: str, command: wire.PassedOn, at: tuple[int, int] | None = None) -> wire.Answer:
        """Work out what a command means, and carry it out.  ``name`` identifies it among the commands of all guests."""
        table = self.table
        seat, hushed = table.seat_of(key), table.is_hushed
        try:
            match command:
                case wire.Pledge() | wire.Nonce():
                    if self.round is None:
                        raise not_now()
                    self.round.put_in(seat, command)
                case wire.Reads():
                    self.read_by(key, command.seconds)
                case wire.Mute():
                    self.chat.mute(key, command.name, command.off, {one.key for one in table.seats})
                case wire.Why():
                    moves.may(table, seat, command.action)
                case wire.Act() if self._whispers(seat):
                    self._see_that_it_is_meant(key, command, at)
                    await self.whisper(seat, name, command.action)
                case _:
                    async with self.lock:
                        before = self.once.answer(name, command.id)  # another copy of the command may have been quicker
                        if before is not None:
                            return before
                        self._see_that_it_is_meant(key, command, at)  # others may have moved while it waited
                        if isinstance(command, wire.Act) and self._whispers(seat):
                            raise _moved_since()  # it was not for this question, and would end its beat
                        await self.write(self._meant(key, command), name)
        except Exception as failure:
            if isinstance(failure, ParlourError) and not isinstance(failure, Endless):
                raise
            async with self.lock:  # the game is at fault, so nobody is charged for it
                await self.write(self.broken(failure))
            raise _stopped(table.frozen) from failure
        if not (hushed and isinstance(command, wire.Act | wire.Why)):  # only a seat that is asked can answer
            self.presence.acts(seat)
        self.stir()
        return wire.Done(id=command.id)

    def _whispers(self, seat: int) -> bool:
        """Whether a seat is asked a hushed question."""
        return self.table.is_hushed and seat in self.table.asked

    def _meant(self, key: str, command: wire.PassedOn) -> Change:
        """Return the entry that a command leads to."""
        table = self.table
        seat = table.seat_of(key)
        match command:
            case wire.Act():
                change = self.act(seat, command.action)
                teaching.must_fit(table, change)
                return change
            case wire.Undo():
                if self.round is not None and not self.round.is_over:  # its nonces are for a deal that must come now
                    raise ParlourError("You can't take that back: the next deal is being prepared.")
                return moves.undo(table, seat, command.practice)
            case wire.Sit():
                return seating.sit(table, command.seat, command.name, key)
            case wire.Leave():
                return seating.leave(table, seat)
            case wire.Again():
                return seating.want_again(table, seat)
            case wire.Say():
                return seating.say(table, seat, command.text)
            case wire.Phrase():
                return seating.phrase(table, seat, command.name)
            case wire.Relieve():
                return seating.relieve(table, seat, command.seat)
            case wire.Remove():
                return seating.remove(table, key, command.seat)
            case wire.Allow():
                return seating.allow(table, key, command)
            case _:
                raise ParlourError("This table cannot carry out that command.")

    def act(self, seat: int, line: str) -> Change:
        """Return the entry by which a seat acts as a line says. Chance follows as far as it can without new nonces."""
        there = self.audience
        return moves.act(
            self.table,
            seat,
            line,
            self.secret,
            bool(self.newcomers()),
            self.table.lesson is not None or bool(there.holding()),
            there.sees_steps(),
        )

    def newcomers(self) -> list[int]:
        """Return the seats of guests who are here and whose clients contribute nonces, but have not done so in this
        match."""
        if not self.table.commitment or self.table.deals_alike:
            return []  # nonces change nothing in a match from a record, or with the same cards as elsewhere
        mixing = self.audience.mixing() - self.table.contributed
        return [seat for seat, guest in enumerate(self.table.seats) if guest.key in mixing]

    async def whisper(self, seat: int, name: str, line: str) -> None:
        """Keep an answer to a hushed question until the beat is over, so that nobody can tell there was one."""
        whisper = self.beat.whispered(seat, name)
        if whisper is None:
            moves.may(self.table, seat, line)
            whisper = self.beat.whisper(seat, name, line)
        await asyncio.shield(whisper.done)

    def broken(self, failure: Exception) -> Change:
        """Return the entry that stops the table, because something went wrong inside the game; nobody forfeits."""
        _journal.error("table %s has stopped", self.id, exc_info=failure)
        return Change(log.Frozen(UNENDING if isinstance(failure, Endless) else BROKEN))

    # ------------------------------------------------------------------ write

    async def write(self, change: Change, command: str | None = None, secret: bytes | None = None) -> None:
        """Write an entry to the log, then take it into the table and tell everybody who notices. Hold the lock.

        ``secret``: that of the match that begins with this entry; it is kept outside the log.
        """
        if self.fence is None:
            raise Moved("This table has moved to another server; reconnect.")
        if isinstance(change.entry, _DEALT) and await self.is_too_late():
            raise ParlourError("Time is up: everybody may see these cards now.")
        row = StoredEntry(self.table.version + 1, change.entry, command)
        kept = None if secret is None else (self.table.match + 1, secret)
        began = clock.now()
        try:
            await self.tables.appender.append(self.id, self.fence, row, kept)
        except LostTable:
            self.tables.neighbours.lost(self)
            raise Moved("This table has moved to another server; reconnect.") from None
        except Repeated:
            return  # the command was carried out long ago
        except Exception as trouble:
            _journal.warning("the log of table %s cannot be written: %s", self.id, trouble)
            raise NotWritten("The log can't be written at the moment. Try again.") from None
        self.tables.metrics.commit.observe(clock.now() - began)
        self.secret = secret or self.secret
        if row.version > self.table.version:  # else the table was lost meanwhile, and has been read on
            self.committed(change, command)

    def committed(self, change: Change, command: str | None) -> None:
        """Take an entry of the log into the table and tell it; another server may have written it."""
        table, entry = self.table, change.entry
        try:
            table.commit(change, command=command)
        except Exception as failure:
            _journal.error("table %s has stopped", self.id, exc_info=failure)
            table.freeze(BROKEN)
        match entry:
            case log.Committed() | log.Resumed():
                self.round = None
                self.once.new_match()
            case log.Undone() | log.Rewound():
                self.tables.reviews.table_gone(self.id)
                self.beat.drop(ParlourError("The question was taken back."))
                self.audience.rewind()
            case log.Did():
                self.presence.answered(entry.seat)
                self.tables.metrics.moves.inc()
            case log.Frozen() | log.Closed():
                self.beat.drop(_stopped(entry.reason))
            case log.Sat() | log.Left() | log.Removed() | log.Back():
                self.presence.changed_hands(entry.seat)
            case log.ChatSent():
                remark = wire.Remark(seat=entry.seat, name=entry.name, text=entry.text)
                self.chat.remarks.append(remark)
                self.audience.send(remark, lambda key: self.chat.hears(key, entry.name))
        if isinstance(entry, log.Sat | log.Left | log.Removed):
            self._count_spectators()
            if self.round is not None:
                self.round.changed_hands(entry.seat)
        if table.notice is not None:
            self.chat.remarks.append(table.notice)
            self.audience.send(table.notice)
        if command is not None:
            self.once.done(command)
        if not isinstance(entry, UNNOTICED):
            self.audience.tell()
        if isinstance(entry, log.Linked) and not table.frozen:
            self.audience.send(self._link())
        if isinstance(entry, log.DealRevealed) and (revealed := self._revealed()) is not None:
            self.audience.send(revealed)
        if table.is_over and self.fence is not None and self.ended != table.match:
            self.keep_results()
        self.stir()

    def keep_results(self) -> None:
        """Keep how the match ended, for its guests."""
        self.ended = self.table.match
        self.tables.guests.match_ended(self.id, self.code, self.table)

    # ------------------------------------------------------------------ which server runs it

    def stir(self) -> None:
        """Let the croupier see whether there is something to do."""
        if self.fence is not None:
            self.croupier.stir()

    def lose(self) -> None:
        """Note that another server runs this table, or will."""
        self.fence = self.round = None  # nobody who comes is shown numbers that may not count
        self.beat.drop(Moved("This table has moved to another server; reconnect."))
        self.croupier.wake()

    async def stop(self) -> None:
        """Do nothing more for this table at this server."""
        self.lose()
        await self.croupier.stop()

    async def reveal_in_time(self) -> None:
        """Reveal the deal of a match that is over, if everybody may know its cards by now."""
        if self.fence is not None and (self.table.is_over or self.table.closed):
            await self.croupier.reveal_deal()

    async def leave_to_bots(self) -> None:
        """Let all guests leave this table; bots play its match to the end."""
        async with self.lock:
            for seat, guest in enumerate(self.table.seats):
                if guest.key:
                    await self.write(seating.leave(self.table, seat))
        self.stir()

    async def is_too_late(self) -> bool:
        """Whether this match may no longer begin, or go on, because others may see the cards that it shares."""
        table, secrecy = self.table, self.tables.secrecy
        if not table.deals_alike or table.is_over:
            return False
        return await (secrecy.is_over if table.state is None else secrecy.is_open)(table.opened.event)

    async def close(self, reason: str) -> None:
        """Close the table. Its last match counts as over, and its deal is revealed if that was agreed."""
        async with self.lock:
            if not self.table.closed:  # another server may have done so before this one had the table
                await self.write(Change(log.Closed(reason)))
        await self.croupier.reveal_deal()


__all__ = ["LiveTable"]
