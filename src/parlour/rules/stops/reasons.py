"""Reasons for playing a card in a game of stops: where the sequence leads from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from parlour.base.languages import gettext as _
from parlour.base.languages import ngettext
from parlour.core.reasons import Because, Candidate, always
from parlour.rules.stops.drawing import nowhere, seen_of
from parlour.rules.stops.heuristic import is_stopped
from parlour.rules.stops.hidden import fill_stock, room, unplaced
from parlour.rules.stops.position import ACE_LOW, CARD_NAMES, NEXT
from parlour.rules.vocabulary import count


@dataclass(frozen=True)
class Card(Candidate):
    """A card that may be played.  ``ace``: ``ACE_LOW`` or ``ACE_HIGH``."""

    ace: int = ACE_LOW

    @property
    def card(self) -> int:
        return CARD_NAMES.index(self.what)

    @property
    def mine(self) -> int:
        """The cards left in the hand once this one is played."""
        return int(self.s.hand[self.me]) & ~(1 << self.card)

    @property
    def following(self) -> int:
        """The card that would follow; -1 if there is none."""
        return NEXT[self.card + self.ace]

    def chain(self) -> Iterator[int]:
        """The cards that may follow one after another, up to the first that certainly cannot be played."""
        n = self.following
        while not self.is_stop(n):
            yield n
            n = NEXT[n + self.ace]

    def is_stop(self, n: int) -> bool:
        """Whether nobody can play a card.  (At Commit nobody can play the comet for it, either: a card that everybody
        lacks has been asked for, so the one before it is gone, unless the comet was played in its place.)"""
        return is_stopped(self.s, n) or CARD_NAMES[n] in nowhere(self.view, seen_of(self.view))


def is_last(x: Card) -> bool:
    return x.mine == 0


def goes_on(x: Card) -> bool:
    """Whether the same player has the card that follows."""
    return x.following >= 0 and bool(x.mine >> x.following & 1)


def ends(x: Card) -> bool:
    """Whether nobody can follow (CO-19)."""
    return x.is_stop(x.following)


def back(x: Card) -> int:
    """The first card further up the sequence that the same player has; -1 if there is none."""
    return next((n for n in x.chain() if x.mine >> n & 1), -1)


def comes_back(x: Card) -> bool:
    return back(x) >= 0


def may_end(x: Card) -> bool:
    """Whether the card that follows may be in nobody's hand."""
    s = x.s.copy()
    fill_stock(s)
    return bool((unplaced(s) if room(s, s.players) else s.stock) >> x.following & 1)


def name(c: int) -> str:
    return CARD_NAMES[c]


def of_a_card(verbs: str = "lead") -> tuple[Because, ...]:
    """The rows of reasons for leading a card, or for playing it with another verb; a game adds rows for what a card
    brings before them."""
    return (
        Because(verbs, is_last, lambda x: _("It is your last card: you are out.")),
        Because(verbs, goes_on, lambda x: _("You hold the card that follows it, too.")),
        Because(verbs, ends, lambda x: _("Nobody can follow it, so you lead again.")),
        Because(verbs, comes_back, lambda x: _("You may come in again further up, with {card}.", card=name(back(x)))),
        Because(
            verbs, may_end, lambda x: _("Perhaps nobody holds {card}; then you may lead again.", card=name(x.following))
        ),
        Because(
            verbs, always,
            lambda x: ngettext(
                "It rids you of a card: {n} is left in your hand.", "It rids you of a card: {n} are left in your hand.",
                count(x.mine),
            ),
        ),
    )  # fmt: skip


__all__ = ["Card", "name", "of_a_card"]
