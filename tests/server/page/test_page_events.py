"""What happens is shown one event after another, each as the table was then."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

import parlour
from parlour.base.languages import gettext, speaking
from parlour.core.game import State
from parlour.engine.definition import definition, shelf
from parlour.rules.vocabulary import EVERYBODY
from parlour.server.common import wire
from parlour.server.live import moves
from parlour.server.page.page_session import board_of, scene_at
from parlour.server.page.rendering import regions
from parlour.server.page.scene import Scene
from parlour.server.page.words import sentence_of, sentence_of_several
from parlour.server.table import log
from parlour.server.table.knowledge import MOMENTS
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change, Table
from tests.helpers import the_rest_long, there
from tests.page_helpers import OUT_OF_REACH, Person, under_way, where
from tests.room_helpers import Server
from tests.server.page.test_page_fits import WINDOWS
from tests.server.page.test_page_moments import STORY
from tests.waiting import wait_until
from tests.worlds import opened

MOVING: Final = {"reduced_motion": "no-preference"}
WATCHED: Final = """(() => {
  window.beats = [];
  document.addEventListener("parlour:beat", (event) => {
    const keys = [...document.querySelectorAll("#r-board [data-key]")].map((one) => one.dataset.key);
    const events = event.detail.events.map((one) => one.say);
    window.beats.push({ events, cards: event.detail.cards, keys, at: performance.now() });
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
                told = sum(event[2] in (EVERYBODY, 0) for event in after.ledger.told(None, len(state.ledger.events)))
                if told > found[2] and not after.deals and not after.is_terminal:
                    found = state.record(), state.game.action_names[a], told
        seat = random.choice(state.acting)
        state.apply(random.choice(state.legal_actions(seat)), seat)
    assert found[2] > 3, game
    return found


def says_what_it_shows(zoe: Person) -> list[int]:
    """How much the page says it has shown, time and again."""
    said = list[int]()

    def note(text: str | bytes) -> None:
        if '"shown"' in str(text):
            said.append(json.loads(text)["heard"])

    zoe.page.on("websocket", lambda line: line.on("framesent", note))
    return said


def test_what_happens_is_shown_beat_by_beat_in_order(browser: Browser, house: Server) -> None:
    """Nothing is left out, and each beat can be followed.  The page says what it has shown, and all of it when the last
    beat is looked at: bots need not wait for that.  It goes by a clock of its own."""
    record, action, _ = many_events("diamonds")
    with Person(browser, house, **MOVING) as zoe:
        said = says_what_it_shows(zoe)
        zoe.page.clock.install()
        zoe.page.add_init_script(WATCHED)
        zoe.begins("diamonds", record=record, pace=60)
        wait_until(lambda: zoe.moment() and said)
        zoe.page.clock.pause_at(zoe.page.evaluate("Date.now() + 1000"))
        zoe.page.evaluate("window.beats = []")
        zoe.does(action)
        wait_until(lambda: zoe.page.evaluate("playing"))
        while zoe.page.evaluate("queue.length"):
            assert said[-1] != zoe.page.evaluate("latest.heard")
            zoe.page.clock.run_for(100)
        wait_until(lambda: said[-1] == zoe.page.evaluate("latest.heard"))
        assert zoe.page.evaluate("playing")
        while zoe.page.evaluate("playing"):
            zoe.page.clock.run_for(1000)
        beats: list[dict[str, Any]] = zoe.page.evaluate("window.beats")
        news = zoe.page.evaluate(STORY)[::-1]
        assert zoe.complaints == []
    assert [say for one in beats for say in one["events"]] == news[-sum(len(one["events"]) for one in beats) :]
    gaps = [later["at"] - earlier["at"] for earlier, later in pairwise(beats)]
    assert gaps
    assert min(gaps) >= 400
    assert said == sorted(said)
    assert len({*said}) > 2
    turned = [one for one in beats if any("turn up" in say for say in one["events"]) and one["cards"]]
    assert turned
    for one in turned:  # where it is turned, before it goes: in one dig cards come that lie on no pile when it is over
        assert one["cards"][0] in one["keys"]


FLIES: Final = """(card) => {
  const tops = () => ["#r-board .rail", "#r-board .stage"].map((one) => document.querySelector(one))
    .map((one) => one.getBoundingClientRect().top);
  const before = tops(), air = card.cloneNode(true);
  air.className = "card air";
  document.body.append(air);
  const after = tops();
  air.remove();
  return [before, after];
}"""
"""Where the hand and the stage are before and while a card flies."""


def test_a_card_that_flies_is_a_picture_and_moves_nothing_else(browser: Browser, house: Server) -> None:
    """It took a place of its own on the page, so that hand and stage shrank below it.  The button or the choice that it
    is at its place can neither be seen, nor pressed, nor read aloud; and of cards that are alike only one flies."""
    with Person(browser, house, **MOVING) as zoe:
        for game in ("commit", "diabolo"):
            zoe.begins(game, record=under_way(game))
            before, after = zoe.page.locator("#r-board .card").first.evaluate(FLIES)
            assert before == after
            assert zoe.page.evaluate("""() => {
              fly(document.querySelector(".hand .card"), new DOMRect(0, 0, 40, 56), new DOMRect(90, 90, 40, 56), 9e4);
              const air = document.querySelector(".card.air");
              return air.inert && ![...air.querySelectorAll("input")].some((one) => one.checkVisibility());
            }"""), game
        flown, key = zoe.page.evaluate(ALIKE)
        assert flown == [key]


ALIKE: Final = """() => {
  const [row] = document.querySelectorAll("#r-board .side:has(.card)");
  const like = row.querySelector(".card").cloneNode(true), flown = [];
  row.prepend(like.cloneNode(true), like.cloneNode(true));
  const fly = window.fly;
  window.fly = (one) => flown.push(one.dataset.key);
  Object.assign(like.style, { position: "absolute", left: 0, top: 0 });
  move(() => row.closest(".band").append(like), [{ who: 0, kind: "card", cards: [like.dataset.key] }]);
  window.fly = fly;
  return [flown, like.dataset.key];
}"""
"""Three cards that are alike lie in a row, and one more comes: which cards fly then."""
WON: Final = """() => {
  const purse = document.querySelector("#r-board .seat .money .coins"), had = +purse.dataset.n;
  const pool = [...document.querySelectorAll("#r-board [data-mark] .coins")].find((one) => one.dataset.n > 2);
  const n = +pool.dataset.n, flights = [], throws = window.toss, at = (one) => one.getBoundingClientRect().left;
  const from = at(pool);
  window.toss = (a, b, coins) => flights.push([a.left === from, b.left === at(purse), coins]);
  move(() => {
    pool.outerHTML = '<span class="won-here">won</span>';
    purse.dataset.n = had + n;
    purse.firstChild.data = had + n;
  }, [{ who: 1, kind: "takes", cards: [] }]);
  window.toss = throws;
  window.purse = purse;
  window.inPurse = [+purse.textContent];
  new MutationObserver(() => inPurse.push(+purse.textContent)).observe(purse, { characterData: true, subtree: true });
  return [had, n, flights];
}"""
"""Somebody wins a pool, which has no coins then but a chip: what they had, what they have won, and which coins fly.
From then on all that stands in their purse is noted, one number after another."""


def test_coins_fly_from_a_pool_that_is_won_and_the_purse_counts_them(browser: Browser, house: Server) -> None:
    """Coin by coin; and a number on its way is whole before anything else happens."""
    with Person(browser, house, **MOVING) as zoe:
        zoe.page.clock.install()
        zoe.begins("pope_joan", record=under_way("pope_joan", 12))
        zoe.page.clock.pause_at(zoe.page.evaluate("Date.now() + 60000"))
        had, n, flights = zoe.page.evaluate(WON)
        assert flights == [[True, True, n]]
        zoe.page.clock.run_for(1_000)
        assert zoe.page.evaluate("inPurse") == [had + k for k in range(n + 1)], "coin by coin"
        for ends in ("skip()", "put({})"):
            zoe.page.reload()
            zoe.waits()
            had, n, _ = zoe.page.evaluate(WON)
            assert zoe.page.evaluate("+purse.textContent") == had
            zoe.page.evaluate(ends)
            assert zoe.page.evaluate("+purse.textContent") == had + n
            zoe.page.clock.run_for(2_000)
            assert zoe.page.evaluate("+purse.textContent") == had + n
        zoe.page.emulate_media(reduced_motion="reduce")
        zoe.page.reload()
        zoe.waits()
        had, n, flights = zoe.page.evaluate(WON)
        assert (zoe.page.evaluate("+purse.textContent"), flights) == (had + n, []), "nothing moves"


def test_a_press_ends_what_is_shown_and_a_second_one_is_meant(browser: Browser, house: Server) -> None:
    record, action, told = many_events("diamonds")
    with Person(browser, house, **MOVING) as zoe:
        zoe.page.add_init_script(WATCHED)
        zoe.begins("diamonds", record=record, pace=60)
        zoe.does(action)
        wait_until(lambda: zoe.page.evaluate("playing"))
        expect(zoe.page.locator("#now-told")).not_to_be_empty()
        zoe.page.keyboard.press("Escape")
        wait_until(lambda: not zoe.page.evaluate("playing"))
        assert zoe.page.evaluate("window.beats.length") < told
        there = "document.querySelectorAll('#r-board [data-key]').length"
        shown = zoe.page.evaluate(there)
        zoe.page.reload()
        wait_until(lambda: zoe.page.evaluate(there) == shown, "the board is another one")


SHOWN: Final = """([tellings, cost, alone]) => {
  const left = tellings.flatMap(([came, events]) => events.map((kind, n) => ({
    beat: { kind, say: "Ben plays.", name: "Ben", who: 1, cards: kind === "lead" ? ["c" + n] : [] }, came,
    regions: kind === "lead" ? { board: "all" } : {}, paced: alone, whole: n === events.length - 1,
  })));
  const found = [], behind = [];
  let now = 0;
  while (left.length) {
    now = Math.max(now, left[0].came);
    const groups = grouped(left.filter((one) => one.came <= now)), [group] = groups, how = plan(groups, now, cost);
    left.splice(0, group.length);
    const beats = beatsOf(group).filter((beat) => how.denials || !isNo(beat));
    const ends = group.filter((one) => one.whole);
    for (const one of ends) behind.push(now - one.came);
    if (!beats.length) continue;
    const moves = how.moves && group.some((one) => one.regions.board), long = moves ? timesOf(beats).end : 0;
    const length = lengthOf(beats, how, long);
    found.push({ kinds: beats.map((one) => one.kind), moves, length });
    now += cost + length;
  }
  return [found, behind];
}"""
"""The beats of some tellings on a machine that takes so long to draw one, and how far behind each telling ends; no
clock runs.  An event is its kind: a card is led, somebody does not have one, something is said."""
COST: Final = 8


def test_few_events_take_their_time(browser: Browser, house: Server) -> None:
    """Neighbouring events of one kind make one beat; and who does not have the card that was led, and what ends the
    row, belong to it.  The more forced cards, the closer they come; the table stays for 0.8 s after one of your own."""
    page = watching(browser, house).page

    def plan(events: list[str], alone: bool = False) -> tuple[list[list[str]], list[float], list[bool], float]:
        found, [behind] = page.evaluate(SHOWN, [[[0, events]], COST, alone])
        kinds, lengths, moves = ([one[what] for one in found] for what in ("kinds", "length", "moves"))
        return kinds, lengths, moves, behind

    assert [round(length) for length in plan(["lead", "pays", "deals"])[1]] == [620, 500, 500]
    events = ["pays", "pays", "pays", "lead", "no", "no", "run", "no", "none", "lead", "show", "show"]
    assert plan(events, alone=True)[0] == [events[:3], events[3:9], ["lead"], ["show"], ["show"]]
    assert plan(["lead"] * 90, alone=True)[1] == [620] * 90, "where nobody else plays nothing is shortened"
    assert plan(["lead"] * 90)[3] <= 3_000
    (few, *_), (many, *_) = (plan(["lead", *["run", "no", "no"] * n], alone=True)[1] for n in (1, 20))
    assert few < many <= 1_100
    kinds, lengths, moves, _ = plan(["lead", "no"] * 4)
    assert (sum("no" in one for one in kinds), all(moves)) == (4, True)
    assert lengths[0] < 780, "one catches up by shorter looks"
    kinds, _, moves, _ = plan(["lead", "no"] * 6)
    assert (kinds[:3], moves[0]) == ([["lead"]] * 3, True), "then without those who do not have a card"
    assert not any(plan(["lead", "pays"] * 10)[2][:6]), "then by sentences"
    at, mine, others = page.evaluate(
        """() => {
          const beats = [0, 1, 2, 3].map((n) => ({ kind: n ? "run" : "lead", say: "", who: 1, cards: ["c" + n] }));
          const long = timesOf(beats).end, others = held(beats, long);
          beats.at(-1).mine = true;
          return [timesOf(beats).at.at(-1), held(beats, long), others];
        }"""
    )
    assert mine == at + 800 > others


def test_where_others_play_each_telling_is_there_within_three_seconds(browser: Browser, house: Server) -> None:
    """Even if much happens, if more comes in between, and if the machine draws slowly."""
    asked = list[tuple[list[Any], int, bool]]()
    for cost in (8, 60, 250):
        random = Random(cost)
        for _ in range(60):
            came, tellings = 0, []
            for _ in range(random.randint(1, 3)):
                most = min(random.choice([3, 20, 90]), 2_000 // cost)
                tellings.append([came, random.choices(["pays", "no", "lead", "deals"], k=random.randint(1, most))])
                came += random.randint(1_000, 4_000)
            asked.append((tellings, cost, False))
    seen = watching(browser, house).page.evaluate(f"asked => asked.map({SHOWN})", asked)
    for (tellings, *_), (found, behind) in zip(asked, seen, strict=True):
        assert max(behind) <= 3_000, tellings
        assert all(one["length"] >= 16 for one in found), "a picture of the screen"


def test_who_does_not_have_a_card_is_told_in_one_sentence(browser: Browser, house: Server) -> None:
    names, ten = ("Zoé", "Ben", "Cora"), parlour.load("pope_joan").definition.rules.CARDS.index("Th")
    many = sentence_of_several("en", "pope_joan", names, "fails", ten, 0)
    who = [(1, "Ben"), (0, "you"), (2, "Cora")]
    no = [{"kind": "no", "who": p, "name": name, "many": many, "say": "", "mine": not p} for p, name in who]
    none = {"kind": "none", "say": sentence_of("en", "pope_joan", names, 0, "silent_stop", 1, ten, 0)}
    told = watching(browser, house).page.evaluate("many => many.map(saidOf)", [no, [*no, none]])
    assert told[0] == "Ben, Cora and you do not have the ten of hearts."
    assert told[1] == "Nobody has the ten of hearts: Ben leads again."
    with speaking("de"):
        assert sentence_of_several("de", "pope_joan", names, "fails", ten, 0) == "Ohne Herz-Zehn: {who}."


def test_a_button_skips_to_ones_own_turn(browser: Browser, house: Server) -> None:
    """The page says so once, and then nothing older: else bots would wait for what it has not shown."""
    record, action, _ = many_events("diamonds")
    with Person(browser, house, **MOVING) as zoe:
        said = says_what_it_shows(zoe)
        zoe.begins("diamonds", record=record, pace=0.01)
        expect(zoe.page.locator("#skip")).to_be_hidden()
        zoe.does(action)
        zoe.page.locator("#skip:not([hidden])").press("Enter")
        zoe.waits()  # what bots do until then is not shown
        expect(zoe.page.locator("#skip")).to_be_hidden()
        wait_until(lambda: not zoe.page.evaluate("hurries || playing || queue.length"))
        assert said == sorted(said)
        assert zoe.focused() != "body", "it went with the button"


@pytest.mark.parametrize("game", the_rest_long(["commit", "dividha"], ["dividha"]))
def test_whoever_waits_can_skip_in_any_window(browser: Browser, house: Server, game: str) -> None:
    """While bots think, too, and whether or not anything is being shown; a hushed question keeps its time."""
    at_once = tuple(definition(game).words["game"].get("at_once", ()))

    def thinks(state: State, names: list[str]) -> bool:
        is_quick = state.hushed or any(one.startswith(at_once) for one in names)
        return bool(names) and 0 not in state.acting and not is_quick

    with Person(browser, house, **MOVING) as zoe:
        zoe.opens(game, record=where(game, thinks, 4), players=4, pace=60, beat=1.0)
        skip, line = zoe.page.locator("#skip"), zoe.page.locator("#r-strip .now")
        expect(skip).to_be_visible()
        for width, height in WINDOWS[::3]:
            zoe.page.set_viewport_size({"width": width, "height": height})
            assert zoe.page.evaluate(OUT_OF_REACH, "#skip") == [], (width, height)
            assert there(line.bounding_box())["width"] >= 100, (width, height)
        skip.click()
        zoe.waits()  # a bot would have taken a minute
        expect(skip).to_be_hidden()


@pytest.mark.parametrize("game", ["pope_joan", "diamondback", "hearts"])
def test_a_board_changes_only_where_the_next_one_differs(browser: Browser, house: Server, game: str) -> None:
    table, random, boards = seated(game), Random(game), list[str]()
    while len(boards) < 40 and not table.is_over:
        goes_on(table, random)
        boards.append(regions(scene_of(table, table.known.telling(0, 0, True)), ["board"])["board"])
    wrong, changed, whole = watching(browser, house).page.evaluate(REMADE, boards)
    assert not wrong
    assert changed < whole / 5


REMADE: Final = """(boards) => {
  const region = document.createElement("div"), is = document.createElement("template"), wrong = [];
  const changes = new MutationObserver(() => {});
  let changed = 0, whole = 0;
  region.innerHTML = boards[0];
  changes.observe(region, { childList: true, subtree: true, characterData: true });
  for (const board of boards.slice(1)) {
    is.innerHTML = board;
    whole += is.content.querySelectorAll("*").length;
    remake(region, board);
    if (region.innerHTML !== is.innerHTML) wrong.push([region.innerHTML, is.innerHTML]);
    const added = changes.takeRecords().flatMap((one) => [...one.addedNodes]).filter((one) => one.nodeType === 1);
    for (const one of added) changed += 1 + one.querySelectorAll("*").length;
  }
  return [wrong, changed, whole];
}"""
"""Boards that do not become the next one, how many new elements are made, and how many there are in all."""


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["commit", "diabolo", "dividha"]))
def test_whoever_is_not_asked_reads_who_or_what_is_waited_for(game: str) -> None:
    """Over a whole match: the names of those who think, and what ends it; how long a secret question takes; and while
    something is shown, who plays then.  A spectator reads whom all wait for."""
    table, random = seated(game), Random(game)
    kinds = set[str]()
    while not table.is_over and len(kinds) < 400:
        goes_on(table, random)
        for seat in (0, WATCHER):
            for language in ("en", "de"):
                with speaking(language):
                    scene = scene_of(table, table.known.telling(seat, 0, True))
                    then = scene_at(scene, there(scene.telling.items), scene.story)
                    for one in (scene, then):
                        if not (one.is_asked or one.is_settled):
                            kinds.add(said_of(one))
    assert kinds


def said_of(scene: Scene) -> str:
    """What the line of somebody says who waits; it must name whom or what they wait for."""
    head, body = scene.now[:2]
    waited = [one.name for one in scene.seats if one.asked]
    asked = scene.then if scene.then is not None else scene.telling.asked
    if scene.telling.hushed:
        assert "1" in body
    elif scene.then is not None:
        me = scene.me in asked
        assert not asked or me or all(scene.seats[p].name in body for p in asked)
        assert not me or body == gettext("Then it is your turn.")
    else:
        assert all(name in head for name in waited)
        assert body or not waited or scene.me < 0
        assert "{" not in body
    assert head
    return f"{head} {body}"


@cache
def watching(browser: Browser, house: Server) -> Person:
    """Somebody at a table, whose page is only asked what it would do."""
    zoe = Person(browser, house)
    zoe.opens("kuhn")
    return zoe


@pytest.mark.parametrize("speed", ["", "off"])
def test_who_wants_no_motion_is_sent_none(browser: Browser, house: Server, speed: str) -> None:
    """By the system's own wish, or by the menu, which remembers it."""
    record, action, _ = many_events("diamonds")
    sent = list[str]()
    with Person(browser, house, **(MOVING if speed else {})) as zoe:
        zoe.opens("diamonds", record=record, pace=60)
        if speed:
            zoe.page.locator(".looks summary").click()
            zoe.goes_by(zoe.page.locator(f'button[name=speed][value="{speed}"]'))
            expect(zoe.page.locator(f'button[name=speed][value="{speed}"]')).to_have_attribute("aria-pressed", "true")
        zoe.page.on("websocket", lambda line: line.on("framereceived", lambda text: sent.append(str(text))))
        zoe.page.reload()
        zoe.waits()
        before = zoe.moment()
        zoe.does(action)
        zoe.sees_a_change(before)
    assert sent
    assert not any('"beats":[{' in text for text in sent)


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["commit", "diamonds", "dividha", "hearts"]))
def test_moments_of_every_game_can_be_told_and_drawn(game: str) -> None:
    """By the game's own telling and its own board; and with each event there is one moment more."""
    table, random = seated(game), Random(game)
    seen = drawn = 0
    for _ in range(120):
        if table.is_over:
            break
        heard = {seat: table.known.heard(seat) for seat in (0, WATCHER)}
        goes_on(table, random, holds=True)
        for seat, known in heard.items():
            telling = table.known.telling(seat, known, True, True)
            assert len(telling.moments) == min(MOMENTS, max(0, len(telling.new) - 1))
            whole = table.known.telling(seat, 0)
            for moment in telling.moments:
                seen += 1
                then = scene_at(scene_of(table, telling), moment.items, whole.new[: moment.heard])
                drawn += board_of(then) is not None
    assert seen > 3 or game == "kuhn"
    # a game owes nobody a view in the middle of a step: where it has none, the one before it stays
    assert drawn >= 0.97 * seen


def seated(game: str, players: int | None = None, **options: Any) -> Table:
    """A table at which somebody sits, before its first match."""
    table = Table(opened(parlour.load(game, players, **options)))
    table.commit(Change(log.Sat(0, "Zoé", "zoe")))
    table.commit(moves.commit_to(table, SECRET))
    return table


def goes_on(table: Table, random: Random, *, holds: bool = False, calm: float = 0.0) -> None:
    """Have chance decide, or anybody who is asked, at random.  ``holds``: whether the end of a deal is looked at;
    ``calm``: how likely somebody does what leads to a showdown, if they can."""
    if table.is_held:
        table.commit(Change(log.WentOn()))
    elif table.waits_for_chance or not table.has_begun:
        table.commit(moves.go_on(table, SECRET, {}, holds))
    else:
        seat = random.choice(table.asked)
        names = [table.game.action_names[a] for a in table.known.question(seat)[1]]
        calmly = [name for name in names if name.split()[0] in CALM] if calm else []
        if calm:
            names = calmly if calmly and random.random() < calm else names[:12]
        table.commit(moves.act(table, seat, random.choice(names), SECRET, False, holds))


CALM: Final = ("check", "call", "match", "stand", "pay", "stop", "continue")
"""What leads to a showdown."""


def scene_of(table: Table, telling: wire.Telling) -> Scene:
    terms = table.opened
    about = wire.About(
        table="", code="CODE", game=terms.game, players=terms.players, options=terms.options, reveal=True, pace=0.0,
        beat=0.0, patience=0.0,
    )  # fmt: skip
    return Scene(about, telling, telling.new, "")


def test_rows_of_diabolo_are_scored_one_after_another() -> None:
    """With each event the row that it is about is lit, and those who have shown their cards of its colour by then have
    them before them, and nobody else has."""
    table, random = seated("diabolo", 4), Random(1)
    lit, shown = list[str](), 0
    while not table.is_held:
        heard = table.known.heard(WATCHER)
        goes_on(table, random, holds=True)
        telling, story = table.known.telling(WATCHER, heard, True, True), table.known.telling(WATCHER, 0).new
        for moment in telling.moments:
            so_far = story[: moment.heard]
            if not any(said.event == "round_over" for said in so_far):
                continue
            then = scene_at(scene_of(table, telling), moment.items, so_far)
            assert then.view is not None
            board = then.drawing.board(then.view, then.story)
            begins = ("round_over", "positive", "negative", "even")
            begun = max(n for n, said in enumerate(so_far) if said.event in begins)
            row, since = so_far[begun], so_far[begun:]
            if row.event == "round_over" or any(said.event == "total" for said in since):
                continue
            assert then.cards_of(row)[0][0].upper() == board["lit"]
            lit += [board["lit"]]
            held = {said.who: then.cards_of(said) for said in since if said.event == "shows"}
            shown += len(held)
            assert [" ".join(cards) for cards in board["open"]] == [" ".join(held.get(p, [])) for p in range(4)]
    assert list(dict.fromkeys(lit)) == list("RYGPB")
    assert shown > 20
