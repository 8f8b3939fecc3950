"""A tournament in rounds: who plays whom, how it stands, and an evening at a server."""

from __future__ import annotations

import asyncio
import csv
import io
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from parlour.base.errors import ParlourError
from parlour.server.club import pairing, swiss
from parlour.server.club.matching import largest
from parlour.server.club.pairing import FinishedRound, met, pair, points_of, rematches, sizes, standings
from parlour.server.club.swiss import Round, RoundTable, Swiss
from parlour.server.common import wire
from parlour.server.common.limits import HOUR, RateCounter
from parlour.server.live.tables import Tables
from parlour.server.store.competitions import Competitions, Outcome
from parlour.server.store.schema import TABLES
from parlour.server.store.store import Store
from parlour.server.store.traces import Traces
from parlour.server.web.api import API
from parlour.server.web.new_table import wanted_table
from tests.helpers import there
from tests.room_helpers import Guest, Server, running
from tests.server.club.test_daily import table_of
from tests.server.club.test_profile import reader, result
from tests.waiting import wait_until


def evening(people: int, size: int, allowed: tuple[int, ...], rounds: int, seed: int = 0) -> list[FinishedRound]:
    """A tournament in which chance decides every table."""
    random, done = Random(seed), list[FinishedRound]()
    for _ in range(rounds):
        order = [one.number for one in standings(range(people), done)]
        seated = pair(order, done, size, allowed)
        points = [points_of(random.sample(range(1, len(table) + 1), len(table))) for table in seated.tables]
        done.append(FinishedRound(seated.tables, points, [[0.0] * len(table) for table in seated.tables], seated.byes))
    return done


@pytest.mark.parametrize(
    ("people", "size", "allowed", "rounds"),
    [(8, 2, (2,), 7), (9, 2, (2, 3), 5), (30, 2, (2,), 6), (11, 4, (3, 4, 5), 4), (5, 3, (3, 5), 2), (6, 4, (4,), 4)],
)
def test_everybody_plays_each_round_or_has_a_bye(people: int, size: int, allowed: tuple[int, ...], rounds: int) -> None:
    for one in evening(people, size, allowed, rounds):
        assert sorted([player for table in one.tables for player in table] + one.byes) == list(range(people))
        assert {len(table) for table in one.tables} <= set(allowed)


def seatings(players: Sequence[int], size: int) -> Iterator[list[list[int]]]:
    """All ways to seat these players at tables of a size."""
    if not players:
        yield []
        return
    for others in itertools.combinations(players[1:], size - 1):
        for rest in seatings([player for player in players[1:] if player not in others], size):
            yield [[players[0], *others], *rest]


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("people", range(4, 11))
def test_there_are_no_more_rematches_than_there_must_be(people: int, size: int) -> None:
    """Beside all ways to seat everybody: the fewest rematches, byes to whoever has had the fewest, and to the last of
    them of whom that is true; and of the tables the first sits with the next best that they can, at tables of three
    everybody."""
    for seed in range(22 if size == 2 and people < 9 else 3):
        done = evening(people, size, (size,), 7 if size == 2 else 5, seed)
        for n, one in enumerate(done):
            order, before = [each.number for each in standings(range(people), done[:n])], met(done[:n])
            had = Counter(player for other in done[:n] for player in other.byes)
            turn = sorted(had[player] for player in order)[: len(one.byes)]
            assert sorted(had[player] for player in one.byes) == turn
            fewest = {}
            for byes in itertools.combinations(reversed(order), people % size) if n and people > size else ():
                if sorted(had[player] for player in byes) == turn:
                    ways = list(seatings([player for player in order if player not in byes], size))
                    fewest[frozenset(byes)] = min(rematches(way, before) for way in ways)
            if not fewest:
                continue
            found = rematches(one.tables, before)
            assert found == fewest[frozenset(one.byes)]
            if size == 3:
                left = seatings([player for player in order if player not in one.byes], 3)
                assert one.tables == next(way for way in left if rematches(way, before) == found)
            if size == 2:
                assert found == min(fewest.values())
                assert frozenset(one.byes) == next(byes for byes, least in fewest.items() if least == found)
                ways = [way for way in seatings([p for p in order if p not in one.byes], 2)
                        if rematches(way, before) == found]  # fmt: skip
                ranks = [(before[min(way[0]), max(way[0])], order.index(way[0][1])) for way in ways]
                assert (before[min(one.tables[0]), max(one.tables[0])], order.index(one.tables[0][1])) == min(ranks)


def test_a_largest_matching_is_as_large_as_it_can_be() -> None:
    """Graphs by chance, with circles of odd length, beside all ways to leave somebody out or pair them."""

    def most(left: tuple[int, ...], near: dict[int, set[int]]) -> int:
        if not left:
            return 0
        one, *others = left
        ways = [1 + most(tuple(p for p in others if p != other), near) for other in others if other in near[one]]
        return max([most(tuple(others), near), *ways])

    rng = Random(3)
    for _ in range(400):
        n = rng.randrange(2, 10)
        near: dict[int, set[int]] = {one: set() for one in range(n)}
        for one, other in itertools.combinations(range(n), 2):
            if rng.random() < rng.choice((0.2, 0.3, 0.6)):
                near[one].add(other)
                near[other].add(one)
        found = largest(range(n), near, {})
        assert all(found[other] == one and other in near[one] for one, other in found.items())
        assert len(found) == 2 * most(tuple(range(n)), near)


@pytest.mark.parametrize(
    ("people", "size", "allowed", "rounds"),
    [(127, 2, (2,), 8), (41, 2, (2,), 20), (40, 4, (3, 4, 5), 8)],
)
def test_many_players_are_paired_with_little_work(
    people: int, size: int, allowed: tuple[int, ...], rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The looks at pairs of players; a computer takes millions a second."""
    looks = [0]
    for kind in (pairing._Twos, pairing._Tables):

        def counted(self: Any, one: int, other: int, look: Any = kind._met) -> int:
            looks[0] += 1
            return int(look(self, one, other))

        monkeypatch.setattr(kind, "_met", counted)
    done = evening(people, size, allowed, rounds)
    assert looks[0] / rounds < 1_000_000
    if size == 2 and people > 41:
        assert set(met(done).values()) == {1}


def test_players_meet_others_who_stand_as_well_and_byes_go_round_from_the_bottom() -> None:
    done = [FinishedRound([[0, 1], [2, 3], [4, 5], [6, 7]], [[1.0, 0.0]] * 4, [[0.0, 0.0]] * 4, [])]
    seated = pair([one.number for one in standings(range(8), done)], done, 2, (2,))
    winners = {0, 2, 4, 6}
    assert all(set(table) <= winners or not set(table) & winners for table in seated.tables)
    byes = [one.byes for one in evening(5, 2, (2,), 5)]
    assert (byes[0], sorted(player for bye in byes for player in bye)) == ([4], [*range(5)])
    with pytest.raises(ParlourError, match="At least 4 players are needed, not 3"):
        pair([0, 1, 2], [], 4, (4,))
    assert (sizes(7, 4, (3, 4)), sizes(5, 4, (4, 5))) == ([4, 3], [5])


def test_equal_points_are_decided_by_opponents_then_by_the_score() -> None:
    """Those who are equal in everything share a place."""
    rounds = [
        FinishedRound([[0, 1], [2, 3]], [[1.0, 0.0], [1.0, 0.0]], [[5.0, -5.0], [2.0, -2.0]], [4]),
        FinishedRound([[0, 2], [1, 4]], [[1.0, 0.0], [1.0, 0.0]], [[1.0, -1.0], [3.0, -3.0]], [3]),
    ]  # fmt: skip
    found = standings(range(5), rounds)
    by_hand = {0: (2, 2, 6), 1: (1, 3, -2), 2: (1, 3, 1), 3: (1, 2, -2), 4: (1, 2, -3)}
    assert {one.number: (one.points, one.opponents, one.gain) for one in found} == by_hand
    assert [(one.place, one.number) for one in found] == [(1, 0), (2, 2), (3, 1), (4, 3), (5, 4)]
    found = standings(range(3), [FinishedRound([[0, 1]], [[0.5, 0.5]], [[0.0, 0.0]], [])])
    assert [(one.place, one.number) for one in found] == [(1, 0), (1, 1), (3, 2)]


def test_a_player_who_gave_up_their_seat_has_no_points() -> None:
    played = {"names": ["A", "Ben", "C"], "bots": ["", "random", ""], "returns": [0.5, 1.0, -1.5]}
    mine, other = (result(2, 1, 3, code="T", seat=seat, **played) for seat in (0, 2))
    round_ = Round([RoundTable("T", [9, 8, 7]), RoundTable("U", [1, 2, 3])], [])
    outcomes = [Outcome("a", mine), Outcome("c", other)]
    assert swiss.results(round_, outcomes, {"a": 7, "b": 8, "c": 9}) == {"T": ([0.0, 0.0, 0.5], [-1.5, 0.0, 0.5])}


def test_what_is_impossible_is_refused(store: Store) -> None:
    events = Competitions(store)
    for wrong, sentence in (
        (("", "chess", 2, 4, 0.0), "chess"), (("", "diamonds", 7, 4, 0.0), "players"),
        (("", "diamonds", 2, 21, 0.0), "1 to 20 rounds"), (("", "diamonds", 2, 4, -1.0), "at most 3600 seconds"),
    ):  # fmt: skip
        with pytest.raises(ParlourError, match=sentence):
            swiss.begin(events, *wrong)
    code, secret = swiss.begin(events, "", "diamonds", 2, 4, 60)
    _, state = swiss.find(events, code)
    swiss.must_be_host(state, secret)
    for other in ("", secret[:-1], state.host):
        with pytest.raises(ParlourError, match="isn't the link"):
            swiss.must_be_host(state, other)
    assert secret not in repr(state)
    for missing in ("", "BCDFGH", code + "B"):
        with pytest.raises(ParlourError, match="There is no such tournament"):
            swiss.find(events, missing)


def in_play(store: Store, *people: str) -> tuple[Tables, str]:
    """A tournament that these people have joined, each with the name as the token."""
    tables = Tables(store)
    code, _ = swiss.begin(tables.competitions, "Friday", "kuhn", 2, 4, 60)
    for name in people:
        swiss.join(tables.competitions, code, name, name)
    return tables, code


def start(tables: Tables, code: str, number: int) -> int:
    return asyncio.run(swiss.start_round(tables.competitions, code, number))


def state_of(tables: Tables, code: str) -> Swiss:
    return swiss.find(tables.competitions, code)[1]


def finish(tables: Tables, code: str) -> None:
    """The first at each table wins, and the round is over."""
    for one in there(state_of(tables, code).round).tables:
        swiss.enter_result(tables.competitions, code, one.code, [1, 2])
    swiss.close_round(tables.competitions, code)


def test_who_has_played_comes_back_under_their_own_number(store: Store) -> None:
    tables, code = in_play(store, "Zoe", "Abe")
    with pytest.raises(ParlourError, match="choose another name"):
        swiss.join(tables.competitions, code, "c", "zoe")
    start(tables, code, 1)
    swiss.withdraw(tables.competitions, code, 0)
    assert state_of(tables, code).present == [1]
    assert swiss.join(tables.competitions, code, "Zoe", "Zora") == 0
    assert (state_of(tables, code).present, state_of(tables, code).names) == ([0, 1], ["Zora", "Abe"])
    Traces(store).forget_guest("Abe")
    assert swiss.join(tables.competitions, code, "c", "Cleo") == 2


def test_names_of_those_who_have_gone_are_free_and_only_those_who_are_there_count(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = 6
    monkeypatch.setattr(swiss, "PEOPLE", people)
    tables, code = in_play(store, *(f"Player {n}" for n in range(people)))
    with pytest.raises(ParlourError, match="at most 6 players"):
        swiss.join(tables.competitions, code, "late", "Late")
    swiss.withdraw(tables.competitions, code, *range(people))
    assert state_of(tables, code).known == []
    assert tables.competitions.entrants(f"swiss/{code}") == []
    for n in range(people):
        number = swiss.join(tables.competitions, code, f"friend {n}", f"Player {n}")
        assert number == people + n, "no number is given twice"
    start(tables, code, 1)
    swiss.withdraw(tables.competitions, code, people)
    assert swiss.join(tables.competitions, code, "late", "Player 0") == 2 * people
    with pytest.raises(ParlourError, match="at most 6 players"):  # there is no room for them any more
        swiss.join(tables.competitions, code, "friend 0", "Player 0")
    swiss.withdraw(tables.competitions, code, people + 1)
    with pytest.raises(ParlourError, match="choose another name"):
        swiss.join(tables.competitions, code, "friend 0", "Player 0")
    assert swiss.join(tables.competitions, code, "friend 0", "Player 1") == people


def while_pairing(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Have something happen after the players of a round were read and before the round is written."""

    def paired(*given: Any) -> pairing.Seating:
        monkeypatch.setattr(swiss, "pair", pair)
        happens()
        return pair(*given)

    monkeypatch.setattr(swiss, "pair", paired)


def test_whoever_comes_and_goes_while_a_round_is_paired_does_not_stop_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, code = in_play(store, "Zoe", "Abe", "Cleo", "Dan")

    def rush() -> None:
        swiss.withdraw(tables.competitions, code, 0)
        swiss.join(tables.competitions, code, "Zoe", "Zora")
        swiss.join(tables.competitions, code, "Abe", "Abel")
        swiss.join(tables.competitions, code, "e", "Eve")

    for number in (1, 2):
        while_pairing(monkeypatch, rush)
        assert start(tables, code, number) == 2
        state = state_of(tables, code)
        playing = there(state.round).players
        assert sorted(playing) == ([0, 1, 2, 3] if number == 1 else [1, 2, 3, 4, 5])
        assert all(state.names[player] for player in playing)
        assert set(state.present) == {1, 2, 3, 4, 5}
        finish(tables, code)


def test_a_round_and_its_tables_are_there_together_or_not_at_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    tables, code = in_play(store, *"ABCDEF")
    laid = list[str]()

    def lay(self: Store, connection: Any, table: str, new: str, *more: Any) -> None:
        if len(laid) == 2:
            raise ParlourError("The disk is full.")
        laid.append(new)
        honest(self, connection, table, new, *more)

    honest = Store.lay
    monkeypatch.setattr(Store, "lay", lay)
    with pytest.raises(ParlourError, match="disk is full"):
        start(tables, code, 1)
    assert store.known(laid) == set()
    assert state_of(tables, code).played == []
    monkeypatch.undo()
    assert start(tables, code, 1) == 3
    assert every_table(store) == {one.code for one in state_of(tables, code).played[0].tables}
    live = asyncio.run(tables.get(min(every_table(store))))
    assert live.fence is not None, "whoever is asked for it runs it"
    first = live.table.opened
    assert (first.awaits, len(first.invited), first.takeovers) == (2, 2, False)


def every_table(store: Store) -> set[str]:
    return {code for (code,) in store.select(sa.select(TABLES.c.code))}


def test_rounds_are_started_one_after_the_other_and_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if a round is started at two servers at once."""
    tables, code = in_play(store, *"ABCDEF")
    for number in (2, 7):
        with pytest.raises(ParlourError, match="The round before is not over"):
            start(tables, code, number)
    while_pairing(monkeypatch, lambda: swiss._start_round(tables.competitions, code, 1))
    assert [start(tables, code, 1) for _ in range(2)] == [0, 0]
    assert every_table(store) == {one.code for one in state_of(tables, code).played[0].tables}
    with pytest.raises(ParlourError, match="The round before is not over"):
        start(tables, code, 2)
    finish(tables, code)
    assert [start(tables, code, number) for number in (1, 2)] == [0, 3]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch, running(tmp_path_factory.mktemp("swiss") / "p.db") as server:
        patch.setattr(swiss, "wanted_table", lambda **said: wanted_table(**said, pace=0.0))
        yield server


def plays_on(server: Server, code: str, tokens: list[str]) -> None:
    """Those who have a table in this round go there and play."""
    tables: dict[str, list[str]] = {}
    for token in tokens:
        with reader(server, token) as guest:
            answer = guest.post(f"/swiss/{code}/table")
            if answer.status_code == 303:
                tables.setdefault(answer.headers["location"].removeprefix("/t/"), []).append(token)
    for table, (one, other) in tables.items():
        name = table_of(server, table, one)["table"]
        with Guest(server, name, one) as zoe, Guest(server, name, other) as abe:
            both = tuple(one.told(lambda told: bool(told.asked) or told.over) for one in (zoe, abe))
            while not both[0].over:
                who, mine = next((who, told) for who, told in zip((zoe, abe), both, strict=True) if told.choices)
                assert isinstance(who.ask("act", action=mine.choices[-1].name), wire.Done)
                both = (later(zoe, both[0]), later(abe, both[1]))


def later(guest: Guest, before: wire.Telling) -> wire.Telling:
    """What a guest is told next, once somebody is asked or the match is over."""
    return guest.told(lambda told: told.version > before.version and (bool(told.asked) or told.over))


def test_an_evening_of_three_players_and_two_rounds(house: Server) -> None:
    tokens = ["zoe's token", "abe's token", "cleo's token"]
    with reader(house) as host:
        friday = {"title": "Friday", "game": "leduc", "size": 2, "rounds": 2}
        place = host.post("/swiss", data=friday).headers["location"]
        code = place.split("/")[2]
        for token, name in zip(tokens, ("Zoe", "Ada", "=Cleo"), strict=True):  # Ada is a bot's name elsewhere
            with reader(house, token) as guest:
                assert guest.post(f"/swiss/{code}/join", data={"name": name}).status_code == 303
                assert "You take part" in guest.get(f"/swiss/{code}").text
        for n in (1, 2):
            for _ in range(2):  # a button pressed twice
                assert host.post(f"{place}/start", data={"round": n}).status_code == 303
            assert "has a bye" in host.get(f"/swiss/{code}").text, "nobody is missing from the round"
            assert "A table is still playing" in host.post(f"{place}/close").text
            assert host.get(f"{place}/close").headers["location"] == place, "as the browser's address says then"
            plays_on(house, code, tokens)
            wait_until(lambda: host.get(f"/swiss/{code}/standings.json").json()["played"][-1]["tables"][0]["points"])
            for shown in (host.get(f"/swiss/{code}").text, host.get(place).text):
                assert ("/replay" in shown, "?watch=yes" in shown) == (True, False), "nobody watches what is over"
            assert host.post(f"{place}/close").status_code == 303
        kept = host.get(f"/swiss/{code}/standings.json").json()
        assert kept["over"]
        assert [len(one["byes"]) for one in kept["played"]] == [1, 1]
        assert kept["played"][0]["byes"] != kept["played"][1]["byes"]
        assert sum(row["points"] for row in kept["standings"]) == 4  # two tables, two byes
        table = host.get(f"/swiss/{code}/standings.csv").content
        assert table.startswith(b"\xef\xbb\xbf"), "without it Excel shows other letters than were written"
        rows = list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"))))
        assert [row["place"] for row in rows] == [str(row["place"]) for row in kept["standings"]]
        assert {row["name"] for row in rows} == {"Zoe", "Ada", "'=Cleo"}  # no formula
        assert "The tournament is over" in host.get(f"/swiss/{code}").text
        assert host.post(f"/swiss/{code}/join", data={"name": "Late"}).status_code == 422


def test_a_tournament_has_house_rules_and_its_host_is_told_whom_the_link_serves(house: Server) -> None:
    with reader(house) as host:
        place = host.post("/swiss", data={"game": "diabolo:quick", "size": 3, "rounds": 1}).headers["location"]
        assert "House rules: deals: 1" in host.get(place.partition("/host/")[0]).text
        assert "works on this computer only" in host.get(place).text
        assert "no preset" in host.post("/swiss", data={"game": "diabolo:quik", "size": 3}).text


def test_nobody_takes_a_seat_that_is_not_theirs_and_the_host_alone_enters_results(house: Server) -> None:
    """Everybody may watch."""
    with (
        reader(house) as host, reader(house, "zoe's token") as zoe, reader(house, "abe's token") as abe,
        reader(house, "cleo's token") as cleo,
    ):  # fmt: skip
        place = host.post("/swiss", data={"game": "leduc", "size": 2, "rounds": 3}).headers["location"]
        tournament = place.rpartition("/host")[0]
        for guest, name in ((zoe, "Zoe"), (abe, "Abe")):
            guest.post(f"{tournament}/join", data={"name": name})
        wrong = place[:-1] + ("x" if place[-1] != "x" else "y")
        for what in ("start", "close", "result", "remove", "end"):
            assert "isn't the link" in zoe.post(f"{wrong}/{what}").text.replace("&#39;", "'")
        assert zoe.get(wrong).status_code == 422
        assert place.rpartition("/")[2] not in zoe.get(tournament).text
        host.post(f"{place}/start", data={"round": 1})
        with ThreadPoolExecutor(8) as threads:  # whoever presses twice at once is at their table
            (there,) = set(threads.map(lambda _: zoe.post(f"{tournament}/table").headers["location"], range(24)))
        table = there.removeprefix("/t/")
        assert "not here yet: <bdi>Abe</bdi>" in " ".join(host.get(place).text.split())
        assert cleo.get(f"/t/{table}").status_code == 200
        refused = cleo.post(f"{API}/tables/{table}/seats", json={"name": "Cleo"})
        assert "kept for others" in refused.json()["sentence"]
        assert cleo.post(f"{tournament}/table").status_code == 422
        assert table_of(house, table, "zoe's token")["match"] == 0  # Abe is not here yet
        assert f"/t/{table}?watch=yes" in host.get(tournament).text
        assert "a place from 1 to 2" in host.post(f"{place}/result", data={"table": table, "place-00": "3"}).text
        host.post(f"{place}/result", data={"table": table, "place-00": "2", "place-01": "1"})
        assert f"/t/{table}" not in host.get(tournament).text, "nothing was played there that could be seen again"
        assert host.post(f"{place}/close").status_code == 303
        (first, second) = host.get(f"{tournament}/standings.json").json()["standings"]
        assert (first["points"], second["points"]) == (1, 0)
        host.post(f"{place}/remove", data={"player-0": "on"})
        assert "At least 2 players are needed" in host.post(f"{place}/start", data={"round": 2}).text
        assert host.post(f"{place}/end").status_code == 303
        assert host.get(f"{tournament}/standings.json").json()["over"]


def test_the_host_closes_the_list_opens_it_again_and_removes_whom_they_tick(house: Server) -> None:
    with reader(house) as host, reader(house, "zoe's token") as zoe, reader(house, "late token") as late:
        place = host.post("/swiss", data={"game": "leduc", "size": 2, "rounds": 3}).headers["location"]
        tournament = place.rpartition("/host")[0]
        for n in range(4):
            with reader(house, f"token {n}") as guest:
                guest.post(f"{tournament}/join", data={"name": f"Guest {n}"})
        zoe.post(f"{tournament}/join", data={"name": "Zoe"})
        assert "Close the list" in host.get(place).text
        host.post(f"{place}/list")
        assert "Open the list" in host.get(place).text
        assert "You take part" in zoe.get(tournament).text
        shown = late.get(tournament).text
        assert ("closed the list" in shown, "/join" in shown) == (True, False)
        assert "Die Liste der Spieler ist geschlossen" in late.get(tournament, headers={"Accept-Language": "de"}).text
        assert "closed the list" in late.post(f"{tournament}/join", data={"name": "Late"}).text
        host.post(f"{place}/remove", data={"player-0": "on", "player-2": "on"})
        assert [row["name"] for row in host.get(f"{tournament}/standings.json").json()["standings"]] == [
            "Guest 1", "Guest 3", "Zoe",
        ]  # fmt: skip
        assert host.post(f"{place}/remove", data={"player-0": "on"}).status_code == 303, "a button pressed twice"
        host.post(f"{place}/list", data={"open": "yes"})
        assert late.post(f"{tournament}/join", data={"name": "guest 2"}).status_code == 303, "the name is free"
        for wrong, sentence in (("", "Tick the players"), ("player-9", "no player 9"), ("player-x", "Tick")):
            assert sentence in host.post(f"{place}/remove", data={wrong: "on"}).text
        late.post(f"{tournament}/leave")
        assert "You take part" not in late.get(tournament).text
        assert late.post(f"{tournament}/join", data={"name": "Late"}).status_code == 303
        host.post(f"{place}/start", data={"round": 1})
        late.post(f"{tournament}/leave")
        assert "withdrawn" in host.get(place).text
        assert late.post(f"{tournament}/join", data={"name": "Late"}).status_code == 303


def test_an_address_has_so_many_newcomers_and_tables_of_tournaments_in_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These tables don't count among those that it may open otherwise."""
    here, elsewhere = ({"X-Forwarded-For": address} for address in ("203.0.113.5", "203.0.113.6"))
    with running(tmp_path / "p.db") as house, reader(house, **here) as host:
        for what, most in (("openings", 3), ("newcomers", 4), ("round_tables", 4)):
            monkeypatch.setattr(house.app.state, what, RateCounter(HOUR, most))
        first, second, third = (
            host.post("/swiss", data={"game": "kuhn", "size": 2, "rounds": 3}).headers["location"] for _ in range(3)
        )
        assert "join one of them" in host.post("/swiss", data={"game": "kuhn", "size": 2, "rounds": 3}).text

        def joins(place: str, address: dict[str, str], name: str) -> str:
            with reader(house, f"token of {name}", **address) as guest:
                answer = guest.post(f"{place.rpartition('/host')[0]}/join", data={"name": name})
                return answer.text if answer.status_code == 422 else ""

        for place in (first, second):
            assert [joins(place, here, name) for name in "ABCD"] == [""] * 4
            assert joins(place, elsewhere, "E") == ""
            assert "guests have joined this tournament from your address" in joins(place, here, "F")
            host.post(f"{place}/start", data={"round": 1})
            assert len(state_of(house.tables, place.split("/")[2]).played) == 1
        assert joins(third, here, "A") == joins(third, here, "B") == ""
        assert "Tournaments from your address" in host.post(f"{third}/start", data={"round": 1}).text
        assert state_of(house.tables, third.split("/")[2]).played == []
        with reader(house) as near:
            assert near.post(f"{third}/start", data={"round": 1}).status_code == 303


def test_a_bye_counts_when_its_round_is_over() -> None:
    """As everybody else's points do: nobody leads because others are still playing."""
    table = swiss.RoundTable("BCDFGH", [0, 1])
    state = swiss.Swiss("", "kuhn", 2, {}, 0, 3, "", ["Ann", "Ben", "Cora"], played=[swiss.Round([table], [2])])
    assert [one.points for one in state.standings()] == [0.0, 0.0, 0.0]
    table.points, table.gains, state.played[0].over = [1.0, 0.0], [1.0, -1.0], True
    assert {one.number: (one.points, one.byes) for one in state.standings()} == {0: (1, 0), 1: (0, 0), 2: (1, 1)}
