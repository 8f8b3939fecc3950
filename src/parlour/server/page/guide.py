"""The guide for a first game: the page explains one idea at a time, and a cookie of the table remembers which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi import Response
from starlette.requests import HTTPConnection

from parlour.engine.book import Book
from parlour.server.live.for_pages import Session
from parlour.server.page.ideas import AIM
from parlour.server.page.scene import Scene

GUIDE: Final = "parlour_guide"
"""The cookie with the clauses that have been explained, each after a full stop."""
READING: Final = 300.0
"""The most seconds that bots wait while a reader reads what the guide explains."""
_MOST: Final = 300
_DAY: Final = 86400


def explained(request: HTTPConnection) -> frozenset[str] | None:
    """Return the clauses explained so far at this table; ``None`` if the guide is off."""
    kept = request.cookies.get(GUIDE)
    return None if kept is None else frozenset(kept.split(".")[1:])


def begin(answer: Response, table: str) -> None:
    """Switch the guide on at the table with this address."""
    keep(answer, table, frozenset())


def next_step(request: HTTPConnection, book: Book, form: Mapping[str, str]) -> frozenset[str] | None:
    """Return the clauses explained once this form has been sent; ``None`` if it ends the guide."""
    clause, now = form.get("clause", ""), explained(request) or frozenset()
    if "stop" in form or len(now) >= _MOST:
        return None
    return now | {clause} if clause in book.clauses or clause == AIM else now


def hold(session: Session, scene: Scene) -> None:
    """Let bots wait while something is explained to the reader, or the reader has not seen the table yet, if nobody
    else sits there."""
    is_reading = scene.idea is not None or (scene.explained is not None and scene.view is None)
    session.reads(READING if is_reading else 0.0)


def keep(answer: Response, table: str, clauses: frozenset[str] | None) -> None:
    """Let the browser remember what has been explained at the table with this address."""
    if clauses is None:
        answer.delete_cookie(GUIDE, path=table)
        return
    kept = "".join(f".{clause}" for clause in sorted(clauses))
    answer.set_cookie(GUIDE, f"on{kept}", max_age=_DAY, path=table, samesite="lax", httponly=True)


__all__ = ["begin", "explained", "hold", "keep", "next_step"]
