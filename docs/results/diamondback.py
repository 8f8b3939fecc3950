"""The picture of diamondback.md: how to open in the Dealer's game, ante 10, with at most one further wager.

``python docs/results/diamondback.py`` solves it in some seconds and draws ``opening.svg``: a row
for each hand, the best first, and a column for each opening wager.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pictures import shades

import parlour
from parlour.solve.describing import Describer
from parlour.solve.form import grow
from parlour.solve.solver import Solver

OPTIONS: dict[str, Any] = {"version": "dealers", "first_dealer": 0, "deals": 1, "max_second_wagers": 1}
HANDS = {
    "Magician-Priestess": 70, "Priestess-Priestess": 65, "Magician-Queen": 60, "Magician-King": 55,
    "Priestess-King": 50, "Priestess-Queen": 45, "Priestess-Priest": 40, "Queen-King": 35, "Magician-Priest": 30,
    "Queen-Queen": 25, "King-King": 20, "Queen-Priest": 15, "King-Priest": 10, "Priest-Priest": 5,
}  # fmt: skip


def openings(target: float = 5e-4) -> dict[str, dict[str, float]]:
    """For each hand of the dealer, how likely each opening is."""
    form = grow(parlour.load("diamondback", 2, **OPTIONS), positions=True, after=["ante 10"])
    solver, tree = Solver(form), form.players[0]
    solver.run(target=target)
    chances = tree.chances(solver.average(0))
    first = [i for i in range(tree.sets) if tree.parent[i] == 0]
    describe = Describer(form, 0, first)
    found = {}
    for i in first:
        hand = next(name for name in HANDS if name in describe(i))
        own = range(int(tree.first[i]), int(tree.first[i] + tree.count[i]))
        found[hand] = {form.game.action_names[int(tree.deed[k])]: float(chances[k]) for k in own}
    return found


if __name__ == "__main__":
    found = openings()
    wagers = [f"wager {n}" for n in range(1, 11)]
    rows = [
        (f"{hand.replace('-', '–')}, {HANDS[hand]}", [found[hand].get(wager, 0.0) for wager in wagers])
        for hand in HANDS
    ]
    title = "Dealer's, ante 10: how the dealer opens (the darker, the more often)"
    picture = shades(title, rows, [str(n) for n in range(1, 11)], left=180)
    Path(__file__).with_name("opening.svg").write_text(picture, "utf-8")
    for hand, (label, shares) in zip(HANDS, rows, strict=True):
        said = ", ".join(
            f"{w.split()[1]} {share:.0%}" for w, share in zip(wagers, shares, strict=True) if share > 0.005
        )
        print(f"{label}: {said}; fold {found[hand].get('fold', 0.0):.0%}")
