"""A table's page on a slow line: requests, bytes and seconds until it is whole.

``python -m tools.slow_line`` measures every game on 50 KB a second with 400 ms of latency.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Browser, Response

from parlour.engine.definition import definition, shelf
from parlour.server.live.identity import COOKIE
from tests.page_helpers import Person, a_browser, under_way
from tests.room_helpers import Server, running

LATENCY, SPEED = 400, 50 * 1024
"""Milliseconds, and bytes a second."""
USUAL: Final = 8
SHOWN: Final = """async () => {
  await document.fonts.ready;
  return [...document.images].filter((one) => one.checkVisibility() && !(one.complete && one.naturalWidth)).length;
}"""


class Loaded(NamedTuple):
    """What the first look at a table took; ``answers``: what came, in order."""

    requests: int
    bytes: int
    seconds: float
    answers: list[Response]


def load(zoe: Person, address: str, latency: int = LATENCY, speed: int = SPEED) -> Loaded:
    """Look at a page for the first time on a slow line."""
    answers, sizes, frames = list[Response](), dict[str, int](), list[int]()

    def keep(answer: Response) -> None:
        answers.append(answer)

    line = zoe.context.new_cdp_session(zoe.page)
    line.send("Network.enable")
    line.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": latency, "downloadThroughput": speed, "uploadThroughput": speed},
    )
    line.on("Network.loadingFinished", lambda done: sizes.update({done["requestId"]: done["encodedDataLength"]}))
    line.on("Network.webSocketFrameReceived", lambda got: frames.append(len(got["response"]["payloadData"])))
    zoe.page.on("response", keep)
    began = time.perf_counter()
    zoe.page.goto(address, wait_until="load")
    missing = zoe.page.evaluate(SHOWN)
    seconds = time.perf_counter() - began
    assert not missing, "pictures that have not come"
    line.detach()
    zoe.page.remove_listener("response", keep)
    return Loaded(len(answers), int(sum(sizes.values()) + sum(frames)), seconds, answers)


def most_of(game: str) -> int:
    """The greatest number of players of a game that is usual: Matrimony can be played by 26."""
    return max(n for n in definition(game).counts() if n <= USUAL)


def first_look(browser: Browser, server: Server, game: str, players: int, **how: int) -> Loaded:
    """The first look of somebody who has just sat down at a table, in the middle of a match."""
    with Person(browser, server, cold=True) as zoe:
        made = server.make(game, record=under_way(game, players=players), players=players)
        zoe.context.add_cookies([{"name": COOKIE, "value": made["token"], "url": server.url}])
        return load(zoe, f"/t/{made['table']}", **how)


def main() -> None:
    """Print a table, a game a line."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "p.db") as server, a_browser() as browser:
        print(f"{'game':<14}{'players':>8}{'requests':>10}{'KB':>8}{'seconds':>10}")
        for game in shelf():
            for players in sorted({definition(game).counts()[0], most_of(game)}):
                requests, size, seconds, _ = first_look(browser, server, game, players)
                print(f"{game:<14}{players:>8}{requests:>10}{size / 1024:>8.1f}{seconds:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
