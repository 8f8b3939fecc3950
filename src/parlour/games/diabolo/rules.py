"""Diabolo.  Clause ids (DI-n) refer to the rule book, ``book.md``.

:data:`STAGES` is the game at a glance.  A round until its end is written in ``turns``, how it is scored in ``scoring``,
the cards in ``bags`` and the position in ``position``; what follows from a player's knowledge is in ``hidden``, advice
to the search in ``advice``.
"""

from parlour.games.diabolo.bags import BAG, CARDS_IN_ALL, COLOUR_NAMES, KIND_NAMES, KINDS, LETTERS, how_many, pick
from parlour.games.diabolo.position import *
from parlour.games.diabolo.scoring import answer, asked, in_turn, pass_over, refuse_doubler, who_answers
from parlour.games.diabolo.turns import *
from parlour.rules.matchplay import everybody_sits, most
from parlour.rules.vocabulary import *

PLAYERS = range(2, 6)  # DI-1; see refuse_options
VERSION = 2
SINCE: dict[int, dict[str, str]] = {2: {}}
BREAKS = {2: "doubler_ask=holders_only"}
APART = 0  # 1: a match is one round of two players, and its result is the difference in points (family.py)
CARDS = (*BAG, *COLOUR_NAMES)  # cards and rows by the numbers used in sentences


# ------------------------------------------------------------------------------------------ beginning and end


def begin(s: Diabolo, to: Listener) -> None:
    everybody_sits(s)
    if s.first_dealer == RANDOM:  # DI-8
        s.stage = LOT
    else:
        s.dealer = s.first_dealer
        lay_out(s)


def next_deal(s: Diabolo, to: Listener) -> None:
    s.dealer = next_player(s, s.dealer)
    note(to, "DI-80", "deals", s.dealer, s.deal + 1)
    lay_out(s)


def returns(s: Diabolo, out: list[float]) -> None:
    """The winners share 1, the others lose 1 between them; 0 if all share the win (DI-82, DI-83)."""
    first = most(s.total, s.seated)
    k = count(first)
    for p in range(s.players):
        if k == s.players:
            out[p] = 0.0
        else:
            out[p] = 1.0 / k if first >> p & 1 else -1.0 / (s.players - k)
    if APART:
        deal_returns(s, out)


def deal_returns(s: Diabolo, out: list[float]) -> None:
    """Points of the round."""
    for p in range(s.players):
        out[p] = float(s.points[p])
    if APART:
        out[0] = float(s.points[0] - s.points[1])
        out[1] = -out[0]


# ------------------------------------------------------------------------------------------ the stages at a glance

STAGES = (
    Stage(LOT, "lot", CHANCE, "DI-99", happens=draw_lot),
    Stage(DEALING, "dealing", CHANCE, "DI-99", happens=deal_card),
    Stage(DRAWING, "draw", CHANCE, "DI-99", happens=draw_card),
    Stage(CASTING, "discard drawn", CHANCE, "DI-99", happens=cast),
    Stage(PLACING, "place", "player", "DI-99", placements, place, refuse_card),
    Stage(STUCK, "discard", "player", "DI-99", cards_held, choose_discard, refuse_card),
    Stage(ASKING, "doublers", who_answers, "DI-99", (YES, NO), answer, happens=pass_over, several=asked),
    Stage(SETTLED, "settled", DEAL_OVER, "DI-99"),
    Stage(OVER, "over", TERMINAL, "DI-99"),
)
actor, acting, legal, apply, happen, refuse_now = by_stage(STAGES)


def refuse(s: Diabolo, me: int, a: int) -> str:
    """Return the clause that forbids an action to everybody in this stage; otherwise the clause of the stage."""
    if a >= YES:
        return refuse_doubler(s, me, a)
    if s.stage == CASTING and me == s.player and a >= DISCARD:
        return "DI-34"
    return refuse_now(s, me, a)


def hushed(s: Diabolo) -> bool:
    """Whether others must not notice if the player whose turn it is to answer is asked (DI-67)."""
    return s.stage == ASKING and s.doubler_ask == HOLDERS_ONLY


def silence(s: Diabolo, me: int) -> int:
    """Return the action of a player who says nothing: keep the Doubler (DI-67)."""
    return NO


# ------------------------------------------------------------------------------------------ chance


def is_a_card(s: Diabolo) -> bool:
    """Whether chance draws a card."""
    return s.stage != LOT and s.stage != ASKING


def deck(s: Diabolo) -> int:
    """Return the bag from which chance draws."""
    return s.hand[s.player] if s.stage == CASTING else s.pile


def tickets(s: Diabolo) -> int:
    """Return the number of tickets: one for each card, or for each seat in the lot."""
    if s.stage == LOT:
        return s.players
    return HAND + 1 if s.stage == CASTING else 1 if s.stage == ASKING else s.stock


def ticket(s: Diabolo, n: int) -> int:
    return pick(deck(s), n) if is_a_card(s) else n


def chance(s: Diabolo) -> int:
    """Return the kinds that occur; otherwise as many outcomes as tickets, numbered from 0."""
    if not is_a_card(s):
        return (1 << tickets(s)) - 1
    outcomes = 0
    for k in range(KINDS):
        outcomes |= (how_many(deck(s), k) > 0) << k
    return outcomes


def weight(s: Diabolo, k: int) -> int:
    return how_many(deck(s), k) if is_a_card(s) else 1


# ------------------------------------------------------------------------------------------ what players see (DI-84)

SUM_BITS = tuple(f"{letter}{part}" for letter in LETTERS for part in ("+1", "+2", "+4", "+8", "+16", " said"))


def lies_face_down(s: Diabolo, p: int) -> bool:
    return s.stuck_face == FACE_DOWN


THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "deal": amount(5),
    "dealer": seat().told(lambda s: s.stage != LOT),
    "player": seat().told(lambda s: s.stage != LOT),
    "dealt": amount(30, optional=True).told(lambda s: s.stage == DEALING),
    "stock": amount(CARDS_IN_ALL),
    "row": one_of(6).told(lambda s: s.stage >= ASKING),
    "speaker": seat().told(lambda s: s.stage == ASKING and in_turn(s)),
    "side": cards(BAG, per=2),
    "discards": cards(BAG),
    "hand": cards(BAG, per=SEATS, seats=True).told(own=lambda s, me: s.stage > DEALING),  # DI-85
    "known": cards(BAG, per=SEATS, seats=True),
    "buried": cards(BAG, per=SEATS, seats=True).told(own=lies_face_down),
    "showed": cards(BAG, per=SEATS, seats=True).told(lies_face_down),
    "before": cards(BAG, per=SEATS, seats=True).told(lies_face_down),
    "laid": amount(12, per=SEATS, seats=True).told(lies_face_down),
    "named": cards(SUM_BITS, per=SEATS, seats=True).told(lambda s, p: s.show == SUM_ONLY),
    "spent": one_of(("no", "yes"), per=SEATS, seats=True),
    "answer": one_of(("none", "no", "yes"), per=SEATS, seats=True).told(
        lambda s, p: s.answer[p] > 0 and s.doubler_mode == OPEN_IN_TURN,
        own=lambda s, me: s.answer[me] > 0 and s.doubler_mode == SECRET,  # DI-89
    ),
    "points": amount(20, per=SEATS, seats=True),
    "total": amount(40, per=SEATS, seats=True),
}
show, show_own = by_thing(THINGS)


# ------------------------------------------------------------------------------------------ names and options


def action_names(s: Diabolo) -> list[str]:
    sides = [f"place {kind} {where}" for where in ("left", "right") for kind in KIND_NAMES]
    return [*sides, *(f"discard {kind}" for kind in KIND_NAMES), "doubler yes", "doubler no"]


def outcome_name(s: Diabolo, k: int) -> str:
    return f"seat {k}" if s.stage == LOT else "no" if s.stage == ASKING else KIND_NAMES[k]


def refuse_options(s: Diabolo) -> str:
    """Return why these options do not go together; empty if they do."""
    if s.players == 2 and not s.two_players:
        return "Diabolo is for 3 to 5 players; two can play its unofficial form with the option two_players=on (DI-1)."
    return ""
