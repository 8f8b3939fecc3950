"""Games seen again, the guide of a first game, and how the pages look: what a reader gets with no script at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from html import unescape
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec import structs
from PIL import Image
from playwright.sync_api import Browser, expect

import parlour
from parlour.base.languages import speaking
from parlour.engine.definition import shelf
from parlour.server.common import wire
from parlour.server.live.identity import COOKIE
from parlour.server.page.appearance import SPEED
from parlour.server.page.ideas import AIM
from parlour.server.page.picture import BOTTOM, WIDTH, _text, png, rows
from parlour.server.page.replay import EVERY_CARD, SPECTATOR, Replay, read
from parlour.server.page.replays import KEPT, LARGEST, ROOM, Records, _moment, _picture, _scene
from parlour.server.page.words import text_of
from tests.games.test_boards import scene
from tests.helpers import the_rest_long, there
from tests.page_helpers import PHONE, Person, faults_of_size, finished, somebody, under_way
from tests.room_helpers import Guest, Server, bearer
from tests.waiting import LIMIT, wait_until

FEW = ("commit", "diabolo", "diamondback", "dividha")
"""Boards of every kind; that no more is seen than a seat was told is asked of others in ``test_page_leaks.py``."""
KUHN = """parlour record 1
game: kuhn
rules: 1
players: 2
seat 0: Ann
seat 1: Bert

chance: J
chance: Q
0: pass
1: bet
0: pass
returns: -1 1
"""


@pytest.fixture
def reader(house: Server) -> Iterator[httpx.Client]:
    """Somebody with a browser without script."""
    with httpx.Client(base_url=house.url, follow_redirects=True) as one:
        yield one


def bring(reader: httpx.Client, text: str | bytes) -> httpx.Response:
    """Drop a record on the front page's form."""
    raw = text.encode() if isinstance(text, str) else text
    return reader.post("/replay", files={"record": ("game.parlour", raw)})


def told(page: httpx.Response) -> str:
    return words(page.text.split("What happened at this step</h2>")[1].split("</div>")[0])


def words(html: str) -> str:
    """A piece of a page without its marks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def cards(page: httpx.Response) -> set[str]:
    """The cards that lie face up on the table."""
    felt = page.text.split('id="r-board"')[1].split("</section>\n  <aside")[0].split('<section class="end"')[0]
    return set(re.findall(r"/kuhn\.svg#(\w+)", felt))


def link(page: httpx.Response, name: str) -> str:
    """Where a link of the steps leads; empty if it is none now."""
    found = re.search(rf'id="go-{name}" href="([^"]*)"', page.text)
    return unescape(found[1]) if found else ""


def test_a_record_is_gone_through_with_links_and_tells_each_step(reader: httpx.Client) -> None:
    page = bring(reader, KUHN)
    assert page.status_code == 200
    assert not link(page, "back")
    seen = [told(page)]
    while following := link(page, "on"):
        page = reader.get(following)
        seen.append(told(page))
    assert [line.split(". ")[0] for line in seen[1:]] == ["Ann passes", "Bert bets", "Ann passes"]
    assert "How it ended" in page.text
    assert link(page, "last") == ""
    assert told(reader.get(link(page, "back"))) == seen[-2]
    assert told(reader.get(link(page, "first"))) == seen[0]


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["hearts", "kuhn", *FEW]))
def test_each_step_shows_one_event_in_a_picture_without_anything_to_press(game: str) -> None:
    """Next never tells two things at once, to nobody; where it tells nothing, something is seen that was not.  Every
    card has room in the picture."""
    replay = read(under_way(game, 120))
    between = [stop for stop in replay.stops(EVERY_CARD) if stop.events]
    for word in ("0", SPECTATOR, EVERY_CARD):
        stops, seat = replay.stops(word), replay.seat(word)
        for earlier, later in pairwise(stops):
            told = replay.told(word, replay.events_at(earlier), replay.events_at(later))
            assert len(told) <= 1
            if not told and word != EVERY_CARD and later != stops[-1]:
                assert later.events == 0 or later in replay.ends
                assert replay.at(later).view(seat) != replay.at(earlier).view(seat)
        assert stops == sorted(set(stops))
        assert stops[-1] == (replay.steps, 0)
        everything = replay.told(word, 0, replay.events_at(stops[-1]))
        assert everything == replay.played.events(None if word == EVERY_CARD else seat)
        for stop in {stops[0], stops[len(stops) // 2], stops[-1], *between[:: max(1, len(between) // 6)]}:
            board = _moment(replay, str(stop), word, False)["board"]
            assert board
            assert not re.search('<button|<input|class="waiting"', board)
        if word != EVERY_CARD:
            drawn = _picture(replay, str(stops[-1]), word)
            places = re.findall(r'<svg x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', drawn)
            at = [tuple(map(float, place)) for place in places]
            assert len(at) == sum(len(row.cards) for row in rows(_scene(replay, stops[-1], word, seat, False)[0]))
            assert all(x >= 0 and x + width <= WIDTH and y + height <= BOTTOM for x, y, width, height in at)


def test_of_a_moment_between_two_choices_each_seat_sees_only_its_own() -> None:
    """Of a deal: the cards of seat 0, and nobody else's."""
    replay = read(under_way("pope_joan", 300))
    dealt = [
        (stop, told[0])
        for earlier, stop in pairwise(replay.stops(EVERY_CARD))
        if (told := replay.told(EVERY_CARD, replay.events_at(earlier), replay.events_at(stop)))
        and told[0].event == "dealt"
    ]
    assert dealt
    for stop, deal in dealt:
        own, other = _moment(replay, str(stop), str(deal.who), False), _moment(replay, str(stop), SPECTATOR, False)
        mine = set(re.findall(r"\w+", deal.text.split(" dealt ")[1])) - {"and"}
        assert mine <= set(re.findall(r"\.svg#(\w+)", own["board"]))
        assert deal.text not in words(other["story"])
        assert not replay.told(SPECTATOR, replay.events_at(stop) - 1, replay.events_at(stop))
        hands = {one.seat: one.things[0][1] for one in _moment(replay, str(stop), EVERY_CARD, False)["held"]}
        assert set(hands[deal.who]) == mine


def test_each_deal_of_a_match_can_be_jumped_to(reader: httpx.Client) -> None:
    many = parlour.replay(finished("matrimony")).deals
    page = bring(reader, finished("matrimony"))
    deals = re.findall(r'href="([^"]*)"><span class="vh">Deal </span>(\d+)', page.text)
    assert [number for _, number in deals] == [str(k + 1) for k in range(1, len(many))]
    second = reader.get(unescape(deals[0][0]))
    assert "deal 2" in second.text
    assert int(re.findall(r"step=(\d+)", deals[0][0])[0]) >= many[0].steps


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (KUHN.replace("0: pass", "0: fold", 1), 422, "Line 10: "),
        (KUHN.replace("game: kuhn", "game: whist"), 422, "Line 2: There is no game"),
        (parlour.load("commit-6").new(seed=1).record(), 422, "A server has commit, not commit-6, which is for study"),
        ("<script>alert(1)</script>", 422, "Line 1: A record begins with the line"),
        (b"\xff\xfe\x00", 422, "isn't UTF-8 text"),
        (KUHN + "#" * LARGEST, 413, "at most 512 KB"),
        (KUHN.replace("0: pass\n", "0: pass\nundo\n" * 1000 + "0: pass\n", 1), 422, "Too many moves"),
    ],
)  # fmt: skip
def test_a_bad_record_is_answered(reader: httpx.Client, text: str | bytes, status: int, said: str) -> None:
    page = bring(reader, text)
    assert page.status_code == status
    assert said in words(page.text)
    assert "<script>alert" not in page.text
    assert "Choose a file first" in reader.post("/replay", data={"record": "x"}).text


def test_each_place_has_one_word_so_that_what_is_kept_of_a_record_is_bounded(reader: httpx.Client) -> None:
    path = bring(reader, KUHN).url.path
    for asked in (
        *({"step": step} for step in ("99", "3.9", "x")),
        *({"step": "0", "seat": seat} for seat in ("7", "00", "0002", "٠", "+0", "-1", "0" * 5000)),
    ):
        page = reader.get(path, params=asked)
        assert page.status_code < 500
        assert ("There is no seat" if "seat" in asked else f"There is no step '{asked['step']}'") in words(page.text)
        assert reader.get(f"{path}/picture.png", params=asked).status_code >= 400
    gone = reader.get("/replay/0123456789abcdef")
    assert (gone.status_code, "no longer kept here" in gone.text) == (404, True)


def test_what_is_kept_of_a_record_is_in_no_readers_language() -> None:
    """A game of Pope Joan ends with a run-off."""
    kept, fresh = Replay(finished("pope_joan")), Replay(finished("pope_joan"))
    asked = [name for name, one in vars(Replay).items() if isinstance(one, cached_property) or name == "extra"]
    with speaking("de"):
        assert [getattr(kept, name) for name in asked].count("Ausspielung") == 1
    for name in asked:
        assert getattr(kept, name) == getattr(fresh, name), name


def test_the_last_records_are_kept_and_those_before_them_are_not() -> None:
    shelf = Records()
    names = [shelf.put(f"record {k}".ljust(ROOM // KEPT)) for k in range(KEPT)]
    shelf.get(names[0])
    shelf.put("one more")
    assert shelf.get(names[0]).startswith("record 0")
    with pytest.raises(parlour.ParlourError, match="no longer kept here"):
        shelf.get(names[1])


def test_a_redacted_record_says_that_it_cannot_be_replayed_and_tells_what_it_holds(reader: httpx.Client) -> None:
    page = bring(reader, parlour.replay(KUHN).record(1))
    said = words(page.text)
    parts = "can’t be replayed", "Bert is dealt", "Bert: bet", "Ann is dealt"
    assert [one in said for one in parts] == [True, True, True, False]
    refused = reader.post(f"{page.url.path}/play", data={"step": "0", "seat": "0"})
    assert "can&#39;t be replayed" in refused.text


def two_matches(server: Server, **wanted: Any) -> dict[str, str]:
    """A table at which a guest has played two matches to the end; before that it says why its game cannot be seen."""
    made = server.make("leduc", **wanted)
    address, headers = f"{server.url}/t/{made['code']}/replay", bearer(made["token"])
    early = httpx.get(address, headers=headers, follow_redirects=True)
    assert (early.status_code, "The match is not over" in early.text) == (409, True)
    with Guest(server, made["table"], made["token"]) as guest:
        guest.to_the_end()
        assert isinstance(guest.ask("again"), wire.Done)
        guest.told(lambda told: told.match == 2)
        guest.to_the_end()
    return made


def test_each_match_of_a_table_has_an_address_that_outlives_the_server(tmp_path: Path) -> None:
    server = Server(tmp_path / "p.db")
    try:
        made = two_matches(server)
        address = f"{server.url}/t/{made['code']}/replay"
        wait_until(lambda: httpx.get(f"{server.url}/t/{made['code']}/record").text.find("secret:") > 0)
        for headers, seat in ((bearer(made["token"]), str(made["seat"])), ({}, "all")):
            page = httpx.get(address, headers=headers, follow_redirects=True)
            assert (page.url.params["seat"], "Step " in page.text) == (seat, True)
        before = [httpx.get(f"{address}/{match}?seat=every").text for match in (1, 2)]
        assert all("The beginning" in page for page in before), words(before[0])
        assert before[0] != before[1]
        server = server.again()
        assert [httpx.get(f"{address}/{match}?seat=every").text for match in (1, 2)] == before
        for match, said in ((0, "There is no match 0"), (3, "There is no match 3; 2 began at this table")):
            page = httpx.get(f"{address}/{match}", headers={"Accept": "text/html"})
            assert (page.status_code, said in words(page.text)) == (404, True)
        played_on = httpx.post(f"{address}/1/play", data={"step": "1", "seat": "0"})
        assert played_on.headers["location"].startswith("/t/")
    finally:
        server.stop()


def test_an_earlier_match_that_stays_hidden_is_told_to_each_as_they_saw_it(house: Server) -> None:
    """Also when somebody else has the seat by now."""
    made = two_matches(house, reveal=False)
    address = f"{house.url}/t/{made['code']}/replay/1"
    with Guest(house, made["table"], made["token"]) as zoe:
        zoe.ask("leave")
    for asked in range(2):
        mine = words(httpx.get(address, headers=bearer(made["token"])).text)
        assert "can’t be replayed" in mine
        assert "You are dealt" in mine or "Zoé is dealt" in mine
        abe = httpx.post(f"{house.url}/t/{made['code']}/sit", data={"name": "Abe", "seat": made["seat"]})
        token = abe.cookies.get(COOKIE) or "x" * 32
        others = words(httpx.get(address, cookies={COOKIE: token}).text)
        assert "is dealt" not in others, asked


def test_playing_on_makes_a_table_whose_deal_cannot_be_checked(house: Server, reader: httpx.Client) -> None:
    name = bring(reader, KUHN).url.path
    page = reader.get(f"{name}?step=3&seat=1")
    assert "so the deal can’t be checked" in page.text
    assert '<option value="1" selected>Bert</option>' in page.text
    table = reader.post(f"{name}/play", data={"step": "3", "seat": "1"})
    for said in ("Your turn", "its deal can’t be checked", "passes"):
        assert said in words(table.text)
    (live,) = [one for one in house.tables.live.values() if one.code == table.url.path[3:]]
    assert [bool(seat.key) for seat in live.table.seats] == [False, True]
    over = reader.post(f"{name}/play", data={"step": "5", "seat": "1"})
    assert (over.status_code, "The game is over at this step" in over.text) == (422, True)


def idea(page: httpx.Response) -> str:
    """The clause that the guide explains now; empty if there is none."""
    found = re.search(r'name="clause" value="([^"]*)"', page.text)
    return found[1] if found else ""


def guided(reader: httpx.Client) -> httpx.Response:
    """A table with a guide, when the aim of the game has been read."""
    page = reader.post("/play/diamonds", data={"guide": "yes", "name": "Zoe", "pace": "0"})
    wait_until(lambda: bool(idea(reader.get(page.url))))
    assert idea(reader.get(page.url)) == AIM
    return reader.post(f"{page.url.path}/guide", data={"clause": AIM})


@pytest.mark.parametrize("game", shelf())
def test_the_guide_begins_with_the_aim_and_says_that_the_game_waits(game: str) -> None:
    """It waits for nobody where another guest sits, so then it does not say so."""
    shown = scene(parlour.load(game).new(), 0)
    first = there(replace(shown, explained=frozenset()).idea)
    assert (first.clause, first.occasion) == (AIM, f"The aim: {shown.goal}")
    assert "waits for" in first.text
    friends = [structs.replace(one, guest=True) for one in shown.telling.players]
    among = replace(shown, telling=structs.replace(shown.telling, players=friends), explained=frozenset())
    assert "waits" not in there(among.idea).text


def test_the_guide_explains_what_is_coming_one_idea_at_a_time_and_each_once(reader: httpx.Client) -> None:
    """Bots wait as long; and who has a guide can stop it."""
    begun = (one for one in (guided(reader) for _ in range(40)) if "is about to play" in one.text)
    page = next(one for one in begun if "digs in pile" not in reader.get(one.url).text)  # a bot may just be moving
    assert words(str(text_of(parlour.load("diamonds").clause(idea(page)).text))) in words(page.text)
    for _ in range(5):
        assert "digs in pile" not in reader.get(page.url).text
        assert idea(reader.get(page.url))
    explained = list[str]()

    def has_read_it_all() -> bool:
        nonlocal page
        page = reader.get(page.url)
        while clause := idea(page):
            assert page.text.count('class="idea"') == 1
            explained.append(clause)
            page = reader.post(f"{page.url.path}/guide", data={"clause": clause})
        return "Your turn" in page.text

    wait_until(has_read_it_all)
    assert "digs in pile" in page.text
    assert len(explained) == len(set(explained)) >= 3
    assert {"DM-24", "DM-26"} & {*explained}, "which piles may be dug is said before the reader digs"
    page = guided(reader)
    assert not idea(reader.post(f"{page.url.path}/guide", data={"stop": "yes"}))
    wait_until(lambda: "Your turn" in reader.get(page.url).text)
    plain = reader.post("/play/diamonds", data={"name": "Zoe", "pace": "0"})
    assert not idea(plain)


def test_the_guide_explains_a_stake_before_its_first_counters() -> None:
    """Nothing is told before the last pool has its counters, so the guide said nothing until then."""
    state = parlour.load("matrimony", players=3, first_dealer=2).new(seed=1)
    while list(state.acting) != [0]:
        state.apply(state.legal_actions()[0])
    shown = scene(state, 0)
    assert {choice.name.split()[0] for choice in shown.telling.choices} == {"lay"}
    found = there(replace(shown, explained=frozenset({AIM})).idea)
    assert (found.occasion.startswith("Lay"), found.clause) == (True, "MA-17")


def test_looks_are_forms_that_lead_back_and_are_remembered(house: Server, reader: httpx.Client) -> None:
    """And nobody is sent to another server."""
    table = reader.post("/play/pope_joan", data={"name": "Zoe"})
    wait_until(lambda: "/pope_joan.svg#" in reader.get(table.url).text)
    for colours in ("2", "4", "2"):
        back = reader.post("/colours", data={"colours": colours}, headers={"Referer": str(table.url)})
        assert back.url == table.url
        assert ("pope_joan-4.svg#" in back.text) == (colours == "4")
    for theme, marked in (("dark", ' class="dark"'), ("light", ' class="light"'), ("auto", "")):
        page = reader.post("/theme", data={"theme": theme})
        assert page.text.startswith(f'<!doctype html>\n<html lang="en"{marked}>')
    for referer in ("https://elsewhere.example/x", "nonsense", "http://[", "", f"{house.url}//elsewhere.example/"):
        answer = httpx.post(f"{house.url}/theme", data={"theme": "dark"}, headers={"Referer": referer})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert COOKIE not in answer.cookies


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["commit", "diabolo", "diamonds", "leduc"]))
def test_every_game_is_seen_again_and_played_on_from_its_middle(house: Server, reader: httpx.Client, game: str) -> None:
    """Its record, step by step to the end; and a table that stands where it stood when the first seat had to choose."""
    page = bring(reader, finished(game))
    assert page.status_code == 200
    last = int(re.findall(r"step=(\d+)", link(page, "last"))[0])
    assert last == len(parlour.replay(finished(game)).history)
    page = reader.get(link(page, "last"))
    assert "How it ended" in page.text
    assert told(page)
    step = len(parlour.replay(under_way(game)).history)
    table = reader.post(f"{page.url.path}/play", data={"step": str(step), "seat": "0", "name": "Zoé"})
    assert table.status_code == 200
    assert "Your turn" in table.text
    live = next(one for one in house.tables.live.values() if one.code == table.url.path[3:])
    assert live.table.known.view(0) == parlour.replay(under_way(game)).view(0)
    action = live.table.game.action_names[live.table.known.question(0)[1][0]]
    assert reader.post(f"{table.url.path}/do", data={"action": action}).status_code == 200


def test_a_replay_goes_on_by_itself_until_its_end_or_somebody_stops_it(zoe: Person, house: Server) -> None:
    zoe.page.context.add_cookies([{"name": SPEED, "value": "quick", "url": house.url}])
    zoe.brings(KUHN)
    slider, button = zoe.page.get_by_role("slider", name="Step"), zoe.page.locator("#play-pause")
    expect(zoe.page.locator(".goes .small")).to_have_text("The beginning")
    button.click()
    expect(button).to_have_text("Pause")
    expect(button).to_have_text("Play")  # at the end
    expect(slider).to_have_value("5")
    expect(zoe.page.locator("#go-on")).not_to_have_attribute("href", re.compile("."))
    slider.fill("3")
    expect(zoe.page.locator(".goes .small")).to_contain_text("Step 3 of 5")
    zoe.page.locator(".steps").focus()
    zoe.page.keyboard.press(" ")
    expect(button).to_have_text("Pause")
    expect(zoe.page.locator(".goes .small")).to_contain_text(re.compile("Step [45] of 5"))  # the third: one before
    zoe.page.keyboard.press("ArrowLeft")
    expect(button).to_have_text("Play")
    expect(zoe.page.locator("#go-back")).to_be_focused()
    zoe.page.keyboard.press(" ")  # on a link it would scroll
    expect(button).to_have_text("Pause")
    assert zoe.page.evaluate("scrollY") == 0
    assert zoe.complaints == []


WIDE = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"
TOPS = "all => all.map((one) => one.getBoundingClientRect().top)"


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["matrimony"]))
def test_the_way_through_a_replay_is_on_the_first_screen(browser: Browser, house: Server, game: str) -> None:
    """In German too, whose words are long: they stand in their buttons, which fingers hit."""
    zoe = somebody(browser, house, phone=True, language="de")
    brought = httpx.post(f"{house.url}/replay", files={"record": ("game.parlour", finished(game).encode())})
    place = brought.headers["location"].partition("?")[0]
    buttons, way = zoe.page.locator("nav.goes .go, nav.goes button"), zoe.page.locator("#go-on")
    for seat in (SPECTATOR, EVERY_CARD, "0"):
        zoe.page.set_viewport_size(PHONE["viewport"])
        zoe.page.goto(f"{place}?seat={seat}")
        assert faults_of_size(zoe.page) == {}, seat
        zoe.goes_by(zoe.page.locator("#go-last"))
        assert faults_of_size(zoe.page) == {}, seat
    for width, height in ((360, 664), (844, 390), (1280, 800)):
        zoe.page.set_viewport_size({"width": width, "height": height})
        zoe.page.goto(f"{place}?seat=0")
        zoe.looks()
        assert (buttons.count(), buttons.evaluate_all(WIDE), len(set(buttons.evaluate_all(TOPS)))) == (5, [], 1)
        parts = zoe.page.locator("#r-board .ground"), zoe.page.locator("#r-board .rail"), way
        felt, rail, at = (there(part.bounding_box()) for part in parts)
        assert felt["height"] > (0.45 if height < 481 else 0.55) * height
        assert rail["y"] + min(rail["height"], 100) <= height, "one's own cards are on the first screen"
        assert 0 <= at["y"] <= height - at["height"]
        here = zoe.page.locator(".goes .small").inner_text()
        way.click(timeout=LIMIT * 1000)  # nothing lies over it
        expect(zoe.page.locator(".goes .small")).not_to_have_text(here)


def shared(page: httpx.Response) -> dict[str, str]:
    """What a site that shows links is told of a page."""
    return {name: unescape(text) for name, text in re.findall(r'<meta property="og:(.*?)" content="(.*?)">', page.text)}


def test_a_link_that_is_pasted_shows_the_moment_as_a_picture(reader: httpx.Client) -> None:
    """Neither the page nor the picture shows more than a seat sees; all cards show every hand."""
    page = bring(reader, KUHN)
    last = shared(page)
    assert last["title"] == "Kuhn poker: replay"
    step = reader.get(f"{page.url.path}?step=3&seat=0")
    said = shared(step)
    assert said["title"] == "Kuhn poker, step 3 of 5"
    assert said["description"].strip() == "Ann passes."
    assert reader.get(said["url"]).text == step.text
    picture = reader.get(said["image"])
    assert (picture.headers["content-type"], picture.content[1:4]) == ("image/png", b"PNG")
    assert tuple(int.from_bytes(picture.content[n : n + 4]) for n in (16, 20)) == (1200, 630)
    for seat, seen in {"0": {"J"}, "1": {"Q"}, SPECTATOR: set(), EVERY_CARD: {"J", "Q"}}.items():
        asked = f"step=3&seat={seat}"
        assert cards(reader.get(f"{page.url.path}?{asked}")) == seen
        drawn = reader.get(f"{page.url.path}/picture.svg?{asked}").text
        assert drawn.count('viewBox="0 0 100 140"') == len(seen)
    assert reader.get("/replay/nothing/picture.png").status_code >= 400


@pytest.mark.parametrize("accented", the_rest_long("éüßÄ„", "é„"))
def test_accents_do_not_change_the_face_of_the_words_round_them(accented: str) -> None:
    def drawn(text: str) -> bytes:
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="60">{_text(2, 40, 40, text, "#000")}</svg>'
        return Image.open(BytesIO(png(svg))).convert("RGBA").crop((0, 0, 60, 60)).tobytes()  # its beginning

    assert drawn(f"Zoe      {accented}") == drawn("Zoe") != drawn("Zue")
