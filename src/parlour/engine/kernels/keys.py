"""Perfect recall: each player's key, kept up to date step by step (:mod:`parlour.engine.memory`)."""

from __future__ import annotations

from typing import Any

from parlour.engine.hashing import GOLD, deed_fact, fold, seeded, word
from parlour.engine.kernel import I16, U64, I64x2, Kernel, Positions, U64x2, Word, rules
from parlour.engine.kernels import chance, logs, views
from parlour.engine.kernels.chance import draw_outcome, go_over, mover, one_more
from parlour.engine.kernels.logs import sort_events, turn_page, write_deed, write_news
from parlour.engine.kernels.views import glance_open, glance_own
from parlour.rules.vocabulary import CHANCE, SEVERAL, TERMINAL, below


def start_memory(s: Any, memory: Any) -> None:
    """``memory``: four rows of words, one column a player (at least two columns).  Row 0: keys; 1: last glances; 2:
    what each player has been told alone since then; row 3: scratch space in column 0, and in column 1 what everybody
    has been told since then."""
    common = glance_open(s, memory[3])
    for p in range(s.players):
        g = common + glance_own(s, p, memory[3])
        memory[0, p] = fold(word(p + 1), g)
        memory[1, p] = g
        memory[2, p] = 0
    memory[3, 1] = word(0)


def remember(s: Any, memory: Any, who: int, a: int, waiting: int, kept: Any, i: int) -> None:
    """Take in one step (see :mod:`parlour.engine.memory`); the rules' notes have already added the events.  ``kept``:
    ``None``, or the logs of many games, of which this is number ``i`` (:class:`parlour.engine.kernels.logs.Logs`)."""
    if who >= 0:
        memory[0, who] = fold(memory[0, who], deed_fact(a))
        write_deed(kept, i, who, a)
    heard = memory[3, 1]
    if waiting and rules.actor(s) == SEVERAL:
        now = rules.acting(s)
        rest = waiting & ~(1 << who)
        if ((now == rest) & (rest != 0)) | ((now == waiting) & (heard == 0)):
            return
    sort_events(memory, kept)
    common = glance_open(s, memory[3])
    for p in range(s.players):
        g = common + glance_own(s, p, memory[3])
        told = heard + memory[2, p]
        if (g != memory[1, p]) | (told != 0):
            write_news(s, memory, kept, i, p)
            memory[0, p] = fold(memory[0, p], g + told * GOLD)
            memory[1, p] = g
            memory[2, p] = 0
    memory[3, 1] = word(0)
    turn_page(s, memory, kept, i)


def step_remembered(s: Any, memory: Any, who: int, a: int, on: bool) -> None:
    """Apply an action or outcome and record it in every player's memory.  ``on``: pass to the next deal if this one is
    settled."""
    waiting = 0
    if who == CHANCE:
        rules.happen(s, a, memory)
    else:
        if rules.actor(s) == SEVERAL:
            waiting = rules.acting(s)
        rules.apply(s, who, a, memory)
    if on:
        go_over(s, memory)
    remember(s, memory, who, a, waiting, None, 0)


def play_keys(S: Positions, acts: I16, rng: U64, memory: U64x2, first: Word, games: int, keys: U64x2) -> int:
    """Play random games with perfect-recall keys for all players; ``keys[i, p]`` takes the final ones of game ``i``."""
    decisions = 0
    s = S[1]
    for i in range(games):
        S[1] = S[0]
        rng[0] = seeded(first, i)
        start_memory(s, memory)
        steps = 0
        while True:
            steps = one_more(steps)
            who = mover(s)
            if who == TERMINAL:
                break
            if who == CHANCE:
                a = draw_outcome(s, rng)
            else:
                a = acts[below(rng, rules.legal(s, who, acts))]
                decisions += 1
            step_remembered(s, memory, who, a, True)
        for p in range(s.players):
            keys[i, p] = memory[0, p]
    return decisions


def trace(
    S: Positions, acts: I16, rng: U64, memory: U64x2, first: Word, steps: I64x2, bytes_after: Positions,
    keys_after: U64x2,
) -> int:  # fmt: skip
    """Play one random game and record it step by step, for comparison with the interpreted binding: who, action, number
    of legal actions; the position after each step; the keys after each step.  Return the number of steps."""
    s = S[1]
    S[1] = S[0]
    rng[0] = seeded(first, 0)
    start_memory(s, memory)
    n = 0
    while n < len(steps):
        who = mover(s)
        if who == TERMINAL:
            break
        m = 0
        if who == CHANCE:
            a = draw_outcome(s, rng)
        else:
            m = rules.legal(s, who, acts)
            a = acts[below(rng, m)]
        step_remembered(s, memory, who, a, True)
        steps[n, 0] = who
        steps[n, 1] = a
        steps[n, 2] = m
        bytes_after[n] = S[1]
        for p in range(s.players):
            keys_after[n, p] = memory[0, p]
        n += 1
    return n


KERNEL = Kernel(__name__, uses=(chance, logs, views), entries=(play_keys, trace))
