"""Newmarket and Saratoga, clause by clause: stakes, pools, leads, settlement, run-off, what nobody must know."""

from __future__ import annotations

from typing import Any

import pytest

import parlour
from parlour import CHANCE, Game, ParlourError, State
from parlour.engine.definition import definition
from parlour.rules.stops.position import CARD_NAMES, NEXT
from tests.games import stops
from tests.games.stops import assert_refused, brought, by_clause, cards, coins, dealt, do, late, plays, refused, told
from tests.helpers import rules_of

RULES = rules_of("newmarket")
INVARIANTS: Any = definition("newmarket").part("invariants")


def load(players: int = 3, **options: str | int) -> Game:
    return stops.load("newmarket", players, **options)


def scene(hands: list[str], stock: str = "", pool: tuple[int, ...] = (0, 0, 0, 0), **options: Any) -> State:
    """A late moment in the first of many deals: seat 0 leads, everybody has 50 counters, the layout has ``pool``."""
    fields: dict[str, Any] = {
        name: options.pop(name) for name in ("played", "coins", "before", "deal") if name in options
    }
    game = load(len(hands), **{"stakes": "saratoga", **options})
    usual: dict[str, Any] = {"pool": list(pool), "coins": [50] * 8, "before": [50] * 8}
    return late(game, hands, stock, **{**usual, **fields})


def gained(state: State) -> list[int]:
    """What everybody has won since 50, at the end of the deal or later in it."""
    before = state.position.before if state.deals else state.position.coins
    return [c - 50 for c in before[: state.game.players]]


def acts(state: State) -> list[str]:
    return [state.name_of(a) for a in state.legal_actions()]


@pytest.mark.clause("PJ-1", "PJ-21", "PJ-25", "PJ-26", "PJ-93")
@pytest.mark.parametrize(
    ("players", "each", "stock"), [(3, 15, 7), (4, 12, 4), (5, 9, 7), (6, 8, 4), (7, 7, 3), (8, 6, 4)]
)
def test_the_deal(players: int, each: int, stock: int) -> None:
    assert list(definition("newmarket").players) == [3, 4, 5, 6, 7, 8]
    state = dealt(load(players, stakes="saratoga"), {})
    s = state.position
    assert [hand.bit_count() for hand in s.hand[:players]] == [each] * players
    assert (s.stock.bit_count(), s.out) == (stock, 0)
    assert told(state, "stock")[0][2] == stock
    assert told(state, "eldest") == [("eldest", 0, 0, 0)]


@pytest.mark.clause("PJ-92", "PJ-91")
def test_everybody_spreads_what_the_dealer_names() -> None:
    state = load(3).new()
    assert (state.current_player, acts(state)) == (2, [f"take {n}" for n in range(4, 21)])
    assert refused(state, "take 4", 0) == refused(state, "lay 4") == refused(state, "lead 2c") == "PJ-92"
    do(state, "take 6")
    assert (state.current_player, acts(state)) == (0, [f"lay {n}" for n in range(7)])
    assert refused(state, "lay 7") == refused(state, "take 6") == refused(state, "lay 1", 1) == "PJ-92"
    do(state, "lay 1", "lay 2", "lay 0")  # the rest goes on the last card
    assert (state.position.pool, state.current_player) == ([1, 2, 0, 3], 1)
    do(state, "lay 6")  # nothing is left for the other cards
    assert (state.position.pool, state.current_player) == ([7, 2, 0, 3], 2)
    do(state, "lay 0", "lay 0", "lay 6")
    assert (state.position.pool, coins(state), state.current_player) == ([7, 2, 6, 3], [94] * 3, CHANCE)
    on = [CARD_NAMES.index(c) for c in ("Ah", "Kc", "Qd", "Js")]
    assert [(e.who, e.a, e.b) for e in state.events() if e.event == "lays"] == [
        (0, 1, on[0]), (0, 2, on[1]), (0, 3, on[3]), (1, 6, on[0]), (2, 6, on[2]),
    ]  # fmt: skip
    assert told(state, "names") == [("names", 2, 6, 0)]


@pytest.mark.clause("PJ-18", "PJ-97", "PJ-92")
def test_what_is_refused() -> None:
    """At each moment, who tries what: the clause that forbids it."""
    dealing = do(load(3, stake_max=4).new(), "lay 4", "lay 4", "lay 4")
    leading = dealt(load(3, stakes="saratoga"), {0: "2c 3c"})
    run_off = do(scene(["2c 3c", "Kc 7s", "5h"], "Js 4c", pool=(5, 8, 3, 0), deal=5), "lead 2c")
    assert_refused(load(3).new(), "take 5 1 PJ-92, lead 2c 2 PJ-92")
    assert_refused(dealing, "lead 2c 0 PJ-25, lay 1 0 PJ-25")
    assert_refused(leading, "lay 0 0 PJ-97, take 4 2 PJ-97, lead 3c 0 PJ-94, lead 3c 1 CO-13")
    assert_refused(run_off, "lay 1 0 PJ-18")
    spread = dealing.clone()
    while spread.current_player == CHANCE:
        spread.apply(spread.chance_outcomes()[0][0])
    assert refused(spread, "lay 0", 0) == refused(spread, "take 4", 1) == "PJ-92"


def test_the_dealer_may_lay_first() -> None:
    for dealer in range(3):
        others = [(dealer + k) % 3 for k in (1, 2)]
        for first, order in (("first", [dealer, *others]), ("last", [*others, dealer])):
            state = do(load(3, dealer_lays=first, first_dealer=dealer).new(), "take 4")
            found = []
            while state.current_player >= 0:
                found.append(state.current_player)
                do(state, "lay 4")
            assert found == order


@pytest.mark.clause("PJ-92")
def test_what_may_be_named() -> None:
    """At least four, at most what the poorest player has and the option allows; without a choice nobody is asked."""
    assert acts(load(3, start_counters=6).new()) == ["take 4", "take 5", "take 6"]
    assert acts(load(3, stake_max=5).new()) == ["take 4", "take 5"]
    options: dict[str, Any]
    for options in ({"start_counters": 4}, {"start_counters": 0}, {"stake_max": 4}):
        state = load(3, **options).new()
        assert (told(state, "names")[0][2], state.current_player) == (4, 0)
        assert acts(state) == ["lay 0", "lay 1", "lay 2", "lay 3", "lay 4"]
    for options, sentence in (
        ({"stake_max": 3}, "stake_max"),
        ({"stakes": "saratoga", "stake_max": 9}, r"stake_max=9 is for stakes=spread.*\(PJ-97\)"),
        ({"stakes": 26}, "stakes"),
    ):
        with pytest.raises(ParlourError, match=sentence):
            load(3, **options)


@pytest.mark.clause("PJ-97")
def test_saratoga() -> None:
    for stakes, each in (("saratoga", 1), (3, 3)):
        state = load(4, stakes=stakes).new()
        assert (state.position.pool, coins(state)) == ([4 * each] * 4, [100 - 4 * each] * 4)
        assert told(state, "stakes") == [("stakes", p, 4 * each, 0) for p in range(4)]
        assert state.current_player == CHANCE
        assert refused(dealt(load(4, stakes=stakes), {}), "take 5") == "PJ-97"


WON: list[tuple[str, str, dict[str, Any], str, str, list[int], list[int]]] = [
    # clauses, hands, how it stands, acts; who takes and pays what, what everybody has won, what lies on the layout then
    ("PJ-91 PJ-6", "Tc Ah 5s / Jc Qc 7s 8d / Kc Qd Js 2d 9h", {"stock": "Jd 6s", "pool": (5, 7, 1, 2)}, "lead Tc",
     "PJ-31 2 takes 7 Kc", [0, 0, 7], [5, 0, 1, 2]),
    ("PJ-12", "Tc Ah 5s / Jc Qc 7s 8d / Kc Qd Js 2d 9h", {"stock": "Jd 6s", "pool": (5, 7, 1, 2)},
     "lead Tc, lead 2d, lead Qd", "PJ-31 2 takes 7 Kc, PJ-31 2 takes 1 Qd", [0, 0, 8], [5, 0, 0, 2]),
    ("PJ-91", "Tc Ah 5s / Jc Qc 7s 8d / Kc Qd Js 2d 9h", {"stock": "Jd 6s"}, "lead Tc", "", [0, 0, 0], [0, 0, 0, 0]),
    ("PJ-7 PJ-10 PJ-14", "Qd Kd / 2c 4c Kh / 5s Ac 7h 9h", {"pool": (1, 2, 6, 0)}, "lead Qd",
     "PJ-31 0 takes 6 Qd, CO-27 0 out 0, PJ-11 1 pays 3, PJ-11 2 pays 4", [13, -3, -4], [4, 5, 3, 3]),
    ("PJ-13 PJ-96", "2c 3c / Kc Qd 7s / 5h", {"stock": "Js 4c", "pool": (0, 8, 3, 2)}, "lead 2c",
     "CO-27 0 out 0, PJ-11 1 pays 3, PJ-11 2 pays 1", [4, -3, -1], [3, 11, 6, 5]),
    ("PJ-95", "5c 6c 9h / 7c Kc / Qd Ts", {"stock": "8c", "pool": (0, 4, 3, 1)}, "lead 5c",
     "PJ-31 1 takes 4 Kc, CO-27 1 out 0, PJ-11 2 pays 2, PJ-11 0 pays 1", [-1, 7, -2], [3, 3, 6, 4]),
]  # fmt: skip


@pytest.mark.parametrize(("hands", "stands", "acts", "said", "won", "lies"), by_clause(WON))
def test_who_wins_what(
    hands: str, stands: dict[str, Any], acts: str, said: str, won: list[int], lies: list[int]
) -> None:
    """The next stakes lie on top of what is not won; Kings and aces bring nothing."""
    state = do(scene(hands.split(" / "), **stands), *acts.split(", "))
    events = [e for e in state.events() if e.event in ("takes", "out", "pays")]
    card = {e: f" {CARD_NAMES[e.b]}" for e in events if e.event == "takes"}
    assert ", ".join(f"{e.clause} {e.who} {e.event} {e.a}{card.get(e, '')}" for e in events) == said
    assert (gained(state), state.position.pool) == (won, lies)


def test_sequences_and_last_cards() -> None:
    """Whoever has the next card plays it; 8c is in no hand, so its player leads their last card."""
    taken = do(scene(["Tc Ah 5s", "Jc Qc 7s 8d", "Kc Qd Js 2d 9h"], "Jd 6s"), "lead Tc")
    assert (plays(taken), taken.current_player) == (["0 Tc", "1 Jc", "1 Qc", "2 Kc"], 2)
    whole = do(scene(["5c 6c 9h", "7c Kc", "Qd Ts"], "8c"), "lead 5c")
    assert plays(whole)[:4] == ["0 5c", "0 6c", "1 7c", "1 Kc"]
    last = scene(["Ts", "2c 4c", "5h"], pool=(0, 0, 0, 9))
    last.position.hand[0], last.position.played[0] = cards("Js"), last.position.played[0] ^ cards("Js Ts")
    RULES.go_on(last.position, said := list[Any]())
    assert [e[1] for e in said if e[1] in ("takes", "out")] == ["takes", "out"]


@pytest.mark.clause("PJ-94", "PJ-8", "CO-14", "CO-19")
def test_the_lowest_card_of_a_suit_is_led() -> None:
    hands = ["5c 7c Qc Ah 2h 9s", "6c 8d 9d 2d", "3h 4h Td 7d"]
    state = scene(hands, "8c")
    assert acts(state) == ["lead 5c", "lead Ah", "lead 9s"]
    assert refused(state, "lead 7c") == "PJ-94"
    assert refused(state, "lead 6c") == "CO-14"
    assert refused(state, "lead 2d", 1) == "CO-19"
    assert acts(scene(hands, "8c", lead_rule="any")) == [f"lead {c}" for c in ["5c", "7c", "Qc", "Ah", "2h", "9s"]]
    for rule, known in (("lowest", "4c 2c"), ("any", "")):
        state = do(scene(hands, "4c 2c 8c", lead_rule=rule), "lead 5c")
        assert state.position.lacks[0] & cards("2c 4c") == cards(known)
    assert [CARD_NAMES[c] for c in range(52) if NEXT[c] < 0] == ["Kc", "Kd", "Kh", "Ks"]


@pytest.mark.clause("PJ-18", "PJ-19", "PJ-88", "PJ-17", "PJ-20")
def test_the_run_off() -> None:
    state = do(scene(["2c 3c", "Kc Qd 7s", "5h"], "Js 4c", pool=(5, 8, 3, 0), deal=5), "lead 2c")
    assert told(state, "run_off") == [("run_off", 0, 0, 0)]
    assert brought(state) == [4, -3, -1]
    assert refused(state, "lead 2c", 0) == "PJ-18"
    state.apply("Kc")  # first to the dealer's left
    assert told(state, "falls", "takes") == [
        ("falls", 1, CARD_NAMES.index("Kc"), 0),
        ("takes", 1, 8, CARD_NAMES.index("Kc")),
    ]
    while not state.is_terminal:
        state.apply(state.chance_outcomes()[-1][0])
    assert sum(e.event == "falls" for e in state.events()) == 52
    assert state.position.pool == [0] * 4
    assert [e.b for e in state.events() if e.event == "ranks"] == coins(state)
    assert sum(coins(state)) == 150 + 16
    assert refused(state, "lead 2c", 0) == "PJ-17"
    empty = do(scene(["2c 3c", "Kc 7s", "5h"], "Js 4c", deal=5), "lead 2c")
    assert empty.is_terminal


def test_what_is_considered_and_what_is_likely() -> None:
    """Of totals the least and the most; of counters none, a fair share, all; of leads a card of the layout."""
    state = parlour.load("newmarket", 3, first_dealer=2).new()
    assert stops.considered(state, "candidates") == ["take 4", "take 20"]
    assert stops.considered(state, "likely") == ["take 4"]
    state.apply("take 10")
    assert stops.considered(state, "candidates") == ["lay 0", "lay 2", "lay 10"]
    assert stops.considered(state, "likely") == ["lay 2"]
    state.apply("lay 2")  # 8 are left for three cards
    assert stops.considered(state, "candidates") == ["lay 0", "lay 2", "lay 8"]
    assert stops.considered(state, "likely") == ["lay 2"]
    hands = ["2c 5d Ah Js", "2s 3s 4s 5s", "2h 3h 4h 5h"]
    assert stops.considered(scene(hands, lead_rule="any"), "likely") == ["lead Ah"]
    assert stops.considered(scene(["2c 5d 9h Ts", *hands[1:]], lead_rule="any"), "likely") == [
        *("lead 2c", "lead 5d", "lead 9h", "lead Ts")
    ]


def test_how_much_a_deal_is_played_for_is_chosen() -> None:
    """So a player who thinks counts what a choice brings in the match, not in the deal."""
    assert definition("newmarket").rules.FOR_THE_MATCH


def test_the_reader_is_told_what_they_stake() -> None:
    state, lines = load().new(seed=1), definition("newmarket").part("drawing").lines  # type: ignore[union-attr]
    for you, ann in (("name what", "names what"), ("lay on hearts A and have 4", "lays on hearts A and has 4")):
        for name, does in (("You", you), ("Ann", ann)):
            assert any(line.startswith(f"{name} {does}") for line in lines(state.view(0), [name] * 3))
        state.apply(state.legal_actions()[0])


def test_the_invariants_notice_what_is_wrong_with_the_cards() -> None:
    state = parlour.load("newmarket").new(seed=1)
    while not (state.acting and state.position.hand[0]):
        state.apply(state.legal_actions()[0])
    (hand, *others), nobody = state.position.hand, [0] * 7
    assert INVARIANTS.check(state.position) == ""
    for field, value, wrong in (
        ("hand", [hand & (hand - 1), *others], "cards are lost or doubled"),
        ("lacks", [hand, *nobody], "which he has said he lacks"),
        ("run", hand, "gone"),
    ):
        s = state.position.copy()
        setattr(s, field, value)
        assert wrong in INVARIANTS.check(s)
