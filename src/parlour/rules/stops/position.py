"""The cards, the stages and the position that games of stops share, and what players are told of it.

A card is 13 * suit + rank, ranks from the ace (0) to the king (12), suits in the order c d h s.  Sets of cards and of
seats are integers, one bit a member.
"""

from parlour.rules.matchplay import Match
from parlour.rules.vocabulary import (
    TERMINAL,
    amount,
    cards,
    choice,
    count,
    number,
    numbers,
    one_of,
    seat,
    values_of,
)

SEATS, RANKS = 8, 13
CARD_NAMES = tuple(rank + suit for suit in "cdhs" for rank in "A23456789TJQK")
PACK = (1 << 52) - 1
SUIT = (1 << RANKS) - 1
ACES = sum(1 << (RANKS * suit) for suit in range(4))
JACKS, QUEENS, KINGS = ACES << 10, ACES << 11, ACES << 12
EIGHT_OF_DIAMONDS, NINE_OF_DIAMONDS, TEN_OF_DIAMONDS = 20, 21, 22
ACE_LOW, ACE_HIGH = 0, 52  # whether the ace is low or high: the offset to add to a card before looking it up in NEXT
# The card that follows each card, at ACE_LOW + card or ACE_HIGH + card; -1 after the highest card of a suit.
NEXT = tuple(c + 1 if c % RANKS < 12 else -1 for c in range(52)) + tuple(
    -1 if c % RANKS == 0 else c + 1 if c % RANKS < 12 else c - 12 for c in range(52)
)

SHORTFALL = choice("credit", "cap")
CREDIT, CAP = values_of(SHORTFALL)

DRAWING, DEALING, LEADING, RUNNING, OUT, SETTLED, OVER = range(7)  # stages of every game of stops


class Stops(Match):
    """The position: cards on the table, in the hands and in the stock, and everybody's coins."""

    stage: int = number()
    player: int = number("i1")  # the player who leads or played last; during the deal, the one who gets the next card
    card: int = number("i1")  # the last card played, -1 before the first
    dealt: int = number("i1")  # number of cards dealt to players so far
    stock: int = number("i8")  # set of the cards that are in no hand and not played
    out: int = number("i8")  # set of the cards that, as everybody knows, cannot be played in this deal
    gone: int = number("i8")  # set of all cards played in this deal
    run: int = number("i8")  # set of the cards of the last sequence, which stays on show until the next lead
    hand: list[int] = numbers(SEATS, "i8")
    # sets: cards that each player has played in this deal, or has drawn or been dealt face up
    played: list[int] = numbers(SEATS, "i8")
    lacks: list[int] = numbers(SEATS, "i8")  # sets: cards that each player is known not to hold, by word or play
    coins: list[int] = numbers(SEATS, "i4")
    before: list[int] = numbers(SEATS, "i4")  # each player's coins when the last deal was settled
    shortfall: int  # the option ``SHORTFALL``; each game declares it at its own place among its options


# ------------------------------------------------------------------------------------------ seats


def left_of(s: Stops, p: int) -> int:
    """The next player clockwise."""
    return p + 1 if p + 1 < s.players else 0


def clockwise(s: Stops, p: int, i: int) -> int:
    """The i-th player to the left of p: from 1 to ``players - 1`` everybody else in turn, then p again."""
    return p + i if p + i < s.players else p + i - s.players


def distance(s: Stops, p: int, q: int) -> int:
    """The number of seats clockwise from p to q."""
    return q - p if q >= p else q - p + s.players


def held(s: Stops, p: int) -> int:
    """How many cards a player holds, as everybody knows (first to the dealer's left, one at a time)."""
    place = (p - s.dealer - 1 + s.players) % s.players
    return s.dealt // s.players + (place < s.dealt % s.players) - count(s.played[p])


# ------------------------------------------------------------------------------------------ stages and things told

NOBODY = TERMINAL  # the `asks` of a stage in which no step ends: play goes on by itself


def leader(s: Stops) -> int:
    """The player who has the lead."""
    return s.player


STOPS_THINGS = {
    "deal": amount(16),
    "dealer": seat().told(lambda s: s.stage != DRAWING),
    "player": seat(),
    "dealt": amount(52),
    "card": one_of(CARD_NAMES).told(lambda s: s.card >= 0),
    "run": cards(CARD_NAMES),
    "out": cards(CARD_NAMES),
    "coins": amount(200, per=SEATS, seats=True),
    "before": amount(200, per=SEATS, seats=True),
    "held": amount(25, per=SEATS, seats=True).told(value=lambda s, p: held(s, p) if s.dealt else 0),
    "played": cards(CARD_NAMES, per=SEATS, seats=True),
    "lacks": cards(CARD_NAMES, per=SEATS, seats=True),
    "hand": cards(CARD_NAMES, per=SEATS, seats=True).told(
        lambda s, p: (s.stage == OVER) & (s.hand[p] != 0),
        own=lambda s, me: (s.dealt > 0) & (s.stage != DEALING) & (s.stage != OVER),  # only complete hands
    ),
}
