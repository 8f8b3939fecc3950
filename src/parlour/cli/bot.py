"""``parlour bot``."""

from __future__ import annotations

from typing import Annotated

import typer


def bot(
    link: Annotated[str, typer.Argument(help="The invite link of a table: http://localhost:8000/t/QWRTZP")],
    player: Annotated[
        str, typer.Option("--player", help="A kind of player: random, rule-of-thumb, search, search:1s.")
    ] = "search",
    name: Annotated[str | None, typer.Option(help="What the bot is called (default: its kind and a number).")] = None,
    seat: Annotated[
        int | None, typer.Option(min=0, help="The seat to take, from 0 (default: any that is free).")
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(min=1, help="Play so many matches, then leave (default: as many as the other guests want)."),
    ] = None,
) -> None:
    """Sit down at a table of a server as a guest, and play.  Ctrl-C gives the seat back.

    Any number of bots may be started, at one table or at many.  Exit code 1 if the table or the server goes away.
    """
    import asyncio

    from parlour.room.guest import until_stopped

    raise typer.Exit(asyncio.run(until_stopped(link, player, name, seat, matches)))
