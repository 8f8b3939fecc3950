"""Solves the hands of Diamondback that its best player knows, and writes the player's tables: ``make unbeatable``.

``python -m tools.unbeatable FOLDER`` keeps the solution of each hand in the folder, and goes on from those that are
there.  ``python -m tools.unbeatable --measure`` prints how exploitable the player is with any stacks.
"""

from __future__ import annotations

import argparse
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parlour.games.diamondback.position import CARDS, HANDS, HIGHER, LOWER
from parlour.games.diamondback.solving import HandSolver
from parlour.games.diamondback.unbeatable import (
    COINS,
    FILE,
    HUNDREDTHS,
    LIMIT,
    ONE,
    TABLED,
    VALUES,
    MixedStrategy,
    StrategyTable,
    fitting,
    named,
    packed,
    places,
    worth,
)
from tools.hand_for_two import Betting, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.games.diamondback.solving import Solution

EQUAL = 45  # what a dealer can wager from 100 coins each, at an ante of 10: as most matches begin
SURE = (1e-4, 1e-3)  # chances as small are left out; fewer in the standard game, in which good players do little
STOPS = 0.02  # a dealer who stops more rarely than this always goes on
FINE = (
    60,
    120,
    250,
    500,
    1000,
    2000,
    4000,
    8000,
    16000,
    32000,
    65000,
)  # in how many parts a choice of totals is rounded


class Solved(NamedTuple):
    """What a hand for ``pot`` and ``most`` is worth, the dealer's ante included, and what both players do in it."""

    doubled: bool
    pot: int
    most: int
    lower: float
    upper: float
    dealer: Side
    opponent: Side


class Job(NamedTuple):
    """A hand to be solved to a ``target``, and rounded so that each seat loses no more than ``slack`` by that;
    ``seats``: who gets a table of it (1 for a dealer, 0 for an opponent)."""

    doubled: bool
    pot: int
    most: int
    target: float
    slack: float
    seats: tuple[int, ...]


NEAR = 0.2  # antes whose values differ by more are not confused
COINS_IN_ALL = 2 * COINS
POTS = (2, 4, 6, 8, 10, 12, 16, 25, 31, 38, 46, 56, 68, 82, 99, 121, 150)
"""Other pots than an ante of ten makes: lower antes, and pots after a tie with the new antes."""
CARRIED = (2, 8, 30, 100)
"""Pots after a tie in the standard game, for players without the extra ``fast``."""


def highest(pot: int) -> int:
    """The most that a dealer can ever wager in the Dealer's game, with this pot out of all coins."""
    return (COINS_IN_ALL - pot) // 3


def spread(top: int, near: int, part: int) -> set[int]:
    """What can be wagered in the tables for a pot: up to ``near`` everything, from there on what is more by one in
    ``part``, up to the highest.

    >>> sorted(spread(16, 4, 3))
    [1, 2, 3, 4, 5, 6, 8, 10, 13, 16]
    """
    most, found = 0, set[int]()
    while most < top:
        most = min(top, most + (1 if most < near else max(1, most // part)))
        found.add(most)
    return found


def jobs() -> Iterator[Job]:
    """All hands."""
    for most in (3, 8, 20, 100):
        yield Job(False, 0, most, 2e-4, 2e-4, (0, 1))
    for pot in CARRIED:
        for most in sorted(spread((COINS_IN_ALL - pot) // 2, 3, 1)):
            yield Job(False, pot, most, 2e-2, 0.15, (0, 1))
    top = highest(20)
    plans = [(20, 1e-3, 1e-3, spread(top, 16, 14) | {EQUAL}, spread(top, 16, 7) | {EQUAL})]
    for below, pot in zip((0, *POTS), POTS, strict=False):
        top, carried = highest(pot), pot > 20
        more = {highest(below)} if carried else set()  # as it is mixed with smaller pots, in which there is more to bet
        dealers, opponents = spread(top, 12, 6) | more, spread(top, 12, 4)
        plans.append((pot, 1e-2 if carried else 5e-3, 2.5e-2 if carried else 2e-2, dealers, opponents))
    for pot, target, slack, dealers, opponents in plans:
        for most in sorted(dealers | opponents):
            yield Job(True, pot, most, target, slack, tuple(p for p in (0, 1) if most in (opponents, dealers)[p]))


def solved(job: Job, folder: Path) -> Solved:
    """The solution of a hand, from the folder if it is there."""
    file = folder / f"{'dealers' if job.doubled else 'standard'}-{job.pot}-{job.most}.npz"
    if file.exists():
        with np.load(file) as kept:
            if kept["upper"] - kept["lower"] <= 2 * job.target:
                sides = [Side(*(kept[f"{part}{p}"].astype(float) for part in Side._fields)) for p in range(2)]
                return Solved(*job[:3], float(kept["lower"]), float(kept["upper"]), *sides)
    betting = Betting(job.pot, job.most, doubled=job.doubled)
    lower, upper = betting.run(job.target)
    dealer, opponent = betting.averages()
    parts = {
        f"{part}{p}": array.astype("f4")
        for p, side in enumerate((dealer, opponent))
        for part, array in side._asdict().items()
    }
    np.savez(file, lower=lower, upper=upper, **parts)
    return Solved(*job[:3], lower, upper, dealer, opponent)


def shares(chances: NDArray[np.float64], sure: float) -> list[int]:
    """Chances out of ``ONE``, without those that hardly matter.

    >>> shares(np.array([0.0001, 0.4999, 0.5]), 1e-3), shares(np.array([0.0001, 0.9999]), 1e-6)
    ([0, 2047, 2048], [1, 4095])
    """
    kept = np.where(chances < sure, 0, chances)
    return [max(1, round(one * ONE)) if one else 0 for one in (kept / max(kept.sum(), sure)).tolist()]


def without_rare_stops(row: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far a dealer goes who rather goes on than stops where that is rare, so that more coins are wagered at once.

    >>> without_rare_stops(np.array([0.01, 0.5, 0.49])).tolist()
    [0.0, 0.51, 0.49]
    """
    left, late, found = float(row.sum()), 0.0, np.zeros_like(row)
    for t in range(len(row)):
        here = float(row[t]) + late
        found[t] = here if t == len(row) - 1 or here >= STOPS * left else 0.0
        late = here - found[t]
        left -= found[t]
    return found


def rounded(row: NDArray[np.float64], parts: int) -> list[int]:
    """As whole numbers that add up to ``parts``, none of the sums from the left more than half a part away.

    >>> rounded(np.array([0.26, 0.26, 0.48]), 10)
    [3, 2, 5]
    """
    sums = np.round(np.cumsum(row) / row.sum() * parts).astype(int)
    return [int(part) for part in np.diff(sums, prepend=0)]


def tabulated(hand: Solved, seat: int, parts: int) -> list[int]:
    """The numbers of a table (see :class:`parlour.games.diamondback.unbeatable.StrategyTable`)."""
    side = hand.dealer if seat else hand.opponent
    top = side.first.shape[1] - 1
    sure = SURE[hand.doubled]
    numbers: list[int] = []
    for h in range(1, len(HANDS) + 1):
        first = side.first[h]
        numbers += shares(first, sure) if seat else [shares(one, sure)[1] for one in first[1:]]
    begun = StrategyTable(hand.pot, hand.most, bool(seat), [*numbers, *[ONE] * 10_000])
    for n in range(1, top + 1):
        for h in range(1, len(HANDS) + 1):
            if HIGHER[h] != LOWER[h] and begun.first(h, n):
                numbers += [shares(one, sure)[0] for one in side.turns[h, n, : len(CARDS) if seat else 1]]
    begun = StrategyTable(hand.pot, hand.most, bool(seat), [*numbers, *[0] * 100_000])
    for at in places(top):
        if begun.chooses(*at):
            row = side.far[at][seat : hand.most - at[0] + 1]
            numbers += rounded(without_rare_stops(row) if seat else row, parts)
    return numbers


def as_played(betting: Betting, plan: MixedStrategy | Solution) -> Side:
    """What a player does who plays by this plan."""
    found = Side(*map(np.zeros_like, betting.dealer if plan.deals else betting.opponent))
    for h in range(1, len(HANDS) + 1):
        for n in range(plan.top + 1):
            if plan.deals:
                found.first[h, n] = plan.first(h, n)
            elif n:
                found.first[h, n] = 1 - plan.first(h, n), plan.first(h, n)
            for c in range(len(CARDS) if n else 0):
                chance = plan.turns(h, n, c)
                found.turns[h, n, c] = chance, 1 - chance
    for at in places(plan.top):
        row = plan.far(*at)
        if row is not None:
            found.far[at][: len(row)] = row
    return found


def measured(doubled: bool, pot: int, most: int) -> float:
    """How exploitable the player is in a hand."""
    betting = Betting(pot, most, doubled=doubled)
    dealer, opponent = (as_played(betting, fitting(doubled, deals, pot, most)) for deals in (True, False))
    return (betting.upper(opponent) - betting.lower(dealer)) / 2


def written(hand: Solved, seat: int, slack: float) -> tuple[list[int], float]:
    """A table's numbers, no finer than ``slack`` asks for, and what the player gets by it at least."""
    betting = Betting(hand.pot, hand.most, doubled=hand.doubled)
    for parts in FINE:
        numbers = tabulated(hand, seat, parts)
        side = as_played(
            betting, MixedStrategy(hand.most, [(1.0, StrategyTable(hand.pot, hand.most, bool(seat), numbers))])
        )
        gets = betting.lower(side) if seat else -betting.upper(side)
        if gets >= (hand.lower if seat else -hand.upper) - slack:
            break
    return numbers, gets


MEASURED = {
    False: (0, 2, 6, 20, 60, 120, 180, 198),
    True: (20, 2, 10, 18, 23, 40, 80, 134, 170, 197),
}
"""The pots with which the player is measured, by whether the game is the Dealer's."""


def measure() -> None:
    """Print how exploitable the player is with these pots: in every hand of those for which it has tables, in the
    others with stacks from the shortest to the deepest."""
    for doubled, pots in MEASURED.items():
        for pot in pots:
            top = (COINS_IN_ALL - pot) // (2 + doubled)
            stacks = range(1, top + 1) if pot == TABLED[doubled] else sorted(spread(top, 3, 2))
            found = {most: measured(doubled, pot, most) for most in stacks}
            worst = max(found, key=found.__getitem__)
            average = sum(found.values()) / len(found)
            says = f"at worst {found[worst]:.4f} if {worst} can be wagered, {average:.4f} on average of {len(found)}"
            print(f"{'dealers' if doubled else 'standard'}, {pot} in the pot: {says}", flush=True)


def antes(hands: int = 60) -> None:
    """Print what it costs that the dealer names the ante by the values in the file: in hands with stacks and carried
    pots drawn by lot, where several antes are worth nearly the same."""
    lot, lost = random.Random(5), []
    for _ in range(hands):
        total, carried = lot.choice((60, 120, 200)), lot.choice((0, 5, 13, 26, 40))
        dealer = lot.randint(4, total - carried - 4)
        opponent = total - carried - dealer
        stakes = {k: (carried + 2 * k, min(dealer - k, (opponent - k) // 2)) for k in range(1, LIMIT + 1)}
        named = {k: worth(*stakes[k]) - k for k in stakes if k <= min(dealer, opponent)}
        best = max(named, key=lambda k: (named[k], k))
        exact = {k: sum(value(*stakes[k])) / 2 - k for k in named if named[k] > named[best] - NEAR}
        lost.append(max(exact.values()) - exact[best])
    print(f"antes: {sum(one > 0 for one in lost)} of {hands} are not the best; at worst {max(lost):.4f} is lost")


def value(pot: int, most: int) -> tuple[float, float]:
    """Bounds of what a hand of the Dealer's game is worth to the dealer."""
    return HandSolver(pot, most, doubled=True).run() if most else (pot / 2, pot / 2)


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("folder", type=Path, nargs="?", default=Path("build/unbeatable"), help="(%(default)s)")
    said.add_argument("--measure", action="store_true", help="only print how exploitable the player is")
    given = said.parse_args()
    if given.measure:
        measure()
        antes()
        return
    folder = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    members: dict[str, list[int]] = {}
    values: dict[int, dict[int, float]] = {}
    for job in jobs():
        hand = solved(job, folder)
        gets = {}
        for seat in job.seats:
            members[named(job.doubled, bool(seat), job.pot, job.most)], gets[seat] = written(hand, seat, job.slack)
        if job.doubled:
            values.setdefault(job.pot, {0: job.pot / 2})[job.most] = (hand.lower + hand.upper) / 2
        says = ", ".join(f"{'dealer' if seat else 'opponent'} {gets[seat]:+.4f}" for seat in gets)
        print(f"{job[:3]}: value from {hand.lower:+.4f} to {hand.upper:+.4f}; by the tables: {says}", flush=True)
    for pot, row in values.items():
        every = np.interp(np.arange(max(row) + 1), list(row), list(row.values()))
        members[f"{VALUES}{pot}"] = np.round(every * HUNDREDTHS).astype(int).tolist()
    with zipfile.ZipFile(FILE, "w") as file:
        for name, numbers in members.items():
            entry = zipfile.ZipInfo(name)  # without a date, so that equal tables are equal files
            entry.compress_type = zipfile.ZIP_LZMA
            file.writestr(entry, packed(numbers))
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
