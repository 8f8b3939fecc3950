"""The load generator's guests can play by the page alone."""

from __future__ import annotations

import pytest

from tests.waiting import until
from tools.load import Load, LoadPlan, run

MOVES = 20


@pytest.mark.long
def test_guests_play_by_the_buttons_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many moves a second this machine makes."""

    async def play(load: Load, _: float) -> None:
        before = load.moves
        await until(lambda: load._failed.done() or load.moves >= before + MOVES)
        if load._failed.done():
            load._failed.result()

    monkeypatch.setattr(Load, "_play", play)
    figures = run(LoadPlan(tables=2, pages=True))
    assert figures.moves >= MOVES
    assert figures.tellings_per_move > 2  # all four see each move, except those still open when the measuring ends
    assert figures.bytes_per_telling > 1000  # it is HTML
