"""Quick phrases: the few that a guest can say with one press, each read in the reader's own language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from parlour.base.languages import marked

PHRASES: Final[Mapping[str, str]] = {
    "hello": marked("Hello!"),
    "luck": marked("Good luck!"),
    "well": marked("Well played!"),
    "oops": marked("Oops!"),
    "moment": marked("One moment, please."),
    "thanks": marked("Thank you, and goodbye!"),
}
"""What each says, by its name in commands."""


__all__ = ["PHRASES"]
