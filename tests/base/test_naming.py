"""What people may call themselves and say: nothing unseen, nothing that turns text round, nobody in another's name."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from random import Random
from unicodedata import normalize

import httpx
import pytest
from playwright.sync_api import Browser, expect

import parlour
from parlour.base.errors import ParlourError
from parlour.base.naming import ISOLATES, fitting_line, fitting_name, is_fit, isolated, look_of, shortened
from parlour.cli.common.typed_input import Choices
from parlour.cli.play.remote_table import Visit
from parlour.cli.play.screen import Screen
from parlour.core.drawing import Drawing
from parlour.server.client.client import Snapshot
from parlour.server.common import wire
from parlour.server.live import seating
from parlour.server.table import log
from parlour.server.table.table import Change, Table
from parlour.server.web.api import API
from tests.page_helpers import Person
from tests.room_helpers import Server
from tests.worlds import opened

DAN = "\u05d3\u05df"
"""Dan in Hebrew, from right to left."""
WRITTEN = """
    علی‌رضا فاطمه‌زهرا محمّد يُوسُفُ پروین‌دخت سۆران עִבְרִית שָׁלוֹם בְּרֵאשִׁ֖ית דָּוִד
    सिद्धार्थ र‍्य क़ाज़ी শর্মিষ্ঠা র‍্যাচেল ਗੁਰਪ੍ਰੀਤ જ્યોતિ ଶ୍ରୀ முருகன் க்ஷ் శ్రీ ಶ್ರೀ മോഹന്‍ ശ്രീ ශ්‍රී
    สมชาย ปิ่น ຫຼັ່ງ ຄໍາ မြို့ မြှော့် ကျွန်ုပ် ភ្នំ ស្ត្រី སྒྲོལ་མ ཧྰུྃ བསྟན་འཛིན
    ᠮᠣᠩᠭᠣᠯ ꦏꦿꦺꦴꦁ አበበ ᏣᎳᎩ Թամար თამარ ܝܘܚܢܢ ߒߞߏ
    Nguyễn Đặng Łukasz Şükrü Ngũgĩ ẹ̀kọ́ Иван Їжак ᾧ Ὀδυσσεύς Ångström O’Brien 李小龍 辻󠄀 さくら がく 김민준
    ❤️ 1️⃣ 🩷 🫨 🫩 🤷‍♂️ 👩‍💻 👩🏽‍🚀 🏳️‍🌈 👨‍👩‍👧‍👦 🇩🇪 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ‼️ ℹ️
"""
"""Names as people write them in their own script, and emoji as phones write them."""
REAL = WRITTEN.split()
SAID = ["می‌خواهم بازی کنم", "ශ්‍රී ලංකා", "ཁྱེད་རང་ག་ནས་ཡིན་པ།", "खेल‌ना है", "שָׁלוֹם לְכֻלָּם!", "well played 🤷‍♂️", "一起玩吧 ❤️‍🔥"]
"""What people say in a chat."""

UNSEEN = [
    "An\u200bn", "An\u200cn", "An\u200dn", "\u200cAnn", "Ann\u200d", "An\u00adn", "\ufeffAnn", "An\u2060n", "A\u034fnn",
    "Ann\u3164", "Ann\u115f", "Ann\uffa0", "Ann\u17b4", "Ann\u2800", "Ann\u2064", "Ann\u180e", "A\x1b[3m", "A\x00",
    "Ann\ufff9", "\U0001d159Ann", "Ann\U000e0067", "🏴\U000e0067\U000e007f", "😀\u200dAnn",
    "😀\u200c😀", "Ann\U000e0fff",
]  # fmt: skip
"""Names with something unseen in them: controls, joiners and tags where they join nothing, fillers, empty pictures."""
TURNED = [
    "\u202eAnn", "Ann\u202c", "\u202aAnn", "Ann\u2066", "Ann\u2069", "\u200eAnn", "An\u200fn", "\u061cAnn", "\u202dדן",
    "\u2067דן",
]  # fmt: skip
"""Names with marks that force a direction."""
UNKNOWN = ["\ue000", "Ann\U000f0000", "A\udc80nn", "\ud83d", "Ann\ufffe", "Ann\ufdd0", "Ann\U0010ffff"]
"""Names with private codes, halves of characters, and codes that will never be characters."""
HEAPED = {
    "A\u0316\u0317\u0318nn": "2 accents", "A\u0336\u0336\u0336nn": "2 accents", "я\u0301\u0302\u0303": "2 accents",
    "ω\u0301\u0302\u0303\u0304": "3 accents", "ก็็็็": "3 marks", "ש" + "\u05b4" * 3 + "\u05bc" * 3: "5 marks",
    "क" + "\u0301" * 3: "2 accents", "x\u20dd\u20dd\u20dd": "2 accents", "A" + "\u1acf" * 3: "2 accents",
    "A" + "\u0e48" * 3: "2 marks", "ཀ" + "\u0f72" * 8: "7 marks",
}  # fmt: skip
"""Letters with heaps of marks on them, and what is said of them."""


def refusal(fitting: Callable[[str], str], text: str) -> str:
    with pytest.raises(ParlourError) as refused:
        fitting(text)
    return str(refused.value)


@pytest.mark.parametrize("text", REAL + SAID)
def test_people_may_write_their_names_as_they_do(text: str) -> None:
    """And speak their languages.  What is kept is what was typed; where it was not, it is composed otherwise, but looks
    the same."""
    assert fitting_line(text) == normalize("NFC", text)
    if text in REAL:
        assert fitting_name(text) == normalize("NFC", text)
        assert isolated(text).strip(ISOLATES) == text
        assert all(map(is_fit, text))


@pytest.mark.parametrize(
    ("names", "why"),
    [(UNSEEN, "can't be seen"), (TURNED, "changes the direction of text"), (UNKNOWN, "has no picture that .* knows")],
    ids=("unseen", "turned", "unknown"),
)
def test_what_cannot_be_seen_is_refused_in_one_sentence(names: list[str], why: str) -> None:
    for name in names:
        for fitting in (fitting_name, fitting_line):
            said = refusal(fitting, name)
            assert re.fullmatch(rf"The character U\+[0-9A-F]{{4,6}} {why}; leave it out\.", said), said


def test_what_keyboards_write_unseen_is_left_out() -> None:
    """Marks of direction beside Hebrew and Arabic, spaces between words of Khmer, a second joiner, a useless style."""
    assert fitting_name(f"\u200f{DAN}\u200e") == fitting_name(f"\u061c {DAN}") == DAN
    assert fitting_line(f"{DAN}: C++\u200e!") == f"{DAN}: C++!"
    assert fitting_name("ភ្នំ\u200bពេញ") == "ភ្នំពេញ"
    assert fitting_name("زن\u200c\u200cها") == "زن\u200cها"
    assert fitting_name("A\ufe0fnn") == "Ann"
    assert fitting_name("❤\ufe0f\ufe0f") == "❤\ufe0f"
    assert fitting_name(" Ann\u2003B. ") == "Ann B."


def test_the_letters_of_a_name_are_counted_as_people_count_them() -> None:
    """Marks, joiners and styles take no place, unless they run into the lines around them; each person in a picture
    does, since some devices draw them apart.  A text that is cut keeps its letters whole."""
    assert fitting_name("སྒྲོ་" * 8)
    assert fitting_name("e\u0301" * 16) == "\u00e9" * 16
    assert refusal(fitting_name, "स्" * 17) == f"A name has 1 to 16 letters; '{'स्' * 17}' has 17."
    assert "has 20." in refusal(fitting_name, "👨‍👩‍👧‍👦" * 5)
    assert "at most 60 characters" in refusal(fitting_name, "སྒྲི༹" * 16)
    assert refusal(fitting_name, " \u200f ") == "The character U+200F changes the direction of text; leave it out."
    for nothing in ("", "  ", "\u2003"):
        assert refusal(fitting_name, nothing) == "A name has 1 to 16 letters; write one."
    for unseen in ("\u3164", "\u115f\u1160", "\ufe0f", "\u0301", "\u094d"):
        assert refusal(fitting_name, unseen).endswith(".")
    for name, said in HEAPED.items():
        assert said in refusal(fitting_name, name)
    assert shortened("སྒྲོལ་མ", 3) == "སྒྲོལ…"
    assert shortened("👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀", 2) == "👩🏽‍🚀…"
    assert shortened("👩🏽‍🚀👩🏽‍🚀", 2) == "👩🏽‍🚀👩🏽‍🚀"


def test_a_long_text_takes_time_by_its_length() -> None:
    for part in ("\u200b", "\u200c", "\ufe0f", "🏴\U000e0067", "a\u0301", "\u200f"):
        for fitting in (fitting_name, fitting_line):
            with suppress(ParlourError):
                fitting(part * 30_000)


@pytest.mark.parametrize("name", ["ANN", "Ａnn", "\u0410nn", "\u1d2cnn", "𝐀𝐧𝐧"])
def test_nobody_looks_like_somebody_who_sits_here(name: str) -> None:
    table = Table(opened(parlour.load("leduc")))
    table.commit(seating.sit(table, 0, "Ann", "ann"))
    assert look_of(name) == look_of("Ann")
    with pytest.raises(ParlourError, match=r"^Somebody at this table (is called|has a name that looks like) "):
        seating.sit(table, 1, name, "abe")
    assert seating.sit(table, 1, "Anna", "abe")


@pytest.mark.parametrize(
    ("name", "other"),
    [("Zoë", "ZOË"), ("علی‌رضا", "علیرضا"), ("ශ්‍රී", "ශ්රී"), ("❤️", "❤"), ("👩‍💻", "👩💻"), ("辻󠄀", "辻"), ("ᠨ᠋ᠠ", "ᠨᠠ")],
)
def test_joiners_and_styles_make_no_other_name(name: str, other: str) -> None:
    assert look_of(fitting_name(name)) == look_of(fitting_name(other))


def test_what_is_said_is_cleaned_too(house: Server) -> None:
    """And no table is made in a name that is not; an old log keeps those that it has."""
    table = Table(opened(parlour.load("leduc")))
    table.commit(Change(log.Sat(0, "A\u200bnn", "ann")))
    assert table.known.players[0].name == "A\u200bnn"
    entry = seating.say(table, 0, "  Zoe\u0301,  well  played ").entry
    assert isinstance(entry, log.ChatSent)
    assert entry.text == "Zo\u00e9, well played"
    with pytest.raises(ParlourError, match="changes the direction of text"):
        seating.say(table, 0, "abc\u202edef")
    answer = httpx.post(f"{house.url}{API}/tables", json={"game": "kuhn", "name": "A\u202enn"})
    assert (answer.status_code, "U+202E" in answer.json()["sentence"]) == (422, True)


@pytest.mark.long
def test_a_name_from_right_to_left_keeps_its_place_on_the_page(browser: Browser, house: Server) -> None:
    with Person(browser, house) as dan, Person(browser, house) as zoe:
        code = dan.opens("leduc", name=DAN)
        zoe.page.goto(f"/t/{code}")
        expect(zoe.page.locator(".persons bdi", has_text=DAN)).to_have_count(1)
        assert zoe.page.locator(".seat .name bdi", has_text=DAN).count() == 1
        assert isolated(DAN) == f"\u2068{DAN}\u2069"
        dan.waits()
        dan.plays(dan.by_mouse, Random(1), most=1)
        expect(zoe.page.locator("#r-story li", has_text=isolated(DAN)).first).to_be_attached()


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
    let_in = "علی‌رضا: 🩷 👩‍💻 10\u00a0%"
    for said, shown in ((f"{names[0]} 7, \u202e8.", f"\u2068{DAN}\u2069 7, �8."), (let_in, let_in)):
        Screen(Drawing(game.definition), 0).say(said)
        assert capsys.readouterr().out == f"{shown}\n"
    assert Choices(game, [], names)._seats[DAN] == "0"  # it is typed without the marks


@pytest.mark.parametrize("name", ["སྒྲོལ་མ", "Zoe B.", "O'Brien", "علی‌رضا"])
def test_a_player_is_named_at_the_prompt_by_their_whole_name(name: str) -> None:
    game = parlour.load("matrimony", players=4)
    choices = Choices(game, range(game.action_count), ["You", name, "Ben", "Cora"])
    action = next(a for a in range(game.action_count) if game.action_names[a].endswith(" 1"))
    verb = game.action_names[action].rpartition(" ")[0]
    assert choices.find(f"{verb} {name}") == action
