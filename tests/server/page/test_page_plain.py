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


@pytest.fixture(scope="module")
def asking() -> Trail:
    """Commit, when the holder of the comet is asked whether to play it."""
    game = parlour.load("commit", 3)
    walks = (walk(game, seed, 60) for seed in range(1000))
    return next(t for w in walks for t in w.trails if t.s.stage == 7 and t.actor >= 0)


def table_at(house: Server, trail: Trail, beat: float) -> str:
    """A table that stands there, without guests; its code."""
    wanted = {"record": state_after(trail).record(), "pace": 0, "beat": beat, "bots": "random"}
    made = httpx.post(f"{house.url}{API}/tables", json=wanted)
    assert made.status_code == 201, made.text
    return str(made.json()["table"])


def reload_of(text: str) -> str:
    found = re.search(r'<noscript><meta http-equiv="refresh" content="(\d+); url=/t/', text)
    return found[1] if found else ""


@pytest.mark.parametrize("answers", [True, False])
def test_a_question_of_a_moment_is_answered_in_time_and_all_pages_wait_as_long(
    browser: Browser, house: Server, asking: Trail, clock: Clock, answers: bool
) -> None:
    """Who lets the moment pass is shown what comes next: the page goes on by itself."""
    beat = 2.0 if answers else 1.0  # a page reloads after a second at the soonest
    with Plain(browser, house) as zoe:
        code, comet = table_at(house, asking, beat), zoe.page.get_by_role("button", name="Play the comet")
        zoe.context.request.post(f"/t/{code}/sit", form={"name": "Zoé", "seat": str(asking.actor)})
        zoe.page.goto(f"/t/{code}")
        expect(comet).to_be_visible()
        for page in (zoe.page.content(), httpx.get(f"{house.url}/t/{code}?watch=yes").text):
            assert int(reload_of(page)) == beat, "who is asked is taken on too"
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


@pytest.mark.parametrize("left", [0.0, 0.2, 1.0, 2.9])
def test_whoever_is_asked_pages_wait_as_long(asking: Trail, left: float) -> None:
    waits = set()
    for seat in (-1, 0, 1, 2):
        shown = scene(state_after(asking), seat)
        shown.telling = msgspec.structs.replace(shown.telling, hushed=True)
        assert bool(shown.telling.choices) == (seat == asking.actor)
        waits.add(at_table.reload_in(shown, left))
    assert waits == {max(1, ceil(left))}


def test_pages_of_games_without_such_questions_are_calmer(house: Server) -> None:
    slow = {"pace": 30}
    with httpx.Client(base_url=house.url) as client:
        for game, seconds in (("commit", "1"), ("diamonds", "3")):
            code = client.post(f"{API}/tables", json={"game": game, "name": "", **slow}).json()["table"]
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
