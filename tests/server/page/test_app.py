"""The house on a device: what can be read is there without a connection; its screen, its shaking and its sound."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import expect

from parlour.server.page.pwa import shell
from tests.page_helpers import Person, finished
from tests.waiting import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.room_helpers import Server

KEPT = """(async () => {
  const kept = (await caches.keys()).map(async (name) =>
    (await (await caches.open(name)).keys()).map((one) => one.url));
  return (await Promise.all(kept)).flat();
})()"""


@pytest.fixture(name="reader")
def reader_fixture(house: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=house.url, headers={"accept": "text/html"}) as client:
        yield client


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
