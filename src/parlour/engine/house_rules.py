"""House rules: the values of options, their values in earlier versions, and the numbers of players they allow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from parlour.base.errors import ParlourError
from parlour.base.languages import either, marked
from parlour.engine.positions import position_class
from parlour.rules.vocabulary import Option

if TYPE_CHECKING:
    from parlour.engine.folder import GameFolder

_NUMBER: Final = re.compile("0|[1-9][0-9]{0,9}")
"""A number as in records, without leading zeros."""


def option_values(game: GameFolder, players: int, given: dict[str, Any]) -> dict[str, int]:
    """Return all options as numbers.  ``given`` has words or numbers, the latter also as text; other options get their
    defaults.  Raises ``ParlourError`` for an unknown option or value.

    >>> from parlour.engine.definition import definition
    >>> option_values(definition("diamonds"), 2, {"first_dealer": "1"})["first_dealer"]
    1
    """
    from parlour.base.errors import unknown

    for name in given:
        if name not in game.options:
            raise unknown(marked("option"), name, game.options, whose=game.id)
    values = {}
    for name, option in game.options.items():
        value = given.get(name, option.default)
        low, high = (0, players - 1) if option.seats else (option.low, option.high)
        number = option.words.get(str(value))
        if number is None and low is not None and high is not None and _NUMBER.fullmatch(str(value)):
            number = int(value) if low <= int(value) <= high else None
        if number is None:
            got, words = str(value), either(list(option.words))
            cited = f" ({option.clauses[0]})" if option.clauses else ""
            if low is None:
                raise ParlourError(
                    "{id}: option {name} cannot be {got!r}; it is {words}{cited}.",
                    id=game.id,
                    name=name,
                    got=got,
                    words=words,
                    cited=cited,
                )
            if not words:
                raise ParlourError(
                    "{id}: option {name} cannot be {got!r}; it is a number from {low} to {high}{cited}.",
                    id=game.id,
                    name=name,
                    got=got,
                    low=low,
                    high=high,
                    cited=cited,
                )
            raise ParlourError(
                "{id}: option {name} cannot be {got!r}; it is {words} or a number from {low} to {high}{cited}.",
                id=game.id,
                name=name,
                got=got,
                words=words,
                low=low,
                high=high,
                cited=cited,
            )
        values[name] = number
    return values


def must_play_alike(game: GameFolder, version: int, options: Mapping[str, str]) -> None:
    """Raise ``ParlourError`` if games of this version of the rules cannot be continued under these house rules, given
    as words."""
    if broken := broken_since(game, version, options):
        raise ParlourError(
            "With {house_rules}, rules {version} of {id} were different; this software has rules {newer}.",
            house_rules=broken,
            version=version,
            id=game.id,
            newer=game.version,
        )


def house_rules(game: GameFolder, players: int, options: Mapping[str, int]) -> Any:
    """Return a blank position with the number of players and the options filled in."""
    s = position_class(game)()
    s.players = players
    for name, value in options.items():
        setattr(s, name, value)
    return s


def sample_values(option: Option, players: int) -> list[str]:
    """Return values of an option worth trying, its default first: its words (a few, if there are many), and the least
    number, the next, a middle one and the greatest.

    >>> from parlour.engine.definition import definition
    >>> sample_values(definition("diamonds").options["first_dealer"], 2)
    ['random', '0', '1']
    """
    low, high = (0, players - 1) if option.seats else (option.low, option.high)
    numbers = [] if low is None or high is None else [low, min(low + 1, high), (low + high) // 2, high]
    words = list(option.words)
    few = words if len(words) <= MANY_WORDS else words[:: len(words) // 3]
    return list(dict.fromkeys([str(option.default), *few, *map(str, numbers)]))


MANY_WORDS = 12


def option_word(game: GameFolder, name: str, number: int) -> str:
    """Return an option's value as text: its word, or the number."""
    for word, value in game.options[name].words.items():
        if value == number:
            return word
    return str(number)


def players_allowed(game: GameFolder, players: int | None, options: Mapping[str, Any] = MappingProxyType({})) -> int:
    """Return the number of players, by default the smallest allowed under these options.  Raises ``ParlourError`` for a
    number that is not allowed."""
    if players is None:
        return min(counts(game, **options), default=min(game.players))
    try:
        number = -1 if isinstance(players, bool) else index(players)
    except TypeError:
        number = -1
    if number not in game.players:
        few, most = game.players[:8], game.players[-1]
        allowed = either([*map(str, few)]) if most in few else f"{few[0]} to {most}"
        raise ParlourError(
            "{name} cannot be played by {players!r}; it is for {allowed} players.",
            name=game.said_name,
            players=players,
            allowed=allowed,
        )
    return number


def options_since(game: GameFolder, version: int) -> Mapping[str, str] | None:
    """Return the options that the rules did not have yet in this version, each with the value under which they play as
    they did then (``SINCE`` in the rules); ``None`` if games of that version cannot be played by these rules.

    >>> from parlour.engine.definition import definition
    >>> options_since(definition("kuhn"), 1), options_since(definition("kuhn"), 2)
    ({}, None)
    """
    later, since = range(version + 1, game.version + 1), game.rules.SINCE
    if not 0 < version <= game.version or not all(number in since for number in later):
        return None
    return {name: value for number in later for name, value in since[number].items()}


def broken_since(game: GameFolder, version: int, options: Mapping[str, str]) -> str:
    """Return the first of these house rules (words) under which games of this version cannot be continued (``BREAKS``
    in the rules), written like ``when`` of an option; empty if there are none.

    >>> from parlour.engine.definition import definition
    >>> broken_since(definition("matrimony"), 1, {"stake_visibility": "secret"})
    'stake_visibility=secret'
    """
    later = [when for number, when in game.rules.BREAKS.items() if number > version]
    return next((when for when in later if Option({}, 0, when=when).applies(options)), "")


def counts(game: GameFolder, **options: Any) -> list[int]:
    """Return the numbers of players allowed under these options."""

    def allowed(players: int) -> bool:
        try:
            return not refusal_of(game, players, option_values(game, players, options))
        except ParlourError:
            return False

    return [players for players in game.players if allowed(players)]


@cache
def options_for(game: GameFolder, players: int, **chosen: str) -> dict[str, str]:
    """Return options that allow this number of players: those given and, if necessary, one more.

    >>> from parlour.engine.definition import definition
    >>> options_for(definition("diamonds"), 3)
    {}
    """
    alone = ({n: value} for n, option in game.options.items() for value in sample_values(option, players))
    tried = ({**one, **chosen} for one in ({}, *alone))
    return next((options for options in tried if players in counts(game, **options)), chosen)


def refusal_of(game: GameFolder, players: int, options: Mapping[str, int]) -> str:
    """Return the sentence that refuses this number of players under these options (given as numbers); empty if they
    are allowed.
    """
    return game.rules.refuse_options(house_rules(game, players, options))
