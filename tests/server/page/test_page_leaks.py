"""Nothing but what a seat was told reaches it: every byte of frames, pages, replays and reviews is compared."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import parlour
from parlour import CHANCE, Game, ParlourError
from parlour.audit.trails import walk
from parlour.core.game import State
from parlour.core.verifying import verify
from parlour.engine import definition as definitions
from parlour.engine.definition import definition, shelf
from parlour.players.player import Advice
from parlour.rules.vocabulary import SEVERAL
from parlour.server.bots.bots import Bots, Workers
from parlour.server.bots.looking_back import REVIEWED, choices
from parlour.server.bots.reviews import Reviews
from parlour.server.common import wire
from parlour.server.live import moves, proof, seating
from parlour.server.live.live_table import LiveTable
from parlour.server.live.session import Session
from parlour.server.live.tables import Tables
from parlour.server.page.at_table import reload_in
from parlour.server.page.environment import template
from parlour.server.page.page_session import Reader, refusal
from parlour.server.page.pages import common
from parlour.server.page.rendering import context_of, regions
from parlour.server.page.replay import SPECTATOR, Replay, read
from parlour.server.page.replays import _moment
from parlour.server.page.reviewing import fragment
from parlour.server.store.store import Store
from parlour.server.table.seats import NAMES, WATCHER
from parlour.server.table.table import Table
from tests.helpers import the_rest_long
from tests.planted import plant
from tests.worlds import BROWSER, Steps, moments, pairs, settings, told_afresh

WALKS, STEPS, SHADOWS = 3, 14, 2
FEW_WALKS = 2
"""So many in every run, with one other world for each seat that has one (but in games that take no time)."""


def at_the_end(game: Game, steps: Steps) -> State:
    state = game.new()
    for who, a in steps:
        state.apply(a, None if who == CHANCE else who)
    return state


def frames(tables: Tables, game: Game, steps: Steps, seat: int) -> list[wire.Packet]:
    """Every packet, and the record."""
    packets: list[wire.Packet] = []
    for live, news in moments(tables, game, steps, seat):
        packets += news
    return [*packets, wire.Packet(proof.record(live.table, seat).encode())]


def answers(tables: Tables, game: Game, steps: Steps, seat: int) -> list[object]:
    """What a guest would be answered to whatever they might want: for each number of things that they have noticed, all
    answers that there are while they notice nothing more; but for the last, in whose midst one of two games may end."""
    found: dict[int, set[tuple[str, ...]]] = {}
    names = game.action_names
    some = names[:: -(-len(names) // 3)]
    for live, _ in moments(tables, game, steps, seat) if seat != WATCHER else ():
        table = live.table
        if not table.has_begun or table.closed or (table.state is not None and table.state.current_player == SEVERAL):
            continue  # who has answered a sealed question so far may be seen, and who comes first is chance
        wants: list[Callable[[], object]] = [partial(moves.undo, table, seat), partial(seating.want_again, table, seat)]
        wants += [partial(moves.may, table, seat, name) for name in (*some, "no such thing")]
        found.setdefault(table.known.marks[seat], set()).add(tuple(map(refused, wants)))
    return [*sorted(found.items())[:-1]]


def refused(ask: Callable[[], object]) -> str:
    """The sentence with which something is refused; empty if it is done."""
    try:
        ask()
    except ParlourError as refusal:
        return str(refusal)
    return ""


def pages(tables: Tables, game: Game, steps: Steps, seat: int) -> list[str]:
    """Everything that a page is sent, and its answers to pressing what is not allowed and to asking for advice; at the
    end, the pages that are opened afresh."""
    found, key = list[str](), "guest" if seat != WATCHER else ""
    reading: Reader | None = None
    for live, news in moments(tables, game, steps, seat, items=True):
        reading = reading or Reader(Session(live, key), BROWSER)
        found += [json.dumps(reading.hear(wire.decode(packet))) for packet in news]
        if news:
            found += refusals(live, seat, reading.shown.get("board", ""))
    afresh = Reader(Session(live, key), BROWSER)
    afresh.hear(live.about())
    afresh.hear(wire.decode(told_afresh(live.table, seat)))
    scene, record = afresh.scene(), proof.record(live.table, seat)
    whole = template("table.html").render(
        {**common(BROWSER), **context_of(scene)},
        regions=regions(scene), reload=reload_in(scene, 1.0), several=False, opened="", watching=0,
    )  # fmt: skip
    there = read(record)  # what one reader was told
    account = template("account.html").render(**common(BROWSER), replay=there, what=there.game.definition)
    with pytest.raises(ParlourError) as said:  # what the page about the deal says while a match goes on
        verify(record)
    return [*found, whole, account, str(said.value)]


def refusals(live: LiveTable, seat: int, board: str) -> list[str]:
    """What this seat is answered: why it may not do what it may not, and what its adviser is given to think about."""
    if live.table.state is None or seat not in live.table.asked:
        return []
    view, legal = live.table.known.question(seat)
    asked = [*re.findall(r'name="action" value="([^"]*)"', board), *live.table.game.action_names[:20]]
    said = []
    for name in asked:
        try:
            moves.may(live.table, seat, name)
        except ParlourError as why:
            refused = wire.Refused(id="", sentence=str(why), clause=getattr(why, "clause", ""))
            said.append([str(why), refusal(live.table.game, refused)])
    return [json.dumps([view.dump(), list(legal), said])]


class Unordered(Replay):
    """A replay that does not show who has answered a sealed question so far: they answer in any order."""

    def telling(self, state: State, seat: int) -> wire.Telling:
        told = super().telling(state, seat)
        return structs.replace(told, version=0, asked=[]) if state.current_player == SEVERAL else told


def replay(_: Tables, game: Game, steps: Steps, seat: int) -> list[str]:
    """What a replay of the whole record shows of its last step to who looks from this seat (its news are part of the
    story: how much of it is new there depends on when others answered what is sealed)."""
    there, word = Unordered(at_the_end(game, steps).record()), str(seat) if seat != WATCHER else SPECTATOR
    shown = _moment(there, str(there.stops(word)[-1]), word, False)
    return [str(shown[name]) for name in ("board", "story", "held")]


STEP = re.compile(r"(?<=step[ =])\d+|(?<=Step )\d+|(?<=name=\"step\" value=\")\d+")
"""The number of a step on the page."""
STEPS_ARE_COUNTED = ("hearts", "matrimony")
"""Games in which others stake or pass in secret, in any order and, in Matrimony, in one step or in several: how many
steps there have been need not be secret, since the record shows them."""
ASKED = list[str]()
"""What workers were asked, whole: it leaves the server's process."""


def opinion(told: bytes, legal: Sequence[int]) -> Advice:
    """Advice that depends on every byte that an adviser is told, and that finds fault with nearly any choice."""
    values = {
        a: int.from_bytes(hashlib.sha256(told + bytes([a % 256, a // 256])).digest()[:2], "big") / 65536 for a in legal
    }
    best = max(values, key=lambda a: values[a])
    return Advice(best, "", values, dict.fromkeys(legal, 10_000), 0.0, 1.0)


@pytest.fixture(autouse=True)
def _workers_answer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(self: Workers, question: Any, *about: Any) -> object:
        ASKED.append(repr((question.__name__, *about)))
        _, told, legal = about
        return opinion(told, legal)

    monkeypatch.setattr(Workers, "answer", answer)


async def review(_: Tables, game: Game, steps: Steps, seat: int) -> list[str]:
    """What the page says of one's own choices, before it has begun, after each choice that was looked at, and at the
    end; and what the bot is given to think about."""
    if seat == WATCHER:
        return []
    state = at_the_end(game, steps)
    many = Reviews(Bots())

    async def made() -> Any:
        return choices(game, state.history[:], seat, 0, (), REVIEWED)

    ASKED.clear()
    going, shown = many.begin(("table", 1, "key"), "search:0.3s", seat, made), list[str]()
    while True:
        news = going.news
        shown.append(fragment(going, state, seat, NAMES[: game.players], "/t/TABLES/replay/1"))
        if going.done:
            break
        await news.wait()
    found = [*shown, *ASKED] if ASKED else []  # else there was nothing to look at
    return [STEP.sub("", one) for one in found] if game.id in STEPS_ARE_COUNTED else found


WAYS: dict[str, Any] = {"frames": frames, "answers": answers, "pages": pages, "replay": replay, "review": review}
HIDING = [name for name in shelf() if not definition(name).hides_nothing]
GATE = [name for name in HIDING if name not in ("newmarket", "pope_joan", "hearts")]
"""Those with something of each kind to hide: the others take long to find two worlds of, and are for the long run."""
IN_EVERY_RUN = {
    "pages": ("kuhn", "diabolo", "dividha", "matrimony"), "replay": ("diamondback", "dividha", "kuhn"),
    "review": ("kuhn", "leduc", "diabolo", "matrimony"),
}  # fmt: skip
"""Games of which these are compared in every run; frames and answers are of all of ``GATE``."""
COMPARED = [
    *((name, way, True) for name in GATE for way in WAYS if name in IN_EVERY_RUN.get(way, GATE)),
    *(pytest.param(name, way, False, marks=pytest.mark.long) for name in HIDING for way in WAYS),
]
"""Game by game, since to find two worlds takes longest; with few numbers of players or with all."""


@cache
def twins(game: Game, walks: int, shadows: int) -> list[tuple[int, Steps, Steps]]:
    """Worlds that look the same, two by two."""
    return list(pairs(game, walks, STEPS, shadows))


def apart(
    games: Sequence[Game], way: Any, walks: int = WALKS, shadows: int = SHADOWS, enough: int = 1
) -> list[tuple[Any, ...]]:
    """What a seat is sent by this way that differs between two games that look the same to it."""

    async def play() -> list[tuple[Any, ...]]:
        tables = Tables(Store("sqlite://"))
        compared, found = 0, list[tuple[Any, ...]]()
        for game in games:
            for seat, *both in twins(game, walks, shadows):
                sent = [way(tables, game, steps, seat) for steps in both]
                mine, others = [await one if asyncio.iscoroutine(one) else one for one in sent]
                together = zip(mine, others, strict=False) if way is answers else itertools.zip_longest(mine, others)
                compared += len(mine)
                found += [(game, seat, a, b) for a, b in together if a != b]
        await tables.close()
        assert compared >= enough
        return found

    return asyncio.run(play())


@pytest.mark.parametrize(("name", "way", "few"), COMPARED)
def test_every_byte_is_the_same_in_another_world(name: str, way: str, few: bool) -> None:
    """Of frames and records, of answers (whether a step may be taken back, and why another is refused), of the page
    with its changes, of a replay as the seat saw it, and of a review and what the bot is given to think about."""
    effort = (FEW_WALKS, 1) if few and name not in ("kuhn", "leduc") else (WALKS, SHADOWS)
    # in Matrimony nothing is hidden but stakes, which all lay at once
    found = apart(settings(name, few), WAYS[way], *effort, enough=0 if (way, name) == ("answers", "matrimony") else 5)
    for game in settings(name, few) if name != "matrimony" else ():  # else nothing that players do would be compared
        two = twins(game, *effort)
        assert any(seat != WATCHER and any(who != CHANCE for who, _ in steps) for seat, steps, _ in two), game
    assert not found, found[0]


@pytest.mark.parametrize("name", the_rest_long(HIDING, GATE))
async def test_an_answer_stays_the_same_while_its_guest_notices_nothing(name: str) -> None:
    """Else whoever tries to take a step back would learn that somebody else has begun to choose unseen."""
    tables = Tables(Store("sqlite://"))
    compared, apart = 0, list[str]()
    for game, seed in itertools.product(settings(name, few=True), range(2)):
        last = dict[int, tuple[int, str]]()
        for live, _ in moments(tables, game, tuple(walk(game, seed, 150).trails[-1].steps), WATCHER):
            table = live.table
            for seat in range(game.players) if table.has_begun and not table.closed else ():
                answer, (mark, before) = refused(partial(moves.undo, table, seat)), last.get(seat, (-1, ""))
                if table.known.marks[seat] == mark:
                    compared += 1
                    apart += [f"{game!r}, seat {seat}: {before!r}, then {answer!r}"] if answer != before else []
                last[seat] = table.known.marks[seat], answer
    await tables.close()
    assert not apart, "\n".join(apart[:5])
    assert compared or name not in ("dividha", "hearts")


@pytest.mark.parametrize(
    ("fault", "ways"),
    [
        ("leaking_view", ["frames", "replay", "review"]), ("leaking_event", ["frames"]),
        ("leaking_deal", ["frames", "pages", "replay"]), ("asking_aloud", ["frames"]), ("hush_that_tells", ["frames"]),
        ("sampler", [*WAYS]),
    ],
)  # fmt: skip
def test_leaks_would_be_noticed(fault: str, ways: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing without a leak."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(definitions, "_registered", {**definitions._registered})
    game, many = parlour.load(plant(fault, tmp_path)), (20, 4) if fault == "leaking_event" else (WALKS, SHADOWS)
    for way in ways:  # seldom does somebody keep the comet
        assert bool(apart([game], WAYS[way], *many, enough=0)) == (fault != "sampler"), way


def test_a_refusal_that_tells_too_much_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = moves.may

    def careless(table: Table, seat: int, line: str) -> None:
        if sentence := refused(partial(honest, table, seat, line)):
            raise ParlourError(f"{sentence} {table.known.view(1 - seat).observation()}")

    monkeypatch.setattr(moves, "may", careless)
    for way in (answers, pages):
        assert apart([parlour.load("leduc")], way)
