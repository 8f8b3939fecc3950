"""How compiled functions are put together: parts are made once, linked into whatever uses them, and optimised there.

Numba makes machine code of every function by itself, each with all that it calls linked in and optimised again: a
function ten calls deep goes through the optimiser ten times, though only compiled functions ever call it.  Here a
*part* is only typed and lowered; a *whole* (an entry point, called from Python) links all the parts it needs and
optimises once.  Diamonds with all its drivers compiles in a fifth of the time, Diamondback in a third; Diamonds runs as
fast as before, smaller games and Diamondback a quarter faster.

This relies on Numba's internals (:mod:`numba.core.codegen`) in the versions of :data:`KNOWN`.  With a newer Numba, or
with ``PARLOUR_LINKING=plain``, ``numba.njit`` makes parts and wholes alike: slower to compile, a little slower to run,
and the same results.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core import types as T
from numba.core.codegen import CodeLibrary, JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.errors import ForceLiteralArg, NumbaError
from numba.core.registry import CPUDispatcher

from parlour.engine.fields import PositionType
from parlour.engine.mistakes import mistake
from parlour.errors import CompilationError

KNOWN = "0.68"
"""The version of Numba whose internals are known here."""

COPIED = 300
"""Instructions, as lowered, of parts that are copied to wherever they are called; with larger ones LLVM decides.
Random play and search in Diamonds are 1.04 times as fast as if LLVM always decided; copying more gains nothing."""

Keeper = Callable[[Any], None]
"""Keep the machine code of a whole on disk."""


@functools.cache
def is_plain() -> bool:
    """Whether ``numba.njit`` is used as it stands."""
    chosen = os.environ.get("PARLOUR_LINKING", "")
    if chosen not in {"", "own", "plain"}:
        raise CompilationError("PARLOUR_LINKING must be own or plain, not {chosen!r}.", chosen=chosen)
    numbers = [tuple(int(n) for n in version.split(".")[:2]) for version in (numba.__version__, KNOWN)]
    if not chosen and numbers[0] > numbers[1]:
        warnings.warn(
            f"Numba {numba.__version__} is newer than {KNOWN}, the newest that Parlour knows from inside: its games"
            " compile more slowly (PARLOUR_LINKING=own tries it all the same, =plain says that you know).",
            stacklevel=2,
        )
        return True
    return chosen == "plain"


def part(function: FunctionType, *, keep: Keeper | None = None, words: bool = False, **options: Any) -> Any:
    """Return ``function`` compiled for compiled functions to call; called from Python it becomes a whole of its own.

    Whole numbers come in as int64, however wide they are at the call, so that it is compiled once and not for every
    mixture of widths; with ``words``, 64-bit words stay words.  A position comes in as a
    :class:`~parlour.engine.fields.PositionType`.
    """
    made = numba.njit(**options)(function) if is_plain() else _Part(function, options)
    compiles = made.compile
    made.compile = lambda types: _explained(function, compiles, tuple(_widened(kind, words) for kind in types))
    made.alone = functools.cache(lambda: whole(_calling(made, function), keep=keep, **options))
    return made


def whole(function: FunctionType, *, keep: Keeper | None = None, **options: Any) -> Any:
    """Return ``function`` compiled for Python to call; ``keep`` stores its machine code, unless it is ``None``."""
    if is_plain():
        made = numba.njit(**options)(function)
    else:
        made = CPUDispatcher(function, None, {"nopython": True, **options}, _WholeCompiler)
    compiles = made.compile
    made.compile = lambda types: _explained(function, compiles, types)
    if keep is not None:
        keep(made)
    return made


def pointer(kind: str) -> Any:
    """The type of a pointer to numbers of a kind."""
    return T.CPointer(getattr(T, kind))


def address(made: Any, *kinds: Any) -> int:
    """The address of a whole as a function of C that takes numbers and pointers (types, or names of numbers).  An error
    in it would be lost: it has to return a number instead.  The whole must live as long as its address is used."""
    types = tuple(getattr(T, kind) if isinstance(kind, str) else kind for kind in kinds)
    made.compile(types)
    code = made.overloads[types]
    found: int = code.library.get_pointer_to_function(code.fndesc.llvm_cfunc_wrapper_name)
    return found


def _widened(kind: Any, words: bool) -> Any:
    kind = getattr(kind, "literal_type", kind)
    if isinstance(kind, T.Record):
        return PositionType(kind)
    return T.int64 if isinstance(kind, T.Integer) and not (words and kind == T.uint64) else kind


def _explained(function: FunctionType, compiles: Callable[[Any], Any], types: Any) -> Any:
    try:
        return compiles(types)
    except ForceLiteralArg:  # this is how Numba asks itself to try again
        raise
    except NumbaError as error:
        raise CompilationError(mistake(function, error)) from error


def _calling(called: Any, function: FunctionType) -> FunctionType:
    """Return a function of the same name and place in its file that only calls ``called``.  A function written out from
    a table has no file; Numba needs one to keep machine code, and gets this one."""
    code = function.__code__
    file = code.co_filename if os.path.exists(code.co_filename) else __file__
    given = ", ".join(code.co_varnames[: code.co_argcount])
    text = "\n" * (code.co_firstlineno - 1) + f"def {function.__name__}({given}): return called({given})"
    space = {"called": called, "__name__": function.__module__}
    exec(compile(text, file, "exec"), space)
    made = space[function.__name__]
    assert isinstance(made, FunctionType)
    return made


class _Part(CPUDispatcher):  # type: ignore[misc]
    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        super().__init__(function, None, {"nopython": True, **options}, _PartCompiler)

    def add_overload(self, made: Any) -> None:
        self.overloads[tuple(made.signature.args)] = made

    def __call__(self, *args: Any) -> Any:
        return self.alone()(*args)


class _PartCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, typing: Any, target: Any, library: None, args: Any, returns: Any, flags: Any, kept: Any) -> None:
        flags = flags.copy()
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, _Unlinked(target.codegen(), "part"), args, returns, flags, kept)

    def _compile_core(self) -> Any:
        made = super()._compile_core()
        made.library.function = made.fndesc.llvm_func_name
        entry = object()  # the name by which callers know a function; there is no address
        self.state.targetctx.insert_user_function(entry, made.fndesc, [made.library])
        return made._replace(entry_point=entry)


class _WholeCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, typing: Any, target: Any, library: None, args: Any, returns: Any, flags: Any, kept: Any) -> None:
        linked = _Linked(target.codegen(), "whole")
        linked.enable_object_caching()
        super().__init__(typing, target, linked, args, returns, flags, kept)


class _Unlinked(JITCodeLibrary):  # type: ignore[misc]
    """One function as it was lowered: nothing linked in or optimised, no machine code."""

    function: str

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Linked(JITCodeLibrary):  # type: ignore[misc]
    """A function with all the parts it needs."""

    _linking_libraries: list[CodeLibrary]

    def finalize(self) -> None:
        self._linking_libraries = _closure(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise once.  Numba would do so twice, first to find reference counts that cancel out, but there are none
        here.  Vectors gain nothing either: most loops go over a handful of seats or piles."""
        module = self._final_module
        for library in self._linking_libraries:
            if isinstance(library, _Unlinked):
                try:
                    function = module.get_function(library.function)
                except NameError:  # nobody calls it: the type of an argument has ruled out the branch that would
                    continue
                if sum(len(list(block.instructions)) for block in function.blocks) <= COPIED:
                    function.add_function_attribute("alwaysinline")
        for function in module.functions:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = "internal"  # nobody else calls it, so once copied it is not needed
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=False)
        passes.run(module, builder)


def _closure(libraries: Iterable[CodeLibrary]) -> list[CodeLibrary]:
    """Yield these libraries and all they need, directly or not."""
    found: dict[CodeLibrary, None] = {}
    todo = list(libraries)
    while todo:
        library = todo.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, _Unlinked):
                todo += library._linking_libraries
    return list(found)
