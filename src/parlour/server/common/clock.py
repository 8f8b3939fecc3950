"""The clock that tables use."""

from __future__ import annotations

import asyncio

from parlour.server.common.outside import outside


def now() -> float:
    """Return the seconds since some fixed moment; call it inside a running event loop."""
    return asyncio.get_running_loop().time()


def wall() -> float:
    """Return the seconds since 1970, from which the date follows."""
    return outside().wall()


def steady() -> float:
    """Return the seconds since some fixed moment; unlike :func:`now`, this needs no event loop."""
    return outside().steady()


async def sleep(seconds: float) -> None:
    """Wait this many seconds."""
    await asyncio.sleep(seconds)
