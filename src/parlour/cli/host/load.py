"""``parlour load``: how much load a server can carry."""

from __future__ import annotations

from typing import Annotated

import typer

from parlour.cli.common.options import Json, known, loaded

MOST_GUESTS, MOST_TABLES, MOST_MOVES = 255, 10_000, 10_000


def load(
    game: Annotated[
        str, typer.Argument(callback=known, help="A game in which everybody notices every move.")
    ] = "diamondback",
    players: Annotated[int, typer.Option("--players", "-p", min=1, max=MOST_GUESTS, help="Guests at each table.")] = 4,
    tables: Annotated[int, typer.Option(min=1, max=MOST_TABLES, help="Tables.")] = 100,
    rate: Annotated[
        float, typer.Option(min=0, max=MOST_MOVES, help="Moves a second at each table; 0: as many as possible.")
    ] = 0.0,
    seconds: Annotated[float, typer.Option(min=1, max=86400, help="How long to measure.")] = 10.0,
    url: Annotated[str, typer.Option(help="A server already running (default: a new one, with a new database).")] = "",
    metrics: Annotated[str, typer.Option(help="Where that server serves its metrics: http://127.0.0.1:9100")] = "",
    database: Annotated[str, typer.Option(help="The new server's database (default: a temporary file).")] = "",
    pages: Annotated[bool, typer.Option("--pages", help="Let the guests use the page and press its buttons.")] = False,
    as_json: Json = False,
) -> None:
    """Measure a server under load: tables full of guests who play at random.

    Example: parlour load --tables 250 --rate 1; parlour load --pages --rate 1
    """
    import json
    from dataclasses import asdict

    from parlour.study.load import LoadPlan, lines, run

    loaded(game, players, None)  # refuses a number of players that cannot play it
    wanted = LoadPlan(game, players, tables, seconds, rate, pages)
    figures = run(wanted, url.rstrip("/"), database, metrics.rstrip("/"))
    if as_json:
        print(json.dumps({"wanted": asdict(wanted), "figures": asdict(figures)}, indent=1))
    else:
        print("\n".join(lines(wanted, figures)))
