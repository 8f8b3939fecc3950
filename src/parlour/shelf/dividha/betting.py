"""Dividha: betting rounds, what a raise may be, all-in, and lowering the ante.

Whoever puts in coins says first how many, then, for himself, how many of them are Win coins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parlour.matchplay import after, most
from parlour.shelf.dividha.payout import last_one
from parlour.shelf.dividha.terms import (
    AGREE,
    AT_LEAST_LAST,
    BETTING,
    CALL,
    CAP,
    CHECK,
    DEALING,
    FIXED,
    FOLD,
    LEAVE,
    MATCH_OR_FOLD,
    NEXT_BETTER,
    NEXT_PHASE,
    OPEN,
    PAYING,
    RAISE,
    SLOTS,
    SPLITTING,
    VOTING,
    WHOLE_POT,
    go_to,
    propose_id,
    win_id,
)
from parlour.vocabulary import CHANCE, EVERYBODY, lowest, note, whisper

if TYPE_CHECKING:
    from parlour.shelf.dividha.rules import Dividha


def next_better(s: Dividha, to: Any) -> None:
    """Whoever comes next in the betting, or the end of the round."""
    if s.live & (s.live - 1) == 0:
        last_one(s, to)
        return
    if s.todo == 0:
        return_excess(s, to)
        s.level = s.step = s.raises = 0
        for q in range(s.players):
            s.put[q] = 0
        s.stage = NEXT_PHASE
        return
    p = after(s.todo, s.at)
    facing = s.level > s.put[p]
    if s.gone >> p & 1:
        s.at = p
        leave_to_himself(s, p, facing, to)
    elif s.all_in == MATCH_OR_FOLD and s.level - s.put[p] > s.coins[p]:
        note(to, "DV-88", "cannot_match", p)
        s.at = p
        drop_out(s, p)
    else:
        s.stage = BETTING
        s.turn = p


def leave_to_himself(s: Dividha, p: int, facing: bool, to: Any) -> None:
    """The turn of a player who is not there (DV-32)."""
    s.todo &= ~(1 << p)
    if facing:
        note(to, "DV-32", "folds", p)
        drop_out(s, p)
    else:
        note(to, "DV-32", "checks", p)


def drop_out(s: Dividha, p: int) -> None:
    s.live &= ~(1 << p)
    s.able &= ~(1 << p)
    s.todo &= ~(1 << p)


def bet(s: Dividha, me: int, a: int, to: Any) -> None:
    """A betting turn."""
    need = s.level - s.put[me]
    coins = 0
    if a == CHECK:
        note(to, "DV-58", "checks", me)
    elif a == FOLD:
        note(to, "DV-62", "folds", me)
        drop_out(s, me)
    elif a == LEAVE:
        note(to, "DV-222", "leaves", me)
        s.gone |= 1 << me
        leave_to_himself(s, me, need > 0, to)
    elif a == CALL:
        coins = min(need, s.coins[me])
        if coins < need:
            note(to, "DV-81", "calls_short", me, coins)
        else:
            note(to, "DV-61", "calls", me, coins)
    elif a < win_id(s):
        coins = a - RAISE - s.put[me]
        if s.level == 0:
            note(to, "DV-67", "opens", me, a - RAISE, coins)
        else:
            note(to, "DV-66", "raises", me, a - RAISE, coins)
        s.step = max(s.step, a - RAISE - s.level)
        s.level = a - RAISE
        s.raises += 1
        s.todo = s.live if s.all_in == MATCH_OR_FOLD else s.able  # DV-64, DV-88
    else:
        propose(s, me, 2 * (a - propose_id(s)), to)
        return
    s.todo &= ~(1 << me)
    s.at = me
    if coins > 0:
        s.paid[me] += coins
        s.put[me] += coins
        pay(s, me, coins, to)
        s.stage = SPLITTING
    else:
        go_to(s, NEXT_BETTER)


def pay(s: Dividha, p: int, coins: int, to: Any) -> None:
    """Coins into the pot, to be divided by whoever pays them (DV-48)."""
    s.coins[p] -= coins
    s.pot += coins
    s.owed = coins
    if s.coins[p] == 0:
        note(to, "DV-80", "all_in", p)
        s.able &= ~(1 << p)


def divide(s: Dividha, me: int, win: int, to: Any) -> None:
    """So many of the coins just paid are Win coins, the others Lose coins (DV-49)."""
    if s.splits == OPEN:
        note(to, "DV-48", "divides", me, win, s.owed - win)
    else:
        whisper(to, "DV-48", "divides", me, win, s.owed - win)
    if s.stage == PAYING:
        s.fee_win[me] += win
        s.stage = DEALING
        s.turn = CHANCE
    else:
        s.win[me] += win
        slot = me * SLOTS
        last = slot + SLOTS - 1
        if s.bets[last] > 0:  # the last amount has a place of its own, those before it share one
            s.bets[last - 1] += s.bets[last]
            s.bets[last] = 0
        while s.bets[slot] > 0:
            slot += 1
        s.bets[slot] = s.owed
        s.whole |= must_be_whole(s, me) << me
        go_to(s, NEXT_BETTER)
    s.owed = 0


def must_be_whole(s: Dividha, p: int) -> bool:
    """DV-84."""
    return s.unsplit_all_in != 0 and s.coins[p] == 0 and s.stage == SPLITTING


def raise_range(s: Dividha, p: int) -> tuple[int, int]:
    """The lowest and the highest level to which a player may raise (DV-68 to DV-79, DV-87); 1 and 0 if to none."""
    others = s.able & ~(1 << p)
    if others == 0:
        return 1, 0  # DV-71
    level = s.level
    mine = s.put[p] + s.coins[p]  # DV-69
    high = mine
    if s.limit == 0:
        pot = s.pot - (s.forfeits if s.forfeits_in_pot_limit else 0)  # DV-73
        high = min(high, level + pot + level - s.put[p])  # DV-74
    if s.southern_cap or s.all_in == CAP:
        richest = 0
        poorest = mine
        rest = s.live & ~(1 << p)
        while rest:
            q = lowest(rest)
            rest &= rest - 1
            richest = max(richest, s.put[q] + s.coins[q])
            poorest = min(poorest, s.put[q] + s.coins[q])
        high = min(high, poorest if s.all_in == CAP else richest)  # DV-87, DV-79
    low = level + 1
    if s.limit == FIXED:
        if s.raises >= s.fixed_max_raises:
            return 1, 0  # DV-77
        low = level + s.fixed_unit_antes * s.ante  # DV-76
        high = min(high, low)
    elif s.min_raise:
        low = level + (max(s.ante, s.step) if s.min_raise == AT_LEAST_LAST else s.ante)  # DV-68
    if low > high and high == mine and mine > level:
        return mine, mine  # DV-70
    return low, high


def return_excess(s: Dividha, to: Any) -> None:
    """What one live player has put in above everybody else goes back to him (DV-85, DV-86)."""
    if s.all_in == WHOLE_POT:
        return
    top = lowest(most(s.paid, s.live))
    next_highest = 0
    for p in range(s.players):
        if p != top:
            next_highest = max(next_highest, s.paid[p])
    excess = s.paid[top] - next_highest
    if excess > 0:
        note(to, "DV-85", "gets_back", top, excess)
        s.win[top] = s.win[top] * next_highest // s.paid[top]
        s.paid[top] = next_highest
        s.back[top] = excess
        s.coins[top] += excess
        s.pot -= excess
        s.able |= 1 << top


def propose(s: Dividha, me: int, ante: int, to: Any) -> None:
    """A lower ante is put to everybody (DV-200, DV-203)."""
    note(to, "DV-200", "proposes", me, ante)
    s.proposed |= 1 << me
    if (s.away | s.gone) & s.seated:
        note(to, "DV-202", "absent_refuses", me, ante)
        return
    s.offer = ante
    s.proposer = me
    s.stage = VOTING
    s.turn = after(s.seated, me)


def vote(s: Dividha, me: int, a: int, to: Any) -> None:
    if a == AGREE:
        note(to, "DV-202", "agrees", me, s.offer)
        s.turn = after(s.seated, me)
        if s.turn != s.proposer:
            return
        note(to, "DV-204", "agreed", EVERYBODY, s.offer)
        s.agreed = s.offer
    else:
        note(to, "DV-201", "refuses", me, s.offer)
    s.turn = s.proposer
    s.stage = BETTING
    s.offer = s.proposer = 0
