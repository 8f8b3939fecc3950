"""A guest's client: it stays connected, does what it is told once, and watches the deal; the guide's bot is one."""

from __future__ import annotations

import asyncio
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, ConnectionClosedError
from websockets.frames import Close, CloseCode

import parlour
from parlour.base.errors import IllegalAction, ParlourError
from parlour.base.languages import translated
from parlour.core.fair_deal import new_deal, pledge
from parlour.core.ledger import fair_outcome
from parlour.server.client.client import Client, Found, Lost, Snapshot, _next_quiet
from parlour.server.client.tickets import Ticket, read_link
from parlour.server.client.witness import Witness
from parlour.server.common import wire
from parlour.server.live.mixing_round import MixingRound
from tests.helpers import there
from tests.room_helpers import a_table, running
from tests.waiting import LIMIT
from tests.worlds import Listener


def telling(state: parlour.State, seat: int, **more: Any) -> wire.Telling:
    told, legal = state.events(seat), [] if seat < 0 else state.legal_actions(seat)
    known: dict[str, Any] = {
        "version": 1, "match": 1, "seat": seat, "view": None, "items": list(state.view(seat).items),
        "players": [wire.SeatHolder(n, "random", True, False) for n in ("Ann", "Bert")], "heard": len(told),
        "new": [wire.Sentence(t.text, t.clause, t.event, t.who, t.a, t.b) for t in told], "asked": list(state.acting),
        "hushed": False, "choices": [wire.Choice(a, state.game.action_names[a]) for a in legal],
        "over": False, "returns": [], "again": [],
    }  # fmt: skip
    return wire.Telling(**{**known, **more})


ABOUT = wire.About(
    table="t", code="QWRTZP", game="kuhn", players=2, options={}, reveal=True, pace=0.0, beat=1.0, patience=0.0
)


async def send(socket: ServerConnection, *frames: wire.AnyFrame) -> None:
    for frame in frames:
        await socket.send(wire.encode(frame).decode())


@asynccontextmanager
async def client_at(handler: Callable[[ServerConnection], Awaitable[None]]) -> AsyncIterator[Client]:
    """A client at a server that does what a test says."""
    async with asyncio.timeout(LIMIT), serve(handler, "127.0.0.1", 0, close_timeout=0.2) as server:
        host, port = next(iter(server.sockets)).getsockname()[:2]
        ticket = Ticket(f"http://{host}:{port}", "t", f"http://{host}:{port}/t/QWRTZP", 0, "a-token")
        async with Client(ticket) as client:
            yield client


def dealt(*then: str) -> parlour.State:
    state = parlour.load("kuhn").new()
    state.call_players(["Ann", "Bert"])
    for step in ("K", "J", *then):
        state.apply(step)
    return state


def test_links() -> None:
    for link, server in (
        ("http://cards.example/t/QWRTZP", "http://cards.example"),
        ("https://cards.example:8443/t/QWRTZP/", "https://cards.example:8443"),
        ("localhost:8000/t/QWRTZP", "http://localhost:8000"),
        ("http://cards.example/parlour/t/QWRTZP?from=mail", "http://cards.example/parlour"),
        (" [::1]:8000/t/QWRTZP ", "http://[::1]:8000"),
    ):
        assert read_link(link) == (server, "QWRTZP")
    for said, wrong in {
        "looks like http://": ("", "QWRTZP", "http://cards.example", "http://cards.example/t/", "ftp://x/t/QW"),
        "The address of a server looks like http": [f"http://{host}/t/QWRTZP" for host in ("[::1", "[::1]x", "caf²")],
        "65535": ["localhost:99999/t/QWRTZP"],
    }.items():
        for link in wrong:
            with pytest.raises(ParlourError, match=said):
                read_link(link)


async def test_a_command_is_sent_until_it_is_answered_and_always_under_the_same_id() -> None:
    asked, ids = list[str](), list[str]()

    async def table(socket: ServerConnection) -> None:
        assert socket.request is not None
        assert socket.request.headers["Authorization"] == "Bearer a-token"
        asked.append(socket.request.path)
        state = dealt()
        await send(socket, ABOUT, telling(state, 0))
        async for text in socket:
            command = wire.command(text)
            assert isinstance(command, wire.Act)
            ids.append(command.id)
            if len(ids) < 3:
                socket.transport.abort()  # the connection breaks before the answer is out
                return
            state.apply(command.action, 0)
            await send(socket, telling(state, 0, new=[], heard=2), wire.Done(id=command.id))

    async with client_at(table) as client:
        events = client.events()
        seen = [await anext(events) for _ in range(2)]
        assert [type(e) for e in seen] == [wire.About, Snapshot]
        assert client.known is not None
        assert client.known.legal == [0, 1]
        assert client.known.view == dealt().view(0)
        await client.act("bet")
        while len(seen) < 8:
            seen.append(await anext(events))
    assert [[type(e) for e in seen].count(kind) for kind in (Lost, Found)] == [2, 2]
    assert (len(ids), len({*ids})) == (3, 1)
    first = {"view": ["items"], "mix": ["1"]}
    again = {**first, "match": ["1"], "seat": ["0"], "heard": [str(len(dealt().events(0)))]}
    assert [parse_qs(urlsplit(path).query) for path in asked] == [first, again, again]


async def test_a_server_that_stands_still_is_not_waited_for() -> None:
    """It ends no connection and answers nothing: the client tries another connection, over which it asks again for what
    was not answered."""
    lines, ids = list[ServerConnection](), list[str]()

    async def table(socket: ServerConnection) -> None:
        lines.append(socket)
        await send(socket, ABOUT, telling(dealt(), 0))
        if len(lines) == 1:
            socket.transport.pause_reading()
        with suppress(ConnectionClosed):
            async for text in socket:
                ids.append(wire.command(text).id)
                await send(socket, wire.Done(id=ids[-1]))

    async with client_at(table) as client:
        events = client.events()
        while client.known is None:
            await anext(events)
        await client.act("bet")
    assert (len(ids), len(lines)) == (1, 2)


def test_a_line_that_is_slow_is_given_more_time_and_a_server_that_failed_after_long_is_not() -> None:
    silence = ConnectionClosedError(None, Close(CloseCode.INTERNAL_ERROR, "keepalive ping timeout"))
    assert _next_quiet(1.2, silence, lasted=3600) == 1.2
    assert _next_quiet(1.2, silence, lasted=3) == 2.4
    assert _next_quiet(2.4, TimeoutError(), lasted=3) == 4.8
    assert _next_quiet(16, silence, lasted=3) == 20
    assert _next_quiet(4.8, silence, lasted=3600) == 1.2
    assert _next_quiet(4.8, ConnectionRefusedError(), lasted=3) == 4.8


async def test_a_refusal_has_its_clause_and_commands_of_different_moments_have_different_ids() -> None:
    ids = list[str]()
    refused = {wire.Why: ("Not now.", "KU-7"), wire.Undo: ("There is nothing to take back.", "")}

    async def table(socket: ServerConnection) -> None:
        await send(socket, ABOUT, telling(dealt(), 0))
        async for text in socket:
            command = wire.command(text)
            ids.append(command.id)
            said, clause = refused.get(type(command), ("", ""))
            no = wire.Refused(id=command.id, sentence=said, clause=clause)
            await send(socket, no if said else wire.Done(id=command.id))

    async with client_at(table) as client:
        with pytest.raises(IllegalAction, match="Not now") as why:
            await client.why("bet")
        assert why.value.clause == "KU-7"
        with pytest.raises(ParlourError, match="nothing to take back"):
            await client.undo()
        await client.say("hello")
        await client.say("hello")
    assert len(set(ids)) == 4


async def test_what_was_taken_back_is_no_longer_in_the_story() -> None:
    first, bet, passed = (telling(dealt(*steps), 0) for steps in ([], ["bet"], ["pass"]))

    async def table(socket: ServerConnection) -> None:
        taken_back = telling(dealt(), 0, new=[], heard=first.heard)
        then = telling(dealt("pass"), 0, new=passed.new[first.heard :])
        await send(socket, ABOUT, bet, taken_back, then, wire.Bye(reason="Good night.", back=False))

    async with client_at(table) as client:
        assert [type(event) async for event in client.events()] == [wire.About, *[Snapshot] * 3, wire.Bye]
        assert there(client.known).story == tuple(passed.new)


@pytest.mark.parametrize("why", ["There is no such table here.", "4403", "different rules of kuhn"])
async def test_a_client_does_not_knock_for_ever_where_it_cannot_play(why: str) -> None:
    """Nor does it wait for what nobody will answer any more."""
    knocks = list[ServerConnection]()

    async def table(socket: ServerConnection) -> None:
        knocks.append(socket)
        if why.startswith("different"):
            await send(socket, ABOUT, telling(dealt(), 0, choices=[wire.Choice(0, "fold")]))
        else:
            await socket.close(*((4403, "") if why == "4403" else (4404, why)))
        await socket.wait_closed()

    async with client_at(table) as client:
        with pytest.raises(ParlourError, match=why):
            assert [event async for event in client.events()] == []
        with pytest.raises(ParlourError, match=why):
            await client.say("is anybody there?")
    assert len(knocks) == 1


async def test_what_is_asked_of_a_table_that_closes_is_answered() -> None:
    async def table(socket: ServerConnection) -> None:
        await send(socket, ABOUT, telling(dealt(), 0))
        await socket.recv()
        await send(socket, wire.Bye(reason="This table is closed.", back=False))

    async with client_at(table) as client:
        with pytest.raises(ParlourError, match="ended the connection"):
            await client.act("bet")


class Host:
    """The host of one match for two guests, of whom seat 0 is the client: honest, unless a test makes it otherwise."""

    def __init__(self) -> None:
        self.secret = secrets.token_bytes(32)
        self.commitment = new_deal(self.secret).commitment
        self.other = secrets.token_bytes(32)
        self.pledges = {1: pledge(self.commitment, self.other)}
        self.nonces = {1: self.other.hex()}
        self.ids = map(str, count(1))

    def mixing(self, stage: str, match: int = 1) -> wire.MixingStage:
        pledges, nonces = {} if stage == "pledge" else {**self.pledges}, {**self.nonces} if stage == "mixed" else {}
        return wire.MixingStage(stage=stage, match=match, commitment=self.commitment, pledges=pledges, nonces=nonces)

    def asks(self, witness: Witness, stage: str, fresh: bool = True) -> wire.Pledge | wire.Nonce | None:
        """What the guest answers to a stage; it counts."""
        answer = witness.answer(0, self.mixing(stage), next(self.ids), fresh=fresh)
        if isinstance(answer, wire.Pledge):
            self.pledges[0] = answer.pledge
        elif isinstance(answer, wire.Nonce):
            self.nonces[0] = answer.nonce
        return answer

    def mix(self, witness: Witness) -> None:
        for stage, kind in (("pledge", wire.Pledge), ("nonce", wire.Nonce), ("mixed", type(None))):
            assert isinstance(self.asks(witness, stage), kind)

    def blamed(self, witness: Witness) -> list[str]:
        """What the guest says against the whole record of a match in which everybody passed."""
        state = parlour.load("kuhn").new()
        numbers = {seat: bytes.fromhex(nonce) for seat, nonce in self.nonces.items()}
        state.ledger.fair = new_deal(self.secret).mixed(0, numbers)
        while not state.is_terminal:
            state.apply(fair_outcome(state) if state.current_player == parlour.CHANCE else "pass")
        return witness.against(state.record(), ["Ann", "Bert"])


def test_numbers_go_in_and_an_honest_host_is_not_accused() -> None:
    """Nor by a guest who has left since and misses a number, nor by one who puts none in."""
    host, witness = Host(), Witness()
    host.mix(witness)
    assert pledge(host.commitment, bytes.fromhex(host.nonces[0])) == host.pledges[0]
    assert witness.whole
    assert host.blamed(witness) == []
    host, witness = Host(), Witness()
    for stage in ("pledge", "nonce"):
        host.asks(witness, stage)
    del host.nonces[0]
    witness.told(telling(dealt(), -1))
    host.asks(witness, "mixed")
    assert host.blamed(witness) == []
    host, silent = Host(), Witness(contributes=False)
    assert host.asks(silent, "pledge") == wire.Pledge(id="1", match=1, pledge="")
    assert [host.asks(silent, stage) for stage in ("nonce", "mixed")] == [None, None]
    assert host.blamed(silent) == []


def test_a_mixing_that_is_shown_again_gets_the_same_number() -> None:
    """Its pledge, and the number itself if it was lost with the connection."""
    host, witness, given = Host(), Witness(), list[str]()
    first = host.asks(witness, "pledge")
    witness.away()
    again = host.asks(witness, "pledge")
    assert isinstance(first, wire.Pledge)
    assert isinstance(again, wire.Pledge)
    for _ in range(2):
        host.asks(witness, "nonce")
        given.append(host.nonces.pop(0))
        witness.away()
    assert given[0] == given[1]
    assert again.pledge == first.pledge == pledge(host.commitment, bytes.fromhex(given[0]))
    del host.pledges[0]  # another server has begun afresh, without this guest
    host.asks(witness, "mixed")
    assert host.blamed(witness) == []


def test_a_pledge_that_comes_too_late_may_count_in_the_next_mixing() -> None:
    host, witness = Host(), Witness()
    host.asks(witness, "pledge")
    late = host.pledges.pop(0)
    for stage in ("nonce", "mixed", "pledge"):
        host.asks(witness, stage)
    host.pledges[0] = late
    assert host.asks(witness, "nonce") is not None
    assert "did not make" not in str(host.blamed(witness))


@pytest.mark.parametrize(("was_away", "has_gone_on"), [(False, False), (True, False), (True, True)])
def test_a_number_that_has_been_told_is_not_used_again(was_away: bool, has_gone_on: bool) -> None:
    """Who asks for one again has cheated, but not if the table has gone on without the guest."""
    host, witness, before = Host(), Witness(), telling(parlour.load("kuhn").new(), 0)
    witness.told(before)
    host.asks(witness, "pledge")
    first = host.pledges[0]
    assert host.asks(witness, "nonce") is not None
    if was_away:
        witness.away()
        witness.told(telling(dealt(), 0) if has_gone_on else before)
    host.asks(witness, "pledge")
    assert host.pledges[0] != first
    said = "The server collected numbers again after yours had been revealed."
    assert (said in host.blamed(witness)) is not has_gone_on


async def test_who_comes_back_during_a_mixing_is_told_first_how_far_the_table_is() -> None:
    guest = Listener("guest")
    async with a_table(parlour.load("kuhn")) as live:
        live.round = MixingRound(1, Host().commitment, {0})
        live.connect(guest)
        live.lose()  # another server runs the table, and may begin the mixing afresh
        live.connect(later := Listener("guest"))
    told, told_later = ([type(wire.decode(packet)) for packet in one.packets] for one in (guest, later))
    assert told.index(wire.Telling) < told.index(wire.MixingStage)
    assert wire.MixingStage not in told_later


async def test_who_has_left_contributes_nothing_for_the_guest_who_has_their_seat_now() -> None:
    host, said = Host(), list[str]()

    async def leads(socket: ServerConnection) -> None:
        host.pledges[0] = pledge(host.commitment, bytes(32))
        mixing = map(host.mixing, ("pledge", "nonce", "mixed"))
        await send(socket, ABOUT, telling(dealt(), -1), *mixing, wire.Bye(reason="", back=False))
        said.extend([str(text) async for text in socket])

    async with client_at(leads) as client:
        assert len([event async for event in client.events()]) == 6
        assert "did not make" not in str(host.blamed(client.witness))
    assert not said


@pytest.mark.parametrize(
    ("after", "breach", "said"),
    [
        ("nonce", lambda host: host.nonces.pop(0), "The server left out your number."),
        ("pledge", lambda host: host.pledges.pop(1), "Bert used a number that was not pledged."),
        (
            "nonce", lambda host: host.nonces.update({1: bytes(32).hex()}),
            "Bert used a number that does not match its pledge.",
        ),
        ("nonce", lambda host: host.nonces.pop(1), "Bert pledged a number that never arrived."),
        ("pledge", lambda host: host.pledges.update({0: pledge(host.commitment, bytes(32))}), "did not make"),
    ],
)  # fmt: skip
def test_who_breaks_the_rule_of_a_mixing_is_named(after: str, breach: Callable[[Host], object], said: str) -> None:
    """And a pledge that one did not make gets no number."""
    host, witness, answers = Host(), Witness(), list[object]()
    for stage in ("pledge", "nonce"):
        answers.append(host.asks(witness, stage))
        if stage == after:
            breach(host)
    host.asks(witness, "mixed")
    found = host.blamed(witness)
    assert found == [said] if said != "did not make" else said in found[0]
    assert translated(found[0], "de").startswith(("Der Server", "Bert hat"))
    assert (answers[1] is None) == (said == "did not make")


def test_a_record_that_shows_something_else_is_found_out() -> None:
    """And numbers that nobody was shown are, by whoever was there all the time."""
    host, witness, other = Host(), Witness(), Host()
    host.mix(witness)
    other.mix(Witness())
    assert other.blamed(witness) == [
        "The server's record has a different commitment from the one you were shown.",
        "The server's record has different numbers from those you were shown.",
    ]
    host, here, lost, late = Host(), Witness(), Witness(), Witness()
    for witness in (here, lost, late):
        host.asks(witness, "pledge", fresh=witness is not late)
    lost.away()  # the mixing took place, and none of them was shown it
    assert host.blamed(here) == ["The server's record has numbers that you were not shown."]
    assert host.blamed(lost) == host.blamed(late) == []


def test_a_second_match_is_another_matter() -> None:
    host, witness = Host(), Witness()
    host.mix(witness)
    for match, knows in ((1, True), (2, False)):
        witness.arrived(match)
        assert (witness.commitment, witness.whole) == ((host.commitment, True) if knows else ("", False))
    second = Host()
    assert witness.answer(0, second.mixing("pledge", match=3), "4", fresh=True) is not None
    witness.arrived(2)  # a telling of the match before comes late
    assert (witness.commitment, witness.whole) == (second.commitment, True)


BOT = Path(__file__).parents[3] / "docs" / "examples" / "bot.py"


def test_the_bot_of_the_guide_plays_a_game_to_its_end(tmp_path: Path) -> None:
    """In about thirty lines."""
    lines = [line for line in BOT.read_text().splitlines() if line.strip()]
    assert len(lines) <= 35
    assert all(len(line) <= 120 for line in lines)
    with running(tmp_path / "log.db") as server:
        command = [sys.executable, str(BOT), server.lay("diamonds")]
        played = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert played.returncode == 0, played.stderr
    assert '"frame"' not in played.stdout
    assert played.stdout.splitlines()[-1].startswith("Returns: [")
