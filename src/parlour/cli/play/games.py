"""``parlour games``."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Sequence
from typing import Annotated, Final

import typer

from parlour.base.errors import ParlourError
from parlour.base.languages import gettext as _
from parlour.base.languages import ngettext, translated
from parlour.cli.common.options import Json, Language, game_called, speak
from parlour.cli.common.typed_input import whole
from parlour.engine.definition import Definition, definition, register_here, smaller
from parlour.engine.definition import games as all_games
from parlour.engine.families import worth

NARROWEST: Final = 20
"""Columns of the narrowest list."""
MINUTES: Final = 10
"""About how many minutes a match takes if its game does not say it; the page assumes the same."""


Study = Annotated[bool, typer.Option("--study", help="List the smaller games for study, and what each is worth.")]


def games(study: Study = False, as_json: Json = False, language: Language = None) -> None:
    """List the games: how many play, how long it takes, and what it is about."""
    speak(language)
    for name, wrong in register_here().items():
        if wrong:
            print(_("{name} is left out: {why}", name=name, why=translated(wrong)), file=sys.stderr)
    if study:
        _show_smaller(as_json)
        return
    if not as_json:
        show_games()
        return
    print_games()


def print_games() -> None:
    """Print the games for programs: also how long matches take by the presets that are not standard."""
    listed = [
        {
            "id": game.id,
            "name": game.title,
            "players": [*game.players],
            "minutes": _minutes(game),
            "presets": {name: preset.minutes for name, preset in game.presets.items() if preset.options},
            "for_newcomers": game.for_newcomers.name if game.for_newcomers else None,
            "about": game.gist,
        }
        for game in map(definition, all_games())
    ]
    print(json.dumps(listed, ensure_ascii=False))


def _show_smaller(as_json: bool) -> None:
    """Print the smaller games of all families: what they are, and the known bounds of their value to seat 0."""
    found = {name: definition(name).made for name in smaller()}
    if as_json:
        listed = []
        for name, made in found.items():
            kept = {key: getattr(made, key) for key in ("about", "options", "value", "after", "reduced", "source")}
            kept["options"] = {option: str(value) for option, value in made.options.items()}
            listed.append({"id": name, **kept})
        print(json.dumps(listed))
        return
    column = max(map(len, found)) + 2
    for name, made in found.items():
        print(f"{name:{column}}{made.about}{f'  {worth(made)}' if made.value else ''}")


def show_games() -> None:
    """Print the games, in the language that is spoken."""
    names = all_games()
    column = max(map(len, names)) + 2
    width = _width()
    beside = width >= 3 * column
    indent = " " * (column if beside else 2)
    for name in names:
        game = definition(name)
        if not beside:
            print(name)
        texts = (_in_a_line(game), f"{name:{column}}" if beside else indent), (_with_advice(game), indent)
        for text, begins in texts:
            print(textwrap.fill(text, width, initial_indent=begins, subsequent_indent=indent, break_on_hyphens=False))


def _width() -> int:
    return max(NARROWEST, min(shutil.get_terminal_size((80, 24)).columns, 92))


def asked_game(names: Sequence[str], refusal: ParlourError) -> str:
    """Return the game that somebody at a terminal chooses from a list, by its number or by how its name begins. Raises
    ``refusal`` if nobody is there to be asked."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise refusal
    for number, name in enumerate(names, 1):
        line = _in_a_line(definition(name))
        print(textwrap.fill(line, _width(), initial_indent=f"{number:3}  ", subsequent_indent=" " * 5))
    while True:
        try:
            typed = input(_("Which game? ")).strip()
        except EOFError:
            raise typer.Abort from None
        if 1 <= (chosen := whole(typed) or 0) <= len(names):
            return names[chosen - 1]
        if (called := game_called(typed)) in names:
            return str(called)
        found = [name for name in names if typed and name.startswith(re.sub(r"[ -]", "_", typed.casefold()))]
        if len(found) == 1:
            return found[0]
        print(textwrap.fill(_("Type a number from 1 to {most}, or the name of a game.", most=len(names)), _width()))


def _in_a_line(game: Definition) -> str:
    return ngettext(
        "{game}: {players} players, about {n} minute with bots",
        "{game}: {players} players, about {n} minutes with bots",
        _minutes(game), game=game.title, players=_numbers(game.counts()),
    )  # fmt: skip


def _with_advice(game: Definition) -> str:
    """Return what a game is about, and by which rules to begin, if not by the standard ones; the page begins so."""
    if not (first := game.for_newcomers):
        return game.gist
    advice = ngettext(
        "Best to begin with: --preset {preset}, about {n} minute.",
        "Best to begin with: --preset {preset}, about {n} minutes.",
        first.minutes, preset=first.name,
    )  # fmt: skip
    return f"{game.gist} {advice}"


def _minutes(game: Definition) -> int:
    said = game.words["game"].get("minutes", MINUTES)
    if not isinstance(said, int):
        raise ParlourError(
            "{package}/words.toml: minutes must be a whole number, not {said!r}.", package=game.package, said=said
        )
    return said


def _numbers(players: Collection[int]) -> str:
    """Return how many can play, in words.

    >>> _numbers((2, 3)), _numbers((3, 4, 5)), _numbers((2,))
    ('2 or 3', '3 to 5', '2')
    """
    fewest, most = min(players), max(players)
    if len(players) > 2:
        return _("{fewest} to {most}", fewest=fewest, most=most)
    return str(most) if fewest == most else _("{fewest} or {most}", fewest=fewest, most=most)
