"""What the parts of a server require of its tables, so that none needs to know how they are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol

from parlour.server.live.identity import Tokens
from parlour.server.live.live_table import LiveTable
from parlour.server.store.store import Store


class Registry(Protocol):
    """The tables in memory, and where all are kept: :class:`parlour.server.live.tables.Tables`."""

    store: Store
    tokens: Tokens
    live: dict[str, LiveTable]
    loading: dict[str, asyncio.Task[LiveTable]]

    def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Start something in the background."""

    async def get(self, name: str) -> LiveTable:
        """Return the table of this name or code.  Raises :class:`NoTable` if there is none."""
        ...

    async def put_away(self, live: LiveTable, reason: str) -> None:
        """Remove a table from memory; its log remains."""


__all__ = ["Registry"]
