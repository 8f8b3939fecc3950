"""The end of a match, over the table and whole at every size: who won, places, gains, the score sheet and its chart."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from helpers import the_rest_long
from page_helpers import Person, last_choice, somebody
from parlour.engine.definition import definition, shelf
from room_helpers import Server
from test_looking_back import HELD_THE_KING, look_here

pytestmark = pytest.mark.xdist_group("page")
SIZES = ((390, 844), (844, 390), (360, 740), (1920, 1080), (1280, 800))


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["pope_joan"]))
def test_the_end_is_on_the_first_screen_at_every_size(browser: Browser, house: Server, game: str) -> None:
    """And no number of the engine is shown there."""
    zoe = somebody(browser, house)
    code = zoe.ends(game)
    table = house.tables.live[code].table
    assert table.state is not None
    for width, height in SIZES:
        zoe.page.set_viewport_size({"width": width, "height": height})
        for part in ("#r-end h2", "#again", "#r-end .results .won", "#r-end a[href$=replay]"):
            expect(zoe.page.locator(part).first).to_be_in_viewport(ratio=0.9)
    returns = table.state.returns()
    best = [seat for seat, gained in enumerate(returns) if gained == max(returns)]
    winner = "You" if 0 in best else table.known.players[best[0]].name
    verdict = "Nobody is ahead" if len(best) == len(returns) else winner
    assert verdict in zoe.page.locator("#r-end h2").inner_text().replace("\u2068", "").replace("\u2069", "")
    text = zoe.page.locator("#r-end").inner_text()
    assert "score" not in text
    assert not re.search(r"\d\.\d", text)
    assert zoe.complaints == []


@pytest.mark.parametrize("game", the_rest_long(["pope_joan", "diamondback"], ["diamondback"]))
def test_the_sheet_has_what_everybody_had_after_each_deal(browser: Browser, house: Server, game: str) -> None:
    zoe = somebody(browser, house)
    code = zoe.ends(game)
    state = house.tables.live[code].table.state
    assert state is not None
    rows = [row.inner_text().split() for row in zoe.page.locator("#r-end .totals tbody tr").all()]
    account = str(definition(game).words["game"]["account"])
    last = state.observation()[account]
    assert sorted(int(row[-1].replace("−", "-")) for row in rows) == sorted(last)
    assert all(len(row) == 1 + len(state.deals) for row in rows)
    follows = any(
        one.event == "run_off" for one in state.events()
    )  # a run-off is not one of the deals, and is not called so
    heads, of = zoe.page.locator("#r-end .totals thead th").all_inner_texts(), len(state.deals) - follows
    assert heads == [
        state.game.definition.words["game"].get("deal", "deal"),
        *map(str, range(1, of + 1)),
        *["run-off"] * follows,
    ]
    assert zoe.page.locator("#r-end .of").inner_text().endswith(f"{of} {heads[0]}s" + " and a run-off" * follows)
    assert zoe.page.locator("#r-end .chart polyline").count() == len(last)
    gains = [one.replace("−", "-") for one in zoe.page.locator("#r-end .results .number").all_inner_texts()]
    assert sum(map(int, gains)) == sum(last) - sum(state.game.new().observation()[account])


def test_the_paper_folds_away_and_the_result_can_be_shared(browser: Browser, house: Server) -> None:
    with Person(browser, house) as zoe:
        zoe.page.add_init_script("navigator.share = async (what) => { window.shared = what; }")
        zoe.ends("diamondback")
        zoe.page.locator("#share").click()
        shared = zoe.page.evaluate("window.shared")
        assert re.search(r"wins?: Diamondback$", shared["text"])
        assert "/t/" in shared["url"]
        zoe.page.locator(".ending > summary").click()
        expect(zoe.page.locator("#again")).to_be_hidden()
        expect(zoe.page.locator("#r-board > .stage")).to_be_in_viewport()


def test_whoever_wants_another_match_is_told_who_is_awaited_and_the_others_are_told_who_waits(
    browser: Browser, house: Server
) -> None:
    record, action = last_choice("kuhn")
    with Person(browser, house) as zoe, Person(browser, house) as abe:
        abe.sits_at(zoe.opens("kuhn", record=record))
        zoe.by_mouse(zoe.page.locator(f'#play button.legal[value="{action}"]'))
        zoe.page.locator("#again").click()
        expect(zoe.page.locator("#again")).to_have_text(re.compile(r"Waiting for \W*Abe"))
        expect(abe.page.locator("#r-end .willing")).to_have_text(re.compile(r"Zoé\W* wants to play again"))
        expect(abe.page.locator("#say")).to_contain_text("wants to play again")
        abe.page.locator("#again").click()
        for one in (zoe, abe):
            expect(one.page.locator("#r-end h2")).to_have_count(0)


def test_who_did_what_search_would_have_done_is_praised(
    browser: Browser, house: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is told when it is found."""
    asked = look_here(monkeypatch)
    with Person(browser, house) as zoe:
        zoe.opens("kuhn", record=HELD_THE_KING)
        zoe.waits()
        zoe.by_mouse(zoe.page.locator('#play button.legal[value="bet"]').first)
        found = zoe.page.locator("#r-end .moments")
        expect(found).to_have_text("Your best choice: “bet”, which the search player prefers to “pass”.")
        expect(zoe.page.locator("#say")).to_contain_text("Your best choice")
        found.get_by_role("link").click()
        expect(zoe.page.locator(".steps")).to_contain_text("Step 4 of 5")
        assert asked[-1] == 1  # other tables of this server may have ended just now
        assert zoe.complaints == []
