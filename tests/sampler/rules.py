"""Sampler: a made-up game that uses everything the engine promises.  The book is beside it."""

from typing import Any

from parlour.rules.matchplay import (
    Match,
    before,
    deals_over,
    everybody_sits,
    gains,
    is_seated,
    leave_table,
    next_seated,
    odd_coins,
    share_out,
)
from parlour.rules.vocabulary import (
    CHANCE,
    DEAL_OVER,
    EVERYBODY,
    SEVERAL,
    TERMINAL,
    amount,
    amount_option,
    below,
    choice,
    count,
    note,
    nth,
    number,
    numbers,
    one_of,
    seat,
    seat_option,
    seat_set,
    tell,
    values_of,
    whisper,
)

PLAYERS = range(2, 5)
VERSION = 3
SINCE = {3: {"broke": "stays"}}  # 2 lacks an option; 1 plays otherwise
CARDS = ("comet", "blue", "red")
COPIES = (1, 2, 2)
COMET, RED = 1, 3  # as held: 0 is a card that is not known
PASS, USE, DENY, SHOW, BET = 0, 1, 2, 3, 3  # to bet n coins is BET + n
DEALING, BETTING, ASKING, TALKING, OVER = 0, 1, 2, 3, 4
DENIED, SHOWN = 1, 2


class Sampler(Match):
    limit: int = amount_option(2, 1, 3, clauses="SA-8", none=0)
    comet: int = choice("takes", "voids", "carries", clauses="SA-11")
    first: int = seat_option(0, clauses="SA-4")
    passes: int = choice("left", "right", clauses="SA-4")
    broke: int = choice("stays", "leaves", clauses="SA-18")
    stage: int = number()
    dealt: int = number()  # cards dealt
    hand: list[int] = numbers(4)
    coins: list[int] = numbers(4, "i1")
    had: list[int] = numbers(4, "i1")  # coins when the deal began
    bet: list[int] = numbers(4)
    pot: int = number()  # bets carried over
    asked: int = number()  # who is asked about the comet, counted from 1; if nobody is, chance takes the step
    turn: int = number()  # whose turn it is to talk
    did: list[int] = numbers(4)


TAKES, VOIDS, CARRIES = values_of(Sampler, "comet")
LEFT, RIGHT = values_of(Sampler, "passes")
STAYS, LEAVES = values_of(Sampler, "broke")


THINGS = {
    "stage": one_of(("dealing", "betting", "asking", "talking", "over")),
    "deal": amount(2),
    "dealer": seat(),
    "seated": seat_set(),
    "dealt": amount(4),
    "hand": one_of(("none", *CARDS), per=4, seats=True),
    "coins": amount(12, per=4, seats=True),
    "had": amount(12, per=4, seats=True),
    "bet": amount(12, per=4, seats=True, optional=True),
    "pot": amount(12),
    "asked": one_of(5),
    "turn": seat(),
    "did": one_of(("nothing", "denied", "shown"), per=4, seats=True),
}


def begin(s: Sampler, to: Any) -> None:
    everybody_sits(s)
    s.dealer = s.turn = s.first
    for p in range(s.players):
        s.coins[p] = s.had[p] = 3


def actor(s: Sampler) -> int:
    if s.stage == TALKING:
        return s.turn
    if s.stage == ASKING:
        return s.asked - 1 if s.asked else CHANCE
    if s.stage == OVER:
        return TERMINAL if finished(s) else DEAL_OVER
    return CHANCE if s.stage == DEALING else SEVERAL


def acting(s: Sampler) -> int:
    """Those at the table who have coins and have not bet."""
    wanted = 0
    for p in range(s.players):
        if is_seated(s, p) and s.coins[p] > 0 and s.bet[p] == 0:
            wanted |= 1 << p
    return wanted


def hushed(s: Sampler) -> bool:
    """Nobody else may notice whether the comet is out, nor who is asked about it (SA-15)."""
    return s.stage == ASKING


def silence(s: Sampler, me: int) -> int:
    return PASS


def chance(s: Sampler) -> int:
    """The kinds that may be dealt; or that nobody is asked about the comet."""
    if s.stage == ASKING:
        return 1
    kinds = 0
    for k in range(3):
        if weight(s, k) > 0:
            kinds |= 1 << k
    return kinds


def weight(s: Sampler, k: int) -> int:
    return 1 if s.stage == ASKING else copies_left(s, k)


def copies_left(s: Sampler, k: int) -> int:
    """Copies that are in no hand."""
    left = COPIES[k]
    for p in range(s.players):
        if s.hand[p] == k + 1:
            left -= 1
    return left


def happen(s: Sampler, k: int, to: Any) -> None:
    if s.stage == ASKING:
        s.stage = TALKING
        return
    s.hand[nth(s.seated, s.dealt)] = k + 1
    s.dealt += 1
    if s.dealt == count(s.seated):
        s.stage = BETTING
        for p in range(s.players):
            if is_seated(s, p):
                whisper(to, "SA-5", "dealt", p, s.hand[p] - 1)
        if acting(s) == 0:  # all coins are in the pot
            reveal(s, to)


def has_card(s: Sampler, p: int) -> bool:
    """Whether he has been dealt one."""
    return is_seated(s, p) and count(s.seated & ((1 << p) - 1)) < s.dealt


def legal(s: Sampler, me: int, acts: list[int]) -> int:
    if s.stage == BETTING:
        first = BET + 1
        last = BET + (s.limit if 0 < s.limit < s.coins[me] else s.coins[me])
    elif s.stage == ASKING:
        first, last = PASS, USE
    else:
        first, last = SHOW if s.hand[me] == RED else DENY, SHOW
    for a in range(first, last + 1):
        acts[a - first] = a
    return last - first + 1


def apply(s: Sampler, me: int, a: int, to: Any) -> None:
    if a > BET:
        s.bet[me] = a - BET
        whisper(to, "SA-7", "sets_aside", me, a - BET)
        if acting(s) == 0:
            reveal(s, to)
    elif a == PASS:
        s.asked = 0
        s.stage = TALKING
        whisper(to, "SA-10", "keeps", me)
    elif a == USE:
        note(to, "SA-11", "uses", me)
        if s.comet == TAKES:
            take(s, me)
        elif s.comet == VOIDS:
            for p in range(s.players):
                s.coins[p] += s.bet[p]
        else:
            for p in range(s.players):
                s.pot += s.bet[p]
        settle(s, to)
    else:
        talk(s, me, a, to)


def reveal(s: Sampler, to: Any) -> None:
    """All bets are in: show them, then ask whoever holds the comet."""
    s.stage = ASKING
    for p in range(s.players):
        if is_seated(s, p):
            s.coins[p] -= s.bet[p]
            note(to, "SA-9", "bets", p, s.bet[p])
    ask_holder(s)


def ask_holder(s: Sampler) -> None:
    """The question about the comet is under way: who is asked."""
    for p in range(s.players):
        if s.stage == ASKING and s.hand[p] == COMET:
            s.asked = p + 1


def talk(s: Sampler, me: int, a: int, to: Any) -> None:
    if a == DENY:
        s.did[me] = DENIED
        note(to, "SA-13", "denies", me)
    else:
        s.did[me] = SHOWN
        note(to, "SA-12", "shows", me, s.hand[me] - 1)
    s.turn = next_seated(s, s.turn)
    if s.did[s.turn] == 0:
        return
    taker = s.turn  # the leader, unless somebody has shown
    best = 0
    for _ in range(count(s.seated)):
        if s.did[s.turn] == SHOWN and s.hand[s.turn] >= best:
            taker = s.turn
            best = s.hand[s.turn]
        s.turn = next_seated(s, s.turn)
    note(to, "SA-14", "takes", taker)
    take(s, taker)
    settle(s, to)


def take(s: Sampler, taker: int) -> None:
    """All bets go to the taker, and the pot."""
    for p in range(s.players):
        s.coins[taker] += s.bet[p]
    s.coins[taker] += s.pot
    s.pot = 0


def settle(s: Sampler, to: Any) -> None:
    """The deal is over: who leaves, and, if it was the last, who gets what is in the pot."""
    for p in range(s.players):
        s.hand[p] = s.bet[p] = s.did[p] = 0
    s.dealt = s.asked = s.turn = 0
    s.deal += 1
    s.stage = OVER
    for p in range(s.players):
        if s.broke == LEAVES and s.pot == 0 and s.coins[p] == 0 and is_seated(s, p):
            note(to, "SA-18", "leaves", p)
            leave_table(s, p)
    if finished(s) and s.pot > 0:
        note(to, "SA-19", "shared", EVERYBODY, s.pot)
        odd = share_out(s.coins, s.seated, s.pot)
        odd_coins(s.coins, s.seated, s.players, s.dealer, odd)
        s.pot = 0


def finished(s: Sampler) -> bool:
    """After two deals (SA-16), or when only one is left (SA-18)."""
    return deals_over(s, 2) or count(s.seated) == 1


def next_deal(s: Sampler, to: Any) -> None:
    s.dealer = before(s.seated, s.dealer) if s.passes == RIGHT else next_seated(s, s.dealer)
    note(to, "SA-4", "begins", s.dealer, s.deal + 1)
    s.turn = s.dealer
    s.stage = DEALING
    for p in range(s.players):
        s.had[p] = s.coins[p]


def returns(s: Sampler, out: list[float]) -> None:
    for p in range(s.players):
        out[p] = float(s.coins[p] - 3)


def deal_returns(s: Sampler, out: list[float]) -> None:
    gains(s.coins, s.had, s.players, out)


def show(s: Sampler, to: Any) -> None:
    tell(to, "stage", 0, s.stage)
    tell(to, "deal", 0, s.deal)
    tell(to, "dealer", 0, s.dealer)
    tell(to, "seated", 0, s.seated)
    tell(to, "pot", 0, s.pot)
    tell(to, "dealt", 0, s.dealt)
    tell(to, "turn", 0, s.turn)
    for p in range(s.players):
        tell(to, "coins", p, s.coins[p])
        tell(to, "had", p, s.had[p])
        tell(to, "did", p, s.did[p])
        if (s.stage == ASKING or s.stage == TALKING) and is_seated(s, p):
            tell(to, "bet", p, s.bet[p])
        if s.did[p] == SHOWN:
            tell(to, "hand", p, s.hand[p])


def show_own(s: Sampler, me: int, to: Any) -> None:
    if s.stage != DEALING and s.hand[me] > 0 and s.did[me] != SHOWN:
        tell(to, "hand", me, s.hand[me])
    if s.stage == BETTING and s.bet[me] > 0:
        tell(to, "bet", me, s.bet[me])
    if s.asked == me + 1:
        tell(to, "asked", 0, s.asked)


def redeal(s: Sampler, me: int, rng: list[int]) -> None:
    """Deal what I do not see, again and again until nobody who has denied red holds red."""
    hidden = 0
    for p in range(s.players):
        if has_card(s, p) and s.hand[p] == 0:
            hidden |= 1 << p
    fits = False
    while not fits:
        fits = True
        for p in range(s.players):
            if hidden >> p & 1:
                s.hand[p] = 0
        for p in range(s.players):
            if hidden >> p & 1:
                n = below(rng, copies_left(s, 0) + copies_left(s, 1) + copies_left(s, 2))
                k = 0
                while n >= copies_left(s, k):
                    n -= copies_left(s, k)
                    k += 1
                s.hand[p] = k + 1
                if s.hand[p] == RED and s.did[p] == DENIED:
                    fits = False
    ask_holder(s)


def action_names(s: Sampler) -> list[str]:
    return ["pass", "use", "deny", "show", *(f"bet {n}" for n in range(1, 3 * s.players + 1))]


def outcome_name(s: Sampler, k: int) -> str:
    return "nobody" if s.stage == ASKING else CARDS[k]


def refuse(s: Sampler, me: int, a: int) -> str:
    if s.stage == DEALING or s.stage == OVER:
        return "SA-5" if s.stage == DEALING else "SA-16"
    if (a > BET) != (s.stage == BETTING):
        return "SA-7"
    if a > BET:
        return "SA-8" if s.coins[me] > 0 and s.bet[me] == 0 else "SA-7"
    if a == PASS or a == USE or s.stage == ASKING:
        return "SA-10"
    return "SA-12" if s.turn != me else "SA-13"
