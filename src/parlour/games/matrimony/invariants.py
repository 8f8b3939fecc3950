"""What the audit requires of Matrimony, stated a second time, independently of what the rules tell players."""

from parlour.games.matrimony.position import (
    DECK,
    DOWN,
    MOST_PLAY_OUT,
    OVER,
    PACK,
    PLAY_OUT,
    SETTLED,
    STAKING,
    UP,
    Matrimony,
)
from parlour.rules.bounds import Amounts, Bounds, counted, deals_at_most, with_coins
from parlour.rules.vocabulary import SEVERAL

STAKES = ("matrimony", "intrigue", "confederacy", "pair", "best")
# events whose cards may be gathered in the same step, or whose stakes moved to the pools
REVEALS = ("draws", "gets", "exposes", "lays")

SMALL = {
    "DECK": sum(1 << PACK.index(c) for c in ("Ad", "2c", "Jc", "Jd", "Qc", "Qd", "Kc", "Kd", "Kh")),
    "PLAYERS": range(2, 4),
}


def hide(s: Matrimony, me: int) -> None:
    """Wipe what ``me`` must not know: while stakes are sealed, those of others and how far they are (MA-18).  Cards
    that nobody has seen are not part of the position (MA-28)."""
    if s.stage == STAKING and s.at == SEVERAL:
        for name in (*STAKES, "pool", "whole"):
            getattr(s, name)[:] = [n if p == me else 0 for p, n in enumerate(getattr(s, name))]


def check(s: Matrimony) -> str:
    """No counter is lost or owed (MA-48, MA-52); no card is in two places; nobody has more cards than were dealt; a
    stake is within its limits (MA-17, MA-21, MA-24)."""
    if min(s.counters) < 0 or min(s.pools) < 0:
        return f"counters below zero: {s.counters}, pools {s.pools}"
    if sum(s.counters) + sum(s.pools) != s.players * s.start_counters:
        return f"{sum(s.counters)} counters and {sum(s.pools)} on the layout, of {s.players * s.start_counters}"
    seen = [card for hand in s.hand for card in range(52) if hand >> card & 1]
    if len(set(seen)) < len(seen) or sum(1 << card for card in seen) + s.unseen != DECK:
        return f"face up are {sorted(seen)}, unseen {s.unseen:b}"
    if s.stage in (UP, DOWN, SETTLED, OVER) and max(hand.bit_count() for hand in s.hand) > 2 + s.cards:
        return f"somebody has too many cards: {s.hand}"
    stakes = [sum(getattr(s, pool)[p] for pool in STAKES) for p in range(s.players)]
    if s.stage != STAKING and any(stakes):
        return f"stakes outside of the staking: {stakes}"
    for p, staked in enumerate(stakes):
        if staked > max(0, s.stake - (p != s.dealer)):
            return f"player {p} has staked {staked}, the dealer's number being {s.stake}"
    return ""


def bounds(s: Matrimony) -> Bounds:
    """Nobody plays on credit (MA-48); before each deal everybody stakes on five pools, the dealer also how much."""
    return with_coins(s, s.start_counters, deals_at_most(s, min(255, s.rounds * s.players)) * 6 * s.players)


def amounts(s: Matrimony) -> Amounts:
    """All counters that no player has lie on the layout, and nobody stakes more than all counters; 20 more deals may be
    played for the rest (MA-50)."""
    deals = deals_at_most(s, min(255, s.rounds * s.players))
    whole = counted(s, s.start_counters, bounds(s), ("counters", "before"), ("pools", "stake", "whole", *STAKES))
    return {**whole, "deal": (0, deals + (MOST_PLAY_OUT if s.leftovers == PLAY_OUT else 0))}
