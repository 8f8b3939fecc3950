"""``parlour corpus``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parlour.cli.common.options import MOST_GAMES, MOST_THREADS, each_known


def corpus(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, which gets one for each game.")],
    game: Annotated[list[str] | None, typer.Argument(help="Games (default: all).", metavar="[GAME]...")] = None,
    games: Annotated[
        int, typer.Option("--games", "-n", min=1, max=MOST_GAMES, help="Games of each, rounded up to deals.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the deals and the players.")] = 0,
    processes: Annotated[
        int | None, typer.Option(min=1, max=MOST_THREADS, help="Processes (default: one a core).")
    ] = None,
    parquet: Annotated[bool, typer.Option("--parquet", help="Add the decisions as a Parquet file.")] = False,
) -> None:
    """Write a corpus of games between bots: records, and every decision with what the player saw and what came of it.

    The same command writes the same bytes everywhere; the digest that is printed for each game proves it.

    Example: parlour corpus there --games 1000
    """
    import os

    from parlour.base.extras import require
    from parlour.engine.hashing import seed_word
    from parlour.study.corpus import write
    from parlour.study.datasets import digest

    if parquet:
        require("study", "--parquet")
    seed_word(seed)
    names = each_known(game)
    for chapter in write(folder, names, games, seed, processes or os.cpu_count() or 1, parquet):
        print(f"{chapter.game:12} {chapter.games:6} games  sha256 {chapter.digest}", flush=True)
    print(f"{'corpus':12} {'':6}        sha256 {digest(folder)}")
