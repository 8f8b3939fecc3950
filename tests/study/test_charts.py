"""Charts draw the figures they are given, all of them, and say in words what they show."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import parlour
from parlour import ParlourError, players
from parlour.engine.odds import odds
from parlour.study import charts
from parlour.study.intervals import Estimate
from parlour.study.match import play
from parlour.study.simulate import simulate


def widths(chart: charts.Chart) -> list[float]:
    """How long the bars of a chart are."""
    bars: Any = chart.figure.axes[0].patches
    return [bar.get_width() for bar in bars]


def rows(chart: charts.Chart) -> list[str]:
    return [label.get_text() for label in chart.figure.axes[0].get_yticklabels()]


def points(chart: charts.Chart) -> list[tuple[float, float, float]]:
    """The points of a chart, each with the ends of its interval."""
    found = []
    for drawn in chart.figure.axes[0].containers:
        line, _, (bars,) = drawn
        ends = [segment[:, 0] for segment in bars.get_segments()]
        found += [(float(x), float(low), float(high)) for x, (low, high) in zip(line.get_xdata(), ends, strict=True)]
    return found


def test_lengths_are_those_of_every_survey() -> None:
    surveys = {name: simulate("kuhn", 2000, seed=seed) for seed, name in enumerate(("one", "two"))}
    axes: Any = charts.lengths(surveys).figure.axes[0]
    for drawn, survey in zip(axes.patches, surveys.values(), strict=True):
        shares, edges, _ = drawn.get_data()
        found = {
            round((a + b) / 2): share / 100 for a, b, share in zip(edges, edges[1:], shares, strict=False) if share
        }
        assert found == {n: pytest.approx(games / 2000) for n, games in survey.length.games.items()}


def test_fairness_shows_each_seat_of_each_survey() -> None:
    surveys = {name: simulate("leduc", 1000, seed=seed) for seed, name in enumerate(("one", "two"))}
    seats = [seat for survey in surveys.values() for seat in survey.seats]
    for what, wanted in (("won", [seat.won for seat in seats]), ("return", [seat.returns for seat in seats])):
        chart = charts.fairness(surveys, what)
        assert rows(chart) == ["seat 0", "seat 1"]
        assert points(chart) == [pytest.approx((one.mean, one.low, one.high)) for one in wanted]


def test_standings_show_the_players_and_not_the_seats() -> None:
    match = play("diamonds", ["rule-of-thumb", "random"], 100, seed=1)
    chart = charts.standings(match)
    assert rows(chart) == ["rule-of-thumb", "random"]
    assert points(chart) == [pytest.approx((one.share.mean, one.share.low, one.share.high)) for one in match.players]


def test_deals_show_each_place() -> None:
    game = parlour.load("diamonds", players=3)
    surveys = {kind: simulate(game, 500, seed=1, player=kind) for kind in ("random", "rule-of-thumb")}
    chart = charts.deals(surveys)
    assert rows(chart) == ["dealer", "dealer + 1", "dealer + 2"]
    places = [place for survey in surveys.values() if survey.deals for place in survey.deals.places]
    assert [mean for mean, *_ in points(chart)] == [pytest.approx(place.mean) for place in places]


def test_odds_are_drawn_as_they_are() -> None:
    table = odds(parlour.load("diamonds").new().view())[0]
    assert widths(charts.odds(table)) == [pytest.approx(float(row.chances[0])) for row in table.rows if row.chances[0]]


def test_a_strategy_is_stacked_to_one() -> None:
    game = parlour.load("leduc")
    chart = charts.strategy(players.make("random", game), {"first": game.new(seed=1)}, "At random")
    assert widths(chart) == [0.5, 0.5]
    bars: Any = chart.figure.axes[0].patches
    assert [bar.get_x() for bar in bars] == [0.0, 0.5]


def test_an_unknown_interval_is_not_drawn() -> None:
    chart = charts.estimates({"one": {"": Estimate(0.5, -math.inf, math.inf)}}, "Little is known")
    assert points(chart) == [(0.5, 0.5, 0.5)]
    assert chart.about == "Little is known: one 0.5."


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_a_chart_is_saved(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"chart.{suffix}"
    charts.bars({"K": {"bet": 1.0}}, "Opening").save(file)
    assert file.read_bytes().startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix])


def test_mistakes_are_told_in_a_sentence(tmp_path: Path) -> None:
    chart = charts.bars({"K": {"bet": 1.0}}, "Opening")
    with pytest.raises(ParlourError, match=r"ends in \.svg, \.png or \.pdf, not '.*chart\.card'\.$"):
        chart.save(tmp_path / "chart.card")
    with pytest.raises(ParlourError, match=r"cannot be written: No such file or directory\.$"):
        chart.save(tmp_path / "nowhere" / "chart.svg")
    with pytest.raises(ParlourError, match=r"^Leduc poker does not consist of deals\.$"):
        charts.deals(simulate("leduc", 100))
    with pytest.raises(ParlourError, match=r"what was won or the return, not 'length'\.$"):
        charts.fairness({"": simulate("leduc", 100)}, "length")
    game = parlour.load("leduc")
    with pytest.raises(ParlourError, match=r"'search:0\.1s' does not say how likely its choices are\.$"):
        charts.strategy(players.make("search", game), {"": game.new(seed=1)}, "")


def test_nothing_is_left_behind_for_other_charts() -> None:
    """Neither a style nor a figure that Matplotlib keeps."""
    import matplotlib
    from matplotlib import pyplot

    before = dict(matplotlib.rcParams)
    charts.bars({"K": {"bet": 1.0}}, "Opening")._repr_mimebundle_()
    assert dict(matplotlib.rcParams) == before
    assert pyplot.get_fignums() == []
