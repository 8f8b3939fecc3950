"""What a client may send at most, and how often."""

from __future__ import annotations

from collections import deque
from math import floor, log2
from typing import Final

from parlour.errors import ParlourError
from parlour.players.kinds import budget
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
HOUSEHOLD: Final = 8
"""Guests who may share an address, so that many times as much may come from it."""
TABLES, HOUR = 60, 3600.0
"""Tables that may be opened from one address in an hour."""
MOST_KEYS: Final = 10_000
"""Keys whose allowances are kept."""


MARGIN: Final = 0.25
"""Seconds more that it takes for every move, in which it has surely answered."""
WORK: Final = 1_000_000
"""Steps that may have to be played to replay a record: each one that was taken back is paid for with all before it."""
STEPS: Final = 20_000
"""Lines that a record may have: it is replayed by the server."""
THINKING: Final = 2.0
"""Seconds that a bot may think about a move, at the most."""
SIMULATIONS: Final = 20_000
"""Simulations that it may make for one."""
LEAST: Final = 0.02
"""Seconds that it has at least, however many think at a time."""
SECONDS: Final = 0.1
"""Seconds that it thinks if nobody says how long."""


def refuse_endless(record: str) -> None:
    """``ParlourError`` if replaying a record would take the server too long.

    >>> refuse_endless("undo\\n" * 1001 + "0: pass\\n")
    Traceback (most recent call last):
    parlour.errors.ParlourError: Too many moves were taken back in this record to replay it here.
    """
    lines = record.count("\n")
    if lines > STEPS:
        raise ParlourError(f"A record may have {STEPS:,} lines here; this one has {lines:,}.")
    if record.count("undo") * lines > WORK:
        raise ParlourError("Too many moves were taken back in this record to replay it here.")


def refuse_slow(kind: str) -> None:
    """``ParlourError`` if a bot of this kind would think for too long: everybody at the server waits for bots.

    >>> refuse_slow("search:3600s")
    Traceback (most recent call last):
    parlour.errors.ParlourError: A bot may think for at most 2 seconds a move here, not 3600.
    """
    name, colon, setting = kind.partition(":")
    if name != "search" or not colon:
        return
    asked = budget(setting)
    seconds, simulations = asked.get("seconds", 0.0), asked.get("simulations", 0)
    if not 0 <= seconds <= THINKING:
        raise ParlourError(f"A bot may think for at most {THINKING:g} seconds a move here, not {seconds:g}.")
    if not 0 <= simulations <= SIMULATIONS:
        raise ParlourError(f"A bot may make at most {SIMULATIONS:,} simulations a move here, not {simulations:,}.")


def thinking(kind: str) -> float:
    """Seconds that a bot of this kind takes for any move, so that nobody can tell by them what it thinks about.

    >>> thinking("search:0.5s"), thinking("search:5000"), thinking("random")
    (0.75, 2.25, 0.0)
    """
    name, colon, setting = kind.partition(":")
    if name != "search":
        return 0.0
    asked = budget(setting) if colon else {"seconds": SECONDS}
    return float(asked.get("seconds", THINKING)) + MARGIN


def shared(kind: str, waiting: float) -> str:
    """The kind of a bot that thinks, when so many think at a time for each process that they have: with less time.

    >>> shared("search:2s", 1.0), shared("search:2s", 8.0), shared("search:20000", 4.0), shared("search", 100.0)
    ('search:2s', 'search:0.25s', 'search:0.5s', 'search:0.02s')
    """
    if waiting <= 1:
        return kind
    seconds = max(LEAST, (thinking(kind) - MARGIN) / waiting)
    return f"search:{2 ** floor(log2(seconds)) if seconds > LEAST else LEAST:g}s"  # few kinds: players are kept


class Allowance:
    """How often somebody may ask: a client that asks too often must wait, and is refused in the end.

    ``share``: how many clients have it together.
    """

    def __init__(self, share: int = 1) -> None:
        self._share = share
        self._last = self._calm = clock.now()
        self._left = float(BURST * share)

    async def use(self) -> bool:
        """Wait as long as it takes; whether patience is left."""
        now = clock.now()
        rate = PER_SECOND * self._share
        self._left, self._last = min(BURST * self._share, self._left + (now - self._last) * rate) - 1, now
        if self._left >= 0:
            self._calm = now
            return True
        if max(now - self._calm, -self._left / rate) > PATIENCE:
            self._left += 1  # what is refused costs nothing, or others at this address would pay for it
            return False
        await clock.sleep(-self._left / rate)
        return True


class Allowances:
    """The allowances of all who send requests, by key."""

    def __init__(self) -> None:
        self._of: dict[str, Allowance] = {}

    async def use(self, key: str, share: int = 1) -> bool:
        """Use that of one key, which as many clients may share."""
        if len(self._of) > MOST_KEYS:
            self._of.clear()
        if key not in self._of:
            self._of[key] = Allowance(share)
        return await self._of[key].use()


class Openings:
    """The tables that were opened from each address within the last hour.

    >>> openings = Openings()
    >>> for moment in (0.0, 1.0):
    ...     openings.add("192.0.2.7", moment)
    >>> [openings.count("192.0.2.7", moment) for moment in (2.0, HOUR, HOUR + 1.0)]
    [2, 1, 0]
    """

    def __init__(self) -> None:
        self._at: dict[str, deque[float]] = {}

    def count(self, address: str, now: float) -> int:
        """How many there are."""
        times = self._at.get(address, deque())
        while times and times[0] <= now - HOUR:
            times.popleft()
        return len(times)

    def add(self, address: str, now: float) -> None:
        """One more was opened."""
        if len(self._at) > MOST_KEYS:
            self._at.clear()
        self._at.setdefault(address, deque(maxlen=TABLES)).append(now)


__all__ = [
    "LARGEST_BODY",
    "LARGEST_FRAME",
    "SEND_SECONDS",
    "Allowance",
    "Allowances",
    "refuse_endless",
    "refuse_slow",
    "shared",
    "thinking",
]
