"""Parlour's games in Gymnasium: one seat against named players, or many games at once in one array.

>>> from parlour.adapters import gymnasium
>>> env = gymnasium.single("leduc", seat=0, rivals=["random"])
>>> seen, info = env.reset(seed=7)
>>> seen["action_mask"].tolist()
[0, 1, 1]
>>> env.step(0)[4]["refusal"]
"'fold' is not allowed now: You may fold only when the other player has paid more than you. (LE-12)"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from parlour.base.extras import needed

__all__ = ["ManyGames", "OneSeat", "register", "single", "vector"]

with needed("adapters"):
    import gymnasium
    import numpy as np
    from gymnasium import spaces
    from gymnasium.envs.registration import EnvSpec, registry
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

from parlour.adapters.seats import (
    BeforeReset,
    Illegal,
    Observation,
    blank,
    checked_illegal,
    checked_render_mode,
    checked_reset,
    earned,
    observation_space,
    observed,
    picture,
    reset_options,
    try_to_apply,
    unit_of,
)
from parlour.base.errors import ParlourError
from parlour.core.batch import Batch
from parlour.core.compiled_state import CompiledState
from parlour.core.game import Game, loaded
from parlour.engine.definition import games, smaller
from parlour.engine.ruleset import seat as checked_seat
from parlour.players import Player, make
from parlour.players.compiled import CompiledPlayers, all_compiled
from parlour.players.kind import parsed
from parlour.players.rivals import Rival, SeatBatch, in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.game import State

UNASKED = 10_000
"""The most games in a row that may end before the seat is asked."""
DRAWN = 64
"""How many games' seeds are drawn at a time."""


def register() -> list[str]:
    """Register every game and the smaller games of their families with Gymnasium, and return their names, such as
    ``parlour/leduc-v0`` and ``parlour/commit-8-v0``. Importing this module does so; call it again after
    :func:`parlour.register` to add new games.

    ``gymnasium.make`` then calls :func:`single`, and ``gymnasium.make_vec`` calls :func:`vector` for one seat. Unless
    you say otherwise, it is seat 0 and plays against ``random``. Both take the parameters of these functions,
    ``players`` and options included.

    >>> import gymnasium
    >>> "parlour/leduc-v0" in register()
    True
    >>> gymnasium.make("parlour/diamonds-v0", players=3, rivals="rule-of-thumb").spec.id
    'parlour/diamonds-v0'
    """
    found = [_spec(game, seat=0, rivals="random") for game in [*games(), *smaller()]]
    for spec in found:
        if spec.id not in registry:
            gymnasium.register(
                spec.id, spec.entry_point, vector_entry_point=spec.vector_entry_point, kwargs=spec.kwargs
            )
    return [spec.id for spec in found]


def _spec(game: str, **given: Any) -> EnvSpec:
    """Return what Gymnasium has to know about a game's environments."""
    how: dict[str, Any] = {"entry_point": f"{__name__}:single", "vector_entry_point": f"{__name__}:vector"}
    how |= {"order_enforce": False, "disable_env_checker": True}
    return EnvSpec(f"parlour/{game}-v0", **how, kwargs={"game": game, **given})


def single(
    game: str | Game,
    players: int | None = None,
    *,
    seat: int = 0,
    rivals: str | Player | Sequence[str | Player] = ("random",),
    skip_forced: bool = False,
    by_deal: bool = False,
    scaled: bool = False,
    illegal: Illegal = "refuse",
    render_mode: str | None = None,
    **options: int | str,
) -> OneSeat:
    """Return an environment for one ``seat``. ``rivals`` hold the other seats, in order: a list of players, or of kinds
    as :func:`parlour.players.make` takes them; if you give a single one, it holds them all. ``skip_forced``: the seat
    is not asked when it has only one legal action.

    An observation is a dictionary of ``observation`` (float32, shape (``game.tensor_size``,)) and ``action_mask``
    (int8, shape (``game.action_count``,)). The reward, in the game's own unit, comes at the end; with ``by_deal`` it is
    what each deal brought, and comes when the deal is settled; with ``scaled`` it is divided by half the distance
    between the game's lowest and highest return. An illegal action changes nothing, and ``info["refusal"]`` says why;
    with ``illegal="raise"`` it is an error. Raises ``ParlourError`` if there is no such game, option, seat or rival.

    >>> env = single("kuhn", seat=0, rivals="random")
    >>> seen, info = env.reset(seed=1)
    >>> seen["observation"].shape, seen["action_mask"].tolist()
    ((16,), [1, 1])
    >>> seen, reward, over, cut_short, info = env.step(1)
    >>> over, abs(reward) >= 1
    (True, True)
    """
    env = OneSeat(loaded(game, players, options), seat, rivals, skip_forced, by_deal, scaled, illegal, render_mode)
    how: dict[str, Any] = {"seat": seat, "rivals": rivals, "skip_forced": skip_forced, "by_deal": by_deal}
    how |= {"scaled": scaled, "illegal": illegal, "render_mode": render_mode}
    env.spec = _spec(env.game.id, players=env.game.players, **env.game.options, **how)
    return env


def vector(
    game: str | Game,
    num_envs: int = 1,
    players: int | None = None,
    *,
    seat: int | str | None = None,
    rivals: Rival | Sequence[Rival] | None = None,
    skip_forced: bool = False,
    by_deal: bool = False,
    threads: int | None = 1,
    last: bool = False,
    information: bool = False,
    copy: bool = True,
    **options: int | str,
) -> ManyGames:
    """Return ``num_envs`` games at once, played by compiled code. You play every seat, or one ``seat`` while ``rivals``
    hold the others.

    The observation of a game is what the player to act sees (float32, shape (num_envs, ``game.tensor_size``); mask:
    int8, shape (num_envs, ``game.action_count``)). ``rewards`` (float32, shape (num_envs,)) are what the step brought
    the player who acted in it, in the game's own unit. ``infos`` have ``mover`` (the player to act: int8, shape
    (num_envs,)) and ``rewards`` (what the step brought each seat: float32, shape (num_envs, players)). A game that ends
    starts again in the same step. With ``scaled=True``, rewards are divided by half the distance between the game's
    lowest and highest return. With ``last``, ``infos["final_obs"][i]`` is what the player who acted last sees at the
    end.

    With ``seat``, a step goes on to that seat's next decision, and ``rewards`` are that seat's. With ``"rotate"``, each
    game is played from the seat after that of the game before. ``rivals`` (by default ``random``) are given in order of
    seats, or one for all: ``random``, ``rule-of-thumb``, ``learned``, ``solved:FILE``, a strategy
    (:class:`parlour.solve.strategy.Strategy`), or a function. A function is called with the observations and masks of
    all games in which it is to act (float32 and bool, a row for each), and returns an action for each. ``skip_forced``:
    the seat is not asked when it has only one legal action. A game in which the seat is never asked is passed over.

    With ``information``, the observation is all that the player to act has known so far (shape (num_envs,
    ``game.information_size``), :meth:`parlour.State.information_tensor`), and ``last`` must be ``False``.

    Every step returns new arrays, as Gymnasium's own environments do; with ``copy=False`` it overwrites the same ones,
    which is up to twice as fast. An illegal action is an error, and then no game moves. Raises ``ParlourError`` if
    there is no such game, option, seat or rival.

    >>> envs = vector("kuhn", 4)
    >>> seen, infos = envs.reset(seed=1)
    >>> seen["observation"].shape, infos["mover"].tolist()
    ((4, 16), [0, 0, 0, 0])
    >>> envs = vector("diamonds", 4, 3, seat="rotate", rivals=["rule-of-thumb", "random"])
    >>> envs.reset(seed=1)[1]["mover"].tolist()
    [1, 2, 0, 1]
    """
    scaled = bool(options.pop("scaled", False))
    what = loaded(game, players, options)
    if information and last:
        raise ParlourError("What was seen last is a view: leave out `last` or `information`.")
    kept = {"last": last, "information": information, "tensors": not information or rivals is not None}
    if seat is None and rivals is None:
        if skip_forced:
            raise ParlourError("skip_forced is for one seat against rivals: give a seat, or rivals.")
        batch = Batch(what, num_envs, threads=threads, **kept)
    else:
        those, own = ("random" if rivals is None else rivals), (0 if seat is None else seat)
        batch = SeatBatch(what, num_envs, those, own, skip_forced, threads=threads, **kept)
    envs = ManyGames(batch, by_deal, scaled, copy)
    how = {"seat": seat, "rivals": rivals, "skip_forced": skip_forced, "by_deal": by_deal, "scaled": scaled}
    how |= {"threads": threads, "last": last, "information": information, "copy": copy, "num_envs": num_envs}
    envs.spec = _spec(what.id, players=what.players, **what.options, **how)
    return envs


class OneSeat(BeforeReset, gymnasium.Env[Observation, Any]):  # type: ignore[misc]
    """The environment of :func:`single`. ``current`` is the game in progress, a :class:`parlour.CompiledState`."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium's own way)
    current: CompiledState[State]

    def __init__(
        self,
        game: Game,
        seat: int,
        rivals: str | Player | Sequence[str | Player],
        skip_forced: bool,
        by_deal: bool,
        scaled: bool,
        illegal: str,
        render_mode: str | None,
    ) -> None:
        self.game, self.seat, self.by_deal = game, checked_seat(game, seat), by_deal
        self._unit = unit_of(game, scaled)
        self.illegal, self.render_mode = checked_illegal(illegal), checked_render_mode(render_mode)
        self.observation_space = observation_space(game, game.action_count)
        self.action_space = spaces.Discrete(game.action_count)
        self._skips = skip_forced
        self._deals, self._blank = game.definition.has_deals and by_deal, blank(game)
        others = [p for p in range(game.players) if p != self.seat]
        self._kinds = dict(zip(others, map(parsed, in_order(game, rivals)), strict=True))
        swift = {p: kind for p, kind in self._kinds.items() if all_compiled(game, [kind])}
        self._swift = CompiledPlayers(game, swift) if swift else None
        self._rivals: dict[int, Player] = {}
        self._seat_rivals(0)
        self._drawn: list[list[int]] = []

    def _seat_rivals(self, seed: int) -> None:
        """Seat new rivals, whose chances follow from ``seed``; rivals that were given as players stay."""
        for p, kind in self._kinds.items():
            if self._swift and p in self._swift.seats:
                self._swift.seed(p, (seed + p) % 2**64)
            else:
                self._rivals[p] = make(kind, self.game, (seed + p) % 2**64)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game and play on to the seat's first decision, passing over games that end before it. With a
        ``seed`` it is the game of that seed, and the same games follow. Raises ``ParlourError`` for a seed out of
        range, for any option, or if the seat is never asked."""
        reset_options(options, lambda name: False)
        if seed is not None:
            seed = checked_reset(seed)
            super().reset(seed=seed)
            self._drawn.clear()
        for _ in range(UNASKED):
            if not self._drawn:
                self._drawn = self.np_random.integers(2**63, size=(DRAWN, 2))[::-1].tolist()
            drawn, for_rivals = self._drawn.pop()
            self._seat_rivals(for_rivals)
            self.current = CompiledState(self.game, drawn if seed is None else seed)
            seed = None
            self._let_rivals_play()
            if not self.current.is_terminal:
                return observed(self.current, self.seat, self._blank), {}
        raise ParlourError(
            "{most} games in a row were over before seat {seat} was asked; choose another seat.",
            most=UNASKED,
            seat=self.seat,
        )

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Let the seat act, and then the others, up to the seat's next decision or the end. Return the observation, the
        reward (in the game's own unit), whether the game is over, ``False`` (no game is cut short), and the info."""
        state = self.current
        info = try_to_apply(state, action, self.seat, self.illegal)
        if info:
            return observed(state, self.seat, self._blank), 0.0, state.is_terminal, False, info
        self._let_rivals_play()
        over = state.is_terminal
        reward = earned(state, self.by_deal, self._unit)[self.seat] if over or self._deals else 0.0
        return observed(state, self.seat, self._blank), reward, over, False, info

    def _let_rivals_play(self) -> None:
        state, seat, rivals, swift = self.current, self.seat, self._rivals, self._swift
        while acting := state.acting:
            if seat in acting:
                if not self._skips or len(legal := state.legal_actions(seat)) > 1:
                    return
                state.apply(legal[0], seat)
                continue
            for p in acting:
                if p in rivals:
                    state.apply(rivals[p].choose(state.view(p), state.legal_actions(p)), p)
                elif swift:
                    state.apply(swift.choose(state, p), p)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as MaskablePPO of ``sb3-contrib`` takes them: bool, shape
        (``game.action_count``,)."""
        mask: NDArray[np.bool_] = observed(self.current, self.seat, self._blank)["action_mask"].astype(np.bool_)
        return mask

    def render(self) -> str | None:
        """Return what the seat sees, as text, if ``render_mode`` is ``"ansi"``."""
        return picture(self.current, self.render_mode, self.seat)


class ManyGames(VectorEnv[Observation, Any, Any]):  # type: ignore[misc]
    """The environment of :func:`vector`. ``batch`` is the :class:`parlour.Batch` of its games."""

    def __init__(self, batch: Batch[State], by_deal: bool, scaled: bool, copy: bool) -> None:
        self.batch, self.num_envs, self.by_deal, self.copy = batch, batch.size, by_deal, copy
        self._unit, self._is_begun = unit_of(batch.game, scaled), False
        self.game = game = cast("Game", batch.game)
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        informed = len(batch._information) > 0
        self._seen = batch.information if informed else batch.tensors
        self.single_observation_space = observation_space(game, game.action_count, informed)
        self.single_action_space = spaces.Discrete(game.action_count)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._firsts = np.arange(self.num_envs) * game.players
        self._all, self._never = np.ones(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start all games again, or only those for which ``options["reset_mask"]`` is true. Game ``i`` gets the seed
        ``seed + i``, or ``seed[i]`` of a list. Raises ``ParlourError`` for a seed out of range, for another option, or
        for a mask that is true nowhere."""
        seeds: int | list[int]
        if isinstance(seed, list | tuple | np.ndarray):
            seeds = [self._drawn() if one is None else checked_reset(one) or 0 for one in seed]
        else:
            seed = checked_reset(seed)
            super().reset(seed=seed)
            seeds = self._drawn() if seed is None else seed
        mask = reset_options(options, lambda name: name == "reset_mask").get("reset_mask")
        if mask is not None and not np.any(mask):
            raise ParlourError("reset_mask must be true for at least one game, not {mask!r}.", mask=mask)
        self.batch.reset(seeds, mask)
        self._is_begun = True
        infos = self._infos()
        if mask is not None:
            infos |= {"_mover": np.array(mask), "_rewards": np.array(mask)}
        return self._observation(), infos

    def _drawn(self) -> int:
        return int(self.np_random.integers(2**63))

    def step(self, actions: Any) -> tuple[Observation, Any, Any, Any, dict[str, Any]]:
        """Do one action in each game (``actions``: ids, int16 or other whole numbers, shape (num_envs,)). Return the
        observations, the rewards, which games are over, which were cut short (none), and the infos, as in
        :func:`vector`. Raises ``AttributeError`` before the first reset."""
        if not self._is_begun:
            raise AttributeError("There is no game yet; reset the environment first.")
        batch = self.batch
        acting = self._firsts + batch.movers
        batch.step(actions)
        brought = self._brought()
        over = batch.done.astype(np.bool_)
        infos = self._infos()
        if len(batch._last):
            infos |= self._final(acting - self._firsts, over)
        return self._observation(), brought.take(acting), over, self._never.copy(), infos

    def _observation(self) -> Observation:
        tensors, mask = self._seen, self.batch.mask.view(np.int8)
        if self.copy:
            tensors, mask = tensors.copy(), mask.copy()
        return {"observation": tensors, "action_mask": mask}

    def _brought(self) -> NDArray[np.float32]:
        """Return what the last step brought each seat of each game."""
        brought = self.batch.deal_rewards if self.by_deal else self.batch.rewards
        return brought if self._unit == 1.0 else brought / np.float32(self._unit)

    def _infos(self) -> dict[str, Any]:
        batch = self.batch
        found: dict[str, NDArray[Any]] = {"mover": batch.movers, "rewards": self._brought()}
        if self.copy:
            found = {name: array.copy() for name, array in found.items()}
        return {**found, "_mover": self._all, "_rewards": self._all}

    def _final(self, acted: NDArray[np.int64], over: NDArray[np.bool_]) -> dict[str, Any]:
        """Return, for each game that is over, what the player who acted last sees at the end."""
        seen = np.full(self.num_envs, None, object)
        nothing = np.zeros(self.game.action_count, np.int8)
        for i in np.flatnonzero(over):
            seen[i] = {"observation": self.batch.last[i, acted[i]].copy(), "action_mask": nothing}
        return {"final_obs": seen, "_final_obs": over, "final_info": {}, "_final_info": over}


register()
