"""The cards, the pools and the position of Matrimony.

A card is ``4 * rank + suit``, ranks from the ace (0) to the king (12), suits c d h s; sets of cards, seats and pools
are integers, one bit each.
"""

from parlour.rules.matchplay import Match
from parlour.rules.vocabulary import *

SEATS = 26
POOLS = ("Matrimony", "Intrigue", "Confederacy", "Pair", "Best")
MATRIMONY, INTRIGUE, CONFEDERACY, PAIR, BEST = range(5)
PACK = tuple(rank + suit for rank in "A23456789TJQK" for suit in "cdhs")
POOL = len(PACK)  # in sentences a card is its number, and a pool this plus its number
DECK = (1 << len(PACK)) - 1
ACE_OF_DIAMONDS = PACK.index("Ad")
JACK, QUEEN, KING = (PACK.index(rank + "c") // 4 for rank in "JQK")
DIAMONDS = sum(1 << card for card, name in enumerate(PACK) if name[1] == "d")

DRAWING, STAKING, UP, DOWN, SETTLED, OVER = range(6)
WHOLE, FIRST, LAST, DONE = 0, 1, 5, 6  # the part of a stake being chosen: the whole, then pools 1 to 5

DRAW = 255  # the value of first_dealer=draw
MOST_DEALS, MOST_PLAY_OUT, MOST_WITH_TWO_DOWN = 255, 20, 17


class Matrimony(Match):
    start_counters: int = amount_option(100, 2, 1000, clauses="MA-10", kind="i2")
    first_dealer: int = seat_option("draw", clauses="MA-11", draw=DRAW)
    stake_min: int = amount_option(2, 2, 100, clauses="MA-20 MA-46")
    stake_max: int = amount_option("none", 2, 1000, clauses="MA-21", kind="i2", none=0)
    others_stake: int = choice("exact", "at_most", clauses="MA-17 MA-21")
    cover_all: int = switch("no", clauses="MA-19")
    stake_visibility: int = choice("open", "secret", clauses="MA-18")
    restake: int = choice("every_deal", "when_empty", clauses="MA-23")
    cards: int = choice("one_down", "two_down", clauses="MA-9 MA-26 MA-33 MA-44")
    pair_rule: int = choice("first", "highest", clauses="MA-37 MA-38")
    best_rule: int = choice("carry", "next_up", "next_any", clauses="MA-39 MA-40")
    broke: int = choice("free", "out", clauses="MA-45 MA-49 MA-50")
    rounds: int = amount_option(2, 1, 100, clauses="MA-49")
    leftovers: int = choice("share", "play_out", clauses="MA-50")

    stage: int = number("i1")
    at: int = number("i1")  # the player (or SEVERAL) who stakes, draws, gets an up card or turns up a down card
    counters: list[int] = numbers(SEATS, "i2")
    before: list[int] = numbers(SEATS, "i2")  # each player's counters when the last deal was settled
    pools: list[int] = numbers(5, "i2")
    dealt: int = number("i4")  # set of the players dealt in; during the draw, of those who draw
    hand: list[int] = numbers(SEATS, "i8")  # sets: face-up cards of each player
    unseen: int = number("i8")  # set of the cards that nobody has seen in this deal
    shown: int = number("i1")  # set of the pools whose combination has been shown in this deal
    stake: int = number("i2")  # N, the number of counters that the dealer has taken; 0 before
    # the part of their stake that each player is choosing: WHOLE, a pool, or DONE
    pool: list[int] = numbers(SEATS, "i1")
    whole: list[int] = numbers(SEATS, "i2")  # number of counters in each player's whole stake
    matrimony: list[int] = numbers(SEATS, "i2")  # what each player has chosen to stake on this pool; so below
    intrigue: list[int] = numbers(SEATS, "i2")
    confederacy: list[int] = numbers(SEATS, "i2")
    pair: list[int] = numbers(SEATS, "i2")
    best: list[int] = numbers(SEATS, "i2")


EXACT, AT_MOST = values_of(Matrimony, "others_stake")
OPEN, SECRET = values_of(Matrimony, "stake_visibility")
EVERY_DEAL, WHEN_EMPTY = values_of(Matrimony, "restake")
ONE_DOWN, TWO_DOWN = values_of(Matrimony, "cards")
FIRST_PAIR, HIGHEST = values_of(Matrimony, "pair_rule")
CARRY, NEXT_UP, NEXT_ANY = values_of(Matrimony, "best_rule")
FREE, OUT = values_of(Matrimony, "broke")
SHARE, PLAY_OUT = values_of(Matrimony, "leftovers")


def rank_of(card: int) -> int:
    return card >> 2


def of_rank(hand: int, rank: int) -> int:
    """Return how many cards of a rank are among these."""
    return count(hand >> 4 * rank & 15)


def can_stake(s: Matrimony, p: int) -> bool:
    """Whether a player who does not deal has anything to stake (MA-45)."""
    return s.counters[p] >= s.stake_min - 1


def staked_deals(s: Matrimony) -> int:
    """Return the number of deals of the match, not counting those without stakes at the end (MA-49)."""
    n = s.rounds * s.players
    return min(n, s.deals) if s.deals else n


def gather(s: Matrimony) -> None:
    """Gather and shuffle the pack (MA-25)."""
    s.unseen = DECK
    for p in range(s.players):
        s.hand[p] = 0


def show_card(s: Matrimony, k: int) -> None:
    """Turn up a card that nobody has seen (MA-28)."""
    s.unseen &= ~(1 << k)
    s.hand[s.at] |= 1 << k
