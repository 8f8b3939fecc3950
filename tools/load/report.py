"""What is measured of a server under load, and the figures in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PERCENTILES: Final = (50, 95, 99)
_CLASS: Final = re.compile(r'parlour_commit_seconds_bucket\{le="([^"]+)"\}')


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What to measure: ``tables`` tables of a game for ``players``, for ``seconds``.  ``rate``: moves a second at each
    table; 0: as many as possible.  ``pages``: the guests read the page and press its buttons."""

    game: str = "diamondback"
    players: int = 4
    tables: int = 100
    seconds: float = 10.0
    rate: float = 0.0
    pages: bool = False


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured.  With pages, a telling is what a page is sent to change it.

    ``moves``: acknowledged by the server, so on disk, and seen by every seat.  ``latency``: milliseconds from when an
    act was sent (or due, if that was earlier) to the last seat's frame that shows it, by percentile.  ``commit``:
    milliseconds until an entry is on disk, as the server counts them, each percentile rounded up to the end of a class.
    ``server``, ``clients``, ``others``: processor time, in cores.  ``memory``: bytes that the server has in memory.
    ``None``: the system does not say.  ``lost``: connections that ended, so that guests had to reconnect.
    """

    seconds: float
    moves: int
    moves_per_second: float
    tellings_per_move: float
    bytes_per_telling: float
    latency: dict[str, float]
    commit: dict[str, float]
    server: float | None
    clients: float
    others: float | None
    memory: float | None
    lost: int = 0


def percentiles(sample: Sequence[float]) -> dict[str, float]:
    """Return the reported percentiles, in milliseconds, of a sample in seconds.

    >>> percentiles([0.001 * n for n in range(1, 101)])
    {'p50': 50.0, 'p95': 95.0, 'p99': 99.0}
    """
    ordered = sorted(sample)
    return {f"p{p}": round(ordered[-(-len(ordered) * p // 100) - 1] * 1000, 2) for p in PERCENTILES if ordered}


def of_classes(counted: Mapping[str, float]) -> dict[str, float]:
    """Percentiles of a histogram of Prometheus: the upper end of the class in which each lies."""
    classes = [(float(found[1]), n) for name, n in counted.items() if (found := _CLASS.fullmatch(name))]
    total = max((n for _, n in classes), default=0.0)
    return {
        f"p{p}": next(end for end, n in sorted(classes) if n >= total * p / 100) * 1000 for p in PERCENTILES if total
    }


def lines(wanted: LoadPlan, figures: Figures) -> list[str]:
    """Return the figures in words."""
    how = f"{wanted.rate:g} moves a second at each" if wanted.rate else "as fast as they can"
    per_move = (figures.server or 0.0) * figures.seconds / max(figures.moves, 1)
    where = f"{wanted.tables} tables, {wanted.players} {'pages' if wanted.pages else 'guests'} at each"
    found = [
        f"{wanted.game}: {where}, {how}, {figures.seconds:.0f} seconds",
        f"moves, acknowledged and on disk: {figures.moves} ({figures.moves_per_second:.0f} a second)",
        *([f"processor time of the server a move: {1e3 * per_move:.2f} ms"] if per_move else []),
        f"tellings: {figures.tellings_per_move:.2f} a move, {figures.bytes_per_telling:.0f} bytes each",
        f"from an act to everybody's frame, ms: {_listed(figures.latency)}",
        f"from an entry to its being on disk, ms, at most: {_listed(figures.commit)}",
    ]
    cores = {"server": figures.server, "clients": figures.clients, "everything else here": figures.others}
    found.append("cores: " + ", ".join(f"{who} {used:.2f}" for who, used in cores.items() if used is not None))
    if figures.lost:
        found.append(f"connections lost, and made again: {figures.lost}")
    if figures.memory is not None:
        found.append(f"memory of the server: {figures.memory / 1e6:.0f} MB")
    return found


def _listed(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in figures.items())
