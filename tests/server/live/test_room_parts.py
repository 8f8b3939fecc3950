"""The parts of a live table, each by itself: no server, no log, no table being played.  How much is done for a move is
counted, so that a busy machine makes no difference.  And at a hushed question nobody can tell by the time who was
asked, or whether anybody was: what is sent is compared in ``test_page_leaks.py``, byte by byte.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import Any

import pytest

import parlour
from parlour import CHANCE
from parlour.audit.secrets import state_after
from parlour.audit.trails import Trail, walk
from parlour.base.errors import ParlourError
from parlour.core.fair_deal import new_deal, pledge
from parlour.core.lessons import lesson
from parlour.server.bots.bots import Bots
from parlour.server.common import wire
from parlour.server.live import moves, proof, seating
from parlour.server.live.beat import Beat, too_late
from parlour.server.live.connection import Audience, Connection
from parlour.server.live.live_table import LiveTable
from parlour.server.live.mixing_round import MixingRound
from parlour.server.live.presence import Presence
from parlour.server.table import log
from parlour.server.table.hosting import Hosting
from parlour.server.table.knowledge import Public, SeatKnowledge
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change, Table
from tests.helpers import there
from tests.page_helpers import asked_in_secret
from tests.room_helpers import Clock, SlowBots, a_table, dealt, first_choice
from tests.waiting import until
from tests.worlds import Listener, opened

SECRET, NONCE = bytes(32), bytes(range(32))


def presence(table: Table) -> tuple[Presence, Audience]:
    audience = Audience(table)
    return Presence(table, audience), audience


def test_a_guest_is_away_after_the_grace_and_back_when_they_show_themselves(clock: Clock) -> None:
    """Unless they come while others are written down; and that they are back is not forgotten before it is written."""
    table = dealt(grace=30.0)
    here, audience = presence(table)
    assert here.due() == ([], 30.0)
    clock.time += 29
    assert here.due() == ([], 1.0)
    clock.time += 1
    assert here.due()[0] == [log.Away(0)]
    audience.welcome(Connection("zoe"))
    assert not here.is_due(0)
    audience.connections.clear()
    table.commit(Change(log.Away(0)))
    assert here.due()[0] == []
    here.acts(0)
    for _ in range(2):  # the database was away the first time
        assert here.due()[0] == [log.Back(0)]
    here.changed_hands(0)
    table.commit(Change(log.Back(0)))
    assert here.due()[0] == []


def test_what_was_chosen_for_a_guest_is_remembered_for_this_match() -> None:
    """So that a review does not say that they chose it; what they say while they count as away is their own."""
    table = dealt()
    before = len(table.playing.history)
    table.commit(moves.act(table, 0, "raise", SECRET))
    assert table.stood_in == {before}
    table.commit(moves.act(table, 1, "raise", SECRET))
    table.commit(Change(log.Away(0)))
    table.commit(moves.act(table, 0, "call", SECRET), command="zoe 1")
    assert table.stood_in == {before}
    table.commit(Change(log.Rewound(0, before)))
    assert not table.stood_in
    table.commit(moves.act(table, 0, "raise", SECRET))
    table.commit(moves.act(table, 1, "fold", SECRET))
    assert table.stood_in
    table.commit(moves.commit_to(table, SECRET))
    assert not table.stood_in


@pytest.mark.parametrize("practice", [False, True])
def test_only_what_one_has_done_oneself_can_be_taken_back(practice: bool) -> None:
    """Neither what a bot, or another guest, did in the seat before one came, nor what a bot did for one."""

    def may(table: Table, seat: int) -> bool:
        offered = bool(moves.how_to_take_back(table, seat))
        try:
            moves.undo(table, seat, practice)
        except ParlourError:
            return False
        assert offered, "what works is offered"
        return True

    table = dealt()
    table.commit(moves.act(table, 0, "raise", SECRET), command="zoe 1")
    assert may(table, 0)
    table.commit(Change(log.Left(0)))
    table.commit(Change(log.Sat(0, "Abe", "abe")))
    assert not may(table, 0), "another guest did it"
    table.commit(moves.act(table, 1, "raise", SECRET))
    table.commit(Change(log.Sat(1, "Bea", "bea")))
    assert not may(table, 1), "a bot did it"
    table = dealt()
    table.commit(moves.act(table, 0, "raise", SECRET))
    assert not may(table, 0), "a bot did it for her"


def test_a_guest_who_is_here_is_away_only_when_they_think_for_too_long(clock: Clock) -> None:
    table = dealt(grace=30.0, patience=100.0)
    here, audience = presence(table)
    audience.welcome(Connection("zoe"))
    assert 0 in table.asked
    assert here.due() == ([], 100.0)
    clock.time += 60
    audience.welcome(Connection("zoe"))  # neither new connections nor remarks buy time
    here.connected("zoe")
    here.acts(0)
    assert here.due() == ([], 40.0)
    here.answered(0)  # asked again, they have as long again
    assert here.due() == ([], 100.0)
    clock.time += 100
    assert here.due()[0] == [log.Away(0)]


@pytest.mark.parametrize(("by", "since", "terms"), [
    (1, 181, {}), (1, 170, {}), (0, 181, {}), (WATCHER, 181, {}), (1, 181, {"patience": 500.0}),
    (1, 181, {"by_post": True}), (1, 181, {"event": "swiss/ABCDEF"}),
])  # fmt: skip
def test_whoever_plays_too_may_let_a_bot_play_for_a_guest_who_has_long_been_asked(
    clock: Clock, by: int, since: float, terms: dict[str, Any]
) -> None:
    """Neither sooner, nor for oneself, nor as a spectator, nor where the table has terms of its own."""
    table = dealt(**terms)
    table.commit(Change(log.Sat(1, "Abe", "abe")))
    table.asked_at[0] -= since
    if (by, since, terms) == (1, 181, {}):
        table.commit(seating.relieve(table, by, 0))
        assert table.seats[0].is_bots
        assert not seating.may_be_relieved(table, by, 0), "a bot plays there now"
        assert Presence(table, Audience(table)).due()[0] == [], "until they do something"
    else:
        with pytest.raises(ParlourError, match=r"may think for 3 minutes|You can't let a bot choose there now\."):
            seating.relieve(table, by, 0)


@pytest.mark.parametrize("is_lesson", [False, True])
def test_nobody_is_relieved_of_a_secret_question_or_of_a_lesson(is_lesson: bool) -> None:
    taught = there(lesson("commit"))
    table = Table(opened(taught.game if is_lesson else parlour.load("commit"), lesson=is_lesson))
    table.commit(moves.resume(table, taught.opening().record() if is_lesson else asked_in_secret("commit")))
    asked, *_ = table.asked
    other = (asked + 1) % table.game.players
    for seat, name in ((asked, "Zoé"), (other, "Abe")):
        table.commit(Change(log.Sat(seat, name, name)))
    assert asked in table.asked
    assert not seating.may_be_relieved(table, other, asked)


def test_a_page_counts_as_being_here_for_a_while_and_a_connection_for_as_long_as_it_lasts(clock: Clock) -> None:
    here, audience = presence(dealt(grace=30.0))
    assert here.page_loaded("zoe", 60.0)
    assert not here.page_loaded("zoe", 60.0)  # nothing new
    assert not here.page_loaded("a stranger", 60.0)
    assert here.keys() == {"zoe"}
    assert here.due() == ([], 60.0)
    clock.time += 61
    assert not here.is_here(0)
    assert here.due() == ([], 30.0)
    clock.time += 25
    here.moved_elsewhere("zoe", came=False)  # they were at another server until now
    assert here.due() == ([], 30.0)
    connection = Connection("zoe")
    audience.welcome(connection)
    here.connected("zoe")
    clock.time += 10_000
    assert here.is_here(0)
    del audience.connections[connection]
    assert not here.is_here(0)


async def test_a_beat_lasts_as_long_whatever_is_answered(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """An answer for which nobody waits any more is dropped without a word."""
    beat = Beat()
    assert beat.begin((1, 7), 3.0)
    assert not beat.begin((1, 7), 3.0)  # the same question
    beat.whisper(0, "ann 1", "pass")
    clock.time += 2
    assert beat.left == 1.0
    clock.time += 1
    assert beat.left == 0.0
    answer = there(beat.take(0))
    assert answer.line == "pass"
    beat.drop(ParlourError("It is over."))
    assert not answer.done.done()
    assert not beat.is_on
    assert beat.begin((1, 8), 3.0)
    beat.whisper(0, "ann 1", "comet")
    beat.drop(ParlourError("This table has moved."))
    await asyncio.sleep(0)
    gc.collect()
    assert not caplog.records


async def test_one_answers_once_but_a_guest_takes_the_place_of_a_bot(clock: Clock) -> None:
    beat = Beat()
    beat.begin((1, 7), 3.0)
    bots = beat.whisper(0, "", "pass")
    assert beat.whispered(0, "ann 1") is None
    mine = beat.whisper(0, "ann 1", "comet")
    with pytest.raises(ParlourError, match="A guest answers"):
        await bots.done
    assert beat.whispered(0, "ann 1") is mine  # the same command, sent again
    with pytest.raises(ParlourError, match="You have answered"):
        beat.whispered(0, "ann 2")
    with pytest.raises(ParlourError, match="You have answered"):
        beat.whispered(0, "")
    beat.drop(ParlourError("The question was taken back."))
    with pytest.raises(ParlourError, match="taken back"):
        await mine.done
    beat.begin((1, 8), 3.0)
    late = beat.whisper(0, "ann 3", "comet")  # while the end of the beat is written
    beat.begin((1, 9), 3.0)
    with pytest.raises(ParlourError, match="Too late"):
        await late.done
    assert not beat.whispers


def mixing(*wanted: int) -> MixingRound:
    return MixingRound(1, new_deal(SECRET).commitment, wanted)


def test_numbers_go_in_when_all_pledges_are_known() -> None:
    made = mixing(0, 1)
    made.put_in(0, wire.Pledge(id="1", match=1, pledge=pledge(made.commitment, NONCE)))
    made.pledge(0, pledge(made.commitment, SECRET))
    assert made.frame.pledges == {0: pledge(made.commitment, NONCE)}, "the first one counts"
    with pytest.raises(ParlourError, match="aren't being collected"):
        made.put_in(WATCHER, wire.Pledge(id="1", match=1, pledge=""))
    assert not made.is_complete
    with pytest.raises(ParlourError, match="aren't being collected"):
        made.put_in(1, wire.Pledge(id="2", match=0, pledge="00" * 32))  # it comes a match too late
    with pytest.raises(ParlourError, match="not the number"):
        made.put_in(0, wire.Nonce(id="2", nonce=NONCE.hex()))
    made.put_in(1, wire.Pledge(id="3", match=1, pledge=""))  # puts none in
    assert made.is_complete
    made.stage = "nonce"
    assert not made.is_complete
    with pytest.raises(ParlourError, match="list of pledges is closed"):
        made.put_in(1, wire.Pledge(id="4", match=1, pledge="00" * 32))
    with pytest.raises(ParlourError, match="not the number"):
        made.put_in(1, wire.Nonce(id="5", nonce=NONCE.hex()))
    assert made.frame.nonces == {}
    made.put_in(0, wire.Nonce(id="6", nonce=NONCE.hex()))
    assert made.is_complete
    assert made.frame.nonces == {}  # until all know which count
    made.stage = "mixed"
    assert made.frame.nonces == {0: NONCE.hex()}
    with pytest.raises(ParlourError, match="aren't being collected"):
        made.put_in(0, wire.Nonce(id="7", nonce=NONCE.hex()))


@pytest.mark.parametrize("stays", [True, False])
def test_whoever_takes_a_seat_while_numbers_are_collected_has_given_none(stays: bool) -> None:
    table, made = Table(opened(parlour.load("leduc"))), mixing(0, 1)
    for change in (Change(log.Sat(0, "Zoé", "zoe")), moves.commit_to(table, SECRET)):
        table.commit(change)
    made.pledge(0, pledge(made.commitment, NONCE))
    made.stage = "nonce"
    made.nonce(0, NONCE)
    if not stays:
        made.changed_hands(0)
        table.commit(Change(log.Left(0)))
        table.commit(Change(log.Sat(0, "Abe", "abe")))
    table.commit(moves.go_on(table, SECRET, made.nonces, left=made.left))
    assert table.contributed == ({"zoe"} if stays else set())


def test_a_match_that_goes_on_from_a_record_is_not_dealt_from_the_records_seed() -> None:
    """Whoever brought the record would know every card to come."""
    game = parlour.load("leduc")
    begun = game.new(seed=5)
    begun.apply("call")
    table = Table(opened(game))
    entries = [moves.resume(table, begun.record()).entry]
    table.commit(Change(entries[0]))
    change = moves.act(table, 1, "call", None)
    assert isinstance(change.entry, log.Did)
    assert len(change.entry.fell) == 1  # the server has turned the card, and says which
    table.commit(change)
    assert "seed" not in table.state.record()  # type: ignore[union-attr]
    read = Table(opened(game))
    for entry in (*entries, change.entry):
        read.commit(Change(log.decode(log.encode(entry))))
    assert read.known.telling(WATCHER) == table.known.telling(WATCHER)


def test_a_match_that_goes_on_from_the_record_of_a_fair_deal_is_the_same_when_it_is_read_again() -> None:
    fair = dealt()
    fair.commit(moves.act(fair, 0, "fold" if "fold" in str(fair.known.question(0)[1]) else "raise", SECRET))
    fair.commit(moves.act(fair, 1, "fold", SECRET))
    fair.commit(proof.reveal(SECRET))
    whole = proof.record(fair, WATCHER)
    cut = "\n".join(line for line in whole.splitlines() if not line.startswith(("1: fold", "returns", "secret")))
    table, read = Table(opened(parlour.load("leduc"))), Table(opened(parlour.load("leduc")))
    change = moves.resume(table, cut + "\n")
    for one, made in ((table, change), (read, Change(log.decode(log.encode(change.entry))))):
        one.commit(made)
        assert one.state is not None
        assert one.state.ledger.fair is None
    assert read.known.telling(0) == table.known.telling(0)


def _public(**more: Any) -> Public:
    """What everybody knows of a table at which nothing is unusual."""
    players = [wire.SeatHolder("Guest", "random", True, False)] * 3
    usual: dict[str, Any] = {
        "match": 1, "players": players, "asked": [0], "hushed": False, "over": False, "returns": [], "again": [],
        "host": -1, "allowed": Hosting("", True).allowed, "frozen": "", "closed": "", "held": (),
    }  # fmt: skip
    return Public(**usual | more)


UNUSUAL: list[tuple[dict[str, Any], set[str]]] = [
    ({}, set()), ({"host": 1}, {"host"}), ({"allowed": Hosting("", False).allowed}, {"allowed"}),
    ({"frozen": "a fault"}, {"frozen"}), ({"closed": "nobody was here"}, {"closed"}),
    ({"held": (1.0, -1.0, 0.0)}, {"held", "sheet"}), ({"over": True}, {"sheet"}),
]  # fmt: skip


@pytest.mark.parametrize(("more", "said"), UNUSUAL)
def test_a_telling_holds_what_is_unusual_and_nothing_else_of_that_kind(more: dict[str, Any], said: set[str]) -> None:
    """A host who allows everything need not say so four times at each move."""
    game, rng = parlour.load("commit", deals=2), random.Random(1)
    state = game.new(seed=1)
    while not state.deals:
        state.apply(rng.choice(state.legal_actions()))
    known = SeatKnowledge(game)
    known.see(state, afresh=True)
    known.note(state, _public(**more), ())
    for seat in (0, 2, WATCHER):
        telling = known.telling(seat)
        packet = wire.encode(telling)
        assert wire.decode(packet) == telling
        assert json.loads(packet).keys() & {"host", "allowed", "frozen", "closed", "held", "sheet", "moments"} == said


@pytest.mark.parametrize("steps", [False, True])
def test_a_position_is_kept_for_each_event_only_if_somebody_is_shown_it(steps: bool) -> None:
    table = Table(opened(parlour.load("leduc")))
    table.commit(moves.commit_to(table, bytes(32)))
    table.commit(moves.go_on(table, bytes(32), {}))
    audience = Audience(table)
    for wanted in (False, steps):
        audience.connections[Connection("", steps=wanted)] = None
    assert audience.sees_steps() is steps
    after = there(moves.act(table, 0, "raise", bytes(32), steps=audience.sees_steps()).after)
    assert (after.ledger.kept.before(after.game, len(after.ledger.events) - 1, 0) is not None) is steps


BEAT = 3.0


@cache
def hushed(is_asked: bool) -> Trail:
    """A moment of Commit at which a card is asked for, and the comet may be in anybody's hand: somebody can play it, or
    nobody has a choice."""
    walks = (walk(parlour.load("commit", 3), seed, 60) for seed in range(1000))
    return next(t for w in walks for t in w.trails if t.s.stage == 7 and (t.actor != CHANCE) == is_asked)


def at_a_hushed_question(is_asked: bool, bots: Bots | None = None) -> AbstractAsyncContextManager[LiveTable]:
    """A table where it has just been asked."""
    record = state_after(hushed(is_asked)).record()
    return a_table(parlour.load("commit", 3), bots or SlowBots(), record, beat=BEAT)


def done_at(live: LiveTable, is_asked: bool) -> str:
    return live.table.playing.history[len(hushed(is_asked).steps)].name


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
async def test_a_hushed_question_takes_one_beat_whoever_is_asked(who: str, bots: Bots, done: str, clock: Clock) -> None:
    async with at_a_hushed_question(who != "nobody", bots) as live:
        if "guest" in who:
            await live.do("guest", wire.Sit(id="1", name="Guest", seat=hushed(True).actor))
        watcher, times = Connection(""), list[float]()
        watcher.send = lambda packet: times.append(clock.time)  # type: ignore[method-assign]
        live.connect(watcher)
        if who.endswith("at once"):
            answer = asyncio.create_task(live.do("guest", wire.Act(id="2", action=done)))
        await until(lambda: live.beat.is_on)
        if done == "comet":
            await until(lambda: live.beat.whispers)  # it has been answered
        for part in (0.5, 0.5):
            await clock.goes_on(live, part * BEAT)
        await until(lambda: len(times) >= 4)  # the table, its spectators, what was so, what is so now
        assert done_at(live, who != "nobody") == done
        assert not who.endswith("at once") or isinstance(await answer, wire.Done)
        *_, before, after = times[:4]
        assert after - before == BEAT


@pytest.mark.parametrize("who", ["the guest", "nobody"])
async def test_a_hushed_question_begins_when_the_page_has_shown_what_came_before_whoever_is_asked(
    who: str, clock: Clock
) -> None:
    """Where one guest plays with bots; an answer that comes before that counts."""
    seat, is_asked = hushed(True).actor, who == "the guest"
    async with at_a_hushed_question(is_asked) as live:
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
        assert seen == [False, False, True, True]


@pytest.mark.parametrize("how", [wire.Act, wire.Why])
async def test_a_guest_who_is_away_does_not_come_back_by_an_answer_that_only_who_is_asked_can_give(
    how: type[wire.Act | wire.Why], clock: Clock
) -> None:
    """A guest who is away wants to pass at a hushed question, in one game asked and in the other not: others see the
    same of who is there, until the guest does something that does not depend on it."""
    seat = hushed(True).actor

    async def play(is_asked: bool) -> tuple[list[list[bool]], bool]:
        async with at_a_hushed_question(is_asked) as live:
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

    (mine, done), (others, refused) = [await play(is_asked) for is_asked in (True, False)]
    assert (done, refused) == (True, False)
    assert mine == others
    assert all(away[seat] for away in mine)


@pytest.mark.usefixtures("clock")
async def test_an_action_that_waited_for_its_turn_does_not_end_the_beat_of_a_question_that_came_first() -> None:
    async with at_a_hushed_question(is_asked=True) as live:
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
