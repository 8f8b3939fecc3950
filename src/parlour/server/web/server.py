"""The server for programs: the interface (:mod:`parlour.server.web.api`), its guards, and its answers to mistakes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from parlour.base.errors import ParlourError
from parlour.base.languages import marked, shortened
from parlour.server.common import wire
from parlour.server.common.limits import (
    HOUR,
    HOUSEHOLD,
    LARGEST_BODY,
    LARGEST_FORM,
    NEWCOMERS,
    ROUND_TABLES,
    TABLES,
    Allowances,
    RateCounter,
)
from parlour.server.live.identity import is_same_origin, key_of
from parlour.server.live.tables import Tables
from parlour.server.web import api
from parlour.server.web.auth import Gate, Gatekeeper
from parlour.server.web.connection_limits import Prompt, is_near, place_of
from parlour.server.web.mistakes import MISTAKES, Mistake, mistake, told
from parlour.server.web.new_table import first_of
from parlour.server.web.proxies import Proxies, Short, Visitors
from parlour.server.web.rate_limits import Pace


def make_app(tables: Tables, proxies: Proxies | None = None, gate: Gate | None = None) -> FastAPI:
    """Return the server for programs over these tables; :func:`parlour.server.site.site.add_pages` adds the pages for
    people. ``proxies``: those that are trusted to say who a request comes from; ``gate``: lets in only those who know
    its password."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tables.start()
        yield
        await tables.close()

    app = FastAPI(
        title="Parlour", version=str(wire.VERSION), lifespan=lifespan, responses=MISTAKES,
        docs_url=None, redoc_url=None,  # they use scripts of other servers; the site has its own page
    )  # fmt: skip
    app.state.tables, app.state.allowances, app.state.openings = tables, Allowances(), RateCounter(HOUR, TABLES)
    app.state.round_tables, app.state.newcomers = RateCounter(HOUR, ROUND_TABLES), RateCounter(HOUR, NEWCOMERS)
    app.state.tokens = tables.tokens
    app.state.take_records = {f"{api.API}/tables"}  # the paths at which a request may be as long as a record
    app.include_router(api.house)
    app.include_router(api.router)
    app.add_exception_handler(ParlourError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _not_served)
    app.add_exception_handler(Exception, _failed)
    app.middleware("http")(_guard)
    app.add_middleware(Prompt)
    if gate is not None:
        app.state.gate = gate
        app.add_middleware(Gatekeeper, gate=gate)
    app.add_middleware(Pace)
    app.add_middleware(Visitors, proxies=proxies or Proxies())
    app.add_middleware(Short)
    _describe_frames(app)
    return app


async def _guard(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
    """Let in a request that is not too long and, if it changes something, comes from one of our own pages or from no
    page."""
    most = LARGEST_BODY if request.url.path in request.app.state.take_records else LARGEST_FORM
    if not _is_short(request.headers.get("content-length", "0"), most) or "transfer-encoding" in request.headers:
        why = marked("A request may have at most {most} bytes here, and must say how many.", most=most)
        return mistake(413, why)
    if request.method not in {"GET", "HEAD", "OPTIONS"}:
        if not is_same_origin(request):
            return mistake(403, "This page isn't from this server.")
        allowances: Allowances = request.app.state.allowances
        address = place_of(request.client.host if request.client is not None else "")
        if not is_near(address) and not await allowances.use(address, HOUSEHOLD):
            return mistake(429, "Too many requests from your address; wait a moment.")
        if not await allowances.use(key_of(request) or f"strangers at {address}"):
            return mistake(429, "Too many requests; wait a moment.")
    try:
        response = await go_on(request)
    except ClientDisconnect:  # it has left, or has not sent the rest of its request in time
        return mistake(400, "The rest of the request did not arrive.")
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _is_short(length: str, most: int) -> bool:
    """Whether a header gives a length that is allowed. A number with too many digits is not read: Python would refuse
    to."""
    return length.isdecimal() and len(length) <= len(str(most)) and int(length) <= most


async def _refused(_: Request, wrong: Exception) -> JSONResponse:
    assert isinstance(wrong, ParlourError)
    return told(wrong)


async def _malformed(request: Request, wrong: Exception) -> JSONResponse:
    assert isinstance(wrong, RequestValidationError)
    if wrong.errors()[0]["loc"][0] == "path":  # an address that can never exist
        return await _not_served(request, HTTPException(404))
    return mistake(422, first_of(wrong))


async def _not_served(request: Request, wrong: Exception) -> JSONResponse:
    assert isinstance(wrong, HTTPException)
    if wrong.status_code == 404:
        return mistake(404, marked("There is nothing at {path}.", path=shortened(request.url.path, 100)))
    return mistake(wrong.status_code, f"{wrong.detail}.")


async def _failed(_: Request, wrong: Exception) -> JSONResponse:
    """Answer a request that failed by a fault of ours. What the fault was is in the journal, and nowhere else."""
    answer = mistake(500, "Something went wrong on this server, not with what you did. Try again in a moment.")
    # the guards that add these headers to other answers are not asked here
    answer.headers.update({"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"})
    return answer


def _describe_frames(app: FastAPI) -> None:
    """Add commands and frames to the description of the interface."""
    describe = app.openapi

    def described() -> dict[str, Any]:
        whole = describe()
        whole["components"]["schemas"].update(api.SCHEMAS, Mistake=Mistake.model_json_schema())
        return whole

    app.openapi = described  # type: ignore[method-assign]


__all__ = ["make_app"]
