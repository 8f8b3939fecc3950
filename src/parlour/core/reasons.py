"""Reasons for choices: why a choice may be right, in the words of a game's rule of thumb, from a seat's knowledge
alone.

A game's optional module ``reasons`` defines ``reason(action, view, names)``: the reason for that choice, in one
sentence of at most about 90 characters, or ``""``.  The search may choose otherwise than the rule of thumb, so a reason
must be true of its choice, whatever the other choices are; if nothing speaks for a choice, it names what there is to
weigh.  Such a module is a table; among the rows for the action's verb, the first that holds is used.

>>> import parlour
>>> seen = parlour.load("leduc").new(seed=5).view(0)
>>> table = (
...     Because("raise", lambda c: c.s.hand[c.me] > 4, lambda c: "You hold a king."),
...     Because("call raise", always, lambda c: "It costs little."),
... )
>>> first(table, Candidate("call", seen, ("Ann", "Ben")))
'It costs little.'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.languages import figures
from parlour.base.languages import gettext as _
from parlour.engine.telling import restored
from parlour.rules.vocabulary import AnyPosition

if TYPE_CHECKING:
    from parlour.engine.telling import View

LEAST, MOST = 0.01, 0.99
"""The lowest and the highest chance in words, if the case is not certain."""


@dataclass(frozen=True)
class Candidate:
    """A choice that the viewer has: the action's name, the view, and the players' names by seat."""

    action: str
    view: View
    names: Sequence[str]

    @property
    def verb(self) -> str:
        """The kind of action, such as ``dig``."""
        return self.action.partition(" ")[0]

    @property
    def what(self) -> str:
        """The words after the verb, such as a card or an amount; may be empty."""
        return self.action.partition(" ")[2]

    @property
    def me(self) -> int:
        """The viewer's seat."""
        return self.view.player

    @cached_property
    def s(self) -> AnyPosition:
        """A blank position with everything that the viewer is told put into it, and nothing that they cannot know."""
        return restored(self.view)


class Because(NamedTuple):
    """A row of a table: the verbs it is for (separated by spaces), a condition, and the sentence to use if it holds."""

    verbs: str
    holds: Callable[[Any], bool]
    said: Callable[[Any], str]


def always(choice: Candidate) -> bool:
    """A condition that always holds, for the last row of a verb."""
    return True


def first(table: Sequence[Because], choice: Candidate) -> str:
    """Return the first reason of a table that holds, or ``""``."""
    return next((row.said(choice) for row in table if choice.verb in row.verbs.split() and row.holds(choice)), "")


# ------------------------------------------------------------------------------------------ prices and chances


def about(chance: float) -> str:
    """Return a ``chance`` from 0 to 1 in whole per cents, and as certain only if it is.

    >>> about(0.4), about(0.999), about(1.0), about(0.001)
    ('40%', '99%', '100%', '1%')
    """
    return f"{chance if chance in (0.0, 1.0) else min(max(chance, LEAST), MOST):.0%}"


def ratio(pot: float, price: float) -> str:
    """Return what a ``pot`` pays for a ``price``, both in any unit, to a tenth.

    >>> ratio(3, 1), ratio(5, 2)
    ('3 to 1', '2.5 to 1')
    """
    return _("{pot} to 1", pot=figures(f"{round(pot / price, 1):g}"))


def is_cheap(chance: float, pot: float, price: float) -> bool:
    """Whether a ``chance`` (0 to 1) of the ``pot`` is worth its ``price``, both in any unit.

    >>> is_cheap(0.4, 3, 1), is_cheap(0.2, 3, 1)
    (True, False)
    """
    return chance * (pot + price) > price


__all__ = ["Because", "Candidate", "about", "always", "first", "is_cheap", "ratio"]
