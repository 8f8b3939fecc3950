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


@pytest.mark.parametrize(
    ("game", "here", "elsewhere"),
    [
        pytest.param("leduc", "x86-64-v2", "generic", id="without AVX and pdep; and AArch64"),
        pytest.param("sampler", "znver3", "skylake-avx512", id="with AVX2, pdep and wide sets; and AVX-512"),
    ],
)
def test_a_game_is_the_same_on_every_processor(game: str, here: str, elsewhere: str, tmp_path: Path) -> None:
    """Every driver, compiled for one processor, plays as the interpreted rules do; for another, it compiles."""
    if not runs_here(here):
        pytest.skip(f"this machine cannot run code for {here}")
    lines = processors(
        "emit", game, elsewhere, NUMBA_CPU_NAME=here, NUMBA_CPU_FEATURES="",
        PARLOUR_COMPILE_HERE="1", PARLOUR_CACHE=str(tmp_path),
    )  # fmt: skip
    assert [line.split()[:2] for line in lines] == [[f"{game}:", elsewhere]]
