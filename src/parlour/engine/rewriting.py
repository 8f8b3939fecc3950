"""What rules may contain and Numba cannot compile as it stands, rewritten before it is compiled.

* ``for p in members(x):`` becomes a loop that takes the lowest member away: compiled code has no generators.
* ``note(to, "DB-25" if mine else "DB-23", …)`` becomes one ``note`` in each branch of an ``if``, because clauses and
  events are resolved while compiling.  The same goes for ``whisper``.

Lines keep their numbers, so a mistake is reported where it was made.
"""

from __future__ import annotations

import ast
import inspect
from functools import cache
from types import CodeType, FunctionType, ModuleType

from parlour.vocabulary import lowest, members, note, whisper

LOOPS = members.__name__
LOWEST = lowest.__name__
"""What a loop over members needs, whether or not the module imports it."""
SAID = frozenset({note.__name__, whisper.__name__})
LITERALS = slice(1, 3)
"""Which arguments of a ``note`` or ``whisper`` are literals: the clause and the event."""


def rewritten(function: FunctionType, module: ModuleType) -> CodeType:
    """Return the code of a function of a rules module in a form that can be compiled."""
    code = function.__code__
    if not {LOOPS, *SAID} & set(code.co_names) or function.__name__ == "<lambda>":
        return code
    return _rewritten(module).get((function.__name__, code.co_firstlineno), code)


@cache
def _rewritten(module: ModuleType) -> dict[tuple[str, int], CodeType]:
    """Return the code of the functions of a module that have to be rewritten, by name and first line."""
    tree = ast.parse(inspect.getsource(module))
    tree.body = [one for one in tree.body if isinstance(one, ast.FunctionDef) and _Rewriter().changes(one)]
    made = compile(ast.fix_missing_locations(tree), module.__file__ or "<rules>", "exec", dont_inherit=True)
    return {(code.co_name, code.co_firstlineno): code for code in made.co_consts if isinstance(code, CodeType)}


class _Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self.loops = 0
        self.found = False

    def changes(self, function: ast.FunctionDef) -> bool:
        """Rewrite a function in place; return whether there was anything to rewrite."""
        self.visit(function)
        return self.found

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not (isinstance(node.iter, ast.Call) and _name(node.iter.func) == LOOPS):
            return node
        self.found = True
        self.loops += 1
        rest = f"members_left_{self.loops}"
        start, loop = ast.parse(
            f"{rest} = those\nwhile {rest}:\n    member = {LOWEST}({rest})\n    {rest} &= {rest} - 1"
        ).body
        assert isinstance(start, ast.Assign)
        assert isinstance(loop, ast.While)
        for one in (*ast.walk(start), *ast.walk(loop)):
            if hasattr(one, "lineno"):
                ast.copy_location(one, node)
        start.value = node.iter.args[0]
        taken = loop.body[0]
        assert isinstance(taken, ast.Assign)
        taken.targets = [node.target]
        loop.body += node.body
        loop.orelse = node.orelse
        return [start, loop]

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        call = node.value
        if not (isinstance(call, ast.Call) and _name(call.func) in SAID):
            return node
        for i, argument in list(enumerate(call.args))[LITERALS]:
            if isinstance(argument, ast.IfExp):
                self.found = True
                yes, no = (self.visit_Expr(_with(node, call, i, said)) for said in (argument.body, argument.orelse))
                return ast.copy_location(ast.If(argument.test, [yes], [no]), node)
        return node


def _with(node: ast.Expr, call: ast.Call, i: int, said: ast.expr) -> ast.Expr:
    """Return the same call with another ``i``-th argument."""
    args = [*call.args[:i], said, *call.args[i + 1 :]]
    return ast.copy_location(ast.Expr(ast.copy_location(ast.Call(call.func, args, call.keywords), call)), node)


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""
