"""What the page's script has put together from changes is what somebody finds who opens the page afresh."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jinja2 import TemplateNotFound
from jinja2.meta import find_undeclared_variables
from markupsafe import Markup
from msgspec import structs

import parlour
from parlour.base.errors import ParlourError
from parlour.engine.definition import shelf
from parlour.server.common import wire
from parlour.server.live import moves, proof, seating
from parlour.server.live.idempotency import Once
from parlour.server.live.live_table import LiveTable
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.page.environment import TEMPLATES
from parlour.server.page.page_session import Reader, Story
from parlour.server.page.pieces import piece
from parlour.server.page.rendering import STORY, regions
from parlour.server.store.store import Store
from parlour.server.table import log
from parlour.server.table.table import Change, Table
from tests.helpers import the_rest_long
from tests.worlds import BROWSER, Listener, opened

SECRET = bytes(32)
STEPS = 150


class Screen:
    """What the script of the page has before it."""

    def __init__(self, live: LiveTable) -> None:
        self.live, self.reader = live, Reader(Session(live, "guest"), BROWSER)
        self.regions: dict[str, str] = {}
        self.additions = 0

    def reload(self, seat: int) -> None:
        """Open the page afresh: what it shows is not sent once more."""
        live, session = self.live, Session(self.live, "guest")
        first = Reader(session, BROWSER)
        for frame in (live.about(), telling := live.table.known.telling(seat, 0, True)):
            first.hear(frame)
        shown = first.scene()
        self.regions = regions(shown)
        tell_link(live)  # before the socket is there
        self.reader = Reader(session, BROWSER, shown.moment, shown.chain)
        for frame in (live.about(), telling):
            change = self.reader.hear(frame) or {}
            assert change.get("regions", {}).keys() <= {"people"}
            assert "news" not in change
            self.regions |= change.get("regions", {})

    def take(self, packet: wire.Packet) -> None:
        """Take in what the page is sent for a packet."""
        change: dict[str, Any] = self.reader.hear(wire.decode(packet)) or {}
        self.regions |= change.get("regions", {})
        if news := change.get("news"):
            self.additions += 1
            head, old = self.regions["story"].split('<ol reversed class="sentences">\n')
            items = (news + old.removesuffix("\n</ol>")).split("<li>")[1 : STORY + 1]
            self.regions["story"] = f'{head}<ol reversed class="sentences">\n' + "".join(f"<li>{one}" for one in items)
            self.regions["story"] += "\n</ol>"


def tell_link(live: LiveTable) -> None:
    """Tell everybody a link of the chain, if it is time for one."""
    if proof.owes_link(live.table):
        live.committed(proof.bind(live.table, SECRET), None)


def plain(html: dict[str, str]) -> dict[str, str]:
    """Regions, without spaces at the ends of lines."""
    return {name: one.replace("\n</ol>", "</ol>").strip() for name, one in html.items()}


def afresh(live: LiveTable, seat: int, remarks: list[wire.Remark | wire.Notice]) -> dict[str, str]:
    """The regions as somebody finds them who opens the page now."""
    reader = Reader(Session(live, "guest"), BROWSER)
    reader.hear(live.about())
    reader.hear(live.table.known.telling(seat, 0, True))
    reader.remarks = remarks
    return plain(regions(reader.scene()))


@asynccontextmanager
async def table_of(game: str, folder: Path, *changes: Change) -> AsyncIterator[LiveTable]:
    """A table in the hands of a test, at which this has happened."""
    tables = Tables(Store(f"sqlite:///{folder}/log.db"))
    live = LiveTable(tables, "table", "CODE", None, Table(opened(parlour.load(game))), Once())
    for change in changes:
        live.committed(change, None)
    yield live
    await tables.close()


def next_entry(table: Table, random: Random) -> Change:
    """Something that may happen at a table."""
    chance = random.random()
    try:
        if chance < 0.06:
            return moves.undo(table, 0)
        if chance < 0.1:
            return seating.say(table, 0, f"Well, {random.randrange(100)} <b>&</b> so on.")
        if chance < 0.13:
            return Change(log.Left(1)) if table.seats[1].key else Change(log.Sat(1, "Zoé", "friend"))
    except ParlourError:
        pass
    if table.waits_for_chance or not table.has_begun:
        return moves.go_on(table, SECRET, {})
    seat = random.choice(table.asked)
    action = random.choice(table.known.question(seat)[1])
    return moves.act(table, seat, table.game.action_names[action], SECRET, False)


@pytest.mark.parametrize("name", the_rest_long(shelf(), ["diamondback", "diamonds", "dividha", "kuhn"]))
async def test_changes_add_up_to_the_page(name: str, tmp_path: Path) -> None:
    """With steps taken back, remarks, people who come and go, and links told at any time."""
    async with table_of(name, tmp_path, Change(log.Sat(0, "Guest", "guest"))) as live:
        listener = Listener("guest", True)
        live.connect(listener)
        screen, random = Screen(live), Random(name)
        live.committed(moves.commit_to(live.table, SECRET), None)
        for _ in range(STEPS):
            if live.table.is_over:
                break
            change = next_entry(live.table, random)
            is_own = isinstance(change.entry, log.Did) and change.entry.seat == 0  # only that can be taken back
            live.committed(change, "guest 1" if is_own else None)
            if random.random() < 0.5:
                tell_link(live)
            for packet in listener.packets:
                screen.take(packet)
            listener.packets.clear()
            if random.random() < 0.1 or proof.owes_link(live.table):
                screen.reload(0)
            assert plain(screen.regions) == afresh(live, 0, screen.reader.remarks)
    assert screen.additions > 0


@pytest.mark.parametrize("name", the_rest_long(shelf(), ["diamondback"]))
async def test_a_page_here_shows_what_one_shows_that_reads_packets(name: str, tmp_path: Path) -> None:
    """Pages of this server are handed their tellings unpacked, in words too; every byte is the same."""
    async with table_of(name, tmp_path, Change(log.Sat(0, "Guest", "guest"))) as live:
        pages = [Listener(key, True, page=True) for key in ("guest", "")]
        others = [Listener(one.key, True) for one in pages]
        for one in (*pages, *others):
            live.connect(one)
        readers = [Reader(Session(live, one.key), BROWSER) for one in (*pages, *others)]
        for reader in readers:
            reader.hear(live.about())
        live.committed(moves.commit_to(live.table, SECRET), None)
        random, compared = Random(name), 0
        for _ in range(STEPS):
            for here, other, reader, again in zip(pages, others, readers[:2], readers[2:], strict=True):
                unpacked = [frame for frame in map(wire.decode, other.packets) if isinstance(frame, wire.Telling)]
                assert [reader.hear(one) for one in here.tellings] == [again.hear(one) for one in unpacked]
                compared += len(unpacked)
                for one in (here, other):
                    one.packets.clear()
                    one.tellings.clear()
            if live.table.is_over:
                break
            live.committed(next_entry(live.table, random), None)
    assert compared > 10


def test_all_that_is_told_of_another_match_is_new() -> None:
    """However much there was to tell of the one before."""
    story, told = Story(), Table(opened(parlour.load("leduc"))).known.telling(0)
    a, b, c = (wire.Sentence(text=text, clause="", event="", who=0, a=0, b=0) for text in "abc")
    heard = [structs.replace(told, match=match, heard=n, new=new) for match, n, new in ((1, 2, [a, b]), (2, 1, [c]))]
    assert [story.hear(one) for one in heard] == [([a, b], False), ([c], False)]
    assert story.hear(structs.replace(heard[1], heard=2, new=[b])) == ([b], True)
    assert story.sentences == [c, b]


async def test_what_was_done_before_one_sat_down_is_not_told_as_ones_own(tmp_path: Path) -> None:
    """It is told of the bot, on the page and when it comes; what the guest does then is theirs. Whoever comes back to a
    seat finds what they did there as their own."""
    async with table_of("leduc", tmp_path, Change(log.Sat(1, "Friend", "friend"))) as live:

        def story() -> str:
            return Markup(regions(Reader.informed(Session(live, "guest"), BROWSER).scene())["story"]).striptags()

        live.committed(moves.commit_to(live.table, SECRET), None)
        live.committed(moves.go_on(live.table, SECRET, {}), None)
        live.committed(moves.act(live.table, 0, "raise", SECRET), None)
        bot = live.table.seats[0].name
        live.committed(Change(log.Sat(0, "Guest", "guest")), None)
        assert f"{bot} raises" in story()
        assert "You raise" not in story()
        assert "Guest" not in story()
        live.committed(moves.act(live.table, 1, "raise", SECRET), "friend 1")
        live.committed(moves.act(live.table, 0, "call", SECRET), "guest 1")
        assert "You call" in story()
        assert f"{bot} raises" in story()
        live.committed(Change(log.Left(0)), None)
        live.committed(Change(log.Sat(0, "Guest", "guest")), None)
        assert "You call" in story()
        assert "You raise" not in story()


async def test_who_did_not_do_it_is_told_that_a_move_was_taken_back(tmp_path: Path) -> None:
    """It may have been their turn for a moment."""
    seated = [Change(log.Sat(seat, key.title(), key)) for seat, key in enumerate(("guest", "friend"))]
    async with table_of("leduc", tmp_path, *seated) as live:
        live.committed(moves.commit_to(live.table, SECRET), None)
        live.committed(moves.go_on(live.table, SECRET, {}), None)
        live.committed(moves.act(live.table, 0, "raise", SECRET), "guest 1")
        readers = [Reader.informed(Session(live, key), BROWSER) for key in ("guest", "friend")]
        live.committed(moves.undo(live.table, 0), "guest 2")
        mine, theirs = (one.hear(live.table.known.telling(seat, 0, True)) or {} for seat, one in enumerate(readers))
        assert theirs["toast"] == theirs["say"] == "A move was taken back."
        assert "toast" not in mine
        live.committed(moves.act(live.table, 0, "call", SECRET), "guest 3")
        assert "toast" not in (readers[1].hear(live.table.known.telling(1, 0, True)) or {})


def test_what_was_html_once_is_text_another_time() -> None:
    """The same letters, already HTML and not: two pieces."""
    assert "<b>x</b>" in piece("coins", 1, Markup("<b>x</b>"))
    assert "&lt;b&gt;x&lt;/b&gt;" in piece("coins", 1, "<b>x</b>")
    assert "<b>x</b>" in piece("coins", 1, Markup("<b>x</b>"))


def test_a_piece_sees_nothing_but_what_it_is_given() -> None:
    """However a board uses it: the templates of pieces know no scene, and no board shows them its own."""
    loader, known = TEMPLATES.loader, TEMPLATES.globals.keys()
    assert loader is not None
    seen = 0
    for home in ("", "stops/", *(f"{game}/" for game in shelf())):
        for file in ("pieces.html", "table.html"):
            try:
                source = loader.get_source(TEMPLATES, f"{home}{file}")[0]
            except TemplateNotFound:  # not every game has them
                continue
            assert "with context" not in source
            if file == "pieces.html":
                seen += 1
                assert find_undeclared_variables(TEMPLATES.parse(source)) <= known, home
    assert seen > 2
