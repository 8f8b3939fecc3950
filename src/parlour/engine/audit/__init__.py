"""The audit: nothing leaks, nothing is lost, and everything that the engine promises about a game is so.

:func:`audit` plays a game at random under many settings and puts it through the checks of :data:`CHECKS`.  What each
check proves, and what it does not, is in ``docs/audit.md``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

from parlour.engine.audit.bindings import bindings
from parlour.engine.audit.bots import Bots, bots
from parlour.engine.audit.conduct import chance, clauses, conservation, copies, end
from parlour.engine.audit.effort import Survey
from parlour.engine.audit.hearing import asked, events
from parlour.engine.audit.options import options
from parlour.engine.audit.recall import hidden, legal, recall, writers
from parlour.engine.audit.report import Fault, Notes, Report, Result, summed
from parlour.engine.audit.secrets import Hide, alongside, open_, order, swap
from parlour.engine.audit.taking_back import undo
from parlour.engine.audit.trails import Trail, Walk, consistent_worlds, every_trail, walk
from parlour.engine.audit.worlds import odds, records, redeal
from parlour.engine.definition import Definition, definition
from parlour.engine.positions import option_values, sample_values
from parlour.errors import unknown
from parlour.game import Game, load

__all__ = ["CHECKS", "Bots", "Fault", "Report", "Result", "Setting", "audit", "campaign", "look", "settings"]

CHECKS: Final[Mapping[str, tuple[Callable[[Material, Notes], None], str]]] = {
    "swap": (swap, "hidden cards wiped or dealt anew: nothing that reaches a player changes"),
    "alongside": (alongside, "two games that a player must not tell apart are the same to him"),
    "events": (events, "what a player hears of a step follows from what he may know before and after it"),
    "asked": (asked, "who is asked follows from what a player may know"),
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
    "undo": (undo, "a step that may be taken back has taught nobody anything"),
    "records": (records, "positions and games survive storage"),
    "bindings": (bindings, "the compiled rules are the interpreted ones"),
    "clauses": (clauses, "refusals and events cite clauses of the book"),
    "bots": (bots, "players choose by their view alone"),
    "options": (options, "an option is compared with its own values only"),
    "end": (end, "random games end"),
}
"""Each check by name: the function, and what it says in words."""


MANY = 8
"""Players that are looked at with full thoroughness; at a larger table it is fewer of them."""

FEW = 4
"""Numbers of players with which each value of an option is tried; in a game for more, with two of them."""

CROWD = 4
"""Players with whom small decks have few deals; with more, one game is enumerated, but that to its end."""

LOOKED_AT = 600
"""Steps of a random game that are looked at."""

LEAST = 2
"""Random games of any setting."""


@dataclass
class Material:
    """What the checks look at: random walks of one setting of a game, and how hard to look."""

    game: Game
    seeds: Sequence[int]
    bots: Bots
    steps: int = LOOKED_AT  # of a walk that are kept
    moments: int = 40  # places of a walk that are looked at closely
    redeals: int = 2  # at each
    shadows: int = 3  # second games alongside each walk, for each seat
    draws: int = 150  # redeals at one information state, to compare with exact odds
    worlds_most: int = 400  # histories that a player may hold possible, for exact odds
    small_worlds: int = 200  # the same with a small deck
    crowd_worlds: int = 200  # the same at a large table
    tree_most: int = 0  # positions of a whole game, to look at all of them
    bot_turns: int = 4  # decisions of a walk at which players are asked
    most: int = 200_000  # steps after which a game should be over
    exact: int = 4  # walks, or a fifth of them, along which consistent worlds are enumerated
    exact_in_small: bool = False  # only with the small deck, if there is one
    seats_most: int = MANY  # whose knowledge is looked at step by step
    were_looked_at: bool = False  # the walks
    too_many: int = 0  # walks with a player who may hold more histories possible than that

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
        """For places of the walks and each player: all histories that he cannot tell from the real one."""
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
                        self.too_many += 1
                        break
                    found.append((trail, p, worlds))
        return found

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
        seeds = self.seeds if players <= CROWD else self.seeds[:1]
        worlds = self.small_worlds if players <= CROWD else self.crowd_worlds
        return replace(self, game=game, seeds=seeds, tree_most=0, worlds_most=worlds, too_many=0, exact_in_small=False)

    def broke_off(self) -> Iterator[Walk]:
        """Of the walks that were looked at one that is not the beginning of a game that ends, if there is one."""
        small = [self.__dict__["in_small"]] if "in_small" in self.__dict__ and self.in_small is not self else []
        for material in (self, *small):
            if material.were_looked_at:
                walks = sorted(material._walks, key=lambda walked: (not walked.trouble, walked.last.length))
                yield from itertools.islice((walked for walked in walks if walked.broke_off(material.most)), 1)
            material.were_looked_at = False

    def places(self, salt: str, notes: Notes) -> Iterator[tuple[Walk, int]]:
        """Some places of each walk, until enough faults were found."""
        for walked in self.walks:
            for place in walked.some(self.moments, salt):
                yield walked, place
            if notes.full:
                return

    @property
    def seats(self) -> range:
        """The players whose knowledge is looked at step by step: all of them, or a few round a large table."""
        return range(0, self.game.players, -(-self.game.players // self.seats_most))

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

    ``game``: a name is audited with every number of players and every value of every option, one at a time (``players``
    or ``options`` fix the setting); a :class:`~parlour.Game` as it is.  A value that changes who knows what is looked
    at in all of these games, any other in the few of them that show everything that occurs in all.  ``bots``: how to
    make the players to check (default: those that come with Parlour for this game).  A game with at most ``exhaustive``
    positions is also looked at as a whole.  ``progress`` hears what is being done.

    >>> report = audit("kuhn", games=2, checks=["chance", "conservation"])
    >>> report.ok, report["chance"].verdict
    (True, 'ok')
    """
    chosen = list(CHECKS) if checks is None else list(checks)
    for check in chosen:
        if check not in CHECKS:
            raise unknown("check", check, CHECKS)
    found = [Setting(game)] if isinstance(game, Game) else list(campaign(game, players, options))
    surveys = Surveys(range(seed, seed + games))
    notes: dict[str, list[Notes]] = {check: [] for check in chosen}
    in_full = {}
    for index, setting in enumerate(found):
        if progress:
            progress(f"{setting.game!r}")
        effort = surveys.effort(setting)
        if effort.why:
            in_full[setting.game] = effort.why
        main = index == 0 or setting.usual is None
        for note in look(setting.game, effort, chosen, exhaustive if main else 0, main, bots, progress):
            notes[note.check].append(note)
    return Report(
        found[0].game.id,
        tuple(setting.game for setting in found),
        tuple(summed(c, CHECKS[c][1], notes[c]) for c in chosen),
        in_full,
    )


def look(
    game: Game,
    effort: Effort,
    checks: Iterable[str],
    exhaustive: int = 0,
    search: bool = False,
    bots: Bots | None = None,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Notes]:
    """Put one setting of a game through some checks, with this effort."""
    players = offered(game, search and game.players <= MANY) if bots is None else bots
    material = Material(game, effort.seeds, players, tree_most=exhaustive)
    if effort.full:
        material.small_worlds, material.crowd_worlds = 1000, 20_000
    else:
        material.moments, material.shadows, material.redeals = 15, 1, 1
        material.exact, material.exact_in_small, material.seats_most = 1, True, 3
    for check in checks:
        if progress:
            progress(f"{game!r}: {check}")
        yield _noted(check, material, effort)


def _noted(check: str, material: Material, effort: Effort) -> Notes:
    notes = Notes(material.game, check, effort.full)
    try:
        CHECKS[check][0](material, notes)
    except Exception as error:  # a check that cannot be made is a finding
        where = error.__traceback__
        while where and where.tb_next:
            where = where.tb_next
        line = f" (line {where.tb_lineno} of {where.tb_frame.f_code.co_filename})" if where else ""
        notes.fault(f"the check stopped: {type(error).__name__}: {error}{line}")
    for walked in material.broke_off():
        notes.fault(walked.broke_off(material.most), walked.last)
    return notes


# ------------------------------------------------------------------------------------------ settings


class Setting(NamedTuple):
    """A game to audit.  ``usual``: the same without one of its options, whose ``value`` it is audited for."""

    game: Game
    usual: Game | None = None
    value: tuple[str, str] | None = None


class Effort(NamedTuple):
    """The random games to look at, by seed, and whether a setting is looked at in ``full``; ``why``, if it is for an
    option."""

    seeds: Sequence[int]
    full: bool
    why: str = ""


def settings(game: str, players: int | None = None, options: Mapping[str, int | str] | None = None) -> Iterator[Game]:
    """The settings under which a game is audited: each number of players with the default options, then each value of
    each option, one at a time (with what it needs, as that of a version needs the version), with each number of players
    (if there are more than :data:`FEW` of them, with two: a small one, and the others in turn); only the given ones if
    any are given.

    >>> [len(list(settings(name))) for name in ("kuhn", "leduc")]
    [1, 1]
    """
    return (setting.game for setting in campaign(game, players, options))


def campaign(
    game: str, players: int | None = None, options: Mapping[str, int | str] | None = None
) -> Iterator[Setting]:
    """The same, each with what it is to be compared with."""
    what = definition(game)
    seats = list(what.players) if players is None else [players]
    for n in seats:
        yield Setting(load(game, n, **(what.options_for(n) if options is None else options)))
    if options is None:
        many = len(seats) > FEW
        found: dict[tuple[str, str], list[int]] = {}
        for n in seats:
            for value in _values(what, n):
                found.setdefault(value, []).append(n)
        chosen = [(_two_of(numbers, i) if many else numbers) for i, numbers in enumerate(found.values())]
        in_order = ((n, value) for n in seats for value, numbers in zip(found, chosen, strict=True) if n in numbers)
        yield from (_changed(what, n, value) for n, value in in_order)


def _values(what: Definition, players: int) -> Iterator[tuple[str, str]]:
    """Each value of each option that is not usual with so many players, and that they can play with."""
    usual = what.options_for(players)
    for name, option in what.options.items():
        for value in sample_values(option, players)[1:]:
            if usual.get(name) != value and _with(what, players, {name: value}):
                yield name, value


def _with(what: Definition, players: int, value: dict[str, str]) -> dict[str, str] | None:
    """What must be set for so many players to play with an option; ``None`` if they cannot."""
    if _allows(what, players, value):
        return value
    chosen = what.options_for(players, **value)
    return chosen if chosen != value else None


def _allows(what: Definition, players: int, options: Mapping[str, str]) -> bool:
    return not what.refusal_of(players, option_values(what, players, dict(options)))


def _changed(what: Definition, players: int, value: tuple[str, str]) -> Setting:
    """A game for so many players with one option changed."""
    chosen = _with(what, players, dict([value])) or {}
    without = {name: word for name, word in chosen.items() if name != value[0]}
    usual = without if _allows(what, players, without) else what.options_for(players)
    return Setting(load(what.id, players, **chosen), load(what.id, players, **usual), value)


def _two_of(numbers: list[int], i: int) -> list[int]:
    """Of many numbers of players two: a small one, and one that changes from one option to the next."""
    return [numbers[min(1, len(numbers) - 1)], numbers[i % len(numbers)]]


class Surveys:
    """Says with how much effort settings are looked at, from what occurs in the random games of these seeds."""

    def __init__(self, seeds: range) -> None:
        self.seeds = seeds
        self._known: dict[tuple[Game, int], Survey] = {}

    def effort(self, setting: Setting) -> Effort:
        """Which random games of a setting to look at: all, or those that show what occurs in all of them.

        All with the default options, if the table is not too large; and where an option changes who knows what, with
        one number of players.
        """
        game, least = setting.game, min(len(self.seeds), LEAST)
        if setting.usual is None:
            few = game.players > MANY
            return Effort(self._survey(game).telling_games(least) if few else self.seeds, True)
        new = self._differs(game, setting.usual)
        if new and not self._is_done_elsewhere(setting):
            return Effort(self.seeds, True, "; ".join(new))
        return Effort(self._survey(game).telling_games(least), False)

    def _is_done_elsewhere(self, setting: Setting) -> bool:
        """Whether what is new is looked at with another number of players: the fewest of more than two."""
        game, usual = setting.game, setting.usual
        assert usual is not None
        numbers = game.definition.counts(**game.options)
        players = next((n for n in numbers if n > 2), numbers[-1])
        if players == game.players:
            return False
        there = (Game(game.definition, players, dict(one.options)) for one in (game, usual))
        return bool(self._differs(*there))

    def _differs(self, game: Game, usual: Game) -> list[str]:
        if game.definition.hides_nothing:
            return []
        return self._survey(game).differs(self._survey(usual, 4))

    def _survey(self, game: Game, times: int = 1) -> Survey:
        if (game, times) not in self._known:
            seeds = range(self.seeds.start, self.seeds.start + times * len(self.seeds))
            self._known[game, times] = Survey(game, seeds, LOOKED_AT)
        return self._known[game, times]


def offered(game: Game, search: bool = True) -> Bots:
    """The players that come with Parlour for a game; search with few simulations, interpreted, or left out."""
    from parlour.players import kinds, make  # players stand above the engine: known only here, and only when asked for

    def maker(kind: str) -> Callable[[Game, int], object]:
        if kind == "search":
            return lambda game, seed: make("search:40", game, seed, binding="interpreted")
        return lambda game, seed: make(kind, game, seed)

    return {kind: maker(kind) for kind in kinds(game) if search or kind != "search"}  # type: ignore[misc]
