"""A table on a phone: your own cards and choices are soon in sight, and what has been picked stays picked."""

from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import Browser, expect

from parlour.base.languages import ENGLISH, languages
from parlour.engine.definition import shelf
from tests.helpers import the_rest_long
from tests.page_helpers import NOT_WHOLE, PHONE, Person, Plain, somebody, under_way
from tests.room_helpers import Server

pytestmark = pytest.mark.xdist_group("page")
COVERED = """() => [...document.querySelectorAll("#r-board .card")].filter((one) => {
    const box = one.getBoundingClientRect(), x = box.left + 8, y = box.top + 8;
    if (!one.checkVisibility() || y < 0 || y > innerHeight || x > innerWidth) return false;
    const top = document.elementFromPoint(x, y);
    return top && !top.closest(".card") && !top.contains(one);
  }).map((one) => one.getAttribute("aria-label") || one.textContent)"""
"""Cards on the screen whose corner lies under something that is not a card."""
LOWEST = """Math.max(0, ...[...document.querySelectorAll("#play button.legal, #play .pick")]
  .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().bottom))"""


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["diamonds"]))
def test_what_one_may_do_is_on_the_first_screen_and_covers_no_card(browser: Browser, house: Server, game: str) -> None:
    zoe, random = somebody(browser, house, phone=True), Random(5)
    zoe.opens(game)
    for _ in range(3):
        zoe.waits()
        if zoe.is_over():
            break
        assert zoe.page.evaluate(COVERED) == []
        zoe.plays(zoe.by_finger, random, most=1)
    zoe.begins(game, record=under_way(game))
    assert zoe.page.evaluate(LOWEST) <= PHONE["viewport"]["height"]


def _until_a_card_can_be_picked(zoe: Person) -> None:
    zoe.opens("diabolo", players=3)
    for n in range(40):
        zoe.waits()
        if zoe.page.locator("#play input[type=radio]").count():
            return
        zoe.plays(zoe.by_finger, Random(n), most=1)


def test_a_card_that_is_picked_stays_picked(browser: Browser, house: Server) -> None:
    """A click is refused and the board is redrawn while you think; once the card is played, it is no longer picked."""
    with Person(browser, house, **PHONE) as zoe, Person(browser, house) as abe:
        _until_a_card_can_be_picked(zoe)
        pick = zoe.page.locator("#play input[type=radio]").last
        value = str(pick.get_attribute("value"))
        pick.check()
        pick.press("Enter")
        expect(zoe.page.locator("#answer")).to_have_text("Choose something first.")
        zoe.page.evaluate("document.querySelector('#r-board').firstElementChild.dataset.old = 'yes'")
        abe.page.goto(zoe.page.url)
        abe.page.get_by_label("Your name").fill("Abe")
        abe.page.get_by_role("button", name="Sit in for").first.click()
        expect(zoe.page.locator("#r-board")).to_contain_text("Abe")
        expect(zoe.page.locator(f"#play input[type=radio][value='{value}']").last).to_be_checked()
        before = zoe.moment()
        zoe.page.locator(f"#play .sides button[value^='place {value}']").first.click()
        zoe.sees_a_change(before)
        expect(zoe.page.locator("#play input[type=radio]:checked")).to_have_count(0)
        assert zoe.complaints == []


def test_a_card_that_is_picked_stays_picked_without_script(browser: Browser, house: Server) -> None:
    """Enter on it plays nothing, and the page that says so has it picked."""
    with Plain(browser, house, **PHONE) as zoe:
        _until_a_card_can_be_picked(zoe)
        pick = zoe.page.locator("#play input[type=radio]").last
        value = str(pick.get_attribute("value"))
        pick.check()
        with zoe.page.expect_navigation():
            pick.press("Enter")
        expect(zoe.page.locator("#answer")).to_have_text("Choose something first.")
        expect(zoe.page.locator(f"#play input[type=radio][value='{value}']").last).to_be_checked()


CUT = """() => [...document.querySelectorAll("#r-strip .now :is(ul, li)")]
  .filter((one) => one.scrollHeight > one.clientHeight + 1).length"""
COVERS = """() => {
  const [said, cards] = ["#answer", ".stage"].map((one) => document.querySelector(one).getBoundingClientRect());
  return Math.max(0, Math.min(said.right, cards.right) - Math.max(said.left, cards.left))
    * Math.max(0, Math.min(said.bottom, cards.bottom) - Math.max(said.top, cards.top));
}"""


def test_what_there_is_to_do_can_be_read_whole_and_answers_cover_no_pile(browser: Browser, house: Server) -> None:
    zoe = somebody(browser, house, phone=True)
    zoe.page.set_viewport_size({"width": 844, "height": 390})
    zoe.begins("diamonds", record=under_way("diamonds"))
    assert zoe.page.evaluate(CUT) == 0
    zoe.page.evaluate("answer('Dig in pile 7. That is probably better than “dig in pile 2”, but it isn’t sure.')")
    assert zoe.page.evaluate(COVERS) == 0
    zoe.page.locator("#answer").tap()
    expect(zoe.page.locator("#answer")).to_be_empty()
    zoe.page.set_viewport_size({"width": 390, "height": 844})
    zoe.begins("leduc", record=under_way("leduc"))
    assert zoe.page.evaluate(CUT) == 0


@pytest.mark.parametrize("language", [one for one in languages() if one != ENGLISH])
@pytest.mark.parametrize("game", shelf())
def test_in_other_languages_no_word_on_a_table_is_cut_off(
    browser: Browser, house: Server, game: str, language: str
) -> None:
    """Their words are longer than those for which the tables were drawn."""
    zoe, faults = somebody(browser, house, phone=True, language=language), {}
    zoe.begins(game, record=under_way(game))
    for width, height in ((390, 844), (360, 740)):
        zoe.page.set_viewport_size({"width": width, "height": height})
        zoe.looks()
        if found := zoe.page.evaluate(NOT_WHOLE):
            faults[width] = found
    assert faults == {}


COVERED_BY_THE_GUIDE = """() => {
  const box = document.querySelector(".strip .idea").getBoundingClientRect();
  const table = "#r-board :is(.card, .seat, .pot, button, input, select, li, td, h3, p)";
  const parts = [...document.querySelectorAll(`.top, .rail, ${table}`)]
    .filter((one) => one.checkVisibility() && !one.closest(".rail *") && !one.matches(".acts p")
      && (one.matches(".rail, .seat, button") || !one.querySelector(".card, button, li, p")))
    .map((one) => [one, one.getBoundingClientRect()]).filter(([one, at]) => at.width > 2 && at.height > 2);
  const meets = (at, top) => at.top < top + box.height - 1 && at.bottom > top + 1;
  const under = (top) => parts.filter(([one, at]) => meets(at, top)).map(([one]) => one);
  const called = (one) => one.getAttribute("aria-label") || one.textContent.trim().slice(0, 40);
  let room = false;
  for (let top = 48; top + box.height <= innerHeight; top += 2) room ||= !under(top).length;
  const here = under(box.top);
  const never = here.filter((one) => one.matches(".top, .rail, .others *, .acts *, button"));
  return { here: here.map(called), room, never: never.map(called) };
}"""
"""What the guide lies over, whether it could lie over nothing, and what it must never lie over."""


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["diabolo", "diamonds", "kuhn", "leduc"]))
def test_the_guide_covers_nothing_of_the_table_where_there_is_room(browser: Browser, house: Server, game: str) -> None:
    """It lay over the rows of Diabolo, and below it was nothing but felt."""
    with Person(browser, house, **PHONE) as zoe:
        code = zoe.opens(game, record=under_way(game))
        zoe.context.add_cookies([{"name": "parlour_guide", "value": "on", "url": f"{house.url}/t/{code}"}])
        zoe.page.goto(f"/t/{code}")
        idea = zoe.page.locator(".strip .idea")
        expect(idea.or_(zoe.page.locator("#hint")).first).to_be_visible()
        for _ in range(3):
            if not idea.count():  # there is nothing to explain
                break
            for width, height in ((390, 844), (360, 740)):
                zoe.page.set_viewport_size({"width": width, "height": height})
                zoe.looks()
                found = zoe.page.evaluate(COVERED_BY_THE_GUIDE)
                assert found["never"] == []
                assert not (found["here"] and found["room"]), found["here"]
            clause = zoe.page.locator(".guide [name=clause]").get_attribute("value")
            zoe.page.locator("#next-idea").tap()
            expect(zoe.page.locator(f".guide [name=clause][value='{clause}']")).to_have_count(0)
        assert zoe.complaints == []


def test_the_guide_makes_room_for_the_buttons_of_a_card_that_is_picked(browser: Browser, house: Server) -> None:
    with Person(browser, house, **PHONE) as zoe:
        code = zoe.opens("diabolo", record=under_way("diabolo"))
        zoe.context.add_cookies([{"name": "parlour_guide", "value": "on", "url": f"{house.url}/t/{code}"}])
        zoe.page.goto(f"/t/{code}")
        expect(zoe.page.locator(".strip .idea")).to_be_visible()
        zoe.page.locator("#play input[type=radio]").last.check()
        expect(zoe.page.locator("#play .sides button:visible").first).to_be_visible()
        assert zoe.page.evaluate(COVERED_BY_THE_GUIDE)["never"] == []
