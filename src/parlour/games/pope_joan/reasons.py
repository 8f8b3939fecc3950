"""Why a choice at Pope Joan may be right: the pool that a card wins, and where a sequence leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import gettext as _
from parlour.base.languages import word
from parlour.core.reasons import Because, always, first
from parlour.games.pope_joan.drawing import brings
from parlour.games.pope_joan.position import CONFEDERACY, MATRIMONY, POOL_NAMES, high, own_pool, winners
from parlour.rules.stops.position import CARD_NAMES
from parlour.rules.stops.reasons import Card, of_a_card

if TYPE_CHECKING:
    from parlour.engine.telling import View


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    x = Card(action, view, names)
    return first(REASONS, Card(action, view, names, ace=high(x.s)))


def taken(x: Card) -> int:
    """The pool that the card takes at once, alone or with another that the same player has played; -1 if none."""
    pairs = [k for k in range(MATRIMONY, CONFEDERACY + 1) if completes(x, k)]
    pools = [k for k in (own_pool(x.s, x.card), *pairs) if k >= 0 and x.s.pool[k] > 0]
    return max(pools, key=lambda k: x.s.pool[k], default=-1)


def completes(x: Card, k: int) -> bool:
    """Whether the card is the second one of a pair, of which the same player has played the first (PJ-50, PJ-74)."""
    pair = winners(x.s, k)
    return bool(pair >> x.card & 1 and x.s.played[x.me] & (pair ^ 1 << x.card))


def takes(x: Card) -> bool:
    return taken(x) >= 0


def hopes(x: Card) -> list[tuple[str, int]]:
    """The pools that the card may still win, with the counters to hope for."""
    return brings(x.view, x.what)


def may_win(x: Card) -> bool:
    return bool(hopes(x))


def told(pool: str, n: int) -> dict[str, object]:
    return {"pool": word(pool), "n": n}


REASONS = (
    Because("lead", takes, lambda x: _("It takes {n} from {pool}.", **told(POOL_NAMES[taken(x)], x.s.pool[taken(x)]))),
    Because("lay", takes, lambda x: _("It takes {n} from {pool}.", **told(POOL_NAMES[taken(x)], x.s.pool[taken(x)]))),
    Because("lead lay", may_win, lambda x: _("It may help you to {n} from {pool}.", **told(*hopes(x)[0]))),
    *of_a_card(),
    Because("lay", always, lambda x: _("It rids you of a card at once.")),
    Because(
        "keep", always,
        lambda x: _("You may still play {card} when its suit comes up to it.", card=CARD_NAMES[x.s.offer]),
    ),
)  # fmt: skip
