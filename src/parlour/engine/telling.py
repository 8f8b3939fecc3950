"""Views: one list of facts for each player, and everything that is written from it.

The rules list, item by item, what everybody can see (``show``) and what one player sees in addition (``show_own``).  A
:class:`View` holds those items for one player and nothing else.  JSON, text, tensors and glances (the words from which
keys are made) are written from it, and redeals start from it.  Compiled code that writes the same items is in
:mod:`parlour.engine.c.telling`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from parlour.base.errors import ParlourError
from parlour.engine.hashing import MASK, told_fact, told_set_fact
from parlour.engine.tensors import Tensor, into, tensor_parts, tensor_size
from parlour.rules.vocabulary import EVERYBODY, AnyPosition, Thing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parlour.engine.definition import Definition
    from parlour.engine.ruleset import Ruleset

__all__ = ["View", "members", "restored"]

PICTURES = "parlour.pictures"
"""The group of entry points that draw a view for notebooks, by kind: ``html`` and ``svg``."""

Item = tuple[str, int, int]
"""One told item: thing, index, value."""


def members(value: int) -> list[int]:
    """Return the members of a set, lowest first.

    >>> members(0b1011)
    [0, 1, 3]
    """
    return [c for c in range(value.bit_length()) if value >> c & 1]


class View:
    """Everything that one player (or, for ``EVERYBODY``, a spectator) is told about a position.

    Nothing else about a position may reach a player: bots get a view, and pages and files are made from one.  ``items``
    are (thing, index, value) triples in the order of telling.
    """

    __slots__ = ("game", "items", "player")

    drawn: ClassVar[Callable[[View], str]]
    """The function that draws a view as text. :mod:`parlour` sets it, because drawings import views, not the other way
    round."""

    def __init__(self, game: Ruleset[Any], player: int, items: tuple[Item, ...]) -> None:
        self.game = game
        self.player = player
        self.items = items

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return (self.player, self.items) == (other.player, other.items) and self.game == other.game

    def __hash__(self) -> int:
        return hash((self.player, self.items))

    def __repr__(self) -> str:
        return f"<{self.game.id} as {'a spectator' if self.player == EVERYBODY else f'seat {self.player}'} sees it>"

    def __str__(self) -> str:
        """The table as text, as in the terminal."""
        return type(self).drawn(self)

    def _repr_html_(self) -> str | None:
        """The table as HTML for notebooks, as on the page; ``None`` if the page is not installed."""
        return _picture(self, "html")

    def _repr_svg_(self) -> str | None:
        """The same as SVG."""
        return _picture(self, "svg")

    def dump(self) -> dict[str, Any]:
        """Return the view as JSON-able data from which :func:`parlour.core.game.view_from` restores it, in another
        process too: the game's folder, players, options, the seat and the items, and nothing else.

        >>> import parlour
        >>> seen = parlour.load("kuhn").new(seed=1).view(0)
        >>> parlour.core.game.view_from(seen.dump()) == seen
        True
        """
        game = self.game
        known = {"game": game.definition.package, "players": game.players, "options": dict(game.options)}
        return {**known, "seat": self.player, "items": self.items}

    def observation(self) -> dict[str, Any]:
        """Return the view as JSON-able data: for each thing a value, or a list with ``None`` where nothing was told."""
        return observe(self.game, self.items, {})

    def text(self) -> str:
        """Return the view as lines of text, one for each thing."""
        labels = self.game.definition.words.get("things", {})
        lines: list[str] = []
        for name, value in self.observation().items():
            thing = self.game.definition.things[name]
            shown = [self._word(thing, v) for v in value] if thing.per > 1 else [self._word(thing, value)]
            lines.append(f"{labels.get(name, name)}: {(' | ' if thing.is_set else ', ').join(shown)}")
        return "\n".join(lines)

    def _word(self, thing: Thing, value: Any) -> str:
        if value is None:
            return "-"
        if thing.is_set:
            return " ".join(f"seat {v}" if thing.kind == "seat_set" else v for v in value) or "none"
        return f"seat {value}" if thing.kind == "seat" else str(value)

    def tensor(self, out: NDArray[np.float32] | None = None) -> Tensor:
        """Return the view as one flat buffer with named parts, written into ``out`` if it is given: float32, shape
        (``game.tensor_size``,), in C order. Raises ``ParlourError`` if ``out`` does not fit, or without the extra
        ``fast``."""
        flat = into(out, tensor_size(self.game.definition))
        flat[:] = 0
        for at, value in entries(self):
            flat[at] = value
        return Tensor(flat, tensor_parts(self.game.definition))

    def glance(self) -> int:
        """The view as one 64-bit word: the sum of its items' words, so the order of telling does not matter."""
        return glance(self.game.definition, self.items)

    def redeal(self, seed: int) -> Any:
        """Return a random world that this player cannot tell from the real one: see :meth:`parlour.State.redeal`.
        Raises ``ParlourError`` for a spectator's view."""
        from parlour.engine.hashing import seed_word

        if self.player == EVERYBODY:
            raise ParlourError("A redeal is made for a player; the spectator's view has none.")
        rng = [seed_word(seed)]
        s = restored(self)
        if not self.game.definition.hides_nothing:
            self.game.definition.rules.redeal(s, self.player, rng)
        return self.game.state_at(s, rng[0])

    def imagined(self, seed: int) -> AnyPosition:
        """Return the position of such a world.  It is a new object."""
        return self.redeal(seed).position


class Chooser(Protocol):
    """A player: given a view and the legal actions, it chooses one."""

    def choose(self, view: View, legal: Sequence[int]) -> int:
        """Return one of ``legal``."""


def _picture(view: View, kind: str) -> str | None:
    """Return the picture of a view by the installed package that draws pictures of this kind, or ``None`` if there is
    none."""
    for entry in entry_points(group=PICTURES, name=kind):
        try:
            return str(entry.load()(view))
        except ImportError:  # an optional package is missing
            return None
    return None


def entries(view: View) -> Iterator[tuple[int, float]]:
    """The entries of a view's tensor by their places; all other entries are 0."""
    return entries_of(view.game.definition, view.game.players, max(view.player, 0), view.items)


def entries_of(game: Definition, players: int, me: int, items: Iterable[Item]) -> Iterator[tuple[int, float]]:
    """The same of items that are told to ``me``."""
    parts = tensor_parts(game)
    for name, index, value in items:
        thing, part = game.things[name], parts[name]
        turned = (index - me * thing.each) % (players * thing.each) if thing.seats else index
        at = part.start + part.width * turned
        if thing.kind == "one_of":
            yield at + value, 1.0
        elif thing.kind == "amount":
            yield at, single(single(value) * single(1.0 / thing.size))
        elif thing.kind == "seat":
            yield at + (value - me) % players, 1.0
        else:
            for c in members(value):
                yield at + ((c - me) % players if thing.kind == "seat_set" else c), 1.0
        if thing.optional:
            yield at + part.width - 1, 1.0


def single(x: float) -> float:
    """A number rounded to float32; the product of two such numbers is exact before it is rounded."""
    rounded: float = _SINGLE.unpack(_SINGLE.pack(x))[0]
    return rounded


_SINGLE = struct.Struct("f")


def observe(game: Ruleset[Any], items: Iterable[Item], out: dict[str, Any]) -> dict[str, Any]:
    """Put told items into ``out`` as JSON-able data; lists that it already holds are copied, not changed.

    >>> import parlour
    >>> seen = parlour.load("kuhn").new(seed=1).view(0)
    >>> observe(seen.game, seen.items, {})["hand"]
    ['K', None]
    """
    own: set[str] = set()
    shapes = _shapes(game.definition, game.players)
    for name, index, value in items:
        is_set, names, entries = shapes[name]
        readable: Any
        if is_set:
            readable = [names[c] if names else c for c in members(value)]
        else:
            readable = names[value] if names else value
        if not entries:
            out[name] = readable
            continue
        if name not in own:
            own.add(name)
            out[name] = out[name][:] if name in out else [None] * entries
        out[name][index] = readable
    return out


@cache
def _shapes(game: Definition, players: int) -> dict[str, tuple[bool, Sequence[str] | None, int]]:
    """Return for each thing whether its values are sets, their names, and the number of its items (0: it is a single
    value)."""
    return {
        name: (one.is_set, one.names, 0 if one.per == 1 else players * one.each if one.seats else one.per)
        for name, one in game.things.items()
    }


def view(game: Ruleset[Any], s: Any, player: int) -> View:
    """Return what ``player`` is told about the interpreted position ``s``."""
    items: list[Item] = []
    game.definition.rules.show(s, items)
    if player != EVERYBODY:
        game.definition.rules.show_own(s, player, items)
    return View(game, player, tuple(items))


def told_each(game: Ruleset[Any], s: Any) -> list[tuple[Item, ...]]:
    """Return the items of every player's view."""
    return told_all(game, s)[:-1]


def told_all(game: Ruleset[Any], s: Any) -> list[tuple[Item, ...]]:
    """Return the items of every player's view and, last, of a spectator's.  Items that everybody can see are made once,
    and players who see nothing more share the same tuple."""
    common = view(game, s, EVERYBODY).items
    each: list[tuple[Item, ...]] = []
    for player in range(game.players):
        own: list[Item] = []
        game.definition.rules.show_own(s, player, own)
        each.append((*common, *own) if own else common)
    return [*each, common]


def glance(game: Definition, items: tuple[Item, ...]) -> int:
    """Return the sum of the words of told items."""
    return sum([_item_word(game, item) for item in items]) & MASK


@lru_cache(1 << 16)
def _item_word(game: Definition, item: Item) -> int:
    name, index, value = item
    return (told_set_fact if game.things[name].is_set else told_fact)(game.thing_index[name], index, value)


def restored(view: View) -> AnyPosition:
    """Return a blank position with the items of a view put into it: each thing goes into the field of the same name.

    >>> import parlour
    >>> s = restored(parlour.load("kuhn").new(seed=1).view(0))
    >>> s.hand, s.players  # the card plus 1; 0 where it is not known
    ([3, 0], 2)
    """
    s = view.game.blank()
    put_back(view.game.definition, view.items, s)
    view.game.definition.rules.restore(s, view.player)
    return s


def put_back(game: Definition, items: Iterable[Item], s: Any) -> None:
    """Put items into the fields of the same names in the position ``s``."""
    for name, index, value in items:
        field = game.fields.get(name)
        if field is None:
            continue
        if field.size:
            getattr(s, name)[index] = value
        else:
            setattr(s, name, value)
