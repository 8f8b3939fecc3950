"""The pages of results say what comes out."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import parlour
from parlour import CHANCE
from parlour.engine import definition as definitions
from parlour.games.matrimony.chances import chances
from parlour.games.matrimony.position import ACE_OF_DIAMONDS, POOLS
from tests.helpers import the_rest_long
from tests.house.test_examples import example

RESULTS = Path(__file__).parents[2] / "docs" / "results"
BEST = POOLS.index("Best")


def program(name: str) -> Any:
    return example(name, RESULTS)


def test_the_charts_show_what_the_tables_of_their_pages_say() -> None:
    for name, drawn in program("charts").CHARTS.items():
        assert (RESULTS / f"{name}.svg").read_text("utf-8") == drawn(), "python docs/results/charts.py"


def test_the_page_of_matrimony_is_what_its_program_prints() -> None:
    made, page = program("matrimony"), (RESULTS / "matrimony.md").read_text("utf-8")
    for lines in (made.by_option(), made.exact(2, 1)):
        assert "\n".join(lines) in page
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \| .*$", page[: page.index("## With short stacks")], re.MULTILINE))
    assert sorted(map(int, rows)) == list(range(2, 11))
    for n in (2, 3, 7):
        assert rows[str(n)] == f"{made.seats(n, 2 * n)} | {made.seats(n, 1)}"


@pytest.mark.long
def test_all_of_the_table_of_matrimony() -> None:
    """As far as the page has it: two lines of a head, and the tables of two to ten."""
    lines = program("matrimony").by_players()
    assert len(lines) == 2 + 25
    assert "\n".join(lines[:11]) in (RESULTS / "matrimony.md").read_text("utf-8")


@pytest.mark.parametrize("players", the_rest_long(range(2, 27), [2, 3, 5]))
def test_the_steps_of_the_proof_about_matrimony(players: int) -> None:
    made = program("matrimony")
    for deals in range(1, 2 * players + 1):
        value = made.worth(players, deals)
        assert all(sum(v[q] for v in value) == 1 for q in range(len(POOLS)))
        assert all(v[BEST] == Fraction(1, players) for v in value)
        assert max(value[-1]) == Fraction(1, players), "no pool is worth more to the dealer"
        assert sum(made.results(players, deals)) == 0


def test_the_hands_that_ruin_counts_are_those_of_the_odds() -> None:
    both = program("ruin").hands()
    assert sum(both.values()) == Fraction(50, 52)
    for pool, (eldest, dealer) in enumerate(chances(2)[:4]):
        assert eldest == sum(chance for (first, _), chance in both.items() if first == pool)
        assert dealer == sum(chance for (first, second), chance in both.items() if second == pool != first)


Held = tuple[int, int, tuple[int, ...]]


def held(state: parlour.State, dealer: int) -> Held:
    """The counters of the dealer, of the other, and on the pools."""
    s = state.position
    return s.counters[dealer], s.counters[1 - dealer], tuple(s.pools)


def stakes(state: parlour.State, dealer: int) -> set[int]:
    """How many counters the dealer may lay."""
    found, todo = set[int](), [state]
    while todo:
        here = todo.pop()
        if here.current_player != dealer:
            found.add(held(state, dealer)[0] - held(here, dealer)[0])
            continue
        for a in here.legal_actions():
            todo.append(here.clone())
            todo[-1].apply(a)
    return found


@pytest.mark.parametrize("options", [{}, {"restake": "when_empty"}, {"leftovers": "play_out"}, {"broke": "out"}])
def test_matches_with_ruin_go_on_as_the_rules_say(options: dict[str, str]) -> None:
    """Every deal of matches at random: what may be taken, what the cards bring, who deals next or that it is over."""
    made, rng, ends = program("ruin"), Random(4), 0
    for counters in (2, 3, 4, 6, 2, 3):
        model, later = made.Match(counters, **options), list[tuple[Any, ...]]()
        model.deal = lambda *where, later=later: later.append(where) or 0
        state = parlour.load("matrimony", 2, start_counters=counters, first_dealer=0, **options).new()
        while not state.is_terminal:
            done, dealer = state.position.deal, state.position.dealer
            mine, theirs, pools = held(state, dealer)
            if most := model.most(done, mine, theirs, pools):
                assert stakes(state, dealer) == set(range(2, most + 1))
                while state.current_player != CHANCE:
                    state.apply(rng.choice(state.legal_actions()))
                assert theirs - held(state, dealer)[1] == model.fewer(theirs, mine - held(state, dealer)[0])
                mine, theirs, pools = held(state, dealer)
            assert state.current_player == CHANCE, "there is something to stake"
            cards = list[int]()
            while state.position.deal == done and state.current_player == CHANCE:
                some = [k for k, _ in state.chance_outcomes()]
                wanted = [k for k in some if k == ACE_OF_DIAMONDS or k >= 40]
                cards.append(rng.choice(wanted if wanted and rng.random() < 0.6 else some))
                state.apply(cards[-1])
            if cards[-1] == ACE_OF_DIAMONDS and len(cards) <= 2:
                eldest, own, left = (sum(pools), 0, (0,) * 5) if len(cards) == 1 else (0, sum(pools), (0,) * 5)
            else:
                both = tuple(made.shown(cards[2 + k] >> 2, cards[k] >> 2) for k in range(2))
                eldest, own, left = made.won(both, pools)
            later.clear()
            end = model.after(done + 1, mine + own, theirs + eldest, left)
            if state.is_terminal:
                assert (later, (end, 2 * counters - end)) == ([], held(state, state.position.dealer)[:2])
                ends += 1
            else:
                assert later == [(state.position.deal, *held(state, state.position.dealer))]
    assert ends == 6


@pytest.mark.parametrize("counters", the_rest_long([2, 3], [2]))
def test_fractions_and_numbers_agree_about_ruin(counters: int) -> None:
    made = program("ruin")
    assert float(made.Match(counters, exact=True).value()) == pytest.approx(made.Match(counters).value(), abs=1e-12)


@pytest.mark.long
def test_without_ruin_both_programs_find_the_same_match() -> None:
    """With two counters a deal nobody runs out; then every counter is worth what the proof says."""
    by_deals = program("matrimony")
    costs = [-float(by_deals.results(2, deals)[-1]) for deals in range(1, 5)]
    match = program("ruin").Match(6, stake_max=2, cut=True)
    assert match.value() == pytest.approx(costs[0] - costs[1] + costs[2] - costs[3], abs=1e-12)


@pytest.mark.parametrize("tried", the_rest_long(["table 4", "table 7", "by_option 5"], ["table 4"]))
def test_the_page_of_matrimony_shows_what_short_stacks_bring(tried: str) -> None:
    printed, counters = tried.split()
    lines = getattr(program("ruin"), printed)(int(counters))
    assert "\n".join(lines) in (RESULTS / "matrimony.md").read_text("utf-8")


TWO_HANDS = """

def deal_returns(s: Diamondback, out: list[float]) -> None:
    returns(s, out)


def finish_and_go_on(s: Diamondback, to: Listener) -> None:
    second = s.deal > 0
    finish_if_settled(s, to)
    if second and s.stage == SETTLED:
        next_deal(s, to)


actor, acting, legal, apply, happen, refuse_now = by_stage(STAGES, then=finish_and_go_on)
"""


@pytest.mark.long
def test_a_carried_pot_is_worth_what_the_tree_of_all_hands_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two hands after a tie, solved as one tree of five million histories, and hand by hand."""
    made = program("carried")
    made.main(3, 2)
    one_by_one = capsys.readouterr().out.splitlines()[-1].split("|")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(definitions, "_registered", dict(definitions._registered))  # for this test only
    package = made.with_added("two_hands", tmp_path, TWO_HANDS)
    both = made.Game(made.named(package), 2, {"first_dealer": 1, "start_coins": 3, "hands": 3})
    last = made.Solver(made.grow(both, after=made.tie(4, 3), reduced=True)).run(target=5e-4)
    value, within = float(one_by_one[2]), float(one_by_one[-2]) + 1e-3
    assert 2 + last.lower - within <= value <= 2 + last.upper + within
    assert float(one_by_one[3]) == 3, "nobody has anything left to wager"


def test_the_best_choice_against_a_rule_of_thumb_is_found() -> None:
    """In endings where one choice is better by far, it is the best against any opponent."""
    made, found = program("diamonds"), 0
    game = parlour.load("diamonds", 2)
    after = made.Rollouts(game, "compiled")
    for seed in range(60):
        state = made.followed(game, seed, 8)
        if state is None or found == 2:
            continue
        chances = made.winning(game, state.position)
        other = [chance for chance in chances.values() if chance < max(chances.values())]
        if other and max(chances.values()) - max(other) > 0.08:
            found += 1
            best, missed = made.best_of(after, state.view(state.current_player), state.legal_actions(), seed)
            assert chances[best] == max(chances.values())
            assert missed < 0.001
    assert found == 2


def test_what_may_have_been_overlooked() -> None:
    """The better of two by a measurement that errs by 0.01 loses 0.004 on average, if they seem alike."""
    overlooked = program("diamonds").overlooked
    assert overlooked(0.1, 0.0) == 0.0
    dice, ahead, error = Random(1), 0.01, 0.02
    lost = [max(0.0, dice.gauss(-ahead, error)) for _ in range(100_000)]
    assert overlooked(ahead, error) == pytest.approx(sum(lost) / len(lost), rel=0.02)


def test_what_choices_bring_against_a_rule_of_thumb(capsys: pytest.CaptureFixture[str]) -> None:
    made = program("diamonds")
    made.ROUNDS, made.WORLDS = (50, 200), 100
    made.gained("random", "10", "5")
    printed = capsys.readouterr().out
    wins, best = (float(re.findall(rf"\n{what}: (.*?)%", printed)[0]) for what in ("wins", "the best choices"))
    assert 10 < wins < 42, "a random player wins 26.3% of 100,000 games"
    assert best > 42
