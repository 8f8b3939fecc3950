"""Why a choice at Diamondback may be right: how many showdowns the hand wins, the odds of the pot, which card
frightens.

Showdowns are counted as in the odds, a tie as half a win; what the betting reveals is estimated as in the rule of
thumb.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from parlour.base.languages import counted
from parlour.base.languages import gettext as _
from parlour.core.reasons import Because, Candidate, about, always, first, is_cheap, ratio
from parlour.games.diamondback.hand import owed
from parlour.games.diamondback.heuristic import EDGE, FRIGHTENING, win_chance
from parlour.games.diamondback.odds import own_chances
from parlour.games.diamondback.position import CARDS, HIGHER, LOWER, OPENING, WINNINGS
from parlour.rules.vocabulary import count

if TYPE_CHECKING:
    from parlour.engine.telling import View


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, Bet(action, view, names))


@dataclass(frozen=True)
class Bet(Candidate):
    """A choice during a hand, or between two hands."""

    @property
    def pot(self) -> int:
        return int(self.s.pot)

    @property
    def due(self) -> int:
        """The price of staying in."""
        return owed(self.s)

    @cached_property
    def share(self) -> float:
        """The share of showdowns that the hand wins against all that are in it."""
        won, even, _lost = own_chances(self.s, self.me)
        return float((won or 0) + (even or 0) / 2)

    @property
    def players(self) -> int:
        """The number of players in the hand."""
        return count(self.s.live)

    @property
    def gain(self) -> int:
        """How many coins the player has gained since the start."""
        return int(self.s.coins[self.me] - self.s.start_coins)

    @property
    def kept(self) -> int:
        """The coins that a player who leaves without agreement keeps (DB-83)."""
        return int(min(self.s.coins[self.me], self.s.start_coins)) if self.s.forfeit == WINNINGS else 0

    @property
    def card(self) -> int:
        return CARDS.index(self.what)

    @property
    def other(self) -> int:
        """The card that stays hidden."""
        hand = self.s.hand[self.me]
        return HIGHER[hand] + LOWER[hand] - self.card


def is_well_paid(x: Bet) -> bool:
    return is_cheap(x.share, x.pot, x.due)


def opens(x: Bet) -> bool:
    return bool(x.s.stage == OPENING)


def is_favourite(x: Bet) -> bool:
    """Whether the hand wins more often than an even share."""
    return x.share * x.players > 1


def is_underdog(x: Bet) -> bool:
    return x.share * x.players < 1


def opens_badly(x: Bet) -> bool:
    return opens(x) and is_underdog(x)


def is_badly_paid(x: Bet) -> bool:
    return not opens(x) and not is_well_paid(x)


def is_feared(x: Bet) -> bool:
    """Whether the rule of thumb believes that the others hold more than chance would give them."""
    return not opens(x) and win_chance(x.s, x.me, 0) <= x.due / (x.pot + x.due) + EDGE


def has_pot(x: Bet) -> bool:
    return x.pot > 0


def opens_with_pot(x: Bet) -> bool:
    return opens(x) and has_pot(x)


def is_least(x: Bet) -> bool:
    return x.what == "1"


def frightens(x: Bet) -> bool:
    return FRIGHTENING[x.card] > FRIGHTENING[x.other]


def hides_better(x: Bet) -> bool:
    return FRIGHTENING[x.card] < FRIGHTENING[x.other]


def is_ahead(x: Bet) -> bool:
    return x.gain > 0


def is_behind(x: Bet) -> bool:
    return x.gain < 0


def forfeits_nothing(x: Bet) -> bool:
    return x.kept == int(x.s.coins[x.me])


def keeps_some(x: Bet) -> bool:
    return x.kept > 0


def bet(x: Bet) -> dict[str, object]:
    """The values of a sentence about a hand."""
    return {
        "share": about(x.share), "pot": x.pot, "players": x.players, "due": counted(x.due, "coin"),
        "pays": ratio(x.pot, x.due) if x.due else "",
    }  # fmt: skip


def coins(n: int) -> dict[str, str]:
    return {"coins": counted(n, "coin")}


REASONS = (
    Because(
        "match", is_well_paid,
        lambda x: _("The pot pays {pays}, and you win about {share} of showdowns.", **bet(x)),
    ),
    Because("match", always, lambda x: _("For {due} more you stay in for a pot of {pot}.", **bet(x))),
    Because(
        "fold", opens_badly,
        lambda x: _("You win only about {share} of showdowns, and opening costs coins.", **bet(x)),
    ),
    Because("fold", opens_with_pot, lambda x: _("It costs nothing more, and the pot stays for the next hand.")),
    Because("fold", opens, lambda x: _("It costs nothing, and the next hand may be better.")),
    Because(
        "fold", is_badly_paid,
        lambda x: _("You win only about {share} of showdowns, too few for {pays}.", **bet(x)),
    ),
    Because("fold", is_feared, lambda x: _("Players who pay this much usually hold more than chance gives them.")),
    Because("fold", always, lambda x: _("It saves the {due} that staying in costs.", **bet(x))),
    Because(
        "wager", is_favourite,
        lambda x: _("You win about {share} of showdowns, more than one in {players}.", **bet(x)),
    ),
    Because("wager", has_pot, lambda x: _("If everybody folds, the pot of {pot} is yours.", **bet(x))),
    Because("wager", is_least, lambda x: _("It is the least that keeps you in the hand.")),
    Because("wager", always, lambda x: _("Whoever wants to stay in must match it.")),
    Because("stop", is_underdog, lambda x: _("You win only about {share} of showdowns, so pay no more.", **bet(x))),
    Because("stop", always, lambda x: _("The pot of {pot} is decided without another coin.", **bet(x))),
    Because(
        "on", is_favourite, lambda x: _("You win about {share} of showdowns, more than one in {players}.", **bet(x))
    ),
    Because("on", always, lambda x: _("If the dealer wagers again, others may fold.")),
    Because(
        "expose", frightens, lambda x: _("Hands with {card} are worth more, so others fold sooner.", card=x.what)
    ),
    Because(
        "expose", hides_better, lambda x: _("It hides {card}, so your hand looks weaker.", card=CARDS[x.other])
    ),
    Because("expose", always, lambda x: _("Hands with either card are worth the same on average.")),
    Because("ante", is_least, lambda x: _("Nobody knows their cards yet, and the least risks least.")),
    Because("ante", always, lambda x: _("Everybody pays as much, so there is more to win.")),
    Because("pay", always, lambda x: _("The ante buys you two cards for a pot of {pot}.", pot=x.pot)),
    Because("decline", always, lambda x: _("It saves the ante of {coins}: you sit out one hand.", **coins(x.s.wager))),
    Because(
        "continue", is_behind,
        lambda x: _("You are {coins} behind: only more hands win them back.", **coins(-x.gain)),
    ),
    Because("continue", has_pot, lambda x: _("The pot of {pot} is still to be won.", pot=x.pot)),
    Because("continue", always, lambda x: _("Another hand is another chance to win coins.")),
    Because("end", is_ahead, lambda x: _("You are {coins} ahead, and keep them if the match ends.", **coins(x.gain))),
    Because("end", always, lambda x: _("If the match ends now, you keep your {coins}.", **coins(x.s.coins[x.me]))),
    Because("leave", forfeits_nothing, lambda x: _("You have no winnings to forfeit, and go with your coins.")),
    Because("leave", keeps_some, lambda x: _("You keep {coins} for certain.", **coins(x.kept))),
    Because("leave", always, lambda x: _("If the match ends now, you forfeit nothing.")),
)  # fmt: skip
