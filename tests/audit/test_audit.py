"""The audit finds nothing in the games that there are, and every planted fault."""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import parlour
from parlour import Game, State
from parlour.audit import CHECKS, Report, audit, conduct, settings, taking_back
from parlour.audit.material import Material
from parlour.audit.report import Notes, summed
from parlour.audit.secrets import state_after
from parlour.audit.statistics import chi_square, tail
from parlour.audit.trails import every_trail, walk
from parlour.cli.app import app
from parlour.engine import memory
from parlour.engine.c import building
from parlour.engine.definition import definition
from parlour.engine.telling import View
from parlour.games.matrimony import position as matrimony
from parlour.players.simple import Random
from parlour.rules.bounds import Bounds
from tests import planted
from tests.games.stops import by_clause, with_deck
from tests.helpers import Planter, the_rest_long, there

QUICK = [check for check in CHECKS if check != "bindings"]
"""Both bindings of every game are compared in test_parity, which is what takes long: it compiles the games."""
WITHOUT_BOTS = [check for check in QUICK if check != "bots"]
"""They take half of the time, and play the games of poker in every run."""


def clean(report: Report, *apart: str) -> None:
    """Every check found something to look at and no fault; those named do not apply."""
    assert report.ok, str(report)
    assert {r.check for r in report.results if r.verdict == "does not apply"} == set(apart)


POKER = "open hidden order options"
BRIEFLY = {"exhaustive": 0, "checks": WITHOUT_BOTS}
CLEAN: list[tuple[str, str, int, dict[str, Any], str]] = [
    # clauses, games, how they are looked at, and which checks do not apply
    ("KU-5 KU-12", "kuhn", 2, {"games": 6}, POKER),
    ("LE-6 LE-19", "leduc", 2, {"games": 4, "exhaustive": 0, "checks": QUICK}, POKER),
    ("", "sampler", 3, {"games": 2, **BRIEFLY}, "open"),
    ("DM-96 DM-97 DM-98 DM-99 DM-100", "diamonds", 2, {"games": 1, **BRIEFLY},
     "events asked swap alongside hidden order legal odds"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "players", "how", "apart"), by_clause(CLEAN))
def test_nothing_is_wrong_with_the_rules(name: str, players: int, how: dict[str, Any], apart: str) -> None:
    clean(audit(name, players=players, options={}, **how), *apart.split())


WHOLE: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "diamonds": ({"DECK": 0b111 << 39 | 1 << 26 | 1 << 13 | 1, "PILES": 2, "DEPTH": 3, "NEEDED": (2, 2)}, {}),
    "matrimony": (
        {"DECK": sum(1 << matrimony.PACK.index(c) for c in ("Ad", "Jc", "Qc", "Kc", "Kd")), "PLAYERS": range(2, 3)},
        {"deals": 1, "rounds": 1, "start_counters": 2},
    ),
}
"""Decks so small that one deal can be gone through to all its ends."""


@pytest.mark.long
@pytest.mark.parametrize("name", WHOLE)
def test_no_two_information_sets_of_a_whole_deal_share_a_tensor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    constants, options = WHOLE[name]
    game = Game(with_deck(name, monkeypatch, **constants), 2, {"first_dealer": 0, **options})
    report = audit(game, games=1, exhaustive=60_000, checks=["tensors"])
    clean(report)
    assert report["tensors"].cases > 5_000


@pytest.mark.clause("DM-101", "DM-102", "DM-103", "DM-104", "DM-105")
def test_unseen_cards_of_diamonds_are_counted_by_what_lies_open() -> None:
    clean(audit(parlour.load("diamonds", 3), games=4, seed=50, exhaustive=0, checks=["open", "conservation", "chance"]))


HIDING: list[tuple[str, str, int, dict[str, str], int]] = [
    # clauses, games and house rules under which much is hidden, and a deal in which it comes up
    ("CO-59", "commit", 4, {"comet_self": "yes"}, 53),
    ("", "newmarket", 3, {}, 1),
    ("", "pope_joan", 3, {"version": "foster_trump"}, 50),
    ("", "matrimony", 3, {"stake_visibility": "secret", "others_stake": "at_most", "cover_all": "yes"}, 1),
    ("HE-7 HE-19", "hearts", 4, {"pass_cards": "right", "can_lead_any_club": "yes"}, 1),
    ("DI-39 DI-88 DI-92", "diabolo", 3, {"stuck_face": "down"}, 1),
    ("", "diabolo", 3, {"doubler_ask": "holders_only", "show": "sum_only", "stuck_face": "down"}, 1),
    ("", "diamondback", 3, {"exposure": "all_together"}, 1),
    ("", "dividha", 3, {"pay_to_trade": "on"}, 123),
    ("", "dividha", 2, {"showdown": "free", "rule_of_order": "on", "aural_rule": "on"}, 6),
]


@pytest.mark.parametrize(("name", "players", "options", "seed"), by_clause(HIDING))
def test_nobody_is_told_more_than_they_may_know_and_nothing_else_is_wrong(
    name: str, players: int, options: dict[str, str], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under all house rules, more closely, with all worlds and keys compared too: the campaign ``audit``."""
    few = partial(Material, shadows=1, moments=20, redeals=1, worlds_most=200, draws=100)
    monkeypatch.setattr("parlour.audit.Material", few)
    slow = {"legal", "recall", "tensors"}
    if name in ("dividha", "matrimony") or "show" in options:  # those of Diabolo are looked at once
        slow |= {"odds", "folder"}
    checks = [check for check in WITHOUT_BOTS if check not in slow]
    report = audit(parlour.load(name, players, **options, deals=1), games=1, seed=seed, exhaustive=0, checks=checks)
    assert report.ok, str(report)


@pytest.mark.long
@pytest.mark.parametrize(("game", "players"), [("sampler", 3), ("sampler", 2), ("diamonds", 3)])
def test_nothing_is_wrong_under_any_house_rule(game: str, players: int) -> None:
    light = [check for check in QUICK if check not in {"bots", "order", "odds", "legal", "recall"}]
    report = audit(game, players=players, games=1, seed=7, exhaustive=0, checks=light)
    assert report.ok, str(report)
    assert len(report.settings) == len(list(settings(game, players))) > 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("planted")
    yield place
    sys.path.remove(str(place))
    for name in (*planted.HONEST, *planted.FAULTS):
        parlour.engine.definition._registered.pop(f"planted_{name}", None)


SELDOM = ("lost_card", "merging_names", "wrong_chance")
"""Faults that show in one game of eight."""


@pytest.mark.parametrize("name", planted.FAULTS)
def test_a_planted_fault_is_caught(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.audit.Material", partial(Material, most=20_000))  # what never ends takes long
    fault = planted.FAULTS[name]
    options = planted.HONEST[fault.honest].options
    game = parlour.load(planted.plant(name, folder), **dict(options))
    report = audit(game, games=8 if name in SELDOM else 4, exhaustive=500, checks=[fault.caught_by])
    result = report[fault.caught_by]
    assert result.verdict == "fault", str(report)
    assert result.shortest is not None
    assert fault.says in str(result.shortest)
    assert not report.ok
    assert_honest(planted.plant(fault.honest, folder), fault.caught_by, *options)  # it is the fault that was found


@cache
def assert_honest(base: str, check: str, *options: tuple[str, Any]) -> None:
    """A check finds nothing in the game without a fault, which many of the faulty ones are made of."""
    honest = audit(parlour.load(base, **dict(options)), games=4, exhaustive=500, checks=[check])
    assert honest.ok, str(honest)


def test_a_leak_in_an_option_is_caught_with_default_settings(folder: Path) -> None:
    """What is announced under one option value only, of a choice that was made in everybody's sight."""
    report = audit(planted.plant("leaking_in_an_option", folder), games=10, checks=["events", "alongside"])
    fault = there(report["events"].shortest)
    assert (fault.game.options["marks"], fault.seat) == ("secret", -1)
    assert report["alongside"].ok  # a second game cannot follow another choice
    ((game, why),) = report.in_full.items()
    assert (game, "hides mark from others" in why) == (fault.game, True)
    checks = [check for check in WITHOUT_BOTS if check != "folder"]  # its words say nothing of marks
    honest = audit(planted.plant("honest_marks", folder), games=2, exhaustive=0, checks=checks)
    assert honest.ok, str(honest)


@pytest.mark.parametrize("name", ["breaking_off", "leaving_no_choice"])
def test_a_walk_that_breaks_off_fails_every_check_that_looked_at_it(name: str, folder: Path) -> None:
    others = [check for check in QUICK if check != "end"]
    report = audit(planted.plant(name, folder), games=4, exhaustive=0, checks=others)
    assert set(report.failed) == set(others) - {"open", "options"}
    assert all(planted.FAULTS[name].says in str(report[check].shortest) for check in ("swap", "records"))


@pytest.mark.parametrize("name", the_rest_long(["never_ending", "never_asking", "breaking_off"], ["breaking_off"]))
def test_nothing_else_is_checked_where_games_do_not_end(name: str, folder: Path) -> None:
    told: list[str] = []
    report = audit(planted.plant(name, folder), games=1, progress=told.append)
    assert [result.check for result in report.results] == report.failed == ["end"]
    assert list(report.left_out) == report.as_dict()["left out"] == [check for check in CHECKS if check != "end"]
    assert f"Nothing else was checked: planted_{name} must first come to an end." in str(report)
    assert [said.rpartition(": ")[2] for said in told[1:]] == ["end"]


@pytest.mark.long
@pytest.mark.parametrize("games", [1, 2, 10])
def test_a_game_that_seldom_fails_to_end_is_found_with_any_number_of_games(games: int, folder: Path) -> None:
    report = audit(planted.plant("seldom_ending", folder), games=games, checks=["chance", "end"])
    assert (report.failed, report.left_out) == (["end"], ("chance",))
    assert report["end"].shortest is not None
    assert "; in stage '" in str(report["end"].shortest)
    assert str(report["end"].shortest).count(" / ") == conduct.LAST - 1  # a reader sees how it goes on
    assert report["end"].shortest.seed is not None


def test_a_reproduction_reproduces(folder: Path) -> None:
    game = parlour.load(planted.plant("lost_card", folder))
    fault = there(audit(game, games=8, exhaustive=500, checks=["conservation"])["conservation"].shortest)
    state = fault.game.new()
    for step in fault.script:
        who, _, name = step.partition(": ")
        state.apply(name, None if who == "chance" else int(who))
    assert len(state.history) == fault.step >= 5  # two hands, two calls, the board
    assert game.definition.part("invariants").check(state.position) == fault.difference  # type: ignore[union-attr]


def deaf(honest: Any) -> Any:
    """A key without the player's own actions."""

    def step(memory_: Any, s: Any, who: int, *more: Any) -> None:
        before = memory_.keys[:]
        honest(memory_, s, who, *more)
        if who >= 0:
            memory_.keys[who] = before[who]

    return step


def ticking(honest: Any) -> Any:
    """A key that counts hidden steps."""

    def step(memory_: Any, *more: Any) -> None:
        honest(memory_, *more)
        memory_.keys = [key + 1 for key in memory_.keys]

    return step


def greedy(honest: Any) -> Any:
    """Draws of chance with wrong odds."""
    lowest, below = parlour.rules.vocabulary.lowest, parlour.rules.vocabulary.below

    def draw_outcome(state: State, rng: list[int]) -> int:
        below(rng, 2)
        return lowest(state.game.definition.rules.chance(state.position) >> (rng[0] & 1)) + (rng[0] & 1)

    return draw_outcome


def clocked(honest: Any) -> Any:
    """A redeal that looks at the clock."""
    count = iter(range(10**9))
    return lambda view, seed: honest(view, seed + next(count))


@pytest.mark.parametrize(
    ("place", "name", "change", "game", "check", "says"),
    [
        (memory, "fold", lambda honest: lambda key, fact: honest(0, fact), "sampler", "recall", "has the same key"),
        (memory.Memory, "step", deaf, "kuhn", "recall", ""),
        (memory.Memory, "step", ticking, "sampler", "hidden", "saw and heard nothing"),
        (State, "chance_outcomes", lambda honest: lambda state: honest(state)[1:], "kuhn", "chance", "2/3, not to 1"),
        (State, "draw_outcome", greedy, "kuhn", "chance", ""),
        (State, "record", lambda honest: lambda state, player=None: honest(state), "kuhn", "alongside", "redacted"),
        (View, "redeal", clocked, "kuhn", "redeal", "with the same seed"),
    ],
)
def test_a_fault_in_the_engine_is_caught(
    place: Any, name: str, change: Any, game: str, check: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, name, change(getattr(place, name)))
    games, exhaustive = (20, 0) if game == "sampler" else (8, 500)
    result = audit(parlour.load(game), games=games, exhaustive=exhaustive, checks=[check])[check]
    assert result.verdict == "fault"
    assert says in str(result.shortest)


def test_a_secret_that_passes_for_known_when_it_is_0_is_caught(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would notice anything of the step; whether it may be taken back would tell them."""
    game = parlour.load(planted.plant("honest_secret_mark", folder))
    assert audit(game, games=8, checks=["undo"]).ok
    raises = game.find_action("raise")
    monkeypatch.setattr(taking_back, "teaches_nothing", lambda game, s, who, a: a == raises and s.mark == 0)
    result = audit(game, games=8, checks=["undo"])["undo"]
    assert "may be taken back or not, according to what player" in str(result.shortest)


def test_an_amount_beyond_what_is_stated_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    game = parlour.load("leduc")
    assert audit(game, games=4, exhaustive=0, checks=["bounds"]).ok
    monkeypatch.setattr(conduct, "amounts_of", lambda game: {"paid": (0, 2)})
    result = audit(game, games=4, exhaustive=0, checks=["bounds"])["bounds"]
    assert "not within (0, 2)" in str(result.shortest)


@pytest.mark.parametrize(("unit", "told"), [(3, ""), (math.inf, "returns are [inf, -inf], not finite")])
def test_returns_may_be_whole_numbers_and_must_be_finite(
    unit: float, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = parlour.load("kuhn")
    monkeypatch.setattr(game.definition.rules, "returns", lambda s, out: out.__setitem__(slice(None), [unit, -unit]))
    result = audit(game, games=1, exhaustive=0, checks=["conservation"])["conservation"]
    assert told in str(result.shortest) if told else not result.faults
    state = game.new(seed=1)
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert repr(state.returns()) == f"[{float(unit)}, {-float(unit)}]"


def test_a_match_of_one_deal_ranks_players_as_its_deal_does(monkeypatch: pytest.MonkeyPatch) -> None:
    game = parlour.load("commit", 3, deals=1)
    rules = game.definition.rules
    honest = rules.deal_returns
    monkeypatch.setattr(rules, "deal_returns", lambda s, out: (honest(s, out), out.reverse()))
    result = audit(game, games=2, exhaustive=0, checks=["conservation"])["conservation"]
    assert "its deal has deal_returns [" in str(result.shortest)


def others_card(view: View) -> int:
    """The other's card on the table, if that stands in the frames of those who have called."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if isinstance(table := frame.f_locals.get("state"), State):
            return int(table.position.hand[1 - view.player])
    return 0


CHEATS: dict[str, Callable[[View, list[int]], int]] = {
    "must not know": lambda view, legal: legal[others_card(view) % len(legal)],
    "steps over its choice": lambda view, legal: sorted(legal[:1] * (1 + others_card(view)), key=lambda a: a)[0],
    "changed the view or the list": lambda view, legal: legal.pop(),
    "instead of": lambda view, legal: random.choice(legal),  # and does not heed its seed
    "not legal": lambda view, legal: next(a for a in range(-1, 99) if a not in legal),
}


@pytest.mark.parametrize("says", CHEATS)
def test_a_cheating_player_is_caught(says: str) -> None:
    cheat: Any = SimpleNamespace(choose=CHEATS[says])
    result = audit(parlour.load("leduc"), games=8, checks=["bots"], bots={"cheat": lambda game, seed: cheat})["bots"]
    assert result.verdict == "fault"
    assert "player 'cheat'" in str(result.shortest)
    assert says in str(result.shortest)
    fair = audit(parlour.load("leduc"), games=2, checks=["bots"], bots={"fair": lambda game, seed: Random(seed)})
    assert fair.ok


def test_a_player_who_holds_the_table_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[Any] = []
    honest = State.view

    def overheard(state: State, player: int = -1) -> View:
        tables[:] = [state]
        return honest(state, player)

    class Holding(Random):
        def choose(self, view: View, legal: Sequence[int]) -> int:
            self.kept = {"table": tables[:]}
            return legal[0]

    monkeypatch.setattr(State, "view", overheard)
    report = audit(parlour.load("kuhn"), games=2, checks=["bots"], bots={"cheat": lambda game, seed: Holding(seed)})
    assert "holds the state of the table" in str(report["bots"].shortest)


def test_a_game_that_declares_no_secrets_is_not_called_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    what = parlour.engine.definition.Definition
    part = what.part
    monkeypatch.setattr(what, "part", lambda one, name: None if name == "invariants" else part(one, name))
    report = audit(parlour.load("kuhn"), games=2, checks=["swap", "alongside"])
    assert report.failed == ["swap", "alongside"]
    assert "has no hide(s, me)" in str(report["swap"].shortest)


def test_secrets_declared_too_few_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    invariants = parlour.load("kuhn").definition.part("invariants")
    monkeypatch.setattr(invariants, "hide", lambda s, me: None)
    report = audit(parlour.load("kuhn"), games=4, checks=["redeal"])
    assert "although hide(s, me) says that the player may know it: hand[" in str(report["redeal"].shortest)


def test_a_check_without_cases_fails() -> None:
    report = audit(parlour.load("kuhn"), games=0, checks=["end", "copies", "swap", "alongside", "odds"])
    assert [result.verdict for result in report.results] == ["nothing checked"] * 5
    assert not report.ok
    assert report["swap"].empty == ("load('kuhn', players=2): no game was played",)


def test_a_check_without_cases_says_what_there_was_and_why_it_did_not_do() -> None:
    """Nothing is checked in the one setting in which two play; nobody would see it in the sum."""
    three, two = (Material(parlour.load("sampler", n), range(4), {}, worlds_most=w) for n, w in ((3, 400), (2, 0)))
    notes = [Notes(material.game, "odds") for material in (three, two)]
    for material, note in zip((three, two), notes, strict=True):
        CHECKS["odds"][0](material, note)
    result = summed("odds", "", notes)
    assert notes[0].cases > 0
    assert (result.verdict, result.ok) == ("nothing checked", False)
    (why,) = result.empty
    assert why.startswith(f"{two.game!r}: ")
    assert "at most 0 may be compared. State a smaller pack in invariants.py" in why


def test_the_whole_of_a_small_game_is_looked_at() -> None:
    kuhn = every_trail(parlour.load("kuhn"), 100)
    assert len(kuhn) == 1 + 3 + 6 * (1 + 2 + 4 + 2)  # no card, one, two; and 8 bets of each deal after the first
    assert sum(t.weight for t in kuhn if not t.acting and len(t.steps) == 0) == Fraction(1)
    assert every_trail(parlour.load("kuhn"), 50) == []


def test_a_walk_is_what_the_public_face_plays() -> None:
    walked = walk(parlour.load("sampler", 3), 3, 500)
    state = state_after(walked.last)
    assert state.is_terminal
    assert state.position == walked.last.s
    assert [state.information_key(p) for p in range(3)] == walked.last.keys


def test_the_statistics_know_a_fair_die() -> None:
    die = {face: Fraction(1, 6) for face in range(6)}
    assert chi_square(die, dict.fromkeys(range(6), 100), 600) == (0.0, 5)
    score, freedom = chi_square(die, {0: 200, 1: 80, 2: 80, 3: 80, 4: 80, 5: 80}, 600)
    assert score == pytest.approx(120)
    assert tail(score, freedom) < 1e-6 < tail(5.0, freedom)
    assert tail(11.07, 5) == pytest.approx(0.05, abs=0.002)


def test_without_a_compiler_there_is_no_other_binding_to_agree_with(
    plant: Planter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "compilers", lambda: iter(()))
    report = audit(plant("planted_kuhn_audited").id, games=2, checks=["bindings"])
    clean(report, "bindings")
    assert report["bindings"].reason.startswith("planted_kuhn_audited can be compiled where there is a C compiler")


def test_the_command_says_clean_and_ends_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing of what is running, where nobody watches; a game may be named by its folder."""
    ran = CliRunner().invoke(app, ["audit", "kuhn", "-n", "2", "-c", "chance", "-c", "order"])
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert "nobody chooses at the same time" in ran.output
    monkeypatch.setattr(parlour.engine.definition, "_registered", {})
    ran = CliRunner().invoke(app, ["audit", "parlour.games.kuhn", "-n", "2", "-c", "end"])
    assert (ran.exit_code, "kuhn, 1 setting: clean" in ran.output) == (0, True), ran.output


def test_the_command_says_what_is_wrong_and_ends_with_1(folder: Path) -> None:
    args = ["audit", planted.plant("lost_card", folder), "-n", "8", "-c", "conservation"]
    ran = CliRunner().invoke(app, args)
    assert (ran.exit_code, "FAULTY" in ran.output, "chance: " in ran.output) == (1, True, True)
    ran = CliRunner().invoke(app, [*args, "--json"])
    said = json.loads(ran.stdout)
    (check,) = said["games"][0]["checks"]
    assert (ran.exit_code, said["ok"], check["check"], check["verdict"]) == (1, False, "conservation", "fault")
    assert len(check["shortest"]["script"]) == check["shortest"]["step"] > 0


def test_a_game_for_many_is_looked_at_less_closely() -> None:
    """Every number of players and every value of every option is there, but not each with each: with three players and
    with another number in turn; of a large table a few seats are followed, the dealer's side and the other."""
    found = list(settings("matrimony"))
    plain = [one for one in found if one == parlour.load("matrimony", one.players)]
    assert [one.players for one in plain] == list(range(2, 27))
    what = definition("matrimony")
    changed = [(name, one.options[name], one.players) for one in found for name in what.options if one not in plain
               if one.options[name] != str(what.options[name].default)]  # fmt: skip
    assert len(changed) == len(set(changed)) == len(found) - len(plain)
    assert {name for name, *_ in changed} == set(what.options)
    assert set(Counter((name, value) for name, value, _ in changed).values()) == {1, 2}
    assert sum(n == 3 for *_, n in changed) > 25
    assert len({n for *_, n in changed}) > 10
    for players, seats in ((8, range(8)), (9, range(0, 9, 2)), (26, range(0, 26, 4))):
        assert Material(parlour.load("matrimony", players), range(1), {}).seats == seats


WRONG_BOUNDS = [
    (Bounds(-13, 13, 0, 7), "has more than 7 decisions"),
    (Bounds(-2, 13, 0, 8), "not -2 to 13"),
    (Bounds(-13, 2, 0, 8), "not -13 to 2"),
    (Bounds(-13, 13, 1, 8), "not 1"),
    (Bounds(-14, 13, 0, 8), "returns are -13 to 13"),  # never reached
    (Bounds(-13, 13, 0, 9), "decisions 8"),
]


@pytest.mark.parametrize(("stated", "words"), WRONG_BOUNDS)
def test_wrong_bounds_are_found(stated: Bounds, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.games.leduc.invariants.bounds", lambda _: stated)
    report = audit("leduc", games=12, checks=["bounds"])
    assert not report.ok
    assert words in str(report)


def test_sealed_answers_are_known_once_the_last_is_given() -> None:
    """Others answered differently in another world: until then that must not be heard, then it may be."""
    given, ended = dict[int, int](), 0
    for trail in walk(parlour.load("sampler", 3), 1, 400).trails:
        last = trail.before is not None and trail.before.pending and not trail.pending
        if trail.pending or last:
            given[trail.step[0]] = trail.step[1]
        others = {who: a for who, a in given.items() if who != 0}
        assert trail.sealed_by_others(0) == (others if last else {})
        if last:
            ended += 1
            given.clear()
    assert ended > 1


@pytest.mark.clause("DI-68")
def test_who_sees_what_others_sealed_may_tell_two_games_apart() -> None:
    """Both deals end alike, but somebody declined in one: that was shown to everybody, and the next deal begins."""
    game = parlour.load("diabolo", 2, two_players="on", deals="all")
    notes = Notes(game, "alongside")
    CHECKS["alongside"][0](Material(game, (7,), {}), notes)
    assert notes.cases > 50
    assert notes.faults == []
