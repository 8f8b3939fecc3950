"""What the audit requires of Kuhn poker, stated a second time, independently of what the rules tell players."""

from parlour.games.kuhn.rules import DEALING, SHOWDOWN, Kuhn
from parlour.rules.bounds import Amounts, Bounds


def hide(s: Kuhn, me: int) -> None:
    """Wipe what ``me`` must not know: the other's card until a showdown, and during the deal every card (KU-5)."""
    for p in range(2):
        if s.stage == DEALING or (p != me and s.stage != SHOWDOWN):
            s.hand[p] = 0


def check(s: Kuhn) -> str:
    """No card is in two hands; nobody pays more than two chips; what one player wins, the other loses."""
    if s.hand[0] == s.hand[1] != 0:
        return f"both hold card {s.hand[0]}"
    if sum(card > 0 for card in s.hand) != s.dealt:
        return f"{s.dealt} cards were dealt, the hands are {s.hand}"
    return "" if set(s.paid) <= {1, 2} else f"paid {s.paid}"


def bounds(s: Kuhn) -> Bounds:
    """A player pays one chip, and one more for a bet; pass, bet, pass is the longest game."""
    return Bounds(-2.0, 2.0, 0.0, 3)


def amounts(s: Kuhn) -> Amounts:
    """No amount leaves its scale."""
    return {}
