"""Tables of the figures of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parlour.study.bench.modes import BESIDE, MODES


@dataclass(frozen=True, slots=True)
class BenchRow:
    """A row of the table: the ``figure`` with its unit, the ``spread`` of the repetitions, the ``ratio`` in words."""

    mode: str
    engine: str
    threads: str
    figure: str
    spread: str
    ratio: str


def lines(found: Mapping[str, Any], game: str) -> list[BenchRow]:
    """The table of one game: each mode of Parlour, followed by the peers measured in the same way."""
    rows = [row for row in found["rows"] if row["game"] == game]
    made = []
    for mode in MODES:
        for row in sorted((r for r in rows if r["mode"] == mode), key=lambda r: r["engine"] != "parlour"):
            figure, spread = _figure(row)
            ratio = _beside(row, rows) if row["engine"] == "parlour" else _ratio(row, rows)
            made.append(BenchRow(mode, row["engine"], str(row["threads"]), figure, spread, ratio))
    return made


def hardware(about: Mapping[str, Any]) -> str:
    """Return the hardware in words.

    >>> hardware({"cpu": "AMD EPYC", "cores": 2}), hardware({"cpu": "AMD EPYC", "cores": 2, "gpu": "NVIDIA H200"})
    ('AMD EPYC, 2 cores', 'AMD EPYC, 2 cores, NVIDIA H200')
    """
    gpu = f", {about['gpu']}" if about.get("gpu") else ""
    return f"{about['cpu']}, {about['cores']} cores{gpu}"


def busy(found: Mapping[str, Any]) -> bool:
    """Whether the machine was busy: whether some figure got less than 90% of its processors."""
    return any(
        row.get("cpu", 1) < 0.9
        for row in found["rows"]
        if row["engine"] == "parlour" and row["threads"] == 1 and row["mode"] != "bulk_gpu"
    )


def _figure(row: Mapping[str, Any]) -> tuple[str, str]:
    unit = MODES[row["mode"]][0]
    if unit == "bytes":
        return f"{row['bytes']} bytes", ""
    if unit == "seconds":
        return f"{row['seconds']:.2f} s", f"{row['low']:.2f} to {row['high']:.2f}"
    rate = row["decisions_per_second"] if unit == "decisions" else row[f"{unit}_per_second"]
    return f"{short(rate)} {unit}/s", f"{short(row['low'])} to {short(row['high'])}"


def short(rate: float) -> str:
    """Return a number to three figures: 17.3 M, 612 k.

    >>> short(17_312_000), short(612_300), short(950), short(6.166)
    ('17.3 M', '612 k', '950', '6.17')
    """
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if rate >= size:
            return f"{rate / size:#.3g}".rstrip(".") + letter
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.3g}"


def ratios(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, float]]:
    """Return how many times as fast as a peer Parlour is on one thread, each with its mode: measured in the same way
    and, if games are played, in bulk. 1 means equally fast."""
    mode, unit = row["mode"], MODES[row["mode"]][0]
    modes = [mode, *(f"{mode}_{of}" for of in ("compiled", "openspiel", "tree")), *["bulk"] * (unit == "decisions")]
    own = {one["mode"]: one for one in rows if (one["engine"], one["threads"]) == ("parlour", 1)}
    return [(m, own[m]["decisions_per_second"] / row["decisions_per_second"]) for m in modes if m in own]


def _ratio(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """A ratio in words."""
    return ", ".join(
        f"{mode} × {times:.3g}" if times < 1000 else f"{mode} × {times:,.0f}" for mode, times in ratios(row, rows)
    )


def _beside(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the speed of an adapter as a share of that of the thing it adapts, or of several threads as a multiple of
    one."""
    for own in rows if row["threads"] > 1 else ():
        if (own["mode"], own["engine"], own["threads"]) == (row["mode"], "parlour", 1):
            return f"{row['decisions_per_second'] / own['decisions_per_second']:.2f} of 1 thread"
    for own in rows:
        if (own["mode"], own["engine"], own["threads"]) == (BESIDE.get(row["mode"]), "parlour", row["threads"]):
            return f"{row['decisions_per_second'] / own['decisions_per_second']:.2f} of {own['mode']}"
    return ""
