"""The rule-of-thumb player of Matrimony: it works out what a counter brings back from each pool, and stakes
accordingly.

A counter on a pool comes back whole to whoever wins the pool, now or in a later deal, and in equal parts to everybody
if nobody does.  So it is worth most where a player is likely to win before the others: players who show their cards
early lay on Pair, the dealer, who shows last, on Best, where the order makes no difference.  Since the dealer has the
worst of it and stakes more than anybody else, it takes as few counters as it may there.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

from parlour.engine.telling import View, restored
from parlour.shelf.matrimony.chances import chances, in_order, sweep
from parlour.shelf.matrimony.position import POOLS, WHOLE, Matrimony, staked_deals
from parlour.vocabulary import count

Worth = tuple[tuple[float, ...], ...]
"""What a counter is worth: for each player, from the eldest to the dealer, on each pool."""


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """As few counters as possible, all of them on the pool that brings back most."""
    s: Matrimony = restored(view)
    options = view.game.options
    deals = max(1, staked_deals(s) - s.deal)
    value = worth(count(s.dealt), deals, options["cards"], options["pair_rule"], options["best_rule"])
    mine = value[in_order(s).index(view.player)]
    asked = s.pool[view.player]
    return legal[-1] if asked != WHOLE and POOLS[asked - 1] == best_pool(mine) else legal[0]


def best_pool(value: Sequence[float]) -> str:
    """Return the pool on which a counter is worth most."""
    return POOLS[max(range(len(POOLS)), key=lambda pool: value[pool])]


@lru_cache(maxsize=4096)
def worth(players: int, deals: int, cards: str, pair_rule: str, best_rule: str) -> Worth:
    """Return what a counter laid now is worth when this many deals are still to come, the current one included.

    >>> eldest, *_, dealer = worth(4, 1, "one_down", "first", "carry")
    >>> best_pool(eldest), best_pool(dealer)
    ('Pair', 'Best')
    """
    if deals == 0:
        return ((1 / players,) * len(POOLS),) * players
    now = [[float(p + sweep()) for p in pool] for pool in chances(players, cards, pair_rule, best_rule)]
    later = worth(players, deals - 1, cards, pair_rule, best_rule)
    return tuple(
        tuple(won[i] + (1 - sum(won)) * later[i - 1][pool] for pool, won in enumerate(now)) for i in range(players)
    )
