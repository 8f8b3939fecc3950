"""What a client may send at most, and how often."""

from __future__ import annotations

from typing import Final

from parlour.room import clock

LARGEST_FRAME: Final = 4096
"""Bytes of a command."""
LARGEST_BODY: Final = 1 << 20
"""Bytes of a request: a record may be long."""
PER_SECOND, BURST = 20.0, 60
"""Commands that a connection may send in the long run, and at once."""
PATIENCE: Final = 10.0
"""Seconds for which a connection is slowed down before it is closed."""
SEND_SECONDS: Final = 20.0
"""Seconds for which a client may read nothing when there is something to be sent."""
MOST_KEYS: Final = 10_000
"""Keys whose allowances are kept."""


class Allowance:
    """How often somebody may ask: a client that asks too often must wait, and is refused in the end."""

    def __init__(self) -> None:
        self._last = self._calm = clock.now()
        self._left = float(BURST)

    async def use(self) -> bool:
        """Wait as long as it takes; whether patience is left."""
        now = clock.now()
        self._left, self._last = min(BURST, self._left + (now - self._last) * PER_SECOND) - 1, now
        if self._left >= 0:
            self._calm = now
            return True
        if max(now - self._calm, -self._left / PER_SECOND) > PATIENCE:
            return False
        await clock.sleep(-self._left / PER_SECOND)
        return True


class Allowances:
    """The allowances of all who send requests, by key."""

    def __init__(self) -> None:
        self._of: dict[str, Allowance] = {}

    async def use(self, key: str) -> bool:
        """Use that of one key; those without a key share one."""
        if len(self._of) > MOST_KEYS:
            self._of.clear()
        return await self._of.setdefault(key, Allowance()).use()


__all__ = ["LARGEST_BODY", "LARGEST_FRAME", "SEND_SECONDS", "Allowance", "Allowances"]
