"""The search player: :mod:`parlour.players.kernels.search`, its memory, its budget, and its reasons."""

from __future__ import annotations

import math
import struct
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from parlour.base.errors import CompilationError, ParlourError
from parlour.engine.c.layout import WORD
from parlour.engine.hashing import mix, seed_word
from parlour.engine.ruleset import number, whole_number
from parlour.engine.telling import View, view
from parlour.players.clock import now
from parlour.players.endings import Ending, EndingSolver, endings
from parlour.players.kernels.search import KERNEL
from parlour.players.kernels.search import TreeArrays as Branches
from parlour.players.player import Advice, must_be_of
from parlour.players.sight import Sight, Viewed

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

Binding = Literal["compiled", "interpreted"]
_Made = TypeVar("_Made")

DEEPEST = 256  # most decisions remembered on one path through a tree
EDGES = 8  # edges that fit, per slot of the table of nodes
FEWEST, MOST = 1 << 10, 1 << 22  # fewest and most slots of the table of nodes
PER_SECOND = {"compiled": 1 << 19, "interpreted": 1 << 13}  # simulations a second for which memory is reserved
SLICE = 0.005  # seconds between looks at the clock
PLACES = 8  # positions of an ending that fit, per simulation
PLACES_PER_SECOND = {"compiled": 1 << 21, "interpreted": 1 << 16}


class Search:
    """Information-set Monte Carlo tree search for any game: ``seconds`` or ``simulations`` a move (one of them; 0.1
    seconds if neither is given).

    With a budget of simulations the choice is a function of the view, the seed and the settings, and the same in both
    bindings (``binding``: ``compiled``, or ``interpreted``, which needs no compiling and is some hundred times slower;
    by default compiled or, with a warning, interpreted if the game cannot be compiled).  ``explore`` weighs exploration
    against success, in units of half the distance between a game's worst and best return.

    Where players bluff, it is far more exploitable than its results look: at Leduc poker the best opponent wins 2.58
    chips a deal from 200 simulations a move, and 2.37 from random choices.

    If the game can solve endings (:mod:`parlour.players.endings`) and one can be solved in half the time, or in a table
    whose size depends on the number of simulations, the choice is perfect, and games are simulated only to break ties.

    >>> import parlour
    >>> game = parlour.load("kuhn")
    >>> state = game.new()
    >>> for step in ("K", "Q", "pass", "bet"): state.apply(step)
    >>> advice = Search(game, simulations=500, binding="interpreted").advise(state.view(0), state.legal_actions())
    >>> game.action_names[advice.action], advice.values[advice.action]
    ('bet', 2.0)
    """

    def __init__(
        self,
        game: Ruleset[Any],
        seed: int = 0,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        explore: float = 1.0,
        binding: Binding | None = None,
    ) -> None:
        if seconds is not None and simulations is not None:
            raise ParlourError("A search takes seconds or simulations, not both.")
        if seconds is None and simulations is None:
            seconds = 0.1
        seconds, simulations, explore = checked_budget(seconds, simulations, explore)
        self.game, self.seconds, self.simulations = game, seconds, simulations
        self.explore = explore
        self.binding: Binding = binding or "compiled"
        self._may_change = binding is None
        self._seed = seed_word(seed)
        self.name = f"search:{seconds:g}s" if seconds is not None else f"search:{simulations}"

    def choose(self, view: View, legal: Sequence[int]) -> int:
        return self.answer(Viewed(view), legal)

    def answer(self, sight: Sight, legal: Sequence[int]) -> int:
        """Choose from ``legal``, given what a player can see; the result is the same as that of :meth:`choose` with the
        view."""
        return legal[0] if len(legal) == 1 else self._searched(sight, legal).best(legal)

    def advise(self, view: View, legal: Sequence[int]) -> Advice:
        """Return an action, and how it fared in simulated games.  ``reason`` reads like this: ``dig 4: won 58% of 7,000
        imagined games; next best is dig 2 with 55%``; or, if the rest of the game was solved, like this: ``dig 4: wins
        with 63.2%, exactly; next best is dig 2 with 55.1%``."""
        if len(legal) == 1:
            return Advice(legal[0], f"{self.game.action_names[legal[0]]}: the only choice", {}, {})
        return self._searched(Viewed(view), legal).advice(legal)

    def warm_up(self) -> None:
        """Load or compile the code of the search now instead of at the first move."""
        self._planted(Viewed(view(self.game, self.game.start(), 0)), 0)
        self._endings()

    def _tree(self) -> Tree:
        wanted = self.simulations or int(PER_SECOND[self.binding] * (self.seconds or 0))
        return _tree(self.game, self.binding, min(max(FEWEST, 2 << wanted.bit_length()), MOST))

    def _planted(self, sight: Sight, rng_word: int) -> Tree:
        def plant() -> Tree:
            tree = self._tree()
            tree.plant(sight, rng_word)
            return tree

        return self._made(plant)

    def _made(self, make: Callable[[], _Made]) -> _Made:
        """Make an object with machine code or, if that fails, without it."""
        try:
            return make()
        except CompilationError as error:
            if not self._may_change or self.binding == "interpreted":
                raise
            self.binding = "interpreted"
            warnings.warn(f"{error} Search goes on interpreted, and more slowly.", RuntimeWarning, stacklevel=1)
            return make()

    def _endings(self) -> EndingSolver | None:
        return self._made(lambda: endings(self.game, self.binding))

    def _searched(self, sight: Sight, legal: Sequence[int]) -> ImaginedGames | Ending:
        """Solve the rest of the game if it is an ending; search if it is not, or if several actions are equally
        good."""
        must_be_of(sight.game, self.game)
        able, begun = self._endings(), now()
        ending = self._ending(able, sight, legal, begun) if able else None
        if ending is not None and len(ending.as_good) == 1:
            return ending
        seconds = self.seconds or 0
        found = self._imagined(sight, legal, max(seconds - (now() - begun), seconds / 2))
        if ending is None:
            return found
        ending.action = found.best(ending.as_good)
        return ending

    def _imagined(self, sight: Sight, legal: Sequence[int], seconds: float) -> ImaginedGames:
        """Imagine games: the number allowed for a move or, with a time limit, for this many seconds."""
        tree = self._planted(sight, mix(self._seed ^ sight.glance()))
        if self.simulations is not None:
            tree.grow(self.simulations, self.explore)
        else:
            self._grow_until(tree, now() + seconds)
        return tree

    def _ending(self, able: EndingSolver, sight: Sight, legal: Sequence[int], begun: float) -> Ending | None:
        """Return the solved ending, if it can be solved in half the time, or in a table whose size depends only on the
        number of simulations."""
        if self.simulations is not None:
            wanted, go_on = self.simulations * PLACES, None
        else:
            seconds = self.seconds or 0
            wanted, end = int(PLACES_PER_SECOND[self.binding] * seconds), begun + seconds / 2
            go_on = lambda: now() < end  # noqa: E731
        worths = able.worths(sight.position, min(max(FEWEST, 1 << wanted.bit_length()), MOST), go_on)
        return None if worths is None else Ending(self.game, worths, able.returns, legal)

    def _grow_until(self, tree: Tree, end: float) -> None:
        size, after = 16, now()
        while after < end:
            tree.grow(size, self.explore)
            before, after = after, now()
            pace = size / max(after - before, 1e-6)
            size = max(1, int(pace * min(SLICE, max(end - after, 0.0))))


def checked_budget(
    seconds: float | None, simulations: int | None, explore: float
) -> tuple[float | None, int | None, float]:
    """Return the budget of a search for each move, and how it explores.  Raises ``ParlourError`` for impossible values.

    >>> checked_budget(0.5, None, 1)
    (0.5, None, 1.0)
    """
    if simulations is not None:
        simulations = whole_number(simulations, "a number of simulations")
        if simulations < 1:
            raise ParlourError(
                "A search needs at least one simulation a move, not {simulations}.", simulations=simulations
            )
    if seconds is not None:
        seconds = number(seconds, "a number of seconds")
        if not 0 < seconds <= 3600:
            raise ParlourError(
                "A search takes more than 0 and at most 3600 seconds a move, not {seconds:g}.", seconds=seconds
            )
    explore = number(explore, "a weight of exploration")
    if not 0 < explore < math.inf:
        raise ParlourError("explore is a number above 0, not {explore:g}.", explore=explore)
    return seconds, simulations, explore


_own = threading.local()


def _tree(game: Ruleset[Any], binding: Binding, slots: int) -> Tree:
    """Return this thread's tree for searches with these settings; its memory is reserved once and reused."""
    if not hasattr(_own, "trees"):
        _own.trees = lru_cache(maxsize=4)(Tree)
    tree: Tree = _own.trees(game, binding, slots)
    return tree


class ImaginedGames:
    """Games that were imagined for a player who is to choose, with their results."""

    def __init__(self, game: Ruleset[Any], binding: Binding) -> None:
        self.game, self.binding = game, binding

    def _tried(self, legal: Sequence[int]) -> tuple[dict[int, int], dict[int, float]]:
        """Return how often each legal action was tried, and its mean return."""
        raise NotImplementedError

    @property
    def _seen(self) -> Sequence[float]:
        """The lowest and the highest return of any player; the first two different returns of this one; the number of
        different ones (3: more than two)."""
        raise NotImplementedError

    def _ranked(self, visits: Mapping[int, int], values: Mapping[int, float]) -> list[int]:
        """The actions that were tried, best first: those that were tried most often."""
        return sorted(visits, key=lambda a: (visits[a], values[a]), reverse=True)

    def best(self, legal: Sequence[int]) -> int:
        """Return the best action."""
        return next(iter(self._ranked(*self._tried(legal))), legal[0])

    def advice(self, legal: Sequence[int]) -> Advice:
        visits, values = self._tried(legal)
        if not visits:
            return Advice(legal[0], f"{self.game.action_names[legal[0]]}: a guess", {}, {})
        ranked = self._ranked(visits, values)
        names, best = self.game.action_names, ranked[0]
        over = "over" if self._stakes_vary else "of"
        reason = f"{names[best]}: {self._fared(best, values)} {over} {visits[best]:,} imagined games"
        if len(ranked) > 1:
            second = self._fared(ranked[1], values).removeprefix("won ")
            fewer = f" of {visits[ranked[1]]:,}" if values[ranked[1]] > values[best] else ""
            reason += f"; next best is {names[ranked[1]]} with {second}{fewer}"
        error = self._error_between(best, ranked[1]) if len(ranked) > 1 else None
        measured = {a: self._error_between(best, a) for a in ranked[1:]}
        errors = {a: found for a, found in measured.items() if found is not None}
        return Advice(best, reason, values, visits, *self._bounds, self._stakes_vary, error=error, errors=errors)

    def _error_between(self, best: int, second: int) -> float | None:
        """The standard error of the difference between two actions, if it was measured."""
        return None

    @property
    def _stakes_vary(self) -> bool:
        """Whether results differ by more than winning or losing."""
        return bool(self._seen[4] > 2)

    @property
    def _bounds(self) -> tuple[float, float]:
        """The worst and the best return of any imagined game; if this player had only two different returns, these."""
        low, high, first, second, different = map(float, self._seen)
        return (min(first, second), max(first, second)) if different == 2 else (low, high)

    def _fared(self, a: int, values: Mapping[int, float]) -> str:
        """Return a mean return in words: the share of games won, if games can only be won or lost."""
        if self._stakes_vary:
            return f"{values[a]:+.2f} on average"
        low, high = self._bounds
        return f"won {(values[a] - low) / (high - low) if high > low else 0:.0%}"


class Tree(ImaginedGames):
    """Memory for a search with room for ``slots`` nodes (a power of two), and the calls of
    :mod:`parlour.players.kernels.search`."""

    def __init__(self, game: Ruleset[Any], binding: Binding, slots: int) -> None:
        super().__init__(game, binding)
        n, players = game.action_count, game.players
        if binding == "interpreted":
            from parlour.engine.interpreted import KeyMatrix, Positions, Words

            what = game.definition
            self._code = KERNEL.interpreted(what)
            self._positions: Any = Positions(what, 2)
            self._words: Any = Words(what, self._positions)
            self._tree = Branches(
                [0] * n, [0], [0.0] * players, KeyMatrix(what), [0] * slots, [0] * slots, [0.0] * (EDGES * slots),
                [0, 0], [0] * DEEPEST, [0] * DEEPEST, [0.0] * 5,
            )  # fmt: skip
        else:
            from parlour.engine.c.loading import positions, zeros

            self._code, blank = KERNEL.compiled(game.definition), game.blank()
            self._positions = positions(game.definition, [blank, blank])
            room = memoryview(self._positions).cast("B")
            # the size of a position need not be a multiple of a word
            words: Any = "B" if len(room) % (2 * WORD) else "Q"
            self._words = room.cast(words, (2, len(room) // 2 // struct.calcsize(words)))
            self._tree = Branches(
                zeros("i16", n), zeros("u64", 1), zeros("f64", players), zeros("u64", 4, max(players, 2)),
                zeros("u64", slots), zeros("i32", slots), zeros("f64", EDGES * slots), zeros("i64", 2),
                zeros("i32", DEEPEST), zeros("i8", DEEPEST), zeros("f64", 5),
            )  # fmt: skip
        self._me = 0
        self._root = 0

    def plant(self, sight: Sight, rng_word: int) -> None:
        """Forget everything and start from what a player can see."""
        self._me, self._acts = sight.player, sight.worth_trying()
        if self.binding == "interpreted":
            self._positions[0] = sight.position
        else:
            sight.put(self._positions, 0)
        tree = self._tree
        tree.rng[0] = rng_word
        for vector in (tree.keys, tree.used, tree.seen):
            if self.binding == "interpreted":
                vector[:] = [0] * len(vector)
            else:
                vector.cast("B")[:] = bytes(vector.nbytes)
        self.grow(0, 1.0)  # loads the machine code before a clock starts

    def grow(self, simulations: int, explore: float) -> None:
        """Run this many more simulations."""
        self._root = int(self._code.search(self._positions, self._words, self._me, self._tree, simulations, explore))

    def _tried(self, legal: Sequence[int]) -> tuple[dict[int, int], dict[int, float]]:
        """Return how often each legal action was chosen at the root, and its mean return."""
        keys, firsts, edges = self._tree.keys, self._tree.firsts, self._tree.edges
        visits, values = {}, {}
        if keys[self._root]:
            first = int(firsts[self._root]) + 1
            for k, a in enumerate(self._acts):
                if a in legal and edges[first + 2 * k]:
                    visits[a] = int(edges[first + 2 * k])
                    values[a] = float(edges[first + 2 * k + 1] / edges[first + 2 * k])
        return visits, values

    @property
    def _seen(self) -> Sequence[float]:
        seen: Sequence[float] = self._tree.seen
        return seen
