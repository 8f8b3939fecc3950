"""``docs/bench.md``, from the data of a run."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from typing import Any

from parlour.study.bench import MODES, busy, hardware, lines
from parlour.study.bench.report import ratios, short
from tools.peers.libraries import PEERS

FAST = ("bulk", "batch_tensor", "keys", "vector", "one_seat", "search", "solve")
ONE_BY_ONE = (
    "step", "step_compiled", "clone", "clone_compiled", "clone_openspiel", "openspiel", "infostate", "pettingzoo",
    "gymnasium",
)  # fmt: skip
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
        f"Measured on {found['date'][:10]} at commit {found.get('commit') or 'unknown'}: {hardware(about)}, "
        f"{about['system']}; Parlour "
        f"{about['parlour']}, {versions}. In one run, everything about a game was measured in turns; figures are "
        "medians. Machines differ, so compare ratios, not figures from different runs. "
        "[bench.json](bench.json) has all of it, with the spread of the repetitions.",
        "",
    ]
    if busy(found):
        out += ["**The machine was busy with other work during this run: figures are lower than on a quiet one.**", ""]
    for title, modes in (("In machine code", FAST), ("From Python, call by call", ONE_BY_ONE)):
        out += [f"## {title}", "", "A second, on one core:", "", *table(found, modes), ""]
    if of_threads := threads(found):
        out += ["## Threads", "", of_threads, ""]
    out += [
        "## Beside others",
        "",
        "The same game at random, each driven as its users drive it. Hearts is one deal, as it is there.",
        "",
    ]
    out += [
        "| game | mode | library | | Parlour is |",
        "|---|---|---|---:|---|",
        *(
            f"| {game} | `{line.mode}` | {line.engine} | {line.figure} | {line.ratio} |"
            for game in games_of(found)
            for line in lines(found, game)
            if line.engine != "parlour"
        ),
        "",
    ]
    out += [behind(found), ""] if games_of(found) else []
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


def threads(found: Mapping[str, Any]) -> str:
    """What a second thread brings a batch, with the load of the machine beside it; empty if that was not measured."""
    rates = {
        (row["game"], row["threads"]): row["decisions_per_second"]
        for row in found["rows"]
        if row["mode"] == "batch_large"
    }
    times = {(game, n): rate / rates[game, 1] for (game, n), rate in rates.items() if n > 1 and (game, 1) in rates}
    if not times:
        return ""
    most = max(n for _, n in times)
    some = [one for (_, n), one in times.items() if n == most]
    load = found["machine"].get("load")
    when = f"when the run began, the machine's load was {load[0]}" if load else "the load of the machine is not known"
    return (
        f"A batch of 4,096 games (`batch_large`) on {most} threads makes {min(some):.2f} to {max(some):.2f} times as"
        f" many steps as on one, median {statistics.median(some):.2f}; {when}. If others use it,"
        " expect less than one."
    )


def behind(found: Mapping[str, Any]) -> str:
    """The modes in which a library is faster than the nearest equivalent here."""
    rows, ahead = found["rows"], []
    for row in (one for one in rows if one["engine"] != "parlour"):
        own = [one for one in rows if one["game"] == row["game"]]
        same = [(times, mode) for mode, times in ratios(row, own) if mode != "bulk"]
        if same and (best := max(same))[0] < 1:
            ahead.append(f"{row['engine']} at {row['game']} (`{best[1]}` × {best[0]:.2g})")
    if not ahead:
        return "None of these is ahead of Parlour, call by call."
    return f"Ahead of Parlour, call by call: {', '.join(ahead)}."


def missing(found: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each peer that was wanted and is not installed."""
    wanted: Mapping[str, str | None] = found["machine"].get("peers", {})
    return [
        f"{name} is not installed, so it is left out (`make bench-peers` installs the peers)."
        for name, version in wanted.items()
        if version is None
    ]
