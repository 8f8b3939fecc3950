"""The interpreted binding of the drivers and the tree search: the same functions over plain Python lists and numbers.

Nothing is compiled or imported for it, so it starts at once; it is some hundred times slower than
:mod:`parlour.engine.c`, which binds the same source, and it is what the tests hold that against.
"""

from __future__ import annotations

import types
from functools import cache
from typing import TYPE_CHECKING, Any

import parlour.vocabulary as vocabulary
from parlour.contract import compiled_names
from parlour.engine import beliefs, drivers, growing, hashing, networks, rollouts, sampling, tree, vectors
from parlour.engine.names import names_of
from parlour.engine.positions import position_class
from parlour.engine.telling import entries_of, glance, put_back
from parlour.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from parlour.engine.definition import Definition


class Positions:
    """A vector of interpreted positions that behaves like one of records: assignment copies.

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


class Words:
    """Return the words of each of ``positions``: here a single word, which equal positions share."""

    def __init__(self, game: Definition, positions: Positions) -> None:
        self._fields = [(name, f.size > 0) for name, f in game.fields.items()]
        self._positions = positions

    def __getitem__(self, i: int) -> list[int]:
        s = self._positions[i]
        values = [tuple(getattr(s, name)) if many else getattr(s, name) for name, many in self._fields]
        return [hash(tuple(values)) & hashing.MASK]


class Memory:
    """The matrix of words in which :mod:`parlour.engine.drivers` folds what players know.  It also listens to events
    and adds them to what players were told."""

    def __init__(self, game: Definition) -> None:
        self._numbers = game.event_index
        self._rows = [[0] * game.max_players for _ in range(4)]

    def __getitem__(self, place: Any) -> Any:
        return None if place == 3 else self._rows[place[0]][place[1]]  # row 3 needs no scratch here

    def __setitem__(self, place: tuple[int, int], word: int) -> None:
        # Kept as it is: what is folded is cut to 64 bits, and equal sums stay equal.
        self._rows[place[0]][place[1]] = word

    def append(self, event: tuple[str, str, int, int, int, int]) -> None:
        _, name, audience, who, a, b = event
        fact = hashing.event_fact(self._numbers[name], who, a, b)
        place = (3, 1) if audience == EVERYBODY else (2, audience)
        self[place] = self[place] + fact


@cache
def interpreted(game: Definition) -> types.SimpleNamespace:
    """Return the drivers and the tree search of a game as plain Python functions, by name: the counterpart of
    :func:`parlour.engine.c.loading.compiled`."""
    rules = game.rules

    def glance_open(s: Any, scratch: Any) -> int:
        items: list[Any] = []
        rules.show(s, items)
        return glance(game, tuple(items))

    def glance_own(s: Any, me: int, scratch: Any) -> int:
        items: list[Any] = []
        rules.show_own(s, me, items)
        return glance(game, tuple(items))

    def see(S: Any, me: int) -> None:
        items: list[Any] = []
        rules.show(S[drivers.GAME], items)
        rules.show_own(S[drivers.GAME], me, items)
        S[drivers.SEEN] = S[drivers.BLANK]
        put_back(game, items, S[drivers.SEEN])
        rules.restore(S[drivers.SEEN], me)

    def write_row(s: Any, me: int, row: list[float]) -> None:
        items: list[Any] = []
        rules.show(s, items)
        rules.show_own(s, me, items)
        row[:] = [0.0] * len(row)
        for at, value in entries_of(game, s.players, me, items):
            row[at] = value

    space: dict[str, Any] = {
        **{name: getattr(vocabulary, name) for name in ("below", "draw", "count", "lowest", "nth")},
        **{name: getattr(hashing, name) for name in ("fold", "deed_fact", "GOLD")},
        **{name: getattr(vectors, name) for name in ("add_scaled", "next_entry", "next_difference", "product")},
        "word": lambda x: x & hashing.MASK,
        "slot": lambda key, last: key & last,
        "seeded": lambda first, i: hashing.seed_word(first + i),
        "OPEN": game.hides_nothing,
        "TITLE": game.id,
    }
    for name, value, is_own in names_of((drivers, networks, beliefs, tree, rollouts, growing, sampling)):
        if is_own:
            space[name] = types.FunctionType(value.__code__, space, name, value.__defaults__)
        else:
            space.setdefault(name, value)
    space.update({name: getattr(rules, name) for name in compiled_names()})
    space.update(glance_open=glance_open, glance_own=glance_own, see=see, write_row=write_row)
    space["draw_outcome"] = space[game.way_to_draw]
    space["tally"] = space["tally_deal" if game.has_deals else "tally_nothing"]
    space["finished"] = space["finished_deals" if game.has_deals else "finished_game"]
    return types.SimpleNamespace(**space)
