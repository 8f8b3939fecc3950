"""The place where records of games played here are kept: saved after every decision, so that no game is ever lost."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from parlour.errors import ParlourError


def state_folder() -> Path:
    """Return the folder for what is kept, as the platform wants it: ``$XDG_STATE_HOME/parlour`` or its like."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or home / ".local" / "state")
    return base / "parlour"


def records_folder() -> Path:
    """The folder of kept records."""
    return state_folder() / "records"


class Keeper:
    """Keeps the record of one game in a file of its own (``path``: ``None`` until something has been written).

    ``remark``: a comment that goes with it.  ``trouble``: why the usual place failed, if it did.
    """

    def __init__(self, game: str, remark: str, path: Path | None = None) -> None:
        self._game, self._remark = game, remark
        self.path = path
        self.trouble = ""

    def keep(self, record: str) -> None:
        """Write a record as it is now; the file is whole at any moment."""
        text = self.text(record)
        if self.path is not None:
            folders = [self.path.parent]
        else:
            folders = [records_folder(), Path(tempfile.gettempdir())]
        for folder in folders:
            try:
                self.path = self.path or self._new_file(folder)
                half = self.path.with_name(f".{self.path.name}.{os.getpid()}")
                half.write_text(text, "utf-8")
                half.replace(self.path)
                return
            except OSError as error:
                self.trouble = f"Records can't be saved in {folder}: {error.strerror}."

    def text(self, record: str) -> str:
        """A record with its remark."""
        first, _, rest = record.partition("\n")
        return f"{first}\n# {self._remark}\n{rest}"

    def _new_file(self, folder: Path) -> Path:
        """A new, empty file in the folder."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
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
    """Save a record where the person says.  Raise ``ParlourError`` if that fails or would overwrite another file."""
    path = Path(name).expanduser()
    try:
        if path.exists() and not path.read_bytes().startswith(b"parlour record"):
            raise ParlourError(f"{name!r} already exists and isn't a record; choose another name.")
        path.write_text(text, "utf-8")
    except OSError as error:
        raise ParlourError(f"The record can't be saved to {name!r}: {error.strerror}.") from None
    return path.absolute()
