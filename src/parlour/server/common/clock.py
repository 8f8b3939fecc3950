"""The clock that tables use.  Tests replace it by one that stands still until they move it."""

from __future__ import annotations

import asyncio
import time


def now() -> float:
    """Return the seconds since some fixed moment; call it in a running event loop."""
    return asyncio.get_running_loop().time()


def wall() -> float:
    """Return the seconds since 1970, from which the date follows."""
    return time.time()


async def sleep(seconds: float) -> None:
    """Wait for this number of seconds."""
    await asyncio.sleep(seconds)
