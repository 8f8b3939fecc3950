"""The house as an app: it can be installed, and what can be read is there without a connection; nothing else is."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest

from parlour.server.page.pwa import shell
from tests.page_helpers import Person
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
    with Person(browser, house, service_workers="allow") as zoe:
        page = zoe.page
        page.goto("/")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.wait_for_function(f"{KEPT}.then(kept => kept.length >= {len(shell())})")
        zoe.begins("kuhn")
        table = page.url
        page.goto("/you")
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


def chooses(page: Page, what: str) -> None:
    """Press one of the two buttons for this device."""
    page.goto("/you")
    button = page.get_by_role("button", name=what)
    before = button.get_attribute("aria-pressed")
    with page.expect_navigation(wait_until="load"):
        button.click()
    assert button.get_attribute("aria-pressed") != before


def sits_down(zoe: Person) -> None:
    """Open a table whose scripts have all run and at which it is this person's turn."""
    zoe.opens("kuhn")
    zoe.looks()
    zoe.waits()


def test_a_device_stays_on_and_shakes_only_if_it_was_chosen(zoe: Person) -> None:
    zoe.context.add_init_script(RECORDER)
    page = zoe.page
    sits_down(zoe)
    page.evaluate("tabIs('hidden')")
    page.evaluate("tabIs('visible')")
    assert (page.evaluate(LOCKS), page.evaluate(TURN_COMES)) == ([], 0), "nobody has chosen it"
    chooses(page, WAKE)
    assert page.evaluate(LOCKS) == [], "this is no table"
    sits_down(zoe)
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
    sits_down(zoe)
    assert (page.evaluate(LOCKS), page.evaluate(TURN_COMES)) == ([], 1)
    chooses(other, SHAKE)
    chooses(other, WAKE)
    wait_until(lambda: page.evaluate(LOCKS) == ["screen"])
    assert page.evaluate(TURN_COMES) == 0, "it was switched off in another tab"
    assert zoe.complaints == []
