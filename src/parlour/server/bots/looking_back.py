"""Looking back on a match that is over: which of a guest's choices were the costliest, as the best
player estimates.

It is given what the guest could see at the time, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import inf
from random import Random
from typing import Final, NamedTuple

from parlour.core.game import Game, State
from parlour.engine.steps import Step
from parlour.engine.telling import View
from parlour.players.player import Advice
from parlour.rules.vocabulary import CHANCE

CERTAIN: Final = 3.0
"""One action counts as better than another if it is this many standard errors ahead."""
REVIEWED: Final = 60
"""The most choices of a match that the best player looks at: those between the most actions."""
COSTLIEST: Final = 3
"""How many of the costliest choices are told."""
LIKELY: Final = 1.5
"""One action was likely better than another if it is this many standard errors ahead; from :data:`CERTAIN` on, it
surely was."""
LEAST: Final = 0.05
LEAST_SHARE: Final = 0.005
"""The least estimated difference between two actions that counts: on average, and as a share of games won. With very
many imagined games, even a difference that nobody would notice is more than chance explains."""
NORMAL: Final = 1.96
"""The truth lies within this many standard errors of an estimate 19 times out of 20."""


class PastChoice(NamedTuple):
    """A player's choice, after ``step`` steps of a game and ``deals`` finished deals."""

    step: int
    deals: int
    view: View
    legal: list[int]
    chosen: int


class Costly(NamedTuple):
    """A choice that was worse than another action (``better``), by an estimate. ``by``: the difference on average, in
    the unit of a deal's results; ``error``: its standard error (0: it was worked out exactly); ``share``: the
    difference as a share of games won, where games are only won or lost."""

    choice: PastChoice
    better: int
    by: float
    error: float
    share: float | None

    @property
    def sureness(self) -> float:
        """How many standard errors lie between the two actions."""
        return self.by / self.error if self.error else inf

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds between which the difference lies 19 times out of 20."""
        return self.by - NORMAL * self.error, self.by + NORMAL * self.error

    @property
    def scale(self) -> float:
        """The factor that turns ``by`` into a share of games won; 1 where games are not only won or lost."""
        return 1.0 if self.share is None else self.share / self.by


def choices(
    game: Game, history: Sequence[Step], seat: int, since: int, stood_in: Collection[int], most: int = REVIEWED
) -> list[PastChoice]:
    """Return a player's choices from step ``since`` on, in order: the ``most`` between the most actions. Steps that
    were chosen for the player (``stood_in``) do not count."""
    many = [(len(legal), step) for step, state in _asked(game, history, seat) if step >= since and step not in stood_in
            for legal in [state.legal_actions(seat)] if len(legal) > 1]  # fmt: skip
    Random(len(history)).shuffle(many)  # where choices have the same number of actions, chance decides between them
    wanted = {step for _, step in sorted(many, key=lambda one: -one[0])[:most]}
    return [
        PastChoice(step, len(state.deals), state.view(seat), state.legal_actions(seat), history[step].action)
        for step, state in _asked(game, history[: max(wanted, default=-1) + 1], seat)
        if step in wanted
    ]


def _asked(game: Game, history: Sequence[Step], seat: int) -> Iterator[tuple[int, State]]:
    """Yield the steps of a player, each with the game before it: always the same object, which moves on."""
    state = game.new()
    for number, step in enumerate(history):
        if step.player == seat:
            yield number, state
        state.apply(step.action, None if step.player == CHANCE else step.player)


def costliest(found: Iterable[tuple[PastChoice, Advice]]) -> list[Costly]:
    """Return the choices that were likely worse than those of the player who looked at them. The ones that surely cost
    most come first, by the lower bound of the estimate."""
    costly = [one for choice, advice in found if (one := _cost(choice, advice)) is not None]
    return sorted(costly, key=lambda one: -one.interval[0])[:COSTLIEST]


def _cost(choice: PastChoice, advice: Advice) -> Costly | None:
    chosen, better = choice.chosen, advice.action
    if chosen == better or not {chosen, better} <= advice.values.keys():
        return None
    by, error = advice.values[better] - advice.values[chosen], advice.error_to(chosen)
    spread = advice.high - advice.low
    share = by / spread if spread and not advice.varies else None
    one = Costly(choice, better, by, error, share)
    is_much = not error or (by >= LEAST if share is None else share >= LEAST_SHARE)
    return one if by > 0 and is_much and one.sureness >= LIKELY else None


__all__ = ["CERTAIN", "REVIEWED", "Costly", "PastChoice", "choices", "costliest"]
