"""How a mistake is answered: a sentence and, if a rule forbids it, the clause."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from parlour.base.errors import IllegalAction, ParlourError
from parlour.server.common.errors import Moved, NoTable, NotWritten, Private, TooEarly
from parlour.server.common.wire import parts_of
from parlour.server.store.database import Unreachable

CODES: Final = (400, 403, 404, 409, 413, 414, 415, 422, 429, 431, 503)
"""All codes with which a request may be refused."""
_SCHEMA: Final = {"$ref": "#/components/schemas/Mistake"}
MISTAKES: Final[dict[int | str, dict[str, Any]]] = {
    code: {"description": "Refused", "content": {"application/json": {"schema": _SCHEMA}}} for code in CODES
}
"""These codes, as the description of the interface lists them."""


_STATUS: Final[dict[int, type[ParlourError] | tuple[type[ParlourError], ...]]] = {
    403: Private,
    404: NoTable,
    409: (Moved, TooEarly),
    503: (NotWritten, Unreachable),
}


class Mistake(BaseModel):
    """What is wrong, in a sentence, and the clause that forbids it, if any.

    ``parts``: what the sentence is made of, if it has values (:class:`parlour.server.common.wire.Parts`).
    """

    sentence: str
    clause: str = ""
    parts: dict[str, Any] | None = None


def mistake(status: int, sentence: str, clause: str = "") -> JSONResponse:
    """Return the response that reports a mistake."""
    parts = parts_of(sentence)
    more = {} if parts is None else {"parts": msgspec.to_builtins(parts)}
    return JSONResponse({"sentence": sentence, "clause": clause, **more}, status)


def status_of(wrong: ParlourError, otherwise: int = 422) -> int:
    """Return the status of a request that could not be carried out, ``otherwise`` if it is the request that was wrong.

    >>> status_of(NotWritten("The log could not be written.")), status_of(ParlourError("No such game."))
    (503, 422)
    """
    return next((code for code, kinds in _STATUS.items() if isinstance(wrong, kinds)), otherwise)


def told(wrong: ParlourError) -> JSONResponse:
    """Return the response to a request that could not be carried out."""
    return mistake(status_of(wrong), str(wrong), wrong.clause if isinstance(wrong, IllegalAction) else "")


__all__ = ["MISTAKES", "Mistake", "mistake", "status_of", "told"]
