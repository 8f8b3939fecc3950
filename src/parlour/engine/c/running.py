"""Running the C compiler.  It never outlives the program that waits for it, and long waits are announced."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Timer
from typing import Final

PATIENCE: Final = 2.0
"""Seconds of waiting after which the reason is printed."""
COMMANDS: Final = f"{__name__.partition('.')[0]}.cli.app"
_TOLD: set[str] = set()


@contextlib.contextmanager
def announced(title: str) -> Iterator[None]:
    """Print a message on stderr, once for each title, if this takes long, which nobody expects of a call that steps
    games.  Parlour's own commands print their progress instead."""

    def tell() -> None:
        if title not in _TOLD and COMMANDS not in sys.modules:
            _TOLD.add(title)
            print(f"parlour: machine code of {title} is being made, once; this may take a minute", file=sys.stderr)

    timer = Timer(PATIENCE, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def run(command: Sequence[str], room: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a compiler in a folder and return its result and output.  If this program ends for any reason, so do the
    compiler and the processes that it has started.  Raises ``OSError`` if it cannot be started."""
    if os.name == "nt":
        return subprocess.run(command, cwd=room, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    no, pipe = subprocess.DEVNULL, subprocess.PIPE
    with contextlib.ExitStack() as stack:
        made = subprocess.Popen(
            command, cwd=room, stdin=no, stdout=pipe, stderr=pipe, process_group=0
        )  # fmt: skip
        # Only this process holds the write end of the pipe.  However this process ends, `read` then returns, and the
        # guard kills what was started.
        end, kept = os.pipe()
        stack.callback(os.close, kept)
        guard = subprocess.Popen(
            ["/bin/sh", "-c", f"read _; kill -KILL -{made.pid}"],
            stdin=end, stdout=no, stderr=no, process_group=0,
        )  # fmt: skip
        os.close(end)
        try:
            said, complained = made.communicate()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(made.pid, signal.SIGKILL)
            made.wait()
            raise
        finally:
            guard.kill()
            guard.wait()
        return subprocess.CompletedProcess(command, made.returncode, said, complained)
