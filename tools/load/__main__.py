"""``python -m tools.load``: how much load a server can carry.

Tables full of guests who play at random, on a server of their own or on one that runs already::

    python -m tools.load --tables 250 --rate 1
    python -m tools.load --pages --rate 1
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict

import parlour
from parlour.base.errors import ParlourError
from tools.load import LoadPlan, lines, run


def within(kind: Callable[[str], float], low: float, high: float) -> Callable[[str], float]:
    """Read a number from ``low`` to ``high``."""

    def number(text: str) -> float:
        if not low <= (value := kind(text)) <= high:
            raise argparse.ArgumentTypeError(f"must be between {low} and {high}, not {text}")
        return value

    return number


def main() -> None:
    """Measure, and print the figures."""
    said = argparse.ArgumentParser(
        prog="python -m tools.load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    said.add_argument("game", nargs="?", default="diamondback", help="a game in which everybody notices every move")
    said.add_argument("--players", "-p", type=within(int, 1, 255), default=4, help="guests at each table")
    said.add_argument("--tables", type=within(int, 1, 10_000), default=100)
    moves = "moves a second at each table; 0: as many as possible"
    said.add_argument("--rate", type=within(float, 0, 10_000), default=0.0, help=moves)
    said.add_argument("--seconds", type=within(float, 1, 86_400), default=10.0, help="how long to measure")
    said.add_argument("--url", default="", help="a server already running (default: a new one, with a new database)")
    said.add_argument("--metrics", default="", help="where that server serves its metrics: http://127.0.0.1:9100")
    said.add_argument("--database", default="", help="the new server's database (default: a temporary file)")
    said.add_argument("--pages", action="store_true", help="let the guests use the page and press its buttons")
    said.add_argument("--json", action="store_true", help="print JSON")
    given = said.parse_args()
    wanted = LoadPlan(given.game, given.players, given.tables, given.seconds, given.rate, given.pages)
    try:
        parlour.load(wanted.game, wanted.players)  # refuses a number of players that cannot play it
        figures = run(wanted, given.url.rstrip("/"), given.database, given.metrics.rstrip("/"))
    except ParlourError as mistake:
        said.error(str(mistake))
    if given.json:
        print(json.dumps({"wanted": asdict(wanted), "figures": asdict(figures)}, indent=1))
    else:
        print("\n".join(lines(wanted, figures)))


if __name__ == "__main__":
    main()
