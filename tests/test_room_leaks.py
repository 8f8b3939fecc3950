"""Nothing but what a seat was told reaches its guest: every byte is compared."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path

import pytest

import parlour
from parlour import CHANCE, Game
from parlour.audit.secrets import state_after
from parlour.audit.trails import walk
from parlour.engine import definition as definitions
from parlour.engine.definition import definition, shelf
from parlour.engine.telling import View
from parlour.errors import ParlourError
from parlour.room import clock as room_clock
from parlour.room import wire
from parlour.room.bots import Bots
from parlour.room.connection import Connection
from parlour.room.live import LiveTable
from parlour.room.store import Store
from parlour.room.table import WATCHER, fingerprint
from parlour.room.tables import Tables
from parlour.vocabulary import SEVERAL
from planted import plant
from room_helpers import Clock, SlowBots
from waiting import until
from worlds import Listener, Steps, few_or_all, moments, opened, pairs, settings

WALKS, STEPS, SHADOWS = 3, 14, 2


# ------------------------------------------------------------------------------------------ two games at once


def sent(tables: Tables, game: Game, steps: Steps, seat: int) -> list[wire.Packet]:
    """Every packet that the guest of a seat (or a spectator) is sent in a game that goes by these steps, and their
    record."""
    packets: list[wire.Packet] = []
    for live, news in moments(tables, game, steps, seat):
        packets += news
    return [*packets, wire.Packet(live.table.record(seat).encode())]


def differing(
    games: Sequence[Game], tmp_path: Path, walks: int = WALKS, shadows: int = SHADOWS
) -> tuple[int, list[str]]:
    """How many packets were compared, and those that differ."""

    async def play() -> tuple[int, list[str]]:
        tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"))
        compared, apart = 0, []
        for game in games:
            for seat, first, second in pairs(game, walks, STEPS, shadows):
                mine, others = (sent(tables, game, steps, seat) for steps in (first, second))
                compared += len(mine)
                apart += [
                    f"{game!r}, seat {seat}:\n{a!r}\n{b!r}" for a, b in itertools.zip_longest(mine, others) if a != b
                ]
        await tables.close()
        return compared, apart

    return asyncio.run(play())


@few_or_all
@pytest.mark.parametrize("name", [name for name in shelf() if not definition(name).hides_nothing])
def test_every_byte_is_the_same_in_another_world(name: str, few: bool, tmp_path: Path) -> None:
    compared, apart = differing(settings(name, few), tmp_path)
    assert not apart, apart[0]
    assert compared > 50


@pytest.mark.parametrize("fault", ["leaking_view", "leaking_event", "leaking_deal", "asking_aloud", "hush_that_tells"])
def test_leaks_would_be_noticed(fault: str, tmp_path: Path) -> None:
    many = (20, 4) if fault == "leaking_event" else (WALKS, SHADOWS)  # seldom does somebody keep the comet
    _, apart = differing([parlour.load(plant(fault, tmp_path))], tmp_path, *many)
    assert apart


def test_without_a_leak_nothing_is_noticed(tmp_path: Path) -> None:
    _, apart = differing([parlour.load(parlour.register("sampler"))], tmp_path)
    assert not apart, apart[0]


def test_two_worlds_are_played_on_after_the_deal() -> None:
    """Else nothing that players do would be compared."""
    for game in (parlour.load(name) for name in shelf() if not definition(name).hides_nothing and name != "matrimony"):
        assert any(who != CHANCE for _, steps, _ in pairs(game, WALKS, STEPS, SHADOWS) for who, _ in steps), game


# ------------------------------------------------------------------------------------------ answers


def answers(tables: Tables, game: Game, steps: Steps, seat: int) -> dict[int, set[tuple[str, ...]]]:
    """What the guest of a seat would be answered in a game that goes by these steps, to whatever they might want: for
    each number of things that they have noticed, all answers that there are while they notice nothing more."""
    found: dict[int, set[tuple[str, ...]]] = {}
    names = game.action_names
    some = names[:: -(-len(names) // 3)]
    for live, _ in moments(tables, game, steps, seat):
        table = live.table
        if not table.has_begun or table.closed or (table.state is not None and table.state.current_player == SEVERAL):
            continue  # who has answered a sealed question so far may be seen, and who comes first is chance

        def said(ask: Callable[[], object]) -> str:
            try:
                ask()
            except ParlourError as refusal:
                return str(refusal)
            return "done"

        wants: list[Callable[[], object]] = [partial(table.undo, seat), partial(table.want_again, seat)]
        wants += [partial(table.may, seat, name) for name in (*some, "no such thing")]
        found.setdefault(table.marks[seat], set()).add(tuple(map(said, wants)))
    return found


def answered_otherwise(games: Sequence[Game], tmp_path: Path) -> tuple[int, list[str]]:
    """How many answers were compared, and those that differ."""

    async def ask() -> tuple[int, list[str]]:
        tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"))
        compared, apart = 0, list[str]()
        for game in games:
            for seat, first, second in pairs(game, WALKS, STEPS, 1):
                if seat == WATCHER:
                    continue  # who may ask for nothing
                mine, others = (answers(tables, game, steps, seat) for steps in (first, second))
                for mark in sorted(mine.keys() & others.keys())[:-1]:  # one of the two may end in the midst of the last
                    compared += 1
                    if differ := mine[mark] ^ others[mark]:
                        apart.append(f"{game!r}, seat {seat}, at {mark}: {differ}")
        await tables.close()
        return compared, apart

    return asyncio.run(ask())


@few_or_all
@pytest.mark.parametrize(
    "name", [name for name in shelf() if not definition(name).hides_nothing and name != "matrimony"]
)
def test_every_answer_is_the_same_in_another_world(name: str, few: bool, tmp_path: Path) -> None:
    """Whether a step may be taken back, and why another is refused, follows from what one was told.  (In Matrimony
    nothing is hidden but stakes, which all lay at once.)"""
    compared, apart = answered_otherwise(settings(name, few), tmp_path)
    assert not apart, "\n".join(apart[:5])
    assert compared


# ------------------------------------------------------------------------------------------ time


class Told(Connection):
    """A connection that notes when it was told something."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.times: list[float] = []

    def send(self, packet: wire.Packet | None) -> None:
        self.times.append(room_clock.now())


class QuickBots(Bots):
    """Bots that know at once what they want."""

    async def choose(self, kind: str, seed: int, view: View, legal: Sequence[int]) -> int:
        return legal[0]


class BoldBots(Bots):
    """Bots that bet."""

    async def choose(self, kind: str, seed: int, view: View, legal: Sequence[int]) -> int:
        return legal[-1]


BEAT = 3.0


@pytest.mark.parametrize(
    ("who", "bots", "done"),
    [
        ("nobody", QuickBots(), "round"),
        ("a bot", QuickBots(), "comet"),
        ("a bot that does not answer", SlowBots(), "pass"),
        ("a guest who answers at once", SlowBots(), "comet"),
        ("a guest who says nothing", SlowBots(), "pass"),
    ],
)
def test_a_hushed_question_takes_one_beat_whoever_is_asked(
    who: str, bots: Bots, done: str, tmp_path: Path, clock: Clock
) -> None:
    """A card is asked for, and the comet may be in anybody's hand."""
    game = parlour.load("commit", 3)
    walks = (walk(game, seed, 60) for seed in range(1000))
    at = next(t for w in walks for t in w.trails if t.s.stage == 7 and (t.actor == CHANCE) == (who == "nobody"))

    async def play() -> tuple[list[float], str]:
        tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"), bots)
        live = await tables.open(opened(game, beat=BEAT), record=state_after(at).record())
        if "guest" in who:
            await live.do("guest", wire.Sit(id="1", name="Guest", seat=at.actor))
        watcher = Told("")
        live.connect(watcher)
        if who.endswith("at once"):
            tables.soon(_answer(live, done))
        await until(lambda: live.beat.is_on)
        if done == "comet":
            await until(lambda: live.beat.whispers)  # it has been answered
        for part in (0.5, 0.5):
            await clock.goes_on(live, part * BEAT)
        await until(lambda: len(watcher.times) >= 3)  # about the table, what was so before, what is so now
        assert live.table.state is not None
        name = live.table.state.history[len(at.steps)].name
        await tables.close()
        return watcher.times[:3], name

    (_, before, after), name = asyncio.run(play())
    assert after - before == BEAT
    assert name == done


async def _answer(live: LiveTable, action: str) -> None:
    assert isinstance(await live.do("guest", wire.Act(id="2", action=action)), wire.Done)


# ------------------------------------------------------------------------------------------ tokens


def canary_kuhn(folder: Path) -> str:
    """Kuhn poker with cards whose names could not come from anywhere else."""
    home = folder / "canary_kuhn"
    home.mkdir()
    for file in resources.files("parlour.shelf.kuhn").iterdir():
        if file.is_file():
            text = file.read_text()
            (home / file.name).write_text(re.sub(r'CARDS = \("J", "Q", "K"\)', f"CARDS = {CANARIES!r}", text))
    sys.path.insert(0, str(folder))
    return parlour.register("canary_kuhn")


CANARIES = ("canary1j7", "canary2q8", "canary3k9")


def test_hidden_cards_tokens_and_secrets_are_in_no_frame_log_or_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(definitions, "_registered", {**definitions._registered})
    caplog.set_level(logging.DEBUG)
    game = parlour.load(canary_kuhn(tmp_path))
    token = "an-unguessable-token"

    async def play() -> str:
        tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"), BoldBots())
        everything = ""
        for _ in range(20):
            live = await tables.open(opened(game, reveal=False))
            guest = Listener(fingerprint(token))
            live.connect(guest)
            await live.do(guest.key, wire.Sit(id="sit", name="Guest", seat=0))
            for number in itertools.count():
                await until(lambda live=live: live.table.is_over or 0 in live.table.asked)  # type: ignore[misc]
                if live.table.is_over:
                    break
                await live.do(guest.key, wire.Act(id=str(number), action="pass"))
            state = live.table.state
            assert state is not None
            mine, others = (CANARIES[step.action] for step in state.history[:2])
            packets = b"".join(guest.packets).decode() + live.table.record(0)
            assert mine in packets
            assert [step.name for step in state.history[2:]] == ["pass", "bet", "pass"]  # so nothing was shown
            assert others not in packets
            assert live.secret is not None
            assert live.secret.hex() not in packets
            everything += packets
        everything += tables.metrics.text().decode() + "".join(record.getMessage() for record in caplog.records)
        await tables.close()
        return everything

    everything = asyncio.run(play())
    assert token not in everything
    assert fingerprint(token) not in everything
