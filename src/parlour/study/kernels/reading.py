"""Reading stored games: their decisions, from their steps."""

from __future__ import annotations

from typing import NamedTuple

from parlour.engine.kernel import F32, F64, I8, I16, I32, I64, U8, F32x2, Kernel, Positions, U8x2, rules
from parlour.engine.kernels import batch, views
from parlour.engine.kernels.batch import carry_out
from parlour.engine.kernels.views import GAME, write_row
from parlour.players.kernels import arena
from parlour.players.kernels.arena import BY_WHOM
from parlour.rules.vocabulary import CHANCE, SEVERAL, TERMINAL


class Rows(NamedTuple):
    """A row for each decision: the seat's view, the legal actions, the seat, the action, the rewards until that seat's
    next decision (of games, and of deals), the row of that decision, and whether there is none.  ``tensors`` has
    further rows for the view of each seat at the end of a game.  The rest is scratch space, with an entry for each
    seat; ``acts`` has one for each action."""

    tensors: F32x2
    mask: U8x2
    seats: I8
    actions: I16
    rewards: F32
    deal_rewards: F32
    following: I64
    done: U8
    games: I64
    last: I64
    score: F64
    brought: F64
    acts: I16


def read_games(S: Positions, start: Positions, steps: I32, begins: I64, rows: Rows) -> int:
    """Replay games and write their decisions into ``rows``.  Game ``i`` lies between ``begins[i]`` and
    ``begins[i + 1]``: the number of steps, then the steps (:data:`parlour.players.kernels.arena.BY_WHOM`).  Return the
    number of last decisions, or -1 - ``i`` if game ``i`` has an impossible step or is not over."""
    s = S[GAME]
    found = 0
    ends = len(rows.seats)
    for i in range(len(begins) - 1):
        S[GAME] = start[0]
        for p in range(s.players):
            rows.last[p] = -1
        for t in range(begins[i] + 1, begins[i + 1]):
            who = int(steps[t]) % BY_WHOM - 1
            a = int(steps[t]) // BY_WHOM
            now = rules.actor(s)
            if who < 0:
                if (now != CHANCE) | (a < 0) | (a > 62):
                    return -1 - i
                if (rules.chance(s) >> a) & 1 == 0:
                    return -1 - i
            else:
                if (now != who) & (now != SEVERAL):
                    return -1 - i
                if now == SEVERAL:
                    if (rules.acting(s) >> who) & 1 == 0:
                        return -1 - i
                legal = 0
                for k in range(rules.legal(s, who, rows.acts)):
                    rows.mask[found, rows.acts[k]] = 1
                    legal |= rows.acts[k] == a
                if legal == 0:
                    return -1 - i
                write_row(s, who, rows.tensors[found])
                rows.seats[found] = who
                rows.actions[found] = a
                rows.games[found] = i
                if rows.last[who] >= 0:
                    rows.following[rows.last[who]] = found
                rows.last[who] = found
                found += 1
            for p in range(s.players):
                rows.brought[p] = 0.0
            carry_out(s, None, 0, CHANCE if who < 0 else who, a, rows.score, rows.brought, None)
            for p in range(s.players):
                if rows.last[p] >= 0:
                    rows.deal_rewards[rows.last[p]] += rows.brought[p]
        if rules.actor(s) != TERMINAL:
            return -1 - i
        rules.returns(s, rows.score)
        for p in range(s.players):
            if rows.last[p] >= 0:
                rows.rewards[rows.last[p]] = rows.score[p]
                rows.done[rows.last[p]] = 1
                rows.following[rows.last[p]] = ends
                write_row(s, p, rows.tensors[ends])
                ends += 1
    return ends - len(rows.seats)


KERNEL = Kernel(__name__, uses=(arena, batch, views), entries=(read_games,))
