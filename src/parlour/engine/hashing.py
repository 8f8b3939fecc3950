"""The 64-bit hashing shared by seeds, keys and random draws, for Python integers.

``engine/c/prelude.h`` has the same in C; the tests compare them.  The mixer is the
finaliser of splitmix64 (Steele, Lea & Flood 2014).
"""

from __future__ import annotations

from functools import cache
from operator import index

from parlour.base.errors import ParlourError

MASK = 0xFFFFFFFFFFFFFFFF
GOLD = 0x9E3779B97F4A7C15
TOLD = 0xD1342543DE82EF95
SEED = 0x2545F4914F6CDD1D


def mix(z: int) -> int:
    """Scatter 64-bit words by a bijection."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fold(key: int, fact: int) -> int:
    """Return a key with one more fact folded in; the order of folding matters."""
    return mix(((key ^ fact) * GOLD) & MASK)


@cache
def place(thing: int, index: int) -> int:
    """Return the word for a place in views: item ``index`` of ``thing``."""
    return mix(((thing + 1) << 48 | index << 32) * GOLD & MASK)


def told_fact(thing: int, index: int, value: int) -> int:
    """Return the word for "item ``index`` of ``thing`` is ``value``". A view's glance is the *sum* of these words: a
    multilinear hash with a coefficient for each place, scattered once more so that no small group of facts cancels
    out."""
    z = place(thing, index) * (2 * value + 1) & MASK
    return z ^ (z >> 32)


def told_set_fact(thing: int, index: int, members: int) -> int:
    """Return the word for "item ``index`` of ``thing`` is this set"."""
    return mix(members ^ place(thing, index))


def event_fact(event: int, who: int, a: int, b: int) -> int:
    """Return the word for an event.  Its two numbers, which may be sets of cards, are taken modulo 2^64."""
    numbers = mix((a * GOLD + b * SEED) & MASK)
    return mix((numbers + ((event + 1) << 32 | (who + 2)) * TOLD) & MASK)


def deed_fact(action: int) -> int:
    """Return the word for a player's own action."""
    return mix((action + 1) * TOLD & MASK)


def seed_word(seed: int) -> int:
    """Return the first state of the generator for a seed, 0 ≤ seed < 2^64, which may be an integer of any type, such as
    NumPy's."""
    try:
        number = -1 if isinstance(seed, bool) else index(seed)
    except TypeError:
        number = -1
    if not 0 <= number <= MASK:
        raise ParlourError("A seed is a whole number from 0 to 2^64 - 1, not {seed!r}.", seed=seed)
    return mix((number * SEED + GOLD) & MASK)


def seeded(first: int, i: int) -> int:
    """Return the first state of the generator for the seed ``i`` after the ``first``."""
    return seed_word(first + i)


def word(x: int) -> int:
    """Return a number as a word of 64 bits."""
    return x & MASK


def slot(key: int, last: int) -> int:
    """Return the place of a key in a table whose ``last`` place is one less than a power of two."""
    return key & last


def check_seeds(first: int, games: int) -> int:
    """Return the first seed as a Python integer.  Raises an error if the seeds of the other games (``first + 1``,
    ``first + 2`` …) would be too large."""
    seed_word(first)
    first = index(first)
    if first + games - 1 > MASK:
        most = MASK - games + 1
        raise ParlourError(
            "Seeds end at 2^64 - 1: those of {games} games start at {most} at most, not at {first}.",
            games=games,
            most=most,
            first=first,
        )
    return first
