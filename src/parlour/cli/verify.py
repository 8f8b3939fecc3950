"""``parlour verify``: whether the cards of a record fell as the secret and the players' numbers say."""

from __future__ import annotations

from typing import Annotated

import typer

from parlour.cli.files import called, read
from parlour.errors import BadRecord, ParlourError


def verify(file: Annotated[str, typer.Argument(help="A whole record; - reads it from the standard input.")]) -> None:
    """Check the deal of a record: that no card of it was chosen by anybody.  Exit code 1 if one was."""
    from parlour.engine.records import replay
    from parlour.fair_deal import verify as check

    text = read(file)
    try:
        verdict, names = check(text), replay(text).player_names
    except BadRecord as bad:
        raise ParlourError(f"{called(file)}: {bad}") from None
    except ParlourError as mistake:
        raise ParlourError(f"{called(file)}: {mistake}") from None
    for sentence in verdict.in_words(text, names):
        print(sentence)
    raise typer.Exit(0 if verdict.is_fair else 1)
