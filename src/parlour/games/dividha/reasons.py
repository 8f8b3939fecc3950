"""Why a choice at Dividha may be right: the end of the pot that the cards suit, the odds of the pot, the use of a card.

The chances of the strongest and the weakest hand come from the odds; whether they justify a call is decided as in the
rule of thumb.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from parlour.base.languages import counted, word
from parlour.base.languages import gettext as _
from parlour.core.reasons import Because, Candidate, always, first, is_cheap
from parlour.games.dividha.hands import CARDS, CATEGORIES, category, may_lie_together, well_laid
from parlour.games.dividha.heuristic import GOOD, HANDFUL, WORTHWHILE, better_end, total_coins, use
from parlour.games.dividha.odds import own_chances
from parlour.games.dividha.position import BETTING, SECRET, SEQUENCE, SEQUENCES, VOTING
from parlour.games.dividha.showdown import among, hand_of, kept, ranking_of, worth_of
from parlour.rules.vocabulary import count, members

if TYPE_CHECKING:
    from parlour.engine.telling import View

BOTH_ENDS = 2
"""The number of parts of a pot that a player who knows only their own tablet must assume."""


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, HandCandidate(action, view, names))


@dataclass(frozen=True)
class HandCandidate(Candidate):
    """A choice during a hand of Dividha, or between two hands."""

    # -------------------------------------------------------------------------------------- the two ends

    @cached_property
    def chances(self) -> tuple[float, float]:
        """The chances of holding the strongest and the weakest hand."""
        return own_chances(self.s, self.me, self.names)

    @cached_property
    def sign(self) -> int:
        """1 to go for the strongest hand, -1 for the weakest."""
        return better_end(self.s, self.me, *self.chances)

    @property
    def better(self) -> float:
        return max(self.chances)

    @property
    def aim(self) -> str:
        """The end with the better chance."""
        strongest, weakest = self.chances
        return _("the strongest hand") if strongest >= weakest else _("the weakest hand")

    # -------------------------------------------------------------------------------------- coins

    @property
    def pot(self) -> int:
        return int(self.s.pot)

    @property
    def due(self) -> int:
        """The price of a call."""
        return int(min(self.s.level - self.s.put[self.me], self.s.coins[self.me]))

    @property
    def owed(self) -> int:
        """The coins that are to be divided."""
        return int(self.s.owed)

    @property
    def leaning(self) -> int:
        """How many more of the coins divided so far lie on Win than on Lose."""
        s, me = self.s, self.me
        return int(2 * (s.win[me] + s.fee_win[me]) - (s.paid[me] + s.fees[me] - s.owed))

    @property
    def is_short(self) -> bool:
        """Whether the player has fewer coins than the average."""
        return bool(self.s.coins[self.me] * count(self.s.seated) < total_coins(self.s))

    # -------------------------------------------------------------------------------------- cards

    @property
    def held(self) -> int:
        return int(self.s.private[self.me] | self.s.public[self.me])

    @property
    def card(self) -> int:
        return CARDS.index(self.what)

    def uses(self) -> list[int]:
        """How much each card that may be traded helps the others to a strong hand."""
        return [use(c, self.held & ~self.s.picked) for c in members(self.held & ~self.s.picked)]

    @property
    def use(self) -> int:
        return use(self.card, self.held & ~self.s.picked)

    def worth(self, hand: int) -> int:
        return worth_of(ranking_of(self.s, self.me), hand)

    @cached_property
    def hand(self) -> int:
        """The cards that a discard leaves, or that are laid; otherwise those already laid."""
        if self.verb == "discard":
            return self.held & ~(1 << self.card)
        if self.verb == "lay":
            return among(kept(self.s, self.me), sum(1 << int(n) - 1 for n in self.what.split()))
        return hand_of(self.s, self.me)

    @cached_property
    def all_worth(self) -> list[int]:
        """The scores of all hands that might be kept or laid instead."""
        if self.verb == "discard":
            return [self.worth(self.held & ~(1 << c)) for c in members(self.held)]
        five, how = kept(self.s, self.me), ranking_of(self.s, self.me)
        hands = [among(five, places) for places in range(1, 1 << count(five))]
        return [self.worth(hand) for hand in hands if may_lie_together(how, hand)]

    @property
    def made(self) -> str:
        """The category of the hand."""
        return CATEGORIES[category(ranking_of(self.s, self.me), self.worth(self.hand))]


# ------------------------------------------------------------------------------------------ bets


def holds_an_end(x: HandCandidate) -> bool:
    return x.better > GOOD


def is_favourite(x: HandCandidate) -> bool:
    """Whether the chance of an end is better than an even share."""
    return x.better * count(x.s.live) > 1


def can_all_fold(x: HandCandidate) -> bool:
    """Whether nobody else in the hand is all-in."""
    return not x.s.live & ~x.s.able & ~(1 << x.me)


def costs_nothing(x: HandCandidate) -> bool:
    return x.due <= 0


def sees_more_cards(x: HandCandidate) -> bool:
    """Whether cards are dealt after this round."""
    return count(x.held) < HANDFUL


def talks(x: HandCandidate) -> bool:
    """Whether the choice is made between two hands, when a lower ante may be proposed (DV-221)."""
    return bool(x.s.stage != BETTING)


def is_well_paid(x: HandCandidate) -> bool:
    return is_cheap(x.better, x.pot / BOTH_ENDS, x.due)


def is_badly_paid(x: HandCandidate) -> bool:
    return x.due > 0 and not is_well_paid(x)


# ------------------------------------------------------------------------------------------ tablets


def all_on(x: HandCandidate) -> int:
    """1 if all coins go on Win, -1 if all go on Lose."""
    return 1 if int(x.what) == x.owed else -1 if int(x.what) == 0 else 0


def is_better_end(x: HandCandidate) -> bool:
    strongest, weakest = x.chances
    return strongest != weakest and all_on(x) == (1 if strongest > weakest else -1)


def adds_to_most(x: HandCandidate) -> bool:
    return all_on(x) * x.leaning > 0


def hides(x: HandCandidate) -> bool:
    return all_on(x) == 0 and bool(x.s.splits == SECRET)


def is_on_win(x: HandCandidate) -> bool:
    return all_on(x) > 0


def is_on_lose(x: HandCandidate) -> bool:
    return all_on(x) < 0


# ------------------------------------------------------------------------------------------ the trade


def is_useless(x: HandCandidate) -> bool:
    return x.sign > 0 and x.use == min(x.uses())


def is_too_good(x: HandCandidate) -> bool:
    return x.sign < 0 and x.use == max(x.uses())


def are_all_useful(x: HandCandidate) -> bool:
    return x.sign > 0 and min(x.uses(), default=WORTHWHILE) >= WORTHWHILE


def are_all_poor(x: HandCandidate) -> bool:
    return x.sign < 0 and max(x.uses(), default=0) < WORTHWHILE


def must_pay(x: HandCandidate) -> bool:
    return bool(x.s.pay_to_trade)


# ------------------------------------------------------------------------------------------ the showdown


def is_strongest(x: HandCandidate) -> bool:
    return x.worth(x.hand) == max(x.all_worth)


def is_weakest(x: HandCandidate) -> bool:
    return x.worth(x.hand) == min(x.all_worth)


def is_named_right(x: HandCandidate) -> bool:
    return x.what == x.made


def is_laid_right(x: HandCandidate) -> bool:
    """Whether the cards lie in the order that the Rule of Order requires (DV-116)."""
    number = SEQUENCES.index(tuple(int(n) - 1 for n in x.what.split()))
    return well_laid(ranking_of(x.s, x.me), x.hand, x.worth(x.hand), SEQUENCE[number])


# ------------------------------------------------------------------------------------------ the ante


def is_short(x: HandCandidate) -> bool:
    return x.is_short


def is_rich(x: HandCandidate) -> bool:
    return not x.is_short and x.s.stage == VOTING


def told(x: HandCandidate) -> dict[str, object]:
    """The values of a sentence about a bet."""
    return {"aim": x.aim, "pot": x.pot, "due": counted(x.due, "coin"), "players": count(x.s.live)}


def made(x: HandCandidate) -> dict[str, object]:
    return {"hand": word(x.made)}


REASONS = (
    Because(
        "raise", holds_an_end,
        lambda x: _("You probably hold {aim}, and a raise makes the pot larger.", **told(x)),
    ),
    Because("raise", is_favourite, lambda x: _("You hold {aim} more often than one time in {players}.", **told(x))),
    Because("raise", can_all_fold, lambda x: _("If everybody else folds, the pot of {pot} is yours.", **told(x))),
    Because("raise", always, lambda x: _("Those who have coins left must pay to stay in.")),
    Because("check", talks, lambda x: _("The ante stays as it is for the next hand.")),
    Because("check", sees_more_cards, lambda x: _("It costs nothing, and more cards are to come.")),
    Because("check", always, lambda x: _("It costs nothing, and you stay in the hand.")),
    Because("call", is_well_paid, lambda x: _("You hold {aim} often enough to pay {due} for half the pot.", **told(x))),
    Because("call", sees_more_cards, lambda x: _("More cards are to come, and they may be worth {due}.", **told(x))),
    Because("call", always, lambda x: _("For {due} more you stay in for a pot of {pot}.", **told(x))),
    Because("fold", costs_nothing, lambda x: _("You pay nothing more in this hand.")),
    Because("fold", is_badly_paid, lambda x: _("You hold either end too seldom to pay {due} more.", **told(x))),
    Because("fold", always, lambda x: _("It saves the {due} that a call costs.", **told(x))),
    Because("win", is_better_end, lambda x: _("Your cards make {aim} more often than the other end.", **told(x))),
    Because("win", adds_to_most, lambda x: _("Most of your coins already lie on that side.")),
    Because("win", is_on_win, lambda x: _("It goes for the strongest hand alone.")),
    Because("win", is_on_lose, lambda x: _("It goes for the weakest hand alone.")),
    Because("win", hides, lambda x: _("Coins on both sides don’t give away which end you go for.")),
    Because("win", always, lambda x: _("It goes for both ends of the pot.")),
    Because("trade", is_useless, lambda x: _("No card of yours does less for a strong hand.")),
    Because("trade", is_too_good, lambda x: _("No card of yours does more for a strong hand: you want a weak one.")),
    Because("trade", always, lambda x: _("Another card from the deck may suit your hand better.")),
    Because("stand", are_all_useful, lambda x: _("Each of your cards helps the others to a strong hand.")),
    Because("stand", are_all_poor, lambda x: _("No card of yours makes the hand strong: you want a weak one.")),
    Because("stand", must_pay, lambda x: _("It saves the coins that another trade costs.")),
    Because("stand", always, lambda x: _("A card from the deck may be worse than what you have.")),
    Because("discard", is_strongest, lambda x: _("It leaves {hand}, the strongest that you can keep.", **made(x))),
    Because("discard", is_weakest, lambda x: _("It leaves {hand}, the weakest that you can keep.", **made(x))),
    Because("discard", always, lambda x: _("It leaves {hand}, between your strongest and your weakest.", **made(x))),
    Because("lay", is_strongest, lambda x: _("It is {hand}, the strongest that you can lay.", **made(x))),
    Because("lay", is_weakest, lambda x: _("It is {hand}, the weakest that you can lay.", **made(x))),
    Because("lay", always, lambda x: _("It is {hand}, between your strongest and your weakest.", **made(x))),
    Because("name", is_named_right, lambda x: _("Your hand is {hand}, and a wrong name is penalised.", **made(x))),
    Because("name", always, lambda x: _("Another name than your hand’s costs the penalty.")),
    Because("order", is_laid_right, lambda x: _("So the Rule of Order wants the cards to lie.")),
    Because("order", always, lambda x: _("Another order than the rule’s costs the penalty.")),
    Because(
        "agree propose", is_short,
        lambda x: _("You have less than the average: a lower ante keeps you in longer."),
    ),
    Because("agree propose", always, lambda x: _("A lower ante costs you less in every hand.")),
    Because("refuse", is_rich, lambda x: _("You have no less than the average: the ante presses the others.")),
    Because("refuse", always, lambda x: _("With the ante as it is, there is more in each pot to win.")),
    Because("leave stay", always, lambda x: _("You may come back before any later hand.")),
    Because("return", always, lambda x: _("You pay the ante even while away, and can win only if you play.")),
)  # fmt: skip
