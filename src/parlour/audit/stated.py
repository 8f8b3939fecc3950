"""What an author states in ``invariants.py``, held against what it must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.engine.slips import held
from parlour.rules.bounds import amounts_of, bounds_of

if TYPE_CHECKING:
    from parlour.core.game import Game

Hide = Callable[[Any, int], None]
"""``hide(s, me)`` wipes from a position what ``me`` must not know."""


def stated(game: Game) -> None:
    """Read all that does not depend on a position.  Raises ``ParlourError``, which names file, line and function, for
    what is not what it must be.

    >>> import parlour
    >>> stated(parlour.load("kuhn"))
    """
    part, what = game.definition.part("invariants"), game.definition
    small = getattr(part, "SMALL", {})
    if not isinstance(small, Mapping):
        raise ParlourError(
            "{package}/invariants.py: SMALL must give names of constants of the rules smaller values, such as"
            ' {example}, not {value!r}.', package=what.package, example='{"DECK": 8}', value=small,
        )  # fmt: skip
    bounds_of(game), amounts_of(game), reveals(game)
    if what.small is not None:
        what.small.rules  # noqa: B018  # so that what cannot be computed from these constants is said at once


def reveals(game: Game) -> Sequence[str]:
    """The names of the events that say openly what the position may forget (``REVEALS``)."""
    found = getattr(game.definition.part("invariants"), "REVEALS", ())
    if isinstance(found, str) or not set(found) <= game.definition.events.keys():
        raise ParlourError(
            "{package}/invariants.py: REVEALS must name events of words.toml, such as {example}, not {value!r}.",
            package=game.definition.package, example='("shows",)', value=found,
        )  # fmt: skip
    return tuple(found)


def hide_of(game: Game) -> Hide | None:
    """``hide(s, me)``, which returns nothing; ``None`` if there is none."""
    hide = getattr(game.definition.part("invariants"), "hide", None)
    if hide is None:
        return None

    def wipe(s: Any, me: int) -> None:
        found = hide(s, me)
        held(hide, found, found is None, "nothing, but wipe fields of s itself")

    return wipe


def check_of(game: Game) -> Callable[[Any], str]:
    """``check(s)``, which returns what is wrong in words; one that finds nothing, if there is none."""
    check = getattr(game.definition.part("invariants"), "check", None)
    if check is None:
        return lambda s: ""

    def look(s: Any) -> str:
        found = check(s)
        return str(
            held(check, found, isinstance(found, str), "what is wrong in words, and an empty text if nothing is")
        )

    return look
