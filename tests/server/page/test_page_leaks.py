"""Nothing but what a seat was told reaches its page: every byte of HTML is compared."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import parlour
from parlour import CHANCE, Game, ParlourError
from parlour.core.game import State
from parlour.core.verifying import verify
from parlour.engine.definition import definition, shelf
from parlour.rules.vocabulary import SEVERAL
from parlour.server.common import wire
from parlour.server.live import moves, proof
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
from parlour.server.page.scene import Scene
from parlour.server.store.store import Store
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Table
from planted import plant
from tests.helpers import the_rest_long
from tests.worlds import BROWSER, Steps, few_or_all, moments, pairs, settings, told_afresh

WALKS, STEPS, SHADOWS = 3, 14, 1
Opening = Callable[[LiveTable, int], Reader]


def session(live: LiveTable, seat: int) -> Session:
    """The table as the guest of a seat has it, or a spectator."""
    return Session(live, "guest" if seat != WATCHER else "")


def visit(live: LiveTable, seat: int) -> Reader:
    """A reader of a table's page."""
    return Reader(session(live, seat), BROWSER)


def whole(scene: Scene) -> str:
    """The whole page as it is when somebody opens it."""
    return template("table.html").render(
        {**common(BROWSER), **context_of(scene)},
        regions=regions(scene), reload=reload_in(scene, 1.0), several=False, opened="", watching=0,
    )  # fmt: skip


def pages(tables: Tables, game: Game, steps: Steps, seat: int, opening: Opening) -> list[str]:
    """Everything that the page of a seat (or of a spectator) is sent in a game that goes by these steps, and its
    answers to pressing what is not allowed and to asking for advice; at the end, the pages that are opened afresh."""
    found: list[str] = []
    reading: Reader | None = None
    for live, news in moments(tables, game, steps, seat, items=True):
        reading = reading or opening(live, seat)
        for packet in news:
            found.append(json.dumps(reading.hear(wire.decode(packet))))
        if news:
            found += answers(live, seat, reading.shown.get("board", ""))
    afresh = opening(live, seat)
    afresh.hear(live.about())
    afresh.hear(wire.decode(told_afresh(live.table, seat)))
    record = proof.record(live.table, seat)
    return [*found, whole(afresh.scene()), account(record), verdict(record)]


def answers(live: LiveTable, seat: int, board: str) -> list[str]:
    """What this seat is answered: why it may not do what it may not, and what its adviser is given to think about."""
    if live.table.state is None or seat not in live.table.asked:
        return []
    view, legal = live.table.known.question(seat)
    asked = [*re.findall(r'name="action" value="([^"]*)"', board), *live.table.game.action_names[:20]]
    said = []
    for name in asked:
        try:
            moves.may(live.table, seat, name)
        except ParlourError as refused:
            said.append([str(refused), refusal(live.table.game, refused_as(refused))])
    return [json.dumps([view.dump(), list(legal), said])]


def refused_as(why: ParlourError) -> wire.Refused:
    """A refusal as it goes to the page."""
    return wire.Refused(id="", sentence=str(why), clause=getattr(why, "clause", ""))


def account(record: str) -> str:
    """The page of a record that holds what one reader was told."""
    there = read(record)
    return template("account.html").render(**common(BROWSER), replay=there, what=there.game.definition)


def verdict(record: str) -> str:
    """What the page about the deal says while a match goes on."""
    with pytest.raises(ParlourError) as said:
        verify(record)
    return str(said.value)


class Unordered(Replay):
    """A replay that does not show who has answered a sealed question so far: they answer in any order."""

    def telling(self, state: State, seat: int) -> wire.Telling:
        told = super().telling(state, seat)
        return structs.replace(told, version=0, asked=[]) if state.current_player == SEVERAL else told


def seen_again(game: Game, steps: Steps, seat: int) -> list[str]:
    """What a replay of the whole record shows of its last step to who looks from this seat (its news are part of the
    story: how much of it is new there depends on when others answered what is sealed)."""
    state = game.new()
    for who, a in steps:
        state.apply(a, None if who == CHANCE else who)
    there, word = Unordered(state.record()), str(seat) if seat != WATCHER else SPECTATOR
    shown = _moment(there, str(there.stops(word)[-1]), word, False)
    return [str(shown[name]) for name in ("board", "story", "held")]


def differing(
    games: Sequence[Game], folder: Path, opening: Opening = visit, walks: int = WALKS
) -> tuple[int, list[str]]:
    """How much HTML was compared, and what differs."""

    async def play() -> tuple[int, list[str]]:
        tables = Tables(Store(f"sqlite:///{folder}/log.db"))
        compared, apart = 0, []
        for game in games:
            for seat, first, second in pairs(game, walks, STEPS, SHADOWS):
                mine, others = (pages(tables, game, steps, seat, opening) for steps in (first, second))
                compared += sum(map(len, mine))
                apart += [f"{game!r}, seat {seat}:\n{a}\n{b}" for a, b in itertools.zip_longest(mine, others) if a != b]
        await tables.close()
        return compared, apart

    return asyncio.run(play())


HIDING = [name for name in shelf() if not definition(name).hides_nothing]


STOPS = ("newmarket", "pope_joan")
"""Of the games of stops, Commit is compared in every run."""


@few_or_all
@pytest.mark.parametrize("name", the_rest_long(HIDING, ["kuhn", "diabolo", "dividha", "matrimony"]))
def test_every_byte_of_the_page_is_the_same_in_another_world(name: str, few: bool, tmp_path: Path) -> None:
    compared, apart = differing(settings(name, few), tmp_path, walks=1 if few else WALKS)
    assert not apart, apart[0]
    assert compared > 20_000


def test_a_leak_of_a_game_would_be_noticed_on_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    _, apart = differing([parlour.load(plant("leaking_deal", tmp_path))], tmp_path)
    assert apart
    _, apart = differing([parlour.load("leduc")], tmp_path)  # the same game without the leak
    assert not apart


def replayed_apart(games: Sequence[Game]) -> tuple[int, list[str]]:
    """How many pieces of replays were compared, and those that differ between two games that look the same."""
    compared, apart = 0, []
    for game in games:
        for seat, first, second in pairs(game, WALKS, STEPS, SHADOWS):
            mine, others = (seen_again(game, steps, seat) for steps in (first, second))
            compared += len(mine)
            apart += [f"{game!r}, seat {seat}:\n{a}\n{b}" for a, b in zip(mine, others, strict=True) if a != b]
    return compared, apart


@few_or_all
@pytest.mark.parametrize("name", the_rest_long(HIDING, ["diamondback", "dividha", "kuhn"]))
def test_a_replay_as_a_seat_saw_it_shows_nothing_else(name: str, few: bool) -> None:
    """Every byte of the board and of the story; and the hands of all are not there."""
    compared, apart = replayed_apart(settings(name, few))
    assert not apart, apart[0]
    assert compared > 10


@pytest.mark.parametrize("fault", ["leaking_view", "leaking_deal"])
def test_a_leak_would_be_noticed_in_a_replay(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    _, apart = replayed_apart([parlour.load(plant(fault, tmp_path))])
    assert apart


def test_a_refusal_that_tells_too_much_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = moves.may

    def careless(table: Table, seat: int, line: str) -> None:
        try:
            honest(table, seat, line)
        except ParlourError as refused:
            raise ParlourError(f"{refused} {table.known.view(1 - seat).observation()}") from None

    monkeypatch.setattr(moves, "may", careless)
    _, apart = differing([parlour.load("leduc")], tmp_path)
    assert apart


class ByName(Reader):
    """A careless page: it knows its table, and names each place after the card that lies there, face down or not."""

    def hear(self, frame: wire.AnyFrame) -> dict[str, Any] | None:
        change = super().hear(frame)
        if isinstance(frame, wire.Telling) and change and self.session._live.table.state is not None:
            change["regions"]["board"] = f'<span data-key="{self.session._live.table.state.position.hand[1]}"></span>'
        return change


class Reviewed(Reader):
    """Another one: when it is opened afresh, the help for those who do not see is made from what somebody else sees."""

    def scene(self, **more: Any) -> Scene:
        if self.telling is not None and self.telling.closed:
            more["advice"] = str(self.session._live.table.known.view(1).observation())
        return super().scene(**more)


@pytest.mark.parametrize("careless", [ByName, Reviewed])
def test_leaks_of_a_page_would_be_noticed(careless: type[Reader], tmp_path: Path) -> None:
    _, apart = differing([parlour.load("leduc")], tmp_path, lambda live, seat: careless(session(live, seat), BROWSER))
    assert apart
