"""The clock that tables go by.  Tests put another one in its place, which stands still until they move it."""

from __future__ import annotations

import asyncio


def now() -> float:
    """Seconds since some moment; in a running event loop."""
    return asyncio.get_running_loop().time()


async def sleep(seconds: float) -> None:
    """Let so much time go by."""
    await asyncio.sleep(seconds)
