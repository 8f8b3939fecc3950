"""One file of C: a game, or functions that belong to no game."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from importlib import resources
from itertools import product
from operator import le
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import parlour.rules.vocabulary as vocabulary
from parlour.base.errors import CompilationError
from parlour.engine import positions
from parlour.engine.c import layout
from parlour.engine.c.kinds import (
    STORED,
    Bundle,
    Kind,
    Nobody,
    Number,
    TupleKind,
    Untranslatable,
    Vector,
    code_of,
    declared,
    parsed,
)  # fmt: skip
from parlour.engine.c.names import c_name
from parlour.engine.c.statements import CFunction, Function, location
from parlour.engine.kernel import Given, flat, given, rules_of

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

Asked = Callable[..., Any]
"""An entry to be made: a function whose parameters are annotated (:mod:`parlour.engine.kernel`)."""


class Parameter(NamedTuple):
    """A parameter of an entry.  ``kind``: ``i64``, ``word`` or ``real`` for a number, ``position`` for a pointer to
    one, ``i16[,]`` for a pointer to entries that lie next to each other, after which come the sizes, one for each
    dimension, as ``i64``.  ``optional``: it may be a null pointer."""

    name: str
    kind: str
    optional: bool


class Export(NamedTuple):
    """A function that C exports: its ``symbol``, and the type of its result (``i64``, ``word``, ``real``, or none).
    ``bundled``: whether some of its parameters are the fields of a named tuple."""

    symbol: str
    parameters: tuple[Parameter, ...]
    gives: str | None
    bundled: bool


class FaultSite(NamedTuple):
    """A place in the rules where a fault may occur at run time, and which: ``divided``, ``beyond`` (the end of a list),
    ``not whole``, ``raised …``."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        said = {"divided": "division by zero", "beyond": "there is no such entry", "not whole": "no whole number"}
        return f"{location(self.file, self.line)}: {said.get(self.what, self.what)}."


class Program:
    """A game in C, or (``None``) functions that belong to no game.  ``source``: the whole file; ``entries``: the
    exported functions, by name; ``places``: the possible faults, whose numbers from 1 ``parlour_mistake()`` returns;
    ``filled``: the functions that fill its tables, in order."""

    source: str
    entries: dict[str, Export]

    def __init__(self, game: Definition | None, lines: bool = False) -> None:
        self._game, self.lines = game, lines
        self.places: list[FaultSite] = []
        self.things = {name: i for i, name in enumerate(game.things if game else ())}
        self._numbers: dict[FaultSite, int] = {}
        self._made: dict[tuple[int, tuple[Kind, ...]], dict[tuple[bool, ...], CFunction | None]] = {}
        self._keep: list[Any] = []  # keeps alive the objects whose ids are keys
        self._heads: dict[str, None] = {}
        self._texts: list[str] = []
        self._named: dict[str, int] = {}
        self.copied: dict[str, int] = {}
        """The size of each function that is copied to all its callers."""
        self._tables: dict[Any, str] = {}
        self.filled: list[str] = []
        self.entries = {}

    @property
    def knows_no_game(self) -> bool:
        """Whether these functions belong to no game."""
        return self._game is None

    @property
    def game(self) -> Definition:
        """The game.  Raises an error if these functions belong to no game."""
        if self._game is None:
            raise Untranslatable("these functions know no game, so there are no positions, clauses and events")
        return self._game

    # ------------------------------------------------------------------ names and functions that the rules use

    def meaning(self, function: types.FunctionType, name: str) -> Any:
        """Return the object that a name stands for in a function."""
        space = function.__globals__
        if name in space:
            return space[name]
        builtins = space.get("__builtins__", {})
        builtins = builtins if isinstance(builtins, dict) else vars(builtins)
        if name in builtins:
            return builtins[name]
        raise Untranslatable(f"{name} is not defined")

    def of_the_game(self, name: str) -> Any:
        """The object that the rules define under this name."""
        known = rules_of(self.game)
        if not hasattr(known, name):
            raise Untranslatable(f"rules have no {name}")
        return getattr(known, name)

    def function(
        self, function: types.FunctionType, kinds: tuple[Kind, ...], natural: tuple[bool, ...] | None = None
    ) -> CFunction:
        """A function for these kinds of arguments, translated when it is first used.  ``natural``: which arguments are
        never negative; a translation that assumes this of fewer arguments also serves."""
        natural = natural or (False,) * len(kinds)
        made = self._made.setdefault((id(function), kinds), {})
        if (one := next((those for those in made if all(map(le, those, natural))), None)) is None:
            made[one := natural] = None
            self._keep.append(function)
            made[one] = Function(self, function, node_of(function)).translated(self._name(function), kinds, natural)
        if (found := made[one]) is None:
            raise Untranslatable(f"{function.__name__} calls itself, which compiled rules cannot do")
        return found

    def _name(self, function: types.FunctionType) -> str:
        home = (function.__globals__.get("__name__") or "").rpartition(".")[2]
        own = function.__name__ if function.__name__.isidentifier() else "lambda"
        name = f"{home}_{own}" if home and home != "builtins" else f"table_{own}"
        self._named[name] = number = self._named.get(name, 0) + 1
        return name if number == 1 else f"{name}_{number}"

    def place(self, function: types.FunctionType, line: int, what: str) -> int:
        """The number of a place where a fault may occur."""
        one = FaultSite(function.__code__.co_filename, line, what)
        if one not in self._numbers:
            self.places.append(one)
            self._numbers[one] = len(self.places)
        return self._numbers[one]

    def table(self, values: Sequence[float]) -> tuple[str, str]:
        """The name of a table of constants, and the code of its entries."""
        if all(isinstance(value, int) for value in values):
            low, high = min(values), max(values)
            code = next(f"i{b}" for b in (8, 16, 32, 64) if -(1 << b - 1) <= low and high < 1 << b - 1)
            texts = [f"{int(v)}LL" if v > -(1 << 63) else "INT64_MIN" for v in values]
        else:
            code, texts = "f64", [repr(float(value)) for value in values]
        return self._table(("table", *values), code, texts), code

    def words(self, values: Sequence[int]) -> str:
        """The name of a table of words."""
        return self._table(("words", *values), "u64", [f"{value}ULL" for value in values])

    def _table(self, key: Any, code: str, texts: Sequence[str]) -> str:
        if key not in self._tables:
            name = self._tables[key] = f"table_{len(self._tables)}"
            self._heads[f"static const {STORED[code]} {name}[{len(texts)}] = {{{', '.join(texts)}}};"] = None
        return self._tables[key]

    def looked_up(self, tabled: vocabulary.Tabled) -> str:
        """The name of the table that replaces a function; the table is filled when the library is loaded."""
        key = "looked up", id(tabled)
        if key not in self._tables:
            self._keep.append(tabled)
            assert isinstance(tabled.rule, types.FunctionType)
            made, code = self.function(tabled.rule, (parsed("i64"),), (True,)), STORED[code_of(tabled.kind)]
            name = self._tables[key] = f"{made.name}_found"
            self.filled.append(f"fill_{name}")
            found = f"{made.name}(i).found" if made.fails else f"{made.name}(i)"
            self.add(f"static {code} {name}[{tabled.size}];\nFILL({name}) {{\n"
                     f"  for EACH(i, {tabled.size}) {name}[i] = ({code}){found};\n}}")  # fmt: skip
        return self._tables[key]

    def declare(self, kind: TupleKind) -> None:
        """Declare the struct for a tuple that some function makes."""
        fields = " ".join(f"{part.c}{'' if part.c.endswith('*') else ' '}x{i};" for i, part in enumerate(kind.parts))
        if kind.alike:
            fields = f"{kind.parts[0].c} x[{len(kind.parts)}];"
        self._heads[f"typedef struct {{ {fields} }} {kind.c};"] = None

    def declare_bundle(self, kind: Bundle) -> None:
        """Declare the struct for a named tuple that some function makes or takes."""
        fields = " ".join(_declared(field, c_name(name)) + ";" for name, field in kind.fields if field.c)
        self._heads[f"typedef struct {{ {fields} }} {kind.struct};"] = None

    def declare_or(self, kind: Kind) -> None:
        """Declare the result of a function that may stop the game: a value, and whether it failed."""
        self._heads[f"typedef struct {{ {kind.c} found; i64 failed; }} or_{kind.c};"] = None

    def add(self, text: str) -> None:
        """Add a function."""
        self._texts.append(text)

    def shown(self, file: str) -> str:
        """The name of a Python file in C: its path from the folder ``parlour`` or the game's folder on."""
        parts = Path(file).parts
        if "parlour" in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index("parlour") :])
        return parts[-1]

    # ------------------------------------------------------------------ the C file

    def write(self, asked: Iterable[Asked]) -> None:
        """Translate all entries and put the file together."""
        exported = [text for one in asked for text in self._exported(one)]
        kept = positions.fields(self._game) if self._game else ()
        fields = "\n".join(
            f"  {STORED[code_of(f.kind)]} {c_name(n)}{f'[{f.size}]' if f.size else ''};" for n, f in kept
        )
        vectors = [
            f"typedef struct {{ {type_} *at; i64 {', '.join(f'n{i}' for i in range(n))}; }} {code}_{n}d;"
            for code, type_ in STORED.items()
            for n in (1, 2, 3, 4)
        ]
        self.source = "\n".join([
            f"// {self._game.name if self._game else 'No game'}: written by Parlour.  Do not change it.",
            prelude(),
            "// A position.",
            f"typedef struct {{\n{fields}\n}} position;",
            *vectors,
            "typedef struct { f32_1d row; i64 me, players; } tensor_row;",
            *self._heads,
            *self._texts,
            *exported,
            "EXPORT i64 parlour_position_size(void) { return sizeof(position); }",
            "",
        ])  # fmt: skip

    def _exported(self, asked: Asked) -> list[str]:
        """Write an entry: a function for each combination of optional arguments, and one that chooses between them."""
        name, given_ = asked.__name__, given(asked, self._types)
        if name in self.entries:
            raise Untranslatable(f"two kernels have an entry {name}")
        assert isinstance(asked, types.FunctionType)
        choices = [(one.kind.rstrip("?"), "none") if one.kind.endswith("?") else (one.kind,) for one in flat(given_)]
        calls = dict[tuple[str, ...], tuple[CFunction, str]]()
        for chosen in product(*choices):
            kinds = iter(map(parsed, chosen))
            handed = [self._handed(one, kinds) for one in given_]
            made = self.function(asked, tuple(kind for kind, _ in handed))
            calls[chosen] = made, f"{made.name}({', '.join(text for _, text in handed if text)})"
        gives = {made.gives for made, _ in calls.values()}
        if len(gives) > 1 or not all(give is None or isinstance(give, Number) for give in gives):
            raise Untranslatable(f"{name} gives something that Python cannot be given")
        give = gives.pop()
        parameters = tuple(
            Parameter(_flat_name(one, field), field.kind.rstrip("?"), field.kind.endswith("?"))
            for one in given_
            for field in one.fields or (one,)
        )
        written = {"i64": "i64", "u64": "word", "double": "real"}
        bundled = any(one.fields for one in given_)
        self.entries[name] = Export(f"parlour_{name}", parameters, written[give.c] if give else None, bundled)
        body = list[str]()
        optional = [p.name for p in parameters if p.optional]
        for chosen, (made, call) in calls.items():
            here = {p.name: kind for p, kind in zip(parameters, chosen, strict=True)}
            tests = [f"{'!' * (here[n] == 'none')}{c_name(n)}" for n in optional]
            test = f"if ({' && '.join(tests)}) " if tests else ""
            body.append(f"  {test}{_left(made, call)}")
        end = "  return 0;\n" if give and optional else ""
        given_c = ", ".join(in_c(parameter) for parameter in parameters) or "void"
        head = f"EXPORT {give.c if give else 'void'} parlour_{name}({given_c}) {{"
        return ["\n".join([head, *body, f"{end}}}"])]

    def _handed(self, one: Given, kinds: Iterator[Kind]) -> tuple[Kind, str]:
        """The C parameters for one parameter of an entry, and how an exported function passes it on."""
        if not one.fields:
            kind = next(kinds)
            return kind, _passed(c_name(one.name), kind)
        fields = [(field, next(kinds)) for field in one.fields]
        assert one.bundle
        bundle = Bundle(one.bundle.__name__, tuple((field.name, kind) for field, kind in fields))
        self.declare_bundle(bundle)
        passed = [_passed(c_name(_flat_name(one, field)), kind) for field, kind in fields]
        return bundle, f"&({bundle.struct}){{{', '.join(filter(None, passed))}}}"

    @cached_property
    def _types(self) -> dict[str, str]:
        """The meaning of the types of parameters; a position is seen as whole words where its size allows that."""
        in_words = self._game is None or layout.position_size(self._game) % layout.WORD == 0
        return declared("u64[,]" if in_words else "u8[,]")


def _flat_name(one: Given, field: Given) -> str:
    return one.name if one is field else f"{one.name}_{field.name}"


def _declared(kind: Kind, name: str) -> str:
    return f"{kind.c}{name}" if kind.c.endswith("*") else f"{kind.c} {name}"


def in_c(parameter: Parameter) -> str:
    """A parameter of an exported function in C."""
    kind, name = parsed(parameter.kind), c_name(parameter.name)
    if isinstance(kind, Vector):
        return f"{STORED[kind.code]} *{name}, " + ", ".join(f"i64 {name}_n{i}" for i in range(kind.dimensions))
    return _declared(kind, name)


def _passed(name: str, kind: Kind) -> str:
    if isinstance(kind, Vector):
        return f"({kind.c}){{{name}, {', '.join(f'{name}_n{i}' for i in range(kind.dimensions))}}}"
    return "" if isinstance(kind, Nobody) else name


def _left(made: CFunction, call: str) -> str:
    """The body of an exported function, which passes its arguments on."""
    if made.gives is None:
        return f"{{ {call}; return; }}"
    return f"return {call}{'.found' * made.fails};"


@cache
def prelude() -> str:
    """The C that is written by hand, as text."""
    return resources.files("parlour.engine.c").joinpath("prelude.h").read_text("utf-8")


# ------------------------------------------------------------------------------------------ the source of functions


@cache
def _functions_of(file: str) -> tuple[dict[tuple[str, int], ast.FunctionDef], dict[int, list[ast.Lambda]]]:
    """The functions of a file by name and first line, and its lambdas by line."""
    functions: dict[tuple[str, int], ast.FunctionDef] = {}
    lambdas: dict[int, list[ast.Lambda]] = {}
    for node in ast.walk(ast.parse("".join(linecache.getlines(file)))):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            functions[node.name, first] = node
        elif isinstance(node, ast.Lambda):
            lambdas.setdefault(node.lineno, []).append(node)
    return functions, lambdas


def node_of(function: types.FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The tree of a function as its author wrote it."""
    code = function.__code__
    functions, lambdas = _functions_of(code.co_filename)
    found = functions.get((code.co_name, code.co_firstlineno))
    if found is not None:
        return found
    spots = [p for p in code.co_positions() if p[0] is not None and p[2] is not None][1:]
    for one in lambdas.get(code.co_firstlineno, []):  # one line may hold several lambdas
        body = one.body
        begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
        if any(begin <= (p[0], p[2]) and (p[1], p[3]) <= end for p in spots):
            return one
    raise Untranslatable(f"the source of {function.__qualname__} cannot be found in {code.co_filename}")


def translated(game: Definition | None, asked: Iterable[Asked], *, lines: bool = False) -> Program:
    """Return a game in C (or, without a game, functions), with these entries.  ``lines``: debuggers and compilers show
    lines of the rules instead of lines of the C file.

    Raises ``CompilationError`` for a mistake of the author; it names the file and the line, quotes the
    line, and says what is wrong.
    """
    program = Program(game, lines)
    try:
        program.write(asked)
    except Untranslatable as mistake:
        raise CompilationError(str(mistake)) from mistake
    return program
