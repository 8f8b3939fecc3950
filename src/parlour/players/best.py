"""The best player: it tries its actions in many imagined worlds, the same for all actions.  There everybody plays on by
a learned network, or by rule of thumb (:mod:`parlour.players.kernels.rollouts`)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.engine.hashing import mix
from parlour.engine.kernels.views import BLANK
from parlour.engine.ruleset import number
from parlour.engine.telling import View, view
from parlour.engine.tensors import tensor_size
from parlour.players import unbeatable
from parlour.players.beliefs import beliefs
from parlour.players.clock import now
from parlour.players.kernels.arena import BY_NETWORK, BY_RULE_OF_THUMB, NOTES, Weighing
from parlour.players.kernels.beliefs import POSITIONS, SEEN_BY_ME
from parlour.players.kernels.networks import HEAD, HIDDEN, LAYERS, UNIT
from parlour.players.kernels.rollouts import GAMES, KERNEL, LEFT, WORLDS, Contest, Worlds
from parlour.players.learned import Learned, network, why_not
from parlour.players.player import Player
from parlour.players.search import Binding, ImaginedGames, Search
from parlour.players.sight import Sight, Viewed
from parlour.players.simple import RuleOfThumb, prepared

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

EACH = 8
"""The number of redeals from which a world is chosen, if the game has a network for beliefs."""
TRUST = 30
"""The values of a learned network count as much as this many worlds."""
RESTS = 512
"""How often, at most, a player who plays for the match imagines the deals to come."""
SOME_RESTS = 16
"""How often at least, and how often between looks at the clock."""
LOOKING_AHEAD = 0.15
"""The share of the time that this may take."""
UNKNOWN = 1 << 40
"""The budget of games until the time for one game is known."""
ALL = 1 << 30
"""A number of batches that means as many as needed."""
MATCHES = (0.0, 1.0, 0.0, 1.0, 2.0)
"""The returns of matches that are won or lost, in the form of :func:`parlour.players.kernels.search.note_returns`."""


class Best(Search):
    """A player with the settings of :class:`parlour.players.search.Search`.  It imagines worlds, tries its actions in
    each of them, and lets everybody play on by a policy: a learned network if the game has one, otherwise (or if the
    game sets ``IMAGINED_BY_THUMB``) the rule of thumb.  Actions that fall behind are given up early.  In games in which
    players choose the stakes of a deal (``FOR_THE_MATCH``), an action is valued by the share of matches won after it.

    If the game has a solution for its options (``unbeatable``), the player chooses from that, and imagines games only
    for advice.  If the solution is for other options, it chooses by the policy alone: in such a game, a player who
    expects opponents never to change can be exploited.

    ``risk``: how many standard deviations of an action's returns in the imagined worlds are added to its mean, between
    −2 and 2: above 0 for a bold player, below 0 for a cautious one.  Unless it is 0, the player values each deal by
    itself.

    ``infers``: whether it prefers worlds in which the others' choices so far are likely, if the game has a network for
    that (:mod:`parlour.players.kernels.beliefs`); otherwise all worlds that the rules allow are equally likely.

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
        **settings: Any,
    ) -> None:
        super().__init__(game, seed, **settings)
        self.infers = infers
        self.risk = number(risk, "a weight of risk")
        if not abs(self.risk) <= 2:
            raise ParlourError("risk is a number from -2 to 2, not {risk:g}.", risk=self.risk)
        if not game.definition.has("appraise"):
            raise ParlourError(
                "{name} has no rule of thumb by which games could be played on.", name=game.definition.said_name
            )
        self.name = self.name.replace("search", "best")
        solved = not unbeatable.why_not(game)
        bluffed = game.players == 2 and game.definition.part("unbeatable") is not None
        self.imagines = bool(self.risk) or not (solved or bluffed)
        """Whether the player chooses by imagined games."""
        self._policy: Learned | RuleOfThumb = RuleOfThumb(game, seed) if why_not(game) else Learned(game, seed)
        self.by_itself: Player = self._policy
        """The player that chooses without imagining anything."""
        self._dice = self._seed
        if solved and not self.risk:
            self.by_itself = unbeatable.make(game, seed)

    def choose(self, view: View, legal: Sequence[int]) -> int:
        return super().choose(view, legal) if self.imagines else self.by_itself.choose(view, legal)

    def answer(self, sight: Sight, legal: Sequence[int]) -> int:
        return super().answer(sight, legal) if self.imagines else self.by_itself.choose(sight.view, legal)

    def warm_up(self) -> None:
        dice = self._dice
        self._begun(Viewed(view(self.game, self.game.start(), 0)), [0], 0)
        self._dice = dice
        self._endings()

    def _begun(self, sight: Sight, legal: Sequence[int], word: int) -> Rollouts:
        """Return memory that is set up to imagine games."""

        def begin() -> Rollouts:
            rollouts = _rollouts(self.game, self.binding, self.infers)
            self._dice = rollouts.begin(sight, legal, self._dice, word, self.risk)
            return rollouts

        return self._made(begin)

    def _imagined(self, sight: Sight, legal: Sequence[int], seconds: float) -> ImaginedGames:
        rollouts = self._begun(sight, legal, mix(self._seed ^ sight.glance()))
        begun = now()
        if rollouts.for_the_match:
            self._look_ahead(rollouts, begun + LOOKING_AHEAD * seconds)
        if self.simulations is not None:
            rollouts.contemplate(self.simulations)
        else:
            self._contemplate_until(rollouts, begun + seconds, seconds)
        return rollouts

    def _contemplate_until(self, rollouts: Rollouts, end: float, seconds: float) -> None:
        """Imagine as many games as there is time for, judging by the time that the latest took."""
        total, after = UNKNOWN, now()
        while rollouts.contemplate(total, 1):
            before, after = after, now()
            each = max((after - before) / rollouts.latest, 1e-9 * seconds)
            total = rollouts.games + max(0, int((end - after) / each))

    def _look_ahead(self, rollouts: Rollouts, end: float) -> None:
        """Imagine the deals to come: as often as time allows, or once for every four simulations."""
        if self.simulations is not None:
            rollouts.look_ahead(min(max(self.simulations // 4, SOME_RESTS), RESTS))
        else:
            rollouts.look_ahead(SOME_RESTS)
            while rollouts.rests < RESTS and now() < end:
                rollouts.look_ahead(SOME_RESTS)


_own = threading.local()


def _rollouts(game: Ruleset[Any], binding: Binding, infers: bool) -> Rollouts:
    """Return this thread's memory for games with these settings; it is reserved once and reused."""
    if not hasattr(_own, "rollouts"):
        _own.rollouts = lru_cache(maxsize=4)(Rollouts)
    found: Rollouts = _own.rollouts(game, binding, infers)
    return found


class Rollouts(ImaginedGames):
    """Memory for :mod:`parlour.players.kernels.rollouts`, with its results."""

    _is_loaded = False
    _risk = 0.0
    for_the_match = False
    """Whether actions are valued by the match, once the deals to come have been imagined."""

    def __init__(self, game: Ruleset[Any], binding: Binding, infers: bool = True) -> None:
        super().__init__(game, binding)
        n, learned = game.action_count, not why_not(game)
        self._by_itself = BY_NETWORK if learned else BY_RULE_OF_THUMB
        self._how = BY_RULE_OF_THUMB if game.definition.rules.IMAGINED_BY_THUMB else self._by_itself
        net = list(network(game)) if learned else [0.0] * HEAD
        numbers, blank = [*prepared(game), *[0.0] * NOTES], game.blank()
        belief = beliefs(game) if infers else [0.0] * HEAD
        layer, row = LAYERS * int(max(net[HIDDEN], belief[HIDDEN])), tensor_size(game.definition)
        self._unit = net[UNIT]
        if binding == "interpreted":
            from parlour.engine.interpreted import Positions

            self._code = KERNEL.interpreted(game.definition)
            self._positions: Any = Positions(game.definition, POSITIONS)
            self._positions[BLANK] = blank
            nets: Any = [net]
        else:
            from parlour.engine.c.loading import filled, positions

            self._code = KERNEL.compiled(game.definition)
            self._positions = positions(game.definition, [blank] * POSITIONS)
            nets = filled("f64", net, 1, len(net))
        self._room = Weighing(
            self._vector("i16", [0] * n), self._vector("f64", [0.0] * n), self._vector("f64", numbers), nets,
            self._vector("f32", [0.0] * row), self._vector("f64", [0.0] * layer), self._vector("f64", [0.0] * n),
            self._vector("f64", [0.0] * n),
        )  # fmt: skip
        self._no_notes, each = self._vector("f64", [0.0] * NOTES), [0.0] * game.players
        self._worlds = Worlds(
            self._vector("u64", [0]), self._vector("u64", [0]), self._vector("f64", each),
            self._vector("f64", belief), EACH, self._vector("f64", each), self._vector("f64", RESTS * each),
        )  # fmt: skip
        self._me, self._word, self.rests, self.latest = 0, 0, 0, 0

    def _vector(self, code: str, values: Sequence[float]) -> Any:
        """A vector of numbers for the binding; ``code``: the type of its entries if it is compiled."""
        if self.binding == "interpreted":
            return list(values)
        from parlour.engine.c.loading import filled

        return filled(code, values)

    def begin(
        self,
        sight: Sight,
        legal: Sequence[int],
        dice: int,
        word: int,
        risk: float = 0.0,
    ) -> int:
        """Forget everything and start from what a player can see.  ``dice``: the state of the generator that breaks
        ties of the rule of thumb; its new state is returned.  ``risk``: as in :class:`Best`."""
        self._me, self._word = sight.player, word
        room, worlds = self._room, self._worlds
        room.notes[-NOTES:] = self._no_notes  # forget the notes taken from another player's view
        if self.binding == "interpreted":
            self._positions[SEEN_BY_ME] = sight.position
        else:
            sight.put(self._positions, SEEN_BY_ME)
        worlds.rng[0], worlds.dice[0], room.acts[: len(legal)] = word, dice, self._vector("i16", legal)
        first = int(
            self._code.by_itself(self._positions, self._me, len(legal), self._by_itself, self._room, self._worlds)
        )
        dice, learned = int(worlds.dice[0]), self._by_itself == BY_NETWORK and len(legal) > 1
        expected = {a: float(room.worth[k] * self._unit) for k, a in enumerate(legal)} if learned else {}
        others = sight.worth_trying() if len(legal) > 1 else []
        self.for_the_match, self._risk, self.rests = self.game.definition.rules.FOR_THE_MATCH and not risk, risk, 0
        choices = [first, *(a for a in others if a != first)]
        if not self._is_loaded:
            self._load_with(choices)
        self.compete(choices, {} if self.for_the_match else expected)
        return dice

    def _load_with(self, choices: Sequence[int]) -> None:
        """Load all machine code, before a clock starts."""
        self.compete(choices, {})
        if self.for_the_match:
            self.look_ahead(0)
        self.contemplate(1, 0)
        self._contest.counts[WORLDS], self._contest.tried[:] = 1, self._vector("i64", [1] * len(choices))
        self.error(self._leader(), choices[0])
        self._is_loaded = True

    def compete(self, choices: Sequence[int], expected: Mapping[int, float]) -> None:
        """Put these actions into the contest; the first is what the player would do without imagining anything.
        ``expected``: their values according to a learned network, if there is one."""
        n = len(choices)
        self.choices, self._trust = list(choices), TRUST if expected else 0
        counts, none, each = self._vector("i64", [0] * 4), [0.0] * n, [0.0] * (n * n)
        counts[LEFT] = n
        self._contest = Contest(
            self._vector("i64", self.choices), self._vector("i64", range(n)), counts, self._vector("f64", [0.0] * 5),
            self._vector("f64", none), self._vector("i64", [0] * n), self._vector("f64", none),
            self._vector("f64", each), self._vector("f64", none), self._vector("f64", each),
        )  # fmt: skip
        self._expected = self._vector("f64", [expected.get(a, 0.0) for a in choices])

    @property
    def _given(self) -> tuple[Any, ...]:
        """The arguments that every loop of a contest takes."""
        worlds = self._worlds._replace(rests=self._worlds.rests[: self.rests * self.game.players])
        return self._positions, self._me, self._how, self._room, worlds, self._contest, self._word

    def look_ahead(self, times: int) -> None:
        """Imagine the rest of the match this many more times; actions are then valued by the share of matches won."""
        begin, self.rests = self.rests, self.rests + times
        self._code.look_ahead(self._positions, self._me, self._room, self._worlds, mix(self._word), begin, self.rests)

    def compare(self, sight: Sight, choices: Sequence[int], word: int, worlds: int) -> list[float]:
        """Return the mean return of each of these actions in the same imagined worlds, which follow from ``word``.
        None of them is given up; :meth:`error` says how certain a difference is."""
        self.begin(sight, choices, 0, word)
        self.compete(choices, {})
        self.imagine(worlds)
        return [float(total) / worlds for total in self._contest.sums]

    def imagine(self, worlds: int) -> None:
        """Try the actions still in the contest in this number of further worlds."""
        self._code.roll_out(*self._given, worlds)

    def contemplate(self, total: int, batches: int = ALL) -> int:
        """Try actions in imagined worlds, and give up those that are not worth trying any more, until a ``total`` of
        games has been imagined or nothing is left to decide; return how many batches of worlds that took.  It stops
        after this number of ``batches``."""
        before = self.games
        made = int(self._code.contemplate(*self._given, self._rounds(), total, batches))
        self.latest = self.games - before
        return made

    def _rounds(self) -> int:
        """The number of rounds of sequential halving, after each of which the worse half is given up; 0 if the player
        weighs risks, because it then needs the result of every action in every world."""
        return 0 if self._risk else max(1, (len(self.choices) - 1).bit_length())

    @property
    def games(self) -> int:
        """How many games have been imagined."""
        return int(self._contest.counts[GAMES])

    @property
    def contenders(self) -> list[int]:
        """The actions that are still in the contest."""
        return [self.choices[k] for k in self._contest.left[: self._contest.counts[LEFT]]]

    def error(self, one: int, other: int) -> float:
        """The standard error of the difference between the returns of two actions, in the worlds in which both were
        tried."""
        j, k = self.choices.index(one), self.choices.index(other)
        return float(self._code.standard_error(j, k, self._contest))

    def _leader(self) -> int:
        """The best action."""
        if not self._contest.counts[WORLDS]:
            return self.choices[0]
        return self.choices[int(self._code.leader(self._contest, self._expected, self._trust, self._risk))]

    def best(self, legal: Sequence[int]) -> int:
        best = self._leader()
        return best if self._contest.counts[WORLDS] and best in legal else super().best(legal)

    def _tried(self, legal: Sequence[int]) -> tuple[dict[int, int], dict[int, float]]:
        """Return the number of worlds in which each action was tried, and its mean return.  For an action that was
        given up, this is the mean of the best in all worlds, less the difference in those worlds in which both were
        tried."""
        visits = {a: int(n) for a, n in zip(self.choices, self._contest.tried, strict=True) if n and a in legal}
        if not visits:
            return {}, {}
        n, best = len(self.choices), self.choices.index(self._leader())
        most, values = float(self._contest.sums[best]) / int(self._contest.tried[best]), dict[int, float]()
        for a, worlds in visits.items():
            k = self.choices.index(a)
            values[a] = float(self._contest.sums[k]) / worlds
            if worlds < self._contest.tried[best]:
                values[a] = most - float(self._contest.ahead[n * best + k])
        if self.rests:  # remove the small bonus that breaks ties
            values = {a: min(max(value, 0.0), 1.0) for a, value in values.items()}
        return visits, values

    def _fared(self, a: int, values: Mapping[int, float]) -> str:
        return f"won {values[a]:.1%}" if self.rests else super()._fared(a, values)

    def _ranked(self, visits: Mapping[int, int], values: Mapping[int, float]) -> list[int]:
        best = self._leader()
        return sorted(visits, key=lambda a: (a == best, visits[a], values[a]), reverse=True)

    def _error_between(self, best: int, second: int) -> float | None:
        return self.error(best, second) if self._contest.counts[WORLDS] else None

    @property
    def _seen(self) -> Sequence[float]:
        found: Sequence[float] = MATCHES if self.rests else self._contest.seen
        return found
