"""Diamondback's unbeatable player: what it promises, and how it answers what its tables do not have."""

from __future__ import annotations

import asyncio
import itertools
import math
import re
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest

import parlour
from parlour import ParlourError, State
from parlour.base.errors import CompilationError
from parlour.games.diamondback import solving, unbeatable
from parlour.games.diamondback.position import FURTHER, STOP, WAGER
from parlour.games.diamondback.solving import HandSolver
from parlour.games.diamondback.unbeatable import NEEDED, Unbeatable
from parlour.players import kinds, make
from parlour.players.kind import Kind
from parlour.server.bots.bots import Bots, Workers
from parlour.solve.form import grow
from parlour.solve.solver import Solver
from parlour.study.match import play_game
from tests.room_helpers import running
from tests.waiting import wait_until
from tools.hand_for_two import Betting
from tools.unbeatable import measured

VERSIONS = ("standard", "dealers")
OTHERS = dict(one.split("=") for one in (
    *("wager_limit=5", "short_stack=fold", "min_second_wagers=2", "max_second_wagers=3", "exposure=all_together"),
    *("dealer_fold=no", "dealer_tops_up=yes", "ante_decline=yes"),
))  # fmt: skip


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


def after_a_tie(version: str, cards: Sequence[str], *further: str) -> State:
    """The second and last hand of a match from 12 coins each, after a tie over three wagered coins: these cards are
    dealt, one to each player in turn from the dealer's left, and this is done."""
    state = game(version, start_coins=12, hands=2).new()
    ante = ["ante 1"] if version == "dealers" else []
    tie = ["King", "King", "Priest", "Priest", "wager 2", "match", "expose King", "expose King"]
    for what in (*ante, *tie, "wager 1", "match", "stop", *ante, *cards, *further):
        state.apply(what)
    return state


def choices(state: State, player: Unbeatable) -> dict[str, float]:
    """What the player whose turn it is would do, and how likely."""
    me = state.current_player
    return {state.game.action_names[a]: p for a, p in player.chances(state.view(me), state.legal_actions()).items()}


def matched(state: State, player: Unbeatable) -> float:
    """How likely the wager is matched."""
    return choices(state, player).get("match", 0.0)


GOOD, POOR, BETTER = ("Magician", "Priestess"), ("Priest", "King"), ("Priestess", "Queen")


def dealt(opponent: tuple[str, str], dealer: tuple[str, str]) -> list[str]:
    return [opponent[0], dealer[0], opponent[1], dealer[1]]


@pytest.mark.parametrize("version", VERSIONS)
def test_nobody_gives_a_carried_pot_away(version: str) -> None:
    """With nothing in the middle good players of the standard game never bet; here there is something to win."""
    state = after_a_tie(version, dealt(BETTER, GOOD))
    player = Unbeatable(state.game)
    assert choices(state, player).get("fold", 0.0) == 0
    state.apply("wager 1")
    assert choices(state, player)["match"] > 0.99
    poor = after_a_tie(version, dealt(POOR, BETTER), "wager 2")
    assert choices(poor, player)["fold"] > 0.5


def test_a_wager_of_several_coins_is_answered_as_single_ones_for_a_carried_pot_too() -> None:
    seen = set()
    for hand, opening, n in itertools.product((BETTER, ("Queen", "King"), ("Priestess", "Priest")), (1, 2), (2, 4)):
        state = after_a_tie("standard", dealt(hand, ("Priestess", "Magician")), f"wager {opening}")
        player = Unbeatable(state.game)
        player.choose(state.view(state.current_player), state.legal_actions())  # so that it remembers the opening wager
        for act in ("match", f"expose {hand[0]}", "expose Priestess"):
            state.apply(act)
        at_once, singles = state.clone(), 1.0
        at_once.apply(f"wager {n}")
        for _ in range(n):
            state.apply("wager 1")
            singles *= matched(state, player)
            state.apply("match")
        assert matched(at_once, player) == pytest.approx(singles, abs=1e-6)
        seen.add(round(singles, 3))
    assert len(seen) > 3


def test_a_hand_is_solved_alike_each_time() -> None:
    hands = (POOR, BETTER, ("Queen", "King"), ("Priestess", "Priest"), ("Magician", "Priest"), ("King", "King"))
    states = [after_a_tie("standard", dealt(hand, ("Queen", "Queen")), "wager 3") for hand in hands]
    first = [choices(state, Unbeatable(state.game)) for state in states]
    solving.solution.cache_clear()
    assert [choices(state, Unbeatable(state.game)) for state in states] == first
    assert any(0.01 < one.get("fold", 0.0) < 0.99 for one in first), "nothing is drawn by lot"


@pytest.mark.parametrize(("pot", "most", "value"), [(4, 4, 1.888), (6, 3, 2.894), (8, 2, 3.810), (10, 1, 4.982)])
def test_hands_with_a_carried_pot_are_worth_what_the_page_says(pot: int, most: int, value: float) -> None:
    """``docs/results/diamondback.md``, six coins each: those values come from the tree that the rules span."""
    solver = HandSolver(pot, most, doubled=False)
    lower, upper = solver.run(1e-3)
    assert lower - 1e-3 <= value <= upper + 1e-3
    assert upper - lower <= 2e-3


@pytest.mark.parametrize("installed", [False, True])
def test_it_plays_without_what_solving_needs(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    """``pip install parlour`` alone, and where there is neither a library nor a compiler, which is said: from tables,
    which have carried pots in both games."""

    def refuse(*_: object) -> None:
        raise CompilationError("There is no compiler.")

    monkeypatch.setattr(unbeatable, "can_solve", lambda: installed)
    monkeypatch.setattr(solving, "solution", refuse)
    told = r"There is no compiler\. The unbeatable player goes by tables\."
    for version in VERSIONS:
        state = after_a_tie(version, dealt(BETTER, GOOD))
        player = Unbeatable(state.game)
        with pytest.warns(RuntimeWarning, match=told) if installed else nullcontext():
            assert choices(state, player).get("fold", 0.0) < 0.01
        state.apply("wager 1")
        with pytest.warns(RuntimeWarning, match=told) if installed else nullcontext():
            assert choices(state, player)["match"] > 0.9


def test_a_bot_that_solves_holds_up_no_quick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a server: another process answers for it, always the same one, because it remembers the opening wager."""
    asked: dict[str, set[Workers]] = {"unbeatable": set(), "rule-of-thumb": set(), "search": set()}

    async def answer(
        self: Workers, question: Any, kind: Kind, seed: int, told: bytes, legal: list[int], *_: Any
    ) -> int:
        asked[str(kind)].add(self)
        return int(legal[0])

    monkeypatch.setattr(Workers, "answer", answer)
    state = after_a_tie("standard", dealt(POOR, GOOD))
    bots = Bots(3)
    for kind in (*asked, *asked):
        asyncio.run(bots.choose(kind, 1, state.view(state.current_player), state.legal_actions()))
    (solves,), (quick,), _ = asked.values()
    assert solves not in {quick, *asked["search"]}
    assert solves._number == 1


SOLVED = {
    False: [(2, 99), (6, 20), (20, 90), (60, 70), (120, 40), (150, 4), (198, 1)],
    True: [(2, 66), (18, 31), (23, 59), (50, 50), (134, 22), (170, 3), (197, 1)],
}
"""Pots and what can be wagered, by whether the game is the Dealer's: carried pots, and antes other than ten."""


@pytest.mark.long
@pytest.mark.parametrize(("doubled", "pot", "most"), [(game_, *one) for game_ in SOLVED for one in SOLVED[game_]])
def test_the_best_opponent_wins_hardly_anything_from_it(doubled: bool, pot: int, most: int) -> None:
    """In hands that are solved at the table, by exact best responses that ``hand_for_two.py`` finds."""
    assert measured(doubled, pot, most) <= 0.01


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
        single = math.prod(matched(played(version, seed, opening, [1] * k), player) for k in range(1, n + 1))
        at_once = matched(played(version, seed, opening, [n]), player)
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


@pytest.mark.parametrize(("coins", "ante"), [(4, 2), (6, 4), (10, 4), (20, 8), (28, 10), (100, 10)])
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
    for seed, coins in enumerate((3, 17)):
        what = parlour.load("diamondback", 2, version=version, start_coins=coins, next_dealer="winner")
        played_ = play_game(what, [make("unbeatable", what, seed), make("random", what, seed)], seed=seed)
        assert played_ is not None


def test_it_is_refused_in_a_sentence_where_it_knows_nothing() -> None:
    assert set(OTHERS) == set(NEEDED)
    for option, value in OTHERS.items():
        other = game(**{option: value})
        with pytest.raises(ParlourError, match=re.escape(f"{option}={NEEDED[option]} only, not {value}. Choose from:")):
            make("unbeatable", other)
        assert "unbeatable" not in kinds(other)
    for what, sentence in (
        (parlour.load("diamondback", 3), "plays against one opponent, not 2"),
        (game("match"), "knows version=standard and version=dealers, not match"),
        (game(start_coins=101), "knows up to 100 coins, not 101"),
        (parlour.load("kuhn"), "Kuhn poker has no unbeatable player. Choose from: random, search."),
    ):
        with pytest.raises(ParlourError, match=re.escape(sentence)):
            make("unbeatable", what)
    assert "unbeatable" in kinds(game())


def test_the_page_offers_it_where_there_is_one(tmp_path: Path) -> None:
    with running(tmp_path / "p.db") as server, httpx.Client(base_url=server.url, follow_redirects=True) as reader:
        assert 'value="unbeatable"' in reader.get("/new/diamondback").text
        assert 'value="unbeatable"' not in reader.get("/new/kuhn").text
        wanted = {"name": "Zoe", "pace": "0", "bots": "unbeatable", "option-first_dealer": "0"}
        refused = reader.post("/play/diamondback", data={**wanted, "players": "3"})
        assert refused.status_code == 422
        assert "plays against one opponent, not 2. Choose from:" in refused.text
        table = reader.post("/play/diamondback", data={**wanted, "players": "2"})
        wait_until(lambda: "Your turn" in reader.get(table.url).text)
