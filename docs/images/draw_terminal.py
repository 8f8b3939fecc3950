"""Draws the picture in the README with the program itself: ``python docs/images/draw_terminal.py``."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import CONSOLE_SVG_FORMAT, Console
from rich.terminal_theme import TerminalTheme

import parlour
from parlour.cli.play.local_table import Sitting
from parlour.cli.play.record_files import Keeper
from parlour.cli.play.screen import Quit, RichScreen
from parlour.core.drawing import Drawing

PLAYED = """
dig 4, S8, C5, D7, HQ
dig 0, S5, C9
dig 8, X1, on, D3, HK
dig 2, D10, H4, SJ, trade
dig 6, D2, D9, C10
dig 2, C3, CA
"""
TYPED = ["why 4"]

FORMAT = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)  # the reader's own fonts will do
NORMAL = [
    (40, 44, 52),
    (235, 110, 110),
    (140, 200, 110),
    (235, 190, 90),
    (95, 135, 215),
    (205, 130, 225),
    (90, 190, 200),
    (200, 204, 210),
]
BRIGHT = [
    (92, 99, 112),
    (245, 130, 130),
    (160, 220, 130),
    (250, 210, 110),
    (120, 160, 240),
    (225, 150, 245),
    (105, 215, 240),
    (240, 242, 245),
]
COLOURS = TerminalTheme((22, 24, 29), (214, 217, 222), NORMAL, BRIGHT)


class Scripted(RichScreen):
    """A screen at which these lines are typed."""

    def __init__(self, drawing: Drawing, console: Console, typed: list[str]) -> None:
        super().__init__(drawing, 0.0, console)
        self.interactive = False
        self.typed = typed

    def ask(self, prompt: str | None = None) -> str:
        line = self.typed.pop(0) if self.typed else ""
        self.console.print(f"{self.prompt}{line}")
        if not line:
            raise Quit
        return line


def drawn() -> str:
    """The picture of one sitting."""
    console = Console(
        record=True, file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor", highlight=False
    )
    game = parlour.load("diamonds", players=3, first_dealer=0)
    state = game.new()
    state.call_players(["Guest", "Ada", "Ben"])
    for step in PLAYED.replace("\n", ",").strip(",").split(","):
        state.apply(step)
    screen = Scripted(Drawing(game.definition), console, list(TYPED))
    try:
        Sitting(state, 0, {}, ["You", "Ada", "Ben"], screen, Keeper(game.id, "")).play()
    except Quit:
        pass
    return console.export_svg(title="parlour play diamonds --players 3", theme=COLOURS, code_format=FORMAT)


if __name__ == "__main__":
    Path(__file__).with_name("terminal.svg").write_text(drawn(), "utf-8")
