"""``parlour bot``."""

from __future__ import annotations

from typing import Annotated

import typer

from parlour.base.languages import speaking
from parlour.cli.common.completing import named_players
from parlour.cli.common.options import MOST_GAMES
from parlour.cli.common.stopping import STOPPED
from parlour.cli.common.translated_help import readers_language

MOST_SEATS = 255


def bot(
    link: Annotated[str, typer.Argument(help="The invitation link of a table: http://localhost:8000/t/QWRTZP")],
    player: Annotated[
        str,
        typer.Option(
            "--player",
            autocompletion=named_players,
            help="Kind of player in the seat: random, rule-of-thumb, search, search:1s; or your own: my_bot.First.",
        ),
    ] = "search",
    name: Annotated[str | None, typer.Option(help="Name at the table (default: the bot's kind and a number).")] = None,
    seat: Annotated[
        int | None, typer.Option(min=0, max=MOST_SEATS, help="Seat to take, from 0 (default: any free one).")
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_GAMES, help="Leave after this many matches (default: as many as the other guests want)."
        ),
    ] = None,
) -> None:
    """Join a table on a server as a guest, and play.  Ctrl-C gives the seat up.

    You may start any number of bots, at one table or at many.  The exit code is 1 if the table or the server goes away.

    Example: parlour bot http://localhost:8000/t/QWRTZP --player search:1s
    """
    import asyncio

    from parlour.cli.common.options import look_here
    from parlour.players.kind import Kind
    from parlour.server.client.bot_client import until_stopped

    look_here([player])
    with speaking(readers_language(["bot"])):
        code = asyncio.run(until_stopped(link, Kind.parsed(player), name, seat, matches))
    if code == STOPPED:
        raise KeyboardInterrupt  # which has cancelled the bot
    raise typer.Exit(code)
