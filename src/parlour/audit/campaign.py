"""The settings under which a game is audited, and how much effort each is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from parlour.audit.effort import HabitSurvey
from parlour.audit.material import LOOKED_AT, MANY
from parlour.core.game import Game, load
from parlour.engine.definition import Definition, definition
from parlour.engine.house_rules import option_values, refusal_of, sample_values

FEW = 4
"""Each value of an option is tried with all numbers of players if there are at most this many, otherwise with two of
them."""
LEAST = 2
"""The least number of random games for any setting."""


class Setting(NamedTuple):
    """A game to audit.  ``usual``: the same game with the default of the one option whose ``value`` is audited."""

    game: Game
    usual: Game | None = None
    value: tuple[str, str] | None = None


class Effort(NamedTuple):
    """The random games to inspect, by seed, and whether a setting is inspected in ``full``; ``why``: the reason, if an
    option is the reason."""

    seeds: Sequence[int]
    full: bool
    why: str = ""


def settings(game: str, players: int | None = None, options: Mapping[str, int | str] | None = None) -> Iterator[Game]:
    """The settings under which a game is audited: each number of players with the default options, then each value of
    each option, one at a time (with the options that it requires, as an option of a version requires that version),
    with each number of players (if there are more than :data:`FEW` of them, with two: a small one, and the others in
    turn).  If ``players`` or ``options`` are given, only those.

    >>> [len(list(settings(name))) for name in ("kuhn", "leduc")]
    [1, 1]
    """
    return (setting.game for setting in campaign(game, players, options))


def campaign(
    game: str, players: int | None = None, options: Mapping[str, int | str] | None = None
) -> Iterator[Setting]:
    """The same settings, each with the usual setting to compare it with. Raises ``ParlourError`` if there is no such
    game or option.

    >>> [setting.value for setting in campaign("kuhn")]
    [None]
    """
    what = definition(game)
    seats = list(what.players) if players is None else [players]
    for n in seats:
        yield Setting(load(game, n, **(what.options_for(n) if options is None else options)))  # type: ignore[arg-type]
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
    """Yield each value of each option, except defaults, that is allowed for this number of players."""
    usual = what.options_for(players)
    for name, option in what.options.items():
        for value in sample_values(option, players)[1:]:
            if usual.get(name) != value and _with(what, players, {name: value}):
                yield name, value


def _with(what: Definition, players: int, value: dict[str, str]) -> dict[str, str] | None:
    """Return the options that this number of players needs to play with an option; ``None`` if that is not allowed."""
    if _allows(what, players, value):
        return value
    chosen = what.options_for(players, **value)
    return chosen if chosen != value else None


def _allows(what: Definition, players: int, options: Mapping[str, str]) -> bool:
    return not refusal_of(what, players, option_values(what, players, dict(options)))


def _changed(what: Definition, players: int, value: tuple[str, str]) -> Setting:
    """Return a game for this number of players with one option changed."""
    chosen = _with(what, players, dict([value])) or {}
    without = {name: word for name, word in chosen.items() if name != value[0]}
    usual = without if _allows(what, players, without) else what.options_for(players)
    return Setting(load(what.id, players, **chosen), load(what.id, players, **usual), value)


def _two_of(numbers: list[int], i: int) -> list[int]:
    """Choose two of many numbers of players: a small one, and one that changes from one option to the next."""
    return [numbers[min(1, len(numbers) - 1)], numbers[i % len(numbers)]]


class Surveys:
    """Decides how closely settings are inspected, by what occurs in the random games of these seeds.

    >>> effort = Surveys(range(4)).effort(next(campaign("kuhn")))
    >>> list(effort.seeds), effort.full
    ([0, 1, 2, 3], True)
    """

    def __init__(self, seeds: range) -> None:
        self.seeds = seeds
        self._known: dict[tuple[Game, int], HabitSurvey] = {}

    def effort(self, setting: Setting) -> Effort:
        """Return the random games of a setting to inspect: all, or a few that show everything that occurs in all of
        them.  All are inspected with the default options, if the table is not too large, and with an option that
        changes what players know, for one number of players.
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
        """Whether something new is inspected with another number of players: the fewest of more than two."""
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

    def _survey(self, game: Game, times: int = 1) -> HabitSurvey:
        if (game, times) not in self._known:
            seeds = range(self.seeds.start, self.seeds.start + times * len(self.seeds))
            self._known[game, times] = HabitSurvey(game, seeds, LOOKED_AT)
        return self._known[game, times]
