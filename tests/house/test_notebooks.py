"""The notebooks run from their top to their end, and show what they show in the repository, to the byte."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import pytest

from parlour.engine.definition import shelf
from parlour.study.charts import Chart
from tests.helpers import the_rest_long
from tools import website

QUICK = ("build", "kuhn", "play", "study")
"""Notebooks for which nothing has to be compiled but what other tests call."""


def name_of(notebook: str) -> str:
    return PurePosixPath(notebook).stem


@pytest.mark.parametrize(
    "notebook", the_rest_long(website.notebooks(), [one for one in website.notebooks() if name_of(one) in QUICK])
)
def test_notebooks_run_and_show_what_is_kept(notebook: str) -> None:
    _, shown, again = website.ran(notebook)
    assert json.loads((website.ROOT / notebook).read_text("utf-8")) == again, f"python -m tools.website {notebook}"
    if name_of(notebook) in shelf():
        assert sum(isinstance(one, Chart) for one in shown) >= 3


def test_every_game_has_a_notebook() -> None:
    assert {*map(name_of, website.notebooks())} == {*shelf(), "play", "study", "build"}
