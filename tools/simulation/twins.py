"""Two worlds that a seat must not be able to tell apart: it is sent the same bytes at the same moments.

Chance and everybody's choices are given (:func:`tests.worlds.pairs`), everything takes a fixed time, and a guest sits
in the seat, or watches, and asks and tries things now and then.  Whatever they hear in one world and not in the other,
or sooner or later there, they could only have learned from what is kept from them.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from random import Random
from typing import Final
from unittest.mock import patch

from msgspec import json

import parlour
from parlour.core.game import Game
from parlour.players.kinds import kinds
from parlour.rules.vocabulary import CHANCE
from parlour.server.common import wire
from parlour.server.table import chance as chances
from parlour.server.table import log
from parlour.server.table.seats import WATCHER, fingerprint
from tests.worlds import Steps, opened, pairs
from tools.simulation.loop import Killed
from tools.simulation.world import Line, World

_SEALED: Final = re.compile(rb"\b[0-9a-f]{64}\b")
"""Links of the record's chain: they bind what is secret, by a key that is secret, too."""

SLOWED: Final = 20.0
"""How much more slowly servers do what they do on their own."""
GAMES: Final = ("commit", "diabolo", "commit", "leduc", "pope_joan", "commit", "kuhn", "dividha", "matrimony", "hearts")
"""What is played: games with secret questions more than others."""

WALKS: Final = 6
"""How many games are searched for two in which different seats are asked in secret."""

Heard = list[tuple[float, bytes]]
"""What somebody was sent, and when."""


class Terms:
    """What is the same in both worlds: how fast everything is, where everybody is connected, what is tried.
    ``whispers``: in the end others are asked in secret, which takes its time, and a guest has the seat."""

    def __init__(self, seed: int, whispers: bool = False) -> None:
        chance = Random(seed)
        self.seed = seed
        self.servers = chance.choice([1, 1, 2])
        self.latency = chance.choice([0.003, 0.02, 0.1])
        self.thinks = chance.choice([0.3, 1.0, 2.5])
        self.pace, self.beat = chance.choice([0.0, 1.0]), chance.choice([0.0, 3.0, 3.0])
        self.apart = chance.random() < 0.5
        self.steps, self.holds = chance.random() < 0.5, chance.random() < 0.5
        self.tries = chance.random() < 0.7
        self.bot = chance.choice(["", "rule-of-thumb"])
        """What has the seat, if nobody has."""
        if whispers:
            self.beat, self.bot = 3.0, ""


class Player:
    """A guest who makes given choices: the first when asked for the first time, and so on."""

    def __init__(self, twin: Twin, seat: int, acts: list[str]) -> None:
        self.twin, self.seat, self.acts, self.done = twin, seat, acts, 0
        self.key = fingerprint(f"twin {seat}")
        self.heard: Heard = []
        self.line: Line | None = None
        self.numbers = itertools.count(1)
        self.answered: tuple[int, int] | None = None

    def connect(self, server: int) -> None:
        """Be there."""
        world = self.twin.world
        there = world.servers[server % len(world.servers)]
        self.line = Line(world, there, self._hear, lambda: None)
        terms = self.twin.terms
        self.line.open(self.twin.table, self.key, steps=terms.steps, holds=terms.holds)

    def ask(self, command: wire.AnyCommand) -> None:
        """Want something."""
        assert self.line is not None
        self.line.ask(json.encode(command))

    def _hear(self, packet: bytes) -> None:
        loop = self.twin.world.loop
        self.heard.append((round(loop.time(), 6), _SEALED.sub(b"0", packet)))
        frame = wire.decode(packet)
        if not isinstance(frame, wire.Telling) or frame.seat != self.seat:
            return
        if frame.held and self.seat != WATCHER and self.seat not in frame.again:
            self.ask(wire.Again(id=f"again{next(self.numbers)}"))
        if frame.choices and self.answered != (frame.match, frame.version) and self.done < len(self.acts):
            self.answered = frame.match, frame.version
            loop.call_later(self.twin.terms.thinks, self._act)
        elif frame.hushed and frame.choices and self.answered != (frame.match, frame.version):  # the last question
            self.answered = frame.match, frame.version
            self.ask(wire.Act(id="last", action=frame.choices[-1].name))

    def _act(self) -> None:
        if self.done < len(self.acts):
            self.done += 1
            self.twin.acted()
            self.ask(wire.Act(id=f"act{next(self.numbers)}", action=self.acts[self.done - 1]))


class Twin:
    """One of two worlds."""

    def __init__(self, game: Game, steps: Steps, seat: int, terms: Terms) -> None:
        self.game, self.steps, self.seat, self.terms = game, steps, seat, terms
        self.world = World(terms.seed, shared=terms.servers > 1, pace=SLOWED)
        self.world.weather.slow, self.world.weather.is_even = terms.latency, True
        self.table, self.ended = "", inf
        self.players: list[Player] = []
        self._alarm: asyncio.TimerHandle | None = None

    def outcome(self, state: object) -> int:
        """What chance brings next; if there is nothing more, the world ends."""
        at = len(state.history)  # type: ignore[attr-defined]
        if at >= len(self.steps) or self.steps[at][0] != CHANCE:
            self._end()
            raise Killed
        return self.steps[at][1]

    def acted(self) -> None:
        """Somebody acts; when everybody has, or nobody does for a minute, the world ends."""
        is_all = all(one.done == len(one.acts) for one in self.players)
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self.world.loop.call_later(2 * self.terms.beat + 6.0 if is_all else 60.0, self._end)

    def _end(self) -> None:
        self.ended = min(self.ended, self.world.loop.time())
        self.world.loop.stop()

    def heard(self) -> Heard:
        """Let it all happen; return what the seat was sent, and when."""
        with self._given():
            self.world.do(self._play())
            self.world.run(60.0 + 2 * len(self.steps) * (self.terms.thinks + self.terms.beat + self.terms.pace + 8.0))
        self.world.loop.bury()
        assert not self.world.loop.wrong, self.world.loop.wrong[0]
        return next((one.heard for one in self.players if one.seat == self.seat), None) or self._chosen()

    def _chosen(self) -> Heard:
        """What a bot has chosen in the seat, and when, up to the first time that it was not what was given."""
        found, given = Heard(), iter(self._acts(self.seat))
        for text, at in self.world.disk.look("SELECT entry, at FROM entries ORDER BY version"):
            entry = log.decode(text)
            if isinstance(entry, log.Did) and entry.seat == self.seat:
                found.append((round(at - self.world.disk.epoch, 3), json.encode(entry.actions)))
                if entry.actions != [next(given, "")]:
                    break
        return found

    def _acts(self, seat: int) -> list[str]:
        return [self.game.action_names[a] for who, a in self.steps if who == seat]

    @contextmanager
    def _given(self) -> Iterator[None]:
        with patch.object(chances, "fair_outcome", self.outcome):
            yield

    async def _play(self) -> None:
        world, game, terms = self.world, self.game, self.terms
        for _ in range(terms.servers):
            world.start_server()
        await asyncio.sleep(1.0)
        first = world.servers[0]
        is_bots = terms.bot in kinds(game) and self.seat != WATCHER
        bots = [terms.bot if is_bots and seat == self.seat else "random" for seat in range(game.players)]
        table = opened(game, pace=terms.pace, beat=terms.beat, awaits=game.players - bool(is_bots), bots=bots)
        live = await first.do(first.tables.open(table))
        self.table = live.id
        names = [str(name) for name in ["Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hal"]]
        for seat in range(game.players):
            if is_bots and seat == self.seat:
                continue
            player = Player(self, seat, self._acts(seat))
            self.players.append(player)
            player.connect(1 if terms.apart and seat == self.seat else 0)
        if self.seat == WATCHER:
            self.players.append(watcher := Player(self, WATCHER, []))
            watcher.connect(1)
        await asyncio.sleep(2.0)
        for player in self.players:
            if player.seat != WATCHER:
                player.ask(wire.Sit(id="sit", name=f"{names[player.seat % 8]}{player.seat}", seat=player.seat))
                await asyncio.sleep(1.0)
        self.acted()
        if terms.tries and not is_bots:
            await self._try_things()

    async def _try_things(self) -> None:
        """What a curious guest may try: each answer, and when it comes, is the same."""
        curious = next(one for one in self.players if one.seat == self.seat)
        chance = Random(self.terms.seed)
        for n in range(200):
            await asyncio.sleep(chance.uniform(0.5, 4.0))
            name = chance.choice(self.game.action_names)
            tries: list[wire.AnyCommand] = [
                wire.Why(id=f"why{n}", action=name), wire.Say(id=f"say{n}", text="Hm."),
                wire.Act(id=f"no{n}", action="no such thing"), wire.Again(id=f"again-{n}"),
            ]  # fmt: skip
            curious.ask(chance.choice(tries))


def _whole(game: Game, steps: Steps) -> Steps:
    """The steps up to where no sealed question is half answered."""
    state, end = game.new(), 0
    for n, (who, a) in enumerate(steps):
        state.apply(a, None if who == CHANCE else who)
        if not state.is_sealed:
            end = n + 1
    return steps[:end]


def drawn(seed: int) -> tuple[Game, int, Steps, Steps, bool]:
    """Return the game of a seed, a seat, and the steps of two worlds that it must not be able to tell apart; if there
    are any, two in which others are asked in secret at last, and whether there are."""
    chance, found = Random(f"pair {seed}"), list[tuple[int, Steps, Steps]]()
    name = chance.choice(GAMES)
    rules = {"stake_visibility": "secret"} if name == "matrimony" else {}
    game = parlour.load(name, None, **rules)
    for n in itertools.count(WALKS * seed):
        for seat, first, second in pairs(game, 1, chance.choice([6, 10]), 1, first=n):
            if _asked_at_last(game, first) != _asked_at_last(game, second):
                return game, seat, first, second, True
            found.append((seat, first, second))
        if found and (name != "commit" or n >= WALKS * (seed + 1)):
            return game, *chance.choice(found), False
    raise AssertionError


def _asked_at_last(game: Game, steps: Steps) -> Sequence[int]:
    state = game.new()
    for who, a in steps:
        state.apply(a, None if who == CHANCE else who)
    return state.acting if state.hushed and state.current_player != CHANCE else ()


def differ(game: Game, seat: int, first: Steps, second: Steps, terms: Terms) -> tuple[int, float, str]:
    """Return how much was compared, how many seconds the two worlds lasted, and where they differ for a seat; empty if
    they do not."""
    twins, heard = list[Twin](), list[Heard]()
    for steps in (first, second):  # the second begins when the first is over: else its bots would go on with their luck
        twins.append(Twin(game, _whole(game, steps), seat, terms))
        heard.append(twins[-1].heard())
    seconds, end = sum(twin.world.loop.time() for twin in twins), min(twin.ended for twin in twins)
    one, other = ([(at, packet) for at, packet in told if at < end] for told in heard)
    for mine, others in itertools.zip_longest(one, other):
        if mine != others:
            return len(one), seconds, f"{game!r}, seat {seat}, seed {terms.seed}:\n{mine}\n{others}"
    return len(one), seconds, ""


__all__ = ["Terms", "Twin", "differ", "drawn"]
