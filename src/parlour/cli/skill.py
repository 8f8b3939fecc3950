"""``parlour skill``: how much of a game is skill, and how much luck."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.cli.options import GameName, HouseRules, Json, Players, loaded
from parlour.errors import ParlourError

if TYPE_CHECKING:
    from parlour.game import Game
    from parlour.study.skill import Step

MOST_SECONDS = 86_400


def skill(
    game: GameName,
    players: Players = None,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Time to play, in all; compiling, when it is needed, comes on top.")
    ] = 60.0,
    simulations: Annotated[
        int, typer.Option("--simulations", min=1, help="Simulations a move of the players who search.")
    ] = 400,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the deals and the players.")] = 0,
    option: HouseRules = None,
    processes: Annotated[int | None, typer.Option("--processes", help="Processes (default: one a core).")] = None,
    as_json: Json = False,
) -> None:
    """Measure skill and luck: players of a ladder (random, rule of thumb, search, best) meet pair by pair. For each
    pair it says how much the better one wins, how many games it takes to be certain of that, and how much of the
    variance is player, seat and cards.

    Example: parlour skill diamonds
    """
    import json
    import os

    from rich.console import Console

    from parlour.engine.hashing import seed_word
    from parlour.study.skill import climb, ladder
    from parlour.study.values import known

    if not 0 < seconds <= MOST_SECONDS:
        raise ParlourError(f"--seconds must be above 0 and at most {MOST_SECONDS:,}, not {seconds:g}.")
    cores = processes if processes is not None else os.cpu_count() or 1
    if cores < 1:
        raise ParlourError(f"--processes must be at least 1, not {cores}.")
    seed_word(seed)
    what = loaded(game, players, option)
    values, console = known(what), Console(stderr=True)
    with console.status("") as status:
        told = lambda said: status.update(f"{said} …") if console.is_terminal else None  # noqa: E731
        steps = climb(what, ladder(what, simulations), seconds, seed, cores, values, told)
    if as_json:
        known_game = {"game": what.id, "players": what.players, "options": dict(what.options), "seed": seed}
        print(json.dumps({**known_game, "confidence": 0.95, "steps": [step.as_data() for step in steps]}))
    else:
        _print(what, steps)


def _print(game: Game, steps: list[Step]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in ("games", "won", "±", "certain", "player", "seat", "cards"):
        table.add_column(heading, justify="right", no_wrap=True)
    for step in steps:
        half = 100 * (step.share.high - step.share.low) / 2
        table.add_row(
            f"{step.stronger} > {step.weaker}",
            f"{step.games:,}",
            f"{step.share.mean:.1%}{'*' * step.adjusted}",
            f"{half:.2f}",
            _games(step),
            *(f"{part:.1%}" for part in (step.parts.player.mean, step.parts.seat.mean, step.parts.cards)),
        )
    console = Console()
    console.print(f"{game.definition.name}, {game.players} players; a fair share is {1 / game.players:.1%}")
    console.print(table)
    how = "*: with the luck taken out. " if any(step.adjusted for step in steps) else ""
    console.print(
        f"{how}±: half of the 95% interval, in percentage points. Certain: games until an ordinary 95%"
        " interval leaves out a fair share, as people play, with all their luck. Player, seat, cards: shares of the"
        " variance of what one seat wins in one game.",
        highlight=False,
    )


def _games(step: Step) -> str:
    """Games for certainty: their number, or why there is none."""
    from parlour.study.match import LEAST

    found = step.certainty
    if step.games * step.fair < LEAST:
        return "too few games"
    if math.isfinite(found.high) and step.share.mean > step.fair:
        return f"{found.mean:,.0f}"
    if step.share.high < step.fair:
        return "not better"
    return f"over {found.low:,.0f}"
