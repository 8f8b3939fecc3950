"""The tables of decks.md: games for two with fewer cards, solved and certified: ``python docs/results/decks.py``.

``python docs/results/decks.py commit`` takes one game, and ``python docs/results/decks.py commit 8`` its decks of up to
8 cards; ``python docs/results/decks.py picture`` draws ``leads.svg``.  Each deck is the game's own folder with other
constants, written into a folder of its own; rules and machine code are made from that as from any game.
"""

from __future__ import annotations

import ast
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pictures import shades

import parlour
from parlour.engine.definition import named
from parlour.engine.telling import members
from parlour.game import Game
from parlour.shelf.diabolo.invariants import ONE
from parlour.solve.certify import certify
from parlour.solve.form import SequenceForm, grow
from parlour.solve.solver import Solver
from parlour.solve.strategy import found
from parlour.stops.position import CARD_NAMES, LEADING

COMMIT = ("5s", "6s", "9d", "Td", "Ah", "Kh", "Qh", "7s", "8s", "Jd")
LEFT_OVER = {6: 2, 7: 1, 8: 2, 9: 1, 10: 2}
CERTIFIED = 500_000  # histories up to which a certificate is made
LADDER: tuple[tuple[str, int, dict[str, Any], dict[str, Any]], ...] = (
    *(
        (
            "commit", n,
            {"DECK": sum(1 << CARD_NAMES.index(c) for c in COMMIT[:n]), "LEFT_OVER": left},
            {"first_dealer": 0},
        )
        for n, left in LEFT_OVER.items()
    ),
    (
        "dividha", 28,
        {"PACK": tuple((1 << 4 * n) - 1 for n in range(8)), "EACH": 1, "MOST_TRADED": 1},
        {"starting_coins": 2},
    ),
    (
        "diabolo", 10,
        {"ALL": sum(ONE[:10]), "CARDS_IN_ALL": 10, "HAND": 1, "ROW": 2, "SIDE": 1, "LOCKS_OF_FIVE": 2},
        {"two_players": "on", "first_dealer": 0},
    ),
)  # fmt: skip
"""Game, cards, constants of its rules, options: from the deck of six with which the audit counts all deals upwards."""


def with_constants(game: str, called: str, constants: Mapping[str, Any], folder: Path) -> str:
    """Write a game's folder with other constants, and return the name of the package."""
    left = dict(constants)
    origin = Path(str(parlour.load(game).definition.modules[0].__file__)).parent
    shutil.copytree(origin, folder / called, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (folder / called).glob("*.py"):
        text = file.read_text("utf-8").replace(f"parlour.shelf.{game}", called)
        lines = text.splitlines()
        for statement in reversed(ast.parse(text).body):
            given = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            for name in sorted(given & set(left)) if isinstance(statement, ast.Assign) else ():
                assert statement.end_lineno is not None
                lines.insert(statement.end_lineno, f"{name} = {left.pop(name)!r}")
        file.write_text("\n".join(lines) + "\n", "utf-8")
    assert not left, left
    return called


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


def picture(folder: Path, decks: tuple[int, ...] = (6, 7, 8)) -> str:
    """The first lead in Commit: a row for each card, a column for each deck."""
    columns = []
    for _, cards, constants, options in (one for one in LADDER if one[0] == "commit" and one[1] in decks):
        package = named(with_constants("commit", f"commit_drawn_{cards}", constants, folder))
        form = grow(Game(package, 2, {"deals": 1, **options}), positions=True)
        solver = Solver(form)
        solver.run(target=1e-4)
        columns.append(first_leads(form, solver))
    order = sorted(COMMIT[: decks[-1]], key=CARD_NAMES.index)
    rows = [(card, [max(0.0, column[CARD_NAMES.index(card)]) for column in columns]) for card in order]
    title = "Commit: how often a card is led first by the eldest hand that holds it"
    return shades(title, rows, [f"{n} cards" for n in decks], left=60, cell=64)


def rung(game: str, cards: int, constants: Mapping[str, Any], options: Mapping[str, Any], folder: Path) -> str:
    """Solve a deck and certify it: a line of the table."""
    what = Game(named(with_constants(game, f"{game}_{cards}", constants, folder)), 2, {"deals": 1, **options})
    try:
        form = grow(what)
    except parlour.ParlourError as refused:
        return f"| {what.definition.name} | {cards} | | | {refused} | — |"
    solver = Solver(form)
    last = solver.run(target=5e-4)
    says = "—"
    if form.nodes <= CERTIFIED:
        sides = found(solver).players
        at = [{key: i for i, key in enumerate(side.key.tolist())} for side in sides]
        walked = certify(what, lambda p, key: sides[p].at(at[p][key]))
        says = f"[{walked.lower:+.4f}, {walked.upper:+.4f}]"
    bracket = f"[{last.lower:+.4f}, {last.upper:+.4f}]"
    return f"| {what.definition.name} | {cards} | {form.nodes:,} | {form.information_sets:,} | {bracket} | {says} |"


def main(only: str = "", most: str = "99") -> None:
    with tempfile.TemporaryDirectory() as kept:
        sys.path.insert(0, kept)
        os.environ["PYTHONPATH"] = os.pathsep.join([kept, *filter(None, [os.environ.get("PYTHONPATH")])])
        if only == "picture":
            Path(__file__).with_name("leads.svg").write_text(picture(Path(kept)), "utf-8")
            return
        print("| game | cards | histories | information sets | value to seat 0 | certificate |", flush=True)
        print("|---|---:|---:|---:|---|---|", flush=True)
        for game, cards, constants, options in LADDER:
            if only in ("", game) and cards <= int(most):
                print(rung(game, cards, constants, options, Path(kept)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
