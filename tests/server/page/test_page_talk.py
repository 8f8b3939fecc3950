"""What changes without reloading the page, where there is a script: the guide of a first game, and the chat."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from playwright.sync_api import expect

from tests.page_helpers import Person


def is_guided(zoe: Person) -> None:
    """Sit down at a table with a guide, with bots that do not think and the reader's own turn first."""
    quick: dict[str, Any] = {"guide": "yes", "name": "Zoé", "pace": "0", "bots": "random", "option-first_dealer": "0"}
    zoe.page.goto(zoe.context.request.post("/play/diamonds", form=quick).url)
    zoe.waits()


def reads_until_asked(zoe: Person) -> None:
    """Read on while the bots wait for it, until there is something to do, or the end."""
    there = zoe.page.locator("#r-strip .now.mine, #r-end h2")
    idea = zoe.page.locator("#next-idea")
    there.or_(idea).first.wait_for()
    while not there.count():
        if idea.count():
            idea.press("Enter")
        there.or_(idea).first.wait_for()


def test_the_next_idea_comes_without_loading_the_page_anew(zoe: Person) -> None:
    """And what has been explained is not explained again when the game goes on, nor on a page that is loaded later."""
    is_guided(zoe)
    zoe.page.evaluate("window.mark = 1")
    expect(zoe.page.locator(".idea .clause")).to_be_visible()
    seen: list[str] = []
    for _ in range(4):
        clause = zoe.page.locator(".idea .clause")
        if not clause.count():
            break
        seen.append(clause.inner_text())
        zoe.page.locator("#next-idea").press("Enter")
        expect(zoe.page.locator(".idea .clause", has_text=seen[-1])).to_have_count(0)
        assert zoe.focused() != "body"
    assert len(seen) >= 2
    assert len(set(seen)) == len(seen)
    zoe.plays(zoe.by_mouse, Random(1), most=1)
    reads_until_asked(zoe)
    assert zoe.page.locator(".idea .clause", has_text=seen[0]).count() == 0
    assert zoe.page.evaluate("window.mark") == 1
    zoe.page.reload()
    assert zoe.page.locator(".idea .clause", has_text=seen[0]).count() == 0
    assert zoe.complaints == []


def test_the_guide_is_stopped_without_loading_the_page_anew(zoe: Person) -> None:
    is_guided(zoe)
    zoe.page.evaluate("window.mark = 1")
    zoe.page.get_by_role("button", name="Stop the guide").click()
    expect(zoe.page.locator(".idea")).to_have_count(0)
    assert zoe.page.evaluate("window.mark") == 1
    zoe.page.reload()
    assert zoe.page.locator(".idea").count() == 0


def test_one_mutes_others_and_hears_them_again(zoe: Person, abe: Person) -> None:
    """You cannot mute yourself; and what was said is still there on a page that is reloaded."""
    code = zoe.begins("leduc")
    abe.sits_at(code)
    for who, text in ((abe, "One"), (zoe, "Two")):
        who.remarks(text)
        for one in (zoe, abe):
            expect(one.page.locator(".remarks")).to_contain_text(text)
        expect(who.page.locator("#remark")).to_have_value("")
    zoe.page.reload()
    zoe.turns_to("people")
    expect(zoe.page.locator(".remarks li:not(.notice)")).to_have_count(2)
    zoe.page.get_by_role("button", name="Mute").click()
    expect(zoe.page.locator(".remarks li:not(.notice)")).to_have_count(1)
    assert zoe.page.get_by_role("button", name=re.compile("^Mute")).count() == 0, "what is left one has said oneself"
    abe.remarks("Three")
    expect(abe.page.locator(".remarks")).to_contain_text("Three")
    zoe.page.get_by_role("button", name="Unmute Abe").click()
    expect(zoe.page.locator(".remarks li:not(.notice)")).to_have_count(3)
    assert zoe.complaints == abe.complaints == []
