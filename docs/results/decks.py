"""The tables of decks.md, game by game: ``python docs/results/decks.py``.

``python docs/results/decks.py commit`` takes one game, and ``python docs/results/decks.py commit 8`` its steps up to
size 8; ``python docs/results/decks.py picture`` draws ``leads.svg``.  The smaller games are those of each game's
``family.py``.  Diamonds, which hides nothing, is worked out by ``diamonds.py``, and Matrimony by ``ruin.py``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import diamonds
import ruin
from pictures import shades

import parlour
from parlour.engine.telling import members
from parlour.rules.stops.position import CARD_NAMES, LEADING
from parlour.solve.certify import certify
from parlour.solve.form import grow
from parlour.solve.sequences import SequenceForm
from parlour.solve.solver import Solver
from parlour.solve.strategy import found

CERTIFIED = 500_000  # histories up to which a certificate is made
SAME = 1e-4
"""By how much the bounds of a certificate may differ, since the solver rounds."""
SMALLER: Mapping[str, float] = {
    **{f"commit-{n}": 5e-4 for n in range(6, 11)},
    **{"diamondback-4": 5e-4, "diamondback-100": 1e-3},
    **{"diamondback-dealers-12": 2e-3, "diamondback-dealers-50": 2e-3, "diamondback-dealers-100": 5e-3},
    **{"dividha-8x2": 5e-4, "dividha-8x3": 5e-4, "dividha-8x4": 5e-4, "dividha-8x2-trade": 5e-4},
    **{"diabolo-6": 5e-4, "diabolo-8": 5e-4},
}
"""The games by name, from the smallest of each upwards, and the exploitability at which the solver stops."""


def first_leads(form: SequenceForm, solver: Solver) -> list[float]:
    """For each card of Commit, how often the eldest hand leads it first if they hold it; -1 if they have no choice."""
    tree, plan = form.players[1], solver.average(1)
    led, held = [0.0] * len(CARD_NAMES), [0] * len(CARD_NAMES)
    for i in range(tree.sets):
        s = form.position(1, i)
        if tree.parent[i] == 0 and s.stage == LEADING and s.gone == 0:
            for card in members(s.hand[1]):
                held[card] += 1
            for k in range(int(tree.first[i]), int(tree.first[i] + tree.count[i])):
                led[int(tree.deed[k])] += float(plan[k])
    return [a / b if b else -1.0 for a, b in zip(led, held, strict=True)]


def picture(decks: tuple[int, ...] = (6, 7, 8)) -> str:
    """The first lead in Commit: a row for each card, a column for each deck."""
    columns = []
    for n in decks:
        form = grow(parlour.load(f"commit-{n}"), positions=True)
        solver = Solver(form)
        solver.run(target=1e-4)
        columns.append(first_leads(form, solver))
    deck = parlour.load(f"commit-{decks[-1]}").definition.made.constants["DECK"]
    order = [name for card, name in enumerate(CARD_NAMES) if deck >> card & 1]
    rows = [(card, [max(0.0, column[CARD_NAMES.index(card)]) for column in columns]) for card in order]
    title = "Commit: how often a card is led first by the eldest hand that holds it"
    return shades(title, rows, [f"{n} cards" for n in decks], left=60, cell=64)


def line(name: str) -> str:
    """Solve a game, and let its bounds be found again by the interpreted rules where that does not take too long: a
    line of the table."""
    what = parlour.load(name, 2)
    made = what.definition.made
    form = grow(what, after=made.after, reduced=made.reduced)
    says = ""
    if form.nodes <= CERTIFIED:
        solver = Solver(form)
        last = solver.run(target=SMALLER[name])
        sides = found(solver).players
        at = [{key: i for i, key in enumerate(side.key.tolist())} for side in sides]
        walked = certify(what, lambda p, key: sides[p].at(at[p][key]), after=made.after, reduced=made.reduced)
        off = max(abs(walked.lower - last.lower), abs(walked.upper - last.upper))
        says = "yes " if off < SAME else f"off by {off} "
    return f"| `{name}` | {form.nodes:,} | {form.information_sets:,} | {says}|"


def main(only: str = "", most: str = "999") -> None:
    if only == "picture":
        Path(__file__).with_name("leads.svg").write_text(picture(), "utf-8")
        return
    names = [name for name in SMALLER if name.startswith(only) and int(re.findall(r"\d+", name)[0]) <= int(most)]
    if names:
        print("| game | histories | information sets | certified |\n|---|---:|---:|---|", flush=True)
    for name in names:
        print(line(name), flush=True)
    if only in ("", "diamonds"):
        diamonds.small(most)
    if only in ("", "matrimony"):
        sys.setrecursionlimit(10_000)
        for said in ruin.table(min(7, int(most))):
            print(said, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
