"""``parlour verify``: whether the cards of a record follow from the secret and the players' numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from parlour.cli.files import called, read
from parlour.errors import BadRecord, ParlourError


def verify(file: Annotated[str, typer.Argument(help="A whole record; - reads standard input.")]) -> None:
    """Check the deal in a record: that nobody chose any of its cards.  The exit code is 1 if somebody did."""
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
