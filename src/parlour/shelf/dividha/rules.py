"""Dividha: betting on the strongest and on the weakest hand.  Clause ids (DV-n) refer to the rule book, ``book.md``.

This module has the position, the course of a match and of a hand, deals and the trade; what players are told.  The rest
stands beside it: ``hands`` (what hands are worth), ``terms`` (numbers of stages and actions), ``betting``, ``showdown``
and ``payout``.  Sets of seats and sets of cards are integers, one bit a seat or card.  Every
coin that a player puts in is divided twice over: first he says how many coins, then, for himself, how many of them are
Win coins (``win``); what he has put in besides is on Lose.
"""

from typing import Any

from parlour.matchplay import Match, after, before, deals_over, everybody_sits, gains, leave_table, most, place
from parlour.shelf.dividha.betting import bet, divide, must_be_whole, next_better, pay, raise_range, vote
from parlour.shelf.dividha.hands import ACE, ALL, CATEGORIES, RANKS, category, may_lie_together, well_laid
from parlour.shelf.dividha.hands import CARDS as DECK_CARDS
from parlour.shelf.dividha.payout import last_one
from parlour.shelf.dividha.showdown import (
    acting,
    among,
    ask_sealed,
    discard_for,
    discard_for_them,
    hand_of,
    kept,
    laying_for,
    ranking,
    ranking_of,
    seal,
    show_down,
    worth_of,
)
from parlour.shelf.dividha.terms import (
    AGREE,
    ALL_SEQUENCES,
    BEFORE,
    BET_3,
    BETTING,
    CALL,
    CAP,
    CHECK,
    DEALING,
    DEMON,
    DISCARD,
    DISCARDING,
    DRAWING,
    EVERY_DEAL,
    EVERY_N_HANDS,
    FINISHING,
    FIRST,
    FIXED,
    FOLD,
    FREE,
    GIVE,
    GOING_ON,
    HIDDEN,
    LAY,
    LAYING,
    LEAVE,
    NAME,
    NAMING,
    NEVER,
    NEXT_BETTER,
    NEXT_PHASE,
    NEXT_TRADER,
    OPEN,
    ORDERING,
    OVER,
    PAYING,
    PLACES,
    RAISE,
    RETURN,
    RETURNING,
    SEATS,
    SECOND,
    SEQUENCE,
    SEQUENCES,
    SETTLED,
    SHOWDOWN,
    SHOWING,
    SLOTS,
    SPLITTING,
    STAND,
    STARTING,
    THIRD,
    THREE_NO_TRADE,
    TRADE,
    TRADING,
    VOTING,
    go_to,
    most_coins,
    order_id,
    propose_id,
    win_id,
)
from parlour.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    SEVERAL,
    TERMINAL,
    amount,
    amount_option,
    below,
    cards,
    choice,
    count,
    draw,
    lowest,
    note,
    number,
    numbers,
    one_of,
    seat,
    seat_set,
    tell,
    whisper,
)

PLAYERS = range(2, 8)  # DV-14; seven only with max_seats=7
VERSION = 1
PACK = (ALL,) * (SEATS + 1)  # the cards in play, by the number of players
EACH, MOST_TRADED = 2, 2  # cards for each player in a deal (DV-23 to DV-25), and that he may trade (DV-91)
MOST_HANDS = 1000  # DV-220
MOST_WAITS = 3  # times in a row that nobody is back (DV-220)
CARDS = (  # what sentences name: cards, categories (from NAMED on), hands by what decided between two, places
    *(*DECK_CARDS, *CATEGORIES),
    *(f"{sort}, {n} immortal card{'s' * (n != 1)}" for sort in CATEGORIES for n in range(8)),
    *(f"{sort}, sum {n}" for sort in CATEGORIES for n in range(64)),
    *(f"{sort}, {RANKS[ACE - h]} high" for sort in CATEGORIES for h in range(1, ACE + 1)),
    *(" ".join(str(i + 1) for i in of) for of in SEQUENCES),
)


class Dividha(Match):
    rounds: int = choice("four_with_trade", "three_no_trade", "three_with_trade", clauses="DV-37 DV-38 DV-39")
    demons_wager: int = choice("off", "on", clauses="DV-40")
    limit: int = choice("pot", "fixed", "none", clauses="DV-72 DV-74 DV-75 DV-76 DV-77")
    min_raise: int = choice("one_coin", "ante", "largest_raise", clauses="DV-68")
    fixed_unit_antes: int = amount_option(1, 1, 50, clauses="DV-76")
    fixed_max_raises: int = amount_option(3, 1, 100, clauses="DV-77")
    all_in: int = choice(
        *("side_pots", "whole_pot", "cap_at_smallest", "match_or_fold"),
        clauses="DV-61 DV-81 DV-82 DV-85 DV-87 DV-88 DV-187 DV-218",
    )
    southern_cap: int = choice("off", "on", clauses="DV-78 DV-79")
    unsplit_all_in: int = choice("off", "on", clauses="DV-83 DV-84")
    forfeits_in_pot_limit: int = choice("on", "off", clauses="DV-73")
    free_fold: int = choice("off", "on", clauses="DV-58 DV-63")
    splits: int = choice("secret", "open", clauses="DV-52 DV-53 DV-54")
    tablets_on_last_fold: int = choice("shown", "hidden", clauses="DV-175")
    pay_to_trade: int = choice("off", "on", clauses="DV-99 DV-100 DV-101 DV-103")
    absences: int = choice("off", "on", clauses="DV-27 DV-29 DV-30 DV-31 DV-32 DV-33 DV-34 DV-35")
    absent_deal: int = choice("first_deal", "every_deal", clauses="DV-28 DV-26 DV-215")
    showdown: int = choice("choose_discard", "forced_best", "free", clauses="DV-105 DV-110 DV-111 DV-156")
    aural_rule: int = choice("off", "on", clauses="DV-113 DV-115")
    rule_of_order: int = choice("off", "on", clauses="DV-116 DV-117 DV-118")
    misplay_penalty: int = choice("dead", "lose_only", "high_card", clauses="DV-119 DV-120 DV-216")
    deuce_ace_trigger: int = choice("combination", "hand", clauses="DV-129")
    deuce_as_ace: int = choice("choice", "forced", clauses="DV-130")
    deuce_ace_low: int = choice("on", "off", clauses="DV-132")
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
    ante_step: int = amount_option(2, 0, 100, clauses="DV-198")
    ante_schedule: int = choice("per_orbit", "every_n_hands", "fixed", clauses="DV-198 DV-199")
    ante_every: int = amount_option(10, 1, 255, clauses="DV-198")

    turn: int = number("i1")  # who is to act: a player, or what `actor` says else
    stage: int = number()
    phase: int = number()  # how far the hand has come
    at: int = number("i1")  # who acted last, or gets the next card

    # the match
    coins: list[int] = numbers(SEATS, "i2")
    earlier: list[int] = numbers(SEATS, "i2")  # coins when the hand began
    places: list[int] = numbers(SEATS)  # of those who are out or at the end, 0 before
    ante: int = number("i2")
    orbit: int = number("i2")  # hands of this orbit still to be settled
    forfeits: int = number("i2")  # forfeited coins that are not yet won
    away: int = number("i2")  # set of those who were absent when the hand began
    gone: int = number("i2")  # set of those who have left during the hand
    waited: int = number()  # times in a row that nobody was back
    proposed: int = number("i2")  # set of those who have proposed an ante since the last one
    offer: int = number("i2")  # the ante that is being voted on
    proposer: int = number("i1")
    agreed: int = number("i2")  # the next ante, if one was agreed

    # betting
    live: int = number("i2")  # set of those in the hand
    able: int = number("i2")  # those of them who have coins
    todo: int = number("i2")  # set of those who have still to act
    pot: int = number("i2")
    level: int = number("i2")
    step: int = number("i2")  # the largest raise of the round
    raises: int = number("i2")
    owed: int = number("i2")  # coins that the player in turn has put in and not yet divided
    put: list[int] = numbers(SEATS, "i2")  # in this round
    paid: list[int] = numbers(SEATS, "i2")  # ante and bets
    win: list[int] = numbers(SEATS, "i2")  # Win coins among them
    fees: list[int] = numbers(SEATS, "i2")  # trade payments
    fee_win: list[int] = numbers(SEATS, "i2")  # Win coins among them
    back: list[int] = numbers(SEATS, "i2")  # coins returned because nobody could match them
    bets: list[int] = numbers(SEATS * SLOTS, "i2")  # amounts divided so far, see `terms.SLOTS`
    whole: int = number("i2")  # set of those whose last amount had to lie in one column

    # cards
    left: int = number("i8")  # the deck
    spent: int = number("i8")  # public cards that were traded
    private: list[int] = numbers(SEATS, "i8")
    public: list[int] = numbers(SEATS, "i8")  # at the showdown, the kept cards
    coming: list[int] = numbers(SEATS, "i8")  # private cards of a deal under way
    thrown: list[int] = numbers(SEATS, "i8")  # private cards that were traded
    down: list[int] = numbers(SEATS)  # how many private cards a player has
    traded: list[int] = numbers(SEATS)  # how many private cards he has traded
    picked: int = number("i8")  # cards that the player in turn is about to trade
    those: int = number("i2")  # set of those to whom cards are dealt
    hidden_due: int = number("i1")  # private cards still to be dealt in this deal
    open_due: int = number("i1")

    # showdown
    discard: list[int] = numbers(SEATS)  # card plus one
    laid: list[int] = numbers(SEATS)  # set of places among the kept cards [showdown=free]
    named: list[int] = numbers(SEATS)  # category [aural_rule]
    ordered: list[int] = numbers(SEATS, "i2")  # number of a sequence, plus one [rule_of_order]
    made: list[int] = numbers(SEATS)  # category that was announced
    worth: list[int] = numbers(SEATS, "i8")  # while a pot is shared out


# ------------------------------------------------------------------------------------------ the course of a match


def begin(s: Dividha, to: Any) -> None:
    everybody_sits(s)
    for p in range(s.players):
        s.coins[p] = s.earlier[p] = s.starting_coins
    s.ante = s.ante_start
    s.orbit = s.players
    s.stage = DRAWING
    s.turn = CHANCE


def go_on(s: Dividha, to: Any) -> None:
    """Do what follows by itself, until somebody has to act."""
    while s.turn == GOING_ON:
        if s.stage == NEXT_BETTER:
            next_better(s, to)
        elif s.stage == NEXT_PHASE:
            next_phase(s, to)
        elif s.stage == NEXT_TRADER:
            next_trader(s, to)
        elif s.stage == SHOWING:
            show_down(s, to)
        elif s.stage == STARTING:
            start_hand(s, to)
        else:
            finish_hand(s, to)


def next_deal(s: Dividha, to: Any) -> None:
    """The next hand: the dealer marker moves, and those who were absent say whether they are back."""
    for p in range(s.players):
        s.earlier[p] = s.coins[p]
        s.public[p] = s.made[p] = 0
        s.paid[p] = s.win[p] = s.fees[p] = s.fee_win[p] = s.back[p] = 0
    s.live = 0
    s.dealer = before(s.seated, s.dealer)  # DV-18, DV-19
    note(to, "DV-18", "deals", s.dealer)
    s.away = (s.away | s.gone) & s.seated
    s.gone = 0
    if s.away:
        s.todo = s.away
        s.stage = RETURNING
        s.turn = after(s.away, s.dealer)
    else:
        go_to(s, STARTING)
        go_on(s, to)


def come_back(s: Dividha, me: int, a: int, to: Any) -> None:
    """Whoever was absent says whether he takes part again (DV-30)."""
    if a == RETURN:
        note(to, "DV-30", "returns", me)
        s.away &= ~(1 << me)
    else:
        note(to, "DV-30", "stays_away", me)
    s.todo &= ~(1 << me)
    if s.todo == 0:
        if s.away != s.seated:
            go_to(s, STARTING)
            return
        s.waited += 1
        if s.waited == MOST_WAITS:
            note(to, "DV-220", "last_hand", EVERYBODY, s.deal)
            end_match(s, s.seated)
            return
        note(to, "DV-31", "waits", EVERYBODY)
        s.todo = s.away
    s.turn = after(s.todo, me)


def start_hand(s: Dividha, to: Any) -> None:
    """Everybody pays the ante, half of it on Win and half on Lose (DV-44, DV-45)."""
    note(to, "DV-44", "antes", EVERYBODY, s.ante, count(s.seated))
    s.pot = s.forfeits
    s.able = s.waited = 0
    s.live = s.seated & ~s.away  # DV-29
    for p in range(s.players):
        if s.seated >> p & 1:
            s.coins[p] -= s.ante
            s.paid[p] = s.ante
            s.win[p] = s.ante // 2
            s.pot += s.ante
            if s.away >> p & 1:
                note(to, "DV-27", "absent", p, s.ante)
            elif s.coins[p] > 0:
                s.able |= 1 << p
            else:
                note(to, "DV-46", "all_in_ante", p)
    s.left = PACK[s.players]
    s.phase = BEFORE
    if s.live & (s.live - 1) == 0:
        last_one(s, to)
    else:
        go_to(s, NEXT_PHASE)


def next_phase(s: Dividha, to: Any) -> None:
    """The next part of the hand: a deal, a betting round, the trade or the showdown (DV-37 to DV-40)."""
    s.phase += 1
    s.at = s.dealer
    if (
        (s.phase == DEMON and s.demons_wager == 0)
        or (s.phase == TRADE and s.rounds == THREE_NO_TRADE)
        or (s.phase == BET_3 and s.rounds != 0)
    ):
        return
    if s.phase == FIRST or s.phase == SECOND or s.phase == THIRD:
        s.those = s.live
        if s.phase == FIRST or s.absent_deal == EVERY_DEAL:
            s.those |= s.away  # DV-28
        s.hidden_due = 0 if s.phase == SECOND else EACH * count(s.those)
        s.open_due = EACH * count(s.those) - s.hidden_due
        s.at = after(s.those, s.dealer)
        s.stage = DEALING
        s.turn = CHANCE
    elif s.phase == TRADE:
        s.todo = s.live
        s.stage = NEXT_TRADER
    elif s.phase == SHOWDOWN:
        discard_for_them(s)
        ask_sealed(s, DISCARDING)
    elif s.able & (s.able - 1) == 0:
        note(to, "DV-42", "no_betting", EVERYBODY)
    else:
        s.todo = s.able
        s.stage = NEXT_BETTER


# ------------------------------------------------------------------------------------------ cards


def trades_left(s: Dividha, p: int) -> int:
    """How many cards a player may still pick for the trade (DV-91, DV-103)."""
    n = MOST_TRADED
    if s.pay_to_trade and s.coins[p] < n * s.ante:
        n = s.coins[p] // s.ante
    return n - count(s.picked)


def next_trader(s: Dividha, to: Any) -> None:
    if s.todo == 0:
        s.stage = NEXT_PHASE
        return
    p = after(s.todo, s.at)
    s.todo &= ~(1 << p)
    s.at = p
    if s.gone >> p & 1:
        note(to, "DV-33", "stands", p)
    elif trades_left(s, p) == 0:
        note(to, "DV-103", "cannot_trade", p)
    else:
        s.stage = TRADING
        s.turn = p


def trade(s: Dividha, me: int, a: int, to: Any) -> None:
    """One more card is picked, or these are all; then the cards are replaced (DV-93 to DV-97)."""
    if a != STAND:
        s.picked |= 1 << (a - GIVE)
        if trades_left(s, me) > 0:
            return
    given, shown = s.picked & s.private[me], s.picked & s.public[me]
    s.picked = 0
    s.hidden_due = count(given)
    s.open_due = count(shown)
    n = count(given | shown)
    if n == 0:
        note(to, "DV-91", "stands", me)
        go_to(s, NEXT_TRADER)
        return
    note(to, "DV-97", "trades", me, count(given), count(shown))
    if shown:
        note(to, "DV-95", "turns_down", me, shown)
    s.private[me] &= ~given
    s.thrown[me] = given
    s.traded[me] = count(given)
    s.down[me] -= count(given)
    s.public[me] &= ~shown
    s.spent |= shown
    s.those = 1 << me
    if s.pay_to_trade:
        note(to, "DV-100", "pays_for_trade", me, n * s.ante)
        s.fees[me] = n * s.ante
        pay(s, me, n * s.ante, to)
        s.stage = PAYING
    else:
        s.stage = DEALING
        s.turn = CHANCE


def end_deal(s: Dividha, to: Any) -> None:
    """All cards of a deal are out; private ones are looked at now."""
    rest = s.those
    while rest:
        p = lowest(rest)
        rest &= rest - 1
        if s.coming[p]:
            if s.phase == FIRST:
                whisper(to, "DV-23", "dealt", p, s.coming[p])
            elif s.phase == THIRD:
                whisper(to, "DV-25", "dealt", p, s.coming[p])
            else:
                whisper(to, "DV-94", "dealt", p, s.coming[p])
            s.down[p] += count(s.coming[p])
            s.private[p] |= s.coming[p]
            s.coming[p] = 0
    s.those = 0
    go_to(s, NEXT_TRADER if s.phase == TRADE else NEXT_PHASE)


# ------------------------------------------------------------------------------------------ between two hands


def finish_hand(s: Dividha, to: Any) -> None:
    """The hand is over: cards are gathered, the ante may change, who cannot pay it is out (DV-36)."""
    s.deal += 1
    hidden = s.tablets_on_last_fold == HIDDEN and s.live & (s.live - 1) == 0
    for p in range(s.players):
        s.private[p] = s.coming[p] = s.thrown[p] = s.worth[p] = 0
        s.discard[p] = s.laid[p] = s.named[p] = s.ordered[p] = s.down[p] = s.traded[p] = s.put[p] = 0
        if hidden:
            s.win[p] = s.fee_win[p] = 0
    for i in range(SEATS * SLOTS):
        s.bets[i] = 0
    s.left = s.spent = s.picked = 0
    s.pot = s.level = s.step = s.raises = s.able = s.todo = s.whole = s.those = s.at = s.phase = 0
    if deals_over(s, MOST_HANDS):
        note(to, "DV-220", "last_hand", EVERYBODY, s.deal)
        end_match(s, s.seated)
        return
    change_ante(s, to)
    staying = 0
    for p in range(s.players):
        staying |= (s.seated >> p & 1 and s.coins[p] >= s.ante) << p
    if staying != s.seated:
        eliminate(s, staying, to)
    if s.orbit == 0:
        s.orbit = count(s.seated)  # DV-199
    if s.stage == FINISHING:
        s.stage = SETTLED
        s.turn = DEAL_OVER


def change_ante(s: Dividha, to: Any) -> None:
    """The scheduled rise, then what was agreed (DV-198, DV-204)."""
    s.orbit -= 1
    due = s.deal % s.ante_every == 0 if s.ante_schedule == EVERY_N_HANDS else s.orbit == 0
    if due and s.ante_schedule != NEVER and s.ante_step:
        s.ante += s.ante_step
        note(to, "DV-198", "ante_rises", EVERYBODY, s.ante)
    if s.agreed:
        note(to, "DV-204", "ante_lowered", EVERYBODY, s.agreed)
        s.ante = s.agreed
    s.agreed = s.proposed = 0


def eliminate(s: Dividha, staying: int, to: Any) -> None:
    """Who cannot pay the ante is out and forfeits his coins (DV-192 to DV-197)."""
    if staying == 0:
        first = most(s.coins, s.seated)
        everything = s.forfeits
        note(to, "DV-196", "nobody_can_pay", EVERYBODY, s.ante)
        end_match(s, s.seated)
        for p in range(s.players):
            everything += s.coins[p]
            s.coins[p] = 0
        s.forfeits = 0
        take_everything(s, first, everything, to)
        return
    out = s.seated & ~staying
    for p in range(s.players):
        if out >> p & 1:
            note(to, "DV-192", "is_out", p, s.coins[p])
            s.places[p] = count(staying) + place(s.coins, out, p)
            s.forfeits += s.coins[p]
    for p in range(s.players):
        if out >> p & 1:
            s.coins[p] = 0
            leave_table(s, p)
    if staying & (staying - 1) == 0:
        end_match(s, staying)
        everything = s.forfeits
        s.forfeits = 0
        take_everything(s, staying, everything, to)


def take_everything(s: Dividha, first: int, coins: int, to: Any) -> None:
    """What is left goes to the winner, or to those who share the win (DV-195, DV-196)."""
    n = count(first)
    p = s.dealer
    for i in range(n):
        p = after(first, p)
        s.coins[p] += coins // n + (i < coins % n)
        note(to, "DV-195", "wins_match", p, s.coins[p])


def end_match(s: Dividha, those: int) -> None:
    """The match is over; those still in are placed by their coins."""
    for p in range(s.players):
        if those >> p & 1:
            s.places[p] = place(s.coins, those, p)
    s.stage = OVER
    s.turn = TERMINAL


def returns(s: Dividha, out: list[float]) -> None:
    """Coins won or lost in the match."""
    for p in range(s.players):
        out[p] = float(s.coins[p] - s.starting_coins)


def deal_returns(s: Dividha, out: list[float]) -> None:
    """Coins won or lost since the hand before was settled."""
    gains(s.coins, s.earlier, s.players, out)


# ------------------------------------------------------------------------------------------ who may do what


def actor(s: Dividha) -> int:
    return s.turn


def chance(s: Dividha) -> int:
    """The cards in the deck; for the first dealer, the seats (DV-17)."""
    return s.left if s.stage == DEALING else s.seated


def happen(s: Dividha, k: int, to: Any) -> None:
    if s.stage == DRAWING:
        s.dealer = k
        note(to, "DV-17", "deals", k)
        go_to(s, STARTING)
    else:
        p = s.at
        s.left &= ~(1 << k)
        if s.hidden_due > 0:
            s.hidden_due -= 1
            s.coming[p] |= 1 << k
        else:
            s.open_due -= 1
            s.public[p] |= 1 << k
            if s.phase == TRADE:
                note(to, "DV-95", "turns_up", p, k)
            else:
                note(to, "DV-24", "turns_up", p, k)
        s.at = after(s.those, p)
        if s.hidden_due + s.open_due == 0:
            end_deal(s, to)
    if s.turn == GOING_ON:
        go_on(s, to)


def legal(s: Dividha, me: int, acts: list[int]) -> int:
    n = 0
    if s.stage == BETTING:
        if s.level == s.put[me]:
            acts[0] = CHECK
            n = 1
        else:
            acts[0] = CALL
            n = 1
        if s.level > s.put[me] or s.free_fold:
            acts[1] = FOLD
            n = 2
        if s.absences:
            acts[n] = LEAVE
            n += 1
        low, high = raise_range(s, me)
        for level in range(low, high + 1):
            acts[n] = RAISE + level
            n += 1
        if s.proposed >> me & 1 == 0:
            first = propose_id(s)
            for half in range(1, s.ante // 2):
                acts[n] = first + half
                n += 1
    elif s.stage == SPLITTING or s.stage == PAYING:
        first = win_id(s)
        if must_be_whole(s, me):
            acts[0] = first
            acts[1] = first + s.owed
            n = 2
        else:
            for w in range(s.owed + 1):
                acts[w] = first + w
            n = s.owed + 1
    elif s.stage == DISCARDING or s.stage == TRADING:
        held = s.private[me] | s.public[me]
        first = DISCARD
        if s.stage == TRADING:
            held &= ~s.picked
            first = GIVE
            acts[0] = STAND
            n = 1
        while held:
            acts[n] = first + lowest(held)
            n += 1
            held &= held - 1
    elif s.stage == VOTING or s.stage == RETURNING:
        acts[0] = AGREE if s.stage == VOTING else RETURN
        acts[1] = acts[0] + 1
        n = 2
    elif s.stage == LAYING:
        how = ranking(s)
        five = kept(s, me)
        for places in range(1, 1 << count(five)):
            if may_lie_together(how, among(five, places)):
                acts[n] = LAY + places
                n += 1
    elif s.stage == NAMING:
        for sort in range(1, 13):
            acts[n] = NAME + sort
            n += 1
    elif s.stage == ORDERING:
        size = count(hand_of(s, me))
        first = order_id(s)
        for i in range(ALL_SEQUENCES):
            if fits(SEQUENCE[i], size):
                acts[n] = first + i
                n += 1
    return n


def fits(sequence: int, size: int) -> bool:
    """Whether a sequence names no place beyond a hand of this size."""
    while sequence:
        if sequence & 7 > size:
            return False
        sequence >>= 3
    return True


def apply(s: Dividha, me: int, a: int, to: Any) -> None:
    if s.stage == BETTING:
        bet(s, me, a, to)
    elif s.stage == SPLITTING or s.stage == PAYING:
        divide(s, me, a - win_id(s), to)
    elif s.stage == TRADING:
        trade(s, me, a, to)
    elif s.stage == VOTING:
        vote(s, me, a, to)
    elif s.stage == RETURNING:
        come_back(s, me, a, to)
    else:
        seal(s, me, a, to)
    if s.turn == GOING_ON:
        go_on(s, to)


# ------------------------------------------------------------------------------------------ for search


def candidates(s: Dividha, me: int, acts: list[int]) -> int:
    """Of many levels the lowest, the middle and the highest; of many divisions none, half and all; the strongest and
    the weakest hand, rightly named and laid.  Nobody proposes another ante or leaves."""
    if s.stage == BETTING:
        n = 1
        acts[0] = CHECK if s.level == s.put[me] else CALL
        if s.level > s.put[me]:
            acts[1] = FOLD
            n = 2
        low, high = raise_range(s, me)
        if low <= high:
            n = three(acts, n, RAISE + low, RAISE + high)
        return n
    if (s.stage == SPLITTING or s.stage == PAYING) and not must_be_whole(s, me):
        return three(acts, 0, win_id(s), win_id(s) + s.owed)
    if s.stage == DISCARDING or s.stage == LAYING:
        return two_ends(s, me, 0, acts)
    if s.stage == NAMING:
        how = ranking_of(s, me)
        acts[0] = NAME + category(how, worth_of(how, hand_of(s, me)))
        return 1
    if s.stage == ORDERING:
        acts[0] = order_id(s) + right_order(s, me)
        return 1
    return legal(s, me, acts)


def three(acts: list[int], n: int, low: int, high: int) -> int:
    """Write the lowest, the middle and the highest of many actions; returns how many there are then."""
    acts[n] = low
    middle = (low + high) // 2
    if middle > low:
        n += 1
        acts[n] = middle
    if high > middle:
        n += 1
        acts[n] = high
    return n + 1


def right_order(s: Dividha, p: int) -> int:
    """The first sequence in which a hand is laid rightly."""
    how, hand = ranking_of(s, p), hand_of(s, p)
    worth = worth_of(how, hand)
    size = count(hand)
    for i in range(ALL_SEQUENCES):
        if fits(SEQUENCE[i], size) and well_laid(how, hand, worth, SEQUENCE[i]):
            return i
    return 0


def likely(s: Dividha, me: int, acts: list[int]) -> int:
    """What a sensible player might do in an imagined game: a small raise or two in a round, all coins in one column and
    from then on in the same, the strongest or the weakest hand by where his coins lie."""
    if s.stage == BETTING:
        n = 1
        acts[0] = CHECK if s.level == s.put[me] else CALL
        if s.level > s.put[me]:
            acts[1] = FOLD
            n = 2
        low, high = raise_range(s, me)
        if low <= high and s.raises < 2:
            acts[n] = RAISE + low + (high - low) // 4
            n += 1
        return n
    leaning = 2 * (s.win[me] + s.fee_win[me]) - (s.paid[me] + s.fees[me])  # coins on Win above those on Lose
    if s.stage == SPLITTING or s.stage == PAYING:
        leaning += s.owed
        acts[0] = win_id(s) + (s.owed if leaning > 0 else 0)
        acts[1] = win_id(s) + s.owed
        return 1 + (leaning == 0)
    if s.stage == DISCARDING or s.stage == LAYING:
        return two_ends(s, me, leaning, acts)
    if s.stage == RETURNING:
        acts[0] = RETURN
        return 1
    return candidates(s, me, acts)


def two_ends(s: Dividha, me: int, leaning: int, acts: list[int]) -> int:
    """The discard, or the laying, that makes the strongest hand, if ``leaning`` is not below nought, and that which
    makes the weakest, if it is not above."""
    n = 0
    for sign in range(-1, 2, 2):
        if sign * leaning >= 0:
            acts[n] = DISCARD + discard_for(s, me, sign) if s.stage == DISCARDING else LAY + laying_for(s, me, sign)
            n += 1
    if n == 2 and acts[0] > acts[1]:
        acts[0], acts[1] = acts[1], acts[0]
    return n - (n == 2 and acts[0] == acts[1])


# ------------------------------------------------------------------------------------------ telling

SEAT_NAMES = tuple(f"seat {p}" for p in range(SEATS))
STAGES = (
    *("first dealer", "back again", "dealing", "betting", "dividing", "voting", "trading", "dividing the fee"),
    *("discarding", "laying", "naming", "ordering", "settled", "over"),
)
PHASES = (
    *("ante", "Demon's Wager", "first deal", "first bet", "second deal", "second bet", "trade", "third bet"),
    *("third deal", "last bet", "showdown"),
)
THINGS = {
    "stage": one_of(STAGES),
    "phase": one_of(PHASES),
    "turn": seat(),
    "dealer": seat(),
    "deal": amount(20),
    "seated": seat_set(),
    "places": amount(7, per=SEATS, seats=True),
    "coins": amount(200, per=SEATS, seats=True),
    "earlier": amount(200, per=SEATS, seats=True),
    "ante": amount(20),
    "orbit": amount(7),
    "forfeits": amount(20),
    "away": seat_set(),
    "gone": seat_set(),
    "waited": amount(2),
    "proposed": seat_set(),
    "offer": amount(20, optional=True),
    "proposer": seat(),
    "agreed": amount(20),
    "live": seat_set(),
    "todo": seat_set(),
    "those": seat_set(),
    "at": seat(),
    "pot": amount(200),
    "level": amount(50, optional=True),
    "step": amount(50, optional=True),
    "raises": amount(3, optional=True),
    "owed": amount(50, optional=True),
    "put": amount(50, per=SEATS, seats=True),
    "paid": amount(100, per=SEATS, seats=True),
    "win": amount(100, per=SEATS, seats=True, optional=True),
    "fees": amount(20, per=SEATS, seats=True),
    "fee_win": amount(20, per=SEATS, seats=True, optional=True),
    "back": amount(50, per=SEATS, seats=True),
    "bets": amount(50, per=SEATS * SLOTS, seats=True, optional=True, each=SLOTS),
    "whole": seat_set(),
    "hidden_due": amount(14, optional=True),
    "open_due": amount(14, optional=True),
    "down": amount(4, per=SEATS, seats=True),
    "traded": amount(2, per=SEATS, seats=True),
    "public": cards(DECK_CARDS, per=SEATS, seats=True),
    "spent": cards(DECK_CARDS),
    "made": one_of(CATEGORIES, per=SEATS, seats=True),
    "private": cards(DECK_CARDS, per=SEATS, seats=True, optional=True),
    "thrown": cards(DECK_CARDS, per=SEATS, seats=True, optional=True),
    "picked": cards(DECK_CARDS, optional=True),
    "discard": one_of(("none", *DECK_CARDS), per=SEATS, seats=True),
    "laid": cards(("first", "second", "third", "fourth", "fifth"), per=SEATS, seats=True, optional=True),
    "named": one_of(CATEGORIES, per=SEATS, seats=True),
    "ordered": amount(ALL_SEQUENCES, per=SEATS, seats=True, optional=True),
}


def show(s: Dividha, to: Any) -> None:
    tell(to, "stage", 0, s.stage)
    tell(to, "deal", 0, s.deal)
    tell(to, "seated", 0, s.seated)
    tell(to, "ante", 0, s.ante)
    tell(to, "orbit", 0, s.orbit)
    tell(to, "forfeits", 0, s.forfeits)
    tell(to, "away", 0, s.away)
    tell(to, "gone", 0, s.gone)
    tell(to, "waited", 0, s.waited)
    tell(to, "proposed", 0, s.proposed)
    tell(to, "agreed", 0, s.agreed)
    tell(to, "live", 0, s.live)
    tell(to, "todo", 0, s.todo)
    tell(to, "pot", 0, s.pot)
    tell(to, "spent", 0, s.spent)
    tell(to, "whole", 0, s.whole)
    if s.turn >= 0:
        tell(to, "turn", 0, s.turn)
    if s.stage != DRAWING:
        tell(to, "phase", 0, s.phase)
        tell(to, "dealer", 0, s.dealer)
        tell(to, "at", 0, s.at)
    if s.stage == DEALING or s.stage == PAYING:
        tell(to, "those", 0, s.those)
        tell(to, "hidden_due", 0, s.hidden_due)
        tell(to, "open_due", 0, s.open_due)
    if s.stage == BETTING or s.stage == SPLITTING or s.stage == VOTING:
        tell(to, "level", 0, s.level)
        tell(to, "step", 0, s.step)
        tell(to, "raises", 0, s.raises)
    if s.stage == SPLITTING or s.stage == PAYING:
        tell(to, "owed", 0, s.owed)
    if s.stage == VOTING:
        tell(to, "offer", 0, s.offer)
        tell(to, "proposer", 0, s.proposer)
    open_tablets = s.splits == OPEN or s.stage == OVER
    for p in range(s.players):
        tell(to, "coins", p, s.coins[p])
        tell(to, "earlier", p, s.earlier[p])
        tell(to, "places", p, s.places[p])
        tell(to, "put", p, s.put[p])
        tell(to, "paid", p, s.paid[p])
        tell(to, "fees", p, s.fees[p])
        tell(to, "back", p, s.back[p])
        tell(to, "down", p, s.down[p])
        tell(to, "traded", p, s.traded[p])
        tell(to, "public", p, s.public[p])
        tell(to, "made", p, s.made[p])
        if open_tablets:
            tell(to, "win", p, s.win[p])
            tell(to, "fee_win", p, s.fee_win[p])
        for i in range(p * SLOTS, p * SLOTS + SLOTS):
            if s.bets[i] > 0:
                tell(to, "bets", i, s.bets[i])


def show_own(s: Dividha, me: int, to: Any) -> None:
    """My cards, once a deal is complete; my tablet; what I have chosen in secret."""
    if s.stage < SETTLED:
        tell(to, "private", me, s.private[me])
        tell(to, "thrown", me, s.thrown[me])
        if s.splits != OPEN:
            tell(to, "win", me, s.win[me])
            tell(to, "fee_win", me, s.fee_win[me])
        if s.stage == TRADING and s.turn == me:
            tell(to, "picked", 0, s.picked)
        if s.discard[me] > 0:
            tell(to, "discard", me, s.discard[me])
            tell(to, "laid", me, s.laid[me])
            tell(to, "named", me, s.named[me])
            tell(to, "ordered", me, s.ordered[me])


def restore(s: Dividha, me: int) -> None:
    for p in range(s.players):
        s.able |= (s.live >> p & 1 and s.coins[p] > 0) << p
    if s.stage == DRAWING or s.stage == DEALING:
        s.turn = CHANCE
    elif DISCARDING <= s.stage <= ORDERING:
        s.turn = SEVERAL
    elif s.stage == OVER:
        s.turn = TERMINAL
        s.able = 0


def unseen_cards(s: Dividha) -> int:
    """Where a position holds what one player was told, and no more: the cards that he has not seen."""
    seen = s.spent
    for p in range(s.players):
        seen |= s.private[p] | s.thrown[p] | s.public[p]
    return PACK[s.players] & ~seen


def redeal(s: Dividha, me: int, rng: list[int]) -> None:
    """Cards that I do not see are anywhere, tablets divided in any way; what the software discards for others follows
    from their cards, what they have chosen themselves is any choice they had."""
    if s.stage <= RETURNING or s.stage >= SETTLED:
        return
    unseen = unseen_cards(s)
    for p in range(s.players):
        if p != me:
            s.private[p] = draw_several(unseen, s.down[p], rng)
            unseen &= ~s.private[p]
            s.thrown[p] = draw_several(unseen, s.traded[p], rng)
            unseen &= ~s.thrown[p]
            if s.splits != OPEN:
                divide_at_random(s, p, rng)
    if s.stage == DEALING and (s.hidden_due > 0 or (s.phase == TRADE and s.open_due > 0)):
        unseen = deal_coming(s, unseen, rng)
    s.left = unseen
    if s.stage >= DISCARDING:
        choose_for_others(s, me, rng)


def draw_several(members: int, n: int, rng: list[int]) -> int:
    """So many cards out of a set, at random."""
    drawn = 0
    for _ in range(n):
        drawn |= 1 << draw(rng, members & ~drawn)
    return drawn


def divide_at_random(s: Dividha, p: int, rng: list[int]) -> None:
    """Each amount that a player has put in may be divided in any way, each equally likely.  Where there were more than
    eight, those between the sixth and the last are known by their sum alone, and this is divided as if it were one."""
    if s.paid[p] == 0:
        return
    win = s.ante // 2
    for i in range(p * SLOTS, p * SLOTS + SLOTS):
        last = i == p * SLOTS + SLOTS - 1 or s.bets[i + 1] == 0
        if s.whole >> p & 1 and last:
            win += s.bets[i] * below(rng, 2)
            break
        win += below(rng, s.bets[i] + 1)
    s.win[p] = win * s.paid[p] // (s.paid[p] + s.back[p])  # DV-86
    s.fee_win[p] = below(rng, s.fees[p] + 1) if s.stage != PAYING or s.turn != p else 0


def deal_coming(s: Dividha, unseen: int, rng: list[int]) -> int:
    """The private cards of a deal under way, which nobody has looked at; returns the cards still unseen."""
    n = count(s.those)
    out = (EACH - s.down[lowest(s.those)] if s.phase == TRADE else EACH * n) - s.hidden_due
    p = s.dealer
    for i in range(n):
        p = after(s.those, p)
        s.coming[p] = draw_several(unseen, out // n + (i < out % n), rng)
        unseen &= ~s.coming[p]
    return unseen


def choose_for_others(s: Dividha, me: int, rng: list[int]) -> None:
    """What others have chosen in secret, each choice equally likely; nothing at the choice that is being made now."""
    discard_for_them(s)
    for p in range(s.players):
        if p == me or s.live >> p & 1 == 0 or s.gone >> p & 1:
            continue
        if s.stage > DISCARDING and s.discard[p] == 0:
            s.discard[p] = 1 + draw(rng, s.private[p] | s.public[p])
        if s.stage > LAYING and s.showdown == FREE:
            places = 1 + below(rng, 31)
            while not may_lie_together(ranking(s), among(kept(s, p), places)):
                places = 1 + below(rng, 31)
            s.laid[p] = places
        if s.stage > NAMING and s.aural_rule:
            s.named[p] = 1 + below(rng, 12)


# ------------------------------------------------------------------------------------------ names and refusals


def action_names(s: Dividha) -> list[str]:
    coins = range(most_coins(s) + 1)
    names = ["check", "call", "fold", "stand", "agree", "refuse", "leave the table", "return", "stay away"]
    names += [f"trade {c}" for c in DECK_CARDS] + [f"discard {c}" for c in DECK_CARDS]
    names += [f"lay {_spoken([i for i in PLACES if places >> i & 1])}" for places in range(1, 32)]
    names += [f"name {sort}" for sort in CATEGORIES[1:]]
    names += [f"raise {n}" for n in coins[1:]] + [f"win {n}" for n in coins] + [f"propose {n}" for n in coins[2::2]]
    return names + ([f"order {_spoken(of)}" for of in SEQUENCES] if s.rule_of_order else [])


def _spoken(places: Any) -> str:
    return " ".join(str(i + 1) for i in places)


def outcome_name(s: Dividha, k: int) -> str:
    return SEAT_NAMES[k] if s.stage == DRAWING else DECK_CARDS[k]


def refuse_options(s: Dividha) -> str:
    """Why these options do not go together; empty if they do."""
    if s.players > s.max_seats:
        return "Seven can play only with max_seats=7 (DV-14)."
    if s.ante_start % 2 or s.ante_step % 2:
        name, n = ("ante_start", s.ante_start) if s.ante_start % 2 else ("ante_step", s.ante_step)
        return f"{name}={n} must be an even number (DV-43)."
    if s.starting_coins < s.ante_start:
        return f"starting_coins={s.starting_coins} cannot be below ante_start={s.ante_start} (DV-16)."
    never = "and one of them could never act (DV-219)"
    if s.pay_to_trade and s.rounds == THREE_NO_TRADE:
        return f"pay_to_trade=on does not go with rounds=three_no_trade: there is no trade, {never}."
    if s.southern_cap and s.all_in == CAP:
        return f"southern_cap=on does not go with all_in=cap_at_smallest: the smallest stack caps first, {never}."
    if s.tablets_on_last_fold and s.splits == OPEN:
        return f"tablets_on_last_fold=hidden does not go with splits=open: tablets lie open, {never}."
    if s.tie_cards == 1 and s.high_card_depth == 0:
        return f"tie_cards=high_card_kickers needs high_card_depth=all: only the highest card is compared, {never}."
    return ""


NOT_NOW = {
    DRAWING: "DV-17",
    RETURNING: "DV-30",
    DEALING: "DV-22",
    BETTING: "DV-56",
    SPLITTING: "DV-49",
    VOTING: "DV-206",
    TRADING: "DV-90",
    PAYING: "DV-101",
    DISCARDING: "DV-105",
    LAYING: "DV-107",
    NAMING: "DV-115",
    ORDERING: "DV-116",
    OVER: "DV-195",
}


def refuse(s: Dividha, me: int, a: int) -> str:
    mine = s.turn == me or (s.turn == SEVERAL and acting(s) >> me & 1)
    if not mine or s.stage == OVER:
        return "DV-221" if a > propose_id(s) and a < order_id(s) and s.stage == BETTING else NOT_NOW[s.stage]
    if s.stage == BETTING:
        return refuse_bet(s, me, a)
    if s.stage == TRADING and (a == STAND or GIVE <= a < DISCARD):
        return "DV-91"
    if s.stage == DISCARDING and DISCARD <= a <= LAY:
        return "DV-106"
    if s.stage == LAYING and LAY < a <= NAME:
        return "DV-121"
    if s.stage == SPLITTING and must_be_whole(s, me) and 0 <= a - win_id(s) <= s.owed:
        return "DV-84"
    return NOT_NOW[s.stage]


def refuse_bet(s: Dividha, me: int, a: int) -> str:
    """Why he whose betting turn it is may not do just this."""
    facing = s.level > s.put[me]
    if a == CHECK:
        return "DV-59"
    if a == CALL:
        return "DV-61"
    if a == FOLD:
        return "DV-63"
    if a == LEAVE:
        return "DV-222"
    if RAISE < a < win_id(s):
        return refuse_raise(s, me, a - RAISE)
    if propose_id(s) < a <= propose_id(s) + most_coins(s) // 2:
        return "DV-206" if s.proposed >> me & 1 else "DV-203"
    return "DV-59" if facing else "DV-58"


def refuse_raise(s: Dividha, me: int, level: int) -> str:
    others = [q for q in range(s.players) if s.live >> q & 1 and q != me]
    reach = {q: s.put[q] + s.coins[q] for q in [me, *others]}
    if not s.able & ~(1 << me):
        return "DV-71"
    if s.limit == FIXED and s.raises >= s.fixed_max_raises:
        return "DV-77"
    if level > reach[me]:
        return "DV-69"
    if level <= s.level:
        return "DV-68"
    if s.all_in == CAP and level > min(reach.values()):
        return "DV-87"
    if s.southern_cap and level > max(reach[q] for q in others):
        return "DV-79"
    if s.limit == FIXED:
        return "DV-76"
    low, high = raise_range(s, me)
    return "DV-74" if level > max(low, high) else "DV-68"
