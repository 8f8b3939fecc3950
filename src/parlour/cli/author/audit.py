"""``parlour audit``: nothing leaks, nothing is lost: every check on every game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.base.errors import ParlourError
from parlour.cli.common.completing import named_games, named_players
from parlour.cli.common.options import MOST_GAMES, HouseRules, Json, PresetName, Quiet, each_known, loaded, look_here
from parlour.cli.common.stopping import stopped

if TYPE_CHECKING:
    from rich.console import Console

    from parlour.audit import Report
    from parlour.cli.common.figures import Figures

MARKS = {"ok": "[green]ok[/]", "fault": "[bold red]FAULT[/]", "nothing checked": "[bold red]nothing checked[/]"}


def audit(
    games_: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME...",
            callback=each_known,
            autocompletion=named_games,
            help="Games, or the dotted name of your own game's folder (default: all games).",
        ),
    ] = None,
    players: Annotated[
        int | None, typer.Option("--players", "-p", help="Number of players (default: every number).")
    ] = None,
    option: HouseRules = None,
    preset: PresetName = None,
    games: Annotated[
        int,
        typer.Option("--games", "-n", min=1, max=MOST_GAMES, help="Games to play at random, with the default options."),
    ] = 10,
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, help="Seed of the first random game.")] = 0,
    check: Annotated[
        list[str] | None, typer.Option("--check", "-c", help="Run only this check; may be repeated.")
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            autocompletion=named_players,
            help="A player to check instead of Parlour's own, such as my_bot.First; may be repeated.",
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Put games through every check: nothing leaks, nothing is lost, nothing contradicts itself.

    Without --option every value of every option is tried, one at a time. If random games do not end, nothing else is
    checked. Exit code 1 if a check fails, and a check that found nothing to check has failed.
    """
    from rich.console import Console

    from parlour.audit import CHECKS
    from parlour.audit import audit as audited
    from parlour.base.errors import unknown
    from parlour.engine.definition import games as known
    from parlour.players import make

    for name in check or []:
        if name not in CHECKS:
            raise unknown("check", name, CHECKS)
    if seed > 2**64 - games:
        raise ParlourError(
            "--seed must leave the last game a seed of at most 2^64 - 1; {seed} is too large for {games} games.",
            seed=seed,
            games=games,
        )
    look_here(bot or [])
    bots = {kind: partial(make, kind) for kind in bot} if bot else None
    names = games_ or known()
    fixed = {name: loaded(name, players, option, preset) for name in names} if option or players or preset else {}
    reports: list[Report] = []
    under_way = ""

    def tell(said: str) -> None:
        nonlocal under_way
        under_way = said
        progress(said)

    whole = True
    try:
        with progress_of(Console(stderr=True), quiet) as progress:
            for name in names:
                options = dict(fixed[name].options) if option else None
                reports.append(
                    audited(
                        name, players=players, options=options, games=games, seed=seed, checks=check or None,
                        bots=bots, progress=tell,
                    )
                )  # fmt: skip
    except KeyboardInterrupt:
        whole = False
    if json:
        from json import dumps

        typer.echo(
            dumps({"ok": whole and all(r.ok for r in reports), "games": [r.as_dict() for r in reports]}, indent=1)
        )
    else:
        console = Console()
        for report in reports:
            console.print(table(report))
            for result in report.results:
                if result.shortest:
                    console.print(f"{result.check}: {result.shortest}\n", markup=False, highlight=False)
                elif result.verdict == "does not apply":
                    console.print(f"{result.check}: {result.reason}", markup=False, highlight=False)
            for remark in report.remarks:
                console.print(remark, markup=False, highlight=False)
    if not whole:
        rest = " ".join(names[len(reports) :])
        at = f", at {under_way}" if under_way else ""
        raise stopped(
            f"Stopped after {len(reports)} of {len(names)} games{at}. The others: the same command with {rest}."
        )
    if not all(report.ok for report in reports):
        raise typer.Exit(1)


@contextmanager
def progress_of(console: Console, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Return a function that shows which check is running, in one place on a terminal; elsewhere, and if ``quiet``,
    nobody watches."""
    if quiet or not console.is_terminal:
        yield lambda said: None
        return
    with console.status("") as status:
        yield status.update


def table(report: Report) -> Figures:
    """Return the report as a table, with a line for each check."""
    from parlour.cli.common.figures import Figures

    settings = "1 setting" if len(report.settings) == 1 else f"{len(report.settings)} settings"
    title = f"{report.game}, {settings}: {'clean' if report.ok else 'FAULTY'}"
    shown = Figures(
        "check", "what must hold", "cases", "verdict", title=title, words=["verdict"], flowing=["what must hold"]
    )
    for result in report.results:
        shown.add_row(result.check, result.words, f"{result.cases:,}", MARKS.get(result.verdict, result.verdict))
    return shown
