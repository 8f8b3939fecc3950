"""Quick phrases, which a guest can say with one press, and which everybody reads in their own language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from parlour.base.languages import marked, translated

PHRASES: Final[Mapping[str, str]] = {
    "hello": marked("Hello!"),
    "luck": marked("Good luck!"),
    "well": marked("Well played!"),
    "oops": marked("Oops!"),
    "moment": marked("One moment, please."),
    "thanks": marked("Thank you, and goodbye!"),
}
"""The sentence of each phrase, by its name in commands."""


def as_read(text: str) -> str:
    """Return a message as it is read: a quick phrase in the reader's language, anything else as it was written.

    >>> from parlour.base.languages import speaking
    >>> with speaking("de"):
    ...     as_read("Hello!"), as_read("Hello?")
    ('Hallo!', 'Hello?')
    """
    return translated(text) if text in PHRASES.values() else text


__all__ = ["PHRASES", "as_read"]
