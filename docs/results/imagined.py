"""How much `best` loses in a choice by imagining only so many games: ``python docs/results/imagined.py commit 3``.

The yardstick is what each action brings in 1,500 imagined worlds, the same for all, if everybody then plays on by the
same policy.  ``… commit 3 2000 40 6000``: with 2,000 imagined games a choice, in 40 positions, from games with seeds
from 6000 on.
"""

from __future__ import annotations

import sys
from unittest.mock import patch

import parlour
from parlour.players.best import Best, Rollouts
from parlour.players.sight import Viewed
from parlour.study.intervals import mean_estimate

WORLDS, TRIES = 1500, 4


def measured(game: parlour.Game, games: int, seed: int) -> list[float] | None:
    """What is lost in one position of a game by the policy, by equal shares of the worlds and by sequential halving;
    ``None`` if the game has no such position."""
    policy, state, choices = Best(game, simulations=10)._policy, game.new(seed=seed), 0
    while not state.is_terminal:
        p = state.acting[0]
        view, legal = state.view(p), state.legal_actions(p)
        choices += len(legal) > 1
        if choices >= 3 + (7 * seed + 7) % 20 and len(legal) > 1:
            usual = policy.choose(view, legal)
            tried = [*dict.fromkeys([usual, *Viewed(view).worth_trying()])]
            if len(tried) > 2:
                worth = Rollouts(game, "compiled").compare(Viewed(view), tried, 12346 + seed, WORLDS)
                brought = dict(zip(tried, worth, strict=True))
                most, by_itself = max(worth), brought[usual]
                lost = [most - by_itself]
                for equal_shares in (True, False):
                    tries = [Best(game, 1000 + k, simulations=games) for k in range(TRIES)]
                    with patch.object(Rollouts, "_rounds", (lambda _: 1) if equal_shares else Rollouts._rounds):
                        chosen = [one._imagined(Viewed(view), legal, 0.0).best(legal) for one in tries]
                    lost.append(sum(most - brought.get(a, by_itself) for a in chosen) / TRIES)
                return lost
        state.apply(policy.choose(view, legal), p)
    return None


def main(name: str, players: str, games: str = "2000", positions: str = "40", seed: str = "6000") -> None:
    game, lost, number = parlour.load(name, players=int(players)), list[list[float]](), int(seed)
    while len(lost) < int(positions):
        number += 1
        if (one := measured(game, int(games), number - 1)) is not None:
            lost.append(one)
    for what, column in zip(("by itself", "equal shares", "halving"), zip(*lost, strict=True), strict=True):
        each = mean_estimate(column)
        print(f"{name}, {what}: {each.mean:.3f} ({each.low:.3f} to {each.high:.3f})")
    less = mean_estimate([before - after for _, before, after in lost])
    print(f"halving loses less by {less.mean:.3f} ({less.low:.3f} to {less.high:.3f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
