"""Without script: questions of a moment are seen in time, and nobody else notices."""

from __future__ import annotations

import re
from math import ceil

import httpx
import msgspec
import pytest
from playwright.sync_api import Browser, expect

import parlour
from parlour.audit.secrets import state_after
from parlour.audit.trails import Trail, walk
from parlour.server.page import at_table
from parlour.server.web.api import API
from tests.games.test_stops_page import scene
from tests.page_helpers import Person, Plain
from tests.room_helpers import Clock, Server
from tests.waiting import wait_until

BEAT = 2.0


@pytest.fixture(scope="module")
def asking() -> Trail:
    """Commit, when the holder of the comet is asked whether to play it."""
    game = parlour.load("commit", 3)
    walks = (walk(game, seed, 60) for seed in range(1000))
    return next(t for w in walks for t in w.trails if t.s.stage == 7 and t.actor >= 0)


def table_at(house: Server, trail: Trail, beat: float = BEAT) -> str:
    """A table that stands there, without guests; its code."""
    wanted = {"record": state_after(trail).record(), "pace": 0, "beat": beat, "bots": "random"}
    made = httpx.post(f"{house.url}{API}/tables", json=wanted)
    assert made.status_code == 201, made.text
    return str(made.json()["table"])


def sits(zoe: Plain, code: str, seat: int) -> None:
    zoe.context.request.post(f"/t/{code}/sit", form={"name": "Zoé", "seat": str(seat)})
    zoe.page.goto(f"/t/{code}")
    expect(zoe.page.get_by_role("button", name="Play the comet")).to_be_visible()


def reload_of(text: str) -> str:
    found = re.search(r'<noscript><meta http-equiv="refresh" content="(\d+); url=/t/', text)
    return found[1] if found else ""


def test_a_question_of_a_moment_is_answered_in_time_and_all_pages_wait_as_long(
    browser: Browser, house: Server, asking: Trail, clock: Clock
) -> None:
    with Plain(browser, house) as zoe:
        code = table_at(house, asking)
        sits(zoe, code, asking.actor)
        mine, others = zoe.page.content(), httpx.get(f"{house.url}/t/{code}?watch=yes").text
        assert int(reload_of(mine)) == BEAT, "who is asked is taken on too"
        assert int(reload_of(others)) == BEAT
        with zoe.page.expect_navigation():
            zoe.page.get_by_role("button", name="Play the comet").click(no_wait_after=True)
            wait_until(lambda: any(one.command for one in house.tables.live[code].beat.whispers.values()))
            clock.advance(house, code, BEAT)
        record = zoe.context.request.get(f"/t/{code}/record").text()
        assert "told: You play the comet" in record or "Zoé plays the comet" in record, record


@pytest.mark.parametrize("left", [0.0, 0.2, 1.0, 2.9])
def test_whoever_is_asked_pages_wait_as_long(asking: Trail, left: float) -> None:
    waits = set()
    for seat in (-1, 0, 1, 2):
        shown = scene(state_after(asking), seat)
        shown.telling = msgspec.structs.replace(shown.telling, hushed=True)
        assert bool(shown.telling.choices) == (seat == asking.actor)
        waits.add(at_table.reload_in(shown, left))
    assert waits == {max(1, ceil(left))}


def test_who_lets_the_moment_pass_is_shown_what_comes_next(
    browser: Browser, house: Server, asking: Trail, clock: Clock
) -> None:
    """The page goes on by itself; so does every page of that game, often enough for the next question."""
    with Plain(browser, house) as zoe:
        code = table_at(house, asking, beat=1.0)  # a page reloads after a second at the soonest
        sits(zoe, code, asking.actor)
        clock.advance(house, code, 1.0)
        expect(zoe.page.get_by_role("button", name="Play the comet")).to_be_hidden()
        expect(zoe.page.locator("#r-strip .now h2")).to_be_visible()


def test_pages_of_games_without_such_questions_are_calmer(house: Server) -> None:
    slow = {"pace": 30}
    with httpx.Client(base_url=house.url) as client:
        for game, seconds in (("commit", "1"), ("diamonds", "3")):
            code = client.post(f"{API}/tables", json={"game": game, "name": "", **slow}).json()["table"]
            page = f"/t/{code}?watch=yes"
            wait_until(lambda page=page, seconds=seconds: reload_of(client.get(page).text) == seconds)  # type: ignore[misc]


def test_what_a_reader_opens_stays_open_until_they_close_it(browser: Browser, house: Server) -> None:
    """A page that reloads leads to one that does not; from there a link leads back."""
    inside = {"story": "#r-clauses", "people": "#r-people summary", "invite": "#invite-link", "looks": ".looks .menu"}
    with Plain(browser, house) as zoe:
        code = zoe.context.request.post(f"{API}/tables", data={"game": "diamonds", "pace": 30}).json()["table"]
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
    ("host", "language", "said"),
    [
        ("127.0.0.1:8000", "en", "on this computer only; for others, run <code>parlour serve --host 0.0.0.0</code>"),
        ("[::1]:8000", "de", "nur auf diesem Computer; für andere starte <code>parlour serve --host 0.0.0.0</code>"),
        ("localhost", "en", "on this computer only"),
        ("localhost.example", "en", 'class="qr"'),
        ("192.0.2.7:8000", "en", 'class="qr"'),
    ],
)
def test_a_link_that_no_other_machine_can_open_says_so(house: Server, host: str, language: str, said: str) -> None:
    headers = {"Host": host, "Accept-Language": language}
    text = httpx.get(f"{house.url}/t/{house.make()['code']}?watch=yes", headers=headers).text
    assert said in text
    assert text.count("0.0.0.0") + text.count('class="qr"') == 1


def test_the_chat_is_open_again_after_a_message(browser: Browser, house: Server) -> None:
    with Plain(browser, house) as zoe:
        code = zoe.opens("leduc", pace=30)
        zoe.page.goto(f"/t/{code}?open=people")
        zoe.page.locator("#people-drawer summary", has_text="Chat").click()
        zoe.page.locator("#remark").fill("می‌خواهم بازی کنم 🩷")
        zoe.page.get_by_role("button", name="Send").click()
        expect(zoe.page.locator("#people-drawer .remarks", has_text="می‌خواهم بازی کنم 🩷")).to_be_visible()


def test_with_script_such_an_address_opens_the_drawer_too(zoe: Person) -> None:
    code = zoe.opens("leduc")
    zoe.page.goto(f"/t/{code}?open=people")
    expect(zoe.page.locator("#people-drawer")).to_be_visible()
    zoe.page.locator("#people-drawer .close").click()
    expect(zoe.page.locator("#people-drawer")).to_be_hidden()
