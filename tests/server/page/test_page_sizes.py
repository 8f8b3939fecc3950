"""Small and large screens: what fits there, what fingers hit, and pictures of it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from parlour.engine.definition import shelf
from tests.helpers import the_rest_long
from tests.page_helpers import PHONE, Person, faults_of_size, finished, somebody, under_way
from tests.room_helpers import Server
from tools.screenshots import SIZES, picture

pytestmark = pytest.mark.xdist_group("page")
BUILD = Path(__file__).parents[3] / "build" / "images"


class Ruler:
    """Somebody who measures pages; what does not fit on them."""

    def __init__(self) -> None:
        self.faults: dict[str, dict[str, object]] = {}

    def measure(self, page: Page, what: str) -> None:
        """Measure a page as it is, and with everything unfolded."""
        for how in ("as it is", "unfolded"):
            if how == "unfolded":
                page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
            if found := faults_of_size(page):
                self.faults[f"{what}, {how}"] = found


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["commit"]))
def test_on_a_phone_nothing_scrolls_sideways_and_fingers_hit_what_they_aim_at(
    browser: Browser, house: Server, game: str
) -> None:
    """House rules, the rule book, and a table as it begins and in play."""
    ruler, zoe = Ruler(), somebody(browser, house, phone=True)
    zoe.begins(game)
    ruler.measure(zoe.page, f"{game} at its beginning")
    zoe.begins(game, record=under_way(game))
    ruler.measure(zoe.page, f"{game} in play")
    for address in (f"/new/{game}", f"/rules/{game}"):
        zoe.page.goto(address)
        ruler.measure(zoe.page, address)
    assert ruler.faults == {}


def test_on_a_phone_the_front_page_fits(browser: Browser, house: Server) -> None:
    ruler, zoe = Ruler(), somebody(browser, house, phone=True)
    zoe.page.goto("/")
    ruler.measure(zoe.page, "the front page")
    zoe.page.locator(".looks summary").tap()
    ruler.measure(zoe.page, "how it may look")
    assert ruler.faults == {}


@pytest.mark.long
@pytest.mark.parametrize("game", shelf())
def test_on_a_phone_a_game_is_seen_to_its_end_and_again(browser: Browser, house: Server, game: str) -> None:
    """Each moment at which there is something to choose, the end, and the replay as each reader sees it."""
    ruler = Ruler()
    with Person(browser, house, **PHONE) as zoe:
        zoe.opens(game)
        zoe.plays(zoe.by_finger, Random(game), between=lambda: ruler.measure(zoe.page, f"{game} in play"))
        ruler.measure(zoe.page, f"{game} at its end")
        place = zoe.context.request.post(
            "/replay", multipart={"record": {"name": "a", "mimeType": "text/plain", "buffer": finished(game).encode()}}
        ).url.partition("?")[0]
        for seat in ("0", "all", "every"):
            zoe.page.goto(f"{place}?seat={seat}")
            ruler.measure(zoe.page, f"{game} seen again by {seat}")
            zoe.goes_by(zoe.page.locator("#go-last"))
            ruler.measure(zoe.page, f"the end of {game} seen again by {seat}")
    assert ruler.faults == {}


@pytest.mark.long
@pytest.mark.parametrize("game", shelf())
def test_pictures_are_taken_of_every_table(browser: Browser, house: Server, game: str) -> None:
    """As wide as a desk's and a phone's screen, in build/images; they are not empty."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        place = BUILD / f"page-{game}-{size['width']}.png"
        picture(browser, house, game, size).save(place, optimize=True)
        taken = Image.open(place)
        assert taken.size == (size["width"], size["height"])
        assert len(taken.getcolors() or ()) > 100, "there is hardly anything on it"
