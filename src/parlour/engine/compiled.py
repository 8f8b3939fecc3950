"""The compiled binding: a game's rules and the drivers, cloned into a namespace of their own and compiled by Numba.

* Rules functions are cloned, never decorated: the module itself stays plain Python and is the interpreted binding.
* The primitives of :mod:`parlour.vocabulary` are replaced by intrinsics; for ``tell`` and ``note`` the *type* of the
  listener picks the writer at compile time (nobody, clause counter, tensor row, key), and an unknown name is a
  compile-time error.
* Machine code is kept on disk (:mod:`parlour.engine.machine_code`) in a folder named by a hash of all its sources, the
  versions and the target: what one function is made of is more than the file it stands in.
* What is not yet kept there is compiled in another process (:mod:`parlour.engine.compiling`), because the compiler may
  end the process it runs in.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import sys
import tempfile
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import parlour.vocabulary as vocabulary
from parlour.extras import needed

with needed("fast"):
    import llvmlite
    import numba as nb
    import numpy as np

from parlour import contract, unrolled
from parlour.bounds import LONGEST
from parlour.disk import cache_folder
from parlour.engine import (
    beliefs,
    blocks,
    classes,
    compiling,
    drivers,
    fields,
    growing,
    hashing,
    intrinsics,
    linking,
    luck,
    machine_code,
    networks,
    rewriting,
    rollouts,
    sampling,
    tables,
    tree,
    vectors,
    writers,
)
from parlour.engine.linking import part, whole
from parlour.engine.names import names_of
from parlour.engine.positions import dtype_of
from parlour.engine.tensors import tensor_parts
from parlour.errors import CompilationError

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

# ------------------------------------------------------------------------------------------ binding

_PARTS = (  # drivers that other drivers call
    *("draw_even", "draw_weighted", "draw_ticket", "tally_deal", "tally_nothing", "account"),
    *("mover", "one_more", "endless", "go_over", "play_out", "advance", "write_row"),
    *("finished_deals", "finished_game", "do", "carry_out", "proceed", "begin_anew", "ready", "look", "who_does"),
    *("step_some", "step_on", "list_actions", "weigh_outcomes"),
    *("open_game", "write_last", "copy_keys", "note_returns"),
    *("sensible", "see", "by_thumb", "decide", "judge", "attempt", "explore", "settle", "put_down"),
    *("take_stock", "add_entry", "foresee", "credit"),
    *("take_in", "rows_of", "weigh", "reconsider", "favourite", "learn_from"),
    *("plausible", "imagine", "gumbel", "tell_apart", "witness"),
    *("roll_out", "margin", "standard_error"),
    *("glance_open", "glance_own", "start_memory", "remember", "step_remembered"),
)


def source_hash(game: Definition) -> str:
    """Name the folder of a game's machine code: a hash of sources, versions and target."""
    import parlour.engine.compiled as this

    digest = hashlib.sha256()
    engine = (
        vocabulary,
        contract,
        unrolled,
        drivers,
        tree,
        growing,
        classes,
        sampling,
        networks,
        beliefs,
        rollouts,
        luck,
        vectors,
        fields,
        linking,
        hashing,
        rewriting,
        tables,
        intrinsics,
        writers,
        blocks,
        this,
    )
    for module in (*game.sources, *engine):
        digest.update(inspect.getsource(module).encode())
    words = sorted(game.event_index.items()), list(game.book.index), tensor_parts(game), dtype_of(game)
    cpu = intrinsics.target(), intrinsics.has_deposit(), linking.is_plain()
    versions = sys.version, nb.__version__, np.__version__, llvmlite.__version__
    digest.update(repr((words, cpu, versions, _bounds(), LONGEST)).encode())
    return digest.hexdigest()[:20]


@functools.cache
def _bounds() -> bool:
    return bool(os.environ.get("PARLOUR_BOUNDS_CHECK"))


def _home() -> Path:
    """Return the cache folder, or, where nothing can be written, a folder that is removed when this process ends."""
    return _writable(cache_folder())


@functools.cache
def _writable(home: Path) -> Path:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        pass
    if os.access(home, os.W_OK):
        return home
    passing = tempfile.TemporaryDirectory(prefix="parlour-")
    _passing.append(passing)
    return Path(passing.name)


_passing: list[tempfile.TemporaryDirectory[str]] = []  # removed when this process ends


def compiled(game: Definition) -> types.SimpleNamespace:
    """The compiled binding of a game: its rules, the drivers, the tree search and the growing of trees as compiled
    functions, by name.

    ``modules`` has, for each module of rules, its functions and constants as compiled code sees them, for more compiled
    code to call; ``folder`` is where the machine code is kept, ``functions`` everything that can be compiled, by full
    name.

    Functions compile when first called, or are loaded from disk; otherwise they raise ``CompilationError``.  Set
    ``PARLOUR_BOUNDS_CHECK=1`` to have every index checked (slow; the tests do it once), ``PARLOUR_PORTABLE=1`` to do
    without special instructions, ``PARLOUR_LINKING=plain`` to let Numba put functions together in its own way.
    """
    return compiled_in(_home(), game)


@functools.cache
def compiled_in(home: Path, game: Definition) -> types.SimpleNamespace:
    """The same, with the folder in which the machine code of all games is kept."""
    folder = home / f"{game.id}-{source_hash(game)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise _homeless(game, folder) from None
    return _bind(game, folder)


def _homeless(game: Definition, folder: Path) -> CompilationError:
    return CompilationError(
        "{id}: machine code cannot be kept in {folder}. Delete what is there, or set PARLOUR_CACHE to another folder.",
        id=game.id,
        folder=folder,
    )


def _keep(game: Definition, folder: Path, made: Any) -> None:
    """Keep the machine code of ``made`` in ``folder``, and have a child process make what is missing."""
    machine_code.keep(made, folder)
    load = made._cache.load_overload

    def load_or_make(kinds: Any, target: Any) -> Any:
        found = load(kinds, target)
        if found is None and not compiling.compiles_here():
            compiling.make(game, folder, machine_code.name_of(made.py_func), kinds)
            found = load(kinds, target)
            if found is None:
                raise _homeless(game, folder)
        return found

    made._cache.load_overload = load_or_make


def _bind(game: Definition, folder: Path) -> types.SimpleNamespace:
    # Nothing compiled here allocates, so no references are counted (`_nrt`): 1.05 to 1.6 times the speed.
    how: dict[str, Any] = {
        "keep": functools.partial(_keep, game, folder), "nogil": True, "boundscheck": _bounds(), "_nrt": False
    }  # fmt: skip
    functions: dict[str, Any] = {}

    def inner(function: Any, words: bool = False) -> Any:
        made = functions[machine_code.name_of(function)] = part(function, words=words, **how)
        return made

    def entry(function: Any) -> Any:
        made = functions[machine_code.name_of(function)] = whole(function, **how)
        return made

    primitives: dict[str, Any] = {
        "count": inner(intrinsics.count),
        "lowest": inner(intrinsics.lowest),
        "nth": inner(intrinsics.nth_deposit if intrinsics.has_deposit() else intrinsics.nth_halving),
        "below": inner(intrinsics.below),
        "fold": inner(intrinsics.fold, words=True),
        "deed_fact": inner(intrinsics.deed_fact),
        "seeded": inner(intrinsics.seeded, words=True),
        "word": inner(intrinsics.word, words=True),
        "slot": inner(intrinsics.slot, words=True),
        "read_shared": intrinsics.read_shared,
        "swap_shared": intrinsics.swap_shared,
        "add_shared": intrinsics.add_shared,
        "add_scaled": intrinsics.add_scaled,
        "next_entry": intrinsics.next_entry,
        "next_difference": intrinsics.next_difference,
        "product": intrinsics.product,
        "GOLD": intrinsics.GOLD,
        "np": np,
        **writers.writers(game, inner),
        **blocks.readers(game),
    }

    # the rules, each module in a namespace of its own
    spaces: dict[str, dict[str, Any]] = {}
    modules = game.sources
    for module in modules:
        spaces[module.__name__] = _namespace(game, module.__name__)
        spaces[module.__name__].update({k: _as_constant(v) for k, v in vars(module).items() if not k.startswith("__")})
    words = _namespace(game, vocabulary.__name__)
    words.update(primitives)
    for word in (vocabulary.draw, vocabulary.list_members):
        primitives[word.__name__] = inner(_clone(word, words))

    def compiles(function: Any, called: str = "") -> Any:
        """Return a function of the rules for others to call; a lambda in a table goes by the name it is ``called``
        by."""
        home = spaces[function.__module__]
        name = function.__name__ if function.__name__.isidentifier() else called
        if not isinstance(home.get(name), nb.core.dispatcher.Dispatcher):
            home[name] = inner(_clone(function, home, name))
        return home[name]

    for module in modules:
        space = spaces[module.__name__]
        for name, value in vars(module).items():
            if isinstance(value, types.FunctionType) and value.__module__ in spaces:
                space[name] = compiles(value)
            elif isinstance(value, types.ModuleType) and value.__name__ in spaces:
                space[name] = sys.modules[spaces[value.__name__]["__name__"]]
        own = {k for k, v in vars(module).items() if getattr(v, "__module__", None) in spaces}
        needed = {"np", rewriting.LOWEST, *vars(module)} - own
        space.update({k: v for k, v in primitives.items() if k in needed})
    for module in modules:
        for name, value in vars(module).items():
            if unrolled.is_written_out(value):
                around = _namespace(game, f"{module.__name__}.{name}")
                for called, function in unrolled.called_by(value).items():
                    around[called] = primitives.get(called) or compiles(function, called)
                spaces[module.__name__][name] = inner(_clone(value, around))
    for module in modules:
        _look_up(game, module, spaces, inner, folder, how)

    # the drivers, in one namespace together with the rules' own functions
    space = _namespace(game, "drivers")
    space.update(primitives)
    for name in contract.compiled_names():
        homes = [spaces[module.__name__] for module in game.modules if hasattr(module, name)]
        if homes:
            space[name] = homes[-1][name]
        elif default := contract.entries()[name].default:
            space[name] = inner(_clone(default, space))
    for name, other in contract.IN_PLACE_OF.items():
        space.setdefault(name, space[other])
    for name, value, is_own in names_of((drivers, networks, luck, beliefs, tree, rollouts, growing, classes, sampling)):
        if is_own:
            is_part = name in _PARTS or name.startswith("_")
            space[name] = inner(_clone(value, space), words=True) if is_part else entry(_clone(value, space))
        elif name not in space:
            space[name] = value
    space["draw_outcome"] = space[game.way_to_draw]
    space["tally"] = space["tally_deal" if game.has_deals else "tally_nothing"]
    space["finished"] = space["finished_deals" if game.has_deals else "finished_game"]
    space["OPEN"], space["TITLE"] = game.hides_nothing, game.id
    return types.SimpleNamespace(
        **{name: _called_from_python(value) for name, value in space.items() if not name.startswith("__")},
        modules={name: types.SimpleNamespace(**rules_of_it) for name, rules_of_it in spaces.items()},
        dtype=dtype_of(game),
        folder=folder,
        functions=functions,
    )


def _called_from_python(value: Any) -> Any:
    """A part becomes a whole of its own when Python calls it."""

    def call(*args: Any) -> Any:
        return value.alone()(*args)

    return call if hasattr(value, "alone") else value


def _look_up(
    game: Definition,
    module: types.ModuleType,
    spaces: dict[str, dict[str, Any]],
    inner: writers.Maker,
    folder: Path,
    how: dict[str, Any],
) -> None:
    """Replace a module's tabled functions, wherever they are called, by readers of their tables."""
    for name, value in vars(module).items():
        if isinstance(value, vocabulary.Tabled) and value.rule.__module__ == module.__name__:
            space = {"rule": inner(_clone(value.rule, spaces[module.__name__])), "range": range, "len": len}
            fill = whole(_clone(tables.fill, space), **{**how, "keep": None})
            file = folder / f"{name}.table"
            kept = tables.table(value, file)
            if kept is None and not compiling.compiles_here():
                compiling.make(game, folder)
                kept = tables.table(value, file)
            if kept is None:
                kept = tables.made(value, fill, file)
            reader = tables.reader(f"parlour.{source_hash(game)}.{name}", kept, _bounds())
            for space in spaces.values():
                space.update({k: reader for k, v in space.items() if v is value})


def _namespace(game: Definition, name: str) -> dict[str, Any]:
    """Return the namespace of a module made for the clones.  It must be a real module: Numba imports it by name when it
    loads machine code from disk."""
    module = types.ModuleType(f"parlour.compiled.{game.id}.{name.replace('.', '_')}")
    sys.modules[module.__name__] = module
    return vars(module)


def _clone(function: Any, namespace: dict[str, Any], name: str = "") -> types.FunctionType:
    module = sys.modules.get(function.__module__)
    code = rewriting.rewritten(function, module) if module else function.__code__
    new = types.FunctionType(code, namespace, name or function.__name__, function.__defaults__)
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def _as_constant(value: Any) -> Any:
    """Turn tables of numbers in a rules module into arrays, which compiled code indexes quickly."""
    if isinstance(value, (list, tuple)) and len(value) > 8 and all(isinstance(v, int) for v in value):
        return np.array(value, np.int64)
    return value
