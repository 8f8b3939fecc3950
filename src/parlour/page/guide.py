"""The guide of a first game: the page explains one idea at a time; a cookie of the table remembers what it has."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import RedirectResponse

from parlour.room.floor import Floor

GUIDE: Final = "parlour_guide"
"""The cookie: the clauses that have been explained, each after a full stop."""
_MOST: Final = 300
_DAY: Final = 86400


def explained(request: Request | WebSocket) -> frozenset[str] | None:
    """The clauses that have been explained at this table; ``None`` if nobody wants a guide."""
    kept = request.cookies.get(GUIDE)
    return None if kept is None else frozenset(kept.split(".")[1:])


def begin(answer: Response, code: str) -> None:
    """From now on there is a guide at this table."""
    _keep(answer, code, frozenset())


def add_guide(app: FastAPI, floor: Floor) -> None:
    """Add the address at which the next idea is asked for, or an end of it."""

    @app.post("/t/{table}/guide", include_in_schema=False)
    async def go_on(request: Request, table: str) -> Response:
        live = await floor.get(table)
        form = await request.form()
        answer = RedirectResponse(f"/t/{live.code}", 303)
        clause, so_far = str(form.get("clause", "")), explained(request) or frozenset()
        if "stop" in form or len(so_far) >= _MOST:
            answer.delete_cookie(GUIDE, path=f"/t/{live.code}")
        elif clause in live.table.game.definition.book.clauses:
            _keep(answer, live.code, so_far | {clause})
        return answer


def _keep(answer: Response, code: str, clauses: frozenset[str]) -> None:
    kept = "".join(f".{clause}" for clause in sorted(clauses))
    answer.set_cookie(GUIDE, f"on{kept}", max_age=_DAY, path=f"/t/{code}", samesite="lax", httponly=True)
