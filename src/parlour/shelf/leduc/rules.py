"""Leduc poker, numbered like OpenSpiel's ``leduc_poker``."""

from typing import Any

from parlour.vocabulary import CHANCE, TERMINAL, Position, amount, draw, note, number, numbers, one_of, tell, whisper

PLAYERS = range(2, 3)
VERSION = 1
CARDS = ("J1", "J2", "Q1", "Q2", "K1", "K2")
FOLD, CALL, RAISE = 0, 1, 2
DEALING, BETTING, FOLDED, SHOWDOWN = 0, 1, 2, 3


class Leduc(Position):
    stage: int = number()
    dealt: int = number()  # cards dealt: a hand each, then the board
    hand: list[int] = numbers(2)  # 1 to 6, in the order of CARDS; 0 for a card that is not known
    board: int = number()  # the same
    paid: list[int] = numbers(2)  # chips in the pot
    raises: int = number()  # in this round
    moves: list[int] = numbers(2)  # in each round
    log: list[int] = numbers(8)  # which they were: the first round from 0, the second from 4


THINGS = {
    "stage": one_of(("dealing", "betting", "folded", "showdown")),
    "dealt": amount(3),
    "hand": one_of(("none", *CARDS), per=2, seats=True),
    "board": one_of(("none", *CARDS)),
    "paid": amount(13, per=2, seats=True),
    "raises": amount(2),
    "moves": amount(4, per=2),
    "log": one_of(("fold", "call", "raise"), per=8),
}


def begin(s: Leduc, to: Any) -> None:
    s.paid[0] = s.paid[1] = 1


def actor(s: Leduc) -> int:
    if s.stage == DEALING:
        return CHANCE
    return s.moves[s.dealt - 2] % 2 if s.stage == BETTING else TERMINAL


def chance(s: Leduc) -> int:
    """The cards not seen in a hand or on the board."""
    seen = 1 << s.hand[0] | 1 << s.hand[1] | 1 << s.board  # bit 0: not known
    return 0b111111 & ~(seen >> 1)


def happen(s: Leduc, k: int, to: Any) -> None:
    if s.dealt < 2:
        s.hand[s.dealt] = k + 1
    else:
        s.board = k + 1
        note(to, "LE-8", "turned", 0, k)
    s.dealt += 1
    if s.dealt > 1:
        s.stage = BETTING
    if s.dealt == 2:
        for p in range(2):
            whisper(to, "LE-5", "dealt", p, s.hand[p] - 1)


def legal(s: Leduc, me: int, acts: list[int]) -> int:
    first = FOLD if s.paid[me] < s.paid[1 - me] else CALL
    last = RAISE if s.raises < 2 else CALL
    for a in range(first, last + 1):
        acts[a - first] = a
    return last - first + 1


def apply(s: Leduc, me: int, a: int, to: Any) -> None:
    second = s.dealt - 2  # 0 in the first round, 1 in the second
    s.log[4 * second + s.moves[second]] = a
    s.moves[second] += 1
    if a == FOLD:
        s.stage = FOLDED
        note(to, "LE-11", "folds", me)
    elif a == RAISE:
        s.raises += 1
        s.paid[me] = s.paid[1 - me] + 2 + 2 * second
        note(to, "LE-13", "raises", me, s.paid[me])
    else:
        s.paid[me] = s.paid[1 - me]
        note(to, "LE-10", "calls", me, s.paid[me])
        if s.moves[second] > 1:
            s.raises = 0
            s.stage = SHOWDOWN if second else DEALING
    if s.stage == SHOWDOWN:
        for p in range(2):
            note(to, "LE-15", "shows", p, s.hand[p] - 1)


def strength(s: Leduc, p: int) -> int:
    """At a showdown the rank, 3 more with a pair; after a fold the chips paid, for who folds has paid less."""
    if s.stage == FOLDED:
        return s.paid[p]
    rank = (s.hand[p] + 1) // 2
    return rank + 3 if rank == (s.board + 1) // 2 else rank


def returns(s: Leduc, out: list[float]) -> None:
    lost = 0 if strength(s, 0) < strength(s, 1) else 1
    chips = 0 if strength(s, 0) == strength(s, 1) else s.paid[lost]
    out[lost] = float(-chips)
    out[1 - lost] = float(chips)


def show(s: Leduc, to: Any) -> None:
    tell(to, "stage", 0, s.stage)
    tell(to, "dealt", 0, s.dealt)
    tell(to, "board", 0, s.board)
    tell(to, "raises", 0, s.raises)
    for p in range(2):
        tell(to, "paid", p, s.paid[p])
        tell(to, "moves", p, s.moves[p])
        if s.stage == SHOWDOWN:
            tell(to, "hand", p, s.hand[p])
    for k in range(8):
        if k % 4 < s.moves[k // 4]:
            tell(to, "log", k, s.log[k])


def show_own(s: Leduc, me: int, to: Any) -> None:
    if s.dealt > 1 and s.stage != SHOWDOWN:
        tell(to, "hand", me, s.hand[me])


def redeal(s: Leduc, me: int, rng: list[int]) -> None:
    """A hand that was dealt but not shown to me may be any card that I do not see."""
    for p in range(2):
        if s.dealt > p and s.hand[p] == 0:
            s.hand[p] = draw(rng, chance(s)) + 1


def action_names(s: Leduc) -> list[str]:
    return ["fold", "call", "raise"]


def outcome_name(s: Leduc, k: int) -> str:
    return CARDS[k]


def refuse(s: Leduc, me: int, a: int) -> str:
    if s.stage != BETTING:
        return "LE-5" if s.dealt < 2 else "LE-8" if s.stage == DEALING else "LE-20"
    if s.moves[s.dealt - 2] % 2 != me:
        return "LE-7"
    return "LE-12" if a == FOLD else "LE-14"
