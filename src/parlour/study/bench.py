"""How fast it is, in one run on one machine, beside other libraries.

Machines are noisy and differ, so everything of a game is measured in turns (A B C A B C …), figures are medians, and
what may be compared are ratios within one run.  ``docs/bench.md`` is made from the JSON of a run::

    parlour bench --peers --json > docs/bench.json
    python -m parlour.study.bench docs/bench.json > docs/bench.md
"""

from __future__ import annotations

import functools
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.errors import ParlourError

if TYPE_CHECKING:
    from parlour.game import Game

BATCH = 1024
SIMULATIONS = 10_000

MODES: Mapping[str, tuple[str, str]] = {
    "bulk": ("decisions", "Whole random games, compiled, chance drawn explicitly; nobody looks."),
    "batch_tensor": (
        "decisions",
        f"`Batch.step` on {BATCH:,} games a thread, called from Python: random legal actions, and after each the legal "
        "actions and the tensor of whoever acts next.",
    ),
    "keys": ("decisions", "Whole random games, compiled, with perfect-recall keys for all players after each step."),
    "interpreted": ("decisions", "Whole random games, the same rules run by Python as they stand; nothing compiled."),
    "step": ("decisions", "One state from Python: `legal_actions`, `apply`, events and history kept."),
    "clone": ("copies", "From Python: `clone` of a state, and one decision played on the copy."),
    "search": (
        "simulations",
        "Information-set tree search, compiled, from the first decision of a game; "
        f"{SIMULATIONS:,} simulations for each decision.",
    ),
    "memory": ("bytes", "Size of a compiled position."),
    "start_cold": ("seconds", "A new process with an empty cache, up to the first compiled result."),
    "start_warm": ("seconds", "The same with the cache filled."),
    "start_prompt": ("seconds", "`parlour play` in a new process with an empty cache, up to the first question."),
}
"""The modes: what is counted, and what is measured."""

RATES = ("bulk", "batch_tensor", "keys", "interpreted", "step", "clone", "search")


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: ``repetitions`` in turns, of ``seconds`` each; processes are started so many times."""

    repetitions: int = 5
    seconds: float = 0.5
    starts: int = 3


QUICK = Effort(3, 0.05, 1)


@dataclass(frozen=True, slots=True)
class Task:
    """Something to measure: ``work(n)`` does about ``n`` of what the mode counts and returns how many it did."""

    mode: str
    engine: str
    threads: int
    work: Callable[[int], int]


def run(
    games: Sequence[Game],
    peers: bool = False,
    effort: Effort | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure these games; ``peers``: other libraries too, where they have the game and are installed.

    The result is JSON-able: ``machine``, ``date``, ``rows``.  Each row has ``game``, ``mode`` (see :data:`MODES`),
    ``threads``, ``engine`` and ``decisions_per_second``, the median (``None`` where no decisions are made); besides
    ``low`` and ``high`` of the repetitions, and by mode ``simulations_per_second``, ``copies_per_second``, ``seconds``
    or ``bytes``.  ``cpu``: seconds of processor time per second and thread; well below 1, the machine was busy.
    """
    from parlour.study.peers import PEERS

    effort = effort or Effort()
    found: dict[str, Any] = {"machine": machine(), "date": datetime.now().astimezone().isoformat(timespec="seconds")}
    if peers:
        found["machine"]["peers"] = {peer.name: peer.version() for peer in PEERS}
    found["rows"] = [row for game in games for row in _rows(game, peers, effort, say)]
    return found


def _rows(game: Game, peers: bool, effort: Effort, say: Callable[[str], None]) -> Iterable[dict[str, Any]]:
    from parlour.engine.positions import dtype_of

    yield from _starts(game, effort, say)
    say(f"{game.id}: compiling")
    tasks = list(_tasks(game)) + (list(_peer_tasks(game)) if peers else [])
    yield from measure(game, tasks, effort, say)
    yield _row(game, "memory", "parlour", 1, bytes=dtype_of(game.definition).itemsize)


def _row(game: Game, mode: str, engine: str, threads: int, **figures: Any) -> dict[str, Any]:
    head = {"game": game.id, "players": game.players, "mode": mode, "threads": threads, "engine": engine}
    return {**head, "decisions_per_second": None, **figures}


def measure(game: Game, tasks: Sequence[Task], effort: Effort, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Measure tasks in turns; a row each."""
    sizes = [_calibrated(task, effort.seconds) for task in tasks]
    rates: list[list[float]] = [[] for _ in tasks]
    cpu: list[list[float]] = [[] for _ in tasks]
    for turn in range(effort.repetitions):
        say(f"{game.id}: measuring, {turn + 1} of {effort.repetitions}")
        for task, size, rate, share in zip(tasks, sizes, rates, cpu, strict=True):
            start, used = time.perf_counter(), time.process_time()
            done = task.work(size)
            seconds = time.perf_counter() - start
            rate.append(done / seconds)
            share.append((time.process_time() - used) / seconds / task.threads)
    rows = []
    for task, rate, share in zip(tasks, rates, cpu, strict=True):
        median, unit = statistics.median(rate), MODES[task.mode][0]
        figures = {"decisions_per_second": median / (SIMULATIONS if task.mode == "search" else 1)}
        if unit != "decisions":
            figures[f"{unit}_per_second"] = median
        figures |= {"low": min(rate), "high": max(rate), "cpu": round(statistics.median(share), 2)}
        rows.append(_row(game, task.mode, task.engine, task.threads, **figures, repetitions=effort.repetitions))
    return rows


def _calibrated(task: Task, seconds: float) -> int:
    """About how many take so many seconds.  What has to be compiled is compiled here."""
    task.work(1)
    size = 1
    while True:
        start = time.perf_counter()
        done = task.work(size)
        took = time.perf_counter() - start
        if took > seconds / 4:
            return max(1, int(done * seconds / took))
        size = max(2 * size, 2 * done)


# ------------------------------------------------------------------------------------------ what is measured


def _tasks(game: Game) -> Iterable[Task]:
    cores = os.cpu_count() or 1
    yield Task("bulk", "parlour", 1, _bulk(game, 1))
    if cores > 1:
        yield Task("bulk", "parlour", cores, _bulk(game, cores))
    yield Task("batch_tensor", "parlour", 1, _batch(game, 1))
    if cores > 1:
        yield Task("batch_tensor", "parlour", cores, _batch(game, cores))
    yield Task("keys", "parlour", 1, _keys(game))
    yield Task("interpreted", "parlour", 1, _interpreted(game))
    yield Task("step", "parlour", 1, _step(game))
    yield Task("clone", "parlour", 1, _clone(game))
    yield Task("search", "parlour", 1, _search(game))


def _peer_tasks(game: Game) -> Iterable[Task]:
    from parlour.study.peers import PEERS

    for peer in PEERS:
        if game.id in peer.games and peer.version() is not None:
            yield Task(peer.mode, peer.name, 1, peer.driver(peer.games[game.id]))


def _length(game: Game) -> float:
    """Decisions a game, roughly: random players."""
    from parlour.study.simulate import simulate

    return simulate(game, 1000, threads=1).length.mean.mean


def _bulk(game: Game, threads: int) -> Callable[[int], int]:
    import numpy as np

    from parlour.batch import start_records
    from parlour.engine.compiled import compiled

    length, play = _length(game), compiled(game.definition).play_many
    pool, first = ThreadPoolExecutor(threads), 0

    def share(seed: int, games: int) -> int:
        acts, rng = np.zeros(game.action_count, np.int16), np.zeros(8, np.uint64)
        out, totals = np.zeros(game.players), np.zeros(game.players)
        return int(play(start_records(game), acts, rng, out, np.uint64(seed), games, totals))

    def work(n: int) -> int:
        nonlocal first
        games = max(1, int(n / length / threads))
        seeds = range(first, first + games * threads, games)
        first += games * threads
        return sum(pool.map(share, seeds, [games] * threads)) if threads > 1 else share(seeds[0], games)

    return work


def _batch(game: Game, threads: int) -> Callable[[int], int]:
    from parlour.batch import Batch

    batch = Batch(game, BATCH * threads, threads=threads)

    def work(n: int) -> int:
        steps = max(1, n // batch.size)
        for _ in range(steps):
            batch.step(batch.sample())
        return steps * batch.size

    return work


def _keys(game: Game) -> Callable[[int], int]:
    import numpy as np

    from parlour.batch import start_records
    from parlour.engine.compiled import compiled

    length, code, records = _length(game), compiled(game.definition), start_records(game)
    acts, rng, first = np.zeros(game.action_count, np.int16), np.zeros(8, np.uint64), 0
    memory = np.zeros((4, max(game.players, 2)), np.uint64)

    def work(n: int) -> int:
        nonlocal first
        games = max(1, int(n / length))
        first += games
        return int(
            code.play_keys(
                records, acts, rng, memory, np.uint64(first), games, np.zeros((games, game.players), np.uint64)
            )
        )

    return work


def _interpreted(game: Game) -> Callable[[int], int]:
    from parlour.engine.interpreted import Positions, interpreted

    length, code, positions = _length(game), interpreted(game.definition), Positions(game.definition, 2)
    positions[0] = game.start()
    first = 0

    def work(n: int) -> int:
        nonlocal first
        games = max(1, int(n / length))
        first += games
        out, totals = [0.0] * game.players, [0.0] * game.players
        return int(code.play_many(positions, [0] * game.action_count, [0], out, first, games, totals))

    return work


def _step(game: Game) -> Callable[[int], int]:
    choose, seed = random.Random(0), 0

    def work(n: int) -> int:
        nonlocal seed
        done = 0
        while done < n:
            seed += 1
            state = game.new(seed=seed)
            while not state.is_terminal:
                for player in state.acting:
                    legal = state.legal_actions(player)
                    state.apply(legal[int(choose.random() * len(legal))], player)
                    done += 1
            state.returns()
        return done

    return work


def _clone(game: Game) -> Callable[[int], int]:
    state = game.new(seed=1)
    player = state.acting[0]
    action = state.legal_actions(player)[0]

    def work(n: int) -> int:
        for _ in range(n):
            state.clone().apply(action, player)
        return n

    return work


def _search(game: Game) -> Callable[[int], int]:
    from parlour.players.search import Search

    state = game.new(seed=1)
    view, legal = state.view(state.acting[0]), state.legal_actions(state.acting[0])
    player = Search(game, simulations=SIMULATIONS)
    player.warm_up()

    def work(n: int) -> int:
        decisions = max(1, n // SIMULATIONS)
        for _ in range(decisions):
            player.choose(view, legal)
        return decisions * SIMULATIONS

    return work


# ------------------------------------------------------------------------------------------ starting


def _starts(game: Game, effort: Effort, say: Callable[[str], None]) -> Iterable[dict[str, Any]]:
    """Times of new processes."""
    seconds: dict[str, list[float]] = {"start_cold": [], "start_warm": [], "start_prompt": []}
    for turn in range(effort.starts):
        say(f"{game.id}: starting, {turn + 1} of {effort.starts}")
        cache = tempfile.mkdtemp(prefix="parlour-bench-")
        try:
            seconds["start_prompt"].append(_first_prompt(game, cache))
            seconds["start_cold"].append(_first_result(game, cache))
            seconds["start_warm"].append(_first_result(game, cache))
        finally:
            shutil.rmtree(cache, ignore_errors=True)
    for mode, took in seconds.items():
        figures = {"seconds": statistics.median(took), "low": min(took), "high": max(took)}
        yield _row(game, mode, "parlour", 1, **figures, repetitions=effort.starts)


def _environment(cache: str) -> dict[str, str]:
    path = os.pathsep.join(p for p in sys.path if p)
    kept = {"PARLOUR_CACHE": str(Path(cache) / "code"), "XDG_STATE_HOME": str(Path(cache) / "state")}
    return {**os.environ, **kept, "PYTHONPATH": path}


def _first_result(game: Game, cache: str) -> float:
    wanted = f"{game.definition.package!r}, {game.players}, {dict(game.options)!r}"
    script = (
        "from parlour.game import load_package; from parlour.study.simulate import simulate; "
        f"simulate(load_package({wanted}), 2, threads=1)"
    )
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", script], env=_environment(cache), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _first_prompt(game: Game, cache: str) -> float:
    """Seconds until ``parlour play`` asks its first question; then its input ends."""
    script = f"import parlour; parlour.register({game.definition.package!r}); from parlour.cli.app import main; main()"
    words = ["play", game.id, "--plain", "--players", str(game.players), "--seed", "1"]
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
                raise ParlourError(f"`parlour play {game.id}` ended before it asked anything.")
            said += heard
        seconds = time.perf_counter() - start
        process.stdin.close()
        process.stdout.read()
    return seconds


def machine() -> dict[str, Any]:
    """What the figures were measured on, and with which versions."""
    import numba
    import numpy

    from parlour import __version__

    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "parlour": __version__,
    }


@functools.cache
def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


# ------------------------------------------------------------------------------------------ what is said about it


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: ``figure`` with its unit; ``spread`` of the repetitions; ``ratio`` in words."""

    mode: str
    engine: str
    threads: str
    figure: str
    spread: str
    ratio: str


def lines(found: Mapping[str, Any], game: str) -> list[Line]:
    """The table of one game: our modes, after each the peers measured in the same way."""
    rows = [row for row in found["rows"] if row["game"] == game]
    made = []
    for mode in MODES:
        for row in sorted((r for r in rows if r["mode"] == mode), key=lambda r: r["engine"] != "parlour"):
            figure, spread = _figure(row)
            ratio = "" if row["engine"] == "parlour" else _ratio(row, rows)
            made.append(Line(mode, row["engine"], str(row["threads"]), figure, spread, ratio))
    return made


def missing(found: Mapping[str, Any]) -> list[str]:
    """A sentence for each peer that was wanted and is not installed."""
    wanted: Mapping[str, str | None] = found["machine"].get("peers", {})
    return [
        f"{name} is not installed, so nothing is said about it (`make bench-peers` installs the peers)."
        for name, version in wanted.items()
        if version is None
    ]


def busy(found: Mapping[str, Any]) -> bool:
    """Whether the machine had other work to do: some figure got less than nine tenths of its processors."""
    return any(row.get("cpu", 1) < 0.9 for row in found["rows"] if row["engine"] == "parlour" and row["threads"] == 1)


def _figure(row: Mapping[str, Any]) -> tuple[str, str]:
    unit = MODES[row["mode"]][0]
    if unit == "bytes":
        return f"{row['bytes']} bytes", ""
    if unit == "seconds":
        return f"{row['seconds']:.2f} s", f"{row['low']:.2f} to {row['high']:.2f}"
    rate = row["decisions_per_second"] if unit == "decisions" else row[f"{unit}_per_second"]
    return f"{_short(rate)} {unit}/s", f"{_short(row['low'])} to {_short(row['high'])}"


def _short(rate: float) -> str:
    """Three figures: 17.3 M, 612 k.

    >>> _short(17_312_000), _short(612_300), _short(950)
    ('17.3 M', '612 k', '950')
    """
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if rate >= size:
            return f"{rate / size:#.3g}".rstrip(".") + letter
    return f"{rate:.0f}"


def _ratio(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """How many times as fast Parlour is, measured in the same way and in bulk, on one thread."""
    said = []
    for mode in dict.fromkeys((row["mode"], "bulk")):
        for own in rows:
            if (own["mode"], own["engine"], own["threads"]) == (mode, "parlour", 1):
                times = own["decisions_per_second"] / row["decisions_per_second"]
                said.append(f"{mode} × {times:.3g}" if times < 1000 else f"{mode} × {times:,.0f}")
    return ", ".join(said)


def markdown(found: Mapping[str, Any]) -> str:
    """``docs/bench.md`` from the data of a run."""
    from parlour.study.peers import PEERS

    about = found["machine"]
    versions = ", ".join(f"{name} {about[name.lower()]}" for name in ("Python", "NumPy", "Numba"))
    games = list(dict.fromkeys(row["game"] for row in found["rows"]))
    peers = {name: version for name, version in about.get("peers", {}).items() if version}
    out = [
        "# Speed",
        "",
        "<!-- Made by: parlour bench --peers --json > docs/bench.json",
        "              python -m parlour.study.bench docs/bench.json > docs/bench.md -->",
        "",
        f"Measured on {found['date'][:10]}: {about['cpu']}, {about['cores']} cores, {about['system']}; Parlour "
        f"{about['parlour']}, {versions}. One run, everything of a game measured in turns; figures are medians of the "
        "repetitions. Machines differ, so compare ratios, not figures of different runs.",
        "",
    ]
    if busy(found):
        out += ["**The machine was busy with other work during this run: figures are lower than on a quiet one.**", ""]
    out += ["## Three kinds of speed", "", "Decisions a second on one core. None of them is another:", ""]
    kinds = {
        "bulk": "random play in bulk, nobody looks",
        "batch_tensor": "a batch stepped from Python, with legal actions and tensors",
        "keys": "random play with perfect-recall keys for all players",
    }
    out += ["| | " + " | ".join(f"{words} (`{mode}`)" for mode, words in kinds.items()) + " |", "|---|---:|---:|---:|"]
    for game in games:
        players = next(row["players"] for row in found["rows"] if row["game"] == game)
        out.append(f"| {game}, {players} players | " + " | ".join(_own(found, game, mode) for mode in kinds) + " |")
    for game in games:
        out += [
            "",
            f"## {game}",
            "",
            "| mode | engine | threads | median | repetitions | Parlour is |",
            "|---|---|---:|---:|---:|---|",
        ]
        out += [
            f"| `{line.mode}` | {line.engine} | {line.threads} | {line.figure} | {line.spread} | {line.ratio} |"
            for line in lines(found, game)
        ]
    out += ["", "## What is measured", ""]
    out += [f"- `{mode}`: {words}" for mode, (_, words) in MODES.items()]
    if "peers" in about:
        out += ["", "The peers play the same game at random, driven as their users drive them:", ""]
        out += [f"- {p.name} {peers[p.name]}: {p.how}; compare `{p.mode}`." for p in PEERS if p.name in peers]
        out += [f"- {sentence}" for sentence in missing(found)]
    return "\n".join(out) + "\n"


def _own(found: Mapping[str, Any], game: str, mode: str) -> str:
    for row in found["rows"]:
        if (row["game"], row["mode"], row["engine"], row["threads"]) == (game, mode, "parlour", 1):
            return _short(row["decisions_per_second"])
    return ""


def main(arguments: Sequence[str]) -> int:
    """``python -m parlour.study.bench FILE``: the Markdown of the JSON in a file."""
    import json

    if len(arguments) != 1:
        print("usage: python -m parlour.study.bench docs/bench.json > docs/bench.md", file=sys.stderr)
        return 2
    try:
        found = json.loads(Path(arguments[0]).read_text("utf-8"))
        print(markdown(found), end="")
    except OSError as error:
        print(f"{arguments[0]} cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    except (ValueError, KeyError):
        print(f"{arguments[0]} is not what `parlour bench --json` prints.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
