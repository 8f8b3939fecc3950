"""A table fills the window: all choices are on the first screen, a hand stays in its place, fingers hit their aim."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from parlour.base.languages import languages
from parlour.core.game import State
from parlour.engine.definition import definition, shelf
from parlour.players.characters import EVERYBODY
from tests.helpers import the_rest_long, there
from tests.page_helpers import (
    PHONE,
    Person,
    Plain,
    asked_in_secret,
    faults_of_size,
    last_choice,
    last_of_a_deal,
    somebody,
    under_way,
    where,
)
from tests.room_helpers import Server

UPRIGHT: Final = (390, 844)
ON_ITS_SIDE: Final = (844, 390)
DESK: Final = (1280, 800)
STILL: Final = 8
"""The most pixels by which the top of the rail, or of the hand on it, may move during a match."""
HIDDEN: Final = """() => [...document.querySelectorAll("#play button.legal")]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const box = one.getBoundingClientRect();
    for (let over = one.parentElement; over && over.id !== "play"; over = over.parentElement) {
      if (getComputedStyle(over).display === "contents" || getComputedStyle(over).overflowY === "visible") continue;
      const clip = over.getBoundingClientRect();
      if (box.bottom > clip.bottom + 8 || box.top < clip.top - 8) return true;
    }
    return false;
  }).map((one) => one.value)"""
"""What can be done but is cut off by what it stands in."""
TOPS: Final = """() => [".rail", ".rail .hand:has(*)"].map((one) => document.querySelector("#r-board " + one))
  .map((one) => one && one.getBoundingClientRect().top)"""
WINDOWS: Final = (
    (390, 664), (393, 659), (375, 553), (360, 640), (320, 568), (844, 340), (820, 1180), (1280, 800), (1440, 900),
    (1920, 1080),
)  # fmt: skip
"""What browsers leave of the screens of phones, tablets and desks."""
LAYOUT: Final = Path(__file__).with_name("layout.js").read_text("utf-8").partition("\n")[2].strip()
"""What nobody should see on a table: texts on each other, cut off or small; buttons outside or too low; cards too
small; a stage of less than 45% of an upright window (unless text is set wider than was meant).  And how wide the
smallest open card on the stage is (px), and how high the stage (% of the window)."""
LONG_WORDS: Final = """() => {
  document.querySelector(".rail .own").textContent = "Everybody has seen your cards. ".repeat(40);
  if (innerHeight > 480) answer("Everybody has seen your cards. ".repeat(12)); // or else the line is beside the hand
}"""
"""As long a text as can stand beside a hand, and above it."""
LONG_CARD: Final = """() => document.querySelectorAll(".acts button:first-of-type").forEach((one) => {
  one.textContent = one.textContent.replace(/[a-z]+ of [a-z]+/i, "Queen of diamonds");
})"""
"""A question about a card is about the one with the longest name."""


def shaped(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("new Promise(requestAnimationFrame)")


def faults(page: Page) -> dict[str, list[str]]:
    """What is wrong with a table on a phone, upright and on its side, and at a desk."""
    found = {}
    for size in (UPRIGHT, ON_ITS_SIDE, DESK):
        shaped(page, size)
        found[f"{size[0]}x{size[1]}"] = page.evaluate(LAYOUT)["faults"] + page.evaluate(HIDDEN)
    return {size: wrong for size, wrong in found.items() if wrong}


MODES: Final = ("", "spacing", "forced colours", "right to left", "zoom")
"""How a table may be looked at: as it is; with the text spacing of WCAG 1.4.12; in colours that the reader forces upon
it; in a language that is written from right to left; at 200%, which is in a window half as wide and high."""
SECRET: Final = "secret question"
EACH: Final = 6
"""The most steps of a showdown that are looked at."""
KEEPS: Final = """() => {
  const puts = put, shows = show;
  let says = [];
  window.kept = [];
  put = (regions, news) => {
    puts(regions, news);
    told.textContent = says.shift() ?? "";
    kept.push(["showdown", main.cloneNode(true)]);
    told.textContent = "";
  };
  show = (regions, news, beats = [], more) => {
    const groups = grouped(beats.map((beat) => ({ beat, regions: {} })));
    says = groups.flatMap((group) => group.map(() => saidOf(beatsOf(group))));
    shows(regions, news, beats, more);
  };
  hurries = true;
}"""
"""From now on the table is kept as it looks after each event, and none of them takes time."""
CHOOSES: Final = """async (action) => {
  if (socket.readyState !== WebSocket.OPEN) await new Promise((done) => socket.addEventListener("open", done));
  const moment = document.querySelector("#play [name=moment]").value;
  press(new URLSearchParams({ moment, action }).toString(), moment);
}"""
LAST: Final = f"""(moment) => {{
  kept.push([moment, main.cloneNode(true)]);
  kept = kept.filter((one, i) => (kept.length - 1 - i) % Math.ceil(kept.length / {EACH}) === 0);
}}"""
SPACED: Final = """* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }
p { margin-bottom: 2em !important; }"""
LOOKS: Final = f"""(mode) => {{
  const layout = {LAYOUT}, hidden = {HIDDEN}, tops = {TOPS}, style = new CSSStyleSheet();
  style.replaceSync(mode === "spacing" ? `{SPACED}` : "");
  document.adoptedStyleSheets = [style];
  document.documentElement.dir = mode === "right to left" ? "rtl" : "ltr";
  return kept.map(([moment, main]) => {{
    document.querySelector("main").replaceWith(main);
    const {{ faults, card, stage }} = layout(mode === "spacing");
    return {{ moment, faults: [...faults, ...hidden().map((one) => `hidden ${{one}}`)], card, stage, tops: tops() }};
  }});
}}"""


class Look(NamedTuple):
    """What a table looks like in a window at one moment: what is wrong with it, how wide the smallest open card on it
    is (px), how high its stage (% of the window), and where the rail and the hand begin (px; none if not there)."""

    players: int
    language: str
    mode: str
    window: tuple[int, int]
    moment: str
    faults: list[str]
    card: int | None
    stage: int | None
    tops: list[float | None]


def looks(
    browser: Browser, house: Server, game: str, players: int, language: str = "en", modes: Iterable[str] = MODES,
    windows: Iterable[tuple[int, int]] = WINDOWS,
) -> Iterator[Look]:  # fmt: skip
    """A table at the first choice, in mid-game, during a secret question, in the showdown of a deal, while it is held,
    and at the end of the match.  In German it is evening."""
    said = {"locale": language, "extra_http_headers": {"Accept-Language": language}}
    with Person(browser, house, color_scheme="dark" if language == "de" else "light", **said) as zoe:
        window = zoe.context.new_cdp_session(zoe.page)
        for moment, record, action in moments(game, players):
            zoe.page.emulate_media(reduced_motion="no-preference")  # or else nobody tells the page what happens between
            zoe.begins(game, record=record, players=players, beat=60 if moment == SECRET else 0.05)
            zoe.page.evaluate(KEEPS)
            if action:
                zoe.page.evaluate(CHOOSES, action)
                zoe.page.locator(".held-say, #r-end h2").first.wait_for()
            zoe.page.emulate_media(reduced_motion="reduce")
            zoe.looks()
            zoe.page.evaluate(LAST, moment)
            for mode in modes:
                zoe.page.emulate_media(forced_colors="active" if mode == "forced colours" else "none")
                zoom = 2 if mode == "zoom" else 1
                for width, height in windows:
                    size = {"width": width // zoom, "height": height // zoom}
                    size |= {"deviceScaleFactor": zoom, "mobile": False}
                    window.send("Emulation.setDeviceMetricsOverride", size)
                    for one in zoe.page.evaluate(LOOKS, mode):
                        yield Look(players, language, mode, (width, height), **one)


def moments(game: str, players: int) -> Iterator[tuple[str, str, str]]:
    """Records of moments at which a table is looked at, and what the first seat then does, if anything."""
    yield "first choice", under_way(game, 0, players), ""
    yield "mid-game", under_way(game, players=players), ""
    if record := asked_in_secret(game, players):
        yield SECRET, record, ""
    if found := last_of_a_deal(game, players):
        yield "end of a deal", *found
    yield "end of the match", *last_choice(game, players)


def moved(tops: Iterable[Sequence[float | None]]) -> float:
    """How far the rail or the hand moves at most, in px."""
    found = 0.0
    for place in zip(*tops, strict=True):
        there = [top for top in place if top is not None]
        found = max(found, max(there) - min(there)) if there else found
    return found


def wrong(looked: Iterable[Look]) -> dict[str, list[str]]:
    """What is wrong with a table, and where; a hand that moves, too."""
    found, tops = defaultdict[str, list[str]](list), defaultdict[str, list[list[float | None]]](list)
    for one in looked:
        where = f"{one.players} players, {one.language}, {one.mode} {one.window[0]}x{one.window[1]}"
        tops[where] += [one.tops] if one.mode != "spacing" else []
        for fault in one.faults:
            found[fault].append(f"{where}, {one.moment}")
    for where, places in tops.items():
        if (far := moved(places)) > STILL:
            found["the hand moves"].append(f"{where}, {far} px")
    return found


@pytest.mark.parametrize(
    ("game", "players", "language", "mode", "window"),
    [("commit", 8, "de", "", (360, 640)), ("dividha", 6, "en", "zoom", (820, 1180))],
)
def test_a_table_can_be_read_in_any_window(
    browser: Browser, house: Server, game: str, players: int, language: str, mode: str, window: tuple[int, int]
) -> None:
    assert wrong(looks(browser, house, game, players, language, [mode], [window])) == {}


@pytest.mark.long
@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", shelf())
def test_a_table_can_be_read_in_every_window(browser: Browser, house: Server, game: str, language: str) -> None:
    """With every number of players up to eight, in every mode."""
    for players in [n for n in definition(game).counts() if n <= 8]:
        assert wrong(looks(browser, house, game, players, language)) == {}


NAMES_CUT: Final = """() => [...document.querySelectorAll("#r-board .seat .name")]
  .filter((one) => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.textContent)"""


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["newmarket"]))
def test_the_name_of_a_bot_is_never_cut_off(browser: Browser, house: Server, game: str) -> None:
    """Not even on the narrowest phone, beside all the others."""
    zoe = somebody(browser, house)
    zoe.page.set_viewport_size({"width": 320, "height": 640})
    for players in definition(game).counts():
        zoe.opens(game, record=under_way(game, players=players), players=players, bots=EVERYBODY, pace=60)
        zoe.looks()
        assert zoe.page.evaluate(NAMES_CUT) == [], players


ANSWERED: Final = """() => {
  answer("A hint.");
  const place = document.getElementById("answer"), text = document.createRange();
  text.selectNodeContents(place);
  const { left, top, width, height } = text.getBoundingClientRect();
  return place.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""
"""Whether an answer is seen."""


def test_many_choices_are_on_the_first_screen(browser: Browser, house: Server) -> None:
    """Diabolo with the most players; a joker, with which both others can be stolen from and switched with: that is
    rare; and a secret question, which is rare, too, and says more than others."""
    zoe, most = somebody(browser, house), max(definition("diabolo").counts())
    zoe.begins("diabolo", record=under_way("diabolo", players=most), players=most)
    assert faults(zoe.page) == {}
    zoe.page.locator(".pick input").first.evaluate("(one) => one.click()")
    for window in ((360, 740), ON_ITS_SIDE):
        shaped(zoe.page, window)
        assert zoe.page.evaluate(ANSWERED), "the buttons of a card that is picked lie over a hint"

    def may_do_all(state: State, names: list[str]) -> bool:
        return list(state.acting) == [0] and sum(one.startswith(("steal", "switch")) for one in names) == 4

    zoe.begins("diamonds", record=where("diamonds", may_do_all, 3))
    assert zoe.page.locator("#play button.legal[value^=steal], #play button.legal[value^=switch]").count() == 4
    assert faults(zoe.page) == {}
    for question in ("comet", "take Td"):
        zoe.begins("commit", record=asked_in_secret("commit", 8, question), players=8, beat=60)
        assert zoe.page.locator("#play button.legal").count() == 2
        zoe.page.evaluate(LONG_CARD)
        assert faults(zoe.page) == {}


def test_what_is_said_beside_a_hand_does_not_move_it(browser: Browser, house: Server) -> None:
    """However long that is, at a desk and on a phone."""
    zoe = somebody(browser, house)
    zoe.begins("commit")
    seen = {size: list[list[float | None]]() for size in (DESK, UPRIGHT, ON_ITS_SIDE)}
    for _ in range(2):
        for size, tops in seen.items():
            shaped(zoe.page, size)
            tops.append(zoe.page.evaluate(TOPS))
        zoe.page.evaluate(LONG_WORDS)
    assert max(map(moved, seen.values())) < STILL


def test_a_phone_shows_what_the_others_did_and_that_somebody_has_spoken(browser: Browser, house: Server) -> None:
    """A long word stays in the panel of the chat, where nothing lies on the quick phrases: not even the ring of the
    field that has the focus."""
    with Person(browser, house, **PHONE) as zoe, Person(browser, house) as abe:
        abe.sits_at(zoe.opens("diamonds", record=under_way("diamonds", players=3)))
        zoe.waits()
        did = zoe.page.locator(".seats .did").filter(has_text=re.compile(r"\w"))
        expect(did).not_to_have_count(0)
        for line in did.all():
            expect(line).to_be_in_viewport(ratio=1)
        expect(zoe.page.locator("#unread")).to_have_text("")
        abe.remarks("Donaudampfschifffahrtsgesellschaft" * 4)
        expect(zoe.page.locator("#unread")).to_have_text("1")
        expect(zoe.page.locator("#unread")).to_be_in_viewport()
        zoe.turns_to("people")
        expect(zoe.page.locator("#unread")).to_have_text("")
        drawer = zoe.page.locator("#people-drawer")
        expect(drawer.locator(".remarks")).to_contain_text("Donau")
        assert drawer.evaluate("one => one.scrollWidth <= one.clientWidth")
        zoe.turns_to_the_chat().focus()
        phrases, field = (drawer.locator(one).bounding_box() for one in ("[popovertarget=phrases]", "#remark"))
        assert there(field)["y"] - there(phrases)["y"] - there(phrases)["height"] > 5
        assert zoe.complaints == abe.complaints == []


COVERED: Final = """() => {
  const box = (one) => one.querySelector(".card, .gem").getBoundingClientRect();
  const shown = [...document.querySelectorAll(".rail .hand > li")];
  const diamond = (one) => one?.querySelector("[data-key^=D]");
  return shown.flatMap((one, i) => !shown[i + 1] || (diamond(one) && diamond(shown[i + 1]))
    || box(one).right <= box(shown[i + 1]).left + 1 ? [] : [i]);
}"""
"""What a player owns that lies over what comes next; only diamonds may, over diamonds."""


def test_missing_diamonds_are_not_under_those_one_has(browser: Browser, house: Server) -> None:
    """However many they are: one sees at a glance how many are still to be found."""

    def has_six(state: State, _: list[str]) -> bool:
        view = state.view(0).observation()
        return list(state.acting) == [0] and len(view["diamonds"][0]) == 6 and view["spade"][0] != "none"

    zoe = somebody(browser, house)
    zoe.begins("diamonds", record=where("diamonds", has_six), pace=60)
    for size in (DESK, (980, 800), UPRIGHT, ON_ITS_SIDE):
        shaped(zoe.page, size)
        assert zoe.page.locator(".rail .wanted").count() == 1
        assert zoe.page.evaluate(COVERED) == [], size


CUT: Final = """() => [...document.querySelectorAll("[data-hinted]")].filter((one) => {
  const top = one.getBoundingClientRect().top + parseFloat(getComputedStyle(one, "::before").top);
  for (let over = one.parentElement; over; over = over.parentElement)
    if (getComputedStyle(over).overflowY !== "visible" && over.getBoundingClientRect().top > top + .5) return true;
  return false;
}).length"""
"""How many tags of hints are cut off at their top by something around them."""


def test_neither_the_coins_of_the_pot_nor_the_tag_of_a_hint_are_cut_off(browser: Browser, house: Server) -> None:
    zoe = somebody(browser, house)
    zoe.begins("dividha")
    zoe.page.evaluate("document.querySelector('.acts button.legal').dataset.hinted = 'Hint'")
    zoe.page.evaluate("document.querySelector('.amount button.legal').dataset.hinted = 'Hint'")
    for size in (UPRIGHT, DESK):
        shaped(zoe.page, size)
        coins = zoe.page.locator(".heap .coin:visible").all()
        assert len(coins) > 2
        for coin in coins:
            expect(coin).to_be_in_viewport(ratio=0.98)
        assert zoe.page.evaluate(CUT) == 0


def measured(page: Page) -> list[dict[str, object]]:
    """What does not fit on a page as it is, and with everything unfolded."""
    as_it_is = faults_of_size(page)
    page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
    return [one for one in (as_it_is, faults_of_size(page)) if one]


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["commit", "diamonds"]))
def test_a_phone_scrolls_nothing_sideways_and_fingers_hit_their_aim(browser: Browser, house: Server, game: str) -> None:
    """House rules, the rule book, and a table as it begins and in play, where all that one may do is on the first
    screen and covers no card."""
    zoe = somebody(browser, house, phone=True)
    zoe.page.set_viewport_size(PHONE["viewport"])
    zoe.begins(game)
    assert measured(zoe.page) == [], "at its beginning"
    zoe.begins(game, record=under_way(game))
    assert zoe.page.evaluate(UNDER_SOMETHING) == []
    assert zoe.page.evaluate(LOWEST) <= PHONE["viewport"]["height"]
    assert measured(zoe.page) == [], "in play"
    for address in (f"/new/{game}", f"/rules/{game}"):
        zoe.page.goto(address)
        assert measured(zoe.page) == [], address


def test_the_front_page_and_all_of_its_menu_fit_a_phone(browser: Browser, house: Server) -> None:
    zoe = somebody(browser, house, phone=True)
    zoe.page.set_viewport_size({"width": 360, "height": 480})
    zoe.page.goto("/")
    assert measured(zoe.page) == []
    zoe.page.locator(".looks summary").tap()
    assert measured(zoe.page) == [], "the menu"
    expect(zoe.page.locator(".menu")).to_be_in_viewport(ratio=1)
    for button in zoe.page.locator(".menu button:visible").all():
        button.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport(ratio=1)
    zoe.closes_the_menu()


FULL = """() => [...document.querySelectorAll(".top .tool, .top summary, .house")]
  .filter((one) => one.checkVisibility())
  .map((one) => [one.id || one.className || one.localName, one.getBoundingClientRect()])
  .filter(([name, box]) => box.left < document.querySelector(".when").getBoundingClientRect().right - 1
    ? name !== "house" : box.right > innerWidth + 1)
  .map(([name]) => name)"""
"""What stands in the bar of a table and lies over the title, or beyond the edge."""


def test_on_a_phone_rules_are_in_the_bar_and_an_invitation_is_near(browser: Browser, house: Server) -> None:
    """At most: where there is room it is in the bar too, unless somebody else plays, to whom one may say something."""
    zoe, widths = somebody(browser, house, phone=True), (360, 412)
    with Person(browser, house) as abe:
        code = zoe.begins("diamondback", record=under_way("diamondback", players=3))
        rules, invite = zoe.page.get_by_role("link", name="Rules"), zoe.page.get_by_role("button", name="Invite")
        for width in widths:
            zoe.page.set_viewport_size({"width": width, "height": 640})
            expect(rules).to_be_in_viewport(ratio=1)
            assert zoe.page.evaluate(FULL) == []
            if not invite.count():
                zoe.turns_to("people")
            invite.last.tap()
            expect(zoe.page.get_by_label("Link", exact=True)).to_be_in_viewport(ratio=1)
            zoe.page.keyboard.press("Escape")
            zoe.page.reload()
        abe.sits_at(code)
        expect(zoe.page.locator("#say-tool")).to_be_visible()
        for width in widths:
            zoe.page.set_viewport_size({"width": width, "height": 640})
            expect(rules).to_be_in_viewport(ratio=1)
            assert zoe.page.evaluate(FULL) == []


UNDER_SOMETHING = """() => [...document.querySelectorAll("#r-board .card")].filter((one) => {
    const box = one.getBoundingClientRect(), x = box.left + 8, y = box.top + 8;
    if (!one.checkVisibility() || y < 0 || y > innerHeight || x > innerWidth) return false;
    const top = document.elementFromPoint(x, y);
    return top && !top.closest(".card") && !top.contains(one);
  }).map((one) => one.getAttribute("aria-label") || one.textContent)"""
"""Cards on the screen whose corner lies under something that is not a card."""
LOWEST = """Math.max(0, ...[...document.querySelectorAll("#play button.legal, #play .pick")]
  .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().bottom))"""


@pytest.mark.parametrize("kind", [Person, Plain])
def test_a_card_that_is_picked_stays_picked(browser: Browser, house: Server, kind: type[Person]) -> None:
    """Enter on it plays nothing, and what says so has it picked; with script, so has a board that is redrawn while you
    think.  Once the card is played, it is no longer picked."""
    with kind(browser, house, **PHONE) as zoe, Person(browser, house) as abe:
        code = zoe.begins("diabolo", record=under_way("diabolo"))
        pick = zoe.page.locator("#play input[type=radio]").last
        value = str(pick.get_attribute("value"))
        pick.check()
        pick.press("Enter")
        expect(zoe.page.locator("#answer")).to_have_text("Choose something first.")
        picked = zoe.page.locator(f"#play input[type=radio][value='{value}']").last
        expect(picked).to_be_checked()
        if kind is Plain:
            return
        abe.sits_at(code)
        expect(zoe.page.locator("#r-board")).to_contain_text("Abe")
        expect(picked).to_be_checked()
        before = zoe.moment()
        zoe.page.locator(f"#play .sides button[value^='place {value}']").first.click()
        zoe.sees_a_change(before)
        expect(zoe.page.locator("#play input[type=radio]:checked")).to_have_count(0)
        assert zoe.complaints == []


CUT_SHORT = """() => [...document.querySelectorAll("#r-strip .now :is(ul, li)")]
  .filter((one) => one.scrollHeight > one.clientHeight + 1).length"""
COVERS = """() => {
  const [said, cards] = ["#answer", ".stage"].map((one) => document.querySelector(one).getBoundingClientRect());
  return Math.max(0, Math.min(said.right, cards.right) - Math.max(said.left, cards.left))
    * Math.max(0, Math.min(said.bottom, cards.bottom) - Math.max(said.top, cards.top));
}"""


def test_what_there_is_to_do_can_be_read_whole_and_answers_cover_no_pile(browser: Browser, house: Server) -> None:
    zoe = somebody(browser, house, phone=True)
    zoe.page.set_viewport_size({"width": 844, "height": 390})
    zoe.begins("diamonds", record=under_way("diamonds"))
    assert zoe.page.evaluate(CUT_SHORT) == 0
    zoe.page.evaluate("answer('Dig in pile 7. That is probably better than “dig in pile 2”, but it isn’t sure.')")
    assert zoe.page.evaluate(COVERS) == 0
    zoe.page.locator("#answer").tap()
    expect(zoe.page.locator("#answer")).to_be_empty()
    zoe.page.set_viewport_size({"width": 390, "height": 844})
    zoe.begins("leduc", record=under_way("leduc"))
    assert zoe.page.evaluate(CUT_SHORT) == 0


COVERED_BY_THE_GUIDE = """() => {
  const box = document.querySelector(".strip .idea").getBoundingClientRect();
  const table = "#r-board :is(.card, .seat, .pot, button, input, select, li, td, h3, p)";
  const parts = [...document.querySelectorAll(`.top, .rail, ${table}`)]
    .filter((one) => one.checkVisibility() && !one.closest(".rail *") && !one.matches(".acts p")
      && (one.matches(".rail, .seat, button") || !one.querySelector(".card, button, li, p")))
    .map((one) => [one, one.getBoundingClientRect()]).filter(([one, at]) => at.width > 2 && at.height > 2);
  const meets = (at, top) => at.top < top + box.height - 1 && at.bottom > top + 1;
  const under = (top) => parts.filter(([one, at]) => meets(at, top)).map(([one]) => one);
  const called = (one) => one.getAttribute("aria-label") || one.textContent.trim().slice(0, 40);
  let room = false;
  for (let top = 48; top + box.height <= innerHeight; top += 2) room ||= !under(top).length;
  const here = under(box.top);
  const never = here.filter((one) => one.matches(".top, .rail, .others *, .acts *, button"));
  return { here: here.map(called), room, never: never.map(called) };
}"""
"""What the guide lies over, whether it could lie over nothing, and what it must never lie over."""


def is_guided(zoe: Person, game: str) -> None:
    table = f"/t/{zoe.opens(game, record=under_way(game))}"
    zoe.context.add_cookies([{"name": "parlour_guide", "value": "on", "domain": "127.0.0.1", "path": table}])
    zoe.page.goto(table)


@pytest.mark.parametrize("game", the_rest_long(shelf(), ["diabolo"]))
def test_the_guide_covers_nothing_of_the_table_where_there_is_room(browser: Browser, house: Server, game: str) -> None:
    """It lay over the rows of Diabolo, and below it was nothing but felt; nor over the buttons of a card that is
    picked."""
    zoe = somebody(browser, house, phone=True)
    is_guided(zoe, game)
    idea, picked = zoe.page.locator(".strip .idea"), zoe.page.locator("#play input[type=radio]")
    expect(idea.or_(zoe.page.locator("#hint")).first).to_be_visible()
    assert idea.count() or game != "diabolo"
    if idea.count() and picked.count():
        picked.last.check()
        expect(zoe.page.locator("#play .sides button:visible").first).to_be_visible()
        assert zoe.page.evaluate(COVERED_BY_THE_GUIDE)["never"] == []
        zoe.page.reload()
    for _ in range(3):
        if not idea.count():  # there is nothing to explain
            break
        for width, height in ((390, 844), (360, 740)):
            zoe.page.set_viewport_size({"width": width, "height": height})
            zoe.looks()
            found = zoe.page.evaluate(COVERED_BY_THE_GUIDE)
            assert found["never"] == []
            assert not (found["here"] and found["room"]), found["here"]
        clause = zoe.page.locator(".guide [name=clause]").get_attribute("value")
        zoe.page.locator("#next-idea").tap()
        expect(zoe.page.locator(f".guide [name=clause][value='{clause}']")).to_have_count(0)
    assert zoe.complaints == []


def test_what_is_answered_and_what_the_guide_says_are_both_seen(browser: Browser, house: Server) -> None:
    """What is not allowed is refused with its clause."""
    zoe = somebody(browser, house)
    is_guided(zoe, "hearts")
    rule = zoe.page.locator("#answer a")
    for width, height in ((360, 640), (844, 390), (1280, 800)):
        zoe.page.set_viewport_size({"width": width, "height": height})
        zoe.page.reload()
        expect(zoe.page.locator(".strip .idea")).to_be_visible()
        before = zoe.cards()
        zoe.page.locator("#play button.card:not(.legal)").first.click()
        expect(rule).to_be_visible()
        assert zoe.cards() == before
        for seen in ("#answer", ".strip .idea", "#next-idea"):
            expect(zoe.page.locator(seen)).to_be_in_viewport()
        assert [fault for fault in zoe.page.evaluate(LAYOUT)["faults"] if fault.startswith("overlap")] == []
    address = str(rule.get_attribute("href"))
    zoe.page.goto(address)
    expect(zoe.page.locator(f"[id='{address.partition('#')[2]}']")).to_be_visible()
