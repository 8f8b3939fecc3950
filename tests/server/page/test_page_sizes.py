"""Small and large screens: what fits there, what fingers hit, what stays picked, and pictures of it."""

from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from parlour.engine.definition import shelf
from tests.helpers import the_rest_long
from tests.page_helpers import PHONE, Person, Plain, faults_of_size, finished, somebody, under_way
from tests.room_helpers import Server
from tests.server.page.test_page_fits import LAYOUT


def measured(page: Page, what: str) -> dict[str, dict[str, object]]:
    """What does not fit on a page as it is, and with everything unfolded."""
    found = {f"{what}, as it is": faults_of_size(page)}
    page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
    found[f"{what}, unfolded"] = faults_of_size(page)
    return {how: wrong for how, wrong in found.items() if wrong}


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["commit", "diamonds"]))
def test_on_a_phone_nothing_scrolls_sideways_and_fingers_hit_what_they_aim_at(
    browser: Browser, house: Server, game: str
) -> None:
    """House rules, the rule book, and a table as it begins and in play, where all that one may do is on the first
    screen and covers no card."""
    zoe = somebody(browser, house, phone=True)
    zoe.page.set_viewport_size(PHONE["viewport"])
    zoe.begins(game)
    assert measured(zoe.page, f"{game} at its beginning") == {}
    zoe.begins(game, record=under_way(game))
    assert zoe.page.evaluate(COVERED) == []
    assert zoe.page.evaluate(LOWEST) <= PHONE["viewport"]["height"]
    assert measured(zoe.page, f"{game} in play") == {}
    for address in (f"/new/{game}", f"/rules/{game}"):
        zoe.page.goto(address)
        assert measured(zoe.page, address) == {}


def test_on_a_phone_the_front_page_fits_and_every_part_of_the_menu_can_be_reached(
    browser: Browser, house: Server
) -> None:
    zoe = somebody(browser, house, phone=True)
    zoe.page.set_viewport_size({"width": 360, "height": 480})
    zoe.page.goto("/")
    assert measured(zoe.page, "the front page") == {}
    zoe.page.locator(".looks summary").tap()
    assert measured(zoe.page, "how it may look") == {}
    expect(zoe.page.locator(".menu")).to_be_in_viewport(ratio=1)
    for button in zoe.page.locator(".menu button:visible").all():
        button.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport(ratio=1)


@pytest.mark.long
@pytest.mark.parametrize("game", shelf())
def test_on_a_phone_a_game_is_seen_to_its_end_and_again(browser: Browser, house: Server, game: str) -> None:
    """Each moment at which there is something to choose, the end, and the replay as each reader sees it."""
    faults = dict[str, dict[str, object]]()
    with Person(browser, house, **PHONE) as zoe:
        zoe.opens(game)
        zoe.plays(zoe.by_finger, Random(game), between=lambda: faults.update(measured(zoe.page, f"{game} in play")))
        faults |= measured(zoe.page, f"{game} at its end")
        place = zoe.context.request.post(
            "/replay", multipart={"record": {"name": "a", "mimeType": "text/plain", "buffer": finished(game).encode()}}
        ).url.partition("?")[0]
        for seat in ("0", "all", "every"):
            zoe.page.goto(f"{place}?seat={seat}")
            faults |= measured(zoe.page, f"{game} seen again by {seat}")
            zoe.goes_by(zoe.page.locator("#go-last"))
            faults |= measured(zoe.page, f"the end of {game} seen again by {seat}")
    assert faults == {}


FULL = """() => [...document.querySelectorAll(".top .tool, .top summary, .house")]
  .filter((one) => one.checkVisibility())
  .map((one) => [one.id || one.className || one.localName, one.getBoundingClientRect()])
  .filter(([name, box]) => box.left < document.querySelector(".when").getBoundingClientRect().right - 1
    ? name !== "house" : box.right > innerWidth + 1)
  .map(([name]) => name)"""
"""What stands in the bar of a table and lies over the title, or beyond the edge."""


def test_on_a_phone_the_rules_are_in_the_bar_and_an_invitation_two_presses_away(
    browser: Browser, house: Server
) -> None:
    """At most: where there is room it is in the bar too, unless somebody else plays, to whom one may say something."""
    zoe, widths = somebody(browser, house, phone=True), (360, 412)
    with Person(browser, house) as abe:
        code = zoe.begins("diamondback", record=under_way("diamondback", players=3))
        rules, invite = zoe.page.get_by_role("link", name="Rules"), zoe.page.get_by_role("button", name="Invite")
        for width in widths:
            zoe.page.set_viewport_size({"width": width, "height": 640})
            expect(rules).to_be_in_viewport(ratio=1)
            assert zoe.page.evaluate(FULL) == []
            if not invite.count():
                zoe.turns_to("people")
            invite.last.tap()
            expect(zoe.page.get_by_label("Link", exact=True)).to_be_in_viewport(ratio=1)
            zoe.page.keyboard.press("Escape")
            zoe.page.reload()
        abe.sits_at(code)
        expect(zoe.page.locator("#say-tool")).to_be_visible()
        for width in widths:
            zoe.page.set_viewport_size({"width": width, "height": 640})
            expect(rules).to_be_in_viewport(ratio=1)
            assert zoe.page.evaluate(FULL) == []


COVERED = """() => [...document.querySelectorAll("#r-board .card")].filter((one) => {
    const box = one.getBoundingClientRect(), x = box.left + 8, y = box.top + 8;
    if (!one.checkVisibility() || y < 0 || y > innerHeight || x > innerWidth) return false;
    const top = document.elementFromPoint(x, y);
    return top && !top.closest(".card") && !top.contains(one);
  }).map((one) => one.getAttribute("aria-label") || one.textContent)"""
"""Cards on the screen whose corner lies under something that is not a card."""
LOWEST = """Math.max(0, ...[...document.querySelectorAll("#play button.legal, #play .pick")]
  .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().bottom))"""


@pytest.mark.parametrize("kind", [Person, Plain])
def test_a_card_that_is_picked_stays_picked(browser: Browser, house: Server, kind: type[Person]) -> None:
    """Enter on it plays nothing, and what says so has it picked; with script, so has a board that is redrawn while you
    think.  Once the card is played, it is no longer picked."""
    with kind(browser, house, **PHONE) as zoe, Person(browser, house) as abe:
        code = zoe.begins("diabolo", record=under_way("diabolo"))
        pick = zoe.page.locator("#play input[type=radio]").last
        value = str(pick.get_attribute("value"))
        pick.check()
        pick.press("Enter")
        expect(zoe.page.locator("#answer")).to_have_text("Choose something first.")
        picked = zoe.page.locator(f"#play input[type=radio][value='{value}']").last
        expect(picked).to_be_checked()
        if kind is Plain:
            return
        abe.sits_at(code)
        expect(zoe.page.locator("#r-board")).to_contain_text("Abe")
        expect(picked).to_be_checked()
        before = zoe.moment()
        zoe.page.locator(f"#play .sides button[value^='place {value}']").first.click()
        zoe.sees_a_change(before)
        expect(zoe.page.locator("#play input[type=radio]:checked")).to_have_count(0)
        assert zoe.complaints == []


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


def is_guided(zoe: Person, game: str) -> None:
    code = zoe.opens(game, record=under_way(game))
    zoe.context.add_cookies([{"name": "parlour_guide", "value": "on", "url": f"{zoe.server.url}/t/{code}"}])
    zoe.page.goto(f"/t/{code}")


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["diabolo"]))
def test_the_guide_covers_nothing_of_the_table_where_there_is_room(browser: Browser, house: Server, game: str) -> None:
    """It lay over the rows of Diabolo, and below it was nothing but felt; nor over the buttons of a card that is
    picked."""
    zoe = somebody(browser, house, phone=True)
    is_guided(zoe, game)
    idea, picked = zoe.page.locator(".strip .idea"), zoe.page.locator("#play input[type=radio]")
    expect(idea.or_(zoe.page.locator("#hint")).first).to_be_visible()
    assert idea.count() or game != "diabolo"
    if idea.count() and picked.count():
        picked.last.check()
        expect(zoe.page.locator("#play .sides button:visible").first).to_be_visible()
        assert zoe.page.evaluate(COVERED_BY_THE_GUIDE)["never"] == []
        zoe.page.reload()
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


def test_what_is_answered_and_what_the_guide_says_are_both_seen(browser: Browser, house: Server) -> None:
    """What is not allowed is refused with its clause."""
    zoe = somebody(browser, house)
    is_guided(zoe, "hearts")
    rule = zoe.page.locator("#answer a")
    for width, height in ((360, 640), (844, 390), (1280, 800)):
        zoe.page.set_viewport_size({"width": width, "height": height})
        zoe.page.reload()
        expect(zoe.page.locator(".strip .idea")).to_be_visible()
        before = zoe.cards()
        zoe.page.locator("#play button.card:not(.legal)").first.click()
        expect(rule).to_be_visible()
        assert zoe.cards() == before
        for seen in ("#answer", ".strip .idea", "#next-idea"):
            expect(zoe.page.locator(seen)).to_be_in_viewport()
        assert [fault for fault in zoe.page.evaluate(LAYOUT)["faults"] if fault.startswith("overlap")] == []
    address = str(rule.get_attribute("href"))
    zoe.page.goto(address)
    expect(zoe.page.locator(f"[id='{address.partition('#')[2]}']")).to_be_visible()
