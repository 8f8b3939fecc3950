"""Diamondback's best player for two: it plays from tables that ``parlour solve --reduced`` made.

A table is for one pot before the opening wager and for the most that the dealer can wager in all.  It is used for
other positions by what is sure: a dealer who bets up to a lower total than they might is as sure of what that brings,
and an opponent who is prepared for a higher total is prepared for a lower one.  Where no table has the pot, the nearest
one is taken.

After the exposures tables know single coins only (see ``advice.enough``).  As opponent the player answers a wager of
several coins as that many single ones.  As dealer it wagers at once the coins after none of which it would ever stop,
whatever it holds, so that the number tells nothing.
"""

from __future__ import annotations

import math
import random
import sys
import zipfile
from array import array
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.engine.hashing import seed_word
from parlour.engine.telling import View
from parlour.shelf.diamondback.position import (
    ANSWER,
    ANTE,
    EXPOSE,
    EXPOSING,
    FOLD,
    FURTHER,
    HIGHER,
    LOWER,
    MATCH_IT,
    OPENING,
    STOP,
    WAGER,
)

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

FILE = Path(__file__).with_name("unbeatable.zip")
LIMIT = 10  # the table limit that the tables are for
COINS = 100  # the most that a player may start with
ONE = 65535  # a probability of 1 in the tables
KINDS = 15  # hands, and 0 for none
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
        return f"the unbeatable player of Diamondback plays against one opponent, not {game.players - 1}"
    if game.options["version"] == "match":
        return "the unbeatable player of Diamondback knows version=standard and version=dealers, not match"
    if int(game.options["start_coins"]) > COINS:
        return f"the unbeatable player of Diamondback knows up to {COINS} coins, not {game.options['start_coins']}"
    for name, value in NEEDED.items():
        if game.options[name] != value:
            return f"the unbeatable player of Diamondback knows {name}={value} only, not {game.options[name]}"
    return ""


PARTS = ("opens", "answers", "shows", "replies", "stops", "matches")


def shapes(most: int) -> dict[str, tuple[int, ...]]:
    """The parts of a table and their shapes, in the order in which the file has them."""
    n = min(LIMIT, most) + 1
    hand, further = (KINDS, n), (n, 5, 5, 5, most)
    return dict(zip(PARTS, (hand, hand, hand, (*hand, 5), further, further), strict=True))


class Table:
    """What to do in a hand with ``pot`` coins in the middle before the opening wager, of which the dealer can wager
    ``most`` in all.  Its parts:

    ``opens[h, n]``: a dealer with hand h opens with n (0: folds).  ``answers[h, n]``: an opponent matches that.
    ``shows[h, n]``: the opponent turns up the higher card; ``replies[h, n, c]``: the dealer does so, against card c.
    ``stops[n, up, other_up, hidden, t]``: the dealer stops after t further coins; ``matches`` likewise: the opponent
    matches the next one.
    """

    def __init__(self, pot: int, most: int, numbers: array[int]) -> None:
        self.pot, self.most, self._numbers = pot, most, numbers
        self._parts: dict[str, tuple[int, tuple[int, ...]]] = {}
        at = 0
        for name, shape in shapes(most).items():
            self._parts[name] = at, shape
            at += math.prod(shape)

    def chance(self, part: str, *index: int) -> float:
        """A probability."""
        at, shape = self._parts[part]
        i = 0
        for k, n in zip(index, shape, strict=True):
            i = i * n + k
        return self._numbers[at + i] / ONE


@cache
def known(doubled: bool) -> list[tuple[int, int, str]]:
    """Pot, most and name of all tables for a version."""
    with zipfile.ZipFile(FILE) as file:
        names = [name.split("-") for name in file.namelist()]
    return [(int(pot), int(most), "-".join((kind, pot, most))) for kind, pot, most in names if (kind == "d") == doubled]


@cache
def table(name: str) -> Table:
    """One table of the file."""
    _, pot, most = name.split("-")
    numbers = array("H")
    with zipfile.ZipFile(FILE) as file:
        numbers.frombytes(file.read(name))
    if sys.byteorder == "big":
        numbers.byteswap()
    return Table(int(pot), int(most), numbers)


def fitting(doubled: bool, pot: int, most: int, dealer: bool) -> Table | None:
    """The table to play from: no higher than ``most`` for a dealer, no lower for an opponent, if there is one."""
    every = known(doubled)
    fit = [(p, m, name) for p, m, name in every if (m <= most if dealer else m >= most)]
    if not fit:
        if dealer:
            return None
        fit = [max(every, key=lambda one: one[1])]
    return table(min(fit, key=lambda one: (abs(one[0] - pot), abs(one[1] - most)))[2])


class Unbeatable:
    """Plays from the tables (see the module).  What the opening wager was it remembers from when it was made; a player
    who comes in later takes it that single coins followed."""

    name = "unbeatable"

    def __init__(self, game: Ruleset[Any], seed: int = 0) -> None:
        self._random = random.Random(seed_word(seed))
        self._opening: tuple[int, int] = (-1, 0)  # deal, coins

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
    """What the player sees."""

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
        self.bet = dealer - ante  # by the dealer, in all
        self.rounds = told["rounds", 0]

    def chances(self, legal: list[int], said: int) -> dict[int, float]:
        """Probabilities of actions, not all of them legal; ``said``: the opening wager if it is remembered."""
        if self.stage == ANTE:
            return {legal[-1]: 1.0}  # a higher ante is worth more to the dealer
        most = min(self.coins[0], self.coins[1] // (2 if self.doubled else 1))
        table = fitting(self.doubled, self.pot, most, self.deals)
        if table is None:
            return {legal[0]: 1.0}  # fold, stop, or one coin
        top = min(LIMIT, table.most)
        if self.stage == OPENING:
            return {FOLD if n == 0 else WAGER + n: table.chance("opens", self.hand, n) for n in range(top + 1)}
        if self.stage == ANSWER and self.opening:
            return _two(MATCH_IT, FOLD, table.chance("answers", self.hand, min(self.wager, top)))
        further = self.bet - (self.wager if self.stage == ANSWER else 0)
        opening = said or further - self.rounds + (self.stage == ANSWER and not self.opening)
        opening = max(1, min(opening, top, further))
        t = further - opening
        high, low = HIGHER[self.hand], LOWER[self.hand]
        if self.stage == EXPOSING:
            chance = (
                table.chance("replies", self.hand, opening, self.other)
                if self.deals
                else table.chance("shows", self.hand, opening)
            )
            return _two(EXPOSE + high, EXPOSE + low, chance)
        hidden = low if self.up == high else high
        if self.stage == ANSWER:
            chance = 1.0
            for k in range(t, t + self.wager):
                chance *= table.chance("matches", opening, self.up, self.other, hidden, min(k, table.most - 1))
            return {MATCH_IT: chance, FOLD: 1 - chance}
        if self.stage != FURTHER:
            return {legal[0]: 1.0}
        if t >= table.most - opening:
            return {legal[0]: 1.0}  # stop: that is all that the table bets
        stop = table.chance("stops", opening, self.up, self.other, hidden, t) if t else 0.0
        n, highest = 1, min(legal[-1] - WAGER, table.most - opening - t)
        while n < highest and not any(
            table.chance("stops", opening, self.up, self.other, other, t + n) for other in range(5)
        ):
            n += 1
        return {STOP: stop, WAGER + n: 1 - stop}


def _two(one: int, other: int, chance: float) -> dict[int, float]:
    return {one: chance, other: 1 - chance}
