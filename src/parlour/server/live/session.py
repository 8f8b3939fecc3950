"""A table as one guest has it: all that pages and the interface for programs know of a table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.core.game import Game
from parlour.core.notes import seatings
from parlour.core.transcript import notes_in_history
from parlour.server.bots.looking_back import PastChoice, choices
from parlour.server.bots.reviews import Review
from parlour.server.common import clock, wire
from parlour.server.common.errors import NoTable, NotWritten, TooEarly
from parlour.server.common.executors import LOGS
from parlour.server.common.outside import token_hex
from parlour.server.live import moves, proof, seating
from parlour.server.live.connection import Connection
from parlour.server.table.seats import WATCHER, is_nobody, nobody

if TYPE_CHECKING:
    from parlour.players.player import Advice
    from parlour.server.live.live_table import LiveTable

_LATER: Final = marked("The match is not over: its record is given out at the end.")


class Session:
    """A guest at a table, or a spectator: what they may know of it, and what they may do there.

    ``key``: the fingerprint of the guest's token, or a key that belongs to nobody.  Everything here is told to the seat
    of that key and done in its name; there is no way from a session to what another seat knows.
    """

    def __init__(self, live: LiveTable, key: str) -> None:
        self._live, self.key = live, key or nobody()

    # ------------------------------------------------------------------ the table

    @property
    def id(self) -> str:
        """The table's id, which all addresses use."""
        return self._live.id

    @property
    def code(self) -> str:
        """The six letters of its invitation."""
        return self._live.code

    @property
    def game(self) -> Game:
        """Its game, with its house rules."""
        return self._live.table.game

    @property
    def about(self) -> wire.About:
        """What does not change at this table."""
        return self._live.about()

    @property
    def players(self) -> list[wire.SeatHolder]:
        """The holder of each seat."""
        return self._live.table.known.players

    @property
    def watching(self) -> int:
        """How many spectators are connected."""
        return self._live.watching

    @property
    def match(self) -> int:
        """The number of the current match, or of the last; 0 before the first."""
        return self._live.table.match

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self._live.table.is_over

    def finishers(self, match: int) -> tuple[Sequence[str], int]:
        """Return what everybody was called when a match ended, and the seat that the guest had then; ``()`` if it is
        not the last match, or not over."""
        table = self._live.table
        if match != table.match or not table.is_over:
            return (), WATCHER
        return table.playing.player_names, table.seat_at_the_end(self.key)

    @property
    def is_resumed(self) -> bool:
        """Whether this match continues from a record, so that its deal cannot be checked."""
        return self.match > 0 and not self._live.table.commitment

    @property
    def is_practice(self) -> bool:
        """Whether this match is one of practice, which counts for nobody."""
        return self._live.table.is_practice

    @property
    def taking_back(self) -> Literal["", "freely", "as practice"]:
        """How the guest may take back their last move now; see :func:`parlour.server.live.moves.how_to_take_back`."""
        return moves.how_to_take_back(self._live.table, self.seat)

    @property
    def came(self) -> tuple[int, str]:
        """How many sentences of this match had been told to the guest's seat when they took it over from a bot, and the
        bot's name; 0 if they have had it from the beginning."""
        return self._live.table.came.get((self.key, self.seat), (0, ""))

    @property
    def may_move(self) -> bool:
        """Whether another server may go on with this table if this one cannot."""
        return self._live.tables.neighbours.may_exist

    @property
    def is_by_post(self) -> bool:
        """Whether moves may be days apart here."""
        return self._live.table.opened.by_post

    @property
    def revision(self) -> int:
        """A number that changes whenever a match that is over may have become a different one, because moves of
        practice can be taken back even then."""
        return self._live.table.version if self._live.table.is_practice else 0

    # ------------------------------------------------------------------ what the guest is told

    @property
    def seat(self) -> int:
        """The guest's own seat, -1 for a spectator."""
        return self._live.table.seat_of(self.key)

    @property
    def chain(self) -> str:
        """The last link of the record's chain that everybody was told; empty if there is none."""
        return proof.link(self._live.table)

    @property
    def allowed(self) -> Sequence[str]:
        """What the table's maker allows; see :class:`~parlour.server.common.wire.Telling`."""
        return self._live.table.hosting.allowed

    @property
    def is_host(self) -> bool:
        """Whether the guest made this table."""
        return self._live.table.hosting.is_maker(self.key)

    def telling(self, heard: int = 0, items: bool = False) -> wire.Telling:
        """Return all that the guest may know now; see :class:`~parlour.server.common.wire.Telling`."""
        return self._live.table.known.telling(self.seat, heard, items)

    @property
    def noticed_at(self) -> float:
        """When the guest's seat last noticed something, in seconds since 1970."""
        return self._live.table.known.noticed_at[self.seat]

    @property
    def left_of_beat(self) -> float:
        """The seconds until the hushed question of this moment is over, whoever is asked; 0 if there is none."""
        return self._live.beat.left if self._live.table.is_hushed else 0.0

    @property
    def remarks(self) -> Sequence[wire.Remark | wire.Notice]:
        """Recent chat messages, and notices about the table."""
        return tuple(self._live.chat.remarks)

    @property
    def muted(self) -> frozenset[str]:
        """The names, case folded, that the guest has muted."""
        return self._live.chat.muted(self.key)

    def record(self) -> str:
        """Return the record of the match, as far as the guest may have it."""
        return proof.record(self._live.table, self.seat)

    async def reveal_in_time(self) -> None:
        """Reveal the deal of a match, if others could have been dealt the same cards and no longer can."""
        await self._live.reveal_in_time()

    async def record_of(self, match: int) -> str:
        """Return the record of a match that is over, the last or an earlier one, as far as the guest may have it.
        Raises :class:`TooEarly` before its end, and ``ParlourError`` if there is no such match."""
        table = self._live.table
        if not table.match:
            raise TooEarly(_LATER)
        if not 1 <= match <= table.match:
            raise NoTable(
                "There is no match {match}; {other_match} began at this table.", match=match, other_match=table.match
            )
        if match == table.match:
            await self._live.reveal_in_time()
        if match < table.match:
            table = await self._live.tables.past(self.id, match)
        if not (table.is_over or table.closed):
            raise TooEarly(_LATER)
        fair = table.playing.ledger.fair
        if match == self.match and table.opened.reveal and fair is not None and fair.secret is None:
            if table.deals_alike and not await self._live.tables.secrecy.is_open(table.opened.event):
                raise TooEarly(
                    "Others can still be dealt these cards. The replay and the record are there as soon as nobody can."
                )
            raise TooEarly("The deal is being revealed; try again in a moment.")
        return proof.record(table, table.seat_of(self.key))

    # ------------------------------------------------------------------ what the guest does

    async def do(self, command: wire.AnyCommand, connection: Connection | None = None) -> wire.Answer:
        """Carry out a command, once; the answer comes when it is on disk. ``connection``: the one that brought it; if a
        client says what it has shown, it means that connection."""
        if isinstance(command, wire.Shown):
            if connection is not None:
                self._live.shows(connection, command)
            return wire.Done(id=command.id)
        return await self._live.do(self.key, command)

    async def sit(self, name: str, seat: int = WATCHER) -> int:
        """Take a bot's seat, this one or the first; return which. Raises ``ParlourError`` if that is not possible."""
        answer = await self.do(wire.Sit(id=f"sit-{token_hex(8)}", name=name, seat=seat))
        if isinstance(answer, wire.Refused):
            raise (NotWritten if answer.later else ParlourError)(answer.sentence)
        return self.seat

    def why_not(self, name: str, seat: str) -> str:
        """Return why the guest may not take this seat under this name now; empty if they may."""
        try:
            seating.sit(self._live.table, int(seat), name, self.key)
        except ParlourError as mistake:
            return str(mistake)
        except ValueError:
            return marked("There is no seat {text!r}.", text=seat[:20])
        return ""

    async def hints(self, kind: str, rounds: int = 1) -> AsyncIterator[Advice]:
        """Yield what a player of a kind would do, and why, after each of ``rounds`` rounds of thought. Stop as soon as
        they have another choice, or none; if there is none from the start, yield nothing.

        Raise ``ParlourError`` at a hushed question: others who want a hint would wait longer, and notice that somebody
        was asked. A guest waits for one hint about a choice; the rounds of others come between.
        """
        table, seat, waiting = self._live.table, self.seat, self._live.hinted
        if table.deals_alike:
            raise ParlourError("There are no hints here: everybody plays the same cards, and results are compared.")
        if table.is_hushed:
            raise ParlourError("There are no hints now: others could notice that you asked for one.")
        if seat == WATCHER or seat not in table.asked:
            return
        choice = self.choice
        if (seat, choice) in waiting:
            raise ParlourError("You have asked for a hint already.")
        waiting.add((seat, choice))
        try:
            question, advice = table.known.question(seat), None
            for n in range(rounds):
                found = await self._live.tables.bots.advise(kind, *question, n)
                if self.choice != choice:
                    return
                advice = found if advice is None else advice.joined(found)
                yield advice
                if advice.exact or advice.second is None:
                    return
        finally:
            waiting.discard((seat, choice))

    @property
    def choice(self) -> tuple[int, ...]:
        """What tells the guest's present choice from all their others: the match, how often they have chosen in it, and
        the actions to choose from. What others do meanwhile changes nothing. It is empty if the guest has nothing to
        choose."""
        table, seat = self._live.table, self.seat
        if table.state is None or seat == WATCHER or seat not in table.asked:
            return ()
        made = sum(step.player == seat for step in table.state.history)
        return table.match, made, *table.known.question(seat)[1]

    # ------------------------------------------------------------------ looking back

    def reviewed(self, match: int) -> Review | None:
        """Return how far the review of the guest's choices in a match has got; ``None`` if it has not begun."""
        return self._live.tables.reviews.get((self.id, match, self.key))

    async def review(self, match: int, kind: str, again: bool = False) -> Review | None:
        """Return how far the review of the guest's choices in a match that is over has got. The review is made by a
        player of this ``kind``. It begins when it is first asked for; with ``again``, one that met with trouble begins
        once more. Return ``None`` to a guest who had no seat then, or who may not have the whole record. Raises
        ``ParlourError`` if too many matches are being reviewed."""
        reviews, at = self._live.tables.reviews, (self.id, match, self.key)
        if is_nobody(self.key):
            return None
        if (review := reviews.get(at)) is not None and not (again and review.trouble):
            return review
        table = self._live.table if match == self.match else await self._live.tables.past(self.id, match)
        seat = table.seat_at_the_end(self.key)
        if seat == WATCHER or table.state is None or not table.is_over or not proof.is_open(table):
            return None
        state, stood_in = table.state, table.stood_in

        async def made() -> list[PastChoice]:
            seated = [one for one in seatings(notes_in_history(state)) if one.seat == seat and one.guest]
            since = seated[-1].at if seated else 0
            return await LOGS.do(choices, state.game, state.history[:], seat, since, stood_in)

        return reviews.begin(at, kind, seat, made)

    # ------------------------------------------------------------------ being there

    def connect(
        self, *, match: int = 0, seat: int | None = None, heard: int = 0, mixes: bool = False, items: bool = False,
        page: bool = False, holds: bool = False, steps: bool = False,
    ) -> Connection:  # fmt: skip
        """Return a connection whose outbox receives everything from now on; see :class:`Connection` for the
        arguments."""
        connection = Connection(
            self.key, match=match, seat=seat, heard=heard, mixes=mixes, items=items, page=page, holds=holds, steps=steps
        )
        self._live.connect(connection)
        return connection

    def disconnect(self, connection: Connection) -> None:
        """Put nothing more into a connection's outbox."""
        self._live.disconnect(connection)

    @property
    def slow(self) -> dict[int, bool]:
        """The seats for whose guests this guest may let a bot choose, each with whether the time for that has come."""
        table = self._live.table
        me, asked_at = table.seat_of(self.key), table.asked_at
        return {
            seat: clock.wall() - since >= seating.SLOW
            for seat, since in asked_at.items()
            if seating.may_be_relieved(table, me, seat)
        }

    def page_loaded(self, seconds: float) -> None:
        """Note that the guest's page was loaded: without a connection, they count as here for this many seconds."""
        self._live.page_loaded(self.key, seconds)

    def reads(self, seconds: float) -> None:
        """Note that the guest reads something, for at most this many seconds (0: no longer). If nobody else sits at the
        table, its bots wait."""
        self._live.read_by(self.key, seconds)

    @property
    def sets_the_pace(self) -> bool:
        """Whether bots wait for what this guest's page shows, because nobody else sits at the table or looks at it."""
        return self._live.is_alone(self.key)

    def await_number(self) -> None:
        """Note that the guest's client will contribute a nonce to the first deal: the match waits a while for the
        client to connect."""
        self._live.awaited = self.key

    def begin(self) -> None:
        """Let the match begin, unless the table waits for something else."""
        self._live.stir()

    async def discard(self, reason: str) -> None:
        """Close the table, which was opened for this guest and is not needed after all."""
        await self._live.close(reason)

    def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Start something in the background that goes on even if the connection that wanted it ends."""
        self._live.tables.soon(work)


__all__ = ["Session"]
