"""``parlour verify``: whether the cards of a record fell as the secret and the players' numbers say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from parlour.cli.files import called, read
from parlour.errors import BadRecord, ParlourError

if TYPE_CHECKING:
    from parlour.fair_deal import Verdict


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
    for sentence in sentences(verdict, text, names):
        print(sentence)
    raise typer.Exit(0 if verdict.is_fair else 1)


def sentences(verdict: Verdict, text: str, names: Sequence[str]) -> list[str]:
    """What was found, for people."""
    said = ["The secret fits the commitment." if verdict.fits else "The secret does NOT fit the commitment."]
    if verdict.wrong is None:
        said.append(f"All {verdict.nodes} cards and other chances fell as the secret and the players' numbers say.")
    else:
        node, stands, follows = verdict.wrong
        line = [n for n, line in enumerate(text.split("\n"), 1) if re.match(r"\s*chance\s*:", line)][node]
        said.append(f"Line {line}: {stands!r} happened, but the secret and the players' numbers give {follows!r}.")
    for seat, deal in sorted(verdict.contributed.items()):
        since = "" if deal == 1 else f" from deal {deal} on"
        said.append(f"{names[seat]} put a number in{since}.")
    if not verdict.contributed:
        said.append("No player put a number in: the deal follows from the secret alone, which the host chose.")
    return said
