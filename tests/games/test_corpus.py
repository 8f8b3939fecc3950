"""Every game is played as it was: the corpus of records, replayed (see ``corpus.py``)."""

from __future__ import annotations

from itertools import islice

import pytest

from parlour.engine.definition import shelf
from tools import corpus

games = pytest.mark.parametrize("game", shelf())


@games
@pytest.mark.parametrize(
    "every", [10, pytest.param(1, marks=[pytest.mark.long, pytest.mark.corpus])], ids=["a tenth", "all"]
)
def test_the_rules_behave_as_they_did(game: str, every: int) -> None:
    different = next(filter(None, (record.difference() for record in islice(corpus.read(game), 0, None, every))), "")
    assert not different, different


@games
def test_the_house_rules_are_those_that_there_were(game: str) -> None:
    assert corpus.house_rules(game) == corpus.written_rules(game)


@games
def test_most_matches_of_the_corpus_are_played_to_their_end(game: str) -> None:
    ends = [record.lines[-1][1] for record in corpus.read(game)]
    assert len(ends) == corpus.RECORDS
    assert sum(end != "= unfinished" for end in ends) > corpus.RECORDS / 2
