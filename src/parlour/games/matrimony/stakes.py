"""Before the cards of Matrimony: the draw for the first deal, and the stakes.

A stake is chosen as amounts: the number of counters in all, if there is a choice, then the number on each pool in turn.
"""

from parlour.games.matrimony.deal import deal_cards
from parlour.games.matrimony.position import *
from parlour.rules.matchplay import after, is_before_last
from parlour.rules.pools import on_layout, put
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the draw for the first deal


def draw_for_deal(s: Matrimony, those: int) -> None:
    """Begin a draw from the full pack (MA-11, MA-13)."""
    s.stage = DRAWING
    s.dealt = those
    s.at = lowest(those)
    gather(s)


def draw_card(s: Matrimony, k: int, to: Listener) -> None:
    """Draw a card; after the last one the player with the lowest deals, or tied players draw again (MA-12)."""
    show_card(s, k)
    note(to, "MA-11", "draws", s.at, k)
    if is_before_last(s.dealt, s.at):
        s.at = after(s.dealt, s.at)
        return
    first = who_drew_lowest(s)
    if count(first) > 1:
        note(to, "MA-13", "draw_again", EVERYBODY, count(first))
        draw_for_deal(s, first)
    else:
        s.dealer = lowest(first)
        note(to, "MA-12", "deals_first", s.dealer)
        start_deal(s, to)


def who_drew_lowest(s: Matrimony) -> int:
    """Return the set of the players who have drawn the lowest rank (MA-12)."""
    low = rank_of(lowest(DECK & ~s.unseen))
    found = 0
    for p in members(s.dealt):
        found |= (rank_of(lowest(s.hand[p])) == low) << p
    return found


# ------------------------------------------------------------------------------------------ the player who stakes


def start_deal(s: Matrimony, to: Listener) -> None:
    """Begin a deal with the stakes, if there are any (MA-23, MA-47)."""
    gather(s)
    s.dealt = s.seated
    s.shown = 0
    if s.deal >= staked_deals(s):
        note(to, "MA-50", "plays_out", s.dealer, on_layout(s.pools))
    elif s.restake == WHEN_EMPTY and on_layout(s.pools) > 0:
        note(to, "MA-23", "stands", s.dealer, on_layout(s.pools))
    elif s.counters[s.dealer] < s.stake_min:
        note(to, "MA-47", "without_stakes", s.dealer)
    else:
        s.stage = STAKING
        s.at = s.dealer
        go_on(s, s.dealer, to)
        return
    deal_cards(s, to)


def who_stakes(s: Matrimony, me: int, a: int) -> str:
    """Return the clause that says who stakes: the dealer takes counters first; then players stake in turn, or all at
    once."""
    return "MA-16" if s.stake == 0 and me != s.dealer else "MA-18"


def still_to_stake(s: Matrimony) -> int:
    """Return the set of the players who have not yet chosen their whole secret stake."""
    wanted = 0
    for p in range(s.players):
        wanted |= (s.pool[p] != DONE) << p
    return wanted


def go_on(s: Matrimony, p: int, to: Listener) -> None:
    """Go on after a choice of ``p``: ask them or the next player, or deal the cards (MA-18)."""
    choose_forced(s, p, to)
    if s.stake_visibility == SECRET and s.stake > 0:
        go_on_unseen(s, to)
        return
    while s.pool[p] == DONE:
        s.pool[p] = s.whole[p] = 0
        p = after(s.dealt, p)
        if p == s.dealer:
            deal_cards(s, to)
            return
        s.at = p
        begin_stake(s, p, to)


def go_on_unseen(s: Matrimony, to: Listener) -> None:
    """Go on once the dealer has taken counters: all stake at once, and lay their stakes together
    [stake_visibility=secret]."""
    if s.at != SEVERAL:
        s.at = SEVERAL
        for p in range(s.players):
            if p != s.dealer:
                begin_stake(s, p, to)
    if not still_to_stake(s):
        for p in range(s.players):
            for pool in range(len(POOLS)):
                lay(s, p, pool, to)
        deal_cards(s, to)


def begin_stake(s: Matrimony, p: int, to: Listener) -> None:
    """Begin a player's stake: players other than the dealer stake one counter fewer (MA-17), or nothing (MA-45)."""
    s.pool[p] = DONE
    if s.dealt >> p & 1 and can_stake(s, p):
        fewer = s.others_stake == AT_MOST and p != s.dealer
        s.pool[p] = WHOLE if fewer else FIRST
        s.whole[p] = 0 if fewer else s.stake - (p != s.dealer)
        choose_forced(s, p, to)
    elif s.dealt >> p & 1:
        note(to, "MA-45", "stakes_nothing", p)


# ------------------------------------------------------------------------------------------ limits of a stake


def most_ever(s: Matrimony) -> int:
    """Return the most that anybody could ever stake."""
    counters = s.players * s.start_counters
    return min(counters, s.stake_max) if s.stake_max else counters


def most_taken(s: Matrimony, me: int) -> int:
    """Return the highest stake: for the dealer by MA-21, for another player by MA-17 [others_stake=at_most]."""
    if me != s.dealer:
        return min(s.stake - 1, s.counters[me])
    top = min(s.counters[me], most_ever(s))
    if s.others_stake != AT_MOST:
        for p in members(s.dealt):
            if p != me and can_stake(s, p):
                top = min(top, s.counters[p] + 1)
    return top


def left(s: Matrimony, p: int) -> int:
    """Return how many counters of a stake are not yet on a pool."""
    return s.whole[p] - s.matrimony[p] - s.intrigue[p] - s.confederacy[p] - s.pair[p] - s.best[p]


def covers(s: Matrimony, p: int) -> bool:
    """Whether every pool must get a counter of this stake (MA-19)."""
    return bool(s.cover_all) and s.whole[p] >= 5


def most(s: Matrimony, p: int) -> int:
    """Return the highest amount that ``p`` may choose now."""
    if s.pool[p] == WHOLE:
        return most_taken(s, p)
    return left(s, p) - (LAST - s.pool[p] if covers(s, p) else 0)


def least(s: Matrimony, p: int) -> int:
    """Return the lowest amount that ``p`` may choose now: on Best, all that is left."""
    if s.pool[p] == WHOLE:
        return s.stake_min if p == s.dealer else 1
    return left(s, p) if s.pool[p] == LAST else int(covers(s, p))


def first_take(s: Matrimony) -> int:
    """Return the id of taking no counter, which follows those of laying counters; add the counters to it."""
    return most_ever(s) + 1


def amounts(s: Matrimony, me: int, acts: list[int]) -> int:
    """List the amounts from the least to the most, to be taken in all or laid on a pool."""
    low = least(s, me)
    n = most(s, me) - low + 1
    first = low + (first_take(s) if s.pool[me] == WHOLE else 0)
    for i in range(n):
        acts[i] = first + i
    return n


def refuse_amount(s: Matrimony, me: int, a: int) -> str:
    """Return the clause that forbids taking that many counters, or laying them on this pool."""
    takes = a >= first_take(s)
    if takes and s.pool[me] == WHOLE and me == s.dealer:
        return "MA-21" if a - first_take(s) > most(s, me) else "MA-20"
    if not takes and covers(s, me) and a <= left(s, me):
        return "MA-19"
    return "MA-16" if me == s.dealer else "MA-17"


# ------------------------------------------------------------------------------------------ laying counters


def choose(s: Matrimony, me: int, a: int, to: Listener) -> None:
    choose_amount(s, me, a - first_take(s) if s.pool[me] == WHOLE else a, to)
    go_on(s, me, to)


def choose_forced(s: Matrimony, p: int, to: Listener) -> None:
    """Choose an amount without asking, if it is the only one possible."""
    while s.pool[p] != DONE and is_forced(s, p):
        choose_amount(s, p, least(s, p), to)


def is_forced(s: Matrimony, p: int) -> bool:
    """Whether only one amount is possible.  For a pool of a secret stake, whether that is so for any stake, because
    everybody sees who is asked."""
    if s.stake_visibility == SECRET and FIRST <= s.pool[p] < LAST:
        return False
    return least(s, p) == most(s, p)


def choose_amount(s: Matrimony, p: int, n: int, to: Listener) -> None:
    """Carry out a choice of an amount: of the whole stake (MA-16, MA-17), or of the counters on one pool."""
    if s.pool[p] == WHOLE:
        s.whole[p] = n
        if p == s.dealer:
            s.stake = n
        if p == s.dealer or s.stake_visibility == OPEN:
            note(to, "MA-16" if p == s.dealer else "MA-17", "takes", p, n)
    else:
        pool = s.pool[p] - 1
        on_pools(s)[pool][p] = n
        if s.stake_visibility == OPEN:
            lay(s, p, pool, to)
    s.pool[p] += 1


def on_pools(s: Matrimony) -> tuple[list[int], ...]:
    """Return the stakes that players have chosen, pool by pool."""
    return s.matrimony, s.intrigue, s.confederacy, s.pair, s.best


def lay(s: Matrimony, p: int, pool: int, to: Listener) -> None:
    """Lay counters on a pool, where they stay (MA-24)."""
    n = on_pools(s)[pool][p]
    if n > 0:
        note(to, "MA-16" if p == s.dealer else "MA-17", "lays", p, n, POOL + pool)
        put(s.counters, p, s.pools, pool, n)
