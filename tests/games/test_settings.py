"""The settings that the tests try are those that the options of the games ask for today."""

from __future__ import annotations

import pytest

from parlour.engine.definition import definition
from parlour.engine.house_rules import sample_values
from tests.helpers import GAMES, all_settings, numbers, plain
from tools.covering import digest, origin

games = pytest.mark.parametrize("game", GAMES)
STALE = "tests/settings/{0}.txt is out of date: make settings ARGS={0}"


@games
def test_they_are_up_to_date_and_the_game_allows_each_of_them(game: str) -> None:
    assert digest(game) == origin(game, plain(game)), STALE.format(game)
    tried = all_settings(game)
    assert len(set(tried)) == len(tried)
    assert all(definition(game).allows(one.players, dict(one.options)) for one in tried), STALE.format(game)


@games
def test_every_two_values_meet(game: str) -> None:
    """Where the game refuses nothing; where it does, the array has holes."""
    what, tried = definition(game), all_settings(game)
    assert {one.players for one in tried} == set(numbers(game))
    if what.has("refuse_options"):
        return
    for players in numbers(game):
        rows = [dict(s.options) for s in tried if s.players == players and len(s.options) == len(what.options) > 1]
        seen = {(a, x, b, y) for row in rows for a, x in row.items() for b, y in row.items()}
        for a, option in what.options.items():
            for b, other in what.options.items():
                assert a == b or all((a, x, b, y) in seen for x in option.words for y in other.words)


@games
def test_each_value_is_among_them(game: str) -> None:
    tried = {(name, value) for one in all_settings(game) for name, value in one.options}
    for name, option in definition(game).options.items():
        words = [value for value in sample_values(option, max(numbers(game)))[1:] if value in option.words]
        assert {(name, word) for word in words} <= tried
