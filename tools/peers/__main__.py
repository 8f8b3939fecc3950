"""``make bench-peers``: how fast games are here and in other libraries, measured in the turns of one run.

``docs/bench.md`` is made from such a run::

    python -m tools.peers --json > docs/bench.json
    python -m tools.peers --page docs/bench.json > docs/bench.md
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console

import parlour
from parlour.base.errors import reason
from parlour.cli.author.bench import print_table
from parlour.engine.definition import shelf
from parlour.study.bench import MODES, QUICK, BenchEffort, run
from tools.figures import commit
from tools.peers.libraries import PEERS, tasks_of_peers
from tools.peers.page import markdown, missing

AS_ELSEWHERE: dict[str, dict[str, Any]] = {"hearts": {"deals": 1}}
"""The options with which a game is the one that other libraries have: there, Hearts is a single deal."""


def main() -> None:
    """Measure and print, or print the page of a run."""
    said = argparse.ArgumentParser(
        prog="python -m tools.peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    said.add_argument("games", nargs="*", metavar="GAME", help="games (default: all that come with Parlour)")
    said.add_argument("--mode", action="append", choices=MODES, metavar="MODE", help="measure only this mode")
    said.add_argument("--quick", action="store_true", help="measure briefly and roughly")
    said.add_argument("--json", action="store_true", help="print JSON")
    said.add_argument("--page", type=Path, metavar="FILE", help="measure nothing; print docs/bench.md from this JSON")
    given = said.parse_args()
    if given.page:
        try:
            print(markdown(json.loads(given.page.read_text("utf-8"))), end="")
        except OSError as error:
            said.error(f"{given.page} cannot be read: {reason(error)}.")
        except (ValueError, KeyError):
            said.error(f"{given.page} is not what `python -m tools.peers --json` prints.")
        return
    if unknown := {*given.games} - {*shelf()}:
        said.error(f"there is no game {min(unknown)!r}; choose from: {', '.join(shelf())}")
    games = [parlour.load(name, **AS_ELSEWHERE.get(name, {})) for name in given.games or shelf()]
    at, effort = commit(), QUICK if given.quick else BenchEffort()
    with Console(stderr=True).status("starting") as status:
        found = run(games, effort, status.update, given.mode or MODES, tasks_of_peers)
    found["commit"] = at
    found["machine"]["peers"] = {peer.name: peer.version() for peer in PEERS}
    if given.json:
        print(json.dumps(found, indent=1))
        return
    print_table(Console(), found)
    print(*missing(found), sep="\n")


if __name__ == "__main__":
    main()
