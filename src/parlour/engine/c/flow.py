"""The paths through a function: which names are set wherever they are used, and whether its end is reached."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from parlour.engine.c.kinds import IMPOSSIBLE, Untranslatable

Names = frozenset[str]


class Flow:
    """Follows a function, statement by statement.

    ``met`` is called with every statement before it is followed, so that the caller knows where a mistake is.
    ``decided`` says whether a condition is known to be true or false while translating (``None``: neither).  Raises
    :class:`~parlour.engine.c.kinds.Untranslatable` for a name that is used where it may not have been set.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        met: Callable[[ast.stmt], None],
        decided: Callable[[ast.expr], bool | None],
    ) -> None:
        self._met, self._decided = met, decided
        self._own = frozenset(
            node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        self._left: list[list[Names]] = []  # for each enclosing loop, the names set at each way out
        set_at_end = self._block(function.body, frozenset(argument.arg for argument in function.args.args))
        self.ends = set_at_end is not None
        """Whether the function may reach its end without ``return``."""

    def _block(self, body: Sequence[ast.stmt], known: Names | None) -> Names | None:
        """The names set after these statements; ``None`` if their end is never reached."""
        for statement in body:
            if known is None:
                break
            self._met(statement)
            known = self._statement(statement, known)
        return known

    def _statement(self, one: ast.stmt, known: Names) -> Names | None:
        if isinstance(one, ast.Return | ast.Raise):
            if isinstance(one, ast.Return):
                self._used(one, known)
            return None
        if isinstance(one, ast.Break):
            self._left[-1].append(known)
            return None
        if isinstance(one, ast.Continue):
            return None
        if isinstance(one, ast.If):
            decided = self._decided(one.test)
            if decided is not None:
                return self._block(one.body if decided else one.orelse, known)
            self._used(one.test, known)
            yes, no = self._block(one.body, known), self._block(one.orelse, known)
            return _both([yes, no])
        if isinstance(one, ast.While | ast.For):
            return self._loop(one, known)
        if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            self._check(one.target.id, known)
        self._used(one, known)
        if isinstance(one, ast.AnnAssign) and one.value is None:
            return known
        return known | self._set_in(one)

    def _loop(self, one: ast.While | ast.For, known: Names) -> Names | None:
        self._left.append([])
        if isinstance(one, ast.For):
            self._used(one.iter, known)
            self._block(one.body, known | self._set_in(one.target))
            return _both([known, *self._left.pop()])
        self._used(one.test, known)
        self._block(one.body, known)
        for_ever = isinstance(one.test, ast.Constant) and bool(one.test.value)
        return _both([*([] if for_ever else [known]), *self._left.pop()])

    def _used(self, node: ast.AST, known: Names) -> None:
        for inner in ast.walk(node):
            # a comprehension's own variables would seem unset
            if isinstance(inner, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
                raise Untranslatable(f"{IMPOSSIBLE[type(inner)]} cannot be part of compiled rules")
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                self._check(inner.id, known)

    def _check(self, name: str, known: Names) -> None:
        if name in self._own and name not in known:
            raise Untranslatable(f"{name} is used here and may not have been set")

    def _set_in(self, node: ast.AST) -> Names:
        return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _both(ways: Sequence[Names | None]) -> Names | None:
    """The names set where several paths meet; ``None`` if no path gets here."""
    open_ways = [way for way in ways if way is not None]
    return frozenset.intersection(*open_ways) if open_ways else None
