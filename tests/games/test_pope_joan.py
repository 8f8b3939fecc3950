"""Pope Joan in its three versions, clause by clause: the examples of the rules, options, refusals, exact figures."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

import parlour
from parlour import CHANCE, EVERYBODY, Game, ParlourError, State
from parlour.engine.definition import definition
from parlour.engine.odds import odds
from parlour.rules.stops import layout
from parlour.rules.stops.play import lower_cards
from parlour.rules.stops.position import ACE_HIGH, CARD_NAMES, NEXT, PACK
from tests.games import stops
from tests.games.stops import (
    cards,
    coins,
    dealt,
    do,
    heard,
    late,
    named,
    plays,
    refused,
    told,
)
from tests.helpers import play, rules_of

RULES = rules_of("pope_joan")
INVARIANTS: Any = definition("pope_joan").part("invariants")
POOL = {name: k for k, name in enumerate(("Ten", "Jack", "Queen", "King", "Pope", "Matrimony", "Intrigue",
                                          "Confederacy", "Ace", "K", "Q", "Knave", "Game"))}  # fmt: skip
TRUMP, CLASSIC = {"version": "foster_trump"}, {"version": "classic"}


def load(players: int = 3, **options: str | int) -> Game:
    return stops.load("pope_joan", players, **options)


def pools(**counters: int) -> list[int]:
    """The layout with this much on these pools."""
    return [counters.get(name, 0) for name in POOL]


def scene(
    hands: list[str], stock: str = "", lead: int = 0, turned: str = "", options: Any = None, **fields: Any
) -> State:
    """A late moment: everybody has nothing yet, and the layout has ``pool``."""
    fields = {"pool": [0] * 13, "coins": [0] * 8, **fields}
    if turned:
        fields["turned"] = CARD_NAMES.index(turned) + 1
    state = late(load(len(hands), **(options or {})), hands, stock, lead, turned, **fields)
    RULES.set_prizes(state.position)
    return state


def settled(state: State, led: int = -1) -> State:
    """The rest of the deal as it follows by itself; then nothing is dealt any more."""
    s = state.position
    s.rounds, s.leftovers = 1, layout.SHARE
    s.deal = 100
    said: list[Any] = []
    last, layout.is_last = layout.is_last, lambda s: False
    try:
        if led >= 0:
            RULES.lead_card(s, s.player, led, said)
        RULES.go_on(s, said)
    finally:
        layout.is_last = last
    state.ledger.events += [(0, event) for event in said]
    return state


def settled_by_itself(state: State) -> State:
    """The only card of a hand is led, and what follows by it, the end of the match too."""
    RULES.go_on(state.position, said := list[Any]())
    state.ledger.events += [(0, event) for event in said]
    return state


def on(state: State, name: str) -> int:
    return int(state.position.pool[POOL[name]])


def gained(state: State, name: str) -> list[tuple[int, int]]:
    """How much of a pool each player has taken."""
    at = RULES.POOL + POOL[name]
    return [(e.who, e.a) for e in state.events() if e.event in ("takes", "pope", "takes_half") and e.b == at]


# ------------------------------------------------------------------------------------------ pack, deal, dressing


def assert_everybody_is_told_his_hand(state: State, clause: str) -> None:
    for p in range(-1, state.game.players):
        hands = [(e.who, e.a, e.b, e.clause) for e in state.events(p) if e.event == "dealt"]
        mine = state.position.hand[p]
        assert hands == ([(p, mine.bit_count(), mine, clause)] if p >= 0 else [])


@pytest.mark.clause("PJ-1", "PJ-21", "PJ-25", "PJ-26", "PJ-5")
@pytest.mark.parametrize(
    ("players", "each", "stock"), [(3, 15, 7), (4, 12, 4), (5, 9, 7), (6, 8, 4), (7, 7, 3), (8, 6, 4)]
)
def test_the_deal_of_fosters_game(players: int, each: int, stock: int) -> None:
    assert list(definition("pope_joan").players) == [3, 4, 5, 6, 7, 8]
    for options in ({}, TRUMP, {**TRUMP, "remove_8d": "yes"}):
        turned = () if not options else ("As",)
        state = dealt(load(players, **options), {}, last=turned)
        s = state.position
        assert [hand.bit_count() for hand in s.hand[:players]] == [each] * players
        assert s.stock.bit_count() == stock - len(turned) - ("remove_8d" in options)
        assert told(state, "stock")[0][2] == s.stock.bit_count()
        assert s.player == 0
        assert told(state, "deals") == [("deals", players - 1, each, 0)]
        assert_everybody_is_told_his_hand(state, "PJ-25")


@pytest.mark.clause("PJ-61", "PJ-65", "PJ-66", "PJ-68", "PJ-85")
@pytest.mark.parametrize(
    ("players", "each", "dead"), [(3, 12, 14), (4, 10, 10), (5, 8, 10), (6, 7, 8), (7, 6, 8), (8, 5, 10)]
)
def test_the_deal_of_the_classic_game(players: int, each: int, dead: int) -> None:
    state = dealt(load(players, **CLASSIC), {}, last=("5s",))
    s = state.position
    assert [hand.bit_count() for hand in s.hand[:players]] == [each] * players
    assert (s.stock.bit_count(), named(s.out)) == (dead, "8d 5s")
    assert told(state, "turns_up") == [("turns_up", players - 1, CARD_NAMES.index("5s"), 0)]
    assert players * each + dead + 1 == 51
    assert told(state, "deals", "stock") == [("deals", players - 1, each, 0), ("stock", EVERYBODY, dead, 0)]
    assert_everybody_is_told_his_hand(state, "PJ-65")
    with pytest.raises(ParlourError):
        state.apply("8d")
    waiting = dealt(load(players, **CLASSIC, hand_sizes="round"), {})
    assert (waiting.observation()["stage"], waiting.observation()["player"]) == ("turning up", 0)
    around = dealt(load(players, **CLASSIC, hand_sizes="round"), {}, last=("5s",)).position
    sizes = [hand.bit_count() for hand in around.hand[:players]] + [around.stock.bit_count()]
    assert sum(sizes) == 50
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] - sizes[-1] <= 1


@pytest.mark.clause("PJ-84", "PJ-85")
@pytest.mark.parametrize(
    ("players", "stock", "dead"),
    [(3, "7/52", 14), (4, "1/13", 10), (5, "7/52", 10), (6, "1/13", 8), (7, "3/52", 8), (8, "1/13", 10)],
)
def test_how_often_a_card_is_left_over(players: int, stock: str, dead: int) -> None:
    """In the classic game it is in the dead hand or turned up."""
    (foster,) = odds(load(players).new().view())
    (classic,) = odds(load(players, **CLASSIC).new().view())
    for table, left_over in ((foster, Fraction(stock)), (classic, Fraction(dead, 51) + Fraction(1, 51))):
        assert [row.chances[0] for row in table.rows] == [left_over, (1 - left_over) / players]


@pytest.mark.clause("PJ-2", "PJ-3", "PJ-4")
def test_the_first_jack() -> None:
    state = parlour.load("pope_joan", 4, **CLASSIC).new()
    assert refused(state, "lead 2c", 0) == "PJ-2"
    for card in ("8d", "2c", "3c", "4c", "5c"):  # the full pack, from the first seat on
        state.apply(card)
    state.apply("Jh")
    assert [(e[1], e[2]) for e in told(state, "turns_jack")][-1] == (1, CARD_NAMES.index("Jh"))
    assert told(state, "deals_first") == [("deals_first", 1, 0, 0)]
    assert (state.position.dealer, state.position.player) == (1, 2)
    assert refused(state, "lead 2c", 0) == "PJ-65"
    end = list(play(load(3).new(), 1))[-1]
    assert [e[1] for e in told(end, "deal_passes")] == [0, 1, 2, 0, 1]


@pytest.mark.clause("PJ-28", "PJ-22", "PJ-23", "PJ-24", "PJ-29")
def test_fosters_layout() -> None:
    start = load(4).start()
    assert start.pool == pools(Ten=1, Jack=2, Queen=3, King=4, Pope=5)
    assert start.coins[:4] == [100, 100, 100, 85]
    s = dealt(load(4), {}).position
    assert named(s.prizes) == "Jc 7d Td Kh Qs"
    assert named(dealt(load(4, pope="9d"), {}).position.prizes) == "Jc 9d Td Kh Qs"
    s.pool = pools(Ten=7, Pope=2)
    RULES.next_deal(s, None)
    assert s.pool == pools(Ten=8, Jack=2, Queen=3, King=4, Pope=7)


@pytest.mark.clause("PJ-42", "PJ-43", "PJ-41", "PJ-44", "PJ-45")
def test_the_layout_with_a_trump() -> None:
    assert load(4, **TRUMP).start().pool == pools(Pope=5, Matrimony=4, Intrigue=3, Confederacy=2, Game=1)
    state = dealt(load(4, **TRUMP), {}, last=("4h",))
    assert (named(state.position.prizes), named(state.position.out)) == ("7d Jh Qh Kh", "4h")
    without = dealt(load(4, **TRUMP, remove_8d="yes"), {}, last=("4d",)).position
    assert (named(without.prizes), named(without.out)) == ("9d Jd Qd Kd", "4d 8d")
    stop = scene(["3h 2s 6s", "5h 2d 3d", "6h 4c 5c"], turned="4h", options=TRUMP)
    assert told(do(stop, "lead 3h"), "card_out", "fails") == [("card_out", 0, CARD_NAMES.index("4h"), 0)]


@pytest.mark.clause("PJ-62", "PJ-63", "PJ-64", "PJ-15", "PJ-30")
def test_the_classic_board() -> None:
    eight = pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, K=1, Q=1, Knave=1, Game=1)
    five = pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, Game=1)
    assert load(4, **CLASSIC).start().pool == eight
    assert load(4, **CLASSIC, board="five").start().pool == five
    assert load(4, **CLASSIC).start().coins[:4] == [48, 48, 48, 33]
    assert (load(4).start().coins[0], load(4, start_counters=7).start().coins[0]) == (100, 7)
    for board, need, least in (("eight", 15, eight), ("five", 12, five)):
        for players in range(3, 9):
            s = load(players, **CLASSIC, dressing="all", board=board).start()
            each = 48 - s.coins[0]
            assert (players + 1) * each >= need > (players + 1) * (each - 1)
            assert s.coins[players - 1] == 48 - 2 * each
            assert s.pool == [*least[:12], 1 + (players + 1) * each - need]
    assert named(dealt(load(4, **CLASSIC), {}, last=("4h",)).position.prizes) == "9d Ah Jh Qh Kh"


POOLS_OF = {
    "foster": ["Ten", "Jack", "Queen", "King", "Pope"],
    "foster_trump": ["Pope", "Matrimony", "Intrigue", "Confederacy", "Game"],
    "classic": ["Pope", "Matrimony", "Intrigue", "Ace", "K", "Q", "Knave", "Game"],
    "five": ["Pope", "Matrimony", "Intrigue", "Ace", "Game"],
}


@pytest.mark.clause("PJ-64", "PJ-16", "PJ-28", "PJ-42")
def test_who_dresses_with_how_much() -> None:
    """The dealer, or everybody, with twice as much from the dealer; a player who may not owe, with what they have.  It
    goes on the pools in their order, the excess on Game."""
    poor = {"shortfall": "cap", "start_counters": 3}
    for options, paid, laid in (
        ({}, {3: 15}, pools(Ten=1, Jack=2, Queen=3, King=4, Pope=5)),
        (poor, {3: 3}, pools(Ten=1, Jack=2)),
        ({**TRUMP, **poor}, {3: 3}, pools(Pope=3)),
        ({**TRUMP, **poor, "start_counters": 13}, {3: 13}, pools(Pope=5, Matrimony=4, Intrigue=3, Confederacy=1)),
        ({**CLASSIC, **poor}, {3: 3}, pools(Pope=3)),
        ({**CLASSIC, "dressing": "all"}, {0: 3, 1: 3, 2: 3, 3: 6},
         pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, K=1, Q=1, Knave=1, Game=1)),
        ({**CLASSIC, **poor, "dressing": "all"}, {0: 3, 1: 3, 2: 3, 3: 3},
         pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, K=1)),
        ({**CLASSIC, "dressing": "all", "board": "five"}, {0: 3, 1: 3, 2: 3, 3: 6},
         pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, Game=4)),
    ):  # fmt: skip
        state = load(4, **options).new()
        assert told(state, "dresses") == [("dresses", p, n, 0) for p, n in paid.items()]
        clause = {"foster_trump": "PJ-42", "classic": "PJ-64"}.get(str(options.get("version")), "PJ-28")
        assert {e.clause for e in state.events() if e.event == "dresses"} == {clause}
        assert state.position.pool == laid
        shown = [name for name, n in zip(POOL, state.observation()["pool"], strict=True) if n is not None]
        which = "five" if options.get("board") else options.get("version", "foster")
        assert shown == POOLS_OF[str(which)]  # and no other version's
        assert [n or 0 for n in state.observation()["pool"]] == laid
        start = state.position.before[0]
        assert coins(state) == [start - paid.get(p, 0) for p in range(4)]
        assert state.observation()["dressed"] == sum(paid.values())
        RULES.next_deal(state.position, None)
        if "shortfall" not in options:
            assert state.observation()["dressed"] == sum(paid.values())  # again, not in addition


# ------------------------------------------------------------------------------------------ Foster's game


@pytest.mark.clause("PJ-31", "PJ-11", "PJ-36", "PJ-14", "PJ-10")
def test_the_end_of_a_deal_in_fosters_game() -> None:
    """The first example."""
    state = scene(["5c 6c 9h", "7c Kh", "Qs Td"], "8c", pool=pools(King=4, Queen=3, Ten=1))
    settled(state, CARD_NAMES.index("5c"))
    assert plays(state) == ["0 5c", "0 6c", "1 7c", "1 Kh"]
    assert gained(state, "King") == [(1, 4)]
    assert coins(state) == [-1, 7, -6]
    assert (on(state, "Queen"), on(state, "Ten"), on(state, "King")) == (6, 2, 0)
    shown = [(e.who, e.a, named(e.b)) for e in state.events() if e.event == "shows"]
    assert shown == [(2, 2, "Td Qs"), (0, 1, "9h")]
    assert [(e[1], e[2]) for e in told(state, "doubles")] == [(2, 1), (2, 3)]
    assert [e for e in heard(state) if e in ("PJ-31", "CO-27", "PJ-11", "PJ-36")] == [
        "PJ-31",
        "CO-27",
        *["PJ-11"] * 2,
        *["PJ-36"] * 2,
    ]


@pytest.mark.clause("PJ-13", "PJ-38", "PJ-27", "PJ-32", "PJ-33")
def test_a_card_of_the_layout_in_the_stock() -> None:
    state = scene(["5c 9h", "7s", "7d 2d"], "Jc", lead=1, pool=pools(Jack=2, Pope=3))
    settled(state)
    assert coins(state) == [-2, 4, -2 - 3]  # the Pope protects nobody; there is nothing for being out but the cards
    assert (on(state, "Jack"), on(state, "Pope")) == (2, 6)
    assert "stock" not in state.observation()


@pytest.mark.clause("PJ-36")
@pytest.mark.parametrize(
    ("options", "added"),
    [
        ({}, 50),
        ({"double_cap": 1}, 1),
        ({"double_cap": 7}, 7),
        ({"double_cap": 60}, 60),
        ({"double_cap": "none"}, 60),
        ({"double_rule": "dressing"}, 4),
    ],
)
def test_what_a_doubling_adds(options: dict[str, str | int], added: int) -> None:
    state = scene(["Kh", "7s", "2d Td"], "Jc", lead=1, options=options, pool=pools(King=60, Ten=1), dressed=15)
    settled(state)
    assert on(state, "King") == 60 + added
    assert ("PJ-37" in heard(state)) == (added in (50, 7, 1))
    assert "PJ-36" in heard(state)
    empty = settled(scene(["Kh", "7s", "2d Td"], "Jc", lead=1, options=options, dressed=0))
    assert told(empty, "doubles", "doubles_capped") == []  # where nothing lies


def test_a_match_in_which_pools_would_grow_beyond_all_bounds_is_refused() -> None:
    with pytest.raises(ParlourError, match="at most 24 deals"):
        load(8, double_cap="none", rounds=4)
    with pytest.raises(ParlourError, match=r"at most 24 deals, not of 25 \(PJ-37\)"):
        load(5, double_cap="none", rounds=5)
    with pytest.raises(ParlourError, match="not of 248"):
        load(8, double_cap="none", rounds=31)
    with pytest.raises(ParlourError, match="not of 25"):
        load(8, double_cap="none", rounds=4, deals=25)
    short: dict[str, Any] = {"double_cap": "none", "rounds": 4}
    for fine in ({"double_rule": "dressing"}, {"rounds": 3}, {"deals": 24}):
        assert load(8, **{**short, **fine})
    pool = 0
    for _ in range(RULES.MOST_DEALS):
        pool = 2 * (pool + sum(RULES.DRESSING[: RULES.GAME]))
    assert 2 * pool < 2**31


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"pope": "9d", **TRUMP}, "pope=9d is for version=foster, not for version=foster_trump (PJ-24)."),
        ({"remove_8d": "yes"}, "remove_8d=yes is for version=foster_trump, not for version=foster (PJ-45)."),
        (
            {"double_cap": 60, **CLASSIC},
            "double_cap=60 is for version=foster or foster_trump, not for version=classic (PJ-37).",
        ),
        ({"board": "five"}, "board=five is for version=classic, not for version=foster (PJ-62)."),
        ({"pope_turned": "deal_over", **TRUMP}, "pope_turned=deal_over is for version=classic, not for"),
    ],
)
def test_options_of_another_version_are_refused(chosen: dict[str, str | int], sentence: str) -> None:
    with pytest.raises(ParlourError) as refusal:
        load(3, **chosen)
    assert str(refusal.value).startswith(sentence)


@pytest.mark.clause("PJ-6", "PJ-8", "CO-20")
def test_where_the_ace_stands() -> None:
    low = do(scene(["Qc Kc 3h", "Ac 4h 4s", "2c 5h 5s"]), "lead Qc")
    assert told(low, "top_of_suit") == [("top_of_suit", 0, CARD_NAMES.index("Kc"), 0)]
    high = do(scene(["Qc Kc 3h", "Ac 4h 4s", "2c 5h 5s"], options={"ace": "high"}), "lead Qc")
    assert plays(high) == ["0 Qc", "0 Kc", "1 Ac"]
    assert told(high, "top_of_suit") == [("top_of_suit", 1, CARD_NAMES.index("Ac"), 0)]
    for c in range(52):
        assert (NEXT[52 + c] == -1) == (CARD_NAMES[c][0] == "A")
        assert NEXT[52 + c] == (c - 12 if CARD_NAMES[c][0] == "K" else -1 if CARD_NAMES[c][0] == "A" else NEXT[c])


@pytest.mark.clause("PJ-9", "CO-14", "CO-19", "CO-13", "PJ-7")
def test_what_may_be_led() -> None:
    hands = ["Ac 3c 5d 9d", "2c 4h", "6s 7s"]
    any_card = scene(hands)
    assert {any_card.name_of(a) for a in any_card.legal_actions()} == {"lead Ac", "lead 3c", "lead 5d", "lead 9d"}
    assert refused(any_card, "lead 4h", 0) == "CO-14"
    assert refused(any_card, "keep", 0) == "CO-25"
    assert refused(any_card, "lay Kh", 0) == "PJ-52"
    lowest = scene(hands, "3d", options={"lead_rule": "lowest"})
    assert {lowest.name_of(a) for a in lowest.legal_actions()} == {"lead Ac", "lead 5d"}
    assert refused(lowest, "lead 3c", 0) == "PJ-9"
    do(lowest, "lead 5d")
    assert named(lowest.position.lacks[0]) == "3d 6d"[:2]
    alone = scene(["Ac 5d 9d", *hands[1:]], options={"lead_rule": "lowest", "ace": "high"})
    assert {alone.name_of(a) for a in alone.legal_actions()} == {"lead Ac", "lead 5d"}  # the only card of the suit
    acts = [0] * 99
    two = scene(["Ac 2c", *hands[1:]], options={"lead_rule": "lowest", "ace": "high"})
    assert [two.name_of(a) for a in acts[: RULES.likely(two.position, 0, acts)]] == ["lead 2c"]  # all that may be led
    high = scene(hands, options={"lead_rule": "lowest", "ace": "high"})
    assert {high.name_of(a) for a in high.legal_actions()} == {"lead 3c", "lead 5d"}
    assert named(lower_cards(CARD_NAMES.index("Ac"), ACE_HIGH)) == "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc"
    assert named(lower_cards(CARD_NAMES.index("4c"), ACE_HIGH)) == "2c 3c"
    assert named(lower_cards(CARD_NAMES.index("4c"), 0)) == "Ac 2c 3c"
    assert refused(any_card, "lead 2c", 1) == "CO-19"
    assert refused(dealt(load(3), {}), "lead 2c", 1) == "CO-13"


# ------------------------------------------------------------------------------------------ with a trump


def hearts(*hands: str, **fields: Any) -> State:
    """The variation with a trump, hearts."""
    pool = pools(Pope=5, Matrimony=7, Intrigue=3, Confederacy=2, Game=1)
    return scene(list(hands), turned="2h", options=TRUMP, **{"pool": pool, "stock": "3d", **fields})


@pytest.mark.clause("PJ-50", "PJ-51", "PJ-52", "PJ-49", "CO-22")
def test_pairs_in_one_hand_and_in_two() -> None:
    """The fourth example."""
    state = hearts("Kh Jh 5c 6d", "9h 2s 5s", "Th Qh 8s 9s")
    state.position.player = 1
    do(state, "lead 9h")
    assert (state.current_player, plays(state)) == (0, ["1 9h", "2 Th", "0 Jh"])
    assert {state.name_of(a) for a in state.legal_actions()} == {"lay Kh", "keep"}
    assert refused(state, "lay Qh", 0) == "PJ-52"
    assert refused(state, "lead 5c", 0) == "CO-17"
    do(state, "lay Kh")
    assert gained(state, "Confederacy") == [(0, 2)]
    assert plays(state)[3:] == ["0 Kh", "2 Qh"]
    assert gained(state, "Matrimony") == [(0, 3), (2, 3)]
    assert gained(state, "Intrigue") == [(0, 1), (2, 1)]
    assert (on(state, "Matrimony"), on(state, "Intrigue")) == (1, 1)  # odd counters stay
    assert coins(state) == [2 + 3 + 1, 0, 3 + 1]
    assert told(state, "card_gone") == [("card_gone", 2, CARD_NAMES.index("Kh"), 0)]
    assert state.current_player == 2


@pytest.mark.parametrize(("pope", "options"), [("7d", {}), ("9d", {"remove_8d": "yes"})])
def test_the_pope_is_no_honour_of_trumps(pope: str, options: dict[str, str]) -> None:
    """With diamonds as trumps too, nothing can be laid with it."""
    deal = dealt(load(4, **TRUMP, **options), {0: f"{pope} Kd Qd 2c", 1: "Td" if options else "8d"}, last=("Ad",))
    deal.apply(f"lead {pope}")
    assert deal.position.trumps >> 12 + 13 & 1
    assert deal.position.stage != RULES.LAYING or RULES.CARD_NAMES[deal.position.card] != pope


def steps_of_laying(state: State) -> list[str]:
    """Which honours are offered one after the other, whoever has them; each that can be laid is kept."""
    offered = []
    while state.position.stage == RULES.LAYING:
        assert state.hushed
        offered.append(str(state.observation()["offer"]))
        state.apply("keep" if state.acting else "on")
    return offered


@pytest.mark.clause("PJ-54", "PJ-44")
def test_which_honours_are_offered() -> None:
    """King before Queen before Jack: those that the player may have, as far as everybody knows, and will not come
    to."""
    rest = ["9s 2s", "Ts 8s"]
    for hand, led, options, offered in (
        ("Kh 5c 6d", "Kh", {}, ["Qh", "Jh"]),
        ("Kh Jh 5c 6d", "Kh", {}, ["Qh", "Jh"]),
        ("Qh 5c 6d", "Qh", {}, ["Jh"]),  # the King follows by itself
        ("Jh 5c 6d", "Jh", {}, ["Kh"]),
        ("9h 5c 6d", "9h", {}, []),  # no honour
        ("Ks 5c 6d", "Ks", {}, []),  # of no trump
        ("Kh 5c 6d", "Kh", {"played": {1: "Qh"}}, ["Jh"]),
        ("Kh 5c 6d", "Kh", {"played": {1: "Qh Jh"}}, []),
        ("Kh 5c 6d", "Kh", {"lacks": [cards("Jh"), 0, 0, 0, 0, 0, 0, 0]}, ["Qh"]),
        ("Kh 5c 6d", "Kh", {"lacks": [0, cards("Jh"), 0, 0, 0, 0, 0, 0]}, ["Qh", "Jh"]),
    ):
        lying = {c for c in ("Kh", "Qh", "Jh") if c not in hand + str(options)}
        state = hearts(hand, *rest, **{"stock": " ".join(lying), **options})
        state.apply(f"lead {led}")
        assert steps_of_laying(state) == offered, (hand, led, options)
        mine = [c for c in offered if c in hand]  # a player cannot keep what they do not have
        assert [CARD_NAMES[e.a] for e in state.events(0) if e.event == "keeps"] == mine
        assert told(state, "lays") == []
    turned = scene(["Kh 5c 6d", *rest], "Jh", turned="Qh", options=TRUMP)
    turned.apply("lead Kh")
    assert steps_of_laying(turned) == ["Jh"]  # what is turned up is out


@pytest.mark.clause("PJ-54", "PJ-55", "PJ-50", "CO-17")
def test_where_the_sequence_goes_on_after_laying() -> None:
    """From the card that was reached; and what was kept or laid is told, to its owner alone or to everybody."""
    state = hearts("Jh Kh 5c 6d", "Qh 2s 9s", "Ts 8s")
    state.apply("lead Jh")
    seen, acts = state.observation(0), [0] * state.game.action_count
    assert (seen["asked"], seen["offer"], seen["card"], seen["run"], seen["deal"]) == ([0], "Kh", "Jh", ["Jh"], 0)
    assert [state.name_of(a) for a in acts[: RULES.likely(state.position, 0, acts)]] == ["lay Kh"]
    assert state.silence(0) == state.game.find_action("keep")
    assert all("asked" not in state.observation(p) for p in (EVERYBODY, 1, 2))
    laid, kept = state.clone(), state.clone()
    do(laid, "lay Kh")
    assert told(laid, "lays") == [("lays", 0, CARD_NAMES.index("Kh"), 0)]
    assert gained(laid, "Confederacy") == [(0, 2)]
    assert plays(laid) == ["0 Jh", "0 Kh", "1 Qh"]  # the Queen is asked for, though the King lies there
    assert laid.current_player == 1
    do(kept, "keep")
    assert plays(kept) == ["0 Jh", "1 Qh", "0 Kh"]
    assert [(e.who, e.a) for e in kept.events(0) if e.event == "keeps"] == [(0, CARD_NAMES.index("Kh"))]
    assert not [e for e in kept.events(1) if e.event == "keeps"]
    for over in (laid, kept):
        assert not {"offer", "asked"} & set(over.observation(0))
    assert kept.current_player == 0


@pytest.mark.clause("PJ-53", "PJ-54", "PJ-55", "PJ-52")
def test_laying() -> None:
    state = do(hearts("Kh Qh Jh 5c", "9s 2s", "Ts 8s"), "lead Kh")
    assert "lay Qh" in {state.name_of(a) for a in state.legal_actions()}
    assert refused(state, "lay Jh", 0) == "PJ-54"
    assert refused(state, "lay Qh", 1) == "PJ-52"
    do(state, "keep")
    assert "lay Jh" in {state.name_of(a) for a in state.legal_actions()}
    do(state, "lay Jh")
    assert gained(state, "Confederacy") == [(0, 2)]
    assert told(state, "top_of_suit") == [("top_of_suit", 0, CARD_NAMES.index("Kh"), 0)]  # not the Jack's sequence
    comes = hearts("Jh Qh Kh 5c 6c", "9s 2s", "Ts 8s")
    comes.apply("lead Jh")
    assert comes.current_player == CHANCE
    assert refused(comes, "lay Kh", 0) == "PJ-53"
    do(comes)
    comes = stops.go_round(comes)
    assert plays(comes)[:3] == ["0 Jh", "0 Qh", "0 Kh"]
    assert [e[2] for e in told(comes, "takes")] == [3, 7, 2]
    out = do(hearts("Kh Qh", "9s 2s", "Ts 8s", stock="Jh"), "lead Kh")
    assert out.position.stage == RULES.LAYING
    before = coins(out)
    last, layout.is_last = layout.is_last, lambda s: False
    try:
        RULES.apply(out.position, 0, out.game.find_action("lay Qh"), said := list[Any]())
    finally:
        layout.is_last = last
    assert ("PJ-47", "takes") in [e[:2] for e in said]
    assert (out.position.offer, out.position.asked) == (0, 0)
    assert coins(out)[0] - before[0] == 7 + 1 + 2 + 2  # Matrimony, Game, two cards twice


@pytest.mark.clause("PJ-46", "PJ-47", "PJ-56", "PJ-57", "PJ-48")
def test_settlement_with_a_trump() -> None:
    state = settled(hearts("5c 6d", "7d 2s", "Ts", lead=2, coins=[0] * 8))
    assert coins(state) == [-2, -2 - 5, 4 + 1]
    assert on(state, "Pope") == 10
    both = settled(hearts("Kh Qh 4c", "Jh 2s", "Ts", lead=2))
    assert (on(both, "Matrimony"), on(both, "Intrigue"), on(both, "Confederacy")) == (14, 3, 2)
    assert coins(both) == [-3 - 7, -2, 5 + 1]
    three = settled(hearts("Kh Qh Jh", "3c 2s", "Ts", lead=2))
    assert (on(three, "Matrimony"), on(three, "Intrigue"), on(three, "Confederacy")) == (14, 6, 4)
    pope = do(hearts("7d 6d 4c 5c", "8d 2s 3s", "Ts 5s", stock="9d"), "lead 6d")
    assert gained(pope, "Pope") == [(0, 5)]


@pytest.mark.clause("PJ-58", "PJ-59")
def test_the_limit_of_doublings_with_a_trump() -> None:
    rich = pools(Pope=80, Matrimony=70, Intrigue=9)
    state = settled(hearts("Kh Qh 7d", "3c 2s", "Ts", stock="Jh", lead=2, pool=rich))
    assert (on(state, "Pope"), on(state, "Matrimony"), on(state, "Intrigue")) == (130, 120, 9)
    assert heard(state).count("PJ-58") == 2
    dressing = scene(
        ["Kh Qh 7d", "3c 2s", "Ts"], "Jh", 2, "2h", {**TRUMP, "double_rule": "dressing"}, pool=rich, dressed=15
    )
    settled(dressing)
    assert (on(dressing, "Pope"), on(dressing, "Matrimony")) == (85, 74)
    poor = scene(["Kh Qh 7d", "3c 2s", "Ts"], "Jh", 2, "2h", {**TRUMP, "double_rule": "dressing"}, pool=rich, dressed=6)
    settled(poor)
    assert (on(poor, "Pope"), on(poor, "Matrimony")) == (85, 71)  # no more than was put there
    three = scene(["Kh Qh Jh", "3c 2s", "Ts"], "", 2, "2h", {**TRUMP, "double_rule": "dressing"}, pool=rich, dressed=6)
    settled(three)
    left = on(three, "Matrimony"), on(three, "Intrigue"), on(three, "Confederacy")
    assert left == (71, 9, 0)  # and that is nothing


# ------------------------------------------------------------------------------------------ the classic game


def board(*hands: str, turned: str = "2h", options: Any = None, **fields: Any) -> State:
    pool = pools(Pope=6, Matrimony=5, Intrigue=3, Ace=1, K=2, Q=3, Knave=4, Game=7)
    return scene(
        list(hands), turned=turned, options={**CLASSIC, **(options or {})}, **{"pool": pool, "stock": "3d", **fields}
    )


@pytest.mark.clause("PJ-69", "PJ-67", "PJ-77", "CO-21")
def test_a_turn_up_that_wins() -> None:
    """The fifth example."""
    state = dealt(load(3, **CLASSIC), {}, last=("Qs",))
    assert told(state, "takes") == [("takes", 2, 1, RULES.POOL + POOL["Q"])]
    stop = do(board("Js 5c 6d", "3c 2s", "Ts 4c", turned="Qs"), "lead Js")
    assert told(stop, "card_out") == [("card_out", 0, CARD_NAMES.index("Qs"), 0)]
    assert gained(stop, "Knave") == [(0, 4)]
    for card, pool in (("As", "Ace"), ("Ks", "K"), ("Js", "Knave")):
        assert gained(dealt(load(3, **CLASSIC), {}, last=(card,)), pool) == [(2, 1)]
    assert told(dealt(load(3, **CLASSIC, board="five"), {}, last=("Qs",)), "takes") == []
    two = do(board("Kh 5c 6d", "Qh 2s 3s", "Ts 4c", lead=1, stock="Jh"), "lead Qh")
    assert plays(two) == ["1 Qh", "0 Kh"]
    assert gained(two, "Matrimony") == []
    assert told(two, "stays") == [("stays", 0, 5, RULES.POOL + POOL["Matrimony"])]


@pytest.mark.clause("PJ-70")
def test_the_pope_turned_up() -> None:
    def turned(**options: str) -> State:
        return dealt(load(3, **CLASSIC, **options), {}, last=("9d",))

    usual = turned()
    assert coins(usual) == [48, 48, 48 - 15 + 6]
    assert usual.position.stage == RULES.LEADING
    plus = turned(pope_turned="plus_cards")
    assert coins(plus) == [42, 42, 48 - 15 + 6 + 12]
    nine = CARD_NAMES.index("9d")
    assert told(plus, "takes", "pays_dealer") == [
        ("takes", 2, 6, RULES.POOL + POOL["Pope"]),
        ("pays_dealer", 0, 6, 12),
        ("pays_dealer", 1, 6, 12),
    ]
    assert told(plus, "turns_up") == [("turns_up", 2, nine, 0)]
    eight = dealt(load(8, **CLASSIC, pope_turned="plus_cards"), {}, last=("9d",))
    assert coins(eight) == [48 - 5] * 7 + [48 - 15 + 6 + 7 * 5]  # five cards each, less than six
    for kind, each in (("plus_cards", 3), ("deal_over", 3)):
        poor = dealt(load(3, **CLASSIC, pope_turned=kind, shortfall="cap", start_counters=3), {}, last=("9d",))
        assert told(poor, "pays_dealer") == [("pays_dealer", 0, each, 12), ("pays_dealer", 1, each, 12)]
    queen = dealt(load(3, **CLASSIC, pope_turned="plus_cards"), {}, last=("Qs",))
    assert (coins(queen), told(queen, "pays_dealer")) == ([48, 48, 48 - 15 + 1], [])
    variation = dealt(load(3, **TRUMP), {}, last=("7d",))  # nobody wins anything by a turn-up there
    assert (coins(variation), told(variation, "takes", "pope")) == ([100, 100, 85], [])
    over = turned(pope_turned="deal_over")
    assert [(e.who, e.a) for e in over.events() if e.event == "shows"] == [(0, 12), (1, 12), (2, 12)]
    assert {e.clause for e in over.events() if e.event in ("shows", "unplayed")} == {"PJ-70"}
    assert told(over, "takes") == [
        ("takes", 2, 6, RULES.POOL + POOL["Pope"]),
        ("takes", 2, 1, RULES.POOL + POOL["Game"]),
    ]
    assert (over.observation()["turned"], over.position.stage) == ("none", RULES.DEALING)
    assert [d.returns for d in over.deals] == [(-12.0, -12.0, -15.0 + 6 + 1 + 24)]
    assert told(over, "unplayed") == [("unplayed", 2, 0, 0)]
    assert over.position.dealer == 0


@pytest.mark.clause("PJ-71", "PJ-74", "PJ-75", "PJ-76")
def test_compartments() -> None:
    state = do(board("Jh Qh 5c 6d", "Kh 2s 3s", "Ah 4c 4s"), "lead Jh")
    assert plays(state) == ["0 Jh", "0 Qh", "1 Kh"]
    assert (gained(state, "Knave"), gained(state, "Q"), gained(state, "K")) == ([(0, 4)], [(0, 3)], [(1, 2)])
    assert gained(state, "Intrigue") == [(0, 3)]
    assert gained(state, "Matrimony") == []
    assert state.position.player == 1
    late_queen = board("Kh Qh 5c 6d", "4d 2s 3s", "Ah 4c 4s")
    do(late_queen, "lead Kh", "lead Qh")
    assert gained(late_queen, "Matrimony") == [(0, 5)]
    assert gained(do(board("Ah 5c 6d", "4d 2s", "3c 4s"), "lead Ah"), "Ace") == [(0, 1)]
    five = do(
        board("Kh Qh 5c 6d", "4d 2s 3s", "Ah 4c 4s", options={"board": "five"}, pool=pools(Matrimony=2)),
        "lead Kh",
        "lead Qh",
    )
    assert [e[2] for e in told(five, "takes")] == [2]


def changed_hands(state: State) -> str:
    """By which clause counters have changed hands, and which pool it was."""
    pooled = ("takes", "pope", "takes_half", "stays", "doubles", "doubles_capped")
    found = {
        f"{e.event} {e.clause}" + f" {RULES.CARDS[e.b]}" * (e.event in pooled)
        for e in state.events()
        if e.event in (*pooled, "bonus", "pays", "pays_dealer", "exempt")
    }
    return ", ".join(sorted(found))


def test_by_which_clause_counters_change_hands() -> None:
    """In each version, for each pool; in the run-off and by a turn-up as well."""
    rich, none = pools(Pope=80, Matrimony=70, King=60), pools()
    bonus, divide, deal_over = {"pope_bonus": "yes"}, {"combo": "divide"}, {**CLASSIC, "pope_turned": "deal_over"}

    def foster(*hands: str) -> State:
        return scene(list(hands), "8c", pool=pools(King=4, Pope=5))

    def queen(play_with: Any, *hands: str, **fields: Any) -> State:
        """The Queen of trumps is led, the Jack is in the stock."""
        return stops.go_round(do(play_with(*hands, "3c 7c", stock="3d Jh", **fields), "lead Qh"))

    one, two = ("Qh Kh 4c 6c", "7s 9s"), ("Qh 4c 6c", "Kh 7s 9s")
    for state, said in (
        (do(foster("Kh 2c 4c", "7s 9s", "2d 4d"), "lead Kh"), "takes PJ-31 King"),
        (do(foster("7d 2c 4c", "7s 9s", "2d 4d"), "lead 7d"), "pope PJ-31 Pope"),
        (settled(foster("Kh", "7d 9s", "2d 4d")), "doubles PJ-36 Pope, pays PJ-11, takes PJ-31 King"),
        (settled(scene(["7s", "Kh", "2d"], pool=rich)), "doubles_capped PJ-37 King, pays PJ-11"),
        (do(hearts("7d 2c 4c", "7s 9s", "2d 4d"), "lead 7d"), "pope PJ-46 Pope"),
        (settled(hearts("7s", "Kh Qh", "7d 4d")),
         "doubles PJ-56 Pope, doubles PJ-57 Matrimony, pays PJ-11, takes PJ-47 Game"),
        (settled(hearts("7s", "Kh Qh", "4d", pool=rich)), "doubles_capped PJ-58 Matrimony, pays PJ-11"),
        (queen(hearts, *one), "takes PJ-50 Matrimony"),
        (queen(hearts, *two), "takes_half PJ-51 Matrimony"),
        (queen(hearts, *two, pool=none), ""),  # where nothing lies
        (queen(hearts, *two, pool=pools(Matrimony=1)), ""),  # half of one counter
        (do(board("9d 4c 6c", "7s 9s", "3c", options=bonus), "lead 9d"), "bonus PJ-72, pope PJ-72 Pope"),
        (do(board("Ah 4c 6c", "7s 9s", "3c"), "lead Ah"), "takes PJ-71 Ace"),
        (do(board("Jh Qh 4c 6c", "7s 9s", "3c", stock="3d Kh"), "lead Jh"),
         "takes PJ-71 Knave, takes PJ-71 Queen, takes PJ-75 Intrigue"),
        (queen(board, *one), "takes PJ-71 King, takes PJ-71 Queen, takes PJ-74 Matrimony"),
        (queen(board, *two), "stays PJ-77 Matrimony, takes PJ-71 King, takes PJ-71 Queen"),
        (queen(board, *two, options=divide), "takes PJ-71 King, takes PJ-71 Queen, takes_half PJ-77 Matrimony"),
        (queen(board, *two, pool=none), ""),
        (queen(board, *two, pool=none, options=divide), ""),
        (settled(board("7s", "9d 9s", "3c")), "exempt PJ-73, pays PJ-11, takes PJ-78 Game"),
        (dealt(load(3, **CLASSIC), {}, last=("Qs",)), "takes PJ-69 Queen"),
        (dealt(load(3, **CLASSIC), {}, last=("9d",)), "takes PJ-70 Pope"),
        (dealt(load(3, **deal_over), {}, last=("9d",)), "pays_dealer PJ-70, takes PJ-70 Game, takes PJ-70 Pope"),
        (run_off(pools(King=4), ["Kh"]), "takes PJ-40 King"),
        (run_off(pools(Pope=4, Matrimony=4), ["7d", "Kd", "Qd"], **TRUMP), "takes PJ-60 Matrimony, takes PJ-60 Pope"),
        (run_off(pools(Pope=4, Matrimony=4, Ace=1), ["9d", "Kd", "Ad", "Qd"], **CLASSIC),
         "takes PJ-79 Ace, takes PJ-79 Matrimony, takes PJ-79 Pope"),
    ):  # fmt: skip
        assert changed_hands(state) == said


@pytest.mark.clause("PJ-73", "PJ-78", "PJ-11", "PJ-80", "PJ-86")
def test_the_pope_kept() -> None:
    """The sixth example."""
    state = settled(board("2c 4c 6c", "Ts", "9d 3c 4s 8s 8c", lead=1))
    assert coins(state) == [-3, 3 + 7, 0]
    assert told(state, "exempt") == [("exempt", 2, 0, 0)]
    assert (on(state, "Pope"), on(state, "Game")) == (6, 0)
    played = settled(board("9d", "Ts 4c", "3c 4s 8s", lead=0))
    assert coins(played) == [6 + 7 + 5, -2, -3]


@pytest.mark.clause("PJ-72", "PJ-87")
def test_what_the_pope_brings() -> None:
    state = do(board("9d 5c 6d", "Td 2s 3s", "3c 4s"), "lead 9d")
    assert gained(state, "Pope") == [(0, 6)]
    bonus = do(board("9d 5c 6d", "2s 3s", "3c 4s 8s", options={"pope_bonus": "yes"}), "lead 9d")
    assert told(bonus, "bonus") == [("bonus", 0, 5, 0)]
    assert CARD_NAMES.index("8d") in [c for c in range(52) if NEXT[c] == CARD_NAMES.index("9d")]
    assert RULES.deck(load(3, **CLASSIC).start()) == PACK & ~cards("8d")


@pytest.mark.clause("PJ-68")
def test_the_dealer_looks_at_the_dead_hand() -> None:
    state = dealt(load(3, **CLASSIC, dealer_sees_dead_hand="yes"), {}, last=("5s",))
    assert len(state.observation(2)["stock"]) == 14
    assert "stock" not in state.observation(0)
    assert [e.event for e in state.events(2) if e.event == "sees_dead_hand"] == ["sees_dead_hand"]
    for k in range(5):
        assert state.redeal(2, k).position.stock == state.position.stock
    assert any(state.redeal(0, k).position.stock != state.position.stock for k in range(5))
    nobody = dealt(load(3, **CLASSIC), {}, last=("5s",))
    assert all("stock" not in nobody.observation(p) for p in range(3))
    assert not [e for e in nobody.events(None) if e.event == "sees_dead_hand"]
    assert [e.b for e in state.events(2) if e.event == "sees_dead_hand"] == [state.position.stock]
    assert not [e for p in (EVERYBODY, 0, 1) for e in state.events(p) if e.event == "sees_dead_hand"]


# ------------------------------------------------------------------------------------------ the end of a match


def run_off(pool: list[int], order: list[str], **options: str) -> State:
    """The last deal is settled with this much on the layout; the run-off begins with these cards."""
    state = load(3, rounds=1, **options).new()
    s = state.position
    s.deal, s.pool, s.dealer, s.stage = 3, pool, 2, RULES.SETTLED
    RULES.next_deal(s, said := list[Any]())
    state.ledger.events += [(0, event) for event in said]
    for card in order:
        state.apply(card)
    return state


@pytest.mark.clause("PJ-18", "PJ-19", "PJ-40", "PJ-79")
def test_run_offs() -> None:
    """The last two examples."""
    classic = run_off(pools(Pope=12, Matrimony=5), ["2c", "9d", "3c", "Kd", "4c", "5c", "Qd"], **CLASSIC)
    assert (gained(classic, "Pope"), gained(classic, "Matrimony")) == ([(2, 12)], [(1, 2), (1, 3)])
    assert refused(classic, "lead 2c", 0) == "PJ-18"
    foster = run_off(pools(King=12, Ten=3), ["2c", "Kh", "3c", "4c", "Td"])
    assert (gained(foster, "King"), gained(foster, "Ten")) == ([(2, 12)], [(2, 3)])
    while not foster.is_terminal:
        foster.apply(foster.chance_outcomes()[0][0])
    assert len(told(foster, "falls")) == 52
    assert "PJ-20" in heard(foster)
    for pool, ace in (("Ace", "Ad"), ("K", "Kd"), ("Q", "Qd"), ("Knave", "Jd")):
        assert gained(run_off(pools(**{pool: 4}), [ace], **CLASSIC), pool) == [(1, 4)]


@pytest.mark.clause("PJ-60", "PJ-88")
@pytest.mark.parametrize("order", ["Kd Qd Jd", "Qd Jd Kd", "Jd Kd Qd"])
def test_halves_in_a_run_off(order: str) -> None:
    state = run_off(pools(Matrimony=5, Intrigue=3, Confederacy=7, Pope=2), [*order.split(), "7d"], **TRUMP)
    seat = {card: (1 + i) % 3 for i, card in enumerate(order.split())}
    won = Counter({seat["Kd"]: 2 + 4, seat["Qd"]: 3 + 2, seat["Jd"]: 1 + 3})
    won[(1 + 3) % 3] += 2
    got: Counter[int] = Counter()
    for e in state.events():
        if e.event == "takes":
            got[e.who] += e.a
    assert got == won
    assert not any(state.position.pool)
    before = coins(run_off([0] * 13, [], **TRUMP))
    assert [now - then for now, then in zip(coins(state), before, strict=True)] == [won[p] for p in range(3)]


@pytest.mark.clause("PJ-60", "PJ-79", "PJ-19")
def test_small_pools_in_a_run_off() -> None:
    """Half of one counter is nothing, except to the player who gets the odd one; nothing is paid in addition to the
    pools."""
    for order, pool, expected in (
        ("Kd Qd", "Matrimony", [(2, 1)]),
        ("Qd Kd", "Matrimony", [(1, 1)]),
        ("Jd Qd", "Intrigue", [(2, 1)]),
        ("Qd Jd", "Intrigue", [(1, 1)]),
        ("Jd Kd", "Confederacy", [(2, 1)]),
        ("Kd Jd", "Confederacy", [(1, 1)]),
        ("Kh Qh", "Matrimony", []),  # diamonds are trumps, whatever was turned up before
    ):
        state = run_off(pools(**{pool: 1}), order.split(), **TRUMP)
        assert gained(state, pool) == expected, order
        if expected:
            assert not any(state.position.pool)
    pope = run_off(pools(Pope=5, Game=2, Queen=3), ["9d"], **CLASSIC, pope_bonus="yes")
    assert told(pope, "bonus") == []
    assert gained(pope, "Pope") == [(1, 5)]
    assert pope.observation()["turned"] == "none"
    assert (pope.observation()["dressed"], pope.observation()["stage"]) == (0, "run-off")


@pytest.mark.clause("PJ-17", "PJ-43", "PJ-52", "PJ-54")
def test_what_is_refused() -> None:
    """At each moment, who tries what: the clause that forbids it."""
    turning = {v: dealt(load(3, **o), {}) for v, o in (("trump", TRUMP), ("classic", CLASSIC))}
    leading, laying = hearts("Kh Jh 5c", "9s 2s", "Ts 8s"), hearts("Kh Qh Jh 5c", "9s 2s", "Ts 8s")
    laying.apply("lead Kh")
    second = laying.clone()
    second.apply("keep")
    classic = board("Jh Qh 5c 6d", "Kh 2s 3s", "Ah 4c 4s")
    over = list(play(load(3, deals=1, leftovers="share").new(), 1))[-1]
    for state, act, player, clause in (
        (load(3, **TRUMP).new(), "keep", 0, "PJ-25"),
        (turning["trump"], "keep", 0, "PJ-43"),
        (turning["classic"], "lead 2c", 0, "PJ-66"),
        (leading, "keep", 0, "PJ-54"),
        (leading, "lay Kh", 0, "PJ-52"),
        (leading, "lay 5c", 0, "PJ-52"),
        (leading, "lead 9s", 1, "CO-19"),
        (leading, "lead 9s", 0, "CO-14"),
        (laying, "lay Jh", 0, "PJ-54"),  # the Queen is offered first
        (laying, "lay Kh", 0, "PJ-52"),  # it lies on the table
        (laying, "lay 5c", 0, "PJ-52"),
        (laying, "lay Qh", 1, "PJ-52"),
        (laying, "keep", 1, "PJ-54"),
        (laying, "lead 5c", 0, "CO-17"),
        (second, "lay Qh", 0, "PJ-53"),
        (classic, "lay Kh", 1, "PJ-52"),
        (classic, "keep", 0, "CO-25"),
        (over, "keep", 0, "PJ-17"),
        (over, "lead 2c", 2, "PJ-17"),
    ):
        assert refused(state, act, player) == clause, (act, player)


@pytest.mark.clause("PJ-18", "PJ-20", "PJ-17", "PJ-39")
def test_the_end_of_a_match() -> None:
    for seed in range(3):
        state = list(play(load(3, leftovers="share", rounds=1).new(), seed))[-1]
        assert len(state.deals) == 3
        assert not any(state.position.pool)
        assert sum(state.returns()) == 0
        assert refused(state, "lead 2c", 0) == "PJ-17"
        assert [(e.who, e.b) for e in state.events() if e.event == "ranks"] == list(enumerate(coins(state)))
        assert state.returns() == [c - 100 for c in coins(state)] != [0, 0, 0]
        ended = list(play(load(3, rounds=1).new(), seed))[-1]
        assert len(ended.deals) == 3 + bool(told(ended, "run_off"))
        assert not any(ended.position.pool)
        assert sum(ended.returns()) == 0
    assert len(list(play(load(3, deals=1, leftovers="share").new(), 1))[-1].deals) == 1
    classic = list(play(load(3, rounds=1, **CLASSIC).new(), 1))[-1]
    assert classic.returns() == [c - 48 for c in coins(classic)] != [0, 0, 0]
    assert classic.returns() == [sum(deal.returns[p] for deal in classic.deals) for p in range(3)]


@pytest.mark.clause("PJ-18", "PJ-20")
def test_what_is_left_may_be_shared() -> None:
    """Everybody gets the same, and the last dealer what does not divide; only then are they ranked."""
    options = {"deals": 1, "leftovers": "share"}
    left = pools(Jack=2, Queen=3, King=4, Pope=5)  # 14 counters: four for everybody and two more for seat 2
    state = scene(["Ts", "4c", "3c 6c"], options=options, pool=left, coins=[50, 55, 51, 0], before=[9, 8, 7, 0])
    settled_by_itself(state)
    assert told(state, "shared", "remainder") == [("shared", EVERYBODY, 4, 0), ("remainder", 2, 2, 0)]
    assert coins(state) == [50 + 3 + 4, 55 - 1 + 4, 51 - 2 + 4 + 2]
    assert not any(state.position.pool)
    assert told(state, "ranks") == [("ranks", 0, 2, 57), ("ranks", 1, 1, 58), ("ranks", 2, 3, 55)]
    assert state.is_terminal


@pytest.mark.clause("PJ-16", "PJ-12")
def test_who_cannot_pay() -> None:
    poor = load(3, shortfall="cap", start_counters=8).start()
    assert poor.pool == pools(Ten=1, Jack=2, Queen=3, King=2)
    assert (poor.coins[2], load(3, start_counters=8).start().coins[2]) == (0, -7)
    for shortfall, expected, queen, ten in (("credit", [-2, 5, -3 - 4], 6, 2), ("cap", [0, 3, 0], 4, 2)):
        state = scene(
            ["9h 2s", "Ks", "Qs Td 3s"], "8c", 1, options={"shortfall": shortfall}, pool=pools(Queen=3, Ten=1)
        )
        state.position.coins[2] = 5 if shortfall == "cap" else 0
        settled(state)
        expected = [0, 3, 0] if shortfall == "cap" else expected
        assert coins(state) == expected
        assert (on(state, "Ten"), on(state, "Queen")) == (ten, queen)


@pytest.mark.clause("PJ-83", "PJ-34", "PJ-35")
def test_what_becomes_of_each_card_of_fosters_layout() -> None:
    """In each deal: played and its pool taken, in a hand and its pool doubled, or in the stock and neither."""
    found = Counter[str]()
    for players in range(3, 9):
        seen, taken, doubled, left = set[int](), 0, 0, 0
        for e in list(play(load(players, rounds=1).new(seed=players), 10 * players))[-1].events():
            if e.event in ("leads", "goes_on", "plays"):
                seen.add(e.a)
            elif e.event == "shows":
                left |= e.b
            elif e.event in ("takes", "pope", "doubles", "doubles_capped"):
                card = cards("7d") if e.b - RULES.POOL == POOL["Pope"] else RULES.WINS[e.b - RULES.POOL]
                taken |= card if e.event in ("takes", "pope") else 0
                doubled |= card if e.event.startswith("doubles") else 0
            elif e.event in ("deal_passes", "run_off", "ranks"):
                for name in ("Kh", "Qs", "Jc", "Td", "7d") if left else ():
                    card = cards(name)
                    place = "played" if CARD_NAMES.index(name) in seen else "held" if left & card else "stock"
                    assert (bool(taken & card), bool(doubled & card)) == (place == "played", place == "held")
                    found[place] += 1
                seen, taken, doubled, left = set(), 0, 0, 0
    assert min(found[place] for place in ("played", "held", "stock")) > 3


# ------------------------------------------------------------------------------------------ what nobody must notice


@pytest.mark.clause("PJ-54")
def test_an_honour_kept_is_an_honour_not_held() -> None:
    hands = {0: "Jh Kh 5c", 1: "9s 2s"}
    holder = dealt(load(6, **TRUMP), hands, stock="Qd Qh Ks", last=("4h",))
    full = {p: named(holder.position.hand[p]) for p in range(6)}
    other = dealt(load(6, **TRUMP), {**full, 0: full[0].replace("Kh", "Qd")}, stock="Kh Qh Ks", last=("4h",))
    for state in (holder, other):
        state.apply("lead Jh")
    assert (holder.acting, other.acting) == ((0,), ())
    for step in ("", "keep"):
        if step:
            holder.apply("keep")
            other.apply("on")
        stops.assert_alike(holder, other, (EVERYBODY, 1, 2, 3, 4, 5))
