"""The best player: search that plays on by rule of thumb, and begins from what was learned."""

from __future__ import annotations

from pathlib import Path

import pytest

import parlour
from helpers import GAMES, the_rest_long
from parlour import ParlourError
from parlour.engine.definition import definition
from parlour.players import make
from parlour.players.best import Best
from parlour.players.search import Search, Tree
from parlour.room.new_table import NewTable, opened_as

WITH_THUMB = [game for game in GAMES if definition(game).has("appraise")]


@pytest.mark.parametrize("name", the_rest_long(WITH_THUMB, []))
def test_both_bindings_search_alike(name: str) -> None:
    state = parlour.load(name).new(seed=2)
    players = [Best(state.game, 1, simulations=40, binding=binding) for binding in ("compiled", "interpreted")]
    for _ in range(25):
        if not state.is_terminal:
            p = state.acting[0]
            compiled, interpreted = (player.advise(state.view(p), state.legal_actions(p)) for player in players)
            assert compiled == interpreted
            state.apply(compiled.action, p)


def test_what_is_believed_counts_as_often_as_it_says_and_is_not_said_to_have_been_imagined() -> None:
    state = parlour.load("kuhn").new()
    for step in ("K", "Q", "pass", "bet"):
        state.apply(step)
    tree = Tree(state.game, "interpreted", 1024)
    tree.plant(state.view(0), 1)
    tree.believe({0: 3.0, 1: -1.0}, 10_000)  # to fold a king brings 3, it says, and to call loses 1
    tree.grow(99, 1.0)
    advice = tree.advice(state.legal_actions())
    assert (advice.action, advice.games) == (0, 100)
    assert advice.values[0] == pytest.approx(3, abs=0.1)
    assert advice.values[1] == pytest.approx(-1, abs=0.1)


def test_games_are_played_on_by_rule_of_thumb() -> None:
    """The same number of games is imagined, and they end otherwise than at random."""
    state = parlour.load("diamonds", first_dealer=0).new(seed=11)
    for _ in range(6):
        state.apply(state.legal_actions()[0])
    seen, legal = state.view(state.acting[0]), state.legal_actions()
    sensibly = Search(state.game, 1, simulations=150, binding="interpreted", sensible=True).advise(seen, legal)
    at_random = Search(state.game, 1, simulations=150, binding="interpreted").advise(seen, legal)
    assert sensibly.games == at_random.games == 150
    assert sensibly.values != at_random.values


def test_where_there_is_no_rule_of_thumb_it_says_so() -> None:
    with pytest.raises(ParlourError, match=r"Kuhn poker has no rule of thumb by which games could be played on\."):
        make("best:50", parlour.load("kuhn"))
    with pytest.raises(ParlourError, match=r"best takes seconds a move \(best:0\.5s\) or simulations a move"):
        make("best:long", parlour.load("diamonds"))


def test_a_server_seats_no_bots_that_think_that_much() -> None:
    with pytest.raises(ParlourError, match=r"Bots of this server don't think that much; bring 'best' with"):
        opened_as(NewTable(game="diamonds", bots="best"))


def test_it_begins_from_what_was_learned_where_somebody_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    believed: list[int] = []
    monkeypatch.setattr(Tree, "believe", lambda self, values, trials: believed.append(len(values)))
    state = parlour.load("diamonds").new(seed=1)
    p = state.acting[0]
    make("best:5", state.game, binding="interpreted").choose(state.view(p), state.legal_actions(p))
    assert believed == [len(state.legal_actions(p))]
