"""Nothing but what a seat was told reaches its guest: every byte is compared."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import parlour
from helpers import plain
from parlour import CHANCE, Game
from parlour.engine.audit.secrets import Shadow
from parlour.engine.audit.trails import Trail, walk
from parlour.engine.definition import definition, shelf
from parlour.fair_deal import new_deal
from parlour.room import log, wire
from parlour.room.floor import Floor
from parlour.room.live import Client, LiveTable
from parlour.room.store import Store
from parlour.room.table import NAMES, WATCHER, Step, Table
from parlour.vocabulary import SEVERAL
from planted import plant

WALKS, STEPS, SHADOWS = 3, 60, 2


def opened(game: Game, **more: Any) -> log.Opened:
    """A table for a game."""
    settings: dict[str, Any] = {"pace": 0.0, "beat": 0.0, "grace": 60.0, "patience": 0.0, "told": True, "listed": False}
    return log.Opened(
        game=game.id,
        rules=game.definition.version,
        players=game.players,
        options=dict(game.options),
        bots=["random"] * game.players,
        names=list(NAMES[: game.players]),
        **{**settings, **more},
    )


# ------------------------------------------------------------------------------------------ two games at once


def entries(game: Game, steps: tuple[tuple[int, int], ...]) -> Iterator[log.AnyEntry]:
    """The log of a game that went by these steps: each act with what chance brought then, up to the next choice or
    hushed question."""
    state = game.new()
    began = False
    block: list[tuple[int, str]] = []
    for who, a in steps:
        pause = who != CHANCE or state.hushed
        if pause and block:
            yield _entry(block, began)
            began, block = True, []
        block.append((who, state.name_of(a)))
        state.apply(a, None if who == CHANCE else who)
    if block and (state.current_player != CHANCE or state.hushed):
        yield _entry(block, began)


def _entry(block: list[tuple[int, str]], began: bool) -> log.AnyEntry:
    (who, name), *others = block
    if who != CHANCE:
        return log.Did(who, [name], [fell for _, fell in others])
    fell = [name, *(fell for _, fell in others)]
    return log.Fell({}, fell) if began else log.Begun({}, fell)


class Listener(Client):
    """A client that keeps what it is sent."""

    def __init__(self, key: str) -> None:
        super().__init__(key, items=False)
        self.packets: list[wire.Packet] = []

    def send(self, packet: wire.Packet | None) -> None:
        assert packet is not None
        self.packets.append(packet)


def sent(floor: Floor, game: Game, steps: tuple[tuple[int, int], ...], seat: int) -> list[wire.Packet]:
    """Every packet that the guest of a seat (or who watches) is sent in a game that goes by these steps."""
    live = LiveTable(floor, "table", "CODE", None, Table(opened(game)))
    listener = Listener("guest" if seat != WATCHER else "")
    live.connect(listener)
    begin = log.Committed(1, new_deal(bytes(32)).commitment)
    sits = [log.Sat(seat, "Guest", "guest")] if seat != WATCHER else []
    for entry in (*sits, begin, *entries(game, steps), log.Closed("The end.")):
        sealed = _is_sealed(live.table)
        before = len(listener.packets)
        live.follow(Step(entry), None)
        if _is_sealed(live.table):
            news = [_without_order(packet) for packet in listener.packets[before:]]
            if sealed and isinstance(entry, log.Did) and entry.seat != seat:
                for packet in news:  # another answer to the same sealed question shows nothing but that it is there
                    assert _without_news(packet) == _without_news(listener.packets[before - 1])
                news = []
            listener.packets[before:] = news
    return [*listener.packets, wire.Packet(live.table.record(seat).encode())]


def _is_sealed(table: Table) -> bool:
    return table.state is not None and table.state.current_player == SEVERAL


def _without_order(packet: wire.Packet, **more: Any) -> wire.Packet:
    """A telling without what shows who has answered a sealed question so far: they answer in any order."""
    frame = wire.decode(packet)
    assert isinstance(frame, wire.Telling)
    return wire.encode(structs.replace(frame, version=0, asked=[], **more))


def _without_news(packet: wire.Packet) -> wire.Packet:
    return _without_order(packet, new=[])


def pairs(game: Game) -> Iterator[tuple[int, tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]]:
    """A seat, and two games that its guest must not be able to tell apart."""
    hide = game.definition.part("invariants").hide  # type: ignore[union-attr]
    for seed in range(WALKS):
        walked = walk(game, seed, STEPS)
        for seat in (WATCHER, *range(min(game.players, 4))):
            for attempt in range(SHADOWS):
                shadow = Shadow(game, hide, seat, random.Random(f"{seed} {seat} {attempt}"))
                first, second = _followed(walked.trails, shadow)
                if first.s != second.s:
                    yield seat, first.steps, second.steps


def _followed(trails: list[Trail], shadow: Shadow) -> tuple[Trail, Trail]:
    """How far the second game could follow the first."""
    ends = trails[0], shadow.trail
    for before, after in itertools.pairwise(trails):
        if shadow.step(before, after) is None:
            break
        ends = after, shadow.trail
    return ends


def differing(games: Sequence[Game], tmp_path: Path) -> tuple[int, list[str]]:
    """How many packets were compared, and those that differ."""

    async def play() -> tuple[int, list[str]]:
        floor = Floor(Store(f"sqlite:///{tmp_path}/log.db"))
        compared, apart = 0, []
        for game in games:
            for seat, first, second in pairs(game):
                mine, others = (sent(floor, game, steps, seat) for steps in (first, second))
                compared += len(mine)
                apart += [
                    f"{game!r}, seat {seat}:\n{a!r}\n{b!r}" for a, b in itertools.zip_longest(mine, others) if a != b
                ]
        await floor.close()
        return compared, apart

    return asyncio.run(play())


def settings(name: str) -> list[Game]:
    """The game for different numbers of players; Matrimony with stakes that are secret, for else nothing is."""
    rules = {"stake_visibility": "secret"} if name == "matrimony" else {}
    return [parlour.load(name, setting.players, **{**dict(setting.options), **rules}) for setting in plain(name)[:4]]


@pytest.mark.parametrize("name", [name for name in shelf() if not definition(name).hides_nothing])
def test_every_byte_is_the_same_in_another_world(name: str, tmp_path: Path) -> None:
    compared, apart = differing(settings(name), tmp_path)
    assert not apart, apart[0]
    assert compared > 50


@pytest.mark.parametrize("fault", ["leaking_view", "leaking_event", "leaking_deal"])
def test_leaks_would_be_noticed(fault: str, tmp_path: Path) -> None:
    _, apart = differing([parlour.load(plant(fault, tmp_path))], tmp_path)
    assert apart


def test_a_hidden_question_without_a_pause_would_be_noticed(tmp_path: Path) -> None:
    """The sampler asks in secret, and chance takes no step where nobody is asked: at a table that would show."""
    _, apart = differing([parlour.load("sampler")], tmp_path)
    assert apart


# ------------------------------------------------------------------------------------------ time


class Told(Client):
    """A client that notes when it was told something."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.times: list[float] = []

    def send(self, packet: wire.Packet | None) -> None:
        self.times.append(asyncio.get_running_loop().time())


BEAT = 0.25


@pytest.mark.parametrize("who", ["nobody", "a bot", "a guest who answers at once", "a guest who says nothing"])
def test_a_hushed_question_takes_one_beat_whoever_is_asked(who: str, tmp_path: Path) -> None:
    """Commit: a card is asked for, and the comet may be in anybody's hand (CO-30)."""
    game = parlour.load("commit", 3)
    walked = next(
        w for seed in range(100) for w in [walk(game, seed, 60)]
        if (w.last.actor == CHANCE) == (who == "nobody") and game.state_at(w.last.s).hushed
    )  # fmt: skip
    owner = walked.last.actor

    async def play() -> tuple[float, list[str]]:
        floor = Floor(Store(f"sqlite:///{tmp_path}/log.db"))
        live = await floor.open(opened(game, beat=BEAT, bots=["random"] * 3))
        secret = bytes(32)
        await live.write(Step(log.Committed(1, new_deal(secret).commitment)))
        live.secret = secret
        if "guest" in who:
            await live.write(Step(log.Sat(owner, "Guest", "guest")))
        live.stop_driver()
        for entry in entries(game, walked.last.steps):
            await live.write(Step(entry))
        live.stop_driver()
        other = Told("")
        live.connect(other)
        asked = asyncio.get_running_loop().time()
        if who.endswith("at once"):
            live.floor.soon(_answer(live))
        while len(other.times) < 4:
            await asyncio.sleep(0.01)
        names = [step.name for step in live.table.state.history[len(walked.last.steps) :]][:1]
        await floor.close()
        return other.times[3] - asked, names

    taken, _ = asyncio.run(play())
    assert BEAT <= taken < BEAT + 5
