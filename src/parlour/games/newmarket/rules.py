"""Newmarket, and Saratoga (option ``stakes``).  Clause ids refer to the rule book, ``book.md``.

:data:`STAGES` is the game at a glance.  The stakes before the deal are in ``stakes``; deal, play and settlement in
``play``, the cards and the position in ``position``, advice for the search in ``advice``.  The sequences are those of
all games of stops (CO-13 to CO-29, ``parlour.rules.stops.play``); the first deal, the payments and the run-off are
those of Pope Joan too (``parlour.rules.stops.layout``).
"""

from parlour.games.newmarket.play import deal_card, go_on, lead_card, open_to_lead, refuse_own_lead, run_off
from parlour.games.newmarket.position import *
from parlour.games.newmarket.stakes import lay_stake, list_stakes, list_totals, name_total, start_deal
from parlour.rules.matchplay import beyond
from parlour.rules.stops.dealing import deal_gains
from parlour.rules.stops.layout import RUN_OFF, begin_match, is_first_jack, pass_deal, redeal_hands, restore_open
from parlour.rules.stops.play import refuse_lead
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

PLAYERS = range(3, 9)  # PJ-1
VERSION = 1
FOR_THE_MATCH = True  # PJ-92, PJ-17


# ------------------------------------------------------------------------------------------ beginning and end


def begin(s: Newmarket, to: Listener) -> None:
    if begin_match(s, s.start_counters, DECK):
        start_deal(s, to)


def turn_for_jack(s: Newmarket, c: int, to: Listener) -> None:
    """PJ-2."""
    if is_first_jack(s, c, to):
        start_deal(s, to)


def next_deal(s: Newmarket, to: Listener) -> None:
    """Begin the next deal, or the run-off after the last one, in which nothing is staked."""
    s.total = 0
    if pass_deal(s, DECK, to):
        start_deal(s, to)


def returns(s: Newmarket, out: list[float]) -> None:
    """Counters won or lost in the match."""
    beyond(s.coins, s.start_counters, s.players, out)


def deal_returns(s: Newmarket, out: list[float]) -> None:
    deal_gains(s, out)


# ------------------------------------------------------------------------------------------ the stages at a glance


def chance(s: Newmarket) -> int:
    """The cards that may be dealt."""
    return s.stock


STAGES = (
    Stage(DRAWING, "drawing", CHANCE, "PJ-2", happens=turn_for_jack),
    Stage(DEALING, "dealing", CHANCE, "PJ-25", happens=deal_card, alone=True),
    Stage(LEADING, "lead", leader, refuse_lead, Each(open_to_lead, LEAD), lead_card, refuse_own_lead),
    Stage(RUNNING, "running", NOBODY),
    Stage(OUT, "out", NOBODY),
    Stage(SETTLED, "settled", DEAL_OVER),
    Stage(OVER, "over", TERMINAL, "PJ-17"),
    Stage(NAMING, "naming", leader, "PJ-92", list_totals, name_total),
    Stage(LAYING, "laying", leader, "PJ-92", list_stakes, lay_stake),
    Stage(RUN_OFF, "run-off", CHANCE, "PJ-18", happens=run_off),
)
actor, acting, legal, apply, happen, refuse_now = by_stage(STAGES, then=go_on)


def refuse(s: Newmarket, me: int, a: int) -> str:
    """Return the clause that forbids an action while cards are led; otherwise the clause of the stage."""
    if s.stage == LEADING and a >= LAY:
        return "PJ-92" if s.stakes == SPREAD else "PJ-97"
    return refuse_now(s, me, a)


# ------------------------------------------------------------------------------------------ what players see

THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "pool": amount(50, per=POOLS),
    "total": amount(20),
    "left": amount(20),
    "at": one_of([CARDS[c] for c in LAYOUT]).told(lambda s: s.stage == LAYING),
    **STOPS_THINGS,
}
show, show_own = by_thing(THINGS)


def restore(s: Newmarket, me: int) -> None:
    restore_open(s, DECK)


def redeal(s: Newmarket, me: int, rng: list[int]) -> None:
    redeal_hands(s, rng)


# ------------------------------------------------------------------------------------------ names and options


def action_names(s: Newmarket) -> list[str]:
    laid, named = range(s.stake_max + 1), range(LEAST, s.stake_max + 1)
    return [*(f"lead {c}" for c in CARDS), *(f"lay {n}" for n in laid), *(f"take {n}" for n in named)]


def refuse_options(s: Newmarket) -> str:
    if s.stakes != SPREAD and s.stake_max != USUAL_MOST:
        return sentence(
            "stake_max={stake_max} is for stakes=spread; in Saratoga no total is named (PJ-97).", stake_max=s.stake_max
        )
    return ""
