"""The tables of decks.md, game by game: ``python docs/results/decks.py``.

``python docs/results/decks.py commit`` takes one game, and ``python docs/results/decks.py commit 8`` its steps up to
size 8; ``python docs/results/decks.py picture`` draws ``leads.svg``.  A smaller deck is the game's own folder with
other constants, written into a folder of its own; rules and machine code are made from that as from any game.
Diamonds, which hides nothing, is worked out by ``diamonds.py``, and Matrimony by ``ruin.py``.
"""

from __future__ import annotations

import ast
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import diamonds
import ruin
from pictures import shades

import parlour
from parlour.core.game import Game
from parlour.engine.definition import named
from parlour.engine.telling import members
from parlour.games.diabolo.bags import ONE
from parlour.rules.stops.position import CARD_NAMES, LEADING
from parlour.solve.certify import certify
from parlour.solve.form import grow
from parlour.solve.sequences import SequenceForm
from parlour.solve.solver import Solver
from parlour.solve.strategy import found

COMMIT = ("5s", "6s", "9d", "Td", "Ah", "Kh", "Qh", "7s", "8s", "Jd")
LEFT_OVER = {6: 2, 7: 1, 8: 2, 9: 1, 10: 2}
CERTIFIED = 500_000  # histories up to which a certificate is made
DIFFERENCE = """

def deal_returns(s: Diabolo, out: list[float]) -> None:
    out[0] = float(s.points[0] - s.points[1])
    out[1] = -out[0]
"""


class Step(NamedTuple):
    """One step of a ladder: a game under ``options``, made smaller.

    ``size``: how large it is, as a number, in ``unit``.  ``constants``: of its rules, where they are not the usual.
    ``added``: what is written at the end of its ``rules.py``.  ``after``, ``reduced``: as for ``parlour solve``.
    ``target``: the exploitability at which the solver stops.
    """

    game: str
    size: int
    unit: str
    options: Mapping[str, Any] = {}
    constants: Mapping[str, Any] = {}
    added: str = ""
    after: Sequence[str] = ()
    reduced: bool = False
    target: float = 5e-4


def _diabolo(values: int, unit: str = "cards, difference", added: str = DIFFERENCE) -> Step:
    """Red and yellow cards of these values, one of each; hands of one, rows of two."""
    cards = [*range(values), *range(5, 5 + values)]
    constants = {"ALL": sum(ONE[k] for k in cards), "CARDS_IN_ALL": len(cards), "HAND": 1, "ROW": 2, "SIDE": 1}
    options = {"two_players": "on", "first_dealer": 0}
    return Step("diabolo", len(cards), unit, options, {**constants, "LOCKS_OF_FIVE": 2}, added)


def _dividha(coins: int, options: Mapping[str, Any] | None = None) -> Step:
    """Eight cards (God, Satan, the aces and a king), and one to each player in a deal; seat 0 deals."""
    unit = "coins, 8 cards" + (", no trade" if options else "")
    constants = {"PACK": ((1 << 8) - 1,) * 8, "EACH": 1, "MOST_TRADED": 1}
    return Step("dividha", coins, unit, {"starting_coins": coins, **(options or {})}, constants, after=["seat 0"])


def _diamondback(coins: int, *, dealers: bool = False, target: float = 5e-4) -> Step:
    """Without a ceiling, with the actions that are enough."""
    version, unit = ("dealers", "coins, Dealer's") if dealers else ("standard", "coins, standard")
    options = {"version": version, "start_coins": coins, "first_dealer": 0}
    after = ["ante 10"] if dealers else []
    return Step("diamondback", coins, unit, options, after=after, reduced=True, target=target)


LADDER: tuple[Step, ...] = (
    Step("kuhn", 3, "cards, all", target=1e-6),
    Step("leduc", 6, "cards, all", target=5e-5),
    *(
        Step(
            "commit", n, "cards", {"first_dealer": 0},
            {"DECK": sum(1 << CARD_NAMES.index(c) for c in COMMIT[:n]), "LEFT_OVER": left},
        )
        for n, left in LEFT_OVER.items()
    ),
    *(_diamondback(coins) for coins in (2, 4, 8, 16, 32)),
    _diamondback(100, target=1e-3),
    *(_diamondback(coins, dealers=True, target=2e-3) for coins in (12, 16, 24, 50)),
    _diamondback(100, dealers=True, target=5e-3),
    _dividha(2, {"rounds": "three_no_trade"}),
    _dividha(3, {"rounds": "three_no_trade"}),
    _dividha(4, {"rounds": "three_no_trade"}),
    _dividha(2),
    *(_diabolo(values) for values in (3, 4)),
    _diabolo(3, "cards, points", ""),
    *(Step(game, 2, "players") for game in ("hearts", "newmarket", "pope_joan")),
)  # fmt: skip
"""From the smallest of each game upwards.  Commit's begins with the deck with which the audit counts all deals."""


def with_constants(game: str, called: str, constants: Mapping[str, Any], folder: Path, added: str = "") -> str:
    """Write a game's folder with other constants, and with this at the end of its rules; return the package's name."""
    left = dict(constants)
    origin = Path(str(parlour.load(game).definition.modules[0].__file__)).parent
    shutil.copytree(origin, folder / called, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (folder / called).glob("*.py"):
        text = file.read_text("utf-8").replace(f"parlour.games.{game}", called)
        lines = text.splitlines()
        for statement in reversed(ast.parse(text).body):
            given = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            for name in sorted(given & set(left)) if isinstance(statement, ast.Assign) else ():
                assert statement.end_lineno is not None
                lines.insert(statement.end_lineno, f"{name} = {left.pop(name)!r}")
        file.write_text("\n".join(lines) + "\n" + added * (file.name == "rules.py"), "utf-8")
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
    for step in (one for one in LADDER if one.game == "commit" and one.size in decks):
        form = grow(smaller(step, folder, "drawn"), positions=True)
        solver = Solver(form)
        solver.run(target=1e-4)
        columns.append(first_leads(form, solver))
    order = sorted(COMMIT[: decks[-1]], key=CARD_NAMES.index)
    rows = [(card, [max(0.0, column[CARD_NAMES.index(card)]) for column in columns]) for card in order]
    title = "Commit: how often a card is led first by the eldest hand that holds it"
    return shades(title, rows, [f"{n} cards" for n in decks], left=60, cell=64)


def smaller(step: Step, folder: Path, why: str = "step") -> Game:
    """The game of a step: one deal of it."""
    if not (step.constants or step.added):
        game = parlour.load(step.game, 2, **step.options)
        return parlour.load(step.game, 2, **step.options, deals=1) if "deals" in game.options else game
    rules = crc32(repr((sorted(step.constants.items()), step.added)).encode())
    called = f"{step.game}_{why}_{rules:08x}"  # steps with the same rules share their machine code
    if not (folder / called).exists():
        with_constants(step.game, called, step.constants, folder, step.added)
    return Game(named(called), 2, {"deals": 1, **step.options})


def line(step: Step, folder: Path) -> str:
    """Solve a step and certify it: a line of the table."""
    name, size = parlour.load(step.game).definition.name, f"{step.size} {step.unit}"
    try:
        what = smaller(step, folder)
        form = grow(what, after=step.after, reduced=step.reduced)
    except parlour.ParlourError as refused:
        return f"| {name} | {size} | | | {refused} | — |"
    solver = Solver(form)
    last = solver.run(target=step.target)
    says = "—"
    if form.nodes <= CERTIFIED:
        sides = found(solver).players
        at = [{key: i for i, key in enumerate(side.key.tolist())} for side in sides]
        walked = certify(what, lambda p, key: sides[p].at(at[p][key]), after=step.after, reduced=step.reduced)
        says = f"[{walked.lower:+.4f}, {walked.upper:+.4f}]"
    bracket = f"[{last.lower:+.4f}, {last.upper:+.4f}]"
    return f"| {name} | {size} | {form.nodes:,} | {form.information_sets:,} | {bracket} | {says} |"


def main(only: str = "", most: str = "999") -> None:
    with tempfile.TemporaryDirectory() as kept:
        sys.path.insert(0, kept)
        os.environ["PYTHONPATH"] = os.pathsep.join([kept, *filter(None, [os.environ.get("PYTHONPATH")])])
        if only == "picture":
            Path(__file__).with_name("leads.svg").write_text(picture(Path(kept)), "utf-8")
            return
        steps = [step for step in LADDER if only in ("", step.game) and step.size <= int(most)]
        if steps:
            print("| game | size | histories | information sets | value to seat 0 | certificate |", flush=True)
            print("|---|---:|---:|---:|---|---|", flush=True)
        for step in steps:
            print(line(step, Path(kept)), flush=True)
        if only in ("", "diamonds"):
            diamonds.small(most)
        if only in ("", "matrimony"):
            sys.setrecursionlimit(10_000)
            for said in ruin.table(min(7, int(most))):
                print(said, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
