"""``parlour bench``: how fast Parlour is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from parlour.base.errors import ParlourError, unknown
from parlour.cli.common.completing import named_games
from parlour.cli.common.options import Json, Players, Quiet, each_known
from parlour.cli.common.stopping import stopped

if TYPE_CHECKING:
    from rich.console import Console


def bench(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME...",
            callback=each_known,
            autocompletion=named_games,
            help="Games (default: all that come with Parlour).",
        ),
    ] = None,
    players: Players = None,
    modes: Annotated[
        list[str] | None,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="Measure only this mode, such as bulk (any other word lists them all); may be repeated.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure briefly and roughly.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure how fast games are played, searched, copied and started on this machine, in one run.

    Example: parlour bench leduc --mode bulk --mode keys
    """
    import json

    from rich.console import Console

    from parlour.core.game import load
    from parlour.engine.definition import shelf
    from parlour.study.bench import MODES, QUICK, BenchEffort, run

    for mode in modes or ():
        if mode not in MODES:
            raise unknown("mode", mode, MODES)
    what = [load(game, players) for game in dict.fromkeys(games or shelf())]
    progress, found, whole, done = Console(stderr=True), dict[str, Any](), True, 0
    try:
        with progress.status("starting") as status:
            progress.quiet = quiet or as_json
            for game in what:
                one = run([game], QUICK if quick else BenchEffort(), status.update, modes or MODES)
                found, done = {**one, **found, "rows": [*found.get("rows", ()), *one["rows"]]}, done + 1
    except KeyboardInterrupt:
        if not done:
            raise
        whole = False
    progress.quiet = False
    measured = {row["mode"] for row in found["rows"]}
    if absent := [mode for mode in dict.fromkeys(modes or ()) if mode not in measured]:
        missing = " and ".join(absent)
        sentence = f"Nothing was measured for {missing}: a device or a library is missing, or the game is too large."
        if not measured:
            raise ParlourError(sentence)
        progress.print(sentence, soft_wrap=True)
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        print_table(Console(), found)
    if not whole:
        rest = " ".join(game.id for game in what[done:])
        raise stopped(f"Stopped after {done} of {len(what)} games. The others: the same command with {rest}.")


def print_table(console: Console, found: dict[str, Any]) -> None:
    """Print the figures of a run."""
    from parlour.cli.common.figures import Figures
    from parlour.study.bench import busy, hardware, lines

    about = found["machine"]
    console.print(f"{hardware(about)}; {found['date'][:10]}; medians, in turns", soft_wrap=True)
    if busy(found):
        console.print(
            "The machine is busy with other work; on a quiet one the figures would be higher.", soft_wrap=True
        )
    headings = ("game", "mode", "engine", "threads", "median", "Parlour is")
    table = Figures(*headings, words=("mode", "engine"), flowing=headings[-1:])
    for game in dict.fromkeys(row["game"] for row in found["rows"]):
        for line in lines(found, game):
            table.add_row(game, line.mode, line.engine, line.threads, line.figure, line.ratio)
        table.add_section()
    console.print(table)
    console.print(
        "bulk, batch_tensor and keys are three different things: docs/bench.md, which comes with the sources, says "
        "what each mode measures."
    )
