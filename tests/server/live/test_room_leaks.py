"""Nothing but what a seat was told reaches its guest: every byte is compared."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from pathlib import Path

import pytest

import parlour
from parlour import CHANCE, Game
from parlour.audit.secrets import state_after
from parlour.audit.trails import Trail, walk
from parlour.base.errors import ParlourError
from parlour.engine.definition import definition, shelf
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
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change
from planted import plant
from tests.helpers import the_rest_long
from tests.room_helpers import Clock, SlowBots, T, at_a_table, first_choice
from tests.waiting import until
from tests.worlds import Listener, Steps, few_or_all, moments, pairs, settings

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


def differing(games: Sequence[Game], walks: int = WALKS, shadows: int = SHADOWS) -> tuple[int, list[str]]:
    """How many packets were compared, and those that differ."""

    async def play() -> tuple[int, list[str]]:
        tables = Tables(Store("sqlite://"))
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
GATE = [name for name in HIDING if name not in ("newmarket", "pope_joan", "hearts")]
"""Those with something of each kind to hide: the others take long to find two worlds of, and are for the long run."""
PLAYED_ON = the_rest_long(
    [name for name in HIDING if name != "matrimony"], [name for name in GATE if name != "matrimony"]
)
"""In Matrimony nothing is hidden but stakes, which all lay at once."""


@few_or_all
@pytest.mark.parametrize("name", the_rest_long(HIDING, GATE))
def test_every_byte_is_the_same_in_another_world(name: str, few: bool) -> None:
    effort = (FEW_WALKS, 1) if few and name not in ("kuhn", "leduc") else (WALKS, SHADOWS)
    compared, apart = differing(settings(name, few), *effort)
    assert not apart, apart[0]
    assert compared > 50


@pytest.mark.parametrize("fault", ["leaking_view", "leaking_event", "leaking_deal", "asking_aloud", "hush_that_tells"])
def test_leaks_would_be_noticed(fault: str, tmp_path: Path) -> None:
    many = (20, 4) if fault == "leaking_event" else (WALKS, SHADOWS)  # seldom does somebody keep the comet
    _, apart = differing([parlour.load(plant(fault, tmp_path))], *many)
    assert apart


def test_without_a_leak_nothing_is_noticed() -> None:
    _, apart = differing([parlour.load(parlour.register("sampler"))])
    assert not apart, apart[0]


@few_or_all
@pytest.mark.parametrize("name", PLAYED_ON)
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


def answered_otherwise(games: Sequence[Game], walks: int) -> tuple[int, list[str]]:
    """How many answers were compared, and those that differ."""

    async def ask() -> tuple[int, list[str]]:
        tables = Tables(Store("sqlite://"))
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
@pytest.mark.parametrize("name", PLAYED_ON)
def test_every_answer_is_the_same_in_another_world(name: str, few: bool) -> None:
    """Whether a step may be taken back, and why another is refused, follows from what one was told.  (In Matrimony
    nothing is hidden but stakes, which all lay at once.)"""
    compared, apart = answered_otherwise(settings(name, few), FEW_WALKS if few else WALKS)
    assert not apart, "\n".join(apart[:5])
    assert compared


@pytest.mark.parametrize("name", PLAYED_ON)
def test_an_answer_stays_the_same_while_its_guest_notices_nothing(name: str) -> None:
    """Else whoever tries to take a step back would learn that somebody else has begun to choose unseen."""

    async def play() -> tuple[int, list[str]]:
        tables = Tables(Store("sqlite://"))
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


BEAT = 3.0


@cache
def hushed(is_asked: bool) -> Trail:
    """A moment of Commit at which a card is asked for, and the comet may be in anybody's hand: somebody can play it, or
    nobody has a choice."""
    walks = (walk(parlour.load("commit", 3), seed, 60) for seed in range(1000))
    return next(t for w in walks for t in w.trails if t.s.stage == 7 and (t.actor != CHANCE) == is_asked)


def at_a_hushed_question(play: Callable[[LiveTable], Awaitable[T]], is_asked: bool, bots: Bots | None = None) -> T:
    """Play at a table where it has just been asked."""
    record = state_after(hushed(is_asked)).record()
    return at_a_table(play, parlour.load("commit", 3), bots or SlowBots(), record, beat=BEAT)


def done_at(live: LiveTable, is_asked: bool) -> str:
    """What came of the question."""
    assert live.table.state is not None
    return live.table.state.history[len(hushed(is_asked).steps)].name


@pytest.mark.parametrize(
    ("who", "bots", "done"),
    [
        ("nobody", first_choice(), "round"),
        ("a bot", first_choice(), "comet"),
        ("a bot that does not answer", SlowBots(), "pass"),
        ("a guest who answers at once", SlowBots(), "comet"),
        ("a guest who says nothing", SlowBots(), "pass"),
    ],
)
def test_a_hushed_question_takes_one_beat_whoever_is_asked(who: str, bots: Bots, done: str, clock: Clock) -> None:
    async def play(live: LiveTable) -> list[float]:
        if "guest" in who:
            await live.do("guest", wire.Sit(id="1", name="Guest", seat=hushed(True).actor))
        watcher = Told("")
        live.connect(watcher)
        if who.endswith("at once"):
            live.tables.soon(_answer(live, done))
        await until(lambda: live.beat.is_on)
        if done == "comet":
            await until(lambda: live.beat.whispers)  # it has been answered
        for part in (0.5, 0.5):
            await clock.goes_on(live, part * BEAT)
        await until(lambda: len(watcher.times) >= 4)  # the table, its spectators, what was so, what is so now
        assert done_at(live, who != "nobody") == done
        return watcher.times[:4]

    *_, before, after = at_a_hushed_question(play, who != "nobody", bots)
    assert after - before == BEAT


@pytest.mark.parametrize("who", ["the guest", "nobody"])
def test_a_hushed_question_begins_when_the_page_has_shown_what_came_before_whoever_is_asked(
    who: str, clock: Clock
) -> None:
    """Where one guest plays with bots; an answer that comes before that counts."""
    seat, is_asked = hushed(True).actor, who == "the guest"

    async def play(live: LiveTable) -> list[bool]:
        page, seen = Connection("guest", steps=True), list[bool]()
        live.audience.welcome(page)
        live.shows(page, wire.Shown(id="1", match=0, heard=0))
        await live.do("guest", wire.Sit(id="2", name="Guest", seat=seat))
        live.beat.drop(too_late())  # it has begun before the guest came; now it is asked afresh
        heard = live.table.known.heard(seat)
        answer = asyncio.create_task(live.do("guest", wire.Act(id="3", action="comet")))
        for shown in (0, heard - 1, heard):
            await clock.goes_on(live, BEAT)
            live.shows(page, wire.Shown(id="4", match=1, heard=shown))
            await clock.goes_on(live, 0.01)
            seen.append(live.beat.is_on)
        await clock.goes_on(live, BEAT / 2)
        seen.append(live.beat.is_on)
        await clock.goes_on(live, BEAT / 2)
        assert isinstance(await answer, wire.Done) == is_asked
        assert (done_at(live, is_asked) == "comet") == is_asked
        return seen

    assert at_a_hushed_question(play, is_asked) == [False, False, True, True]


async def _answer(live: LiveTable, action: str) -> None:
    assert isinstance(await live.do("guest", wire.Act(id="2", action=action)), wire.Done)


@pytest.mark.parametrize("how", [wire.Act, wire.Why])
def test_a_guest_who_is_away_does_not_come_back_by_an_answer_that_only_who_is_asked_can_give(
    how: type[wire.Act | wire.Why], clock: Clock
) -> None:
    """A guest who is away wants to pass at a hushed question, in one game asked and in the other not: others see the
    same of who is there, until the guest does something that does not depend on it."""
    seat = hushed(True).actor

    async def play(live: LiveTable) -> tuple[list[list[bool]], bool]:
        guest, watcher = Listener("guest"), Listener("")
        await live.do("guest", wire.Sit(id="1", name="Guest", seat=seat))
        async with live.lock:
            await live.write(Change(log.Away(seat)))
        live.audience.welcome(guest)  # connected all the time: the table has waited for them too long
        await until(lambda: live.beat.is_on)
        live.connect(watcher)
        answer = asyncio.create_task(live.do("guest", how(id="2", action="pass")))
        whispers = live.beat.whispers
        await until(lambda: answer.done() or any(one.command for one in whispers.values()))
        await clock.goes_on(live, BEAT)
        done = isinstance(await answer, wire.Done)
        await clock.goes_on(live, 0.1)  # and declares who is back
        seen = [wire.decode(packet) for packet in watcher.packets]
        away = [[p.away for p in one.players] for one in seen if isinstance(one, wire.Telling)]
        await live.do("guest", wire.Say(id="3", text="Hello."))
        await until(lambda: not live.table.seats[seat].away)
        return away[:2], done

    (mine, done), (others, refused) = (at_a_hushed_question(play, is_asked) for is_asked in (True, False))
    assert (done, refused) == (True, False)
    assert mine == others
    assert all(away[seat] for away in mine)


@pytest.mark.usefixtures("clock")
def test_an_action_that_waited_for_its_turn_does_not_end_the_beat_of_a_question_that_came_first() -> None:
    async def play(live: LiveTable) -> None:
        await live.do("guest", wire.Sit(id="1", name="Guest", seat=hushed(True).actor))
        live.connect(Listener("guest"))
        await until(lambda: live.beat.is_on)
        async with live.lock:
            live.table.is_hushed = False
            early = asyncio.create_task(live.do("guest", wire.Act(id="2", action="pass")))
            await asyncio.sleep(0)  # it waits: something else is being written
            live.table.is_hushed = True
        answer = await early
        assert live.beat.is_on
        assert isinstance(answer, wire.Refused)
        assert "Somebody has moved" in answer.sentence

    at_a_hushed_question(play, is_asked=True)


# ------------------------------------------------------------------------------------------ tokens
