"""Statements of the rules in C, and whole functions."""

from __future__ import annotations

import ast
import linecache
import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import parlour.rules.vocabulary as vocabulary
from parlour.engine.c.expressions import bare, bracketed
from parlour.engine.c.flow import Flow
from parlour.engine.c.kinds import (
    IMPOSSIBLE,
    REAL,
    STORED,
    WHOLE,
    Bundle,
    Does,
    Kind,
    Known,
    ListKind,
    Misspelt,
    Nobody,
    Number,
    PositionKind,
    RowKind,
    TupleKind,
    Untranslatable,
    Value,
    Vector,
    called,
    joined,
    read_as,
)
from parlour.engine.c.names import c_name
from parlour.engine.c.telling import GLANCE, ListenerStatements, glance_of
from parlour.rules.unrolled import authors_place

SMALL = 600
"""The most characters of C in a function that is copied to its callers, including the functions copied into it.
Without this limit every kernel contained all of the rules, and compiling took four times as long."""
MOST_TIMES, WRITTEN_OUT = 12, 1500
"""A loop is unrolled if it has at most this many rounds, and gives at most this many characters of C."""
WHAT_IS_POSSIBLE = "compiled rules are made of whole numbers, fields of the position, loops and ifs"


class CFunction(NamedTuple):
    """A translated function: its name in C, the kind of its result, whether it may stop the game, and whether its
    result is never negative."""

    name: str
    gives: Kind | None
    fails: bool
    natural: bool


def location(file: str, line: int) -> str:
    """A line of the rules with its file and number, for messages."""
    file, line = authors_place(file, line)
    shown = os.path.relpath(file) if os.path.isabs(file) else file
    return f"{file if shown.startswith('..') else shown}, line {line} ({linecache.getline(file, line).strip()})"


class Function(ListenerStatements):
    """One function with one set of kinds of arguments."""

    def translated(self, name: str, kinds: tuple[Kind, ...], natural: tuple[bool, ...]) -> CFunction:
        """Put the function into the program."""
        try:
            return self._translated(name, kinds, natural)
        except Untranslatable as mistake:
            if mistake.placed:
                raise
            where = location(self.function.__code__.co_filename, getattr(self.at, "lineno", 0))
            hint = "" if isinstance(mistake, Misspelt) else f"; {WHAT_IS_POSSIBLE} (docs/adding_a_game.md)"
            told = Untranslatable(f"{where}: {mistake}{hint}.")
            told.placed = True
            raise told from None

    def _translated(self, name: str, kinds: tuple[Kind, ...], natural: tuple[bool, ...]) -> CFunction:
        arguments = self.node.args
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise Untranslatable("a function of compiled rules has plain arguments only, no * or **")
        self.parameters = dict(zip(names, kinds, strict=True))
        self.natural_parameters = dict(zip(names, natural, strict=True))
        self.gives: Kind | None = None
        self.natural, self.returns_nothing = True, False
        node = self.node
        body: list[ast.stmt] = node.body if isinstance(node, ast.FunctionDef) else [_returning(node)]
        ends = False
        if isinstance(self.node, ast.FunctionDef):
            ends = Flow(self.node, self._met, self.decided).ends
        while True:  # repeat until the kind of every name is known
            before = self._known()
            self.lines: list[str] = []
            self.glances = set()
            self.temporaries = 0
            self._body(body)
            if before == self._known():
                break
        if self.gives is not None and (ends or self.returns_nothing):
            self.at = self.node
            raise Untranslatable(f"{self.node.name if isinstance(self.node, ast.FunctionDef) else 'it'} gives"
                          f" {called(self.gives)} in one place and nothing in another")  # fmt: skip
        self._written(name)
        return CFunction(name, self.gives, self.fails, self.natural and self.gives == WHOLE)

    def _known(self) -> tuple[object, ...]:
        """All that is known so far about names; translation is repeated until it no longer grows."""
        return dict(self.variables), dict(self.natural_parameters), self.gives, self.fails, self.natural

    def _written(self, name: str) -> None:
        """Add the finished text to the program."""
        alone = " restrict" if self._is_alone() else ""
        given = [
            _declared(
                kind, c_name(n), alone if isinstance(kind, PositionKind) else " restrict" * isinstance(kind, Bundle)
            )
            for n, kind in self.parameters.items()
            if kind.c
        ]
        if self.fails and self.gives is None:
            returns, stopped, end = "i64", "1", ["return 0;"]
        elif self.fails and self.gives is not None:
            returns, stopped, end = f"or_{self.gives.c}", f"(or_{self.gives.c}){{0, 1}}", []
            self.program.declare_or(self.gives)
        else:
            returns, stopped, end = self.gives.c if self.gives else "void", "", []
        own = [f"{_declared(kind, c_name(n))} = {_zero(kind)};" for n, (kind, _) in self.variables.items()]
        for to in sorted(self.glances):
            own.append(f"u64 {glance_of(to)} = 0;")
            put = f"{to}.at[0] += {glance_of(to)};"
            self.lines = [f"{put} {line}" if line.startswith("return") else line for line in self.lines]
            end = [put, *end]
        code = self.function.__code__
        size = self._size()
        self.program.copied[name] = size if size <= SMALL else 0
        text = "\n".join([
            f"// {self.program.shown(code.co_filename)}, line {code.co_firstlineno}",
            f"{'ALWAYS' if size <= SMALL else 'static'} {returns} {name}({', '.join(given) or 'void'}) {{",
            *_indented([*own, *self.lines, *end]),
            "}",
        ])  # fmt: skip
        self.program.add(text.replace("return STOPPED", f"return {stopped}"))

    def _size(self) -> int:
        """The number of characters of its C, including the functions that are copied into it."""
        code = "\n".join(line for line in self.lines if not line.startswith(("//", "#")))
        return _characters(self.lines) + sum(
            self.program.copied.get(called, 0) for called in re.findall(r"\b(\w+)\(", code)
        )

    def _is_alone(self) -> bool:
        """Whether it reads the position and writes only elsewhere, so that C may keep values in registers."""
        kinds = [kind for kind in self.parameters.values() if not isinstance(kind, Number | Nobody | Does)]
        return kinds in ([PositionKind(), RowKind()], [PositionKind(), GLANCE])

    def _met(self, statement: ast.stmt) -> None:
        self.at = statement

    def put(self, text: str) -> None:
        """Add a line of C."""
        self.lines.append(text)

    # ------------------------------------------------------------------ statements

    def _body(self, statements: list[ast.stmt]) -> None:
        for one in statements:
            self.at = one
            write = getattr(self, f"_s_{type(one).__name__}", None)
            if write is None:
                kind = IMPOSSIBLE.get(type(one), f"`{ast.unparse(one).split()[0]}`")
                raise Untranslatable(f"{kind} cannot be part of compiled rules")
            if not isinstance(one, ast.Pass | ast.Expr) or not _is_text(one):
                self._quoted(one.lineno)
            write(one)

    def _quoted(self, line: int) -> None:
        """Put the line of Python next to its C, as a comment."""
        file = self.function.__code__.co_filename
        if self.program.lines and os.path.exists(file):
            self.lines.append(f'#line {line} "{self.program.shown(file)}"')
        else:
            self.lines.append(f"// {line}: {linecache.getline(file, line).strip().rstrip(chr(92))}")

    def _s_Pass(self, one: ast.Pass) -> None:
        pass

    def _s_Break(self, one: ast.Break) -> None:
        self.put("break;")

    def _s_Continue(self, one: ast.Continue) -> None:
        self.put("continue;")

    def _s_Raise(self, one: ast.Raise) -> None:
        """Stop the game.  The message is not built in C: the Python caller builds it from the number of the place."""
        raised = one.exc.func if isinstance(one.exc, ast.Call) else one.exc
        if raised is None:
            raise Untranslatable("`raise` needs an error")
        self.fails = True
        self.put(f"mistake({self.place_in_rules(f'raised {ast.unparse(raised)}')});")
        self.put(f"{self.leave};")

    def _s_Expr(self, one: ast.Expr) -> None:
        if _is_text(one):
            return
        if isinstance(one.value, ast.Call) and self.tells(self.callee(one.value), one.value):
            return
        if isinstance(one.value, ast.Yield | ast.YieldFrom):
            raise Untranslatable("a generator cannot be part of compiled rules")
        self.put(f"{self.value(one.value).text};")

    def _s_Return(self, one: ast.Return) -> None:
        found = Value("", None) if one.value is None else self.value(one.value)
        if found.kind is None or isinstance(found.kind, Nobody):
            if found.text:
                self.put(f"{found.text};")
            self.returns_nothing = True
            self.put("return 0;" if self.fails and self.gives is None else "return;")
            return
        if isinstance(found.kind, Known | ListKind | RowKind | Bundle | Does):
            raise Untranslatable(f"a function of compiled rules cannot return {found.kind.called}")
        self.gives = joined(self.gives, found.kind)
        self.natural = self.natural and found.natural
        assert self.gives
        self.put(f"return (or_{self.gives.c}){{{found.text}, 0}};" if self.fails else f"return {bare(found.text)};")

    def _s_If(self, one: ast.If) -> None:
        decided = self.decided(one.test)
        if decided is not None:
            self._body(one.body if decided else one.orelse)
            return
        self.put(f"if ({bare(self.truth(one.test))}) {{")
        self._body(one.body)
        if one.orelse:
            self.put("} else {")
            self._body(one.orelse)
        self.put("}")

    def _s_While(self, one: ast.While) -> None:
        if one.orelse:
            raise Untranslatable("`else` after a loop cannot be part of compiled rules")
        self.put(f"while ({bare(self.truth(one.test))}) {{")
        self._body(one.body)
        self.put("}")

    def _s_For(self, one: ast.For) -> None:
        if one.orelse:
            raise Untranslatable("`else` after a loop cannot be part of compiled rules")
        if not isinstance(one.target, ast.Name):
            raise Untranslatable("a loop has one name, which takes one number after the other")
        name, begun = one.target.id, len(self.lines)
        over = self.callee(one.iter) if isinstance(one.iter, ast.Call) else None
        times = 0
        if over is vocabulary.members:
            self._over_members(one, name)
        elif over is range:
            times = self._over_range(one, name)
        else:
            times = self._over_list(one, name)
        self._body(one.body)
        self.put("}")
        if 1 < times <= MOST_TIMES and times * _characters(self.lines[begun:]) <= WRITTEN_OUT:
            self.lines.insert(begun, f"#pragma GCC unroll {times}")

    def _over_members(self, one: ast.For, name: str) -> None:
        assert isinstance(one.iter, ast.Call)
        those, left = self.whole(self._only(one.iter, "members")), self.temporary()
        self._set(name, WHOLE, natural=True)
        self.put(f"for (i64 {left} = {those.text}; {left}; {left} &= {left} - 1) {{ {c_name(name)} = lowest({left});")

    def _over_range(self, one: ast.For, name: str) -> int:
        """Write a loop over a range; return the number of its rounds, 0 if that is not known."""
        assert isinstance(one.iter, ast.Call)
        if one.iter.keywords or not 1 <= len(one.iter.args) <= 3:
            raise Untranslatable(f"range takes 1 to 3 numbers, not {len(one.iter.args)}")
        given = [self.whole(argument) for argument in one.iter.args]
        first = given[0] if len(given) > 1 else Value("0", WHOLE, natural=True, known=0)
        last = given[1] if len(given) > 1 else given[0]
        step = given[2].known if len(given) > 2 else 1
        if not step:
            raise Untranslatable("the third number of range must be a constant, and not 0")
        i, end = self.temporary(), self.temporary()
        down = last.known is not None and last.known >= -1
        self._set(name, WHOLE, natural=first.natural if step > 0 else down)
        sign = "<" if step > 0 else ">"
        self.put(
            f"for (i64 {i} = {first.text}, {end} = {last.text}; {i} {sign} {end}; {i} += {step})"
            f" {{ {c_name(name)} = {i};"
        )
        return 0 if first.known is None or last.known is None else len(range(first.known, last.known, step))

    def _over_list(self, one: ast.For, name: str) -> int:
        """A loop over a table of constants, over a field, or over a few numbers."""
        if isinstance(one.iter, ast.Tuple):
            parts = [self.whole(part) for part in one.iter.elts]
            base, i = self.temporary(), self.temporary()
            self._set(name, WHOLE, natural=all(part.natural for part in parts))
            self.put(f"for (i64 {i} = 0, {base}[] = {{{', '.join(part.text for part in parts)}}}; {i} < {len(parts)};"
                     f" {i}++) {{ {c_name(name)} = {base}[{i}];")  # fmt: skip
            return len(parts)
        found, i = self.value(one.iter), self.temporary()
        if isinstance(found.kind, Known) and isinstance(found.kind.value, range) and found.kind.value.step == 1:
            these = found.kind.value
            self._set(name, WHOLE, natural=these.start >= 0)
            self.put(f"for (i64 {i} = {these.start}; {i} < {these.stop}; {i}++) {{ {c_name(name)} = {i};")
            return len(these)
        if not isinstance(found.kind, ListKind):
            raise Untranslatable("a loop goes over range(...), members(...) or a list of numbers,"
                          f" not over {called(found.kind)}")  # fmt: skip
        kind = read_as(found.kind.code)
        self._set(name, kind, natural=found.natural)
        self.put(f"for (i64 {i} = 0; {i} < {found.kind.size}; {i}++) {{ {c_name(name)} = {found.text}[{i}];")
        return found.kind.size

    # ------------------------------------------------------------------ assignments

    def _set(self, name: str, kind: Kind | None, natural: bool = False) -> None:
        """Note that a name takes a value of that kind."""
        if kind is None or isinstance(kind, Nobody | Does | Known):
            raise Untranslatable(f"{name} would be {called(kind)}")
        try:
            if name in self.parameters:
                if joined(self.parameters[name], kind) != self.parameters[name]:
                    raise Untranslatable(f"{self.parameters[name].called} in one place and {kind.called} in another")
                self.natural_parameters[name] &= natural
            else:
                before, was_natural = self.variables.get(name, (None, True))
                together = joined(before, kind)
                assert together
                self.variables[name] = together, was_natural and natural and together == WHOLE
        except Untranslatable as mistake:
            raise Untranslatable(f"{name} cannot be {mistake}") from None

    def _s_AnnAssign(self, one: ast.AnnAssign) -> None:
        if one.value is not None:
            self._store(one.target, self.value(one.value))

    def _s_Assign(self, one: ast.Assign) -> None:
        if len(one.targets) == 1 and isinstance(one.targets[0], ast.Tuple):
            self._s_several(one.targets[0].elts, one.value)
            return
        found = self.value(one.value)
        if len(one.targets) > 1:
            found = self._kept(found)
        for target in one.targets:
            self._store(target, found)

    def _s_several(self, targets: list[ast.expr], value: ast.expr) -> None:
        """An assignment to several names: the whole right-hand side is evaluated first."""
        if isinstance(value, ast.Tuple):
            if len(value.elts) != len(targets):
                raise Untranslatable(f"{len(targets)} names on the left and {len(value.elts)} values on the right")
            parts = [self._kept(self.value(part)) for part in value.elts]
        else:
            whole = self._kept(self.value(value))
            if isinstance(whole.kind, Known) and isinstance(whole.kind.value, range):
                parts = [self.constant(n) for n in whole.kind.value]
            elif isinstance(whole.kind, TupleKind):
                parts = [Value(whole.kind.part(whole.text, i), kind) for i, kind in enumerate(whole.kind.parts)]
            else:
                raise Untranslatable(f"several names on the left, and {called(whole.kind)} on the right")
            if len(parts) != len(targets):
                raise Untranslatable(f"{len(targets)} names on the left and {len(parts)} values on the right")
        for target, part in zip(targets, parts, strict=True):
            self._store(target, part)

    def _kept(self, found: Value) -> Value:
        """Evaluate a value now, into a temporary variable."""
        if found.known is not None or found.kind is None or isinstance(found.kind, Known | Nobody):
            return found
        name = self.temporary()
        self.put(f"{_declared(found.kind, name)} = {found.text};")
        return Value(name, found.kind, natural=found.natural)

    def _store(self, target: ast.expr, found: Value) -> None:
        if isinstance(target, ast.Name):
            if isinstance(found.kind, Bundle) and "(&(" in found.text:
                raise Untranslatable(f"{found.kind.called} is handed on where it is made, and not kept in {target.id}")
            self._set(target.id, found.kind, found.natural)
            self.put(f"{c_name(target.id)} = {bare(found.text)};")
            return
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            self._clear(target, target.slice, found)
            return
        if found.calls:
            found = self._kept(found)
        text, code, kind, _ = self.stored(target)
        self._fits(target, code, kind, found)
        if isinstance(kind, PositionKind):
            self.put(f"copy({text}, {found.text}, sizeof(position));")
        else:
            self.put(f"{text} = ({STORED[code]}){bracketed(found.text)};")

    def _fits(self, target: ast.expr, code: str, kind: Kind, found: Value) -> None:
        """Check that a value may be stored in a place."""
        what = ast.unparse(target)
        if isinstance(kind, ListKind):
            raise Untranslatable(f"{what} is {kind.called}: set one after the other")
        if isinstance(kind, PositionKind) != isinstance(found.kind, PositionKind):
            raise Untranslatable(f"{what} is {kind.called}, and cannot be {called(found.kind)}")
        if isinstance(kind, Number):
            if not isinstance(found.kind, Number):
                raise Untranslatable(f"{what} holds numbers, not {called(found.kind)}")
            if found.kind == REAL and kind != REAL:
                raise Untranslatable(f"{what} holds whole numbers, not a float: write // for /, or int(...)")
            if found.known is not None and code[0] in "iu" and code not in ("i64", "u64"):
                bits, signed = int(code[1:]), code[0] == "i"
                low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
                if not low <= found.known <= high:
                    raise Untranslatable(f"{what} holds {low} to {high}, not {found.known}")

    def _clear(self, target: ast.Subscript, part: ast.Slice, found: Value) -> None:
        """``row[:] = 0``, the only assignment to a part of a vector that is translated."""
        base = self.value(target.value)
        if not isinstance(base.kind, Vector) or part.step or found.text not in ("0", "0.0"):
            raise Untranslatable("compiled rules cannot take a slice: write a loop over the indices")
        low = self.whole(part.lower).text if part.lower else "0"
        high = self.whole(part.upper).text if part.upper else f"{base.text}.n0"
        each = "".join(f" * {base.text}.n{j}" for j in range(1, base.kind.dimensions))
        size = f"(({high}) - ({low})){each} * sizeof *{base.text}.at"
        self.put(f"clear({base.text}.at + {bracketed(low)}{each}, {size});")

    def _s_AugAssign(self, one: ast.AugAssign) -> None:
        value = self.value(one.value)
        if isinstance(one.target, ast.Name):
            made = self.combined(one.op, self._local(one.target.id), value)
            self._set(one.target.id, made.kind, made.natural)
            self.put(f"{c_name(one.target.id)} = {bare(made.text)};")
            return
        text, code, kind, calls = self.stored(one.target)
        if not isinstance(kind, Number):
            raise Untranslatable(f"{ast.unparse(one.target)} is {kind.called}, not a number")
        c, natural = STORED[code], code[0] == "u" and code != "u64"
        if calls or value.calls:  # as in Python, read the old value before the right-hand side is worked out
            place, old = self.temporary(), self.temporary()
            made = self.combined(one.op, Value(old, kind, natural=natural), value)
            self._fits(one.target, code, kind, made)
            self.put(f"{{ {c} *{place} = &{text}; {kind.c} {old} = *{place}; *{place} = ({c})({made.text}); }}")
            return
        made = self.combined(one.op, self.read(text, code, kind), value)
        self._fits(one.target, code, kind, made)
        self.put(f"{text} = ({c}){bracketed(made.text)};")


def _characters(lines: Iterable[str]) -> int:
    """The number of characters of C, without comments and line directives."""
    return sum(len(line) + 1 for line in lines if not line.startswith(("//", "#")))


def _returning(node: ast.Lambda) -> ast.Return:
    return ast.copy_location(ast.Return(node.body), node.body)


def _is_text(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _declared(kind: Kind, name: str, alone: str = "") -> str:
    return f"{kind.c}{alone}{' ' * bool(alone)}{name}" if kind.c.endswith("*") else f"{kind.c} {name}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    """Lines of C, indented by their braces."""
    depth = 1
    for line in lines:
        code = "" if line.startswith("//") else line
        at = depth - code.startswith("}")
        yield line if line.startswith("#") else "  " * at + line
        depth += code.count("{") - code.count("}")


def _zero(kind: Kind) -> str:
    return "0" if isinstance(kind, Number | PositionKind | ListKind | Bundle) else "{0}"
