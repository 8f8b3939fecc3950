"""The words in which the rules of a game are written.

A game is a folder with a ``rules`` module of plain functions over small integers.  That module imports
this one and nothing else: no NumPy, no Numba, no engine.  The functions run as they stand (the *interpreted*
binding) and are also cloned and compiled (the *compiled* binding, :mod:`parlour.engine.compiled`), where the
few primitives below are replaced by machine code of the same meaning.

Three groups of words:

* **Position**: the fields that make up a position, and the house rules (options) among them.
* **Things**: what players can be told about a position (:func:`tell`).
* **Primitives**: sets of cards held in one integer, ``tell``, ``note``, ``whisper``, ``draw``, and functions that are
  looked up (:func:`tabled`).

What a rules module defines is listed in ``docs/adding_a_game.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

# ------------------------------------------------------------------------------------------ who is to act

CHANCE: Final = -1
"""``actor`` says: chance decides next."""
TERMINAL: Final = -2
"""``actor`` says: the game is over."""
SEVERAL: Final = -3
"""``actor`` says: several players choose at once, each in secret; ``acting`` says which of them still have to."""
DEAL_OVER: Final = -4
"""``actor`` says: a deal is settled and another follows; the engine calls ``next_deal`` before anybody sees it."""
EVERYBODY: Final = -1
"""Audience of a public :func:`note`; observer of the spectator's view."""


# ------------------------------------------------------------------------------------------ position fields


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a position: ``kind`` is ``u1 u2 u4 i1 i2 i4 i8`` (bytes, unsigned or signed), ``size`` 0 for a
    single number, otherwise the length of a list."""

    kind: str
    size: int = 0

    @property
    def low(self) -> int:
        return 0 if self.kind[0] == "u" else -(1 << (8 * int(self.kind[1]) - 1))

    @property
    def high(self) -> int:
        bits = 8 * int(self.kind[1])
        return (1 << bits) - 1 if self.kind[0] == "u" else (1 << (bits - 1)) - 1


@dataclass(frozen=True, slots=True)
class Option:
    """A house rule: a field of the position that stays as it was set when the game was loaded.

    ``words`` maps each named value to its number; ``low``/``high`` bound plain numbers (both ``None``: words only);
    with ``seats`` the plain numbers are the seats of the game.  ``clauses`` are those that read differently.
    """

    words: Mapping[str, int]
    default: int | str
    low: int | None = None
    high: int | None = None
    seats: bool = False
    clauses: tuple[str, ...] = ()
    kind: str = "u1"


def number(kind: str = "u1") -> Any:
    """A single integer field.  ``kind``: ``u1`` (0..255), ``i1``, ``u2``, ``i2``, ``i4``, ``i8`` (also card sets)."""
    return Field(kind)


def numbers(size: int, kind: str = "u1") -> Any:
    """A list of ``size`` integers."""
    return Field(kind, size)


def choice(*words: str, clauses: str = "") -> Any:
    """An option with named values, the default first; in the rules they are 0, 1, 2 … in this order."""
    return Option({w: i for i, w in enumerate(words)}, words[0], clauses=tuple(clauses.split()))


def amount_option(default: int | str, low: int, high: int, clauses: str = "", kind: str = "u1", **words: int) -> Any:
    """An option that is a whole number from ``low`` to ``high``, or one of ``words`` (``none=0``)."""
    return Option(words, default, low, high, clauses=tuple(clauses.split()), kind=kind)


def seat_option(default: int | str, clauses: str = "", **words: int) -> Any:
    """An option that is a seat of the game, or one of ``words`` (``random=255``)."""
    return Option(words, default, seats=True, clauses=tuple(clauses.split()))


class Position:
    """Base of a game's position: a class whose attributes are fields and options.

    The engine reads the declarations and builds from them a slotted Python object and a NumPy record of the same
    layout.  ``players`` is there in every game.  A new position is all zeros, but for ``players`` and the options.

    >>> class Tiny(Position):
    ...     pile: int = number()
    ...     won: list[int] = numbers(2)
    >>> list(fields_of(Tiny))
    ['players', 'pile', 'won']
    """

    players: int = Field("u1")  # type: ignore[assignment]


def fields_of(position: type[Position]) -> dict[str, Field]:
    """All fields in order of declaration, options included, ``players`` first."""
    found: dict[str, Field] = {}
    for cls in reversed(position.__mro__):
        for name, value in vars(cls).items():
            if isinstance(value, Field):
                found[name] = value
            elif isinstance(value, Option):
                found[name] = Field(value.kind)
    return found


def options_of(position: type[Position]) -> dict[str, Option]:
    """The options of a game in order of declaration."""
    return {
        name: value
        for cls in reversed(position.__mro__)
        for name, value in vars(cls).items()
        if isinstance(value, Option)
    }


# ------------------------------------------------------------------------------------------ things told


@dataclass(frozen=True, slots=True)
class Thing:
    """Something a player can be told: what its value is, how many there are of it, and how it is written.

    ``kind``: ``one_of`` (a value below ``size``), ``amount`` (0..``size``), ``seat`` (a player), ``seat_set`` (a set
    of players, in one integer), ``cards`` (a set of cards below ``size``, in one integer).  ``per``: how many of it,
    told by index.  ``seats``: the index is a seat, so a tensor turns it to start with the observer; with ``each`` there
    are so many for each seat, one seat after the other.  ``optional``: an amount or set that is not always told (a
    tensor then has a presence bit beside it).  ``names``: readable names of values or cards.
    """

    kind: str
    size: int = 0
    per: int = 1
    seats: bool = False
    optional: bool = False
    names: Sequence[str] | None = None
    each: int = 1

    @property
    def is_set(self) -> bool:
        """Whether its value is a set, one bit a member."""
        return self.kind in ("cards", "seat_set")


def one_of(size: int | Sequence[str], per: int = 1, seats: bool = False, names: Sequence[str] | None = None) -> Thing:
    """One of ``size`` values, 0-based; give the names instead of the size where they have names."""
    if not isinstance(size, int):
        names, size = size, len(size)
    return Thing("one_of", size, per, seats, False, names)


def amount(most: int, per: int = 1, seats: bool = False, optional: bool = False, each: int = 1) -> Thing:
    """A number, 0 to ``most`` (the scale of the tensor; larger is allowed and reads above 1.0)."""
    return Thing("amount", most, per, seats, optional, each=each)


def seat(per: int = 1, seats: bool = False) -> Thing:
    """A player."""
    return Thing("seat", 0, per, seats)


def seat_set(per: int = 1, seats: bool = False, optional: bool = False) -> Thing:
    """A set of players, one bit a seat; ``optional`` if it is not always told."""
    return Thing("seat_set", 0, per, seats, optional)


def cards(names: Sequence[str], per: int = 1, seats: bool = False, optional: bool = False) -> Thing:
    """A set of cards (at most 63 kinds), one bit a card; ``optional`` if it is not always told."""
    return Thing("cards", len(names), per, seats, optional, names)


FRENCH_SUITS: Final = "CHSD"
FRENCH_RANKS: Final = "23456789TJQKA"


# ------------------------------------------------------------------------------------------ primitives
# Each has a compiled twin of the same name and meaning in parlour.engine.compiled.


def count(members: int) -> int:
    """How many members a set has.

    >>> count(0b1011)
    3
    """
    return members.bit_count()


def lowest(members: int) -> int:
    """The lowest member of a set that is not empty.

    >>> lowest(0b1010)
    1
    """
    return (members & -members).bit_length() - 1


def nth(members: int, k: int) -> int:
    """The ``k``-th member of a set, counting from 0.

    >>> nth(0b1011, 2)
    3
    """
    for _ in range(k):
        members &= members - 1
    return (members & -members).bit_length() - 1


_MASK = 0xFFFFFFFFFFFFFFFF
_GOLD = 0x9E3779B97F4A7C15


def below(rng: list[int], n: int) -> int:
    """A random number 0 ≤ x < n from the generator ``rng``, a list of one 64-bit word (splitmix64).  Only ``redeal``
    may draw; rules never do.

    >>> rng = [7]
    >>> [below(rng, 6) for _ in range(5)]
    [2, 0, 5, 3, 2]
    """
    z = rng[0] = (rng[0] + _GOLD) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    z ^= z >> 31
    return ((z >> 32) * n) >> 32


def draw(rng: list[int], members: int) -> int:
    """A random member of a set, each equally likely."""
    return nth(members, below(rng, count(members)))


class Tabled:
    """A function of one whole number that is looked up; made by :func:`tabled`."""

    def __init__(self, rule: Callable[[int], int], size: int, kind: str) -> None:
        self.rule, self.size, self.kind = rule, size, kind
        self.__doc__ = rule.__doc__
        self.found = lru_cache(maxsize=1 << 16)(rule)

    def __call__(self, n: int) -> int:
        return self.found(n)


def tabled(size: int, kind: str = "i4") -> Callable[[Callable[[int], int]], Tabled]:
    """Say of a rule function of one number 0 ≤ n < ``size`` that it costs more to work out than to look up.

    Interpreted, answers are remembered; compiled, all of them are worked out once and kept with the machine code, as
    numbers of that ``kind`` (as in :class:`Field`).  What it says must depend on nothing but ``n``.

    >>> @tabled(100)
    ... def triangle(n: int) -> int:
    ...     return sum(range(n + 1))
    >>> triangle(4)
    10
    """
    return lambda rule: Tabled(rule, size, kind)


def tell(to: Any, thing: str, index: int, value: int) -> None:
    """Tell the listener ``to`` that ``thing`` number ``index`` is ``value`` (a number, seat or set of cards, as the
    game's ``THINGS`` declare it)."""
    to.append((thing, index, value))


def note(to: Any, clause: str, event: str, who: int, a: int = 0, b: int = 0) -> None:
    """Say in everybody's hearing what happens: the clause that causes it, the event (a key of the game's sentences),
    the player concerned (or ``EVERYBODY``) and up to two numbers that the sentence names."""
    if to is not None:
        to.append((clause, event, EVERYBODY, who, a, b))


def whisper(to: Any, clause: str, event: str, who: int, a: int = 0, b: int = 0) -> None:
    """Say what happens to ``who`` alone."""
    if to is not None:
        to.append((clause, event, who, who, a, b))
