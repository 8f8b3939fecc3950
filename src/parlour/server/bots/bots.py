"""Bots, in processes of their own.

A bot's process is given what the bot's seat has been told, as bytes, and the ids of the actions it may choose. Nothing
else of a table exists there.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, lru_cache
from typing import Any, Final

from msgspec import json

from parlour.base.errors import ParlourError
from parlour.core.game import Game, view_from
from parlour.engine.telling import View
from parlour.players import Player
from parlour.players.kind import Kind
from parlour.players.kinds import make, solves
from parlour.players.player import Advice, Adviser
from parlour.server.common.limits import MARGIN, shared, thinking_time
from parlour.server.common.outside import outside

HINTS: Final = 8
"""The most hints that may be waiting; one more is refused."""
ATTEMPTS: Final = 3
"""How many workers may die over one question."""

_journal = logging.getLogger("parlour.server")


class Bots:
    """Worker processes that answer for bots. Some are for bots that think, one is for bots that may first have to solve
    a hand, and one is for bots that do neither, so that a quick bot never waits for a slow one. One more is for hints.

    Bots that think at the same time have less time each; otherwise, of a hundred, each would wait for all the others.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._many = workers or max(1, (os.cpu_count() or 2) - 1)
        self._thinkers, self._quick, self._advisers = Workers(self._many), Workers(1), Workers(1)
        self._solvers = Workers(1)  # one, because such a bot remembers its hand
        self._thinking = self._advised = 0

    async def choose(self, kind: str, seed: int, view: View, legal: Sequence[int]) -> int:
        """Return the action that a bot of a kind chooses."""
        asked, about = Kind.parsed(kind), (seed, json.encode(view.dump()), list(legal))
        if thinking_time(asked):
            self._thinking += 1
            try:
                share = shared(asked, self._thinking / self._many)
                chosen = await self._thinkers.answer(_choose, asked, *about, share)
            finally:
                self._thinking -= 1
        else:
            workers = self._solvers if solves(asked) else self._quick
            chosen = await workers.answer(_choose, asked, *about)
        return outside().chance.choice(legal) if chosen is None else int(chosen)

    async def advise(self, kind: str, view: View, legal: Sequence[int], seed: int = 0) -> Advice:
        """Return what a player of a kind would do in this place, and why. Another ``seed`` lets it imagine other games.

        Raise ``ParlourError`` if too many hints are waiting.
        """
        if self._advised >= HINTS:
            raise ParlourError("Too many people want hints just now. Try again in a moment.")
        self._advised += 1
        try:
            advice = await self._advisers.answer(
                _advise, Kind.parsed(kind), json.encode(view.dump()), list(legal), seed
            )
        finally:
            self._advised -= 1
        if advice is None:
            raise ParlourError("No hint is available now.")
        assert isinstance(advice, Advice)
        return advice

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for a bot or a hint. Work that nobody at a table waits for must not hold them up."""
        return self._thinking >= self._many or self._advised > 0

    async def review(self, kind: str, view: View, legal: Sequence[int]) -> Advice | None:
        """Return what a player of a kind would have done in this place; ``None`` if no worker can answer. A hint waits
        for at most one such answer."""
        found = await self._advisers.answer(_advise, Kind.parsed(kind), json.encode(view.dump()), list(legal))
        assert found is None or isinstance(found, Advice)
        return found

    def close(self) -> None:
        """Shut the processes down."""
        self._thinkers.close()
        self._quick.close()
        self._solvers.close()
        self._advisers.close()


class Workers:
    """Processes that answer questions. If one dies, it is replaced, and the question is asked again. Each of their
    warnings is logged once."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._pool: Executor | None = None
        self.waiting = 0
        """Questions that have not been answered yet."""

    async def answer(self, question: Callable[..., Any], *about: Any) -> Any:
        """Return what a worker answers; ``None`` if workers keep dying over the question."""
        self.waiting += 1
        try:
            return await self._answer(question, *about)
        finally:
            self.waiting -= 1

    async def _answer(self, question: Callable[..., Any], *about: Any) -> Any:
        for _ in range(ATTEMPTS):
            pool = self._pool = self._pool or self._new_pool()
            try:
                answer, warned = await asyncio.wrap_future(pool.submit(_answered, question, *about))
                for sentence in warned:
                    _log_once(sentence)
                return answer
            except BrokenProcessPool:
                if self._pool is pool:
                    self._pool = None
        _journal.error("bot workers keep dying")
        return None

    def _new_pool(self) -> Executor:
        return outside().processes(self._number, _end_with_the_server)

    def close(self) -> None:
        """Shut the processes down."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


@cache
def _log_once(sentence: str) -> None:
    _journal.warning(sentence)


# ------------------------------------------------------------------------------------------ in the workers


def _end_with_the_server() -> None:
    """Make this worker end when its server is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    server = multiprocessing.parent_process()
    assert server is not None

    def wait() -> None:
        server.join()
        os._exit(1)

    threading.Thread(target=wait, name="end with the server", daemon=True).start()


def _answered(question: Callable[..., Any], *about: Any) -> tuple[Any, list[str]]:
    """Return the answer to a question, and the warnings that came up, for example that there is no machine code."""
    with warnings.catch_warnings(record=True) as warned:
        answer = question(*about)
    return answer, [str(one.message) for one in warned]


def _choose(kind: Kind, seed: int, told: bytes, legal: list[int], share: Kind | None = None) -> int:
    view = view_from(json.decode(told))
    if len(legal) > 1:
        return _player(share or kind, view.game, seed).choose(view, legal)
    if share not in (None, kind):  # many think at once, and an answer may take longer than the pace that hides its time
        time.sleep(thinking_time(share) - MARGIN)  # so a bot without a choice takes as long as the others
    return legal[0]


def _advise(kind: Kind, told: bytes, legal: list[int], seed: int = 0) -> Advice:
    view = view_from(json.decode(told))
    player = _player(kind, view.game, seed)
    assert isinstance(player, Adviser)
    return player.advise(view, legal)


@lru_cache(maxsize=64)
def _player(kind: Kind, game: Game, seed: int) -> Player:
    return make(kind, game, seed)
