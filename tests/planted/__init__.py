"""Faulty variants of games, and how to plant them: each module changes a few functions of the rules of ``BASE``.

A module also says which check must find it (``CAUGHT_BY``) and what that check must say (``SAYS``).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from importlib import resources
from pathlib import Path
from types import ModuleType

import parlour

FAULTS = sorted(module.name for module in pkgutil.iter_modules(__path__))

_HOMES = {"kuhn": "parlour.shelf.kuhn", "leduc": "parlour.shelf.leduc", "sampler": "sampler"}


def fault(name: str) -> ModuleType:
    """The module of a planted fault."""
    return importlib.import_module(f"planted.{name}")


def plant(name: str, folder: Path) -> str:
    """Make a game of a fault: its rules, with the book and the words of the game it was made from.  Returns its id."""
    module = fault(name)
    home = folder / f"planted_{name}"
    home.mkdir(exist_ok=True)
    (home / "__init__.py").write_text("")
    (home / "rules.py").write_text(inspect.getsource(module))
    for file in ("book.md", "words.toml", "invariants.py"):
        (home / file).write_text(resources.files(_HOMES[module.BASE]).joinpath(file).read_text())
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return parlour.register(home.name)
