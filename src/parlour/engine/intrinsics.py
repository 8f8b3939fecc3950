"""The primitives as machine code: sets in one integer, draws, and the mixing of words.

Each has the same meaning as its namesake in :mod:`parlour.vocabulary` or :mod:`parlour.engine.hashing`; the tests
compare them.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import llvmlite.binding
import llvmlite.ir as ir
import numpy as np
from numba.core import cgutils
from numba.core import types as T
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.extending import intrinsic, register_jitable

from parlour.engine import hashing
from parlour.engine.vectors import LANES

GOLD = np.uint64(hashing.GOLD)
TOLD = np.uint64(hashing.TOLD)
SEED = np.uint64(hashing.SEED)
M1, M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = (np.uint64(n) for n in (27, 30, 31, 32))

_WORD = ir.IntType(64)


# ------------------------------------------------------------------------------------------ bit sets


@intrinsic  # type: ignore[untyped-decorator]
def _trailing_zeros(typing: Any, x: Any) -> Any:
    return T.int64(T.int64), lambda cx, b, sig, args: b.cttz(args[0], ir.Constant(ir.IntType(1), 0))


@intrinsic  # type: ignore[untyped-decorator]
def _population(typing: Any, x: Any) -> Any:
    return T.int64(T.int64), lambda cx, b, sig, args: b.ctpop(args[0])


@intrinsic  # type: ignore[untyped-decorator]
def _deposit(typing: Any, bits: Any, mask: Any) -> Any:
    def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
        pdep = b.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(_WORD, (_WORD, _WORD)))
        return b.call(pdep, args)

    return T.int64(T.int64, T.int64), generate


def count(members):  # type: ignore[no-untyped-def]
    return _population(np.int64(members))


def lowest(members):  # type: ignore[no-untyped-def]
    return _trailing_zeros(np.int64(members))


def nth_deposit(members, k):  # type: ignore[no-untyped-def]
    return _trailing_zeros(_deposit(np.int64(1) << np.int64(k), np.int64(members)))


def nth_halving(members, k):  # type: ignore[no-untyped-def]
    """Find the k-th member by halving: is it in the lower half of what is left?"""
    left, at, wanted = np.int64(members), np.int64(0), np.int64(k)
    width = np.int64(32)
    while width:
        here = _population(left & ((np.int64(1) << width) - 1))
        beyond = -np.int64(wanted >= here)
        wanted -= here & beyond
        left >>= width & beyond
        at += width & beyond
        width >>= 1
    return at


@functools.cache
def target() -> tuple[str, ...]:
    """Return what Numba compiles for: triple, processor, features.  It is not always this machine: ``NUMBA_CPU_NAME``
    and ``NUMBA_CPU_FEATURES`` choose another."""
    return tuple(map(str, cpu_target.target_context.codegen().magic_tuple()))


@functools.cache
def has_deposit() -> bool:
    """Whether the target picks the k-th member of a set with one instruction (``pdep``, BMI2).

    If LLVM is asked for an instruction that the target lacks, it ends the process, and its tables of each processor's
    features cannot be read from here.  So a shift is compiled: a target with BMI2 shifts by ``shlx``.
    """
    if os.environ.get("PARLOUR_PORTABLE"):
        return False
    word = "define i64 @f(i64 %a, i64 %b) { %c = shl i64 %a, %b\n ret i64 %c }"
    codegen = cpu_target.target_context.codegen()
    return "shlx" in codegen._tm.emit_assembly(llvmlite.binding.parse_assembly(word))


# ------------------------------------------------------------------------------------------ words that threads share


def _shared(change: Any, *kinds: Any) -> Any:
    """An intrinsic on one int64 of a vector that other threads read and write: always in memory, in one piece."""

    def typed(typing: Any, words: Any, i: Any, *given: Any) -> Any:
        def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
            place = cgutils.get_item_pointer(cx, b, sig.args[0], cx.make_array(sig.args[0])(cx, b, args[0]), [args[1]])
            return change(b, place, *args[2:])

        return T.int64(words, T.int64, *kinds), generate

    return typed


@intrinsic  # type: ignore[untyped-decorator]
def read_shared(typing: Any, words: Any, i: Any) -> Any:
    return _shared(lambda b, place: b.load_atomic(place, "seq_cst", 8))(typing, words, i)


@intrinsic  # type: ignore[untyped-decorator]
def swap_shared(typing: Any, words: Any, i: Any, value: Any) -> Any:
    return _shared(lambda b, place, x: b.atomic_rmw("xchg", place, x, "seq_cst"), T.int64)(typing, words, i, value)


@intrinsic  # type: ignore[untyped-decorator]
def add_shared(typing: Any, words: Any, i: Any, value: Any) -> Any:
    return _shared(lambda b, place, x: b.atomic_rmw("add", place, x, "seq_cst"), T.int64)(typing, words, i, value)


# ------------------------------------------------------------------------------------------ sums over vectors

_DOUBLE = ir.DoubleType()
_LANES = ir.VectorType(_DOUBLE, LANES)
_DOUBLES = T.Array(T.float64, 1, "C")


def _lanes(cx: Any, b: Any, vector: Any, first: Any, i: Any) -> Any:
    """A pointer to the ``i``-th group of lanes of a vector, counted from its entry ``first``."""
    at = b.add(first, b.mul(i, ir.Constant(_WORD, LANES)))
    return b.bitcast(b.gep(cx.make_array(_DOUBLES)(cx, b, vector).data, [at]), _LANES.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def add_scaled(typing: Any, to: Any, at: Any, of: Any, first: Any, factor: Any, n: Any) -> Any:
    def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
        to, at, of, first, factor, n = args
        one = b.insert_element(ir.Constant(_LANES, ir.Undefined), factor, ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        factors = b.shuffle_vector(one, one, everywhere)
        with cgutils.for_range(b, b.sdiv(n, ir.Constant(_WORD, LANES))) as loop:
            here = _lanes(cx, b, to, at, loop.index)
            more = b.fmul(b.load(_lanes(cx, b, of, first, loop.index), align=8), factors)
            b.store(b.fadd(b.load(here, align=8), more), here, align=8)
        return cx.get_dummy_value()

    return T.void(_DOUBLES, T.int64, _DOUBLES, T.int64, T.float64, T.int64), generate


def _search(b: Any, item: Any, first: Any, n: Any, load: Any) -> Any:
    """The first place from ``first`` on, ``n`` if there is none, where two vectors differ.  ``load(at, kind)`` loads
    one or several of the entries of both from a place on."""
    one, several = ir.Constant(_WORD, 1), ir.VectorType(item, LANES)
    at = cgutils.alloca_once_value(b, first)
    look, together, found, empty, single, compared, on, done = (
        b.append_basic_block(name)
        for name in ("look", "together", "found", "empty", "single", "compared", "on", "done")
    )
    b.branch(look)
    b.position_at_end(look)
    here = b.load(at)
    after = b.add(here, ir.Constant(_WORD, LANES))
    b.cbranch(b.icmp_signed("<=", after, n), together, single)
    b.position_at_end(together)
    differing = b.fcmp_unordered("!=", *load(here, several))
    bits = b.zext(b.bitcast(differing, ir.IntType(LANES)), _WORD)
    b.cbranch(b.icmp_signed("==", bits, ir.Constant(_WORD, 0)), empty, found)
    b.position_at_end(found)
    b.store(b.add(here, b.cttz(bits, ir.Constant(ir.IntType(1), 1))), at)
    b.branch(done)
    b.position_at_end(empty)
    b.store(after, at)
    b.branch(look)
    b.position_at_end(single)
    b.cbranch(b.icmp_signed("<", here, n), compared, done)
    b.position_at_end(compared)
    b.cbranch(b.fcmp_ordered("==", *load(here, item)), on, done)
    b.position_at_end(on)
    b.store(b.add(here, one), at)
    b.branch(look)
    b.position_at_end(done)
    return b.load(at)


def _entries(cx: Any, b: Any, kind: Any, vector: Any) -> Any:
    """What loads one or several entries of a vector from a place on."""
    data = cx.make_array(kind)(cx, b, vector).data
    return lambda at, items: b.load(b.bitcast(b.gep(data, [at]), items.as_pointer()), align=4)


def _check_vectors(*vectors: Any) -> None:
    if any((vector.layout, vector.ndim, vector.dtype) != ("C", 1, vectors[0].dtype) for vector in vectors):
        raise TypingError("Vectors are searched whose entries lie next to each other, and are of one kind.")


@intrinsic  # type: ignore[untyped-decorator]
def next_entry(typing: Any, row: Any, i: Any, n: Any) -> Any:
    _check_vectors(row)

    def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
        entries, item = _entries(cx, b, row, args[0]), cx.get_value_type(row.dtype)

        def load(at: Any, items: Any) -> Any:
            return entries(at, items), ir.Constant(items, 0.0 if items is item else [0.0] * LANES)

        return _search(b, item, args[1], args[2], load)

    return T.int64(row, T.int64, T.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def next_difference(typing: Any, one: Any, other: Any, i: Any, n: Any) -> Any:
    _check_vectors(one, other)

    def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
        both = [_entries(cx, b, one, args[0]), _entries(cx, b, other, args[1])]
        item = cx.get_value_type(one.dtype)
        return _search(b, item, args[2], args[3], lambda at, items: [entries(at, items) for entries in both])

    return T.int64(one, other, T.int64, T.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def product(typing: Any, one: Any, i: Any, other: Any, j: Any, n: Any) -> Any:
    def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
        one, i, other, j, n = args
        lanes = cgutils.alloca_once_value(b, ir.Constant(_LANES, [0.0] * LANES))
        with cgutils.for_range(b, b.sdiv(n, ir.Constant(_WORD, LANES))) as loop:
            left = b.load(_lanes(cx, b, one, i, loop.index), align=8)
            right = b.load(_lanes(cx, b, other, j, loop.index), align=8)
            b.store(b.fadd(b.load(lanes), b.fmul(left, right)), lanes)
        total, summed = ir.Constant(_DOUBLE, 0.0), b.load(lanes)
        for lane in range(LANES):
            total = b.fadd(total, b.extract_element(summed, ir.Constant(ir.IntType(32), lane)))
        return total

    return T.float64(_DOUBLES, T.int64, _DOUBLES, T.int64, T.int64), generate


# ------------------------------------------------------------------------------------------ words


@register_jitable
def mix(z):  # type: ignore[no-untyped-def]
    z = (z ^ (z >> S30)) * M1
    z = (z ^ (z >> S27)) * M2
    return z ^ (z >> S31)


def below(rng, n):  # type: ignore[no-untyped-def]
    z = rng[0] + GOLD
    rng[0] = z
    return np.int64(((mix(z) >> S32) * np.uint64(n)) >> S32)


def fold(key, fact):  # type: ignore[no-untyped-def]
    return mix((key ^ fact) * GOLD)


def deed_fact(action):  # type: ignore[no-untyped-def]
    return mix(np.uint64(np.int64(action) + 1) * TOLD)


def seeded(first, i):  # type: ignore[no-untyped-def]
    return mix((first + np.uint64(i)) * SEED + GOLD)


def slot(key, last):  # type: ignore[no-untyped-def]
    return np.int64(key & np.uint64(last))


def word(x):  # type: ignore[no-untyped-def]
    return np.uint64(x)


def event_fact(event, who, a, b):  # type: ignore[no-untyped-def]
    numbers = mix(np.uint64(np.int64(a)) * GOLD + np.uint64(np.int64(b)) * SEED)
    return mix(numbers + np.uint64((np.int64(event) + 1) << 32 | (np.int64(who) + 2)) * TOLD)
