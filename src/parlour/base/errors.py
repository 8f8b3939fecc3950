"""Errors, each one sentence: what is wrong, the offending value, and the clause or the choices."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

from parlour.base.languages import Message, marked, shortened, translated

__all__ = ["BadRecord", "CompilationError", "Endless", "IllegalAction", "NoCompiler", "ParlourError", "Stopped"]

LIBRARIES: Final = (os.path.dirname(os.path.dirname(__file__)), os.path.dirname(os.__file__), "<")
"""Where code lies that other people's code only calls: Parlour's, and Python's."""


class ParlourError(ValueError):
    """Any mistake of a caller or user: one clear sentence, which the command line prints before exiting with code 2.

    ``template``: the English sentence with ``{name}`` where a value stands; ``values``: the values by name.  ``str()``
    is the English sentence; it keeps its parts (:class:`~parlour.base.languages.Message`), also from one process to
    another.

    >>> error = ParlourError("There is no seat {seat}; seats run from 0 to {last}.", seat=7, last=3)
    >>> str(error), error.said("de")
    ('There is no seat 7; seats run from 0 to 3.', 'Den Platz 7 gibt es nicht; die Plätze gehen von 0 bis 3.')
    """

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(Message(template, **values))

    def __str__(self) -> str:
        message: str = self.args[0]
        return message

    def said(self, language: str | None = None) -> str:
        """Return the sentence in a language, by default the one that is spoken now."""
        return translated(str(self), language)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, vars(self))


def placed(file: str) -> str:
    """A file as people call it who stand in the current folder, or above it.

    >>> placed(__file__).endswith("errors.py")
    True
    """
    near = os.path.relpath(file)
    return file if near.startswith("..") else near


def told_of(error: Exception) -> str:
    """Return what went wrong in code from outside Parlour, and where in its own files rather than in what it calls.

    >>> told_of(KeyError("hand"))
    "KeyError: 'hand'"
    """
    import traceback

    places = [(one.filename, one.lineno) for one in traceback.extract_tb(error.__traceback__)]
    own = [(file, line) for file, line in places if not file.startswith(LIBRARIES)]
    where = f" ({placed(own[-1][0])}, line {own[-1][1]})" if own else ""
    return f"{type(error).__name__}: {error}{where}"


def returned_wrongly(function: Any, meant: str, found: object) -> ParlourError:
    """Return the error for an author's function that returns something else than is ``meant``.

    >>> str(returned_wrongly(reason, "a number", None)).partition(": ")[2]
    'reason must return a number, not None.'
    """
    code, shown = function.__code__, repr(found)
    return ParlourError(
        "{file}, line {line}: {name} must return {meant}, not {found}.",
        file=placed(code.co_filename), line=code.co_firstlineno, name=function.__name__, meant=meant,
        found=shown if len(shown) <= QUOTED else type(found).__name__,
    )  # fmt: skip


class Stopped(KeyboardInterrupt):
    """Ctrl-C in the middle of many games; ``so_far``: the result of those that were played to their end.

    >>> try:
    ...     raise Stopped("the figures of 200 games")
    ... except KeyboardInterrupt as stopped:
    ...     stopped.so_far
    'the figures of 200 games'
    """

    def __init__(self, so_far: Any) -> None:
        super().__init__()
        self.so_far = so_far


REASONS: Final = (
    "No such file or directory", "Permission denied", "Is a directory", "Not a directory", "File exists",
    "File name too long", "No space left on device", "Disk quota exceeded", "Read-only file system",
    "Input/output error", "Bad file descriptor", "File too large", "Operation not permitted", "Directory not empty",
    "Too many open files", "Too many levels of symbolic links", "Invalid argument", "Connection refused",
    "Connection reset by peer", "Connection timed out", "No route to host", "Network is unreachable",
    "Name or service not known", "Temporary failure in name resolution", "Address already in use",
    "Cannot assign requested address",
)  # fmt: skip
"""What the system says most often of what it could not do, for the catalogues: it says it in English everywhere."""


def reason(error: OSError) -> Message:
    """Return why the system could not do something, in the system's own words, to which Python may have added.

    >>> reason(FileNotFoundError(2, "No such file or directory", "none.rec")).said("de")
    'Diese Datei oder diesen Ordner gibt es nicht'
    """
    known = error.errno in errno.errorcode
    return marked(os.strerror(error.errno) if known and error.errno else error.strerror or str(error))


def _again(kind: type[ParlourError], args: tuple[Any, ...], values: dict[str, Any]) -> ParlourError:
    """An error that was pickled: it comes from another process with the parts with which it was raised there."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(values)
    return error


class IllegalAction(ParlourError):
    """An action that the rules do not allow now; ``clause`` is the id of the clause that forbids it.

    >>> import parlour
    >>> try:
    ...     parlour.load("leduc").new(seed=5).apply("fold")
    ... except parlour.IllegalAction as refused:
    ...     print(refused.clause, refused)
    LE-12 'fold' is not allowed now: You may fold only when the other player has paid more than you. (LE-12)
    """

    def __init__(self, template: str, clause: str, /, **values: object) -> None:
        super().__init__(template, **values)
        self.clause = clause


class Endless(ParlourError):
    """The rules of a game go on for ever, or leave nothing to be done in a game that is not over: what has to be mended
    is the game, which is named by its id.

    >>> str(Endless("my_game", 200_000)).partition(":")[0]
    'The rules of my_game never come to an end'
    >>> str(Endless("my_game", 10, seat=0)).partition(" `")[0]
    'The rules of my_game are stuck after 10 steps: seat 0 is to act and may choose nothing.'
    """

    def __init__(self, game: str, steps: int, seat: int | None = None) -> None:
        """``seat``: the one to act, who can choose nothing; -1 if several are to choose, and nobody is."""
        if seat is not None:
            super().__init__(
                marked(
                    "The rules of {game} are stuck after {steps:,} steps: {why}. `parlour audit {game} -c end` shows"
                    " how it goes.",
                    game=game,
                    steps=steps,
                    why=marked("seat {seat} is to act and may choose nothing", seat=seat)
                    if seat >= 0
                    else marked("several are to choose, and nobody is"),
                )
            )
            return
        super().__init__(
            marked(
                "The rules of {game} never come to an end: a game has had {steps:,} steps. Unless this is its players'"
                " doing (heuristic.py), `parlour audit {game} -c end` shows how it goes.",
                game=game,
                steps=steps,
            )
        )


class CompilationError(ParlourError):
    """Machine code could not be made.  The sentence says for what and why, and what to set or correct.

    >>> issubclass(CompilationError, ParlourError), issubclass(NoCompiler, CompilationError)
    (True, True)
    """


class NoCompiler(CompilationError):
    """There is no C compiler here.

    >>> try:
    ...     raise NoCompiler("There is no C compiler here.")
    ... except ParlourError as missing:  # whoever catches the one catches the other
    ...     print(missing)
    There is no C compiler here.
    """


class BadRecord(ParlourError):
    """A record that cannot be read or replayed; ``line`` counts from 1.

    >>> import parlour
    >>> try:
    ...     parlour.replay("no record")
    ... except parlour.BadRecord as bad:
    ...     print(bad.line, bad)
    1 Line 1: A record begins with the line 'parlour record 1', not 'no record'.
    """

    def __init__(self, line: int, template: str, /, **values: object) -> None:
        super().__init__(marked("Line {line}: {what}", line=line, what=Message(template, **values)))
        self.line = line


ALIKE = 0.6
"""How much alike two words are, from 0 to 1, if one may have been meant for the other."""
ALL, SOME = 60, 20
"""The most choices that are listed one by one, and how many of more are."""


QUOTED = 40
"""The most characters that are repeated of a value that is not among the choices."""


def unknown(
    what: str,
    value: object,
    choices: Iterable[object],
    unlisted: Iterable[str] = (),
    alike: float = ALIKE,
    whose: str = "",
) -> ParlourError:
    """Return the error for a value that is not among the choices (of ``whose``); ``unlisted`` may have been meant too.

    >>> print(unknown("game", "dimonds", ["diamonds", "kuhn"]))
    There is no game 'dimonds'; did you mean 'diamonds'? Choose from: diamonds, kuhn.
    >>> print(unknown("game", "KUHN", ["diamonds", "kuhn"]))
    There is no game 'KUHN'; did you mean 'kuhn'? Choose from: diamonds, kuhn.
    >>> print(unknown("option", "stake", ["deals"], whose="pope_joan"))
    There is no option 'stake' of pope_joan; choose from: deals.
    >>> str(unknown("card", "x", range(70))).partition(" 18,")[2]
    ' 19, … 69 (70 in all).'
    """
    names, asked = [str(c) for c in choices], shortened(str(value), QUOTED)
    thing = marked("{what} {value}", what=marked(what), value=repr(asked))
    if whose:
        thing = marked("{what} of {whose}", what=thing, whose=whose)
    if not names:
        return ParlourError("There is no {thing}; there is none at all.", thing=thing)
    known = {name.casefold(): name for name in [*names, *unlisted]}
    close = [known[name] for name in get_close_matches(asked.casefold(), known, 1, alike)]
    shown = ", ".join(names)
    if len(names) > 1:  # one name alone may be a word that has a translation
        shown = marked(shown)
    if len(names) > ALL:
        shown = marked("{some}, … {last} ({n} in all)", some=", ".join(names[:SOME]), last=names[-1], n=len(names))
    if close:
        return ParlourError(
            "There is no {thing}; did you mean {close!r}? Choose from: {choices}.",
            thing=thing, close=close[0], choices=shown,
        )  # fmt: skip
    return ParlourError("There is no {thing}; choose from: {choices}.", thing=thing, choices=shown)
