"""Counterfactual regret minimisation by sampling, for trees that are too large to be grown.

External sampling (Lanctot, Waugh, Zinkevich & Bowling 2009): the two players take turns to try all of their actions,
while chance and the other player's actions are drawn at random; regrets and averages are kept for the information sets
met.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from parlour.engine.hashing import seeded, word
from parlour.engine.kernel import (
    F64,
    I8,
    I16,
    I32,
    I64,
    U64,
    F64x2,
    I16x2,
    Kernel,
    Positions,
    U64x3,
    Word,
    rules,
)  # fmt: skip
from parlour.engine.kernels import chance, keys, views
from parlour.engine.kernels.chance import draw_outcome, mover, one_more
from parlour.engine.kernels.keys import start_memory, step_remembered
from parlour.engine.kernels.views import glance_open, glance_own
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL, below
from parlour.solve.kernels import growing
from parlour.solve.kernels.growing import copy_memory, set_slot

MET, DEEDS, CUT = 0, 1, 2
"""Places in ``used``: information sets met, their actions, decisions of which only one action was tried because the
walk was long or deep."""
LONG = 100_000  # after this many steps of a walk, only one action of each decision is tried
FINE = 1 << 30


class WalkArrays(NamedTuple):
    """A walk, a row a decision of the walking player: position (from 1 on; the start is 0), memory, actions; scratch
    space for returns, the generator; the next action, the number of actions, the place of the first, their chances and
    their values."""

    S: Positions
    memory: U64x3
    acts: I16x2
    out: F64
    rng: U64
    at: I64
    width: I64
    first: I64
    chances: F64x2
    values: F64x2


class InformationSets(NamedTuple):
    """The information sets that were met: ``keys`` and ``numbers`` are an open-addressed table of their numbers; then
    for each its key, the glance of the view, its player, the first of its actions and their number; for all actions the
    ids, the regrets and the sums of chances."""

    keys: U64
    numbers: I64
    key: U64
    glance: U64
    player: I8
    first: I64
    count: I32
    deed: I16
    regrets: F64
    sums: F64


def _met(s: Any, memory: Any, who: int, n: int, acts: Any, tables: Any, used: Any) -> int:
    """Return the first place of the actions of the mover's information set, which is added if it is new; -1 if there is
    no room."""
    key = memory[0, who] | word(1)
    i = set_slot(tables.keys, tables.numbers, key)
    if tables.numbers[i] >= 0:
        return int(tables.first[int(tables.numbers[i])])
    new = int(used[MET])
    if (4 * (new + 1) > 3 * len(tables.keys)) | (new >= len(tables.key)) | (used[DEEDS] + n > len(tables.deed)):
        return -1
    tables.keys[i] = key
    tables.numbers[i] = new
    tables.key[new] = memory[0, who]
    tables.glance[new] = word(glance_open(s, memory[3]) + glance_own(s, who, memory[3]))
    tables.player[new] = who
    tables.first[new] = used[DEEDS]
    tables.count[new] = n
    for k in range(n):
        tables.deed[int(used[DEEDS]) + k] = acts[k]
    used[MET] += 1
    used[DEEDS] += n
    return int(tables.first[new])


def _match(regrets: Any, q: int, n: int, chances: Any) -> None:
    """Regret matching: write the next chances of ``n`` actions from place ``q`` on; all equal if no regret is
    positive."""
    total = 0.0
    for k in range(n):
        good = max(regrets[q + k], 0.0) if q >= 0 else 0.0
        chances[k] = good
        total += good
    for k in range(n):
        chances[k] = chances[k] / total if total > 0 else 1.0 / n


def _drawn(chances: Any, n: int, rng: Any) -> int:
    left = below(rng, FINE) / FINE
    for k in range(n - 1):
        left -= chances[k]
        if left < 0:
            return k
    return n - 1


def sample(walk: WalkArrays, first_seed: Word, done: int, times: int, tables: InformationSets, used: I64) -> int:
    """Do ``times`` iterations after the first ``done`` from the start ``S[0]``, with a walk for each player in turn.
    Stop early after one in which the tables have become full.  Return the number made."""
    for t in range(times):
        full = False
        for me in range(2):
            walk.rng[0] = seeded(first_seed, 2 * (done + t) + me)
            d = 1
            walk.S[1] = walk.S[0]
            start_memory(walk.S[1], walk.memory[1])
            got = 0.0
            steps = 0
            ahead = 0
            down = True
            while d > 0:
                steps += 1
                if down:  # go on to the walking player's next decision, or to the end
                    ahead = one_more(ahead)
                    s = walk.S[d]
                    who = mover(s)
                    if (who == TERMINAL) | (who == DEAL_OVER):
                        rules.deal_returns(s, walk.out)
                        got = walk.out[me]
                        down = False
                        d -= 1
                        continue
                    if who == CHANCE:
                        step_remembered(s, walk.memory[d], who, draw_outcome(s, walk.rng), False)
                        continue
                    n = rules.legal(s, who, walk.acts[d])
                    q = _met(s, walk.memory[d], who, n, walk.acts[d], tables, used)
                    full = full | (q < 0)
                    _match(tables.regrets, q, n, walk.chances[d])
                    if (who != me) | (d + 2 > len(walk.at)) | (steps > LONG):
                        if who == me:
                            used[CUT] += 1
                        elif q >= 0:
                            for k in range(n):
                                tables.sums[q + k] += walk.chances[d][k]
                        a = int(walk.acts[d][_drawn(walk.chances[d], n, walk.rng)])
                        step_remembered(s, walk.memory[d], who, a, False)
                        continue
                    walk.width[d] = n
                    walk.first[d] = q
                    walk.at[d] = 0
                else:  # come back from an action, and go on to the next one
                    walk.values[d][int(walk.at[d])] = got
                    walk.at[d] += 1
                    if walk.at[d] == walk.width[d]:
                        n = int(walk.width[d])
                        got = 0.0
                        for k in range(n):
                            got += walk.chances[d][k] * walk.values[d][k]
                        if walk.first[d] >= 0:
                            for k in range(n):
                                tables.regrets[int(walk.first[d]) + k] += walk.values[d][k] - got
                        d -= 1
                        continue
                walk.S[d + 1] = walk.S[d]
                copy_memory(walk.memory, d, d + 1)
                d += 1
                step_remembered(walk.S[d], walk.memory[d], me, int(walk.acts[d - 1][int(walk.at[d - 1])]), False)
                ahead = 0
                down = True
        if full:
            return t + 1
    return times


def play_average(walk: WalkArrays, first_seed: Word, games: int, tables: InformationSets, totals: F64) -> None:
    """Play the average strategies against each other.  Add up what player 0 gets, its squares, and the decisions in
    information sets that were never met (where all actions are equally likely)."""
    for i in range(games):
        walk.rng[0] = seeded(first_seed, i)
        s = walk.S[1]
        walk.S[1] = walk.S[0]
        start_memory(s, walk.memory[1])
        steps = 0
        while True:
            steps = one_more(steps)
            who = mover(s)
            if (who == TERMINAL) | (who == DEAL_OVER):
                break
            if who == CHANCE:
                step_remembered(s, walk.memory[1], who, draw_outcome(s, walk.rng), False)
                continue
            n = rules.legal(s, who, walk.acts[1])
            j = set_slot(tables.keys, tables.numbers, walk.memory[1][0, who] | word(1))
            q = -1
            if tables.numbers[j] >= 0:
                q = int(tables.first[int(tables.numbers[j])])
            else:
                totals[2] += 1
            _match(tables.sums, q, n, walk.chances[1])
            step_remembered(s, walk.memory[1], who, int(walk.acts[1][_drawn(walk.chances[1], n, walk.rng)]), False)
        rules.deal_returns(s, walk.out)
        totals[0] += walk.out[0]
        totals[1] += walk.out[0] * walk.out[0]


KERNEL = Kernel(__name__, uses=(chance, growing, keys, views), entries=(sample, play_average))
