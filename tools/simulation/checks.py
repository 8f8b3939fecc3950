"""What must be so in every world, at every moment."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Final, NoReturn

import msgspec

from parlour.base.errors import ParlourError
from parlour.core.verifying import verify
from parlour.server.bots.reviews import BUSY, LONGEST, Review
from parlour.server.common import wire
from parlour.server.live import housekeeping
from parlour.server.live.connection import SILENT
from parlour.server.store.history import results_of
from parlour.server.store.lease import ROUND
from parlour.server.store.retention import DAY, Keep
from parlour.server.table import log
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change, Table

if TYPE_CHECKING:
    from parlour.server.live.live_table import LiveTable
    from tools.simulation.guests import Guest
    from tools.simulation.world import Server, World

WRITTEN = (
    wire.Act | wire.Undo | wire.Say | wire.Phrase | wire.Sit | wire.Leave | wire.Again | wire.Remove | wire.Relieve
    | wire.Allow
)  # fmt: skip
"""Commands that leave an entry in the log, if they are done."""


PROMPT: Final = 3.5
"""Seconds within which a page comes."""
HUSHED: Final = ("commit", "diabolo", "pope_joan")
"""Games that ask secret questions: they cannot be played by post."""
ANSWERED: Final = 0.9
"""Seconds within which a server answers a command, or passes on what another one answers: a guest asks again later."""


_MESSAGE: Final = """entry LIKE '{"what":"said"%' AND json_extract(entry, '$.text') != ''"""
_BEGUN: Final = '{"what":"begun"%'

Said = tuple[str, int, int, int]
"""A sentence: its event, whom it is about, and its values."""


class Broken(AssertionError):
    """Something is not as it must be."""


class Reader:
    """Reads the log of a table as it is on disk, and plays it for itself: what it says is what happened."""

    def __init__(self, world: World, name: str) -> None:
        self._world, self._name = world, name
        self._context = world.context.copy()
        self.table: Table | None = None
        self.meant: dict[str, tuple[int, int]] = {}
        """For each act of a guest, by its command, what their seat had seen then; not where the question was secret."""

    def read_on(self) -> str:
        """Read what is new; return what is wrong with it, if anything."""
        return self._context.run(self._read_on)

    def _read_on(self) -> str:
        asked = "SELECT version, entry, command, at FROM entries WHERE table_id = ? AND version > ? ORDER BY version"
        known = 0 if self.table is None else self.table.version
        for version, text, command, at in self._world.disk.look(asked, self._name, known):
            entry, table = log.decode(text), self.table
            if table is None:
                assert isinstance(entry, log.Opened)
                self.table = Table(entry)
                continue
            if isinstance(entry, log.Did) and command and not table.is_hushed:
                self.meant[command] = table.known.moment(entry.seat)
            steps = [*table.state.history] if isinstance(entry, log.Undone | log.Rewound) and table.state else []
            table.commit(Change(entry), at, command)
            if steps and [*table.playing.history] != steps[: entry.steps if isinstance(entry, log.Rewound) else -1]:
                return f"entry {version} of {self._name} takes back something else than the last step"
        return ""


class Checks:
    """Looks at everything that is heard and kept.  ``is_fair``: nothing goes wrong in this world; ``is_clean``: nothing
    that leaves anything behind."""

    def __init__(self, world: World, is_fair: bool, is_clean: bool) -> None:
        self.world, self.is_fair, self.is_clean = world, is_fair, is_clean
        self.done: dict[tuple[str, str], float] = {}
        """What was acknowledged, by table and command, and until when it is kept for sure."""
        self.told: dict[tuple[str, int, int, int, bool], bytes] = {}
        self.versions: dict[tuple[str, str, int], int] = {}
        self._unlinked = set[tuple[str, int]]()  # tables and matches whose records lost their chain with a name
        self.acknowledged = self.compared = self.records = self.pages = 0
        self.readers: dict[str, Reader] = {}
        self.broken = ""
        self.is_alone = False
        """Whether one guest plays with bots, and nobody can be anywhere else."""
        self.reviews: dict[int, tuple[Review, Server, float]] = {}
        """Those that have not ended, where, and since when they are known."""

    def fail(self, what: str) -> NoReturn:
        """Something is broken: the world ends here."""
        self.broken = self.broken or what
        self.world.tell(f"BROKEN: {what}")
        self.world.loop.stop()
        raise Broken(what)

    def prompt(self, guest: Guest, command: wire.AnyCommand, since: float) -> None:
        """If nothing goes wrong, every question but a hushed one is answered soon."""
        took = self.world.loop.time() - since
        is_hushed = isinstance(command, wire.Act) and guest.game in HUSHED
        if self.is_fair and not is_hushed and took > self.world.pace * ANSWERED:
            self.fail(f"{guest.name} was answered to {command!r} after {took:.1f} s though nothing is wrong")

    def answered(self, guest: Guest, command: wire.AnyCommand, done: bool, answer: wire.Done | wire.Refused) -> None:
        """An acknowledged command is on disk, once, and remains so; one that is refused is not."""
        if done and isinstance(answer, wire.Refused):
            self.fail(f"{guest.name} was told that {command!r} is done, and then that it is refused: {answer.sentence}")
        if not isinstance(command, WRITTEN):
            return
        name = f"{guest.key[:20]} {command.id}"
        found = self.world.disk.look("SELECT count(*) FROM entries WHERE command = ?", name)[0][0]
        if isinstance(answer, wire.Refused):
            if found and not (answer.later and self.world.disk.was_away):  # else the server could have seen it
                self.fail(f"{guest.name} was told that {command!r} is refused ({answer.sentence}), and it is on disk")
            return
        self.acknowledged += 1
        if found != 1:
            self.fail(f"{guest.name} was told that {command!r} is done, and it is on disk {found} times")
        is_said = isinstance(command, wire.Say | wire.Phrase)
        self.done[guest.table, name] = self.world.loop.time() + self.world.keep.chat if is_said else inf
        seen = self.world.seen.get(name, [None])
        if isinstance(command, wire.Act) and None not in seen:
            meant = self.read(guest.table).meant.get(name)
            if meant is not None and meant not in seen:
                self.fail(f"{guest.name} did {command.action!r} at {meant}, and was at another server at {seen}")

    def visited(self, asked: str, status: int, body: bytes, since: float) -> None:
        """A page comes soon where nothing goes wrong, and is never a fault of the server's."""
        took = self.world.loop.time() - since
        if status >= 500 and (status != 503 or self.is_fair):
            self.fail(f"{asked} is answered by {status}: {body[:200]!r}")
        if self.is_fair and took > self.world.pace * PROMPT and not asked.endswith("/review"):  # it waits for news
            self.fail(f"{asked} took {took:.1f} s though nothing is wrong")
        self.pages += 1

    def reviewed(self, server: Server) -> None:
        """Somebody has looked at a review: it comes to its end, as do those that others have asked for."""
        for one in server.tables.reviews._kept.values():
            self.reviews.setdefault(id(one), (one, server, self.world.loop.time()))
        self._see_reviews()

    def _see_reviews(self) -> None:
        for key, (review, server, since) in list(self.reviews.items()):
            took = self.world.loop.time() - since
            if review.done or not server.process.is_alive:
                del self.reviews[key]
            elif server.is_there and took > BUSY + LONGEST + 40.0 * self.world.pace:
                self.fail(f"a review by {review.kind} has not ended for {took:.0f} s")

    def tournament(self, found: dict[str, Any], players: int, rounds: int) -> None:
        """After a round, everybody has played or had a bye as often as there were rounds; each has one place."""
        rows = found["standings"]
        if sorted(row["played"] + row["byes"] for row in rows) != [rounds] * players:
            self.fail(f"after {rounds} rounds of {players} players the standings say {rows}")
        for one in found["played"]:
            sat = [name for table in one["tables"] for name in table["players"]] + one["byes"]
            if len({*sat}) != len(sat):
                self.fail(f"somebody sits at two tables of a round: {sat}")

    def same_cards(self) -> None:
        """All tables of an event deal the same cards."""
        first: dict[str, tuple[str, list[str]]] = {}
        for (name,) in self.world.disk.look("SELECT id FROM tables"):
            table = self.read(name).table
            if table is None or not table.deals_alike or not table.has_begun:
                continue
            begun = self.world.disk.look("SELECT entry FROM entries WHERE table_id = ? AND entry LIKE ?", name, _BEGUN)
            entry = log.decode(begun[0][0])
            dealt = entry.fell if isinstance(entry, log.Begun) else []
            other, cards = first.setdefault(table.opened.event, (name, dealt))
            if cards != dealt:
                self.fail(f"the tables {other} and {name} of {table.opened.event} have other cards")

    def fence(self, table: str) -> int:
        """How often a table has been taken over."""
        return int(self.world.disk.look("SELECT fence FROM tables WHERE id = ?", table)[0][0])

    def read(self, table: str) -> Reader:
        """Read the log of a table on."""
        reader = self.readers.setdefault(table, Reader(self.world, table))
        if wrong := reader.read_on():
            self.fail(wrong)
        return reader

    def heard(self, guest: Guest, packet: bytes) -> None:
        """One history: what a seat sees at a moment is the same whoever says it, and whenever."""
        frame = wire.decode(packet)
        if not isinstance(frame, wire.Telling):
            return
        where = guest.table, frame.seat, frame.match, frame.version
        digest = _digest(frame, guest.items)
        key = (*where, guest.items)
        seat, match, story = guest.story
        is_forgotten = bool(frame.closed) and frame.seat == WATCHER  # who sat at a closed table
        is_same_story = match == frame.match and (seat == frame.seat or is_forgotten)
        story, before_these = story if is_same_story else [], frame.heard - len(frame.new)
        if before_these > len(story):
            self.fail(f"{guest.name} misses sentences: {len(story)}, {len(frame.new)} new, {frame.heard} in all")
        guest.story = frame.seat, frame.match, [*story[:before_these], *_plain(frame.new)]
        now, before = self.world.loop.time(), guest.told if guest.told_at > guest.since else None
        if before is None:
            self._same_story(guest, frame)
        is_same = before is not None and (before.seat, before.match) == (frame.seat, frame.match)
        if before is not None and is_same and before.version == frame.version and not frame.closed:
            self.fail(f"{guest.name} is told nothing new: somebody else has done something")
        is_news = before is None or not is_same or before.heard < frame.heard
        if guest.hushed and self.is_fair and is_same and not frame.over and (is_news or not frame.hushed):
            if now - guest.hushed < 0.9 * guest.terms.beat and not self._taken_back(guest.table):
                self.fail(f"a secret question took {now - guest.hushed:.1f} s, not {guest.terms.beat:.1f} s")
        if not (is_same and frame.hushed):
            guest.hushed = None if frame.hushed else 0.0
        elif is_news or guest.hushed == 0.0:
            guest.hushed = now
        if before is not None and is_same:
            self.showed(guest, before, frame)
        here = now - guest.since
        if frame.seat != WATCHER and frame.players[frame.seat].away and not guest.terms.patience and self.is_fair:
            if here > 10 * self.world.pace:
                self.fail(f"{guest.name} is here, and a bot plays for them")
        self.compared += 1
        if self.told.setdefault(key, digest) != digest:
            self.fail(
                f"{guest.name} (seat {frame.seat}) is shown two different things at version {frame.version} of"
                f" {guest.table}"
            )

    def _same_story(self, guest: Guest, frame: wire.Telling) -> None:
        """Whoever comes back has heard, before and since, what the log says that their seat was told."""
        table = self.read(guest.table).table
        if frame.closed or table is None or table.known.moment(frame.seat) != (frame.match, frame.version):
            return
        if guest.story[2] != _plain(table.known.telling(frame.seat).new):
            self.fail(f"{guest.name} has come back, and heard other sentences than were said to seat {frame.seat}")

    def showed(self, guest: Guest, before: wire.Telling, frame: wire.Telling) -> None:
        """Bots wait until the page of the only guest has shown what was told before, if it says what it shows."""
        bots = [seat for seat in before.asked if not before.players[seat].guest]
        if not (guest.says_shown and guest.terms.pace and bots) or len(bots) < len(before.asked):
            return
        if before.seat == WATCHER:
            return  # who only watches keeps nobody waiting
        table, soon = self.read(guest.table).table, 4 * self.world.weather.slow
        if frame.heard <= before.heard or table is None or "at_once" in table.game.definition.words["game"]:
            return
        is_late = self.world.loop.time() - guest.said_at > SILENT - soon or guest.told_at - guest.says_since < soon
        if self.world.weather.tail or is_late or guest.said_shown is None:
            return
        if guest.said_shown < (before.match, before.heard):
            self.fail(f"a bot moved when the page of {guest.name} had shown {guest.said_shown}")

    def _taken_back(self, table: str) -> bool:
        what = ("undone", "rewound")
        found = "SELECT 1 FROM entries WHERE table_id = ? AND json_extract(entry, '$.what') IN (?, ?)"
        return bool(self.world.disk.look(found, table, *what))

    def recorded(self, guest: Guest, match: int, text: str) -> None:
        """A record fits what its guest has seen, and its deal can be checked."""
        told = guest.told
        if (
            told is None
            or guest.witness.match != match
            or told.match != match
            or (guest.table, match) in self._unlinked
        ):
            return
        self.records += 1
        said = guest.witness.against(text, [one.name for one in told.players])
        is_same = guest.mixed in {(0, 0), (match, self.fence(guest.table))}  # one server has run the table throughout
        said = [one for one in said if one.startswith("The server") and (is_same or "number" not in one)]
        if said:
            self.fail(f"{guest.name} finds in the record of match {match}: {said[0]}")
        try:
            is_fair = verify(text).is_fair
        except ParlourError as wrong:
            is_fair = "revealed" in str(wrong)  # the deal is not revealed yet
        if not is_fair:
            self.fail(f"the deal of match {match} does not follow from its secret, or its chain is broken")

    def goes_on(self, guests: Sequence[Guest], gone: float) -> None:
        """Some time after the last fault everybody is served: nobody waits for an answer, and no table for a server.
        ``gone``: so many seconds ago, guests have left without a word."""
        now, pace = self.world.loop.time(), self.world.pace
        for guest in guests:
            old = [command for command, since in guest.waiting.values() if now - since > 35.0 * pace]
            if old and guest.line is not None and now - guest.since > 5.0 * pace:
                self.fail(f"{guest.name} has waited for an answer to {old[0]!r} for more than 35 s")
        runs = {live.id: live for live in self._running()}
        here = [(guest, guest.line, runs[guest.table]) for guest in guests if guest.line and guest.table in runs]
        known = [(*one, one[-1].table.known.moment(one[-1].table.seat_of(one[0].key))) for one in here]
        over = [(live, live.table.match + live.table.is_over) for live in self._running()]
        self.moves_on(20.0 * pace)
        for live, end in over:
            self._see_results(live, end)
        for guest, line, live, moment in known:
            told = guest.told
            if guest.line is not line or live.table.frozen or live.fence is None:
                continue
            if told is None or (told.match, told.version) < moment:
                self.fail(f"{guest.name} was not told what has happened at table {live.code}")
            now_told = live.table.known.telling(told.seat)
            is_same = (told.match, told.version) == (now_told.match, now_told.version)
            if is_same and not told.closed and guest.story[2] != _plain(now_told.new):
                self.fail(f"{guest.name} has heard other sentences than were said at table {live.code}")
        for live in self._running():
            table = live.table
            left = [
                seat for seat in table.asked if table.seats[seat].key and not live.audience.has(table.seats[seat].key)
            ]
            waits = table.opened.by_post or table.opened.grace > gone + 20.0 * pace  # as the tables of events do
            if left and not (table.is_hushed or waits or self._is_still(live)):
                if any(not table.seats[seat].is_bots for seat in left) and not live.audience.elsewhere:
                    self.fail(f"table {live.code} waits for seats {left}, whose guests have gone")
        self.is_run()
        self.none_is_left()

    def moves_on(self, seconds: float) -> None:
        """In this time, no table waits for a bot, or for chance."""
        waiting = {live.id: live.table.version for live in self._running() if self._waits(live)}
        self.world.run(seconds)
        if self.broken:
            raise Broken(self.broken)
        for live in self._running():
            if waiting.get(live.id) == live.table.version and self._waits(live):
                self.fail(f"table {live.code} waits for a bot, or for chance, and does not go on")

    def none_is_left(self) -> None:
        """No command is in the inbox for longer than anybody waits."""
        old = self.world.disk.now() - 15.0 * self.world.pace
        left = self.world.disk.look("SELECT key FROM inbox WHERE at < ?", old)
        if left and self.is_clean:
            self.fail(f"{left[0][0]} is in the inbox, and nobody waits for it")

    async def taken_over(self, killed: Server) -> None:
        """A server has been killed, and nothing else goes wrong: others that follow its tables run them soon."""
        world, soon = self.world, 2.0 * ROUND * self.world.pace + 25 * self.world.weather.slow
        known = [one for one in world.there if world.loop.time() - one.since > soon]
        left = {name for name, live in killed.tables.live.items() if live.fence is not None and not live.table.closed}
        follow = [(one, name) for one in known for name in left & one.tables.live.keys()]
        if world.loop.time() - killed.since <= soon:
            return
        await asyncio.sleep(soon)
        for server, name in follow:
            if name in server.tables.live and server in world.there and name not in {one.id for one in self._running()}:
                self.fail(f"table {name} was left by {killed.process}, and {server.process} has not taken it over")

    def is_run(self) -> None:
        """Each table at which somebody is, and has been for as long as a page may take, is run by a server."""
        run = {live.id for live in self._running()} | self._closed()
        since = self.world.loop.time() - PROMPT * self.world.pace
        for guest in self.world.guests:
            if guest.line is not None and guest.since < since and guest.told is not None and guest.table not in run:
                self.fail(f"{guest.name} is at table {guest.table}, which no server runs")

    def _see_results(self, live: LiveTable, end: int) -> None:
        """The results of matches that are over are kept for their guests, once, and so are their ratings."""
        server = next((one for one in self.world.there if live.id in one.tables.live), None)
        if server is None or live.table.frozen:
            return
        with self.world.loop.aside():
            past = [server.context.run(server.tables._read, live.id, match)[0] for match in range(1, end)]
        look = self.world.disk.look
        kept = {match for (match,) in look("SELECT match FROM counted WHERE table_id = ?", live.id)}
        for table in past:
            if results_of(table, live.code, 0.0) and table.match not in kept:
                self.fail(f"nobody is told how match {table.match} of table {live.code} ended")
        for guest, said, rated in look(
            "SELECT guest, matches, (SELECT count(*) FROM results AS r WHERE r.guest = ratings.guest"
            " AND json_array_length(r.result, '$.rating') > 0) FROM ratings"
        ):
            if said != rated:
                self.fail(f"{guest} is rated by {said} matches, and has played {rated}")

    def _running(self) -> list[LiveTable]:
        """The tables that servers run."""
        lives = [live for server in self.world.there for live in server.tables.live.values()]
        return [live for live in lives if live.fence is not None]

    def _is_still(self, live: LiveTable) -> bool:
        """Whether nothing has to happen at a table."""
        here = live.audience.connections or any(one.line and one.table == live.id for one in self.world.guests)
        return bool(live.table.closed or live.table.frozen or not here)

    def _waits(self, live: LiveTable) -> bool:
        table = live.table
        if self._is_still(live):
            return False
        guests = {seat for seat, guest in enumerate(table.seats) if not guest.is_bots}
        if (table.is_over and table.again and guests <= table.again) or not (table.match or table.opened.awaits):
            return True  # the answer is about another match
        return table.waits_for_chance or any(table.seats[seat].is_bots for seat in table.asked)

    def empty(self) -> None:
        """When everybody has gone, servers hold nothing any more, nor does the inbox."""
        held = self._held()
        if held:  # what is due at tables by post is looked after now and then
            self.world.run(housekeeping.IDLE + 3.0 * housekeeping.HOUSE)
        for server, live in set(held) & set(self._held()):
            self.fail(f"{server.process} still holds {live.code}, where nobody is")
        for server in self.world.there:
            tables = server.tables
            if tables.reviews._tasks:
                self.fail(f"{server.process} still reviews {[*tables.reviews._tasks]}")
            if tables.neighbours._passed_on:
                self.fail(f"{server.process} still has commands of other servers: {tables.neighbours._passed_on}")
            if len(tables._tasks) > 6:
                self.fail(f"{server.process} has {len(tables._tasks)} tasks though nobody is there")
        waiting = self.world.disk.look("SELECT count(*) FROM inbox")[0][0]
        if waiting:
            self.fail(f"{waiting} commands are in the inbox, and nobody waits for them")

    def _held(self) -> list[tuple[Server, LiveTable]]:
        """The tables in the memory of servers that run them, where nothing is owed to anybody."""
        there = [(server, live) for server in self.world.there for live in server.tables.live.values()]
        return [(server, live) for server, live in there if live.fence is not None and not live.table.owes_results]

    def at_rest(self) -> None:
        """What must be so when everything is quiet."""
        world = self.world
        if world.journal.errors:
            self.fail(f"a server's journal has an error: {world.journal.errors[0]}")
        if world.loop.wrong:
            self.fail(f"nobody caught: {world.loop.wrong[0]}")
        for table, head, number, first, last in world.disk.look(
            "SELECT t.id, t.version, count(*), min(e.version), max(e.version) FROM tables t JOIN entries e"
            " ON e.table_id = t.id GROUP BY t.id"
        ):
            if not head == number == last or first != 1:
                self.fail(f"the log of {table} has {number} entries from {first} to {last}, its head is {head}")
        self.same_cards()
        self._see_reviews()
        dated = [at for (at,) in world.disk.look("SELECT at FROM entries UNION SELECT at FROM results") if at]
        if dated and not (world.disk.epoch - 1 <= min(dated) and max(dated) <= world.disk.now() + 1):
            self.fail(f"something is dated from {min(dated)} to {max(dated)}, and now it is {world.disk.now()}")
        for (table,) in world.disk.look("SELECT id FROM tables"):
            told = self.read(table).table
            assert told is not None
            for seat in (*range(told.game.players), WATCHER):
                match, version = told.known.moment(seat)
                heard = self.told.get((table, seat, match, version, False))
                if heard is not None and heard != _digest(told.known.telling(seat)):
                    self.fail(f"seat {seat} of {table} was told something else at version {version} than the log says")
        kept = set(world.disk.look("SELECT table_id, command FROM entries"))
        closed = self._closed()  # what identifies guests is deleted there after a while
        for (table, name), until in self.done.items():
            if table not in closed and (table, name) not in kept and until > world.loop.time():
                self.fail(f"{name} was acknowledged, and is not on disk any more")

    def rewritten(self, guest: str) -> None:
        """Logs are about to change with a guest: what they said before counts no more."""
        self.readers.clear()
        self.told.clear()
        self._unlinked |= {(one.table, one.witness.match) for one in self.world.guests}
        self.done = {one: until for one, until in self.done.items() if not one[1].startswith(guest[:20])}

    def is_unknown(self, guest: str) -> None:
        """Nothing is known of a guest any more, but that their token has ended."""
        look = self.world.disk.look
        for (table,) in look("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'ended'"):
            for _, column, *_ in look(f"PRAGMA table_info({table})"):
                for part in {guest, guest[:20] + " "}:
                    if look(f"SELECT 1 FROM {table} WHERE instr(CAST({column} AS TEXT), ?)", part):
                        self.fail(f"{column} of {table} still knows {guest[:20]}")

    def past_its_time(self, keep: Keep) -> None:
        """What is past its time is gone, a day or so later; nothing is left of a table that is."""
        look, now = self.world.disk.look, self.world.disk.now() - DAY - 2 * 3600.0 * max(1.0, self.world.pace / 100)
        tables = "(SELECT id FROM tables WHERE closed < ?)"
        keyed = f"entry LIKE '%key\":\"%' AND entry NOT LIKE '%key\":\"nobody %' AND table_id IN {tables}"
        for what, found, before in (
            ("a table", f"SELECT 1 WHERE EXISTS {tables}", keep.finished),
            ("a secret", f"SELECT 1 FROM secrets WHERE table_id IN {tables}", keep.secrets),
            ("a seat", f"SELECT 1 FROM seatings WHERE table_id IN {tables}", keep.secrets),
            ("a command", f"SELECT 1 FROM entries WHERE command IS NOT NULL AND table_id IN {tables}", keep.secrets),
            ("a fingerprint", f"SELECT entry FROM entries WHERE {keyed}", keep.secrets),
            ("a message", f"SELECT 1 FROM entries WHERE {_MESSAGE} AND at < ?", keep.chat),
            ("a result", "SELECT 1 FROM results WHERE at < ?", keep.results),
            ("a rating", "SELECT 1 FROM ratings WHERE at < ?", keep.results),
        ):
            if look(found, now - before):
                self.fail(f"{what} is kept for longer than {before / DAY:g} days")
        for name in ("entries", "secrets", "seatings", "inbox", "presence", "counted"):
            if look(f"SELECT 1 FROM {name} WHERE table_id NOT IN (SELECT id FROM tables)"):
                self.fail(f"{name} has rows of a table that is gone")

    def _closed(self) -> set[str]:
        """The tables that no longer exist."""
        there = {table for (table,) in self.world.disk.look("SELECT id FROM tables WHERE closed IS NULL")}
        return {table for table, _ in self.done if table not in there} | {
            one.table for one in self.world.guests
        } - there


def _digest(frame: wire.Telling, items: bool = False) -> bytes:
    """What is shown by a telling, however much was told before it; a closed table may have forgotten its host."""
    host, view = -1 if frame.closed else frame.host, {} if items else frame.view
    shown = msgspec.structs.replace(frame, new=[], moments=[], items=[], view=view, host=host)
    return hashlib.blake2b(msgspec.json.encode(shown), digest_size=16).digest()


def _plain(sentences: Sequence[wire.Sentence]) -> list[Said]:
    """What sentences say, whatever names those at the table had then."""
    return [(one.event, one.who, one.a, one.b) for one in sentences]


__all__ = ["Broken", "Checks"]
