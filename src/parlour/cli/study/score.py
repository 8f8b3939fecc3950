"""``parlour score``: the benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parlour.base.errors import ParlourError, unknown
from parlour.cli.common.completing import named_players
from parlour.cli.common.options import MOST_GAMES, Json, Quiet, look_here
from parlour.cli.common.stopping import stopped


def score(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER...",
            autocompletion=named_players,
            help="Files that hold a policy, or kinds of players: random, search:200, my_bot.First, cfr+:1000.",
        ),
    ],
    setting: Annotated[
        list[str] | None,
        typer.Option("--setting", metavar="NAME", help="A setting of the benchmark (default: all); may be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where the scores are kept; the same command goes on from there."),
    ] = None,
    answer: Annotated[
        int,
        typer.Option(
            "--answer",
            min=0,
            max=MOST_GAMES,
            metavar="GAMES",
            help="Measure instead what an answer to the player wins that was learned in this number of games: a lower"
            " bound.",
        ),
    ] = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure players by the benchmark: how exploitable they are in small games, and what they win from a fixed panel
    in large ones.

    The exit code is 1 if a measurement failed, as when a player breaks off.

    Example: parlour score random search:200 --setting leduc --setting commit-8
    """
    import json
    import sys
    from tempfile import TemporaryDirectory

    from parlour.study.scoring import SETTINGS, scored, table

    for name in setting or ():
        if name not in SETTINGS:
            raise unknown("setting", name, SETTINGS)
    look_here([player for player in players if not Path(player).is_file()])
    told = (lambda said: None) if quiet or as_json else lambda said: print(f"{said} …", file=sys.stderr)
    where, whole, failures = setting or [*SETTINGS], True, list[str]()

    def failed(what: str, error: ParlourError) -> None:
        failures.append(what)
        print(f"parlour: {what}: {error}", file=sys.stderr)

    with TemporaryDirectory() as folder:
        kept = out or Path(folder, "scores.json")
        try:
            found = scored(players, where, kept, told, answer, failed=failed)
        except KeyboardInterrupt:
            found, whole = scored((), where, kept), False
    if as_json:
        print(json.dumps([one._asdict() for one in found]))
    else:
        print(*table(found), sep="\n", end="\n" * bool(found))
    if failures and whole:
        raise typer.Exit(1)
    if not whole:
        goes_on = "goes on" if out is not None else "begins again; with --out FILE it would go on"
        raise stopped(f"Stopped after {len(found):,} scores. The same command {goes_on}.")
