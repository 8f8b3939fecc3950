"""``parlour corpus``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parlour.base.errors import ParlourError
from parlour.cli.common.completing import named_games, named_players
from parlour.cli.common.options import (
    MOST_GAMES,
    MOST_IN_BULK,
    HouseRules,
    Jobs,
    Json,
    PresetName,
    Quiet,
    each_known,
    loaded,
    look_here,
)
from parlour.cli.common.progress import GamesBar
from parlour.cli.common.stopping import stopped


def corpus(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder, which gets one for each game.")],
    game: Annotated[
        list[str] | None, typer.Argument(metavar="GAME...", autocompletion=named_games, help="Games (default: all).")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-n",
            min=1,
            max=MOST_GAMES,
            help="Games to play of each, rounded up to whole deals (default: 1000).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the deals and the players.")] = 0,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="PLAYER",
            autocompletion=named_players,
            help="A kind of player that takes seats, in turn with the others named: best:200, learned … Games that do"
            " not have it go without. (default: rule-of-thumb and random)",
        ),
    ] = None,
    decisions: Annotated[
        int | None,
        typer.Option(
            "--decisions",
            min=1,
            max=MOST_IN_BULK,
            help="Decisions of each instead of games. Only steps are kept, for parlour.study.decisions; the same"
            " command goes on where it was stopped, and a higher number adds to what is there.",
        ),
    ] = None,
    option: HouseRules = None,
    preset: PresetName = None,
    jobs: Jobs = None,
    parquet: Annotated[bool, typer.Option("--with-parquet", help="Write the decisions as a Parquet file too.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a corpus of games between bots: records, and every decision with what the player saw and what came of it.

    The same command writes the same bytes everywhere; the digest that is printed for each game proves it. If you stop
    it with Ctrl-C, the same command goes on with the game that is not finished.

    Example: parlour corpus there --games 1000

    Example: parlour corpus there leduc --decisions 1000000 --by best:200
    """
    import json
    import os
    import sys

    from parlour.base.extras import require
    from parlour.core.game import load
    from parlour.engine.definition import games as known
    from parlour.study.corpus import GAMES, parts, players_of
    from parlour.study.datasets import digest

    if parquet:
        require("study", "--with-parquet")
    if decisions is not None:
        require("fast", "--decisions")
    names, players = each_known(game), by or ()
    if (option or preset) and not names:
        raise ParlourError("--option and --preset belong to a game; name the games that have these house rules.")
    chosen = [loaded(name, None, option, preset) for name in names] if names else None
    look_here(players)
    for one in (chosen or map(load, known())) if players and not quiet else ():
        if set(seats := players_of(one, players)) != set(players):
            print(f"{one.id}: the seats are taken by {', '.join(seats)}.", file=sys.stderr)
    written: list[dict[str, object]] = []
    each, of = decisions or games or GAMES, len(names or known())
    try:
        with GamesBar(each * of, quiet or as_json, "decisions" if decisions else "games") as bar:
            cores, progress = jobs or os.cpu_count() or 1, lambda done: bar(len(written) * each + min(done, each))
            for chapter in parts(folder, chosen, games, seed, cores, parquet, players, decisions, progress):
                many = {} if chapter.decisions is None else {"decisions": chapter.decisions}
                written.append({"game": chapter.game, "games": chapter.games, **many, "sha256": chapter.digest})
                if not as_json:
                    counted = f"{chapter.games:6} games" + (f" {chapter.decisions:8} decisions" if many else "")
                    print(f"{chapter.game:12} {counted}  sha256 {chapter.digest}", flush=True)
    except KeyboardInterrupt:
        raise stopped(f"Stopped after {len(written)} of {of} games' folders; the same command goes on.") from None
    if as_json:
        print(json.dumps({"games": written, "sha256": digest(folder)}))
    else:
        print(f"{'corpus':12} {'':6}        sha256 {digest(folder)}")
