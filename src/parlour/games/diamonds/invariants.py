"""What the audit requires of Diamonds (nothing is hidden in it)."""

from parlour.games.diamonds.position import (
    CLUBS,
    DECK,
    DIAMONDS,
    HEARTS,
    JOKERS,
    MAY_TAKE,
    PILES,
    SPADES,
    Diamonds,
    own_spade,
)
from parlour.rules.bounds import Amounts, Bounds

SMALL = {  # two rocks of each suit, two spades, four diamonds, of which two win, and both jokers
    "DECK": sum(3 << suit for suit in (CLUBS, HEARTS, SPADES, JOKERS)) | 15 << DIAMONDS,
    "PILES": 3,
    "DEPTH": 4,
    "NEEDED": (2, 2),
}


def check(s: Diamonds) -> str:
    """All cards are present, each in one place; the number of unseen cards is that of face-down cards (DM-2,
    DM-97)."""
    places = [s.unseen, s.debris]
    places += [1 << (top - 1) for top in s.top if top]
    for p in range(s.players):
        places += [s.diamonds[p] << DIAMONDS, s.jokers[p] << JOKERS, s.fresh[p] << JOKERS]
        if s.spade[p]:
            places.append(1 << own_spade(s, p))
    found = 0
    for cards in places:
        if found & cards:
            return f"cards {found & cards:#x} are in two places"
        found |= cards
    if found != DECK:
        return f"cards {DECK & ~found:#x} are lost"
    down = sum(s.height) - sum(top > 0 for top in s.top)
    if down != s.unseen.bit_count():
        return f"{s.unseen.bit_count()} cards are unseen, {down} of {PILES} piles lie face down"
    return ""


def bounds(s: Diamonds) -> Bounds:
    """One player wins a game (DM-20), several may share a match.  A game has fewer than 300 turns, or 600 (DM-113),
    each with an action and perhaps a trade; besides, there are answers after each of 54 cards, and two jokers may be
    played before each."""
    turns = 600 if s.lower_spade == MAY_TAKE else 300
    return Bounds(-1.0 if s.games > 1 or s.players == 2 else -0.5, 1.0, 0.0, s.games * (turns * 2 + 54 * 3))


def amounts(s: Diamonds) -> Amounts:
    """The house rules fix the number of games (DM-93)."""
    return {"deal": (0, s.games), "won": (0, s.games)}
