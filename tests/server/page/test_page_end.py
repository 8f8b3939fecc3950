"""The end of a match, over the table and whole at every size: who won, places, gains, the score sheet and its chart."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from msgspec import structs
from playwright.sync_api import Browser, expect

import parlour
from parlour.base.disk import installed_text
from parlour.engine.definition import definition, shelf
from parlour.server.page.rendering import regions
from parlour.server.page.scene import Scene
from tests.games.test_boards import scene
from tests.helpers import the_rest_long, there
from tests.page_helpers import HELD_THE_KING, Person, last_choice, somebody
from tests.room_helpers import Server
from tests.waiting import wait_until

SIZES = ((390, 844), (844, 390), (360, 740), (1920, 1080), (1280, 800))


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["pope_joan"]))
def test_the_end_is_on_the_first_screen_at_every_size(browser: Browser, house: Server, game: str) -> None:
    """And no number of the engine is shown there."""
    zoe = somebody(browser, house)
    code = zoe.ends(game)
    table = house.tables.live[code].table
    for width, height in SIZES:
        zoe.page.set_viewport_size({"width": width, "height": height})
        for part in ("#r-end h2", "#again", "#r-end .results .won", "#r-end a[href$=replay]"):
            expect(zoe.page.locator(part).first).to_be_in_viewport(ratio=0.9)
    returns = table.playing.returns()
    best = [seat for seat, gained in enumerate(returns) if gained == max(returns)]
    winner = "You" if 0 in best else table.known.players[best[0]].name
    verdict = "Nobody is ahead" if len(best) == len(returns) else winner
    assert verdict in zoe.page.locator("#r-end h2").inner_text().replace("\u2068", "").replace("\u2069", "")
    text = zoe.page.locator("#r-end").inner_text()
    assert "score" not in text
    assert not re.search(r"\d\.\d", text)
    assert zoe.complaints == []


@pytest.mark.parametrize("game", the_rest_long(["pope_joan", "diamondback"], ["diamondback"]))
def test_the_sheet_has_what_everybody_had_after_each_deal(zoe: Person, abe: Person, house: Server, game: str) -> None:
    """The paper folds away, the result can be shared, and it keeps the names of those who played."""
    zoe.page.add_init_script("navigator.share = async (what) => { window.shared = what; }")
    code = zoe.ends(game)
    state = house.tables.live[code].table.playing
    rows = [row.inner_text().split() for row in zoe.page.locator("#r-end .totals tbody tr").all()]
    account = str(definition(game).words["game"]["account"])
    last = state.observation()[account]
    assert sorted(int(row[-1].replace("−", "-")) for row in rows) == sorted(last)
    assert all(len(row) == 1 + len(state.deals) for row in rows)
    zoe.page.evaluate("document.querySelectorAll('#r-end .totals th').forEach((one) => one.style.minWidth = '5rem')")
    for width, height in ((320, 740), (740, 360)):  # however many deals there were
        zoe.page.set_viewport_size({"width": width, "height": height})
        expect(zoe.page.locator("#r-end .totals td:last-child").first).to_be_in_viewport(ratio=0.9)
    follows = any(one.event == "run_off" for one in state.events())  # it is not one of the deals, nor called so
    heads, of = zoe.page.locator("#r-end .totals thead th").all_inner_texts(), len(state.deals) - follows
    called = state.game.definition.words["game"].get("deal", "deal")
    assert heads == [called, *map(str, range(1, of + 1)), *["run-off"] * follows]
    assert zoe.page.locator("#r-end .of").inner_text().endswith(f"{of} {heads[0]}s" + " and a run-off" * follows)
    assert zoe.page.locator("#r-end .chart polyline").count() == len(last)
    gains = [one.replace("−", "-") for one in zoe.page.locator("#r-end .results .number").all_inner_texts()]
    assert sum(map(int, gains)) == sum(last) - sum(state.game.new().observation()[account])
    zoe.page.locator("#share").click()
    wait_until(lambda: zoe.page.evaluate("window.shared"))  # what shares is loaded then
    shared = zoe.page.evaluate("window.shared")
    assert shared["text"].endswith(f": {definition(game).title}")
    assert "/t/" in shared["url"]
    zoe.page.locator(".ending > summary").click()
    expect(zoe.page.locator("#again")).to_be_hidden()
    expect(zoe.page.locator("#r-board .stage")).to_be_in_viewport()
    zoe.context.request.post(f"/t/{code}/do", form={"do": "leave"}, headers={"X-Parlour": "1"})
    for reader, called in ((zoe, "You"), (abe, "Zoé")):
        reader.page.goto(f"/t/{code}?watch=yes")
        for part in (".results .who", ".totals tbody th", ".chart text"):
            assert any(called in one for one in reader.page.locator(f"#r-end {part}").all_text_contents()), part


def test_whoever_wants_another_match_is_told_who_is_awaited_and_the_others_are_told_who_waits(
    zoe: Person, abe: Person
) -> None:
    record, action = last_choice("kuhn")
    abe.sits_at(zoe.opens("kuhn", record=record))
    zoe.by_mouse(zoe.page.locator(f'#play button.legal[value="{action}"]'))
    zoe.page.locator("#again").click()
    expect(zoe.page.locator("#again")).to_have_text(re.compile(r"Waiting for \W*Abe"))
    expect(abe.page.locator("#r-end .willing")).to_have_text(re.compile(r"Zoé\W* wants to play again"))
    expect(abe.page.locator("#say")).to_contain_text("wants to play again")
    abe.page.locator("#again").click()
    for one in (zoe, abe):
        expect(one.page.locator("#r-end h2")).to_have_count(0)


def test_the_sheet_leads_to_the_costliest_choices(zoe: Person, house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """But not to the replay of cards that others may still be dealt: then it says when it can be seen."""
    code = zoe.begins("kuhn", record=HELD_THE_KING)
    zoe.by_mouse(zoe.page.locator('#play button.legal[value="bet"]').first)
    link, table = zoe.page.locator("#r-end .moments").get_by_role("link"), house.tables.live[code].table
    link.wait_for()
    with monkeypatch.context() as patch:
        patch.setattr(table, "opened", structs.replace(table.opened, event="day/2026-11-23/kuhn"))
        zoe.page.reload()
        expect(zoe.page.locator("#r-end")).to_contain_text("when the day is over")
        expect(zoe.page.locator("#r-end a[href*=replay]")).to_have_count(0)
    zoe.page.reload()
    link.click()
    expect(zoe.page.locator("#review")).to_be_visible()
    assert zoe.complaints == []


def at_the_end(game: str, sheet: list[list[int]], returns: list[float]) -> Scene:
    """A match that is over, with what everybody had at the beginning and after each deal."""
    names = [f"Player {p}" for p in range(len(returns))]
    shown = scene(parlour.load(game, len(returns)).new(), 0, names)
    return replace(shown, telling=structs.replace(shown.telling, over=True, returns=returns, sheet=sheet))


def test_places_follow_what_is_shown_beside_them_and_equals_share_one() -> None:
    """Some games' results say only who has won; what the others have still separates them."""
    shared = at_the_end("pope_joan", [[0] * 4, [1, 5, 9, 3], [4, 4, 9, 7]], [0.0, 0.0, 3.0, 0.0])
    assert [(each.person.seat, each.place) for each in shared.ending.standing] == [(2, 1), (3, 2), (0, 3), (1, 3)]
    fewest = at_the_end("hearts", [[0] * 4, [26, 0, 0, 0], [101, 20, 10, 20]], [0.0, 0.0, 1.0, 0.0])
    assert [(each.person.seat, each.place) for each in fewest.ending.standing] == [(2, 1), (1, 2), (3, 2), (0, 4)]
    one_hand = at_the_end("diamondback", [[100] * 3, [140, 60, 100]], [40.0, -40.0, 0.0])
    assert [(each.has, each.gained, each.said) for each in one_hand.ending.standing] == [
        ("140 coins", "+40", ""), ("100 coins", "0", ""), ("60 coins", "−40", ""),
    ], "what everybody has is said after one deal too"  # fmt: skip


def test_the_lines_of_eight_players_can_be_told_apart() -> None:
    """By colour and dash together; each has its name beside its end, and no name lies on another."""
    sheet = [[0] * 8, *([deal * (p - 4) % 7 for p in range(8)] for deal in range(1, 6))]
    shown = at_the_end("pope_joan", sheet, [float(n) for n in sheet[-1]])
    chart = there(shown.ending.chart)
    heights = sorted(chart.labels)
    assert min(b - a for a, b in pairwise(heights)) >= 15
    html, styles = regions(shown, ["end"])["end"], installed_text("parlour.server.page", "static", "end.css")
    names = re.findall(r'<text class="line-(\d)"[^>]*>([^<]*)</text>', html)
    assert [int(number) for number, _name in names] == [*range(8)]
    assert len({name for _number, name in names}) == 8
    colour = {n: re.search(rf":is\([^)]*line-{n}\b[^)]*\) {{ --line: var\(--l(\d)\)", styles) for n in range(8)}
    dash = {n: re.search(rf"\.line-{n} {{ stroke-dasharray: ([\d ]+);", styles) for n in range(8)}
    looks = {(colour[n][1], dash[n][1] if dash[n] else "") for n in range(8)}  # type: ignore[index]
    assert len(looks) == 8
