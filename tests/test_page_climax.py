"""What a deal comes to is seen: the cards stay, the winner is lit, a sentence says why; then the table goes on."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from random import Random

import pytest
from playwright.sync_api import Browser, Route, expect

import parlour
from helpers import the_rest_long
from page_helpers import Person, somebody
from parlour.engine.definition import definition, shelf
from parlour.game import State
from parlour.page.replays import EVERY_CARD, Replay
from parlour.page.scene import Scene
from parlour.room import wire
from parlour.room.known import Public, SeatKnowledge
from room_helpers import Clock, Server
from waiting import LIMIT, wait_until

pytestmark = pytest.mark.xdist_group("page")
MATCHES = [name for name in shelf() if definition(name).has_deals and name != "diamonds"]


@cache
def before_the_end(game: str) -> tuple[str, str]:
    """The record of a match in which seat 0 has the last choice of a deal, and what ends it; another deal follows."""
    for seed in range(40):
        state, random = parlour.load(game).new(seed=seed), Random(seed)
        while not state.is_terminal and not state.deals:
            seat = random.choice(state.acting)
            action = random.choice(state.legal_actions(seat))
            after = state.clone()
            after.apply(action, seat)
            if after.deals and not after.is_terminal and list(state.acting) == [0] and not state.hushed:
                return state.record(), state.game.action_names[action]
            state = after
    raise AssertionError(game)


def settles(zoe: Person, game: str = "diamondback") -> None:
    """Press what ends the deal."""
    zoe.waits()
    zoe.by_mouse(zoe.page.locator(f'#play button.legal[value="{before_the_end(game)[1]}"]').first)
    zoe.page.locator("#go-on-deal").wait_for()


@pytest.mark.parametrize("game", the_rest_long(["diamondback", "commit", "hearts"], ["diamondback"]))
def test_the_end_of_a_deal_is_looked_at_before_the_next_begins(browser: Browser, house: Server, game: str) -> None:
    zoe = somebody(browser, house)
    code = zoe.opens(game, record=before_the_end(game)[0])
    settles(zoe, game)
    table = house.tables.live[code].table
    assert table.state is not None
    paper = zoe.page.locator("#r-held .paper")
    expect(paper).to_be_in_viewport(ratio=1)
    expect(paper).to_contain_text("is over")
    assert paper.locator(".why").all_inner_texts()
    gains = paper.locator(".gains .number").all_inner_texts()
    brought = [int(float(one)) for one in table.state.deals[-1].returns]
    if game != "hearts":  # which counts points taken, where the engine counts how far they lie below the average
        assert [abs(int(one.replace("−", "-"))) for one in gains] == list(map(abs, brought))
    if any(brought):
        assert zoe.page.locator("#r-board .plate.lit").count()
    assert zoe.page.locator("#r-strip .now.mine").count() == 0
    shown = table.state.settled(len(table.state.deals) - 1)
    assert table.known.view(0) == shown.view(0), "what is seen is the deal that is over"
    assert zoe.page.locator("#r-story li").first.inner_text()
    zoe.goes_on()
    expect(zoe.page.locator("#r-held")).to_be_empty()
    assert table.gone_over == len(table.state.deals)
    assert zoe.complaints == []


def test_who_goes_on_as_the_table_does_by_itself_has_made_no_mistake(browser: Browser, house: Server) -> None:
    with Person(browser, house) as zoe:
        zoe.opens("diamondback", record=before_the_end("diamondback")[0])
        settles(zoe)
        pressed: list[Route] = []
        zoe.page.route("**/do", lambda route: pressed.append(route))  # noqa: PLW0108 (a built-in takes no mark)
        zoe.page.locator("#go-on-deal").click()
        wait_until(lambda: zoe.page.wait_for_timeout(10) or pressed)
        on_its_way = pressed[0]
        again = zoe.context.request.post(on_its_way.request.url, form={"do": "again"}, headers={"X-Parlour": "1"})
        assert again.status == 204, again.text()
        expect(zoe.page.locator("#go-on-deal")).to_have_count(0)
        with zoe.page.expect_response("**/do") as refused:
            on_its_way.continue_()
        assert "not over" in refused.value.text()
        zoe.page.evaluate("new Promise((seen) => setTimeout(seen, 50))")
        expect(zoe.page.locator("#answer")).to_be_empty()
        assert zoe.complaints == []


def test_what_was_refused_is_forgotten_when_the_table_goes_on(browser: Browser, house: Server) -> None:
    """The same, but the refusal comes before the page sees that the deal is looked at no longer."""
    with Person(browser, house) as zoe:
        code = zoe.opens("diamondback", record=before_the_end("diamondback")[0])
        settles(zoe)
        refusal = {"sentence": "The match is not over.", "clause": ""}
        zoe.page.route("**/do", lambda route: route.fulfill(status=409, json=refusal))
        zoe.page.locator("#go-on-deal").click()
        expect(zoe.page.locator("#answer")).to_have_text(refusal["sentence"])
        zoe.context.request.post(f"/t/{code}/do", form={"do": "again"}, headers={"X-Parlour": "1"})
        expect(zoe.page.locator("#go-on-deal")).to_have_count(0)
        expect(zoe.page.locator("#answer")).to_be_empty()


def test_with_bots_only_the_page_goes_on_by_itself_after_four_seconds(browser: Browser, house: Server) -> None:
    with Person(browser, house) as zoe:
        zoe.page.clock.install()
        zoe.opens("diamondback", record=before_the_end("diamondback")[0])
        settles(zoe)
        zoe.page.clock.run_for(3_500)
        expect(zoe.page.locator("#r-held .paper")).to_be_visible()
        zoe.page.clock.run_for(1_000)
        expect(zoe.page.locator("#r-held")).to_be_empty()


def test_several_guests_go_on_when_all_have_pressed(browser: Browser, house: Server) -> None:
    with Person(browser, house) as zoe, Person(browser, house) as abe:
        code = zoe.opens("diamondback", record=before_the_end("diamondback")[0])
        abe.sits_at(code)
        wait_until(lambda: abe.page.evaluate("socket.readyState") == 1)
        settles(zoe)
        expect(abe.page.locator("#go-on-deal")).to_have_text("Next hand")
        zoe.goes_on()
        expect(zoe.page.locator("#go-on-deal")).to_have_text(re.compile(r"Waiting for \W*Abe"))
        expect(abe.page.locator("#go-on-deal")).to_have_text("Next hand")
        abe.goes_on()
        for one in (zoe, abe):
            expect(one.page.locator("#r-held")).to_be_empty()


def test_nobody_is_waited_for_longer_than_the_tables_patience(browser: Browser, house: Server, clock: Clock) -> None:
    with Person(browser, house) as zoe, Person(browser, house) as abe:
        code = zoe.opens("diamondback", record=before_the_end("diamondback")[0], patience=20)
        abe.sits_at(code)
        wait_until(lambda: abe.page.evaluate("socket.readyState") == 1)
        settles(zoe)
        zoe.goes_on()
        expect(zoe.page.locator("#go-on-deal")).to_have_text(re.compile(r"Waiting for \W*Abe"))
        clock.advance(house, code, 19)
        expect(abe.page.locator("#go-on-deal")).to_have_text("Next hand")
        clock.advance(house, code, 2)
        expect(zoe.page.locator("#r-held")).to_be_empty()


def test_programs_are_not_held_up(house: Server) -> None:
    """Where nobody has a page there is nobody to look at what a deal has come to."""
    made = house.make("diamondback", record=before_the_end("diamondback")[0])
    table, loop = house.tables.live[made["table"]], house.tables._loop
    assert loop is not None

    async def act() -> None:
        await table.do(table.table.seats[0].key, wire.Act(id="1", action=before_the_end("diamondback")[1]))

    asyncio.run_coroutine_threadsafe(act(), loop).result(LIMIT)
    assert table.table.state is not None
    assert len(table.table.state.deals) == 1
    assert not table.table.is_held


@pytest.mark.parametrize("game", MATCHES)
def test_the_end_of_each_deal_is_a_step_of_the_replay(game: str) -> None:
    """With the cards on the table that had just been shown; with all cards too."""
    state, random = parlour.load(game).new(seed=5), Random(game)
    while not state.is_terminal and len(state.deals) < 2:
        seat = random.choice(state.acting)
        state.apply(random.choice(state.legal_actions(seat)), seat)
    there = Replay(state.record())
    for word in ("0", "all", EVERY_CARD):
        stops = there.stops(word)
        for stop, deal in there.ends.items():
            assert stop in stops
            seen: State = there.at(stop)
            assert len(seen.deals) == deal + 1
            assert there.telling(seen, there.seat(word)).held == list(seen.deals[-1].returns)
            assert seen.event_count == state.deals[deal].events


def seen_at_a_table(state: State, deal: int, seat: int) -> wire.Telling:
    """What a seat is told at a table while everybody looks at a deal."""
    known, held = SeatKnowledge(state.game), state.settled(deal)
    for earlier in range(deal + 1):
        known.see(state.settled(earlier), False)
    players = [wire.SeatHolder(name, "", True, False) for name in state.player_names]
    known.note(held, Public(1, players, [], False, False, [], [], 0, (), "", "", held.deals[-1].returns), [])
    return known.telling(seat, items=True)


@pytest.mark.parametrize("game", MATCHES)
def test_the_reason_given_for_the_end_of_a_deal_is_of_that_deal(game: str) -> None:
    """In a whole match, at a table and in its replay, for a player and for a spectator."""
    state, random = parlour.load(game).new(seed=4), Random(game)
    while not state.is_terminal and len(state.deals) < 12:
        seat = random.choice(state.acting)
        state.apply(random.choice(state.legal_actions(seat)), seat)
    there = Replay(state.record())
    for seat in (0, -1):
        for stop, deal in there.ends.items():
            own = [(one.event, one.who, one.a, one.b) for one in state.events_by_deal(seat)[deal]]
            before = sum(map(len, state.events_by_deal(seat)[:deal]))
            for telling in (there.telling(there.at(stop), seat), seen_at_a_table(state, deal, seat)):
                assert [(one.event, one.who, one.a, one.b) for one in telling.new[telling.since :]] == own
                scene = Scene(there.about, telling, telling.new, "", still=True)
                sentences = [scene.sentence(one) for one in telling.new[before:]]
                assert scene.why
                assert set(scene.why) <= {*sentences}
