"""``parlour verify``: whether the cards of a record follow from the secret and the players' numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Final

import typer

from parlour.base.errors import ParlourError
from parlour.base.languages import gettext as _
from parlour.base.languages import translated
from parlour.cli.common.files import read, wrong_in
from parlour.cli.common.options import Json, Language, speak
from parlour.cli.play.record_files import find
from parlour.cli.play.replay import names_of

if TYPE_CHECKING:
    from parlour.core.verifying import Verdict

UNFINISHED: Final = 3
"""The exit code for a record in which nothing is wrong, but whose match is not finished."""
SHORTEST: Final = 8
"""The fewest characters of a link by which it can be known."""


def verify(
    file: Annotated[str, typer.Argument(help="A whole record; - reads standard input.")],
    link: Annotated[
        list[str] | None, typer.Option(help="A link that you noted at the table, or its beginning; may be repeated.")
    ] = None,
    as_json: Json = False,
    language: Language = None,
) -> None:
    """Check the deal in a record: that nobody chose any of its cards, and that nothing in it was changed.

    The exit code is 1 if something is wrong, and 3 if nothing is, but the match is not finished.

    Example: parlour verify diamonds.rec --link 3f2a91c0
    """
    speak(language)
    from parlour.core.records import replay
    from parlour.core.verifying import verify as check

    file = find(file)
    text = read(file)
    try:
        verdict, names = check(text), names_of(replay(text))
    except ParlourError as mistake:
        raise wrong_in(file, mistake) from None
    said = [translated(sentence) for sentence in verdict.in_words(text, names)]
    missing = [noted for noted in link or [] if not _stands(noted, verdict)]
    for noted in link or []:
        if noted in missing:
            said.append(_("The link {link} is NOT in the record.", link=noted))
        else:
            said.append(_("The link {link} is in the record.", link=noted))
    if as_json:
        found = {"fair": verdict.is_fair, "finished": verdict.is_whole, "missing_links": missing, "said": said}
        print(json.dumps(found, ensure_ascii=False))
    else:
        print(*said, sep="\n")
    raise typer.Exit(1 if missing or not verdict.is_fair else 0 if verdict.is_whole else UNFINISHED)


def _stands(noted: str, verdict: Verdict) -> bool:
    """Whether a link that begins like this is one of the record's chain."""
    wanted = noted.strip().rstrip("…").casefold()
    if len(wanted) < SHORTEST:
        raise ParlourError(
            "{noted!r} is too short for a link; give at least its first {shortest} characters.",
            noted=noted,
            shortest=SHORTEST,
        )
    return any(known.startswith(wanted) for known in (verdict.chain.links if verdict.chain else ()))
