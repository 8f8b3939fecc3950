"""A game with its number of players and its house rules fixed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from numbers import Real
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from parlour.base.errors import ParlourError, placed, returned_wrongly, unknown
from parlour.base.languages import ENGLISH, current
from parlour.engine.book import Clause
from parlour.engine.definition import Definition
from parlour.engine.effective_clauses import in_force
from parlour.engine.house_rules import (
    house_rules,
    must_play_alike,
    option_values,
    option_word,
    options_since,
    players_allowed,
    refusal_of,
)
from parlour.engine.tensors import TensorPart, tensor_parts, tensor_size

if TYPE_CHECKING:
    from parlour.engine.steps import Event

StateT = TypeVar("StateT")


def unnamed_action(game: Ruleset[Any], action: int) -> ParlourError:
    """Return the error for a legal action that has no name, which says where the names are."""
    code = cast(Any, game.definition.rules.action_names).__code__
    return ParlourError(
        "{file}, line {line}: action_names names actions 0 to {last}, but legal gives action {action}.",
        file=placed(code.co_filename), line=code.co_firstlineno, last=game.action_count - 1, action=action,
    )  # fmt: skip


class Ruleset(Generic[StateT]):
    """A game with its number of players and its house rules fixed: all that the engine needs to know of a game apart
    from its progress.  Equal ones compare equal.

    Attributes: ``definition`` (what the game's folder says), ``players``, ``options`` (every option, as a word or a
    number), ``action_names`` (readable names of the action ids 0, 1, 2 …), ``version`` (the version of the rules that
    its records name).
    """

    stepped: Any = None
    """The compiled rules, once a state has been stepped in machine code (:mod:`parlour.engine.stepping`)."""

    def __init__(
        self, what: Definition, players: int | None, options: Mapping[str, int | str], version: int | None = None
    ) -> None:
        """``version``: an older version of the rules, to continue a game that was begun under it.  Options that it did
        not have get the values that play the same (:func:`parlour.engine.house_rules.options_since`, which must know
        the version)."""
        self.definition = what
        self.version = what.version if version is None else version
        options = {**(options_since(what, self.version) or {}), **options}
        self.players = players_allowed(what, players, options)
        self._house_rules = option_values(what, self.players, options)
        refused = refusal_of(what, self.players, self._house_rules)
        if refused:
            raise ParlourError(refused)
        must_play_alike(what, self.version, self.options)
        self._blank = house_rules(what, self.players, self._house_rules)
        names: object = what.rules.action_names(self._blank)
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise returned_wrongly(what.rules.action_names, "a list of texts, one for each action", names)
        self.action_names: tuple[str, ...] = tuple(names)
        self.action_ids = {name.casefold(): a for a, name in enumerate(self.action_names)}
        self._clauses: dict[tuple[str, str], Clause] = {}

    def __repr__(self) -> str:
        changed = "".join(
            f", {n}={self.options[n]!r}"
            for n, o in self.definition.options.items()
            if self.options[n] != str(o.default)
        )
        return f"load({self.id!r}, players={self.players}{changed})"

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        return self.definition.package, self.players, tuple(self._house_rules.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ruleset) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def id(self) -> str:
        """The name under which it is loaded."""
        return self.definition.id

    @cached_property
    def options(self) -> Mapping[str, str]:
        """Every option with the value it has here, as text."""
        return MappingProxyType({n: option_word(self.definition, n, v) for n, v in self._house_rules.items()})

    @property
    def recorded_options(self) -> Mapping[str, str]:
        """The options that its records name: those that its version of the rules has."""
        later = options_since(self.definition, self.version) or {}
        return {name: value for name, value in self.options.items() if name not in later}

    @property
    def action_count(self) -> int:
        """The number of action ids; ids run from 0."""
        return len(self.action_names)

    @property
    def tensor_layout(self) -> Mapping[str, TensorPart]:
        """The place of each thing in a tensor."""
        return tensor_parts(self.definition)

    @property
    def tensor_size(self) -> int:
        """The length of a tensor's flat buffer."""
        return tensor_size(self.definition)

    def clause(self, clause: str) -> Clause:
        """Return a clause of the rule book as it stands under these house rules.

        >>> import parlour
        >>> parlour.load("diamonds").clause("DM-1").id
        'DM-1'
        """
        return self._clause(clause, ENGLISH)

    def told_clause(self, clause: str) -> Clause:
        """Return the same in the reader's language, as far as it is translated."""
        return self._clause(clause, current())

    def _clause(self, clause: str, language: str) -> Clause:
        found = self._clauses.get((language, of_kind(clause, str, "the id of a clause")))
        if found is None:
            found = self.definition.book[clause]
            found = self._clauses[language, clause] = replace(found, text=in_force(self, found, language))
        return found

    def blank(self) -> Any:
        """Return a blank interpreted position: all zeros, except for the number of players and the options."""
        return self._blank.copy()

    def start(self, heard: list[Event] | None = None) -> Any:
        """Return a fresh interpreted position at the start of the game, before chance decides anything; ``heard`` takes
        the events so far."""
        s = self.blank()
        self.definition.rules.begin(s, heard)
        return s

    def find_action(self, action: int | str) -> int:
        """Return the id of an action given by id or by name (any case, any spacing).  Raises ``ParlourError`` if there
        is none.

        >>> import parlour
        >>> parlour.load("kuhn").find_action("bet")
        1
        """
        if isinstance(action, str):
            found = self.action_ids.get(" ".join(action.split()).casefold())
            if found is None:
                raise unknown("action", action, self.action_names)
            return found
        number = whole_number(action, "an action's id or name")
        if not 0 <= number < self.action_count:
            raise ParlourError(
                "{id} has no action {action}; ids run from 0 to {action_count}.",
                id=self.id,
                action=action,
                action_count=self.action_count - 1,
            )
        return number

    def new(self, seed: int | None = None) -> StateT:
        """A new game: see :meth:`parlour.Game.new`."""
        raise NotImplementedError

    def state_at(self, s: Any, rng_word: int | None = None) -> StateT:
        """Return a state that starts at a given interpreted position: see :meth:`parlour.Game.state_at`."""
        raise NotImplementedError


def whole_number(number: Any, what: str) -> int:
    """Return a whole number of any type, NumPy's included, as a Python integer.  Raises ``ParlourError`` for anything
    else, a bool included.

    >>> whole_number(True, "a seat")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: True is not a seat.
    """
    try:
        if isinstance(number, bool):
            raise TypeError
        return index(number)
    except TypeError:
        raise ParlourError("{number!r} is not {what}.", number=number, what=what) from None


def of_kind(given: Any, kind: Any, what: str) -> Any:
    """Return an object if it is of this type.  Raises ``ParlourError`` otherwise.

    >>> of_kind(None, str, "a line of actions")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: None is not a line of actions.
    """
    if isinstance(given, kind):
        return given
    raise ParlourError("{given!r} is not {what}.", given=given, what=what)


A_GAME = "a game, as parlour.load(...) returns it"


def number(given: Any, what: str) -> float:
    """Return a number of any type as a float.  Raises ``ParlourError`` for anything else, a bool included.

    >>> number("0.5", "a number of seconds")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: '0.5' is not a number of seconds.
    """
    if isinstance(given, Real) and not isinstance(given, bool):
        return float(given)
    raise ParlourError("{given!r} is not {what}.", given=given, what=what)


def seat(game: Ruleset[Any], player: int) -> int:
    """Return the number of a seat as a Python integer.  Raises ``ParlourError`` if the game has no such seat."""
    player = whole_number(player, "a seat")
    if not 0 <= player < game.players:
        raise ParlourError(
            "There is no seat {player}; seats run from 0 to {last}.", player=player, last=game.players - 1
        )
    return player


MOST_THREADS = 1024
"""Threads that may share a step."""


def threads_allowed(threads: int | None) -> int:
    """Return ``threads``, or as many as there are cores if ``None``."""
    if threads is None:
        return os.cpu_count() or 1
    threads = whole_number(threads, "a number of threads")
    if threads < 1:
        raise ParlourError("At least one thread is needed, not {threads}.", threads=threads)
    if threads > MOST_THREADS:
        raise ParlourError(
            "At most {most_threads} threads share a step, not {threads}.", most_threads=MOST_THREADS, threads=threads
        )
    return threads
