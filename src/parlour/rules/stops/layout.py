"""Games of stops with a layout: what Pope Joan and Newmarket share before and after the play.

Plain rule functions, compiled with the game's own.  Clause ids (PJ-n) occur in both rule books, with the same text.  In
addition to the fields of :class:`~parlour.rules.stops.position.Stops`, a game's position has those of
:class:`Layout`.
"""

from parlour.rules.matchplay import deals_over, place
from parlour.rules.pools import on_layout, share_layout
from parlour.rules.stops.dealing import gather, give_open, next_dealer, pay_to, sit_down
from parlour.rules.stops.hidden import deal_hidden, fill_stock, restore_table
from parlour.rules.stops.position import DRAWING, JACKS, OVER, SETTLED, Stops
from parlour.rules.vocabulary import EVERYBODY, Listener, amount_option, choice, count, note, seat_option, values_of

RUN_OFF = 9  # a stage; each game uses 7 and 8 for its own

FIRST_DEALER = seat_option("jack", clauses="PJ-2", jack=255)
ROUNDS = amount_option(2, 1, 31, clauses="PJ-17")
LEFTOVERS = choice("runoff", "share", clauses="PJ-18 PJ-19")
(FIRST_JACK,) = values_of(FIRST_DEALER)
PLAY_RUN_OFF, SHARE = values_of(LEFTOVERS)


class Layout(Stops):
    """Fields and options that each game declares at its own place among its others."""

    first_dealer: int
    rounds: int
    leftovers: int
    pool: list[int]  # number of counters on each card or compartment of the layout


# ------------------------------------------------------------------------------------------ the first deal


def begin_match(s: Layout, counters: int, pack: int) -> bool:
    """Give everybody their counters (PJ-15).  Return whether the first dealer is known; if not, cards of the pack are
    dealt face up, beginning with the first seat (PJ-2, PJ-3)."""
    sit_down(s, counters)
    if s.first_dealer != FIRST_JACK:
        s.dealer = s.first_dealer
        return True
    s.dealer = s.players - 1  # so that the first seat gets the first card
    gather(s, pack, DRAWING)
    return False


def is_first_jack(s: Layout, c: int, to: Listener) -> bool:
    """Deal the next player a card face up; return whether it is a jack, so that this player deals first (PJ-2)."""
    p = s.player
    note(to, "PJ-2", "turns_jack", p, c)
    give_open(s, c)
    if JACKS >> c & 1 == 0:
        return False
    s.dealer = p
    note(to, "PJ-2", "deals_first", p)
    return True


# ------------------------------------------------------------------------------------------ settlement


def pay_for_cards(s: Layout, p: int, winner: int, to: Listener) -> None:
    """Have a player pay one counter for every card left to the player who is out (PJ-11)."""
    n = count(s.hand[p])
    paid = pay_to(s, p, winner, n)
    if paid:
        note(to, "PJ-11", "pays", p, paid, n)


def close_deal(s: Layout, to: Listener) -> None:
    """Close a settled deal.  If it was the last, the counters left on the layout are shared, or a run-off follows
    (PJ-18)."""
    s.deal += 1
    s.stage = SETTLED
    if is_last(s):
        left = on_layout(s.pool)
        if (left > 0) & (s.leftovers == SHARE):
            each = left // s.players
            if each:
                note(to, "PJ-18", "shared", EVERYBODY, each)
            if left > each * s.players:
                note(to, "PJ-18", "remainder", s.dealer, left - each * s.players)
            share_layout(s.coins, s.seated, s.pool, s.dealer)
            left = 0
        if left == 0:
            rank(s, to)


def is_last(s: Layout) -> bool:
    """Whether all deals have been played (PJ-17); a run-off may follow."""
    return deals_over(s, s.rounds * s.players)


def pass_deal(s: Layout, pack: int, to: Listener) -> bool:
    """Pass the deal to the left (PJ-4).  Return whether another deal follows; if not, the next player deals the whole
    pack face up for the counters left on the layout (PJ-18)."""
    next_dealer(s)
    if not is_last(s):
        note(to, "PJ-4", "deal_passes", s.dealer, s.deal + 1)
        return True
    note(to, "PJ-18", "run_off", s.dealer)
    gather(s, pack, RUN_OFF)
    return False


def fall(s: Layout, c: int, to: Listener) -> int:
    """Deal a card of the run-off to the next player (PJ-19); return that player."""
    p = s.player
    note(to, "PJ-19", "falls", p, c)
    give_open(s, c)
    return p


def end_run_off(s: Layout, to: Listener) -> None:
    """End the match after the last card of the run-off (PJ-19)."""
    if s.stock == 0:
        s.deal += 1
        rank(s, to)


def rank(s: Layout, to: Listener) -> None:
    """Rank the players at the end of the match (PJ-20)."""
    s.stage = OVER
    for p in range(s.players):
        note(to, "PJ-20", "ranks", p, place(s.coins, s.seated, p), s.coins[p])


# ------------------------------------------------------------------------------------------ hidden cards


def restore_open(s: Layout, pack: int) -> None:
    """Work out the fields that follow from those that were told; ``pack``: the cards dealt face up in the stages that
    do so."""
    restore_table(s)
    if s.stage == DRAWING:
        s.dealer = s.players - 1
    if (s.stage == DRAWING) | (s.stage == RUN_OFF):
        s.stock = pack & ~s.gone


def redeal_hands(s: Layout, rng: list[int]) -> None:
    """Deal the unseen cards at random, but none to a hand whose holder is known to lack it."""
    if (s.stage != DRAWING) & (s.stage != RUN_OFF):
        fill_stock(s)
        deal_hidden(s, rng)
