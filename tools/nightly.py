"""Every night's long checks: ``make nightly``.

Each part of :data:`PARTS` has a share of the time; what it does not need, the next ones have.  A part is done in units,
in a rota: what has changed first, then the oldest, and one in ten drawn by the date.  What is through gets a line in
``tests/campaigns/nightly.jsonl``, which is kept in the repository: when, on which commit, and what was found.  A run
that is stopped goes on with what is not through on this commit; ``tests/campaigns/README.md`` has the sum of it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tools import mutants, quick
from tools.ages import age, commits, git, head, rota, when, write_table
from tools.campaigns import LOGBOOK, OK, SUMMARY

ROOT = Path(__file__).parents[1]
PRINTED = ROOT / "build" / "nightly"
CORES = os.cpu_count() or 1
HOURS = 3.5
SLICE = 1_000
"""How many long tests of a module are run at once."""
FOUND = re.compile(r"^(FAILED|ERROR) |^make simulate-room|SUCCEEDED|NOT FOUND|survived: |nothing checked|[1-9]\d* red;")
"""The lines of what is printed that say what is wrong."""
CUT = 130
"""How a command ends that is stopped."""
LOGS = ("tests/campaigns/*", "tests/mutants/*", "tests/house/*.tsv")
"""What the night itself writes: it decides nothing that was done before."""


class Unit(NamedTuple):
    """A piece of a part that is done in one go: commands of Python, one after another; ``about`` these paths."""

    part: str
    what: str
    commands: tuple[tuple[str, ...], ...]
    about: tuple[str, ...] = ("",)


COMMIT, DAY, NEVER = "commit", "day", "never"


class Part(NamedTuple):
    """A part of the night: its share in minutes of :data:`HOURS`; its units, for a day and a time in minutes; how many
    of them at once; and what a unit is through for: this commit, this commit on this day, or never, since it begins
    where it stopped."""

    minutes: float
    units: Callable[[str, float], Iterable[Unit]]
    lanes: int = 1
    through_for: str = COMMIT


# ------------------------------------------------------------------------------------------ what is done


def gate(day: str, minutes: float) -> Iterator[Unit]:
    """All tests of `make test`, shuffled."""
    spread = ("-n", str(CORES + 2), "--maxprocesses=8", "--dist=loadgroup", "--no-loadscope-reorder")
    yield Unit("gate", "shuffled", (("pytest", *spread, "--shuffled", day),))


def simulation(day: str, minutes: float) -> Iterator[Unit]:
    """Worlds that nobody has seen yet; pairs of worlds; faults that have to be found, for which time is left."""
    first = datetime.date.fromisoformat(day).toordinal() * 10**6
    for lane in range(CORES):
        words = ("--first", str(first + lane * 10**5), "--seconds", f"{42 * minutes:.0f}", "--keep")
        yield Unit("simulation", f"worlds {lane}", (("tools.simulation", *words),))
    yield Unit("simulation", "twins", (("tools.simulation", "--twins", "100"),))
    yield Unit("simulation", "planted faults", (("tools.simulation", "--planted"),))


def attack(day: str, minutes: float) -> Iterator[Unit]:
    """A real server, in every way that we know."""
    yield Unit("attack", "all", (("tools.attack",),))


def pieces(part: str, *names: str) -> Callable[[str, float], Iterator[Unit]]:
    """The pieces of campaigns that there is time for."""

    def units(day: str, minutes: float) -> Iterator[Unit]:
        words = ("--minutes", f"{max(minutes - 5, minutes / 2):.1f}", "--draw", day)
        yield Unit(part, " and ".join(names), (("tools.campaigns", *names, *words),))

    return units


def mutated(day: str, minutes: float) -> Iterator[Unit]:
    """The faults of a game, with the corpus and without."""
    for game in (*mutants.GAMES, mutants.SHARED):
        about = ("src/parlour/rules/",) if game == mutants.SHARED else (f"src/parlour/games/{game}/",)
        with_corpus = ("tools.mutants", game)
        yield Unit(
            "mutants", game, (with_corpus, (*with_corpus, "--without-corpus")), (*about, f"tests/games/test_{game}")
        )


def long(day: str, minutes: float) -> Iterator[Unit]:
    """The long tests of each module; of one that has very many, a slice."""
    words = ("-m", "pytest", "-m", "long", "--collect-only", "-q", "-n", "0")
    ran = subprocess.run((sys.executable, *words), cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"The long tests cannot be collected:\n{ran.stdout[-3_000:]}{ran.stderr}")
    modules = dict[str, list[str]]()
    for test in re.findall(r"^[\w/]+\.py::.*$", ran.stdout, re.M):
        modules.setdefault(test.partition("::")[0], []).append(test)
    for module, tests in modules.items():
        about = (
            (module, f"src/parlour/{Path(module).relative_to('tests').parent}/") if module[:5] == "tests" else (module,)
        )
        slices = [tests[place : place + SLICE] for place in range(0, len(tests), SLICE)]
        for number, some in enumerate(slices, 1):
            name = module if len(slices) == 1 else f"{module} {number} of {len(slices)}"
            listed = PRINTED / f"{name.replace('/', '.')}.txt"
            listed.write_text("\n".join(some), "utf-8")
            yield Unit("long", name, (("pytest", "-q", "-m", "long", "-n", "0", f"@{listed}"),), about)


def emptied(day: str, minutes: float) -> Iterator[Unit]:
    """The main function of every source is emptied: a test notices."""
    folders = dict[str, list[str]]()
    for file in quick.sources():
        folders.setdefault(str(Path(file).parent), []).append(file)
    for folder, files in folders.items():
        about = (f"{folder}/", f"{quick.folder_of(files[0])}/")
        yield Unit("emptied", folder, (("tools.quick", "--emptied", *files),), about)


PARTS = {
    "gate": Part(10, gate, through_for=DAY),
    "simulation": Part(30, simulation, CORES, DAY),
    "attack": Part(15, attack),
    "sanitizers": Part(25, pieces("sanitizers", "c"), through_for=NEVER),
    "mutants": Part(40, mutated),
    "emptied": Part(20, emptied),
    "long": Part(40, long, CORES),
    "campaigns": Part(30, pieces("campaigns", "audit", "parity"), through_for=NEVER),
}
"""In this order."""


# ------------------------------------------------------------------------------------------ the log


class Log:
    """What is known of each unit: when it was through, on which commit, and what was found."""

    def __init__(self, file: Path) -> None:
        self.file = file
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        self.entries: dict[tuple[str, str], dict[str, Any]] = {
            (one.pop("part"), one.pop("what")): one for one in map(json.loads, lines)
        }

    def of(self, unit: Unit) -> Mapping[str, Any]:
        return self.entries.get((unit.part, unit.what), {})

    def enter(self, unit: Unit, day: str, seconds: float, result: str) -> None:
        """Write down what came of a unit."""
        done = {"date": day, "commit": head(), "minutes": round(seconds / 60, 1), "result": result}
        self.entries[unit.part, unit.what] = done
        self.write()

    def plan(self, part: str, units: Sequence[Unit]) -> None:
        """Forget the units that a part no longer has, and list those that were never done."""
        for key in [key for key in self.entries if key[0] == part and key[1] not in {unit.what for unit in units}]:
            del self.entries[key]
        for unit in units:
            self.entries.setdefault((part, unit.what), {})
        self.write()

    def write(self) -> None:
        lines = [json.dumps({"part": part, "what": what, **one}) for (part, what), one in sorted(self.entries.items())]
        self.file.write_text("\n".join([*lines, ""]), "utf-8")

    def rows(self) -> Iterator[list[str]]:
        """One row for each part."""
        for part in PARTS:
            known = [one for (of, _), one in sorted(self.entries.items()) if of == part]
            if done := sorted((one for one in known if one), key=when):
                red = [what for (of, what), one in self.entries.items() if of == part and one.get("result", OK) != OK]
                counts = [len(known), len(known) - len(done), len(red), round(sum(one["minutes"] for one in done))]
                ages = [str(one[what]) for one in (done[0], done[-1]) for what in ("date", "commit")]
                yield [part, *map(str, counts), *ages, "; ".join(sorted(red))]


MARK = "<!-- the table below is written by `make nightly` -->\n"
TITLES = "part | units: | never: | red: | minutes: | oldest | commit | last | commit | what was red"


# ------------------------------------------------------------------------------------------ the run


@cache
def changed_since(commit: str) -> tuple[str, ...]:
    """The files that differ from a commit, but for :data:`LOGS`."""
    return tuple(git("diff", "--name-only", commit, "--", ".", *(f":!{logs}" for logs in LOGS)))


def in_turn(log: Log, part: Part, units: Sequence[Unit], day: str) -> list[Unit]:
    """What is not through on this commit (or today): what has changed first, then the oldest, and what is drawn."""

    def changed(unit: Unit) -> bool:
        commit = log.of(unit).get("commit")
        return bool(commit) and any(file.startswith(unit.about) for file in changed_since(commit))

    def due(unit: Unit) -> bool:
        entry = log.of(unit)
        on_this_commit = entry.get("commit") in commits() and not changed_since(entry["commit"])
        if part.through_for == NEVER or entry.get("result") != OK or not on_this_commit:
            return True
        return part.through_for == DAY and entry["date"] != day

    waiting = [unit for unit in units if due(unit)]
    draw = f"{day} {units[0].part}" if waiting else ""
    return rota(waiting, lambda unit: (not changed(unit), when(log.of(unit))), units, draw)


class Night:
    """A run of the parts, until its time is over; ``again``: of what was red, and nothing else."""

    def __init__(self, log: Log, hours: float, day: str, again: bool = False) -> None:
        self.log, self.day, self.again = log, day, again
        self.end, self.red = time.monotonic() + 3600 * hours, list[str]()
        self.running = set[subprocess.Popen[bytes]]()

    def go(self, names: Sequence[str]) -> None:
        """Do these parts, each in its share of what time is left."""
        for place, name in enumerate(names):
            part, left = PARTS[name], self.end - time.monotonic()
            seconds = left * part.minutes / sum(PARTS[one].minutes for one in names[place:])
            units = [*part.units(self.day, seconds / 60)]
            self.log.plan(name, units)
            turn = [one for one in in_turn(self.log, part, units, self.day) if self._is_wanted(one)]
            first = ", ".join(unit.what for unit in turn[:5])
            print(f"{name}: {len(turn)} of {len(units)} units, {seconds / 60:.0f} minutes: {first} ...", flush=True)
            each, until = iter(turn), time.monotonic() + seconds
            with ThreadPoolExecutor(part.lanes) as pool:
                try:
                    for lane in [pool.submit(self._lane, each, until) for _ in range(part.lanes)]:
                        lane.result()
                except BaseException:
                    self.end = 0.0
                    for process in [*self.running]:
                        process.send_signal(signal.SIGINT)
                    raise

    def _is_wanted(self, unit: Unit) -> bool:
        return not self.again or self.log.of(unit).get("result", OK) != OK

    def _lane(self, units: Iterator[Unit], until: float) -> None:
        for unit in units:
            if time.monotonic() > min(until, self.end):
                return
            self._do(unit)

    def _do(self, unit: Unit) -> None:
        began, result = time.monotonic(), OK
        file = PRINTED / f"{unit.part} {unit.what}.log".replace("/", ".")
        for words in unit.commands:
            code = self._call(words, file)
            lines = file.read_text("utf-8", "replace").splitlines()
            found = [line.strip() for line in lines if FOUND.search(line)][:10]
            if code == CUT:
                print(f"  {unit.part} {unit.what}: not through ({file})", flush=True)
                return
            if code:
                result = "\n".join(found or lines[-1:] or [f"it ended with {code}"])
                self.red.append(f"{unit.part} {unit.what}")
                break
        self.log.enter(unit, self.day, time.monotonic() - began, result)
        print(f"  {unit.part} {unit.what}: {result}", flush=True)

    def _call(self, words: Sequence[str], file: Path) -> int:
        """Run a command until it ends, or the night does."""
        with file.open("wb") as paper:
            process = subprocess.Popen(
                (sys.executable, "-m", *words),
                cwd=ROOT,
                stdout=paper,
                stderr=paper,
                start_new_session=True,
            )
        self.running.add(process)
        try:
            code = process.wait(max(0.0, self.end - time.monotonic()))
            return code if self.end else CUT
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
            return CUT
        finally:
            self.running.discard(process)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what there is time for, or say how old everything is."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background has its children ignore it
    parser = argparse.ArgumentParser(prog="make nightly", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(PARTS)}; else all")
    parser.add_argument("--hours", type=float, default=HOURS, help="how long (%(default)s)")
    parser.add_argument("--day", default=f"{datetime.date.today()}", help="what everything is drawn by (%(default)s)")
    parser.add_argument("--again", action="store_true", help="repeat what was red, and nothing else")
    parser.add_argument("--list", action="store_true", help="only say what was through, and when")
    given = parser.parse_args(arguments)
    for name in given.parts:
        if name not in PARTS:
            parser.error(f"there is no part {name!r}; choose from: {', '.join(PARTS)}")
    log = Log(LOGBOOK / "nightly.jsonl")
    if given.list:
        for (part, what), one in sorted(log.entries.items(), key=lambda item: when(item[1])):
            print(f"{part} {what}: {one['result'] if one else 'never done'}{one and f', {age(one)} ago'}")
        return int(any(one.get("result", OK) != OK for one in log.entries.values()))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    PRINTED.mkdir(parents=True, exist_ok=True)
    night = Night(log, given.hours, given.day, given.again)
    print(f"on commit {head()}, for {given.hours:g} hours, drawn by {given.day}", flush=True)
    try:
        night.go(given.parts or [*PARTS])
    except KeyboardInterrupt:
        print("Stopped; the next run goes on from here.")
        return CUT
    finally:
        write_table(SUMMARY, MARK, TITLES, log.rows())
    print(f"red: {', '.join(night.red) or 'nothing'}")
    return int(bool(night.red))


if __name__ == "__main__":
    sys.exit(main())
