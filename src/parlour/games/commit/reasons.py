"""Why a choice at Commit may be right: what a card brings, where a sequence goes, and when the comet is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import gettext as _
from parlour.core.reasons import Because, always, first
from parlour.games.commit.position import BONUS, COMET, PAID
from parlour.rules.stops.position import CAP
from parlour.rules.stops.reasons import Card, of_a_card

if TYPE_CHECKING:
    from parlour.engine.telling import View


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, Card(action, view, names))


def brings(x: Card) -> int:
    """Return what every other player pays for the card.  An ace earns counters only when it is led (CO-43 to CO-47)."""
    card = COMET if x.verb == "comet" else x.card
    paid = PAID if x.verb == "lead" else BONUS
    return (2 if card == COMET else 1) if paid >> card & 1 else 0


def is_paid(x: Card) -> bool:
    return brings(x) > 0


def is_paid_in_full(x: Card) -> bool:
    """Whether a card is paid for, and everybody can pay (CO-57)."""
    poorest = min(x.s.coins[p] for p in range(x.s.players) if p != x.me)
    return is_paid(x) and (x.s.shortfall != CAP or poorest >= brings(x))


REASONS = (
    Because(
        "lead take comet", is_paid_in_full, lambda x: _("Every other player pays you {n} for it.", n=brings(x))
    ),
    Because("lead take comet", is_paid, lambda x: _("Every other player pays you for it, as far as they can.")),
    *of_a_card("lead take"),
    Because("pass", always, lambda x: _("You keep the comet, and may lead it when it is your turn to lead.")),
)  # fmt: skip
