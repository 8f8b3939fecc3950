"""The rule-of-thumb player of Diamonds: it counts the unseen cards, and digs where it expects most.  Values are in
diamonds.  ``dig`` is the expected value of turning up the cards of a pile with a certain spade, with all unseen cards
equally likely.  A spade is worth the rocks it breaks, a joker a little less than the diamond it can steal; a pile
opened for the next player counts against the digger.
"""

from parlour.games.diamonds.position import (
    BLADE,
    CLUBS,
    DEPTH,
    DESTROY,
    DIAMONDS,
    DIG_ANY,
    DOWN,
    EMPTY,
    HEARTS,
    JOKERS,
    ON,
    PASS,
    PILES,
    SPADES,
    STEAL,
    SWITCH,
    TRADE,
    Diamonds,
    next_seat,
    rank,
)
from parlour.rules.vocabulary import count

IMAGINED_BY_THUMB = True  # not by networks, which are eight times as slow and hardly better

SPADE = 2.0  # value of a spade that breaks every rock
JOKER = 0.8  # value of a joker
OPENED = 0.3  # share of what the next player gains on average from a pile opened for them
DENIED = 0.2  # share of what the next player would have gained on average from the pile now dug
A_STEAL = 10.0  # higher than any pile, because later it may be too late
A_SWITCH = 3.0  # factor of what the better spade gains

BEST = 14  # the strongest spade
UP_TO = tuple(sum(1 << CLUBS + r - 2 | 1 << HEARTS + r - 2 for r in range(2, most + 1)) for most in range(BEST + 1))
"""The rocks that a spade breaks, by its strength."""
GEMS = ((1 << JOKERS) - 1) ^ ((1 << DIAMONDS) - 1)

# Places in notes: the value of holding each spade, the average gain from finding a better one, and the expected value
# of digging, by the spade's strength and the number of cards in the pile.
HOLDING, GAINING, DIGGING, CARDS_UP_TO = 0, 15, 30, DEPTH + 1


def appraise(
    s: Diamonds, me: int, acts: list[int], n: int, worth: list[float], notes: list[float], rng: list[int]
) -> None:
    """Value each pile by its expected diamonds, and use jokers before it is too late."""
    take_down(s, me, notes)
    for k in range(n):
        worth[k] = value(s, me, acts[k], notes)


def value(s: Diamonds, me: int, a: int, notes: list[float]) -> float:
    """Return the value of an action, in diamonds."""
    mine = s.spade[me]
    if a < DIG_ANY:
        return pile(s, a, mine, notes) + DENIED * pile(s, a, s.spade[next_seat(s, me)], notes)
    if a == DIG_ANY:
        return any_pile(s, mine, notes)
    if a < PASS:
        return dig(mine, s.height[a - DESTROY] - 1, notes)
    if a == ON:
        return dig(mine, s.height[s.at], notes)
    if a >= SWITCH:
        gain = notes[HOLDING + s.spade[a - SWITCH]] - notes[HOLDING + mine]
        return A_SWITCH * gain if gain > 0.0 else -1.0
    if a >= STEAL:
        return A_STEAL + count(s.diamonds[a - STEAL])
    if a == TRADE:
        return 1.0 if s.face[s.at] > BLADE + mine else -1.0
    return 0.0


def pile(s: Diamonds, i: int, spade: int, notes: list[float]) -> float:
    """Return the expected value of pile ``i`` to a player with this spade; 0 if they cannot dig there."""
    if s.face[i] == EMPTY:
        return 0.0
    if s.face[i] == DOWN:
        return dig(spade, s.height[i], notes)
    card = s.top[i] - 1
    below = s.height[i] - 1
    if card < SPADES:
        return dig(spade, below, notes) if rank(card) <= spade else 0.0
    if spade == 0:
        return notes[HOLDING + rank(card)] + dig(rank(card), below, notes)
    return max(0.0, notes[HOLDING + rank(card)] - notes[HOLDING + spade])


def any_pile(s: Diamonds, spade: int, notes: list[float]) -> float:
    """Return the expected value of a face-down pile that chance picks."""
    closed = 0
    total = 0.0
    for i in range(PILES):
        if s.face[i] == DOWN:
            closed += 1
            total += dig(spade, s.height[i], notes)
    return total / closed


def dig(spade: int, cards: int, notes: list[float]) -> float:
    """Return the expected value of turning up ``cards`` cards, one after another, until something stops the digging."""
    return notes[DIGGING + spade * CARDS_UP_TO + cards] if cards > 0 else 0.0


def take_down(s: Diamonds, me: int, notes: list[float]) -> None:
    """Compute the values of spades and of digging to ``me``."""
    mine = s.spade[me]
    next_one = s.spade[next_seat(s, me)]
    rocks = count(s.unseen & UP_TO[BEST])
    for spade in range(BEST + 1):
        notes[HOLDING + spade] = SPADE * count(s.unseen & UP_TO[spade]) / rocks if rocks > 0 else 0.0
    for spade in range(2, BEST + 1):
        notes[GAINING + spade] = 0.0
        for better in range(spade + 1, BEST + 1):
            if s.unseen >> SPADES + better - 2 & 1:
                notes[GAINING + spade] += notes[HOLDING + better] - notes[HOLDING + spade]
    for spade in range(2, BEST + 1):
        if mine == 0 or next_one == 0 or spade == next_one:
            digging(s, spade, False, next_one, notes)
    if next_one == 0:
        digging(s, 0, False, next_one, notes)
    digging(s, mine, True, next_one, notes)


def digging(s: Diamonds, spade: int, is_mine: bool, next_one: int, notes: list[float]) -> None:
    """Note the expected value of digging with one spade, for each number of cards.  A first spade is kept, and the
    digging goes on with it (DM-40)."""
    unseen = max(1, count(s.unseen))
    gems = count(s.unseen & GEMS)
    jokers = count(s.unseen >> JOKERS)
    broken = count(s.unseen & UP_TO[spade])
    opened = count(s.unseen & UP_TO[max(next_one, spade)]) - broken if is_mine else 0
    here = DIGGING + spade * CARDS_UP_TO
    notes[here] = 0.0
    for cards in range(1, CARDS_UP_TO):
        further = notes[here + cards - 1]
        total = gems * (1 + further) + jokers * (JOKER + further) + broken * further
        total -= opened * OPENED * notes[DIGGING + next_one * CARDS_UP_TO + cards - 1]
        if spade == 0:
            for first in range(2, BEST + 1):
                if s.unseen >> SPADES + first - 2 & 1:
                    total += notes[HOLDING + first] + notes[DIGGING + first * CARDS_UP_TO + cards - 1]
        else:
            total += notes[GAINING + spade]
        notes[here + cards] = total / unseen
