"""What the audit requires of Leduc poker, stated a second time, independently of what the rules tell players."""

from parlour.games.leduc.rules import SHOWDOWN, Leduc
from parlour.rules.bounds import Amounts, Bounds


def hide(s: Leduc, me: int) -> None:
    """Wipe what ``me`` must not know: the other's card until a showdown (LE-6, LE-19), and during the deal of the hands
    every card."""
    for p in range(2):
        if s.dealt < 2 or (p != me and s.stage != SHOWDOWN):
            s.hand[p] = 0


def check(s: Leduc) -> str:
    """No card is in two places; bets are those of the log."""
    out = [card for card in (*s.hand, s.board) if card]
    if len(set(out)) != s.dealt or len(out) != s.dealt:
        return f"{s.dealt} cards were dealt: hands {s.hand}, board {s.board}"
    raises = [s.log[:4].count(2), s.log[4:].count(2)]
    if max(raises) > 2 or max(s.paid) != 1 + 2 * raises[0] + 4 * raises[1]:
        return f"paid {s.paid} after bets {s.log}"
    return ""


def bounds(s: Leduc) -> Bounds:
    """A player pays one chip, and in two rounds of two raises each 2 · 2 and 2 · 4 more; a round is call, raise, raise,
    call at most."""
    return Bounds(-13.0, 13.0, 0.0, 8)


def amounts(s: Leduc) -> Amounts:
    """No amount leaves its scale."""
    return {}
