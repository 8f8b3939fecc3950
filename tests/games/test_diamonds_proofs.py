"""Diamonds: that games end, and what a deadlock is.  That nobody knows more than the others: ``tests/audit``."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import parlour
from parlour import Game, State
from tests.games.by_hand import ByHand, rock, suit, value
from tests.helpers import Survey, names, pack, rules_of

RULES = rules_of("diamonds")
PACK = pack()


@pytest.mark.clause("DM-113")
@pytest.mark.parametrize("lower", ["stays", "may_take"])
@pytest.mark.parametrize(("players", "most"), [(2, 86), (3, 96)])
def test_games_end_in_time(players: int, most: int, lower: str) -> None:
    """Turns with a dig or a destroy, and turns in all; also when players like to trade and switch."""
    most, turns_in_all = (most, 300) if lower == "stays" else (most + 78, 600)
    for seed in range(60):
        state, choose = parlour.load("diamonds", players, lower_spade=lower).new(seed=seed), random.Random(seed)
        piles = turns = 0
        while not state.is_terminal:
            acts = [state.name_of(a) for a in state.legal_actions()]
            likely = [act for act in acts if seed % 2 and act.startswith(("trade", "destroy", "switch", "stop"))]
            act = choose.choice(likely or acts)
            piles += act.startswith(("dig", "destroy"))
            turns += act.startswith(("dig", "destroy", "pass"))
            state.apply(act)
            assert piles <= most
            assert turns < turns_in_all


OPTIONS = st.fixed_dictionaries({"layer_removal": st.sampled_from(["deadlock_only"] * 3 + ["literal"])})


@st.composite
def last_turn(draw: Any) -> tuple[State, ByHand, str]:
    """A position with one face-down pile that player 0 digs, where a rock comes up that they cannot break; the same by
    hand; and that rock."""
    players = draw(st.sampled_from([2, 3]))
    shown = draw(st.permutations([card for card in PACK if suit(card) in "CHS"]))
    high = draw(st.integers(2, 14))  # the lowest rock that lies open
    spades, rocks = [c for c in shown if suit(c) == "S"], [c for c in shown if rock(c) and value(c) >= high]
    hands = [spades.pop() if draw(st.integers(0, 3)) else None for _ in range(players)]
    turned = next((c for c in rocks if value(c) > value(hands[0])), None)
    if turned is None:
        reject()
    rocks.remove(turned)
    tops: list[str | None] = []
    for _ in range(8):
        kind = draw(st.sampled_from("RRRRRRRRRRRR-S"))
        tops.append(None if kind == "-" else spades.pop() if kind == "S" and spades else rocks.pop() if rocks else None)
    game = parlour.load("diamonds", players, first_dealer=0, **draw(OPTIONS))
    hand = ByHand(PACK, players, 0, dict(game.options))
    hidden = iter([c for c in PACK if c not in (*tops, *hands, turned)])
    depth = draw(st.integers(0, 2))
    hand.piles = [[*(next(hidden) for _ in range(depth)), top] if top else [] for top in (*tops, turned)]
    hand.turned = [{top} if top else set() for top in tops] + [set()]
    hand.spade = hands
    hand.debris = set(hidden)  # wherever they are
    return game.state_at(position(game, hand)), hand, turned


def position(game: Game, hand: ByHand) -> Any:
    s, up = game.start(), hand.face_up()
    number = PACK.index
    s.unseen = sum(1 << number(c) for i, pile in enumerate(hand.piles) for c in pile if c not in hand.turned[i])
    s.debris = sum(1 << number(c) for c in hand.debris)
    for i, pile in enumerate(hand.piles):
        s.height[i] = len(pile)
        s.top[i] = number(up[i]) + 1 if i in up else 0
    for p, spade in enumerate(hand.spade):
        s.spade[p] = value(spade)
    RULES.restore(s, 0)
    return s


KINDS = Counter[bool]()


@pytest.mark.clause("DM-73", "DM-74", "DM-75", "DM-76")
@given(made=last_turn())
@settings(max_examples=100)  # with fewer hardly any is a deadlock
def test_deadlock_is_what_the_proof_says(made: tuple[State, ByHand, str]) -> None:
    state, hand, turned = made
    assert names(state) == hand.acts()
    before = len(state.events())
    state.apply("dig 8")
    state.apply(turned)
    KINDS[any(e.clause == "DM-69" for e in state.events())] += 1
    removed = [PACK[e.a] for e in state.events()[before:] if e.event == "removed"]
    hand.pile = 8
    hand.turned[8].add(turned)
    up = list(hand.face_up().values())
    best = max(value(spade) for spade in hand.spade)
    hard = all(value(top) > best for top in up if rock(top))
    nobody = not any(hand.pile_acts(p) for p in range(hand.players))
    assert nobody == (hard and all(map(rock, up)))  # the proof
    literal = hand.chosen("layer_removal", "literal")
    assert sorted(removed) == sorted(up if (hard if literal else nobody) else [])
    if nobody:
        for p in range(1, hand.players):  # switching spades would not help
            hand.spade[0], hand.spade[p] = hand.spade[p], hand.spade[0]
            assert not any(hand.pile_acts(q) for q in range(hand.players))
            hand.spade[0], hand.spade[p] = hand.spade[p], hand.spade[0]
    if removed and sum(state.observation()["height"]):
        assert "pass" not in names(state)


def test_made_up_positions_are_of_both_kinds() -> None:
    """The positions above are deadlocks and are not, in fair numbers."""
    if not KINDS:
        test_deadlock_is_what_the_proof_says()
    assert min(KINDS[True], KINDS[False]) >= 15


@pytest.mark.parametrize(
    ("players", "removal", "share"),
    [(2, "deadlock_only", Fraction(1, 15)), (3, "deadlock_only", Fraction(1, 20)), (2, "literal", Fraction(3, 4))],
)
def test_how_often_a_layer_is_removed(players: int, removal: str, share: Fraction) -> None:
    survey = Survey(parlour.load("diamonds", players, layer_removal=removal), games=20_000)
    assert survey.share("DM-69") == pytest.approx(float(share), rel=0.15)
