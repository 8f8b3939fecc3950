"""What the engine promises about every game: seeds, names, sealed answers, undo, events, views."""

from __future__ import annotations

import functools
import itertools
import json
import pickle
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import CHANCE, EVERYBODY, SEVERAL, IllegalAction, ParlourError, State
from parlour.engine.definition import definition
from parlour.engine.telling import told_each
from tests.helpers import GAMES, Setting, everybody, few_settings, plain, play, shortened, the_rest_long

SETTINGS = [one for game in GAMES for one in shortened([plain(game)[0], *few_settings(game)[len(plain(game)) :]])]
games = pytest.mark.parametrize("game", GAMES)
SOME = [one for game in GAMES for one in [s for s in SETTINGS if s.game == game][:2]]
"""In every run: of each game the default rules, and a setting that has many other values."""
settings = pytest.mark.parametrize(
    "setting", the_rest_long(SETTINGS, SOME), ids=[f"{i}-{s}" for i, s in enumerate(SETTINGS)]
)


def walks(setting: Setting, seeds: int = 1, steps: int = 150) -> Iterator[State]:
    """Every state of a few random games."""
    for seed in range(seeds):
        yield from play(setting.load().new(), seed, steps)


@functools.lru_cache(20)
def some(setting: Setting, seeds: int = 1) -> list[State]:
    """Some states of random games, which no test changes."""
    return [s.clone() for k, s in enumerate(walks(setting, seeds)) if k % 11 == 0 or s.current_player == SEVERAL]


def sampled(actions: Sequence[int]) -> Sequence[int]:
    """These actions, or some of them if there are many."""
    return actions if len(actions) <= MANY else random.Random(len(actions)).sample(actions, MANY)


MANY = 60


@games
def test_several_actions_in_one_line(game: str) -> None:
    """Actions of one player that follow each other may be named together; all are done, or none."""
    for seed in range(3):
        whole = list(play(parlour.load(game).new(), seed, 150))[-1]
        steps, first = whole.history, 0
        for last in range(1, len(steps) + 1):
            if last < len(steps) and steps[last].player == steps[first].player != CHANCE:
                continue
            if last - first > 1:
                one, other = whole.at(first), whole.at(last)
                who, line = steps[first].player, ", ".join(step.name for step in steps[first:last])
                with pytest.raises(ParlourError):
                    one.apply(f"{line} {one.game.action_names[-1]} nonsense", who)
                assert one.history == steps[:first]
                one.apply(line, who)
                assert (one.history, one.fields()) == (other.history, other.fields())
            first = last


def test_a_line_of_actions_ends_with_the_turn() -> None:
    state = parlour.load("leduc").new(seed=5)
    for line, sentence in {
        "call call": "After 'call' there is nothing more to choose: 'call' is too much.",
        "call nonsense": "After 'call' there is nothing more to choose: 'nonsense' is too much.",
        "nonsense call": "There is no action 'nonsense'; choose from: call, raise.",
        "fold call": "'fold' is not allowed now",
        "": "There is no action ''; choose from: fold, call, raise.",
        " ;,": "There is no action ' ;,'; choose from: fold, call, raise.",
    }.items():
        for read in (state.apply, state.sequence):
            with pytest.raises(ParlourError) as mistake:
                read(line)
            assert str(mistake.value).startswith(sentence)
    dug = parlour.load("diamonds", first_dealer=0).new(seed=7)
    with pytest.raises(ParlourError, match="After 'dig 4' there is nothing more to choose: '5' is too much"):
        dug.apply("4 5")  # what chance brings comes between


@settings
def test_names_and_ids(setting: Setting) -> None:
    game = setting.load()
    assert len(set(game.action_names)) == game.action_count
    for a, name in enumerate(game.action_names):
        assert game.find_action(name) == game.find_action(a) == a
        assert game.find_action(f" {name.upper()} ") == a
    for state in some(setting):
        for p in state.acting:
            for a in sampled(state.legal_actions(p))[:20]:
                by_id, by_name = state.clone(), state.clone()
                by_id.apply(a, p)
                by_name.apply(state.name_of(a), p)
                assert by_id.fields() == by_name.fields()
                assert by_id.history == by_name.history


@settings
def test_what_is_not_legal_is_refused_with_a_clause(setting: Setting) -> None:
    game, refused = setting.load(), 0
    for state in some(setting):
        before = state.fields()
        for p in range(game.players):
            legal = state.legal_actions(p)
            assert (p in state.acting) == bool(legal)
            for a in sampled(range(game.action_count)):
                refusal = state.refusal(a, p)
                assert (refusal is None) == (a in legal)
                if refusal is not None:
                    refused += 1
                    clause = game.clause(refusal.clause)
                    assert str(refusal) == f"{game.action_names[a]!r} is not allowed now: {clause.text} ({clause.id})"
                    if state.current_player != CHANCE and not state.is_terminal:
                        with pytest.raises(IllegalAction) as error:
                            state.apply(a, p)
                        assert error.value.clause == clause.id
        assert state.fields() == before
    assert refused


@settings
def test_returns_are_zero_before_the_end(setting: Setting) -> None:
    for last in play(setting.load().new(), 4):
        assert last.is_terminal or last.returns() == [0.0] * last.game.players
    assert last.is_terminal
    assert sum(last.returns()) == pytest.approx(0)
    assert last.acting == ()
    assert last.legal_actions() == []
    assert last.chance_outcomes() == []


@settings
def test_views_are_data_and_travel_with_their_games(setting: Setting) -> None:
    game = setting.load()
    there = pickle.loads(pickle.dumps(game))
    assert (there, hash(there)) == (game, hash(game))
    assert there != parlour.load("kuhn" if game.id != "kuhn" else "leduc")
    for i, state in enumerate(some(setting)):
        for p in everybody(state):
            view, seen = state.view(p), state.observation(p)
            assert json.loads(json.dumps(seen)) == seen
            labels = [line.partition(":")[0] for line in state.text(p).splitlines()]
            assert len(labels) == len(set(labels)) == len(seen)
            assert i > 5 or pickle.loads(pickle.dumps(view)) == view
            if p != EVERYBODY:
                assert i > 5 or pickle.loads(pickle.dumps(view)).redeal(3).view(p) == view
                tensor = state.tensor(p)
                assert tensor.flat.dtype == np.float32
                assert tensor.flat.shape == (state.game.tensor_size,)
                assert sum(tensor[thing].size for thing in tensor.layout) == tensor.flat.size


def test_in_a_tensor_the_observer_comes_first() -> None:
    """Things told by seat, seats that are told, and sets of seats."""
    fewer = 0
    for state in walks(Setting("sampler", 3, (("limit", "3"), ("broke", "leaves"))), seeds=12):
        coins, turn, seated = (state.observation()[thing] for thing in ("coins", "turn", "seated"))
        fewer += 0 < len(seated) < 3
        for p in range(3):
            told = state.tensor(p)
            assert (told["coins"][:3, 0] * 12).tolist() == pytest.approx(coins[p:] + coins[:p])
            assert told["turn"].argmax() == (turn - p) % 3
            assert np.flatnonzero(told["seated"]).tolist() == sorted((q - p) % 3 for q in seated)
    assert fewer > 0, "nobody has left"


@settings
def test_a_player_sees_what_a_spectator_sees(setting: Setting) -> None:
    for state in some(setting):
        spectator = set(state.view().items)
        assert told_each(state.game, state.position) == [state.view(p).items for p in range(state.game.players)]
        assert all(spectator <= set(state.view(p).items) for p in range(state.game.players))
    for seed in range(2):
        *_, state = play(setting.load().new(), seed, 150)
        public, all_told = state.events(), state.events(None)
        is_public = set(public)
        for p in range(state.game.players):
            told = state.events(p)
            is_told = set(told)
            assert [e for e in told if e in is_public] == public
            assert [e for e in all_told if e in is_told] == told


@settings
def test_events_are_sentences_that_cite_the_book(setting: Setting) -> None:
    """None says that nothing is paid or taken; what somebody holds may be nothing."""
    sentences = definition(setting.game).words["events"]
    *_, state = walks(setting, seeds=1)
    state.call_players(["Anna", "Ben", "Cora", "Dora", "Emil", "Flora", "Gustav", "Hanna"][: state.game.players])
    assert state.events(None)
    for event in state.events(None):
        assert state.game.clause(event.clause).kind == "act"
        assert event.text.endswith(".")
        assert "{" not in event.text
        assert "Seat" not in event.text
        if event.event not in HOLDINGS:
            amounts = re.findall(r"\{([ab]):(?:coin|counter)\}", sentences[event.event])
            assert all(getattr(event, name) for name in amounts), event


HOLDINGS = ("ranks", "goes", "all_coins", "wins_match")
"""Events that tell what somebody holds, not what is paid."""


def test_a_whisper_is_heard_by_one() -> None:
    state = parlour.load("sampler", 3).new()
    for card in ("comet", "red", "blue"):
        state.apply(card)
    assert state.events() == []
    assert [[(e.event, e.who, e.a) for e in state.events(p)] for p in range(3)] == [
        [("dealt", 0, 0)], [("dealt", 1, 2)], [("dealt", 2, 1)],
    ]  # fmt: skip
    assert [e.who for e in state.events(None)] == [0, 1, 2]


def bets(order: tuple[int, ...], *cards: str) -> State:
    state = parlour.load("sampler", 3).new()
    for card in cards or ("comet", "red", "blue"):
        state.apply(card)
    for p in order:
        state.apply(f"bet {2 if p else 1}", p)
    return state


def test_the_order_of_sealed_answers_leaves_no_trace_in_keys_on_the_way() -> None:
    """Not even for a memory that took the answers in as they came, and so knows who was last."""

    def remembered(order: tuple[int, ...]) -> tuple[list[int], list[list[str]]]:
        state = bets(())
        memory, s, rules = state.memory(), state.position, state.game.definition.rules
        for p in order:
            a, waiting = state.game.find_action(f"bet {2 if p else 1}"), rules.acting(s)
            heard: list[Any] = []
            rules.apply(s, p, a, heard)
            memory.step(s, p, a, heard, waiting)
        return memory.keys, memory.lines

    ways = [remembered(order) for order in itertools.permutations(range(3))]
    assert ways[0][0] == bets((0, 1, 2)).memory().keys
    assert all(way == ways[0] for way in ways)


def test_a_sealed_answer_is_a_secret() -> None:
    before, after = bets(()), bets((1,))
    assert before.current_player == after.current_player == SEVERAL
    assert (before.acting, after.acting) == ((0, 1, 2), (0, 2))
    for p in (EVERYBODY, 0, 2):
        assert after.view(p) == before.view(p)
        assert after.events(p) == before.events(p)
    assert after.information_key(0) == before.information_key(0)
    assert after.information_key(1) != before.information_key(1)
    with pytest.raises(ParlourError, match=r"^Players 0, 2 choose at once; say which: player=0\.$"):
        after.apply("bet 1")
    with pytest.raises(IllegalAction):
        after.apply("bet 1", 1)


def test_a_hidden_pass_shows_to_nobody() -> None:
    """The holder of the comet passes: the others' keys are as if nobody had been asked."""
    state, nobodys = bets((0, 1, 2)), bets((0, 1, 2), "blue", "red", "blue")
    keys = state.memory().keys
    assert (state.current_player, state.acting) == (0, (0,))
    assert nobodys.current_player == CHANCE
    assert nobodys.memory().keys[1:] == keys[1:]
    state.apply("pass")
    nobodys.apply("nobody")
    assert state.memory().keys[1:] == nobodys.memory().keys[1:]
    assert state.memory().keys[0] != keys[0]
