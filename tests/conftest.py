"""What all tests share: the record of clauses, hypothesis that always tries the same examples, the sampler game."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, settings

import parlour
from clauses_plugin import Clauses
from helpers import GAMES

settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one game run in one process, one after the other: so each game is compiled once."""
    for item in items:
        game = game_of(item.nodeid)
        if game:
            item.add_marker(pytest.mark.xdist_group(game))


def game_of(test: str) -> str | None:
    """The game that a test is about, by its name, its parameters or its module."""
    return next((game for game in GAMES if re.search(rf"(?<![a-z]){game}(?![a-z])", test)), None)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Clauses(config), "clauses")
    parlour.register("sampler")
