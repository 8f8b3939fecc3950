"""Writes ``games/typed.py``, in which a type checker holds each game against the contract: ``make docs``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import parlour
from parlour.engine.definition import definition, shelf
from parlour.rules.contract import OPTIONAL, Rules, entries

FILE = Path(parlour.__file__).parent / "games" / "typed.py"


def groups_of(module: ModuleType) -> list[str]:
    """The parts of the contract that a module fulfils, by what it defines or imports."""
    found = []
    for group in (Rules, *OPTIONAL):
        names = [entry.name for entry in entries().values() if entry.group is group]
        if all(hasattr(module, name) for name in names):
            found.append(group.__name__)
    return found


def typed() -> str:
    """The text of the file."""
    found = [(game, module) for game in shelf() for module in definition(game).modules]
    modules = sorted(found, key=lambda one: one[1].__name__)
    used = sorted({group for _, module in modules for group in groups_of(module)})
    return "\n".join(_lines(modules, used))


def _lines(modules: list[tuple[str, ModuleType]], used: list[str]) -> Iterator[str]:
    yield '"""The games of the shelf, held against the contract.  A type checker reads this; nothing imports it.'
    yield ""
    yield 'Written by ``make docs``."""'
    yield from ("", "from __future__ import annotations", "", "from typing import TYPE_CHECKING, Protocol", "")
    yield "if TYPE_CHECKING:"
    for game, module in modules:
        part = module.__name__.rpartition(".")[2]
        yield f"    from parlour.games.{game} import {part} as {game}_{part}"
    yield f"    from parlour.rules.contract import {', '.join(used)}"
    for game, module in modules:
        part = module.__name__.rpartition(".")[2]
        name = "".join(word.title() for word in f"{game}_{part}".split("_"))
        yield from ("", f"    class {name}({', '.join(groups_of(module))}, Protocol): ...", "")
        yield f"    {game}_{part}_fulfils: {name} = {game}_{part}"
    yield ""


if __name__ == "__main__":
    FILE.write_text(typed(), "utf-8")
