"""What a carried pot of Diamondback is worth in the middle of a match: ``python docs/results/carried.py``.

The standard game for two.  If nothing lies in the middle, the rest of a match is worth nothing to either player,
however many coins they have (diamondback.md).  So only hands that leave a pot behind depend on the hands to come: ties,
and those that the dealer folds.  Both players have then paid the same, so a position between two hands is no more than
a pot and a number of hands, and values follow from the last hand backwards: each is one more hand to be solved, in
which a pot that is left behind counts as it was found to count before.  ``python docs/results/carried.py 8 3``: from 8
coins each, with up to 3 hands to play.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from parlour.core.game import Game, load
from parlour.engine.definition import named
from parlour.solve.form import grow
from parlour.solve.solver import Solver

TARGET = 5e-4
CARDS = ["King", "King", "Priest", "Priest"]
BETTING = ["wager {}", "match", "expose King", "expose King", "wager {}", "match"]
RETURNS = """

WORTH = {worth}  # by pot: what the next dealer gets


def deal_returns(s: Diamondback, out: list[float]) -> None:
    gains(s.coins, s.before, s.players, out)
    out[1] += WORTH[s.pot]
    out[0] += s.pot - WORTH[s.pot]
"""


def with_added(called: str, folder: Path, added: str) -> str:
    """Write the folder of Diamondback with this at the end of its rules; return the package's name."""
    origin = Path(str(load("diamondback").definition.modules[0].__file__)).parent
    shutil.copytree(origin, folder / called, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (folder / called).glob("*.py"):
        text = file.read_text("utf-8").replace("parlour.games.diamondback", called)
        file.write_text(text + added * (file.name == "rules.py"), "utf-8")
    return called


def tie(pot: int, coins: int) -> list[str]:
    """The steps of a first hand, dealt by player 1, that leaves this pot behind; everybody has seen all of them."""
    each = pot // 2
    wagers = [each // 2] * 4 + [each - each // 2] * 2
    steps = CARDS + [step.format(n) for step, n in zip(BETTING, wagers, strict=True)]
    return steps + ["stop"] * (each < coins)


def value(game: Game, pot: int, coins: int) -> tuple[float, float]:
    """Bounds for what the dealer gets of the pot, and of the other player, in the hand after that one."""
    last = Solver(grow(game, after=tie(pot, coins), reduced=True, binding="interpreted")).run(target=TARGET)
    return last.lower, last.upper


def main(coins: int = 6, hands: int = 8) -> None:
    pots = range(4, 2 * coins + 1, 2)
    heads = ["hands to play", *(f"pot of {pot}" for pot in pots), "known within"]
    print(f"| {' | '.join(heads)} |\n{'|---:' * len(heads)}|", flush=True)
    options: dict[str, Any] = {"first_dealer": 1, "start_coins": coins}
    found, wide = dict.fromkeys(range(2 * coins + 1), 0.0), 0.0
    with tempfile.TemporaryDirectory() as kept:
        sys.path.insert(0, kept)
        os.environ["PYTHONPATH"] = os.pathsep.join([kept, *filter(None, [os.environ.get("PYTHONPATH")])])
        for left in range(1, hands + 1):
            if left == 1:
                game = load("diamondback", 2, **options, hands=2, deals=2)
            else:
                worth = tuple(found.get(pot, 0.0) for pot in range(2 * coins + 1))
                package = with_added(f"carried_{left}", Path(kept), RETURNS.format(worth=worth))
                game = Game(named(package), 2, {**options, "hands": 3})
            bounds = {pot: value(game, pot, coins) for pot in pots}
            found = {pot: (lower + upper) / 2 for pot, (lower, upper) in bounds.items()}
            # what a pot counts that is left behind is known only within `wide`, and changes a value by no more
            wide += max(upper - lower for lower, upper in bounds.values()) / 2
            cells = " | ".join(f"{found[pot]:.3f}" for pot in pots)
            print(f"| {left} | {cells} | {wide:.4f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
