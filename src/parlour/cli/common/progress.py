"""A bar that counts games while a command plays them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any


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
