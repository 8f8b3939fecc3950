"""``make simulate-room``: worlds one after another, from a seed or for a time."""

from __future__ import annotations

import argparse
import os
import sys
import time

from tools.simulation.runs import Outcome, play


def main() -> int:
    """Play worlds; say what broke."""
    if os.environ.get("PYTHONHASHSEED") != "0":  # else a seed is not the same world in every process
        os.execve(
            sys.executable,
            [sys.executable, "-m", "tools.simulation", *sys.argv[1:]],
            {**os.environ, "PYTHONHASHSEED": "0"},
        )
    asked = argparse.ArgumentParser(prog="make simulate-room", description=__doc__)
    asked.add_argument("--seed", type=int, help="play this world alone, and tell its story")
    asked.add_argument("--first", type=int, default=1, help="the first seed")
    asked.add_argument("--seconds", type=float, default=10.0, help="for so long (default 10)")
    given = asked.parse_args()
    if given.seed is not None:
        outcome = play(given.seed)
        print(*outcome.story[-60:], sep="\n")
        print(outcome)
        return 1 if outcome.broken else 0
    began, seed, hours, bad = time.perf_counter(), given.first, 0.0, list[Outcome]()
    while time.perf_counter() - began < given.seconds:
        outcome = play(seed)
        hours += outcome.hours
        if outcome.broken:
            bad.append(outcome)
            print(outcome, flush=True)
        seed += 1
    took = time.perf_counter() - began
    print(
        f"{seed - given.first} worlds, {hours:,.0f} simulated hours in {took:.1f} s ({hours / took * 60:,.0f} a minute), {len(bad)} broken"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
