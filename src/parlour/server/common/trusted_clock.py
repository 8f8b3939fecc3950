"""A clock that must be believed before anything is deleted or closed by it.

A computer's clock may be wrong for a while: a virtual machine is resumed, a board without a battery starts, somebody
mistypes. The clock is believed if it moves no further between two looks than it would while a server runs, or is
stopped for a day or two. After a leap, the time is counted on from before it, as long as a server runs; when one has
run for a day, the clock is believed again. So a server that was off for a month is right again a day later, and a clock
that was wrong for a while has done nothing that can't be undone.
"""

from __future__ import annotations

from typing import Final, NamedTuple

LEAP: Final = 2 * 86400.0
"""The most seconds by which a clock may move on between two looks and still be believed."""
BACK: Final = 60.0
"""The most seconds by which a clock may be set back and still be believed."""
DOUBTS: Final = 86400.0
"""Seconds that a server must run before a clock that leapt is believed again."""
GAP: Final = 7200.0
"""The most seconds between two looks that count as running; a server looks every hour."""


class ClockTrust(NamedTuple):
    """What is known of a clock, in seconds since 1970.

    ``at``: what it said at the last look; ``sure``: the time that had surely come by then; ``waits``: the seconds that
    a server must still run until the clock is believed (0: it is believed).
    """

    at: float
    sure: float
    waits: float = 0.0

    def leaps(self, now: float) -> bool:
        """Whether a clock that says ``now`` has moved too far to be believed.

        >>> clock = ClockTrust(at=1e9, sure=1e9)
        >>> clock.leaps(1e9 + 86400), clock.leaps(1e9 + 3 * 86400), clock.leaps(1e9 - 3600)
        (False, True, True)
        """
        return not -BACK <= now - self.at <= LEAP

    def looked(self, now: float) -> ClockTrust:
        """Return what is known after a look at the clock.

        >>> ClockTrust(at=0.0, sure=0.0).looked(3600.0)
        ClockTrust(at=3600.0, sure=3600.0, waits=0.0)
        >>> ClockTrust(at=0.0, sure=0.0).looked(40 * 86400.0).looked(40 * 86400.0 + 3600.0)
        ClockTrust(at=3459600.0, sure=3600.0, waits=82800.0)
        """
        if self.leaps(now):
            return ClockTrust(now, min(self.sure, now), DOUBTS)
        ran = min(max(0.0, now - self.at), GAP)
        waits = max(0.0, self.waits - ran)
        return ClockTrust(now, min(self.sure + ran, now) if waits else now, waits)

    def surely(self, now: float, ran: float) -> float:
        """Return the time that has surely come, if the clock says ``now`` and the server has run for ``ran`` seconds
        since the last look.

        >>> clock = ClockTrust(at=1e9, sure=1e9)
        >>> clock.surely(1e9 + 60, 60) - 1e9, clock.surely(2e9, 60) - 1e9, clock.surely(5e8, 60)
        (60.0, 60.0, 500000000.0)
        """
        if self.waits or self.leaps(now - ran):
            return min(now, self.sure + ran)
        return now


__all__ = ["BACK", "DOUBTS", "GAP", "LEAP", "ClockTrust"]
