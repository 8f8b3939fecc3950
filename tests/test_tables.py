"""Functions that are looked up in compiled code: worked out once, kept on disk, read with the right sign."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import DAMAGES, harm
from parlour.engine import tables
from parlour.engine.linking import whole
from parlour.vocabulary import tabled


@tabled(100, "i2")
def curve(n: int) -> int:
    return n * n - 300


def fill(table: Any) -> None:
    table[:] = [curve(n) for n in range(len(table))]


SQUARES = [n * n - 300 for n in range(100)]


def test_a_table_is_worked_out_once(tmp_path: Path) -> None:
    file = tmp_path / "curve.table"
    assert tables.table(curve, file) is None
    assert tables.made(curve, fill, file).tolist() == SQUARES
    assert [path.name for path in tmp_path.iterdir()] == ["curve.table"]
    assert tables.table(curve, file).tolist() == SQUARES


def test_a_table_needs_no_disk() -> None:
    nowhere = Path("/dev/null/curve.table")
    assert tables.made(curve, fill, nowhere).tolist() == SQUARES
    assert tables.table(curve, nowhere) is None


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_not_there(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "curve.table"
    tables.made(curve, fill, file)
    harm(file, damage)
    with pytest.warns(UserWarning, match=re.escape(f"{file} is damaged; it is made again.")):
        assert tables.table(curve, file) is None
    assert tables.made(curve, fill, file).tolist() == tables.table(curve, file).tolist() == SQUARES


def test_interpreted_it_is_the_function() -> None:
    assert [curve(n) for n in (0, 99)] == [-300, 9501]


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8"])
def test_compiled_code_reads_tables_of_every_kind(kind: str) -> None:
    info = np.iinfo(kind)
    made = np.array([info.min, 1, info.max], kind)
    read = tables.reader(f"parlour.test.{kind}", made)

    def both(i):  # type: ignore[no-untyped-def]
        return read(i) + read(1)

    look = whole(both, nogil=True, _nrt=False)
    assert [look(i) - 1 for i in range(2)] == [info.min, 1]
    if kind != "i8":
        assert look(2) - 1 == info.max


def test_where_bounds_are_checked_a_table_has_an_end() -> None:
    read = tables.reader("parlour.test.checked", np.arange(5), checked=True)

    def look(i):  # type: ignore[no-untyped-def]
        return read(i)

    looked = whole(look, nogil=True, _nrt=False)
    assert looked(4) == 4
    for beyond in (5, 1 << 40):
        with pytest.raises(IndexError):
            looked(beyond)
