"""Sentences on a terminal, where no word is broken at the edge, and counts in them."""

from __future__ import annotations

import shutil
import textwrap
from typing import TextIO


def many(n: int, thing: str) -> str:
    """Return a number with what it counts.

    >>> many(1, "game"), many(2000, "game")
    ('1 game', '2,000 games')
    """
    return f"{n:,} {thing}{'s' * (n != 1)}"


def wrapped(text: str, stream: TextIO) -> str:
    """Return a text as it is written to a stream: on a terminal, each line goes on below where its words begin; a
    program reads the lines as they are.

    >>> from io import StringIO
    >>> wrapped("one line", StringIO())
    'one line'
    """
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns - 1  # no terminal begins a line of its own after that
    return "\n".join(_filled(line, width) for line in text.split("\n"))


def _filled(line: str, width: int) -> str:
    """Return a line in several, none longer than the screen unless it is one word, such as an address.

    >>> print(_filled("  choose from: dividha, odds", 20))
      choose from:
      dividha, odds
    """
    if len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(line, max(width, 20), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
