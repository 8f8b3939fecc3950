"""Betting rounds of Dividha: turns, limits of raises, coins divided on the tablets, votes on a lower ante.

A player who bets first says how many coins, then, in secret, how many of them go on Win; the rest go on Lose.
"""

from parlour.games.dividha.payout import last_one
from parlour.games.dividha.position import *
from parlour.rules.matchplay import after, most
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ whose turn it is


def next_better(s: Dividha, to: Listener) -> None:
    """Go on to the next player in the betting, clockwise (DV-55), or end the round."""
    if count(s.live) == 1:
        last_one(s, to)
        return
    if s.todo == 0:
        end_round(s, to)
        return
    p = after(s.todo, s.at)
    if s.gone >> p & 1:
        s.at = p
        settle_turn(s, p, to)
    elif s.all_in == MATCH_OR_FOLD and s.level - s.put[p] > s.coins[p]:
        note(to, "DV-88", "cannot_match", p)
        s.at = p
        drop_out(s, p)
    else:
        ask(s, BETTING, p)


def settle_turn(s: Dividha, p: int, to: Listener) -> None:
    """Take the betting turn of an absent player (DV-32)."""
    s.todo &= ~(1 << p)
    facing = s.level > s.put[p]
    note(to, "DV-32", "folds" if facing else "checks", p)
    if facing:
        drop_out(s, p)


def drop_out(s: Dividha, p: int) -> None:
    """Take a player out of the hand."""
    s.live &= ~(1 << p)
    s.able &= ~(1 << p)
    s.todo &= ~(1 << p)


# ------------------------------------------------------------------------------------------ a betting turn


def bets(s: Dividha, me: int, acts: list[int]) -> int:
    """List the choices: check or call, fold, leave or raise; propose a lower ante."""
    facing = s.level > s.put[me]
    acts[0] = CALL if facing else CHECK
    n = 1
    if facing or s.free_fold:
        acts[n] = FOLD
        n += 1
    if s.absences:
        acts[n] = LEAVE
        n += 1
    low, high = raise_range(s, me)
    return lower_antes(s, me, acts, name_all(acts, n, RAISE + low, RAISE + high))


def bet(s: Dividha, me: int, a: int, to: Listener) -> None:
    """Carry out a betting action; a proposal leaves the betting turn as it is (DV-221)."""
    if a >= win_id(s):
        propose(s, me, 2 * (a - propose_id(s)), to)
        return
    s.at = me
    s.todo &= ~(1 << me)
    coins = 0
    if a == CHECK:
        note(to, "DV-58", "checks", me)
    elif a == FOLD:
        note(to, "DV-62", "folds", me)
        drop_out(s, me)
    elif a == LEAVE:
        note(to, "DV-222", "leaves", me)
        s.gone |= 1 << me
        settle_turn(s, me, to)
    elif a == CALL:
        need = s.level - s.put[me]
        coins = min(need, s.coins[me])
        note(to, "DV-81" if coins < need else "DV-61", "calls_short" if coins < need else "calls", me, coins)
    else:
        coins = raise_to(s, me, a - RAISE, to)
    if coins == 0:
        go_to(s, NEXT_BETTER)
        return
    s.paid[me] += coins
    s.put[me] += coins
    pay(s, me, coins, to)
    ask(s, SPLITTING, me)


def raise_to(s: Dividha, me: int, level: int, to: Listener) -> int:
    """Set a new level (DV-66); all the others must act again (DV-64).  Return the coins that it takes."""
    coins = level - s.put[me]
    opening = s.level == 0
    note(to, "DV-67" if opening else "DV-66", "opens" if opening else "raises", me, level, coins)
    s.step = max(s.step, level - s.level)
    s.level = level
    s.raises += 1
    s.todo = (s.live if s.all_in == MATCH_OR_FOLD else s.able) & ~(1 << me)  # DV-88
    return coins


def pay(s: Dividha, p: int, coins: int, to: Listener) -> None:
    """Put coins into the pot; the player must then divide them (DV-48)."""
    s.coins[p] -= coins
    s.pot += coins
    s.owed = coins
    if s.coins[p] == 0:
        note(to, "DV-80", "all_in", p)
        s.able &= ~(1 << p)


def whose_bet(s: Dividha, me: int, a: int) -> str:
    """Return the clause that says who acts: only the player whose turn it is bets (DV-56), or proposes an ante
    (DV-221)."""
    return "DV-221" if propose_id(s) < a < order_id(s) else "DV-56"


def refuse_bet(s: Dividha, me: int, a: int) -> str:
    if a == CHECK:
        return "DV-59"
    if a == CALL:
        return "DV-61"
    if a == FOLD:
        return "DV-63"
    if a == LEAVE:
        return "DV-222"
    if RAISE < a < win_id(s):
        return refuse_raise(s, me, a - RAISE)
    if propose_id(s) < a <= propose_id(s) + most_coins(s) // 2:
        return "DV-206" if s.proposed >> me & 1 else "DV-203"
    return "DV-59" if s.level > s.put[me] else "DV-58"


# ------------------------------------------------------------------------------------------ the size of a raise


def raise_range(s: Dividha, p: int) -> tuple[int, int]:
    """Return the lowest and the highest level to which a player may raise; 1 and 0 if to none (DV-71, DV-77)."""
    if s.able & ~(1 << p) == 0 or (s.limit == FIXED_LIMIT and s.raises >= s.fixed_max_raises):
        return 1, 0
    reach = reach_of(s, p)
    low = s.level + smallest_raise(s)
    high = reach  # DV-69
    if s.limit == POT_LIMIT:
        pot = s.pot - (0 if s.forfeits_in_pot_limit else s.forfeits)  # DV-73
        high = min(high, s.level + pot + s.level - s.put[p])  # DV-74
    if s.limit == FIXED_LIMIT:
        high = min(high, low)  # DV-76
    if s.southern_cap or s.all_in == CAP_AT_SMALLEST:
        high = min(high, cap_by_stacks(s, p))
    if low > high and high == reach and reach > s.level:
        return reach, reach  # DV-70
    return low, high


def reach_of(s: Dividha, p: int) -> int:
    """Return the level that a player's stack can reach."""
    return s.put[p] + s.coins[p]


def smallest_raise(s: Dividha) -> int:
    """DV-68, DV-76."""
    if s.limit == FIXED_LIMIT:
        return s.fixed_unit_antes * s.ante
    if s.min_raise == BY_ONE:
        return 1
    return max(s.ante, s.step) if s.min_raise == BY_LARGEST else s.ante


def cap_by_stacks(s: Dividha, p: int) -> int:
    """Return the level that no raise may exceed because of the stacks (DV-79, DV-87)."""
    richest, poorest = 0, reach_of(s, p)
    for q in members(s.live & ~(1 << p)):
        richest = max(richest, reach_of(s, q))
        poorest = min(poorest, reach_of(s, q))
    return poorest if s.all_in == CAP_AT_SMALLEST else richest


def refuse_raise(s: Dividha, me: int, level: int) -> str:
    if not s.able & ~(1 << me):
        return "DV-71"
    if s.limit == FIXED_LIMIT and s.raises >= s.fixed_max_raises:
        return "DV-77"
    if level > reach_of(s, me):
        return "DV-69"
    if level <= s.level:
        return "DV-68"
    if (s.southern_cap or s.all_in == CAP_AT_SMALLEST) and level > cap_by_stacks(s, me):
        return "DV-87" if s.all_in == CAP_AT_SMALLEST else "DV-79"
    if s.limit == FIXED_LIMIT:
        return "DV-76"
    low, high = raise_range(s, me)
    return "DV-74" if level > max(low, high) else "DV-68"


# ------------------------------------------------------------------------------------------ dividing coins on tablets


def divisions(s: Dividha, me: int, acts: list[int]) -> int:
    """List how many of the coins just paid may go on Win: any number, or all or none if they must stay together
    (DV-84)."""
    if not must_be_whole(s, me):
        return divisions_of_fee(s, me, acts)
    acts[0] = win_id(s)
    acts[1] = win_id(s) + s.owed
    return 2


def divide(s: Dividha, me: int, a: int, to: Listener) -> None:
    """Put this many of the coins just paid on Win, the others on Lose (DV-49)."""
    win = a - win_id(s)
    s.win[me] += win
    s.whole |= must_be_whole(s, me) << me
    remember_amount(s, me)
    enter(s, me, win, to)
    go_to(s, NEXT_BETTER)


def refuse_division(s: Dividha, me: int, a: int) -> str:
    return "DV-84" if must_be_whole(s, me) and 0 <= a - win_id(s) <= s.owed else "DV-49"


def must_be_whole(s: Dividha, p: int) -> bool:
    """Whether an all-in bet must be in one column (DV-84)."""
    return s.unsplit_all_in != 0 and s.coins[p] == 0


def remember_amount(s: Dividha, p: int) -> None:
    """Note an amount that was divided: the last has its own place, and later ones before it share one (`SLOTS`)."""
    slot = p * SLOTS
    last = slot + SLOTS - 1
    if s.bets[last] > 0:
        s.bets[last - 1] += s.bets[last]
        s.bets[last] = 0
    while s.bets[slot] > 0:
        slot += 1
    s.bets[slot] = s.owed


def enter(s: Dividha, me: int, win: int, to: Listener) -> None:
    """Enter the divided amount on the tablet, in secret (DV-52)."""
    if s.splits == OPEN:
        note(to, "DV-48", "divides", me, win, s.owed - win)
    else:
        whisper(to, "DV-48", "divides", me, win, s.owed - win)
    s.owed = 0


def divisions_of_fee(s: Dividha, me: int, acts: list[int]) -> int:
    """List the divisions of a payment for a trade, which is divided like a bet (DV-101)."""
    none = win_id(s)
    return name_all(acts, 0, none, none + s.owed)


def divide_fee(s: Dividha, me: int, a: int, to: Listener) -> None:
    win = a - win_id(s)
    s.fee_win[me] += win
    enter(s, me, win, to)
    go_to(s, DEALING)


# ------------------------------------------------------------------------------------------ the end of a round


def end_round(s: Dividha, to: Listener) -> None:
    """End the betting round: everybody has acted and matched the level (DV-65)."""
    if s.all_in != WHOLE_POT:
        return_excess(s, to)
    s.level = s.step = s.raises = 0
    for p in range(s.players):
        s.put[p] = 0
    go_to(s, NEXT_PHASE)


def return_excess(s: Dividha, to: Listener) -> None:
    """Return to one live player the coins that exceed everybody else's (DV-85, DV-86)."""
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


# ------------------------------------------------------------------------------------------ votes on a lower ante


def lower_antes(s: Dividha, me: int, acts: list[int], n: int) -> int:
    """Write the player's possible proposals after n other actions; return the new number of actions."""
    if s.proposed >> me & 1:  # DV-206
        return n
    none = propose_id(s)
    return name_all(acts, n, none + 1, none + s.ante // 2 - 1)  # DV-203


def propose(s: Dividha, me: int, ante: int, to: Listener) -> None:
    """Put a lower ante to everybody's vote, clockwise (DV-200, DV-221)."""
    note(to, "DV-200", "proposes", me, ante)
    s.proposed |= 1 << me
    if (s.away | s.gone) & s.seated:
        note(to, "DV-202", "absent_refuses", me, ante)
        return
    s.offer = ante
    s.proposer = me
    ask(s, VOTING, after(s.seated, me))


def vote(s: Dividha, me: int, a: int, to: Listener) -> None:
    """Take a vote: one refusal rejects the proposal (DV-201); afterwards the proposer still has their turn."""
    note(to, "DV-202" if a == AGREE else "DV-201", "agrees" if a == AGREE else "refuses", me, s.offer)
    following = after(s.seated, me)
    if a == AGREE and following != s.proposer:
        ask(s, VOTING, following)
        return
    if a == AGREE:
        note(to, "DV-204", "agreed", EVERYBODY, s.offer)
        s.agreed = s.offer
    if s.phase == BEFORE:
        go_to(s, NEXT_TALKER)
    else:
        ask(s, BETTING, s.proposer)
    s.offer = s.proposer = 0
