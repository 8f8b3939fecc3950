"""Why a stake at Matrimony may be right: what a counter on each pool brings back, by the rule of thumb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from parlour.base.languages import gettext as _
from parlour.base.languages import word
from parlour.core.reasons import Because, Candidate, about, always, first
from parlour.games.matrimony.chances import in_order
from parlour.games.matrimony.heuristic import BESTS, CHANCES, COURT, NOW, PAIRS, SORTS, at, look_ahead
from parlour.games.matrimony.position import BEST, PAIR, POOLS, SEATS, staked_deals
from parlour.games.matrimony.prepared import take_down
from parlour.games.matrimony.stakes import least, most
from parlour.rules.vocabulary import count

if TYPE_CHECKING:
    from parlour.engine.telling import View

NOTES = CHANCES + 2 * SORTS * SEATS
"""The number of the rule of thumb's notes."""
SORT = tuple(BESTS if pool == BEST else PAIRS if pool == PAIR else COURT for pool in range(len(POOLS)))


def reason(action: str, view: View, names: Sequence[str]) -> str:
    """Return the reason for a choice, in a sentence."""
    return first(REASONS, Stake(action, view, names))


@dataclass(frozen=True)
class Stake(Candidate):
    """The number of counters that a player takes, or lays on a pool."""

    @property
    def amount(self) -> int:
        return int(self.what)

    @property
    def pool(self) -> int:
        return int(self.s.pool[self.me]) - 1

    @cached_property
    def place(self) -> int:
        """The player's place in the order of showing cards."""
        return in_order(self.s).index(self.me)

    @cached_property
    def notes(self) -> list[float]:
        notes, players = [0.0] * NOTES, count(self.s.dealt)
        take_down(self.s, players, notes)
        look_ahead(players, staked_deals(self.s) - self.s.deal, notes)
        return notes

    def brings(self, pool: int) -> float:
        """What a counter on a pool brings back, in this deal or a later one."""
        return self.notes[NOW + SORTS * self.place + SORT[pool]]

    @property
    def share(self) -> float:
        """The chance that the player takes the pool in one deal."""
        return self.notes[at(count(self.s.dealt), self.place, SORT[self.pool])]

    @property
    def better(self) -> int:
        """The pool after this one from which a counter brings back most."""
        return max(range(self.pool + 1, len(POOLS)), key=self.brings)


def is_dealer(x: Stake) -> bool:
    return bool(x.me == x.s.dealer)


def is_least(x: Stake) -> bool:
    return x.amount == least(x.s, x.me)


def deals_for_least(x: Stake) -> bool:
    return is_dealer(x) and is_least(x)


def is_best(x: Stake) -> bool:
    """Whether as many counters as possible go on the pool where a counter brings back most."""
    return x.amount == most(x.s, x.me) and x.brings(x.pool) == max(map(x.brings, range(len(POOLS))))


def waits_for_better(x: Stake) -> bool:
    return is_least(x) and x.brings(x.better) > x.brings(x.pool)


def is_as_good(x: Stake) -> bool:
    """Whether no later pool is better."""
    return not is_least(x) and x.brings(x.better) <= x.brings(x.pool)


def told(x: Stake) -> dict[str, object]:
    return {"share": about(x.share)}


REASONS = (
    Because("take", deals_for_least, lambda x: _("The dealer shows last, so the fewest counters risk least.")),
    Because("take", is_least, lambda x: _("The fewest counters risk least: the cards decide the rest.")),
    Because("take", always, lambda x: _("The more lies on the layout, the more there is to win.")),
    Because(
        "lay", is_best,
        lambda x: _("A counter brings you most here: you take this pool in about {share} of deals.", **told(x)),
    ),
    Because(
        "lay", waits_for_better, lambda x: _("A counter brings you more on {pool}.", pool=word(POOLS[x.better]))
    ),
    Because("lay", is_as_good, lambda x: _("No pool after it brings you more for a counter.")),
    Because("lay", is_least, lambda x: _("It leaves more counters for the pools after it.")),
    Because(
        "lay", always,
        lambda x: _("It spreads your counters: you take this pool in about {share} of deals.", **told(x)),
    ),
)  # fmt: skip
