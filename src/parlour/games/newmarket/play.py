"""The play of Newmarket, from the deal to the run-off: winning the cards of the layout, and payments."""

from parlour.games.newmarket.position import *
from parlour.rules.pools import win
from parlour.rules.stops.dealing import eldest_leads, give, show_hands
from parlour.rules.stops.layout import RUN_OFF, close_deal, end_run_off, fall, pay_for_cards
from parlour.rules.stops.play import goes_on, lead, lowest_of_suits, play_on, show_lowest
from parlour.rules.stops.position import ACE_LOW, DEALING, LEADING, OUT, clockwise, left_of
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the deal


def start_dealing(s: Newmarket, to: Listener) -> None:
    s.stage = DEALING
    s.player = left_of(s, s.dealer)
    note(to, "PJ-5", "deals", s.dealer, DEALT[s.players] // s.players)


def deal_card(s: Newmarket, c: int, to: Listener) -> None:
    """Deal the next card; after the last one the eldest hand leads (PJ-25, PJ-26)."""
    give(s, c)
    if s.dealt == DEALT[s.players]:
        for p in range(s.players):
            whisper(to, "PJ-25", "dealt", p, count(s.hand[p]), s.hand[p])
        if s.stock:
            note(to, "PJ-26", "stock", EVERYBODY, count(s.stock))
        eldest_leads(s, to)


# ------------------------------------------------------------------------------------------ leads and pools


def open_to_lead(s: Newmarket, me: int) -> int:
    """Return the cards that may be led: the lowest of each suit, or any (PJ-94)."""
    return lowest_of_suits(s.hand[me], ACE_LOW) if s.lead_rule == LOWEST else s.hand[me]


def lead_card(s: Newmarket, me: int, a: int, to: Listener) -> None:
    """Lead a card; if it must be the lowest, everybody knows that its leader has no lower one (PJ-94)."""
    if s.lead_rule == LOWEST:
        show_lowest(s, a - LEAD, ACE_LOW)
    lead(s, a - LEAD, to)
    take_pool(s, to)


def refuse_own_lead(s: Newmarket, me: int, a: int) -> str:
    return "PJ-94" if s.hand[me] >> a & 1 else "CO-14"


def go_on(s: Newmarket, to: Listener) -> None:
    """Play on until a player must lead or the deal is over."""
    while goes_on(s):
        play_on(s, ACE_LOW, WINNERS, to)
        take_pool(s, to)
    if s.stage == OUT:
        settle(s, to)


def take_pool(s: Newmarket, to: Listener) -> None:
    """Give everything on a card of the layout to the player who has just played it (PJ-31)."""
    if (s.stage != LEADING) & (WINNERS >> s.card & 1 == 1):
        take(s, s.player, s.card, to)


def take(s: Newmarket, p: int, c: int, to: Listener) -> None:
    """Give everything on a card of the layout to the player who plays it, or gets it in the run-off (PJ-31, PJ-19)."""
    for k in range(POOLS):
        if (LAYOUT[k] == c) & (s.pool[k] > 0):
            note(to, "PJ-19" if s.stage == RUN_OFF else "PJ-31", "takes", p, win(s.coins, p, s.pool, k), c)


# ------------------------------------------------------------------------------------------ settlement


def settle(s: Newmarket, to: Listener) -> None:
    """Settle a deal: the player who is out is paid for the cards that the others have left (PJ-11); pools not won
    stay."""
    show_hands(s, to)
    for i in range(1, s.players):
        pay_for_cards(s, clockwise(s, s.player, i), s.player, to)
    close_deal(s, to)


def run_off(s: Newmarket, c: int, to: Listener) -> None:
    """Deal a card of the run-off to the next player, with the counters on it (PJ-19)."""
    take(s, fall(s, c, to), c, to)
    end_run_off(s, to)
