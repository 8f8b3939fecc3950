"""Whoever holds the comet is asked once more if they bet the least."""

from sampler.rules import *  # noqa: F403
from sampler.rules import BET, BETTING, COMET, Any, Sampler, is_seated, reveal, whisper
from sampler.rules import apply as honest_apply
from sampler.rules import legal as honest_legal

BASE, CAUGHT_BY, SAYS = "sampler", "asked", "times at a sealed node"


class Planted(Sampler):
    """As it was."""


def is_asked(s: Planted, p: int) -> bool:
    return s.bet[p] == 0 or (s.hand[p] == COMET and s.bet[p] == 1 and min(s.coins[p], s.limit or s.coins[p]) > 1)


def acting(s: Planted) -> int:
    return sum(1 << p for p in range(s.players) if is_seated(s, p) and s.coins[p] > 0 and is_asked(s, p))


def legal(s: Planted, me: int, acts: list[int]) -> int:
    n = honest_legal(s, me, acts)
    if s.stage != BETTING or not s.bet[me]:
        return n
    acts[0] = acts[n - 1]
    return 1


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    if a <= BET:
        honest_apply(s, me, a, to)
        return
    s.bet[me] = a - BET
    whisper(to, "SA-7", "sets_aside", me, a - BET)
    if acting(s) == 0:
        reveal(s, to)
