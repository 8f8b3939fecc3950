"""Start times of new processes, with and without machine code in the cache."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from parlour.base.errors import ParlourError
from parlour.study.bench.modes import row

if TYPE_CHECKING:
    from parlour.core.game import Game

SEEDS: Final = range(1, 21)
"""Seeds of the games that are played for their first question, one after another until somebody is asked."""


def starts(
    game: Game, modes: Collection[str], repetitions: int, say: Callable[[str], None]
) -> Iterable[dict[str, Any]]:
    """Times of new processes, in these modes."""
    seconds: dict[str, list[float]] = {mode: [] for mode in modes}
    for turn in range(repetitions if modes else 0):
        say(f"{game.id}: starting, {turn + 1} of {repetitions}")
        cache = tempfile.mkdtemp(prefix="parlour-bench-")
        try:
            took = {"start_prompt": _first_prompt(game, cache)} if "start_prompt" in modes else {}
            if "start_cold" in modes or "start_warm" in modes:
                took |= {mode: _first_result(game, cache) for mode in ("start_cold", "start_warm")}
            for mode in modes:
                seconds[mode].append(took[mode])
        finally:
            shutil.rmtree(cache, ignore_errors=True)
    for mode, all_took in seconds.items():
        figures = {"seconds": statistics.median(all_took), "low": min(all_took), "high": max(all_took)}
        yield row(game, mode, "parlour", 1, **figures, repetitions=repetitions)


def _environment(cache: str) -> dict[str, str]:
    path = os.pathsep.join(p for p in sys.path if p)
    kept = {"PARLOUR_CACHE": str(Path(cache) / "code"), "XDG_STATE_HOME": str(Path(cache) / "state")}
    return {**os.environ, **kept, "PYTHONPATH": path}


def _first_result(game: Game, cache: str) -> float:
    wanted = f"{game.definition.package!r}, {game.players}, {dict(game.options)!r}"
    script = (
        "from parlour.core.game import load_package; from parlour.study.simulate import simulate; "
        f"simulate(load_package({wanted}), 2, threads=1)"
    )
    start = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env=_environment(cache), check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    if ran.returncode:
        said = ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"]
        raise ParlourError("{id} could not be played in a new process: {why}", id=game.id, why=said[-1])
    return seconds


def _first_prompt(game: Game, cache: str) -> float:
    """Seconds until ``parlour play`` asks its first question; then its input ends. A short game in which seat 0 is
    asked nothing gives way to the next one."""
    asked = filter(None, (_seconds_to_prompt(game, cache, seed) for seed in SEEDS))
    if (seconds := next(asked, None)) is None:
        raise ParlourError("`parlour play {id}` ended before it asked anything.", id=game.id)
    return seconds


def _seconds_to_prompt(game: Game, cache: str, seed: int) -> float | None:
    package = game.definition.package
    script = (
        f"from parlour.engine.definition import named; named({package!r}); from parlour.cli.app import main; main()"
    )
    words = ["play", game.id, "--plain", "--players", str(game.players), "--seed", str(seed)]
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", script, *words],
        env=_environment(cache),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        said = b""
        while not said.rstrip(b" ").endswith(b"choice:"):
            heard = os.read(process.stdout.fileno(), 1 << 16)
            if not heard:
                return None
            said += heard
        seconds = time.perf_counter() - start
        process.stdin.close()
        process.stdout.read()
    return seconds
