"""``parlour games``."""

from __future__ import annotations

import shutil
import textwrap

from parlour.engine.definition import definition
from parlour.engine.definition import games as all_games


def games() -> None:
    """List the games: how many play, how long it takes, and what it is about."""
    names = all_games()
    column = max(map(len, names)) + 2
    width = min(shutil.get_terminal_size((80, 24)).columns, 92)
    for name in names:
        game = definition(name)
        minutes = int(game.words["game"]["minutes"])
        players = (
            " or ".join(map(str, game.players))
            if len(game.players) < 3
            else f"{min(game.players)} to {max(game.players)}"
        )
        print(f"{name:{column}}{game.name}: {players} players, about {minutes} minute{'s' if minutes != 1 else ''}")
        print(textwrap.fill(game.about, width, initial_indent=" " * column, subsequent_indent=" " * column))
