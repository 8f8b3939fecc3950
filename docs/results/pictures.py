"""Small pictures for the pages of results, as SVG: a grid of coloured cells, and bars."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

INK, PALE, PAPER, COLOUR = "#222", "#ddd", "#fffdf7", "#8a2a12"
HEAD, ROW = 58, 18


def _document(title: str, width: int, height: int, parts: Sequence[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' font-family="sans-serif" font-size="12" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
            f'<text x="12" y="22" font-size="15" fill="{INK}">{escape(title)}</text>',
            *parts,
            "</svg>\n",
        ]
    )


def _text(x: float, y: float, said: str, how: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{INK}"{how}>{escape(said)}</text>'


def runs(title: str, rows: Sequence[tuple[str, Sequence[str]]], colours: dict[str, str], cell: int = 20) -> str:
    """A row of named cells for each label; ``colours`` says which colour a name has, and is the legend."""
    left, wide = 60, max(len(names) for _, names in rows)
    parts, x = [], left
    for name, colour in colours.items():
        parts += [f'<rect x="{x}" y="34" width="12" height="12" fill="{colour}"/>', _text(x + 16, 45, name)]
        x += 30 + 8 * len(name)
    for i, (label, names) in enumerate(rows):
        y, at = HEAD + i * ROW, 0
        parts.append(_text(left - 8, y + 12, label, ' text-anchor="end"'))
        while at < len(names):
            until = at
            while until < len(names) and names[until] == names[at]:
                until += 1
            box = f'x="{left + at * cell}" y="{y}" width="{(until - at) * cell - 1}" height="{ROW - 2}"'
            parts.append(f'<rect {box} fill="{colours[names[at]]}"/>')
            at = until
    return _document(title, max(left + wide * cell, x) + 12, HEAD + len(rows) * ROW + 12, parts)


def shades(
    title: str, rows: Sequence[tuple[str, Sequence[float]]], heads: Sequence[str], left: int = 150, cell: int = 38
) -> str:
    """A row of probabilities for each label; the darker the cell, the more likely."""
    parts = [_text(left + (k + 0.5) * cell, 48, head, ' text-anchor="middle"') for k, head in enumerate(heads)]
    for i, (label, shares) in enumerate(rows):
        y = HEAD + i * ROW
        parts.append(_text(left - 8, y + 12, label, ' text-anchor="end"'))
        for k, share in enumerate(shares):
            if share >= 0.005:
                box = f'x="{left + k * cell}" y="{y}" width="{cell - 1}" height="{ROW - 2}"'
                parts.append(f'<rect {box} fill="{COLOUR}" fill-opacity="{share:.2f}"/>')
        parts.append(f'<path d="M{left} {y + ROW - 1}h{cell * len(heads)}" stroke="{PALE}"/>')
    return _document(title, max(left + cell * len(heads), 8 * len(title)) + 12, HEAD + len(rows) * ROW + 12, parts)


def bars(title: str, rows: Sequence[tuple[str, float, float]], axis: tuple[float, float], said: str = "") -> str:
    """A bar from the lower to the upper number of each row, along an axis."""
    left, wide = 110, 470
    low, high = axis

    def at(value: float) -> float:
        return round(left + (value - low) / (high - low) * wide, 1)

    parts = [_text(left, 45, said)]
    for k in range(5):
        value = low + (high - low) * k / 4
        parts.append(f'<path d="M{at(value):g} {HEAD}v{len(rows) * ROW}" stroke="{PALE}"/>')
        parts.append(_text(at(value), HEAD + len(rows) * ROW + 16, f"{value:+.3g}", ' text-anchor="middle"'))
    for i, (label, start, end) in enumerate(rows):
        y = HEAD + i * ROW
        parts.append(_text(left - 8, y + 13, label, ' text-anchor="end"'))
        width = max(2.0, at(end) - at(start))
        parts.append(f'<rect x="{at(start):g}" y="{y + 3}" width="{width:g}" height="{ROW - 6}" fill="{COLOUR}"/>')
    return _document(title, left + wide + 30, HEAD + len(rows) * ROW + 26, parts)
