"""The guide of a first game, where there is a script."""

from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import Browser, expect

from page_helpers import Person
from room_helpers import Server

pytestmark = pytest.mark.xdist_group("page")


def test_the_next_idea_comes_without_loading_the_page_anew(browser: Browser, house: Server) -> None:
    """And what has been explained is not explained again when the game goes on, nor on a page that is loaded later."""
    with Person(browser, house) as zoe:
        zoe.page.goto("/")
        zoe.page.locator("form[action='/play/diamonds'] button[name=guide]").click()
        zoe.page.wait_for_url("**/t/*")
        zoe.waits()
        zoe.page.evaluate("window.mark = 1")
        seen: list[str] = []
        for _ in range(10):
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
        zoe.waits()
        assert zoe.page.locator(".idea .clause", has_text=seen[0]).count() == 0
        assert zoe.page.evaluate("window.mark") == 1
        zoe.page.reload()
        assert zoe.page.locator(".idea .clause", has_text=seen[0]).count() == 0
        assert zoe.complaints == []


def test_the_guide_is_stopped_without_loading_the_page_anew(browser: Browser, house: Server) -> None:
    with Person(browser, house) as zoe:
        zoe.page.goto("/")
        zoe.page.locator("form[action='/play/diamonds'] button[name=guide]").click()
        zoe.page.wait_for_url("**/t/*")
        zoe.waits()
        zoe.page.evaluate("window.mark = 1")
        zoe.page.get_by_role("button", name="No more explaining").click()
        expect(zoe.page.locator(".idea")).to_have_count(0)
        assert zoe.page.evaluate("window.mark") == 1
        zoe.page.reload()
        assert zoe.page.locator(".idea").count() == 0
