"""Diamondback, Dealer's Diamondback and Match Diamondback.  Clause ids (DB-n) refer to the rule book, ``book.md``.

:data:`STAGES` is the game at a glance.  Each stage is written in ``hand`` or ``match``, the cards and the position in
``position``; what follows from a player's knowledge is in ``hidden``, advice to the search in ``advice``.
"""

from parlour.games.diamondback.hand import *
from parlour.games.diamondback.match import finish_if_settled, session, vote
from parlour.games.diamondback.position import *
from parlour.rules.matchplay import beyond, everybody_sits, gains, open_accounts, remember
from parlour.rules.vocabulary import *

PLAYERS = range(2, 6)  # DB-9; five players only with seats_max=5
VERSION = 1


# ------------------------------------------------------------------------------------------ beginning and end


def begin(s: Diamondback, to: Listener) -> None:
    everybody_sits(s)
    open_accounts(s.coins, s.before, s.start_coins, s.players)
    if s.first_dealer == DRAW:
        draw_for_deal(s, s.seated)
    else:
        s.successor = s.first_dealer
        start_hand(s, to)


def next_deal(s: Diamondback, to: Listener) -> None:
    """Go on after a hand: in a Match session everybody votes on it (DB-76); otherwise the next hand begins."""
    remember(s.coins, s.before, s.players)
    if session(s):
        note(to, "DB-76", "asks", s.successor)
        ask(s, VOTING, s.successor)
    else:
        start_hand(s, to)
        finish_if_settled(s, to)  # the hand may be over already, if nobody else pays the ante


def returns(s: Diamondback, out: list[float]) -> None:
    """Coins won or lost in the match."""
    beyond(s.coins, s.start_coins, s.players, out)


def deal_returns(s: Diamondback, out: list[float]) -> None:
    """Coins won or lost since the previous hand was settled."""
    gains(s.coins, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ the stages at a glance


def chance(s: Diamondback) -> int:
    """The ranks that are left."""
    ranks = 0
    for k in range(5):
        ranks |= (in_stock(s.left, k) > 0) << k
    return ranks


def weight(s: Diamondback, k: int) -> int:
    return in_stock(s.left, k)


def tickets(s: Diamondback) -> int:
    """Return the number of tickets: one for each card that is left."""
    cards = 0
    for k in range(5):
        cards += in_stock(s.left, k)
    return cards


def ticket(s: Diamondback, n: int) -> int:
    """Return the rank of a card that is left."""
    rank = cards = 0
    for k in range(5):  # no early exit: a processor would mispredict it
        cards += in_stock(s.left, k)
        rank += n >= cards
    return rank


def silence(s: Diamondback, me: int) -> int:
    """Return the action of a player who says nothing between hands: ``continue`` (DB-77)."""
    return CONTINUE if s.stage == VOTING else -1


STAGES = (
    Stage(DRAWING, "drawing for the deal", CHANCE, "DB-11", happens=draw_card),
    Stage(ANTE, "ante", "turn", "DB-62", antes, name_ante, refuse_ante),
    Stage(PAYING, "antes answered", "turn", "DB-63", (PAY, DECLINE), answer_ante),
    Stage(DEALING, "dealing", CHANCE, "DB-17", happens=give_card),
    Stage(OPENING, "opening wager", "turn", "DB-20", opening_wagers, open_or_fold, refuse_opening),
    Stage(ANSWER, "wager answered", "turn", "DB-22", (FOLD, MATCH_IT), answer, "DB-21"),
    Stage(EXPOSING, "exposing", "turn", "DB-24", own_cards, turn_up, refuse_card),
    Stage(SEALED, "exposing together", SEVERAL, "DB-24", own_cards, choose_card, refuse_card, several=still_to_choose),
    Stage(FURTHER, "further wager", "turn", "DB-31", further_wagers, wager_or_stop, refuse_further),
    Stage(SAYING, "stop or on", "turn", "DB-31", (STOP, ON), say),
    Stage(VOTING, "between hands", "turn", "DB-77", (CONTINUE, END, LEAVE), vote),
    Stage(SETTLED, "settled", DEAL_OVER),
    Stage(OVER, "over", TERMINAL),
)
A_PLAYERS_TURN = tuple(stage.asks == "turn" for stage in STAGES)
actor, acting, legal, apply, happen, refuse_now = by_stage(STAGES, then=finish_if_settled)


def refuse(s: Diamondback, me: int, a: int) -> str:
    """Return the clause that forbids an action to everybody in this stage; otherwise the clause of the stage."""
    if s.stage == OVER:
        return "DB-75" if session(s) else "DB-58"
    if CONTINUE <= a <= LEAVE and s.stage != VOTING:
        return "DB-85" if session(s) else "DB-58"
    names_ante = a > highest_id(s)
    if names_ante and s.stage != ANTE:
        return "DB-62"
    wagers = a > WAGER and not names_ante
    if (wagers or a == STOP) and me != s.dealer and s.stage not in (DRAWING, SAYING, VOTING):
        return "DB-41" if wagers else "DB-31"
    return refuse_now(s, me, a)


# ------------------------------------------------------------------------------------------ what players see

THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "turn": seat().told(lambda s: A_PLAYERS_TURN[s.stage]),
    "dealer": seat().told(lambda s: s.stage != DRAWING),
    "successor": seat().told(lambda s: s.stage == VOTING),
    "deal": amount(12),
    "seated": seat_set(),
    "dealt": seat_set(),
    "live": seat_set(),
    "kept": seat_set(),
    "coins": amount(400, per=SEATS, seats=True),
    "before": amount(400, per=SEATS, seats=True),
    "gone": amount(12, per=SEATS, seats=True),
    "pot": amount(100),
    "carried": amount(100),
    "wager": amount(10),
    "rounds": amount(10),
    "at": seat().told(lambda s: (s.stage == DRAWING) | (s.stage == DEALING)),
    "out": amount(10),
    "up": one_of(("none", *CARDS), per=SEATS, seats=True).told(
        lambda s, p: s.stage != SEALED and s.up[p] > 0,
        own=lambda s, me: s.stage == SEALED and s.up[me] > 0,  # the card that the player has chosen to turn up
    ),
    # Players see their own hand once all are dealt (DB-18), even after folding, until the cards are gathered.
    "hand": one_of(("none", *HANDS), per=SEATS, seats=True).told(
        lambda s, p: s.stage >= VOTING and s.hand[p] > 0,
        own=lambda s, me: (s.stage >= OPENING) & (s.stage < VOTING) and s.hand[me] > 0,
    ),
    "ends": seat_set(),
    "quits": seat_set(),
    "heirs": seat_set(),
}
show, show_own = by_thing(THINGS)


# ------------------------------------------------------------------------------------------ names and options


def action_names(s: Diamondback) -> list[str]:
    few = ["fold", "match", "stop", "on", *(f"expose {c}" for c in CARDS), "pay", "decline", "continue", "end", "leave"]
    wagers = [f"wager {n}" for n in range(1, highest_id(s) - WAGER + 1)]
    return few + wagers + ([f"ante {n}" for n in range(1, len(wagers) + 1)] if s.version == DEALERS else [])


def refuse_options(s: Diamondback) -> str:
    """Return why these options do not go together; empty if they do."""
    if s.players > s.seats_max:
        return "Five can play only with seats_max=5 (DB-9)."
    if s.max_second_wagers and s.max_second_wagers < s.min_second_wagers:
        return sentence(
            "max_second_wagers={max_second_wagers} cannot be below min_second_wagers={min_second_wagers} (DB-30).",
            max_second_wagers=s.max_second_wagers,
            min_second_wagers=s.min_second_wagers,
        )
    return ""
