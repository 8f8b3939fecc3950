"""Pictures of every game's table after a few moves, at four sizes, by day and in the evening: ``make screenshots``.

They lie in build/images; the best of them are kept in docs/images.  After a game's name a number of players may stand,
as in ``dividha:6``.  ``house`` stands for the pages away from a table, at two sizes; ``club`` for those of a club that
has played for a while: a tournament, a duplicate, a past deal of the day, a filled ladder, your own numbers;
``showdown`` for one of Dividha.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

import pytest
from PIL import Image
from playwright.sync_api import Browser

import parlour
from parlour.engine.definition import shelf
from parlour.server.club import daily, duplicate, swiss
from parlour.server.common import clock
from parlour.server.live.identity import COOKIE
from parlour.server.store.history import MatchResult
from parlour.server.store.schema import SEATINGS
from parlour.server.store.traces import Traces
from parlour.server.table.competition_names import after, of_the_day, today
from parlour.server.table.seats import fingerprint
from parlour.server.web.new_table import wanted_table
from tests.page_helpers import Person, a_browser
from tests.room_helpers import Guest, Server, running
from tests.server.club.test_daily import began, table_of
from tests.server.club.test_duplicate import begun, joins
from tests.server.club.test_profile import reader
from tests.server.club.test_swiss import plays_on
from tests.server.page.test_page_deal_end import before_the_end, settles
from tests.waiting import wait_until
from tests.worlds import opened

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
CLUB: Final = {"Zoé": 3, "Abe": 5, "Cleo": 4, "Dora": 2, "Emil": 4, "Finn": 1, "Greta": 5, "Hugo": 3, "Ines": 2}
"""The members of the club, and how well they play."""
TOKENS: Final = {who: urlsafe_b64encode(sha256(who.encode()).digest()[:24]).decode() for who in CLUB}
ZOE: Final = TOKENS["Zoé"]
SECRET: Final = sha256(b"7").digest()
"""The cards of a past day: a match of some length."""
DAY = 86400.0


def main() -> None:
    """Take the pictures of each game that is named, or of all."""
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("games", nargs="*", metavar="game", help="house, club, showdown, or a game; all if none is given")
    apart = {"house": takes_the_house, "club": takes_the_club, "showdown": takes_a_showdown}
    games = said.parse_args().games or [*apart, *shelf()]
    if unknown := {wanted.partition(":")[0] for wanted in games} - {*apart, *shelf()}:
        said.error(f"there is no game {min(unknown)!r}; choose from: {', '.join([*apart, *shelf()])}")
    HERE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "p.db") as server, a_browser() as browser:
        for wanted in games:
            game, _, players = wanted.partition(":")
            if game in apart:
                apart[game](browser, server)
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
            takes_pages(zoe, "house", there, size["width"])
            zoe.page.goto("/learn/diamonds")
            zoe.goes_by(zoe.page.get_by_role("button", name="Begin"))
            takes(zoe, f"house-lesson-{size['width']}")


def takes_a_showdown(browser: Browser, server: Server) -> None:
    """Take pictures of a showdown of Dividha, after the cards were turned."""
    for size in SIZES:
        with Person(browser, server, viewport=size) as zoe:
            zoe.opens("dividha", record=before_the_end("dividha", "shows")[0])
            settles(zoe, "dividha", "shows")
            zoe.page.mouse.move(0, 0)
            takes(zoe, f"showdown-{size['width']}")


def takes_the_club(browser: Browser, _server: Server) -> None:
    """Take pictures of what a club has played together, as Zoé sees it, and of the way to carry it elsewhere."""
    with a_club() as (server, pages):
        for size in (SIZES[0], SIZES[2]):
            with Person(browser, server, viewport=size) as zoe:
                known = {COOKIE: ZOE, "parlour_name": "Zoé"}
                zoe.context.add_cookies([{"name": name, "value": known[name], "url": server.url} for name in known])
                takes_pages(zoe, "club", pages, size["width"])
                zoe.page.goto("/you")
                zoe.goes_by(zoe.page.get_by_role("button", name="Use it on another device"))
                takes(zoe, f"club-carry-{size['width']}", whole=True)


@contextlib.contextmanager
def a_club() -> Iterator[tuple[Server, dict[str, str]]]:
    """A server at which a club has played for a while, and is playing; the pages to look at, by name."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(daily, "PACE", 0.0)
        for module in (swiss, duplicate):
            patch.setattr(module, "wanted_table", lambda **said: wanted_table(**said, pace=0.0))
        with running(Path(folder) / "p.db") as server:
            pages = {"you": "/you", **has_played(server), "swiss-form": "/swiss"}
            for name, under_way in (("swiss", True), ("swiss-over", False)):
                pages |= {f"{name}{which}": address for which, address in a_tournament(server, under_way).items()}
            pages |= duplicates(server) | a_past_day(server, patch)
            yield server, pages


def a_tournament(server: Server, under_way: bool) -> dict[str, str]:
    """An evening of Leduc poker, in the third of four rounds or over: its page and its host's."""
    with reader(server) as host:
        terms = {"title": "Friday at the Red Lion", "game": "leduc", "size": 2, "rounds": 4 if under_way else 3}
        place = host.post("/swiss", data=terms).headers["location"]
        page = place.rpartition("/host")[0]
        code = page.rpartition("/")[2]
        for name in CLUB:
            with reader(server, TOKENS[name]) as guest:
                assert guest.post(f"{page}/join", data={"name": name}).status_code == 303
        for n in (1, 2, 3):
            host.post(f"{place}/start", data={"round": n})
            playing = [*CLUB]
            if n == 3 and under_way:
                playing = [
                    who for table in _round(host, page) if "Zoé" not in table["players"] for who in table["players"]
                ][:4]
            plays_on(server, code, [TOKENS[who] for who in playing])
            if not (n == 3 and under_way):
                wait_until(lambda: all(table["points"] for table in _round(host, page)))
                assert host.post(f"{place}/close").status_code == 303
    return {"": page, "-host": place}


def _round(host: Any, page: str) -> list[Any]:
    """The tables of a tournament's last round."""
    tables: list[Any] = host.get(f"{page}/standings.json").json()["played"][-1]["tables"]
    return tables


def duplicates(server: Server) -> dict[str, str]:
    """A duplicate that Zoé still plays, one whose scores she sees, and one of two people at each table."""
    pages = {}
    for name, people, game in (("running", 1, "matrimony"), ("sheet", 1, "matrimony"), ("seats", 2, "newmarket")):
        code, guests = begun(server, ZOE, game=game, people=people, deals=3), [*CLUB][: 4 * people]
        for n in range(4):
            here, table = guests[n * people : (n + 1) * people], ""
            for who in here:
                table = joins(server, code, TOKENS[who], who, table)
            if name != "running" or n in (1, 2):
                play(server, table, [TOKENS[who] for who in here])
        pages[f"duplicate-{name}"] = f"/duplicate/{code}"
    return pages


def a_past_day(server: Server, patch: pytest.MonkeyPatch) -> dict[str, str]:
    """Yesterday's deal of Diamonds, which Zoé and others have played, and the strongest bot since."""
    day = today(clock.wall())
    server.tables.competitions.begin(of_the_day(day, "diamonds"), "", SECRET)
    for who in [*CLUB][:5]:
        play(server, began(server, TOKENS[who], who, "diamonds"), [TOKENS[who]])
    with reader(server, ZOE) as zoe:
        wait_until(lambda: zoe.get("/daily/diamonds").text.count("<bdi>") >= 5)
        patch.setattr(clock, "wall", lambda: time.time() + DAY)
        assert today(clock.wall()) == after(day, 1)
        end = time.monotonic() + 600
        while "against the same bots" not in zoe.get(f"/daily/diamonds/{day}").text:
            assert time.monotonic() < end, "the strongest bot does not play"
            time.sleep(1)
    return {"daily-past": f"/daily/diamonds/{day}"}


def play(server: Server, table: str, tokens: list[str]) -> None:
    """Let guests play a match to its end, each as chance has it."""

    def plays(token: str) -> None:
        random = Random(token)
        with Guest(server, table_of(server, table, token)["table"], token) as guest:
            while True:
                told = guest.told(lambda told: bool(told.choices) or told.over)
                if told.over:
                    return
                guest.ask("act", action=random.choice(told.choices).name)
                guest.told(lambda later, before=told.version: later.version != before)  # type: ignore[misc]

    with ThreadPoolExecutor(len(tokens)) as pool:
        list(pool.map(plays, tokens))


def has_played(server: Server) -> dict[str, str]:
    """What everybody has played in the last weeks: matches of three games, against bots, characters and one another."""
    store, random, members = server.tables.store, Random(7), [*CLUB]
    bots = {"random": "Hazel", "search": "Otto", "dash": "Dash", "constance": "Constance", "minerva": "Minerva"}
    for n in range(240):
        game = random.choice(["diamondback", "diamondback", "diamonds", "hearts"])
        players = 4 if game != "diamonds" else 2
        guests = random.sample(members, random.choice([1, 1, 2] if players > 2 else [1]))
        kinds = random.sample(sorted(bots), players - len(guests))
        names, skill = [*guests, *(bots[kind] for kind in kinds)], [*(CLUB[who] for who in guests), *(3 for _ in kinds)]
        sheet = [[50] * players] if game == "diamondback" else [[0] * players]
        for _ in range({"diamondback": 8, "diamonds": 1, "hearts": 5}[game]):
            worst = sorted(range(players), key=lambda p: skill[p] + random.gauss(0, 3))
            brings = {"diamondback": [-4, -2, -1, 7], "hearts": [15, 7, 4, 0], "diamonds": [-1, 1]}[game]
            sheet.append([had + brings[worst.index(p)] for p, had in enumerate(sheet[-1])])
        better = -1 if game == "hearts" else 1
        places = [1 + sum(better * other > better * mine for other in sheet[-1]) for mine in sheet[-1]]
        at, table = time.time() - (240 - n) * 3 * 3600.0, f"past {n}"
        gains = [last - first for first, last in zip(sheet[0], sheet[-1], strict=True)] if len(sheet) > 2 else []
        found = {
            fingerprint(TOKENS[who]): MatchResult(
                at=at, game=game, code="", match=1, names=names, bots=[*("" for _ in guests), *kinds], seat=seat,
                places=places, gains=gains, returns=[float(one) for one in sheet[-1]],
                sheet=sheet if len(sheet) > 2 else [],
            )
            for seat, who in enumerate(guests)
        }  # fmt: skip
        store.make(table, table.upper(), opened(parlour.load(game, players)), "a", 3600)
        rows = [{"table_id": table, "guest": guest, "at": at} for guest in found]
        store.transact(lambda connection, rows=rows: connection.execute(store.statements.insert_once(SEATINGS), rows))  # type: ignore[misc]
        Traces(store).keep_results(table, 1, found)
    for who in members:
        server.tables.competitions.climb(fingerprint(TOKENS[who]), who)
    return {
        "ladder": "/ladder/diamondback",
        "numbers": "/you/diamondback",
        "numbers-diamonds": "/you/diamonds",
        "numbers-hearts": "/you/hearts",
    }


def takes_pages(zoe: Person, where: str, pages: dict[str, str], width: int) -> None:
    """Take pictures of whole pages, whose addresses are given by name."""
    for name, address in pages.items():
        answer = zoe.page.goto(address)
        assert answer is not None, address
        assert answer.ok, address
        takes(zoe, f"{where}-{name}-{width}", whole=True)


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


def plays_a_little(zoe: Person, game: str, **wanted: Any) -> None:
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
