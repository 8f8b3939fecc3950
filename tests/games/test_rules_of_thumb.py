"""What the rule of thumb of each game prefers, in positions in which a card player would say so too."""

from __future__ import annotations

import os
import random
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import parlour
from parlour import CHANCE, State
from parlour.games.dividha import advice, hands, heuristic
from parlour.games.dividha.hands import cards_named
from parlour.games.matrimony.position import POOLS
from parlour.players.kernels.arena import NOTES
from parlour.players.kinds import make
from parlour.players.simple import prepared
from parlour.study.match import play_game
from tests.games import test_commit as commit
from tests.games import test_diabolo as diabolo
from tests.games import test_dividha as dividha
from tests.games import test_hearts as hearts
from tests.games import test_newmarket as newmarket
from tests.games import test_pope_joan as pope_joan
from tests.games.stops import do, late
from tests.helpers import by_worth, rules_of, weighed

RECORDS = Path(__file__).parents[1] / "records" / "thumbs"


def plays(act: str) -> str:
    return act.rpartition(" ")[2]


@pytest.mark.parametrize(
    ("game", "players", "options", "least"),
    [
        ("commit", 4, {"deals": 4}, 4),
        ("diamonds", 3, {}, 0.2),
        ("hearts", 4, {"deals": 4}, 5),
        ("diabolo", 3, {"deals": 1}, 0.3),
        *(("diamondback", 3, {"version": version}, 10) for version in ("standard", "dealers", "match")),
        ("matrimony", 4, {"others_stake": "at_most"}, 15),  # where it may stake less than others it wins by that
        ("newmarket", 4, {"deals": 4}, 2),
        *(("pope_joan", 3, options, 2) for options in ({}, pope_joan.TRUMP, pope_joan.CLASSIC)),
        pytest.param("dividha", 3, {"starting_coins": 40, "ante_start": 4}, 1, marks=pytest.mark.long),
    ],
)
def test_it_wins_from_random_players(game: str, players: int, options: dict[str, Any], least: float) -> None:
    """On average more than this a match, in each seat in turn."""
    what, won = parlour.load(game, players, **options), 0.0
    for seed in range(20):
        seats = [make("rule-of-thumb" if p == seed % players else "random", what, seed) for p in range(players)]
        won += play_game(what, seats, seed).returns[seed % players]
    assert won / 20 > least


@pytest.mark.parametrize(
    ("hands", "played", "order"),
    [
        ("5c 9c Jd 2h / 2c 3c 4c 6c / 7c 8c Tc Jc / Qc Kc Ac Qd", "", "2h 5c 9c Jd"),  # it leads low
        # it stays as high as it can below the trick, or plays its lowest card; what others discard does not count
        ("Tc 2d / Ad 3d / 3c 9c Qc Ac / 4c 5c", "Tc Ad", "9c 3c Qc Ac"),
        ("3c 2d / Jc 3d / 4c 9c Qc / 2c 5c", "3c Jc", "9c 4c Qc"),
        ("2c 2d / 9c 3d / 3c 8c Tc / 4c 5c", "2c 9c", "8c 3c Tc"),
        # it is rid of the black queen at once below king or ace
        ("As 2d / Qs Js Ks / 2c 3c / 4c 5c", "As", "Qs Ks Js"),
        ("Ts 2d / Qs Js Ks / 2c 3c / 4c 5c", "Ts", "Js Qs Ks"),
        # it discards what costs most: once the queen has been taken, high spades cost no more than other high cards
        ("4c 5c 6c 7c 8c 9c / Qs As Ks Ah Ad Kd 2h 3d / 4h 5h / 6h 7h", "4c", "Qs As Ks Ah Ad Kd 2h 3d"),
        ("4c 5c 6c 7c 8c 9c / Ah As Kd 2h 4d 3d / 4h 5h / 6h 7h", "4c", "Ah As Kd 2h 4d 3d"),
    ],
)
def test_hearts_plays_a_card_that_takes_no_points(hands: str, played: str, order: str) -> None:
    state = hearts.do(hearts.late(hands.split(" / ")), *played.split())
    assert " ".join(map(plays, by_worth(state))) == order


def test_hearts_passes_the_black_queen_then_what_is_above_it_then_high_hearts() -> None:
    state = hearts.dealt(hearts.load(pass_cards="left"), "2c 3d 9d Ad Qs Ks As Js 2h 3h 9h Kh Ah")
    assert " ".join(map(plays, by_worth(state, 0))) == "Qs As Ks Ah Kh 9h Ad 3h 2h Js 9d 3d 2c"


def test_stops_are_played_where_they_bring_most() -> None:
    """What lies on the layout and what others pay; then a sequence that stays with its player, or comes back."""
    unseen, rich = ["7c 2d 3d", "2h 3h 4h"], ["Jc Qd Kc 9h", "2d 3d 4d", "2h 3h 4h"]
    trumps, hoped = ["Ks Qs Jd 2c", "2s 3s 4s 5s", "7h 8h 9h Th"], pope_joan.pools(Matrimony=5, Intrigue=10)
    asked = late(commit.load(4), ["4s 2h", "9d 2c 3c", "3h 4h", "5s Td Jd 4c 5c"], "6s Qd")
    do(asked, "lead 4s")
    layout = pope_joan.pools(Ten=4, Jack=3, Queen=1, Pope=8)
    for state, order in (
        (newmarket.scene(["5c 6c 9c Jd", *unseen], stock="8c Th", lead_rule="any"), "5c Jd 6c 9c"),
        (newmarket.scene(rich, stock="Qc Th", pool=(3, 5, 2, 4), lead_rule="any"), "Kc Jc Qd 9h"),
        (asked, "comet pass"),
        (do(asked.clone(), "comet"), "Td 5s"),  # its own Jd follows
        (late(commit.load(3), ["Ac 5c 9d Ks", "2c 3c", "4c 5h"], stock="6c", pool=3), "9d Ks Ac 5c"),
        (pope_joan.scene(["Td Jc Qs 7d 2c", "2s 3s 4s 5s 6s", "7h 8h 9h Th Jh"], pool=layout), "7d Td Jc Qs 2c"),
        (pope_joan.scene(trumps, turned="As", options=pope_joan.TRUMP, pool=hoped, played={0: "Js"}), "Qs Ks Jd 2c"),
    ):
        assert " ".join(map(plays, by_worth(state))) == order


def by_best(state: State, player: int | None = None, seed: int = 1) -> list[str]:
    """The actions that are worth most."""
    worth = weighed(state, player, seed)
    return [act for act in worth if worth[act] == max(worth.values())]


ROWS = {"R": ("1 2", "5"), "Y": ("4", "2 1"), "G": ("", "3"), "B": ("5 1", "1 2")}


@pytest.mark.parametrize(
    ("rows", "hand", "best"),
    [
        ({}, "R5 R4 Y3 G2 P1 B1 B2", "place R4 right"),  # the five stays in hand, for which the row counts
        ({"R": ("5 4", "")}, "R5 R4 Y1 Y2 G1 P1 B1", "place R5 right"),  # a row that is lost to the left
        ({"R": ("", "5 4")}, "R5 R4 Y1 Y2 G1 P1 B1", "place Y1 right"),  # a row that is won needs no more
        ({"R": ("2 2", "3 3"), "B": ("4", "")}, "R1 R1 Y5 Y5 Y4 P1 B1", "place Y5 right"),
        (ROWS, "R4 R1 Y5 Y1 G2 P4 P3", "place Y5 right"),
    ],
)
def test_diabolo_builds_the_row_of_which_it_holds_most(rows: dict[str, tuple[str, str]], hand: str, best: str) -> None:
    assert by_best(diabolo.scene(rows, [hand, "", ""], 3)) == [best]


@pytest.mark.parametrize(("hand", "word"), [("Y5 G2", "yes"), ("Y1 G5 G4", "no"), ("Y1", "yes"), ("P5", "no")])
def test_diabolo_keeps_its_doubler_for_the_row_that_brings_most(hand: str, word: str) -> None:
    rows = {"Y": ("1", "4 2"), "G": ("1 1", "5 2 2"), "P": ("5", "1"), **diabolo.EVEN}
    state = diabolo.scene(rows, [f"R1 {hand}", "", ""])
    state.apply(diabolo.LAST)
    assert by_best(state, 0) == [f"doubler {word}"]


DIAMONDS = rules_of("diamonds")


@pytest.mark.parametrize(("unseen", "each"), [("D2 CA", 1.2 * (1 - 1 / 2**6)), ("X1", 0.8 * 6 * 1.2), ("S9", 0.0)])
def test_diamonds_expects_of_a_pile_what_its_cards_may_bring(unseen: str, each: float) -> None:
    """Each of nine closed piles, of six cards that may be any of these; what the next player is denied counts a
    fifth."""
    state = parlour.load("diamonds", first_dealer=0).new(seed=1)
    state.position.unseen = sum(1 << DIAMONDS.CARDS.index(card) for card in unseen.split())
    assert weighed(state) == pytest.approx({f"dig {i}": each for i in range(9)})


WALKS: list[tuple[str, int, dict[str, Any]]] = [
    ("diamondback", 2, {}),
    ("diamondback", 3, {"wager_limit": "none", "exposure": "all_together"}),
    ("diamondback", 3, {"version": "dealers", "ante_decline": "yes"}),
    ("diamondback", 4, {"version": "match", "match_unit": "within_hand"}),
    ("diamondback", 3, {"version": "match", "start_coins": 30}),
    ("matrimony", 2, {"rounds": 5}),
    ("matrimony", 3, {"cards": "two_down"}),
    ("matrimony", 4, {"others_stake": "at_most"}),
    ("matrimony", 4, {"rounds": 1, "stake_visibility": "secret"}),
    ("matrimony", 5, {"best_rule": "next_up", "cover_all": "yes"}),
    ("matrimony", 26, {"deals": 5}),
    ("dividha", 2, {"starting_coins": 30}),
    ("dividha", 3, {"pay_to_trade": "on", "starting_coins": 40}),
    ("dividha", 2, {"aural_rule": "on", "showdown": "free", "starting_coins": 30}),
    ("dividha", 2, {"rule_of_order": "on", "starting_coins": 30}),
    ("dividha", 3, {"absences": "on", "between_hands": "asked", "starting_coins": 24, "ante_step": 4}),
    ("hearts", 4, {}),
    ("newmarket", 3, {}),
    ("newmarket", 5, {"lead_rule": "any"}),
    ("commit", 3, {}),
    ("pope_joan", 3, {}),
    ("pope_joan", 4, {**pope_joan.TRUMP, "ace": "high"}),
    ("pope_joan", 4, pope_joan.CLASSIC),
    ("diabolo", 3, {}),
    ("diamonds", 2, {"lower_spade": "may_take"}),
    ("diamonds", 3, {"pile_choice": "random_face_down", "joker_when": "own_turn"}),
]
"""Long walks, in which all that goes into the worth of a choice counts."""


def walked(game: str, players: int, options: dict[str, Any]) -> Iterator[str]:
    """A walk at random, seldom through folds: of each choice who has it and what is worth most to them."""
    what, choose = parlour.load(game, players, **options), random.Random(players)
    state = what.new(seed=1)
    for seed in range(160 if game == "dividha" else 400):
        if state.is_terminal:
            state = what.new(seed=seed)
        me = state.acting[0]
        if len(state.legal_actions(me)) > 1:
            best = by_best(state, me, seed)
            yield f"{me} {', '.join(best) if len(best) < len(state.legal_actions(me)) else 'anything'}"
        rare = [a for a in state.legal_actions(me) if state.name_of(a) in ("fold", "leave the table")]
        likely = [a for a in state.legal_actions(me) if a not in rare or choose.random() < 0.2]
        state.apply(choose.choice(likely or rare), me)


@pytest.mark.parametrize(("game", "players", "options"), WALKS)
def test_it_prefers_what_it_preferred(game: str, players: int, options: dict[str, Any]) -> None:
    """What is meant to change is written again if PARLOUR_SNAPSHOTS says "write"; look at the difference."""
    kept = RECORDS / f"{game}_{WALKS.index((game, players, options))}.txt"
    found = textwrap.fill("; ".join(walked(game, players, options)), 118) + "\n"
    if os.environ.get("PARLOUR_SNAPSHOTS") == "write":
        kept.write_text(found, "utf-8")
    assert found == kept.read_text("utf-8")


TABLETS = rules_of("dividha")


def test_dividha_leaves_all_as_it_is_between_two_hands_and_comes_back() -> None:
    table = dividha.Table(players=3, ante=6, between_hands="asked", absences="on").do("raise 2/1", "fold", "fold")
    assert {act for act, worth in weighed(table.state, 0, 1).items() if worth > 0} == {"check"}
    table.do("leave the table", "check", "check", "raise 2/1", "fold", "check", "check")
    assert weighed(table.state, 0, 1) == {"return": 1, "stay away": 0}


def test_dividha_ranks_a_hand_by_a_wild_card_beside_it_only_where_that_counts() -> None:
    """Providence (DV-165) looks at the combination, or with ``providence_scope=held`` at the whole hand."""
    six = cards_named("God KU KD 7U 5D 3B")
    plain = cards_named("2V KU KD 7U 5D 3B")
    used, held = (TABLETS.ranking(dividha.load(2, providence_scope=scope).start()) for scope in ("used", "held"))
    assert heuristic.ends(used, six, 0) == advice.ends_of(used, six, 0)
    assert heuristic.ends(held, plain, 0) == advice.ends_of(held, plain, 0)
    assert heuristic.ends(held, six, 0) == advice.ends_of(held | hands.WILD_HELD, six, 0)
    assert heuristic.ends(held, six, 0) != advice.ends_of(held, six, 0)


def test_dividha_thinks_the_same_of_a_hand_whatever_it_was_asked_before() -> None:
    """It keeps what it found for some hands: that changes nothing for others, nor what it compares hands with."""
    dice, s, ladder = random.Random(1), dividha.load(2).start(), prepared(dividha.load(2))
    s.live = 0b11
    six = [dice.sample(range(hands.DECK), 6) for _ in range(300)]

    def chances(hand: list[int], notes: list[float]) -> tuple[float, float]:
        s.private[0] = sum(1 << card for card in hand)
        return heuristic.chances(s, 0, notes, [1])

    alone = [chances(hand, [*ladder, *[0.0] * NOTES]) for hand in six]
    notes = [*ladder, *[0.0] * NOTES]
    assert [chances(hand, notes) for hand in six * 2] == alone * 2
    assert notes[: len(ladder)] == [*ladder]
    worst, best = -1.0, float(2**62)
    assert [heuristic.share_below(notes, heuristic.HIGHS, score) for score in (worst, best)] == [0, 1]


def test_dividha_gives_away_what_helps_least_and_keeps_to_win_where_both_ends_are_as_likely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For the weakest hand a wild card helps least, although it is the first of the pack."""
    s = dividha.load(3).start()
    s.pot, s.owed, s.private[0] = 12, 10, cards_named("God 2B KU KD QV QU")
    gives = [TABLETS.STAND, *(TABLETS.GIVE + card for card in range(hands.DECK))]
    for chances, given in (((0.1, 0.9), "God"), ((0.9, 0.1), "2B")):
        monkeypatch.setattr(heuristic, "chances", lambda *_, found=chances: found)
        assert heuristic.trades(s, 0, gives, len(gives), [], [1]) == TABLETS.GIVE + hands.CARDS.index(given)
    monkeypatch.setattr(heuristic, "chances", lambda *_: (0.5, 0.5))
    assert {heuristic.divides(s, 0, [], [seed]) >= 5 for seed in range(40)} == {True}


def test_dividha_agrees_to_stop_while_it_has_less_than_its_share() -> None:
    s = dividha.load(3).start()
    s.stage, s.seated = TABLETS.VOTING, 0b111
    for coins, wanted in (([29, 30, 31], TABLETS.AGREE), ([30, 30, 30], TABLETS.REFUSE)):
        s.coins[:3] = coins
        assert heuristic.choice(s, 0, [], 0, [], [1]) == wanted


def test_matrimony_lays_on_the_first_of_two_pools_that_bring_back_as_much() -> None:
    """In the only deal, the second of three players has a third of the chances to hold the highest pair, and a third of
    those to get the ace of diamonds."""
    state = parlour.load("matrimony", 3, pair_rule="highest", deals=1, first_dealer=2).new()
    while state.current_player != CHANCE:
        state.apply(by_best(state)[0])
    laid = [(told.who, told.a, POOLS[told.b - 52]) for told in state.events() if told.event == "lays"]
    assert (1, 1, "Pair") in laid
