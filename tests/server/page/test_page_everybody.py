"""The page for everybody: what axe finds on each page in both themes, and what a screen reader reads there."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from random import Random
from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

import parlour
from parlour.engine.definition import definition, shelf
from parlour.server.club.daily import end_of
from parlour.server.common import clock
from tests.helpers import the_rest_long
from tests.page_helpers import Person, finished, somebody, under_way
from tests.room_helpers import Server, running

SNAPSHOTS: Final = Path(__file__).parents[2] / "snapshots"
FLAT: Final = """() => {
  for (const fold of document.querySelectorAll("main details")) fold.open = true;
  const flat = (one, colour) => { if (one) one.style.background = getComputedStyle(one).getPropertyValue(colour); };
  flat(document.querySelector("body.table"), "--felt-lit");
  flat(document.querySelector(".strip"), "--none");
  flat(document.querySelector(".rail"), "--rail-2");
}"""
"""Nothing of it is folded away; and axe does not judge contrast on a gradient: the cloth gets the brightest of its
colours all over, the rail the one that is nearest to its ink."""
SCHEMES: Final = ("light", "dark")
BRIEF: Final = {"resultTypes": ["violations"]}
"""Of what is well, axe need not say where it is: that takes most of its time."""
COLOURS: Final = {"runOnly": ["color-contrast", "link-in-text-block"], **BRIEF}
"""The rules of axe that look at colours."""


class Looker:
    """Somebody who has axe look at pages; return what it found.  A quick look takes the dark theme only where told to,
    and only at what a theme changes."""

    def __init__(self, thorough: bool) -> None:
        self._axe, self._thorough, self.found, self.looked = Axe(), thorough, dict[str, str](), 0

    def look(self, who: Person, what: str, dark: bool = False, at: str = "", seen: str = "") -> None:
        """``at``: the address of the page, if one is not there; ``seen``: what can be read there."""
        if at:
            who.page.goto(at)
        assert not seen or who.page.get_by_text(seen).count(), what
        for scheme in SCHEMES if dark or self._thorough else SCHEMES[:1]:
            who.page.emulate_media(color_scheme=scheme)
            who.looks()
            who.page.evaluate(FLAT)
            is_dark = who.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
            assert is_dark == (scheme == "dark")
            result = self._axe.run(who.page, options=BRIEF if self._thorough or scheme == "light" else COLOURS)
            assert result.response["passes"], f"axe has looked at nothing of {what}"
            self.looked += 1
            if result.violations_count:
                self.found[f"{what}, {scheme}"] = result.generate_report()

    def __str__(self) -> str:
        return "\n".join(f"{what}: {report}" for what, report in self.found.items())


def see_it_in_play(zoe: Person, game: str, looker: Looker) -> None:
    """A table in play, with an answer to something that is not allowed."""
    zoe.begins(game, record=under_way(game))
    clause = next(iter(definition(game).book.clauses))
    zoe.page.evaluate("clause => answer('That is not allowed now.', clause)", clause)
    looker.look(zoe, f"{game} in play", dark=True)


def makes_a_mistake(zoe: Person) -> None:
    zoe.page.goto("/new/leduc")
    zoe.page.get_by_text("Pace, newcomers and cards").click()
    zoe.page.get_by_label("Seconds a bot takes").fill("")
    zoe.page.get_by_role("group", name="At the end").get_by_label("Keep the cards hidden").check()
    zoe.page.locator("#name").evaluate("one => { one.removeAttribute('maxlength'); one.value = 'x'.repeat(99) }")
    zoe.goes_by(zoe.page.get_by_role("button", name="Sit down"))


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["dividha"]))
def test_axe_finds_nothing_at_a_table(browser: Browser, house: Server, game: str) -> None:
    looker = Looker(thorough=False)
    see_it_in_play(somebody(browser, house), game, looker)
    assert looker.looked == 2
    assert not looker.found, str(looker)


def test_axe_finds_nothing_in_the_hall(browser: Browser, house: Server) -> None:
    """Pages on which there is every piece of which pages are made: the front page, all pieces in all states, a form
    with a mistake."""
    looker = Looker(thorough=False)
    with Person(browser, house) as zoe:
        looker.look(zoe, "the front page", at="/")
        looker.look(zoe, "every piece in every state", dark=True, at="/look")
        makes_a_mistake(zoe)
        looker.look(zoe, "house rules with a mistake")
    assert looker.looked == 4
    assert not looker.found, str(looker)


@pytest.mark.long
def test_axe_finds_nothing_in_the_house(browser: Browser, tmp_path: Path) -> None:
    """All pages that are of no game."""
    looker = Looker(thorough=True)
    with running(tmp_path / "p.db") as server, Person(browser, server) as zoe:
        code = zoe.opens("leduc", listed=True)
        zoe.plays(zoe.by_mouse, Random(6))
        zoe.remarks("Well played!")
        zoe.page.locator(".remarks li").wait_for()
        looker.look(zoe, "a remark")
        for what, address, seen in (
            ("the deal", f"/t/{code}/verify", ""), ("the front page", "/", "Open tables"),
            ("every piece in every state", "/look", ""), ("the interface", "/docs", "GET /api/1/games"),
            ("a mistake", "/join?code=zzz", ""), ("one's own matches", "/you", ""),
        ):  # fmt: skip
            looker.look(zoe, what, at=address, seen=seen)
        zoe.goes_by(zoe.page.get_by_role("button", name="Use it on another device"))
        looker.look(zoe, "the way to another device")
        phrase = "".join(zoe.page.get_by_label("Phrase").input_value().split())
        looker.look(zoe, "the other device", at=f"/you/here#{phrase}")
        zoe.goes_by(zoe.page.get_by_role("button", name="Go on here"))
        looker.look(zoe, "whose guest one becomes", seen="you become their guest")
        zoe.page.goto("/")
        zoe.page.locator(".looks summary").click()
        looker.look(zoe, "how it may look")
        zoe.closes_the_menu()
        zoe.goes_by(zoe.page.get_by_role("button", name=re.compile("Learn.*Leduc")))
        zoe.page.locator(".lesson").wait_for()
        looker.look(zoe, "a lesson")
        whole = parlour.replay(under_way("leduc"))
        for what, record in (("a", whole.record()), ("a redacted", whole.record(0)), ("a bad", "no record")):
            zoe.brings(record)
            looker.look(zoe, f"{what} record")
        makes_a_mistake(zoe)
        looker.look(zoe, "house rules with a mistake")
    assert not looker.found, str(looker)


@pytest.mark.long
@pytest.mark.parametrize("game", shelf())
def test_axe_finds_nothing_on_any_page_of_a_game(browser: Browser, house: Server, game: str) -> None:
    """House rules, rule book, tables in play and at their end, a watcher's page, replays as each reader sees them."""
    looker = Looker(thorough=True)
    with Person(browser, house) as zoe, Person(browser, house) as watcher:
        for address in (f"/new/{game}", f"/rules/{game}"):
            looker.look(zoe, address, at=address)
        see_it_in_play(zoe, game, looker)
        watcher.page.goto(f"/t/{zoe.opens(game, record=under_way(game))}")
        assert watcher.heading() == "You are watching"
        looker.look(watcher, f"{game}, to who watches")
        zoe.ends(game)
        looker.look(zoe, f"{game} at its end")
        zoe.goes_by(zoe.page.get_by_role("link", name="Replay"))
        place = zoe.page.url.partition("?")[0]
        for seat, step in itertools.product(("all", "every", "0"), ("", "&step=0")):
            looker.look(zoe, f"{game}{step}, seen again by {seat}", at=f"{place}?seat={seat}{step}")
    assert not looker.found, str(looker)


HOUSE: Final = {"front": "/", "house_rules": "/new/diamonds", "no_table": "/t/nowhere"}
"""Pages of the house that are read, and their addresses."""


def test_what_a_screen_reader_reads_in_the_house_is_what_was_reviewed(
    browser: Browser, house: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "wall", lambda: end_of("2026-11-27") + 3600)  # a Saturday
    with Person(browser, house) as ann:  # who has not been here before
        for name, address in HOUSE.items():
            ann.page.goto(address)
            compare(name, read(ann.page))


@pytest.mark.parametrize(
    "game", the_rest_long(shelf(), ["diabolo", "diamonds", "dividha", "hearts", "leduc", "pope_joan"])
)
def test_what_a_screen_reader_reads_at_a_table_is_what_was_reviewed(browser: Browser, house: Server, game: str) -> None:
    """A table in play, as the first seat sees it."""
    zoe = somebody(browser, house)
    zoe.begins(game, record=under_way(game))
    compare(f"table_{game}", read(zoe.page))


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["diamonds"]))
def test_what_a_screen_reader_reads_in_a_replay_was_reviewed(browser: Browser, house: Server, game: str) -> None:
    """The end of a game."""
    zoe = somebody(browser, house)
    zoe.brings(finished(game))
    zoe.goes_by(zoe.page.get_by_role("link", name="Last", exact=True))
    compare(f"replay_{game}", read(zoe.page, "main"))


def test_every_screen_that_was_reviewed_is_still_read() -> None:
    """A game that has gone leaves nothing behind."""
    read_of_games = {f"{what}_{game}" for what in ("table", "replay") for game in shelf()}
    assert {file.stem for file in SNAPSHOTS.iterdir()} == {*HOUSE, *read_of_games}


def read(page: Page, part: str = "body") -> str:
    """What a screen reader has to read of a page: without where the many links to clauses lead, without the names of
    records, and without what is read aloud by itself, which comes when it comes."""
    page.evaluate("document.getElementById('say')?.remove()")
    lines = re.sub("/replay/[0-9a-f]{32}", "/replay/RECORD", page.locator(part).aria_snapshot()).splitlines()
    return "\n".join(line for line in lines if "/url: /rules/" not in line) + "\n"


def compare(name: str, text: str) -> None:
    """Compare it with tests/snapshots; it is rewritten there if PARLOUR_SNAPSHOTS says "write"."""
    kept = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("PARLOUR_SNAPSHOTS") == "write":
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(text, "utf-8")
    assert text == kept.read_text("utf-8"), "look at the difference; if it is meant: PARLOUR_SNAPSHOTS=write"
