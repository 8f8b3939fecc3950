"""What a deal and a match come to is seen: cards stay, winners are lit, it is said why; places, gains, the sheet."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from random import Random
from typing import Final

import pytest
from msgspec import structs
from playwright.sync_api import Browser, Route, expect

import parlour
from parlour.base.disk import installed_text
from parlour.core.transcript import told_by_deal
from parlour.engine.definition import definition, shelf
from parlour.server.common import wire
from parlour.server.page.beats import staged
from parlour.server.page.page_session import scene_at
from parlour.server.page.rendering import regions
from parlour.server.page.replay import EVERY_CARD, SPECTATOR, Replay
from parlour.server.page.replays import _moment
from parlour.server.page.scene import Scene
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Table
from tests.games.test_boards import scene as a_scene
from tests.helpers import the_rest_long, there
from tests.page_helpers import HELD_THE_KING, Person, faults_of_size, last_choice, somebody
from tests.room_helpers import Clock, Server
from tests.server.page.test_page_events import goes_on, scene_of, seated
from tests.waiting import wait_until

BY_SCRIPT = {"X-Parlour": "1"}


@cache
def before_the_end(game: str, event: str = "") -> tuple[str, str]:
    """The record of a match in which seat 0 has the last choice of a deal, and what ends it; another deal follows.
    ``event``: one that the end of this deal brings."""
    for seed in range(400):
        state, random = parlour.load(game).new(seed=seed), Random(seed)
        while not state.is_terminal and not state.deals:
            seat = random.choice(state.acting)
            action = random.choice(state.legal_actions(seat))
            after = state.clone()
            after.apply(action, seat)
            ends = after.deals and not after.is_terminal and list(state.acting) == [0] and not state.hushed
            if ends and (not event or event in {one.event for one in after.settled(0).events()}):
                return state.record(), state.game.action_names[action]
            state = after
    raise AssertionError(game)


def settles(zoe: Person, game: str = "diamondback", event: str = "") -> None:
    zoe.waits()
    action = before_the_end(game, event)[1]
    kind, _, number = action.rpartition(" ")
    if kind and (field := zoe.page.locator(f"[id='amount-{kind}']")).count():
        field.fill(number)
        action = kind
    zoe.by_mouse(zoe.page.locator(f'#play button.legal[value="{action}"]').first)
    zoe.page.locator("#go-on-deal").wait_for()


@pytest.mark.parametrize("game", the_rest_long(["diamondback", "commit", "hearts"], ["diamondback"]))
def test_the_end_of_a_deal_is_looked_at_first(zoe: Person, house: Server, clock: Clock, game: str) -> None:
    """By whoever is alone with bots as long as they like: neither the page nor the table goes on by itself.  Whoever
    presses as the table does go on is told of no mistake, once the page sees that."""
    zoe.page.clock.install()
    code = zoe.opens(game, record=before_the_end(game)[0])
    settles(zoe, game)
    table = house.tables.live[code].table
    line = zoe.page.locator("#r-held .held-say")
    expect(line).to_be_in_viewport(ratio=1)
    expect(line).to_contain_text(re.compile("is over. .+"))
    brought = [int(float(one)) for one in table.playing.deals[-1].returns]
    if max(brought) > 0:
        expect(zoe.page.locator("#r-board .won")).not_to_have_count(0)
    expect(zoe.page.locator("#r-strip .now.mine")).to_have_count(0)
    shown = table.playing.settled(len(table.playing.deals) - 1)
    assert table.known.view(0) == shown.view(0), "what is seen is the deal that is over"
    assert zoe.page.locator("#r-story li").first.inner_text()
    zoe.page.clock.run_for(120_000)
    clock.advance(house, code, 3600)
    assert table.is_held
    refusal = {"sentence": "The match is not over.", "clause": ""}
    zoe.page.route("**/do", lambda one: one.fulfill(status=409, json=refusal))
    zoe.page.locator("#go-on-deal").click()
    expect(zoe.page.locator("#answer")).to_have_text(refusal["sentence"])
    assert zoe.context.request.post(f"{zoe.page.url}/do", form={"do": "again"}, headers=BY_SCRIPT).status == 204
    for part in ("#r-held", "#answer"):
        expect(zoe.page.locator(part)).to_be_empty()
    assert table.gone_over == len(table.playing.deals)
    assert zoe.complaints == []


def test_who_goes_on_as_the_table_does_by_itself_has_made_no_mistake(zoe: Person) -> None:
    """Although the refusal comes when the page has seen that."""
    zoe.opens("diamondback", record=before_the_end("diamondback")[0])
    settles(zoe)
    pressed, address = list[Route](), f"{zoe.page.url}/do"
    zoe.page.route("**/do", lambda one: pressed.append(one))  # noqa: PLW0108 (no builtin is taken)
    zoe.page.locator("#go-on-deal").click()
    wait_until(lambda: zoe.moment() and pressed)
    assert zoe.context.request.post(address, form={"do": "again"}, headers=BY_SCRIPT).status == 204
    expect(zoe.page.locator("#go-on-deal")).to_have_count(0)
    with zoe.page.expect_response("**/do") as refused:
        pressed[0].continue_()
    assert "not over" in refused.value.text()
    zoe.page.evaluate("new Promise((seen) => setTimeout(seen, 50))")
    expect(zoe.page.locator("#answer")).to_be_empty()


@pytest.mark.parametrize("impatient", [False, True])
def test_several_guests_go_on_together(zoe: Person, abe: Person, house: Server, clock: Clock, impatient: bool) -> None:
    code = zoe.opens("diamondback", record=before_the_end("diamondback")[0], patience=20)
    abe.sits_at(code)
    wait_until(lambda: abe.page.evaluate("socket.readyState") == 1)
    settles(zoe)
    zoe.goes_on()
    expect(zoe.page.locator("#go-on-deal")).to_have_text(re.compile(r"Waiting for \W*Abe"))
    clock.advance(house, code, 19)
    expect(abe.page.locator("#go-on-deal")).to_have_text("Next hand")
    if impatient:
        clock.advance(house, code, 2)
    else:
        abe.goes_on()
    for one in (zoe, abe):
        expect(one.page.locator("#r-held")).to_be_empty()


def test_programs_are_not_held_up(house: Server) -> None:
    """Where nobody has a page there is nobody to look at what a deal has come to."""
    record, action = before_the_end("diamondback")
    live = house.tables.live[house.make("diamondback", record=record)["table"]]
    house.within(live.do(live.table.seats[0].key, wire.Act(id="1", action=action)))
    assert len(live.table.playing.deals) == 1
    assert not live.table.is_held


Match = tuple[str, int, str]
"""A game, the number of players, and house rules."""
SHOWDOWNS: list[Match] = [
    ("dividha", 4, "starting_coins=40"),
    ("dividha", 3, "splits=open between_hands=asked rounds=three_no_trade"),
    ("dividha", 6, "aural_rule=on misplay_penalty=dead all_in=whole_pot"),
    ("diamondback", 4, ""),
    ("diamondback", 3, "version=dealers"),
    ("diamondback", 5, "version=match match_max_hands=12 seats_max=5"),
]
SHORT_SHOWDOWNS = the_rest_long(SHOWDOWNS, [SHOWDOWNS[n] for n in (0, 1, 4)])
BEGINS = ("deals", "antes", "run_off")
"""Events with which a deal begins, or what follows the last."""
ENOUGH = 2
"""Showdowns looked at in a match."""


Told = tuple[Scene, int]


@cache
def played(game: str, players: int, options: str = "", calm: float = 0.85) -> tuple[Table, dict[int, list[Told]]]:
    """A match that is over, played calmly at random, and all that two players and a spectator were told in it, one
    telling after another: what their pages show then, and how many sentences they had been told before."""
    given = dict(one.split("=") for one in options.split())
    given |= {"deals": "8"} if "deals" in definition(game).options else {}
    table, random = seated(game, players, **given), Random(f"{game} {options}")
    told = {seat: list[tuple[wire.Telling, int]]() for seat in ((0, 1, WATCHER) if calm > 0.5 else (0,))}
    while not table.is_over:
        known = {seat: table.known.heard(seat) for seat in told}
        goes_on(table, random, holds=True, calm=calm)
        for seat, one in told.items():
            one.append((table.known.telling(seat, known[seat], True, True), known[seat]))
    story = {seat: table.known.telling(seat, 0).new for seat in told}
    return table, {
        seat: [(scene_of(table, structs.replace(one, new=story[seat][: one.heard])), known) for one, known in tellings]
        for seat, tellings in told.items()
    }


def lanes(html: str) -> dict[int, list[str]]:
    """Whose cards a showdown shows, and which of them are turned."""
    showdown = html.partition('<section class="showdown"')[2].partition("</section>")[0]
    found = {}
    for one in re.split(r'(?=<li class="lane)', showdown)[1:]:
        seat = there(re.search(r'data-seat="(\d+)"', one))
        found[int(seat[1])] = sorted(re.findall(r'data-key="\d+\.\d+ ([^"]+)"', one))
    return found


@pytest.mark.parametrize("match", SHORT_SHOWDOWNS)
@pytest.mark.parametrize("seat", [0, 1, WATCHER])
def test_each_step_of_a_showdown_is_seen_and_its_cards_stay(match: Match, seat: int) -> None:
    """Whoever looks: a hand is there from the moment it is shown until one goes on, and nothing is there before it is
    told; what is found out, turned and paid changes the table at once."""
    seen = 0
    for scene, known in played(*match)[1][seat]:
        telling, story = scene.telling, scene.story
        if not any(said.event == "shows" for said in story[known:]):
            continue
        shown: dict[int, list[str]] = {}
        boards = [""]
        for moment in [*telling.moments, None]:
            heard = moment.heard if moment else len(story)
            then = scene_at(scene, moment.items, story[:heard]) if moment else scene
            if heard <= known:
                continue
            html = board_of(then)
            said = story[heard - 1]
            if said.event == "shows":
                shown[said.who] = sorted(scene.cards_of(said))
            if not shown:
                assert 'class="showdown"' not in html
                continue
            there = lanes(html)
            assert {p: there[p] for p in shown} == shown
            for p in there.keys() - shown:  # a card that lies open may be seen, and no other
                up = scene.v.get("up", [None] * match[1])[p]
                assert set(there[p]) <= {up}, "told before it was shown"
            if said.event in staged(scene.what):
                assert html != boards[-1], said.text
            boards.append(html)
        if telling.held:
            seen += 1
            gained = {p for p, points in enumerate(telling.held) if points > 0}
            won = set(map(int, re.findall(r'class="lane won" data-seat="(\d+)"', boards[-1])))
            assert won == gained & shown.keys()
            assert "card down" not in boards[-1]
        if seen == ENOUGH:
            return
    assert seen


@pytest.mark.parametrize("match", SHORT_SHOWDOWNS)
def test_a_replay_shows_the_same_showdown(match: Match) -> None:
    there, found = Replay(played(*match)[0].playing.record()), 0
    for stop, deal in there.ends.items():
        for word in ("0", SPECTATOR, EVERY_CARD):
            seen = there.at(stop)
            before = there.at(next(s for s, d in there.ends.items() if d == deal - 1)) if deal else None
            story = seen.events(there.seat(word))[len(before.events(there.seat(word))) if before else 0 :]
            shown = {one.who: one for one in story if one.event == "shows"}
            made = _moment(there, str(stop), word, False)
            assert lanes(made["board"]).keys() == shown.keys()
            assert all(lanes(made["board"]).values())
            found += bool(shown)
    assert found


def test_what_somebody_did_last_ends_with_the_next_trick_and_the_next_round() -> None:
    tricks = rounds = 0
    for game, players in (("hearts", 4), ("leduc", 2)):
        for scene, _ in played(game, players)[1][0]:
            did = [words for words, _cards in map(scene.did, range(players)) if words]
            assert did.count("takes the trick") <= 1
            tricks += "takes the trick" in did
            if scene.story[-1].event == "turned":
                assert not did
                rounds += 1
    assert min(tricks, rounds) > 0


def test_at_matrimony_the_line_says_who_won_and_not_what_stays_on_some_of_the_pools() -> None:
    """And nobody is lit when everybody loses."""
    held = [scene for scene, _ in played("matrimony", 5)[1][0] if scene.telling.held]
    assert {max(one.telling.held) > 0 for one in held} == {True, False}
    for one in held:
        is_won = max(one.telling.held) > 0
        assert "stay" not in " ".join(one.why) or not is_won
        assert is_won or not any(seat.lit for seat in one.seats)


def test_cards_of_a_hand_won_without_a_showdown_lie_open_before_their_owner() -> None:
    found = 0
    for match in SHOWDOWNS[3:]:
        for scene, _ in played(*match, 0.2)[1][0]:
            if scene.telling.held:
                html = board_of(scene)
                found += 'class="showdown"' not in html
                assert "card down" not in html.partition('class="rail"')[2]
    assert found


def board_of(scene: Scene) -> str:
    return regions(scene, ["board"])["board"]


def cards_in(html: str) -> list[str]:
    return [name.rpartition(".")[2].partition(" ")[2] or name for name in re.findall(r'data-key="([^"]+)"', html)]


ENDS = [*((name, parlour.load(name).players, "") for name in shelf() if name != "diamonds"), *SHORT_SHOWDOWNS]


@pytest.mark.parametrize("match", ENDS)
@pytest.mark.parametrize("calm", the_rest_long([0.2, 0.85], [0.85]))
def test_at_the_end_of_a_deal_ones_own_cards_and_all_that_were_shown_lie_there(match: Match, calm: float) -> None:
    """Those that one had last, except for any that one has played since; however the deal has ended, even while
    players are asked what is to follow."""
    ends, last = 0, None
    for scene, known in played(*match, calm)[1][0]:
        telling, story = scene.telling, scene.story
        if not (telling.held or telling.over or scene.v.get("stage") == "between hands"):
            last = scene
            continue
        top, _rail, rest = board_of(scene).partition('class="rail"')
        own, before = cards_in(rest), board_of(last).partition('class="rail"')[2] if last else ""
        had = [] if "from the last deal" in before else cards_in(before)
        began = next((n for n in reversed(range(len(story))) if story[n].event in BEGINS), 0)
        if not any(said.event == "shows" and not said.who for said in story[began:]):
            assert {*had} <= {*own} | {card for said in story[known:] for card in scene.cards_of(said)}
        for said in story[began:]:
            shown = " ".join(scene.cards_of(said)).split() if said.event == "shows" else []
            assert {*shown} <= {*cards_in(top), *(own if not said.who else [])}
        ends, last = ends + 1, None
    assert ends


@pytest.mark.parametrize("game", ["newmarket", "pope_joan", "matrimony", "commit", "diamondback", "dividha"])
def test_coins_that_lie_somewhere_are_seen_there(game: str) -> None:
    """What a board counts in purses, pools and pot is all that there is: else coins would seem to fly."""
    sums = set[int]()
    for scene, _ in played(game, parlour.load(game).players)[1][0]:
        if not scene.telling.asked:
            continue
        html = board_of(scene)
        if 'class="showdown"' not in html:
            sums.add(sum(map(int, re.findall(r'data-n="(-?\d+)"', html))))
    assert len(sums) == 1


@pytest.mark.parametrize("game", the_rest_long(["dividha", "diamondback"], ["dividha"]))
def test_a_showdown_is_seen_whole_in_every_window(zoe: Person, game: str) -> None:
    """And a key says what everybody has."""
    zoe.opens(game, record=before_the_end(game, "shows")[0])
    settles(zoe, game, "shows")
    for width, height in ((390, 664), (320, 568), (844, 340), (1280, 800), (820, 1180)):
        zoe.page.set_viewport_size({"width": width, "height": height})
        for part in (".showdown", "#go-on-deal"):
            expect(zoe.page.locator(part)).to_be_in_viewport(ratio=1)
        least = 20 if min(width, height) < 345 else 24
        assert zoe.page.evaluate(SMALL_OR_CUT, least) == 0, (width, height)
    zoe.page.keyboard.press("s")
    expect(zoe.page.locator("#answer")).to_have_text(re.compile(r"^You.*\d"))
    assert zoe.complaints == []


SMALL_OR_CUT: Final = """async (least) => {
  const cards = document.querySelectorAll(".lanes .card .face");
  const seen = await new Promise((done) => {
    const look = new IntersectionObserver(done);
    for (const card of cards) look.observe(card);
  });
  return seen.filter((one) => one.intersectionRatio < 0.99 || one.boundingClientRect.width < least).length;
}"""
"""How many cards of a showdown are narrower than that, or not seen whole."""


@pytest.mark.parametrize("game", [name for name in shelf() if definition(name).has_deals and name != "diamonds"])
def test_the_end_of_each_deal_is_a_step_and_the_reason_given_for_it_is_of_that_deal(game: str) -> None:
    """At a table and in its replay, for a player and for a spectator."""
    table, told = played(game, parlour.load(game).players)
    there = Replay(table.playing.record())
    assert all(there.ends.keys() <= {*there.stops(word)} for word in ("0", SPECTATOR, EVERY_CARD))
    for seat in (0, WATCHER):
        deals = told_by_deal(table.playing, seat)
        held = [scene.telling for scene, _ in told[seat] if scene.telling.held]
        for (stop, deal), at_table in zip(islice(there.ends.items(), 4), held, strict=False):
            own = [(one.event, one.who, one.a, one.b) for one in deals[deal]]
            for telling in (there.telling(there.at(stop), seat), at_table):
                assert telling.held == list(table.playing.deals[deal].returns)
                assert [(one.event, one.who, one.a, one.b) for one in telling.new[telling.since :]] == own
                scene = Scene(there.about, telling, telling.new, "", still=True)
                sentences = [scene.sentence(one) for one in telling.new[sum(map(len, deals[:deal])) :]]
                assert scene.why
                assert set(scene.why) <= {*sentences}
        assert held


SIZES = ((390, 844), (844, 390), (360, 740), (1920, 1080), (1280, 800))


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["pope_joan"]))
def test_the_end_is_on_the_first_screen_at_every_size(browser: Browser, house: Server, game: str) -> None:
    """And no number of the engine is shown there."""
    zoe = somebody(browser, house, phone=True)
    code = zoe.ends(game)
    table = house.tables.live[code].table
    for width, height in SIZES:
        zoe.page.set_viewport_size({"width": width, "height": height})
        for part in ("#r-end h2", "#again", "#r-end .results .won", "#r-end a[href$=replay]"):
            expect(zoe.page.locator(part).first).to_be_in_viewport(ratio=0.9)
        assert faults_of_size(zoe.page) == {}
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
    zoe.context.request.post(f"/t/{code}/do", form={"do": "leave"}, headers=BY_SCRIPT)
    for reader, called in ((zoe, "You"), (abe, "Zoé")):
        reader.page.goto(f"/t/{code}?watch=yes")
        for part in (".results .who", ".totals tbody th", ".chart text"):
            assert any(called in one for one in reader.page.locator(f"#r-end {part}").all_text_contents()), part


def test_whoever_wants_another_match_is_told_who_is_awaited(zoe: Person, abe: Person) -> None:
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
    shown = a_scene(parlour.load(game, len(returns)).new(), 0, names)
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
