"""The check of options: a rule compares an option with its own values, never with those of another."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from types import ModuleType

from parlour.audit.material import Material
from parlour.audit.report import Notes
from parlour.rules.vocabulary import Option, values_of


def options(material: Material, notes: Notes) -> None:
    """If the rules compare an option with a name, the name is one that ``values_of`` returned for that option."""
    game = material.game.definition
    modules = game.sources
    shared = {name: option for module in modules for name, option in _shared(module)}
    names = {name: shared.get(option, option) for module in modules for name, option in _named(module)}
    for module in modules:
        for wrong in _compared(module, game.options, names, notes):
            notes.fault(f"{module.__name__}, {wrong}")
    if not notes.cases:
        notes.spare("the rules compare no option with a named value")


def _named(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The names of values in a module, each with the option it comes from, or with the name of an option that games
    share."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is(node.value.func, values_of):
            option = ast.literal_eval(node.value.args[1]) if node.value.args[1:] else ast.unparse(node.value.args[0])
            yield from ((name.id, option) for name in ast.walk(node.targets[0]) if isinstance(name, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call) and isinstance(node.target, ast.Name):
            for word in node.value.keywords:  # constants used within the declaration, as in draw=DRAW
                if isinstance(word.value, ast.Name):
                    yield word.value.id, node.target.id


def _shared(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Options that games share, by name, with this game's names for them: ``shortfall: int = SHORTFALL``, or the same
    ``.under(...)`` its own clauses."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            value = node.value.func if isinstance(node.value, ast.Call) else node.value
            declared = value.value if isinstance(value, ast.Attribute) else value
            if isinstance(declared, ast.Name):
                yield declared.id, node.target.id


def _is(function: ast.expr, meant: object) -> bool:
    return isinstance(function, ast.Name) and function.id == getattr(meant, "__name__", "")


def _compared(
    module: ModuleType, options: Mapping[str, Option], names: Mapping[str, str], notes: Notes
) -> Iterator[str]:
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if not isinstance(node, ast.Compare):
            continue
        parts = [part for side in (node.left, *node.comparators) for part in _parts(side)]
        fields = [part.attr for part in parts if isinstance(part, ast.Attribute)]
        known = [part.id for part in parts if isinstance(part, ast.Name) and part.id in names]
        others = [part for part in parts if isinstance(part, ast.Constant) or _is_constant(part)]
        for field in fields:
            for name in known:
                notes.count()
                if names[name] != field:
                    yield f"line {node.lineno}: compares {field} with {name}, a value of the option {names[name]}"
            words_only = field in options and options[field].low is None and not options[field].seats
            for other in others if words_only else ():
                off = isinstance(other, ast.Constant) and other.value == 0 and options[field].is_switch
                if not off and not (isinstance(other, ast.Name) and other.id in names):
                    yield f"line {node.lineno}: compares {field} with {ast.unparse(other)}, which is no value of it"


def _is_constant(part: ast.expr) -> bool:
    """Whether it is a name in capitals, so a constant; variables are not followed."""
    return isinstance(part, ast.Name) and part.id.isupper()


def _parts(side: ast.expr) -> list[ast.expr]:
    return [*side.elts] if isinstance(side, (ast.Tuple, ast.List, ast.Set)) else [side]
