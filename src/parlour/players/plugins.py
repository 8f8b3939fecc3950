"""Players of your own: objects, dotted paths, entry points; and checks of their answers."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from operator import index
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError, told_of
from parlour.base.languages import marked
from parlour.engine.hashing import seed_word
from parlour.engine.telling import View
from parlour.players.characters import Called
from parlour.players.kind import Kind

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

GROUP = "parlour.players"
"""The entry points that name players."""


@cache
def installed() -> dict[str, str]:
    """The players in installed packages: their names, and their dotted paths."""
    return {entry.name: entry.value.replace(":", ".") for entry in entry_points(group=GROUP)}


def is_own(kind: Kind) -> bool:
    """Whether a kind names a player that is not Parlour's: a dotted path, or the name of an entry point.

    >>> is_own(Kind("my_bot.First")), is_own(Kind("search", "0.5s"))
    (True, False)
    """
    return "." in kind.name or str(kind) in installed()


def named(kind: Kind, game: Ruleset[Any], seed: int) -> CheckedPlayer:
    """The player at a dotted path (``my_bot.First``), or of an entry point.  It imports the module."""
    name = str(kind)
    path = installed().get(name, name)
    module, _, attribute = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, TypeError, ValueError, AttributeError) as error:
        if os.path.isfile(name):
            by = "learned" if name.endswith(".npz") else "solved"
            raise ParlourError(
                "{file} is a file: the player who follows it is {by}:{file}.", file=name, by=by
            ) from None
        why: object = error
        if isinstance(error, ModuleNotFoundError):
            why = marked("No module named {module!r}", module=error.name)
        raise ParlourError("There is no player {kind!r}: {error}.", kind=name, error=why) from None
    return seated(found, game, seed, name)


def seated(player: Any, game: Ruleset[Any], seed: int = 0, name: str | None = None) -> CheckedPlayer:
    """Return a player, given itself or a class or function that makes it, which is called with ``game`` and ``seed`` if
    it has parameters of these names.  Raises ``ParlourError`` if it has no ``choose``.

    >>> import parlour
    >>> class First:
    ...     def choose(self, view, legal): return legal[0]
    >>> seated(First, parlour.load("kuhn")).name
    'First'
    """
    if isinstance(player, CheckedPlayer):
        return player
    called = name or name_of(player)
    if callable(player) and not (hasattr(player, "choose") and not isinstance(player, type)):
        offered = {"game": game, "seed": seed_word(seed)}
        try:
            asked = inspect.signature(player).parameters
            player = player(**{word: value for word, value in offered.items() if word in asked})
        except Exception as error:
            raise ParlourError(
                "The player {called} cannot be made: {told}.", called=called, told=told_of(error)
            ) from error
    if not callable(getattr(player, "choose", None)):
        raise ParlourError("{called} is no player: it has no choose(view, legal).", called=called)
    return CheckedPlayer(player, called)


def name_of(player: Any) -> str:
    """The ``name`` of a player; without one, the name of its class or function."""
    return str(getattr(player, "name", None) or getattr(player, "__name__", type(player).__name__))


class CheckedPlayer(Called):
    """A player whose answers are checked; errors contain its ``name``."""

    def choose(self, view: View, legal: Sequence[int]) -> int:
        """Return the player's answer.  Raises ``ParlourError`` if it is not one of ``legal``, or if the player
        fails."""
        try:
            answer = self._player.choose(view, list(legal))
        except Exception as error:
            raise ParlourError(
                "The player {name} failed in seat {player}: {told}.",
                name=self.name,
                player=view.player,
                told=told_of(error),
            ) from error
        return checked(answer, view, legal, self.name)


def checked(answer: Any, view: View, legal: Sequence[int], name: str) -> int:
    """Return an answer as an action's id.  Raises ``ParlourError``, with the player's name, if it is not one of
    ``legal``.

    >>> import parlour
    >>> state = parlour.load("kuhn").new(seed=1)
    >>> checked(5, state.view(0), state.legal_actions(0), "First")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: The player First answered 5 in seat 0, none of its legal actions: ...
    """
    try:
        chosen = None if isinstance(answer, bool) else index(answer)
    except TypeError:
        chosen = None
    if chosen is None or chosen not in legal:
        names = view.game.action_names
        allowed = ", ".join(f"{a} ({names[a]})" for a in legal[:FEW]) + ", …" * (len(legal) > FEW)
        raise ParlourError(
            "The player {name} answered {answer!r} in seat {player}, none of its legal actions: {allowed}.",
            name=name,
            answer=answer,
            player=view.player,
            allowed=allowed,
        )
    return chosen


FEW = 12
"""Legal actions that a sentence lists."""
