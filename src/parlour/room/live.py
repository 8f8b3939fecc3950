"""A table that is being played: the guests connected to it, the bots, the clocks.

Whatever changes the table is done under its lock, one entry at a time: worked out, written to the log, committed, told.
One task, the driver, does what no guest does: begins matches, lets chance go on after a pause, lets bots answer,
opens the deal at the end, sees who has gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from parlour.errors import IllegalAction, ParlourError
from parlour.fair_deal import pledge
from parlour.room import clock, log, wire
from parlour.room.store import LostTable, Repeated, Row
from parlour.room.table import WATCHER, Step, Table, nobody

if TYPE_CHECKING:
    from parlour.room.floor import Floor

OUTBOX: Final = 500
"""Packets that may wait for a slow client before it is sent away; it may come back and go on from where it was."""
ANSWERS: Final = 500
"""Answers that are in no log and that a table remembers, to answer the same command the same way."""
MUTED: Final = 200
"""So many people may be muted at a table, and so many may mute."""
REMARKS: Final = 30
"""Remarks that a table remembers."""
PLEDGE_SECONDS, NONCE_SECONDS = 5.0, 10.0  # docs/fair_deal.md, 2
STANDS_STILL: Final = "something went wrong inside the game. Nothing is lost: the log is kept."

_journal = logging.getLogger("parlour.room")


class Moved(ParlourError):
    """Another server has the table now."""


def _stands_still() -> ParlourError:
    return ParlourError(f"This table stands still: {STANDS_STILL}")


class NotWritten(ParlourError):
    """The log cannot be written at the moment; nothing was done."""


class Client:
    """A connection of a guest or of somebody who watches: what waits to be sent to it, and how far it has heard.

    ``key``: the fingerprint of the guest's token; ``mixes``: whether the client puts numbers into deals; ``items``:
    whether it wants views in the order of telling.
    """

    def __init__(self, key: str, *, match: int = 0, heard: int = 0, mixes: bool = False, items: bool = False) -> None:
        self.key = key or nobody()
        self.match, self.heard, self.mixes, self.items = match, heard, mixes, items
        self.seat, self.version = WATCHER, -1
        self.outbox: asyncio.Queue[wire.Packet | None] = asyncio.Queue(OUTBOX)
        self.too_slow = False

    def send(self, packet: wire.Packet | None) -> None:
        """Put a packet into the outbox (``None``: the last one is there); who does not empty it is sent away."""
        try:
            self.outbox.put_nowait(packet)
        except asyncio.QueueFull:
            self.too_slow = True


class LiveTable:
    """A table that this server runs (``fence`` is its right to write the log), or follows while another runs it."""

    def __init__(self, floor: Floor, name: str, code: str, fence: int | None, table: Table) -> None:
        self.floor, self.id, self.code, self.fence, self.table = floor, name, code, fence, table
        self.secret: bytes | None = None
        self.commands: set[str] = set()
        """What was done in this match.  Of what was done before the last one, only the store knows."""
        self._earlier: set[str] = set()
        self.clients: set[Client] = set()
        self.awaited = ""
        """The key of a guest whose client will put a number into the first deal, and is not connected yet."""
        self.seen = clock.now()
        self.following, self.woken = asyncio.Lock(), asyncio.Event()
        self.said_here: set[str] = set()
        self._lock = asyncio.Lock()
        self._answers: OrderedDict[str, wire.Answer] = OrderedDict()
        self._whispers: dict[int, tuple[str, str, asyncio.Future[None]]] = {}
        self._muted: dict[str, set[str]] = {}
        self.remarks: deque[wire.Remark] = deque(maxlen=REMARKS)
        """The last ones; nobody is sent them again, but a page that is loaded shows them."""
        self._mixing: wire.Mixing | None = None
        self._pledges: dict[int, str] = {}
        self._nonces: dict[int, bytes] = {}
        self._looks: dict[str, float] = {}
        """Guests with pages that hold no connection, and until when they count as here."""
        self._gone: dict[int, float] = {}
        self._asked: dict[int, float] = {}
        self._back: set[int] = set()
        self._beat: tuple[tuple[int, int], float] | None = None
        self._stirred = asyncio.Event()
        self._driver: asyncio.Task[None] | None = None

    async def write(self, step: Step) -> None:
        """Write an entry that no guest wants."""
        async with self._lock:
            await self._write(step)

    async def close(self, reason: str) -> None:
        """The table is no more; its last match counts as over, and its deal is opened if that was agreed."""
        await self.write(Step(log.Closed(reason)))
        await self._open_deal()

    def follow(self, step: Step, command: str | None) -> None:
        """An entry that another server has written."""
        self._committed(step, command)

    # ------------------------------------------------------------------ clients

    def connect(self, client: Client) -> None:
        """A client is here: it is told everything it does not know yet."""
        self.clients.add(client)
        self._looks.pop(client.key, None)  # from now on the connection tells
        self.touch()
        table = self.table
        client.send(wire.encode(self.about()))
        client.seat = table.seat_of(client.key)
        if table.undone or client.match != table.match:
            client.heard = 0
        if self._mixing is not None:
            client.send(wire.encode(self._mixing))
        self._tell([client])
        self._send_secret([client])
        if client.key == self.awaited:
            self.awaited = ""
        self._is_back(table.seat_of(client.key))
        self.stir()

    def about(self) -> wire.About:
        """What does not change at this table."""
        opened = self.table.opened
        return wire.About(
            table=self.id,
            code=self.code,
            game=opened.game,
            players=opened.players,
            options=opened.options,
            told=opened.told,
            pace=opened.pace,
            beat=opened.beat,
            patience=opened.patience,
        )

    def touch(self) -> None:
        """Somebody has looked at the table."""
        self.seen = clock.now()

    def looked(self, key: str, seconds: float) -> None:
        """Somebody has loaded the table's page: for so many seconds he counts as here, if no connection tells."""
        self.touch()
        seat = self.table.seat_of(key)
        if seat == WATCHER or any(client.key == key for client in self.clients):
            return  # so there are no more of them than guests
        was_here = self.is_here(seat)
        self._looks[key] = self.seen + seconds
        self._is_back(seat)
        if not was_here:
            self.stir()

    @property
    def left_of_beat(self) -> float:
        """Seconds until the hushed question of this moment is over, whoever is asked; 0 if there is none."""
        return max(0.0, self._beat[1] - clock.now()) if self._beat is not None and self.table.is_hushed else 0.0

    def disconnect(self, client: Client) -> None:
        """A client is gone; after a while a bot answers for it."""
        self.clients.discard(client)
        self.touch()
        self.stir()

    def is_here(self, seat: int) -> bool:
        """Whether a client of the guest of a seat is connected to this server, or he has just loaded a page of it."""
        return self.table.seats[seat].key in self.keys_here()

    def keys_here(self) -> set[str]:
        """The keys of all who are here."""
        now = clock.now()
        return {client.key for client in self.clients} | {key for key, until in self._looks.items() if until > now}

    def _tell(self, clients: Iterable[Client]) -> None:
        """Send its telling to each of these clients whose seat has noticed something."""
        table, made = self.table, dict[tuple[int, int, bool], wire.Packet]()
        for client in clients:
            seat = table.seat_of(client.key)
            if (client.seat, client.version) == (seat, table.marks[seat]):
                continue
            if (client.seat, client.match) != (seat, table.match):
                client.seat, client.match, client.heard = seat, table.match, 0
            wanted = seat, client.heard, client.items
            if wanted not in made:
                made[wanted] = wire.encode(table.telling(seat, client.heard, client.items))
            client.version, client.heard = table.marks[seat], table.heard(seat)
            client.send(made[wanted])

    def _send(self, frame: wire.AnyFrame, clients: Iterable[Client] | None = None) -> None:
        packet = wire.encode(frame)
        for client in self.clients if clients is None else clients:
            client.send(packet)

    def _send_secret(self, clients: Iterable[Client]) -> None:
        """Tell the secret of a match that is over, once it is in the log."""
        state = self.table.state
        fair = None if state is None else state.fair
        if fair is not None and fair.secret is not None:
            where = f"/api/{wire.VERSION}/tables/{self.id}/record"
            opened = wire.Opened(
                match=self.table.match, commitment=fair.commitment, secret=fair.secret.hex(), record=where
            )
            self._send(opened, clients)

    # ------------------------------------------------------------------ commands

    async def do(self, key: str, command: wire.AnyCommand) -> wire.Answer:
        """Do what a guest wants, once; the answer comes when it is on disk."""
        self.touch()
        whole = f"{key[:20]} {command.id}"
        if whole in self.commands or whole in self._earlier:
            return wire.Done(id=command.id)
        if whole in self._answers:
            return self._answers[whole]
        try:
            if self.fence is None:
                return await self.floor.forward(self, key, whole, command)
            answer = await self._do(key, whole, command)
        except Moved:
            raise
        except NotWritten as trouble:
            return wire.Refused(id=command.id, sentence=str(trouble))
        except IllegalAction as mistake:
            return self._refused(whole, wire.Refused(id=command.id, sentence=str(mistake), clause=mistake.clause))
        except ParlourError as mistake:
            return self._refused(whole, wire.Refused(id=command.id, sentence=str(mistake)))
        if whole not in self.commands:
            self._remember(whole, answer)
        return answer

    def _refused(self, whole: str, refused: wire.Refused) -> wire.Refused:
        self._remember(whole, refused)
        self.floor.metrics.refused.inc()
        return refused

    def _remember(self, whole: str, answer: wire.Answer) -> None:
        """Answer the same command the same way, though it is not in the log."""
        self._answers[whole] = answer
        if len(self._answers) > ANSWERS:
            self._answers.popitem(last=False)

    async def _do(self, key: str, whole: str, command: wire.AnyCommand) -> wire.Answer:
        try:
            return await self._try(key, whole, command)
        except ParlourError:
            raise
        except Exception as failure:  # the game's own fault: nobody pays for it
            async with self._lock:
                await self._write(self._freeze(failure))
            raise _stands_still() from failure

    async def _try(self, key: str, whole: str, command: wire.AnyCommand) -> wire.Answer:
        table = self.table
        seat = table.seat_of(key)
        match command:
            case wire.Pledge() | wire.Nonce():
                self._put_in(seat, command)
            case wire.Mute():
                self._mute(key, command.name.casefold(), command.off)
            case wire.Why():
                refused = table.refusal(seat, command.action)
                if refused is not None:
                    raise refused
            case wire.Act() if table.is_hushed and seat in table.asked:
                await self._whisper(seat, whole, command.action)
            case _:
                async with self._lock:
                    if whole in self._answers:  # refused while this copy of it waited
                        return self._answers[whole]
                    if whole not in self.commands:
                        await self._write(self._step(key, command), whole)
        self._is_back(seat)
        return wire.Done(id=command.id)

    def muted(self, key: str) -> frozenset[str]:
        """Whom somebody does not want to hear."""
        return frozenset(self._muted.get(key, ()))

    def _mute(self, key: str, name: str, off: bool) -> None:
        """Somebody wants to hear no more, or to hear again, what somebody says."""
        if not key:
            raise ParlourError("Only guests can mute: nobody would know you again.")
        if len(self._muted) >= MUTED or len(self._muted.get(key, ())) >= MUTED:
            self._muted = {}  # nobody in earnest mutes so many
        muted = self._muted.setdefault(key, set())
        (muted.discard if off else muted.add)(name)

    def _step(self, key: str, command: wire.AnyCommand) -> Step:
        table = self.table
        seat = table.seat_of(key)
        match command:
            case wire.Act():
                return table.act(seat, command.action, self.secret, bool(self._newcomers()))
            case wire.Undo():
                return table.undo(seat)
            case wire.Sit():
                return table.sit(command.seat, command.name, key)
            case wire.Leave():
                return table.leave(seat)
            case wire.Again():
                return table.want_again(seat)
            case wire.Say():
                return table.say(seat, command.text)
            case _:
                raise ParlourError("That cannot be done here.")

    def _freeze(self, failure: Exception) -> Step:
        _journal.error("table %s stands still", self.id, exc_info=failure)
        return Step(log.Frozen(STANDS_STILL))

    def _is_back(self, seat: int) -> None:
        """The guest of a seat has shown himself."""
        if seat != WATCHER and self.table.seats[seat].away:
            self._back.add(seat)
            self.stir()

    async def _write(self, step: Step, whole: str | None = None, secret: bytes | None = None) -> None:
        """Write an entry down, then take it into the table and tell who notices.  The lock must be held."""
        if self.fence is None:
            raise Moved("This table has moved to another server.")
        table = self.table
        row = Row(table.version + 1, step.entry, whole)
        began = clock.now()
        kept = None if secret is None else (table.match + 1, secret)
        try:
            await self.floor.written(self.id, self.fence, row, kept)
        except LostTable:
            self.floor.lost(self)
            raise Moved("This table has moved to another server; connect again.") from None
        except Repeated:
            return  # it was done long ago
        except Exception as trouble:
            _journal.warning("the log of table %s cannot be written: %s", self.id, trouble)
            raise NotWritten("The log cannot be written at the moment; nothing was done. Try again.") from None
        self.floor.metrics.commit.observe(clock.now() - began)
        self._committed(step, whole)

    def _committed(self, step: Step, whole: str | None) -> None:
        """What is in the log is taken into the table, and told."""
        table, entry = self.table, step.entry
        try:
            table.commit(step)
        except Exception as failure:
            _journal.error("table %s stands still", self.id, exc_info=failure)
            table.stand_still(STANDS_STILL)
        if whole is not None:
            self.commands.add(whole)
        match entry:
            case log.Committed() | log.Resumed():
                self._mixing = None
                self._earlier, self.commands = self.commands, set()
            case log.Undone():
                self._beat = None
                self._drop_whispers(ParlourError("The question was taken back."))
                for client in self.clients:
                    client.heard = min(client.heard, table.heard(table.seat_of(client.key)))
            case log.Did():
                self._asked.pop(entry.seat, None)
                self.floor.metrics.moves.inc()
            case log.Frozen() | log.Closed():
                self._drop_whispers(_stands_still())
            case log.Sat() | log.Left() | log.Back():
                self._gone.pop(entry.seat, None)
                self._asked.pop(entry.seat, None)
            case log.Said():
                remark = wire.Remark(seat=entry.seat, name=entry.name, text=entry.text)
                self.remarks.append(remark)
                muting = {key for key, names in self._muted.items() if entry.name.casefold() in names}
                self._send(remark, [client for client in self.clients if client.key not in muting])
        self._tell(self.clients)
        if isinstance(entry, log.Told):
            self._send_secret(self.clients)
        self.stir()

    # ------------------------------------------------------------------ hushed questions

    async def _whisper(self, seat: int, whole: str, line: str) -> None:
        """An answer to a hushed question: it is done when the beat is over, so that nobody can tell there was one."""
        before = self._whispers.get(seat)
        if before is None or (whole and not before[0]):
            self.table.may(seat, line)
            if before is not None:  # a bot's, whose seat a guest has taken since
                before[2].set_exception(ParlourError("A guest answers."))
            before = self._whispers[seat] = whole, line, asyncio.get_running_loop().create_future()
        elif before[0] != whole:
            raise ParlourError("You have answered; the others will know in a moment.")
        await asyncio.shield(before[2])

    async def _end_beat(self) -> None:
        """The beat is over: what was answered, or silence, is done."""
        async with self._lock:
            table, whispers = self.table, self._whispers
            self._beat, self._whispers = None, {}
            whole, line, done = None, "", None
            try:
                if table.waits_for_chance:
                    step = table.go_on(self.secret, {})
                else:
                    seat = table.asked[0]
                    whole, line, done = whispers.get(seat, (None, table.silence(seat), None))
                    step = table.act(seat, line, self.secret, bool(self._newcomers()))
            except Exception as failure:
                step, whole = self._freeze(failure), None
            try:
                await self._write(step, whole or None)
                if isinstance(step.entry, log.Frozen):
                    raise _stands_still()
            except ParlourError as trouble:
                if done is not None:
                    done.set_exception(trouble)
                raise
            if done is not None:
                done.set_result(None)
            self._drop_whispers(ParlourError("You were too late: silence was your answer."))

    def _drop_whispers(self, why: ParlourError) -> None:
        """Answers to a hushed question that is no more."""
        for _, _, done in self._whispers.values():
            done.set_exception(why)
        self._whispers = {}

    # ------------------------------------------------------------------ numbers for the deal

    def _newcomers(self) -> dict[int, str]:
        """Seats of guests who are here, whose clients put numbers in, and who have not done so in this match."""
        table = self.table
        mixing = {client.key for client in self.clients if client.mixes}
        return {
            p: seat.key
            for p, seat in enumerate(table.seats)
            if seat.key in mixing and seat.key not in table.contributed
        }

    def _put_in(self, seat: int, command: wire.Pledge | wire.Nonce) -> None:
        """A pledge, or the number that was pledged."""
        mixing = self._mixing
        stage = "" if mixing is None else mixing.stage
        if seat == WATCHER or mixing is None or stage == "mixed":
            raise ParlourError("No numbers are taken now.")
        if isinstance(command, wire.Pledge):
            if stage != "pledge":
                raise ParlourError("The list of pledges is closed.")
            self._pledges.setdefault(seat, command.pledge)
        else:
            nonce = bytes.fromhex(command.nonce)
            if stage != "nonce" or mixing.pledges.get(seat) != pledge(mixing.commitment, nonce):
                raise ParlourError("That is not the number that you pledged.")
            self._nonces[seat] = nonce
        self._stirred.set()

    async def _mix(self) -> dict[int, bytes]:
        """Take the numbers of guests who have put none into this match yet (``docs/fair_deal.md``, 2)."""
        table = self.table
        if not table.has_begun:
            await self._until(lambda: not self.awaited, PLEDGE_SECONDS)
            self.awaited = ""
        wanted = set(self._newcomers())
        self._pledges, self._nonces = {}, {}

        def say(stage: str) -> None:
            pledges = {seat: text for seat, text in sorted(self._pledges.items()) if text}
            nonces = {seat: nonce.hex() for seat, nonce in sorted(self._nonces.items())} if stage == "mixed" else {}
            self._mixing = wire.Mixing(
                match=table.match, commitment=table.commitment, stage=stage, pledges=pledges, nonces=nonces
            )
            self._send(self._mixing)

        if wanted:
            say("pledge")
            await self._until(lambda: wanted <= self._pledges.keys(), PLEDGE_SECONDS)
            pledged = {seat for seat, text in self._pledges.items() if text}
            if pledged:
                say("nonce")
                await self._until(lambda: pledged <= self._nonces.keys(), NONCE_SECONDS)
        say("mixed")
        return dict(sorted(self._nonces.items()))

    async def _until(self, is_so: Callable[[], bool], seconds: float) -> None:
        """Wait until something is so, at most so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not is_so():
                    self._stirred.clear()
                    await self._stirred.wait()

    # ------------------------------------------------------------------ the driver

    def stir(self) -> None:
        """Let the driver look whether there is something to do."""
        if self.fence is None:
            return
        self._stirred.set()
        if self._driver is None or self._driver.done():
            self._driver = asyncio.get_running_loop().create_task(self._drive())

    def lose(self) -> None:
        """Another server runs this table, or will."""
        self.fence = None
        self._drop_whispers(Moved("This table has moved to another server; connect again."))
        self._stirred.set()

    async def stop(self) -> None:
        """No more of this table is done here."""
        driver, self._driver = self._driver, None
        self.lose()
        if driver is not None and driver is not asyncio.current_task():
            driver.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await driver

    async def _drive(self) -> None:
        while self.fence is not None:
            self._stirred.clear()
            try:
                wait = await self._next()
            except Moved:
                return
            except ParlourError as trouble:  # the database is away: try again
                _journal.warning("table %s: %s", self.id, trouble)
                wait = 1.0
            except Exception as failure:
                async with self._lock:
                    await self._write(self._freeze(failure))
                return
            alarm = None if wait is None else asyncio.get_running_loop().call_later(wait, self._stirred.set)
            try:
                await self._stirred.wait()
            finally:
                if alarm is not None:
                    alarm.cancel()

    async def _next(self) -> float | None:
        """Do one thing that is due.  Seconds until the next one may be, ``None``: when something happens."""
        table = self.table
        if table.frozen or table.closed:
            return None
        wait = await self._see_who_is_here()
        if table.state is None or (table.is_over and self._all_want_again()):
            await self._new_match()
        elif table.is_over:
            await self._open_deal()
        elif table.is_hushed:
            return min(wait, await self._keep_beat())
        elif table.waits_for_chance or not table.has_begun:
            nonces = await self._mix()
            async with self._lock:
                await self._write(table.go_on(self.secret, nonces))
        elif bots := [seat for seat in table.asked if table.seats[seat].is_bots]:
            if not self.clients and clock.now() - self.seen > table.opened.grace:
                return None  # nobody looks: the bots have time
            await self._let_bots_answer(bots)
        return wait

    async def _new_match(self) -> None:
        secret = secrets.token_bytes(32)
        async with self._lock:
            await self._write(self.table.commit_to(secret), secret=secret)
            self.secret = secret

    def _all_want_again(self) -> bool:
        here = {p for p, seat in enumerate(self.table.seats) if not seat.is_bots}
        return bool(self.table.again) and here <= self.table.again

    async def _open_deal(self) -> None:
        state = self.table.state
        fair = None if state is None else state.fair
        if self.table.opened.told and fair is not None and fair.secret is None and self.secret is not None:
            async with self._lock:
                await self._write(self.table.tell_secret(self.secret))

    async def _keep_beat(self) -> float:
        """Wait out a hushed question, as long as ever, whoever is asked."""
        table = self.table
        assert table.state is not None
        moment = table.match, len(table.state.history)
        if self._beat is None or self._beat[0] != moment:
            self._beat = moment, clock.now() + table.opened.beat
            for seat in table.asked:
                if table.seats[seat].is_bots:
                    self.floor.soon(self._let_bot_whisper(seat))
        left = self._beat[1] - clock.now()
        if left > 0:
            return left
        await self._end_beat()
        return 0.0

    async def _let_bot_whisper(self, seat: int) -> None:
        with contextlib.suppress(ParlourError):
            line = await self._bots_choice(seat)
            await self._whisper(seat, "", line)

    async def _let_bots_answer(self, seats: list[int]) -> None:
        """Let the bots that are asked choose, each from what its seat is told."""
        table = self.table
        tellings = [table.view(seat) for seat in seats]
        *lines, _ = await asyncio.gather(*map(self._bots_choice, seats), clock.sleep(table.opened.pace))
        for seat, before, line in zip(seats, tellings, lines, strict=True):
            async with self._lock:
                if seat in table.asked and table.seats[seat].is_bots and table.view(seat) == before and line:
                    try:
                        step = table.act(seat, line, self.secret, bool(self._newcomers()))
                    except Exception as failure:
                        step = self._freeze(failure)
                    await self._write(step)

    async def _bots_choice(self, seat: int) -> str:
        table = self.table
        chosen = await self.floor.bots.choose(table.seats[seat].bot, seat + 1, *table.question(seat))
        return table.game.action_names[chosen]

    async def _see_who_is_here(self) -> float:
        """Guests who have gone, or are silent for too long, are away; who is back is back.  Seconds to the next
        look."""
        table, now, soonest = self.table, clock.now(), 3600.0
        opened = table.opened
        for p, seat in enumerate(table.seats):
            if not seat.key:
                continue
            here = self.is_here(p)
            if here:
                self._gone.pop(p, None)
                if until := self._looks.get(seat.key):
                    soonest = min(soonest, max(until - now, 0.0))
            else:
                self._gone.setdefault(p, now)
            if p in table.asked and not table.is_hushed:
                self._asked.setdefault(p, now)
            else:
                self._asked.pop(p, None)
            due = self._gone[p] + opened.grace if not here else now + 3600
            if opened.patience and p in self._asked:
                due = min(due, self._asked[p] + opened.patience)
            if seat.away:
                if p in self._back:
                    self._back.discard(p)
                    async with self._lock:
                        await self._write(Step(log.Back(p)))
            elif due <= now:
                if here or not await self.floor.is_elsewhere(self, p):
                    async with self._lock:
                        await self._write(Step(log.Away(p)))
                else:
                    self._gone[p] = now
            else:
                soonest = min(soonest, due - now)
        return soonest
