"""Stops play: suits are built upwards round the table, and who cannot be followed leads again.

These are plain rule functions, compiled with the game's own.  Clause ids (CO-n) refer to ``book.md`` beside this file,
which the rule books of the games take in.  A game derives its position from :class:`Stops` and decides for itself what
a card brings that is played, and what follows when a player is out.

A card is 13 * suit + rank, ranks from the ace (0) to the King (12), suits in the order c d h s.  Sets of cards and of
seats are integers, one bit a member.
"""

from typing import Any

from parlour.matchplay import Match, everybody_sits, pay
from parlour.vocabulary import amount, below, cards, count, draw, lowest, note, number, numbers, one_of, seat, tell

SEATS, RANKS = 8, 13
CARD_NAMES = tuple(rank + suit for suit in "cdhs" for rank in "A23456789TJQK")
PACK = (1 << 52) - 1
SUIT = (1 << RANKS) - 1
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


def give_open(s: Stops, c: int) -> None:
    """The next card where cards are dealt face up, for the first deal or for what is left on a layout."""
    s.stock ^= 1 << c
    s.gone |= 1 << c
    s.played[s.player] |= 1 << c
    s.player = left_of(s, s.player)


def eldest_leads(s: Stops, to: Any) -> None:
    """The cards are dealt, and the play begins (CO-13)."""
    p = left_of(s, s.dealer)
    note(to, "CO-13", "eldest", p)
    take_lead(s, p)


# ------------------------------------------------------------------------------------------ the play


def play_on(s: Stops, led: int, ace: int, special: int, to: Any) -> None:
    """A card is led (``led``, if that is not -1), and what follows by itself, until a card of ``special`` has been
    played, a player is out, or somebody has the lead and a choice.

    It is the whole play of a game in which nothing breaks into a sequence.  ``ace``: what to add to a card to find the
    next one in ``NEXT``.
    """
    c = led
    p = s.player
    while True:
        if c < 0 and s.stage == LEADING:
            c = only_card(s, to)
            p = s.player
        if c >= 0:
            lead(s, c, to)
        elif s.stage == RUNNING:
            c = NEXT[ace + s.card]
            p = follower(s, c, to)
        else:
            return
        if p >= 0:
            put(s, p, c)
            if special >> c & 1:
                return
        c = -1


def lead(s: Stops, c: int, to: Any) -> None:
    """The player who has the lead leads a card, which is still to be put on the table (CO-14)."""
    s.run = 0
    note(to, "CO-14", "leads", s.player, c)


def only_card(s: Stops, to: Any) -> int:
    """The one card that a leader has left, which he leads without being asked, or -1 (CO-26)."""
    mine = s.hand[s.player]
    if mine & (mine - 1):
        return -1
    note(to, "CO-26", "last_card", s.player)
    return lowest(mine)


def follower(s: Stops, n: int, to: Any) -> int:
    """Who plays the next card, ``n`` (-1: there is none): the player of the last one or whoever is found when it is
    asked for; or -1, and the player of the last one has the lead (CO-15 to CO-23)."""
    p = s.player
    if is_stopped(s, n, to):
        take_lead(s, p)
        return -1
    if s.hand[p] >> n & 1:
        note(to, "CO-15", "goes_on", p, n)
        return p
    note(to, "CO-16", "fails", p, n)
    q = ask(s, n, to)
    if q >= 0:
        note(to, "CO-17", "plays", q, n)
    else:
        note(to, "CO-19", "silent_stop", p, n)
        take_lead(s, p)
    return q


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


def lowest_of_suits(hand: int, ace: int) -> int:
    """The lowest card of each suit, where only that may be led; ``ace``: 0 where it is low, else ``ACE_HIGH``."""
    found = 0
    for suit in range(4):
        mine = hand & SUIT << RANKS * suit
        if (ace != 0) & (mine & (mine - 1) != 0):
            mine &= ~ACES
        found |= mine & -mine
    return found


def lower_cards(c: int, ace: int) -> int:
    """The cards of the same suit below a card; ``ace``: 0 where it is low, else ``ACE_HIGH``."""
    suit = SUIT << c // RANKS * RANKS
    below_it = suit & ((1 << c) - 1)
    if ace == 0:
        return below_it
    return suit & ~ACES if ACES >> c & 1 else below_it & ~ACES


def show_lowest(s: Stops, c: int, ace: int) -> None:
    """Who leads a card has no lower one of its suit, where only the lowest may be led."""
    s.lacks[s.player] |= lower_cards(c, ace) & ~s.gone & ~s.out


# ------------------------------------------------------------------------------------------ choices


def list_cards(members: int, first: int, acts: list[int]) -> int:
    """The actions ``first`` + card for a set of cards; how many."""
    n = 0
    while members:
        acts[n] = first + lowest(members)
        n += 1
        members &= members - 1
    return n


def refuse_lead(s: Stops, me: int) -> str:
    """The clause that forbids a lead once the cards are dealt."""
    if s.stage != LEADING:
        return "CO-17"
    if me != s.player:
        return "CO-13" if s.gone == 0 else "CO-19"
    return "CO-14"


# ------------------------------------------------------------------------------------------ accounts


def collect(s: Any, p: int, each: int) -> int:
    """Each other player pays so much to p, clockwise from his left; what p receives."""
    total = 0
    q = left_of(s, p)
    while q != p:
        total += pay_to(s, q, p, each)
        q = left_of(s, q)
    return total


def pay_to(s: Any, p: int, q: int, counters: int) -> int:
    """Player ``p`` pays player ``q`` so much (option ``shortfall``: on credit, or only as far as he has it); what he
    pays."""
    paid = pay(s.coins, p, counters, s.shortfall != 0)
    s.coins[q] += paid
    return paid


# ------------------------------------------------------------------------------------------ telling

STAGES = ("drawing", "dealing", "lead", "running", "out", "settled", "over")
THINGS = {
    "deal": amount(16),
    "dealer": seat(),
    "player": seat(),
    "dealt": amount(52),
    "card": one_of(CARD_NAMES),
    "run": cards(CARD_NAMES),
    "out": cards(CARD_NAMES),
    "coins": amount(200, per=SEATS, seats=True),
    "before": amount(200, per=SEATS, seats=True),
    "held": amount(25, per=SEATS, seats=True),
    "played": cards(CARD_NAMES, per=SEATS, seats=True),
    "lacks": cards(CARD_NAMES, per=SEATS, seats=True),
    "hand": cards(CARD_NAMES, per=SEATS, seats=True),
}


def show_table(s: Stops, to: Any) -> None:
    """What lies open in every game of stops."""
    tell(to, "stage", 0, s.stage)
    tell(to, "deal", 0, s.deal)
    tell(to, "player", 0, s.player)
    tell(to, "dealt", 0, s.dealt)
    tell(to, "run", 0, s.run)
    tell(to, "out", 0, s.out)
    if s.stage > DRAWING:
        tell(to, "dealer", 0, s.dealer)
    if s.card >= 0:
        tell(to, "card", 0, s.card)
    show_players(s, to)


def show_players(s: Stops, to: Any) -> None:
    """Of it, what lies before each player."""
    for p in range(s.players):
        tell(to, "coins", p, s.coins[p])
        tell(to, "before", p, s.before[p])
        tell(to, "played", p, s.played[p])
        tell(to, "held", p, held(s, p) if s.dealt else 0)
        tell(to, "lacks", p, s.lacks[p])
        if (s.stage == OVER) & (s.hand[p] != 0):
            tell(to, "hand", p, s.hand[p])


def restore_table(s: Stops) -> None:
    """What follows from what was told."""
    everybody_sits(s)
    for p in range(s.players):
        s.gone |= s.played[p]
    if (s.dealt == 0) | (s.gone == 0):
        s.card = -1


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
