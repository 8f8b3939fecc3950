"""Files that are kept, and the folders for them.  They are written so that a crash or a full disk never leaves half of
one, nor harms what was there before, and read as files that may have been damaged."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from parlour.base.errors import ParlourError, reason

# ------------------------------------------------------------------------------------------ folders

HOMELESS: Final = Path(os.devnull)
"""The home folder of whoever has none: nothing can be written there, so other places are found, or named."""


def state_folder() -> Path:
    """Return the folder for what is kept, as the platform wants it: ``$XDG_STATE_HOME/parlour`` or its like."""
    if sys.platform == "win32":
        return _folder("LOCALAPPDATA", "AppData", "Local")
    if sys.platform == "darwin":
        return _home() / "Library" / "Application Support" / "parlour"
    return _folder("XDG_STATE_HOME", ".local", "state")


def cache_folder() -> Path:
    """Return the folder for what can be made again: ``$PARLOUR_CACHE``, or the user's cache folder."""
    own = os.environ.get("PARLOUR_CACHE")
    return Path(own) if own else _folder("XDG_CACHE_HOME", ".cache")


def _folder(variable: str, *below_home: str) -> Path:
    """Return Parlour's folder in the one that an environment variable names, or else in the home folder.  A relative
    path does not count: it would be another folder wherever Parlour is started."""
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else _home().joinpath(*below_home)) / "parlour"


def _home() -> Path:
    home = Path(os.path.expanduser("~"))
    return home if home.is_absolute() else HOMELESS


# ------------------------------------------------------------------------------------------ files


def write(file: Path, content: str | bytes, mode: int | None = None) -> None:
    """Write a whole file: beside it first, then in its place.  A link stays one, and what it leads to is written; a
    pipe or a device takes the content as it is.

    Text is written as UTF-8, with its line ends as they are.  ``mode``: the file's permissions (by default those that
    it has, or would have if it were made now).  Raises ``OSError`` if it cannot be written; what was there before is
    then untouched, and nothing is left beside it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(file := Path(folder) / "one.rec", "parlour record 1")
    ...     file.read_text("utf-8"), len(list(file.parent.iterdir()))
    ('parlour record 1', 1)
    """
    raw = content.encode("utf-8") if isinstance(content, str) else content
    if _is_device(file):
        with open(file, "wb") as opened:
            opened.write(raw)
        return
    file = Path(os.path.realpath(file))
    number, name = tempfile.mkstemp(prefix=f".{file.name[:LONGEST]}.", dir=file.parent)
    beside = Path(name)
    try:
        with open(number, "wb") as opened:
            opened.write(raw)
            opened.flush()
            os.fsync(opened.fileno())
        os.chmod(beside, _mode(file) if mode is None else mode)
        beside.replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def put(file: str | Path, content: str | bytes) -> None:
    """Write a file that a person has named, as :func:`write` does.  Raises ``ParlourError`` if that fails."""
    if not isinstance(file, (str, Path)):
        raise ParlourError("{file!r} is not the name of a file.", file=file)
    try:
        write(Path(file), content)
    except OSError as error:
        raise ParlourError("{file} cannot be written: {why}.", file=file, why=reason(error)) from None


@contextlib.contextmanager
def reading(file: str | Path, otherwise: ParlourError) -> Iterator[None]:
    """Read a file.  Raise ``ParlourError`` if it is not there or cannot be opened, and ``otherwise`` if anything else
    goes wrong: an archive that has been damaged can fail in any way.

    >>> with reading("notes.npz", ParlourError("notes.npz does not hold networks.")):
    ...     {}["weights"]
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: notes.npz does not hold networks.
    """
    if os.path.exists(file) and not os.path.isfile(file):
        raise otherwise  # reading a device would never end
    try:
        yield
    except ParlourError:
        raise
    except FileNotFoundError:
        raise ParlourError("There is no file {file!r}.", file=str(file)) from None
    except OSError as error:
        if error.strerror is None:  # of what the file holds, and not of the disk
            raise otherwise from None
        raise ParlourError("{file} cannot be read: {why}.", file=file, why=reason(error)) from None
    except Exception:
        raise otherwise from None


def installed(file: Path | Traversable) -> contextlib.AbstractContextManager[None]:
    """Read a file that comes with a package, as :func:`reading` does, and say what to do if it has been damaged."""
    return reading(str(file), damaged(str(file)))


def damaged(file: str) -> ParlourError:
    """Return the error for a file that comes with a package and does not hold what it should."""
    return ParlourError("{file} has been damaged; install it again, or correct it if it is yours.", file=file)


def installed_text(package: str, *names: str) -> str:
    """Return a text that comes with a package.  Raises ``ParlourError`` if it is not there or has been damaged.

    >>> installed_text("parlour.cli.author.starter", "words.toml").partition("]")[0]
    '[game'
    """
    file = resources.files(package).joinpath(*names)
    with installed(file):
        return file.read_text("utf-8")


def installed_toml(package: str, name: str) -> dict[str, Any]:
    """Return what a TOML file of a package says.  Raises ``ParlourError``, which names the line, if it is not TOML."""
    text = installed_text(package, name)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        why, _, at = str(error).rpartition(" (at ")
        lines = text.splitlines() or [""]
        line = int(found[1]) if (found := re.match(r"line (\d+)", at)) else len(lines)
        raise ParlourError(
            "{package}/{name} cannot be read: line {line} ({text}): {why}.",
            package=package, name=name, line=line, text=lines[line - 1].strip(),
            why="a text in quotes does not end" if why in _UNENDED else why,
        ) from None  # fmt: skip


_UNENDED: Final = (r"Illegal character '\n'", "Unterminated string")
"""What the reader of TOML says of a text whose last quotes are missing."""
LONGEST: Final = 50
"""Characters of a file's name that the name of the one beside it begins with."""


def _is_device(file: Path) -> bool:
    """Whether a path leads to something that no other file may take the place of, such as ``/dev/stdout``."""
    in_memory = file.parts[:3] == ("/", "dev", "shm")  # files like any other
    return (file.parts[:2] == ("/", "dev") and not in_memory) or (file.exists() and not file.is_file())


def _mode(file: Path) -> int:
    """Return the permissions that a file has, or would have if it were made now."""
    try:
        return file.stat().st_mode & 0o777
    except OSError:
        return 0o666 & ~_UMASK


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_UMASK = _umask()  # read once: reading it sets it for a moment, for all threads

__all__ = [
    "cache_folder", "damaged", "installed", "installed_text", "installed_toml", "put", "reading", "state_folder",
    "write",
]  # fmt: skip
