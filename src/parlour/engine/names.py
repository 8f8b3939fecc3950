"""The namespace in which the drivers are bound: they call each other, and use each other's constants, by name."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any


def names_of(modules: tuple[types.ModuleType, ...]) -> Iterator[tuple[str, Any, bool]]:
    """Yield all names of these modules with what they mean, module by module, and whether it is a function that is
    defined there.  ``RuntimeError`` if a name means different things in two of them: there is only one namespace.

    >>> from parlour.engine import networks, vectors
    >>> [name for name, _, is_own in names_of((vectors,)) if is_own]
    ['add_scaled', 'next_entry', 'next_difference', 'product']
    >>> lanes = types.ModuleType("lanes"); lanes.LANES = 4
    >>> [*names_of((vectors, lanes))]
    Traceback (most recent call last):
    RuntimeError: LANES is 8 in parlour.engine.vectors and 4 in lanes.
    """
    known: dict[str, tuple[str, Any]] = {}
    for module in modules:
        for name, value in vars(module).items():
            if name.startswith("__"):
                continue
            is_own = isinstance(value, types.FunctionType) and value.__module__ == module.__name__
            home, before = known.setdefault(name, (module.__name__, value))
            if before is not value and before != value:
                raise RuntimeError(f"{name} is {before!r} in {home} and {value!r} in {module.__name__}.")
            yield name, value, is_own
