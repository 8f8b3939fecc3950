"""A largest matching in a graph: as many pairs of neighbours as possible, found by Edmonds' search with blossoms."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping


def largest(players: Iterable[int], near: Mapping[int, Collection[int]], known: Mapping[int, int]) -> dict[int, int]:
    """Return a largest matching among these players: everybody's partner. ``near``: the neighbours of each, not all of
    whom need be among the players; ``known``: a matching to begin with.

    >>> near = {0: [1, 2], 1: [0, 2], 2: [0, 1, 3], 3: [2]}
    >>> sorted(largest(range(4), near, {1: 2, 2: 1}).items())
    [(0, 1), (1, 0), (2, 3), (3, 2)]
    """
    here = dict.fromkeys(players)
    mate = {one: other for one, other in known.items() if one in here and other in here}
    for one in here:
        if one not in mate:
            free = next((other for other in near[one] if other in here and other not in mate), None)
            if free is not None:
                mate[one], mate[free] = free, one
    for one in here:
        if one not in mate:
            _Search(here, near, mate).from_(one)
    return mate


class _Search:
    """The search for one more pair, from a player without a partner."""

    def __init__(self, here: Collection[int], near: Mapping[int, Collection[int]], mate: dict[int, int]) -> None:
        self._here, self._near, self._mate = here, near, mate
        self._before: dict[int, int] = {}
        self._base = {one: one for one in here}

    def from_(self, root: int) -> bool:
        """Look for a path along which partners can be exchanged so that there is one more pair, and exchange them.
        Return whether there is one."""
        reached, waiting = {root}, deque([root])
        while waiting:
            one = waiting.popleft()
            for other in self._near[one]:
                if other not in self._here or self._base[one] == self._base[other] or self._mate.get(one) == other:
                    continue
                # the two close a blossom, a circle of odd length
                if other == root or self._mate.get(other) in self._before:
                    base = self._common_base(one, other)
                    inside = self._inside(one, base, other) | self._inside(other, base, one)
                    for each in self._here:
                        if self._base[each] in inside:
                            self._base[each] = base
                            if each not in reached:
                                reached.add(each)
                                waiting.append(each)
                elif other not in self._before:
                    self._before[other] = one
                    partner = self._mate.get(other)
                    if partner is None:
                        self._exchange(other)
                        return True
                    reached.add(partner)
                    waiting.append(partner)
        return False

    def _exchange(self, end: int) -> None:
        other: int | None = end
        while other is not None:
            one = self._before[other]
            after = self._mate.get(one)
            self._mate[other], self._mate[one] = one, other
            other = after

    def _common_base(self, one: int, other: int) -> int:
        passed = set[int]()
        at: int | None = one
        while at is not None:
            base = self._base[at]
            passed.add(base)
            partner = self._mate.get(base)
            at = None if partner is None else self._before[partner]
        base = self._base[other]
        while base not in passed:
            base = self._base[self._before[self._mate[base]]]
        return base

    def _inside(self, one: int, base: int, child: int) -> set[int]:
        """Reverse the path from one of a blossom's players to its base, and return the bases of the players on it."""
        found = set[int]()
        while self._base[one] != base:
            partner = self._mate[one]
            found |= {self._base[one], self._base[partner]}
            self._before[one] = child
            child, one = partner, self._before[partner]
        return found


__all__ = ["largest"]
