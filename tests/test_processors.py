"""Compiled code on processors other than this one: a cut through the matrix of docs/processors.md, which
``make campaigns`` does as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from processors import TARGETS, WITHOUT_DEPOSIT, runs_here

HERE = Path(__file__).parent


def processors(*args: str, **environment: str) -> list[str]:
    """The lines that ``tests/processors.py`` prints."""
    ran = subprocess.run(
        [sys.executable, str(HERE / "processors.py"), *args],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr[-2000:]
    return ran.stdout.splitlines()


def emitted(game: str, tmp_path: Path, **environment: str) -> set[str]:
    """The processors for which every driver of a game was compiled."""
    lines = processors("emit", game, PARLOUR_COMPILE_HERE="1", PARLOUR_CACHE=str(tmp_path), **environment)
    return {line.split()[1] for line in lines}


def run_on(cpu: str, *games: str) -> None:
    """Run every driver of these games, compiled for a processor of this kind, beside the interpreted rules."""
    if not runs_here(cpu):
        pytest.skip(f"this machine cannot run code for {cpu}")
    lines = processors("run", *games, NUMBA_CPU_NAME=cpu, NUMBA_CPU_FEATURES="")
    assert [line.split(": ")[:2] for line in lines] == [[game, cpu] for game in games]


def test_every_driver_compiles_for_every_processor(tmp_path: Path) -> None:
    with_deposit = emitted("sampler", tmp_path)
    portable = emitted("sampler", tmp_path, PARLOUR_PORTABLE="1")
    assert with_deposit | portable == set(TARGETS)
    assert portable == set(WITHOUT_DEPOSIT)


def test_what_an_old_processor_runs_is_what_is_interpreted() -> None:
    run_on("x86-64-v2", "sampler")
