"""``parlour``: the commands, and what happens when something goes wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Mapping
from functools import cache, wraps
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.exceptions import TyperException

from parlour import __version__
from parlour.base.errors import ParlourError, reason, unknown
from parlour.base.extras import COMMANDS, explained, require
from parlour.base.languages import marked, pgettext, speaking, translated
from parlour.base.naming import printable
from parlour.cli.common.completing import words_as_typed
from parlour.cli.common.preparing import watched
from parlour.cli.common.stopping import BEGINS_AGAIN, STOPPED, leave, stoppable, stopped, terminable
from parlour.cli.common.translated_help import (
    DOORS,
    FOR_PLAYERS,
    HELP,
    Exact,
    TranslatedCommand,
    TranslatedGroup,
    readers_language,
)
from parlour.cli.common.wrapping import wrapped


def _with_what_it_needs(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command, which says in one sentence which extra it needs if that is not installed."""
    name = command.__name__
    if name not in COMMANDS:
        return command

    @wraps(command)
    def checked(*args: Any, **options: Any) -> None:
        require(COMMANDS[name], f"parlour {name}")
        command(*args, **options)

    return checked


MODULES: Final[Mapping[str, str]] = {
    "play": "play.play",
    "learn": "play.learn",
    "games": "play.games",
    "rules": "play.rules",
    "odds": "play.odds",
    "replay": "play.replay",
    "verify": "play.verify",
    "simulate": "study.simulate",
    "merge": "study.simulate",
    "atlas": "study.atlas",
    "match": "study.match",
    "skill": "study.skill",
    "corpus": "study.corpus",
    "train": "study.train",
    "solve": "study.solve",
    "certify": "study.solve",
    "exploit": "study.solve",
    "score": "study.score",
    "new": "author.new",
    "audit": "author.audit",
    "bench": "author.bench",
    "serve": "host.serve",
    "bot": "host.bot",
}
"""The commands, in the order of the help, and the module under ``parlour.cli`` of each."""


def __getattr__(name: str) -> typer.Typer:
    if name == "app":
        return application(*MODULES)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def application(*commands: str) -> typer.Typer:
    """Return the command line with these commands; only their modules are loaded."""
    made = typer.Typer(
        name="parlour",
        cls=TranslatedGroup,
        help="Parlour: little-known card games, refereed. Play them, study them, build on them.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["--help", "-h"]},
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    for name in commands:
        command = getattr(import_module(f"parlour.cli.{MODULES[name]}"), name)
        kind, door = TranslatedCommand if name in FOR_PLAYERS else Exact, DOORS[MODULES[name].partition(".")[0]]
        made.command(cls=kind, rich_help_panel=door)(stoppable(_with_what_it_needs(command)))
    made.callback()(parlour)
    return made


def _version(wanted: bool) -> None:
    if wanted:
        print(f"parlour {__version__}")
        raise typer.Exit


def parlour(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Parlour: little-known card games, refereed. Play them, study them, build on them."""


ALIKE_WITH_DASHES: Final = 0.7
"""How alike options must be for one to be meant by another: all of them begin alike."""


def _sentence(mistake: TyperException) -> str:
    """Return what is wrong on the command line, with the offending value and the choices."""
    text = " ".join(mistake.format_message().split()) if hasattr(mistake, "format_message") else str(mistake)
    if text.startswith("No such command"):
        return _no_command(text.split("'")[1])
    if found := re.match(r"No such option: (\S+)", text):
        known = [name for param in mistake.ctx.command.get_params(mistake.ctx) for name in param.opts]  # type: ignore[attr-defined]
        if told := _renamed(mistake.ctx.info_name, found[1], known):  # type: ignore[attr-defined]
            return told
        named = [name for name in known if name.startswith("--")]
        return str(unknown("option", found[1], named, alike=ALIKE_WITH_DASHES))
    if found := re.fullmatch(r"Got unexpected extra argument\(s\) \((.*)\)", text):
        command = mistake.ctx.command_path  # type: ignore[attr-defined]
        return marked(
            "{command} doesn't take {found}; {command} --help says what it takes.", command=command, found=found[1]
        )
    if found := re.fullmatch(r"Missing (argument|option) (.*)\.", text):
        ctx: Any = mistake.ctx  # type: ignore[attr-defined]
        examples = re.findall(r"Example: (.+)", ctx.command.callback.__doc__ or "")  # -OO leaves docstrings out
        examples.append(f"{ctx.command_path} --help")
        with speaking(readers_language(MODULES)):
            name = pgettext(HELP, found[2].strip("'"))
        if found[1] == "option":
            return marked("Missing option {found}; for example: {example}", found=name, example=examples[0])
        return marked("Missing argument {found}; for example: {example}", found=name, example=examples[0])
    if text.startswith("Option '--resume' requires") and sys.argv[1:2] == ["play"]:
        from parlour.cli.play.record_files import which

        return which()
    if found := re.fullmatch(r"Option (.*) requires an argument\.?", text):
        return marked("Option {found} requires an argument.", found=found[1])
    if found := re.fullmatch(r"Option (.*) does not take a value\.", text):
        return marked("Option {found} does not take a value.", found=found[1])
    if found := re.fullmatch(r"Invalid value for .*?: (.*) is not (in the range|a valid int|a valid float).*", text):
        return _no_number(mistake.ctx.command, mistake.param, found[1].strip("'\""), found[2])  # type: ignore[attr-defined]
    return text if text.endswith((".", "?", "!")) or not text else f"{text}."


MEANT: Final = {
    "parlour games": "list ls spiele liste",
    "parlour play": "start begin spielen spiel",
    "parlour play --resume": "resume continue fortsetzen weiterspielen",
    "parlour play --table LINK": "join visit table beitreten tisch",
    "parlour learn": "lesson lessons tutorial teach lernen lektion einführung",
    "parlour rules": "rule book rulebook clauses regeln regel regelbuch",
    "parlour odds": "chances probability chancen wahrscheinlichkeiten",
    "parlour replay": "watch show story nachspielen ansehen",
    "parlour verify": "check prüfen",
    "parlour serve": "server host",
    "parlour --help": "commands hilfe befehle ?",
}
"""What people type instead of a command, by what they should type."""
AT_THE_TABLE: Final = ("quit", "exit", "end", "ende", "beenden", "hint", "tipp", "undo", "zurück", "save", "speichern")
"""What they type that can only be typed in a game."""


def _no_command(name: str) -> str:
    """What to type instead of a command that does not exist: of a game, of what is an option, or of another word."""
    from parlour.cli.common.options import game_called

    small, typed = name.casefold(), {word: command for command, words in MEANT.items() for word in words.split()}
    if small not in typed and (game := game_called(name)):
        return marked("{name} is a game; to play it: parlour play {game}", name=name, game=game)
    if f"--{name}" in ("--help", "--version"):
        return marked("There is no command {name!r}, but an option: parlour --{name}", name=name)
    if small in typed:
        return marked("There is no command {name!r}; what you want may be: {command}", name=name, command=typed[small])
    if small in AT_THE_TABLE:
        return marked("{name!r} is typed at the table, in the middle of a game; to begin one: parlour play", name=name)
    return str(unknown("command", name, MODULES))


RENAMED: Final = {
    "-t": "--jobs",
    "--workers": "--jobs",
    "--threads": "--jobs",
    "--processes": "--jobs",
    "--to": "--out",
    "--records": "--out",
    "--in": "--out",
    "--player": "--seat",
    "--values": "--value-network",
    "--parquet": "--with-parquet",
}
"""The present names of options that have been renamed."""


BY_PLACE: Final = {
    "match": "parlour match diamonds random rule-of-thumb",
    "score": "parlour score random search:200",
}
"""Commands whose players stand without an option, with an example."""


def _renamed(command: str, old: str, known: Collection[str]) -> str:
    """Return what to type instead of an option that no longer exists; ``known``: those of this command."""
    if command in BY_PLACE and old in ("--players", "-p", "--player"):
        return marked("The players are named without an option: {example}", example=BY_PLACE[command])
    if command in ("solve", "certify") and old in ("--players", "-p"):
        return marked("Games are solved for two players; leave out {old}.", old=old)
    if command == "exploit" and old in ("--players", "-p"):
        return marked(
            "{old} is a number everywhere; kinds of players are named with {new}.", old="--players", new="--player"
        )
    if command == "atlas" and old in ("--preset", "--option", "-o"):
        return marked("An atlas tries every house rule by itself; parlour simulate takes {old}.", old=old)
    if old == "--player":  # a kind of player, or formerly a seat
        new = next((name for name in ("--against", "--by", "--bot", "--seat") if name in known), "")
    else:
        new = RENAMED.get(old, "")
    return marked("{old} is called {new}.", old=old, new=new) if new in known else ""


LAST_PORT: Final = 65535


def _no_number(command: Any, param: Any, given: str, wanted: str) -> str:
    """Return a sentence that says what number an option takes."""
    names = param.opts[0]
    if names == "--players" and (who := {one.opts[0] for one in command.params} & {"--player", "--against", "--bot"}):
        return marked(
            "{names} takes a whole number, not {given!r}; kinds of players are named with {new}.",
            names=names, given=given, new=min(who),
        )  # fmt: skip
    if "valid" in wanted:
        if "int" in wanted and (number := _whole(given)) is not None:
            return marked(
                "{names} takes a whole number: write {number} for {given}.", names=names, number=number, given=given
            )
        if "int" in wanted:
            return marked("{names} takes a whole number, not {given!r}.", names=names, given=given)
        return marked("{names} takes a number, not {given!r}.", names=names, given=given)
    given = given.removesuffix(".0")
    if param.type.max is not None and float(given) > param.type.max:
        most = f"{param.type.max:,}" if param.type.max > LAST_PORT else param.type.max  # nobody types a port with marks
        return marked("{names} must be at most {bound}, not {given}.", names=names, bound=most, given=given)
    return marked("{names} must be at least {bound}, not {given}.", names=names, bound=param.type.min, given=given)


def _whole(given: str) -> int | None:
    """Return the whole number that somebody wrote as 1e6 or 1,000,000; ``None`` if it is not one.

    >>> _whole("2.5e3"), _whole("1,000,000"), _whole("0,5"), _whole("many")
    (2500, 1000000, None, None)
    """
    plain = given.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", given) else given
    with contextlib.suppress(ValueError):
        if abs(number := float(plain)) < 1e15 and number.is_integer():
            return int(number)
    return None


def _told(sentence: str) -> str:
    """Return a sentence, perhaps a server's, in the language of the person who typed the command, even if that language
    is not being spoken yet."""
    with speaking(readers_language(MODULES)):
        return printable(translated(sentence))


UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG)
"""Error numbers that say that a command's output cannot be written."""


def _open_streams() -> None:
    """Make sure that there is something to read from and write to, whatever streams the command was started with. A
    character that the output does not know is replaced by another."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # the stream was closed
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # for as long as it runs
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _end_quietly(sentence: str = "", code: int = 0) -> None:
    """Discard what is still to be written, because nobody reads on, and say why on the error stream."""
    if sys.__stdout__ is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
    if sentence:
        print(sentence, file=sys.stderr)
    sys.exit(code)


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as a reader wants it: once, in one line, without the place in the program that it comes from."""
    _say_once(str(message))


@cache
def _say_once(warning: str) -> None:
    _say(warning)


def _say(sentence: str) -> None:
    """Say on the error stream what is wrong, or what takes long."""
    print(wrapped(f"parlour: {_told(sentence)}", sys.stderr), file=sys.stderr)


def _say_what_takes_long() -> None:
    _say_once(marked("The game is being prepared, once; this takes some seconds."))


def main() -> None:
    """Run the command line: a user's mistake is one sentence and exit code 2; Ctrl-C is one sentence and exit code 130;
    Ctrl-D and a closed pipe end quietly."""
    before = threading.enumerate()
    try:
        with terminable():
            _run()
    except KeyboardInterrupt:  # while the command was being loaded, or was ending
        code = stopped(_told(BEGINS_AGAIN)).exit_code
        leave(code, before)
        sys.exit(code)
    except SystemExit as end:
        if end.code == STOPPED:
            leave(STOPPED, before)
        raise


def _run() -> None:
    _open_streams()
    words_as_typed(os.environ)
    warnings.showwarning = _warn
    try:
        named = sys.argv[1:2] if sys.argv[1:2] and sys.argv[1] in MODULES else MODULES
        with watched(_say_what_takes_long, _say, breaks=named == ["serve"]):
            sys.exit(application(*named)(prog_name="parlour", standalone_mode=False))
    except ParlourError as mistake:
        _say(str(mistake))
        sys.exit(2)
    except ModuleNotFoundError as error:
        found = explained(error)
        if found is None:
            raise
        _say(str(found))
        sys.exit(2)
    except TyperException as mistake:
        sentence = _sentence(mistake)
        if sentence:  # without one, the help has been asked for and shown
            _say(sentence)
        sys.exit(2)
    except typer.Abort as end:
        if isinstance(end.__cause__, EOFError):  # not the terminal's: an input file or a process has ended too soon
            raise end.__cause__ from None
        sys.exit(STOPPED)
    except BrokenPipeError:
        _end_quietly()
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITABLE:
            raise
        sentence = marked("The output can't be written: {why}.", why=reason(error))
        _end_quietly(f"parlour: {_told(sentence)}", 2)
    except Exception as error:
        from parlour.engine.definition import slip

        if not (sentence := slip(error)):
            raise
        _say(sentence)
        sys.exit(2)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # Typer has caught the broken pipe
            _end_quietly()
        raise
