"""The layouts, the house rules and the position of Pope Joan; those shared by all games of stops are in
``parlour.rules.stops``.

There are thirteen pools; the layout of each version uses some of them.
"""

from parlour.rules.stops.layout import FIRST_DEALER, LEFTOVERS, ROUNDS, Layout
from parlour.rules.stops.position import (
    ACE_HIGH,
    ACE_LOW,
    ACES,
    CARD_NAMES,
    EIGHT_OF_DIAMONDS,
    JACKS,
    KINGS,
    NINE_OF_DIAMONDS,
    PACK,
    QUEENS,
    RANKS,
    SHORTFALL,
    SUIT,
    TEN_OF_DIAMONDS,
)
from parlour.rules.vocabulary import *

DECK = PACK  # PJ-21; without the eight of diamonds in the classic game and where it is removed
DIAMONDS = 13  # the first card of that suit
SEVEN_OF_DIAMONDS = 19
KING_OF_HEARTS, QUEEN_OF_SPADES, JACK_OF_CLUBS = 38, 50, 10
HONOURS = JACKS | QUEENS | KINGS

# The pools.  Each version dresses its own in this order (PJ-28, PJ-42, PJ-64).
TEN, JACK, QUEEN, KING, POPE, MATRIMONY, INTRIGUE, CONFEDERACY, ACE_POOL, KING_POOL, QUEEN_POOL, KNAVE, GAME = range(13)
POOLS = 13
POOL_NAMES = ("Ten", "Jack", "Queen", "King", "Pope", "Matrimony", "Intrigue", "Confederacy",
              "Ace", "King", "Queen", "Knave", "Game")  # fmt: skip
CARDS = (*CARD_NAMES, *POOL_NAMES)  # what numbers in sentences stand for: a card, or POOL + pool
POOL = 52

# The layouts: for each pool the counters put on it and the cards that win it, which must be trumps except in Foster's
# game.  `pope_card` returns the card that wins Pope; the player who is out first wins Game.
FOSTERS = {TEN: (1, 1 << TEN_OF_DIAMONDS), JACK: (2, 1 << JACK_OF_CLUBS), QUEEN: (3, 1 << QUEEN_OF_SPADES),
           KING: (4, 1 << KING_OF_HEARTS), POPE: (5, 0)}  # fmt: skip
WITH_TRUMP = {POPE: (5, 0), MATRIMONY: (4, KINGS | QUEENS), INTRIGUE: (3, QUEENS | JACKS),
              CONFEDERACY: (2, KINGS | JACKS), GAME: (1, 0)}  # fmt: skip
EIGHT_POOLS = {POPE: (6, 0), MATRIMONY: (2, KINGS | QUEENS), INTRIGUE: (2, QUEENS | JACKS), ACE_POOL: (1, ACES),
               KING_POOL: (1, KINGS), QUEEN_POOL: (1, QUEENS), KNAVE: (1, JACKS), GAME: (1, 0)}  # fmt: skip
FIVE_POOLS = {k: EIGHT_POOLS[k] for k in (POPE, MATRIMONY, INTRIGUE, ACE_POOL, GAME)}
# one for each version, and one for the classic version with five compartments
LAYOUTS = (FOSTERS, WITH_TRUMP, EIGHT_POOLS, FIVE_POOLS)


def alone(layout: dict[int, tuple[int, int]], c: int) -> int:
    """Return the pool that a card wins without another one of its suit, or -1."""
    suit = SUIT << c // RANKS * RANKS
    return next((k for k, (_, those) in layout.items() if those & suit == 1 << c), -1)


# The same as tables, at POOLS * layout + pool or 52 * layout + card.
DRESSING = tuple(layout.get(k, (0, 0))[0] for layout in LAYOUTS for k in range(POOLS))
WINS = tuple(layout.get(k, (0, 0))[1] for layout in LAYOUTS for k in range(POOLS))
PRIZES = (sum(those for _, those in FOSTERS.values()), HONOURS, ACES | HONOURS, ACES | HONOURS)  # besides the Pope
ALONE = tuple(alone(layout, c) for layout in LAYOUTS for c in range(52))
EACH_FOSTER = (0, 0, 0, 15, 12, 9, 8, 7, 6)  # cards for each player, by the number of players (Table 1)
# cards dealt, at 9 * row + players; rows: Foster's games; classic with equal hands; classic, dealt all round (Table 2)
DEALT = (
    tuple(n * each for n, each in enumerate(EACH_FOSTER))
    + tuple(n * (50 // (n + 1)) for n in range(9))
    + tuple(50 // (n + 1) * n + min(50 % (n + 1), n) for n in range(9))
)

TURNING, LAYING = 7, 8  # stages besides RUN_OFF and those of every game of stops
LEAD, LAY, KEEP = 0, 52, 104  # first id of each kind of action
ABOVE_ALL = 52  # higher than the number of any card

USUAL = -1  # the value of start_counters=usual


class PopeJoan(Layout):
    version: int = choice("foster", "foster_trump", "classic", clauses="PJ-21 PJ-41 PJ-61")
    pope: int = choice("7d", "9d", clauses="PJ-24", when="version=foster")
    ace: int = choice("low", "high", clauses="PJ-8")
    lead_rule: int = choice("any", "lowest", clauses="PJ-9")
    double_rule: int = choice("all", "dressing", clauses="PJ-36 PJ-56 PJ-57", when="version=foster,foster_trump")
    double_cap: int = amount_option(
        50, 1, 1000, clauses="PJ-37 PJ-58", kind="i4", none=0, when="version=foster,foster_trump"
    )
    remove_8d: int = switch("no", clauses="PJ-45", when="version=foster_trump")
    first_dealer: int = FIRST_DEALER
    start_counters: int = amount_option("usual", 0, 1000, clauses="PJ-15", kind="i4", usual=USUAL)
    shortfall: int = SHORTFALL.under("PJ-16")
    rounds: int = ROUNDS
    leftovers: int = LEFTOVERS
    dressing: int = choice("dealer", "all", clauses="PJ-64", when="version=classic")
    hand_sizes: int = choice("equal", "round", clauses="PJ-65", when="version=classic")
    pope_turned: int = choice("pope_only", "plus_cards", "deal_over", clauses="PJ-70", when="version=classic")
    combo: int = choice("same_player", "divide", clauses="PJ-74 PJ-75 PJ-77", when="version=classic")
    pope_bonus: int = switch("no", clauses="PJ-72", when="version=classic")
    dealer_sees_dead_hand: int = switch("no", clauses="PJ-68", when="version=classic")
    board: int = choice("eight", "five", clauses="PJ-62 PJ-64 PJ-69 PJ-71 PJ-79", when="version=classic")

    pool: list[int] = numbers(POOLS, "i4")  # number of counters on each pool
    dressed: int = number("i4")  # number of counters put on the layout before this deal
    turned: int = number("i1")  # the card turned up plus 1, 0 if there is none
    trumps: int = number("i8")  # set of the cards of the trump suit; diamonds in a run-off
    prizes: int = number("i8")  # set of the cards that win something when they are played
    offer: int = number("i1")  # the honour that the player may lay now, if it is in their hand (PJ-52)
    asked: int = number("i2")  # set: the one player with a choice that nobody else may notice, or empty


FOSTER, FOSTER_TRUMP, CLASSIC = values_of(PopeJoan, "version")
SEVEN, NINE = values_of(PopeJoan, "pope")
LOW, HIGH = values_of(PopeJoan, "ace")
ANY, LOWEST = values_of(PopeJoan, "lead_rule")
AS_MUCH, DRESSING_ONLY = values_of(PopeJoan, "double_rule")
DEALER_DRESSES, ALL_DRESS = values_of(PopeJoan, "dressing")
EQUAL, ROUND = values_of(PopeJoan, "hand_sizes")
POPE_ONLY, PLUS_CARDS, ENDS_DEAL = values_of(PopeJoan, "pope_turned")
SAME_PLAYER, DIVIDE = values_of(PopeJoan, "combo")
EIGHT, FIVE = values_of(PopeJoan, "board")


# ------------------------------------------------------------------------------------------ differences of versions


def has_no_eight(s: PopeJoan) -> bool:
    """Whether the eight of diamonds is removed from the pack (PJ-45, PJ-61)."""
    return (s.version == CLASSIC) | (s.remove_8d != 0)


def deck(s: PopeJoan) -> int:
    """PJ-21, PJ-45, PJ-61."""
    return DECK & ~(1 << EIGHT_OF_DIAMONDS) if has_no_eight(s) else DECK


def pope_card(s: PopeJoan) -> int:
    """PJ-24, PJ-45, PJ-63."""
    return NINE_OF_DIAMONDS if has_no_eight(s) | (s.pope == NINE) else SEVEN_OF_DIAMONDS


def to_deal(s: PopeJoan) -> int:
    """Return the number of cards dealt to players (PJ-25, PJ-65)."""
    row = 0 if s.version != CLASSIC else 1 if s.hand_sizes == EQUAL else 2
    return DEALT[9 * row + s.players]


def starts_with(s: PopeJoan) -> int:
    """PJ-15."""
    return s.start_counters if s.start_counters != USUAL else 48 if s.version == CLASSIC else 100


def layout(s: PopeJoan) -> int:
    """Return the index of the layout in ``LAYOUTS``."""
    return s.version + (s.board == FIVE)


def dressing_of(s: PopeJoan, k: int) -> int:
    """Return the counters put on a pool before each deal (PJ-28, PJ-42, PJ-64)."""
    return DRESSING[POOLS * layout(s) + k]


def winners(s: PopeJoan, k: int) -> int:
    """Return the cards that win a pool: one, or the two of a pair (PJ-23, PJ-49, PJ-71, PJ-74, PJ-75)."""
    if k == POPE:
        return 1 << pope_card(s)
    those = WINS[POOLS * layout(s) + k]
    return those if s.version == FOSTER else those & s.trumps


def own_pool(s: PopeJoan, c: int) -> int:
    """Return the pool that a card wins by itself, or -1 (PJ-31, PJ-46, PJ-69 to PJ-72)."""
    if c == pope_card(s):
        return POPE
    return ALONE[52 * layout(s) + c] if s.prizes >> c & 1 else -1


def set_prizes(s: PopeJoan) -> None:
    """Set the cards that win something, once the trump suit is known; in a run-off it is diamonds (PJ-60, PJ-79)."""
    trump = s.turned - 1 if s.dealt else DIAMONDS
    s.trumps = 0 if s.version == FOSTER else SUIT << trump // RANKS * RANKS
    any_suit = PRIZES[layout(s)]
    s.prizes = 1 << pope_card(s) | (any_suit if s.version == FOSTER else any_suit & s.trumps)


def high(s: PopeJoan) -> int:
    """Return ``ACE_LOW`` or ``ACE_HIGH`` (PJ-8), for the functions of stops play."""
    return ACE_HIGH if s.ace == HIGH else ACE_LOW
