"""A lesson as a text, to be read without a table: what is said at each stop, what the learner does, and what
follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from parlour.base.languages import current, in_book
from parlour.base.languages import gettext as _
from parlour.core.lessons import Lesson, spoken
from parlour.server.page.words import sentence_of
from parlour.server.table.seats import NAMES


class Read(NamedTuple):
    """A stop as it is read: what is said, what to do, and the sentences of what follows."""

    say: str
    now: str
    then: list[str]


class StopText(NamedTuple):
    """A stop of a lesson as the page shows it: its number and that of the last one, the aim of the game (at the first
    stop), what is said, what to do, a forbidden move to try, and whether the learner leaves the stop by making a
    move."""

    number: int
    of: int
    aim: str
    say: str
    now: str
    wrong: str
    moves: bool

    @property
    def words(self) -> str:
        """All of it, to be read aloud."""
        return " ".join(filter(None, (self.aim, self.say, self.now)))


def taught_at(lesson: Lesson, number: int, names: Sequence[str]) -> StopText:
    """Return a stop of a lesson, by its number from 1, as the page of a learner shows it."""
    stop = lesson.stops[number - 1]
    texts = lesson.aim if number == 1 else "", stop.say, stop.now
    aim, say, now = (spoken(in_book(text), names) for text in texts)
    return StopText(number, len(lesson.stops), aim, say, now, stop.wrong, bool(stop.do))


def lesson_text(lesson: Lesson) -> list[Read]:
    """Return the stops of a lesson with what the learner would see between them.

    >>> from parlour.core.lessons import lesson
    >>> lesson_text(lesson("diamonds"))[1].then[:2]
    ['You dig in pile 5.', 'You turn up the seven of spades on pile 5.']
    """
    names = [*NAMES[: lesson.game.players]]
    names[lesson.seat] = _("You")
    found = []
    for stop, told in zip(lesson.stops, lesson.told(), strict=True):
        then = [
            sentence_of(current(), lesson.game.id, tuple(names), lesson.seat, one.event, one.who, one.a, one.b)
            for one in told
        ]
        found.append(Read(spoken(in_book(stop.say), names), spoken(in_book(stop.now), names), then))
    return found


__all__ = ["Read", "StopText", "lesson_text", "taught_at"]
