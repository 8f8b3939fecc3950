"""The end of a match on a table's page: who has won, what everybody has, and how it came to that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from parlour.base.languages import ENGLISH, and_list, counted, current, npgettext
from parlour.base.languages import gettext as _
from parlour.server.page.people import Person
from parlour.server.page.words import signed
from parlour.server.table.score import places

CHART: Final = 520, 130
"""Width and height of the chart of a match, in its own units."""
LABEL: Final = 16
"""The distance between the labels of two lines, where there is room."""


class FinalPlace(NamedTuple):
    """A player at the end of a match: the place, and what the player has and has gained, or a few words about it."""

    place: int
    person: Person
    has: str
    gained: str
    said: str


class ScoreChart(NamedTuple):
    """The lines of a chart, by seat, and the heights of their labels, which lie apart. At the height ``zero`` is what
    everybody had at the beginning: ``start``, or ``None`` if that was not the same for all."""

    lines: list[tuple[int, list[tuple[float, float]]]]
    labels: list[float]
    zero: float
    start: int | None


class EndOfMatch:
    """The end of a match. ``names``: what everybody is called, with "You" for the reader; ``returns``, ``sheet``: the
    results, and what everybody had after each deal; ``words``: the game's own; ``lines``: each score explained;
    ``deal``: what a deal is called; ``extra``: what the last deal is called, if it is not like the others."""

    def __init__(
        self,
        people: Sequence[Person],
        names: Sequence[str],
        returns: Sequence[float],
        sheet: Sequence[Sequence[int]],
        words: Mapping[str, Any],
        lines: Sequence[str],
        deal: str,
        extra: str,
    ) -> None:
        self._people, self.names, self._returns, self._sheet = people, names, returns, sheet
        self._words, self._lines, self._deal = words, lines, deal
        self.extra = extra

    @property
    def length(self) -> str:
        """How many deals a finished match has had, in words; empty for one."""
        deals = len(self._sheet) - 1
        if deals < 2:
            return ""
        n = deals - bool(self.extra)
        called = self._deal if current() == ENGLISH else str(self._words.get("deal", "deal"))
        counted_deals = counted(n, called)
        return _("{deals} and a {extra}", deals=counted_deals, extra=self.extra) if self.extra else counted_deals

    @cached_property
    def standing(self) -> list[FinalPlace]:
        """How the match ended, with the best player first: what each has and has gained, in the game's own unit. Places
        follow that where it is shown."""
        sheet, words = self._sheet, self._words
        has_unit = len(sheet) > 1 and "unit" in words
        ranking = places(self._returns, sheet[-1] if has_unit else (), bool(words.get("fewest")))
        found = []
        for one in self._people:
            p = one.seat
            has = gained = ""
            if has_unit:
                has = counted(sheet[-1][p], str(words["unit"]), words.get("units")).replace("-", "−")
                gained = signed(sheet[-1][p] - sheet[0][p])
            said = "" if has else _said_of(self.names[p], self._lines[p])
            found.append(FinalPlace(ranking[p], one, has, gained, said))
        return sorted(found, key=lambda each: each.place)

    @property
    def verdict(self) -> str:
        """A few words that say who has won."""
        best = [each.person for each in self.standing if each.place == 1]
        if len(best) == len(self._people):
            return _("Nobody is ahead")
        names = and_list([_("You") if one.me else one.name for one in sorted(best, key=lambda one: not one.me)])
        if best[0].me and len(best) == 1:
            return _("You win")
        return npgettext("names", "{who} wins", "{who} win", len(best), who=names)

    @property
    def chart(self) -> ScoreChart | None:
        """What everybody had after each deal, as a chart; ``None`` if there are too few deals for one."""
        sheet = self._sheet
        if len(sheet) < 3:
            return None
        low, high = min(map(min, sheet)), max(map(max, sheet))
        across, down = CHART[0] / (len(sheet) - 1), CHART[1] / ((high - low) or 1)
        lines = [
            (p, [(round(k * across, 1), round((high - row[p]) * down, 1)) for k, row in enumerate(sheet)])
            for p in (each.person.seat for each in self.standing)
        ]
        labels = _apart([points[-1][1] for _p, points in lines], CHART[1])
        return ScoreChart(
            lines, labels, round((high - sheet[0][0]) * down, 1), sheet[0][0] if len(set(sheet[0])) == 1 else None
        )


def _said_of(name: str, line: str) -> str:
    """Return what a sentence says of a player, without the player's name.

    >>> _said_of("Ben", "Ben: 7 of 7 diamonds.")
    '7 of 7 diamonds'
    """
    return line.removeprefix(f"{name}: ").removesuffix(".")


def _apart(heights: Sequence[float], down: float) -> list[float]:
    """Return these heights, in the same order of size, moved apart as far as there is room.

    >>> _apart([100.0, 130.0, 128.0], 130.0)
    [98.0, 130.0, 114.0]
    """
    gap = min(LABEL, down / max(len(heights) - 1, 1))
    order = sorted(range(len(heights)), key=lambda i: (heights[i], i))
    found = [*heights]
    for i, above in zip(order[1:], order, strict=False):
        found[i] = max(found[i], found[above] + gap)
    below = down + gap
    for i in reversed(order):
        found[i] = below = min(found[i], below - gap)
    return [round(y, 1) for y in found]
