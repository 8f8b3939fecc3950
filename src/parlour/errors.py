"""Errors, each one sentence: what is wrong, the offending value, and the clause or the choices."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class ParlourError(ValueError):
    """Any mistake of a caller or user.  ``str()`` is one clear sentence, which the command line prints before exiting
    with code 2.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, vars(self))


def _again(kind: type[ParlourError], args: tuple[Any, ...], values: dict[str, Any]) -> ParlourError:
    """An error that was pickled: it comes from another process in the words in which it was raised there."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(values)
    return error


class IllegalAction(ParlourError):
    """An action that the rules do not allow now; ``clause`` is the id of the clause that forbids it."""

    def __init__(self, sentence: str, clause: str) -> None:
        super().__init__(sentence)
        self.clause = clause


class CompilationError(ParlourError):
    """Machine code could not be made.  The sentence says for what and why, and what to set or correct."""


class BadRecord(ParlourError):
    """A record that cannot be read or replayed; ``line`` counts from 1."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"Line {line}: {sentence}")
        self.line = line


ALIKE = 0.6
"""How much alike two words are, from 0 to 1, if one may have been meant for the other."""
ALL, SOME = 60, 20
"""The most choices that are listed one by one, and how many of more are."""


def unknown(
    what: str, value: object, choices: Iterable[object], unlisted: Iterable[str] = (), alike: float = ALIKE
) -> ParlourError:
    """Return the sentence for a value that is not among the choices; ``unlisted`` may have been meant too.

    >>> print(unknown("game", "dimonds", ["diamonds", "kuhn"]))
    There is no game 'dimonds'; did you mean 'diamonds'? Choose from: diamonds, kuhn.
    >>> print(unknown("game", "KUHN", ["diamonds", "kuhn"]))
    There is no game 'KUHN'; did you mean 'kuhn'? Choose from: diamonds, kuhn.
    >>> str(unknown("card", "x", range(70))).partition(" 18,")[2]
    ' 19, … 69 (70 in all).'
    """
    names = [str(c) for c in choices]
    if not names:
        return ParlourError(f"There is no {what} {str(value)!r}; there is none at all.")
    known = {name.casefold(): name for name in [*names, *unlisted]}
    close = [known[name] for name in get_close_matches(str(value).casefold(), known, 1, alike)]
    shown = ", ".join(names if len(names) <= ALL else [*names[:SOME], f"… {names[-1]} ({len(names)} in all)"])
    if close:
        return ParlourError(f"There is no {what} {str(value)!r}; did you mean {close[0]!r}? Choose from: {shown}.")
    return ParlourError(f"There is no {what} {str(value)!r}; choose from: {shown}.")
