"""The pages of the club in a browser: for everybody, at every size, without script too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from parlour.base.languages import ENGLISH, languages
from parlour.server.club import daily, duplicate, swiss
from parlour.server.web.new_table import wanted_table
from tests.helpers import the_rest_long
from tests.page_helpers import PHONE, Person
from tests.room_helpers import Guest, Server, running
from tests.server.club.test_daily import play
from tests.server.club.test_duplicate import begun, joins, plays
from tests.server.club.test_profile import reader
from tests.server.club.test_swiss import plays_on
from tests.server.page.test_page_everybody import Looker
from tests.waiting import wait_until

TOKENS = ("zoe's token", "abe's token", "cleo's token")


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, list[str]]]:
    """A server at which everything of the club goes on, and the addresses of its pages as Zoe sees them."""
    with pytest.MonkeyPatch.context() as patch, running(tmp_path_factory.mktemp("club") / "p.db") as server:
        patch.setattr(daily, "PACE", 0.0)
        for module in (swiss, duplicate):
            patch.setattr(module, "wanted_table", lambda **said: wanted_table(**said, pace=0.0))
        play(server, TOKENS[0], "Zoe")
        code = begun(server, TOKENS[0])
        for token, name in zip(TOKENS[:2], ("Zoe", "Abe"), strict=True):
            plays(server, joins(server, code, token, name), token)
        with reader(server, TOKENS[0]) as zoe:
            for character in ("dash", "constance", "pip"):
                said = {"game": "diamondback", "name": "Zoe", "bots": character, "pace": 0, "options": {"hands": "4"}}
                made = zoe.post("/api/1/tables", json=said).json()
                with Guest(server, made["table"], TOKENS[0]) as guest:
                    guest.to_the_end()
            wait_until(lambda: zoe.get("/you/diamondback").text.count('class="sheet"') == 3)
            zoe.post("/ladder/leduc/join", data={"name": "Zoe"})
            place = zoe.post("/swiss", data={"game": "leduc", "size": 2, "rounds": 2}).headers["location"]
            tournament = place.rpartition("/host")[0]
            for token, name in zip(TOKENS, ("Zoe", "Abe", "Cleo"), strict=True):
                with reader(server, token) as guest:
                    guest.post(f"{tournament}/join", data={"name": name})
            zoe.post(f"{place}/start", data={"round": 1})
            plays_on(server, tournament.rpartition("/")[2], list(TOKENS))
            wait_until(lambda: zoe.get(f"{tournament}/standings.json").json()["played"][0]["tables"][0]["points"])
            zoe.post(f"{place}/close")
            zoe.post(f"{place}/start", data={"round": 2})
        yield server, [
            "/", "/daily", "/daily/leduc", "/daily/hearts", "/you", "/you/leduc", "/you/diamondback",
            "/ladder/leduc", "/duplicate", f"/duplicate/{code}", "/swiss", tournament, place,
        ]  # fmt: skip


def zoe_at(browser: Browser, server: Server, **more: Any) -> Person:
    """Zoe, whose browser knows who she is."""
    zoe = Person(browser, server, **more)
    zoe.page.context.add_cookies([{"name": "parlour_guest", "value": TOKENS[0], "url": server.url}])
    return zoe


@pytest.mark.parametrize("language", the_rest_long(languages(), ["de"]))
def test_pages_of_the_club_are_for_everybody(
    browser: Browser, evening: tuple[Server, list[str]], language: str
) -> None:
    """Axe finds nothing there (in English in both themes), and nothing is wider than a phone."""
    server, addresses = evening
    if language != ENGLISH:
        addresses = [one for one in addresses if one not in ("/", "/daily/hearts", "/you/leduc")]
    looker = Looker(thorough=language == ENGLISH)
    with zoe_at(browser, server, **PHONE, locale=language) as zoe:
        for address in addresses:
            zoe.page.goto(address)
            assert zoe.page.locator("h1").count() == 1, address
            for width in (390, 360):
                zoe.page.set_viewport_size({"width": width, "height": 740})
                assert zoe.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (address, width)
                assert not zoe.page.evaluate(DRAGGED), (address, width)
            looker.look(zoe, address)
    assert looker.looked == len(addresses) * (1 + (language == ENGLISH))
    assert not looker.found, str(looker)


DRAGGED = """() => [...document.querySelectorAll("main table")].map((one) => one.parentElement)
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText.slice(0, 40))"""
"""The tables that are wider than their place."""


def test_a_page_that_waits_shows_news_by_itself(browser: Browser, evening: tuple[Server, list[str]]) -> None:
    """And what is open on it stays open."""
    server, addresses = evening
    tournament = addresses[-2]
    with zoe_at(browser, server) as zoe:
        zoe.page.clock.install()
        zoe.page.goto(tournament)
        zoe.page.get_by_text("Round 1", exact=True).click()
        zoe.page.evaluate("document.activeElement.blur()")
        with reader(server, "emil's token") as emil:
            assert emil.post(f"{tournament}/join", data={"name": "Emil"}).status_code == 303
        assert not zoe.page.get_by_text("Emil").count()
        zoe.page.clock.fast_forward(11_000)
        zoe.page.get_by_text("Emil").first.wait_for()
        assert zoe.page.locator("details.sheet[open]").count() == 1
