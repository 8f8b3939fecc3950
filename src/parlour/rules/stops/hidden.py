"""What follows from a player's knowledge in games of stops, and how hidden cards are dealt at random.

These are plain rule functions, compiled with the game's own.
"""

from parlour.rules.matchplay import everybody_sits
from parlour.rules.stops.position import PACK, SEATS, Stops, clockwise, distance, held
from parlour.rules.vocabulary import below, count, draw, lowest, members

# ------------------------------------------------------------------------------------------ what follows from facts


def restore_table(s: Stops) -> None:
    """Work out the fields that follow from those that were told."""
    everybody_sits(s)
    for p in range(s.players):
        s.gone |= s.played[p]
    if (s.dealt == 0) | (s.gone == 0):
        s.card = -1


# ------------------------------------------------------------------------------------------ dealing hidden cards


def seats_between(s: Stops, p: int, q: int) -> int:
    """Return the set of the seats after ``p`` and before ``q``, clockwise."""
    found = 0
    for i in range(1, distance(s, p, q)):
        found |= 1 << clockwise(s, p, i)
    return found


def room(s: Stops, q: int) -> int:
    """Return how many more hidden cards go to seat q, or to the stock (q = players)."""
    if q < s.players:
        return held(s, q) - count(s.hand[q])
    return 52 - count(s.out) - s.dealt - count(s.stock)


def rooms(s: Stops, places: int) -> int:
    """Return how many more hidden cards go to these places together."""
    total = 0
    for q in members(places):
        total += room(s, q)
    return total


def assign(s: Stops, c: int, places: int, rng: list[int]) -> None:
    """Put a hidden card into one of ``places`` (a set of seats and, as member number ``players``, the stock), at
    random, with each place weighted by its room.  There must be room."""
    left = below(rng, rooms(s, places))
    for q in members(places):
        left -= room(s, q)
        if left < 0:
            if q < s.players:
                s.hand[q] |= 1 << c
            else:
                s.stock |= 1 << c
            return


def unplaced(s: Stops) -> int:
    """Return the hidden cards that are still to be dealt."""
    cards = PACK & ~s.out & ~s.gone & ~s.stock
    for q in range(s.players):
        cards &= ~s.hand[q]
    return cards


def fill_stock(s: Stops) -> None:
    """Put every card that all players have said they lack into the stock, where it must be."""
    nobody = unplaced(s)
    for q in range(s.players):
        if room(s, q) > 0:
            nobody &= s.lacks[q]
    s.stock |= nobody


def deal_hidden(s: Stops, rng: list[int]) -> None:
    """Deal the cards that have no place yet wherever there is room, so that all deals in which nobody gets a card that
    they lack are equally likely.  Call ``fill_stock`` before.

    First come the cards that a player is known to lack (:func:`deal_lacked`, repeated until it succeeds), then the
    others, which may be anywhere.
    """
    hidden = unplaced(s)
    lacked = 0
    open_places = 0
    for q in range(s.players + 1):
        if room(s, q) > 0:
            open_places |= 1 << q
            if q < s.players:
                lacked |= s.lacks[q]
    lacked &= hidden
    while not deal_lacked(s, lacked, open_places, rng):
        s.stock &= ~lacked
        for q in range(s.players):
            s.hand[q] &= ~lacked
    rest = hidden & ~lacked
    for q in range(s.players):
        for _ in range(room(s, q)):
            c = draw(rng, rest)
            rest ^= 1 << c
            s.hand[q] |= 1 << c
    s.stock |= rest


def may_be(s: Stops, c: int, open_places: int) -> int:
    """Return those of the places where a card may be."""
    places = open_places
    for q in range(s.players):
        places &= ~((s.lacks[q] >> c & 1) << q)
    return places


def deal_lacked(s: Stops, lacked: int, open_places: int, rng: list[int]) -> bool:
    """Deal the cards that a player is known to lack, each to a random place with a chance by its room; return false if
    they must be taken back and dealt again.

    Each of these ways to deal must count for as many deals of all cards as there are that go on from it, which is the
    product of the rooms that the cards have found where they went.  Dealing by room does that, except for the sum of
    the rooms from which each card could choose: that is less if earlier cards lie there, more if they lie elsewhere.
    So a card stays with a chance of this sum to the largest that it can be, and with certainty if the earlier cards do
    not matter to it, as with one card that somebody lacks (rejection sampling).
    """
    earlier = 0
    while lacked:
        c = least_free(s, lacked, open_places)
        lacked ^= 1 << c
        places = may_be(s, c, open_places)
        now = rooms(s, places)
        elsewhere = rooms(s, open_places & ~places)
        moved = 0  # earlier cards in these places that could lie elsewhere
        for d in members(earlier):
            moved += (lies_in(s, d) & places) != 0
            moved -= (may_be(s, d, open_places) & ~places) == 0
        if now == 0 or below(rng, now + min(moved, elsewhere)) >= now:
            return False
        assign(s, c, places, rng)
        earlier |= 1 << c
    return True


def least_free(s: Stops, cards: int, open_places: int) -> int:
    """Return the card that has the fewest places."""
    found = lowest(cards)
    fewest = SEATS + 2
    for c in members(cards):
        n = count(may_be(s, c, open_places))
        if n < fewest:
            fewest = n
            found = c
    return found


def lies_in(s: Stops, c: int) -> int:
    """Return the place of a card that has been dealt, as a set of one."""
    for q in range(s.players):
        if s.hand[q] >> c & 1:
            return 1 << q
    return 1 << s.players
