"""The examples of the rule book of Diamonds, as records.

Comments in the records say what must hold at that point: ``# told:`` clauses of what the last act brought about, in
this order among others, ``# legal:`` all that may be done, ``# refused:`` an act and the clause that forbids it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import parlour
from parlour import CHANCE, State
from tests.helpers import names

FILES = sorted((Path(__file__).parents[1] / "records" / "diamonds").glob("*.rec"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_example(file: Path) -> None:
    text, held = file.read_text("utf-8"), 0
    for comment in re.finditer(r"^# (told|legal|refused): (.+)\n", text, re.MULTILINE):
        holds(parlour.replay(text[: comment.start()]), comment[1], comment[2])
        held += 1
    assert held
    plain = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    assert parlour.replay(text).record() == plain


def holds(state: State, what: str, said: str) -> None:
    if what == "legal":
        assert names(state) == set(said.split(", "))
    elif what == "refused":
        act, _, clause = said.rpartition(" ")
        refusal = state.refusal(act)
        assert refusal is not None
        assert refusal.clause == clause
    else:
        last = max(k for k, step in enumerate(state.history) if step.player != CHANCE)
        told = iter([event.clause for event in state.events(since=last)])
        assert all(clause in told for clause in said.split())  # each after the one before


def test_every_example_is_there() -> None:
    assert {file.stem[:2] for file in FILES} == {f"{n:02}" for n in range(1, 13)}
