"""``docs/bench.md``, from the data of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from parlour.study.bench import MODES, busy, hardware, lines
from parlour.study.bench.report import short
from tools.peers.libraries import PEERS

FAST = ("bulk", "batch_tensor", "keys", "vector", "search", "solve")
ONE_BY_ONE = ("step", "step_compiled", "clone", "clone_compiled", "openspiel", "pettingzoo", "gymnasium")
"""What is driven from Python, call by call."""


def markdown(found: Mapping[str, Any]) -> str:
    """Return ``docs/bench.md`` from the data of a run."""
    about = found["machine"]
    versions = f"Python {about['python']}, NumPy {about['numpy']}, compiler {about['compiler']}"
    out = [
        "# Speed",
        "",
        "<!-- Made by: python -m tools.peers --json > docs/bench.json",
        "              python -m tools.peers --page docs/bench.json > docs/bench.md -->",
        "",
        f"Measured on {found['date'][:10]}: {hardware(about)}, {about['system']}; Parlour "
        f"{about['parlour']}, {versions}. In one run, everything about a game was measured in turns; figures are "
        "medians. Machines differ, so compare ratios, not figures from different runs. "
        "[bench.json](bench.json) has all of it, with the spread of the repetitions.",
        "",
    ]
    if busy(found):
        out += ["**The machine was busy with other work during this run: figures are lower than on a quiet one.**", ""]
    for title, modes in (("In machine code", FAST), ("From Python, call by call", ONE_BY_ONE)):
        out += [f"## {title}", "", "A second, on one core:", "", *table(found, modes), ""]
    out += ["## Beside others", "", "The same game at random, each driven as its users drive it.", ""]
    out += [
        "| game | library | | Parlour is |",
        "|---|---|---:|---|",
        *(
            f"| {game} | {line.engine} | {line.figure} | {line.ratio} |"
            for game in games_of(found)
            for line in lines(found, game)
            if line.engine != "parlour"
        ),
        "",
    ]
    out += [f"{sentence}\n" for sentence in missing(found)]
    out += ["## What is measured", "", *(f"- `{mode}`: {words}" for mode, (_, words) in MODES.items())]
    peers = {name: version for name, version in about.get("peers", {}).items() if version}
    out += [f"- {p.name} {peers[p.name]}: {p.how}; compare `{p.mode}`." for p in PEERS if p.name in peers]
    return "\n".join(out) + "\n"


def games_of(found: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(row["game"] for row in found["rows"]))


def table(found: Mapping[str, Any], modes: tuple[str, ...]) -> Iterator[str]:
    """Our own figures, on one thread: a line for each game, a column for each mode that was measured."""
    measured = {
        (row["game"], row["mode"]): row[f"{MODES[row['mode']][0]}_per_second"]
        for row in found["rows"]
        if row["engine"] == "parlour" and row["threads"] == 1 and row["mode"] in modes
    }
    shown = [mode for mode in modes if any(mode == one for _, one in measured)]
    yield "| | " + " | ".join(f"`{mode}`" for mode in shown) + " |"
    yield "|---|" + "---:|" * len(shown)
    for game in games_of(found):
        players = next(row["players"] for row in found["rows"] if row["game"] == game)
        figures = (short(measured[game, mode]) if (game, mode) in measured else "" for mode in shown)
        yield f"| {game}, {players} players | " + " | ".join(figures) + " |"


def missing(found: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each peer that was wanted and is not installed."""
    wanted: Mapping[str, str | None] = found["machine"].get("peers", {})
    return [
        f"{name} is not installed, so it is left out (`make bench-peers` installs the peers)."
        for name, version in wanted.items()
        if version is None
    ]
