"""The server in a simulated world (``make simulate-room``): seeds that stand, and faults that are found."""

from __future__ import annotations

import os
import subprocess
import sys

from tools.simulation.planted import PLANTED
from tools.website import ROOT

ALONE = """
import random, sys, threading, time
from multiprocessing.process import BaseProcess
from unittest.mock import patch
from tools.simulation.runs import play

def forbidden(usual):
    def used(*given, **more):
        caller = sys._getframe(1).f_globals["__name__"]
        assert not caller.startswith("parlour.server"), f"{caller} goes past the outside of the server"
        return usual(*given, **more)
    return used

def none(*given, **more):
    raise AssertionError("a thread, or a process, in a simulated world")

with (
    patch.object(threading.Thread, "start", none), patch.object(BaseProcess, "start", none),
    patch.object(time, "time", forbidden(time.time)), patch.object(time, "monotonic", forbidden(time.monotonic)),
    patch.object(time, "sleep", forbidden(time.sleep)), patch.object(random, "random", forbidden(random.random)),
    patch.object(random.SystemRandom, "getrandbits", none), patch.object(random.SystemRandom, "random", none),
):
    print(play(58), play(33), sep="\\n")  # pages, too; and another world in the same process
"""


def simulated(*given: str) -> str:
    """What is printed where nothing is broken."""
    ran = subprocess.run(
        [sys.executable, *given], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_a_seed_is_the_same_world_every_time() -> None:
    """Whichever was played before it; and a match needs nothing but the outside of its server."""
    first, second = (simulated("-m", "tools.simulation", "--seed", seed).splitlines() for seed in ("58", "33"))
    assert "broken=''" in first[-1]
    assert simulated("-c", ALONE).splitlines() == [first[-1], second[-1]]


def test_worlds_stand() -> None:
    assert "; broken: 0" in simulated("-m", "tools.simulation", "--first", "23", "--seconds", "4")


def test_what_was_refused_is_not_done_because_it_was_sent_twice() -> None:
    """Not even if another server has taken the table over since, which would allow it."""
    assert "; broken: 0" in simulated("-m", "tools.simulation", "--first", "739950100005", "--worlds", "1")


def test_a_seat_cannot_tell_two_worlds_apart_by_what_it_is_sent_or_when() -> None:
    assert "differ: 0" in simulated("-m", "tools.simulation", "--twins", "4")


def test_planted_faults_were_found_soon() -> None:
    """The table has each planted fault, and after how many seconds a world or a pair found it; ``-``: not yet."""
    rows = [line.split("\t") for line in (ROOT / "tests/house/planted.tsv").read_text().splitlines()[1:]]
    assert [name for name, _, _ in rows] == list(PLANTED)
    assert all(float(took) <= 60 for _, _, took in rows if took != "-")


def test_a_planted_fault_is_found() -> None:
    assert "NOT FOUND" not in simulated("-m", "tools.simulation", "--planted", "commands_leave_no_name")
