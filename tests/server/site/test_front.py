"""The front page: it greets, says what waits and who waits, shows games as tables, and leaves no gap at any width."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect

import parlour
from parlour.core.lessons import lesson
from parlour.engine.definition import definition, shelf
from parlour.server.club.pages import daily
from parlour.server.common import clock, wire
from parlour.server.live.session import Session
from parlour.server.page import decks
from parlour.server.page.house_rules import is_for_study, played
from parlour.server.site.front import in_lobby
from parlour.server.table.competition_names import after, today
from tests.helpers import there
from tests.page_helpers import OUT_OF_REACH, Person, faults_of_size, last_choice, under_way
from tests.room_helpers import Server, SlowBots, a_table, running
from tests.server.club.test_daily import play, tomorrow  # noqa: F401
from tests.server.club.test_profile import reader
from tools.slow_line import load

WIDTHS = (320, 360, 390, 640, 820, 999, 1000, 1280, 1920)
GAPS = """() => {
  const list = document.querySelector(".games").getBoundingClientRect();
  const rows = new Map();
  for (const one of document.querySelectorAll(".games > *")) {
    const { top, left, right } = one.getBoundingClientRect(), row = Math.round(top);
    const [from, to] = rows.get(row) ?? [Infinity, -Infinity];
    rows.set(row, [Math.min(from, left), Math.max(to, right)]);
  }
  return [...rows.values()].filter(([from, to]) => from > list.left + 1 || to < list.right - 1);
}"""
"""Rows of games that do not go from edge to edge."""
CUT = """() => [...document.querySelectorAll(".game h3, .game button, .game a, .pit h2")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth).map((one) => one.textContent)"""
TOPS = "(all) => all.map((one) => one.getBoundingClientRect()).map((box) => box.top + box.height / 2)"
FILLED = """() => [...document.querySelectorAll(".pit, .games, .together")]
  .map((part) => part.querySelectorAll(".act").length)"""


def test_no_gap_no_cut_name_and_nothing_beyond_the_edge_at_any_width(browser: Browser, house: Server) -> None:
    """Every game says what it is like and is two presses away: its name leads to its picture and its buttons, which
    stand in one row."""
    with Person(browser, house, locale="de-DE") as zoe:
        zoe.opens("pope_joan", record=under_way("pope_joan"))
        zoe.page.goto("/")
        for width in WIDTHS:
            zoe.page.set_viewport_size({"width": width, "height": 800})
            zoe.looks()
            assert zoe.page.evaluate(GAPS) == [], width
            assert zoe.page.evaluate(CUT) == [], width
            assert faults_of_size(zoe.page) == {}, width
        assert set(zoe.page.evaluate(FILLED)) == {1}, "each part has one button that stands out"
        for width in (320, 1280):
            zoe.page.set_viewport_size({"width": width, "height": 640})
            for what in map(definition, shelf()):
                zoe.page.get_by_role("navigation").locator(f'[href="#{what.id}"]').click()
                row = zoe.page.locator(f"#{what.id}")
                assert zoe.page.evaluate(OUT_OF_REACH, f"#{what.id} .do > button:first-of-type") == []
                assert len(set(row.locator(".do > :is(a, button)").evaluate_all(TOPS))) == 1, what.id
                assert is_for_study(what) or row.locator("p").is_visible()
        zoe.context.clear_cookies()
        zoe.page.reload()
        assert f" {len(shelf())} " in f" {zoe.page.locator('.hail').inner_text()}"


def test_a_cold_front_page_is_light(browser: Browser, house: Server) -> None:
    with Person(browser, house, cold=True) as zoe:
        seen = load(zoe, "/", latency=0, speed=-1)
        assert seen.requests <= 9
        assert seen.bytes <= 60 * 1024


def test_players_who_search_say_where_they_are_weaker_than_they_seem(house: Server) -> None:
    """In words of the list, and in those of the character; not where nothing is hidden, so that nobody bluffs."""
    with reader(house) as zoe:
        assert len(re.findall("(Thinks about|Thorough).*Easier to beat than it seems", zoe.get("/new/leduc").text)) == 2
        assert "Easier to beat" not in zoe.get("/new/diamonds").text


def test_it_greets_with_the_table_where_it_is_your_turn(house: Server) -> None:
    """Where one sits, and nobody else."""
    with house.guest("pope_joan", record=under_way("pope_joan")) as zoe, reader(house, zoe.token) as hers:
        shown = hers.get("/").text
        assert re.search(r"<h2>Pope Joan, deal \d+: your turn</h2>", shown)
        assert "It is your turn at one table." in shown
        (code,) = set(re.findall(r'href="/t/(\w+)"', shown))
        still = hers.get(f"/t/{code}/still.svg")
        assert still.headers["content-type"] == "image/svg+xml"
        assert still.headers["cache-control"] == "no-store"
        for token in ("", "somebody else's"):
            with reader(house, token) as other:
                for picture in ("still.svg", "code.svg"):
                    assert other.get(f"/t/{code}/{picture}").text == hers.get(f"/t/{code}/{picture}").text
                assert code not in other.get("/").text
        zoe.ask("leave")
        assert code not in hers.get("/").text


def test_a_still_of_a_deal_of_the_day_shows_nothing_of_its_cards(house: Server) -> None:
    """It is played without a name, too."""
    with reader(house, "nameless token") as guest:
        assert "required" not in guest.get("/daily/diamonds").text
        answer = guest.post("/daily/diamonds", data={})
        assert (answer.status_code, answer.headers["location"][:3]) == (303, "/t/")
        (code,) = re.findall(r'src="/t/(\w+)/still.svg"', guest.get("/").text)
        assert guest.get(f"/t/{code}/still.svg").text == decks.cover("diamonds")


def test_the_deal_of_the_day_is_of_a_game_for_an_evening_and_another_one_each_day(house: Server) -> None:
    """The list of daily deals has no games for study either; and a streak ends with a day without a deal."""
    days = [after("2026-11-28", n) for n in range(len(played()))]
    assert {daily.game_of(day) for day in days} == {what.id for what in played()}
    assert not any(is_for_study(definition(daily.game_of(day))) for day in days)
    shown = httpx.get(f"{house.url}/daily").text
    for game in shelf():
        assert (f'href="/daily/{game}"' in shown) != is_for_study(definition(game))
    for had, streak in (("", 0), ("28", 1), ("25 26 27 28", 4), ("25 27", 1)):
        assert daily.streak_of([f"2026-11-{day}" for day in had.split()], "2026-11-28") == streak


def test_yesterdays_result_and_this_weeks_days(house: Server, tomorrow: Any) -> None:  # noqa: F811
    play(house, "ida's token", "Ida")
    day = today(clock.wall())
    tomorrow()
    with reader(house, "ida's token") as ida:
        shown = ida.get("/").text
    assert f'<a href="/daily/leduc/{day}">Yesterday you came 1st of 1 in Leduc poker.</a>' in shown
    week = re.findall(r'<li class="( ?\w*)(?: now)?"[^>]*><span aria-hidden="true">\w\w</span>', shown)
    assert len(week) == 7
    with reader(house) as nobody:
        assert "Yesterday you came" not in nobody.get("/").text


def test_games_say_for_how_long_and_how_many_they_are(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a word, and without other house rules: a number alone could be anything."""
    monkeypatch.setattr(definition("diamonds"), "counts", lambda: [2, 4])
    shown = httpx.get(f"{house.url}/").text
    for what in map(definition, shelf()):
        if taught := lesson(what.id):
            said = f'Learn<span class="mins">&nbsp;· {taught.minutes} min</span><span class="vh">: {what.title}'
            assert said in shown
    for what in played():
        counts = what.counts()
        many = f"{counts[0]}–{counts[-1]}" if len(counts) > 1 else str(counts[0])
        many = "2, 4" if what.id == "diamonds" else many
        assert f'<span class="meta">{many} players · ' in shown.partition(f"<h3>{what.title}</h3>")[2][:99], what.id
    preset = there(definition("diamondback").for_newcomers)
    assert preset.name == "lively"
    assert "Starts with the rules “Lively”" in shown
    assert shown.count('name="preset"') == sum(what.for_newcomers is not None for what in played())
    answer = httpx.post(f"{house.url}/play/diamondback", data={"preset": "lively"})
    link = f"{house.url}{answer.headers['location']}"
    for typed in (f" {link.rpartition('/')[2]} ", f"{link}?watch=yes"):
        assert link.endswith(httpx.get(f"{house.url}/join", params={"code": typed}).headers["location"]), typed
    table = house.tables.live[httpx.get(f"{house.url}/api/1/tables/{answer.headers['location'][3:]}").json()["table"]]
    assert {name: str(table.table.game.options[name]) for name in preset.options} == dict(preset.options)


def test_the_address_of_a_button_leads_on_if_it_is_typed_or_loaded_again(house: Server, reader: httpx.Client) -> None:
    """To where the game can be played, or to the table; any other says in a sentence what is wrong."""
    code = house.make("kuhn")["code"]
    assert reader.get("/play/diamonds").headers["location"] == "/new/diamonds"
    assert reader.get("/play/nothing").status_code == 404
    for pressed in ("do", "sit", "hint", "guide"):
        assert reader.get(f"/t/{code}/{pressed}").headers["location"] == f"/t/{code}"
    told = reader.get("/theme")
    assert (told.status_code, "nothing to see here" in told.text) == (405, True)
    program = httpx.get(f"{house.url}/t/{code}/do", headers={"accept": "application/json"})
    assert program.status_code == 405


def test_the_lobby_shows_who_waits_and_how_many_seats_are_free(browser: Browser, tmp_path: Path) -> None:
    """A reader of the front page is told when somebody waits; and everybody at a table sees how many watch."""
    with running(tmp_path / "p.db") as house, Person(browser, house) as zoe, Person(browser, house) as bela:
        zoe.page.clock.install()
        zoe.page.goto("/")
        toast = zoe.page.locator("#toast")
        expect(toast).to_be_empty()
        code = bela.opens("diamonds", listed=True, name="Bela", pace=60)
        expect(bela.page.locator("#watching")).to_be_hidden()
        row = there(re.search(r"<li data-waits=.*?</li>", httpx.get(f"{house.url}/lobby").text, re.DOTALL))[0]
        assert ("<bdi>Bela</bdi>" in row, "1 seat free" in row) == (True, True)
        assert "<bdi>Bela</bdi>" not in bela.context.request.get("/lobby").text(), "nobody waits for themselves"
        with zoe.page.expect_response("**/lobby"):
            zoe.page.clock.run_for(21_000)
        expect(toast).to_contain_text("Somebody is waiting: Bela: Diamonds")
        zoe.goes_by(toast.get_by_role("link"))
        zoe.page.goto(f"/t/{code}?watch=yes")
        for one in (zoe, bela):
            expect(one.page.locator("#watching b")).to_have_text("1")
        zoe.page.goto("/")
        expect(bela.page.locator("#watching")).to_be_hidden()


async def test_somebody_waits_where_a_guest_is_there_and_a_seat_can_be_had() -> None:
    """Seats are free while bots have them and newcomers may sit down; during a match, if they may take a bot's."""
    record, last = last_choice("kuhn")
    commands: list[wire.Sit | wire.Allow | wire.Act] = [
        wire.Sit(id="1", name="Zoé", seat=0),
        wire.Allow(id="2", name="newcomers", on=False),
        wire.Allow(id="3", name="newcomers", on=True),
        wire.Allow(id="4", name="takeovers", on=False),
        wire.Act(id="5", action=last),
    ]
    async with a_table(parlour.load("kuhn"), SlowBots(), record, maker="zoe") as live:
        seen = [in_lobby(Session(live, ""))]
        for command in commands:
            assert isinstance(await live.do("zoe", command), wire.Done), command
            seen.append(in_lobby(Session(live, "")))
    assert [len(one.here) for one in seen] == [0, 1, 1, 1, 1, 1]
    assert [one.free for one in seen] == [2, 1, 0, 1, 0, 1]
    assert [one.waits for one in seen] == [False, True, False, True, False, True]
