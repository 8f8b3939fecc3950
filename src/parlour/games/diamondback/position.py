"""The cards, the coins and the position of Diamondback.

Cards of one rank are equal, so a hand is one of fourteen kinds, numbered by value: kind h has 5 * h points.  Sets of
seats are integers, one bit a seat.
"""

from parlour.rules.matchplay import Match
from parlour.rules.vocabulary import *

SEATS = 5
CARDS = ("Magician", "Priestess", "Queen", "King", "Priest")  # high to low in the draw for the first deal (DB-12)
PRIEST = 4
POINTS = 5  # points of a hand: this times its kind

# Table 2 from the lowest hand up: the higher and the lower card of each kind of hand.  Kind 0 is an unknown hand.
HIGHER = (0, 4, 3, 2, 3, 2, 0, 2, 1, 1, 1, 0, 0, 1, 0)
LOWER = (0, 4, 4, 4, 3, 2, 4, 3, 4, 2, 3, 3, 2, 1, 1)
KIND = tuple(
    next((h for h in range(1, 15) if (HIGHER[h], LOWER[h]) == (min(a, b), max(a, b))), 0)
    for a in range(5)
    for b in range(5)
)
HANDS = tuple(f"{CARDS[HIGHER[h]]}-{CARDS[LOWER[h]]}" for h in range(1, 15))

# A stock of cards is one integer: the number of cards of each rank, in a byte each.
MAGICIAN = 1
EACH_FURTHER = 2 << 8 | 3 << 16 | 4 << 24 | 5 << 32  # cards that the stock gains for each player but one (Table 1)

DRAWING, ANTE, PAYING, DEALING, OPENING, ANSWER, EXPOSING, SEALED, FURTHER, SAYING, VOTING, SETTLED, OVER = range(13)
# Ids of actions.  Those of antes come after that of the highest wager (`highest_id`).
FOLD, MATCH_IT, STOP, ON = range(4)
EXPOSE = 4  # EXPOSE + card: turn up this card
PAY, DECLINE, CONTINUE, END, LEAVE = range(9, 14)
WAGER = LEAVE  # WAGER + coins; the smallest wager, one coin, has the id after LEAVE

DRAW = 255  # the value of first_dealer=draw
WITHOUT_END = 30_000  # an endless match ends after this many hands, more than anybody plays (DB-87)


class Diamondback(Match):
    version: int = choice("standard", "dealers", "match", clauses="DB-62 DB-65 DB-71 DB-75")
    seats_max: int = amount_option(4, 4, 5, clauses="DB-2 DB-9 DB-48 DB-49 DB-50 DB-51")
    start_coins: int = amount_option(100, 1, 1000, clauses="DB-10 DB-83", kind="i2")
    first_dealer: int = seat_option("draw", clauses="DB-11", draw=DRAW)
    next_dealer: int = choice("rotate", "winner", "keep", clauses="DB-15", when="version=standard,match")
    wager_limit: int = amount_option(10, 1, 1000, clauses="DB-38 DB-64 DB-69", kind="i2", none=0)
    short_stack: int = choice("cap", "fold", clauses="DB-38 DB-39 DB-64 DB-69 DB-70")
    min_second_wagers: int = amount_option(1, 0, 20, clauses="DB-27 DB-39", kind="i1")
    max_second_wagers: int = amount_option("none", 1, 20, clauses="DB-30", kind="i1", none=0)
    exposure: int = choice("sequential", "others_together", "all_together", clauses="DB-24 DB-25")
    tie_scope: int = choice("dealt_in", "showdown", clauses="DB-47 DB-48 DB-49 DB-50 DB-51 DB-52")
    odd_coin: int = choice("stay", "left_of_dealer", clauses="DB-53")
    broke_tie: int = choice("stay", "divide", "carry", clauses="DB-55")
    dealer_fold: int = switch("yes", clauses="DB-42 DB-93", when="version=standard,match")
    hands: int = amount_option("usual", 1, 200, clauses="DB-58", usual=0)
    dealer_tops_up: int = switch("no", clauses="DB-67 DB-69", when="version=dealers")
    ante_decline: int = switch("no", clauses="DB-63", when="version=dealers")
    tie_dealer: int = choice("keep", "nearest_left", clauses="DB-72", when="version=dealers or next_dealer=winner")
    match_unit: int = choice("session", "within_hand", clauses="DB-29 DB-31 DB-75", when="version=match")
    forfeit: int = choice("winnings", "whole_stack", clauses="DB-83", when="version=match")
    match_max_hands: int = amount_option(
        200, 1, 200, clauses="DB-87", kind="i2", when="version=match", none=WITHOUT_END
    )

    turn: int = number("i1")  # the player whose turn it is; 0 when it is nobody's
    stage: int = number("i1")
    successor: int = number("i1")  # the next dealer
    coins: list[int] = numbers(SEATS, "i2")
    before: list[int] = numbers(SEATS, "i2")  # coins when the last hand was settled
    gone: list[int] = numbers(SEATS, "i2")  # the number of the hand after which each player left; 0: still in the match
    kept: int = number("i1")  # set of the players without coins whose seat waits for a carried pot (DB-55)
    pot: int = number("i2")
    carried: int = number("i2")  # coins of the pot carried over from the previous hand
    dealt: int = number("i1")  # set of the players dealt in
    live: int = number("i1")  # set of the players still in the hand; in the draw, of those who draw
    hand: list[int] = numbers(SEATS, "i1")  # kind of each player's hand, 0 if unknown
    # each player's card turned up (or drawn) plus 1; during a secret choice, the card chosen
    up: list[int] = numbers(SEATS, "i1")
    wager: int = number("i2")  # the wager or ante that is being answered
    rounds: int = number("i2")  # number of further wagers made in this hand
    ends: int = number("i1")  # set of the players who said `end` (between hands) or `stop` (match_unit=within_hand)
    quits: int = number("i1")  # set of the players who said `leave`
    heirs: int = number("i1")  # set of the players who would divide a pot left at the end (DB-60)
    left: int = number("i8")  # the stock from which cards are dealt
    at: int = number("i1")  # the player who gets the next card
    out: int = number("i1")  # number of cards dealt so far
    first: list[int] = numbers(SEATS, "i1")  # during the deal: each player's first card plus 1


STANDARD, DEALERS, MATCH = values_of(Diamondback, "version")
ROTATE, WINNER, KEEP = values_of(Diamondback, "next_dealer")
CAP, TO_FOLD = values_of(Diamondback, "short_stack")
IN_TURN, OTHERS_TOGETHER, ALL_TOGETHER = values_of(Diamondback, "exposure")
DEALT_IN, SHOWDOWN = values_of(Diamondback, "tie_scope")
STAY, LEFT_OF_DEALER = values_of(Diamondback, "odd_coin")
KEEPS_SEAT, DIVIDE, CARRY = values_of(Diamondback, "broke_tie")
SAME_DEALER, NEAREST_LEFT = values_of(Diamondback, "tie_dealer")
SESSION, WITHIN_HAND = values_of(Diamondback, "match_unit")
WINNINGS, WHOLE_STACK = values_of(Diamondback, "forfeit")


# ------------------------------------------------------------------------------------------ seats, coins and cards


def ask(s: Diamondback, stage: int, who: int) -> None:
    """Give ``who`` the turn, in this stage."""
    s.stage = stage
    s.turn = who


def go_to(s: Diamondback, stage: int) -> None:
    """Go to a stage that is no particular player's turn."""
    s.stage = stage
    s.turn = 0


def who_has(what: list[int], those: int, value: int) -> int:
    """Return the members of the set who have exactly this value."""
    found = 0
    for p in range(SEATS):
        found |= (what[p] == value) << p
    return found & those


def opponents(s: Diamondback) -> int:
    """Return the players in the hand except the dealer."""
    return s.live & ~(1 << s.dealer)


def poorest(s: Diamondback, those: int) -> int:
    """Return the coins of the poorest player in the set."""
    coins = s.coins[lowest(those)]
    for p in members(those):
        coins = min(coins, s.coins[p])
    return coins


def within_limit(s: Diamondback, coins: int) -> int:
    """Return this many coins, or the table limit if that is lower."""
    return min(coins, s.wager_limit) if s.wager_limit else coins


def pay(s: Diamondback, p: int, coins: int) -> None:
    s.coins[p] -= coins
    s.pot += coins


def name_amounts(acts: list[int], n: int, ids: int, highest: int) -> int:
    """List all amounts up to the highest, after the first n actions; ``ids``: the id of an amount less the amount."""
    for i in range(highest):
        acts[n + i] = ids + 1 + i
    return n + highest


def highest_id(s: Diamondback) -> int:
    """The id of the highest wager; antes follow it."""
    return WAGER + within_limit(s, s.players * s.start_coins)


def full_deck(n: int) -> int:
    """The stock for n players (DB-2)."""
    return MAGICIAN + (n - 1) * EACH_FURTHER


def in_stock(stock: int, rank: int) -> int:
    """Return the number of cards of a rank in a stock."""
    return stock >> (8 * rank) & 255


def one_card(rank: int) -> int:
    """Return a stock of one card."""
    return 1 << 8 * rank


def kind_of(one: int, other: int) -> int:
    """The kind of hand that two cards make, in either order (DB-4, DB-5)."""
    return KIND[5 * one + other]


def is_pair(hand: int) -> bool:
    """Whether both cards of a hand are of one rank."""
    return HIGHER[hand] == LOWER[hand]
