"""Draws the learning curve of the tutorial on building, by running it: ``python docs/images/draw_learning.py``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 300, 56, 20, 620, 250


def drawn(curve: dict[int, float]) -> str:
    """The curve as an SVG document: rounds to the right, exploitability upwards, a dot for each measurement."""
    most = max(curve)

    def at(done: float, lost: float) -> tuple[float, float]:
        return round(LEFT + (RIGHT - LEFT) * done / most, 1), round(BOTTOM - (BOTTOM - TOP) * lost / 0.5, 1)

    parts = []
    for tick in range(6):
        y = at(0, tick / 10)[1]
        parts += [
            f'<path class="grid" d="M{LEFT} {y}H{RIGHT}"/>',
            f'<text x="46" y="{y + 4}" text-anchor="end">0.{tick}</text>',
        ]
    for done in range(0, most + 1, 100):
        parts.append(f'<text x="{at(done, 0)[0]}" y="270" text-anchor="middle">{done}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) // 2}" y="292" text-anchor="middle">rounds of training</text>')
    points = [at(done, lost) for done, lost in curve.items()]
    parts.append(f'<polyline points="{" ".join(f"{x},{y}" for x, y in points)}"/>')
    parts += [f'<circle cx="{x}" cy="{y}" r="4"/>' for x, y in points]
    style = (
        "text{font:13px sans-serif;fill:#666}.grid{stroke:#999;stroke-opacity:.35}"
        "polyline{fill:none;stroke:#2e7d32;stroke-width:2}circle{fill:#2e7d32}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    return "\n".join(
        [head, "<title>Exploitability by rounds of training</title>", f"<style>{style}</style>", *parts, "</svg>\n"]
    )


if __name__ == "__main__":
    page = (HERE.parent / "tutorials" / "build.md").read_text("utf-8")
    space: dict[str, Any] = {"__name__": "tutorial"}
    for text in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(compile(text, "build.md", "exec"), space)
    (HERE / "learning.svg").write_text(drawn(space["curve"]), "utf-8")
