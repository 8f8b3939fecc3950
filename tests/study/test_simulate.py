"""Random games in bulk: the figures are those of the games played one by one; the command."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import parlour
from parlour import Game, ParlourError, State
from parlour.engine.definition import definition
from parlour.engine.hashing import seed_word
from parlour.players import make
from parlour.rules.vocabulary import below
from parlour.study import arena, surveying
from parlour.study import simulate as study
from parlour.study import sums as sharing
from parlour.study.intervals import Estimate, difference, mean_estimate, mean_known, share_estimate, share_known
from parlour.study.simulate import Survey, simulate
from tests.helpers import COMPILED, GAMES, Says, ends, interpreted, plain_of_all, the_rest_long


def one_by_one(game: Game, seed: int, games: int) -> list[tuple[int, list[float], Counter[str]]]:
    """Length, returns and clauses of random games, played interpreted."""
    rules, played = game.definition.rules, []
    for i in range(games):
        s, heard, returns = game.start(), [], [0.0] * game.players  # type: ignore[var-annotated]
        n = interpreted(game.definition).play_out(s, [0] * game.action_count, [seed_word(seed + i)], heard)
        rules.returns(s, returns)
        played.append((n, returns, Counter(event[0] for event in heard)))
    return played


def at_random(game: Game, seed: int) -> State:
    """The random game with this seed as it is played in bulk."""
    state, rng = game.new(), [seed_word(seed)]
    while not state.is_terminal:
        if state.acting:
            legal = state.legal_actions(state.acting[0])
            state.apply(legal[below(rng, len(legal))], state.acting[0])
        else:
            state.apply(interpreted(game.definition).draw_outcome(state.position, rng))
    return state


def assert_close(a: Estimate, b: Estimate) -> None:
    assert (a.mean, a.low, a.high) == pytest.approx((b.mean, b.low, b.high))


@pytest.mark.parametrize("setting", plain_of_all(COMPILED), ids=str)
def test_the_figures_are_those_of_the_games_played_one_by_one(setting: Any) -> None:
    game = setting.load()
    survey, played = simulate(game, 60, seed=7, threads=2), one_by_one(game, 7, 60)
    lengths = [n for n, _, _ in played]
    assert survey.decisions == sum(lengths)
    assert survey.length.games == dict(sorted(Counter(lengths).items()))
    assert (survey.length.shortest, survey.length.longest) == (min(lengths), max(lengths))
    assert_close(survey.length.mean, mean_estimate(lengths))
    assert survey.length.quantiles[0.5] == sorted(lengths)[29]
    for p, seat in enumerate(survey.seats):
        assert_close(seat.returns, mean_estimate([returns[p] for _, returns, _ in played]))
        shares = [(returns[p] == max(returns)) / returns.count(max(returns)) for _, returns, _ in played]
        assert_close(seat.won, share_estimate(shares))
    fired = sum((clauses for _, _, clauses in played), Counter())
    assert {c.clause: c.times for c in survey.clauses} == fired
    for c in survey.clauses:
        games_with = [float(clauses[c.clause] > 0) for _, _, clauses in played]
        assert_close(c.games, share_estimate(games_with))
        assert c.per_game.mean == fired[c.clause] / 60
        if sum(games_with) >= study.FEW:
            assert_close(c.per_game, mean_estimate([clauses[c.clause] for _, _, clauses in played]))
        else:
            assert (c.per_game.low, c.per_game.high) == (-math.inf, math.inf)


def same_figures(survey: Survey) -> dict[str, Any]:
    """All that does not depend on the clock."""
    clock = ("threads", "seconds", "decisions_per_second", "games_per_second")
    return {name: value for name, value in survey.to_json().items() if name not in clock}


@pytest.mark.parametrize("name", ["diamonds", "kuhn"])  # shares of a third that no sum of doubles keeps; whole ones
def test_any_number_of_threads_or_shards_in_any_order_is_the_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "CHUNK", 4)
    game = parlour.load("diamonds", 3, games=2) if name == "diamonds" else parlour.load(name)
    whole = simulate(game, 102, seed=5, threads=1)
    for threads in (2, 5):
        survey = simulate(game, 102, seed=5, threads=threads)
        assert (survey.threads, same_figures(survey)) == (threads, same_figures(whole))
    for n in (1, 25):
        shards = [simulate(game, 102, seed=5, threads=1 + k % 2, shard=(k, n)) for k in range(1, n + 1)]
        random.Random(n).shuffle(shards)
        first, *others = (Survey.from_json(json.loads(json.dumps(one.to_json()))) for one in shards)
        assert bool(first.missing) == (n > 1)
        merged = first.merge(*others)
        assert same_figures(merged) == same_figures(whole)
        assert not merged.missing
        with pytest.raises(ParlourError, match=r"^The games with seeds \d+ to \d+ are there twice\.$"):
            merged.merge(shards[0])


def test_studies_of_other_rules_are_not_merged() -> None:
    one, other = simulate("kuhn", 100), simulate("leduc", 100)
    with pytest.raises(ParlourError, match="not played by the same rules"):
        one.merge(other)
    with pytest.raises(ParlourError, match="These games had different players: last and random"):
        simulate("kuhn", 100, seed=100, threads=1, player=Last).merge(one)
    data = one.to_json()
    data["sums"]["version"] = "0.0.1"
    with pytest.raises(ParlourError, match=r"played by Parlour 0\.0\.1, this is"):
        Survey.from_json(data)


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [("diamonds", 3, {"games": 2}), ("diamondback", 3, {}), ("diamondback", 2, {"version": "match"})],
)
def test_what_a_deal_brings_from_each_place(name: str, players: int, options: dict[str, Any]) -> None:
    game = parlour.load(name, players, **options)
    deals, states = simulate(game, 60, seed=7, threads=2).deals, [at_random(game, 7 + i) for i in range(60)]
    assert deals is not None
    seats = range(game.players)
    played = [
        (len(s.deals), [sum(deal.returns[(deal.dealer + q) % len(seats)] for deal in s.deals) for q in seats])
        for s in states
    ]
    assert_close(deals.per_game, mean_estimate([n for n, _ in played]))
    in_all = sum(n for n, _ in played)
    for q, place in enumerate(deals.places):
        mean = sum(brought[q] for _, brought in played) / in_all
        error = mean_estimate([(brought[q] - mean * n) * 60 / in_all for n, brought in played])
        assert_close(place, Estimate(mean, mean + error.low, mean + error.high))
    assert sum(place.mean for place in deals.places) == pytest.approx(0, abs=1)  # coins may be left in the pot


def test_clauses_that_never_fired_and_clauses_that_do_not_exist() -> None:
    survey = simulate(parlour.load("diamonds"), 20)
    never = survey.clause("DM-95")  # of matches over several games
    assert (never.times, never.per_game.mean, never.games.mean, never.games.low) == (0, 0, 0, 0)
    assert 0.1 < never.games.high < 0.3  # not seen in 20 games does not mean never
    assert survey.clause("dm-24") == survey.clause("DM-24")
    with pytest.raises(ParlourError, match="There is no clause 'DM-999'"):
        survey.clause("DM-999")


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"games": 1}, "An interval needs at least two games, not 1."),
        ({"games": 0}, "An interval needs at least two games, not 0."),
        ({"games": -5}, "An interval needs at least two games, not -5."),
        ({"games": 2, "threads": 0}, "At least one thread is needed, not 0."),
        ({"games": 2, "seed": 2**64}, "A seed is a whole number from 0 to 2^64 - 1, not 18446744073709551616."),
        ({"games": 2, "seed": 2**64 - 1}, "Seeds end at 2^64 - 1: those of 2 games start at 18446744073709551614"),
    ],
)
def test_what_cannot_be_simulated_is_refused(wanted: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParlourError) as refused:
        simulate(parlour.load("kuhn"), **wanted)
    assert str(refused.value).startswith(sentence)


def from_views(game: Game, kind: str, seed: int) -> tuple[State, int]:
    """A game between such players, and in how many decisions there was a choice."""
    state, choices = game.new(seed=seed), 0
    players = [make(kind, game, own) for own in arena.seeds_of_players(game.players, seed)]
    while not state.is_terminal:
        asked = [(p, state.legal_actions(p)) for p in state.acting]
        choices += sum(len(legal) > 1 for _, legal in asked)
        for p, action in [(p, players[p].choose(state.view(p), legal)) for p, legal in asked]:
            state.apply(action, p)
    return state, choices


WITH_THUMB = [game for game in GAMES if definition(game).has("appraise")]


@pytest.mark.parametrize("name", the_rest_long(WITH_THUMB, COMPILED))
def test_compiled_players_play_the_games_that_they_play_from_views(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = parlour.load("diamonds", 3, games=2) if name == "diamonds" else ends(name)[-1].load()
    kind = "rule-of-thumb"
    fast = simulate(game, 16, seed=3, threads=2, player=kind)
    states, choices = zip(*(from_views(game, kind, seed) for seed in range(3, 19)), strict=True)
    deals, began = sum(len(state.deals) for state in states) or 16, len(game.new().events(None))
    fired = Counter(event.clause for state in states for event in state.events(None)[began:])
    lengths = Counter(sum(step.player >= 0 for step in state.history) for state in states)
    assert fast.length.games == dict(sorted(lengths.items()))
    mean, of = sum(choices) / game.players / deals, [len(state.deals) or 1 for state in states]
    errors = mean_estimate([(n / game.players - mean * k) * 16 / deals for n, k in zip(choices, of, strict=True)])
    assert_close(fast.choices, Estimate(mean, mean + errors.low, mean + errors.high))
    assert fast.ties.mean == sum(sorted(state.returns())[-2] == max(state.returns()) for state in states) / 16
    assert {c.clause: c.times for c in fast.clauses} == fired
    for c in fast.clauses if fast.deals else ():
        assert c.per_deal
        assert c.per_deal.mean == pytest.approx(fired[c.clause] / deals)
    monkeypatch.setattr(arena, "all_compiled", lambda *_: False)
    told: list[int] = []
    slow = simulate(game, 16, seed=3, threads=1, progress=told.append, player=kind)
    assert slow.sums == fast.sums
    assert told[:16] == [*range(1, 17)]
    assert (fast.player, same_figures(slow)) == (kind, same_figures(fast))


class Last:
    """Always takes the last legal action."""

    name = "last"

    def choose(self, view: Any, legal: Any) -> int:
        return int(legal[-1])


def test_your_own_players_play_at_views() -> None:
    """Kuhn: bet, bet every time, so there are two decisions of two actions each, and the stake is 2."""
    survey = simulate("kuhn", 50, seed=1, threads=1, player=Last)
    assert survey.player == "last"
    assert survey.length.games == {2: 50}
    assert survey.choices.mean == survey.choices.high == 1
    assert {abs(seat.returns.low) <= 2 for seat in survey.seats} == {True}
    assert survey.ties.mean == 0


def test_sums_give_the_same_intervals_as_values() -> None:
    assert mean_known(3, 2.0, 1.0) == mean_estimate([1, 2, 3])
    assert share_known(4, 0.25, 0.25) == share_estimate([1, 0, 0, 0])
    assert mean_known(1, 2.0, 0.0) == Estimate(2.0, -math.inf, math.inf)


def test_the_interval_of_a_difference_is_newcombes() -> None:
    """56/70 against 48/80: 0.2 (0.0524 to 0.3339) in Newcombe (1998), method 10."""
    a, b = (share_known(n, k / n, k * (n - k) / n / (n - 1)) for k, n in ((56, 70), (48, 80)))
    gap = difference(a, b)
    assert (gap.mean, gap.low, gap.high) == pytest.approx(
        (0.2, 0.0524, 0.3339), abs=0.005
    )  # Student's, not normal, quantiles


def test_the_tables_of_one_setting(says: Says) -> None:
    code, out, err = says("simulate diamonds --games 3000 --players 3 --option trade_leaves=debris")
    assert (code, err) == (0, "")
    survey = simulate(parlour.load("diamonds", 3, trade_leaves="debris"), 3000)
    assert out.startswith("Diamonds, 3 players: 3,000 games of random play\n")
    assert "House rules: trade_leaves=debris." in out
    assert f"Decisions a game: {survey.length.mean.mean:.3f} (" in out
    for seat in survey.seats:
        assert f"{seat.returns.mean:+.4f}" in out
    for fired in survey.clauses:
        assert f"{fired.clause:6} {fired.times:>7,}".split() == next(
            line.split()[:2] for line in out.splitlines() if line.split()[:1] == [fired.clause]
        )
    assert max(map(len, out.splitlines()[2:])) <= 80
    assert out.rstrip().endswith("games.")


def test_json_is_the_survey(says: Says) -> None:
    code, out, err = says("simulate kuhn --games 500 --seed 4 --jobs 2 --json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found.keys() == {"game", "settings", "differences"}
    assert (found["game"], found["differences"], len(found["settings"])) == ("kuhn", [], 1)
    survey = simulate(parlour.load("kuhn"), 500, 4).to_json()
    clock = {"threads": 2, "seconds": 0, "decisions_per_second": 0, "games_per_second": 0}
    assert {**found["settings"][0], **clock} == {"setting": "", **json.loads(json.dumps(survey)), **clock}
    assert survey.keys() >= {"players", "options", "seed", "games", "decisions", "length", "seats", "clauses"}
    assert sum(n for _, n in survey["length"]["histogram"]) == 500
    assert survey["clauses"][0]["text"] == parlour.load("kuhn").clause("KU-4").text


def test_settings_stand_side_by_side(says: Says) -> None:
    line = "simulate diamonds --games 4000 --seed 9 --option trade_leaves=on_pile,debris"
    code, out, err = says(f"{line} --json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [s["setting"] for s in found["settings"]] == ["trade_leaves=on_pile", "trade_leaves=debris"]
    assert [s["seed"] for s in found["settings"]] == [9, 4009]  # independent games
    (gap,) = found["differences"]
    assert (gap["setting"], gap["less"]) == ("trade_leaves=debris", "trade_leaves=on_pile")
    digs = next(m for m in gap["measures"] if (m["measure"], m["of"]) == ("per game", "DM-24"))
    assert 1.5 < digs["low"] < digs["mean"] < digs["high"] < 3  # piles are turned up again and again

    _, out, _ = says(line)
    row = next(text for text in out.splitlines() if "DM-24" in text)
    assert row.rstrip().endswith("*")
    assert f"{digs['mean']:+.4g}" in row
    assert max(map(len, out.splitlines()[2:])) <= 80


def test_several_options_make_every_combination(says: Says) -> None:
    options = ("games=1,2", "switch_target=spade_holder,anyone", "first_dealer=0")
    line = " ".join(["simulate diamonds --games 50", *(f"--option {option}" for option in options)])
    _, out, _ = says(f"{line} --json")
    found = json.loads(out)
    assert [s["setting"] for s in found["settings"]] == [
        f"switch_target={target}, games={games}" for games in (1, 2) for target in ("spade_holder", "anyone")
    ]
    assert {s["options"]["first_dealer"] for s in found["settings"]} == {"0"}
    assert len(found["differences"]) == 3
    _, out, _ = says(line)  # more than fit on a line: table after table
    assert sum(text.split()[-1:] == ["difference"] for text in out.splitlines()) == 3


def test_shards_of_settings_are_merged_to_what_one_run_prints(tmp_path: Path, says: Says) -> None:
    line = "simulate diamonds --games 40000 --option trade_leaves=on_pile,debris"
    _, whole, _ = says(f"{line} --csv -")
    files = [tmp_path / f"{k}.json" for k in (1, 2, 3)]
    for k, file in enumerate(files, 1):
        file.write_text(says(f"{line} --shard {k}/3 --json")[1], "utf-8")
    code, out, err = says(f"merge {files[2]} {files[0]} {files[1]} --csv -")
    assert (code, err, out) == (0, "", whole)
    code, out, err = says(f"merge {files[0]} {files[2]}")
    assert (code, out) == (2, "")
    assert err == "parlour: Games are missing, those with seeds 16384 to 32767; --partial goes on without them.\n"
    code, out, _ = says(f"merge {files[0]} {files[2]} --partial")
    assert (code, "These are a part; 32,768 games of the study are not among them." in out) == (0, True)
    for text, sentence in (
        ("", "is empty: the run that writes"),
        ("0", "was not written by parlour"),
        ('{"settings": [{}]}', "This was not written by"),
    ):
        files[0].write_text(text, "utf-8")
        code, _, err = says(f"merge {files[0]}")
        assert (code, sentence in err, err.count("\n")) == (2, True, 1)


def test_figures_as_csv_and_parquet_are_those_of_the_data_frame(tmp_path: Path, says: Says) -> None:
    import polars

    line = "simulate diamonds --games 300 --option trade_leaves=on_pile,debris --player rule-of-thumb"
    files = tmp_path / "a.csv", tmp_path / "a.parquet"
    code, out, err = says(f"{line} --csv {files[0]} --parquet {files[1]}")
    assert (code, err) == (0, "")
    assert "600 games between rule-of-thumb players" in out
    table = polars.read_parquet(files[1])
    written = polars.read_csv(files[0], schema=table.schema)
    assert table.equals(written.with_columns(polars.col(polars.String).fill_null("")))
    assert says(f"{line} --csv -")[1] == files[0].read_text("utf-8")
    assert {*table["player"]} == {"rule-of-thumb"}
    assert {*table["measure"]} >= {"length", "choices", "ties", "won", "per deal"}
    survey = simulate("diamonds", 300, player="rule-of-thumb")
    mine = survey.frame()
    (length,) = mine.filter(polars.col("measure") == "length").rows(named=True)
    assert (length["mean"], length["low"]) == (survey.length.mean.mean, survey.length.mean.low)


def test_a_plot_shows_what_was_played(tmp_path: Path, says: Says) -> None:
    files = [tmp_path / f"kuhn{k}.svg" for k in (1, 2)]
    for file in files:
        assert says(f"simulate kuhn --games 300 --plot {file}")[0] == 0
    text = files[0].read_text("utf-8")
    assert text == files[1].read_text("utf-8")  # the same bytes
    for said in ("Kuhn poker, 2 players: 300 games, players: random", "Length", "Wins by seat", "KU-4"):
        assert f">{said}</text>" in text


def test_games_longer_than_the_histogram_are_counted_in_its_last_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveying, "LONGEST", 20)
    survey = simulate(parlour.load("diamonds"), 500)
    assert survey.length.longest == 20
    assert sum(survey.length.games.values()) == 500
    assert survey.length.mean.mean == survey.decisions / 500 > 20
