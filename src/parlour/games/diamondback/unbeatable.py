"""The unbeatable player of Diamondback for two: it plays solved hands.

For the most frequent hands there are tables (``make unbeatable``).  A table is for one pot before the opening wager,
for the most that the dealer can wager in all, and for one seat.  Between two tables, the player mixes both, as if one
of them were drawn by lot (:class:`MixedStrategy`).  Other hands, such as those with a carried pot, are solved when they
come up (``solving.py``), which takes a second at most; without NumPy or machine code they are played by the nearest
tables.  As dealer the player names the ante with the highest value.

After the exposures, solutions know only single coins (see ``advice.enough``), and how far a player goes.  As opponent,
the player answers a wager of several coins as that many single ones.  As dealer, it wagers at once as many coins
as reach the next total at which it might stop with any hand, so that the number reveals nothing.
"""

from __future__ import annotations

import random
import sys
import warnings
import zipfile
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.base.disk import installed
from parlour.base.errors import CompilationError
from parlour.base.extras import missing
from parlour.base.languages import marked
from parlour.engine.hashing import seed_word
from parlour.engine.telling import View
from parlour.games.diamondback.position import (
    ANSWER,
    ANTE,
    CARDS,
    EXPOSE,
    EXPOSING,
    FOLD,
    FURTHER,
    HANDS,
    HIGHER,
    KIND,
    LOWER,
    MATCH_IT,
    OPENING,
    STOP,
    WAGER,
)

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset
    from parlour.games.diamondback.solving import Solution

FILE = Path(__file__).with_name("unbeatable.zip")
LIMIT = 10  # the wager limit for which the tables were computed
COINS = 100  # most coins that a player may start with
ONE = 4095  # stands for a probability of 1 in the tables
VALUES, HUNDREDTHS = "values-", 100
KEPT = 64  # most tables and plans kept in memory
# without and with Dealer's rules: the only pot for which the tables are as good as solving
TABLED = {False: 0, True: 20}
NEEDED = {
    "wager_limit": "10",
    "short_stack": "cap",
    "min_second_wagers": "1",
    "max_second_wagers": "none",
    "exposure": "sequential",
    "dealer_fold": "yes",
    "dealer_tops_up": "no",
    "ante_decline": "no",
}
"""The options under which the tables hold.  The others change nothing within a hand."""


def refuse(game: Ruleset[Any]) -> str:
    """Return why there is no such player for these settings; empty if there is one."""
    if game.players != 2:
        return marked(
            "The unbeatable player of Diamondback plays against one opponent, not {n}.",
            n=game.players - 1,
        )
    if game.options["version"] == "match":
        return marked("The unbeatable player of Diamondback knows version=standard and version=dealers, not match.")
    if int(game.options["start_coins"]) > COINS:
        return marked(
            "The unbeatable player of Diamondback knows up to {most} coins, not {given}.",
            most=COINS,
            given=game.options["start_coins"],
        )
    for name, value in NEEDED.items():
        if game.options[name] != value:
            return marked(
                "The unbeatable player of Diamondback knows {name}={value} only, not {given}.",
                name=name,
                value=value,
                given=game.options[name],
            )
    return ""


# ------------------------------------------------------------------------------------------ tables


class StrategyTable:
    """One player's strategy in a hand with ``pot`` coins in the middle before the opening wager, in which the dealer
    can wager ``most`` in all.

    ``numbers`` are in this order, with ``top`` for the highest opening; those of situations that the player never
    reaches are left out:

    1. For each hand the first step: a dealer's chances to open with 0 (fold) to ``top``, of whatever they add up to; an
       opponent's chances to match an opening of 1 to ``top``, out of ``ONE``.
    2. For each opening and hand of two ranks the chance to turn up the higher card, out of ``ONE``; a dealer's for each
       card that the opponent may have turned up.
    3. For each opening, card of the opponent's, card of the dealer's and card still hidden how far the player goes: the
       chances to stop after 1, 2 … further coins, or to match 0, 1, 2 … of them, of whatever they add up to.
    """

    def __init__(self, pot: int, most: int, deals: bool, numbers: Sequence[int]) -> None:
        self.pot, self.most, self.deals, self._numbers = pot, most, deals, numbers
        self.top = min(LIMIT, most)
        self._width = self.top + 1 if deals else self.top
        self._turns: dict[tuple[int, int], int] = {}
        self._far: dict[tuple[int, int, int, int], tuple[int, int]] = {}
        end = len(HANDS) * self._width
        for n in range(1, self.top + 1):
            for h in range(1, len(HANDS) + 1):
                if HIGHER[h] != LOWER[h] and self._first(h, n):
                    self._turns[n, h] = end
                    end += len(CARDS) if deals else 1
        for n, c, u, hidden in places(self.top):
            length = most - n + (not deals)
            if length > 1 and self._comes(n, c, u, hidden):
                self._far[n, c, u, hidden] = end, end + length
                end += length

    def _first(self, h: int, n: int) -> int:
        return self._numbers[(h - 1) * self._width + (n if self.deals else n - 1)]

    def _comes(self, n: int, c: int, u: int, hidden: int) -> bool:
        """Whether the player ever shows this card with that one hidden."""
        mine = u if self.deals else c
        h = KIND[len(CARDS) * mine + hidden]
        if not h or not self._first(h, n):
            return False
        higher = self.turns(h, n, c)
        return higher > 0 if HIGHER[h] == mine else higher < 1

    def first(self, h: int, n: int) -> float:
        """The chance that a dealer with hand ``h`` opens with ``n`` (0: folds), or that an opponent matches that."""
        at = (h - 1) * self._width
        of = sum(self._numbers[at : at + self._width]) if self.deals else ONE
        return self._first(h, n) / of

    def turns(self, h: int, n: int, other: int) -> float:
        """The chance that the player turns up the higher card; a dealer against the opponent's card ``other``."""
        at = self._turns.get((n, h))
        return 1.0 if at is None else self._numbers[at + (other if self.deals else 0)] / ONE

    def chooses(self, n: int, c: int, u: int, hidden: int) -> bool:
        """Whether the player ever gets there, and has more than one way to go on."""
        return (n, c, u, hidden) in self._far

    def far(self, n: int, c: int, u: int, hidden: int) -> list[float] | None:
        """The chances to go 0, 1, 2 … further coins; ``None`` if the player never gets there."""
        if not self._comes(n, c, u, hidden):
            return None
        begin, end = self._far.get((n, c, u, hidden), (0, 0))
        if begin == end:
            return [0.0] * (self.most - n) + [1.0]  # too few coins are left for a choice
        row = self._numbers[begin:end]
        of = sum(row)
        return [0.0] * self.deals + [one / of for one in row]


class MixedStrategy:
    """One player's strategy in a hand, mixed from several tables, each with a share, as if one of them were drawn by
    lot at the beginning of the hand.

    If a table is for more or less than can be wagered here, going all the way in the table means going all the way
    here; any other distance is kept.
    """

    def __init__(self, most: int, parts: Sequence[tuple[float, StrategyTable]]) -> None:
        self.most, self.top, self._parts = most, min(LIMIT, most), parts
        self.deals = parts[0][1].deals
        self._known: dict[tuple[int, int, int, int], list[float] | None] = {}

    def first(self, h: int, n: int) -> float:
        """The chance that a dealer with hand ``h`` opens with ``n`` (0: folds), or that an opponent matches that."""
        return sum(share * self._begins(table, h, n) for share, table in self._parts)

    def _begins(self, table: StrategyTable, h: int, n: int) -> float:
        if not self.deals:
            return table.first(h, min(n, table.top))
        if n < self.top:
            return table.first(h, n) if n <= table.top else 0.0
        return sum(table.first(h, k) for k in range(n, table.top + 1))

    def turns(self, h: int, n: int, other: int) -> float:
        """The chance that the player turns up the higher card; a dealer against the opponent's card ``other``."""
        higher = both = 0.0
        for share, table in self._parts:
            come = share * self._begins(table, h, n)
            both += come
            higher += come * table.turns(h, min(n, table.top), other)
        return higher / both if both else 1.0

    def far(self, n: int, c: int, u: int, hidden: int) -> list[float] | None:
        """The chances to go 0, 1, 2 … further coins, up to all; ``None`` if the player never gets there."""
        where = n, c, u, hidden
        if where not in self._known:
            self._known[where] = self._mixed(*where)
        return self._known[where]

    def _mixed(self, n: int, c: int, u: int, hidden: int) -> list[float] | None:
        rest = self.most - n
        found, both = [0.0] * (rest + 1), 0.0
        mine, other = (u, c) if self.deals else (c, u)
        h = KIND[len(CARDS) * mine + hidden]
        for share, table in self._parts:
            opening = min(n, table.top)
            row = table.far(opening, c, u, hidden)
            if row is None:
                continue
            higher = table.turns(h, opening, other)
            come = share * self._begins(table, h, n) * (higher if HIGHER[h] == mine else 1 - higher)
            both += come
            end = len(row) - 1
            for t, chance in enumerate(row):
                at = rest if t == end else t + opening - n
                found[max(min(self.deals, rest), min(rest, at))] += come * chance
        return [one / both for one in found] if both else None


def places(top: int) -> list[tuple[int, int, int, int]]:
    """All openings up to ``top`` with the card that the opponent shows, the dealer's, and one that is hidden."""
    cards = range(len(CARDS))
    return [(n, c, u, hidden) for n in range(1, top + 1) for c in cards for u in cards for hidden in cards]


@cache
def known(doubled: bool, deals: bool) -> dict[int, list[int]]:
    """For a version and a seat: the pots that have tables, each with the amounts that can be wagered in these, both in
    rising order."""
    found: dict[int, list[int]] = {}
    with installed(FILE), zipfile.ZipFile(FILE) as file:
        for name in file.namelist():
            *kinds, pot, most = name.split("-")
            if kinds == _kinds(doubled, deals):
                found.setdefault(int(pot), []).append(int(most))
    return {pot: sorted(found[pot]) for pot in sorted(found)}


def _kinds(doubled: bool, deals: bool) -> list[str]:
    return ["dealers" if doubled else "standard", "dealer" if deals else "opponent"]


def named(doubled: bool, deals: bool, pot: int, most: int) -> str:
    """The name of a table in the file."""
    return "-".join((*_kinds(doubled, deals), str(pot), str(most)))


@lru_cache(maxsize=KEPT)
def table(doubled: bool, deals: bool, pot: int, most: int) -> StrategyTable:
    """One table of the file."""
    with installed(FILE), zipfile.ZipFile(FILE) as file:
        numbers = unpacked(file.read(named(doubled, deals, pot, most)))
    return StrategyTable(pot, most, deals, numbers)


def packed(numbers: Sequence[int]) -> bytes:
    """Numbers below 65,536 as bytes: the low bytes of all, then the high bytes, most of which are equal.

    >>> unpacked(packed([1, 65535, 0, 256])).tolist()
    [1, 65535, 0, 256]
    """
    return bytes(n & 255 for n in numbers) + bytes(n >> 8 for n in numbers)


def unpacked(given: bytes) -> array[int]:
    """The numbers that :func:`packed` has packed."""
    half = len(given) // 2
    pairs = bytearray(len(given))
    pairs[sys.byteorder == "big" :: 2], pairs[sys.byteorder == "little" :: 2] = given[:half], given[half:]
    return array("H", bytes(pairs))


@cache
def values() -> dict[int, list[float]]:
    """For each pot of Dealer's Diamondback the value of a hand to the dealer, by the most that the dealer can wager."""
    found = {}
    with installed(FILE), zipfile.ZipFile(FILE) as file:
        for name in file.namelist():
            if name.startswith(VALUES):
                numbers = unpacked(file.read(name))
                found[int(name.removeprefix(VALUES))] = [n / HUNDREDTHS for n in numbers]
    return found


def worth(pot: int, most: int) -> float:
    """Return the value to the dealer of a hand of Dealer's Diamondback with this pot, interpolated between the known
    pots.

    >>> round(worth(20, 45), 1)
    14.7
    """
    every = values()
    return sum(share * every[near][min(most, len(every[near]) - 1)] for near, share in beside(every, pot))


def fitting(doubled: bool, deals: bool, pot: int, most: int) -> MixedStrategy | Solution:
    """Return the strategy for a hand with this pot, in which the dealer can wager ``most`` in all: a solution, or
    tables.  Without machine code to solve hands, tables are used with a warning."""
    if pot != TABLED[doubled] and can_solve():
        from parlour.games.diamondback.solving import solution

        try:
            return solution(doubled, pot, most)[not deals]
        except CompilationError as error:
            warnings.warn(f"{error} The unbeatable player goes by tables.", RuntimeWarning, stacklevel=2)
    return tabled(doubled, deals, pot, most)


@cache
def can_solve() -> bool:
    """Whether the packages for solving are installed."""
    return not missing("fast", ("numpy",))


@lru_cache(maxsize=KEPT)
def tabled(doubled: bool, deals: bool, pot: int, most: int) -> MixedStrategy:
    """The tables nearest to this pot and to what can be wagered, below and above, each weighted by its nearness."""
    every = known(doubled, deals)
    parts = [
        (share * part, table(doubled, deals, near, there))
        for near, share in beside(every, pot)
        for there, part in beside(every[near], most)
    ]
    return MixedStrategy(most, parts)


def beside(rising: Iterable[int], wanted: int) -> list[tuple[int, float]]:
    """The numbers below and above the one that is wanted, and their shares.

    >>> beside([10, 20, 30], 23), beside([10, 20], 20), beside([10, 20], 31)
    ([(20, 0.7), (30, 0.3)], [(20, 1.0)], [(20, 1.0)])
    """
    low = max((one for one in rising if one <= wanted), default=min(rising))
    high = min((one for one in rising if one >= wanted), default=max(rising))
    if low >= high:
        return [(high, 1.0)]
    share = (wanted - low) / (high - low)
    return [(low, 1 - share), (high, share)]


# ------------------------------------------------------------------------------------------ the player


class Unbeatable:
    """Plays solved hands (see the module).  It remembers the opening wager; if it joins a hand later, it assumes that
    only single coins followed.
    """

    name = "unbeatable"

    def __init__(self, game: Ruleset[Any], seed: int = 0) -> None:
        self._random = random.Random(seed_word(seed))
        self._opening: tuple[int, int] = (-1, 0)  # number of the deal, and coins wagered

    def choose(self, view: View, legal: Sequence[int]) -> int:
        chances = self.chances(view, legal)
        a = self._random.choices(list(chances), list(chances.values()))[0]
        sight = _Sight(view)
        if sight.stage == OPENING and a > WAGER:
            self._opening = sight.deal, a - WAGER
        elif sight.stage == ANSWER and sight.opening:
            self._opening = sight.deal, sight.wager
        return a

    def chances(self, view: View, legal: Sequence[int]) -> Mapping[int, float]:
        """The probability of each action."""
        if len(legal) == 1:
            return {legal[0]: 1.0}
        sight = _Sight(view)
        said = self._opening[1] if self._opening[0] == sight.deal else 0
        found = {a: p for a, p in sight.chances(list(legal), said).items() if a in legal and p > 0}
        total = sum(found.values())
        return {a: p / total for a, p in found.items()} if total else {legal[0]: 1.0}


class _Sight:
    """The facts that the player sees."""

    def __init__(self, view: View) -> None:
        told = {(thing, index): value for thing, index, value in view.items}
        me, self.dealer = view.player, told["dealer", 0]
        self.deal, self.stage = told["deal", 0], told["stage", 0]
        self.deals = me == self.dealer
        self.hand = told.get(("hand", me), 0)
        self.up, self.other = (told.get(("up", p), 0) - 1 for p in (me, 1 - me))
        self.wager = told["wager", 0]
        self.opening = told.get(("up", self.dealer), 0) == 0
        self.doubled = view.game.options["version"] == "dealers"
        paid = [told["before", p] - told["coins", p] for p in range(2)]
        dealer, opponent = paid[self.dealer], paid[1 - self.dealer]
        ante = 2 * (dealer - self.wager) - opponent if self.doubled else 0
        self.pot = told["carried", 0] + 2 * ante
        self.coins = told["before", self.dealer] - ante, told["before", 1 - self.dealer] - ante
        self.bet = dealer - ante  # coins the dealer has wagered in this hand
        self.rounds = told["rounds", 0]

    def chances(self, legal: list[int], said: int) -> dict[int, float]:
        """Probabilities of actions, not all of them legal; ``said``: the opening wager if it is remembered."""
        if self.stage == ANTE:
            return {max(legal, key=lambda a: (self._worth(a - legal[0] + 1), a)): 1.0}
        most = min(self.coins[0], self.coins[1] // (2 if self.doubled else 1))
        if most < 1:
            return {legal[0]: 1.0}  # nobody can bet any more, so it does not matter which card is turned up
        plan = fitting(self.doubled, self.deals, self.pot, most)
        if self.stage == OPENING:
            return {WAGER + n if n else FOLD: plan.first(self.hand, n) for n in range(plan.top + 1)}
        if self.stage == ANSWER and self.opening:
            return _two(MATCH_IT, FOLD, plan.first(self.hand, min(self.wager, plan.top)))
        further = self.bet - (self.wager if self.stage == ANSWER else 0)
        opening = said or further - self.rounds + (self.stage == ANSWER and not self.opening)
        opening = max(1, min(opening, plan.top, further))
        t = further - opening
        high, low = HIGHER[self.hand], LOWER[self.hand]
        if self.stage == EXPOSING:
            return _two(EXPOSE + high, EXPOSE + low, plan.turns(self.hand, opening, self.other))
        c, u = (self.other, self.up) if self.deals else (self.up, self.other)
        row = plan.far(opening, c, u, low if self.up == high else high)
        left = sum(row[t:]) if row else 0.0
        if self.stage == ANSWER:
            return _two(MATCH_IT, FOLD, sum(row[t + self.wager :]) / left if row and left else 0.0)
        highest = min(legal[-1] - WAGER, most - opening - t)
        if self.stage != FURTHER or highest < 1:
            return {legal[0]: 1.0}
        stop = 0.0 if t == 0 else row[t] / left if row and left else 1.0
        rows = [found for hidden in range(len(CARDS)) if (found := plan.far(opening, c, u, hidden))]
        n = 1
        while n < highest and not any(one[t + n] for one in rows):
            n += 1
        return _two(STOP, WAGER + n, stop)

    def _worth(self, ante: int) -> float:
        """The value to the dealer of a hand with this ante."""
        left = [coins - ante for coins in self.coins]
        return worth(self.pot + 2 * ante, min(left[0], left[1] // 2)) - ante


def _two(one: int, other: int, chance: float) -> dict[int, float]:
    return {one: chance, other: 1 - chance}
