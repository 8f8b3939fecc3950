"""Luck and what is left without it: exactly 0 on average, whatever a value network says; narrower intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import Game, ParlourError, State
from parlour.engine.tensors import tensor_size
from parlour.players.kernels.arena import AT_RANDOM, BY_NETWORK, BY_WHOM
from parlour.players.kind import Kind
from parlour.rules.vocabulary import CHANCE
from parlour.study import arena, match, skill, standings, values
from parlour.study.intervals import Estimate, mean_estimate
from parlour.study.kernels.luck import BY_DEAL, BY_DRAW, BY_LOT
from parlour.study.reduction import beside_others, without_luck
from parlour.study.runners import AtViews, Meeting
from tests.helpers import COMPILED, GAMES, Says, refused_when_damaged, the_rest_long, there

SHIPPED = [game for game in GAMES if values.shipped(parlour.load(game)).exists()]


def drawn(game: Game, seed: int = 1, hidden: int = 8) -> values.Values:
    """A value network that knows nothing: whatever it says, nothing may depend on that but how much is gained."""
    dice = np.random.default_rng(seed)
    inputs = tensor_size(game.definition) * values.tensors(game)
    shapes = (inputs, hidden), (hidden,), (hidden, hidden), (hidden,), (hidden, 2), (2,)
    layers = tuple(dice.normal(0, 0.5, shape).astype(np.float32) for shape in shapes)
    return values.Values(tensor_size(game.definition), hidden, values.tensors(game), 3.0, layers)


def steps_of(state: State) -> list[int]:
    return [step.action * BY_WHOM + max(step.player + 1, 0) for step in state.history]


def lucks(game: Game, net: values.Values, histories: list[list[int]], at_random: bool) -> Any:
    """The luck of several games, or of their beginnings."""
    steps = np.zeros((len(histories), max(map(len, histories))), np.int32)
    for row, history in zip(steps, histories, strict=True):
        row[: len(history)] = history
    how = np.full((len(histories), game.players), AT_RANDOM if at_random else BY_NETWORK)
    return values.luck_of(game, net, steps, np.array([*map(len, histories)]), how)


def endings(state: State, chance: Fraction) -> Iterator[tuple[State, Fraction]]:
    """Every end of a game between random players, with its probability."""
    if state.is_terminal:
        yield state, chance
    elif state.current_player == CHANCE:
        for outcome, likely in state.chance_outcomes():
            after = state.clone()
            after.apply(outcome)
            yield from endings(after, chance * likely)
    else:
        legal = state.legal_actions()
        for action in legal:
            after = state.clone()
            after.apply(action)
            yield from endings(after, chance / len(legal))


def test_over_all_games_of_kuhn_the_mean_is_the_exact_value_and_luck_is_0() -> None:
    game = parlour.load("kuhn")
    ends = [*endings(game.new(), Fraction(1))]
    assert sum(chance for _, chance in ends) == 1
    weights = np.array([float(chance) for _, chance in ends])
    brought = np.array([state.returns() for state, _ in ends])
    value = float(sum(chance * Fraction(state.returns()[0]) for state, chance in ends))
    found = lucks(game, drawn(game), [steps_of(state) for state, _ in ends], at_random=True)
    assert abs(found).max() > 0.1
    assert abs(np.tensordot(weights, found, 1)).max() < 1e-12
    adjusted = brought - found[:, :, 1].sum(axis=2)
    assert weights @ adjusted == pytest.approx([value, -value], abs=1e-12)


@pytest.mark.parametrize("name", the_rest_long(GAMES, COMPILED))
def test_each_step_of_chance_and_each_choice_at_random_brings_0_on_average(name: str) -> None:
    """Sealed choices, several deals, weights and tickets included: what differs is told by one more step."""
    game = parlour.load(name)
    net, tried, seed = drawn(game), 0, 0
    while tried < 12:
        seed += 1
        state = game.new()
        dice = np.random.default_rng(seed)
        for _ in range(int(dice.integers(1, 120))):
            if state.is_terminal:
                break
            options, likely = ways(state)
            state.apply(options[int(dice.choice(len(options), p=likely))], *whose(state))
        if state.is_terminal:
            continue
        options, likely = ways(state)
        if len(options) < 2:
            continue
        after = []
        for option in options:
            after.append(state.clone())
            after[-1].apply(option, *whose(state))
        if any(steps_of(one)[:-1] != steps_of(state) for one in after):
            continue  # a sealed choice takes its place among those made before
        found = lucks(game, net, [steps_of(state), *map(steps_of, after)], at_random=True)
        gained = found[1:] - found[0]
        assert abs(np.tensordot(np.array(likely), gained, 1)).max() < 1e-9 * max(1.0, abs(gained).max())
        tried += 1


def ways(state: State) -> tuple[list[int], list[float]]:
    """What may come next, each with its probability."""
    if state.current_player == CHANCE:
        outcomes = state.chance_outcomes()
        return [k for k, _ in outcomes], [float(p) for _, p in outcomes]
    legal = state.legal_actions(state.acting[0])
    return [*legal], [1 / len(legal)] * len(legal)


def whose(state: State) -> tuple[int, ...]:
    return () if state.current_player == CHANCE else (state.acting[0],)


def test_kinds_of_luck_are_told_apart() -> None:
    """Leduc: two cards are dealt, then comes a card after decisions; only players at random draw lots."""
    game = parlour.load("leduc")
    net, state = drawn(game), game.new(seed=4)
    while not state.is_terminal:
        state.apply("call" if "call" in [game.action_names[a] for a in state.legal_actions()] else "check")
    lots, none = (lucks(game, net, [steps_of(state)], at_random=at_random)[0] for at_random in (True, False))
    assert (lots[..., BY_DEAL] != 0).all()
    assert (lots[..., BY_DRAW] != 0).all()
    assert (lots[..., BY_LOT] != 0).all()
    assert (none[..., BY_LOT] == 0).all()
    assert none[..., :BY_LOT].tolist() == lots[..., :BY_LOT].tolist()


@pytest.mark.parametrize(
    "kinds", [["random", "rule-of-thumb"], ["rule-of-thumb", "rule-of-thumb"], ["search:9", "random"]]
)
def test_games_of_the_arena_are_as_lucky_as_the_same_games_played_from_views(kinds: list[str]) -> None:
    game = parlour.load("diamonds")
    net = drawn(game)
    played = arena.contest(game, [Kind.parsed(kind) for kind in kinds], 3, range(3), with_steps=True)
    found = values.luck(game, net, played, [kind == "random" for kind in kinds])
    slow = list(chain.from_iterable(AtViews(Meeting(game, kinds, 3, net)).play(range(3))))
    assert [result.luck for result in slow] == [tuple(map(tuple, one.reshape(2, -1).tolist())) for one in found]


def test_a_long_game_is_written_down_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    game, kinds = parlour.load("diamonds"), [Kind("rule-of-thumb"), Kind("random")]
    whole = arena.contest(game, kinds, 3, range(4), with_steps=True).arrays()
    monkeypatch.setattr(arena, "MOST_STEPS", 8)
    again = arena.contest(game, kinds, 3, range(4), with_steps=True).arrays()
    length = int(whole.taken.max())
    assert again.taken.tolist() == whole.taken.tolist()
    assert again.steps[:, :length].tolist() == whole.steps[:, :length].tolist()
    assert again.returns.tolist() == whole.returns.tolist() == arena.contest(game, kinds, 3, range(4)).returns.tolist()


def toy(seed: int, deals: int) -> tuple[Any, Any, Any]:
    """Results with a true mean of 0.3, luck that explains most of them, and luck that means nothing."""
    dice = np.random.default_rng(seed)
    luck = dice.normal(0, 1, (deals, 3))
    results = 0.3 + 2.0 * luck[:, 0] - 1.0 * luck[:, 1] + dice.exponential(1.0, deals) - 1.0
    return results, luck, np.array([1.0, 1.0, 1.0])


def test_what_is_subtracted_from_a_deal_does_not_depend_on_its_result() -> None:
    """So the mean of what is subtracted is 0."""
    results, luck, own = toy(1, 200)
    before = without_luck(results, luck, own)
    for deal in (0, 57, 199):
        changed = results.copy()
        changed[deal] += 1000.0
        assert without_luck(changed, luck, own)[deal] - before[deal] == pytest.approx(1000.0)


def test_the_regression_finds_how_much_luck_counts_and_a_network_that_errs_does_no_harm() -> None:
    results, luck, own = toy(2, 2000)
    left = without_luck(results, luck, own)
    assert results.var() > 5.5
    assert left.var() < 1.2
    assert abs(left.mean() - 0.3) < 4 * math.sqrt(1.1 / 2000)
    dice = np.random.default_rng(3)  # what is called luck here means nothing, and spreads three times as much
    results, luck = dice.normal(0, 1, 100), dice.normal(0, 3, (100, 12))
    left = without_luck(results, luck, np.ones(12))
    assert left.var() < 1.4 * results.var()


def test_intervals_hold_as_often_as_they_say() -> None:
    """Of 400 matches of 60 deals, with far too many controls for so few, about 95% must hold the true mean."""
    held = 0
    for seed in range(400):
        results, luck, own = toy(seed + 10, 60)
        more = np.concatenate([luck, np.random.default_rng(seed).normal(0, 1, (60, 9))], axis=1)
        found = mean_estimate(without_luck(results, more, np.concatenate([own, np.zeros(9)])).tolist())
        held += found.low <= 0.3 <= found.high
    assert held >= 400 * 0.92


def beside(seed: int, deals: int, others: int) -> tuple[Any, Any, Any]:
    """Results with a true mean of 0.3; what two others bring in the same deals, who usually bring 5 and -2, and of whom
    the first does as the player does; and what they bring in other deals."""
    dice = np.random.default_rng(seed)
    brought = np.array([5.0, -2.0]) + dice.normal(0, 2, (deals + others, 2))
    return 0.3 + 0.7 * (brought[:deals, 0] - 5.0) + dice.exponential(1.0, deals) - 1.0, brought[:deals], brought[deals:]


def test_what_others_bring_in_the_same_deals_changes_no_mean_and_narrows_the_interval() -> None:
    """Of 400 matches, even when little is known of the others: then the interval says so."""
    for deals, others, gain in ((60, 600, 0.75), (60, 60, 0.95)):
        found = [beside_others(*beside(seed, deals, others)) for seed in range(400)]
        plain = [mean_estimate(beside(seed, deals, others)[0].tolist()) for seed in range(400)]
        means = np.array([one.mean for one in found])
        assert abs(means.mean() - 0.3) < 4 * means.std() / 20
        assert np.mean([one.half for one in found]) < gain * np.mean([one.half for one in plain])
        assert means.std() < gain * np.std([one.mean for one in plain])
        assert sum(one.low <= 0.3 <= one.high for one in found) >= 400 * 0.92


def test_luck_and_what_others_bring_are_taken_out_together() -> None:
    results, here, elsewhere = beside(1, 50, 500)
    luck = np.random.default_rng(2).normal(0, 1, (50, 6))
    with_luck = beside_others(results + luck[:, 0], here, elsewhere, luck, np.eye(6)[0])
    assert with_luck.half < 0.8 * beside_others(results + luck[:, 0], here, elsewhere).half


def test_a_match_has_both_figures_and_the_plain_ones_are_as_ever() -> None:
    game = parlour.load("diamonds")
    net = there(values.known(game))
    kinds = ["rule-of-thumb", "random"]
    plain, both = match.play(game, kinds, 200, 1), match.play(game, kinds, 200, 1, values=net)
    for one, other in zip((*plain.players, *plain.seats), (*both.players, *both.seats), strict=True):
        assert (one.share, one.returns, one.adjusted) == (other.share, other.returns, None)
        adjusted = there(other.adjusted)
        assert half(adjusted.share) < 0.7 * half(other.share)
        assert half(adjusted.returns) < 0.7 * half(other.returns)
        assert adjusted.worth > 2 * 200
        assert abs(adjusted.share.mean - other.share.mean) < 2 * half(other.share)
    assert sum(one.adjusted.share.mean for one in both.players if one.adjusted) == pytest.approx(1, abs=0.01)
    data = match.as_data(both)["standings"][0]
    assert data["adjusted"]["share"]["low"] > data["share"]["low"]
    assert "adjusted" not in match.as_data(plain)["standings"][0]


def half(e: Estimate) -> float:
    return (e.high - e.low) / 2


def test_a_few_deals_are_left_as_they_are_and_a_network_of_another_game_is_refused() -> None:
    game = parlour.load("kuhn")
    assert match.play(game, ["random", "random"], 98, 1, values=drawn(game)).players[0].adjusted is None
    assert match.play(game, ["random", "random"], 100, 1, values=drawn(game)).players[0].adjusted is not None
    with pytest.raises(ParlourError, match=r"^This value network was not made for Kuhn poker\.$"):
        match.play(game, ["random", "random"], 4, values=drawn(parlour.load("leduc")))


def test_a_network_learns_and_the_same_again() -> None:
    game, errors = parlour.load("kuhn"), list[float]()
    first = values.learn(game, 6000, seed=2, hidden=8, tell=lambda played, error: errors.append(error))
    assert errors[-1] < 0.8 * errors[0]
    again = values.learn(game, 6000, seed=2, hidden=8)
    assert [layer.tolist() for layer in first.layers] == [layer.tolist() for layer in again.layers]


@pytest.mark.parametrize(("name", "players"), [("leduc", 2), ("sampler", 3), ("diamonds", 2)])
def test_what_the_compiled_loop_expects_is_what_was_learned(name: str, players: int) -> None:
    """What a card brings is the difference between what NumPy expects then and on average."""
    game = parlour.load(name, players)
    net, state, dice = drawn(game), game.new(), np.random.default_rng(5)
    (first, b1, second, b2, last, b3) = net.layers

    def expects(s: State) -> Any:
        rows = np.array([[s.view(p).tensor().flat for p in range(players)]])
        given = values.seats_in_turn(rows, values.tensors(game)).astype(np.float64)
        return np.maximum(np.maximum(given @ first + b1, 0) @ second + b2, 0) @ last + b3

    seen = 0
    while seen < 3 and not state.is_terminal:
        options, likely = ways(state)
        if state.current_player == CHANCE and len(options) > 1:
            after = [state.clone() for _ in options]
            for one, option in zip(after, options, strict=True):
                one.apply(option)
            if not any(one.is_terminal for one in after):
                expected = np.array([expects(one) for one in after])
                gained = lucks(game, net, [steps_of(one) for one in [state, *after]], at_random=False).sum(axis=3)
                found = (gained[1:] - gained[0]) / np.array([1.0, net.unit])
                assert found == pytest.approx(expected - np.tensordot(likely, expected, 1), abs=1e-5)
                seen += abs(found).max() > 0.01
        state.apply(options[int(dice.choice(len(options), p=likely))], *whose(state))
    assert seen


def test_networks_for_several_numbers_of_players_share_a_file(tmp_path: Path) -> None:
    file, two, three = tmp_path / "some.npz", parlour.load("diamonds"), parlour.load("diamonds", 3)
    for game in (two, three):
        values.write(file, game, drawn(game), {"command": "by hand"})
    for game in (two, three):
        read = there(values.known(game, file))
        assert [layer.shape for layer in read.layers] == [layer.shape for layer in drawn(game).layers]
        assert read.made["command"] == "by hand"
        assert (read.unit, read.hidden) == (3.0, 8)
    with pytest.raises(ParlourError, match=r"some\.npz has no value network for Leduc poker with 2 players\.$"):
        values.known(parlour.load("leduc"), file)
    (tmp_path / "no.npz").write_text("no")
    with pytest.raises(ParlourError, match=r"no\.npz does not hold value networks; `parlour train --values` writes"):
        values.known(two, tmp_path / "no.npz")
    with pytest.raises(ParlourError, match=r"^There is no file '.*gone\.npz'\.$"):
        values.known(two, tmp_path / "gone.npz")
    refused_when_damaged(file, lambda: values.known(two, file))


@pytest.mark.parametrize("name", SHIPPED)
def test_networks_that_come_with_a_game_fit_it(name: str) -> None:
    with np.load(values.shipped(parlour.load(name))) as kept:
        numbers = [int(n) for n in json.loads(str(kept["about"]))]
    for n in numbers:
        net = there(values.known(parlour.load(name, n)))
        assert all(np.isfinite(layer).all() for layer in net.layers)


def test_certainty_and_shares_are_as_worked_out_by_hand() -> None:
    """A player who gains 0.2 a game from one other, where a game brings 1 or -1: (1.96 / 0.2)² games; 0.2² of 1."""
    lead = Estimate(0.2, 0.16, 0.24)
    found = skill.certainty(lead, 1.0)
    assert (found.mean, found.low, found.high) == (97, 67, 151)
    level = skill.certainty(Estimate(0.02, -0.04, 0.08), 1.0)
    assert (level.mean, level.low, level.high) == (9604, 601, math.inf)
    seats = [Estimate(0.2, 0.2, 0.2), Estimate(-0.2, -0.2, -0.2)]
    sure = skill.parts(Estimate(0.2, 0.2, 0.2), seats, 1.0)
    assert (sure.player.mean, sure.seat.mean, sure.cards) == pytest.approx((0.04, 0.04, 0.92))
    vague = skill.parts(lead, seats, 1.0)
    assert vague.player.low < vague.player.mean < sure.player.mean < vague.player.high
    # of three players one gains 2 a game, and each of the others pays 1
    three = skill.parts(Estimate(2.0, 2.0, 2.0), [Estimate(0.0, 0.0, 0.0)] * 3, 25.0)
    assert three.player.mean == pytest.approx((4 + 1 + 1) / 3 / 25)


def test_a_deal_counts_for_what_it_brings_and_not_for_having_been_won() -> None:
    """Single deals add up to a match, so a few large ones may outweigh many small ones."""
    game = skill.by_the_deal(parlour.load("diamondback"))
    assert game.options["deals"] == "1"
    (step,) = skill.climb(game, ["random", "rule-of-thumb"], 0.3)
    assert step.certainty.mean == pytest.approx(1.96**2 * step.critical, abs=1)
    wins = 1.96**2 * 0.25 / (step.share.mean - 0.5) ** 2
    assert step.certainty.mean > 1.2 * wins or step.certainty.mean < 0.8 * wins


def test_a_ladder_is_climbed_step_by_step() -> None:
    told: list[str] = []
    players = ["random", "rule-of-thumb", "learned"]
    steps = skill.climb(parlour.load("diamonds"), players, 0.4, values=None, progress=told.append)
    assert [(step.weaker, step.stronger) for step in steps] == [*pairwise(players)]
    assert told[:2] == ["rule-of-thumb against random", "learned against rule-of-thumb"]
    assert steps[0].share.low > 0.6
    assert steps[0].certainty.high < 100
    assert steps[0].parts.player.mean + steps[0].parts.seat.mean + steps[0].parts.cards == pytest.approx(1)


@pytest.mark.parametrize(
    ("given", "order"),
    [
        (["random", "thumb", "search", "best"], ["random", "search", "thumb", "best"]),
        (["best", "thumb", "search", "random"], ["random", "search", "thumb", "best"]),
        (["random", "alike", "search"], ["random", "alike", "search"]),
        (["alike", "random", "search"], ["alike", "random", "search"]),
    ],
)
@pytest.mark.parametrize("deals", [standings.LEAST, standings.LEAST - 1])
def test_whoever_clearly_loses_to_the_player_below_is_moved_down(
    given: list[str], order: list[str], deals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But not whoever may be as good, nor after a few deals."""
    strength = {"random": 0.0, "alike": 0.05, "search": 1.0, "thumb": 2.0, "best": 3.0}
    trials = []

    class Told:
        def __init__(self, game: Any, weaker: str, stronger: str, *rest: Any) -> None:
            self.weaker, self.stronger = weaker, stronger

        def step(self, seconds: float, trial: Any = None) -> Any:
            trials.append((self.weaker, self.stronger))
            lead = strength[self.stronger] - strength[self.weaker]
            returns = Estimate(lead, lead - 0.1, lead + 0.1)
            return SimpleNamespace(**vars(self), games=2 * deals, fair=0.5, seconds=0.0, wide=0.0, returns=returns)

    monkeypatch.setattr(skill, "_Pair", Told)
    steps = skill.climb(parlour.load("kuhn"), given, 1.0)
    if deals < standings.LEAST:
        order = given
    assert [(step.weaker, step.stronger) for step in steps] == [*pairwise(order)]
    assert len(trials) == len(set(trials)), "no pair is tried twice"


@pytest.mark.parametrize(("players", "sentence"), [(["random"], "two players"), (["random"] * 2, "how many seconds")])
def test_no_ladder(players: list[str], sentence: str) -> None:
    with pytest.raises(ParlourError, match=sentence):
        skill.climb(parlour.load("kuhn"), players, 0.0 if len(players) > 1 else 1.0)


def test_a_match_takes_luck_out_by_itself_and_says_so(says: Says) -> None:
    words = "match diamonds rule-of-thumb random --games 200 --jobs 1"
    code, out, err = says(words)
    assert (code, err) == (0, "")
    assert "players, luck taken out" in out
    assert "narrows rule-of-thumb's share from ±" in " ".join(out.split())
    code, out, err = says(f"{words} --no-luck".replace("200", "100"))
    assert (code, err, "luck" in out) == (0, "", False)


def test_skill_prints_the_same_as_json(says: Says) -> None:
    words = "skill kuhn --seconds 0.2 --jobs 1 --simulations 20"
    code, out, err = says(words)
    assert (code, err, "search:20" in out, "> random" in out) == (0, "", True, True)
    code, out, err = says(f"{words} --json")
    (step,) = json.loads(out)["steps"]
    assert (code, err, step["luck_taken_out"]) == (0, "", True)
    assert step["share"]["low"] > step["fair_share"] == 0.5
    assert step["games_for_certainty"]["low"] <= step["games_for_certainty"]["mean"]


def test_the_command_trains_a_value_network(tmp_path: Path, says: Says) -> None:
    file = tmp_path / "mine.npz"
    code, out, err = says(f"train kuhn --values --games 2000 --hidden 8 --out {file}")
    assert (code, err, "2,000" in out) == (0, "", True)
    net = there(values.known(parlour.load("kuhn"), file))
    assert net.made["command"].startswith("parlour train kuhn --values")
    code, out, _ = says(f"match kuhn random random -n 200 --jobs 1 --value-network {file}")
    assert (code, "luck taken out" in out) == (0, True)
