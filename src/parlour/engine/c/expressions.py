"""Expressions of the rules in C; long because one class has a method for each node of Python's syntax."""

from __future__ import annotations

import ast
import inspect
import math
import re
import sys
import types
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import parlour.rules.vocabulary as vocabulary
from parlour.engine.c.kinds import (
    IMPOSSIBLE,
    REAL,
    STORED,
    WHOLE,
    WORD,
    Bundle,
    Does,
    Kind,
    Known,
    ListKind,
    Misspelt,
    Nobody,
    Number,
    PositionKind,
    RowKind,
    TupleKind,
    Untranslatable,
    Value,
    Vector,
    called,
    code_of,
    joined,
    read_as,
)
from parlour.engine.c.names import MATHEMATICS, OWN, PreludeFunction, c_name
from parlour.engine.kernel import rules

if TYPE_CHECKING:
    from parlour.engine.c.program import Program

SIGNS: dict[type[ast.AST], str] = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"},
    **{ast.LShift: "<<", ast.RShift: ">>", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"},
    **{ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.USub: "-", ast.Invert: "~", ast.UAdd: "+"},
}
FOLDED: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "&": lambda a, b: a & b,
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "<<": lambda a, b: a << b if 0 <= b < 64 else 1 << 64,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else 1 << 64, "//": lambda a, b: a // b, "%": lambda a, b: a % b,
}  # fmt: skip
LOW, HIGH = -(1 << 63), 1 << 63
SHORTEST = ("i8", "i16", "i32", "i64")


class Expressions:
    """The state of translating one function, and the translation of its expressions."""

    def __init__(self, program: Program, function: types.FunctionType, node: ast.FunctionDef | ast.Lambda) -> None:
        self.program, self.function, self.node = program, function, node
        self.parameters: dict[str, Kind] = {}
        self.natural_parameters: dict[str, bool] = {}
        self.variables: dict[str, tuple[Kind, bool]] = {}  # the kind of each, and whether it is never negative
        self.set_here = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.at: ast.AST = node
        self.fails = False  # whether a fault in this function can stop the game
        self.temporaries = 0

    @cached_property
    def from_front(self) -> bool:
        """Whether indices are never negative.  Only rules may count from the end, because checking for that costs up to
        a third of the speed."""
        return self.program.knows_no_game or hasattr(sys.modules.get(self.function.__module__), "KERNEL")

    @cached_property
    def in_rules(self) -> bool:
        """Whether this is a function of the rules.  The contract says that players, actions and outcomes are never
        negative (:meth:`_function`), so indices and quotients of such arguments need no code for negative numbers."""
        return not self.from_front

    # ------------------------------------------------------------------ helpers

    def temporary(self) -> str:
        self.temporaries += 1
        return f"_{self.temporaries}"

    def place_in_rules(self, what: str) -> int:
        """The number under which the program lists a fault that may occur at this place at run time."""
        return self.program.place(self.function, getattr(self.at, "lineno", 0), what)

    def is_local(self, name: str) -> bool:
        return name in self.parameters or name in self.set_here

    def meaning(self, name: str) -> Any:
        return self.program.meaning(self.function, name)

    def is_of_the_game(self, node: ast.Attribute) -> bool:
        """Whether an attribute names something that the rules define: ``rules.actor``."""
        of = node.value
        return isinstance(of, ast.Name) and not self.is_local(of.id) and self.meaning(of.id) is rules

    def ordered(self, values: Sequence[Value]) -> tuple[str, list[Value]]:
        """Values in Python's order of evaluation, which C does not fix.  The text returned first is C that must precede
        the values, in a statement expression; it is empty if the order cannot matter."""
        others = [[v for v in values if v is not value] for value in values]
        matters = any(
            value.calls and any(o.calls or o.reads for o in rest) for value, rest in zip(values, others, strict=True)
        )
        if not matters:
            return "", list(values)
        before, after = "", list[Value]()
        for value in values:
            if value.kind is None or value.known is not None or isinstance(value.kind, Nobody | Does | Known):
                after.append(value)
                continue
            name = self.temporary()
            before += f"{value.kind.c} {name} = {value.text}; "
            after.append(Value(name, value.kind, natural=value.natural))
        return before, after

    def within(self, before: str, text: str) -> str:
        return f"({{ {before}{text}; }})" if before else text

    # ------------------------------------------------------------------ expressions

    def value(self, node: ast.expr) -> Value:
        """An expression, whatever it is."""
        one = getattr(self, f"_{type(node).__name__}", None)
        if one is None:
            raise Untranslatable(f"{IMPOSSIBLE.get(type(node), ast.unparse(node))} cannot be part of compiled rules")
        made: Value = one(node)
        return made

    def number(self, node: ast.expr) -> Value:
        found = self.value(node)
        if not isinstance(found.kind, Number):
            raise Untranslatable(f"{ast.unparse(node)} is {called(found.kind)}, not a number")
        return found

    def whole(self, node: ast.expr) -> Value:
        """An expression that is a whole number."""
        found = self.number(node)
        if found.kind == REAL:
            raise Untranslatable(f"{ast.unparse(node)} is a float, not a whole number")
        return Value(f"(i64)({found.text})", WHOLE, found.calls, found.reads) if found.kind == WORD else found

    def truth(self, node: ast.expr) -> str:
        """An expression as a condition."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return "(" + sign.join(self.truth(value) for value in node.values) + ")"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!({self.truth(node.operand)})"
        return self.number(node).text.removeprefix("(i64)") if _is_condition(node) else self.number(node).text

    def decided(self, test: ast.expr) -> bool | None:
        """The truth of a condition if it is known while translating, such as whether there is a listener; otherwise
        ``None``."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            decided = self.decided(test.operand)
            return None if decided is None else not decided
        if isinstance(test, ast.Name) and not self.is_local(test.id):
            found = self.meaning(test.id)
            return bool(found) if isinstance(found, bool | int) else None
        if isinstance(test, ast.Attribute) and self.is_of_the_game(test):
            return bool(self.program.of_the_game(test.attr))
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is | ast.IsNot) and len(test.ops) == 1:
            left, right = test.left, test.comparators[0]
            if isinstance(left, ast.Name | ast.Attribute) and isinstance(right, ast.Constant) and right.value is None:
                name = (
                    left.id if isinstance(left, ast.Name) else left.value.id if isinstance(left.value, ast.Name) else ""
                )
                if self.is_local(name):
                    return isinstance(self.value(left).kind, Nobody) == isinstance(test.ops[0], ast.Is)
            raise Untranslatable("`is` compares with None only")
        return None

    def _Constant(self, node: ast.Constant) -> Value:
        return self.constant(node.value)

    def constant(self, value: Any) -> Value:
        """A value that is known while translating."""
        if value is None:
            return Value("", Nobody())
        if getattr(value, "shape", None) == () and hasattr(value, "item"):  # a NumPy scalar
            value = value.item()
        if isinstance(value, int):
            return _literal(int(value))
        if isinstance(value, float):
            text = "INFINITY" if value == math.inf else "(-INFINITY)" if value == -math.inf else repr(value)
            return Value(text, REAL)
        if isinstance(value, tuple | list) and value and all(isinstance(v, int | float) for v in value):
            name, code = self.program.table(value)
            return Value(name, ListKind(code, len(value), constant=True), natural=min(value) >= 0)
        if isinstance(value, tuple | list | str | range):
            return Value("", Known(value))
        raise Untranslatable(f"{value!r} cannot be used in compiled rules")

    def _Name(self, node: ast.Name) -> Value:
        if self.is_local(node.id):
            return self._local(node.id)
        found = self.meaning(node.id)
        try:
            return self.constant(found)
        except Untranslatable:
            raise Untranslatable(f"{node.id} is {_described(found)}, which compiled rules cannot use here") from None

    def _local(self, name: str) -> Value:
        if name in self.parameters:
            return Value(c_name(name), self.parameters[name], natural=self.natural_parameters[name])
        if name not in self.variables:
            raise Untranslatable(f"{name} is used here and may not have been set")
        kind, natural = self.variables[name]
        return Value(c_name(name), kind, natural=natural)

    def _Attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and not self.is_local(node.value.id):
            home = self.meaning(node.value.id)
            if home is rules:
                return self.constant(self.program.of_the_game(node.attr))
            if isinstance(home, types.ModuleType):
                if not hasattr(home, node.attr):
                    raise Misspelt(f"{home.__name__} has no {node.attr}")
                return self.constant(getattr(home, node.attr))
        base = self.value(node.value)
        if isinstance(base.kind, Bundle):
            return self._held(base, base.kind, node.attr)
        return self.read(*self.stored(node))

    def _held(self, base: Value, kind: Bundle, name: str) -> Value:
        """A field of a named tuple."""
        found = dict(kind.fields).get(name)
        if found is None:
            raise Misspelt(f"{kind.called} has no field {name!r}")
        if isinstance(found, Nobody):
            return Value("", found)
        return Value(f"{base.text}->{c_name(name)}", found, base.calls)

    def read(self, text: str, code: str, kind: Kind, calls: bool = False) -> Value:
        """The value read from a field or an entry."""
        if isinstance(kind, Number):
            return Value(f"({kind.c}){text}", kind, calls, reads=True, natural=code[0] == "u" and code != "u64")
        return Value(text, kind, calls)

    # ------------------------------------------------------------------ fields, entries and variables

    def stored(self, node: ast.expr) -> tuple[str, str, Kind, bool]:
        """A place that can be assigned to: its C, its code, the kind of its value, and whether finding it calls a
        function."""
        if isinstance(node, ast.Attribute):
            base = self.value(node.value)
            if not isinstance(base.kind, PositionKind):
                raise Untranslatable(
                    f"{ast.unparse(node)} is no field: {ast.unparse(node.value)} is {called(base.kind)}"
                )
            field = self.program.game.fields.get(node.attr)
            if field is None:
                raise Misspelt(f"the position has no field {node.attr!r}")
            code, text = code_of(field.kind), f"{base.text}->{c_name(node.attr)}"
            return text, code, ListKind(code, field.size) if field.size else read_as(code), base.calls
        if isinstance(node, ast.Subscript):
            base = self.value(node.value)
            if isinstance(base.kind, ListKind):
                at = self.index(node.slice, str(base.kind.size), base.kind.size, node.value)
                return f"{base.text}[{at.text}]", base.kind.code, read_as(base.kind.code), base.calls or at.calls
            if isinstance(base.kind, Vector):
                indices = _indices(node)
                if len(indices) != base.kind.dimensions:
                    raise Untranslatable(f"{ast.unparse(node.value)} is {base.kind.called}, not of {len(indices)}")
                place, calls = self._offset(base, indices)
                text = f"({base.text}.at + {place})" if base.kind.code == "position" else f"{base.text}.at[{place}]"
                return text, base.kind.code, read_as(base.kind.code), base.calls or calls
            raise Untranslatable(f"{ast.unparse(node.value)} is {called(base.kind)}, and has no entries")
        raise Untranslatable(f"nothing can be kept in {ast.unparse(node)}")

    def _offset(self, base: Value, indices: Sequence[ast.expr]) -> tuple[str, bool]:
        """The offset of an entry, or of the first entry of a row, by its indices."""
        at = self.index(indices[0], f"{base.text}.n0")
        text, calls = at.text, at.calls
        for dimension, one in enumerate(indices[1:], 1):
            at = self.index(one, f"{base.text}.n{dimension}")
            text, calls = f"{bracketed(text)} * {base.text}.n{dimension} + {at.text}", calls or at.calls
        return text, calls

    def index(self, node: ast.expr, size: str, known_size: int | None = None, of: ast.expr | None = None) -> Value:
        """An index, which counts from the end if it is negative."""
        if isinstance(node, ast.Slice):
            raise Untranslatable("compiled rules cannot take a slice: write a loop over the indices")
        found = self.number(node)
        if found.kind == REAL:
            raise Untranslatable(f"{ast.unparse(node)} is a float, not an index")
        if found.kind == WORD:
            return Value(f"IN((i64)({found.text}), {size}, {self.place_in_rules('beyond')})", WHOLE, found.calls)
        if found.known is not None and known_size is not None:
            at = found.known + known_size * (found.known < 0)
            if not 0 <= at < known_size:
                raise Untranslatable(
                    f"{ast.unparse(of) if of else 'it'} has {known_size} entries, and no [{found.known}]"
                )
            return Value(str(at), WHOLE)
        if self.from_front:
            if found.known is not None and found.known < 0:
                raise Untranslatable(f"[{found.known}] counts from the end, which only rules may do")
            return Value(f"IN({found.text}, {size}, {self.place_in_rules('beyond')})", WHOLE, found.calls)
        how = "IN" if found.natural else "AT"
        return Value(f"{how}({found.text}, {size}, {self.place_in_rules('beyond')})", WHOLE, found.calls)

    def _Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            base = self.value(node.value.value)
            if isinstance(base.kind, Vector) and isinstance(node.slice, ast.Constant):
                return Value(f"{base.text}.n{node.slice.value!r}", WHOLE, natural=True)
        if isinstance(node.value, ast.Tuple):
            return self._chosen(node.value, node.slice)
        base = self.value(node.value)
        if isinstance(base.kind, TupleKind):
            return self._part(base, base.kind, node)
        if isinstance(base.kind, Vector):
            indices = _indices(node)
            if isinstance(indices[-1], ast.Slice):
                return self._rest_of(base, base.kind, indices)
            if len(indices) < base.kind.dimensions:
                return self._row(base, base.kind, indices)
        found = self.read(*self.stored(node))
        if isinstance(base.kind, ListKind) and base.kind.constant and base.natural:
            return Value(found.text, found.kind, found.calls, False, True)
        return found

    def _part(self, base: Value, kind: TupleKind, node: ast.Subscript) -> Value:
        """One part of a tuple.  Its index must be known while translating, unless all parts are of one kind."""
        at, size = self.index(node.slice, str(len(kind.parts)), len(kind.parts), node.value), len(kind.parts)
        if at.text.isdigit():
            return Value(kind.part(base.text, int(at.text)), kind.parts[int(at.text)], base.calls)
        if not kind.alike:
            raise Untranslatable(f"{ast.unparse(node.value)} is {kind.called}: take them by 0, 1 … {size - 1}")
        before, (base, at) = self.ordered([base, at])
        name = self.temporary()
        text = self.within(f"{before}{kind.c} {name} = {base.text}; ", f"{name}.x[{at.text}]")
        return Value(text, kind.parts[0], base.calls or at.calls)

    def _chosen(self, of: ast.Tuple, which: ast.expr) -> Value:
        """``(a, b, c)[i]``: a table if all are constants, a small vector otherwise."""
        parts = [self.number(part) for part in of.elts]
        if all(part.known is not None for part in parts):
            base = self.constant(tuple(part.known for part in parts))
            assert isinstance(base.kind, ListKind)
            at = self.index(which, str(len(parts)), len(parts), of)
            return Value(f"(i64){base.text}[{at.text}]", WHOLE, at.calls, natural=base.natural)
        kind: Kind | None = None
        for part in parts:
            kind = joined(kind, part.kind)
        assert isinstance(kind, Number)
        at, name = self.index(which, str(len(parts)), len(parts), of), self.temporary()
        before, ready = self.ordered([*parts, at])
        texts = ", ".join(part.text for part in ready[:-1])
        text = self.within(f"{before}{kind.c} {name}[] = {{{texts}}}; ", f"{name}[{ready[-1].text}]")
        return Value(text, kind, any(p.calls for p in (*parts, at)), any(p.reads for p in parts))

    def _row(self, base: Value, kind: Vector, indices: Sequence[ast.expr]) -> Value:
        """A vector of fewer dimensions, whose first indices are given."""
        rest = range(len(indices), kind.dimensions)
        made = Vector(kind.code, len(rest))
        place, calls = self._offset(base, indices)
        each = "".join(f" * {base.text}.n{dimension}" for dimension in rest)
        sizes = ", ".join(f"{base.text}.n{dimension}" for dimension in rest)
        return Value(f"(({made.c}){{{base.text}.at + {bracketed(place)}{each}, {sizes}}})", made, base.calls or calls)

    def _rest_of(self, base: Value, kind: Vector, indices: Sequence[ast.expr]) -> Value:
        """``rngs[i, 1:]``: the rest of a row."""
        last = indices[-1]
        assert isinstance(last, ast.Slice)
        if len(indices) != 2 or kind.dimensions != 2 or last.upper or last.step or not last.lower:
            raise Untranslatable("compiled rules cannot take a slice: write a loop over the indices")
        row, low, name = self._row(base, kind, indices[:1]), self.whole(last.lower), self.temporary()
        assert row.kind
        text = f"({{ {row.kind.c} {name} = {row.text}; {name}.at += {low.text}; {name}.n0 -= {low.text}; {name}; }})"
        return Value(text, row.kind, row.calls or low.calls)

    def _Tuple(self, node: ast.Tuple) -> Value:
        parts = [self.value(part) for part in node.elts]
        kinds = [part.kind for part in parts]
        if kinds == [Vector("f32", 1), WHOLE, WHOLE]:
            before, parts = self.ordered(parts)
            return Value(self.within(before, f"((tensor_row){{{', '.join(p.text for p in parts)}}})"), RowKind())
        if all(isinstance(kind, Known | Nobody | None) for kind in kinds):
            raise Untranslatable(f"{ast.unparse(node)} cannot be part of compiled rules")
        kind = TupleKind(tuple(kind for kind in kinds if kind is not None))
        self.program.declare(kind)
        before, ready = self.ordered(parts)
        inner = ", ".join(part.text for part in ready)
        text = self.within(before, f"(({kind.c}){{{f'{{{inner}}}' if kind.alike else inner}}})")
        return Value(text, kind, any(p.calls for p in parts), any(p.reads for p in parts))

    # ------------------------------------------------------------------ operators

    def _BinOp(self, node: ast.BinOp) -> Value:
        before, (one, other) = self.ordered([self.value(node.left), self.value(node.right)])
        made = self.combined(node.op, one, other)
        return Value(
            self.within(before, made.text), made.kind, made.calls or bool(before), made.reads, made.natural, made.known
        )

    def combined(self, op: ast.operator, one: Value, other: Value) -> Value:
        """Two numbers put together by an operator."""
        sign = SIGNS.get(type(op), "**" if isinstance(op, ast.Pow) else "@")
        for value in (one, other):
            if not isinstance(value.kind, Number):
                raise Untranslatable(f"{sign} works on numbers, not on {called(value.kind)}")
        kind = joined(one.kind, other.kind)
        calls, reads = one.calls or other.calls, one.reads or other.reads
        both = one.natural and other.natural
        if sign in FOLDED and one.known is not None and other.known is not None:
            if sign in ("//", "%") and other.known == 0:
                raise Untranslatable("division by zero")
            if LOW <= (result := FOLDED[sign](one.known, other.known)) < HIGH:
                return _literal(result)
        x, y = bracketed(one.text), bracketed(other.text)
        if sign == "**":
            if kind != REAL:
                raise Untranslatable("whole numbers cannot be raised to a power here: multiply, or shift")
            return Value(f"pow({x}, {y})", REAL, calls, reads)
        if sign == "/":
            return Value(self._quotient(one, other), REAL, calls, reads)
        if sign in ("//", "%"):
            return Value(self._floored(sign, one, other, kind), kind, calls, reads, both)
        if sign not in FOLDED:
            raise Untranslatable(
                f"{ast.unparse(ast.BinOp(ast.Name('x'), op, ast.Name('y')))} cannot be part of compiled rules"
            )
        if kind == REAL and sign in ("<<", ">>", "&", "|", "^"):
            raise Untranslatable(f"{sign} works on whole numbers, not on a float")
        if sign == "<<":
            text = f"({x} << {y})" if one.kind == WORD else f"(i64)((u64){x} << {y})"
            return Value(text, one.kind, calls, reads)
        if sign == ">>":
            return Value(
                f"((i64){x} >> {y})" if one.kind == WHOLE else f"({x} >> {y})", one.kind, calls, reads, one.natural
            )
        if kind == WORD:
            return Value(f"((u64){x} {sign} (u64){y})", WORD, calls, reads)
        huge = any(value.known is not None and value.known >= 1 << 31 for value in (one, other))
        natural = one.natural or other.natural if sign == "&" else both and sign in "+*|^" and not huge
        wide = "(i64)" if kind == WHOLE and one.known is not None else ""
        return Value(f"({wide}{x} {sign} {y})", kind, calls, reads, natural)

    def _quotient(self, one: Value, other: Value) -> str:
        x, y = f"(double)({one.text})", f"(double)({other.text})"
        if other.known or (other.kind == REAL and other.text.replace(".", "").isdigit() and float(other.text)):
            return f"({x} / {y})"
        return f"divided({x}, {y}, {self.place_in_rules('divided')})"

    def _floored(self, sign: str, one: Value, other: Value, kind: Kind | None) -> str:
        """``//`` and ``%`` as in Python, where quotients are rounded down."""
        which, x, y = "div" if sign == "//" else "mod", one.text, other.text
        if kind == REAL:
            name, by = self.temporary(), self.temporary()
            quotient = f"floor({name} / {by})"
            made = quotient if sign == "//" else f"{name} - {quotient} * {by}"
            place = self.place_in_rules("divided")
            return f"({{ double {name} = {x}, {by} = {y}; {by} == 0.0 ? (double)mistake({place}) : {made}; }})"
        if other.known == 0:
            raise Untranslatable("division by zero")
        natural = (one.natural and other.natural) or kind == WORD
        c = "u64" if kind == WORD else "i64"
        if natural and other.known is not None:
            return f"({c})((u64)({x}) {'/' if sign == '//' else '%'} (u64)({y}))"
        if natural:
            return f"({c})natural_{which}({x}, {y}, {self.place_in_rules('divided')})"
        if other.known is not None and other.known != -1:
            return f"floor_{which}({x}, {y})"
        return f"checked_{which}({x}, {y}, {self.place_in_rules('divided')})"

    def _UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(f"(i64)!({self.truth(node.operand)})", WHOLE, natural=True, **self._habits(node.operand))
        found, sign = self.number(node.operand), SIGNS[type(node.op)]
        if found.known is not None:
            result = {"-": -found.known, "~": ~found.known, "+": found.known}[sign]
            return _literal(result)
        if sign == "~" and found.kind == REAL:
            raise Untranslatable("~ works on whole numbers, not on a float")
        return Value(f"({sign}({found.text}))", found.kind, found.calls, found.reads)

    def _habits(self, node: ast.expr) -> dict[str, bool]:
        """Whether any part of a condition calls a function, and whether any reads memory."""
        parts = [self.value(part) for part in _parts_of(node)]
        return {"calls": any(p.calls for p in parts), "reads": any(p.reads for p in parts)}

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        """``and`` and ``or`` between values: the result is one of the two sides."""
        if all(_is_condition(part) for part in node.values):
            return Value(f"(i64){self.truth(node)}", WHOLE, natural=True, **self._habits(node))
        values = [self.number(part) for part in node.values]
        kind: Kind | None = None
        for value in values:
            kind = joined(kind, value.kind)
        assert kind
        text = values[-1].text
        for value in reversed(values[:-1]):
            name = self.temporary()
            way = f"{name} ? {text} : {name}" if isinstance(node.op, ast.And) else f"{name} ? {name} : {text}"
            text = f"({{ {kind.c} {name} = {value.text}; {way}; }})"
        some = {"calls": any(v.calls for v in values), "reads": any(v.reads for v in values)}
        return Value(text, kind, natural=all(v.natural for v in values), **some)

    def _Compare(self, node: ast.Compare) -> Value:
        decided = self.decided(node)
        if decided is not None:
            return _literal(int(decided))
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            return self._contained(node)
        sides = [self.value(side) for side in (node.left, *node.comparators)]
        before, ready = self.ordered(sides)
        for i in range(1, len(ready) - 1):  # in a < b < c, work b out only once
            if ready[i].calls or ready[i].reads:
                kind, name = ready[i].kind, self.temporary()
                assert kind
                before += f"{kind.c} {name} = {ready[i].text}; "
                ready[i] = Value(name, kind)
        compared = [self._compared(op, one, other) for op, one, other in zip(node.ops, ready, ready[1:], strict=False)]
        text = self.within(before, " && ".join(compared))
        return Value(
            f"(i64){bracketed(text)}", WHOLE, any(s.calls for s in sides), any(s.reads for s in sides), natural=True
        )

    def _compared(self, op: ast.cmpop, one: Value, other: Value) -> str:
        for value in (one, other):
            if not isinstance(value.kind, Number):
                raise Untranslatable(f"numbers are compared, not {called(value.kind)}")
        x, y = bracketed(one.text), bracketed(other.text)
        if joined(one.kind, other.kind) == WORD:
            x, y = f"(u64){x}", f"(u64){y}"
        return f"({x} {SIGNS[type(op)]} {y})"

    def _contained(self, node: ast.Compare) -> Value:
        """``x in (a, b)``, a range, or a tuple of constants."""
        found, where, name = self.number(node.left), node.comparators[0], self.temporary()
        calls, reads = found.calls, found.reads
        if isinstance(where, ast.Tuple):
            parts = [self.number(part) for part in where.elts]
            calls, reads = calls or any(p.calls for p in parts), reads or any(p.reads for p in parts)
            tests = [f"{name} == {part.text}" for part in parts]
        else:
            among = self.value(where)
            if isinstance(among.kind, Known) and isinstance(among.kind.value, range) and among.kind.value.step == 1:
                tests = [f"({name} >= {among.kind.value.start} && {name} < {among.kind.value.stop})"]
            elif isinstance(among.kind, ListKind) and among.kind.constant:
                tests = [f"{name} == {among.text}[{i}]" for i in range(among.kind.size)]
            else:
                raise Untranslatable(f"`in` looks into a tuple of numbers or a range, not into {called(among.kind)}")
        assert found.kind
        text = " || ".join(tests) or "0"
        text = f"!({text})" if isinstance(node.ops[0], ast.NotIn) else text
        return Value(f"({{ {found.kind.c} {name} = {found.text}; (i64)({text}); }})", WHOLE, calls, reads, natural=True)

    def _IfExp(self, node: ast.IfExp) -> Value:
        decided = self.decided(node.test)
        if decided is not None:
            return self.value(node.body if decided else node.orelse)
        test, yes, no = self.truth(node.test), self.value(node.body), self.value(node.orelse)
        kind = joined(yes.kind, no.kind)
        if kind is None or isinstance(kind, Nobody | Known):
            raise Untranslatable(f"{ast.unparse(node)} gives no number")
        habits = self._habits(node.test)
        calls, reads = (habits[k] or getattr(yes, k) or getattr(no, k) for k in ("calls", "reads"))
        cast = f"({kind.c})" if isinstance(kind, Number) else ""
        return Value(f"{cast}({test} ? {yes.text} : {no.text})", kind, calls, reads, yes.natural and no.natural)

    # ------------------------------------------------------------------ calls

    def callee(self, node: ast.Call) -> Any:
        """The object that is called."""
        function = node.func
        if isinstance(function, ast.Name):
            if self.is_local(function.id):
                kind = self._local(function.id).kind
                if isinstance(kind, Does):
                    return kind.function
                raise Untranslatable(f"{function.id} is {called(kind)}, and cannot be called")
            return self.meaning(function.id)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if not self.is_local(function.value.id):
                home = self.meaning(function.value.id)
                if home is rules:
                    return self.program.of_the_game(function.attr)
                if isinstance(home, types.ModuleType) and hasattr(home, function.attr):
                    return getattr(home, function.attr)
        raise Untranslatable(f"{ast.unparse(function)} cannot be called in compiled rules")

    def _Call(self, node: ast.Call) -> Value:
        what = self.callee(node)
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(not k.arg for k in node.keywords):
            raise Untranslatable("compiled rules cannot call with * or **")
        if isinstance(what, types.FunctionType) and what in OWN.values_by_function:
            return self._own(OWN.values_by_function[what], node)
        if isinstance(what, types.FunctionType):
            return self._function(what, node)
        if isinstance(what, type) and issubclass(what, tuple) and hasattr(what, "_fields"):
            return self._bundle(what, node)
        name = ast.unparse(node.func)
        if node.keywords:
            raise Untranslatable(f"{name} takes no argument by name in compiled rules")
        if isinstance(what, vocabulary.Tabled):
            at = self.whole(self._only(node, name))
            table = self.program.looked_up(what)
            place = f"IN({at.text}, {what.size}, {self.place_in_rules('beyond')})"
            return Value(f"(i64){table}[{place}]", WHOLE, at.calls, at.reads)
        try:
            one = self._BUILTIN.get(what)
        except TypeError:
            one = None
        if one is None:
            if what in MATHEMATICS:
                given = self._numbers(node, name, 1, MATHEMATICS[what])
                before, ready = self.ordered(given)
                text = f"{what.__name__}({', '.join(f'(double)({value.text})' for value in ready)})"
                return Value(self.within(before, text), REAL, any(v.calls for v in given), any(v.reads for v in given))
            raise Untranslatable(f"{name} is {_described(what)}, which compiled rules cannot call")
        made: Value = one(self, node, name)
        return made

    def _numbers(self, node: ast.Call, name: str, fewest: int, most: int) -> list[Value]:
        if not fewest <= len(node.args) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise Untranslatable(f"{name} takes {wanted} argument{'s' * (wanted != '1')}, not {len(node.args)}")
        return [self.number(argument) for argument in node.args]

    def _only(self, node: ast.Call, name: str) -> ast.expr:
        if len(node.args) != 1:
            raise Untranslatable(f"{name} takes 1 argument, not {len(node.args)}")
        return node.args[0]

    def _own(self, what: PreludeFunction, node: ast.Call) -> Value:
        """One of the functions of ``prelude.h``."""
        if len(node.args) != len(what.takes) or node.keywords:
            raise Untranslatable(
                f"{what.c} takes {len(what.takes)} argument{'s' * (len(what.takes) > 1)}, not {len(node.args)}"
            )
        given, suffix = list[Value](), ""
        for kind, argument in zip(what.takes, node.args, strict=True):
            found = self.value(argument) if kind is None else self.number(argument)
            if kind is None:
                if not isinstance(found.kind, Vector) or found.kind.dimensions != 1:
                    raise Untranslatable(
                        f"{ast.unparse(argument)} is {called(found.kind)}, not an array of 1 dimension"
                    )
                suffix = f"_{found.kind.code}" if what.each_code else ""
                found = Value(f"{found.text}.at", found.kind, found.calls)
            elif kind == WHOLE:
                found = self.whole(argument)
            given.append(found)
        before, ready = ("", given) if what.c == "word" else self._pointers_ordered(given)
        if what.c == "word":
            return Value(f"(u64)({given[0].text})", WORD, given[0].calls, given[0].reads, known=given[0].known)
        text = self.within(before, f"{what.c}{suffix}({', '.join(value.text for value in ready)})")
        calls, reads = any(v.calls for v in given), any(v.reads for v in given) or None in what.takes
        return Value(text, what.gives, what.changes or calls, reads, what.natural)

    def _pointers_ordered(self, given: Sequence[Value]) -> tuple[str, list[Value]]:
        """Arguments in order of evaluation.  Pointers into vectors can stay in place, because they neither change nor
        read anything."""
        numbers = [value for value in given if not isinstance(value.kind, Vector)]
        before, ready = self.ordered(numbers)
        rest = iter(ready)
        return before, [value if isinstance(value.kind, Vector) else next(rest) for value in given]

    def _function(self, what: types.FunctionType, node: ast.Call) -> Value:
        """A call of a function of the rules, of a kernel, or of a module that both use."""
        if what in (vocabulary.tell, vocabulary.note, vocabulary.whisper):
            raise Untranslatable(f"{what.__name__} gives nothing that could be used")
        if what is vocabulary.members:
            raise Untranslatable("members(...) is for loops: for p in members(...)")
        if inspect.isgeneratorfunction(what):
            raise Untranslatable(f"{what.__name__} is a generator, which compiled rules cannot call")
        given = self._given(what, node)
        by_contract = isinstance(node.func, ast.Attribute) and self.is_of_the_game(node.func)
        natural = tuple((v.natural and self.in_rules) or (by_contract and v.kind == WHOLE) for v in given if v.kind)
        made = self.program.function(what, tuple(value.kind for value in given if value.kind), natural)
        before, ready = self.ordered(given)
        text = f"{made.name}({', '.join(value.text for value in ready if value.kind and value.kind.c)})"
        if made.fails:
            self.fails = True
            text = self._checked(text, made.gives)
        return Value(self.within(before, text), made.gives, calls=True, reads=True, natural=made.natural)

    def _given(self, what: Callable[..., Any], node: ast.Call) -> list[Value]:
        """The arguments of a call, in the order of the parameters."""
        given = list[Value]()
        for default, argument in self._arguments(what, node):
            given.append(self.constant(default) if argument is None else self._as_vector(self._handed_on(argument)))
            if isinstance(given[-1].kind, Known | None):
                raise Untranslatable(f"{what.__name__} cannot be given {called(given[-1].kind)} in compiled rules")
        return given

    def _handed_on(self, node: ast.expr) -> Value:
        """An argument, which may be a function."""
        found: Any = None
        if isinstance(node, ast.Name) and not self.is_local(node.id):
            found = self.meaning(node.id)
        elif isinstance(node, ast.Attribute) and self.is_of_the_game(node):
            found = self.program.of_the_game(node.attr)
        return Value("", Does(found)) if isinstance(found, types.FunctionType) else self.value(node)

    def _bundle(self, what: type, node: ast.Call) -> Value:
        """A named tuple made for a call; it lives until that call returns."""
        given = self._given(what, node)
        names = list(inspect.signature(what).parameters)
        kind = Bundle(what.__name__, tuple((n, v.kind) for n, v in zip(names, given, strict=True) if v.kind))
        self.program.declare_bundle(kind)
        before, ready = self.ordered(given)
        inner = ", ".join(v.text for v in ready if v.kind and v.kind.c)
        return Value(self.within(before, f"(&({kind.struct}){{{inner}}})"), kind, any(v.calls for v in given))

    def _checked(self, text: str, gives: Kind | None) -> str:
        """A call that may have stopped the game; if it has, the caller returns too."""
        name = self.temporary()
        if gives is None:
            return f"({{ i64 {name} = {text}; if (UNLIKELY({name})) {self.leave}; }})"
        return f"({{ or_{gives.c} {name} = {text}; if (UNLIKELY({name}.failed)) {self.leave}; {name}.found; }})"

    leave = "return STOPPED"
    """The C that leaves a function that must stop."""

    def _arguments(self, what: Callable[..., Any], node: ast.Call) -> list[tuple[Any, ast.expr | None]]:
        """For each parameter its default and the argument given for it."""
        parameters = inspect.signature(what).parameters
        names = list(parameters)
        if len(node.args) > len(names):
            raise Untranslatable(f"{what.__name__} takes {_counted(names)}, not {len(node.args)}")
        given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
        for keyword in node.keywords:
            assert keyword.arg
            if keyword.arg not in parameters:
                raise Untranslatable(f"{what.__name__} has no argument {keyword.arg}; it takes {_counted(names)}")
            if keyword.arg in given:
                raise Untranslatable(f"{what.__name__} is given {keyword.arg} twice")
            given[keyword.arg] = keyword.value
        for name, parameter in parameters.items():
            if name not in given and parameter.default is inspect.Parameter.empty:
                raise Untranslatable(f"{what.__name__} takes {_counted(names)}; {name} is missing")
        return [(parameter.default, given.get(name)) for name, parameter in parameters.items()]

    def _as_vector(self, value: Value) -> Value:
        """A list of numbers as an argument."""
        if isinstance(value.kind, ListKind):
            made = Vector(value.kind.code, 1)
            if value.kind.constant:
                return Value(f"(({made.c}){{({STORED[made.code]} *){value.text}, {value.kind.size}}})", made)
        return value

    # ------------------------------------------------------------------ Python's built-in functions

    def _int(self, node: ast.Call, name: str) -> Value:
        found = self.number(self._only(node, name))
        if found.kind == REAL:
            return Value(f"whole({found.text}, {self.place_in_rules('not whole')})", WHOLE, found.calls, found.reads)
        return Value(f"(i64)({found.text})", WHOLE, found.calls, found.reads, found.natural, found.known)

    def _bool(self, node: ast.Call, name: str) -> Value:
        found = self.number(self._only(node, name))
        return Value(f"(i64)(({found.text}) != 0)", WHOLE, found.calls, found.reads, natural=True)

    def _float(self, node: ast.Call, name: str) -> Value:
        found = self.number(self._only(node, name))
        return Value(f"(double)({found.text})", REAL, found.calls, found.reads)

    def _len(self, node: ast.Call, name: str) -> Value:
        found = self.value(self._only(node, name))
        if isinstance(found.kind, Known) and hasattr(found.kind.value, "__len__"):
            return _literal(len(found.kind.value))
        if isinstance(found.kind, ListKind):
            return _literal(found.kind.size)
        if not isinstance(found.kind, Vector):
            raise Untranslatable(f"{ast.unparse(node.args[0])} is {called(found.kind)}, and has no length")
        return Value(f"{found.text}.n0", WHOLE, natural=True)

    def _extreme(self, node: ast.Call, name: str) -> Value:
        given = self._numbers(node, name, 2, 99)
        kind: Kind | None = None
        for value in given:
            kind = joined(kind, value.kind)
        own = {"min": "least", "max": "most"}[name] + ("" if kind == WHOLE else "_word" if kind == WORD else "_real")
        before, ready = self.ordered(given)
        text = ready[0].text
        for value in ready[1:]:
            text = f"{own}({text}, {value.text})"
        natural = all(v.natural for v in given) or (name == "max" and any(v.natural for v in given))
        some = any(v.calls for v in given), any(v.reads for v in given)
        return Value(self.within(before, text), kind, *some, natural=natural and kind == WHOLE)

    def _round(self, node: ast.Call, name: str) -> Value:
        found = self.number(self._only(node, name))
        return Value(f"whole(rint({found.text}), {self.place_in_rules('not whole')})", WHOLE, found.calls, found.reads)

    def _bounded(self, node: ast.Call, name: str) -> Value:
        """``math.floor`` and ``math.ceil``, which give whole numbers."""
        found = self.number(self._only(node, name))
        if found.kind != REAL:
            return self._int(node, name)
        text = f"whole({self.callee(node).__name__}({found.text}), {self.place_in_rules('not whole')})"
        return Value(text, WHOLE, found.calls, found.reads)

    def _abs(self, node: ast.Call, name: str) -> Value:
        found, one = self.number(self._only(node, name)), self.temporary()
        assert found.kind
        if found.kind == REAL:
            return Value(f"fabs({found.text})", REAL, found.calls, found.reads)
        text = f"({{ {found.kind.c} {one} = {found.text}; {one} < 0 ? -{one} : {one}; }})"
        return Value(text, found.kind, found.calls, found.reads, natural=True)

    def _range(self, node: ast.Call, name: str) -> Value:
        raise Untranslatable("range(...) is for loops: for i in range(...)")

    _BUILTIN: ClassVar[dict[Any, Callable[[Expressions, ast.Call, str], Value]]] = {
        **{int: _int, bool: _bool, float: _float, len: _len, min: _extreme, max: _extreme, round: _round},
        **{abs: _abs, range: _range, math.floor: _bounded, math.ceil: _bounded},
    }


_ATOM = re.compile(r"(?:\((?:i64|u64|double)\))?\w+(?:(?:->|\.)\w+)*")


def bracketed(text: str) -> str:
    """Return C that can be an operand: in brackets unless it needs none.

    >>> bracketed("a->b"), bracketed("f(x) + (y)"), bracketed("(f(x) + y)")
    ('a->b', '(f(x) + (y))', '(f(x) + y)')
    """
    return text if _ATOM.fullmatch(text) or _closed(text) else f"({text})"


def bare(text: str) -> str:
    """Return C without brackets around the whole of it."""
    return text[1:-1] if text.startswith("(") and not text.startswith("({") and _closed(text) else text


def _closed(text: str) -> bool:
    """Whether a piece of C is a call, or wholly in brackets."""
    opened = re.match(r"\w*\(", text)
    depth = 0
    for i, letter in enumerate(text[opened.end() - 1 :], opened.end()) if opened else ():
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return i == len(text)
    return False


def _literal(value: int) -> Value:
    """A whole number as C writes it."""
    if value >= HIGH:
        return Value(f"{value & (1 << 64) - 1}ULL", WORD)
    if value == LOW:
        return Value("INT64_MIN", WHOLE, known=value)
    text = str(abs(value)) + ("" if abs(value) < 1 << 31 else "LL")
    return Value(text if value >= 0 else f"(-{text})", WHOLE, natural=value >= 0, known=value)


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_condition(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        return all(_is_condition(part) for part in node.values)
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _parts_of(node: ast.expr) -> list[ast.expr]:
    """The parts of a condition that are joined by `and`, `or` and `not`."""
    if isinstance(node, ast.BoolOp):
        return [part for value in node.values for part in _parts_of(value)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _parts_of(node.operand)
    return [node]


def _described(what: Any) -> str:
    """A Python object in words, for an error message."""
    if isinstance(what, types.ModuleType):
        return f"the module {what.__name__}"
    if isinstance(what, type):
        return f"the class {what.__name__}"
    if callable(what):
        return "a function of Python's"
    return f"a {type(what).__name__}"


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})"
