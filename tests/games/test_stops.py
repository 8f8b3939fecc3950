"""What Commit, Newmarket and Pope Joan have in common: clauses of what is said, worlds, odds, drawings, lengths."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

import parlour
from parlour import Game, ParlourError, State
from parlour.audit.statistics import chi_square, tail
from parlour.engine.odds import OddsTable, odds
from parlour.rules.stops.hidden import deal_hidden, fill_stock
from parlour.rules.stops.position import CARD_NAMES, NEXT, PACK
from tests.games.stops import Story, agrees_with_enumeration, cards, load, with_deck
from tests.helpers import Survey, play

STRICT = 1e-6
TRUMP, CLASSIC = {"version": "foster_trump"}, {"version": "classic"}

PLAY = {
    "eldest": "CO-13", "leads": "CO-14", "goes_on": "CO-15", "fails": "CO-16", "plays": "CO-17", "lacks": "CO-18",
    "silent_stop": "CO-19", "top_of_suit": "CO-20", "card_gone": "CO-22", "last_card": "CO-26", "out": "CO-27",
    "shows": "CO-28",
}  # fmt: skip
POOLS = {
    "turns_jack": "PJ-2", "deals_first": "PJ-2", "deal_passes": "PJ-4", "deals": "PJ-5", "pays": "PJ-11",
    "run_off": "PJ-18", "shared": "PJ-18", "remainder": "PJ-18", "falls": "PJ-19", "ranks": "PJ-20",
}  # fmt: skip
CLAUSES = {
    "commit": {
        **PLAY, "draws": "CO-6", "draw_again": "CO-6", "deals_first": "CO-6", "deal_passes": "CO-7", "stakes": "CO-8",
        "deals": "CO-9", "stock": "CO-11", "dealt": "CO-12", "reaches": "CO-18", "card_out": "CO-21", "comet": "CO-30",
        "keeps": "CO-31", "either": "CO-34", "has_neither": "CO-35", "continues": "CO-36", "chooses": "CO-37",
        "unanswered": "CO-39", "paid K": "CO-43", "paid A": "CO-44", "paid 9": "CO-45", "takes_pool": "CO-48",
        "pays_kings": "CO-49", "pays_comet": "CO-50", "ranks": "CO-58",
    },
    "newmarket": {
        **PLAY, **POOLS, "dealt": "PJ-25", "stock": "PJ-26", "takes": "PJ-31", "takes at the end": "PJ-19",
        "names": "PJ-92", "lays": "PJ-92", "stakes": "PJ-97",
    },
    "pope_joan": {
        **PLAY, **POOLS, "dealt": "PJ-25 PJ-65", "stock": "PJ-26 PJ-68", "dresses": "PJ-28 PJ-42 PJ-64",
        "turns_up": "PJ-43 PJ-66", "lays": "PJ-52", "keeps": "PJ-54", "sees_dead_hand": "PJ-68", "exempt": "PJ-73",
        "card_out": "CO-21",
    },
}  # fmt: skip
MATCHES: dict[str, list[dict[str, Any]]] = {
    "commit": [{}],
    "newmarket": [{}, {"leftovers": "share"}, {"stakes": "saratoga", "leftovers": "share", "lead_rule": "any"}],
    "pope_joan": [{"leftovers": "share"}, TRUMP, {**CLASSIC, "dealer_sees_dead_hand": "yes"}],
}


@pytest.mark.parametrize("game", CLAUSES)
def test_the_clause_of_everything_that_is_said(game: str) -> None:
    """What changes hands at Pope Joan has a test of its own."""
    said: set[tuple[str, str]] = set()
    for options in MATCHES[game]:
        for players, seed in itertools.product((2, 3, 4, 8) if game == "commit" else (3, 4, 8), range(4)):
            state = list(play(parlour.load(game, players, rounds=1, **options).new(seed), seed))[-1]
            run_off = False
            for e in state.events(None):
                run_off |= e.event == "run_off"
                more = (
                    f" {CARD_NAMES[e.b][0]}" if e.event == "paid" else " at the end" * (e.event == "takes" and run_off)
                )
                said.add((e.event + more, e.clause))
    wanted = {(event, clause) for event, clauses in CLAUSES[game].items() for clause in clauses.split()}
    assert {one for one in said if game != "pope_joan" or one[0] in CLAUSES[game]} == wanted


TEN: dict[str, dict[str, Any]] = {
    "commit": {"DECK": cards("4s 5s 6s 9d Td Jd 4h 5h 7c Kh"), "LEFT_OVER": 1},
    "newmarket": {"DECK": cards("4s 5s 6s 9d Td Jd 4h 5h 7c Kc"), "DEALT": (9,) * 9},
    "pope_joan": {"DECK": cards("5d 6d 7d 8d Td Jh Qh Kh 4c 5c"), "DEALT": (8,) * 27},
}
"""So few cards that all deals can be counted: three players with three each, or two."""
SEVEN = {**TEN["pope_joan"], "DEALT": (7,) * 27}
ONE_DEAL = {"first_dealer": 2, "deals": 1}
SHARE = {"leftovers": "share"}


@pytest.mark.parametrize(
    ("game", "few", "options", "stages"),
    [
        ("commit", TEN["commit"], {"comet_self": "yes"}, {"lead", "question", "two cards"}),
        ("newmarket", TEN["newmarket"], {"stakes": "saratoga"}, {"lead"}),
        ("pope_joan", TEN["pope_joan"], {**SHARE, **TRUMP}, {"lead", "laying"}),
    ],
)
def test_worlds_are_those_of_exact_enumeration(
    game: str, few: dict[str, Any], options: dict[str, str], stages: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At moments of every kind, with and without something that is known to be lacked; for those asked and others.  The
    audit looks at all house rules."""
    small = Game(with_deck(game, monkeypatch, **few), 3, {**ONE_DEAL, **options})
    choose, met, several = random.Random(4), Counter[tuple[str, bool]](), 0
    for seed in range(100):
        state = small.new(seed=seed)
        while not state.is_terminal:
            s = state.position
            kind = state.observation()["stage"], any(lack & ~s.gone for lack in s.lacks[:3])
            if s.gone and met[kind] < 2:
                met[kind] += 1
                several += max(agrees_with_enumeration(state, p, 250) for p in range(3)) > 3
            state.apply(choose.choice(state.legal_actions()))
    assert {stage for stage, _ in met} == stages
    assert met["lead", True] == met["lead", False] == 2 <= several


@pytest.mark.parametrize("lacks", [(0b11, 0, 0), (0b11, 0b11, 0), (0b111, 0b110, 0b1001), (0b111, 0b111, 0b11000)])
@pytest.mark.parametrize(("each", "few"), [(1, 6), (2, 7)])
def test_every_deal_in_which_nobody_gets_what_they_lack_is_equally_likely(
    lacks: tuple[int, int, int], each: int, few: int
) -> None:
    """Where one card that is lacked lies matters to where the next one may: counted out for so few cards."""
    possible = set[tuple[int, ...]]()
    for places in itertools.product(range(4), repeat=few):
        hands = [sum(1 << c for c, place in enumerate(places) if place == q) for q in range(4)]
        if all(hand.bit_count() == each and not hand & lack for hand, lack in zip(hands, lacks, strict=False)):
            possible.add(tuple(hands))
    start, found, draws = parlour.load("commit", 3).blank(), Counter[tuple[int, ...]](), 6_000
    start.out, start.dealt, start.lacks[:3] = PACK & ~((1 << few) - 1), 3 * each, lacks
    for seed in range(1, draws + 1):
        s = start.copy()
        fill_stock(s)
        deal_hidden(s, [seed])
        found[*s.hand[:3], s.stock] += 1
    assert set(found) == possible
    assert tail(*chi_square(dict.fromkeys(possible, Fraction(1, len(possible))), found, draws)) > STRICT


@pytest.mark.clause("CO-63", "CO-19")
@pytest.mark.parametrize(
    ("game", "few", "options"),
    [
        ("commit", TEN["commit"], {}),
        ("pope_joan", SEVEN, {**SHARE, "ace": "high"}),
        ("pope_joan", SEVEN, {**SHARE, **CLASSIC, "dealer_sees_dead_hand": "yes"}),
    ],
)
def test_odds_are_those_of_exact_enumeration(
    game: str, few: dict[str, Any], options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a card lies, and whether a lead comes back, counted out over all worlds that the player holds possible."""
    small = Game(with_deck(game, monkeypatch, **few), 3, {**ONE_DEAL, **options})
    choose, met = random.Random(8), Counter[str]()
    for seed in range(30 if game == "commit" else 8):
        state = small.new(seed=seed)
        while not state.is_terminal:
            stage = state.observation()["stage"]
            for p in range(3) if stage == "question" else state.acting if stage in ("lead", "two cards") else ():
                at = [*small.definition.fields].index("stock")
                stocks = [(world[at], weight) for world, weight in Story(state, p).worlds().items()]
                for table in odds_of(state, p):
                    for row in table.rows:
                        if table.head[1] == "nothing follows":
                            met["leads"] += 1
                            back = sum(w for stock, w in stocks if leads_again(state, row.label, p, stock))
                            met["between"] += 0 < back < 1
                            assert row.chances[1] == back
                        elif game == "commit" and row.label in CARD_NAMES:
                            met["cards"] += 1
                            c = CARD_NAMES.index(row.label)
                            assert row.chances[1] == sum(w for stock, w in stocks if stock >> c & 1)
            state.apply(choose.choice(state.legal_actions()))
    assert met["leads"] > 10
    assert met["between"] or "dealer_sees_dead_hand" in options
    assert met["cards"] > 3 or game != "commit"


def odds_of(state: State, player: int) -> list[OddsTable]:
    try:
        return odds(state.view(player))
    except ParlourError:  # nothing is hidden from this player any longer
        return []


def leads_again(state: State, card: str, player: int, stock: int) -> bool:
    """Whether the player of ``card`` has also the last card of its sequence."""
    s = state.position
    last = c = CARD_NAMES.index(card)
    while (c := NEXT[52 * getattr(s, "ace", 0) + c]) >= 0 and not (s.gone | s.out | stock) >> c & 1:
        last = c
    return card == CARD_NAMES[last] or bool(s.hand[player] >> last & 1)


MEAN_LEADS = {3: 13.61, 4: 10.82, 5: 10.32, 6: 8.52, 7: 7.35, 8: 6.76}
MEAN_LEFT = {3: 7.25, 4: 9.85, 5: 13.78, 6: 15.86, 7: 18.46, 8: 21.42}


@pytest.mark.parametrize(
    ("game", "players"), [("pope_joan", 3), ("pope_joan", 5), *(("newmarket", n) for n in (3, 4, 6, 7, 8))]
)
def test_the_length_of_random_deals(game: str, players: int) -> None:
    """The figures of the rules of Foster's game, from 40,000 deals of another program (standard errors below 0.016 and
    0.032); Newmarket with any card led is played alike, and with the lowest card led its sequences are longer."""
    deals, more = 20_000, {"deals": "1", **SHARE}
    usual = {"stakes": "saratoga"} if game == "newmarket" else {}
    fired = Survey(load(game, players, lead_rule="any", **more, **usual), deals).fired()
    assert fired["CO-14"] / deals == pytest.approx(MEAN_LEADS[players], abs=0.1)
    played = (fired["CO-14"] + fired["CO-15"] + fired["CO-17"]) / deals
    each = {3: 15, 4: 12, 5: 9, 6: 8, 7: 7, 8: 6}[players]
    assert players * each - played == pytest.approx(MEAN_LEFT[players], abs=0.2)
    if game == "newmarket":
        assert Survey(load(game, players, **more, **usual), deals).fired()["CO-14"] / deals < MEAN_LEADS[players] - 0.5
