"""Compiled code on processors other than this one: a cut through the matrix of docs/processors.md, which
``make campaigns`` does as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from processors import runs_here

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


EVERY_DRIVER = ("emit", ["leduc"], "x86-64-v2", ["generic"])
VECTORS = ("write", ["commit", "diamonds", "matrimony"], "znver3", ["haswell", "skylake-avx512"])
ONE_DRIVER = ("write", ["leduc"], *EVERY_DRIVER[2:])
ONE_GAME = ("write", ["diamonds"], *VECTORS[2:])


@pytest.mark.parametrize(
    ("way", "games", "here", "elsewhere"),
    [
        pytest.param(*ONE_DRIVER, id="without AVX and pdep, and on AArch64"),
        pytest.param(*ONE_GAME, id="vectors with AVX2 and AVX-512", marks=pytest.mark.long),
        pytest.param(*EVERY_DRIVER, id="every driver without AVX and pdep, and on AArch64", marks=pytest.mark.long),
        pytest.param(*VECTORS, id="vectors with AVX2 and AVX-512, in three games", marks=pytest.mark.long),
    ],
)
def test_a_game_is_the_same_on_every_processor(
    way: str, games: list[str], here: str, elsewhere: list[str], tmp_path: Path
) -> None:
    """Compiled for one processor, it plays as the interpreted rules do; for others, it compiles."""
    if not runs_here(here):
        pytest.skip(f"this machine cannot run code for {here}")
    lines = processors(
        way, *games, *elsewhere, NUMBA_CPU_NAME=here, NUMBA_CPU_FEATURES="",
        PARLOUR_COMPILE_HERE="1", PARLOUR_CACHE=str(tmp_path),
    )  # fmt: skip
    assert [line.split()[:2] for line in lines] == [[f"{game}:", cpu] for game in games for cpu in elsewhere]
    assert not any(": 0 functions" in line for line in lines)
