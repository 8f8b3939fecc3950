"""Why a choice at Newmarket may be right: the counters on the layout, where a sequence leads, the risk of a stake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import gettext as _
from parlour.base.languages import ngettext
from parlour.core.reasons import Because, always, first
from parlour.games.newmarket.position import LAYOUT, LEAST, POOLS
from parlour.rules.stops.position import CARD_NAMES
from parlour.rules.stops.reasons import Card, of_a_card

if TYPE_CHECKING:
    from parlour.engine.telling import View


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, Card(action, view, names))


# ------------------------------------------------------------------------------------------ leads


def pool(x: Card) -> int:
    """The counters on a card, if it is one of the layout."""
    return int(dict(zip(LAYOUT, x.s.pool, strict=True)).get(x.card, 0))


def wins_pool(x: Card) -> bool:
    return pool(x) > 0


# ------------------------------------------------------------------------------------------ stakes (PJ-92)


def amount(x: Card) -> int:
    return int(x.what)


def fair(x: Card) -> int:
    """An even share of the counters still to be laid, as in the rule of thumb."""
    return int(x.s.left // (POOLS - x.s.at))


def is_fair(x: Card) -> bool:
    return amount(x) == fair(x)


def is_nothing(x: Card) -> bool:
    return amount(x) == 0


def is_all(x: Card) -> bool:
    return amount(x) == int(x.s.left)


def is_more(x: Card) -> bool:
    return amount(x) > fair(x)


def others(x: Card) -> list[int]:
    """The counters of the other players."""
    return [x.s.coins[p] for p in range(x.s.players) if p != x.me]


def keeps_ahead(x: Card) -> bool:
    return is_least(x) and x.s.coins[x.me] > max(others(x))


def catches_up(x: Card) -> bool:
    return not is_least(x) and x.s.coins[x.me] < max(others(x))


def is_least(x: Card) -> bool:
    return amount(x) == LEAST


def on(x: Card) -> dict[str, object]:
    """The values of a sentence about counters that are laid."""
    return {"card": CARD_NAMES[LAYOUT[x.s.at]], "left": x.s.left}


REASONS = (
    Because(
        "lead",
        wins_pool,
        lambda x: ngettext("You take the {n} counter on it.", "You take the {n} counters on it.", pool(x)),
    ),
    *of_a_card(),
    Because("lay", is_fair, lambda x: _("An even share: you don’t know your cards yet, and any may win.")),
    Because("lay", is_nothing, lambda x: _("It keeps all {left} for the cards after {card}.", **on(x))),
    Because("lay", is_all, lambda x: _("All that you have left on {card}: it brings most if that is played.", **on(x))),
    Because("lay", is_more, lambda x: _("More than an even share on {card}, less on the cards after it.", **on(x))),
    Because("lay", always, lambda x: _("Less than an even share on {card}, more on the cards after it.", **on(x))),
    Because("take", keeps_ahead, lambda x: _("You are ahead: the less is at stake, the safer your lead.")),
    Because("take", is_least, lambda x: _("It is the least that may be named, and risks the fewest counters.")),
    Because("take", catches_up, lambda x: _("You are behind: the more is at stake, the more you can catch up.")),
    Because("take", always, lambda x: _("Everybody stakes as much, so there is more to win.")),
)
