"""The holders of seats are known to everybody, and written down; what a table's maker decides holds."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from typing import get_args

import httpx
import pytest
from playwright.sync_api import Browser, expect

import parlour
from parlour.base.errors import ParlourError
from parlour.core.notes import Seated, seatings
from parlour.core.taking_back import step_back
from parlour.server.common import wire
from parlour.server.live import moves, proof, seating
from parlour.server.table import log
from parlour.server.table.table import Change, Table
from parlour.server.web.api import API
from tests.helpers import parlour_says, play
from tests.page_helpers import Person
from tests.room_helpers import Guest, QuickBots, Server, SlowBots, dealt, refusal, running
from tests.worlds import opened

SECRET = bytes(32)


@pytest.fixture
def slow_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that never move, so that a match lasts."""
    monkeypatch.setattr(QuickBots, "choose", SlowBots.choose)


def notice_about(what: Collection[str], guest: Guest) -> wire.Notice:
    """The next notice about one of these that a guest is sent."""
    notice = guest.until(lambda frame: isinstance(frame, wire.Notice) and frame.what in what)
    assert isinstance(notice, wire.Notice)
    return notice


def play_out(table: Table) -> None:
    while not table.is_over:
        seat = table.asked[0]
        table.commit(moves.act(table, seat, table.game.action_names[table.known.question(seat)[1][0]], SECRET))


@pytest.mark.usefixtures("slow_bots")
def test_everybody_is_told_who_takes_over_which_seat_and_who_leaves_it(house: Server) -> None:
    made = house.make("diamonds", players=3)
    table = made["table"]
    with Guest(house, table, made["token"]) as zoe, Guest(house, table) as watcher:
        zoe.told(lambda telling: telling.match > 0)
        bot = zoe.told(lambda telling: True).players[1].name
        for name in ("Abe", "Cleo", "Max"):  # three hands, one after the other
            token = house.seat(table, name, 1).json()["token"]
            with Guest(house, table, token) as guest:
                assert isinstance(guest.ask("leave"), wire.Done)
            for listener in (zoe, watcher):
                seen = [notice_about(("sat", "left"), listener) for _ in range(2)]
                assert seen == [
                    wire.Notice(what="sat", seat=1, text=f"{name} sits down in {bot}'s place."),
                    wire.Notice(what="left", seat=1, text=f"{name} leaves; the bot {bot} plays on."),
                ]


def test_the_record_says_who_sat_where_from_which_step_on() -> None:
    table = dealt()
    table.commit(seating.sit(table, 1, "Abe", "abe"))
    table.commit(moves.act(table, 0, "call", SECRET))
    table.commit(seating.leave(table, 1))
    state = table.playing
    assert seatings(state.ledger.notes) == [
        Seated(0, 0, True, "Zoé"), Seated(0, 1, False, "Ben"), Seated(2, 1, True, "Abe"), Seated(3, 1, False, "Ben"),
    ]  # fmt: skip
    record = state.record()
    assert record.split("\n\n")[1].splitlines()[:2] == ["sat: 0 guest Zoé", "sat: 1 bot Ben"]
    assert record.splitlines()[-3:] == ["sat: 1 guest Abe", "0: call", "sat: 1 bot Ben"]
    again = parlour.replay(record)
    assert (again.record(), again.ledger.notes) == (record, state.ledger.notes)
    for seat in (-1, 0, 1):
        kept = [line for line in proof.record(table, seat).splitlines() if line.startswith("sat: ")]
        assert kept == [line for line in record.splitlines() if line.startswith("sat: ")]
    play_out(table)
    record = table.playing.record()
    table.commit(seating.leave(table, 0))
    table.commit(seating.sit(table, 1, "Abe", "abe"))
    assert table.playing.record() == record, "what happens when a match is over is no part of it"


def test_a_seat_keeps_its_place_among_steps_that_are_taken_back() -> None:
    state = parlour.load("leduc").new(seed=3)
    state.apply("raise")
    state.ledger.notes.append(Seated(len(state.log), 1, True, "Abe"))
    step_back(state)
    state.apply("call")
    lines = state.record().splitlines()
    order = [lines.index(line) for line in ("0: raise", "sat: 1 guest Abe", "undo", "0: call")]
    assert order == list(range(order[0], order[0] + 4))
    again = parlour.replay(state.record())
    assert (again.ledger.notes, again.record()) == (state.ledger.notes, state.record())
    kept = state.record(0).splitlines()
    assert kept.index("sat: 1 guest Abe") < kept.index("0: call")


def test_a_seat_keeps_its_place_among_answers_given_at_once() -> None:
    """They stand in order of seats, however they came in."""
    state = next(one for one in play(parlour.load("diabolo").new(), 1) if len(one.acting) > 1)
    first, *_, last = state.acting
    state.apply(state.legal_actions(last)[0], last)
    assert state.is_sealed
    state.ledger.notes.append(Seated(len(state.log), last, True, "Abe"))
    state.apply(state.legal_actions(first)[0], first)
    kept = [line for line in state.record().splitlines() if line.startswith((f"{first}: ", f"{last}: ", "sat: "))]
    assert kept[-1] == f"sat: {last} guest Abe"  # who answered sat there before
    assert parlour.replay(state.record()).ledger.notes == state.ledger.notes


def test_a_replay_tells_who_sat_where(
    house: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the terminal and on the page."""
    table = dealt()
    table.commit(seating.sit(table, 1, "Abe", "abe"))
    table.commit(moves.act(table, 0, "call", SECRET))
    file = tmp_path / "match.parlour"
    file.write_text(table.playing.record())
    for words in (f"replay {file}", f"replay {file} --seat 1"):
        code, out, _ = parlour_says(words, monkeypatch, capsys)
        assert code == 0
        assert out.index("The bot Ben takes a seat.") < out.index("Abe takes a seat.") < out.index("Zoé calls")
    with httpx.Client(base_url=house.url, follow_redirects=True) as zoe:
        for player, shown in ((None, "From step 2 on: Abe takes over from Ben."), (1, "Abe takes over from Ben.")):
            page = zoe.post("/replay", files={"record": ("a", table.playing.record(player))}).text
            said = [re.sub("<[^>]*>", "", line) for line in re.findall("<li[^>]*>(.*?)</li>", page, re.DOTALL)]
            assert len([line for line in said if shown in line]) == 1


def test_who_has_seen_a_hand_plays_no_other_of_the_match() -> None:
    table = dealt()
    table.commit(seating.sit(table, 1, "Abe", "abe"))
    table.commit(seating.leave(table, 1))
    table.commit(seating.leave(table, 0))
    with pytest.raises(ParlourError, match="You have seen the cards of seat 1 in this match"):
        seating.sit(table, 0, "Abe", "abe")
    assert seating.sit(table, 1, "Abe", "abe")
    before = Table(opened(parlour.load("leduc"), maker="zoe"))
    before.commit(moves.commit_to(before, SECRET))
    for change in (seating.sit(before, 1, "Abe", "abe"), Change(log.Left(1)), moves.go_on(before, SECRET, {})):
        before.commit(change)  # nothing was dealt while they sat there
    assert seating.sit(before, 0, "Abe", "abe")


def test_a_table_closed_to_takeovers_is_taken_over_by_nobody_until_the_match_is_over() -> None:
    table = dealt(takeovers=False)
    with pytest.raises(ParlourError, match="closed to takeovers"):
        seating.sit(table, 1, "Abe", "abe")
    table.commit(seating.leave(table, 0))
    assert seating.sit(table, 0, "Zoé", "zoe")  # her own cards she knows
    with pytest.raises(ParlourError, match="closed to takeovers"):
        seating.sit(table, 0, "Abe", "abe")
    play_out(table)
    assert seating.sit(table, 1, "Abe", "abe")


def test_a_table_is_made_closed_to_takeovers(house: Server) -> None:
    """Also by its form, and one that goes on from a record, at which its maker sits down in the middle of a match."""
    for wanted in ({}, {"record": parlour.load("leduc").new(seed=1).record()}):
        made = house.make("leduc", takeovers=False, **wanted)
        assert made["seat"] == 0
        with Guest(house, made["table"], made["token"]) as zoe:
            zoe.told(lambda telling: bool(telling.choices))
            refused = house.seat(made["table"], "Abe", 1).json()["sentence"]
            assert refused.startswith("This table is closed to takeovers")
        assert httpx.get(f"{house.url}{API}/tables/{made['table']}").json()["allowed"] == ["newcomers", "chat"]
    with httpx.Client(base_url=house.url, follow_redirects=True) as zoe:
        assert 'name="no-takeovers"> Close the table to takeovers' in zoe.get("/new/leduc").text
        page = zoe.post("/play/leduc", data={"name": "Zoé", "no-takeovers": "on"}).text
        assert "can only be taken between matches" in page


@pytest.mark.usefixtures("slow_bots")
def test_the_maker_removes_a_guest_locks_the_table_and_switches_the_chat_off(tmp_path: Path) -> None:
    """And it holds when the server was stopped and another one reads the log."""
    with running(tmp_path / "p.db") as there, ExitStack() as stack:
        made = there.make("diamonds", players=3)
        table, token = made["table"], made["token"]
        his = there.seat(table, "Abe", 1).json()["token"]
        zoe, abe = (stack.enter_context(Guest(there, table, one)) for one in (token, his))
        zoe.told(lambda telling: telling.host == 0 and telling.players[1].guest)
        for do, fields in (("remove", {"seat": 0}), ("allow", {"name": "chat", "on": False})):
            assert refusal(abe.ask(do, **fields)) == "Only the table's host can do that."
        assert refusal(zoe.ask("remove", seat=2)).startswith("There is no guest to remove from seat 2")
        assert refusal(zoe.ask("remove", seat=0)).startswith("You can't remove yourself")
        assert isinstance(zoe.ask("remove", seat=1), wire.Done)
        assert notice_about(["removed"], abe).text.startswith("The host removes Abe; the bot ")
        abe.told(lambda telling: telling.seat == -1)
        for name, answer in (("chat", "The host switches the chat off."), ("newcomers", "The host locks the table")):
            assert isinstance(zoe.ask("allow", name=name, on=False), wire.Done)
            assert notice_about([name], abe).text.startswith(answer)
        assert zoe.told(lambda telling: "newcomers" not in telling.allowed).allowed == ("takeovers",)
        assert refusal(zoe.ask("say", text="Hello?")) == "The host has switched the chat off."
    with running(tmp_path / "p.db") as there, Guest(there, table, token) as zoe:
        assert zoe.told(lambda telling: True).allowed == ("takeovers",)
        assert there.seat(table, "Abel", 1, his).json()["sentence"].startswith("The host has removed you")
        assert there.seat(table, "Cleo", 1, token_hex(8)).json()["sentence"].startswith("The host has locked")
        assert isinstance(zoe.ask("allow", name="newcomers", on=True), wire.Done)
        assert there.seat(table, "Abel", 1, his).json()["sentence"].startswith("The host has removed you")
        assert there.seat(table, "Cleo", 1).status_code == 201
        assert refusal(zoe.ask("say", text="Hello?")) == "The host has switched the chat off."
        assert isinstance(zoe.ask("leave"), wire.Done)
        assert isinstance(zoe.ask("allow", name="chat", on=True), wire.Done)  # it is still her table


def test_the_maker_is_who_opened_the_table_or_the_first_guest() -> None:
    mine, old = Table(opened(parlour.load("leduc"), maker="zoe")), Table(opened(parlour.load("leduc")))
    for table in (mine, old):
        for change in (seating.sit(table, 1, "Abe", "abe"), seating.sit(table, 0, "Zoé", "zoe")):
            table.commit(change)
    assert [table.hosting.maker for table in (mine, old)] == ["zoe", "abe"]
    assert [table.known.telling(-1).host for table in (mine, old)] == [0, 1]
    with pytest.raises(ParlourError, match="Only the table's host"):
        seating.remove(old, "zoe", 1)
    old.commit(seating.leave(old, 1))
    assert old.known.telling(-1).host == -1
    assert seating.remove(old, "abe", 0)


def test_what_is_decided_at_the_beginning_is_told_before_one_sits_down_and_stays(house: Server) -> None:
    made = house.make("commit", beat=2, pace=1.5, patience=60)
    with Guest(house, made["table"]) as newcomer:
        about = newcomer.until(lambda frame: isinstance(frame, wire.About))
        assert (about.pace, about.beat, about.patience) == (1.5, 2, 60)
    terms = {"pace", "beat", "grace", "patience", "reveal", "options"}
    assert [one for one in get_args(log.AnyEntry) if terms & set(inspect.signature(one).parameters)] == [log.Opened]


@pytest.mark.usefixtures("slow_bots")
def test_the_page_of_the_maker_has_a_panel_and_everybody_is_told(browser: Browser, house: Server) -> None:
    with Person(browser, house) as zoe, Person(browser, house) as abe:
        code = zoe.opens("diamonds", players=3)
        abe.sits_at(code)
        assert abe.page.locator("details.hosting").count() == 0
        zoe.turns_to_the_chat()
        expect(zoe.page.locator(".notice", has_text="Abe sits down in")).to_be_visible()
        expect(abe.turns_to_the_chat()).to_be_visible()
        for button, part, said in (
            ("Switch chat off", ".notice", "The host switches the chat off."), ("Switch chat on", "#r-people", "Send"),
            ("Lock the table", "#r-people", "nobody new can sit down"),
            ("Remove Abe", ".notice", "The host removes Abe"),
        ):  # fmt: skip
            zoe.turns_to("people")
            panel = zoe.page.locator("details.hosting")
            if panel.get_attribute("open") is None:
                panel.locator("summary").click()
            panel.get_by_role("button", name=button).click()
            expect(abe.page.locator(part, has_text=said).first).to_be_visible()
            expect(abe.page.locator("#remark")).to_have_count(int(button in ("Switch chat on", "Lock the table")))
        expect(abe.page.locator("#r-strip")).to_contain_text("You are watching")
        expect(abe.page.locator("#toast")).to_contain_text("The host has removed you")
        expect(abe.page.locator("#r-join > *")).to_have_count(0)
        abe.page.reload()
        abe.turns_to("people")
        expect(abe.page.locator(".notice", has_text="The host removes Abe")).to_be_attached()
        assert zoe.complaints == abe.complaints == []
