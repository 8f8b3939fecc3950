"""Kinds of values in rules, and how C stores them.

A stored number has a *code*: ``i8 i16 i32 i64 u8 u16 u32 u64 f32 f64``, or ``position``.
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any


class Untranslatable(Exception):
    """Something in the rules that cannot be translated to C. ``placed``: whether the message already says where."""

    placed = False


class Misspelt(Untranslatable):
    """A name that does not exist: an ordinary mistake, not a limit of compiled rules."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a calculation: ``c`` is its type in C, ``called`` its name in messages."""

    c: str
    called: str


WHOLE = Number("i64", "a whole number")
"""Truth values too."""
WORD = Number("u64", "a word of 64 bits")
REAL = Number("double", "a float")


@dataclass(frozen=True, slots=True)
class Nobody:
    """``None``, which is known while translating and does not appear in C."""

    c = ""
    called = "None"


@dataclass(frozen=True, slots=True)
class PositionKind:
    """A position; in C a pointer."""

    c = "position *"
    called = "a position"


@dataclass(frozen=True, slots=True)
class ListKind:
    """A field of the position that is a list of ``size`` numbers, or a table of constants."""

    code: str
    size: int
    constant: bool = False

    @property
    def c(self) -> str:
        return f"{'const ' * self.constant}{STORED[self.code]} *"

    @property
    def called(self) -> str:
        return f"a list of {self.size} numbers"


@dataclass(frozen=True, slots=True)
class Vector:
    """An array passed by Python, with one to four dimensions; its entries lie next to each other."""

    code: str
    dimensions: int

    @property
    def c(self) -> str:
        return f"{self.code}_{self.dimensions}d"

    @property
    def called(self) -> str:
        return f"an array of {self.dimensions} dimension{'s' * (self.dimensions > 1)}"


@dataclass(frozen=True, slots=True)
class RowKind:
    """The row of a tensor that is being written, with its observer and the number of players."""

    c = "tensor_row"
    called = "the row of a tensor"


@dataclass(frozen=True, slots=True)
class TupleKind:
    """A tuple of values that are known only at run time."""

    parts: tuple[Kind, ...]

    @property
    def c(self) -> str:
        return "of_" + "_".join(part.c.replace(" *", "_at").replace("const ", "") for part in self.parts)

    @property
    def alike(self) -> bool:
        """Whether all parts are of one kind; then C has an array, which takes an index."""
        return len({*self.parts}) == 1

    def part(self, text: str, i: int) -> str:
        """One part of such a tuple in C."""
        return f"{text}.x[{i}]" if self.alike else f"{text}.x{i}"

    @property
    def called(self) -> str:
        return f"a tuple of {len(self.parts)}{'' if self.alike else ' different things'}"


@dataclass(frozen=True, slots=True)
class Bundle:
    """The fields of a named tuple, by name; in C a pointer to a struct.  A field that is ``None`` is left out of it."""

    name: str
    fields: tuple[tuple[str, Kind], ...]

    @property
    def absent(self) -> list[str]:
        """The fields left out of it and of the tuples within it."""
        found = list[str]()
        for name, kind in self.fields:
            found += [name] if isinstance(kind, Nobody) else kind.absent if isinstance(kind, Bundle) else []
        return found

    @property
    def struct(self) -> str:
        return "_without_".join(["bundle_" + self.name, *self.absent])

    @property
    def c(self) -> str:
        return f"const {self.struct} *"

    @property
    def called(self) -> str:
        return f"a {self.name}"


@dataclass(frozen=True, slots=True)
class Does:
    """A function passed as an argument: it is known while translating, and does not appear in C."""

    function: types.FunctionType
    c = ""

    @property
    def called(self) -> str:
        return f"the function {self.function.__name__}"


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A constant that has no form in C: a text, a range, a tuple of other things."""

    value: Any
    c = ""

    @property
    def called(self) -> str:
        names: dict[type, str] = {str: "a text", range: "a range", tuple: "a tuple of other things", list: "a list"}
        return names.get(type(self.value), f"a {type(self.value).__name__}")


Kind = Number | Nobody | PositionKind | ListKind | Vector | RowKind | TupleKind | Bundle | Does | Known

STORED = {
    **{f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)},
    **{"f32": "float", "f64": "double", "position": "position"},
}
"""Each code's type in C."""


def code_of(numpy: str) -> str:
    """The code of a kind that a :class:`~parlour.rules.vocabulary.Field` declares.

    >>> code_of("u1"), code_of("i8")
    ('u8', 'i64')
    """
    return f"{numpy[0]}{8 * int(numpy[1])}"


def read_as(code: str) -> Number | PositionKind:
    """The kind of an entry with this code once it has been read."""
    if code == "position":
        return PositionKind()
    return WORD if code == "u64" else REAL if code[0] == "f" else WHOLE


def parsed(text: str) -> Kind:
    """The kind that is written ``i64``, ``word``, ``real``, ``position``, ``u8[]`` or ``f32[,]``.

    >>> parsed("f32[,]")
    Vector(code='f32', dimensions=2)
    """
    if text.endswith("]"):
        code, _, commas = text.partition("[")
        return Vector(code, len(commas))
    return _PARSED[text]


def called(kind: Kind | None) -> str:
    """The name of this kind in messages."""
    return "nothing" if kind is None else kind.called


def declared(raw: str) -> dict[str, str]:
    """The meaning of the types of :mod:`parlour.engine.kernel`; ``raw``: the kind of the words of which positions
    consist.

    >>> declared("u8[,]")["U64x3"]
    'u64[,,]'
    """
    arrays = {
        f"{code.upper()}{f'x{n}' * (n > 1)}": f"{code}[{',' * (n - 1)}]"
        for code in STORED
        if code != "position"
        for n in (1, 2, 3, 4)
    }
    numbers = {"int": "i64", "bool": "i64", "float": "real", "Word": "word", "Position": "position"}
    return {**arrays, **numbers, "Positions": "position[]", "Positionsx2": "position[,]", "Raw": raw}


_PARSED: dict[str, Kind] = {"i64": WHOLE, "word": WORD, "real": REAL, "position": PositionKind(), "none": Nobody()}


def joined(one: Kind | None, other: Kind | None) -> Kind | None:
    """The kind of a name that has one kind in one place and another kind in another."""
    if one is None or one == other:
        return other
    if other is None:
        return one
    if isinstance(one, Number) and isinstance(other, Number):
        return REAL if REAL in (one, other) else WORD
    raise Untranslatable(f"{one.called} in one place and {other.called} in another")


@dataclass(frozen=True, slots=True)
class Value:
    """An expression in C: its ``text`` and ``kind`` (``None``: it has no value).

    ``calls``: evaluating it may change something; ``reads``: other code may change its value; ``natural``: it is never
    negative; ``known``: its value, if that is known while translating.
    """

    text: str
    kind: Kind | None
    calls: bool = False
    reads: bool = False
    natural: bool = False
    known: int | None = None


IMPOSSIBLE: dict[type[ast.AST], str] = {
    **{ast.List: "a list", ast.Dict: "a dictionary", ast.Set: "a set in braces", ast.ListComp: "a list comprehension"},
    **{ast.GeneratorExp: "a generator", ast.DictComp: "a comprehension", ast.SetComp: "a comprehension"},
    **{ast.Lambda: "a lambda", ast.JoinedStr: "a text", ast.NamedExpr: "`:=`", ast.Yield: "`yield`"},
    **{ast.YieldFrom: "`yield`", ast.Await: "`await`", ast.Slice: "a slice", ast.Starred: "`*`"},
}
"""Syntax that rules cannot contain, with its name in messages."""
