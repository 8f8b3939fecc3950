"""Tables of figures, on screens of any width."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.cells import cell_len
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Collection

    from rich.console import Console, ConsoleOptions, RenderResult

BETWEEN: Final = 2
"""Columns of the screen between two columns of a table."""
LEAST: Final = 12
"""The least width of a text that may go on in the next line."""


class Figures:
    """A table of figures. If the screen is too narrow for it, each row becomes a paragraph, so that no figure is cut.

    ``headings``: those of the columns; the first column names the rows; ``words``: the columns that hold text and stand
    to the left; ``flowing``: the columns that may go on in the next line.

    >>> from rich.console import Console
    >>> seats = Figures("seat", "return", "95%")
    >>> seats.add_row("0", "+0.25", "-0.10 to +0.60")
    >>> Console(width=24).print(seats)
    <BLANKLINE>
    seat 0
      return: +0.25
      95%: -0.10 to +0.60
    <BLANKLINE>
    """

    def __init__(
        self, *headings: str, title: str = "", words: Collection[str] = (), flowing: Collection[str] = ()
    ) -> None:
        self._headings = headings
        self._title = title
        layout: dict[str, Any] = {"show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)}
        self._table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, **layout)
        for k, heading in enumerate(headings):
            self._table.add_column(
                heading,
                justify="right" if k and heading not in {*words, *flowing} else "left",
                no_wrap=heading not in flowing,
                overflow="fold",
                min_width=_longest(heading),
            )
        self._rows = list[tuple[str, ...]]()

    def __len__(self) -> int:
        return len(self._rows)

    def add_row(self, *cells: str) -> None:
        """Add a row, with a cell for each column."""
        self._table.add_row(*cells)
        self._rows.append(cells)
        for column, cell in zip(self._table.columns, cells, strict=True):
            longest = _longest(cell) if column.no_wrap else min(_longest(cell), LEAST)
            column.min_width = max(column.min_width or 0, longest)

    def add_section(self) -> None:
        """Draw a line below the last row."""
        self._table.add_section()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = self._table.columns
        spare = options.max_width - sum(column.min_width or 0 for column in columns) - BETWEEN * (len(columns) - 1)
        if spare >= 0:
            for k, column in enumerate(columns):
                if [one for one in columns if not one.no_wrap] == [column]:
                    room = (column.min_width or 0) + spare
                    column._cells[:] = [parted(row[k], room) for row in self._rows]
            if not self._title:
                yield Text()
            yield self._table
            yield Text()
            return
        yield Text(self._title)
        for name, *cells in self._rows:
            yield Text(f"{self._headings[0]} {name}".strip(), "bold")
            for heading, cell in zip(self._headings[1:], cells, strict=True):
                if cell.strip():
                    yield Padding(f"{heading}: {cell.strip()}" if heading else cell.strip(), (0, 0, 0, 2), expand=False)
        yield Text()


def parted(name: str, room: int) -> str:
    """Return a name that is broken after its signs, where its lines would not fit otherwise.

    >>> parted("bots_of_mine.Careful", 15)
    'bots_of_mine.\\nCareful'
    """
    lines = [""]
    for part in re.split(r"(?<=[./:_-])", name):
        if lines[-1] and cell_len(lines[-1] + part) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _longest(text: str) -> int:
    """Return the width of the longest line of a text."""
    return max(map(cell_len, text.split("\n")))


__all__ = ["Figures", "parted"]
