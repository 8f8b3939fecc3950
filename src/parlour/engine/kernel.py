"""Kernels: loops over positions and arrays, which are bound to a game and compiled like its rules.

A kernel is a module of plain functions in the folder ``kernels`` of the package that uses it.  The functions call what
the module imports and, through :data:`rules`, what a game's rules define.  At its end the module declares which other
kernels it uses and which functions Python may call::

    KERNEL = Kernel(__name__, uses=(chance,), entries=(play_many, survey))

:meth:`Kernel.interpreted` and :meth:`Kernel.compiled` bind it to a game.  The parameters of an entry are annotated with
the types below: they say what compiled code takes.  A parameter may be a ``NamedTuple`` of such types.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias, cast

from parlour.engine.folder import Contract

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

# ------------------------------------------------------------------------------------------ types of arguments

Position: TypeAlias = Any
"""A record of a position."""
Positions: TypeAlias = Any
"""A vector of positions."""
Positionsx2: TypeAlias = Any
Raw: TypeAlias = Any
"""Positions as a matrix: of words, if their size is a multiple of a word, otherwise of bytes."""
Word: TypeAlias = Any
"""An unsigned number of 64 bits."""
I8: TypeAlias = Any
"""A vector of whole numbers of 8 bits.  The others are named in the same way: U unsigned, F floats, x2 two
dimensions."""
U8: TypeAlias = Any
U8x2: TypeAlias = Any
I16: TypeAlias = Any
I16x2: TypeAlias = Any
I32: TypeAlias = Any
I32x2: TypeAlias = Any
I64: TypeAlias = Any
I64x2: TypeAlias = Any
I64x3: TypeAlias = Any
U64: TypeAlias = Any
U64x2: TypeAlias = Any
U64x3: TypeAlias = Any
F32: TypeAlias = Any
F32x2: TypeAlias = Any
F32x3: TypeAlias = Any
F32x4: TypeAlias = Any
F64: TypeAlias = Any
F64x2: TypeAlias = Any
F64x3: TypeAlias = Any
F64x4: TypeAlias = Any


# ------------------------------------------------------------------------------------------ what the rules define


class KernelRules(Contract, Protocol):
    """All that kernels may use of a game: the functions of the contract, and facts about the game."""

    TITLE: str
    HAS_DEALS: bool
    HAS_TICKETS: bool
    HAS_WEIGHTS: bool


rules: Final = cast("KernelRules", SimpleNamespace())
"""The rules of the game to which a kernel is bound; empty in the module itself."""


@cache
def rules_of(game: Definition) -> ModuleType:
    """The value of :data:`rules` in a kernel that is bound to this game.  It is a module because Python looks up names
    in a module fastest."""
    found = ModuleType(f"rules of {game.id}")
    vars(found).update(vars(game.rules), TITLE=game.id, HAS_DEALS=game.has_deals)
    vars(found).update(HAS_TICKETS=game.has("ticket"), HAS_WEIGHTS=game.has("weight"))
    return found


# ------------------------------------------------------------------------------------------ kernels

BINDINGS: Final = {"interpreted": "parlour.engine.interpreted", "compiled": "parlour.engine.c.loading"}
"""The modules that bind kernels.  They are named here because they import this module."""


def _binding(how: str) -> Any:
    return importlib.import_module(BINDINGS[how])


class Given(NamedTuple):
    """A parameter of an entry: ``kind`` as :func:`parlour.engine.c.kinds.parsed` reads it, with ``?`` if it may be
    ``None``; or a named tuple, with its fields."""

    name: str
    kind: str
    bundle: type | None = None
    fields: tuple[Given, ...] = ()


@dataclass(frozen=True, eq=False)
class Kernel:
    """The functions of a module, which are bound together.  ``uses``: the modules of the kernels whose functions they
    call; ``entries``: the functions that Python may call in machine code; ``of_a_game``: whether they are bound to a
    game; ``flags``: extra flags of the compiler for these functions."""

    module: str
    uses: tuple[ModuleType, ...] = ()
    entries: tuple[Callable[..., Any], ...] = ()
    of_a_game: bool = True
    flags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the module without its package."""
        return self.module.rpartition(".")[2]

    @cached_property
    def closure(self) -> tuple[Kernel, ...]:
        """This kernel and all kernels that it uses."""
        used = (one for module in self.uses for one in module.KERNEL.closure)
        return tuple(dict.fromkeys((self, *used)))

    @property
    def file(self) -> Path:
        """The file of the module."""
        return Path(sys.modules[self.module].__file__ or "")

    @cached_property
    def group(self) -> KernelLibrary:
        """The kernels that are compiled together with this one: those of its folder, if they are bound to a game."""
        package = self.module.rpartition(".")[0]
        is_one_of_many = package.endswith(".kernels") and self.of_a_game
        return group(package) if is_one_of_many else KernelLibrary(self.name, (self,), self.flags)

    def interpreted(self, game: Definition) -> Any:
        """Its functions as plain Python over the rules of a game, by name."""
        return _binding("interpreted").interpreted(self, game)

    def compiled(self, game: Definition) -> Any:
        """Its entries as machine code, by name.  Raises ``CompilationError`` when an entry is first used, if it cannot
        be compiled."""
        return _binding("compiled").compiled(game, self.group)

    @property
    def functions(self) -> Any:
        """Its entries, by name, if it is bound to no game: as machine code or, where there is no compiler, in
        Python."""
        return _binding("compiled").functions(self.group)


@dataclass(frozen=True, eq=False)
class KernelLibrary:
    """Kernels that are compiled into one library."""

    name: str
    kernels: tuple[Kernel, ...]
    flags: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[KernelLibrary, ...]:
        """The smaller groups of which it consists, if any."""
        return tuple(dict.fromkeys(kernel.group for kernel in self.kernels))

    @property
    def entries(self) -> list[Callable[..., Any]]:
        """The functions of these kernels that Python may call."""
        return [entry for kernel in self.kernels for entry in kernel.entries]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of these kernels and of all that they use."""
        if self.name == EVERY:
            return every_file()
        return tuple(sorted({one.file for kernel in self.kernels for one in kernel.closure}))


@cache
def group(package: str) -> KernelLibrary:
    """The kernels in a folder, under the name of their owner.

    >>> group("parlour.engine.kernels").name
    'engine'
    """
    names = [f"{package}.{one.name}" for one in pkgutil.iter_modules(importlib.import_module(package).__path__)]
    kernels: list[Kernel] = [importlib.import_module(name).KERNEL for name in names]
    return KernelLibrary(package.split(".")[-2], tuple(one for one in kernels if one.entries and one.of_a_game))


EVERY: Final = "all"
"""The name of the group of every kernel."""


@cache
def every_kernel() -> KernelLibrary:
    """All of Parlour's kernels that are bound to games, as one group, which is what packages ship."""
    owners = sorted({file.parents[1].name for file in every_file()})
    groups = [group(f"parlour.{owner}.kernels") for owner in owners]
    return KernelLibrary(EVERY, tuple(kernel for one in groups for kernel in one.kernels))


@cache
def every_file() -> tuple[Path, ...]:
    """The files of all kernels.  None is imported here, because some need NumPy."""
    return tuple(sorted(Path(__file__).parents[1].glob("*/kernels/*.py")))


# ------------------------------------------------------------------------------------------ entries


def given(entry: Callable[..., Any], kinds: Mapping[str, str]) -> tuple[Given, ...]:
    """The parameters of an entry, or the fields of a named tuple, in order; ``kinds``: the kinds that types stand for.

    >>> def drawn(rng: U64, games: int, keys: U64x2 | None) -> None: ...
    >>> [one.kind for one in given(drawn, {"U64": "u64[]", "U64x2": "u64[,]", "int": "i64"})]
    ['u64[]', 'i64', 'u64[,]?']
    """
    space = vars(sys.modules[entry.__module__])
    found = list[Given]()
    for name, parameter in inspect.signature(entry).parameters.items():
        said, _, optional = _text(parameter.annotation).partition(" | ")
        bundle = space.get(said)
        if said in kinds:
            found.append(Given(name, kinds[said] + "?" * bool(optional)))
        elif isinstance(bundle, type) and hasattr(bundle, "_fields"):
            found.append(Given(name, "", bundle, given(bundle, kinds)))
        else:
            raise TypeError(
                f"{name} of {entry.__name__} is annotated with {said}, which is none of the types of {__name__} and no"
                " named tuple of them; a kernel's module begins with `from __future__ import annotations`."
            )
    return tuple(found)


def _text(annotation: Any) -> str:
    """An annotation as text."""
    said: str = getattr(annotation, "__forward_arg__", getattr(annotation, "__name__", annotation))
    return said


def flat(parameters: Iterable[Given]) -> list[Given]:
    """Parameters, with each named tuple replaced by its fields."""
    return [inner for one in parameters for inner in (one.fields or (one,))]
