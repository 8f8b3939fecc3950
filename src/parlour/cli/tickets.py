"""Seats at tables of servers, kept until they are given back: who was cut off finds his own again."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from pathlib import Path

from parlour.cli.keeping import state_folder
from parlour.room.client import Ticket, read_link

OLD = 30 * 86400.0  # seconds after which a seat is forgotten


def _folder() -> Path:
    return state_folder() / "seats"


def _file(ticket: Ticket) -> Path:
    return _folder() / f"{ticket.table}-{ticket.seat}.json"


def keep(ticket: Ticket, name: str) -> None:
    """Keep a seat that one has under this name, for nobody else's eyes; without a place to write it is not kept."""
    try:
        _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in _folder().iterdir():
            if path.stat().st_mtime < time.time() - OLD:
                path.unlink()
        where = os.open(_file(ticket), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(where, "w", encoding="utf-8") as file:
            json.dump({"name": name, **asdict(ticket)}, file)
    except OSError:
        pass


def find(link: str, name: str) -> Ticket | None:
    """The seat that one had at the table of a link under this name."""
    wanted = read_link(link)
    for path in sorted(_folder().glob("*.json")):
        try:
            kept = json.loads(path.read_text("utf-8"))
            known_as = kept.pop("name")
            ticket = Ticket(**kept)
            if known_as == name and read_link(ticket.link) == wanted:
                return ticket
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue  # it was cut short, or is none of ours
    return None


def forget(ticket: Ticket) -> None:
    """The seat is given back."""
    try:
        _file(ticket).unlink(missing_ok=True)
    except OSError:
        pass
