"""Why a choice at Leduc poker may be right: how many showdowns the hand wins, and the odds of the pot for a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import counted
from parlour.base.languages import gettext as _
from parlour.core.reasons import Because, Candidate, about, always, first, is_cheap, ratio
from parlour.games.leduc.rules import CARDS, SHOWDOWN, chance, strength
from parlour.rules.vocabulary import members

if TYPE_CHECKING:
    from parlour.engine.telling import View


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, Candidate(action, view, names))


def pot(x: Candidate) -> int:
    return int(sum(x.s.paid))


def due(x: Candidate) -> int:
    """The price of a call."""
    return int(x.s.paid[1 - x.me] - x.s.paid[x.me])


def share(x: Candidate) -> float:
    """The share of showdowns that the hand wins, half of one for a tie, over all cards that the other player may hold
    and all boards that may come."""
    me, worth, n = x.me, 0.0, 0
    for card in members(chance(x.s)):
        s = x.s.copy()
        s.hand[1 - me], s.stage = card + 1, SHOWDOWN
        for board in [s.board - 1] if s.board else members(chance(s)):
            s.board = board + 1
            mine, theirs = strength(s, me), strength(s, 1 - me)
            worth, n = worth + (mine > theirs) + (mine == theirs) / 2, n + 1
            s.board = x.s.board
    return worth / n


def card(x: Candidate) -> str:
    return CARDS[x.s.hand[x.me] - 1]


def is_free(x: Candidate) -> bool:
    return due(x) == 0


def has_pair(x: Candidate) -> bool:
    """Whether the board has paired the hand: then the other player has none (LE-16)."""
    return share(x) == 1.0


def has_free_pair(x: Candidate) -> bool:
    return is_free(x) and has_pair(x)


def is_favourite(x: Candidate) -> bool:
    return share(x) > 1 / 2


def sees_board(x: Candidate) -> bool:
    """Whether the board is still to come."""
    return not x.s.board


def sees_board_free(x: Candidate) -> bool:
    return is_free(x) and sees_board(x)


def may_win_free(x: Candidate) -> bool:
    return is_free(x) and share(x) > 0


def is_well_paid(x: Candidate) -> bool:
    return is_cheap(share(x), pot(x), due(x))


def is_badly_paid(x: Candidate) -> bool:
    return not is_well_paid(x)


def price(x: Candidate) -> dict[str, str]:
    """The values that a sentence about a call may need."""
    return {"share": about(share(x)), "pays": ratio(pot(x), due(x)), "due": counted(due(x), "chip")}


REASONS = (
    Because("raise", has_pair, lambda x: _("Nothing beats your pair, and a raise makes the pot larger.")),
    Because(
        "raise", is_favourite,
        lambda x: _("You win about {share} of showdowns, and a raise makes the pot larger.", share=about(share(x))),
    ),
    Because("raise", always, lambda x: _("If the other player folds, the pot of {pot} is yours.", pot=pot(x))),
    Because("call", has_free_pair, lambda x: _("A call costs nothing, and it hides your pair.")),
    Because(
        "call", sees_board_free, lambda x: _("A call costs nothing, and the board may pair {card}.", card=card(x))
    ),
    Because(
        "call", may_win_free,
        lambda x: _("A call costs nothing, and you win about {share} of showdowns.", share=about(share(x))),
    ),
    Because("call", is_free, lambda x: _("A call costs nothing.")),
    Because("call", has_pair, lambda x: _("Nothing beats your pair, and the pot pays {pays}.", **price(x))),
    Because(
        "call", is_well_paid, lambda x: _("The pot pays {pays}, and you win about {share} of showdowns.", **price(x))
    ),
    Because("call", sees_board, lambda x: _("A call shows the board, which may pair {card}.", card=card(x))),
    Because("call", always, lambda x: _("For {due} more you stay in for a pot of {pot}.", pot=pot(x), **price(x))),
    Because(
        "fold", is_badly_paid,
        lambda x: _("You win only about {share} of showdowns, too few for {pays}.", **price(x)),
    ),
    Because("fold", always, lambda x: _("It saves the {due} that a call costs.", **price(x))),
)  # fmt: skip
