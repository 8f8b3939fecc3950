"""Pictures of a view for notebooks: the board as the page draws it, in one piece that loads nothing else."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from functools import cache
from html import escape, unescape
from html.parser import HTMLParser
from typing import Final
from urllib.parse import unquote

from parlour.engine.steps import unnamed
from parlour.engine.telling import View
from parlour.server.common import wire
from parlour.server.page import assets, decks
from parlour.server.page.rendering import regions
from parlour.server.page.scene import Scene

WIDTH, HEIGHT = 920, 760
"""The size of a picture in pixels; a higher board can be scrolled."""

_FACE: Final = re.compile(r'src="/shelf/[^/"]+/([^"#]+)#([^"]+)"')
_LINK: Final = re.compile(r'<a class="clause" href="[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
_FONTS: Final = re.compile(r"@font-face\s*{[^}]*}|@import[^;]*;")


def html(view: View, told: Sequence[wire.Sentence] = ()) -> str:
    """Return a frame that holds the board and all that it needs: its styles, and the cards that are on it.

    >>> import parlour
    >>> html(parlour.load("kuhn").new(seed=1).view(0)).startswith("<iframe srcdoc=")
    True
    """
    shown = _document(view, told)
    style = f"width:100%;max-width:{WIDTH}px;height:{HEIGHT}px;border:0"
    return f'<iframe srcdoc="{escape(shown)}" style="{style}" title="{escape(_title(view))}" sandbox></iframe>'


def svg(view: View, told: Sequence[wire.Sentence] = ()) -> str:
    """Return what a seat sees, as an SVG document.

    >>> import parlour
    >>> svg(parlour.load("kuhn").new(seed=1).view(0)).startswith("<svg ")
    True
    """
    strict = _Strict()
    strict.feed(_document(view, told))
    strict.close()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"<title>{escape(_title(view))}</title>"
        f'<foreignObject width="{WIDTH}" height="{HEIGHT}">{"".join(strict.out)}</foreignObject></svg>'
    )


def _title(view: View) -> str:
    who = "everybody" if view.player < 0 else f"seat {view.player}"
    return f"{view.game.definition.name}, as {who} sees it"


def _document(view: View, told: Sequence[wire.Sentence]) -> str:
    game = view.game
    about = wire.About(
        table="", code="", game=game.id, players=game.players, options=dict(game.options), reveal=True, pace=0.0,
        beat=0.0, patience=0.0,
    )  # fmt: skip
    telling = wire.Telling(
        version=0, match=1, seat=view.player,
        players=[wire.SeatHolder(name, "", True, False) for name in unnamed(game.players)],
        view=None, items=list(view.items), heard=len(told), new=list(told), asked=[], hushed=False, choices=[],
        over=False, returns=[], again=[],
    )  # fmt: skip
    board = regions(Scene(about, telling, list(told), "", still=True), ["board"])["board"]
    board = _FACE.sub(lambda found: f'src="{_card(game.id, unescape(unquote(found[2])))}"', _LINK.sub(r"\1", board))
    styles = _FONTS.sub("", _styles(game.id))
    return (
        f'<html xmlns="http://www.w3.org/1999/xhtml" class="light"><head><meta charset="utf-8"/><style>{styles}</style>'
        f'</head><body class="table"><main id="main" class="room room-{escape(game.id)}">'
        f'<div id="play" class="board-{escape(game.id)}"><div id="r-board" class="felt">{board}</div></div>'
        "</main></body></html>"
    )


@cache
def _styles(game: str) -> str:
    return "".join(one.body.decode() for one in (assets.static("parlour.css"), assets.of_game(f"{game}.css")))


@cache
def _card(game: str, name: str) -> str:
    drawn = decks.back() if name == decks.BACK else decks.face(game, name)
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"


class _Strict(HTMLParser):
    """Writes HTML as XML: every element is closed, every attribute has a value."""

    EMPTY: Final = frozenset(("br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"))

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = "".join(f' {name}="{escape(name if value is None else value)}"' for name, value in attrs)
        self.out.append(f"<{tag}{given}{'/' if tag in self.EMPTY else ''}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            self.out.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.out.append(escape(data, quote=False))
