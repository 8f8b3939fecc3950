"""Bounds for Commit for two with the full deck, too large to solve: ``python docs/results/commit.py``.

One seat follows a fixed strategy; the other knows every card, and does the best that can be done against it.  Nobody
who knows less can do better.  So what the first seat gets on average is at most what the game is worth to it.  Deals
are drawn at random, so a bound is as sure as its interval: three standard errors to the outer side.

``python docs/results/commit.py 500 4000``: 500 deals, at most 4,000 positions of each.  Where a deal has more, what is
left is counted as if the player who knows all got everything that is still to be had, so the bound still holds.
"""

from __future__ import annotations

import sys
from operator import attrgetter
from random import Random
from statistics import mean, stdev
from typing import Any

import parlour
from parlour.engine.telling import members, view
from parlour.games.commit.position import COMET
from parlour.players import make
from parlour.rules.stops.position import ACES, DEALING, KINGS
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL

DEALS, MOST = 200, 600
PAID_SO_FAR = ("coins", "before")  # the strategy does not look at them
STRATEGY = "rule-of-thumb"


class Deal:
    """A deal in which ``fixed`` follows the strategy, and the other seat knows all cards."""

    def __init__(self, game: parlour.Game, s: Any, fixed: int, most: int) -> None:
        self.game, self.rules, self.fixed, self.all = game, game.definition.rules, fixed, 1 - fixed
        self.left, self.cut, self.start = most, False, s
        self._known: dict[Any, tuple[bool, float]] = {}  # position: what is still to come, and whether that is exact
        fields = game.definition.fields.items()
        self._single, self._several = (
            attrgetter(*(name for name, f in fields if bool(f.size) is many and name not in PAID_SO_FAR))
            for many in (False, True)
        )

    def worth(self) -> float:
        """The most that the seat that knows all can win in the deal, or a little more if that would take too long."""
        return self._most(self.start.copy(), -1e9)

    def _hope(self, s: Any) -> float:
        """What the seat that knows all has won, and everything that it might still win."""
        mine, theirs = s.hand[self.all], s.hand[self.fixed]
        paid = (mine & (KINGS | ACES)).bit_count() + 2 * (mine >> COMET & 1)
        left = (theirs & KINGS).bit_count() + 2 * (theirs >> COMET & 1)
        return float(s.coins[self.all] - s.before[self.all] + s.pool + paid + left)

    def _most(self, s: Any, known: float) -> float:
        """The same from a position; if it is no more than ``known``, anything from there up to ``known`` will do."""
        rules = self.rules
        while True:
            who = rules.actor(s)
            if who in (TERMINAL, DEAL_OVER):
                out = [0.0, 0.0]
                rules.deal_returns(s, out)
                return out[self.all]
            if who == CHANCE:  # the question goes round
                rules.happen(s, members(rules.chance(s))[0], None)
                continue
            acts = [0] * self.game.action_count
            acts = acts[: rules.legal(s, who, acts)]
            if who == self.fixed or len(acts) == 1:
                chosen = acts[0] if len(acts) == 1 else self._fixed(s, acts)
                rules.apply(s, who, chosen, None)
                continue
            break
        hope = self._hope(s)
        if hope <= known:
            return hope
        self.left -= 1
        if self.left < 0:
            self.cut = True
            return hope
        here, so_far = (self._single(s), *map(tuple, self._several(s))), float(s.coins[self.all])
        if here in self._known:
            exact, more = self._known[here]
            if exact or so_far + more <= known:
                return so_far + more
        best = -1e9
        for a in sorted(acts, key=lambda a: -self._urgent(a)):
            after = s.copy()
            rules.apply(after, who, a, None)
            best = max(best, self._most(after, max(best, known)))
            if best >= hope:
                break
        self._known[here] = (best > known, best - so_far)
        return best

    def _fixed(self, s: Any, acts: list[int]) -> int:
        return make(STRATEGY, self.game, 0).choose(view(self.game, s, self.fixed), acts)

    @staticmethod
    def _urgent(a: int) -> int:
        """What is paid for at once is tried first."""
        return 2 if a < 52 and (KINGS | 1 << COMET) >> a & 1 else a < 52 and ACES >> a & 1


def dealt(game: parlour.Game, seed: int) -> Any:
    """The position after a deal at random."""
    rng, s, rules = Random(seed), game.start(), game.definition.rules
    while rules.actor(s) == CHANCE and s.stage <= DEALING:
        rules.happen(s, rng.choice(members(rules.chance(s))), None)
    return s


def main(deals: str = str(DEALS), most: str = str(MOST)) -> None:
    sys.setrecursionlimit(10_000)
    game = parlour.load("commit", 2, first_dealer=0, deals=1)
    found: tuple[list[float], list[float]] = [], []
    cut = 0
    for seed in range(int(deals)):
        s = dealt(game, seed)
        for fixed in range(2):
            deal = Deal(game, s, fixed, int(most))
            worth = deal.worth()
            found[fixed].append(-worth if fixed == 0 else worth)
            cut += deal.cut
    error = [3 * stdev(values) / len(values) ** 0.5 for values in found]
    lower, upper = (mean(values) for values in found)
    print(f"{int(deals):,} deals, of which {cut} of {2 * int(deals):,} searches were cut short")
    print(f"the dealer follows {STRATEGY}: at least {lower:+.3f} − {error[0]:.3f}")
    print(f"the eldest hand follows {STRATEGY}: at most {upper:+.3f} + {error[1]:.3f}")
    print(f"value to the dealer: [{lower - error[0]:+.2f}, {upper + error[1]:+.2f}]")


if __name__ == "__main__":
    main(*sys.argv[1:])
