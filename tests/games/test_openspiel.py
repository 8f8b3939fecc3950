"""Kuhn and Leduc poker beside OpenSpiel's: the same games, step for step, and the same information states."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pyspiel
import pytest

import parlour
from parlour import CHANCE, State
from parlour.engine.memory import Memory

GAMES = ("kuhn", pytest.param("leduc", marks=pytest.mark.long))


class Node(NamedTuple):
    """A history in both: ours, OpenSpiel's, and our keys so far."""

    state: State
    theirs: Any
    memory: Memory


def same(state: State, theirs: Any) -> None:
    """A record of who is to act, what is legal or likely, and what it was worth."""
    assert state.is_terminal == theirs.is_terminal()
    if state.is_terminal:
        assert state.returns() == theirs.returns()
    elif state.current_player == CHANCE:
        assert theirs.is_chance_node()
        assert dict(theirs.chance_outcomes()) == pytest.approx({k: float(p) for k, p in state.chance_outcomes()})
    else:
        assert state.current_player == theirs.current_player()
        assert state.legal_actions() == theirs.legal_actions()
        assert state.legal_actions(1 - state.current_player) == []


def walk(node: Node) -> Iterator[Node]:
    """Every history below this one."""
    same(node.state, node.theirs)
    yield node
    state = node.state
    chances = state.current_player == CHANCE
    for a in [k for k, _ in state.chance_outcomes()] if chances else [] if state.is_terminal else state.legal_actions():
        after, memory = state.clone(), node.memory.copy()
        after.apply(a)
        events = [event for _, event in after.ledger.events[len(state.ledger.events) :]]
        memory.step(after.position, state.current_player, a, events)
        yield from walk(Node(after, node.theirs.child(a), memory))


@cache
def histories(game: str) -> list[Node]:
    ours = parlour.load(game)
    theirs = pyspiel.load_game(f"{game}_poker").new_initial_state()
    return list(walk(Node(ours.new(), theirs, Memory(ours, ours.start()))))


@pytest.mark.clause("KU-2", "KU-10", "KU-13")
@pytest.mark.parametrize(("game", "count"), [("kuhn", 58), pytest.param("leduc", 9457, marks=pytest.mark.long)])
def test_all_histories(game: str, count: int) -> None:
    found = histories(game)
    assert len(found) == count
    assert len({str(node.theirs.history()) for node in found}) == count


@pytest.mark.clause("KU-5")
@pytest.mark.parametrize(
    ("game", "movers", "both"), [("kuhn", 12, 24), pytest.param("leduc", 936, 1872, marks=pytest.mark.long)]
)
def test_information_states_are_the_same_partition(game: str, movers: int, both: int) -> None:
    """At decision nodes, for the mover and for both players: one key, one text, one of OpenSpiel's strings each."""
    for everybody, count in ((False, movers), (True, both)):
        found = set()
        for node in histories(game):
            if node.state.current_player >= 0:
                for p in range(2) if everybody else [node.state.current_player]:
                    theirs = node.theirs.information_state_string(p)
                    found.add((p, theirs, node.memory.keys[p], "\n".join(node.memory.lines[p])))
        for part in (1, 2, 3):  # their string, our key, our text
            assert len({(p[0], p[part]) for p in found}) == len(found)
        assert len(found) == count


@pytest.mark.parametrize("game", GAMES)
def test_memory_on_the_way_is_memory_of_the_state(game: str) -> None:
    nodes = histories(game)
    for node in random.Random(1).sample(nodes, min(len(nodes), 60)):
        for p in range(2):
            assert node.state.information_key(p) == node.memory.keys[p]
            assert node.state.information_state(p) == "\n".join(node.memory.lines[p])
