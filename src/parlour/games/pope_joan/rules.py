"""Pope Joan: Foster's game, its variation with a trump, and the classic board (option ``version``).

Clause ids (PJ-n) refer to the rule book, ``book.md``.  :data:`STAGES` is the game at a glance.  A deal up to the first
lead is in ``deal``, the rest of it in ``play``, winning and doubling pools in ``pools``, the layouts and the position
in ``position``.  The sequences are those of all games of stops (CO-13 to CO-29, ``parlour.rules.stops.play``); the
first deal, the payments and the run-off are those of Newmarket too (``parlour.rules.stops.layout``).
"""

from collections.abc import Callable

from parlour.games.pope_joan.deal import deal_card, sees_dead_hand, start_deal, turn_up
from parlour.games.pope_joan.play import *
from parlour.games.pope_joan.position import *
from parlour.rules.matchplay import beyond
from parlour.rules.stops.dealing import deal_gains
from parlour.rules.stops.layout import RUN_OFF, begin_match, is_first_jack, pass_deal, redeal_hands, restore_open
from parlour.rules.stops.play import refuse_lead, starts_of_runs
from parlour.rules.stops.position import (
    CARD_NAMES,
    DEALING,
    DRAWING,
    LEADING,
    NOBODY,
    OUT,
    OVER,
    PACK,
    RUNNING,
    SEATS,
    SETTLED,
    STOPS_THINGS,
    leader,
)
from parlour.rules.vocabulary import *

PLAYERS = range(3, 9)  # PJ-1
VERSION = 1
MOST_DEALS = 24  # limit for matches with unlimited doubling, which keeps pools and accounts below 2,000 million


# ------------------------------------------------------------------------------------------ beginning and end


def begin(s: PopeJoan, to: Listener) -> None:
    if begin_match(s, starts_with(s), PACK):
        start_deal(s, to)


def turn_for_jack(s: PopeJoan, c: int, to: Listener) -> None:
    """PJ-2."""
    if is_first_jack(s, c, to):
        start_deal(s, to)


def next_deal(s: PopeJoan, to: Listener) -> None:
    """Begin the next deal, or the run-off after the last one, with diamonds as trumps."""
    if pass_deal(s, deck(s), to):
        start_deal(s, to)
    else:
        s.turned = s.dressed = 0
        set_prizes(s)


def returns(s: PopeJoan, out: list[float]) -> None:
    """Counters won or lost in the match."""
    beyond(s.coins, starts_with(s), s.players, out)


def deal_returns(s: PopeJoan, out: list[float]) -> None:
    deal_gains(s, out)


# ------------------------------------------------------------------------------------------ the stages at a glance


def chance(s: PopeJoan) -> int:
    """Return the cards that may be dealt or turned up; otherwise the single outcome that nothing is laid."""
    return 1 if s.stage == LAYING else s.stock


def hushed(s: PopeJoan) -> bool:
    """Whether a player may have a choice that nobody else may notice."""
    return s.stage == LAYING


def silence(s: PopeJoan, me: int) -> int:
    """Return the action of a player who says nothing: keep the honour."""
    return KEEP


def by_version(clause: str, classic: str) -> Callable[[PopeJoan, int, int], str]:
    """Return the clause in force, which differs in the classic game."""
    return lambda s, me, a: classic if s.version == CLASSIC else clause


STAGES = (
    Stage(DRAWING, "drawing", CHANCE, "PJ-2", happens=turn_for_jack),
    Stage(DEALING, "dealing", CHANCE, by_version("PJ-25", "PJ-65"), happens=deal_card, alone=True),
    Stage(LEADING, "lead", leader, refuse_lead, Each(may_lead, LEAD), lead_card, refuse_own_lead),
    Stage(RUNNING, "running", NOBODY),
    Stage(OUT, "out", NOBODY),
    Stage(SETTLED, "settled", DEAL_OVER),
    Stage(OVER, "over", TERMINAL, "PJ-17"),
    Stage(TURNING, "turning up", CHANCE, by_version("PJ-43", "PJ-66"), happens=turn_up),
    Stage(LAYING, "laying", honour_holder, "CO-17", lay_or_keep, answer_offer, happens=nothing_to_lay),
    Stage(RUN_OFF, "run-off", CHANCE, "PJ-18", happens=run_off),
)
actor, acting, legal, apply, happen, refuse_now = by_stage(STAGES, then=go_on)


def refuse(s: PopeJoan, me: int, a: int) -> str:
    """Return the clause that forbids an action to everybody while cards are led; otherwise the clause of the stage."""
    if s.stage in (LEADING, LAYING) and a >= LAY:
        return refuse_laying(s, me, a)
    return refuse_now(s, me, a)


# ------------------------------------------------------------------------------------------ what players see


def of_stops(*names: str) -> dict[str, Thing]:
    """Return things that every game of stops tells."""
    return {name: STOPS_THINGS[name] for name in names}


THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    **of_stops("deal", "dealer", "player", "dealt"),
    "pool": amount(50, per=POOLS).told(lambda s, k: dressing_of(s, k) > 0),
    "dressed": amount(15),
    "turned": one_of(("none", *CARD_NAMES)),
    **of_stops("card"),
    "offer": one_of(CARD_NAMES).told(lambda s: s.stage == LAYING),
    **of_stops("run", "out"),
    "stock": cards(CARD_NAMES, optional=True).told(own=sees_dead_hand),
    **of_stops("coins", "before"),
    "held": amount(15, per=SEATS, seats=True).told(value=STOPS_THINGS["held"].value),
    **of_stops("played", "lacks", "hand"),
    "asked": seat_set(optional=True).told(own=lambda s, me: s.asked >> me & 1),
}
show, show_own = by_thing(THINGS)


def restore(s: PopeJoan, me: int) -> None:
    restore_open(s, PACK if s.stage == DRAWING else deck(s))
    if (s.stage != DRAWING) & (s.stage != DEALING) & (s.stage != TURNING):
        set_prizes(s)


def redeal(s: PopeJoan, me: int, rng: list[int]) -> None:
    redeal_hands(s, rng)
    if s.stage == LAYING:
        s.asked = may_lay(s)


# ------------------------------------------------------------------------------------------ names, options and advice


def action_names(s: PopeJoan) -> list[str]:
    return [*(f"lead {c}" for c in CARD_NAMES), *(f"lay {c}" for c in CARD_NAMES), "keep"]


def outcome_name(s: PopeJoan, k: int) -> str:
    return "on" if s.stage == LAYING else CARDS[k]


def refuse_options(s: PopeJoan) -> str:
    options = options_of(PopeJoan)
    version = tuple(options["version"].words)[s.version]
    for name, option in options.items():
        value = getattr(s, name)
        if value != option.words.get(str(option.default), option.default) and not option.applies({"version": version}):
            word = next((w for w, n in option.words.items() if n == value), value)
            *some, where = option.when.split(",")
            if some:
                where = sentence("{names} or {last}", names=", ".join(some), last=where)
            return sentence(
                "{name}={word} is for {where}, not for version={version} ({clauses}).",
                name=name,
                word=word,
                where=where,
                version=version,
                clauses=option.clauses[0],
            )
    deals = min(s.rounds * s.players, s.deals or MOST_DEALS + s.rounds * s.players)
    if s.double_cap == 0 and s.double_rule != DRESSING_ONLY and deals > MOST_DEALS:
        return sentence(
            "double_cap=none is for matches of at most {most_deals} deals, not of {deals} (PJ-37).",
            most_deals=MOST_DEALS,
            deals=deals,
        )
    return ""


def likely(s: PopeJoan, me: int, acts: list[int]) -> int:
    """Write what a sensible player might do: lead a card that wins a pool, otherwise the lowest of consecutive cards;
    lay any honour that can be laid."""
    if s.stage == LAYING:
        acts[0] = LAY + s.offer
        return 1
    open_to = may_lead(s, me)
    mine = s.hand[me]
    starts = open_to & starts_of_runs(mine)
    if open_to & s.prizes:
        starts = open_to & s.prizes
    return list_members(starts if starts else open_to, LEAD, acts)
