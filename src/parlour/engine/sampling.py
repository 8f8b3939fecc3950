"""Counterfactual regret minimisation by sampling, for trees that are too large to be grown.

External sampling (Lanctot, Waugh, Zinkevich & Bowling 2009): in turn one of two players tries all of their actions,
while chance and the other player are drawn; regrets and averages are kept for the information sets that were met.

Bound like the drivers, by :mod:`parlour.engine.c` and by :mod:`parlour.engine.interpreted`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlour.vocabulary import CHANCE, DEAL_OVER, TERMINAL

legal: Callable[..., int]
deal_returns: Callable[..., None]
mover: Callable[..., int]
one_more: Callable[..., int]
start_memory: Callable[..., None]
step_remembered: Callable[..., None]
glance_open: Callable[..., Any]
glance_own: Callable[..., Any]
draw_outcome: Callable[..., int]
below: Callable[..., int]
seeded: Callable[..., Any]
word: Callable[..., Any]
_set_slot: Callable[..., int]

MET, DEEDS, CUT = 0, 1, 2
"""Places in ``used``: information sets met, their actions, decisions of which only one action was tried because the
walk was long or deep."""
LONG = 100_000  # steps of a walk from which on only one action is tried
FINE = 1 << 30


def _met(
    s: Any, memory: Any, who: int, n: int, acts: Any,
    keys: Any, numbers: Any, set_key: Any, set_glance: Any, set_player: Any, set_first: Any, set_count: Any, deed: Any,
    used: Any,
) -> int:  # fmt: skip
    """Where the actions of the mover's information set begin; it is noted down if it is new, -1 if there is no room."""
    key = memory[0, who] | word(1)
    i = _set_slot(keys, numbers, key)
    if numbers[i] >= 0:
        return int(set_first[int(numbers[i])])
    new = int(used[MET])
    if (4 * (new + 1) > 3 * len(keys)) | (new >= len(set_key)) | (used[DEEDS] + n > len(deed)):
        return -1
    keys[i] = key
    numbers[i] = new
    set_key[new] = memory[0, who]
    set_glance[new] = word(glance_open(s, memory[3]) + glance_own(s, who, memory[3]))
    set_player[new] = who
    set_first[new] = used[DEEDS]
    set_count[new] = n
    for k in range(n):
        deed[int(used[DEEDS]) + k] = acts[k]
    used[MET] += 1
    used[DEEDS] += n
    return int(set_first[new])


def _match(regrets: Any, q: int, n: int, chances: Any) -> None:
    """Regret matching: the next chances of ``n`` actions from place ``q`` on; all alike where nothing is known."""
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


def sample(
    S: Any, memory: Any, acts: Any, out: Any, rng: Any, first_seed: Any, done: int, times: int,
    at: Any, width: Any, first: Any, chances: Any, values: Any,
    keys: Any, numbers: Any, set_key: Any, set_glance: Any, set_player: Any, set_first: Any, set_count: Any, deed: Any,
    regrets: Any, sums: Any, used: Any,
) -> int:  # fmt: skip
    """So many iterations after ``done`` ones from the start ``S[0]``, a walk for each player in turn; stops early after
    one in which the tables ran full.  Returns how many were made.

    A row a decision of the walking player: position (from 1 on), memory, actions, which comes next, how many, the place
    of the first, chances and what they brought.
    """
    for t in range(times):
        full = False
        for me in range(2):
            rng[0] = seeded(first_seed, 2 * (done + t) + me)
            d = 1
            S[1] = S[0]
            start_memory(S[1], memory[1])
            got = 0.0
            steps = 0
            ahead = 0
            down = True
            while d > 0:
                steps += 1
                if down:  # on to the walking player's next decision, or to the end
                    ahead = one_more(ahead)
                    s = S[d]
                    who = mover(s)
                    if (who == TERMINAL) | (who == DEAL_OVER):
                        deal_returns(s, out)
                        got = out[me]
                        down = False
                        d -= 1
                        continue
                    if who == CHANCE:
                        step_remembered(s, memory[d], who, draw_outcome(s, rng), False)
                        continue
                    n = legal(s, who, acts[d])
                    q = _met(
                        s, memory[d], who, n, acts[d], keys, numbers, set_key, set_glance, set_player, set_first,
                        set_count, deed, used,
                    )  # fmt: skip
                    full = full | (q < 0)
                    _match(regrets, q, n, chances[d])
                    if (who != me) | (d + 2 > len(at)) | (steps > LONG):
                        if who == me:
                            used[CUT] += 1
                        elif q >= 0:
                            for k in range(n):
                                sums[q + k] += chances[d][k]
                        a = int(acts[d][_drawn(chances[d], n, rng)])
                        step_remembered(s, memory[d], who, a, False)
                        continue
                    width[d] = n
                    first[d] = q
                    at[d] = 0
                else:  # back from the action that was tried
                    values[d][int(at[d])] = got
                    at[d] += 1
                    if at[d] == width[d]:
                        n = int(width[d])
                        got = 0.0
                        for k in range(n):
                            got += chances[d][k] * values[d][k]
                        if first[d] >= 0:
                            for k in range(n):
                                regrets[int(first[d]) + k] += values[d][k] - got
                        d -= 1
                        continue
                S[d + 1] = S[d]
                for r in range(3):
                    for p in range(2):
                        memory[d + 1][r, p] = memory[d][r, p]
                memory[d + 1][3, 1] = memory[d][3, 1]
                d += 1
                step_remembered(S[d], memory[d], me, int(acts[d - 1][int(at[d - 1])]), False)
                ahead = 0
                down = True
        if full:
            return t + 1
    return times


def play_average(
    S: Any, memory: Any, acts: Any, out: Any, rng: Any, first_seed: Any, games: int, chances: Any,
    keys: Any, numbers: Any, set_first: Any, sums: Any, totals: Any,
) -> None:  # fmt: skip
    """Play the average strategies against each other; adds up what player 0 gets, its squares, and decisions in
    information sets that were never met (there any action is as good as another)."""
    for i in range(games):
        rng[0] = seeded(first_seed, i)
        s = S[1]
        S[1] = S[0]
        start_memory(s, memory[1])
        steps = 0
        while True:
            steps = one_more(steps)
            who = mover(s)
            if (who == TERMINAL) | (who == DEAL_OVER):
                break
            if who == CHANCE:
                step_remembered(s, memory[1], who, draw_outcome(s, rng), False)
                continue
            n = legal(s, who, acts[1])
            j = _set_slot(keys, numbers, memory[1][0, who] | word(1))
            q = -1
            if numbers[j] >= 0:
                q = int(set_first[int(numbers[j])])
            else:
                totals[2] += 1
            _match(sums, q, n, chances[1])
            step_remembered(s, memory[1], who, int(acts[1][_drawn(chances[1], n, rng)]), False)
        deal_returns(s, out)
        totals[0] += out[0]
        totals[1] += out[0] * out[0]
