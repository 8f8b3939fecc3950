"""Files with records, as named on the command line: ``-`` is the standard input."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from parlour.base.disk import reading
from parlour.base.errors import ParlourError, reason
from parlour.base.languages import gettext as _
from parlour.base.languages import marked

LARGEST = 1 << 25
"""The most bytes of a file that is read."""


def content(file: str | Path) -> bytes:
    """Return the bytes of a file. Raises ``ParlourError`` if it cannot be read, or never ends, as a device may."""
    try:
        if file == "-":
            raw = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with open(file, "rb") as source:
                raw = source.read(LARGEST + 1)
    except OSError as failure:
        raise ParlourError("{file} can't be read: {why}.", file=called(file), why=reason(failure)) from None
    if len(raw) > LARGEST:
        raise ParlourError(
            "{file} is larger than {largest} MiB, so it isn't a file of Parlour's.",
            file=called(file),
            largest=LARGEST >> 20,
        )
    return raw


def read(file: str) -> str:
    """Return the text of a file up to its last finished line. Raises ``ParlourError`` if it cannot be read or is not
    text."""
    raw = content(file)
    finished = raw.rfind(b"\n") + 1  # the bytes after it may end within a character
    try:
        return raw[: finished or len(raw)].decode("utf-8")
    except UnicodeDecodeError as failure:
        line = 1 + failure.object[: failure.start].count(b"\n")
        raise ParlourError(
            "{file}: Line {number}: This isn't a record: it isn't UTF-8 text.", file=called(file), number=line
        ) from None


def must_be_writable(file: Path, begins: bytes = b"") -> None:
    """Raise ``ParlourError`` before any work is done, if what comes of it could not be written to this file, or would
    replace something that does not begin with these bytes, as what is to be written does."""
    if not file.parent.is_dir():
        raise ParlourError("{file} cannot be written: there is no folder {parent}.", file=file, parent=file.parent)
    is_device = file.exists() and not file.is_file()
    if not is_device and not os.access(file.parent, os.W_OK):
        raise ParlourError("{file} cannot be written: {why}.", file=file, why=marked(os.strerror(errno.EACCES)))
    other = ParlourError("{file} already exists and holds something else; name another file.", file=file)
    if begins and file.is_file():
        with reading(file, other), open(file, "rb") as there:
            if there.read(len(begins)) not in (b"", begins):
                raise other


def called(file: str | Path) -> str:
    """Return what a file is called in sentences."""
    return _("standard input") if file == "-" else str(file)


def wrong_in(file: str, mistake: ParlourError) -> ParlourError:
    """Return the same mistake with the file's name before it, in the language that is spoken.

    >>> from parlour.base.errors import BadRecord
    >>> print(wrong_in("game.txt", BadRecord(3, "There is no seat 7.")))
    game.txt: Line 3: There is no seat 7.
    """
    return ParlourError("{file}: {what}", file=called(file), what=mistake)
