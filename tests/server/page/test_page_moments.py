"""The page at a bad moment: lost networks, second tabs, servers that stop; and what it says and moves in such a
case."""

from __future__ import annotations

import re
import time
from pathlib import Path
from random import Random
from typing import Final

import httpx
import pytest
from markupsafe import Markup
from playwright.sync_api import Browser, WebSocketRoute, expect

import parlour
from parlour.engine.definition import definition, shelf
from parlour.server.live.neighbours import Neighbours
from parlour.server.page.decks import title
from tests.helpers import the_rest_long
from tests.page_helpers import OUT_OF_REACH, PHONE, Person, faults_of_size, somebody, under_way
from tests.room_helpers import Server, bearer
from tests.waiting import LIMIT, wait_until


def sees(zoe: Person, server: Server, code: str, seat: int) -> bool:
    """Whether all the cards that the server has dealt to a seat are on the page."""
    table, shown = server.tables.live[code].table, " ".join(zoe.cards())
    hand = [title(table.game.id, card) for card in table.known.view(seat).observation()["hand"][seat]]
    return len(hand) > 2 and all(card in shown for card in hand)


IS_WHOLE: Final = """() => {
  const name = document.querySelector(".when .which");
  name.textContent = "Diamondback";
  const right = name.getBoundingClientRect().right, tools = document.querySelector(".tools").getBoundingClientRect();
  return name.scrollWidth <= name.clientWidth && right <= tools.left + 1;
}"""
"""Whether the bar has room for the longest name of a game."""


def test_a_seat_stays_the_same_however_one_comes_back_to_it(browser: Browser, tmp_path: Path) -> None:
    """Reloaded, by the button that goes back, from the front page, in a second tab, and when the server has stopped in
    the middle: the open page goes on by itself, and is not loaded again."""
    server = Server(tmp_path / "p.db")
    try:
        with Person(browser, server) as zoe:
            code = zoe.begins("commit", record=under_way("commit"))
            table, seen, offered = zoe.page.url, zoe.cards(), zoe.offers().count()
            assert offered
            assert sees(zoe, server, code, 0)

            def is_the_same() -> bool:
                return (zoe.page.url, zoe.cards(), zoe.offers().count()) == (table, seen, offered)

            zoe.page.reload()
            assert is_the_same()
            zoe.page.goto("/")
            zoe.page.go_back()
            expect(zoe.page.locator("#r-strip .now h2")).to_have_text("Your turn")
            assert is_the_same()
            zoe.page.goto("/rules/commit")
            zoe.page.goto(table)
            assert is_the_same()
            zoe.page.evaluate("window.stayed = true")
            zoe.context.request.post(f"{table}/do", form={"do": "say", "text": "One moment"})
            expect(zoe.page.locator(".bubble")).to_have_text("One moment")
            server = server.again()
            other = zoe.context.new_page()
            other.goto(table)
            assert other.locator("#r-strip .now h2").inner_text() == "Your turn"
            assert "One moment" in other.locator(".remarks").inner_text()
            assert zoe.cards(other) == seen
            assert is_the_same()
            before = zoe.moment()
            other.locator("#play button.legal").first.click()
            zoe.sees_a_change(before)  # the first tab sees what was done in the second
            assert zoe.page.get_by_role("button", name="Sit in for").count() == 0
            assert zoe.plays(zoe.by_mouse, Random(5), most=1) == 1
            assert zoe.page.evaluate("window.stayed")
            assert not zoe.page.locator("#answer").inner_text()
    finally:
        server.stop()


def acts_of(zoe: Person) -> list[str]:
    """What the first seat has done so far, by the record."""
    text = zoe.context.request.get(f"{zoe.page.url}/record").text()
    return re.findall(r"^0: (.*)$", text, re.MULTILINE)


def test_a_network_that_is_lost_and_back_loses_nothing(zoe: Person) -> None:
    """The page says so; what was pressed in between is done when it is back, and only once."""
    zoe.begins("newmarket", record=under_way("newmarket"))
    seen, done, before = zoe.cards(), acts_of(zoe), zoe.moment()
    offer = zoe.offers().first
    wanted = str(offer.get_attribute("value"))
    zoe.context.set_offline(True)
    expect(zoe.page.locator("#answer")).to_have_text("Connection lost. Trying again.")
    assert (zoe.cards(), zoe.moment()) == (seen, before)
    offer.click()
    expect(zoe.page.locator("#answer")).to_contain_text("Your move will be made when it is back")
    zoe.context.set_offline(False)
    zoe.sees_a_change(before)
    expect(zoe.page.locator("#answer")).to_have_text("")
    assert acts_of(zoe)[: len(done) + 1] == [*done, wanted]


@pytest.mark.parametrize("how", the_rest_long(["nothing passed on", "no answer", "still"], ["no answer", "still"]))
def test_what_was_pressed_on_a_dead_line_is_done_once(zoe: Person, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """The first connection takes in what is pressed and passes nothing on; or it does, and brings no answer, until it
    ends.  Or, where there are several servers, it carries nothing, in either direction, and nobody ends it."""
    monkeypatch.setattr(Neighbours, "may_exist", how == "still")
    lines, dead, taken_in = list[WebSocketRoute](), list[bool](), list[object]()

    def carry(line: WebSocketRoute) -> None:
        lines.append(line)
        far = line.connect_to_server()

        def there(text: str | bytes) -> None:
            if not dead or how == "no answer":
                far.send(text)
            taken_in.append(text)

        if len(lines) == 1:
            line.on_message(there)
            far.on_message(lambda text: None if dead else line.send(text))

    zoe.page.route_web_socket(re.compile("/live"), carry)
    zoe.begins("newmarket", record=under_way("newmarket"))
    wait_until(lambda: zoe.page.evaluate("socket.readyState") == 1)
    done, before = acts_of(zoe), zoe.moment()
    dead.append(True)
    taken_in.clear()
    wanted = str(zoe.offers().first.get_attribute("value"))
    zoe.offers().first.click()
    if how != "still":
        wait_until(lambda: zoe.moment() and taken_in)
        if how == "no answer":
            wait_until(lambda: len(acts_of(zoe)) > len(done))
        assert zoe.moment() == before
        lines[0].close()
    zoe.sees_a_change(before)
    assert len(lines) == 2
    mine = acts_of(zoe)
    assert mine[: len(done) + 1] == [*done, wanted]
    assert mine.count(wanted) == [*done, wanted].count(wanted)


SAID = """() => {
  window.said = [];
  new MutationObserver(() => window.said.push(document.getElementById("say").textContent))
    .observe(document.getElementById("say"), { childList: true, characterData: true, subtree: true });
}"""
STORY = """[...document.querySelectorAll("#r-story li")].map((one) => one.firstChild.textContent.trim())"""


def test_what_happens_is_said_in_words_to_who_does_not_see_it(zoe: Person, abe: Person) -> None:
    """Every sentence of the story goes through a live region; so does a refusal, and what others say.  The title says
    whose turn it is."""
    code = zoe.begins("leduc", record=under_way("leduc", 3))
    expect(zoe.page).to_have_title("Your turn · Leduc poker · Parlour")
    say, alert = zoe.page.locator("#say"), zoe.page.locator("#answer")
    assert (say.get_attribute("aria-live"), alert.get_attribute("role")) == ("polite", "alert")
    assert zoe.page.evaluate("document.getElementById('say').checkVisibility()")
    known = zoe.page.evaluate(STORY)
    zoe.page.evaluate(SAID)
    zoe.plays(zoe.by_mouse, Random(4))
    story = zoe.page.evaluate(STORY)
    expect(zoe.page).to_have_title("Leduc poker · Parlour")
    abe.sits_at(code)
    abe.remarks("Well played!")
    expect(zoe.page.locator(".remarks")).to_contain_text("Well played!")
    said = " ".join(zoe.page.evaluate("window.said"))
    news = story[: len(story) - len(known)]
    assert len(news) > 3
    assert [one for one in news if one not in said] == []
    assert "Well played!" in said
    zoe.page.get_by_role("button", name="Take back").wait_for(state="detached")


COUNT = """(() => {
  window.moves = [];
  const start = Element.prototype.animate;
  Element.prototype.animate = function (...given) {
    window.moves.push(this.className);
    return start.apply(this, given);
  };
})()"""
AT_REST = """[...document.querySelectorAll("*")].filter((one) => {
  const style = getComputedStyle(one);
  return [style.transitionDuration, style.animationDuration].join().split(",").some((time) => parseFloat(time) > 0.01)
    && style.transitionProperty !== "none";
}).map((one) => one.outerHTML.slice(0, 80))"""


def test_nothing_moves_for_who_does_not_like_it(zoe: Person) -> None:
    zoe.page.add_init_script(COUNT)
    zoe.begins("diamonds", record=under_way("diamonds"))
    zoe.plays(zoe.by_mouse, Random(4), most=1)
    assert zoe.page.evaluate("window.moves") == []
    assert zoe.page.evaluate(AT_REST) == []
    assert zoe.complaints == []


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["commit", "diabolo", "diamondback", "diamonds"]))
def test_what_is_not_allowed_is_refused_with_its_clause_in_every_game(house: Server, game: str) -> None:
    """With script and without: the sentence, and a link to the rule that says so."""
    state = parlour.replay(under_way(game))
    legal = {state.name_of(a) for a in state.legal_actions(0)}
    wrong = [name for name in state.game.action_names if name not in legal]
    made = house.make(game, record=under_way(game))
    with httpx.Client(base_url=f"{house.url}/t/{made['table']}", headers=bearer(made["token"])) as zoe:
        before = zoe.get("record").text
        for name in Random(game).sample(wrong, min(6, len(wrong))):
            answer = zoe.post("do", data={"action": name}, headers={"X-Parlour": "1"})
            assert answer.status_code == 200, "or the browser would write a red line into its console"
            said = answer.json()
            assert said["sentence"]
            assert said["clause"] in definition(game).book.clauses
            page = zoe.post("do", data={"action": name})
            assert page.status_code == 422
            assert f'#{said["clause"]}" target="_blank">The rule</a>' in page.text
        assert zoe.get("record").text == before


def test_a_link_opens_with_a_card_that_says_who_invites_to_what(browser: Browser, house: Server) -> None:
    """All of it is on the first screen of a phone, with the most players that a game has.  A name that is taken stays
    in its field, which says so.  Whoever takes a bot's seat goes on with its hand; the others see the name."""
    zoe, most = somebody(browser, house), max(definition("commit").counts())
    with Person(browser, house, **PHONE) as abe:
        code = zoe.begins("commit", record=under_way("commit", 20, most), players=most)
        abe.page.goto(f"/t/{code}")
        card, buttons = abe.page.locator("#r-join"), abe.page.locator("#r-join").get_by_role("button")
        expect(buttons.first).to_be_visible()
        for on in ("no", "yes"):
            zoe.context.request.post(f"/t/{code}/do", form={"do": "allow", "name": "newcomers", "on": on})
            if on == "no":
                expect(card).to_contain_text("The table is locked. You can watch.")
                assert buttons.count() == 0
        for said in ("Zoé invites you to play", "Commit", "players, about"):
            expect(card).to_contain_text(said)
        assert buttons.count() == most - 1
        for width, height in ((390, 844), (844, 390), (1280, 800)):
            abe.page.set_viewport_size({"width": width, "height": height})
            abe.looks()
            assert abe.page.evaluate(OUT_OF_REACH, "#r-join :is(button, input, a)") == []
            assert not faults_of_size(abe.page)
        assert not abe.page.get_by_text("You and your hand").count()
        name, field = buttons.first.locator("bdi").inner_text(), card.get_by_label("Your name")
        field.fill("Zoé")
        buttons.first.tap()
        expect(field).to_have_value("Zoé")
        expect(field).to_have_accessible_description(re.compile("is called Zoé; choose another"))
        abe.page.goto("/")
        abe.page.go_back()
        field.fill("Abe")
        with abe.page.expect_navigation(wait_until="load"):
            buttons.first.tap()
        expect(card).to_be_empty()
        expect(abe.page.get_by_role("region", name="You and your hand")).to_be_attached()
        assert [sees(one, house, code, 1) for one in (abe, zoe)] == [True, False]
        for width in (320, 360, 390):
            abe.page.set_viewport_size({"width": width, "height": 740})
            assert abe.page.evaluate(IS_WHOLE), f"the game's name at {width}"
        expect(abe.page.locator("#r-people")).to_contain_text("You (Abe)")
        expect(zoe.page.locator("#r-people")).to_contain_text(f"sits down in {name}'s place")
        expect(zoe.page.locator("#r-board")).to_contain_text("Abe")
        end = time.monotonic() + LIMIT
        while not (abe.page.locator("#r-strip .now.mine").count() and abe.plays(abe.by_finger, Random(1), most=1)):
            assert time.monotonic() < end
            for one in (zoe, abe):
                if one.page.locator("#go-on-deal:enabled").count():
                    one.goes_on()
            if zoe.page.locator("#r-strip .now.mine").count():
                zoe.plays(zoe.by_mouse, Random(1), most=1)
        assert zoe.complaints == abe.complaints == []


def test_an_invitation_is_true_under_its_house_rules_and_to_watch_it(house: Server, reader: httpx.Client) -> None:
    table = f"/t/{house.make('pope_joan', players=8, options={'rounds': '1'})['code']}"
    page, watched = (reader.get(f"{table}{query}").text for query in ("", "?watch=yes"))
    for said in (
        "at the end, usually when everybody has dealt twice",
        "players, about 3 minutes a match with bots. House rules: rounds: 1.",
    ):
        assert said in Markup(page).striptags()
    assert 'http-equiv="refresh"' not in page, "it would take away the name that is typed"
    assert f'href="{table}?watch=yes">Only watch</a>' in page
    assert "You are watching" in watched
    assert f'href="{table}">Sit down</a>' in watched
    assert ["invites you" in one for one in (page, watched)] == [True, False]


def test_a_bot_may_play_for_a_friend_who_takes_three_minutes(zoe: Person, abe: Person, house: Server) -> None:
    code = zoe.begins("leduc")
    abe.sits_at(code)
    table = house.tables.live[code].table
    button = abe.page.locator("#r-strip button[name=seat]")
    expect(button).to_have_css("visibility", "hidden")
    table.asked_at[0] -= 181
    abe.page.reload()
    expect(button).to_have_text(re.compile(r"Let a bot play for \W?Zoé"))
    button.click()
    wait_until(lambda: table.seats[0].away)


def test_one_press_shows_the_link_and_its_picture_and_copies_it(browser: Browser, house: Server) -> None:
    with Person(browser, house, permissions=["clipboard-read", "clipboard-write"]) as zoe:
        zoe.opens("leduc")
        zoe.page.get_by_role("button", name="Invite").click()
        expect(zoe.page.locator("#copy")).to_have_text("Copied")
        assert zoe.page.evaluate("navigator.clipboard.readText()") == zoe.page.get_by_label("Link").input_value()
        zoe.page.keyboard.press("Escape")
        expect(zoe.page.locator("#invite")).to_be_hidden()
        zoe.page.goto(zoe.page.url.replace("127.0.0.1", "cards.test"))
        zoe.page.get_by_role("button", name="Invite").click()
        expect(zoe.page.locator("#invite .qr")).to_be_in_viewport()
