"""The pages of the games of stops and of Matrimony: what their tables show, and that they hide no choice."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from msgspec import structs

import parlour
from parlour.core.game import State
from parlour.core.transcript import told_by_deal
from parlour.engine.steps import Told
from parlour.games.matrimony.drawing import board as matrimony
from parlour.games.matrimony.position import POOLS
from parlour.games.pope_joan.drawing import _pools, brings
from parlour.games.pope_joan.position import POOL, POOL_NAMES
from parlour.rules.stops import drawing as stops
from parlour.rules.stops.position import CARD_NAMES
from parlour.server.page import rendering
from parlour.server.page.scene import Scene
from tests.games import test_boards as boards
from tests.helpers import rules_of

STOPS = [
    ("pope_joan", 3, {}),
    ("pope_joan", 8, {"version": "classic"}),
    ("pope_joan", 4, {"version": "foster_trump", "ace": "high", "lead_rule": "lowest"}),
    ("pope_joan", 5, {"version": "classic", "board": "five", "dealer_sees_dead_hand": "yes"}),
    ("commit", 2, {}),
    ("commit", 6, {"comet_self": "yes"}),
    ("newmarket", 3, {}),
    ("newmarket", 8, {"stakes": "saratoga"}),
]
WATCHER = -1
FEW = (("pope_joan", 5), ("commit", 2), ("newmarket", 3))
"""Tables that differ most from each other."""


def others_long(tables: list[tuple[str, int, dict[str, str]]]) -> list[Any]:
    """These tables as parameters; all but a few are for the long run."""
    return [one if one[:2] in FEW else pytest.param(*one, marks=pytest.mark.long) for one in tables]


def moments(game: str, players: int, options: dict[str, str], steps: int) -> Iterator[State]:
    """A match with random choices: after certain numbers of choices, and at its end."""
    state = parlour.load(game, players=players, **options).new(seed=7)
    rng = random.Random(7)
    for n in range(2000):
        if state.is_terminal:
            break
        if n % steps == 0:
            yield state
        p = state.acting[0]
        state.apply(rng.choice(state.legal_actions(p)), p)
    yield state


def scene(state: State, seat: int) -> Scene:
    """What a seat's page is made of; the names of players want to be escaped."""
    return boards.scene(state, seat, [f"<{p}>" for p in range(state.game.players)])


REASONS = {"top_of_suit": "top", "card_out": "out", "card_gone": "gone", "silent_stop": "nobody"}


@pytest.mark.parametrize(("game", "players", "options"), others_long(STOPS))
def test_the_sequence_and_why_it_has_ended(game: str, players: int, options: dict[str, str]) -> None:
    reasons = set()
    for state in moments(game, players, options, 1):
        view = state.view(WATCHER)
        seen = stops.seen_of(view)
        found = stops.turns(view, seen)
        assert sorted(c for _, cards in found for c in cards) == sorted(seen["run"])
        assert all(set(cards) <= set(seen["played"][p]) for p, cards in found)
        if found and len(found[-1][1]) and seen["stage"] != "laying":
            assert seen["card"] in found[-1][1]
        reason, card = stops.stop(view, seen)
        if reason:
            last = next(one for one in reversed(state.events(WATCHER)) if one.event in REASONS)
            assert (REASONS[last.event], CARD_NAMES[last.a]) == (reason, card)
            reasons.add(reason)
    assert len(reasons) > 1


def taken_in_this_deal(told: list[Told]) -> dict[int, int]:
    """Counters taken from each pool or card since the cards were dealt."""
    found: dict[int, int] = {}
    for one in told:
        if one.event in ("deals", "run_off"):
            found = {}
        if one.event in ("takes", "takes_half", "pope"):
            found[one.b] = found.get(one.b, 0) + one.a
    return found


@pytest.mark.parametrize(("game", "players", "options"), others_long([one for one in STOPS if one[0] != "commit"]))
def test_the_pools_say_who_has_taken_what(game: str, players: int, options: dict[str, str]) -> None:
    emptied = 0
    for state in moments(game, players, options, 2):
        shown = scene(state, WATCHER)
        assert shown.view is not None
        pools = shown.drawing.board(shown.view, shown.story)["pools"]
        assert [one["counters"] for one in pools] == [n for n in shown.v["pool"] if n is not None]
        taken = sum(n for one in pools for _, n in one["taken"])
        assert taken == sum(taken_in_this_deal(state.events(WATCHER)).values())
        emptied += any(one["taken"] and not one["counters"] for one in pools)
        if game == "pope_joan" and not stops.gone(dict(shown.v)) and not taken:
            assert sum(one["new"] for one in pools) == shown.v["dressed"]
    assert emptied > 1


def test_the_cards_of_the_last_deal_still_lie_there_while_stakes_are_laid() -> None:
    swept = claimed = 0
    for seed in range(30):
        state = parlour.load("matrimony", players=6).new(seed=seed)
        rng = random.Random(seed)
        while not state.is_terminal and state.position.deal < 2:
            p = state.acting[0]
            state.apply(rng.choice(state.legal_actions(p)[:3]), p)
        told = state.events(WATCHER)
        shown = matrimony(state.view(WATCHER), told)
        assert shown["old"]
        last = told[max(i for i, one in enumerate(told) if one.event == "deals") :]
        swept += any(one.event == "sweeps" for one in last)
        for p, cards in enumerate(shown["cards"]):
            open_cards = [rules_of("matrimony").PACK[one.a] for one in last
                          if one.event in ("gets", "exposes") and one.who == p]  # fmt: skip
            assert sorted(c for c in cards if c) == sorted(open_cards)
            assert cards.count(None) == (1 if any(one.event == "sweeps" for one in last) else 0)
        for one in last:
            if one.event == "wins":
                claimed += 1
                assert f"{POOLS[one.b - 52]}: {one.a}" in shown["won"][one.who]
    assert swept
    assert claimed


@pytest.mark.parametrize("visibility", ["open", "secret"])
def test_new_counters_on_a_pool_are_those_that_lie_there(visibility: str) -> None:
    new = 0
    for state in moments("matrimony", 4, {"stake_visibility": visibility, "deals": "2"}, 1):
        for seat in range(4):
            shown = matrimony(state.view(seat), state.events(seat))
            assert all(one["new"] <= one["counters"] for one in shown["pools"])
            new += sum(one["new"] for one in shown["pools"])
    assert bool(new) == (visibility == "open")


@pytest.mark.parametrize(
    ("version", "more"), [("foster", {}), ("foster_trump", {}), ("classic", {}), ("classic", {"combo": "divide"})]
)
def test_pope_joan_promises_pools_that_can_be_won_and_all_of_those(version: str, more: dict[str, str]) -> None:
    """At every lead: what a card of the leader's wins in this deal was promised on it, pool by pool; and nothing is
    promised of a pair whose other card is turned up, known to be nowhere, or somebody else's to win."""
    state, rng = parlour.load("pope_joan", 4, rounds=6, version=version, **more).new(seed=3), random.Random(5)
    promised = vain = won = 0
    whole = version == "classic" and not more
    notes: dict[tuple[int, int, str], int] = {}
    while not state.is_terminal:
        (mover,), deal = state.acting, len(state.deals)
        for me in range(4):
            view = state.view(me)
            seen = stops.seen_of(view)
            hand, nowhere = stops.mine(view, seen), stops.nowhere(view, seen)
            for card, (pool, n, cards) in product(hand, _pools(view, seen)):
                if card not in cards or not n:
                    continue
                hope, others = dict(brings(view, card)).get(pool, 0), set(cards) - {card}
                notes[deal, me, pool] = max(notes.get((deal, me, pool), 0), hope)
                theirs = others & {c for p, of in enumerate(seen["played"]) if p != me for c in of or ()}
                if others & {*seen["out"], *nowhere} or (theirs and whole):
                    vain += 1
                    assert not hope, f"{card} promises {pool}"
                elif not others:
                    promised += 1
                    assert hope == n
        before, steps = list(state.position.pool), len(state.history)
        state.apply(rng.choice(state.legal_actions(mover)), mover)
        for told in told_by_deal(state, since=steps)[0]:
            if told.event in {"takes", "pope", "takes_half"} and before[told.b - POOL]:
                pool = POOL_NAMES[told.b - POOL]
                if pool != "Game":
                    won += 1
                    assert notes.get((deal, told.who, pool), 0) >= told.a, told
    assert won > 10
    assert promised > 20
    assert vain > 20 or version == "foster"


@pytest.mark.parametrize(
    ("brought", "lit"),
    [([-1, -1, -2, -1, -1], []), ([0, -1, -1, -1, -1], []), ([3, -1, -1, 3, -4], [0, 3]), ([0, 0, 0, 0, 0], [])],
)
def test_nobody_is_lit_as_a_winner_who_has_won_nothing(brought: list[float], lit: list[int]) -> None:
    """Where only pools stay that nobody wins, everybody loses; those who lost least shone in gold."""
    state = next(iter(moments("matrimony", 5, {}, 9)))
    shown = scene(state, 0)
    for kind in ({"held": brought}, {"over": True, "returns": brought}):
        ended = replace(shown, telling=structs.replace(shown.telling, **kind))
        assert [one.seat for one in ended.seats if one.lit] == lit
        board = rendering.regions(ended)["board"]
        assert len(re.findall(r'class="(?:seat|me)[^"]*\bwon\b[^"]*" data-seat=', board)) == len(lit)
