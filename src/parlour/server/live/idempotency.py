"""Commands that are carried out once: the same id gets the same answer, however often it comes."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import Final

from parlour.server.common import wire

ANSWERS: Final = 500
"""How many answers without an entry in the log a table remembers."""
MATCHES: Final = 8
"""How many finished matches a table remembers the answers of; a match may last only a second."""


class Once:
    """The commands carried out at a table.

    What is written to the log is remembered for this match and those before it (:data:`MATCHES`); anything earlier only
    the store knows.
    Refusals, and commands that leave no entry, are remembered as long as there is room.

    >>> once = Once(["ann 7"])
    >>> once.answer("ann 7", "7")
    Done(id='7')
    >>> once.answer("ann 8", "8")
    """

    def __init__(self, done: Iterable[str] = ()) -> None:
        self._done, self._earlier = set(done), deque[set[str]](maxlen=MATCHES)
        self._answers: OrderedDict[str, wire.Answer] = OrderedDict()

    def answer(self, name: str, command: str) -> wire.Answer | None:
        """Return how a command was answered; ``None`` if it is new.  ``name`` identifies it among all guests' commands,
        ``command`` is the id that its guest gave it."""
        if self.is_done(name):
            return wire.Done(id=command)
        return self._answers.get(name)

    def is_done(self, name: str) -> bool:
        """Whether a command is in the log."""
        return name in self._done or any(name in match for match in self._earlier)

    def done(self, name: str) -> None:
        """Note that a command was carried out and is in the log."""
        self._done.add(name)

    def remember(self, name: str, answer: wire.Answer) -> None:
        """Note that a command was answered without an entry in the log."""
        if not self.is_done(name):
            self._answers[name] = answer
            if len(self._answers) > ANSWERS:
                self._answers.popitem(last=False)

    def new_match(self) -> None:
        """Note that another match begins."""
        self._earlier.append(self._done)
        self._done = set()


__all__ = ["ANSWERS", "MATCHES", "Once"]
