"""Parlour's games in OpenSpiel: its own checks, its algorithms, and the two games that both have."""

from __future__ import annotations

import pickle
import random
import unittest
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, external_sampling_mccfr, ismcts, mcts
from open_spiel.python.observation import make_observation

import parlour
from parlour import IllegalAction, ParlourError
from parlour.adapters import gambit, openspiel
from parlour.adapters.course import Course
from parlour.engine.definition import definition, shelf
from parlour.rules.bounds import bounds_of
from parlour.solve.form import grow
from parlour.solve.policies import table_of
from parlour.solve.solver import Solver
from parlour.solve.strategy import found
from tests.adapters.playthroughs import FOLDER, playthrough
from tests.helpers import GAMES, Setting, ends, few_settings, plain, shortened, the_rest_long

openspiel.register()
TWINS = {"parlour_kuhn": "kuhn_poker", "parlour_leduc": "leduc_poker"}


def short(game: str, settings: list[Setting]) -> list[Setting]:
    """These settings, with matches of one deal where the game allows it."""
    name = {"diamonds": "games"}.get(game, "deals")
    if name not in definition(game).options:
        return settings
    shorter = (Setting(s.game, s.players, (*(o for o in s.options if o[0] != name), (name, "1"))) for s in settings)
    return list(dict.fromkeys(shorter))


def drawn(game: str) -> list[Setting]:
    """A few settings of a game, the fewest and the most players among them."""
    few = short(game, plain(game))
    others = [one for one in short(game, few_settings(game)) if one not in few]
    return [few[0], few[-1], *random.Random(game).sample(others, min(2, len(others)))]


ALL = [one for game in shelf() for one in dict.fromkeys([*short(game, few_settings(game)), *shortened(ends(game))])]
"""Each value of each option: the face asks a game's rules, whose pairs of values are the matter of test_parity.  Of
several deals are only matches under the default rules, since each of their states is built again from its history."""
FEW = [drawn(game)[-1] for game in shelf()]


def spelt(setting: Setting) -> str:
    return openspiel.spelt(setting.load())


SEALED = [f"parlour_{one}" for one in ("kuhn", "hearts(deals=1)", "matrimony(deals=1,stake_visibility=secret)")]
"""Games with things hidden, in two of which several choose at once."""
RESAMPLED = list(dict.fromkeys([*SEALED, *(spelt(one) for game in shelf() for one in short(game, few_settings(game)))]))


def loaded(name: str) -> Any:
    return pyspiel.load_game(name)


# ------------------------------------------------------------------------------------------ the official check


@pytest.mark.parametrize("setting", the_rest_long(list(dict.fromkeys([*FEW, *ALL])), FEW), ids=str)
def test_random_simulation_with_serialisation(setting: Setting, capfd: Any) -> None:
    game = setting.load()
    theirs = loaded(openspiel.spelt(game))
    assert str(theirs) == openspiel.spelt(game)
    assert theirs.parlour == game
    pyspiel.random_sim_test(theirs, num_sims=1, serialize=True, verbose=False)
    state = theirs.new_initial_state()
    while not state.is_terminal() and state.move_number() < 20:
        state.apply_action(state.legal_actions()[0])
        written = state.serialize().partition("\n")[0].removeprefix("history=").split(",")
        assert written == [f"{one.player}:{one.action}" for one in state.full_history()], "for readers of other kinds"


SUITES = [*(spelt(one) for one in FEW), *(f"parlour_{game}" for game in shelf() if game != "newmarket")]
SUITES += ["parlour_newmarket(first_dealer=0,stakes=2)", "parlour_matrimony(stake_visibility=secret)"]
"""What OpenSpiel's suites are run with.  In Newmarket a dealer is usually drawn and stakes are laid first, and of its
states the suite samples the first 400."""


@pytest.mark.parametrize("name", the_rest_long(SUITES, ["parlour_kuhn", "parlour_matrimony"]))
def test_the_suite_of_the_interface(name: str) -> None:
    from open_spiel.integration_tests import api_test  # which has the whole of SciPy read

    bases = [api_test.EnforceAPIOnPartialTreeBase, *[api_test.EnforceAPIOnFullTreeBase] * (name in TWINS)]
    for numbers in (api_test.TOTAL_NUM_STATES, api_test.PERFECT_RECALL_NUM_STATES):
        numbers.update({ours: numbers[theirs] for ours, theirs in TWINS.items()})
    for base in bases:
        case, result = type(name, (base,), {"game": loaded(name), "game_name": name}), unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
        assert result.testsRun >= 5
        assert not [told for _, told in result.errors + result.failures]


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["kuhn", "diamondback"]))
def test_the_suite_of_simulations(game: str, capfd: Any) -> None:
    from open_spiel.python.tests import games_sim_test

    about, suite = loaded(f"parlour_{game}").get_type(), games_sim_test.GamesSimTest()
    for players in range(about.min_num_players, about.max_num_players + 1):
        suite.sim_game(pyspiel.load_game(f"parlour_{game}", {"players": players}))


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["kuhn", "diamondback"]))
def test_playthroughs_are_those_that_are_kept(game: str) -> None:
    assert playthrough(game) == (FOLDER / f"{game}.txt").read_text("utf-8")


# ------------------------------------------------------------------------------------------ beside OpenSpiel's own


def test_algorithms_find_the_same_in_both() -> None:
    """CFR, external sampling, exploitability: the same numbers, because every information set is the same."""
    found = []
    for game in map(loaded, ("parlour_kuhn", "kuhn_poker")):
        solver, sampler = cfr.CFRSolver(game), external_sampling_mccfr.ExternalSamplingSolver(game)
        np.random.seed(3)
        for _ in range(5):
            solver.evaluate_and_update_policy()
            sampler.iteration()
        tables = [solver.average_policy(), sampler.average_policy()]
        found.append([exploitability.exploitability(game, policies.UniformRandomPolicy(game))])
        found[-1] += [exploitability.nash_conv(game, table) for table in tables]
        found[-1] += [len(sampler._infostates)]
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_what_openspiel_knows_of_both_is_the_same() -> None:
    numbers = "num_players", "num_distinct_actions", "min_utility", "max_utility", "utility_sum", "max_game_length"
    for name, twin in TWINS.items():
        ours, theirs = loaded(name), loaded(twin)
        for fact in numbers:
            assert getattr(ours, fact)() == getattr(theirs, fact)(), (name, fact)
        for fact in ("dynamics", "chance_mode", "information", "utility", "reward_model"):
            assert getattr(ours.get_type(), fact) == getattr(theirs.get_type(), fact), (name, fact)


def test_what_is_fitted_to_our_tensors_holds_for_information_sets_that_were_not_seen() -> None:
    """As with OpenSpiel's own: the policy of CFR+ at Leduc poker, fitted to 650 of its information sets."""
    solver = Solver(grow(parlour.load("leduc")), "cfr+")
    solver.run(target=0.0, iterations=100)
    tables, rows = table_of(found(solver)).tables, dict[int, Any]()
    waiting = [(loaded("parlour_leduc").new_initial_state(), loaded("leduc_poker").new_initial_state())]
    while waiting:
        both = waiting.pop()
        assert both[0].legal_actions() == both[1].legal_actions(), "the two have the same numbers for actions and cards"
        waiting += [(both[0].child(a), both[1].child(a)) for a in both[0].legal_actions()]
        if (p := both[0].current_player()) >= 0:
            key = both[0].played.information_key(p)
            rows[key] = *(one.information_state_tensor(p) for one in both), [tables[p][key].get(a, 0) for a in range(3)]
    ours, theirs, chances = (np.array(part) for part in zip(*rows.values(), strict=True))
    seen, others = np.split(np.random.default_rng(1).permutation(len(chances)), [650])

    def error(tensors: Any) -> float:
        x = tensors[seen]
        fitted = np.linalg.solve(x.T @ x + 0.1 * np.eye(x.shape[1]), x.T @ chances[seen])
        return float(np.mean((tensors[others] @ fitted - chances[others]) ** 2))

    assert len(others) == 286
    assert error(ours) < 1.05 * error(theirs) < 0.8 * chances.var(axis=0).mean()


@pytest.mark.parametrize("name", the_rest_long(RESAMPLED, SEALED))
def test_bots_that_search_play_whole_games(name: str) -> None:
    """``ISMCTSBot`` does, but it takes no game of perfect information."""
    game, numbers = loaded(name), np.random.RandomState(2)
    evaluator = mcts.RandomRolloutEvaluator(1, numbers)
    bot: Any = mcts.MCTSBot(game, 2.0, 4, evaluator, random_state=numbers)
    if game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION:
        bot = ismcts.ISMCTSBot(game, evaluator, 2.0, 4, random_state=numbers)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(numbers.choice(state.legal_actions()) if state.is_chance_node() else bot.step(state))


# ------------------------------------------------------------------------------------------ states


def walk(game: Any, seed: int) -> Any:
    """A random game, state by state."""
    state, choose = game.new_initial_state(), random.Random(seed)
    yield state
    while not state.is_terminal():
        state.apply_action(choose.choice(state.legal_actions()))
        yield state


@pytest.mark.parametrize("name", GAMES)
def test_what_is_not_allowed_is_refused_and_has_a_name(name: str) -> None:
    state = pyspiel.load_game(f"parlour_{name}").new_initial_state()
    for _ in range(12):
        if state.is_terminal():
            break
        allowed, before = state.legal_actions(), str(state)
        for wrong in {99, 61, -1, 2**40}.difference(allowed):
            for player in (state.current_player(), 0, pyspiel.PlayerId.CHANCE):
                assert state.action_to_string(player, wrong)
            with pytest.raises((ParlourError, RuntimeError)):
                state.apply_action(wrong)
            assert (str(state), state.legal_actions()) == (before, allowed)
        state.apply_action(allowed[0])


def test_a_refusal_is_the_sentence_with_its_clause() -> None:
    state = pyspiel.load_game("parlour_kuhn").new_initial_state()
    with pytest.raises(
        ParlourError, match=r"^Chance cannot bring outcome 5 now; choose from: 0 \(J\), 1 \(Q\), 2 \(K\)"
    ):
        state.apply_action(5)
    game = parlour.load("leduc")
    course = Course(game)
    for action in (0, 1, game.find_action("call")):
        course.step(action)
    with pytest.raises(IllegalAction, match=r"'fold' is not allowed now: .* \(LE-\d+\)$"):
        course.check(game.find_action("fold"))


def test_states_are_those_of_parlour() -> None:
    for setting in (drawn("matrimony")[-1], drawn("diabolo")[0]):
        game = loaded(openspiel.spelt(setting.load()))
        ours, who = game.parlour.new(), None
        for n, state in enumerate(walk(game, 5)):
            if n:
                ours.apply(state.history()[-1], who)
            assert state.is_terminal() == ours.is_terminal
            who = state.current_player() if state.current_player() >= 0 else None
            if n % 9 == 0 and not state.is_terminal():
                if state.is_chance_node():
                    assert state.chance_outcomes() == [(k, float(p)) for k, p in ours.chance_outcomes()]
                    continue
                assert who == ours.acting[0]
                assert state.legal_actions() == ours.legal_actions(ours.acting[0])
                for player in range(game.num_players()):
                    assert state.information_state_string(player) == ours.information_state(player)
                    assert state.observation_string(player) == ours.text(player)
                    assert state.observation_tensor(player) == ours.tensor(player).flat.tolist()
        assert state.returns() == ours.returns()


def test_what_is_done_to_a_copy_stays_there() -> None:
    for state in walk(loaded("parlour_leduc"), 3):
        if state.is_terminal():
            break
        before = str(state), state.history(), [state.information_state_string(p) for p in range(2)]
        for copy in (state.clone(), state.child(state.legal_actions()[0])):
            if not copy.is_terminal():
                copy.apply_action(copy.legal_actions()[-1])
        assert before == (str(state), state.history(), [state.information_state_string(p) for p in range(2)])


@pytest.mark.parametrize("name", the_rest_long(RESAMPLED, SEALED))
def test_a_resampled_state_cannot_be_told_from_the_real_one(name: str) -> None:
    """Not by any player, wherever somebody decides; the same player is to act, and those asked before them have
    answered."""
    numbers = random.Random(4)
    for state in walk(loaded(name), 4):
        who = state.current_player()
        for player in range(state.num_players()) if who >= 0 else ():
            world = state.resample_from_infostate(player, numbers.random)
            assert (world.current_player(), world.history()) == (who, [])
            if player == who:
                assert world.legal_actions() == state.legal_actions()
            assert world.information_state_string(player) == state.information_state_string(player)
            assert world.information_state_tensor(player) == state.information_state_tensor(player)
            assert world.observation_string(player) == state.observation_string(player)


def test_a_resampled_state_is_dealt_again_and_plays_on() -> None:
    state = loaded("parlour_leduc").new_initial_state()
    for action in (0, 2, 1, 1):
        state.apply_action(action)
    worlds = [state.resample_from_infostate(0, random.random) for _ in range(20)]
    assert len({world.observation_string(1) for world in worlds}) > 1
    for one in (worlds[0].clone(), pickle.loads(pickle.dumps(worlds[0]))):
        for action in (one.legal_actions()[0], 2):
            one.apply_action(action)
        assert [done.player for done in one.full_history()] == [-1, 0]
        assert one.information_state_string(0).startswith(state.information_state_string(0))
        assert one.information_state_string(1) == "\n".join(one.course.memory().lines[1])


def test_a_world_that_is_the_real_one_goes_on_like_it() -> None:
    """What the player remembers in it too: in the midst of a sealed stake, what they saw before it."""
    for game in (loaded("parlour_leduc"), loaded("parlour_matrimony(deals=1,stake_visibility=secret,stake_max=3)")):
        *_, end = walk(game, 3)
        done, same, state = end.history(), 0, game.new_initial_state()
        for action in done:
            who, worlds = state.current_player(), list[Any]()
            if who >= 0:
                worlds = [state.resample_from_infostate(who, random.random) for _ in range(20)]
            for world in [world for world in worlds if str(world) == str(state)][:1]:
                for further in done[state.move_number() :]:
                    world.apply_action(further)
                assert world.course.memory().lines[who] == end.course.memory().lines[who]
                assert world.information_state_tensor(who) == end.information_state_tensor(who)
                same += who == 1
            state.apply_action(action)
        assert same > 1


def test_answers_of_those_asked_before_are_drawn_again() -> None:
    """The first passes three cards; the second, who is asked then, does not know which."""
    state = loaded("parlour_hearts(deals=1)").new_initial_state()
    while state.current_player() < 1:
        state.apply_action(state.legal_actions()[0])
    passed = {tuple(state.resample_from_infostate(1, random.random).played.fields()["sent"]) for _ in range(9)}
    assert len(passed) > 1


# ------------------------------------------------------------------------------------------ observers


def test_observers_see_what_they_are_made_for() -> None:
    game, private = loaded("parlour_kuhn"), pyspiel.PrivateInfoType
    state = game.new_initial_state()
    for action in (2, 0):
        state.apply_action(action)
    kind = pyspiel.IIGObservationType
    own = make_observation(game, kind(perfect_recall=False, public_info=False, private_info=private.SINGLE_PLAYER))
    public = make_observation(game, kind(perfect_recall=False, public_info=True, private_info=private.NONE))
    both = make_observation(game, kind(perfect_recall=True), {"key": True})
    for observer in (own, public, both):
        observer.set_from(state, 0)
    assert own.string_from(state, 0) == "hand: K, -"
    assert own.dict["hand"][0].tolist() == [0, 0, 0, 1]
    assert not own.dict["dealt"].any()
    assert "hand" not in public.string_from(state, 0)
    assert not public.dict["hand"].any()
    assert both.string_from(state, 0) == state.information_state_string(0)
    assert both.dict["key"].shape == (64,)
    assert np.packbits(both.dict["key"].astype(bool)).tobytes() == state.course.memory().keys[0].to_bytes(8, "little")


def test_a_key_is_seen_only_on_request() -> None:
    """It is a hash, from which a network learns nothing; a log of what was told takes its place."""
    game, kind = loaded("parlour_leduc"), pyspiel.IIGObservationType(perfect_recall=True)
    usual, keyed = make_observation(game, kind).dict, make_observation(game, kind, {"key": True}).dict
    assert set(keyed) - set(usual) == {"key"}
    assert {"observer", "log", "view_log", "hand", "forgotten"} <= set(usual)  # Leduc itself has a thing named "log"
    with pytest.raises(ParlourError, match="one parameter, `key`, so not colour, size"):
        make_observation(game, kind, {"colour": 1, "size": 2})
    everybody = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    hidden = pyspiel.IIGObservationType(perfect_recall=True, public_info=False)
    for wanted, more, sentence in (
        (None, {"key": True}, "ask for perfect recall"),
        (everybody, {}, "No observer"),
        (hidden, {}, "Perfect recall covers everything"),
    ):
        with pytest.raises(ParlourError, match=sentence):
            make_observation(game, wanted, more)


# ------------------------------------------------------------------------------------------ loading


@pytest.mark.parametrize("game", shelf())
def test_every_setting_has_a_name_that_leads_back_to_it(game: str) -> None:
    for setting in [*plain(game), *few_settings(game)]:
        ours = setting.load()
        assert loaded(openspiel.spelt(ours)).parlour == ours


def test_words_and_numbers_of_options() -> None:
    load = parlour.load
    assert openspiel.spelt(load("commit", deals=3)) == "parlour_commit(deals=3,players=2)"
    assert loaded("parlour_commit(deals=0)").parlour == load("commit")  # 0 stands for `all`
    assert loaded("parlour_dividha(ace_sum=11)").parlour == load("dividha", ace_sum="11")
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'decks'"):
        loaded("parlour_commit(decks=2)")
    with pytest.raises(ParlourError, match="cannot be played by 9"):
        loaded("parlour_commit(players=9)")


def test_registering_again_adds_what_is_new() -> None:
    assert openspiel.register() == [f"parlour_{game}" for game in parlour.game_names()]
    parlour.register("sampler")
    assert "parlour_sampler" in openspiel.register()
    pyspiel.random_sim_test(loaded("parlour_sampler(players=3)"), num_sims=2, serialize=True, verbose=False)


# ------------------------------------------------------------------------------------------ trees for Gambit


@pytest.mark.parametrize(("name", "nodes"), [("kuhn", 58), pytest.param("leduc", 9457, marks=pytest.mark.long)])
def test_trees_are_read_back(name: str, nodes: int, capfd: Any) -> None:
    text = gambit.efg(parlour.load(name))
    assert len(text.splitlines()) == nodes + 2
    tree, twin = pyspiel.load_efg_game(text), loaded(TWINS[f"parlour_{name}"])
    assert tree.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert (tree.num_players(), tree.min_utility()) == (2, twin.min_utility())
    pyspiel.random_sim_test(tree, num_sims=3, serialize=False, verbose=False)
    values = []
    for game in (tree, twin):
        policy = policies.UniformRandomPolicy(game)
        value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
        values.append((exploitability.nash_conv(game, policy), *value))
    assert values[0] == pytest.approx(values[1])


def named(state: Any) -> dict[str, tuple[int, float]]:
    """What may happen now, by name, each with its id and its chance."""
    odds = dict(state.chance_outcomes()) if state.is_chance_node() else dict.fromkeys(state.legal_actions(), 1.0)
    found = {state.action_to_string(action): (action, chance) for action, chance in odds.items()}
    assert len(found) == len(odds)
    return found


@pytest.mark.parametrize("name", ["kuhn", "commit-6", "hearts-6", pytest.param("leduc", marks=pytest.mark.long)])
def test_a_tree_is_the_registered_game(name: str) -> None:
    """Step by step: who is to act, what they know, what they may do and what chance may bring, by name."""
    openspiel.register(study=True)
    game, choose = loaded(openspiel.spelt(parlour.load(name))), random.Random(3)
    tree = openspiel.tree(game)
    assert tree.num_players() == game.num_players()
    assert tree.utility_sum() == pytest.approx(game.utility_sum())
    for _ in range(20):
        state, grown = game.new_initial_state(), tree.new_initial_state()
        while not state.is_terminal():
            assert grown.current_player() == state.current_player()
            ours, theirs = named(state), named(grown)
            assert {one: chance for one, (_, chance) in ours.items()} == pytest.approx(
                {one: chance for one, (_, chance) in theirs.items()}
            )
            if state.current_player() >= 0:
                key = state.played.information_key(state.current_player())
                assert grown.information_state_string()[-16:] == f"{key:016x}"
            done = choose.choice(sorted(ours))
            state.apply_action(ours[done][0])
            grown.apply_action(theirs[done][0])
        assert grown.is_terminal()
        assert grown.returns() == state.returns()


@pytest.mark.parametrize("name", ["kuhn", "commit-6", pytest.param("leduc", marks=pytest.mark.long)])
def test_a_policy_is_the_same_on_the_tree_and_in_the_game(name: str) -> None:
    openspiel.register(study=True)
    game, tree, numbers = loaded(openspiel.spelt(parlour.load(name))), openspiel.tree(name), np.random.RandomState(2)
    policy = policies.TabularPolicy(game).copy_with_noise(0.9, 2.0, numbers)
    grown = openspiel.policy_on(tree, policy)
    both = [exploitability.exploitability(game, policy), exploitability.exploitability(tree, grown)]
    assert both[0] == pytest.approx(both[1], abs=1e-12)
    assert both[0] != pytest.approx(exploitability.exploitability(tree, policies.UniformRandomPolicy(tree)), abs=1e-3)
    again = openspiel.policy_on(game, grown).to_tabular()
    assert np.array_equal(again.action_probability_array, policy.action_probability_array)


def test_a_policy_of_the_solvers_in_c_is_carried_over_too() -> None:
    game, tree = loaded("parlour_kuhn"), openspiel.tree("kuhn")
    solvers = pyspiel.CFRSolver(tree), pyspiel.CFRSolver(game)
    for solver in solvers:
        for _ in range(20):
            solver.evaluate_and_update_policy()
    found = pyspiel.exploitability(tree, solvers[0].average_policy())
    for policy in (solvers[0].average_policy(), solvers[0].tabular_average_policy()):
        for other in (game, tree):
            grown = openspiel.policy_on(other, policy)
            assert exploitability.exploitability(other, grown) == pytest.approx(found, abs=1e-12)
    own = solvers[1].tabular_average_policy()
    for wrong in (own, solvers[1].average_policy()):
        with pytest.raises(ParlourError, match="is carried from the tree of a game; this one is of something else"):
            openspiel.policy_on(tree, wrong)
    grown = openspiel.policy_on(tree, policies.pyspiel_policy_to_python_policy(game, own))
    assert exploitability.exploitability(tree, grown) == pytest.approx(found, abs=1e-12)


def test_what_are_no_probabilities_is_not_carried_over() -> None:
    game, tree = loaded("parlour_kuhn"), openspiel.tree("kuhn")
    for row in ([0.0, 0.0], [0.5, float("nan")], [1.0, 1.0], [2.0, -1.0]):
        wrong = policies.TabularPolicy(game)
        wrong.action_probability_array[:] = row
        with pytest.raises(ParlourError, match=r"That policy returned .* not probabilities"):
            openspiel.policy_on(tree, wrong).to_tabular()


def test_a_policy_of_another_game_is_refused() -> None:
    even = policies.UniformRandomPolicy(loaded("parlour_kuhn"))
    for other in (openspiel.tree("commit-6"), loaded("kuhn_poker")):
        with pytest.raises(ParlourError, match="a policy of another game"):
            openspiel.policy_on(other, even).to_tabular()


def test_a_game_that_is_too_large_for_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Course, "memory", None)  # it is counted without what players know
    with pytest.raises(ParlourError, match="has more than 20,000 nodes"):
        gambit.efg(parlour.load("hearts"), most=20_000)
    assert bounds_of(parlour.load("hearts")).total == 0


@pytest.mark.parametrize("name", ["leduc", "pope_joan-10", "commit-8"])
def test_scaled_utilities_are_two_apart_and_returns_within_them(name: str) -> None:
    game = parlour.load(name)
    plain, scaled = (pyspiel.load_game(openspiel.spelt(game, scaled=one)) for one in (False, True))
    span = bounds_of(game).span
    assert scaled.max_utility() - scaled.min_utility() == pytest.approx(2)
    assert scaled.utility_sum() == plain.utility_sum() == 0
    assert (plain.min_utility(), plain.max_utility()) == (bounds_of(game).lowest, bounds_of(game).highest)
    dice, here, there = random.Random(4), plain.new_initial_state(), scaled.new_initial_state()
    while not here.is_terminal():
        action = dice.choice(here.legal_actions())
        here.apply_action(action)
        there.apply_action(action)
    assert there.returns() == pytest.approx([won / span for won in here.returns()])
    assert there.player_return(1) == there.returns()[1]
    assert there.rewards() == there.returns()
    again = pickle.loads(pickle.dumps(scaled))
    assert (str(again), again.max_utility()) == (str(scaled), scaled.max_utility())
