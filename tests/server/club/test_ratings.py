"""A guest's numbers at a game: against whom, in a row, the rating; and the ladder."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest
from msgspec import structs

import parlour
from parlour.players.kind import Kind
from parlour.server.club.pages.ratings import chart_of
from parlour.server.live import moves, seating
from parlour.server.store.competitions import Competitions
from parlour.server.store.history import against, longest_streak, results_of
from parlour.server.store.rating import Rating, rated, strength_of
from parlour.server.store.store import Store, StoredEntry
from parlour.server.store.traces import Traces
from parlour.server.table import log
from parlour.server.table.table import Change, Table
from tests.helpers import there
from tests.room_helpers import Server
from tests.server.club.test_profile import ABE, ZOE, finished, matches, played, reader, result
from tests.waiting import LIMIT, wait_until
from tests.worlds import opened

BETA = 25 / 6
"""How much luck there is in the model of the ratings."""
CHEATS = ("quits", "sends a bot", "takes over", "farms")
BOTS = ("random", "rule-of-thumb", "search", "best")
BEST = strength_of(Kind("best"))


def part_of(way: str, is_ahead: bool) -> str:
    """How a guest who behaves in some way has taken part in a match in which they are ahead by the middle, or not."""
    return {"quits": "" if is_ahead else "left", "sends a bot": "absent", "takes over": "late" * is_ahead}.get(way, "")


def ladder_of(guests: int, rounds: int, random: Random) -> tuple[list[float], list[str], list[float], list[float]]:
    """Guests of known strength, a tenth of whom cheat, play for some rounds: they quit where they are behind, take over
    from a bot where it is ahead, send a strong bot in their place, or play against the weakest only.  How strong they
    are, how they behave, and their ratings at the end and on average in the later rounds: luck goes up and down, and
    what cheating brings stays."""
    strength = [random.gauss(25, 25 / 3) for _ in range(guests)]
    ways = [CHEATS[p % len(CHEATS)] if p < guests // 10 else "honest" for p in range(guests)]
    ratings: dict[str, Rating] = {}

    def half(skill: float) -> float:
        return skill / 2 - BETA * math.log(-math.log(random.random()))

    def match(seats: list[int | str]) -> None:
        here = [ways[who] if isinstance(who, int) else "" for who in seats]
        skills = [
            BEST if way == "sends a bot" else strength[who] if isinstance(who, int) else strength_of(Kind.parsed(who))
            for way, who in zip(here, seats, strict=True)
        ]
        first = [half(skill) for skill in skills]
        parts = [part_of(way, score == max(first)) for way, score in zip(here, first, strict=True)]
        ends = [
            score + half(BEST if part == "left" else skill)
            for part, score, skill in zip(parts, first, skills, strict=True)
        ]
        places = [1 + sum(other > mine for other in ends) for mine in ends]
        bots = [
            who if isinstance(who, str) else "best" * (part in ("left", "absent"))
            for who, part in zip(seats, parts, strict=True)
        ]
        ratings.update(rated({
            str(who): result(*places, bots=[*bots[:p], "", *bots[p + 1 :]], seat=p, part=parts[p])
            for p, who in enumerate(seats) if isinstance(who, int)
        }, ratings))  # fmt: skip

    total, early = [0.0] * guests, rounds // 4
    for number in range(rounds):
        there = [p for p in range(guests) if ways[p] != "farms"]
        random.shuffle(there)
        for p in range(guests):
            if ways[p] == "farms":
                match([p, "random"])
        while there:
            some: list[int | str] = [*there[: random.choice((1, 2, 2, 3, 4))]]
            there = there[len(some) :]
            match(some + random.sample(BOTS, max(len(some) == 1, random.randrange(3))))
        if number >= early:
            total = [so_far + ratings[str(p)].mu for p, so_far in enumerate(total)]
    usual = [so_far / (rounds - early) for so_far in total]
    return strength, ways, [ratings[str(p)].mu for p in range(guests)], usual


@pytest.mark.parametrize(
    ("guests", "rounds", "tau", "most"),
    [(150, 90, 0.85, 0.1), pytest.param(1000, 800, 0.9, 0.05, marks=pytest.mark.long)],
    ids=["an evening", "a thousand guests"],
)
def test_ranks_are_in_the_order_of_strength_and_cheating_does_not_pay(
    guests: int, rounds: int, tau: float, most: float
) -> None:
    """At a single moment luck takes honest guests far from their rank, and cheats no further than honest guests."""
    strength, ways, last, usual = ladder_of(guests, rounds, Random(1))
    honest = [p for p, way in enumerate(ways) if way == "honest"]
    agree = [(strength[p] < strength[q]) == (last[p] < last[q]) for p, q in itertools.combinations(honest, 2)]
    assert 2 * sum(agree) / len(agree) - 1 >= tau

    def rise(p: int, ratings: Sequence[float]) -> float:
        """How far above the rank of their strength, among the honest: that other cheats sink lifts everybody."""
        above = sum(ratings[q] < ratings[p] for q in honest) - sum(strength[q] < strength[p] for q in honest)
        return above / len(honest)

    cheats = [p for p in range(guests) if ways[p] != "honest"]
    for p in cheats:
        assert rise(p, usual) <= most, (ways[p], strength[p])
    assert max(rise(p, last) for p in cheats) <= max(rise(p, last) for p in honest)


def after_match(places: Sequence[int], before: Sequence[Rating]) -> list[Rating]:
    """The ratings of the guests of a match, seat by seat, after it."""
    keys = [str(seat) for seat in range(len(places))]
    found = rated(
        {key: result(*places, seat=seat) for seat, key in enumerate(keys)}, dict(zip(keys, before, strict=True))
    )
    return [found[key] for key in keys]


def orders(players: int) -> Iterator[list[int]]:
    """All orders of finish, ties and all: the places, the best first."""
    for ties in itertools.product((False, True), repeat=players - 1):
        places = [1]
        for number, tied in enumerate(ties, 2):
            places.append(places[-1] if tied else number)
        yield places


@pytest.mark.parametrize("players", [2, 3, 5, 8])
def test_a_better_place_never_gains_less_and_equal_places_gain_alike(players: int) -> None:
    """All orders of finish of players who were rated alike: newcomers, and guests whose rating is well known."""
    rng = Random(players)
    for one in (Rating(), Rating(30.0, 2.0, 9)):
        for places in orders(players):
            after = after_match(places, [one] * players)
            for (place, mine), (other, theirs) in itertools.pairwise(zip(places, after, strict=True)):
                assert mine.mu > theirs.mu + 0.01 if place < other else mine.mu == pytest.approx(theirs.mu)
                assert mine.sigma == pytest.approx(theirs.sigma)
                assert mine.sigma < one.sigma
            assert sum(each.mu for each in after) == pytest.approx(players * one.mu)
            seats = rng.sample(range(players), players)
            moved = after_match([places[seat] for seat in seats], [one] * players)
            assert [each.mu for each in moved] == pytest.approx([after[seat].mu for seat in seats])


def test_it_stays_so_round_after_round() -> None:
    """With ratings of all kinds: whoever changes places with somebody behind them, all else equal, gains less."""
    rng = Random(5)
    for players in range(2, 9):
        now = [Rating()] * players
        for _ in range(12):
            now[1] = now[0]
            places = rng.choice([*orders(players)])
            rng.shuffle(places)
            after = after_match(places, now)
            assert (places[0] < places[1]) == (after[0].mu > after[1].mu + 1e-9)
            assert (places[0] == places[1]) == (after[0].mu == pytest.approx(after[1].mu))
            better = rng.randrange(players)
            others = [places[better], *(one for one in places if one < places[better])]
            changed = [min(others) if seat == better else place for seat, place in enumerate(places)]
            assert after_match(changed, now)[better].mu >= after[better].mu - 1e-9
            now = after


def test_how_far_a_rating_moves() -> None:
    """Further by winning against the strong, as far in a match of many as in one of two; then it settles."""
    weak, strong = (rated({"a": result(1, 2, bots=["", bot])}, {})["a"] for bot in ("random", "best"))
    assert Rating().mu < weak.mu < strong.mu
    far = [after_match([*range(1, players + 1)], [Rating()] * players)[0].points for players in (2, 3, 6, 8)]
    assert far == pytest.approx([1658] * 4, abs=5)
    mine = Rating()
    for n in range(200):
        mine = rated({"a": result(*((1, 2) if n % 2 else (2, 1)), bots=["", "random"])}, {"a": mine})["a"]
    assert mine.points == pytest.approx(1200, abs=60)
    assert mine.matches == 200


def test_ratings_change_once_a_match_and_go_with_the_guest(store: Store) -> None:
    results, events = finished(store), Competitions(store)
    for _ in range(2):  # as when the server is started again
        Traces(store).keep_results("t", 1, results)
    hers, his = events.ratings(ZOE)["leduc"], events.ratings(ABE)["leduc"]
    assert (hers[2], his[2]) == (1, 1)
    assert (hers[0] > his[0]) == (results[ZOE].place < results[ABE].place)
    assert Traces(store).results(ZOE, 1)[0].rating == [hers[0], hers[1]]
    events.climb(ZOE, "Zoé")
    Traces(store).forget_guest(ZOE)
    assert (events.ratings(ZOE), events.rung(ZOE), events.ladder("leduc", ABE)) == ({}, "", [])
    assert events.ratings(ABE)["leduc"] == his


def half_played(game: str, **options: Any) -> tuple[Table, Callable[[Any], None], Callable[[Callable[[], bool]], None]]:
    """A table at which Zoé sits and a match is on; what writes its log, and what plays on until something is so."""
    table, secret = Table(opened(parlour.load(game, 2, **options), maker=ZOE)), bytes(32)

    def write(change: Any, command: str | None = None) -> None:
        table.commit(change, command=command)

    def play(is_enough: Callable[[], bool]) -> None:
        while not (table.is_over or is_enough()):
            if table.is_held:
                write(Change(log.WentOn()))
            elif table.waits_for_chance or not table.has_begun:
                write(moves.go_on(table, secret, {}))
            else:
                seat = table.asked[0]
                act = moves.act(table, seat, table.game.action_names[table.known.question(seat)[1][0]], secret)
                write(act, None if table.seats[seat].is_bots else "the guest's")

    write(seating.sit(table, 0, "Zoé", ZOE))
    write(moves.commit_to(table, secret))
    play(lambda: table.has_begun)
    return table, write, play


@pytest.mark.parametrize("removed", [False, True])
def test_who_leaves_a_match_that_has_begun_has_the_result_of_the_seat(removed: bool) -> None:
    table, write, play = half_played("leduc")
    write(seating.sit(table, 1, "Abe", ABE))
    write(seating.remove(table, ZOE, 1) if removed else seating.leave(table, 1))
    assert not table.owes_results
    play(lambda: False)
    results = results_of(table, "T", 0.0)
    assert (results[ABE].part, results[ZOE].part) == ("left", "")
    assert (results[ABE].names, results[ABE].bots, results[ABE].seat) == (["Zoé", "Abe"], ["", ""], 1)
    assert results[ZOE].bots[1], "a bot has finished it"
    assert results[ABE].places == results[ZOE].places
    after = rated(results, {})
    assert {key: one.matches for key, one in after.items()} == {ZOE: 1, ABE: 1}
    assert (after[ABE].mu < Rating().mu) == (results[ABE].place > 1)
    assert after[ABE].mu <= Rating().mu, "a bot has won it"


@pytest.mark.parametrize("is_away", [False, True])
def test_whom_a_bot_plays_for_gains_nothing(is_away: bool) -> None:
    """Whether they are away, or give the seat up and come back for the end."""
    table, write, play = half_played("matrimony", deals=2)
    play(lambda: 0 in table.asked)
    write(Change(log.Away(0)) if is_away else seating.leave(table, 0))
    play(lambda: len(table.playing.deals) == 1)
    write(Change(log.Back(0)) if is_away else seating.sit(table, 0, "Zoé", ZOE))
    play(lambda: False)
    result = results_of(table, "T", 0.0)[ZOE]
    assert result.part == "absent"
    won = structs.replace(result, places=[1, 2])
    assert rated({ZOE: won}, {})[ZOE].mu == Rating().mu < rated({ZOE: structs.replace(won, part="")}, {})[ZOE].mu
    assert rated({ZOE: structs.replace(result, places=[2, 1])}, {})[ZOE].mu < Rating().mu


def test_who_meets_a_bot_is_compared_with_the_bot() -> None:
    """Not with the absent guest for whom it plays, who may be as weak as they like."""
    table, write, play = half_played("matrimony", deals=2)
    write(seating.sit(table, 1, "Abe", ABE))
    write(Change(log.Away(0)))
    play(lambda: False)
    results = results_of(table, "T", 0.0)
    assert (results[ZOE].part, results[ABE].part) == ("absent", "")
    assert (results[ZOE].bots, results[ABE].bots) == (["", ""], [table.seats[0].bot, ""])
    weak, strong = (rated(results, {ZOE: Rating(mu, 1.0, 9)})[ABE] for mu in (5.0, 45.0))
    assert weak == strong


def test_who_comes_back_has_played_to_the_end_and_who_leaves_before_it_begins_has_not_played() -> None:
    table, write, play = half_played("leduc")
    write(seating.leave(table, 0))
    assert table.owes_results
    write(seating.sit(table, 0, "Zoé", ZOE))
    assert not table.owes_results
    play(lambda: False)
    write(seating.sit(table, 1, "Abe", ABE))
    assert {key: one.part for key, one in results_of(table, "T", 0.0).items()} == {ZOE: ""}
    write(seating.leave(table, 0))
    assert results_of(table, "T", 0.0)[ZOE].part == "", "it was over"
    write(moves.commit_to(table, bytes(32)))
    write(seating.leave(table, 1))
    assert not table.parts


@pytest.mark.parametrize("deals", [0, 1])
def test_who_takes_over_after_the_first_deal_is_not_rated(store: Store, deals: int) -> None:
    table, write, play = half_played("matrimony", deals=2)
    play(lambda: len(table.playing.deals) == deals)
    write(seating.sit(table, 1, "Abe", ABE))
    play(lambda: False)
    results = results_of(table, "T", 0.0)
    assert results[ABE].is_rated is (deals == 0)
    store.make("t", "T", table.opened, "a", 3600)
    for n, guest in enumerate((ZOE, ABE), 2):
        store.append("t", 1, StoredEntry(n, log.Sat(n - 2, "", guest))).result(LIMIT)
    Traces(store).keep_results("t", 1, results)
    assert set(Competitions(store).ratings(ZOE)) == {"matrimony"}
    assert set(Competitions(store).ratings(ABE)) == ({"matrimony"} if deals == 0 else set())
    assert len(Traces(store).results(ABE, 9)) == 1, "it is among their matches"


def test_a_seat_that_was_given_up_has_no_part_in_an_event(store: Store) -> None:
    events = Competitions(store)
    events.begin("same/BCDFGH", "", bytes(32))
    results = finished(store)
    changed = {key: structs.replace(one, event="same/BCDFGH") for key, one in results.items()}
    Traces(store).keep_results("t", 1, changed | {ABE: structs.replace(changed[ABE], part="left")})
    assert [one.guest for one in events.outcomes(["same/BCDFGH"])["same/BCDFGH"]] == [ZOE]


def test_bots_finish_what_a_guest_has_left_though_nobody_looks(house: Server) -> None:
    """Nor does anybody have to be there: the match counts as one played to its end does."""
    warning = "Your rating then changes by how this seat ends, but only downwards."
    with house.guest("diamonds", players=3) as zoe, reader(house, zoe.token) as page:
        zoe.told(lambda told: told.match == 1)
        assert warning in page.get(f"/t/{zoe.table}").text
        zoe.ask("leave")
    wait_until(lambda: bool(matches(house, zoe.token)))
    (kept,) = matches(house, zoe.token)
    assert (kept["part"], len(kept["rating"])) == ("left", 2)


def test_numbers_are_added_up_by_company() -> None:
    """And the chart of the ratings goes from the oldest to the latest."""
    mine = [
        result(1, 2, bots=["", "random"]), result(2, 1), result(1, 2, bots=["", "search:0.1s"]),
        result(2, 1, bots=["", "random"]), result(1, 2, 3, bots=["", "random", "search"]),
    ]  # fmt: skip
    assert [tuple(one) for one in against(mine)] == [
        ("people", 1, 0), ("random", 2, 1), ("search", 1, 1), ("several", 1, 1),
    ]  # fmt: skip
    assert longest_streak([result(1, 2), result(1, 2), result(2, 1), result(1, 2)]) == 2
    chart = there(chart_of([result(1, 2, rating=[26.0, 1.0]), result(1, 2, rating=[24.0, 1.0]), result(1, 2)]))
    assert (chart.first, chart.last, chart.points, chart.middle) == (1440, 1560, [(0, 90), (320, 0)], 45)
    assert chart_of([result(1, 2, rating=[26.0, 1.0])]) is None


def test_the_ladder_names_only_those_who_have_joined_it(house: Server) -> None:
    """No two names on it look alike.  A guest sees their numbers, and nobody else does."""
    (made, _), (other, _) = played(house), played(house)
    with reader(house, made["token"]) as zoe, reader(house, other["token"]) as abe, reader(house) as nobody:
        (kept,) = matches(house, made["token"])
        points, shown = f"{Rating(*kept['rating']).points}?", zoe.get("/you/leduc").text  # provisional after one match
        assert (f"{points} ±" in shown, "Beginners (bots)" in shown) == (True, True)
        assert points in zoe.get("/you").text
        assert "Nothing yet." in nobody.get("/you/leduc").text
        assert nobody.get("/you/no_game").status_code == 404
        assert "Zoé" not in nobody.get("/ladder/leduc").text
        assert zoe.post("/ladder/leduc/join", data={"name": "Zoé"}).status_code == 303
        assert "Zoé" in nobody.get("/ladder/leduc").text
        assert "Zoé" not in nobody.get("/ladder/kuhn").text  # she has not played that
        assert zoe.get("/you/export").json()["ladder"][0]["name"] == "Zoé"
        for guest, name, why in (
            (abe, "ZOÉ", "choose another name"),
            (nobody, "Abe", "Play a match to its end first."),
        ):
            refused = guest.post("/ladder/leduc/join", data={"name": name})
            assert (refused.status_code, why in refused.text) == (422, True)
        zoe.post("/ladder/leduc/leave")
        assert "Zoé" not in nobody.get("/ladder/leduc").text
