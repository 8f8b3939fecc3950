"""``parlour corpus``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parlour.cli.common.options import MOST_GAMES, Jobs, Json, each_known


def corpus(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, which gets one for each game.")],
    game: Annotated[list[str] | None, typer.Argument(help="Games (default: all).", metavar="[GAME]...")] = None,
    games: Annotated[
        int, typer.Option("--games", "-n", min=1, max=MOST_GAMES, help="Games of each, rounded up to deals.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the deals and the players.")] = 0,
    jobs: Jobs = None,
    parquet: Annotated[bool, typer.Option("--with-parquet", help="Add the decisions as a Parquet file.")] = False,
    as_json: Json = False,
) -> None:
    """Write a corpus of games between bots: records, and every decision with what the player saw and what came of it.

    The same command writes the same bytes everywhere; the digest that is printed for each game proves it.

    Example: parlour corpus there --games 1000
    """
    import json
    import os

    from parlour.base.extras import require
    from parlour.engine.hashing import seed_word
    from parlour.study.corpus import write
    from parlour.study.datasets import digest

    if parquet:
        require("study", "--with-parquet")
    seed_word(seed)
    names = each_known(game)
    written = []
    for chapter in write(folder, names, games, seed, jobs or os.cpu_count() or 1, parquet):
        written.append({"game": chapter.game, "games": chapter.games, "sha256": chapter.digest})
        if not as_json:
            print(f"{chapter.game:12} {chapter.games:6} games  sha256 {chapter.digest}", flush=True)
    if as_json:
        print(json.dumps({"games": written, "sha256": digest(folder)}))
    else:
        print(f"{'corpus':12} {'':6}        sha256 {digest(folder)}")
