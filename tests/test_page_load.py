"""The load generator's guests can play by the page alone."""

from __future__ import annotations

from parlour.study.load import Wanted, run


def test_guests_play_by_the_buttons_of_the_page() -> None:
    figures = run(Wanted(tables=2, seconds=1.0, pages=True))
    assert figures.moves > 0
    assert figures.tellings_per_move > 2  # all four see each move, but for those under way when the measuring ends
    assert figures.bytes_per_telling > 1000  # it is HTML
