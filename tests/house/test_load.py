"""The load generator's guests can play by the page alone."""

from __future__ import annotations

import pytest

from tests.waiting import until
from tools.load import Load, LoadPlan, guests, run

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


def test_a_guest_who_sees_who_comes_does_not_forget_whose_turn_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The people here are told in a change of its own, before or after the table."""

    class Nowhere:
        name, url = "T", "http://127.0.0.1"
        tellings = 0

        def told(self, guest: guests.Guest, size: int) -> None:
            self.tellings += 1

        def done(self, command: str) -> None: ...
        def lost(self) -> None: ...
        def fail(self, sentence: str) -> None: ...

    monkeypatch.setattr(guests, "ask", lambda *_: None)
    at = Nowhere()
    guest = guests.PageGuest(at, "token", 2)
    guest._hear(
        b'{"asked": true, "regions": {"strip": "", '
        b'"board": "<button class=\\"legal\\" name=\\"action\\" value=\\"dig 1\\">"}}'
    )
    guest._hear(b'{"regions": {"people": "Guest 3 is here."}}')
    assert (guest.turn, guest.choices, at.tellings) == ((1, 2), ["dig 1"], 1)
