"""The play of Pope Joan: the lead, pools won during a sequence, laying honours, the settlement and the run-off.

Nobody may notice whether a player could have laid another honour of trumps and kept it.  So each honour that may be in
the player's hand has its own step: the player's choice if they have it, otherwise a chance node with a single outcome.
"""

from parlour.games.pope_joan.pools import double_pools, earn, take
from parlour.games.pope_joan.position import *
from parlour.rules.stops.dealing import show_hands
from parlour.rules.stops.layout import close_deal, end_run_off, fall, pay_for_cards
from parlour.rules.stops.play import goes_on, lead, lowest_of_suits, play_on, put, show_lowest
from parlour.rules.stops.position import LEADING, OUT, PACK, RUNNING, clockwise
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ leads and sequences


def may_lead(s: PopeJoan, me: int) -> int:
    """Return the cards that may be led: any, or the lowest of each suit (PJ-9)."""
    return lowest_of_suits(s.hand[me], high(s)) if s.lead_rule == LOWEST else s.hand[me]


def lead_card(s: PopeJoan, me: int, a: int, to: Listener) -> None:
    lead(s, a - LEAD, to)
    card_played(s, to)


def refuse_own_lead(s: PopeJoan, me: int, a: int) -> str:
    return "PJ-9" if s.hand[me] >> a & 1 else "CO-14"


def go_on(s: PopeJoan, to: Listener) -> None:
    """Play on until a player may have a choice or the deal is over."""
    while goes_on(s):
        play_on(s, high(s), PACK if s.lead_rule == LOWEST else s.prizes, to)
        card_played(s, to)
    if s.stage == OUT:
        settle(s, to)


def card_played(s: PopeJoan, to: Listener) -> None:
    """Carry out the effects of the last card, if it has just been led or reached: it may show what its leader lacks
    (PJ-9) and win pools (PJ-10); after an honour of trumps others may be laid (PJ-52)."""
    c = s.card
    if s.stage == LEADING:
        return
    if (s.lead_rule == LOWEST) & (s.run == 1 << c):
        show_lowest(s, c, high(s))
    if s.prizes >> c & 1:
        earn(s, s.player, c, to)
        if (s.version == FOSTER_TRUMP) & ((HONOURS & s.trumps) >> c & 1 == 1):
            offer_next(s, ABOVE_ALL)


# ------------------------------------------------------------------------------------------ laying honours


def offer_next(s: PopeJoan, limit: int) -> None:
    """Offer the highest honour below card ``limit`` that, as far as everybody knows, may be in the player's hand and
    will not be played anyway (PJ-52 to PJ-54); if there is none, the play goes on."""
    gone = s.gone | s.out | s.lacks[s.player] | 1 << (s.card + 1)
    s.offer = s.asked = 0
    if s.stage == OUT:
        return
    s.stage = RUNNING
    for c in members(HONOURS & s.trumps & ~gone & ((1 << limit) - 1)):
        s.offer = c
        s.stage = LAYING
    if s.stage == LAYING:
        s.asked = may_lay(s)


def may_lay(s: PopeJoan) -> int:
    """Return the player, if they have the honour offered and it would not be played anyway: a set of one player or none
    (PJ-52, PJ-53)."""
    has_it = s.hand[s.player] >> s.offer & 1 == 1
    return 1 << s.player if has_it and not comes_anyway(s) else 0


def comes_anyway(s: PopeJoan) -> bool:
    """Whether the sequence reaches the honour that is offered, because the player has the one card between (PJ-53)."""
    return (s.offer == s.card + 2) & (s.hand[s.player] >> (s.card + 1) & 1 == 1)


def honour_holder(s: PopeJoan) -> int:
    """Return the player with the choice that nobody else may notice; chance if there is none."""
    return s.player if s.asked else CHANCE


def lay_or_keep(s: PopeJoan, me: int, acts: list[int]) -> int:
    """PJ-52, PJ-54."""
    acts[0] = LAY + s.offer
    acts[1] = KEEP
    return 2


def answer_offer(s: PopeJoan, me: int, a: int, to: Listener) -> None:
    """Lay the honour, or keep it; the sequence goes on from the card that was led or reached (PJ-52, PJ-54, PJ-55)."""
    honour = s.offer
    reached = s.card
    if a == KEEP:
        whisper(to, "PJ-54", "keeps", me, honour)
    else:
        note(to, "PJ-52", "lays", me, honour)
        put(s, me, honour)
        s.card = reached
        earn(s, me, honour, to)
    offer_next(s, honour)


def nothing_to_lay(s: PopeJoan, k: int, to: Listener) -> None:
    offer_next(s, s.offer)


def refuse_laying(s: PopeJoan, me: int, a: int) -> str:
    """Return the clause that forbids laying a card, or keeping it (PJ-52 to PJ-54)."""
    if a == KEEP:
        return "PJ-54" if s.version == FOSTER_TRUMP else "CO-25"
    c = a - LAY
    if s.stage == LAYING and me == s.player and (s.hand[me] & HONOURS & s.trumps) >> c & 1 and c != s.card:
        return "PJ-54" if s.asked and c < s.offer else "PJ-53"
    return "PJ-52"


# ------------------------------------------------------------------------------------------ settlement


def settle(s: PopeJoan, to: Listener) -> None:
    """Settle a deal once a player is out: Game, payments for cards left, doublings, in this order (PJ-14)."""
    show_hands(s, to)
    take(s, s.player, GAME, to)
    for i in range(1, s.players):
        p = clockwise(s, s.player, i)
        if (s.version == CLASSIC) & (s.hand[p] >> pope_card(s) & 1 == 1):
            note(to, "PJ-73", "exempt", p)
        else:
            pay_for_cards(s, p, s.player, to)
    if s.version != CLASSIC:
        for i in range(1, s.players):
            p = clockwise(s, s.player, i)
            double_pools(s, p, to)
    close_deal(s, to)


def run_off(s: PopeJoan, c: int, to: Listener) -> None:
    """Deal a card of the run-off to the next player, with the pools it wins (PJ-19)."""
    p = fall(s, c, to)
    earn(s, p, c, to)
    end_run_off(s, to)
