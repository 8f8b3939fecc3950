"""What becomes of ``tell``, ``note`` and ``whisper`` when the rules of a game are compiled.

The *type* of the listener says what is written: ``None`` hears nothing; a vector of int64 counts clauses; a matrix of
uint64 (memory) takes what each player is told; a vector of uint64 sums a glance; a tuple (row, observer, number of
players) is a tensor; a position takes what is told in its fields of the same names.  The names of things, clauses and
events are resolved while compiling; an unknown one is an error.

The calls are generated directly: as Python functions, each of a game's dozens of calls would be compiled on its own,
which takes a third of the time of compiling a game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import llvmlite.ir as ir
import numpy as np
from numba.core import cgutils
from numba.core import types as T
from numba.core.errors import TypingError
from numba.extending import intrinsic, register_jitable

from parlour.engine import hashing
from parlour.engine.fields import PositionType
from parlour.engine.intrinsics import S32, event_fact, mix
from parlour.engine.tensors import tensor_parts

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

Maker = Callable[..., Any]
"""Make a function that compiled code can call, as :func:`parlour.engine.linking.part` does."""


# ------------------------------------------------------------------------------------------ what is written
# ``at`` is where a thing begins in the row of a tensor; seats are rotated so that the observer comes first.


def add_number(to, places, index, value):  # type: ignore[no-untyped-def]
    z = places[index] * np.uint64(2 * value + 1)
    to[0] += z ^ (z >> S32)


def add_set(to, places, index, value):  # type: ignore[no-untyped-def]
    to[0] += mix(np.uint64(value) ^ places[index])


@register_jitable
def turned(to, p):  # type: ignore[no-untyped-def]
    seat = p - np.int64(to[1])
    return seat + np.int64(to[2]) if seat < 0 else seat


def write_amount(to, at, value, most):  # type: ignore[no-untyped-def]
    to[0][at] = np.float32(value) * np.float32(1.0 / most)


def write_one(to, at, value, size):  # type: ignore[no-untyped-def]
    to[0][at + value] = 1.0


def write_seat(to, at, value, size):  # type: ignore[no-untyped-def]
    to[0][at + turned(to, value)] = 1.0


ROW_WRITERS = {"amount": write_amount, "one_of": write_one, "seat": write_seat}


def turned_set(to, members):  # type: ignore[no-untyped-def]
    return (members >> np.int64(to[1]) | members << np.int64(to[2] - to[1])) & ((1 << np.int64(to[2])) - 1)


def write_set(cx: Any, b: Any, row: Any, at: Any, members: Any, size: int) -> None:
    """Write members 0 to ``size`` - 1 of a set as 0.0 and 1.0, in vector stores: 1.6 times as many rows a second as a
    loop.

    The vectors have 2, 4, 8 … elements (52 = 32 + 16 + 4): without AVX-512 LLVM cannot lower others, and ends the
    process.
    """
    start = 0
    while start < size:
        width = 1 << (size - start).bit_length() - 1
        floats = ir.VectorType(ir.FloatType(), width)
        few = b.lshr(members, constant(start))
        bits = b.bitcast(b.trunc(few, ir.IntType(width)), ir.VectorType(ir.IntType(1), width))
        zeros_and_ones = b.select(bits, ir.Constant(floats, [1.0] * width), ir.Constant(floats, [0.0] * width))
        place = b.gep(row.data, [b.add(at, constant(start))])
        b.store(zeros_and_ones, b.bitcast(place, floats.as_pointer()), align=4)
        start += width


def place_in(name: str, is_list: bool, part: Maker) -> Any:
    """Make the function that puts what is told into the field of that name."""
    space: dict[str, Any] = {"__name__": __name__}
    exec(f"def place_{name}(to, index, value): to.{name}{'[index]' * is_list} = value", space)
    return part(space[f"place_{name}"])


# ------------------------------------------------------------------------------------------ by whom it is asked for


def writers(game: Definition, part: Maker) -> dict[str, Any]:
    """``tell``, ``note`` and ``whisper`` of one game."""
    parts, numbers = tensor_parts(game), {name: i for i, name in enumerate(game.things)}
    events, clauses = game.event_index, game.book.index
    fact, turn, turn_set = part(event_fact), part(turned), part(turned_set)
    add = {False: part(add_number), True: part(add_set)}
    write = {kind: part(writer) for kind, writer in ROW_WRITERS.items()}

    def literal(kind: str, value: Any, known: Any) -> str:
        if not isinstance(value, T.StringLiteral) or value.literal_value not in known:
            shown = getattr(value, "literal_value", value)
            raise TypingError(f"{game.id}: unknown {kind} {shown!r} in its rules")
        return str(value.literal_value)

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def tell(typing: Any, to: Any, thing: Any, index: Any, value: Any) -> Any:
        name = literal("thing", thing, numbers)
        way = in_row if isinstance(to, T.BaseTuple) else in_position if isinstance(to, PositionType) else in_glance
        generate = way(typing, to, name)

        def generated(cx: Any, b: Any, sig: Any, args: Any) -> Any:
            generate(cx, b, args[0], *whole_numbers(cx, b, sig.args[2:], args[2:]))
            return cx.get_dummy_value()

        return T.void(to, thing, index, value), generated

    def in_glance(typing: Any, to: Any, name: str) -> Any:
        what = game.things[name]
        places = np.array([hashing.place(numbers[name], i) for i in range(what.per)], np.uint64)
        table = T.Array(T.uint64, 1, "C", readonly=True)
        put = linked(typing, add[what.is_set], to, table, T.int64, T.int64)
        return lambda cx, b, to, index, value: put(cx, b, to, cx.make_constant_array(b, table, places), index, value)

    def in_row(typing: Any, to: Any, name: str) -> Any:
        what, where = game.things[name], parts[name]
        put_one = linked(typing, write["one_of"], to, *[T.int64] * 3)
        put = put_one if what.is_set else linked(typing, write[what.kind], to, *[T.int64] * 3)
        turn_one, turn_all = linked(typing, turn, to, T.int64), linked(typing, turn_set, to, T.int64)

        def generate(cx: Any, b: Any, row: Any, index: Any, value: Any) -> None:
            if what.seats:
                each = constant(what.each)
                seat, which = b.sdiv(index, each), b.srem(index, each)
                index = b.add(b.mul(turn_one(cx, b, row, seat), each), which)
            at = b.add(constant(where.start), b.mul(constant(where.width), index))
            if what.is_set:
                array = cx.make_array(to.types[0])(cx, b, b.extract_value(row, 0))
                value = turn_all(cx, b, row, value) if what.kind == "seat_set" else value
                write_set(cx, b, array, at, value, where.width - what.optional)
            else:
                put(cx, b, row, at, value, constant(what.size))
            if what.optional:
                put_one(cx, b, row, at, constant(where.width - 1), constant(0))

        return generate

    def in_position(typing: Any, to: Any, name: str) -> Any:
        if name not in game.fields:
            return lambda cx, b, to, index, value: None
        return linked(typing, place_in(name, game.fields[name].size > 0, part), to, T.int64, T.int64)

    def hear(typing: Any, everybody: bool, to: Any, clause: Any, event: Any, given: tuple[Any, ...]) -> Any:
        c, e = clauses[literal("clause", clause, clauses)], events[literal("event", event, events)]
        word = linked(typing, fact, *[T.int64] * 4)

        def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
            if isinstance(to, T.NoneType):
                return cx.get_dummy_value()
            if to.ndim == 1:
                at, plus = [constant(c)], constant(1)
            else:
                told = whole_numbers(cx, b, sig.args[3:], args[3:])
                plus = word(cx, b, constant(e), *told)
                at = [constant(3), constant(1)] if everybody else [constant(2), told[0]]
            place = cgutils.get_item_pointer(cx, b, to, cx.make_array(to)(cx, b, args[0]), at)
            b.store(b.add(b.load(place), plus), place)
            return cx.get_dummy_value()

        return T.void(to, clause, event, *(T.Omitted(0) if x == 0 else x for x in given)), generate

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def note(typing: Any, to: Any, clause: Any, event: Any, who: Any, a: Any = 0, b: Any = 0) -> Any:
        return hear(typing, True, to, clause, event, (who, a, b))

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def whisper(typing: Any, to: Any, clause: Any, event: Any, who: Any, a: Any = 0, b: Any = 0) -> Any:
        return hear(typing, False, to, clause, event, (who, a, b))

    return {"tell": tell, "note": note, "whisper": whisper}


# ------------------------------------------------------------------------------------------ generating


def constant(n: int) -> Any:
    return ir.Constant(ir.IntType(64), n)


def whole_numbers(cx: Any, b: Any, kinds: Any, values: Any) -> list[Any]:
    """Return the arguments of a call as int64; those left out are 0."""
    return [
        constant(0) if isinstance(kind, T.Omitted) else cx.cast(b, value, kind, T.int64)
        for kind, value in zip(kinds, values, strict=True)
    ]


def linked(typing: Any, function: Any, *kinds: Any) -> Any:
    """Return what generates a call of a compiled function with such arguments."""
    callee = typing.resolve_value_type(function)
    signature = callee.get_call_type(typing, kinds, {})

    def call(cx: Any, b: Any, *args: Any) -> Any:
        made = cx.get_function(callee, signature)
        cx.add_linking_libs(made.libs)
        return made(b, args)

    return call
