"""A review tells nothing but of somebody's own choices: who is told of it at a server, and when.

What is sent and asked is compared in ``test_page_leaks.py``, byte by byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from msgspec import json

import parlour
from parlour.engine.telling import View
from parlour.players.player import Advice
from parlour.server.bots.bots import Bots
from parlour.server.club import daily
from parlour.server.common import wire
from tests.page_helpers import HELD_THE_KING
from tests.room_helpers import Guest, QuickBots, Server, running
from tests.server.bots.test_reviews import reviewed, section
from tests.server.club.test_daily import began, play
from tests.server.club.test_profile import reader
from tests.server.page.test_page_leaks import opinion
from tests.waiting import until, wait_until


class Asked:
    """The reviewers of a server: what they were shown, one after another, and how many of these they may answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shown = list[View]()
        self.may_answer = 1_000_000
        looks = self

        async def review(self: Bots, kind: str, view: View, legal: Sequence[int]) -> Advice:
            looks.shown.append(view)
            which = len(looks.shown)
            await until(lambda: looks.may_answer >= which)
            return opinion(json.encode(view.dump()), legal)

        monkeypatch.setattr(QuickBots, "review", review)


@pytest.fixture(name="looks")
def looks_fixture(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


def answers(one: httpx.Client, code: str) -> list[tuple[int, str]]:
    """What somebody is answered on every way to a review, or to what it is part of, without what differs between two
    tables."""
    here = f"/t/{code}/replay/1"
    ways = ("GET", f"{here}?seat=0"), ("GET", f"{here}?seat=all"), ("GET", f"{here}/review"), ("POST", f"{here}/review")
    found = [one.request(method, way) for method, way in ways]
    return [(answer.status_code, answer.text.replace(code, "TABLES")) for answer in found]


def are_told_nothing(server: Server, code: str, *tokens: str) -> None:
    """See that none of these is told anything of a review."""
    for token in tokens:
        with reader(server, token) as one:
            for status, text in answers(one, code):
                assert status in (200, 204, 303)
                assert 'id="review"' not in text


def over(server: Server, code: str, token: str) -> None:
    """Wait until a match is over and everybody may see it."""
    with reader(server, token) as one:
        wait_until(lambda: one.get(f"/t/{code}/record").status_code == 200)
        wait_until(lambda: one.get(f"/t/{code}/replay/1?seat=all").status_code == 200)


WORLDS = (HELD_THE_KING, HELD_THE_KING.replace("chance: Q", "chance: J"))
"""The first seat holds the king, and cannot tell which card the other holds."""


def test_nothing_is_told_of_a_review_before_the_end_and_the_same_then_whatever_others_held(
    house: Server, looks: Asked
) -> None:
    before, after = [], []
    for record in WORLDS:
        made = house.make("kuhn", record=record)
        code, token = made["code"], made["token"]
        with reader(house, token) as zoe, reader(house) as stranger:
            before.append([answers(one, code) for one in (zoe, stranger)])
            assert not looks.shown, "nobody looks at anything before the end"
            assert zoe.post(f"/t/{code}/do", data={"action": "bet"}).status_code == 303
            over(house, code, token)
            after.append(section(reviewed(zoe, f"/t/{code}/replay/1")).replace(code, "TABLES"))
            are_told_nothing(house, code, "")
        (view,) = looks.shown
        assert view == parlour.replay(record).view(0)
        looks.shown.clear()
    assert before[0] == before[1]
    assert {status for one in before[0] for status, _ in one} == {409}
    assert after[0] == after[1]
    assert "It looked at 1 of your choices" in after[0]


def test_nothing_is_reviewed_where_the_cards_stay_hidden(house: Server, looks: Asked) -> None:
    with house.guest("kuhn", reveal=False) as zoe:
        assert zoe.to_the_end().over
    over(house, zoe.table, zoe.token)
    are_told_nothing(house, zoe.table, zoe.token, "")
    assert not looks.shown


def test_nothing_is_reviewed_while_others_may_still_be_dealt_the_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: Asked
) -> None:
    monkeypatch.setattr(daily, "PACE", 0.0)
    with running(tmp_path / "p.db") as server:
        play(server, "zoe's token", game="leduc")
        code = began(server, "zoe's token", game="leduc")
        for token, refused in (("zoe's token", 409), ("abe's token", 403)):
            with reader(server, token) as one:
                assert {status for status, _ in answers(one, code)} == {refused}
        assert not looks.shown


def public(server: Server) -> bytes:
    """What a server counts about itself, without memory and time."""
    return b"\n".join(
        line for line in server.tables.metrics.text().splitlines() if not line.startswith((b"process_", b"# "))
    )


def does(server: Server, code: str, token: str, action: str) -> None:
    with reader(server, token) as one:
        wait_until(lambda: f'value="{action}"' in one.get(f"/t/{code}").text)
        assert one.post(f"/t/{code}/do", data={"action": action}).status_code == 303


def asks(guest: Guest) -> list[str]:
    """The frames that a guest is sent up to the answer to a command that is refused."""
    known = len(guest.frames)
    assert isinstance(guest.ask("act", action="pass"), wire.Refused)
    return guest.frames[known:]


DEALT = "\n".join(HELD_THE_KING.splitlines()[:-2]) + "\n"
"""Nobody has chosen anything."""


def test_nobody_else_notices_that_a_review_goes_on_or_what_it_finds(house: Server, looks: Asked) -> None:
    """By no byte, frame or number; whoever waits for their own is told the same, however far another's is."""
    told = []
    for mine in "KJ":
        looks.shown.clear()
        looks.may_answer = 0
        record = DEALT.replace("chance: K", f"chance: {mine}")
        made = house.make("kuhn", record=record)
        code, here = made["code"], f"/t/{made['code']}/replay/1"
        tokens = made["token"], str(house.seat(code, "Abe", 1).json()["token"])
        for seat, action in ((0, "pass"), (1, "bet"), (0, "bet")):
            does(house, code, tokens[seat], action)
        over(house, code, tokens[0])
        with (
            reader(house, tokens[0]) as zoe, reader(house, tokens[1]) as abe, reader(house) as stranger,
            Guest(house, code, tokens[1]) as at_his, Guest(house, code) as watching,
        ):  # fmt: skip

            def seen() -> list[str]:
                tables = [one.get(f"/t/{code}").text for one in (abe, stranger)]  # noqa: B023
                return [*tables, str(answers(stranger, code))]  # noqa: B023

            wait_until(lambda: "moments" in abe.get(f"/t/{code}").text)  # noqa: B023
            for guest in (at_his, watching):
                guest.told(lambda telling: telling.over)
                asks(guest)
            quiet, counted = seen(), public(house)
            assert zoe.get(f"{here}?seat=0").status_code == 200
            wait_until(lambda: len(looks.shown) == 1)
            assert seen() == quiet
            waiting = section(abe.get(f"{here}?seat=1"))
            assert "will look at your choices in a moment" in waiting
            looks.may_answer = 1
            wait_until(lambda: len(looks.shown) == 2)
            assert "1 of 2 so far" in section(zoe.get(f"{here}?seat=0"))
            assert section(abe.get(f"{here}?seat=1")) == waiting
            looks.may_answer = 100
            told.append(section(reviewed(abe, here)).replace(code, "TABLES"))
            assert "It looked at 1 of your choices" in told[-1]
            assert (seen(), public(house)) == (quiet, counted)
            assert [len(asks(guest)) for guest in (at_his, watching)] == [1, 1], "nothing but the answer"
        state = parlour.replay(f"{record}0: pass\n1: bet\n0: bet\n")
        assert looks.shown == [state.at(2).view(0), state.at(4).view(0), state.at(3).view(1)]
    assert told[0] == told[1]


def test_whoever_sits_down_after_the_end_is_told_nothing_of_others_choices(house: Server, looks: Asked) -> None:
    """Neither of a bot's nor of a guest's who has left; and whoever has left is still told of their own."""
    made = house.make("kuhn", record=HELD_THE_KING)
    code, zoes = made["code"], made["token"]
    does(house, code, zoes, "bet")
    over(house, code, zoes)
    name = made["table"]
    both = house.tables.live[name].table, house.tables._read(name)[0]  # as it is, and as its log says
    assert not any(table.stood_in for table in both), "she chose herself"
    tokens = [str(house.seat(code, "Abe", 1).json()["token"])]
    with reader(house, zoes) as zoe:
        hers = section(reviewed(zoe, f"/t/{code}/replay/1"))
        assert "You chose" in hers or "It found no choice" in hers
        assert f'href="/t/{code}/replay#review"' in zoe.get(f"/t/{code}").text, "the sheet leads there"
        with Guest(house, code, zoes) as leaving:
            assert isinstance(leaving.ask("leave"), wire.Done)
        tokens.append(str(house.seat(code, "Cora", 0).json()["token"]))
        looks.shown.clear()

        def tell_nothing() -> None:
            are_told_nothing(house, code, *tokens)
            assert not looks.shown
            assert section(zoe.get(f"/t/{code}/replay/1?seat=0")) == hers

        tell_nothing()
        with Guest(house, code, tokens[0]) as abe, Guest(house, code, tokens[1]) as cora:
            for guest in (abe, cora):
                assert isinstance(guest.ask("again"), wire.Done)
            abe.told(lambda telling: telling.match == 2)
        tell_nothing()
