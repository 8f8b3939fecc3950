"""Whether a step can have taught anybody anything, decided from what everybody knew before it.

The step is carried out once more for each observer, on a position that holds what this observer knows and nothing else:
every other value is replaced by a :class:`Secret`, on which nothing can depend.  If the rules offer the action, carry
it out and say who is asked next without looking at one, and tell this observer none, then all of it follows from what
the observer knew: they would have been told the same in every world that they think possible.  The step has taught them
nothing.  If the rules do look at a secret, the step *may* have taught something, and that is the answer: the test errs
only on the safe side.

What an observer does not know is whatever ``redeal`` deals: every field that it, or a function that it calls, may
write, unless the observer was told it.  The audit compares redeals with an exact enumeration of worlds.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from parlour.engine.telling import restored, view
from parlour.vocabulary import EVERYBODY, SEVERAL

if TYPE_CHECKING:
    from parlour.engine.definition import Definition
    from parlour.engine.ruleset import Ruleset
    from parlour.vocabulary import Field


class Looked(Exception):
    """Raised when the rules look at a secret."""


class Secret:
    """A value that is not known.  It can be assigned and calculated with, and the result is not known either; but no
    branch, index or loop can depend on it.

    >>> SECRET + 1 is SECRET, SECRET & 0, (SECRET > 3) is SECRET
    (True, 0, True)
    """

    def _looked_at(self, *_: Any) -> NoReturn:
        raise Looked

    def _unknown(self, *_: Any) -> Any:
        return self

    def _times(self, other: Any) -> Any:
        """Zero stays zero, whatever the secret is."""
        return self if other is self or other else 0

    __bool__ = __int__ = __index__ = __float__ = __hash__ = __len__ = __iter__ = __getitem__ = __contains__ = _looked_at
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __neg__ = __pos__ = __invert__ = __abs__ = bit_count = bit_length = _unknown
    __add__ = __sub__ = __or__ = __xor__ = __lshift__ = __rshift__ = __floordiv__ = __mod__ = _unknown
    __radd__ = __rsub__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __rfloordiv__ = __rmod__ = _unknown
    __and__ = __rand__ = __mul__ = __rmul__ = _times


SECRET = Secret()


def teaches_nothing(game: Ruleset[Any], s: Any, who: int, a: int) -> bool:
    """Whether nobody, spectators among them, learns anything when ``who`` does ``a`` in the position ``s``.

    >>> import parlour
    >>> state = parlour.load("leduc").new(seed=5)
    >>> teaches_nothing(state.game, state.position, 0, state.game.find_action("raise"))
    True
    >>> for act in ("raise", "call", "call"): state.apply(act)
    >>> teaches_nothing(state.game, state.position, 1, state.game.find_action("call"))  # both hands are shown
    False
    """
    return all(_follows(game, s, who, a, observer) for observer in (EVERYBODY, *range(game.players)))


def may_go_unnoticed(game: Ruleset[Any], s: Any, observer: int) -> bool:
    """Whether somebody else may now do something that ``observer`` does not notice; always where several choose at
    once.

    >>> import parlour
    >>> state = parlour.load("leduc").new(seed=5)
    >>> may_go_unnoticed(state.game, state.position, 1)
    False
    """
    rules = game.definition.rules
    who = rules.actor(s)
    if who == SEVERAL or who < 0 or who == observer:
        return who == SEVERAL
    seen, acts = view(game, s, observer).items, [0] * game.action_count
    for a in acts[: rules.legal(s, who, acts)]:
        after, heard = s.copy(), list[Any]()
        game.definition.step(after, who, a, heard)
        told = any(event[2] in (EVERYBODY, observer) for event in heard)
        if not told and rules.actor(after) == who and view(game, after, observer).items == seen:
            return True
    return False


def _follows(game: Ruleset[Any], s: Any, who: int, a: int, observer: int) -> bool:
    """Whether what ``observer`` is told of a step, and who is asked next, follows from what they know."""
    rules, acts, heard = game.definition.rules, [0] * game.action_count, list[Any]()
    told: list[Any] = []
    known = as_known(game, s, observer)
    try:
        if a not in acts[: rules.legal(known, who, acts)]:
            return False
        game.definition.step(known, who, a, heard)
        if rules.actor(known) == SEVERAL:
            rules.acting(known)
        rules.show(known, told)
        if observer != EVERYBODY:
            rules.show_own(known, observer, told)
    except Looked:
        return False
    if any(event[2] is SECRET for event in heard):
        return False
    audible = (event for event in heard if event[2] in (EVERYBODY, observer))
    return not any(value is SECRET for entry in (*audible, *told) for value in entry)


def as_known(game: Ruleset[Any], s: Any, observer: int) -> Any:
    """Return the position ``s`` as ``observer`` knows it, with :data:`SECRET` for what they do not."""
    seen = view(game, s, observer)
    told = {(name, index) for name, index, _ in seen.items}
    known, dealt = restored(seen), dealt_fields(game.definition)
    for name, field in game.definition.fields.items():
        values, real = getattr(known, name), getattr(s, name)
        if field.size:
            hidden = ((name in dealt and (name, i) not in told) or values[i] != real[i] for i in range(field.size))
            setattr(known, name, [SECRET if one else value for one, value in zip(hidden, values, strict=True)])
        elif (name in dealt and (name, 0) not in told) or values != real:
            setattr(known, name, SECRET)
    return known


@cache
def dealt_fields(game: Definition) -> frozenset[str]:
    """Return the fields that a redeal may write, found in the source of ``redeal`` and of everything it calls.  A list
    that is handed to another function counts as written."""
    if game.hides_nothing or not game.has("redeal"):
        return frozenset()
    found: set[str] = set()
    done: set[Any] = set()
    todo: list[Any] = [game.rules.redeal]
    while todo:
        function = todo.pop()
        if not isinstance(function, FunctionType) or function in done:
            continue
        done.add(function)
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        found |= {name for name in _written(tree, game.fields) if name in game.fields}
        todo += [named for node in ast.walk(tree) if (named := _named(node, function.__globals__)) is not None]
    return frozenset(found)


def _named(node: ast.AST, space: Mapping[str, Any]) -> Any:
    """Return what ``name`` or ``module.name`` means in a namespace; ``None`` if it means nothing there."""
    if isinstance(node, ast.Name):
        return space.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(module := _named(node.value, space), ModuleType):
        return getattr(module, node.attr, None)
    return None


def _written(tree: ast.AST, fields: Mapping[str, Field]) -> Iterator[str]:
    for node in ast.walk(tree):
        place = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(place, ast.Attribute) and isinstance(getattr(node, "ctx", None), ast.Store):
            yield place.attr
        elif isinstance(node, ast.Call):
            names = (given.attr for given in node.args if isinstance(given, ast.Attribute))
            yield from (name for name in names if name in fields and fields[name].size)
