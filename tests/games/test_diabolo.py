"""Diabolo, clause by clause: scripted rounds, options, refusals, exact figures, and what follows from the rules."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

import parlour
from parlour import CHANCE, EVERYBODY, SEVERAL, Game, ParlourError, State
from parlour.engine.definition import definition
from tests.games.stops import Scripted, assert_refused, by_clause, considered, refused
from tests.helpers import few_settings, names, play, rules_of

RULES = rules_of("diabolo")
INVARIANTS: Any = definition("diabolo").part("invariants")
KINDS = list(RULES.KIND_NAMES)
COPIES = {name: (4, 3, 3, 2, 2)[int(name[1]) - 1] for name in KINDS}


def load(players: int = 3, **options: Any) -> Game:
    """Seat 0 begins, unless somebody else deals."""
    return parlour.load("diabolo", players, **{"first_dealer": players - 1, "two_players": "on", **options})


def bag(cards: str) -> int:
    return sum(RULES.ONE[KINDS.index(name)] for name in cards.split())


class Table(Scripted):
    """A round with a stacked pack: ``hands`` and ``draws`` say which cards come (as far as the test looks; the others
    are any that nobody has named)."""

    def __init__(self, hands: dict[int, str], draws: str = "", players: int = 3, **options: str | int) -> None:
        self.hands = {p: cards.split() for p, cards in hands.items()}
        self.draws = draws.split()
        self.state = load(players, **options).new()
        while self.state.current_player == CHANCE and self.state.position.stage == RULES.DEALING:
            p, nth = self.state.position.player, self.state.position.dealt // players
            self.state.apply(self.hands[p][nth] if nth < len(self.hands.get(p, ())) else self.any_card())
        self.draw()

    def any_card(self) -> str:
        """The commonest card that no hand and no draw names, not red if it can be helped."""
        s = self.state.position
        due = Counter(self.draws)
        if s.stage == RULES.DEALING:
            due += Counter(card for p, cards in self.hands.items() for card in cards[self.dealt_to(p) :])
        left = {name: RULES.how_many(s.pile, k) - due[name] for k, name in enumerate(KINDS)}
        return str(max(left, key=lambda name: (left[name] > 0 and name[0] != "R", left[name], name)))

    def dealt_to(self, p: int) -> int:
        s = self.state.position
        return int(s.dealt // s.players + (p < s.dealt % s.players))

    def draw(self) -> None:
        while self.state.current_player == CHANCE:
            self.state.apply(self.draws.pop(0) if self.draws else self.any_card())

    def do(self, *acts: str) -> Table:
        for act in acts:
            self.state.apply(act)
            self.draw()
        return self

    def __getitem__(self, thing: str) -> Any:
        return self.state.observation()[thing]


def scene(
    rows: dict[str, tuple[str, str]], hands: Sequence[str], players: int = 3, player: int = 0, **options: str | int
) -> State:
    """A moment in which ``player`` is to place: what lies left and right in the rows (values only), and the hands."""
    game = load(players, **options)
    s = game.blank()
    s.dealer = players - 1
    RULES.lay_out(s)
    for d in range(2):
        s.side[d] = bag(" ".join(letter + value for letter, row in rows.items() for value in row[d].split()))
    for p, cards in enumerate(hands):
        s.hand[p] = bag(cards)
    s.pile = RULES.ALL - sum(s.side) - sum(s.hand)
    s.stock, s.stage, s.player = RULES.size(s.pile), RULES.PLACING, player
    RULES.restore(s, player)
    return game.state_at(s)


# The last card of a red row that is even, so that nothing happens in it: R1 is placed on the right.
EVEN = {"R": ("1 2", "1 1")}
LAST = "place R1 right"


def answer(state: State, **yes: bool) -> State:
    """Everybody who is asked answers; seats named ``s0``, ``s1`` … with True commit."""
    while state.current_player == SEVERAL:
        for p in state.acting:
            state.apply("doubler yes" if yes.get(f"s{p}") else "doubler no", p)
    return state


def points(state: State) -> list[int]:
    """Points of the round that was just settled, from what was said."""
    return [e.a for e in state.events() if e.event == "total"][-state.game.players :]


def said(state: State, since: int = 0) -> list[str]:
    return [e.event for e in state.events(since=since)]


@pytest.mark.clause("DI-1", "DI-79", "DI-81")
@pytest.mark.parametrize(("players", "rounds"), [(2, 4), (3, 3), (4, 4), (5, 5)])
def test_players_and_rounds(players: int, rounds: int) -> None:
    """Everybody deals, and their left neighbour begins, equally often."""
    state = list(play(load(players).new(), 1))[-1]
    assert state.observation()["deal"] == rounds
    dealers = [players - 1, *(e.who for e in state.events() if e.event == "deals")]
    assert Counter(dealers) == {p: rounds // players for p in range(players)}
    assert [e.who for e in state.events() if e.event == "starts"] == [(p + 1) % players for p in dealers]


@pytest.mark.clause("DI-1")
def test_two_only_with_the_option() -> None:
    with pytest.raises(ParlourError, match=r"3 to 5 players; two can play .* two_players=on \(DI-1\)\.$"):
        parlour.load("diabolo", 2)
    for players in (1, 6):
        with pytest.raises(ParlourError, match="cannot be played by"):
            parlour.load("diabolo", players)


@pytest.mark.clause("DI-2", "DI-3", "DI-4", "DI-5")
def test_the_pack() -> None:
    assert {letter for letter, _ in KINDS} == set("RYGPB")
    assert sum(COPIES.values()) == 70
    state = load().new()
    outcomes = {state.name_of(k): p for k, p in state.chance_outcomes()}  # one outcome for all equal cards
    assert outcomes == {name: Fraction(n, 70) for name, n in COPIES.items()}
    assert RULES.size(RULES.ALL) == 70


@pytest.mark.clause("DI-13", "DI-12", "DI-15", "DI-94", "DI-8")
@pytest.mark.parametrize(("players", "pile"), [(2, 58), (3, 52), (4, 46), (5, 40)])
def test_the_deal(players: int, pile: int) -> None:
    state = parlour.load("diabolo", players, two_players="on").new()
    assert [(state.name_of(k), p) for k, p in state.chance_outcomes()] == [
        (f"seat {p}", Fraction(1, players)) for p in range(players)
    ]
    state.apply("seat 1")
    cards = [name for name in KINDS for _ in range(COPIES[name])]
    random.Random(3).shuffle(cards)
    for card in cards[: 6 * players]:
        state.apply(card)
    assert state.observation()["stock"] == pile
    start = 2 % players
    for p in range(players):
        mine = sorted(cards[(p - start) % players : 6 * players : players])
        assert sorted(" ".join(state.observation(p)["hand"][p]).split()) == mine
        assert [e.clause for e in state.events(p)] == ["DI-8", "DI-12", "DI-16"]
    state.apply(state.chance_outcomes()[0][0])
    assert state.current_player == start
    assert [RULES.size(hand) for hand in state.position.hand[:players]] == [6 + (p == start) for p in range(players)]


@pytest.mark.clause("DI-6", "DI-7", "DI-9", "DI-10", "DI-14")
def test_the_start() -> None:
    table = Table({})
    assert table["side"] == [[], []]
    assert table["spent"] == ["no"] * 3
    assert [RULES.colour_of(table.state.position, r) for r in range(5)] == [0, 1, 2, 3, 4]
    orders = definition("diabolo").options["column_order"].words
    assert set(orders) == {"".join(w) for w in itertools.permutations("RYGPB")}
    for order in orders:
        s = load(column_order=order).start()
        assert "".join("RYGPB"[RULES.colour_of(s, r)] for r in range(5)) == order


@pytest.mark.clause("DI-11", "DI-14", "DI-36", "DI-75", "DI-80")
def test_a_new_round_has_everything_again() -> None:
    state = scene({"P": ("5 1", "4 2 1"), **EVEN}, ["R1 P5", "P4 P2", ""])
    s = state.position
    s.discards, s.spent[2] = bag("B5"), 1
    for field in (s.known, s.buried, s.showed, s.before, s.named, s.laid):
        field[1] = 1
    state.apply(LAST)
    answer(state, s0=True)
    assert (s.stage, s.stock, s.pile, s.discards) == (RULES.DEALING, 70, RULES.ALL, 0)
    assert (s.dealer, s.player, s.deal) == (0, 1, 1)
    assert s.hand == s.known == s.spent == s.points == s.answer == [0] * 5
    assert s.buried == s.showed == s.before == s.laid == s.named == [0] * 5
    assert s.dealt == s.locked == s.row == s.speaker == 0
    assert s.side == s.shut == [0, 0]


@pytest.mark.clause("DI-19", "DI-20", "DI-21", "DI-25", "DI-26")
@pytest.mark.parametrize(
    ("rows", "hand", "places", "refusals"),
    [
        ({}, "R1 R5 Y3 G5 P2 B4", "R1 R5 Y3 G5 P2 B4", "discard R1 0 DI-35, discard B5 0 DI-99, place R2 left 0 DI-99"),
        ({"G": ("1 1 2", "3")}, "G4 Y1", "G4-right Y1", "place G4 left 0 DI-24"),  # example 1: a side is full
        ({"G": ("3", "1 1 2")}, "G4 Y1", "G4-left Y1", "place G4 right 0 DI-24"),
        ({"G": ("1 1 2", "3 4")}, "G5 Y1", "Y1", "place G5 left 0 DI-23, place G5 right 0 DI-23"),
        ({"B": ("1 1", "2 3")}, "B4", "B4", "doubler yes 0 DI-65"),  # example 2: two on each side
    ],
)
def test_where_cards_may_be_placed(rows: dict[str, tuple[str, str]], hand: str, places: str, refusals: str) -> None:
    """Any card on any side that is not full: two cards on one side of a row, three on the other."""
    state, may = scene(rows, [hand, "R2", ""]), set[str]()
    for place in places.split():
        card, _, side = place.partition("-")
        may |= {f"place {card} {side}"} if side else {f"place {card} left", f"place {card} right"}
    assert names(state) == may
    assert_refused(state, refusals)


RED = "R1 R1 R2 R3 R3 R4"
SEVEN = {"R1": 2, "R2": 1, "R3": 2, "R4": 1, "R5": 1}


def stuck(players: int = 4, **options: Any) -> State:
    """Example 8: red is locked, and Emil (seat 0) draws a seventh red card."""
    others = ["Y1 Y1 Y2 Y3 G1 B1", "G2 G3 G4 G5 P1 B2", "P2 P3 P4 P5 B3 B4", "P1 P1 G1 G1 Y4 Y5"][: players - 1]
    rows = {"R": ("1 2", "2 4 5"), **({"B": ("1 1 2", "3 5")} if players == 5 else {})}
    state = scene(rows, [RED, *others], players, **options)
    state.position.stage = RULES.DRAWING
    state.apply("R5")
    return state


@pytest.mark.parametrize("order", ["RYGPB", "BPGYR"])
def test_what_lies_face_down_can_be_told_when_its_colour_is_shown(order: str) -> None:
    """And not before: until then it is any of the seven that were shown."""
    rows = {"R": ("1 2", "2 4 5"), "G": ("1 1", "2 2"), "B": ("1", "2")}
    others = ["G3 Y1 Y2 Y3 P1 P1", "G4 G5 G5 B1 B1 B3", "P2 P3 P4 P5 B3 B4"]
    state = scene(rows, [RED, *others], 4, stuck_face="down", column_order=order)
    state.position.stage = RULES.DRAWING
    for step in ("R5", "discard R1", "Y1", "place G3 left"):
        state.apply(step)
    asked = []
    while state.current_player == SEVERAL:
        seen = state.observation()
        asked.append(RULES.COLOUR_NAMES[RULES.colour_of(state.position, seen["row"])])
        shown_already = order == "RYGPB" and asked[-1] == "blue"
        assert seen["showed"][0] == (["R1"] if shown_already else ["R1 R1", "R2", "R3 R3", "R4", "R5"])
        worlds = [state.redeal(1, seed).position for seed in range(30)]
        assert {INVARIANTS.check(s) for s in worlds} == {""}
        assert ({s.buried[0] for s in worlds} == {bag("R1")}) == shown_already
        for p in range(4):
            state.apply("doubler no", p)
    assert asked == (["red", "blue"] if order == "RYGPB" else ["blue", "red"])


def test_what_lies_face_down_is_among_the_cards_that_the_others_leave_over() -> None:
    """Emil lays down a one, draws another and is stuck again.  Of the seven kinds in that hand, only a one and a three
    lie neither in the row nor in the hand; the second card that he lays down is one of those that were shown last."""
    state = stuck(stuck_face="down")
    for step in ("discard R1", "Y2", "place Y2 left", "P2", "place P2 left", "G1", "place G1 left", "R1"):
        state.apply(step)
    assert state.observation()["before"][0] == ["R1 R1", "R2", "R3 R3", "R4", "R5"]
    worlds = [state.redeal(1, seed).position for seed in range(60)]
    assert {s.buried[0] for s in worlds} == {bag("R1"), bag("R3")}
    assert {INVARIANTS.check(s) for s in worlds} == {""}
    state.apply("discard R5")
    found = {state.redeal(1, seed).position.buried[0] for seed in range(400)}
    assert found == {bag(f"{first} {second}") for first in ("R1", "R3") for second in ("R1", "R2", "R3", "R4", "R5")}


def test_a_hand_that_is_imagined_has_its_size_and_can_do_what_the_player_is_to_do() -> None:
    """While cards are dealt; once a card lies face down and another was drawn; and when few cards can be placed."""
    for dealer in range(3):
        dealing = load(3, first_dealer=dealer).new()
        while dealing.position.stage == RULES.DEALING:
            imagined = dealing.redeal(0, 1).position
            assert [*map(RULES.size, imagined.hand)] == [*map(RULES.size, dealing.position.hand)]
            dealing.apply(dealing.chance_outcomes()[0][0])
    state = stuck(stuck_face="down")
    for step in ("discard R1", "Y2", "place Y2 left", "P2", "place P2 left", "G1", "place G1 left", "Y1"):
        state.apply(step)
        assert {INVARIANTS.check(state.redeal(1, seed).position) for seed in range(60)} == {""}
    full = {letter: ("1 2", "2 4 5") for letter in "RYGP"}
    only_blue = scene(full, ["B1 R1 R1 R3 R3 Y1", "Y1 Y1 Y3 Y3 G1 G1", "G1 G3 G3 P1 P1 P1"])
    assert all(RULES.can_place(only_blue.redeal(1, seed).position, 0) for seed in range(60))


@pytest.mark.parametrize("kind", KINDS)
def test_every_copy_of_a_kind_is_alike(kind: str) -> None:
    there, mask = RULES.ONE[KINDS.index(kind)], RULES.alike(bag(kind))
    assert [n * there & mask for n in range(1, COPIES[kind] + 1)] == [n * there for n in range(1, COPIES[kind] + 1)]
    assert not any(bag(other) & mask for other in KINDS if other != kind)


@pytest.mark.clause("DI-42", "DI-43")
@pytest.mark.parametrize(
    ("players", "full", "over"), [(2, "R", True), (3, "R", True), (4, "R", True), (5, "R", False), (5, "RY", True)]
)
def test_the_round_ends_with_the_lock(players: int, full: str, over: bool) -> None:
    """Of the second row, or of the third if five play; then everybody has six cards."""
    rows = {**dict.fromkeys(full, ("1 2", "2 4 5")), "G": ("1 1", "2 2")}
    state = scene(rows, ["G3 B1 B1 B1 B1 P1 P1", *["Y1 Y2 Y3 G4 P2 P3"] * (players - 1)], players)
    state.apply("place G3 left")
    assert [in_brief(e) for e in state.events() if e.event == "locks"] == ["DI-27 0 locks green"]
    ended = [e.clause for e in state.events() if e.event == "round_over"]
    assert ended == [("DI-41" if players == 5 else "DI-40")] * over
    assert [RULES.size(hand) for hand in state.position.hand[:players]] == [6] * players
    assert (state.position.stage == RULES.ASKING) == over


SCORED = ("shows", "gains", "gains_double", "loses", "spends", "nobody")
RISES, FALLS = ("1", "2"), ("2", "1")


ROWS: list[tuple[str, str, tuple[str, str], str, str, list[int], str]] = [
    # clauses, a row and what lies there, hands, who commits a Doubler; points, and what is told
    ("DI-46 DI-47 DI-52 DI-69", "P", ("5 1", "4 2 1"), "R1 P5, P4 P2, ", "01", [0, 12, 0],  # example 3
     "DI-54 0 shows P5, DI-54 1 shows P2+P4, DI-73 0 spends, DI-71 1 gains_double 12, DI-73 1 spends"),
    ("DI-53 DI-60 DI-62", "G", ("5 2", "2 2 1"), "R1 G3 G1, , ", "", [-4, 0, 0],  # example 4: nobody is asked
     "DI-54 0 shows G1+G3, DI-59 0 loses 4"),
    ("DI-56 DI-57 DI-61 DI-72", "Y", RISES, "R1 Y3, Y2 Y1, Y1", "1", [3, 6, 0],  # example 6: tied hands
     "DI-54 0 shows Y3, DI-54 1 shows Y1+Y2, DI-54 2 shows Y1, DI-58 0 gains 3, DI-71 1 gains_double 6, "
     "DI-73 1 spends"),
    ("", "B", RISES, "R1, , , ", "3", [0] * 4, "DI-63 all nobody blue, DI-73 3 spends"),  # example 7
    ("", "B", FALLS, "R1, B1, ", "", [0, -1, 0], "DI-54 1 shows B1, DI-59 1 loses 1"),  # the least that counts
    ("", "B", FALLS, "R1 B1 B3 G5, B5 P1, B2 Y5, P3 Y4", "", [0, -5, 0, 0],  # all they have of it, and no more
     "DI-54 0 shows B1+B3, DI-54 1 shows B5, DI-54 2 shows B2, DI-59 1 loses 5"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "lies", "hands", "commit", "gained", "told"), by_clause(ROWS))
def test_what_a_row_brings(
    row: str, lies: tuple[str, str], hands: str, commit: str, gained: list[int], told: str
) -> None:
    """The other locked row, red or green, is even."""
    locked = len(" ".join(lies).split()) == 5
    rows = {row: lies, **EVEN} if locked else {"G": ("1 1 2", "2 2"), row: lies, **EVEN}
    state = scene(rows, hands.split(", "), len(gained))
    state.apply(LAST)
    answer(state, **{f"s{p}": True for p in commit})
    assert points(state) == gained == list(state.deals[-1].returns)
    assert ", ".join(in_brief(e) for e in state.events() if e.event in SCORED) == told


@pytest.mark.clause("DI-44", "DI-50", "DI-51", "DI-91")
def test_example_5_an_even_row() -> None:
    rows = {"R": ("3", "2 1"), "Y": ("1 2", "1 1"), "B": ("1 2 3", "1 5")}
    state = scene(rows, ["Y1 R4", "R5", ""])
    state.apply("place Y1 right")
    assert [e.a - RULES.NAMED for e in state.events() if e.event == "even"] == [0, 1, 2, 3, 4]  # G and P are empty
    assert points(state) == [0, 0, 0]
    assert not {"shows", "asks"} & set(said(state))


@pytest.mark.clause("DI-45", "DI-64", "DI-55", "DI-90")
def test_rows_one_after_the_other() -> None:
    rows = {"P": ("1", "2"), "Y": ("2", "1"), "G": ("1 1 2", "4 5"), **EVEN}
    for order in ("RYGPB", "BPGYR", "PRGYB"):
        state = scene(rows, ["R1 P5 Y1 G1", "P1 Y4 G2", "G3"], column_order=order)
        hands = state.position.hand[:]
        state.apply(LAST)
        while state.current_player == SEVERAL:
            assert state.position.hand[1:] == hands[1:]
            done = [RULES.colour_of(state.position, r) for r in range(state.position.row)]
            for letter in "YGP":  # what was shown lies in sight, and only that
                lies = letter in " ".join(state.observation()["known"][0])
                assert lies == ("RYGPB".index(letter) in done)
            shown = [c for c in done if c in (1, 2, 3)]
            for world in (state.redeal(0, seed).position for seed in range(20)):  # and nobody has more of it
                assert all(RULES.suit(world.hand[p], c) == RULES.suit(hands[p], c) for p in range(3) for c in shown)
            state.apply("doubler no", state.acting[0])
        rated = [e.a - RULES.NAMED for e in state.events() if e.event in ("positive", "negative", "even")]
        assert "".join("RYGPB"[c] for c in rated) == order
        assert points(state) == [5, -4, 3]


def test_show_sum_only() -> None:
    rows = {"Y": ("1", "2"), "P": ("1", "2"), "G": ("1 1 2", "2 2"), **EVEN}
    state = scene(rows, ["R1 Y3 P1", "Y2 Y1 P2 G1 G1 B1", "P5 B1 B1 B1 G5 G5"], show="sum_only")
    state.apply(LAST)
    for p in range(3):
        state.apply("doubler no", p)
    names_sums = [in_brief(e) for e in state.events() if e.event == "names"]
    assert names_sums == ["DI-54 0 names yellow 3", "DI-54 1 names yellow 3", "DI-54 2 names yellow 0"]
    assert state.observation()["known"] == [[]] * 3
    three = ["Y+1", "Y+2", "Y said"]
    assert state.observation()["named"] == [three, three, ["Y said"]]
    for seed in range(40):
        hands = state.redeal(0, seed).position.hand
        assert [RULES.SUM[RULES.suit(hand, 1)] for hand in hands[:3]] == [3, 3, 0]
    answer(state)
    assert points(state) == [3, 3, 5]


def asking(**options: str) -> State:
    """Yellow and purple are positive. Seat 1 begins; seat 2 has no yellow."""
    rows = {"Y": ("1", "2"), "P": ("1", "2"), "G": ("1 1 2", "2 2"), **EVEN}
    hands = ["R1 Y1 P1 B1 B1 B1 G3", "Y5 P2 G1 G1 B1 G3", "P5 B2 B2 B2 G5 G5"]
    usual: dict[str, int | str] = {"first_dealer": 0}
    state = scene(rows, hands, 3, 0, **{**usual, **options})
    state.position.dealer = 0
    state.apply(LAST)
    return state


@pytest.mark.clause("DI-66", "DI-70", "DI-89")
def test_sealed_answers() -> None:
    for order in itertools.permutations(range(3)):
        state = asking()
        for p in order:
            assert p in state.acting
            state.apply("doubler yes" if p == 2 else "doubler no", p)
            assert p == order[-1] or refused(state, "doubler no", p) == "DI-70"
        told = [(e.who, e.event) for e in state.events() if e.clause == "DI-68"]
        assert told == [(0, "declines"), (1, "declines"), (2, "doubles")]
        assert state.acting == (0, 1)  # purple: the Doubler of seat 2 is spent
        assert refused(state, "doubler yes", 2) == "DI-74"
        assert refused(state, "doubler no", 2) == "DI-77"
        assert refused(state, "place B1 left", 0) == "DI-99"


def test_holders_only() -> None:
    """Each in turn has a moment in which nobody else notices whether they are asked, or what they say."""
    state = asking(doubler_ask="holders_only")
    for seat, asked in ((1, True), (2, False), (0, True)):
        assert (state.hushed, state.observation()["speaker"]) == (True, seat)
        assert state.acting == ((seat,) if asked else ())
        for p in range(3):
            told = [world for world in (state.redeal(p, seed) for seed in range(60)) if world.hushed]
            assert len(told) == 60
            assert {bool(world.acting) for world in told} == ({asked} if p == seat else {True, False})
        if asked:
            assert state.silence(seat) == RULES.NO
            assert refused(state, "doubler no", 2) == ("DI-67" if seat else "DI-70")
            state.apply("doubler yes" if seat == 1 else "doubler no")
        else:
            assert [(state.name_of(k), p) for k, p in state.chance_outcomes()] == [("no", Fraction(1))]
            state.apply("no")
    assert [(e.who, e.event) for e in state.events() if e.clause == "DI-68"] == [
        (0, "declines"), (1, "doubles"), (2, "declines"),
    ]  # fmt: skip
    empty = scene({"B": ("1", "2"), "G": ("1 1 2", "2 2"), **EVEN}, ["R1", "", ""], doubler_ask="holders_only")
    empty.apply(LAST)
    assert "DI-76" in {e.clause for e in empty.events()}


def test_who_has_committed_where_all_can_hear_it_holds_the_colour() -> None:
    state = asking(doubler_ask="holders_only", doubler_mode="open_in_turn")
    state.apply("doubler yes", 1)
    for p in (0, 2):
        hands = [state.redeal(p, seed).position.hand[1] for seed in range(60)]
        assert all(RULES.suit(hand, 1) for hand in hands)


def in_brief(e: Any) -> str:
    """Clause, who, what, and its cards, colours and numbers."""
    what = [str(n) for n in (e.a, e.b)[: 2 if e.b else 1 if e.a else 0]]
    if e.event in ("shows", "stuck", "dealt"):
        what = ["+".join(name for k, name in enumerate(KINDS) for _ in range(RULES.how_many(e.a, k)))]
    elif e.event in ("places_left", "places_right", "discards", "drawn", "laid_down"):
        what = [RULES.CARDS[e.a]]
    elif e.event in ("locks", "positive", "negative", "even", "asks", "nobody_asked", "nobody"):
        what = [RULES.CARDS[e.a], *([str(e.b)] if e.b else [])]
    elif e.event == "names":
        what = [RULES.CARDS[e.b], str(e.a)]
    return " ".join([e.clause, "all" if e.who == EVERYBODY else str(e.who), e.event, *what])


SCORING = (
    "DI-22 0 places_right R1, DI-27 0 locks red, DI-40 all round_over 2, DI-50 all even red 3, "
    "DI-49 all negative yellow 2, DI-54 0 shows Y1+Y2, DI-54 1 shows Y3, DI-54 2 shows Y1, DI-59 0 loses 3, "
    "DI-59 1 loses 3, DI-48 all positive green 3, DI-66 all asks green, DI-68 0 doubles, DI-68 1 declines, "
    "DI-68 2 doubles, DI-54 0 shows G3, DI-54 1 shows G4, DI-73 0 spends, DI-58 1 gains 4, DI-73 2 spends, "
    "DI-48 all positive purple 1, DI-66 all asks purple, DI-68 1 doubles, DI-54 0 shows P2, DI-54 1 shows P2, "
    "DI-54 2 shows P1, DI-58 0 gains 2, DI-71 1 gains_double 4, DI-73 1 spends, DI-48 all positive blue 1, "
    "DI-76 all nobody_asked blue, DI-63 all nobody blue, DI-78 0 total -1 -1, DI-78 1 total 5 5, DI-78 2 total, "
    "DI-80 0 deals 2"
)


@pytest.mark.parametrize(
    ("mode", "answers"), [("secret", "2 yes, 1 no, 0 yes, 1 yes"), ("open_in_turn", "0 yes, 1 no, 2 yes, 1 yes")]
)
def test_scoring_as_it_is_told(mode: str, answers: str) -> None:
    """Even, negative with two who share the highest sum, two positive ones with Doublers, and one without a card."""
    rows = {"Y": ("3", "1"), "G": ("1 1 2", "2 5"), "P": ("1", "2"), "B": ("", "1"), **EVEN}
    state = scene(rows, ["R1 Y2 Y1 G3 P2", "Y3 G4 P2", "Y1 P1"], 3, 0, doubler_mode=mode)
    state.apply(LAST)
    for said_by, word in (each.split() for each in answers.split(", ")):
        assert int(said_by) in state.acting
        state.apply(f"doubler {word}", int(said_by))
    assert ", ".join(map(in_brief, state.events())) == SCORING
    sealed = [in_brief(e) for e in state.events(0) if e not in state.events()]
    assert sealed == (["DI-68 0 sealed 2"] if mode == "secret" else [])  # only the player's own answer


@pytest.mark.clause("DI-16", "DI-17", "DI-18", "DI-30", "DI-86")
def test_turns_as_they_are_told() -> None:
    """A spectator hears that somebody draws; the drawer also hears what."""
    table = Table({0: "R1 Y3 G1 G1 G1 G1", 1: "R2 B1 B2 P1 P1 P1", 2: "Y1"}, "B5 B4 P5 P4")
    table.do("place Y3 left", "place R2 right", "place P5 right")
    told = "DI-16 0 starts, DI-18 0 draws 51, DI-22 0 places_left Y3, DI-18 1 draws 50, DI-22 1 places_right R2, "
    told += "DI-18 2 draws 49, DI-22 2 places_right P5, DI-18 0 draws 48"
    assert ", ".join(map(in_brief, table.state.events())) == told
    own = {0: ["DI-12 0 dealt R1+Y3+G1+G1+G1+G1", "DI-18 0 drawn B5", "DI-18 0 drawn P4"]}
    own[1] = ["DI-12 1 dealt R2+P1+P1+P1+B1+B2", "DI-18 1 drawn B4"]
    for p, heard in own.items():
        assert [in_brief(e) for e in table.state.events(p) if e not in table.state.events()] == heard


@pytest.mark.clause("DI-31", "DI-38", "DI-88")
@pytest.mark.parametrize(
    ("options", "everybody", "own"),
    [
        ({}, "DI-33 0 chooses, DI-37 0 discards R4", ""),
        ({"stuck_face": "down"}, "DI-33 0 chooses", "DI-37 0 laid_down R4"),
        ({"stuck_discard": "random"}, "DI-34 0 cast, DI-37 0 discards R4", ""),
        ({"stuck_discard": "random", "stuck_face": "down"}, "DI-34 0 cast", "DI-37 0 laid_down R4"),
    ],
)
def test_a_stuck_hand(options: dict[str, Any], everybody: str, own: str) -> None:
    """Example 8.  All seven cards are shown; one goes, chosen by the player or by chance, and the rows stay."""
    state, cast = stuck(**options), "stuck_discard" in options
    odds = {state.name_of(k): p for k, p in state.chance_outcomes()} if cast else {}
    assert odds == ({c: Fraction(n, 7) for c, n in SEVEN.items()} if cast else {})
    assert cast or names(state) == {f"discard {c}" for c in SEVEN}
    s, rows = state.position, state.position.side[:]
    assert not cast or Counter(state.name_of(RULES.ticket(s, n)) for n in range(RULES.tickets(s))) == SEVEN  # in bulk
    shown = [f"{c} {c}" if n == 2 else c for c, n in SEVEN.items()]
    assert all(state.observation(p)["known"][0] == shown for p in (EVERYBODY, 1, 2, 3))
    state.apply("R4" if cast else "discard R4")
    told = "DI-18 0 draws 40, DI-32 0 stuck R1+R1+R2+R3+R3+R4+R5, " + everybody
    for p in (EVERYBODY, 1, 2, 3):
        assert ", ".join(map(in_brief, state.events(p))) == told
    heard = [in_brief(e) for e in state.events(0) if e not in state.events()]
    assert heard == ["DI-18 0 drawn R5", *filter(None, [own])]
    kept = ["R1 R1", "R2", "R3 R3", "R5"]
    assert state.observation(0)["hand"][0] == kept
    seen = state.observation()
    assert (seen["known"][0], seen["discards"]) == ((shown, []) if own else (kept, ["R4"]))
    laid = [own[-2:]] if own else None
    assert [state.observation(p).get("buried", [None])[0] for p in (EVERYBODY, 0, 1)] == [None, laid, None]
    assert (seen.get("laid", [0])[0], state.position.locked, state.position.player) == (bool(own), 1, 1)
    assert state.position.side == rows


def test_what_is_refused_to_a_stuck_player_and_while_cards_are_dealt() -> None:
    own = "discard R1 1 DI-99, discard Y1 0 DI-99, place R1 left 0 DI-23, doubler yes 0 DI-65, doubler no 1 DI-65"
    assert_refused(stuck(), own)
    assert_refused(stuck(stuck_discard="random"), "discard R5 0 DI-34, place B5 right 0 DI-99")
    for state in (parlour.load("diabolo", 3).new(), load().new()):
        assert_refused(state, "place R1 left 0 DI-99, discard B5 0 DI-99, doubler yes 0 DI-65")


@pytest.mark.parametrize(
    ("totals", "returns"),
    [
        ([-4, 7, 7, -4], [-1 / 2, 1 / 2, 1 / 2, -1 / 2]),  # example 10: a shared match
        ([-3, -2, -3, -4], [-1 / 3, 1.0, -1 / 3, -1 / 3]),
        ([5, 5, 2, 5], [1 / 3, 1 / 3, -1.0, 1 / 3]),
    ],
)
def test_who_wins(totals: list[int], returns: list[float]) -> None:
    """Told to each winner with their total: that they win, or how many share the win."""
    state = scene({"G": ("1 1 2", "2 2"), **EVEN}, ["R1", "", "", ""], players=4)
    state.position.deal, state.position.total[:4] = 3, totals
    state.apply(LAST)
    assert state.is_terminal
    assert state.returns() == pytest.approx(returns)
    winners = [p for p in range(4) if totals[p] == max(totals)]
    told = [(e.event, e.who, e.a, e.b) for e in state.events() if e.event in ("wins", "shares")]
    if len(winners) == 1:
        assert told == [("wins", winners[0], max(totals), 0)]
    else:
        assert told == [("shares", p, max(totals), len(winners)) for p in winners]


@pytest.mark.clause("DI-28", "DI-29", "DI-31", "DI-96", "DI-97")
def test_how_long_a_round_is() -> None:
    """Turns and discards of random rounds; whoever discards has cards of locked rows only."""
    for setting in few_settings("diabolo"):
        players, options = setting.players, {**dict(setting.options), "deals": "1"}
        walk = [state.position.copy() for state in play(load(players, **options).new(), 1)]
        turns = sum(s.stage in (RULES.PLACING, RULES.STUCK, RULES.CASTING) for s in walk)
        assert (15 if players == 5 else 10) <= turns <= (35 if players == 5 else 25)
        thrown = [s for s in walk if s.stage in (RULES.STUCK, RULES.CASTING)]
        assert len(thrown) <= (12 if players == 5 else 3)
        for s in thrown:
            assert s.locked
            held = [k // 5 for k in range(25) if RULES.how_many(s.hand[s.player], k)]
            assert all(RULES.COUNT[RULES.suit(s.side[0] + s.side[1], c)] == 5 for c in held)
        assert min(s.stock for s in walk) > 0
        assert walk[-1].stage == RULES.OVER
        for c in range(5):
            left, right = (RULES.COUNT[RULES.suit(walk[-1].side[d], c)] for d in range(2))
            assert left + right < 5 or {left, right} == {2, 3}


@pytest.mark.parametrize(("c", "letter"), [*enumerate("RYGPB")])
def test_a_sum_is_made_of_the_cards_of_its_own_colour(c: int, letter: str) -> None:
    """A five of that colour is left, and of the others ones and fours; a three of it, or nothing, is known."""
    s = load().blank()
    free = bag(" ".join(f"{letter}5" if other == letter else f"{other}1 {other}4" for other in "RYGPB"))
    for known, total in (("", 5), ("3", 8)):
        s.named[1] = (total | RULES.SAID) << 6 * c
        for seed in range(1, 9):
            hand = RULES.hand_with_sums(s, 1, bag(f"{letter}3" if known else ""), free, [seed])
            assert (RULES.size(hand), RULES.suit(hand, c)) == (6, RULES.suit(bag(f"R5 R{known}" if known else "R5"), 0))
    s.named[1] = (4 | RULES.SAID) << 6 * c
    assert RULES.hand_with_sums(s, 1, 0, free, [1]) < 0  # no cards make up that sum


def test_a_smaller_deck_is_worth_the_difference() -> None:
    """One round of two players; what one gains the other loses."""
    drawn = set()
    for seed in range(20):
        state = parlour.load("diabolo-8").new(seed=seed)
        while not state.is_terminal:
            state.apply(state.legal_actions(state.acting[0])[0], player=state.acting[0])
        ours, theirs = points(state)
        assert state.returns() == [ours - theirs, theirs - ours]
        drawn.add(ours - theirs)
    assert len(drawn) > 2


def test_what_is_likely() -> None:
    """A Doubler for more than four of the colour; of the placements those that bring most, or up to two less."""
    for hand, act in (("Y5", "doubler yes"), ("Y4", "doubler no")):
        state = scene({"Y": ("1", "2"), "G": ("1 1 2", "2 2"), **EVEN}, ["R1", hand, ""])
        state.apply(LAST)
        assert considered(state, "likely", 1) == [act]
    state = scene({}, ["Y5 Y1 P3 P1 G2 G1 B1", "", ""])  # with ones: yellow 5, purple 3, green 2, blue 0
    assert set(considered(state, "likely")) == {f"place {card} right" for card in ("Y5", "Y1", "P3", "P1")}
