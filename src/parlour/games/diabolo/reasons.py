"""Why a choice at Diabolo may be right: the state of a row, and who holds most of its colour.

The rule of thumb compares both sides of a row with its hand; so does each sentence.  It also estimates whether a player
probably holds most of a colour (:func:`parlour.games.diabolo.heuristic.highest`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from parlour.base.languages import gettext as _
from parlour.base.languages import ngettext, word
from parlour.core.reasons import Because, Candidate, always, first
from parlour.games.diabolo.bags import (
    COLOUR_NAMES,
    COLOURS,
    COPIES,
    COUNT,
    KIND_NAMES,
    ONE,
    SUM,
    VALUES,
    how_many,
    size,
    suit,
)
from parlour.games.diabolo.heuristic import HIDDEN, UNSEEN, highest, leads, look_around, missing, seen
from parlour.games.diabolo.position import ASKING, HAND, SHOW_CARDS, SIDE, colour_of

if TYPE_CHECKING:
    from parlour.engine.telling import View

NOTES = 32
"""The most numbers that :func:`look_around` writes."""
PROBABLY = 0.6
"""Above this chance the estimate is reliable enough to be mentioned."""


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, RowCandidate(action, view, names))


@dataclass(frozen=True)
class RowCandidate(Candidate):
    """A choice about a row: a card that is placed or discarded, or a Doubler."""

    @property
    def kind(self) -> int:
        """The kind of the card, -1 for a Doubler."""
        return -1 if self.verb == "doubler" else KIND_NAMES.index(self.what.split()[0])

    @property
    def side(self) -> int:
        """1 for the angels' side, -1 for the devils'; 0 where no card is placed."""
        return {"left": -1, "right": 1}.get(self.action.split()[-1], 0)

    @property
    def value(self) -> int:
        return self.kind % VALUES + 1 if self.kind >= 0 else 0

    @cached_property
    def c(self) -> int:
        """The row's colour."""
        return colour_of(self.s, self.s.row) if self.kind < 0 else self.kind // VALUES

    @property
    def colour(self) -> str:
        return word(COLOUR_NAMES[self.c])

    @property
    def held(self) -> int:
        """The sum of the colour in the player's hand after the choice."""
        return self.held_in(self.c) - self.value

    def held_in(self, c: int) -> int:
        return SUM[suit(self.s.hand[self.me], c)]

    @property
    def before(self) -> int:
        """By how much the angels lead now."""
        return leads(self.s, self.c)

    @property
    def lead(self) -> int:
        """By how much the angels lead after the choice; below 0 if the devils lead."""
        return self.before + self.side * self.value

    @property
    def room(self) -> int:
        """The number of cards that the row takes after that (DI-23)."""
        return missing(self.s, self.c) - 1

    def chance(self, c: int, held: int) -> float:
        """The probability, by the rule of thumb, that nobody else holds more than this sum of a colour."""
        notes = [0.0] * NOTES
        look_around(self.s, self.me, notes)
        for shown in self.shown():  # unseen cards of a colour that everybody has shown are in no hand
            notes[HIDDEN] -= notes[UNSEEN + shown]
        return highest(self.s, self.me, c, held, notes)

    def shown(self) -> Iterator[int]:
        """The colours of which everybody has laid out all cards (DI-54)."""
        is_scored = self.s.stage == ASKING and self.s.show == SHOW_CARDS
        return (c for row in range(self.s.row) if is_scored and leads(self.s, c := colour_of(self.s, row)))

    @cached_property
    def has_most(self) -> bool:
        """Whether the player probably then holds most of the colour."""
        return self.chance(self.c, self.held) > PROBABLY and self.is_known

    @cached_property
    def has_less(self) -> bool:
        """Whether another player probably then holds more."""
        return self.chance(self.c, self.held) < 1 - PROBABLY and self.is_known

    @property
    def is_known(self) -> bool:
        """Whether the estimate is reliable: it ignores sums that players have named."""
        return not any(self.s.named[: self.s.players])

    def later(self) -> Iterator[int]:
        """The colours of the positive rows that are scored after this one (DI-45)."""
        return (c for row in range(self.s.row + 1, COLOURS) if leads(self.s, c := colour_of(self.s, row)) > 0)

    def others(self) -> list[int]:
        return [p for p in range(self.s.players) if p != self.me]

    def most(self, p: int) -> int:
        """The highest sum of the colour that another player can hold: the cards they have shown, and for each unknown
        card the best that is left."""
        known = self.s.known[p]
        kinds = range(VALUES * self.c, VALUES * (self.c + 1))
        left = [k % VALUES + 1 for k in kinds for _n in range(COPIES[k % VALUES] - seen(self.s, self.me, k))]
        unknown = max(0, HAND - size(known))
        return SUM[suit(known, self.c)] + sum(sorted(left, reverse=True)[:unknown])


def are_angels_ahead(x: RowCandidate) -> bool:
    return x.lead > 0


def are_devils_ahead(x: RowCandidate) -> bool:
    return x.lead < 0


def is_good(x: RowCandidate) -> bool:
    """Whether the angels then lead a row of which the player probably holds most (DI-58)."""
    return x.lead > 0 and x.has_most


def hits_others(x: RowCandidate) -> bool:
    """Whether the devils then lead a row of which the player holds nothing (DI-59)."""
    return x.lead < 0 and x.held == 0


def is_rid(x: RowCandidate) -> bool:
    return x.held == 0


def probably_hits_others(x: RowCandidate) -> bool:
    return x.lead < 0 and x.has_less


def helps_angels(x: RowCandidate) -> bool:
    return x.side > 0 and x.has_most


def holds_angels_back(x: RowCandidate) -> bool:
    return x.side < 0 and x.has_less


def may_turn(x: RowCandidate) -> bool:
    """Whether the devils then lead a row that takes more cards of the angels (DI-23, DI-24)."""
    angels = COUNT[suit(x.s.side[1], x.c)] + (x.side > 0)
    return x.lead < 0 and x.room > 0 and angels < SIDE


def locks(x: RowCandidate) -> bool:
    return x.lead < 0 and x.room == 0


def saves(x: RowCandidate) -> bool:
    """Whether the card counted against its player."""
    return x.before < 0 and x.lead < 0


def is_even(x: RowCandidate) -> bool:
    return x.lead == 0


def is_cheapest(x: RowCandidate) -> bool:
    """Whether the player holds no card of a lower value."""
    hand = x.s.hand[x.me]
    return not any(how_many(hand, k) for k in range(len(ONE)) if k % VALUES + 1 < x.value)


# ------------------------------------------------------------------------------------------ Doublers


def commits(x: RowCandidate) -> bool:
    return x.what == "yes"


def keeps(x: RowCandidate) -> bool:
    return not commits(x)


def is_sure(x: RowCandidate) -> bool:
    """Whether nobody can hold more."""
    return x.held > 0 and all(x.most(p) <= x.held for p in x.others())


def surely_doubles(x: RowCandidate) -> bool:
    return commits(x) and is_sure(x)


def probably_doubles(x: RowCandidate) -> bool:
    return commits(x) and x.has_most


def is_last_chance(x: RowCandidate) -> bool:
    return commits(x) and not any(x.later())


def may_double(x: RowCandidate) -> bool:
    return commits(x) and x.held > 0


def has_none(x: RowCandidate) -> bool:
    return keeps(x) and x.held == 0


def better(x: RowCandidate) -> int:
    """The first colour of which the player holds more, and which is scored later and positive; -1 if none is."""
    return next((c for c in x.later() if x.held_in(c) > x.held), -1)


def has_better(x: RowCandidate) -> bool:
    return keeps(x) and better(x) >= 0


def outdone_by(x: RowCandidate) -> int:
    """A player who has shown more of the colour; -1 if there is none."""
    return next((p for p in x.others() if SUM[suit(x.s.known[p], x.c)] > x.held), -1)


def is_outdone(x: RowCandidate) -> bool:
    return keeps(x) and outdone_by(x) >= 0


def may_be_outdone(x: RowCandidate) -> bool:
    return keeps(x) and not is_sure(x)


def told(x: RowCandidate) -> dict[str, object]:
    """The values of a sentence about a row."""
    return {"colour": x.colour, "n": x.held, "by": abs(x.lead), "value": x.value, "twice": 2 * x.held}


REASONS = (
    Because("place", is_good, lambda x: _("The angels then lead {colour} by {by}, and you still hold {n}.", **told(x))),
    Because("place", hits_others, lambda x: _("The devils then lead {colour} by {by}, and you hold none.", **told(x))),
    Because("place", is_rid, lambda x: _("You then hold no {colour}, so the row can cost you nothing.", **told(x))),
    Because(
        "place", probably_hits_others,
        lambda x: _("The devils then lead {colour} by {by}, and others probably hold more.", **told(x)),
    ),
    Because("place", saves, lambda x: _("It is {value} less to lose in {colour}: the devils lead there.", **told(x))),
    Because(
        "place", helps_angels,
        lambda x: _("It helps the angels in {colour}, where you still hold {n}.", **told(x)),
    ),
    Because(
        "place", holds_angels_back,
        lambda x: _("It holds the angels back in {colour}, where others probably hold more.", **told(x)),
    ),
    Because(
        "place", are_angels_ahead,
        lambda x: _("The angels then lead {colour} by {by}, and you still hold {n}.", **told(x)),
    ),
    Because(
        "place", may_turn,
        lambda x: ngettext(
            "The {colour} row still takes {n} card, so the lead may change.",
            "The {colour} row still takes {n} cards, so the lead may change.", x.room, colour=x.colour,
        ),
    ),
    Because("place", locks, lambda x: _("It locks the {colour} row, and the round is nearer its end.", **told(x))),
    Because(
        "place", are_devils_ahead,
        lambda x: _("The devils then lead {colour} by {by}, and you still hold {n}.", **told(x)),
    ),
    Because(
        "place", always,
        lambda x: _("It leaves {colour} even, and an even row brings nobody anything.", **told(x)),
    ),
    Because("discard", are_devils_ahead, lambda x: _("The row is negative: it is {value} less to lose.", **told(x))),
    Because("discard", is_even, lambda x: _("The {colour} row is even, so the card counts for nothing.", **told(x))),
    Because("discard", is_cheapest, lambda x: _("You hold no lower card, so it costs you least.")),
    Because("discard", always, lambda x: _("You still hold {n} in {colour}, which is positive.", **told(x))),
    Because(
        "doubler", surely_doubles,
        lambda x: _("Nobody can hold more than your {n}: the row brings you {twice}.", **told(x)),
    ),
    Because("doubler", probably_doubles, lambda x: _("You probably hold most, and {n} become {twice}.", **told(x))),
    Because("doubler", is_last_chance, lambda x: _("No later row is positive, and a Doubler kept is worth nothing.")),
    Because("doubler", may_double, lambda x: _("If nobody holds more than your {n}, they become {twice}.", **told(x))),
    Because("doubler", commits, lambda x: _("All answers are known before a hand is shown.")),
    Because("doubler", has_none, lambda x: _("You hold no {colour}, so there is nothing to double.", **told(x))),
    Because(
        "doubler", has_better,
        lambda x: _("You hold more {colour}, which is positive and comes later.", colour=word(COLOUR_NAMES[better(x)])),
    ),
    Because(
        "doubler", is_outdone,
        lambda x: _("{name} has shown more {colour} than your {n}.", name=x.names[outdone_by(x)], **told(x)),
    ),
    Because(
        "doubler", may_be_outdone,
        lambda x: _("Somebody may hold more than your {n}, and a Doubler is spent either way.", **told(x)),
    ),
    Because("doubler", always, lambda x: _("Without it the row still brings you {n}.", **told(x))),
)  # fmt: skip
