"""States and views as text and as pictures in a notebook: all of it, nothing fetched, and nothing more than is seen."""

from __future__ import annotations

import io
import re
import sys
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

import parlour
from parlour import EVERYBODY
from parlour.base import languages
from parlour.base.disk import installed_text
from parlour.cli.play.screen import RichScreen
from parlour.core import drawing
from parlour.engine.steps import unnamed
from tests.helpers import GAMES, Setting, ends, play, there


@pytest.mark.parametrize("game", GAMES)
def test_every_table_is_drawn_in_one_piece(game: str) -> None:
    state = parlour.load(game).new(seed=3)
    for _ in range(2):
        if state.is_terminal:
            break
        state.apply(state.legal_actions(state.acting[0])[-1], state.acting[0])
        for view in (state.view(0), state.view(EVERYBODY)):
            html, svg = there(view._repr_html_()), there(view._repr_svg_())
            ElementTree.fromstring(svg)
            for shown in (html, svg):
                assert not re.search(r"""(src|href)=(&quot;|"|')(?!data:|#)""", shown)
                assert "url(" not in shown.replace("url(data:", "")
                assert "<script" not in shown
            assert str(view).strip()


TABLES = [one for game in GAMES for one in ends(game)]
TABLES += [Setting("pope_joan", 3, (("version", version),)) for version in ("foster_trump", "classic")]
STOPS = ("commit", "newmarket", "pope_joan")


@pytest.mark.parametrize("setting", TABLES, ids=str)
def test_at_the_terminal_a_table_is_drawn_and_told_in_sentences(setting: Setting) -> None:
    """Whatever stage a match is at, nothing is cut off, however narrow the screen is (for many players: 80 columns)."""
    game, looked = setting.load(), set[Any]()
    drawn, names, few = drawing.Drawing(game.definition), unnamed(game.players), setting == ends(setting.game)[0]
    for state in play(game.new(seed=3), 3, 250):
        stage = state.observation().get("stage")
        if stage in looked or not (state.acting or state.is_terminal):
            continue
        looked.add(stage)
        for view in (state.view(state.acting[0] if state.acting else 0), state.view(EVERYBODY)):
            assert len(drawing.as_text(view).splitlines()) > 1
            told = drawn.lines(view, names)
            assert told
            assert all(line.endswith((".", ":", "?", "!")) for line in told), told
            has_signs = dict[int, bool]()
            for width in (40, 44, 60, 80) if few else (80,):
                console = Console(width=width, file=io.StringIO())
                RichScreen(drawn, 0, console).table(view, names, [])
                shown = console.file.getvalue()  # type: ignore[attr-defined]
                assert "…" not in shown, "nothing is cut off"
                assert max(map(len, shown.splitlines())) <= width
                assert width < 80 or len(shown.splitlines()) <= 23
                has_signs[width] = "♣" in shown
            assert not few or has_signs[60] == has_signs[80] or game.id not in STOPS, "drawn at 60 columns too"
    assert all(line.endswith(".") for line in drawn.result(state.view(0), state.returns(), names))


def test_a_plain_table_speaks_the_readers_language_and_begins_with_something(monkeypatch: pytest.MonkeyPatch) -> None:
    view, told = parlour.load("hearts").new(seed=3).view(0), drawing.facts
    monkeypatch.setattr(drawing, "facts", lambda *given: [one for one in told(*given) if one.seated])
    console = Console(file=io.StringIO(), width=80)
    with languages.speaking("de"):
        console.print(drawing.picture(view, unnamed(4), [], 80))
    first, *rows = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert first.strip()
    assert [row.split()[1:] for row in rows if "Stich" in row] == [["keine"] * 4]


def test_the_board_lies_in_what_the_styles_of_a_table_look_for() -> None:
    page = installed_text("parlour.server.page", "templates", "table.html")
    picture = there(parlour.load("kuhn").new(seed=1)._repr_svg_())
    assert '<body class="table">' in picture
    parts = '<main id="main" class="room room-', ' id="play"', ' class="board-', '<div id="r-board" class="felt">'
    for around in parts:
        assert around in page
        assert around in picture


def test_a_state_is_shown_as_the_player_to_act_sees_it() -> None:
    state = parlour.load("kuhn").new(seed=1)
    assert str(state) == str(state.view(0)) != str(state.view(1))
    assert state._repr_html_() == state.view(0)._repr_html_()
    assert state._repr_svg_() == state.view(0)._repr_svg_()
    fast = parlour.load("kuhn").new(seed=1, binding="compiled")
    assert (str(fast), fast._repr_html_(), fast._repr_svg_()) == (str(state), state._repr_html_(), state._repr_svg_())
    nobody = parlour.load("kuhn").new()
    assert str(nobody) == str(nobody.view(EVERYBODY))


def test_without_the_page_a_notebook_shows_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "parlour.server.page.notebook", None)
    state = parlour.load("kuhn").new(seed=1)
    assert state._repr_html_() is None
    assert state._repr_svg_() is None
    assert str(state)
