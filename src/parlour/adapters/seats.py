"""What the environments of PettingZoo and Gymnasium share: spaces, observations, actions and refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium import spaces

from parlour.base.errors import ParlourError, unknown
from parlour.core.game import Game
from parlour.engine.hashing import seed_word
from parlour.engine.ruleset import of_kind
from parlour.engine.telling import single
from parlour.rules.bounds import Bounded, amounts_of, bounds_of
from parlour.rules.vocabulary import EVERYBODY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.compiled_state import CompiledState
    from parlour.core.game import State

Illegal = Literal["refuse", "raise"]
"""What an environment does with an illegal action. ``"refuse"``: nothing changes, ``info["refusal"]`` gives the reason
with its clause, and the same seat is asked again. ``"raise"``: :class:`parlour.IllegalAction` is raised."""

Observation = dict[str, Any]
"""``observation`` (float32, what the seat is told) and ``action_mask`` (int8, 1 for each legal action)."""


def observation_space(game: Game, actions: int, information: bool = False) -> spaces.Dict:
    """Return the space of a seat's observations, or of its information states (``information``); ``actions`` is the
    length of the mask. An amount that house rules fix at 0 still has 1 as its upper bound, because wrappers divide by
    the distance between the bounds.

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
    """Return a seed as an ``int`` of Python's own, which is all that the libraries' generators take; ``None`` stays
    ``None``. Raises ``ParlourError`` if it is not a seed.

    >>> checked_reset(np.int64(7))
    7
    """
    if seed is not None:
        seed_word(seed)
        return index(seed)
    return None


def reset_options(options: Any, is_one: Callable[[str], bool]) -> Mapping[str, Any]:
    """Return the options that a reset was given. Raises ``ParlourError`` for what is none, as ``is_one`` says.

    >>> reset_options({"stake": 3}, lambda name: name == "reset_mask")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: reset has no option 'stake'; house rules are given when the environment is made.
    """
    given: Mapping[str, Any] = of_kind({} if options is None else options, Mapping, "a dictionary of options")
    if others := [repr(name) for name in given if not is_one(name)]:
        raise ParlourError(
            "reset has no option {others}; house rules are given when the environment is made.",
            others=", ".join(others),
        )
    return given


class BeforeReset:
    """An environment that tells the caller to reset it first, if its game is wanted before :meth:`reset`."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in ("current", "agent_selection"):
                raise AttributeError("There is no game yet; reset the environment first.")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


Blank = tuple["NDArray[np.float32]", "NDArray[np.int8]"]
"""An empty observation and an empty mask, which are copied for each observation."""


def blank(game: Game) -> Blank:
    """Return the empty observation and mask of a game."""
    return np.zeros(game.tensor_size, np.float32), np.zeros(game.action_count, np.int8)


def observed(state: CompiledState[State], seat: int, of: Blank, asked: bool = True) -> Observation:
    """Return what a seat sees and, if it is ``asked``, what it may do. The arrays are the caller's to keep."""
    row, mask = of[0].copy(), of[1].copy()
    state._tell(seat, row)
    if asked:
        state._mask(seat, mask)
    return {"observation": row, "action_mask": mask}


def try_to_apply(state: CompiledState[State], action: Any, seat: int, illegal: Illegal) -> dict[str, str]:
    """Let a seat do an action. Return what ``info`` says of it: the refusal, or nothing. Raises the refusal if
    ``illegal`` is ``"raise"``."""
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


def unit_of(game: Bounded, scaled: bool) -> float:
    """Return what rewards are divided by: 1, or half the distance between the lowest and the highest return of a game
    (``scaled``), so that they are on one scale in all games.

    >>> import parlour
    >>> unit_of(parlour.load("kuhn"), scaled=True), unit_of(parlour.load("kuhn"), scaled=False)
    (2.0, 1.0)
    """
    return (bounds_of(game).span or 1.0) if scaled else 1.0


def earned(state: CompiledState[State], by_deal: bool, unit: float) -> list[float]:
    """Return each seat's reward, divided by ``unit``: with ``by_deal``, what it won in the deals settled since the last
    call; otherwise its result, which is 0 before the end."""
    brought = state._brought() if by_deal and state.game.definition.has_deals else state.returns()
    return brought if unit == 1.0 else [one / unit for one in brought]


def checked_illegal(illegal: str) -> Illegal:
    """Return ``illegal`` if it is one of :data:`Illegal`; raise ``ParlourError`` if not."""
    found: dict[str, Illegal] = {"refuse": "refuse", "raise": "raise"}
    if not isinstance(illegal, str) or illegal not in found:
        raise unknown("way to treat an illegal action", illegal, found)
    return found[illegal]


def checked_render_mode(mode: str | None) -> str | None:
    """Return ``mode`` if it is ``"ansi"`` (text) or ``None``; raise ``ParlourError`` if not."""
    if mode is None or mode == "ansi":
        return mode
    raise ParlourError("A table is rendered as text (render_mode='ansi'), not {mode!r}.", mode=mode)


def picture(state: CompiledState[State], mode: str | None, seat: int = EVERYBODY) -> str | None:
    """Return the table as text, or ``None`` if ``mode`` is ``None``."""
    return state.text(seat) if mode == "ansi" else None
