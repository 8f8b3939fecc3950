"""The play in games of stops: suits are built upwards round the table, and a player whose card nobody can follow leads
again.

These are plain rule functions, compiled with the game's own.  Clause ids (CO-n) refer to ``book.md`` beside this file,
which the rule books of the games include.  A game derives its position from
:class:`~parlour.rules.stops.position.Stops` and defines itself what a played card brings, and what happens when a
player is out.
"""

from parlour.rules.stops.dealing import take_lead
from parlour.rules.stops.position import (
    ACE_HIGH,
    ACE_LOW,
    ACES,
    KINGS,
    LEADING,
    NEXT,
    OUT,
    RANKS,
    RUNNING,
    SUIT,
    Stops,
    clockwise,
    distance,
)
from parlour.rules.vocabulary import Listener, lowest, note

# ------------------------------------------------------------------------------------------ the lead


def lead(s: Stops, c: int, to: Listener) -> None:
    """Lead a card for the player who has the lead (CO-14)."""
    s.run = 0
    note(to, "CO-14", "leads", s.player, c)
    put(s, s.player, c)


def only_card(s: Stops, to: Listener) -> int:
    """Lead a leader's only card without asking (CO-26)."""
    note(to, "CO-26", "last_card", s.player)
    return lowest(s.hand[s.player])


def refuse_lead(s: Stops, me: int, a: int) -> str:
    """Return the clause that forbids a card to a player who does not have the lead."""
    if s.stage != LEADING:
        return "CO-17"
    return "CO-13" if s.gone == 0 else "CO-19"


def lowest_of_suits(hand: int, ace: int) -> int:
    """Return the lowest card of each suit, for games in which only that may be led; ``ace``: ``ACE_LOW`` or
    ``ACE_HIGH``."""
    found = 0
    for suit in range(4):
        mine = hand & SUIT << RANKS * suit
        if (ace == ACE_HIGH) & has_several(mine):
            mine &= ~ACES
        found |= mine & -mine  # only the lowest of this suit
    return found


def has_several(those: int) -> bool:
    """Whether a set has more than one member."""
    return those & (those - 1) != 0


def starts_of_runs(hand: int) -> int:
    """Return the lowest card of each sequence in a hand: a player who leads it plays the whole sequence (CO-15).

    >>> from parlour.rules.stops.position import CARD_NAMES
    >>> from parlour.rules.vocabulary import members
    >>> [CARD_NAMES[c] for c in members(starts_of_runs(0b1_0111_1000_0000_0110))]  # of 2c 3c Qc Kc Ad 2d 4d
    ['2c', 'Qc', 'Ad', '4d']
    """
    follow = (hand & ~KINGS) << 1
    return hand & ~follow


def lower_cards(c: int, ace: int) -> int:
    """Return the cards of the same suit below a card; ``ace``: ``ACE_LOW`` or ``ACE_HIGH``."""
    suit = SUIT << c // RANKS * RANKS
    below_it = suit & ((1 << c) - 1)
    if ace == ACE_LOW:
        return below_it
    return suit & ~ACES if ACES >> c & 1 else below_it & ~ACES


def show_lowest(s: Stops, c: int, ace: int) -> None:
    """Note that the leader of a card has no lower one of its suit, for games in which only the lowest may be led."""
    s.lacks[s.player] |= lower_cards(c, ace) & ~s.gone & ~s.out


# ------------------------------------------------------------------------------------------ the sequence


def goes_on(s: Stops) -> bool:
    """Whether the play goes on by itself: a sequence runs, or the leader has one card left."""
    if s.stage != LEADING:
        return s.stage == RUNNING
    return not has_several(s.hand[s.player])


def play_on(s: Stops, ace: int, special: int, to: Listener) -> None:
    """Play on as far as nobody has a choice: until a card of ``special`` has been played, a player is out, or the
    leader has a choice.  ``ace``: ``ACE_LOW`` or ``ACE_HIGH``."""
    while goes_on(s):
        if s.stage == LEADING:
            lead(s, only_card(s, to), to)
        else:
            n = NEXT[ace + s.card]
            if has_to_be_asked_for(s, n, to):
                go_round(s, n, to)
        if (s.stage != LEADING) & (special >> s.card & 1 == 1):
            return


def has_to_be_asked_for(s: Stops, n: int, to: Listener) -> bool:
    """Whether the next card ``n`` (-1: none) has to be asked for (CO-16).  If not, the player of the last card plays it
    (CO-15), or everybody sees the sequence stop (CO-20 to CO-23)."""
    p = s.player
    if is_stopped(s, n, to):
        take_lead(s, p)
        return False
    if s.hand[p] >> n & 1:
        note(to, "CO-15", "goes_on", p, n)
        put(s, p, n)
        return False
    note(to, "CO-16", "fails", p, n)
    return True


def is_stopped(s: Stops, n: int, to: Listener) -> bool:
    """Whether everybody knows that no card follows the last one (CO-20 to CO-23); ``n``: the card that would follow, or
    -1."""
    if n < 0:
        note(to, "CO-20", "top_of_suit", s.player, s.card)
        return True
    if (s.out | s.gone) >> n & 1:
        is_out = s.out >> n & 1 == 1
        note(to, "CO-21" if is_out else "CO-22", "card_out" if is_out else "card_gone", s.player, n)
        return True
    return False


def go_round(s: Stops, n: int, to: Listener) -> None:
    """Ask round the table for a card.  Its holder plays it; if nobody holds it, the player of the last card leads again
    (CO-17, CO-19)."""
    q = ask(s, n, to)
    if q >= 0:
        note(to, "CO-17", "plays", q, n)
        put(s, q, n)
    else:
        note(to, "CO-19", "silent_stop", s.player, n)
        take_lead(s, s.player)


def ask(s: Stops, n: int, to: Listener) -> int:
    """Ask for card ``n`` round the table, from the left of the player of the last card, who does not hold it.  Return
    its holder; or -1 if there is none, and then everybody knows that it is in nobody's hand (CO-16 to CO-19)."""
    who = holder(s, n)
    if who:
        q = lowest(who)
        deny(s, n, distance(s, s.player, q) - 1, to)
        return q
    deny(s, n, s.players - 1, to)
    for p in range(s.players):
        s.lacks[p] |= 1 << n
    return -1


def holder(s: Stops, n: int) -> int:
    """Return the set of the one player who holds a card, or the empty set. (It looks at all hands, because a processor
    would mispredict an early exit.)"""
    found = 0
    for q in range(s.players):
        found |= (s.hand[q] >> n & 1) << q
    return found


def deny(s: Stops, n: int, times: int, to: Listener) -> None:
    """Have this many players, from the left of the player of the last card, say that they do not hold card ``n``
    (CO-18)."""
    for i in range(1, times + 1):
        note(to, "CO-18", "lacks", clockwise(s, s.player, i), n)


def put(s: Stops, p: int, c: int) -> None:
    """Lay a player's card on the table; a player without another card is out (CO-27)."""
    bit = 1 << c
    s.hand[p] &= ~bit
    s.played[p] |= bit
    s.gone |= bit
    s.run |= bit
    s.player = p
    s.card = c
    s.stage = RUNNING if s.hand[p] else OUT
