"""The server as its users see it, and those who mean it no good: requests, sockets, what is kept and what is told."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import random
import re
import shutil
import socket
import sqlite3
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import httpx
import msgspec
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

import parlour
from parlour.base.errors import ParlourError
from parlour.core.verifying import verify
from parlour.engine.definition import definition
from parlour.engine.telling import View
from parlour.games.diamondback.position import LEAVE
from parlour.games.leduc.rules import FOLDED
from parlour.players.kind import Kind
from parlour.server.bots import bots
from parlour.server.common import limits, wire
from parlour.server.common.errors import Moved
from parlour.server.common.limits import LARGEST_BODY, LARGEST_FRAME
from parlour.server.live.connection import SILENT, Connection
from parlour.server.live.identity import COOKIE
from parlour.server.live.live_table import BROKEN, LiveTable
from parlour.server.live.mixing_round import MixingRound
from parlour.server.live.neighbours import Neighbours
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.site.serving import whole_app
from parlour.server.store import database, health
from parlour.server.store.competitions import Competitions
from parlour.server.store.store import Store, Unreachable
from parlour.server.table import log
from parlour.server.table.seats import WATCHER, fingerprint
from parlour.server.table.table import Change
from parlour.server.web.api import API
from parlour.server.web.streams import FrameStream
from tests.helpers import there as _there
from tests.room_helpers import (
    Clock,
    Guest,
    QuickBots,
    RuledBots,
    Server,
    a_table,
    bearer,
    first_choice,
    line_to,
    refusal,
    running,
)  # fmt: skip
from tests.waiting import LIMIT, until, wait_until
from tests.worlds import Listener
from tools.load import free_port

TOKEN = "x7Qm2-the-token-of-nobody-else-9Zk4"


def get(there: Server, path: str, token: str = "") -> httpx.Response:
    return httpx.get(there.url + path, headers=bearer(token))


def post(there: Server, path: str, body: Any, token: str = "", **headers: str) -> httpx.Response:
    return httpx.post(there.url + path, json=body, headers={**bearer(token), **headers})


def sit(there: Server, table: str, name: str, seat: int | None = None, token: str = "") -> dict[str, Any]:
    answer = there.seat(table, name, seat, token)
    assert answer.status_code == 201, answer.text
    seated: dict[str, Any] = answer.json()
    return seated


def record(there: Server, table: str, token: str = "") -> str:
    answer = get(there, f"{API}/tables/{table}/record", token)
    assert answer.status_code == 200, answer.text
    return answer.text


def is_done(answer: wire.Answer) -> bool:
    return isinstance(answer, wire.Done)


def is_asked(telling: wire.Telling) -> bool:
    return bool(telling.choices)


def two_guests(there: Server, stack: ExitStack, **wanted: Any) -> tuple[Guest, Guest]:
    """A table of Leduc poker for two guests, who have both been told that the match is on."""
    zoe = stack.enter_context(there.guest(**wanted))
    abe = stack.enter_context(Guest(there, zoe.table, sit(there, zoe.table, "Abe", 1)["token"]))
    for guest in (zoe, abe):
        guest.told(lambda telling: bool(telling.asked) and telling.players[1].guest)
    return zoe, abe


def play_out(zoe: Guest, abe: Guest, action: str = "call") -> None:
    """Both guests of a table of Leduc poker do the same until the match is over."""
    while not (told := zoe.told(lambda telling: bool(telling.asked) or telling.over)).over:
        guest = (zoe, abe)[told.asked[0]]
        guest.told(is_asked)
        assert is_done(guest.ask("act", action=action))
        zoe.told(lambda later, heard=told.heard: later.heard > heard)  # type: ignore[misc]
    abe.told(lambda telling: telling.over)


def test_a_table_is_made_as_it_was_ordered(house: Server) -> None:
    """And listed, if that was wanted."""
    made = house.make("diamonds", players=3, options={"trade_leaves": "debris"}, reveal=False, listed=True)
    shown = get(house, f"{API}/tables/{made['code']}").json()
    assert (shown["table"], shown["game"], shown["players"], shown["reveal"]) == (made["table"], "diamonds", 3, False)
    assert shown["options"]["trade_leaves"] == "debris"
    assert [seat["name"] for seat in shown["seats"]][made["seat"]] == "Zoé"
    assert [seat["guest"] for seat in shown["seats"]] == [True, False, False]
    assert made["link"] == f"{house.url}/t/{made['code']}"
    assert made["link"] in get(house, f"/t/{made['code']}").text
    assert {game["id"]: game["players"] for game in get(house, f"{API}/games").json()}["leduc"] == [2]
    hidden, lobby = house.make()["table"], [table["table"] for table in get(house, f"{API}/tables").json()]
    assert (made["table"] in lobby, hidden in lobby) == (True, False)


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"game": "commit-8"}, "A server has commit, not commit-8, which is for study; in a terminal, parlour play"),
        ({"game": "commit-8", "lesson": True}, "A server has commit, not commit-8"),
        ({"game": "dimonds"}, "There is no game 'dimonds'; did you mean 'diamonds'?"),
        ({"game": "leduc", "players": 5}, "Leduc poker cannot be played by 5; it is for 2 players."),
        ({"game": "diamonds", "options": {"first_spade": "x"}}, "it is dig_on or end_turn (DM-40)."),
        ({"game": "diabolo", "players": 2}, "with the option two_players=on (DI-1)."),
        ({"game": "leduc", "bots": "oracle"}, "'oracle'"),
        ({"game": "leduc", "name": "A name that is too long"}, "A name has 1 to 16 letters"),
        ({"game": "leduc", "pace": -1}, "pace must be at least 0, not -1"),
        ({"game": "leduc", "speed": 1}, "speed: "),
        ({"record": "parlour record 1\ngame: chess\nrules: 1\nplayers: 2\n\n"}, "There is no game 'chess'"),
        ({}, "Say which game."),
        # nobody makes the server work for long
        ({"game": "leduc", "bots": "search:3600s"}, "A bot may think for at most 2 seconds a move here, not 3600."),
        ({"game": "leduc", "bots": "search:nans"}, "at most 2 seconds a move here, not nan."),
        ({"game": "leduc", "bots": "search:1000000"}, "at most 20,000 simulations a move here, not 1,000,000."),
        ({"record": "0: pass\nundo\n" * 1500}, "Too many moves were taken back in this record"),
        ({"record": "0: pass\n" * 20_001}, "A record may have 20,000 lines here"),
        ({"record": "no record"}, ""),
        ({"record": "\0"}, ""),
        ({"record": parlour.load("leduc").new(seed=4).record(0)}, ""),
        ({"record": parlour.load("leduc").new(seed=4).record().replace("leduc", "kuhn")}, ""),
    ],
    ids=lambda one: str(one)[:40],
)
def test_what_cannot_be_had_is_refused_in_one_sentence(house: Server, wanted: Any, sentence: str) -> None:
    answer = post(house, f"{API}/tables", wanted)
    assert answer.status_code == 422
    assert sentence in answer.json()["sentence"]
    assert "\n" not in answer.json()["sentence"]


def test_there_is_no_such_table(house: Server) -> None:
    """Nor is there a socket of it."""
    for name in ("nobody", "BCDFGH", "%00", "%ff%fe", "x" * 200):
        answer = get(house, f"{API}/tables/{name}/record")
        assert (answer.status_code, answer.json()["sentence"]) == (404, "There is no such table.")
        with Guest(house, name) as guest:
            assert guest.drain() == 4404
            assert guest.bye == wire.Bye(reason="There is no such table.", back=False)


def test_who_cannot_sit_is_told_why(house: Server) -> None:
    table = house.make()["table"]
    abe = sit(house, table, "Abe")
    other = house.make()["table"]
    for answer, sentence in (
        (house.seat(table, "Cy", 0), "Seat 0 is Zoé's."),
        (house.seat(table, "Cy"), "Every seat is taken; you can watch."),
        (house.seat(table, "Cy", token=abe["token"]), "You already have a seat at this table."),
        (house.seat(other, "Cy", 7), "There is no seat 7; seats run from 0 to 1."),
        (house.seat(other, "ZOÉ"), "Somebody at this table is called ZOÉ; choose another name, or, if that was you, "
         "ask the host to free that seat."),
    ):  # fmt: skip
        assert (answer.status_code, answer.json()["sentence"]) == (422, sentence)


def test_who_watches_sees_no_hand_and_does_nothing(house: Server) -> None:
    """Nor sits down without a token; and no stranger's command counts as done because another's had the same id."""
    table = house.make()["table"]
    with Guest(house, table) as watcher:
        telling = watcher.told(lambda telling: bool(telling.asked))
        assert (telling.seat, telling.choices) == (-1, [])
        assert telling.view is not None
        assert "hand" not in telling.view
        for do, fields, why in (
            ("sit", {"name": "Abe"}, "token"), ("say", {"text": "One."}, "Spectators have"),
            ("leave", {}, "You have no seat to leave."), ("again", {}, "You are a spectator; sit down first."),
            ("act", {"action": "call"}, "You are a spectator; sit down first."),
        ):  # fmt: skip
            assert why in refusal(watcher.ask(do, **fields))
            assert why in house.command(table, do, **fields).json()["sentence"]
        assert watcher.told(lambda telling: True).seat == -1


def test_who_watched_and_sits_down_is_told_all_that_his_seat_knows(house: Server) -> None:
    with house.guest() as zoe, Guest(house, zoe.table, TOKEN) as watcher:
        zoe.told(is_asked)
        assert is_done(zoe.ask("act", action="raise"))
        watcher.told(lambda telling: telling.heard > 0)
        assert is_done(watcher.ask("sit", name="Abe", seat=1))
        watcher.told(lambda telling: telling.seat == 1)
        with Guest(house, zoe.table, TOKEN) as fresh:
            telling = fresh.told(lambda telling: True)
            assert len(telling.new) == telling.heard > 0
            assert [one.event for one in watcher.story] == [one.event for one in fresh.story]
        assert is_done(watcher.ask("leave"))
        watcher.told(lambda telling: telling.seat == -1)
        assert "dealt" not in [one.event for one in watcher.story]


@pytest.mark.parametrize("reveal", [True, False])
def test_the_record_is_redacted_until_the_match_is_over_and_then_whole(house: Server, reveal: bool) -> None:
    """Unless the deal is to stay closed: then it is never given out."""
    with ExitStack() as stack:
        zoe, abe = two_guests(house, stack, reveal=reveal)
        guests = zoe, abe, stack.enter_context(Guest(house, zoe.table))

        def records() -> list[str]:
            return [record(house, zoe.table, guest.token) for guest in guests]

        assert ["(LE-5)" in text for text in records()] == [True, True, False]
        secret = _there(house.tables.live[zoe.table].secret).hex()
        for over in (False, True):
            if over:
                play_out(zoe, abe)
                if reveal:
                    break
            for text, guest in zip(records(), guests, strict=True):
                assert "\nredacted for: " in text
                assert not re.search("chance:|secret", text)
                guest.ask("say", text="Hm.")  # whatever was on its way has come
                assert secret not in "".join(guest.frames) + house.tables.metrics.text().decode()
        if reveal:
            zoe.until(lambda frame: isinstance(frame, wire.Revealed))
            (whole,) = {*records()}
            assert verify(whole).is_fair


def test_no_match_begins_when_whoever_wants_one_has_gone(house: Server, clock: Clock) -> None:
    """Neither when the others leave too, nor when those who are gone count as away."""
    with ExitStack() as stack:
        zoe, abe = two_guests(house, stack)
        live = house.tables.live[zoe.table]
        play_out(zoe, abe)
        assert is_done(zoe.ask("again"))
        zoe.close()
        wait_until(lambda: len(live.presence.keys()) == 1)
        assert is_done(abe.ask("leave"))
        abe.close()
        wait_until(lambda: not live.presence.keys())
        for seconds in (1.0, 2 * live.table.opened.grace):
            clock.advance(house, zoe.table, seconds)
            assert live.table.match == 1, f"nobody was there, and a match began after {seconds} seconds"
        assert live.table.seats[0].away
        assert not live.table.again, "whoever has gone still wants another match"


def test_remarks_are_heard_by_all_but_those_who_muted_their_author(house: Server) -> None:
    with ExitStack() as stack:
        zoe, abe = two_guests(house, stack)
        watcher = stack.enter_context(Guest(house, zoe.table))
        assert is_done(abe.ask("say", text="Good  luck!"))
        for guest in (zoe, watcher):
            remark = guest.until(lambda frame: isinstance(frame, wire.Remark))
            assert remark == wire.Remark(seat=1, name="Abe", text="Good luck!")
        assert is_done(zoe.ask("mute", name="abe"))
        assert is_done(abe.ask("say", text="You cheat."))
        assert refusal(watcher.ask("say", text="He does not.")).startswith("Spectators have no name here")
        assert is_done(zoe.ask("mute", name="Abe", off=True))
        assert is_done(abe.ask("say", text="Sorry."))
        assert zoe.until(lambda frame: isinstance(frame, wire.Remark)).text == "Sorry."
        assert refusal(zoe.ask("say", text="\u202e")).startswith("The character U+202E changes the direction of text")


def test_a_step_is_taken_back_if_nobody_learned_anything(house: Server) -> None:
    with ExitStack() as stack:
        zoe, abe = two_guests(house, stack)
        assert refusal(abe.ask("undo")).startswith("You can't take anything back: the last move was not yours")
        assert is_done(zoe.ask("act", action="raise"))
        abe.told(is_asked)
        assert is_done(zoe.ask("undo"))
        assert not abe.told(lambda telling: telling.asked == [0]).choices
        for guest in (zoe, abe):
            guest.told(lambda telling: telling.asked == [0])
            assert [one.event for one in guest.story] == ["dealt"]
        assert is_done(zoe.ask("act", action="call"))
        live = house.tables.live[zoe.table]
        live.round = MixingRound(1, live.table.commitment, {0})  # numbers for the next deal, which would not come
        assert "the next deal is being prepared" in refusal(zoe.ask("undo"))
        live.round.is_over = True
        assert is_done(zoe.ask("undo"))
        assert zoe.told(is_asked).choices
        assert is_done(zoe.ask("act", action="call"))
        assert is_done(abe.ask("act", action="call"))  # the board is turned
        assert "You can't take anything back" in refusal(abe.ask("undo"))


async def test_a_command_is_done_once_and_not_about_what_its_guest_has_not_seen() -> None:
    """Whichever server it comes from; what happens to either while servers fail the simulated worlds decide."""
    async with a_table(parlour.load("leduc")) as live:

        async def acts(key: str, name: str, action: str, *seen: tuple[int, int]) -> wire.Answer:
            return await live.do(key, wire.Act(id=name, action=action), *seen)

        for number, key in enumerate(("zoe", "abe")):
            await live.do(key, wire.Sit(id="sit", name=key, seat=number))
        await until(lambda: 0 in live.table.asked)
        seen = live.table.known.moment(0)
        for _ in range(2):
            for key in ("zoe", "abe"):  # another guest's ids are their own
                assert is_done(await acts(key, "first", "call"))
        await until(lambda: 0 in live.table.asked)  # once more, about something else
        assert [step.name for step in live.table.playing.history if step.player >= 0] == ["call", "call"]
        sentence = "Somebody has moved since. Check the table, then try again."
        assert refusal(await acts("zoe", "late", "raise", seen)) == sentence
        assert is_done(await acts("zoe", "now", "raise", live.table.known.moment(0)))


def test_a_program_is_told_that_its_table_is_at_another_server(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the status: the sentence is for people."""
    moved = AsyncMock(side_effect=Moved("The server that runs this table does not answer; reconnect."))
    made = house.make()
    monkeypatch.setattr(LiveTable, "do", moved)
    answer = house.command(made["table"], "undo", made["token"])
    assert (answer.status_code, answer.json()["sentence"][-10:]) == (409, "reconnect.")


async def test_the_token_is_kept_from_scripts_and_other_sites(house: Server, tmp_path: Path) -> None:
    """And the cookie is secure where the connection is."""
    made = post(house, f"{API}/tables", {"game": "leduc", "name": "Zoé"})
    table, token = made.json()["table"], made.json()["token"]
    assert made.headers["set-cookie"].startswith(f"{COOKIE}={token};")
    for answer in (made, house.seat(table, "Abe"), httpx.post(f"{house.url}/play/kuhn", data={"name": "Zoé"})):
        for cookie in answer.headers.get_list("set-cookie"):
            assert {"HttpOnly", "SameSite=lax", "Path=/"} <= {part.strip() for part in cookie.split(";")}
            assert "Secure" not in cookie
    known = httpx.get(f"{house.url}{API}/tables/{table}/record", headers={"Cookie": f"{COOKIE}={token}"})
    later = record(house, table, token)  # something may have happened in the meantime
    assert known.text.startswith("parlour record")
    assert later.startswith(known.text.rstrip())
    assert known.headers["cache-control"] == "no-store"
    tables = Tables(Store(f"sqlite:///{tmp_path / 'p.db'}"), QuickBots())
    browser = httpx.ASGITransport(whole_app(tables))
    async with httpx.AsyncClient(transport=browser, base_url="https://cards.example") as client:
        answer = await client.post(f"{API}/tables", json={"game": "leduc", "name": "Zoé"})
    await tables.close()
    assert "Secure" in answer.headers["set-cookie"]
    assert answer.json()["link"].startswith("https://cards.example/t/")


def test_tokens_cannot_be_guessed(house: Server) -> None:
    """Nor computed by somebody who knows the time, or what another generator has brought."""
    tokens = set()
    for _ in range(5):
        random.seed(1)
        tokens.add(house.make()["token"])
    assert len(tokens) == 5 and min(map(len, tokens)) >= 32  # noqa: PT018


def test_who_sends_too_much_is_slowed_down_and_then_sent_away(
    house: Server, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """So is a page."""
    monkeypatch.setattr(limits, "LONGEST_DELAY", 0.5)
    monkeypatch.setattr(limits, "BURST", 10)
    with house.guest() as zoe:
        begun = clock.time
        for _ in range(20):
            assert isinstance(zoe.ask("why", action="call"), wire.Done | wire.Refused)
        assert clock.time - begun == pytest.approx(0.5), "ten at once, and then one in a twentieth of a second"
        with suppress(ConnectionClosed):
            for _ in range(40):
                zoe.send("why", action="call")
        assert zoe.drain() == 1001
        assert zoe.bye == wire.Bye(reason="Too many commands at once; wait a moment.", back=True)
    with Guest(house, zoe.table, zoe.token) as again:
        assert again.told(lambda telling: True).seat == 0, "nobody is banned"
    with page_of(house) as page:
        with suppress(ConnectionClosed):
            for _ in range(60):
                page.send("nonsense")
        with pytest.raises(ConnectionClosed) as ended:
            deque(iter(lambda: page.recv(LIMIT), None))
    assert _there(ended.value.rcvd).code == 1001


def page_of(house: Server) -> ClientConnection:
    """The connection of a page at a new table of Leduc poker."""
    made = house.make()
    return line_to(house.socket(f"/t/{made['code']}/live"), additional_headers=bearer(made["token"]))


def test_a_page_presses_buttons_over_its_connection(house: Server) -> None:
    """What it sends is a form as a browser would post it; a form that makes no sense gets a sentence."""

    def change_with(key: str) -> Any:
        return next(change[key] for change in map(json.loads, page) if key in change)

    with page_of(house) as page:
        while not change_with("asked"):
            pass
        for form, sentence in (
            ("action=", "Choose something first."),
            ("nonsense", "Choose something first."),
            ("action=fly+away", "There is no action 'fly'"),
            ("kind=raise&amount+raise=7%C2%BD", "How many? '7½' isn't a number."),
            ("kind=raise", "How many? '' isn't a number."),
            ("%ff=%00&action=%f0%9f%98%80", "There is no action"),
            ('{"do": "fly"}', "That isn't a valid command"),
            ("[" * 400, "Choose something first."),
            (f"do=say&text={'a' * 501}", "at most 500 characters"),
            (f"do=mute&mute={'a' * 501}", "at most 500 characters"),
        ):
            page.send(form)
            assert sentence in change_with("refused")["sentence"]
        page.send("action=call")
        assert "You call" in change_with("say")


def test_an_empty_message_asks_whether_the_server_is_there(house: Server) -> None:
    """A page cannot send pings."""
    with page_of(house) as page:
        page.send("")
        while page.recv(LIMIT) != "{}":
            pass
    with house.guest() as zoe:
        zoe.socket.send("")
        zoe.until(lambda frame: frame == wire.Done(id=""))


@pytest.mark.usefixtures("clock")
def test_requests_are_limited_too(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    table = house.make()["table"]
    monkeypatch.setattr(limits, "LONGEST_DELAY", 0.2)
    monkeypatch.setattr(limits, "BURST", 2)
    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda _: house.command(table, "say", TOKEN, text="Hm."), range(30)))
    assert {answer.status_code for answer in answers} == {200, 429}


def test_a_command_is_short_and_a_request_is_not_too_long(house: Server) -> None:
    """And says how long it is; nor is an address too long for a picture."""
    text = "x" * LARGEST_FRAME
    with house.guest() as zoe:
        assert house.command(zoe.table, "say", zoe.token, text=text).status_code == 413
        zoe.send("say", text=text)
        zoe.drain()
        assert zoe.bye == wire.Bye(reason=f"A command may have at most {LARGEST_FRAME} bytes.", back=True)
    with Guest(house, zoe.table, zoe.token) as zoe:
        zoe.socket.send("x" * 100_000)
        assert zoe.drain() == 1009
    for body in (b"x" * (LARGEST_BODY + 1), iter([b"{}"])):
        answer = httpx.post(f"{house.url}{API}/tables", content=body)
        assert (answer.status_code, str(LARGEST_BODY) in answer.json()["sentence"]) == (413, True)
    answer = httpx.get(f"{house.url}/t/{zoe.table}/code.svg", headers={"Host": "x" * 4000})
    too_long = "The address of this server is too long for a picture."
    assert (answer.status_code, answer.json()["sentence"]) == (422, too_long)


@pytest.mark.parametrize("is_stuck", [False, True])
async def test_a_reader_of_lines_who_leaves_is_missed_at_once(is_stuck: bool) -> None:
    """Not only when the next line is sent, or Python collects what nobody needs: no table need go on soon."""
    gone, sent = asyncio.Event(), list[Any]()

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        if is_stuck and len(sent) == 3:
            await asyncio.Event().wait()

    async with a_table(parlour.load("leduc")) as live:
        stream = FrameStream(session := Session(live, ""), session.connect)
        gc.disable()
        try:
            reading = asyncio.create_task(stream({}, receive, send))
            await until(lambda: len(sent) >= 3)  # the beginning, about the table, what is so now
            assert len(live.audience.connections) == 1
            gone.set()
            await until(lambda: not live.audience.connections)
        finally:
            gc.enable()
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


@pytest.mark.parametrize("function", ["legal", "actor", "show", "show_own", "returns"])
def test_a_fault_of_a_game_freezes_its_table_only(
    house: Server, monkeypatch: pytest.MonkeyPatch, function: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A function of the rules fails once Zoé has raised and Abe has folded, but not before, nor anywhere else."""
    rules = definition("leduc").rules
    right = getattr(rules, function)

    def wrong(s: Any, *rest: Any) -> Any:
        if s.paid[0] == 3 if function == "legal" else s.stage == FOLDED:
            raise ZeroDivisionError("a fault of the rules")
        return right(s, *rest)

    with ExitStack() as stack:
        zoe, abe = two_guests(house, stack)
        bystanders = two_guests(house, stack)
        with monkeypatch.context() as patched:
            patched.setattr(rules, function, wrong)
            zoe.ask("act", action="raise")
            if function != "legal":
                abe.told(is_asked)
                abe.ask("act", action="fold")
            for guest in (zoe, abe):
                told = guest.told(lambda telling: bool(telling.frozen))
                assert told.frozen == BROKEN
                assert (told.returns, told.choices, told.over) == ([], [], False)
            assert "a fault of the rules" in caplog.text
            if function not in {"legal", "actor"}:
                play_out(*bystanders)
        assert BROKEN in refusal(abe.ask("act", action="call"))
        assert BROKEN in refusal(zoe.ask("undo"))
        assert is_done(abe.ask("say", text="What now?"))
        assert zoe.until(lambda frame: isinstance(frame, wire.Remark)).text == "What now?"
        assert "0: raise" in record(house, zoe.table, zoe.token)
        assert is_done(zoe.ask("leave"))
        with Guest(house, zoe.table, abe.token) as back:
            assert back.told(lambda telling: not telling.players[0].guest).frozen == BROKEN


def test_an_action_at_which_the_game_fails_is_not_done(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as stack:
        zoe, abe = two_guests(house, stack)
        with monkeypatch.context() as patched:
            patched.setattr(parlour.State, "apply", Mock(side_effect=ZeroDivisionError("a fault of the rules")))
            answer = zoe.ask("act", action="raise", id="fatal")
            assert BROKEN in refusal(answer)
        assert zoe.ask("act", action="raise", id="fatal") == answer
        assert abe.told(lambda telling: bool(telling.frozen)).heard == 1
        assert "raise" not in record(house, zoe.table, zoe.token)


def test_a_log_that_is_damaged_is_kept_and_no_matter_of_other_tables(tmp_path: Path) -> None:
    """One that cannot be played any more, and two that cannot be read at all."""
    with running(tmp_path / "p.db") as there, ExitStack() as stack:
        zoe, abe = two_guests(there, stack)
        assert is_done(zoe.ask("act", action="raise"))
        assert is_done(abe.ask("act", action="raise"))
        later, cut, other = (there.make(listed=True) for _ in range(3))
    rows = entries(tmp_path / "p.db", zoe.table)
    spoilt = next(version for version, entry in rows if b'"did"' in entry)
    did = log.encode(log.Did(0, ["fold"], []))
    with closing(sqlite3.connect(tmp_path / "p.db")) as database, database:
        database.execute("UPDATE entries SET entry = ? WHERE table_id = ? AND version = ?", (did, zoe.table, spoilt))
        database.execute("""UPDATE entries SET entry = '{"what":"later"}' WHERE table_id = ?""", (later["table"],))
        database.execute("DELETE FROM entries WHERE version = 1 AND table_id = ?", (cut["table"],))
    with running(tmp_path / "p.db") as there, Guest(there, zoe.table, zoe.token) as back:
        told = back.told(lambda telling: True)
        assert told.frozen == "its log cannot be played by this software. Nothing is lost: the log is kept."
        assert (told.seat, told.players[1].name) == (0, "Abe")
        assert "its log cannot be played" in refusal(back.ask("act", action="call"))
        assert is_done(back.ask("say", text="What now?"))
        assert is_done(back.ask("leave"))
        for bad in (later["table"], cut["table"]):
            answer = get(there, f"{API}/tables/{bad}")
            assert (answer.status_code, answer.json()["sentence"]) == (422, "The log of this table cannot be read.")
            with Guest(there, bad) as guest:
                guest.drain()
                assert _there(guest.bye).reason == "The log of this table cannot be read."
        assert [table["table"] for table in get(there, f"{API}/tables").json()] == [other["table"]]
        with Guest(there, other["table"], other["token"]) as guest:
            guest.to_the_end()
    assert [entry for _, entry in entries(tmp_path / "p.db", zoe.table)][: len(rows)] == [
        did if version == spoilt else entry for version, entry in rows
    ]


def entries(database: Path, table: str) -> list[tuple[int, bytes]]:
    """The log of a table as it lies in the database."""
    with closing(sqlite3.connect(database)) as connection:
        asked = "SELECT version, CAST(entry AS BLOB) FROM entries WHERE table_id = ? ORDER BY version"
        return list(connection.execute(asked, (table,)))


def test_a_token_is_nowhere_but_with_its_owner(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not in what is written to any log of the program, in the metrics, in the database, in what others are sent."""
    with caplog.at_level(logging.INFO), running(tmp_path / "p.db") as there, ExitStack() as stack:
        zoe, abe = two_guests(there, stack, contributes=True)
        assert is_done(zoe.ask("say", text="Hm."))
        play_out(zoe, abe)
        metrics = there.tables.metrics.text().decode()
        assert "parlour_moves_total" in metrics
        everything = "\n".join(
            [metrics, *abe.frames, record(there, zoe.table), get(there, f"{API}/tables/{zoe.table}").text]
        )
    everything += caplog.text + "".join(repr(vars(record)) for record in caplog.records)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert zoe.table.encode() in kept
    assert "[accepted]" in everything, "the server's own log is not looked at"
    assert zoe.token not in everything
    assert zoe.token.encode() not in kept
    assert fingerprint(zoe.token) not in "\n".join(abe.frames)


async def test_a_bot_takes_as_long_for_any_move(clock: Clock) -> None:
    """Otherwise everybody could tell how much there was to think about."""
    async with a_table(parlour.load("kuhn")) as live:
        live.table.seats[0].bot, live.table.seats[1].bot = "random", "search:0.5s"
        live.stir()
        await until(lambda: live.table.is_over)
        moves = [step.player for step in live.table.state.history if step.player >= 0]  # type: ignore[union-attr]
        assert clock.waited == [0.75 if seat else 0.0 for seat in moves]


def test_a_bot_without_a_choice_takes_as_long_as_the_others_where_many_think(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise its time would tell of its hand as soon as answers take longer than the pace that hides it."""
    slept, view = list[float](), parlour.load("kuhn").new(seed=1).view(0)
    monkeypatch.setattr(time, "sleep", slept.append)
    alone, share = Kind.parsed("search:0.5s"), Kind.parsed("search:0.0625s")
    for many in (alone, share):
        assert bots._choose(alone, 1, msgspec.json.encode(view.dump()), [1], many) == 1
    assert slept == [0.0625]


def unwell(house: Server, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    patch.setattr(house.tables.health, "_pinged", -1.0)  # it looks once a second
    answer = get(house, "/health")
    assert answer.status_code == 503
    found: dict[str, Any] = answer.json()
    return found


def test_a_server_that_cannot_write_is_not_well(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database itself refuses the write that it makes to find out."""
    assert get(house, "/health").json()["ok"]
    engine = house.tables.store.engine

    def read_only(connection: sa.Connection) -> None:
        connection.exec_driver_sql("PRAGMA query_only = ON")

    sa.event.listen(engine, "begin", read_only)
    said = unwell(house, monkeypatch)
    sa.event.remove(engine, "begin", read_only)
    engine.dispose()
    assert (said["reason"], said["clause"]) == ("away", "")
    assert said["sentence"].startswith("The log can be neither written nor read now: attempt to write a readonly")


def test_a_server_whose_disk_is_full_says_so(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if what it writes to find out still has its place in the file."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 1_234_567))
    said = {"sentence": "The disk of the database is full: 1.2 MB are left.", "clause": "", "reason": "full"}
    assert unwell(house, monkeypatch) == said
    fault = sqlite3.OperationalError("database or disk is full")
    fault.sqlite_errorname = "SQLITE_FULL"
    assert database.unreachable(sa.exc.DBAPIError("INSERT", None, fault)).reason == "full"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/duplicate", {"game": "leduc", "people": "2"}), ("/swiss", {"game": "leduc", "title": "Friday"}),
        ("/daily/leduc", {}), ("/play/leduc", {"players": "2"}), ("/learn/leduc", {"name": "Zoé"}),
        ("/t/{code}/replay/1/play", {}), ("/t/{code}/do", {"do": "say", "text": "Friday"}),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)  # fmt: skip
def test_what_a_server_cannot_do_now_is_no_mistake_of_whoever_asks_for_it(
    house: Server, monkeypatch: pytest.MonkeyPatch, path: str, form: dict[str, str]
) -> None:
    """The page says what is the matter, keeps what was typed, and has the status of the server's own troubles."""
    code = house.make()["code"]
    away = Mock(side_effect=Unreachable("The database is away."))
    for kept, name in ((Competitions, "begin"), (Competitions, "enter"), (Store, "make"), (Session, "record_of")):
        monkeypatch.setattr(kept, name, away)
    refused = wire.Refused(id="", sentence="The database is away.", later=True)
    monkeypatch.setattr(Session, "do", AsyncMock(return_value=refused))
    answer = httpx.post(house.url + path.format(code=code), data=form, headers={"Accept": "text/html"})
    assert (answer.status_code, "The database is away." in answer.text) == (503, True)
    assert form.get("title", "") in answer.text


def test_a_server_whose_database_does_not_answer_says_so_and_asks_it_once(
    house: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When it fails at last, nobody waits for that any longer: it is no line of the journal."""
    monkeypatch.setattr(health, "PING", 0.1)
    answers, asked = threading.Event(), list[int]()

    def check() -> None:
        asked.append(1)
        answers.wait(LIMIT)
        if len(asked) == 1:
            raise Unreachable("The database does not answer.")

    monkeypatch.setattr(house.tables.store, "check", check)
    said = [unwell(house, monkeypatch) for _ in range(3)]
    sentence = "The database has not answered for 0.1 seconds."
    assert said == [{"sentence": sentence, "clause": "", "reason": "away"}] * 3
    assert len(asked) == 1
    answers.set()
    wait_until(lambda: get(house, "/health").status_code == 200)
    gc.collect()
    assert "never retrieved" not in caplog.text


def test_what_a_server_counts_is_for_who_runs_it_and_not_for_strangers(house: Server) -> None:
    """It tells when a question was answered that nobody else may notice.  The port for it is this machine's alone."""
    assert get(house, "/metrics").status_code == 404
    port = free_port()
    house.tables.metrics.serve(port)
    assert "parlour_moves_total" in httpx.get(f"http://127.0.0.1:{port}/metrics").text
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=LIMIT):  # noqa: PT011
        pass
    with pytest.raises(ParlourError, match=f"Nothing can listen at 127.0.0.1, port {port}, for metrics"):
        house.tables.metrics.serve(port)


async def goes_away(live: LiveTable, clock: Clock) -> None:
    """Zoé, who has the first seat, reads a page without script until she counts as away; bots play, for somebody
    looks."""
    await live.do("zoe", wire.Sit(id="1", name="Zoé", seat=0))
    live.page_loaded("zoe", 60)
    await until(lambda: not live.table.seats[0].away)
    for seconds in (59, 2, 10):
        await clock.goes_on(live, seconds)
    assert live.table.seats[0].away
    live.connect(Connection("abe"))


async def test_whoever_is_muted_is_muted_where_their_messages_are_left_out() -> None:
    """That is the server to which the guest is connected, whichever runs the table."""
    async with a_table(parlour.load("leduc")) as live:
        live.lose()
        live.connect(zoe := Listener("zoe"))
        assert is_done(await live.do("zoe", wire.Mute(id="1", name="Abe")))
        for name in ("Abe", "Ben"):
            live.committed(Change(log.ChatSent(1, name, "Hm.")), None)
        assert [one.name for one in map(wire.decode, zoe.packets) if isinstance(one, wire.Remark)] == ["Ben"]


async def test_a_guest_who_is_away_says_what_silence_means(clock: Clock) -> None:
    """Between hands, ``continue`` (DB-77), though the bot that plays for them would leave."""
    leaving = RuledBots(lambda _, legal: LEAVE if LEAVE in legal else legal[0])
    game = parlour.load("diamondback", version="match", first_dealer=0)
    async with a_table(game, leaving, grace=10) as live:
        await goes_away(live, clock)

        def votes() -> set[str]:
            steps = live.table.state.history if live.table.state else []
            return {step.name for step in steps if step.player == 0} & {"continue", "end", "leave"}

        await until(votes)
        assert votes() == {"continue"}


@pytest.mark.parametrize(
    ("absences", "said"), [("on", ["leave the table", "stay away", "stay away"]), ("off", ["check", "check"])]
)
async def test_a_guest_who_is_away_is_absent_from_dividha_if_somebody_can_be(
    clock: Clock, absences: str, said: list[str]
) -> None:
    """Else a bot plays for them, and leaves all as it is between two hands (DV-221, DV-222)."""

    def is_between_hands(shown: View | parlour.State) -> bool:
        return bool(shown.observation()["stage"] == "between hands")

    proposing = RuledBots(lambda view, legal: legal[-1 if is_between_hands(view) else 0])
    game = parlour.load("dividha", 3, absences=absences, between_hands="asked", ante_start=4, deals=3)
    async with a_table(game, proposing, grace=10) as live:
        await goes_away(live, clock)
        await until(lambda: live.table.is_over)
        state = live.table.playing
        theirs = [(i, step.name) for i, step in enumerate(state.history) if step.player == 0]
        assert [name for i, name in theirs if is_between_hands(state.at(i)) or absences == "on"] == said


@pytest.mark.parametrize(
    "who",
    ["nobody else", "a spectator", "another guest", "a page without script", "a page at another server",
     "a page that never says so", "a page that says nothing more"],
)  # fmt: skip
async def test_bots_wait_for_what_the_page_of_the_only_guest_has_shown(
    who: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where anybody else plays or looks, the pace would tell them how much only the guest was told."""
    async with a_table(parlour.load("leduc"), first_choice(), pace=1.0) as live:
        table, mine = live.table, await has_a_seat(live, 1)
        if who in ("a spectator", "another guest"):
            live.connect(Connection("abe" if "guest" in who else ""))
        if who == "a page without script":
            for key in ("abe", "zoe"):
                await live.tables.session(live.code, key)  # type: ignore[attr-defined]
        monkeypatch.setattr(Neighbours, "may_exist", who == "a page at another server")
        if who != "a page that never says so":
            live.shows(mine, wire.Shown(id="2", match=0, heard=0))
        assert live.is_alone("zoe") == (who == "nobody else" or "says" in who)
        live.stir()
        if who in ("nobody else", "a page that says nothing more"):
            await until(lambda: clock.waited and live.table.asked == (0,))  # the bot has chosen
            for step in range(3 if who == "nobody else" else 0):
                for _ in range(20):
                    await asyncio.sleep(0)
                assert table.asked == (0,), step
                live.shows(mine, wire.Shown(id="3", match=1, heard=0))  # not all of it
            if who == "nobody else":
                live.shows(mine, wire.Shown(id="4", match=1, heard=table.known.heard(1)))
            else:
                clock.time += SILENT
                live.croupier.wake()
        await until(lambda: table.asked == (1,))


async def has_a_seat(live: LiveTable, seat: int) -> Connection:
    """Zoé sits down, and is connected."""
    await live.do("zoe", wire.Sit(id="1", name="Zoé", seat=seat))
    mine = Connection("zoe", steps=True)
    live.connect(mine)
    return mine


async def test_who_is_in_a_hurry_waits_no_longer_for_a_bot_that_rests() -> None:
    """The bot has begun to take its minute when the only guest says so."""
    async with a_table(parlour.load("leduc"), first_choice(), pace=60.0) as live:
        mine = await has_a_seat(live, 1)
        live.shows(mine, wire.Shown(id="2", match=1, heard=10_000))
        await until(lambda: live.table.asked == (0,))
        await asyncio.sleep(0)
        live.shows(mine, wire.Shown(id="3", match=1, heard=10_000, hurry=True))
        await until(lambda: live.table.asked == (1,))


@pytest.mark.parametrize(
    ("says", "pauses"), [("shown", [1.0, 0.5, 0.5]), ("hurry", [0.0, 0.0, 0.0]), ("", [1.0, 1.0, 1.0])]
)
async def test_bots_take_less_time_in_a_row_and_none_in_a_hurry_where_the_page_sets_the_pace(
    says: str, pauses: list[float], clock: Clock
) -> None:
    """The first bot after a guest takes all of it; where others may look on, each does."""
    state = parlour.load("dividha", 4).new(seed=1)
    while state.acting != (0,):
        state.apply(state.legal_actions(state.acting[0])[0], state.acting[0])
    async with a_table(state.game, first_choice(), state.record(), pace=1.0) as live:
        table, mine = live.table, await has_a_seat(live, 0)
        await until(lambda: table.asked == (0,))
        await clock.goes_on(live, 10)  # the bot that had this seat may have begun to rest
        clock.waited.clear()
        if says:
            live.shows(mine, wire.Shown(id="2", match=1, heard=10_000, hurry=says == "hurry"))
        await live.do("zoe", wire.Act(id="3", action=table.game.action_names[table.known.question(0)[1][0]]))
        await until(lambda: len(clock.waited) >= 3)
        assert clock.waited[:3] == pauses


async def test_nobodys_time_runs_while_the_page_shows_what_has_happened(clock: Clock) -> None:
    """A guest who has 15 seconds for a choice has them from when they can see that it is their turn."""
    async with a_table(parlour.load("leduc"), first_choice(), pace=1.0, patience=15.0) as live:
        table, mine = live.table, await has_a_seat(live, 0)
        live.shows(mine, wire.Shown(id="2", match=0, heard=0))
        await until(lambda: table.asked == (0,))
        heard = table.known.heard(0)
        for shown in range(heard):
            await clock.goes_on(live, 10)
            assert not table.seats[0].away
            live.shows(mine, wire.Shown(id="3", match=1, heard=shown))
        live.shows(mine, wire.Shown(id="4", match=1, heard=heard))
        await clock.goes_on(live, 0.01)
        await clock.goes_on(live, 14)
        assert not table.seats[0].away
        clock.time += 2
        live.stir()
        await until(lambda: table.seats[0].away)


@pytest.mark.parametrize(("steps", "pace"), [(True, 1.0), (False, 1.0), (True, 0.0)])
async def test_bots_let_pages_show_first_what_has_been_done(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, steps: bool, pace: float
) -> None:
    """Half a second for each sentence that all have been told, three at most, where somebody looks step by step."""
    slept = list[tuple[int, float]]()
    async with a_table(parlour.load("pope_joan", 5), first_choice(), pace=pace) as live:
        mine = asyncio.get_running_loop()

        async def sleep(seconds: float) -> None:
            if asyncio.get_running_loop() is mine:  # a server of other tests may still have bots at play
                slept.append((live.table.known.heard(WATCHER), seconds))
            await clock._sleep(seconds)

        monkeypatch.setattr("parlour.server.common.clock.sleep", sleep)
        live.connect(Connection("abe", steps=steps))
        await until(lambda: len(slept) > 40)
    news = [after - before for (before, _), (after, _) in pairwise(slept)]
    assert max(news) > 6
    for said, (_, seconds) in zip(news, slept[1:], strict=True):
        assert seconds == (max(pace, min(3.0, said / 2)) if steps and pace else pace)
