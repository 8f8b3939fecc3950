"""What happens is shown one event after another, each as the table was then."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

import parlour
from helpers import the_rest_long
from page_helpers import Person, somebody
from parlour.engine.definition import shelf
from parlour.page.reader import board_of, scene_at
from parlour.room import log, moves, wire
from parlour.room.known import MOMENTS
from parlour.room.seats import WATCHER
from parlour.room.table import Change, Table
from parlour.vocabulary import EVERYBODY
from room_helpers import Server
from waiting import wait_until
from worlds import opened

pytestmark = pytest.mark.xdist_group("page")
MOVING: Final = {"reduced_motion": "no-preference"}
WATCHED: Final = """(() => {
  window.beats = [];
  document.addEventListener("parlour:beat", (event) => {
    const keys = [...document.querySelectorAll("#r-board [data-key]")].map((one) => one.dataset.key);
    window.beats.push({ say: event.detail.say, cards: event.detail.cards, keys, at: performance.now(),
      behind: lastShown, lit: document.querySelectorAll("#r-board .acting").length });
  });
})()"""
SECRET: Final = bytes(32)


@cache
def many_events(game: str, most: int = 400) -> tuple[str, str, int]:
    """A record in which seat 0 has to choose, the choice by which most is told to all, and how much that is."""
    found = "", "", 0
    state, random = parlour.load(game).new(seed=4), Random(3)
    while not state.is_terminal and len(state.history) < most and not state.deals:
        for seat in state.acting:
            for a in state.legal_actions(seat) if [seat] == [0] == list(state.acting) and not state.hushed else []:
                after = state.clone()
                after.apply(a, seat)
                told = sum(event[2] in (EVERYBODY, 0) for event in after.heard(state.event_count))
                if told > found[2] and not after.deals and not after.is_terminal:
                    found = state.record(), state.game.action_names[a], told
        seat = random.choice(state.acting)
        state.apply(random.choice(state.legal_actions(seat)), seat)
    assert found[2] > 3, game
    return found


@cache
def shown_one_by_one(browser: Browser, house: Server, game: str) -> tuple[list[dict[str, Any]], list[str]]:
    """What is shown, event by event, when somebody does what makes much happen; and the sentences of the story that are
    new then."""
    with Person(browser, house, **MOVING) as zoe:
        beats = presses(zoe, game)
        told = zoe.page.evaluate(
            """[...document.querySelectorAll("#r-story li")].map((one) => one.firstChild.textContent.trim())"""
        )
        assert zoe.complaints == []
    return beats, list(reversed(told))[-len(beats) :]


def presses(zoe: Person, game: str) -> list[dict[str, Any]]:
    """Do what makes much happen, and see all of it; what was shown, event by event.

    The page goes by a clock of its own, so that nothing is left out because the machine is busy.
    """
    record, action, _ = many_events(game)
    zoe.page.clock.install()
    zoe.page.add_init_script(WATCHED)
    zoe.opens(game, record=record, pace=60)
    zoe.waits()
    zoe.page.clock.pause_at(zoe.page.evaluate("Date.now() + 1000"))
    zoe.page.evaluate("window.beats = []")
    zoe.by_mouse(zoe.page.locator(f'#play button.legal[value="{action}"]').first)
    wait_until(lambda: zoe.page.evaluate("playing"))
    while zoe.page.evaluate("playing"):
        zoe.page.clock.run_for(100)
    beats: list[dict[str, Any]] = zoe.page.evaluate("window.beats")
    return beats


FRAME: Final = 17
"""Milliseconds for which a sentence is shown at least: a picture of the screen."""


@pytest.mark.parametrize("game", the_rest_long(["diamonds", "pope_joan", "newmarket"], ["diamonds"]))
def test_each_event_is_shown_by_itself_in_order_and_soon(browser: Browser, house: Server, game: str) -> None:
    beats, news = shown_one_by_one(browser, house, game)
    assert [one["say"] for one in beats] == news
    assert len(beats) >= 4
    gaps = [later["at"] - earlier["at"] for earlier, later in pairwise(beats)]
    assert min(gaps) >= FRAME, "one after another"
    assert max(one["behind"] for one in beats) <= 3_000


def test_a_card_that_is_turned_lies_where_it_is_turned_before_it_goes(browser: Browser, house: Server) -> None:
    """In one dig cards come up and are taken or broken that lie on no pile when it is over."""
    beats, _ = shown_one_by_one(browser, house, "diamonds")
    turned = [one for one in beats if "turn up" in one["say"] and one["cards"]]
    assert turned
    for one in turned:
        assert one["cards"][0] in one["keys"]


def test_a_press_ends_what_is_shown_and_a_second_one_is_meant(browser: Browser, house: Server) -> None:
    record, action, told = many_events("pope_joan")
    with Person(browser, house, **MOVING) as zoe:
        zoe.page.add_init_script(WATCHED)
        zoe.opens("pope_joan", record=record, pace=60)
        zoe.waits()
        zoe.by_mouse(zoe.page.locator(f'#play button.legal[value="{action}"]').first)
        wait_until(lambda: zoe.page.evaluate("playing"))
        expect(zoe.page.locator("#now-told")).not_to_be_empty()
        zoe.page.keyboard.press("Escape")
        wait_until(lambda: not zoe.page.evaluate("playing"))
        assert zoe.page.evaluate("window.beats.length") < told
        shown = zoe.page.locator("#r-board").inner_html()
        zoe.page.reload()
        zoe.page.wait_for_load_state("load")
        assert zoe.page.evaluate("document.querySelectorAll('#r-board [data-key]').length") == shown.count("data-key")


SHOWN: Final = """([tellings, costs]) => {
  const all = tellings.flatMap(([came, events]) => [
    ...events.map((board) => ({ beat: { board }, came })), { regions: { board: "all" }, came },
  ]);
  const lengths = [], behind = [];
  let now = 0, drawn = 0;
  while (all.length) {
    now = Math.max(now, all[0].came);
    const waiting = all.filter((one) => one.came <= now);
    const one = all.shift(), { draws, moves, says } = plan(waiting, now, costs);
    const draw = !one.beat || (one.beat.board && draws);
    const length = draw ? moves(MS[one.beat?.board] ?? MS.card) : says;
    now += draw ? costs.draw : costs.say;
    if (one.beat) { lengths.push(length); drawn += Boolean(draw); } else behind.push(now - one.came);
    if (one.beat || waiting.length > 1) now += length;
  }
  return [lengths, behind, drawn];
}"""
"""How long each event of some tellings is shown, how far behind each telling is, and how many events move something, on
a machine that takes so long to draw and to say one; no clock runs.  An event is the kind of what it moves, or none."""
QUICK: Final = {"draw": 8, "say": 1}


def test_few_events_take_their_time(browser: Browser, house: Server) -> None:
    zoe = watching(browser, house)
    lengths, _, _ = zoe.page.evaluate(SHOWN, [[[0, ["card", "", "coins", "", ""]]], QUICK])
    assert lengths == [520, 350, 650, 350, 350]


def test_words_give_way_to_what_moves(browser: Browser, house: Server) -> None:
    zoe = watching(browser, house)
    lengths, [behind], _ = zoe.page.evaluate(SHOWN, [[[0, ["" if n % 8 else "card" for n in range(34)]]], QUICK])
    assert 2500 < behind <= 3000
    assert min(lengths[::8]) > 3 * max(lengths[n] for n in range(34) if n % 8)
    assert min(lengths[::8]) >= 349, "too short to be followed"


@pytest.mark.parametrize("draw", [8, 60, 250])
def test_each_event_is_shown_and_the_last_within_three_seconds(browser: Browser, house: Server, draw: int) -> None:
    """Even if there are many, if more comes in between, and if the machine draws slowly."""
    zoe, random = watching(browser, house), Random(draw)
    for _ in range(60):
        came, tellings = 0, []
        for _ in range(random.randint(1, 3)):
            most = random.choice([3, 20, 90])
            tellings.append([came, random.choices(["", "", "card", "coins"], k=random.randint(0, most))])
            came += random.randint(1_000, 4_000)
        lengths, behind, drawn = zoe.page.evaluate(SHOWN, [tellings, {"draw": draw, "say": 2}])
        assert max(behind) <= 3_000, tellings
        assert all(length >= 16 for length in lengths), "a frame at least"
        moving = sum(bool(event) for _, events in tellings for event in events)
        assert drawn == moving or draw > 8, "and nothing that moves is left out"


def test_on_a_machine_that_cannot_show_it_all_the_rest_comes_at_once(browser: Browser, house: Server) -> None:
    zoe = watching(browser, house)
    lengths, [behind], drawn = zoe.page.evaluate(SHOWN, [[[0, ["card"] * 90]], {"draw": 300, "say": 60}])
    assert len(lengths) == 90
    assert drawn == 0
    assert behind <= 90 * 60 + 300


def watching(browser: Browser, house: Server) -> Person:
    """Somebody at a table."""
    zoe = somebody(browser, house)
    zoe.opens("kuhn")
    return zoe


def test_a_deal_that_goes_on_by_itself_does_not_end_what_is_shown(browser: Browser, house: Server) -> None:
    """Somebody has pressed already, and the next deal is being shown when the four seconds are over."""
    with Person(browser, house) as zoe:
        zoe.opens("kuhn")
        zoe.waits()
        pressed = zoe.page.evaluate(
            """async () => {
              const pressed = [];
              addEventListener("click", (event) => pressed.push(event.target.id), true);
              for (const showing of [true, false]) {
                document.getElementById("r-held").innerHTML = '<button id="go-on-deal" data-after="1">Next</button>';
                playing = showing;
                holdOrGoOn();
                await new Promise((done) => setTimeout(done, 60));
                pressed.push(showing);
              }
              return pressed;
            }"""
        )
        assert pressed == [True, "go-on-deal", False]


@pytest.mark.parametrize("speed", the_rest_long(["slow", "quick", "off"], ["off"]))
def test_the_speed_is_kept(browser: Browser, house: Server, speed: str) -> None:
    record, action, _ = many_events("diamonds")
    with Person(browser, house, **MOVING) as zoe:
        zoe.page.add_init_script(WATCHED)
        zoe.opens("diamonds", record=record, pace=60)
        zoe.page.locator(".looks summary").click()
        zoe.goes_by(zoe.page.locator(f'button[name=speed][value="{speed}"]'))
        assert zoe.page.locator(f'button[name=speed][value="{speed}"]').get_attribute("aria-pressed") == "true"
        zoe.waits()
        before = zoe.moment()
        zoe.by_mouse(zoe.page.locator(f'#play button.legal[value="{action}"]').first)
        zoe.sees_a_change(before)
        assert zoe.page.evaluate("window.beats.length > 0 || playing") == (speed != "off")


def test_who_wants_no_motion_is_sent_none(browser: Browser, house: Server) -> None:
    with Person(browser, house) as zoe:
        sent = list[str]()
        zoe.page.on("websocket", lambda line: line.on("framereceived", lambda text: sent.append(str(text))))
        record, action, _ = many_events("diamonds")
        zoe.opens("diamonds", record=record, pace=60)
        zoe.waits()
        before = zoe.moment()
        zoe.by_mouse(zoe.page.locator(f'#play button.legal[value="{action}"]').first)
        zoe.sees_a_change(before)
        assert sent
        assert not any('"beats":[{' in text for text in sent)


LONG: Final = ("diabolo", "newmarket", "pope_joan")
"""Of these there is much to tell; in every run there is Commit, which is drawn by what games of stops share."""


@pytest.mark.parametrize("game", the_rest_long(shelf(), [game for game in shelf() if game not in LONG]))
def test_moments_of_every_game_can_be_told_and_drawn(game: str) -> None:
    """By the game's own telling and its own board; and with each event there is one moment more."""
    table, random = Table(opened(parlour.load(game))), Random(game)
    seen = drawn = kept = told = 0
    for entry in (log.Sat(0, "Zoé", "zoe"),):
        table.commit(Change(entry))
    table.commit(moves.commit_to(table, SECRET))
    for _ in range(120):
        if table.is_over:
            break
        heard = {seat: table.known.heard(seat) for seat in (0, WATCHER)}
        if table.is_held:
            table.commit(Change(log.WentOn()))
        elif table.waits_for_chance or not table.has_begun:
            table.commit(moves.go_on(table, SECRET, {}, True))
        else:
            seat = random.choice(table.asked)
            name = table.game.action_names[random.choice(table.known.question(seat)[1])]
            table.commit(moves.act(table, seat, name, SECRET, False, True))
        for seat, known in heard.items():
            telling = table.known.telling(seat, known, True, True)
            assert len(telling.moments) == min(MOMENTS, max(0, len(telling.new) - 1))
            whole = table.known.telling(seat, 0)
            for moment in telling.moments:
                seen += 1
                then = scene_at(scene_of(table, telling), moment.items, whole.new[: moment.heard])
                drawn += board_of(then) is not None
        state = table.state
        assert state is not None
        for n in state.kept._moments or {}:
            kept, told = kept + 1, told + (state.kept.before(state.game, n, 0) is not None)
    assert seen > 3 or game == "kuhn"
    # a game owes nobody a view in the middle of a step: where it has none, the one before it stays
    assert drawn >= 0.97 * seen
    assert told >= 0.97 * kept


def scene_of(table: Table, telling: wire.Telling) -> Any:
    """What a page shows of a telling."""
    from parlour.page.scene import Scene

    terms = table.opened
    about = wire.About(
        table="", code="CODE", game=terms.game, players=terms.players, options=terms.options, reveal=True, pace=0.0,
        beat=0.0, patience=0.0,
    )  # fmt: skip
    return Scene(about, telling, telling.new, "")
