"""The pictures of pages of results, drawn from the tables that stand there.

python docs/results/charts.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pictures import bars

HERE = Path(__file__).parent


def rows(page: Path, title: str) -> Iterator[list[str]]:
    """The cells of the first table below a heading, without its head."""
    below = page.read_text("utf-8").partition(f"\n## {title}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    for line in table[0].splitlines()[2:] if table else []:
        yield line.strip("| ").split(" | ")


def numbers(cell: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", cell)]


def strength() -> str:
    """What the best bot wins beyond a fair share, with 95% intervals."""
    found = []
    for game, _, _, won, fair, _ in rows(HERE / "strength.md", "`best` against `search`"):
        _, low, high = numbers(won)
        found.append((game.partition(",")[0], low - numbers(fair)[0], high - numbers(fair)[0]))
    return bars("How often best beats search", found, (0, 36), "percentage points beyond a fair share (95%)")


def skill() -> str:
    """How much of a deal the better player decides."""
    found: dict[str, float] = {}
    for game, _, _, _, player in rows(HERE / "skill.md", "What to do at the table"):
        found.setdefault(game.partition(",")[0], numbers(player)[0])
    ordered = sorted(found.items(), key=lambda one: -one[1])
    said = "% of a deal that follows from who plays: the second worst of our players against the worst"
    return bars("Skill in a deal", [(game, 0, share) for game, share in ordered], (0, 60), said)


def house_rules() -> str:
    """What lively house rules add to the choices of a player."""
    found = []
    for game, _, choices, _ in rows(HERE.parent / "house_rules.md", "Lively presets"):
        if len(told := numbers(choices)) > 1:
            found.append((game, told[0], told[1]))
    return bars(
        "What lively rules add", found, (0, 16), "choices of a player in a deal: as usual, and with --preset lively"
    )


CHARTS = {"strength": strength, "skill": skill, "house_rules": house_rules}

if __name__ == "__main__":
    for name, drawn in CHARTS.items():
        (HERE / f"{name}.svg").write_text(drawn(), "utf-8")
