"""Exact sums of games, so that a study can be divided, played on several machines, and put together again.

A game follows from its seed, so the parts of a study are independent.  The numbers of a few thousand games are added in
machine code, always for the same chunks of games (:data:`CHUNK`); those sums are then added as fractions, without
rounding.  So the sum is the same to the last bit, for any number of machines and any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, TypeVar

from parlour.base.errors import ParlourError

CHUNK = 1 << 14
"""How many games are added up in machine code."""

Number = TypeVar("Number", Fraction, int)
Rows = tuple[tuple[Number, ...], ...]


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of the games with these ``seeds`` (ranges in order, none touching the next); the rows of ``scores``,
    ``deals`` and ``clauses`` are those of :func:`parlour.engine.kernels.bulk.account`, less that of the current game.
    ``lengths``: the number of games by number of decisions; ``winners``: the number of games in which one player, two
    players … had the highest return.

    >>> one = Sums((range(3),), 12, ((Fraction(1),),), (), {4: 3}, ((3,),), {1: 3})
    >>> two = Sums((range(3, 5),), 9, ((Fraction(-1, 2),),), (), {4: 1, 5: 1}, ((0,),), {1: 1, 2: 1})
    >>> both = one + two
    >>> both.seeds, both.decisions, both.scores, both.lengths, both.winners
    ((range(0, 5),), 21, ((Fraction(1, 2),),), {4: 4, 5: 1}, {1: 4, 2: 1})
    >>> two + two
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: The games with seeds 3 to 4 are there twice.
    """

    seeds: tuple[range, ...]
    decisions: int
    scores: Rows[Fraction]
    deals: Rows[Fraction]
    lengths: Mapping[int, int]
    clauses: Rows[int]
    winners: Mapping[int, int]

    @property
    def games(self) -> int:
        return sum(map(len, self.seeds))

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            together([*self.seeds, *other.seeds]),
            self.decisions + other.decisions,
            _added(self.scores, other.scores),
            _added(self.deals, other.deals),
            _counted(self.lengths, other.lengths),
            _added(self.clauses, other.clauses),
            _counted(self.winners, other.winners),
        )

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data: seeds as pairs of the first and the last, fractions as texts like ``-7/8``.

        >>> Sums((range(3),), 12, ((Fraction(-7, 8),),), (), {4: 3}, ((3,),), {1: 3}).to_json()["scores"]
        [['-7/8']]
        """
        return {
            "seeds": [[seeds[0], seeds[-1]] for seeds in self.seeds],
            "decisions": self.decisions,
            "scores": [[*map(str, row)] for row in self.scores],
            "deals": [[*map(str, row)] for row in self.deals],
            "lengths": [[n, games] for n, games in self.lengths.items()],
            "clauses": [[*row] for row in self.clauses],
            "winners": [[n, games] for n, games in self.winners.items()],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sums:
        """Return what :meth:`to_json` wrote.

        >>> sums = Sums((range(3),), 12, ((Fraction(-7, 8),),), (), {4: 3}, ((3,),), {1: 3})
        >>> Sums.from_json(sums.to_json()) == sums
        True
        """
        return cls(
            together(range(first, last + 1) for first, last in data["seeds"]),
            int(data["decisions"]),
            tuple(tuple(map(Fraction, row)) for row in data["scores"]),
            tuple(tuple(map(Fraction, row)) for row in data["deals"]),
            {int(n): int(games) for n, games in data["lengths"]},
            tuple(tuple(map(int, row)) for row in data["clauses"]),
            {int(n): int(games) for n, games in data["winners"]},
        )


def exact(rows: Iterable[Sequence[float]]) -> Rows[Fraction]:
    """Return these rows as fractions, without rounding."""
    return tuple(tuple(map(Fraction, row)) for row in rows)


def _counted(one: Mapping[int, int], other: Mapping[int, int]) -> Mapping[int, int]:
    return {n: one.get(n, 0) + other.get(n, 0) for n in sorted(one.keys() | other)}


def _added(one: Rows[Number], other: Rows[Number]) -> Rows[Number]:
    return tuple(tuple(map(add, *rows)) for rows in zip(one, other, strict=True))


# ------------------------------------------------------------------------------------------ shards and seeds


def together(seeds: Iterable[range]) -> tuple[range, ...]:
    """Return these ranges of seeds in order, with adjacent ones joined.  Raises ``ParlourError`` if a seed occurs
    twice.

    >>> together([range(4, 6), range(4), range(8, 9)])
    (range(0, 6), range(8, 9))
    """

    def joined(known: tuple[range, ...], more: range) -> tuple[range, ...]:
        if not known or known[-1].stop < more.start:
            return *known, more
        last = known[-1]
        if more.start < last.stop:
            twice = range(more.start, min(more.stop, last.stop))
            raise ParlourError("The games with seeds {in_words} are there twice.", in_words=in_words(twice))
        return *known[:-1], range(last.start, more.stop)

    return reduce(joined, sorted((one for one in seeds if one), key=lambda one: one.start), ())


def without(seeds: Iterable[range], taken: Iterable[range]) -> tuple[range, ...]:
    """Return the seeds that are not among those taken.

    >>> without([range(10)], [range(2), range(4, 6)])
    (range(2, 4), range(6, 10))
    """
    left = list(seeds)
    for gone in taken:
        cut = [
            (range(one.start, min(one.stop, gone.start)), range(max(one.start, gone.stop), one.stop)) for one in left
        ]
        left = [part for parts in cut for part in parts if part]
    return tuple(left)


def in_words(seeds: range) -> str:
    """
    >>> in_words(range(3, 7)), in_words(range(3, 4))
    ('3 to 6', '3')
    """
    return f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])


def shard(games: int, seed: int, number: int, of: int) -> range:
    """Return the seeds of shard ``number`` (from 1) of ``of``; numbers of whole chunks differ by one at most.

    >>> shard(100_000, 7, 1, 3), shard(100_000, 7, 3, 3)
    (range(7, 32775), range(65543, 100007))
    >>> shard(100_000, 7, 1, 9)
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: 100,000 games make 7 pieces of 16,384; choose at most 7 shards, or more games.
    """
    if not 1 <= number <= of:
        raise ParlourError(
            "There is no shard {number} of {of}: they are numbered from 1/{of} to {of}/{of}.", number=number, of=of
        )
    pieces = -(-games // CHUNK)
    if of > pieces:
        many = "1 piece" if pieces == 1 else f"{pieces} pieces"
        most = "1 shard" if pieces == 1 else f"{pieces} shards"
        raise ParlourError(
            "{games:,} games make {many} of {chunk:,}; choose at most {most}, or more games.",
            games=games,
            many=many,
            chunk=CHUNK,
            most=most,
        )
    first, last = (pieces * k // of for k in (number - 1, number))
    return range(seed + first * CHUNK, seed + min(last * CHUNK, games))
