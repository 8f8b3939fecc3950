"""Chance, turns and endless games: functions that every loop over steps needs.

``rng`` is always a vector whose first word is the state of a generator, ``s`` a position, and ``to`` a listener or
``None``.
"""

from __future__ import annotations

from typing import Any

from parlour.base.errors import Endless
from parlour.engine.kernel import Kernel, rules
from parlour.rules.bounds import LONGEST
from parlour.rules.vocabulary import DEAL_OVER, SEVERAL, TERMINAL, below, count, draw, lowest, nth


def draw_outcome(s: Any, rng: Any) -> int:
    """Return an outcome of the chance node, each as likely as its weight; equally likely where there are none."""
    if rules.HAS_TICKETS:
        return rules.ticket(s, below(rng, rules.tickets(s)))
    if rules.HAS_WEIGHTS:
        return draw_weighted(s, rng)
    return draw(rng, rules.chance(s))


def draw_weighted(s: Any, rng: Any) -> int:
    """Return an outcome of the chance node, each as likely as its weight."""
    outcomes = rules.chance(s)
    total = 0
    for i in range(count(outcomes)):
        total += rules.weight(s, nth(outcomes, i))
    left = below(rng, total)
    k = lowest(outcomes)
    for i in range(count(outcomes)):
        k = nth(outcomes, i)
        left -= rules.weight(s, k)
        if left < 0:
            break
    return k


def mover(s: Any) -> int:
    """Return who acts next when choices are taken one at a time: the player in turn, or at a sealed node the lowest
    seat."""
    who = rules.actor(s)
    return lowest(rules.acting(s)) if who == SEVERAL else who


def one_more(steps: int) -> int:
    """Count a step of a game.  Every loop that plays until a decision, or until something is over, counts its own
    steps.  Raises ``Endless`` if there have been too many, since rules with a fault may never come to an end."""
    if steps >= LONGEST:
        endless()
    return steps + 1


def endless() -> None:
    """Raise the error for a game without end."""
    raise Endless(rules.TITLE, LONGEST)


def go_over(s: Any, to: Any) -> None:
    """If a deal is over, pass to the next one, if there is one.  Repeat this, because a deal may be over as soon as it
    begins."""
    steps = 0
    while rules.actor(s) == DEAL_OVER:
        steps = one_more(steps)
        rules.next_deal(s, to)


def finished(s: Any) -> int:
    """Return how many deals are over; a game without deals is one."""
    if rules.HAS_DEALS:
        return int(s.deal)
    return 1 if rules.actor(s) == TERMINAL else 0


KERNEL = Kernel(__name__)
