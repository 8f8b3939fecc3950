"""Files that are kept.  They are written so that a crash or a full disk never leaves half of one, nor harms what was
there before, and read as files that may have been damaged."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from parlour.errors import ParlourError


def write(file: Path, content: str | bytes) -> None:
    """Write a whole file: beside it first, then in its place.

    Text is written as UTF-8, with its line ends as they are.  Raises ``OSError`` if it cannot be written; what was
    there before is then untouched, and nothing is left beside it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(file := Path(folder) / "one.rec", "parlour record 1")
    ...     file.read_text("utf-8"), len(list(file.parent.iterdir()))
    ('parlour record 1', 1)
    """
    number, name = tempfile.mkstemp(prefix=f".{file.name[:100]}.", dir=file.parent)
    beside = Path(name)
    try:
        with open(number, "wb") as opened:
            opened.write(content.encode("utf-8") if isinstance(content, str) else content)
            opened.flush()
            os.fsync(opened.fileno())
        os.chmod(beside, _mode(file))
        beside.replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


@contextlib.contextmanager
def reading(file: str | Path, otherwise: ParlourError) -> Iterator[None]:
    """Read a file.  Raise ``ParlourError`` if it is not there or cannot be opened, and ``otherwise`` if anything else
    goes wrong: an archive that has been damaged can fail in any way.

    >>> with reading("notes.npz", ParlourError("notes.npz does not hold networks.")):
    ...     {}["weights"]
    Traceback (most recent call last):
    parlour.errors.ParlourError: notes.npz does not hold networks.
    """
    try:
        yield
    except ParlourError:
        raise
    except FileNotFoundError:
        raise ParlourError(f"There is no file {str(file)!r}.") from None
    except OSError as error:
        if error.strerror is None:  # of what the file holds, and not of the disk
            raise otherwise from None
        raise ParlourError(f"{file} cannot be read: {error.strerror}.") from None
    except Exception:
        raise otherwise from None


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

__all__ = ["reading", "write"]
