"""What a deal comes to is seen: the cards stay, the winner is lit, a sentence says why; then the table goes on."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from random import Random
from typing import Final, NamedTuple

import pytest
from msgspec import structs
from playwright.sync_api import Route, expect

import parlour
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
from tests.helpers import the_rest_long, there
from tests.page_helpers import Person
from tests.room_helpers import Clock, Server
from tests.server.page.test_page_events import goes_on, scene_of, seated
from tests.waiting import wait_until

MATCHES = [name for name in shelf() if definition(name).has_deals and name != "diamonds"]


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
def test_the_end_of_a_deal_is_looked_at_before_the_next_begins(
    zoe: Person, house: Server, clock: Clock, game: str
) -> None:
    """By whoever is alone with bots as long as they like: neither the page nor the table goes on by itself."""
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
    zoe.page.locator("#go-on-deal").click()
    expect(zoe.page.locator("#r-held")).to_be_empty()
    assert table.gone_over == len(table.playing.deals)
    assert zoe.complaints == []


@pytest.mark.parametrize("late", [True, False])
def test_who_goes_on_as_the_table_does_by_itself_has_made_no_mistake(zoe: Person, late: bool) -> None:
    """Whether the refusal comes ``late``, or before the page sees that the deal is looked at no longer."""
    zoe.opens("diamondback", record=before_the_end("diamondback")[0])
    settles(zoe)
    refusal = {"sentence": "The match is not over.", "clause": ""}
    pressed, address = list[Route](), f"{zoe.page.url}/do"
    zoe.page.route("**/do", lambda one: pressed.append(one) if late else one.fulfill(status=409, json=refusal))
    zoe.page.locator("#go-on-deal").click()
    if late:
        wait_until(lambda: zoe.moment() and pressed)
    else:
        expect(zoe.page.locator("#answer")).to_have_text(refusal["sentence"])
    again = zoe.context.request.post(address, form={"do": "again"}, headers={"X-Parlour": "1"})
    assert again.status == 204, again.text()
    expect(zoe.page.locator("#go-on-deal")).to_have_count(0)
    if late:
        with zoe.page.expect_response("**/do") as refused:
            pressed[0].continue_()
        assert "not over" in refused.value.text()
        zoe.page.evaluate("new Promise((seen) => setTimeout(seen, 50))")
    expect(zoe.page.locator("#answer")).to_be_empty()


@pytest.mark.parametrize("impatient", [False, True])
def test_several_guests_go_on_when_all_have_pressed_or_the_tables_patience_is_over(
    zoe: Person, abe: Person, house: Server, clock: Clock, impatient: bool
) -> None:
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


class Told(NamedTuple):
    """What a seat is told at one moment of a match: the telling, what its page shows then, and how many sentences it
    was told before."""

    telling: wire.Telling
    scene: Scene
    known: int


@cache
def played(game: str, players: int, options: str = "", calm: float = 0.85) -> tuple[Table, dict[int, list[Told]]]:
    """A match that is over, played calmly at random, and all that two players and a spectator were told in it, one
    telling after another."""
    given = dict(one.split("=") for one in options.split())
    given |= {"deals": "8"} if "deals" in definition(game).options else {}
    table, random = seated(game, players, **given), Random(f"{game} {options}")
    told = {seat: list[tuple[wire.Telling, int]]() for seat in ((0, 1, WATCHER) if calm > 0.5 else (0,))}
    while not table.is_over:
        known = {seat: table.known.heard(seat) for seat in told}
        goes_on(table, random, holds=True, calm=calm)
        for seat, one in told.items():
            one.append((table.known.telling(seat, known[seat], True, True), known[seat]))
    found = dict[int, list[Told]]()
    for seat, one in told.items():
        story = table.known.telling(seat, 0).new
        scenes = [scene_of(table, structs.replace(telling, new=story[: telling.heard])) for telling, _ in one]
        found[seat] = [Told(telling, scene, known) for (telling, known), scene in zip(one, scenes, strict=True)]
    return table, found


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
    for telling, scene, known in played(*match)[1][seat]:
        if not any(said.event == "shows" for said in telling.new):
            continue
        story = scene.story
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
        for _telling, scene, _known in played(game, players)[1][0]:
            did = [words for words, _cards in map(scene.did, range(players)) if words]
            assert did.count("takes the trick") <= 1
            tricks += "takes the trick" in did
            if scene.story[-1].event == "turned":
                assert not did
                rounds += 1
    assert tricks
    assert rounds


def test_at_matrimony_the_line_says_who_won_and_not_what_stays_on_some_of_the_pools() -> None:
    """And nobody is lit when everybody loses."""
    held = [one for one in played("matrimony", 5)[1][0] if one.telling.held]
    won = [one for one in held if max(one.telling.held) > 0]
    assert won
    assert len(won) < len(held)
    for one in held:
        assert "stay" not in " ".join(one.scene.why) or one not in won
        assert one in won or not any(seat.lit for seat in one.scene.seats)


def test_cards_of_a_hand_won_without_a_showdown_lie_open_before_their_owner() -> None:
    found = 0
    for match in SHOWDOWNS[3:]:
        for telling, scene, _known in played(*match, 0.2)[1][0]:
            if telling.held:
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
    for telling, scene, known in played(*match, calm)[1][0]:
        story = scene.story
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
    for telling, scene, _known in played(game, parlour.load(game).players)[1][0]:
        if not telling.asked:
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


@pytest.mark.parametrize("game", MATCHES)
def test_the_end_of_each_deal_is_a_step_and_the_reason_given_for_it_is_of_that_deal(game: str) -> None:
    """At a table and in its replay, for a player and for a spectator."""
    table, told = played(game, parlour.load(game).players)
    there = Replay(table.playing.record())
    assert all(there.ends.keys() <= {*there.stops(word)} for word in ("0", SPECTATOR, EVERY_CARD))
    for seat in (0, WATCHER):
        deals, held = told_by_deal(table.playing, seat), [one.scene.telling for one in told[seat] if one.telling.held]
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
