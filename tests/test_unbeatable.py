"""Diamondback's unbeatable player: what it promises, and how it answers what its tables do not have."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

import parlour
from hand_for_two import Betting
from parlour import ParlourError, State
from parlour.players import kinds, make
from parlour.shelf.diamondback import unbeatable
from parlour.shelf.diamondback.position import FURTHER, STOP, WAGER
from parlour.shelf.diamondback.unbeatable import NEEDED, Unbeatable
from parlour.solve.form import grow
from parlour.solve.solver import Solver
from parlour.study.match import play_game
from room_helpers import running
from waiting import wait_until

VERSIONS = ("standard", "dealers")
OTHERS = {
    "wager_limit": "5",
    "short_stack": "fold",
    "min_second_wagers": "2",
    "max_second_wagers": "3",
    "exposure": "all_together",
    "dealer_fold": "no",
    "dealer_tops_up": "yes",
    "ante_decline": "yes",
}


def game(version: str = "standard", **options: Any) -> parlour.Game:
    return parlour.load("diamondback", 2, version=version, first_dealer=0, **options)


def played(version: str, seed: int, opening: int, wagers: list[int]) -> State:
    """A hand up to the answer to the last of these further wagers."""
    state = game(version).new(seed=seed)
    if version == "dealers":
        state.apply("ante 10")
    state.apply(f"wager {opening}")
    state.apply("match")
    while state.legal_actions() and "expose" in state.game.action_names[state.legal_actions()[0]]:
        state.apply(state.legal_actions()[0])
    for i, n in enumerate(wagers):
        state.apply(f"wager {n}")
        if i < len(wagers) - 1:
            state.apply("match")
    return state


def matches(state: State, player: Unbeatable) -> float:
    """The probability that the opponent matches."""
    names = {state.game.action_names[a]: p for a, p in player.chances(state.view(1), state.legal_actions(1)).items()}
    return names.get("match", 0.0)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wager_of_several_coins_is_answered_as_single_ones(version: str) -> None:
    """That is what makes the opponent as safe against all wagers as against single coins."""
    seen = set()
    for seed, opening, n in itertools.product(range(12), (1, 4, 10), (2, 7)):
        player = Unbeatable(game(version))
        asked = game(version).new(seed=seed)
        if version == "dealers":
            asked.apply("ante 10")
        asked.apply(f"wager {opening}")
        player.choose(asked.view(1), asked.legal_actions(1))  # so that it remembers the opening wager
        single = math.prod(matches(played(version, seed, opening, [1] * k), player) for k in range(1, n + 1))
        at_once = matches(played(version, seed, opening, [n]), player)
        assert at_once == pytest.approx(single, abs=1e-9)
        seen.add(round(at_once, 3))
    assert len(seen) > (2 if version == "dealers" else 1)  # in the standard game hardly anything is drawn by lot


@pytest.mark.parametrize("version", VERSIONS)
def test_how_much_it_wagers_tells_nothing(version: str) -> None:
    """After the exposures: the same number of coins, whatever it holds, or it stops."""
    wagered: dict[Any, set[int]] = {}
    for seed in range(60):
        state = played(version, seed, 1, [])
        if state.is_terminal or state.view(0).items == ():
            continue
        told = {(thing, index): value for thing, index, value in state.view(0).items}
        if told["stage", 0] != FURTHER:
            continue
        chances = Unbeatable(state.game).chances(state.view(0), state.legal_actions(0))
        amounts = {a - WAGER for a in chances if a != STOP}
        wagered.setdefault((told["up", 0], told["up", 1]), set()).update(amounts)
    assert len(wagered) > 5
    assert all(len(amounts) == 1 for amounts in wagered.values())


@pytest.mark.parametrize(
    ("coins", "ante"),
    [(4, 2), (6, 4), (10, 4), (20, 8), (28, 10), (100, 10)],
)
def test_it_names_the_ante_that_brings_the_most(coins: int, ante: int) -> None:
    """From short stacks a high ante leaves the dealer nothing to bet with: from ten coins the highest is worth nothing,
    and four coins bring half a coin."""
    what = game("dealers", start_coins=coins)
    state = what.new(seed=1)
    (chosen,) = Unbeatable(what).chances(state.view(0), state.legal_actions())
    assert what.action_names[chosen] == f"ante {ante}"


@pytest.mark.long
@pytest.mark.parametrize(
    ("version", "coins", "ante"), [("standard", 3, 0), ("dealers", 12, 4), ("dealers", 16, 10), ("dealers", 24, 10)]
)
def test_hands_are_worth_by_the_rules_what_their_solver_says(version: str, coins: int, ante: int) -> None:
    """``hand_for_two.py``, which makes the tables, against the tree that the rules span."""
    what = game(version, start_coins=coins, deals=1)
    tree = grow(what, after=[f"ante {ante}"] if ante else [], reduced=True)
    whole = Solver(tree).run(target=1e-3)
    most = (coins - ante) // (2 if ante else 1)
    lower, upper = Betting(2 * ante, most, doubled=version == "dealers").run(1e-3)
    assert lower - ante <= whole.upper
    assert whole.lower <= upper - ante
    assert upper - lower <= 0.002


@pytest.mark.parametrize("version", VERSIONS)
def test_it_plays_whole_matches(version: str) -> None:
    """Under any other option that changes nothing within a hand, from any coins."""
    for seed, coins in enumerate((3, 17, 100)):
        what = parlour.load("diamondback", 2, version=version, start_coins=coins, next_dealer="winner")
        played_ = play_game(what, [make("unbeatable", what, seed), make("random", what, seed)], seed=seed)
        assert played_ is not None


def test_it_is_refused_in_a_sentence_where_it_knows_nothing() -> None:
    assert set(OTHERS) == set(NEEDED)
    for option, value in OTHERS.items():
        other = game(**{option: value})
        with pytest.raises(ParlourError, match=re.escape(f"{option}={NEEDED[option]} only, not {value}; choose from:")):
            make("unbeatable", other)
        assert "unbeatable" not in kinds(other)
    for what, sentence in (
        (parlour.load("diamondback", 3), "plays against one opponent, not 2"),
        (game("match"), "knows version=standard and version=dealers, not match"),
        (game(start_coins=101), "knows up to 100 coins, not 101"),
        (parlour.load("kuhn"), "Kuhn poker has no unbeatable player; choose from: random, search."),
    ):
        with pytest.raises(ParlourError, match=re.escape(sentence)):
            make("unbeatable", what)
    assert "unbeatable" in kinds(game())


def test_its_tables_are_small_and_read_one_by_one() -> None:
    assert unbeatable.FILE.stat().st_size <= 2 * 2**20
    unbeatable.table.cache_clear()
    unbeatable.fitting.cache_clear()
    player = make("unbeatable", game())
    state = game().new(seed=1)
    player.choose(state.view(0), state.legal_actions(0))
    assert unbeatable.table.cache_info().misses == 1


def test_the_page_offers_it_where_there_is_one(tmp_path: Path) -> None:
    with running(tmp_path / "p.db") as server, httpx.Client(base_url=server.url, follow_redirects=True) as reader:
        assert 'value="unbeatable"' in reader.get("/new/diamondback").text
        assert 'value="unbeatable"' not in reader.get("/new/kuhn").text
        wanted = {"name": "Zoe", "pace": "0", "bots": "unbeatable", "option-first_dealer": "0"}
        refused = reader.post("/play/diamondback", data={**wanted, "players": "3"})
        assert refused.status_code == 422
        assert "plays against one opponent, not 2; choose from:" in refused.text
        table = reader.post("/play/diamondback", data={**wanted, "players": "2"})
        wait_until(lambda: "Your turn" in reader.get(table.url).text)
