"""A client for guests: what a bot or a terminal needs to sit down and play over the network.

:func:`make_table` and :func:`sit_down` get a :class:`Ticket`. A :class:`Client` is the connection that a ticket opens,
and a :class:`SyncClient` is the same for code without an event loop.

>>> from parlour.server.client.tickets import sit_down
>>> async def play(link: str) -> None:
...     ticket = await sit_down(link, "Ann")  # or make_table(server, name="Ann", game="kuhn")
...     async with Client(ticket) as client:
...         async for event in client.events():
...             if isinstance(event, Snapshot) and event.legal:
...                 await client.act(event.telling.choices[0].name)
...             elif isinstance(event, Lost | Found):
...                 print(event)
>>> asyncio.run(play("no link"))
Traceback (most recent call last):
parlour.base.errors.ParlourError: A link to a table looks like http://localhost:8000/t/QWRTZP, not 'no link'.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from anyio.from_thread import start_blocking_portal
from websockets.asyncio.client import ClientConnection, connect
from websockets.client import backoff, process_exception
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.frames import CloseCode

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.core.game import Game, load
from parlour.engine.telling import View
from parlour.server.client.tickets import Ticket, fetched, password, reason_of, refusal
from parlour.server.client.witness import Witness
from parlour.server.common import wire

__all__ = [
    "Client",
    "Ended",
    "Found",
    "Lost",
    "Snapshot",
    "SyncClient",
]

T = TypeVar("T")

LONGEST_PAUSE: Final = 15.0
"""The longest pause between two attempts to reconnect, in seconds."""
STEADY: Final = 5.0
"""Seconds that a connection must last for the pauses to start small again."""
LOOK: Final = 0.6
"""Seconds between two checks that the server is still there."""
QUIET: Final = 1.2
"""Seconds without an answer to a check after which the client connects again, perhaps to another server. If it was the
line that was slow, this was rash, so the client doubles its patience each time."""
LONGEST_QUIET: Final = 20.0
"""The most seconds that a client waits for the answer to a check."""
GIVE_UP: Final = 600.0
"""Seconds without a connection after which a client gives up."""
FOR_GOOD: Final = range(4400, 4500)
"""Codes with which a server ends a connection for good, because the client asked for the impossible."""
FOR_NOW: Final = (4408, 4429)
"""The exceptions: the client was too slow or too fast, and may connect again."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is lost, for this ``reason``; the client tries again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """The connection is back."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a client knows of its table at one moment: the latest telling, and every sentence of its match."""

    game: Game
    telling: wire.Telling
    story: tuple[wire.Sentence, ...]

    @property
    def view(self) -> View | None:
        """What the seat sees; ``None`` before the first match."""
        told = self.telling
        return None if told.items is None else View(self.game, told.seat, tuple((n, i, v) for n, i, v in told.items))

    @property
    def legal(self) -> list[int]:
        """The actions that the seat may choose now; empty if it is not asked."""
        return [choice.id for choice in self.telling.choices]


ClientEvent: TypeAlias = (
    Snapshot
    | wire.About
    | wire.Remark
    | wire.Notice
    | wire.ChainLink
    | wire.MixingStage
    | wire.Revealed
    | wire.Bye
    | Lost
    | Found
)
"""What a client receives, in order, apart from the answers to its commands."""


class Client:
    """A guest's connection to a table.

    It connects when it is entered (``async with``) and stays connected until it is left. When the connection breaks, it
    tries again after growing pauses, and continues from what it knows. It sends a command under the same id until it is
    answered, so the command is carried out exactly once. It sends nonces for the fair deal by itself.

    ``about`` describes the table; ``known`` is the latest snapshot, ``None`` before the first telling; ``witness`` is
    what was seen of the deal; ``quiet`` is the number of seconds that the server may be silent.
    """

    def __init__(self, ticket: Ticket, contributes: bool = True) -> None:
        self.ticket = ticket
        self.about: wire.About | None = None
        self.known: Snapshot | None = None
        self.witness = Witness(contributes)
        self._game: Game | None = None
        self._events: asyncio.Queue[ClientEvent | None] = asyncio.Queue()
        self._pending: dict[str, tuple[str, asyncio.Future[None]]] = {}
        self._socket: ClientConnection | None = None
        self._is_told = False  # whether a telling has come since it connected
        self.quiet = QUIET
        self._end: ParlourError | None = None
        self._ids = (f"{secrets.token_hex(6)}.{n}" for n in range(1 << 62))
        self._tasks: set[asyncio.Task[None]] = set()
        self._staying: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Client:
        self._staying = asyncio.create_task(self._stay())
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [*self._tasks, *([self._staying] if self._staying else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def events(self) -> AsyncIterator[ClientEvent]:
        """Yield what comes in, until the table says goodbye. Raises ``ParlourError`` if the connection is lost for
        good."""
        while (event := await self._events.get()) is not None:
            yield event
        if self._end is not None:
            raise self._end

    # ------------------------------------------------------------------ commands

    async def act(self, line: str) -> None:
        """Do an action, or several named in one line. Like the other commands, it returns when the table has it on
        disk; if the table refuses it, it raises ``IllegalAction`` or ``ParlourError`` with the table's sentence."""
        await self._ask(wire.Act(id=next(self._ids), action=line))

    async def why(self, action: str) -> None:
        """Raise the error that an action would meet now; return if the action is allowed. Raises ``ParlourError`` if
        the table cannot be asked."""
        await self._ask(wire.Why(id=next(self._ids), action=action))

    async def undo(self) -> None:
        """Take back your last step. Raises ``ParlourError`` if the table refuses."""
        await self._ask(wire.Undo(id=next(self._ids)))

    async def say(self, text: str) -> None:
        """Send a chat message to everybody. Raises ``ParlourError`` if the table refuses."""
        await self._ask(wire.Say(id=next(self._ids), text=text))

    async def mute(self, name: str, off: bool = False) -> None:
        """Mute somebody; ``off`` unmutes them. Raises ``ParlourError`` if the table refuses."""
        await self._ask(wire.Mute(id=next(self._ids), name=name, off=off))

    async def leave(self) -> None:
        """Give up the seat to a bot. Raises ``ParlourError`` if the table refuses."""
        await self._ask(wire.Leave(id=next(self._ids)))

    async def relieve(self, seat: int) -> None:
        """Let a bot play for a guest who has been asked for long. Raises ``ParlourError`` if the table refuses."""
        await self._ask(wire.Relieve(id=next(self._ids), seat=seat))

    async def remove(self, seat: int) -> None:
        """Remove the guest of a seat; only the table's maker may. Raises ``ParlourError`` if the table refuses."""
        await self._ask(wire.Remove(id=next(self._ids), seat=seat))

    async def allow(self, name: wire.Matter, on: bool) -> None:
        """Allow something or forbid it; only the table's maker may. Raises ``ParlourError`` if the table refuses."""
        await self._ask(wire.Allow(id=next(self._ids), name=name, on=on))

    async def again(self) -> None:
        """Ask for another match. Raises ``ParlourError`` if the table refuses."""
        await self._ask(wire.Again(id=next(self._ids)))

    async def record(self) -> str:
        """Return the record of the match, as far as the seat may have it: all of it once the match is over and
        revealed. Raises ``ParlourError`` if the server does not answer, or refuses."""
        known = {"Authorization": f"Bearer {self.ticket.token}"}
        return (await fetched("GET", f"{self.ticket.address}/record", headers=known)).decode(errors="replace")

    async def _ask(self, command: wire.AnyCommand) -> None:
        if self._staying is None or self._staying.done():
            raise self._end or ParlourError("The connection has ended, so nothing can be sent.")
        packet = wire.written(command).decode()
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending[command.id] = packet, answer
        try:
            if self._socket is not None:
                with contextlib.suppress(ConnectionClosed):  # the command is sent again after reconnecting
                    await self._socket.send(packet)
            await answer
        finally:
            self._pending.pop(command.id, None)

    # ------------------------------------------------------------------ staying connected

    async def _stay(self) -> None:
        """Stay connected until the table says goodbye, or until it makes no sense to try again."""
        loop = asyncio.get_running_loop()
        pauses, lost, since = _pauses(), False, loop.time()
        try:
            while True:
                begun = loop.time()
                try:
                    async with self._connected() as socket:
                        if lost:
                            self._events.put_nowait(Found())
                        lost, begun = False, loop.time()
                        if not await self._talk(socket):
                            return
                    why: str = marked("The server has ended it.")
                except (OSError, TimeoutError, WebSocketException) as failure:
                    self._check(failure)
                    self.quiet = _next_quiet(self.quiet, failure, loop.time() - begun)
                    why = reason_of(failure)
                if not lost:
                    lost, since = True, loop.time()
                    if since - begun > STEADY:
                        pauses = _pauses()
                    self.witness.away()
                    self._events.put_nowait(Lost(why))
                elif loop.time() - since > GIVE_UP:
                    raise ParlourError(
                        "{server} has not answered for {give_up:.0f} minutes ({reason}).",
                        server=self.ticket.server,
                        give_up=GIVE_UP / 60,
                        reason=why,
                    )
                await asyncio.sleep(next(pauses))
        except ParlourError as end:
            self._end = end
        finally:
            self._events.put_nowait(None)
            for _, answer in self._pending.values():
                if not answer.done():
                    answer.set_exception(self._end or ParlourError("The table has ended the connection."))

    def _connected(self) -> connect:
        """Return a connection that is soon given up if nothing comes back over it."""
        return connect(
            self._address(),
            additional_headers={"Authorization": f"Bearer {self.ticket.token}"} | password(),
            open_timeout=2 * self.quiet,
            ping_interval=LOOK,
            ping_timeout=self.quiet,
            close_timeout=0.2,  # the other end will not say goodbye
        )

    def _address(self) -> str:
        """Return the address of the socket. It says what is already known, so that the server continues from there."""
        known = self.known
        told = known and f"&match={known.telling.match}&seat={known.telling.seat}&heard={len(known.story)}"
        mix = "&mix=1" if self.witness.contributes else ""
        return f"ws{self.ticket.address.removeprefix('http')}/socket?view=items{mix}{told or ''}"

    def _check(self, failure: Exception) -> None:
        """Raise ``ParlourError`` if it makes no sense to try again after this."""
        if isinstance(failure, ConnectionClosed):
            end = failure.rcvd
            if end is not None and end.code in FOR_GOOD and end.code not in FOR_NOW:
                raise ParlourError(
                    end.reason or marked("The server has ended the connection (code {code}).", code=end.code)
                )
        elif isinstance(failure, InvalidStatus):
            if process_exception(failure) is not None:
                raise ParlourError(
                    "{server} answers {status_code} at this table.",
                    server=self.ticket.server,
                    status_code=failure.response.status_code,
                )
        elif process_exception(failure) is not None:
            raise ParlourError(
                "{server} answers, but not as a Parlour table ({failure}).", server=self.ticket.server, failure=failure
            )

    async def _talk(self, socket: ClientConnection) -> bool:
        """Send the commands that have not been answered, and take what comes. When the connection ends, return whether
        to reconnect."""
        self._socket, self._is_told = socket, False
        try:
            for packet, _ in list(self._pending.values()):
                await socket.send(packet)
            async for text in socket:
                try:
                    frame = wire.decode(text)
                except (msgspec.MsgspecError, RecursionError) as mistake:
                    raise ParlourError(
                        "The server does not speak this client's protocol: {mistake}.", mistake=mistake
                    ) from None
                self._take(frame)
                if isinstance(frame, wire.Bye):
                    return frame.back
            return True
        finally:
            self._socket = None

    def _take(self, frame: wire.AnyFrame) -> None:
        match frame:
            case wire.Done() | wire.Refused():
                self._answered(frame)
                return
            case wire.About():
                if self.about is None:
                    self._game = load(frame.game, frame.players, **frame.options)
                    self.about = frame
            case wire.Telling():
                self._events.put_nowait(self._learn(frame))
                return
            case wire.ChainLink():
                self.witness.linked(frame)
            case wire.MixingStage():
                seat = self.ticket.seat if self.known is None else self.known.telling.seat
                answer = self.witness.answer(seat, frame, next(self._ids), self._is_fresh(frame.match))
                if answer is not None:
                    self._ask_soon(answer)
        self._events.put_nowait(frame)

    def _answered(self, frame: wire.Done | wire.Refused) -> None:
        _, answer = self._pending.get(frame.id, ("", None))
        if answer is None or answer.done():
            return
        if isinstance(frame, wire.Done):
            answer.set_result(None)
        else:
            answer.set_exception(refusal(frame.sentence, frame.clause))

    def _learn(self, telling: wire.Telling) -> Snapshot:
        """Take in a telling, which replaces all that was known."""
        if self._game is None:
            raise ParlourError("The server's first frame must say which table it is.")
        for choice in telling.choices:
            if self._game.action_names[choice.id : choice.id + 1] != (choice.name,):
                raise ParlourError("The server and this client have different rules of {id}.", id=self._game.id)
        before: tuple[wire.Sentence, ...] = ()
        if self.known is not None and self.known.telling.match == telling.match:
            before = self.known.story
        self.witness.told(telling)
        kept = before[: telling.heard - len(telling.new)]  # fewer than before, if a move was taken back
        self._is_told = True
        self.known = Snapshot(self._game, telling, (*kept, *telling.new))
        return self.known

    def _is_fresh(self, match: int) -> bool:
        """Whether this client was connected before chance decided anything in the match."""
        known = self.known
        if known is None or not self._is_told:
            return False
        if known.telling.match < match:
            return True
        start = known.game.new()
        return known.view == start.view(known.telling.seat) and len(known.story) == len(
            start.events(known.telling.seat)
        )

    def _ask_soon(self, command: wire.AnyCommand) -> None:
        """Send a command in the background.  If the table refuses it, the next telling shows that."""

        async def quietly() -> None:
            with contextlib.suppress(ParlourError):
                await self._ask(command)

        task = asyncio.create_task(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _pauses() -> Iterator[float]:
    """Yield the seconds to wait before each attempt to reconnect."""
    return backoff(initial_delay=0.2, min_delay=0.3, max_delay=LONGEST_PAUSE)


def _next_quiet(quiet: float, failure: Exception, lasted: float) -> float:
    """Return how long the server may be silent from now on, after a connection that lasted ``lasted`` seconds and ended
    with ``failure``."""
    is_silence = isinstance(failure, TimeoutError)
    if isinstance(failure, ConnectionClosed):
        # the code that is sent when a check is not answered
        is_silence = failure.sent is not None and failure.sent.code == CloseCode.INTERNAL_ERROR
    if not is_silence:
        return quiet
    if lasted > LONGEST_QUIET:  # a slow line would not be quiet for that long
        return QUIET
    return min(2 * quiet, LONGEST_QUIET)


class Ended(Exception):
    """Nothing more comes in, because the client has left or the server has said goodbye."""


class SyncClient:
    """A :class:`Client` for code without an event loop: within ``with`` it runs in a thread of its own.

    >>> def first(ticket: Ticket) -> Event | None:
    ...     with SyncClient(ticket) as client:
    ...         try:
    ...             return client.next(seconds=5)
    ...         except Ended:  # the table has said goodbye
    ...             return None
    """

    def __init__(self, ticket: Ticket) -> None:
        self.client = Client(ticket)
        self._inbox: queue.SimpleQueue[ClientEvent | ParlourError | None] = queue.SimpleQueue()
        self._open = contextlib.ExitStack()

    def __enter__(self) -> SyncClient:
        with contextlib.ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(self._portal.wrap_async_context_manager(self.client))
            self._portal.start_task_soon(self._collect)
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def begin(self, command: Callable[..., Awaitable[T]], *args: Any) -> Future[T]:
        """Start one of the client's commands; return a future for its result."""
        return self._portal.start_task_soon(command, *args)

    def next(self, seconds: float) -> ClientEvent | None:
        """Return what comes in next, or ``None`` if nothing does within this many ``seconds`` (0: at once). Raises
        :class:`Ended` when nothing more will come, and ``ParlourError`` if the connection is lost for good."""
        try:
            event = self._inbox.get(timeout=seconds) if seconds > 0 else self._inbox.get_nowait()
        except queue.Empty:
            return None
        if event is None or isinstance(event, ParlourError):
            self._inbox.put(event)  # every later call ends in the same way
            raise event or Ended
        return event

    async def _collect(self) -> None:
        try:
            async for event in self.client.events():
                self._inbox.put(event)
            self._inbox.put(None)
        except ParlourError as end:
            self._inbox.put(end)
