"""``parlour serve``."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import warnings
import webbrowser
from typing import Annotated, Final

import typer

from parlour.base.disk import state_folder
from parlour.base.errors import ParlourError, reason
from parlour.base.languages import gettext as _
from parlour.base.languages import marked, speaking, translated
from parlour.cli.common.options import MOST_THREADS
from parlour.cli.common.translated_help import readers_language

ANY: Final = ""
"""Stands for every address of this machine, old (IPv4) and new (IPv6)."""
EVERYWHERE: Final = ("0.0.0.0", ANY)
ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address, and a port, in a network that does not exist (RFC 5737): nothing is sent there."""


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines connect.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port to listen on; 0: any free port (default: 8000, or a free one)."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="PARLOUR_DATABASE",
            help="Database for the tables: sqlite:///FILE or postgresql://USER@HOST/NAME (default: your own file).",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            max=MOST_THREADS,
            help="How much to do at a time: processes for the bots to think in (default: one fewer than the cores).",
        ),
    ] = None,
    metrics: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of this machine for Prometheus to read (default: none)."),
    ] = None,
    keep_finished: Annotated[
        str, typer.Option(help="How long closed tables are kept: 90d, 12h, 90m or forever.")
    ] = "90d",
    keep_chat: Annotated[str, typer.Option(help="How long messages are kept.")] = "30d",
    keep_secrets: Annotated[
        str, typer.Option(help="How long a closed table keeps its deals' secrets and the fingerprints of its guests.")
    ] = "7d",
    keep_results: Annotated[str, typer.Option(help="How long guests can see how their own matches ended.")] = "365d",
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="A proxy on another machine, address or network, that is trusted to say where a request comes from; "
            "may be repeated."
        ),
    ] = None,
    password: Annotated[
        str | None,
        typer.Option(
            envvar="PARLOUR_PASSWORD",
            help="Let in only people who know this; safer in the variable, since others can see a command line.",
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open Parlour in the browser.")] = False,
) -> None:
    """Run a server, with tables where friends and bots play together.  Ctrl-C stops it; its tables are kept.

    Play in the browser at its address, or open a table with parlour play GAME --server ADDRESS; send friends the link.
    """
    from parlour.server.store.database import see_that_it_is_kept
    from parlour.server.store.retention import Keep, seconds_in
    from parlour.server.web.proxies import Proxies

    if password is not None and not password.strip():
        raise ParlourError("An empty password would let everybody in: give one, or leave out --password.")
    host = ANY if host == "::" else host  # "::" alone would leave out IPv4, where this machine's name often leads
    proxies = Proxies(proxy or ())
    keep = Keep(seconds_in(keep_finished), seconds_in(keep_chat), seconds_in(keep_secrets), seconds_in(keep_results))
    database = database or _own_database()
    see_that_it_is_kept(database)
    port = _any_port(host) if port is None else _free_port(host, port)
    address = f"http://{_called(host)}:{port}"
    from parlour.engine.definition import register_here
    from parlour.server.site.serving import serve as run

    own = register_here()

    def announce() -> None:
        with speaking(readers_language(["serve"])):
            print(_("Parlour is running at {address}; press Ctrl-C to stop it.", address=address), flush=True)
            print(_("In the terminal: parlour play diamonds --server {address}", address=address), flush=True)
            for game, wrong in own.items():
                left_out = _("{name} is left out: {why}", name=game, why=translated(wrong))
                print(left_out if wrong else _("From this folder: {game}.", game=game), flush=True)
        if open_:
            threading.Thread(target=_show, args=(address, host, port), daemon=True).start()

    # Ctrl-C may come just before
    warnings.filterwarnings("ignore", "coroutine 'Server.serve' was never awaited", RuntimeWarning)
    run(host, port, database, jobs, metrics, keep, proxies, password or "", announce)


def _any_port(host: str) -> int:
    """Return the usual port, or a free one if it is taken."""
    try:
        return _free_port(host, 8000)
    except ParlourError as taken:
        try:
            return _free_port(host, 0)
        except ParlourError:
            raise taken from None


def _show(address: str, host: str, port: int) -> None:
    """Open the browser, once there is something to see."""
    for _second in range(600):
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1" if host in EVERYWHERE else host, port)),
        ):
            webbrowser.open(address)
            return
        time.sleep(0.1)


def _free_port(host: str, port: int) -> int:
    """Return the port, if it is free to listen on."""
    both = host == ANY and socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both or ":" in host else socket.AF_INET
    try:
        host.encode("idna")
        with socket.create_server((host, port), family=family, dualstack_ipv6=both) as trial:
            return int(trial.getsockname()[1])
    except OSError as error:
        why = marked(str(reason(error)).partition(" (while ")[0])  # Python adds the address
    except UnicodeError:
        why = marked("That isn't the name of a machine")
    raise ParlourError("Can't listen on {host}, port {port}: {why}.", host=host, port=port, why=why)


def _called(host: str) -> str:
    """Return a host as it stands in an address that others can open."""
    if host in EVERYWHERE:
        return _in_the_network() or socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _in_the_network() -> str:
    """Return this machine's address in its network; empty if it has none. A phone knows no machine by its name."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(ELSEWHERE)  # which of the own addresses would lead there
        found = str(one.getsockname()[0])
        return "" if found.startswith(("127.", "0.")) else found
    return ""


def _own_database() -> str:
    """Return the URL of the database beside the kept records."""
    from parlour.server.store.database import url_of

    folder = state_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ParlourError(
            "The folder {folder!r} can't be created: {why}. Name a file in another: --database sqlite:////FOLDER/FILE.",
            folder=str(folder),
            why=reason(error),
        ) from None
    return url_of(folder / "room.db")
