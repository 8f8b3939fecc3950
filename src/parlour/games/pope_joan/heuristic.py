"""The rule-of-thumb player of Pope Joan: it foresees where a sequence leads, prefers cards that win counters, and lays
every honour it can."""

from parlour.games.pope_joan.position import CLASSIC, KEEP, LAYING, POOLS, PopeJoan, high, winners
from parlour.rules.stops.heuristic import look_around, sequence
from parlour.rules.vocabulary import count, nth

SHED = 1.0  # value of getting rid of a card, in counters
LEAD_AGAIN = 2.0
DOUBLED = 0.5  # value of not having to double a pool, as a share of it
HOPED = 0.4  # value of the first card of a pair, as a share of its pool


def appraise(
    s: PopeJoan, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Lay any honour that may be laid; otherwise lead the card that brings most."""
    if s.stage == LAYING:
        for k in range(n):
            worth[k] = 0.0 if acts[k] == KEEP else 1.0
        return
    look_around(s, me, notes)
    look_at_layout(s, me, notes)
    for k in range(n):
        worth[k] = sequence(s, me, acts[k], high(s), SHED, LEAD_AGAIN, notes)


def look_at_layout(s: PopeJoan, me: int, notes: list[float]) -> None:
    """Note the value of playing each card: its pool, its share of pools of pairs, and not having to double them."""
    mine = s.played[me] | s.hand[me]
    alone = 1.0 if s.version == CLASSIC else 1.0 + DOUBLED
    for k in range(POOLS):
        those = winners(s, k) if s.pool[k] > 0 else 0
        for i in range(count(those)):
            c = nth(those, i)
            other = those & ~(1 << c)
            share = alone if other == 0 else 1.0 if mine & other else HOPED
            notes[c] += s.pool[k] * share
