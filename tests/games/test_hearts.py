"""Hearts: clause by clause, beside OpenSpiel's, and what a player must assume of cards they cannot see."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pyspiel
import pytest

import parlour
from parlour import CHANCE, EVERYBODY, SEVERAL, Game, State
from parlour.engine.definition import definition
from parlour.games.hearts import drawing
from tests.games.stops import refused, told
from tests.helpers import names, play, rules_of, the_rest_long

RULES = rules_of("hearts")
NAMES = ["Anna", "Ben", "Cora", "Dan"]
CARDS: tuple[str, ...] = RULES.CARDS
SUITS = {suit: " ".join(rank + suit for rank in "23456789TJQKA") for suit in "cdhs"}


def cards(text: str) -> int:
    """A set of cards by name."""
    return sum(1 << CARDS.index(name) for name in text.split())


def named(those: int) -> str:
    return " ".join(name for c, name in enumerate(CARDS) if those >> c & 1)


def load(**options: Any) -> Game:
    """One deal, in which no cards are passed."""
    return parlour.load("hearts", None, **{"deals": 1, "pass_cards": "no", **options})


def dealt(game: Game, *hands: str) -> State:
    """A game in which these cards come to these seats; the rest is filled up."""
    wanted = [hand.split() for hand in hands] + [[] for _ in range(4 - len(hands))]
    free = [c for c in CARDS if c not in " ".join(hands).split()]
    for hand in wanted:
        while len(hand) < 13:
            hand.append(free.pop(0))
    state = game.new()
    for i in range(52):
        state.apply(wanted[i % 4][i // 4])
    return state


def late(hands: Sequence[str], taken: Sequence[str] = ("", "", "", ""), leader: int = 0, **options: Any) -> State:
    """A late moment of the only deal: ``leader`` leads; what lies nowhere has been taken by seat 3."""
    fields = {name: options.pop(name) for name in ("points", "before", "deal") if name in options}
    game = load(**options)
    s = game.start()
    s.stage, s.dealt, s.leader = RULES.PLAYING, 52, leader
    s.hand[:] = [cards(hand) for hand in hands]
    s.taken[:] = [cards(those) for those in taken]
    s.taken[3] |= RULES.DECK & ~sum(s.hand) & ~sum(s.taken)
    for name, value in fields.items():
        setattr(s, name, list(value) if isinstance(value, list) else value)
    return game.state_at(s)


def do(state: State, *acts: str) -> State:
    """What players do, one after another: a card is played."""
    for card in acts:
        state.apply(f"play {card}")
    return state


def choices(state: State) -> set[str]:
    """What whoever's turn it is may play."""
    return {name.removeprefix("play ") for name in names(state)}


def scored(state: State, deal: int = -1) -> list[int]:
    """What everybody has scored in a deal that is over."""
    said = [n for _, _, n, _ in told(state, "scores")]
    points = [said[i : i + 4] for i in range(0, len(said), 4)][deal]
    assert [sum(points) / 4 - n for n in points] == list(state.deals[deal].returns)
    return points


@pytest.mark.clause("HE-1", "HE-2", "HE-3")
def test_players_and_cards() -> None:
    assert [*definition("hearts").players] == [4]
    assert len(set(CARDS)) == 52
    s = load().start()
    assert [RULES.worth(s, cards(c)) for c in ("2h", "Ah", "Qs", "Jd", "Ks")] == [1, 1, 13, 0, 0]
    assert RULES.worth(s, RULES.DECK) == 26
    s = load(jd_bonus="yes").start()
    assert RULES.worth(s, cards("Jd 2h")) == -9


@pytest.mark.clause("HE-5", "HE-6", "HE-7")
def test_the_deal() -> None:
    state = load().new()
    assert told(state, "deals") == [("deals", 3, 1, 0)]
    for i in range(52):
        assert state.position.hand[i % 4].bit_count() == i // 4
        state.apply(state.chance_outcomes()[i % len(state.chance_outcomes())][0])
    assert [hand.bit_count() for hand in state.position.hand].count(13) >= 3  # the two of clubs has been led
    for p in range(4):
        hands = state.view(p).observation()["hand"]
        assert [hand is not None for hand in hands] == [q == p for q in range(4)]


def passing(**options: Any) -> State:
    """Everybody has a suit, the first player the clubs."""
    game = parlour.load("hearts", None, **{"deals": 1, **options})
    return dealt(game, *(SUITS[suit] for suit in "cdhs"))


def choose(state: State, player: int, text: str) -> None:
    for card in text.split():
        state.apply(f"pass {card}", player)


@pytest.mark.clause("HE-8")
def test_which_way_cards_are_passed() -> None:
    """To the left, to the right, across, not at all."""
    state = list(play(parlour.load("hearts", deals=6, target=1000).new(seed=2), 3))[-1]
    assert [who for _, who, _, _ in told(state, "deals")] == [3, 0, 1, 2, 3, 0]
    said = {by: [("passes", p, 3, (p + by) % 4) for p in range(4)] for by in (1, 3, 2)}
    said[0] = [("hold", EVERYBODY, 0, 0)]
    assert told(state, "passes", "hold") == [e for by in (1, 3, 2, 0, 1, 3) for e in said[by]]


def test_what_others_may_hold_while_cards_are_dealt_and_once_they_are_passed() -> None:
    """Hands of their size; and what each was passed is what their neighbour sent."""
    for deal, to in enumerate((1, 3, 2)):
        game = load(deals=3, pass_cards="rotate", can_lead_any_club="yes")
        s = game.start()
        s.deal = deal
        state = game.state_at(s)
        while state.current_player == CHANCE:
            world = state.redeal(0, 1).position
            assert [*map(int.bit_count, world.hand)] == [*map(int.bit_count, state.position.hand)]
            state.apply(state.chance_outcomes()[0][0])
        for p in range(4):
            for _ in range(3):
                state.apply(state.legal_actions(p)[0], p)
        for me, seed in itertools.product(range(4), range(5)):
            world = state.redeal(me, seed).position
            assert world.sent == [world.got[(p + to) % 4] for p in range(4)]
            assert [got.bit_count() for got in world.got] == [3] * 4
            assert (world.sent[me], world.got[me]) == (state.position.sent[me], state.position.got[me])


@pytest.mark.clause("HE-9", "HE-10")
def test_cards_are_passed_at_once() -> None:
    state = passing()
    assert state.current_player == SEVERAL
    assert state.acting == (0, 1, 2, 3)
    choose(state, 0, "3c 4c")
    assert refused(state, "pass 3c", 0) == refused(state, "pass 2d", 0) == "HE-9"
    assert refused(state, "play 2c", 0) == "HE-9"
    choose(state, 0, "5c")
    assert [*state.acting] == [1, 2, 3]
    assert refused(state, "pass 6c", 0) == "HE-9"
    assert state.view(0).observation()["sent"][0] == ["3c", "4c", "5c"]
    choose(state, 2, "2h 3h 4h")
    choose(state, 3, "2s 3s 4s")
    choose(state, 1, "2d 3d 4d")
    assert named(state.position.hand[1]) == named(cards(SUITS["d"]) & ~cards("2d 3d 4d") | cards("3c 4c 5c"))
    gets = [(e.who, e.a, e.b) for e in state.events(1) if e.event == "gets"]
    assert gets == [(1, cards("3c 4c 5c"), 0)]
    assert refused(state, "pass 6c") == "HE-9"


@pytest.mark.clause("HE-11", "HE-12")
def test_the_two_of_clubs_opens() -> None:
    state = dealt(load(), "", "3c 4c", "2c 5c")
    assert told(state, "opens", "leads") == [("opens", 2, 0, 0), ("leads", 2, 0, 0)]
    assert state.current_player == 3
    assert refused(state, "play 3c", 1) == "HE-12"
    assert refused(state, "pass 2c") == refused(state, "pass 3c") == "HE-9"
    do(state, *[name.removeprefix("play ") for name in sorted(names(state))[:1]])
    assert len(told(state, "plays")) == 1  # who follows does not lead
    assert state.observation()["way"] == "hold"


@pytest.mark.clause("HE-11", "HE-12")
def test_any_club_opens() -> None:
    state = dealt(load(can_lead_any_club="yes"), "3d", "3c 4c", "2c 5c Ah")
    assert state.current_player == 2
    assert choices(state) == set(named(state.position.hand[2] & cards(SUITS["c"])).split())
    assert refused(state, "play Ah") == "HE-11"
    do(state, "5c")
    assert refused(state, "play 3d") == "HE-12"  # it is in another hand
    assert all(state.redeal(0, k).position.hand[2] >> CARDS.index("2c") & 1 for k in range(30))


@pytest.mark.clause("HE-13")
def test_suit_is_followed() -> None:
    state = late(["5d 6d", "Kc 7d 2s", "8c 9c", "3d 4d"], leader=0)
    do(state, "5d")
    assert choices(state) == {"7d"}
    assert refused(state, "play Kc") == "HE-13"
    do(state, "7d")
    assert choices(state) == {"8c", "9c"}


@pytest.mark.clause("HE-14")
def test_no_points_in_the_first_trick() -> None:
    hands = ["2c", f"Qs {named(cards(SUITS['h']) & ~cards('Ah'))}", "Ah Jd Ks"]
    state = dealt(load(), *hands)
    assert choices(state) == set(hands[1].split())  # there is nothing else
    do(state, "Qs")
    state = dealt(load(), "2c", f"Qs 2d {named(cards(SUITS['h']) & ~cards('Ah Kh'))}")
    assert choices(state) == {"2d"}
    assert refused(state, "play Qs") == refused(state, "play 2h") == "HE-14"
    state = dealt(load(no_pts_on_first_trick="no"), "2c", f"Qs 2d {named(cards(SUITS['h']) & ~cards('Ah Kh'))}")
    assert len(choices(state)) == 13


# Early in a deal: no point card has been played, but a trick has been taken.
EARLY = ["3d Qs 2h 3h", "7d 8d 9d 4h", "Tc Jc Qc 5h", "4c 5c 6c 6h"]


def early(hands: Sequence[str] = EARLY, **options: Any) -> State:
    state = late(hands, **options)
    s = state.position
    s.taken[3] &= ~RULES.POINT_CARDS  # where they are is another matter
    return state


@pytest.mark.clause("HE-15", "HE-16")
def test_hearts_are_broken_before_they_are_led() -> None:
    state = early()
    assert choices(state) == {"3d", "Qs"}
    assert refused(state, "play 2h") == "HE-15"
    do(state, "3d", "7d", "5h", "4c")
    assert told(state, "breaks") == [("breaks", 2, CARDS.index("5h"), 0)]
    assert choices(state) == {"8d", "9d", "4h"}
    assert choices(early(must_break_hearts="no")) == {"3d", "Qs", "2h", "3h"}


@pytest.mark.clause("HE-18")
def test_the_last_trick_plays_itself() -> None:
    state = late(["5d 6d", "Kc 7d", "8c 9c", "3d 4d"], leader=3)
    do(state, "3d", "6d", "7d", "8c")
    assert state.is_terminal
    assert [e.a for e in state.events() if e.event in ("leads", "plays")][4:] == [
        CARDS.index(c) for c in ("Kc", "9c", "4d", "5d")
    ]


@pytest.mark.clause("HE-19")
def test_what_players_show_that_they_lack() -> None:
    state = do(late(["5d 6d", "Kc 2s", "8d 9c", "3d 4s"]), "5d", "Kc")
    assert named(state.position.lacks[1]) == "3d 6d 8d"
    assert state.view(EVERYBODY).observation()["lacks"][1] == ["3d", "6d", "8d"]
    do(state, "8d")
    assert named(state.position.lacks[1]) == "3d 6d"  # of a card that has been played there is nothing to know
    state = do(early(["2h 3h 7h", *EARLY[1:]]), "2h")
    hidden = sum(state.position.hand)
    assert state.position.lacks[0] & hidden == hidden & ~cards(SUITS["h"])
    state = do(early(["Qs 2h 3h", *EARLY[1:]], can_lead_hearts_instead_of_qs="yes"), "2h")
    assert state.position.lacks[0] & hidden == hidden & ~cards(SUITS["h"])
    assert not state.position.lacks[0] & cards("Qs")
    state = do(late(["2h 3h 7h", *EARLY[1:]]), "2h")  # hearts had been broken
    assert state.position.lacks[0] == 0


def settled(taken: Sequence[str], **options: Any) -> State:
    """The end of a deal in which these cards were taken; seat 0 takes the last trick, which is worth nothing."""
    state = late(["As 5s", "2s 6s", "3s 7s", "4s 8s"], taken, **options)
    return do(state, "5s", "6s", "7s", "8s")


HEARTS = SUITS["h"].split()
SHARED = (" ".join(HEARTS[:5]), "Qs Jd", " ".join(HEARTS[5:]), "2d")


ALL_POINTS = f"Qs {SUITS['h']}"
JACK, NO_TRICKS = {"jd_bonus": "yes"}, {"avoid_all_tricks_bonus": "yes"}
SCORES: list[tuple[tuple[str, str, str, str], dict[str, str], list[int], list[tuple[str, int, int, int]]]] = [
    # who has taken what, house rules; what everybody scores, and what else is told
    (SHARED, {}, [5, 13, 8, 0], []),
    (SHARED, JACK, [5, 3, 8, 0], []),
    # the moon
    ((ALL_POINTS, "", "Jd", "2d"), {}, [0, 26, 26, 26], [("moon", 0, 26, 0)]),
    (("", ALL_POINTS, "Jd", "2d"), JACK, [26, 0, 16, 26], [("moon", 1, 26, 0)]),
    (("", f"Jd {ALL_POINTS}", "3d", "2d"), JACK, [26, -10, 26, 26], [("moon", 1, 26, 0)]),
    (("Qs", SUITS["h"], "", ""), {}, [13, 13, 0, 0], []),
    # no tricks
    ((SUITS["h"], "Qs", "", "2d"), NO_TRICKS, [13, 13, -5, 0], [("no_tricks", 2, 5, 0)]),
    (("", ALL_POINTS, "", ""), NO_TRICKS, [26, 0, 26, 26], [("moon", 1, 26, 0)]),
]


@pytest.mark.clause("HE-4", "HE-25")
@pytest.mark.parametrize(("taken", "rules", "points", "said"), SCORES)
def test_points_are_added(taken: Sequence[str], rules: dict[str, str], points: list[int], said: list[Any]) -> None:
    state = settled(taken, points=[10, 20, 30, 40], before=[10, 20, 30, 40], **rules)
    assert scored(state) == points
    assert told(state, "moon", "no_tricks") == said
    after = [10 * (p + 1) + n for p, n in enumerate(points)]
    assert [(who, total) for _, who, _, total in told(state, "scores")] == [*enumerate(after)]
    assert state.returns() == [sum(after) / 4 - n for n in after]


@pytest.mark.clause("HE-24")
@pytest.mark.parametrize(
    ("seat", "before", "target", "deals", "over"),
    [(0, 94, 100, "all", False), (1, 87, 100, "all", True), (3, 0, 100, 2, False), (3, 50, 50, 2, True)],
)
def test_the_end_of_the_match(seat: int, before: int, target: int, deals: str | int, over: bool) -> None:
    points = [before if p == seat else 0 for p in range(4)]
    state = settled(SHARED, points=points, before=points, target=target, deals=deals)
    assert state.is_terminal == over
    assert bool(told(state, "over")) == over
    if over:
        after = [a + b for a, b in zip(points, (5, 13, 8, 0), strict=True)]
        assert state.returns() == [sum(after) / 4 - p for p in after]
        assert refused(state, "play 2c", 0) == "HE-23"
    else:
        assert state.position.stage == RULES.DEALING
        assert state.position.before == state.position.points
        assert not any((*state.position.taken, *state.position.hand, *state.position.lacks))


BOTH = (
    *("no_pts_on_first_trick", "can_lead_any_club", "jd_bonus", "avoid_all_tricks_bonus"),
    *("must_break_hearts", "qs_breaks_hearts", "can_lead_hearts_instead_of_qs"),
)
"""Options that are OpenSpiel's too, by the same name."""
WALKS = 80


def beside(seed: int) -> int:
    """Play a match of some deals at random under random rules, with a game of OpenSpiel's beside each deal: the same
    cards may come, the same players choose among the same cards, and the points are the same.  How many deals."""
    dice = random.Random(seed)
    rules = {name: dice.choice((True, False)) for name in BOTH} if seed % 2 else {}
    way = dice.choice(("rotate", "left", "right", "across", "no"))
    deals = 1 if seed % 4 else 4  # so that each part has some of four
    ours = parlour.load(
        "hearts", None, deals=deals, target=1000, pass_cards=way, **{k: "yes" if v else "no" for k, v in rules.items()}
    )
    theirs = pyspiel.load_game("hearts", rules)
    state = ours.new()
    for deal in range(deals):
        other = theirs.new_initial_state()
        by = (1, 3, 2, 0)[deal % 4] if way == "rotate" else {"left": 1, "right": 3, "across": 2, "no": 0}[way]
        assert other.action_to_string(by).lower() == ("no pass", "left", "across", "right")[by]
        other.apply_action(by)
        first = state.position.dealer + 1  # their first card is seat 0's, ours the dealer's left neighbour's
        beside_deal(state, other, dice, first)
        beside_passing(state, other, dice, first)
        beside_play(state, other, dice, first)
        assert other.is_terminal()
        assert [26 - scored(state, deal)[(p + first) % 4] for p in range(4)] == other.returns()
    assert state.is_terminal
    return deals


def beside_deal(state: State, other: Any, dice: random.Random, first: int) -> None:
    while other.is_chance_node():
        assert dict(state.chance_outcomes()) == dict.fromkeys(
            (k for k, _ in other.chance_outcomes()), Fraction(1, len(other.chance_outcomes()))
        )
        card = dice.choice(other.chance_outcomes())[0]
        assert other.action_to_string(-1, card) == state.name_of(card).upper()
        state.apply(card)
        other.apply_action(card)


def beside_passing(state: State, other: Any, dice: random.Random, first: int) -> None:
    """Theirs pass in turn, ours all at once: each chooses from the same cards, and ours in any order of players."""
    chosen: list[list[tuple[list[int], int]]] = [[], [], [], []]
    while state.current_player == SEVERAL and sum(map(len, chosen)) < 12:
        legal = other.legal_actions()
        card = dice.choice(legal)
        chosen[other.current_player()].append((legal, card))
        other.apply_action(card)
    order = [p for p in range(4) for _ in chosen[p]]
    dice.shuffle(order)
    for p in order:
        legal, card = chosen[p].pop(0)
        seat = (p + first) % 4
        assert [a - RULES.PASS for a in state.legal_actions(seat)] == legal
        state.apply(card + RULES.PASS, seat)


def beside_play(state: State, other: Any, dice: random.Random, first: int) -> None:
    deal = len(state.deals)
    for n in range(52):
        played, legal = cards_played(state, deal), other.legal_actions()
        if n < len(played):  # ours has played it without asking
            assert legal == [played[n]]
            card = played[n]
        else:
            assert state.acting == ((other.current_player() + first) % 4,)
            assert state.legal_actions() == legal
            card = dice.choice(legal)
            state.apply(card)
        other.apply_action(card)


def cards_played(state: State, deal: int) -> list[int]:
    """The cards played in a deal, in order."""
    events = state.events()
    starts = [i for i, e in enumerate(events) if e.event == "deals"]
    return [e.a for e in events[starts[deal] : [*starts, len(events)][deal + 1]] if e.event in ("leads", "plays")]


@pytest.mark.clause("HE-26")
@pytest.mark.parametrize("part", the_rest_long(range(8), [0]))
def test_agrees_with_openspiel(part: int) -> None:
    assert sum(beside(seed) for seed in range(part * WALKS // 8, (part + 1) * WALKS // 8)) > WALKS // 8


def test_what_the_board_shows_besides_the_view() -> None:
    """The last trick with whoever took it, what has been taken, and who is known to be void."""
    state = dealt(load(), f"{SUITS['c']}", *(SUITS[suit] for suit in "dhs"))
    do(state, "2d", "2h", "2s")  # the two of clubs has been led; nobody else has a club
    drawn = drawing.board(state.view(1), state.events(1))
    assert drawn["last"] == {"cards": [(0, "2c"), (1, "2d"), (2, "2h"), (3, "2s")], "who": 0, "points": 1}
    assert drawn["taken"][0] == {"tricks": 1, "points": 1, "cards": ["2h"]}
    assert drawn["void"] == [[], [], ["clubs", "diamonds"], ["clubs"]]  # and no spades but the queen
    assert drawn["hand"] == [[f"{rank}d" for rank in "3456789TJQKA"]]
    do(state, "3c")
    assert drawing.trick(drawing.seen_of(state.view(2))) == [(0, "3c")]
    assert "Anna: no points, 1 trick worth 1 in this deal." in drawing.lines(state.view(2), NAMES)


def test_cards_that_are_passed_leave_the_hand_that_is_drawn() -> None:
    state = passing()
    choose(state, 0, "2c 3c")
    drawn = drawing.board(state.view(0), state.events(0))
    assert (drawn["receiver"], drawn["to_choose"], set(drawn["sent"])) == (1, 1, {"2c", "3c"})
    assert drawn["hand"] == [[f"{rank}c" for rank in "456789TJQKA"]]
    assert drawing.caption("pass 4c", state.view(0), NAMES) == "to Ben"
    assert drawing.board(state.view(EVERYBODY), state.events())["hand"] == []


def test_how_a_deal_ended_is_shown_until_play_begins() -> None:
    state = settled(SHARED, deals=2, target=1000)
    drawn = drawing.board(state.view(0), state.events(0))
    assert [(one.event, one.a) for one in drawn["ended"]] == [("scores", n) for n in (5, 13, 8, 0)]
    assert not drawn["last"]
    assert drawing.result(state.view(0), [0.0] * 4, NAMES)[3] == "Dan: place 1, no points."
