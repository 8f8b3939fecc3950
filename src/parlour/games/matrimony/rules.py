"""Matrimony.  Clause ids (MA-n) refer to the rule book, ``book.md``.

:data:`STAGES` is the game at a glance.  The draw and the stakes are in ``stakes``, the deal and the pools won in
``deal``, the cards and the position in ``position``.  Nobody sees a card before the whole table does (MA-28), so chance
decides on cards as they are turned up; only stakes can be secret.
"""

from parlour.games.matrimony.deal import expose_card, get_card
from parlour.games.matrimony.position import *
from parlour.games.matrimony.stakes import *
from parlour.rules.matchplay import at_least, beyond, everybody_sits, gains, next_seated, open_accounts, remember
from parlour.rules.vocabulary import *

PLAYERS = range(2, 27)  # MA-9
VERSION = 2
SINCE: dict[int, dict[str, str]] = {2: {}}
BREAKS = {2: "stake_visibility=secret"}
HIDES_WHEN = "stake_visibility=secret"
CARDS = (*PACK, *POOLS)  # what numbers in sentences stand for


# ------------------------------------------------------------------------------------------ beginning and end


def begin(s: Matrimony, to: Listener) -> None:
    everybody_sits(s)
    open_accounts(s.counters, s.before, s.start_counters, s.players)
    if s.first_dealer == DRAW:
        draw_for_deal(s, s.seated)
    else:
        s.dealer = s.first_dealer
        start_deal(s, to)


def next_deal(s: Matrimony, to: Listener) -> None:
    """Pass the deal to the left (MA-14, MA-15), past players who cannot stake (MA-46) unless nobody can (MA-47)."""
    remember(s.counters, s.before, s.players)
    able = at_least(s.counters, s.seated, s.stake_min)
    s.dealer = next_seated(s, s.dealer)
    note(to, "MA-14" if s.shown >> BEST & 1 else "MA-15", "turn_to_deal", s.dealer)
    if able and s.deal < staked_deals(s):
        while not able >> s.dealer & 1:
            note(to, "MA-46", "passed_over", s.dealer)
            s.dealer = next_seated(s, s.dealer)
    start_deal(s, to)


def returns(s: Matrimony, out: list[float]) -> None:
    """Counters won or lost in the match."""
    beyond(s.counters, s.start_counters, s.players, out)


def deal_returns(s: Matrimony, out: list[float]) -> None:
    """Counters won or lost since the previous deal was settled."""
    gains(s.counters, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ the stages at a glance


def chance(s: Matrimony) -> int:
    return s.unseen


STAGES = (
    Stage(DRAWING, "drawing for the deal", CHANCE, "MA-11", happens=draw_card),
    Stage(STAKING, "staking", "at", who_stakes, amounts, choose, refuse_amount, several=still_to_stake),
    Stage(UP, "up cards", CHANCE, "MA-27", happens=get_card),
    Stage(DOWN, "down cards", CHANCE, "MA-31", happens=expose_card),
    Stage(SETTLED, "settled", DEAL_OVER),
    Stage(OVER, "over", TERMINAL, "MA-49"),
)
actor, acting, legal, apply, happen, refuse = by_stage(STAGES)


# ------------------------------------------------------------------------------------------ what players see


def openly(s: Matrimony, n: int) -> bool:
    """Whether everybody sees ``n`` counters that are to be laid on a pool."""
    return s.stage == STAKING and s.at != SEVERAL and n > 0


def sealed(s: Matrimony, n: int) -> bool:
    """Whether only the player knows of ``n`` counters [stake_visibility=secret]."""
    return s.stage == STAKING and s.at == SEVERAL and n > 0


QUESTION = one_of(("in all", *POOLS, "done"), per=SEATS, seats=True)
STAKE = amount(10, per=SEATS, seats=True, optional=True)
THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "at": seat().told(lambda s: s.stage < SETTLED and s.at != SEVERAL),
    "dealer": seat().told(lambda s: s.stage != DRAWING),
    "deal": amount(10),
    "seated": seat_set(),
    "dealt": seat_set(),
    "counters": amount(100, per=SEATS, seats=True),
    "before": amount(100, per=SEATS, seats=True),
    "pools": amount(100, per=5),
    "hand": cards(PACK, per=SEATS, seats=True),
    "shown": cards(POOLS),
    "stake": amount(10),
    "pool": QUESTION.told(lambda s, p: openly(s, p == s.at), own=lambda s, me: sealed(s, 1)),
    "whole": STAKE.told(lambda s, p: openly(s, p == s.at), own=lambda s, me: sealed(s, 1)),
    "matrimony": STAKE.told(lambda s, p: openly(s, s.matrimony[p]), own=lambda s, me: sealed(s, s.matrimony[me])),
    "intrigue": STAKE.told(lambda s, p: openly(s, s.intrigue[p]), own=lambda s, me: sealed(s, s.intrigue[me])),
    "confederacy": STAKE.told(lambda s, p: openly(s, s.confederacy[p]), own=lambda s, me: sealed(s, s.confederacy[me])),
    "pair": STAKE.told(lambda s, p: openly(s, s.pair[p]), own=lambda s, me: sealed(s, s.pair[me])),
    "best": STAKE.told(lambda s, p: openly(s, s.best[p]), own=lambda s, me: sealed(s, s.best[me])),
}
show, show_own = by_thing(THINGS)


# ------------------------------------------------------------------------------------------ names and options


def action_names(s: Matrimony) -> list[str]:
    return [f"{word} {n}" for word in ("lay", "take") for n in range(most_ever(s) + 1)]


def refuse_options(s: Matrimony) -> str:
    """Return why these options do not go together; empty if they do."""
    if s.cards == TWO_DOWN and s.players > MOST_WITH_TWO_DOWN:
        return sentence(
            "With cards=two_down at most {most_with_two_down} can play, not {players} (MA-9).",
            most_with_two_down=MOST_WITH_TWO_DOWN,
            players=s.players,
        )
    if s.stake_max and s.stake_max < s.stake_min:
        return sentence(
            "stake_max={stake_max} cannot be below stake_min={stake_min} (MA-20).",
            stake_max=s.stake_max,
            stake_min=s.stake_min,
        )
    if s.start_counters < s.stake_min:
        return sentence(
            "With start_counters={start_counters} nobody could ever stake stake_min={stake_min} (MA-20).",
            start_counters=s.start_counters,
            stake_min=s.stake_min,
        )
    if s.rounds * s.players > MOST_DEALS:
        return sentence(
            "{rounds} rounds of {players} are too long: a match has at most {most_deals} deals (MA-49).",
            rounds=s.rounds,
            players=s.players,
            most_deals=MOST_DEALS,
        )
    return ""


# ------------------------------------------------------------------------------------------ what a player may imagine


def restore(s: Matrimony, me: int) -> None:
    s.unseen = DECK
    for p in range(s.players):
        s.unseen &= ~s.hand[p]
    if s.stage == STAKING and s.stake > 0 and s.stake_visibility == SECRET:
        s.at = SEVERAL


def redeal(s: Matrimony, me: int, rng: list[int]) -> None:
    """Have all other players begin their secret stakes: only the player's own is known to be under way, and the others'
    may just as well be chosen after it."""
    if s.stage == STAKING and s.at == SEVERAL:
        for p in range(s.players):
            if p != me:
                begin_stake(s, p, None)


# ------------------------------------------------------------------------------------------ advice to the search


def candidates(s: Matrimony, me: int, acts: list[int]) -> int:
    """Write the smallest amount, the largest, and three in between."""
    n = legal(s, me, acts)
    if n < 6:
        return n
    for i in range(1, 5):
        acts[i] = acts[(n - 1) * i // 4]
    return 5


def likely(s: Matrimony, me: int, acts: list[int]) -> int:
    """Write what a sensible player might stake: in all, as little as possible or a little more; on a pool, nothing,
    everything or something in between."""
    return min(3, legal(s, me, acts)) if s.pool[me] == WHOLE else candidates(s, me, acts)
