"""Limits: how much and how often a client may send, how long a bot may think, and what else a guest may ask for."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from math import floor, log2
from threading import Lock
from typing import Final, Generic, TypeVar

from parlour.base.errors import ParlourError
from parlour.engine.definition import Definition, offered, smaller
from parlour.players.characters import played_as, thinks
from parlour.players.kind import Kind
from parlour.server.common import clock

K = TypeVar("K")
T = TypeVar("T")

LARGEST_FRAME: Final = 4096
"""The most bytes of a command."""
LARGEST_BODY: Final = 1 << 20
"""The most bytes of a request that brings a record, which may be long."""
LARGEST_FORM: Final = 1 << 14
"""The most bytes of any other request: enough for a form with all house rules of a game, or for a line of text in any
script."""
LONGEST_HEADER: Final = 8192
"""The most bytes of a header, our own cookies included, or of an address."""
LONGEST_PART: Final = 200
"""The most characters of one part of an address, between two slashes: a table's id, a game's name, a day."""
LONGEST_FIELD: Final = 1000
"""The most characters of a field of a form."""
PER_SECOND, BURST = 20.0, 60
"""The commands that a connection may send: this many a second in the long run, and this many in one burst."""
LONGEST_DELAY: Final = 10.0
"""Seconds that a connection may be slowed down before it is closed."""
HOUSEHOLD: Final = 8
"""Guests who may share an address: it is allowed this many times as much as one guest."""
TABLES, HOUR = 60, 3600.0
"""Tables that may be opened from one address in an hour."""
ROUND_TABLES: Final = 1280
"""Tables of tournaments that may be opened from one address in an hour: enough for all rounds of the largest
tournament."""
NEWCOMERS: Final = 256
"""Guests who may join a tournament from one address in an hour: twice as many as a tournament can have players."""
MOST_KEYS: Final = 10_000
"""The most addresses, or tokens, that are remembered."""
MARGIN: Final = 0.25
"""Seconds added to the thinking time of a bot; by then it has surely answered."""
WORK: Final = 1_000_000
"""The most steps that replaying a record may take; each move taken back costs all the steps before it."""
STEPS: Final = 20_000
"""The most lines of a record that the server replays."""
LONGEST_THOUGHT: Final = 2.0
"""The most seconds that a bot may think about a move."""
SIMULATIONS: Final = {"search": 20_000, "best": 2000}
"""The most simulations that a bot may make for a move, by its kind."""
SHORTEST_THOUGHT: Final = 0.02
"""The fewest seconds that a bot is given to think, however many bots think at once."""
USUAL_THOUGHT: Final = 0.1
"""The seconds that a bot thinks if its kind does not say."""


def refuse_endless(record: str) -> None:
    """Raise ``ParlourError`` if replaying a record would take the server too long.

    >>> refuse_endless("undo\\n" * 1001 + "0: pass\\n")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: Too many moves were taken back in this record to replay it here.
    """
    lines = record.count("\n")
    if lines > STEPS:
        raise ParlourError("A record may have {steps:,} lines here; this one has {lines:,}.", steps=STEPS, lines=lines)
    if record.count("undo") * lines > WORK:
        raise ParlourError("Too many moves were taken back in this record to replay it here.")


def refuse_slow(kind: Kind) -> None:
    """Raise ``ParlourError`` if a bot of this kind would think for too long: all tables of a server share its bots.

    >>> refuse_slow(Kind("search", "3600s"))
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: A bot may think for at most 2 seconds a move here, not 3600.
    """
    if not thinks(kind):
        return
    plays = played_as(kind)
    asked = plays.budget
    seconds, simulations = asked.get("seconds", 0.0), asked.get("simulations", 0)
    if not 0 <= seconds <= LONGEST_THOUGHT:
        raise ParlourError(
            "A bot may think for at most {thinking:g} seconds a move here, not {seconds:g}.",
            thinking=LONGEST_THOUGHT,
            seconds=seconds,
        )
    most = SIMULATIONS[plays.name]
    if not 0 <= simulations <= most:
        raise ParlourError(
            "A bot may make at most {most:,} simulations a move here, not {simulations:,}.",
            most=most,
            simulations=simulations,
        )


def at_tables(game: str) -> Definition:
    """Return the definition of a game that a server has. Raises ``ParlourError`` if there is none, or if it is a
    smaller one for study: boards, hints, ratings and lessons are of whole games.

    >>> at_tables("commit-8")
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: A server has commit, not commit-8, which is for study; in a terminal, ...
    """
    base, _, size = game.partition("-")
    if size and game in smaller():
        raise ParlourError(
            "A server has {base}, not {game}, which is for study; in a terminal, parlour play and parlour replay take"
            " it.",
            base=base,
            game=game,
        )
    return offered(game)


def thinking_time(kind: Kind) -> float:
    """Return the seconds that a bot of this kind takes for every move: always the same, so that they give nothing away.

    >>> thinking_time(Kind("search", "0.5s")), thinking_time(Kind("search", "5000")), thinking_time(Kind("random"))
    (0.75, 2.25, 0.0)
    """
    if not thinks(kind):
        return 0.0
    asked = played_as(kind).budget or {"seconds": USUAL_THOUGHT}
    return float(asked.get("seconds", LONGEST_THOUGHT)) + MARGIN


def shared(kind: Kind, waiting: float) -> Kind:
    """Return the kind of a thinking bot with its time reduced, where ``waiting`` bots think for each process.

    >>> asked = ("search:2s", 1.0), ("search:2s", 8.0), ("search:20000", 4.0), ("search", 100.0)
    >>> [str(shared(Kind.parsed(text), waiting)) for text, waiting in asked]
    ['search:2s', 'search:0.25s', 'search:0.5s', 'search:0.02s']
    """
    if waiting <= 1:
        return kind
    seconds = max(SHORTEST_THOUGHT, (thinking_time(kind) - MARGIN) / waiting)
    # only powers of two, because a player is kept for each kind
    few = 2 ** floor(log2(seconds)) if seconds > SHORTEST_THOUGHT else SHORTEST_THOUGHT
    return Kind(kind.name, f"{few:g}s")


class Allowance:
    """An allowance of requests. A client that asks too often must wait, and in the end is refused.

    ``share``: how many clients use the allowance together.
    """

    def __init__(self, share: int = 1) -> None:
        self._share = share
        self._last = self._calm = clock.now()
        self._left = float(BURST * share)

    async def use(self) -> bool:
        """Wait as long as the rate demands; return ``False`` if the client has asked too often for too long."""
        now = clock.now()
        rate = PER_SECOND * self._share
        self._left, self._last = min(BURST * self._share, self._left + (now - self._last) * rate) - 1, now
        if self._left >= 0:
            self._calm = now
            return True
        if max(now - self._calm, -self._left / rate) > LONGEST_DELAY:
            self._left += 1  # a refusal costs nothing, or others at this address would pay for it
            return False
        await clock.sleep(-self._left / rate)
        return True


class Lately(Generic[T]):
    """A memory for keys that strangers choose, such as addresses and tokens. It holds ``most`` keys at once, so no
    flood of new ones can fill it. The key that has gone unused for longest is forgotten, and only that one: nobody who
    was here a moment ago gets a fresh start because of others.

    >>> seen = Lately[list[int]](most=2)
    >>> for key in ("ann", "ben", "ann", "zoe"):
    ...     seen.use(key, list).append(1)
    >>> seen.get("ann"), seen.get("ben"), seen.get("zoe")
    ([1, 1], None, [1])
    """

    def __init__(self, most: int = MOST_KEYS) -> None:
        self._most = most
        self._of: OrderedDict[str, T] = OrderedDict()

    def get(self, key: str) -> T | None:
        """Return what is remembered of a key, if anything."""
        return self._of.get(key)

    def use(self, key: str, make: Callable[[], T]) -> T:
        """Return what is remembered of a key; if nothing is, remember what ``make`` returns."""
        if key not in self._of:
            self._of[key] = make()
        self._of.move_to_end(key)
        if len(self._of) > self._most:
            self._of.popitem(last=False)
        return self._of[key]


class BoundedCache(Generic[K, T]):
    """A cache of texts that strangers have a part in: at most ``room`` characters altogether. Whatever has gone unused
    for longest is forgotten first.

    >>> kept = BoundedCache[str, str](room=10)
    >>> for name in ("ann", "ben", "zoe"):
    ...     kept.keep(name, name.upper(), 4)
    >>> kept.get("ann"), kept.get("zoe")
    (None, 'ZOE')
    """

    def __init__(self, room: int) -> None:
        self._room, self._used = room, 0
        self._of: OrderedDict[K, tuple[T, int]] = OrderedDict()
        self._alone = Lock()

    def get(self, key: K) -> T | None:
        """Return what is kept for a key, if anything."""
        with self._alone:
            found = self._of.get(key)
            if found is None:
                return None
            self._of.move_to_end(key)
            return found[0]

    def keep(self, key: K, value: T, size: int) -> None:
        """Keep something of this many characters, unless it is too large by itself."""
        with self._alone:
            self._used += size - self._of.pop(key, (value, 0))[1]
            self._of[key] = value, size
            while self._used > self._room:
                self._used -= self._of.popitem(last=False)[1][1]


class Allowances:
    """The allowances of everybody who sends requests, by key. An allowance is forgotten only when it has long been full
    again, unless ten thousand other keys come within seconds."""

    def __init__(self) -> None:
        self._of = Lately[Allowance]()

    async def use(self, key: str, share: int = 1) -> bool:
        """Use the allowance of a key, which ``share`` clients have in common; return ``False`` to refuse the
        request."""
        return await self._of.use(key, lambda: Allowance(share)).use()


class RateCounter:
    """How often something has come from each address within the last ``seconds``, counted up to ``most``.

    >>> opened = RateCounter(HOUR, most=60)
    >>> for moment in (0.0, 1.0):
    ...     opened.add("192.0.2.7", moment)
    >>> [opened.count("192.0.2.7", moment) for moment in (2.0, HOUR, HOUR + 1.0)]
    [2, 1, 0]
    """

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds, self._most = seconds, most
        self._at = Lately[deque[float]]()

    def count(self, address: str, now: float) -> int:
        """Return how often something has come from an address."""
        return sum(moment > now - self._seconds for moment in self._at.get(address) or ())

    def is_used_up(self, address: str, now: float) -> bool:
        """Whether it has come from an address as often as it may."""
        return self.count(address, now) >= self._most

    def add(self, address: str, now: float) -> None:
        """Count something that has come from an address."""
        self._at.use(address, lambda: deque(maxlen=self._most)).append(now)


__all__ = [
    "LARGEST_BODY",
    "LARGEST_FORM",
    "LARGEST_FRAME",
    "LONGEST_FIELD",
    "LONGEST_HEADER",
    "LONGEST_PART",
    "Allowance",
    "Allowances",
    "BoundedCache",
    "Lately",
    "RateCounter",
    "at_tables",
    "refuse_endless",
    "refuse_slow",
    "shared",
    "thinking_time",
]
