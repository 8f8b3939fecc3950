"""What all tests share: the record of clauses, hypothesis that always tries the same examples, the sampler game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import parlour
from clauses_plugin import Clauses
from helpers import GAMES
from parlour.engine.definition import shelf

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from room_helpers import Server

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a module (while it is open, nothing else in this process may run an event loop)."""
    from page_helpers import a_browser

    with a_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests of a module that need no server of their own."""
    from parlour.page import site
    from room_helpers import running

    with pytest.MonkeyPatch.context() as only, running(tmp_path_factory.mktemp("house") / "p.db") as server:
        only.setattr(site, "games", shelf)  # other tests have registered games of their own
        yield server
