"""The rule of thumb for games of stops: where a sequence from each card would lead.

``notes`` holds first, for each card by its number, what it brings to the player who plays it, then what
:func:`look_around` writes.
"""

from parlour.rules.stops.position import NEXT, PACK, Stops, held
from parlour.rules.vocabulary import count

IN_STOCK, IN_HANDS = 52, 53  # places in notes: how many cards nobody holds; the first of how many each player holds


def look_around(s: Stops, me: int, notes: list[float]) -> None:
    """Note how many cards each other player holds and how many nobody holds, and set the value of every card to 0."""
    for c in range(52):
        notes[c] = 0.0
    hidden = count(PACK & ~(s.out | s.gone | s.hand[me]))
    for q in range(s.players):
        notes[IN_HANDS + q] = 0.0
        if q != me:
            notes[IN_HANDS + q] = float(held(s, q))
            hidden -= held(s, q)
    notes[IN_STOCK] = float(hidden)


def is_stopped(s: Stops, n: int) -> bool:
    """Whether everybody knows that no card follows; ``n``: the card that would follow, or -1."""
    if n < 0:
        return True
    return (s.out | s.gone) >> n & 1 == 1


def in_stock(s: Stops, n: int, notes: list[float]) -> float:
    """The probability that a card outside the player's own hand is in nobody's, by what everybody has heard."""
    places = notes[IN_STOCK]
    for q in range(s.players):
        if s.lacks[q] >> n & 1 == 0:
            places += notes[IN_HANDS + q]
    return notes[IN_STOCK] / places if places != 0.0 else 1.0


def sequence(s: Stops, me: int, c: int, ace: int, shed: float, lead: float, notes: list[float]) -> float:
    """The value of playing card ``c``: what the player's own cards bring, ``shed`` for each card that they get rid of,
    and ``lead`` for the chance to lead again.  ``ace``: ``ACE_LOW`` or ``ACE_HIGH``."""
    worth = notes[c] + shed
    mine = 1.0  # chance that this player plays the last card of the sequence so far
    alive = 1.0  # chance that the sequence has come this far, whoever plays
    n = NEXT[c + ace]
    while alive > 0.0 and not is_stopped(s, n):
        if s.hand[me] >> n & 1:
            worth += alive * (notes[n] + shed)
            mine = alive
        else:
            stopped = in_stock(s, n, notes)
            worth += mine * stopped * lead
            alive *= 1.0 - stopped
            mine = 0.0
        n = NEXT[n + ace]
    return worth + mine * lead
