"""Where the records of games played here are kept. They are saved after every decision, so that no game is ever
lost."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from pathlib import Path

from parlour.base import disk
from parlour.base.errors import ParlourError, reason
from parlour.base.languages import marked

FIRST_WORDS = b"parlour record"
"""How every record begins."""


def records_folder() -> Path:
    """Return the folder of kept records."""
    return disk.state_folder() / "records"


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
            path = folder / f"{stamp}{f'-{number}' if number > 1 else ''}.rec"
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
