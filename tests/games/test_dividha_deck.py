"""The pictures of the cards of Dividha: one for each, told apart where the rules tell them apart."""

from collections import Counter
from xml.etree import ElementTree

import pytest

from parlour.games.dividha.deck import face, title
from parlour.games.dividha.hands import CARDS as DECK_CARDS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", DECK_CARDS)
def test_each_card_is_a_small_drawing_that_needs_nothing_else(name: str) -> None:
    drawing = face(name)
    assert len(drawing.encode()) < 4096
    root = ElementTree.fromstring(drawing)
    assert root.tag == SVG + "svg"
    assert root.get("viewBox") == "0 0 100 140"
    assert root.findtext(SVG + "title") == title(name)
    for element in root.iter():
        assert element.tag not in (SVG + "style", SVG + "script")
        assert "style" not in element.attrib
        assert element.get("href", "#").startswith("#")


def test_only_the_sixes_of_heaven_look_alike() -> None:
    drawings = Counter(face(name) for name in DECK_CARDS)
    assert sorted(drawings.values()) == [1] * 53 + [3]
    assert face("6Va") == face("6Vb") == face("6Vc")


def test_the_index_shows_the_rank_or_the_name() -> None:
    def texts(name: str) -> list[str]:
        return [text.text or "" for text in ElementTree.fromstring(face(name)).iter(SVG + "text")]

    assert texts("KV") == ["K"]
    assert texts("Min") == ["6", "Min"]
    assert texts("Satan") == list("SATAN")


def test_titles_are_words() -> None:
    assert title("AU") == "ace of Humans"
    assert title("7D") == "seven of Demi-Humans"
    assert title("JB") == "jack of Beasts"
    assert title("2L") == "two of Hell"
    assert title("6Va") == title("6Vc") == "six of Heaven"
    assert title("San") == "San (six of Hell)"
    assert title("Satan") == "Satan (wild card of Hell)"
