"""Commit.  Clause ids (CO-n) refer to the rule book, ``book.md``; what games of stops share is in
``parlour.rules.stops``.

:data:`STAGES` is the game at a glance.  The steps before and after the play are in ``deal``, the play with the comet
and its two hidden choices in ``play``, the cards and the position in ``position``; ``hidden`` has what follows from a
player's knowledge.
"""

from parlour.games.commit.deal import deal_card, draw_card, draw_for_deal, start_deal
from parlour.games.commit.play import *
from parlour.games.commit.position import *
from parlour.rules.matchplay import beyond
from parlour.rules.stops.dealing import deal_gains, next_dealer, sit_down
from parlour.rules.stops.play import refuse_lead, starts_of_runs
from parlour.rules.stops.position import (
    DEALING,
    DRAWING,
    LEADING,
    NOBODY,
    OUT,
    OVER,
    RUNNING,
    SETTLED,
    STOPS_THINGS,
    leader,
)
from parlour.rules.vocabulary import *

PLAYERS = range(2, 9)  # CO-5
VERSION = 1


# ------------------------------------------------------------------------------------------ beginning and end


def begin(s: Commit, to: Listener) -> None:
    sit_down(s, s.start_counters)
    if s.first_dealer == DRAW:
        draw_for_deal(s, s.seated)
    else:
        s.dealer = s.first_dealer
        start_deal(s, to)


def next_deal(s: Commit, to: Listener) -> None:
    """CO-7."""
    next_dealer(s)
    note(to, "CO-7", "deal_passes", s.dealer, s.deal + 1)
    start_deal(s, to)


def returns(s: Commit, out: list[float]) -> None:
    """Counters won or lost in the match."""
    beyond(s.coins, s.start_counters, s.players, out)


def deal_returns(s: Commit, out: list[float]) -> None:
    deal_gains(s, out)


# ------------------------------------------------------------------------------------------ the stages at a glance


def chance(s: Commit) -> int:
    """Return the cards that may be drawn or dealt; otherwise the single outcome that the question goes round."""
    return s.stock if s.stage <= DEALING else 1


def hushed(s: Commit) -> bool:
    """Whether a player may have a choice that nobody else may notice."""
    return s.stage >= ASKING


def silence(s: Commit, me: int) -> int:
    """Return the action of a player who says nothing: keep the comet, or play the card that was asked for first."""
    return TAKE + s.wanted if s.stage == CHOOSING else PASS


STAGES = (
    Stage(DRAWING, "drawing", CHANCE, "CO-6", happens=draw_card),
    Stage(DEALING, "dealing", CHANCE, "CO-9", happens=deal_card, alone=True),
    Stage(LEADING, "lead", leader, "CO-19", Each(own_cards, LEAD), lead_card, refuse_own_lead),
    Stage(RUNNING, "running", NOBODY),
    Stage(OUT, "out", NOBODY),
    Stage(SETTLED, "settled", DEAL_OVER),
    Stage(OVER, "over", TERMINAL, "CO-55"),
    Stage(ASKING, "question", comet_holder, "CO-17", (PLAY_COMET, PASS), answer_for_card, happens=nobody_plays_comet),
    Stage(CHOOSING, "two cards", comet_holder, "CO-17", either_card, take_card, happens=nobody_has_both),
)
actor, acting, legal, apply, happen, refuse_now = by_stage(STAGES, then=go_on)


def refuse(s: Commit, me: int, a: int) -> str:
    """Return the clause that forbids an action to everybody in this stage; otherwise the clause of the stage."""
    leads = s.stage == LEADING and me == s.player
    if s.stage in (DRAWING, DEALING, OVER) or (leads and a < TAKE):
        return refuse_now(s, me, a)
    if a >= TAKE:
        return "CO-37"
    return "CO-31" if a == PASS else refuse_comet(s, me) if a == PLAY_COMET else refuse_lead(s, me, a)


# ------------------------------------------------------------------------------------------ what players see

THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "drawing": seat_set(),
    "pool": amount(20),
    "wanted": one_of(CARDS).told(lambda s: s.stage >= ASKING),
    **STOPS_THINGS,
    "asked": seat_set(optional=True).told(own=lambda s, me: s.asked >> me & 1),
}
show, show_own = by_thing(THINGS)


# ------------------------------------------------------------------------------------------ names and advice


def action_names(s: Commit) -> list[str]:
    return [*(f"lead {c}" for c in CARDS), "comet", "pass", *(f"take {c}" for c in CARDS)]


def outcome_name(s: Commit, k: int) -> str:
    return CARDS[k] if s.stage <= DEALING else "round"


def likely(s: Commit, me: int, acts: list[int]) -> int:
    """Lead a king or the comet, otherwise the lowest of consecutive cards; play the comet when that is possible."""
    if s.stage == LEADING:
        paid_for = s.hand[me] & BONUS
        return list_members(paid_for if paid_for else starts_of_runs(s.hand[me]), LEAD, acts)
    n = legal(s, me, acts)
    return 1 if s.stage == ASKING else n
