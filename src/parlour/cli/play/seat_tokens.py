"""Seats at tables on servers, kept until they are given up, so that a player who was cut off can return."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

from parlour.base import disk
from parlour.server.client.tickets import Ticket, read_link

MOST = 200  # the most seats that are kept; the oldest are forgotten first, whatever the clock says


def _folder() -> Path:
    return disk.state_folder() / "seats"


def _file(ticket: Ticket) -> Path:
    name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{ticket.table}-{ticket.seat}")  # the server has chosen the table's name
    return _folder() / f"{name[:100]}.json"


def keep(ticket: Ticket, name: str) -> None:
    """Keep a seat that was taken under this name, readable only by its owner. If there is nowhere to write, do
    nothing."""
    try:
        _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in sorted(_folder().iterdir(), key=lambda path: path.stat().st_mtime)[:-MOST]:
            path.unlink()
        disk.write(_file(ticket), json.dumps({"name": name, **asdict(ticket)}), mode=0o600)
    except OSError:
        pass


def find(link: str, name: str) -> Ticket | None:
    """Return the seat held under this name at the table of a link, or ``None``."""
    wanted = read_link(link)
    for path in sorted(_folder().glob("*.json")):
        try:
            kept = json.loads(path.read_text("utf-8"))
            known_as = kept.pop("name")
            ticket = Ticket(**kept)
            if known_as == name and read_link(ticket.link) == wanted:
                return ticket
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue  # the file was cut short, or isn't one of ours
    return None


def forget(ticket: Ticket) -> None:
    """Forget a seat that was given up."""
    try:
        _file(ticket).unlink(missing_ok=True)
    except OSError:
        pass
