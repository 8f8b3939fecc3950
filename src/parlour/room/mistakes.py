"""How a mistake is answered: a sentence, and the clause of the rules that says so, if one does."""

from __future__ import annotations

from typing import Any, Final

from fastapi.responses import JSONResponse
from pydantic import BaseModel

from parlour.errors import IllegalAction, ParlourError
from parlour.room.errors import Moved, NoTable, TooEarly

CODES: Final = (400, 403, 404, 409, 413, 415, 422, 429, 503)
"""All codes that a request may be refused with."""
_SCHEMA: Final = {"$ref": "#/components/schemas/Mistake"}
MISTAKES: Final[dict[int | str, dict[str, Any]]] = {
    code: {"description": "Refused", "content": {"application/json": {"schema": _SCHEMA}}} for code in CODES
}
"""The same for the description of the interface."""


class Mistake(BaseModel):
    """What is wrong, in a sentence, and the clause of the rules that says so, if one does."""

    sentence: str
    clause: str = ""


def mistake(status: int, sentence: str, clause: str = "") -> JSONResponse:
    """The answer that tells of a mistake."""
    return JSONResponse({"sentence": sentence, "clause": clause}, status)


def told(wrong: ParlourError) -> JSONResponse:
    """The answer to a request that could not be done."""
    status = 404 if isinstance(wrong, NoTable) else 409 if isinstance(wrong, Moved | TooEarly) else 422
    return mistake(status, str(wrong), wrong.clause if isinstance(wrong, IllegalAction) else "")


__all__ = ["MISTAKES", "Mistake", "mistake", "told"]
