"""``parlour skill``: how much of a game is skill, and how much luck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from parlour.base.errors import ParlourError, Stopped
from parlour.cli.common.options import (
    GameName,
    HouseRules,
    Jobs,
    Json,
    Players,
    PresetName,
    Quiet,
    house_rules,
    loaded,
)
from parlour.cli.common.stopping import stopped

if TYPE_CHECKING:
    from parlour.core.game import Game
    from parlour.study.intervals import Estimate
    from parlour.study.skill import Rung

MOST_SECONDS, MOST_SIMULATIONS = 86_400, 10**9


def skill(
    game: GameName,
    players: Players = None,
    seconds: Annotated[
        float,
        typer.Option("--seconds", min=0, max=MOST_SECONDS, help="Stop after this many seconds on idle cores, in all."),
    ] = 60.0,
    simulations: Annotated[
        int,
        typer.Option(
            "--simulations", min=1, max=MOST_SIMULATIONS, help="Simulations a move of the players who search."
        ),
    ] = 100,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the deals and the players.")] = 0,
    option: HouseRules = None,
    preset: PresetName = None,
    match: Annotated[bool, typer.Option("--match", help="Play whole matches, not single deals.")] = False,
    jobs: Jobs = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure skill and luck: players of a ladder (random, rule of thumb, search, best) meet pair by pair, in order
    of their strength. For each pair it says how much the better one wins, how many games it takes to be certain of
    that, and how much of the variance is player, seat and cards.

    Example: parlour skill diamonds
    """
    import json
    import os

    from rich.console import Console

    from parlour.engine.hashing import seed_word
    from parlour.study.skill import by_the_deal, climb, ladder
    from parlour.study.values import known

    if not seconds:
        raise ParlourError("--seconds must be above 0, not {seconds:g}.", seconds=seconds)
    cores = jobs if jobs is not None else os.cpu_count() or 1
    seed_word(seed)
    what = loaded(game, players, option, preset)
    if not match and "deals" not in house_rules(option):
        what = by_the_deal(what)
    values, console = known(what), Console(stderr=True)
    steps: list[Rung] = []
    whole = True
    try:
        with console.status("") as status:
            console.quiet = quiet or as_json
            told = lambda said: status.update(f"{said} …") if console.is_terminal else None  # noqa: E731
            steps = climb(what, ladder(what, simulations), seconds, seed, cores, values, told)
    except Stopped as stop:
        steps, whole = stop.so_far, False
    if as_json:
        known_game = {"game": what.id, "players": what.players, "options": dict(what.options), "seed": seed}
        print(json.dumps({**known_game, "confidence": 0.95, "steps": [step.as_data() for step in steps]}))
    else:
        _print(what, steps)
    if not whole:
        raise stopped("Stopped early: these are the pairs that have met so far. The same command begins again.")


def _print(game: Game, steps: list[Rung]) -> None:
    from rich.console import Console

    from parlour.cli.common.figures import Figures

    table = Figures("", "games", "won", "±", "certain", "player", "±", "seat", "cards")
    for step in steps:
        table.add_row(
            f"{step.stronger}\n> {step.weaker}",
            f"{step.games:,}",
            f"{step.share.mean:.1%}{'*' * step.adjusted}",
            _half(step.share),
            _games(step),
            f"{step.parts.player.mean:.1%}",
            _half(step.parts.player),
            f"{step.parts.seat.mean:.1%}",
            f"{step.parts.cards:.1%}",
        )

    console = Console()
    by_the_deal = game.options.get("deals") == "1"
    one, many = ("deal", "deals") if by_the_deal else ("game", "games")
    played = "single deals; " if by_the_deal else ""
    console.print(f"{game.definition.called}, {game.players} players; {played}a fair share is {1 / game.players:.1%}")
    console.print(table)
    how = "*: with the luck taken out. " if any(step.adjusted for step in steps) else ""
    console.print(
        f"{how}±: half of the 95% interval, in percentage points. Certain: {many} until an ordinary 95% interval shows"
        " that the better player gains, as people play, with all their luck. Player, seat, cards: shares of the"
        f" variance of what one seat gets in one {one}.",
        highlight=False,
    )


def _half(e: Estimate) -> str:
    return f"{100 * e.half:.2f}"


def _games(step: Rung) -> str:
    """Return the games that are needed to be certain: their number, or why there is none."""
    from parlour.study.standings import LEAST

    found = step.certainty
    if step.games * step.fair < LEAST:
        return "too few"
    if step.returns.low > 0:
        return f"{found.mean:,.0f}"
    if step.returns.high < 0:
        return "not better"
    return f"over {found.low:,.0f}"
