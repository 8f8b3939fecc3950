"""The beat of a hushed question: whoever is asked, and whatever they answer, it takes the same time."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from parlour.errors import ParlourError
from parlour.room import clock


class Whisper(NamedTuple):
    """An answer that waits for the end of the beat.

    ``command``: its name among all commands, empty if a bot gave it; ``line``: the action; ``done``: set when the
    answer is in the log, or with the reason if it never will be.
    """

    command: str
    line: str
    done: asyncio.Future[None]


def too_late() -> ParlourError:
    """What somebody is told whose answer comes when the beat is over."""
    return ParlourError("Too late: no answer counts as no.")


class Beat:
    """The time that a hushed question takes, and the answers that wait for its end.

    A question is known by its ``moment``, the number of the match and of the steps before it.
    """

    def __init__(self) -> None:
        self.moment: tuple[int, int] | None = None
        self._ends = 0.0
        self.whispers: dict[int, Whisper] = {}
        """By seat."""

    @property
    def is_on(self) -> bool:
        """Whether a beat has begun and was not ended."""
        return self.moment is not None

    @property
    def left(self) -> float:
        """Seconds until the beat is over; 0 if there is none."""
        return max(0.0, self._ends - clock.now()) if self.is_on else 0.0

    def begin(self, moment: tuple[int, int], seconds: float) -> bool:
        """Let the beat of this question begin; ``False`` if it has begun already."""
        if self.moment == moment:
            return False
        self.drop(too_late())
        self.moment, self._ends = moment, clock.now() + seconds
        return True

    def whispered(self, seat: int, command: str) -> Whisper | None:
        """The answer of a seat that waits already, if this is the same command or a bot comes too late.

        ``ParlourError`` if another answer of a guest waits.
        """
        before = self.whispers.get(seat)
        if before is None or (command and not before.command):
            return None
        if before.command != command:
            raise ParlourError("You have answered; the others will know in a moment.")
        return before

    def whisper(self, seat: int, command: str, line: str) -> Whisper:
        """Keep an answer; it takes the place of a bot's, whose seat a guest has taken since."""
        if before := self.whispers.get(seat):
            before.done.set_exception(ParlourError("A guest answers."))
        made = self.whispers[seat] = Whisper(command, line, asyncio.get_running_loop().create_future())
        return made

    def take(self, seat: int) -> Whisper | None:
        """The answer of a seat, which is being done now."""
        return self.whispers.pop(seat, None)

    def drop(self, why: ParlourError) -> None:
        """The beat is over, or its question is no more: no other answer is done."""
        self.moment = None
        whispers, self.whispers = self.whispers, {}
        for whisper in whispers.values():
            whisper.done.set_exception(why)


__all__ = ["Beat", "Whisper", "too_late"]
