"""The options and the position of Diabolo.

Cards are kept in bags (:mod:`parlour.games.diabolo.bags`).  The pile is a bag, too: nobody has seen its cards, so it
needs no order.
"""

from itertools import permutations

from parlour.games.diabolo.bags import (
    COLOURS,
    COUNT,
    KINDS,
    LETTERS,
    ONE,
    WIDTH,
    how_many,
    suit,
    whole,
)
from parlour.rules.matchplay import Match
from parlour.rules.vocabulary import *

SEATS, HAND = 5, 6
ROW, SIDE = 5, 3  # most cards in a row, and on each side of it (DI-23, DI-24)
LOCKS, LOCKS_OF_FIVE = 2, 3  # rows that must be locked to end a round; with five players (DI-40, DI-41)
NAMED = WIDTH * COLOURS  # in sentences a card is its SHIFT, and a colour this plus its number
SUM_WIDTH = 6  # bits for the sum that a player has named for a colour:
SAID = 1 << (SUM_WIDTH - 1)  # the highest bit is 1 once a sum is named; a sum is never above 31

LOT, DEALING, DRAWING, CASTING, PLACING, STUCK, ASKING, SETTLED, OVER = range(9)
LEFT, RIGHT, DISCARD, YES, NO = 0, KINDS, 2 * KINDS, 3 * KINDS, 3 * KINDS + 1
ANSWERED_NO, ANSWERED_YES = 1, 2

RANDOM = 255  # the value of first_dealer=random
_COLUMNS = [*permutations(range(COLOURS))]
COLUMN = tuple(c for column in _COLUMNS for c in column)  # the colour of row r in column order o, at 5 * o + r


class Diabolo(Match):
    column_order: int = choice(*("".join(LETTERS[c] for c in column) for column in _COLUMNS), clauses="DI-10 DI-45")
    first_dealer: int = seat_option("random", clauses="DI-8", random=RANDOM)
    doubler_mode: int = choice("secret", "open_in_turn", clauses="DI-68 DI-69")
    doubler_ask: int = choice("all_owners", "holders_only", clauses="DI-67")
    show: int = choice("cards", "sum_only", clauses="DI-54 DI-55")
    stuck_discard: int = choice("choice", "random", clauses="DI-34")
    stuck_face: int = choice("up", "down", clauses="DI-37")
    two_players: int = switch("off", clauses="DI-1 DI-13 DI-40 DI-79 DI-81")

    pile: int = number("i8")  # bag of the cards that nobody has seen
    side: list[int] = numbers(2, "i8")  # bags: all cards on the left sides, all cards on the right sides
    shut: list[int] = numbers(2, "i8")  # per side: all bits of every colour to which no card can be added
    discards: int = number("i8")  # bag of the discards that lie face up
    hand: list[int] = numbers(SEATS, "i8")  # bags
    # bags: cards shown to everybody and still in the hand, as far as anybody can tell
    known: list[int] = numbers(SEATS, "i8")
    buried: list[int] = numbers(SEATS, "i8")  # bags of discards face down (stuck_face)
    showed: list[int] = numbers(SEATS, "i8")  # bags: the hand from which the last of these was discarded
    before: list[int] = numbers(SEATS, "i8")  # bags: the kinds that the earlier ones may be
    laid: list[int] = numbers(SEATS)  # number of discards face down
    named: list[int] = numbers(SEATS, "i4")  # sums named so far, six bits a colour (show=sum_only)
    points: list[int] = numbers(SEATS, "i2")  # points of this round
    total: list[int] = numbers(SEATS, "i2")  # points of all finished rounds
    spent: list[int] = numbers(SEATS)  # 1: the player has used their Doubler (DI-73)
    answer: list[int] = numbers(SEATS)  # each player's answer about the Doubler in the row being scored; 0: none yet
    stage: int = number()
    player: int = number()  # whose turn it is; during the deal, the player who gets the next card
    stock: int = number()  # number of cards in the pile
    dealt: int = number()  # number of cards dealt so far
    locked: int = number()  # number of locked rows
    row: int = number()  # place in the column of the row being scored; the rows before it are done
    speaker: int = number()  # the player who must answer next, if answers are given in turn


SECRET, OPEN_IN_TURN = values_of(Diabolo, "doubler_mode")
ALL_OWNERS, HOLDERS_ONLY = values_of(Diabolo, "doubler_ask")
SHOW_CARDS, SUM_ONLY = values_of(Diabolo, "show")
CHOSEN, AT_RANDOM = values_of(Diabolo, "stuck_discard")
FACE_UP, FACE_DOWN = values_of(Diabolo, "stuck_face")


def next_player(s: Diabolo, p: int) -> int:
    """DI-17."""
    return p + 1 if p + 1 < s.players else 0


def locks_needed(s: Diabolo) -> int:
    """DI-40, DI-41."""
    return LOCKS_OF_FIVE if s.players == 5 else LOCKS


def colour_of(s: Diabolo, row: int) -> int:
    """The colour of a row, counted from the top of the column (DI-10)."""
    return COLUMN[COLOURS * s.column_order + row]


def shut_full_sides(s: Diabolo, c: int) -> bool:
    """Close a row with five cards (DI-23) or a side with three (DI-24); return whether the row is locked."""
    left = COUNT[suit(s.side[0], c)]
    right = COUNT[suit(s.side[1], c)]
    if left + right == ROW:
        s.shut[0] |= whole(c)
        s.shut[1] |= whole(c)
        s.locked += 1
    elif left == SIDE:
        s.shut[0] |= whole(c)
    elif right == SIDE:
        s.shut[1] |= whole(c)
    return left + right == ROW


def can_place(s: Diabolo, p: int) -> bool:
    """Whether a row takes one of a player's cards (DI-31)."""
    return s.hand[p] & ~(s.shut[0] & s.shut[1]) != 0


def missing(s: Diabolo, p: int) -> int:
    """Return the cards that a player has shown and no longer has in hand."""
    gone = 0
    for k in range(KINDS):
        gone += max(0, how_many(s.known[p], k) - how_many(s.hand[p], k)) * ONE[k]
    return gone
