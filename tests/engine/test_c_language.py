"""Python in C: each piece of the language that rules are written in, translated, compiled and compared with Python."""

from __future__ import annotations

import ctypes
import math
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import FunctionType
from typing import Any

import pytest

from parlour.engine.c.program import Program, translated
from parlour.engine.c.statements import SMALL
from parlour.engine.definition import definition
from parlour.engine.kernel import I64
from parlour.engine.kernels.bulk import play_many
from parlour.engine.kernels.state import step_on
from parlour.rules.vocabulary import count, list_members, lowest, members, nth
from tests.helpers import COMPILER, needs_a_compiler

FLAGS = ("-O1", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-w", "-shared", "-fPIC")
PRIMES = (2, 3, 5, 7, 11, 13)
MIXED = (-3, 0, 400)
HALVES = (0.5, 1.5, 2.5)
LOW = range(2, 5)


def floors(a: int, b: int) -> int:
    return (a // 7) * 1000 + (a % 7) * 100 + (a // -3) * 10 + a % -3 + (b // 4)


def by_a_number(a: int, b: int) -> int:
    return a // b * 100 + a % b if b != 0 else -1


def from_the_end(a: int, b: int) -> int:
    return PRIMES[-1] + PRIMES[a % 6] * 10 + PRIMES[-1 - a % 3] * 100 + MIXED[b % 3]


def chains(a: int, b: int) -> int:
    return (0 < a <= b < 50) * 4 + (a == b == 7) * 2 + (a != b)


def one_or_other(a: int, b: int) -> int:
    return (a and b) * 3 + (a or b) + (a > 3 and b)


def not_both(a: int, b: int) -> int:
    return 5 if not (a > 3 and b > 3) else int(not a) + 2 * bool(b)


def within(a: int, b: int) -> int:
    return (a in (1, 4, b)) + 2 * (a in LOW) + 4 * (a not in PRIMES) + 8 * (b in MIXED)


def least_and_most(a: int, b: int) -> int:
    return min(a, b) + 100 * max(a, b, 7) - abs(a - b)


def bits(a: int, b: int) -> int:
    return (a & b) + (a | b) * 3 + (a ^ b) * 5 + (a << 3) + (a >> 1) - ~b


def sets(a: int, b: int) -> int:
    those = abs(a) * 64 + abs(b) + 1
    total = count(those) + 10 * lowest(those) + 100 * nth(those, count(those) - 1)
    for p in members(those):
        total = total * 3 + p
    return total


def loops(a: int, b: int) -> int:
    total = 0
    for i in range(a % 5, 9, 2):
        total += i
        if total > 12:
            break
    for i in range(5, -2, -3):
        total = total * 2 + i
        if i == 2:
            continue
        total += 1
    for i in range(b % 4):
        for j in (1, a % 3, 5):
            total += i * j
    for p in PRIMES:
        total += p
    return total


def while_something(a: int, b: int) -> int:
    n = 0
    while a % 9 > 0 and n < 20:
        a //= 2
        n += 1
    return n * 100 + a


def changed(a: int, b: int) -> int:
    a, b = b, a
    a += 3
    b *= 2
    b -= a
    x = y = a + b
    y <<= 1
    return a * 7 + b + x - y


def pair(a: int, b: int) -> tuple[int, int]:
    return a + b, a - b


def pairs(a: int, b: int) -> int:
    total, apart = pair(a, b)
    return total * 10 + apart + pair(b, a)[1]


def chosen(a: int, b: int) -> int:
    return (a, b, 9)[(a + b) % 3] + 10 * (3, 1, 4)[b % 3]


def fractions(a: int, b: int) -> int:
    x = a / 8 + HALVES[b % 3]
    y = 2.0 * x - 1 if x > 1.0 else float(b)
    return (
        int(y * 16)
        + math.floor(y) * 3
        + math.ceil(y) * 5
        + math.floor(x)
        + round(x)
        + round(2.5)
        + int(math.sqrt(abs(y)) * 100)
        + (x < y)
    )


def half_down(a: int, b: int) -> int:
    return int((a / 4) // 0.5) + int((a / 4) % 0.75 * 100)


def usual(a: int, more: int = 5, last: int = 7) -> int:
    return a * 100 + more * 10 + last


def by_name(a: int, b: int) -> int:
    return usual(a) + usual(b, last=1) - usual(1, more=b)


def square(x: int) -> int:
    return x * x


ways = lambda x: x + 1, lambda x: x - 1
up, down = ways


def lambdas(a: int, b: int) -> int:
    return up(a) * 100 + down(b) + square(up(b))


def wide(a: int, b: int) -> int:
    return (a * 0x1E3779B97F4A7C15 >> 20) & 1023 if 0 <= a < 2 else b


def one_of_them(i: int) -> int:
    return PRIMES[i] * 10 + i // 2


def two_less(i: int) -> int:
    i -= 2
    return one_of_them(i)


def from_either_end(a: int, b: int) -> int:
    """What is first given numbers that are never below 0, and then others."""
    return one_of_them(4) + one_of_them(abs(a) % 6) * 3 + one_of_them(a % 6 - 3) * 5 + two_less(abs(b) % 6) * 7


PIECES: list[Callable[[int, int], int]] = [
    *(floors, by_a_number, from_the_end, chains, one_or_other, not_both, within, least_and_most, bits, sets, loops),
    *(while_something, changed, pairs, chosen, fractions, half_down, by_name, lambdas, wide, from_either_end),
]


def draws_and_counts(notes: I64, a: int) -> int:
    """Change what others read."""
    notes[0] += a
    return int(notes[0])


def in_order(notes: I64, a: int) -> int:
    notes[0] = a
    x = notes[0] * 100 + draws_and_counts(notes, 1)
    y = draws_and_counts(notes, 2) * 1000 - notes[0]
    notes[draws_and_counts(notes, -notes[0] + 1)] = draws_and_counts(notes, 4)
    notes[1] += draws_and_counts(notes, 1) + notes[1]
    both = usual(draws_and_counts(notes, 1), notes[0], draws_and_counts(notes, 1))
    compared = notes[0] < draws_and_counts(notes, 1) < notes[0] + 1
    return x + y + both + compared + notes[1]


def listed(notes: I64, a: int) -> int:
    n = list_members(abs(a), 3, notes)
    return n * 10 + notes[0] + len(notes)


VECTORS: list[Callable[[Any, int], int]] = [in_order, listed]


def by_nothing(notes: I64, a: int) -> int:
    return 7 + a // notes[0] + a % notes[0]


def beyond_the_end(notes: I64, a: int) -> int:
    return notes[a] + 1


def too_large(notes: I64, a: int) -> int:
    return int(1e300 * a)


def for_ever(notes: I64, a: int) -> int:
    if a > 3:
        raise OverflowError
    return a


def deep_inside(notes: I64, a: int) -> int:
    return 1 + for_ever(notes, a) * 2


class Library:
    """Functions of this file as C."""

    def __init__(self, folder: Path, *flags: str) -> None:
        others = (*VECTORS, by_nothing, beyond_the_end, too_large, for_ever, deep_inside)
        asked = [one for one in (*PIECES, *others) if isinstance(one, FunctionType)]
        self.program: Program = translated(definition("kuhn"), asked)
        (folder / "game.c").write_text(self.program.source)
        subprocess.run([*COMPILER, *FLAGS, *flags, "game.c", "-o", "game.so", "-lm"], cwd=folder, check=True)
        self._code = ctypes.CDLL(str(folder / "game.so"))

    def __call__(self, function: Callable[..., int], *given: Any) -> int:
        """What it gives in C; raises ``RuntimeError`` with the sentence if it goes wrong there."""
        found, passed = getattr(self._code, f"parlour_{function.__name__}"), list[Any]()
        found.restype = self._code.parlour_mistake.restype = ctypes.c_int64
        for one in given:
            passed += [one, ctypes.c_int64(len(one))] if hasattr(one, "__len__") else [ctypes.c_int64(one)]
        gave = found(*passed)
        if place := self._code.parlour_mistake():
            raise RuntimeError(str(self.program.places[place - 1]))
        return int(gave)


pytestmark = needs_a_compiler


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("fast"))


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("checked"), "-DPARLOUR_BOUNDS_CHECK")


def numbers() -> Iterator[tuple[int, int]]:
    rng = Random(1)
    yield from ((a, b) for a in range(-9, 10) for b in range(-9, 10))
    yield from ((rng.randint(-10_000, 10_000), rng.randint(-10_000, 10_000)) for _ in range(200))


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.__name__)
def test_a_piece_of_the_language_means_the_same_in_c(code: Library, checked: Library, piece: Any) -> None:
    for a, b in numbers():
        wanted = int(piece(a, b))
        assert code(piece, a, b) == wanted, (a, b)
        assert checked(piece, a, b) == wanted, (a, b)


@pytest.mark.parametrize("piece", VECTORS, ids=lambda piece: piece.__name__)
def test_what_changes_something_happens_in_the_order_of_python(code: Library, piece: Any) -> None:
    for a in range(-9, 30):
        notes, other = [0] * 8, (ctypes.c_int64 * 8)()
        assert code(piece, other, a) == piece(notes, a), a
        assert list(other) == notes, a


def test_a_division_by_zero_is_told(code: Library) -> None:
    with pytest.raises(RuntimeError, match=r"line \d+ \(return 7 \+ a // notes\[0\].*: division by zero\.$"):
        code(by_nothing, (ctypes.c_int64 * 1)(0), 5)
    assert code(by_nothing, (ctypes.c_int64 * 1)(2), 5) == 10, "it is told once"
    assert code(by_nothing, (ctypes.c_int64 * 1)(-1), -5) == 12
    assert code(by_nothing, (ctypes.c_int64 * 1)(-1), -(1 << 63)) == -(1 << 63) + 7, "it wraps around"


def test_an_index_beyond_the_end_is_told_where_indices_are_checked(checked: Library) -> None:
    row = (ctypes.c_int64 * 3)(4, 5, 6)
    assert [checked(beyond_the_end, row, a) for a in range(-3, 3)] == [5, 6, 7, 5, 6, 7]
    for a in (3, -4, 1 << 40):
        with pytest.raises(RuntimeError, match=r"\(return notes\[a\] \+ 1\): there is no such entry\.$"):
            checked(beyond_the_end, row, a)


def test_a_float_that_is_no_whole_number_is_told(code: Library) -> None:
    assert code(too_large, (ctypes.c_int64 * 1)(), 0) == 0
    with pytest.raises(RuntimeError, match="no whole number"):
        code(too_large, (ctypes.c_int64 * 1)(), 1)


def test_an_error_that_is_raised_leaves_all_functions_at_once(code: Library) -> None:
    assert code(deep_inside, (ctypes.c_int64 * 1)(), 2) == 5
    with pytest.raises(RuntimeError, match=r"\(raise OverflowError\): raised OverflowError"):
        code(deep_inside, (ctypes.c_int64 * 1)(), 4)
    assert code(deep_inside, (ctypes.c_int64 * 1)(), 3) == 7


@pytest.mark.parametrize("game", ["diamonds", "kuhn"])
def test_what_is_copied_to_its_callers_stays_small_with_all_that_is_copied_into_it(game: str) -> None:
    program = translated(definition(game), [play_many, step_on])
    written = re.findall(
        r"^ALWAYS [^\n]*?\b(\w+)\([^\n]*\{\n(.*?)^\}", program.source.partition("tensor_row;")[2], re.M | re.S
    )
    copied = dict[str, int]()
    for name, body in written:
        code = re.sub(r"//.*", "", body)
        copied[name] = len(re.sub(r"\s+", " ", code)) + sum(
            copied.get(one, 0) for one in re.findall(r"\b(\w+)\(", code)
        )
    assert copied
    assert max(copied.values()) < 2 * SMALL, max(copied, key=lambda name: copied[name])
