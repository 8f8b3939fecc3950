"""The pictures of the cards: of every game whose folder has a deck."""

from __future__ import annotations

import re
from types import ModuleType
from xml.etree import ElementTree

import pytest

from parlour.core import french
from parlour.engine.definition import definition, games
from parlour.server.page.decks import BACK

DECKS = {game: deck for game in games() if (deck := definition(game).part("deck")) is not None}
SVG = "{http://www.w3.org/2000/svg}"
SHAPES = "svg title g defs symbol use path rect circle ellipse line polygon polyline text tspan pattern clipPath mask"
DRAWN = {SVG + tag for tag in (*SHAPES.split(), "linearGradient", "radialGradient", "stop")}


def names(game: str) -> tuple[str, ...]:
    """The cards of a game: those its deck names, or those of its rules."""
    found = tuple(getattr(DECKS[game], "NAMES", ()) or definition(game).rules.CARDS)
    assert found
    return found


def check(svg: str) -> None:
    """A picture of a card that can be shown anywhere and does nothing else."""
    assert len(svg.encode()) < 4096
    root = ElementTree.fromstring(svg)
    assert root.tag == SVG + "svg"
    assert root.get("viewBox") == "0 0 100 140"
    for part in root.iter():
        assert part.tag in DRAWN
        for attribute, value in part.attrib.items():
            plain = attribute.rpartition("}")[2]
            assert plain != "style"
            assert not plain.startswith("on")
            assert plain != "href" or value.startswith("#")
            assert all(place.startswith("#") for place in re.findall(r"url\((.*?)\)", value))


def different(game: str) -> set[str]:
    """The cards that a person can tell apart: Dividha's three sixes of Heaven are alike."""
    return {re.sub("^6V[abc]$", "6V", name) for name in names(game)}


@pytest.mark.parametrize("game", DECKS)
def test_every_card_has_a_picture_and_a_name_of_its_own(game: str) -> None:
    deck = DECKS[game]
    titles = [deck.title(name) for name in names(game)]
    for four_colours in (False, True):
        faces = [deck.face(name, four_colours) for name in names(game)]
        for svg in faces:
            check(svg)
        assert len(set(faces)) == len(set(titles)) == len(different(game))
    for title in titles:
        assert re.fullmatch(r"[A-Za-z'-]{2,}(,? [A-Za-z'-]{2,})*(?: \([A-Za-z' -]+\))?", title), title


@pytest.mark.parametrize("game", DECKS)
def test_cards_that_stand_for_a_game_are_its_cards(game: str) -> None:
    lines = getattr(DECKS[game], "SHOWCASE", ())
    assert {name for line in lines for name in line} <= {*names(game), BACK, ""}
    cards = [name for line in lines for name in line if name not in ("", BACK)]
    assert len(cards) == len(set(cards)) or game in ("diabolo",), "a pack has each card once"


@pytest.mark.parametrize(
    ("game", "name", "words"),
    [
        ("diamonds", "D10", "ten of diamonds"),
        ("kuhn", "Q", "queen"),
        ("leduc", "K2", "king of hearts"),
        ("commit", "9d", "nine of diamonds"),
    ],
)
def test_a_card_shows_what_its_name_says(game: str, name: str, words: str) -> None:
    deck: ModuleType = DECKS[game]
    assert deck.title(name) == words
    rank, _, suit = words.partition(" of ")
    where = {word: letter for letter, word in french.SUIT_WORDS.items()}
    assert deck.face(name) == french.face(french.RANKS[french.NUMBERS.index(rank)], where.get(suit, "S"))


def test_four_colours_tell_the_suits_apart() -> None:
    def colours(suit: str, four: bool) -> set[str]:
        return set(re.findall(r"#[0-9a-f]{6}", french.face("7", suit, four))) - {french.PAPER, french.EDGE}

    two = {suit: colours(suit, False) for suit in french.SUITS}
    assert two["S"] == two["C"] != two["H"] == two["D"]
    four = [colours(suit, True) for suit in french.SUITS]
    assert four == [{french.BLACK}, {french.RED}, {french.BLUE}, {french.GREEN}]


@pytest.mark.parametrize("rank", french.RANKS[1:10])
def test_a_card_has_as_many_signs_as_its_rank_says(rank: str) -> None:
    """Each sign in the half that is shown twice counts twice; one in each corner goes off."""
    svg = french.face(rank, "H")
    once, half = svg.split('<g id="h">')
    sign = french.SIGNS["H"]
    assert once.count(sign) + 2 * half.count(sign) - 2 == int(rank)


def test_a_card_looks_the_same_upside_down() -> None:
    """Its half is shown twice, and anything shown only once lies on a point of symmetry, or mirrors something else."""
    for rank in french.RANKS[1:10]:
        if rank == "7":
            continue  # the odd one stands in the upper half, as it always has
        once = french.face(rank, "C").split('<g id="h">')[0]
        places = {(float(x), float(y)) for x, y in re.findall(r"translate\((\S+) (\S+?)\)", once)}
        assert {(100 - x, 140 - y) for x, y in places} == places


def test_the_back_says_nothing() -> None:
    check(french.back())
    assert french.back() not in {face for deck in DECKS for face in map(DECKS[deck].face, names(deck))}


def test_the_sixes_of_heaven_look_alike_and_have_a_name_in_words() -> None:
    face, title = DECKS["dividha"].face, DECKS["dividha"].title
    assert face("6Va") == face("6Vb") == face("6Vc")
    shown = {name: re.findall(r"<text[^>]*>([^<]*)</text>", face(name)) for name in ("KV", "Min", "Satan")}
    assert shown == {"KV": ["K"], "Min": ["6", "Min"], "Satan": list("SATAN")}
    words = {"7D": "seven of Demi-Humans", "2L": "two of Hell", "6Vc": "six of Heaven", "San": "San (six of Hell)"}
    assert {name: title(name) for name in words} == words
    assert DECKS["diabolo"].title("R1 R1") == "two red ones"
    assert DECKS["diamondback"].title("Priestess") == "the Priestess"
