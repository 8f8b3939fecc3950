"""``parlour atlas``: what every house rule of every game changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from parlour.base.disk import put
from parlour.base.errors import ParlourError
from parlour.cli.common.completing import named_games, named_players
from parlour.cli.common.options import MOST_IN_BULK, Jobs, Json, Quiet, each_known, look_here
from parlour.cli.common.progress import GamesBar
from parlour.cli.common.stopping import stopped
from parlour.cli.common.wrapping import many
from parlour.engine.definition import definition, shelf


def atlas(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="GAME...", autocompletion=named_games, help="Games (default: all of Parlour's)."),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--games", "-n", max=MOST_IN_BULK, help="Games to play, in all, about (default: 10000000)."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where the atlas goes, and what has been played is kept.")
    ] = Path("atlas"),
    players: Annotated[
        list[int] | None,
        typer.Option("--players", "-p", help="Number of players; may be repeated (default: every number)."),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            autocompletion=named_players,
            help="Kind of player in every seat (default: rule-of-thumb; random where there is none).",
        ),
    ] = None,
    jobs: Jobs = None,
    report: Annotated[
        bool, typer.Option("--report", help="Play nothing; write the report of what was played.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play every value of every house rule, one at a time, with every number of players, and write one HTML page: what
    each of them changes.

    First every setting is tried out; those of slow games then get fewer games. If you stop it with Ctrl-C, the same
    command goes on from there.

    Example: parlour atlas diamonds hearts --games 5000000 --out atlas
    """
    from parlour.players import make
    from parlour.study import atlas as study
    from parlour.study.report import page

    chosen = [str(game) for game in each_known(games) or shelf()]
    names = list(dict.fromkeys(definition(game).id for game in chosen))
    total = study.check_total(10_000_000 if number is None else number)
    opened = study.Atlas.open(out)
    look_here([player] if player and opened is None else [one.player for one in opened.trials] if opened else [])
    if opened is None:
        if report:
            raise ParlourError("There is no atlas in {folder!r}.", folder=str(out))
        trials = [trial for name in names for trial in study.trials(name, player, players or ())]
        if not trials:
            raise ParlourError(
                "None of these games can be played by {what}.", what=" or ".join(map(str, players or ()))
            )
        for trial in {trial.game: trial for trial in trials}.values():
            make(trial.player, trial.cells[0].load())  # refuses a kind of player that there is not
        with GamesBar(len(trials), quiet or as_json, "trials") as tried:
            opened = study.Atlas.begin(out, study.plan(trials, total, tried))
    elif (
        (games and names != opened.games)
        or (player and any(player != one.player for one in opened.trials))
        or (players and any(one.players not in players for one in opened.trials))
    ):
        raise ParlourError(
            "{folder!r} holds an atlas of other games or players; give another: --out FOLDER.", folder=str(out)
        )
    elif number is not None and not (report or quiet or as_json):
        planned = sum(cell.games for cell in opened.cells)
        typer.echo(f"{out} holds an atlas of {planned:,} games, which stands: --games changes nothing.", err=True)
    if not report:
        try:
            with GamesBar(sum(cell.games for cell in opened.cells), quiet or as_json) as progress:
                opened.play(jobs, progress)
        except KeyboardInterrupt:
            done = len(opened.finished())
            raise stopped(
                f"Stopped after {done:,} of {many(len(opened.cells), 'setting')}; the same command goes on."
            ) from None
    put(out / study.REPORT, page(opened))
    if as_json:
        print(json.dumps(study.as_data(opened)))
    else:
        played = sum(cell.games for cell in opened.finished())
        print(f"{out / study.REPORT}: {many(played, 'game')} in {many(len(opened.finished()), 'setting')}.")
