"""The six letters by which people find a table or a competition."""

from __future__ import annotations

from typing import Final

from parlour.server.common.outside import outside

CODE_LENGTH: Final = 6
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"


def new_code() -> str:
    """Return six random letters, without vowels, so that they make no word. The code may be taken already.

    >>> len(new_code())
    6
    """
    return "".join(outside().chance.choices(_LETTERS, k=CODE_LENGTH))


__all__ = ["CODE_LENGTH", "new_code"]
