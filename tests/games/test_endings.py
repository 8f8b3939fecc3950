"""Search in endings that a game works out exactly: the best choice there is, with its exact chance, in no more time."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import pytest

import parlour
from parlour import State
from parlour.players.endings import endings
from parlour.players.player import Advice, in_percent
from parlour.players.search import Search
from tests.cli.test_odds import best_play, in_an_ending
from tests.helpers import the_rest_long, there


def to_choose(seed: int, unseen: int) -> State:
    """An ending in which somebody has a choice; every other time player 1."""
    state = in_an_ending(seed, unseen)
    s = state.position
    if seed % 2:
        s.player = 1
        for field in (s.spade, s.diamonds, s.jokers, s.fresh):
            field[0], field[1] = field[1], field[0]
    state = state.game.state_at(s)
    while len(state.legal_actions()) < 2:
        state.apply(([k for k, _ in state.chance_outcomes()] or state.legal_actions())[0])
    return state


def asked(state: State, player: Any) -> Advice:
    found: Advice = player.advise(state.view(state.current_player), state.legal_actions())
    return found


def many(unseen: int) -> State:
    """An ending in which some choices are better than others."""
    for seed in range(99):
        state = to_choose(seed, unseen)
        if len(set(asked(state, Search(state.game, simulations=4000)).values.values())) > 1:
            return state
    raise AssertionError


BINDINGS: tuple[Any, ...] = ("compiled", "interpreted")


@pytest.mark.parametrize("seed", the_rest_long(range(6), [0, 1]))
@pytest.mark.parametrize("binding", BINDINGS)
def test_search_makes_the_best_choice_of_an_ending(seed: int, binding: Any) -> None:
    """All choices are tried by the rules, down to the end, and nothing else is asked."""
    state = to_choose(seed, 2 + seed % 2)
    me, known = state.current_player, dict[str, Any]()
    chances = {}
    for a in state.legal_actions():
        after = state.clone()
        after.apply(a)
        first = best_play(after, known)
        chances[a] = first if me == 0 else 1 - first
    player = Search(state.game, simulations=1000, binding=binding)
    advice, best = asked(state, player), max(chances.values())
    assert advice.exact
    assert advice.values == {a: float(2 * chance - 1) for a, chance in chances.items()}
    assert chances[advice.action] == best
    assert player.choose(state.view(me), state.legal_actions()) == advice.action
    assert (advice.second is None) == (len(set(chances.values())) == 1)
    if advice.second is not None:
        assert chances[advice.second] == max(chance for chance in chances.values() if chance != best)
    assert advice.visits == {}


def test_an_ending_is_worked_out_as_far_as_the_simulations_go() -> None:
    """By their number alone, so that a choice can be repeated anywhere; where they are too few, it is searched."""
    few, enough = 20, 500
    found = (to_choose(seed, 5) for seed in range(99))
    state = next(one for one in found if [exact(one, few), exact(one, enough)] == [False, True])
    for n in (few, enough):
        here, there = (asked(state, Search(state.game, simulations=n, binding=how)) for how in BINDINGS)
        assert here == there
        assert here.exact == (here.games == 0) == (n == enough)


def exact(state: State, simulations: int) -> bool:
    return asked(state, Search(state.game, simulations=simulations)).exact


def test_an_ending_is_gone_on_with_wherever_it_was_left_until_it_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    state = many(4)
    ways = [there(endings(state.game, how)) for how in BINDINGS]
    at_once = ways[0].worths(state.position, 1 << 16, None)
    monkeypatch.setattr("parlour.games.diamonds.endings.AT_A_TIME", dict.fromkeys(BINDINGS, 1))
    for able in ways:
        assert able.worths(state.position, 1 << 16, lambda: True) == at_once is not None
        looks = iter([True, True, False])
        assert able.worths(state.position, 1 << 16, partial(next, looks)) is None
        assert list(looks) == [], "it is asked again and again"


def test_search_by_the_clock_gives_up_an_ending_and_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    state = many(6)
    player = Search(state.game, seconds=0.05)
    able = type(endings(state.game, "compiled"))
    told: list[bool] = []

    def worths(self: Any, s: Any, places: int, go_on: Any) -> None:
        while go_on():
            told.append(True)
        told.append(False)

    monkeypatch.setattr(able, "worths", worths)
    advice = asked(state, player)
    assert not advice.exact
    assert told[-1] is False


def test_of_choices_that_are_as_good_search_takes_the_one_it_prefers() -> None:
    """If nobody errs they bring the same; search prefers what others answer badly now and then."""
    differing = 0
    for seed in range(40):
        state = to_choose(seed, 3)
        advice = asked(state, Search(state.game, simulations=3000))
        best = [a for a, value in advice.values.items() if value == advice.values[advice.action]]
        assert advice.action in best
        differing += advice.action != best[0]
    assert differing > 3


def test_games_without_endings_have_none() -> None:
    for game in (
        parlour.load("kuhn"),
        parlour.load("diamonds", 3),
        parlour.load("diamonds", 2, first_dealer=0, pile_choice="random_face_down"),
    ):
        assert endings(game, "interpreted") is None


def test_the_reason_is_the_exact_chance() -> None:
    state = many(5)
    advice = asked(state, Search(state.game, simulations=20_000))
    assert advice.second is not None
    names = state.game.action_names
    share, less = in_percent([advice.share(a) for a in (advice.action, advice.second)])
    best, second = f"{names[advice.action]}: wins with {share}, exactly", f"{names[advice.second]} with {less}"
    assert advice.reason == f"{best}; next best is {second}"
    assert advice.sureness == inf
    found = (asked(state, Search(state.game, simulations=5000)) for state in (to_choose(seed, 2) for seed in range(99)))
    alike = next(one for one in found if one.second is None)
    assert alike.reason.endswith(", exactly; so does every other choice")
