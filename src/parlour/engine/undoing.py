"""Deciding whether a step may have taught anybody anything, from what they knew before it.

The step is repeated for each observer, on a position that holds only what this observer knows: every other value is
replaced by a :class:`Secret`, on which nothing can depend.  Suppose that the rules list the action, carry it out and
name the next player without looking at a secret, and tell the observer no secret.  Then everything follows from what
the observer knew: they would have been told the same in every world that they hold possible, so the step has taught
them nothing.  If the rules do look at a secret, the step *may* have taught something, and that is the answer: the test
errs only on the safe side.

Unknown to an observer is all that ``redeal`` deals (every field that it, or a function that it calls, may write), and
all that another player may have been told alone, unless the observer was told it too.  The real values never matter.
The audit compares redeals with an exact enumeration of worlds.

Sources are read only when a step is first taken back, because that takes up to a quarter of a second.  If they cannot
be followed, no step may be taken back, and the audit tells the author why.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import itertools
import linecache
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from types import CodeType, FunctionType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from parlour.base.errors import ParlourError
from parlour.engine.telling import Item, View, put_back, told_all, view
from parlour.rules import vocabulary
from parlour.rules.vocabulary import EVERYBODY, SEVERAL

if TYPE_CHECKING:
    from parlour.engine.definition import Definition
    from parlour.engine.ruleset import Ruleset
    from parlour.rules.vocabulary import Field


class Looked(Exception):
    """Raised when the rules look at a secret."""


class Secret:
    """An unknown value.  It can be assigned, and calculations with it have an unknown result; but no branch, index or
    loop can depend on it.

    >>> SECRET + 1 is SECRET, SECRET & 0, (SECRET > 3) is SECRET
    (True, 0, True)
    """

    def _looked_at(self, *_: Any) -> Any:
        raise Looked

    def _unknown(self, *_: Any) -> Any:
        return self

    def _times(self, other: Any) -> Any:
        """Zero stays zero, whatever the secret is."""
        return self if other is self or other else 0

    __bool__ = __int__ = __index__ = __float__ = __hash__ = __len__ = __iter__ = __getitem__ = __contains__ = _looked_at
    __round__ = __trunc__ = __floor__ = __ceil__ = __divmod__ = __rdivmod__ = _looked_at
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __neg__ = __pos__ = __invert__ = __abs__ = bit_count = bit_length = _unknown
    __add__ = __sub__ = __or__ = __xor__ = __lshift__ = __rshift__ = __floordiv__ = __truediv__ = __mod__ = __pow__ = (
        _unknown
    )
    __radd__ = __rsub__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __rfloordiv__ = __rtruediv__ = __rmod__ = (
        __rpow__
    ) = _unknown
    __and__ = __rand__ = __mul__ = __rmul__ = _times


SECRET = Secret()


class Guessed(Secret):
    """A secret whose truth is guessed wherever a branch depends on it: first as given by ``goes``, then always
    false."""

    def __init__(self) -> None:
        self.goes(())

    def goes(self, way: tuple[bool, ...]) -> None:
        """Restart, with these guesses for the next branches."""
        self.taken, self.given = [*way], len(way)
        self._coming = iter(way)

    def __bool__(self) -> bool:
        guess = next(self._coming, None)
        if guess is None:
            guess = False
            self.taken.append(guess)
        return guess


MANY_WAYS = 256
"""After this many paths through ``show_own``, all fields that may ever be told alone count as told."""


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
    common, *each = _all_seen(game, s)
    dealt, alone = _dealt(game, each), told_alone(game.definition)
    known, found = _known(game, common, dealt, alone)
    if not found:  # each player knows all that spectators know, so it is empty for them too
        alone = frozenset()
    return _follows(game, known, who, a, EVERYBODY) and all(
        _follows(game, _known(game, seen, dealt, alone)[0], who, a, seen.player) for seen in each
    )


class _Seen(NamedTuple):
    """What one observer sees: a position with all that everybody can see (it is copied, never changed); the items that
    only this observer sees; and the fields and indices that these two cover."""

    common: Any
    player: int
    own: tuple[Item, ...]
    told: Set[tuple[str, int]]

    def restored(self, game: Ruleset[Any]) -> Any:
        """Return the position with all of these items put back, as :func:`~parlour.engine.telling.restored` does."""
        s = self.common.copy()
        put_back(game.definition, self.own, s)
        game.definition.rules.restore(s, self.player)
        return s


def _places(items: Iterable[Item]) -> Set[tuple[str, int]]:
    return {(name, index) for name, index, _ in items}


def _all_seen(game: Ruleset[Any], s: Any) -> list[_Seen]:
    """Return what a spectator and then every player sees; they share one position with what everybody can see."""
    *each, common = told_all(game, s)
    blank, told = game.blank(), _places(common)
    put_back(game.definition, common, blank)
    own = [items[len(common) :] for items in each]
    return [
        _Seen(blank, EVERYBODY, (), told),
        *(_Seen(blank, p, more, told | _places(more) if more else told) for p, more in enumerate(own)),
    ]


def may_go_unnoticed(game: Ruleset[Any], s: Any, observer: int) -> bool:
    """Whether another player may now do something that ``observer`` does not notice; always true where several players
    choose at once.

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


def _follows(game: Ruleset[Any], known: Any, who: int, a: int, observer: int) -> bool:
    """Whether all that ``observer`` is told of a step, and who acts next, follows from the position as they know it.
    The step then changes that position.

    For a player, only what they are told alone is checked.  The rest is what spectators are told, too; if it follows
    from what spectators know, it follows from what a player knows, because that includes it.
    """
    rules, acts, heard, told = game.definition.rules, [0] * game.action_count, list[Any](), list[Any]()
    try:
        if observer != EVERYBODY:
            game.definition.step(known, who, a, heard)
            rules.show_own(known, observer, told)
        elif a in acts[: rules.legal(known, who, acts)]:
            game.definition.step(known, who, a, heard)
            if rules.actor(known) == SEVERAL:
                rules.acting(known)
            rules.show(known, told)
        else:
            return False
    except Looked:
        return False
    if any(event[2] is SECRET for event in heard):
        return False
    told += [event for event in heard if event[2] == observer]
    return Secret not in map(type, itertools.chain.from_iterable(told))


def as_known(game: Ruleset[Any], seen: View, dealt: frozenset[str]) -> Any:
    """Return the position as the holder of the view ``seen`` knows it, with :data:`SECRET` for all that they do not
    know: the fields that are ``dealt`` (:func:`dealt_now`), and all that another player may have been told alone by
    now, unless they were told it too.

    Nothing else of the position is used, because even the answer whether a step may be taken back must not depend on
    anything hidden.
    """
    seen_alone = _Seen(game.blank(), seen.player, seen.items, _places(seen.items))
    return _known(game, seen_alone, dealt, told_alone(game.definition))[0]


def _known(game: Ruleset[Any], seen: _Seen, dealt: frozenset[str], alone: frozenset[str]) -> tuple[Any, Set[str]]:
    """Return the same, and the fields that are not dealt but that another player may have been told alone by now.
    ``alone``: all fields that players may be told alone."""
    known, told, found = seen.restored(game), seen.told, frozenset[str]()
    _hide(known, dealt, told, SECRET)
    if alone - dealt:
        found = _told_by_now(game, known, seen.player, alone | dealt, told) - dealt
        _hide(known, found, told, SECRET)
    return known, found


def dealt_now(game: Ruleset[Any], s: Any) -> frozenset[str]:
    """Return the fields that redeals may write now: none if no player's redeal would draw or change anything.  If two
    worlds look alike to a player, the redeal writes in both or in neither, so this reveals nothing."""
    return _dealt(game, _all_seen(game, s)[1:])


def _dealt(game: Ruleset[Any], views: Iterable[_Seen]) -> frozenset[str]:
    try:
        for seen in views:
            known = seen.restored(game)
            after = known.copy()
            game.definition.rules.redeal(after, seen.player, cast(Any, SECRET))
            if after != known:
                return dealt_fields(game.definition)
    except Looked:
        return dealt_fields(game.definition)
    return frozenset()


def _hide(known: Any, names: Iterable[str], told: Set[tuple[str, int]], secret: Secret) -> None:
    """Put a secret in place of everything in these fields that was not told."""
    for name in names:
        values = getattr(known, name)
        if isinstance(values, list):
            setattr(known, name, [value if (name, i) in told else secret for i, value in enumerate(values)])
        elif (name, 0) not in told:
            setattr(known, name, secret)


def _told_by_now(
    game: Ruleset[Any], known: Any, observer: int, hidden: frozenset[str], told: Set[tuple[str, int]]
) -> frozenset[str]:
    """Return the fields of which other players may have been told something alone by now, whatever the secrets are:
    every path through ``show_own`` is tried."""
    found, ways, guess, guessed = set[str](), 0, Guessed(), known.copy()
    _hide(guessed, hidden, told, guess)
    for p in range(game.players):
        todo: list[tuple[bool, ...]] = [()] if p != observer else []
        while todo:
            heard = list[Any]()
            guess.goes(todo.pop())
            try:
                game.definition.rules.show_own(guessed, p, heard)
            except Looked:
                return hidden
            todo += [(*guess.taken[:n], not guess.taken[n]) for n in range(guess.given, len(guess.taken))]
            found |= {name for name, _, _ in heard}
            ways += 1
            if ways > MANY_WAYS:
                return hidden
    return frozenset(found) & hidden


@cache
def dealt_fields(game: Definition) -> frozenset[str]:
    """Return the fields that a redeal may write, found in the source of ``redeal`` and of everything that it may call.
    A list that is passed on in any way counts as written.  Raises ``ParlourError`` if something cannot be followed.
    """
    if game.hides_nothing:
        return frozenset()
    return frozenset(name for tree in _followed(game, game.rules.redeal) for name in _written(tree, game.fields))


@cache
def told_alone(game: Definition) -> frozenset[str]:
    """Return the fields that a player may be told alone, such as a choice that is still secret: those named in
    ``show_own`` or in a function that it may call.  Raises ``ParlourError`` if something cannot be followed."""
    if game.hides_nothing:
        return frozenset()
    nodes = (node for tree in _followed(game, game.rules.show_own) for node in ast.walk(tree))
    words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset(words & game.fields.keys())


_HARMLESS = frozenset(
    (
        abs,
        all,
        any,
        bool,
        divmod,
        enumerate,
        float,
        int,
        len,
        list,
        max,
        min,
        range,
        reversed,
        round,
        sorted,
        sum,
        tuple,
        zip,
    )
)
"""Built-in functions that rules may use: none of them writes to a position."""
_OF_NUMBERS = frozenset(("bit_count", "bit_length"))
_NOT_OF_RULES = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Global)


def _followed(game: Definition, function: Any) -> Iterator[ast.AST]:
    """Yield the syntax tree of a function, and of every function that it may call.  The primitives of the vocabulary
    are left out, because they write only to their arguments."""
    todo, done = [function], set[Any]()
    while todo:
        function = todo.pop()
        if function in done or function.__module__ == vocabulary.__name__:
            continue
        done.add(function)
        for tree in _parsed(function):
            yield tree
            todo += _named(game, function, tree)


def _parsed(function: FunctionType) -> list[ast.AST]:
    """Return the syntax tree of a function; of several lambdas in its line all of them, because any may be the one."""
    code = function.__code__
    tree = _tree("".join(linecache.getlines(code.co_filename, function.__globals__)))
    kinds = (ast.FunctionDef, ast.Lambda)
    found = [node for node in ast.walk(tree) if isinstance(node, kinds) and _first_line(node) == code.co_firstlineno]
    if not found:
        raise _not_followed(function, function.__qualname__)
    return [*found]


@cache
def _tree(source: str) -> ast.Module:
    return ast.parse(source)


def _first_line(node: ast.FunctionDef | ast.Lambda) -> int:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return min(one.lineno for one in (node, *decorators))


def _named(game: Definition, function: FunctionType, tree: ast.AST) -> Iterator[FunctionType]:
    """Yield every function that a function may call: by its own name, through a module, from a table, or as a
    default."""
    space = {**vars(builtins), **function.__globals__, **inspect.getclosurevars(function).nonlocals}
    known = _looked_up(function.__code__)
    for given in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield from _meant(function, "a default", given)
    for node in _without_annotations(tree):
        if isinstance(node, _NOT_OF_RULES):
            raise _not_followed(function, type(node).__name__.lower())
        if isinstance(node, ast.Name) and node.id in known:
            yield from _meant(function, node.id, space.get(node.id))
        elif isinstance(node, ast.Attribute):
            if isinstance(module := _module(node.value, space, known), ModuleType):
                yield from _meant(function, ast.unparse(node), getattr(module, node.attr, None))
            elif node.attr not in game.fields and node.attr not in _OF_NUMBERS:
                raise _not_followed(function, ast.unparse(node))


def _module(node: ast.AST, space: Mapping[str, Any], known: Set[str]) -> Any:
    """Return the object that a name, or a name in a module, stands for."""
    if isinstance(node, ast.Name):
        return space.get(node.id) if node.id in known else None
    if isinstance(node, ast.Attribute) and isinstance(module := _module(node.value, space, known), ModuleType):
        return getattr(module, node.attr, None)
    return None


def _looked_up(code: CodeType) -> set[str]:
    """Return the names that a function takes from outside: globals, and names of the functions around it."""
    found = {*code.co_freevars}
    found |= {one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"}
    return found.union(*(_looked_up(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def _without_annotations(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for name, part in ast.iter_fields(tree):
        if name not in ("annotation", "returns", "decorator_list"):
            for node in part if isinstance(part, list) else [part]:
                if isinstance(node, ast.AST):
                    yield from _without_annotations(node)


def _meant(function: FunctionType, name: str, value: Any) -> Iterator[FunctionType]:
    """Yield the functions in the object that a name stands for."""
    if isinstance(value, vocabulary.Tabled):
        value = value.rule
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, Mapping):
        yield from _meant(function, name, (*value, *value.values()))
    elif isinstance(value, (tuple, list, Set)):
        for one in value:
            yield from _meant(function, name, one)
    elif not isinstance(value, (int, float, str, bytes, range, ModuleType, NoneType)) and not _is_harmless(value):
        raise _not_followed(function, name)


def _is_harmless(value: Any) -> bool:
    return any(value is one for one in _HARMLESS)


def _not_followed(function: FunctionType, name: str) -> ParlourError:
    return ParlourError(
        "{module}.{function} uses {name}, which cannot be followed, so nobody knows what is hidden, and nothing can be"
        " taken back. Call functions of the rules by their names, and use nothing of the position but its fields.",
        module=function.__module__,
        function=function.__qualname__,
        name=name,
    )


def _written(tree: ast.AST, fields: Mapping[str, Field]) -> set[str]:
    """Return the fields that are assigned to, and the lists that are used in any way other than by index."""
    nodes = list(ast.walk(tree))
    by_place = {id(node.value): node for node in nodes if isinstance(node, ast.Subscript)}
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            used = by_place.get(id(node), node)
            is_list = node.attr in fields and fields[node.attr].size
            if not isinstance(used.ctx, ast.Load) or (is_list and used is node):
                found.add(node.attr)
    return found
