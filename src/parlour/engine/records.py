"""Records (being written)."""

from __future__ import annotations

from typing import Any


def write(state: Any, player: int | None = None) -> str:
    raise NotImplementedError


def replay(text: str) -> Any:
    raise NotImplementedError
