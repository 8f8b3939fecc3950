"""``make simulate-room``: worlds one after another, from a seed or for a time."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

FOUND = Path(__file__).parents[2] / "tests" / "house" / "planted.tsv"
"""What each planted fault was found by, and after how long; ``-``: it was not."""
SIMULATED = FOUND.with_name("simulated.tsv")
"""How much was simulated, when, on which commit, and which worlds were red."""
CUT = 130
"""How it ends if it is stopped: there is a sum of what was played, but it is not through."""
AGAIN = 'make simulate-room ARGS="--seed {seed}"'


def main() -> int:
    """Play worlds; say what broke."""
    asked = argparse.ArgumentParser(prog="make simulate-room", description=__doc__)
    asked.add_argument("--seed", type=int, help="play this world alone, as short as it can be, and tell its story")
    asked.add_argument("--first", type=int, default=1, help="the first seed")
    asked.add_argument("--worlds", type=int, default=0, help="so many worlds")
    asked.add_argument(
        "--seconds", type=float, default=60.0, help="for so much of the processor, if no number is given (default 60)"
    )
    asked.add_argument("--kind", help="worlds of this kind alone")
    asked.add_argument("--keep", action="store_true", help=f"add what was simulated to {SIMULATED.name}")
    asked.add_argument("--planted", nargs="*", metavar="FAULT", help="plant faults, all or these, and look for them")
    asked.add_argument("--twins", type=int, metavar="PAIRS", help="so many pairs of worlds that must not differ")
    given = asked.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # else a seed is not the same world in every process
        again = [sys.executable, "-m", "tools.simulation", *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, "PYTHONHASHSEED": "0"})
    if given.planted is not None:
        return _planted(given.planted)
    if given.twins is not None:
        return _twins(given.twins)
    return _story(given.seed) if given.seed is not None else _worlds(given)


def _story(seed: int) -> int:
    from tools.simulation.runs import PAIR, Scenario, kind_of, play, shrink

    outcome = play(seed)
    if outcome.broken and kind_of(seed) != PAIR:
        _, outcome = shrink(Scenario.of(seed))
    print(*outcome.story[-100:], outcome, sep="\n")
    return bool(outcome.broken)


def _worlds(given: argparse.Namespace) -> int:
    from tools.simulation.runs import kind_of, play

    began, took, worlds, seed, hours, entries, broken = time.process_time(), 0.0, 0, given.first, 0.0, 0, list[int]()
    cut = 0
    while worlds < given.worlds or (not given.worlds and took < given.seconds):
        if not given.kind or kind_of(seed) == given.kind:
            try:
                outcome = play(seed)
            except KeyboardInterrupt:
                cut = CUT
                break
            worlds, hours, entries = worlds + 1, hours + outcome.hours, entries + outcome.entries
            if outcome.broken:
                broken.append(seed)
                print(f"{AGAIN.format(seed=seed)}: {outcome.broken}", flush=True)
        seed += 1
        took = time.process_time() - began
    print(
        f"{worlds} worlds, {entries:,} entries in logs, {hours:,.0f} hours in {took:.0f} s of the processor"
        f" ({hours / (took or 1.0) * 60:,.0f} a minute); broken: {len(broken)}"
    )
    if given.keep:
        _keep(given.kind or "all", f"{given.first}-{seed - 1}", worlds, hours, broken)
    return cut or bool(broken)


def _keep(kind: str, seeds: str, worlds: int, hours: float, broken: list[int]) -> None:
    """Add what was simulated to what is kept, and say how much that is in all."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, cwd=FOUND.parent, capture_output=True, text=True, check=False).stdout.strip()
    with SIMULATED.open("a") as kept:
        print(date.today(), commit, kind, seeds, worlds, f"{hours:.0f}", *broken or "-", sep="\t", file=kept)
    rows = [line.split("\t") for line in SIMULATED.read_text().splitlines()[1:]]
    in_all = sum(int(row[4]) for row in rows), sum(int(row[5]) for row in rows)
    print("in all {:,} worlds and {:,} hours".format(*in_all))


def _twins(pairs: int) -> int:
    from itertools import count, islice

    from tools.simulation.runs import PAIR, kind_of, play

    seeds = islice((seed for seed in count(1) if kind_of(seed) == PAIR), pairs)
    differ = [said for seed in seeds if (said := play(seed).broken)]
    print(*differ[:1], f"{pairs} pairs of worlds; differ: {len(differ)}", sep="\n")
    return bool(differ)


def _planted(names: list[str]) -> int:
    from tools.simulation.planted import PLANTED, find

    missed, rows = 0, ["fault\tseed\tprocessor seconds"]
    for name in names or PLANTED:
        found = find(name)
        missed += not found.said
        said = found.said.strip().splitlines()[-1][:120] if found.said else "NOT FOUND"
        print(f"{name:50s} {found.seed:3d} {found.seconds:6.1f} s  {said}", flush=True)
        rows.append(f"{name}\t{found.seed}\t{found.seconds:.1f}" if found.said else f"{name}\t-\t-")
    if not names:
        FOUND.write_text("\n".join(rows) + "\n")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
