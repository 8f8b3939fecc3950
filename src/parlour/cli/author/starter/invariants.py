"""What the audit requires of One Card, stated a second time and independently of the telling."""

from typing import Any

from parlour.rules.bounds import Amounts, Bounds

from .rules import DEALING, OVER


def hide(s: Any, me: int) -> None:
    """Wipe what ``me`` must not know: others' cards until they are shown, and what others have put aside (OC-4)."""
    for p in range(s.players):
        if s.stage == DEALING or (p != me and s.stage != OVER):
            s.hand[p] = 0
        if p != me:
            s.aside[p] = 0


def check(s: Any) -> str:
    """Return what is wrong if a card is in two places; empty if none is."""
    cards = [card for card in (*s.hand, *s.aside) if card]
    return f"a card is in two places: {cards}" if len(set(cards)) < len(cards) else ""


def bounds(s: Any) -> Bounds:
    """Return what a game can bring: the winner gets a point from each of the others (OC-8), and everybody chooses
    once."""
    return Bounds(-1.0, s.players - 1.0, 0.0, s.players)


def amounts(s: Any) -> Amounts:
    """Return no bounds: no amount leaves its scale."""
    return {}
