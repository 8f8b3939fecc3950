"""Calling a game's C from Python: the entries of kernels by name, with the same arguments as the interpreted ones.

An array is one of NumPy's or of ctypes, or a memoryview (:func:`zeros`).  Every call checks its kind, its dimensions,
and that its entries lie next to each other; its memory must live as long as the call.  Other threads run while C is
working.
"""

from __future__ import annotations

import builtins
import ctypes
import importlib
import json
import struct
import types
import warnings
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from parlour.base.errors import CompilationError, Endless
from parlour.engine.c import building, layout
from parlour.engine.native import in_c
from parlour.engine.positions import dtype_of, record_class, to_record
from parlour.rules.bounds import LONGEST

if TYPE_CHECKING:
    from pathlib import Path

    from parlour.engine.definition import Definition
    from parlour.engine.kernel import KernelLibrary


class Compiled:
    """Kernels that are compiled for a game: their entries by name.  The library is loaded or compiled when an entry is
    first used.  ``dtype``: the type of the game's positions."""

    def __init__(self, game: Definition | None, group: KernelLibrary) -> None:
        self._game, self._group = game, group

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        if not self._library.has(name):
            raise AttributeError(f"{building.owner(self._game, self._group)} has no compiled {name}")
        entry = self._library.entry(name)
        setattr(self, name, entry)
        return entry

    @cached_property
    def dtype(self) -> Any:
        assert self._game
        return dtype_of(self._game)

    def address(self, symbol: str) -> int:
        """The address of a function that C calls (``state.h``)."""
        found = ctypes.cast(self._library.function(symbol), ctypes.c_void_p).value
        assert found
        return found

    @cached_property
    def _library(self) -> Library:
        return opened(self._game, building.library(self._game, self._group))


@cache
def compiled(game: Definition | None, group: KernelLibrary) -> Compiled:
    """Kernels as C, by the names of their entries: the counterpart of :func:`parlour.engine.interpreted.interpreted`.
    Raises ``CompilationError``, when one is asked for, if it cannot be compiled."""
    return Compiled(game, group)


@cache
def functions(group: KernelLibrary) -> Any:
    """Kernels that belong to no game: in C or, where they cannot be compiled, in Python."""
    made = compiled(None, group)
    try:
        made._library  # noqa: B018 (reading it compiles the library)
    except CompilationError as error:
        warnings.warn(f"{error} Until then Python does it, a hundred times slower.", stacklevel=3)
        return types.SimpleNamespace(**{entry.__name__: entry for entry in group.entries})
    return made


@cache
def opened(game: Definition | None, file: Path) -> Library:
    """A library of a game, or of none.  Raises ``CompilationError`` if the system will not load it."""
    try:
        library = ctypes.CDLL(str(file))
        said = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "parlour_library")))
    except (OSError, ValueError) as error:
        raise CompilationError(
            "{id}: the library {file} cannot be loaded ({error}).",
            id=game.id if game else file.stem,
            file=file,
            error=error,
        ) from None
    return Library(game, library, json.loads(said[len(building.MARK) :]))


class Library:
    """A library and its description."""

    def __init__(self, game: Definition | None, library: ctypes.CDLL, about: dict[str, Any]) -> None:
        self.game, self.size = game, layout.position_size(game) if game else 0
        self._library, self._entries, self._places = library, about["entries"], about["places"]
        if about["size"] != self.size:
            raise CompilationError(
                "{id}: its library is made for positions of {there} bytes, not {here}.",
                id=game.id if game else "", there=about["size"], here=self.size,
            )  # fmt: skip

    def has(self, name: str) -> bool:
        """Whether there is an entry of this name."""
        return name in self._entries

    def entry(self, name: str) -> Callable[..., Any]:
        """An entry by name; ``KeyError`` if there is none."""
        kinds, gives, bundled = self._entries[name]
        entry = LibraryFunction(self, name, kinds, gives)
        built = in_c()
        call: Callable[..., Any] = built.Entry(*entry.for_c()) if built else entry
        return _unbundled(call) if bundled else call

    def function(self, symbol: str) -> Any:
        """The function that the library exports under this name."""
        return getattr(self._library, symbol)

    def gone_wrong(self, place: int) -> Exception:
        """The error for a fault at this place in the rules."""
        module, line, what = self._places[place - 1]
        raised = what.removeprefix("raised ").partition("(")[0]
        if raised == Endless.__name__ and self.game:
            return Endless(self.game.id, LONGEST)
        kind = _ERRORS.get(what, getattr(builtins, raised, RuntimeError))
        return kind(_told(module, line, what))


def _unbundled(call: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with each named tuple replaced by its fields."""

    def unbundled(*given: Any) -> Any:
        flat = list[Any]()
        for one in given:
            if isinstance(one, tuple):
                flat += one
            else:
                flat.append(one)
        return call(*flat)

    return unbundled


_ERRORS: Final[Mapping[str, type[Exception]]] = {
    "divided": ZeroDivisionError,
    "beyond": IndexError,
    "not whole": ValueError,
}


def _told(module: str, line: int, what: str) -> str:
    """The message for a fault: where it happened, and what it is."""
    from parlour.engine.c.program import FaultSite

    file = importlib.import_module(module).__file__ if module else None
    return str(FaultSite(file or module, line, what))


class LibraryFunction:
    """A function of a library, called with arrays and numbers."""

    def __init__(self, library: Library, name: str, kinds: list[str], gives: str | None) -> None:
        self.library, self.name, self._kinds, self._gives = library, name, kinds, gives
        self._function = library.function(f"packed_{name}")
        self._function.argtypes, self._function.restype = [ctypes.c_void_p], ctypes.c_int64
        self._putters: tuple[Putter | None, ...] = tuple(map(_putter, kinds))
        words = "".join(_NUMBERS.get(kind, "Q") + (kind.count("[") + kind.count(",")) * "q" for kind in kinds)
        self._pack = struct.Struct(f"={words}").pack_into
        self._room = max(1, len(words)) * layout.WORD
        self._found = struct.Struct(f"={_NUMBERS[gives]}").unpack_from if gives else None
        self._free: list[tuple[Any, int]] = []  # argument buffers that no call is using

    def __repr__(self) -> str:
        return f"<{self.name}{f' of {self.library.game.id}' if self.library.game else ''} in C>"

    def __call__(self, *given: Any) -> Any:
        """Call the function.  Raises what the rules raise, and ``TypeError`` for arguments of a wrong type."""
        if len(given) != len(self._putters):
            raise TypeError(f"{self.name} takes {len(self._putters)} arguments, not {len(given)}.")
        words: list[Any] = []
        for put, one in zip(self._putters, given, strict=True):
            if put is None:
                words.append(one)
            else:
                put(self, words, one)
        room, at = self._free.pop() if self._free else self._another()
        try:
            self._pack(room, 0, *words)
            if place := self._function(at):
                self.go_wrong(place)
            return self._found(room)[0] if self._found else None
        except struct.error as error:
            raise TypeError(f"{self.name}: {error}.") from None
        finally:
            self._free.append((room, at))

    def go_wrong(self, place: int) -> NoReturn:
        """Raise the error for a fault at this place in the rules."""
        raise self.library.gone_wrong(place)

    def for_c(self) -> tuple[int, bytes, bytes, LibraryFunction]:
        """The arguments for the type in C (``calling.c``): the address, the type of each argument, that of the result,
        and this object, which handles the calls that the type in C cannot."""
        address = ctypes.cast(self._function, ctypes.c_void_p).value
        assert address
        kinds = b"".join(_for_c(kind, self.library.size) for kind in self._kinds)
        return address, kinds, _WHAT[self._gives].encode() if self._gives else b"", self

    def _another(self) -> tuple[Any, int]:
        room = (ctypes.c_char * self._room)()
        return room, ctypes.addressof(room)

    def refused(self, given: Any, kind: str) -> TypeError:
        """Return the error for an argument of a wrong type."""
        what = f"{given.dtype} of shape {given.shape}" if hasattr(given, "dtype") else type(given).__name__
        return TypeError(f"{self.name} takes {kind} whose entries lie next to each other, not {what}.")


# ------------------------------------------------------------------------------------------ arguments

_NUMBERS: Final = {"i64": "q", "word": "Q", "real": "d"}
"""Numbers by the letters of the module ``struct``; anything else is an address."""
_LETTERS: Final = {
    **{"i8": "b", "i16": "h", "i32": "i", "i64": "ql", "u8": "B?", "u16": "H", "u32": "I", "u64": "QL"},
    **{"f32": "f", "f64": "d"},
}
"""The types of ctypes arrays, by the same letters."""

_WHAT: Final = {"i64": "i", "word": "w", "real": "r"}


def _for_c(kind: str, size: int) -> bytes:
    """The type of an argument in the form that ``calling.c`` reads."""
    code, dimensions = kind.rstrip("?").partition("[")[0], kind.count("[") + kind.count(",")
    if code == "position":
        what, letters = "p", ""
    elif dimensions:
        what, letters = "a", _LETTERS[code]
        size = struct.calcsize(f"={letters[0]}")
    else:
        what, letters = _WHAT[code], ""
    return struct.pack("=cBB5si", what.encode(), dimensions, kind.endswith("?"), letters.encode(), size)


Putter = Callable[[LibraryFunction, "list[Any]", Any], None]
"""Puts an argument among the words of a call."""


def _putter(kind: str) -> Putter | None:
    """Return the function that writes an argument of this kind as words; ``None`` for a number, which is a word
    itself."""
    if kind in _NUMBERS:
        return None
    if kind == "position":
        return _put_position
    wanted = kind.rstrip("?")
    code, dimensions = wanted.partition("[")[0], wanted.count("[") + wanted.count(",")
    nobody = (0,) * (1 + dimensions) if kind.endswith("?") else ()
    known: dict[int, Any] = {}  # dtypes already found to fit, by their ids

    def put(entry: LibraryFunction, words: list[Any], one: Any) -> None:
        if one is None and nobody:
            words += nobody
            return
        try:
            shape, dtype = one.shape, one.dtype
        except AttributeError:
            words += _plain(entry, one, wanted, code, dimensions)
            return
        if id(dtype) not in known:
            if not _fits(entry, dtype, code):
                raise entry.refused(one, wanted)
            known[id(dtype)] = dtype
        if len(shape) != dimensions:
            raise entry.refused(one, wanted)
        try:
            words.append(_address(_from_buffer(one)) if code != "position" else _of_records(one))
        except (TypeError, ValueError):  # the array has gaps between its entries, or is read-only
            if not one.flags.c_contiguous:
                raise entry.refused(one, wanted) from None
            words.append(one.ctypes.data)
        words += shape

    return put


_from_buffer, _address = (ctypes.c_char * 0).from_buffer, ctypes.addressof
"""The quickest way to the address of an array; it checks that the entries lie next to each other."""


def _of_records(one: Any) -> int:
    """The address of an array of records, without the buffer protocol, which takes long to describe such a dtype."""
    if not one.flags.c_contiguous:
        raise ValueError
    return cast("int", one.ctypes.data)


def _fits(entry: LibraryFunction, dtype: Any, code: str) -> bool:
    if code == "position":
        return bool(entry.library.game and dtype == dtype_of(entry.library.game))
    return dtype.isnative and (dtype.str[1:] == f"{code[0]}{int(code[1:]) // 8}" or (dtype.str, code) == ("|b1", "u8"))


def _put_position(entry: LibraryFunction, words: list[Any], one: Any) -> None:
    """The position in one record of an array; for ctypes, as bytes."""
    if hasattr(one, "dtype"):
        if one.dtype.itemsize != entry.library.size:
            raise entry.refused(one, "position")
        words.append(one.__array_interface__["data"][0])
    else:
        words += _plain(entry, one, "position", "position", 0)


def _plain(entry: LibraryFunction, one: Any, kind: str, code: str, dimensions: int) -> list[int]:
    """The words for a memoryview or a ctypes array; with several dimensions, an array of arrays.  A position is a
    structure of the right size."""
    if isinstance(one, memoryview) and code in _LETTERS:
        if one.ndim != dimensions or one.format not in _LETTERS[code] or not one.c_contiguous:
            raise entry.refused(one, kind)
        return [_address(_from_buffer(one)), *cast("tuple[int, ...]", one.shape)]
    sizes, inner = list[int](), cast("Any", type(one))
    while len(sizes) < dimensions and issubclass(inner, ctypes.Array):
        sizes.append(inner._length_)
        inner = inner._type_
    if code == "position":
        fits = issubclass(inner, ctypes.Array | ctypes.Structure) and ctypes.sizeof(inner) == entry.library.size
    else:
        fits = str(getattr(inner, "_type_", "")) in _LETTERS[code] and not issubclass(inner, ctypes.Array)
    if len(sizes) != dimensions or not fits:
        raise entry.refused(one, kind)
    return [_address(one), *sizes]


def positions(game: Definition, made: Sequence[Any]) -> Any:
    """Interpreted positions as a ctypes vector of records."""
    records = (record_class(game) * len(made))()
    for s, record in zip(made, records, strict=True):
        to_record(game, s, record)
    return records


def zeros(code: str, *shape: int) -> Any:
    """An array of zeros that needs no NumPy; ``code``: ``f64``, ``i16`` and so on.

    >>> found = zeros("i64", 2, 3)
    >>> found[1, 2] = 7
    >>> found.tolist(), found.shape
    ([[0, 0, 0], [0, 0, 7]], (2, 3))
    """
    return filled(code, bytes(prod(shape) * int(code[1:]) // 8), *shape)


def filled(code: str, values: Iterable[float] | bytes, *shape: int) -> Any:
    """An array of these numbers, row by row; it has one dimension if no ``shape`` is given.

    >>> filled("f64", [1, 2]).tolist()
    [1.0, 2.0]
    """
    letter: Any = _LETTERS[code][0]
    made = memoryview(array(letter, values))
    return made.cast("B").cast(letter, shape) if shape and made else made
