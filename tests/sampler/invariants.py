"""What the audit holds the sampler to, said a second time and independently of the telling."""

from typing import Any

from parlour.rules.bounds import Amounts, Bounds, with_coins
from sampler.rules import BETTING, COPIES, DEALING, SHOWN

REVEALS = ("shows",)  # the card may be gone from the position with the same step


def hide(s: Any, me: int) -> None:
    """Wipe what ``me`` must not know: cards that are not his and were not shown, every card while they are dealt
    (SA-6), what others have set aside (SA-7), and whether somebody else is asked (SA-10, SA-15)."""
    for p in range(s.players):
        if s.stage == DEALING or (p != me and s.did[p] != SHOWN):
            s.hand[p] = 0
        if p != me and s.stage == BETTING:
            s.bet[p] = 0
    if s.asked != me + 1:
        s.asked = 0


def check(s: Any) -> str:
    """No more cards of a kind than there are, no coin lost (SA-2, SA-17)."""
    for k, copies in enumerate(COPIES):
        if s.hand.count(k + 1) > copies:
            return f"{s.hand.count(k + 1)} cards of kind {k} are out, there are {copies}"
    if sum(1 for card in s.hand if card) != s.dealt:
        return f"{s.dealt} cards were dealt, the hands are {s.hand}"
    set_aside = sum(s.bet) if s.stage != BETTING else 0  # coins are paid when all bets are in
    if sum(s.coins) + set_aside + s.pot != 3 * s.players:
        return f"{sum(s.coins)} coins and {set_aside} in bets, {s.pot} in the pot, of {3 * s.players}"
    return ""


def bounds(s: Any) -> Bounds:
    """Nobody bets more than he has (SA-8), and what is in the pot is divided (SA-19).  In each of two deals all bet,
    one may use the comet, and all talk."""
    return with_coins(s, 3, 2 * (2 * s.players + 1))


def amounts(s: Any) -> Amounts:
    """No amount leaves its scale."""
    return {}
