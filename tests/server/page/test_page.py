"""The page as people use it: with a mouse, with keys alone, without script; with a guide, and with others who talk."""

from __future__ import annotations

import re
import time
from random import Random
from typing import Any, Final

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from parlour import load
from parlour.engine.definition import definition, shelf
from parlour.server.web.api import API
from tests.page_helpers import PHONE, Person, Plain, asked_in_secret, faults_of_size, somebody, where
from tests.room_helpers import Clock, Server
from tests.server.page.test_page_moments import COUNT
from tests.waiting import wait_until


def test_a_game_is_played_with_the_mouse(browser: Browser, house: Server) -> None:
    """From the front page to the end and on to the next game, with cards that move."""
    with Person(browser, house, reduced_motion="no-preference") as zoe:
        zoe.page.add_init_script(COUNT)
        zoe.page.goto("/")
        zoe.goes_by(zoe.page.get_by_role("button", name="Play now Kuhn"))
        assert zoe.plays(zoe.by_mouse, Random(1)) > 0
        moved = zoe.page.evaluate("window.moves")
        assert moved
        assert all(re.search("card|coin|sum", one) for one in moved), "only what has moved moves"
        assert zoe.page.locator("#r-end .results li").count() == 2
        zoe.page.get_by_role("button", name="Play again").click()
        zoe.page.locator("#r-end h2").wait_for(state="detached")
        zoe.waits()
        assert zoe.complaints == []


def test_a_game_is_played_by_keyboard_alone(zoe: Person) -> None:
    """The focus never falls back to the page's beginning when the table changes; arrows go along the cards."""
    zoe.begins("diamonds", players=2)
    cards = zoe.page.locator("#play button.card")
    for key, at in (("ArrowRight", 0), ("ArrowRight", 1), ("ArrowLeft", 0), ("ArrowLeft", -1)):
        zoe.page.keyboard.press(key)
        expect(cards.nth(at) if at >= 0 else cards.last).to_be_focused()

    def press(button: Locator) -> None:
        zoe.by_keys(button)
        assert zoe.focused() != "body"

    for n in range(2):
        zoe.plays(press, Random(n), most=1)
        zoe.waits()
        assert zoe.focused() != "body", "the table changed, and the focus is lost"
    assert zoe.complaints == []


CHANGES: Final = """() => {
  window.whole ??= document.getElementById("r-board").innerHTML;
  put({ board: window.whole });
  const gone = [...document.querySelectorAll("#r-board button.legal")].at(-1);
  gone.focus();
  const board = document.getElementById("r-board").cloneNode(true);
  board.querySelector(`button[value="${gone.value}"]`).remove();
  put({ board: board.innerHTML });
  return document.activeElement.value;
}"""
"""The table changes, and the button that has the focus disappears; return what then has it."""


def test_a_key_that_is_pressed_as_the_table_changes_does_not_press_another_button(zoe: Person) -> None:
    """The focus goes to what can be done now; a key that was on its way to something else does not do it."""
    zoe.page.clock.install()
    zoe.begins("leduc")
    zoe.page.clock.pause_at(int(time.time() * 1000) + 3600_000)
    for key in ("Enter", "Space"):
        other = zoe.page.evaluate(CHANGES)
        assert other
        before = zoe.moment()
        zoe.page.keyboard.press(key)
        expect(zoe.page.locator("#answer")).to_have_text("The table has just changed. Check it, then try again.")
        assert zoe.moment() == before
    zoe.page.clock.fast_forward(1000)
    before = zoe.moment()
    zoe.page.keyboard.press("Enter")
    zoe.sees_a_change(before)
    assert f"\n0: {other}\n" in zoe.context.request.get(f"{zoe.page.url}/record").text()


@pytest.mark.long
@pytest.mark.parametrize("how", ["mouse", "keys", "no script", "finger"])
@pytest.mark.parametrize("game", shelf())
def test_every_game_is_played_to_its_end(browser: Browser, house: Server, game: str, how: str) -> None:
    """The focus is not lost when the table changes; on a phone all is seen and can be hit at any time.  By mouse and
    without script it is a match of one deal."""
    whole = how in ("keys", "finger") or "deals" not in definition(game).options
    faults, looks = list[object](), PHONE if how == "finger" else {"reduced_motion": "no-preference"}
    with (Plain if how == "no script" else Person)(browser, house, **looks) as zoe:
        press = {"keys": zoe.by_keys, "finger": zoe.by_finger}.get(how, zoe.by_mouse)

        def look() -> None:
            faults.append(faults_of_size(zoe.page) if how == "finger" else how == "keys" and zoe.focused() == "body")

        zoe.opens(game, options={} if whole else {"deals": "1"})
        zoe.plays(press, Random(game), between=look)
        assert not any(faults[1:]), faults  # at first nothing has the focus
        assert zoe.page.locator("#r-end .results li").count()
        assert zoe.complaints == []


def test_a_card_that_flies_keeps_the_focus(browser: Browser, house: Server) -> None:
    """In Diamondback, whoever stays in is asked at once which of two new cards they turn up."""
    state = load("diamondback", players=2).new(seed=1)
    state.apply("wager 8")
    with Person(browser, house, reduced_motion="no-preference") as zoe:
        zoe.begins("diamondback", record=state.record(), players=2)
        zoe.by_keys(zoe.page.locator("#play button[value=match]"))
        card = zoe.page.locator("#play button[value^=expose]").first
        card.wait_for(state="attached")
        zoe.page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
        expect(card).to_be_focused(timeout=1)


def test_enter_in_a_field_does_what_the_field_is_for_without_script_too(browser: Browser, house: Server) -> None:
    """Not what the first button of the table happens to be for; and the number is typed."""
    with Plain(browser, house) as zoe:
        code = zoe.opens("dividha", record=first_bet(), players=3)
        expect(zoe.page.locator(".amount .by:visible")).to_have_count(0)  # they would do nothing
        zoe.page.locator("#amount-raise").fill("4")
        zoe.page.locator("#amount-raise").press("Enter")
        wait_until(lambda: "raise 4" in zoe.context.request.get(f"/t/{code}/record").text(), "it was not done")
        expect(zoe.page.locator("#amount-win")).to_be_visible()


def test_a_key_opens_the_rules_unless_it_is_written(browser: Browser, house: Server) -> None:
    """And where it is written, the focus stays when the table changes."""
    zoe = somebody(browser, house)
    code = zoe.begins("diabolo", players=3)
    rules, message = zoe.page.locator("#now-rules"), zoe.page.get_by_label("Message")
    zoe.page.locator("#play input[type=radio]").first.check()  # the focus is in a card that is picked
    zoe.page.keyboard.press("r")
    expect(rules).to_have_attribute("open", "")
    zoe.page.keyboard.press("r")
    expect(rules).not_to_have_attribute("open", "")
    zoe.turns_to_the_chat()
    message.press_sequentially("Where?")
    expect(zoe.page.locator("#r-people .persons")).to_contain_text("bot, Beginner")  # as where bots are chosen
    assert house.seat(code, "Abe", 1).is_success
    expect(zoe.page.locator("#r-people")).to_contain_text("Abe")
    expect(message).to_be_focused()
    expect(message).to_have_value("Where?")
    expect(rules).not_to_have_attribute("open", "")
    expect(zoe.page.locator("#keys")).to_have_count(0)


def test_keys_say_what_there_is_to_know_and_go_to_the_choices(zoe: Person) -> None:
    zoe.begins("leduc")
    answer, keyboard = zoe.page.locator("#answer"), zoe.page.keyboard
    keyboard.press("?")
    listed = zoe.page.get_by_role("dialog", name="Keys")
    expect(listed).to_be_visible()
    expect(listed.locator("dt")).to_have_count(10)
    keyboard.press("s")  # the list is read first
    expect(answer).to_be_empty()
    keyboard.press("?")
    expect(listed).to_have_count(0)
    keyboard.press("t")
    expect(answer).to_contain_text("Your turn")
    keyboard.press("s")
    expect(answer).to_have_text(re.compile(r"You.*; Ben|Ben.*; You"))
    keyboard.press("e")
    expect(answer).to_have_text(re.compile(r"^You are dealt the \w+ of \w+\.$"))
    choices = zoe.page.locator("#play button.legal")
    for n in (2, 1):
        keyboard.press(str(n))
        expect(choices.nth(n - 1)).to_be_focused()
    zoe.page.locator(".looks summary").click()
    zoe.closes_the_menu()
    zoe.page.locator(".looks summary").click()
    zoe.goes_by(zoe.page.get_by_role("button", name="Single keys"))
    keyboard.press("t")
    expect(answer).to_be_empty()
    assert zoe.complaints == []


def first_bet() -> str:
    return where("dividha", lambda state, names: list(state.acting) == [0] and "check" in names, 3)


def test_a_number_is_changed_by_buttons_by_keys_and_by_typing(zoe: Person, house: Server) -> None:
    code = zoe.opens("dividha", record=first_bet(), players=3)
    field, less, more = zoe.page.locator("#amount-raise"), *zoe.page.locator(".amount .by").all()
    low, high = (int(field.get_attribute(end) or "") for end in ("min", "max"))
    less.click()
    assert int(field.input_value()) == low
    more.press("Enter")
    above = int(field.input_value())
    assert low < above < high
    for _ in range(2):
        less.press("Space")
    assert int(field.input_value()) == low, "not below the least"
    field.press("ArrowUp")
    assert int(field.input_value()) == low + 1
    field.fill(str(above))
    field.press("Enter")
    # what is put in is divided: what is not on Win is on Lose
    rest = zoe.page.locator(".amount output")
    win = zoe.page.locator("#amount-win")
    before = int(win.input_value())
    assert int(rest.inner_text()) == above - before
    zoe.page.locator(".amount .by").last.click()
    assert (int(win.input_value()), int(rest.inner_text())) == (before + 1, above - before - 1)
    assert len(zoe.page.locator("#play .acts button:visible").all()) <= 6
    state = house.tables.live[code].table.playing
    assert f"raise {above}" in [state.game.action_names[step.action] for step in state.history]
    assert zoe.complaints == []


def is_guided(zoe: Person) -> None:
    """Sit down at a table with a guide, with bots that do not think and the reader's own turn first."""
    quick: dict[str, Any] = {"guide": "yes", "name": "Zoé", "pace": "0", "bots": "random", "option-first_dealer": "0"}
    zoe.page.goto(zoe.context.request.post("/play/diamonds", form=quick).url)
    zoe.waits()


def test_an_idea_that_comes_late_does_not_hide_what_the_table_has_said_since(zoe: Person) -> None:
    """Bots move as soon as the reader has read, and what they do may be shown before the answer is there."""
    is_guided(zoe)
    zoe.plays(zoe.by_mouse, Random(1), most=1)
    idea = zoe.page.locator("#next-idea")
    idea.wait_for()

    def late(route: Route) -> None:
        answer = route.fetch()
        said = answer.json()
        route.fulfill(response=answer, json={**said, "heard": said["heard"] - 1, "regions": {"strip": "<p>Late.</p>"}})

    zoe.page.route("**/guide", late)
    with zoe.page.expect_response("**/guide"):
        idea.click()
    zoe.page.unroute("**/guide")
    idea.click()
    assert "Late." not in zoe.page.locator("#r-strip").inner_text()
    assert zoe.complaints == []


def test_the_next_idea_comes_without_loading_the_page_anew(zoe: Person) -> None:
    """And what has been explained is not explained again when the game goes on, nor on a page that is loaded later;
    nor is anything once the guide is stopped."""
    is_guided(zoe)
    idea, clause = zoe.page.locator("#next-idea"), zoe.page.locator(".idea .clause")
    zoe.page.evaluate("window.mark = 1")
    expect(clause).to_be_visible()
    seen: list[str] = []
    for _ in range(4):
        if not clause.count():
            break
        seen.append(clause.inner_text())
        idea.focus()
        zoe.page.keyboard.press("Enter")
        expect(zoe.page.locator(".idea .clause", has_text=seen[-1])).to_have_count(0)
        assert zoe.focused() != "body"
    assert len(seen) >= 2
    assert len(set(seen)) == len(seen)
    zoe.plays(zoe.by_mouse, Random(1), most=1)
    idea.wait_for(state="attached")
    assert zoe.page.locator(".idea .clause", has_text=seen[0]).count() == 0
    zoe.page.get_by_role("button", name="Stop the guide").click()
    expect(zoe.page.locator(".idea")).to_have_count(0)
    assert zoe.page.evaluate("window.mark") == 1
    zoe.page.reload()
    assert zoe.page.locator(".idea").count() == 0
    assert zoe.complaints == []


def reload_of(text: str) -> str:
    found = re.search(r'<noscript><meta http-equiv="refresh" content="(\d+); url=/t/', text)
    return found[1] if found else ""


@pytest.mark.parametrize("answers", [True, False])
def test_pages_wait_for_a_question_of_a_moment(browser: Browser, house: Server, clock: Clock, answers: bool) -> None:
    """Who lets the moment pass is shown what comes next: the page goes on by itself."""
    beat = 1.7 if answers else 0.4  # a page reloads after whole seconds, at least one
    with Plain(browser, house) as zoe:
        code = zoe.opens("commit", record=asked_in_secret("commit", 3, "comet"), players=3, beat=beat)
        comet = zoe.page.get_by_role("button", name="Play the comet")
        expect(comet).to_be_visible()
        for page in (zoe.page.content(), httpx.get(f"{house.url}/t/{code}?watch=yes").text):
            assert reload_of(page) == ("2" if answers else "1"), "who is asked is taken on too"
        if answers:
            with zoe.page.expect_navigation():
                comet.click(no_wait_after=True)
                wait_until(lambda: any(one.command for one in house.tables.live[code].beat.whispers.values()))
                clock.advance(house, code, beat)
            record = zoe.context.request.get(f"/t/{code}/record").text()
            assert "told: You play the comet" in record or "Zoé plays the comet" in record, record
        else:
            clock.advance(house, code, beat)
            expect(comet).to_be_hidden()
            expect(zoe.page.locator("#r-strip .now h2")).to_be_visible()


def test_pages_of_games_without_such_questions_are_calmer(house: Server) -> None:
    with httpx.Client(base_url=house.url) as client:
        for game, seconds in (("commit", "1"), ("diamonds", "3")):
            code = client.post(f"{API}/tables", json={"game": game, "name": "", "pace": 30}).json()["table"]
            page = f"/t/{code}?watch=yes"
            wait_until(lambda page=page, seconds=seconds: reload_of(client.get(page).text) == seconds)  # type: ignore[misc]


def test_what_a_reader_opens_stays_open_until_they_close_it(browser: Browser, house: Server) -> None:
    """A page that reloads leads to one that does not; from there a link leads back.  With script such an address opens
    the drawer too; and the chat is open again after a message."""
    inside = {"story": "#r-clauses", "people": "#r-people summary", "invite": "#invite-link", "looks": ".looks .menu"}
    text = "می‌خواهم بازی کنم 🩷"
    with Plain(browser, house) as zoe, Person(browser, house) as abe:
        code = zoe.opens("diamonds", pace=30)
        abe.page.goto(f"/t/{code}?watch=yes&open=people")
        expect(abe.page.locator("#people-drawer")).to_be_visible()
        abe.page.locator("#people-drawer .close").click()
        expect(abe.page.locator("#people-drawer")).to_be_hidden()
        zoe.page.goto(f"/t/{code}?open=people")
        zoe.page.locator("#people-drawer summary", has_text="Chat").click()
        zoe.page.locator("#remark").fill(text)
        zoe.page.get_by_role("button", name="Send").click()
        expect(zoe.page.locator("#people-drawer .remarks", has_text=text)).to_be_visible()
        zoe.context.clear_cookies()
        zoe.page.goto(f"/t/{code}?watch=yes")
        wait_until(lambda: bool(zoe.page.reload()) and reload_of(zoe.page.content()) == "3")
        for what, part in inside.items():
            assert not zoe.page.locator(f"{part}:visible").count()
            zoe.page.locator(f'.top a[href$="open={what}"]').click()
            expect(zoe.page).to_have_url(re.compile(f"open={what}$"))
            assert not reload_of(zoe.page.content())
            expect(zoe.page.locator(part).first).to_be_visible()
            zoe.page.locator('a[href$="?watch=yes"]:visible').first.click()
            expect(zoe.page).to_have_url(re.compile(r"\?watch=yes$"))
            assert reload_of(zoe.page.content()) == "3"
            assert not zoe.page.locator(f"{part}:visible").count()


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("127.0.0.1:8000", "only; others need the address that <code>parlour serve --host 0.0.0.0</code>"),
        ("[::1]:8000", "on this computer only"),
        ("localhost", "on this computer only"),
        ("localhost.example", 'class="qr"'),
        ("192.0.2.7:8000", 'class="qr"'),
    ],
)
def test_a_link_that_no_other_machine_can_open_says_so(house: Server, host: str, said: str) -> None:
    text = httpx.get(f"{house.url}/t/{house.make()['code']}?watch=yes", headers={"Host": host}).text
    assert said in text
    assert text.count("0.0.0.0") + text.count('class="qr"') == 1
