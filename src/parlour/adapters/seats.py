"""What the environments of PettingZoo and Gymnasium have in common: spaces, what a seat sees, actions, refusals."""

from __future__ import annotations

from collections.abc import Collection
from operator import index
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium import spaces

from parlour.bounds import amounts_of
from parlour.engine.hashing import seed_word
from parlour.engine.telling import single
from parlour.errors import ParlourError, unknown
from parlour.game import Game, State
from parlour.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from numpy.typing import NDArray

Illegal = Literal["refuse", "raise"]
"""What happens to an action that is not allowed: nothing but that ``info["refusal"]`` says why, in a sentence with its
clause, and the same seat is asked again; or :class:`parlour.IllegalAction` is raised."""

Observation = dict[str, Any]
"""``observation`` (float32, what the seat is told) and ``action_mask`` (int8, 1 for each legal action)."""


def observation_space(game: Game, actions: int) -> spaces.Dict:
    """The space of what a seat sees; ``actions`` is the length of the mask.

    >>> import parlour
    >>> observation_space(parlour.load("kuhn"), 2)["action_mask"]
    MultiBinary(2)
    """
    low, high = np.zeros(game.tensor_size, np.float32), np.ones(game.tensor_size, np.float32)
    for name, (least, most) in amounts_of(game).items():
        part, scale = game.tensor_layout[name], game.definition.things[name].size
        entries = slice(part.start, part.start + int(np.prod(part.shape)), part.width)
        low[entries], high[entries] = (single(single(n) * single(1.0 / scale)) for n in (min(least, 0), most))
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


def observed(state: State, seat: int, legal: Collection[int], actions: int) -> Observation:
    """What a seat sees; ``legal`` are the legal ones of all ``actions``."""
    mask: NDArray[np.int8] = np.zeros(actions, np.int8)
    mask[list(legal)] = 1
    return {"observation": state.tensor(seat).flat, "action_mask": mask}


def try_to_apply(state: State, action: Any, seat: int, illegal: Illegal) -> dict[str, str]:
    """Let a seat do an action; what is to be told of it: why it was refused, or nothing."""
    refusal = state.refusal(action, seat)
    if refusal is None:
        state.apply(action, seat)
        return {}
    if illegal == "raise":
        raise refusal
    return {"refusal": str(refusal)}


def earned(state: State, deals: int, by_deal: bool) -> list[float]:
    """What each seat has won since the first ``deals`` deals: the result at the end, or what each deal brought."""
    if by_deal and state.game.definition.has_deals:
        return [float(sum(deal.returns[p] for deal in state.deals[deals:])) for p in range(state.game.players)]
    return state.returns()


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


def picture(state: State, mode: str | None, seat: int = EVERYBODY) -> str | None:
    """The table as text, if that is wished."""
    return state.text(seat) if mode == "ansi" else None
