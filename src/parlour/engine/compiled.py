"""The compiled binding: a game's rules and the drivers, cloned into a namespace of their own and compiled by Numba.

* Rules functions are cloned, never decorated: the module itself stays plain Python and is the interpreted binding.
* The primitives of :mod:`parlour.vocabulary` are replaced by compiled twins; for ``tell`` and ``note`` the *type* of
  the listener picks the writer at compile time (nobody, clause counter, tensor row, key), and an unknown name is an
  error when compiling.
* Machine code is kept on disk in a folder named by a hash of every source that went into it, of the versions and of the
  processor, because Numba's own check sees only the file of the outermost function.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite
import llvmlite.binding
import llvmlite.ir as ir
import numba as nb
import numpy as np
from numba.core import cgutils
from numba.core import types as T
from numba.extending import intrinsic, overload, register_jitable

import parlour.vocabulary as vocabulary
from parlour.engine import drivers, mixing
from parlour.engine.positions import dtype_of
from parlour.engine.telling import tensor_parts

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

GOLD = np.uint64(mixing.GOLD)
TOLD = np.uint64(mixing.TOLD)
M1, M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32, S48 = (np.uint64(n) for n in (27, 30, 31, 32, 48))
LOW32 = np.int64(0xFFFFFFFF)

_WORD = ir.IntType(64)


def _constant(n: int) -> Any:
    return ir.Constant(_WORD, n)


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


def _spreader(size: int) -> Any:
    """A function that writes members 0 to ``size`` - 1 of a set as 0.0 and 1.0 from ``row[at]`` on, as one vector
    store: 1.6 times the rows a second of a loop over the cards."""

    @intrinsic  # type: ignore[untyped-decorator]
    def spread(typing: Any, row: Any, at: Any, members: Any) -> Any:
        def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
            floats = ir.VectorType(ir.FloatType(), size)
            first = b.gep(cx.make_array(sig.args[0])(cx, b, args[0]).data, [args[1]])
            bits = b.bitcast(b.trunc(args[2], ir.IntType(size)), ir.VectorType(ir.IntType(1), size))
            zeros_and_ones = b.select(bits, ir.Constant(floats, [1.0] * size), ir.Constant(floats, [0.0] * size))
            b.store(zeros_and_ones, b.bitcast(first, floats.as_pointer()), align=4)
            return cx.get_dummy_value()

        return T.void(row, T.int64, T.int64), generate

    return spread


def _count(members):  # type: ignore[no-untyped-def]
    return _population(np.int64(members))


def _lowest(members):  # type: ignore[no-untyped-def]
    return _trailing_zeros(np.int64(members))


def _nth_deposit(members, k):  # type: ignore[no-untyped-def]
    return _trailing_zeros(_deposit(np.int64(1) << np.int64(k), np.int64(members)))


def _nth_halving(members, k):  # type: ignore[no-untyped-def]
    """The k-th member by halving: is it in the lower half of what is left?"""
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


def has_deposit() -> bool:
    """Whether this processor picks the k-th member of a set with one instruction (``pdep``, BMI2)."""
    if os.environ.get("PARLOUR_PORTABLE"):
        return False
    return bool(llvmlite.binding.get_host_cpu_features().get("bmi2"))


# ------------------------------------------------------------------------------------------ words


def _mix(z):  # type: ignore[no-untyped-def]
    z = (z ^ (z >> S30)) * M1
    z = (z ^ (z >> S27)) * M2
    return z ^ (z >> S31)


_mix_compiled = register_jitable(_mix)


def _below(rng, n):  # type: ignore[no-untyped-def]
    z = rng[0] + GOLD
    rng[0] = z
    return np.int64(((_mix_compiled(z) >> S32) * np.uint64(n)) >> S32)


def _fold(key, fact):  # type: ignore[no-untyped-def]
    return _mix_compiled((key ^ fact) * GOLD)


def _deed_fact(action):  # type: ignore[no-untyped-def]
    return _mix_compiled(np.uint64(np.int64(action) + 1) * TOLD)


def _seeded(first, i):  # type: ignore[no-untyped-def]
    return _mix_compiled((first + np.uint64(i)) * np.uint64(mixing_SEED) + GOLD)


mixing_SEED = mixing.SEED


def _slot(key, last):  # type: ignore[no-untyped-def]
    return np.int64(key & np.uint64(last))


def _word(x):  # type: ignore[no-untyped-def]
    return np.uint64(x)


def _event_fact(event, who, a, b):  # type: ignore[no-untyped-def]
    head = np.uint64((np.int64(event) + 1) << 48 | (np.int64(who) + 2) << 32 | (np.int64(a) & LOW32))
    return _mix_compiled(head * TOLD + np.uint64(np.int64(b) & LOW32) * GOLD)


# ------------------------------------------------------------------------------------------ writers


def _writers(game: Definition) -> dict[str, Any]:
    """``tell``, ``note`` and ``whisper`` of one game.  Listeners: ``None`` hears nothing; a vector of int64 counts
    clauses; a matrix of uint64 (memory) takes what each player is told; a vector of uint64 sums a glance; a tuple
    (row, observer, players) is a tensor.

    ``note`` and ``whisper`` are generated directly: as Python functions each of a game's dozens of calls would be
    compiled on its own, a third of the time it takes to compile a game."""
    parts, numbers = tensor_parts(game), {name: i for i, name in enumerate(game.things)}
    events, clauses = game.event_index, game.book.index

    def tell(to, thing, index, value):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def literal(kind: str, value: Any, known: Any) -> str:
        if not isinstance(value, T.StringLiteral) or value.literal_value not in known:
            shown = getattr(value, "literal_value", value)
            raise nb.core.errors.TypingError(f"{game.id}: unknown {kind} {shown!r} in its rules")
        return str(value.literal_value)

    @overload(tell, prefer_literal=True, inline="never")
    def write_told(to, thing, index, value):  # type: ignore[no-untyped-def]
        name = literal("thing", thing, numbers)
        what, part = game.things[name], parts[name]
        if isinstance(to, T.BaseTuple):
            return _row_writer(what, part.start, part.width)
        places = np.array([mixing.place(numbers[name], i) for i in range(what.per)], np.uint64)
        if what.kind == "cards":

            def write(to, thing, index, value):  # type: ignore[no-untyped-def]
                to[0] += _mix_compiled(np.uint64(value) ^ places[index])
        else:

            def write(to, thing, index, value):  # type: ignore[no-untyped-def]
                z = places[index] * np.uint64(2 * np.int64(value) + 1)
                to[0] += z ^ (z >> S32)

        return write

    def hear(everybody: bool, to: Any, clause: Any, event: Any, given: tuple[Any, ...]) -> Any:
        c, e = clauses[literal("clause", clause, clauses)], events[literal("event", event, events)]

        def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
            if isinstance(to, T.NoneType):
                return cx.get_dummy_value()
            array = cx.make_array(to)(cx, b, args[0])
            if to.ndim == 1:
                at, plus = [_constant(c)], _constant(1)
            else:
                told = [
                    _constant(0) if isinstance(t, T.Omitted) else cx.cast(b, x, t, T.int64)
                    for x, t in zip(args[3:], sig.args[3:], strict=True)
                ]
                fact = T.uint64(T.int64, T.int64, T.int64, T.int64)
                plus = cx.compile_internal(b, _event_fact, fact, [_constant(e), *told])
                at = [_constant(3), _constant(1)] if everybody else [_constant(2), told[0]]
            place = cgutils.get_item_pointer(cx, b, to, array, at)
            b.store(b.add(b.load(place), plus), place)
            return cx.get_dummy_value()

        return T.void(to, clause, event, *(T.Omitted(0) if x == 0 else x for x in given)), generate

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def note(typing: Any, to: Any, clause: Any, event: Any, who: Any, a: Any = 0, b: Any = 0) -> Any:
        return hear(True, to, clause, event, (who, a, b))

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def whisper(typing: Any, to: Any, clause: Any, event: Any, who: Any, a: Any = 0, b: Any = 0) -> Any:
        return hear(False, to, clause, event, (who, a, b))

    return {"tell": tell, "note": note, "whisper": whisper}


def _row_writer(what: vocabulary.Thing, start: int, width: int) -> Any:
    """A writer of one thing into a tensor row; seats are turned so that the observer comes first."""
    scale = np.float32(1.0 / what.size) if what.kind == "amount" else np.float32(1)
    size = what.size
    by_seat, is_seat, flagged = what.seats, what.kind == "seat", what.optional

    if by_seat:

        @register_jitable
        def place(to, index):  # type: ignore[no-untyped-def]
            i = np.int64(index) - np.int64(to[1])
            return start + width * (i + np.int64(to[2]) if i < 0 else i)
    else:

        @register_jitable
        def place(to, index):  # type: ignore[no-untyped-def]
            return start + width * np.int64(index)

    if what.kind == "amount":

        def write(to, thing, index, value):  # type: ignore[no-untyped-def]
            at = place(to, index)
            to[0][at] = np.float32(value) * scale
            if flagged:
                to[0][at + width - 1] = 1.0
    elif what.kind == "cards":
        spread = _spreader(size)

        def write(to, thing, index, value):  # type: ignore[no-untyped-def]
            at = place(to, index)
            spread(to[0], at, np.int64(value))
            if flagged:
                to[0][at + width - 1] = 1.0
    elif is_seat:

        def write(to, thing, index, value):  # type: ignore[no-untyped-def]
            v = np.int64(value) - np.int64(to[1])
            to[0][place(to, index) + (v + np.int64(to[2]) if v < 0 else v)] = 1.0
    else:

        def write(to, thing, index, value):  # type: ignore[no-untyped-def]
            to[0][place(to, index) + np.int64(value)] = 1.0

    return write


# ------------------------------------------------------------------------------------------ binding

_HOT = ("actor", "chance", "legal", "apply", "happen")
_INNER = (
    *("mover", "play_out", "play_deal", "advance", "ready", "write_row", "tally_deal", "tally_nothing"),
    *("glance_open", "glance_own", "start_memory", "remember", "step_remembered"),
)

_ABSENT = {
    "acting": "def acting(s): return 0",
    "chance": "def chance(s): return 0",
    "happen": "def happen(s, k, to): pass",
    "weight": "def weight(s, k): return 1",
    "tickets": "def tickets(s): return 1",
    "ticket": "def ticket(s, n): return n",
    "next_deal": "def next_deal(s, to): pass",
    "deal_returns": "def deal_returns(s, out): returns(s, out)",
    "redeal": "def redeal(s, me, rng): pass",
    "candidates": "def candidates(s, me, acts): return legal(s, me, acts)",
    "likely": "def likely(s, me, acts): return legal(s, me, acts)",
}


def rule_modules(game: Definition) -> list[types.ModuleType]:
    """The rules module of a game and the modules of shared rule functions that it imports."""
    found: list[types.ModuleType] = []
    todo = [game.rules]
    while todo:
        module = todo.pop()
        if module in found:
            continue
        found.append(module)
        for value in vars(module).values():
            home = getattr(value, "__module__", None) if isinstance(value, types.FunctionType) else None
            if home not in (None, module.__name__, vocabulary.__name__):
                todo.append(sys.modules[str(home)])
    return found


def source_hash(game: Definition) -> str:
    """Names the folder of a game's machine code: sources, versions, processor."""
    import parlour.engine.compiled as this

    digest = hashlib.sha256()
    for module in (*rule_modules(game), vocabulary, drivers, mixing, this, *_search_modules()):
        digest.update(inspect.getsource(module).encode())
    words = sorted(game.event_index.items()), list(game.book.index), tensor_parts(game), dtype_of(game)
    cpu = llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten(), has_deposit()
    versions = sys.version, nb.__version__, np.__version__, llvmlite.__version__
    digest.update(repr((words, cpu, versions, _bounds())).encode())
    return digest.hexdigest()[:20]


def _search_modules() -> list[types.ModuleType]:
    from parlour.players import tree

    return [tree]


def _bounds() -> bool:
    return bool(os.environ.get("PARLOUR_BOUNDS_CHECK"))


def cache_folder() -> Path:
    """Where machine code is kept: ``$PARLOUR_CACHE``, or the user's cache folder."""
    home = os.environ.get("PARLOUR_CACHE")
    if home:
        return Path(home)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parlour"


@functools.cache
def compiled(game: Definition) -> types.SimpleNamespace:
    """The compiled binding of a game: its rules, the drivers and the tree search as compiled functions, by name.

    Functions compile when first called, or are loaded from disk.  Set ``PARLOUR_BOUNDS_CHECK=1`` to have every index
    checked (slow; the tests do it once), ``PARLOUR_PORTABLE=1`` to do without special instructions.
    """
    folder = cache_folder() / f"{game.id}-{source_hash(game)}"
    before = nb.config.CACHE_DIR
    try:
        folder.mkdir(parents=True, exist_ok=True)
        nb.config.CACHE_DIR = str(folder)
        on_disk = os.access(folder, os.W_OK)
    except OSError:
        on_disk = False
    try:
        return _bind(game, on_disk)
    finally:
        nb.config.CACHE_DIR = before


def _bind(game: Definition, on_disk: bool) -> types.SimpleNamespace:
    # Nothing compiled here allocates, so no references are counted (`_nrt`): 1.05 to 1.6 times the speed.  What the
    # drivers call at every step is inlined into them (`forceinline`): 1.4 times the speed in bulk play.
    how = {"nogil": True, "boundscheck": _bounds(), "_nrt": False}
    inner, entry = nb.njit(**how), nb.njit(**how, cache=on_disk)
    hot = nb.njit(**how, forceinline=True)
    primitives: dict[str, Any] = {
        "count": nb.njit(_count, inline="always"),
        "lowest": nb.njit(_lowest, inline="always"),
        "nth": inner(_nth_deposit if has_deposit() else _nth_halving),
        "below": inner(_below),
        "fold": inner(_fold),
        "deed_fact": inner(_deed_fact),
        "seeded": inner(_seeded),
        "word": inner(_word),
        "slot": inner(_slot),
        "GOLD": GOLD,
        "np": np,
        **_writers(game),
    }

    # the rules, each module in a namespace of its own
    spaces: dict[str, dict[str, Any]] = {}
    modules = rule_modules(game)
    for module in modules:
        spaces[module.__name__] = _namespace(game, module.__name__)
        spaces[module.__name__].update({k: _as_constant(v) for k, v in vars(module).items() if not k.startswith("__")})
    for module in modules:
        space = spaces[module.__name__]
        space["draw"] = inner(_clone(vocabulary.draw, {**primitives}))
        for name, value in vars(module).items():
            if isinstance(value, types.FunctionType) and value.__module__ in spaces:
                home = spaces[value.__module__]
                if not isinstance(home.get(value.__name__), nb.core.dispatcher.Dispatcher):
                    home[value.__name__] = (hot if value.__name__ in _HOT else inner)(_clone(value, home))
                space[name] = home[value.__name__]
        space.update({k: v for k, v in primitives.items() if k in vars(module) or k == "np"})
    rules = spaces[game.rules.__name__]

    # the drivers, in one namespace together with the rules' own functions
    space = _namespace(game, "drivers")
    space.update(primitives, draw=rules["draw"])
    for name in ("actor", "legal", "apply", "returns", "show", "show_own", *_ABSENT):
        if game.has(name):
            space[name] = rules[name]
        else:
            local: dict[str, Any] = {}
            exec(_ABSENT[name], space, local)
            space[name] = inner(local[name])
    for module in (drivers, *_search_modules()):
        for name, value in vars(module).items():
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
                private = name in _INNER or name.startswith("_")
                space[name] = (inner if private else entry)(_clone(value, space))
            elif not name.startswith("__") and name not in space:
                space[name] = value
    space["draw_outcome"] = space[game.way_to_draw]
    space["tally"] = space["tally_deal" if game.has_deals else "tally_nothing"]
    space["OPEN"] = game.hides_nothing
    return types.SimpleNamespace(**{k: v for k, v in space.items() if not k.startswith("__")}, dtype=dtype_of(game))


def _namespace(game: Definition, name: str) -> dict[str, Any]:
    """The namespace of a module made for the clones.  It must be a real one: Numba imports it by name when it loads
    machine code from disk."""
    module = types.ModuleType(f"parlour.compiled.{game.id}.{name.replace('.', '_')}")
    sys.modules[module.__name__] = module
    return vars(module)


def _clone(function: Any, namespace: dict[str, Any]) -> types.FunctionType:
    new = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def _as_constant(value: Any) -> Any:
    """Tables of numbers in a rules module become arrays, which compiled code indexes quickly."""
    if isinstance(value, (list, tuple)) and len(value) > 8 and all(isinstance(v, int) for v in value):
        return np.array(value, np.int64)
    return value
