"""The load generator's guests can play by the page alone."""

from __future__ import annotations

import pytest

from parlour.study.load import Load, Wanted, run
from waiting import until

MOVES = 20


def test_guests_play_by_the_buttons_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many moves a second this machine makes."""

    async def play(load: Load, _: float) -> None:
        before = load.moves
        await until(lambda: load._failed.done() or load.moves >= before + MOVES)
        if load._failed.done():
            load._failed.result()

    monkeypatch.setattr(Load, "_play", play)
    figures = run(Wanted(tables=2, pages=True))
    assert figures.moves >= MOVES
    assert figures.tellings_per_move > 2  # all four see each move, but for those under way when the measuring ends
    assert figures.bytes_per_telling > 1000  # it is HTML
