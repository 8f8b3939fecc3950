"""The cards, the piles and the position of Diamonds.

A face-down card is undecided until it is turned: the position holds the set of unseen cards, without an order.  A card
is a number, 13 * suit + rank - 2 with the suits in the order clubs, hearts, spades, diamonds; then the jokers.
"""

from parlour.rules.matchplay import Deals
from parlour.rules.vocabulary import *

SEATS, PILES, DEPTH, DECK = 3, 9, 6, (1 << 54) - 1  # DM-2, DM-8
NEEDED = (7, 5)  # diamonds needed to win, with two players and with three (DM-17)
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")  # their values are 2 to 14 (DM-3)
CARDS = (*(suit + rank for suit in "CHSD" for rank in RANKS), "X1", "X2")
# first card of each suit and of the jokers; cards below SPADES are rocks (DM-4)
CLUBS, HEARTS, SPADES, DIAMONDS, JOKERS = 0, 13, 26, 39, 52

# The face of a pile is the number that the rules compare: 2 to 14, the hardness of a face-up rock, or one of these.
DOWN, EMPTY, BLADE = 1, 15, 32  # face down; empty, harder than any rock; for a spade, BLADE + its strength

# stages; a player acts in START, OFFERED and BETWEEN, chance in the next three
START, OFFERED, BETWEEN, TURNING, PICKING, DRAWING, OVER = range(7)
# Ids of actions.  DIG and DESTROY are for pile 0, STEAL and SWITCH for seat 0; the ids of the others follow.
DIG, DIG_ANY, DESTROY = 0, PILES, PILES + 1  # DIG, DESTROY + pile
PASS, TRADE, KEEP, ON, STOP = range(DESTROY + PILES, DESTROY + PILES + 5)
STEAL = STOP + 1  # STEAL + seat
SWITCH = STEAL + SEATS  # SWITCH + seat
ACTIONS = SWITCH + SEATS

RANDOM = 255  # the value of first_dealer=random


class Diamonds(Deals):
    pile_choice: int = choice("player", "random_face_down", clauses="DM-23 DM-24")
    first_spade: int = choice("dig_on", "end_turn", clauses="DM-40")
    trade_leaves: int = choice("on_pile", "debris", clauses="DM-44")
    lower_spade: int = choice("stays", "may_take", clauses="DM-46 DM-47 DM-111")
    stop_digging: int = choice("after_joker", "never", "always", clauses="DM-49 DM-50 DM-51")
    destroy_when: int = choice("all_tops_up", "face_up_only", clauses="DM-58 DM-59")
    trade_after_destroy: int = choice("allowed", "not_allowed", clauses="DM-116")
    layer_removal: int = choice("deadlock_only", "literal", clauses="DM-69 DM-73 DM-74")
    joker_when: int = choice("turn_start", "own_turn", clauses="DM-79")
    jokers_per_turn: int = choice("any", "one", clauses="DM-82")
    switch_target: int = choice("spade_holder", "anyone", clauses="DM-88")
    first_dealer: int = seat_option("random", clauses="DM-14", random=RANDOM)
    games: int = amount_option(1, 1, 255, clauses="DM-93")

    unseen: int = number("i8")  # set of the cards nobody has seen
    debris: int = number("i8")  # set of the cards beside the grid (DM-12)
    height: list[int] = numbers(PILES)
    face: list[int] = numbers(PILES)
    top: list[int] = numbers(PILES)  # each pile's face-up card plus 1; 0 if none is face up
    spade: list[int] = numbers(SEATS)  # strength of each player's spade, 0 if none (DM-34)
    diamonds: list[int] = numbers(SEATS, "u2")  # sets: ranks of the diamonds that each player holds
    jokers: list[int] = numbers(SEATS)  # sets: jokers that each player may play
    fresh: list[int] = numbers(SEATS)  # sets: jokers found this turn, not to be played before the next (DM-78)
    player: int = number()  # whose turn it is
    stage: int = number()
    at: int = number()  # the pile being dug
    smashed: int = number()  # 1: a spade was destroyed this turn (DM-65)
    played: int = number()  # 1: a joker was played this turn, and only one may be (DM-82)
    may_stop: int = number()  # 1: `stop` is offered (DM-49)
    won: list[int] = numbers(SEATS)  # number of games won by each player


BY_PLAYER, RANDOM_FACE_DOWN = values_of(Diamonds, "pile_choice")
DIG_ON, END_TURN = values_of(Diamonds, "first_spade")
ON_PILE, TO_DEBRIS = values_of(Diamonds, "trade_leaves")
STAYS, MAY_TAKE = values_of(Diamonds, "lower_spade")
AFTER_JOKER, NEVER, ALWAYS = values_of(Diamonds, "stop_digging")
ALL_TOPS_UP, FACE_UP_ONLY = values_of(Diamonds, "destroy_when")
ALLOWED, NOT_ALLOWED = values_of(Diamonds, "trade_after_destroy")
DEADLOCK_ONLY, LITERAL = values_of(Diamonds, "layer_removal")
TURN_START, OWN_TURN = values_of(Diamonds, "joker_when")
ANY_NUMBER, ONE = values_of(Diamonds, "jokers_per_turn")
SPADE_HOLDER, ANYONE = values_of(Diamonds, "switch_target")


def lay_out(s: Diamonds) -> None:
    """Set up nine face-down piles of six, no debris, and no cards in anybody's hand (DM-8, DM-12, DM-13)."""
    s.unseen = DECK
    s.debris = 0
    for i in range(PILES):
        s.height[i] = DEPTH
        s.face[i] = DOWN
        s.top[i] = 0
    for p in range(SEATS):
        s.spade[p] = s.diamonds[p] = s.jokers[p] = 0


def target(s: Diamonds) -> int:
    """DM-17."""
    return NEEDED[s.players - 2]


def next_seat(s: Diamonds, p: int) -> int:
    """The next seat clockwise (DM-16)."""
    return p + 1 if p + 1 < s.players else 0


def face_down(s: Diamonds) -> int:
    """Return the set of the piles whose top card is face down."""
    piles = 0
    for i in range(PILES):
        piles |= (s.face[i] == DOWN) << i
    return piles


def rank(card: int) -> int:
    """2 to 14 (DM-3)."""
    return card % 13 + 2


def own_spade(s: Diamonds, p: int) -> int:
    """The card of the spade that the player holds."""
    return SPADES + s.spade[p] - 2


def lay(s: Diamonds, i: int, card: int) -> None:
    """Put the card face up on pile i."""
    s.top[i] = card + 1
    s.face[i] = rank(card) if card < SPADES else BLADE + rank(card)


def lift(s: Diamonds, i: int) -> None:
    """Remove the top card of pile i."""
    s.height[i] -= 1
    s.face[i] = DOWN if s.height[i] > 0 else EMPTY
    s.top[i] = 0
