"""Compiling in a child process, whose death its parent survives.

When LLVM meets something it cannot do, it ends the process it runs in.  So a function whose machine code is not in the
cache yet is compiled by a child, ``python -m parlour.engine.compiling``, which writes it there, and is then loaded.  If
the child dies, the caller gets a :class:`~parlour.errors.CompilationError`, one sentence that says what to set.

The child reads pickled :class:`_Order` from its standard input and writes ``None``, or the sentence that says what is
wrong, to its standard output.  It ends when its input does.  Set ``PARLOUR_COMPILE_HERE=1`` to compile in the calling
process instead, to profile or debug the compiler; the child sets it for itself.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from parlour.errors import CompilationError

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

HERE = "PARLOUR_COMPILE_HERE"
SETTINGS = {name: value for name, value in os.environ.items() if name.startswith(("PARLOUR_", "NUMBA_"))}
"""The settings for compiling as they were when this process began; every child uses them."""
LINGER = 30.0  # how many seconds an idle child waits for the next function

_REMEDY = "Set PARLOUR_PORTABLE=1 to do without special instructions of the processor"
_REMEDY_IN_USE = "Set NUMBA_CPU_NAME=generic to compile for any processor of this kind"


class _Order(NamedTuple):
    """An order to the child: compile ``function`` (its name among the ``functions`` of the compiled game) for these
    types of arguments or, if it is ``None``, compute the tables of the game.  ``path``: where modules are found."""

    path: list[str]
    package: str
    folder: str
    function: str | None
    types: Any


def compiles_here() -> bool:
    """Whether machine code is made in this process."""
    return bool(os.environ.get(HERE)) or not sys.executable


def make(game: Definition, folder: Path, function: str | None = None, types: Any = None) -> None:
    """Have the child compile ``function`` of a game into ``folder``.  Raises ``CompilationError`` if it cannot."""
    wrong = _child().make(game, _Order([*sys.path], game.package, str(folder), function, types))
    if wrong is not None:
        raise CompilationError(wrong)


@cache
def _child() -> Child:
    """The compiling child of this process; it lives as long as there is something to compile."""
    child = Child()
    atexit.register(child.close)
    return child


class Child:
    """The parent's end: it starts the child, gives it orders one at a time, and ends it when it has been idle."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] | None = None
        self._idle: threading.Timer | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id, or ``None`` while there is no child."""
        return self._process.pid if self._process else None

    def make(self, game: Definition, order: _Order) -> str | None:
        """Return ``None`` if the order was carried out, else the sentence that says what is wrong."""
        with self._lock:
            if self._idle:
                self._idle.cancel()
            process = self._process or self._start()
            assert process.stdin
            assert process.stdout
            try:
                pickle.dump(order, process.stdin)
                process.stdin.flush()
                wrong: str | None = pickle.load(process.stdout)
            except (EOFError, OSError, pickle.UnpicklingError):
                return self._obituary(game, order)
            except BaseException:  # Ctrl-C: a late answer would be taken for the answer to the next order
                self.close()
                raise
            self._idle = threading.Timer(LINGER, self.close)
            self._idle.daemon = True
            self._idle.start()
            return wrong

    def close(self) -> None:
        """End the child."""
        with self._lock:
            process, self._process = self._process, None
            if process is None:
                return
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, self._complaints):
                try:
                    if stream:
                        stream.close()
                except OSError:
                    pass

    def _start(self) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
        others = {name: value for name, value in os.environ.items() if not name.startswith(("PARLOUR_", "NUMBA_"))}
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the child)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "parlour.engine.compiling"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env={**others, **SETTINGS, "PYTHONPATH": path, HERE: "1"},
        )
        return self._process

    def _obituary(self, game: Definition, order: _Order) -> str:
        """Say why the child is dead, and what to do."""
        assert self._process
        assert self._complaints
        code = self._process.wait()
        self._complaints.seek(0)
        said = self._complaints.read().decode(errors="replace").strip().splitlines()
        self.close()
        how = f"was ended by {_signal(-code)}" if code < 0 else f"ended with exit code {code}"
        last = next((line for line in reversed(said) if "LLVM" in line or "Assertion" in line), (said or [""])[-1])
        why = f' ("{last[-200:].strip()}")' if last else ""
        remedy = _REMEDY_IN_USE if os.environ.get("PARLOUR_PORTABLE") else _REMEDY
        what = (order.function or "tables").rpartition(".")[2]
        return (
            f"{game.id}: the compiler {how}{why} while it made machine code of {what}. {remedy};"
            " play, hints and search work without machine code."
        )


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# ------------------------------------------------------------------------------------------ the child's end


def _carry_out(order: _Order) -> str | None:
    from filelock import FileLock

    from parlour.engine.compiled import compiled_in
    from parlour.engine.definition import named

    sys.path[:] = order.path
    folder, game = Path(order.folder), named(order.package)
    with FileLock(f"{folder}.lock"):  # one process compiles a function, and the others load it
        code = compiled_in(folder.parent, game)
        if code.folder != folder:
            return (
                f"{game.id}: its rules, Parlour or Numba have changed on disk since this program read them;"
                " start it again to compile them."
            )
        if order.function is not None:
            made = code.functions[order.function]
            getattr(made, "alone", lambda: made)().compile(order.types)
    return None


def _answer(orders: IO[bytes], answers: IO[bytes]) -> None:
    while True:
        try:
            order = pickle.load(orders)
        except EOFError:
            return
        try:
            wrong = _carry_out(order)
        except CompilationError as error:
            wrong = str(error)
        except Exception as error:
            wrong = f"{order.package}: the compiler stopped: {type(error).__name__}: {error}"
        pickle.dump(wrong, answers)
        answers.flush()


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever rules print goes to standard error, not among the answers
    _answer(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
