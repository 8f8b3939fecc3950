"""Pictures of every game's table after a few moves, at four sizes, by day and in the evening: ``make screenshots``.

They lie in build/images; the best of them are kept in docs/images.  After a game's name a number of players may stand,
as in ``dividha:6``.
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
COLOURS = 256


def main() -> None:
    """Take the pictures of each game that is named, or of all."""
    games = sys.argv[1:] or shelf()
    HERE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "p.db") as server, a_browser() as browser:
        for wanted in games:
            game, _, players = wanted.partition(":")
            for size in SIZES:
                with Person(browser, server, viewport=size) as zoe:
                    plays_a_little(zoe, game, **({"players": int(players)} if players else {}))
                    for theme in THEMES:
                        zoe.page.emulate_media(color_scheme=theme)
                        name = f"page-{game}{players}-{size['width']}-{theme}.png"
                        taken(zoe).save(HERE / name, optimize=True)


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


def taken(zoe: Person) -> Image.Image:
    """A picture of what somebody sees now."""
    zoe.looks()
    return Image.open(BytesIO(zoe.page.screenshot())).convert("RGB").quantize(COLOURS, kmeans=3)


if __name__ == "__main__":
    main()
