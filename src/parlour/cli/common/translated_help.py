"""The help of commands, and the errors of a command line, in the reader's language.

Typer writes both. Its texts, and ours that it shows, are translated when they are shown.
"""

from __future__ import annotations

import math
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from itertools import zip_longest
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any, Final

from typer import BadParameter
from typer.core import TyperCommand, TyperGroup

from parlour.base.languages import ENGLISH, languages, pgettext, speaking
from parlour.base.languages.preferences import of_terminal

if TYPE_CHECKING:
    from collections.abc import Iterable

FOR_PLAYERS: Final = ("play", "learn", "games", "rules", "odds", "replay", "verify")
"""The commands that follow the reader's language; the others are for hosts, for research and for programmers."""
IN_WORDS: Final = (*FOR_PLAYERS, "serve", "bot")
"""The commands that say in the reader's language what happens and what is wrong; those for hosts have English help."""
DOORS: Final = {"play": "Play", "study": "Study", "author": "Build", "host": "Host"}
"""What the commands in each folder of ``parlour.cli`` are for: the headings of their list."""
TYPERS: Final = {
    "ARGUMENTS_PANEL_TITLE": "Arguments",
    "OPTIONS_PANEL_TITLE": "Options",
    "COMMANDS_PANEL_TITLE": "Commands",
    "DEFAULT_STRING": "[default: {}]",
    "REQUIRED_LONG_STRING": "[required]",
}
"""Typer's own words in a help text, by the name under which it keeps them."""
USAGE: Final = "Usage:"
SHOW_HELP: Final = "Show this message and exit."
COMPLETION: Final = (
    "Install completion for the current shell.",
    "Show completion for the current shell, to copy it or customize the installation.",
)
FOR_OPTIONS: Final = "[OPTIONS]"
FOR_COMMANDS: Final = "COMMAND [ARGS]..."
NARROW: Final = 64
"""The width of the screen, in columns, below which what an option does stands under it and not beside it."""
BY_TYPE: Final = {"int": "NUMBER", "int range": "NUMBER", "float": "NUMBER", "float range": "NUMBER", "path": "FILE"}
BY_NAME: Final = {
    **dict.fromkeys(("against", "bot", "by"), "PLAYER"),
    **dict.fromkeys(("keep_chat", "keep_finished", "keep_results", "keep_secrets"), "TIME"),
    "after": "ACTIONS",
    "clause": "CLAUSE",
    "option": "NAME=VALUE",
    "preset": "NAME",
    "search": "TEXT",
    "server": "ADDRESS",
    "shard": "I/N",
}
"""What stands for the value of a parameter, by the type of the parameter; or by its name, if the name alone would not
do."""
HELP: Final = "help"
"""The context of all these texts in the catalogues."""


def readers_language(commands: Iterable[str]) -> str:
    """Return the language of the person who typed this command line. ``commands``: the names of all commands; for those
    that do not follow the reader's language, it is English."""
    words = sys.argv[1:]
    named = next((word for word in words if word in commands), None)
    if named is not None and named not in IN_WORDS:
        return ENGLISH
    for word, after in zip_longest(words, words[1:], fillvalue=""):
        name, equals, value = word.partition("=")
        if name == "--language" and (wanted := value if equals else after) in languages():
            return wanted
    return of_terminal()


def paragraphs(text: str | None) -> list[str]:
    """Return the paragraphs of a help text, each as one line.

    >>> paragraphs("Play.\\n\\nWith friends:\\nelsewhere.")
    ['Play.', 'With friends: elsewhere.']
    """
    return [" ".join(one.split()) for one in re.split(r"\n\s*\n", text or "") if one.strip()]


def _said(text: str | None) -> str | None:
    """Return a help text in the language that is spoken."""
    return "\n\n".join(pgettext(HELP, one) for one in paragraphs(text)) if text else text


def _first_part(text: str) -> str:
    """Return how a help text begins, as far as the list of commands shows it.

    >>> _first_part("List the games: how many play.")
    'List the games.'
    """
    return f"{re.split(r'[.:;](?: |$)', text)[0]}."


def messages(group: TyperGroup) -> Iterator[tuple[str, str]]:
    """Yield all that help texts for players say, each with the name of its command (``app``: of none), for the
    catalogues."""
    yield from (
        ("app", text)
        for text in (*TYPERS.values(), *DOORS.values(), USAGE, SHOW_HELP, *COMPLETION, FOR_OPTIONS, FOR_COMMANDS)
    )
    for command in (group, *group.commands.values()):
        name = command.name or "" if command is not group else "app"
        if name not in ("app", *FOR_PLAYERS):
            yield from ((name, one) for one in paragraphs(command.help)[:1])  # for the list of commands
            continue
        yield from ((name, one) for one in paragraphs(command.help))
        for param in command.params:
            yield from ((name, one) for one in paragraphs(getattr(param, "help", None)))
            yield from [("app", param.metavar or "")] * bool(param.metavar)


@contextmanager
def _in_words(command: TyperCommand | TyperGroup, ctx: Any) -> Iterator[None]:
    """Show a command's help in the language that is spoken, as long as this lasts; the next reader may speak
    another."""
    from typer import rich_utils  # takes long to load, and is loaded for help alone

    params = command.get_params(ctx)
    kept = [(one, vars(one).copy()) for one in (command, *params)]
    for name, text in TYPERS.items():
        setattr(rich_utils, name, pgettext(HELP, text))
    command.help, command.options_metavar = _said(command.help), pgettext(HELP, FOR_OPTIONS)
    for param in params:
        if hasattr(param, "help"):
            param.help = _said(param.help)
        if param.metavar:
            param.metavar = pgettext(HELP, param.metavar)
    try:
        yield
    finally:
        for one, was in kept:
            vars(one).update(was)


def _stacked(command: TyperCommand | TyperGroup, ctx: Any, width: int) -> Iterator[str]:
    """Yield the lines of a help text for a narrow screen: what an option does stands below it."""
    wrapped = TextWrapper(width, break_on_hyphens=False).wrap
    indented = TextWrapper(width, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False).wrap
    yield from wrapped(command.get_usage(ctx))
    for one in paragraphs(command.help):
        yield from ("", *wrapped(one))
    shown = [(param.param_type_name, param.get_help_record(ctx)) for param in command.get_params(ctx)]
    parts: dict[str, list[tuple[str, str]]] = {
        pgettext(HELP, "Arguments"): [record for kind, record in shown if record and kind == "argument"],
        pgettext(HELP, "Options"): [record for kind, record in shown if record and kind == "option"],
    }
    for each in command.commands.values() if isinstance(command, TyperGroup) else ():
        door = str(getattr(each, "rich_help_panel", ""))
        parts.setdefault(door, []).append((each.name or "", each.get_short_help_str(10_000)))
    for title, records in parts.items():
        yield from ["", f"{title}:"] * bool(records)
        for name, text in records:
            for typers in (TYPERS["REQUIRED_LONG_STRING"], TYPERS["DEFAULT_STRING"]):
                text = text.replace(typers.partition("{}")[0], pgettext(HELP, typers).partition("{}")[0])
            yield from (f"  {name}", *indented(text))


def _show_help(command: TyperCommand | TyperGroup, ctx: Any, formatter: Any, in_columns: Callable[..., None]) -> None:
    """Show a help text as the width of the screen allows."""
    if (width := shutil.get_terminal_size().columns) < NARROW:
        print("\n".join(_stacked(command, ctx, width)))  # as Typer does with its columns
    else:
        in_columns(ctx, formatter)


class Exact(TyperCommand):
    """A command whose help is for people, and none of whose numbers may be ``nan``, which is in every range."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.help = "\n\n".join(paragraphs(self.help))  # Typer would keep the ends of the source's lines
        for param in self.params:
            if param.metavar is None and not getattr(param, "is_flag", False):
                name = param.name or ""
                param.metavar = BY_TYPE.get(param.type.name) or BY_NAME.get(name, name.upper())
                if param.nargs == -1:
                    param.metavar += "..."
            param.type = copy(param.type)
            vars(param.type)["_describe_range"] = lambda: ""  # as mathematicians write it; an error says it in words
            if param.param_type_name == "argument":
                vars(param.type)["get_metavar"] = lambda **_: ""  # whose name Typer would show too

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _show_help(self, ctx, formatter, super().format_help)

    def get_usage(self, ctx: Any) -> str:
        return _usage(super().get_usage(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        for param in self.params:
            given = ctx.params.get(param.name)
            if isinstance(given, float) and math.isnan(given):
                raise BadParameter("'nan' is not a valid float.", ctx=ctx, param=param)
        return rest


class TranslatedCommand(Exact):
    """A command for players, whose help is in the reader's language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with speaking(readers_language(FOR_PLAYERS)), _in_words(self, ctx):
            super().format_help(ctx, formatter)


class TranslatedGroup(TyperGroup):
    """All the commands, whose list is in the reader's language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        commands = [command for command in self.commands.values() if isinstance(command, TyperCommand)]
        doors = [str(command.rich_help_panel) for command in commands]
        with speaking(readers_language(self.commands)), _in_words(self, ctx):
            for command, door in zip(commands, doors, strict=True):
                command.short_help = _first_part(_said("".join(paragraphs(command.help)[:1])) or "")
                command.rich_help_panel = pgettext(HELP, door)
            _show_help(self, ctx, formatter, super().format_help)
        for command, door in zip(commands, doors, strict=True):
            command.rich_help_panel = door

    def get_usage(self, ctx: Any) -> str:
        return _usage(super().get_usage(ctx))


def _usage(line: str) -> str:
    """Return Typer's line without the braces that it puts round what is required."""
    for typers in (USAGE, FOR_COMMANDS):
        line = line.replace(typers, pgettext(HELP, typers), 1)
    return re.sub(r"[{}]", "", line)


__all__ = [
    "DOORS",
    "FOR_PLAYERS",
    "HELP",
    "Exact",
    "TranslatedCommand",
    "TranslatedGroup",
    "messages",
    "paragraphs",
    "readers_language",
]
