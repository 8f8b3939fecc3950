"""The solver: values that are known, other programs' results, and what cannot be solved."""

from __future__ import annotations

import importlib.util
import json
import re
import signal
import subprocess
import sys
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack, vstack

import parlour
from parlour import ParlourError
from parlour.adapters import openspiel
from parlour.cli.common.progress import ProgressLine
from parlour.engine.hashing import seed_word
from parlour.engine.memory import Memory
from parlour.engine.telling import view
from parlour.players import kinds, make
from parlour.solve import form as forms
from parlour.solve.beginning import begun
from parlour.solve.certify import certify
from parlour.solve.exploiting import exploit, policy_of
from parlour.solve.form import grow
from parlour.solve.kernels import growing, sampling
from parlour.solve.sampler import Sampler
from parlour.solve.sequences import BlockMatrix, SequenceForm, Treeplex
from parlour.solve.solver import METHODS, Solver
from parlour.solve.strategy import Strategy, found, plans, read, restored, save
from tests.helpers import Says, refused_when_damaged

ONE_DEAL: dict[str, Any] = {"first_dealer": 0, "deals": 1}
ONE_FURTHER = {**ONE_DEAL, "max_second_wagers": 1}
SMALL_DIAMONDBACK = {**ONE_FURTHER, "start_coins": 2, "wager_limit": 1}
COMES_BACK = (
    "One deal of Diamondback under these options comes back to the same position, so it may go on for ever;"
    " set first_dealer=0."
)
GAMES: dict[str, dict[str, Any]] = {"kuhn": {}, "leduc": {}, "diamondback": SMALL_DIAMONDBACK}


@cache
def small(game: str) -> parlour.Game:
    return parlour.load(game, 2, **GAMES[game])


def form(game: str, positions: bool = True) -> SequenceForm:
    return grow(small(game), positions=positions)


@cache
def solved(game: str) -> Strategy:
    solver = Solver(form(game))
    solver.run(target=1e-4)
    return found(solver)


def arrays(tree: SequenceForm) -> tuple[NDArray[Any], ...]:
    """The payoffs' three arrays, as one type: left to itself, mypy finds a common type for them in some runs only."""
    return tree.rows


def certified(strategy: Strategy) -> tuple[float, float]:
    """Between what the value lies, by the certificate of a strategy that says what to do everywhere."""
    keys = [{key: i for i, key in enumerate(side.key.tolist())} for side in strategy.players]
    after = strategy.about.get("after", [])
    walked = certify(strategy.game, lambda p, key: strategy.players[p].at(keys[p][key]), after=after)
    assert walked.missing == 0
    return walked.lower, walked.upper


def test_trees_have_the_sizes_that_the_field_knows() -> None:
    kuhn, leduc = form("kuhn"), form("leduc")
    assert (kuhn.information_sets, kuhn.nodes, kuhn.ends) == (12, 58, 30)
    assert (leduc.information_sets, leduc.nodes, leduc.ends) == (936, 9457, 5520)


@pytest.mark.parametrize("game", GAMES)
def test_both_bindings_grow_the_same_tree(game: str) -> None:
    ours, other = form(game), grow(parlour.load(game, 2, **GAMES[game]), binding="interpreted")
    assert (ours.nodes, ours.ends, ours.constant) == (other.nodes, other.ends, other.constant)
    for mine, theirs in zip(ours.players, other.players, strict=True):
        for name in ("key", "glance", "first", "count", "parent", "deed"):
            assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name
    for row, same in zip(arrays(ours), arrays(other), strict=True):
        assert np.allclose(row, same, rtol=1e-7, atol=1e-15)


@pytest.mark.parametrize(("vectors", "stride"), [(False, 7), (True, 1), (True, 50)])
def test_growing_goes_on_where_it_stopped(vectors: bool, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = grow(parlour.load("leduc"), vectors=vectors)
    monkeypatch.setitem(forms.STRIDE, "compiled", stride)
    again = grow(parlour.load("leduc"), vectors=vectors)
    assert again.nodes == whole.nodes
    for one, other in zip(arrays(whole), arrays(again), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("game", GAMES)
def test_chance_and_payoffs_are_the_games_own(game: str) -> None:
    """With uniform strategies the value is that of the walk through interpreted rules."""
    tree = form(game)
    even = [t.plan(np.concatenate([[1.0], np.repeat(1 / t.count, t.count)])) for t in tree.players]
    start, column, value = tree.rows
    matrix = csr_array((value, column, start), (tree.players[0].sequences, tree.players[1].sequences))
    told: list[int] = []
    walked = certify(small(game), lambda player, key: {}, progress=told.append)
    assert told[-1] == walked.nodes
    assert walked.walked < walked.nodes if game == "diamondback" else walked.walked == walked.nodes
    assert even[0] @ (matrix @ even[1]) == pytest.approx(walked.value, abs=1e-12)
    assert (walked.lower, walked.upper) == pytest.approx(Solver(tree).bracket((even[0], even[1])), abs=1e-12)
    assert (walked.nodes, walked.information_sets) == (tree.nodes, tree.information_sets)
    assert walked.missing == tree.information_sets


def linear_program(tree: SequenceForm) -> float:
    """The value by linear programming on the sequence form: the most that player 0 can be sure of."""

    def constraints(t: Treeplex) -> Any:
        """Flow into each set is flow out of it; the empty sequence is 1."""
        rows = np.concatenate([[0], np.repeat(np.arange(1, t.sets + 1), t.count), np.arange(1, t.sets + 1)])
        columns = np.concatenate([[0], np.arange(1, t.sequences), t.parent])
        signs = np.concatenate([np.ones(t.sequences), -np.ones(t.sets)])
        return coo_array((signs, (rows, columns)), (t.sets + 1, t.sequences)).tocsr()

    start, column, value = tree.rows
    ours, theirs = tree.players
    payoffs = csr_array((value, column, start), (ours.sequences, theirs.sequences))
    flow, bound = constraints(ours), constraints(theirs)
    zero = coo_array((flow.shape[0], bound.shape[0])).tocsr()
    objective = np.concatenate([np.zeros(ours.sequences), [-1.0], np.zeros(theirs.sets)])
    above = vstack([coo_array(np.zeros((0, len(objective)))), csr_array(hstack([-payoffs.T, bound.T]))]).tocsr()
    equal = np.concatenate([[1.0], np.zeros(ours.sets)])
    best = linprog(
        objective, above, np.zeros(theirs.sequences), csr_array(hstack([flow, zero])), equal,
        [(0, None)] * ours.sequences + [(None, None)] * (theirs.sets + 1), method="highs",
    )  # fmt: skip
    assert best.status == 0
    return float(-best.fun)


KNOWN = {"kuhn": -1 / 18, "leduc": -0.0856064, "diamondback": 0.0}


@pytest.mark.parametrize(("game", "target"), [("kuhn", 1e-5), ("leduc", 1e-3), ("diamondback", 1e-5)])
def test_linear_programming_and_every_method_find_the_value(game: str, target: float) -> None:
    tree = form(game)
    value = linear_program(tree)
    assert value == pytest.approx(KNOWN[game], abs=1e-6)
    for method in METHODS:
        last = Solver(tree, method).run(target=target)
        assert last.lower - 1e-9 <= value <= last.upper + 1e-9, method
        assert last.exploitability <= target
        assert last.iterations < 1200 or game != "leduc"


def theirs_by_key(game: str) -> dict[tuple[int, int], str]:
    """Our information sets and OpenSpiel's, by walking both trees, whose actions have the same numbers."""
    openspiel.register()
    pairs, names = {}, (f"parlour_{game}", f"{game}_poker")
    todo = [[pyspiel.load_game(name).new_initial_state() for name in names]]
    while todo:
        ours, theirs = todo.pop()
        if (who := theirs.current_player()) >= 0:
            pairs[who, ours.played.information_key(who)] = theirs.information_state_string(who)
        todo += [[ours.child(a), theirs.child(a)] for a in theirs.legal_actions()]
    return pairs


@pytest.mark.parametrize(("game", "iterations"), [("kuhn", 100), ("leduc", 12)])
def test_open_spiel_plays_the_same_cfr_plus(game: str, iterations: int) -> None:
    """Node for node: the same average policy after the same number of iterations, and the same exploitability."""
    theirs = pyspiel.load_game(f"{game}_poker")
    their_solver = pyspiel.CFRPlusSolver(theirs)
    solver = Solver(form(game), "cfr+")
    for _ in range(iterations):
        their_solver.evaluate_and_update_policy()
    solver.iterate(iterations)
    policy, pairs = their_solver.average_policy(), theirs_by_key(game)
    for p, tree in enumerate(form(game).players):
        chances = tree.chances(solver.average(p))
        for i, key in enumerate(tree.key.tolist()):
            own = slice(tree.first[i], tree.first[i] + tree.count[i])
            said = dict(policy.get_state_policy(pairs[p, key]))
            mine = dict(zip(tree.deed[own].tolist(), chances[own].tolist(), strict=True))
            assert mine == pytest.approx(said, abs=1e-9), pairs[p, key]
    assert solver.check().exploitability == pytest.approx(pyspiel.exploitability(theirs, policy), abs=1e-9)


def test_a_certificate_refuses_what_it_cannot_vouch_for(monkeypatch: pytest.MonkeyPatch) -> None:
    game, rules = parlour.load("kuhn"), parlour.load("kuhn").definition.rules
    for said in ({0: 0.5, 1: 0.25}, {0: 0.5, 7: 0.5}):
        with pytest.raises(ParlourError, match="chooses illegal actions, or its probabilities do not add up to 1"):
            certify(game, lambda player, key, said=said: said)  # type: ignore[misc]
    with pytest.raises(ParlourError, match="more than 50 nodes to walk, many for interpreted rules; allow more with "):
        certify(game, lambda player, key: {}, most=50)
    with monkeypatch.context() as planted:
        planted.setattr(rules, "deal_returns", lambda s, out: out.__setitem__(0, float(s.paid[0])))
        with pytest.raises(ParlourError, match="Kuhn poker is not zero-sum: returns add up to 1 or 2"):
            certify(game, lambda player, key: {})
    with monkeypatch.context() as planted:
        planted.setattr(Memory, "step", lambda *_: None)
        with pytest.raises(ParlourError, match="lets player 0 forget something, or tell apart too much"):
            certify(game, lambda player, key: {})


def test_histories_are_one_only_if_nobody_could_tell_them_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """With cards that come in another order, and never where a player would still be told of it."""
    game = small("diamondback")
    apart = certify(game, lambda player, key: {})
    marks = iter(range(10**9))
    monkeypatch.setattr(Memory, "mark", lambda self: (next(marks),))
    plain = certify(game, lambda player, key: {})
    assert (plain.nodes, plain.walked) == (apart.nodes, apart.nodes)
    assert apart.walked < apart.nodes / 2
    assert (plain.lower, plain.upper, plain.value) == pytest.approx((apart.lower, apart.upper, apart.value), abs=1e-12)


@pytest.mark.parametrize("game", ["kuhn", "diamondback"])
def test_a_file_is_what_was_found_and_its_player_is_as_good(game: str, tmp_path: Path) -> None:
    """The certificate confirms what it says, and so do answers to the player."""
    file, tree, about = tmp_path / "x.solved", form(game), solved(game).about
    save(solved(game), file)
    again = read(file)
    assert (again.game, again.about["value"]) == (tree.game, about["value"])
    assert certified(again) == pytest.approx(about["value"], abs=1e-6)
    assert Solver(tree).bracket(plans(again, tree)) == pytest.approx(about["value"], abs=1e-6)
    save(solved(game).compact(), file)
    measured = exploit(tree, lambda seed: make(f"solved:{file}", small(game), seed))
    assert measured.exploitability == pytest.approx(about["exploitability"], abs=1e-6)
    for p, value in enumerate((measured.lower, -measured.upper)):
        assert sum(hand.returns for hand in measured.hands if hand.seat == p) == pytest.approx(value, abs=1e-9)


def test_limits_that_no_run_can_keep_are_refused() -> None:
    solvers: tuple[Any, ...] = Solver(form("kuhn")), Sampler(parlour.load("kuhn"), 1)
    for solver in solvers:
        for wrong in ({"iterations": -1}, {"iterations": 1.5}, {"seconds": -1}, {"seconds": float("nan")}):
            with pytest.raises(ParlourError, match=r"is 0 or more, not|is not a number of iterations"):
                solver.run(**wrong)


def test_going_on_is_as_if_nothing_had_been_between(tmp_path: Path) -> None:
    """In the other form, too."""
    whole, first, second = (Solver(grow(small("leduc"), vectors=v)) for v in (False, False, True))
    whole.iterate(60)
    first.iterate(25)
    first.check()
    save(found(first), tmp_path / "x")
    restored(read(tmp_path / "x"), second)
    second.iterate(35)
    assert second.iterations == whole.iterations
    assert second.check().exploitability == pytest.approx(whole.check().exploitability, abs=1e-9)


@pytest.mark.parametrize("vectors", [False, True])
def test_threads_change_nothing(vectors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from parlour.solve import solver as module

    monkeypatch.setattr(module, "MANY", 0)
    tree = grow(parlour.load("leduc"), vectors=vectors)
    stored = [*vars(tree.payoffs).values()] if isinstance(tree.payoffs, BlockMatrix) else [*tree.payoffs]
    for trusted in (*vars(tree.players[0]).values(), *stored, *tree.rows, *tree.columns):
        with pytest.raises(ValueError, match="read-only"):
            trusted[:1] = 0
    one, two = Solver(tree, threads=1), Solver(tree, threads=2)
    assert (one.threads, two.threads) == (1, 2)
    for solver in (one, two):
        solver.iterate(20)
    assert one.check().lower == two.check().lower


def test_a_player_is_averaged_over_seeds() -> None:
    class Coin:
        """One action for each seed."""

        def __init__(self, seed: int) -> None:
            self.seed = seed

        def choose(self, view: Any, legal: Any) -> int:
            return int(legal[self.seed % len(legal)])

    measured = exploit(form("kuhn"), Coin, seeds=4)
    even = exploit(form("kuhn"), lambda seed: make("random", small("kuhn"), seed))
    assert measured.exploitability == pytest.approx(even.exploitability)
    assert exploit(form("kuhn"), Coin, seeds=1).exploitability > 0.4
    table = policy_of(form("kuhn"), make("random", small("kuhn")))
    assert (exploit(form("kuhn"), table).hands, exploit(form("kuhn"), table).asked) == (even.hands, 0)
    for ask, sentence in (
        (lambda: exploit(form("kuhn"), "random"), "'random' makes no player of a seed: give lambda seed: parlour"),  # type: ignore[arg-type]
        (lambda: exploit(form("kuhn"), Coin(1)), "makes no player of a seed: give lambda seed: parlour.players.make"),  # type: ignore[arg-type]
        (lambda: policy_of(form("kuhn"), Coin), r"Coin is no player: parlour.players.make\(…, form.game\) makes one"),  # type: ignore[arg-type]
        (lambda: policy_of(grow(small("kuhn")), Coin(1)), r"without positions: grow\(game, positions=True\) keeps"),
    ):
        with pytest.raises(ParlourError, match=sentence):
            ask()


DEALERS = {**ONE_FURTHER, "version": "dealers"}
GATE = tomllib.loads((Path(__file__).parents[1] / "exploitability.toml").read_text("utf-8"))["deal"]


def test_every_player_that_can_be_measured_is_at_the_gate() -> None:
    measured, shipped = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for deal in GATE:
        measured[deal["game"].partition("-")[0]] |= {one["player"].partition(":")[0] for one in deal["players"]}
        shipped[deal["game"].partition("-")[0]] |= {*kinds(parlour.load(deal["game"], 2, **deal.get("options", {})))}
    assert measured == shipped


@pytest.mark.long
@pytest.mark.parametrize("deal", GATE, ids=lambda deal: "-".join([deal["game"], *deal.get("after", [])]))
def test_no_player_has_grown_worse(deal: dict[str, Any]) -> None:
    what = parlour.load(deal["game"], 2, **deal.get("options", {}))
    tree = grow(what, positions=True, after=deal.get("after", []), reduced=deal.get("reduced", False))
    for one in deal["players"]:
        found_ = exploit(tree, lambda seed, one=one: make(one["player"], what, seed), seeds=one.get("seeds", 4))  # type: ignore[misc]
        assert found_.exploitability <= one["exploitability"] + one["margin"], one["player"]


@pytest.mark.long
def test_diamondback_is_worth_what_the_page_says() -> None:
    """``docs/results/diamondback.md``"""
    standard = Solver(grow(parlour.load("diamondback", 2, **ONE_FURTHER))).run(target=1e-5)
    assert standard.lower <= 0 <= standard.upper
    dealers = Solver(grow(parlour.load("diamondback", 2, **DEALERS), after=["ante 10"])).run(target=5e-4)
    assert 2.5160 <= dealers.lower <= dealers.upper <= 2.5176


SIX = {**ONE_DEAL, "start_coins": 4, "wager_limit": 2, "max_second_wagers": 2}


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("leduc", {}),
        ("diamondback", {**SIX, "version": "dealers"}),
        pytest.param("kuhn", {}, marks=pytest.mark.long),
        pytest.param("diamondback", SIX, marks=pytest.mark.long),
        pytest.param("diamondback", {**SIX, "exposure": "all_together"}, marks=pytest.mark.long),
        pytest.param("diamondback", {**SIX, "version": "match", "match_unit": "within_hand"}, marks=pytest.mark.long),
    ],
)
def test_class_by_class_it_is_the_same_game(game: str, options: dict[str, Any]) -> None:
    what = parlour.load(game, 2, **options)
    plain, vectors = (grow(what, vectors=v, positions=True) for v in (False, True))
    assert isinstance(vectors.payoffs, BlockMatrix)
    assert (vectors.nodes, vectors.ends, vectors.deepest) == (plain.nodes, plain.ends, plain.deepest)
    assert vectors.constant == plain.constant
    same: list[Any] = []  # for each sequence of the plain form, that of the other
    for p, (mine, theirs) in enumerate(zip(plain.players, vectors.players, strict=True)):
        assert sorted(mine.key.tolist()) == sorted(theirs.key.tolist())
        at = {key: i for i, key in enumerate(theirs.key.tolist())}
        to = np.zeros(mine.sequences, int)
        for i, key in enumerate(mine.key.tolist()):
            j = at[key]
            assert mine.glance[i] == theirs.glance[j]
            assert to[mine.parent[i]] == theirs.parent[j]
            own = mine.first[i] + np.arange(mine.count[i])
            to[own] = theirs.first[j] + np.arange(theirs.count[j])
            assert mine.deed[own].tolist() == theirs.deed[to[own]].tolist()
            assert view(what, plain.position(p, i), p).items == view(what, vectors.position(p, j), p).items
        same.append(to)
    payoffs = [
        csr_array((f.rows[2], f.rows[1], f.rows[0]), tuple(t.sequences for t in f.players)) for f in (plain, vectors)
    ]
    assert abs(payoffs[0] - payoffs[1][same[0]][:, same[1]]).max() < 1e-12
    solver, other = Solver(plain), Solver(vectors)
    solver.run(target=1e-2)
    plans_ = [solver.average(p) for p in range(2)]
    turned = [np.zeros_like(plan) for plan in plans_]
    for p in range(2):
        turned[p][same[p]] = plans_[p]
    assert other.bracket((turned[0], turned[1])) == pytest.approx(solver.bracket((plans_[0], plans_[1])), abs=1e-12)


def test_vectors_are_used_where_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not isinstance(form("leduc").payoffs, BlockMatrix), "a small tree"
    monkeypatch.setattr(forms, "LARGE", 100)
    assert isinstance(grow(parlour.load("leduc")).payoffs, BlockMatrix)
    monkeypatch.setattr(forms, "WORTH", 1000)
    monkeypatch.setattr(forms, "STRIDE", {"compiled": 100})
    told: list[int] = []
    plain = grow(parlour.load("leduc"), progress=lambda nodes, thought: told.append(nodes))
    assert not isinstance(plain.payoffs, BlockMatrix), "the blocks are small"
    assert told == sorted(told), "growing begins again, and progress does not"
    assert told[-1] == plain.nodes
    monkeypatch.setattr(forms, "CLASS", 8)
    with pytest.raises(ParlourError, match="has too many histories of one length"):
        grow(parlour.load("leduc"), vectors=True)


TIE = "King King Priest Priest wager5 match exposeKing exposeKing wager5 match stop"


def spelt(steps: list[str]) -> list[str]:
    """Names of steps from what has no spaces."""
    return [re.sub(r"^(dig|wager|expose)(?=\w)", r"\1 ", step) for step in steps]


@pytest.mark.parametrize(
    ("options", "after"),
    [
        ({"start_coins": 4, "dealer_fold": "no"}, []),
        ({"start_coins": 7, "first_dealer": 1, "hands": 2, "deals": 2}, TIE.replace("wager5", "wager2").split()),
        *(
            pytest.param(options, [*after], marks=pytest.mark.long)
            for options, *after in (
                ({"start_coins": 4, "dealer_fold": "no", "min_second_wagers": 2},),
                ({"start_coins": 7, "version": "dealers", "wager_limit": 3, "min_second_wagers": 2},),
                ({"start_coins": 14, "version": "dealers", "wager_limit": 2, "dealer_tops_up": "yes"}, "ante 2"),
                ({"start_coins": 4, "version": "match", "dealer_fold": "no", "exposure": "all_together"},),
            )
        ),
    ],
    ids=str,
)
def test_what_is_left_out_changes_no_value_by_linear_programming(options: dict[str, Any], after: list[str]) -> None:
    game, steps = parlour.load("diamondback", 2, **{**ONE_DEAL, **options}), spelt(after)
    whole, reduced = (grow(game, reduced=r, vectors=False, after=steps) for r in (False, True))
    assert reduced.information_sets < whole.information_sets
    assert linear_program(whole) == pytest.approx(linear_program(reduced), abs=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"max_second_wagers": 2},
        {"short_stack": "fold"},
        {"version": "match", "match_unit": "within_hand", "start_coins": 3},
    ],
)
def test_nothing_is_left_out_where_the_proof_does_not_hold(options: dict[str, Any]) -> None:
    game = parlour.load("diamondback", 2, **{**ONE_DEAL, "wager_limit": 3, "start_coins": 4, **options})
    assert grow(game, reduced=True, binding="compiled").nodes == grow(game).nodes


@pytest.mark.long
def test_a_reduced_solution_is_certified_and_remembers_what_it_is(tmp_path: Path, says: Says) -> None:
    options, file = "-o first_dealer=0 -o start_coins=4 -o wager_limit=2", tmp_path / "x"
    assert says(f"solve diamondback {options} --reduced --target 1e-3 --out {file} -q")[0] == 0
    assert read(file).about["reduced"] is True
    assert "That is what the file itself says." in says(f"certify {file}")[1]
    assert says(f"solve --resume {file} --target 1e-4 -q")[0] == 0
    with pytest.raises(ParlourError, match="only against a dealer who wagers as it does itself"):
        make(f"solved:{file}", read(file).game)
    assert "does not say which actions nobody needs" in says("solve kuhn --reduced")[2]


@pytest.mark.parametrize(
    ("game", "players", "options", "sentence"),
    [
        ("diamonds", 3, {}, "Solving is for two players; this is Diamonds for 3."),
        ("diamonds", 2, {}, "One deal of Diamonds under these options has about "),
        ("diamondback", 2, ONE_DEAL, "One deal of Diamondback under these options has about "),
        ("diamondback", 2, {**SMALL_DIAMONDBACK, "first_dealer": "draw"}, COMES_BACK),
    ],
)
def test_what_is_too_large_is_refused_in_words(game: str, players: int, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParlourError) as refused:
        grow(parlour.load(game, players, **options), binding="interpreted")
    assert str(refused.value).startswith(sentence)
    with pytest.raises(forms.TooLarge, match=r"need 0\.0\d*[1-9]\d* GiB in all; 0.001 GiB are allowed \(--memory\)"):
        grow(parlour.load("diamondback", **ONE_FURTHER), memory=0.001)


def test_a_game_that_is_not_zero_sum_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from parlour.games.kuhn import rules

    def returns(s: Any, out: list[float]) -> None:
        lost = 1 - rules.winner(s)
        out[lost] = -float(s.paid[lost])
        out[1 - lost] = float(s.paid[lost]) + (s.paid[lost] > 1)

    code = growing.KERNEL.interpreted(parlour.load("kuhn").definition)
    monkeypatch.setattr(code.grow.__globals__["rules"], "deal_returns", returns)
    with pytest.raises(ParlourError, match="is not zero-sum: the players' returns add up to 0 in one ending and to 1 "):
        grow(parlour.load("kuhn"), binding="interpreted")


def test_a_player_who_forgets_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    code = growing.KERNEL.interpreted(parlour.load("leduc").definition)
    step = code.step_remembered
    start = code.start_memory

    def forgetful(s: Any, memory: Any, who: int, a: int, on: bool) -> None:
        step(s, memory, who, a, on)
        start(s, memory)

    monkeypatch.setitem(code.grow.__globals__, "step_remembered", forgetful)
    monkeypatch.setattr(parlour.load("leduc").definition.rules, "show", lambda s, to: None)
    monkeypatch.setitem(code.grow.__globals__, "glance_open", lambda s, scratch: 0)
    with pytest.raises(ParlourError, match=r"(forget what they did|tell apart by what is legal)"):
        grow(parlour.load("leduc"), binding="interpreted")


def made_form(payoffs: list[list[float]]) -> SequenceForm:
    """A game without chance: each player chooses once, without seeing the other's choice."""

    def chooser(n: int) -> Treeplex:
        one = np.ones(1, np.uint64)
        before, count, after = (np.array([number], np.int32) for number in (1, n, 0))
        return Treeplex(one, one, before, count, after, np.arange(-1, n).astype(np.int16))

    matrix = np.pad(np.array(payoffs), ((1, 0), (1, 0)))
    rows, columns = np.nonzero(matrix)
    start = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype(np.int64)
    sparse = start, columns.astype(np.int32), matrix[rows, columns]
    players = chooser(len(payoffs)), chooser(len(payoffs[0]))
    return SequenceForm(parlour.load("kuhn"), players, sparse, 0.0, 9, 4, 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("payoffs", "value"),
    [
        ([[0.0, 0.0], [0.0, 0.0]], 0.0),  # nothing matters
        ([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]], 0.3),  # equal, except for a rounding
        ([[2.0]], 2.0),  # nobody has a choice
        ([[1.0, -1.0]], -1.0),  # only one has
        ([[1.0], [-1.0]], 1.0),
        ([[1.0, -1.0], [-1.0, 1.0], [-9.0, -9.0]], 0.0),  # an action that is never taken
    ],
)
def test_ties_and_players_without_a_choice(method: str, payoffs: list[list[float]], value: float) -> None:
    last = Solver(made_form(payoffs), method).run(target=1e-6)
    assert last.exploitability <= 1e-6
    assert (last.lower, last.upper) == pytest.approx((value, value), abs=2e-6)


def test_information_sets_that_nobody_comes_to_change_nothing() -> None:
    """A player is not asked there, and a plan that never comes there is even there."""
    tree = form("kuhn")

    class Bets:
        """Always bets, so in seat 0 it never has to answer a bet."""

        asked = 0

        def choose(self, view: Any, legal: Any) -> int:
            Bets.asked += 1
            return int(legal[-1])

    assert exploit(tree, lambda seed: Bets(), seeds=1).asked == Bets.asked == tree.information_sets - 3
    ours = tree.players[0]
    never = np.zeros(ours.sequences)
    never[0] = 1
    for i in range(ours.sets):
        never[ours.first[i] + ours.count[i] - 1] = never[ours.parent[i]]  # always the last action
    chances = ours.chances(never)
    lost = [i for i in range(ours.sets) if never[ours.parent[i]] == 0]
    assert len(lost) == 3
    assert all((chances[ours.first[i] : ours.first[i] + ours.count[i]] == 1 / ours.count[i]).all() for i in lost)


def test_a_match_of_many_deals_is_solved_by_deal_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = says("solve diamondback -o first_dealer=0 -o start_coins=1 -o wager_limit=1 --target 0.1")
    assert (code, err) == (0, "A match is solved by deal: this is one deal (deals=1).\n")
    assert "one deal." in out
    assert read(tmp_path / "diamondback.solved").game.options["deals"] == "1"


def test_solve_prints_exactly_what_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    monkeypatch.chdir(tmp_path)

    def here(words: str) -> str:
        code, out, err = says(words)
        assert (code, err) == (0, "")
        return out

    said = json.loads(here("solve leduc --target 0.01 --json --plot leduc.svg"))
    assert said.pop("file") == "leduc.solved"
    sizes = ["information_sets", "nodes"]
    assert [*said] == ["game", "options", "value", "exploitability", "iterations", "seconds", *sizes]
    assert said["value"][0] < -0.0856 < said["value"][1]
    assert said["exploitability"] <= 0.01
    assert (tmp_path / "leduc.svg").read_text("utf-8").startswith("<svg")
    again = json.loads(here("certify leduc.solved --json"))
    assert [*again] == [*said, "claims_hold"]
    assert again["claims_hold"] is True
    assert again["value"] == pytest.approx(said["value"], abs=1e-6)
    shown = here("solve --show leduc.solved --rows 1")
    assert "Player 1: 1 of 468 information sets (--rows 0: all)" in shown
    assert shown.count("hand: ") == 2  # what the rows that are shown have in common isn't left out
    for words, sentence in (
        ("--resume leduc.solved --method cfr+", "--resume takes the game, the options and the method from its file"),
        ("kuhn --out leduc.solved", "leduc.solved already exists and does not hold a strategy for this deal of Kuhn"),
        ("leduc --after J1 --out leduc.solved", "leduc.solved already exists"),
    ):
        assert sentence in says(f"solve {words}")[2]
    hands = re.findall(r"hand: -, (\S)", here("solve --show leduc.solved --rows 0"))
    assert [*dict.fromkeys(hands)] == ["J", "Q", "K"]
    assert hands == sorted(hands, key="JQK".index)
    further = json.loads(here("solve --resume leduc.solved --target 0.005 --json"))
    assert further["iterations"] > said["iterations"]
    nothing = f"Nothing is added: leduc.solved has {further['iterations']} iterations already.\n"
    assert says("solve --resume leduc.solved --iterations 1")[::2] == (0, nothing)
    for named in ("", "", "--out leduc.solved"):  # what is there is better
        code, out, err = says(f"solve leduc --target 0.01 {named}")
        assert (code, "Strategy: leduc-2.solved\n" in out) == (0, True)
        assert err == "leduc.solved is kept: it holds a better strategy.\n"
    (tmp_path / "mine.solved").write_text("")
    assert "Strategy: mine.solved" in here("solve leduc --target 0.01 --out mine.solved")
    (tmp_path / "leduc.solved").rename(tmp_path / "mine.solved")
    (tmp_path / "mine-2.solved").write_text("notes")
    _, out, err = says("solve leduc --target 0.01 --out mine.solved")
    assert ("Strategy: mine-3.solved" in out, "mine-2.solved is kept: it holds something else." in err) == (True, True)
    assert json.loads(here("certify mine.solved --json"))["exploitability"] <= 0.005


def test_a_size_is_named_and_smaller_ones_are_if_a_tree_is_too_large(says: Says) -> None:
    assert says("exploit commit-8 --player random")[1].startswith("Commit (commit-8): random asked in")
    code, out, err = says("exploit commit-8 --player random --memory 0.00001")
    assert (code, out) == (2, "")
    assert "a smaller size (commit-6, commit-7, commit-8" in err
    assert "commit-full" not in err
    assert "mccfr" not in err
    assert "Or sample it: parlour solve --method mccfr" in says("solve commit-8 --memory 0.00001")[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("leduc --player search:2 --seeds 2", "Asking search:2 2 times (--seeds) in each of 936 sets."),
        ("leduc --player random", None),  # asked once, for its chances
        ("kuhn --player search:2 --quiet", None),
    ],
)
def test_a_long_command_says_what_it_does_without_a_terminal(
    words: str, said: str | None, says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.cli.common.progress.NOW_AND_THEN", 0)
    lines = says(f"exploit {words}")[2].splitlines()
    assert [line for line in lines if line.startswith("Asking")] == ([said] if said else [])
    told = [int(line.split()[1]) for line in lines if line.startswith("asked: ")]
    assert told == ([] if "--quiet" in words else [*range(936)])


@pytest.fixture
def heeding(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C is heard, also where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding")
def test_ctrl_c_saves_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    """And is not heard where a shell has its background ignore it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ProgressLine, "checked", lambda *_: signal.raise_signal(signal.SIGINT))
    code, said, _ = says("solve leduc --target 1e-99 --json")
    assert code == 130
    assert json.loads(said.splitlines()[-1])["iterations"] == read(tmp_path / "leduc.solved").about["iterations"] > 0
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    solver = Solver(form("kuhn"))
    solver.run(target=0, iterations=50, progress=lambda check: signal.raise_signal(signal.SIGINT))
    assert solver.iterations == 50


@pytest.mark.usefixtures("heeding")
@pytest.mark.parametrize("vectors", [False, True])
def test_ctrl_c_leaves_no_iteration_by_halves(vectors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever it comes, the solver is where that number of iterations leads."""
    from parlour.solve.kernels import regrets

    tree = grow(parlour.load("leduc"), vectors=vectors)
    one, other = Solver(tree), Solver(tree)
    name, code = "improve" if vectors else "iterate", regrets.KERNEL.functions
    whole, times = getattr(code, name), iter(range(1, 10**6))

    def disturbed(*arrays: Any) -> None:
        whole(*arrays)
        if next(times) == 7:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as planted:
        planted.setattr(code, name, disturbed)
        with pytest.raises(KeyboardInterrupt):
            one.run(target=1e-99)
    assert one.iterations > 0
    other.iterate(one.iterations)
    for mine, theirs in zip(one._state().values(), other._state().values(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "kuhn.solved"
    save(solved("kuhn"), file)
    with pytest.raises(ParlourError, match=r"kuhn.solved solves Kuhn poker; this is Leduc poker."):
        make(f"solved:{file}", parlour.load("leduc"))
    (tmp_path / "text").write_text("not a strategy")
    with pytest.raises(ParlourError, match="text is not a strategy file of Parlour"):
        read(tmp_path / "text")
    refused_when_damaged(file, lambda: read(file))
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(tmp_path / "new.solved", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content.replace(b'"format": 1', b'"format": 9'))
    with pytest.raises(ParlourError, match="has format 9; this Parlour reads format 1"):
        read(tmp_path / "new.solved")


def test_what_follows_a_step_is_solved_alone(tmp_path: Path) -> None:
    """The value with the best ante is the best of the values after each ante."""
    options = {**SMALL_DIAMONDBACK, "version": "dealers", "start_coins": 4, "wager_limit": 2}
    game = parlour.load("diamondback", 2, **options)
    whole = Solver(grow(game)).run(target=1e-5)
    after = [Solver(grow(game, after=[f"ante {n}"])).run(target=1e-5) for n in (1, 2)]
    assert max(c.lower for c in after) <= whole.upper + 1e-9
    assert max(c.upper for c in after) >= whole.lower - 1e-9
    solver = Solver(grow(game, after=["ante 2"]))
    last = solver.run(target=1e-3)
    save(found(solver), tmp_path / "x")
    again = read(tmp_path / "x")
    assert again.about["after"] == ["ante 2"]
    assert certified(again) == pytest.approx((last.lower, last.upper), abs=1e-6)


@pytest.mark.parametrize(
    ("game", "options", "after", "mistaken"),
    [
        ("kuhn", {}, "K Q", 1),  # player 0's card; player 1's own is known to player 1
        ("kuhn", {}, "K Q pass pass", None),  # both cards have been shown by now
        ("kuhn", {}, "K Q bet pass", 1),  # but not to one who has passed
        ("leduc", {}, "J1 Q1 call call", 1),
        ("leduc", {}, "J1 K1 call call J2 call call", None),
        ("diamondback", {}, "Queen King", None),  # cards drawn for the deal lie face up
        ("diamondback", {"first_dealer": 0}, "Queen", 0),
        ("diamondback", {"first_dealer": 1, "hands": 2, "deals": 2}, TIE, None),  # a tie: all cards have been shown
        ("diamondback", {"first_dealer": 1, "hands": 2, "deals": 2}, TIE.removesuffix(" match stop"), 1),
        ("diamonds", {"first_dealer": 0}, "dig4 C9", None),
        ("commit", {"first_dealer": 0}, "3c", 0),
    ],
)
def test_a_deal_begins_only_with_what_everybody_has_been_told(
    game: str, options: dict[str, Any], after: str, mistaken: int | None
) -> None:
    steps = spelt(after.split())
    if mistaken is None:
        assert [step.name for step in begun(parlour.load(game, 2, **options), steps).history] == steps
    else:
        with pytest.raises(ParlourError, match=f"Player {mistaken} can't tell "):
            begun(parlour.load(game, 2, **options), steps)


def test_sampling_comes_near(tmp_path: Path) -> None:
    sampler = Sampler(small("leduc"), seed=3)
    widths = []
    for iterations in (1000, 40_000):
        sampler.run(iterations=iterations)
        lower, upper = Solver(form("leduc")).bracket(plans(sampler.found({}), form("leduc")))
        assert lower < -0.0856 < upper
        widths.append((upper - lower) / 2)
    assert sampler.sets == 936
    assert widths[1] < widths[0] / 5
    assert widths[1] < 0.15
    estimate = sampler.estimate(20_000)
    assert estimate.low < estimate.mean < estimate.high
    assert estimate.unmet == 0
    assert sampler.cut == 0  # walks of Leduc poker are short


def test_sampling_depends_on_its_seed_alone() -> None:
    first, second, other = (Sampler(small("kuhn"), seed=seed) for seed in (1, 1, 2))
    first.run(iterations=500)
    second.run(iterations=200)
    second.run(iterations=500)
    other.run(iterations=500)
    sides = [sampler.found({}).players[0].chance for sampler in (first, second, other)]
    np.testing.assert_array_equal(sides[0], sides[1])
    assert not np.array_equal(sides[0], sides[2])


def test_both_bindings_sample_the_same() -> None:
    from parlour.engine.interpreted import KeyMatrix, Positions

    game = small("leduc")
    ours = Sampler(game, seed=5)
    ours.run(iterations=20)
    code, n, deep = sampling.KERNEL.interpreted(game.definition), game.action_count, 20
    S = Positions(game.definition, deep)
    S[0] = game.start()
    kinds = ("u8", "u8", "i1", "i8", "i4")
    tables: list[Any] = [np.zeros(8192, np.uint64), np.full(8192, -1), *(np.zeros(4096, k) for k in kinds)]
    tables += [np.zeros(24576, k) for k in ("i2", "f8", "f8")]
    walk = sampling.WalkArrays(
        S, [KeyMatrix(game.definition) for _ in range(deep)], [[0] * n for _ in range(deep)], [0.0, 0.0], [0],
        [0] * (deep - 1), [0] * (deep - 1), [0] * (deep - 1), [[0.0] * n for _ in range(deep)],
        [[0.0] * n for _ in range(deep)],
    )  # fmt: skip
    code.sample(walk, seed_word(5), 0, 20, sampling.InformationSets(*tables), [0, 0, 0])
    for mine, theirs in zip(ours._tables[2:], tables[2:], strict=True):
        np.testing.assert_allclose(mine[: len(theirs)], theirs[: len(mine)], atol=1e-12)


def test_a_large_tree_is_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    """Too large for the memory allowed: nothing bounds the value, and that is said."""
    monkeypatch.chdir(tmp_path)
    said = json.loads(says("solve leduc --method mccfr --iterations 200 --memory 0.0003 --json")[1])
    assert (said["value"], said["exploitability"], said["nodes"]) == (None, None, None)
    assert said["estimate"]["low"] < said["estimate"]["high"]
    assert read(tmp_path / "leduc.solved").about["method"] == "mccfr"


@pytest.mark.long
@pytest.mark.parametrize(("script", "words", "times"), [("decks", "commit 7", ()), ("diamonds", "100 4", (4, 5))])
def test_pages_of_results_say_what_their_scripts_print(script: str, words: str, times: tuple[int, ...]) -> None:
    """All columns but those that say how long it took; the page leaves some rows out."""
    file = Path(__file__).parents[2] / "docs" / "results" / f"{script}.py"
    ran = subprocess.run([sys.executable, file, *words.split()], capture_output=True, text=True, check=True)
    rows, page = (
        [[x for i, x in enumerate(line.split("|")) if i not in times] for line in re.findall(r".*\d.*", text)]
        for text in (ran.stdout, file.with_suffix(".md").read_text("utf-8"))
    )
    assert sum(row in page for row in rows) == 2, rows


@pytest.mark.long
def test_endings_of_smaller_decks_are_what_plain_expectimax_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """``diamonds.py``: the best against the best, without any of the shortcuts of the endings."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs" / "results")
    diamonds = importlib.import_module("diamonds")
    game = parlour.load("diamonds", 2, first_dealer=0)
    for ranks, gems, piles in diamonds.STEPS[:2]:
        start = diamonds.dealt(game, ranks, gems, piles)
        assert sum(start.height) == start.unseen.bit_count() == 3 * ranks + gems
        worths = diamonds.Endings(game, "interpreted").worths(start, 1 << 14, most=start.unseen.bit_count())
        chance, cards, choices = diamonds.Play(game, "best", "best").worth(start)
        assert chance == pytest.approx(float(1 + max(worths.values())) / 2, abs=1e-12)
        assert (cards, choices) == (pytest.approx(chance * (1 - chance), abs=1e-12), 0)
        _, cards, choices = diamonds.Play(game, "best", "random").worth(start)
        won, _ = diamonds.wins_of_the_best(game, start, "random")
        assert 0.5 <= won < diamonds.wins_of_the_best(game, start, "worst")[0] or ranks == 1
        assert choices > 0 or ranks == 1
