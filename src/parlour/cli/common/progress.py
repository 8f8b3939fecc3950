"""What shows on a terminal that a command is at work: a bar that counts games, a line that changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from parlour.solve.solver import Check

NOW_AND_THEN: Final = 10.0
"""Seconds between two lines about progress, where there is no terminal."""


class GamesBar:
    """A bar that counts ``what``. It is shown only on a terminal, and not if ``quiet``."""

    def __init__(self, games: int, quiet: bool = False, what: str = "games") -> None:
        from rich.console import Console

        self._bar: Any = nullcontext()
        self._go_on: Callable[[int], None] = lambda done: None
        if quiet or not (console := Console(stderr=True)).is_terminal:
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        self._bar = bar = Progress(*columns, console=console, transient=True)
        task = bar.add_task(what, total=games)
        self._go_on = lambda done: bar.update(task, completed=done)

    def __enter__(self) -> Callable[[int], None]:
        self._bar.__enter__()
        return self._go_on

    def __exit__(self, *_: object) -> None:
        self._bar.__exit__(None, None, None)


class ProgressLine:
    """A line that changes on a terminal; elsewhere, a new line now and then."""

    def __init__(self, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import Progress, TextColumn

        console = Console(stderr=True)
        self.done, hidden = 0, quiet or not console.is_terminal
        self._writes, self._next = hidden and not quiet, time.monotonic() + NOW_AND_THEN
        self._line = Progress(TextColumn("{task.description}"), console=console, transient=True, disable=hidden)
        self._task = self._line.add_task("")

    def __enter__(self) -> ProgressLine:
        self._line.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._line.stop()

    def _say(self, said: str) -> None:
        self._line.update(self._task, description=said)
        if self._writes and time.monotonic() >= self._next:
            self._next = time.monotonic() + NOW_AND_THEN
            typer.echo(said, err=True)

    def grown(self, nodes: int, thought: float) -> None:
        self._say(f"tree: {nodes:,} of about {max(thought, nodes):,.0f} nodes")

    def checked(self, check: Check) -> None:
        known = f"exploitability {check.exploitability:.3g}, {check.lower:+.6f} to {check.upper:+.6f}"
        self._say(f"{check.iterations:,} iterations: {known}")

    def sampled(self, iterations: int, sets: int) -> None:
        self._say(f"{iterations:,} iterations, {sets:,} information sets met")

    def asked(self, done: int, sets: int) -> None:
        self.done = done
        self._say(f"asked: {done:,} of {sets:,} information sets")
