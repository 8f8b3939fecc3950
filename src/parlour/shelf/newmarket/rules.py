"""Newmarket, and Saratoga (option ``stakes``).  Clause ids refer to the rule book, ``book.md``.

The play is that of all stops games (CO-13 to CO-29) and stands in ``parlour.stops``.  Here is what is laid on the four
cards of the layout before the deal, and who takes it; what is paid at the end, and the first deal, are in
``parlour.stops.layout``.
"""

from typing import Any

from parlour.matchplay import gains, pay
from parlour.pools import put, win
from parlour.stops.layout import (
    FIRST_JACK,
    RUN_OFF,
    close_deal,
    end_run_off,
    fall,
    is_first_jack,
    pass_deal,
    pay_for_cards,
    redeal_hands,
    restore_open,
    sit_down,
)
from parlour.stops.play import (
    CARD_NAMES,
    DEALING,
    DRAWING,
    LEADING,
    OUT,
    OVER,
    PACK,
    RUNNING,
    SETTLED,
    STAGES,
    Stops,
    eldest_leads,
    gather,
    give,
    left_of,
    list_cards,
    lowest_of_suits,
    play_on,
    refuse_lead,
    show_hands,
    show_lowest,
    show_table,
)
from parlour.stops.play import THINGS as STOPS_THINGS
from parlour.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    TERMINAL,
    amount,
    amount_option,
    choice,
    count,
    note,
    number,
    numbers,
    one_of,
    seat_option,
    tell,
    whisper,
)

PLAYERS = range(3, 9)  # PJ-1
VERSION = 1

CARDS = CARD_NAMES
DECK = PACK  # PJ-21
DEALT = (0, 0, 0, 45, 48, 45, 48, 49, 48)  # cards that are dealt, by players (PJ-25, PJ-93)
LAYOUT = (26, 12, 24, 49)  # Ah Kc Qd Js (PJ-91)
WINNERS = sum(1 << c for c in LAYOUT)
POOLS = len(LAYOUT)
LEAST, USUAL_MOST = 4, 20  # totals that may be named (PJ-92)

NAMING, LAYING = 7, 8  # stages besides those of all games of stops and RUN_OFF
LEAD, LAY = 0, 52  # the first action of each kind; after LAY the numbers up to ``stake_max``, then the totals

# Options with two values: 0 is the default, the other is 1.
DEALER_FIRST = ANY = CAP = 1
SPREAD, SARATOGA = 0, 1


class Newmarket(Stops):
    stakes: int = amount_option("spread", 2, 25, clauses="PJ-92 PJ-97", spread=SPREAD, saratoga=SARATOGA)
    stake_max: int = amount_option(USUAL_MOST, LEAST, 100, clauses="PJ-92")
    dealer_lays: int = choice("last", "first", clauses="PJ-92")
    lead_rule: int = choice("lowest", "any", clauses="PJ-94")
    first_dealer: int = seat_option("jack", clauses="PJ-2", jack=FIRST_JACK)
    start_counters: int = amount_option(100, 0, 1000, clauses="PJ-15", kind="i4")
    shortfall: int = choice("credit", "cap", clauses="PJ-16")
    rounds: int = amount_option(2, 1, 31, clauses="PJ-17")
    leftovers: int = choice("runoff", "share", clauses="PJ-18 PJ-19")

    pool: list[int] = numbers(POOLS, "i4")
    total: int = number()  # that the dealer has named, 0 before
    left: int = number("i4")  # what the player still has to lay
    at: int = number("i1")  # on which card he lays now


def refuse_options(s: Newmarket) -> str:
    if s.stakes != SPREAD and s.stake_max != USUAL_MOST:
        return f"stake_max={s.stake_max} is for stakes=spread; in Saratoga no total is named (PJ-97)."
    return ""


# ------------------------------------------------------------------------------------------ the stakes


def begin(s: Newmarket, to: Any) -> None:
    if sit_down(s, s.start_counters, DECK):
        start_deal(s, to)


def start_deal(s: Newmarket, to: Any) -> None:
    """The dealer names a total (PJ-92), unless everybody lays the same (PJ-97)."""
    gather(s, DECK)
    s.total = 0
    if s.stakes == SPREAD:
        s.player = s.dealer
        s.stage = NAMING
        if most_total(s) == LEAST:
            name_total(s, LEAST, to)
    else:
        for p in range(s.players):
            paid = 0
            for k in range(POOLS):
                n = pay(s.coins, p, s.stakes, s.shortfall == CAP)
                s.pool[k] += n
                paid += n
            note(to, "PJ-97", "stakes", p, paid)
        start_dealing(s, to)


def most_total(s: Newmarket) -> int:
    """The most that the dealer may name: what the poorest player has, but not less than the least (PJ-92)."""
    most = s.stake_max
    for p in range(s.players):
        most = min(most, s.coins[p])
    return max(LEAST, most)


def name_total(s: Newmarket, n: int, to: Any) -> None:
    note(to, "PJ-92", "names", s.dealer, n)
    s.total = n
    s.stage = LAYING
    s.player = s.dealer if s.dealer_lays == DEALER_FIRST else left_of(s, s.dealer)
    s.left = to_lay(s)
    lay_forced(s, to)


def to_lay(s: Newmarket) -> int:
    """What the player has to lay: the total, or what he has of it if he cannot owe the rest (PJ-16)."""
    return min(s.total, max(0, s.coins[s.player])) if s.shortfall == CAP else s.total


def lay(s: Newmarket, n: int, to: Any) -> None:
    """The player lays counters on the next card; after the last one the next player does."""
    note(to, "PJ-92", "lays", s.player, n, LAYOUT[s.at])
    put(s.coins, s.player, s.pool, s.at, n)
    s.left -= n
    s.at += 1
    if s.at == POOLS:
        s.at = 0
        last = s.dealer if s.dealer_lays != DEALER_FIRST else (s.dealer + s.players - 1) % s.players
        if s.player == last:
            start_dealing(s, to)
        else:
            s.player = left_of(s, s.player)
            s.left = to_lay(s)


def lay_forced(s: Newmarket, to: Any) -> None:
    """The rest goes on the last card; where nothing is left, nothing is laid."""
    while (s.stage == LAYING) & ((s.at == POOLS - 1) | (s.left == 0)):
        lay(s, s.left, to)


# ------------------------------------------------------------------------------------------ deal, play and pools


def start_dealing(s: Newmarket, to: Any) -> None:
    s.stage = DEALING
    s.player = left_of(s, s.dealer)
    note(to, "PJ-5", "deals", s.dealer, DEALT[s.players] // s.players)


def deal_card(s: Newmarket, c: int, to: Any) -> None:
    give(s, c)
    if s.dealt == DEALT[s.players]:
        for p in range(s.players):
            whisper(to, "PJ-25", "dealt", p, count(s.hand[p]), s.hand[p])
        note(to, "PJ-26", "stock", EVERYBODY, count(s.stock))
        eldest_leads(s, to)
        go_on(s, -1, to)


def go_on(s: Newmarket, led: int, to: Any) -> None:
    """A card is led (``led``, if that is not -1), and what follows by itself, until somebody leads or the deal is
    over."""
    play_on(s, led, 0, WINNERS, to)
    while (s.stage == RUNNING) | (s.stage == OUT):
        if WINNERS >> s.card & 1:
            take(s, s.player, s.card, to)
        if s.stage == OUT:
            settle(s, to)
        else:
            play_on(s, -1, 0, WINNERS, to)


def take(s: Newmarket, p: int, c: int, to: Any) -> None:
    """Who plays a card of the layout, or gets it in the run-off, takes everything on it (PJ-31, PJ-19)."""
    for k in range(POOLS):
        if (LAYOUT[k] == c) & (s.pool[k] > 0):
            n = win(s.coins, p, s.pool, k)
            if s.stage == RUN_OFF:
                note(to, "PJ-19", "takes", p, n, c)
            else:
                note(to, "PJ-31", "takes", p, n, c)


# ------------------------------------------------------------------------------------------ settlement


def settle(s: Newmarket, to: Any) -> None:
    """A player is out and is paid for the cards that the others have left (PJ-11); pools that were not won stay."""
    winner = s.player
    note(to, "CO-27", "out", winner)
    show_hands(s, to)
    p = left_of(s, winner)
    while p != winner:
        pay_for_cards(s, p, winner, to)
        p = left_of(s, p)
    close_deal(s, to)


def next_deal(s: Newmarket, to: Any) -> None:
    s.total = 0
    if pass_deal(s, DECK, to):
        start_deal(s, to)


def run_off(s: Newmarket, c: int, to: Any) -> None:
    """A card of the run-off falls to the next player, with what lies on it (PJ-19)."""
    take(s, fall(s, c, to), c, to)
    end_run_off(s, to)


def returns(s: Newmarket, out: list[float]) -> None:
    """Counters won or lost in the match."""
    for p in range(s.players):
        out[p] = float(s.coins[p] - s.start_counters)


def deal_returns(s: Newmarket, out: list[float]) -> None:
    """Counters won or lost since the deal before was settled."""
    gains(s.coins, s.before, s.players, out)


# ------------------------------------------------------------------------------------------ who may do what


def actor(s: Newmarket) -> int:
    if (s.stage == LEADING) | (s.stage == NAMING) | (s.stage == LAYING):
        return s.player
    if s.stage == OVER:
        return TERMINAL
    return DEAL_OVER if s.stage == SETTLED else CHANCE


def chance(s: Newmarket) -> int:
    """The cards that may be dealt."""
    return s.stock


def happen(s: Newmarket, k: int, to: Any) -> None:
    if s.stage == DEALING:
        deal_card(s, k, to)
    elif s.stage == RUN_OFF:
        run_off(s, k, to)
    elif is_first_jack(s, k, to):
        start_deal(s, to)


def totals(s: Newmarket) -> int:
    """The action that would name nothing; add the total to it."""
    return LAY + s.stake_max + 1 - LEAST


def legal(s: Newmarket, me: int, acts: list[int]) -> int:
    if s.stage == LEADING:
        return list_cards(s.hand[me] if s.lead_rule == ANY else lowest_of_suits(s.hand[me], 0), LEAD, acts)
    first, last = (LAY, s.left) if s.stage == LAYING else (totals(s) + LEAST, most_total(s) - LEAST)
    for i in range(last + 1):
        acts[i] = first + i
    return last + 1


def candidates(s: Newmarket, me: int, acts: list[int]) -> int:
    """Of the totals the least and the most; nothing, a fair share or all that is left."""
    if s.stage == LEADING:
        return legal(s, me, acts)
    if s.stage == NAMING:
        acts[0] = totals(s) + LEAST
        acts[1] = totals(s) + most_total(s)
        return 2
    fair = s.left // (POOLS - s.at)
    acts[0] = LAY
    acts[1] = LAY + fair
    acts[1 + (fair > 0)] = LAY + s.left
    return 2 + (fair > 0)


def likely(s: Newmarket, me: int, acts: list[int]) -> int:
    """Lead a card of the layout, else any that may be led; name the least, and spread it evenly."""
    if s.stage == LEADING:
        n = legal(s, me, acts)
        for i in range(n):
            if WINNERS >> acts[i] & 1:
                acts[0] = acts[i]
                return 1
        return n
    acts[0] = LAY + s.left // (POOLS - s.at) if s.stage == LAYING else totals(s) + LEAST
    return 1


def apply(s: Newmarket, me: int, a: int, to: Any) -> None:
    if s.stage == LEADING:
        if s.lead_rule != ANY:
            show_lowest(s, a - LEAD, 0)  # PJ-94
        go_on(s, a - LEAD, to)
    elif s.stage == LAYING:
        lay(s, a - LAY, to)
        lay_forced(s, to)
    else:
        name_total(s, a - totals(s), to)


# ------------------------------------------------------------------------------------------ telling

THINGS = {
    "stage": one_of((*STAGES, "naming", "laying", "run-off")),
    "pool": amount(50, per=POOLS),
    "total": amount(20),
    "left": amount(20),
    "at": one_of([CARD_NAMES[c] for c in LAYOUT]),
    **STOPS_THINGS,
}


def show(s: Newmarket, to: Any) -> None:
    show_table(s, to)
    for k in range(POOLS):
        tell(to, "pool", k, s.pool[k])
    tell(to, "total", 0, s.total)
    tell(to, "left", 0, s.left)
    if s.stage == LAYING:
        tell(to, "at", 0, s.at)


def show_own(s: Newmarket, me: int, to: Any) -> None:
    """His hand, once it is complete."""
    if s.dealt == DEALT[s.players] and s.stage != OVER:
        tell(to, "hand", me, s.hand[me])


def restore(s: Newmarket, me: int) -> None:
    restore_open(s, DECK)


def redeal(s: Newmarket, me: int, rng: list[int]) -> None:
    redeal_hands(s, rng)


# ------------------------------------------------------------------------------------------ names and refusals


def action_names(s: Newmarket) -> list[str]:
    laid, named = range(s.stake_max + 1), range(LEAST, s.stake_max + 1)
    return [*(f"lead {c}" for c in CARDS), *(f"lay {n}" for n in laid), *(f"take {n}" for n in named)]


def outcome_name(s: Newmarket, k: int) -> str:
    return CARDS[k]


WAITING = {DRAWING: "PJ-2", DEALING: "PJ-25", RUN_OFF: "PJ-18", OVER: "PJ-17"}


def refuse(s: Newmarket, me: int, a: int) -> str:
    if s.stage in WAITING:
        return WAITING[s.stage]
    if s.stage in (NAMING, LAYING) or a >= LAY:
        return "PJ-92" if s.stakes == SPREAD else "PJ-97"
    return "PJ-94" if me == s.player and s.hand[me] >> a & 1 else refuse_lead(s, me)
