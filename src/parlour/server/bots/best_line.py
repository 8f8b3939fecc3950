"""What the strongest bot does with a deal of the day that is over: with the same cards, against the same bots, in the
seat that guests had.

It plays in the background, once, and only while nobody waits for a bot or a hint. Its play is kept with the deal.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final, NamedTuple

from msgspec import json

from parlour.base.errors import ParlourError
from parlour.core.fair_deal import FairDeal, commitment
from parlour.core.game import Game, State
from parlour.core.ledger import fair_outcome
from parlour.players.kinds import strongest
from parlour.rules.vocabulary import CHANCE
from parlour.server.bots.bots import Bots
from parlour.server.common import clock
from parlour.server.store.competitions import Competition, Competitions
from parlour.server.table.chance import bots_seed

SEAT: Final = 0
"""The seat that guests have in a deal of the day."""
THINKS: Final = "0.3s"
"""The bot's thinking time for each choice."""
LONGEST: Final = 600.0
"""The most seconds that a match may take; after that it is given up."""
WAITING: Final = 8
"""The most deals that may be waiting to be played; no more are begun."""
PAUSE: Final = 0.25
"""Seconds between two looks at whether the server is still busy."""

_journal = logging.getLogger("parlour.server")


class LineOfPlay(NamedTuple):
    """A line of play: what the seat did, deal by deal, and what it won or lost in all."""

    deals: list[list[str]]
    score: float


def kept(competition: Competition) -> LineOfPlay | None:
    """Return the line that is kept with a deal of the day; ``None`` if there is none yet."""
    return json.decode(competition.state, type=LineOfPlay) if competition.state else None


def in_deals(state: State, seat: int) -> list[list[str]]:
    """Return what a seat did in a match that is over, deal by deal."""
    ends = [deal.steps for deal in state.deals] or [len(state.history)]
    begins = [0, *ends[:-1]]
    return [
        [one.name for one in state.history[begin:end] if one.player == seat]
        for begin, end in zip(begins, ends, strict=True)
    ]


class BestLines:
    """The lines of play of a server's strongest bots, which it plays in the background."""

    def __init__(self, bots: Bots, competitions: Competitions) -> None:
        self._bots, self._competitions = bots, competitions
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._one = asyncio.Lock()

    def begin(self, competition: Competition, game: Game, others: str) -> bool:
        """Begin to play a deal of the day that is over, unless it is being played already. ``others``: the kind of the
        other bots. Return whether it is under way; it is not if too many are waiting."""
        if competition.id not in self._tasks and len(self._tasks) < WAITING:
            task = self._tasks[competition.id] = asyncio.create_task(self._run(competition, game, others))
            task.add_done_callback(lambda _: self._tasks.pop(competition.id, None))
        return competition.id in self._tasks

    def close(self) -> None:
        """End the matches that are being played."""
        for task in self._tasks.values():
            task.cancel()

    async def _run(self, competition: Competition, game: Game, others: str) -> None:
        assert competition.secret is not None
        async with self._one:
            state = await self._play(competition.secret, game, others)
        if state is None:
            return
        line = json.encode(LineOfPlay(in_deals(state, SEAT), state.returns()[SEAT])).decode()
        try:
            await asyncio.to_thread(self._competitions.change, competition, line, competition.closed)
        except ParlourError as trouble:  # it is played again when somebody next wants to see it
            _journal.warning("the best line of %s cannot be kept: %s", competition.id, trouble)

    async def _play(self, secret: bytes, game: Game, others: str) -> State | None:
        """Play the match and return it; ``None`` if it takes too long or no bot answers."""
        state, end, kind = game.new(), clock.now() + LONGEST, f"{strongest(game)}:{THINKS}"
        state.ledger.fair = FairDeal(commitment(secret), secret=secret, by_position=True)
        while not state.is_terminal:
            if state.current_player == CHANCE:
                state.apply(fair_outcome(state))
                continue
            while self._bots.is_busy:
                await clock.sleep(PAUSE)
            if clock.now() > end:
                return None
            seat = state.acting[0]
            view, legal = state.view(seat), state.legal_actions(seat)
            if seat != SEAT:
                action = await self._bots.choose(others, bots_seed(secret, state, seat), view, legal)
            elif len(legal) == 1:
                action = legal[0]
            elif (advice := await self._bots.review(kind, view, legal)) is not None:
                action = advice.action
            else:
                return None
            state.apply(action, seat)
        return state


__all__ = ["BestLines", "LineOfPlay", "in_deals", "kept"]
