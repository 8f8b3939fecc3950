"""Leduc poker: two players, six cards, two rounds of betting and a board.  Clause ids (LE-n) refer to ``book.md``.

Actions and cards are numbered like those of OpenSpiel's ``leduc_poker``.
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

PLAYERS = range(2, 3)  # LE-1
VERSION = 1

CARDS = ("J1", "J2", "Q1", "Q2", "K1", "K2")  # LE-2
FOLD, CALL, RAISE = 0, 1, 2
ACTIONS = ("fold", "call", "raise")
DEALING, BETTING, FOLDED, SHOWDOWN = range(4)
MOST_RAISES = 2  # raises allowed in a round (LE-14)
BETS = (2, 4)  # chips of a raise, in the first round and in the second (LE-13)


class Leduc(Position):
    stage: int = number()
    dealt: int = number()  # number of cards dealt: one to each player, then the board
    hand: list[int] = numbers(2)  # each player's card: its index in CARDS plus 1; 0 if unknown
    board: int = number()  # the card on the board, in the same way
    paid: list[int] = numbers(2)  # chips that each player has paid
    raises: int = number()  # number of raises in this round
    moves: list[int] = numbers(2)  # number of moves in each round
    log: list[int] = numbers(8)  # the moves themselves: those of the first round from 0, of the second from 4


def begin(s: Leduc, to: Listener) -> None:
    """The ante (LE-4)."""
    s.paid[0] = s.paid[1] = 1


# ------------------------------------------------------------------------------------------ dealing (LE-5, LE-8)


def chance(s: Leduc) -> int:
    """The cards not seen in a hand or on the board."""
    seen = 1 << s.hand[0] | 1 << s.hand[1] | 1 << s.board  # bit 0 stands for an unknown card
    return 0b111111 & ~(seen >> 1)


def deal_card(s: Leduc, k: int, to: Listener) -> None:
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


# ------------------------------------------------------------------------------------------ betting (LE-7 to LE-15)


def second_round(s: Leduc) -> int:
    """0 in the first round, 1 in the second."""
    return s.dealt - 2


def whose_turn(s: Leduc) -> int:
    return s.moves[second_round(s)] % 2


def moves_allowed(s: Leduc, me: int, acts: list[int]) -> int:
    first = FOLD if s.paid[me] < s.paid[1 - me] else CALL  # LE-12
    last = RAISE if s.raises < MOST_RAISES else CALL
    for a in range(first, last + 1):
        acts[a - first] = a
    return last - first + 1


def move(s: Leduc, me: int, a: int, to: Listener) -> None:
    second = second_round(s)
    s.log[4 * second + s.moves[second]] = a
    s.moves[second] += 1
    if a == FOLD:
        s.stage = FOLDED
        note(to, "LE-11", "folds", me)
    elif a == RAISE:
        s.raises += 1
        s.paid[me] = s.paid[1 - me] + BETS[second]
        note(to, "LE-13", "raises", me, s.paid[me])
    else:
        s.paid[me] = s.paid[1 - me]
        note(to, "LE-10", "calls", me, s.paid[me])
        if s.moves[second] > 1:  # LE-9
            s.raises = 0
            s.stage = SHOWDOWN if second else DEALING
    if s.stage == SHOWDOWN:
        for p in range(2):
            note(to, "LE-15", "shows", p, s.hand[p] - 1)


def refuse_move(s: Leduc, me: int, a: int) -> str:
    return "LE-12" if a == FOLD else "LE-14"


# ------------------------------------------------------------------------------------------ the end (LE-16 to LE-18)


def strength(s: Leduc, p: int) -> int:
    """Return the strength of a hand: at a showdown its rank, 3 more with a pair; after a fold the chips paid, because a
    player who folds has paid less."""
    if s.stage == FOLDED:
        return s.paid[p]
    rank = rank_of(s.hand[p])
    return rank + 3 if rank == rank_of(s.board) else rank


def rank_of(card: int) -> int:
    """1, 2, 3 for jack, queen, king (LE-2)."""
    return (card + 1) // 2


def returns(s: Leduc, out: list[float]) -> None:
    """The winner wins what the loser has paid (LE-18)."""
    lost = 0 if strength(s, 0) < strength(s, 1) else 1
    chips = 0 if strength(s, 0) == strength(s, 1) else s.paid[lost]
    out[lost] = float(-chips)
    out[1 - lost] = float(chips)


# ------------------------------------------------------------------------------------------ the stages at a glance

STAGES = (
    Stage(DEALING, "dealing", CHANCE, lambda s, me, a: "LE-5" if s.dealt < 2 else "LE-8", happens=deal_card),
    Stage(BETTING, "betting", whose_turn, "LE-7", moves_allowed, move, refuse_move),
    Stage(FOLDED, "folded", TERMINAL, "LE-20"),
    Stage(SHOWDOWN, "showdown", TERMINAL, "LE-20"),
)
actor, acting, legal, apply, happen, refuse = by_stage(STAGES)


# ------------------------------------------------------------------------------------------ what players see

THINGS = {
    "stage": one_of([stage.name for stage in STAGES]),
    "dealt": amount(3),
    "hand": one_of(("none", *CARDS), per=2, seats=True).told(
        lambda s, p: s.stage == SHOWDOWN,  # LE-15, LE-19
        own=lambda s, me: (s.dealt > 1) & (s.stage != SHOWDOWN),  # LE-6
    ),
    "board": one_of(("none", *CARDS)),
    "paid": amount(13, per=2, seats=True),
    "raises": amount(2),
    "moves": amount(4, per=2),
    "log": one_of(ACTIONS, per=8).told(lambda s, k: k % 4 < s.moves[k // 4]),
}
show, show_own = by_thing(THINGS)


def redeal(s: Leduc, me: int, rng: list[int]) -> None:
    """Deal a random unseen card in place of a hand that was dealt but not shown to ``me``."""
    for p in range(2):
        if s.dealt > p and s.hand[p] == 0:
            s.hand[p] = draw(rng, chance(s)) + 1


def action_names(s: Leduc) -> list[str]:
    return [*ACTIONS]
