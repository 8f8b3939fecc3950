"""The numbers and the position of Dividha: stages, phases of a hand, actions, fields.

Sets of seats and sets of cards are integers, one bit a seat or card.
"""

from parlour.games.dividha.hands import ALL, DECK, PURE_FIVE
from parlour.rules.matchplay import Match
from parlour.rules.vocabulary import *

SEATS = 7
PACK = (ALL,) * (SEATS + 1)  # set of the cards in play, by the number of players
EACH, MOST_TRADED = 2, 2  # cards that a deal gives each player (DV-23 to DV-25); cards that a player may trade (DV-91)
SLOTS = 8  # amounts kept for each player and hand: the first six, the sum of those that follow, and the last

# Stages: first those in which a player or chance acts, then those that pass by themselves (`rules.go_on`).
DRAWING, RETURNING, TALKING, DEALING, BETTING, SPLITTING, VOTING, TRADING, PAYING = range(9)
DISCARDING, LAYING, NAMING, ORDERING, SETTLED, OVER = range(9, 15)
STARTING, NEXT_PHASE, NEXT_BETTER, NEXT_TRADER, SHOWING, FINISHING, NEXT_TALKER = range(15, 22)

# Phases of a hand (DV-37); BEFORE is also the phase between two hands.
BEFORE, DEMON, FIRST, BET_1, SECOND, BET_2, TRADE, BET_3, THIRD, BET_4, SHOWDOWN = range(11)
PHASES = (
    *("ante", "Demon's Wager", "first deal", "first bet", "second deal", "second bet", "trade", "third bet"),
    *("third deal", "last bet", "showdown"),
)

# Ids of actions.  LAY, NAME and RAISE are one less than their first id, because sets of places that are not empty,
# categories and levels are numbered from 1.  `win_id`, `propose_id` and `order_id` give the first ids of the others.
CHECK, CALL, FOLD, STAND, AGREE, REFUSE, LEAVE, RETURN, STAY = range(9)
GIVE = 9  # GIVE + card: trade this card
DISCARD = GIVE + DECK  # DISCARD + card
LAY = DISCARD + DECK - 1  # LAY + set of places among the kept cards
PLACES = range(5)
NAME = LAY + (1 << len(PLACES)) - 1  # NAME + category
RAISE = NAME + PURE_FIVE  # RAISE + level
SEQUENCES: list[tuple[int, ...]] = [(a,) for a in PLACES]
for _seq in SEQUENCES:
    SEQUENCES += [(*_seq, b) for b in PLACES if b not in _seq]
# three bits for each place plus 1, the top card in the lowest bits
SEQUENCE = tuple(sum((b + 1) << 3 * i for i, b in enumerate(of)) for of in SEQUENCES)
ALL_SEQUENCES = len(SEQUENCE)


class Dividha(Match):
    rounds: int = choice("four_with_trade", "three_no_trade", "three_with_trade", clauses="DV-37 DV-38 DV-39")
    demons_wager: int = switch("off", clauses="DV-40")
    limit: int = choice("pot", "fixed", "none", clauses="DV-72 DV-74 DV-75 DV-76 DV-77")
    min_raise: int = choice("one_coin", "ante", "largest_raise", clauses="DV-68", when="limit=pot,none")
    fixed_unit_antes: int = amount_option(1, 1, 50, clauses="DV-76", when="limit=fixed")
    fixed_max_raises: int = amount_option(3, 1, 100, clauses="DV-77", when="limit=fixed")
    all_in: int = choice(
        *("side_pots", "whole_pot", "cap_at_smallest", "match_or_fold"),
        clauses="DV-61 DV-81 DV-82 DV-85 DV-87 DV-88 DV-187 DV-218",
    )
    southern_cap: int = switch("off", clauses="DV-78 DV-79", when="all_in=side_pots,whole_pot,match_or_fold")
    unsplit_all_in: int = switch("off", clauses="DV-83 DV-84")
    forfeits_in_pot_limit: int = switch("on", clauses="DV-73", when="limit=pot")
    free_fold: int = switch("off", clauses="DV-58 DV-63")
    splits: int = choice("secret", "open", clauses="DV-52 DV-53 DV-54")
    tablets_on_last_fold: int = choice("shown", "hidden", clauses="DV-175", when="splits=secret")
    pay_to_trade: int = switch(
        "off", clauses="DV-99 DV-100 DV-101 DV-103", when="rounds=four_with_trade,three_with_trade"
    )
    absences: int = switch("off", clauses="DV-27 DV-29 DV-30 DV-31 DV-32 DV-33 DV-34 DV-35")
    between_hands: int = choice("not_asked", "asked", clauses="DV-221 DV-222")
    absent_deal: int = choice("first_deal", "every_deal", clauses="DV-28 DV-26 DV-215", when="absences=on")
    showdown: int = choice("choose_discard", "forced_best", "free", clauses="DV-105 DV-110 DV-111 DV-156")
    aural_rule: int = switch("off", clauses="DV-113 DV-115")
    rule_of_order: int = switch("off", clauses="DV-116 DV-117 DV-118")
    misplay_penalty: int = choice(
        "dead",
        "lose_only",
        "high_card",
        clauses="DV-119 DV-120 DV-216",
        when="aural_rule=on or rule_of_order=on or showdown=free",
    )
    deuce_ace_trigger: int = choice("combination", "hand", clauses="DV-129")
    deuce_as_ace: int = choice("choice", "forced", clauses="DV-130")
    deuce_ace_low: int = switch("on", clauses="DV-132")
    deuce_ace_sum: int = choice("1", "2", clauses="DV-170")
    five_kind_ranks: int = choice("any", "sixes_and_wilds", clauses="DV-147")
    same_suit_sixes: int = choice("all", "hell_triple_only", "no_pairs", clauses="DV-159")
    wild_scope: int = choice(
        *("own_suit_and_mortals", "represented_suit", "no_pure", "own_suit"), clauses="DV-136 DV-137 DV-139"
    )
    rank_first: int = choice("none", "of_a_kind", "all", clauses="DV-161 DV-162")
    providence: int = choice("wild_wins", "natural_wins", clauses="DV-165")
    providence_scope: int = choice("used", "held", clauses="DV-165 DV-166")
    tie_cards: int = choice("combination", "high_card_kickers", "all_legal", clauses="DV-163")
    high_card_depth: int = choice("top_only", "all", clauses="DV-172")
    ace_sum: int = choice("1", "11", clauses="DV-169")
    folded_columns: int = choice("both", "all_to_win", clauses="DV-178 DV-185")
    max_seats: int = amount_option(6, 6, 7, clauses="DV-14")
    starting_coins: int = amount_option(100, 2, 1000, clauses="DV-16", kind="i2")
    ante_start: int = amount_option(2, 2, 100, clauses="DV-198 DV-43")
    ante_step: int = amount_option(2, 0, 100, clauses="DV-198", when="ante_schedule=per_orbit,every_n_hands")
    ante_schedule: int = choice("per_orbit", "every_n_hands", "fixed", clauses="DV-198 DV-199")
    ante_every: int = amount_option(10, 1, 255, clauses="DV-198", when="ante_schedule=every_n_hands")

    turn: int = number("i1")  # the player whose turn it is; 0 when it is nobody's
    stage: int = number()
    phase: int = number()  # the phase of the hand, an index of PHASES
    at: int = number("i1")  # the player who acted last; during a deal, the player who gets the next card

    # the match
    coins: list[int] = numbers(SEATS, "i2")
    earlier: list[int] = numbers(SEATS, "i2")  # each player's coins when the hand began
    places: list[int] = numbers(SEATS)  # final place of each player who is out, or of all at the end; 0: none yet
    ante: int = number("i2")
    orbit: int = number("i2")  # number of hands of this orbit still to be settled
    forfeits: int = number("i2")  # forfeited coins that nobody has won yet
    # set of the players absent when the hand began; between hands, of those who have left since
    away: int = number("i2")
    gone: int = number("i2")  # set of the players who have left during the hand; between hands, of all who are absent
    waited: int = number()  # number of times in a row that no absent player came back
    proposed: int = number("i2")  # set of the players who have proposed a lower ante since the last hand was settled
    offer: int = number("i2")  # the proposed ante, while players vote on it
    proposer: int = number("i1")
    agreed: int = number("i2")  # the ante agreed for the next hand, 0 if none was

    # betting
    live: int = number("i2")  # set of the players still in the hand
    able: int = number("i2")  # set of those of them who have coins
    todo: int = number("i2")  # set of the players who have yet to act
    pot: int = number("i2")
    level: int = number("i2")
    step: int = number("i2")  # the largest raise of this round
    raises: int = number("i2")
    owed: int = number("i2")  # coins that the player whose turn it is has paid and not yet divided between Win and Lose
    put: list[int] = numbers(SEATS, "i2")  # coins paid in this round
    paid: list[int] = numbers(SEATS, "i2")  # coins paid in this hand: ante and bets
    win: list[int] = numbers(SEATS, "i2")  # those of `paid` that lie on Win
    fees: list[int] = numbers(SEATS, "i2")  # coins paid for trades
    fee_win: list[int] = numbers(SEATS, "i2")  # those of `fees` that lie on Win
    back: list[int] = numbers(SEATS, "i2")  # coins returned because nobody could match them
    bets: list[int] = numbers(SEATS * SLOTS, "i2")  # amounts that each player has divided so far, see `SLOTS`
    whole: int = number("i2")  # set of the players whose last amount had to go on one side

    # cards
    left: int = number("i8")  # set of the cards in the deck
    spent: int = number("i8")  # set of the public cards that were traded
    private: list[int] = numbers(SEATS, "i8")
    public: list[int] = numbers(SEATS, "i8")  # sets: face-up cards; at the showdown, the kept cards
    coming: list[int] = numbers(SEATS, "i8")  # sets: private cards received in the deal under way
    thrown: list[int] = numbers(SEATS, "i8")  # sets: private cards that were traded
    down: list[int] = numbers(SEATS)  # number of private cards of each player
    traded: list[int] = numbers(SEATS)  # number of private cards that each player has traded
    picked: int = number("i8")  # set of the cards that the player whose turn it is has picked to trade
    those: int = number("i2")  # set of the players who get cards in this deal
    hidden_due: int = number("i1")  # private cards still to be dealt in this deal
    open_due: int = number("i1")

    # showdown
    discard: list[int] = numbers(SEATS)  # the card discarded, plus 1
    laid: list[int] = numbers(SEATS)  # set of the places, among the kept cards, of those laid [showdown=free]
    named: list[int] = numbers(SEATS)  # the category named [aural_rule]
    ordered: list[int] = numbers(SEATS, "i2")  # index of the order chosen in SEQUENCES, plus 1 [rule_of_order]
    made: list[int] = numbers(SEATS)  # the category announced
    worth: list[int] = numbers(SEATS, "i8")  # score of each hand, while the pot is shared out


FOUR_WITH_TRADE, THREE_NO_TRADE, THREE_WITH_TRADE = values_of(Dividha, "rounds")
POT_LIMIT, FIXED_LIMIT, NO_LIMIT = values_of(Dividha, "limit")
BY_ONE, BY_ANTE, BY_LARGEST = values_of(Dividha, "min_raise")
SIDE_POTS, WHOLE_POT, CAP_AT_SMALLEST, MATCH_OR_FOLD = values_of(Dividha, "all_in")
SECRET, OPEN = values_of(Dividha, "splits")
SHOWN, HIDDEN = values_of(Dividha, "tablets_on_last_fold")
NOT_ASKED, ASKED = values_of(Dividha, "between_hands")
FIRST_DEAL, EVERY_DEAL = values_of(Dividha, "absent_deal")
CHOOSE_DISCARD, FORCED_BEST, FREE = values_of(Dividha, "showdown")
DEAD, LOSE_ONLY, AS_HIGH_CARD = values_of(Dividha, "misplay_penalty")
COMBINATION, HIGH_CARD_KICKERS, ALL_LEGAL = values_of(Dividha, "tie_cards")
TOP_ONLY, ALL_RANKS = values_of(Dividha, "high_card_depth")
BOTH_COLUMNS, ALL_TO_WIN = values_of(Dividha, "folded_columns")
PER_ORBIT, EVERY_N_HANDS, NEVER = values_of(Dividha, "ante_schedule")


# ------------------------------------------------------------------------------------------ stages and ids


def ask(s: Dividha, stage: int, who: int) -> None:
    """Give ``who`` the turn, in this stage."""
    s.stage = stage
    s.turn = who


def go_to(s: Dividha, stage: int) -> None:
    """Go to a stage that is no particular player's turn."""
    s.stage = stage
    s.turn = 0


def most_coins(s: Dividha) -> int:
    """Return the number of all coins in the match."""
    return s.players * int(s.starting_coins)


def win_id(s: Dividha) -> int:
    """Return the action that puts no coin on Win; each further coin adds one to the id."""
    return RAISE + most_coins(s) + 1


def propose_id(s: Dividha) -> int:
    """Return the number to which half the ante is added for the id of proposing it."""
    return win_id(s) + most_coins(s)


def order_id(s: Dividha) -> int:
    """Return the id of laying a hand in the first of all sequences [rule_of_order]."""
    return propose_id(s) + most_coins(s) // 2 + 1


def name_all(acts: list[int], n: int, first: int, last: int) -> int:
    """Write all actions from the first to the last, after the ``n`` already written; return the new number of
    actions."""
    for a in range(first, last + 1):
        acts[n] = a
        n += 1
    return n
