"""The audit: nothing leaks, nothing is lost, and everything that the engine promises about a game is so.

:func:`audit` plays a game at random under many settings and puts it through the checks of :data:`CHECKS`.  What each
check proves, and what it does not, is in ``docs/audit.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from parlour.engine.audit.bindings import bindings
from parlour.engine.audit.bots import Bots, bots
from parlour.engine.audit.conduct import chance, clauses, conservation, copies, end
from parlour.engine.audit.recall import hidden, legal, recall, writers
from parlour.engine.audit.report import Fault, Notes, Report, Result, summed
from parlour.engine.audit.secrets import Hide, alongside, open_, order, swap
from parlour.engine.audit.trails import Trail, Walk, consistent_worlds, every_trail, walk
from parlour.engine.audit.worlds import odds, records, redeal
from parlour.engine.definition import Definition, definition
from parlour.engine.positions import sample_values
from parlour.errors import unknown
from parlour.game import Game, load

__all__ = ["CHECKS", "Bots", "Fault", "Report", "Result", "audit", "settings"]

CHECKS: Final[Mapping[str, tuple[Callable[[Material, Notes], None], str]]] = {
    "swap": (swap, "hidden cards wiped or dealt anew: nothing that reaches a player changes"),
    "alongside": (alongside, "two games that a player must not tell apart are the same to him"),
    "open": (open_, "a game that says it hides nothing tells everything"),
    "hidden": (hidden, "a step that a player cannot notice leaves his key as it was"),
    "order": (order, "the order of sealed answers shows nowhere"),
    "legal": (legal, "legal actions follow from what a player knows"),
    "recall": (recall, "the same key means the same own history, and the other way round"),
    "writers": (writers, "JSON, text, tensor and key tell the same things apart"),
    "chance": (chance, "chances add up to one; names lead back to what they name"),
    "conservation": (conservation, "nothing is lost, and every field stays in its range"),
    "copies": (copies, "what is done to a copy never changes the past"),
    "redeal": (redeal, "a redealt position agrees with the player's view and plays on"),
    "odds": (odds, "redealt positions are those of exact enumeration, as often"),
    "records": (records, "positions and games survive storage"),
    "bindings": (bindings, "the compiled rules are the interpreted ones"),
    "clauses": (clauses, "refusals and events cite clauses of the book"),
    "bots": (bots, "players choose by their view alone"),
    "end": (end, "random games end"),
}
"""Each check by name: the function, and what it says in words."""


MANY = 8
"""Players, and numbers of players, that are looked at with full thoroughness; a game for more has less of each."""


@dataclass
class Material:
    """What the checks look at: random walks of one setting of a game, and how hard to look."""

    game: Game
    seeds: range
    bots: Bots
    steps: int = 600  # of a walk that are kept
    moments: int = 40  # places of a walk that are looked at closely
    redeals: int = 2  # at each
    shadows: int = 3  # second games alongside each walk, for each seat
    draws: int = 150  # redeals at one information state, to compare with exact odds
    worlds_most: int = 400  # histories that a player may hold possible, for exact odds
    small_worlds: int = 200  # the same with a small deck
    tree_most: int = 0  # positions of a whole game, to look at all of them
    bot_turns: int = 4  # decisions of a walk at which players are asked
    most: int = 200_000  # steps after which a game should be over
    exact: int = 4  # walks, or a fifth of them, along which consistent worlds are enumerated

    @cached_property
    def walks(self) -> list[Walk]:
        """Random games."""
        return [walk(self.game, seed, self.steps) for seed in self.seeds]

    @cached_property
    def tree(self) -> list[Trail]:
        """All positions of the game, if it is small."""
        return every_trail(self.game, self.tree_most) if self.tree_most else []

    @cached_property
    def worlds(self) -> list[tuple[Trail, int, list[Trail]]]:
        """For places of the walks and each player: all histories that he cannot tell from the real one."""
        return list(self._worlds())

    def _worlds(self) -> Iterator[tuple[Trail, int, list[Trail]]]:
        if self.game.definition.hides_nothing:
            return
        for walked in self.walks[: max(self.exact, len(self.walks) // 5)]:
            for p in self.seats:
                for trail, worlds in consistent_worlds(walked, p, self.worlds_most):
                    if worlds is None:
                        break
                    yield trail, p, worlds

    @cached_property
    def in_small(self) -> Material:
        """The same with a deck so small that all deals can be counted, if the game has one, and with fewer players if
        that is for fewer."""
        what = self.game.definition.small
        if what is None:
            return self
        players = min(self.game.players, max(what.players))
        options = dict(self.game.options)
        if not what.allows(players, options):  # a seat that is not there
            options = {name: value for name, value in options.items() if not what.options[name].seats}
        game = Game(what, players, options)
        return replace(self, game=game, tree_most=0, worlds_most=self.small_worlds)

    @property
    def seats(self) -> range:
        """The players whose knowledge is looked at step by step: all of them, or a few round a large table."""
        return range(0, self.game.players, -(-self.game.players // MANY))

    @property
    def hide(self) -> Hide | None:
        """``hide(s, me)`` of the game's ``invariants`` module."""
        return getattr(self.game.definition.part("invariants"), "hide", None)


def audit(
    game: str | Game,
    *,
    players: int | None = None,
    options: Mapping[str, int | str] | None = None,
    games: int = 20,
    seed: int = 0,
    exhaustive: int = 12_000,
    checks: Iterable[str] | None = None,
    bots: Bots | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Put a game through the checks (default: all of :data:`CHECKS`) in ``games`` random games.

    ``game``: a name is audited with every number of players and every value of every option, one at a time with a tenth
    of the games (``players`` or ``options`` fix the setting); a :class:`~parlour.Game` as it is.  ``bots``: how to make
    the players to check (default: those that come with Parlour for this game).  A game with at most ``exhaustive``
    positions is also looked at as a whole.  ``progress`` hears what is being done.

    >>> report = audit("kuhn", games=2, checks=["chance", "conservation"])
    >>> report.ok, report["chance"].verdict
    (True, 'ok')
    """
    chosen = list(CHECKS) if checks is None else list(checks)
    for check in chosen:
        if check not in CHECKS:
            raise unknown("check", check, CHECKS)
    found = [game] if isinstance(game, Game) else list(settings(game, players, options))
    notes: dict[str, list[Notes]] = {check: [] for check in chosen}
    for index, setting in enumerate(found):
        main = index == 0 or not _changed(setting)
        count = games if main and setting.players <= MANY else max(1, games // 10)
        players_ = offered(setting, search=main and setting.players <= MANY) if bots is None else bots
        material = Material(setting, range(seed, seed + count), players_)
        if main:
            material.tree_most, material.small_worlds = exhaustive, 1000
        for check in chosen:
            if progress:
                progress(f"{setting!r}: {check}")
            notes[check].append(_noted(check, material))
    return Report(found[0].id, tuple(found), tuple(summed(c, CHECKS[c][1], notes[c]) for c in chosen))


def _noted(check: str, material: Material) -> Notes:
    notes = Notes(material.game)
    try:
        CHECKS[check][0](material, notes)
    except Exception as error:  # a check that cannot be made is a finding
        where = error.__traceback__
        while where and where.tb_next:
            where = where.tb_next
        line = f" (line {where.tb_lineno} of {where.tb_frame.f_code.co_filename})" if where else ""
        notes.fault(f"the check stopped: {type(error).__name__}: {error}{line}")
    return notes


# ------------------------------------------------------------------------------------------ settings


def settings(game: str, players: int | None = None, options: Mapping[str, int | str] | None = None) -> Iterator[Game]:
    """The settings under which a game is audited: each number of players with the default options, then each value of
    each option, one at a time (with what it needs, as that of a version needs the version), with each number of players
    (if there are more than :data:`MANY` of them, with one, in turn); only the given ones if any are given.

    >>> [len(list(settings(name))) for name in ("kuhn", "leduc")]
    [1, 1]
    """
    what = definition(game)
    seats = list(what.players) if players is None else [players]
    yield from (load(game, n, **(what.options_for(n) if options is None else options)) for n in seats)
    if options is None:
        changed = [game for n in seats for game in _one_by_one(what, n)]
        yield from changed if len(seats) <= MANY else _in_turn(changed)


def _one_by_one(what: Definition, players: int) -> Iterator[Game]:
    """A game for so many players with each value of each option that is not the default."""
    for name, option in what.options.items():
        for value in sample_values(option, players)[1:]:
            chosen = what.options_for(players, **{name: value})
            if what.allows(players, chosen):
                yield load(what.id, players, **chosen)


def _in_turn(games: Iterable[Game]) -> Iterator[Game]:
    """Of games that differ only in the number of players one each, the numbers taking turns."""
    alike: dict[tuple[str, ...], list[Game]] = {}
    for game in games:
        alike.setdefault(tuple(game.options.values()), []).append(game)
    yield from (same[i % len(same)] for i, same in enumerate(alike.values()))


def _changed(game: Game) -> bool:
    return any(game.options[name] != str(option.default) for name, option in game.definition.options.items())


def offered(game: Game, search: bool = True) -> Bots:
    """The players that come with Parlour for a game; search with few simulations, interpreted, or left out."""
    from parlour.players import kinds, make  # players stand above the engine: known only here, and only when asked for

    def maker(kind: str) -> Callable[[Game, int], object]:
        if kind == "search":
            return lambda game, seed: make("search:40", game, seed, binding="interpreted")
        return lambda game, seed: make(kind, game, seed)

    return {kind: maker(kind) for kind in kinds(game) if search or kind != "search"}  # type: ignore[misc]
