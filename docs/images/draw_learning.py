"""Draws learning curves: ``python docs/images/draw_learning.py`` that of the tutorial on building, by running it;
``python docs/images/draw_learning.py FILE.svg LOG ...`` those of learners in docs/examples, from what they print, or
from policies of docs/examples/baselines.py (JSON)."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 300, 56, 20, 620, 250
COLOURS = "#2e7d32", "#1565c0", "#c62828", "#6a1b9a"
Curves = Mapping[str, Mapping[float, float]]


def drawn(curves: Curves, title: str, across: str, up: tuple[float, ...]) -> str:
    """Curves as an SVG document, a dot for each measurement; ``up``: the ticks upwards.  Several have their names."""
    most, low, high = max(max(curve) for curve in curves.values()), min(up), max(up)

    def at(done: float, value: float) -> tuple[float, float]:
        share = (value - low) / (high - low)
        return round(LEFT + (RIGHT - LEFT) * done / most, 1), round(BOTTOM - (BOTTOM - TOP) * share, 1)

    parts = []
    for tick in up:
        y = at(0, tick)[1]
        parts += [
            f'<path class="grid" d="M{LEFT} {y}H{RIGHT}"/>',
            f'<text x="46" y="{y + 4}" text-anchor="end">{tick:.1f}</text>',
        ]
    for part in range(5 if most % 4 == 0 else 4):
        done = most * part / (4 if most % 4 == 0 else 3)
        parts.append(f'<text x="{at(done, low)[0]}" y="270" text-anchor="middle">{done:.0f}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) // 2}" y="292" text-anchor="middle">{across}</text>')
    for k, (name, curve) in enumerate(curves.items()):
        points, colour = [at(done, value) for done, value in curve.items()], COLOURS[k]
        parts.append(f'<polyline stroke="{colour}" points="{" ".join(f"{x},{y}" for x, y in points)}"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>' for x, y in points]
        if len(curves) > 1:
            parts.append(
                f'<text x="{RIGHT}" y="{TOP + 18 * k + 14}" text-anchor="end" style="fill:{colour}">{name}</text>'
            )
    style = (
        "text{font:13px sans-serif;fill:#666}.grid{stroke:#999;stroke-opacity:.35}polyline{fill:none;stroke-width:2}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    return "\n".join([head, f"<title>{title}</title>", f"<style>{style}</style>", *parts, "</svg>\n"])


def logged(file: Path) -> dict[float, float]:
    """The curve in what a learner has printed: its exploitability, as a share of the first; updates in percent."""
    found = re.findall(r"(\d+) updates: .*exploitable by ([\d.]+)", file.read_text("utf-8"))
    first, last = float(found[0][1]), float(found[-1][0])
    return {100 * float(done) / last: float(lost) / first for done, lost in found}


def learned(file: Path) -> dict[float, float]:
    """The curve in a policy: its exploitability, by percent of its decisions."""
    made = json.loads(file.read_text("utf-8"))["made"]
    return {100 * int(done) / made["decisions"]: lost for done, lost in made["exploitability"].items()}


if __name__ == "__main__":
    if sys.argv[2:] and sys.argv[2].endswith(".json"):
        curves = {Path(file).stem: learned(Path(file)) for file in sys.argv[2:]}
        top = max(max(curve.values()) for curve in curves.values())
        ticks = tuple(k / 5 for k in range(int(top * 5) + 2))
        picture = drawn(curves, "Exploitability while learning", "percent of the decisions", ticks)
        Path(sys.argv[1]).write_text(picture, "utf-8")
    elif len(sys.argv) > 1:
        curves = {Path(log).stem: logged(Path(log)) for log in sys.argv[2:]}
        title = "How exploitable learners are, beside what they were at first"
        Path(sys.argv[1]).write_text(
            drawn(curves, title, "percent of the updates", (0, 0.2, 0.4, 0.6, 0.8, 1)), "utf-8"
        )
    else:
        page = (HERE.parent / "tutorials" / "build.md").read_text("utf-8")
        space: dict[str, Any] = {"__name__": "tutorial"}
        for text in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
            exec(compile(text, "build.md", "exec"), space)
        title = "Exploitability by rounds of training"
        curve = drawn({"": space["curve"]}, title, "rounds of training", (0, 0.1, 0.2, 0.3, 0.4, 0.5))
        (HERE / "learning.svg").write_text(curve, "utf-8")
