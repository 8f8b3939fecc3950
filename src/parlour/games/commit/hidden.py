"""What follows from a player's knowledge in Commit, and how hidden cards are dealt at random."""

from parlour.games.commit.play import may_play_comet, may_take
from parlour.games.commit.position import *
from parlour.rules.stops.hidden import assign, deal_hidden, fill_stock, restore_table, seats_between
from parlour.rules.stops.position import DRAWING


def restore(s: Commit, me: int) -> None:
    restore_table(s)
    if s.stage == DRAWING:
        s.stock = DECK & ~s.gone


def redeal(s: Commit, me: int, rng: list[int]) -> None:
    """Deal the cards that ``me`` does not see at random, but none to a player who has said that they lack it."""
    if s.stage == DRAWING:
        return
    fill_stock(s)
    if (s.stage == ASKING) & (s.hand[me] >> s.wanted & 1 == 0):
        assign(s, s.wanted, may_hold_wanted(s, me), rng)
    deal_hidden(s, rng)
    if s.stage == ASKING:
        s.asked = may_play_comet(s)
    elif s.stage == CHOOSING:
        s.asked = may_take(s)


def may_hold_wanted(s: Commit, me: int) -> int:
    """Return the places where the wanted card may be, as far as ``me`` knows (-1: a spectator), who does not have it: a
    set of seats and, as member number ``players``, the stock.  The holder of the comet can infer more: if they are
    asked, no player asked earlier has the card; if they are not, one of these has it."""
    others = ((2 << s.players) - 1) & ~(1 << s.player)
    if me < 0:
        return others
    others &= ~(1 << me)
    if (me == s.player) | (s.hand[me] >> COMET & 1 == 0):
        return others
    before_me = seats_between(s, s.player, me)
    return others & ~before_me if s.asked else before_me
