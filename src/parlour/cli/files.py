"""Files with records, as named on the command line: ``-`` is the standard input."""

from __future__ import annotations

import sys

from parlour.errors import BadRecord, ParlourError
from parlour.languages import gettext as _
from parlour.languages import translated

LARGEST = 1 << 25
"""Bytes of the largest file that is read."""


def read(file: str) -> str:
    """The text of a file up to its last finished line; ``ParlourError`` if it cannot be read or is not text."""
    try:
        if file == "-":
            raw = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with open(file, "rb") as source:
                raw = source.read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise ParlourError(f"{called(file)} is larger than {LARGEST >> 20} MiB, so it isn't a record.")
        finished = raw.rfind(b"\n") + 1  # what follows may be half a character
        return raw[: finished or len(raw)].decode("utf-8")
    except OSError as failure:
        raise ParlourError(f"{called(file)} can't be read: {failure.strerror}.") from None
    except UnicodeDecodeError as failure:
        line = 1 + failure.object[: failure.start].count(b"\n")
        raise ParlourError(f"{called(file)}: Line {line}: This isn't a record: it isn't UTF-8 text.") from None


def called(file: str) -> str:
    """What a file is called in sentences."""
    return _("standard input") if file == "-" else file


def wrong_in(file: str, mistake: ParlourError) -> ParlourError:
    """The same mistake with the file's name before it, in the language that is spoken.

    >>> print(wrong_in("game.txt", BadRecord(3, "There is no seat 7.")))
    game.txt: Line 3: There is no seat 7.
    """
    said = str(mistake)
    if isinstance(mistake, BadRecord):
        said = _("Line {n}: {what}", n=mistake.line, what=translated(said.partition(": ")[2]))
    return ParlourError(f"{called(file)}: {translated(said)}")
