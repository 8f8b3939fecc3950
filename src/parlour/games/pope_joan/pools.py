"""The pools of Pope Joan: taking them, alone or with another player, and doubling them."""

from parlour.games.pope_joan.position import *
from parlour.rules.pools import win
from parlour.rules.stops.dealing import pay_to, spend
from parlour.rules.stops.layout import RUN_OFF
from parlour.rules.stops.position import KINGS, QUEENS, clockwise
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ pools won by cards


def earn(s: PopeJoan, p: int, c: int, to: Listener) -> None:
    """Give player ``p`` all that a card wins: its own pool, and those of the pairs to which it belongs."""
    own = own_pool(s, c)
    if own >= 0:
        take(s, p, own, to)
        if (own == POPE) & (s.pope_bonus != 0) & (s.stage != RUN_OFF):
            paid = pope_bonus(s, p)
            if paid:
                note(to, "PJ-72", "bonus", p, paid)
    for k in range(MATRIMONY, CONFEDERACY + 1):
        pair = winners(s, k)
        if (pair >> c & 1 == 1) & (s.pool[k] > 0):
            other = pair ^ 1 << c
            if s.stage == RUN_OFF:
                divide_run_off(s, p, k, c, other, to)
            elif s.gone & other:
                win_pair(s, p, k, other, to)


def take(s: PopeJoan, p: int, k: int, to: Listener) -> None:
    """Give a player everything on a pool, citing the clause for that pool."""
    n = win(s.coins, p, s.pool, k)
    if n == 0:
        return
    if s.stage == TURNING:
        note(to, "PJ-70" if (k == POPE) | (k == GAME) else "PJ-69", "takes", p, n, POOL + k)
    elif s.stage == RUN_OFF:
        say_run_off(s, p, k, n, to)
    elif s.version == FOSTER:
        note(to, "PJ-31", "pope" if k == POPE else "takes", p, n, POOL + k)
    elif k == POPE:
        note(to, "PJ-72" if s.version == CLASSIC else "PJ-46", "pope", p, n, POOL + k)
    elif k == GAME:
        note(to, "PJ-78" if s.version == CLASSIC else "PJ-47", "takes", p, n, POOL + k)
    elif s.version == FOSTER_TRUMP:
        note(to, "PJ-50", "takes", p, n, POOL + k)
    else:
        note(to, "PJ-74" if k == MATRIMONY else "PJ-75" if k == INTRIGUE else "PJ-71", "takes", p, n, POOL + k)


def pope_bonus(s: PopeJoan, p: int) -> int:
    """Pay ``p`` a counter for each card that the others hold [pope_bonus] (PJ-72); return the sum."""
    total = 0
    for i in range(1, s.players):
        q = clockwise(s, p, i)
        total += pay_to(s, q, p, count(s.hand[q]))
    return total


def win_pair(s: PopeJoan, p: int, k: int, other: int, to: Listener) -> None:
    """Give the pool of a pair, once its second card is played, to the player of both; two players halve it, or it stays
    (PJ-50, PJ-51, PJ-74, PJ-75, PJ-77)."""
    n = s.pool[k]
    if s.played[p] & other:
        take(s, p, k, to)
    elif (s.version == FOSTER_TRUMP) | (s.combo == DIVIDE):
        for q in range(s.players):
            if (q == p) | (s.played[q] & other != 0):
                s.coins[q] += n // 2
                if n > 1:
                    note(to, "PJ-51" if s.version == FOSTER_TRUMP else "PJ-77", "takes_half", q, n // 2, POOL + k)
        s.pool[k] = n % 2
    else:
        note(to, "PJ-77", "stays", p, n, POOL + k)


# ------------------------------------------------------------------------------------------ pools in the run-off


def divide_run_off(s: PopeJoan, p: int, k: int, c: int, other: int, to: Listener) -> None:
    """Give a player, for one card of a pair in the run-off, half of its pool, or everything that the other card has
    left; an odd counter goes to the queen, in Confederacy to the king (PJ-60, PJ-79)."""
    if s.gone & other:
        take(s, p, k, to)
        return
    odd = (KINGS if k == CONFEDERACY else QUEENS) >> c & 1
    n = (s.pool[k] + odd) // 2
    if n > 0:
        s.coins[p] += n
        s.pool[k] -= n
        say_run_off(s, p, k, n, to)


def say_run_off(s: PopeJoan, p: int, k: int, n: int, to: Listener) -> None:
    foster = s.version == FOSTER
    note(to, "PJ-79" if s.version == CLASSIC else "PJ-40" if foster else "PJ-60", "takes", p, n, POOL + k)


# ------------------------------------------------------------------------------------------ doubling


def double_pools(s: PopeJoan, p: int, to: Listener) -> None:
    """Have a player left with the card of a pool, or with both cards of a pair, double the pool [double_rule], but not
    beyond the cap (PJ-36, PJ-37, PJ-56 to PJ-58)."""
    foster = s.version == FOSTER
    first, last = (TEN, POPE) if foster else (POPE, CONFEDERACY)
    for k in range(first, last + 1):
        those = winners(s, k)
        n = dressed_with(s, k) if s.double_rule == DRESSING_ONLY else s.pool[k]
        if (s.hand[p] & those == those) & (n > 0):
            capped = (s.double_cap > 0) & (n > s.double_cap)
            paid = spend(s, p, s.double_cap if capped else n)
            s.pool[k] += paid
            if capped and paid:
                note(to, "PJ-37" if foster else "PJ-58", "doubles_capped", p, paid, POOL + k)
            elif paid:
                note(to, "PJ-36" if foster else "PJ-56" if k == POPE else "PJ-57", "doubles", p, paid, POOL + k)


def dressed_with(s: PopeJoan, k: int) -> int:
    """Return the counters that this deal's dressing has put on a pool: fewer than usual if the dealer had too few
    (PJ-16)."""
    left = s.dressed
    for i in range(k):
        left -= dressing_of(s, i)
    return max(0, min(left, dressing_of(s, k)))
