"""The house on a device: few bytes, nothing asked for twice, much there offline; its screen, its shaking, its sound."""

from __future__ import annotations

import gzip
import re
import struct
from functools import partial
from random import Random
from urllib.parse import urlsplit
from xml.etree import ElementTree

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from parlour.engine.definition import games, shelf
from parlour.server.page import assets, decks
from parlour.server.page.pwa import shell
from tests.helpers import the_rest_long
from tests.page_helpers import Person, finished, under_way
from tests.room_helpers import Server, bearer, line_to
from tests.waiting import LIMIT, wait_until
from tools.slow_line import first_look, load, most_of

REQUESTS, BYTES = 7, 70 * 1024
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["diabolo"]))
def test_a_table_is_there_after_few_requests_and_bytes(browser: Browser, house: Server, game: str) -> None:
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


KEPT = """(async () => {
  const kept = (await caches.keys()).map(async (name) =>
    (await (await caches.open(name)).keys()).map((one) => one.url));
  return (await Promise.all(kept)).flat();
})()"""


def test_a_device_finds_what_it_needs_to_install_it(reader: httpx.Client) -> None:
    front = reader.get("/")
    assert '<link rel="manifest" href="/manifest.webmanifest">' in front.text
    assert "manifest-src 'self'" in front.headers["content-security-policy"]
    manifest = reader.get("/manifest.webmanifest").json()
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    for one in [*manifest["icons"], {"src": "/icon-180.png", "sizes": "180x180"}]:
        picture = reader.get(one["src"]).content
        width, height = struct.unpack(">II", picture[16:24])
        assert picture[1:4] == b"PNG"
        assert f"{width}x{height}" == one["sizes"]
    assert reader.get("/icon-9999.png").status_code == 404


def test_the_worker_keeps_what_is_there_and_the_same_for_everybody(reader: httpx.Client) -> None:
    worker = reader.get("/worker.js")
    assert worker.headers["cache-control"] == "no-cache"
    reader.cookies.set("parlour_name", "Zoe")
    for address in shell():
        assert f'"{address}"' in worker.text
        answer = reader.get(address)
        assert answer.status_code == 200, address
        assert "Zoe" not in answer.text
        assert "set-cookie" not in answer.headers


def test_rules_and_lessons_can_be_read_without_a_connection(browser: Browser, house: Server) -> None:
    """And look as the reader has chosen, although they were kept before that: dark, and in another language."""
    with Person(browser, house, service_workers="allow") as zoe:
        page = zoe.page
        page.goto("/")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        wait_until(lambda: len(page.evaluate(KEPT)) >= len(shell()))  # wait_for_function takes a promise for true
        zoe.begins("kuhn")
        table = page.url
        page.goto("/you")  # from now on the worker is asked
        zoe.context.set_offline(True)
        page.goto("/rules/dividha")
        assert page.get_by_role("heading", name="Dividha").first.is_visible()
        page.goto("/learn/diamonds")
        page.get_by_text("Or read it here").click()
        assert page.get_by_text("You turn up the seven of spades on pile 5.").is_visible()
        for address in (table, "/", "/you", "/rules/dividha?table=x"):
            page.goto(address)
            assert page.get_by_role("heading", name="No connection").is_visible(), address
        kept = {urlsplit(one).path for one in page.evaluate(KEPT)}
        assert not [path for path in kept - set(shell()) if not path.startswith(("/static/", "/shelf/"))]
        zoe.context.set_offline(False)
        page.goto("/you")
        for choice in ("Dark", "Deutsch"):
            page.locator(".looks summary").click()
            with page.expect_navigation(wait_until="load"):
                page.get_by_role("button", name=choice, exact=True).click()
        for address in ("/rules/kuhn", "/offline"):
            look = f"caches.match('{address}').then(one => one.text()).then(text => text.includes('<html lang=\"de\"'))"
            wait_until(partial(page.evaluate, look))
        zoe.context.set_offline(True)
        for address, heading in (("/rules/kuhn", "Kuhn"), ("/you", "Keine Verbindung")):
            page.goto(address)
            assert page.locator("html[lang=de].dark").count() == 1
            assert page.get_by_role("heading", name=heading).first.is_visible()
        zoe.complaints.clear()  # the browser says that there is no connection


RECORDER = """
  window.shaken = 0;
  window.locks = [];
  navigator.vibrate = () => { window.shaken += 1; return true; };
  let state = "visible";
  Object.defineProperty(document, "visibilityState", { get: () => state });
  Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
    const lock = { kind, released: false, release: async () => { lock.released = true; } };
    locks.push(lock);
    return lock;
  } } });
  window.tabIs = (to) => {
    state = to;
    if (to === "hidden") for (const lock of locks) lock.released = true; // as browsers do
    document.dispatchEvent(new Event("visibilitychange"));
  };
"""
"""What the device would do is noted instead: how often it shakes, and every lock that keeps its screen on."""
LOCKS = "locks.map((one) => `${one.kind}${one.released ? ', released' : ''}`)"
TURN_COMES = """async () => {
  const strip = document.getElementById("r-strip"), there = [...strip.childNodes], before = shaken;
  strip.replaceChildren();
  await new Promise(requestAnimationFrame);
  strip.replaceChildren(...there);
  await new Promise(requestAnimationFrame);
  return shaken - before;
}"""
"""It is no longer somebody's turn, and then it is; how often the device shakes at that."""
WAKE, SHAKE = "Keep the screen on at a table", "Vibrate when it’s my turn"


def test_a_device_stays_on_and_shakes_only_if_it_was_chosen(zoe: Person) -> None:
    zoe.context.add_init_script(RECORDER)
    page = zoe.page

    def chooses(page: Page, what: str) -> None:
        page.goto("/you")
        button = page.get_by_role("button", name=what)
        before = button.get_attribute("aria-pressed")
        with page.expect_navigation(wait_until="load"):
            button.click()
        assert button.get_attribute("aria-pressed") != before

    def sits_down() -> None:
        """At a table whose scripts have all run and at which it is this person's turn."""
        zoe.opens("kuhn")
        zoe.looks()
        zoe.waits()

    sits_down()
    page.evaluate("tabIs('hidden')")
    page.evaluate("tabIs('visible')")
    assert (page.evaluate(LOCKS), page.evaluate(TURN_COMES)) == ([], 0), "nobody has chosen it"
    chooses(page, WAKE)
    assert page.evaluate(LOCKS) == [], "this is no table"
    sits_down()
    assert page.evaluate(LOCKS) == ["screen"]
    assert page.evaluate(TURN_COMES) == 0, "something else was chosen"
    page.evaluate("tabIs('hidden')")
    assert page.evaluate(LOCKS) == ["screen, released"], "nobody sees the page"
    page.evaluate("tabIs('visible'); tabIs('visible')")
    assert page.evaluate(LOCKS) == ["screen, released", "screen"]
    other = zoe.context.new_page()
    chooses(other, SHAKE)
    chooses(other, WAKE)
    wait_until(lambda: page.evaluate(LOCKS) == ["screen, released"] * 2)
    assert page.evaluate(TURN_COMES) == 1, "it was chosen in another tab"
    page.evaluate("tabIs('hidden')")
    page.evaluate("tabIs('visible')")
    assert page.evaluate(LOCKS) == ["screen, released"] * 2, "it was switched off in another tab"
    chooses(other, SHAKE)
    chooses(other, WAKE)
    wait_until(lambda: page.evaluate(LOCKS)[2:] == ["screen"])
    assert page.evaluate(TURN_COMES) == 0, "it was switched off in another tab"
    assert zoe.complaints == []


LISTEN = """{
  window.heard = { contexts: 0, notes: 0, rustles: 0, loud: 0 };
  const Real = window.AudioContext;
  window.AudioContext = class extends Real {
    constructor() { super(); heard.contexts++; }
    createOscillator() { heard.notes++; return super.createOscillator(); }
    createBufferSource() { heard.rustles++; return super.createBufferSource(); }
  };
}"""
"""Counts what the page does with sound."""
BROKEN = "window.AudioContext = class { constructor() { throw new Error('no sound here'); } };"
SOUNDS = "typeof audio === 'object' && audio?.state === 'running'"
"""The browser can sound: what happens before is not heard."""


def test_there_is_no_sound_until_it_is_chosen(zoe: Person) -> None:
    """Then cards, coins, your turn and the end are heard, and the steps of a replay; the menu remembers, and can switch
    it off again.  What cannot be remembered is not switched on."""
    button, end = zoe.page.get_by_role("button", name="Sound"), zoe.page.locator("#r-end h2")

    def switches(on: bool = True) -> None:
        """It switches where it stands."""
        zoe.page.evaluate("document.body.dataset.before = ''")
        if not button.count():
            zoe.page.locator(".looks summary").click()
        with zoe.page.expect_response("**/sound"):
            button.click()
        expect(zoe.page.locator("button[name=sound]")).to_have_attribute("aria-pressed", str(on).lower())
        assert zoe.page.locator("body[data-before]").count() == 1, "the page stays"

    def plays_again(seed: int) -> dict[str, int]:
        zoe.page.get_by_role("button", name="Play again").click()
        end.wait_for(state="detached")
        zoe.plays(zoe.by_mouse, Random(seed))
        return dict(zoe.page.evaluate("heard"))

    zoe.context.add_init_script(LISTEN)
    zoe.opens("kuhn")
    zoe.plays(zoe.by_mouse, Random(1))
    assert zoe.page.evaluate("heard.contexts") == 0
    zoe.page.route("**/sound", lambda route: route.abort())
    zoe.page.locator(".looks summary").click()
    button.click()
    expect(zoe.page.locator("#answer")).to_have_text("Can't reach the server.")
    expect(zoe.page.locator("button[name=sound]")).to_have_attribute("aria-pressed", "false")
    zoe.page.unroute("**/sound")
    switches()
    wait_until(lambda: zoe.page.evaluate(SOUNDS), "the browser has no sound")
    sounds = plays_again(2)
    assert sounds["contexts"] == 1
    assert sounds["rustles"] >= 1
    assert sounds["notes"] >= 4, "at least the closing chord"
    for on in (False, True, False):
        switches(on)
    assert zoe.page.evaluate("heard.contexts") == 1, "it is loaded once"
    assert plays_again(3) == sounds, "switched off, it is silent at once"
    zoe.opens("kuhn")
    assert zoe.page.locator("script[src$='/sound.js']").count() == 0
    switches()
    zoe.brings(finished("leduc"))
    assert zoe.page.locator("script[src$='/sound.js']").count() == 1
    expect(zoe.page.locator("button[name=sound]")).to_have_attribute("aria-pressed", "true")
    zoe.page.keyboard.press("x")
    wait_until(lambda: zoe.page.evaluate(SOUNDS), "the browser has no sound")
    for _ in range(3):
        before = zoe.page.url
        zoe.page.keyboard.press("ArrowRight")
        wait_until(lambda before=before: zoe.page.evaluate("location.href") != before)  # type: ignore[misc]
    wait_until(lambda: zoe.page.evaluate("heard.rustles + heard.notes"), "nothing was heard")
    assert zoe.complaints == []


def test_a_browser_without_sound_plays_on(zoe: Person) -> None:
    zoe.context.add_init_script(BROKEN)
    zoe.context.request.post("/sound", form={"sound": "on"})
    zoe.ends("kuhn")
    assert zoe.page.locator("#r-end .results li").count() == 2
    assert zoe.complaints == []
