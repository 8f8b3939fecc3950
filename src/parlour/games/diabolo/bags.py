"""The 70 cards of Diabolo, and bags of them.

Equal cards are interchangeable (DI-5), so the position keeps only how many there are of each of 25 *kinds*: kind 5 *
colour + value - 1, the colours in the order red, yellow, green, purple, blue.

A *bag* holds the number of each kind in one integer: two bits for a kind, three for the 1s.  To add a card, add
``ONE[kind]``; to combine two bags, use ``+``.  Bits are named so that a bag, read as a set of bits, spells its cards:
the bit that counts two is called "R1 R1".
"""

from parlour.rules.vocabulary import *

COLOURS, VALUES, KINDS = 5, 5, 25
COPIES = (4, 3, 3, 2, 2)  # copies of the values 1 to 5 in each colour (DI-4)
CARDS_IN_ALL = COLOURS * sum(COPIES)  # DI-2
LETTERS = "RYGPB"  # DI-3
COLOUR_NAMES = ("red", "yellow", "green", "purple", "blue")
KIND_NAMES = tuple(letter + str(value) for letter in LETTERS for value in range(1, VALUES + 1))

# Within the bits of a colour (mask COLOUR), the number of cards of each value begins at PLACES and has BITS bits.
PLACES, BITS, WIDTH = (0, 3, 5, 7, 9), (3, 2, 2, 2, 2), 11
COLOUR = (1 << WIDTH) - 1
SHIFT = tuple(WIDTH * (k // VALUES) + PLACES[k % VALUES] for k in range(KINDS))
ONE = tuple(1 << at for at in SHIFT)
MOST = tuple((1 << BITS[k % VALUES]) - 1 for k in range(KINDS))
ALL = sum(COPIES[k % VALUES] * ONE[k] for k in range(KINDS))  # every card
LOW = sum(ONE)  # the lowest bit of each kind
LOW_1 = sum(ONE[VALUES * c] for c in range(COLOURS))  # the lowest bits of the 1s only, which have a third bit
KIND_AT = tuple(max(k for k in range(KINDS) if SHIFT[k] <= bit) for bit in range(WIDTH * COLOURS))
BAG = tuple(" ".join([KIND_NAMES[k]] * (1 << (bit - SHIFT[k]))) for bit, k in enumerate(KIND_AT))

# Tables indexed by the bits of one colour: the number of cards, the sum of their values, and a bit for each card.
SPELT = [[(bits >> at) & ((1 << w) - 1) for at, w in zip(PLACES, BITS, strict=True)] for bits in range(COLOUR + 1)]
COUNT = tuple(sum(of) for of in SPELT)
SUM = tuple(sum(n * (v + 1) for v, n in enumerate(of)) for of in SPELT)
SPREAD = tuple(
    sum(((1 << min(n, m)) - 1) << sum(COPIES[:v]) for v, (n, m) in enumerate(zip(of, COPIES, strict=True)))
    for of in SPELT
)
VALUE_AT = tuple(v for v in range(VALUES) for _ in range(COPIES[v]))


def suit(bag: int, c: int) -> int:
    """The bits of one colour."""
    return (bag >> (WIDTH * c)) & COLOUR


def whole(c: int) -> int:
    """All bits of one colour."""
    return COLOUR << (WIDTH * c)


def how_many(bag: int, k: int) -> int:
    """Cards of a kind."""
    return (bag >> SHIFT[k]) & MOST[k]


def size(bag: int) -> int:
    """Cards in a bag."""
    n = 0
    for c in range(COLOURS):
        n += COUNT[suit(bag, c)]
    return n


def kinds_in(bag: int) -> int:
    """Return the kinds that occur: the lowest bit of each."""
    return ((bag | bag >> 1) & LOW) | (bag >> 2 & LOW_1)


def pick(bag: int, n: int) -> int:
    """Return the kind of card number ``n`` of a bag."""
    c = before = total = 0
    for i in range(COLOURS - 1):  # no early exit: a processor would mispredict it
        total += COUNT[bag >> WIDTH * i & COLOUR]
        if n >= total:
            c = i + 1
            before = total
    return VALUES * c + VALUE_AT[nth(SPREAD[bag >> WIDTH * c & COLOUR], n - before)]
