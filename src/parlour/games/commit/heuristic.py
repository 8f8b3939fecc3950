"""The rule-of-thumb player of Commit: it foresees where a sequence leads, prefers cards that earn counters, and plays
the comet at once."""

from parlour.games.commit.position import COMET, PASS, PLAY_COMET, TAKE, Commit
from parlour.rules.stops.heuristic import look_around, sequence
from parlour.rules.stops.position import ACE_LOW, ACES, KINGS

SHED = 0.5  # value of getting rid of a card, in counters
LEAD_AGAIN = 1.0
AT_ONCE = 1000.0  # higher than the value of any lead: play this first


def appraise(
    s: Commit, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Play the comet whenever it may be played; otherwise lead, or go on with, the card that earns most."""
    look_around(s, me, notes)
    each = float(s.players - 1)
    for c in range(52):
        notes[c] = each * (KINGS >> c & 1)
    notes[COMET] = 2 * each
    for k in range(n):
        worth[k] = value(s, me, acts[k], each, notes)


def value(s: Commit, me: int, a: int, each: float, notes: list[float]) -> float:
    """Return the value of an action, in counters.  An ace earns counters only when it is led (CO-35)."""
    if a == PLAY_COMET:
        return AT_ONCE
    if a == PASS:
        return 0.0
    if a > PASS:
        return sequence(s, me, a - TAKE, ACE_LOW, SHED, LEAD_AGAIN, notes)
    return sequence(s, me, a, ACE_LOW, SHED, LEAD_AGAIN, notes) + each * (ACES >> a & 1)
