"""What the page's script puts together is what somebody finds who opens the page afresh; and how much a page takes."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest
from jinja2 import TemplateNotFound
from jinja2.meta import find_undeclared_variables
from markupsafe import Markup
from msgspec import structs

import parlour
from parlour.base.errors import ParlourError
from parlour.base.languages import speaking
from parlour.engine.definition import definition, games, shelf
from parlour.engine.telling import View
from parlour.rules.vocabulary import EVERYBODY
from parlour.server.common import wire
from parlour.server.common.limits import BoundedCache
from parlour.server.live import moves, proof, seating
from parlour.server.live.idempotency import Once
from parlour.server.live.live_table import LiveTable
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.page import environment, i18n, pieces, rendering, words
from parlour.server.page import scene as scenes_of_pages
from parlour.server.page.environment import TEMPLATES
from parlour.server.page.page_session import Reader, Story
from parlour.server.page.people import Person
from parlour.server.page.pieces import piece
from parlour.server.page.rendering import STORY, regions
from parlour.server.page.scene import Scene
from parlour.server.page.words import drawing
from parlour.server.store.store import Store
from parlour.server.table import log
from parlour.server.table.table import Change, Table
from tests.games.test_boards import scene
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

    def reload(self) -> None:
        """Open the page afresh: what it shows is not sent once more."""
        session, telling = Session(self.live, "guest"), self.live.table.known.telling(0, 0, True)
        shown = Reader.informed(session, BROWSER).scene()
        self.regions = regions(shown)
        tell_link(self.live)  # before the socket is there
        self.reader = Reader(session, BROWSER, shown.moment, shown.chain)
        for frame in (self.live.about(), telling):
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


def afresh(live: LiveTable, remarks: list[wire.Remark | wire.Notice]) -> dict[str, str]:
    """The regions as somebody finds them who opens the page now."""
    reader = Reader.informed(Session(live, "guest"), BROWSER)
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
    """With steps taken back, remarks, people who come and go, and links.  Pages of this server are given their
    tellings unpacked, in words too, and show the same as one that reads packets."""
    async with table_of(name, tmp_path, Change(log.Sat(0, "Guest", "guest"))) as live:
        screen, random, compared = Screen(live), Random(name), 0
        sessions = [Session(live, key) for key in ("guest", "")]
        pages, others = ([Listener(one.key, True, page=here) for one in sessions] for here in (True, False))
        readers, again = ([Reader.informed(one, BROWSER) for one in sessions] for _ in range(2))
        for one in (*pages, *others):
            live.connect(one)
        live.committed(moves.commit_to(live.table, SECRET), None)
        for _ in range(STEPS):
            if live.table.is_over:
                break
            change = next_entry(live.table, random)
            is_own = isinstance(change.entry, log.Did) and change.entry.seat == 0  # only that can be taken back
            live.committed(change, "guest 1" if is_own else None)
            if random.random() < 0.5:
                tell_link(live)
            for packet in others[0].packets:
                screen.take(packet)
            for here, other, reader, same in zip(pages, others, readers, again, strict=True):
                unpacked = [frame for frame in map(wire.decode, other.packets) if isinstance(frame, wire.Telling)]
                assert [reader.hear(one) for one in here.tellings] == [same.hear(one) for one in unpacked]
                here.tellings, other.packets, compared = [], [], compared + len(unpacked)
            if random.random() < 0.1 or proof.owes_link(live.table):
                screen.reload()
            assert plain(screen.regions) == afresh(live, screen.reader.remarks)
    assert screen.additions > 0
    assert compared > 10 or name == "kuhn"


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
        told = f"{live.table.seats[0].name} raises", "You raise", "You call"
        live.committed(Change(log.Sat(0, "Guest", "guest")), None)
        assert [one in story() for one in (*told, "Guest")] == [True, False, False, False]
        live.committed(moves.act(live.table, 1, "raise", SECRET), "friend 1")
        live.committed(moves.act(live.table, 0, "call", SECRET), "guest 1")
        assert [one in story() for one in told] == [True, False, True]
        live.committed(Change(log.Left(0)), None)
        live.committed(Change(log.Sat(0, "Guest", "guest")), None)
        assert [one in story() for one in told] == [True, False, True]


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


FOR_FOUR = [name for name in shelf() if 4 in definition(name).players]


def _scenes(seed: int = 3, moves: int = 30, name: str = "diamondback", watched: bool = False) -> list[Scene]:
    """What each seat's page shows after each of some moves at a table of four, as it is after a telling; ``watched``:
    what a spectator's shows, too."""
    rng, state = Random(seed), parlour.load(name, players=4).new(seed=seed)
    names, scenes = [f"Guest {seat}" for seat in range(4)], list[Scene]()
    state.call_players(names)
    for _ in range(moves):
        who = state.acting[0]
        state.apply(rng.choice(state.legal_actions(who)), who)
        scenes += [scene(state, seat, names) for seat in (*range(4), *[EVERYBODY] * watched)]
    return scenes


def test_a_page_imagines_what_is_hidden_once_for_all_that_its_reader_may_do(monkeypatch: pytest.MonkeyPatch) -> None:
    redeal, made = View.redeal, Counter[int]()
    monkeypatch.setattr(View, "redeal", lambda view, seed: made.update([id(view)]) or redeal(view, seed))
    scenes = _scenes()
    for one in scenes:
        regions(one)
    assert set(made.values()) == {1}
    assert len(made) <= len(scenes) / 4  # only for the reader who is asked


def test_what_all_see_of_the_others_is_drawn_once_for_all_their_pages() -> None:
    """Three pages show the same player in the same way, and most players stay as they are from move to move."""
    scenes = _scenes()
    pieces.made.cache_clear()
    for one in scenes:
        regions(one, ["board"])
    counted = pieces.made.cache_info()
    assert (counted.hits + counted.misses) / len(scenes) < 15
    assert counted.misses / len(scenes) < 2


def test_a_game_s_own_part_of_a_page_is_worked_out_once_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the table and for the notes beside it."""
    own, scenes = drawing("diamondback"), _scenes(moves=5)
    monkeypatch.setattr(own, "board", made := Mock(wraps=own.board))
    for one in scenes:
        regions(one)
    assert made.call_count == len(scenes)


def _forget() -> None:
    """Forget whatever has been made of a page, but not how it is made."""
    for module in (environment, pieces, rendering, i18n, scenes_of_pages, words):
        for name, one in vars(module).items():
            if hasattr(one, "cache_clear") and name not in ("in_language", "macros", "loaded", "drawing"):
                one.cache_clear()
    vars(rendering)["_kept_regions"] = BoundedCache[Hashable, str](room=8 << 20)


def _shown(name: str, afresh: bool) -> list[str]:
    """The regions of pages of all seats and spectators in two languages; ``afresh``: nothing is kept of those
    before."""
    found = list[str]()
    _forget()
    for language in ("en", "de"):
        for n, one in enumerate(_scenes(moves=24, name=name, watched=True)[::4]):
            if afresh:
                _forget()
            with speaking(language):
                found += regions(dataclasses.replace(one, placed=set(), four_colours=n % 2 == 1)).values()
    return found


@pytest.mark.parametrize("name", the_rest_long(FOR_FOUR, ["diamondback", "dividha"]))
def test_what_was_made_for_others_is_never_shown_where_something_else_belongs(name: str) -> None:
    """Parts of a page are made once for all who see the same: whoever sees anything else gets something else, whatever
    pages of other seats, of spectators and in other languages have been made before."""
    alone = _shown(name, afresh=True)
    assert len(alone) > 300
    assert [(a, b) for a, b in zip(alone, _shown(name, afresh=False), strict=True) if a != b] == []


def test_templates_are_ready_before_the_first_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[str]()
    monkeypatch.setattr(type(environment.in_language("de")), "get_template", lambda _, name: made.append(name))
    import_module("parlour.server.site.serving").compile_all(["de"])
    assert {"home.html", "table.html", "replay.html", "mistake.html", *map(environment.board_of, games())} <= {*made}


def test_a_letter_stands_for_whoever_has_no_face() -> None:
    called = [Person(0, name, "", True, False, False, False).initial for name in ("zoé", " 7 of us", "—")]
    assert called == ["Z", "7", "?"]
