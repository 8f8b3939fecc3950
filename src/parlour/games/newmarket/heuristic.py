"""The rule-of-thumb player of Newmarket: it foresees where a sequence leads, prefers cards that win counters, and
spreads its stakes evenly."""

from parlour.games.newmarket.position import LAY, LAYING, LAYOUT, POOLS, Newmarket
from parlour.rules.stops.heuristic import look_around, sequence
from parlour.rules.stops.position import ACE_LOW, LEADING
from parlour.rules.weighing import prefer

SHED = 1.0  # value of getting rid of a card, in counters
LEAD_AGAIN = 2.0


def appraise(
    s: Newmarket, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Lead the card that brings most; name the least total, and spread it evenly."""
    if s.stage == LEADING:
        look_around(s, me, notes)
        for k in range(POOLS):
            notes[LAYOUT[k]] = float(s.pool[k])
        for k in range(n):
            worth[k] = sequence(s, me, acts[k], ACE_LOW, SHED, LEAD_AGAIN, notes)
        return
    prefer(acts, n, LAY + s.left // (POOLS - s.at) if s.stage == LAYING else acts[0], worth)
