"""The beat of a hushed question: it takes the same time whoever is asked and whatever they answer."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from parlour.base.errors import ParlourError
from parlour.server.common import clock


class Whisper(NamedTuple):
    """An answer that waits for the end of the beat.

    ``command``: its name among all commands, empty if a bot gave it; ``line``: the action; ``done``: set when the
    answer is in the log, or with the reason if it never will be.
    """

    command: str
    line: str
    done: asyncio.Future[None]


def too_late() -> ParlourError:
    """Return the refusal of an answer that comes when the beat is over."""
    return ParlourError("Too late: no answer counts as no.")


class Beat:
    """The time that a hushed question takes, and the answers that wait for its end.

    ``moment`` identifies a question: the number of the match and of the steps before it.
    """

    def __init__(self) -> None:
        self.moment: tuple[int, int] | None = None
        self._ends = 0.0
        self.whispers: dict[int, Whisper] = {}
        """Answers by seat."""

    @property
    def is_on(self) -> bool:
        """Whether a beat has begun and has not been ended."""
        return self.moment is not None

    @property
    def left(self) -> float:
        """Seconds until the beat is over; 0 if there is none."""
        return max(0.0, self._ends - clock.now()) if self.is_on else 0.0

    def begin(self, moment: tuple[int, int], seconds: float) -> bool:
        """Begin the beat of this question; return ``False`` if it has already begun. Answers that came before it
        count."""
        if self.moment == moment:
            return False
        if self.is_on:
            self.drop(too_late())
        self.moment, self._ends = moment, clock.now() + seconds
        return True

    def whispered(self, seat: int, command: str) -> Whisper | None:
        """Return the seat's answer that is already waiting, if the same command brought it. Return ``None`` if there is
        none yet, or only a bot's, which a guest's answer replaces. Raises ``ParlourError`` if another answer waits."""
        before = self.whispers.get(seat)
        if before is None or (command and not before.command):
            return None
        if before.command != command:
            raise ParlourError("You have answered; the others will know in a moment.")
        return before

    def whisper(self, seat: int, command: str, line: str) -> Whisper:
        """Keep an answer. It replaces the answer of a bot whose seat a guest has taken since."""
        if before := self.whispers.get(seat):
            before.done.set_exception(ParlourError("A guest answers."))
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.add_done_callback(lambda _: done.exception())  # nobody may be left who waits for it
        made = self.whispers[seat] = Whisper(command, line, done)
        return made

    def take(self, seat: int) -> Whisper | None:
        """Return the answer of a seat, which is now being carried out."""
        return self.whispers.pop(seat, None)

    def drop(self, why: ParlourError) -> None:
        """End the beat, because it is over or its question no longer stands: no other answer is carried out."""
        self.moment = None
        whispers, self.whispers = self.whispers, {}
        for whisper in whispers.values():
            whisper.done.set_exception(why)


__all__ = ["Beat", "Whisper", "too_late"]
