"""Taking back the last step of a game, if that is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from parlour.base.errors import ParlourError
from parlour.engine.undoing import teaches_nothing
from parlour.rules.vocabulary import CHANCE

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset
    from parlour.engine.steps import Step


class Undoable(Protocol):
    """What :func:`undo` needs of a game in progress; :class:`parlour.State` and :class:`parlour.CompiledState` have
    it."""

    @property
    def game(self) -> Ruleset[Any]: ...

    @property
    def history(self) -> Sequence[Step]: ...

    @property
    def is_sealed(self) -> bool: ...

    @property
    def is_terminal(self) -> bool: ...

    def at(self, steps: int, /) -> Any: ...

    def _return_to(self, before: Any, /) -> None: ...


def undo(state: Undoable) -> Step:
    """Take back the last step of ``state`` and return it, if it was a player's and nobody learned anything from it.
    Otherwise raises ``ParlourError``; the state is then unchanged.

    Nothing was learned if everything that anybody was told of the step follows from what they knew before it
    (:mod:`parlour.engine.undoing`).  Chance is never taken back, nor is the end of a game.

    >>> import parlour
    >>> state = parlour.load("leduc").new(seed=5)
    >>> state.apply("raise")
    >>> parlour.undo(state).name, state.log[-2:]
    ('raise', [Step(player=0, action=2, name='raise'), None])
    """
    before = before_undone(state)
    last = state.history[-1]
    state._return_to(before)
    return last


def before_undone(state: Undoable, before: Any = None) -> Any:
    """Return the game as it was before the last step of ``state``, if :func:`undo` may take that step back; raises
    ``ParlourError`` as it does.  ``before``: that game, if the caller already has it."""
    last = _last_step(state)
    before = state.at(len(state.history) - 1) if before is None else before
    if state.is_terminal or not teaches_nothing(state.game, before.position, last.player, last.action):
        raise ParlourError("You can't take that back: it has shown something that was hidden.")
    return before


def step_back(state: Undoable) -> Step:
    """Take back the last step of ``state`` and return it, whatever it has revealed.  This is for records and logs,
    because the table has already decided that the step may be taken back.  ``ParlourError`` if it was not a player's.

    >>> import parlour
    >>> state = parlour.load("kuhn").new(seed=1)
    >>> for step in ("bet", "bet"): state.apply(step)
    >>> step_back(state).name, state.is_terminal
    ('bet', False)
    """
    last = _last_step(state)
    state._return_to(state.at(len(state.history) - 1))
    return last


def _last_step(state: Undoable) -> Step:
    """Return the last step, which must be a player's."""
    if not hasattr(state, "_return_to"):
        raise ParlourError("{state!r} is no game in progress: nothing of it can be taken back.", state=state)
    steps = state.history
    if not steps or steps[-1].player == CHANCE or state.is_sealed:
        raise ParlourError("There is nothing to take back: nothing was played, or chance has decided since.")
    return steps[-1]


__all__ = ["step_back", "undo"]
