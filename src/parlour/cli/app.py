"""``parlour``: the commands, and what happens when something goes wrong."""

from __future__ import annotations

import os
import sys

import typer

from parlour.cli import audit, bench, match, play, replay, rules, simulate
from parlour.errors import ParlourError

app = typer.Typer(
    name="parlour",
    help="Parlour: little-known card games, refereed. Play them, study them, build on them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (play.play, rules.rules, replay.replay, match.match, simulate.simulate, bench.bench, audit.audit):
    app.command()(command)


def main() -> None:
    """Run the command line: a mistake of the user is one sentence and exit code 2; Ctrl-C and a closed pipe end quietly."""
    try:
        app()
    except ParlourError as mistake:
        print(f"parlour: {mistake}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
