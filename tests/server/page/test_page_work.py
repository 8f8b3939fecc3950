"""How much a page takes to make: counted, so that a busy machine makes no difference."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import pytest

import parlour
from parlour.base.languages import speaking
from parlour.core.drawing import Happening
from parlour.engine.definition import definition, shelf
from parlour.engine.telling import View
from parlour.rules.vocabulary import EVERYBODY
from parlour.server.common.limits import BoundedCache
from parlour.server.page import environment, i18n, pieces, rendering, words
from parlour.server.page import scene as scenes_of_pages
from parlour.server.page.people import Person
from parlour.server.page.rendering import regions
from parlour.server.page.scene import Scene
from parlour.server.page.words import drawing
from tests.games.test_boards import scene
from tests.helpers import the_rest_long

FOR_FOUR = [name for name in shelf() if 4 in definition(name).players]


def _scenes(seed: int = 3, moves: int = 30, name: str = "diamondback", watched: bool = False) -> list[Scene]:
    """What each seat's page shows after each of some moves at a table of four, as it is after a telling; ``watched``:
    what a spectator's shows, too."""
    rng, state = random.Random(seed), parlour.load(name, players=4).new(seed=seed)
    names, scenes = [f"Guest {seat}" for seat in range(4)], list[Scene]()
    state.call_players(names)
    for _ in range(moves):
        who = state.acting[0]
        state.apply(rng.choice(state.legal_actions(who)), who)
        scenes += [scene(state, seat, names) for seat in (*range(4), *[EVERYBODY] * watched)]
    return scenes


def test_a_page_imagines_what_is_hidden_once_for_all_that_its_reader_may_do(monkeypatch: pytest.MonkeyPatch) -> None:
    redeal, made = View.redeal, Counter[int]()

    def counted(view: View, seed: int) -> object:
        made[id(view)] += 1
        return redeal(view, seed)

    monkeypatch.setattr(View, "redeal", counted)
    scenes = _scenes()
    for one in scenes:
        regions(one)
    assert set(made.values()) == {1}
    assert len(made) <= len(scenes) / 4  # only for the reader who is asked


def test_what_all_see_of_the_others_is_drawn_once_for_all_their_pages() -> None:
    """Three pages show the same player in the same way, and most players stay as they are from move to move."""
    scenes = _scenes()
    pieces.made.cache_clear()
    for one in scenes:
        regions(one, ["board"])
    counted = pieces.made.cache_info()
    assert (counted.hits + counted.misses) / len(scenes) < 15
    assert counted.misses / len(scenes) < 2


def test_a_game_s_own_part_of_a_page_is_worked_out_once_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the table and for the notes beside it."""
    own, made = drawing("diamondback"), list[object]()
    board = own.board

    def counted(view: View, told: Sequence[Happening]) -> dict[str, Any]:
        made.append(view)
        return board(view, told)

    monkeypatch.setattr(own, "board", counted)
    scenes = _scenes(moves=5)
    for one in scenes:
        regions(one)
    assert len(made) == len(scenes)


def _forget() -> None:
    """Forget whatever has been made of a page, but not how it is made."""
    for module in (environment, pieces, rendering, i18n, scenes_of_pages, words):
        for name, one in vars(module).items():
            if hasattr(one, "cache_clear") and name not in ("in_language", "macros", "loaded", "drawing"):
                one.cache_clear()
    vars(rendering)["_kept_regions"] = BoundedCache[Hashable, str](room=8 << 20)


def _shown(name: str, afresh: bool) -> list[str]:
    """The regions of pages of all seats and spectators in two languages; ``afresh``: nothing is kept of those
    before."""
    found = list[str]()
    _forget()
    for language in ("en", "de"):
        for n, one in enumerate(_scenes(moves=24, name=name, watched=True)[::4]):
            if afresh:
                _forget()
            with speaking(language):
                found += regions(dataclasses.replace(one, placed=set(), four_colours=n % 2 == 1)).values()
    return found


@pytest.mark.parametrize("name", the_rest_long(FOR_FOUR, ["diamondback", "dividha"]))
def test_what_was_made_for_others_is_never_shown_where_something_else_belongs(name: str) -> None:
    """Parts of a page are made once for all who see the same: whoever sees anything else gets something else, whatever
    pages of other seats, of spectators and in other languages have been made before."""
    alone = _shown(name, afresh=True)
    assert len(alone) > 300
    assert [(a, b) for a, b in zip(alone, _shown(name, afresh=False), strict=True) if a != b] == []


def test_templates_are_ready_before_the_first_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[str]()
    monkeypatch.setattr(type(environment.in_language("de")), "get_template", lambda _, name: made.append(name))
    environment.compile_all(["de"])
    assert {"table.html", environment.board_of("kuhn")} <= {*made}


def test_a_letter_stands_for_whoever_has_no_face() -> None:
    called = [Person(0, name, "", True, False, False, False).initial for name in ("zoé", " 7 of us", "—")]
    assert called == ["Z", "7", "?"]
