"""Command-line options that several commands share."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from parlour.base.errors import ParlourError, unknown
from parlour.base.languages import gettext as _
from parlour.base.languages import languages
from parlour.base.languages import speak as speak_from_now_on
from parlour.base.languages.preferences import of_terminal
from parlour.cli.common.completing import named_games, named_house_rules, named_presets
from parlour.core.game import Game
from parlour.core.game import loaded as with_rules
from parlour.engine.definition import definition, folders_here, games, no_game, register_local, smaller
from parlour.players.kind import Kind
from parlour.players.plugins import is_own

MOST_THREADS = 256
"""The most threads, or processes, that a command starts."""
MOST_GAMES = 10**9
"""The most games that are played one by one. Of games in bulk, there may be a thousand times as many."""
MOST_IN_BULK = 1000 * MOST_GAMES
LONGEST = 30 * 86_400.0
"""The most seconds that a command may be given."""
MOST_ROWS = 10**9
MOST_GIB = 10**6


def game_called(name: str) -> str | None:
    """Return the id of the game that somebody calls so, whatever the case and whatever stands between words; ``None``
    if there is none, or if it could be several. It may be one whose folder lies here.

    >>> [game_called(name) for name in ("Pope Joan", "pope-joan", "KUHN", "Kuhn poker", "Commit 8", "pope")]
    ['pope_joan', 'pope_joan', 'kuhn', 'kuhn', 'commit-8', None]
    """
    if not (wanted := _key(name)):
        return None
    for one in folders_here():
        if wanted.startswith(_key(one)):
            register_local(one)
    found = {one for one in games() if _key(one) == wanted}
    found = found or {one for one in games() if _key(definition(one).name) == wanted}
    found = found or {one for one in smaller() if _key(one) == wanted}
    return found.pop() if len(found) == 1 else None


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.casefold())


def known(name: str | None) -> str | None:
    """Return the id of a game that is named by its id, also as :func:`game_called` reads it, or, if it is not
    installed, by the name of its folder as seen from the current folder (dotted or with slashes if it lies deeper).
    Raises ``ParlourError`` if there is no such game.

    >>> known("parlour.games.kuhn"), known("Kuhn")
    ('kuhn', 'kuhn')
    """
    if name is None or name in games():
        _say_which(name)
        return name
    if os.path.isfile(name):
        raise ParlourError(
            "{name!r} is a file, not a game; a recorded game is continued with parlour play --resume {name}.", name=name
        )
    if not os.path.isdir(name) and (called := game_called(name)):
        return called
    parts = Path(name).parts  # a shell completes my_game to my_game/
    if not parts or Path(name).is_absolute() or os.pardir in parts:
        raise _elsewhere(no_game(name, folders_here()))
    name = ".".join(parts)
    try:
        return register_local(name)
    except ParlourError:
        if "." in name:
            raise
    try:
        definition(name)
    except ParlourError as wrong:
        base = name.partition("-")[0]
        raise _elsewhere(wrong if base in games() else no_game(name, folders_here())) from None
    return name


def _say_which(name: str | None) -> None:
    """Say so if a game that is installed is not the one whose folder of the same name lies here."""
    if name is None or not Path(name, "rules.py").is_file():
        return
    found = find_spec(definition(name).package)
    if found is not None and found.origin and Path(found.origin).resolve().parent != Path(name).resolve():
        said = _("{name} is the game that is installed, not the one in the folder {name} here.", name=name)
        print(f"parlour: {said}", file=sys.stderr)


def _elsewhere(wrong: ParlourError) -> ParlourError:
    """There is no such game here; there may be one elsewhere."""
    return ParlourError(
        "{wrong} Parlour finds games of your own only in the folder where you run the command.", wrong=wrong.args[0]
    )


def look_here(kinds: Sequence[str]) -> None:
    """Let players of your own be found in the current folder, if one of these kinds may be such a player."""
    if "" not in sys.path and any(is_own(Kind.parsed(kind)) for kind in kinds):
        sys.path.insert(0, "")


def each_known(names: list[str] | None) -> list[str] | None:
    """Return the ids of several games, as :func:`known` finds them."""
    return None if names is None else [str(known(name)) for name in names]


GameName = Annotated[
    str,
    typer.Argument(
        callback=known,
        autocompletion=named_games,
        help="A game: diamonds, kuhn, leduc …, or the dotted name of its folder.",
    ),
]
Players = Annotated[int | None, typer.Option("--players", "-p", help="Number of players (default: the fewest).")]
HouseRules = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", autocompletion=named_house_rules, help="A house rule, NAME=VALUE; may be repeated."),
]
PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        autocompletion=named_presets,
        help="House rules that the game recommends by name, such as lively; --option may add more.",
    ),
]
Language = Annotated[
    str | None, typer.Option("--language", help="The language to read, such as de (default: that of the terminal).")
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, max=MOST_THREADS, help="How much to do at a time (default: one a core)."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def speak(language: str | None) -> None:
    """Speak a language from now on: that of ``--language`` or, without it, that of the terminal. Raises
    ``ParlourError`` if there is no such language."""
    if language is not None and language not in languages():
        raise unknown("language", language, languages())
    speak_from_now_on(language or of_terminal())


def loaded(game: str, players: int | None, options: list[str] | None, preset: str | None = None) -> Game:
    """Return the game with the house rules of ``--preset`` and ``--option``; where both set the same one, ``--option``
    counts.

    >>> loaded("diamonds", 3, ["trade_leaves=debris"]).options["trade_leaves"]
    'debris'
    """
    return with_rules(game, players, house_rules(options), preset)


def house_rules(options: list[str] | None) -> dict[str, str]:
    """Return the house rules of ``--option``, by name.

    >>> house_rules(["deals=3", "stakes = spread"])
    {'deals': '3', 'stakes': 'spread'}
    """
    chosen = dict[str, str]()
    for option in options or []:
        name, equals, value = option.partition("=")
        if not equals:
            raise ParlourError("--option takes NAME=VALUE, not {option!r}.", option=option)
        chosen[name.strip()] = value.strip()
    return chosen
