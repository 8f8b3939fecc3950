"""Round robins, and the benchmark: what they measure is what is true."""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import parlour
from parlour.adapters import gymnasium
from parlour.players import make
from parlour.solve.exploiting import exploit, policy_of
from parlour.solve.form import grow
from parlour.solve.policies import TablePolicy, read_policy, write_policy
from parlour.solve.solver import Solver
from parlour.solve.strategy import found, save
from parlour.solve.strategy import read as read_strategy
from parlour.solve.tables import FORMAT
from parlour.study import charts, scoring
from parlour.study.intervals import Estimate
from parlour.study.match import play, play_deals, summary
from parlour.study.populations import ELO, Population, _rated, alpha_rank, round_robin
from parlour.study.scoring import SETTINGS, score, scored, table
from tests.helpers import Says, parlour_says, there

KEY = "828f2664c8beb5b3"
"""An information set of Kuhn poker."""


def strengths(*odds: float, players: int = 2) -> list[list[Estimate | None]]:
    """The shares of players alone among others, as the model has them."""
    known = [[None if i == j else a / (a + (players - 1) * b) for j, b in enumerate(odds)] for i, a in enumerate(odds)]
    return [[None if x is None else Estimate(x, x - 0.01, x + 0.01) for x in row] for row in known]


@pytest.mark.parametrize("players", [2, 4])
def test_ratings_are_the_strengths_of_the_model(players: int) -> None:
    rated = _rated(strengths(1.0, 2.0, 10.0, players=players), players, 10**7)
    assert rated[2].mean - rated[0].mean == pytest.approx(400, abs=0.1)
    assert rated[1].mean - rated[0].mean == pytest.approx(ELO * math.log(2), abs=0.1)
    assert sum(one.mean for one in rated) == pytest.approx(0, abs=1e-9)
    assert all(one.low < one.mean < one.high for one in rated)


def test_whoever_always_wins_has_a_rating() -> None:
    rated = _rated([[None, Estimate(1.0, 1.0, 1.0)], [Estimate(0.0, 0.0, 0.0), None]], 2, 100)
    assert 400 < rated[0].mean - rated[1].mean < 2000
    assert math.isfinite(rated[0].high)


def test_a_round_robin_is_the_matches_of_all_pairs() -> None:
    game, kinds = parlour.load("diamonds", 3), ["random", "rule-of-thumb"]
    population = round_robin(game, kinds, 30, seed=3)
    alone = play(game, ["rule-of-thumb", "random", "random"], 30, seed=3).players[0]
    assert population.returns[1][0] == alone.returns
    assert population.shares[1][0] == alone.share
    two = round_robin(parlour.load("diamonds"), [*kinds, "search:5"], 20, seed=3)
    match = play(parlour.load("diamonds"), ["random", "search:5"], 20, seed=3)
    assert (two.returns[0][2], two.returns[2][0]) == tuple(one.returns for one in match.players)
    assert json.loads(json.dumps(two.as_data()))["returns"][0][0] is None
    with pytest.raises(parlour.ParlourError, match="of different kinds"):
        round_robin(game, ["random", "random"], 10)


def test_alpha_rank_needs_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    population = Population(parlour.load("kuhn"), ("a", "b"), 1, (), ((None, None), (None, None)), ())
    monkeypatch.setitem(sys.modules, "open_spiel.python.egt", None)
    with pytest.raises(parlour.ParlourError, match="adapters"):
        alpha_rank(population)


def test_the_command_rates(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = "match diamonds random rule-of-thumb search:5 --round-robin -n 20 -j 1"
    code, said, _ = parlour_says(words, monkeypatch, capsys)
    assert (code, "ratings" in said, "2 rule-of-thumb" in said, "\n3  " in said) == (0, True, True, True)
    told = json.loads(parlour_says(f"{words} --json", monkeypatch, capsys)[1])
    assert told["names"] == ["random", "rule-of-thumb", "search:5"]
    for wrong in ("--until-decided", "--out x"):
        assert parlour_says(f"{words} {wrong}", monkeypatch, capsys)[0] == 2


def test_random_loses_what_the_pages_say() -> None:
    """``docs/solve.md`` and ``docs/results/decks.md``."""
    for setting, worth in {"kuhn": 0.4583, "leduc": 2.3736, "commit-8": 0.9621}.items():
        one = there(score("random", setting))
        assert one.value == pytest.approx(worth, abs=5e-5)
        assert one.low == one.high == one.value


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """A folder with a strategy for Leduc poker and its policy, and their exploitability."""
    folder, solver = tmp_path_factory.mktemp("solved"), Solver(grow(parlour.load("leduc")), "cfr+")
    last = solver.run(target=0.0, iterations=50)
    save(found(solver), folder / "leduc.solved")
    write_policy(folder / "leduc.json", read_policy(folder / "leduc.solved"))
    return folder, last.exploitability


def test_a_policy_and_a_strategy_file_are_measured_by_their_tables(solved: tuple[Path, float]) -> None:
    folder, worth = solved
    policy = read_policy(folder / "leduc.solved")
    for file in ("leduc.solved", "leduc.json"):
        said: list[str] = []
        (one,) = scored([str(folder / file)], [*SETTINGS], progress=said.append)  # in its own game only
        assert said == [f"{folder / file}, leduc"]
        assert (one.player, one.setting) == (str(folder / file), "leduc")
        assert one.value == pytest.approx(worth, abs=1e-5)
    by_itself = there(score("cfr+:50", "leduc"))
    assert by_itself.value == worth
    form = grow(policy.game, positions=True)
    asked = there(score(policy_of(form, make(f"solved:{folder / 'leduc.solved'}", policy.game)), "leduc"))
    assert asked.value == pytest.approx(worth, abs=1e-5)
    nothing = there(score(TablePolicy(policy.game, [{}, {}]), "leduc"))
    assert nothing.value == pytest.approx(2.3736, abs=5e-5)  # plays evenly
    with pytest.raises(parlour.ParlourError, match=r"1 of 2 keys of this policy for seat 1 are unknown in leduc: 0+7"):
        score(TablePolicy(policy.game, [{}, {7: {0: 1.0}, **dict([*policy.tables[1].items()][:1])}]), "leduc")
    for file, told in ((str(folder / "leduc.json"), "is not measured in any"), ("nowhere.json", "There is no file")):
        with pytest.raises(parlour.ParlourError, match=told):
            scored([file], ["kuhn"])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "other"}, "holds no policy: its format is 'other', not 'parlour-policy 1'"),
        ({"made": None}, "holds no policy: made must be an object in curly brackets, not null."),
        ({"options": 3}, "holds no policy: options must be an object in curly brackets, not 3."),
        ({"policy": {}}, "holds no policy: policy must be a list in square brackets, not {}."),
        ({"optionz": {}}, "holds no policy: There is no field 'optionz'; did you mean 'options'? Choose from: "),
        ({"policy": [{"12": {"pass": 1}}, {}]}, "the key '12' is not 16 hexadecimal digits"),
        ({"policy": [{KEY: {"pass": "1"}}, {}]}, "'1' of pass at 828f2664c8beb5b3 is no number"),
        ({"policy": [3, {}]}, "holds no policy: policy[0] must be an object in curly brackets, not 3."),
        (
            {"policy": [{}, {KEY: 3}]},
            f'holds no policy: policy[1]["{KEY}"] must be an object in curly brackets, not 3.',
        ),
        ({"policy": [{}]}, "holds no policy: it needs a table for each of 2 seats, not 1"),
        ({"policy": [{KEY: {"no such": 1}}, {}]}, f"holds no policy: policy[0], {KEY}: There is no action 'no such'"),
        ({"policy": [{"00000000000000ff": {"bet": 1}}, {}]}, "1 of 1 keys of {file} for seat 0 are unknown in kuhn: "),
        ({"policy": [{KEY: {"pass": 0}}, {}]}, f"The weights of {{file}} at {KEY} are not 0 or more, with one above"),
        ({"game": "kuhnn"}, "holds no policy: There is no game 'kuhnn'; did you mean"),
        ({"game": None}, "holds no policy: None is not the name of a game."),
        ({"players": 3}, "holds no policy: Kuhn poker cannot be played by 3"),
        ({"options": {"players": 2}}, "holds no policy: There is no option 'players' of kuhn"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(change: dict[str, object], told: str, tmp_path: Path) -> None:
    about = {"format": FORMAT, "game": "kuhn", "players": 2, "options": {}, "made": {}, "policy": [{}, {}]}
    (tmp_path / "x.json").write_text(json.dumps({**about, **change}))
    with pytest.raises(parlour.ParlourError) as refused:
        read_strategy(tmp_path / "x.json")
    assert told.replace("{file}", str(tmp_path / "x.json")) in str(refused.value)
    assert str(tmp_path / "x.json") in str(refused.value)


def test_a_policy_file_plays_wherever_a_strategy_file_does(
    solved: tuple[Path, float], monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.chdir(solved[0])
    one, other = (play("leduc", [f"solved:leduc.{end}", "random"], 200).players[0] for end in ("solved", "json"))
    assert one.returns == other.returns
    env = gymnasium.vector("leduc", 16, seat=0, rivals=["solved:leduc.json"])
    env.reset(seed=1)
    assert "The file itself says nothing of its value" in says("certify leduc.json")[1]
    assert json.loads(says("certify leduc.json --json")[1])["claims_hold"] is None
    assert says("solve --show leduc.json")[0] == 0


class Mine:
    """A player that says this of its chances, and fails if it has nothing to say."""

    name = "Mine"

    def __init__(self, *given: Any) -> None:
        self.given = given

    def choose(self, view: parlour.View, legal: Sequence[int]) -> int:
        return legal[0]

    def chances(self, view: parlour.View, legal: Sequence[int]) -> Any:
        return self.given[0]


@pytest.mark.parametrize(
    "given",
    [{}, {0: math.nan, 1: 1.0}, {"pass": 0.5, "bet": 0.5}, {0: 0.5}, {0: -1.0, 1: 2.0}, {5: 1.0}, None, {0: {}}],
)
def test_what_are_no_probabilities_is_refused_wherever_they_are_asked(given: Any) -> None:
    game = parlour.load("kuhn")
    form = grow(game, positions=True)
    for ask in (
        lambda: exploit(form, lambda seed: Mine(given)),
        lambda: policy_of(form, Mine(given)),
        lambda: charts.strategy(Mine(given), {"first": game.new(seed=1)}, ""),
    ):
        with pytest.raises(parlour.ParlourError, match=r"Mine.chances returned .*, not probabilities.*\(0, 1\)"):
            ask()
    with pytest.raises(parlour.ParlourError, match="The player Mine failed in seat 0: IndexError: tuple index out of"):
        exploit(form, lambda seed: Mine())


@pytest.mark.parametrize("given", [{0: math.nan}, {"pass": 1.0}, {0: -1.0, 1: 2.0}, {0: 0.0}, {-1: 1.0}, {5: 1.0}])
def test_what_are_no_weights_is_not_written_and_makes_no_plans(given: Any, tmp_path: Path) -> None:
    form = grow(game := parlour.load("kuhn"))
    with pytest.raises(parlour.ParlourError, match=r"not 0 or more, .* of the legal actions alone"):
        TablePolicy(game, [{int(form.players[0].key[0]): given}, {}]).plans(form)
    if given != {0: 0.0}:
        with pytest.raises(parlour.ParlourError, match="weights of 0 or more"):
            write_policy(tmp_path / "x.json", TablePolicy(game, [{1: given}, {}]))
    assert not [*tmp_path.iterdir()]


def test_scores_are_kept_and_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, made = tmp_path / "scores.json", []
    first = scored(["random", "cfr+:5"], ["kuhn"], kept)
    monkeypatch.setattr(scoring, "score", lambda player, setting: made.append(player))
    told: list[str] = []
    assert scored(["random", "cfr+:5"], ["kuhn"], kept, told.append) == first
    assert told == ["random, kuhn: kept from before", "cfr+:5, kuhn: kept from before"]
    assert json.loads(kept.read_text())["parlour"] == parlour.__version__
    with pytest.raises(parlour.ParlourError, match="no kind of player 'randm'"):
        scored(["search:5", "randm"], ["kuhn"])
    assert made == []
    assert table(first)[0] == "| exploitability | `kuhn` |"
    kept.write_text('{"benchmark": 0}')
    with pytest.raises(parlour.ParlourError, match="does not hold scores"):
        scored(["random"], ["kuhn"], kept)


BOT = """
class Mine:
    def choose(self, view, legal):
        if view.game.id == {fails!r}: raise KeyError("hole cards")
        return legal[{n}]
"""


def kept_as(folder: Path) -> dict[str, float]:
    return {one["player"]: one["value"] for one in json.loads((folder / "s.json").read_text())["scores"]}


def test_a_score_is_that_of_the_player_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.chdir(tmp_path)
    for run, weights in (("run1", {"pass": 1}), ("run2", {"bet": 1})):
        about = {"format": FORMAT, "game": "kuhn", "players": 2, "options": {}, "policy": [{KEY: weights}, {}]}
        (tmp_path / run).mkdir()
        (tmp_path / run / "policy.json").write_text(json.dumps(about))
    files = "run1/policy.json run2/policy.json"
    assert says(f"score {files} --setting kuhn --out s.json")[0] == 0
    both = kept_as(tmp_path)
    assert [*both] == files.split()
    assert both["run1/policy.json"] != both["run2/policy.json"]
    (tmp_path / "run2" / "policy.json").write_text((tmp_path / "run1" / "policy.json").read_text())
    _, out, told = says(f"score {files} --setting kuhn --out s.json")
    assert "run1/policy.json, kuhn: kept from before" in told
    assert "run2/policy.json, kuhn: again" in told
    assert len(set(kept_as(tmp_path).values())) == 1

    def bot(n: int, fails: str = "") -> tuple[int, str, str]:
        for name in ("score_bot", "score_bot.Mine"):
            sys.modules.pop(name, None)
        (tmp_path / "score_bot.py").write_text(BOT.format(n=n, fails=fails) + "#" * n)
        importlib.invalidate_caches()
        return says("score score_bot.Mine --setting kuhn --setting leduc --out s.json")

    assert bot(0)[0] == 0
    first = kept_as(tmp_path)["score_bot.Mine"]
    assert bot(-1)[0] == 0
    assert kept_as(tmp_path)["score_bot.Mine"] != first
    code, out, told = bot(0, fails="leduc")
    assert (code, "KeyError: 'hole cards'" in told, "leduc" in out) == (1, True, False)
    code, out, told = says("score score_bot.Mine random --setting leduc")
    assert (code, told.count("hole cards"), "random" in out) == (1, 1, True)
    (line,) = [line for line in told.splitlines(True) if "hole" in line]
    assert says("score score_bot.Mine --setting leduc -q") == (1, "", line)


def test_scores_that_cannot_be_kept_are_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.setattr(scoring, "score", lambda player, setting: pytest.fail("it was measured"))
    code, out, told = says(f"score random --setting kuhn --out {tmp_path / 'nowhere' / 's.json'}")
    assert (code, out) == (2, "")
    assert "cannot be written" in told


def test_policies_whose_names_end_with_numbers_have_a_row_each() -> None:
    one = there(score("random", "kuhn"))
    scores = [one._replace(player=f"mine-{number}.json", value=value) for number, value in ((1, 0.2), (12, 0.1))]
    assert table(scores)[2:] == ["| `mine-1.json` | 0.2000 |", "| `mine-12.json` | 0.1000 |"]


def test_what_a_player_wins_is_what_a_match_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cheap players play long; of others luck is taken out, beside those and by a value network."""
    where = SETTINGS["diamonds-full"]._replace(game="diamonds", games=120)  # whose code need not be made
    monkeypatch.setattr(scoring, "SETTINGS", {**SETTINGS, "diamonds-full": where})
    monkeypatch.setattr(scoring, "LONG", 1800)
    game = parlour.load("diamonds")
    one = there(score("random", "diamonds-full"))
    assert (one.measure, one.budget) == ("returns", "1,800 games")
    assert -1 < one.low < one.value < one.high < 0
    others = summary(game, ["", ""], play_deals(game, ["random", "rule-of-thumb"], scoring.SEED, range(60, 960)))
    assert one.value == others.players[0].returns.mean
    searched = there(score("search:5", "diamonds-full"))
    plain = play(game, ["search:5", "rule-of-thumb"], 120, scoring.SEED).players[0]
    assert searched.budget == "120 games"
    assert searched.as_played == pytest.approx(plain.returns.half)
    assert searched.asked == pytest.approx(120 * plain.moves)
    assert searched.high - searched.value < 0.7 * plain.returns.half
    assert abs(searched.value - plain.returns.mean) < 2 * plain.returns.half
    monkeypatch.setattr(scoring, "MOST_ASKED", 11)
    assert score("search:5", "kuhn") is None  # it would be asked too often: in 12 sets


def test_matches_of_the_benchmark_are_of_whole_deals() -> None:
    for where in SETTINGS.values():
        assert where.games % where.players == scoring.LONG % where.players == 0


def test_a_learned_answer_wins_no_more_than_the_best(tmp_path: Path) -> None:
    kept = tmp_path / "scores.json"
    exact = scored(["random"], ["commit-8"], kept)[0]
    one = scored(["random"], ["commit-8"], kept, answer=5000)[1]
    assert 0.4 < one.low < one.value < exact.value
    assert (one.measure, one.budget) == ("answer", "5,000 games of learning")
    assert len(scored(["random"], ["commit-8"], kept, answer=5000)) == 2
    with pytest.raises(parlour.ParlourError, match="Learners play against"):
        scored(["search:5"], ["commit-8"], kept, answer=5000)


def test_the_command_scores(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = parlour_says("score random --setting kuhn", monkeypatch, capsys)
    assert (code, said.splitlines()[-1]) == (0, "| `random` | 0.4583 |")
    for wrong, told in {
        "randm random serch --setting kuhn": "mccfr:N, solved:FILE. There is no kind of player 'serch'",
        "random --setting kuh": "There is no setting 'kuh'",
        "cfr+:x --setting kuhn": "how many iterations",
        "mccfr:0 --setting kuhn": "how many iterations",
        "rule-of-thumb --setting kuhn": "rule",
    }.items():
        code, _, why = parlour_says(f"score {wrong}", monkeypatch, capsys)
        assert (code, told in why) == (2, True), why
