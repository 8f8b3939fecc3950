"""Sampler: a made-up game that uses everything the engine promises.  The book is beside it."""

from typing import Any

from parlour.vocabulary import (
    CHANCE,
    EVERYBODY,
    SEVERAL,
    TERMINAL,
    Position,
    amount,
    amount_option,
    below,
    choice,
    note,
    number,
    numbers,
    one_of,
    seat,
    seat_option,
    tell,
    whisper,
)

PLAYERS = range(2, 5)
VERSION = 1
CARDS = ("comet", "blue", "red")
COPIES = (1, 2, 2)
COMET, RED = 1, 3  # as held: 0 is a card that is not known
PASS, USE, DENY, SHOW, BET = 0, 1, 2, 3, 3  # to bet n coins is BET + n
DEALING, BETTING, TALKING, OVER = 0, 1, 2, 3
DENIED, SHOWN = 1, 2
TAKES = 0


class Sampler(Position):
    limit: int = amount_option(2, 1, 3, clauses="SA-8", none=0)
    comet: int = choice("takes", "voids", clauses="SA-11")
    first: int = seat_option(0, clauses="SA-4")
    stage: int = number()
    deal: int = number()
    dealt: int = number()  # cards dealt
    hand: list[int] = numbers(4)
    coins: list[int] = numbers(4)
    bet: list[int] = numbers(4)
    asked: int = number()  # who is asked about the comet, counted from 1
    turn: int = number()  # whose turn it is to talk, once nobody is asked
    did: list[int] = numbers(4)


THINGS = {
    "stage": one_of(("dealing", "betting", "talking", "over")),
    "deal": amount(2),
    "dealt": amount(4),
    "hand": one_of(("none", *CARDS), per=4, seats=True),
    "coins": amount(12, per=4, seats=True),
    "bet": amount(12, per=4, seats=True, optional=True),
    "asked": one_of(5),
    "turn": seat(),
    "did": one_of(("nothing", "denied", "shown"), per=4, seats=True),
}


def begin(s: Sampler, to: Any) -> None:
    s.turn = s.first
    for p in range(s.players):
        s.coins[p] = 3


def actor(s: Sampler) -> int:
    if s.stage == TALKING:
        return s.asked - 1 if s.asked else s.turn
    return CHANCE if s.stage == DEALING else SEVERAL if s.stage == BETTING else TERMINAL


def acting(s: Sampler) -> int:
    """Those who have coins and have not bet."""
    wanted = 0
    for p in range(s.players):
        if s.coins[p] > 0 and s.bet[p] == 0:
            wanted |= 1 << p
    return wanted


def chance(s: Sampler) -> int:
    kinds = 0
    for k in range(3):
        if weight(s, k) > 0:
            kinds |= 1 << k
    return kinds


def weight(s: Sampler, k: int) -> int:
    """Copies that are in no hand."""
    left = COPIES[k]
    for p in range(s.players):
        if s.hand[p] == k + 1:
            left -= 1
    return left


def happen(s: Sampler, k: int, to: Any) -> None:
    s.hand[s.dealt] = k + 1
    s.dealt += 1
    if s.dealt == s.players:
        s.stage = BETTING
        for p in range(s.players):
            whisper(to, "SA-5", "dealt", p, s.hand[p] - 1)


def legal(s: Sampler, me: int, acts: list[int]) -> int:
    if s.stage == BETTING:
        first = BET + 1
        last = BET + (s.limit if 0 < s.limit < s.coins[me] else s.coins[me])
    elif s.asked:
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
        whisper(to, "SA-10", "keeps", me)
    elif a == USE:
        note(to, "SA-11", "uses", me)
        settle(s, me if s.comet == TAKES else EVERYBODY)
    else:
        talk(s, me, a, to)


def reveal(s: Sampler, to: Any) -> None:
    """All bets are in: show them, then ask whoever holds the comet."""
    s.stage = TALKING
    for p in range(s.players):
        s.coins[p] -= s.bet[p]
        note(to, "SA-9", "bets", p, s.bet[p])
        if s.hand[p] == COMET:
            s.asked = p + 1


def talk(s: Sampler, me: int, a: int, to: Any) -> None:
    if a == DENY:
        s.did[me] = DENIED
        note(to, "SA-13", "denies", me)
    else:
        s.did[me] = SHOWN
        note(to, "SA-12", "shows", me, s.hand[me] - 1)
    s.turn = (s.turn + 1) % s.players
    if s.did[s.turn] == 0:
        return
    taker = s.turn  # the leader, unless somebody has shown
    best = 0
    for _ in range(s.players):
        if s.did[s.turn] == SHOWN and s.hand[s.turn] >= best:
            taker = s.turn
            best = s.hand[s.turn]
        s.turn = (s.turn + 1) % s.players
    note(to, "SA-14", "takes", taker)
    settle(s, taker)


def settle(s: Sampler, taker: int) -> None:
    """All bets go to the taker, or back if that is everybody; then the next deal."""
    for p in range(s.players):
        if taker == EVERYBODY:
            s.coins[p] += s.bet[p]
        else:
            s.coins[taker] += s.bet[p]
        s.hand[p] = s.bet[p] = s.did[p] = 0
    s.dealt = s.asked = 0
    s.deal += 1
    s.stage = DEALING if s.deal < 2 else OVER
    s.turn = (s.first + s.deal) % s.players


def returns(s: Sampler, out: list[float]) -> None:
    for p in range(s.players):
        out[p] = float(s.coins[p] - 3)


def show(s: Sampler, to: Any) -> None:
    tell(to, "stage", 0, s.stage)
    tell(to, "deal", 0, s.deal)
    tell(to, "dealt", 0, s.dealt)
    tell(to, "turn", 0, s.turn)
    for p in range(s.players):
        tell(to, "coins", p, s.coins[p])
        tell(to, "did", p, s.did[p])
        if s.stage == TALKING:
            tell(to, "bet", p, s.bet[p])
        if s.did[p] == SHOWN:
            tell(to, "hand", p, s.hand[p])


def show_own(s: Sampler, me: int, to: Any) -> None:
    if s.dealt == s.players and s.did[me] != SHOWN:
        tell(to, "hand", me, s.hand[me])
    if s.stage == BETTING and s.bet[me] > 0:
        tell(to, "bet", me, s.bet[me])
    if s.asked == me + 1:
        tell(to, "asked", 0, s.asked)


def redeal(s: Sampler, me: int, rng: list[int]) -> None:
    """Deal what I do not see, again and again until nobody who has denied red holds red."""
    hidden = 0
    for p in range(s.dealt):
        if s.hand[p] == 0:
            hidden |= 1 << p
    fits = False
    while not fits:
        fits = True
        for p in range(s.dealt):
            if hidden >> p & 1:
                s.hand[p] = 0
        for p in range(s.dealt):
            if hidden >> p & 1:
                n = below(rng, weight(s, 0) + weight(s, 1) + weight(s, 2))
                k = 0
                while n >= weight(s, k):
                    n -= weight(s, k)
                    k += 1
                s.hand[p] = k + 1
                if s.hand[p] == RED and s.did[p] == DENIED:
                    fits = False


def action_names(s: Sampler) -> list[str]:
    return ["pass", "use", "deny", "show", *(f"bet {n}" for n in range(1, 3 * s.players + 1))]


def outcome_name(s: Sampler, k: int) -> str:
    return CARDS[k]


def refuse(s: Sampler, me: int, a: int) -> str:
    if s.stage == DEALING or s.stage == OVER:
        return "SA-5" if s.stage == DEALING else "SA-16"
    if (a > BET) != (s.stage == BETTING):
        return "SA-7"
    if a > BET:
        return "SA-8" if s.coins[me] > 0 and s.bet[me] == 0 else "SA-7"
    if a == PASS or a == USE or s.asked == me + 1:
        return "SA-10"
    return "SA-12" if s.asked or s.turn != me else "SA-13"
