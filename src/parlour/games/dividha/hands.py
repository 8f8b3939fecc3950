"""The ranking of hands in Dividha.  Clause ids (DV-n) refer to the rule book, ``book.md``.

Cards are numbered 0 to 55 and held in sets, one bit a card: the two wild cards, then rank by rank from the Ace down to
the 2, and in each rank Heaven, Hell, Humans, Demi-Humans, Beasts.

A *reading* of a hand is a combination in it, together with the deuces in it that count as Aces. :func:`score` follows
the rule: it tries every reading and keeps the best. :func:`strength` returns the same number; under the standard rules
it uses a table, because there are only about 377,000 different hands of five cards (mortal suits matter only if all
cards are of the same one).

The ranking depends on options.  ``how`` is a set of bits, one for each option value that is not standard.
"""

from parlour.rules.vocabulary import *

SUITS = "VLUDB"  # Heaven, Hell, Humans, Demi-Humans, Beasts
RANKS = "AKQJ765432"
SIXES = {"6V": ("6Va", "6Vb", "6Vc"), "6L": ("Min", "Ral", "San")}  # DV-5, DV-8
_EACH = [("", "V", "God"), ("", "L", "Satan")]
_EACH += [(r, u, name) for r in RANKS for u in SUITS for name in SIXES.get(r + u, (r + u,))]

CARDS = tuple(name for _, _, name in _EACH)
SUIT_OF = tuple(suit for _, suit, _ in _EACH)
DECK = len(CARDS)  # DV-1
ALL = (1 << DECK) - 1
WILDS = 0b11
GOD, SATAN = 0, 1
HEAVEN, HELL, HUMANS, DEMI_HUMANS, BEASTS = (  # sets: cards of each suit, wild cards included (DV-7)
    sum(1 << c for c, (_, suit, _) in enumerate(_EACH) if suit == u) for u in SUITS
)
IMMORTALS = HEAVEN | HELL
DEUCE_V, DEUCE_L = 1 << CARDS.index("2V"), 1 << CARDS.index("2L")
DEUCES = DEUCE_V | DEUCE_L
SIXES_V, SIXES_L = (sum(1 << CARDS.index(name) for name in names) for names in SIXES.values())

# Heights are places in the sequence of Straights (DV-157): a 2 is 1, a 6 is 5, an Ace is 10 or, as the low Ace, 0.
# A *tally* is one integer with the number of cards of each height, three bits each.
TWO, SIX, LOWEST_TOP, ACE = 1, 5, 4, 10
HEIGHT = tuple(ACE - RANKS.index(r) if r else 0 for r, _, _ in _EACH)
VALUE = tuple(1 if h == ACE else h + 1 if h else 0 for h in HEIGHT)  # what each card counts in the sum (DV-169)
ACES = sum(1 << c for c, h in enumerate(HEIGHT) if h == ACE)
EACH_HEIGHT, WINDOW, LOW_HEIGHTS = 0o11111111111, 0o11111, 0o77770

CATEGORIES = (  # from the weakest up (DV-143, DV-144)
    *(
        "nothing",
        "High Card",
        "Pair",
        "Two Pair",
        "Three-of-a-Kind",
        "Straight",
        "Pure",
        "Full House",
        "Four-of-a-Kind",
    ),
    *("Pure Straight", "Five-of-a-Kind", "Pureblood Straight", "Pure Five-of-a-Kind"),
)
HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, PURE, FULL_HOUSE = range(1, 8)
FOUR, PURE_STRAIGHT, FIVE, PUREBLOOD, PURE_FIVE = range(8, 13)

# Bits of ``how``, the rules of ranking.  The comments name the option that sets each bit.
TRIGGER_IN_HAND = 1 << 0  # deuce_ace_trigger
FORCED_ACE = 1 << 1  # deuce_as_ace
NEVER_LOW = 1 << 2  # deuce_ace_low
DEUCE_IS_TWO = 1 << 3  # deuce_ace_sum
FEW_FIVES = 1 << 4  # five_kind_ranks
HELL_TRIPLE, NO_PAIRS = 1 << 5, 1 << 6  # same_suit_sixes
ANY_SUIT, NO_PURE, OWN_SUIT = 1 << 7, 1 << 8, 1 << 9  # wild_scope
GROUPS_FIRST, RANKS_FIRST = 1 << 10, 1 << 11  # rank_first
NATURAL_WINS = 1 << 12  # providence
HELD, WILD_HELD = 1 << 13, 1 << 14  # providence_scope; whether the six cards include a wild card
KICKERS, WHOLE_HAND = 1 << 15, 1 << 16  # tie_cards
ALL_DEEP = 1 << 17  # high_card_depth
ACE_IS_ELEVEN = 1 << 18  # ace_sum
ONLY_HIGH_CARD = 1 << 19  # misplay_penalty=high_card, for a misplayed hand only

# Widths and places, in bits, of the parts of a score above those of its highest cards (see `reading`).
SUM_BITS, IMMORTALS_BITS, PROVIDENCE_BITS = 6, 3, 1
TO_IMMORTALS = SUM_BITS
TO_PROVIDENCE = TO_IMMORTALS + IMMORTALS_BITS
TO_RANKS = TO_PROVIDENCE + PROVIDENCE_BITS


# ------------------------------------------------------------------------------------------ scoring by the rules


def score(how: int, kept: int) -> int:
    """Return the score of up to five cards: of two hands under the same rules, the one with the higher score is
    stronger; equal scores tie (DV-110, DV-160).

    >>> pair, straight = (score(0, cards_named(hand)) for hand in ("AV 2L 7U 5D 3B", "2L 7V JV QV KV"))
    >>> CATEGORIES[category(0, pair)], pair < straight
    ('Pair', True)
    """
    heaven = bound(how, kept & HEAVEN)
    hell = bound(how, kept & HELL)
    if heaven == 0 or hell == 0:
        return best_reading(how, kept)  # DV-123
    return max(best_reading(how, kept & ~heaven), best_reading(how, kept & ~hell))  # DV-124


def bound(how: int, cards: int) -> int:
    """Return those cards of an immortal suit that cannot be used with the other immortal suit (DV-121, DV-122)."""
    return cards & ~DEUCES & (~WILDS if how & ANY_SUIT else -1)


def may_lie_together(how: int, cards: int) -> bool:
    """Whether these include no cards of Heaven and Hell that cannot be used together."""
    return bound(how, cards & HEAVEN) == 0 or bound(how, cards & HELL) == 0


def best_reading(how: int, legal: int) -> int:
    """Return the best reading of a legal hand, by trying every part of it with every choice of deuces that count as
    Aces."""
    best = 0
    part = legal
    while part:
        may, must = aces_of(how, part, legal)
        aces = may
        while True:
            if must & ~aces == 0:
                best = max(best, reading(how, part, legal, aces))
            if aces == 0:
                break
            aces = (aces - 1) & may
        part = (part - 1) & legal
    return best


def aces_of(how: int, part: int, legal: int) -> tuple[int, int]:
    """Return the deuces of a combination that may count as Aces, and those that must (DV-129, DV-130)."""
    beside = legal if how & TRIGGER_IN_HAND else part
    natural = beside & ~WILDS if how & ANY_SUIT else beside
    may = aces_in(part, beside | WILDS if natural != beside else beside)
    return may, aces_in(part, natural) if how & FORCED_ACE else 0


def aces_in(part: int, beside: int) -> int:
    """Return the deuces of a combination with which a card of the opposite immortal suit is used (DV-128, DV-131)."""
    return (part & DEUCE_V if beside & HELL else 0) | (part & DEUCE_L if beside & HEAVEN else 0)


def reading(how: int, part: int, legal: int, aces: int) -> int:
    """Return the score of a part of a legal hand as a combination, with these deuces as Aces; 0 if it is not one.

    From the highest bits down: the category, the ranks if they are compared first (20 bits), Providence (1), the number
    of immortal cards (3), the sum (6), the highest card (4) or all of them (20).
    """
    tally = tallied(part, aces)
    made = 0
    if not how & ONLY_HIGH_CARD:
        made = combination(how, part, tally, aces, how & ANY_SUIT != 0 and strained(how, part, legal, aces))
    if made == 0 and part == legal:
        made = HIGH_CARD << 20 | falling(how, part, tally)
    if made == 0:
        return 0
    worth = made if how & (GROUPS_FIRST | RANKS_FIRST) else made >> 20
    wild = how & WILD_HELD if how & HELD else part & WILDS
    worth = worth << PROVIDENCE_BITS | ((wild != 0) != (how & NATURAL_WINS != 0))  # DV-165
    counted = legal if how & WHOLE_HAND else part  # DV-163
    worth = worth << IMMORTALS_BITS | count(counted & IMMORTALS)  # DV-167
    worth = worth << SUM_BITS | summed(how, counted, aces)  # DV-168
    if how & WHOLE_HAND:
        tally = tallied(counted, aces)
    if not how & ALL_DEEP:
        return worth << 4 | highest(tally)  # DV-171
    rest = spelt(tallied(legal & ~part, 0)) if how & KICKERS else 0
    return worth << 20 | spelt(tally) | rest >> 4 * count(part & ~WILDS)


def to_sum(how: int, worth: int) -> int:
    """Return a score without its last step, the High Card; the sum is then in the lowest bits."""
    return worth >> (20 if how & ALL_DEEP else 4)


def sum_in(to_sum: int) -> int:
    """Return the sum in such a score (DV-168)."""
    return to_sum & ((1 << SUM_BITS) - 1)


def immortals_in(to_sum: int) -> int:
    """Return the number of immortal cards in such a score (DV-167)."""
    return to_sum >> TO_IMMORTALS & ((1 << IMMORTALS_BITS) - 1)


def category(how: int, worth: int) -> int:
    """Return the category of a hand with this score, as an index of :data:`CATEGORIES`."""
    return to_sum(how, worth) >> TO_RANKS >> (20 if how & (GROUPS_FIRST | RANKS_FIRST) else 0)


def combination(how: int, part: int, tally: int, aces: int, strain: bool) -> int:
    """Return the category that all of these cards form, and the ranks that ``rank_first`` compares; 0 if they form none
    but a High Card hand."""
    size = count(part)
    wild = count(part & WILDS)
    rungs = (tally | tally >> 1 | tally >> 2) & EACH_HEIGHT
    kinds = count(rungs)
    if kinds == 0 and wild == 2:
        return PAIR << 20 | ACE << 16  # both wild cards and nothing else (DV-134)
    if kinds == 1 and size > 1:
        top = highest(tally)
        if size == 5 and wild == 0 and part & SIXES_L == SIXES_L:
            return PURE_FIVE << 20 | top << 16  # DV-145
        if size == 5 and how & FEW_FIVES and top != SIX and wild == 0:
            return 0
        if sixes_allowed(how, part, tally, size == 2 and wild == 0):
            return (FIVE if size == 5 else FOUR if size == 4 else THREE if size == 3 else PAIR) << 20 | top << 16
    if kinds == 2 and size > 3:
        one = highest(tally)
        other = lowest(rungs) // 3
        most = size - 2
        if fit(how, part, tally, one, other, most, strain):
            return (FULL_HOUSE if size == 5 else TWO_PAIR) << 20 | one << 16 | other << 12
        if fit(how, part, tally, other, one, most, strain):
            return (FULL_HOUSE if size == 5 else TWO_PAIR) << 20 | other << 16 | one << 12
    if size == 5:
        pure = is_pure(how, part) and not strain  # not pure if the wild card belongs to the other suit
        height = straight_height(how, rungs, aces, strain) if kinds + wild == 5 else 0
        if height:
            sort = (PUREBLOOD if height == ACE else PURE_STRAIGHT) if pure else STRAIGHT
            return sort << 20 | (height << 16 if how & RANKS_FIRST else 0)
        if pure:
            return PURE << 20 | falling(how, part, tally)
    return 0


def fit(how: int, part: int, tally: int, large: int, small: int, most: int, strain: bool) -> bool:
    """Whether cards of two heights, with the wild cards, make a group of ``most`` of one height and a pair of the
    other."""
    n = tally >> 3 * large & 7
    m = tally >> 3 * small & 7
    if n > most or m > 2:
        return False
    if strain and not ((n < most and (large == ACE or large == TWO)) or (m < 2 and (small == ACE or small == TWO))):
        return False
    return sixes_allowed(how, part, tally, (large == SIX and n == most == 2) or (small == SIX and m == 2))


def sixes_allowed(how: int, part: int, tally: int, pair: bool) -> bool:
    """Whether the 6s of one immortal suit may be grouped like this (DV-159); ``pair``: whether the pair, if it is of
    6s, consists of two natural ones."""
    if how & HELL_TRIPLE and part & SIXES_V == SIXES_V:
        return False
    if how & NO_PAIRS and pair and tally >> 3 * SIX & 7 == 2:
        return count(part & SIXES_V) != 2 and count(part & SIXES_L) != 2
    return True


def is_pure(how: int, part: int) -> bool:
    """Whether all cards are of one suit (DV-127, DV-136, DV-139)."""
    natural = part & ~WILDS
    if natural & ~HEAVEN == 0 or natural & ~HELL == 0:
        return natural == part or not how & NO_PURE
    if natural & ~HUMANS == 0 or natural & ~DEMI_HUMANS == 0 or natural & ~BEASTS == 0:
        return natural == part or not how & (NO_PURE | OWN_SUIT)
    return False


def straight_height(how: int, rungs: int, aces: int, strain: bool) -> int:
    """Return the height of the highest Straight that these different heights and the wild cards make; 0 if none
    (DV-158)."""
    for down in range(ACE - LOWEST_TOP):
        if rungs & ~(WINDOW << 3 * (ACE - down - LOWEST_TOP)) == 0 and not strain:
            return ACE - down
    if aces and how & NEVER_LOW:
        return 0
    rungs = rungs & ~(1 << 3 * ACE) | rungs >> 3 * ACE
    return LOWEST_TOP if rungs & ~WINDOW == 0 and not (strain and rungs >> 3 * TWO & 1) else 0


def strained(how: int, part: int, legal: int, aces: int) -> bool:
    """Whether a wild card that may stand for either immortal suit makes a deuce an Ace while cards of the deuce's own
    suit are also used; it can then stand only for the other deuce [wild_scope=represented_suit]."""
    if how & TRIGGER_IN_HAND and legal & ~part & WILDS:
        return False
    natural = (legal if how & TRIGGER_IN_HAND else part) & ~WILDS
    by_wild = aces & ~aces_in(part, natural)
    own = part & ~DEUCES & ~WILDS & (HEAVEN if by_wild & DEUCE_V else HELL if by_wild & DEUCE_L else 0)
    return own != 0


def falling(how: int, part: int, tally: int) -> int:
    """Return the ranks downwards, with wild cards as Aces, if ranks of Pure and High Card hands are compared first."""
    return spelt(tally + (count(part & WILDS) << 3 * ACE)) if how & RANKS_FIRST else 0


def tallied(cards: int, aces: int) -> int:
    """Return the tally of a set of cards, with these deuces as Aces."""
    tally = 0
    for c in members(cards & ~WILDS):
        tally += 1 << 3 * (ACE if aces >> c & 1 else HEIGHT[c])
    return tally


def summed(how: int, cards: int, aces: int) -> int:
    """Return the Majority Sum of a set of cards, with these deuces as Aces (DV-169, DV-170)."""
    total = 10 * count(cards & ACES) if how & ACE_IS_ELEVEN else 0
    if not how & DEUCE_IS_TWO:
        total -= count(aces)
    for c in members(cards):
        total += VALUE[c]
    return total


def highest(tally: int) -> int:
    """Return the greatest height in a tally, 0 if it is empty."""
    h = ACE
    while h and tally >> 3 * h & 7 == 0:
        h -= 1
    return h


def spelt(tally: int) -> int:
    """Return the heights in a tally downwards, four bits each, in 20 bits."""
    word = 0
    left = 5
    for down in range(ACE):
        for _ in range(tally >> 3 * (ACE - down) & 7):
            word = word << 4 | (ACE - down)
            left -= 1
    return word << 4 * left


# ------------------------------------------------------------------------------------------ scores from a table

# Cards fall into sorts: each wild card, and for each rank that of Heaven, of Hell and of all mortal suits.  A hand of
# five cards is a choice of five sorts, numbered by the combinatorial number system.  Hands of a single mortal suit
# follow, numbered by their ranks.
SORTS = 2 + 3 * len(RANKS)
SORT = tuple(c if c <= SATAN else 2 + 3 * RANKS.index(r) + min(SUITS.index(u), 2) for c, (r, u, _) in enumerate(_EACH))
FIRST_CARD = tuple(SORT.index(k) for k in range(SORTS))
COPIES = tuple(SORT.count(k) for k in range(SORTS))
_LOWER = [list(range(SORTS + 1))]  # row i: the number of choices of i + 1 sorts that are all lower than sort k
while len(_LOWER) < 5:
    _LOWER.append([sum(_LOWER[-1][: k + 1]) for k in range(SORTS + 1)])
BELOW = tuple(n for row in _LOWER for n in row[:SORTS])
# what a card adds to the number if it is the i-th lowest of the hand
PLACE = tuple(row[k] for row in _LOWER for k in SORT)
MIXED, PURES = _LOWER[4][SORTS], 1 << len(RANKS)


def strength(how: int, kept: int) -> int:
    """Return the :func:`score` of up to five cards; that of five under the standard rules comes from the table."""
    return score_at(place_of(kept)) if how == 0 and count(kept) == 5 else score(how, kept)


def place_of(kept: int) -> int:
    """Return the place of five cards in the table of scores."""
    if one_mortal_suit(kept):
        place = MIXED + (PURES if kept & WILDS else 0)
        for c in members(kept & ~WILDS):
            place += 1 << (HEIGHT[c] - 1)
        return place
    place = 0
    for i in range(0, 5 * DECK, DECK):
        place += PLACE[i + lowest(kept)]
        kept &= kept - 1
    return place


def one_mortal_suit(kept: int) -> bool:
    """Whether all cards are of one mortal suit, except for at most one wild card."""
    suited = kept & ~WILDS
    return (suited & ~HUMANS == 0 or suited & ~DEMI_HUMANS == 0 or suited & ~BEASTS == 0) and kept & WILDS != WILDS


@tabled(MIXED + 2 * PURES)
def score_at(place: int) -> int:
    """Return the standard score of the hands at a place of the table; 0 if there is none."""
    kept = hand_at(place)
    return score(0, kept) if count(kept) == 5 else 0


def hand_at(place: int) -> int:
    """Return a hand for a place of the table; it does not have five cards if there is none."""
    kept = 0
    if place >= MIXED:
        place -= MIXED
        for h in range(len(RANKS)):
            if place >> h & 1:
                kept |= 1 << (FIRST_CARD[2 + 3 * (ACE - 1 - h) + 2])
        return kept | (1 << GOD if place >= PURES else 0)
    sort = SORTS - 1
    for j in range(5):
        i = 4 - j
        while BELOW[SORTS * i + sort] > place:
            sort -= 1
        place -= BELOW[SORTS * i + sort]
        copy = 0 if COPIES[sort] == 1 else i % 3  # take mortal suits in turn, or the hand would be of a single suit
        kept |= 1 << (FIRST_CARD[sort] + copy)
    return kept


def weakest_and_strongest(how: int, six: int) -> tuple[int, int]:
    """Return the lowest and the highest score that six cards can have after a discard."""
    worst = 1 << 62
    best = 0
    for c in members(six):
        worth = strength(how, six & ~(1 << c))
        worst = min(worst, worth)
        best = max(best, worth)
    return worst, best


# ------------------------------------------------------------------------------------------ the Rule of Order


def well_laid(how: int, hand: int, worth: int, sequence: int) -> bool:
    """Whether cards of a hand, laid in this sequence, are its combination in the right order, in one of the readings
    with that score (DV-116, DV-117).

    ``sequence``: three bits a card, the top one first: its place in the hand plus one.
    """
    part = 0
    word = sequence
    while word:
        part |= 1 << nth(hand, (word & 7) - 1)
        word >>= 3
    heaven = bound(how, hand & HEAVEN)
    hell = bound(how, hand & HELL)
    for left_out in range(2):
        legal = hand & ~(hell if left_out else heaven) if heaven and hell else hand
        if part & ~legal == 0:
            may, must = aces_of(how, part, legal)
            aces = may
            while True:
                if must & ~aces == 0 and reading(how, part, legal, aces) == worth:
                    if in_order(how, hand, sequence, part, legal, aces, category(how, worth)):
                        return True
                if aces == 0:
                    break
                aces = (aces - 1) & may
    return False


def in_order(how: int, hand: int, sequence: int, part: int, legal: int, aces: int, sort: int) -> bool:
    """Whether the cards of a combination lie in the right order (DV-117).  In a Full House of a wild card and two
    natural pairs, either pair may be the larger group, if that is allowed and gives the hand the same score."""
    tally = tallied(part, aces)
    if sort != FULL_HOUSE or part & WILDS == 0:
        return falls(hand, sequence, part, aces, sort, tally)
    strain = how & ANY_SUIT != 0 and strained(how, part, legal, aces)
    one = highest(tally)
    other = lowest((tally | tally >> 1 | tally >> 2) & EACH_HEIGHT) // 3
    if fit(how, part, tally, one, other, 3, strain):
        if falls(hand, sequence, part, aces, sort, tally + (1 << 3 * one)):
            return True
        if how & (GROUPS_FIRST | RANKS_FIRST):
            return False  # with the two ranks exchanged, the hand would be worth less
    if fit(how, part, tally, other, one, 3, strain):
        return falls(hand, sequence, part, aces, sort, tally + (1 << 3 * other))
    return False


def falls(hand: int, sequence: int, part: int, aces: int, sort: int, tally: int) -> bool:
    """Whether every card of a sequence lies below all those that belong above it."""
    last = 0
    while sequence:
        c = nth(hand, (sequence & 7) - 1)
        sequence >>= 3
        place = layer(c, part, tally, aces, sort)
        if place < last:
            return False
        last = place
    return True


def layer(c: int, part: int, tally: int, aces: int, sort: int) -> int:
    """Return how far down a card of a combination belongs; cards with equal numbers may lie in any order.  In the tally
    of a Full House the wild card is counted with its group."""
    if c <= SATAN:
        return 0
    height = ACE if aces >> c & 1 else HEIGHT[c]
    down = ACE - height + 1
    if sort == STRAIGHT or sort == PURE_STRAIGHT:
        if height == ACE and tally & LOW_HEIGHTS:
            down += ACE
    elif sort != HIGH_CARD and sort != PURE and sort != PUREBLOOD:
        down += 16 * (5 - (tally >> 3 * height & 7))
    bit = 1 << c
    guest = (bit == DEUCE_V and part & HELL & ~DEUCES) or (bit == DEUCE_L and part & HEAVEN & ~DEUCES)
    suit = (1 if guest else 0) if bit & IMMORTALS else 2 if bit & HUMANS else 3 if bit & DEMI_HUMANS else 4
    return 8 * down + suit


def cards_named(names: str) -> int:
    """A set of cards by their names; ``6V`` is any 6 of Heaven that is not yet among them.

    >>> cards_named("Satan AV") == 0b110
    True
    """
    found = 0
    for name in names.split():
        spellings = SIXES["6V"] if name == "6V" else (name,)
        found |= next(1 << CARDS.index(one) for one in spellings if not found >> CARDS.index(one) & 1)
    return found
