"""The sequence form of a two-player game (Koller, Megiddo & von Stengel 1996), grown from its rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from parlour.base.errors import ParlourError
from parlour.base.languages import Message, marked
from parlour.core.game import Game, loaded
from parlour.engine.positions import as_dict, to_record
from parlour.engine.telling import members
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, SEVERAL, TERMINAL
from parlour.solve.kernels import classes, growing
from parlour.solve.sequences import BlockMatrix, SequenceForm, Sparse, Treeplex

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

__all__ = ["TooLarge", "grow", "single_deal"]

Binding = Literal["compiled", "interpreted"]
MEMORY = 8.0
"""GiB that growing and solving may take."""
STRIDE = {"compiled": 1 << 21, "interpreted": 1 << 13}  # nodes between reports of progress
DIVES = 4096
LOOKS = 64  # random games that are searched for a repeated position
DEEP = 1024  # steps that a deal may take
TOO_LONG = "may go on for more than {most:,} steps"
MOST = 3e10  # nodes a tree may have by estimate; this many take some hours
LARGE = 50_000  # with at least this many nodes, the vector form is tried
CLASS, AT_ONCE = 1 << 13, 1 << 17  # most histories in one class, and in all classes being worked on
WORTH = 4  # blocks pay if they have at least this many cells on average
MERGED = 64  # the most ends that are assumed to share one pair of sequences


class TooLarge(ParlourError):
    """A tree that does not fit into memory, or that would take too long.

    >>> import parlour
    >>> try:
    ...     grow(parlour.load("leduc"), memory=1e-9, binding="interpreted")
    ... except TooLarge as why:
    ...     print(type(why).__name__)
    TooLarge
    """


def grow(
    game: Ruleset[Any] | str,
    *,
    memory: float = MEMORY,
    positions: bool = False,
    after: Sequence[str] = (),
    reduced: bool = False,
    binding: Binding = "compiled",
    vectors: bool | None = None,
    progress: Callable[[int, float], None] = lambda nodes, thought: None,
) -> SequenceForm:
    """Return the sequence form of one deal of a two-player game, from its rules alone.

    ``memory``: GiB allowed; raises ``TooLarge``, which says how much, if the tree would need more.  ``positions``: keep
    an example position of each information set.  ``after``: names of steps that everybody sees, with which the deal
    begins (``["ante 10"]``); the rest is solved.  ``reduced``: leave out the actions that nobody needs, by the game's
    function ``enough``; the value is the same.  ``vectors``: grow it class by class (the vector form: Johanson, Waugh,
    Bowling & Zinkevich 2011; compiled only), or not; by default if that pays.  ``progress`` is called with the number
    of nodes so far and the estimated total.  Raises ``ParlourError`` if the game is not for two, its deal may never
    end, it is not zero-sum, or its keys are not perfect recall.

    >>> import parlour
    >>> form = grow(parlour.load("kuhn"), binding="interpreted")
    >>> form.information_sets, form.nodes, form.ends
    (12, 58, 30)
    """
    if isinstance(game, str):
        game = loaded(game)
    if game.players != 2:
        raise ParlourError(
            "Solving is for two players; this is {name} for {players}.",
            name=game.definition.said_name,
            players=game.players,
        )
    if positions and binding == "interpreted":
        raise ParlourError("Only the compiled binding keeps positions; leave out one of the two.")
    if not 0 < memory < 1e6:
        raise ParlourError("Memory is a number of GiB above 0, not {memory:g}.", memory=memory)
    if reduced and not game.definition.has("enough"):
        raise ParlourError(
            "{name} does not say which actions nobody needs; leave out --reduced.", name=game.definition.said_name
        )
    grower, most = _Grower(game, binding, memory, positions, after, reduced), 0

    def further(nodes: int, thought: float) -> None:
        """Tell the most nodes so far: what is not worth growing by classes is grown from its beginning again."""
        nonlocal most
        most = max(most, nodes)
        progress(most, max(thought, most))

    grower.foresee()
    if vectors is None:
        vectors = binding == "compiled" and grower.thought >= LARGE
        if vectors and (made := grower.by_class(further)) is not None:
            return made
    elif vectors:
        if (made := grower.by_class(further, always=True)) is None:
            raise TooLarge(
                "{named} has too many histories of one length that players cannot tell apart.", named=grower.named()
            )
        return made
    grower.grow(further)
    return grower.form()


def single_deal(game: Ruleset[Any]) -> dict[str, str]:
    """Return the options that make a match a single deal, which is solved instead; empty if the game has none.

    >>> import parlour
    >>> single_deal(parlour.load("diamondback"))
    {'deals': '1'}
    """
    return {"deals": "1"} if game.options.get("deals", "1") != "1" else {}


def started(game: Ruleset[Any], after: Sequence[str]) -> Any:
    """Return the interpreted position after these steps.  Raises ``ParlourError`` if one of them is secret."""
    if not after:
        return game.start()
    from parlour.solve.beginning import begun

    assert isinstance(game, Game)
    return begun(game, after).position


class _Grower:
    def __init__(
        self,
        game: Ruleset[Any],
        binding: Binding,
        memory: float,
        positions: bool,
        after: Sequence[str],
        reduced: bool,
    ) -> None:
        self.game, self.binding, self.memory, self.keeps, self.reduced = game, binding, memory, positions, reduced
        self.after, self.start = tuple(after), started(game, after)
        definition, actions = game.definition, game.action_count
        if binding == "interpreted":
            from parlour.engine.interpreted import KeyMatrix, Positions

            self.code = growing.KERNEL.interpreted(definition)
            self.S: Any = Positions(definition, DEEP)
            self.S[0] = self.start.copy()
            self.heard: Any = [KeyMatrix(definition) for _ in range(DEEP)]
            self.acts: Any = [[0] * actions for _ in range(DEEP)]
            self.dtype: Any = object
        else:
            self.code = growing.KERNEL.compiled(definition)
            self.dtype = self.code.dtype
            self.S = np.zeros(DEEP, self.dtype)
            to_record(definition, self.start, self.S[0])
            self.heard = np.zeros((DEEP, 4, 2), np.uint64)
            self.acts = np.zeros((DEEP, actions), np.int16)
        numbers = (np.zeros(DEEP, np.int64) for _ in range(6))
        path: list[Any] = [self.S, self.heard, self.acts, *numbers, np.zeros((DEEP, 2), np.int64), np.zeros(DEEP)]
        self.path = growing.Path(*path)
        self.thought = 0.0
        self.blank()

    def blank(self) -> None:
        """Empty tables."""
        self.used = np.zeros(10, np.int64)
        self.sums = np.zeros(2)
        small = 1 << 10
        self.sets: dict[str, Any] = {"keys": np.zeros(2 * small, np.uint64), "numbers": np.full(2 * small, -1)}
        for name, kind in (("key", "u8"), ("glance", "u8"), ("player", "i1"), ("first", "i4"), ("count", "i4")):
            self.sets[name] = np.zeros(small, kind)
        self.sets["parent"] = np.zeros(small, np.int32)
        self.sets["positions"] = np.zeros(small if self.keeps else 0, self.dtype)
        self.deed = np.zeros((2, 4 * small), np.int16)
        self.pairs = np.zeros(4 * small, np.int64)
        self.payoffs = np.zeros(4 * small)

    # ------------------------------------------------------------------ the size of a tree

    def foresee(self) -> None:
        """Raise an error if the tree would certainly be too large, before it is grown."""
        if self._comes_back():
            raise TooLarge(self._endless(marked("comes back to the same position, so it may go on for ever")))
        found = [0.0, 0.0] if self.binding == "interpreted" else np.zeros(2)
        if self.binding == "interpreted":
            from parlour.engine.interpreted import Positions

            S: Any = Positions(self.game.definition, 2)
            S[0] = self.S[0]
            acts, rng, dives = [0] * self.game.action_count, [1], DIVES // 16
        else:
            S = np.zeros(2, self.dtype)
            S[0] = self.S[0]
            acts, rng, dives = np.zeros(self.game.action_count, np.int16), np.ones(1, np.uint64), DIVES  # type: ignore[assignment]
        deepest = int(self.code.probe(S, acts, rng, dives, found, self.reduced))
        self.thought, ends = found[0] / dives, found[1] / dives
        if deepest >= DEEP:
            raise TooLarge(self._endless(marked(TOO_LONG, most=DEEP)))
        need = 24 * ends / MERGED / 2**30
        if need > self.memory or self.thought > MOST:
            raise TooLarge(
                "{named} has about {round} histories. Their payoffs alone would take"
                " {other_round} GiB or more; {memory:g} GiB are allowed (--memory)."
                " Choose options that make it smaller{reduce}{sizes}.",
                named=self.named(),
                round=_round(self.thought),
                other_round=_round(need),
                memory=self.memory,
                reduce=self._reduce(),
                sizes=self._sizes(),
            )

    def _reduce(self) -> str:
        return ", or leave out actions that nobody needs (--reduced)" if self._reducible() else ""

    def _sizes(self) -> str:
        whole = self.game.definition.of or self.game.definition
        names = [f"{whole.id}-{size}" for size, one in whole.family.items() if one.constants]
        return f", or a smaller size ({', '.join(names)})" if names else ""

    def _reducible(self) -> bool:
        return not self.reduced and bool(self.game.definition.has("enough"))

    def named(self) -> Message:
        return marked("One deal of {game} under these options", game=self.game.definition.called)

    def _endless(self, why: Message) -> Message:
        hint = marked("; set first_dealer=0") if self.game.options.get("first_dealer") == "draw" else ""
        return marked("{named} {why}{hint}.", named=self.named(), why=why, hint=hint)

    def _comes_back(self) -> bool:
        """Whether a random game reaches a position twice: then the tree is infinite."""
        rules, choose = self.game.definition.rules, Random(0)
        for _ in range(LOOKS):
            s, met = self.start.copy(), set[str]()
            for _ in range(DEEP):
                who = rules.actor(s)
                if who in (TERMINAL, DEAL_OVER):
                    break
                here = str(as_dict(self.game.definition, s))
                if here in met:
                    return True
                met.add(here)
                if who == CHANCE:
                    rules.happen(s, choose.choice(members(rules.chance(s))), None)
                else:
                    who = members(rules.acting(s))[0] if who == SEVERAL else who
                    acts = [0] * self.game.action_count
                    rules.apply(s, who, choose.choice(acts[: rules.legal(s, who, acts)]), None)
        return False

    def _afford(self, more: int) -> None:
        """Raise an error if this many more bytes are not available, with the form's arrays included."""
        held = sum(a.nbytes for a in (*self.sets.values(), self.deed, self.pairs, self.payoffs))
        after = int(self.used[growing.PAIRS]) * 24
        if (held + more + after) / 2**30 > self.memory:
            done = int(self.used[growing.NODES])
            raise TooLarge(
                "{named} has about {round} histories. After {done:,} of them the next table"
                " would need {held:.3g} GiB in all; {memory:g} GiB are allowed"
                " (--memory). Choose options that make it smaller{sizes}.",
                sizes=self._sizes(),
                named=self.named(),
                round=_round(self.thought),
                done=done,
                held=(held + more + after) / 2**30,
                memory=self.memory,
            )

    # ------------------------------------------------------------------ growing

    def grow(self, progress: Callable[[int, float], None]) -> None:
        self.code.begin_growing(self.path, self.used)
        out: Any = [0.0, 0.0] if self.binding == "interpreted" else np.zeros(2)
        while True:
            status = int(
                self.code.grow(
                    self.path, out, self._sets, growing.Ends(self.pairs, self.payoffs, self.sums), self.used,
                    self.reduced, STRIDE[self.binding],
                )
            )  # fmt: skip
            if status == growing.DONE:
                progress(int(self.used[growing.NODES]), float(self.used[growing.NODES]))
                return
            if status == growing.SPENT:
                progress(int(self.used[growing.NODES]), self.thought)
            elif status == growing.FULL_SETS:
                self._more_sets()
            elif status == growing.FULL_SEQUENCES:
                self._more_sequences()
            elif status == growing.FULL_PAIRS:
                self._more_pairs()
            else:
                raise self._fault(status)

    @property
    def _sets(self) -> growing.Sets:
        return growing.Sets(**self.sets, deed=self.deed)

    def _fault(self, status: int) -> ParlourError:
        if status == growing.TOO_DEEP:
            return ParlourError(self._endless(marked(TOO_LONG, most=DEEP)))
        if status == growing.NOT_ZERO_SUM:
            return ParlourError(
                "{named} is not zero-sum: the players' returns add up to {low:g} in one ending and to {high:g} in"
                " another. Only games in which one player wins what the other loses can be solved.",
                named=self.named(),
                low=self.sums[0],
                high=self.sums[1],
            )
        template = "{named} lets player {player} learn from their legal actions what they must not know."
        if status == growing.FORGETS:
            template = "{named} lets player {player} forget what they did, so it cannot be solved."
        return ParlourError(template, named=self.named(), player=int(self.sets["player"][self.used[growing.GUILTY]]))

    def _more_sequences(self) -> None:
        """Make room for twice as many sequences."""
        self._afford(self.deed.nbytes)
        self.deed = np.concatenate([self.deed, np.zeros_like(self.deed)], 1)

    def _more_sets(self) -> None:
        n = int(self.used[growing.SETS])
        self._afford(sum(a.nbytes for a in self.sets.values()))
        for name, table in self.sets.items():
            if name not in ("keys", "numbers"):
                self.sets[name] = np.concatenate([table, np.zeros_like(table)])
        size = 2 * len(self.sets["keys"])
        self.sets["keys"], self.sets["numbers"] = np.zeros(size, np.uint64), np.full(size, -1)
        from parlour.solve.kernels.regrets import KERNEL

        KERNEL.functions.put_sets(self.sets["keys"], self.sets["numbers"], self.sets["key"][:n])

    def _more_pairs(self) -> None:
        self._afford(2 * (self.pairs.nbytes + self.payoffs.nbytes))
        from parlour.solve.kernels.regrets import KERNEL

        pairs, payoffs = np.zeros(2 * len(self.pairs), np.int64), np.zeros(2 * len(self.pairs))
        KERNEL.functions.put_pairs(pairs, payoffs, self.pairs, self.payoffs)
        self.pairs, self.payoffs = pairs, payoffs

    # ------------------------------------------------------------------ growing by classes

    def by_class(self, progress: Callable[[int, float], None], always: bool = False) -> SequenceForm | None:
        """Grow the vector form; return ``None`` if classes are too wide, or if blocks are too small to pay."""
        used = np.zeros(16, np.int64)
        S = np.zeros(AT_ONCE, self.dtype)
        S[0] = self.S[0]
        past = classes.Histories(
            S, np.zeros((AT_ONCE, 4, 2), np.uint64), S.view(np.uint8).reshape(AT_ONCE, -1),
            np.zeros((AT_ONCE, 2), np.int64), np.zeros(AT_ONCE), np.zeros(AT_ONCE, np.int64),
            np.zeros((AT_ONCE, 3), np.int64),
        )  # fmt: skip
        here = classes.Class(
            np.zeros((CLASS, max(self.game.action_count, 64)), np.int16),
            np.zeros(CLASS, np.int64), np.zeros(CLASS, np.int64), np.zeros(CLASS, np.int64), np.zeros(CLASS, np.int64),
            np.zeros(CLASS, np.int64), np.zeros((AT_ONCE, 4), np.int64), np.zeros(AT_ONCE),
            np.zeros(AT_ONCE, np.int64), np.zeros((4 * AT_ONCE, 2), np.int64),
        )  # fmt: skip
        out, small = np.zeros(2), 1 << 14
        blocks, index = np.zeros((small, 4), np.int64), np.zeros(8 * small, np.int32)
        matrix, shapes = np.zeros(16 * small), np.zeros((1 << 20, 2), np.int64)
        code = classes.KERNEL.compiled(self.game.definition)
        code.begin_classes(past, used)
        while True:
            status = int(
                code.grow_classes(
                    past, here, self._sets, classes.DenseBlocks(blocks, index, matrix, matrix.view(np.int64), shapes),
                    out, self.sums, used, self.reduced, STRIDE["compiled"],
                )
            )  # fmt: skip
            self.used[: len(self.used)] = used[: len(self.used)]
            progress(int(used[growing.NODES]), max(self.thought, float(used[growing.NODES])))
            if status == growing.DONE:
                break
            if status == growing.FULL_SETS:
                self._more_sets()
            elif status == growing.FULL_SEQUENCES:
                self._more_sequences()
            elif status == classes.FULL_BLOCKS:
                self._afford(2 * (blocks.nbytes + index.nbytes + matrix.nbytes))
                blocks, index, matrix = (np.concatenate([a, np.zeros_like(a)]) for a in (blocks, index, matrix))
            elif status == classes.TOO_WIDE:
                self.blank()
                return None
            elif status != growing.SPENT:
                raise self._fault(status)
        made = BlockMatrix(
            blocks[: used[classes.BLOCKS]].copy(),
            index[: used[classes.INDEX]].copy(),
            matrix[: used[classes.MATRIX]].copy(),
        )
        if made.cells < WORTH * len(made.table) and not always:
            self.blank()
            return None
        return self.form(made)

    # ------------------------------------------------------------------ the finished form

    def form(self, blocks: BlockMatrix | None = None) -> SequenceForm:
        used, n = self.used, int(self.used[growing.SETS])
        trees, examples = [], []
        for p in range(2):
            mine = np.flatnonzero(self.sets["player"][:n] == p)
            key, glance, first, count, parent = (
                self.sets[name][:n][mine] for name in ("key", "glance", "first", "count", "parent")
            )
            deed = self.deed[p, : int(used[growing.SEQUENCES + p])].copy()
            trees.append(Treeplex(key, glance, first, count, parent, deed))
            if self.keeps:
                examples.append(self.sets["positions"][:n][mine])
        return SequenceForm(
            self.game, (trees[0], trees[1]), blocks or self._sparse(trees[0].sequences),
            float(self.sums[0]), int(used[growing.NODES]), int(used[growing.ENDS]),
            int(used[growing.DEEPEST]), tuple(examples) if self.keeps else None, self.after, self.reduced,
        )  # fmt: skip

    def _sparse(self, sequences: int) -> Sparse:
        there = np.flatnonzero((self.pairs != 0) & (self.payoffs != 0))
        there = there[np.argsort(self.pairs[there])]
        pair = self.pairs[there]
        start = np.searchsorted(pair >> 31, np.arange(1, sequences + 2)).astype(np.int64)
        return start, (pair & 0x7FFFFFFF).astype(np.int32), self.payoffs[there]


def _round(x: float) -> str:
    """A large number in a readable form.

    >>> _round(123.4), _round(25_000_000), _round(3.1e21)
    ('123', '25,000,000', '3e+21')
    """
    return f"{x:.0e}" if x >= 1e15 else f"{float(f'{x:.2g}'):,.0f}" if x >= 1000 else f"{x:.3g}"
