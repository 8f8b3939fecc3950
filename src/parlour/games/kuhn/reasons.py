"""Why a choice at Kuhn poker may be right: the king wins every showdown and the jack loses it; a queen is between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import gettext as _
from parlour.core.reasons import Because, Candidate, always, first
from parlour.games.kuhn.rules import CARDS

if TYPE_CHECKING:
    from parlour.engine.telling import View

JACK, QUEEN, KING = range(1, len(CARDS) + 1)
"""The values of a hand in the position."""


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, Candidate(action, view, names))


def hand(x: Candidate) -> int:
    return int(x.s.hand[x.me])


def faces_bet(x: Candidate) -> bool:
    """Whether a pass gives up the pot (KU-8)."""
    return bool(x.s.paid[1 - x.me] > x.s.paid[x.me])


def has_king(x: Candidate) -> bool:
    return hand(x) == KING


def has_jack(x: Candidate) -> bool:
    return hand(x) == JACK


def answers_with_queen(x: Candidate) -> bool:
    return faces_bet(x) and hand(x) == QUEEN


def opens_with_king(x: Candidate) -> bool:
    """Whether the other player may still bet after a pass."""
    return has_king(x) and not faces_bet(x) and x.s.moves == 0


def opens_with_jack(x: Candidate) -> bool:
    return has_jack(x) and not faces_bet(x)


def may_win_free(x: Candidate) -> bool:
    return not faces_bet(x) and not has_jack(x)


REASONS = (
    Because("bet", has_king, lambda x: _("The king wins every showdown, and a bet makes the pot larger.")),
    Because("bet", answers_with_queen, lambda x: _("The pot pays 3 to 1, and one of the two other cards is lower.")),
    Because("bet", faces_bet, lambda x: _("For 1 chip more you stay in for a pot of 3.")),
    Because("bet", has_jack, lambda x: _("A bluff: the jack wins only if the other player passes.")),
    Because("bet", always, lambda x: _("If the other player passes, you take the pot without a showdown.")),
    Because("pass", opens_with_king, lambda x: _("The other player may bet now, and the king wins every showdown.")),
    Because("pass", may_win_free, lambda x: _("A pass costs nothing, and your card may still win the showdown.")),
    Because("pass", opens_with_jack, lambda x: _("A pass costs nothing, and the jack loses every showdown.")),
    Because("pass", has_jack, lambda x: _("The jack loses every showdown, so a bet would lose 1 chip more.")),
    Because("pass", answers_with_queen, lambda x: _("It saves 1 chip: one of the two other cards is higher.")),
    Because("pass", always, lambda x: _("A pass costs nothing more.")),
)
