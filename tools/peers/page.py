"""``docs/bench.md``, from the data of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parlour.study.bench import MODES, busy, hardware, lines
from parlour.study.bench.report import short
from tools.peers.libraries import PEERS


def markdown(found: Mapping[str, Any]) -> str:
    """Return ``docs/bench.md`` from the data of a run."""
    about = found["machine"]
    versions = f"Python {about['python']}, NumPy {about['numpy']}, compiler {about['compiler']}"
    games = list(dict.fromkeys(row["game"] for row in found["rows"]))
    peers = {name: version for name, version in about.get("peers", {}).items() if version}
    out = [
        "# Speed",
        "",
        "<!-- Made by: python -m tools.peers --json > docs/bench.json",
        "              python -m tools.peers --page docs/bench.json > docs/bench.md -->",
        "",
        f"Measured on {found['date'][:10]}: {hardware(about)}, {about['system']}; Parlour "
        f"{about['parlour']}, {versions}. In one run, everything about a game was measured in turns; figures are "
        "medians of the repetitions. Machines differ, so compare ratios, not figures from different runs.",
        "",
    ]
    if busy(found):
        out += ["**The machine was busy with other work during this run: figures are lower than on a quiet one.**", ""]
    out += ["## Three kinds of speed", "", "Decisions a second on one core. These are three different things:", ""]
    kinds = {
        "bulk": "random play in bulk, without telling anybody anything",
        "batch_tensor": "a batch stepped from Python, with legal actions and tensors",
        "keys": "random play with perfect-recall keys for all players",
    }
    out += ["| | " + " | ".join(f"{words} (`{mode}`)" for mode, words in kinds.items()) + " |", "|---|---:|---:|---:|"]
    for game in games:
        players = next(row["players"] for row in found["rows"] if row["game"] == game)
        out.append(f"| {game}, {players} players | " + " | ".join(_own(found, game, mode) for mode in kinds) + " |")
    for game in games:
        out += [
            "",
            f"## {game}",
            "",
            "| mode | engine | threads | median | repetitions | Parlour is |",
            "|---|---|---:|---:|---:|---|",
        ]
        out += [
            f"| `{line.mode}` | {line.engine} | {line.threads} | {line.figure} | {line.spread} | {line.ratio} |"
            for line in lines(found, game)
        ]
    out += ["", "## What is measured", ""]
    out += [f"- `{mode}`: {words}" for mode, (_, words) in MODES.items()]
    if "peers" in about:
        out += ["", "The peers play the same game at random, driven as their users drive them:", ""]
        out += [f"- {p.name} {peers[p.name]}: {p.how}; compare `{p.mode}`." for p in PEERS if p.name in peers]
        out += [f"- {sentence}" for sentence in missing(found)]
    return "\n".join(out) + "\n"


def _own(found: Mapping[str, Any], game: str, mode: str) -> str:
    for row in found["rows"]:
        if (row["game"], row["mode"], row["engine"], row["threads"]) == (game, mode, "parlour", 1):
            return short(row["decisions_per_second"])
    return ""


def missing(found: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each peer that was wanted and is not installed."""
    wanted: Mapping[str, str | None] = found["machine"].get("peers", {})
    return [
        f"{name} is not installed, so it is left out (`make bench-peers` installs the peers)."
        for name, version in wanted.items()
        if version is None
    ]
