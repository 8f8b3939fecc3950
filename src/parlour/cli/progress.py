"""A bar that counts games while a command plays them."""

from __future__ import annotations

from collections.abc import Callable


class GamesBar:
    """A bar on a terminal, nothing elsewhere or if ``quiet``; ``what`` is counted."""

    def __init__(self, games: int, quiet: bool = False, what: str = "games") -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        console = Console(stderr=True)
        self._bar = Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal)
        self._task = self._bar.add_task(what, total=games)

    def __enter__(self) -> Callable[[int], None]:
        self._bar.start()
        return lambda done: self._bar.update(self._task, completed=done)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
