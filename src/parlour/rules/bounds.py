"""Bounds of returns and lengths of games: facts that libraries for game theory ask for.

An author states them in the game's ``invariants``: ``bounds(s)`` and, for amounts that may exceed the scale of their
thing, ``amounts(s)``, where ``s`` is a blank position with the players and the options set.  The audit checks games
against them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from parlour.base.errors import ParlourError, returned_wrongly
from parlour.rules.vocabulary import AnyPosition, Position

__all__ = ["Amounts", "Bounds", "counted", "deals_at_most", "on_credit", "with_coins"]

COUNTED = 2**31
"""No result is further from 0, because players' totals have at most 32 bits."""
LONGEST = 200_000
"""The audit requires random games to end within this many steps, and no other game is continued beyond it."""

UNASKED = 10_000
"""The number of times in a row that chance may decide in a :class:`parlour.State`.  That takes half a second, in which
a server does nothing else."""


class Bounds(NamedTuple):
    """No return is below ``lowest`` or above ``highest``, in the game's own unit; the sum of all returns is ``total``,
    in the same unit (``None``: it differs from game to game); all players together make at most ``decisions``
    decisions.

    >>> Bounds(lowest=-2.0, highest=4.0, total=0.0, decisions=3).span
    3.0
    """

    lowest: float
    highest: float
    total: float | None
    decisions: int

    @property
    def span(self) -> float:
        """Half the distance between the lowest and the highest return, in the same unit: returns divided by it are on
        one scale in all games."""
        return (self.highest - self.lowest) / 2


def with_coins(s: Position, start: int, decisions: int) -> Bounds:
    """Return the bounds of a match in which everybody starts with ``start`` coins, nobody plays on credit, and all
    coins belong to players in the end.

    >>> import parlour
    >>> with_coins(parlour.load("dividha", 3).blank(), 100, 1000)
    Bounds(lowest=-100.0, highest=200.0, total=0.0, decisions=1000)
    """
    return Bounds(-float(start), float(start * (s.players - 1)), 0.0, decisions)


def on_credit(s: Position, most: int, decisions: int) -> Bounds:
    """Return the bounds of a match in which nobody pays more than ``most``, and others win what one player loses.

    >>> import parlour
    >>> on_credit(parlour.load("matrimony", 4).blank(), 50, 400)
    Bounds(lowest=-50.0, highest=150.0, total=0.0, decisions=400)
    """
    return with_coins(s, min(most, COUNTED), decisions)


def deals_at_most(s: AnyPosition, by_rules: int) -> int:
    """Return the most deals that a match has if the rules prescribe ``by_rules`` deals and the option ``deals`` may cut
    it short.

    >>> class s:
    ...     deals = 4
    >>> deals_at_most(s, 7), deals_at_most(s, 3)
    (4, 3)
    """
    return min(by_rules, s.deals) if s.deals else by_rules


Amounts = Mapping[str, tuple[int, int]]
"""Things that are amounts, each with its lowest and highest value."""


def counted(s: Position, start: int, of: Bounds, players: Sequence[str], others: Sequence[str]) -> Amounts:
    """Return the lowest and the highest amount of each field: for ``players``, the coins or counters of which everybody
    has ``start`` at first, and for ``others``, the pots and pools into which they are paid.

    >>> import parlour
    >>> counted(parlour.load("dividha", 3).blank(), 100, Bounds(-100, 200, 0, 9), ["coins"], ["pot"])
    {'coins': (0, 300), 'pot': (0, 300)}
    """
    mine, theirs = (start + int(of.lowest), start + int(of.highest)), (0, -int(of.lowest) * s.players)
    return {**dict.fromkeys(players, mine), **dict.fromkeys(others, theirs)}


class Bounded(Protocol):
    """What these functions need of a game; :class:`parlour.Game` has it."""

    @property
    def definition(self) -> Any:
        """The definition of the game."""

    def blank(self) -> Any:
        """A blank position with players and options."""


def bounds_of(game: Bounded) -> Bounds:
    """Return the bounds that the game's folder states or, without those, bounds that hold for every game that passes
    the audit.  Raises ``ParlourError`` for what is no game.

    >>> import parlour
    >>> bounds_of(parlour.load("kuhn"))
    Bounds(lowest=-2.0, highest=2.0, total=0.0, decisions=3)
    """
    if not hasattr(game, "definition"):
        raise ParlourError("{given!r} is not {what}.", given=game, what="a game, as parlour.load(...) returns it")
    stated = getattr(game.definition.part("invariants"), "bounds", None)
    if stated is None:
        return Bounds(-float(COUNTED), float(COUNTED), None, LONGEST)
    found = stated(game.blank())
    numbers = [one for one in found if one is not None] if isinstance(found, tuple) and len(found) == 4 else []
    if len(numbers) < 3 or not all(map(_is_number, numbers)) or None in (*found[:2], found[3]) or found[0] > found[1]:
        raise returned_wrongly(
            stated, "Bounds(lowest, highest, total, decisions), such as Bounds(-1.0, 1.0, 0.0, 20)", found
        )
    return Bounds(*found)


def longest(game: Bounded) -> int:
    """Return the most steps that a game at a table may have; a match without a fixed end may have more than
    :data:`LONGEST`.

    >>> import parlour
    >>> longest(parlour.load("kuhn")), longest(parlour.load("diamondback", version="match", match_max_hands="none"))
    (200000, 33480000)
    """
    return max(LONGEST, bounds_of(game).decisions)


def amounts_of(game: Bounded) -> dict[str, tuple[int, int]]:
    """Return the lowest and the highest value of each amount that players may be told: 0 and its scale, or the values
    that the game's folder states; where it states none, the range of the field of the same name.

    >>> import parlour
    >>> amounts_of(parlour.load("leduc"))["paid"]
    (0, 13)
    """
    stated = getattr(game.definition.part("invariants"), "amounts", None)
    beyond, found = stated(game.blank()) if stated else {}, dict[str, tuple[int, int]]()
    amounts = [name for name, thing in game.definition.things.items() if thing.kind == "amount"]
    if not isinstance(beyond, Mapping) or not all(map(_are_limits, beyond.values())):
        example = f"{{{amounts[0] if amounts else 'coins'!r}: (0, 300)}}"
        raise returned_wrongly(
            stated, f"the lowest and the highest of amounts by the names of things, such as {example}", beyond
        )
    if unknown := [name for name in beyond if name not in amounts]:
        raise returned_wrongly(
            stated, f"limits of amounts in THINGS, which are {', '.join(amounts) or 'none'}", unknown
        )
    for name, thing in game.definition.things.items():
        if thing.kind == "amount":
            field = game.definition.fields.get(name) if thing.value is None else None
            low, high = (field.low, field.high) if field else (-COUNTED, COUNTED)
            if stated:
                least, most = beyond.get(name, (0, thing.size))
                low, high = max(low, least), min(high, most)
            found[name] = low, high
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _are_limits(value: object) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and all(map(_is_number, value))
