"""Parlour's games in PettingZoo and Gymnasium: their own checks, and the same games as states."""

from __future__ import annotations

import importlib
import pickle
import random
import re
import sys
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import gymnasium as theirs
import numpy as np
import pettingzoo as zoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test, state_test

import parlour
from parlour import IllegalAction, ParlourError
from parlour.adapters import gymnasium, pettingzoo
from parlour.base.extras import Missing
from parlour.engine.definition import shelf
from parlour.players import make
from parlour.players.solved import by_view
from parlour.rules.bounds import bounds_of
from parlour.solve.form import grow
from parlour.solve.solver import Solver
from parlour.solve.strategy import Strategy, found
from parlour.study.arena import seeds_of_players
from tests.helpers import COMPILED, Setting, all_settings, few_settings, plain, play, the_rest_long


def drawn(game: str) -> list[Setting]:
    """A few settings of a game, the fewest and the most players among them."""
    few, others = plain(game), few_settings(game)
    return list(dict.fromkeys([few[0], few[-1], *random.Random(game).sample(others, min(1, len(others)))]))


FEW = [one for game in shelf() for one in drawn(game)]
SETTINGS = the_rest_long([one for game in shelf() for one in few_settings(game)], FEW)
"""Each value of each option: an adapter asks a game's rules, whose pairs of values are the matter of test_parity."""
EVERY = the_rest_long(list(dict.fromkeys([*FEW, *(one for game in shelf() for one in all_settings(game))])), FEW)
KNOWN = "ignore:.*(Action mask numpy array is all zeros|probably should be gymnasium.spaces|is not a NumPy array)"
"""What PettingZoo warns of: who is not to act may do nothing, and beside an observation there is a mask."""


# ------------------------------------------------------------------------------------------ the official checks


def somebody_asked(env: Any) -> Any:
    """The official check knows no game that is over, and paid, before anybody is asked: draw another one."""
    begin = env.reset

    def reset(seed: int | None = None, options: Any = None) -> None:
        begin(seed, options)
        while env.current.is_terminal:
            begin()

    env.reset = reset
    return env


@pytest.mark.filterwarnings(KNOWN)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_pettingzoo_accepts_the_turns(setting: Setting, capsys: Any) -> None:
    api_test(somebody_asked(pettingzoo.aec(setting.load())), num_cycles=5)
    seed_test(lambda: pettingzoo.aec(setting.load()), num_cycles=3)
    state_test(pettingzoo.aec(setting.load()), pettingzoo.parallel(setting.load()), num_cycles=3)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_pettingzoo_accepts_all_at_once(setting: Setting, capsys: Any) -> None:
    parallel_api_test(pettingzoo.parallel(setting.load()), num_cycles=8)
    parallel_seed_test(lambda: pettingzoo.parallel(setting.load()), num_cycles=2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_gymnasium_accepts_a_seat(setting: Setting) -> None:
    game = setting.load()
    check_env(gymnasium.single(game, seat=game.players - 1, render_mode="ansi"))


@pytest.mark.long
@pytest.mark.parametrize("game", shelf())
def test_torchrl_accepts_a_seat(game: str) -> None:
    envs = pytest.importorskip("torchrl.envs", reason="pip install parlour[training]")
    envs.check_env_specs(envs.GymWrapper(gymnasium.single(game), categorical_action_encoding=True), seed=1)


@pytest.mark.long
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("game", shelf())
def test_stable_baselines_accepts_a_seat_and_learns(game: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="pip install sb3-contrib")
    checker.check_env(env := gymnasium.single(game))
    learner = pytest.importorskip("sb3_contrib").MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32)
    assert learner.learn(32).num_timesteps == 32


def test_the_page_tells_the_checks_that_run_here() -> None:
    page = Path("docs/adapters.md").read_text("utf-8").partition("## Which checks pass")[2]
    here = "".join(file.read_text("utf-8") for file in Path("tests/adapters").glob("*.py"))
    told = re.findall(r"`(\w+)`", "".join(line.split("|")[2] for line in page.splitlines() if line.startswith("| ")))
    assert len(told) > 10
    assert [name for name in told if name not in here] == []


# ------------------------------------------------------------------------------------------ by name


def test_every_game_can_be_made_by_name() -> None:
    names = [f"parlour/{game}-v0" for game in shelf()]
    assert set(names) < set(pettingzoo.register()) == set(gymnasium.register())
    assert theirs.make_vec("parlour/commit-8-v0", 2, seat=0).unwrapped.game.id == "commit-8"
    assert zoo.make("aec", "parlour/commit-8-v0", scaled=True).game.id == "commit-8"
    for name in names:
        assert (theirs.spec(name).id, zoo.spec("aec", name).id) == (name, name)


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["leduc"]))
def test_what_is_made_by_name_is_made_again_from_its_spec(game: str) -> None:
    name = f"parlour/{game}-v0"
    env = theirs.make(name, render_mode="ansi")
    assert env.spec.kwargs["game"] == game
    again = theirs.make(theirs.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    first, second = env.reset(seed=3)[0], again.reset(seed=3)[0]
    assert np.array_equal(first["observation"], second["observation"])
    for mode in (None, "sync"):
        envs = theirs.make_vec(name, 2, mode, rivals="random")
        assert (envs.spec.id, envs.num_envs) == (name, 2)
        seen, _ = envs.reset(seed=3)
        seen, _, _, _, infos = envs.step(seen["action_mask"].argmax(axis=1))
        assert mode or infos["mover"].tolist() == [0, 0]
    assert zoo.make("aec", name).game == zoo.make("parallel", name).game == parlour.load(game)


def test_house_rules_are_in_the_spec() -> None:
    game = parlour.load("diamonds", 3, trade_leaves="debris")
    env, envs = gymnasium.single(game, seat=1, illegal="raise"), gymnasium.vector(game, 3, seat="rotate")
    again = theirs.make(env.spec).unwrapped
    assert (again.game, again.seat, again.illegal, again.spec.kwargs) == (game, 1, "raise", env.spec.kwargs)
    assert (theirs.make_vec(envs.spec).unwrapped.game, envs.spec.kwargs["seat"]) == (game, "rotate")


# ------------------------------------------------------------------------------------------ PettingZoo: the same games


def chosen(seen: dict[str, Any], choose: random.Random) -> int:
    """A random action that the mask allows."""
    return choose.choice(np.flatnonzero(seen["action_mask"]).tolist())


@pytest.mark.parametrize(("game", "scaled"), [("diamonds", False), ("matrimony", True), ("diabolo", False)])
def test_turns_are_those_of_a_state_with_the_same_seed(game: str, scaled: bool) -> None:
    """At sealed nodes the lowest seat that has not answered acts; only who acts has legal actions."""
    loaded, choose = parlour.load(game, 3), random.Random(4)
    env, state = pettingzoo.aec(loaded, scaled=scaled), loaded.new(seed=9)
    env.reset(seed=9)
    rewards = np.zeros(3)
    for agent in env.agent_iter():
        seen, reward, over, cut, info = env.last()
        rewards[env.seats[agent]] += reward
        assert (over, cut, info) == (state.is_terminal, False, {})
        if over:
            assert not seen["action_mask"].any()
            env.step(None)
            continue
        seat = state.acting[0]
        assert agent == f"player_{seat}"
        for p in range(3):
            shown = env.observe(f"player_{p}")
            assert np.array_equal(shown["observation"], state.tensor(p).flat)
            assert np.flatnonzero(shown["action_mask"]).tolist() == (state.legal_actions(p) if p == seat else [])
        action = chosen(seen, choose)
        env.step(action)
        state.apply(action, seat)
    assert (rewards * (bounds_of(loaded).span if scaled else 1)).tolist() == pytest.approx(state.returns())
    assert env.agents == []


def test_all_who_are_asked_answer_in_one_step() -> None:
    env = pettingzoo.parallel("matrimony", players=4, stake_visibility="secret", first_dealer=0)
    seen, _ = env.reset(seed=2)
    asked: list[tuple[int, ...]] = []
    choose = random.Random(1)
    while env.agents and len(asked) < 30:
        asked.append(tuple(p for p in range(4) if not seen[f"player_{p}"]["action_mask"][env.wait]))
        assert asked[-1] == env.current.acting
        before = [step.player for step in env.current.history]
        seen, _, _, _, infos = env.step({agent: chosen(seen[agent], choose) for agent in env.agents})
        assert not any(infos.values())
        after = [step.player for step in env.current.history]
        assert tuple(p for p in range(4) if after.count(p) > before.count(p)) == asked[-1]
    assert {1, 4} <= set(map(len, asked))


def test_a_game_that_is_over_before_anybody_is_asked_ends_with_its_rewards() -> None:
    game = parlour.load("pope_joan", 5, version="classic", pope_turned="deal_over", deals=1)
    options: dict[str, Any] = {**game.options}
    seed = next(seed for seed in range(200) if game.new(seed=seed).is_terminal)
    returns = game.new(seed=seed).returns()
    for by_deal in (False, True):
        env = pettingzoo.aec("pope_joan", 5, by_deal=by_deal, **options)
        env.reset(seed=seed)
        brought = {}
        for agent in env.agent_iter():
            _, brought[agent], over, _, _ = env.last()
            assert over
            env.step(None)
        assert list(brought.values()) == returns
        together = pettingzoo.parallel("pope_joan", 5, by_deal=by_deal, **options)
        together.reset(seed=seed)
        _, rewards, over_at_last, _, _ = together.step(dict.fromkeys(together.agents, together.wait))
        assert list(rewards.values()) == returns
        assert all(over_at_last.values())


@pytest.mark.parametrize(("scaled", "unit"), [(False, 1.0), (True, 2.0)])
def test_parallel_returns_are_those_of_the_state(scaled: bool, unit: float) -> None:
    env, choose = pettingzoo.parallel("kuhn", scaled=scaled), random.Random(3)
    seen, _ = env.reset(seed=5)
    over = {"player_0": False}
    while not over["player_0"]:
        seen, rewards, over, cut, _ = env.step({agent: chosen(seen[agent], choose) for agent in env.agents})
    assert [won * unit for won in rewards.values()] == env.current.returns() != [0, 0]
    assert (over, cut, env.agents) == (dict.fromkeys(rewards, True), dict.fromkeys(rewards, False), [])
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_rewards_by_deal() -> None:
    """They come when a deal is settled, and in a game for coins add up to the returns."""
    env, choose = pettingzoo.aec("commit", 3, deals=4, by_deal=True), random.Random(1)
    env.reset(seed=1)
    brought, times = np.zeros(3), 0
    while not env.current.is_terminal:
        seen = env.observe(env.agent_selection)
        env.step(chosen(seen, choose))
        step = np.array([env.rewards[agent] for agent in env.possible_agents])
        brought, times = brought + step, times + bool(step.any())
    assert brought.tolist() == env.current.returns()
    assert times == 4
    deals = [deal.returns for deal in env.current.deals]
    assert brought.tolist() == np.sum(deals, axis=0).tolist()


def test_a_state_is_what_all_seats_together_are_told() -> None:
    for env in (pettingzoo.aec("hearts"), pettingzoo.parallel("hearts")):
        env.reset(seed=3)
        told = [env.current.tensor(p).flat for p in range(4)]
        assert np.array_equal(env.state(), np.concatenate(told))
        assert not np.array_equal(told[0], told[1])
        before = env.state()
        env.state()[:] = 7  # it is the caller's own
        assert np.array_equal(env.state(), before)


@pytest.mark.parametrize("make", [lambda: pettingzoo.aec("leduc"), lambda: gymnasium.vector("leduc", 8)])
def test_games_after_a_seed_follow_from_it(make: Any) -> None:
    def games() -> list[Any]:
        env, found = make(), []
        for seed in (3, None, None):
            env.reset(seed=seed)
            found.append(env.current.record() if hasattr(env, "current") else env.batch.tensors.tolist())
        return found

    first, second, third = games()
    assert games() == [first, second, third]
    assert first != second != third


# ------------------------------------------------------------------------------------------ what is not allowed


def test_a_refused_action_changes_nothing_and_says_why() -> None:
    env, seat = pettingzoo.aec("leduc"), gymnasium.single("leduc", seat=0)
    env.reset(seed=5)
    seen, _ = seat.reset(seed=5)
    wrong: Any
    for wrong in (0, np.int64(0)):
        env.step(wrong)
        assert (env.agent_selection, len(env.current.history)) == ("player_0", 2)
        assert "(LE-12)" in env.infos["player_0"]["refusal"]
        after, *brought, info = seat.step(wrong)
        assert (brought, "(LE-12)" in info["refusal"]) == ([0.0, False, False], True)
        assert np.array_equal(seen["observation"], after["observation"])
    env.step(1)
    assert env.infos["player_0"] == {}


def test_or_it_is_an_error() -> None:
    makes: list[Any] = [pettingzoo.aec, gymnasium.single, pettingzoo.parallel]
    env, seat, both = (make("leduc", illegal="raise") for make in makes)
    for one in (env, seat, both):
        one.reset(seed=5)
    for wrong in (env.step, seat.step, lambda action: both.step({"player_0": action, "player_1": both.wait})):
        with pytest.raises(IllegalAction, match="LE-12"):
            wrong(0)
    with pytest.raises(ParlourError, match="player_1 is not asked and can only wait now"):
        both.step({"player_0": 1, "player_1": 1})


def test_who_is_asked_cannot_wait_and_who_is_not_asked_can_only_wait() -> None:
    env = pettingzoo.parallel("leduc")
    env.reset(seed=5)
    *_, infos = env.step({"player_0": env.wait, "player_1": 1})
    assert infos["player_0"]["refusal"] == "player_0 is asked and cannot wait now."
    assert infos["player_1"]["refusal"] == "player_1 is not asked and can only wait now."
    assert len(env.current.history) == 2
    with pytest.raises(
        ParlourError, match=r"player_1 has no action in this step; an agent that is not asked waits \(3\)\."
    ):
        env.step({"player_0": 1})
    assert len(env.current.history) == 2


@pytest.mark.parametrize("make", [pettingzoo.aec, pettingzoo.parallel, gymnasium.single])
@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"game": "dimonds"}, "There is no game 'dimonds'"),
        ({"game": "kuhn", "players": 3}, "cannot be played by 3"),
        ({"game": "kuhn", "illegal": "cry"}, "There is no way to treat an illegal action 'cry'; choose from: refuse"),
        ({"game": "kuhn", "render_mode": "human"}, "not 'human'"),
        ({"game": parlour.load("kuhn"), "players": 2}, "has its players and options already"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(make: Any, wanted: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParlourError, match=sentence):
        make(**wanted)


def test_agents_that_are_not_there() -> None:
    env = pettingzoo.aec("kuhn")
    env.reset()
    for ask in (env.observe, env.action_space, env.observation_space):
        with pytest.raises(ParlourError, match="There is no agent 'player_2'"):
            ask("player_2")


def test_tables_as_text() -> None:
    env, seat = pettingzoo.aec("kuhn", render_mode="ansi"), gymnasium.single("kuhn", seat=1, render_mode="ansi")
    env.reset(seed=1)
    seat.reset(seed=1)
    assert env.render() == env.current.text()
    assert seat.render() == seat.current.text(1) != seat.current.text(0)
    assert pettingzoo.parallel("kuhn").render_mode is None


# ------------------------------------------------------------------------------------------ Gymnasium: one seat


class First:
    """A player who takes the first action, and notes which seats were asked."""

    name = "first"

    def __init__(self) -> None:
        self.seats: list[int] = []

    def choose(self, view: Any, legal: Any) -> int:
        self.seats.append(view.player)
        return int(legal[0])


@pytest.mark.parametrize("scaled", [False, True])
def test_rivals_hold_the_other_seats(scaled: bool) -> None:
    one, two = First(), First()
    env, choose = gymnasium.single("pope_joan", 3, seat=1, rivals=[one, two], scaled=scaled, deals=1), random.Random(2)
    seen, _ = env.reset(seed=3)
    over, total = False, 0.0
    while not over:
        assert env.current.acting == (1,)
        assert np.array_equal(seen["observation"], env.current.tensor(1).flat)
        assert np.array_equal(env.action_masks(), seen["action_mask"].astype(bool))
        seen, reward, over, _, _ = env.step(chosen(seen, choose))
        total += reward
    assert set(one.seats) == {0}
    assert set(two.seats) == {2}
    assert total * (bounds_of(env.game).span if scaled else 1) == pytest.approx(env.current.returns()[1])
    alone = First()
    for first in (0, 1):
        gymnasium.single("diamonds", 3, seat=2, rivals=alone, first_dealer=first).reset(seed=1)
    assert set(alone.seats) == {0, 1}
    assert not seen["action_mask"].any()


@pytest.mark.parametrize(("game", "kinds"), [("diamonds", ["random"]), ("commit", ["rule-of-thumb", "learned"])])
def test_rivals_in_machine_code_play_as_those_who_see_views(
    game: str, kinds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def games(again: Any = lambda env: env) -> list[Any]:
        env, choose = gymnasium.single(game, len(kinds) + 1, seat=1, rivals=kinds, skip_forced=True), random.Random(2)
        seen, _ = env.reset(seed=3)
        env, met = again(env), []
        for _ in range(40):
            assert seen["action_mask"].sum() > 1
            seen, _, over, _, _ = env.step(chosen(seen, choose))
            if over:
                met.append([(step.player, step.action) for step in env.current.history])
                seen, _ = env.reset()
        return met

    assert (swift := games())
    assert games(lambda env: pickle.loads(pickle.dumps(env))) == swift
    monkeypatch.setattr(gymnasium, "all_compiled", lambda game, kinds: False)
    assert games() == swift


@pytest.mark.parametrize("made", [gymnasium.single, pettingzoo.aec, pettingzoo.parallel])
def test_nothing_is_to_be_had_before_the_first_game(made: Any) -> None:
    env = made("kuhn")
    assert not hasattr(env, "current")
    envs = gymnasium.vector("kuhn", 2)
    with pytest.raises(AttributeError, match="reset the environment first"):
        envs.step(envs.batch.sample())
    for one in (envs, gymnasium.single("kuhn")):
        with pytest.raises(ParlourError, match="reset has no option 'deals'; house rules are given when"):
            one.reset(options={"deals": 1})
    with pytest.raises(ParlourError, match="reset has no option 'trade_leaves'; house rules"):
        made("diamonds", players=3).reset(options={"trade_leaves": "debris"})
    with pytest.raises(AttributeError, match="reset the environment first"):
        env.step({})


# ------------------------------------------------------------------------------------------ Gymnasium: many games


@pytest.mark.parametrize("game", the_rest_long(shelf(), [g for g in COMPILED if g in shelf()]))
def test_many_games_are_the_batch(game: str) -> None:
    loaded = parlour.load(game)
    envs = gymnasium.vector(loaded, 16, copy=True, last=True, scaled=True, threads=2)
    batch, unit = loaded.batch(16, seed=3, last=True), np.float32(bounds_of(loaded).span)
    assert (envs.metadata["autoreset_mode"], envs.batch.threads) == (AutoresetMode.SAME_STEP, 2)
    seen, infos = envs.reset(seed=3)
    rows, ended = np.arange(16), 0
    for _ in range(120):
        assert envs.observation_space.contains(seen)
        assert np.array_equal(seen["observation"], batch.tensors)
        assert np.array_equal(seen["action_mask"], batch.mask)
        assert np.array_equal(infos["mover"], batch.movers)
        acted, actions = batch.movers.copy(), batch.sample()
        batch.step(actions)
        seen, rewards, over, cut, infos = envs.step(actions)
        assert np.array_equal(over, batch.done)
        assert not cut.any()
        assert np.array_equal(rewards, batch.rewards[rows, acted] / unit)
        assert np.array_equal(infos["rewards"], batch.rewards / unit)
        for i in range(16):
            assert (infos["final_obs"][i] is not None) == over[i]
            if over[i]:
                assert np.array_equal(infos["final_obs"][i]["observation"], batch.last[i, acted[i]])
        ended += int(over.sum())
    assert ended or game not in {"kuhn", "leduc", "diamonds"}


def test_arrays_are_new_unless_one_asks_for_the_same() -> None:
    for how, copy in (({}, True), ({"copy": True}, True), ({"copy": False}, False)):
        envs = gymnasium.vector("leduc", 8, **how)  # type: ignore[arg-type]
        seen, infos = envs.reset(seed=1)
        before = [array.copy() for array in (*seen.values(), infos["mover"])]
        envs.step(seen["action_mask"].argmax(axis=1))
        same = [np.array_equal(old, new) for old, new in zip(before, (*seen.values(), infos["mover"]), strict=True)]
        assert all(same) == copy


def test_seeds_may_be_numbers_of_numpy_and_nothing_but_whole_numbers() -> None:
    make: list[Any] = [pettingzoo.aec, pettingzoo.parallel, gymnasium.single]
    for one in (*(new("leduc") for new in make), gymnasium.vector("leduc", 2)):
        one.reset(seed=np.int64(3))
        if hasattr(one, "current"):
            assert one.current.seed == 3
        for wrong in (1.0, True, np.True_, -1, 2**64, "1"):
            with pytest.raises(ParlourError, match="A seed is a whole number from 0 to"):
                one.reset(seed=wrong)


@pytest.mark.parametrize(
    ("adapter", "library", "name"),
    [("openspiel", "pyspiel", "OpenSpiel"), *((one.lower(), one.lower(), one) for one in ("PettingZoo", "Gymnasium"))],
)
def test_a_library_that_is_missing_is_one_sentence(
    adapter: str, library: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"parlour.adapters.{adapter}", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(Missing, match=rf"^{name} is not installed; pip install 'parlour\[adapters\]' brings it\.$"):
        importlib.import_module(f"parlour.adapters.{adapter}")


# ------------------------------------------------------------------------------------------ Gymnasium: one seat of many


def first_of(seen: Any, mask: Any) -> Any:
    """A rival in bulk who takes the first action, as :class:`First` does."""
    assert len(seen) == len(mask) > 0
    return mask.argmax(axis=1)


@cache
def pure() -> Strategy:
    """A strategy of Kuhn poker that does not draw: of each mixture the likelier of the two actions."""
    solver = Solver(grow(parlour.load("kuhn")))
    solver.run(target=0.0, iterations=50)
    sides = [
        replace(side, chance=np.eye(2, dtype=np.float32)[side.chance.reshape(-1, 2).argmax(axis=1)].ravel())
        for side in found(solver).players
    ]
    return replace(found(solver), players=(sides[0], sides[1]))


class Pure:
    """The same player, one game at a time."""

    def __init__(self) -> None:
        self.known = [by_view(side) for side in pure().players]

    def choose(self, view: Any, legal: Any) -> int:
        said = self.known[view.player].get(view.glance(), {})
        return int(max(legal, key=lambda a: said.get(a, 0.0)))


COMPANIES: list[tuple[str, dict[str, Any], list[Any], dict[str, Any]]] = [
    ("leduc", {}, ["random"], {"seat": 1}),
    ("leduc", {}, [first_of], {"seat": "rotate", "threads": 2}),
    ("kuhn", {}, ["pure"], {"seat": "rotate"}),
    ("diamonds", {"players": 3}, ["rule-of-thumb", "random"], {"seat": 1, "skip_forced": True}),
    ("commit", {"players": 3, "deals": 2}, ["learned", first_of], {"seat": "rotate", "by_deal": True}),
    ("matrimony", {"players": 3, "stake_visibility": "secret"}, [first_of, "random"], {"seat": 1, "by_deal": True}),
    ("pope_joan", {"players": 3, "deals": 1}, ["random"], {"seat": "rotate"}),
    ("hearts", {"deals": 1}, ["rule-of-thumb", first_of, "random"], {"seat": 2, "skip_forced": True}),
]


@pytest.mark.parametrize(("name", "setting", "rivals", "how"), COMPANIES)
def test_one_seat_of_many_games_is_played_as_each_of_them_alone(
    name: str, setting: dict[str, Any], rivals: list[Any], how: dict[str, Any]
) -> None:
    game, size, choose = parlour.load(name, **setting), 5, random.Random(3)
    given = [pure() if one == "pure" else one for one in rivals]
    envs = gymnasium.vector(game, size, rivals=given, copy=True, last=True, **how)
    by_deal, rotates, skips = how.get("by_deal", False), how["seat"] == "rotate", how.get("skip_forced", False)
    alone = [
        Alone(game, 20 + i, rivals * (game.players - 1 if len(rivals) == 1 else 1), how["seat"]) for i in range(size)
    ]
    seen, infos = envs.reset(seed=20)
    for one in alone:
        one.go_on(skips)
    ended = 0
    for _ in range(60):
        for i, one in enumerate(alone):
            assert infos["mover"][i] == one.seat
            assert np.array_equal(seen["observation"][i], one.batch.tensors[0])
            assert np.array_equal(seen["action_mask"][i], one.batch.mask[0])
        actions = [chosen({"action_mask": mask}, choose) for mask in seen["action_mask"]]
        seats = [one.seat for one in alone]
        seen, rewards, over, _, infos = envs.step(np.array(actions))
        for i, one in enumerate(alone):
            one.step(actions[i], skips)
            assert over[i] == one.over
            assert infos["rewards"][i].tolist() == (one.brought if by_deal else one.won).tolist()
            assert not one.over or np.array_equal(infos["final_obs"][i]["observation"], one.seen)
            assert rewards[i] == infos["rewards"][i, seats[i]]
        ended += int(over.sum())
    assert ended > 2
    assert not rotates or len({one.seat for one in alone}) > 1


class Alone:
    """One game after another, for a seat against players who are asked one at a time."""

    def __init__(self, game: Any, seed: int, rivals: list[Any], seat: int | str) -> None:
        self.game, self.batch, self.turns = game, game.batch(1, seed=seed, keys=True, last=True), seat == "rotate"
        self.seat = seed % game.players if isinstance(seat, str) else seat
        self.rivals, self.seeds, self.asked = rivals, seeds_of_players(game.players, seed), False
        self.words: dict[int, Any] = {}
        self.made: dict[tuple[int, str], Any] = {}
        self.over, self.won, self.brought, self.pending = False, *np.zeros((3, game.players))

    def player(self, p: int) -> Any:
        n = self.game.players
        k = (p - self.seat) % n - 1 if self.turns else p - (p > self.seat)
        kind = self.rivals[k]
        if kind == first_of:
            return First()
        if kind == "pure":
            return Pure()
        if (p, kind) not in self.made:
            self.made[p, kind] = make(kind, self.game, self.seeds[p])
        drawing = self.made[p, kind]
        drawing._rng = self.words.setdefault(p, drawing._rng)  # a seat has one generator, whoever holds it
        return drawing

    def go_on(self, skips: bool) -> None:
        """Up to the seat's next decision."""
        while True:
            p, counts = int(self.batch.movers[0]), int(self.batch.counts[0])
            legal = self.batch.legal[0, :counts].tolist()
            if p == self.seat and not (skips and counts == 1):
                break
            self.take(legal[0] if p == self.seat else self.player(p).choose(self.batch.state(0).view(p), legal))
        self.asked = True
        if not self.over:
            self.brought, self.pending = self.brought + self.pending, 0 * self.pending

    def take(self, action: int) -> None:
        """What deals bring before the seat is first asked counts with its first decision."""
        self.batch.step([action])
        self.pending = self.pending + self.batch.deal_rewards[0]
        if self.batch.done[0]:
            if self.asked:
                self.over, self.won, self.brought = True, self.batch.rewards[0].copy(), self.brought + self.pending
                self.seen = self.batch.last[0, self.seat].copy()
            self.asked, self.pending = False, 0 * self.pending
            self.seat = (self.seat + self.turns * int(self.batch.done[0])) % self.game.players

    def step(self, action: int, skips: bool) -> None:
        self.over, self.won, self.brought = False, 0 * self.won, 0 * self.brought
        self.take(action)
        self.go_on(skips)


def test_a_rival_draws_as_its_strategy_says() -> None:
    """At Kuhn, where each set has two actions, and this one takes the first one time in four."""
    strategy = pure()
    sides = [
        replace(side, chance=np.tile(np.array([0.25, 0.75], np.float32), len(side.key))) for side in strategy.players
    ]
    envs = gymnasium.vector("kuhn", 2048, seat=1, rivals=replace(strategy, players=(sides[0], sides[1])))
    envs.reset(seed=3)
    opened = np.mean([envs.batch.state(i).position.paid[0] == 2 for i in range(2048)])
    assert abs(opened - 0.75) < 5 * (0.75 * 0.25 / 2048) ** 0.5


def test_a_rival_that_fails_is_not_passed_over() -> None:
    failing = [True]

    def rival(seen: Any, mask: Any) -> Any:
        if failing[0]:
            raise RuntimeError("no")
        return mask.argmax(axis=1)

    envs = gymnasium.vector("leduc", 4, seat=0, rivals=rival)
    envs.reset(seed=1)
    with pytest.raises(RuntimeError, match="no"):
        envs.step([1, 1, 1, 1])
    with pytest.raises(ParlourError, match="A rival failed in the step before this one; reset the games"):
        envs.step([1, 1, 1, 1])
    failing[0] = False
    envs.reset(seed=1)
    envs.step([1, 1, 1, 1])


def test_a_rival_cannot_allow_itself_an_action() -> None:
    envs = gymnasium.vector("leduc", 4, seat=0, rivals=lambda seen, mask: mask.fill(True) or 0 * mask[:, 0])
    envs.reset(seed=1)
    with pytest.raises(parlour.IllegalAction, match=r"^A rival .+'fold' is not allowed now: .+ \(LE-12\)"):
        envs.step([1, 1, 1, 1])


def test_threads_do_not_change_games_with_rivals() -> None:
    def rows(threads: int) -> list[Any]:
        how: dict[str, Any] = {"seat": "rotate", "rivals": ["rule-of-thumb", first_of], "threads": threads}
        envs, found = gymnasium.vector("diamonds", 300, 3, copy=True, **how), list[Any]()
        seen, _ = envs.reset(seed=5)
        for _ in range(30):
            seen, *brought = envs.step(seen["action_mask"].argmax(axis=1))
            found += [*seen.values(), *brought[:2]]
        return found

    one = rows(1)
    for threads in (2, 3):
        assert all(map(np.array_equal, one, rows(threads)))


def test_a_copy_of_games_with_rivals_goes_on_alike() -> None:
    envs = gymnasium.vector("diamonds", 8, 3, seat="rotate", rivals=["rule-of-thumb", "random"], threads=2)
    envs.reset(seed=5)
    for pickled in (False, True):
        again = pickle.loads(pickle.dumps(envs.batch)) if pickled else envs.batch.clone()
        for _ in range(40):
            actions = again.mask.argmax(axis=1)
            assert np.array_equal(again.tensors, envs.batch.tensors)
            again.step(actions)
            envs.step(actions)
        assert again == envs.batch
    with pytest.raises(ParlourError, match="pickle it"):
        envs.batch.save("x.npz")


ONE = partial(gymnasium.single, "diamonds", 3, first_dealer=2)
MANY = partial(gymnasium.vector, "diamonds", 5, 3, first_dealer=2)


@pytest.mark.parametrize(
    ("makes", "how", "sentence"),
    [
        ([ONE, MANY], {"rivals": ["random"] * 3}, "One rival is needed for all seats, or 2 in order, not 3."),
        ([ONE, MANY], {"rivals": "ranom"}, "There is no kind of player 'ranom'"),
        ([ONE, MANY], {"rivals": "random", "seat": 3}, "There is no seat 3; seats run from 0 to 2."),
        ([MANY], {"rivals": "search:40"}, "search:40 is not compiled beside the rules, so it cannot hold a seat of"),
        ([MANY], {"skip_forced": True}, "skip_forced is for one seat against rivals: give a seat, or rivals."),
        ([MANY], {"rivals": lambda seen, mask: [0]}, "A rival that is a function returns 5 action ids here, not int64"),
        ([MANY], {"rivals": lambda seen, mask: 0 * mask.argmax(axis=1) - 1}, "A rival that is a function has answered"),
    ],
)
def test_rivals_that_cannot_be(makes: list[Any], how: dict[str, Any], sentence: str) -> None:
    for make_ in makes:
        with pytest.raises(ParlourError) as refused:
            make_(**how).reset(seed=1)
        assert str(refused.value).startswith(sentence)


def test_a_strategy_of_another_game_is_no_rival() -> None:
    with pytest.raises(ParlourError, match="The strategy solves Kuhn poker; this is Leduc poker"):
        gymnasium.vector("leduc", 5, rivals=pure())


# ----------------------------------------------------------------------------------- what Gymnasium's interface has


def test_each_game_may_have_a_seed_of_its_own() -> None:
    envs, game = gymnasium.vector("leduc", 4, copy=True), parlour.load("leduc")
    seeds: Any
    for seeds in ([9, 1, 9, 2**64 - 1], np.array([9, 1, 9, 4]), (9, 1, 9, 0)):
        seen, _ = envs.reset(seed=seeds)
        for i, seed in enumerate(seeds):
            assert np.array_equal(seen["observation"][i], game.batch(1, seed=int(seed)).tensors[0])
            assert envs.batch.state(i).position == game.new(seed=int(seed)).position
    first, _ = envs.reset(seed=[1, None, 3, None])
    assert np.array_equal(first["observation"][2], game.batch(1, seed=3).tensors[0])


def test_a_mask_says_which_games_start_again() -> None:
    for seed in (5, [5, 6, 7, 8]):
        envs = gymnasium.vector("leduc", 4, copy=True)
        envs.reset(seed=1)
        envs.step([2, 2, 2, 2])
        before = [envs.batch.state(i).position for i in range(4)]
        mask = np.array([True, False, False, True])
        seen, infos = envs.reset(seed=seed, options={"reset_mask": mask})
        after = [envs.batch.state(i).position for i in range(4)]
        assert after[1:3] == before[1:3]
        fresh = [parlour.load("leduc").new(seed=5).position, parlour.load("leduc").new(seed=8).position]
        assert [after[0], after[3]] == fresh
        assert np.array_equal(infos["_mover"], mask)
        assert np.array_equal(infos["mover"], [0, 1, 1, 0])
        assert envs.observation_space.contains(seen)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"seed": [1, 2]}, "4 seeds are needed, one for each game, not 2."),
        ({"seed": [1, 2, 3, -1]}, "A seed is a whole number from 0 to 2.64 - 1, not -1."),
        ({"seed": "1234"}, "A seed is a whole number"),
        ({"options": {"reset_mask": np.zeros(4, np.bool_)}}, "reset_mask must be true for at least one game"),
        ({"options": {"reset_mask": np.ones(3, np.bool_)}}, "4 entries that are true or false are needed"),
        ({"options": {"reset_mask": [1, 0, 0, 1]}}, "4 entries that are true or false are needed"),
    ],
)
def test_a_wrong_reset_is_refused_and_nothing_starts_again(given: dict[str, Any], says: str) -> None:
    envs = gymnasium.vector("leduc", 4)
    envs.reset(seed=1)
    envs.step([2, 2, 2, 2])
    before = envs.batch.clone()
    with pytest.raises(ParlourError, match=says):
        envs.reset(**given)
    assert envs.batch == before


@pytest.mark.parametrize("setting", EVERY, ids=str)
def test_what_a_seat_sees_lies_in_its_space(setting: Setting) -> None:
    game = setting.load()
    space = gymnasium.single(game).observation_space["observation"]
    for n, state in enumerate(play(game.new(seed=1), 1, 300)):
        seen = state.tensor(n % game.players).flat
        assert (space.low <= seen).all(), game
        assert (seen <= space.high).all(), game


def test_bounds_are_those_of_the_game() -> None:
    space = gymnasium.vector("leduc", 2).single_observation_space["observation"]
    assert space.low.min() == 0
    assert space.high.max() == 1
    coins = parlour.load("diamondback", 3, start_coins=500)
    space, layout = gymnasium.single(coins).observation_space["observation"], coins.tensor_layout["coins"]
    assert (space.low[layout.start], space.high[layout.start]) == (0, np.float32(1500) * np.float32(1 / 400))
    dressed = gymnasium.single("pope_joan", 6, version="classic", dressing="all")
    assert dressed.observation_space.contains(dressed.reset(seed=1)[0])


@pytest.mark.parametrize("how", [{}, {"seat": "rotate", "rivals": "random"}])
def test_what_seats_have_known_tells_apart_what_keys_do(how: dict[str, Any]) -> None:
    envs = gymnasium.vector("leduc", 32, information=True, **how)
    layout, seen = envs.game.information_layout, dict[int, bytes]()
    observation, infos = envs.reset(seed=3)
    for _ in range(20):
        movers, keys = infos["mover"].copy(), envs.batch.keys.copy()
        for i, row in enumerate(observation["observation"].copy()):
            assert row[: layout["view"].start].tolist() == [float(seat == movers[i]) for seat in range(2)]
            assert seen.setdefault(int(keys[i, movers[i]]), row.tobytes()) == row.tobytes()
        observation, _, _, _, infos = envs.step(observation["action_mask"].argmax(axis=1))
        observation, _, _, _, infos = envs.step(envs.batch.sample())
    assert len(set(seen.values())) == len(seen) > 10
    with pytest.raises(ParlourError, match="What was seen last is a view"):
        gymnasium.vector("leduc", 2, information=True, last=True)
