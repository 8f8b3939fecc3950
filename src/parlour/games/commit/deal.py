"""Before and after the play in Commit: the draw for the first deal, stakes and cards, and how a deal is settled."""

from parlour.games.commit.position import *
from parlour.rules.matchplay import after, deals_over, is_before_last, place
from parlour.rules.stops.dealing import eldest_leads, gather, give, give_open, pay_to, show_hands, spend
from parlour.rules.stops.position import DEALING, DRAWING, KINGS, OVER, RANKS, SETTLED, clockwise
from parlour.rules.vocabulary import *

# ------------------------------------------------------------------------------------------ the draw for the first deal


def draw_for_deal(s: Commit, those: int) -> None:
    """Begin a draw from the whole pack (CO-6)."""
    gather(s, DECK, DRAWING)
    s.drawing = those
    s.player = lowest(those)


def rank_drawn(s: Commit, p: int) -> int:
    """Return the rank of the card that a player has drawn, counted from 0 for the ace."""
    return lowest(s.played[p]) % RANKS


def draw_card(s: Commit, c: int, to: Listener) -> None:
    """Draw a card; after the last one the player with the lowest deals, or tied players draw again (CO-6)."""
    p = s.player
    note(to, "CO-6", "draws", p, c)
    give_open(s, c)
    if is_before_last(s.drawing, p):
        s.player = after(s.drawing, p)
        return
    first = who_drew_lowest(s)
    if count(first) > 1:
        note(to, "CO-6", "draw_again", EVERYBODY, count(first))
        draw_for_deal(s, first)
    else:
        s.drawing = 0
        s.dealer = lowest(first)
        note(to, "CO-6", "deals_first", s.dealer)
        start_deal(s, to)


def who_drew_lowest(s: Commit) -> int:
    """Return the set of the players who have drawn the lowest rank (CO-6)."""
    low = RANKS
    for p in members(s.drawing):
        low = min(low, rank_drawn(s, p))
    found = 0
    for p in members(s.drawing):
        found |= (rank_drawn(s, p) == low) << p
    return found


# ------------------------------------------------------------------------------------------ stakes and cards


def start_deal(s: Commit, to: Listener) -> None:
    """Begin a deal: everybody pays into the pool (CO-8), and the pack is dealt (CO-9)."""
    for p in range(s.players):
        paid = spend(s, p, s.pool_stake)
        if paid:
            note(to, "CO-8", "stakes", p, paid)
        s.pool += paid
    gather(s, DECK, DEALING)
    note(to, "CO-9", "deals", s.dealer, each(s))


def deal_card(s: Commit, c: int, to: Listener) -> None:
    """Deal the next card; after the last one the eldest hand leads (CO-9, CO-11, CO-12)."""
    give(s, c)
    if s.dealt == each(s) * s.players:
        if s.stock:
            note(to, "CO-11", "stock", EVERYBODY, count(s.stock))
        for p in range(s.players):
            whisper(to, "CO-12", "dealt", p, count(s.hand[p]), s.hand[p])
        eldest_leads(s, to)


# ------------------------------------------------------------------------------------------ settlement


def settle(s: Commit, to: Listener) -> None:
    """Settle a deal: the player who is out takes the pool; then the others pay for kings and the comet left in hand
    (CO-48 to CO-53)."""
    winner = s.player
    show_hands(s, to)
    if s.pool:
        note(to, "CO-48", "takes_pool", winner, s.pool)
    s.coins[winner] += s.pool
    s.pool = 0
    for i in range(1, s.players):
        p = clockwise(s, winner, i)
        if s.hand[p] & BONUS:
            kings = count(s.hand[p] & KINGS)
            paid = penalty(s, p, winner, kings)
            if paid:
                note(to, "CO-49", "pays_kings", p, kings, paid)
            paid = penalty(s, p, winner, 2 * (s.hand[p] >> COMET & 1))
            if paid:
                note(to, "CO-50", "pays_comet", p, paid)
    s.deal += 1
    s.stage = SETTLED
    if deals_over(s, s.rounds * s.players):
        s.stage = OVER
        for p in range(s.players):
            note(to, "CO-58", "ranks", p, place(s.coins, s.seated, p), s.coins[p])


def penalty(s: Commit, p: int, winner: int, counters: int) -> int:
    """Have a player pay this much to every other player, clockwise, or to the winner alone (CO-51, CO-57); return the
    sum."""
    if s.king_penalty == TO_WINNER:
        return pay_to(s, p, winner, counters)
    total = 0
    for i in range(1, s.players):
        total += pay_to(s, p, clockwise(s, p, i), counters)
    return total
