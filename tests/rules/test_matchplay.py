"""Matches: deals under one record, what they bring, who deals, who leaves, and what stays in the pot."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import parlour
from parlour import CHANCE, Deal, ParlourError, State
from parlour.core.transcript import told_by_deal
from parlour.engine.definition import definition
from parlour.rules.matchplay import after, before, deals_over, gains, most, odd_coins, pay, place, share_out
from tests.helpers import play


def sampler(players: int = 3, **options: Any) -> State:
    """A state of the sampler that deals what `do` is given."""
    return parlour.load("sampler", players, **options).new()


def do(state: State, cards: str, *acts: str) -> State:
    """Deal these cards, then do these acts; bets are those of all who bet, in order of seats."""
    for card in cards.split():
        state.apply({"c": "comet", "b": "blue", "r": "red"}[card])
    for act in acts:
        if state.current_player == CHANCE and state.hushed:  # nobody holds the comet
            state.apply("nobody")
        if act.startswith("bets"):
            for player, coins in zip(state.acting, act.split()[1:], strict=True):
                state.apply(f"bet {coins}", player)
        else:
            state.apply(act)
    return state


# ------------------------------------------------------------------------------------------ the plain functions


def test_the_next_and_the_one_before_in_any_set_of_seats() -> None:
    for members, p in itertools.product(range(1, 1 << 5), range(5)):
        seats = [q for q in range(5) if members >> q & 1]
        assert after(members, p) == next(q % 5 for q in range(p + 1, p + 6) if q % 5 in seats)
        assert before(members, p) == next(q % 5 for q in range(p + 4, p - 1, -1) if q % 5 in seats)


def test_sharing_out_loses_nothing() -> None:
    for members, coins in itertools.product(range(1, 1 << 4), range(9)):
        account = [0, 10, 20, 30]
        odd = share_out(account, members, coins)
        assert 0 <= odd < members.bit_count()
        odd_coins(account, members, 4, 1, odd)
        assert sum(account) == 60 + coins
        gained = [(now - was, p) for p, (now, was) in enumerate(zip(account, [0, 10, 20, 30], strict=True))]
        among = [gained[p][0] for p in (2, 3, 0, 1) if members >> p & 1]
        assert among == sorted(among, reverse=True)  # the odd ones to the first after seat 1
        assert max(among) - min(among) <= 1


def test_ranking_paying_and_gains() -> None:
    held = [4, 9, 4, 9, 2]
    assert [place(held, 0b11111, p) for p in range(5)] == [3, 1, 3, 1, 5]
    assert [place(held, 0b10101, p) for p in (0, 2, 4)] == [1, 1, 3]
    assert most(held, 0b11111) == 0b01010
    assert most(held, 0b10101) == 0b00101
    account = [5, -2, 5]
    assert (pay(account, 0, 3, True), pay(account, 1, 3, True), pay(account, 2, 9, False)) == (3, 0, 9)
    assert account == [2, -2, -4]
    out = [0.0] * 3
    gains(account, [5, -2, 5], 3, out)
    assert out == [-3.0, 0.0, -9.0]


@pytest.mark.parametrize(("deals", "by_rules", "last"), [(0, 3, 3), (0, 0, None), (1, 3, 1), (5, 3, 3), (2, 0, 2)])
def test_the_last_deal(deals: int, by_rules: int, last: int | None) -> None:
    s = sampler().position
    s.deals = deals
    over = []
    for s.deal in range(1, 9):
        over.append(deals_over(s, by_rules))
    assert over == [last is not None and n >= last for n in range(1, 9)]


# ------------------------------------------------------------------------------------------ a match, deal by deal


def test_the_deals_of_a_match_are_listed() -> None:
    state = do(sampler(first=2), "b r c", "bets 1 1 2", "use")
    assert state.deals == [Deal(2, (-1.0, -1.0, 2.0), 7, len(state.events(None)) - 1)]
    assert [len(told) for told in told_by_deal(state, None)] == [len(state.events(None)) - 1, 1]
    do(state, "r c b", "bets 1 2 2", "pass", "show", "deny", "show")
    assert (state.is_terminal, state.returns()) == (True, [3.0, -3.0, 0.0])
    assert [(deal.dealer, deal.returns) for deal in state.deals[1:]] == [(0, (4.0, -2.0, -2.0))]
    assert [deal.steps for deal in state.deals] == [7, len(state.history)]
    assert state.at(9).deals == state.deals[:1]
    copy = state.clone()
    copy.deals.clear()
    assert len(state.deals) == 2


@pytest.mark.parametrize(("game", "players"), [("sampler", 4), ("diamondback", 4)])
def test_what_the_deals_bring_is_what_the_match_brings(game: str, players: int) -> None:
    for seed in range(5):
        *_, state = play(parlour.load(game, players).new(), seed)
        assert [
            sum(brought) for brought in zip(*(deal.returns for deal in state.deals), strict=True)
        ] == state.returns()


def test_one_deal_is_a_match_of_its_own() -> None:
    state = do(sampler(deals=1), "b r c", "bets 1 1 2", "use")
    assert state.is_terminal
    assert state.returns() == [*state.deals[0].returns] == [-1.0, -1.0, 2.0]


def test_the_end_of_a_match_that_is_no_deal_is_not_listed() -> None:
    """Players who vote for the end after a hand play no further one."""
    state = parlour.load("diamondback", version="match", first_dealer=0).new(seed=3)
    state.apply("fold")
    assert len(state.deals) == 1
    state.apply("end")
    state.apply("end")
    assert (state.is_terminal, len(state.deals)) == (True, 1)


def test_a_step_may_settle_several_deals() -> None:
    """After a tie seat 1 has no coins and cannot pay the ante of the next hand, so it is over before it begins."""
    state = parlour.load(
        "diamondback", 2, version="dealers", start_coins=3, short_stack="fold", min_second_wagers=0, first_dealer=0
    ).new()
    acts = ("wager 1", "match", "expose Queen", "expose Queen", "stop")
    for step in ("ante 1", "Queen", "Queen", "King", "King", *acts):
        state.apply(step)
    assert [(deal.returns, deal.steps) for deal in state.deals] == [((-2, -3), 10), ((5, 0), 10)]
    assert state.returns() == [3.0, -3.0]
    first, second, rest = told_by_deal(state, since=9)
    assert [first[-1].event, second[0].event, rest] == ["deals_next", "antes", []]
    last = "deal 2 returns: 5 0   # dealt by Seat 0\nreturns: 3 -3\n"
    assert state.record().endswith("deal 1 returns: -2 -3   # dealt by Seat 0\n\n# deal 2\n" + last)
    assert parlour.replay(state.record()).deals == state.deals


def test_rules_with_deals_derive_from_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    kuhn = definition("kuhn")
    monkeypatch.setattr(kuhn.modules[0], "next_deal", lambda s, to: None, raising=False)
    kuhn.__dict__.pop("has_deals", None)
    with pytest.raises(ParlourError, match=r"games\.kuhn\.rules has next_deal: derive Kuhn from Deals"):
        _ = kuhn.has_deals
    kuhn.__dict__.pop("has_deals", None)


def test_a_redealt_world_values_the_deal_as_the_real_one_does() -> None:
    """What was carried into the deal is told, so a world dealt from a view knows what the deal brings."""
    state = do(sampler(2), "b r", "bets 2 2", "show", "show")  # 1 and 5 coins are left
    do(state, "c b", "bets 1 2", "pass", "show")
    found = set()
    for seed in range(12):
        world = state.redeal(1, seed)
        world.apply("show")
        (deal,) = world.deals
        found.add(deal.returns)
    assert found == {(-1.0, 1.0), (2.0, -2.0)}  # seat 0 held the comet, or held blue or red


# ------------------------------------------------------------------------------------------ seats and pots


@pytest.mark.parametrize(("passes", "second"), [("left", 3), ("right", 1)])
def test_the_deal_passes_in_either_direction_over_empty_seats(passes: str, second: int) -> None:
    state = sampler(4, first=0, limit="none", broke="leaves", passes=passes)
    do(state, "b r c b", "bets 1 1 1 1", "pass", "deny", "show", "show", "show")
    assert state.observation()["dealer"] == (1 if passes == "left" else 3)
    state = sampler(4, first=2, limit="none", broke="leaves", passes=passes, comet="takes")
    do(state, "r c b b", "bets 3 1 1 1", "use")  # seat 0 has no coins left
    seen = state.observation()
    assert (seen["seated"], seen["dealer"]) == ([1, 2, 3], second)
    assert [event.who for event in state.events() if event.event == "leaves"] == [0]


def test_nothing_is_dealt_to_an_empty_seat_and_nobody_asks_it() -> None:
    state = sampler(3, limit="none", broke="leaves", first=1)
    do(state, "b c r", "bets 1 1 3", "use")
    assert state.observation()["seated"] == [0, 1]
    do(state, "r b")
    assert state.position.hand == [3, 2, 0, 0]
    assert state.acting == (0, 1)
    assert [e.who for e in state.events(2) if e.event == "dealt"] == [2]
    do(state, "", "bets 2 1")
    for seed in range(4):
        assert state.redeal(0, seed).position.hand[2] == 0
    do(state, "", "show", "deny")
    assert (state.is_terminal, state.deals[1].returns) == (True, (1.0, -1.0, 0.0))


def test_one_who_is_left_ends_the_match() -> None:
    state = do(sampler(2, limit="none", broke="leaves"), "c r", "bets 1 3", "use")
    assert (state.is_terminal, state.returns(), len(state.deals)) == (True, [3.0, -3.0], 1)


def test_a_pot_is_carried_to_whoever_takes_the_next_bets() -> None:
    state = do(sampler(3, comet="carries", limit="none", broke="leaves"), "c r r", "bets 3 3 1", "use")
    seen = state.observation()
    assert (seen["pot"], seen["coins"][:3], seen["seated"]) == (7, [0, 0, 2], [0, 1, 2])
    assert state.deals[0].returns == (-3.0, -3.0, -1.0)
    do(state, "b b r", "bets 1", "show", "show", "show")
    assert state.deals[1].returns == (0.0, 0.0, 7.0)
    assert state.returns() == [-3.0, -3.0, 6.0]


def test_what_is_in_the_pot_at_the_end_is_divided() -> None:
    state = do(sampler(3, comet="carries", first=1), "c r r", "bets 2 2 1", "use")
    do(state, "b b c", "bets 1 1 1", "use")
    assert state.deals[1].dealer == 2
    assert [(e.event, e.a) for e in state.events()][-1] == ("shared", 8)
    assert state.returns() == [0.0, 0.0, 0.0]  # 0, 0 and 1 are left to them; 2 each; the odd two to seats 0 and 1


def test_nobody_is_asked_for_a_bet_when_all_coins_are_in_the_pot() -> None:
    state = do(sampler(2, comet="carries", limit="none"), "c r", "bets 3 3", "use")
    do(state, "b r", "show")
    assert (state.observation()["bet"][:2], state.current_player) == ([0, 0], 0)
    do(state, "", "show")
    assert state.returns() == [-3.0, 3.0]
    assert CHANCE not in state.acting
