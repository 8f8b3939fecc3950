"""Positions from one declaration: a slotted Python object (interpreted), and a record (compiled), of NumPy or, for what
does without it, of ctypes."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from functools import cache, partial
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from parlour.base.errors import ParlourError
from parlour.base.languages import either, marked

if TYPE_CHECKING:
    import numpy as np

    from parlour.engine.definition import Definition
    from parlour.rules.vocabulary import Field, Option


@cache
def position_class(game: Definition) -> type[Any]:
    """Return the class of a game's interpreted position: all zeros when made; ``copy()`` returns an equal one that
    shares nothing.

    >>> from parlour.engine.definition import definition
    >>> position_class(definition("kuhn"))().players
    0
    """
    fields = game.fields
    zero = "\n".join(f"  self.{name} = {f'[0] * {f.size}' if f.size else 0}" for name, f in fields.items())
    copied = "\n".join(f"  new.{name} = self.{name}{'[:]' if f.size else ''}" for name, f in fields.items())
    equal = " and ".join(f"self.{name} == other.{name}" for name in fields)
    body = (
        f"def __init__(self):\n{zero}\n"
        f"def copy(self):\n  new = blank(type(self))\n{copied}\n  return new\n"
        f"def __eq__(self, other):\n  return {equal}\n"
        "def __repr__(self):\n  return f'{type(self).__name__}({fields(self)})'\n"
        "def __reduce__(self):\n  return again, (package, fields(self))\n"
    )
    namespace: dict[str, Any] = {"blank": object.__new__, "fields": partial(as_dict, game)}
    namespace.update(again=position_of, package=game.package)
    exec(body, namespace)
    methods = {name: namespace[name] for name in ("__init__", "copy", "__eq__", "__repr__", "__reduce__")}
    return type(game.position.__name__, (), {"__slots__": tuple(fields), "__hash__": None, **methods})


def position_of(package: str, fields: Mapping[str, Any]) -> Any:
    """The interpreted position with these fields, of the game in a folder: how positions travel between processes."""
    from parlour.engine.definition import named

    s = position_class(named(package))()
    for name, value in fields.items():
        setattr(s, name, value)
    return s


def as_dict(game: Definition, s: Any) -> dict[str, int | list[int]]:
    """Return the fields of a position, interpreted or compiled, as plain Python numbers and lists."""
    if hasattr(s, "dtype"):
        found = dict(zip(s.dtype.names, s.item(), strict=True))  # all at once: to ask a record for a field takes long
        return {name: found[name].tolist() if f.size else found[name] for name, f in game.fields.items()}
    return {name: [*map(int, getattr(s, name))] if f.size else int(getattr(s, name)) for name, f in game.fields.items()}


def fields(game: Definition) -> list[tuple[str, Field]]:
    """The fields of a position in the order in which they lie: the widest first, so there is no padding inside."""
    return sorted(game.fields.items(), key=lambda item: -int(item[1].kind[1]))


@cache
def dtype_of(game: Definition) -> np.dtype[Any]:
    """Return the compiled position of a game: one NumPy record type (a single object for each game, so that calls stay
    cheap).  The widest fields come first, so there is no padding inside."""
    import numpy as np

    return np.dtype([(n, f.kind, (f.size,)) if f.size else (n, f.kind) for n, f in fields(game)], align=True)


@cache
def record_class(game: Definition) -> type[ctypes.Structure]:
    """The same record as a structure of ctypes: ``(record_class(game) * n)()`` is a vector of them.

    >>> from parlour.engine.definition import definition
    >>> ctypes.sizeof(record_class(definition("diamonds"))) == dtype_of(definition("diamonds")).itemsize
    True
    """
    plain = {name: _NUMBERS[f.kind] for name, f in fields(game)}
    own = [(name, plain[name] * f.size if f.size else plain[name]) for name, f in fields(game)]
    return type(f"{game.position.__name__}Record", (ctypes.Structure,), {"_fields_": own})


_NUMBERS: Final[Mapping[str, Any]] = {
    f"{letter}{size}": getattr(ctypes, f"c_{'u' * (letter == 'u')}int{8 * size}")
    for letter in "iu"
    for size in (1, 2, 4, 8)
}


def to_record(game: Definition, s: Any, record: Any) -> None:
    """Copy an interpreted position into a record, of whichever kind."""
    if isinstance(record, ctypes.Structure):
        for name, f in game.fields.items():
            if f.size:
                getattr(record, name)[:] = getattr(s, name)
            else:
                setattr(record, name, getattr(s, name))
    else:
        for name in game.fields:
            record[name] = getattr(s, name)


def from_record(game: Definition, record: Any) -> Any:
    """Return the interpreted position equal to a record."""
    s = position_class(game)()
    for name, value in as_dict(game, record).items():
        setattr(s, name, value)
    return s


def check_range(game: Definition, s: Any) -> str | None:
    """Return ``None``, or a sentence naming the field that its type cannot hold."""
    for name, f in game.fields.items():
        value = getattr(s, name)
        for v in value if f.size else (value,):
            if isinstance(v, bool):
                return f"{name} = {v} is no number: write int(...) around the condition"
            if not f.low <= v <= f.high:
                return f"{name} = {value} does not fit in {f.kind} ({f.low} to {f.high})"
    return None


_NUMBER: Final = re.compile("0|[1-9][0-9]{0,9}")
"""A number as records have it: each can be written in one way only."""


def option_values(game: Definition, players: int, given: dict[str, Any]) -> dict[str, int]:
    """Return all options as numbers, from what the caller gave (words or numbers, also as text).  Raises
    ``ParlourError`` for an unknown option or value.

    >>> from parlour.engine.definition import definition
    >>> option_values(definition("diamonds"), 2, {"first_dealer": "1"})["first_dealer"]
    1
    """
    from parlour.base.errors import unknown

    for name in given:
        if name not in game.options:
            raise unknown(marked("option of {id}", id=game.id), name, game.options)
    values = {}
    for name, option in game.options.items():
        value = given.get(name, option.default)
        low, high = (0, players - 1) if option.seats else (option.low, option.high)
        number = option.words.get(str(value))
        if number is None and low is not None and high is not None and _NUMBER.fullmatch(str(value)):
            number = int(value) if low <= int(value) <= high else None
        if number is None:
            got, words = str(value), either(list(option.words))
            cited = f" ({option.clauses[0]})" if option.clauses else ""
            if low is None:
                raise ParlourError(
                    "{id}: option {name} cannot be {got!r}; it is {words}{cited}.",
                    id=game.id,
                    name=name,
                    got=got,
                    words=words,
                    cited=cited,
                )
            if not words:
                raise ParlourError(
                    "{id}: option {name} cannot be {got!r}; it is a number from {low} to {high}{cited}.",
                    id=game.id,
                    name=name,
                    got=got,
                    low=low,
                    high=high,
                    cited=cited,
                )
            raise ParlourError(
                "{id}: option {name} cannot be {got!r}; it is {words} or a number from {low} to {high}{cited}.",
                id=game.id,
                name=name,
                got=got,
                words=words,
                low=low,
                high=high,
                cited=cited,
            )
        values[name] = number
    return values


def must_play_alike(game: Definition, version: int, options: Mapping[str, str]) -> None:
    """Raise ``ParlourError`` if games of this version of the rules cannot be played on under these house rules, given
    as words."""
    if broken := game.broken_since(version, options):
        raise ParlourError(
            "With {house_rules}, rules {version} of {id} were different; this software has rules {newer}.",
            house_rules=broken,
            version=version,
            id=game.id,
            newer=game.version,
        )


def house_rules(game: Definition, players: int, options: Mapping[str, int]) -> Any:
    """Return a blank position with the number of players and the options filled in."""
    s = position_class(game)()
    s.players = players
    for name, value in options.items():
        setattr(s, name, value)
    return s


def sample_values(option: Option, players: int) -> list[str]:
    """Return values of an option worth trying, its default first: its words (a few, if there are many), and the least
    number, the next, a middle one and the greatest.

    >>> from parlour.engine.definition import definition
    >>> sample_values(definition("diamonds").options["first_dealer"], 2)
    ['random', '0', '1']
    """
    low, high = (0, players - 1) if option.seats else (option.low, option.high)
    numbers = [] if low is None or high is None else [low, min(low + 1, high), (low + high) // 2, high]
    words = list(option.words)
    few = words if len(words) <= MANY_WORDS else words[:: len(words) // 3]
    return list(dict.fromkeys([str(option.default), *few, *map(str, numbers)]))


MANY_WORDS = 12


def option_word(game: Definition, name: str, number: int) -> str:
    """Return an option's number as it is written: its word, or the number."""
    for word, value in game.options[name].words.items():
        if value == number:
            return word
    return str(number)


def players_allowed(game: Definition, players: int | None, options: Mapping[str, Any] = MappingProxyType({})) -> int:
    """Return the number of players, by default the smallest allowed under these options.  Raises ``ParlourError`` for a
    number that is not allowed."""
    if players is None:
        return min(game.counts(**options), default=min(game.players))
    try:
        number = -1 if isinstance(players, bool) else index(players)
    except TypeError:
        number = -1
    if number not in game.players:
        few, most = game.players[:8], game.players[-1]
        allowed = ", ".join(map(str, few)) if most in few else f"{few[0]} to {most}"
        raise ParlourError(
            "{name} cannot be played by {players!r}; it is for {allowed} players.",
            name=game.name,
            players=players,
            allowed=allowed,
        )
    return number
