"""Nonsense at the server's door: requests made from its own description, and frames of every kind on its socket.

Whatever comes, there is an answer, it is none of the server's own faults, and the table goes on.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import checks
from schemathesis.core.result import Ok

from parlour.server.common import limits, wire
from parlour.server.web.api import API
from tests.helpers import examples
from tests.room_helpers import Guest, Server, bearer, line_to, running
from tests.waiting import LIMIT, wait_until


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that does not slow its guests down, with a table that has a known code."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(limits, "BURST", 10_000_000)
        with running(tmp_path_factory.mktemp("room") / "parlour.db") as there:
            yield there


def test_requests_made_from_the_description_are_answered_as_it_says(house: Server) -> None:
    """Half of them it allows.  Every second call is about a table that exists, every third one by a guest of it."""
    description = schemathesis.openapi.from_url(f"{house.url}/openapi.json", timeout=LIMIT)
    made, calls, answers = house.make(), count(), defaultdict[str, set[int]](set)

    def call(case: Any) -> None:
        n = next(calls)
        if n % 2 and "table" in case.path_parameters:
            case.path_parameters["table"] = made["table"]
        headers = None if n % 3 else bearer(made["token"])
        answer = case.call(headers=headers, timeout=LIMIT)
        excluded = [checks.positive_data_acceptance]  # the description cannot say all that the rules of a game say
        if answer.status_code == 413:  # refused before anybody looked into it, which the check does not know
            excluded.append(checks.negative_data_rejection)
        case.validate_response(answer, headers=headers, excluded_checks=excluded)
        answers[case.operation.label].add(answer.status_code)

    often = settings(max_examples=4, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    for found in description.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        for mode in schemathesis.GenerationMode:
            if not operation.path.endswith("/frames"):  # it never ends; it has a test of its own
                with contextlib.suppress(Unsatisfiable):  # nothing that is not allowed can be sent without input
                    often(given(operation.as_strategy(generation_mode=mode))(call))()
    assert len(answers) == 8
    assert 200 in answers["GET /api/1/tables/{table}"]
    assert {200, 422} <= answers["POST /api/1/tables/{table}/commands"]


def test_what_a_seat_is_told_can_be_read_as_lines(house: Server) -> None:
    made = house.make()
    with httpx.stream(
        "GET", f"{house.url}{API}/tables/{made['table']}/frames?view=items", headers=bearer(made["token"])
    ) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        lines = answer.iter_lines()
        assert isinstance(wire.decode(next(lines)), wire.About)
        while not (isinstance(frame := wire.decode(next(lines)), wire.Telling) and frame.choices):
            pass
        assert frame.view is None
        assert frame.items
        act = {"do": "act", "id": "1", "action": frame.choices[0].name}
        httpx.post(f"{house.url}{API}/tables/{made['table']}/commands", json=act, headers=bearer(made["token"]))
        while not (isinstance(later := wire.decode(next(lines)), wire.Telling) and later.heard > frame.heard):
            pass
    wait_until(lambda: not house.tables.live[made["table"]].audience.connections)


ODD: list[str | bytes] = [
    b"[" * 500_000, b'{"pace":' + b"9" * 5000 + b"}", b"\xff", b"", b"null", b"7",
    *(json.dumps({"game": "leduc", field: text}) for field in ("name", "game", "bots", "record")
      for text in ("\0", "\ud800", "\u202e", "x" * 500_000, "[" * 100_000)),
    *(f'{{"game": "leduc", "{what}": {number}}}' for what in ("pace", "beat", "grace", "patience")
      for number in ("NaN", "Infinity", "-Infinity", "1e999")),
]  # fmt: skip


@pytest.mark.parametrize("body", ODD, ids=lambda body: str(body[:50]))
def test_odd_bodies_are_mistakes_of_the_request(house: Server, body: str | bytes) -> None:
    answer = httpx.post(f"{house.url}{API}/tables", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in {400, 422}
    assert answer.json()["sentence"]


NAMES = st.sampled_from(["Zoé", "Ben", "A spectator", "", "\0", "x" * 61]) | st.text(max_size=70)
WORDS = st.sampled_from(["call", "raise", "fold", "call call", "7", "", "\n"]) | st.text(max_size=60)
HEX = st.binary(min_size=32, max_size=32).map(bytes.hex) | st.text(max_size=70)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "id": st.text("ab.1:_-", min_size=1, max_size=3) | st.text(max_size=50) | st.integers(), "action": WORDS,
    "text": st.text(max_size=520), "name": NAMES, "off": st.booleans() | st.none(),
    "seat": st.integers() | st.sampled_from([-1, 0, 1, 2]), "match": st.integers(0, 2), "pledge": HEX, "nonce": HEX,
}  # fmt: skip
NEEDS = {"act": "action", "why": "action", "say": "text", "mute": "name", "sit": "name", "pledge": "match pledge"}
DO = st.sampled_from(
    ["act", "why", "undo", "say", "mute", "sit", "leave", "again", "remove", "allow", "pledge", "nonce", "fly"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*FIELDS, "do"]), inner, max_size=4),
    max_leaves=10,
)


@st.composite
def commands(draw: st.DrawFn) -> dict[str, Any]:
    """A command with the fields that it needs, mostly; their values are anybody's guess."""
    do = draw(DO)
    names = {"id", *NEEDS.get(do, "").split()} | draw(
        st.sets(st.sampled_from(sorted(FIELDS)), max_size=draw(st.sampled_from([0, 0, 2])))
    )
    return {"do": do, **{name: draw(FIELDS[name]) for name in sorted(names)}}


NESTED = st.integers(1, 1900).map(lambda n: '{"x":' + "[" * n + "]" * n + ',"do":"undo","id":"1"}')
MESSAGES = (
    st.binary(max_size=200)
    | st.text(max_size=200)
    | JSON.map(json.dumps)
    | commands().map(json.dumps)
    | commands().map(lambda command: json.dumps(command).encode())
    | NESTED
)


def send_all(house: Server, made: dict[str, Any], token: str, messages: list[str | bytes], **asked: Any) -> None:
    """Send these messages over one connection: each gets one answer, and the connection is still good."""
    with Guest(house, made["table"], token, **asked) as guest:
        for message in messages:
            guest.socket.send(message)
            guest.until(lambda frame: isinstance(frame, wire.Done | wire.Refused))
        assert isinstance(guest.ask("why", action="call"), wire.Done | wire.Refused)


def test_whatever_comes_over_a_socket_is_answered(house: Server, caplog: pytest.LogCaptureFixture) -> None:
    made = house.make(pace=0, grace=0.1, beat=0)

    @given(st.lists(MESSAGES, min_size=1, max_size=8), st.booleans())
    @examples(60)
    def send(messages: list[str | bytes], is_guest: bool) -> None:
        send_all(house, made, made["token"] if is_guest else "", messages, mix=1)

    send()
    shown = httpx.get(f"{house.url}{API}/tables/{made['table']}").json()
    assert shown["game"] == "leduc"
    assert not house.tables.live[made["table"]].table.frozen
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@given(query=st.dictionaries(st.sampled_from(["match", "seat", "heard", "view", "mix"]), st.text(max_size=12)))
@examples(30)
def test_whatever_a_socket_is_asked_for_it_begins_with_the_table(house: Server, query: dict[str, str]) -> None:
    made = house.make()
    address = house.socket(f"{API}/tables/{made['table']}/socket?{urlencode(query)}")
    with line_to(address, additional_headers=bearer(made["token"])) as socket:
        assert isinstance(wire.decode(socket.recv(LIMIT)), wire.About)
        while not isinstance(frame := wire.decode(socket.recv(LIMIT)), wire.Telling):
            pass
        assert len(frame.new) <= frame.heard
