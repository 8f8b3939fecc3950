"""How old the long checks are, and in which order they are done again."""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, TypeVar

ROOT = Path(__file__).parents[1]
ABBREVIATED = 10
"""Letters of a commit's name that are kept."""
TENTH = 10
Thing = TypeVar("Thing")


def git(*words: str) -> list[str]:
    """The lines that git says; none where it cannot."""
    try:
        ran = subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return ran.stdout.splitlines()


@cache
def commits() -> Mapping[str, tuple[int, str]]:
    """The commits of this branch: how many have come since, and the day of each."""
    lines = git("log", f"--abbrev={ABBREVIATED}", "--format=%h %cs")
    return {commit: (since, day) for since, (commit, day) in enumerate(line.split() for line in lines)}


def head() -> str:
    """The commit that is worked on."""
    return next(iter(commits()), "")


def since(entry: Mapping[str, Any]) -> int:
    """How many commits have come since something was done; by its day, if its commit is not of this branch."""
    commit: str = entry.get("commit", "")
    return commits()[commit][0] if commit in commits() else sum(day > entry["date"] for _, day in commits().values())


def age(entry: Mapping[str, Any]) -> str:
    """How long ago something was done, in days and commits."""
    days = (datetime.date.today() - datetime.date.fromisoformat(entry["date"])).days
    return f"{days} days and {since(entry)} commits"


def when(entry: Mapping[str, Any]) -> tuple[str, int]:
    """Sorts what was done by its age, the oldest first; before that, what was never done."""
    return (entry["date"], -since(entry)) if entry else ("", 0)


def rota(due: Iterable[Thing], rank: Callable[[Thing], Any], others: Sequence[Thing], draw: str) -> list[Thing]:
    """In which order something is done: what is due by its rank, and one in ten drawn from all others by a seed."""
    order = sorted(due, key=rank)
    if draw:
        drawn = iter(Random(draw).sample(others, len(others)))
        for place in range(TENTH - 1, len(order) + TENTH, TENTH):
            order[place:place] = islice(drawn, 1)
    return [*dict.fromkeys(order)]


def write_table(file: Path, mark: str, titles: str, rows: Iterable[Iterable[str]]) -> None:
    """Write a table into a document, between its mark and the next heading.  Numbers stand under titles with ``:``."""
    before, _, behind = file.read_text("utf-8").partition(mark)
    names = titles.split(" | ")
    lines = [f"| {titles.replace(':', '')} |", "|".join(["", *("--:" if ":" in one else "---" for one in names), ""])]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    _, heading, more = behind.partition("\n## ")
    file.write_text("\n".join([before + mark, *lines, heading + more]), "utf-8")
