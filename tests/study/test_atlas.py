"""The atlas of house rules: which games are played, that it goes on where it was stopped, what it finds; the page."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from matplotlib.figure import Figure

from parlour import ParlourError
from parlour.engine.definition import definition
from parlour.engine.house_rules import sample_values
from parlour.study import atlas as study
from parlour.study import report
from parlour.study.atlas import Atlas, Cell, Effect, Trial, adjusted, apart, effects, probability, sizes, trials
from parlour.study.intervals import Estimate, difference
from parlour.study.report import page
from parlour.study.simulate import Measure, Survey, compare, simulate
from tests.helpers import Says, there

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings are tried out with a few games only."""
    monkeypatch.setattr(study, "PILOT", 1e-9)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Atlas:
    """An atlas of Diamonds: 1,000 games of the standard rules and of four values for two and for three players, and 300
    of matches of two games."""
    planned = apart(
        Trial("diamonds", players, (), option, values, "rule-of-thumb", games)
        for players in (2, 3)
        for option, values, games in (
            ("trade_leaves", ("on_pile", "debris"), 1000),
            ("stop_digging", ("after_joker", "never", "always"), 1000),
            ("switch_target", ("spade_holder", "anyone"), 1000),
            ("games", ("1", "2"), 300),
        )
    )
    made = Atlas.begin(tmp_path_factory.mktemp("atlas") / "small", planned)
    made.play(threads=1)
    return made


@pytest.mark.parametrize("name", ["diamonds", "diamondback", "diabolo"])
def test_every_value_of_every_option_is_played_with_every_number_of_players(name: str) -> None:
    what = definition(name)
    cells = Counter((one.players, one.fixed, one.option, value) for one in trials(name) for value in one.values[1:])
    assert {*cells.values()} == {1}
    found = {(players, option, value) for players, _, option, value in cells}
    for players in what.players:
        for option in what.options:
            for value in sample_values(what.options[option], players)[1:]:
                needed = what.options_for(players)
                if option in needed:
                    continue  # it has a value that this number of players needs
                allowed = what.allows(players, what.options_for(players, **{option: value}))
                assert ((players, option, value) in found) == allowed, (players, option, value)
    assert [one.cells for one in trials("kuhn")] == [(Cell("kuhn", 2, (), "random", 0),)], "a game without options"
    for trial in trials(name):
        standard, *others = trial.cells
        assert standard.load().options[trial.option] == str(what.options[trial.option].default)
        for cell in others:
            one, other = cell.load().options, standard.load().options
            assert {option for option in one if one[option] != other[option]} == {trial.option}


def test_an_option_is_tried_where_it_changes_something() -> None:
    for name in ("diamondback", "dividha", "hearts", "pope_joan"):
        what = definition(name)
        found = [*trials(name, numbers=[4])]
        assert all(what.options[one.option].applies(one.cells[0].load().options) for one in found)
        some = {option for option, about in what.options.items() if about.when}
        assert some <= {one.option for one in found}, name


def test_what_belongs_to_a_version_is_tried_with_it() -> None:
    found = {(one.fixed, one.option) for one in trials("diamondback", numbers=[3])}
    dealers, match = ("version", "dealers"), ("version", "match")
    assert {fixed for fixed, option in found if option == "ante_decline"} == {(dealers,)}
    assert {fixed for fixed, option in found if option == "max_second_wagers"} == {(), (dealers,), (match,)}
    assert {fixed for fixed, option in found if option == "version"} == {()}


def test_slow_settings_get_fewer_games() -> None:
    seconds = [0.0001, 0.0002, 0.001, 0.1]
    found = sizes(seconds, 1_000_000)
    assert sum(found) <= 1_000_000 < 4 * sum(found)
    assert found == sorted(found, reverse=True)
    assert sizes(seconds, 5000)[-1] == study.LEAST
    assert {str(n)[0] for n in found} <= {"1", "2", "5"}
    times = [n * each for n, each in zip(found[:3], seconds, strict=False)]
    assert max(times) <= 2.5 * min(times)


def test_no_two_trials_share_a_game(small: Atlas) -> None:
    for players in (2, 3):
        cells = [cell for trial in small.trials for cell in trial.cells if cell.players == players]
        seeds = [seed for cell in cells for seed in range(cell.seed, cell.seed + cell.games)]
        assert len(seeds) == len({*seeds}) == sum(cell.games for cell in cells) > 5000


def test_a_trial_is_played_again_by_its_command(small: Atlas, says: Says) -> None:
    trial = next(one for one in small.trials if one.option == "stop_digging" and one.players == 3)
    found = small.finished()
    code, out, err = says(f"{trial.command.removeprefix('parlour ')} --json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    for cell, setting in zip(trial.cells, data["settings"], strict=True):
        assert Survey.from_json(setting).sums == found[cell].sums
    for cell, less in zip(trial.cells[1:], data["differences"], strict=True):
        wanted = [
            {"measure": m.what, "of": m.of, **m.value.as_data()} for m in compare(found[cell], found[trial.cells[0]])
        ]
        assert less["measures"] == wanted
    for cell in trial.cells:
        data = json.loads(says(f"{cell.command.removeprefix('parlour ')} --json")[1])
        assert Survey.from_json(data["settings"][0]).sums == found[cell].sums


def test_it_goes_on_where_it_was_stopped(small: Atlas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Atlas(small.folder, [trial for trial in small.trials if trial.players == 2])
    again = Atlas.begin(tmp_path / "again", whole.trials)

    def stop(done: int) -> None:
        if done >= 2500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        again.play(threads=1, progress=stop)
    logbook = again.folder / study.LOGBOOK
    before = len(again.finished())
    assert 2 <= before < len(again.cells)
    with open(logbook, "a", encoding="utf-8") as file:
        file.write('{"cell": {"game": "dia')  # the machine stopped in the middle of a line
    opened = Atlas.open(again.folder)
    assert opened
    assert opened.trials == whole.trials
    played: list[Any] = []
    honest = simulate

    def counted(*args: Any, **more: Any) -> Any:
        played.append(args[0])
        return honest(*args, **more)

    monkeypatch.setattr(study, "simulate", counted)
    told: list[int] = []
    opened.play(threads=1, progress=told.append)
    assert len(played) == len(whole.cells) - before
    assert told == sorted(told)
    assert told[-1] == sum(cell.games for cell in whole.cells)
    found, wanted = opened.finished(), small.finished()
    assert {cell: one.sums for cell, one in found.items()} == {cell: wanted[cell].sums for cell in whole.cells}


def test_a_plan_of_other_rules_is_not_gone_on_with(small: Atlas, tmp_path: Path) -> None:
    other = Atlas.begin(tmp_path / "other", small.trials)
    file = other.folder / study.PLAN
    data = json.loads(file.read_text("utf-8"))
    data["version"]["diamonds"] += 1
    file.write_text(json.dumps(data), "utf-8")
    with pytest.raises(ParlourError, match=r"was begun with other rules or another Parlour; begin a new one\.$"):
        Atlas.open(other.folder)
    file.write_text("[]", "utf-8")
    with pytest.raises(ParlourError, match="is not the plan of an atlas"):
        Atlas.open(other.folder)
    assert Atlas.open(tmp_path / "none") is None
    with pytest.raises(ParlourError, match="is not an empty folder"):
        Atlas.begin(other.folder, small.trials)


def test_what_is_there_is_found_and_what_is_not_is_not(small: Atlas) -> None:
    found = study.all_effects(small, small.finished())["diamonds"]
    by = {(e.trial.players, e.cell.options, e.measure.what, e.measure.of): e for e in found}
    digs = by[3, (("trade_leaves", "debris"),), "per deal", "DM-24"]  # piles are turned up again and again
    assert digs.is_found
    assert digs.measure.value.low > 0
    longer = by[2, (("games", "2"),), "length", ""]
    assert longer.is_found
    assert longer.measure.value.mean == pytest.approx(23, abs=3)
    whom = [e for key, e in by.items() if key[1] == (("switch_target", "anyone"),)]
    assert len(whom) > 20
    assert sum(e.is_found for e in whom) < len(whom) / 4
    for e in found:
        assert (e.p < 0.05) == (not e.measure.value.low <= 0 <= e.measure.value.high)
        assert e.q >= e.p


def test_p_of_two_shares_is_nearly_fishers() -> None:
    from scipy.stats import fisher_exact

    from parlour.study.intervals import share_known

    for one, other in ((40, 60), (5, 15), (480, 520)):
        n = 1000
        shares = [share_known(n, k / n, k * (n - k) / n / (n - 1)) for k in (one, other)]
        exact = fisher_exact([[one, n - one], [other, n - other]]).pvalue
        assert probability(difference(*shares)) == pytest.approx(exact, rel=0.5, abs=0.005)


def test_false_discoveries_are_held_by_the_procedure_of_benjamini_and_hochberg() -> None:
    """Their own example (1995): of fifteen p-values four are discoveries at 5%."""
    ps = (0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528)
    trial = Trial("kuhn", 2, (), "", ("",), "random")
    some = [Effect(trial, trial.cells[0], Measure("length", "", Estimate(1, 0, 2)), p) for p in (*ps, 0.7590, 1.0)]
    found = adjusted(some)
    assert [e.is_found for e in found] == [True] * 4 + [False] * 11
    assert found[3].q == pytest.approx(0.0095 * 15 / 4)


def test_clauses_that_hardly_ever_fire_are_not_compared(small: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "FEW", 75)
    found = small.finished()
    trial = small.trials[0]
    standard, other = (found[cell] for cell in trial.cells)
    compared = {(e.measure.what, e.measure.of) for e in effects(trial, found) if e.measure.of.startswith("DM")}
    fired = {
        c.clause: [round(1000 * one.clause(c.clause).games.mean) for one in (standard, other)]
        for c in (*standard.clauses, *other.clauses)
    }
    wanted = {("per deal" if min(n) >= 75 else "games with", clause) for clause, n in fired.items() if max(n) >= 75}
    assert compared == wanted
    assert len(compared) < len(fired)
    assert {what for what, _ in compared} == {"per deal", "games with"}


def test_the_page_stands_by_itself(small: Atlas) -> None:
    text = page(small)
    assert not re.search(
        r"<(?:script|link|img|iframe)\b|@import|url\((?!#)|(?:src|href)=\"(?!#)(?!http://www\.w3)", text
    )
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len({*ids})
    assert {*re.findall(r'href="#([^"]+)"', text)} <= {*ids}
    assert "prefers-color-scheme: dark" in text
    assert "#010203" not in text
    for trial in small.trials:
        assert f"<code>{trial.command}</code>" in text
    assert f"<code>{small.cells[0].command}</code>" in text
    table = next(cell for cell in small.cells if not cell.options and cell.players == 3 and cell.games == 1000)
    survey = small.finished()[table]
    assert f">{survey.choices.mean:.2f}</td>" in text
    assert "Nothing was found to change" not in text
    nothing = Atlas(small.folder, [one for one in small.trials if one.option == "switch_target"])
    assert "Nothing was found to change under <code>switch_target</code>." in page(nothing)


def test_the_page_fits_a_phone_in_either_light(small: Atlas, browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "atlas.html"
    file.write_text(page(small), "utf-8")
    for scheme in ("light", "dark"):
        tab = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
        tab.goto(file.as_uri())
        tab.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        ink, paper = tab.evaluate(
            "[document.querySelector('svg text'), document.body].map((one) => getComputedStyle(one))"
            ".map((how, k) => (k ? how.backgroundColor : how.fill))"
        )
        light = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (ink, paper)]
        assert (light[0] < light[1] - 300) if scheme == "light" else (light[0] > light[1] + 300)
        tab.close()


def test_the_command_plays_writes_and_tells(tmp_path: Path, says: Says) -> None:
    folder = tmp_path / "made"
    code, out, err = says(f"atlas kuhn leduc --games 400 --out {folder} --json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    cells = there(Atlas.open(folder)).cells
    assert [(one["game"], one["games"]) for one in data["cells"]] == [(one.game, one.games) for one in cells]
    assert data["games"] == sum(cell["games"] for cell in data["cells"]) <= 400
    text = (folder / "atlas.html").read_text("utf-8")
    assert "Kuhn poker" in text
    assert "Leduc" in text
    (folder / "atlas.html").unlink()
    code, out, _ = says(f"atlas --report --out {folder}")
    assert (code, out) == (0, f"{folder / 'atlas.html'}: {data['games']:,} games in 2 settings.\n")
    assert (folder / "atlas.html").read_text("utf-8") == text
    err = says(f"atlas --games 9999 --out {folder}")[2]
    assert err == f"{folder} holds an atlas of {data['games']:,} games, which stands: --games changes nothing.\n"
    code, _, err = says(f"atlas diamonds --out {folder}")
    assert (code, err.count("\n")) == (2, 1)
    assert "holds an atlas of other games or players" in err


def test_a_map_names_the_numbers_of_players() -> None:
    axes = Figure().add_subplot()
    report._heat(axes, [{}], [2, 3], "length")
    assert ([one.get_text() for one in axes.get_xticklabels()], axes.get_xlabel()) == (["2", "3"], "players")
