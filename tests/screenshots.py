"""Pictures of every game's table after a few moves, as wide as a desk's and a phone's screen: ``make screenshots``.

They lie in build/images; the best of them are kept in docs/images.
"""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path
from random import Random

from PIL import Image
from playwright.sync_api import Browser

from page_helpers import Person, a_browser
from parlour.engine.definition import shelf
from room_helpers import Server, running

HERE = Path(__file__).parents[1] / "build" / "images"
SIZES = ({"width": 1280, "height": 900}, {"width": 390, "height": 844})
MOVES = 6
COLOURS = 256


def main() -> None:
    """Take the pictures of each game that is named, or of all."""
    games = sys.argv[1:] or shelf()
    HERE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "p.db") as server, a_browser() as browser:
        for game in games:
            for size in SIZES:
                picture(browser, server, game, size).save(HERE / f"page-{game}-{size['width']}.png", optimize=True)


def picture(browser: Browser, server: Server, game: str, size: dict[str, int]) -> Image.Image:
    """Play a few moves of a game; what the table looks like then."""
    with Person(browser, server, viewport=size) as zoe:
        zoe.opens(game)
        # a match that is over at once shows nothing: then another one, with fewer moves
        for moves in range(MOVES, -1, -1):
            zoe.plays(zoe.by_mouse, Random(game), most=moves)
            zoe.waits()
            if not zoe.is_over():
                break
            zoe.opens(game)
        zoe.page.wait_for_load_state("networkidle")
        zoe.page.mouse.move(0, 0)
        zoe.page.evaluate("scrollTo(0, 0)")
        zoe.looks()
        return Image.open(BytesIO(zoe.page.screenshot())).convert("RGB").quantize(COLOURS, kmeans=3)


if __name__ == "__main__":
    main()
