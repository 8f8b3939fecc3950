"""The notebooks run from their top to their end, and what their texts say is what they find."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest

from parlour.engine.definition import shelf
from parlour.study.charts import Chart
from parlour.study.intervals import Estimate
from parlour.study.simulate import Survey
from tests.helpers import the_rest_long
from tools import website

QUICK = ("build", "kuhn", "play", "study")
"""Notebooks for which nothing has to be compiled but what other tests call."""


def name_of(notebook: str) -> str:
    return PurePosixPath(notebook).stem


@pytest.mark.parametrize(
    "notebook", the_rest_long(website.notebooks(), [one for one in website.notebooks() if name_of(one) in QUICK])
)
def test_notebooks_run_and_find_what_they_say(notebook: str) -> None:
    space, shown, again = website.ran(notebook)
    assert json.loads((website.ROOT / notebook).read_text("utf-8")) == again, f"python -m tools.website {notebook}"
    if claims := CLAIMS.get(name_of(notebook)):
        assert sum(isinstance(one, Chart) for one in shown) >= 3
        claims(SimpleNamespace(**space))


def test_every_game_has_a_notebook() -> None:
    assert {*map(name_of, website.notebooks())} == {*shelf(), "play", "study", "build"}
    assert {*CLAIMS} == {*shelf()}


def chance(of: SimpleNamespace, state: Any, action: str) -> float:
    seat = state.acting[0]
    chances = of.solved.chances(state.view(seat), state.legal_actions(seat))
    return float(chances.get(of.game.action_names.index(action), 0.0))


def won(of: SimpleNamespace, player: int = 0) -> Estimate:
    share = of.match.players[player].share
    assert isinstance(share, Estimate)
    return share


def eldest_is_ahead(surveys: dict[str, Survey]) -> list[Estimate]:
    """In each survey; return by how much."""
    for survey in surveys.values():
        assert survey.deals
        dealer, eldest, *others = survey.deals.places
        assert eldest.low > max(0, dealer.high, *(other.high for other in others))
    return [survey.deals.places[1] for survey in surveys.values() if survey.deals]


def commit(of: SimpleNamespace) -> None:
    blind, sensible = eldest_is_ahead(of.surveys)
    assert sensible.low > blind.high
    assert 11 < of.survey.length.mean.mean / of.survey.deals.per_game.mean < 13  # about a dozen
    again = {row.label: row.chances[1] for row in of.tables[1].rows}
    assert again["Kc"] == again["7d"] == 1  # a king; the card below the one that is out of the pack
    assert won(of).low > 0.55


def diabolo(of: SimpleNamespace) -> None:
    assert won(of).low > 0.87
    assert won(of).high < 0.92
    for survey in of.rounds.values():
        places = survey.deals.places
        assert max(place.low for place in places) < min(place.high for place in places)


def diamondback(of: SimpleNamespace) -> None:
    rows = {row.label: row.chances for row in of.hands.rows}
    assert max(rows, key=lambda hand: rows[hand][0]) == "King-Priest"
    assert rows["King-Priest"][1] < 0.1
    assert 0.02 < rows["Magician-Priestess"][0] + rows["Priestess-Priestess"][0] < 0.035
    blind, sensible = (survey.deals.places[0] for survey in of.surveys.values())
    assert blind.low > 5
    assert -1 < sensible.low < sensible.high < 1
    assert won(of).low > 0.5


def diamonds(of: SimpleNamespace) -> None:
    grows = [of.found[rank][0] for rank in of.RANKS]
    assert grows == sorted(grows)
    assert of.found["A"][1] / of.found["2"][1] > of.found["A"][0] / of.found["2"][0]
    two, three = of.surveys.values()
    assert three.length.mean.high < two.length.mean.low
    assert two.deals.places[0].low > 0.04
    assert 0.7 < won(of).mean < 0.76


def dividha(of: SimpleNamespace) -> None:
    assert of.survey.deals.places[0].high < 0 < of.survey.deals.places[1].low
    assert won(of).low > 0.5


def hearts(of: SimpleNamespace) -> None:
    assert all(seat.won.low < 0.25 < seat.won.high for seat in of.survey.seats)
    assert 0.008 < of.blind.clause("HE-21").games.mean < 0.013
    assert won(of).low > 0.9
    usual, bonus = (one.seats[0].returns for one in (of.usual, of.bonus))
    assert 1.05 < (bonus.high - bonus.low) / (usual.high - usual.low) < 1.3


def kuhn(of: SimpleNamespace) -> None:
    assert of.survey.seats[0].won.low > 0.5
    assert of.survey.seats[0].returns.low > 0
    assert of.check.lower < -1 / 18 < of.check.upper
    bluff, trap = (chance(of, of.opening[f"with a {card}"], "bet") for card in ("jack", "king"))
    assert 0 < bluff < trap == pytest.approx(3 * bluff, abs=0.02)
    assert chance(of, of.opening["with a queen"], "bet") < 0.01
    assert chance(of, of.after_pass["with a jack"], "bet") == pytest.approx(1 / 3, abs=0.02)
    assert chance(of, of.after_bet["with a queen"], "bet") == pytest.approx(1 / 3, abs=0.02)
    solution = of.match.players[0]
    assert solution.share.high < 0.5
    assert solution.returns.low > 0


def leduc(of: SimpleNamespace) -> None:
    assert of.survey.seats[0].won.low > 0.5
    assert of.survey.seats[0].returns.high < 0
    assert -0.087 < of.check.lower < of.check.upper < -0.085
    jack, queen, king = (chance(of, of.played(*cards), "raise") for cards in (("J1", "Q1"), ("Q1", "K1"), ("K1", "Q1")))
    assert queen == pytest.approx(king, abs=0.05) == pytest.approx(0.75, abs=0.05)
    assert 0 < jack < 0.15
    boards = [chance(of, of.played("Q1", "J2", "call", "call", board), "raise") for board in ("J1", "Q2", "K1")]
    assert boards == [pytest.approx(0, abs=0.02), pytest.approx(0.5, abs=0.05), pytest.approx(0.6, abs=0.05)]
    weak = {name: row[""] for name, row in of.weak.items()}
    assert weak["search"] == pytest.approx(weak["random"], rel=0.15)
    assert weak["the solution"] < 0.001


def matrimony(of: SimpleNamespace) -> None:
    blind, sensible = (survey.deals.places[0] for survey in of.surveys.values())
    assert blind.high < -8
    assert -1.2 < sensible.low < sensible.high < -0.5
    rows = [row.chances for row in of.table.rows]
    pairs = [row[3] for row in rows[:-1]]
    assert pairs == sorted(pairs, reverse=True)
    assert {row[4] for row in rows} == {0}
    assert 0.2 < won(of).low < won(of).high < 0.25
    assert of.match.players[0].returns.low > 5


def newmarket(of: SimpleNamespace) -> None:
    assert all(ahead.mean > 1.5 for ahead in eldest_is_ahead(of.surveys))
    assert won(of).mean == pytest.approx(0.4, abs=0.03)


def pope_joan(of: SimpleNamespace) -> None:
    lengths = [of.surveys[name].length.mean for name in ("Foster's", "with a trump", "classic board")]
    assert lengths[0].high < lengths[1].low < lengths[2].low
    assert all(survey.deals.places[0].high < -9 for survey in (*of.surveys.values(), of.sensible))
    assert won(of).low > 0.4


CLAIMS = {
    claims.__name__: claims
    for claims in (
        *(commit, diabolo, diamondback, diamonds, dividha, hearts),
        *(kuhn, leduc, matrimony, newmarket, pope_joan),
    )
}
