"""What is published: the names in ``__all__`` of the modules that the reference lists (``docs/mkdocs.yml``)."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tools import website

SRC: Final = website.ROOT / "src"
PLUMBING: Final = (
    r"parlour\.(cli|games|server\.(?!client\.client$|common\.wire$)|engine\.(?!odds$|telling$)|.*kernels?\b)"
)
"""Modules that nobody outside needs."""
STARTER: Final = "src/parlour/cli/author/starter"


def source(module: str) -> ast.Module:
    """A module of the package as it is written."""
    folder = SRC / module.replace(".", "/")
    return ast.parse((folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")).read_text("utf-8"))


def listed(module: ast.Module) -> list[str] | None:
    """The names in a module's ``__all__``, if it has one."""
    for one in module.body:
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(one.value)
            return names
    return None


def published() -> dict[str, list[str]]:
    """Every module that is published, with its names."""
    return {module: listed(source(module)) or [] for module in website.modules()}


def taught() -> Iterator[tuple[str, str]]:
    """Yield the pages, notebooks, examples and files of the starter from which users learn, with their Python."""
    for page in ("README.md", *website.documents()):
        text = (website.ROOT / page).read_text("utf-8")
        yield page, "".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    for notebook in website.notebooks():
        cells = json.loads((website.ROOT / notebook).read_text("utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield notebook, re.sub(r"^[%!].*", "", "\n".join(code), flags=re.MULTILINE)
    for folder in ("docs/examples", STARTER):
        for file in sorted((website.ROOT / folder).glob("*.py")):
            yield f"{folder}/{file.name}", file.read_text("utf-8")


def strangers(code: str) -> list[str]:
    """What code imports from Parlour that is not published; the modules of a game are its own.

    >>> strangers("from parlour.study.match import play, warm_up")
    ['parlour.study.match.warm_up']
    >>> strangers("from parlour.base import disk"), strangers("from parlour.study import charts")
    (['parlour.base.disk'], [])
    """
    known, found = published(), []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names if re.match(r"parlour\b", one.name) and one.name not in known]
        if (
            isinstance(node, ast.ImportFrom)
            and re.match(r"parlour\b(?!\.games\.)", node.module or "")
            and not node.level
        ):
            for one in node.names:
                name = f"{node.module}.{one.name}"
                if one.name not in known.get(node.module or "", ()) and name not in known:
                    found.append(name)
    return found


@pytest.mark.parametrize("module", website.modules())
def test_a_published_module_lists_its_names(module: str) -> None:
    names = listed(source(module))
    assert names, "a module of the reference says in __all__ what is published"
    assert not [name for name in names if name.startswith("_")]
    assert len(set(names)) == len(names)


def test_no_plumbing_is_published() -> None:
    assert not [module for module in website.modules() if re.match(PLUMBING, module)]
    assert re.match(PLUMBING, "parlour.engine.c.building")
    assert re.match(PLUMBING, "parlour.study.kernels.luck")


def test_who_learns_parlour_is_taught_what_is_published() -> None:
    """Pages, notebooks, examples and the game that ``parlour new`` lays out import nothing else."""
    wrong = {where: found for where, code in taught() if (found := strangers(code))}
    assert not wrong, "publish it (add it to __all__), or show another way"


def test_code_that_imports_plumbing_is_found() -> None:
    assert strangers("import parlour.base.disk\nfrom parlour import load, loader") == [
        "parlour.base.disk",
        "parlour.loader",
    ]
    assert not strangers("from .rules import OVER\nfrom parlour.games.kuhn.rules import CARDS")
