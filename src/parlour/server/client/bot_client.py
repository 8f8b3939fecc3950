"""A bot as a guest: a program that sits down at a table by its invite link, like anybody else."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
from typing import Final

from parlour.base.errors import ParlourError
from parlour.base.languages import marked, translated
from parlour.base.naming import printable
from parlour.players import Player
from parlour.players.kind import Kind
from parlour.players.kinds import make
from parlour.server.client.client import Client, Lost, Snapshot
from parlour.server.client.tickets import sit_down
from parlour.server.common import wire

FAREWELL: Final = 5.0
"""Seconds allowed for giving up the seat at the end."""


async def until_stopped(link: str, kind: Kind, name: str | None, seat: int | None, matches: int | None) -> int:
    """Sit down at the table of a link, and play until the table is over or a signal comes; return the exit code."""
    playing = asyncio.create_task(_sit_and_play(link, kind, name, seat, matches))
    stopped = 0

    def stop(number: int) -> None:
        nonlocal stopped
        stopped = number
        playing.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # on Windows Ctrl-C cancels the main task
            asyncio.get_running_loop().add_signal_handler(number, stop, number)
    try:
        return await playing
    except asyncio.CancelledError:
        return 128 + (stopped or signal.SIGINT)


async def _sit_and_play(link: str, kind: Kind, name: str | None, seat: int | None, matches: int | None) -> int:
    word = kind.name.rpartition("-")[2]
    ticket = await sit_down(link, name or f"{word} {random.randrange(1000, 10_000)}", seat)
    async with Client(ticket) as client:
        try:
            return await _play(client, kind, matches)
        finally:
            with contextlib.suppress(ParlourError, TimeoutError):
                async with asyncio.timeout(FAREWELL):
                    await client.leave()


async def _play(client: Client, kind: Kind, matches: int | None) -> int:
    """Answer whenever the seat is asked, until the table is over; return the exit code."""
    player: Player | None = None
    answered: tuple[int, int] | None = None  # the match and the version of the last question
    played: set[int] = set()  # the matches in which this bot has played
    wanted = 0  # the last match after which this bot asked for another
    _say(marked("At {link}, in seat {seat}.", link=client.ticket.link, seat=client.ticket.seat))
    async for event in client.events():
        known = client.known
        if isinstance(event, Lost):
            _say(marked("The connection is lost, trying again: {why}", why=event.reason))
        elif isinstance(event, wire.Bye) and not event.back:
            _say(event.reason)
        elif isinstance(event, Snapshot) and known is not None:
            told = known.telling  # the latest telling: an overtaken one needs no answer
            if told.closed or told.frozen or told.seat != client.ticket.seat:
                stopped = marked("The table has stopped: {why}", why=told.frozen)
                _say(stopped if told.frozen else told.closed or marked("The seat is taken away."))
                return 1
            if player is None:
                player = make(kind, known.game, seed=random.getrandbits(64))
            if told.match and not told.over:
                played.add(told.match)
            if told.choices and answered != (told.match, told.version):
                answered = told.match, told.version
                await _answer(client, player, known)
            elif told.over:
                if len(played) == matches:
                    return 0
                if wanted < told.match and (matches is not None or _others_want_another(known)):
                    wanted = told.match
                    await client.again()
    return 1


def _say(text: str) -> None:
    """Print a line in the reader's language, and safely, since the server that sent it may be anybody's."""
    print(printable(translated(text)), flush=True)


async def _answer(client: Client, player: Player, known: Snapshot) -> None:
    view = known.view
    assert view is not None  # a seat that is asked has a view
    chosen = await asyncio.to_thread(player.choose, view, known.legal)
    with contextlib.suppress(ParlourError):  # too late: the table has gone on, and the next telling says how
        await client.act(known.game.action_names[chosen])


def _others_want_another(known: Snapshot) -> bool:
    """Whether other guests are here, and all of them want another match."""
    told = known.telling
    others = {p for p, who in enumerate(told.players) if who.guest and not who.away and p != told.seat}
    return bool(others) and others <= set(told.again)
