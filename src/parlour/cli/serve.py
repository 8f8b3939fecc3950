"""``parlour serve``."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated

import typer

from parlour.errors import ParlourError


def serve(
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen at; 0 takes one that is free.")
    ] = 8000,
    database: Annotated[
        str | None,
        typer.Option(
            help="Where tables are kept: sqlite:///FILE or postgresql://USER@HOST/NAME (default: a file of your own)."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes in which bots think (default: one less than there are cores).")
    ] = None,
) -> None:
    """Run a server: tables at which friends and bots play together.  Ctrl-C stops it; its tables are kept.

    Make a table with parlour play GAME --server ADDRESS, and send the link to your friends.
    """
    port = _free_port(host, port)
    address = f"http://{_called(host)}:{port}"
    print(f"Parlour is at {address}; Ctrl-C stops it.", flush=True)
    print(f"Make a table: parlour play diamonds --server {address}", flush=True)
    from parlour.room.server import serve as run

    run(host, port, database or _own_database(), workers)


def _free_port(host: str, port: int) -> int:
    """The port, if one can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family) as trial:
            return int(trial.getsockname()[1])
    except OSError as error:
        why = str(error.strerror).partition(" (")[0]
        raise ParlourError(f"Nothing can listen at {host}, port {port}: {why}.") from None


def _called(host: str) -> str:
    """A host as it stands in an address."""
    if host in ("0.0.0.0", "::", ""):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _own_database() -> str:
    """The database beside the kept records."""
    from parlour.cli.keeping import state_folder

    folder: Path = state_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParlourError(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from None
    return f"sqlite:///{folder / 'room.db'}"
