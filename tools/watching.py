"""What a page shows, measured in a browser: how it tells what happens, and what fits on the screen.

``python -m tools.watching`` measures every game that is named, or all; ``pace`` or ``sizes`` before them does one half.

*Pace*: somebody plays at random with bots, at the pace of a new table and at normal speed, and presses half a second
after they can.  A *beat* is what is shown at once: one event, or several of one kind.  It is seen from the first frame
that shows it to the first frame of the next; a beat that no frame shows counts as 0 ms.  *A choice* is the time from
one choice to the next, *longest* the longest wait for one.  *Busy* is the share of the time in which the main thread of
the page works, *slow* the share of frames, while something is shown, that take longer than 50 ms.

*Sizes*: a table is looked at in ten windows, with two to eight players, by day and in the evening, in every language
and every mode (zoom, text spacing, forced colours, right to left), at moments from the first choice to the end of a
match.  No texts lie on each other or are cut, cards on the stage are large enough, everything that can be done is on
the screen, and own cards stay where they are.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, CDPSession

from parlour.base.languages import languages
from parlour.engine.definition import definition, shelf
from tests.page_helpers import Person, a_browser
from tests.room_helpers import Server, running
from tests.server.page.test_page_fits import MODES, WINDOWS, looks, moved, wrong
from tools.slow_line import most_of

SECONDS: Final = 60
"""How long each game is watched."""
PLAYERS: Final = {"pope_joan": 4, "commit": 6, "diabolo": 5, "dividha": 6, "matrimony": 5}
"""How many play where most can be told; in other games as many as is usual."""
AT_ONCE: Final = 2
"""Games that are watched at the same time."""
MOST: Final = 8
"""The most players with whom sizes are measured."""
UNSEEN, SHORT = 100, 350
"""Milliseconds: what is shown for less is not seen, or can't be followed."""
PLAYS: Final = """let able = 0;
setInterval(() => {
  if (typeof playing === "undefined" || playing || document.querySelector(".sent")) { able = 0; return; }
  const press = (found) => found.length && !found[Math.floor(Math.random() * found.length)].click();
  const on = document.querySelectorAll("#go-on-deal:enabled, #again:enabled");
  const isAsked = document.querySelector("#r-strip .now.mine");
  const mine = isAsked ? document.querySelectorAll("#play button.legal") : [];
  if (window.stopped || !(on.length || mine.length)) { able = 0; return; }
  able ||= performance.now();
  if (performance.now() - able < 500) return;
  if (!on.length) window.seen?.choices.push([able, performance.now()]);
  able = 0;
  press(on.length ? on : mine);
}, 50);"""
"""Somebody who plays at random, soon after they can."""
WATCHES: Final = """addEventListener("DOMContentLoaded", () => {
  const seen = window.seen = { beats: [], frames: [], choices: [], since: performance.now() };
  let coming = [], now = null, last = performance.now();
  document.addEventListener("parlour:beat", (event) => coming.push(event.detail.say));
  const frame = () => {
    const at = performance.now();
    if (playing) seen.frames.push(at - last);
    if (coming.length) {
      if (now) seen.beats.push([now.say, at - now.at]);
      seen.beats.push(...coming.slice(0, -1).map((say) => [say, 0]));
      now = { say: coming.at(-1), at };
      coming = [];
    }
    last = at;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""
"""Notes for how long each beat is seen, how long frames take, and when somebody could choose and did."""


def main() -> None:
    """Measure, and print a line for each game (and number of players, and size)."""
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("words", nargs="*", metavar="game", help="`pace` or `sizes` for one half of it; then games")
    said.add_argument("--language", action="append", metavar="TAG", help="for sizes (all languages)")
    said.add_argument("--seconds", type=float, default=SECONDS, help="how long each game is watched")
    wanted = said.parse_args()
    words = wanted.words
    parts = [words.pop(0)] if words[:1] in (["pace"], ["sizes"]) else ["pace", "sizes"]
    if unknown := {*words} - {*shelf()}:
        said.error(f"there is no game {min(unknown)!r}; choose from: {', '.join(shelf())}")
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "p.db") as server, a_browser() as browser:
        if "pace" in parts:
            pace(browser, server, words or shelf(), wanted.seconds)
        if "sizes" in parts:
            sizes(browser, server, words or shelf(), wanted.language or languages())


def pace(browser: Browser, server: Server, games: Sequence[str], seconds: float) -> None:
    """The pace at which events are shown."""
    print(
        f"{'game':<12}{'players':>8}{'beats':>7}{f'< {UNSEEN} ms':>10}{f'< {SHORT} ms':>10}{'a choice, s':>13}", end=""
    )
    print(f"{'longest':>9}{'busy':>7}{'slow':>7}")
    for first in range(0, len(games), AT_ONCE):
        with ExitStack() as stack:
            everybody = list[tuple[str, int, Person, CDPSession, float]]()
            for game in games[first : first + AT_ONCE]:
                zoe = stack.enter_context(Person(browser, server, reduced_motion="no-preference"))
                zoe.page.add_init_script(WATCHES)
                zoe.page.add_init_script(PLAYS)
                players = PLAYERS.get(game, min(4, most_of(game)))
                zoe.opens(game, players=players, pace=1.0, beat=1.0)
                line = zoe.context.new_cdp_session(zoe.page)
                line.send("Performance.enable")
                everybody.append((game, players, zoe, line, worked(line)))
            time.sleep(seconds)
            for game, players, zoe, line, before in everybody:
                busy = (worked(line) - before) / seconds
                print(told(game, players, zoe.page.evaluate("seen"), seconds, busy), flush=True)
                assert zoe.complaints == []


def worked(line: CDPSession) -> float:
    """For how many seconds the main thread of a page has worked."""
    return float(
        next(one["value"] for one in line.send("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")
    )


def told(game: str, players: int, seen: dict[str, Any], seconds: float, busy: float) -> str:
    """A line about what was shown of a game."""
    lengths = [ms for _, ms in seen["beats"]]
    pressed = [seen["since"], *(at for _, at in seen["choices"])]
    waits = [(able - before) / 1000 for before, (able, _) in zip(pressed, seen["choices"], strict=False)]
    return (
        f"{game:<12}{players:>8}{len(lengths):>7}{share(lengths, UNSEEN):>10.1%}{share(lengths, SHORT):>10.1%}"
        f"{seconds / max(1, len(waits)):>13.1f}{max(waits, default=seconds):>9.1f}{busy:>7.0%}"
        f"{1 - share(seen['frames'], 50):>7.1%}"
    )


def share(lengths: Sequence[float], less: float) -> float:
    """The share of lengths that are less than this."""
    return sum(ms < less for ms in lengths) / max(1, len(lengths))


def sizes(browser: Browser, server: Server, games: Iterable[str], languages: Sequence[str]) -> None:
    """What fits in windows of all sizes: of each game, with two to eight players, the smallest open card on the stage,
    the lowest stage, how far the own cards move, and the number of faults; and then what the faults are."""
    print(f"{'game':<12}{'':<19}" + "".join(f"{f'{w}x{h}':>15}" for w, h in WINDOWS) + "   (px, %, px, faults)")
    for game in games:
        counts = [n for n in definition(game).counts() if n <= MOST]
        seen = [one for n in counts for tag in languages for one in looks(browser, server, game, n, tag)]
        for tag, mode in product(languages, MODES):
            line = ""
            for size in WINDOWS:
                here = [one for one in seen if (one.language, one.mode, one.window) == (tag, mode, size)]
                tables = [[one.tops for one in here if one.players == n] for n in counts]
                card = min((one.card for one in here if one.card), default=0)
                stage = min((one.stage for one in here if one.stage), default=0)
                faults = sum(len(one.faults) for one in here)
                line += f"{card:>5}{stage:>3}{max(map(moved, tables)):>3.0f}{faults:>4}"
            print(f"{game:<12}{tag} {mode:<16}{line}", flush=True)
        for fault, places in wrong(seen).items():
            print(f"    {fault}: {len(places)} times, as in {places[0]}", flush=True)


if __name__ == "__main__":
    main()
