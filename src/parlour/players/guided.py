"""Search guided by a function of yours that values positions and suggests actions: the search of AlphaZero, with hidden
cards dealt again in every simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from parlour.base.errors import ParlourError
from parlour.engine.hashing import mix, seed_word
from parlour.engine.kernels import chance
from parlour.engine.memory import Memory
from parlour.engine.telling import View, restored, view
from parlour.players.clock import now
from parlour.players.player import Advice, must_be_of
from parlour.players.search import checked_budget
from parlour.rules.vocabulary import CHANCE, SEVERAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.engine.ruleset import Ruleset
    from parlour.engine.steps import Event

Policy: TypeAlias = "Mapping[int, float] | Sequence[float] | NDArray[Any]"
"""How promising each action is: by id, or one number for each id; illegal actions are ignored."""
Evaluate = Callable[[View], tuple[Policy, "float | Sequence[float] | NDArray[Any]"]]
"""``evaluate(view)``: for the player to act, whose view it is, return a policy, and a value: their expected return of
the deal (the others lose it in equal parts), or the expected return of each seat."""


@dataclass(slots=True)
class _Node:
    """A node of the tree, that is, an information set of a player to act: its actions with their shares of the policy,
    the numbers of trials, and the sums of returns."""

    actions: list[int]
    policy: list[float]
    visits: list[int] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)


class Guided:
    """Information-set tree search in which ``evaluate`` takes the place of random play: ``simulations`` a move, or
    ``seconds``.  It runs interpreted.

    An action is chosen by its mean return, its share of the policy and the number of its trials (PUCT, weighed by
    ``explore``). :meth:`advise` returns the number of trials of each action, which is the target for training a policy.

    >>> import parlour
    >>> state = parlour.load("kuhn").new()
    >>> for step in ("K", "Q", "pass", "bet"): state.apply(step)
    >>> player = Guided(state.game, evaluate=lambda view: ([1, 1], 0.0), simulations=50)
    >>> state.game.action_names[player.choose(state.view(0), state.legal_actions())]
    'bet'
    """

    def __init__(
        self,
        game: Ruleset[Any],
        seed: int = 0,
        *,
        evaluate: Evaluate,
        seconds: float | None = None,
        simulations: int | None = None,
        explore: float = 1.25,
    ) -> None:
        if not callable(evaluate):
            raise ParlourError("evaluate is a function of a view, not {evaluate!r}.", evaluate=evaluate)
        if seconds is not None and simulations is not None:
            raise ParlourError("A search takes seconds or simulations, not both.")
        seconds, simulations, explore = checked_budget(seconds, simulations, explore)
        self.game, self.evaluate, self.explore = game, evaluate, explore
        self.seconds = 0.1 if seconds is None and simulations is None else seconds
        self.simulations = simulations
        self.name = f"search:{self.seconds:g}s" if self.seconds is not None else f"search:{simulations}"
        self._seed = seed_word(seed)

    def choose(self, view: View, legal: Sequence[int]) -> int:
        """Return the action tried most often."""
        return legal[0] if len(legal) == 1 else self.advise(view, legal).action

    def advise(self, view: View, legal: Sequence[int]) -> Advice:
        """Return an action, the mean return of each and how often it was tried."""
        must_be_of(view.game, self.game)
        search = _Search(self.game, self.evaluate, self.explore, view, mix(self._seed ^ view.glance()))
        end, done = now() + (self.seconds or 0), 0
        while done < (self.simulations or 1) or (self.simulations is None and now() < end):
            search.simulate()
            done += 1
        visits, values = search.tried(legal)
        best = max(legal, key=lambda a: (visits.get(a, 0), values.get(a, -math.inf)))
        said = (
            f"{self.game.action_names[best]}: tried in {visits.get(best, 0):,} of {sum(visits.values()):,} simulations"
        )
        return Advice(best, said, values, visits)


class _Search:
    """The tree of one decision."""

    def __init__(self, game: Ruleset[Any], evaluate: Evaluate, explore: float, seen: View, word: int) -> None:
        self.game, self.evaluate, self.explore, self.me = game, evaluate, explore, seen.player
        self._rules, self._code, self._rng = game.definition.rules, chance.KERNEL.interpreted(game.definition), [word]
        self._start = restored(seen)
        self._nodes: dict[tuple[int, int], _Node] = {}
        self._root: tuple[int, int] | None = None
        self._low, self._high = math.inf, -math.inf

    def simulate(self) -> None:
        """Deal a world, walk down the tree to a new node, and credit all players on the way."""
        s = self._start.copy()
        if not self.game.definition.hides_nothing:
            self._rules.redeal(s, self.me, self._rng)
        memory = Memory(self.game, s)
        self._root = self._root or (self.me, memory.keys[self.me])
        path: list[tuple[_Node, int, int]] = []
        while True:
            who = self._code.mover(s)
            if who == CHANCE:
                self._step(s, memory, who, self._code.draw_outcome(s, self._rng))
                continue
            if who < 0:
                brought = [0.0] * self.game.players
                self._rules.deal_returns(s, brought)
                break
            key = who, memory.keys[who]
            if key not in self._nodes:
                self._nodes[key], brought = self._evaluated(s, who)
                break
            node = self._nodes[key]
            k = self._choose(node)
            path.append((node, k, who))
            self._step(s, memory, who, node.actions[k])
        self._low, self._high = min(self._low, *brought), max(self._high, *brought)
        for node, k, who in path:
            node.visits[k] += 1
            node.sums[k] += brought[who]

    def _step(self, s: Any, memory: Memory, who: int, a: int) -> None:
        heard: list[Event] = []
        waiting = self._rules.acting(s) if self._rules.actor(s) == SEVERAL else 0
        if who == CHANCE:
            self._rules.happen(s, a, heard)
        else:
            self._rules.apply(s, who, a, heard)
        memory.step(s, who, a, heard, waiting)

    def _choose(self, node: _Node) -> int:
        tried = sum(node.visits)
        middle = (self._high + self._low) / 2
        spread = self.explore * max((self._high - self._low) / 2, 1e-9) * math.sqrt(tried + 1)

        def bound(k: int) -> float:
            n = node.visits[k]
            return (node.sums[k] / n if n else middle) + spread * node.policy[k] / (1 + n)

        return max(range(len(node.actions)), key=bound)

    def _evaluated(self, s: Any, who: int) -> tuple[_Node, list[float]]:
        acts = [0] * self.game.action_count
        actions = acts[: self._rules.legal(s, who, acts)]
        policy, value = self.evaluate(view(self.game, s, who))
        each = policy if isinstance(policy, Mapping) else dict(enumerate(policy))
        shares = [float(each.get(a, 0.0)) for a in actions]
        if not all(math.isfinite(p) and p >= 0 for p in shares):
            raise ParlourError(
                "evaluate gave a policy of {shares} for the actions {actions}; shares are 0 or above.",
                shares=shares,
                actions=actions,
            )
        total = sum(shares)
        shares = [p / total for p in shares] if total else [1 / len(actions)] * len(actions)
        return _Node(actions, shares, [0] * len(actions), [0.0] * len(actions)), self._brought(value, who)

    def _brought(self, value: Any, who: int) -> list[float]:
        players = self.game.players
        if hasattr(value, "__len__"):
            each = [float(v) for v in value]
        else:
            each = [-float(value) / (players - 1)] * players
            each[who] = float(value)
        if len(each) != players or not all(map(math.isfinite, each)):
            raise ParlourError(
                "evaluate gave the value {value!r}; it is a number, or one for each of {players} seats.",
                value=value,
                players=players,
            )
        return each

    def tried(self, legal: Sequence[int]) -> tuple[dict[int, int], dict[int, float]]:
        """Return how often each action was tried, and its mean return."""
        node = self._nodes.get(self._root) if self._root else None
        if node is None:
            return {}, {}
        found = [
            (a, n, total) for a, n, total in zip(node.actions, node.visits, node.sums, strict=True) if n and a in legal
        ]
        return {a: n for a, n, _ in found}, {a: total / n for a, n, total in found}
