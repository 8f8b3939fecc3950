"""Positions from one declaration: a slotted Python object (interpreted), and a record (compiled), of NumPy or, where
NumPy is not needed, of ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parlour.engine.folder import GameFolder
    from parlour.rules.vocabulary import Field


@cache
def position_class(game: GameFolder) -> type[Any]:
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
        "def __reduce__(self):\n  return again, (game, fields(self))\n"
    )
    namespace: dict[str, Any] = {"blank": object.__new__, "fields": partial(as_dict, game)}
    namespace.update(again=position_of, game=game)
    exec(body, namespace)
    methods = {name: namespace[name] for name in ("__init__", "copy", "__eq__", "__repr__", "__reduce__")}
    return type(game.position.__name__, (), {"__slots__": tuple(fields), "__hash__": None, **methods})


def position_of(game: GameFolder, fields: Mapping[str, Any]) -> Any:
    """The interpreted position of a game with these fields.  Positions are sent between processes in this form."""
    s = position_class(game)()
    for name, value in fields.items():
        setattr(s, name, value)
    return s


def as_dict(game: GameFolder, s: Any) -> dict[str, int | list[int]]:
    """Return the fields of a position, interpreted or compiled, as plain Python numbers and lists."""
    if hasattr(s, "dtype"):
        # one call for all fields: reading them one by one is slow
        found = dict(zip(s.dtype.names, s.item(), strict=True))
        return {name: found[name].tolist() if f.size else found[name] for name, f in game.fields.items()}
    return {name: [*map(int, getattr(s, name))] if f.size else int(getattr(s, name)) for name, f in game.fields.items()}


def fields(game: GameFolder) -> list[tuple[str, Field]]:
    """The fields of a position in their order in memory: the widest first, so there is no padding inside."""
    return sorted(game.fields.items(), key=lambda item: -int(item[1].kind[1]))


@cache
def dtype_of(game: GameFolder) -> np.dtype[Any]:
    """Return the compiled position of a game: one NumPy record type (a single object for each game, so that calls stay
    cheap).  The widest fields come first, so there is no padding inside."""
    import numpy as np

    return np.dtype([(n, f.kind, (f.size,)) if f.size else (n, f.kind) for n, f in fields(game)], align=True)


@cache
def record_class(game: GameFolder) -> type[ctypes.Structure]:
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


def to_record(game: GameFolder, s: Any, record: Any) -> None:
    """Copy an interpreted position into a record of NumPy or ctypes."""
    if isinstance(record, ctypes.Structure):
        for name, f in game.fields.items():
            if f.size:
                getattr(record, name)[:] = getattr(s, name)
            else:
                setattr(record, name, getattr(s, name))
    else:
        for name in game.fields:
            record[name] = getattr(s, name)


def from_record(game: GameFolder, record: Any) -> Any:
    """Return the interpreted position equal to a record."""
    s = position_class(game)()
    for name, value in as_dict(game, record).items():
        setattr(s, name, value)
    return s


def check_range(game: GameFolder, s: Any) -> str | None:
    """Return ``None``, or a sentence naming the field that its type cannot hold."""
    for name, f in game.fields.items():
        value = getattr(s, name)
        for v in value if f.size else (value,):
            if isinstance(v, bool):
                return f"{name} = {v} is no number: write int(...) around the condition"
            if not f.low <= v <= f.high:
                return f"{name} = {value} does not fit in {f.kind} ({f.low} to {f.high})"
    return None


def columns(records: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the fields of positions, each as an array of its own, so that files do not depend on the layout of records
    in memory."""
    import numpy as np

    return {name: np.ascontiguousarray(records[name]) for name in records.dtype.names or ()}


def records_of(fields: Mapping[str, NDArray[Any]], shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the positions that have these :func:`columns`."""
    import numpy as np

    records = np.zeros(shape, dtype)
    for name in dtype.names or ():
        records[name] = fields[name]
    return records
