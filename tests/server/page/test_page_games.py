"""Every game of the shelf, to its end, on the page: with the mouse, with keys alone, without script."""

from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import Browser

from parlour.engine.definition import shelf
from tests.page_helpers import Person, Plain
from tests.room_helpers import Server

pytestmark = [pytest.mark.long, pytest.mark.parametrize("game", shelf())]


def test_a_game_to_its_end_with_the_mouse(browser: Browser, house: Server, game: str) -> None:
    with Person(browser, house, reduced_motion="no-preference") as zoe:
        zoe.opens(game)
        zoe.plays(zoe.by_mouse, Random(game))
        assert zoe.page.locator("#r-end .results li").count()
        assert zoe.complaints == []


def test_a_game_to_its_end_by_keyboard_alone(zoe: Person, game: str) -> None:
    lost: list[bool] = []
    zoe.opens(game)
    zoe.plays(zoe.by_keys, Random(game), between=lambda: lost.append(zoe.focused() == "body"))
    assert not any(lost[1:]), "the table changed, and the focus is lost"  # at first nothing has it
    assert zoe.focused() != "body"
    assert zoe.page.locator("#r-end .results li").count()
    assert zoe.complaints == []


def test_a_game_to_its_end_without_script(browser: Browser, house: Server, game: str) -> None:
    with Plain(browser, house) as zoe:
        zoe.opens(game)
        zoe.plays(zoe.by_mouse, Random(game))
        assert zoe.page.locator("#r-end .results li").count()
