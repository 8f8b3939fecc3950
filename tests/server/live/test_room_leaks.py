"""Nothing but what a seat was told reaches its guest: every byte is compared."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path

import pytest

import parlour
from parlour import CHANCE, Game
from parlour.audit.secrets import state_after
from parlour.audit.trails import walk
from parlour.base.errors import ParlourError
from parlour.engine import definition as definitions
from parlour.engine.definition import definition, shelf
from parlour.engine.telling import View
from parlour.rules.vocabulary import SEVERAL
from parlour.server.bots.bots import Bots
from parlour.server.common import clock as room_clock
from parlour.server.common import wire
from parlour.server.live import moves, proof, seating
from parlour.server.live.beat import too_late
from parlour.server.live.connection import Connection
from parlour.server.live.live_table import LiveTable
from parlour.server.live.tables import Tables
from parlour.server.store.store import Store
from parlour.server.table import log
from parlour.server.table.seats import WATCHER, fingerprint
from parlour.server.table.table import Change
from planted import plant
from tests.helpers import the_rest_long
from tests.room_helpers import Clock, SlowBots
from tests.waiting import until
from tests.worlds import Listener, Steps, few_or_all, moments, opened, pairs, settings

WALKS, STEPS, SHADOWS = 3, 14, 2
FEW_WALKS = 2
"""So many in every run, with one other world for each seat that has one (but in games that take no time)."""


# ------------------------------------------------------------------------------------------ two games at once


@cache
def twins(game: Game, walks: int, shadows: int) -> list[tuple[int, Steps, Steps]]:
    """Worlds that look the same, two by two; several tests use them, and to find them takes longest."""
    return list(pairs(game, walks, STEPS, shadows))


def sent(tables: Tables, game: Game, steps: Steps, seat: int) -> list[wire.Packet]:
    """Every packet that the guest of a seat (or a spectator) is sent in a game that goes by these steps, and their
    record."""
    packets: list[wire.Packet] = []
    for live, news in moments(tables, game, steps, seat):
        packets += news
    return [*packets, wire.Packet(proof.record(live.table, seat).encode())]


def differing(
    games: Sequence[Game], tmp_path: Path, walks: int = WALKS, shadows: int = SHADOWS
) -> tuple[int, list[str]]:
    """How many packets were compared, and those that differ."""

    async def play() -> tuple[int, list[str]]:
        tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"))
        compared, apart = 0, []
        for game in games:
            for seat, first, second in twins(game, walks, shadows):
                mine, others = (sent(tables, game, steps, seat) for steps in (first, second))
                compared += len(mine)
                apart += [
                    f"{game!r}, seat {seat}:\n{a!r}\n{b!r}" for a, b in itertools.zip_longest(mine, others) if a != b
                ]
                if apart:
                    break
        await tables.close()
        return compared, apart

    return asyncio.run(play())


HIDING = [name for name in shelf() if not definition(name).hides_nothing]


@few_or_all
@pytest.mark.parametrize(
    "name", the_rest_long(HIDING, [name for name in HIDING if name not in ("newmarket", "pope_joan", "hearts")])
)
def test_every_byte_is_the_same_in_another_world(name: str, few: bool, tmp_path: Path) -> None:
    effort = (FEW_WALKS, 1) if few and name not in ("kuhn", "leduc") else (WALKS, SHADOWS)
    compared, apart = differing(settings(name, few), tmp_path, *effort)
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


@few_or_all
@pytest.mark.parametrize(
    "name", [name for name in shelf() if not definition(name).hides_nothing and name != "matrimony"]
)
def test_two_worlds_are_played_on_after_the_deal(name: str, few: bool) -> None:
    """Else nothing that players do would be compared; nor if only spectators could be shown two worlds."""
    for game in settings(name, few):
        two = twins(game, FEW_WALKS, 1) if few else pairs(game, WALKS, STEPS, SHADOWS)
        assert any(seat != WATCHER and any(who != CHANCE for who, _ in steps) for seat, steps, _ in two), game


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

        wants: list[Callable[[], object]] = [partial(moves.undo, table, seat), partial(seating.want_again, table, seat)]
        wants += [partial(moves.may, table, seat, name) for name in (*some, "no such thing")]
        found.setdefault(table.known.marks[seat], set()).add(tuple(map(said, wants)))
    return found


def answered_otherwise(games: Sequence[Game], tmp_path: Path, walks: int) -> tuple[int, list[str]]:
    """How many answers were compared, and those that differ."""

    async def ask() -> tuple[int, list[str]]:
        tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"))
        compared, apart = 0, list[str]()
        for game in games:
            for seat, first, second in twins(game, walks, 1):
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
    compared, apart = answered_otherwise(settings(name, few), tmp_path, FEW_WALKS if few else WALKS)
    assert not apart, "\n".join(apart[:5])
    assert compared


@pytest.mark.parametrize(
    "name", [name for name in shelf() if not definition(name).hides_nothing and name != "matrimony"]
)
def test_an_answer_stays_the_same_while_its_guest_notices_nothing(name: str, tmp_path: Path) -> None:
    """Else whoever tries to take a step back would learn that somebody else has begun to choose unseen."""

    async def play() -> tuple[int, list[str]]:
        tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"))
        compared, apart = 0, list[str]()
        for game, seed in itertools.product(settings(name, few=True), range(2)):
            last = dict[int, tuple[int, str]]()
            for live, _ in moments(tables, game, tuple(walk(game, seed, 150).trails[-1].steps), WATCHER):
                table = live.table
                for seat in range(game.players) if table.has_begun and not table.closed else ():
                    answer, (mark, before) = "", last.get(seat, (-1, ""))
                    try:
                        moves.undo(table, seat)
                    except ParlourError as refusal:
                        answer = str(refusal)
                    compared += table.known.marks[seat] == mark
                    if table.known.marks[seat] == mark and answer != before:
                        apart.append(f"{game!r}, seat {seat}: {before!r}, then {answer!r}")
                    last[seat] = table.known.marks[seat], answer
        await tables.close()
        return compared, apart

    compared, apart = asyncio.run(play())
    assert not apart, "\n".join(apart[:5])
    assert compared or name not in ("dividha", "hearts")


# ------------------------------------------------------------------------------------------ time


class Told(Connection):
    """A connection that notes when it was told something."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.times: list[float] = []

    def send(self, packet: wire.Packet | wire.Telling | None) -> None:
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
        await until(lambda: len(watcher.times) >= 4)  # the table, its spectators, what was so, what is so now
        assert live.table.state is not None
        name = live.table.state.history[len(at.steps)].name
        await tables.close()
        return watcher.times[:4], name

    (*_, before, after), name = asyncio.run(play())
    assert after - before == BEAT
    assert name == done


@pytest.mark.parametrize("who", ["the guest", "nobody"])
def test_a_hushed_question_begins_when_the_page_has_shown_what_came_before_whoever_is_asked(
    who: str, tmp_path: Path, clock: Clock
) -> None:
    """Where one guest plays with bots; an answer that comes before that counts."""
    game = parlour.load("commit", 3)
    walks = (walk(game, seed, 60) for seed in range(1000))
    hushed = [t for w in itertools.islice(walks, 40) for t in w.trails if t.s.stage == 7]
    asked = next(t for t in hushed if t.actor != CHANCE)
    at = asked if who == "the guest" else next(t for t in hushed if t.actor == CHANCE)

    async def play() -> tuple[list[bool], str]:
        tables, seen = Tables(Store(f"sqlite:///{tmp_path}/log.db"), SlowBots()), list[bool]()
        live = await tables.open(opened(game, beat=BEAT), record=state_after(at).record())
        page, key = Connection("guest", steps=True), "guest"
        live.audience.welcome(page)
        live.shows(page, wire.Shown(id="1", match=0, heard=0))
        await live.do(key, wire.Sit(id="2", name="Guest", seat=asked.actor))
        live.beat.drop(too_late())  # it has begun before the guest came; now it is asked afresh
        heard = live.table.known.heard(asked.actor)
        answer = asyncio.create_task(live.do(key, wire.Act(id="3", action="comet")))
        for shown in (0, heard - 1, heard):
            await clock.goes_on(live, BEAT)
            live.shows(page, wire.Shown(id="4", match=1, heard=shown))
            await clock.goes_on(live, 0.01)
            seen.append(live.beat.is_on)
        await clock.goes_on(live, BEAT / 2)
        seen.append(live.beat.is_on)
        await clock.goes_on(live, BEAT / 2)
        assert isinstance(await answer, wire.Done) == (who == "the guest")
        assert live.table.state is not None
        name = live.table.state.history[len(at.steps)].name
        await tables.close()
        return seen, name

    seen, name = asyncio.run(play())
    assert seen == [False, False, True, True]
    assert (name == "comet") == (who == "the guest")


async def _answer(live: LiveTable, action: str) -> None:
    assert isinstance(await live.do("guest", wire.Act(id="2", action=action)), wire.Done)


@pytest.mark.parametrize("how", ["acts", "asks why"])
def test_a_guest_who_is_away_does_not_come_back_by_an_answer_that_only_who_is_asked_can_give(
    how: str, tmp_path: Path, clock: Clock
) -> None:
    """A guest who is away wants to pass at a hushed question, in one game asked and in the other not: others see the
    same of who is there, until the guest does something that does not depend on it."""
    game = parlour.load("commit", 3)
    walks = (walk(game, seed, 60) for seed in range(1000))
    hushed = [t for w in itertools.islice(walks, 40) for t in w.trails if t.s.stage == 7]
    asked = next(t for t in hushed if t.actor != CHANCE)
    alike = next(t for t in hushed if t.actor == CHANCE)
    want = wire.Act if how == "acts" else wire.Why

    async def play() -> list[tuple[list[list[bool]], bool]]:
        tables, found = Tables(Store(f"sqlite:///{tmp_path}/log.db"), SlowBots()), list[tuple[list[list[bool]], bool]]()
        for at in (asked, alike):
            live = await tables.open(opened(game, beat=BEAT), record=state_after(at).record())
            guest, watcher = Listener("guest"), Listener("")
            await live.do("guest", wire.Sit(id="1", name="Guest", seat=asked.actor))
            async with live.lock:
                await live.write(Change(log.Away(asked.actor)))
            live.audience.welcome(guest)  # connected all the time: the table has waited for them too long
            await until(lambda live=live: live.beat.is_on)  # type: ignore[misc]
            live.connect(watcher)
            answer = asyncio.create_task(live.do("guest", want(id="2", action="pass")))
            whispers = live.beat.whispers
            await until(lambda w=whispers, a=answer: a.done() or any(one.command for one in w.values()))  # type: ignore[misc]
            await clock.goes_on(live, BEAT)
            done = isinstance(await answer, wire.Done)
            await clock.goes_on(live, 0.1)  # and declares who is back
            seen = [wire.decode(packet) for packet in watcher.packets]
            away = [[p.away for p in one.players] for one in seen if isinstance(one, wire.Telling)]
            found.append((away[:2], done))
            await live.do("guest", wire.Say(id="3", text="Hello."))
            await until(lambda live=live: not live.table.seats[asked.actor].away)  # type: ignore[misc]
        await tables.close()
        return found

    (mine, done), (others, refused) = asyncio.run(play())
    assert (done, refused) == (True, False)
    assert mine == others
    assert all(away[asked.actor] for away in mine)


def test_an_action_that_waited_for_its_turn_does_not_end_the_beat_of_a_question_that_came_first(
    tmp_path: Path, clock: Clock
) -> None:
    game = parlour.load("commit", 3)
    walks = (walk(game, seed, 60) for seed in range(1000))
    at = next(t for w in walks for t in w.trails if t.s.stage == 7 and t.actor != CHANCE)

    async def play() -> tuple[wire.Answer, bool]:
        tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"), SlowBots())
        live = await tables.open(opened(game, beat=BEAT), record=state_after(at).record())
        await live.do("guest", wire.Sit(id="1", name="Guest", seat=at.actor))
        live.connect(Listener("guest"))
        await until(lambda: live.beat.is_on)
        async with live.lock:
            live.table.is_hushed = False
            early = asyncio.create_task(live.do("guest", wire.Act(id="2", action="pass")))
            await asyncio.sleep(0)  # it waits: something else is being written
            live.table.is_hushed = True
        answer = await early
        still = live.beat.is_on
        await tables.close()
        return answer, still

    answer, still = asyncio.run(play())
    assert isinstance(answer, wire.Refused)
    assert "Somebody has moved" in answer.sentence
    assert still


# ------------------------------------------------------------------------------------------ tokens


def canary_kuhn(folder: Path) -> str:
    """Kuhn poker with cards whose names could not come from anywhere else."""
    home = folder / "canary_kuhn"
    home.mkdir()
    for file in resources.files("parlour.games.kuhn").iterdir():
        if file.is_file() and not file.name.endswith(".npz"):
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
            packets = b"".join(guest.packets).decode() + proof.record(live.table, 0)
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
