"""Tables by post: moves that are days apart, with nobody in a hurry."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from time import time
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect

from parlour import load
from parlour.base.errors import ParlourError
from parlour.server.store.retention import DAY
from parlour.server.web.new_table import opened_as, wanted_table
from tests.helpers import play
from tests.page_helpers import Person
from tests.room_helpers import Clock, Guest, Server, bearer, running
from tests.waiting import wait_until


def asked(house: Server, **wanted: Any) -> dict[str, str]:
    """A table at which its guest has been asked."""
    made = house.make(**{"game": "leduc", **wanted})
    wait_until(lambda: 0 in house.tables.live[made["table"]].table.asked)
    return made


def test_nobody_is_away_for_being_gone_and_bots_play_on_while_nobody_looks(house: Server, clock: Clock) -> None:
    """At any other table guests are away after the table's grace."""
    other, made = asked(house, grace=30), asked(house, game="diamonds", players=3, by_post=True, grace=0)
    for one in (other, made):
        clock.advance(house, one["table"], 10 * DAY)
    wait_until(lambda: house.tables.live[other["table"]].table.seats[0].away)
    table = house.tables.live[made["table"]].table
    with httpx.Client(base_url=house.url, headers=bearer(made["token"])) as zoe:
        for _ in range(3):
            done = len(table.playing.history)
            assert not table.seats[0].away
            seen = zoe.get(f"/t/{made['table']}").text
            choice = re.findall(r'class="[^"]*legal[^"]*" name="action" value="([^"]+)"', seen)[0]
            zoe.post(f"/t/{made['table']}/do", data={"action": choice})
            wait_until(
                lambda done=done: len(table.playing.history) > done and (0 in table.asked or table.playing.is_terminal)  # type: ignore[misc]
            )
            if table.playing.is_terminal:  # somebody was lucky
                break


def test_a_bot_plays_for_whoever_takes_too_long_if_that_was_chosen(house: Server, clock: Clock) -> None:
    made = asked(house, by_post=True, patience=3 * DAY)
    table = house.tables.live[made["table"]].table
    for days, away in ((2.9, False), (3.1, True)):
        table.asked_at[0] = time() - days * DAY
        clock.advance(house, made["table"], 1.0)
        assert table.seats[0].away is away
    with Guest(house, made["table"], made["token"]) as zoe:
        zoe.told(lambda told: not told.players[0].away)
        assert all(at > time() - 60 for at in table.asked_at.values()), "they have all their time again"


def test_the_time_goes_on_while_no_server_runs(tmp_path: Path) -> None:
    with running(tmp_path / "parlour.db") as first:
        made = asked(first, by_post=True, patience=3 * DAY)
        before = dict(first.tables.live[made["table"]].table.asked_at)
    with sqlite3.connect(tmp_path / "parlour.db") as log:
        log.execute("UPDATE entries SET at = at - ?", (DAY,))
    log.close()
    with running(tmp_path / "parlour.db") as second:
        httpx.get(f"{second.url}/t/{made['table']}", headers=bearer(made["token"]))
        after = second.tables.live[made["table"]].table.asked_at
        assert after == pytest.approx({seat: at - DAY for seat, at in before.items()}, abs=1.0)


def test_it_is_not_closed_like_others_that_nobody_uses(house: Server) -> None:
    terms: tuple[dict[str, Any], ...] = ({"by_post": True}, {"by_post": True, "patience": DAY}, {})
    post, timed, other = (house.make("leduc", **more)["table"] for more in terms)
    store, later = house.tables.store, time() + 60
    mine = {post, timed, other}
    wait_until(lambda: len(mine & {*store.untouched(later), *store.untouched(later, True)}) == 3)
    assert mine & set(store.untouched(later)) == {other}
    assert mine & set(store.untouched(later, True)) == {post, timed}
    assert mine & set(store.untouched(later, True, True)) == {timed}


def test_what_cannot_be_is_refused_in_a_sentence() -> None:
    """A game asks in secret only under the house rules that say so; by post it can be played under all others."""
    for wanted, said in (
        ({"game": "commit", "by_post": True}, "Commit can't be played by post: it asks secret questions"),
        ({"game": "leduc", "patience": 2 * DAY}, "more than a day only if it is played by post"),
        ({"game": "leduc", "awaits": 3}, "A match for 2 can't wait for 3 people"),
    ):
        with pytest.raises(ParlourError, match=said):
            opened_as(wanted_table(**wanted))
    for game, option, value in (("diabolo", "doubler_ask", "holders_only"), ("pope_joan", "version", "foster_trump")):
        opened_as(wanted_table(game=game, by_post=True))
        with pytest.raises(ParlourError, match=f"With {option}={value}, .* can't be played by post: it asks secret"):
            opened_as(wanted_table(game=game, by_post=True, options={option: value}))
        for chosen in ({}, {option: value}):
            loaded = load(game, None, **chosen)
            assert loaded.definition.may_hush(loaded.options) is bool(chosen)
            asks = (state.hushed for seed in range(4) for state in play(loaded.new(seed=seed), seed))
            assert any(asks) is bool(chosen)


@pytest.mark.parametrize("post", ["3", ""])
def test_the_form_opens_one_that_waits_for_friends(house: Server, post: str) -> None:
    """By post, or for an evening."""
    with httpx.Client(base_url=house.url, follow_redirects=True) as zoe:
        form = {"name": "Zoé", "players": "3", "bots": "random", "pace": "0", "post": post, "awaits": "2"}
        page = zoe.post("/play/diamonds", data=form)
        code = page.url.path.rpartition("/")[2]
        (live,) = [one for one in house.tables.live.values() if one.code == code]
        opened = live.table.opened
        assert (opened.by_post, opened.patience, opened.awaits) == (bool(post), 3 * DAY * bool(post), 2)
        assert '<b class="which">Diamonds</b>' in page.text
        assert "1 more person must sit down." in page.text
        assert page.text.count("<li>somebody is missing</li>") == 1
        assert ("A bot plays for whoever takes longer than 3 days." in page.text) == bool(post)
        assert not live.table.match
        httpx.post(f"{house.url}/api/1/tables/{code}/seats", json={"name": "Abe"})
        wait_until(lambda: live.table.match == 1)
        waiting = zoe.post("/play/diamonds", data=form | {"awaits": "3"}).url.path
        (live,) = [one for one in house.tables.live.values() if one.code == waiting[3:]]
        abe = bearer(httpx.post(f"{house.url}/api/1/tables/{live.code}/seats", json={"name": "Abe"}).json()["token"])
        httpx.post(f"{house.url}{waiting}/do", data={"do": "again"}, headers=abe)
        assert "Waiting for Zoé" in httpx.get(f"{house.url}{waiting}", headers=abe).text
        assert not live.table.match
        live.table.again.clear()  # Abe says nothing
        zoe.post(f"{waiting}/do", data={"do": "again"})
        wait_until(lambda: live.table.match == 1)  # whoever opened it begins without anybody
        assert 'name="post"' not in zoe.get("/new/commit").text
        assert "is not a number of days" in zoe.post("/play/diamonds", data=form | {"post": "x"}).text


def test_your_turn_comes_first_and_the_script_is_told_of_it(house: Server) -> None:
    with httpx.Client(base_url=house.url) as zoe:
        quick = {"name": "Zoé", "pace": 0, "bots": "random"}
        made = zoe.post("/api/1/tables", json={"game": "leduc", "by_post": True, **quick}).json()
        wait_until(lambda: 0 in house.tables.live[made["table"]].table.asked)
        zoe.headers.update(bearer(made["token"]))
        waiting = zoe.post("/api/1/tables", json={"game": "diamonds", "by_post": True, "awaits": 2, **quick}).json()
        zoe.post("/api/1/tables", json={"game": "leduc", **quick})
        home = zoe.get("/").text
        assert re.search(r"<title>\([12]\) Parlour</title>", home)
        assert home.index(made["code"]) < home.index(waiting["code"])
        assert "notify.js" in home
        (turn,) = zoe.get("/you/turns").json()
        assert (turn["code"], turn["title"]) == (made["code"], "Leduc poker")
        assert httpx.get(f"{house.url}/you/turns").json() == []
        assert "notify.js" not in httpx.get(f"{house.url}/").text
        assert "data-notify" in zoe.get(f"/t/{made['code']}").text


FAKE = """
class Fake { constructor(title, more) { (window.told ??= []).push([title, more.body]); } }
Fake.permission = "default";
Fake.requestPermission = async () => (Fake.permission = "granted");
window.Notification = Fake;
Object.defineProperty(document, "hidden", { get: () => true });
"""
"""A browser's notifications, as a script sees them, on a page in the background."""


def test_a_page_notifies_only_who_asked_for_it_and_only_of_a_new_turn(house: Server, browser: Browser) -> None:
    with Person(browser, house) as zoe:
        zoe.context.add_init_script(FAKE)
        code = zoe.opens("leduc", by_post=True, awaits=2)
        zoe.page.clock.install()
        zoe.page.goto("/")
        button = zoe.page.get_by_role("button", name="Notify me when it is my turn")
        assert zoe.page.evaluate("window.told") is None
        with zoe.page.expect_response("**/you/turns"):
            button.click()
        expect(zoe.page.get_by_role("button", name="You will be notified")).to_be_visible()
        httpx.post(f"{house.url}/api/1/tables/{code}/seats", json={"name": "Abe"})
        wait_until(lambda: 0 in next(one for one in house.tables.live.values() if one.id == code).table.asked)
        for _ in range(2):
            with zoe.page.expect_response("**/you/turns"):
                zoe.page.clock.fast_forward(60_001)
        zoe.page.wait_for_function("window.told")
        assert zoe.page.evaluate("window.told") == [["Leduc poker", "It is your turn."]]
        assert not zoe.complaints
