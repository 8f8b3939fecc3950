"""Copy Parlour's database while people play: python backup.py [--keep N] FOLDER

PARLOUR_DATABASE says which one.  An SQLite file is copied as it is at one moment (a server may go on writing);
of PostgreSQL, pg_dump makes an archive for pg_restore.  The copy appears under its name only when it is whole.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path


def copy_of(database: str, folder: Path) -> Path:
    """Make a copy of the database of a URL, and return where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    if database.startswith("sqlite:///"):
        whole = folder / f"parlour-{stamp}.db"
        part = whole.with_suffix(".part")
        part.unlink(missing_ok=True)
        source = Path(database.removeprefix("sqlite:///"))
        with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True, timeout=60)) as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
    else:
        whole = folder / f"parlour-{stamp}.dump"
        part = whole.with_suffix(".part")
        url = database.replace("postgresql+psycopg://", "postgresql://")
        words = [os.environ.get("PG_DUMP", "pg_dump"), "--format=custom", "--no-owner", f"--file={part}", url]
        subprocess.run(words, check=True)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    return part.rename(whole)


def main() -> None:
    """Make a copy, and remove all but the last ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=int, default=0, help="keep only so many copies (default: all)")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    database = os.environ.get("PARLOUR_DATABASE", "")
    if not database:
        sys.exit("backup: PARLOUR_DATABASE must say which database, for example sqlite:////var/lib/parlour/room.db.")
    os.umask(0o077)  # it holds what everybody's cards follow from
    print(copy_of(database, given.folder))
    if given.keep:
        for old in sorted(given.folder.glob("parlour-*.d[bu]*"))[: -given.keep]:
            old.unlink()


if __name__ == "__main__":
    main()
