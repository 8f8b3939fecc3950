"""What a page shows, measured in a browser: how it tells what happens, and what fits on the screen.

``python tests/watching.py`` measures every game that is named, or all; ``pace`` or ``sizes`` before them does one half.

*Pace*: somebody plays at random with the most bots that are usual, at the pace of a new table, and at normal speed.  A
*step* is one change of the table that can be seen: as many events belong to it as have happened since the one before.
*Behind* is how long ago the last event of a telling had come when it was shown.  *Short* is a step that is shown for
less than 350 ms before the next: one that moves something, or one of words alone; *unforced*, how many of these were so
although at most five events waited.  *Undrawn* is what would move something and was only said, because this machine was
too slow to draw it in time.

*Sizes*: the same seat is open in ten windows at once, and one of them plays a match, or the first choices of it.  At
every moment no texts lie on each other or are cut, cards on the stage are large enough, everything that can be done is
on the screen, and own cards stay where they are.  ``--dark`` and ``--language de`` look at it so.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser

from page_helpers import Person, a_browser
from parlour.engine.definition import shelf
from room_helpers import Server, running
from slow_line import most_of
from test_page_fits import HIDDEN, LAYOUT, TOPS, WINDOWS, sizes_of

SECONDS: Final = 40
"""How long each game is watched."""
AT_ONCE: Final = 2
"""Games that are watched at the same time."""
CHOICES: Final = 60
"""The most choices of a match at which sizes are measured."""
SHORT, FEW = 350, 5
"""Milliseconds, and the number of events that can be shown in time without being shortened."""
PLAYS: Final = """setInterval(() => {
  if (typeof playing === "undefined" || playing || document.querySelector(".sent")) return;
  const press = (found) => found.length && !found[Math.floor(Math.random() * found.length)].click();
  const on = document.querySelectorAll("#go-on-deal:enabled, #again:enabled");
  if (!window.stopped) press(on.length ? on : document.querySelectorAll("#r-strip .now.mine") .length
    ? document.querySelectorAll("#play button.legal") : []);
}, 150);"""
"""Somebody who plays at random, as soon as nothing more is shown."""
WATCHES: Final = """addEventListener("DOMContentLoaded", () => {
  const told = [], seen = window.seen = { events: [], behind: [], lengths: [], undrawn: [] };
  const shows = show, plays = play, puts = put, waits = wait, plans = plan;
  let now = {}, moves = true;
  show = (regions, news, beats = []) => {
    const one = { news, events: (news?.match(/<li>/g) ?? []).length, shown: 0, came: performance.now() };
    if (one.events) told.push(one);
    for (const beat of beats) beat.of = one;
    shows(regions, news, beats);
  };
  play = (one) => {
    now = one.beat.of; moves = Boolean(one.beat.board);
    now.shown++; seen.events.push(1);
    return plays(one);
  };
  plan = (...given) => {
    const found = plans(...given);
    if (moves) seen.undrawn.push(!found.draws);
    return found;
  };
  wait = (ms) => {
    const waiting = told.reduce((all, one) => all + one.events - one.shown, 0);
    seen.lengths.push([Math.round(ms), moves, Math.max(now.events, waiting)]);
    return waits(ms);
  };
  put = (regions, news) => {
    puts(regions, news);
    const at = told.findIndex((one) => news && one.news === news);
    if (at < 0) return;
    [now] = told.splice(at, 1); moves = true;
    if (now.events > now.shown) seen.events.push(now.events - now.shown);
    seen.behind.push(performance.now() - now.came);
  };
})"""
"""Notes what is shown: the events of each step, how far behind each telling was, how long the page waited after steps,
whether they moved anything, and how much was to be shown."""
MEASURES: Final = f"""addEventListener("DOMContentLoaded", () => {{
  const layout = {LAYOUT}, hidden = {HIDDEN};
  const seen = window.seen = {{ tops: [], wrong: {{}}, moments: 0, card: Infinity }};
  const look = () => {{
    if (!document.querySelector("#r-board .rail")) return;
    seen.moments++;
    seen.tops.push(({TOPS})());
    const {{ faults, card }} = layout();
    seen.card = Math.min(seen.card, card ?? Infinity);
    const wrong = [...faults, ...hidden().map((what) => `hidden ${{what}}`)];
    for (const one of wrong) seen.wrong[one] = (seen.wrong[one] ?? 0) + 1;
  }};
  const puts = put;
  put = (regions, news) => {{ puts(regions, news); look(); }};
  if (document.querySelector("#r-board .rail")) document.fonts.ready.then(look);
}})"""
"""Notes at every change where the player's own cards are, and what nobody should see (``LAYOUT``)."""


def main() -> None:
    """Measure, and print a line for each game (and number of players, and size)."""
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("words", nargs="*", metavar="game", help="`pace` or `sizes` for one half of it; then games")
    said.add_argument("--dark", action="store_true", help="in the evening")
    said.add_argument("--language", default="en", metavar="TAG", help="in another language")
    wanted = said.parse_args()
    words, look = (
        wanted.words,
        {
            "color_scheme": "dark" if wanted.dark else "light",
            "locale": wanted.language,
            "extra_http_headers": {"Accept-Language": wanted.language},
        },
    )
    parts = [words.pop(0)] if words[:1] in (["pace"], ["sizes"]) else ["pace", "sizes"]
    if unknown := {*words} - {*shelf()}:
        said.error(f"there is no game {min(unknown)!r}; choose from: {', '.join(shelf())}")
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "p.db") as server, a_browser() as browser:
        if "pace" in parts:
            pace(browser, server, words or shelf())
        if "sizes" in parts:
            sizes(browser, server, words or shelf(), look)


def pace(browser: Browser, server: Server, games: Sequence[str]) -> None:
    """How what happens is told."""
    print(f"{'game':<12}{'players':>8}{'steps':>7}{'events a step':>15}{'most':>6}", end="")
    print(f"{'behind, s: p50':>16}{'p95':>6}{'most':>6}{'short: moves':>14}{'words':>7}{'unforced':>10}{'undrawn':>9}")
    everything = list[dict[str, Any]]()
    for first in range(0, len(games), AT_ONCE):
        with ExitStack() as stack:
            everybody = list[tuple[str, Person]]()
            for game in games[first : first + AT_ONCE]:
                zoe = stack.enter_context(Person(browser, server, reduced_motion="no-preference"))
                zoe.page.add_init_script(WATCHES)
                zoe.page.add_init_script(PLAYS)
                zoe.opens(game, players=most_of(game), pace=1.0, beat=1.0)
                everybody.append((game, zoe))
            time.sleep(SECONDS)
            for game, zoe in everybody:
                everything.append(zoe.page.evaluate("seen"))
                print(told(game, str(most_of(game)), everything[-1]), flush=True)
                assert zoe.complaints == []
    print(told("all", "", {name: [n for one in everything for n in one[name]] for name in everything[0]}))


def told(game: str, players: str, seen: dict[str, Any]) -> str:
    """A line about what was shown of a game."""
    events, behind = seen["events"], sorted(ms / 1000 for ms in seen["behind"])
    moves, words = ([each for each in seen["lengths"] if each[1] is is_move] for is_move in (True, False))
    p50, p95 = (behind[int(part * len(behind))] if behind else 0.0 for part in (0.5, 0.95))
    undrawn = sum(seen["undrawn"]) / max(1, len(seen["undrawn"]))
    unforced = sum(ms < SHORT and burst <= FEW for ms, _, burst in seen["lengths"])
    return (
        f"{game:<12}{players:>8}{len(events):>7}{sum(events) / max(1, len(events)):>15.2f}{max(events, default=0):>6}"
        f"{p50:>16.2f}{p95:>6.2f}{max(behind, default=0):>6.2f}{short(moves):>14.0%}{short(words):>7.0%}{unforced:>10}"
        f"{undrawn:>9.1%}"
    )


def short(steps: Sequence[tuple[int, bool, int]]) -> float:
    """The share of steps that are shown only shortly."""
    return sum(ms < SHORT for ms, *_ in steps) / max(1, len(steps))


def sizes(browser: Browser, server: Server, games: Iterable[str], look: dict[str, Any]) -> None:
    """What fits in windows of all sizes: the smallest open card on the stage, how far the own cards move, faults."""
    print(
        f"{'game':<12}{'players':>8}{'choices':>9}"
        + "".join(f"{f'{w}x{h}':>11}" for w, h in WINDOWS)
        + "   (smallest card, px moved, faults)"
    )
    for game in games:
        for players in sorted({sizes_of(game)[0], most_of(game)}):
            choices, found = at_all_sizes(browser, server, game, players, look)
            line = "".join(f"{one['card'] or 0:>5}{moved(one['tops']):>4.0f}{len(one['wrong']):>3}" for one in found)
            print(f"{game:<12}{players:>8}{choices:>9}{line}", flush=True)
            for (width, height), one in zip(WINDOWS, found, strict=True):
                for wrong, times in one["wrong"].items():
                    print(f"    {width}x{height}: {wrong} ({times} times in {one['moments']})", flush=True)


def at_all_sizes(
    browser: Browser, server: Server, game: str, players: int, look: dict[str, Any]
) -> tuple[int, list[dict[str, Any]]]:
    """Play a match in windows of all sizes at once: the number of choices, and what was seen in each."""
    with ExitStack() as stack:
        zoe, *others = [stack.enter_context(Person(browser, server, **window(size), **look)) for size in WINDOWS]
        for one in (zoe, *others):
            one.page.add_init_script(MEASURES)
        address = f"/t/{zoe.opens(game, players=players, pace=0.1)}"
        for one in others:
            one.context.add_cookies([{**each, "url": server.url} for each in keys(zoe)])
            one.page.goto(address)
        zoe.page.evaluate("document.fonts.ready")
        choices = 0
        while choices < CHOICES:
            zoe.waits()
            if zoe.is_over():
                break
            before = zoe.moment()
            if zoe.page.evaluate(PRESS):
                choices += 1
                zoe.sees_a_change(before)
        time.sleep(0.5)
        return choices, [one.page.evaluate("seen") for one in (zoe, *others)]


PRESS: Final = """() => {
  const isAsked = document.querySelector("#r-strip .now.mine");
  const found = isAsked ? [...document.querySelectorAll("#play button.legal")] : [];
  found[Math.floor(Math.random() * found.length)]?.click();
  return found.length;
}"""


def window(size: tuple[int, int]) -> dict[str, Any]:
    """A browser's window, or a phone."""
    is_phone = min(size) < 500
    return {"viewport": {"width": size[0], "height": size[1]}, "is_mobile": is_phone, "has_touch": is_phone}


def keys(zoe: Person) -> list[dict[str, str]]:
    """The cookies by which somebody is known."""
    return [{"name": str(one["name"]), "value": str(one["value"])} for one in zoe.context.cookies()]


def moved(tops: Sequence[Sequence[float | None]]) -> float:
    """How far the rail or the hand has moved at most, in px."""
    found = 0.0
    for place in zip(*tops, strict=True):
        there = [top for top in place if top is not None]
        found = max(found, max(there) - min(there)) if there else found
    return found


if __name__ == "__main__":
    main()
