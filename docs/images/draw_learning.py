"""Draws learning curves: ``python docs/images/draw_learning.py`` that of the tutorial on building, by running it;
``python docs/images/draw_learning.py docs/curves.json`` those of the benchmark, which ``make benchmark`` measures."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 320, 300, 50, 30, 250
COLOURS = "#2e7d32", "#1565c0", "#c62828", "#8e44ad", "#b8860b", "#607d8b"
STYLE = "text{font:13px sans-serif;fill:#666}.grid{stroke:#999;stroke-opacity:.35}polyline{fill:none;stroke-width:2}"
SOLVERS, LEARNERS = {"cfr+": "CFR+", "mccfr": "Sampled CFR"}, {"ppo": "PPO", "mmd": "MMD", "deep-cfr": "Deep CFR"}
Curves = Mapping[str, Sequence[Mapping[float, float]]]
"""By name, the curve of each seed."""


class Scale(NamedTuple):
    """An axis from ``low`` to ``high``, by powers of ten if it is ``logarithmic``."""

    low: float
    high: float
    logarithmic: bool

    def share(self, value: float) -> float:
        low, high, value = (math.log10(x) if self.logarithmic else x for x in (self.low, self.high, value))
        return (value - low) / (high - low)

    def ticks(self, parts: int) -> list[float]:
        if self.logarithmic:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            return [10.0**k for k in range(first, last + 1, -(-(last - first) // parts))]
        return [self.low + (self.high - self.low) * k / parts for k in range(parts + 1)]


def scale(values: Sequence[float], logarithmic: bool) -> Scale:
    """The axis on which these values fit."""
    if logarithmic:
        return Scale(10.0 ** math.floor(math.log10(min(values))), 10.0 ** math.ceil(math.log10(max(values))), True)
    step = 10.0 ** math.floor(math.log10(max(map(abs, values)) or 1.0))
    return Scale(min(0.0, step * math.floor(min(values) / step)), step * max(1, math.ceil(max(values) / step)), False)


def spelt(x: float) -> str:
    """A number at an axis."""
    return f"{x:,.10g}" if abs(x) >= 1e-3 or not x else f"{x:.0e}".replace("e-0", "e-")


def panel(curves: Curves, title: str, across: str, width: int, logarithmic: bool) -> list[str]:
    """A diagram of curves with a dot for each measurement."""
    points = [point for seeds in curves.values() for curve in seeds for point in curve.items()]
    x, y = (scale([point[k] for point in points], logarithmic) for k in (0, 1))
    right = width - 34

    def at(done: float, value: float) -> str:
        return f"{LEFT + (right - LEFT) * x.share(done):.1f},{BOTTOM - (BOTTOM - TOP) * y.share(value):.1f}"

    parts = [f'<text x="{(LEFT + right) // 2}" y="18" text-anchor="middle">{title}</text>'] if title else []
    for tick in y.ticks(7 if logarithmic else 5):
        height = float(at(x.low, tick).partition(",")[2])
        parts += [
            f'<path class="grid" d="M{LEFT} {height}H{right}"/>',
            f'<text x="{LEFT - 6}" y="{height + 4}" text-anchor="end">{spelt(tick)}</text>',
        ]
    for tick in x.ticks(3 if logarithmic or x.high % 3 == 0 else 4):
        parts.append(f'<text x="{at(tick, y.low).partition(",")[0]}" y="268" text-anchor="middle">{spelt(tick)}</text>')
    parts.append(f'<text x="{(LEFT + right) // 2}" y="290" text-anchor="middle">{across}</text>')
    for colour, seeds in zip(COLOURS, curves.values(), strict=False):
        for curve in seeds:
            dots = [at(done, value) for done, value in curve.items()]
            parts.append(f'<polyline stroke="{colour}" points="{" ".join(dots)}"/>')
            middle = ' r="3" fill="'.join(("", colour))
            parts += [f'<circle cx="{dot.replace(",", chr(34) + " cy=" + chr(34))}"{middle}"/>' for dot in dots]
    return parts


def picture(title: str, panels: Sequence[Sequence[str]], width: int, names: Sequence[str] = ()) -> str:
    """Diagrams side by side as an SVG document, with the names of the curves below."""
    parts = [
        line
        for k, one in enumerate(panels)
        for line in ([f'<g transform="translate({k * width})">', *one, "</g>"] if k else one)
    ]
    free = (len(panels) * width - 8 * len("".join(names))) / (len(names) + 1)
    for k, name in enumerate(names):
        place = round(free * (k + 1) + 8 * (len("".join(names[:k])) + len(name) / 2))
        parts.append(f'<text x="{place}" y="316" text-anchor="middle" style="fill:{COLOURS[k]}">{name}</text>')
    size = f"0 0 {len(panels) * width} {HEIGHT + 24 * bool(names)}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" role="img">'
    return "\n".join([head, f"<title>{title}</title>", f"<style>{STYLE}</style>", *parts, "</svg>\n"])


def numbered(curve: Mapping[str, float]) -> dict[float, float]:
    return {float(done): value for done, value in curve.items() if value > 0 or done}


def of_solvers(known: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """How exploitable solvers are in the small settings after so many iterations."""
    settings = list(known["cfr+"])
    panels = [
        panel({name: [numbered(known[solver][name])] for name in settings}, said, "iterations", WIDTH, True)
        for solver, said in SOLVERS.items()
    ]
    return picture("Exploitability of solvers by iterations", panels, WIDTH, settings)


def of_learners(known: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """How exploitable learners are at Kuhn and Leduc, and what a learner of a large game wins."""

    def seeds(learner: str, game: str) -> list[dict[float, float]]:
        return [
            numbered(curves[game])
            for name, curves in known.items()
            if re.fullmatch(rf"{learner}-\d+", name) and game in curves
        ]

    panels: list[list[str]] = []
    for game, said in (("kuhn", "Kuhn poker: exploitability"), ("leduc", "Leduc poker: exploitability")):
        found = {name: seeds(name, game) for name in LEARNERS}
        if any(found.values()):
            panels.append(panel(found, said, "decisions", WIDTH, True))
    [(large, curve)] = known["learned"].items()
    panels.append(panel({large: [numbered(curve)]}, f"{large}: return", "games", WIDTH, False))
    return picture("Learning curves", panels, WIDTH, list(LEARNERS.values()))


if __name__ == "__main__":
    if sys.argv[1:]:
        known = json.loads(Path(sys.argv[1]).read_text("utf-8"))
        for name, draw, needed in (
            ("solvers", of_solvers, [*SOLVERS]),
            ("learners", of_learners, ["learned", "ppo-1"]),
        ):
            if all(one in known for one in needed):
                (Path(sys.argv[1]).parent / "images" / f"{name}.svg").write_text(draw(known), "utf-8")
    else:
        page = (HERE.parent / "tutorials" / "build.md").read_text("utf-8")
        space: dict[str, Any] = {"__name__": "tutorial"}
        for text in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
            exec(compile(text, "build.md", "exec"), space)
        curve = panel({"": [space["curve"]]}, "", "rounds of training", 640, False)
        (HERE / "learning.svg").write_text(picture("Exploitability by rounds of training", [curve], 640), "utf-8")
