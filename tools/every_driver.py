"""Every driver of a game at work, and every number that comes of it.

The interpreted rules are what tells whether play is right (``test_parity``).  Here the same C, compiled in different
ways, does the same to the last bit, and nothing in it is undefined: ``tests/engine/test_c.py`` does a little of it in
every run, the campaign ``c`` all of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import parlour
from parlour.core.batch import Batch, start_records
from parlour.engine import stepping
from parlour.engine.c import building, loading
from parlour.engine.hashing import seed_word
from parlour.engine.positions import from_record, to_record
from parlour.engine.telling import restored, view
from parlour.engine.tensors import tensor_size
from parlour.players import best, search
from parlour.players.kind import Kind
from parlour.players.rivals import SeatBatch
from parlour.players.sight import Viewed
from parlour.solve.form import grow
from parlour.solve.sampler import Sampler
from parlour.study import arena, beliefs, training, values
from parlour.study.plan import Plan
from parlour.study.surveying import Accounts
from tests.helpers import compiled, plain

Facts = Iterator[tuple[str, Any]]
"""What some work came to: the name of a part, and an array, or what can be written out as text."""


class Much(NamedTuple):
    """How much of each kind of work is done."""

    games: int
    """Random games in bulk; a quarter of them are surveyed, and have their keys kept."""
    traced: int
    """Games of which every position, and every key, is looked at."""
    rounds: int
    """Steps of each batch."""
    simulations: int
    matches: int
    """Deals in the arena."""


LITTLE = Much(games=200, traced=1, rounds=12, simulations=200, matches=2)
MUCH = Much(games=1_500, traced=3, rounds=40, simulations=2_000, matches=6)
LONGEST = 60_000
"""Steps of a game for which there is room."""


TWO_WAYS = {
    "checked": ((building.FAST, building.level()), (building.CHECKED, building.level())),
    "v3": ((building.FAST, ""), (building.FAST, "v3")),
    "v2": ((building.FAST, ""), (building.FAST, "v2")),
}
"""What is compared: the usual way to compile with the one that checks every index, and code for any x86 with code for
each of its levels."""


def runs_here(level: str) -> bool:
    """Whether this processor runs what is compiled for that level."""
    best_first = [*building.LEVELS]
    return best_first.index(level) >= best_first.index(building.level())


@contextmanager
def made(how: building.Way, level: str = building.level()) -> Iterator[None]:
    """Inside it, games are compiled in this way, for this level of x86."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(building, "way", lambda: how)
        patched.setattr(building, "level", lambda: level)
        patched.setattr(building, "SHIPPED", Path("none"))
        for module in (search, best):
            patched.setattr(module, "_own", type(module._own)())
        _forget()
        yield
    _forget()


def _forget() -> None:
    """Look for libraries again."""
    for kept in (loading.compiled, stepping.rules_of):
        kept.cache_clear()


def compare(game: Any, work: Callable[[Any, Much], Facts], much: Much, *ways: tuple[building.Way, str]) -> int:
    """Do the same with libraries that are ``made`` in two ways, and say how many numbers it came to.
    ``AssertionError`` if one of them differs."""
    told = []
    for how in ways:
        with made(*how):
            told.append([(name, _bytes(found)) for name, found in work(game, much)])
    for (name, one), (_, another) in zip(*told, strict=True):
        assert one == another, f"{game!r}: {work.__name__}: {name} differs"
    return sum(len(found) // 8 for _, found in told[0])


def _bytes(found: Any) -> bytes:
    return found.tobytes() if isinstance(found, (np.ndarray, memoryview)) else repr(found).encode()


# ------------------------------------------------------------------------------------------ play


def bulk(game: Any, much: Much) -> Facts:
    """Random games: one after the other, and counted."""
    code, players = compiled(game.definition), game.players
    acts, rng, out = np.zeros(game.action_count, np.int16), np.zeros(8, np.uint64), np.zeros(players)
    for first, games in ((0, much.games), *((1000 + i, 1) for i in range(20))):
        totals = np.zeros(players)
        n = code.play_many(start_records(game), acts, rng, out, np.uint64(first), games, totals)
        yield from ((f"{first}: {name}", x) for name, x in {"n": n, "totals": totals, "rng": rng, "out": out}.items())
    sums, few = Accounts(game), max(1, much.games // 4)
    yield "survey", code.survey(start_records(game), acts, rng, out, np.uint64(7), few, sums.arrays)
    yield from ((f"sums {i}", one) for i, one in enumerate(sums.arrays))
    memory, keys = np.zeros((4, max(players, 2)), np.uint64), np.zeros((few, players), np.uint64)
    yield "decisions with keys", code.play_keys(start_records(game), acts, rng, memory, np.uint64(9), few, keys)
    yield "keys", keys


def traces(game: Any, much: Much) -> Facts:
    """Every step: who acts, what is done, every byte of the position, every key; in some positions also the tensors,
    and worlds dealt from what each player knows."""
    code, what, players = compiled(game.definition), game.definition, game.players
    acts, rng, memory = (
        np.zeros(game.action_count, np.int16),
        np.zeros(1, np.uint64),
        np.zeros((4, max(players, 2)), np.uint64),
    )
    steps, keys = np.zeros((LONGEST, 3), np.int64), np.zeros((LONGEST, players), np.uint64)
    after, one, row = np.zeros(LONGEST, code.dtype), np.zeros(1, code.dtype), np.zeros(game.tensor_size, np.float32)
    for seed in range(much.traced):
        n = code.trace(start_records(game), acts, rng, memory, np.uint64(seed), steps, after, keys)
        yield f"{seed}: steps", n
        for name, part in (("steps", steps[:n]), ("positions", after[:n].view(np.uint8)), ("keys", keys[:n])):
            yield f"{seed}: {name}", part.copy()
        for k in range(0, n, max(1, n // 5)):
            for p in range(players):
                code.write_row(after[k], p, row)
                yield f"{seed}: tensor of {p} after step {k}", row.copy()
                if not what.hides_nothing:
                    to_record(what, restored(view(game, from_record(what, after[k]), p)), one[0])
                    rng[0] = seed_word(k)
                    code.redeal(one[0], p, rng)
                    yield f"{seed}: dealt for {p} after step {k}", one.view(np.uint8).copy()
        out = np.zeros(players)
        code.returns(after[n - 1], out)
        yield f"{seed}: returns", out


def batches(game: Any, much: Much) -> Facts:
    """Every array of a batch, with all that it may keep and without, on one thread and on two."""
    for kept in ({"keys": True, "last": True}, {"tensors": False}, {"threads": 2}):
        yield from _batch(str(kept), Batch(game, 64, seed=3, **kept), much)


def rivals(game: Any, much: Much) -> Facts:
    """Play one seat against rivals, compiled and interpreted, and compare."""
    thumb = "rule-of-thumb" if game.definition.has("appraise") else "random"
    yield from _batch(thumb, SeatBatch(game, 64, thumb, "rotate", skip_forced=True, seed=3), much)
    yield from _batch("a function", SeatBatch(game, 64, lambda seen, mask: mask.argmax(1), seed=3, last=True), much)


def _batch(kept: str, batch: Batch[Any], much: Much) -> Facts:
    game = batch.game
    for i in range(much.rounds):
        batch.step(batch.sample())
        listed = np.where(np.arange(game.action_count) < batch.counts[:, None], batch.legal, -1)
        for name in ("movers", "counts", "tensors", "keys", "rewards", "deal_rewards", "settled", "done", "last"):
            yield f"{kept}, step {i}: {name}", batch._array(name).copy()
        yield f"{kept}, step {i}: legal", listed
        yield f"{kept}, step {i}: mask", batch.mask.copy()
        yield f"{kept}, step {i}: positions", batch._positions.view(np.uint8).copy()
        yield f"{kept}, step {i}: generators", batch._rngs.copy()
    yield f"{kept}: observed", batch.observe(game.players - 1)


def states(game: Any, much: Much) -> Facts:
    """A state of its own, step by step: who acts, what may be done, keys, tensors, outcomes of chance, returns."""
    for seed in range(3):
        state = game.new(seed=seed, binding="compiled")
        for i in range(much.simulations):
            if state.is_terminal:
                break
            player = state.acting[0]
            legal = state.legal_actions(player)
            told = state.tensor(player).flat
            yield f"{seed}, step {i}", (state.current_player, legal, state.information_key(player), told.tobytes())
            state.apply(legal[i % len(legal)], player)
        yield f"{seed}: end", (state.returns(), state.fields())


# ------------------------------------------------------------------------------------------ think


def asked(game: Any) -> Any:
    """A state in which somebody has a choice."""
    state = game.new(seed=3)
    for i in range(60):
        legal = state.legal_actions(state.acting[0])
        if len(legal) > 1 and i >= 4:
            break
        before = state.clone()
        state.apply(legal[i % len(legal)], state.acting[0])
        if state.is_terminal:
            return before
    return state


def trees(game: Any, much: Much) -> Facts:
    """The tree of a search: its keys, its edges, what was found in it."""
    state = asked(game)
    tree = search.Tree(game, "compiled", 1 << 14)
    for seed in (1, 2):
        tree.plant(Viewed(state.view(state.acting[0])), seed_word(seed))
        tree.grow(much.simulations, 0.7)
        yield from ((f"{seed}: node {i}", np.asarray(one)) for i, one in enumerate((*tree._tree[4:],)))


def rollouts(game: Any, much: Much) -> Facts:
    """Worlds that are imagined for somebody, and what each action brings in them."""
    state = asked(game)
    view_, legal = state.view(state.acting[0]), state.legal_actions(state.acting[0])
    yield "advice", best.Best(game, 5, simulations=much.simulations, binding="compiled").advise(view_, legal)
    mind = best.Rollouts(game, "compiled")
    yield "compared", mind.compare(Viewed(view_), legal, 77, max(1, much.simulations // 50))
    yield "errors", [mind.error(legal[0], other) for other in legal[1:]]


def matches(game: Any, much: Much) -> Facts:
    """The arena: players of several kinds at one table, with every step they take."""
    thumb, thinker = Kind("rule-of-thumb"), Kind("search", "20")
    kinds = [arena.RANDOM, *([thumb] if game.definition.has("appraise") else []), thinker]
    for mixed in ([arena.RANDOM], kinds[:2], kinds):
        seated = [mixed[p % len(mixed)] for p in range(game.players)]
        names = ", ".join(map(str, seated))
        played = arena.contest(
            game, seated, 1, range(1 if thinker in seated else much.matches), with_steps=True
        ).arrays()
        yield f"{names}: returns", played.returns
        yield f"{names}: moves", played.moves
        for i, taken in enumerate(played.taken):
            yield f"{names}: steps of {i}", played.steps[i, :taken].copy()
    sums = Accounts(game)
    yield "survey", arena.survey(game, kinds[-2], 5, much.matches, sums.arrays)
    yield from ((f"survey {i}", one) for i, one in enumerate(sums.arrays))


def lessons(game: Any, much: Much) -> Facts:
    """What networks learn from a few games: how to choose, what to believe, and what luck was."""
    layers = _layers(game)
    net = values.Values(tensor_size(game.definition), 8, values.tensors(game), 1.0, layers)
    played = arena.contest(game, [arena.RANDOM] * game.players, 1, range(much.matches), with_steps=True).arrays()
    yield "luck", values.luck(game, net, played, [True] * game.players)
    yield from zip(("portraits", "whose"), values.portraits(game, played, 2, 1), strict=True)
    if game.definition.has("appraise"):
        plan = Plan(game, games=8 * much.matches, seed=3, hidden=8, parts=2)
        learner = training.Training(plan)
        learner.go_on()
        yield "learned", learner.average
        if not game.definition.hides_nothing:
            believer = beliefs.Beliefs(plan)
            believer.go_on()
            yield "believed", believer.average


def _layers(game: Any) -> tuple[Any, ...]:
    dice, inputs = np.random.default_rng(1), tensor_size(game.definition) * values.tensors(game)
    shapes = ((inputs, 8), (8,), (8, 8), (8,), (8, 2), (2,))
    return tuple(dice.normal(size=shape).astype(np.float32) for shape in shapes)


def solutions(game: Any, much: Much) -> Facts:
    """Trees that are solved, node by node and class by class, and games that are sampled."""
    for vectors in (False, True):
        form = grow(game, vectors=vectors, positions=True)
        yield f"vectors {vectors}", (form.information_sets, form.nodes, form.ends)
        yield from ((f"vectors {vectors}: {name}", found) for name, found in _parts("form", form))
    sampler = Sampler(game, seed=1)
    sampler.run(iterations=much.games)
    yield from ((f"table {i}", table) for i, table in enumerate(sampler._tables))
    yield "estimate", sampler.estimate(much.games)


def _parts(name: str, one: Any) -> Facts:
    """Every array in something, by name."""
    if isinstance(one, np.ndarray):
        yield name, one.view(np.uint8) if one.dtype.names else one
    elif isinstance(one, list | tuple):
        for i, part in enumerate(one):
            yield from _parts(f"{name} {i}", part)
    elif is_dataclass(one):
        for part in fields(one):
            yield from _parts(f"{name}.{part.name}", getattr(one, part.name))


def works(game: Any) -> Iterator[Callable[[Any, Much], Facts]]:
    """All the work there is in a game."""
    yield from (bulk, traces, batches, states, rivals, trees, matches, lessons)
    if game.definition.has("appraise"):
        yield rollouts
    if game.id in SOLVED and game.players == 2:
        yield solutions


SOLVED = ("kuhn", "leduc")
"""Games small enough to be solved as they are."""


def all_of(game: Any, much: Much, way: str) -> int:
    """All the work there is, in the :data:`TWO_WAYS` of that name; returns how many numbers were compared."""
    return sum(compare(game, work, much, *TWO_WAYS[way]) for work in works(game))


PLAYED = (batches, states)
"""Work for which the little is compiled that play takes."""


def worked_through(game: Any, much: Much, named: Sequence[str] = ()) -> int:
    """All the work there is, or what is named of it: what sanitizers watch."""
    return sum(1 for work in works(game) if not named or work.__name__ in named for _ in work(game, much))


if __name__ == "__main__":
    parlour.register("sampler")
    name, *named = sys.argv[1:]
    print(name, worked_through(plain(name)[0].load(), LITTLE, named))
