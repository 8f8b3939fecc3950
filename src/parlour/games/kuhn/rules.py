"""Kuhn poker: two players, three cards, one bet.  Clause ids (KU-n) refer to the rule book, ``book.md``.

This is the smallest game, and a good one to read first: the position, each stage, the table of stages, the facts that
players are told.  Actions and cards are numbered like those of OpenSpiel's ``kuhn_poker``.
"""

from parlour.rules.vocabulary import (
    CHANCE,
    TERMINAL,
    Listener,
    Position,
    Stage,
    amount,
    by_stage,
    by_thing,
    draw,
    note,
    number,
    numbers,
    one_of,
    whisper,
)

PLAYERS = range(2, 3)  # KU-1
VERSION = 1

CARDS = ("J", "Q", "K")  # KU-2
PASS, BET = 0, 1
DEALING, BETTING, FOLDED, SHOWDOWN = range(4)


class Kuhn(Position):
    stage: int = number()
    dealt: int = number()  # number of cards dealt
    hand: list[int] = numbers(2)  # each player's card: 1, 2, 3 for jack, queen, king; 0 if unknown
    paid: list[int] = numbers(2)  # chips that each player has paid
    moves: int = number()  # number of moves made


def begin(s: Kuhn, to: Listener) -> None:
    """The ante (KU-3)."""
    s.paid[0] = s.paid[1] = 1


# ------------------------------------------------------------------------------------------ dealing (KU-4)


def chance(s: Kuhn) -> int:
    """The cards not seen in a hand."""
    seen = 1 << s.hand[0] | 1 << s.hand[1]  # bit 0 stands for an unknown card
    return 0b111 & ~(seen >> 1)


def deal_card(s: Kuhn, k: int, to: Listener) -> None:
    s.hand[s.dealt] = k + 1
    s.dealt += 1
    if s.dealt == 2:
        s.stage = BETTING
        for p in range(2):
            whisper(to, "KU-4", "dealt", p, s.hand[p] - 1)


# ------------------------------------------------------------------------------------------ betting (KU-6 to KU-9)


def whose_turn(s: Kuhn) -> int:
    return s.moves % 2


def move(s: Kuhn, me: int, a: int, to: Listener) -> None:
    note(to, "KU-7", "bets" if a == BET else "passes", me)
    s.moves += 1
    if a == BET:
        s.paid[me] = 2
    if s.paid[me] < s.paid[1 - me]:
        s.stage = FOLDED
    elif s.paid[me] == s.paid[1 - me] and s.moves > 1:
        s.stage = SHOWDOWN
        for p in range(2):
            note(to, "KU-9", "shows", p, s.hand[p] - 1)


# ------------------------------------------------------------------------------------------ the end (KU-9 to KU-13)


def winner(s: Kuhn) -> int:
    """Return the winner: at a showdown the player with the higher card, after a fold the one who has paid more."""
    if s.stage == SHOWDOWN:
        return 0 if s.hand[0] > s.hand[1] else 1
    return 0 if s.paid[0] > s.paid[1] else 1


def returns(s: Kuhn, out: list[float]) -> None:
    """The winner wins what the loser has paid (KU-13)."""
    lost = 1 - winner(s)
    out[lost] = -float(s.paid[lost])
    out[1 - lost] = float(s.paid[lost])


# ------------------------------------------------------------------------------------------ the stages at a glance

STAGES = (
    Stage(DEALING, "dealing", CHANCE, "KU-4", happens=deal_card),
    Stage(BETTING, "betting", whose_turn, "KU-6", (PASS, BET), move),
    Stage(FOLDED, "folded", TERMINAL, "KU-11"),
    Stage(SHOWDOWN, "showdown", TERMINAL, "KU-11"),
)
actor, acting, legal, apply, happen, refuse = by_stage(STAGES)


# ------------------------------------------------------------------------------------------ what players see

THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "dealt": amount(2),
    "hand": one_of(("none", *CARDS), per=2, seats=True).told(
        lambda s, p: s.stage == SHOWDOWN,  # KU-9, KU-12
        own=lambda s, me: (s.dealt == 2) & (s.stage != SHOWDOWN),  # KU-5
    ),
    "paid": amount(2, per=2, seats=True),
    "moves": amount(3),
}
show, show_own = by_thing(THINGS)


def redeal(s: Kuhn, me: int, rng: list[int]) -> None:
    """Deal a random unseen card in place of one that was dealt but not shown to ``me``."""
    for p in range(s.dealt):
        if s.hand[p] == 0:
            s.hand[p] = draw(rng, chance(s)) + 1


def action_names(s: Kuhn) -> list[str]:
    return ["pass", "bet"]
