"""Reviews: in the background, the best player looks at the choices that a guest made in a match that is over.

One match is reviewed at a time, one choice after another, and only while nobody waits for a bot or a hint.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.players.player import Advice
from parlour.server.bots.bots import Bots
from parlour.server.bots.looking_back import Costly, PastChoice, costliest
from parlour.server.common import clock

WAITING: Final = 8
"""The most matches that may be waiting to be reviewed; one more is refused."""
KEPT: Final = 100
"""How many reviews are remembered."""
BUSY: Final = 30.0
"""The most seconds, in all, that a review waits while the server is busy."""
LONGEST: Final = 90.0
"""The most seconds that a review may take; choices not looked at by then are left out."""
PAUSE: Final = 0.25
"""Seconds between two looks at whether the server is still busy."""
GIVEN_UP: Final = marked("The server is busy, so your decisions were not looked at. Try again later.")

At: TypeAlias = tuple[str, int, str]
"""The table, the match and the guest that a review is about."""


@dataclass(slots=True)
class Review:
    """How far the review of a seat's choices is: how many it looks at, how many it has looked at, and the costliest
    when it is ``done``. ``trouble``: a sentence that says why there will be none."""

    kind: str
    seat: int = -1
    total: int = 0
    looked_at: int = 0
    games: int = 0
    """How many games were imagined so far."""
    found: list[Costly] = field(default_factory=list)
    done: bool = False
    trouble: str = ""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set whenever the review gets further."""

    def gets_further(self) -> None:
        """Wake everybody who is waiting for news."""
        news, self.news = self.news, asyncio.Event()
        news.set()


class Reviews:
    """The reviews of a server."""

    def __init__(self, bots: Bots) -> None:
        self._bots = bots
        self._kept: OrderedDict[At, Review] = OrderedDict()
        self._tasks: dict[At, asyncio.Task[None]] = {}
        self._one = asyncio.Lock()

    def get(self, at: At) -> Review | None:
        """Return the review of a guest's match, if it has begun; one that met with trouble may be begun again."""
        return self._kept.get(at)

    def begin(self, at: At, kind: str, seat: int, made: Callable[[], Awaitable[list[PastChoice]]]) -> Review:
        """Begin a review by a player of this kind. ``made`` finds the guest's choices.

        Raise ``ParlourError`` if too many matches are waiting.
        """
        if len(self._tasks) >= WAITING:
            raise ParlourError("Too many matches are being reviewed just now. Try again later.")
        review = self._kept[at] = Review(kind, seat)
        self._kept.move_to_end(at)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        task = self._tasks[at] = asyncio.create_task(self._run(review, made))
        task.add_done_callback(lambda _: self._tasks.pop(at, None))
        return review

    def table_gone(self, table: str) -> None:
        """End the reviews of a table's matches, and forget them."""
        for at in [one for one in self._kept if one[0] == table]:
            del self._kept[at]
            if at in self._tasks:
                self._tasks[at].cancel()

    def close(self) -> None:
        """End all reviews."""
        for task in self._tasks.values():
            task.cancel()

    async def _run(self, review: Review, made: Callable[[], Awaitable[list[PastChoice]]]) -> None:
        try:
            async with self._one:
                await self._look(review, await made())
        except ParlourError as wrong:
            review.trouble = str(wrong)
        except asyncio.CancelledError:
            review.trouble = GIVEN_UP
            raise
        finally:
            review.done = True
            review.gets_further()

    async def _look(self, review: Review, made: list[PastChoice]) -> None:
        review.total = len(made)
        review.gets_further()
        looks, waited, end = list[tuple[PastChoice, Advice]](), 0.0, clock.now() + LONGEST
        for choice in made:
            while self._bots.is_busy:
                if waited >= BUSY:
                    raise ParlourError(GIVEN_UP)
                await clock.sleep(PAUSE)
                waited += PAUSE
            if clock.now() > end:
                break
            advice = await self._bots.review(review.kind, choice.view, choice.legal)
            if advice is None:
                raise ParlourError("This match can't be reviewed just now. Try again later.")
            looks.append((choice, advice))
            review.looked_at += 1
            review.games += advice.games
            review.gets_further()
        review.found = costliest(looks)


__all__ = ["Review", "Reviews"]
