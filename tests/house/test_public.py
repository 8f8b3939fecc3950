"""What is published: the names in ``__all__`` of the modules that the reference lists (``docs/mkdocs.yml``)."""

from __future__ import annotations

import ast
import doctest
import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, cached_property
from typing import Any, Final

import numpy as np
import pytest

import parlour
from parlour.solve.form import grow
from parlour.solve.solver import Solver
from parlour.solve.strategy import found as found_by
from parlour.study.gpu import play_each
from tools import website

SRC: Final = website.ROOT / "src"
PLUMBING: Final = (
    r"parlour\.(cli|games|server\.(?!client\.(?:client|tickets)$|common\.wire$)"
    r"|engine\.(?!odds$|telling$)|.*kernels?\b)"
)
"""Modules that nobody outside needs."""
STARTER: Final = "src/parlour/cli/author/starter"


@cache
def source(module: str) -> ast.Module:
    folder = SRC / module.replace(".", "/")
    return ast.parse((folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")).read_text("utf-8"))


def listed(module: ast.Module) -> list[str] | None:
    """The names in a module's ``__all__``, if it has one."""
    for one in module.body:
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(one.value)
            return names
    return None


@cache
def published() -> dict[str, list[str]]:
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


VALIDATORS: Final = {"definition", "loaded", "needed", "of_kind", "read_line", "seed_word", "whole_number"}
"""Functions elsewhere that raise ``ParlourError`` for what they are given."""
ERRORS: Final = r"``(?:\w*Error|BadRecord|Ended|Endless|IllegalAction|NoCompiler|TooLarge)``|:class:`~?[\w.]*Ended`"
"""How a docstring names an error."""
DTYPE: Final = r"(?i)\b(?:bool|(?:u?int|float)\d+)\b"
"""How a docstring says what an array is of; ``shape (`` says how long it is, and in which direction."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def found_at(module: str, name: str) -> tuple[str, Function | ast.ClassDef | None]:
    """Return where a published name is defined, and its definition, if it is that of a class or function."""
    tree = source(module)
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef) and node.name == name:
            return module, node
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom) and (part.module or "").startswith("parlour"):
            for one in part.names:
                if (one.asname or one.name) == name and part.module:
                    return found_at(part.module, one.name)
    return module, None


@cache
def everything() -> Mapping[str, Function | ast.ClassDef]:
    """Published classes, with their public methods and properties, and functions, by module and name."""
    found = dict[str, Function | ast.ClassDef]()
    for place, node in (found_at(module, name) for module, names in published().items() for name in names):
        if node is not None:
            found[f"{place}:{node.name}"] = node
            for one in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(one, Function) and not one.name.startswith("_") and not is_setter(one):
                    found[f"{place}:{node.name}.{one.name}"] = one  # of overloads the last, which does it
    return found


def is_setter(function: Function) -> bool:
    return any(ast.unparse(by).endswith(".setter") for by in function.decorator_list)


def says(node: ast.AST) -> str:
    return (ast.get_docstring(node) or "") if isinstance(node, ast.Module | ast.ClassDef | Function) else ""


@cache
def shown() -> str:
    """All examples of the modules, with what they print; and what functions with an example return."""
    found = []
    for module in {where.partition(":")[0] for where in everything()}:
        for node in ast.walk(source(module)):
            examples = doctest.DocTestParser().get_examples(says(node))
            found += [text for one in examples for text in (one.source, one.want)]
            if examples and isinstance(node, Function) and node.returns:
                found.append(ast.unparse(node.returns))
    return " ".join(found)


def raises(function: ast.AST, known: Collection[str]) -> bool:
    """Whether a function raises an error where it says what is wrong, or calls one of those that are known to."""
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and node.exc and "NotImplemented" not in ast.unparse(node.exc):
            return True
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in known:
            return True
    return False


@cache
def raising(module: str) -> Collection[str]:
    """What raises errors for what it is given: validators, and private functions of a module."""
    functions = [node for node in ast.walk(source(module)) if isinstance(node, Function) and node.name[0] == "_"]
    found, more = set[str](), {*VALIDATORS}
    while more != found:
        found = more
        more = found | {one.name for one in functions if one.name[:2] != "__" and raises(one, found)}
    return found


def test_what_is_published_says_what_it_is() -> None:
    assert not [where for where, node in everything().items() if not says(node)]


def test_what_is_published_is_shown_at_work() -> None:
    """A class or function, in an example of its own, of a method, or of anything else that names or returns it."""
    for where, node in everything().items():
        if "." not in where.partition(":")[2]:
            own = [says(one) for one in (node, *node.body)]
            assert ">>>" in "".join(own) or re.search(rf"\b{node.name}\b", shown()), where


def test_what_is_published_says_which_errors_it_raises() -> None:
    for where, node in everything().items():
        if isinstance(node, Function) and raises(node, raising(where.partition(":")[0])):
            assert re.search(ERRORS, says(node)), where


def forms(said: str, name: str, known: Mapping[str, Any]) -> set[tuple[str, tuple[int, ...]]]:
    """The types and shapes that an array (a property of its own, or one of this name) may have by a docstring, where
    these names are known."""
    found = set()
    for clause in re.split(r"(?<=[.;])\s+|\n\s*\n|\n\* ", said):
        one = " ".join(clause.split())
        if not name or re.search(rf"``{name}\b", one):
            shapes = re.findall(r"shape \(((?:[^()]|\([^()]*\))*?),?\)", one.replace("``", ""))
            found |= {(k.lower(), eval(f"({s},)", dict(known))) for k in re.findall(DTYPE, one) for s in shapes}
    return found


def test_arrays_are_what_docstrings_say() -> None:
    game = parlour.load("kuhn")
    form = grow(game)
    tree, told = form.players[0], found_by(Solver(form)).players[0]
    sizes: dict[str, Any] = {"sets": tree.sets, "sequences": tree.sequences, "actions": tree.sequences - 1}
    things = game.batch(3, last=True, information=True), play_each(game, 3), tree, told, game.new(seed=1).tensor(0)
    sizes |= {"game": game, "size": 3, "games": 3, "players": 2, "seats": 2}
    for thing in things:
        for name in (name for name in dir(thing) if not name.startswith("_")):
            if isinstance(array := getattr(thing, name), np.ndarray):
                own = getattr(type(thing), name, None)  # a property has a docstring of its own
                its = isinstance(own, property | cached_property)
                said = (own.__doc__ or "", "") if its else (type(thing).__doc__ or "", name)
                assert (str(array.dtype), array.shape) in forms(*said, sizes), (type(thing), name)
