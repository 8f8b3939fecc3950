"""Commit, clause by clause: the examples of the rules, options, refusals, exact figures, what nobody must notice."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

import parlour
from parlour import CHANCE, EVERYBODY, Game, State
from parlour.engine.definition import definition
from parlour.engine.odds import odds
from parlour.rules.stops.position import ACES, CARD_NAMES, NEXT
from tests.games import stops
from tests.games.stops import assert_refused, cards, coins, dealt, do, heard, late, plays, refused, told
from tests.helpers import play, rules_of

RULES = rules_of("commit")
INVARIANTS: Any = definition("commit").part("invariants")
COMET = cards("9d")


def load(players: int = 4, **options: str | int) -> Game:
    return stops.load("commit", players, **options)


@pytest.mark.clause("CO-1", "CO-2", "CO-3", "CO-4", "CO-42")
def test_the_pack() -> None:
    assert len(stops.named(RULES.DECK).split()) == 51
    assert "8d" not in stops.named(RULES.DECK).split()
    for c, name in enumerate(CARD_NAMES):
        n = NEXT[c]
        assert (n == -1) == (name[0] == "K")
        if n >= 0:
            assert CARD_NAMES[n] == "A23456789TJQK"["A23456789TJQK".index(name[0]) + 1] + name[1]
    assert CARD_NAMES[RULES.COMET] == "9d"
    assert [CARD_NAMES[c] for c in range(52) if NEXT[c] == RULES.COMET] == ["8d"]


@pytest.mark.clause("CO-5", "CO-10", "CO-54", "CO-8")
@pytest.mark.parametrize(
    ("players", "usual", "literal"), [(2, 24, 25), (3, 16, 17), (4, 12, 12), (5, 9, 9), (6, 8, 8), (7, 6, 7), (8, 6, 6)]
)
def test_how_many_cards(players: int, usual: int, literal: int) -> None:
    assert (definition("commit").players[0], definition("commit").players[-1]) == (2, 8)
    for table, cards_each in (("three_stops", usual), ("literal", literal)):
        state = dealt(load(players, deal_table=table), {})
        s = state.position
        assert [hand.bit_count() for hand in s.hand[:players]] == [cards_each] * players
        over = 51 - players * cards_each
        assert s.stock.bit_count() == over
        assert [e[2] for e in told(state, "stock")] == [over] * (over > 0)
        assert state.observation()["held"] == [cards_each] * players
        assert coins(state) == [99] * players
        assert s.pool == players
    end = list(play(load(players).new(), 3))[-1]
    assert heard(end).count("CO-7") == 2 * players - 1
    assert len(end.deals) == 2 * players


@pytest.mark.clause("CO-6", "CO-9", "CO-13")
def test_the_draw_for_the_first_deal() -> None:
    """Each card lies there until it is known who deals; those who tie draw from the whole pack, without the others."""
    state = parlour.load("commit", 4).new()
    assert refused(state, "lead 2c", 0) == "CO-6"
    seats, drawn = [0, 1, 2, 3, 1, 3, 1, 3], ["5c", "2h", "9d", "2c", "Kc", "Kd", "2c", "Ac"]
    for n, (seat, card) in enumerate(zip(seats, drawn, strict=True)):
        begun = max(k for k in (0, 4, 6) if k <= n)
        seen = state.observation()
        assert (seen["player"], len(state.chance_outcomes())) == (seat, 51 - (n - begun))
        assert [cards_up[0] for cards_up in seen.get("played", []) if cards_up] == drawn[begun:n]
        assert state.redeal(0, 1).chance_outcomes() == state.chance_outcomes()
        assert INVARIANTS.check(state.position) == ""
        state.apply(card)
    assert told(state, "draws") == [("draws", p, CARD_NAMES.index(c), 0) for p, c in zip(seats, drawn, strict=True)]
    assert told(state, "draw_again") == [("draw_again", EVERYBODY, 2, 0)] * 2
    assert told(state, "deals_first", "deals") == [("deals_first", 3, 0, 0), ("deals", 3, 12, 0)]
    assert refused(state, "pass", 0) == "CO-9"
    while state.current_player == CHANCE:
        state.apply(state.chance_outcomes()[0][0])
    assert state.current_player == 0  # on the dealer's left
    assert [e.who for e in state.events() if e.event == "stakes"] == [0, 1, 2, 3]
    assert load(4, first_dealer=1).start().dealer == 1


@pytest.mark.clause("CO-8", "CO-57")
def test_what_everybody_pays_into_the_pool() -> None:
    """The stake, or what the player has of it where nobody may owe; it is added to what is there."""
    for options, paid in (
        ({}, [1] * 3),
        ({"pool_stake": 4}, [4] * 3),
        ({"pool_stake": 4, "shortfall": "cap"}, [3] * 3),
    ):
        state = load(3, start_counters=3, **options).new()
        assert told(state, "stakes") == [("stakes", p, n, 0) for p, n in enumerate(paid)]
        assert (coins(state), state.observation()["pool"]) == ([3 - n for n in paid], sum(paid))
    state = late(load(3, pool_stake=2), ["2h 5h", "2c 7s", "4d 9s"], "3h", pool=6)
    do(state, "lead 2h")
    assert state.position.pool == 6  # of the next deal


@pytest.mark.clause("CO-15", "CO-16", "CO-17", "CO-18", "CO-19")
def test_sequence_and_silent_stop() -> None:
    state = late(load(3), ["5c 6c 9h", "7c Kh", "Qs 2d"], "8c", pool=3)
    do(state, "lead 5c")  # B then leads the last card without being asked
    assert plays(state) == ["0 5c", "0 6c", "1 7c", "1 Kh"]
    seven, eight = CARD_NAMES.index("7c"), CARD_NAMES.index("8c")
    said = [("fails", 0, seven, 0), ("fails", 1, eight, 0), ("lacks", 2, eight, 0), ("lacks", 0, eight, 0)]
    assert told(state, "fails", "lacks", "silent_stop") == [*said, ("silent_stop", 1, eight, 0)]
    assert {"CO-26", "CO-43", "CO-27", "CO-28", "CO-48"} <= set(heard(state))
    assert told(state, "takes_pool") == [("takes_pool", 1, 3, 0)]
    assert stops.brought(state) == [-2, 4, -2]  # with the stakes of before


@pytest.mark.clause("CO-51", "CO-52", "CO-61")
def test_the_end_of_a_deal() -> None:
    hands, clauses = ["Ks Kd 2c 3c", "2h", "4c 5c 6c", "9d"], ["CO-26", "CO-14", "CO-27", "CO-28"]
    for options, gains in (({}, [-4, 8, 4, -4]), ({"king_penalty": "winner"}, [-2, 8, 0, -2])):
        state = late(load(4, **options), hands, "3h", lead=1, pool=4, before=[100] * 8, coins=[99] * 8)
        RULES.go_on(state.position, said := list[Any]())
        assert [e[0] for e in said][:4] == clauses
        assert [n - 99 for n in coins(state)] == gains
        paid = [(e[0], e[1], e[3], e[5] or e[4]) for e in said if e[1].startswith("pays")]
        assert options or paid == [("CO-50", "pays_comet", 3, 6), ("CO-49", "pays_kings", 0, 6)]


@pytest.mark.clause("CO-20", "CO-22", "CO-23", "CO-25", "CO-14")
def test_open_stops_and_leads() -> None:
    state = late(load(3), ["Qc Kc 2h 5d", "7d 3h 4s", "6d 4h 5s"], "9d")
    do(state, "lead Qc")
    assert plays(state) == ["0 Qc", "0 Kc"]
    assert told(state, "top_of_suit") == [("top_of_suit", 0, CARD_NAMES.index("Kc"), 0)]
    assert told(state, "fails", "lacks") == []  # at an open stop nobody is asked
    assert refused(state, "pass", 0) == "CO-25"
    assert refused(state, "lead 3h", 0) == "CO-14"
    assert refused(state, "lead 3h", 1) == "CO-19"
    gone = late(load(3), ["2c 2h 5d", "7d 3h 4s", "6d 4h 5s"], "9d", played={1: "3c"})
    assert told(do(gone, "lead 2c"), "card_gone", "fails") == [("card_gone", 0, CARD_NAMES.index("3c"), 0)]
    assert refused(dealt(load(3), {}), "lead 2c", 1) == "CO-13"


@pytest.mark.clause("CO-26", "CO-27")
@pytest.mark.parametrize("card", ["Ac", "Ah", "2c", "Kc", "Ks", "9d"])
def test_the_last_card_is_led_by_itself(card: str) -> None:
    state = do(late(load(3, deals=1), [f"5h {card}", "3c 7s", "4d 9s"], "6h Td"), "lead 5h")
    assert told(state, "last_card") == [("last_card", 0, 0, 0)]
    assert plays(state) == ["0 5h", f"0 {card}"]
    assert told(state, "out") == [("out", 0, 0, 0)]


@pytest.mark.clause("CO-24", "CO-29", "CO-62", "CO-56", "CO-38")
def test_what_always_holds() -> None:
    """Replayed from the events alone: who holds the next card plays it, aces are led, somebody is always out."""
    for players in (2, 3, 5, 8):
        state = list(play(load(players, comet_self="yes" if players == 3 else "no").new(), players))[-1]
        hands: dict[int, int] = {}
        last, deals = -1, 0
        for e in state.events(None):
            if e.event == "dealt":
                hands[e.who], last = e.b, -1
            elif e.event in ("leads", "goes_on", "plays", "continues", "comet"):
                card = RULES.COMET if e.event == "comet" else e.a
                assert hands[e.who] >> card & 1
                if e.event == "leads":
                    assert last < 0 or NEXT[last] < 0 or not any(hand >> NEXT[last] & 1 for hand in hands.values())
                else:
                    assert not ACES >> card & 1
                if e.event in ("goes_on", "plays"):
                    assert card == NEXT[last]
                hands[e.who] &= ~(1 << card)
                last = card
            elif e.event == "out":
                assert hands[e.who] == 0
                deals += 1
            elif e.event == "shows":
                assert hands[e.who] == e.b
        assert deals == 2 * players
        assert state.position.pool == 0


PAYMENTS = [  # hands, house rules, acts; who is paid how much for which card, and what is played
    ("Ah 5s 7s / 2c 7h / 4d 9s", "2h 4h Td", "lead Ah", "0 2 Ah", "0 Ah"),
    ("Kh 5s 7s / 2c 7h / 4d 9s", "2h 4h Td", "lead Kh", "0 2 Kh", "0 Kh"),
    ("9d 5s 7s / 2c 7h / 4d 9s", "2h 4h Td", "lead 9d", "0 4 9d", "0 9d"),
    ("Qh 5s 7s / Kh 2c 7h / 4d 9s", "2h", "lead Qh", "1 2 Kh", "0 Qh, 1 Kh"),  # reached
    ("9d 2h / Td 3s 3d / 4d 5s", "6s", "lead 9d", "0 4 9d", "0 9d, 1 Td"),  # the next card as usual
    ("4s 2h / 9d 2c 3c / 3h 4h / 5s Td Jd 4c 5c", "6s Qd", "lead 4s, comet, take Td", "1 6 9d",
     "0 4s, 1 9d, 3 Td, 3 Jd"),  # the five of spades is not looked for any more
    ("5d 2h / 6d 3c 4c 7d / 9d 3h / Td Jd", "", "lead 5d", "", "0 5d, 1 6d, 1 7d"),  # the eight is in no hand
]  # fmt: skip


@pytest.mark.clause("CO-38", "CO-46", "CO-47")
@pytest.mark.parametrize(("hands", "stock", "acts", "payment", "played"), PAYMENTS)
def test_payments(hands: str, stock: str, acts: str, payment: str, played: str) -> None:
    """Each of the others pays 1 for an ace that is led and for a king, 2 for the nine of diamonds."""
    each = hands.split(" / ")
    state = late(load(len(each)), each, stock)
    before = coins(state)
    do(state, *acts.split(", "))
    said = [f"{who} {n} {CARD_NAMES[c]}" for _, who, n, c in told(state, "paid")]
    assert (", ".join(said), ", ".join(plays(state))) == (payment, played)
    if said:
        who, n = int(payment[0]), int(payment[2])
        share = n // (len(each) - 1)
        assert [now - then for now, then in zip(coins(state), before, strict=True)] == [
            n if p == who else -share for p in range(len(each))
        ]


@pytest.mark.clause("CO-27", "CO-40", "CO-48")
def test_who_is_out_with_the_comet() -> None:
    """Led, it is paid for first; in answer, nothing is looked for any more."""
    last = late(load(3), ["9d", "2c 7s", "4d 9s"], "Td", pool=3)
    RULES.go_on(last.position, said := list[Any]())
    assert [e[0] for e in said if e[0] in ("CO-45", "CO-27", "CO-48")] == ["CO-45", "CO-27", "CO-48"]
    out = do(late(load(3), ["2h 5s", "9d", "4d 9s"], "3h Td", pool=3), "lead 2h", "comet")
    assert told(out, "takes_pool")[0][:3] == ("takes_pool", 1, 3)
    assert out.position.wanted == 0
    assert refused(late(load(3), ["9d 2h", "3c 4c", "5c 6c"]), "comet", 0) == "CO-40"


@pytest.mark.clause("CO-25", "CO-30", "CO-31", "CO-37", "CO-40")
def test_what_is_refused() -> None:
    """At each moment, who tries what: the clause that forbids it."""
    leading = late(load(4), ["2h 5h", "2c 9d", "4d 9s", "6c 9c"])
    asking = four_of_spades(0, comet=2, five=3)
    choosing = four_of_spades(0, comet=2, five=3, ten=3)
    choosing.apply("comet")
    over = list(play(load(2, deals=1).new(), 1))[-1]
    assert_refused(
        leading,
        "pass 0 CO-25, comet 0 CO-40, pass 1 CO-31, comet 1 CO-41, comet 2 CO-30, take 2h 0 CO-37, "
        "take Ac 1 CO-37, lead 2c 1 CO-19",
    )
    assert_refused(asking, "lead 9d 2 CO-17, lead 7c 0 CO-17, take 5s 3 CO-37, pass 1 CO-31")
    assert_refused(choosing, "pass 3 CO-31, comet 3 CO-30, take 9s 3 CO-37, take Td 2 CO-37, lead Td 3 CO-17")
    assert_refused(over, "pass 0 CO-55, take Ac 1 CO-55")


@pytest.mark.clause("CO-31", "CO-37")
def test_who_is_told_of_a_choice() -> None:
    """The card that is asked for is public, who could do something about it is not."""
    asking, choosing = four_of_spades(0, comet=2, five=3), four_of_spades(0, comet=2, five=3, ten=3)
    choosing.apply("comet")
    for state, seat, stage in ((asking, 2, "question"), (choosing, 3, "two cards")):
        for p in (EVERYBODY, 0, 1, 2, 3):
            seen = state.observation(p)
            assert (seen["stage"], seen["wanted"]) == (stage, "5s")
            assert seen.get("asked") == ([seat] if p == seat else None)
    for state in (do(asking, "pass"), do(choosing, "take Td")):
        assert not {"wanted", "asked"} & {*state.observation(2), *state.observation(3)}  # it is over
    said = [(e.event, e.who, e.a) for e in (*asking.events(2), *choosing.events(3)) if e.event in ("keeps", "chooses")]
    assert said == [("keeps", 2, 0), ("chooses", 3, CARD_NAMES.index("Td"))]
    for state, others in ((asking, (EVERYBODY, 0, 1, 3)), (choosing, (EVERYBODY, 0, 1, 2))):
        assert not {"keeps", "chooses"} & {e.event for p in others for e in state.events(p)}


STOCK, PLAYED = 4, 5  # where a card is that none of four players holds


def four_of_spades(leader: int, *, comet: int, five: int, ten: int = STOCK, comet_self: str = "no") -> State:
    """``leader`` has led 4s and cannot go on; where the comet and the two cards are that may follow it."""
    hands = ["2c 7c", "2h 7h", "2d 7d", "9s Js"]
    hands[leader] += " 4s"
    stock, played = "", {}
    for card, place in (("9d", comet), ("5s", five), ("Td", ten)):
        if place == PLAYED:
            played = {0: card}
        elif place == STOCK:
            stock += " " + card
        else:
            hands[place] += " " + card
    state = late(load(4, comet_self=comet_self), hands, stock, leader, played=played)
    state.apply("lead 4s")
    return state


def others_from(p: int) -> list[int]:
    """The others, clockwise from the left of ``p``."""
    return [(p + k) % 4 for k in (1, 2, 3)]


@pytest.mark.clause("CO-30", "CO-32", "CO-16")
@pytest.mark.parametrize("comet_self", ["no", "yes"])
def test_who_may_put_the_comet_on_a_sequence(comet_self: str) -> None:
    """Whoever holds it and is asked before the missing card is found: on their own sequence only with the option."""
    for leader, comet, five in itertools.product(range(4), range(5), range(5)):
        if five == leader:
            continue
        state = four_of_spades(leader, comet=comet, five=five, comet_self=comet_self)
        asked = [leader] * (comet_self == "yes") + others_from(leader)
        asked = asked[: asked.index(five)] if five in asked else asked
        assert state.hushed
        assert state.acting == ((comet,) if comet in asked else ()), (leader, comet, five)
        if comet in asked:
            assert {state.name_of(a) for a in state.legal_actions()} == {"comet", "pass"}
            assert state.silence(comet) == state.game.find_action("pass")
            assert refused(state, "comet", (comet + 1) % 4) == "CO-30"
        elif comet != STOCK:
            assert refused(state, "comet", comet) == {leader: "CO-33", five: "CO-32"}.get(comet, "CO-30")


@pytest.mark.clause("CO-30", "CO-18", "CO-16")
def test_what_is_said_before_the_comet() -> None:
    """A player who was asked before has said that they lack the card; one who was not asked has said nothing."""
    five = CARD_NAMES.index("5s")
    for leader, comet, asked in ((3, 1, [0]), (0, 1, []), (2, 1, [3, 0])):
        state = four_of_spades(leader, comet=comet, five=STOCK, ten=comet)
        first = [("reaches", comet, five, 0)] if asked else []
        told_first = {p: [e for e in state.events(p) if e.event == "reaches"] for p in range(4)}
        assert [(e.event, e.who, e.a, e.b) for e in told_first.pop(comet)] == first
        assert not any(told_first.values())  # nobody else is told that somebody has the comet, or who
        state.apply("comet")
        assert told(state, "fails", "lacks", "comet") == [
            ("fails", leader, five, 0),
            *(("lacks", p, five, 0) for p in asked),
            ("comet", comet, five, 0),
        ]
        assert state.position.stage == RULES.CHOOSING
        said = {p for p in range(4) if state.position.lacks[p] >> five & 1}
        assert said == {leader, comet, *asked}
        own = four_of_spades(leader, comet=leader, five=STOCK, ten=comet, comet_self="yes")
        own.apply("comet")
        assert {p for p in range(4) if own.position.lacks[p] >> five & 1} == {leader}


@pytest.mark.clause("CO-34", "CO-35", "CO-36", "CO-37", "CO-39")
def test_who_continues_after_the_comet() -> None:
    """Round the table from the left of the comet's player, who comes last: the first who has one of the two cards,
    wherever they are.  The ten counts only if it has not been played."""
    met: Counter[str] = Counter()
    five, ten = CARD_NAMES.index("5s"), CARD_NAMES.index("Td")
    for leader, comet, *where in itertools.product(range(4), range(4), range(5), range(6)):
        before = [leader, *others_from(leader)]
        if where[0] in before[: before.index(comet) + 1]:
            continue
        state = four_of_spades(leader, comet=comet, five=where[0], ten=where[1], comet_self="yes")
        state.apply("comet")
        order, either = [*others_from(comet), comet], where[1] != PLAYED
        first = next((p for p in order if p in where), None)
        holds = [c for c, place in zip(("5s", "Td"), where, strict=True) if place == first]
        assert told(state, "either") == ([("either", EVERYBODY, five, ten)] if either else [])
        assert state.hushed == either
        if first is not None and len(holds) == 2:
            met["choice"] += 1
            assert (state.acting, state.silence(first)) == ((first,), state.game.find_action("take 5s"))
            for card in holds:
                assert plays(do(state.clone(), f"take {card}"))[-1] == f"{first} {card}"
            continue
        assert state.acting == (() if either else (comet if first is None else first,))
        stops.go_round(state)
        silent = order if first is None else order[: order.index(first)]
        assert told(state, "has_neither") == [("has_neither", p, five, ten) for p in silent if either]
        said = {p for p in range(4) if state.position.lacks[p] & cards("5s Td") == cards("5s Td")}
        assert {*silent} - {comet} <= said <= {leader, *silent} if either else said <= {leader, *silent}
        ended = [(e.clause, e.event, e.who) for e in state.events() if e.event in ("continues", "unanswered")]
        assert ended == [("CO-39", "unanswered", comet) if first is None else ("CO-36", "continues", first)]
        met["nobody" if first is None else "the same" if first == comet else "another"] += 1
        assert plays(state)[-1] == (f"{comet} 9d" if first is None else f"{first} {holds[0]}")
        assert state.current_player == (comet if first is None else first)
    assert min(met[kind] for kind in ("choice", "nobody", "the same", "another")) > 5


@pytest.mark.clause("CO-57", "CO-46", "CO-53")
def test_who_cannot_pay() -> None:
    hands = ["Kh 2h 7d", "2c 7s", "4d 9s", "Ks Kc Kd"]
    for shortfall, expected in (("credit", [3, -1, 0, 0]), ("cap", [2, 0, 0, 0])):
        state = late(load(4, shortfall=shortfall), hands, "Td", coins=[0, 0, 1, 1, 0, 0, 0, 0])
        assert coins(do(state, "lead Kh")) == expected
    for shortfall, expected in (("credit", [3, 3, 3, -7]), ("cap", [2, 0, 0, 0])):  # three Kings left in a hand
        state = late(load(4, shortfall=shortfall), ["2h", *hands[1:]], "Td", coins=[0, 0, 0, 2, 0, 0, 0, 0], pool=0)
        RULES.go_on(state.position, None)
        assert coins(state) == expected
    poor = load(4, shortfall="cap", start_counters=0).start()
    assert (poor.pool, poor.coins[:4]) == (0, [0, 0, 0, 0])
    assert load(4, start_counters=0, pool_stake=7).start().coins[:4] == [-7] * 4


@pytest.mark.clause("CO-58", "CO-55", "CO-60")
def test_the_end_of_a_match() -> None:
    state = list(play(load(3, rounds=1).new(), 5))[-1]
    assert len(state.deals) == 3
    assert [(e.who, e.b) for e in state.events() if e.event == "ranks"] == list(enumerate(coins(state)))
    assert state.returns() == [c - 100 for c in coins(state)]
    assert sum(state.returns()) == 0
    assert refused(state, "lead 2c", 0) == "CO-55"
    assert any(hand for hand in state.observation()["hand"])  # all other hands lie open


@pytest.mark.clause("CO-49", "CO-50", "CO-57")
@pytest.mark.parametrize("payer", range(4))
def test_who_is_paid_first_for_kings_and_comet(payer: int) -> None:
    """A player with too few counters pays clockwise from their left, each in full until nothing is left; whoever is
    out."""
    for winner, (has, kings, comet) in itertools.product(
        others_from(payer), ((9, [2, 2, 2], [2, 1, 0]), (5, [2, 2, 1], [0, 0, 0]), (1, [1, 0, 0], [0, 0, 0]))
    ):
        hands, accounts = ["2c 7c", "2h 7h", "2d 7d", "9s Js"], [50] * 4
        hands[winner], hands[payer], accounts[payer] = "5h", "Kc Ks 9d", has
        state = late(load(4, shortfall="cap", deals=1), hands, "3h", winner, coins=accounts, pool=8)
        RULES.go_on(state.position, said := list[Any]())
        paid = [(e[1], e[3], e[4], e[5]) for e in said if e[1] in ("pays_kings", "pays_comet")]
        told_of = [("pays_kings", payer, 2, sum(kings)), ("pays_comet", payer, sum(comet), 0)]
        assert paid == told_of[: 1 + any(comet)]  # nothing is said of what is not paid
        for p, king, nine in zip(others_from(payer), kings, comet, strict=True):
            assert state.position.coins[p] == 50 + king + nine + 8 * (p == winner)
        assert state.position.coins[payer] == has - sum(kings) - sum(comet)


def test_a_lapsed_card_is_with_somebody_who_was_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ten answers the comet: a player who has said that they lack the five still lacks it, the others may hold
    it."""
    small = stops.with_deck("commit", monkeypatch, DECK=cards("4s 5s 6s 9d Td Jd 4h 5h 7c Kh 8c 2h 3h"), LEFT_OVER=1)
    game = Game(small, 3, {"first_dealer": 2, "deals": 1})
    state = dealt(game, {0: "4s 4h 7c 2h", 1: "9d 5h Kh 3h", 2: "Td Jd 5s 8c"}, stock="6s")
    do(state, "lead 4s", "comet", "take Td")
    five = CARD_NAMES.index("5s")
    assert [state.position.lacks[p] >> five & 1 for p in range(3)] == [1, 1, 0]
    for p in range(3):
        stops.agrees_with_enumeration(state, p, 600)
    holders = Counter(state.redeal(0, k).position.hand[2] >> five & 1 for k in range(300))
    assert 0 < holders[1] < 300


@pytest.mark.parametrize("players", range(2, 9))
def test_odds_before_the_deal(players: int) -> None:
    (table,) = odds(load(players).new().view())
    stock = {2: 3, 3: 3, 4: 3, 5: 6, 6: 3, 7: 9, 8: 3}[players]
    assert [row.chances[0] for row in table.rows] == [Fraction(stock, 51), Fraction(51 - stock, 51 * players)]
