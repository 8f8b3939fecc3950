"""How compiled functions are put together: parts are made once, linked into what uses them, and optimised there.

Numba makes machine code of every function by itself, each with all that it calls linked in and optimised again: a
function that lies ten calls deep goes through the optimiser ten times, though only compiled functions ever call it.
Here a *part* is typed and lowered, and no more; a *whole* (an entry point, called from Python) links all the parts it
needs and optimises once.  Diamonds with all its drivers compiles in a fifth of the time, Diamondback in a third;
Diamonds runs as fast as before, smaller games and Diamondback a quarter faster.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from llvmlite.binding import Linkage
from numba.core import config
from numba.core import types as T
from numba.core.codegen import CodeLibrary, JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

COPIED = 300
"""Instructions, as lowered, of parts that are copied to wherever they are called; with larger ones LLVM does as it
thinks best.  Random play and search of Diamonds are 1.04 times as fast as if it did so with all; more gains nothing."""


def part(function: Callable[..., Any], *, folder: Path | None, words: bool = False, **options: Any) -> Any:
    """``function`` compiled for compiled functions to call; called from Python it becomes a whole of its own.

    Whole numbers come in as int64, however wide they are at the call, so that it is compiled once and not for every
    mixture of widths; with ``words`` 64-bit words stay words.
    """
    return _Part(function, words, options, functools.partial(whole, function, folder=folder, **options))


def whole(function: Callable[..., Any], *, folder: Path | None, **options: Any) -> Any:
    """``function`` compiled for Python to call; its machine code is kept in ``folder``, if there is one."""
    made = CPUDispatcher(function, None, {"nopython": True, **options}, _WholeCompiler)
    if folder is not None:
        before = config.CACHE_DIR
        try:
            config.CACHE_DIR = str(folder)
            made.enable_caching()
        finally:
            config.CACHE_DIR = before
    return made


class _Part(CPUDispatcher):  # type: ignore[misc]
    def __init__(
        self, function: Callable[..., Any], words: bool, options: dict[str, Any], alone: Callable[[], Any]
    ) -> None:
        super().__init__(function, None, {"nopython": True, **options}, _PartCompiler)
        self._words, self._alone = words, functools.cache(alone)

    def compile(self, sig: Any) -> Any:
        return super().compile(tuple(map(self._widened, sig)))

    def _widened(self, kind: Any) -> Any:
        kind = getattr(kind, "literal_type", kind)
        whole_number = isinstance(kind, T.Integer) and not (self._words and kind == T.uint64)
        return T.int64 if whole_number else kind

    def add_overload(self, made: Any) -> None:
        self.overloads[tuple(made.signature.args)] = made

    def __call__(self, *args: Any) -> Any:
        return self._alone()(*args)


class _PartCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, typing: Any, target: Any, library: None, args: Any, returns: Any, flags: Any, kept: Any) -> None:
        flags = flags.copy()
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, _Unlinked(target.codegen(), "part"), args, returns, flags, kept)

    def _compile_core(self) -> Any:
        made = super()._compile_core()
        made.library.function = made.fndesc.llvm_func_name
        entry = object()  # what callers know a function by; there is no address
        self.state.targetctx.insert_user_function(entry, made.fndesc, [made.library])
        return made._replace(entry_point=entry)


class _WholeCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, typing: Any, target: Any, library: None, args: Any, returns: Any, flags: Any, kept: Any) -> None:
        linked = _Linked(target.codegen(), "whole")
        linked.enable_object_caching()
        super().__init__(typing, target, linked, args, returns, flags, kept)


class _Unlinked(JITCodeLibrary):  # type: ignore[misc]
    """One function as it was lowered: nothing linked in, nothing optimised, no machine code."""

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
        """Numba would go over it twice, first to find counts of references that cancel out; there are none here.  Nor
        is anything won by vectors: most loops go over a handful of seats or piles."""
        module = self._final_module
        for library in self._linking_libraries:
            if isinstance(library, _Unlinked):
                function = module.get_function(library.function)
                if sum(len(list(block.instructions)) for block in function.blocks) <= COPIED:
                    function.add_function_attribute("alwaysinline")
        for function in module.functions:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = "internal"  # nobody else calls it: once copied, it need not be there
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=False)
        passes.run(module, builder)


def _closure(libraries: Iterable[CodeLibrary]) -> list[CodeLibrary]:
    """These libraries and all they need, directly or not."""
    found: dict[CodeLibrary, None] = {}
    todo = list(libraries)
    while todo:
        library = todo.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, _Unlinked):
                todo += library._linking_libraries
    return list(found)
