"""The interfaces of players, and their advice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from parlour.base.errors import ParlourError
from parlour.engine.telling import Chooser, View

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset


@runtime_checkable
class Player(Chooser, Protocol):
    """Any object that can hold a seat: given everything that it may see, and the ids of its legal actions, it chooses
    one.

    >>> class First:
    ...     name = "first"
    ...
    ...     def choose(self, view, legal):
    ...         return legal[0]
    >>> isinstance(First(), Player)
    True
    """

    @property
    def name(self) -> str:
        """Its name in tables: a kind as :func:`parlour.players.make` takes it."""


@runtime_checkable
class Adviser(Player, Protocol):
    """A player that can explain its choice.

    >>> import parlour
    >>> from parlour.players import make
    >>> state = parlour.load("diamonds").new(seed=1)
    >>> best = make("best:50", state.game, seed=1)
    >>> isinstance(best, Adviser), isinstance(make("random", state.game), Adviser)
    (True, False)
    >>> best.advise(state.view(state.acting[0]), state.legal_actions()).action in state.legal_actions()
    True
    """

    def advise(self, view: View, legal: Sequence[int]) -> Advice:
        """Return the action that it would choose, and the reason."""


@dataclass(frozen=True, slots=True)
class Advice:
    """An action with the reason for it in one readable line; for each action that was tried, the mean return it brought
    (``values``) and how often it was tried (``visits``); the worst and the best return of any imagined game (``low``,
    ``high``), and whether there were others in between (``varies``).  Returns (``values``, ``low``, ``high``) and their
    errors are in the game's own unit.

    ``exact``: the values are not estimates from trials but were computed from all possible continuations."""

    action: int
    reason: str
    values: Mapping[int, float]
    visits: Mapping[int, int]
    low: float = 0.0
    high: float = 0.0
    varies: bool = True
    exact: bool = False
    error: float | None = None
    """The standard error of the difference between the action and the second, if it was measured.  If both were tried
    in the same worlds, it is smaller than their separate errors suggest."""
    errors: Mapping[int, float] = field(default_factory=dict)
    """The standard errors of the differences between the action and each of the others, where they were measured."""

    def joined(self, later: Advice) -> Advice:
        """Return this advice combined with another for the same question whose games were imagined separately.

        >>> one = Advice(0, "", {0: 0.5, 1: 0.1}, {0: 30, 1: 10}, -1.0, 1.0, False)
        >>> other = Advice(1, "", {0: 0.1, 1: 0.3}, {0: 10, 1: 70}, -1.0, 1.0, False)
        >>> both = one.joined(other)
        >>> both.action, both.visits, {a: round(value, 3) for a, value in both.values.items()}
        (1, {0: 40, 1: 80}, {0: 0.4, 1: 0.275})
        """
        if later.exact or self.exact or not (self.visits and later.visits):
            return later if later.exact or not self.visits else self
        both = self, later
        visits = {a: sum(one.visits.get(a, 0) for one in both) for a in {**self.visits, **later.visits}}
        values = {
            a: sum(one.values[a] * one.visits[a] for one in both if one.visits.get(a)) / n
            for a, n in visits.items()
            if n
        }
        best = max(values, key=lambda a: (visits[a], values[a]))
        known = {a: self._together(later, best, a) for a in values if a != best}
        errors = {a: error for a, error in known.items() if error is not None}
        joined = Advice(
            best, later.reason, values, visits, min(self.low, later.low), max(self.high, later.high),
            self.varies or later.varies or (self.low, self.high) != (later.low, later.high), errors=errors,
        )  # fmt: skip
        return replace(joined, error=None if joined.second is None else errors.get(joined.second))

    def _together(self, later: Advice, a: int, b: int) -> float | None:
        """The standard error of the difference between two actions in both answers, if it was measured in each."""
        squares, games = 0.0, 0
        for one in (self, later):
            error = one.errors.get(b if one.action == a else a) if one.action in (a, b) else None
            if error is None:
                return None
            n = one.visits.get(a, 0) + one.visits.get(b, 0)
            squares, games = squares + (n * error) ** 2, games + n
        return math.sqrt(squares) / games if games else None

    @property
    def games(self) -> int:
        """How many games were imagined."""
        return sum(self.visits.values())

    @property
    def second(self) -> int | None:
        """The best of the other actions, if any other was tried; for exact values, the best of those with a lower
        value."""
        best = self.values.get(self.action)
        others = [a for a in self.values if a != self.action and not (self.exact and self.values[a] == best)]
        return max(others, key=lambda a: (self.visits.get(a, 0), self.values[a]), default=None)

    @property
    def sureness(self) -> float:
        """By how many standard errors the action did better than the second.  If the error was not measured, this is a
        lower bound: of games with many different returns only the lowest and the highest are known, and the error is
        taken to be the largest that these allow.

        >>> Advice(0, "", {0: 0.6, 1: 0.5}, {0: 5000, 1: 5000}, -1.0, 1.0).sureness
        5.0
        >>> Advice(0, "", {0: 0.6, 1: 0.5}, {0: 8, 1: 8}, -1.0, 1.0).sureness
        0.2
        >>> Advice(0, "", {0: 0.6, 1: 0.5}, {0: 8, 1: 8}, -1.0, 1.0, error=0.02).sureness
        5.0
        """
        if self.second is None or self.error is None:
            return math.inf if self.second is None else self.ahead(self.action, self.second)
        ahead = self.values[self.action] - self.values[self.second]
        return round(ahead / self.error, 2) if self.error else math.copysign(math.inf, ahead) if ahead else 0.0

    def ahead(self, better: int, worse: int) -> float:
        """By how many standard errors one action did better than another, at least; both were tried."""
        widest = 0.0 if self.exact else (self.high - self.low) / 2
        error = widest and widest * math.sqrt(1 / self.visits[better] + 1 / self.visits[worse])
        ahead = self.values[better] - self.values[worse]
        return round(ahead / error, 2) if error else math.copysign(math.inf, ahead) if ahead else 0.0

    def error_to(self, other: int) -> float:
        """The standard error of the difference between the action and another that was tried, in the game's own unit:
        as it was measured, or else the most that it can be.

        >>> advice = Advice(0, "", {0: 0.6, 1: 0.5, 2: 0.1}, {0: 50, 1: 50, 2: 50}, -1.0, 1.0, errors={1: 0.02})
        >>> advice.error_to(1), advice.error_to(2)
        (0.02, 0.2)
        """
        if other in self.errors:
            return self.errors[other]
        widest = 0.0 if self.exact else (self.high - self.low) / 2
        return widest and widest * math.sqrt(1 / self.visits[self.action] + 1 / self.visits[other])

    def share(self, action: int) -> float:
        """The share of games won with an action (0 to 1), where they are only won or lost."""
        return (self.values[action] - self.low) / (self.high - self.low) if self.high > self.low else 0.0


def must_be_of(seen: Ruleset[Any], game: Ruleset[Any]) -> None:
    """Raise ``ParlourError`` for a view of another game than the one that a player was made for."""
    if seen is not game and (seen.definition.package, seen.players) != (game.definition.package, game.players):
        raise ParlourError("This player was made for {game!r}, and the view is of {other!r}.", game=game, other=seen)


def in_percent(chances: Sequence[float]) -> list[str]:
    """Return exact chances in words: with one digit after the point, or up to three if they would look alike or
    certain.

    >>> in_percent([0.6321, 0.551]), in_percent([0.63214, 0.63208]), in_percent([1.0, 0.9996, 0.0])
    (['63.2%', '55.1%'], ['63.214%', '63.208%'], ['100%', '99.96%', '0%'])
    """
    certain, said = {0.0: "0%", 1.0: "100%"}, dict[float, str]()
    for digits in (1, 2, 3):
        said = {p: f"{p:.{digits}%}" for p in chances if p not in certain}
        if len({*said.values()} - {f"{p:.{digits}%}" for p in certain}) == len(said):
            break
    return [{**said, **certain}[p] for p in chances]
