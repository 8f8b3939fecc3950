"""The screen: the same table on a rich terminal and in plain lines.

:class:`Screen` writes plain text, for pipes, screen readers and simple terminals: short sentences that read in order,
without drawing or colour. :class:`RichScreen` draws. Both say the same.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from parlour.base.languages import gettext as _
from parlour.base.languages import translated
from parlour.base.naming import printable
from parlour.cli.common.typed_input import called
from parlour.core.drawing import Drawing
from parlour.engine.book import Clause

if TYPE_CHECKING:
    from rich.console import Console

    from parlour.cli.common.typed_input import Choices, NumberedChoice
    from parlour.engine.definition import Definition
    from parlour.engine.telling import View

WIDEST = 92  # the most columns of a line; longer lines are hard to read
ANY_WIDTH = 1000
NARROWEST = 40  # the fewest columns for a picture


class Quit(Exception):
    """The person wants to stop: they have said so, or their input has ended (Ctrl-D)."""


def is_plain() -> bool:
    """Whether the output cannot show a picture, because it is a pipe, a simple terminal, narrow, or without Unicode."""
    if not sys.stdout.isatty() or os.environ.get("TERM", "") in ("dumb", "unknown"):
        return True
    return not _has_signs() or columns() < NARROWEST


def _has_signs() -> bool:
    """Whether the output can show the signs of which pictures and cards are made."""
    try:
        "╭░★♠▸·".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def cards_written(game: Definition) -> Callable[[str], str]:
    """Return what writes the cards in a text as the table shows them, without colour, as far as the output has their
    signs."""
    return partial(Drawing(game).written, signs=_has_signs())


def columns() -> int:
    """Return the number of columns to write in."""
    return min(shutil.get_terminal_size((80, 24)).columns, WIDEST)


def open_screen(drawing: Drawing, plain: bool, pace: float | None) -> Screen:
    """Return the best screen for the output. ``pace``: seconds to pause after each sentence about what others do
    (default: 0.25 on a terminal that draws, 0 elsewhere)."""
    if plain or is_plain():
        return Screen(drawing, pace or 0.0)
    return RichScreen(drawing, 0.25 if pace is None else pace)


class Screen:
    """A screen of plain lines."""

    draws = False

    def __init__(self, drawing: Drawing, pace: float) -> None:
        self.drawing, self.pace = drawing, pace
        self.written = partial(drawing.written, signs=_has_signs())
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self._piped = _Piped()
        self._hurry = False

    # ------------------------------------------------------------------ saying

    def say(self, text: str = "", clause: str = "") -> None:
        """Say one sentence, with the clause that it rests on."""
        text = self.written(translated(text))
        text = _unquoted(f"{printable(text)} ({clause})" if clause and f"({clause})" not in text else printable(text))
        for paragraph in text.split("\n"):
            self._write(textwrap.fill(paragraph, columns(), break_on_hyphens=False))

    def title(self, text: str) -> None:
        """Show a heading."""
        self.say(f"{text}.")

    def aside(self, text: str) -> None:
        """Say something of less weight."""
        self.say(text)

    def path(self, text: str, path: object) -> None:
        """Say a sentence that ends in a path, which is never broken."""
        self._write(f"{translated(text)} {path}")

    def gap(self) -> None:
        """Leave a little room, if the screen draws."""

    def rule(self, clause: Clause, before: str = "") -> None:
        """Show a clause of the rule book; ``before``: the choices that it is about."""
        self.say(f"{before + ': ' if before else ''}{clause.id}. {clause.text}")

    def table(self, view: View, names: Sequence[str], legal: Sequence[str]) -> None:
        """Show the table as the viewer sees it."""
        for line in self.drawing.lines(view, names):
            self.say(line)

    def choices(self, choices: Choices, captions: dict[int, str]) -> None:
        """Show what may be chosen now."""
        parts = []
        for group in choices.groups():
            names = choices.said([c.action for c in group])
            ends = [c for run in choices.runs(group) for c in (run[0], *run[1:][-1:])]
            parts.append(names if choices.is_own(group[0]) else f"{group[0].number} {names}")
            notes = [(c, captions[c.action]) for c in ends if captions.get(c.action)]
            if notes and (len(group) == 1 or _all_alike(group, captions)):
                parts[-1] += f" ({notes[0][1]})"
            elif notes:
                parts[-1] += " (" + ", ".join(f"{c.number}: {note}" for c, note in notes) + ")"
        self.say(_("Choices: {choices}.", choices="; ".join(parts)))

    def commands(self, commands: Mapping[str, str]) -> None:
        """Show the list of commands."""
        for name, about in commands.items():
            said = translated(about)
            self.say(f"{said}." if said.startswith(f"`{called(name)} ") else f"{called(name)}: {said}.")

    def page(self, text: str) -> None:
        """Show a long text."""
        self._write(text)

    def _write(self, text: str) -> None:
        print(text, flush=True)

    # ------------------------------------------------------------------ waiting

    def follow(self) -> None:
        """Pause again from here on, even if Enter has skipped the pauses so far."""
        self._hurry = False

    def pause(self) -> None:
        """Give time to read a sentence. Enter skips this pause, and the rest until :meth:`follow`."""
        if self._hurry or self.pace <= 0:
            return
        if not self.interactive:
            time.sleep(self.pace)
        else:
            self._hurry = _enter_within(self.pace)

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """Show a text while something takes its time."""
        self.aside(text)
        yield

    def typed(self, seconds: float, is_wanted: Callable[[str], bool]) -> str | None:
        """Return a line that the person types unasked within ``seconds``; ``None`` if they type none. Raises
        :class:`Quit` at the end of the input. Of what comes in a pipe, a line that is not wanted waits for the next
        question, and so does the end."""
        if sys.stdin.isatty():
            return _line_within(seconds)
        line = self._piped.next(seconds)
        return self._piped.take() if line and is_wanted(line) else None

    # ------------------------------------------------------------------ asking

    prompt = "Your choice: "

    def ask(self, prompt: str | None = None) -> str:
        """Return a line from the person. Raises :class:`Quit` at the end of the input."""
        text = self.written(translated(self.prompt if prompt is None else prompt))
        lines = [textwrap.fill(line, columns(), break_on_hyphens=False) for line in text.split("\n")]
        asked = "\n".join(lines) + text[len(text.rstrip()) :]
        try:
            line = input(asked) if sys.stdin.isatty() else self._next_piped(asked)
        except (EOFError, KeyboardInterrupt) as end:
            self._write("")  # what follows begins on a line of its own
            if isinstance(end, EOFError):
                raise Quit from None
            raise
        if not sys.stdin.isatty():
            self._write(line)
        return re.sub(r"[\0\r\n]+", " ", line)  # what was pasted; and no file name may contain the first

    def _next_piped(self, asked: str) -> str:
        print(asked, end="", flush=True)
        if not self._piped.next(None):
            raise EOFError
        return self._piped.take()


class RichScreen(Screen):
    """A screen on a terminal that draws, in colour if it has any (``NO_COLOR`` is heeded)."""

    draws = True
    prompt = "› "

    def __init__(self, drawing: Drawing, pace: float, console: Console | None = None) -> None:
        super().__init__(drawing, pace)
        if console is None:
            from rich.console import Console

            console = Console(highlight=False)
        self.console = console

    @property
    def width(self) -> int:
        return min(self.console.width, WIDEST)

    def _print(self, what: Any) -> None:
        self.console.print(what, width=self.width)

    def _beside(self, text: str, right: str, indent: int = 2, style: str = "") -> None:
        from rich.padding import Padding
        from rich.table import Table

        grid = Table.grid(expand=True, padding=(0, 0, 0, 2))
        grid.add_column(ratio=1)
        grid.add_column(justify="right", no_wrap=True)
        grid.add_row(_styled(self.drawing.marked(printable(text))), f"[dim]{right}[/]", style=style)
        self._print(Padding(grid, (0, 0, 0, indent)))

    def say(self, text: str = "", clause: str = "") -> None:
        text = translated(text)
        self._beside(text.removesuffix(f" ({clause})") if clause else text, clause)

    def title(self, text: str) -> None:
        self._print(f"\n  [bold]{self.drawing.marked(printable(text))}[/]")

    def aside(self, text: str) -> None:
        self._beside(translated(text), "", style="dim")

    def path(self, text: str, path: object) -> None:
        from rich.text import Text

        self.console.print(Text(f"  {translated(text)} {path}", "dim"), soft_wrap=True)

    def gap(self) -> None:
        self._print("")

    def rule(self, clause: Clause, before: str = "") -> None:
        from rich.padding import Padding
        from rich.table import Table

        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(style="cyan", no_wrap=True, min_width=6)
        grid.add_column(ratio=1)
        text = _styled(self.drawing.marked(clause.text))
        grid.add_row(clause.id, f"[bold]{self.drawing.marked(before)}[/]  {text}" if before else text)
        self._print(Padding(grid, (0, 0, 0, 2)))

    def table(self, view: View, names: Sequence[str], legal: Sequence[str]) -> None:
        picture = self.drawing.picture(view, names, legal, self.width)

        def drawn(width: int) -> list[str]:
            lines = self.console.render_lines(picture, self.console.options.update_width(width))
            return ["".join(part.text for part in line).rstrip() for line in lines]

        if drawn(self.width) == drawn(ANY_WIDTH):
            self._print(picture)
        else:  # something would be cut off, or go on below where it does not belong
            super().table(view, names, legal)

    def choices(self, choices: Choices, captions: dict[int, str]) -> None:
        from rich.text import Text

        def noted(choice: NumberedChoice) -> Text:
            return Text.from_markup(f" ({self.drawing.marked(captions[choice.action])})", style="dim")

        def shown(choice: NumberedChoice, name: str, is_noted: bool = True) -> Text:
            text = Text.assemble((str(choice.number), "bold yellow"), Text.from_markup(self.drawing.marked(name)))
            return text.append_text(noted(choice)) if is_noted and captions.get(choice.action) else text

        parts: list[Text] = []
        for group in choices.groups():
            if choices.is_own(group[0]):
                ends, alike = [(run[0], *run[1:][-1:]) for run in choices.runs(group)], _all_alike(group, captions)
                listed = [Text(_(" to ")).join(shown(c, "", not alike) for c in some) for some in ends]
                listed[-1] = listed[-1].append_text(noted(group[0])) if alike else listed[-1]
                parts += [Text(group[0].name.rpartition(" ")[0]), *listed, Text()]
            else:
                parts += [shown(c, f" {c.name}") for c in group]
        line = Text()
        for part in parts:
            if part and len(line) + len(part) + 2 > self.width:
                line.rstrip()
                self._print(line)
                line = Text()
            line.append("  ").append_text(part)
        line.rstrip()
        self._print(line)

    def commands(self, commands: Mapping[str, str]) -> None:
        from rich.padding import Padding
        from rich.table import Table

        grid = Table.grid(padding=(0, 0, 0, 2))
        grid.add_column(style="bold", no_wrap=True)
        grid.add_column()
        for name, about in commands.items():
            grid.add_row(called(name), _styled(self.drawing.marked(translated(about))))
        self._print(Padding(grid, (0, 0, 0, 2)))

    def page(self, text: str) -> None:
        self.console.print(text)

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        with self.console.status(f"[dim]{translated(text)}[/]", spinner="dots"):
            yield

    def ask(self, prompt: str | None = None) -> str:
        return super().ask(prompt)


def _all_alike(group: Sequence[NumberedChoice], captions: Mapping[int, str]) -> bool:
    """Whether the drawing adds the same to all choices of a group, so that once is enough."""
    return len({captions.get(c.action) or "" for c in group} | {""}) == 2 and all(captions.get(c.action) for c in group)


def _unquoted(text: str) -> str:
    """Return a text without the back quotes of Markdown."""
    return text.replace("`", "")


def _styled(markup: str) -> str:
    """Return markup in which words in back quotes are set off."""
    parts = markup.split("`")
    return "".join(f"[bold]{part}[/]" if i % 2 else part for i, part in enumerate(parts))


def _enter_within(seconds: float) -> bool:
    """Return whether Enter was pressed within ``seconds``. An empty line is used up; a line with words stays there."""
    try:
        import array
        import fcntl
        import select
        import termios
    except ImportError:  # Windows
        time.sleep(seconds)
        return False
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    if not ready:
        return False
    waiting = array.array("i", [0])
    fcntl.ioctl(sys.stdin.fileno(), termios.FIONREAD, waiting)
    if waiting[0] == 1:
        os.read(sys.stdin.fileno(), 1)
    return True


class _Piped:
    """An input that is no terminal, whose next line can be looked at before it is taken."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._begun = b""

    def take(self) -> str:
        """Return the line that :meth:`next` has shown, without its end, and go on to the one after it."""
        return self._lines.pop(0).rstrip("\r\n")

    def next(self, seconds: float | None) -> str | None:
        """Return the next line (at the end of the input: an empty text) if it comes within ``seconds``, for which
        ``None`` is as long as it takes."""
        try:
            file = sys.stdin.fileno()
        except OSError:  # a text instead of a file
            self._lines = self._lines or [sys.stdin.readline()]
            return self._lines[0]
        while not self._lines:
            if seconds is not None and not _is_ready(file, seconds):
                return None
            read = os.read(file, 1 << 16)
            *whole, self._begun = (self._begun + read).split(b"\n")
            self._lines += [f"{line.decode(sys.stdin.encoding, 'replace')}\n" for line in whole]
            if not read:
                self._lines += [self._begun.decode(sys.stdin.encoding, "replace"), ""][not self._begun :]
                self._begun = b""
        return self._lines[0]


def _is_ready(file: int, seconds: float) -> bool:
    """Return whether something can be read from a file within ``seconds``."""
    try:
        import select
        import termios  # noqa: F401  # without it, select knows only sockets
    except ImportError:  # Windows
        time.sleep(seconds)
        return False
    return bool(select.select([file], [], [], seconds)[0])


def _line_within(seconds: float) -> str | None:
    """Return a line typed at the terminal within ``seconds``."""
    if not _is_ready(sys.stdin.fileno(), seconds):
        return None
    line = os.read(sys.stdin.fileno(), 4096)  # a terminal gives one line at a time
    if not line:
        raise Quit
    return re.sub(r"[\0\r\n]+", " ", line.decode(sys.stdin.encoding, "replace").strip())
