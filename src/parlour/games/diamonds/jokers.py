"""Jokers in Diamonds: when they may be played, and what they do."""

from parlour.games.diamonds.position import *
from parlour.rules.vocabulary import *


def joker_plays(s: Diamonds, me: int) -> int:
    """Return the set of the steals (DM-83, DM-84) and switches (DM-86 to DM-89) that are legal now."""
    if s.jokers[me] == 0 or s.played or (s.stage != START and s.joker_when != OWN_TURN):  # DM-78, DM-79, DM-82
        return 0
    room = may_gain(s, me)
    gift = (s.switch_target == ANYONE) & (s.spade[me] > 0)
    plays = 0
    for q in range(s.players):
        if q != me:
            plays |= (room & (s.diamonds[q] > 0)) << (STEAL + q)
            plays |= (gift | (s.spade[q] > 0)) << (SWITCH + q)
    return plays


def may_gain(s: Diamonds, me: int) -> bool:
    """Whether one more diamond would leave the player below the target (DM-84)."""
    return count(s.diamonds[me]) + 1 < target(s)


def with_jokers(s: Diamonds, me: int, acts: list[int], n: int) -> int:
    """Write the plays of a joker after n other actions; return the new number of actions."""
    for a in members(joker_plays(s, me)):
        acts[n] = a
        n += 1
    return n


def play_joker(s: Diamonds, me: int, a: int, to: Listener) -> None:
    """Steal, or switch spades; this does not use up the turn (DM-81)."""
    joker = lowest(s.jokers[me])
    note(to, "DM-90", "joker_played", me, JOKERS + joker)
    s.jokers[me] ^= 1 << joker
    s.debris |= 1 << (JOKERS + joker)
    s.played = int(s.jokers_per_turn == ONE)
    if a < SWITCH:
        steal(s, me, a - STEAL, to)
    else:
        switch_spades(s, me, a - SWITCH, to)


def steal(s: Diamonds, me: int, q: int, to: Listener) -> None:
    """Steal another player's lowest diamond (DM-85)."""
    diamond = lowest(s.diamonds[q])
    note(to, "DM-83", "steals", me, DIAMONDS + diamond, q)
    s.diamonds[q] ^= 1 << diamond
    s.diamonds[me] |= 1 << diamond


def switch_spades(s: Diamonds, me: int, q: int, to: Listener) -> None:
    """Exchange two players' spades; if only one of them has a spade, it changes hands (DM-87)."""
    note(to, "DM-86", "switches", me, q)
    mine = s.spade[me]
    s.spade[me] = s.spade[q]
    s.spade[q] = mine


def refuse_joker(s: Diamonds, me: int, a: int) -> str:
    q = (a - STEAL) % SEATS
    if s.jokers[me] == 0:
        return "DM-78" if s.fresh[me] else "DM-115"
    if s.stage == OFFERED or (s.stage == BETWEEN and s.joker_when != OWN_TURN):
        return "DM-79"
    if s.played:
        return "DM-82"
    if q == me or q >= s.players:
        return "DM-83" if a < SWITCH else "DM-86"
    if a >= SWITCH:
        return "DM-88"
    return "DM-83" if may_gain(s, me) else "DM-84"
