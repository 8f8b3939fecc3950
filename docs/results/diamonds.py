"""The table of diamonds.md: exact endings of Diamonds for two: ``python docs/results/diamonds.py``.

Games between two rule-of-thumb players are followed until so few cards are unseen, and from there both play as well as
can be: expectimax over the interpreted rules, each position worked out once.  ``python docs/results/diamonds.py 50 6``:
50 games, up to 6 unseen cards.
"""

from __future__ import annotations

import sys
from operator import attrgetter
from statistics import mean, median
from typing import Any

import parlour
from parlour.engine.telling import members
from parlour.players import make
from parlour.vocabulary import CHANCE, TERMINAL

MOST = 150_000  # positions of an ending


class TooMany(Exception):
    """An ending has more positions than that."""


def ending(game: parlour.Game, s: Any) -> tuple[float, float, int]:
    """What player 0 gets from here on if both play as well as can be: the mean, the variance that chance alone makes,
    and how many positions there were."""
    rules = game.definition.rules
    single, several = (
        attrgetter(*(name for name, f in game.definition.fields.items() if bool(f.size) is many))
        for many in (False, True)
    )
    known: dict[Any, tuple[float, float]] = {}  # the mean, and the mean of the squares

    def worth(s: Any) -> tuple[float, float]:
        here = (single(s), *map(tuple, several(s)))
        if here not in known:
            if len(known) > MOST:
                raise TooMany
            known[here] = fresh(s)
        return known[here]

    def fresh(s: Any) -> tuple[float, float]:
        who = rules.actor(s)
        if who == TERMINAL:
            out = [0.0, 0.0]
            rules.returns(s, out)
            return out[0], out[0] ** 2
        follow = []
        acts = [0] * game.action_count
        for a in members(rules.chance(s)) if who == CHANCE else acts[: rules.legal(s, who, acts)]:
            after = s.copy()
            if who == CHANCE:
                rules.happen(after, a, None)
            else:
                rules.apply(after, who, a, None)
            follow.append(worth(after))
        if who == CHANCE:
            return mean(m for m, _ in follow), mean(square for _, square in follow)
        return (max if who == 0 else min)(follow, key=lambda pair: pair[0])

    value, square = worth(s)
    return value, max(0.0, square - value**2), len(known)


def main(games: str = "60", most: str = "6") -> None:
    sys.setrecursionlimit(100_000)
    game = parlour.load("diamonds", 2)
    print("| cards unseen | games that come so far | solved | positions, median | decided already | left to chance |")
    print("|---:|---:|---:|---:|---:|---:|")
    for unseen in range(2, int(most) + 1):
        came, found = 0, []
        for seed in range(int(games)):
            state = game.new(seed=seed)
            players = [make("rule-of-thumb", game, 2 * seed + seat) for seat in range(2)]
            while not state.is_terminal and int(state.fields()["unseen"]).bit_count() > unseen:  # type: ignore[arg-type]
                me = state.current_player
                state.apply(players[me].choose(state.view(me), state.legal_actions()))
            if state.is_terminal:
                continue
            came += 1
            try:
                found.append(ending(game, state.position))
            except TooMany:
                pass
        if not found:
            print(f"| {unseen} | {came} of {games} | 0 | | | |", flush=True)
            continue
        decided = mean(abs(value) for value, _, _ in found)
        chance = mean(variance for _, variance, _ in found)
        positions = median(n for _, _, n in found)
        print(
            f"| {unseen} | {came} of {games} | {len(found)} | {positions:,.0f} | {decided:.2f} | {chance:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
