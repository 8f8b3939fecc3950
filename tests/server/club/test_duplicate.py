"""Duplicate among friends: the same deals at several tables, and a score sheet across them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from parlour.base.errors import ParlourError
from parlour.server.club import duplicate
from parlour.server.club.duplicate import Duplicate, Score, compared
from parlour.server.common import clock
from parlour.server.store.competitions import Competitions, Outcome
from parlour.server.store.store import Store
from parlour.server.table.seats import fingerprint
from parlour.server.web.api import API
from parlour.server.web.new_table import wanted_table
from tests.helpers import there
from tests.room_helpers import Guest, Server, running
from tests.server.club.test_daily import table_of
from tests.server.club.test_profile import reader, result
from tests.waiting import wait_until


def ended(code: str, returns: list[float], sheet: list[list[int]], seat: int = 0) -> Outcome:
    names, places = [f"{code}{p}" for p in range(len(returns))], [1] * len(returns)
    about = {"game": "matrimony", "code": code, "names": names, "seat": seat, "returns": returns, "sheet": sheet}
    return Outcome(f"{code} {seat}", result(*places, **about))


def test_seats_are_compared_with_the_same_seat_at_the_other_tables() -> None:
    state = Duplicate("matrimony", 3, 2, {}, "host", ["A", "B", "C", "D"])
    sheet = [[50, 50, 50], [52, 49, 49], [51, 50, 49]]
    outcomes = [
        ended("A", [1, 0, -1], sheet), ended("A", [1, 0, -1], sheet, 1), ended("B", [4, -2, -2], []),
        ended("C", [-2, 5, -3], []),
    ]  # fmt: skip
    first, second = compared(state, outcomes)
    assert [(one.table, one.result, one.better) for one in first] == [(2, 4, 4.5), (1, 1, 0.0), (3, -2, -4.5)]
    assert [(one.table, one.name, one.better) for one in second] == [(3, "C1", 6.0), (1, "A1", -1.5), (2, "B1", -4.5)]
    assert [first[1].deals, second[1].deals] == [[2, -1], [-1, 1]]
    alone = Duplicate("matrimony", 2, 1, {}, "host", ["A", "B"])
    assert [[one.better for one in sheet] for sheet in compared(alone, [ended("A", [7, -7], [])])] == [[0.0]]


def test_what_is_impossible_is_refused_in_one_sentence(store: Store) -> None:
    events = Competitions(store)
    for wrong, sentence in (
        (("chess", 2, 1, 3), "chess"), (("diamonds", 9, 1, 3), "players"), (("diamonds", 3, 4, 3), "1 to 3 people"),
        (("matrimony", 4, 1, 99), "1 to 12 deals"),
    ):  # fmt: skip
        with pytest.raises(ParlourError, match=sentence):
            duplicate.begin(events, *wrong, "host")
    for code in ("", "BCDFGH", "../../.."):
        with pytest.raises(ParlourError, match="There is no such duplicate"):
            duplicate.find(events, code)


def test_only_whoever_began_it_ends_it_and_nothing_is_added_then(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    events = Competitions(store)
    code = duplicate.begin(events, "leduc", 2, 1, 1, "host")
    assert duplicate.add(events, code, "BCDFGH")
    for key in ("", "somebody"):
        with pytest.raises(ParlourError, match="Only the guest who began"):
            duplicate.close(events, code, key)
    duplicate.close(events, code.lower(), "host")
    event, state = duplicate.find(events, code)
    assert duplicate.is_over(event, clock.wall())
    assert state.tables == ["BCDFGH"]
    assert not duplicate.add(events, code, "CDFGHJ")
    later = duplicate.find(events, duplicate.begin(events, "leduc", 2, 1, 1, "host"))[0]
    assert [duplicate.is_over(later, clock.wall() + days * 86400) for days in (1, 3)] == [False, True]


def test_an_event_is_changed_only_by_those_who_have_seen_it(store: Store) -> None:
    events = Competitions(store)
    events.begin("swiss/BCDFGH", "first")
    assert events.begin("swiss/BCDFGH", "second").state == "first"
    seen = there(events.get("swiss/BCDFGH"))
    assert events.change(seen, "third")
    assert not events.change(seen, "fourth")
    assert [events.enter("swiss/BCDFGH", one, "") for one in ("a", "b", "a")] == [True, True, False]
    assert [one.number for one in events.entrants("swiss/BCDFGH")] == [0, 1]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch, running(tmp_path_factory.mktemp("duplicate") / "p.db") as server:
        patch.setattr(duplicate, "wanted_table", lambda **said: wanted_table(**said, pace=0.0))
        yield server


def begun(server: Server, token: str = "zoe's token", **form: Any) -> str:
    with reader(server, token) as zoe:
        answer = zoe.post("/duplicate", data={"game": "leduc", "people": 1, "deals": 1, **form})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].removeprefix("/duplicate/")


def joins(server: Server, code: str, token: str, name: str, table: str = "") -> str:
    with reader(server, token) as guest:
        answer = guest.post(f"/duplicate/{code}/join", data={"name": name, "table": table})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].removeprefix("/t/")


def plays(server: Server, table: str, token: str, which: int = 0) -> Any:
    with Guest(server, table_of(server, table, token)["table"], token) as guest:
        return guest.to_the_end(which)


def test_every_table_is_dealt_the_same_cards_and_the_seats_are_compared(house: Server) -> None:
    code = begun(house, game="diamonds")
    zoe, abe = joins(house, code, "zoe's token", "Zoe"), joins(house, code, "abe's token", "Abe")
    assert zoe != abe
    hers, his = plays(house, zoe, "zoe's token"), plays(house, abe, "abe's token")
    assert (hers.view, hers.returns) == (his.view, his.returns)
    with reader(house, "zoe's token") as again:
        wait_until(lambda: again.get(f"/duplicate/{code}").text.count("Compared") == 1)
        wait_until(lambda: "Abe</bdi></th>" in again.get(f"/duplicate/{code}").text)


def test_the_score_sheet_has_a_column_for_each_deal_and_marks_ones_own_line(
    house: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run-off at one table only is a deal more, in the head too."""
    code = begun(house)
    plays(house, joins(house, code, "zoe's token", "Zoe"), "zoe's token")
    scores = [Score(1, "Zoe", [1, 1], 2, 25 / 3), Score(2, "Abe", [5, -3, 2], 4, -25 / 3)]
    monkeypatch.setattr(duplicate, "compared", lambda *_: [scores, [Score(1, "Ben", [0, 0], 0, 0)]])
    with reader(house, "zoe's token") as again:
        wait_until(lambda: "Abe</bdi>" in again.get(f"/duplicate/{code}").text)
        shown = again.get(f"/duplicate/{code}").text
    assert re.findall(r'class="number">(\d+)</th>', shown) == ["1", "2", "3", "1", "2"]
    lines = re.findall(r"<tr([^>]*)><td>\d</td>.*?<bdi>(.*?)</bdi>(.*?)</tr>", shown)
    assert [(name, "aria-current" in mark, "(you)" in rest) for mark, name, rest in lines] == [
        ("Zoe", True, True), ("Abe", False, False), ("Ben", False, False),
    ]  # fmt: skip
    assert [rest.count("<td") for _, _, rest in lines] == [5, 5, 4], "two sums, and each deal"
    assert ["+8.33" in lines[0][2], "−8.33" in lines[1][2], "−3" in lines[1][2]] == [True] * 3


def test_nobody_sees_another_table_or_the_scores_before_they_have_played(house: Server) -> None:
    code = begun(house)
    zoe = joins(house, code, "zoe's token", "Zoe")
    plays(house, zoe, "zoe's token")
    with reader(house, "abe's token") as abe, reader(house) as nobody:
        for other in (abe, nobody):
            for way in (f"/t/{zoe}", f"/t/{zoe}/replay/1", f"{API}/tables/{zoe}", f"{API}/tables/{zoe}/record"):
                assert other.get(way).status_code == 403, way
            assert "Zoe</bdi></th>" not in other.get(f"/duplicate/{code}").text
        his = joins(house, code, "abe's token", "Abe")
        assert abe.get(f"/t/{zoe}").status_code == 403
        plays(house, his, "abe's token")
        wait_until(lambda: "Zoe</bdi></th>" in abe.get(f"/duplicate/{code}").text)
        assert abe.get(f"/t/{zoe}").status_code == 403
        with reader(house, "zoe's token") as host:
            assert host.post(f"/duplicate/{code}/close").status_code == 303
        assert nobody.get(f"/t/{zoe}").status_code == 200
        assert "Zoe</bdi></th>" in nobody.get(f"/duplicate/{code}").text
        assert "\nsecret:" in nobody.get(f"/t/{zoe}/record").text


def test_the_host_makes_room_for_friends_when_a_stranger_fills_the_list(
    house: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicate, "TABLES", 2)
    code, before = begun(house), {one.code for one in house.tables.live.values()}
    tables = [joins(house, code, f"stranger {n}", f"Stranger {n}") for n in range(2)]
    with reader(house, "abe's token") as abe, reader(house, "zoe's token") as host:
        refused = abe.post(f"/duplicate/{code}/join", data={"name": "Abe", "table": ""})
        assert "has as many tables as it can" in refused.text
        (orphan,) = [one for one in house.tables.live.values() if one.code not in (before | {*tables})]
        assert orphan.table.closed
        assert abe.post(f"/duplicate/{code}/remove", data={"table": tables[0]}).status_code == 422
        assert f'value="{tables[0]}"' in host.get(f"/duplicate/{code}").text
        plays(house, tables[0], "stranger 0")
        assert host.post(f"/duplicate/{code}/remove", data={"table": tables[0]}).status_code == 303
        assert joins(house, code, "abe's token", "Abe") not in tables
        with reader(house, "stranger 0") as stranger:
            assert "Stranger 0" not in stranger.get(f"/duplicate/{code}").text
            assert joins(house, code, "stranger 1", "Again") == tables[1]


def test_a_match_begins_when_all_its_people_are_there(house: Server) -> None:
    """A guest plays at one table only; and none begins after the end."""
    code = begun(house, people=2)
    table, other = joins(house, code, "zoe's token", "Zoe"), joins(house, code, "dora's token", "Dora")
    assert table_of(house, table, "zoe's token")["match"] == 0
    assert joins(house, code, "zoe's token", "Zoe", other) == table
    assert house.seat(other, "Zoe").status_code == 403
    with reader(house, "abe's token") as abe:
        assert "1 seat free" in abe.get(f"/duplicate/{code}").text
        refused = abe.post(f"/duplicate/{code}/join", data={"name": "Zoe", "table": table})
        assert (refused.status_code, "Somebody at this table is called Zoe" in refused.text) == (422, True)
        assert 'value="Zoe"' in refused.text
    assert joins(house, code, "abe's token", "Abe", table) == table
    wait_until(lambda: table_of(house, table, "abe's token")["match"] == 1)
    with reader(house, "cleo's token") as cleo:
        refused = cleo.post(f"/duplicate/{code}/join", data={"name": "Cleo", "table": table})
        assert refused.status_code == 422
        assert fingerprint("cleo's token") not in {
            one.guest for one in house.tables.competitions.entrants(f"same/{code}")
        }
    (waiting,) = [one.table for one in house.tables.live.values() if one.code == other]
    with reader(house, "zoe's token") as host:
        host.post(f"/duplicate/{code}/close")
        wait_until(lambda: bool(waiting.closed))
