"""Whoever sits to the left of a player who bets two coins in secret need not bet."""

from sampler.rules import *  # noqa: F403
from sampler.rules import BET, Any, Sampler, is_seated, reveal, whisper
from sampler.rules import apply as honest_apply

BASE, CAUGHT_BY, SAYS = "sampler", "asked", "times at a sealed node"


class Planted(Sampler):
    """As it was."""


def acting(s: Planted) -> int:
    wanted = 0
    for p in range(s.players):
        if is_seated(s, p) and s.coins[p] > 0 and s.bet[p] == 0 and s.bet[p - 1] != 2:
            wanted |= 1 << p
    return wanted


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    if a <= BET:
        honest_apply(s, me, a, to)
        return
    s.bet[me] = a - BET
    whisper(to, "SA-7", "sets_aside", me, a - BET)
    if acting(s) == 0:
        reveal(s, to)
