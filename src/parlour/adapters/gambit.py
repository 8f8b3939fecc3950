"""Small games as trees in Gambit's extensive form (``.efg``, version 2: McKelvey, McLennan & Turocy). No library is
needed."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from hashlib import blake2b
from typing import TYPE_CHECKING

from parlour.adapters.course import Course
from parlour.base.errors import ParlourError
from parlour.core.game import loaded
from parlour.engine.ruleset import whole_number
from parlour.rules.vocabulary import CHANCE, TERMINAL

if TYPE_CHECKING:
    from parlour.core.game import Game

__all__ = ["efg"]

MOST = 1_000_000


def efg(game: Game | str, most: int = MOST) -> str:
    """Return the whole game as text: every history is a node, probabilities are exact, and two nodes share an
    information set if the player to act has known the same throughout. A set's name is the information key
    (:meth:`parlour.State.information_key`, hexadecimal). Raises ``ParlourError`` if there are more than ``most`` nodes.

    >>> import parlour
    >>> print(*efg(parlour.load("kuhn")).splitlines()[:4], sep="\\n")
    EFG 2 R "Kuhn poker, 2 players" { "Seat 0" "Seat 1" }
    <BLANKLINE>
    c "" 1 "" { "J" 1/3 "Q" 1/3 "K" 1/3 } 0
    c "" 2 "" { "Q" 1/2 "K" 1/2 } 0
    """
    game, most = loaded(game), whole_number(most, "a number of nodes")
    seats = " ".join(f'"Seat {p}"' for p in range(game.players))
    lines = [f'EFG 2 R "{game.definition.name}, {game.players} players" {{ {seats} }}', ""]
    _check_size(game, most)
    known: list[dict[bytes, int]] = [{} for _ in range(game.players)]
    chances = ends = 0
    ahead: list[_Ahead] = [(Course(game), None)]
    while ahead:
        course = _reached(*ahead.pop())
        steps = _steps(course)
        if course.who == TERMINAL:
            ends += 1
            lines.append(f't "" {ends} "" {{ {" ".join(f"{won:.17g}" for won in course.returns())} }}')
        elif course.who == CHANCE:
            chances += 1
            outcomes = course.outcomes()
            total = sum(weight for _, weight in outcomes)
            shown = " ".join(f'"{course.name_of(CHANCE, k)}" {Fraction(weight, total)}' for k, weight in outcomes)
            lines.append(f'c "" {chances} "" {{ {shown} }} 0')
        else:
            mine = known[course.who]
            memory = "\n".join(course.memory().lines[course.who]).encode()
            number = mine.setdefault(blake2b(memory, digest_size=16).digest(), len(mine) + 1)
            shown = " ".join(f'"{course.name_of(course.who, a)}"' for a in steps)
            key = course.memory().keys[course.who]
            lines.append(f'p "" {course.who + 1} {number} "{key:016x}" {{ {shown} }} 0')
        ahead += [(course, step) for step in reversed(steps)]
    return "\n".join(lines) + "\n"


_Ahead = tuple[Course, int | None]
"""A node still to be written: the node before it, and the step that leads there. It is copied only when its turn
comes."""


def _reached(course: Course, step: int | None) -> Course:
    if step is not None:
        course = course.copy()
        course.step(step)
    return course


def _steps(course: Course) -> list[int]:
    if course.who == CHANCE:
        return [k for k, _ in course.outcomes()]
    return [] if course.who == TERMINAL else course.legal()


def _check_size(game: Game, most: int) -> None:
    """Raise ``ParlourError`` if there are more than ``most`` nodes. They are counted breadth first, so that a large
    tree is found out early, and without what players know, which would take longest."""
    nodes, ahead = 1, deque[_Ahead]([(Course(game), None)])
    while ahead:
        course = _reached(*ahead.popleft())
        steps = _steps(course)
        nodes += len(steps)
        if nodes > most:
            raise ParlourError(
                "{game!r} has more than {most:,} nodes: too many to be written as a tree.", game=game, most=most
            )
        ahead.extend((course, step) for step in steps)
