"""What the audit requires of Diamondback, stated a second time, independently of what the rules tell players."""

from parlour.games.diamondback.position import (
    DEALING,
    DRAWING,
    HIGHER,
    LOWER,
    MATCH,
    OVER,
    SEALED,
    SESSION,
    VOTING,
    Diamondback,
)
from parlour.rules.bounds import Amounts, Bounds, counted, deals_at_most, with_coins
from parlour.rules.vocabulary import Field

SMALL = {"EACH_FURTHER": 2 << 8 | 1 << 16}  # two Priestesses and a Queen for each player but one
# Events whose cards or votes may leave the position in the same step.
REVEALS = ("draws", "shows", "exposes", "for_end", "for_leaving", "for_more")
COPIES = (0, 2, 3, 4, 5)  # cards of each rank for each player but one; of rank 0 there is only one Magician


def hide(s: Diamondback, me: int) -> None:
    """Wipe what ``me`` must not know: every card while they are dealt, others' hands until they are shown (DB-18,
    DB-45), and what others have chosen to expose until all have (DB-24)."""
    if s.stage == DEALING:
        s.left = 0
    for p in range(s.players):
        if s.stage == DEALING or (p != me and s.stage < VOTING):
            s.hand[p] = s.first[p] = 0
        if p != me and s.stage == SEALED:
            s.up[p] = 0


def check(s: Diamondback) -> str:
    """No coin is lost or owed (DB-88, DB-91); no rank has more cards out than exist; hands and sets agree."""
    if min(s.coins) < 0 or s.pot < 0:
        return f"coins below zero: {s.coins}, pot {s.pot}"
    if sum(s.coins) + s.pot != s.players * s.start_coins:
        return f"{sum(s.coins)} coins and {s.pot} in the pot, of {s.players * s.start_coins}"
    if s.live & ~s.dealt and s.dealt:
        return f"in the hand: {s.live:b}, dealt in: {s.dealt:b}"
    out = [0] * 5
    for p in range(s.players):
        if s.hand[p]:
            out[HIGHER[s.hand[p]]] += 1
            out[LOWER[s.hand[p]]] += 1
            if s.up[p] and s.up[p] - 1 not in (HIGHER[s.hand[p]], LOWER[s.hand[p]]):
                return f"player {p} has turned up a card that they do not hold"
        elif s.first[p]:
            out[s.first[p] - 1] += 1
    if s.stage == DRAWING:
        out = [s.up.count(k + 1) for k in range(5)]
    n = s.players if s.stage == DRAWING else s.dealt.bit_count()
    for k in range(5):
        most = COPIES[k] * max(0, n - 1) if k else 1
        if s.stage in (DRAWING, DEALING) and out[k] + (s.left >> 8 * k & 255) != most:
            return f"{out[k]} cards of rank {k} are out and {s.left >> 8 * k & 255} left, of {most}"
        if out[k] > most:
            return f"{out[k]} cards of rank {k} are out, there are {most}"
    broke = [p for p in range(s.players) if s.seated >> p & 1 and s.before[p] == 0 and not s.kept >> p & 1]
    return f"{broke} sit at the table without coins" if broke and s.stage != OVER else ""


def bounds(s: Diamondback) -> Bounds:
    """Nobody plays on credit (DB-46).  A hand has an ante, a wager, answers and cards turned up; each further wager is
    at least one coin, and everybody may be asked about it twice."""
    usual = s.hands or (15 if s.players == 5 else 12)
    hands = deals_at_most(s, s.match_max_hands if s.version == MATCH and s.match_unit == SESSION else usual)
    wagers = min(s.max_second_wagers or s.start_coins * s.players, s.start_coins * s.players) + 20
    return with_coins(s, s.start_coins, hands * (wagers * (1 + 2 * s.players) + 8 * s.players))


def amounts(s: Diamondback) -> Amounts:
    """All coins that no player has lie in the pot, and no wager exceeds all coins."""
    usual = s.hands or (15 if s.players == 5 else 12)
    endless = s.version == MATCH and s.match_unit == SESSION and not s.match_max_hands and not s.deals
    by_rules = s.match_max_hands if s.version == MATCH and s.match_unit == SESSION else usual
    deals = Field("i2").high if endless else deals_at_most(s, by_rules or Field("i2").high)
    wagers = min(s.max_second_wagers or s.start_coins * s.players, s.start_coins * s.players) + 20
    coins = counted(s, s.start_coins, bounds(s), ("coins", "before"), ("pot", "carried", "wager"))
    return {**coins, "deal": (0, deals), "gone": (0, deals), "rounds": (0, wagers)}
