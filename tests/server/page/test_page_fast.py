"""Fast where it counts: few requests, few bytes, nothing asked for twice; and what is pressed shows it at once."""

from __future__ import annotations

import gzip
import re
from xml.etree import ElementTree

import httpx
import pytest
from playwright.sync_api import Browser, expect

from parlour.engine.definition import games, shelf
from parlour.server.page import assets, decks
from tests.helpers import the_rest_long
from tests.page_helpers import Person, finished, under_way
from tests.room_helpers import Server, bearer, line_to
from tests.waiting import LIMIT
from tools.slow_line import first_look, load, most_of

REQUESTS, BYTES = 7, 70 * 1024
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["diabolo"]))
def test_a_table_is_there_after_few_requests_and_bytes_and_once_for_all(
    browser: Browser, house: Server, game: str
) -> None:
    """All that a browser loads, and what the socket brings until then; ``python -m tools.slow_line`` says what it means
    in seconds."""
    seen = first_look(browser, house, game, most_of(game), latency=0, speed=-1)
    assert seen.requests <= REQUESTS
    for face in ("literata", "fraunces"):
        assert any(f"/{face}." in one.url for one in seen.answers), "the typefaces count too"
    assert seen.bytes <= BYTES
    page, *dressed = seen.answers
    assert dressed
    assert page.headers["cache-control"] == "no-store"
    assert "content-encoding" not in page.headers, "it holds secrets beside what others wrote"
    for one in dressed:
        assert one.headers["cache-control"] == assets.FOR_GOOD, one.url
        assert re.search(r"/[0-9a-f]{8}/", one.url)
        assert not {"etag", "last-modified", "set-cookie"} & set(one.headers)


def test_a_second_table_takes_its_page_and_nothing_else(browser: Browser, house: Server) -> None:
    with Person(browser, house) as zoe:
        zoe.opens("diamonds")
        load(zoe, zoe.page.url, latency=0, speed=-1)  # the first visit may end before the browser has kept all it got
        again = load(zoe, zoe.page.url, latency=0, speed=-1)
        assert again.bytes < BYTES / 2
        line = zoe.context.new_cdp_session(zoe.page)
        kept = list[str]()
        line.send("Network.enable")
        line.on("Network.requestServedFromCache", lambda one: kept.append(one["requestId"]))
        zoe.page.reload(wait_until="load")
        zoe.looks()
        assert len(kept) >= len(again.answers) - 1


@pytest.mark.parametrize("game", games())
def test_a_pack_holds_every_card_as_its_deck_draws_it(game: str) -> None:
    for four in (False, True):
        root = ElementTree.fromstring(assets.pack(game, four))
        layers = {layer.get("id"): layer for layer in root.findall(f"{SVG}svg")}
        assert set(layers) == {*decks.cards(game), decks.BACK}
        ids = [part.get("id") for part in root.iter() if part.get("id")]
        assert len(ids) == len(set(ids)), "of two parts with one id only the first is ever meant"
        referred = re.findall(r'(?:href="|url\()#([^")]+)', assets.pack(game, four))
        assert set(referred) <= set(ids)
        for name in decks.cards(game):
            drawn = ElementTree.fromstring(decks.face(game, name, four))
            assert [part.tag for part in layers[name].iter()] == [part.tag for part in drawn.iter()]


def test_what_pages_are_dressed_in_is_packed_for_whoever_can_unpack_it(house: Server) -> None:
    piece = assets.static("parlour.css")
    for codings, packed in (("br, gzip", True), ("identity", False), ("gzip;q=0", False)):
        with httpx.stream("GET", house.url + piece.address, headers={"Accept-Encoding": codings}) as answer:
            raw = b"".join(answer.iter_raw())
            assert (answer.headers.get("content-encoding") == "gzip") == packed
            assert answer.headers["vary"] == "Accept-Encoding"
            assert (gzip.decompress(raw) if packed else raw) == piece.body
    assert httpx.head(house.url + piece.address).status_code == 200


def test_an_address_of_another_version_is_kept_by_nobody(house: Server) -> None:
    """Two servers may share guests while one of them is replaced."""
    piece = assets.of_game("kuhn.svg")
    other = httpx.get(house.url + piece.address.replace(piece.address.split("/")[2], "0" * 8))
    assert other.content == piece.body
    assert other.headers["cache-control"] == "no-store"
    assert httpx.get(f"{house.url}/shelf/0/kuhn-5.svg").status_code == 404
    assert httpx.get(f"{house.url}/static/0/nothing.css").status_code == 404


def test_pages_without_secrets_are_packed_and_others_are_not(house: Server) -> None:
    made = house.make("kuhn", record=under_way("kuhn"))
    with httpx.Client(base_url=house.url, headers=bearer(made["token"])) as zoe:
        for address in ("/rules/kuhn", "/new/kuhn", "/docs"):
            assert zoe.get(address).headers.get("content-encoding") == "gzip"
        replay = zoe.post("/replay", files={"record": ("a.parlour", finished("kuhn").encode())}).headers["location"]
        at = f"/t/{made['table']}"
        record = f"/api/1/tables/{made['table']}/record"
        for address in (at, "/", "/you", "/you/export", f"{at}/record", record, replay):
            said = zoe.get(address)
            assert said.is_success, address
            assert said.headers["cache-control"] == "no-store"
            assert not {"content-encoding", "etag", "last-modified"} & set(said.headers), address


@pytest.mark.parametrize("address", ["/api/1/tables/{}/socket", "/t/{}/live"])
def test_no_socket_packs_its_frames(house: Server, address: str) -> None:
    """Not even for a client that would like it; the server that people run has the same ``LINES``."""
    made = house.make("kuhn", record=under_way("kuhn"))
    where = f"ws{house.url.removeprefix('http')}{address.format(made['table'])}"
    with line_to(where, additional_headers=bearer(made["token"]), compression="deflate") as line:
        assert line.recv(LIMIT)
        assert line.request is not None
        assert line.response is not None
        assert "permessage-deflate" in line.request.headers["Sec-WebSocket-Extensions"]
        assert "Sec-WebSocket-Extensions" not in line.response.headers


def test_what_is_pressed_shows_it_before_anything_has_come_back(zoe: Person) -> None:
    """And what is refused is pressed no longer."""
    zoe.begins("kuhn", record=under_way("kuhn"), pace=60)
    zoe.page.route("**/hint", lambda route: route.abort())
    zoe.page.locator("#hint").click()
    expect(zoe.page.locator("#answer")).to_contain_text("Can't reach the server.")
    expect(zoe.page.locator("#hint")).not_to_have_class("sent")
    zoe.page.evaluate("socket.send = (text) => { window.kept = text; }")  # nothing ever comes back
    looks = zoe.page.evaluate("""() => {
      const button = document.querySelector("#play button.legal"), before = getComputedStyle(button).filter;
      button.click();
      return [before, getComputedStyle(button).filter, button.matches(".sent"), window.kept];
    }""")
    assert looks[2]
    assert looks[0] != looks[1]
    assert looks[3]
