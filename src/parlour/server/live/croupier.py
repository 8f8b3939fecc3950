"""The croupier of a table does what no guest does: it begins matches, lets chance go on after a pause, lets bots
answer, ends the beat of a hushed question, reveals the deal at the end, and sees who has gone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from parlour.base.errors import Endless, ParlourError
from parlour.base.languages import marked
from parlour.players.kind import Kind
from parlour.server.common import clock
from parlour.server.common.errors import Moved, NotWritten
from parlour.server.common.limits import thinking_time
from parlour.server.live import moves, proof, teaching
from parlour.server.live.beat import too_late
from parlour.server.live.mixing_round import NONCE_SECONDS, PLEDGE_SECONDS, MixingRound
from parlour.server.live.protocols import Running
from parlour.server.table import log
from parlour.server.table.chance import bots_seed
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change

LOOK: Final = 7.0
"""Seconds that a finished deal is held if of several people at a table, or of those who watch it, at most one looks."""
WAIT: Final = 30.0
"""Seconds that it is held if several guests look at it, and the table's patience has no end."""
SHOWN: Final = 0.5
"""Seconds that a page is thought to need for an event before bots do more, where no page says what it has shown."""
BEHIND: Final = 3.0
"""The most seconds that such a page is thought to need, however much it has to show."""
IN_A_ROW: Final = 0.5
"""The share of its time that a bot takes right after another, where the page of the only guest sets the pace."""
RETRY: Final = 1.0
"""Seconds after which a failed write is tried again."""

_journal = logging.getLogger("parlour.server")


class Croupier:
    """One task for a table: it does what is due, then sleeps until something happens or the next thing is due."""

    def __init__(self, live: Running) -> None:
        self._live = live
        # counted too, because waiting in the middle of its work clears the event
        self._stirred, self._wakes = asyncio.Event(), 0
        self._task: asyncio.Task[None] | None = None
        self._held = 0, 0, 0.0  # match and number of the deal that is held, and since when
        self._bots_moved = 0, 0  # the match, and its steps up to the last that bots have made
        # the last round of nonces, after the fence under which it was held and the moment it was for
        self._mixed: tuple[int | None, tuple[int, int], MixingRound] | None = None
        self._told, self._shown = (0, 0), 0.0  # the match and the sentences told to all, and until when pages show them

    def wake(self) -> None:
        """Note that something has happened; if the croupier is at work, it looks again."""
        self._wakes += 1
        self._stirred.set()

    def stir(self) -> None:
        """Wake the croupier, or let it begin if it is not at work."""
        self.wake()
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def stop(self) -> None:
        """Stop at once, whatever it is doing."""
        task, self._task = self._task, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _work(self) -> None:
        live = self._live
        while live.fence is not None:
            self._stirred.clear()
            wakes = self._wakes
            try:
                wait = await self._do_next_or_stop()
            except Moved:
                return
            except ParlourError as trouble:  # the database cannot be reached
                _journal.warning("table %s: %s", live.id, trouble)
                wait = RETRY
            alarm = None if wait is None else asyncio.get_running_loop().call_later(wait, self.wake)
            try:
                if self._wakes == wakes:
                    await self._stirred.wait()
            finally:
                if alarm is not None:
                    alarm.cancel()

    async def _do_next_or_stop(self) -> float | None:
        """Do one thing that is due, as :meth:`do_next` does. If the game or its rules fail, stop the table."""
        try:
            return await self.do_next()
        except Exception as failure:
            if isinstance(failure, ParlourError) and not isinstance(failure, Endless):
                raise
            await self._write(self._live.broken(failure))
            return None

    async def _write(self, change: Change | Callable[[], Change], secret: bytes | None = None) -> None:
        """Write an entry. ``change`` may be a function that works the entry out once the table's lock is held."""
        async with self._live.lock:
            await self._live.write(change if isinstance(change, Change) else change(), secret=secret)

    async def do_next(self) -> float | None:
        """Do one thing that is due. Return the seconds until the next one may be due; ``None``: not before something
        happens."""
        live, table = self._live, self._live.table
        if table.frozen or table.closed:
            return None
        if await live.is_too_late():
            await live.close(marked("its cards are open now."))
            return None
        wait = await self._see_who_is_here()
        self._see_what_is_shown()
        if live.page_wait:
            self._give_time()
        await self._link()
        if table.lesson is not None:
            await self._teach()
            return wait
        if table.awaits and not (self._all_want_again() or self._maker_begins()):
            return wait
        if table.opened.practice and (table.state is None or (table.is_over and self._all_want_again())):
            await self._write(lambda: moves.practise(table))
        elif table.state is None or (table.is_over and self._all_want_again()):
            if table.is_over:
                await live.tables.guests.keep(live.id, live.code, table)
            secret = await live.tables.secrecy.secret_for(table.opened.event)
            await self._write(lambda: moves.commit_to(table, secret), secret)
        elif table.is_over:
            await self.reveal_deal()
        elif table.is_held:
            return min(wait, await self._hold())
        elif table.is_hushed:
            return min(wait, await self._keep_beat())
        elif table.waits_for_chance or not table.has_begun:
            mixing, is_written = await self._mix(), True
            try:
                there = live.audience
                await self._write(
                    lambda: moves.go_on(
                        table, live.secret, mixing.nonces, bool(there.holding()), there.sees_steps(), mixing.left
                    )
                )
            except NotWritten:
                is_written = False
                raise
            finally:
                mixing.is_over = is_written
        elif bots := [seat for seat in table.asked if table.seats[seat].is_bots]:
            unseen = not (live.audience.is_looked_at or table.opened.by_post or table.owes_results)
            if unseen and clock.now() - live.presence.seen > table.opened.grace:
                return None  # nobody is looking, so the bots have time
            if live.reading_wait:
                return min(wait, live.reading_wait)
            await self._let_bots_answer(bots)
        return wait

    def _see_what_is_shown(self) -> None:
        """Work out the time until which pages are busy showing, event by event, what everybody has been told. What only
        some have been told does not count, so nobody learns of it by the pace."""
        table, now = self._live.table, clock.now()
        told, before = (table.match, table.known.heard(WATCHER)), self._told
        news = told[1] - before[1] if told[0] == before[0] else 0
        self._told, self._shown = told, min(now + BEHIND, max(now, self._shown) + SHOWN * max(0, news))

    @property
    def _guessed_page_wait(self) -> float:
        """Return the seconds until pages have shown, as far as can be guessed, what everybody was told; 0 where the
        page says so itself."""
        return max(0.0, self._shown - clock.now()) if self._live.page_wait is None else 0.0

    async def _take(self, seconds: float, least: float = 0.0) -> None:
        """Let this time go by, or only as much of it as the only guest wants to wait, but at least ``least``
        seconds."""
        began, is_hurried = clock.now(), self._live.is_hurried
        resting = asyncio.ensure_future(clock.sleep(least if is_hurried else max(seconds, least)))
        hurried = asyncio.ensure_future(self._until(lambda: self._live.is_hurried, seconds + RETRY))
        try:
            await asyncio.wait((resting,) if is_hurried else (resting, hurried), return_when=asyncio.FIRST_COMPLETED)
            if not resting.done() and (left := began + least - clock.now()) > 0:
                await clock.sleep(left)
        finally:
            resting.cancel()
            hurried.cancel()

    async def _page_has_shown(self) -> None:
        """Wait until the page that sets the pace, if there is one, has shown what it was told."""
        while left := self._live.page_wait:
            self._stirred.clear()
            alarm = asyncio.get_running_loop().call_later(left, self.wake)
            try:
                await self._stirred.wait()
            finally:
                alarm.cancel()

    def _give_time(self) -> None:
        """Let no time count while a page shows what has happened: until then nobody has been asked, and nobody looks at
        a finished deal."""
        table, now = self._live.table, clock.now()
        self._held = table.match, table.gone_over, now
        for seat, guest in enumerate(table.seats):
            if guest.key:
                self._live.presence.answered(seat)

    def _all_want_again(self) -> bool:
        """Whether all guests want another match, and one of them is still here, at this server or another."""
        live = self._live
        guests = {seat.key for seat in live.table.seats if not seat.is_bots}
        wanting = {live.table.seats[p].key for p in live.table.again}
        return guests <= wanting and not wanting.isdisjoint(live.presence.keys() | live.audience.elsewhere.keys())

    def _maker_begins(self) -> bool:
        """Whether the table's maker begins without those who are missing: no guest who says nothing holds them up."""
        table = self._live.table
        return any(table.hosting.is_maker(table.seats[seat].key) for seat in table.again)

    async def _hold(self) -> float:
        """Let everybody look at a finished deal until all guests who hold it want to go on, or for long enough. A guest
        alone with bots keeps nobody waiting, so only the table's patience ends their look.  Return the seconds until
        then."""
        live, table, now = self._live, self._live.table, clock.now()
        if self._held[:2] != (table.match, table.gone_over):
            self._held = table.match, table.gone_over, now
        holding = live.audience.holding()
        guests = {seat for seat in holding if seat != WATCHER}
        people = {p for p, seat in enumerate(table.seats) if not seat.is_bots}
        patience = 0.0 if table.opened.by_post else table.opened.patience
        if len(guests) == 1 and people <= guests:
            most = patience or math.inf
        else:
            most = LOOK if len(guests) < 2 else patience or WAIT
        left = self._held[2] + most - now
        if not holding or (guests and guests <= table.again) or left <= 0:
            await self._write(Change(log.WentOn()))
            self.stir()
        return max(left, 0.0)

    async def _link(self) -> None:
        """Tell everybody a link of the record's chain, if it is time for one."""
        live, table = self._live, self._live.table
        if proof.owes_link(table):
            async with live.lock:
                if proof.owes_link(table) and live.secret is not None:  # others may have moved while it waited
                    await live.write(proof.bind(table, live.secret))

    async def reveal_deal(self) -> None:
        """Reveal the secret of a match that is over, if that was agreed and has not been done yet."""
        await self._link()
        table, secret = self._live.table, self._live.secret
        fair = None if table.state is None else table.state.ledger.fair
        if not table.opened.reveal or fair is None or fair.secret is not None or secret is None:
            return
        if await self._live.tables.secrecy.is_open(table.opened.event):
            await self._write(lambda: proof.reveal(secret))

    async def _see_who_is_here(self) -> float:
        """Write down which guests are away now, and which are back.  Return the seconds until the next look."""
        live, presence = self._live, self._live.presence
        due, wait = presence.due()
        for entry in due:
            seat = entry.seat
            guest = live.table.seats[seat]
            if not guest.key or guest.away is isinstance(entry, log.Away):
                continue  # they left while something else was written
            is_gone = isinstance(entry, log.Away) and not presence.is_here(seat)
            if is_gone and await live.tables.neighbours.is_elsewhere(live, seat):
                presence.is_elsewhere(seat)
                wait = min(wait, max(live.table.opened.grace, RETRY))
            elif isinstance(entry, log.Back) or presence.is_due(seat):  # they may have come while others were written
                await self._write(Change(entry))
        return wait

    # ------------------------------------------------------------------ lessons

    async def _teach(self) -> None:
        """Go on with a lesson as it says, up to the next stop; there the table waits for the learner."""
        live, table = self._live, self._live.table
        change, moment = teaching.goes_on(table, live.audience.sees_steps()), table.version
        if change is None:
            return
        if isinstance(change.entry, log.Did) and table.opened.pace:
            await asyncio.gather(self._take(max(table.opened.pace, self._guessed_page_wait)), self._page_has_shown())
        async with live.lock:
            if table.version == moment:  # otherwise it is worked out again
                await live.write(change)

    async def _let_bots_answer(self, seats: list[int]) -> None:
        """Let the bots that are asked choose, each from what its seat is told."""
        live, table = self._live, self._live.table
        tellings = [table.known.view(seat) for seat in seats]
        # a bot takes the same time whatever it holds; if it takes any, it also waits until pages have shown what came
        # before
        pause = 0.0 if self._takes_no_time(seats) else table.opened.pace
        if live.page_wait is not None and self._bots_moved == self._steps:
            pause *= IN_A_ROW
        choices, waits = map(self._bots_choice, seats), list[Awaitable[None]]()
        if pause and live.audience.sees_steps():
            pause = max(pause, self._guessed_page_wait)
            waits.append(self._page_has_shown())
        longest = max(thinking_time(Kind.parsed(table.seats[seat].bot)) for seat in seats)
        found = await asyncio.gather(*choices, self._take(pause, longest), *waits)
        if waits and live.page_wait:
            return  # a move was taken back and made again: the page shows that first
        lines = found[: len(seats)]
        for seat, before, line in zip(seats, tellings, lines, strict=True):
            async with live.lock:
                if live.reading_wait:
                    return  # a lesson is explaining what comes next
                if seat in table.asked and table.seats[seat].is_bots and table.known.view(seat) == before and line:
                    try:
                        change = live.act(seat, line)
                    except Exception as failure:
                        change = live.broken(failure)
                    await live.write(change)
                    self._bots_moved = self._steps

    @property
    def _steps(self) -> tuple[int, int]:
        """The number of the match, and of the steps made in it."""
        state = self._live.table.state
        return self._live.table.match, len(state.history) if state else 0

    def _takes_no_time(self, seats: Sequence[int]) -> bool:
        """Whether bots choose something that takes no time (``at_once`` in the game's words), such as stakes: they are
        all laid one right after another, and seen as one."""
        table = self._live.table
        quick = table.game.definition.words["game"].get("at_once", ())
        names = table.game.action_names
        offered = [a for seat in seats for a in table.known.question(seat)[1]] if quick else []
        return bool(offered) and all(names[a].split()[0] in quick for a in offered)

    async def _bots_choice(self, seat: int) -> str:
        """Return what a bot chooses for a seat; for a guest who is away, what the rules take silence to mean, if
        anything."""
        table = self._live.table
        if table.seats[seat].is_absent and (meant := moves.silence(table, seat)) is not None:
            return meant
        seed = seat + 1
        # every table of this deal has the same bots, so their chance follows from the secret too
        if table.deals_alike and self._live.secret is not None:
            seed = bots_seed(self._live.secret, table.playing, seat)
        chosen = await self._live.tables.bots.choose(table.seats[seat].bot, seed, *table.known.question(seat))
        return table.game.action_names[chosen]

    # ------------------------------------------------------------------ hushed questions

    async def _keep_beat(self) -> float:
        """Wait out a hushed question, for the same time whoever is asked."""
        live, table = self._live, self._live.table
        moment = self._steps
        if live.beat.moment != moment and (left := live.page_wait):
            return left  # nobody could have seen the question yet
        if live.beat.begin(moment, table.opened.beat):
            for seat in table.asked:
                if table.seats[seat].is_bots:
                    live.tables.soon(self._let_bot_whisper(seat, moment))
        if live.beat.left == 0:
            await self._end_beat()
        return live.beat.left

    async def _let_bot_whisper(self, seat: int, moment: tuple[int, int]) -> None:
        with contextlib.suppress(ParlourError):
            line = await self._bots_choice(seat)
            if self._live.beat.moment == moment:  # otherwise it came too late
                await self._live.whisper(seat, "", line)

    async def _end_beat(self) -> None:
        """End the beat: carry out what was answered, or what silence means."""
        live, table = self._live, self._live.table
        async with live.lock:
            answered = None
            try:
                if table.waits_for_chance:
                    change = moves.go_on(table, live.secret, {}, bool(live.audience.holding()))
                else:
                    seat = table.asked[0]
                    answered = live.beat.take(seat)
                    change = live.act(seat, answered.line if answered else moves.silence(table, seat) or "")
            except Exception as failure:
                change = live.broken(failure)
            is_broken = isinstance(change.entry, log.Frozen)
            try:
                await live.write(change, answered.command or None if answered and not is_broken else None)
                if is_broken:
                    raise ParlourError("This table has stopped: {frozen}", frozen=table.frozen)
            except ParlourError as trouble:
                if answered:
                    answered.done.set_exception(trouble)
                live.beat.drop(trouble)
                raise
            if answered:
                answered.done.set_result(None)
            live.beat.drop(too_late())  # including answers that came while this was written

    # ------------------------------------------------------------------ numbers for the deal

    async def _mix(self) -> MixingRound:
        """Collect nonces from the guests who have contributed none to this match yet (``docs/fair_deal.md``, §2).
        Return the round that has them."""
        live, table, moment = self._live, self._live.table, self._steps
        if self._mixed is not None and self._mixed[:2] == (live.fence, moment) and not self._mixed[2].is_over:
            return self._mixed[2]  # everybody was shown these, and they could not be written
        if not table.has_begun:
            await self._until(lambda: not live.awaited, PLEDGE_SECONDS)
            live.awaited = ""
        wanted = live.newcomers()
        live.round = mixing = MixingRound(table.match, table.commitment, wanted)
        if wanted:
            live.audience.send(mixing.frame)
            await self._until(lambda: mixing.is_complete, PLEDGE_SECONDS)
            if mixing.pledged:
                mixing.stage = "nonce"
                live.audience.send(mixing.frame)
                await self._until(lambda: mixing.is_complete, NONCE_SECONDS)
        mixing.stage = "mixed"
        live.audience.send(mixing.frame)
        self._mixed = live.fence, moment, mixing
        return mixing

    async def _until(self, is_so: Callable[[], bool], seconds: float) -> None:
        """Wait until a condition holds, at most this many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not is_so():
                    self._stirred.clear()
                    await self._stirred.wait()


__all__ = ["Croupier"]
