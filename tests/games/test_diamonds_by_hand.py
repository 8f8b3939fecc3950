"""Diamonds beside a second referee (``by_hand.py``): same deal, same acts, the same table after every act."""

from __future__ import annotations

import random

import pytest

from parlour import CHANCE, State
from tests.games.by_hand import ByHand, rock, value
from tests.helpers import Setting, names, pack, short_settings

SETTINGS = short_settings("diamonds")
DECIDED = (
    ("DM-8", "DM-9", "DM-10", "DM-93", "DM-96"),
    ("DM-7", "DM-12", "DM-13", "DM-15", "DM-16"),
    ("DM-21", "DM-31", "DM-34", "DM-53", "DM-61"),
    ("DM-67", "DM-68", "DM-80", "DM-81", "DM-85"),
    ("DM-87", "DM-89", "DM-91", "DM-92", "DM-47"),
    ("DM-2", "DM-3", "DM-4", "DM-5", "DM-55"),
    ("DM-6", "DM-17", "DM-11", "DM-20", "DM-110"),
    ("DM-106", "DM-101", "DM-102", "DM-103", "DM-104"),
    ("DM-107", "DM-108", "DM-109", "DM-77", "DM-99"),
    ("DM-54", "DM-66", "DM-111", "DM-112", "DM-114"),
    ("DM-116",),
)
"""Clauses that decide what may be done and what lies where, at every act of every match, and what follows from them."""


def on_the_table(state: State) -> dict[str, object]:
    """What lies open, in words, from the spectator's observation."""
    seen = {"top": [None] * 9, **state.observation()}
    return {
        **{thing: seen[thing] for thing in ("player", "height", "top")},
        **{thing: set(seen[thing]) for thing in ("debris", "unseen")},
        **{thing: [set(cards) for cards in seen[thing]] for thing in ("diamonds", "jokers", "fresh")},
        "spade": [None if spade == "none" else spade for spade in seen["spade"]],
    }


def by_hand(hand: ByHand) -> dict[str, object]:
    up = hand.face_up()
    return {
        "player": hand.player,
        "height": [len(pile) for pile in hand.piles],
        "top": [up.get(i) for i in range(9)],
        "debris": hand.debris,
        "spade": hand.spade,
        "diamonds": hand.diamonds,
        "jokers": hand.old_jokers,
        "fresh": hand.new_jokers,
        "unseen": {card for i, pile in enumerate(hand.piles) for card in pile if card not in hand.turned[i]},
    }


def strength(hand: ByHand) -> tuple[int, int]:
    """How many spades the players own together, and the sum of their ranks."""
    return sum(spade is not None for spade in hand.spade), sum(map(value, hand.spade))


def all_cards(hand: ByHand) -> list[str]:
    """Wherever they are."""
    owned = [card for kept in (*hand.diamonds, *hand.old_jokers, *hand.new_jokers) for card in kept]
    lying = [card for pile in hand.piles for card in pile]
    return [*lying, *hand.debris, *owned, *(spade for spade in hand.spade if spade)]


def let_chance(state: State, hand: ByHand | None, chooser: random.Random, picked: list[int]) -> None:
    """Chance in the engine turns the cards as they lie in the piles of the other table."""
    while state.current_player == CHANCE:
        first = state.name_of(state.chance_outcomes()[0][0])
        if first.startswith("pile") or first.startswith("seat"):
            k = chooser.choice(state.chance_outcomes())[0]
            picked.append(k)
            state.apply(k)
        else:
            assert hand is not None
            i, height = state.position.at, state.position.height[state.position.at]
            state.apply(hand.order[(height - 1) * 9 + i])


def play_match(setting: Setting, seed: int) -> None:
    chooser = random.Random(seed)
    state = setting.load().new()
    picked: list[int] = []
    let_chance(state, None, chooser, picked)
    dealer = state.observation()["dealer"]
    if state.game.options["first_dealer"] != "random":
        assert str(dealer) == state.game.options["first_dealer"]
    won = [0] * state.game.players
    while not state.is_terminal:
        order = pack()
        chooser.shuffle(order)
        hand = ByHand(order, state.game.players, dealer, dict(state.game.options))
        assert on_the_table(state) == by_hand(hand)
        while hand.winner is None:
            assert names(state) == hand.acts()
            assert state.current_player == hand.player
            act, picked = chooser.choice(sorted(hand.acts())), []
            spades = strength(hand)
            assert not (hand.destroyed and act.startswith("destroy"))
            if act == "pass":  # a rock that this player cannot break, and somebody else can (DM-114)
                assert all(map(rock, hand.face_up().values()))
                assert any(hand.pile_acts(p) for p in range(hand.players))
            state.apply(act)
            let_chance(state, hand, chooser, picked)
            hand.do(act, *picked)
            assert sorted(all_cards(hand)) == sorted(pack())
            assert {card[0] for i, card in hand.face_up().items() if hand.pile != i} <= {*"CHS"}
            assert not {card for card in hand.debris if card[0] == "D"}
            if not hand.chosen("lower_spade", "may_take"):
                assert strength(hand) >= spades
            if hand.winner is None:
                assert on_the_table(state) == by_hand(hand)
                assert max(map(len, hand.diamonds)) < hand.target
                assert any(hand.piles)
        won[hand.winner] += 1
        dealer = (dealer + 1) % state.game.players
        assert state.observation()["won"] == won
    assert str(sum(won)) == state.game.options["games"]
    best = [p for p in range(state.game.players) if won[p] == max(won)]
    worse = state.game.players - len(best)
    assert state.returns() == [
        0.0 if not worse else 1 / len(best) if p in best else -1 / worse for p in range(state.game.players)
    ]


@pytest.mark.parametrize(
    "setting",
    [pytest.param(s, marks=pytest.mark.clause(*DECIDED[i % len(DECIDED)])) for i, s in enumerate(SETTINGS)],
    ids=[f"{i}-{s}" for i, s in enumerate(SETTINGS)],
)
def test_same_table_after_every_act(setting: Setting) -> None:
    for seed in range(3 if len(setting.options) < 2 else 1):
        play_match(setting, seed)


@pytest.mark.long
@pytest.mark.parametrize("setting", SETTINGS, ids=[f"{i}-{s}" for i, s in enumerate(SETTINGS)])
def test_same_table_after_every_act_in_many_games(setting: Setting) -> None:
    for seed in range(100, 400):
        play_match(setting, seed)
