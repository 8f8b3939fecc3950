"""Why a choice at Diamonds may be right: the cards in a pile, the rocks that a spade breaks, the effect of a joker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import gettext as _
from parlour.base.languages import ngettext
from parlour.core.reasons import Because, Candidate, about, always, first
from parlour.games.diamonds.heuristic import GEMS, UP_TO
from parlour.games.diamonds.position import BLADE, CARDS, DIAMONDS, DIG_ON, DOWN, JOKERS, ON_PILE, SPADES, next_seat
from parlour.rules.vocabulary import count

if TYPE_CHECKING:
    from parlour.engine.telling import View


BLADES = ((1 << DIAMONDS) - 1) ^ ((1 << SPADES) - 1)
"""All spades."""


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, Candidate(action, view, names))


# ------------------------------------------------------------------------------------------ spades


def mine(x: Candidate) -> int:
    """The strength of the player's spade; 0 for none."""
    return int(x.s.spade[x.me])


def other(x: Candidate) -> int:
    """The player on whom a joker is played."""
    return int(x.what)


def name(x: Candidate) -> str:
    return x.names[other(x)]


def new(x: Candidate) -> int:
    """The strength of the spade that the player may get: from another player, or from the pile."""
    if x.verb == "switch":
        return int(x.s.spade[other(x)])
    return int(x.s.face[x.s.at if x.verb in ("trade", "keep") else int(x.what)] - BLADE)


def breaks(x: Candidate, spade: int) -> int:
    """How many of the unseen rocks a spade breaks."""
    return count(x.s.unseen & UP_TO[spade])


def is_better(x: Candidate) -> bool:
    """Whether the new spade breaks more of the hidden rocks."""
    return breaks(x, new(x)) > breaks(x, mine(x))


def is_stronger(x: Candidate) -> bool:
    return new(x) > mine(x)


def takes_first(x: Candidate) -> bool:
    return has_spade_on_top(x) and mine(x) == 0


def gets_first(x: Candidate) -> bool:
    """Whether a player without a spade gets one from another."""
    return mine(x) == 0 and new(x) > 0


def is_weaker(x: Candidate) -> bool:
    return new(x) < mine(x)


def leaves_one(x: Candidate) -> bool:
    """Whether a spade that is traded remains for others (DM-44)."""
    return bool(x.s.trade_leaves == ON_PILE)


def takes_better(x: Candidate) -> bool:
    return has_spade_on_top(x) and is_better(x)


def compared(x: Candidate) -> dict[str, object]:
    """The values of a sentence about two spades."""
    old, other = (CARDS[SPADES + spade - 2] if spade else "" for spade in (mine(x), new(x)))
    return {"n": breaks(x, new(x)), "m": breaks(x, mine(x)), "old": old, "new": other}


def better(x: Candidate) -> str:
    return _("It breaks {n} of the hidden rocks, yours only {m}.", **compared(x))


# ------------------------------------------------------------------------------------------ piles


def is_named(x: Candidate) -> bool:
    return x.what.isdecimal()


def has_spade_on_top(x: Candidate) -> bool:
    return is_named(x) and x.s.face[int(x.what)] > BLADE


def below(x: Candidate) -> int:
    """How many cards of a pile may be turned up."""
    i = int(x.what)
    return int(x.s.height[i] - (x.s.face[i] != DOWN))


def is_highest(x: Candidate) -> bool:
    return is_named(x) and below(x) > 0 and x.s.height[int(x.what)] == max(x.s.height)


def goes_on(x: Candidate) -> float:
    """The share of the hidden cards that do not stop the player: diamonds, jokers, the rocks they break, and a first
    spade (DM-36 to DM-40)."""
    through = x.s.unseen & (GEMS | UP_TO[mine(x)]) | x.s.unseen >> JOKERS << JOKERS
    if mine(x) == 0 and x.s.first_spade == DIG_ON and not x.s.smashed:
        through |= x.s.unseen & BLADES
    return count(through) / count(x.s.unseen)


def opens_rock(x: Candidate) -> bool:
    """Whether a rock may come that stops this player but not the next."""
    return breaks(x, x.s.spade[next_seat(x.s, x.me)]) > breaks(x, mine(x))


def may_be_stopped(x: Candidate) -> bool:
    return goes_on(x) < 1


def has_below(x: Candidate) -> bool:
    return is_named(x) and below(x) > 0


def is_the_last(x: Candidate) -> bool:
    """Whether one card alone may be turned up, after which the turn is over (DM-52)."""
    if x.verb in ("on", "stop"):
        return bool(x.s.height[x.s.at] == 1)
    return has_below(x) and below(x) == 1


def next_name(x: Candidate) -> str:
    return x.names[next_seat(x.s, x.me)]


def lying(x: Candidate) -> str:
    return ngettext("{n} card lies there to be turned up.", "{n} cards lie there to be turned up.", below(x))


def odds(x: Candidate) -> str:
    """The chances of the results of turning up cards."""
    return about(goes_on(x))


REASONS = (
    Because("steal", always, lambda x: _("It is one diamond more for you, and one fewer for {name}.", name=name(x))),
    Because("dig", takes_first, lambda x: _("It is your first spade, and breaks rocks for you.")),
    Because("dig", takes_better, better),
    Because("dig", has_spade_on_top, lambda x: _("A stronger spade can destroy the weaker ones.")),
    Because("dig destroy", is_highest, lying),
    Because("dig", is_the_last, lambda x: _("It is the last card there, and your turn is over after it.")),
    Because(
        "dig", has_below,
        lambda x: ngettext(
            "{n} card lies there, and {share} of the hidden cards don’t stop you.",
            "{n} cards lie there, and {share} of the hidden cards don’t stop you.", below(x), share=odds(x),
        ),
    ),
    Because("dig", is_named, lambda x: _("Its rock is the last card there: the pile is then used up.")),
    Because("dig", always, lambda x: _("{share} of the hidden cards don’t stop you.", share=odds(x))),
    Because("destroy", has_below, lambda x: _("Nobody can take that spade then, and you dig on below it.")),
    Because("destroy", always, lambda x: _("Nobody can take that spade then.")),
    Because("switch", gets_first, lambda x: _("You get a first spade, and {name} has none.", name=name(x))),
    Because("switch trade", is_better, better),
    Because("switch trade", is_stronger, lambda x: _("A stronger spade can destroy the weaker ones.")),
    Because("switch", always, lambda x: _("It spends a joker, and {name} gets your spade.", name=name(x))),
    Because("keep", is_weaker, lambda x: _("Your spade breaks {m} of the hidden rocks, the other {n}.", **compared(x))),
    Because("keep", leaves_one, lambda x: _("Traded, {old} would lie there for somebody else.", **compared(x))),
    Because("keep", always, lambda x: _("You stay with {old}, and {new} lies there for others.", **compared(x))),
    Because("trade", always, lambda x: _("You give {old} away for {new}.", **compared(x))),
    Because("on", is_the_last, lambda x: _("It is the last card there, and your turn is over after it.")),
    Because("on", always, lambda x: _("{share} of the hidden cards don’t stop you.", share=odds(x))),
    Because("stop", opens_rock, lambda x: _("A rock that stops you may lie open for {name}.", name=next_name(x))),
    Because("stop", is_the_last, lambda x: _("What lies below stays face down for the others.")),
    Because("stop", may_be_stopped, lambda x: _("Only {share} of the hidden cards don’t stop you.", share=odds(x))),
    Because("stop", always, lambda x: _("What lies below stays face down for the others.")),
    Because("pass", always, lambda x: _("You keep your joker for a better moment.")),
)  # fmt: skip
