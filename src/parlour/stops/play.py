"""Stops play: suits are built upwards round the table, and who cannot be followed leads again.

These are plain rule functions, compiled with the game's own.  Clause ids (CO-n) refer to ``book.md`` beside this file,
which the rule books of the games take in.  A game derives its position from :class:`Stops` and decides for itself what
a card brings that is played, and what follows when a player is out.

A card is 13 * suit + rank, ranks from the ace (0) to the King (12), suits in the order c d h s.  Sets of cards and of
seats are integers, one bit a member.
"""

from typing import Any

from parlour.matchplay import Match, pay
from parlour.vocabulary import below, count, draw, lowest, note, number, numbers

SEATS, RANKS = 8, 13
CARD_NAMES = tuple(rank + suit for suit in "cdhs" for rank in "A23456789TJQK")
PACK = (1 << 52) - 1
ACES = sum(1 << (RANKS * suit) for suit in range(4))
JACKS, QUEENS, KINGS = ACES << 10, ACES << 11, ACES << 12
EIGHT_OF_DIAMONDS, NINE_OF_DIAMONDS, TEN_OF_DIAMONDS = 20, 21, 22
# The card that follows each, by what the ace is (0: low, 52: high, added to the card): -1 after the highest.
NEXT = tuple(c + 1 if c % RANKS < 12 else -1 for c in range(52)) + tuple(
    -1 if c % RANKS == 0 else c + 1 if c % RANKS < 12 else c - 12 for c in range(52)
)
ACE_HIGH = 52

DRAWING, DEALING, LEADING, RUNNING, OUT, SETTLED, OVER = range(7)  # stages that every game of stops has


class Stops(Match):
    """What lies on the table, in the hands and in the stock, and what everybody owns.

    ``stock``: cards in nobody's hand that have not been played, seen by nobody.  ``out``: cards that cannot be played
    in this deal, as everybody sees.  ``played``: what each player has played in this deal (or drawn for the first
    deal); ``gone``: all of it; ``run``: the last sequence, which lies there until somebody leads.  ``lacks``: what a
    player has said, or shown, that he does not hold, where it has not been played in answer.
    """

    stage: int = number()
    player: int = number("i1")  # who leads or has played the last card; before that, who gets the next one
    card: int = number("i1")  # the last card played, -1 before the first
    dealt: int = number("i1")
    stock: int = number("i8")
    out: int = number("i8")
    gone: int = number("i8")
    run: int = number("i8")
    hand: list[int] = numbers(SEATS, "i8")
    played: list[int] = numbers(SEATS, "i8")
    lacks: list[int] = numbers(SEATS, "i8")
    coins: list[int] = numbers(SEATS, "i4")
    before: list[int] = numbers(SEATS, "i4")  # coins when the last deal was settled


def left_of(s: Stops, p: int) -> int:
    """The next player clockwise."""
    return p + 1 if p + 1 < s.players else 0


# ------------------------------------------------------------------------------------------ the deal


def gather(s: Stops, pack: int) -> None:
    """All cards of the pack are in the stock."""
    s.stock = pack
    s.out = PACK & ~pack
    s.gone = s.run = s.dealt = 0
    s.card = -1
    for p in range(s.players):
        s.hand[p] = s.played[p] = s.lacks[p] = 0
    s.player = left_of(s, s.dealer)


def give(s: Stops, c: int) -> None:
    """The next card of the deal."""
    s.stock ^= 1 << c
    s.hand[s.player] |= 1 << c
    s.dealt += 1
    s.player = left_of(s, s.player)


# ------------------------------------------------------------------------------------------ the play


def put(s: Stops, p: int, c: int) -> None:
    """A player lays a card on the table; without another one he is out (CO-27)."""
    bit = 1 << c
    s.hand[p] &= ~bit
    s.played[p] |= bit
    s.gone |= bit
    s.run |= bit
    s.player = p
    s.card = c
    s.stage = RUNNING if s.hand[p] else OUT


def take_lead(s: Stops, p: int) -> None:
    """A player has the lead (CO-19 to CO-22)."""
    s.player = p
    s.stage = LEADING


def is_stopped(s: Stops, n: int, to: Any) -> bool:
    """Whether everybody sees that nothing follows the last card (CO-20 to CO-23); ``n``: the card that would, or -1."""
    if n < 0:
        note(to, "CO-20", "top_of_suit", s.player, s.card)
        return True
    if s.out >> n & 1:
        note(to, "CO-21", "card_out", s.player, n)
        return True
    if s.gone >> n & 1:
        note(to, "CO-22", "card_gone", s.player, n)
        return True
    return False


def holder(s: Stops, n: int) -> int:
    """Set of the one player who holds a card, or of none.  (It looks at all hands, for where to stop nobody can
    foresee, the processor neither.)"""
    found = 0
    for q in range(s.players):
        found |= (s.hand[q] >> n & 1) << q
    return found


def distance(s: Stops, p: int, q: int) -> int:
    """How many seats clockwise from p to q."""
    return q - p if q >= p else q - p + s.players


def deny(s: Stops, first: int, n: int, times: int, to: Any) -> None:
    """So many players, from seat ``first`` on, say that they do not hold card ``n`` (CO-18)."""
    q = first
    for _ in range(times):
        note(to, "CO-18", "lacks", q, n)
        q = left_of(s, q)


def ask(s: Stops, n: int, to: Any) -> int:
    """Card ``n`` is asked for round the table from the left of the player of the last card, who does not hold it: its
    holder, or -1 if there is none; then all know that it is in nobody's hand (CO-16 to CO-19)."""
    first = left_of(s, s.player)
    who = holder(s, n)
    if who:
        q = lowest(who)
        deny(s, first, n, distance(s, first, q), to)
        return q
    deny(s, first, n, s.players - 1, to)
    for p in range(s.players):
        s.lacks[p] |= 1 << n
    return -1


def show_hands(s: Stops, to: Any) -> None:
    """All hands but that of the player who is out (CO-28)."""
    p = left_of(s, s.player)
    while p != s.player:
        note(to, "CO-28", "shows", p, count(s.hand[p]), s.hand[p])
        p = left_of(s, p)


# ------------------------------------------------------------------------------------------ accounts


def collect(s: Any, p: int, each: int) -> int:
    """Each other player pays so much to p, clockwise from his left; what p receives (option ``shortfall``: on credit,
    or only as far as they have it)."""
    total = 0
    q = left_of(s, p)
    while q != p:
        total += pay(s.coins, q, each, s.shortfall != 0)
        q = left_of(s, q)
    s.coins[p] += total
    return total


# ------------------------------------------------------------------------------------------ worlds


def seats_between(s: Stops, p: int, q: int) -> int:
    """Set of the seats after p and before q, clockwise."""
    found = 0
    r = left_of(s, p)
    while r != q:
        found |= 1 << r
        r = left_of(s, r)
    return found


def held(s: Stops, p: int) -> int:
    """How many cards a player holds, as everybody knows (first to the dealer's left, one at a time)."""
    place = (p - s.dealer - 1 + s.players) % s.players
    return s.dealt // s.players + (place < s.dealt % s.players) - count(s.played[p])


def room(s: Stops, q: int) -> int:
    """While hidden cards are dealt: how many more go to seat q, or to the stock (q = players)."""
    if q < s.players:
        return held(s, q) - count(s.hand[q])
    return 52 - count(s.out) - s.dealt - count(s.stock)


def rooms(s: Stops, places: int) -> int:
    """While hidden cards are dealt: how many more go to these places together."""
    total = 0
    for q in range(s.players + 1):
        if places >> q & 1:
            total += room(s, q)
    return total


def assign(s: Stops, c: int, places: int, rng: list[int]) -> None:
    """Put a hidden card where it may be (a set of seats and, as member number ``players``, the stock), each place as
    likely as there is room; there must be some."""
    left = below(rng, rooms(s, places))
    for q in range(s.players + 1):
        if places >> q & 1:
            left -= room(s, q)
            if left < 0:
                if q < s.players:
                    s.hand[q] |= 1 << c
                else:
                    s.stock |= 1 << c
                return


def unplaced(s: Stops) -> int:
    """While hidden cards are dealt: those that are still to be dealt."""
    cards = PACK & ~s.out & ~s.gone & ~s.stock
    for q in range(s.players):
        cards &= ~s.hand[q]
    return cards


def fill_stock(s: Stops) -> None:
    """Put what everybody has said he lacks where it must be: in the stock."""
    nobody = unplaced(s)
    for q in range(s.players):
        if room(s, q) > 0:
            nobody &= s.lacks[q]
    s.stock |= nobody


def deal_hidden(s: Stops, rng: list[int]) -> None:
    """Deal what has no place yet to where there is room, all deals equally likely in which nobody has a card that he
    lacks.  Call ``fill_stock`` before.

    First come the cards that somebody lacks, until :func:`deal_lacked` has dealt them fairly; then the others, which
    may be anywhere.
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
    """Those of the places where a card may be."""
    places = open_places
    for q in range(s.players):
        places &= ~((s.lacks[q] >> c & 1) << q)
    return places


def deal_lacked(s: Stops, lacked: int, open_places: int, rng: list[int]) -> bool:
    """Deal the cards that somebody lacks, each by the room in the places where it may be; false if they have to be
    taken back and dealt again.

    Each of these ways to deal must count for as many deals of all cards as there are that go on from it, which is the
    product of the rooms that the cards have found where they went.  Dealing by room does that, but for the sum of the
    rooms which each card could choose from: that is less if earlier cards lie there, more if they lie elsewhere.  So a
    card stays with a chance of this sum to the largest that it can be, and with certainty if the earlier cards do not
    matter to it, as with one card that somebody lacks (rejection sampling).
    """
    earlier = 0
    while lacked:
        c = least_free(s, lacked, open_places)
        lacked ^= 1 << c
        places = may_be(s, c, open_places)
        now = rooms(s, places)
        elsewhere = rooms(s, open_places & ~places)
        others = earlier
        moved = 0  # earlier cards that lie in these places and might lie elsewhere
        while others:
            d = lowest(others)
            others &= others - 1
            moved += (lies_in(s, d) & places) != 0
            moved -= (may_be(s, d, open_places) & ~places) == 0
        if now == 0 or below(rng, now + min(moved, elsewhere)) >= now:
            return False
        assign(s, c, places, rng)
        earlier |= 1 << c
    return True


def least_free(s: Stops, cards: int, open_places: int) -> int:
    """The card that has the fewest places."""
    found = lowest(cards)
    fewest = SEATS + 2
    while cards:
        n = count(may_be(s, lowest(cards), open_places))
        if n < fewest:
            fewest = n
            found = lowest(cards)
        cards &= cards - 1
    return found


def lies_in(s: Stops, c: int) -> int:
    """The place of a card that has been dealt, as a set of one."""
    for q in range(s.players):
        if s.hand[q] >> c & 1:
            return 1 << q
    return 1 << s.players
