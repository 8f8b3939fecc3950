"""Pope Joan in its three versions, clause by clause: the examples of the rules, options, refusals, exact figures."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

import parlour
from parlour import EVERYBODY, Game, ParlourError, State
from parlour.core.transcript import told_by_deal
from parlour.engine.definition import definition
from parlour.engine.odds import odds
from parlour.rules.stops import layout
from parlour.rules.stops.position import CARD_NAMES
from tests.games import stops
from tests.games.stops import by_clause, cards, coins, dealt, do, late, named, plays, refused, told
from tests.helpers import names, play, rules_of

RULES = rules_of("pope_joan")
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


def on(state: State, name: str) -> int:
    return int(state.position.pool[POOL[name]])


OF_CARD = ("turns_up", "lays", "keeps", "falls", "turns_jack")
OF_POOL = ("takes", "pope", "takes_half", "stays", "doubles", "doubles_capped")
PAID = (*OF_POOL, "turns_up", "lays", "keeps", "pays", "pays_dealer", "exempt", "bonus", "unplayed")


def in_brief(state: State, *events: str) -> str:
    """Who pays and gets what by which clause; or what is said of these events."""
    found = []
    for e in (e for e in state.events() if e.event in (events or PAID)):
        what = f" {e.a}" if e.a or e.b else ""
        more = f" {RULES.CARDS[e.b]}" if e.event in OF_POOL else f" {e.b}" if e.b else ""
        found.append(f"{e.clause} {e.who} {e.event}{f' {CARD_NAMES[e.a]}' if e.event in OF_CARD else what + more}")
    return ", ".join(found)


def lies_there(state: State) -> str:
    return " ".join(f"{name}={n}" for name, n in zip(POOL, state.position.pool, strict=True) if n)


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
    assert told(state, "deals", "stock") == [("deals", players - 1, each, 0), ("stock", EVERYBODY, dead, 0)]
    assert_everybody_is_told_his_hand(state, "PJ-65")
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


PRIZES = [  # clauses, house rules, what is turned up; the cards of the layout, and those that are out
    ("PJ-22 PJ-23", {}, (), "Jc 7d Td Kh Qs", ""),
    ("PJ-24", {"pope": "9d"}, (), "Jc 9d Td Kh Qs", ""),
    ("PJ-41 PJ-43 PJ-44", TRUMP, ("4h",), "7d Jh Qh Kh", "4h"),
    ("PJ-45", {**TRUMP, "remove_8d": "yes"}, ("4d",), "9d Jd Qd Kd", "4d 8d"),
    ("PJ-63", CLASSIC, ("4h",), "9d Ah Jh Qh Kh", "8d 4h"),
]


@pytest.mark.parametrize(("options", "turned", "prizes", "out"), by_clause(PRIZES))
def test_the_cards_of_the_layout(options: dict[str, str], turned: tuple[str, ...], prizes: str, out: str) -> None:
    s = dealt(load(4, **options), {}, last=turned).position
    assert (named(s.prizes), named(s.out)) == (prizes, out)


@pytest.mark.clause("PJ-15", "PJ-29", "PJ-30", "PJ-62")
def test_a_layout_is_dressed_again() -> None:
    """What lies there stays."""
    again = load(4).start()
    again.pool = pools(Ten=7, Pope=2)
    RULES.next_deal(again, None)
    assert again.pool == pools(Ten=8, Jack=2, Queen=3, King=4, Pope=7)
    assert (again.coins[0], load(4, start_counters=7).start().coins[0]) == (85, 7)


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
        (TRUMP, {3: 15}, pools(Pope=5, Matrimony=4, Intrigue=3, Confederacy=2, Game=1)),
        ({**TRUMP, **poor, "start_counters": 13}, {3: 13}, pools(Pope=5, Matrimony=4, Intrigue=3, Confederacy=1)),
        (CLASSIC, {3: 15}, pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, K=1, Q=1, Knave=1, Game=1)),
        ({**CLASSIC, "board": "five"}, {3: 12}, pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, Game=1)),
        ({**CLASSIC, **poor}, {3: 3}, pools(Pope=3)),
        ({**CLASSIC, "dressing": "all"}, {0: 3, 1: 3, 2: 3, 3: 6},
         pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, K=1, Q=1, Knave=1, Game=1)),
        ({**CLASSIC, **poor, "dressing": "all"}, {0: 3, 1: 3, 2: 3, 3: 3},
         pools(Pope=6, Matrimony=2, Intrigue=2, Ace=1, K=1)),
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


def test_a_match_in_which_pools_would_grow_beyond_all_bounds_is_refused() -> None:
    short: dict[str, Any] = {"double_cap": "none", "rounds": 4}
    for players, match, sentence in (
        (8, {}, "at most 24 deals, not of 32"),
        (5, {"rounds": 5}, r"at most 24 deals, not of 25 \(PJ-37\)"),
        (8, {"deals": 25}, "not of 25"),
    ):
        with pytest.raises(ParlourError, match=sentence):
            load(players, **{**short, **match})
    for fine in ({"double_rule": "dressing"}, {"rounds": 3}, {"deals": 24}):
        assert load(8, **{**short, **fine})
    pool = 0
    for _ in range(RULES.MOST_DEALS):
        pool = 2 * (pool + sum(RULES.DRESSING[: RULES.GAME]))
    assert 2 * pool < 2**31


def test_options_of_another_version_are_refused() -> None:
    for chosen, sentence in (
        ({"pope": "9d", **TRUMP}, "pope=9d is for version=foster, not for version=foster_trump (PJ-24)."),
        ({"remove_8d": "yes"}, "remove_8d=yes is for version=foster_trump, not for version=foster (PJ-45)."),
        ({"double_cap": 60, **CLASSIC}, "double_cap=60 is for version=foster or foster_trump, not for version=classic"),
        ({"board": "five"}, "board=five is for version=classic, not for version=foster (PJ-62)."),
    ):
        with pytest.raises(ParlourError, match=re.escape(sentence)):
            load(3, **chosen)


@pytest.mark.clause("PJ-6", "PJ-8", "CO-20")
def test_where_the_ace_stands() -> None:
    low = do(scene(["Qc Kc 3h", "Ac 4h 4s", "2c 5h 5s"]), "lead Qc")
    assert told(low, "top_of_suit") == [("top_of_suit", 0, CARD_NAMES.index("Kc"), 0)]
    high = do(scene(["Qc Kc 3h", "Ac 4h 4s", "2c 5h 5s"], options={"ace": "high"}), "lead Qc")
    assert plays(high) == ["0 Qc", "0 Kc", "1 Ac"]
    assert told(high, "top_of_suit") == [("top_of_suit", 1, CARD_NAMES.index("Ac"), 0)]


@pytest.mark.clause("PJ-9", "CO-14", "CO-19", "CO-13", "PJ-7")
def test_what_may_be_led() -> None:
    hands = ["Ac 3c 5d 9d", "2c 4h", "6s 7s"]
    any_card = scene(hands)
    assert names(any_card) == {"lead Ac", "lead 3c", "lead 5d", "lead 9d"}
    assert refused(any_card, "lead 4h", 0) == "CO-14"
    assert refused(any_card, "keep", 0) == "CO-25"
    assert refused(any_card, "lay Kh", 0) == "PJ-52"
    lowest = scene(hands, "3d", options={"lead_rule": "lowest"})
    assert names(lowest) == {"lead Ac", "lead 5d"}
    assert refused(lowest, "lead 3c", 0) == "PJ-9"
    do(lowest, "lead 5d")
    assert named(lowest.position.lacks[0]) == "3d 6d"[:2]
    alone = scene(["Ac 5d 9d", *hands[1:]], options={"lead_rule": "lowest", "ace": "high"})
    assert names(alone) == {"lead Ac", "lead 5d"}  # the only card of the suit
    two = scene(["Ac 2c", *hands[1:]], options={"lead_rule": "lowest", "ace": "high"})
    assert stops.considered(two, "likely") == ["lead 2c"]  # all that may be led
    high = scene(hands, options={"lead_rule": "lowest", "ace": "high"})
    assert names(high) == {"lead 3c", "lead 5d"}
    assert named(do(high, "lead 3c").position.lacks[0]) == "2c 4c"  # not the ace
    assert refused(any_card, "lead 2c", 1) == "CO-19"
    assert refused(dealt(load(3), {}), "lead 2c", 1) == "CO-13"


def hearts(*hands: str, options: Any = None, **fields: Any) -> State:
    """The variation with a trump, hearts."""
    pool = pools(Pope=5, Matrimony=7, Intrigue=3, Confederacy=2, Game=1)
    options = {**TRUMP, **(options or {})}
    return scene(list(hands), turned="2h", options=options, **{"pool": pool, "stock": "3d", **fields})


def board(*hands: str, turned: str = "2h", options: Any = None, **fields: Any) -> State:
    pool = pools(Pope=6, Matrimony=5, Intrigue=3, Ace=1, K=2, Q=3, Knave=4, Game=7)
    return scene(
        list(hands), turned=turned, options={**CLASSIC, **(options or {})}, **{"pool": pool, "stock": "3d", **fields}
    )


def steps_of_laying(state: State) -> list[str]:
    """Which honours are offered one after the other, whoever has them; each that can be laid is kept."""
    offered = []
    while state.position.stage == RULES.LAYING:
        assert state.hushed
        offered.append(str(state.observation()["offer"]))
        state.apply("keep" if state.acting else "on")
    return offered


@pytest.mark.parametrize(("pope", "options"), [("7d", {}), ("9d", {"remove_8d": "yes"})])
def test_the_pope_is_no_honour_of_trumps(pope: str, options: dict[str, str]) -> None:
    """With diamonds as trumps too, nothing can be laid with it."""
    deal = dealt(load(4, **TRUMP, **options), {0: f"{pope} Kd Qd 2c", 1: "Td" if options else "8d"}, last=("Ad",))
    deal.apply(f"lead {pope}")
    assert deal.position.trumps >> 12 + 13 & 1
    assert deal.position.stage != RULES.LAYING or RULES.CARD_NAMES[deal.position.card] != pope


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
    seen = state.observation(0)
    assert (seen["asked"], seen["offer"], seen["card"], seen["run"], seen["deal"]) == ([0], "Kh", "Jh", ["Jh"], 0)
    assert stops.considered(state, "likely") == ["lay Kh"]
    assert state.silence(0) == state.game.find_action("keep")
    assert all("asked" not in state.observation(p) for p in (EVERYBODY, 1, 2))
    laid, kept = state.clone(), state.clone()
    do(laid, "lay Kh")
    assert in_brief(laid).startswith("PJ-52 0 lays Kh, PJ-50 0 takes 2 Confederacy, ")
    assert plays(laid) == ["0 Jh", "0 Kh", "1 Qh"]  # the Queen is asked for, though the King lies there
    assert laid.current_player == 1
    do(kept, "keep")
    assert plays(kept) == ["0 Jh", "1 Qh", "0 Kh"]
    assert [(e.who, e.a) for e in kept.events(0) if e.event == "keeps"] == [(0, CARD_NAMES.index("Kh"))]
    assert not [e for e in kept.events(1) if e.event == "keeps"]
    for over in (laid, kept):
        assert not {"offer", "asked"} & set(over.observation(0))
    assert kept.current_player == 0


@pytest.mark.clause("PJ-47", "PJ-55")
def test_who_lays_the_last_card_is_out() -> None:
    out = do(hearts("Kh Qh", "9s 2s", "Ts 8s", stock="Jh"), "lead Kh")
    before = coins(out)
    last, layout.is_last = layout.is_last, lambda s: False
    try:
        RULES.apply(out.position, 0, out.game.find_action("lay Qh"), said := list[Any]())
    finally:
        layout.is_last = last
    assert ("PJ-47", "takes") in [e[:2] for e in said]
    assert (out.position.offer, out.position.asked) == (0, 0)
    assert coins(out)[0] - before[0] == 7 + 1 + 2 + 2  # Matrimony, Game, two cards twice


@pytest.mark.clause("PJ-17", "PJ-43", "PJ-52", "PJ-54")
def test_what_is_refused() -> None:
    """At each moment, who tries what: the clause that forbids it."""
    turning = {v: dealt(load(3, **o), {}) for v, o in (("trump", TRUMP), ("classic", CLASSIC))}
    leading, laying = hearts("Kh Jh 5c", "9s 2s", "Ts 8s"), hearts("Kh Qh Jh 5c", "9s 2s", "Ts 8s")
    laying.apply("lead Kh")
    second = laying.clone()
    second.apply("keep")
    choice = do(hearts("Kh Jh 5c 6d", "9h 2s 5s", "Th Qh 8s 9s", lead=1), "lead 9h")
    assert (choice.current_player, names(choice)) == (0, {"lay Kh", "keep"})
    comes = hearts("Jh Qh Kh 5c 6c", "9s 2s", "Ts 8s")
    comes.apply("lead Jh")  # the King follows by itself
    classic = board("Jh Qh 5c 6d", "Kh 2s 3s", "Ah 4c 4s")
    over = list(play(load(3, deals=1, leftovers="share").new(), 1))[-1]
    stops.assert_refused(load(3, **TRUMP).new(), "keep 0 PJ-25")
    stops.assert_refused(turning["trump"], "keep 0 PJ-43")
    stops.assert_refused(turning["classic"], "lead 2c 0 PJ-66")
    stops.assert_refused(leading, "keep 0 PJ-54, lay Kh 0 PJ-52, lay 5c 0 PJ-52, lead 9s 1 CO-19, lead 9s 0 CO-14")
    stops.assert_refused(
        laying,
        "lay Jh 0 PJ-54, lay Kh 0 PJ-52, lay 5c 0 PJ-52, lay Qh 1 PJ-52, keep 1 PJ-54, lead 5c 0 CO-17",
    )
    stops.assert_refused(second, "lay Qh 0 PJ-53")
    stops.assert_refused(choice, "lay Qh 0 PJ-52, lead 5c 0 CO-17")
    stops.assert_refused(comes, "lay Kh 0 PJ-53")
    stops.assert_refused(run_off(pools(Pope=1), [], **CLASSIC), "lead 2c 0 PJ-18")
    stops.assert_refused(classic, "lay Kh 1 PJ-52, keep 0 CO-25")
    stops.assert_refused(over, "keep 0 PJ-17, lead 2c 2 PJ-17")


RICH = {"stock": "Jc", "lead": 1, "pool": pools(King=60, Ten=1), "dressed": 15}
RICH_TRUMP, DRESSING = pools(Pope=80, Matrimony=70, Intrigue=9), {"double_rule": "dressing"}

OUTCOMES: list[tuple[str, str, str, dict[str, Any], str, str, str]] = [
    # clauses, version, hands, how it stands, what happens; who gets what by which clause; counters, and what lies there
    # Foster's game
    ("PJ-14 PJ-10", "foster", "5c 6c 9h / 7c Kh / Qs Td", {"stock": "8c", "pool": pools(King=4, Queen=3, Ten=1)},
     "settle 5c",
     "PJ-31 1 takes 4 King, PJ-11 2 pays 2 2, PJ-11 0 pays 1 1, PJ-36 2 doubles 1 Ten, PJ-36 2 doubles 3 Queen",
     "-1 7 -6; Ten=2 Queen=6"),
    ("PJ-13 PJ-27 PJ-32 PJ-33 PJ-38", "foster", "5c 9h / 7s / 7d 2d",
     {"stock": "Jc", "lead": 1, "pool": pools(Jack=2, Pope=3)}, "settle",
     "PJ-11 2 pays 2 2, PJ-11 0 pays 2 2, PJ-36 2 doubles 3 Pope", "-2 4 -5; Jack=2 Pope=6"),
    ("", "foster", "Kh / 7s / 2d Td", {**RICH, "options": {"double_cap": 1}}, "settle",
     "PJ-11 2 pays 2 2, PJ-11 0 pays 1 1, PJ-36 2 doubles 1 Ten, PJ-37 0 doubles_capped 1 King",
     "-2 3 -3; Ten=2 King=61"),
    ("", "foster", "Kh / 7s / 2d Td", {**RICH, "options": {"double_cap": 60}}, "settle",
     "PJ-11 2 pays 2 2, PJ-11 0 pays 1 1, PJ-36 2 doubles 1 Ten, PJ-36 0 doubles 60 King", "-61 3 -3; Ten=2 King=120"),
    ("PJ-16", "foster", "9h 2s / Ks / Qs Td 3s", {"stock": "8c", "lead": 1, "pool": pools(Queen=3, Ten=1)}, "settle",
     "PJ-11 2 pays 3 3, PJ-11 0 pays 2 2, PJ-36 2 doubles 1 Ten, PJ-36 2 doubles 3 Queen", "-2 5 -7; Ten=2 Queen=6"),
    ("PJ-12", "foster", "9h 2s / Ks / Qs Td 3s",
     {"stock": "8c", "lead": 1, "pool": pools(Queen=3, Ten=1), "options": {"shortfall": "cap"}, "coins": [0, 0, 5,
     0, 0, 0, 0, 0]}, "settle", "PJ-11 2 pays 3 3, PJ-36 2 doubles 1 Ten, PJ-36 2 doubles 1 Queen",
     "0 3 0; Ten=2 Queen=4"),
    # with a trump
    ("PJ-49", "trump", "Kh Jh 5c 6d / 9h 2s 5s / Th Qh 8s 9s", {"lead": 1}, "lead 9h, lay Kh",
     "PJ-52 0 lays Kh, PJ-50 0 takes 2 Confederacy, PJ-51 0 takes_half 3 Matrimony, PJ-51 2 takes_half 3 Matrimony, "
     "PJ-51 0 takes_half 1 Intrigue, PJ-51 2 takes_half 1 Intrigue", "6 0 4; Pope=5 Matrimony=1 Intrigue=1 Game=1"),
    ("PJ-48", "trump", "Kh Qh 4c / Jh 2s / Ts", {"lead": 2}, "settle",
     "PJ-47 2 takes 1 Game, PJ-11 0 pays 3 3, PJ-11 1 pays 2 2, PJ-57 0 doubles 7 Matrimony",
     "-10 -2 6; Pope=5 Matrimony=14 Intrigue=3 Confederacy=2"),
    ("", "trump", "7d 6d 4c 5c / 8d 2s 3s / Ts 5s", {"stock": "9d"}, "lead 6d", "PJ-46 0 pope 5 Pope",
     "5 0 0; Matrimony=7 Intrigue=3 Confederacy=2 Game=1"),
    ("PJ-59", "trump", "Kh Qh 7d / 3c 2s / Ts", {"stock": "Jh", "lead": 2, "pool": RICH_TRUMP}, "settle",
     "PJ-11 0 pays 3 3, PJ-11 1 pays 2 2, PJ-58 0 doubles_capped 50 Pope, PJ-58 0 doubles_capped 50 Matrimony",
     "-103 -2 5; Pope=130 Matrimony=120 Intrigue=9"),
    ("", "trump", "Kh Qh Jh / 3c 2s / Ts", {"lead": 2, "pool": RICH_TRUMP, "dressed": 6, "options": DRESSING},
     "settle", "PJ-11 0 pays 3 3, PJ-11 1 pays 2 2, PJ-57 0 doubles 1 Matrimony",
     "-4 -2 5; Pope=80 Matrimony=71 Intrigue=9"),
    ("", "trump", "Qh 4c 6c / Kh 7s 9s / 3c 7c", {"stock": "3d Jh", "pool": pools(Matrimony=1)}, "lead Qh, go round",
     "", "0 0 0; Matrimony=1"),
    ("PJ-55", "trump", "Kh Qh Jh 5c / 9s 2s / Ts 8s", {}, "lead Kh, keep, lay Jh",
     "PJ-52 0 lays Jh, PJ-50 0 takes 2 Confederacy", "2 0 0; Pope=5 Matrimony=7 Intrigue=3 Game=1"),
    # the classic game
    ("PJ-67", "classic", "Js 5c 6d / 3c 2s / Ts 4c", {"turned": "Qs"}, "lead Js", "PJ-71 0 takes 4 Knave",
     "4 0 0; Pope=6 Matrimony=5 Intrigue=3 Ace=1 K=2 Q=3 Game=7"),
    ("", "classic", "Kh 5c 6d / Qh 2s 3s / Ts 4c", {"lead": 1, "stock": "Jh"}, "lead Qh",
     "PJ-71 1 takes 3 Queen, PJ-71 0 takes 2 King, PJ-77 0 stays 5 Matrimony",
     "2 3 0; Pope=6 Matrimony=5 Intrigue=3 Ace=1 Knave=4 Game=7"),
    ("PJ-76", "classic", "Jh Qh 5c 6d / Kh 2s 3s / Ah 4c 4s", {}, "lead Jh",
     "PJ-71 0 takes 4 Knave, PJ-71 0 takes 3 Queen, PJ-75 0 takes 3 Intrigue, PJ-71 1 takes 2 King, "
     "PJ-77 1 stays 5 Matrimony", "10 2 0; Pope=6 Matrimony=5 Ace=1 Game=7"),
    ("", "classic", "Kh Qh 5c 6d / 4d 2s 3s / Ah 4c 4s", {"options": {"board": "five"}, "pool": pools(Matrimony=2)},
     "lead Kh, lead Qh", "PJ-74 0 takes 2 Matrimony", "2 0 0"),
    ("PJ-80 PJ-86", "classic", "2c 4c 6c / Ts / 9d 3c 4s 8s 8c", {"lead": 1}, "settle",
     "PJ-78 1 takes 7 Game, PJ-73 2 exempt, PJ-11 0 pays 3 3",
     "-3 10 0; Pope=6 Matrimony=5 Intrigue=3 Ace=1 K=2 Q=3 Knave=4"),
    ("PJ-87", "classic", "9d 5c 6d / Td 2s 3s / 3c 4s", {}, "lead 9d", "PJ-72 0 pope 6 Pope",
     "6 0 0; Matrimony=5 Intrigue=3 Ace=1 K=2 Q=3 Knave=4 Game=7"),
    ("", "classic", "9d 5c 6d / 2s 3s / 3c 4s 8s", {"options": {"pope_bonus": "yes"}}, "lead 9d",
     "PJ-72 0 pope 6 Pope, PJ-72 0 bonus 5", "11 -2 -3; Matrimony=5 Intrigue=3 Ace=1 K=2 Q=3 Knave=4 Game=7"),
    ("", "classic", "Qh 4c 6c / Kh 7s 9s / 3c 7c", {"stock": "3d Jh", "options": {"combo": "divide"}},
     "lead Qh, go round",
     "PJ-71 0 takes 3 Queen, PJ-71 1 takes 2 King, PJ-77 0 takes_half 2 Matrimony, PJ-77 1 takes_half 2 Matrimony",
     "5 4 0; Pope=6 Matrimony=1 Intrigue=3 Ace=1 Knave=4 Game=7"),
]  # fmt: skip


@pytest.mark.parametrize(("version", "hands", "stands", "acts", "paid", "after"), by_clause(OUTCOMES))
def test_who_gets_what(version: str, hands: str, stands: dict[str, Any], acts: str, paid: str, after: str) -> None:
    each = hands.split(" / ")
    state = (
        {"trump": hearts, "classic": board}[version](*each, **stands) if version != "foster" else scene(each, **stands)
    )
    for act in acts.split(", "):
        what, _, card = act.partition(" ")
        if what == "settle":
            settled(state, CARD_NAMES.index(card) if card else -1)
        else:
            stops.go_round(state) if act == "go round" else do(state, act)
    assert in_brief(state) == paid
    assert "; ".join(filter(None, (" ".join(map(str, coins(state))), lies_there(state)))) == after


POOR = {"shortfall": "cap", "start_counters": 3}
TURNED: list[tuple[dict[str, Any], int, str, str, str]] = [
    # house rules, players, the card that is turned up; by which clause who gets what; what the deal has brought
    (CLASSIC, 3, "As", "PJ-66 2 turns_up As, PJ-69 2 takes 1 Ace", "0 0 -14"),
    (CLASSIC, 3, "Js", "PJ-66 2 turns_up Js, PJ-69 2 takes 1 Knave", "0 0 -14"),
    ({**CLASSIC, "board": "five"}, 3, "Qs", "PJ-66 2 turns_up Qs", "0 0 -12"),
    (CLASSIC, 3, "9d", "PJ-66 2 turns_up 9d, PJ-70 2 takes 6 Pope", "0 0 -9"),
    ({**CLASSIC, "pope_turned": "plus_cards"}, 3, "9d",
     "PJ-66 2 turns_up 9d, PJ-70 2 takes 6 Pope, PJ-70 0 pays_dealer 6 12, PJ-70 1 pays_dealer 6 12", "-6 -6 3"),
    # five cards each, less than six
    ({**CLASSIC, "pope_turned": "deal_over", **POOR}, 3, "9d",
     "PJ-66 2 turns_up 9d, PJ-70 2 takes 3 Pope, PJ-70 0 pays_dealer 3 12, PJ-70 1 pays_dealer 3 12, PJ-70 2 unplayed",
     "-3 -3 6"),
    ({**CLASSIC, "pope_turned": "deal_over"}, 3, "9d",
     "PJ-66 2 turns_up 9d, PJ-70 2 takes 6 Pope, PJ-70 0 pays_dealer 12 12, PJ-70 1 pays_dealer 12 12, "
     "PJ-70 2 takes 1 Game, PJ-70 2 unplayed", "-12 -12 16"),
    # nobody wins anything by a turn-up there
    (TRUMP, 3, "7d", "PJ-43 2 turns_up 7d", "0 0 -15"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "players", "card", "paid", "brought"), TURNED)
def test_a_card_that_is_turned_up(options: dict[str, Any], players: int, card: str, paid: str, brought: str) -> None:
    state = dealt(load(players, **options), {}, last=(card,))
    assert in_brief(state) == paid
    over = "unplayed" in paid
    before, shown = state.position.before[0], [(e.who, e.a, e.clause) for e in state.events() if e.event == "shows"]
    so_far = state.deals[0].returns if over else [n - before for n in coins(state)]
    assert " ".join(f"{n:.0f}" for n in so_far) == brought
    assert shown == [(p, 12, "PJ-70") for p in range(3) if over]
    assert (state.observation()["turned"], state.position.stage) == (
        ("none", RULES.DEALING) if over else (card, RULES.LEADING)
    )
    assert state.position.dealer == (0 if over else players - 1)


@pytest.mark.clause("PJ-68")
def test_the_dealer_looks_at_the_dead_hand() -> None:
    state = dealt(load(3, **CLASSIC, dealer_sees_dead_hand="yes"), {}, last=("5s",))
    assert len(state.observation(2)["stock"]) == 14
    assert "stock" not in state.observation(0)
    assert [e.b for e in state.events(2) if e.event == "sees_dead_hand"] == [state.position.stock]
    for k in range(5):
        assert state.redeal(2, k).position.stock == state.position.stock
    assert any(state.redeal(0, k).position.stock != state.position.stock for k in range(5))
    nobody = dealt(load(3, **CLASSIC), {}, last=("5s",))
    assert all("stock" not in nobody.observation(p) for p in range(3))
    assert not [e for e in nobody.events(None) if e.event == "sees_dead_hand"]
    assert not [e for p in (EVERYBODY, 0, 1) for e in state.events(p) if e.event == "sees_dead_hand"]


def run_off(pool: list[int], order: list[str], **options: str) -> State:
    """The last deal is settled with this much on the layout; the run-off begins with these cards."""
    state = load(3, rounds=1, **options).new()
    s = state.position
    s.deal, s.pool, s.dealer, s.stage = 3, pool[:], 2, RULES.SETTLED
    RULES.next_deal(s, said := list[Any]())
    state.ledger.events += [(0, event) for event in said]
    for card in order:
        state.apply(card)
    return state


ALL_PAIRS = pools(Matrimony=5, Intrigue=3, Confederacy=7, Pope=2)
RUN_OFFS: list[tuple[str, dict[str, Any], list[int], str, str, str]] = [
    # clauses, house rules, what lies there, cards; who takes what by which clause, and what then lies there
    ("PJ-88", CLASSIC, pools(Pope=12, Matrimony=5), "2c 9d 3c Kd 4c 5c Qd",
     "PJ-79 2 takes 12 Pope, PJ-79 1 takes 2 Matrimony, PJ-79 1 takes 3 Matrimony", ""),
    ("", {}, pools(King=12, Ten=3), "2c Kh 3c 4c Td", "PJ-40 2 takes 12 King, PJ-40 2 takes 3 Ten", ""),
    ("", CLASSIC, pools(Knave=4), "Jd", "PJ-79 1 takes 4 Knave", ""),
    ("PJ-88", TRUMP, ALL_PAIRS, "Qd Jd Kd 7d",
     "PJ-60 1 takes 3 Matrimony, PJ-60 1 takes 2 Intrigue, PJ-60 2 takes 1 Intrigue, PJ-60 2 takes 3 Confederacy, "
     "PJ-60 0 takes 2 Matrimony, PJ-60 0 takes 4 Confederacy, PJ-60 1 takes 2 Pope", ""),
    ("PJ-88", TRUMP, ALL_PAIRS, "Jd Kd Qd 7d",
     "PJ-60 1 takes 1 Intrigue, PJ-60 1 takes 3 Confederacy, PJ-60 2 takes 2 Matrimony, PJ-60 2 takes 4 Confederacy, "
     "PJ-60 0 takes 3 Matrimony, PJ-60 0 takes 2 Intrigue, PJ-60 1 takes 2 Pope", ""),
    # half of one counter is nothing, except to the player who gets the odd one
    ("", TRUMP, pools(Matrimony=1), "Kd Qd", "PJ-60 2 takes 1 Matrimony", ""),
    ("", TRUMP, pools(Confederacy=1), "Jd Kd", "PJ-60 2 takes 1 Confederacy", ""),
    ("", TRUMP, pools(Confederacy=1), "Kd Jd", "PJ-60 1 takes 1 Confederacy", ""),
    # diamonds are trumps, whatever was turned up before; there is no bonus
    ("", TRUMP, pools(Matrimony=1), "Kh Qh", "", "Matrimony=1"),
    ("", {**CLASSIC, "pope_bonus": "yes"}, pools(Pope=5, Game=2, Queen=3), "9d", "PJ-79 1 takes 5 Pope",
     "Queen=3 Game=2"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "pool", "cards_up", "taken", "left"), by_clause(RUN_OFFS))
def test_run_offs(options: dict[str, Any], pool: list[int], cards_up: str, taken: str, left: str) -> None:
    state = run_off(pool, cards_up.split(), **options)
    assert in_brief(state) == taken
    assert lies_there(state) == left
    assert sum(coins(state)) == sum(coins(run_off(pool, [], **options))) + sum(pool) - sum(state.position.pool)
    seen = state.observation()
    assert (seen["dressed"], seen["stage"], seen.get("turned", "none")) == (0, "run-off", "none")


@pytest.mark.clause("PJ-18", "PJ-20", "PJ-17", "PJ-39")
def test_the_end_of_a_match() -> None:
    for options, start in (({"leftovers": "share"}, 100), ({}, 100), (CLASSIC, 48)):
        state = list(play(load(3, rounds=1, **options).new(), 1))[-1]
        assert len(state.deals) == 3 + bool(told(state, "run_off"))
        assert not any(state.position.pool)
        assert refused(state, "lead 2c", 0) == "PJ-17"
        assert [(e.who, e.b) for e in state.events() if e.event == "ranks"] == list(enumerate(coins(state)))
        assert state.returns() == [c - start for c in coins(state)] != [0, 0, 0]
        assert state.returns() == [sum(deal.returns[p] for deal in state.deals) for p in range(3)]
        assert sum(state.returns()) == 0
    assert len(list(play(load(3, deals=1, leftovers="share").new(), 1))[-1].deals) == 1


@pytest.mark.clause("PJ-18", "PJ-20")
def test_what_is_left_may_be_shared() -> None:
    """Everybody gets the same, and the last dealer what does not divide; only then are they ranked."""
    options = {"deals": 1, "leftovers": "share"}
    left = pools(Jack=2, Queen=3, King=4, Pope=5)  # 14 counters: four for everybody and two more for seat 2
    state = scene(["Ts", "4c", "3c 6c"], options=options, pool=left, coins=[50, 55, 51, 0], before=[9, 8, 7, 0])
    RULES.go_on(state.position, said := list[Any]())
    state.ledger.events += [(0, event) for event in said]
    assert told(state, "shared", "remainder") == [("shared", EVERYBODY, 4, 0), ("remainder", 2, 2, 0)]
    assert coins(state) == [50 + 3 + 4, 55 - 1 + 4, 51 - 2 + 4 + 2]
    assert not any(state.position.pool)
    assert told(state, "ranks") == [("ranks", 0, 2, 57), ("ranks", 1, 1, 58), ("ranks", 2, 3, 55)]
    assert state.is_terminal


@pytest.mark.clause("PJ-83", "PJ-34", "PJ-35")
def test_what_becomes_of_each_card_of_fosters_layout() -> None:
    """In each deal: played and its pool taken, in a hand and its pool doubled, or in the stock and neither."""
    found = Counter[str]()
    for players in range(3, 9):
        state = list(play(load(players, rounds=1).new(seed=players), 10 * players))[-1]
        for deal in told_by_deal(state, None):
            seen = sum(1 << e.a for e in deal if e.event in ("leads", "goes_on", "plays"))
            left = sum(e.b for e in deal if e.event == "shows")
            taken = {e.b - RULES.POOL for e in deal if e.event in ("takes", "pope")}
            doubled = {e.b - RULES.POOL for e in deal if e.event in ("doubles", "doubles_capped")}
            for pool, name in enumerate(("Td", "Jc", "Qs", "Kh", "7d")) if left else ():
                place = "played" if seen & cards(name) else "held" if left & cards(name) else "stock"
                assert (pool in taken, pool in doubled) == (place == "played", place == "held")
                found[place] += 1
    assert min(found[place] for place in ("played", "held", "stock")) > 3
