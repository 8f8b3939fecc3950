"""A deal of Pope Joan up to the first lead: dressing the layout, dealing the pack and turning up the trump."""

from parlour.games.pope_joan.pools import take
from parlour.games.pope_joan.position import *
from parlour.rules.stops.dealing import eldest_leads, gather, give, pay_to, spend
from parlour.rules.stops.layout import close_deal
from parlour.rules.stops.position import DEALING, LEADING, OVER, clockwise, left_of
from parlour.rules.vocabulary import *


def start_deal(s: PopeJoan, to: Listener) -> None:
    """Begin a deal: dress the layout (PJ-28, PJ-42, PJ-64), and deal the pack (PJ-5)."""
    gather(s, deck(s), DEALING)
    s.turned = s.trumps = s.prizes = 0
    dress(s, to)
    note(to, "PJ-5", "deals", s.dealer, to_deal(s) // s.players)


def dress(s: PopeJoan, to: Listener) -> None:
    """Put its counters on each pool, as far as they go; any excess goes on Game."""
    classic = s.version == CLASSIC
    s.dressed = 0
    for p in range(s.players):
        due = dressing_due(s, p)
        if due:
            paid = spend(s, p, due)
            if paid:
                note(to, "PJ-64" if classic else "PJ-42" if s.version == FOSTER_TRUMP else "PJ-28", "dresses", p, paid)
            s.dressed += paid
    left = s.dressed
    for k in range(POOLS):
        put_on = min(left, dressing_of(s, k))
        s.pool[k] += put_on
        left -= put_on
    s.pool[GAME] += left


def dressing_due(s: PopeJoan, p: int) -> int:
    """Return the counters with which a player dresses the layout: the dealer alone, or everybody, with twice as many
    from the dealer (PJ-64)."""
    need = 12 if s.board == FIVE else 15  # number of counters that all pools need together
    if s.dressing == DEALER_DRESSES:
        return need if p == s.dealer else 0
    each = (need + s.players) // (s.players + 1)
    return 2 * each if p == s.dealer else each


def deal_card(s: PopeJoan, c: int, to: Listener) -> None:
    """Deal the next card; after the last one a trump is turned up, but not in Foster's game (PJ-25, PJ-65)."""
    give(s, c)
    if s.dealt == to_deal(s):
        for p in range(s.players):
            whisper(to, "PJ-65" if s.version == CLASSIC else "PJ-25", "dealt", p, count(s.hand[p]), s.hand[p])
        s.player = left_of(s, s.dealer)
        s.stage = TURNING
        if s.version == FOSTER:
            set_prizes(s)
            start_play(s, to)


def turn_up(s: PopeJoan, c: int, to: Listener) -> None:
    """Turn up a card, which fixes the trump suit and is out of play (PJ-43, PJ-44, PJ-66, PJ-67); in the classic game
    the dealer takes the pool that it wins by itself (PJ-69, PJ-70)."""
    s.stock ^= 1 << c
    s.out |= 1 << c
    s.turned = c + 1
    set_prizes(s)
    note(to, "PJ-66" if s.version == CLASSIC else "PJ-43", "turns_up", s.dealer, c)
    k = own_pool(s, c)
    if (s.version == CLASSIC) & (k >= 0):
        take(s, s.dealer, k, to)
        if k == POPE:
            pope_is_turned(s, to)
    if s.stage == TURNING:
        start_play(s, to)


def pope_is_turned(s: PopeJoan, to: Listener) -> None:
    """Pay the dealer, besides the pool, for turning up the Pope [pope_turned] (PJ-70)."""
    if s.pope_turned == POPE_ONLY:
        return
    for i in range(1, s.players):
        p = clockwise(s, s.dealer, i)
        n = count(s.hand[p])
        paid = pay_to(s, p, s.dealer, min(n, 6) if s.pope_turned == PLUS_CARDS else n)
        if paid:
            note(to, "PJ-70", "pays_dealer", p, paid, n)
    if s.pope_turned == ENDS_DEAL:
        take(s, s.dealer, GAME, to)
        note(to, "PJ-70", "unplayed", s.dealer)
        for p in range(s.players):
            note(to, "PJ-70", "shows", p, count(s.hand[p]), s.hand[p])
        close_deal(s, to)


def start_play(s: PopeJoan, to: Listener) -> None:
    """Give the lead to the eldest hand.  The cards left over stay face down; at most the dealer may see them
    (PJ-68)."""
    if s.stock:
        note(to, "PJ-68" if s.version == CLASSIC else "PJ-26", "stock", EVERYBODY, count(s.stock))
    if s.dealer_sees_dead_hand:
        whisper(to, "PJ-68", "sees_dead_hand", s.dealer, count(s.stock), s.stock)
    eldest_leads(s, to)


def sees_dead_hand(s: PopeJoan, p: int) -> bool:
    """PJ-68."""
    return (s.dealer_sees_dead_hand != 0) & (p == s.dealer) & (s.stage >= LEADING) & (s.stage < OVER)
