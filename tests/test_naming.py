"""What people may call themselves and say: nothing unseen, nothing that turns text round, nobody in another's name."""

from __future__ import annotations

from random import Random

import httpx
import pytest
from playwright.sync_api import Browser, expect

import parlour
from page_helpers import Person
from parlour.cli.reading import Choices
from parlour.cli.screen import Screen
from parlour.cli.visit import Visit
from parlour.drawing import Drawing
from parlour.errors import ParlourError
from parlour.naming import fitting_line, fitting_name, isolated, look_of
from parlour.room import log, seating, wire
from parlour.room.api import API
from parlour.room.client import Snapshot
from parlour.room.table import Change, Table
from room_helpers import Server
from worlds import opened

DAN = "\u05d3\u05df"
"""Dan in Hebrew, from right to left."""
UNSEEN = [
    "\u202eAnn",
    "An\u200bn",
    "Ann\u2066",
    "\ufeffAnn",
    "An\u00adn",
    "Ann\u0378",
    "\ue000",
    "Ann\u3164",
    "A\u034fnn",
]
"""Names with something unseen in them: marks, joiners, what is not assigned, what is private, fillers."""


@pytest.mark.parametrize("name", UNSEEN)
def test_what_cannot_be_seen_is_refused_in_one_sentence(name: str) -> None:
    for fitting in (fitting_name, fitting_line):
        with pytest.raises(ParlourError, match=r"^The character U\+[0-9A-F]{4,5} can't be seen or turns text round; "):
            fitting(name)


@pytest.mark.parametrize("name", ["", "   ", "\u2003", "\u3164", "\u2800", "\u115f\u1160", "\ufe0f", "\u0301"])
def test_a_name_can_be_seen(name: str) -> None:
    with pytest.raises(ParlourError, match=r"\.$"):
        fitting_name(name)


def test_a_name_is_one_name_however_it_is_typed() -> None:
    assert fitting_name("Zoe\u0301") == "Zo\u00e9"
    assert fitting_name(" Ann\u2003B. ") == "Ann B."
    assert fitting_name("\u2764\ufe0f") == "\u2764"
    assert fitting_name("e\u0301" * 16) == "\u00e9" * 16
    with pytest.raises(ParlourError, match="A name has 1 to 16 letters"):
        fitting_name("x" * 17)
    with pytest.raises(ParlourError, match="2 accents"):
        fitting_name("A" + "\u0316\u0317\u0318" + "nn")


@pytest.mark.parametrize("name", ["ANN", "Ａnn", "\u0410nn", "\u1d2cnn", "𝐀𝐧𝐧"])
def test_nobody_looks_like_somebody_who_sits_here(name: str) -> None:
    table = Table(opened(parlour.load("leduc")))
    table.commit(seating.sit(table, 0, "Ann", "ann"))
    assert look_of(name) == look_of("Ann")
    with pytest.raises(ParlourError, match=r"^Somebody at this table (is called|has a name that looks like) "):
        seating.sit(table, 1, name, "abe")
    assert seating.sit(table, 1, "Anna", "abe")


def test_what_is_said_is_cleaned_too() -> None:
    table = Table(opened(parlour.load("leduc")))
    table.commit(seating.sit(table, 0, "Ann", "ann"))
    entry = seating.say(table, 0, "  Zoe\u0301,  well  played ").entry
    assert isinstance(entry, log.ChatSent)
    assert entry.text == "Zo\u00e9, well played"
    with pytest.raises(ParlourError, match="turns text round"):
        seating.say(table, 0, "abc\u202edef")


def test_a_table_is_not_made_in_such_a_name(house: Server) -> None:
    answer = httpx.post(f"{house.url}{API}/tables", json={"game": "kuhn", "name": "A\u202enn"})
    assert (answer.status_code, "U+202E" in answer.json()["sentence"]) == (422, True)


@pytest.mark.long
def test_a_name_from_right_to_left_keeps_its_place_on_the_page(browser: Browser, house: Server) -> None:
    """What follows it in a line stays where it is; the name is isolated in lists and in sentences."""
    with Person(browser, house) as dan, Person(browser, house) as zoe:
        code = dan.opens("leduc", name=DAN)
        zoe.page.goto(f"/t/{code}")
        expect(zoe.page.locator(".persons bdi", has_text=DAN)).to_have_count(1)
        assert zoe.page.locator(".plate bdi", has_text=DAN).count() == 1
        assert isolated(DAN) == f"\u2068{DAN}\u2069"
        dan.waits()
        dan.plays(dan.by_mouse, Random(1), most=1)
        expect(zoe.page.locator("#r-story li", has_text=isolated(DAN)).first).to_be_visible()


def test_a_name_from_right_to_left_keeps_its_place_at_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Also if the server sends what a server of ours would refuse."""
    game = parlour.load("leduc")
    players = [wire.SeatHolder(name, "random", True, False) for name in (DAN, "\u202eAbe[red]")]
    telling = wire.Telling(
        version=1, match=0, seat=0, players=players, view=None, items=None, heard=0, new=[], asked=[], hushed=False,
        choices=[], over=False, returns=[], again=[],
    )  # fmt: skip
    names = Visit._names_in(Snapshot(game, telling, ()))
    assert names == [f"\u2068{DAN}\u2069", "Abe(red)"]
    Screen(Drawing(game.definition), 0).say(f"{names[0]} 7, \u202e8.")
    assert capsys.readouterr().out == f"\u2068{DAN}\u2069 7, \N{REPLACEMENT CHARACTER}8.\n"
    assert Choices(game, [], names)._seats[DAN] == "0"  # it is typed without the marks


def test_an_old_log_keeps_its_names() -> None:
    """What was once allowed is still read."""
    table = Table(opened(parlour.load("leduc")))
    table.commit(Change(log.Sat(0, "A\u200bnn", "ann")))
    assert table.known.players[0].name == "A\u200bnn"
