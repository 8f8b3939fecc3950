"""Positions with the way that led there: what random walks, exhaustive walks and consistent worlds are made of.

Trails are made by calling the rules themselves, one step at a time, and never change: a step makes a new trail.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from parlour.engine.audit.report import step_name
from parlour.engine.memory import Event, Memory, is_pending
from parlour.engine.mixing import seed_word
from parlour.engine.telling import Item, told_each, view
from parlour.vocabulary import CHANCE, EVERYBODY, SEVERAL, TERMINAL, lowest

if TYPE_CHECKING:
    from parlour.game import Game

Frozen = tuple[Any, ...]
"""The fields of a position in order of declaration: equal exactly when the positions are."""


def frozen(game: Game, s: Any) -> Frozen:
    """A position as a value."""
    return tuple(tuple(getattr(s, n)) if f.size else getattr(s, n) for n, f in game.definition.fields.items())


def changed_fields(game: Game, a: Any, b: Any) -> str:
    """Which fields of two positions differ, and how."""
    pairs = zip(game.definition.fields, frozen(game, a), frozen(game, b), strict=True)
    return ", ".join(f"{name} {x} / {y}" for name, x, y in pairs if x != y)


class Trail:
    """A position ``s``, what everybody remembers there, and the steps that led to it.

    ``heard``: the events of the last step.  ``pending``: it answered a sealed question, and answers are still missing.
    ``own``: for each player a digest of his own history (what he did, saw,
    heard), made here independently of :class:`~parlour.engine.memory.Memory`.  ``weight``: the probability of the
    chance outcomes on the way, ``chances``.
    """

    __slots__ = (
        "_ears",
        "_seen",
        "chances",
        "game",
        "heard",
        "memory",
        "own",
        "pending",
        "s",
        "script",
        "seed",
        "steps",
        "weight",
    )

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game, self.seed, self.s = game, seed, game.start()
        self.memory = Memory(game, self.s)
        self.heard: list[Event] = []
        self.pending = False
        self.steps: tuple[tuple[int, int], ...] = ()
        self.script: tuple[str, ...] = ()
        self.weight = Fraction(1)
        self.chances: tuple[int, ...] = ()
        self._seen: list[tuple[Item, ...]] = told_each(game, self.s)
        self._ears: list[list[Event]] = [[] for _ in range(game.players)]
        self.own = [_digest(b"", items) for items in self._seen]

    @property
    def keys(self) -> list[int]:
        return self.memory.keys

    @property
    def actor(self) -> int:
        return int(self.game.definition.rules.actor(self.s))

    @property
    def acting(self) -> tuple[int, ...]:
        """Players who may act now."""
        who = self.actor
        if who == SEVERAL:
            waiting = self.game.definition.rules.acting(self.s)
            return tuple(p for p in range(self.game.players) if waiting >> p & 1)
        return (who,) if who >= 0 else ()

    def legal(self, player: int) -> list[int]:
        """Legal actions of a player who may act."""
        acts = [0] * self.game.action_count
        return acts[: self.game.definition.rules.legal(self.s, player, acts)]

    def outcomes(self) -> list[tuple[int, Fraction]]:
        """Chance outcomes and their probabilities."""
        return self.game.state_at(self.s).chance_outcomes()

    def after(self, who: int, a: int, chance: Fraction | None = None) -> Trail:
        """The trail one step on; ``chance``: the probability of the outcome, if that matters."""
        rules, game = self.game.definition.rules, self.game
        new = object.__new__(Trail)
        new.game, new.seed, new.s, new.heard = game, self.seed, self.s.copy(), []
        waiting = rules.acting(self.s) if rules.actor(self.s) == SEVERAL else 0
        name = str(rules.outcome_name(self.s, a)) if who == CHANCE else game.action_names[a]
        game.definition.step(new.s, who, a, new.heard)
        new.memory = self.memory.copy()
        new.memory.step(new.s, who, a, new.heard, waiting)
        new.steps, new.script = (*self.steps, (who, a)), (*self.script, step_name(who, name))
        new.weight = self.weight if chance is None else self.weight * chance
        new.chances = self.chances if chance is None else (*self.chances, a)
        new.pending = bool(waiting) and is_pending(rules, new.s, who, waiting, new.heard)
        self._take_in(new, who, a)
        return new

    def weighing(self, weight: Fraction) -> Trail:
        """The same with another probability."""
        if weight == self.weight:
            return self
        new = object.__new__(Trail)
        for name in Trail.__slots__:
            setattr(new, name, getattr(self, name))
        new.weight = weight
        return new

    def looks(self, player: int) -> str:
        """The position, and what the player has not taken in yet, as a text: equal exactly when they are."""
        return repr((frozen(self.game, self.s), self.pending, self._ears[player]))

    def _take_in(self, new: Trail, who: int, a: int) -> None:
        """Each player's own history one step on."""
        new.own, new._seen, new._ears = self.own[:], self._seen[:], [ear[:] for ear in self._ears]
        if who >= 0:
            new.own[who] = _digest(new.own[who], ("does", a))
        each = told_each(new.game, new.s)
        written: dict[int, str] = {}  # views by identity: many players may share one
        for p, ear in enumerate(new._ears):
            ear += heard_by(new.heard, p)
            if new.pending:
                continue
            items = each[p]
            if ear or items != self._seen[p]:
                if id(items) not in written:
                    written[id(items)] = repr(sorted(items))
                new.own[p] = _digest(new.own[p], (written[id(items)], sorted(e[1:] for e in ear)))
                new._seen[p], new._ears[p] = items, []

    def extensions(self, first: int = EVERYBODY) -> Iterator[tuple[int, int, Fraction | None]]:
        """Every step that is possible now; of several who choose at once ``first`` answers first, then the lowest
        seat."""
        who = self.actor
        if who == CHANCE:
            for k, probability in self.outcomes():
                yield CHANCE, k, probability
        elif who != TERMINAL:
            acting = self.acting
            mover = first if first in acting else acting[0]
            for a in self.legal(mover):
                yield mover, a, None


def _digest(before: bytes, fact: object) -> bytes:
    return blake2b(before + repr(fact).encode(), digest_size=16).digest()


def heard_by(events: list[Event], player: int) -> list[Event]:
    """The events of a step that a player was told."""
    return [event for event in events if event[2] in (EVERYBODY, player)]


# ------------------------------------------------------------------------------------------ random walks


@dataclass
class Walk:
    """One random game: the trails from the start (``trails[0]``) to the end or to where looking stopped, and what went
    wrong on the way (``trouble``; empty if nothing did)."""

    game: Game
    seed: int
    trails: list[Trail]
    before: list[Frozen] = field(default_factory=list)
    trouble: str = ""

    def some(self, most: int, salt: str = "") -> list[int]:
        """Up to so many places of the walk, in order, the first and the last among them."""
        places = range(len(self.trails))
        if len(places) <= most:
            return list(places)
        chosen = random.Random(f"{self.seed} {salt}").sample(places[1:-1], most - 2)
        return [0, *sorted(chosen), len(places) - 1]

    def answers(self, place: int) -> tuple[tuple[int, int], ...]:
        """The steps from this place on to where the sealed question that is asked there is answered (or the walk ends);
        one step if none is."""
        end = place + 1
        while end < len(self.trails) - 1 and self.trails[end].pending:
            end += 1
        return self.last.steps[place:end]

    @cached_property
    def last(self) -> Trail:
        return self.trails[-1]


def walk(game: Game, seed: int, most: int) -> Walk:
    """A random game of at most ``most`` steps; of several who choose at once a random one answers next."""
    choose, rng = random.Random(seed), [seed_word(seed)]
    trail = Trail(game, seed)
    found = Walk(game, seed, [trail], [frozen(game, trail.s)])
    try:
        while trail.actor != TERMINAL and len(trail.steps) < most:
            if trail.actor == CHANCE:
                who, a = CHANCE, game.state_at(trail.s).draw_outcome(rng)
            else:
                who = choose.choice(trail.acting)
                a = choose.choice(trail.legal(who))
            trail = trail.after(who, a)
            found.trails.append(trail)
            found.before.append(frozen(game, trail.s))
    except Exception as error:  # whatever the rules do wrong is a finding
        found.trouble = f"{type(error).__name__}: {error}"
    return found


def every_trail(game: Game, most: int) -> list[Trail]:
    """All trails of a game (of several who choose at once the lowest seat answers first); none if there are more than
    ``most``."""
    if not _is_small(game, most):
        return []
    found, todo = [], [Trail(game)]
    while todo:
        trail = todo.pop()
        found.append(trail)
        todo += [trail.after(*step) for step in trail.extensions()]
    return found


def _is_small(game: Game, most: int) -> bool:
    """Whether a game has at most so many histories."""
    rules, todo, found, acts = game.definition.rules, [game.start()], 0, [0] * game.action_count
    while todo and found + len(todo) <= most:
        s = todo.pop()
        found += 1
        who = rules.actor(s)
        if who == CHANCE:
            outcomes = rules.chance(s)
            for k in (k for k in range(outcomes.bit_length()) if outcomes >> k & 1):
                todo.append(s.copy())
                game.definition.step(todo[-1], CHANCE, k, None)
        elif who != TERMINAL:
            who = lowest(rules.acting(s)) if who == SEVERAL else who
            for a in acts[: rules.legal(s, who, acts)]:
                todo.append(s.copy())
                game.definition.step(todo[-1], who, a, None)
    return not todo


# ------------------------------------------------------------------------------------------ consistent worlds


def answering_first(walked: Walk, player: int) -> list[Trail]:
    """The trails of a walk in which the player answers each sealed question before the others do."""
    trail = walked.trails[0]
    trails = [trail]
    while len(trails) < len(walked.trails):
        for who, a in sorted(walked.answers(len(trails) - 1), key=lambda step: step[0] != player):
            trail = trail.after(who, a)
            trails.append(trail)
    return trails


def consistent_worlds(walked: Walk, player: int, most: int) -> Iterator[tuple[Trail, list[Trail] | None]]:
    """For each place of a walk where the player's key is new: all histories that he cannot tell from the real one, by
    exact enumeration along his keys; ``None`` from where there are more than ``most``.  Deals that have led to the same
    positions count as one.

    The player answers a sealed question before the others do, so histories that differ only in the order of arrival
    are one.
    """
    key = None
    worlds: list[Trail] | None = [Trail(walked.game, walked.seed)]
    for trail in answering_first(walked, player):
        if trail.keys[player] == key:
            continue
        wanted, seen = trail.keys[player], view(trail.game, trail.s, player).items
        if worlds is not None:
            if key is not None:
                worlds = [new for world in worlds for new in _next(world, player, seen) if new.keys[player] == wanted]
            worlds = _with_hidden_steps(worlds, player, seen, most)
        key = wanted
        yield trail, worlds


def _next(trail: Trail, player: int, seen: tuple[Item, ...]) -> Iterator[Trail]:
    """The trails one step on that look so to the player."""
    for step in trail.extensions(player):
        s = trail.s.copy()
        trail.game.definition.step(s, step[0], step[1], None)
        if view(trail.game, s, player).items == seen:
            yield trail.after(*step)


def _with_hidden_steps(worlds: list[Trail], player: int, seen: tuple[Item, ...], most: int) -> list[Trail] | None:
    """These worlds, and those that follow from them by steps which the player does not notice: first what others do,
    then what chance brings, as often as it is asked."""
    found: list[Trail] = []
    layers: dict[int, list[Trail]] = defaultdict(list)  # by how often chance has decided
    for world in worlds:
        layers[len(world.chances)].append(world)
    while layers:
        chances = min(layers)
        todo, layer = layers.pop(chances), []
        while todo:
            world = todo.pop()
            layer.append(world)
            if len(layer) + len(todo) > most:
                return None
            if player not in world.acting and world.actor != CHANCE:
                todo += _unnoticed(world, player, seen)
        layer = _merged(layer, player)
        found += layer
        if len(found) > most:
            return None
        for world in layer:
            if world.actor == CHANCE and (brought := _unnoticed(world, player, seen)):
                layers[chances + 1] += brought
    return found


def _unnoticed(world: Trail, player: int, seen: tuple[Item, ...]) -> list[Trail]:
    return [new for new in _next(world, player, seen) if new.keys[player] == world.keys[player]]


def _merged(worlds: list[Trail], player: int) -> list[Trail]:
    """Of deals that have led to the same positions, as the same cards dealt in another order have, only one, with the
    probability of all: whatever follows is the same, and so is what the player knows."""
    deals: dict[tuple[int, ...], list[Trail]] = defaultdict(list)
    for world in worlds:
        deals[world.chances].append(world)
    alike: dict[Any, list[list[Trail]]] = defaultdict(list)
    for same in deals.values():
        alike[tuple(sorted(world.looks(player) for world in same))].append(same)
    found: list[Trail] = []
    for first, *others in alike.values():
        weight = first[0].weight + sum(other[0].weight for other in others)
        found += [world.weighing(weight) for world in first]
    return found
