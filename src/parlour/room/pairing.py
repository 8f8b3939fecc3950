"""The pairings of a tournament in rounds (Swiss) and its standings, by the rules that ``docs/club.md`` gives."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from parlour.errors import ParlourError

STEPS: Final = 20_000
"""Steps of the search for tables at which nobody meets anybody again; then they may, once more than before."""
BYE: Final = 1.0
"""The points for a round without a table: those of a win."""


class Seating(NamedTuple):
    """The tables of a round, and who has a bye: everybody by their number."""

    tables: list[list[int]]
    byes: list[int]


class Played(NamedTuple):
    """A round that is over: the tables, the points of everybody at them in the same order, what they won or lost there,
    and who had a bye."""

    tables: list[list[int]]
    points: list[list[float]]
    gains: list[list[float]]
    byes: list[int]


class Standing(NamedTuple):
    """A player's standing: the place (equal ones shared), their number, points, the strength of those whom they have
    met, what they have won or lost in all, how many rounds they have played, and how many byes they had."""

    place: int
    number: int
    points: float
    opponents: float
    gain: float
    played: int
    byes: int


def sizes(people: int, size: int, allowed: Collection[int]) -> list[int]:
    """Return the sizes of the tables for this many people; those who are left over have a bye.  Tables have ``size``
    seats; for three or more, some may have one more or one less, if the game allows it and nobody needs a bye then.

    >>> sizes(9, 2, (2, 3)), sizes(11, 4, (3, 4, 5)), sizes(6, 4, (4,)), sizes(1, 2, (2,))
    ([2, 2, 2, 2], [4, 4, 3], [4], [])
    """
    if size > 2:
        near = {n for n in allowed if abs(n - size) <= 1}
        for tables in sorted(range(1, people // 2 + 1), key=lambda k: abs(people / k - size)):
            some, more = divmod(people, tables)
            wanted = [some + 1] * more + [some] * (tables - more)
            if near.issuperset(wanted):
                return wanted
    return [size] * (people // size)


def points_of(places: Sequence[int]) -> list[float]:
    """Return the points for the places at a table: 1 for the first, 0 for the last, evenly between; equal places share.

    >>> points_of([1, 2]), points_of([1, 1]), points_of([2, 1, 3]), points_of([1, 3, 1, 4])
    ([1.0, 0.0], [0.5, 0.5], [0.5, 1.0, 0.0], [0.8333333333333334, 0.3333333333333333, 0.8333333333333334, 0.0])
    """
    others = len(places) - 1
    return [
        (sum(one > mine for one in places) + (sum(one == mine for one in places) - 1) / 2) / others for mine in places
    ]


def met(rounds: Iterable[Played]) -> Counter[tuple[int, int]]:
    """Return how often each two players, the lower number first, have been at the same table."""
    found: Counter[tuple[int, int]] = Counter()
    for one in rounds:
        for table in one.tables:
            found.update((a, b) for a in table for b in table if a < b)
    return found


def standings(players: Sequence[int], rounds: Sequence[Played]) -> list[Standing]:
    """Return how a tournament stands, the best first: by points, then by the points of those whom a player has met (at
    each table their average; a bye counts as somebody with the player's own points), then by what they won or lost."""
    points, gain = defaultdict[int, float](float), defaultdict[int, float](float)
    for one in rounds:
        for table, got, won in zip(one.tables, one.points, one.gains, strict=True):
            for player, some, more in zip(table, got, won, strict=True):
                points[player] += some
                gain[player] += more
        for player in one.byes:
            points[player] += BYE
    found = []
    for player in players:
        tables = [table for one in rounds for table in one.tables if player in table]
        byes = sum(player in one.byes for one in rounds)
        opponents = sum(sum(points[other] for other in table if other != player) / (len(table) - 1) for table in tables)
        opponents += byes * points[player]
        found.append((points[player], round(opponents, 6), gain[player], player, len(tables), byes))
    found.sort(key=lambda one: (-one[0], -one[1], -one[2], one[3]))
    ranks = [one[:3] for one in found]
    return [
        Standing(1 + ranks.index(one[:3]), one[3], one[0], one[1], one[2], one[4], one[5])  # the place may be shared
        for one in found
    ]


def pair(order: Sequence[int], rounds: Sequence[Played], size: int, allowed: Collection[int]) -> Seating:
    """Return the tables of the next round.  ``order``: the players by their standing, the best first.

    The last players of those who have had the fewest byes have one, if somebody must.  Then the first player sits with
    the next best whom they have not met; so does the first who has no table yet, and so on.  If that leaves players who
    have met, earlier tables take the next best but one, until nobody meets anybody again; if that can't be (or isn't
    found), players may meet once more than before.
    """
    wanted = sizes(len(order), size, allowed)
    if not wanted:
        raise ParlourError(f"At least {size} players are needed, not {len(order)}.")
    had = Counter(player for one in rounds for player in one.byes)
    rank = {player: n for n, player in enumerate(order)}
    spare = len(order) - sum(wanted)
    byes = sorted(order, key=lambda player: (had[player], -rank[player]))[:spare]
    playing = [player for player in order if player not in byes]
    before = met(rounds)
    for most in range(len(rounds) + 1):
        tables = _Search(wanted, before, most).find(playing)
        if tables is not None:
            return Seating(tables, byes)
    raise AssertionError("nobody has met anybody more often than there were rounds")


class _Search:
    """The search for tables at which no two players have met more often than ``most`` times."""

    def __init__(self, wanted: Sequence[int], before: Mapping[tuple[int, int], int], most: int) -> None:
        self._wanted, self._before, self._most, self._steps = wanted, before, most, 0

    def find(self, players: Sequence[int]) -> list[list[int]] | None:
        """Return the tables; ``None`` if there are none, or none was found in time."""
        return self._seat([], [], list(players))

    def _seat(self, tables: list[list[int]], table: list[int], left: list[int]) -> list[list[int]] | None:
        """Seat those who are left, in order, at the table that is being filled and at the next."""
        if len(table) == self._wanted[len(tables)]:
            tables, table = [*tables, table], []
        if not left:
            return tables
        for n, player in enumerate(left):
            self._steps += 1
            if self._steps > STEPS:
                return None
            if all(self._may(player, other) for other in table):
                found = self._seat(tables, [*table, player], left[:n] + left[n + 1 :])
                if found is not None:
                    return found
            if not table:
                break  # the first who has no table yet must have one
        return None

    def _may(self, one: int, other: int) -> bool:
        return self._before[min(one, other), max(one, other)] <= self._most


__all__ = ["BYE", "Played", "Seating", "Standing", "met", "pair", "points_of", "sizes", "standings"]
