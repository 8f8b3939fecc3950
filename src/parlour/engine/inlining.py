"""Functions with those that they call written out in them: for loops that drive the rules without being watched.

Interpreted play goes into calls. A decision of Diamonds makes sixty, each of which does little.  :class:`Inliner`
writes a function again, in plain Python that means the same.  Small functions are copied to where they are called; a
listener that is ``None`` is told nothing.  Constants stand where they are used; loops over a few numbers and over the
members of a set are unrolled.  Conditions that rules add up without branches, which suits machine code, become branches
again.  A function that is more than rules are made of stays as it is, and is called.

It trusts rules to be what they are: functions of the position and of numbers, whose constants never change.
"""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from parlour.vocabulary import members

LARGEST = 150
"""The most nodes of syntax that a function has which is copied to where it is called."""
ROUNDS = 9
"""The most rounds of a loop that is unrolled."""
UNROLLED = 1000
"""The most nodes of syntax that such a loop has then."""
PURE = frozenset({"abs", "bool", "int", "len", "max", "min", "range", "bit_count", "bit_length"})
"""Builtin functions and methods that change nothing."""
UNDERSTOOD = (
    *(ast.Expr, ast.Return, ast.Assign, ast.AugAssign, ast.If, ast.While, ast.For, ast.Break, ast.Continue, ast.Pass),
    *(ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Call),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)
"""The syntax of functions that are written again."""

Body = list[ast.stmt]


class Inliner:
    """Writes functions again. ``space`` holds those that it has written, and whatever they call or look up.

    >>> from parlour.shelf.diamonds.position import rank
    >>> Inliner().written(rank)(12)
    14
    """

    def __init__(self) -> None:
        self.space: dict[str, Any] = {}
        self._written: dict[tuple[FunctionType, frozenset[int]], str] = {}
        self._known: dict[int, str] = {}
        self._too_large: set[tuple[FunctionType, frozenset[int]]] = set()
        self._numbers = itertools.count(1)

    def written(self, function: FunctionType) -> FunctionType:
        """The same function, written again if it is one that is understood."""
        made = self.space[self.name_of(function, frozenset())] if source_of(function) else function
        assert isinstance(made, FunctionType)
        return made

    def fresh(self, name: str) -> ast.Name:
        """A name that nothing else has."""
        return _name(f"{name if name.isidentifier() else 'it'}_{next(self._numbers)}")

    def known(self, value: Any) -> ast.Name:
        """The name by which what is written knows a value."""
        if id(value) not in self._known:
            name = self._known[id(value)] = self.fresh(getattr(value, "__name__", type(value).__name__)).id
            self.space[name] = value
        return _name(self._known[id(value)])

    def name_of(self, function: FunctionType, silent: frozenset[int]) -> str:
        """The name of a function that is understood, written again without its parameters of these numbers: they are
        ``None``."""
        if (function, silent) in self._written:
            return self._written[function, silent]
        name = self._written[function, silent] = self.fresh(function.__name__).id
        source = source_of(function)
        assert source is not None
        parameters = [one.arg for one in source.args.args]
        names: dict[str, ast.expr] = {one: _name(one) for one in function.__code__.co_varnames}
        names |= {one: ast.Constant(None) for i, one in enumerate(parameters) if i in silent}
        body = _Writer(self, function, names, (function,)).block(source.body)
        left = ", ".join(one for i, one in enumerate(parameters) if i not in silent)
        made = ast.parse(f"def {name}({left}): pass").body[0]
        assert isinstance(made, ast.FunctionDef)
        made.body = body or made.body
        text, file = ast.unparse(made) + "\n", f"<{name}, written out>"
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        exec(compile(text, file, "exec"), self.space)
        return name

    def copied(
        self, function: FunctionType, given: Sequence[ast.expr], inside: tuple[FunctionType, ...]
    ) -> tuple[Body, Body] | None:
        """What has to be done before a function is called with these arguments, and its body for them, with its
        ``return`` statements; ``None`` if it has to be called."""
        source, key = source_of(function), (function, silent_in(function, given))
        if source is None or function in inside or key in self._too_large:
            return None
        said = [one for one in source.body if not _is_text(one)]
        looks = len(said) == 1 and isinstance(said[0], ast.Return) and changes_nothing(function)
        used = [node.id for node in ast.walk(source) if isinstance(node, ast.Name)]
        names: dict[str, ast.expr] = {one: self.fresh(one) for one in function.__code__.co_varnames}
        bound: dict[str, ast.expr] = {}
        for parameter, value in zip(source.args.args, given, strict=True):
            name = parameter.arg
            is_plain = isinstance(value, (ast.Name, ast.Constant)) and name not in _variables(function)
            if is_plain or (looks and used.count(name) < 2 and is_pure(value)):
                names[name] = value
            else:
                bound[names[name].id] = value  # type: ignore[attr-defined]
        body = _Writer(self, function, names, (*inside, function)).block(said)
        if _size(body) > LARGEST:
            self._too_large.add(key)
            return None
        read = {node.id for one in body for node in ast.walk(one) if isinstance(node, ast.Name)}
        return [_assign(name, value) for name, value in bound.items() if name in read or not is_pure(value)], body


class _Writer:
    """Writes the body of one function; ``names`` says what stands for its parameters and variables."""

    def __init__(
        self, inliner: Inliner, function: FunctionType, names: Mapping[str, ast.expr], inside: tuple[FunctionType, ...]
    ) -> None:
        self._inliner, self._names, self._inside = inliner, names, inside
        self._around = function.__globals__
        self._before: Body = []  # what has to be done before the statement
        self._clean = True  # nothing but names has been evaluated in the statement so far
        self._calm = True  # nothing that changes anything has

    # ------------------------------------------------------------------ statements

    def block(self, statements: Sequence[ast.stmt]) -> Body:
        out: Body = []
        for one in statements:
            self._before, self._clean, self._calm = [], True, True
            out += self._statement(one)
            if ends(out):
                break
        return out

    def _statement(self, one: ast.stmt) -> Body:
        match one:
            case ast.Expr(value=value):
                value = self._expr(value, wanted=False)
                return self._before if is_pure(value) else [*self._before, ast.Expr(value)]
            case ast.Return(value=value):
                if isinstance(value, ast.Call) and (body := self._returned(value)) is not None:
                    return body
                result = self._expr(value) if value else ast.Constant(None)
                return [*self._before, ast.Return(result)]
            case ast.Assign(targets=targets, value=value):
                result = self._expr(value)
                return [*self._before, ast.Assign([self._place(target) for target in targets], result, lineno=0)]
            case ast.AugAssign(target=target, op=op, value=value):
                self._clean = isinstance(target, ast.Name)
                result = self._expr(value, strict=is_pure(target))
                return [*self._before, increased(self._place(target), op, result)]
            case ast.If(test=test, body=body, orelse=orelse):
                test = self._expr(test)
                before = self._before
                if isinstance(test, ast.Constant):
                    return [*before, *self.block(body if test.value else orelse)]
                return [*before, *_if(test, self.block(body), self.block(orelse))]
            case ast.While(test=test, body=body, orelse=orelse):
                test = self._expr(test, strict=False)
                return [ast.While(test, self.block(body) or [ast.Pass()], self.block(orelse))]
            case ast.For():
                return self._for(one)
        return [] if isinstance(one, ast.Pass) else [one]

    def _for(self, one: ast.For) -> Body:
        if isinstance(one.iter, ast.Call) and self._called(one.iter.func) is members:
            return self._for_members(one, one.iter.args[0])
        those = self._expr(one.iter)
        before = self._before
        match those:
            case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(rounds))]) if rounds <= ROUNDS:
                if (unrolled := self._unrolled(one, rounds)) is not None:
                    return [*before, *unrolled]
        target, body = self._place(one.target), self.block(one.body)
        return [*before, ast.For(target, those, body or [ast.Pass()], self.block(one.orelse), lineno=0)]

    def _for_members(self, one: ast.For, those: ast.expr) -> Body:
        left = self._inliner.fresh("left")
        members_of = _assign(left.id, self._expr(those))
        start = [*self._before, members_of]
        lowest, fewer = ast.parse(f"({left.id} & -{left.id}).bit_length() - 1\n{left.id} &= {left.id} - 1").body
        assert isinstance(lowest, ast.Expr)
        taken = ast.Assign([self._place(one.target)], lowest.value, lineno=0)
        return [*start, ast.While(left, [taken, fewer, *self.block(one.body)], self.block(one.orelse))]

    def _unrolled(self, one: ast.For, rounds: int) -> Body | None:
        """The rounds of a loop one after another; ``None`` if that cannot be, or would be long."""
        target, inner = one.target, [node for each in one.body for node in ast.walk(each)]
        if not isinstance(target, ast.Name) or one.orelse or not rounds:
            return None
        if any(isinstance(node, (ast.Break, ast.Continue)) or _stores(node, target.id) for node in inner):
            return None
        names, out = self._names, Body()
        for i in range(rounds):
            self._names = {**names, target.id: ast.Constant(i)}
            out += self.block(one.body)
        self._names = names
        last = ast.Assign([self._place(target)], ast.Constant(rounds - 1), lineno=0)
        return [*out, last] if _size(out) <= UNROLLED else None

    def _place(self, target: ast.expr) -> Any:
        """What is assigned to."""
        match target:
            case ast.Attribute(value=value, attr=attr):
                return ast.Attribute(self._expr(value, strict=False), attr, ast.Store())
            case ast.Subscript(value=value, slice=index):
                return ast.Subscript(self._expr(value, strict=False), self._expr(index, strict=False), ast.Store())
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return ast.Tuple([self._place(one) for one in elts], ast.Store())
        place = self._names[target.id]  # type: ignore[attr-defined]
        assert isinstance(place, ast.Name)
        return ast.Name(place.id, ast.Store())

    # ------------------------------------------------------------------ expressions

    def _expr(self, one: ast.expr, strict: bool = True, wanted: bool = True) -> ast.expr:
        """An expression written again.  ``strict``: it is evaluated once, whatever happens, so what it calls may be
        written out before the statement.  ``wanted``: somebody reads its value."""
        match one:
            case ast.Name(id=name):
                return self._names[name] if name in self._names else self._global(name)
            case ast.Attribute(value=value, attr=attr):
                if isinstance(module := self._called(value), ModuleType):
                    return self._constant(getattr(module, attr))
                value = self._expr(value, strict)
                self._clean = False
                return ast.Attribute(value, attr, ast.Load())
            case ast.Subscript(value=value, slice=index):
                value, index = self._expr(value, strict), self._expr(index, strict)
                self._clean = False
                return ast.Subscript(value, index, ast.Load())
            case ast.Slice(lower=lower, upper=upper, step=step):
                return ast.Slice(*(part and self._expr(part, strict) for part in (lower, upper, step)))
            case ast.BinOp(left=left, op=op, right=right):
                return branched(ast.BinOp(self._expr(left, strict), op, self._expr(right, strict)))
            case ast.UnaryOp(op=op, operand=operand):
                return ast.UnaryOp(op, self._expr(operand, strict))
            case ast.Compare(left=left, ops=ops, comparators=[right, *rest]):
                left, right = self._expr(left, strict), self._expr(right, strict)
                return folded(ast.Compare(left, ops, [right, *(self._expr(other, False) for other in rest)]))
            case ast.BoolOp(op=op, values=[first, *rest]):
                return ast.BoolOp(op, [self._expr(first, strict), *(self._expr(other, False) for other in rest)])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                test = self._expr(test, strict)
                if isinstance(test, ast.Constant):
                    return self._expr(body if test.value else orelse, strict)
                return ast.IfExp(test, self._expr(body, False), self._expr(orelse, False))
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return type(one)([self._expr(value, strict) for value in elts], ast.Load())
            case ast.Call():
                return self._call(one, strict, wanted)
        return one

    def _global(self, name: str) -> ast.expr:
        return self._constant(self._around[name]) if name in self._around else _name(name)

    def _constant(self, value: Any) -> ast.expr:
        return ast.Constant(value) if value is None or type(value) in (bool, int, str) else self._inliner.known(value)

    def _called(self, function: ast.expr) -> Any:
        """The function that is called, or the module that is meant; ``None`` if that is not fixed."""
        match function:
            case ast.Name(id=name) if name not in self._names:
                return self._around.get(name)
            case ast.Attribute(value=ast.Name() as value, attr=attr):
                module = self._called(value)
                return getattr(module, attr) if isinstance(module, ModuleType) else None
        return None

    def _call(self, one: ast.Call, strict: bool, wanted: bool) -> ast.expr:
        function, clean, calm = self._called(one.func), self._clean, self._calm
        if not isinstance(function, FunctionType):
            callee = self._expr(one.func, strict)
            call = self._chosen(ast.Call(callee, [self._expr(value, strict) for value in one.args], []))
            self._clean, self._calm = False, self._calm and is_pure(call)
            return call
        given = self._given(function, one, strict)
        if (copied := self._inliner.copied(function, given, self._inside)) is not None:
            start, body = copied
            if not start and len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value:
                self._clean, self._calm = False, self._calm and is_pure(body[0].value)
                return body[0].value
            result = self._inliner.fresh(function.__name__) if wanted else None
            looks = changes_nothing(function) and all(map(is_pure, given))
            if strict and (clean or (calm and looks)) and (written := settled(body, result)) is not None:
                self._before += [*start, *written]
                self._clean, self._calm = clean, calm
                return result or ast.Constant(None)
        self._clean, self._calm = False, self._calm and changes_nothing(function)
        if source_of(function) is None:
            return ast.Call(self._inliner.known(function), given, [])
        silent = silent_in(function, given)
        name = _name(self._inliner.name_of(function, silent))
        return ast.Call(name, [value for i, value in enumerate(given) if i not in silent], [])

    def _given(self, function: FunctionType, one: ast.Call, strict: bool) -> list[ast.expr]:
        """The arguments of a call, defaults included."""
        given, defaults = [self._expr(value, strict) for value in one.args], function.__defaults__ or ()
        left = function.__code__.co_argcount - len(given)
        return [*given, *(self._constant(value) for value in defaults[len(defaults) - left :])]

    def _returned(self, one: ast.Call) -> Body | None:
        """What becomes of ``return f(…)``: the body of the function, with its own ``return`` statements."""
        function = self._called(one.func)
        if not isinstance(function, FunctionType):
            return None
        copied = self._inliner.copied(function, self._given(function, one, True), self._inside)
        if copied is None:
            self._before, self._clean, self._calm = [], True, True
            return None
        start, body = copied
        return [*self._before, *start, *body, *([] if ends(body) else [ast.Return(ast.Constant(None))])]

    def _chosen(self, call: ast.Call) -> ast.expr:
        """``max(a, b)`` as ``b if b > a else a``."""
        match call:
            case ast.Call(func=ast.Name(id="max" | "min" as name), args=[ast.Name() | ast.Constant() as first, second]):
                again = second
                if not isinstance(second, (ast.Name, ast.Constant)):
                    again = self._inliner.fresh("other")
                    second = ast.NamedExpr(ast.Name(again.id, ast.Store()), second)
                test = ast.Compare(second, [ast.Gt() if name == "max" else ast.Lt()], [first])
                return ast.IfExp(test, again, first)
        return call


# ------------------------------------------------------------------------------------------ what is said of code


@cache
def _functions(file: str) -> dict[int, ast.FunctionDef]:
    """The functions of a file, by the lines where they begin."""
    tree = ast.parse("".join(linecache.getlines(file)))
    return {one.lineno: one for one in tree.body if isinstance(one, ast.FunctionDef) and not one.decorator_list}


@cache
def source_of(function: FunctionType) -> ast.FunctionDef | None:
    """The syntax of a function; ``None`` if it is more than is understood."""
    code = function.__code__
    found = _functions(code.co_filename).get(code.co_firstlineno)
    if found is None or found.name != code.co_name or function.__closure__:
        return None
    plain = len(found.args.args) == code.co_argcount and not (code.co_kwonlyargcount or code.co_flags & 0x2C)
    return (
        found if plain and all(isinstance(node, UNDERSTOOD) for one in found.body for node in ast.walk(one)) else None
    )


@cache
def _variables(function: FunctionType) -> frozenset[str]:
    """The names that a function assigns to."""
    return frozenset(name for name in function.__code__.co_varnames if any(_stores(n, name) for n in _nodes(function)))


def _nodes(function: FunctionType) -> Iterable[ast.AST]:
    source = source_of(function)
    return ast.walk(source) if source else ()


def silent_in(function: FunctionType, given: Sequence[ast.expr]) -> frozenset[int]:
    """Which of the parameters of a function are ``None`` and stay so."""
    names, changed = function.__code__.co_varnames, _variables(function)
    return frozenset(
        i for i, v in enumerate(given) if isinstance(v, ast.Constant) and v.value is None and names[i] not in changed
    )


@cache
def changes_nothing(function: FunctionType) -> bool:
    """Whether a function only looks."""
    found, todo = {members}, [function]
    while todo:
        one = todo.pop()
        if one in found:
            continue
        found.add(one)
        if source_of(one) is None:
            return False
        for node in _nodes(one):
            if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
                return False
            if isinstance(node, ast.Call):
                called = one.__globals__.get(node.func.id) if isinstance(node.func, ast.Name) else None
                if isinstance(called, FunctionType):
                    todo.append(called)
                elif not _looks(node):
                    return False
    return True


def _looks(call: ast.Call) -> bool:
    return (call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")) in PURE


def is_pure(one: ast.expr) -> bool:
    """Whether an expression only looks."""
    return all(_looks(node) for node in ast.walk(one) if isinstance(node, ast.Call))


def is_truth(one: ast.expr) -> bool:
    """Whether an expression is ``True`` or ``False``."""
    match one:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return True
        case ast.BoolOp(values=values):
            return all(map(is_truth, values))
    return False


def ends(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing that follows these statements is ever reached."""
    match body[-1] if body else None:
        case ast.Return() | ast.Break() | ast.Continue():
            return True
        case ast.If(body=yes, orelse=no):
            return ends(yes) and ends(no)
    return False


# ------------------------------------------------------------------------------------------ what code becomes


def folded(one: ast.Compare) -> ast.expr:
    """A comparison with ``None``, or the constant that it is."""
    match one:
        case ast.Compare(left=ast.Constant(value=a), ops=[ast.Is()], comparators=[ast.Constant(value=b)]):
            return ast.Constant(a is b)
        case ast.Compare(left=ast.Constant(value=a), ops=[ast.IsNot()], comparators=[ast.Constant(value=b)]):
            return ast.Constant(a is not b)
    return one


def branched(one: ast.BinOp) -> ast.expr:
    """``a & b`` of two truths as ``a and b``."""
    if (
        isinstance(one.op, (ast.BitAnd, ast.BitOr))
        and is_truth(one.left)
        and is_truth(one.right)
        and is_pure(one.right)
    ):
        return ast.BoolOp(ast.And() if isinstance(one.op, ast.BitAnd) else ast.Or(), [one.left, one.right])
    return one


def increased(place: ast.Name | ast.Attribute | ast.Subscript, op: ast.operator, value: ast.expr) -> ast.stmt:
    """``n += a < b`` and ``n |= (a < b) << i``, where ``n`` is a variable, as an addition under a condition."""
    if isinstance(place, ast.Name) and isinstance(op, (ast.Add, ast.BitOr)):
        match value:
            case ast.BinOp(left=left, op=ast.LShift(), right=right) if is_truth(left) and is_pure(right):
                one = ast.BinOp(ast.Constant(1), ast.LShift(), right)
                return ast.If(left, [ast.AugAssign(place, op, one)], [])
            case _ if is_truth(value):
                return ast.If(value, [ast.AugAssign(place, op, ast.Constant(1))], [])
    return ast.AugAssign(place, op, value)


def settled(body: Sequence[ast.stmt], result: ast.Name | None) -> Body | None:
    """The same statements with the value that they return in ``result`` (``None``: nobody wants it), so that what
    follows is reached in any case; ``None`` if they return from within a loop."""
    out: Body = []
    for i, one in enumerate(body):
        if isinstance(one, ast.Return):
            value = one.value or ast.Constant(None)
            return out + _kept(result, value)
        if any(isinstance(node, ast.Return) for node in ast.walk(one)):
            rest = body[i + 1 :]
            if not isinstance(one, ast.If) or (rest and not ends(one.body) and not ends(one.orelse)):
                return None
            yes = settled(one.body if ends(one.body) else [*one.body, *rest], result)
            no = settled(one.orelse if ends(one.orelse) else [*one.orelse, *rest], result)
            return None if yes is None or no is None else out + _if(one.test, yes, no)
        out.append(one)
    return out if result is None else [*out, _assign(result.id, ast.Constant(None))]


def _kept(result: ast.Name | None, value: ast.expr) -> Body:
    if result is None:
        return [] if is_pure(value) else [ast.Expr(value)]
    return [_assign(result.id, value)]


def _if(test: ast.expr, yes: Body, no: Body) -> Body:
    return [ast.If(test, yes or [ast.Pass()], no)] if yes or no or not is_pure(test) else []


def _is_text(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _size(body: Body) -> int:
    return sum(1 for one in body for _ in ast.walk(one))


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)
