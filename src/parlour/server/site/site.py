"""The pages for people, added to the server for programs. They are one more client: frames in, commands out."""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from parlour.base import languages
from parlour.base.errors import ParlourError
from parlour.server.club.pages import daily, duplicates, profile, ratings, tournaments
from parlour.server.common.wire import Parts, with_parts
from parlour.server.page import appearance, assets, at_table, replays
from parlour.server.page import pwa as installed
from parlour.server.page.i18n import InTheirLanguage, language_of
from parlour.server.page.page_session import Readers
from parlour.server.page.pages import sorry
from parlour.server.site import front
from parlour.server.web.api import API

KEPT: Final = ("X-Content-Type-Options", "Cache-Control")
"""Headers that a page takes over from the answer to a program, if it has them."""
NOT_OPENED: Final = 405
"""The status of an address to which something is only sent."""
_AT_TABLE: Final = re.compile(r"/t/[^/]+(?=/)")


def add_pages(app: FastAPI) -> None:
    """Add the pages to a server."""
    app.state.readers, app.state.records = Readers(), replays.Records()
    app.state.take_records.add("/replay")
    for part in (
        assets,
        front,
        appearance,
        replays,
        profile,
        ratings,
        daily,
        duplicates,
        tournaments,
        at_table,
        installed,
    ):
        app.include_router(part.router)
    app.add_middleware(InTheirLanguage)
    for kind in (ParlourError, RequestValidationError, HTTPException, Exception):
        _tell_people(app, kind)


def _tell_people(app: FastAPI, kind: type[Exception]) -> None:
    """Answer a person's mistake with a page, in the same words that a program gets."""
    tell_program = app.exception_handlers[kind]

    async def mistake(request: Request, wrong: Exception) -> Response:
        answer: Response = await tell_program(request, wrong)  # type: ignore[misc]
        if _is_program(request):
            return answer
        table = _AT_TABLE.match(request.url.path)
        if answer.status_code == NOT_OPENED and table:  # a button's address, typed or loaded again
            return RedirectResponse(table[0], 303)
        said = str(wrong) if isinstance(wrong, ParlourError) else _sentence(bytes(answer.body))
        if answer.status_code == NOT_OPENED:
            said = languages.marked("There is nothing to see here: only buttons lead to it.")
        with languages.speaking(language_of(request)):  # our own faults are answered outside the middleware
            told = sorry(request, said, answer.status_code)
        told.headers.update({name: answer.headers[name] for name in KEPT if name in answer.headers})
        return told

    app.add_exception_handler(kind, mistake)


def _sentence(body: bytes) -> str:
    """Return the sentence of an answer to a program, with its parts if it has any."""
    told = json.loads(body)
    parts = told.get("parts")
    return with_parts(told["sentence"], msgspec.convert(parts, Parts)) if parts else str(told["sentence"])


def _is_program(request: Request) -> bool:
    """Whether the answer goes to a program, which wants JSON, and not to a person."""
    return request.url.path.startswith(API) or "text/html" not in request.headers.get("accept", "")


__all__ = ["add_pages"]
