"""Solves the hands of Diamondback that its best player knows, and writes the player's tables: ``make unbeatable``.

``python tests/unbeatable.py FOLDER`` keeps a strategy file of each hand in the folder, and goes on from those that are
there.  It takes about half an hour.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import parlour
from parlour.shelf.diamondback.position import (
    ANSWER,
    EXPOSE,
    EXPOSING,
    FOLD,
    FURTHER,
    HIGHER,
    LOWER,
    MATCH_IT,
    OPENING,
    STOP,
    WAGER,
)
from parlour.shelf.diamondback.unbeatable import FILE, ONE, shapes
from parlour.solve.form import SequenceForm, grow
from parlour.solve.solver import Solver
from parlour.solve.strategy import Strategy, found, plans, read, restored, save

NEVER = 1e-6  # below this a player's own actions hardly lead to a set
SURE = 1e-3  # probabilities as near to 0 or 1 are made 0 or 1
STOPS = 0.02  # a dealer who stops more rarely goes on
STANDARD = ((100, 2e-3), (60, 2e-3), (35, 2e-3), (20, 1e-3), (12, 1e-3), (8, 1e-3), (5, 1e-3), (3, 1e-3))
"""Coins of each, and how exploitable the solution may be."""
DEALERS = (
    *((10, coins, 5e-3) for coins in (142, 120, 100, 90, 80, 70, 60, 50, 42, 34, 28, 24, 21, 18, 16, 14, 12)),
    *((ante, 100, 2.5e-2) for ante in (1, 2, 3, 4, 5, 6, 7, 8, 9)),
)
"""Ante, coins of each, and how exploitable the solution may be."""


def hands() -> list[tuple[str, int, int, float]]:
    """Version, ante, coins, target."""
    standard = [("standard", 0, coins, target) for coins, target in STANDARD]
    return standard + [("dealers", *hand) for hand in DEALERS]


def solved(version: str, ante: int, coins: int, target: float, folder: Path) -> tuple[Strategy, SequenceForm]:
    file = folder / f"{version}-{ante}-{coins}.solved"
    game = parlour.load("diamondback", 2, version=version, start_coins=coins, first_dealer=0, deals=1)
    form = grow(game, after=[f"ante {ante}"] if ante else [], reduced=True, positions=True)
    solver = Solver(form)
    before = read(file) if file.exists() else None
    if before is not None:
        restored(before, solver)
    if not solver.checks or solver.checks[-1].exploitability > target:
        solver.run(target=target)
        save(found(solver), file)
    return found(solver), form


def tabulate(strategy: Strategy, form: SequenceForm, ante: int, most: int) -> list[Any]:
    """The six parts of a table (see :class:`parlour.shelf.diamondback.unbeatable.Table`)."""
    arrays = [np.zeros(shape) for shape in shapes(most).values()]
    opens, answers, shows, replies, stops, matches = arrays
    both = plans(strategy, form)
    for p, tree in enumerate(form.players):
        at = form.positions[p]
        come, chances = both[p][tree.parent], tree.chances(both[p])
        paid = at["before"][:, 0] - at["coins"][:, 0]
        stage, hand, wager = at["stage"], at["hand"][:, p], at["wager"]
        up, other = at["up"][:, p] - 1, at["up"][:, 1 - p] - 1
        for i in np.flatnonzero(come > NEVER).tolist():
            first = int(tree.first[i])
            said = dict(
                zip(
                    tree.deed[first : first + tree.count[i]].tolist(),
                    chances[first : first + tree.count[i]].tolist(),
                    strict=True,
                )
            )
            h, bet = int(hand[i]), int(paid[i]) - ante - int(wager[i])
            hidden = LOWER[h] if up[i] == HIGHER[h] else HIGHER[h]
            if stage[i] == OPENING:
                for n in range(opens.shape[1]):
                    opens[h, n] = said.get(WAGER + n if n else FOLD, 0.0)
            elif stage[i] == ANSWER and up[i] < 0:
                answers[h, wager[i]] = said[MATCH_IT]
            elif stage[i] == EXPOSING:
                to = replies[h, bet] if p == 0 else shows[h]
                to[other[i] if p == 0 else bet] = said.get(EXPOSE + HIGHER[h], 0.0)
            else:
                t = int(at["rounds"][i]) - (stage[i] == ANSWER)
                where = bet - t, up[i], other[i], hidden, t
                if stage[i] == FURTHER:
                    stops[where] = said.get(STOP, 0.0)
                else:
                    matches[where] = said[MATCH_IT]
    for array in arrays:
        array[array < SURE], array[array > 1 - SURE] = 0, 1
    stops[stops < STOPS] = 0
    return [np.round(array * ONE).astype("<u2") for array in arrays]


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/unbeatable")
    folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, Any] = {}
    for version, ante, coins, target in hands():
        strategy, form = solved(version, ante, coins, target, folder)
        most = (coins - ante) // 2 if ante else coins
        arrays = tabulate(strategy, form, ante, most)
        tables[f"{'d' if ante else 's'}-{2 * ante}-{most}"] = np.concatenate([a.ravel() for a in arrays])
        lower, upper = strategy.about["value"]
        print(f"{version}, ante {ante}, {coins} coins: value from {lower:+.5f} to {upper:+.5f}", flush=True)
    with zipfile.ZipFile(FILE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, numbers in tables.items():
            entry = zipfile.ZipInfo(name)  # without a date, so that equal tables are equal files
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, numbers.tobytes())
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
