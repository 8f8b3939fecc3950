"""The guide of a first game: the page explains one idea at a time; a cookie of the table remembers what it has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Final

import msgspec
from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import RedirectResponse

from parlour.room.floor import Floor
from parlour.room.live import LiveTable

if TYPE_CHECKING:
    from parlour.page.visit import Visit

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


def add_guide(
    app: FastAPI, floor: Floor, visit: Callable[[Request, LiveTable], Awaitable[Visit]], reading: Iterable[Visit]
) -> None:
    """Add the address at which the next idea is asked for, or an end of it.  ``reading``: the pages that are open."""

    @app.post("/t/{table}/guide", include_in_schema=False)
    async def go_on(request: Request, table: str) -> Response:
        live = await floor.get(table)
        form = await request.form()
        clause, now = str(form.get("clause", "")), explained(request) or frozenset()
        stops = "stop" in form or len(now) >= _MOST
        if clause in live.table.game.definition.book.clauses:
            now |= {clause}
        answer: Response = RedirectResponse(f"/t/{live.code}", 303)
        if "x-parlour" in request.headers:
            reader = await visit(request, live)
            for one in (reader, *reading):
                if one.live is live and one.key == reader.key:
                    one.explained = None if stops else now
            answer = Response(msgspec.json.encode(reader.strip()), media_type="application/json")
        if stops:
            answer.delete_cookie(GUIDE, path=f"/t/{live.code}")
        else:
            _keep(answer, live.code, now)
        return answer


def _keep(answer: Response, code: str, clauses: frozenset[str]) -> None:
    kept = "".join(f".{clause}" for clause in sorted(clauses))
    answer.set_cookie(GUIDE, f"on{kept}", max_age=_DAY, path=f"/t/{code}", samesite="lax", httponly=True)
