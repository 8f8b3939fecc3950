"""Smaller games by name: they load anywhere, are told from the whole game, and are worth what they say."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest

import parlour
from parlour.adapters import gambit
from parlour.engine.definition import definition, named, shelf, smaller
from parlour.engine.families import copy, worth
from parlour.rules.bounds import bounds_of
from parlour.solve.form import grow
from parlour.solve.solver import Solver
from tests.helpers import Says, the_rest_long

SOLVED = dict.fromkeys(("commit-6", "commit-8", "diamondback-4"), 1e-3) | {
    "diamondback-dealers-12": 5e-3,
    "dividha-8x2": 1e-6,
}


@pytest.mark.parametrize("name", smaller())
def test_a_member_is_played_within_its_bounds_and_checked(name: str) -> None:
    game = parlour.load(name)
    bounds, invariants = bounds_of(game), game.definition.part("invariants")
    check = getattr(invariants, "check", lambda s: "")
    for seed in range(3):
        dice, state, asked = random.Random(seed), game.new(seed=seed), 0
        while not state.is_terminal:
            who, asked = state.acting[0], asked + 1
            state.apply(dice.choice(state.legal_actions(who)), player=who)
            assert not check(state.position)
        assert bounds.lowest <= min(state.returns())
        assert max(state.returns()) <= bounds.highest
        assert asked <= bounds.decisions
        assert parlour.replay(state.record()).fields() == state.fields()


@pytest.mark.parametrize("name", the_rest_long([*map(str, smaller())], ["dividha-8x2-trade"]))
def test_rules_of_thumb_play_every_member(name: str) -> None:
    """They were written for whole games; with a small pack some cards that they count on are not there."""
    said = subprocess.run(
        [sys.executable, "-m", "parlour", "simulate", name, "--games", "2000", "--player", "rule-of-thumb", "--quiet"],
        env={**os.environ, "PARLOUR_BOUNDS_CHECK": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0 or "has no rule of thumb" in said.stderr, said.stderr


@pytest.mark.parametrize("name", smaller())
def test_everybody_has_a_choice_in_some_deal_of_a_member(name: str) -> None:
    """Otherwise nobody could learn that seat: an environment for it would look for its first decision for ever."""
    for players in definition(name).counts():
        game, left = parlour.load(name, players), {*range(players)}
        for seed in range(200):
            dice, state = random.Random(seed), game.new(seed=seed)
            while left and not state.is_terminal:
                who = state.acting[0]
                legal = state.legal_actions(who)
                if len(legal) > 1:
                    left.discard(who)
                state.apply(dice.choice(legal), player=who)
        assert not left, players


@pytest.mark.parametrize("name", the_rest_long(["commit-8", "dividha-8x3", "hearts-24", "diamonds-9"], ["commit-8"]))
def test_a_member_is_compiled_as_it_is_interpreted(name: str) -> None:
    game = parlour.load(name)
    for seed in range(2):
        dice, state, fast = random.Random(seed), game.new(seed=seed), game.new(seed=seed, binding="compiled")
        while not state.is_terminal:
            who = state.acting[0]
            assert fast.legal_actions(who) == state.legal_actions(who)
            choice = dice.choice(state.legal_actions(who))
            state.apply(choice, player=who)
            fast.apply(choice, player=who)
        assert fast.returns() == state.returns()


@pytest.mark.parametrize("name", the_rest_long([*SOLVED], ["commit-6", "diamondback-4", "diamondback-dealers-12"]))
def test_a_member_is_worth_what_it_says(name: str) -> None:
    what = parlour.load(name)
    made = what.definition.made
    last = Solver(grow(what, after=made.after, reduced=made.reduced)).run(target=SOLVED[name])
    assert made.value is not None
    assert made.value[0] - 1e-4 <= last.upper
    assert last.lower <= made.value[1] + 1e-4


def test_the_whole_game_is_what_it_was() -> None:
    assert parlour.load("commit-8").definition.rules is not parlour.load("commit").definition.rules
    assert parlour.load("commit").options["deals"] != "1" == parlour.load("commit-8").options["deals"]
    assert parlour.load("commit-8", deals=2).options["deals"] == "2"
    assert definition("commit").modules[0].__file__ != definition("commit-8").modules[0].__file__


def test_a_member_travels_to_a_process_that_has_not_heard_of_it() -> None:
    game = parlour.load("diamondback-dealers-12")
    told = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
    done = subprocess.run([sys.executable, "-c", told], input=pickle.dumps(game), capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr(game)
    assert named(game.definition.package) is game.definition


def test_every_game_with_house_rules_has_a_family_with_a_small_and_a_full_one() -> None:
    for game in shelf():
        family = definition(game).family
        assert ("full" in family and len(family) > 2) == bool(definition(game).options), game
        assert dict(definition(game).preset("research").options) == definition(game).for_research


def test_a_member_that_does_not_exist_is_refused() -> None:
    with pytest.raises(parlour.ParlourError, match=r"There is no game 'commit-99'.*commit-6, commit-7"):
        parlour.load("commit-99")
    with pytest.raises(parlour.ParlourError, match=r"There is no game 'comit-8'"):
        parlour.load("comit-8")
    what = definition("kuhn")
    with pytest.raises(
        parlour.ParlourError, match=r"A smaller parlour.games.kuhn has HAND, which is no constant of its rules"
    ):
        copy("parlour.games.kuhn_odd", what.package, what.sources, {"HAND": 1})


def test_other_libraries_know_members() -> None:
    assert gambit.efg(parlour.load("commit-6")).startswith("EFG 2 R")
    pyspiel = pytest.importorskip("pyspiel")
    from parlour.adapters import openspiel

    assert "parlour_commit_8" in openspiel.register(study=True)
    game = pyspiel.load_game("parlour_commit_8")
    assert openspiel.spelt(parlour.load("commit-8")) == "parlour_commit_8(players=2)"
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)


def test_the_command_lists_members_apart_from_the_games(says: Says) -> None:
    assert "commit-8" not in says("games")[1]
    said = says("games --study")[1]
    page = Path("docs/families.md").read_text("utf-8")
    for name in smaller():
        assert name in said
        assert f"`{name}`" in page
        value = worth(definition(name).made)
        assert value in said
        assert f"| {value} |" in next(line for line in page.splitlines() if line.startswith(f"| `{name}`"))
    data = json.loads(says("games --study --json")[1])
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert ["kuhn", "leduc", *(one["id"] for one in data)] == ["kuhn", "leduc", *smaller()] == rows
    assert {type(value) for one in data for value in one["options"].values()} == {str}


def test_a_smaller_deck_may_bring_less_than_its_game(says: Says) -> None:
    """The audit looks at the whole tree of so small a game, whose bounds are those of the rules."""
    code, said, _ = says("audit commit-6 --check bounds -o deals=1 --games 1")
    assert (code, "FAULT" in said) == (0, False), said
