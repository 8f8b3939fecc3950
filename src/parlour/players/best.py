"""The best player: it tries its actions in many imagined worlds, the same for all, and has everybody play on there as
it would by itself (:mod:`parlour.engine.rollouts`)."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from parlour.engine.beliefs import POSITIONS, SEEN_BY_ME, WORLD
from parlour.engine.drivers import BLANK, BY_NETWORK, BY_RULE_OF_THUMB, GAME, NOTES
from parlour.engine.hashing import mix
from parlour.engine.networks import HEAD, HIDDEN, LAYERS, UNIT
from parlour.engine.positions import to_record
from parlour.engine.ruleset import number
from parlour.engine.telling import View, view
from parlour.engine.tensors import tensor_size
from parlour.errors import ParlourError
from parlour.players.beliefs import beliefs
from parlour.players.clock import now
from parlour.players.kinds import RuleOfThumb, kinds, make, prepared
from parlour.players.learned import Learned, network, why_not
from parlour.players.player import Player
from parlour.players.search import Binding, ImaginedGames, Search
from parlour.players.sight import Sight, Viewed

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

EACH = 8
"""Redeals of which one becomes a world, where the game knows what choices say of hands."""
FIRST = 4
"""Worlds in which all actions are tried before the clock is looked at."""
ENOUGH = 24
"""Worlds before an action may be given up."""
LEAST = 8
"""Worlds before the worse half of the actions may be given up."""
ALIKE = 64
"""Worlds after which two actions that have always brought the same are the same."""
SURE = 2.5
"""By how many standard errors an action must fall behind to be given up."""
CAUTION = 1.0
"""By how many standard errors an action must be ahead of what the player would do without imagining anything."""
TRUST = 30
"""Worlds for which what was learned counts."""
RESTS = 512
"""How often the deals to come are imagined, at most, by a player who plays for the match."""
SOME_RESTS = 16
"""How often at least, and between two looks at the clock."""
LOOKING_AHEAD = 0.15
"""The part of the time that this may take."""
MOST = 1 << 16
"""Worlds, at most."""
MATCHES = (0.0, 1.0, 0.0, 1.0, 2.0)
"""What is seen of matches that are won or lost, as :func:`parlour.engine.tree.note_returns` takes it down."""


class Best(Search):
    """A player with the settings of :class:`parlour.players.search.Search`.  It imagines worlds, tries its actions in
    each of them, and everybody plays on by a policy: by what was learned where somebody has learned the game, otherwise
    by rule of thumb.  Actions that fall behind are given up on the way.  Where players choose how much a deal of a
    match is played for (``FOR_THE_MATCH``), an action counts for the share of the matches that are then won.

    Where the game brings a solution for its options (``unbeatable``), it chooses from that, and only advice is
    imagined.  If the solution is for other options, it chooses by policy: in such a game, imagined opponents who never
    change can be exploited, and so can a player who reckons with them.

    ``risk``: by how many standard deviations of what an action brings in the imagined worlds it is preferred (above 0:
    a bold player) or avoided (below 0: a cautious one), between −2 and 2.  Unless it is
    0, the player plays for each deal by itself.

    ``infers``: whether it prefers worlds in which others are likely to have done what they did, where the game brings a
    network that knows (:mod:`parlour.engine.beliefs`); otherwise all worlds that the rules allow are equally likely.

    >>> import parlour
    >>> Best(parlour.load("diamonds"), simulations=100).name
    'best:100'
    """

    def __init__(
        self,
        game: Ruleset[Any],
        seed: int = 0,
        *,
        risk: float = 0.0,
        infers: bool = True,
        background: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(game, seed, **settings)
        self.infers = infers
        self.risk = number(risk, "a weight of risk")
        if not abs(self.risk) <= 2:
            raise ParlourError(f"risk is a number from -2 to 2, not {self.risk:g}.")
        if not game.definition.has("appraise"):
            raise ParlourError(f"{game.definition.name} has no rule of thumb by which games could be played on.")
        self.name = self.name.replace("search", "best")
        solved = "unbeatable" in kinds(game)
        bluffed = game.players == 2 and game.definition.part("unbeatable") is not None
        self.imagines = bool(self.risk) or not (solved or bluffed)
        """Whether it chooses by imagined games."""
        self._policy: Learned | RuleOfThumb = RuleOfThumb(game, seed) if why_not(game) else Learned(game, seed)
        self.by_itself: Player = self._policy
        """What it does without imagining anything."""
        self._dice = self._seed
        if solved and not self.risk:
            self.by_itself = make("unbeatable", game, seed, background=background)

    def choose(self, view: View, legal: Sequence[int]) -> int:
        return super().choose(view, legal) if self.imagines else self.by_itself.choose(view, legal)

    def answer(self, sight: Sight, legal: Sequence[int]) -> int:
        return super().answer(sight, legal) if self.imagines else self.by_itself.choose(sight.view, legal)

    def warm_up(self) -> None:
        self._rollouts().load(Viewed(view(self.game, self.game.start(), 0)))
        self._endings()

    def _rollouts(self) -> Rollouts:
        return self._made(lambda: _rollouts(self.game, self.binding, self.infers))

    def _imagined(self, sight: Sight, legal: Sequence[int], seconds: float) -> ImaginedGames:
        rollouts = self._rollouts()
        self._dice = rollouts.begin(sight, legal, self._dice, mix(self._seed ^ sight.glance()), self.risk)
        begun, worlds = now(), FIRST
        if rollouts.for_the_match:
            self._look_ahead(rollouts, begun + LOOKING_AHEAD * seconds)
        if self.simulations is not None:
            worlds = max(1, min(worlds, self.simulations // rollouts.contenders))
        while worlds > 0:
            before = now()
            rollouts.imagine(worlds)
            if self.simulations is not None:
                spent, each = rollouts.games / self.simulations, rollouts.contenders / self.simulations
            else:
                after = now()
                spent, each = (after - begun) / seconds, max((after - before) / worlds / seconds, 1e-9)
            had = rollouts.contenders
            until = rollouts.halve(spent + each)
            if rollouts.settled:
                break
            each *= rollouts.contenders / had
            least = 1 if until < 1.0 else 0
            worlds = min(max(int((until - spent) / each), least), 2 * max(worlds, int(0.1 / each)))
        return rollouts

    def _look_ahead(self, rollouts: Rollouts, end: float) -> None:
        """Imagine the deals to come: as often as there is time, or for every fourth simulation."""
        if self.simulations is not None:
            rollouts.look_ahead(min(max(self.simulations // 4, SOME_RESTS), RESTS))
        else:
            rollouts.look_ahead(SOME_RESTS)
            while rollouts.rests < RESTS and now() < end:
                rollouts.look_ahead(SOME_RESTS)


_own = threading.local()


def _rollouts(game: Ruleset[Any], binding: Binding, infers: bool) -> Rollouts:
    """Return this thread's memory for such games: it is reserved once and reused."""
    if not hasattr(_own, "rollouts"):
        _own.rollouts = lru_cache(maxsize=4)(Rollouts)
    found: Rollouts = _own.rollouts(game, binding, infers)
    return found


class Rollouts(ImaginedGames):
    """Memory for what :mod:`parlour.engine.rollouts` does, and which actions are still in the contest."""

    _risk = 0.0
    for_the_match = False
    """Whether actions are to count for what they do for the match, as soon as the deals to come have been imagined."""

    def __init__(self, game: Ruleset[Any], binding: Binding, infers: bool = True, by_thumb: bool = False) -> None:
        """``by_thumb``: everybody plays on by rule of thumb, even where somebody has learned the game."""
        super().__init__(game, binding)
        n, learned = game.action_count, not (by_thumb or why_not(game))
        self._how = BY_NETWORK if learned else BY_RULE_OF_THUMB
        net = list(network(game)) if learned else [0.0] * HEAD
        numbers, blank = [*prepared(game), *[0.0] * NOTES], game.blank()
        belief = beliefs(game) if infers else [0.0] * HEAD
        layer, row = LAYERS * int(max(net[HIDDEN], belief[HIDDEN])), tensor_size(game.definition)
        if binding == "interpreted":
            from parlour.engine.interpreted import Positions, interpreted

            self._code = interpreted(game.definition)
            self._positions: Any = Positions(game.definition, POSITIONS)
            self._positions[BLANK] = blank
            self._scratch: tuple[Any, ...] = (
                [0] * n, [0.0] * n, numbers, [net], [0.0] * row, [0.0] * layer, [0.0] * n, [0.0] * n, [0],
                [0], [0.0] * game.players, belief, EACH,
            )  # fmt: skip
        else:
            import numpy as np

            from parlour.engine.compiled import compiled

            self._code = compiled(game.definition)
            self._positions = np.zeros(POSITIONS, self._code.dtype)
            for position in self._positions:
                to_record(game.definition, blank, position)
            self._scratch = (
                np.zeros(n, np.int16), np.zeros(n), np.array(numbers), np.array([net]), np.zeros(row, np.float32),
                np.zeros(layer), np.zeros(n), np.zeros(n), np.zeros(1, np.uint64), np.zeros(1, np.uint64),
                np.zeros(game.players), np.array(belief), EACH,
            )  # fmt: skip
        self._before, self._rests = self._numbers(game.players), self._numbers(RESTS * game.players)
        self.rests = self.games = 0
        self._powers: list[float] = []
        self._given_up: dict[int, dict[int, tuple[float, float]]] = {}

    def _numbers(self, size: int) -> Any:
        if self.binding == "interpreted":
            return [0.0] * size
        import numpy as np

        return np.zeros(size)

    def load(self, sight: Sight) -> None:
        """Load the machine code, or have it compiled."""
        self.begin(sight, [0], 0, 0)

    def begin(
        self,
        sight: Sight,
        legal: Sequence[int],
        dice: int,
        word: int,
        risk: float = 0.0,
    ) -> int:
        """Forget everything and start from what a player can see.  ``dice``: the state of the generator that decides
        between actions that are worth the same to a rule of thumb; what it is then is returned.  ``risk``: as in
        :class:`Best`."""
        self._me, self._word = sight.player, word
        notes = self._scratch[2]
        notes[-NOTES:] = [0.0] * NOTES if self.binding == "interpreted" else 0.0  # what others saw does not count
        if self.binding == "interpreted":
            self._positions[SEEN_BY_ME] = sight.position
        else:
            sight.put(self._positions, SEEN_BY_ME)
        first, expected, dice = self._by_policy(legal, dice, word)
        others = sight.worth_trying() if len(legal) > 1 else []
        self.for_the_match = self.game.definition.rules.FOR_THE_MATCH and not risk
        self._first, self._expected = first, {} if self.for_the_match else expected
        self._choices = [first, *(a for a in others if a != first)]
        self._began_with = len(self._choices)
        self._values: dict[int, tuple[int, float]] = {}
        self._given_up = {}
        self._about = self._numbers(5)
        self._worlds = self.games = self.rests = 0
        self._risk, self._powers = risk, [0.0] * len(self._choices)
        self._sums, self._squares = self._matrices()
        self.imagine(0)
        if self.for_the_match:
            self.look_ahead(0)
        return dice

    def _by_policy(self, legal: Sequence[int], dice: int, word: int) -> tuple[int, dict[int, float], int]:
        """What the player would do without imagining anything, what was learned of each action (if anything was), and
        the generator after that.  A world of the player's own is as good as the real one: it shows them the same."""
        acts, worth, notes, nets, row, layer, short, firm, rng, own, _, belief, _ = self._scratch
        rng[0], own[0] = word, dice
        self._code.imagine(self._positions, self._me, belief, 1, row, layer, rng)
        self._positions[GAME] = self._positions[WORLD]
        acts[: len(legal)] = legal
        weighing = len(legal), worth, notes, own, nets, row, layer, short, firm
        first = int(self._code.decide(self._positions, self._me, self._how, acts, *weighing))
        if self._how == BY_RULE_OF_THUMB or len(legal) == 1:
            return first, {}, int(own[0])
        return first, {a: float(worth[k] * nets[0][UNIT]) for k, a in enumerate(legal)}, int(own[0])

    def look_ahead(self, times: int) -> None:
        """Imagine the rest of the match that many more times; actions then count for the share of it that is won."""
        begin, self.rests = self.rests, self.rests + times
        word: Any = mix(self._word)
        if self.binding == "compiled":
            import numpy as np

            word = np.uint64(word)
        acts, _, _, _, row, layer, _, _, rng, _, out, belief, each = self._scratch
        self._code.look_ahead(
            self._positions, self._me, acts, rng, out, belief, each, row, layer, self._before, self._rests, word,
            begin, self.rests,
        )  # fmt: skip

    def compare(self, sight: Sight, choices: Sequence[int], word: int, worlds: int) -> list[float]:
        """Return what each of these actions brings on average in the same imagined worlds, of which ``word`` decides.
        None of them is given up; :meth:`error` says how certain a difference is."""
        self.begin(sight, choices, 0, word)
        self._choices, self._worlds = list(choices), worlds
        self._sums, self._squares = self._matrices()
        self._roll_out(0, worlds)
        return [float(total) / worlds for total in self._sums]

    def _matrices(self) -> tuple[Any, Any]:
        n = len(self._choices)
        return self._numbers(n), self._numbers(n * n)

    @property
    def contenders(self) -> int:
        """How many actions are still in the contest."""
        return len(self._choices)

    @property
    def settled(self) -> bool:
        """Whether more worlds would change nothing."""
        return len(self._choices) == 1 or self._worlds >= MOST

    def halve(self, spent: float) -> float:
        """Sequential halving (Karnin, Koren & Somekh 2013): the budget is divided among rounds, and after each of them
        the worse half is given up, but never what the player would do without imagining anything.  ``spent``: how much
        of the budget, from 0 to 1; returns how much of it will be at the end of the round."""
        rounds = max(1, math.ceil(math.log2(self._began_with)))
        done = min(int(spent * rounds), rounds - 1)
        most = max(2, math.ceil(self._began_with / 2**done))
        if len(self._choices) > most and self._worlds >= LEAST and not self._risk:
            ranked = sorted(range(len(self._choices)), key=lambda k: (-float(self._sums[k]), k))
            kept = ranked[:most]
            self._keep(sorted({*kept, *(k for k in ranked if self._choices[k] == self._first)}))
        return 1.0 if done == rounds - 1 else (done + 1) / rounds

    def imagine(self, worlds: int) -> None:
        """Try the actions in that many more worlds; give up those that have fallen behind."""
        begin, self._worlds = self._worlds, self._worlds + worlds
        n = len(self._choices)
        # whoever weighs risks has to know what each world brought
        for start, end in pairwise(range(begin, self._worlds + 1)) if self._risk else [(begin, self._worlds)]:
            before = [float(total) for total in self._sums]
            self._roll_out(start, end)
            if self._risk:
                for k in range(n):
                    self._powers[k] += (float(self._sums[k]) - before[k]) ** 2
        self.games += worlds * n
        for k, a in enumerate(self._choices):
            if self._worlds:
                self._values[a] = self._worlds, float(self._sums[k]) / self._worlds
        if self._worlds >= ENOUGH and not self._risk:
            self._give_up()

    def _roll_out(self, begin: int, end: int) -> None:
        """Try the actions in these worlds, and add up what they bring."""
        choices: Any = self._choices
        first: Any = self._word
        if self.binding == "compiled":
            import numpy as np

            choices, first = np.array(choices), np.uint64(first)
        self._code.roll_out(
            self._positions, self._me, choices, self._how, *self._scratch, self._about, self._numbers(len(choices)),
            self._sums, self._squares, self._before, self._rests[: self.rests * self.game.players], first, begin, end,
        )  # fmt: skip

    def error(self, j: int, k: int) -> float:
        """The standard error of the difference between two actions, by their places."""
        n, j, k = self._worlds, min(j, k), max(j, k)
        mean = float(self._sums[j] - self._sums[k]) / n
        return math.sqrt(max(float(self._squares[len(self._choices) * j + k]) / n - mean * mean, 0.0) / n)

    def _spread(self, k: int) -> float:
        """The standard deviation of what an action brings, by its place."""
        mean = float(self._sums[k]) / self._worlds
        return math.sqrt(max(self._powers[k] / self._worlds - mean * mean, 0.0))

    def _means(self) -> list[float]:
        """What each action brings on average, by its place; what was learned counts for some worlds."""
        trust = TRUST if self._expected else 0
        return [
            (float(total) + trust * self._expected.get(a, 0.0)) / (self._worlds + trust)
            for a, total in zip(self._choices, self._sums, strict=True)
        ]

    def _leader(self) -> int:
        """The place of the best action: the one that is expected to bring most, if it is far enough ahead of what the
        player would do without imagining anything."""
        worlds, trust = self._worlds, TRUST if self._expected else 0
        means = self._means()
        if self._risk:
            means = [mean + self._risk * self._spread(k) for k, mean in enumerate(means)]
        best = max(range(len(means)), key=lambda k: (means[k], -k))
        if self._first not in self._choices:
            return best
        first = self._choices.index(self._first)
        error = self.error(first, best) * worlds / (worlds + trust)
        return best if means[best] - means[first] > CAUTION * error else first

    def _give_up(self) -> None:
        """Give up the actions that have fallen far behind the one with the highest mean, and those that are the same as
        an earlier one."""
        n, sums = len(self._choices), self._sums
        best = max(range(n), key=lambda k: (float(sums[k]), -k))
        kept = [k for k in range(n) if k == best or not self._is_behind(k, best)]
        if len(kept) < n:
            self._keep(kept)

    def _keep(self, kept: Sequence[int]) -> None:
        """Give up all actions but those at these places; remember how far each of those was ahead of them, and the
        standard error of that: later worlds are not the same for both."""
        n, sums, squares = len(self._choices), self._sums, self._squares
        for k in {*range(n)} - {*kept}:
            ahead = {j: float(sums[j] - sums[k]) / self._worlds for j in kept}
            self._given_up[self._choices[k]] = {self._choices[j]: (ahead[j], self.error(j, k)) for j in kept}
        self._choices = [self._choices[k] for k in kept]
        self._sums, self._squares = self._matrices()
        for j, was in enumerate(kept):
            self._sums[j] = sums[was]
            for k in range(j + 1, len(kept)):
                self._squares[len(kept) * j + k] = squares[n * was + kept[k]]

    def _is_behind(self, k: int, best: int) -> bool:
        error = self.error(best, k)
        if error == 0.0 and self._sums[best] == self._sums[k]:
            return best < k and self._worlds >= ALIKE
        return float(self._sums[best] - self._sums[k]) / self._worlds > SURE * error

    def _tried(self, legal: Sequence[int]) -> tuple[dict[int, int], dict[int, float]]:
        """Return in how many worlds each action was tried, and what it brought on average: of one that was
        given up, what the best brought in all worlds, less what it was behind in those that both were tried in."""
        found = {a: both for a, both in self._values.items() if a in legal}
        values = {a: mean for a, (_, mean) in found.items()}
        best = self._choices[self._leader()] if self._worlds else self._first
        for a in values:
            if best in self._given_up.get(a, {}):
                values[a] = self._values[best][1] - self._given_up[a][best][0]
        if self.rests:  # without what decides between equals
            values = {a: min(max(value, 0.0), 1.0) for a, value in values.items()}
        return {a: n for a, (n, _) in found.items()}, values

    def _fared(self, a: int, values: Mapping[int, float]) -> str:
        return f"won {values[a]:.1%}" if self.rests else super()._fared(a, values)

    def _ranked(self, visits: Mapping[int, int], values: Mapping[int, float]) -> list[int]:
        best = self._choices[self._leader()] if self._worlds else self._first
        return sorted(visits, key=lambda a: (a == best, visits[a], values[a]), reverse=True)

    def _error_between(self, best: int, second: int) -> float | None:
        """The standard error of the difference; of an action that was given up, of what it was behind then."""
        if second in self._choices and best in self._choices:
            return self.error(self._choices.index(best), self._choices.index(second))
        for one, other in ((second, best), (best, second)):
            if other in self._given_up.get(one, {}):
                return self._given_up[one][other][1]
        return None

    @property
    def _seen(self) -> Sequence[float]:
        found: Sequence[float] = MATCHES if self.rests else self._about
        return found
