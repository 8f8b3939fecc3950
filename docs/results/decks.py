"""The tables of decks.md, game by game: ``python docs/results/decks.py``.

``python docs/results/decks.py commit`` takes one game, and ``python docs/results/decks.py commit 8`` its steps up to
size 8; ``python docs/results/decks.py picture`` draws ``leads.svg``.  The smaller games are those of each game's
``family.py``.  Diamonds, which hides nothing, is worked out by ``diamonds.py``, and Matrimony by ``ruin.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

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


class Step(NamedTuple):
    """One step of a ladder: a game or a smaller one of its family, perhaps under other options.

    ``size``: how large it is, as a number, in ``unit``.  ``target``: the exploitability at which the solver stops.
    """

    game: str
    size: int
    unit: str
    options: Mapping[str, Any] = {}
    target: float = 5e-4


LADDER: tuple[Step, ...] = (
    Step("kuhn", 3, "cards, all", target=1e-6),
    Step("leduc", 6, "cards, all", target=5e-5),
    *(Step(f"commit-{n}", n, "cards") for n in range(6, 11)),
    *(Step("diamondback-4", n, "coins, standard", {"start_coins": n}) for n in (2, 4, 8, 16, 32)),
    Step("diamondback-100", 100, "coins, standard", target=1e-3),
    *(Step("diamondback-dealers-12", n, "coins, Dealer's", {"start_coins": n}, 2e-3) for n in (12, 16, 24, 50)),
    Step("diamondback-dealers-100", 100, "coins, Dealer's", target=5e-3),
    *(Step(f"dividha-8x{n}", n, "coins, 8 cards, no trade") for n in (2, 3, 4)),
    Step("dividha-8x2-trade", 2, "coins, 8 cards"),
    *(Step(f"diabolo-{n}", n, "cards, difference") for n in (6, 8)),
    *(Step(game, 2, "players") for game in ("hearts", "newmarket", "pope_joan")),
)
"""From the smallest of each game upwards.  Commit's begins with the deck with which the audit counts all deals."""


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


def line(step: Step) -> str:
    """Solve a step and certify it: a line of the table."""
    name, size = parlour.load(step.game.partition("-")[0]).definition.name, f"{step.size} {step.unit}"
    try:
        what = parlour.load(step.game, 2, **step.options)
        made = what.definition.made
        form = grow(what, after=made.after, reduced=made.reduced)
    except parlour.ParlourError as refused:
        return f"| {name} | {size} | | | {refused} | — |"
    solver = Solver(form)
    last = solver.run(target=step.target)
    says = "—"
    if form.nodes <= CERTIFIED:
        sides = found(solver).players
        at = [{key: i for i, key in enumerate(side.key.tolist())} for side in sides]
        walked = certify(what, lambda p, key: sides[p].at(at[p][key]), after=made.after, reduced=made.reduced)
        says = f"[{walked.lower:+.4f}, {walked.upper:+.4f}]"
    bracket = f"[{last.lower:+.4f}, {last.upper:+.4f}]"
    return f"| {name} | {size} | {form.nodes:,} | {form.information_sets:,} | {bracket} | {says} |"


def main(only: str = "", most: str = "999") -> None:
    if only == "picture":
        Path(__file__).with_name("leads.svg").write_text(picture(), "utf-8")
        return
    steps = [step for step in LADDER if only in ("", step.game.partition("-")[0]) and step.size <= int(most)]
    if steps:
        print("| game | size | histories | information sets | value to seat 0 | certificate |", flush=True)
        print("|---|---:|---:|---:|---|---|", flush=True)
    for step in steps:
        print(line(step), flush=True)
    if only in ("", "diamonds"):
        diamonds.small(most)
    if only in ("", "matrimony"):
        sys.setrecursionlimit(10_000)
        for said in ruin.table(min(7, int(most))):
            print(said, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
