"""The material of the checks: random games of one setting, and how closely to inspect them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType

from parlour.audit.consistent import consistent_worlds, how_many
from parlour.audit.report import Notes
from parlour.audit.stated import Hide, hide_of
from parlour.audit.trails import Trail, Walk, every_trail, walk
from parlour.core.game import Game
from parlour.engine import families
from parlour.engine.telling import Chooser
from parlour.rules import contract

MANY = 8
"""Up to this many players are inspected thoroughly; at a larger table fewer are."""
CROWD = 4
"""With up to this many players small decks have few deals; with more, only one game is enumerated, but to its end."""
COUNTED = 6_000
"""How many histories are counted where there are too many to compare."""
PACK = 1 << 10
"""A constant above this that has only low bits is a pack written as a set."""
LOOKED_AT = 600
"""How many steps of a random game are inspected."""

Bots = Mapping[str, Callable[["Game", int], Chooser]]
"""For each kind of player, a function that makes it from the game and a seed."""


@dataclass
class Material:
    """The material of the checks: random walks of one setting of a game, and limits on how closely they are inspected.

    >>> import parlour
    >>> material = Material(parlour.load("kuhn"), seeds=range(2), bots={})
    >>> len(material.walks), len(material.tree)
    (2, 0)
    """

    game: Game
    seeds: Sequence[int]
    bots: Bots
    steps: int = LOOKED_AT  # steps of a walk that are kept
    moments: int = 40  # positions of a walk that are inspected closely
    redeals: int = 2  # redeals at each of these positions
    shadows: int = 3  # second games played alongside each walk, for each seat
    draws: int = 150  # redeals at one information state whose frequencies are compared with exact odds
    worlds_most: int = 400  # exact odds are worked out for at most this many histories that a player holds possible
    small_worlds: int = 200  # the same limit with a small deck
    crowd_worlds: int = 200  # the same limit at a large table
    tree_most: int = 0  # games with at most this many positions are searched completely
    bot_turns: int = 4  # decisions of a walk at which bots are asked
    most: int = 200_000  # a game must end within this many steps
    exact: int = 4  # walks, or a fifth of them, along which consistent worlds are enumerated
    exact_in_small: bool = False  # whether that is done with the small deck only, if there is one
    seats_most: int = MANY  # number of seats whose knowledge is checked step by step
    were_looked_at: bool = False  # whether the walks have been checked
    too_many: list[tuple[Walk, int]] = field(default_factory=list)  # where a player holds more histories possible

    @property
    def walks(self) -> list[Walk]:
        """Random games."""
        self.were_looked_at = True
        return self._walks

    @cached_property
    def _walks(self) -> list[Walk]:
        return [walk(self.game, seed, self.steps) for seed in self.seeds]

    @cached_property
    def tree(self) -> list[Trail]:
        """All positions of the game, if it is small."""
        return every_trail(self.game, self.tree_most) if self.tree_most else []

    @property
    def worlds(self) -> list[tuple[Trail, int, list[Trail]]]:
        """For each place of a walk and each player, all histories that the player cannot tell from the real one."""
        self.were_looked_at = True
        return self._worlds

    @cached_property
    def _worlds(self) -> list[tuple[Trail, int, list[Trail]]]:
        if self.game.definition.hides_nothing or (self.exact_in_small and self.in_small is not self):
            return []
        found = []
        for walked in self._walks[: max(self.exact, len(self._walks) // 5)]:
            for p in self.seats:
                for trail, worlds in consistent_worlds(walked, p, self.worlds_most):
                    if worlds is None:
                        self.too_many.append((walked, p))
                        break
                    found.append((trail, p, worlds))
        return found

    @cached_property
    def why_no_worlds(self) -> str:
        """Why no histories were enumerated, with the numbers, and what the author can do about it; empty if some
        were."""
        small = self.in_small
        if not small.too_many:
            return ""
        most, counted = f"{small.worlds_most:,} may be compared", how_many(*small.too_many[0], COUNTED)
        found = f"{'' if counted else 'at least '}{counted or COUNTED:,} histories are possible from a player's view"
        if small is not self:
            stated = dict(getattr(self.game.definition.part("invariants"), "SMALL", {}))
            return (
                f"with SMALL = {stated} {found}, and at most {most}. Make it smaller still: fewer cards, a shorter hand"
                ' or fewer players ("PLAYERS": range(2, 3))'
            )
        pack = next((f'"{name}": 0b{127:b}' for name in sets_of(self.game)), '"DECK": 7')
        return (
            f"{found}, and at most {most}. State a smaller pack in invariants.py, such as"
            f' SMALL = {{{pack}, "HAND": 2}}, with which at most {self.small_worlds:,} are possible; it gives other'
            f" values to constants of the rules ({constants_of(self.game)})"
        )

    @cached_property
    def in_small(self) -> Material:
        """The same with a deck so small that all deals can be enumerated, if the game has one, and with fewer players
        if that deck is for fewer."""
        what = self.game.definition.small
        if what is None:
            return self
        players = min(self.game.players, max(what.players))
        options = dict(self.game.options)
        if not what.allows(players, options):  # an option names a seat that does not exist at the smaller table
            options = {name: value for name, value in options.items() if not what.options[name].seats}
        game = Game(what, players, options)
        seeds = self.seeds if players <= CROWD else self.seeds[:1]
        worlds = self.small_worlds if players <= CROWD else self.crowd_worlds
        return replace(self, game=game, seeds=seeds, tree_most=0, worlds_most=worlds, too_many=[], exact_in_small=False)

    def broke_off(self) -> Iterator[Walk]:
        """Return a walk that never ends or that breaks off, if there is one."""
        small = [self.__dict__["in_small"]] if "in_small" in self.__dict__ and self.in_small is not self else []
        for material in (self, *small):
            if material.were_looked_at:
                walks = sorted(material._walks, key=lambda walked: (not walked.trouble, walked.last.length))
                yield from itertools.islice((walked for walked in walks if walked.broke_off(material.most)), 1)
            material.were_looked_at = False

    def places(self, salt: str, notes: Notes) -> Iterator[tuple[Walk, int]]:
        """Yield some places of each walk, until enough faults were found."""
        for walked in self.walks:
            for place in walked.some(self.moments, salt):
                yield walked, place
            if notes.full:
                return

    @property
    def seats(self) -> range:
        """The players whose knowledge is inspected step by step: all, or a few at a large table."""
        return range(0, self.game.players, -(-self.game.players // self.seats_most))

    @cached_property
    def hide(self) -> Hide | None:
        """``hide(s, me)`` of the game's ``invariants`` module."""
        return hide_of(self.game)


def constants_of(game: Game) -> str:
    """The constants of a game's own rules that are whole numbers above 1, with their values.

    >>> import parlour
    >>> constants_of(parlour.load("dividha", 2)).partition(",")[0]
    'WILDS = 3'
    """
    found = {name: value for module in _own(game) for name, value in families.numbers_in(module).items()}
    apart = {*contract.CONSTANTS, *sets_of(game)}
    sizes = [f"{name} = {value}" for name, value in found.items() if value > 1 and name not in apart]
    return ", ".join(sizes) or "none yet"


def sets_of(game: Game) -> list[str]:
    """The constants of a game's own rules that are whole packs written as sets, one bit for each card."""
    values = [one for module in _own(game) for one in vars(module).items() if type(one[1]) is int]
    return [name for name, value in values if value > PACK and value & (value + 1) == 0]


def _own(game: Game) -> list[ModuleType]:
    package = f"{game.definition.package}."
    return [module for module in game.definition.sources if f"{module.__name__}.".startswith(package)]
