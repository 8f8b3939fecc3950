"""Why a card of Hearts may be the right one to pass or to play: no tricks, and no costly cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.base.languages import gettext as _
from parlour.base.languages import word
from parlour.core.reasons import Because, Candidate, always, first
from parlour.games.hearts.drawing import SUIT_NAMES
from parlour.games.hearts.heuristic import SPADES_ABOVE, highest
from parlour.games.hearts.rules import CARDS, DECK, HEARTS, QUEEN, way, worth
from parlour.rules import tricks
from parlour.rules.vocabulary import count

if TYPE_CHECKING:
    from parlour.engine.telling import View

HIGH, LOW = CARDS.index("Jc"), CARDS.index("6c")
"""The first high card, and the first that is not low."""


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, Candidate(action, view, names))


def card(x: Candidate) -> int:
    return CARDS.index(x.what)


def suit(x: Candidate) -> str:
    return word(SUIT_NAMES[x.what[1]])


def is_queen(x: Candidate) -> bool:
    return card(x) == QUEEN


def is_high(x: Candidate) -> bool:
    return card(x) >= HIGH


def is_heart(x: Candidate) -> bool:
    return bool(HEARTS >> card(x) & 1)


def is_above_queen(x: Candidate) -> bool:
    """Whether the queen of spades, which has not been played, may fall to the card."""
    return bool(SPADES_ABOVE >> card(x) & 1 and not tricks.gone(x.s) >> QUEEN & 1)


# ------------------------------------------------------------------------------------------ in a trick


def leads(x: Candidate) -> bool:
    return tricks.card_led(x.s) < 0


def discards(x: Candidate) -> bool:
    """Whether the card cannot take the trick, since it is of another suit (HE-17)."""
    return not leads(x) and bool((card(x) ^ tricks.card_led(x.s)) & 3)


def best(x: Candidate) -> int:
    """The highest card of the suit led; -1 before the lead."""
    return highest(x.s, tricks.card_led(x.s))


def stays_below(x: Candidate) -> bool:
    return not leads(x) and not discards(x) and card(x) < best(x)


def is_last(x: Candidate) -> bool:
    """Whether everybody else has played to the trick."""
    return count(tricks.in_trick(x.s)) == int(x.s.players) - 1


def takes_it(x: Candidate) -> bool:
    return is_last(x) and not discards(x) and card(x) > best(x)


def takes_nothing_dear(x: Candidate) -> bool:
    return takes_it(x) and worth(x.s, tricks.in_trick(x.s) | 1 << card(x)) <= 0


def may_be_beaten(x: Candidate) -> bool:
    """Whether a player who has yet to play may have a higher card of the suit."""
    s, me = x.s, x.me
    above = tricks.suit_of(card(x)) & DECK & ~((2 << card(x)) - 1) & ~s.hand[me] & ~tricks.gone(s)
    passed = (me + way(s)) % s.players
    places = [(p, s.lacks[p] | (s.sent[me] if p != passed else 0)) for p in range(s.players)]
    return any(above & ~lacks for p, lacks in places if p != me and s.trick[p] == 0)


def leads_low(x: Candidate) -> bool:
    return leads(x) and card(x) < LOW and may_be_beaten(x)


def hunts_queen(x: Candidate) -> bool:
    """Whether a lower spade may draw the queen of spades from another hand."""
    is_spade = (card(x) ^ QUEEN) & 3 == 0
    return leads(x) and is_spade and card(x) < QUEEN and not (x.s.hand[x.me] | tricks.gone(x.s)) >> QUEEN & 1


def throws_queen(x: Candidate) -> bool:
    return is_thrown(x) and is_queen(x)


def is_thrown(x: Candidate) -> bool:
    """Whether a card is passed, or is played to a trick that it cannot take."""
    return x.verb == "pass" or discards(x)


def throws_above_queen(x: Candidate) -> bool:
    return is_thrown(x) and is_above_queen(x)


def throws_heart(x: Candidate) -> bool:
    return discards(x) and is_heart(x)


def throws_high(x: Candidate) -> bool:
    return is_thrown(x) and is_high(x)


REASONS = (
    Because("pass play", throws_queen, lambda x: _("No card costs more than the queen of spades.")),
    Because("pass play", throws_above_queen, lambda x: _("Whoever holds it may have to take the queen of spades.")),
    Because("play", throws_heart, lambda x: _("A heart costs a point, and here somebody else takes it.")),
    Because("pass play", throws_high, lambda x: _("A high card takes tricks.")),
    Because("pass", is_heart, lambda x: _("Each heart costs a point.")),
    Because("pass", always, lambda x: _("The fewer {suit} you hold, the sooner you need not follow.", suit=suit(x))),
    Because("play", discards, lambda x: _("It can’t take this trick, and leaves you fewer {suit}.", suit=suit(x))),
    Because("play", hunts_queen, lambda x: _("It may draw out the queen of spades, which you don’t hold.")),
    Because("play", leads_low, lambda x: _("A low card seldom takes the trick.")),
    Because(
        "play", stays_below,
        lambda x: _("It stays below {card}, so it can’t take the trick.", card=CARDS[best(x)]),
    ),
    Because("play", takes_nothing_dear, lambda x: _("The trick costs you nothing, and you lead next.")),
    Because("play", takes_it, lambda x: _("You take the trick as its last player, and lead next.")),
    Because(
        "play", may_be_beaten,
        lambda x: _("Somebody after you may have higher {suit}, and take it.", suit=suit(x)),
    ),
    Because("play", always, lambda x: _("Nobody after you can beat it: you take the trick, and lead next.")),
)  # fmt: skip
