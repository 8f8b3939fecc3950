"""The rule-of-thumb player of Diabolo: weighs both sides of each colour against what it holds.

It estimates how likely each row is to end positive or negative, and how likely its own cards are to be the highest hand
in that colour; the product is what the colour is worth to it.  It places the card after which its colours are together
worth most, and commits its Doubler where it expects most from it.
"""

import math

from parlour.games.diabolo.bags import COLOURS, COPIES, COUNT, KINDS, SUM, VALUES, how_many, size, suit
from parlour.games.diabolo.position import DISCARD, HAND, NO, ROW, YES, Diabolo, colour_of, locks_needed

SWING = 3.2  # standard deviation of the change of a row's lead by each card still to come
LEAST = 0.01  # points that a Doubler must at least bring on average

# Places in notes: for each colour the number of unseen cards, the sum of their values and that of their squares; the
# number of all unseen cards; the number of cards still to come; the number of free places.
UNSEEN, TOTAL, SQUARES, HIDDEN, TO_COME, ROOM = 0, 5, 10, 15, 16, 17


def appraise(
    s: Diabolo, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Weigh what each action does to its colour."""
    look_around(s, me, notes)
    for k in range(n):
        worth[k] = value(s, me, acts[k], notes)


def value(s: Diabolo, me: int, a: int, notes: list[float]) -> float:
    """Return the value of an action, in points."""
    if a == NO:
        return 0.0
    if a == YES:
        later = LEAST
        for row in range(s.row + 1, COLOURS):
            later = max(later, gain(s, me, colour_of(s, row), notes))
        return gain(s, me, colour_of(s, s.row), notes) - later
    c = a % KINDS // VALUES
    points = a % VALUES + 1
    mine, lead, lacking = SUM[suit(s.hand[me], c)], leads(s, c), missing(s, c)
    before = colour(s, me, c, mine, lead, lacking, notes)
    if a < DISCARD:
        lead += points if a >= KINDS else -points
        lacking -= 1
    return colour(s, me, c, mine - points, lead, lacking, notes) - before


def leads(s: Diabolo, c: int) -> int:
    """Return by how much the angels lead in a colour."""
    return SUM[suit(s.side[1], c)] - SUM[suit(s.side[0], c)]


def missing(s: Diabolo, c: int) -> int:
    """Return the number of cards for which a row has room."""
    return ROW - COUNT[suit(s.side[0], c)] - COUNT[suit(s.side[1], c)]


def colour(s: Diabolo, me: int, c: int, mine: int, lead: int, lacking: int, notes: list[float]) -> float:
    """Return the value of a colour with this sum in hand, if the angels lead by ``lead`` and ``lacking`` cards are
    still to come."""
    return mine * highest(s, me, c, mine, notes) * sign(lead, lacking, notes)


def sign(lead: int, lacking: int, notes: list[float]) -> float:
    """Return the probability that a row ends positive less the probability that it ends negative."""
    cards = min(float(lacking), notes[TO_COME] * lacking / notes[ROOM])
    if cards <= 0.0:
        return 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    return math.erf(lead / (SWING * math.sqrt(2.0 * cards)))


def gain(s: Diabolo, me: int, c: int, notes: list[float]) -> float:
    """Return the expected gain from a Doubler in a row that is not yet scored."""
    if leads(s, c) <= 0:
        return 0.0
    mine = SUM[suit(s.hand[me], c)]
    return mine * highest(s, me, c, mine, notes)


def highest(s: Diabolo, me: int, c: int, mine: int, notes: list[float]) -> float:
    """Return the probability that nobody else holds more in a colour."""
    if mine <= 0:
        return 0.0
    chance = 1.0
    for p in range(s.players):
        if p != me:
            shown = SUM[suit(s.known[p], c)]
            unknown = max(0, HAND - size(s.known[p]))
            if notes[UNSEEN + c] == 0.0 or unknown == 0:
                chance *= 1.0 if shown <= mine else 0.0
            else:
                share = notes[TOTAL + c] / notes[HIDDEN]
                spread = unknown * max(notes[SQUARES + c] / notes[HIDDEN] - share * share, 0.0)
                above = (mine + 0.5 - shown - unknown * share) / ((math.sqrt(spread) + 1e-6) * math.sqrt(2.0))
                chance *= 0.5 * (1.0 + math.erf(above))
    return chance


def look_around(s: Diabolo, me: int, notes: list[float]) -> None:
    """Note the unseen cards, and how many are still to come up to the last lock, assuming that the fullest rows are
    filled first and that half as many cards go elsewhere."""
    notes[HIDDEN] = 0.0
    for c in range(COLOURS):
        notes[UNSEEN + c] = notes[TOTAL + c] = notes[SQUARES + c] = 0.0
        for v in range(VALUES):
            left = float(COPIES[v] - seen(s, me, VALUES * c + v))
            notes[UNSEEN + c] += left
            notes[TOTAL + c] += left * (v + 1)
            notes[SQUARES + c] += left * (v + 1) * (v + 1)
        notes[HIDDEN] += notes[UNSEEN + c]
    notes[HIDDEN] = max(1.0, notes[HIDDEN])
    locks = locks_needed(s)
    for c in range(COLOURS):
        locks -= missing(s, c) == 0
    notes[TO_COME] = notes[ROOM] = 0.0
    for lacking in range(1, ROW + 1):
        for c in range(COLOURS):
            if missing(s, c) == lacking:
                notes[ROOM] += lacking
                if locks > 0:
                    notes[TO_COME] += 1.5 * lacking
                    locks -= 1
    notes[ROOM] = max(1.0, notes[ROOM])


def seen(s: Diabolo, me: int, k: int) -> int:
    """Return the number of cards of a kind that it sees or knows to be in a hand."""
    cards = how_many(s.hand[me], k) + how_many(s.side[0], k) + how_many(s.side[1], k) + how_many(s.discards, k)
    cards += how_many(s.buried[me], k)
    for p in range(s.players):
        if p != me:
            cards += how_many(s.known[p], k)
    return cards
