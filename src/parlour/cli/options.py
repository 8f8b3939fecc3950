"""Command-line options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from parlour.errors import ParlourError
from parlour.game import Game, load

GameName = Annotated[str, typer.Argument(help="A game: diamonds, kuhn, leduc …")]
Players = Annotated[int | None, typer.Option("--players", "-p", help="Number of players (default: the fewest).")]
HouseRules = Annotated[
    list[str] | None, typer.Option("--option", "-o", help="A house rule, NAME=VALUE; may be repeated.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def loaded(game: str, players: int | None, options: list[str] | None) -> Game:
    """The game with the house rules of ``--option``.

    >>> loaded("diamonds", 3, ["trade_leaves=debris"]).options["trade_leaves"]
    'debris'
    """
    chosen: dict[str, str] = {}
    for option in options or []:
        name, equals, value = option.partition("=")
        if not equals:
            raise ParlourError(f"--option takes NAME=VALUE, not {option!r}.")
        chosen[name.strip()] = value.strip()
    return load(game, players, **chosen)
