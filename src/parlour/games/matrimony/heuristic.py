"""The rule-of-thumb player of Matrimony: it computes what a counter on each pool brings back, and stakes accordingly.

A counter on a pool goes to the winner of the pool, now or in a later deal, and is divided equally if nobody wins it.
So it is worth most on a pool that the player is likely to win before the others: players who show their cards early
stake on Pair; the dealer, who shows last, stakes on Best, where the order makes no difference.  As dealer, it takes as
few counters as possible, because the dealer has the worst chances and stakes more than anybody else.
"""

from parlour.games.matrimony.position import BEST, MATRIMONY, PAIR, SEATS, WHOLE, Matrimony, staked_deals
from parlour.rules.matchplay import after
from parlour.rules.vocabulary import count
from parlour.rules.weighing import prefer

# sorts of pools: COURT stands for Matrimony, Intrigue and Confederacy, which have equal odds
COURT, PAIRS, BESTS, SORTS = 0, 1, 2, 3
CHANCES = SORTS * SEATS * (SEATS + 1) // 2  # number of chances at the start of notes, see `at`
NOW, LATER = CHANCES, CHANCES + SORTS * SEATS  # places in notes: the value of a counter in this deal, and in the next


def appraise(
    s: Matrimony, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Value stakes: as few counters as possible, all of them on the pool that brings back most."""
    asked = s.pool[me]
    all_on_it = asked != WHOLE and asked - 1 == best_pool(s, me, notes)
    prefer(acts, n, acts[n - 1] if all_on_it else acts[0], worth)


def best_pool(s: Matrimony, me: int, notes: list[float]) -> int:
    """Return the pool on which a counter is worth most."""
    players = count(s.dealt)
    place = 0  # the player's place in the order of showing cards, from the eldest hand to the dealer
    p = after(s.dealt, s.dealer)
    while p != me:
        p = after(s.dealt, p)
        place += 1
    look_ahead(players, staked_deals(s) - s.deal, notes)
    best = COURT
    for sort in range(SORTS):
        if notes[NOW + SORTS * place + sort] > notes[NOW + SORTS * place + best]:
            best = sort
    return BEST if best == BESTS else PAIR if best == PAIRS else MATRIMONY


def look_ahead(players: int, deals: int, notes: list[float]) -> None:
    """Note the value of a counter laid now by each player, if this many deals are still to come.  Players move up by
    one place from deal to deal."""
    for i in range(SORTS * players):
        notes[NOW + i] = 1.0 / players
    for _ in range(deals):
        for i in range(SORTS * players):
            notes[LATER + i] = notes[NOW + i]
        for sort in range(SORTS):
            won = 0.0
            for i in range(players):
                won += notes[at(players, i, sort)]
            for i in range(players):
                before = LATER + SORTS * ((i + players - 1) % players) + sort
                notes[NOW + SORTS * i + sort] = notes[at(players, i, sort)] + (1.0 - won) * notes[before]


def at(players: int, i: int, sort: int) -> int:
    """Return the place in the notes of the chance of the player in place ``i`` to win a pool."""
    return SORTS * (players * (players - 1) // 2 + i) + sort
