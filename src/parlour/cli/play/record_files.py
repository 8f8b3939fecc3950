"""Where the records of games played here are kept. They are saved after every decision, so that no game is ever
lost."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import time
from pathlib import Path

from parlour.base import disk
from parlour.base.errors import ParlourError, reason, unknown
from parlour.base.languages import Message, either, marked
from parlour.engine.definition import register_here

FIRST_WORDS = b"parlour record"
"""How every record begins."""
RESULT = b"\nreturns: "
"""How the line begins that only the record of a finished game has."""
ENDING = ".rec"
LISTED = 8
"""Records, the last ones, that a sentence lists."""
NOWHERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


def records_folder() -> Path:
    """Return the folder of kept records."""
    return disk.state_folder() / "records"


def kept(is_open: bool = False) -> dict[str, Path]:
    """The kept records by name, the last one first; ``is_open``: only those of games that are not over."""
    try:
        files = [file for file in records_folder().iterdir() if file.suffix == ENDING and file.is_file()]
        files.sort(key=lambda file: (file.stat().st_mtime, file.name), reverse=True)
        return {file.stem: file for file in files if not (is_open and RESULT in file.read_bytes())}
    except OSError:
        return {}


def find(name: str, is_open: bool = False) -> str:
    """The file that somebody means: any file, ``-`` (the standard input), or a kept record by its name or by how that
    begins, if no other begins so.  ``is_open``: the record of a game that is not over.  ``ParlourError``, with the
    records that are kept, if there is none.  Its game may be one of the current folder.
    """
    register_here()
    file = os.path.expanduser(name)
    if name == "-" or not _is_nowhere(file):
        return file
    wanted, records = name.removesuffix(ENDING), kept()
    if wanted in records:
        return str(records[wanted])
    offered = kept(is_open) if is_open else records
    begun = [one for one in offered if wanted and one.startswith(wanted)]
    if len(begun) == 1:
        return str(offered[begun[0]])
    if not offered:
        raise ParlourError("There is no record {name!r}, and {nothing}.", name=name, nothing=_nothing_kept(is_open))
    listed = (begun or [*offered])[:LISTED]
    last = os.path.basename(name.rstrip(os.sep)) or name  # a path may be long
    raise unknown("record", last, listed, [one for one in offered if one not in listed])


def which() -> str:
    """What to say to somebody who wants to continue a game, and does not say which."""
    if names := [*kept(is_open=True)][:LISTED]:
        return marked("Say which game to continue: --resume RECORD, with one of {names}.", names=either(names))
    return marked("Say which game to continue: --resume RECORD; {nothing}.", nothing=_nothing_kept(is_open=True))


def _nothing_kept(is_open: bool) -> Message:
    folder = records_folder()
    if is_open:
        return marked("no unfinished game is kept in {folder}", folder=folder)
    return marked("none is kept in {folder}", folder=folder)


def _is_nowhere(file: str) -> bool:
    """Whether there is no file of this name; what cannot be looked at is for whoever reads it to say."""
    try:
        return stat.S_ISDIR(os.stat(file).st_mode)
    except OSError as error:
        return error.errno in NOWHERE


class Keeper:
    """The keeper of one game's record, in a file of its own.

    ``path``: the file that holds the record as it was last written; ``None`` until there is one. ``is_behind``: whether
    writing it has failed since. ``remark``: a comment that goes with the record. ``trouble``: why a place failed, if
    one did.
    """

    def __init__(self, game: str, remark: str, path: Path | None = None) -> None:
        self._game, self._remark = game, remark
        self.path = path
        self.is_behind = False
        self.trouble = ""

    @property
    def name(self) -> str:
        """What to call its record: its name, if it is kept where records are, or else its path."""
        return self.path.stem if self.path and self.path.parent == records_folder() else str(self.path)

    def keep(self, record: str) -> None:
        """Write a record as it is now; at any moment, the file is whole. If its place fails, another is found."""
        text = self.text(record)
        places = [records_folder(), Path(tempfile.gettempdir())]
        self.is_behind = False
        for place in [self.path, *places] if self.path else places:
            try:
                if place == self.path:
                    disk.write(place, text)
                else:
                    self.path = self._written(text, place)
                return
            except OSError as error:
                folder = place.parent if place == self.path else place
                self.trouble = marked("Records can't be saved in {folder}: {why}.", folder=folder, why=reason(error))
        self.is_behind = self.path is not None

    def text(self, record: str) -> str:
        """Return a record with its remark."""
        first, _, rest = record.partition("\n")
        return f"{first}\n# {self._remark}\n{rest}"

    def _written(self, text: str, folder: Path) -> Path:
        """Write a new file in a folder, and return its path."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._new_file(folder)
        try:
            disk.write(path, text)
        except BaseException:
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        return path

    def _new_file(self, folder: Path) -> Path:
        """Return a new, empty file in a folder; no other record has its name."""
        stamp = f"{self._game}-{time.strftime('%Y%m%d-%H%M%S')}"
        number = 1
        while True:
            path = folder / f"{stamp}{f'-{number}' if number > 1 else ''}{ENDING}"
            try:
                path.open("x").close()
                return path
            except FileExistsError:
                number += 1


def save(text: str, name: str) -> Path:
    """Save a record where the person wants it. Raises ``ParlourError`` if that fails, or would overwrite a file that is
    not a record."""
    path = Path(os.path.expanduser(name))
    try:
        if path.exists() and not _is_record(path):
            raise ParlourError("{name!r} already exists and isn't a record; choose another name.", name=name)
        disk.write(path, text)
        return path.absolute()
    except OSError as error:
        raise ParlourError("The record can't be saved to {name!r}: {why}.", name=name, why=reason(error)) from None


def _is_record(path: Path) -> bool:
    if not (path.is_file() or path.is_dir()):
        return False  # reading a pipe would block
    with path.open("rb") as file:
        return file.read(len(FIRST_WORDS)) == FIRST_WORDS
