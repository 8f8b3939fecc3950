"""The best player: it tries its actions in the same imagined worlds, and has everybody play on as it would itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from statistics import fmean, pstdev
from typing import Any

import pytest

import parlour
from parlour import Game, ParlourError, State
from parlour.engine.definition import definition
from parlour.players import kinds, make
from parlour.players.best import Best, Rollouts
from parlour.players.kernels.rollouts import AT_ONCE, BESIDE, CAUTION, ENOUGH, LATEST, LEAST, THE_SAME, WORLDS
from parlour.players.kernels.rollouts import GAMES as IMAGINED
from parlour.players.kind import Kind
from parlour.players.kinds import KINDS, strongest
from parlour.players.learned import why_not
from parlour.players.sight import Viewed
from parlour.players.simple import RuleOfThumb
from parlour.players.strengths import strengths, usual
from parlour.server.common.limits import refuse_slow, shared, thinking_time
from parlour.server.web.new_table import opened_as, wanted_table
from tests.helpers import GAMES, interpreted, the_rest_long

WITH_THUMB = [game for game in GAMES if definition(game).has("appraise")]


def with_several(name: str, seed: int = 1, steps: int = 0, **options: Any) -> tuple[State, int, list[int]]:
    """A game in which somebody has several choices, after some steps at least; who has, and which."""
    state = parlour.load(name, **options).new(seed=seed)
    while len(state.history) < steps or len(state.legal_actions(state.acting[0])) < 2:
        state.apply(state.legal_actions(state.acting[0])[0], state.acting[0])
    return state, state.acting[0], state.legal_actions(state.acting[0])


def rollouts(game: Game, state: State, p: int, choices: Sequence[int], word: int = 7) -> Rollouts:
    """Worlds are yet to be imagined; the first of the choices is what the player would do by itself."""
    made = Rollouts(game, "interpreted")
    made.begin(Viewed(state.view(p)), choices, 0, word)
    return made


@pytest.mark.parametrize("name", the_rest_long(WITH_THUMB, []))
def test_both_bindings_choose_alike(name: str) -> None:
    state = parlour.load(name).new(seed=2)
    players = [Best(state.game, 1, simulations=40, binding=binding) for binding in ("compiled", "interpreted")]
    for _ in range(25):
        if not state.is_terminal:
            p = state.acting[0]
            compiled, interpreted = (player.advise(state.view(p), state.legal_actions(p)) for player in players)
            assert compiled == interpreted
            state.apply(compiled.action, p)


def test_every_action_is_tried_in_the_same_worlds_with_the_same_luck() -> None:
    """One action, tried twice, brings the same in each world; another does not.  Chance draws on as they play."""
    state, p, legal = with_several("diamonds", steps=6, players=2)
    made = rollouts(state.game, state, p, legal)
    made.compete([legal[0], legal[0], legal[1]], {})
    made.imagine(20)
    assert made._contest.sums[0] == made._contest.sums[1]
    assert made._contest.squares[1] == 0.0  # between the first and the second
    assert made._contest.squares[2] > 0.0  # between the first and the third
    assert made.games == 60


def test_actions_are_compared_in_as_many_worlds_as_wanted_and_none_is_given_up() -> None:
    state, p, legal = with_several("diamonds", players=2)
    made, worlds = Rollouts(state.game, "compiled"), 2 * ENOUGH
    means = made.compare(Viewed(state.view(p)), legal[:3], 7, worlds)
    again = made.compare(Viewed(state.view(p)), [legal[2], legal[0]], 7, worlds)
    assert again == [means[2], means[0]], "the same worlds, whatever else is compared"
    assert made.compare(Viewed(state.view(p)), legal[:3], 1000, worlds) != means
    assert made.contenders == legal[:3]
    brought = [made.compare(Viewed(state.view(p)), legal[:2], 7, n + 1) for n in range(worlds)]
    assert {*brought[0]} <= {-1.0, 1.0}, "one world, won or lost"
    sums = [[mean * (n + 1) for mean in means] for n, means in enumerate(brought)]
    each = [[after - before for after, before in zip(*both, strict=True)] for both in pairwise([[0.0, 0.0], *sums])]
    spread = pstdev(one - other for one, other in each)
    assert made.error(*legal[:2]) == pytest.approx(spread / worlds**0.5)


def test_at_diamonds_everybody_plays_on_by_rule_of_thumb() -> None:
    state, p, legal = with_several("diamonds", steps=6, players=2)
    assert not why_not(state.game)
    made = Rollouts(state.game, "compiled")
    view, few, many = state.view(p), 150, 20_000
    means = made.compare(Viewed(view), legal[:2], 7, many)
    for action, mean in zip(legal[:2], means, strict=True):
        brought = []
        for seed in range(few):
            world = view.redeal(seed)
            world.apply(action, p)
            players = [RuleOfThumb(state.game, 10 * seed + q) for q in range(2)]
            while not world.is_terminal:
                q = world.current_player
                world.apply(players[q].choose(world.view(q), world.legal_actions()))
            brought.append(world.returns()[p])
        assert mean == pytest.approx(fmean(brought), abs=4 / few**0.5)


def test_where_somebody_has_learned_the_game_everybody_plays_on_as_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    state, p, legal = with_several("commit", players=3)
    assert not why_not(state.game)
    view = Viewed(state.view(p))
    learned = Rollouts(state.game, "compiled").compare(view, legal[:2], 7, 200)
    monkeypatch.setattr(state.game.definition.rules, "IMAGINED_BY_THUMB", True)
    assert learned != Rollouts(state.game, "compiled").compare(view, legal[:2], 7, 200)


@pytest.mark.parametrize("risk", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("simulations", [1, 5, 30])
def test_it_imagines_no_more_games_than_it_may(simulations: int, risk: float) -> None:
    """Or one for each action."""
    state, p, legal = with_several("commit", players=2)
    advice = Best(state.game, 1, simulations=simulations, risk=risk, binding="interpreted").advise(state.view(p), legal)
    assert 5 < len(advice.visits) <= advice.games <= max(simulations, len(advice.visits))


def test_the_same_cards_come_whatever_dice_players_throw(monkeypatch: pytest.MonkeyPatch) -> None:
    """At Dividha the rule of thumb throws dice, and cards are dealt all along.  After a check or after a raise, the
    players throw more dice or fewer, but the cards that come are the same, as far as either game gets."""
    state, p, legal = with_several("dividha", players=2, seed=5)
    names = state.game.action_names
    made = rollouts(state.game, state, p, [a for a in legal if names[a] in ("check", "raise 2", "raise 4")])
    made.compete([a for a in legal if names[a] in ("check", "raise 2", "raise 4")], {})
    space, came = made._code.roll_out.__globals__, list[list[int]]()
    draw_outcome, apply = space["draw_outcome"], space["rules"].apply

    def draw_and_note(s: Any, rng: Any) -> int:
        came[-1].append(draw_outcome(s, rng))
        return came[-1][-1]

    def apply_and_look(s: Any, who: int, a: int, to: Any) -> None:
        if (s.phase, s.pot, s.todo) == (state.position.phase, state.position.pot, state.position.todo):
            came.append([])  # the choice that is tried
        apply(s, who, a, to)

    monkeypatch.setitem(space, "draw_outcome", draw_and_note)
    monkeypatch.setattr(space["rules"], "apply", apply_and_look)
    for _ in range(12):
        came.clear()
        made.imagine(1)
        assert len(came) == 3
        for one, other in ((0, 1), (0, 2), (1, 2)):
            both = min(len(came[one]), len(came[other]))
            assert came[one][:both] == came[other][:both]


def late_in_the_match(deals: int, seed: int = 3, **options: Any) -> tuple[State, int, list[int]]:
    """A match of Newmarket after this many deals; who is to name a total, and which."""
    state, dice = parlour.load("newmarket", players=3, **options).new(seed=seed), Random(seed)
    while True:
        legal = state.legal_actions(state.acting[0])
        if len(state.deals) >= deals and len(legal) > 1:
            return state, state.acting[0], legal
        state.apply(dice.choice(legal), state.acting[0])


@pytest.mark.parametrize("deals", [2, 5])
def test_who_looks_ahead_finds_what_the_match_has_brought_so_far_and_what_is_to_come(deals: int) -> None:
    """What the deals before brought is known; what is to come differs from time to time."""
    state, p, legal = late_in_the_match(deals)
    made = rollouts(state.game, state, p, legal[:2])
    made.look_ahead(40)
    assert made._worlds.before == [float(state.position.before[q] - 100) for q in range(3)]
    rests = [made._worlds.rests[3 * i : 3 * i + 3] for i in range(40)]
    assert len({tuple(rest) for rest in rests}) > 20
    if deals == 5:  # the last deal; what is left on the layout falls to somebody in the run-off, and nobody pays
        assert all(min(rest) >= 0.0 for rest in rests)
        assert sum(sum(rest) for rest in rests) > 0.0
    assert made._worlds.rests[120:] == [0.0] * (len(made._worlds.rests) - 120)


@pytest.mark.parametrize(("ahead", "named"), [(40.0, "take 4"), (-40.0, "take 20")])
def test_whoever_is_ahead_plays_for_little_and_whoever_is_behind_for_much(ahead: float, named: str) -> None:
    """In a match of which two deals are left, the dealer is far ahead of the others or far behind them."""
    state, p, legal = late_in_the_match(4, start_counters=500)
    total = {name: state.game.action_names.index(name) for name in ("take 4", "take 20")}
    made = rollouts(state.game, state, p, [total["take 4"], total["take 20"]])
    made.look_ahead(100)
    made._worlds.before[:] = [ahead if q == p else 0.0 for q in range(3)]
    made.imagine(30)
    _, shares = made._tried(legal)
    other = next(a for name, a in total.items() if name != named)
    assert shares[total[named]] > shares[other] + 0.01


def test_advice_is_in_shares_of_the_matches_won_or_for_the_deal() -> None:
    """For those who weigh risks, and in other games."""
    state, p, legal = late_in_the_match(5)
    advice = Best(state.game, 1, simulations=60).advise(state.view(p), legal)
    assert (advice.low, advice.high, advice.varies) == (0.0, 1.0, False)
    assert all(0.0 <= value <= 1.0 for value in advice.values.values())
    assert re.search(r": won \d+\.\d% of \d+ imagined games; ", advice.reason)
    assert Best(state.game, 1, simulations=12, risk=0.4).advise(state.view(p), legal).varies
    state, p, legal = with_several("pope_joan", players=3)
    assert Best(state.game, 1, simulations=12).advise(state.view(p), legal).varies


def test_what_cannot_change_who_wins_is_decided_by_what_it_brings() -> None:
    """Far behind in the last deal, the player wins with nothing; but one lead still brings more than another."""
    state, p, legal = late_in_the_match(5, seed=4)
    while state.game.action_names[legal[0]].split()[0] != "lead" or len(legal) < 2:
        state.apply(legal[0], p)
        p, legal = state.acting[0], state.legal_actions(state.acting[0])
    for_the_match, for_the_deal = (rollouts(state.game, state, p, legal) for _ in range(2))
    for_the_match.look_ahead(AT_ONCE)
    for_the_match._worlds.before[:] = [-1000.0 if q == p else 0.0 for q in range(3)]
    for made in (for_the_match, for_the_deal):
        made.imagine(20)
    assert for_the_match._contest.sums == pytest.approx([BESIDE * brought for brought in for_the_deal._contest.sums])
    assert len(set(for_the_deal._contest.sums)) > 1
    assert set(for_the_match._tried(legal)[1].values()) == {0.0}


def decided(sums: Sequence[float], squares: Sequence[float], worlds: int, expected: dict[int, float]) -> Rollouts:
    """Rollouts of some actions with these results; action 0 is what the player would do by itself."""
    made, n = Rollouts(parlour.load("diamonds"), "interpreted"), len(sums)
    made.compete(range(n), expected)
    made._contest.counts[WORLDS], made._contest.tried[:] = worlds, [worlds] * n
    made._contest.sums[:], made._contest.squares[:] = sums, squares
    return made


def leave_behind(made: Rollouts) -> None:
    made._code._leave_behind(made._contest)


FAR, NEAR, NEARER = ([0, by, 100, 0, 0, 100, 0, 0, 0] for by in (100, 50, 1))


@pytest.mark.parametrize(
    ("brought", "squares", "expected", "leader"),
    [
        (9.9, FAR, {}, 0),  # 0.1 more in each of 100 worlds; with differences of 1 each that is one standard error
        (9.9, NEAR, {}, 1),  # with smaller ones it is more
        (10.1, FAR, {}, 1),
        (5, NEARER, {0: 0.0, 1: 0.0, 2: 0.0}, 1),  # a little more
        (5, NEARER, {0: 0.0, 1: -0.2, 2: 0.0}, 0),  # but a network that has learned expects far less of it
        (5, NEARER, {0: 0.0, 1: -0.1, 2: 0.0}, 1),
    ],
)
def test_it_leaves_what_it_would_do_by_itself_only_for_something_surely_better(
    brought: float, squares: list[float], expected: dict[int, float], leader: int
) -> None:
    assert CAUTION == 1.0
    assert decided([0, brought, -5], squares, 100, expected)._leader() == leader


def test_advice_is_as_sure_as_the_same_worlds_allow() -> None:
    """100 worlds in which action 1 brings 0.1 more than action 0, give or take 0.5; action 2, which brings 1.1 less, is
    given up, and compared in the worlds in which both were tried."""
    made = decided([0, 10, -100], [0, 26, 400, 0, 0, 400, 0, 0, 0], 100, {})
    made._contest.seen[:] = [-1.0, 1.0, -1.0, 1.0, 2.0]
    leave_behind(made)
    advice = made.advice([0, 1, 2])
    assert (advice.action, made.contenders) == (1, [0, 1])
    assert advice.error == pytest.approx(0.05)  # the root of (0.26 - 0.01) / 100
    assert advice.sureness == 2.0
    gone = made.advice([1, 2])
    assert gone.error == pytest.approx((4 - 1.21) ** 0.5 / 10)  # when it was given up
    contest = made._contest  # in 300 worlds more, which action 2 never saw, action 1 is lucky
    contest.counts[WORLDS], contest.tried[:] = 400, [400, 400, 100]
    contest.sums[:2], contest.squares[1], contest.seen[:] = [120.0, 240.0], 40.0, [-1.0, 1.0, -1.0, 1.0, 3.0]
    advice = made.advice([0, 1, 2])
    assert advice.action == 1
    assert advice.values == pytest.approx({0: 0.3, 1: 0.6, 2: -0.5})
    assert advice.errors[2] == pytest.approx((4 - 1.21) ** 0.5 / 10)


def test_what_falls_behind_is_given_up_and_equals_are_tried_once() -> None:
    squares = [0, 100, 100, 0, 0, 100, 0, 0, 0]
    made = decided([0, 20, -20], squares, 100, {})
    leave_behind(made)
    assert made.contenders == [0, 1]  # action 2 is four standard errors behind action 1, action 0 only two
    assert made._contest.squares[1] == 100
    same = decided([5, 5, 5], [0, 0, 30, 0, 0, 30, 0, 0, 0], 100, {})
    leave_behind(same)
    assert same.contenders == [0, 2]  # action 1 brings what action 0 does, world by world
    early = decided([5, 5, 5], [0, 0, 30, 0, 0, 30, 0, 0, 0], THE_SAME - 1, {})
    leave_behind(early)
    assert early.contenders == [0, 1, 2]  # that may be chance


def test_the_worse_half_is_given_up_round_by_round_but_never_what_it_would_do_by_itself() -> None:
    """Of eight actions four are left after a third of the budget and two after two thirds, beside the first of all."""
    made = decided([-9, 3, 7, 1, 8, 2, 6, 0], [100.0] * 64, LEAST, {})
    assert contenders_after(made, 0.3, until=1 / 3) == [*range(8)]
    assert contenders_after(made, 0.4, until=2 / 3) == [0, 1, 2, 4, 6]
    assert contenders_after(made, 0.7, until=1.0) == [0, 2, 4]
    assert contenders_after(made, 0.99, until=1.0) == [0, 2, 4]
    early = decided([-9, 3, 7, 1, 8, 2, 6, 0], [100.0] * 64, LEAST - 1, {})
    assert contenders_after(early, 0.7, until=1.0) == [*range(8)]


def contenders_after(made: Rollouts, spent: float, until: float, total: int = 10_000) -> list[int]:
    """The actions that are left when this part of the budget has been spent; they are to be tried next until the end
    of the round."""
    made._contest.counts[IMAGINED], made._contest.counts[LATEST] = int(spent * total), total
    due = made._code._due(made._contest, made._rounds(), total)
    assert due == pytest.approx((until - spent) * total / len(made.contenders), abs=1)
    return made.contenders


def test_where_the_game_is_solved_it_plays_the_solution() -> None:
    """With more players it imagines games, but not for two under other house rules."""
    made, solved, learned = list[int](), list[int](), list[int]()
    for seed in range(12):
        state, p, legal = with_several("diamondback", seed, players=2)
        kinds = {"best:20": made, "unbeatable": solved, "learned": learned}
        for kind, moves in kinds.items():
            moves.append(make(kind, state.game, seed).choose(state.view(p), legal))
    assert made == solved != learned
    assert Best(parlour.load("diamondback", players=3), simulations=5).imagines
    assert not Best(parlour.load("diamondback", max_second_wagers=1), simulations=5).imagines  # solved by other rules


def test_a_server_seats_it_as_it_seats_search() -> None:
    assert opened_as(wanted_table(game="diamonds", bots="best")).bots == ["best", "best"]
    assert opened_as(wanted_table(game="diamonds", players=2, bots="best:0.5s")).bots == ["best:0.5s"] * 2
    assert thinking_time(Kind.parsed("best:0.5s")) == thinking_time(Kind.parsed("search:0.5s")) == 0.75
    assert shared(Kind("best", "2s"), 8.0) == Kind("best", "0.25s")
    with pytest.raises(ParlourError, match="A bot may make at most 2,000 simulations a move here, not 20,000"):
        refuse_slow(Kind.parsed("best:20000"))
    with pytest.raises(ParlourError, match="no rule of thumb"):
        opened_as(wanted_table(game="kuhn", bots="best"))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_strengths_with_names_and_a_sentence_each(name: str) -> None:
    game = parlour.load(name)
    named = strengths(game.definition)
    own = {kind for n in game.definition.counts() for kind in kinds(parlour.load(name, n))}
    assert [one.kind for one in named if one.kind != "unbeatable"] == [
        kind for kind in KINDS if kind in own - {"unbeatable"}
    ]
    assert len({one.name for one in named}) == len(named)
    assert all(one.about.endswith(".") for one in named)
    best = [one.about for one in named if one.kind == "best"]
    assert [b for b in best if "imagines" in b] == [b for b in best if "unbeatable" not in own], "it plays the solution"
    assert usual(game.definition) in {one.kind for one in named}
    assert strongest(game) == next(one.kind for one in reversed(named) if one.kind != "unbeatable")


@pytest.mark.parametrize("name", ["diamonds", "commit", "hearts"])
def test_the_row_of_a_policy_is_the_tensor_of_what_its_player_is_told(name: str) -> None:
    row: list[float] = []
    for steps in (3, 9, 20):
        state, p, _ = with_several(name, steps=steps)
        tensor = state.view(p).tensor().flat
        row = row or [0.0] * len(tensor)
        interpreted(state.game.definition).write_row(state.position, p, row)
        assert row == tensor.tolist()
