"""The form for a new table: chapters, what was changed, what does not apply, and a link that carries it."""

from __future__ import annotations

import re

import httpx
import pytest

import parlour
from parlour.engine.definition import definition, shelf
from parlour.server.page import words
from parlour.server.page.house_rules import chapters, usual
from tests.page_helpers import Person
from tests.room_helpers import Server


@pytest.mark.parametrize("game", shelf())
def test_every_house_rule_stands_in_one_chapter_of_the_book(game: str) -> None:
    what = definition(game)
    found = chapters(what, {})
    assert sorted(row.name for chapter in found for row in chapter.rows) == sorted(what.options)
    sections = [clause.section for clause in what.book.clauses.values()]
    assert all(chapter.title in (*sections, "") for chapter in found)
    places = [sections.index(chapter.title) for chapter in found if chapter.title]
    assert places == sorted(places)


def test_a_game_says_how_many_usually_play(monkeypatch: pytest.MonkeyPatch) -> None:
    for said, players in ((None, 3), (2, 2), (9, 3)):
        what = dict(definition("diamonds").words)
        game = {key: value for key, value in what["game"].items() if key != "usual"}
        what["game"] = {**game, **({} if said is None else {"usual": said})}
        monkeypatch.setattr(definition("diamonds"), "words", what)
        assert usual("diamonds") == players


def test_a_link_says_only_what_is_not_usual(reader: httpx.Client) -> None:
    """How long the table waits, too: beside a preset, beside house rules, and alone; and whoever follows it sees it."""
    sent = "link=yes&name=Ada&players=2&option-games=3&option-first_spade=dig_on&pace=1&reveal=yes"
    short = reader.get(f"/new/diamonds?{sent}")
    assert (short.status_code, short.headers["location"]) == (303, "/new/diamonds?players=2&option-games=3")
    form = reader.get(short.headers["location"]).text
    assert "<option selected>2</option>" in form
    assert 'name="option-games" value="3"' in form
    assert '<a href="#option-games">Games: 3</a>' in form
    assert '<option value="1" selected>1</option>' in reader.get("/new/diamonds?option-first_dealer=1").text
    for same in ("players=3&option-games=1", "players=3&grace=30&patience=0"):
        assert reader.get(f"/new/diamonds?link=yes&{same}").headers["location"] == "/new/diamonds"
    for more in ("", "preset=three&", "option-games=3&"):
        short = reader.get(f"/new/diamonds?link=yes&{more}name=Ada&players=3&pace=2&grace=60&patience=90&reveal=yes")
        assert (short.status_code, short.headers["location"]) == (303, f"/new/diamonds?{more}grace=60&patience=90")
        form = reader.get(short.headers["location"]).text
        assert '<details class="chapter" open><summary>Pace, newcomers and cards' in form
        assert re.search(r'name="grace" [^>]*value="60"', form)
        assert re.search(r'name="patience" [^>]*value="90"', form)
        assert "<option selected>3</option>" in form
    assert "open><summary>Pace" not in reader.get("/new/diamonds?option-games=3").text


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("grace=99999", "grace must be at most 3600, not 99999."),
        ("patience=soon", "patience must be a number, not &#39;soon&#39;."),
        ("patience=90000", "A table waits for more than a day only if it is played by post."),
        ("option-gams=3", "There is no option &#39;gams&#39; of diamonds; did you mean &#39;games&#39;?"),
        ("option-games=many", "games"),
        ("players=9", "Diamonds cannot be played by 9; it is for 2 or 3 players."),
        ("players=lots", "Diamonds cannot be played by"),
        ("preset=livly", "did you mean &#39;lively&#39;?"),
    ],
)
def test_a_bad_link_gets_one_sentence(reader: httpx.Client, query: str, sentence: str) -> None:
    answer = reader.get(f"/new/diamonds?{query}")
    assert answer.status_code == 422
    assert sentence in answer.text


def test_a_form_sent_back_shows_what_was_changed(house: Server, reader: httpx.Client) -> None:
    """What works is the table's."""
    sent = {"option-version": "match", "option-forfeit": "whole_stack", "players": "6", "grace": "60"}
    answer = reader.post("/play/diamondback", data=sent)
    assert answer.status_code == 422
    assert '<option value="5">5 (seats max: 5)</option>' in answer.text
    assert reader.post("/play/diamondback", data=sent | {"players": "5"}).status_code == 303
    assert '<a href="#option-forfeit">Forfeit: whole stack</a>' in answer.text
    assert 'name="grace" type="number" min="0" max="3600" value="60"' in answer.text
    assert reader.post("/play/kuhn", data={"grace": "-1"}).status_code == 422
    code = reader.post("/play/kuhn", data={"grace": "60", "patience": "90"}).headers["location"][-6:]
    opened = next(one.table.opened for one in house.tables.live.values() if one.code == code)
    assert (opened.grace, opened.patience) == (60, 90)


def test_what_changes_nothing_is_not_shown_and_the_form_is_not_long(zoe: Person) -> None:
    """And another preset keeps all that is no house rule."""
    page = zoe.page
    page.set_viewport_size({"width": 390, "height": 844})
    for game in ("dividha", "pope_joan", "diamondback"):
        page.goto(f"/new/{game}")
        assert page.evaluate("document.documentElement.scrollHeight") < 3 * 844
    assert page.locator("#chosen").inner_text() == ""
    assert page.locator(".option:has(#option-version)").is_hidden()  # its chapter is folded
    page.locator("summary", has_text="Dealer's Diamondback").click()
    top_up, fold = (page.locator(f".option:has(#option-{name})") for name in ("dealer_tops_up", "dealer_fold"))
    assert top_up.get_attribute("hidden") is not None
    page.get_by_label("Version").select_option("dealers")
    assert top_up.is_visible()
    assert fold.get_attribute("hidden") is not None
    assert page.locator("#chosen li").all_inner_texts() == ["Version: dealers"]
    assert page.locator("#chosen ~ form #name").count(), "above all that is asked"
    page.locator("summary", has_text="Dealer's Diamondback").click()
    page.get_by_role("link", name="Version: dealers").click()
    assert page.evaluate("document.activeElement.id") == "option-version"
    page.get_by_label("Your name").fill("Bea")
    page.get_by_label("It begins").select_option("2")
    zoe.goes_by(page.locator(".presets a").last)
    assert "preset=" in page.url
    fields = [page.locator(f"#{name}").input_value() for name in ("name", "awaits", "option-version")]
    assert fields[:2] == ["Bea", "2"], "a preset changes house rules only"
    assert fields[2] != "dealers"
    assert zoe.complaints == []


@pytest.mark.parametrize("game", shelf())
def test_a_rule_book_calls_options_as_the_form_does_and_leads_there(reader: httpx.Client, game: str) -> None:
    """Nor does any clause at a table show the raw name of an option."""
    book, form = reader.get(f"/rules/{game}").text, reader.get(f"/new/{game}").text
    assert not re.search(rf">[^<]*\b({'|'.join(definition(game).options)})=\w", form)  # but "Limit: fixed"
    rules = parlour.load(game)
    clauses = [words.clause_of(rules, clause) for clause in rules.definition.book.clauses]
    assert not {*rules.definition.options} & {*re.findall(r"<code>(\w+)</code>", "".join([book, *clauses]))}
    begins = rules.definition.book.text.partition("## In one minute\n\n")[2][:20]
    assert begins in book.partition("<h2>In one minute</h2>")[2], "as at a terminal"
    led = dict(re.findall(rf'<a href="/new/{game}#option-(\w+)">([^<]+)</a>', book))
    assert bool(led) == bool(rules.definition.options)
    for name, called in led.items():
        assert f'<label for="option-{name}">{called[:1].upper()}{called[1:]}</label>' in form
