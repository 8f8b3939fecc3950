"""What tests of the page share: one browser, a house full of tables, a person with a mouse, keys, or forms only."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from random import Random
from typing import Any, Final, Self

from playwright.sync_api import (
    Browser,
    BrowserContext,
    FilePayload,
    Locator,
    Page,
    Position,
    TimeoutError,
    expect,
    sync_playwright,
)

import parlour
from parlour import CHANCE
from parlour.core.game import State
from parlour.server.web.api import API
from tests.room_helpers import Server
from tests.waiting import LIMIT

NO_BROWSER: Final = (
    "The tests of the page need Chromium: install it (on Debian: apt-get install chromium-headless-shell) "
    "or say where it is in PARLOUR_CHROMIUM."
)
SWITCHES: Final = (
    "--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-background-networking",
    "--disable-component-update", "--no-first-run", "--host-resolver-rules=MAP cards.test 127.0.0.1",
)  # fmt: skip
LONG: Final = LIMIT * 1000
"""Milliseconds after which something that a test waits for counts as never happening."""
SOON: Final = 10_000.0
"""Milliseconds for which a person tries to press a button before checking whether it is still there."""
expect.set_options(timeout=LONG)


MOMENT: Final = """["strip", "board", "held", "story", "end"].map((name) => document.getElementById("r-" + name))
  .map((one) => one.textContent + [...one.querySelectorAll("button.legal")].map((button) => button.value)).join()"""
"""What there is to read and to press at a table."""
OFFERED: Final = """() => document.querySelector("#r-strip .now.mine")
  ? [...document.querySelectorAll("#play button.legal")].map((one) => one.value) : null"""
"""What can be pressed, seen in one look; null if it is not this player's turn."""
HERE: Final = """wanted => {
  const one = document.activeElement, is = (other) => other.matches("#play button.legal") && other.value === wanted;
  if (is(one)) return "it";
  if (one.localName === "summary" && !one.parentElement.open)
    return [...one.parentElement.querySelectorAll("button")].some(is) ? "cover" : "";
  return one.type === "radio" ? "radio" : "";
}"""
"""What has the focus, for a person who looks for a button (however often the table is redrawn)."""
CHROMIUM: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""What it is called.  The first is Chromium without what a screen needs, and takes a third less of the processor."""
HELD_THE_KING = """parlour record 1
game: kuhn
rules: 1
players: 2

chance: K
chance: Q
0: pass
1: bet
"""
"""The first seat, who cannot lose, has been bet against."""


def chromium() -> str:
    """The machine's Chromium; it is an error if there is none."""
    found = os.environ.get("PARLOUR_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert found, NO_BROWSER
    return found


@contextlib.contextmanager
def a_browser() -> Iterator[Browser]:
    """A browser, for as long as the block lasts."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(SWITCHES), timeout=LONG)
        yield browser
        browser.close()


LOOKED: Final = """async () => {
  await document.fonts.ready;
  const ends = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(ends.map((one) => one.finished));
}"""
"""Everything that changes how a page looks by itself is over."""
CARDS = """() => [...document.querySelectorAll("#r-board .card")].map((one) => one.getAttribute("aria-label"))"""
"""What the pictures of cards on the board are called, all at one moment."""
SEED: Final = 3


@cache
def under_way(game: str, steps: int = 40, players: int | None = None) -> str:
    """The record of a game in which the first seat has to choose, and no other, for all to notice: the last such moment
    in ``steps`` steps of the game (or the first one there is), the same every time."""
    found = ""
    for state in _at_random(game, players):
        if len(state.history) > steps and found:
            break
        if list(state.acting) == [0] and not state.hushed:
            found = state.record()
    return found


@cache
def last_choice(game: str, players: int | None = None) -> tuple[str, str]:
    """The record of a game in which only the first seat has to choose, and a choice after which the match is over,
    whatever chance may bring (as far as a dozen attempts can tell)."""
    for seed in range(200):
        *_, over = _at_random(game, players, seed)
        last = over.at(max(n for n, step in enumerate(over.history) if step.player != CHANCE))
        for action in last.legal_actions(0) if list(last.acting) == [0] and not last.hushed else ():
            if all(_ends(last.record(), action, Random(attempt)) for attempt in range(12)):
                return last.record(), last.name_of(action)
    raise AssertionError(game)


def _ends(record: str, action: int, random: Random) -> bool:
    """Whether the match is over when the first seat has done that, and chance something."""
    state = parlour.replay(record)
    state.apply(action, 0)
    while state.current_player == CHANCE:
        state.apply(random.choice(state.chance_outcomes())[0])
    return state.is_terminal


@cache
def last_of_a_deal(game: str, players: int | None = None) -> tuple[str, str] | None:
    """The record of a game in which only the first seat has to choose, and a choice that ends a deal after which others
    follow: the one with most to tell in a few matches.  None if there is no such deal."""
    found = list[tuple[int, str, str]]()
    for seed in range(3):
        *_, over = _at_random(game, players, seed)
        for deal in over.deals[:-1]:
            last = max(n for n, step in enumerate(over.history[: deal.steps]) if step.player != CHANCE)
            before = over.at(last)
            if list(before.acting) == [0] and not before.hushed:
                follow = deal.events - len(before.ledger.events)
                found.append((follow, before.record(), before.name_of(over.history[last].action)))
    return max(found)[1:] if found else None


def where(game: str, is_so: Callable[[State, list[str]], bool], players: int | None = None) -> str:
    """The record of a match in which something is so, of its state and of all that may be done there."""
    for seed in range(400):
        for state in _at_random(game, players, seed):
            if is_so(state, [state.name_of(a) for seat in state.acting for a in state.legal_actions(seat)]):
                return state.record()
    raise AssertionError(game)


@cache
def asked_in_secret(game: str, players: int | None = None, question: str = "") -> str:
    """The record of a game in which the first seat is asked in secret (and may do this); empty if there is none."""
    for seed in range(SEED, 20):
        for state in _at_random(game, players, seed):
            if state.hushed and list(state.acting) == [0]:
                legal = [state.name_of(action) for action in state.legal_actions(0)]
                if not question or question in legal:
                    return state.record()
    return ""


@cache
def finished(game: str) -> str:
    """The record of the same game to its end."""
    *_, last = _at_random(game)
    return last.record()


def _at_random(game: str, players: int | None = None, seed: int = SEED) -> Iterator[State]:
    """A match in which everybody chooses at random: each moment of it."""
    state = parlour.load(game, players=players).new(seed=seed)
    random = Random(game if seed == SEED else f"{game} {seed}")
    yield state
    while not state.is_terminal:
        seat = random.choice(state.acting)
        state.apply(random.choice(state.legal_actions(seat)), seat)
        yield state


DESK: Final = {"width": 1280, "height": 720}
"""As large as a browser's window is if nobody says anything else."""
PHONE: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
"""A context as small as a phone, for fingers."""
SMALLEST: Final = 44
"""The least width and height of what a finger must hit, in CSS pixels."""
TARGETS: Final = "button, select, summary, input:not([type=hidden]), a.quiet, a.tool, a.house, a.go"
"""What fingers must hit; links in the middle of a sentence are as high as its lines."""
OVERLAPPED: Final = 24
"""The least width of what is seen of a card in a hand, where many lie in a row."""
SIDEWAYS: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FAULTS_OF_SIZE: Final = f"""() => {{
  const scrolls = (over) => over
    && (["auto", "scroll"].includes(getComputedStyle(over).overflowX) || scrolls(over.parentElement));
  const box = (one) => one.getBoundingClientRect(), labelled = ["checkbox", "radio"];
  const target = (one) => box(labelled.includes(one.type) ? one.labels[0] ?? one : one);
  const called = (one) => (one.textContent || one.getAttribute("aria-label") || one.name).trim().slice(0, 30);
  const seen = [...document.querySelectorAll("{TARGETS}")].filter((one) => one.tabIndex >= 0 && one.checkVisibility());
  const beyond = ({{ left, right }}) => left < -1 || right > innerWidth + 1;
  const small = ([, {{ width, height }}, least]) => height < {SMALLEST} - 0.5 || width < least - 0.5;
  return {{
    "scrolls sideways": {SIDEWAYS},
    "beyond the edge": seen.filter((one) => !scrolls(one.parentElement) && beyond(box(one))).map(called),
    "too small": seen.map((one) => [one, target(one), one.closest(".hand") ? {OVERLAPPED} : {SMALLEST}]).filter(small)
      .map(([one, {{ width, height }}]) => `${{called(one)}}: ${{width}} x ${{height}}`),
  }};
}}"""


def faults_of_size(page: Page) -> dict[str, object]:
    """What does not fit on a page, or is too small for a finger."""
    return {name: beyond for name, beyond in page.evaluate(FAULTS_OF_SIZE).items() if beyond}


OUT_OF_REACH: Final = """(what) => [...document.querySelectorAll(what)].filter((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  const here = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return !one.contains(here) || Math.min(left, top) < 0 || right > innerWidth || bottom > innerHeight;
}).map((one) => one.value || one.textContent.trim())"""
"""What does not lie wholly in the window and over everything else."""
SEEN: Final = """(one) => {
  const seen = one.getBoundingClientRect();
  for (const part of [0.5, 0.25, 0.75, 0.1, 0.9]) {
    const x = seen.width * part, y = seen.height / 2;
    if (one.contains(document.elementFromPoint(seen.left + x, seen.top + y))) return { x, y };
  }
  return null;
}"""
"""Where something lies over everything else, from its corner; null if nowhere."""


Press = Callable[[Locator], None]
"""How somebody presses a button."""


class GoneError(AssertionError):
    """What somebody was about to press is not there; this is not a fault if the table has changed in the meantime."""


class Window:
    """A browser's window, and what it had to say about faults of the pages it has shown."""

    def __init__(self, browser: Browser, looks: dict[str, Any]) -> None:
        self.browser, self.looks, self.complaints, self.is_changed = browser, looks, list[str](), False
        self.context: BrowserContext = browser.new_context(**looks)
        self.context.set_default_timeout(LONG)
        self.page: Page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self.complaints.append(said.text) if _is_fault(said.text) else None)
        self._undone = contextlib.ExitStack()
        undoing, changing, clock = self._undoing, self._changing, self.context.clock
        for part, name, how in (
            (self.page, "add_init_script", undoing), (self.context, "add_init_script", undoing),
            (self.page, "route_web_socket", changing), (self.context, "new_cdp_session", changing),
            (clock, "install", changing),
        ):  # fmt: skip
            setattr(part, name, how(getattr(part, name)))

    def _undoing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Take back what is done to the window when somebody leaves it."""
        return lambda *given, **named: self._undone.enter_context(call(*given, **named))

    def _changing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Note when something is done to the window that cannot be taken back."""

        def noted(*given: Any, **named: Any) -> Any:
            self.is_changed = True
            return call(*given, **named)

        return noted

    def is_emptied(self) -> None:
        """Leave the page, and forget all that a server or a test has left here."""
        for page in self.context.pages:
            if page != self.page:
                page.close()
        self._undone.close()
        self.page.unroute_all(behavior="ignoreErrors")
        self.context.unroute_all(behavior="ignoreErrors")
        self.context.set_offline(False)
        self.page.goto("about:blank")
        self.context.clear_cookies()
        if size := self.looks.get("viewport", DESK):
            self.page.set_viewport_size(size)
        motion, colours = self.looks["reduced_motion"], self.looks.get("color_scheme", "light")
        self.page.emulate_media(reduced_motion=motion, color_scheme=colours, forced_colors="none")
        self.complaints.clear()


EMPTY: Final = list[Window]()
"""Windows that somebody has left, the last one last: each of them has a process, and has read styles and scripts."""
SPARE: Final = 8
"""How many of them are kept."""
THERE: Final = list["Person"]()
"""Everybody who has a window."""


class Person:
    """Somebody with a browser of their own, without anybody else's cookies.  ``complaints``: what the browser had to
    say about the page's own faults (the policy broken, an error of the script).  ``cold``: nothing has been read
    in that browser before."""

    def __init__(self, browser: Browser, server: Server, **context: Any) -> None:
        self.server, cold = server, context.pop("cold", False)
        looks = {"base_url": server.url, "reduced_motion": "reduce", "service_workers": "block", **context}
        EMPTY[:] = [one for one in EMPTY if one.browser == browser]
        found = None if cold else next((one for one in EMPTY if one.looks == looks), None)
        if found:
            EMPTY.remove(found)
        self._window = found or Window(browser, looks)
        THERE.append(self)
        self.context, self.page, self.complaints = self._window.context, self._window.page, self._window.complaints

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        THERE.remove(self)
        if kind or self._window.is_changed or self._window.looks["service_workers"] == "allow":
            self.context.close()
            return
        self._window.is_emptied()
        EMPTY.append(self._window)
        while len(EMPTY) > SPARE:
            EMPTY.pop(0).context.close()

    def opens(self, game: str, name: str = "Zoé", **wanted: Any) -> str:
        """Sit down at a new table with quick bots; its code."""
        quick = {"pace": 0, "beat": 0.05, "grace": 3600, "bots": "random"}
        answer = self.context.request.post(f"{API}/tables", data={"game": game, "name": name, **quick, **wanted})
        assert answer.status == 201, answer.text()
        made = answer.json()
        code = str(made["table"])
        self.page.goto(f"/t/{code}")
        return code

    def begins(self, game: str, name: str = "Zoé", **wanted: Any) -> str:
        """The same, and wait until there is something to do."""
        code = self.opens(game, name, **wanted)
        self.waits()
        return code

    def sits_at(self, code: str, name: str = "Abe", seat: int = 1) -> None:
        """Take a bot's seat at somebody's table."""
        answer = self.context.request.post(f"{API}/tables/{code}/seats", data={"name": name, "seat": seat})
        assert answer.status == 201, answer.text()
        self.page.goto(f"/t/{code}")

    def goes_by(self, button: Locator) -> None:
        """Press a link or a button that leads to another page, and see that page whole."""
        with self.page.expect_navigation(wait_until="load"):
            button.click()
        self.looks()

    def brings(self, text: str, name: str = "game.parlour") -> None:
        """Drop a record on the front page."""
        self.page.goto("/")
        file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        self.page.get_by_label("Record").set_input_files(file)
        self.goes_by(self.page.get_by_role("button", name="Replay"))

    def looks(self) -> None:
        """Wait until styles, pictures and fonts are there, and nothing moves: before, nobody sees the page."""
        self.page.wait_for_load_state("load")
        self.page.evaluate(LOOKED)

    def ends(self, game: str) -> str:
        """Make the last choice of a match, and see its end; the table's code."""
        record, action = last_choice(game)
        code = self.opens(game, record=record)
        self.waits()
        self.does(action)
        self.plays(self.by_mouse, Random(game))  # nothing, unless chance was most unlikely
        return code

    # ------------------------------------------------------------------ what the page shows

    def heading(self) -> str:
        """What the page says about whose turn it is."""
        return self.page.locator("#r-strip .now h2").inner_text()

    def is_over(self) -> bool:
        """Whether the page says that the match is over."""
        return self.page.locator("#r-end h2").count() > 0

    def waits(self) -> None:
        """Wait until there is something to do, or the end."""
        there = self.page.locator("#r-strip .now.mine, #r-end h2, #go-on-deal:enabled")
        there.first.wait_for(state="attached")  # an answer may lie over it
        while not self.page.locator("#r-strip .now.mine, #r-end h2").count():
            self.goes_on()
            there.first.wait_for(state="attached")

    def goes_on(self) -> None:
        """Look at a deal that is over no longer, if one is held.  By Enter: a click that comes too late takes the
        focus away."""
        with contextlib.suppress(TimeoutError):  # somebody else, or time, was quicker
            self.page.locator("#go-on-deal:enabled").press("Enter", timeout=1000)

    def turns_to(self, drawer: str) -> None:
        """Open a drawer of the table, "story" or "people", if it is not open."""
        if not self.page.locator(f"#{drawer}-drawer .close").is_visible():
            self.page.locator(f"#{drawer}-tool").click()

    def turns_to_the_chat(self) -> Locator:
        """Open the chat, and return the field for a message."""
        self.turns_to("people")
        summary = self.page.locator("#people-drawer summary", has_text="Chat")
        if not self.page.locator("#people-drawer details[open] > summary", has_text="Chat").count():
            summary.click()
        return self.page.locator("#remark")

    def remarks(self, text: str) -> None:
        """Write a message in the chat."""
        field = self.turns_to_the_chat()
        field.fill(text)
        field.press("Enter")

    def closes_the_menu(self) -> None:
        """Press Escape, although the focus is elsewhere, as after a touch."""
        self.page.evaluate("document.activeElement.blur()")
        self.page.keyboard.press("Escape")
        expect(self.page.locator(".looks .menu")).to_be_hidden()
        assert self.focused() == "summary"

    def moment(self) -> str:
        """What the table looks like now."""
        return str(self.page.evaluate(MOMENT))

    def offers(self) -> Locator:
        """All that can be done now by pressing a button."""
        return self.page.locator("#play button.legal")

    def cards(self, page: Page | None = None) -> list[str]:
        """What every picture of a card on the board is called, in order."""
        names = (page or self.page).evaluate(CARDS)
        return [str(name) for name in names if name]

    def focused(self) -> str:
        """What has the focus: the name of its element."""
        return str(self.page.evaluate("document.activeElement.localName"))

    # ------------------------------------------------------------------ playing

    def plays(self, press: Press, random: Random, most: int = 100_000, between: Callable[[], object] = int) -> int:
        """Press a legal button whenever one is asked for, until the match is over; return how often.  ``between``: what
        to do each time before choosing."""
        done = 0
        while done < most:
            self.waits()
            if self.is_over():
                break
            between()
            before = self.moment()
            offered = self.page.evaluate(OFFERED)
            if offered is None:  # it was their turn, and no longer is: a question ends when others have answered it
                continue
            assert offered, "nothing to press: " + self.page.locator("#r-board").inner_text()
            wanted = random.choice(offered)
            if self._presses(press, self.page.locator(f'#play button.legal[value="{wanted}"]').first, before):
                done += 1
                self.sees_a_change(before)
        return done

    def _presses(self, press: Press, button: Locator, before: str) -> bool:
        """Press a button, however long it takes; whether it could be pressed before the table changed."""
        end = time.monotonic() + LIMIT
        while True:
            try:
                press(button)
                return True
            except (TimeoutError, GoneError) as gone:
                if self.moment() != before:
                    return False
                if isinstance(gone, GoneError) or time.monotonic() > end:
                    raise

    def sees_a_change(self, before: str) -> None:
        """Wait until the table does not look as before."""
        try:
            self.page.wait_for_function(f"before => ({MOMENT}) !== before", arg=before, polling=20)
        except TimeoutError:
            raise AssertionError(f"nothing happened: {self.page.locator('#answer').inner_text()}") from None

    def does(self, action: str) -> None:
        """Press the button of an action with the mouse."""
        self.by_mouse(self.page.locator(f'#play button.legal[value="{action}"]').first)

    def by_mouse(self, button: Locator) -> None:
        """Press a button with the mouse, where it is seen; open first what hides it."""
        self._uncover(button)
        button.click(timeout=SOON, position=self._seen(button))

    def by_finger(self, button: Locator) -> None:
        """Press a button on a screen that is touched."""
        self._uncover(button)
        button.tap(timeout=SOON, position=self._seen(button))

    def _seen(self, button: Locator) -> Position | None:
        """Where a button can be pressed: of a card that others lie over, an edge is seen."""
        return button.evaluate(SEEN, timeout=SOON)  # type: ignore[no-any-return]

    def _uncover(self, button: Locator) -> None:
        """Make a button seen that is folded away, or that comes when a card is picked."""
        if button.is_visible():
            return
        for hidden in button.locator("xpath=ancestor::details[not(@open)]").all():
            hidden.locator("summary").first.click(timeout=SOON)
        card = _card_of(button)
        if card and not button.is_visible():
            self.page.locator(f"#play input[type=radio][value='{card}']").first.check(timeout=SOON)

    def by_keys(self, button: Locator) -> None:
        """Press a button by keyboard alone: Tab to it, opening what hides it on the way, and Enter."""
        wanted, card = button.get_attribute("value", timeout=SOON), _card_of(button)
        for _ in range(400):
            self.page.keyboard.press("Tab")
            here = self.page.evaluate(HERE, wanted)
            if here == "radio":
                self._picks(card)
            elif here:
                self.page.keyboard.press("Enter")
            if here == "it":
                return
        raise GoneError(f"no Tab leads to {wanted}")

    def _picks(self, card: str) -> None:
        """Go with the arrow keys from one radio button to the one that is wanted."""
        self.page.keyboard.press("Space")
        for _ in range(60):
            if self.page.evaluate("document.activeElement.value") == card:
                return
            self.page.keyboard.press("ArrowDown")
        raise GoneError(f"no arrow leads to {card}")


class Plain(Person):
    """Somebody whose browser runs no scripts: forms and reloading."""

    def __init__(self, browser: Browser, server: Server, **context: Any) -> None:
        super().__init__(browser, server, java_script_enabled=False, **context)

    def waits(self) -> None:
        """Load the page again until there is something to do, or the end."""
        end = time.monotonic() + LIMIT
        while not self.page.locator("#r-strip .now.mine, #r-end h2").count():
            assert time.monotonic() < end, "it is nobody's turn"
            self.page.reload()

    def goes_on(self) -> None:
        """Nothing is held for a reader without script."""

    def turns_to(self, drawer: str) -> None:
        """Follow the link to the page with the drawer open, where one reloads; open it there where none does."""
        link = self.page.locator(f'.top a[href$="open={drawer}"]')
        if link.count():
            self.goes_by(link)
        else:
            super().turns_to(drawer)

    def by_mouse(self, button: Locator) -> None:
        """Press a button, and see the page that comes."""
        self._uncover(button)
        with self.page.expect_navigation():
            button.click(timeout=SOON, no_wait_after=True, position=self._seen(button))


@lru_cache(3)
def somebody(browser: Browser, house: Server, phone: bool = False, language: str = "en-US") -> Person:
    """Somebody for all tests that only look: for one who stays, the browser has read styles and scripts already.  They
    leave with the house."""
    return Person(browser, house, **(PHONE if phone else {}), locale=language)


def all_leave() -> None:
    """Whoever is still there leaves."""
    somebody.cache_clear()
    for one in [*THERE]:
        one.__exit__(None)


def _card_of(button: Locator) -> str:
    """The card that an action like "place Y3 left" is about; "" if it names none."""
    words = (button.get_attribute("value", timeout=SOON) or "").split()
    return words[1] if len(words) == 3 else ""


def _is_fault(text: str) -> bool:
    return bool(re.search(r"Content Security Policy|Uncaught|Refused to", text))
