"""Small games as trees in Gambit's extensive form (``.efg``, version 2: McKelvey, McLennan & Turocy), which needs no
library."""

from __future__ import annotations

from fractions import Fraction
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
    """Return the whole game as text: every history is a node, probabilities are exact, and two nodes lie in one
    information set if the player to act has known the same throughout.  Raises ``ParlourError`` if there are more than
    ``most`` nodes.

    >>> import parlour
    >>> print(*efg(parlour.load("kuhn")).splitlines()[:5], sep="\\n")
    EFG 2 R "Kuhn poker, 2 players" { "Seat 0" "Seat 1" }
    <BLANKLINE>
    c "" 1 "" { "J" 1/3 "Q" 1/3 "K" 1/3 } 0
    c "" 2 "" { "Q" 1/2 "K" 1/2 } 0
    p "" 1 1 "" { "pass" "bet" } 0
    """
    game, most = loaded(game), whole_number(most, "a number of nodes")
    seats = " ".join(f'"Seat {p}"' for p in range(game.players))
    lines = [f'EFG 2 R "{game.definition.name}, {game.players} players" {{ {seats} }}', ""]
    known: list[dict[str, int]] = [{} for _ in range(game.players)]
    chances = ends = 0
    ahead = [Course(game)]
    while ahead:
        course = ahead.pop()
        if course.who == TERMINAL:
            ends += 1
            lines.append(f't "" {ends} "" {{ {" ".join(f"{won:.17g}" for won in course.returns())} }}')
            continue
        if course.who == CHANCE:
            chances += 1
            outcomes = course.outcomes()
            total = sum(weight for _, weight in outcomes)
            steps = [k for k, _ in outcomes]
            shown = " ".join(f'"{course.name_of(CHANCE, k)}" {Fraction(weight, total)}' for k, weight in outcomes)
            lines.append(f'c "" {chances} "" {{ {shown} }} 0')
        else:
            steps, mine = course.legal(), known[course.who]
            number = mine.setdefault("\n".join(course.memory().lines[course.who]), len(mine) + 1)
            shown = " ".join(f'"{course.name_of(course.who, a)}"' for a in steps)
            lines.append(f'p "" {course.who + 1} {number} "" {{ {shown} }} 0')
        if len(lines) + len(ahead) + len(steps) > most + 2:
            raise ParlourError(
                "{game!r} has more than {most:,} nodes: too many to be written as a tree.", game=game, most=most
            )
        for step in reversed(steps):
            after = course.copy()
            after.step(step)
            ahead.append(after)
    return "\n".join(lines) + "\n"
