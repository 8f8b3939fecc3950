"""Quick phrases, which a guest can say with one press, and which everybody reads in their own language."""

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
"""The sentence of each phrase, by its name in commands."""


__all__ = ["PHRASES"]
