"""A picture of how a solver converged: exploitability against iterations, both logarithmic, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence

from parlour.solve.solver import Check

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 76, 16, 40, 52


def convergence(checks: Sequence[Check], title: str) -> str:
    """The picture as an SVG document.

    >>> picture = convergence([Check(10, 0.0, -1.0, 1.0), Check(1000, 0.0, -0.01, 0.01)], "Kuhn poker")
    >>> picture.startswith("<svg"), "Kuhn poker" in picture
    (True, True)
    """
    points = [(c.iterations, c.exploitability) for c in checks if c.iterations > 0 and c.exploitability > 0]
    if not points:
        points = [(1, 1.0)]
    low_x, high_x = _decades([x for x, _ in points])
    low_y, high_y = _decades([y for _, y in points])

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - low_x) / (high_x - low_x)
        up = (math.log10(y) - low_y) / (high_y - low_y)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="sans-serif" font-size="13" role="img">',
        f"<title>{_escaped(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fffdf7"/>',
        f'<text x="{LEFT}" y="24" font-size="15" fill="#222">{_escaped(title)}</text>',
    ]
    for k in range(low_x, high_x + 1):
        x, _ = at(10.0**k, 10.0**low_y)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#444">{10**k:,}</text>')
    for k in range(low_y, high_y + 1):
        _, y = at(10.0**low_x, 10.0**k)
        said = f"{10.0**k:g}" if k > -5 else f"1e{k}"
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#444">{said}</text>')
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
    parts.append(f'<polyline points="{line}" fill="none" stroke="#8a2a12" stroke-width="2"/>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 14}" text-anchor="middle" fill="#222">iterations</text>')
    parts.append(
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle"'
        ' fill="#222">exploitability</text></svg>'
    )
    return "\n".join(parts)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
