"""The tables and the picture of matrimony.md, worked out exactly: ``python docs/results/matrimony.py`` prints them.

``python docs/results/matrimony.py 5`` prints for five players what a counter is worth to each on each pool, as
fractions; ``python docs/results/matrimony.py 5 10`` with ten deals still to come.  Nothing is sampled.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

from pictures import runs

from parlour.games.matrimony.chances import chances, sweep
from parlour.games.matrimony.position import POOLS

OPTIONS: tuple[dict[str, str], ...] = (
    {},
    {"pair_rule": "highest"},
    {"best_rule": "next_up"},
    {"best_rule": "next_any"},
    {"cards": "two_down"},
)


def worth(players: int, deals: int, **options: str) -> list[list[Fraction]]:
    """What a counter laid now is worth to each player, eldest first and dealer last, on each pool; ``deals`` are still
    to come, the current one included."""
    now = [[chance + sweep() for chance in pool] for pool in chances(players, **options)]
    value = [[Fraction(1, players)] * len(POOLS) for _ in range(players)]
    for _ in range(deals):
        value = [[now[q][i] + (1 - sum(now[q])) * value[i - 1][q] for q in range(len(POOLS))] for i in range(players)]
    return value


def best(value: list[Fraction]) -> int:
    """The pool on which a counter is worth most."""
    return max(range(len(POOLS)), key=lambda q: value[q])


def results(players: int, deals: int, **options: str) -> list[Fraction]:
    """What each player expects from the counters of one deal if all lay on their best pools and the dealer takes 2."""
    value = worth(players, deals, **options)
    laid = [1] * (players - 1) + [2]
    pools = [best(v) for v in value]
    return [
        sum((n * value[i][q] for n, q in zip(laid, pools, strict=True)), Fraction(0)) - laid[i] for i in range(players)
    ]


def seats(players: int, deals: int, **options: str) -> str:
    """Where each player lays their counters, from the eldest to the dealer."""
    pools = [POOLS[best(v)] for v in worth(players, deals, **options)]
    runs: list[list[str]] = []
    for pool in pools:
        if runs and runs[-1][0] == pool:
            runs[-1].append(pool)
        else:
            runs.append([pool])
    return ", ".join(f"{run[0]} × {len(run)}" for run in runs)


def by_players() -> list[str]:
    """For each number of players: where to lay, in the first deal of a match and in the last; what dealing costs."""
    lines = [
        "| players | first deal: eldest … dealer | last deal: eldest … dealer | dealing costs, first / last |",
        "|---:|---|---|---|",
    ]
    for n in range(2, 27):
        cost = " / ".join(f"{float(-results(n, deals)[-1]):.4f}" for deals in (2 * n, 1))
        lines.append(f"| {n} | {seats(n, 2 * n)} | {seats(n, 1)} | {cost} |")
    return lines


def picture() -> str:
    """Where to lay in the first deal: a row for each number of players, from the eldest to the dealer."""
    rows = [(str(n), [POOLS[best(v)] for v in worth(n, 2 * n)]) for n in range(2, 27)]
    title = "Matrimony: where to lay in the first deal, from the eldest to the dealer"
    return runs(title, rows, {"Pair": "#8a2a12", "Matrimony": "#d9a441", "Best": "#3b5b7a"})


def by_option(players: int = 5) -> list[str]:
    """The same for the options that change who wins, in the first deal."""
    lines = ["| option | first deal: eldest … dealer | dealing costs |", "|---|---|---|"]
    for options in OPTIONS:
        name = ", ".join(f"`{k}={v}`" for k, v in options.items()) or "none"
        lines.append(
            f"| {name} | {seats(players, 10, **options)} | {float(-results(players, 10, **options)[-1]):.4f} |"
        )
    return lines


def exact(players: int, deals: int) -> list[str]:
    """The worth of a counter as fractions."""
    rows = [f"| player | {' | '.join(POOLS)} |", "|---" * (len(POOLS) + 1) + "|"]
    for i, value in enumerate(worth(players, deals)):
        name = "eldest" if i == 0 else "dealer" if i == players - 1 else f"number {i + 1}"
        rows.append(f"| {name} | {' | '.join(map(str, value))} |")
    return rows


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print("\n".join(exact(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)))
    else:
        Path(__file__).with_name("matrimony.svg").write_text(picture(), "utf-8")
        print("\n".join([*by_players(), "", *by_option(), "", *exact(2, 1), "", *exact(5, 1)]))
