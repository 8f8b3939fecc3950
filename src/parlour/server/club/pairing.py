"""The pairings of a tournament in rounds (Swiss) and its standings, by the rules that ``docs/club.md`` gives."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import Final, NamedTuple

from parlour.base.errors import ParlourError
from parlour.server.club.matching import largest

STEPS: Final = 20_000
"""The most steps of the search for the best tables of three and more."""
BYES: Final = 128
"""The most ways to give byes that are compared."""
BYE: Final = 1.0
"""The points for a round without a table: as many as for a win."""


class Seating(NamedTuple):
    """The tables of a round, and the players who have a bye, all by number."""

    tables: list[list[int]]
    byes: list[int]


class FinishedRound(NamedTuple):
    """A round that is over: its tables; in the same order, the points of everybody at them and what they won or lost
    there; and the players who had a bye."""

    tables: list[list[int]]
    points: list[list[float]]
    gains: list[list[float]]
    byes: list[int]


class Standing(NamedTuple):
    """A player's standing: the place (equal players share one), the number, the points, the strength of the opponents,
    what the player has won or lost in all, the rounds played, and the byes."""

    place: int
    number: int
    points: float
    opponents: float
    gain: float
    played: int
    byes: int


def sizes(people: int, size: int, allowed: Collection[int]) -> list[int]:
    """Return the sizes of the tables for this many people; anybody left over has a bye. Tables have ``size`` seats. If
    that is three or more, some may have more or fewer, as near to it as the game allows, so that nobody needs a bye.

    >>> sizes(9, 2, (2, 3)), sizes(11, 4, (3, 4, 5)), sizes(5, 3, (3, 4, 5)), sizes(6, 4, (4,)), sizes(1, 2, (2,))
    ([2, 2, 2, 2], [4, 4, 3], [5], [4], [])
    """
    if size > 2:
        for tables in sorted(range(1, people // 2 + 1), key=lambda k: abs(people / k - size)):
            some, more = divmod(people, tables)
            wanted = [some + 1] * more + [some] * (tables - more)
            if {*allowed}.issuperset(wanted):
                return wanted
    return [size] * (people // size)


def points_of(places: Sequence[int]) -> list[float]:
    """Return the points for the places at a table: from 1 for the first to 0 for the last, in equal steps; equal places
    share.

    >>> points_of([1, 2]), points_of([1, 1]), points_of([2, 1, 3]), points_of([1, 3, 1, 4])
    ([1.0, 0.0], [0.5, 0.5], [0.5, 1.0, 0.0], [0.8333333333333334, 0.3333333333333333, 0.8333333333333334, 0.0])
    """
    others = len(places) - 1
    return [
        (sum(one > mine for one in places) + (sum(one == mine for one in places) - 1) / 2) / others for mine in places
    ]


def met(rounds: Iterable[FinishedRound]) -> Counter[tuple[int, int]]:
    """Return how often each pair of players, the lower number first, has been at the same table."""
    found: Counter[tuple[int, int]] = Counter()
    for one in rounds:
        for table in one.tables:
            found.update((a, b) for a in table for b in table if a < b)
    return found


def standings(players: Sequence[int], rounds: Sequence[FinishedRound]) -> list[Standing]:
    """Return how a tournament stands, with the best first: by points, then by the opponents' points (at each table
    their average; a bye counts as an opponent with the player's own points), then by what the player won or lost."""
    points, gain = defaultdict[int, float](float), defaultdict[int, float](float)
    sat, had = defaultdict[int, list[list[int]]](list), Counter[int]()
    for one in rounds:
        for table, got, won in zip(one.tables, one.points, one.gains, strict=True):
            for player, some, more in zip(table, got, won, strict=True):
                points[player] += some
                gain[player] += more
                sat[player].append(table)
        for player in one.byes:
            points[player] += BYE
            had[player] += 1
    found = []
    for player in players:
        tables, byes = sat[player], had[player]
        opponents = sum(sum(points[other] for other in table if other != player) / (len(table) - 1) for table in tables)
        opponents += byes * points[player]
        found.append((points[player], round(opponents, 6), gain[player], player, len(tables), byes))
    found.sort(key=lambda one: (-one[0], -one[1], -one[2], one[3]))
    ranks = [one[:3] for one in found]
    return [
        # several players may share a place
        Standing(1 + ranks.index(one[:3]), one[3], one[0], one[1], one[2], one[4], one[5])
        for one in found
    ]


def rematches(tables: Iterable[Sequence[int]], before: Mapping[tuple[int, int], int]) -> int:
    """Return how many pairs of players at these tables have met before."""
    return sum(before[min(a, b), max(a, b)] > 0 for table in tables for a, b in combinations(table, 2))


def pair(order: Sequence[int], rounds: Sequence[FinishedRound], size: int, allowed: Collection[int]) -> Seating:
    """Return the tables of the next round.  ``order``: the players by their standing, the best first.

    There are as few rematches as possible: at tables of two always, at larger ones as far as the search goes
    (:data:`STEPS`). Then the standings count. The first player sits with the next best whom they have not met; so does
    the first player who has no table yet, and so on. A player who must meet somebody again meets those whom they have
    met least often. A bye goes to one of the players who have had the fewest: to the last of them whose bye leaves the
    fewest rematches.
    """
    wanted = sizes(len(order), size, allowed)
    if not wanted:
        raise ParlourError("At least {size} players are needed, not {n}.", size=size, n=len(order))
    before = met(rounds)
    kind = _Twos if size == 2 else _Tables
    byes = _byes(order, rounds, len(order) - sum(wanted), lambda playing: kind(playing, before, wanted).fewest())
    playing = [player for player in order if player not in byes]
    return Seating(kind(playing, before, wanted).seat(), byes)


def _byes(
    order: Sequence[int], rounds: Sequence[FinishedRound], spare: int, fewest: Callable[[list[int]], int]
) -> list[int]:
    """Return the players who have a bye. ``fewest``: returns how many rematches there are if these players play."""
    had = Counter(player for one in rounds for player in one.byes)
    last = sorted(order, key=had.__getitem__)[:spare]
    if not last:
        return []
    surely = [player for player in last if had[player] < had[last[-1]]]
    others = [player for player in reversed(order) if had[player] == had[last[-1]]]
    best, least = last, -1
    for some in islice(combinations(others, spare - len(surely)), BYES):
        byes = [*surely, *some]
        left = fewest([player for player in order if player not in byes])
        if least < 0 or left < least:
            best, least = byes, left
        if not least:
            break
    return best


class _Twos:
    """Tables of two. A largest matching makes as many pairs as possible of players who have not met, and the players
    left over meet somebody again."""

    def __init__(self, playing: Sequence[int], before: Mapping[tuple[int, int], int], _: Sequence[int]) -> None:
        self._playing, self._before = list(playing), before
        self._new = {one: [other for other in playing if other != one and not self._met(one, other)] for one in playing}
        self._pairs = largest(playing, self._new, {})

    def _met(self, one: int, other: int) -> int:
        return self._before[min(one, other), max(one, other)]

    def fewest(self) -> int:
        """Return the number of rematches that cannot be avoided."""
        return (len(self._playing) - len(self._pairs)) // 2

    def seat(self) -> list[list[int]]:
        """Return the tables with the fewest rematches; of those, the tables that suit the first player best, then the
        next player who has no table yet, and so on."""
        left, pairs, again, tables = self._playing, self._pairs, self.fewest(), list[list[int]]()
        while left:
            one, *others = left
            for other in sorted(others, key=lambda other: self._met(one, other)):  # equals keep their order
                rest = [player for player in others if player != other]
                then = largest(rest, self._new, pairs)
                if bool(self._met(one, other)) + (len(rest) - len(then)) // 2 == again:
                    break
            else:
                raise AssertionError("some table leads to the fewest rematches")
            again -= bool(self._met(one, other))
            tables.append([one, other])
            left, pairs = rest, then
        return tables


class _Tables:
    """Tables of three and more. A good seating is improved by exchanging players. Then a search looks for a better one
    or, if there is none, for the first of those that are as good. It finds the best if that takes no more than
    :data:`STEPS` steps."""

    def __init__(self, playing: Sequence[int], before: Mapping[tuple[int, int], int], wanted: Sequence[int]) -> None:
        self._playing, self._before, self._wanted, self._steps = list(playing), before, wanted, 0

    def _met(self, one: int, other: int) -> int:
        return self._before[min(one, other), max(one, other)]

    def _again(self, player: int, table: Iterable[int]) -> tuple[int, int]:
        """Return how many players at a table this player has met, and how often in all."""
        often = [self._met(player, other) for other in table if other != player]
        return sum(map(bool, often)), sum(often)

    def fewest(self) -> int:
        """Return the number of rematches in a good seating."""
        return rematches(self._good(), self._before)

    def _good(self) -> list[list[int]]:
        """Return a seating in which no exchange of two players leaves fewer rematches."""
        left, tables = list(self._playing), list[list[int]]()
        for size in self._wanted:
            table = [left.pop(0)]
            while len(table) < size:
                best = min(left, key=lambda player: self._again(player, table))
                left.remove(best)
                table.append(best)
            tables.append(table)
        while self._improved(tables):
            pass
        return tables

    def _improved(self, tables: list[list[int]]) -> bool:
        """Exchange the first two players of different tables whose exchange leaves fewer rematches; return whether
        there are any."""
        for mine, theirs in combinations(tables, 2):
            for i, one in enumerate(mine):
                for k, other in enumerate(theirs):
                    now = self._again(one, mine)[0] + self._again(other, theirs)[0]
                    if now and now > (
                        self._again(one, [p for p in theirs if p != other])[0]
                        + self._again(other, [p for p in mine if p != one])[0]
                    ):
                        mine[i], theirs[k] = other, one
                        return True
        return False

    def seat(self) -> list[list[int]]:
        """Return the tables of the best seating that was found."""
        good = self._good()
        for most in range(rematches(good, self._before) + 1):
            found = self._filled([], [], list(self._playing), most)
            if found is not None:
                return found
        return good

    def _filled(self, tables: list[list[int]], table: list[int], left: list[int], most: int) -> list[list[int]] | None:
        """Seat the players who are left, at the table being filled and at the next, with no more than ``most``
        rematches. Return ``None`` if that is impossible or takes too many steps."""
        if len(table) == self._wanted[len(tables)]:
            tables, table = [*tables, table], []
        if not left:
            return tables
        for n, player in enumerate(left):
            self._steps += 1
            if self._steps > STEPS:
                return None
            again = self._again(player, table)[0]
            if again <= most:
                found = self._filled(tables, [*table, player], left[:n] + left[n + 1 :], most - again)
                if found is not None:
                    return found
            if not table:
                break  # the first player without a table must have the next one
        return None


__all__ = ["BYE", "FinishedRound", "Seating", "Standing", "met", "pair", "points_of", "rematches", "sizes", "standings"]
