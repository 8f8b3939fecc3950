"""The sound of a table: none unless somebody has chosen it, and never in the way of the game."""

from __future__ import annotations

from random import Random
from typing import Any

from playwright.sync_api import expect

from tests.page_helpers import Person, finished
from tests.waiting import wait_until

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


def heard(zoe: Person) -> dict[str, int]:
    """What there was to hear on this page."""
    return dict(zoe.page.evaluate("heard"))


def presses_the_bell(zoe: Person, on: bool = True) -> None:
    """Press the bell in the bar, as anybody would: it switches where it stands, and is remembered."""
    zoe.page.evaluate("document.body.dataset.before = ''")
    with zoe.page.expect_response("**/sound"):
        zoe.page.get_by_role("button", name="Sound").click()
    expect(zoe.page.locator("button[name=sound]")).to_have_attribute("aria-pressed", str(on).lower())
    assert zoe.page.locator("body[data-before]").count() == 1, "the page stays"


def can_sound(zoe: Person) -> None:
    """Wait until the browser can sound: what happens before is not heard."""
    sounds = "typeof audio === 'object' && audio?.state === 'running'"
    wait_until(lambda: zoe.page.evaluate(sounds), "the browser has no sound")


def test_there_is_no_sound_until_it_is_chosen(zoe: Person) -> None:
    """Then cards, coins, your turn and the end are heard; the menu remembers, and can switch it off again."""
    zoe.context.add_init_script(LISTEN)
    zoe.opens("kuhn")
    zoe.plays(zoe.by_mouse, Random(1))
    assert heard(zoe)["contexts"] == 0
    presses_the_bell(zoe)
    can_sound(zoe)
    zoe.page.get_by_role("button", name="Play again").click()
    zoe.page.locator("#r-end h2").wait_for(state="detached")
    zoe.plays(zoe.by_mouse, Random(2))
    sounds = heard(zoe)
    assert sounds["contexts"] == 1
    assert sounds["rustles"] >= 1
    assert sounds["notes"] >= 4, "at least the closing chord"
    presses_the_bell(zoe, on=False)
    presses_the_bell(zoe)
    presses_the_bell(zoe, on=False)
    assert heard(zoe)["contexts"] == 1, "it is loaded once"
    zoe.page.get_by_role("button", name="Play again").click()
    zoe.page.locator("#r-end h2").wait_for(state="detached")
    zoe.plays(zoe.by_mouse, Random(3))
    assert heard(zoe) == sounds, "switched off, it is silent at once"
    zoe.opens("kuhn")
    assert zoe.page.locator("script[src$='/sound.js']").count() == 0
    presses_the_bell(zoe)
    zoe.page.reload()
    assert zoe.page.locator("script[src$='/sound.js']").count() == 1
    expect(zoe.page.locator("button[name=sound]")).to_have_attribute("aria-pressed", "true")
    assert zoe.complaints == []


def test_a_bell_that_cannot_be_remembered_says_so(zoe: Person) -> None:
    zoe.opens("kuhn")
    zoe.page.route("**/sound", lambda route: route.abort())
    zoe.page.get_by_role("button", name="Sound").click()
    expect(zoe.page.locator("#answer")).to_have_text("Can't reach the server.")
    expect(zoe.page.locator("button[name=sound]")).to_have_attribute("aria-pressed", "false")


def test_a_browser_without_sound_plays_on(zoe: Person) -> None:
    zoe.context.add_init_script(BROKEN)
    zoe.context.request.post("/sound", form={"sound": "on"})
    zoe.ends("kuhn")
    assert zoe.page.locator("#r-end .results li").count() == 2
    assert zoe.complaints == []


def test_the_steps_of_a_replay_are_heard_too(zoe: Person) -> None:
    zoe.context.add_init_script(LISTEN)
    zoe.context.request.post("/sound", form={"sound": "on"})
    record: Any = {"name": "a.parlour", "mimeType": "text/plain", "buffer": finished("leduc").encode()}
    zoe.page.goto(zoe.context.request.post("/replay", multipart={"record": record}).url)
    zoe.page.keyboard.press("x")
    can_sound(zoe)
    for _ in range(3):
        before = zoe.page.url
        zoe.page.keyboard.press("ArrowRight")
        wait_until(lambda before=before: zoe.page.evaluate("location.href") != before)  # type: ignore[misc]
    wait_until(lambda: heard(zoe)["rustles"] + heard(zoe)["notes"], "nothing was heard")
    assert zoe.complaints == []
