"""A guest's numbers at a game: against whom, in a row, the rating; and the ladder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour.page.numbers import chart_of
from parlour.room.events import Events
from parlour.room.history import Result, against, longest_streak
from parlour.room.rating import Rating, rated
from parlour.room.store import Store
from postgres import postgres, store
from room_helpers import Server, running
from test_you import ABE, ZOE, finished, matches, played, reader

__all__ = ["postgres", "store"]


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path / "p.db") as server:
        yield server


def result(*places: int, bots: tuple[str, ...] = (), rating: float = 0.0, **more: Any) -> Result:
    n = len(places)
    mine = [rating, 1.0] if rating else []
    return Result(
        at=0, game="leduc", code="", match=1, names=["A"] * n, bots=["", *bots] + [""] * (n - 1 - len(bots)),
        seat=more.pop("seat", 0), places=[*places], gains=[], rating=mine, **more,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------ the rating


def test_winning_against_the_strong_counts_for_more_than_against_the_weak() -> None:
    weak = rated({"a": result(1, 2, bots=("random",))}, {})["a"]
    strong = rated({"a": result(1, 2, bots=("best",))}, {})["a"]
    assert Rating().mu < weak.mu < strong.mu
    assert weak.matches == 1


def test_what_one_gains_the_other_loses_and_both_are_known_better() -> None:
    after = rated({"a": result(1, 2), "b": result(1, 2, seat=1)}, {})
    assert after["a"].mu > Rating().mu > after["b"].mu
    assert max(one.sigma for one in after.values()) < Rating().sigma


def test_second_of_four_is_better_than_last() -> None:
    after = rated({key: result(1, 2, 2, 4, seat=seat) for seat, key in enumerate("abcd")}, {})
    assert after["a"].mu > after["b"].mu == pytest.approx(after["c"].mu)
    assert after["c"].mu > after["d"].mu


def test_a_rating_settles_where_the_bot_is_that_one_beats_half_the_time() -> None:
    mine = Rating()
    for n in range(200):
        places = (1, 2) if n % 2 else (2, 1)
        mine = rated({"a": result(*places, bots=("random",))}, {"a": mine})["a"]
    assert mine.points == pytest.approx(1200, abs=60)
    assert mine.matches == 200


def test_ratings_change_once_a_match_and_go_with_the_guest(store: Store) -> None:
    results, events = finished(store), Events(store)
    for _ in range(2):  # as when the server is started again
        store.keep_results("t", 1, results)
    hers, his = events.ratings(ZOE)["leduc"], events.ratings(ABE)["leduc"]
    assert (hers[2], his[2]) == (1, 1)
    assert (hers[0] > his[0]) == (results[ZOE].place < results[ABE].place)
    assert store.results(ZOE, 1)[0].rating == [hers[0], hers[1]]
    events.climb(ZOE, "Zoé")
    store.forget_guest(ZOE)
    assert (events.ratings(ZOE), events.rung(ZOE), events.ladder("leduc", ABE)) == ({}, "", [])
    assert events.ratings(ABE)["leduc"] == his


def test_numbers_are_added_up_by_company() -> None:
    mine = [
        result(1, 2, bots=("random",)), result(2, 1), result(1, 2, bots=("search:0.1s",)),
        result(2, 1, bots=("random",)), result(1, 2, 3, bots=("random", "search")),
    ]  # fmt: skip
    assert [tuple(one) for one in against(mine)] == [
        ("people", 1, 0), ("random", 2, 1), ("search", 1, 1), ("several", 1, 1),
    ]  # fmt: skip
    assert longest_streak([result(1, 2), result(1, 2), result(2, 1), result(1, 2)]) == 2


def test_the_chart_goes_from_the_oldest_to_the_latest() -> None:
    chart = chart_of([result(1, 2, rating=26.0), result(1, 2, rating=24.0), result(1, 2)])
    assert chart is not None
    assert (chart.first, chart.last, chart.points) == (1440, 1560, [(0, 90), (320, 0)])
    assert chart.middle == 45
    assert chart_of([result(1, 2, rating=26.0)]) is None


# ------------------------------------------------------------------------------------------ the pages


def test_a_guest_sees_their_numbers_and_nobody_else_does(alone: Server) -> None:
    made, _ = played(alone)
    (kept,) = matches(alone, made["token"])
    with reader(alone, made["token"]) as zoe, reader(alone) as nobody:
        shown = zoe.get("/you/leduc").text
        points = Rating(*kept["rating"]).points
        assert f"{points} ±" in shown
        assert str(points) in zoe.get("/you").text
        assert "Beginners (bots)" in shown
        assert "Nothing yet." in nobody.get("/you/leduc").text
        assert nobody.get("/you/no_game").status_code == 422


def test_a_score_sheet_can_be_opened_again(alone: Server) -> None:
    made, last = played(alone, "matrimony", options={"deals": "3"})
    with reader(alone, made["token"]) as zoe:
        shown = zoe.get("/you/matrimony").text
    mine = [str(row[last.seat]) for row in last.sheet[1:]]
    cells = re.findall(r"<td>(\d+)</td>", shown.partition("You</th>")[2].partition("</tr>")[0])
    assert cells == mine


def test_the_ladder_names_only_those_who_have_joined_it(alone: Server) -> None:
    made, _ = played(alone)
    with reader(alone, made["token"]) as zoe, reader(alone) as nobody:
        assert "Zoé" not in nobody.get("/ladder/leduc").text
        assert zoe.post("/ladder/leduc/join", data={"name": "Zoé"}).status_code == 303
        assert "Zoé" in nobody.get("/ladder/leduc").text
        assert "Zoé" not in nobody.get("/ladder/kuhn").text  # she has not played that
        assert zoe.get("/you/export").json()["ladder"] == "Zoé"
        zoe.post("/ladder/leduc/leave")
        assert "Zoé" not in nobody.get("/ladder/leduc").text
        refused = nobody.post("/ladder/leduc/join", data={"name": "Abe"})
        assert (refused.status_code, "Play a match to its end first." in refused.text) == (422, True)


def test_two_names_on_the_ladder_never_look_alike(alone: Server) -> None:
    zoe, abe = (played(alone)[0] for _ in range(2))
    with reader(alone, zoe["token"]) as hers, reader(alone, abe["token"]) as his:
        hers.post("/ladder/leduc/join", data={"name": "Zoe"})
        refused = his.post("/ladder/leduc/join", data={"name": "ZOE"})
        assert (refused.status_code, "choose another name" in refused.text) == (422, True)
