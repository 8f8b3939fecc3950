"""What the environments of PettingZoo and Gymnasium have in common: spaces, what a seat sees, actions, refusals."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium import spaces

from parlour.base.errors import ParlourError, unknown
from parlour.core.game import Game
from parlour.engine.hashing import seed_word
from parlour.engine.telling import single
from parlour.rules.bounds import amounts_of
from parlour.rules.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.compiled_state import CompiledState
    from parlour.core.game import State

Illegal = Literal["refuse", "raise"]
"""What happens to an action that is not allowed: nothing but that ``info["refusal"]`` says why, in a sentence with its
clause, and the same seat is asked again; or :class:`parlour.IllegalAction` is raised."""

Observation = dict[str, Any]
"""``observation`` (float32, what the seat is told) and ``action_mask`` (int8, 1 for each legal action)."""


def observation_space(game: Game, actions: int, information: bool = False) -> spaces.Dict:
    """The space of what a seat sees, or has known (``information``); ``actions`` is the length of the mask.
    An amount that house rules leave at 0 may be 1: wrappers divide by what lies between the bounds.

    >>> import parlour
    >>> observation_space(parlour.load("kuhn"), 2)["action_mask"]
    MultiBinary(2)
    """
    low, high = np.zeros(game.tensor_size, np.float32), np.ones(game.tensor_size, np.float32)
    for name, (least, most) in amounts_of(game).items():
        part, scale = game.tensor_layout[name], game.definition.things[name].size
        entries = slice(part.start, part.start + int(np.prod(part.shape)), part.width)
        low[entries], high[entries] = (single(single(n) * single(1.0 / scale)) for n in (min(least, 0), max(most, 1)))
    if information:
        low = np.full(game.information_size, -np.inf, np.float32)
        high = -low
    return spaces.Dict(
        {"observation": spaces.Box(low, high, dtype=np.float32), "action_mask": spaces.MultiBinary(actions)}
    )


def checked_reset(seed: Any) -> int | None:
    """A seed for the libraries' generators, which take Python's own integers only; ``None`` stays.

    >>> checked_reset(np.int64(7))
    7
    """
    if seed is not None:
        seed_word(seed)
        return index(seed)
    return None


class BeforeReset:
    """An environment that says what is missing if its game is wanted before :meth:`reset`."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in ("current", "agent_selection"):
                raise AttributeError("There is no game yet; reset the environment first.")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


Blank = tuple["NDArray[np.float32]", "NDArray[np.int8]"]
"""An empty observation and mask; each observation is a copy of them, written into."""


def blank(game: Game) -> Blank:
    """What observations of a game are made of."""
    return np.zeros(game.tensor_size, np.float32), np.zeros(game.action_count, np.int8)


def observed(state: CompiledState[State], seat: int, of: Blank, asked: bool = True) -> Observation:
    """What a seat sees, and what it may do, if it is ``asked``: the caller's own."""
    row, mask = of[0].copy(), of[1].copy()
    state._tell(seat, row)
    if asked:
        state._mask(seat, mask)
    return {"observation": row, "action_mask": mask}


def try_to_apply(state: CompiledState[State], action: Any, seat: int, illegal: Illegal) -> dict[str, str]:
    """Let a seat do an action; what is to be told of it: why it was refused, or nothing."""
    refusal = state.refusal(action, seat) if isinstance(action, str) else None
    if refusal is None:
        try:
            state.apply(action, seat)
            return {}
        except ParlourError:
            refusal = state.refusal(action, seat)
            if refusal is None:
                raise
    if illegal == "raise":
        raise refusal
    return {"refusal": str(refusal)}


def earned(state: CompiledState[State], by_deal: bool) -> list[float]:
    """What each seat has won since this was last asked: the result at the end, or what each deal brought."""
    return state._brought() if by_deal and state.game.definition.has_deals else state.returns()


def checked_illegal(illegal: str) -> Illegal:
    """One of :data:`Illegal`."""
    found: dict[str, Illegal] = {"refuse": "refuse", "raise": "raise"}
    if not isinstance(illegal, str) or illegal not in found:
        raise unknown("way to treat an illegal action", illegal, found)
    return found[illegal]


def checked_render_mode(mode: str | None) -> str | None:
    """``"ansi"`` (text) or ``None``."""
    if mode is None or mode == "ansi":
        return mode
    raise ParlourError("A table is rendered as text (render_mode='ansi'), not {mode!r}.", mode=mode)


def picture(state: CompiledState[State], mode: str | None, seat: int = EVERYBODY) -> str | None:
    """The table as text, if that is wished."""
    return state.text(seat) if mode == "ansi" else None
