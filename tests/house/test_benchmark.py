"""``make benchmark``: what is missing is made, what is there is not; whatever stops it, the page has what there is.

And the bench beside other libraries.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

import parlour
from parlour.players import make
from parlour.solve.exploiting import policy_of
from parlour.solve.form import grow
from parlour.solve.policies import TablePolicy, write_policy
from parlour.study import scoring
from tests.helpers import there
from tools import benchmark
from tools.peers.__main__ import main
from tools.peers.libraries import PEERS, WHOLE, Peer
from tools.peers.page import markdown


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a page that has no table yet, for a small benchmark; one policy has been learned."""
    (tmp_path / "images").mkdir()
    (tmp_path / "benchmark.md").write_text(f"Before.\n\n{benchmark.BEGIN}{benchmark.END}\nBehind.\n")
    for name, value in {
        "SETTINGS": {name: scoring.SETTINGS[name] for name in ("kuhn", "commit-8")},
        "PLAYERS": ("random", "cfr+:10"),
        "ANSWERED": {"random": ["commit-8"]},
        "GAMES": 2000,
        "LEARNERS": ("ppo-1", "mmd-1"),
        "LEARNED": ("kuhn",),
        "MARKS": {"cfr+": (1, 10), "mccfr": (10, 100)},
        "LARGE": "commit-8",
        "LARGE_GAMES": 400,
        "find_spec": lambda name: None,  # no PyTorch
    }.items():
        monkeypatch.setattr(benchmark, name, value)
    game = parlour.load("kuhn")
    learned = policy_of(grow(game, positions=True), make("random", game))
    (tmp_path / "build" / "kuhn").mkdir(parents=True)
    made = {"decisions": 20, "exploitability": {"10": 0.5, "20": 0.45833333}}
    write_policy(tmp_path / "build" / "kuhn" / "ppo-1.json", TablePolicy(game, learned.tables, made))
    return tmp_path


def test_it_goes_on_where_it_was_stopped(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, real, asked, stop = docs / "benchmark.md", scoring.score, list[tuple[object, str]](), ["cfr+:10"]

    def measured(player: str | TablePolicy, setting: str) -> scoring.BenchmarkScore | None:
        if player in stop:
            raise KeyboardInterrupt
        asked.append((player, setting))
        return real(player, setting)

    monkeypatch.setattr(scoring, "score", measured)
    assert benchmark.main(docs, docs / "build") == 130
    out, err = capsys.readouterr()
    assert "The same command goes on" in err
    assert "| `random` | 0.4583 | 0.9621 |" in out
    assert "mmd-1.json is left out: PyTorch is missing" in out
    text = page.read_text()
    assert text.startswith("Before.\n\n")
    assert text.endswith("\nBehind.\n")
    assert "| `random` | 0.4583 | 0.9621 |" in text
    assert "| `ppo-*.json` | 0.4583 | — |" in text
    assert "cfr+" not in text
    before = len(asked)
    shutil.rmtree(docs / "build")  # whose results are kept

    stop.clear()
    assert benchmark.main(docs, docs / "build") == 0
    assert "ppo-1.json is left out" not in capsys.readouterr().out
    assert set(asked[before:]) == {("cfr+:10", "kuhn"), ("cfr+:10", "commit-8")}
    text = page.read_text()
    assert "| `cfr+:10` | 0.0327 | 0.0187 |" in text
    assert "| answer | `commit-8` |" in text
    curves = json.loads((docs / "curves.json").read_text())
    assert curves["ppo-1"] == {"kuhn": {"10": 0.5, "20": 0.4583}}
    assert curves["cfr+"]["kuhn"] == pytest.approx({"1": 0.4583, "10": 0.03269})
    assert curves["mccfr"].keys() == {"kuhn", "commit-8"}
    assert [*map(int, curves["learned"]["commit-8"])][-1] >= 400
    for name, curve in (("solvers", "commit-8"), ("learners", "PPO")):
        assert curve in (docs / "images" / f"{name}.svg").read_text()

    page.write_text(text.replace("Written on 20", "Written on 19"))
    assert benchmark.main(docs, docs / "build") == 0
    assert "Written on 19" in page.read_text()  # nothing is new
    assert len(asked) == before + 2


def test_of_several_seeds_the_worst_is_told() -> None:
    one = there(scoring.score("random", "kuhn"))
    seeds = [one._replace(player=f"mine-{seed}.json", value=value) for seed, value in ((1, 0.2), (2, 0.3), (12, 0.1))]
    assert benchmark.worst_of_seeds([*seeds, one]) == [one._replace(player="mine-*.json", value=0.3), one]


def test_the_page_has_the_table_of_the_file() -> None:
    page = Path("docs/benchmark.md").read_text("utf-8")
    kept = scoring.scored([], [*scoring.SETTINGS], Path("docs/benchmark.json"))
    assert "\n".join(scoring.table(benchmark.worst_of_seeds(kept))) in page
    for name, one in scoring.SETTINGS.items():
        measure = f"returns in {one.games:,} games against the panel" if one.games else "exploitability"
        assert f"| `{name}` | {one.players} | {measure} |" in page


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_a_peer_that_counts_as_installed_plays(peer: Peer) -> None:
    """PettingZoo is there for the adapters, but its card games need more: that must not end a bench after minutes."""
    for name in peer.games.values() if peer.version() else ():
        for driver in (peer.driver, *(one for mode, one in peer.more.items() if mode not in WHOLE)):
            assert driver(name)(20) >= 20


def test_peers_are_measured_in_the_same_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["peers", "leduc", "--quick", "--mode", "step"])
    main()
    out = capsys.readouterr().out
    engines = {line.split()[2] for line in out.splitlines() if line.startswith("leduc")}
    assert engines == {"parlour", *(p.name for p in PEERS if p.mode == "step" and "leduc" in p.games and p.version())}
    absent = {p.name for p in PEERS if not p.version()}
    assert {line.split()[0] for line in out.splitlines() if "is not installed" in line} == absent


def test_the_page_is_what_its_data_say_and_names_the_commit_that_was_measured() -> None:
    found = json.loads(Path("docs/bench.json").read_text("utf-8"))
    assert re.fullmatch("[0-9a-f]{8}", found["commit"]), "measured on sources that were never committed"
    assert Path("docs/bench.md").read_text("utf-8") == markdown(found), "python -m tools.peers --page docs/bench.json"
    assert f"Measured on {found['date'][:10]} at commit {found['commit']}: " in markdown(found)
