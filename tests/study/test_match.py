"""Matches: rotation of seats, the statistics, and the command."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import parlour
from parlour import ParlourError
from parlour.engine.telling import View
from parlour.players.clock import now
from parlour.study.intervals import mean_estimate, share_estimate
from parlour.study.match import GameResult, as_data, play, play_game, summary
from parlour.study.runners import AtViews, Meeting
from tests.helpers import Says


def won_by(seat: int, holder: tuple[int, ...], stake: float = 1.0) -> GameResult:
    returns = tuple(stake if p == seat else -stake / (len(holder) - 1) for p in range(len(holder)))
    return GameResult(holder, returns, (3,) * len(holder), (0.3,) * len(holder))


def test_each_deal_is_averaged_before_spread_is_measured() -> None:
    """Seat 0 wins everything: its holder's luck cancels in each deal, so nothing is left of it for the players."""
    deals = [[won_by(0, (0, 1)), won_by(0, (1, 0))] for _ in range(10)]
    match = summary(parlour.load("kuhn"), ["a", "b"], deals)
    assert (match.deals, match.games) == (10, 20)
    for standing in match.players:
        assert (standing.share.mean, standing.share.low, standing.share.high) == (0.5, 0.5, 0.5)
        assert (standing.returns.mean, standing.returns.low, standing.returns.high) == (0, 0, 0)
    first, second = match.seats
    assert (first.share.mean, first.returns.mean) == (1, 1)
    assert (second.share.mean, second.returns.mean) == (0, -1)
    assert 0 < second.share.high < 0.5 < first.share.low < 1
    assert first.moves == 3
    assert first.seconds == pytest.approx(0.1)


def test_a_shared_game_counts_in_parts() -> None:
    assert GameResult((0, 1, 2), (0.5, 0.5, -1.0), (1, 1, 1), (0, 0, 0)).shares == (0.5, 0.5, 0)
    assert GameResult((0, 1), (0.0, 0.0), (1, 1), (0, 0)).shares == (0.5, 0.5)


@pytest.mark.parametrize("n", [3, 10, pytest.param(60, marks=pytest.mark.long)])
def test_intervals_hold_the_truth_as_often_as_they_say(n: int) -> None:
    dice = random.Random(n)
    means = [mean_estimate([dice.gauss(2, 3) for _ in range(n)]) for _ in range(3000)]
    assert 0.935 < sum(e.low <= 2 <= e.high for e in means) / 3000 < 0.965
    shares = [share_estimate([dice.choice((0.0, 0.5, 1.0)) for _ in range(n)]) for _ in range(3000)]
    assert sum(e.low <= 0.5 <= e.high for e in shares) / 3000 > (0.85 if n == 3 else 0.93)
    assert all(0 <= e.low <= e.mean <= e.high <= 1 for e in shares)


def test_one_deal_says_nothing_about_spread() -> None:
    data = as_data(play(parlour.load("kuhn"), ["random", "random"], games=1))
    assert (data["deals"], data["games"]) == (1, 2)
    assert data["standings"][0]["returns"]["low"] is None
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize("players", [2, 3])
def test_a_deal_is_played_once_for_each_rotation(players: int) -> None:
    (results,) = AtViews(Meeting(parlour.load("diamonds", players), ["random"] * players, 3)).play(range(4, 5))
    assert len(results) == players
    for seat in range(players):
        assert sorted(result.holder[seat] for result in results) == list(range(players))
    assert all(sum(result.shares) == 1 and min(result.moves) >= 0 and sum(result.moves) > 5 for result in results)


def test_what_is_played_does_not_depend_on_processes() -> None:
    game = parlour.load("diamonds")
    done: list[int] = []
    one, two = (play(game, ["rule-of-thumb", "random"], 12, seed=2, processes=n, progress=done.append) for n in (1, 2))
    assert [s.share for s in one.players] == [s.share for s in two.players]
    assert [s.moves for s in one.seats] == [s.moves for s in two.seats]
    assert done == [2, 4, 6, 8, 10, 12] * 2
    assert play(game, ["rule-of-thumb", "random"], 12, seed=3).players != one.players


@pytest.mark.parametrize("players", ["random rule-of-thumb", "random,rule-of-thumb"])
def test_players_are_named_in_any_of_these_ways(players: str, says: Says) -> None:
    code, out, err = says(f"match diamonds {players} --games 4 --seed 9 --option trade_leaves=debris --json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert [s["name"] for s in data["standings"]] == ["random", "rule-of-thumb"]
    assert (data["games"], data["seed"], data["options"]["trade_leaves"]) == (4, 9, "debris")


def test_the_table_names_players_and_seats(says: Says) -> None:
    code, out, err = says("match diamonds random random rule-of-thumb --games 6")
    assert (code, err) == (0, "")
    assert out.startswith("Diamonds, 3 players: 6 games, 2 deals, seed 0")
    for word in ("random 2", "rule-of-thumb", "seat 2", "95%", "ms a move"):
        assert word in out


@pytest.mark.parametrize(
    ("called", "sentence"),
    [
        ({"games": 2.5}, "2.5 is not a number of games."),
        ({"games": 0}, "A match needs at least one game, not 0."),
        ({"processes": 0}, "A match needs at least one process, not 0."),
        ({"seed": 1.5}, "A seed is a whole number from 0 to 2^64 - 1, not 1.5."),
        ({"processes": 1.5}, "1.5 is not a number of processes."),
        ({"kinds": None}, "This match needs 2 players, not 1."),
        ({"kinds": ["random"]}, "This match needs 2 players, not 1."),
    ],
)
def test_bad_input_from_python_is_one_sentence(called: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParlourError, match=f"^{re.escape(sentence)}$"):
        play(parlour.load("kuhn"), **{"kinds": ["random", "random"], "games": 2, **called})


def test_a_folder_of_records_may_be_named_by_a_text(tmp_path: Path) -> None:
    play(parlour.load("kuhn"), ["random", "random"], 2, records=str(tmp_path / "there"))
    assert (tmp_path / "there" / "decisions.jsonl").exists()


def test_time_to_think_is_processor_time_in_a_match() -> None:
    """A player that waits for something else, as on a busy machine, has lost none of its time to think."""
    spent = []

    class Waiting:
        name = "waiting"

        def choose(self, view: View, legal: Sequence[int]) -> int:
            begun = now()
            time.sleep(0.05)
            spent.append(now() - begun)
            return legal[0]

    play_game(parlour.load("kuhn"), [Waiting(), Waiting()], seed=1)
    assert max(spent) < 0.05
    begun = now()
    time.sleep(0.05)
    assert now() - begun >= 0.05  # by the clock on the wall again
