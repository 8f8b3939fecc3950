"""How tests wait: for what happens, never for a time on the clock (``docs/testing.md``)."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import Final

LIMIT: Final = float(os.environ.get("PARLOUR_TEST_LIMIT", "180"))
"""Seconds after which something that a test waits for counts as never happening.  It only turns a hang into a failure:
on a machine that is busy with other things a test may take long, and still passes."""
FOR_EVER: Final = 1e9
"""Seconds that do not pass while a test runs."""


def wait_until(is_so: Callable[[], object], what: object = "it did not happen", limit: float = LIMIT) -> None:
    """Wait until something is so; it is an error, which says ``what``, if it does not become so."""
    end = time.monotonic() + limit
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.01)


async def until(is_so: Callable[[], object], what: object = "it did not happen") -> None:
    """The same in an event loop."""
    end = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < end, what
        await asyncio.sleep(0.002)
