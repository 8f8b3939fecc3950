"""Consistent worlds: all histories that a player cannot tell from the real one, by exact enumeration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from parlour.audit.trails import Trail, Walk
from parlour.engine.telling import Item
from parlour.rules.vocabulary import CHANCE

WIDE = 25
"""How many times as many histories as may be compared are looked at, before those with equal positions become one."""


def how_many(walked: Walk, player: int, most: int) -> int | None:
    """The largest number of histories that a player cannot tell from the real one at any place of a walk; ``None`` if
    there are more than ``most``.

    >>> import parlour
    >>> from parlour.audit.trails import walk
    >>> how_many(walk(parlour.load("kuhn"), 1, 99), 0, 99)
    3
    """
    found = 0
    for _, worlds in consistent_worlds(walked, player, most):
        if worlds is None:
            return None
        found = max(found, len(worlds))
    return found


def answering_first(walked: Walk, player: int) -> Iterator[Trail]:
    """Return the trails of a walk in which the player answers each sealed question before the others do."""
    trail, place = walked.trails[0], 0
    yield trail
    while place < len(walked.trails) - 1:
        block = walked.answers(place)
        mine_first = sorted(block, key=lambda step: step[0] != player)
        for step, real in zip(mine_first, walked.trails[place + 1 :], strict=False):
            trail = real if real.before is trail and real.step == step else trail.after(*step)
            if not real.pending and trail.knows(player) == real.knows(player) and trail.s == real.s:
                trail = real
            yield trail
        place += len(block)


def consistent_worlds(walked: Walk, player: int, most: int) -> Iterator[tuple[Trail, list[Trail] | None]]:
    """For each place of a walk where the player learns something, return all histories that they cannot tell from the
    real one, by exact enumeration along their own history; ``None`` once there are more than ``most``.  Deals that led
    to the same positions count as one.

    The player answers a sealed question before the others do, so histories that differ only in the order of arrival
    are one.
    """
    known = None
    worlds: list[Trail] | None = [Trail(walked.game, walked.seed)]
    for trail in answering_first(walked, player):
        if trail.knows(player) == known:
            continue
        wanted, seen = trail.knows(player), trail.sees(player)
        if worlds is not None:
            if known is not None:
                worlds = [new for world in worlds for new in _next(world, player, seen) if new.knows(player) == wanted]
            worlds = _with_hidden_steps(worlds, player, seen, most)
        known = wanted
        yield trail, worlds


def _next(trail: Trail, player: int, seen: tuple[Item, ...]) -> Iterator[Trail]:
    """Return the trails one step on that look the same to the player."""
    for step in trail.extensions(player):
        new = trail.after(*step)
        if new.sees(player) == seen:
            yield new


def _with_hidden_steps(worlds: list[Trail], player: int, seen: tuple[Item, ...], most: int) -> list[Trail] | None:
    """Return these worlds and those that follow from them by steps that the player does not notice: first actions of
    other players, then outcomes of chance, as many as there are."""
    found: list[Trail] = []
    layers: dict[int, list[Trail]] = defaultdict(list)  # histories by the number of chance outcomes in them
    for world in worlds:
        layers[len(world.chances)].append(world)
    while layers:
        chances = min(layers)
        todo, layer = _merged(layers.pop(chances), player), []
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
                if len(layers[chances + 1]) > WIDE * most:
                    return None
    return found


def _unnoticed(world: Trail, player: int, seen: tuple[Item, ...]) -> list[Trail]:
    return [new for new in _next(world, player, seen) if new.knows(player) == world.knows(player)]


def _merged(worlds: list[Trail], player: int) -> list[Trail]:
    """Keep only one of several deals that have led to the same positions, as the same cards dealt in another order do,
    with the probability of all: whatever follows is the same, and so is what the player knows."""
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
