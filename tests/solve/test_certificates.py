"""The strategies that the page about games in several sizes links: each proves the value that stands beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.helpers import Says, the_rest_long

PAGE = Path("docs/families.md")
FOLDER = Path("docs/results/certificates")
NAMES = sorted(file.stem for file in FOLDER.iterdir())
WIDE = 0.005
"""How far apart the bounds of a value may be."""


def stated(name: str) -> tuple[float, float]:
    """The bounds of a value as the page has them, which links the certificate; they are rounded."""
    (line,) = (one for one in PAGE.read_text("utf-8").splitlines() if one.startswith(f"| `{name}` |"))
    assert f"[certificate](results/certificates/{name}.solved)" in line
    numbers = [float(one) for one in re.findall(r"[+-]\d+\.\d+", line)]
    return min(numbers), max(numbers)


def test_every_certificate_that_is_linked_is_there() -> None:
    assert sorted(re.findall(r"\(results/certificates/(.+)\.solved\)", PAGE.read_text("utf-8"))) == NAMES


@pytest.mark.parametrize("name", the_rest_long(NAMES, ["kuhn", "commit-6", "diamondback-dealers-12"]))
def test_a_certificate_proves_the_value_that_is_told(name: str, says: Says) -> None:
    code, told, _ = says(f"certify {FOLDER / name}.solved --json --quiet")
    found = json.loads(told)
    assert (code, found["game"]) == (0, name)
    (lower, upper), (least, most) = found["value"], stated(name)
    assert upper - lower <= WIDE
    assert lower <= most + 1e-4
    assert least - 1e-4 <= upper
