"""Players: what they are given; that they play legally, decide reproducibly and sensibly, and keep nobody waiting."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import parlour
from parlour import ParlourError, State
from parlour.core.game import view_from
from parlour.engine.kernel import rules_of
from parlour.engine.telling import View
from parlour.games.diamonds import position as diamonds
from parlour.games.kuhn.rules import PASS
from parlour.players import Player, kinds, make
from parlour.players.search import Search, Tree
from parlour.study.match import play as play_match
from tests.helpers import COMPILED, GAMES, Setting, plain, plain_of_all, play, the_rest_long

SETTINGS = [setting for game in GAMES for setting in plain(game)]
QUICK: dict[str, Any] = {
    "random": {},
    "rule-of-thumb": {},
    "learned": {},
    "unbeatable": {},
    "search": {"simulations": 6, "binding": "interpreted"},
    "best": {"simulations": 3, "binding": "interpreted"},
}


def decisions(setting: Setting, seed: int, every: int = 1) -> Iterator[tuple[State, int]]:
    """Every so-many-th decision of a random game, or of its first 200 steps: the state and who decides."""
    n = 0
    for state in play(setting.load().new(), seed, 200):
        for player in state.acting:
            n += 1
            if n % every == 0:
                yield state, player


class Guarded:
    """A player that looks at what it is given, and hands it on as it would arrive in another process."""

    def __init__(self, player: Player) -> None:
        self.name, self.player, self.choices = player.name, player, 0

    def choose(self, view: View, legal: Sequence[int]) -> int:
        assert type(view) is View
        assert all(type(a) is int for a in legal)
        assert not any(isinstance(getattr(view, slot), State) for slot in View.__slots__)
        self.choices += 1
        chosen = self.player.choose(view_from(json.loads(json.dumps(view.dump()))), legal)
        assert chosen in legal
        return chosen


@pytest.mark.parametrize(
    "setting",
    the_rest_long([one for game in GAMES for one in plain(game)], [plain(game)[-1] for game in GAMES]),
    ids=str,
)
def test_every_kind_plays_every_game_legally_from_views_that_came_as_bytes(setting: Setting) -> None:
    game = setting.load()
    for kind in kinds(game):
        seated = [Guarded(make(kind, game, seed, **QUICK[kind])) for seed in range(game.players)]
        state = game.new(seed=4)
        while not state.is_terminal and sum(player.choices for player in seated) < 2:
            player = state.acting[0]
            state.apply(seated[player].choose(state.view(player), state.legal_actions(player)), player)
        assert sum(player.choices for player in seated) > 0


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_dumped_view_holds_what_the_player_is_told_and_no_more(setting: Setting) -> None:
    for state, player in decisions(setting, seed=1, every=9):
        seen = state.view(player)
        data = json.loads(json.dumps(seen.dump()))
        assert set(data) == {"game", "players", "options", "seat", "items"}
        assert [tuple(item) for item in data["items"]] == list(seen.items)
        assert view_from(data) == seen
        assert view_from(data).game == state.game


@pytest.mark.parametrize("setting", plain_of_all(COMPILED), ids=str)
def test_search_is_the_same_in_both_bindings(setting: Setting) -> None:
    """Node for node: the counts and values of every action at the root agree exactly."""
    game, compared = setting.load(), 0
    bound = [Search(game, 7, simulations=150, binding=binding) for binding in ("compiled", "interpreted")]
    for state, player in itertools.islice(decisions(setting, seed=2, every=3 if game.action_count > 9 else 1), 12):
        legal = state.legal_actions(player)
        a, b = (search.advise(state.view(player), legal) for search in bound)
        assert a == b
        assert set(a.visits) <= set(legal)
        assert sum(a.visits.values()) <= 150
        compared += len(a.visits) > 1
    assert compared > 0


def test_seeds_make_players_differ() -> None:
    state = parlour.load("diamonds", first_dealer=0).new()
    for step in ("dig 4", "X1", "stop", "dig 3", "X2", "stop", "dig 4", "HK"):
        state.apply(step)
    seen, legal = state.view(state.acting[0]), state.legal_actions()
    for kind in kinds(state.game):
        chosen = {make(kind, state.game, seed, **QUICK[kind]).choose(seen, legal) for seed in range(20)}
        assert len(chosen) > 1 or kind == "learned"  # which draws nothing here
        assert len({make(kind, state.game, 3, **QUICK[kind]).choose(seen, legal) for _ in range(5)}) == 1


def kuhn_after(*steps: str) -> State:
    state = parlour.load("kuhn").new()
    for step in steps:
        state.apply(step)
    return state


@pytest.mark.parametrize(
    ("steps", "action"),
    [
        (("K", "Q", "pass", "bet"), "bet"),
        (("J", "K", "bet"), "bet"),
        (("J", "Q", "pass", "bet"), "pass"),
        (("Q", "J", "bet"), "pass"),
    ],
)
def test_search_never_folds_a_king_nor_calls_with_a_jack(steps: tuple[str, ...], action: str) -> None:
    state = kuhn_after(*steps)
    for seed in range(5):
        chosen = make("search:300", state.game, seed).choose(state.view(state.acting[0]), state.legal_actions())
        assert state.game.action_names[chosen] == action


def dig_site() -> State:
    """Diamonds for two, player 0 to move, with three piles left: the last diamond lies in pile 3, whose top is the five
    of clubs; the tops of the others, the ace of spades and the king of hearts, are their last cards."""
    game = parlour.load("diamonds")
    s = game.start()
    s.stage, s.player = diamonds.START, 0
    s.unseen = 1 << diamonds.CARDS.index("D2")
    s.height[:] = [0, 0, 0, 2, 1, 1, 0, 0, 0]
    s.top[:] = [0] * diamonds.PILES
    s.face[:] = [diamonds.EMPTY] * diamonds.PILES
    for pile, card in ((3, "C5"), (4, "SA"), (5, "HK")):
        diamonds.lay(s, pile, diamonds.CARDS.index(card))
    s.spade[:] = [9, 12, 0]
    s.diamonds[:] = [0b1111110, 0b1111110000000, 0]
    return game.state_at(s)


def test_search_sees_a_win_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.players.search.endings", lambda game, binding: None)
    state = dig_site()
    for kind in ("search:200", "rule-of-thumb"):
        player = make(kind, state.game, 1)
        assert state.game.action_names[player.choose(state.view(0), state.legal_actions())] == "dig 3"
    advice = Search(state.game, 1, simulations=400).advise(state.view(0), state.legal_actions())
    assert advice.values[advice.action] == 1.0
    assert advice.reason.startswith("dig 3: won 100% of ")
    assert "imagined games; next best is dig 4 with" in advice.reason


@pytest.mark.parametrize(
    ("game", "rival", "games"),
    [("leduc", "random", 200), pytest.param("diamonds", "random", 60, marks=pytest.mark.long)],
)
def test_search_beats_them(game: str, rival: str, games: int) -> None:
    assert play_match(parlour.load(game), ["search:3000", rival], games, seed=5).players[0].returns.low > 0


def test_search_keeps_to_the_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    state = kuhn_after("K", "Q")

    def only_pass(s: Any, me: int, acts: list[int]) -> int:
        acts[0] = PASS
        return 1

    monkeypatch.setattr(state.game.definition.rules, "candidates", only_pass)
    monkeypatch.setattr(rules_of(state.game.definition), "candidates", only_pass)
    monkeypatch.setattr("parlour.players.search._own", threading.local())  # the trees made here are not for others
    search = Search(state.game, simulations=37, binding="interpreted")
    assert search.advise(state.view(0), state.legal_actions()).visits == {PASS: 37}


def test_of_equal_piles_one_is_searched() -> None:
    state = parlour.load("diamonds", first_dealer=0).new()
    search = Search(state.game, simulations=300)
    assert set(search.advise(state.view(0), state.legal_actions()).visits) == {0}
    for step in ("dig 4", "X1", "stop"):
        state.apply(step)
    assert len(state.legal_actions()) == 9
    assert set(search.advise(state.view(1), state.legal_actions()).visits) == {0, 4}


def test_search_at_a_sealed_question_answers_for_the_one_who_is_asked() -> None:
    state = next(state for state, _ in decisions(Setting("sampler", 4), seed=1) if len(state.acting) > 2)
    for player in state.acting:
        advice = Search(state.game, simulations=200, binding="interpreted").advise(
            state.view(player), state.legal_actions(player)
        )
        assert set(advice.visits) == set(state.legal_actions(player))
        assert sum(advice.visits.values()) == 200


def test_search_keeps_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that imagines 5,000 games a second."""
    now, grown = 0.0, 0
    grow = Tree.grow

    def measured(tree: Tree, simulations: int, explore: float) -> None:
        nonlocal now, grown
        grow(tree, simulations, explore)
        now, grown = now + simulations / 5_000, grown + simulations

    state = parlour.load("diamonds").new(seed=1)
    search = Search(state.game, seconds=0.1, binding="interpreted")
    monkeypatch.setattr(Tree, "grow", measured)
    monkeypatch.setattr("parlour.players.search.now", lambda: now)
    advice = search.advise(state.view(state.acting[0]), state.legal_actions())
    assert 0.1 <= now < 0.11
    assert sum(advice.visits.values()) == grown >= 500


NO_SEARCH = "search takes seconds a move (search:0.5s) or simulations a move (search:5000), not "


@pytest.mark.parametrize(
    ("game", "kind", "settings", "sentence"),
    [
        ("kuhn", "serch", {}, "There is no kind of player 'serch'; did you mean 'search'? Choose from: random"),
        ("kuhn", "minrva", {}, "There is no kind of player 'minrva'; did you mean 'minerva'? Choose from: random, "),
        ("kuhn", "rule-of-thumb", {}, "Kuhn poker has no rule-of-thumb player; choose from: random, search."),
        ("kuhn", "learned", {}, "Kuhn poker has no rule-of-thumb player"),
        ("kuhn", "pip", {}, "Pip can't play Kuhn poker, which has no rule of thumb."),
        ("kuhn", "best:50", {}, "Kuhn poker has no rule of thumb by which games could be played on."),
        ("kuhn", "random:5", {}, "The player 'random' has no setting '5'."),
        ("kuhn", "random", {"seconds": 1}, "The player 'random' has no setting 'seconds'."),
        ("diamonds", "best:long", {}, "best takes seconds a move (best:0.5s) or simulations a move"),
        ("kuhn", "search:fast", {}, f"{NO_SEARCH}'fast'."),
        ("kuhn", "search:0", {}, "A search needs at least one simulation a move, not 0."),
        ("kuhn", "search:-1s", {}, "A search takes more than 0 and at most 3600 seconds a move, not -1."),
        ("kuhn", "search:5", {"seconds": 1}, "A search takes seconds or simulations, not both."),
        ("kuhn", "search", {"explore": 0}, "explore is a number above 0, not 0."),
        ("kuhn", "search", {"depth": 3}, "The player 'search' has no setting depth; it has seconds, simulations, "),
        ("kuhn", "search", {"evaluate": 3}, "evaluate is a function of a view, not 3."),
        ("kuhn", "search", {"evaluate": print, "simulations": 0}, "A search needs at least one simulation"),
        ("diamonds", "best:50", {"risk": 3}, "risk is a number from -2 to 2"),
    ],
)
def test_a_mistake_is_one_sentence(game: str, kind: str, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParlourError) as mistake:
        make(kind, parlour.load(game), **settings)
    assert str(mistake.value).startswith(sentence)
