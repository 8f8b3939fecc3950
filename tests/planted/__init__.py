"""Faulty variants of games, and how to plant them: each module changes a few functions of the rules of ``BASE``.

A module also says which check must find it (``CAUGHT_BY``) and what that check must say (``SAYS``), under which
``OPTIONS``, if not the default ones.  Modules called ``honest_…`` are variants without a fault, for others to start
from.
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

FAULTS = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("honest_"))

_HOMES = {"kuhn": "parlour.games.kuhn", "leduc": "parlour.games.leduc", "sampler": "sampler"}


def fault(name: str) -> ModuleType:
    """The module of a planted fault."""
    return importlib.import_module(f"planted.{name}")


def plant(name: str, folder: Path) -> str:
    """Make a game of a fault: its rules, with the book and the words of the game it was made from.  Returns its id, or
    that of a game which is there as it is."""
    if name in _HOMES:
        return name
    module = fault(name)
    base = fault(module.BASE).BASE if module.BASE not in _HOMES else module.BASE
    home = folder / f"planted_{name}"
    home.mkdir(exist_ok=True)
    (home / "__init__.py").write_text("")
    (home / "rules.py").write_text(inspect.getsource(module))
    for file in ("book.md", "words.toml", "invariants.py"):
        text = resources.files(_HOMES[base]).joinpath(file).read_text()
        own = [name for name in ("hide", "bounds") if file == "invariants.py" and hasattr(module, name)]
        (home / file).write_text(text + "".join(f"\nfrom {home.name}.rules import {name}\n" for name in own))
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return parlour.register(home.name)
