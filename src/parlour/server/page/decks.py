"""The faces of cards: a game's own ``deck`` module draws them, or they are plain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from math import cos, pi, sin
from typing import Any, Final

from parlour.base import languages
from parlour.base.errors import ParlourError
from parlour.core import french
from parlour.engine.definition import definition

BACK: Final = "(back)"
"""The name of the back of a pack, among its cards."""
WIDE, HIGH = 160, 90
"""The width and height of a still picture, in its own units."""
EDGE: Final = 5
"""The margin round its cards."""
APART: Final = 1.08
"""The distance from one card of a line to the next, in widths of a card."""
FEW: Final = 5
"""The cards that fit into a line; if there are more, they overlap."""
LARGEST: Final = 52
"""The greatest height of a card in a still picture."""
_DOCUMENT: Final = re.compile(r'<svg\b[^>]*?viewBox="([^"]*)"[^>]*>(.*)</svg>', re.DOTALL)
_IDS: Final = re.compile(r"""(?<=\bid=")|(?<=\bhref="#)|(?<=url\(#)""")
"""Where the ids of a picture begin, and the references to them."""


def _deck(game: str) -> Any:
    return definition(game).part("deck")


@lru_cache(maxsize=4096)
def face(game: str, name: str, four_colours: bool = False) -> str:
    """Return a card of a game, face up, as a whole SVG document. Raises ``ParlourError`` if there is no such card.

    >>> face("kuhn", "K").startswith("<svg")
    True
    """
    if name not in cards(game):
        raise ParlourError("{name} has no card {other_name!r}.", name=definition(game).name, other_name=name[:40])
    deck = _deck(game)
    return str(deck.face(name, four_colours)) if hasattr(deck, "face") else _plain(name)


def part_of(document: str, mark: str) -> tuple[str, str] | None:
    """Return the view box of an SVG document and what it holds, to be part of another document. ``mark`` goes before
    its ids, so that they are its own. Return ``None`` if it is not such a document."""
    found = _DOCUMENT.search(_IDS.sub(mark, document))
    return found and (found[1], found[2])


def still(game: str, lines: Sequence[Sequence[str]], on_round_board: bool = False) -> str:
    """Return cards as they lie on a table, as one small picture without people and words. ``lines``: names of cards,
    :data:`BACK`, or nothing for a gap; ``on_round_board``: the first line lies in a circle, and the others inside it.

    >>> still("kuhn", [["K", "", "(back)"]]).count("<svg x=")
    2
    """
    board = list[str]()
    placed = list[tuple[str, float, float, float]]()  # a card, its place, its height
    if on_round_board:
        ring, *lines = lines
        board.append(
            f'<circle cx="{WIDE / 2}" cy="{HIGH / 2}" r="43.5" fill="#fbf3dd" stroke="#7a4f2d" stroke-width="3"/>'
            f'<circle cx="{WIDE / 2}" cy="{HIGH / 2}" r="18" fill="#4d3421"/>'
        )
        for k, name in enumerate(ring):
            angle = 2 * pi * k / len(ring) - pi / 2
            placed.append((name, WIDE / 2 + 30 * cos(angle), HIGH / 2 + 30 * sin(angle), 19.0))
    wide, high = (34.0, 30.0) if on_round_board else (WIDE - 2.0 * EDGE, HIGH - 2.0 * EDGE)
    longest = max(map(len, lines), default=0)
    tall = min(LARGEST, high / (len(lines) + 0.06 * (len(lines) - 1) or 1))
    if not on_round_board:
        tall = min(tall, 1.4 * wide / (1 + APART * (min(longest, FEW) - 1)))
    step = min(APART * tall / 1.4, (wide - tall / 1.4) / max(1, longest - 1))
    for row, line in enumerate(lines):
        y = HIGH / 2 + (row - (len(lines) - 1) / 2) * tall * 1.06
        placed += [(name, WIDE / 2 + (k - (len(line) - 1) / 2) * step, y, tall) for k, name in enumerate(line) if name]
    parts = []
    for n, (name, x, y, tall) in enumerate(placed):
        found = part_of(back() if name == BACK else face(game, name), f"c{n}-")
        assert found is not None
        box = f'x="{x - tall / 2.8:.1f}" y="{y - tall / 2:.1f}" width="{tall / 1.4:.1f}" height="{tall:.1f}"'
        parts.append(f'<svg {box} viewBox="{found[0]}">{found[1]}</svg>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}">'
    return f"{head}{''.join(board + parts)}</svg>"


def cover(game: str) -> str:
    """Return the picture that stands for a game: a moment of it, or some of its cards."""
    deck, known = _deck(game), cards(game)
    usual = [[name for name in definition(game).rules.CARDS if name in known][:4]] if known else []
    return still(game, getattr(deck, "SHOWCASE", usual), getattr(deck, "ROUND", False))


def title(game: str, name: str) -> str:
    """Return the name of a card in words, for readers who cannot see it."""
    with languages.speaking(definition(game).language):
        return _title(languages.current(), game, name)


@lru_cache(maxsize=4096)
def _title(language: str, game: str, name: str) -> str:
    deck = _deck(game)
    return str(deck.title(name)) if deck is not None and name in cards(game) else name


def back() -> str:
    """Return the picture of a card that is face down."""
    return french.back()


@lru_cache(maxsize=64)
def cards(game: str) -> frozenset[str]:
    """Return the names of a game's cards."""
    what = definition(game)
    deck = _deck(game)
    return frozenset(getattr(deck, "NAMES", ()) or getattr(what.rules, "CARDS", ()))


@lru_cache(maxsize=64)
def four_coloured(game: str) -> bool:
    """Whether a game's cards look different in four colours."""
    return any(face(game, name, True) != face(game, name) for name in cards(game))


def _plain(name: str) -> str:
    """Return a card with its name in the middle and, because cards overlap in a hand, in a corner."""
    size = 44 if len(name) <= 2 else max(12, 130 // len(name))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140">'
        '<rect x="1" y="1" width="98" height="138" rx="9" fill="#fdfaf2" stroke="#8a7f68" stroke-width="1.5"/>'
        '<g font-family="Georgia,serif" fill="#2b2620">'
        f'<text x="8" y="27" font-size="{min(size, 24)}">{escape(name)}</text>'
        f'<text x="50" y="{78 + size // 3}" font-size="{size}" text-anchor="middle">{escape(name)}</text></g></svg>'
    )
