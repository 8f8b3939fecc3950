"""The interpreted binding: kernels over plain Python lists and numbers.

It compiles nothing and imports nothing large, so it starts at once; it is about a hundred times slower than the same
kernels in C (:mod:`parlour.engine.c`).
"""

from __future__ import annotations

import sys
import types
from functools import cache
from typing import TYPE_CHECKING, Any

from parlour.engine import hashing
from parlour.engine.kernel import Kernel, rules, rules_of
from parlour.engine.kernels import views
from parlour.engine.kernels.logs import EACH, HEAD, LISTED
from parlour.engine.positions import position_class
from parlour.engine.telling import entries_of, glance, put_back
from parlour.rules.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from parlour.engine.definition import Definition


class Positions:
    """A vector of interpreted positions that behaves like a vector of records: assignment copies.

    >>> from parlour.engine.definition import definition
    >>> S = Positions(definition("kuhn"), 2)
    >>> s = S[1]; S[0].moves = 3; S[1] = S[0]
    >>> s.moves, S[0] is s
    (3, False)
    """

    def __init__(self, game: Definition, size: int) -> None:
        made = position_class(game)
        self._fields = tuple(game.fields)
        self._positions = [made() for _ in range(size)]

    def __getitem__(self, i: int) -> Any:
        return self._positions[i]

    def __setitem__(self, i: int, source: Any) -> None:
        copy, target = source.copy(), self._positions[i]
        for name in self._fields:
            setattr(target, name, getattr(copy, name))


class PositionTable(Positions):
    """The same for a table with one row, which is indexed by two numbers."""

    def __getitem__(self, place: Any) -> Any:
        return self._positions[place[1]]

    def __setitem__(self, place: Any, source: Any) -> None:
        copy = source.copy()
        for name in self._fields:
            setattr(self[place], name, getattr(copy, name))


class Words:
    """The words of each of ``positions``: here a single word, which is the same for equal positions."""

    def __init__(self, game: Definition, positions: Positions) -> None:
        self._fields = [(name, f.size > 0) for name, f in game.fields.items()]
        self._positions = positions

    def __getitem__(self, i: int) -> list[int]:
        s = self._positions[i]
        values = [tuple(getattr(s, name)) if many else getattr(s, name) for name, many in self._fields]
        return [hash(tuple(values)) & hashing.MASK]


class KeyMatrix:
    """The matrix of words in which :mod:`parlour.engine.kernels.keys` folds the knowledge of players.  It is also a
    listener: it adds events to what players were told."""

    def __init__(self, game: Definition, events: int = 0) -> None:
        """``events``: how many events it can list as well (:mod:`parlour.engine.kernels.logs`)."""
        self._numbers = game.event_index
        rows = LISTED + EACH * events if events else HEAD
        self._rows = [[0] * max(game.max_players, 2) for _ in range(rows)]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        return None if place == 3 else self._rows[place[0]][place[1]]  # row 3 is scratch space for compiled code only

    def __setitem__(self, place: tuple[int, int], word: int) -> None:
        # Not cut to 64 bits here: folding a word cuts it, and equal words stay equal.
        self._rows[place[0]][place[1]] = word

    def append(self, event: tuple[str, str, int, int, int, int]) -> None:
        _, name, audience, who, a, b = event
        fact = hashing.event_fact(self._numbers[name], who, a, b)
        place = (3, 1) if audience == EVERYBODY else (2, audience)
        self[place] = self[place] + fact
        if len(self) > HEAD:
            at = LISTED + EACH * self[HEAD, 0]
            if at + EACH <= len(self):
                self[HEAD, 0] += 1
                told = audience + 1 if audience != EVERYBODY else 0, self._numbers[name], who, a, b, 0
                for k, number in enumerate(told):
                    self[at + k // 2, k % 2] = number & hashing.MASK


@cache
def interpreted(kernel: Kernel, game: Definition) -> types.SimpleNamespace:
    """The functions of a kernel as plain Python functions over the rules of a game, by name: the counterpart of
    :func:`parlour.engine.c.loading.compiled`."""
    return types.SimpleNamespace(**_space(sys.modules[kernel.module], game))


@cache
def _space(module: types.ModuleType, game: Definition) -> dict[str, Any]:
    """The names of a kernel's module, with its own functions, and those of other kernels, bound to a game."""
    space: dict[str, Any] = {}
    for name, value in vars(module).items():
        if value is rules:
            space[name] = rules_of(game)
        elif not isinstance(value, types.FunctionType):
            space[name] = value
        elif value.__module__ == module.__name__:
            space[name] = types.FunctionType(value.__code__, space, name, value.__defaults__)
        else:
            home = sys.modules[value.__module__]
            space[name] = _space(home, game)[value.__name__] if hasattr(home, "KERNEL") else value
    if module is views:
        space.update(_told_to_lists(game))
    return space


def _told_to_lists(game: Definition) -> dict[str, Any]:
    """The functions of :mod:`parlour.engine.kernels.views` for interpreted rules, which tell things to lists."""
    own = game.rules

    def glance_open(s: Any, scratch: Any) -> int:
        items: list[Any] = []
        own.show(s, items)
        return glance(game, tuple(items))

    def glance_own(s: Any, me: int, scratch: Any) -> int:
        items: list[Any] = []
        own.show_own(s, me, items)
        return glance(game, tuple(items))

    def see(S: Any, me: int) -> None:
        items: list[Any] = []
        own.show(S[views.GAME], items)
        own.show_own(S[views.GAME], me, items)
        S[views.SEEN] = S[views.BLANK]
        put_back(game, items, S[views.SEEN])
        own.restore(S[views.SEEN], me)

    def write_row(s: Any, me: int, row: list[float]) -> None:
        items: list[Any] = []
        own.show(s, items)
        own.show_own(s, me, items)
        row[:] = [0.0] * len(row)
        for at, value in entries_of(game, s.players, me, items):
            row[at] = value

    return {"glance_open": glance_open, "glance_own": glance_own, "see": see, "write_row": write_row}
