"""Parlour's games in PettingZoo: agents act one after another, or all at once.

>>> from parlour.adapters import pettingzoo
>>> env = pettingzoo.aec("diamonds", players=3, trade_leaves="debris")
>>> env.reset(seed=7)
>>> env.agent_selection
'player_0'
>>> sorted(env.observe("player_0"))
['action_mask', 'observation']
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parlour.base.extras import needed

__all__ = ["AllAtOnce", "TurnByTurn", "aec", "parallel", "register"]

with needed("adapters"):
    import numpy as np
    import pettingzoo
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv, ParallelEnv

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
from parlour.base.errors import ParlourError, unknown
from parlour.core.game import Game, loaded
from parlour.engine.definition import games, smaller
from parlour.engine.ruleset import of_kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.core.compiled_state import CompiledState
    from parlour.core.game import State


def register() -> list[str]:
    """Register every game and the smaller games of their families with PettingZoo, as ``aec`` and as ``parallel``, and
    return their names, such as ``parlour/leduc-v0`` and ``parlour/commit-8-v0``. Importing this module does so; call it
    again after :func:`parlour.register` to add new games.

    >>> import pettingzoo
    >>> "parlour/leduc-v0" in register()
    True
    >>> pettingzoo.make("aec", "parlour/diamonds-v0", players=3).num_agents
    0
    """
    found = {f"parlour/{game}-v0": game for game in [*games(), *smaller()]}
    for name, game in found.items():
        for kind, known in (("aec", pettingzoo.aec_registry), ("parallel", pettingzoo.parallel_registry)):
            if name not in known:
                pettingzoo.register(kind, name, f"{__name__}:{kind}", kwargs={"game": game})
    return list(found)


def aec(
    game: str | Game,
    players: int | None = None,
    *,
    by_deal: bool = False,
    scaled: bool = False,
    illegal: Illegal = "refuse",
    render_mode: str | None = None,
    **options: int | str,
) -> TurnByTurn:
    """Return an environment in which one agent acts at a time (``player_0`` is seat 0).

    What an agent observes is a dictionary of ``observation`` (float32, shape (``game.tensor_size``,)) and
    ``action_mask`` (int8, shape (number of actions,)). Where several choose at once, they are asked in order of seats,
    and nothing is shown until all have answered. Rewards, in the game's own unit, come at the end; with ``by_deal``
    they are what each deal brought, and come when the deal is settled; with ``scaled`` they are divided by half the
    distance between the game's lowest and highest return. An illegal action changes nothing, and
    ``infos[agent]["refusal"]`` says why; with ``illegal="raise"`` it is an error. Raises ``ParlourError`` if there is
    no such game or option, or if ``illegal`` or ``render_mode`` has another value.

    >>> env = aec("kuhn")
    >>> env.reset(seed=1)
    >>> env.agent_selection, env.observe("player_0")["action_mask"].tolist()
    ('player_0', [1, 1])
    >>> env.step(1); env.agent_selection
    'player_1'
    """
    return TurnByTurn(loaded(game, players, options), by_deal, scaled, illegal, render_mode)


def parallel(
    game: str | Game,
    players: int | None = None,
    *,
    by_deal: bool = False,
    scaled: bool = False,
    illegal: Illegal = "refuse",
    render_mode: str | None = None,
    **options: int | str,
) -> AllAtOnce:
    """Return an environment in which every agent acts in every step. It has one action more than the game, *wait*,
    which comes last: an agent that is not asked can only wait, and an agent that is asked cannot wait. The rest is as
    in :func:`aec`. Raises ``ParlourError`` where that does.

    >>> env = parallel("matrimony", players=3, stake_visibility="secret")
    >>> observations, infos = env.reset(seed=1)
    >>> [int(seen["action_mask"][-1]) for seen in observations.values()]
    [1, 0, 1]
    """
    return AllAtOnce(loaded(game, players, options), by_deal, scaled, illegal, render_mode)


class _Seated(BeforeReset):
    """The parts that both environments share."""

    game: Game
    current: CompiledState[State]

    def _set_up(
        self, game: Game, actions: int, by_deal: bool, scaled: bool, illegal: str, render_mode: str | None
    ) -> None:
        self.game, self.by_deal, self.illegal = game, by_deal, checked_illegal(illegal)
        self._unit = unit_of(game, scaled)
        self.render_mode = checked_render_mode(render_mode)
        self.metadata = {"name": f"parlour_{game.id}", "render_modes": ["ansi"], "is_parallelizable": False}
        self.possible_agents = [f"player_{p}" for p in range(game.players)]
        self.agents: list[str] = []
        self.seats = {agent: p for p, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: observation_space(game, actions) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._chance: Any = None
        self._blank = blank(game)

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        reset_options(options, lambda name: name not in self.game.options)
        seed = checked_reset(seed)
        if seed is not None or self._chance is None:
            self._chance, _ = seeding.np_random(seed)
        drawn = int(self._chance.integers(2**63))
        self.current = self.game.new(drawn if seed is None else seed, binding="compiled")
        self.agents = self.possible_agents[:]

    def _earned(self) -> dict[str, float]:
        """Return each agent's reward: see :func:`~parlour.adapters.seats.earned`."""
        return dict(zip(self.agents, earned(self.current, self.by_deal, self._unit), strict=True))

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions."""
        return self.action_spaces[self._known(agent)]

    def state(self) -> NDArray[np.float32]:
        """Return what all seats together are told now, for a critic that sees everybody's hand in training: the
        observations in order of seats (float32, shape (players * ``game.tensor_size``,)). Give it to no agent. What
        chance has not decided yet is not in it, because no seat has been told it."""
        rows = np.zeros((self.game.players, self.game.tensor_size), np.float32)
        for p, row in enumerate(rows):
            self.current._tell(p, row)
        return rows.reshape(-1)

    @cached_property
    def state_space(self) -> spaces.Box:
        """The space of :meth:`state`."""
        one, n = self.observation_spaces["player_0"]["observation"], self.game.players
        return spaces.Box(np.tile(one.low, n), np.tile(one.high, n), dtype=np.float32)

    def render(self) -> str | None:
        """Return what everybody sees, as text, if ``render_mode`` is ``"ansi"``."""
        return picture(self.current, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _known(self, agent: str) -> str:
        if not isinstance(agent, str) or agent not in self.seats:
            raise unknown("agent", agent, self.possible_agents)
        return agent


class TurnByTurn(_Seated, AECEnv):  # type: ignore[misc]
    """The environment of :func:`aec`, in which one agent acts at a time. ``current`` is the game in progress, a
    :class:`parlour.CompiledState`."""

    def __init__(self, game: Game, by_deal: bool, scaled: bool, illegal: str, render_mode: str | None) -> None:
        AECEnv.__init__(self)
        self._set_up(game, game.action_count, by_deal, scaled, illegal, render_mode)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a new game; with a ``seed`` it is the game of that seed, and the same games follow. If it is over
        before anybody is asked, every agent is terminated and has its reward. No option has a meaning (PettingZoo's
        own suite passes one); one that is a house rule raises ``ParlourError``."""
        self._begin(seed, options)
        self.rewards = self._earned()
        self._cumulative_rewards = dict(self.rewards)
        self.terminations = dict.fromkeys(self.agents, self.current.is_terminal)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._turn()

    def _turn(self) -> None:
        acting = self.current.acting
        self.agent_selection = self.possible_agents[acting[0] if acting else 0]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, and what it may do if it is to act. Raises ``ParlourError`` if there is no such
        agent."""
        return observed(self.current, self.seats[self._known(agent)], self._blank, agent == self.agent_selection)

    def step(self, action: int | None) -> None:
        """Let ``agent_selection`` act. Once the game is over, an agent can only answer ``None``."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.infos = {agent: {} for agent in self.agents}
        self.infos[agent] = try_to_apply(self.current, action, self.seats[agent], self.illegal)
        over = self.current.is_terminal
        if over or self.by_deal:
            self.rewards = self._earned()
            self._accumulate_rewards()
        else:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        self._turn()
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()


class AllAtOnce(_Seated, ParallelEnv):  # type: ignore[misc]
    """The environment of :func:`parallel`, in which all agents act in every step. ``current`` is the game in progress,
    a :class:`parlour.CompiledState`; ``wait`` is the action of an agent that is not asked."""

    def __init__(self, game: Game, by_deal: bool, scaled: bool, illegal: str, render_mode: str | None) -> None:
        self.wait = game.action_count
        self._set_up(game, game.action_count + 1, by_deal, scaled, illegal, render_mode)

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a new game; with a ``seed`` it is the game of that seed, and the same games follow. If it is over
        before anybody is asked, all agents wait in its only step, which rewards them. No option has a meaning; one
        that is a house rule raises ``ParlourError``."""
        self._begin(seed, options)
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> dict[str, Observation]:
        acting = self.current.acting
        seen = {agent: observed(self.current, p, self._blank) for agent, p in self.seats.items()}
        for agent, p in self.seats.items():
            seen[agent]["action_mask"] = np.append(seen[agent]["action_mask"], np.int8(p not in acting))
        return seen

    def step(self, actions: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """Let all agents act. Return the observations, rewards, terminations, truncations and infos, each by agent.
        Raises ``ParlourError`` if an agent has no action."""
        of_kind(actions, Mapping, "a dictionary of actions")
        asked = self.current.acting
        if not self.agents:  # the game is over
            return {}, {}, {}, {}, {}
        for agent in self.agents:  # check all of them before anybody acts
            if agent not in actions:
                raise ParlourError(
                    "{agent} has no action in this step; an agent that is not asked waits ({wait}).",
                    agent=agent,
                    wait=self.wait,
                )
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        for agent, p in self.seats.items():
            infos[agent] = self._act(p, actions[agent], p in asked)
        over = self.current.is_terminal
        agents = self.agents
        rewards = self._earned()
        seen = self._observations()
        if over:
            self.agents = []
        return seen, rewards, dict.fromkeys(agents, over), dict.fromkeys(agents, False), infos

    def _act(self, seat: int, action: Any, asked: bool) -> dict[str, Any]:
        waits = action == self.wait
        if asked and not waits:
            return try_to_apply(self.current, action, seat, self.illegal)
        if asked == (not waits):
            return {}
        sentence = f"player_{seat} is {'asked and cannot wait' if asked else 'not asked and can only wait'} now."
        if self.illegal == "raise":
            raise ParlourError(sentence)
        return {"refusal": sentence}


register()
