"""The pages of results say what comes out."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from parlour.shelf.matrimony.position import POOLS

RESULTS = Path(__file__).parents[1] / "docs" / "results"
BEST = POOLS.index("Best")


def program(name: str) -> Any:
    """A page's program."""
    spec = importlib.util.spec_from_file_location(name, RESULTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_matrimony_is_what_its_program_prints() -> None:
    made, page = program("matrimony"), (RESULTS / "matrimony.md").read_text("utf-8")
    for lines in (made.by_option(), made.exact(2, 1), made.exact(5, 1)):
        assert "\n".join(lines) in page
    rows = dict(line[2:].split(" | ", 1) for line in page.splitlines() if line.startswith("| ") and line[2].isdigit())
    assert sorted(map(int, rows)) == list(range(2, 27))
    for n in (2, 3, 7):
        first, last, _ = rows[str(n)].split(" | ")
        assert (first, last) == (made.seats(n, 2 * n), made.seats(n, 1))


@pytest.mark.long
def test_all_of_the_table_of_matrimony() -> None:
    assert "\n".join(program("matrimony").by_players()) in (RESULTS / "matrimony.md").read_text("utf-8")


@pytest.mark.parametrize("players", [2, 3, 5, 8])
def test_the_steps_of_the_proof_about_matrimony(players: int) -> None:
    made = program("matrimony")
    for deals in range(1, 2 * players + 1):
        value = made.worth(players, deals)
        assert all(sum(v[q] for v in value) == 1 for q in range(len(POOLS)))
        assert all(v[BEST] == Fraction(1, players) for v in value)
        assert max(value[-1]) == Fraction(1, players), "no pool is worth more to the dealer"
        assert sum(made.results(players, deals)) == 0


@pytest.mark.long
def test_the_proof_about_matrimony_for_all_numbers_of_players() -> None:
    for players in range(2, 27):
        test_the_steps_of_the_proof_about_matrimony(players)
