"""The benchmark's table and its curves: ``make benchmark``.

Learners of ``docs/examples/baselines.py`` are trained into ``build/benchmark``, all baselines are scored into
``docs/benchmark.json``, curves are measured into ``docs/curves.json``, and from these ``docs/benchmark.md`` has its
table and the documents their pictures.  What is there is not made again: after Ctrl-C, which writes what there is, the
same command goes on.  Where a player has changed, remove its scores first.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import parlour
from parlour.base.disk import put
from parlour.solve.policies import read_policy
from parlour.study.plan import Plan
from parlour.study.scoring import SETTINGS, BenchmarkScore, score, scored, table
from parlour.study.training import Training

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PLAYERS = (
    *("random", "rule-of-thumb", "cfr+:10", "cfr+:100", "cfr+:1000", "learned", "search:200", "best:40"),
    *("mccfr:1000", "mccfr:100000", "mccfr:1000000", "unbeatable"),
)
ANSWERED = {"random": [*SETTINGS], "rule-of-thumb": [*SETTINGS], "learned": ["commit-full"]}
"""The players that are answered, and where: an answer to ``learned`` takes a quarter of an hour."""
GAMES = 100_000
"""The games in which an answer is learned."""
LEARNERS = tuple(f"{name}-{seed}" for seed in (1, 2, 3) for name in ("ppo", "mmd", "deep-cfr"))
LEARNED = "kuhn", "leduc"
MARKS = {"cfr+": (1, 3, 10, 30, 100, 300, 1000), "mccfr": (100, 1000, 10_000, 100_000, 1_000_000)}
"""The iterations after which the curves of solvers have a point."""
LARGE, LARGE_GAMES = "commit-full", 200_000
"""Where a learner of a large game has its curve, and how many games it learns in."""
BEGIN, END = "<!-- begin: written by `make benchmark` -->\n", "<!-- end -->\n"

Curves = dict[str, dict[str, dict[str, float]]]
"""By player and setting: what is measured (exploitability; returns in large games), by iterations, decisions or games
before it."""


def benchmark(docs: Path, build: Path) -> Iterator[str]:
    """Make what is missing, and say before each part what it is."""
    scores, curves = docs / "benchmark.json", docs / "curves.json"
    known, drawn = scored([], [*SETTINGS], scores), _kept(curves)
    for game in LEARNED:
        for name in LEARNERS:
            file = build / game / f"{name}.json"
            if game in drawn.get(name, {}) and any((one.player, one.setting) == (file.name, game) for one in known):
                continue
            if not file.exists():
                if find_spec("torch") is None:
                    yield f"{file} is left out: PyTorch is missing (the extra `training`)."
                    continue
                yield f"learning {file}"
                subprocess.run([sys.executable, DOCS / "examples" / "baselines.py", file], check=True)
            scored([str(file)], [game], scores, called={str(file): file.name})
            _keep(curves, name, game, read_policy(file).made["exploitability"])
    for setting, one in SETTINGS.items():
        for name, marks in MARKS.items() if not one.games else ():
            if setting not in _kept(curves).get(name, {}):
                yield f"the curve of {name}, {setting}"
                found = {mark: score(f"{name}:{mark}", setting) for mark in marks}
                _keep(curves, name, setting, {str(mark): it.value for mark, it in found.items() if it})
    if LARGE not in _kept(curves).get("learned", {}):
        yield f"the curve of learned, {LARGE}"
        training = Training(Plan(parlour.load(LARGE, SETTINGS[LARGE].players), LARGE_GAMES), threads=1)
        training.go_on()
        _keep(curves, "learned", LARGE, {str(line["games"]): line["return"] for line in training.curve})
    for player in PLAYERS:
        yield f"scoring {player}"
        scored([player], [*SETTINGS], scores)
    for player, settings in ANSWERED.items():
        yield f"answers to {player}"
        scored([player], settings, scores, answer=GAMES)


def _kept(file: Path) -> Curves:
    found: Curves = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def _keep(file: Path, player: str, setting: str, curve: Mapping[str, float]) -> None:
    curves = _kept(file)
    curves.setdefault(player, {})[setting] = {mark: float(f"{value:.4g}") for mark, value in curve.items()}
    put(file, (json.dumps(curves, indent=1) + "\n").encode())


def worst_of_seeds(scores: list[BenchmarkScore]) -> list[BenchmarkScore]:
    """Scores of which those of ``NAME-1.json``, ``NAME-2.json`` … are one, the worst, called ``NAME-*.json``."""
    found: dict[tuple[str, str, str], BenchmarkScore] = {}
    for one in scores:
        one = one._replace(player=re.sub(r"-\d+(?=\.json$)", "-*", one.player))
        key = one.player, one.setting, one.measure
        found[key] = max(found.get(key, one), one, key=lambda each: each.value)
    return [*found.values()]


def write_page(page: Path, scores: list[BenchmarkScore]) -> None:
    """The table of the page, with the day and the commit if anything is new in it."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    old, _, after = rest.partition(END)
    lines = "\n".join(table(scores))
    if lines not in old:
        commit = subprocess.run(
            ["git", "log", "-1", "--format=%h"], cwd=ROOT, check=False, capture_output=True, text=True
        ).stdout.strip()
        stamp = f"Written on {time.strftime('%Y-%m-%d')} at commit {commit or 'unknown'}."
        put(page, f"{before}{BEGIN}\n{stamp}\n\n{lines}\n\n{END}{after}".encode())


def main(docs: Path = DOCS, build: Path = ROOT / "build" / "benchmark") -> int:
    """Make what is missing, and write the page; 130 after Ctrl-C."""
    stopped = False
    try:
        for part in benchmark(docs, build):
            print(part, flush=True)
    except KeyboardInterrupt:
        stopped = True
    scores = worst_of_seeds(scored([], [*SETTINGS], docs / "benchmark.json"))
    print("\n".join(table(scores)))
    write_page(docs / "benchmark.md", scores)
    if (docs / "curves.json").exists():
        subprocess.run([sys.executable, DOCS / "images" / "draw_learning.py", docs / "curves.json"], check=True)
    if stopped:
        print("Stopped. The same command goes on.", file=sys.stderr)
    return 130 * stopped


if __name__ == "__main__":
    sys.exit(main())
