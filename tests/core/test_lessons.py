"""Lessons: each runs to its end at a table, on a page without script and at the terminal, and takes five minutes."""

from __future__ import annotations

import contextlib
import io
import re
from html import unescape
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any, Final

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, TimeoutError, expect

from parlour.base.errors import IllegalAction, ParlourError
from parlour.base.languages import in_book, languages, speaking, translated
from parlour.cli.play.screen import cards_written
from parlour.core.lessons import Lesson, LessonStop, for_now, lesson, places, read_lesson, spoken, with_lessons
from parlour.engine.definition import definition
from parlour.server.common import wire
from parlour.server.live import moves, seating, teaching
from parlour.server.page.environment import template
from parlour.server.page.lesson_text import StopText
from parlour.server.page.rendering import place_of, regions
from parlour.server.page.scene import Scene
from parlour.server.table.seats import NAMES
from parlour.server.table.table import Table
from parlour.server.web.api import API
from parlour.server.web.new_table import opened_as, wanted_table
from tests.helpers import Says, the_rest_long, there
from tests.page_helpers import PHONE, Person
from tests.room_helpers import Server
from tests.server.page.test_page_fits import LAYOUT
from tests.waiting import LIMIT, wait_until

pytestmark = pytest.mark.xdist_group("page")
GAMES: Final = with_lessons()


def taught(game: str) -> Lesson:
    return there(lesson(game))


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_takes_five_minutes_and_says_little_at_a_time(game: str) -> None:
    one = taught(game)
    assert one.seconds <= 5 * 60
    assert 6 <= len(one.stops) <= 10
    assert not one.stops[-1].do, "the last stop is read, and then the learner plays a game"
    for stop in one.stops:
        text = f"{one.aim if stop is one.stops[0] else ''} {stop.say} {stop.now}"
        assert 3 <= len(text.split()) <= 50, text
        assert max(len(part.split()) for part in re.split(r"[.!?:;]\s", text)) <= 25, text
        assert all(int(seat) < one.game.players for seat in re.findall(r"\{(\d+)\}", text))
        assert bool(stop.now) == bool(stop.do or stop.wrong), "a move, and only a move, is said in so many words"
    tried = [stop.refused for stop in one.stops if stop.wrong]
    assert tried
    assert {*tried} <= {*definition(game).book.clauses}


@pytest.mark.parametrize("language", languages())
def test_another_move_is_answered_in_the_language_of_the_lesson(language: str) -> None:
    with speaking(language):
        for stop in (stop for game in GAMES for stop in taught(game).stops if stop.do):
            assert in_book(stop.now) in translated(for_now(stop))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"aim": ""}, "a lesson has an aim and at least one stop"),
        ({"seat": 5}, "there is no seat 5"),
        ({"deal": "chance K"}, "deal: 'chance K' is neither"),
        ({"deal": "chance: K, K"}, "deal: 'chance: K, K': There is no outcome 'K'"),
        ({"deal": "chance: K, Q, J"}, "chance does not decide here, so 'J' is too much"),
        ({"stop": [{"say": "Bet.", "does": "bet"}]}, "stop 1: 'does' is not a key of a stop"),
        ({"stop": [{"say": "Bet.", "do": "raise"}]}, "stop 1: There is no action 'raise'"),
        ({"stop": [{"say": "Bet.", "do": "bet", "then": "1: bat"}]}, "stop 1: '1: bat': There is no action 'bat'"),
        ({"stop": [{"say": "Bet.", "try": "bet", "refused": "KU-1"}]}, "stop 1: 'bet' is allowed"),
        ({"stop": [{"say": "Pass.", "do": "pass"}, {"say": "", "do": "bet"}]}, "stop 2: it is not for seat 0 to act"),
    ],
)
def test_a_mistake_in_a_lesson_is_one_sentence_that_names_the_stop(change: dict[str, Any], sentence: str) -> None:
    said = {"aim": "Win.", "deal": "chance: K, Q", "stop": [{"say": "Bet.", "do": "bet"}], **change}
    with pytest.raises(ParlourError) as wrong:
        read_lesson("kuhn", said)
    assert sentence in str(wrong.value)


def sits_down(game: str) -> Table:
    opened = opened_as(wanted_table(game=game, name="Zoé", lesson=True), "zoe")
    table = Table(opened)
    table.commit(moves.resume(table, taught(game).opening().record()))
    table.commit(seating.sit(table, taught(game).seat, "Zoé", "zoe"))
    return table


def seen(table: Table) -> dict[str, str]:
    """What the learner's page shows: what is said, and the board."""
    terms = table.opened
    about = wire.About(
        table="t", code="ABCDEF", game=terms.game, players=terms.players, options=terms.options, reveal=True,
        pace=1.0, beat=1.0, patience=0.0, lesson=True,
    )  # fmt: skip
    telling = table.known.telling(taught(terms.game).seat, 0, True)
    return regions(Scene(about, telling, telling.new, "http://localhost/t/ABCDEF"), ["strip", "board"])


@pytest.mark.parametrize("game", GAMES)
def test_everything_that_a_lesson_points_at_is_on_the_table(game: str) -> None:
    table, one = sits_down(game), taught(game)
    for number, stop in enumerate(one.stops):
        assert table.stop == number
        there, names = seen(table), [seat.name for seat in table.seats]
        names[one.seat] = "You"
        assert all(spoken(text, names) in unescape(there["strip"]) for text in (stop.say, stop.now))
        for kind, name in places(stop):
            assert place_of(kind, name) + " data-pointed" in there["board"], f"{number + 1}: {kind} {name}"
        pressed = (f'value="{one}"' for one in (stop.do, stop.do.rpartition(" ")[0]))
        pointed = [tag for tag in re.findall("<[^>]+>", there["board"]) if " data-pointed" in tag]
        assert not stop.do or any(one in tag for one in pressed for tag in pointed), "what to press is marked"
        if stop.wrong:
            assert f'value="{stop.wrong}"' in there["strip"] + there["board"], "it can be pressed"
            with pytest.raises(IllegalAction) as refused:
                moves.act(table, one.seat, stop.wrong, None)
            assert refused.value.clause == stop.refused
        legal = [choice.name for choice in table.known.telling(one.seat, 0, True).choices]
        for other in legal:
            if other != stop.do:
                with pytest.raises(ParlourError, match=r"^For now|^The lesson is over") as wrong:
                    teaching.must_fit(table, moves.act(table, one.seat, other, None, holds=True))
                with speaking("de"):  # as a page says it
                    assert in_book(stop.now) in wrong.value.said() or table.is_at_last_stop
        if stop.do:
            change = moves.act(table, one.seat, stop.do, None, holds=True)
            teaching.must_fit(table, change)
            table.commit(change)
        elif number + 1 < len(one.stops):
            table.commit(seating.want_again(table, one.seat))
        while (due := teaching.goes_on(table)) is not None:
            table.commit(due)
    assert table.lesson is one
    assert not table.is_over


class Learner(httpx.Client):
    """Somebody at a page without script."""

    def __init__(self, house: Server, game: str) -> None:
        super().__init__(base_url=house.url, follow_redirects=True, headers={"Accept": "text/html"})
        self.page = self.post(f"/learn/{game}", data={"pace": "0.0001"}).text
        self.code = there(re.search(r'data-table="(\w+)"', self.page))[1]

    def comes_to(self, number: int) -> str:
        """Wait for a stop; return its page."""

        def is_there() -> bool:
            self.page = self.get(f"/t/{self.code}").text
            return f'data-stop="{number}"' in self.page

        wait_until(is_there)
        return self.page

    def does(self, **form: str) -> str:
        self.page = self.post(f"/t/{self.code}/do", data=form).text
        return unescape(self.page)

    def offered(self) -> list[str]:
        buttons = re.findall(r"<button [^>]*>", self.page)
        legal = [one for one in buttons if re.search(r'class="[^"]*\blegal\b', one)]
        return [unescape(found[1]) for one in legal if (found := re.search(r'name="action" value="([^"]+)"', one))]


def answers(page: str) -> str:
    return there(re.search(r'<div id="answer"[^>]*>(.*?)</div>', page))[1]


def passes(learner: Learner, number: int, stop: LessonStop) -> None:
    """Come to a stop, try what is forbidden and what is not asked for, and go on."""
    learner.comes_to(number)
    if stop.wrong:
        assert f"({stop.refused})" in answers(learner.does(action=stop.wrong))
    others = [name for name in learner.offered() if name != stop.do]
    if others:
        assert "For now" in answers(learner.does(action=others[0]))
    learner.does(action=stop.do) if stop.do else learner.does(do="again")


@pytest.mark.parametrize("game", the_rest_long(GAMES, ["diamonds"]))
def test_a_lesson_runs_to_its_end_on_a_page_without_script(tmp_path: Path, game: str) -> None:
    """What it says and points at is on its board, as above.  The server goes in the middle, and when it comes back the
    lesson is where it was."""
    one, house = taught(game), Server(tmp_path / "p.db")
    try:
        with contextlib.closing(Learner(house, game)) as learner:
            for number, stop in enumerate(one.stops[:-1], 1):
                if number == 4:
                    learner.comes_to(4)
                    house = house.again()
                passes(learner, number, stop)
            end = learner.comes_to(len(one.stops))
            form = end.partition(f'action="/play/{game}"')[2].partition("</form>")[0]
            sent = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form))
            opened = httpx.post(f"{house.url}/play/{game}", data=sent).headers["location"]
            played = house.tables.live[httpx.get(f"{house.url}{API}/tables/{opened[3:]}").json()["table"]].table.game
            assert (played.players, played.options) == (one.game.players, one.game.options), "as it was taught"
            assert "http-equiv" not in end, "nobody has to hurry"
    finally:
        house.stop()


def test_nobody_else_learns_and_nothing_is_lost(house: Server) -> None:
    with contextlib.closing(Learner(house, "diamonds")) as learner, httpx.Client(base_url=house.url) as other:
        learner.comes_to(1)
        front = learner.get("/").text
        assert ": lesson</h2>" in front, "it is found again"
        assert f'href="/t/{learner.code}">Go on playing</a>' in front
        seen = other.get(f"/t/{learner.code}?watch=yes").text
        assert 'data-stop="' not in seen
        sits = other.post(f"{API}/tables/{learner.code}/seats", json={"name": "Zoé"})
        assert "closed to takeovers" in sits.json()["sentence"]
        learner.does(do="again")
        learner.comes_to(2)
        assert "For now, go on" in answers(learner.does(do="undo"))
        assert "For now: Dig in pile 5" in answers(learner.does(do="again"))
        learner.does(action="dig 4")
        assert "spade" in learner.comes_to(3)


def test_terms_that_contradict_a_lesson_are_refused(house: Server) -> None:
    wrong = ({"game": "sampler"}, "no lesson of Sampler"), ({"game": "diamonds", "players": 3}, "leave out")
    for terms, sentence in wrong:
        answer = httpx.post(f"{house.url}{API}/tables", json={**terms, "lesson": True, "name": "Zoé"})
        assert sentence in answer.json()["sentence"]


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_runs_to_its_end_at_the_terminal(game: str, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    one, typed = taught(game), ""
    for stop in one.stops[:-1]:
        lines = ([stop.wrong or "next"] if stop.wrong or not stop.do else []) + [stop.do]
        typed += "".join(f"{one.game.definition.sentences.as_typed(line)}\n" for line in lines)
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    code, said, error = says(f"learn {game} --plain --pace 0")
    said = " ".join(said.split())
    assert (code, error, "'next'" in said) == (0, "", False), "whoever is to read on is told how"
    for number, stop in enumerate(one.stops, 1):
        assert f"Step {number} of {len(one.stops)}" in said
        assert not stop.refused or f"({stop.refused})" in said
        asked = cards_written(one.game.definition)(one.game.definition.sentences.as_typed(stop.do))
        assert re.search(rf"Type (\d+ \()?{re.escape(asked)}\)?: ", said) or not stop.do
    assert f"parlour play {game}" in said


def test_the_terminal_names_the_games_that_have_a_lesson(says: Says) -> None:
    for words, sentence in (("learn", "Say which game"), ("learn sampler", "There is no lesson of Sampler")):
        code, _, error = says(words)
        assert (code, sentence in error, "diamonds" in error) == (2, True, True)


UNCOVERED: Final = """() => [...document.querySelectorAll("[data-pointed]")].filter((one, i, all) =>
  one.getClientRects().length || all.every((other) => !other.getClientRects().length)).every((one) => {
  const box = one.getBoundingClientRect(), x = box.left + box.width / 2, own = one.closest(".others");
  return [0.1, 0.5, 0.9].every((part) => {
    const y = box.top + box.height * part, top = document.elementFromPoint(x, y);
    const over = top?.closest(".lesson, .answer, .others");
    return x >= 0 && y >= 0 && x <= innerWidth && y <= innerHeight && (!over || over === own);
  });
})"""
"""Whether everything that a lesson points at is on the screen (a choice may come when its card is picked), and neither
what it says nor a player lies over it."""


AT_THE_EDGE: Final = """() => [...document.querySelectorAll("#play .acts button")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth - 6).map((one) => one.value)"""
"""What is pressed there and touches the edge of the window."""


OVER_THE_TABLE: Final = """(stage) => {
  const box = (one) => one.getBoundingClientRect(), lesson = box(document.querySelector(".strip .lesson"));
  const both = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > 1;
  const meet = (a, b) => both(a, b, "left", "right") && both(a, b, "top", "bottom");
  const players = [...document.querySelectorAll(".others .seat")].map(box);
  const parts = [...document.querySelectorAll("#r-board :is(.seat, .card, button), .stage :is(p, h3, li)")];
  const lies = (one) => stage && one.closest(".stage") && players.some((seat) => meet(box(one), seat));
  return parts.filter((one) => one.checkVisibility()).filter((one) => meet(box(one), lesson) || lies(one))
    .map((one) => (one.getAttribute("aria-label") || one.textContent).trim().slice(0, 40));
}"""
"""What lies under the words of a lesson; ``stage``: or under the players."""


def begins(page: Page, game: str) -> None:
    """A lesson, by keys; its bots do not wait."""
    page.goto(f"/learn/{game}")
    quick = "<input name=pace value=0.0001>"
    page.evaluate(f'document.querySelector("main form").insertAdjacentHTML("beforeend", "{quick}")')
    page.locator("main form button.main").press("Enter")


def goes_on(page: Page, stop: LessonStop, number: int) -> None:
    """Do what a stop asks for, by keys; again, if the page says that it has only just changed."""
    kind, _, amount = stop.do.rpartition(" ")
    button = page.locator(f'#play button[value="{stop.do}"]' if stop.do else "#next-stop").first
    field = page.locator(f'[name="amount {kind}"]')
    card = [word for word in stop.do.split() if page.locator(f'#play input[type=radio][value="{word}"]').count()]
    end = monotonic() + LIMIT
    while monotonic() < end:
        if not page.locator(f'[data-stop="{number - 1}"]').count():
            pass  # it is on its way
        elif card and not button.is_visible():
            page.locator(f'#play input[type=radio][value="{card[0]}"]').first.press("Space")
            button.press("Enter")
        elif stop.do and not button.count():
            field.fill(amount)
            field.press("Enter")
        else:
            button.press("Enter")
        with contextlib.suppress(TimeoutError):
            page.locator(f'[data-stop="{number}"]').wait_for(timeout=700)
            return
    raise AssertionError(f"the lesson does not go on to stop {number}")


HEIGHTS: Final = {360: 740, 390: 844, 1280: 720}
"""Of windows by their width: two phones, a desktop."""
EXAMPLES: Final = {("commit", 360, "de"): 99, ("diamondback", 360, "de"): 99, ("diabolo", 360, "en"): 1,
                   ("matrimony", 390, "de"): 99, ("diamonds", 390, "en"): 99, ("dividha", 1280, "en"): 99}  # fmt: skip
"""Lessons that every run looks at, up to a stop: what lay over something there before."""
LOOKS: Final = [
    pytest.param(*look, marks=[] if look in EXAMPLES else [pytest.mark.long])
    for look in product(GAMES, HEIGHTS, languages())
    if look[1:] != (1280, "de")
]


@pytest.mark.parametrize(("game", "width", "language"), LOOKS)
def test_all_is_seen_at_any_stop_and_the_keyboard_is_enough(
    browser: Browser, house: Server, game: str, width: int, language: str
) -> None:
    """No word is cut off or lies over another, and what is pointed at is on the screen.  On a phone what a lesson says
    takes a quarter of the table's room, and nothing lies under the players."""
    phone, faults = PHONE if width < 1280 else {}, {}
    viewport: Any = {"width": width, "height": HEIGHTS[width]}
    stops = taught(game).stops[: EXAMPLES.get((game, width, language))]
    with Person(browser, house, **{**phone, "viewport": viewport}, locale=language) as zoe:
        page = zoe.page
        page.set_default_timeout(20_000)
        page.emulate_media(reduced_motion="reduce")
        begins(page, game)
        for number, stop in enumerate(stops, 1):
            page.locator(f'[data-stop="{number}"]').wait_for()
            zoe.looks()
            found = [fault for fault in page.evaluate(LAYOUT)["faults"] if fault.startswith(("cut", "overlap"))]
            found += page.evaluate(OVER_THE_TABLE, bool(phone))
            assert page.evaluate(UNCOVERED), f"stop {number}"
            if width > 360 and language == "en":
                page.set_viewport_size({"width": 1280, "height": 800})
                found += page.evaluate(LAYOUT)["faults"] + page.evaluate(AT_THE_EDGE)
                page.set_viewport_size(viewport)
            if found:
                faults[number] = found
            if (number, language) == (2, "en"):
                seen = Axe().run(page)
                assert not seen.violations_count, seen.generate_report()
                if game == "diamonds":
                    expect(page.locator("#say")).to_contain_text(stop.now)
            if number < len(stops):
                goes_on(page, stop, number + 1)
        if game == "matrimony":  # each pool says who has won it
            assert page.locator(":is(.layout .won-here, .layout .coins):visible").count() == 5
        if language == "en" and len(stops) > 1:
            expect(page.get_by_role("button", name="Play a game")).to_be_visible()
            expect(page.get_by_text("Read, then press Next.")).to_have_count(0)
    assert faults == {}


@pytest.mark.parametrize("size", [(360, 640), (844, 390), (1280, 800)])
def test_what_is_answered_stands_beside_the_words_of_the_step(
    browser: Browser, house: Server, size: tuple[int, int]
) -> None:
    """Whoever chooses something else still sees what is taught, and the way out."""
    with Person(browser, house, viewport={"width": size[0], "height": size[1]}) as zoe:
        page, stops = zoe.page, taught("hearts").stops
        begins(page, "hearts")
        last = next(number for number, stop in enumerate(stops, 1) if stop.do)
        for number, stop in enumerate(stops[: last - 1], 2):
            goes_on(page, stop, number)
        page.locator("#play button.legal:not([data-pointed])").first.click()
        expect(page.locator("#answer")).to_contain_text("For now")
        zoe.looks()
        for seen in ("#answer", ".lesson .words", ".lesson .step a"):
            expect(page.locator(seen)).to_be_visible()
            expect(page.locator(seen)).to_be_in_viewport()
        assert page.evaluate(LAYOUT)["faults"] == []


BESIDE: Final = """html => {
  const made = document.createElement("div");
  made.innerHTML = html;
  document.querySelector(".strip .lesson").replaceWith(made.querySelector(".lesson"));
  const box = (what) => document.querySelector(".strip .lesson " + what)?.getBoundingClientRect();
  const words = document.querySelector(".lesson .words"), step = box(".step"), on = box(".on"), top = box(".words").top;
  const beside = Math.max(step.right, box(".step a").right);  // what does not fit in its place goes on beyond it
  return [words.scrollHeight - words.clientHeight, step.bottom - top, on ? beside - on.left : 0].map(Math.round);
}"""
"""By how many pixels the words of a stop are longer than their place, and its number lies over them and the buttons."""


def test_every_word_of_a_stop_is_seen_on_a_phone(browser: Browser, house: Server) -> None:
    stops = [(game, number, stop) for game in GAMES for number, stop in enumerate(taught(game).stops, 1)]
    with Person(browser, house, viewport={"width": 360, "height": 740}) as one:
        one.page.goto("/learn/diamonds")
        one.goes_by(one.page.locator("main form button.main"))
        for language in languages():
            one.page.evaluate("(language) => document.documentElement.lang = language", language)
            beyond = one.page.evaluate(f"(all) => all.map({BESIDE})", [as_said(*stop, language) for stop in stops])
            assert {stop[:2]: far for stop, far in zip(stops, beyond, strict=True) if max(far) > 1} == {}


def as_said(game: str, number: int, stop: LessonStop, language: str) -> str:
    one = taught(game)
    with speaking(language):
        aim, say, now = (spoken(in_book(text), NAMES) for text in (one.aim if number == 1 else "", stop.say, stop.now))
        said = StopText(number, len(one.stops), aim, say, now, stop.wrong, bool(stop.do))
        given = {"taught": said, "tries": bool(stop.wrong), "game": game, "code": "ABCDEF"}
        return template("lesson.html").render(**given, players=2, house_rules=())
