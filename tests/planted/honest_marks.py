"""With the option ``marks`` each player in turn, before the betting, makes a mark of two kinds in secret."""

from typing import Any

from parlour.games.kuhn.invariants import hide as honest_hide
from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import BETTING, DEALING, THINGS, Kuhn
from parlour.games.kuhn.rules import actor as honest_actor
from parlour.games.kuhn.rules import apply as honest_apply
from parlour.games.kuhn.rules import happen as honest_happen
from parlour.games.kuhn.rules import redeal as honest_redeal
from parlour.games.kuhn.rules import show as honest_show
from parlour.games.kuhn.rules import show_own as honest_show_own
from parlour.rules.bounds import Bounds
from parlour.rules.vocabulary import amount, below, choice, number, numbers, one_of, tell, whisper

BASE, OPTIONS = "kuhn", {"marks": "secret"}
MARKING = 4

THINGS = {
    **THINGS,
    "stage": one_of(("dealing", "betting", "folded", "showdown", "marking")),
    "mark": one_of(3, per=2, seats=True),
    "marked": amount(2),
}


class Planted(Kuhn):
    marks: int = choice("none", "secret", clauses="KU-6")
    mark: list[int] = numbers(2)
    marked: int = number()


def happen(s: Planted, k: int, to: Any) -> None:
    honest_happen(s, k, to)
    if s.stage == BETTING and s.marks:
        s.stage = MARKING


def legal(s: Planted, me: int, acts: list[int]) -> int:
    acts[0] = 0
    acts[1] = 1
    return 2


def actor(s: Planted) -> int:
    return s.marked if s.stage == MARKING else honest_actor(s)


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    if s.stage != MARKING:
        honest_apply(s, me, a, to)
        return
    s.mark[me] = a + 1
    s.marked += 1
    whisper(to, "KU-7", "bets" if a else "passes", me)
    if s.marked == 2:
        s.stage = BETTING


def show(s: Planted, to: Any) -> None:
    honest_show(s, to)
    tell(to, "marked", 0, s.marked)


def show_own(s: Planted, me: int, to: Any) -> None:
    honest_show_own(s, me, to)
    tell(to, "mark", me, s.mark[me])


def redeal(s: Planted, me: int, rng: list[int]) -> None:
    honest_redeal(s, me, rng)
    for p in range(s.marked):
        if s.mark[p] == 0:
            s.mark[p] = 1 + below(rng, 2)


def refuse(s: Planted, me: int, a: int) -> str:
    return "KU-4" if s.stage == DEALING else "KU-6"


def hide(s: Any, me: int) -> None:
    honest_hide(s, me)
    s.mark[:] = [mark if p == me else 0 for p, mark in enumerate(s.mark)]


def bounds(s: Any) -> Bounds:
    return Bounds(-2.0, 2.0, 0.0, 5 if s.marks else 3)
