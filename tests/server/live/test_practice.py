"""Tables for practice: you can take back any of your moves, as often as you like, while only bots play with you."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import httpx
from playwright.sync_api import Browser, expect

import parlour
from parlour.core.notes import Seated
from parlour.core.transcript import PRACTICE
from parlour.server.common import wire
from parlour.server.table.seats import fingerprint
from tests.page_helpers import Person, under_way
from tests.room_helpers import Guest, Server, bearer
from tests.waiting import wait_until


def acts(guest: Guest) -> list[str]:
    """Make the first choice there is until the match is over or it is somebody else's turn for good; what was done."""
    done = []
    while not guest.told(lambda told: bool(told.choices) or told.over or bool(told.held)).over:
        assert guest.telling is not None
        if guest.telling.held:
            guest.ask("again")
            guest.told(lambda told: not told.held)
            continue
        before, choice = guest.telling.version, guest.telling.choices[0].name
        assert isinstance(guest.ask("act", action=choice), wire.Done)
        guest.told(lambda told, before=before: told.version != before)  # type: ignore[misc]
        done.append(choice)
    return done


def hearts(house: Server) -> dict[str, Any]:
    return house.make("hearts", options={"deals": "1"})


def button(house: Server, made: dict[str, str]) -> str:
    """The button that takes a move back, as it stands on the page."""
    page = httpx.get(f"{house.url}/t/{made['table']}", headers=bearer(made["token"])).text
    return str((re.findall(r'<button id="undo"[^>]*>', page) or [""])[0])


def test_every_move_of_a_match_can_be_taken_back_one_after_another(house: Server) -> None:
    made = house.make("leduc", practice=True)
    with Guest(house, made["table"], made["token"]) as zoe:
        moves = acts(zoe)
        assert len(moves) >= 2
        for left in reversed(range(len(moves))):
            assert isinstance(zoe.ask("undo"), wire.Done)
            told = zoe.told(lambda told: bool(told.choices) and not told.over)
            assert moves[left] in [one.name for one in told.choices]
        refused = zoe.ask("undo")
        assert isinstance(refused, wire.Refused)
        assert refused.sentence == "There is nothing to take back: you have made no move in this match."
        assert acts(zoe), "and it goes on from there"


def test_it_is_a_choice_and_off_where_a_friend_sits(house: Server) -> None:
    plain, made = house.make("leduc"), house.make("leduc", practice=True)
    with Guest(house, plain["table"], plain["token"]) as zoe:
        acts(zoe)
        assert isinstance(zoe.ask("undo"), wire.Refused)
        assert not button(house, plain)
    with Guest(house, made["table"], made["token"]) as zoe:
        zoe.ask("act", action=zoe.told(lambda told: bool(told.choices)).choices[0].name)
        if not zoe.told(lambda told: bool(told.choices) or told.over).over:  # somebody may have folded
            refused = house.seat(made["table"], "Abe", 1)
            assert (refused.status_code, "its player may know" in refused.json()["sentence"]) == (422, True)
        acts(zoe)
        friend = house.seat(made["table"], "Abe", 1).json()
        assert isinstance(zoe.ask("undo"), wire.Refused)
        with Guest(house, made["table"], friend["token"]) as abe:
            abe.ask("leave")
        assert isinstance(zoe.ask("undo"), wire.Done)
    match = house.tables.live[made["table"]].table.playing
    assert all(note.at <= len(match.log) for note in match.ledger.notes), "who sat there since is forgotten with moves"


def test_what_was_taken_back_is_gone_from_record_and_replay_which_say_that_it_was_practice(house: Server) -> None:
    made = house.make("kuhn", practice=True)
    browser = httpx.Client(base_url=f"{house.url}/t/{made['table']}", headers=bearer(made["token"]))
    with Guest(house, made["table"], made["token"]) as zoe, browser:
        first = acts(zoe)
        assert "Step " in browser.get("/replay/1?seat=0").text
        zoe.ask("undo")
        assert browser.get("/replay/1?seat=0").status_code == 409
        second = [choice.name for choice in zoe.told(lambda told: bool(told.choices)).choices]
        zoe.ask("act", action=next(name for name in second if name != first[-1]))
        acts(zoe)
        record = browser.get("/record").text
        assert record.splitlines()[1] == PRACTICE
        state = parlour.replay(record)
        assert state.is_terminal
        assert None not in state.log
        assert f"run from 0 to {len(state.history)}" in browser.get("/replay/1?seat=0&step=99").text
        assert [note.name for note in state.ledger.notes if isinstance(note, Seated) and note.guest] == ["Zoé"]
        assert "This was practice" in browser.get("/verify").text
        assert "This was practice" in browser.get("/replay/1?seat=0").text
        assert "This is practice" in httpx.get(str(browser.base_url).rstrip("/"), headers=bearer(made["token"])).text
    assert not house.tables.guests._traces.results(fingerprint(made["token"]), 9)


def mine(guest: Guest) -> wire.Telling:
    """Make one choice, and wait until it is the guest's turn again."""
    first = guest.told(lambda told: bool(told.choices))
    guest.ask("act", action=first.choices[0].name)
    return guest.told(lambda told: told.version > first.version and (bool(told.choices) or told.over))


def test_with_bots_alone_any_match_becomes_practice_when_a_move_is_taken_back(house: Server) -> None:
    """The button is there where it works; and the next match counts again."""
    made = hearts(house)
    table = house.tables.live[made["table"]].table
    with Guest(house, made["table"], made["token"]) as zoe:
        before = zoe.told(lambda told: bool(told.choices))
        assert not before.practice
        assert not button(house, made), "no move has been made"
        for _ in range(4):
            mine(zoe)
        assert isinstance(zoe.ask("undo"), wire.Refused), "nothing becomes practice unless its guest wants it"
        assert 'popovertarget="take-back"' in button(house, made)
        then = table.playing.history[:]
        assert isinstance(zoe.ask("undo", practice=True), wire.Done)
        told = zoe.told(lambda told: told.practice and bool(told.choices))
        assert button(house, made) == '<button id="undo">'
        last = max(n for n, step in enumerate(then) if step.player == told.seat)
        assert table.playing.history == then[:last]
        friend = house.seat(made["table"], "Abe", 1)
        assert "This is practice" in friend.json()["sentence"]
        assert isinstance(zoe.ask("undo"), wire.Done), "from then on without asking"
        acts(zoe)
        with httpx.Client(base_url=f"{house.url}/t/{made['table']}", headers=bearer(made["token"])) as browser:
            assert browser.get("/record").text.splitlines()[1] == PRACTICE
            assert "This was practice" in browser.get("/verify").text
        results = house.tables.guests._traces.results
        assert not results(fingerprint(made["token"]), 9)
        zoe.ask("again")
        assert not zoe.told(lambda told: told.match == 2 and bool(told.choices)).practice
        acts(zoe)
    wait_until(lambda: len(results(fingerprint(made["token"]), 9)) == 1)


def test_where_others_play_or_have_played_nothing_becomes_practice(house: Server) -> None:
    made = hearts(house)
    with Guest(house, made["table"], made["token"]) as zoe:
        for _ in range(4):
            mine(zoe)
        friend = house.seat(made["table"], "Abe", 1).json()
        assert isinstance(zoe.ask("undo", practice=True), wire.Refused)
        assert not button(house, made), "somebody else sits here"
        with Guest(house, made["table"], friend["token"]) as abe:
            abe.ask("leave")
        assert isinstance(zoe.ask("undo", practice=True), wire.Refused), "a bot plays on for Abe, whose result counts"


PRESSED_MEANWHILE = """() => {
  playing = true;
  document.getElementById("undo").click();
  playing = false;
  document.dispatchEvent(new CustomEvent("parlour:shown"));
}"""
"""The button is pressed while events are shown."""


def test_the_page_says_first_that_the_match_becomes_practice(browser: Browser, house: Server) -> None:
    """And a press while events are shown is meant for whatever comes of them."""
    with Person(browser, house) as zoe:
        code = zoe.opens("hearts", record=under_way("hearts"))
        table = house.tables.live[code].table
        steps = len(table.playing.history)
        asked = zoe.page.locator("#take-back")
        for is_meant in (False, True):
            zoe.waits()
            if not is_meant:
                zoe.plays(zoe.by_mouse, Random(1), most=1)
                zoe.waits()
            before = zoe.moment()
            zoe.page.evaluate(PRESSED_MEANWHILE)
            expect(asked).to_contain_text("This match is practice from then on")
            (zoe.page.locator("#take-back-now") if is_meant else asked.get_by_text("Keep the move")).click()
            expect(asked).to_be_hidden()
            assert is_meant or not table.is_practice
        wait_until(lambda: table.is_practice and len(table.playing.history) == steps)
        zoe.sees_a_change(before)  # it may show the question that was taken back
        zoe.waits()
        zoe.page.evaluate(PRESSED_MEANWHILE)
        wait_until(lambda: len(table.playing.history) < steps)
        expect(asked).to_be_hidden()
        assert zoe.complaints == []
