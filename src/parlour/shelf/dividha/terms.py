"""What the rules of Dividha call things by number: stages, the course of a hand, actions, values of options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlour.shelf.dividha.hands import CATEGORIES, DECK

if TYPE_CHECKING:
    from parlour.shelf.dividha.rules import Dividha

SEATS = 7
NAMED = DECK  # + category: what sentences name besides cards, see `rules.CARDS`; so are hands by what decided:
OF_IMMORTALS = NAMED + len(CATEGORIES)  # + 8 * category + how many
OF_SUM = OF_IMMORTALS + 8 * len(CATEGORIES)  # + 64 * category + sum
UP_TO = OF_SUM + 64 * len(CATEGORIES) - 1  # + 10 * category + height, from 1 on
IN_ORDER = UP_TO + 1 + 10 * len(CATEGORIES)  # + number of a sequence of places
SLOTS = 8  # amounts remembered for each player and hand: the first six, the last, and the sum of those between

# Where the players have something to say, or chance has; then what follows by itself (`go_on`).
DRAWING, RETURNING, DEALING, BETTING, SPLITTING, VOTING, TRADING, PAYING = range(8)
DISCARDING, LAYING, NAMING, ORDERING, SETTLED, OVER = range(8, 14)
STARTING, NEXT_PHASE, NEXT_BETTER, NEXT_TRADER, SHOWING, FINISHING = range(14, 20)
GOING_ON = -5
# The course of a hand (DV-37).
BEFORE, DEMON, FIRST, BET_1, SECOND, BET_2, TRADE, BET_3, THIRD, BET_4, SHOWDOWN = range(11)

# Actions.  After RAISE come the levels; `win_id` and `propose_id` say where the rest begins.
CHECK, CALL, FOLD, STAND, AGREE, REFUSE, LEAVE, RETURN, STAY = range(9)
GIVE = 9  # + card: trade it
DISCARD = GIVE + DECK  # + card
LAY = DISCARD + DECK - 1  # + a set of places among the kept cards
NAME = LAY + 31  # + category
RAISE = NAME + 12  # + level
PLACES = range(5)
SEQUENCES: list[tuple[int, ...]] = [(a,) for a in PLACES]
for _seq in SEQUENCES:
    SEQUENCES += [(*_seq, b) for b in PLACES if b not in _seq]
SEQUENCE = tuple(sum((b + 1) << 3 * i for i, b in enumerate(of)) for of in SEQUENCES)  # three bits a place, top first
ALL_SEQUENCES = len(SEQUENCE)

# Values of options that are not the default, 0.
THREE_NO_TRADE, THREE_WITH_TRADE = 1, 2
FIXED, NO_LIMIT = 1, 2
AT_LEAST_ANTE, AT_LEAST_LAST = 1, 2
WHOLE_POT, CAP, MATCH_OR_FOLD = 1, 2, 3
OPEN = HIDDEN = EVERY_DEAL = ALL_TO_WIN = 1
FORCED_BEST, FREE = 1, 2
LOSE_ONLY, AS_HIGH_CARD = 1, 2
EVERY_N_HANDS, NEVER = 1, 2


def go_to(s: Dividha, stage: int) -> None:
    s.stage = stage
    s.turn = GOING_ON


def most_coins(s: Dividha) -> int:
    """All coins of the match."""
    return s.players * int(s.starting_coins)


def win_id(s: Dividha) -> int:
    """The action that puts no coin on Win; with each coin more the id is one more."""
    return RAISE + most_coins(s) + 1


def propose_id(s: Dividha) -> int:
    """The id of proposing an ante is this and half the ante."""
    return win_id(s) + most_coins(s)


def order_id(s: Dividha) -> int:
    """The first sequence in which a hand may be laid [rule_of_order]."""
    return propose_id(s) + most_coins(s) // 2 + 1
