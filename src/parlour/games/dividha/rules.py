"""Dividha: betting on the strongest and on the weakest hand.  Clause ids (DV-n) refer to the rule book, ``book.md``.

:data:`STAGES` is the game at a glance; :func:`go_on` has the stages that pass by themselves.  The stages are written in
``match`` (from hand to hand), ``course`` (deals and the trade), ``betting`` and ``showdown``; the pot is shared out in
``payout``; the ranking of hands is in ``hands``, the numbers in sentences in ``spoken``, the position in ``position``.
What follows from a player's knowledge is in ``hidden``, advice for the search in ``advice``.
"""

from collections.abc import Iterable

from parlour.games.dividha.betting import *
from parlour.games.dividha.course import *
from parlour.games.dividha.hands import CARDS as DECK_CARDS
from parlour.games.dividha.hands import CATEGORIES
from parlour.games.dividha.match import (
    ask_who_is_back,
    come_back,
    draw_dealer,
    finish_hand,
    next_talker,
    refuse_talk,
    talk,
    talks,
    wipe_tablets,
)
from parlour.games.dividha.position import *
from parlour.games.dividha.showdown import *
from parlour.games.dividha.spoken import SPOKEN
from parlour.rules.matchplay import before, beyond, everybody_sits, gains
from parlour.rules.vocabulary import *

PLAYERS = range(2, 8)  # DV-14; seven players only with max_seats=7
VERSION = 2
SINCE = {2: {"between_hands": "not_asked"}}
CARDS = SPOKEN  # what numbers in sentences stand for


# ------------------------------------------------------------------------------------------ beginning and end


def begin(s: Dividha, to: Listener) -> None:
    everybody_sits(s)
    for p in range(s.players):
        s.coins[p] = s.earlier[p] = s.starting_coins
    s.ante = s.ante_start
    s.orbit = s.players
    go_to(s, DRAWING)


def next_deal(s: Dividha, to: Listener) -> None:
    """Begin the next hand: the dealer marker moves, and absent players say whether they are back."""
    for p in range(s.players):
        s.earlier[p] = s.coins[p]
        s.public[p] = s.made[p] = 0
    wipe_tablets(s)
    s.live = 0
    s.dealer = before(s.seated, s.dealer)  # DV-18, DV-19
    note(to, "DV-18", "deals", s.dealer)
    ask_who_is_back(s)
    go_on(s, to)


def returns(s: Dividha, out: list[float]) -> None:
    """Coins won or lost in the match."""
    beyond(s.coins, s.starting_coins, s.players, out)


def deal_returns(s: Dividha, out: list[float]) -> None:
    """Coins won or lost since the previous hand was settled."""
    gains(s.coins, s.earlier, s.players, out)


# ------------------------------------------------------------------------------------------ the stages at a glance


def chance(s: Dividha) -> int:
    """Return the cards in the deck; for the first dealer, the seats (DV-17)."""
    return s.left if s.stage == DEALING else s.seated


def go_on(s: Dividha, to: Listener) -> None:
    """Pass through stages without choices, until a player or chance acts (DV-37)."""
    while s.stage > OVER:
        if s.stage == STARTING:
            start_hand(s, to)
        elif s.stage == NEXT_PHASE:
            next_phase(s, to)
        elif s.stage == NEXT_BETTER:
            next_better(s, to)
        elif s.stage == NEXT_TRADER:
            next_trader(s, to)
        elif s.stage == SHOWING:
            show_down(s, to)
        elif s.stage == FINISHING:
            finish_hand(s, to)
        else:
            next_talker(s, to)


def silence(s: Dividha, me: int) -> int:
    """Return the action of a player who says nothing: they refuse a proposal (DV-202), otherwise count as absent
    (DV-222) or, if nobody can be absent, change nothing between two hands (DV-221)."""
    if s.stage == VOTING:
        return REFUSE
    if s.stage == RETURNING:
        return STAY
    if s.absences:
        return LEAVE
    return CHECK if s.stage == TALKING else -1


STAGES = (
    Stage(DRAWING, "first dealer", CHANCE, "DV-17", happens=draw_dealer),
    Stage(RETURNING, "back again", "turn", "DV-30", (RETURN, STAY), come_back),
    Stage(TALKING, "between hands", "turn", "DV-221", talks, talk, refuse_talk),
    Stage(DEALING, "dealing", CHANCE, "DV-22", happens=deal_card),
    Stage(BETTING, "betting", "turn", whose_bet, bets, bet, refuse_bet),
    Stage(SPLITTING, "dividing", "turn", "DV-49", divisions, divide, refuse_division),
    Stage(VOTING, "voting", "turn", "DV-206", (AGREE, REFUSE), vote),
    Stage(TRADING, "trading", "turn", "DV-90", cards_to_trade, trade, refuse_trade),
    Stage(PAYING, "dividing the fee", "turn", "DV-101", divisions_of_fee, divide_fee),
    Stage(
        DISCARDING,
        "discarding",
        SEVERAL,
        "DV-105",
        Each(own_cards, DISCARD),
        discard,
        refuse_discard,
        several=yet_to_discard,
    ),
    Stage(LAYING, "laying", SEVERAL, "DV-107", hands_to_lay, lay, refuse_laying, several=yet_to_lay),
    Stage(NAMING, "naming", SEVERAL, "DV-115", categories, name, several=yet_to_name),
    Stage(ORDERING, "ordering", SEVERAL, "DV-116", sequences, order, several=yet_to_order),
    Stage(SETTLED, "settled", DEAL_OVER),
    Stage(OVER, "over", TERMINAL, "DV-195"),
)
A_PLAYERS_TURN = tuple(stage.asks == "turn" for stage in STAGES)
actor, acting, legal, apply, happen, refuse = by_stage(STAGES, then=go_on)


# ------------------------------------------------------------------------------------------ what players see


def dealer_known(s: Dividha) -> bool:
    return s.stage != DRAWING


def cards_due(s: Dividha) -> bool:
    return (s.stage == DEALING) | (s.stage == PAYING)


def in_betting(s: Dividha) -> bool:
    return (s.stage == BETTING) | (s.stage == SPLITTING) | (s.stage == VOTING)


def dividing(s: Dividha) -> bool:
    return (s.stage == SPLITTING) | (s.stage == PAYING)


def voting(s: Dividha) -> bool:
    return s.stage == VOTING


def tablets_open(s: Dividha, p: int) -> bool:
    """DV-52, DV-175."""
    return (s.splits == OPEN) | (s.stage == OVER)


def own_tablet(s: Dividha, me: int) -> bool:
    return (s.splits != OPEN) & (s.stage < SETTLED)


def in_hand(s: Dividha, me: int) -> bool:
    return s.stage < SETTLED


def has_discarded(s: Dividha, me: int) -> bool:
    """Whether a player has chosen in secret (DV-107), and so knows the choice."""
    return s.stage >= DISCARDING and s.discard[me] > 0


ORDINALS = ("first", "second", "third", "fourth", "fifth")
THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "phase": one_of(PHASES).told(dealer_known),
    "turn": seat().told(lambda s: A_PLAYERS_TURN[s.stage]),
    "dealer": seat().told(dealer_known),
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
    "offer": amount(20, optional=True).told(voting),
    "proposer": seat().told(voting),
    "agreed": amount(20),
    "live": seat_set(),
    "todo": seat_set(),
    "those": seat_set().told(cards_due),
    "at": seat().told(dealer_known),
    "pot": amount(200),
    "level": amount(50, optional=True).told(in_betting),
    "step": amount(50, optional=True).told(in_betting),
    "raises": amount(3, optional=True).told(in_betting),
    "owed": amount(50, optional=True).told(dividing),
    "put": amount(50, per=SEATS, seats=True),
    "paid": amount(100, per=SEATS, seats=True),
    "win": amount(100, per=SEATS, seats=True, optional=True).told(tablets_open, own=own_tablet),
    "fees": amount(20, per=SEATS, seats=True),
    "fee_win": amount(20, per=SEATS, seats=True, optional=True).told(tablets_open, own=own_tablet),
    "back": amount(50, per=SEATS, seats=True),
    "bets": amount(50, per=SEATS * SLOTS, seats=True, optional=True, each=SLOTS).told(lambda s, i: s.bets[i] > 0),
    "whole": seat_set(),
    "hidden_due": amount(14, optional=True).told(cards_due),
    "open_due": amount(14, optional=True).told(cards_due),
    "down": amount(4, per=SEATS, seats=True),
    "traded": amount(2, per=SEATS, seats=True),
    "public": cards(DECK_CARDS, per=SEATS, seats=True),
    "spent": cards(DECK_CARDS),
    "made": one_of(CATEGORIES, per=SEATS, seats=True),
    "private": cards(DECK_CARDS, per=SEATS, seats=True, optional=True).told(own=in_hand),
    "thrown": cards(DECK_CARDS, per=SEATS, seats=True, optional=True).told(own=in_hand),
    "picked": cards(DECK_CARDS, optional=True).told(own=lambda s, me: (s.stage == TRADING) & (s.turn == me)),
    "discard": one_of(("none", *DECK_CARDS), per=SEATS, seats=True).told(own=has_discarded),
    "laid": cards(ORDINALS, per=SEATS, seats=True, optional=True).told(own=has_discarded),
    "named": one_of(CATEGORIES, per=SEATS, seats=True).told(own=has_discarded),
    "ordered": amount(ALL_SEQUENCES, per=SEATS, seats=True, optional=True).told(own=has_discarded),
}
show, show_own = by_thing(THINGS)


# ------------------------------------------------------------------------------------------ names and options


def action_names(s: Dividha) -> list[str]:
    coins = range(most_coins(s) + 1)
    names = ["check", "call", "fold", "stand", "agree", "refuse", "leave the table", "return", "stay away"]
    names += [f"trade {c}" for c in DECK_CARDS] + [f"discard {c}" for c in DECK_CARDS]
    names += [f"lay {_spoken([i for i in PLACES if places >> i & 1])}" for places in range(1, 32)]
    names += [f"name {sort}" for sort in CATEGORIES[1:]]
    names += [f"raise {n}" for n in coins[1:]] + [f"win {n}" for n in coins] + [f"propose {n}" for n in coins[2::2]]
    return names + ([f"order {_spoken(of)}" for of in SEQUENCES] if s.rule_of_order else [])


def _spoken(places: Iterable[int]) -> str:
    return " ".join(str(i + 1) for i in places)


def outcome_name(s: Dividha, k: int) -> str:
    return f"seat {k}" if s.stage == DRAWING else DECK_CARDS[k]


def refuse_options(s: Dividha) -> str:
    """Return why these options do not go together; empty if they do."""
    if s.players > s.max_seats:
        return "Seven can play only with max_seats=7 (DV-14)."
    if s.ante_start % 2 or s.ante_step % 2:
        option, n = ("ante_start", s.ante_start) if s.ante_start % 2 else ("ante_step", s.ante_step)
        return sentence("{option}={n} must be an even number (DV-43).", option=option, n=n)
    if s.starting_coins < s.ante_start:
        return sentence(
            "starting_coins={starting_coins} cannot be below ante_start={ante_start} (DV-16).",
            starting_coins=s.starting_coins,
            ante_start=s.ante_start,
        )
    never = "and one of them could never act (DV-219)"
    if s.pay_to_trade and s.rounds == THREE_NO_TRADE:
        return sentence(
            "pay_to_trade=on does not go with rounds=three_no_trade: there is no trade, {never}.", never=never
        )
    if s.southern_cap and s.all_in == CAP_AT_SMALLEST:
        return sentence(
            "southern_cap=on does not go with all_in=cap_at_smallest: the smallest stack caps first, {never}.",
            never=never,
        )
    if s.tablets_on_last_fold == HIDDEN and s.splits == OPEN:
        return sentence(
            "tablets_on_last_fold=hidden does not go with splits=open: tablets lie open, {never}.", never=never
        )
    if s.tie_cards == HIGH_CARD_KICKERS and s.high_card_depth == TOP_ONLY:
        return sentence(
            "tie_cards=high_card_kickers needs high_card_depth=all: only the highest card is compared, {never}.",
            never=never,
        )
    return ""
