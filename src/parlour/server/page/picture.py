"""A moment of a replay as one picture, for links that are shared: an SVG document, or a PNG made from it.

It shows what the page of that moment shows to the same reader: the cards by place, what happened, and what everybody
has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from importlib import resources
from textwrap import wrap
from typing import Final, NamedTuple

from parlour.base.languages import ngettext
from parlour.base.naming import shortened
from parlour.server.page import decks
from parlour.server.page.scene import Scene

WIDTH, HEIGHT = 1200, 630
"""The size in pixels that is asked for by sites that show links."""
EDGE: Final = 48
SIZES: Final = (168, 140, 118, 98, 82, 68, 56, 46, 38)
"""The heights that cards may have; the first at which there is room for all is taken."""
TOP, BOTTOM = 196, 556
"""The upper and the lower edge of the space for cards."""
LABEL: Final = 24
"""The height of the words above a row of cards."""
OVERLAP: Final = 0.62
"""The part of a card that is seen under the next one, in a row of more than :data:`FEW`."""
FEW: Final = 7
LINES, LINES_OF = 3, 10
"""The most lines of cards that a still picture shows of a table, and the most cards in one of them: a longer line holds
cards that have been put away."""
LINE: Final = 78
"""The most characters of a line that says what happened."""
_FONT: Final = 'font-family="Literata, serif"'


class CardRow(NamedTuple):
    """Cards that lie together: words for the place, and the cards' names."""

    label: str
    cards: list[str]


def rows(scene: Scene) -> list[CardRow]:
    """Return the cards that a scene shows, place by place."""
    labels = scene.what.worded.get("things", {})
    known = decks.cards(scene.about.game)
    found = []
    for name, value in scene.v.items():
        thing, label = scene.what.things[name], labels.get(name, name)
        if thing.per == 1:
            found.append(CardRow(label, _cards(value, known)))
        elif thing.seats:
            each = len(value) // len(scene.called)
            mine = [_cards(value[p * each : (p + 1) * each], known) for p in range(len(scene.called))]
            found += [CardRow(f"{who}: {label}", cards) for who, cards in zip(scene.called, mine, strict=True)]
        else:
            found.append(CardRow(label, _cards(value, known)))
    return [CardRow(row.label[:1].upper() + row.label[1:], row.cards) for row in found if row.cards]


def still(scene: Scene) -> str:
    """Return the cards that everybody sees at a table as one small picture; if there are none, the game's own
    picture."""
    known = decks.cards(scene.about.game)
    common, of_seats = list[list[str]](), list[list[str]]()
    for name, value in scene.v.items():
        if not scene.what.things[name].seats:
            common.append(_cards(value, known))
        elif isinstance(value, list) and any(isinstance(one, list) for one in value):
            of_seats += [_cards(one, known) for one in value]
        else:  # each player has one card, as in a trick
            common.append(_cards(value, known))
    for lines in (common, of_seats):
        few = [line for line in lines if 0 < len(line) <= LINES_OF]
        if few:
            most = sorted(few, key=len)[-LINES:]
            return decks.still(scene.about.game, [line for line in few if line in most][:LINES])
    return decks.cover(scene.about.game)


def _cards(value: object, known: frozenset[str]) -> list[str]:
    """Return the cards in what was told of a thing; none if it is not about cards."""
    if isinstance(value, str):
        return [value] if value in known else []
    return [card for one in value for card in _cards(one, known)] if isinstance(value, list) else []


def drawn(scene: Scene, heading: str, news: Sequence[str], more: Iterable[CardRow] = ()) -> str:
    """Return a scene as an SVG document. ``heading``: which moment it is; ``news``: what happened; ``more``: cards that
    other players hold."""
    faces = _Faces(scene.about.game, scene.four_colours)
    said = [line for sentence in news for line in wrap(sentence, LINE)]
    said = [*said[:2][:-1], f"{said[1]} …"] if len(said) > 2 else said
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        '<defs><radialGradient id="cloth" cx="50%" cy="44%" r="80%"><stop offset="0" stop-color="#337057"/>'
        '<stop offset=".5" stop-color="#2a6650"/><stop offset="1" stop-color="#1d4c3b"/></radialGradient></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="url(#cloth)"/>',
        _text(EDGE, 84, 54, scene.what.title, "#fff3cf", 700),
        _text(WIDTH - EDGE, 84, 26, heading, "#e6d9b8", anchor="end"),
        *(_text(EDGE, 134 + 36 * n, 28, line, "#fbf5e4") for n, line in enumerate(said)),
        *_laid([*rows(scene), *more], faces),
        f'<rect y="{BOTTOM + 14}" width="{WIDTH}" height="{HEIGHT}" fill="#1b3f32"/>',
        f'<g transform="translate({EDGE + 11} {HEIGHT - 30})"><path d="M0-13 13 0 0 13-13 0Z" fill="#fff3cf"/></g>',
        _text(EDGE + 36, HEIGHT - 20, 26, "Parlour", "#fff3cf"),
        _text(WIDTH - EDGE, HEIGHT - 20, 24, _purses(scene), "#fbf5e4", anchor="end"),
        "</svg>",
    ]
    return "".join(parts)


def _purses(scene: Scene) -> str:
    """Return the players in a line, each with what they have, where that is counted."""
    sheet = scene.telling.sheet
    account = scene.what.words["game"].get("account")
    told = scene.v.get(str(account)) if account else None
    has = told if isinstance(told, list) and len(told) == len(scene.called) else sheet[-1] if sheet else ()
    counts = [f": {len(one) if isinstance(one, list) else one}".replace("-", "−") for one in has if one is not None]
    if len(counts) != len(scene.called):
        counts = [""] * len(scene.called)
    named = [f"{shortened(who, 14)}{count}" for who, count in zip(scene.called, counts, strict=True)]
    line = "   ·   ".join(named)
    return line if len(line) <= 66 else ngettext("{n} player", "{n} players", len(named))


def _laid(found: Sequence[CardRow], faces: _Faces) -> list[str]:
    """Return rows of cards side by side, as large as there is room for all. Rows that have no room at the smallest size
    are left out."""
    for size in SIZES:
        parts, fits = _lay(found, size, faces)
        if fits:
            break
    return parts


def _lay(found: Sequence[CardRow], height: int, faces: _Faces) -> tuple[list[str], bool]:
    x, y, wide = EDGE, TOP, round(height * 100 / 140)
    parts, small = list[str](), max(15, min(20, height // 6))
    for row in found:
        step = wide * (OVERLAP if len(row.cards) > FEW else 1.06)
        width = round(step * (len(row.cards) - 1) + wide)
        width = max(width, round(len(row.label) * small * 0.5))
        if x > EDGE and x + width > WIDTH - EDGE:
            x, y = EDGE, y + height + LABEL + 12
        if y + LABEL + height > BOTTOM or width > WIDTH - 2 * EDGE:
            return parts, False
        parts.append(_text(x, y + 15, small, row.label, "#e6d9b8"))
        parts += [faces.at(card, x + n * step, y + LABEL, wide, height) for n, card in enumerate(row.cards)]
        x += width + round(wide * 0.5)
    return parts, True


class _Faces:
    """The faces of a game's cards, each with ids of its own."""

    def __init__(self, game: str, four_colours: bool) -> None:
        self._game, self._four_colours, self._used = game, four_colours, 0

    def at(self, name: str, x: float, y: float, width: float, height: float) -> str:
        """Return a card as part of an SVG document, at this place and of this size."""
        self._used += 1
        found = decks.part_of(decks.face(self._game, name, self._four_colours), f"c{self._used}-")
        assert found is not None
        return (
            f'<svg x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" viewBox="{found[0]}">'
            f"{found[1]}</svg>"
        )


def _text(x: float, y: float, size: float, text: str, colour: str, weight: int = 400, anchor: str = "start") -> str:
    return (
        f'<text x="{x}" y="{y}" {_FONT} font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
        f'fill="{colour}">{escape(_plain(text))}</text>'
    )


def _plain(text: str) -> str:
    """Return a text without the marks that keep the direction of a name to itself; a picture has no use for them."""
    return text.translate({0x2068: None, 0x2069: None})


@lru_cache(maxsize=64)
def png(svg: str) -> bytes:
    """Return a picture as PNG.  This takes up to a second, in which nothing else happens in this process.

    >>> png('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')[1:4]
    b'PNG'
    """
    from resvg_py import svg_to_bytes

    with resources.as_file(resources.files("parlour.server.page").joinpath("type")) as folder:
        return svg_to_bytes(
            svg_string=svg, font_dirs=[str(folder)], font_family="Literata", serif_family="Literata",
            sans_serif_family="Literata", skip_system_fonts=False,
        )  # fmt: skip


__all__ = ["HEIGHT", "WIDTH", "CardRow", "drawn", "png", "rows", "still"]
