"""Kuhn poker, numbered like OpenSpiel's ``kuhn_poker``."""

from typing import Any

from parlour.vocabulary import CHANCE, TERMINAL, Position, amount, draw, note, number, numbers, one_of, tell, whisper

PLAYERS = range(2, 3)
VERSION = 1
CARDS = ("J", "Q", "K")
PASS, BET = 0, 1
DEALING, BETTING, FOLDED, SHOWDOWN = 0, 1, 2, 3


class Kuhn(Position):
    stage: int = number()
    dealt: int = number()  # cards dealt
    hand: list[int] = numbers(2)  # 1, 2, 3 for jack, queen, king; 0 for a card that is not known
    paid: list[int] = numbers(2)  # chips in the pot
    moves: int = number()


THINGS = {
    "stage": one_of(("dealing", "betting", "folded", "showdown")),
    "dealt": amount(2),
    "hand": one_of(("none", *CARDS), per=2, seats=True),
    "paid": amount(2, per=2, seats=True),
    "moves": amount(3),
}


def begin(s: Kuhn, to: Any) -> None:
    s.paid[0] = s.paid[1] = 1


def actor(s: Kuhn) -> int:
    if s.stage == DEALING:
        return CHANCE
    return s.moves % 2 if s.stage == BETTING else TERMINAL


def chance(s: Kuhn) -> int:
    """The cards not seen in a hand."""
    seen = 1 << s.hand[0] | 1 << s.hand[1]  # bit 0: not known
    return 0b111 & ~(seen >> 1)


def happen(s: Kuhn, k: int, to: Any) -> None:
    s.hand[s.dealt] = k + 1
    s.dealt += 1
    if s.dealt == 2:
        s.stage = BETTING
        for p in range(2):
            whisper(to, "KU-4", "dealt", p, s.hand[p] - 1)


def legal(s: Kuhn, me: int, acts: list[int]) -> int:
    acts[0] = PASS
    acts[1] = BET
    return 2


def apply(s: Kuhn, me: int, a: int, to: Any) -> None:
    s.moves += 1
    if a == BET:
        s.paid[me] = 2
        note(to, "KU-7", "bets", me)
    else:
        note(to, "KU-7", "passes", me)
    if s.paid[me] < s.paid[1 - me]:
        s.stage = FOLDED
    elif s.paid[me] == s.paid[1 - me] and s.moves > 1:
        s.stage = SHOWDOWN
        for p in range(2):
            note(to, "KU-9", "shows", p, s.hand[p] - 1)


def winner(s: Kuhn) -> int:
    """At a showdown the higher card, after a fold the one who has paid more."""
    if s.stage == SHOWDOWN:
        return 0 if s.hand[0] > s.hand[1] else 1
    return 0 if s.paid[0] > s.paid[1] else 1


def returns(s: Kuhn, out: list[float]) -> None:
    lost = 1 - winner(s)
    out[lost] = -float(s.paid[lost])
    out[1 - lost] = float(s.paid[lost])


def show(s: Kuhn, to: Any) -> None:
    tell(to, "stage", 0, s.stage)
    tell(to, "dealt", 0, s.dealt)
    tell(to, "moves", 0, s.moves)
    for p in range(2):
        tell(to, "paid", p, s.paid[p])
        if s.stage == SHOWDOWN:
            tell(to, "hand", p, s.hand[p])


def show_own(s: Kuhn, me: int, to: Any) -> None:
    if s.dealt == 2 and s.stage != SHOWDOWN:
        tell(to, "hand", me, s.hand[me])


def redeal(s: Kuhn, me: int, rng: list[int]) -> None:
    """A card that was dealt but not shown to me may be any that I do not see."""
    for p in range(s.dealt):
        if s.hand[p] == 0:
            s.hand[p] = draw(rng, chance(s)) + 1


def action_names(s: Kuhn) -> list[str]:
    return ["pass", "bet"]


def outcome_name(s: Kuhn, k: int) -> str:
    return CARDS[k]


def refuse(s: Kuhn, me: int, a: int) -> str:
    if s.stage == BETTING:
        return "KU-6"
    return "KU-4" if s.stage == DEALING else "KU-11"
