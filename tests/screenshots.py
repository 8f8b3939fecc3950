"""Pictures of every game's table after a few moves, at four sizes, by day and in the evening: ``make screenshots``.

They lie in build/images; the best of them are kept in docs/images.  After a game's name a number of players may stand,
as in ``dividha:6``.  ``house`` stands for the pages away from a table, at two sizes.
"""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Final, Literal

from PIL import Image
from playwright.sync_api import Browser

from page_helpers import Person, a_browser
from parlour.engine.definition import shelf
from room_helpers import Server, running

HERE = Path(__file__).parents[1] / "build" / "images"
SIZES = (
    {"width": 1280, "height": 800},
    {"width": 1920, "height": 1080},
    {"width": 390, "height": 844},
    {"width": 844, "height": 390},
)
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
MOVES = 6
HOUSE: Final = {
    "front": "/",
    "form": "/new/diamondback?preset=dealers",
    "rules": "/rules/diamonds",
    "learn": "/learn/diamonds",
    "you": "/you",
    "you_game": "/you/kuhn",
    "daily": "/daily",
    "ladder": "/ladder",
    "daily_game": "/daily/diamonds",
    "duplicate": "/duplicate",
    "offline": "/offline",
}
"""The pages of the house, as somebody sees them who has played a match."""
COLOURS = 256


def main() -> None:
    """Take the pictures of each game that is named, or of all."""
    games = sys.argv[1:] or ["house", *shelf()]
    HERE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "p.db") as server, a_browser() as browser:
        for wanted in games:
            game, _, players = wanted.partition(":")
            if game == "house":
                takes_the_house(browser, server)
                continue
            for size in SIZES:
                with Person(browser, server, viewport=size) as zoe:
                    plays_a_little(zoe, game, **({"players": int(players)} if players else {}))
                    takes(zoe, f"page-{game}{players}-{size['width']}")


def takes_the_house(browser: Browser, server: Server) -> None:
    """Take pictures of the pages of the house, of a lesson, and of a replay with a look back."""
    for size in (SIZES[0], SIZES[2]):
        with Person(browser, server, viewport=size) as zoe:
            zoe.opens("kuhn")
            zoe.plays(zoe.by_mouse, Random(1))
            there = {**HOUSE, "replay": f"{zoe.page.url}/replay/1"}
            for name, address in there.items():
                answer = zoe.page.goto(address)
                assert answer is not None, address
                assert answer.ok, address
                takes(zoe, f"house-{name}-{size['width']}", whole=True)
            zoe.page.goto("/learn/diamonds")
            zoe.goes_by(zoe.page.get_by_role("button", name="Begin"))
            takes(zoe, f"house-lesson-{size['width']}")


def takes(zoe: Person, name: str, whole: bool = False) -> None:
    """Take pictures of a page by day and in the evening; ``whole``: all of it, not only what is in sight."""
    for theme in THEMES:
        zoe.page.emulate_media(color_scheme=theme)
        taken(zoe, whole).save(HERE / f"{name}-{theme}.png", optimize=True)


def picture(browser: Browser, server: Server, game: str, size: dict[str, int]) -> Image.Image:
    """Play a few moves of a game; what the table looks like then."""
    with Person(browser, server, viewport=size) as zoe:
        plays_a_little(zoe, game)
        return taken(zoe)


def plays_a_little(zoe: Person, game: str, **wanted: int) -> None:
    """Play a few moves, and stop where there is something to choose."""
    zoe.opens(game, **wanted)
    # a match that is over at once shows nothing: then another one, with fewer moves
    for moves in range(MOVES, -1, -1):
        zoe.plays(zoe.by_mouse, Random(game), most=moves)
        zoe.waits()
        if not zoe.is_over():
            break
        zoe.opens(game, **wanted)
    zoe.page.wait_for_load_state("networkidle")
    zoe.page.mouse.move(0, 0)


def taken(zoe: Person, whole: bool = False) -> Image.Image:
    """A picture of what somebody sees now, or of the whole page."""
    zoe.looks()
    return Image.open(BytesIO(zoe.page.screenshot(full_page=whole))).convert("RGB").quantize(COLOURS, kmeans=3)


if __name__ == "__main__":
    main()
