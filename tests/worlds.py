"""Two games that a guest must not be able to tell apart, and what a table sends that guest in each."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import structs
from starlette.requests import Request

import parlour
from parlour import CHANCE, Game
from parlour.audit.secrets import Shadow
from parlour.audit.trails import Trail, walk
from parlour.core.fair_deal import new_deal
from parlour.rules.vocabulary import SEVERAL
from parlour.server.common import wire
from parlour.server.live import moves
from parlour.server.live.connection import Connection
from parlour.server.live.idempotency import Once
from parlour.server.live.live_table import LiveTable
from parlour.server.live.tables import Tables
from parlour.server.store.store import Store, StoredEntry
from parlour.server.table import log
from parlour.server.table.seats import NAMES, WATCHER
from parlour.server.table.table import Change, Table
from tests.helpers import plain
from tests.waiting import FOR_EVER, LIMIT

MOST_DEALT = 70
"""Cards that are dealt in such a game, at most."""
ASKED: dict[str, Any] = {"type": "http", "scheme": "https", "server": ("parlour.example", 443), "path": "/"}
BROWSER = Request({**ASKED, "headers": [], "root_path": "", "query_string": b""})
"""What a browser asks for, as far as a page depends on it."""
Steps = tuple[tuple[int, int], ...]
"""The steps of a game, from its beginning."""


def opened(game: Game, **more: Any) -> log.Opened:
    """A table for a game."""
    about: dict[str, Any] = {"game": game.id, "rules": game.definition.version, "players": game.players}
    times: dict[str, Any] = {"pace": 0.0, "beat": 0.0, "grace": FOR_EVER, "patience": 0.0}
    seats: dict[str, Any] = {"names": list(NAMES[: game.players]), "bots": ["random"] * game.players}
    terms = {"options": dict(game.options), "reveal": True, "listed": False}
    return log.Opened(**{**about, **times, **seats, **terms, **more})


def entries(game: Game, steps: Steps) -> Iterator[log.AnyEntry]:
    """The log of a game that went by these steps: each act with what chance brought then, up to the next choice or
    hushed question; every deal that is over is looked at."""
    state = game.new()
    began = False
    block: list[tuple[int, str]] = []
    deals = 0
    for who, a in steps:
        pause = who != CHANCE or state.hushed
        if pause and block:
            yield from _entries(block, began, len(state.deals) > deals)
            began, block, deals = True, [], len(state.deals)
        block.append((who, state.name_of(a)))
        state.apply(a, None if who == CHANCE else who)
    if block and (state.current_player != CHANCE or state.hushed):
        yield from _entries(block, began, len(state.deals) > deals and not state.is_terminal)


def _entries(block: list[tuple[int, str]], began: bool, settles: bool) -> Iterator[log.AnyEntry]:
    (who, name), *others = block
    fell = [name, *(fell for _, fell in others)]
    if who != CHANCE:
        yield log.Did(who, [name], fell[1:], settles)
    else:
        yield log.Fell({}, fell, settles) if began else log.Begun({}, fell)
    if settles:
        yield log.WentOn()


class LoggedTable:
    """A table, and its log in a store.  ``key``: of the guest who does what nobody else is said to do."""

    def __init__(self, store: Store, name: str, first: log.Opened, key: str) -> None:
        self.table, self._store, self._name, self._key = Table(first), store, name, key
        store.make(name, name.upper(), first, "a", 3600)

    def write(self, change: Change, secret: tuple[int, bytes] | None = None, key: str = "") -> None:
        """Let something happen."""
        row = StoredEntry(self.table.version + 1, change.entry, f"{(key or self._key)[:20]} {self.table.version}")
        self._store.append(self._name, 1, row, secret).result(LIMIT)
        self.table.commit(change)

    def play_on(self, secret: bytes) -> None:
        """Do the first legal action until the match is over."""
        while not self.table.is_over:
            seat = self.table.asked[0]
            action = self.table.game.action_names[self.table.known.question(seat)[1][0]]
            self.write(moves.act(self.table, seat, action, secret))


def read_table(store: Store, name: str) -> Table:
    """A table as its log says."""
    first, *others = store.read(name)
    assert isinstance(first.entry, log.Opened)
    table = Table(first.entry)
    for row in others:
        table.commit(Change(row.entry), row.at, row.command)
    return table


class Listener(Connection):
    """A connection that keeps what it is sent."""

    def __init__(self, key: str, items: bool = False, page: bool = False) -> None:
        super().__init__(key, items=items, page=page, steps=items)
        self.packets: list[wire.Packet] = []
        self.tellings: list[wire.Telling] = []

    def send(self, packet: wire.Packet | wire.Telling | None) -> None:
        if isinstance(packet, wire.Telling):
            self.tellings.append(packet)
        elif packet is not None:
            self.packets.append(packet)


def moments(
    tables: Tables, game: Game, steps: Steps, seat: int, items: bool = False
) -> Iterator[tuple[LiveTable, list[wire.Packet]]]:
    """A game that goes by these steps: after each entry, the table, and what the guest of a seat (or a spectator) has
    been sent by it.  ``items``: views come in the order of telling."""
    live = LiveTable(tables, "table", "CODE", None, Table(opened(game)), Once())
    listener = Listener("guest" if seat != WATCHER else "", items)
    live.connect(listener)
    news, last = listener.packets, listener.packets[-1]
    yield live, news
    begin = log.Committed(1, new_deal(bytes(32)).commitment)
    sits = [log.Sat(seat, "Guest", "guest")] if seat != WATCHER else []
    for entry in (*sits, begin, *entries(game, steps), log.Closed("The end.")):
        sealed = _is_sealed(live.table)
        listener.packets = []
        live.committed(Change(entry), None)
        news = listener.packets
        if _is_sealed(live.table):
            news = [_without_order(packet) for packet in news]
            is_answered = live.table.state is not None and live.table.state.is_sealed  # else it is another question
            if sealed and is_answered and isinstance(entry, log.Did) and entry.seat != seat:
                for packet in news:  # another answer to the same sealed question shows nothing but that it is there
                    assert _without_news(packet) == _without_news(last)
                news = []
        last = news[-1] if news else last
        yield live, news


def told_afresh(table: Table, seat: int) -> wire.Packet:
    """What somebody who opens a table now is told, except what shows how far a sealed question is."""
    packet = wire.encode(table.known.telling(seat, 0, True))
    return _without_order(packet) if _is_sealed(table) else packet


def _is_sealed(table: Table) -> bool:
    return table.state is not None and table.state.current_player == SEVERAL


def _without_order(packet: wire.Packet, **more: Any) -> wire.Packet:
    """A telling without what shows who has answered a sealed question so far: they answer in any order."""
    frame = wire.decode(packet)
    assert isinstance(frame, wire.Telling)
    return wire.encode(structs.replace(frame, version=0, asked=[], **more))


def _without_news(packet: wire.Packet) -> wire.Packet:
    return _without_order(packet, new=[], moments=[])


def pairs(game: Game, walks: int, steps: int, shadows: int, first: int = 0) -> Iterator[tuple[int, Steps, Steps]]:
    """A seat, and two games that its guest must not be able to tell apart: as many as can be found in this many walks,
    with this many choices after the deal, and thrice as many attempts for each seat as are wanted; ``first``: the
    number of the first walk."""
    hide = game.definition.part("invariants").hide  # type: ignore[union-attr]
    for seed in range(first, first + walks):
        trails = walk(game, seed, steps + MOST_DEALT).trails
        by_chance = [trail.step[0] == CHANCE for trail in trails]
        deal = next((k for k in range(len(trails)) if all(by_chance[k : k + game.players])), 0)  # stakes come before it
        chosen = itertools.accumulate(k >= deal and not chance for k, chance in enumerate(by_chance))
        trails = [trail for trail, many in zip(trails, chosen, strict=True) if many <= steps + 1]  # the start is none's
        for seat in (WATCHER, *sorted({*range(min(game.players, 3)), game.players - 1})):
            found = 0
            for attempt in range(3 * shadows):
                shadow = Shadow(game, hide, seat, random.Random(f"{seed} {seat} {attempt}"), trails)
                one, other = _followed(trails, shadow)
                if one.s == other.s:
                    continue
                found += 1
                yield seat, _answered_first(game, one.steps, seat), _answered_first(game, other.steps, seat)
                if found == shadows:
                    break


def _answered_first(game: Game, steps: Steps, seat: int) -> Steps:
    """The same steps, where a seat is the first to answer a sealed question: whoever is the last to answer is told at
    once what comes of it, and the order tells nobody anything."""
    state, found, block = game.new(), list[tuple[int, int]](), list[tuple[int, int]]()
    for who, a in steps:
        block.append((who, a))
        state.apply(a, None if who == CHANCE else who)
        if not state.is_sealed:
            found += sorted(block, key=lambda step: step[0] != seat)
            block = []
    return (*found, *sorted(block, key=lambda step: step[0] != seat))


def _followed(trails: list[Trail], shadow: Shadow) -> tuple[Trail, Trail]:
    """How far the second game could follow the first."""
    ends = trails[0], shadow.trail
    for before, after in itertools.pairwise(trails):
        if shadow.step(before, after) is None:
            break
        if _rests(after) and _rests(shadow.trail) and after.pending == shadow.trail.pending:
            ends = after, shadow.trail
    return ends


def _rests(trail: Trail) -> bool:
    """Whether chance has nothing to decide at once."""
    return trail.actor != CHANCE or trail.game.state_at(trail.s).hushed


def settings(name: str, few: bool) -> list[Game]:
    """The game for different numbers of players, or for the fewest and the most of these; Matrimony with secret stakes,
    for else nothing is secret."""
    rules = {"stake_visibility": "secret"} if name == "matrimony" else {}
    tried = [parlour.load(name, setting.players, **{**dict(setting.options), **rules}) for setting in plain(name)]
    return [game for game in tried if not few or game in (tried[0], tried[:4][-1])]


few_or_all = pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.long)], ids=["few", "all"])
"""With all numbers of players these tests are for the long run."""
