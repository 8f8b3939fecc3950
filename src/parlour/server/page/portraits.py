"""The faces of the bots that are characters, drawn from a few features each."""

# ruff: noqa: E501 (paths)

from __future__ import annotations

from typing import Final, NamedTuple

INK: Final = "#3a2a22"


class Features(NamedTuple):
    """What a face is made of: the colours of the ground, the skin, the hair and the clothes, and paths of its own. They
    lie in a square of 100, in which the head is at 50, 50 and is 44 wide."""

    ground: str
    skin: str
    hair: str
    cloth: str
    hair_behind: str
    hair_before: str
    eyes: str
    mouth: str
    more: str = ""


def _dots(y: float = 51, gap: float = 9, size: float = 2.6) -> str:
    return f'<circle cx="{50 - gap}" cy="{y}" r="{size}"/><circle cx="{50 + gap}" cy="{y}" r="{size}"/>'


FACES: Final = {
    # round-eyed, with a tuft of hair and freckles
    "pip": Features(
        "#f6d98b", "#f3cfae", "#c8662c", "#4b8a5a",
        "", "M28 44C28 26 40 20 50 22 47 16 52 11 57 13 54 15 55 19 57 21 68 24 73 34 72 44 66 36 58 33 50 34 41 33 33 37 28 44Z",
        _dots(51, 9, 3.6), "M43 63Q50 68 57 63",
        '<g fill="#d98f62"><circle cx="35" cy="58" r="1.2"/><circle cx="39" cy="60" r="1.2"/><circle cx="61" cy="60" r="1.2"/>'
        '<circle cx="65" cy="58" r="1.2"/></g>',
    ),
    # hair blown back, brows up
    "dash": Features(
        "#a9d3e8", "#8a5a3c", "#1f1a1a", "#e0832f",
        "", "M27 48C26 30 36 19 52 20 62 16 78 20 86 14 84 22 80 25 76 27 84 27 87 30 90 29 84 36 76 36 71 38 60 32 42 33 34 38 30 42 28 45 27 48Z",
        _dots(52, 9, 2.6), "M41 62Q52 70 60 60",
        '<path d="M36 44 44 42M56 42 64 44" fill="none" stroke="#1f1a1a" stroke-width="2.6" stroke-linecap="round"/>',
    ),
    # a bun, a shawl, a careful mouth
    "constance": Features(
        "#cfe0c3", "#efc9a8", "#8f8a86", "#6b5b95",
        "M50 25A13 11 0 1 1 50.1 25Z", "M27 50C25 30 38 22 50 22 62 22 75 30 73 50 70 40 62 34 50 32 38 34 30 40 27 50Z",
        _dots(52, 9, 2.4), "M44 64H56",
        '<path d="M37 46Q41 44 45 47M55 47Q59 44 63 46" fill="none" stroke="#6d6864" stroke-width="2" stroke-linecap="round"/>'
        '<path d="M22 100Q50 70 78 100" fill="#8573b5"/>',
    ),
    # a hat at an angle, a moustache
    "rollo": Features(
        "#eeb0a0", "#e2b08a", "#5b3418", "#8c1f2f",
        "", "M28 46C29 38 33 34 38 32L64 32C69 35 72 40 72 46L68 40H32Z",
        _dots(52, 9, 2.6), "M43 68Q50 72 57 68",
        '<path d="M20 36 80 25 77 31 22 41Z" fill="#2b2620"/><path d="M34 34C34 20 42 13 54 12 64 12 68 19 70 28Z" fill="#2b2620"/>'
        '<path d="M35 34 70 28V24L34.5 30Z" fill="#dba93c"/>'
        '<path d="M50 61C45 57 38 59 34 64 40 66 46 66 50 63 54 66 60 66 66 64 62 59 55 57 50 61Z" fill="#5b3418"/>',
    ),
    # long hair, spectacles
    "minerva": Features(
        "#d8cdec", "#c98f66", "#2b1b1b", "#2f6f6d",
        "M24 50C22 26 36 16 50 16 64 16 78 26 76 50L78 82H22Z", "M28 46C30 32 40 26 50 27 60 26 70 32 72 46 64 40 56 36 53 30 48 38 38 42 28 46Z",
        _dots(52, 10, 2.4), "M44 65Q50 68 56 65",
        '<g fill="none" stroke="#2b2620" stroke-width="2"><circle cx="40" cy="52" r="8"/><circle cx="60" cy="52" r="8"/><path d="M48 51Q50 49 52 51"/></g>',
    ),
    # a crown, a beard
    "magnus": Features(
        "#f0dca0", "#f0cdb0", "#e9e4da", "#1c4eae",
        "", "",
        _dots(51, 9, 2.6), "M44 64Q50 67 56 64",
        '<path d="M28 52C28 60 30 86 50 88 70 86 72 60 72 52 68 60 62 59 50 59 38 59 32 60 28 52Z" fill="#e9e4da"/>'
        '<path d="M44 66Q50 69 56 66" fill="none" stroke="#8a5a4a" stroke-width="2.4" stroke-linecap="round"/>'
        '<path d="M28 38 26 18 38 28 50 14 62 28 74 18 72 38Z" fill="#dba93c" stroke="#a97d1d" stroke-width="1.5"/>'
        '<circle cx="50" cy="31" r="3" fill="#b71f2e"/>',
    ),
}  # fmt: skip
"""The faces, by the kinds of the characters."""


def drawn(kind: str) -> str:
    """Return the face of a character as an SVG document.

    >>> drawn("pip").startswith("<svg")
    True
    """
    one = FACES[kind]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">'
        f'<rect width="100" height="100" rx="50" fill="{one.ground}"/><clipPath id="round"><circle cx="50" cy="50" r="50"/>'
        f'</clipPath><g clip-path="url(#round)"><path d="{one.hair_behind}" fill="{one.hair}"/>'
        f'<path d="M18 102C20 84 34 78 50 78 66 78 80 84 82 102Z" fill="{one.cloth}"/>'
        f'<rect x="43" y="66" width="14" height="18" rx="6" fill="{one.skin}"/>'
        f'<ellipse cx="50" cy="50" rx="22" ry="25" fill="{one.skin}"/>'
        f'<path d="{one.hair_before}" fill="{one.hair}"/><g fill="{INK}">{one.eyes}</g>'
        f'<path d="{one.mouth}" fill="none" stroke="{INK}" stroke-width="2.4" stroke-linecap="round"/>{one.more}</g></svg>'
    )


__all__ = ["FACES", "drawn"]
